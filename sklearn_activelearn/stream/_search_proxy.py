"""What a search shows to scikit-learn: estimators of rows that are given by number.

Those whose fit shared a pass look up what came of it; the others are fitted.
"""

from collections import defaultdict

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from .._compat import STANDARD_SCORER
from .._containers import take
from ._linear import labels_of

#: The parameter that says which setting of the grid a proxy is.
CANDIDATE = "#"  # no estimator has one of that name


class SearchState:
    """What is known of a search.

    Parameters
    ----------
    X : rows
        As the user gave them.
    n_rows : int
        How many.
    folds : list of (train, test)
        Row numbers.
    results : list of dict
        For each fold what `Folds.fit` returned.
    n_candidates : int
        Settings in the grid.

    Attributes
    ----------
    row_numbers : ndarray of int of shape (n_rows,)
        Stands for X.
    fused : ndarray of bool of shape (n_candidates,)
        Settings that shared passes.
    n_queries : ndarray of shape (n_candidates, n_folds)
        Labels bought; NaN where nobody counted them.
    """

    def __init__(self, X, n_rows, folds, results, n_candidates):
        self.X, self.folds, self.results = X, folds, results
        self.row_numbers = np.arange(n_rows)
        self.folds_by_rows = defaultdict(list)
        for k, (train, _) in enumerate(folds):
            self.folds_by_rows[train.tobytes()].append(k)
        self.fused = np.array(
            [any(k in found for found in results) for k in range(n_candidates)],
            dtype=bool,
        )
        self.n_queries = np.full((n_candidates, len(folds)), np.nan)

    def rows(self, numbers):
        """Return the rows that numbers stand for."""
        return self.X if numbers is self.row_numbers else take(self.X, numbers)

    def folds_of(self, numbers):
        """Return the folds that have these training rows; none has X itself."""
        if numbers is self.row_numbers:
            return []
        return self.folds_by_rows[numbers.tobytes()]


def has(method):
    """Return whether a proxy that is fitted has a method."""
    return available_if(lambda self: hasattr(self.model or self.fitted.learner, method))


class ProxyEstimator(ClassifierMixin, BaseEstimator):
    """An estimator of a search.

    Parameters
    ----------
    estimator : estimator
        What it stands for.
    record : SearchState
        What is known.
    """

    def __init__(self, estimator, record):
        self.estimator = estimator
        self.record = record

    def __sklearn_clone__(self):
        return ProxyEstimator(self.estimator, self.record)

    def __sklearn_tags__(self):
        return get_tags(self.estimator)

    def set_params(self, **params):
        """Become a setting of the grid."""
        self.number, self.params = params.pop(CANDIDATE), params
        return self

    def fit(self, numbers, y):
        """Look up what a pass made of this setting, or fit it."""
        record, self.tables, self.model = self.record, [], None
        folds = record.folds_of(numbers)
        found = [record.results[k].get(self.number) for k in folds]
        self.fitted = found[0] if found else None
        if isinstance(self.fitted, Exception):
            raise self.fitted
        if self.fitted is None:
            self.model = clone(self.estimator).set_params(**self.params)
            self.model.fit(record.rows(numbers), y)
            learner = last_step(self.model)
        else:
            learner = self.fitted.learner
            learner._warn_after_run()
            for k, fitted in zip(folds, found, strict=True):
                train, test = record.folds[k]
                self.tables += [
                    (numbers, fitted.scores[name])
                    for name, numbers in (("train", train), ("test", test))
                    if name in fitted.scores
                ]
        record.n_queries[self.number, folds] = getattr(learner, "n_queries_", np.nan)
        return self

    @property
    def classes_(self):
        """Labels, sorted."""
        return (
            self.model.classes_ if self.fitted is None else self.fitted.learner.classes_
        )

    @has("decision_function")
    def decision_function(self, numbers):
        """Return the scores of the classes."""
        if self.fitted is None:
            return self.model.decision_function(self.record.rows(numbers))
        scores = next(
            scores for known, scores in self.tables if np.array_equal(known, numbers)
        )
        if isinstance(scores, Exception):
            raise scores
        return scores

    @has("predict_proba")
    def predict_proba(self, numbers):
        """Return the probabilities of the classes; no learner of a pass has them."""
        return self.model.predict_proba(self.record.rows(numbers))

    def predict(self, numbers):
        """Return the most likely class of each row."""
        if self.fitted is None:
            return self.model.predict(self.record.rows(numbers))
        return labels_of(self.decision_function(numbers), self.classes_)

    def score(self, numbers, y):
        """Return what the estimator's own `score` does."""
        if self.fitted is None:
            return self.model.score(self.record.rows(numbers), y)
        return super().score(numbers, y)

    def unwrapped(self):
        """Return the fitted estimator itself."""
        if self.fitted is None:
            return self.model
        if not isinstance(self.estimator, Pipeline):
            return self.fitted.learner
        before = self.fitted.transformer.steps if self.fitted.transformer else []
        return Pipeline([*before, (self.estimator.steps[-1][0], self.fitted.learner)])


class UnwrappingScorer:
    """A scorer of the user's own, which gets to see estimators and rows.

    Parameters
    ----------
    scorer : callable
        ``scorer(estimator, X, y)``.
    """

    def __init__(self, scorer):
        self.scorer = scorer

    def __repr__(self):
        return repr(self.scorer)

    def __call__(self, proxy, numbers, y):
        return self.scorer(proxy.unwrapped(), proxy.record.rows(numbers), y)


def scoring_of_proxies(scoring):
    """Return scoring that a proxy can be scored with."""
    if isinstance(scoring, dict):
        return {name: scoring_of_proxies(scorer) for name, scorer in scoring.items()}
    if callable(scoring) and not isinstance(scoring, STANDARD_SCORER):
        return UnwrappingScorer(scoring)
    return scoring


def unwraps(scoring):
    """Return whether scoring gets to see estimators."""
    if isinstance(scoring, dict):
        return any(unwraps(scorer) for scorer in scoring.values())
    return isinstance(scoring, UnwrappingScorer)


def last_step(estimator):
    """Return what a pipeline ends in."""
    while isinstance(estimator, Pipeline):
        estimator = estimator[-1]
    return estimator
