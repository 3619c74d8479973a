"""Labelled rows, and how an estimator is trained on them."""

from copy import copy, deepcopy
from dataclasses import dataclass, field
from numbers import Integral, Number
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone

from .._containers import joined, n_rows, take
from .._validation import check_flag

#: Parameters that estimators may share.
CONSTANTS = (str, Number, type(None))


@dataclass(frozen=True)
class Labelled:
    """Rows and the codes of their labels, in the order in which they were taught."""

    rows: Any = None
    codes: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int32))

    def __len__(self):
        return len(self.codes)

    @property
    def has_two_classes(self):
        """Whether a classifier can be trained."""
        return len(self.codes) > 1 and self.codes.min() != self.codes.max()

    def plus(self, X, codes):
        """Return these rows and more."""
        # copied: the caller may use the array again
        rows = X.copy() if self.rows is None else joined(self.rows, X)
        return Labelled(rows, np.append(self.codes, np.asarray(codes, np.int32)))

    def first(self, n):
        """Return the rows that were taught first."""
        return Labelled(take(self.rows, slice(n)), self.codes[:n])

    def recoded(self, positions):
        """Return the same rows with new codes for the old ones."""
        return Labelled(self.rows, positions[self.codes])


def seeded(estimator, seed):
    """Return a clone that draws the same random numbers whenever it is trained.

    A `random_state` that is no number is set, here and in nested estimators.
    """
    estimator = clone(estimator)
    seeds = {
        name: seed
        for name, value in estimator.get_params().items()
        if name.split("__")[-1] == "random_state" and not isinstance(value, Integral)
    }
    return estimator.set_params(**seeds)


def keeps_its_solution(model):
    """Whether training a model again goes on from its solution with all labels.

    With `warm_start`, models with coefficients do. Ensembles do not: they keep what
    was trained on fewer labels and would add to it.
    """
    return starts_warm(model) and (hasattr(model, "coef_") or hasattr(model, "coefs_"))


def starts_warm(estimator):
    """Whether an estimator has `warm_start`, and it is true."""
    return getattr(estimator, "warm_start", False) is True


def is_plain(prototype):
    """Whether an unfitted estimator holds no other objects; quick to find out."""
    return all(isinstance(value, CONSTANTS) for value in vars(prototype).values())


def fresh(prototype):
    """Return a clone; much quicker where there is nothing in it that could change."""
    return copy(prototype) if is_plain(prototype) else clone(prototype)


def train(prototype, labelled, classes):
    """Return a clone that was trained on all rows."""
    return fresh(prototype).fit(labelled.rows, classes[labelled.codes])


def train_next(learner):
    """Return the next model of a learner with one estimator and `incremental`.

    The present one is left as it is: it is copied before it goes on.
    """
    (prototype,), present = learner._prototypes, getattr(learner, "estimator_", None)
    if present is not None and not same_settings(present, prototype):
        present = None  # the user has changed the estimator
    labelled, classes = learner._labelled, learner.classes_
    if learner.incremental:
        goes_on = present is not None and np.array_equal(present.classes_, classes)
        start = learner._n_trained if goes_on else 0
        estimator = deepcopy(present) if goes_on else fresh(prototype)
        rows = take(labelled.rows, slice(start, None))
        labels = classes[labelled.codes[start:]]
        return estimator.partial_fit(rows, labels, classes=classes)
    if present is not None and keeps_its_solution(present):
        seen = classes[np.unique(labelled.codes)]
        if np.array_equal(present.classes_, seen):
            return deepcopy(present).fit(labelled.rows, classes[labelled.codes])
    return train(prototype, labelled, classes)


def same_settings(first, second):
    """Whether two estimators are of one class with equal parameters."""
    return type(first) is type(second) and (
        joblib.hash(first.get_params()) == joblib.hash(second.get_params())
    )


def check_incremental(incremental, estimator):
    """Refuse an estimator that cannot be taught incrementally, if it shall be."""
    if check_flag(incremental, "incremental") and not hasattr(estimator, "partial_fit"):
        raise TypeError(
            f"incremental=True needs an estimator with partial_fit, which {estimator} "
            "lacks."
        )


class Constant:
    """Stands in for a classifier that cannot be trained yet: always one class.

    Parameters
    ----------
    label : object
        That class.
    """

    def __init__(self, label):
        self.classes_ = np.array([label])

    def predict(self, X):
        """Return the class for each row."""
        return np.repeat(self.classes_, n_rows(X))

    def decision_function(self, X):
        """Return 0 for each row."""
        return np.zeros((n_rows(X), 1))

    def predict_proba(self, X):
        """Return probability 1 for each row."""
        return np.ones((n_rows(X), 1))
