"""The share of labels that choosing them saves, with an interval."""

from typing import NamedTuple

import numpy as np

from ..evaluation._comparison import paired_t

#: Errors that differ by less are equal: what is left of sums.
ROUNDING = 1e-12

#: Shares of the labels that are tried.
N_SHARES = 500


class Savings(NamedTuple):
    """Which share of as many random labels the chosen ones need, with an interval.

    Infinite: more than they are. NaN: not known, because a run bought no labels.

    Attributes
    ----------
    needed, low, high : float
        1 for no savings. `low` is 0 if the fewest labels that were tried may do.
    """

    needed: float
    low: float
    high: float

    @property
    def is_known(self):
        """Whether there was something to compare."""
        return not np.isnan(self.needed)

    @property
    def is_clear(self):
        """Whether, with as many labels, chosen ones are better beyond noise."""
        return self.high <= 1

    @property
    def least(self):
        """The share of the labels that is saved at least, beyond noise."""
        return 1 - self.high

    @property
    def is_worse(self):
        """Whether, with as many labels, chosen ones are worse beyond noise."""
        return np.isinf(self.low)


def savings(curve, passive, confidence):
    """Return how few chosen labels do the work of as many random ones as were bought.

    Parameters
    ----------
    curve : LabelCurve
        Of a learner.
    passive : LabelCurve
        Of random labels, in the same runs.
    confidence : float
        Of the interval.

    Returns
    -------
    savings : Savings
        The interval holds each share s that a paired t-test over the runs does not
        refuse, and what lies between them: on average over further runs, the error
        with s times as many chosen labels may be that with all the random ones. At
        s = 1 it is the test of whether chosen labels are better than as many random
        ones. Between the counts at which it was measured, the error is a line.
    """
    chosen = [errors_of(curve, run) for run in range(len(curve.runs))]
    random = [errors_of(passive, run) for run in range(len(curve.runs))]
    bought = curve.n_bought
    if bought.min() == 0 or any(
        x[0] > n for (x, _), n in zip(random, bought, strict=True)
    ):
        return Savings(np.nan, np.nan, np.nan)
    first = max(x[0] / n for (x, _), n in zip(chosen, bought, strict=True))
    shares = np.geomspace(first, 1, N_SHARES)
    more = np.array(
        [
            np.interp(shares * n, *own) - np.interp(n, *other)
            for n, own, other in zip(bought, chosen, random, strict=True)
        ]
    )
    mean, low, high, _ = paired_t(more, confidence)
    may_do = low <= ROUNDING
    return Savings(
        needed=from_where(mean <= ROUNDING, shares),
        low=0.0 if may_do[0] else from_first(may_do, shares),
        high=from_where(high < -ROUNDING, shares),
    )


def errors_of(curve, run):
    """Return the label counts at which a run was scored, and what it lacked of 1."""
    is_known = ~np.isnan(curve.scores[run]) & (curve.n_labels < curve.n_bought[run])
    n_labels = np.append(curve.n_labels[is_known], curve.n_bought[run])
    scores = np.append(curve.scores[run, is_known], curve.final_scores[run])
    return n_labels, 1 - scores


def from_first(is_so, shares):
    """Return the first share for which something holds; inf for none."""
    return float(shares[is_so.argmax()]) if is_so.any() else np.inf


def from_where(is_so, shares):
    """Return the share from which on something holds; inf for none."""
    (exceptions,) = np.nonzero(~is_so)
    after = exceptions[-1] + 1 if len(exceptions) else 0
    return float(np.append(shares, np.inf)[after])
