"""The pool half of `rare`: what learners find, and what the first rows may follow."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, balanced_accuracy_score

from benchmarks import data
from benchmarks.statistics import half_interval
from sklearn_activelearn import (
    MinMarginClassifier,
    PassiveClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.pool import PoolClassifier

BUDGET, BATCH = 100, 5


class LikeliestFirst(PoolClassifier):
    """Buys the rows that are most likely positive."""

    _needs = "predict_proba"

    def _utility(self, X):
        return self.estimator_.predict_proba(X)[:, -1]


MODEL = LogisticRegression(C=10, max_iter=1_000)
BALANCED = clone(MODEL).set_params(class_weight="balanced")
SIZES = {"n_initial": 10, "batch_size": BATCH, "budget": BUDGET}
#: By name: a learner, and whether its first rows are similar to a positive one.
POOL_LEARNERS = {
    "random": (PassiveClassifier(MODEL, **SIZES), False),
    "margin": (MinMarginClassifier(MODEL, **SIZES), False),
    "likeliest": (LikeliestFirst(MODEL, **SIZES), False),
    "margin, balanced": (MinMarginClassifier(BALANCED, **SIZES), False),
    "uncertainty, balanced": (UncertaintySamplingClassifier(BALANCED, **SIZES), False),
    "herding": (UncertaintyHerdingClassifier(MODEL, **SIZES), False),
    "herding, balanced": (UncertaintyHerdingClassifier(BALANCED, **SIZES), False),
    "margin, similar": (MinMarginClassifier(MODEL, **SIZES), True),
    "likeliest, similar": (LikeliestFirst(MODEL, **SIZES), True),
}
#: What the others are compared with.
RIVALS = ("random", "margin", "likeliest")


class PoolRun(NamedTuple):
    """What a learner found in a pool."""

    set: str
    share: float
    learner: str
    order: int
    positives: int
    found: int
    until_first: int  # labels, those of the budget and one if it found none
    accuracy: float  # balanced
    precision: float  # average

    @property
    def key(self):
        """What no other run has."""
        return self[:4]


def run_pool(key, split, budget=BUDGET):
    """Return what a learner finds in a pool."""
    _, _, learner, order = key
    model, is_similar = POOL_LEARNERS[learner]
    model = clone(model).set_params(random_state=order, budget=budget)
    if is_similar:
        first = np.flatnonzero(split.y_test)[[0]]
        model.set_params(initial=split.X_test[first])
    model.fit(split.X, split.y)
    bought = split.y[model.queried_indices_]
    scores = model.predict_proba(split.X_test)[:, 1]
    return PoolRun(
        *key,
        split.y.sum(),
        bought.sum(),
        np.argmax(bought) + 1 if bought.any() else budget + 1,
        balanced_accuracy_score(split.y_test, model.predict(split.X_test)),
        average_precision_score(split.y_test, scores),
    )


def pool_line(runs, learner):
    """Return the line of a learner: its means, and how it differs from the rivals."""
    own = {(run.set, run.order): run for run in runs if run.learner == learner}
    cells = [learner]
    for name, unit, digits in (
        ("found", 1, 1),
        ("until_first", 1, 0),
        ("accuracy", 100, 1),
        ("precision", 100, 1),
    ):
        values = [getattr(run, name) for run in own.values()]
        cells.append(f"{unit * np.mean(values):.{digits}f}")
    for rival in RIVALS:
        others = {(run.set, run.order): run for run in runs if run.learner == rival}
        for name, unit in (("found", 1), ("precision", 100)):
            both = own.keys() & others.keys()
            change = [
                unit * (getattr(own[key], name) - getattr(others[key], name))
                for key in both
            ]
            cells.append(with_interval(change) if rival != learner else "-")
    return " | ".join(cells)


def with_interval(values):
    """Return the mean of paired differences with its 95 % interval."""
    if len(values) < 2:
        return "-"
    return f"{np.mean(values):+.1f} ± {half_interval(values):.1f}"


def screening(name):
    """Return the function that loads titles and abstracts, and which are relevant.

    TF-IDF of the words that some of them have; only from its file.
    """

    def load():
        file = data.local_file(f"screening_{name}")
        if not file.exists():
            raise FileNotFoundError(f"{file} is needed.")
        with np.load(file, allow_pickle=False) as arrays:
            parts = arrays["data"], arrays["indices"].astype(int), arrays["indptr"]
            counts = csr_matrix(parts, shape=tuple(arrays["shape"]), dtype=float)
            is_word, y = arrays["is_one_word"].astype(bool), arrays["y"] > 0
        return counts[:, np.flatnonzero(is_word)], y

    return load


def words_for(split, first, last):
    """Return a row that has some words that tell positives from others.

    They are taken from the test rows, as somebody who knows the topic would name them:
    those whose mean weights differ most, from one rank to another.
    """
    y = split.y_test.astype(bool)
    means = [np.asarray(split.X_test[part].mean(axis=0)).ravel() for part in (y, ~y)]
    words = np.argsort(means[1] - means[0], kind="stable")[first:last]
    row = np.zeros((1, split.X.shape[1]))
    row[0, words] = 1 / len(words) ** 0.5
    return csr_matrix(row)


def starts_of(split):
    """Return by name what the first rows may follow."""
    positive = split.X_test[np.flatnonzero(split.y_test)[[0]]]
    starts = {"random": "random", "herding": "herding", "one positive": positive}
    if issparse(split.X):
        starts["3 words"] = words_for(split, 0, 3)
        starts["words 11 to 13"] = words_for(split, 10, 13)
    return starts


def labels_until_first(split, initial, order):
    """Return how many labels are bought until the first positive one."""
    learner = MinMarginClassifier(
        n_initial=len(split.y), initial=initial, budget=None, random_state=order
    )
    if isinstance(initial, str) and initial == "herding":
        learner.set_params(n_initial=10)
    found = 0
    while True:
        rows = learner.query(split.X)
        if split.y[rows].any():
            return found + int(np.argmax(split.y[rows])) + 1
        found += len(rows)
        learner.teach(split.X[rows], split.y[rows])
