"""The estimate from rows that were bought with unequal probabilities.

The levelled unbiased risk estimator of Farquhar, Gal & Rainforth (2021), of what the
losses differ by from what was expected of them, and an interval by the inversion of a
score test.
"""

import numpy as np
from scipy.special import stdtrit

from .._estimate import score_interval

#: Purchase probabilities for which the variance is worked out; more lie in between.
N_GRID = 64


def share_left(parts, order):
    """Return what part of a sum over all rows is left before each purchase."""
    return 1 - np.append(0.0, np.cumsum(parts[order])[:-1]) / parts.sum()


def step_probabilities(probabilities, order):
    """Return the probability of each purchase among the rows that were left then."""
    return np.minimum(probabilities[order] / share_left(probabilities, order), 1.0)


def lure_weights(steps, n_rows):
    """Return the weight of each purchase; their mean is 1 on average.

    Parameters
    ----------
    steps : ndarray of shape (n_bought,)
        Probability of each purchase among the rows that were left.
    n_rows : int
        In the pool.
    """
    n_left = n_rows - np.arange(len(steps))
    after = np.maximum(n_left - 1, 1)  # the last row of all has weight 1
    return 1 + (n_rows - len(steps)) / after * (1 / (n_left * steps) - 1)


def mean_excess(plan, order, losses):
    """Return the unbiased estimate of the mean excess, and the weights in it."""
    weights = lure_weights(step_probabilities(plan.probabilities, order), len(plan))
    rest = losses - plan.least[order] - plan.control[order]
    return plan.control.mean() + np.mean(weights * rest), weights


def estimate_mean(plan, order, losses):
    """Return the unbiased estimate of the mean loss of all rows."""
    return float(plan.least.mean() + mean_excess(plan, order, losses)[0])


def value_and_ends(plan, order, losses, confidence, interval):
    """Return an estimate and the ends of an interval, none where no mean can be."""
    low, high = plan.bounds(order, losses)
    if not len(order):
        return np.nan, low, high
    value = np.clip(estimate_mean(plan, order, losses), low, high)
    if len(order) > 1 and low < high:
        ends = *interval(plan, order, losses, confidence), value
        low, high = np.clip([min(ends), max(ends)], low, high)
    return value, low, high


def variance_factors(plan, order):
    """Return what squares of excess beyond the expected add to the variance.

    LURE is a mean, with weights a, of what each purchase alone estimates, and the
    errors of these are uncorrelated.

    Returns
    -------
    spread : ndarray of shape (n_rows,)
        Factor of each row's square: less the more likely it is bought.
    joint : float
        Factor of the square of their mean, to be taken off.
    """
    n, n_bought, q = len(plan), len(order), plan.probabilities
    n_left = n - np.arange(n_bought)
    a = n / n_bought * (n - n_bought) / (n_left * (n_left - 1))
    left = share_left(q, order)
    some = np.sort(q) if n <= N_GRID else np.geomspace(q.min(), q.max(), N_GRID)
    survival = np.maximum(1 - some[:, None] / left, 0.0).cumprod(axis=1)
    survival = np.column_stack([np.ones(len(some)), survival[:, :-1]])
    factors = n_bought / n * (survival @ (a**2 * left)) / some
    joint = n_bought * np.sum((a * share_left(plan.mean, order)) ** 2)
    return np.interp(q, some, factors), joint


def score_t_interval(plan, order, losses, confidence):
    """Return the interval of those mean losses that a score test does not reject.

    The variance of the estimate if the mean excess is x is ``slope * x + constant``
    less a square, divided by the number of rows bought; the slope is estimated from the
    labels and from what was expected, the latter with the weight of two labels.

    Parameters
    ----------
    plan : Plan
        What was expected.
    order : ndarray of int of shape (n_bought,)
        Rows in the order in which they were bought.
    losses : ndarray of shape (n_bought,)
        Their losses.
    confidence : float
        Nominal coverage.
    """
    value, weights = mean_excess(plan, order, losses)
    spread, joint = variance_factors(plan, order)
    control = plan.control
    excess = losses - plan.least[order]
    # shrunk: what the surrogate finds unlikely happens more often than it says
    shrunk = (0.7 * plan.chance + 0.3 * plan.chance.mean()) / np.where(
        plan.chance > 0, plan.chance, 1.0
    )
    expected = np.mean(spread * shrunk * (plan.square - 2 * plan.mean * control))
    prior = 2 * plan.square.mean() / plan.mean.mean()
    slope = (
        np.sum(weights * spread[order] * excess * (excess - 2 * control[order]))
        + prior * expected / np.mean(shrunk * plan.mean)
    ) / (np.sum(weights * excess) + prior)
    center = control.mean()
    low, high = score_interval(
        value,
        stdtrit(len(order) - 1, (1 + confidence) / 2) ** 2 / len(order),
        np.mean(spread * control**2) - joint * center**2,
        slope + 2 * joint * center,
        -joint,
    )
    return plan.least.mean() + low, plan.least.mean() + high
