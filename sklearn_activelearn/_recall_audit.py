"""When to stop ranking and to draw unread rows at random, and what that costs."""

from math import log
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln
from scipy.stats import poisson

from ._recall_bounds import Reads, least_bad_total
from ._typing import Floats

#: An audit begins when no more than so many relevant rows are expected to be unread,
#: nor more than miss the target, and after irrelevant rows: as many in a row as this
#: share of all rows, divided by the number that misses the target. Measured on the
#: rankings of benchmarks/screening; it decides how many rows are read, no confidence.
EXPECTED, IN_A_ROW = 5, 0.2
#: Shares of the unread rows that an audit may read.
SHARES = np.linspace(0, 0.99, 100)
#: A probability that does not count in a mean of shares.
RARE = 1e-6


def is_audit_due(
    found: int, expected: float, n_since: int, n_rows: int, recall: float
) -> bool:
    """Return whether to stop ranking and to draw unread rows.

    Parameters
    ----------
    found : int
        How many relevant rows were read.
    expected : float
        How many are unread, by estimate.
    n_since : int
        How many rows were read since the last relevant one.
    n_rows : int
        How many rows there are.
    recall : float
        The target.
    """
    n_missed = least_bad_total(found, recall) - found
    is_few = expected <= min(EXPECTED, n_missed)
    return is_few and n_since >= IN_A_ROW * n_rows / n_missed


def audit_share(found: int, expected: float, recall: float, alpha: float) -> float:
    """Return which share of the unread rows an audit reads, about.

    Parameters
    ----------
    found : int
        How many relevant rows were read before.
    expected : float
        How many are unread, by estimate.
    recall, alpha : float
        The target, and the probability of missing it.
    """
    x = np.arange(poisson.ppf(1 - RARE, expected) + 1)  # more are hardly unread
    missed = np.array([least_bad_total(found + n, recall) - found for n in x])
    # certain after a share of the rows, x relevant ones among them
    ways = gammaln(missed + 1) - gammaln(x + 1) - gammaln(missed - x + 1)
    most = np.exp((log(alpha) - ways) / (missed - x))
    is_certain = most[:, None] >= 1 - SHARES
    shares = []
    for d in x:  # of d unread relevant rows a share has been read
        of_d = is_certain[np.rint(d * SHARES).astype(int), np.arange(len(SHARES))]
        shares.append(SHARES[np.argmax(of_d)] if of_d.any() else 1.0)
    chances = poisson.pmf(x, expected)
    return float(chances @ shares / chances.sum())


class Plan(NamedTuple):
    """When an audit begins, and when it ends, by estimate."""

    n_ranked: int  # rows to read before, the likeliest first
    n_rows: int  # to read in all until the recall is certain


def audit_plan(
    reads: Reads, probabilities: Floats, recall: float, alpha: float
) -> Plan:
    """Return when the audit begins, and what certainty costs.

    Parameters
    ----------
    reads : Reads
        The rows that were read.
    probabilities : ndarray of shape (n_unread,)
        Of the unread rows being relevant, in the order in which they would be read.
    recall, alpha : float
        The target, and the probability of missing it.
    """
    n_unread, found = len(probabilities), reads.found
    hits = np.append(0.0, np.cumsum(probabilities))
    expected = hits[-1] - hits
    n_missed = least_bad_total(found + round(hits[-1]), recall) - found
    n_missed = max(n_missed - round(hits[-1]), 1)
    is_few = expected <= min(EXPECTED, n_missed)
    n_ranked = int(np.argmax(is_few)) if is_few.any() else n_unread
    if n_ranked:  # the last relevant row is about there
        n_ranked += round(IN_A_ROW * reads.n_rows / n_missed)
    n_ranked = min(n_ranked, n_unread)
    share = audit_share(
        found + round(hits[n_ranked]), expected[n_ranked], recall, alpha
    )
    return Plan(n_ranked, n_ranked + round(share * (n_unread - n_ranked)))
