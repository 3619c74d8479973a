"""A test with chosen rows, from the formulas, one row at a time."""

from math import prod, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.stats import t


def expected(losses, chances):
    """Least loss of a row, expected excess, its square, and whether there is any."""
    least = min(losses)
    pairs = list(zip(losses, chances, strict=True))
    return (
        least,
        sum(p * (loss - least) for loss, p in pairs),
        sum(p * (loss - least) ** 2 for loss, p in pairs),
        sum(p for loss, p in pairs if loss > least),
    )


def purchase_probabilities(table, chances, mix):
    """Probability of each row to be the first."""
    rows = [expected(*row) for row in zip(table, chances, strict=True)]
    doubts = [sqrt(max(square - mean**2, 0)) for _, mean, square, _ in rows]
    if sum(doubts) == 0:
        return [1 / len(rows)] * len(rows)
    return [mix / len(rows) + (1 - mix) * doubt / sum(doubts) for doubt in doubts]


def probability_of(order, q):
    """Probability of a sequence of purchases."""
    return prod(q[i] / (1 - sum(q[j] for j in order[:m])) for m, i in enumerate(order))


def lure(order, q, values, n):
    """Weighted mean of the estimates that each purchase makes, the last ones most."""
    n_bought, total = len(order), 0.0
    if n_bought == n:
        return sum(values) / n
    for m, i in enumerate(order, start=1):
        left = 1 - sum(q[j] for j in order[: m - 1])
        single = (sum(values[: m - 1]) + values[m - 1] * left / q[i]) / n
        weight = n / n_bought * (n - n_bought) / ((n - m) * (n - m + 1))
        total += weight * single
    return total


def factors(order, q, mean):
    """Return the weights of the rows bought, and two parts of the variance."""
    n, n_bought, q = len(q), len(order), np.array(q)
    v, spread, joint, survival = [], np.zeros(n), 0.0, np.ones(n)
    for m, i in enumerate(order, start=1):
        left = 1 - sum(q[j] for j in order[: m - 1])
        v.append(1 + (n - n_bought) / (n - m) * (left / ((n - m + 1) * q[i]) - 1))
        weight = n / n_bought * (n - n_bought) / ((n - m) * (n - m + 1))
        # the squares of what this purchase alone is wrong by, on average
        spread += n_bought / n * weight**2 * survival * left / q
        others = sum(mean) - sum(mean[order[: m - 1]])
        joint += n_bought * (weight * others / sum(mean)) ** 2
        survival *= [max(1 - q_j / left, 0) for q_j in q]
    return v, spread, joint


def score_test(x, order, q, losses, rows, confidence):
    """Return True unless a mean loss is rejected; `rows`: all rows of `expected`."""
    n, n_bought = len(q), len(order)
    least, mean, square, chance = np.transpose(rows)
    v, spread, joint = factors(order, q, mean)
    center, excess = mean.mean(), losses - least[order]
    value = center + np.mean(v * (excess - mean[order]))
    more = (0.7 * chance + 0.3 * chance.mean()) / chance
    prior = 2 * sum(square) / sum(mean)
    unseen = sum(spread * more * (square - 2 * mean**2)) / sum(more * mean)
    seen = sum(
        v[m] * spread[i] * excess[m] * (excess[m] - 2 * mean[i])
        for m, i in enumerate(order)
    )
    slope = (seen + prior * unseen) / (sum(v * excess) + prior)
    x = x - least.mean()
    variance = slope * x + sum(spread * mean**2) / n
    variance -= joint * (x - center) ** 2
    quantile = t.ppf((1 + confidence) / 2, n_bought - 1)
    return (x - value) ** 2 <= quantile**2 / n_bought * variance


def capital(x, order, q, losses, rows, most, n_shares):
    """Most that the players ever had who bet against a mean loss."""
    n = len(q)
    center = [least + mean for least, mean, _, _ in rows]
    lowest = min((rows[i][0] - center[i]) / q[i] for i in range(n))
    highest = max((most[i] - center[i]) / q[i] for i in range(n))
    players, largest = [1.0] * (2 * n_shares), 1.0
    for m, i in enumerate(order):
        left = 1 - sum(q[j] for j in order[:m])
        told = sum(losses[k] - center[j] for k, j in enumerate(order[:m]))
        to_come = n * x - sum(center) - told
        gain = (losses[m] - center[i]) * left / q[i] - to_come
        for k in range(n_shares):
            share = (k + 1) / (n_shares + 1)
            players[k] *= 1 + share * gain / (to_come - lowest * left)
            players[n_shares + k] *= 1 - share * gain / (highest * left - to_come)
        largest = max(largest, sum(players) / len(players))
    return largest


def balanced_error(order, q, codes, wrong, chances):
    """Errors of the classes and shares of the classes, from labels of all of them."""
    n, n_classes = np.shape(wrong)
    shares, errors = [], []
    for k in range(n_classes):
        is_own = np.array(codes) == k
        p, own_wrong = chances[:, k], wrong[order, k]
        rows = p.mean() + lure(order, q, is_own - p[order], n)
        mistakes = (p * wrong[:, k]).mean()
        mistakes += lure(order, q, (is_own - p[order]) * own_wrong, n)
        shares.append(max(rows, sum(is_own) / n))
        errors.append(min(max(mistakes / shares[k], 0), 1))
    return np.array(errors), np.array(shares)


def balanced_bounds(order, q, codes, wrong):
    """Ends of what the balanced error can be: all other rows may be of each class."""
    least, most = [], []
    for k in range(np.shape(wrong)[1]):
        mistakes = [
            wrong[i, k] for i, code in zip(order, codes, strict=True) if code == k
        ]
        rest = len(q) - len(order)
        least.append(sum(mistakes) / (len(mistakes) + rest))
        most.append((sum(mistakes) + rest) / (len(mistakes) + rest))
    return np.mean(least), np.mean(most)


def balanced_score_test(x, order, q, joint_of, codes, wrong, chances, confidence):
    """Return True unless a balanced error is rejected; `joint_of`: see `factors`."""
    (v, spread, joint), n_bought = factors(order, q, joint_of), len(order)
    n_classes = wrong.shape[1]
    errors, shares = balanced_error(order, q, codes, wrong, chances)
    value, counts = errors.mean(), [list(codes).count(k) for k in range(n_classes)]
    expected = (chances * wrong).sum(axis=0) / chances.sum(axis=0)
    start = [
        min(max((n_k * p + 2 * e) / (n_k + 2), 1e-4), 1 - 1e-4)
        for n_k, p, e in zip(counts, errors, expected, strict=True)
    ]

    def likely(shift):
        shifts = [shift * np.mean(counts) / n_k for n_k in counts]
        return np.array(
            [
                1 / (1 + (1 - p) / p * np.exp(-s))
                for p, s in zip(start, shifts, strict=True)
            ]
        )

    if min(value, np.mean(start)) <= x <= max(value, np.mean(start)):
        return True
    p = likely(brentq(lambda shift: likely(shift).mean() - x, -50, 50))
    moves = (wrong - p) / (n_classes * shares)
    control = (chances * moves).sum(axis=1)
    variance = np.mean(spread * control**2) - joint * control.mean() ** 2
    more = 0.7 * chances + 0.3 * chances.mean(axis=0)
    for k in range(n_classes):
        for outcome, share in ((1, p[k]), (0, 1 - p[k])):
            can = wrong[:, k] == outcome
            if not can.any():
                continue
            square = spread * (moves[:, k] ** 2 - 2 * moves[:, k] * control)
            total = 2 * np.average(square[can], weights=more[can, k])
            weight = 2.0
            for m, i in enumerate(order):
                if codes[m] == k and can[i]:
                    total += v[m] * square[i]
                    weight += v[m]
            variance += shares[k] * share * total / weight
    quantile = t.ppf((1 + confidence) / 2, n_bought - 1)
    return (x - value) ** 2 <= quantile**2 / n_bought * max(variance, 0)
