"""The choice among scored rows."""

import numpy as np

from .._containers import n_rows, take
from .._requests import Purchase

NO_ROWS = np.empty(0, dtype=np.int64)
NOTHING = Purchase(NO_ROWS, np.empty(0), np.empty(0))


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
