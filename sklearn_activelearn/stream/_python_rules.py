"""Rules written in Python: the clock that they get, and checks of their answers."""

import sys
from math import isfinite, nan
from typing import NamedTuple

import numpy as np

from ..utils._user_functions import refuse_overridden

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


def prepare(rule, base, attributes):
    """Check a rule of a class in Python, and copy the attributes of the class.

    Parameters
    ----------
    rule : QueryRule or UpdateRule
        A rule that compiled loops will call.
    base : type
        `QueryRule` or `UpdateRule`.
    attributes : tuple of str
        Attributes that the loops read from `base`.
    """
    refuse_overridden(type(rule), base, METHODS)
    for name in attributes if rule.is_python else ():
        vars(base)[name].__set__(rule, getattr(rule, name))


def probability_of(rule, margin, norm, counts, memory):
    """Return the probability that a query rule answers; `counts` are of its clock."""
    memory.flags.writeable = False
    q = rule.probability(margin, norm, Clock(*counts), memory)
    return check_answer(q, 1.0, rule, f"probability({margin})", "in [0, 1]")


def step_of(rule, z, squared_norm, probability, counts):
    """Return the step that an update rule answers."""
    step = rule.step(z, squared_norm, probability, Clock(*counts))
    most = sys.float_info.max
    return check_answer(step, most, rule, f"step({z})", "finite and >= 0")


def changed_memory(rule, name, arguments, counts, memory):
    """Return a copy of the memory, as a method of a query rule leaves it."""
    values = memory.copy()
    getattr(rule, name)(*arguments, Clock(*counts), values)
    if len(values) != len(memory):
        raise ValueError(
            f"{type(rule).__name__}.{name} left {len(values)} numbers in the memory, "
            f"which must stay {len(memory)}."
        )
    for value in values.tolist():
        if not isfinite(value):
            raise ValueError(
                f"{type(rule).__name__}.{name} left {value} in the memory, which must "
                "be finite."
            )
    return values


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
