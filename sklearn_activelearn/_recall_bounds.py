"""How many relevant rows a collection can have, given those that were read.

Rows are read one after the other, some because a model ranked them high, others drawn
at random from all unread ones. The bounds use the random ones alone, so they hold
whatever the model does.
"""

from math import ceil, floor, inf, log
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, logsumexp
from scipy.stats import binom, hypergeom

from ._typing import Bools, Floats

#: Share of the stake on few relevant rows being unread; the rest is on any number.
NEAR = 0.95
#: Up to which number of relevant rows each has a stake of its own, and the quotient of
#: those that have one beyond.
EACH, FACTOR = 1_000, 1.05


class Reads(NamedTuple):
    """The rows of a collection that were read, in order.

    Attributes
    ----------
    relevant : ndarray of bool of shape (n_read,)
        Whether each is relevant.
    drawn : ndarray of bool of shape (n_read,)
        Whether it was drawn at random from all rows that were unread then.
    n_rows : int
        How many rows the collection has.
    """

    relevant: Bools
    drawn: Bools
    n_rows: int

    @property
    def found(self) -> int:
        """How many relevant rows were read."""
        return int(np.count_nonzero(self.relevant))

    @property
    def n_unread(self) -> int:
        """How many rows were not read."""
        return self.n_rows - len(self.relevant)


def least_bad_total(found: int, recall: float) -> int:
    """Return how many relevant rows there are at least if the recall is missed."""
    # recalls such as .95 are no binary fractions: 19 of 20 is .95
    return floor(found / recall + 1e-9) + 1


def prior(n_missed: int, n_most: int) -> tuple[Floats, Floats]:
    """Return numbers of relevant rows among the unread, and the stake on each.

    Of large numbers only some, with the stake on all up to the next.

    Parameters
    ----------
    n_missed : int
        So many that the recall would be missed.
    n_most : int
        The largest number.

    Returns
    -------
    numbers, weights : ndarray of shape (n_numbers,)
        The weights add up to 1 or less.
    """
    ends = np.arange(min(n_most, EACH) + 2.0)
    if n_most > EACH:
        n_steps = int(log(n_most / EACH) / log(FACTOR)) + 2
        ends = np.append(ends[:-1], np.ceil(EACH * FACTOR ** np.arange(1, n_steps)))
    mean = n_missed**1.5 / 30  # measured, too
    near = (mean / (1 + mean)) ** ends
    far = 1 / (ends + 1)
    weights = -NEAR * np.diff(near) - (1 - NEAR) * np.diff(far)
    return ends[:-1], weights


def most_bad_found(total: int, recall: float) -> int:
    """Return the largest number found with which so many in all miss the recall."""
    return ceil(recall * (total - 1e-9)) - 1


def log_evidence(reads: Reads, total: int, recall: float) -> float:
    """Return the evidence from the random rows that fewer than `total` are relevant.

    It is the logarithm of the likelihood of what was drawn if the rows that were found
    to miss the recall are all there are, by its likelihood if `total` rows are
    relevant. If so many are, the ratio is a martingale: with probability 1 - alpha its
    logarithm never reaches ``log(1 / alpha)``. Where it is positive, it grows with the
    total.

    Parameters
    ----------
    reads : Reads
        The rows that were read.
    total : int
        How many rows are relevant in all, by hypothesis.
    recall : float
        The target.
    """
    totals = np.array([most_bad_found(total, recall), total])
    logs = log_likelihoods(reads, totals)
    if not len(logs):
        return 0.0
    own, by_hypothesis = logs[-1].tolist()
    # infinite if so many there cannot be
    return inf if by_hypothesis == -inf else own - by_hypothesis


def log_likelihoods(reads: Reads, totals: Floats, start: int = 0) -> Floats:
    """Return the logarithms of the probabilities of what was drawn.

    Each random row counts with a factor that all totals share.

    Parameters
    ----------
    reads : Reads
        The rows that were read.
    totals : ndarray of shape (n_totals,)
        How many rows are relevant in all.
    start : int, default=0
        From which of the random rows on.

    Returns
    -------
    logs : ndarray of shape (n_drawn - start, n_totals)
        After each random row.
    """
    (at,) = np.nonzero(reads.drawn)
    at = at[start:]
    relevant = np.asarray(reads.relevant, dtype=bool)
    found = (np.cumsum(relevant) - relevant)[at]  # before each
    n_left = (reads.n_rows - at)[:, None]
    remaining = totals - found[:, None]
    chances = np.where(relevant[at, None], remaining, n_left - remaining)
    is_possible = (remaining >= 0) & (chances > 0)
    logs = np.log(np.where(is_possible, chances, 1))
    return np.cumsum(np.where(is_possible, logs, -np.inf), axis=0)


def log_ratios(reads: Reads, total: int, recall: float, start: int = 0) -> Floats:
    """Return the logarithm of a mixture of such ratios after each random row.

    Parameters
    ----------
    reads, total
        As for `log_evidence`.
    recall : float
        The target, for which there is most evidence.
    start : int, default=0
        From which of the random rows on; the stakes are chosen then.

    Returns
    -------
    logs : ndarray of shape (n_drawn - start,)
    """
    at = np.flatnonzero(reads.drawn)[start:]
    first = int(np.count_nonzero(reads.relevant[: at[0]])) if len(at) else 0
    if not len(at) or total <= first:
        return np.zeros(len(at))
    n_missed = least_bad_total(first, recall) - first
    numbers, weights = prior(n_missed, total - 1 - first)
    logs = log_likelihoods(reads, np.append(first + numbers, total), start)
    if logs[-1, -1] == -np.inf:  # so many there cannot be
        return np.full(len(at), np.inf)
    return logsumexp(logs[:, :-1] - logs[:, -1:], axis=1, b=weights)


def log_evidence_from(reads: Reads, total: int, recall: float) -> float:
    """Return the evidence of a mixture, a part of which is for later random rows.

    For rows that are drawn while a model ranks: few relevant ones are left when most of
    the rows are drawn, and how many there were before is no longer of interest. Half of
    the stake is on all random rows. Of the other half, a part 1 / (k (k + 1)) is on
    those after the first 2 ** (k - 1), for k = 1, 2, ...

    Parameters
    ----------
    reads, total, recall
        As for `log_ratios`.
    """
    n_drawn = int(np.count_nonzero(reads.drawn))
    starts = [0, *(2**k for k in range(n_drawn.bit_length()) if 2**k < n_drawn)]
    logs = np.full((len(starts) + 1, n_drawn), -np.inf)
    shares = [0.5, *(0.5 / (k * (k + 1)) for k in range(1, len(starts)))]
    for line, start, share in zip(logs, starts, shares, strict=False):
        line[:start] = log(share)
        line[start:] = log(share) + log_ratios(reads, total, recall, start)
    logs[-1] = log(0.5 / len(starts))  # what is kept
    return float(logsumexp(logs, axis=0).max(initial=0.0))


def most_relevant(reads: Reads, alpha: float, recall: float) -> int:
    """Return how many rows are relevant at most, at every look together.

    Parameters
    ----------
    reads : Reads
        The rows that were read.
    alpha : float
        Probability that there are ever more.
    recall : float
        As for `log_ratios`.
    """
    low, high = reads.found, reads.found + reads.n_unread
    while low < high:  # evidence grows with the total
        middle = (low + high + 1) // 2
        if log_evidence_from(reads, middle, recall) >= log(1 / alpha):
            high = middle - 1
        else:
            low = middle
    return low


def most_by_sample(n_rows: int, n_drawn: int, n_relevant: int, alpha: float) -> int:
    """Return how many of some rows are relevant at most, given a random sample.

    It is the largest number for which so few in the sample have a probability above
    `alpha`, for one look at a sample whose size was chosen before.

    Parameters
    ----------
    n_rows : int
        How many rows the sample was drawn from.
    n_drawn, n_relevant : int
        How many were drawn, and how many of these are relevant.
    alpha : float
        Probability that there are more.
    """
    low, high = n_relevant, n_rows - n_drawn + n_relevant
    while low < high:
        middle = (low + high + 1) // 2
        if hypergeom.cdf(n_relevant, n_rows, middle, n_drawn) > alpha:
            low = middle
        else:
            high = middle - 1
    return low


def hypergeometric_p(relevant: Bools, n_rows: int, recall: float) -> float:
    """Return the p-value of the recall being missed, for rows read as if at random.

    From each row on, what was read since is taken for a random sample of what was
    unread then; the smallest p-value counts.

    Parameters
    ----------
    relevant : ndarray of bool of shape (n_read,)
        Whether each row that was read is relevant, in order.
    n_rows : int
        How many rows the collection has.
    recall : float
        The target.
    """
    n_read = len(relevant)
    (hits,) = np.nonzero(relevant)
    starts = np.append(0, hits + 1)
    starts = starts[starts < n_read]
    found = np.arange(len(starts))  # before each start
    missed = least_bad_total(len(hits), recall) - found
    n_left, n_since = n_rows - starts, n_read - starts
    is_possible = missed <= n_left
    if not len(starts):
        return 1.0
    if not is_possible.any():
        return 0.0
    p = cdf(len(hits) - found, n_left, np.minimum(missed, n_left), n_since)
    return float(np.where(is_possible, p, 0.0).min())


def cdf(counts, n_rows, n_relevant, n_drawn):
    """Return the distribution functions of hypergeometric distributions."""
    k = np.arange(counts.max() + 1)[:, None]
    n_others = n_rows - n_relevant
    is_in = (k <= counts) & (k <= n_relevant) & (k <= n_drawn)
    is_in &= n_drawn - k <= n_others
    k = np.where(is_in, k, 0)
    others = np.where(is_in, n_drawn - k, 0)
    factorials = gammaln(np.arange(n_rows.max() + 1) + 1)

    def choose(n, some):
        return factorials[n] - factorials[some] - factorials[n - some]

    logs = choose(n_relevant, k) + choose(n_others, others) - choose(n_rows, n_drawn)
    return np.exp(np.where(is_in, logs, -np.inf)).sum(axis=0).clip(max=1.0)


def rank_in_sample(n_relevant: int, recall: float, alpha: float) -> int | None:
    """Return how many relevant rows of a random sample must be read; None: too few.

    The smallest j with P(Bin(n_relevant, recall) <= j - 1) >= 1 - alpha: then fewer
    than j of them lie among the first share `recall` of all relevant rows.

    Parameters
    ----------
    n_relevant : int
        How many the sample has.
    recall, alpha : float
        The target, and the probability of missing it.
    """
    j = np.arange(1, n_relevant + 1)
    is_enough = binom.cdf(j - 1, n_relevant, recall) >= 1 - alpha
    return int(j[np.argmax(is_enough)]) if is_enough.any() else None
