"""What rules written in Python get, and what they may answer."""

from math import isfinite, nan
from typing import NamedTuple

import numpy as np

from ._rule_base import QueryRule, UpdateRule

#: What a class in Python may have in place of a compiled method.
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


def checked(value, most, rule, call, demand):
    """Return what a rule answered, if it is a number from 0 to the most.

    Parameters
    ----------
    value : object
        The answer.
    most : float
        The largest that it may be.
    rule : QueryRule or UpdateRule
        Whose answer it is.
    call : str
        What was asked.
    demand : str
        What the answer must be, besides a number.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = nan
    if not 0 <= number <= most:
        name = type(rule).__name__
        raise ValueError(f"{name}.{call} == {value!r}, must be a number {demand}.")
    return number


def with_room(rule, memory):
    """Return what a compiled rule finds in its memory, and room for one number."""
    if not rule.is_python and len(memory) < len(rule.initial_memory(1)):
        raise ValueError(
            f"{type(rule).__name__} remembers {len(rule.initial_memory(1))} numbers, "
            f"got {len(memory)}."
        )
    return np.append(np.asarray(memory, dtype=np.float64), 0.0)


def refuse_abstract(rule, method):
    """Say what a rule lacks."""
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
                    f"compiled: loops would not see it. Make it a {base.__name__} that "
                    f"has a {parent.__name__} and asks it."
                )


def check_rules(rules, learner):
    """Return a query rule and an update rule, if they are that."""
    is_pair = isinstance(rules, (tuple, list)) and len(rules) == 2
    is_right = is_pair and isinstance(rules[0], QueryRule)
    if not is_right or not isinstance(rules[1], UpdateRule):
        raise TypeError(
            f"{type(learner).__name__}._make_rules() must return a QueryRule and an "
            f"UpdateRule, in this order, got {rules!r}."
        )
    group = rules[0].group
    if not isinstance(group, (int, np.integer)) or group < 1:
        name = type(rules[0]).__name__
        raise ValueError(f"{name}.group == {group!r}, must be an int >= 1.")
    return rules


def initial_memory(rule, n_dims):
    """Return what a rule begins to remember, if it is a list of finite numbers."""
    memory = rule.initial_memory(n_dims)
    if not rule.is_external:
        return memory
    try:
        numbers = np.asarray(memory, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array(nan)
    if numbers.ndim != 1 or not all(map(isfinite, numbers.tolist())):
        name = type(rule).__name__
        raise ValueError(
            f"{name}.initial_memory(n_dims) == {memory!r}, must be a list of finite "
            "numbers."
        )
    return numbers.tolist()
