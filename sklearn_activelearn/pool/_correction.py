"""Labels that were wrong, and labels on which the estimator cannot be trained."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import FitFailedWarning

from .._containers import rounded_keys, take
from .._identity import native
from .._labels import encode
from .._transaction import shallow
from .._validation import name_of_row
from .._warnings import warn_user


class TeachCall(NamedTuple):
    """What one call taught."""

    n_labels: int  # that were known after it
    declared: tuple  # the classes that somebody had named by then


Lesson = TeachCall  # its name in pickles of version 0.1.0


def trained_if_possible(learner):
    """Return the learner, trained on all it knows, or as it was, with a warning."""
    trained = shallow(learner)
    try:
        trained._catch_up()
    except Exception as error:
        warn_user(
            f"The labels are stored, but the estimator failed on them: "
            f"{type(error).__name__}: {error}",
            FitFailedWarning,
        )
        return learner
    return trained


def corrected(learner, identity, y):
    """Return the learner with these labels in place of its own, not trained on them.

    Parameters
    ----------
    learner : PoolClassifier
        A working copy.
    identity : ByValue or ById
        What the rows are recognised by; it was taught them.
    y : ndarray of shape (n_samples,)
        Their right labels.
    """
    learner._register_classes(None, y)
    codes = learner._labelled.codes.copy()
    new, positions = encode(y, learner.classes_), learner._requests.places
    for row, entries in enumerate(learner._requests.labelled(identity.keys())):
        if not len(entries):
            which = name_of_row(row, identity.names())
            raise ValueError(f"{which} was never taught.")
        differ = positions[entries][codes[positions[entries]] != new[row]]
        codes[differ[:1]] = new[row]
    learner._labelled = replace(learner._labelled, codes=codes)
    restrict(learner, learner._declared_classes)
    learner._forget_model()
    return replay_training(learner) if learner._make_trainer().goes_on else learner


def train_on_values(learner, X):
    """Train a learner on the values that its labelled rows have in a pool.

    Parameters
    ----------
    learner : PoolClassifier
        A working copy, whose ledger has found its rows in the pool.
    X : rows
        The pool. Values that agree when they are rounded to float32 are the same.
    """
    labelled, ledger = learner._labelled, learner._requests
    if not len(labelled):
        return
    entries = ledger.taught
    found = ledger.found[entries]
    (inside,), (outside,) = np.nonzero(found >= 0), np.nonzero(found < 0)
    rows, is_other = take(X, found[inside]), np.ones(len(inside), dtype=bool)
    names = getattr(learner, "feature_names_in_", None)
    if labelled.has_columns_of(rows, names):
        is_other = rounded_keys(rows) != rounded_keys(take(labelled.rows, inside))
    elif len(outside):
        missing = native(ledger.ids[entries[outside[0]]])
        raise ValueError(
            "X has other columns than before: all labelled rows must be in it, and "
            f"that with the id {missing!r} is not."
        )
    if not is_other.any():
        return
    if len(outside):
        warn_user(
            f"{np.count_nonzero(is_other)} labelled rows have other values than "
            f"before, and {len(outside)} are not in X: of those the model is trained "
            "on the values that were seen last. Pass the whole pool.",
        )
    others = take(rows, np.flatnonzero(is_other))
    learner._labelled = labelled.replaced(inside[is_other], others, names)
    learner._forget_model()
    if learner._make_trainer().goes_on:
        vars(learner).update(vars(replay_training(learner)))
    learner._catch_up()


def restrict(learner, declared):
    """Leave a learner the declared classes and those that have a label."""
    known, codes = learner.classes_, learner._labelled.codes
    is_kept = np.array([label in declared for label in known.tolist()])
    is_kept[codes] = True
    kept = np.flatnonzero(is_kept)
    codes = np.searchsorted(kept, codes).astype(np.int32)
    learner._labelled = replace(learner._labelled, codes=codes)
    learner.classes_ = known[kept]


def with_first_labels(learner, n_labels):
    """Return a learner that has no model, and knows the labels taught first only.

    Parameters
    ----------
    learner : PoolClassifier
        It has as many labels or more; stays as it is.
    n_labels : int
        How many.
    """
    calls = [call for call in learner._teach_calls if call.n_labels >= n_labels]
    learner = shallow(learner)
    learner._labelled = learner._labelled.first(n_labels)
    learner._requests = learner._requests.first(n_labels)
    learner._pool, learner._n_trained = learner._pool.before(n_labels), 0
    learner._trained = None
    restrict(learner, calls[0].declared)
    return learner


def replay_training(learner):
    """Return a learner that was trained after each call that taught it, but the last.

    As then, a call on whose labels the estimator fails trains nothing.
    """
    labelled, classes, pool = learner._labelled, learner.classes_, learner._pool
    for call in learner._teach_calls[:-1]:
        n, before = call.n_labels, learner
        learner = shallow(before)
        learner._labelled, learner.classes_ = labelled.first(n), classes
        learner._pool = pool.before(n)
        restrict(learner, call.declared)
        try:
            learner._catch_up()
        except Exception:  # whatever it is, it was a warning then
            learner = before
    learner._labelled, learner.classes_, learner._pool = labelled, classes, pool
    return learner
