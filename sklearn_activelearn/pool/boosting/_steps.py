"""Steps down the cost: what boosting is made of."""

from dataclasses import dataclass

import numpy as np

from ..._beginning import unfitted_copy
from ..._containers import take
from ...batch._columns import whole_weights
from ._cost import BoostingCost
from ._ensemble import Committee, likeliest


class BoostingSample:
    """Rows of the pool and labelled rows from elsewhere, for all committees.

    Parameters
    ----------
    rows : rows
        As the weak learner likes them best.
    codes : ndarray of int of shape (n_samples,)
        Class of each labelled row, anything for the others.
    labels : ndarray of int of shape (n_samples,)
        `UNLABELLED`, `LEFT_OUT`, or 1 for a row with a label.
    alpha : float
        What a row without a label counts.
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

    def classes_of(self, scores):
        """Return the label, or for these scores the pseudo-label, of each row."""
        return np.where(self.labels == 1, self.codes, likeliest(scores))

    def train(self, prototype, targets, weights):
        """Return a clone trained on the rows that count, weighted to mean 1 or so."""
        weights = weights[self.counting]
        # by a power of two: nothing is rounded that decides between equals
        scale = 2.0 ** -np.round(np.log2(weights.sum() / len(weights)))
        return unfitted_copy(prototype).fit(
            self.training_rows, targets[self.counting], sample_weight=scale * weights
        )


@dataclass(frozen=True)
class Boosting:
    """A committee on the way down its cost, on the rows of a sample.

    Parameters
    ----------
    sample : Sample
        The rows.
    cost : BoostingCost
        What to lower.
    targets : ndarray of int of shape (n_samples,)
        Labels and pseudo-labels, -1 and 1; they stay what they are.
    committee : Committee
        The members so far.
    scores : ndarray of shape (n_samples,)
        What they give the rows.
    error : float
        Weighted error of the member that was tried last.
    """

    sample: BoostingSample
    cost: BoostingCost
    targets: np.ndarray
    committee: Committee
    scores: np.ndarray
    error: float | None = None

    def restarted(self):
        """Return the same without members."""
        none = Committee(soft=self.committee.soft)
        return self._with(none, np.zeros_like(self.scores), self.error)

    def discrete_step(self, prototype, shrinkage=1.0):
        """Return what a step of AdaBoost makes of it.

        It has no more members if the new one is no better than chance.
        """
        weights = self.cost.weights(self.scores, self.targets)
        member = self.sample.train(prototype, self.targets, weights)
        vote = self.committee.vote(member, self.sample.rows)
        # whole numbers: the sum does not depend on the order of the rows
        whole, missed = whole_weights(weights), vote != self.targets
        error = float(whole[missed].sum() / whole.sum())
        least = max(error, 0.5 / self.cost.total)  # half a row
        odds = (1 - least) / least
        if odds <= 1:
            return self._with(self.committee, self.scores, error)
        return self._plus(member, shrinkage / 2 * np.log(odds), vote, error)

    def newton_step(self, prototype):
        """Return what a Newton step makes of it: a member votes by probabilities."""
        weights = self.cost.weights(self.scores, self.targets)
        member = self.sample.train(prototype, self.targets, weights)
        vote = self.committee.vote(member, self.sample.rows)
        return self._plus(member, 1.0, vote, self.error)

    def _plus(self, member, weight, vote, error):
        committee = self.committee.plus(member, weight)
        return self._with(committee, self.scores + weight * vote, error)

    def _with(self, committee, scores, error):
        # quicker than `replace`
        known = self.sample, self.cost, self.targets
        return Boosting(*known, committee, scores, error)


def start_boosting(sample, code, likely, committee, scores):
    """Return what boosts a committee for one class against the others.

    Parameters
    ----------
    sample, committee, scores
        As for `Boosting`.
    code : int
        The class.
    likely : ndarray of int of shape (n_samples,)
        Class of each row, known or guessed.
    """
    targets = np.where(likely == code, 1, -1)
    return Boosting(sample, sample.cost(code), targets, committee, scores)
