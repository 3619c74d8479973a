"""Candidate sets: several estimators, of which cross-validation chooses the best."""

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ParameterGrid

from .._containers import take
from .._validation import check_number


def expand(estimator, param_grid, estimators):
    """Return the names and the estimators of a candidate set.

    Parameters
    ----------
    estimator : classifier or None
        The one in the grid, or the only one; None for a logistic regression.
    param_grid : dict, list of dict or None
        As for `GridSearchCV`.
    estimators : list of (str, classifier) or None
        The candidates themselves, instead.
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
        return list(names), list(candidates)
    estimator = LogisticRegression() if estimator is None else estimator
    if param_grid is None:
        return [type(estimator).__name__], [estimator]
    settings = list(ParameterGrid(param_grid))
    if not settings:
        raise ValueError(f"param_grid has no candidate: {param_grid!r}.")
    candidates = [clone(estimator).set_params(**params) for params in settings]
    return [str(params) for params in settings], candidates


class CandidateSet:
    """A learner with `estimator`, `param_grid`, `estimators` and `cv`."""

    #: The grid of the default estimator, if the user names nothing.
    _default_grid = None

    def _candidates(self):
        """Return the names and the estimators of the candidates."""
        given = self.estimator, self.param_grid, self.estimators
        nothing = all(part is None for part in given)
        return expand(None, self._default_grid, None) if nothing else expand(*given)

    def _unfitted(self):
        return self._candidates()[1]

    def _check_parameters(self):
        check_number(self.cv, "cv", 2, closed="left", integer=True)
        super()._check_parameters()


def cv_accuracies(prototypes, labelled, classes, cv, n_jobs):
    """Return the accuracy of each candidate in K-fold cross-validation.

    The folds are stratified. There are `cv` of them, or fewer while the second
    largest class has fewer rows: each training set needs two classes. With one row of
    it there is nothing to choose by, and all accuracies are 1; so is that of a
    candidate without a rival, which needs no validation.
    """
    counts = np.sort(np.bincount(labelled.codes))
    n_folds = min(cv, counts[-2])
    if n_folds < 2 or len(prototypes) == 1:
        return np.ones(len(prototypes))
    fold = np.empty(len(labelled), dtype=int)
    fold[np.argsort(labelled.codes, kind="stable")] = np.arange(len(labelled)) % n_folds
    labels = classes[labelled.codes]
    hits = Parallel(n_jobs=n_jobs)(
        delayed(_hits)(prototype, labelled.rows, labels, fold == k)
        for prototype in prototypes
        for k in range(n_folds)
    )
    return np.reshape(hits, (len(prototypes), n_folds)).sum(axis=1) / len(labelled)


def _hits(prototype, rows, labels, is_test):
    """Train on all folds but one, count the right predictions on that one."""
    train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    model = clone(prototype).fit(take(rows, train), labels[train])
    return np.sum(model.predict(take(rows, test)) == labels[test])
