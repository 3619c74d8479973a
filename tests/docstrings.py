"""What the docstrings of classes say, for the tests that hold the code to it."""

import re
from ast import literal_eval
from numbers import Integral, Real

import numpy as np

#: Values of all kinds: each type of a docstring refuses some.
VALUES = [-1, 0, 1, 1.5, -0.5, np.inf, np.nan, "x", "1", None, True]


PART = re.compile(
    r"(?P<number>int|float)"
    r"( (?P<sign>>=?) (?P<least>\d+)| in (?P<interval>[\[(]\d+, \d+[\])]))?"
    r"|(?P<choices>\{.+\})|(?P<choice>\"\w+\")"
    r"|(?P<word>bool|None|callable|dict|str|classifier|transformer|rows|label)"
)


def names(entries):
    """List the names of a section; "a, b" is two."""
    return [name.strip(" *") for entry in entries for name in entry.name.split(",")]


def parts_of(spec):
    """Split a type such as "int >= 1 or None"; None for what is not understood."""
    kind, _, default = spec.partition(", default=")
    parts = re.split(r", (?![^\[({]*[\])}])| or ", kind)
    return [PART.fullmatch(part) for part in [*parts, *["None"] * (default == "None")]]


def allows(part, value):
    """Tell whether a part of a type allows a value."""
    if part["choices"] or part["choice"]:
        choices = literal_eval(part["choices"] or f"{{{part['choice']}}}")
        return any(type(value) is type(one) and value == one for one in choices)
    if part["word"] == "label":
        return value is not None and value not in (np.inf, np.nan)
    if part["word"]:
        kinds = {"None": type(None), "bool": bool}  # no value is any of the others
        return isinstance(value, kinds.get(part["word"], ()))
    kind = Integral if part["number"] == "int" else Real
    if isinstance(value, bool) or not isinstance(value, kind) or not np.isfinite(value):
        return False
    if part["interval"]:
        low, high = literal_eval(f"({part['interval'][1:-1]})")
        return (
            low <= value <= high
            and (value > low or part["interval"][0] == "[")
            and (value < high or part["interval"][-1] == "]")
        )
    if part["sign"]:
        low = int(part["least"])
        return value > low or (value == low and part["sign"] == ">=")
    return True


def error_of(value, kinds):
    """Return the errors of a refused value, by the kinds of values that are allowed."""
    if len(kinds) != 1 or kinds & {
        None,
        "callable",
        "str",
        "classifier",
        "transformer",
    }:
        return (TypeError, ValueError)  # which of them was meant?
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    is_fraction = isinstance(value, float) and value % 1 > 0
    if kinds == {"bool"} or not is_number or (kinds == {"int"} and is_fraction):
        return TypeError
    return ValueError


def refused(spec):
    """List values that a type refuses, each with its errors."""
    parts = [part for part in parts_of(spec) if part]
    kinds = {part["number"] or part["word"] for part in parts} - {"None"}
    return [
        (value, error_of(value, kinds))
        for value in VALUES
        if not any(allows(part, value) for part in parts)
    ]
