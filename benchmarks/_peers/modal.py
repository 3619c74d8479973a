"""modAL's uncertainty sampling from a pool."""

import numpy as np
from modAL.models import ActiveLearner
from modAL.uncertainty import uncertainty_sampling
from sklearn.linear_model import LogisticRegression

PACKAGE = "modAL-python"


def loops(pool):
    """Return the ways to buy labels from a pool, by name."""
    X, y, first, n_labels = pool

    def call():
        learner = ActiveLearner(
            LogisticRegression(), uncertainty_sampling, X[first], y[first]
        )
        left = np.setdiff1d(np.arange(len(y)), first)
        while len(y) - len(left) < n_labels:
            chosen, rows = learner.query(X[left])
            learner.teach(rows, y[left[chosen]])
            left = np.delete(left, chosen)
        return learner

    return {"modAL uncertainty_sampling": call}
