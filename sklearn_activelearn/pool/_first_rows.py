"""What the first rows follow, if not chance: a function, or rows to be similar to."""

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics.pairwise import cosine_similarity

from .._containers import as_numbers, n_rows
from .._validation import check_option
from ._embedding import numbers
from ._utility import of_padded, own_utility

#: By the names that `initial` takes.
STARTS = ("random", "herding", "mixed")


def are_rows(initial):
    """Whether it is rows, in a container that a pool may come in."""
    return not isinstance(initial, type) and (
        hasattr(initial, "shape") or isinstance(initial, list | tuple)
    )


def check_initial(initial, embedding):
    """Refuse what is neither a name, nor a function, nor rows."""
    if isinstance(initial, str):
        check_option(initial, "initial", STARTS)
    elif are_rows(initial):
        if n_rows(initial) == 0:
            raise ValueError("initial has no rows: at least one is needed.")
        if embedding is None:
            numbers_of_initial(initial)
    elif isinstance(initial, type) or not callable(initial):
        raise TypeError(
            f"initial must be one of {sorted(STARTS)}, a function of rows, or rows to "
            f"be similar to, got {initial!r}."
        )


def numbers_of_initial(initial):
    """Return rows to be similar to as numbers, or refuse them."""
    found = as_numbers(initial)
    if found is not None and len(getattr(initial, "shape", np.shape(initial))) < 2:
        raise ValueError("initial must be rows; a single one, x, is passed as [x].")
    if found is None or not np.isfinite(found.data if issparse(found) else found).all():
        raise ValueError(
            "initial must be rows of finite numbers, unless an embedding makes such of "
            "them."
        )
    if not (found != 0).sum(axis=1).all():
        raise ValueError("initial has a row of zeros, which is similar to no other.")
    return found.astype(np.float64)


def check_columns_of(initial, embedding, X, names):
    """Refuse rows to be similar to that have not the columns, or names, of a pool."""
    if embedding is not None or not are_rows(initial):
        return
    width, shape = numbers_of_initial(initial).shape[1], getattr(X, "shape", ())
    if len(shape) > 1 and np.prod(shape[1:]) != width:
        raise ValueError(
            f"initial has rows of {width} numbers, X of {np.prod(shape[1:])}."
        )
    own = getattr(initial, "columns", None)
    if own is not None and names is not None and [*own] != [*names]:
        raise ValueError("initial has other columns than X, or in another order.")


def initial_scores(initial, X):
    """Return how early each of these rows shall be bought.

    Parameters
    ----------
    initial : callable or rows
        What gives rows their scores, or what they shall be similar to.
    X : rows
        A block of the pool.
    """
    if not are_rows(initial):
        return own_utility("initial", initial(X), n_rows(X))
    anchors = numbers_of_initial(initial)
    return of_padded(lambda rows: nearest_cosine(numbers(rows), anchors), X)


def nearest_cosine(points, anchors):
    """Return the cosine between each point and the most similar one of others."""
    return cosine_similarity(points, anchors).max(axis=1)
