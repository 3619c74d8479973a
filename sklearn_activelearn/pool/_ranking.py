"""The highest of many utilities, and rows that are not all the same."""

import numpy as np

#: Values that are worked on together: all at once take as much memory again.
BLOCK = 2**17


#: Half of the digits of a number.
HALF = np.sqrt(np.finfo(np.float64).eps)


def unit_of(values):
    """Return what two values may differ by that agree in half of their digits.

    That is so of most values: an outlier must not make all others equal.
    """
    return HALF * (median_size(values) or np.abs(values).max()) or 1.0


def coarse(values):
    """Return values such that those that agree in half of their digits are equal."""
    return np.round(values / unit_of(values))


def best(utility, n_wanted, seed):
    """Return the positions of the highest utilities, best first.

    Ties are broken at random, in the same order whatever `n_wanted`. Equal rows
    may differ in their last bits, which depend on where they stand in X: utilities
    that agree in half of their digits count as equal.
    """
    largest = max(utility.max(), -utility.min())
    last = highest(utility, n_wanted)
    near = at_least(utility, last - HALF * largest)
    if len(near) == 1:  # mostly, and without the price of a median
        return near
    unit = unit_of(utility)
    near = near[utility[near] >= last - unit]
    loss = -np.round(utility[near] / unit)
    order = np.argsort(loss, kind="stable")
    # draws go to places from the best on: further rows change none of them
    ties = np.random.default_rng(seed).random(len(near))
    return near[order[np.lexsort((ties, loss[order]))][:n_wanted]]


def in_blocks(values):
    """Yield the position of the first value of each block, and the block."""
    for start in range(0, len(values), BLOCK):
        yield start, values[start : start + BLOCK]


def highest(values, k):
    """Return the k-th highest value."""
    if len(values) <= BLOCK:
        return np.partition(values, -k)[-k]
    tops = [  # copies: a view would keep its whole block
        np.partition(block, -min(k, len(block)))[-k:].copy()
        for _, block in in_blocks(values)
    ]
    return np.partition(np.concatenate(tops), -k)[-k]


def at_least(values, least):
    """Return the positions of the values that are not lower."""
    if len(values) <= BLOCK:
        return np.flatnonzero(values >= least)
    found = [
        start + np.flatnonzero(block >= least) for start, block in in_blocks(values)
    ]
    return np.concatenate(found)


def median_size(values):
    """Return the median of the absolute values, with little memory for many of them.

    Values are counted by their first bits; those that may be in the middle are sorted.
    """
    if len(values) <= BLOCK:
        return np.median(np.abs(values))
    counts = sum(
        np.bincount(first_bits(block), minlength=2**16)
        for _, block in in_blocks(values)
    )
    until, n = np.cumsum(counts), len(values)
    low, high = np.searchsorted(until, [(n - 1) // 2, n // 2], side="right")
    middle = []
    for _, block in in_blocks(values):
        bits = first_bits(block)
        middle.append(np.abs(block[(bits >= low) & (bits <= high)]))
    middle = np.sort(np.concatenate(middle))
    n_lower = until[low] - counts[low]
    return (middle[(n - 1) // 2 - n_lower] + middle[n // 2 - n_lower]) / 2


def first_bits(values):
    """Return the first 16 bits of the absolute values, which order them."""
    return (np.abs(values).view(np.uint64) >> np.uint64(48)).astype(np.int64)


def best_of_different(utility, n_wanted, seed, traits):
    """Return the positions of the highest utilities, those that repeat a trait last.

    Parameters
    ----------
    utility : ndarray of shape (n_rows,)
        Higher is better.
    n_wanted : int
        How many.
    seed : tuple of int
        Breaks ties.
    traits : list of callable
        ``trait(positions)`` returns what rows may have in common, of shape
        (n_positions,) or (n_positions, n). Rows that repeat most traits come last.
    """
    if n_wanted == 1:
        return best(utility, 1, seed)
    n_considered = n_wanted
    while True:
        n_considered = min(4 * n_considered, len(utility))
        order = best(utility, n_considered, seed)
        n_repeated = sum(repeats(trait(order)).astype(int) for trait in traits)
        is_done = np.count_nonzero(n_repeated == 0) >= n_wanted
        if is_done or n_considered == len(utility):
            return order[np.argsort(n_repeated, kind="stable")[:n_wanted]]


def repeats(values):
    """Whether each value has come before."""
    _, first = np.unique(values, axis=0, return_index=True)
    out = np.ones(len(values), dtype=bool)
    out[first] = False
    return out


class DistinctFirst:
    """Rows that are chosen one after another, equal ones last.

    Parameters
    ----------
    keys : ndarray of shape (n_rows,)
        Equal for equal rows.
    """

    def __init__(self, keys):
        self.keys = keys
        self.is_left, self.is_new = np.ones((2, len(keys)), dtype=bool)

    @property
    def open(self):
        """Positions of those from which the next one is chosen."""
        return np.flatnonzero(self.is_new if self.is_new.any() else self.is_left)

    def keep(self, positions):
        """Leave all rows out but these."""
        others = np.delete(np.arange(len(self.keys)), positions)
        self.is_left[others] = self.is_new[others] = False

    def choose(self, k):
        """Take the row at this position."""
        self.is_left[k] = False
        self.is_new[self.keys == self.keys[k]] = False
