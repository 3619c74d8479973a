"""What a learner checks of the rules that it is given."""

from math import isfinite, nan

import numpy as np

from ._rule_base import QueryRule, UpdateRule


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
