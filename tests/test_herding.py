"""Coverage: the first rows, the spread of a batch, Uncertainty Herding."""

import pytest
from hypothesis import given, settings
from sklearn.linear_model import LogisticRegression

from sklearn_activelearn import (
    MinMarginClassifier,
    UncertaintyHerdingClassifier,
)
from tests.reference import herding as reference
from tests.tools import fresh, problem, streams

X, y = problem(60, 3, noise=0.5)


@pytest.mark.parametrize("calibrate", [True, False])
@pytest.mark.parametrize("batch_size", [1, 3])
@settings(max_examples=8)
@given(stream=streams(min_rows=5, max_rows=14, min_features=2))
def test_purchases_are_those_of_the_slow_twin(calibrate, batch_size, stream):
    X, y = stream
    params = {"n_initial": 3, "batch_size": batch_size, "budget": 9}
    params["calibrate"] = calibrate
    estimator = LogisticRegression()
    learner = fresh(UncertaintyHerdingClassifier(estimator), **params).fit(X, y)
    expected = reference.purchases(estimator, X, y, random_state=0, **params)
    assert learner.queried_indices_.tolist() == expected


@settings(max_examples=15)
@given(stream=streams(min_rows=5, max_rows=16, min_features=2))
def test_first_rows_cover_the_pool(stream):
    X, y = stream
    learner = fresh(MinMarginClassifier(), initial="herding", n_initial=5, budget=5)
    expected = reference.maximal_coverage(X, 5, 0)
    assert learner.query(X).tolist() == expected
    assert learner.fit(X, y).queried_indices_.tolist() == expected
