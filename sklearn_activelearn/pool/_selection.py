"""How many rows are bought at a time, and which: the first ones, and each batch."""

from dataclasses import dataclass

import numpy as np

from .._containers import n_rows, take
from .._requests import Purchase

NO_ROWS = np.empty(0, dtype=np.int64)
NOTHING = Purchase(NO_ROWS, np.empty(0), np.empty(0))


@dataclass(frozen=True)
class Selection:
    """The first rows, drawn at random, and batches of those that are worth most.

    Parameters
    ----------
    n_initial : int
        How many are the first ones.
    batch_size : int
        How many are a batch.
    """

    n_initial: int
    batch_size: int

    def n_wanted(self, n_known):
        """Return how many to buy next, with so many taught or asked for."""
        return max(self.n_initial - n_known, 0) or self.batch_size

    def n_rounds(self, n_known, n_left):
        """Return in how many rounds so many labels that are left are bought."""
        n_first = min(max(self.n_initial - n_known, 0), n_left)
        return (n_first > 0) + -(-(n_left - n_first) // self.batch_size)

    def start(self, rows, n_wanted, seed):
        """Draw some of these rows at random."""
        chosen = np.random.default_rng(seed).permutation(rows)[:n_wanted]
        return drawn(chosen, n_wanted / len(rows))

    def batch(self, rows, utility, n_wanted, seed, like=None):
        """Choose those of these rows that have the highest utilities.

        Parameters
        ----------
        rows : ndarray of int of shape (n_rows,)
            Row numbers.
        utility : ndarray of shape (n_rows,)
            Higher is better.
        n_wanted : int
            How many.
        seed : tuple of int
            Breaks ties.
        like : ndarray of shape (n_rows,) or (n_rows, n), optional
            What the learner knows of the rows: of rows that are alike in that, one
            comes first and the others after all different ones.
        """
        if like is None or n_wanted == 1:
            chosen = best(utility, n_wanted, seed)
            return ranked(rows[chosen], utility[chosen])
        order = best(utility, len(rows), seed)
        _, first = np.unique(like[order], axis=0, return_index=True)
        first = np.sort(first)
        again = np.delete(np.arange(len(order)), first)
        chosen = order[np.append(first, again)[:n_wanted]]
        return ranked(rows[chosen], utility[chosen])


def drawn(rows, share, purposes=""):
    """Return the purchase of rows that were drawn at random."""
    n = len(rows)
    return Purchase(rows, np.full(n, share), np.full(n, np.nan), purposes)


def ranked(rows, utilities, purposes=""):
    """Return the purchase of the rows that are worth most."""
    return Purchase(rows, np.ones(len(rows)), utilities, purposes)


def finite_scores(utility, rows, model):
    """Return the utilities of these rows in double precision, if all are finite."""
    utility = np.asarray(utility, dtype=np.float64)
    is_finite = np.isfinite(utility)
    if not is_finite.all():
        row = rows[np.argmin(is_finite)]
        raise ValueError(f"{model} gives row {row} a score that is not finite.")
    return utility


def view(X, rows):
    """Return X and the row numbers, or only these rows if they are the smaller part.

    Taking rows copies them; working on some too many is cheaper than that.
    """
    if 2 * len(rows) >= n_rows(X):
        return X, rows
    return take(X, rows), slice(None)


def best(utility, n_wanted, seed):
    """Return the positions of the highest utilities, best first.

    Ties are broken at random, in the same order whatever `n_wanted`. Equal rows
    may differ in their last bits, which depend on where they stand in X: utilities
    that agree in half of their digits count as equal.
    """
    size, half = np.abs(utility), np.sqrt(np.finfo(np.float64).eps)
    last = np.partition(utility, -n_wanted)[-n_wanted]
    near = np.flatnonzero(utility >= last - half * size.max())
    if len(near) == 1:  # mostly, and without the price of a median
        return near
    # of most rows: one outlier must not make all others equal
    unit = half * (np.median(size) or size.max()) or 1.0
    near = near[utility[near] >= last - unit]
    loss = -np.round(utility[near] / unit)
    order = np.argsort(loss, kind="stable")
    # draws go to places from the best on: further rows change none of them
    ties = np.random.default_rng(seed).random(len(near))
    return near[order[np.lexsort((ties, loss[order]))][:n_wanted]]
