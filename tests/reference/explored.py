"""The score of random rows, slow and obvious."""

from math import sqrt

import numpy as np
from scipy.stats import norm
from sklearn.base import clone


def answers(estimator, X, y, n_folds=10):
    """Say for each label whether a model without its fold predicts it."""
    labels, counts = np.unique(y, return_counts=True)
    folds = min(n_folds, sorted(counts)[-2])
    rows = [i for label in labels for i in range(len(y)) if y[i] == label]
    right = [False] * len(y)
    for k in range(folds if folds > 1 else 0):
        test = rows[k::folds]
        train = sorted(set(rows) - set(test))
        model = clone(estimator).fit(X[train], y[train])
        for i in test:
            right[i] = model.predict(X[i : i + 1])[0] == y[i]
    return right


def wilson(right, n_each, confidence):
    """The share of right ones and Wilson's interval for n / n_each of them."""
    n = len(right) / n_each
    p, z = sum(right) / len(right), norm.ppf((1 + confidence) / 2)
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return p, centre - half, centre + half


def score(estimator, X, y, is_random, confidence, balanced):
    """The score and its interval, from labelled rows and which were drawn."""
    right = answers(estimator, X, y)
    n_each = 1 if all(is_random) else 2
    groups = np.unique(y) if balanced else [None]
    parts = []
    for group in groups:
        some = [
            r
            for r, label, drawn in zip(right, y, is_random, strict=True)
            if drawn and (group is None or label == group)
        ]
        parts.append(wilson(some, n_each, confidence) if some else (None, 0.0, 1.0))
    known = [value for value, _, _ in parts if value is not None]
    mean = sum(known) / len(known)
    parts = [(mean if v is None else v, low, high) for v, low, high in parts]
    below = sqrt(sum((v - low) ** 2 for v, low, _ in parts)) / len(parts)
    above = sqrt(sum((high - v) ** 2 for v, _, high in parts)) / len(parts)
    return mean, max(mean - below, 0), min(mean + above, 1)
