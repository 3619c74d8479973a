"""L2 logistic regressions that are trained together: the same losses, much sooner.

Rows are given by as many coordinates as there are rows with labels, if they have more
features than that. With one Hessian for all that leave out the same two rows, a
training takes microseconds; see `_leave_two_out`.
"""

from math import isfinite
from pickle import PicklingError

import numpy as np
from joblib import hash as hash_of
from scipy.sparse import issparse
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from ._leave_two_out import margins_with_each
from ._newton import probabilities, solve

#: By how much margins may be off, to first order, before they are corrected by that.
TOLERANCE = 1e-4

#: One group of rows to leave out, none.
NOBODY = np.empty((1, 0), dtype=np.intp)


def split(prototype):
    """Return the transformers of a candidate, None if it has none, and its model."""
    if not isinstance(prototype, Pipeline):
        return None, prototype
    return (prototype[:-1] if len(prototype) > 1 else None), prototype[-1]


def shared_key(before):
    """Return what transformers with the same parameters share, as far as is known."""
    try:
        return hash_of(before)
    except (AttributeError, TypeError, PicklingError):  # a function without a name
        return tuple(step for _, step in before.steps)


def why_not(prototype):
    """Return why a candidate is not among those that are trained together, or None."""
    before, model = split(prototype)
    steps = [] if before is None else [step for _, step in before.steps]
    if any(map(needs_labels, steps)):
        return "it has a transformer that may need labels"
    if hasattr(model, "l2_weight"):
        return None
    if type(model) is not LogisticRegression:
        return "it is not LogisticRegression"
    if model.l1_ratio or getattr(model, "penalty", None) not in ("l2", "deprecated"):
        return "its penalty is not L2"
    if not isfinite(model.C):
        return "it has no penalty"
    if model.C <= 0:
        return "its C is not positive"
    if model.class_weight is not None:
        return "it has class_weight"
    if model.fit_intercept and model.solver == "liblinear":
        return "it penalises the intercept"
    return None


def needs_labels(part):
    """Whether a transformer may need labels: by its tag, what it has, or a part."""
    if isinstance(part, list | tuple):  # steps of a pipeline, of a union
        return any(map(needs_labels, part))
    if not hasattr(part, "fit") or isinstance(part, type | FrozenEstimator):
        return False
    if hasattr(part, "estimator") or hasattr(part, "score_func"):
        return True
    if get_tags(part).target_tags.required:
        return True
    return any(map(needs_labels, part.get_params(deep=False).values()))


def l2_weight(model, n_rows):
    """Return the weight of the penalty beside the sum of the losses of so many rows."""
    return model.l2_weight(n_rows) if hasattr(model, "l2_weight") else 1 / model.C


class GramModels:
    """The candidate models, as `_value_of_information` wants them.

    Parameters
    ----------
    prototypes : list of classifier
        Logistic regressions, or pipelines that end in one.
    labelled : Labelled
        Rows with labels.
    is_validation : ndarray of bool of shape (n_labelled,)
        Which of them are the validation set.
    loss : callable
        ``loss(codes, probabilities) -> losses``.
    X : rows or None
        Candidates.
    n_candidates : int
        How many.
    transformers : callable
        ``transformers(before)``: trained transformers for what `split` returns.
    """

    prefer = "threads"

    def __init__(
        self, prototypes, labelled, is_validation, loss, X, n_candidates, transformers
    ):
        self.codes, self.loss = labelled.codes, loss
        self.n_models = len(prototypes)
        self.n_candidates = n_candidates
        self.validation = np.flatnonzero(is_validation)
        self.n_validation = len(self.validation)
        self.groups = []
        alike = {}
        for number, prototype in enumerate(prototypes):
            before, model = split(prototype)
            alike.setdefault((shared_key(before), model.fit_intercept), []).append(
                number
            )
        for numbers in alike.values():
            pairs = [split(prototypes[number]) for number in numbers]
            before, model = pairs[0]
            rows, others = labelled.rows, X
            if before is not None:
                change = transformers(before)
                rows = change.transform(rows)
                others = change.transform(others) if n_candidates else None
            group = Group(
                *coordinates(rows, others, model.fit_intercept),
                2.0 * labelled.codes - 1,
                [model for _, model in pairs],
            )
            self.groups.append((numbers, group))

    def _gather(self, answer):
        """Return what ``answer(group)`` is for each model, in the models' order."""
        out = [None] * self.n_models
        for numbers, group in self.groups:
            for number, part in zip(numbers, answer(group), strict=True):
                out[number] = part
        return np.array(out)

    def _losses(self, codes, margins):
        """Return the losses of models with these margins for class 1."""
        codes = np.broadcast_to(codes, margins.shape).ravel()
        losses = self.loss(codes, probabilities(margins).reshape(-1, 2))
        return losses.reshape(margins.shape)

    def trained(self):
        """Train on the training set."""
        margins = self._gather(lambda group: group.trained(self.validation))
        known, new = np.split(margins, [len(self.codes)], axis=1)
        losses = self._losses(self.codes[self.validation], known[:, self.validation])
        return losses, probabilities(new)

    def without(self, pairs):
        """Train without each pair."""
        rows = self.validation[pairs]
        margins = self._gather(lambda group: group.left_out(rows, False))
        return self._losses(self.codes[rows], margins)

    def without_one(self, rows, guesses):
        """Train without each row."""
        rows = self.validation[rows][:, None]
        margins = self._gather(lambda group: group.left_out(rows, True))
        own = self._losses(self.codes[rows[:, 0]], margins[..., 0])
        return own, self._losses(guesses, margins[..., 1:])

    def without_fold(self, rows):
        """Train without labelled rows, of either set."""
        margins = self._gather(lambda group: group.left_out(rows[None], False))
        return self._losses(self.codes[rows], margins[:, 0])

    def without_but_with(self, candidates, pairs, guesses):
        """Train without each pair, with each of these candidates."""
        margins = self._gather(
            lambda group: group.left_out_with(
                self.validation, pairs, candidates, guesses
            )
        )
        return self._losses(self.codes[self.validation[pairs]], margins)


class Group:
    """Logistic regressions that differ by their penalties only.

    Parameters
    ----------
    A : ndarray of shape (n_labelled, n_columns)
        Rows with labels; the last column is that of the intercept, if there is one.
    B : ndarray of shape (n_candidates, n_columns)
        Candidates.
    y : ndarray of shape (n_labelled,)
        Labels, -1 or 1.
    models : list of LogisticRegression
        The models.
    """

    def __init__(self, A, B, y, models):
        self.A, self.B, self.y = A, B, y
        self.free, self.models = models[0].fit_intercept, models
        self.left_two_out = None  # pairs, and what is found for them once

    def _solve(self, left_out, start=None):
        """Return the weights of shape (n_left_out, n_models, n_columns)."""
        left_out = np.ascontiguousarray(left_out)
        lams = self._lams(len(self.A) - left_out.shape[1])
        if start is not None:
            return solve(self.A, self.y, self.free, left_out, start, lams)
        order = np.argsort(-lams)  # each starts where a stronger penalty ended
        w = np.empty((len(left_out), len(lams), self.A.shape[1]))
        w[:, order] = solve(self.A, self.y, self.free, left_out, None, lams[order])
        return w

    def _lams(self, n_rows):
        return np.array([float(l2_weight(model, n_rows)) for model in self.models])

    def trained(self, validation):
        """Return the margins of all rows, trained without the validation set."""
        w = self._solve(validation[None])[0]
        return np.hstack([w @ self.A.T, w @ self.B.T])

    def left_out(self, rows, with_candidates):
        """Return the margins of what is left out, and of the candidates beside them.

        Parameters
        ----------
        rows : ndarray of int of shape (n_groups, size)
            What is left out.
        with_candidates : bool
            Whether the candidates' margins are wanted.
        """
        w = self._solve(rows, self._all()).swapaxes(0, 1)
        own = np.einsum("mgc,gkc->mgk", w, self.A[rows])
        return np.concatenate([own, w @ self.B.T], axis=2) if with_candidates else own

    def left_out_with(self, validation, pairs, candidates, guesses):
        """Return the margins of each pair, trained without it, with each candidate."""
        if self.left_two_out is None or self.left_two_out[0] is not pairs:
            self.left_two_out = pairs, self.without_two(validation, pairs)
        return margins_with_each(
            self.A,
            self.y,
            self.free,
            *self.left_two_out[1],
            self._lams(len(self.A) - 1),
            self.B[candidates],
            2.0 * guesses[candidates] - 1,
            TOLERANCE,
        )

    def without_two(self, validation, pairs):
        """Return rows, the pairs' positions among them, and solutions without these.

        The penalties are those with one more row.
        """
        kept, positions = np.unique(pairs, return_inverse=True)
        positions = np.ascontiguousarray(positions.reshape(pairs.shape), dtype=np.intp)
        rows = validation[kept]
        first, second = positions.T
        lams, everything = self._lams(len(self.A) - 1), self._all()
        all_rows = solve(self.A, self.y, self.free, NOBODY, everything, lams)
        one = solve(self.A, self.y, self.free, rows[:, None], all_rows, lams) - all_rows
        guess = all_rows + one[first] + one[second]
        both = solve(self.A, self.y, self.free, rows[positions], guess, lams) - guess
        by_model = (np.ascontiguousarray(part.swapaxes(0, 1)) for part in (one, both))
        return rows, positions, (all_rows[0], *by_model)

    def _all(self):
        """Return the weights trained on all rows."""
        return self._solve(NOBODY)[0]


def coordinates(rows, others, fit_intercept):
    """Return coordinates of rows and others with the same inner products.

    There are no more of them than rows; one more column holds what is left of the
    others outside the rows' span: each of them meets the rows alone.

    Parameters
    ----------
    rows : ndarray or sparse matrix of shape (n_samples, n_features)
        Rows that take part in training.
    others : ndarray or sparse matrix of shape (n_others, n_features), or None
        Rows of which at most one does.
    fit_intercept : bool
        Whether to add a column of ones.
    """
    rows = as_float64(rows)
    others = rows[:0] if others is None else as_float64(others)
    n, d = rows.shape
    if d <= n + 1:
        A, B = (part.toarray() if issparse(part) else part for part in (rows, others))
    else:
        gram, cross = (inner_products(part, rows) for part in (rows, others))
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
    """Return an array or CSR matrix of float64."""
    if issparse(X):
        return X.tocsr().astype(np.float64, copy=False)
    return np.asarray(X, dtype=np.float64)


def inner_products(first, second):
    """Return those of all rows of both, as an array."""
    product = first @ second.T
    return product.toarray() if issparse(product) else product
