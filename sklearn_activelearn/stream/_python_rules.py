"""Rules written in Python: the clock that they get, and checks of their answers."""

from math import nan
from typing import NamedTuple

import numpy as np

#: Methods that a class in Python may have instead of a compiled method.
METHODS = ("initial_memory", "probability", "observe", "learned", "step")


class Clock(NamedTuple):
    """Counts of a stream learner at the row in question.

    Attributes
    ----------
    n_seen : int
        Rows decided before this one.
    n_queries : int
        Labels bought, those refunded included.
    n_taught : int
        Labels learned, bought or not.
    n_updates : int
        Labels that changed the weights.
    n_idle : int
        Rows since the last purchase.
    n_held : int
        Rows that a second-order learner holds, else 0.
    """

    n_seen: int = 0
    n_queries: int = 0
    n_taught: int = 0
    n_updates: int = 0
    n_idle: int = 0
    n_held: int = 0


def check_answer(value, most, rule, call, demand):
    """Return the answer of a rule, if it is a number from 0 to `most`.

    Parameters
    ----------
    value : object
        The answer.
    most : float
        Largest allowed answer.
    rule : QueryRule or UpdateRule
        The rule, for the message.
    call : str
        The call, for the message.
    demand : str
        Range of the answer, for the message.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = nan
    if not 0 <= number <= most:
        name = type(rule).__name__
        raise ValueError(f"{name}.{call} must be a number {demand}, got {value!r}.")
    return number


def pad_memory(rule, memory):
    """Return the memory of a compiled rule with room for one more number."""
    if not rule.is_python and len(memory) < len(rule.initial_memory(1)):
        raise ValueError(
            f"{type(rule).__name__} needs a memory of {len(rule.initial_memory(1))} "
            f"numbers, got {len(memory)}."
        )
    return np.append(np.asarray(memory, dtype=np.float64), 0.0)


def raise_abstract(rule, method):
    """Raise the error for a rule that lacks a method."""
    raise NotImplementedError(f"{type(rule).__name__} needs a method {method}.")


def refuse_overridden(kind, base):
    """Raise if Python replaces a method of which compiled loops call another form."""
    parents = kind.__mro__[: kind.__mro__.index(base)]
    compiled = [each for each in parents if "__pyx_vtable__" in vars(each)]
    for parent in compiled[:1]:
        for name in METHODS:
            if getattr(kind, name, None) is not getattr(parent, name, None):
                raise TypeError(
                    f"{kind.__name__} replaces {name} of {parent.__name__}, which is "
                    "compiled: loops would not call it. Make it a subclass of "
                    f"{base.__name__} that holds a {parent.__name__} and calls it."
                )
