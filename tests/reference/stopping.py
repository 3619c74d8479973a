"""Stopping rules, slow and obvious: functions of all that has happened so far.

The past is a list of rounds, one for each time that the learner was asked for rows: the
model that it had, the rows that were left, and all labels until then with their rows.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np


class Round(NamedTuple):
    """What there was when the learner was asked."""

    model: Any
    left: np.ndarray
    rows: np.ndarray
    labels: np.ndarray


def margin_exhausted(rounds):
    """No row inside the margin: values of 1, or the best two of a row 2 apart."""
    scores = rounds[-1].model.decision_function(rounds[-1].left)
    if scores.ndim == 1:
        return all(abs(scores) >= 1)
    return all(best - second >= 2 for *_, second, best in np.sort(scores))


def kappa(first, second):
    """Cohen's formula; no agreement if there is one class only."""
    pairs, labels = list(zip(first, second, strict=True)), {*first, *second}
    if len(labels) == 1:
        return 0.0
    agreed = sum(a == b for a, b in pairs) / len(pairs)
    shares = [
        [list(each).count(c) / len(pairs) for c in labels]
        for each in zip(*pairs, strict=True)
    ]
    by_chance = sum(a * b for a, b in zip(*shares, strict=True))
    return (agreed - by_chance) / (1 - by_chance)


def share_kept(first, second):
    """Share of the rows with the same class in both."""
    return sum(a == b for a, b in zip(first, second, strict=True)) / len(first)


def agreeing(agreement, threshold, patience):
    """The last purchases changed little, each as the rows that were left then show."""

    def stops(rounds):
        if len(rounds) <= patience:
            return False
        pairs = zip(rounds[-patience - 1 : -1], rounds[-patience:], strict=True)
        return all(
            agreement(before.model.predict(now.left), now.model.predict(now.left))
            >= threshold
            for before, now in pairs
        )

    return stops


def no_new_class(n_labels):
    """The last labels are all of classes that the others have."""

    def stops(rounds):
        labels = rounds[-1].labels.tolist()
        before = labels[: max(len(labels) - n_labels, 0)]
        return len(before) > 0 and set(labels) <= set(before)

    return stops


def no_error(n_labels):
    """The last labels were all known to the model of the purchase before."""

    def stops(rounds):
        right = []
        for before, now in pairwise(rounds):
            for i in range(len(before.labels), len(now.labels)):
                right.append(before.model.predict(now.rows[[i]])[0] == now.labels[i])
        return len(right) >= n_labels and all(right[-n_labels:])

    return stops


def label_price(cost, label, n_labels):
    """The changes since an earlier model are worth less than the labels since then.

    Kept are the first model and the first of each fifth of `n_labels` after it.
    """

    def stops(rounds):
        now, kept, olds = rounds[-1], [], []
        for each in rounds:
            if not kept or len(each.labels) - len(kept[-1].labels) >= n_labels / 5:
                kept.append(each)
        for each in kept:
            if len(now.labels) - len(each.labels) >= n_labels:
                olds.append(each)
        if not olds:
            return False
        old = olds[-1]
        pool = np.array([*now.left, *now.rows])
        both = zip(old.model.predict(pool), now.model.predict(pool), strict=True)
        share = (sum(a != b for a, b in both) + 1) / (len(pool) + 1)
        return cost * share * 0.3 < label * (len(now.labels) - len(old.labels))

    return stops


def all_of(*rules):
    """All of them stop at once."""
    return lambda rounds: all(rule(rounds) for rule in rules)


def first_stop(learner, X, y, stops):
    """Return how many labels are bought until a rule of the past stops it."""
    rounds, bought = [], []
    while len(rows := learner.query(X)):
        if hasattr(learner, "estimator_"):
            left = X[np.setdiff1d(np.arange(len(X)), bought)]
            rounds.append(Round(learner.estimator_, left, X[bought], y[bought]))
            if stops(rounds):
                return len(bought)
        bought += rows.tolist()
        learner.teach(X[rows], y[rows], classes=np.unique(y))
    return len(bought)
