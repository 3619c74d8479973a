"""Labels and ids: their kinds, their checks, and how a column holds them."""

import json
from math import isfinite

import numpy as np

from ...base import is_whole
from ._schema import to_json

#: Kind of the labels of a session in which a row may have several.
SEVERAL = "several"


def label_kind(label):
    """Return "text", "flag" or "number", None if this can be no label."""
    if isinstance(label, str):
        return "text"
    if isinstance(label, bool):
        return "flag"
    if is_whole(label):
        return "number" if -(2**63) <= label < 2**63 else None
    return "number" if isinstance(label, float) and isfinite(label) else None


def check_row_labels(labels, known):
    """Return the labels of a row, sorted and each once; raise ValueError for others."""
    if not isinstance(labels, list | tuple | set | frozenset | np.ndarray):
        raise ValueError(
            "A row may have several labels here: pass a list, which is empty if none "
            f"applies, got {labels!r}."
        )
    if not all(isinstance(label, str) for label in labels):
        raise ValueError(
            "The labels of a row are texts, the names of all labels that apply, got "
            f"{labels!r}. Of an indicator row, pass the names of the columns with a 1."
        )
    labels = sorted({f"{label}" for label in labels})
    for label in labels:
        if label not in known:
            raise ValueError(f"The label {label!r} is not among {known}.")
    return labels


def is_label(label, kind, classes):
    """Return True if a label is of this kind, and one of the classes if given."""
    if kind == SEVERAL:
        return isinstance(label, list) and label == sorted({*label} & {*classes})
    return label_kind(label) == kind and (classes is None or label in classes)


def from_column(label, kind):
    """Return a label as a person gave it: SQLite has neither flags nor lists."""
    if kind == SEVERAL and label is not None:
        return json.loads(label)
    return bool(label) if kind == "flag" and label in (0, 1) else label


def to_column(label):
    """Return a label as a column holds it; equal sets of labels are equal texts."""
    return to_json(sorted({*label})) if isinstance(label, list) else label


def is_id(value):
    """Return True if this can be the id of a row: a text, or a whole number."""
    return isinstance(value, str) or (is_whole(value) and -(2**63) <= value < 2**63)
