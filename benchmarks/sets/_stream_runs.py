"""One run over a stream: read it in pieces, score the model after each."""

from time import perf_counter
from typing import NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.sets._stream_method import written

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
    """Return the result of a run, or the error that ended it, as text."""
    params = setting | {method.seed: key[-1]} | (method.sparse if is_sparse else {})
    X, y, X_test, y_test = split
    labels, errors = [], []
    with threadpool_limits(1), catch_warnings():
        simplefilter("ignore")
        started, learner, start = perf_counter(), method.make(**params), 0
        try:
            for end in cuts(len(y)):
                learner.partial_fit(X[start:end], y[start:end], classes=[0, 1])
                labels.append(learner.n_queries_)
                errors.append(np.mean(learner.predict(X_test) != y_test))
                start = end
        except ValueError as error:
            return f"{type(error).__name__}: {error}"
    seconds = round(perf_counter() - started, 3)
    return StreamResult(*key, len(y), len(y_test), seconds, labels, errors)


def missing(name, methods, orders, done):
    """Yield the key, the method and the setting of each run without a result."""
    for order in orders:
        for title, method in methods.items():
            if method.orders is None or order <= method.orders:
                for setting in method.settings:
                    key = (name, title, written(setting), order)
                    if key not in done:
                        yield key, method, setting
