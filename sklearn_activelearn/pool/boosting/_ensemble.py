"""The committees that boosting makes: weighted sums of classifiers."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit, softmax
from sklearn import config_context

from ..._containers import n_rows


@dataclass(frozen=True)
class Committee:
    r"""A weighted sum of classifiers of two classes, F = sum_t omega_t f_t.

    Parameters
    ----------
    estimators : tuple of classifier
        The members, trained on labels -1 and 1.
    weights : tuple of float
        The weight of each.
    soft : bool
        Whether members vote by their probabilities: 2p - 1 in place of -1 or 1.
    """

    estimators: tuple = ()
    weights: tuple = ()
    soft: bool = False

    def plus(self, estimator, weight):
        """Return this committee with one more member."""
        members = (*self.estimators, estimator), (*self.weights, weight)
        return Committee(*members, self.soft)

    def vote(self, estimator, X):
        """Return f(x) of a member for each row."""
        if self.soft:
            return estimator.predict_proba(X) @ estimator.classes_
        return estimator.predict(X).astype(float)

    def staged_scores(self, X):
        """Yield F(x) of no member, of the first, of the first two, ...

        Parameters
        ----------
        X : rows, or what the members take in their place
            Rows.
        """
        scores = np.zeros(n_rows(X))
        yield scores
        for t, weight in enumerate(self.weights):
            with config_context(assume_finite=t > 0 or None):  # one check is enough
                scores = scores + weight * self.vote(self.estimators[t], X)
            yield scores

    def scores(self, X):
        """Return F(x) for each row."""
        for scores in self.staged_scores(X):
            total = scores
        return total


class BoostedClassifier:
    """Classifier made of one committee for two classes, or one for each of more.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Labels, sorted.
    committees : tuple of Committee
        The one for ``classes[1]``, or those of all classes.
    """

    def __init__(self, classes=None, committees=()):
        self.classes_ = classes
        self.committees_ = committees

    @property
    def estimators_(self):
        """All members."""
        return [member for each in self.committees_ for member in each.estimators]

    @property
    def estimator_weights_(self):
        """Their weights."""
        return [weight for each in self.committees_ for weight in each.weights]

    def decision_function(self, X):
        """Return F, for more classes than two a column for each."""
        return joint([committee.scores(X) for committee in self.committees_])

    def staged_decision_function(self, X):
        """Yield the decision values of 1, 2, ... members of each committee."""
        stages = [list(committee.staged_scores(X)) for committee in self.committees_]
        for t in range(1, max(map(len, stages))):
            yield joint([scores[min(t, len(scores) - 1)] for scores in stages])

    def predict_proba(self, X):
        """Return 1 / (1 + exp(-2 F)), for more classes than two scaled to sum 1."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-2 * scores), expit(2 * scores)])
        return softmax(log_expit(2 * scores), axis=1)

    def predict(self, X):
        """Return the class with the highest score, the first of equals."""
        return self.classes_[likeliest(self.decision_function(X))]


def joint(scores):
    """Return the scores of one committee, or a column for each of several."""
    return np.column_stack(scores) if len(scores) > 1 else scores[0]


def likeliest(scores):
    """Return the position of the class with the highest score for each row."""
    return (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
