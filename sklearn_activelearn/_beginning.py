"""How a learner begins: its seeds, the first rows, all rows with an answer sheet."""

from numbers import Number

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ._labels import encode, find_classes
from ._transaction import forget_fitted, shallow

#: Parameters that estimators may share.
CONSTANTS = (str, Number, type(None))

#: The types of most of them, recognised sooner.
PLAIN_TYPES = {str, int, float, bool, type(None)}


def is_plain(prototype):
    """Whether an unfitted estimator holds no other objects; quick to find out."""
    for value in vars(prototype).values():
        if type(value) not in PLAIN_TYPES and not isinstance(value, CONSTANTS):
            return False
    return True


def validate_and_reset(learner, X, y):
    """Forget everything; return validated rows and the codes of their labels."""
    learner._check_parameters()
    X, y = learner._check_rows(X, y, reset=True)
    classes = find_classes(y)
    forget_fitted(learner)
    learner._known_by = None
    learner._reset()
    learner._set_classes(classes)
    return X, encode(y, classes)


def validate_and_append(learner, X, y, classes):
    """Return validated rows and the codes of their labels."""
    X, y = learner._validate(X, y)
    learner._register_classes(classes, y)
    return X, encode(y, learner.classes_)


def draw_seeds(random_state, n_seeds):
    """Draw whole numbers for the generators of a learner that begins."""
    return check_random_state(random_state).randint(
        np.iinfo(np.int64).max, size=n_seeds, dtype=np.int64
    )


def unfitted_copy(prototype):
    """Return a clone; much quicker where there is nothing in it that could change."""
    return shallow(prototype) if is_plain(prototype) else clone(prototype)
