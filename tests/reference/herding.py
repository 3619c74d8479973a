"""MaxHerding and Uncertainty Herding, slow and obvious: all sums again for each row.

The random draws are the ones of the learners: a generator for each row of a round.
"""

from math import exp, log

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.base import clone

from .pool import drawn, folds_of, highest, seed_of


def points_of(X):
    """Every column by its deviation, or its range; rows of one length as they are."""
    lengths = [sum(x**2) ** 0.5 for x in X if any(x)]
    if min(lengths, default=0) >= 0.999 * max(lengths, default=0):
        return X
    return np.column_stack([alike(column) for column in X.T])


def alike(column):
    """A column in its own unit; a constant one tells nothing."""
    if len(set(column)) == 1:
        return 0 * column
    if sum(column == 0) > len(column) / 2:
        return column / max(abs(column))
    return column / column.std()


def squared(x, z):
    """The squared distance."""
    return sum((x - z) ** 2)


def typical(P):
    """The median squared distance of points that are not the same."""
    apart = [squared(P[i], P[j]) for i in range(len(P)) for j in range(i)]
    return np.median([d for d in apart if d > 1e-10 * max(apart)] or [1.0])


def global_radius(P, known):
    """The typical squared radius, or that of known rows to the nearest other one."""
    wide = typical(P)
    if len(known) < 2:
        return wide
    nearest = [min(squared(P[i], P[j]) for j in known if j != i) for i in known]
    narrow = np.median(np.sqrt(nearest)) ** 2
    return min(wide, narrow) if narrow > 1e-10 * wide else wide


def global_similarity(P, width):
    """The similarity of every two rows, with one squared radius for all."""
    return [[exp(-squared(p, q) / width) for q in P] for p in P]


def local_similarity(P):
    """The same with a radius for each row: the distance to a tenth of the others."""
    k = min(max(1, len(P) // 10), len(P) - 1)  # the first one is the row itself
    least = 1e-10 * typical(P)
    radii = [max(sorted(squared(p, q) for q in P)[k], least) ** 0.5 for p in P]
    return [
        [exp(-squared(p, q) / (s * t)) for q, t in zip(P, radii, strict=True)]
        for p, s in zip(P, radii, strict=True)
    ]


def herd(X, similarity, known, left, weights, wanted, seed):
    """List the rows that raise the coverage most, one after another."""
    chosen, equal = [], []
    for step in range(wanted):
        rng = np.random.default_rng((*seed, step))
        open_ = [i for i in left if i not in chosen and i not in equal]
        open_ = open_ or [i for i in left if i not in chosen]
        covered = [
            max((similar[k] for k in [*known, *chosen]), default=0)
            for similar in similarity
        ]
        gains = [
            sum(
                w * max(similar[i] - c, 0)
                for similar, w, c in zip(similarity, weights, covered, strict=True)
            )
            / len(X)
            for i in open_
        ]
        chosen += highest(np.array(gains), np.array(open_), 1, rng)
        equal += [i for i in left if all(X[i] == X[chosen[-1]])]
    return chosen


def uncertainty(estimator, X, y, rows, calibrate):
    """1 minus the gap between the two highest probabilities."""
    model = clone(estimator).fit(X[rows], y[rows])
    T = temperature(estimator, X[rows], y[rows]) if calibrate else 1.0
    out = []
    for p in np.maximum(model.predict_proba(X), 1e-12):
        scaled = p ** (1 / T) / sum(p ** (1 / T))
        *_, second, first = sorted(scaled)
        out.append(1 - (first - second))
    return out


def temperature(estimator, X, y):
    """That of the likeliest labels in cross-validation, with a prior."""
    if not (folds := folds_of(y, 5)):
        return 1.0
    said = []
    for train, test in folds:
        model = clone(estimator).fit(X[train], y[train])
        for i in test:
            if y[i] in model.classes_:
                p = np.maximum(model.predict_proba(X[i : i + 1])[0], 1e-12)
                said.append((p, list(model.classes_).index(y[i])))

    def loss(a):
        likelihood = [
            log(p[right] ** exp(-a)) - log(sum(p ** exp(-a))) for p, right in said
        ]
        return a**2 / 2 - sum(likelihood)

    return exp(minimize_scalar(loss, bounds=(-3, 3), method="bounded").x)


def purchases(
    estimator, X, y, *, radius, calibrate, n_initial, batch_size, budget, random_state
):
    """List the rows that Uncertainty Herding buys, in order."""
    seed, P, bought, n_rounds = seed_of(random_state), points_of(X), [], 0
    while len(bought) < min(budget, len(X)):
        left = [i for i in range(len(X)) if i not in bought]
        wanted = n_initial - len(bought) if len(bought) < n_initial else batch_size
        wanted = min(wanted, budget - len(bought), len(left))
        weights = np.ones(len(X))
        if len(bought) >= n_initial and len(set(y[bought])) < 2:
            rng = np.random.default_rng((seed, n_rounds))
            bought += drawn(X, np.array(left), wanted, rng)
            n_rounds += 1
            continue
        if len(bought) >= n_initial:
            weights = np.array(uncertainty(estimator, X, y, bought, calibrate))
            weights[bought] = 0
        similarity = (
            local_similarity(P)
            if radius == "local"
            else global_similarity(P, global_radius(P, bought))
        )
        bought += herd(X, similarity, bought, left, weights, wanted, (seed, n_rounds))
        n_rounds += 1
    return bought


def maximal_coverage(X, n_wanted, random_state):
    """List the first rows with ``initial="herding"``."""
    P, seed = points_of(X), (seed_of(random_state), 0)
    similarity = global_similarity(P, typical(P))
    return herd(X, similarity, [], range(len(X)), np.ones(len(X)), n_wanted, seed)
