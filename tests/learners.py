"""The one list of learners that the suite runs over.

A new learner joins every law by adding a row here: its defaults, and whatever
settings take another path through the code.
"""

import re

import numpy as np
import pytest

from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    RandomSamplingClassifier,
)


def coin_of(margins):
    """Return a query probability of one's own."""
    return np.maximum(0.2, 1 / (1 + margins))


LEARNERS = [
    DKMClassifier(),
    DKMClassifier(update="dkm"),
    DKMClassifier(R=2, threshold="uniform"),
    DKMClassifier(R=1, threshold=0.7, fit_intercept=False, eta0=0.5),
    CBGZClassifier(),
    CBGZClassifier(b="adaptive"),
    CBGZClassifier(b="adaptive", beta=0.1, normalize=False),
    CBGZClassifier(b=0.5, update="dkm"),
    CBGZClassifier(b=1.0, average=False),
    CBGZClassifier(b=2.0, normalize=False, fit_intercept=False),
    CBGZClassifier(b=0.3, patience=4),
    MarginLossClassifier(),
    MarginLossClassifier("ramp", t=2.0, average=False),
    MarginLossClassifier("root_ramp", s=0.3, learning_rate="invscaling"),
    MarginLossClassifier("sigmoid", eta0=1.0, n_warm_start=5),
    MarginLossClassifier("smooth_ramp", normalize=True, fit_intercept=False),
    MarginLossClassifier("hinge", query_probability=coin_of, patience=6),
    GreedyOnlineClassifier(),
    GreedyOnlineClassifier(m=2, loss="ramp", normalize=True),
    GreedyOnlineClassifier(m=1, learning_rate="invscaling", power_t=0.3),
    RandomSamplingClassifier(),
    RandomSamplingClassifier(rate=0.3, normalize=False),
    RandomSamplingClassifier(rate=0.4, update="dkm"),
    RandomSamplingClassifier(rate=0.9, budget=7),
]

#: Learners that look at no margin and so may buy before they were taught.
MARGIN_FREE = [
    row
    for row in LEARNERS
    if isinstance(row, RandomSamplingClassifier) or getattr(row, "m", 2) == 1
]

#: The defaults of each class, for tests where settings make no difference.
DEFAULTS = [row for row in LEARNERS if row.get_params() == type(row)().get_params()]


def name_of(prototype):
    """Return a one-line test id, the same in every process."""
    return re.sub(r"\s+", " ", re.sub(r" at 0x\w+", "", repr(prototype)))


def group_of(prototype):
    """Return how many rows a stream learner looks at before it decides."""
    return prototype.get_params().get("m", 1)


each_learner = pytest.mark.parametrize("prototype", LEARNERS, ids=name_of)
each_default = pytest.mark.parametrize("prototype", DEFAULTS, ids=name_of)
