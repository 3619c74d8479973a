"""The one list of learners that the suite runs over.

A new learner joins every law by adding a row here: its defaults, and whatever
settings take another path through the code.
"""

import re

import pytest

from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    RandomSamplingClassifier,
)

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
    RandomSamplingClassifier(),
    RandomSamplingClassifier(rate=0.3, normalize=False),
    RandomSamplingClassifier(rate=0.4, update="dkm"),
    RandomSamplingClassifier(rate=0.9, budget=7),
]

#: Learners that look at no margin and so may buy before they were taught.
MARGIN_FREE = (RandomSamplingClassifier,)

#: The defaults of each class, for tests where settings make no difference.
DEFAULTS = [row for row in LEARNERS if row.get_params() == type(row)().get_params()]


def name_of(prototype):
    """Return a one-line test id."""
    return re.sub(r"\s+", " ", repr(prototype))


each_learner = pytest.mark.parametrize("prototype", LEARNERS, ids=name_of)
each_default = pytest.mark.parametrize("prototype", DEFAULTS, ids=name_of)
