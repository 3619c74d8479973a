"""Models trained on labels of a pool, and what each other row is worth to them."""

import numpy as np
from scipy.special import expit

from sklearn_activelearn.base._labels import stratified_folds
from sklearn_activelearn.pool._committee import vote_entropy
from sklearn_activelearn.pool._training import EPS, middle_of_best
from sklearn_activelearn.pool.alms._models import Group, coordinates

from . import alms

_, MODEL, GRID = alms.candidates("heart", "mean")
MODELS = [type(MODEL)(lam, "mean") for lam in GRID["lam"]]


class Labelled:
    """Rows of a pool with labels -1 and 1, and models trained on them."""

    def __init__(self, pool, rows, models=MODELS):
        self.sign, self.models = pool.sign[rows], models
        everything = np.vstack([pool.X, pool.X_test])
        A, B = coordinates(pool.X[rows], everything, True)
        self.group = Group(A, B, self.sign, models)
        margins = self.without([])[:, len(rows) :]
        self.in_pool, self.in_test = np.split(margins, [len(pool.X)], axis=1)

    def without(self, rows):
        """Return the margins of all rows for models trained without some."""
        return self.group.trained(np.asarray(rows, dtype=np.intp))

    def held_out(self, fold):
        """Return the margin of each row for models trained without its fold."""
        margins = np.empty((len(self.models), len(fold)))
        for k in np.unique(fold):
            rows = np.flatnonzero(fold == k)
            margins[:, rows] = self.group.left_out(rows[None], False)[:, 0]
        return margins

    def cross_validated(self):
        """Return margins in cross-validation; without folds all models are right."""
        fold, n_folds = stratified_folds((self.sign > 0).astype(int), 5)
        if n_folds < 2:
            return np.tile(self.sign, (len(self.models), 1))
        return self.held_out(fold)


def losses_of(sign, margins):
    return -np.log(np.maximum(expit(sign * margins), EPS))


def best(losses, weights=1.0):
    """Return which model has the least (weighted) loss."""
    return middle_of_best(-(losses * weights).sum(axis=1))


def utility(kind, known, left, rng):
    """Return what each row that is left is worth."""
    margins = known.cross_validated()
    if kind == "uncertainty":
        chosen = best(losses_of(known.sign, margins))
        return -np.abs(known.in_pool[chosen, left])
    right = (margins * known.sign > 0).mean(axis=1)
    votes = known.in_pool[:, left] > 0
    votes = np.stack([~votes, votes], axis=-1).astype(float)
    ties = 1e-10 * rng.random(len(left))
    return vote_entropy(votes, right / right.sum()).round(9) + ties
