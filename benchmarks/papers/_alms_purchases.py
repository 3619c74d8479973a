"""Purchases of `alms_ideas`: rows of high utility, random ones, and those of ALMS."""

import numpy as np
from scipy.special import expit

from sklearn_activelearn._labels import stratified_folds
from sklearn_activelearn.pool import Known
from sklearn_activelearn.pool._committee import vote_entropy
from sklearn_activelearn.pool._selection import draw_rows, ranked_purchase
from sklearn_activelearn.pool._training import EPS, middle_of_best
from sklearn_activelearn.pool.alms._alms import TRAIN, VALIDATION, in_turn
from sklearn_activelearn.pool.alms._models import Group, coordinates

from . import alms
from ._alms_variants import ALMSVariant

#: Labels of random rows, the same for all methods.
INITIAL = 10

_, MODEL, GRID = alms.candidates("heart", "mean")
MODELS = [type(MODEL)(lam, "mean") for lam in GRID["lam"]]

#: What buys the rows, and how many of 100 are random ones all the same.
MIXED = {"random": ("random", 100)} | {
    kind + (f", {share} % random" if share else ""): (kind, share)
    for kind in ("uncertainty", "QBC")
    for share in (0, 10, 20, 33)
}

#: Options of ALMS, and which share of the later labels may validate, at most.
BOUNDED = {
    "ALMS": ({}, 1),
    "ALMS, V <= 1/3": ({}, 1 / 3),
    "ALMS, V <= 0": ({}, 0),
    "ALMS, T=.1, V <= 0": ({"temperature": 0.1}, 0),
    "ALMS, expected": ({"label": "expected"}, 1),
    "ALMS, expected, V <= 0": ({"label": "expected"}, 0),
    "ALMS, expected, T=.1, V <= 0": ({"label": "expected", "temperature": 0.1}, 0),
}


class BoundedALMS(ALMSVariant):
    """ALMS that begins with the rows `first`; V gets no more than the share `bound`."""

    def _select_without_model(self, X, rows, n_wanted, seed):
        bought = draw_rows(rows, n_wanted, seed)
        if self.n_queries_ == 0:
            bought = bought._replace(rows=self.first)
        return in_turn(bought, self.n_queries_)

    def _select(self, X, rows, n_wanted, seed):
        later = self.allocation_[INITIAL:] == VALIDATION
        if later.sum() + 1 <= self.bound * (len(later) + 1):
            return super()._select(X, rows, n_wanted, seed)
        rng = np.random.default_rng(seed)
        offered = rng.permutation(rows)[: self.n_candidates]
        values, _ = self._make_trainer().values_of_information(
            Known.of(self), X[offered], self.n_pairs, rng
        )
        best = [values.argmax()]
        return ranked_purchase(offered[best], values[best], TRAIN)


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


def mixed(method, pool, first, n_labels, rng):
    """Buy rows of the highest utility and random ones; say which these are."""
    kind, share = MIXED[method]
    rows, is_random = list(first), [True] * len(first)
    while len(rows) < n_labels:
        left = np.setdiff1d(np.arange(len(pool.X)), rows)
        is_random.append(bool(rng.integers(100) < share))
        row = rng.choice(left)
        if not is_random[-1]:
            row = left[utility(kind, Labelled(pool, rows), left, rng).argmax()]
        rows.append(row)
    return np.array(rows), np.array(is_random)


def by_alms(method, pool, first, n_labels, seed):
    """Buy rows as ALMS does; those that validate are random."""
    options, bound = BOUNDED[method]
    learner = BoundedALMS(MODEL, param_grid=GRID, **alms.SIZES)
    learner.set_params(n_initial=len(first), budget=n_labels, random_state=seed)
    vars(learner).update(options, first=first, bound=bound)
    learner.fit(pool.X, pool.sign)
    is_random = learner.allocation_ == VALIDATION
    is_random[: len(first)] = True
    return learner.queried_indices_, is_random
