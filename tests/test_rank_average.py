"""The average of ranks: alone, and as the model of relevance sampling."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_activelearn import RankAverageClassifier, RelevanceSamplingClassifier
from tests.reference import pool as reference
from tests.tools import problem

X, y = problem(80, 4, noise=0.5)
HALF = make_pipeline(
    make_column_transformer(("passthrough", slice(0, 2))), LinearSVC(C=0.1)
)
MEMBERS = [("half", HALF), ("all", LogisticRegression()), ("bayes", GaussianNB())]


@parametrize_with_checks(
    [RankAverageClassifier([("svm", LinearSVC()), ("bayes", GaussianNB())])]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def member_scores():
    """Return decision values, or log odds, of each member."""
    half, whole, bayes = (clone(member).fit(X, y) for _, member in MEMBERS)
    odds = np.diff(bayes.predict_joint_log_proba(X))[:, 0]
    return [half.decision_function(X), whole.decision_function(X), odds]


def test_mean_ranks_among_the_rows_of_fit():
    model = RankAverageClassifier(MEMBERS).fit(X, y)
    scores = np.transpose(member_scores())
    below = (rankdata(scores, axis=0) - 0.5) / len(X)
    at_zero = [
        np.interp(0, np.sort(column), (np.arange(len(X)) + 0.5) / len(X))
        for column in scores.T
    ]
    expected = (below - at_zero).mean(axis=1)
    np.testing.assert_allclose(model.decision_function(X), expected)
    second = model.predict(X) == "yes"
    np.testing.assert_array_equal(second, expected > 0)
    assert model.score(X, y) > 0.8


def test_members_have_names():
    model = RankAverageClassifier(MEMBERS).fit(X, y)
    assert model.named_estimators_["all"] is model.estimators_[1]


def test_one_member_predicts_as_it_does_alone():
    model = RankAverageClassifier([("one", LinearSVC(C=0.1))]).fit(X[:40], y[:40])
    alone = LinearSVC(C=0.1).fit(X[:40], y[:40])
    far = 100 * X  # beyond all scores of fit
    for rows in (X, far):
        assert model.predict(rows).tolist() == alone.predict(rows).tolist()
        order = np.argsort(alone.decision_function(rows))
        assert np.all(np.diff(model.decision_function(rows)[order]) > 0)


@pytest.mark.parametrize(
    ("container", "positive"), [(np.asarray, "no"), (csr_array, "yes")]
)
def test_relevance_sampling_ranks_the_rows_that_may_be_bought(container, positive):
    members = [("one", LinearSVC(C=0.1)), ("other", LogisticRegression(C=9.0))]
    model = RankAverageClassifier(members)
    learner = RelevanceSamplingClassifier(
        model, positive=positive, n_initial=4, batch_size=3, budget=10, random_state=0
    ).fit(container(X[:30]), y[:30])
    rank_sum = reference.rank_sum([member for _, member in members], positive)
    expected = reference.purchases(
        None, X[:30], y[:30], n_initial=4, batch_size=3, budget=10, random_state=0,
        needed=positive, together=rank_sum,
    )  # fmt: skip
    assert learner.queried_indices_.tolist() == expected


def test_a_memory_map_and_its_blocks(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.integers(-5, 6, size=(3_000, 4)).astype(float)
    labels = rows[:, 0] + rows[:, 1] > 6
    np.save(tmp_path / "rows.npy", rows)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    model = RankAverageClassifier([("a", LinearSVC(C=0.1)), ("b", LinearSVC(C=9.0))])
    bought = [
        RelevanceSamplingClassifier(model, budget=40, batch_size=7, random_state=0)
        .fit(pool, labels)
        .queried_indices_.tolist()
        for pool in (rows, mapped)
    ]
    assert bought[0] == bought[1]


class WithoutScores(ClassifierMixin, BaseEstimator):
    """A classifier without scores."""

    def fit(self, X, y):
        raise AssertionError


class NeverTrained(WithoutScores):
    """A classifier that may not be trained."""

    def predict_proba(self, X):
        raise AssertionError


@pytest.mark.parametrize(
    ("members", "labels", "error", "words"),
    [
        ([], y, ValueError, "estimators is empty"),
        ("svm", y, TypeError, "estimators must be a list of .name, classifier., got"),
        ([LinearSVC()], y, TypeError, "estimators must be a list of"),
        ([("a", LinearSVC()), ("a", LinearSVC())], y, ValueError, "not unique"),
        ([("a", KMeans())], y, TypeError, "must be a classifier"),
        ([("a", WithoutScores())], y, TypeError, "predict_proba"),
        (MEMBERS, np.arange(80) % 3, ValueError, "Only binary classification"),
        (MEMBERS, np.full(80, "no"), ValueError, "only one class"),
        ([("a", NeverTrained())], np.arange(80) / 3, ValueError, "Unknown label type"),
    ],
)
def test_what_is_refused(members, labels, error, words):
    with pytest.raises(error, match=words):
        RankAverageClassifier(members).fit(X, labels)


@pytest.mark.parametrize("score", [np.nan, np.inf])
def test_scores_that_are_not_finite_are_refused(score):
    class Lost(LogisticRegression):
        def decision_function(self, X):
            return np.where(X[:, 0] > 9, score, super().decision_function(X))

    model = RankAverageClassifier([("a", LogisticRegression()), ("b", Lost())])
    model.fit(X, y)
    with pytest.raises(ValueError, match=rf"got {score} for row 2 from the member 'b'"):
        model.predict(np.concatenate([X[:2], [[10, 0, 0, 0]]]))
    rows = np.concatenate([[[10, 0, 0, 0]], X[1:]])
    with pytest.raises(ValueError, match=rf"got {score} for row 0 from the member 'b'"):
        model.fit(rows, y)
