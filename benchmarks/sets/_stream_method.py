"""What a row of the stream experiment holds."""

from collections.abc import Callable
from typing import NamedTuple

from sklearn.model_selection import ParameterGrid


class Method(NamedTuple):
    """A way to buy labels from a stream.

    Attributes
    ----------
    make : callable
        Returns a learner with `partial_fit`, `predict` and `n_queries_`.
    settings : list of dict
        The settings that are tried.
    default : dict
        The one of a user who does not tune.
    seed : str
        The name of the parameter that takes the seed.
    rows, orders : int, optional
        At most so many rows and orders, for those that are slow.
    sparse : dict
        Further parameters where the rows are sparse.
    prepare : callable, optional
        Returns the rows that stream by in the form that the learner reads, once for all
        settings.
    """

    make: Callable
    settings: list
    default: dict
    seed: str
    rows: int | None
    orders: int | None
    sparse: dict
    prepare: Callable | None


def method(
    make,
    default,
    *,
    seed="random_state",
    rows=None,
    orders=None,
    sparse=(),
    prepare=None,
    **grid,
):
    """Return a row of which all combinations of some values are the settings."""
    settings = list(ParameterGrid(grid))
    if default not in settings:
        raise ValueError(f"default {default} is not among the settings.")
    return Method(make, settings, default, seed, rows, orders, dict(sparse), prepare)


def written(setting):
    """Return a setting as text."""
    return ", ".join(f"{name}={value}" for name, value in sorted(setting.items()))
