"""The candidate models: refitted one by one, or logistic regressions trained jointly.

Joint training gives the same losses much sooner. Rows are given by their coordinates in
the span of the labelled rows, if they have more features than that. With one Hessian
for all trainings that leave out the same two rows, a training takes microseconds; see
`_logistic`.
"""

from math import inf
from pickle import PicklingError

import numpy as np
from joblib import hash as hash_of
from scipy.sparse import issparse
from scipy.special import entr, expit
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from ...base._scores import probabilities_of_all, scores_of
from ...base._verbs import unfitted_copy
from ...sources._containers import n_rows, stack_rows, take
from .._training import EPS
from ._logistic import (
    margins_with_each,
    mean_entropies,
    probabilities,
    solve,
    weights_with_each,
)

#: Largest error of margins, to first order, at which a training ends; then it is
#: corrected.
TOLERANCE = 1e-4

#: One group of rows to leave out, which is empty.
NOBODY = np.empty((1, 0), dtype=np.intp)

#: Number of margins that are held in memory at a time.
BLOCK = 2**20

#: Fewest validation rows to which a sigmoid is fitted.
FEWEST = 5


def log_loss(codes, probabilities):
    """Return minus the logarithm of the probability of the right class."""
    return -np.log(np.maximum(probabilities[np.arange(len(codes)), codes], EPS))


def split(prototype):
    """Return the transformers of a candidate, None if it has none, and its model."""
    if not isinstance(prototype, Pipeline):
        return None, prototype
    return (prototype[:-1] if len(prototype) > 1 else None), prototype[-1]


def shared_key(before):
    """Return a key that is equal for transformers with equal parameters.

    Transformers that cannot be hashed get different keys.
    """
    try:
        return hash_of(before)
    except (AttributeError, TypeError, PicklingError):  # a function without a name
        return tuple(step for _, step in before.steps)


def can_train_jointly(prototype):
    """Return True for L2 logistic regressions whose transformers need no labels."""
    before, model = split(prototype)
    if before is not None and needs_labels(before.steps):
        return False
    return hasattr(model, "l2_weight") or (
        type(model) is LogisticRegression
        and not model.l1_ratio
        and getattr(model, "penalty", None) in ("l2", "deprecated")
        and 0 < model.C < inf
        and model.class_weight is None
        and not (model.fit_intercept and model.solver == "liblinear")
    )


def needs_labels(part):
    """Return True if a transformer, or a part of it, may need labels."""
    if isinstance(part, list | tuple):  # steps of a pipeline or of a union
        return any(map(needs_labels, part))
    if not hasattr(part, "fit") or isinstance(part, type | FrozenEstimator):
        return False
    if hasattr(part, "estimator") or hasattr(part, "score_func"):
        return True
    if get_tags(part).target_tags.required:
        return True
    return any(map(needs_labels, part.get_params(deep=False).values()))


def l2_weight(model, n_rows):
    return model.l2_weight(n_rows) if hasattr(model, "l2_weight") else 1 / model.C


class JointModels:
    """Logistic regressions that are trained jointly, for `values_of_information`.

    Parameters
    ----------
    prototypes : list of classifier
        Logistic regressions, or pipelines that end in one.
    labelled : Labelled
        Labelled rows.
    is_validation : ndarray of bool of shape (n_labelled,)
        True for the rows of the validation set.
    X : rows or None
        Candidates for the next label.
    fit_transformers : callable, optional
        ``fit_transformers(before)`` fits the transformers that `split` returns.
    """

    prefer = "threads"

    def __init__(
        self, prototypes, labelled, is_validation, X=None, fit_transformers=None
    ):
        self.codes, self.n_models = labelled.codes, len(prototypes)
        self.n_candidates = 0 if X is None else n_rows(X)
        self.validation = np.flatnonzero(is_validation)
        self.n_validation = len(self.validation)
        alike = {}
        for number, prototype in enumerate(prototypes):
            before, model = split(prototype)
            key = shared_key(before), model.fit_intercept
            alike.setdefault(key, []).append(number)
        self.groups = []
        for numbers in alike.values():
            before, _ = split(prototypes[numbers[0]])
            models = [split(prototypes[number])[1] for number in numbers]
            rows, others = labelled.rows, X
            if before is not None:
                fitted = fit_transformers(before)
                rows = fitted.transform(rows)
                others = fitted.transform(others) if self.n_candidates else None
            A, B = coordinates(rows, others, models[0].fit_intercept)
            group = Group(A, B, 2.0 * labelled.codes - 1, models, others)
            self.groups.append((numbers, group))

    def _gather(self, method, *args):
        """Return the margins ``method(group, *args)`` in the order of the models."""
        out = [None] * self.n_models
        for numbers, group in self.groups:
            for number, part in zip(numbers, method(group, *args), strict=True):
                out[number] = part
        return np.array(out)

    def _losses(self, codes, margins):
        """Return the losses for margins of class 1."""
        codes = np.broadcast_to(codes, margins.shape).ravel()
        losses = log_loss(codes, probabilities(margins).reshape(-1, 2))
        return losses.reshape(margins.shape)

    def trained(self):
        margins = self._gather(Group.trained, self.validation)
        known, new = np.split(margins, [len(self.codes)], axis=1)
        losses = self._losses(self.codes[self.validation], known[:, self.validation])
        return losses, probabilities(new)

    def without(self, pairs):
        rows = self.validation[pairs]
        return self._losses(self.codes[rows], self._gather(Group.left_out, rows))

    def without_one(self, rows, guesses):
        rows = self.validation[rows][:, None]
        margins = self._gather(Group.left_out, rows, True)
        own = self._losses(self.codes[rows[:, 0]], margins[..., 0])
        return own, self._losses(guesses, margins[..., 1:])

    def without_fold(self, rows):
        margins = self._gather(Group.left_out, rows[None])
        return self._losses(self.codes[rows], margins[:, 0])

    def without_but_with(self, candidates, pairs, guesses):
        margins = self._gather(
            Group.left_out_with, self.validation, pairs, candidates, guesses
        )
        return self._losses(self.codes[self.validation[pairs]], margins)

    def entropies_with(self, candidates, code):
        size = max(1, BLOCK // (self.n_models * self.n_candidates))
        parts = np.split(candidates, range(size, len(candidates), size))
        found = [self._gather(Group.entropies_with, part, code) for part in parts]
        return np.concatenate(found, axis=1)


class Group:
    """Logistic regressions that differ only in their penalties.

    Parameters
    ----------
    A : ndarray of shape (n_labelled, n_columns)
        Labelled rows. If there is an intercept, the last column is 1.
    B : ndarray of shape (n_candidates, n_columns)
        Candidates.
    y : ndarray of shape (n_labelled,)
        Labels, -1 or 1.
    models : list of LogisticRegression
        The models.
    others : rows, optional
        The candidates as `coordinates` got them, for `entropies_with`.
    """

    def __init__(self, A, B, y, models, others=None):
        self.A, self.B, self.y, self.others = A, B, y, others
        self.free, self.models = models[0].fit_intercept, models
        self.left_two_out = None  # pairs, and the result of `without_two` for them

    def _penalties(self, n_rows):
        """Return the weight of each model's penalty beside the sum of the losses."""
        return np.array([float(l2_weight(model, n_rows)) for model in self.models])

    def _solve(self, left_out, start=None):
        """Return the weights, of shape (n_left_out, n_models, n_columns)."""
        left_out = np.ascontiguousarray(left_out)
        lams = self._penalties(len(self.A) - left_out.shape[1])
        if start is not None:
            return solve(self.A, self.y, self.free, left_out, start, lams)
        order = np.argsort(-lams)  # each starts where a stronger penalty ended
        w = np.empty((len(left_out), len(lams), self.A.shape[1]))
        w[:, order] = solve(self.A, self.y, self.free, left_out, None, lams[order])
        return w

    def trained(self, validation):
        """Return the margins of all rows, trained without the validation set."""
        w = self._solve(validation[None])[0]
        return np.hstack([w @ self.A.T, w @ self.B.T])

    def left_out(self, rows, with_candidates=False):
        """Return the margins of the rows left out, and of the candidates beside them.

        Parameters
        ----------
        rows : ndarray of int of shape (n_groups, size)
            Rows that each training goes without.
        with_candidates : bool
            Also return the margins of the candidates.
        """
        w = self._solve(rows, self._solve(NOBODY)[0]).swapaxes(0, 1)
        own = np.einsum("mgc,gkc->mgk", w, self.A[rows])
        return np.concatenate([own, w @ self.B.T], axis=2) if with_candidates else own

    def left_out_with(self, validation, pairs, candidates, guesses):
        """Return the margins of each pair, trained without it but with a candidate."""
        if self.left_two_out is None or self.left_two_out[0] is not pairs:
            self.left_two_out = pairs, self.without_two(validation, pairs)
        return margins_with_each(
            self.A,
            self.y,
            self.free,
            *self.left_two_out[1],
            self._penalties(len(self.A) - 1),
            self.B[candidates],
            2.0 * guesses[candidates] - 1,
            TOLERANCE,
        )

    def without_two(self, validation, pairs):
        """Return rows, the pairs' positions among them, and solutions without pairs.

        The penalties are those for one more row.
        """
        kept, positions = np.unique(pairs, return_inverse=True)
        positions = np.ascontiguousarray(positions.reshape(pairs.shape), dtype=np.intp)
        rows = validation[kept]
        first, second = positions.T
        problem = self.A, self.y, self.free
        lams, start = self._penalties(len(self.A) - 1), self._solve(NOBODY)[0]
        all_rows = solve(*problem, NOBODY, start, lams)
        one = solve(*problem, rows[:, None], all_rows, lams) - all_rows
        guess = all_rows + one[first] + one[second]
        both = solve(*problem, rows[positions], guess, lams) - guess
        by_model = (np.ascontiguousarray(part.swapaxes(0, 1)) for part in (one, both))
        return rows, positions, (all_rows[0], *by_model)

    def entropies_with(self, candidates, code):
        """Return the mean entropy on all candidates, trained with one as of a class."""
        lams, start = self._penalties(len(self.A) + 1), self._solve(NOBODY)[0]
        w = weights_with_each(
            self.A, self.y, self.free,
            solve(self.A, self.y, self.free, NOBODY, start, lams)[0], lams,
            self.B[candidates], np.full(len(candidates), 2.0 * code - 1),
        )  # fmt: skip
        margins = w @ self.B.T
        n_columns = self.B.shape[1] - self.free
        if n_columns < self.others.shape[1]:
            # the last coordinate is the length of what is outside the span, but two
            # candidates are outside in different directions
            rest, inside = self.B[:, n_columns - 1], self.B[:, : n_columns - 1]
            new = as_float64(take(self.others, candidates))
            products = new @ as_float64(self.others).T
            products = products.toarray() if issparse(products) else products
            products = products - inside[candidates] @ inside.T
            products -= np.outer(rest[candidates], rest)
            own = rest[candidates]
            share = np.divide(
                w[..., n_columns - 1], own, out=np.zeros(w.shape[:2]), where=own > 0
            )
            margins += share[..., None] * products
        return mean_entropies(margins)


def coordinates(rows, others, fit_intercept):
    """Return coordinates of rows and others with the same inner products.

    There are at most as many coordinates as rows, and one more for the part of each
    other row that lies outside the span of the rows.

    Parameters
    ----------
    rows : ndarray or sparse matrix of shape (n_samples, n_features)
        Rows of the training.
    others : ndarray or sparse matrix of shape (n_others, n_features), or None
        Rows of which at most one takes part in a training.
    fit_intercept : bool
        Append a column of ones.
    """
    rows = as_float64(rows)
    others = rows[:0] if others is None else as_float64(others)
    n, d = rows.shape
    if d <= n + 1:
        A, B = (part.toarray() if issparse(part) else part for part in (rows, others))
    else:
        gram, cross = (
            product.toarray() if issparse(product) else product
            for product in (rows @ rows.T, others @ rows.T)
        )
        values, vectors = np.linalg.eigh(gram)
        kept = values > values[-1] * n * np.finfo(float).eps
        basis = vectors[:, kept] / np.sqrt(values[kept])
        A, B = gram @ basis, cross @ basis
        square = others.multiply(others) if issparse(others) else others**2
        rest = np.asarray(square.sum(axis=1)).ravel() - (B**2).sum(axis=1)
        A = np.column_stack([A, np.zeros(n)])
        B = np.column_stack([B, np.sqrt(np.maximum(rest, 0))])
    parts = (
        np.hstack([part, np.ones((len(part), int(fit_intercept)))]) for part in (A, B)
    )
    return tuple(np.ascontiguousarray(part) for part in parts)


def as_float64(X):
    if issparse(X):
        return X.tocsr().astype(np.float64, copy=False)
    return np.asarray(X, dtype=np.float64)


class RefittedModels:
    """Candidate models that are fitted again for each training.

    Parameters
    ----------
    prototypes : list of classifier
        Cloned for each training.
    labelled, is_validation, X
        As for `JointModels`.
    classes : ndarray of shape (n_classes,)
        All labels.
    """

    prefer = "processes"

    def __init__(self, prototypes, labelled, is_validation, classes, X=None):
        self.prototypes, self.classes = prototypes, classes
        self.rows, self.codes = labelled.rows, labelled.codes
        self.X, self.n_candidates = X, 0 if X is None else n_rows(X)
        self.training = np.flatnonzero(~is_validation)
        self.validation = np.flatnonzero(is_validation)
        self.n_validation = len(self.validation)

    def trained(self):
        members = self._fit_all(self.training, self.validation)
        losses = np.empty((len(members), 0))
        if self.n_validation:
            of_each = [self._losses(member, self.validation) for member in members]
            losses = np.array(of_each)
        if not self.n_candidates:
            return losses, None
        return losses, np.array([self._probabilities(m, self.X) for m in members])

    def without(self, pairs):
        losses = [self._left_out(pair) for pair in pairs]
        return np.ascontiguousarray(np.swapaxes(losses, 0, 1))

    def without_one(self, rows, guesses):
        own, others = [], []
        for row in rows:
            for member in self._fit_all(*self._kept_without([row])):
                own.append(self._losses(member, self.validation[[row]])[0])
                if self.n_candidates:
                    predicted = self._probabilities(member, self.X)
                    others.append(log_loss(guesses, predicted))
        shape = len(rows), len(self.prototypes)
        others = np.reshape(others, (*shape, self.n_candidates))
        by_model = np.reshape(own, shape).T, others.swapaxes(0, 1)
        return tuple(map(np.ascontiguousarray, by_model))

    def without_fold(self, rows):
        kept = np.setdiff1d(np.arange(len(self.codes)), rows)
        members = self._fit_all(kept, np.setdiff1d(self.validation, rows))
        return np.array([self._losses(member, rows) for member in members])

    def without_but_with(self, candidates, pairs, guesses):
        losses = [
            [self._left_out(pair, x, guesses[x]) for pair in pairs] for x in candidates
        ]
        return np.ascontiguousarray(np.moveaxis(losses, 2, 0))

    def entropies_with(self, candidates, code):
        everything = np.append(self.training, self.validation)
        means = [
            [
                entr(self._probabilities(member, self.X)).sum(axis=1).mean()
                for member in self._fit_all(everything, self.validation, x, code)
            ]
            for x in candidates
        ]
        return np.reshape(means, (len(candidates), len(self.prototypes))).T

    def _kept_without(self, left_out):
        """Return the rows of both sets, and of the validation set, that are kept."""
        kept = np.delete(self.validation, left_out)
        return np.sort(np.append(self.training, kept)), kept

    def _left_out(self, pair, *candidate):
        """Return the losses of all models on a pair that training goes without."""
        members = self._fit_all(*self._kept_without(pair), *candidate)
        return [self._losses(member, self.validation[pair]) for member in members]

    def _fit_all(self, rows, validation, x=None, code=None):
        """Fit all models on labelled rows and a candidate; calibrate them."""
        X, codes = take(self.rows, rows), self.codes[rows]
        if x is not None:
            X, codes = stack_rows(X, take(self.X, [x])), np.append(codes, code)
        models = [unfitted_copy(p).fit(X, self.classes[codes]) for p in self.prototypes]
        labels = self.classes[self.codes[validation]]
        return [calibrated(model, self.rows, validation, labels) for model in models]

    def _losses(self, member, rows):
        p = self._probabilities(member, take(self.rows, rows))
        return log_loss(self.codes[rows], p)

    def _probabilities(self, member, X):
        return probabilities_of_all(member, X, self.classes)


def calibrated(model, X, rows, labels):
    """Return a model that has probabilities, from a sigmoid if need be (Platt).

    With fewer than 5 rows, or without a row of each of the model's classes, the
    probabilities are 1 / (1 + exp(-f)).

    Parameters
    ----------
    model : classifier
        A fitted model, returned unchanged if it has `predict_proba`.
    X : rows
        Labelled rows.
    rows : ndarray of int
        Numbers of the rows to which the sigmoid is fitted.
    labels : ndarray
        Labels of these rows.
    """
    if hasattr(model, "predict_proba"):
        return model
    from sklearn.calibration import CalibratedClassifierCV  # slow to import

    known = np.isin(labels, model.classes_)
    rows, labels = rows[known], labels[known]
    if len(labels) < FEWEST or len(np.unique(labels)) < len(model.classes_):
        return PlainSigmoid(model)
    # the model is not trained again, so one fold of all rows is enough
    fold = 2 * (np.arange(len(labels)),)
    sigmoid = CalibratedClassifierCV(
        FrozenEstimator(model), method="sigmoid", cv=[fold]
    )
    return sigmoid.fit(take(X, rows), labels)


class PlainSigmoid:
    """Probabilities 1 / (1 + exp(-f)) of decision values f, scaled to sum 1."""

    def __init__(self, model):
        self.model = model
        self.classes_ = model.classes_

    def predict_proba(self, X):
        scores = scores_of(self.model, X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        p = expit(scores)
        return p / np.maximum(p.sum(axis=1, keepdims=True), np.finfo(float).tiny)
