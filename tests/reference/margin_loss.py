"""The margin-loss samplers, slow and obvious, written from the paper.

Guillory, Chastain & Bilmes (2009): the losses of Section 2 and Figure 3 (left),
the greedy selection of Section 2.4. Rows are built explicitly, each class has a
full weight vector, and nothing is shared with the package.
"""

import numpy as np

from tests.reference.first_order import build_row, uniform


def hinge(z):
    return max(0.0, 1 - z)


def ramp(z, t):
    return min(max(1 - z, 0.0), t + 1)


def log_ramp(z, t):
    if z > 1:
        return 0.0
    if z >= -t:
        return 1 - z
    return t + 1 + np.log(1 - t - z)


def root_ramp(z, t, s):
    if z > 1:
        return 0.0
    if z >= -t:
        return 1 - z
    return t + 1 - 1 / s + 1 / s * (1 - t - z) ** s


def sigmoid(z):
    return 1 / (1 + np.exp(z))


def smooth_hinge(z, h):
    if abs(1 - z) <= h:
        return (1 + h - z) ** 2 / (4 * h)
    return 1 - z if z < 1 else 0.0


def smooth_ramp(z, t, h):
    return smooth_hinge(z, h) - smooth_hinge(z + 1 + t, h)


def hinge_slope(z):
    return -1.0 if z < 1 else 0.0


def ramp_slope(z, t):
    return -1.0 if -t < z < 1 else 0.0


def log_ramp_slope(z, t):
    if z >= 1:
        return 0.0
    return -1.0 if z >= -t else -1 / (1 - t - z)


def root_ramp_slope(z, t, s):
    if z >= 1:
        return 0.0
    return -1.0 if z >= -t else -((1 - t - z) ** (s - 1))


def sigmoid_slope(z):
    return -np.exp(-abs(z)) / (1 + np.exp(-abs(z))) ** 2


def smooth_hinge_slope(z, h):
    if abs(1 - z) <= h:
        return -(1 + h - z) / (2 * h)
    return -1.0 if z < 1 else 0.0


def smooth_ramp_slope(z, t, h):
    return smooth_hinge_slope(z, h) - smooth_hinge_slope(z + 1 + t, h)


#: value, derivative and names of the parameters
LOSSES = {
    "hinge": (hinge, hinge_slope, ()),
    "ramp": (ramp, ramp_slope, ("t",)),
    "log_ramp": (log_ramp, log_ramp_slope, ("t",)),
    "root_ramp": (root_ramp, root_ramp_slope, ("t", "s")),
    "sigmoid": (sigmoid, sigmoid_slope, ()),
    "smooth_hinge": (smooth_hinge, smooth_hinge_slope, ("h",)),
    "smooth_ramp": (smooth_ramp, smooth_ramp_slope, ("t", "h")),
}


def curves(name, **params):
    """Value and derivative of a loss as functions of z alone."""
    value, slope, needs = LOSSES[name]
    params = {key: params[key] for key in needs}
    return (lambda z: value(z, **params)), (lambda z: slope(z, **params))


def tight(slope):
    """q(a) = min(max(|l'(a)|, |l'(-a)|), 1)."""
    return lambda a: min(max(abs(slope(a)), abs(slope(-a))), 1.0)


def margin_gain(slope):
    """The step of an adaptive learner: 2, or the largest margin at which it asks."""
    q = tight(slope)
    return max(a / 100 for a in range(1, 201) if q(a / 100) > 0)


def adapted(labelled, gains, x):
    """What an adaptive step of 1 adds to the weights; lengthens both lists."""
    labelled.append(x)
    rows = np.array(labelled)
    n_present = np.maximum(np.count_nonzero(rows, axis=0), 1)
    rms = np.sqrt((rows**2).sum(axis=0) / n_present)
    direction = np.divide(x, rms, out=np.zeros_like(x), where=x != 0)
    if not np.any(x):
        return direction
    gains.append(x @ direction)
    n = len(gains)
    return n / (n + 10) * direction / np.mean(gains)


def run(
    X, y, n_classes, slope, q, *, eta, power=0.0, adaptive=False, n_warm_start=0, m=1,
    normalize, fit_intercept, seed, budget=np.inf, patience=np.inf, average=False,
    classes=None,
):  # fmt: skip
    """One pass: Figure 3 (left) for m = 1, greedy selection for m > 1.

    Returns weights (one vector per class), rows bought, weights l' / q.
    """
    rows = [build_row(x, normalize, fit_intercept) for x in X]
    W = np.zeros((n_classes, len(rows[0])))
    iterates, bought, weights, idle = [], [], [], 0
    labelled, gains = [], []
    for start in range(0, len(rows), m):
        group = range(start, min(start + m, len(rows)))
        ranked = [np.sort(W @ rows[i]) for i in group]
        margins = [(r[-1] - r[-2]) / 2 for r in ranked]
        i = group[int(np.argmin(margins))]
        warm = len(bought) < n_warm_start
        probability = 1.0 if warm or q is None else q(min(margins))
        if classes is not None and m == 1 and classes.searches(len(bought)):
            probability = 1.0
        may_ask = len(bought) < budget and idle < patience
        if not (may_ask and uniform(seed, start) < probability):
            idle += len(group) * may_ask
            continue
        idle = 0
        bought.append(i)
        x, c = rows[i], y[i]
        scores = W @ x
        rivals = np.where(np.arange(n_classes) == c, -np.inf, scores)
        r = int(np.argmax(rivals))
        z = (scores[c] - scores[r]) / 2
        weights.append(hinge_slope(z) if warm else slope(z) / probability)
        step = -eta * len(bought) ** -power * weights[-1]
        if classes is not None:
            mean = np.mean(iterates, axis=0) if average and iterates else W
            classes.add(c, probability, scores, mean @ x)
            step *= classes.of_gradient(c)
        direction = adapted(labelled, gains, x) if adaptive else x
        W[c] += step * direction
        W[r] -= step * direction
        iterates.append(W.copy())
    if average and iterates:
        W = np.mean(iterates, axis=0)
    return {"W": W, "bought": bought, "weights": weights}
