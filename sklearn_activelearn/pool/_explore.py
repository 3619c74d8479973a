"""Purchases with a random share, and mixtures of two rules."""

import numpy as np

from .._requests import Purchase
from ._selection import NOTHING, drawn

#: What the labels of rows that were drawn whatever the rule are for.
EXPLORED = "explored"

#: Makes their draw differ from other draws of a round.
EXPLORE = 2


def places_of(share, n, rng):
    """Draw the places in a purchase that a share of it has, evenly spread.

    Those among the first k places are ⌊share · k⌋, or one more, for every k.

    Parameters
    ----------
    share : float in [0, 1]
        Of the n places.
    n : int
        How many there are.
    rng : Generator
        Draws one number.

    Returns
    -------
    is_its : ndarray of bool of shape (n,)
    """
    return np.diff(np.floor(share * np.arange(n + 1) + rng.random())) > 0


def explored(share, rows, n_batch, n_wanted, seed):
    """Draw the random part of a batch.

    Parameters
    ----------
    share : float in [0, 1]
        Of the batch.
    rows : ndarray of int of shape (n_rows,)
        Row numbers that may be bought.
    n_batch : int
        How many rows the whole batch has.
    n_wanted : int
        How many of these, the first ones, are bought.
    seed : tuple of int
        Of this round.

    Returns
    -------
    is_random : ndarray of bool of shape (n_wanted,)
        Its places among those that are bought.
    bought : Purchase
        The part of the whole batch. Each row is bought with the same probability.
    """
    if not share:
        return np.zeros(n_wanted, dtype=bool), NOTHING
    rng = np.random.default_rng((*seed, EXPLORE))
    is_random = places_of(share, n_batch, rng)
    chosen = rng.choice(len(rows), np.count_nonzero(is_random), replace=False)
    bought = drawn(rows[chosen], share * n_wanted / len(rows), EXPLORED)
    return is_random[:n_wanted], bought


def mixed(is_first, first, second):
    """Return a purchase of the rows of two others.

    Parameters
    ----------
    is_first : ndarray of bool of shape (n_rows,)
        Which places those of the first have, in their order; there may be more of them.
    first, second : Purchase
        The parts.
    """
    n_first = np.count_nonzero(is_first)
    if not n_first:
        return second
    columns = []
    for one, other in zip(first, second, strict=True):
        one = np.broadcast_to(one, len(first.rows))[:n_first]
        other = np.broadcast_to(other, len(second.rows))
        column = np.empty(len(is_first), np.result_type(one, other))
        column[is_first], column[~is_first] = one, other
        columns.append(column)
    return Purchase(*columns)
