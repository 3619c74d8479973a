"""A mixture of rules, slow and obvious: every part of a purchase by itself.

The random draws are the ones of the learner.
"""

from itertools import pairwise
from math import floor

import numpy as np

from .herding import herd, local_similarity, points_of, squared, typical, uncertainty
from .pool import drawn, equal_last, highest, seed_of


def random_part(share, left, wanted, seed):
    """Draw a share of a purchase; a part of a row with that probability."""
    rng = np.random.default_rng((*seed, 2))
    places = spread(share, wanted, rng.random())
    chosen = rng.choice(len(left), sum(places), replace=False)
    return places, [left[k] for k in chosen]


def spread(share, n, u):
    """Say which of n places a share has: its number is floor(share k + u) after k."""
    counts = [floor(share * k + u) for k in range(n + 1)]
    return [counts[k + 1] > counts[k] for k in range(n)]


def copy_radius(P, i, least):
    """Return a third of the distance at the far end of the widest gap of distances."""
    k = min(max(2, len(P) // 10), len(P) - 1)
    nearest = [max(d, least) for d in sorted(squared(P[i], q) for q in P)[1 : k + 1]]
    ratios = [far / near for near, far in pairwise(nearest)]
    if not ratios:
        return 0.0
    widest = [ratio >= (1 - 1e-6) * max(ratios) for ratio in ratios].index(True)
    return nearest[widest + 1] ** 0.5 / 3


def margin_part(X, P, uncertain, known, left, wanted, seed):
    """List the least certain rows, near-copies of another one last."""
    rng = np.random.default_rng(seed)
    worth = np.array([uncertain[i] for i in left])
    order = equal_last(X, highest(worth, np.array(left), len(left), rng))
    first, last, least = [], [], 1e-10 * typical(P)
    for i in order[: max(500, 10 * wanted)]:
        distances = [squared(P[i], P[j]) ** 0.5 for j in [*known, *first[:wanted]]]
        is_copy = distances and min(distances) < copy_radius(P, i, least)
        (last if is_copy else first).append(i)
    return [*first, *last][:wanted]


def purchases(
    estimator, X, y, *, explore, n_initial, batch_size, budget, random_state, share
):
    """List the rows that are bought, in order, and which of them were drawn."""
    seed, P = seed_of(random_state), points_of(X)
    similarity = local_similarity(P)
    bought, random, n_rounds = [], [], 0
    while len(bought) < min(budget, len(X)):
        now = seed, n_rounds
        n_rounds += 1
        left = [i for i in range(len(X)) if i not in bought]
        is_first = len(bought) < n_initial
        batch = n_initial - len(bought) if is_first else batch_size
        batch = min(batch, len(left))
        wanted = min(batch, budget - len(bought))
        known = set(y[bought])
        if not is_first and len(known) < 2:
            bought += drawn(X, np.array(left), wanted, np.random.default_rng(now))
            continue
        part = max(explore, 0.4) if is_first else explore
        places, drawn_now = random_part(part, left, batch, now)
        others = [i for i in left if i not in drawn_now]
        n_own = min(batch_size, len(others))
        weights, kinds, certain = np.ones(len(X)), [False] * batch, []
        if not is_first:
            weights = uncertainty(estimator, X, y, bought, calibrate=False)
            u = np.random.default_rng((*now, 3)).random()
            kinds = spread(share(len(bought), len(known)), n_own, u)
            seen = [*bought, *drawn_now]
            if n_own:
                certain = margin_part(X, P, weights, seen, others, sum(kinds), now)
        n_now = wanted - sum(places[:wanted])
        covered = [*bought, *drawn_now, *certain]
        others = [i for i in others if i not in certain]
        different = [i for i in others if not any(all(X[i] == X[j]) for j in certain)]
        if len(different) >= n_now - sum(kinds[:n_now]):
            others = different
        herded = herd(
            X, similarity, covered, others, weights, n_now - sum(kinds[:n_now]), now
        )
        own = [(certain if kind else herded).pop(0) for kind in kinds[:n_now]]
        for is_random in places[:wanted]:
            bought.append((drawn_now if is_random else own).pop(0))
            if is_random:
                random.append(bought[-1])
    return bought, random
