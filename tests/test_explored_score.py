"""The score of a pool learner from random rows that it bought."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    BlendClassifier,
    CBGZClassifier,
    HybridSamplingClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.evaluation import explored_score
from tests.reference import explored as reference
from tests.tools import problem

X, y = problem(80, 3, noise=0.5)


@settings(max_examples=settings.default.max_examples * 3 // 5)
@given(
    seed=st.integers(0, 99),
    explore=st.sampled_from([0.0, 0.3, 1.0]),
    initial=st.sampled_from(["random", "herding"]),
    balanced=st.booleans(),
    n_classes=st.sampled_from([2, 3]),
)
def test_it_is_that_of_the_slow_reference(seed, explore, initial, balanced, n_classes):
    labels = y.astype(object)
    if n_classes == 3:
        labels[seed % 9 :: 9] = "third"
    labels = labels.astype(str)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    learner = UncertaintySamplingClassifier(
        tree, explore=explore, initial=initial, n_initial=6, batch_size=3, budget=40,
        random_state=seed,
    ).fit(X, labels)  # fmt: skip
    record = learner.record()
    rows = learner.queried_indices_
    is_random = np.array(record["probabilities"]) < 1
    scoring = "balanced_accuracy" if balanced else "accuracy"
    found = explored_score(learner, scoring=scoring, confidence=0.9)
    assert found.n_labels == is_random.sum()
    if not is_random.any():
        assert np.isnan(found.value)
        assert (found.low, found.high) == (0, 1)
        return
    expected = reference.score(tree, X[rows], labels[rows], is_random, 0.9, balanced)
    np.testing.assert_allclose((found.value, found.low, found.high), expected)


def test_a_class_without_a_random_row_may_have_any_share():
    learner = MinMarginClassifier(explore=0.5, batch_size=4, random_state=0)
    learner.teach(X[:30], [*["a", "b"] * 14, "c", "c"])
    rows = learner.query(X)
    learner.teach(X[rows], ["a", "b", "a", "b"])
    found = explored_score(learner, scoring="balanced_accuracy")
    known = learner._ledger.labelled
    is_random = learner._ledger.probabilities[learner._ledger.taught] < 1
    labels = learner.classes_[known.codes]
    assert len(set(labels[is_random])) < 3
    given = LinearSVC(), known.rows, labels, is_random
    expected = reference.score(*given, 0.95, balanced=True)
    np.testing.assert_allclose((found.value, found.low, found.high), expected)
    assert found.high > 2 / 3 + 1e-9


def test_rows_that_nobody_asked_for_are_no_test():
    learner = MinMarginClassifier(budget=20, random_state=0).teach(X[:30], y[:30])
    assert explored_score(learner).n_labels == 0
    learner.set_params(explore=0.5, batch_size=4)
    rows = learner.query(X)
    before = explored_score(learner)
    learner.teach(X[rows], y[rows])
    assert explored_score(learner).n_labels == 2 > before.n_labels


@pytest.mark.parametrize("is_trained", [True, False])
def test_folds_of_a_blend_train_only_its_members(monkeypatch, is_trained):
    candidates = [("a", LogisticRegression()), ("b", DecisionTreeClassifier())]
    blend = BlendClassifier(candidates, random_state=0)
    budget = 60 if is_trained else 79
    how = {"explore": 0.3, "budget": budget, "batch_size": 10, "random_state": 0}
    learner = HybridSamplingClassifier(blend, **how).fit(X, y)
    if not is_trained:  # one more, and weights come from 80 labels
        rest = np.setdiff1d(np.arange(len(X)), learner.queried_indices_)
        learner.teach(X[rest], y[rest])
    weighed, found = [], BlendClassifier._weigh_candidates
    monkeypatch.setattr(
        BlendClassifier,
        "_weigh_candidates",
        lambda *given: weighed.append(1) or found(*given),
    )
    estimate = explored_score(learner)
    assert len(weighed) <= (not is_trained)  # 60 labels have the weights of 40
    known = learner._ledger.labelled
    labels = learner.classes_[known.codes]
    is_random = learner._ledger.probabilities[learner._ledger.taught] < 1
    whole = clone(learner.estimator_).fit_in_order(known.rows, labels)
    given = Refitted(whole), known.rows, labels, is_random
    expected = reference.score(*given, 0.95, balanced=False)
    np.testing.assert_allclose((estimate.value, estimate.low, estimate.high), expected)


class Refitted(ClassifierMixin, BaseEstimator):
    def __init__(self, whole):
        self.whole = whole

    def __sklearn_clone__(self):
        return self

    def fit(self, X, y):
        return self.whole.refit(X, y)


def test_one_label_of_a_second_class_says_nothing():
    labels = np.array(["a"] * 80)
    learner = PassiveClassifier(budget=40, random_state=0).fit(X, y)
    labels[learner.queried_indices_[7]] = "b"
    learner = PassiveClassifier(budget=40, random_state=0).fit(X, labels)
    assert np.isnan(explored_score(learner).value)


@pytest.mark.parametrize("n_taught", [0, 5])
def test_without_two_classes_it_says_nothing(n_taught):
    learner = MinMarginClassifier()
    if n_taught:
        learner.teach(X[:n_taught], ["one"] * n_taught)
    estimate = explored_score(learner)
    assert np.isnan(estimate.value)
    assert (estimate.low, estimate.high, estimate.n_labels) == (0, 1, 0)


@pytest.mark.parametrize(
    ("learner", "error", "words"),
    [
        (CBGZClassifier(), TypeError, "online_score is for stream learners"),
        (LogisticRegression(), TypeError, "needs a pool learner"),
        (ActiveLabelPropagationClassifier(), ValueError, "does not follow"),
        (
            MinMarginClassifier(LogisticRegression(warm_start=True)),
            ValueError,
            "does not follow",
        ),
    ],
)
def test_refused(learner, error, words):
    with pytest.raises(error, match=words):
        explored_score(learner)


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"scoring": "f1"}, "scoring"), ({"confidence": 1.0}, "confidence")],
)
def test_bad_settings(settings, words):
    with pytest.raises(ValueError, match=words):
        explored_score(MinMarginClassifier(), **settings)
