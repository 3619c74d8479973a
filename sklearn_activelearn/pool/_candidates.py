"""Candidate sets: several estimators, of which cross-validation chooses the best."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ParameterGrid

from .._containers import take
from .._validation import check_number
from ._training import Trained, Trainer, train


@dataclass(frozen=True)
class CandidateSet:
    """The models to choose from.

    Parameters
    ----------
    names : list of str
        What they are called.
    settings : list of dict
        What the grid sets in each.
    given : list of classifier
        Each before that.
    """

    names: list
    settings: list
    given: list

    @cached_property
    def estimators(self):
        """The candidates, unfitted."""
        return [
            clone(estimator).set_params(**params) if params else estimator
            for estimator, params in zip(self.given, self.settings, strict=True)
        ]


def candidate_set(estimator, param_grid, estimators, default_grid=None):
    """Return the candidates that a learner's parameters describe.

    Parameters
    ----------
    estimator : classifier or None
        The one in the grid, or the only one; None for a logistic regression.
    param_grid : dict, list of dict or None
        As for `GridSearchCV`.
    estimators : list of (str, classifier) or None
        The candidates themselves, instead.
    default_grid : dict or None
        The grid if nothing is given.
    """
    if estimators is not None:
        if estimator is not None or param_grid is not None:
            raise ValueError(
                "Pass either estimators, or estimator and param_grid, not both."
            )
        try:
            names, candidates = zip(*estimators, strict=True)
        except (TypeError, ValueError):
            raise ValueError(
                "estimators must be a list of (name, classifier), at least one, got "
                f"{estimators!r}."
            ) from None
        if len(set(names)) < len(names):
            raise ValueError(f"estimators has a name twice: {list(names)}.")
        return CandidateSet(list(names), [{}] * len(names), list(candidates))
    if estimator is None and param_grid is None:
        param_grid = default_grid
    estimator = LogisticRegression() if estimator is None else estimator
    if param_grid is None:
        return CandidateSet([type(estimator).__name__], [{}], [estimator])
    settings = list(ParameterGrid(param_grid))
    if not settings:
        raise ValueError(f"param_grid has no candidate: {param_grid!r}.")
    names = [str(params) for params in settings]
    return CandidateSet(names, settings, [estimator] * len(names))


class CandidateTrainer(Trainer):
    """Trains candidates; the best in cross-validation is the model.

    Parameters
    ----------
    candidates : CandidateSet
        What to train.
    cv : int
        Folds.
    n_jobs : int or None
        Processes that cross-validate.
    trains_all : bool
        Whether the others are trained on all labels, too: `estimators_`.
    """

    def __init__(self, candidates, *, cv, n_jobs, trains_all):
        self.candidates = candidates
        self.cv, self.n_jobs, self.trains_all = cv, n_jobs, trains_all

    @property
    def estimators(self):
        """The candidates, unfitted."""
        return self.candidates.estimators

    def check(self):
        """Raise if the number of folds is out of its range."""
        super().check()
        check_number(self.cv, "cv", 2, closed="left", integer=True)

    def train(self, known, before):
        """Return the best candidate, from scratch."""
        rows = known.labelled, known.classes
        scores = cv_accuracies(known.prototypes, *rows, self.cv, self.n_jobs)
        best = int(scores.argmax())
        attributes = {
            "model_names_": self.candidates.names,
            "cv_scores_": scores,
            "best_index_": best,
        }
        if not self.trains_all:
            return Trained(train(known.prototypes[best], *rows), attributes)
        models = [train(prototype, *rows) for prototype in known.prototypes]
        return Trained(models[best], {**attributes, "estimators_": models})


def cv_accuracies(prototypes, labelled, classes, cv, n_jobs):
    """Return the accuracy of each candidate in K-fold cross-validation.

    The folds are those of `stratified_folds`. With one row of the second largest class
    there is nothing to choose by, and all accuracies are 1; so is that of a candidate
    without a rival, which needs no validation.
    """
    fold, n_folds = stratified_folds(labelled.codes, cv)
    if n_folds < 2 or len(prototypes) == 1:
        return np.ones(len(prototypes))
    labels = classes[labelled.codes]
    hits = Parallel(n_jobs=n_jobs)(
        delayed(_hits)(prototype, labelled.rows, labels, fold == k)
        for prototype in prototypes
        for k in range(n_folds)
    )
    return np.reshape(hits, (len(prototypes), n_folds)).sum(axis=1) / len(labelled)


def stratified_folds(codes, n_folds):
    """Return the fold of each row, and how many folds there are.

    As many as are wanted, or fewer while the second largest class has fewer rows: each
    training set needs two classes.
    """
    n_folds = min(n_folds, np.sort(np.bincount(codes))[-2])
    fold = np.empty(len(codes), dtype=int)
    fold[np.argsort(codes, kind="stable")] = np.arange(len(codes)) % n_folds
    return fold, n_folds


def _hits(prototype, rows, labels, is_test):
    """Train on all folds but one, count the right predictions on that one."""
    training, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    model = clone(prototype).fit(take(rows, training), labels[training])
    return np.sum(model.predict(take(rows, test)) == labels[test])
