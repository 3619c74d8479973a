"""The score of random rows, slow and obvious."""

from scipy.stats import beta
from sklearn.base import clone

from .pool import folds_of


def answers(estimator, X, y, n_folds=5):
    """Say for each label whether a model without its fold predicts it."""
    right = [False] * len(y)
    for train, test in folds_of(y, n_folds):
        model = clone(estimator).fit(X[train], y[train])
        for i in test:
            right[i] = model.predict(X[i : i + 1])[0] == y[i]
    return right


def score(estimator, X, y, is_random, confidence, balanced):
    """The score and its interval, from labelled rows and which were drawn."""
    right = answers(estimator, X, y)
    rows = [i for i in range(len(y)) if is_random[i]]
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
