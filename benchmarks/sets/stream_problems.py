"""The data sets of the stream experiment: two classes, one line of PROBLEMS each."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.datasets import make_classification

from benchmarks import data
from benchmarks.problems import (
    SEED,
    Split,
    as_they_are,
    news,
    of_class,
    standardised,
    tumours,
)

#: At most so many rows stream by, and so many are predicted.
N_STREAM, N_TEST = 6_000, 3_000


def topic(name):
    """Return the function that loads news and whether they have this topic."""

    def load():
        X, has, names = data.rcv1_topics()
        return X, has[:, list(names).index(name)]

    return load


def odd():
    """Return images of digits and whether they are odd."""
    X, y = data.mnist()
    return X, y % 2


def noisy():
    """Return two classes in 20 columns, one label in ten redrawn."""
    return make_classification(
        20_000, 20, n_informative=10, class_sep=1.0, flip_y=0.1, random_state=SEED
    )


class Problem(NamedTuple):
    """A data set."""

    load: Callable
    prepare: Callable

    def split(self, X, y, order, rows=None):
        """Return the stream and the test rows of the random order with this number.

        The test rows are the same whatever the number of rows in the stream, which is a
        multiple of 100.
        """
        n_stream = min(N_STREAM, 2 * len(y) // 3) // 100 * 100
        rows_of = np.random.default_rng((SEED, order)).permutation(len(y))
        stream, test = rows_of[:n_stream], rows_of[n_stream : n_stream + N_TEST]
        X_stream, X_test = self.prepare(X[stream], X[test])
        kept = slice(0, rows)
        return Split(X_stream[kept], y[stream][kept].astype(int), X_test, y[test])


PROBLEMS = {
    "business": Problem(news, as_they_are),
    "C15": Problem(topic("C15"), as_they_are),
    "money-fx": Problem(data.money_fx, as_they_are),
    "covtype": Problem(of_class(data.covtype, 2), standardised),
    "MNIST odd": Problem(odd, as_they_are),
    "MNIST 9": Problem(of_class(data.mnist, 9), as_they_are),
    "noisy": Problem(noisy, standardised),
    "tumours": Problem(tumours, standardised),
}
#: Ships with scikit-learn, and is too small to say much.
TOY = ["tumours"]
