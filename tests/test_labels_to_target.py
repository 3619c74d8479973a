"""Labels to a target error, and tuning for as few of them as possible."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from sklearn_activelearn import CBGZClassifier, DKMClassifier, RandomSamplingClassifier
from sklearn_activelearn.evaluation import tune_labels_to_target
from tests.tools import curve_of, problem

X, y = problem(120, 4)


@given(
    runs=st.lists(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=4, max_size=4),
        min_size=1,
        max_size=5,
    ),
    error=st.sampled_from([0.0, 0.25, 0.5]),
)
def test_labels_to_target(runs, error):
    result = curve_of(range(1, 5), runs).labels_to_target(error)
    expected = [
        next((n for n, score in enumerate(run, 1) if 1 - score <= error), np.inf)
        for run in runs
    ]
    counted = [min(n, 400) for n in expected]  # a failure counts as all rows offered
    assert result.labels.tolist() == expected
    assert result.n_failed == expected.count(np.inf)
    assert result.counted.tolist() == counted
    assert result.mean == pytest.approx(np.mean(counted))
    assert result.std == pytest.approx(np.std(counted))


@pytest.mark.parametrize("percent", [1, 5, 15, 20, 30, 82])
def test_an_error_of_exactly_the_target_counts(percent):
    # 1 - .95 is a little more than .05 in floating point
    curve = curve_of([1, 2, 3], [[0.0, (100 - percent) / 100, 1.0]])
    assert curve.labels_to_target(percent / 100).labels.tolist() == [2]


def test_the_end_of_a_run_counts():
    curve = curve_of([2], [[0.5], [0.5]], [7, 7], [0.9, 0.6])
    assert curve.labels_to_target(0.2).labels.tolist() == [7, np.inf]


def enough(learner, X, y):
    """Score a learner as perfect once it has bought `eta0` labels."""
    return float(learner.n_queries_ >= learner.eta0)


@pytest.mark.parametrize("random_state", range(3))
def test_tuning_finds_the_planted_setting(random_state):
    learner, grid = RandomSamplingClassifier(rate=1.0), {"eta0": [30, 8, 12, 500]}
    tuning = tune_labels_to_target(
        learner, grid, X, y, error=0.0, scoring=enough, random_state=random_state
    )
    assert tuning.best_params == {"eta0": 8}
    assert tuning.best_estimator.eta0 == 8
    assert not hasattr(tuning.best_estimator, "classes_")
    assert [params["eta0"] for params, _ in tuning.results] == [30, 8, 12, 500]
    assert [result.mean for _, result in tuning.results] == [30, 8, 12, 96]
    assert [result.n_failed for _, result in tuning.results] == [0, 0, 0, 5]


def test_all_settings_see_the_folds_of_an_iterable():
    learner, grid = RandomSamplingClassifier(rate=1.0), {"eta0": [30, 8, 12]}
    folds = StratifiedKFold(3).split(X, y)
    how = {"error": 0.0, "scoring": enough, "random_state": 0}
    tuning = tune_labels_to_target(learner, grid, X, y, cv=folds, **how)
    assert [result.labels.tolist() for _, result in tuning.results] == [
        [30] * 3, [8] * 3, [12] * 3,
    ]  # fmt: skip


def test_an_error_names_the_setting():
    with pytest.raises(ValueError, match=r"^{'R': -1}: R == -1"):
        tune_labels_to_target(DKMClassifier(), {"R": [1, -1]}, X, y, error=0.1)


@pytest.mark.parametrize("target", [-0.1, 1.1, np.nan])
def test_bad_targets(target):
    with pytest.raises(ValueError, match="error"):
        curve_of([1], [[0.5]]).labels_to_target(target)
    with pytest.raises(ValueError, match="error"):
        tune_labels_to_target(CBGZClassifier(), {"b": [1.0]}, X, y, error=target)
