"""Warnings that name the line of the user's code that led to them."""

import sys
import warnings

from .exceptions import OneClassWarning

#: Packages whose own lines tell the user nothing.
INNER = {"sklearn_activelearn", "sklearn", "joblib", "contextlib", "functools"}


def warn_user(message, category=UserWarning):
    """Warn at the innermost line that is neither of this package nor scikit-learn's."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and is_inner(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def is_inner(frame):
    """Whether a frame runs a line of one of these packages."""
    return frame.f_globals.get("__name__", "").partition(".")[0] in INNER


def warn_of_constant_answer(learner, label, rows, known, cure):
    """Warn of a learner that has one answer for all rows.

    Parameters
    ----------
    learner : learner
        Named by its class.
    label : object
        Its answer.
    rows, known, cure : str
        For which rows, what it knows all the same, and a sentence on what to do.
    """
    warn_user(
        f"{type(learner).__name__} {rows.format(repr(str(label)))}, {known}. {cure}",
        OneClassWarning,
    )


def advice_for_rare_classes(cure):
    """Return the sentence on what to do where other classes are rare."""
    return f"Where other classes are rare, {cure}, and judge it by balanced accuracy."
