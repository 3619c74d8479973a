"""Streams that are not in memory: the same pass, to the last bit."""

import numpy as np
import pytest
from sklearn.model_selection import KFold

from sklearn_activelearn import (
    CBGZClassifier,
    OnePassSearchCV,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
)
from tests.learners import STREAM_DEFAULTS, explores
from tests.sources import SOURCES, as_dask, as_parquet
from tests.tools import RecordingOracle, fresh

KINDS = {name: make for name, make in SOURCES.items() if name != "memmap"}
each_source = pytest.mark.parametrize("make", KINDS.values(), ids=list(KINDS))
CUTS = [1, 30, 30, 77]
BALANCED = CBGZClassifier(0.3, class_weight="balanced")


def problem():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 5))
    return X, np.where(X[:, 0] + 0.3 * rng.standard_normal(120) > 0, "yes", "no")


def told(learner):
    """Return what a learner knows, but for the names of the features."""
    return (
        learner.coef_.tolist() if hasattr(learner, "coef_") else None,
        learner.queried_indices_.tolist(),
        [learner.n_seen_, learner.n_queries_, learner.n_taught_, learner.stop_reason_],
    )


VERBS = ["fit", "partial_fit", "learn", "candidates"]


#: Each learner has two of the verbs, each with another kind of source; `explore` all.
@pytest.mark.every_learner
@pytest.mark.parametrize(
    ("prototype", "verb", "make"),
    [
        pytest.param(prototype, verb, KINDS[name], id=f"{prototype}-{verb}-{name}")
        for i, prototype in enumerate([*STREAM_DEFAULTS, BALANCED])
        for j, verb in enumerate(VERBS)
        for k, name in enumerate(KINDS)
        if explores() or (i + j) % 4 == k
    ],
)
def test_a_pass_is_that_in_memory(prototype, verb, make, tmp_path):
    X, y = problem()
    learners = [fresh(prototype, shuffle=False) for _ in range(2)]
    for learner, rows in zip(learners, (X, make(X, CUTS, tmp_path)), strict=True):
        if verb == "fit":
            learner.set_params(budget=0.25).fit(rows, y)
        elif verb == "partial_fit":
            learner.partial_fit(rows, y, ["no", "yes"]).partial_fit(rows, y)
        else:
            some = np.r_[100:20:-1] if verb == "candidates" else None
            oracle = RecordingOracle(y)
            learner.set_params(budget=0.5)
            learner.learn(rows, oracle, ["no", "yes"], candidates=some)
            learner.asked = oracle.asked
    first, second = learners
    assert told(first) == told(second)
    assert vars(first).get("asked") == vars(second).get("asked")
    predicted = np.asarray(second.predict(make(X, [9], made(tmp_path))))
    np.testing.assert_array_equal(first.predict(X), predicted)


def made(folder):
    (folder / "again").mkdir()
    return folder / "again"


@each_source
def test_the_row_that_is_not_finite_is_named(make, tmp_path):
    X, y = problem()
    X[99, 1] = np.nan
    learner, oracle = fresh(CBGZClassifier(shuffle=False)), RecordingOracle(y)
    source = make(X, CUTS, tmp_path)
    with pytest.raises(ValueError, match=r"row 99\b.* NaN"):
        learner.fit(source, y)
    with pytest.raises(ValueError, match=r"row 99\b.* NaN"):
        learner.learn(source, oracle, ["no", "yes"])
    assert not hasattr(learner, "coef_")
    assert not oracle.asked


def test_an_oracle_that_fails_can_be_asked_again(tmp_path):
    X, y = problem()
    learner = fresh(CBGZClassifier())
    expected = fresh(CBGZClassifier()).learn(X, RecordingOracle(y), ["no", "yes"])
    n_asked = []

    def failing(rows):
        n_asked.append(rows[0])
        if len(n_asked) == 15:
            raise RuntimeError("coffee")
        return y[rows]

    source = as_dask(X, CUTS, tmp_path)
    with pytest.raises(RuntimeError, match="coffee"):
        learner.learn(source, failing, ["no", "yes"])
    assert learner.queried_indices_.tolist() == n_asked[:14]
    start = learner.n_seen_
    learner.learn(source[start:], lambda rows: y[start + rows])
    np.testing.assert_array_equal(learner.coef_, expected.coef_)


@pytest.mark.parametrize("candidates", [None, np.arange(110, 20, -1)])
def test_an_error_names_the_row_that_the_oracle_was_asked_for(candidates, tmp_path):
    X, y = problem()
    asked = []

    def wrong(rows):
        asked.append(rows[0])
        return y[rows] if len(asked) < 60 else ["perhaps"]

    source = as_dask(X, CUTS, tmp_path)
    learner = RandomSamplingClassifier(rate=1.0, random_state=0)
    with pytest.raises(ValueError, match="'perhaps' for row") as error:
        learner.learn(source, wrong, ["no", "yes"], candidates=candidates)
    assert str(error.value).endswith(f"for row {asked[-1]}.")
    assert learner.queried_indices_.tolist() == asked[:-1]


def test_what_cannot_be_done_in_order_is_refused(tmp_path):
    X, y = problem()
    for source in (as_dask(X, CUTS, tmp_path), as_parquet(X, CUTS, tmp_path)):
        with pytest.raises(ValueError, match="shuffle=True needs all rows in memory"):
            fresh(RLSSamplingClassifier()).fit(source, y)


def test_settings_of_a_search_go_one_by_one():
    X, y = problem()
    learner = CBGZClassifier(random_state=0, shuffle=False)
    search = OnePassSearchCV(learner, {"b": [0.1, 1.0]}, cv=KFold(2))
    expected = search.fit(X, y).cv_results_["mean_test_score"]
    assert search.fused_.all()
    found = search.fit(as_dask(X, CUTS, None), y).cv_results_["mean_test_score"]
    assert not search.fused_.any()
    np.testing.assert_array_equal(found, expected)
