"""Whether what a stream learner counts tells its error on the stream."""

import numpy as np
from sklearn.exceptions import NotFittedError

from ._tally import Sums


def check_tallied(learner):
    """Return what is known of its error on the stream, or say why nothing is."""
    name = type(learner).__name__
    if not hasattr(learner, "_tallied"):
        raise NotFittedError(f"This {name} has not seen a row yet.")
    if learner._checked_rules()[0].is_threshold:
        raise ValueError(
            f"{name} asks below a threshold: it buys other rows with probability "
            "0, and the labels it buys say nothing of its error on them."
        )
    if np.isinf(Sums(*learner._tallied.sums).excess):
        raise ValueError(
            f"This {name} let rows pass that it would buy with probability 0, and "
            "the labels it buys say nothing of its error on them."
        )
    return learner._tallied
