"""The data sets: each is a function of rows and labels, and one line of PROBLEMS.

A line also says what is done to the rows of a split, by the pool alone and without
labels. Four sets are kept aside: they were named before anything was measured, and are
run once, when the defaults have been chosen on the others.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.preprocessing import StandardScaler

from benchmarks.papers import data

SEED = 0
#: At most so many rows are for sale, and so many are predicted.
N_POOL, N_TEST = 1_500, 2_000
#: How often a row is in a pool of near-copies, and how far these are apart.
N_COPIES, SMALL = 10, 1e-3


def noisy():
    """Return six classes, one label in ten redrawn."""
    return make_classification(
        8_000,
        20,
        n_informative=10,
        n_classes=6,
        class_sep=1.5,
        flip_y=0.1,
        random_state=SEED,
    )


def letters():
    """Return 26 classes in 16 columns, one cloud each."""
    return make_classification(
        8_000,
        16,
        n_informative=12,
        n_classes=26,
        n_clusters_per_class=1,
        class_sep=2.0,
        flip_y=0.02,
        random_state=SEED,
    )


def tumours():
    """Return the breast cancer data: 569 rows of 30 columns, two classes."""
    return load_breast_cancer(return_X_y=True)


def news():
    """Return news as CSR, 1 for business and 0 for others."""
    X, y, _ = data.rcv1()
    return X, y


def desks():
    """Return news as CSR and the one of four main topics that each has."""
    return one_topic_each(["CCAT", "ECAT", "GCAT", "MCAT"])


def topics():
    """Return news as CSR and the one of ten frequent finer topics that each has."""
    names = ["C13", "C15", "C18", "C31", "E12", "E21", "GPOL", "GSPO", "M11", "M14"]
    return one_topic_each(names)


def one_topic_each(names):
    """Return the news that have exactly one of these topics, and which."""
    X, has, known = data.rcv1_topics()
    has = has[:, [list(known).index(name) for name in names]]
    kept = np.flatnonzero(has.sum(axis=1) == 1)
    return X[kept], has[kept].argmax(axis=1)


def uci(name):
    """Return the function that loads one of the small sets of two classes."""
    return lambda: data.uci(name)


def raetsch(name):
    """Return the function that loads one of Rätsch's sets."""
    return lambda: data.raetsch(name)[:2]


def as_they_are(pool, test):
    """Keep the rows: grey values, divided by their range."""
    return pool, test


def standardised(pool, test):
    """Give all columns of the pool mean 0 and variance 1."""
    scaler = StandardScaler().fit(pool)
    return scaler.transform(pool), scaler.transform(test)


def known_terms(pool, test):
    """Keep the columns that at least three rows of the pool have."""
    kept = np.flatnonzero(pool.getnnz(axis=0) >= 3)
    return pool[:, kept], test[:, kept]


class Split(NamedTuple):
    """A pool, its answer sheet, and the rows on which its models are scored."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


class Problem(NamedTuple):
    """A data set."""

    load: Callable
    prepare: Callable
    has_copies: bool = False

    def split(self, X, y, order, n_pool=N_POOL):
        """Return the random split with this number, at most `n_pool` rows for sale."""
        n_pool = min(n_pool, 2 * len(y) // 3)
        rows = np.random.default_rng((SEED, order)).permutation(len(y))
        pool, test = rows[:n_pool], rows[n_pool : n_pool + N_TEST]
        if self.has_copies:
            pool = np.repeat(pool[: len(pool) // N_COPIES], N_COPIES)
        X_pool, X_test = self.prepare(X[pool], X[test])
        if self.has_copies:
            rng = np.random.default_rng((SEED, order, 1))
            deviation = SMALL * X_pool.std(axis=0)
            X_pool = X_pool + deviation * rng.standard_normal(X_pool.shape)
        return Split(X_pool, y[pool], X_test, y[test])


PROBLEMS = {
    "digits": Problem(data.digits, as_they_are),
    "mnist": Problem(data.mnist, as_they_are),
    "usps": Problem(data.usps, as_they_are),
    "covtype": Problem(data.covtype, standardised),
    "noisy": Problem(noisy, standardised),
    "letters": Problem(letters, standardised),
    "desks": Problem(desks, known_terms),
    "topics": Problem(topics, known_terms),
    "tumours": Problem(tumours, standardised),
    "money-fx": Problem(data.money_fx, known_terms),
    "news": Problem(news, known_terms),
    "mushroom": Problem(uci("mushroom"), standardised),
    "pima": Problem(uci("pima"), standardised),
    "ionosphere": Problem(uci("ionosphere"), standardised),
    "splice": Problem(raetsch("splice"), standardised),
    "german": Problem(raetsch("german"), standardised),
    "banana": Problem(raetsch("banana"), standardised),
    "image": Problem(raetsch("image"), standardised),
}

#: Kept aside: ten classes, pixels and text; two classes, a small set and a clean one.
HELD_OUT = ["usps", "topics", "ionosphere", "image"]
#: A tenth of the rows of a pool, ten times, the columns apart by small deviations.
COPIES = ["digits, copies", "tumours, copies", "pima, copies", "german, copies"]
PROBLEMS |= {
    name: PROBLEMS[name.removesuffix(", copies")]._replace(has_copies=True)
    for name in COPIES
}


def sets_of(*, held_out=False, copies=False):
    """Return the names of the sets kept aside, of copies, or of all others."""
    names = (HELD_OUT if held_out else []) + (COPIES if copies else [])
    return names or [name for name in PROBLEMS if name not in HELD_OUT + COPIES]
