"""A mixture of rules, slow and obvious: every part of a purchase by itself.

The random draws are the ones of the learner.
"""

from math import floor

import numpy as np
from sklearn.utils import check_random_state

from .herding import herd, local_similarity, points_of, uncertainty
from .pool import drawn, equal_last, highest


def random_part(share, left, wanted, seed):
    """Draw a share of a purchase; a part of a row with that probability."""
    rng = np.random.default_rng((*seed, 2))
    n = min(floor(share * wanted + rng.random()), wanted)
    return [left[k] for k in rng.choice(len(left), n, replace=False)]


def margin_part(X, uncertain, left, wanted, seed):
    """List the least certain rows, equal ones last."""
    rng = np.random.default_rng(seed)
    worth = np.array([uncertain[i] for i in left])
    return equal_last(X, highest(worth, np.array(left), len(left), rng))[:wanted]


def purchases(
    estimator, X, y, *, explore, n_initial, batch_size, budget, random_state, share
):
    """List the rows that are bought, in order, and which of them were drawn."""
    seed = check_random_state(random_state).randint(np.iinfo(np.int64).max, size=1)[0]
    similarity = local_similarity(points_of(X))
    bought, random, n_rounds = [], [], 0
    while len(bought) < min(budget, len(X)):
        now = int(seed), n_rounds
        n_rounds += 1
        left = [i for i in range(len(X)) if i not in bought]
        is_first = len(bought) < n_initial
        wanted = n_initial - len(bought) if is_first else batch_size
        wanted = min(wanted, budget - len(bought), len(left))
        known = set(y[bought])
        if not is_first and len(known) < 2:
            bought += drawn(X, np.array(left), wanted, np.random.default_rng(now))
            continue
        part = max(explore, 0.4) if is_first else explore
        chosen = random_part(part, left, wanted, now)
        random += chosen
        weights, n_margin = np.ones(len(X)), 0
        if not is_first:
            weights = uncertainty(estimator, X, y, bought, calibrate=False)
            n_own = wanted - len(chosen)
            if len(known) == 2 and n_own:
                u = np.random.default_rng((*now, 3)).random()
                n_margin = floor(share * n_own + u)
        others = [i for i in left if i not in chosen]
        if n_margin:
            chosen = chosen + margin_part(X, weights, others, n_margin, now)
        others = [i for i in left if i not in chosen]
        n_others = wanted - len(chosen)
        covered = [*bought, *chosen]
        chosen = chosen + herd(X, similarity, covered, others, weights, n_others, now)
        bought += chosen
    return bought, random
