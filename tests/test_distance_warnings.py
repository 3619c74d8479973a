"""Warnings that what a rule relies on does not hold."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    UncertaintyHerdingClassifier,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 6))
BY_CHANCE = (rng.random(120) < 0.35).astype(int)
NEAR = (X[:, 0] + 0.1 * X[:, 1] > 0).astype(int)
APART = np.where(NEAR[:, None], X + 20, X)

LEARNERS = [
    UncertaintyHerdingClassifier(LogisticRegression(), batch_size=20, random_state=0),
    ActiveLabelPropagationClassifier(batch_size=20, random_state=0),
]


def messages(learner, X, y, n_labels):
    """Return what is said while so many labels are bought."""
    learner.set_params(budget=n_labels)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner.fit(X, y)
    return [str(warning.message) for warning in caught if "distances" in str(warning)]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_distances_that_predict_no_label(learner):
    (said,) = messages(learner, X, BY_CHANCE, 110)
    assert type(learner).__name__ in said
    known = learner.queried_indices_[:50]
    assert said.count("of 50 labels") == 1
    n_most = np.bincount(BY_CHANCE[known]).max()
    assert f"the most frequent class {n_most}." in said
    if isinstance(learner, ActiveLabelPropagationClassifier):
        rows, n_right = X[known], 0
        for i in range(50):
            distances = ((rows - rows[i]) ** 2).sum(axis=1)
            distances[i] = np.inf
            n_right += BY_CHANCE[known[distances.argmin()]] == BY_CHANCE[known[i]]
        assert f"the nearest other label predicts {n_right}," in said


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_distances_that_do_and_few_labels_are_left_alone(learner):
    assert messages(learner, APART, NEAR, 110) == []
    assert messages(learner, X, BY_CHANCE, 50) == []


def test_a_warning_that_is_an_error_buys_nothing():
    learner = UncertaintyHerdingClassifier(batch_size=10, budget=60, random_state=0)
    learner.teach(X[:50], BY_CHANCE[:50])
    with pytest.warns(UserWarning, match="distances"):
        first = learner.query(X)
    learner = UncertaintyHerdingClassifier(batch_size=10, budget=60, random_state=0)
    learner.teach(X[:50], BY_CHANCE[:50])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="distances"):
            learner.query(X)
    assert learner.n_queries_ == learner.n_pending_ == 0
    with pytest.warns(UserWarning, match="distances"):
        np.testing.assert_array_equal(learner.query(X), first)
