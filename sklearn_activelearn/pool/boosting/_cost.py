"""The one cost of all boosting learners, of rows with and without a label.

With labels y of -1 or 1 for l of l + u rows, and a committee F,

    C_S(F) = 1/(l + u) (sum over rows with a label   exp(-y F(x))
                        + alpha sum over the others   exp(-|F(x)|))

A row without a label counts as if the sign of F, its pseudo-label, were its label, but
only with weight alpha. Boosting lowers the sum; what its next member is trained with
are the terms, as weights. More classes than two have a committee for each of them,
against the others.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

#: In place of a label: none, or the row does not count at all.
UNLABELLED, LEFT_OUT = 0, 2


@dataclass(frozen=True)
class BoostingCost:
    """The cost functional of some rows.

    Parameters
    ----------
    labels : ndarray of int of shape (n_samples,)
        -1 or 1, `UNLABELLED` or `LEFT_OUT`.
    alpha : float in [0, 1]
        What a row without a label counts.
    """

    labels: np.ndarray
    alpha: float

    @cached_property
    def counts(self):
        """What each row counts: 1, alpha or nothing."""
        return np.array([1.0, self.alpha, 1.0, 0.0])[self.labels + 1]

    @cached_property
    def is_labelled(self):
        """Whether each row has a label."""
        return np.abs(self.labels) == 1

    @cached_property
    def total(self):
        """What all rows count together."""
        n_unlabelled = np.count_nonzero(self.labels == UNLABELLED)
        return np.count_nonzero(self.is_labelled) + self.alpha * n_unlabelled

    def targets(self, scores):
        """Return each row's label, or pseudo-label, for the scores F(x)."""
        return np.where(self.is_labelled, self.labels, np.where(scores > 0, 1, -1))

    def __call__(self, scores, targets=None):
        """Return C_S(F) for the scores F(x).

        With `targets`, these are the labels and pseudo-labels, whatever the scores.
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
            Label or pseudo-label of each row, not always that of these scores.
        """
        margins = targets * scores
        least = margins[self.counts > 0].min(initial=np.inf)
        # rows that do not count may be far below, and are 0
        return self.counts * np.exp(np.minimum(least - margins, 0))
