"""The share of each purchase that is drawn at random, whatever the rule."""

import numpy as np

from ._selection import drawn

#: What the labels of such rows are for.
EXPLORED = "explored"

#: Makes their draw differ from other draws of a round.
EXPLORE = 2


def explored(share, rows, n_wanted, seed):
    """Return the random part of a purchase.

    Parameters
    ----------
    share : float in [0, 1]
        Of the purchase. A part of a row is drawn with that probability.
    rows : ndarray of int of shape (n_rows,)
        Row numbers that may be bought.
    n_wanted : int
        How many rows the whole purchase has.
    seed : tuple of int
        Of this round.

    Returns
    -------
    bought : Purchase
        Each row of the pool is in it with the same probability.
    """
    rng = np.random.default_rng((*seed, EXPLORE))
    n_expected = share * n_wanted
    n_random = min(int(n_expected + rng.random()), n_wanted)
    places = rng.choice(len(rows), n_random, replace=False)
    return drawn(rows[places], n_expected / len(rows), EXPLORED)
