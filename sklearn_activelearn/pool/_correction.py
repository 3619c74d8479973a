"""Labels that were wrong, and labels on which the estimator cannot be trained."""

from dataclasses import replace
from typing import NamedTuple
from warnings import warn

import numpy as np
from sklearn.exceptions import FitFailedWarning

from .._containers import row_keys
from .._drafts import shallow
from .._labels import encode
from ._training import Labelled


class Lesson(NamedTuple):
    """What one call taught."""

    n_labels: int  # that were known after it
    may_grow: bool  # whether nobody had told the classes by then


def trained_if_possible(learner, train):
    """Return the learner after ``train(learner)``, or as it was, with a warning."""
    trained = shallow(learner)
    try:
        train(trained)
    except Exception as error:
        warn(
            f"The labels are stored, but the estimator failed on them: "
            f"{type(error).__name__}: {error}",
            FitFailedWarning,
            stacklevel=4,
        )
        return learner
    return trained


def corrected(learner, X, y):
    """Return the learner as it would be with these labels in place of its own.

    Parameters
    ----------
    learner : PoolClassifier
        A draft.
    X : rows
        Rows that it was taught.
    y : ndarray of shape (n_rows,)
        Their right labels.
    """
    learner._expect(None, y)
    codes = learner._labelled.codes.copy()
    new, positions = encode(y, learner.classes_), learner._requests.places
    for row, entries in enumerate(learner._requests.labelled(row_keys(X))):
        if not len(entries):
            raise ValueError(f"Row {row} of X was never taught.")
        differ = positions[entries][codes[positions[entries]] != new[row]]
        codes[differ[:1]] = new[row]
    learner._labelled = replace(learner._labelled, codes=codes)
    if learner._may_grow:
        learner._labelled, learner.classes_ = only_seen(codes, learner)
    learner._forget_model()
    return trained_if_possible(learner, replay if learner._goes_on else retrain)


def only_seen(codes, learner):
    """Return the labelled rows and the classes without those that have no label."""
    seen, codes = np.unique(codes, return_inverse=True)
    labelled = Labelled(learner._labelled.rows, codes.astype(np.int32))
    return labelled, learner.classes_[seen]


def retrain(learner):
    """Train a learner once on all that it knows."""
    learner._catch_up()


def replay(learner):
    """Train a learner after each call that taught it something, as it was trained."""
    labelled, classes, pool = learner._labelled, learner.classes_, learner._pool
    for lesson in learner._lessons:
        n = lesson.n_labels
        learner._labelled, learner.classes_ = labelled.first(n), classes
        learner._pool = pool.before(n)
        if lesson.may_grow:
            codes = learner._labelled.codes
            learner._labelled, learner.classes_ = only_seen(codes, learner)
        learner._catch_up()
    learner._labelled, learner.classes_, learner._pool = labelled, classes, pool
