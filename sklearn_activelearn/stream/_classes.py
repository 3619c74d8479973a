"""What a stream learner makes of its classes: weights, thresholds, a warning."""

from collections.abc import Mapping

import numpy as np

from .._validation import check_class_weight, check_limit
from .._warnings import warn_of_constant, where_rare
from ._class_weights import ClassWeights, no_labels, thresholds

#: Rows that are looked back at, at least, and the share of those seen.
N_ROWS, SHARE = 1_000, 0.25


def check_class_parameters(learner, classes=None):
    """Raise if a parameter is out of its range, or weighs what is no class."""
    check_class_weight(learner.class_weight, classes)
    check_limit(learner.one_class_limit, "one_class_limit", low=0)


def class_weights(learner):
    """Return what the labels of each class weigh, for a loop to work on."""
    sums, given, class_weight = learner._class_sums, None, learner.class_weight
    classes = learner.classes_.tolist() if hasattr(learner, "classes_") else []
    if sums is None:  # a pickle of version 0.1.0
        sums = no_labels(len(classes))
    if isinstance(class_weight, Mapping):
        given = np.ones(len(sums.n_labels))
        given[: len(classes)] = [class_weight.get(label, 1) for label in classes]
    limit = check_limit(learner.one_class_limit, "one_class_limit", low=0)
    return ClassWeights(sums, given, class_weight == "balanced", limit)


def prediction_thresholds(learner, averages):
    """Return what is subtracted from scores; `averages`: those of the mean weights."""
    if learner.class_weight != "balanced":
        return 0.0
    return thresholds(learner._class_sums, averages)


def warn_of_one_class(learner):
    """Warn if a learner has long predicted one class, though it is not all there is.

    That is, if labels of two classes are known, or if it has stopped asking with one.
    """
    counts, sums = learner._counts, learner._class_sums
    n_rows = max(N_ROWS, SHARE * counts.n_seen)
    if counts.n_alike < n_rows or sums is None:
        return
    n_known = np.count_nonzero(sums.n_labels)
    has_stopped = counts.n_idle >= n_rows or learner.stop_reason_ is not None
    if n_known == 0 or (n_known == 1 and not has_stopped) or len(learner.classes_) < 2:
        return
    known = "and stopped asking before it was taught a label of another class"
    if n_known > 1:
        known = f"although it has been taught labels of {n_known} classes"
    cure = "set class_weight='balanced'"
    if learner.class_weight is not None:
        cure = "teach it rows of the other classes"
    label = learner.classes_[counts.last_guess]
    rows = f"has predicted {{}} for each of the last {counts.n_alike} rows"
    warn_of_constant(learner, label, rows, known, where_rare(cure))
