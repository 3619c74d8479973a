"""How a learner begins: its seeds, the first rows, all rows with an answer sheet."""

import numpy as np
from sklearn.utils import check_random_state

from ._labels import encode, find_classes
from ._transaction import forget_fitted


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
