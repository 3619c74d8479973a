"""What people say: labels and names."""

from math import isfinite
from numbers import Integral, Real

import numpy as np


def check_who(who, n_votes):
    """Raise unless this is a name, or none and none is needed."""
    if who is None and n_votes == 1:
        return
    if who is None:
        raise ValueError(f"Each row gets {n_votes} votes: say whose this is with who=.")
    if not isinstance(who, str) or not who.strip():
        raise ValueError(f"who must be a name, got {who!r}.")


def plain_label(label, classes, example):
    """Return a label as JSON has it.

    Parameters
    ----------
    label : object
        What somebody said.
    classes : list or None
        All that can occur; None for any.
    example : object
        A label of the kind that it must be of; None for any.

    Raises
    ------
    ValueError
        For what is no label, or none of these.
    """
    if isinstance(label, np.generic):
        label = label.item()
    kind = kind_of(label)
    if kind is None:
        raise ValueError(f"A label is text or a number, got {label!r}.")
    if classes is not None and (label not in classes or kind != kind_of(classes[0])):
        raise ValueError(f"The label {label!r} is none of {classes}.")
    if classes is not None:
        return classes[classes.index(label)]
    if example is not None and kind != kind_of(example):
        raise ValueError(
            f"The label {label!r} is not of the kind of the others, as {example!r}."
        )
    return label


def kind_of(label):
    """Return whether a label is text or a number; None: neither."""
    if isinstance(label, str):
        return "text"
    if isinstance(label, bool):
        return "flag"
    if isinstance(label, Integral) or (isinstance(label, Real) and isfinite(label)):
        return "number"
    return None
