"""One run over a stream: read it in pieces, score the model after each."""

from time import perf_counter
from typing import NamedTuple

import numpy as np

#: The model is scored so often, after 100 rows first; pieces grow by a constant factor.
N_SCORES = 16


class StreamResult(NamedTuple):
    """A run: what was run, on what, and its curve."""

    set: str
    method: str
    setting: str
    order: int
    n_rows: int
    n_test: int
    seconds: float
    labels: list
    errors: list

    @property
    def key(self):
        """What no other run has."""
        return self[:4]


def cuts(n_rows):
    """Return after how many rows the model is scored: multiples of 100, the last all.

    A greedy learner compares m rows, where m divides 100.
    """
    hundreds = np.geomspace(1, n_rows // 100, N_SCORES)
    return 100 * np.unique(hundreds.round().astype(int))


def run(key, method, setting, split, is_sparse):
    """Return the result of a run."""
    params = setting | {method.seed: key[-1]} | (method.sparse if is_sparse else {})
    X, y, X_test, y_test = split
    labels, errors = [], []
    started, learner, start = perf_counter(), method.make(**params), 0
    for end in cuts(len(y)):
        learner.partial_fit(X[start:end], y[start:end], classes=[0, 1])
        labels.append(learner.n_queries_)
        errors.append(np.mean(learner.predict(X_test) != y_test))
        start = end
    seconds = round(perf_counter() - started, 3)
    return StreamResult(*key, len(y), len(y_test), seconds, labels, errors)
