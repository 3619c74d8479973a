"""An interval that may be read after every label: a betting confidence sequence.

For each mean loss that is possible somebody bets, purchase by purchase, that the losses
are higher, or lower, than if it were the right one. Against the right one nobody gets
rich, whenever it is read: the others are ruled out once they lost so much.
"""

import numpy as np
from scipy.special import logsumexp

#: Shares of the most that may be bet: what each pair of players puts on each purchase.
SHARES = np.arange(1, 9)[:, None] / 9

N_GRID = 400


def betting_interval(plan, order, losses, confidence):
    """Return the ends of the mean losses that no purchase has ruled out.

    As Waudby-Smith & Ramdas (2024), for unequal probabilities as Shekhar et al. (2023).
    Parameters as for `score_t_interval`.
    """
    low, high = plan.bounds(order, losses)
    for _ in range(2):  # the second time nearer to the ends
        if low >= high:
            break
        means = np.linspace(low, high, N_GRID)
        wealth = largest_wealth(plan, order, losses, means)
        left = wealth < -np.log1p(-confidence)
        left[wealth.argmin()] = True
        first, last = np.flatnonzero(left)[[0, -1]]
        low, high = means[max(first - 1, 0)], means[min(last + 1, N_GRID - 1)]
    return float(low), float(high)


def largest_wealth(plan, order, losses, means):
    """Return the log of the most that was ever won against each mean loss.

    All players begin with 1 in sum.
    """
    n, q = len(plan), plan.probabilities
    control = plan.least + plan.control
    rest = (losses - control[order]) / n
    least = ((plan.least - control) / q).min() / n
    most = ((plan.most - control) / q).max() / n
    left = 1 - np.append(0.0, np.cumsum(q[order])[:-1])
    drawn = rest / q[order] * left  # on average what is to come, if none is known
    to_come = means - control.mean()
    wealth = np.zeros((2 * len(SHARES), len(means)))
    largest = np.zeros(len(means))
    for step in range(len(order)):
        gain = drawn[step] - to_come
        up = gain / np.maximum(to_come - least * left[step], 1e-12)
        down = -gain / np.maximum(most * left[step] - to_come, 1e-12)
        wealth += np.log1p(np.concatenate([SHARES * up, SHARES * down]))
        largest = np.maximum(largest, logsumexp(wealth, axis=0) - np.log(len(wealth)))
        to_come = to_come - rest[step]
    return largest
