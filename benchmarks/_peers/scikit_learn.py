"""scikit-learn's `SGDClassifier`: it learns every label, or those near the boundary."""

import numpy as np
from sklearn.linear_model import SGDClassifier

from benchmarks._peers._task import FEW, Pass

PACKAGE = "scikit-learn"


def epoch(X, y):
    """Learn every label once."""
    SGDClassifier("log_loss", max_iter=1, tol=None, shuffle=False).fit(X, y)
    return len(y)


def row_loop(X, y, b=0.1, seed=0):
    """Ask with probability b / (b + margin), one row at a time."""
    model, coins = SGDClassifier("log_loss"), np.random.default_rng(seed)
    model.partial_fit(X[[0]], y[[0]], classes=[0, 1])
    bought = 1
    for row in range(1, len(y)):
        x = X[[row]]
        margin = abs(model.decision_function(x)[0])
        if coins.random() < b / (b + margin):
            model.partial_fit(x, y[[row]])
            bought += 1
    return bought


def passes(X, y, folder):
    """Return the passes over some rows, by name."""
    few, answers = X[:FEW], y[:FEW]
    return {
        "SGDClassifier, one epoch": Pass(lambda: epoch(X, y), len(y)),
        "SGDClassifier, loop over rows": Pass(
            lambda: row_loop(few, answers), len(answers)
        ),
    }
