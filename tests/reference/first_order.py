"""The one-pass samplers, slow and obvious, written from the paper.

Monteleoni & Kääriäinen (2007), Figure 1 (DKM) and Figure 2 (CBGZ). Rows are
built explicitly (unit norm, constant feature, divided by sqrt 2), each class
has a full weight vector, and nothing is shared with the package.
"""

import numpy as np


def uniform(seed, t):
    """SplitMix64 at its t-th state, as a number in [0, 1)."""
    mask = 2**64 - 1
    z = (int(seed) + (t + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return ((z ^ (z >> 31)) >> 11) * 2.0**-53


def build_row(x, normalize, fit_intercept):
    x = np.asarray(x, dtype=float)
    if normalize and np.any(x):
        x = x / np.linalg.norm(x)
    if fit_intercept:
        x = np.append(x, 1.0)
        if normalize:
            x = x / np.sqrt(2)
    return x


def dkm(R, threshold=1.0):
    """Figure 1: ask if |v.x| <= s; halve s after R correct labels in a row."""
    memory = {"s": threshold, "T": 0}

    def probability(margin, norm, n_updates):
        return float(margin <= memory["s"] * (1 + 1e-12))

    def learned(mistake):
        memory["T"] = 0 if mistake else memory["T"] + 1
        if memory["T"] >= R:
            memory["s"] /= 2
            memory["T"] = 0

    return probability, learned, memory


def cbgz(b):
    """Figure 2: ask with probability b / (b + |p|)."""
    return lambda margin, norm, n_updates: b / (b + margin), lambda mistake: None, {}


def cbgz_adaptive():
    """b = X^2 sqrt(1 + K), X the largest norm so far, K the updates so far."""
    memory = {"X": 0.0}

    def probability(margin, norm, n_updates):
        memory["X"] = max(memory["X"], norm)
        b = memory["X"] ** 2 * np.sqrt(1 + n_updates)
        return b / (b + margin) if margin > 0 else 1.0

    return probability, lambda mistake: None, memory


def random(rate):
    return lambda margin, norm, n_updates: rate, lambda mistake: None, {}


def run(
    X, y, n_classes, query_rule, *, update, seeds, eta, normalize, fit_intercept,
    seed, budget=np.inf, patience=np.inf, average=False, classes=None,
):  # fmt: skip
    """One pass. Returns weights (one vector per class), rows bought, clocks."""
    probability, learned, memory = query_rule
    rows = [build_row(x, normalize, fit_intercept) for x in X]
    W = np.zeros((n_classes, len(rows[0])))
    iterates, bought, n_updates, idle = [], [], 0, 0
    for t, (x, c) in enumerate(zip(rows, y, strict=True)):
        scores = W @ x
        ranked = np.sort(scores)
        margin = (ranked[-1] - ranked[-2]) / 2
        q = probability(margin, np.linalg.norm(x), n_updates)
        if classes is not None and classes.searches(len(bought)):
            q = 1.0
        may_ask = len(bought) < budget and idle < patience
        if not (may_ask and uniform(seed, t) < q):
            idle += may_ask
            continue
        idle = 0
        bought.append(t)
        rivals = np.where(np.arange(n_classes) == c, -np.inf, scores)
        r = int(np.argmax(rivals))
        z = (scores[c] - scores[r]) / 2
        if classes is not None:
            mean = np.mean(iterates, axis=0) if average and iterates else W
            classes.add(c, q, scores, mean @ x)
        if seeds and n_updates == 0:
            if np.any(x):
                W = np.outer(np.where(np.arange(n_classes) == c, 1.0, -1.0), x)
                n_updates += 1
            iterates.append(W.copy())
            continue
        step = 0.0
        if update == "perceptron" and z <= 0:
            step = eta
        if update == "dkm" and z < 0:
            step = -2 * z / (x @ x)
        if classes is not None:
            step *= classes.of_mistake(c)
        if step:
            W[c] += step * x
            W[r] -= step * x
            n_updates += 1
        iterates.append(W.copy())
        learned(step != 0)
    last = W
    if average and iterates:
        W = np.mean(iterates, axis=0)
    return {
        "W": W, "last": last, "bought": bought, "n_updates": n_updates,
        "memory": memory,
    }  # fmt: skip
