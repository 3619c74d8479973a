"""Which candidate is chosen: by what score, and which one of equals."""

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC

from sklearn_activelearn import PassiveClassifier, QueryByCommitteeClassifier
from sklearn_activelearn.base._labels import stratified_folds
from sklearn_activelearn.pool._training import middle_of_best
from tests.tools import problem

X, y = problem(60, 4, noise=1.0)
GRID = {"C": [1e-4, 0.01, 1.0, 100.0]}
LEARNERS = [PassiveClassifier, QueryByCommitteeClassifier]
each_learner = pytest.mark.parametrize("learner", LEARNERS)


def by_scikit_learn(scoring, X, y, grid=GRID, n_folds=5):
    """Return the scores of the grid by scikit-learn's cross-validation."""
    fold, _ = stratified_folds(np.unique(y, return_inverse=True)[1], n_folds)
    counts = np.bincount(fold)
    return [
        np.average(
            cross_val_score(
                LogisticRegression(C=C), X, y, cv=PredefinedSplit(fold), scoring=scoring
            ),
            weights=counts,
        )
        for C in grid["C"]
    ]


@pytest.mark.parametrize(
    ("learner", "scoring"),
    [
        (PassiveClassifier, "accuracy"),
        (QueryByCommitteeClassifier, "neg_log_loss"),
        (PassiveClassifier, "balanced_accuracy"),
        (QueryByCommitteeClassifier, "roc_auc"),
        (QueryByCommitteeClassifier, make_scorer(accuracy_score)),
    ],
    ids=["accuracy", "neg_log_loss", "balanced_accuracy", "roc_auc", "own"],
)
def test_scores_are_those_of_scikit_learn(learner, scoring):
    rows = slice(0, 33)  # folds of unequal size
    fitted = learner(param_grid=GRID, scoring=scoring).teach(X[rows], y[rows])
    expected = by_scikit_learn(scoring, X[rows], y[rows])
    np.testing.assert_allclose(fitted.cv_scores_, expected)
    assert fitted.best_index_ == middle_of_best(np.array(expected))
    assert GRID["C"][fitted.best_index_] == fitted.estimator_.C


def test_votes_weigh_as_much_as_accuracies():
    learner = QueryByCommitteeClassifier(param_grid=GRID, scoring="neg_log_loss", cv=3)
    learner.teach(X, y)
    accuracies = by_scikit_learn("accuracy", X, y, n_folds=3)
    weights = accuracies / np.sum(accuracies)
    np.testing.assert_allclose(learner.vote_weights_, weights)
    rows, utility = learner.query(3 * X[::-1], return_utility=True)
    votes = [member.predict(3 * X[::-1][rows])[0] for member in learner.estimators_]
    shares = [weights[np.array(votes) == label].sum() for label in np.unique(votes)]
    np.testing.assert_allclose(utility, entropy(shares), rtol=1e-12)
    assert (learner.cv_scores_ < 0).all()
    assert not hasattr(PassiveClassifier().teach(X, y), "vote_weights_")


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        ([0.5, 0.7, 0.7, 0.7, 0.6], 2),
        ([0.7, 0.7, 0.5], 0),
        ([0.7, 0.5, 0.7], 0),
        ([0.7, 0.5, 0.7, 0.7], 2),
        ([1.0] * 7, 3),
        ([1.0] * 4, 1),
        ([-3.0, -0.1 - 1e-13, -0.1, -0.1 + 1e-13, -2.0], 2),
        ([-0.3, -0.29, -0.28], 2),
        ([-1e-6, -1e-7], 1),
    ],
    ids=str,
)
def test_the_middle_of_equals(scores, best):
    assert middle_of_best(np.array(scores)) == best


@each_learner
def test_one_label_of_a_class_takes_the_middle_candidate(learner):
    rows = np.r_[np.flatnonzero(y == "no")[:5], np.flatnonzero(y == "yes")[:1]]
    for grid, middle in (
        (GRID["C"], 0.01),
        (GRID["C"][:3], 0.01),
        (GRID["C"][1:], 1.0),
    ):
        fitted = learner(param_grid={"C": grid}).teach(X[rows], y[rows])
        assert fitted.cv_scores_.tolist() == [1] * len(grid)
        assert fitted.model_names_[fitted.best_index_] == str({"C": middle})


@each_learner
def test_a_fold_may_lack_a_class(learner):
    names = np.where(np.arange(60) == 7, "rare", y)
    fitted = learner(param_grid=GRID, scoring="neg_log_loss").teach(X, names)
    assert (fitted.cv_scores_ > -2).all()  # one row of 60 costs 36 / 60
    assert (fitted.cv_scores_ < -0.6).all()
    assert fitted.score(X, names) > 0.5


@each_learner
@pytest.mark.parametrize(
    ("scoring", "error", "words"),
    [
        ("log_loss", ValueError, r"scoring='log_loss' is not a scorer"),
        (None, TypeError, "scoring must be the name"),
        (3, TypeError, "scoring must be the name"),
        (["accuracy"], TypeError, "scoring must be the name"),
        (accuracy_score, ValueError, "metric function"),
    ],
)
def test_a_wrong_scoring_is_named(learner, scoring, error, words):
    untouched = learner(param_grid=GRID, scoring=scoring)
    with pytest.raises(error, match=words):
        untouched.query(X)
    assert not hasattr(untouched, "n_queries_")


@each_learner
def test_probabilities_are_asked_for_at_the_door(learner):
    mixed = [("bayes", GaussianNB()), ("svm", LinearSVC())]
    refused = learner(estimators=mixed, scoring="neg_log_loss")
    with pytest.raises(TypeError, match=r'"neg_log_loss" needs.*which LinearSVC'):
        refused.fit(X, y)
    few = {"budget": 30, "batch_size": 5, "random_state": 0}
    suits = learner(estimators=mixed, scoring="f1_macro", **few)
    assert suits.fit(X, y).score(X, y) > 0.7
    assert learner(SVC(), scoring="accuracy", **few).fit(X, y).score(X, y) > 0.7


@each_learner
def test_a_score_that_is_no_number_is_named(learner):
    def nothing(model, X, y):
        return np.nan

    with pytest.raises(ValueError, match="scoring must be finite, got nan"):
        learner(param_grid=GRID, scoring=nothing, budget=20).fit(X, y)
