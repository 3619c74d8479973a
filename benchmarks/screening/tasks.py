"""The screening tasks: rows as TF-IDF, and which of them are relevant.

Two systematic reviews, and topics of news: of 5,000 random news the topics that have
from 20 to 400 of them, every other one, so that the rest can serve to choose defaults.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import TfidfTransformer

from benchmarks import data

SEED = 0
N_NEWS, FEWEST, MOST = 5_000, 20, 400
#: Of the topics in the order of their frequency, the tasks are `N_TOPICS`
#: spread over it; `TUNING` are between them.
N_TOPICS = 14


class Task(NamedTuple):
    """Rows of which some are to be found."""

    X: Any
    y: np.ndarray  # of bool: relevant

    def start(self, seed):
        """Return a relevant row and another one, which are known before it begins."""
        rng = np.random.default_rng((SEED, seed))
        return np.array(
            [rng.choice(np.flatnonzero(self.y == is_it)) for is_it in (1, 0)]
        )


def review(name):
    """Return the function that loads titles and abstracts, as terms of 1 or 2 words."""

    def load():
        counts, y, _ = data.review(name)
        return Task(TfidfTransformer(sublinear_tf=True).fit_transform(counts), y)

    return load


@cache
def news():
    """Return 5,000 random news, their topics (0 or 1), and the topics' names."""
    X, topics, names = data.rcv1_topics()
    rows = np.random.default_rng(SEED).permutation(X.shape[0])[:N_NEWS]
    return X[np.sort(rows)], topics[np.sort(rows)], names


def topic_names():
    """Return the topics that have neither too few rows nor too many, rarest first."""
    _, topics, names = news()
    counts = topics.sum(axis=0, dtype=int)
    order = np.argsort(counts, kind="stable")
    return [str(names[i]) for i in order if FEWEST <= counts[i] <= MOST]


def topic(name):
    """Return the function that loads news and whether they have a topic."""

    def load():
        X, topics, names = news()
        return Task(X.astype(float), topics[:, list(names).index(name)] > 0)

    return load


def small_digits():
    """Return 400 small images of digits and whether they are 8: a toy."""
    X, y = load_digits(return_X_y=True)
    return Task(csr_matrix(X[:400] / 16), y[:400] == 8)


REVIEWS: dict[str, Callable[[], Task]] = {
    "kitchenham": review("kitchenham"),
    "proton": review("proton"),
}
TOY = {"digits": small_digits}


def all_tasks():
    """Return the functions that load the tasks, by name."""
    names = topic_names()
    chosen = np.linspace(0, len(names) - 1, N_TOPICS).round().astype(int)
    return REVIEWS | {names[i]: topic(names[i]) for i in chosen}


def tuning_tasks():
    """Return topics that are no tasks, as many, to choose defaults on."""
    names = [name for name in topic_names() if name not in all_tasks()]
    chosen = np.linspace(0, len(names) - 1, N_TOPICS).round().astype(int)
    return {names[i]: topic(names[i]) for i in chosen}
