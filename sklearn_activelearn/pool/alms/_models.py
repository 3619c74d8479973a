"""L2 logistic regressions that are trained together: the same losses, much sooner.

Rows are given by as many coordinates as there are rows with labels, if they have more
features than that. With one Hessian for all that leave out the same two rows, a
training takes microseconds; see `_leave_two_out`.
"""

from functools import partial
from math import isfinite
from pickle import PicklingError

import numpy as np
from joblib import Parallel, delayed
from joblib import hash as hash_of
from scipy.sparse import issparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from ..._base import unfitted_copy
from ..._scores import probabilities_of_all, scores_of
from ..._validation import check_has, check_number, check_option
from ...sources._containers import stack_rows, take
from .._training import (
    EPS,
    Trained,
    Trainer,
    middle_of_best,
    stratified_folds,
    train,
)
from ._leave_two_out import margins_with_each
from ._newton import probabilities, solve
from ._value_of_information import losses_without_one, lower_ends, model_probabilities

#: By how much margins may be off, to first order, before they are corrected by that.
TOLERANCE = 1e-4

#: One group of rows to leave out, none.
NOBODY = np.empty((1, 0), dtype=np.intp)


def log_loss(codes, probabilities):
    """Minus the logarithm of the probability of the right class."""
    return -np.log(np.maximum(probabilities[np.arange(len(codes)), codes], EPS))


def brier_loss(codes, probabilities):
    """Squared distance of the probabilities from those that know the class."""
    right = probabilities[np.arange(len(codes)), codes]
    return (probabilities**2).sum(axis=1) + 1 - 2 * right


#: By the names that `ALMSClassifier` takes; with "neg_", of scores.
LOSSES = {"log_loss": log_loss, "brier": brier_loss}


def checked_loss_values(loss, codes, probabilities):
    """Return what a user's loss says, if that is a finite number for each row."""
    losses = np.asarray(loss(codes, probabilities), dtype=np.float64)
    if losses.shape != codes.shape:
        raise ValueError(
            f"loss must return one number for each of {len(codes)} rows, got shape "
            f"{losses.shape}."
        )
    if not np.isfinite(losses).all():
        row = np.argmin(np.isfinite(losses))
        raise ValueError(
            f"loss must be finite, got {losses[row]} for class {codes[row]} and "
            f"probabilities {probabilities[row].tolist()}."
        )
    return losses


def loss_of(loss):
    """Return the loss of this name, or the user's own, checked."""
    return partial(checked_loss_values, loss) if callable(loss) else LOSSES[loss]


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


#: Fewest validation rows that a sigmoid is fitted to.
FEWEST = 5


def calibrated(model, rows, labels):
    """Return a model that has probabilities: a sigmoid fitted to rows (Platt).

    With few rows, or not the model's classes among them, it is 1 / (1 + exp(-f)).
    """
    if hasattr(model, "predict_proba"):
        return model
    from sklearn.calibration import CalibratedClassifierCV  # slow to import

    known = np.isin(labels, model.classes_)
    rows, labels = take(rows, np.flatnonzero(known)), labels[known]
    if len(labels) < FEWEST or len(np.unique(labels)) < len(model.classes_):
        return PlainSigmoid(model)
    # the model is not trained again: one fold of all rows will do
    fold = 2 * (np.arange(len(labels)),)
    sigmoid = CalibratedClassifierCV(
        FrozenEstimator(model), method="sigmoid", cv=[fold]
    )
    return sigmoid.fit(rows, labels)


class PlainSigmoid:
    """Probabilities 1 / (1 + exp(-f)) of decision values f, scaled to sum 1.

    Parameters
    ----------
    model : classifier
        Trained.
    """

    def __init__(self, model):
        self.model = model
        self.classes_ = model.classes_

    def predict_proba(self, X):
        """Return the class probabilities."""
        scores = scores_of(self.model, X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        p = expit(scores)
        return p / np.maximum(p.sum(axis=1, keepdims=True), np.finfo(float).tiny)


class RefittedModels:
    """The candidate models, as `_value_of_information` wants them.

    Parameters
    ----------
    prototypes : list of classifier
        Cloned for each training.
    labelled, is_validation, loss, X, n_candidates
        As for `GramModels`.
    classes : ndarray of shape (n_classes,)
        All labels.
    """

    prefer = "processes"

    def __init__(
        self, prototypes, labelled, is_validation, classes, loss, X, n_candidates
    ):
        self.prototypes = prototypes
        self.rows, self.codes = labelled.rows, labelled.codes
        self.classes, self.loss = classes, loss
        self.X, self.n_candidates = X, n_candidates
        self.training = np.flatnonzero(~is_validation)
        self.validation = np.flatnonzero(is_validation)
        self.n_validation = len(self.validation)

    def trained(self):
        """Train on the training set."""
        members = [
            self._model(p, self.training, self.validation) for p in self.prototypes
        ]
        losses = np.array([self._losses(member, self.validation) for member in members])
        if not self.n_candidates:
            return losses, None
        return losses, np.array([self._probabilities(m, self.X) for m in members])

    def without(self, pairs):
        """Train without each pair."""
        return np.array(
            [[self._left_out(p, pair) for pair in pairs] for p in self.prototypes]
        )

    def without_one(self, rows, guesses):
        """Train without each row."""
        own, others = [], []
        for prototype in self.prototypes:
            for row in rows:
                member = self._model(prototype, *self._but([row]))
                own.append(self._losses(member, self.validation[[row]])[0])
                if self.n_candidates:
                    predicted = self._probabilities(member, self.X)
                    others.append(self.loss(guesses, predicted))
        shape = len(self.prototypes), len(rows)
        return np.reshape(own, shape), np.reshape(others, (*shape, self.n_candidates))

    def without_fold(self, rows):
        """Train without labelled rows, of either set."""
        kept = np.setdiff1d(np.arange(len(self.codes)), rows)
        validation = np.setdiff1d(self.validation, rows)
        members = [self._model(p, kept, validation) for p in self.prototypes]
        return np.array([self._losses(member, rows) for member in members])

    def without_but_with(self, candidates, pairs, guesses):
        """Train without each pair, with each of these candidates."""
        return np.array(
            [
                [
                    [self._left_out(p, pair, x, guesses[x]) for pair in pairs]
                    for x in candidates
                ]
                for p in self.prototypes
            ]
        )

    def _but(self, left_out):
        """Return the rows of both sets, and of the validation set, but some."""
        kept = np.delete(self.validation, left_out)
        return np.sort(np.append(self.training, kept)), kept

    def _left_out(self, prototype, pair, *candidate):
        """Return the losses on a pair that training went without."""
        member = self._model(prototype, *self._but(pair), *candidate)
        return self._losses(member, self.validation[pair])

    def _model(self, prototype, rows, validation, x=None, code=None):
        """Return a model trained on these rows and a candidate, and calibrated."""
        X, codes = take(self.rows, rows), self.codes[rows]
        if x is not None:
            X, codes = stack_rows(X, take(self.X, [x])), np.append(codes, code)
        model = unfitted_copy(prototype).fit(X, self.classes[codes])
        if hasattr(model, "predict_proba"):
            return model
        labels = self.classes[self.codes[validation]]
        return calibrated(model, take(self.rows, validation), labels)

    def _losses(self, member, rows):
        """Return the losses on rows with these numbers."""
        p = self._probabilities(member, take(self.rows, rows))
        return self.loss(self.codes[rows], p)

    def _probabilities(self, member, X):
        return probabilities_of_all(member, X, self.classes)


#: What a label is for.
TRAIN, VALIDATION = "train", "validation"


class Allocation:
    """Which labels train the models, and which ones choose among them.

    Rows that nobody asked for are training data: they are no random sample.

    Parameters
    ----------
    labelled : Labelled
        Rows with labels.
    purposes : ndarray of str of shape (n_labelled,)
        What each of them was bought for.
    """

    def __init__(self, labelled, purposes):
        self.labelled = labelled
        self.is_validation = purposes == VALIDATION

    @classmethod
    def of(cls, labelled, requests):
        """Return that of labelled rows and what they were bought for."""
        return cls(labelled, requests.purposes[requests.taught])

    @property
    def names(self):
        """What each label is for."""
        return np.where(self.is_validation, VALIDATION, TRAIN)

    @property
    def can_validate(self):
        """Whether models can be trained on one set and judged by the other."""
        known = self.labelled.codes[~self.is_validation]
        return bool(self.is_validation.any()) and len(np.unique(known)) > 1

    @property
    def is_enough(self):
        """Whether the value of a label for either set can be estimated."""
        return self.can_validate and self.is_validation.sum() > 1

    def divided(self, rows):
        """Return the row numbers of the labels for each set, -1 left out."""
        names = self.names
        return {
            name: rows[(rows >= 0) & (names == name)] for name in (TRAIN, VALIDATION)
        }

    def calibrated(self, model, classes):
        """Return a model that has probabilities, if need be a sigmoid's."""
        rows = np.flatnonzero(self.is_validation)
        labels = classes[self.labelled.codes[rows]]
        return calibrated(model, take(self.labelled.rows, rows), labels)


def in_turn(bought, n_before):
    """Return a random purchase whose rows go to the two sets in turn."""
    turns = (n_before + np.arange(len(bought.rows))) % 2
    return bought._replace(purposes=np.where(turns == 0, TRAIN, VALIDATION))


class ALMSTrainer(Trainer):
    """Trains candidates on one set of labels and chooses among them by the other.

    Parameters
    ----------
    candidates : CandidateSet
        What to choose from.
    voi, loss, temperature, selection, cv, n_jobs
        As for `ALMSClassifier`.
    """

    def __init__(self, candidates, *, voi, loss, temperature, selection, cv, n_jobs):
        self.candidates = candidates
        self.voi, self.loss, self.temperature = voi, loss, temperature
        self.selection, self.cv, self.n_jobs = selection, cv, n_jobs

    @property
    def estimators(self):
        """The candidates, unfitted."""
        return self.candidates.estimators

    @property
    def keeps_pool(self):
        """Transformers are trained on the pool where models are trained together."""
        may_share = self._may_share(self.estimators)
        return may_share and any(split(estimator)[0] for estimator in self.estimators)

    def shares(self, known):
        """Whether the models can be trained together."""
        return len(known.classes) == 2 and self._may_share(known.prototypes)

    def _may_share(self, estimators):
        return self.voi != "refit" and not any(map(why_not, estimators))

    def check(self):
        super().check()
        check_number(self.cv, "cv", 2, closed="left", integer=True)
        check_option(self.voi, "voi", ("auto", "gram", "refit"))
        check_option(self.selection, "selection", ("cv", "leave_one_out", VALIDATION))
        if not callable(self.loss):
            check_option(self.loss, "loss", LOSSES)
        loss_of(self.loss)(np.array([0, 1]), np.array([[0.5, 0.5], [0.75, 0.25]]))
        if self.temperature is not None:
            check_number(self.temperature, "temperature", 0)
        for estimator in self.estimators:
            if not hasattr(estimator, "predict_proba"):
                if not hasattr(estimator, "decision_function"):
                    raise TypeError(
                        f"ALMSClassifier needs candidates with predict_proba or "
                        f"decision_function; {estimator} has neither."
                    )
                check_has("decision_function", estimator, "ALMSClassifier")
            if self.voi == "gram" and (reason := why_not(estimator)):
                raise ValueError(
                    f'voi="gram" does not go with {estimator}: {reason}. Use "refit".'
                )

    def adapt_tags(self, tags):
        super().adapt_tags(tags)
        tags.classifier_tags.multi_class &= self.voi != "gram"

    def check_number_of(self, classes):
        """Refuse more classes than were asked to be trained together."""
        if self.voi == "gram" and len(classes) > 2:
            raise ValueError(
                f'voi="gram" is for two classes, got {len(classes)}: '
                f'{classes.tolist()}. Use "auto" or "refit".'
            )

    def engine(self, known, X=None, n_candidates=0):
        """Return the candidates as the value of information wants them.

        Parameters
        ----------
        known : Known
            What they are trained on.
        X, n_candidates
            As for `GramModels`: the rows whose labels might be bought.
        """
        self.check_number_of(known.classes)  # `voi` may be new
        is_validation = Allocation(known.labelled, known.purposes).is_validation
        rows, loss = (known.labelled, is_validation), loss_of(self.loss)
        if not self.shares(known):
            return RefittedModels(
                known.prototypes, *rows, known.classes, loss, X, n_candidates
            )
        return GramModels(
            known.prototypes,
            *rows,
            loss,
            X,
            n_candidates,
            lambda before: transformers(before, known),
        )

    def weights(self, losses):
        """Return how probable each model is, given its losses on the validation set."""
        return model_probabilities(lower_ends(losses), self.temperature)

    def train(self, known, before):
        """Return the chosen candidate, trained on both sets."""
        models, m = self.engine(known), len(known.prototypes)
        can_validate = Allocation(known.labelled, known.purposes).can_validate
        probabilities = np.full(m, 1 / m)
        if can_validate:
            losses, _ = models.trained()
            probabilities = self.weights(losses)
        if self.selection == "cv" or not can_validate:
            losses = self._losses_in_cv(models, known.labelled)
        else:
            if self.selection == "leave_one_out":
                rows = np.arange(models.n_validation)
                nobody = np.empty(0, dtype=int)
                workers = Parallel(n_jobs=self.n_jobs, prefer=models.prefer)
                losses, _ = losses_without_one(workers, models, rows, nobody)
        best = middle_of_best(-losses.mean(axis=1))
        attributes = {
            "model_names_": self.candidates.names,
            "best_index_": best,
            "best_params_": self.candidates.settings[best],
        }
        model = self._trained_on_all(known, known.prototypes[best])
        return Trained(model, attributes, probabilities)

    def _losses_in_cv(self, models, labelled):
        """Return the loss of each model on each row in K-fold cross-validation.

        With one row of the second class there are no folds, and all losses are 0.
        """
        fold, n_folds = stratified_folds(labelled.codes, self.cv)
        losses = np.zeros((len(self.candidates.names), len(fold)))
        if n_folds > 1:
            folds = [np.flatnonzero(fold == k) for k in range(n_folds)]
            workers = Parallel(n_jobs=self.n_jobs, prefer=models.prefer)
            for rows, found in zip(
                folds, workers(map(delayed(models.without_fold), folds)), strict=True
            ):
                losses[:, rows] = found
        return losses

    def _trained_on_all(self, known, prototype):
        before, model = split(prototype)
        if before is None or not self.shares(known):
            return train(prototype, known.labelled, known.classes)
        change = transformers(before, known)
        labels = known.classes[known.labelled.codes]
        model = clone(model).fit(change.transform(known.labelled.rows), labels)
        steps = [*change.steps, (prototype.steps[-1][0], model)]
        return clone(prototype).set_params(steps=steps)


def transformers(before, known):
    """Return transformers trained on the pool and the labelled rows."""
    return known.pool.fitted(shared_key(before), clone(before).fit, known.labelled.rows)
