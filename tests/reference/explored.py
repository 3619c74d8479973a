"""The score of random rows, slow and obvious."""

import math

import numpy as np
from scipy.stats import beta
from sklearn.base import clone


def answers(estimator, X, y, tested):
    """Say of each tested label whether a model without its fold predicts it."""
    n_folds = min(len(tested), max(2, math.ceil(10 * len(tested) / len(y))))
    rows = [i for label in np.unique(y) for i in tested if y[i] == label]
    right = {}
    for k in range(n_folds):
        test = rows[k::n_folds]
        train = sorted(set(range(len(y))) - set(test))
        two_classes = len(set(y[train])) > 1
        model = clone(estimator).fit(X[train], y[train]) if two_classes else None
        for i in test:
            right[i] = two_classes and model.predict(X[i : i + 1])[0] == y[i]
    return right


def score(estimator, X, y, is_random, confidence, balanced):
    """The score and its interval, from labelled rows and which were drawn."""
    rows = [i for i in range(len(y)) if is_random[i]]
    right = answers(estimator, X, y, rows)
    weight = dict.fromkeys(rows, 1.0)
    if balanced:
        weight = {i: 1 / sum(y[j] == y[i] for j in rows) for i in rows}
    p = sum(weight[i] * right[i] for i in rows) / sum(weight.values())
    n = sum(weight.values()) ** 2 / sum(w * w for w in weight.values())
    n = n if all(is_random) else n / 2
    tail = (1 - confidence) / 2
    low = beta.ppf(tail, n * p, n * (1 - p) + 1) if p > 0 else 0.0
    high = beta.ppf(1 - tail, n * p + 1, n * (1 - p)) if p < 1 else 1.0
    missing = 0.0
    if balanced:
        missing = 1 - len({y[i] for i in rows}) / len(set(y))
    return p, (1 - missing) * low, (1 - missing) * high + missing
