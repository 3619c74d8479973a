"""The mixture of rules: its parts, and what it does not fall for."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from sklearn_activelearn import (
    HybridSamplingClassifier,
    MinMarginClassifier,
    PassiveClassifier,
)
from sklearn_activelearn.pool import _hybrid
from tests.learners import seldom
from tests.reference import hybrid as reference
from tests.tools import fresh, problem, streams

X, y = problem(60, 3, noise=0.5)


def share_of_margins(n_enough):
    """Return the share of margin rows, given the numbers of labels and of classes."""
    return lambda n_labels, n_classes: (
        0.75 if n_classes == 2 or n_labels >= n_enough else 0.0
    )


@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize("n_classes", [2, 3])
@seldom
@given(stream=streams(min_rows=5, max_rows=18, min_features=2))
def test_purchases_are_those_of_the_slow_reference(batch_size, n_classes, stream):
    X, y = stream
    if n_classes == 3:
        y = y.copy()
        y[::3] = "third" if y.dtype.kind in "UO" else 7
    params = {"n_initial": 4, "batch_size": batch_size, "budget": 10, "explore": 0.3}
    estimator = LogisticRegression()
    learner = fresh(HybridSamplingClassifier(estimator), **params).fit(X, y)
    expected, random = reference.purchases(
        estimator, X, y, random_state=0, share=share_of_margins(100), **params
    )
    assert learner.queried_indices_.tolist() == expected
    record = learner.record()
    purposes = np.array(record["purposes"])
    assert np.array(record["rows"])[purposes == "explored"].tolist() == random


def test_two_in_five_of_a_mixed_start_are_random():
    first = [
        fresh(MinMarginClassifier(), random_state=seed, initial="mixed", n_initial=5)
        for seed in range(30)
    ]
    drawn = set()
    for learner in first:
        _, probabilities = learner.query(X, return_probability=True)
        is_random = np.array(learner.record()["purposes"]) == "explored"
        assert is_random.sum() == 2
        np.testing.assert_allclose(probabilities, np.where(is_random, 2 / 60, 1))
        drawn.update(np.array(learner.record()["rows"])[is_random])
    assert len(drawn) > 30


def test_rows_that_cover_know_those_that_were_drawn():
    centres = [[0, 0], [0, 50], [50, 0], [50, 50]]
    pool, labels = make_blobs(80, centers=centres, cluster_std=0.1, random_state=0)
    for seed in range(20):
        learner = HybridSamplingClassifier(n_initial=6, random_state=seed)
        rows = learner.query(pool)
        assert len(set(labels[rows])) == 4


def test_margins_take_no_near_copies():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 2))
    pool = np.repeat(rows, 10, axis=0) + 1e-4 * rng.normal(size=(300, 2))
    labels = np.repeat((rows[:, 0] > 0).astype(int), 10)
    params = {"explore": 0.0, "n_initial": 4, "batch_size": 8, "budget": 28}
    learner = fresh(HybridSamplingClassifier(LogisticRegression()), **params)
    learner.fit(pool, labels)
    assert len(set(learner.queried_indices_[4:] // 10)) == 24


@pytest.mark.parametrize("n_classes", [2, 3])
def test_purchases_with_near_copies_are_those_of_the_slow_reference(
    n_classes, monkeypatch
):
    monkeypatch.setattr(_hybrid, "LABELS_PER_CLASS", 4)
    monkeypatch.setattr(_hybrid, "MANY_CLASSES", 3)
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(12, 2))
    pool = np.repeat(rows, 4, axis=0) + 1e-2 * rng.normal(size=(48, 2))
    labels = np.digitize(pool[:, 0], [0.0, 0.5][: n_classes - 1])
    params = {"n_initial": 6, "batch_size": 6, "budget": 30, "explore": 0.1}
    estimator = LogisticRegression()
    learner = fresh(HybridSamplingClassifier(estimator), **params).fit(pool, labels)
    expected, _ = reference.purchases(
        estimator, pool, labels, random_state=0, share=share_of_margins(12), **params
    )
    assert learner.queried_indices_.tolist() == expected


@pytest.mark.parametrize(("n_classes", "n_enough"), [(3, 100), (12, 120)])
def test_many_classes_get_margins_once_they_have_labels(n_classes, n_enough):
    rng = np.random.default_rng(0)
    pool = rng.normal(size=(300, 5))
    labels = np.arange(300) % n_classes
    for n_labels in (n_enough - 1, n_enough):
        learner = HybridSamplingClassifier(
            LogisticRegression(), explore=0.0, batch_size=8, random_state=0
        )
        learner.set_params(budget=None).teach(pool[:n_labels], labels[:n_labels])
        _, utilities = learner.query(pool, return_utility=True)
        # gaps lie in [0, 1], gains of coverage are divided by the number of rows
        n_margins = np.count_nonzero(utilities > 0.3)
        assert n_margins == (6 if n_labels == n_enough else 0)


def test_a_thin_class_is_not_taken_for_near_copies():
    rng = np.random.default_rng(0)
    along = rng.uniform(0, 1, 100)
    thin = np.c_[np.sin(5 * along), np.cos(5 * along), 2 * along - 1, along**2]
    rows = np.r_[thin + 0.01 * rng.normal(size=thin.shape), rng.normal(size=(200, 4))]
    X = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    y = np.repeat([1, 0], [100, 200])
    areas = {HybridSamplingClassifier: [], PassiveClassifier: []}
    for learner_class, scores in areas.items():
        for seed in range(2):
            learner = learner_class(SVC(), batch_size=10, budget=80, random_state=seed)
            for _ in range(8):
                asked = learner.query(X)
                learner.teach(X[asked], y[asked])
                scores.append(learner.score(X, y))
    hybrid, random = (np.mean(scores) for scores in areas.values())
    assert hybrid > random


def test_bad_model():
    class Plain(LogisticRegression):
        predict_proba = decision_function = property()

    with pytest.raises(TypeError, match="no predict_proba"):
        HybridSamplingClassifier(Plain()).query(X)
