"""The one cost of all boosting learners, of rows with and without a label.

With labels for l of l + u rows, and scores F_k that a committee gives the classes,

    C_S(F) = 1/(l + u) (sum over rows with a label   exp(-F_y(x_i))
                        + alpha sum over the others   exp(-max_k F_k(x_i)))

A row without a label counts as if its most likely class, the pseudo-label, were its
label, but only with weight alpha. For two classes F_1 = -F_0 = F, and the terms are
the exp(-yF) and exp(-|F|) of the paper. Boosting lowers the sum; what its next member
is trained with are the terms, as weights.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

#: Codes of a row without a label, and of one that does not count at all.
UNLABELLED, LEFT_OUT = -1, -2


@dataclass(frozen=True)
class BoostingCost:
    """The cost functional of some rows.

    Parameters
    ----------
    codes : ndarray of int of shape (n_rows,)
        Class of each row, `UNLABELLED` or `LEFT_OUT`.
    alpha : float in [0, 1]
        What a row without a label counts.
    """

    codes: np.ndarray
    alpha: float

    @cached_property
    def counts(self):
        """What each row counts: 1, alpha or nothing."""
        return np.array([0.0, self.alpha, 1.0])[np.minimum(self.codes, 0) + 2]

    @cached_property
    def total(self):
        """What all rows count together."""
        n_labelled = np.count_nonzero(self.codes >= 0)
        return n_labelled + self.alpha * np.count_nonzero(self.codes == UNLABELLED)

    def targets(self, scores):
        """Return each row's label, or pseudo-label, the class scored highest."""
        return np.where(self.codes < 0, likeliest(scores), self.codes)

    def __call__(self, scores, targets=None):
        """Return C_S(F) for the scores F, an array (n_rows, n_classes).

        With `targets`, these are the labels and pseudo-labels, whatever the scores.
        """
        targets = self.targets(scores) if targets is None else targets
        n_rows = np.count_nonzero(self.codes != LEFT_OUT)
        with np.errstate(over="ignore"):  # infinite for scores beyond 700
            terms = np.exp(-of_class(scores, targets)[self.counts > 0])
        return float(np.sum(self.counts[self.counts > 0] * terms) / n_rows)

    def weights(self, scores, targets):
        """Return the terms of the sum, up to a common factor.

        Parameters
        ----------
        scores : ndarray of shape (n_rows, n_classes)
            F_k of each row.
        targets : ndarray of int of shape (n_rows,)
            Label or pseudo-label of each row, not always that of these scores.
        """
        margins = of_class(scores, targets)
        least = margins[self.counts > 0].min(
            initial=np.inf
        )  # others may be far below, and are 0
        return self.counts * np.exp(np.minimum(least - margins, 0))


def likeliest(scores):
    """Return for each row the class with the highest score, the first of equals."""
    if scores.shape[1] == 2:  # many times as fast
        return (scores[:, 1] > scores[:, 0]).astype(np.intp)
    return scores.argmax(axis=1)


def of_class(scores, codes):
    """Return for each row the score of one class."""
    return scores[np.arange(len(codes)), codes]
