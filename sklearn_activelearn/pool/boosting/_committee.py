"""Committees, their cost, and the boosting steps that lower the cost."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit, softmax
from sklearn import config_context

from ...base._verbs import unfitted_copy
from ...batch._columns import whole_weights
from ...sources._containers import n_rows, take
from ...utils._compat import cached_property

#: Instead of a label: the row has none, or the row does not count at all.
UNLABELLED, LEFT_OUT = 0, 2


@dataclass(frozen=True)
class BoostingCost:
    """Cost functional of some rows.

    Parameters
    ----------
    labels : ndarray of int of shape (n_samples,)
        -1 or 1, `UNLABELLED` or `LEFT_OUT`.
    alpha : float in [0, 1]
        Weight of a row without a label.
    """

    labels: np.ndarray
    alpha: float

    @cached_property
    def counts(self):
        """Weight of each row: 1, alpha or 0."""
        return np.array([1.0, self.alpha, 1.0, 0.0])[self.labels + 1]

    @cached_property
    def total(self):
        """Sum of the weights of all rows."""
        n_labelled = np.count_nonzero(np.abs(self.labels) == 1)
        return n_labelled + self.alpha * np.count_nonzero(self.labels == UNLABELLED)

    def targets(self, scores):
        """Return the label of each row, or its pseudo-label for the scores F(x)."""
        is_labelled = np.abs(self.labels) == 1
        return np.where(is_labelled, self.labels, np.where(scores > 0, 1, -1))

    def __call__(self, scores, targets=None):
        """Return C_S(F) for the scores F(x).

        The labels and pseudo-labels are `targets`, or follow from the scores.
        """
        targets = self.targets(scores) if targets is None else targets
        margins, counts = targets * scores, self.counts > 0
        n_rows = np.count_nonzero(self.labels != LEFT_OUT)
        with np.errstate(over="ignore"):  # infinite for scores beyond 700
            terms = self.counts[counts] * np.exp(-margins[counts])
        return float(np.sum(terms) / n_rows)

    def weights(self, scores, targets):
        """Return the terms of the sum, up to a common factor.

        Parameters
        ----------
        scores : ndarray of shape (n_samples,)
            F(x) of each row.
        targets : ndarray of int of shape (n_samples,)
            Label or pseudo-label of each row, possibly of earlier scores.
        """
        margins = targets * scores
        least = margins[self.counts > 0].min(initial=np.inf)
        # rows that do not count may lie far below; their weight is 0
        return self.counts * np.exp(np.minimum(least - margins, 0))


@dataclass(frozen=True)
class Committee:
    r"""A weighted sum of classifiers of two classes, F = sum_t omega_t f_t.

    Parameters
    ----------
    estimators : tuple of classifier
        Members, trained on labels -1 and 1.
    weights : tuple of float
        Weight of each member.
    soft : bool
        Members vote by their probabilities, 2p - 1, instead of -1 or 1.
    """

    estimators: tuple = ()
    weights: tuple = ()
    soft: bool = False

    def vote(self, estimator, X):
        """Return f(x) of a member for each row."""
        if self.soft:
            return estimator.predict_proba(X) @ estimator.classes_
        return estimator.predict(X).astype(float)

    def staged_scores(self, X):
        """Yield F(x) of no member, of the first member, of the first two, ..."""
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
    """Classifier with one committee for two classes, or one for each of more classes.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        Labels, sorted.
    committees : tuple of Committee
        The committee for ``classes[1]``, or the committees of all classes.
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
        """Weights of all members."""
        return [weight for each in self.committees_ for weight in each.weights]

    def decision_function(self, X):
        """Return F, for more than two classes with a column for each class."""
        return stack_scores([committee.scores(X) for committee in self.committees_])

    def staged_decision_function(self, X):
        """Yield the decision values of 1, 2, ... members of each committee."""
        stages = [list(committee.staged_scores(X)) for committee in self.committees_]
        for t in range(1, max(map(len, stages))):
            yield stack_scores([scores[min(t, len(scores) - 1)] for scores in stages])

    def predict_proba(self, X):
        """Return 1 / (1 + exp(-2 F)), for more than two classes scaled to sum 1."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-2 * scores), expit(2 * scores)])
        return softmax(log_expit(2 * scores), axis=1)

    def predict(self, X):
        """Return the class with the highest score, the first of equal ones."""
        return self.classes_[highest_class(self.decision_function(X))]


def stack_scores(scores):
    """Return the scores of one committee, or a column for each of several."""
    return np.column_stack(scores) if len(scores) > 1 else scores[0]


def highest_class(scores):
    """Return the position of the class with the highest score for each row."""
    return (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)


class BoostingSample:
    """Pool rows, and labelled rows that are not in the pool, for all committees.

    Parameters
    ----------
    rows : rows
        In the form that the weak learner reads fastest.
    codes : ndarray of int of shape (n_samples,)
        Class of each labelled row; any number for the others.
    labels : ndarray of int of shape (n_samples,)
        `UNLABELLED`, `LEFT_OUT`, or 1 for a labelled row.
    alpha : float
        Weight of a row without a label.
    """

    def __init__(self, rows, codes, labels, alpha):
        self.rows, self.codes, self.labels, self.alpha = rows, codes, labels, alpha
        counts = BoostingCost(labels, alpha).counts
        if counts.all():
            self.counting, self.training_rows = slice(None), rows
        else:
            self.counting = np.flatnonzero(counts)
            self.training_rows = take(rows, self.counting)

    def cost(self, code):
        """Return the cost of a committee for one class against the others."""
        labels = self.labels.copy()
        is_labelled = labels == 1
        labels[is_labelled] = np.where(self.codes[is_labelled] == code, 1, -1)
        return BoostingCost(labels, self.alpha)

    def train(self, prototype, targets, weights):
        """Return a clone trained on the rows that count, with mean weight about 1."""
        weights = weights[self.counting]
        # a power of two: no rounding decides between equal splits
        scale = 2.0 ** -np.round(np.log2(weights.sum() / len(weights)))
        return unfitted_copy(prototype).fit(
            self.training_rows, targets[self.counting], sample_weight=scale * weights
        )


class Boosting:
    """A committee for one class against the others, to which steps add members.

    Parameters
    ----------
    sample : BoostingSample
        The rows.
    code : int
        The class.
    guesses : ndarray of int of shape (n_samples,)
        Class of each row, known or guessed; it does not change.
    committee : Committee
        The members so far.
    scores : ndarray of shape (n_samples,)
        Scores of the committee for the rows.
    """

    def __init__(self, sample, code, guesses, committee, scores):
        self.sample, self.cost = sample, sample.cost(code)
        self.targets = np.where(guesses == code, 1, -1)
        self.committee, self.scores = committee, scores

    def adaboost_step(self, prototype, shrinkage=1.0):
        """Add a member that votes -1 or 1, if it is better than chance.

        Returns
        -------
        goes_on : bool
            True if a member was added, and the member is not without error.
        """
        weights, member, vote = self._new_member(prototype)
        # whole numbers: the sum does not depend on the order of the rows
        whole, missed = whole_weights(weights), vote != self.targets
        error = float(whole[missed].sum() / whole.sum())
        least = max(error, 0.5 / self.cost.total)  # half a row
        odds = (1 - least) / least
        if odds <= 1:
            return False
        self._add(member, shrinkage / 2 * np.log(odds), vote)
        return error > 0

    def newton_step(self, prototype):
        """Add a member that votes by its probabilities; return the cost after it."""
        _, member, vote = self._new_member(prototype)
        self._add(member, 1.0, vote)
        return self.cost(self.scores, self.targets)

    def _new_member(self, prototype):
        weights = self.cost.weights(self.scores, self.targets)
        member = self.sample.train(prototype, self.targets, weights)
        return weights, member, self.committee.vote(member, self.sample.rows)

    def _add(self, member, weight, vote):
        self.committee = Committee(
            (*self.committee.estimators, member),
            (*self.committee.weights, weight),
            self.committee.soft,
        )
        self.scores = self.scores + weight * vote
