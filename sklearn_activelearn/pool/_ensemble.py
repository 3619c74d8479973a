"""The committee that boosting makes: a weighted sum of classifiers."""

from functools import reduce

import numpy as np
from scipy.special import softmax
from sklearn import config_context

from .._containers import n_rows


class BoostedEnsemble:
    r"""Classifier that scores classes by a weighted vote, F = sum_t omega_t f_t.

    A member that predicts class c gives it :math:`2 - 2/K` and every other class
    :math:`-2/K`; one that votes by its probabilities gives class k
    :math:`2 p_k - 2/K`. For two classes that is 1 and -1, :math:`2p - 1` and
    :math:`1 - 2p`.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Labels, sorted.
    estimators : tuple of classifier
        The members, trained on some or all of these classes.
    weights : tuple of float
        The weight of each, :math:`\omega_t`.
    soft : bool
        Whether members vote by their probabilities.
    """

    def __init__(self, classes=None, estimators=(), weights=(), soft=False):
        self.classes_ = classes
        self.estimators_ = estimators
        self.estimator_weights_ = weights
        self.soft = soft

    def plus(self, estimator, weight):
        """Return this ensemble with one more member."""
        return BoostedEnsemble(
            self.classes_,
            (*self.estimators_, estimator),
            (*self.estimator_weights_, weight),
            self.soft,
        )

    def voting_on(self, classes):
        """Return the same members with these classes, some of which may be new."""
        return BoostedEnsemble(
            classes, self.estimators_, self.estimator_weights_, self.soft
        )

    def vote(self, estimator, X):
        """Return what a member gives each class, as an array (n_rows, n_classes)."""
        votes = np.full((n_rows(X), len(self.classes_)), -2 / len(self.classes_))
        if self.soft:
            known = np.searchsorted(self.classes_, estimator.classes_)
            votes[:, known] += 2 * estimator.predict_proba(X)
        else:
            votes += 2 * (estimator.predict(X)[:, None] == self.classes_)
        return votes

    def staged_scores(self, X):
        """Yield the scores (n_rows, n_classes) of the first member, the first two, ...

        Parameters
        ----------
        X : rows, or what the members take in their place
            Rows.
        """
        scores = np.zeros((n_rows(X), len(self.classes_)))
        for t, (estimator, weight) in enumerate(
            zip(self.estimators_, self.estimator_weights_, strict=True)
        ):
            with config_context(assume_finite=t > 0 or None):  # one look is enough
                scores = scores + weight * self.vote(estimator, X)
            yield scores

    def scores(self, X):
        """Return the scores (n_rows, n_classes) of all members together."""
        nothing = np.zeros((n_rows(X), len(self.classes_)))
        return reduce(lambda _, scores: scores, self.staged_scores(X), nothing)

    def decision_function(self, X):
        """Return F: one score for each class, or that of ``classes_[1]`` of two."""
        scores = self.scores(X)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def predict_proba(self, X):
        """Return exp(F_k), scaled to sum 1."""
        return softmax(self.scores(X), axis=1)

    def predict(self, X):
        """Return the class with the highest score, the first of equals."""
        return self.classes_[self.scores(X).argmax(axis=1)]
