"""What a search shows to scikit-learn: estimators of the parts of its folds.

A part is a number that stands for the training rows of a fold, or for its test rows, so
scikit-learn copies neither rows nor labels. Estimators whose fit shared a pass look up
what came of it; the others are fitted.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import accuracy_score, check_scoring, get_scorer_names
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from .._compat import STANDARD_SCORER
from .._containers import take
from .._validation import labels_need_no_change
from ._linear import labels_of

#: The parameter that says which setting of the grid a proxy is.
CANDIDATE = "#"  # no estimator has one of that name


class SearchState:
    """What is known of a search.

    Parameters
    ----------
    X, y : rows and labels
        As the user gave them.
    folds : list of (train, test)
        Row numbers.
    results : list of dict
        For each fold what `Folds.fit` returned.
    n_candidates : int
        Settings in the grid.

    Attributes
    ----------
    parts : ndarray of int of shape (2 * n_folds,)
        Part 2 k has the training rows of fold k, part 2 k + 1 its test rows. All of
        them together stand for all rows.
    fused : ndarray of bool of shape (n_candidates,)
        Settings that shared passes.
    n_queries : ndarray of shape (n_candidates, n_folds)
        Labels bought; NaN where nobody counted them.
    """

    def __init__(self, X, y, folds, results, n_candidates):
        self.X, self.y, self.folds, self.results = X, y, folds, results
        self.parts = np.arange(2 * len(folds))
        self.fused = np.array(
            [any(k in found for found in results) for k in range(n_candidates)],
            dtype=bool,
        )
        self.n_queries = np.full((n_candidates, len(folds)), np.nan)

    def rows(self, parts):
        """Return the rows that a part, or all parts, stand for."""
        return self._taken(self.X, parts)

    def labels(self, parts):
        """Return the labels of these rows."""
        return self._taken(self.y, parts)

    def _taken(self, values, parts):
        if len(parts) > 1:
            return values
        fold, is_test = divmod(int(parts[0]), 2)
        return take(values, self.folds[fold][is_test])


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

    def fit(self, parts, y=None):
        """Look up what a pass made of this setting, or fit it."""
        record, fold, self.model, self.fitted = self.record, None, None, None
        if len(parts) == 1:
            fold = int(parts[0]) // 2
            self.fitted = record.results[fold].get(self.number)
        if isinstance(self.fitted, Exception):
            raise self.fitted
        if self.fitted is None:
            self.model = clone(self.estimator).set_params(**self.params)
            self.model.fit(record.rows(parts), record.labels(parts))
            learner = last_step(self.model)
        else:
            learner = self.fitted.learner
            learner._warn_after_run()
        if fold is not None:
            n_queries = getattr(learner, "n_queries_", np.nan)
            record.n_queries[self.number, fold] = n_queries
        return self

    @property
    def classes_(self):
        """Labels, sorted."""
        return (
            self.model.classes_ if self.fitted is None else self.fitted.learner.classes_
        )

    @has("decision_function")
    def decision_function(self, parts):
        """Return the scores of the classes."""
        if self.fitted is None:
            return self.model.decision_function(self.record.rows(parts))
        scores = self.fitted.scores["test" if parts[0] % 2 else "train"]
        if isinstance(scores, Exception):
            raise scores
        return scores

    @has("predict_proba")
    def predict_proba(self, parts):
        """Return the probabilities of the classes; no learner of a pass has them."""
        return self.model.predict_proba(self.record.rows(parts))

    def predict(self, parts):
        """Return the most likely class of each row."""
        if self.fitted is None:
            return self.model.predict(self.record.rows(parts))
        return labels_of(self.decision_function(parts), self.classes_)

    def score(self, parts, y=None):
        """Return what the estimator's own `score` does."""
        y = self.record.labels(parts)
        if self.fitted is None:
            return self.model.score(self.record.rows(parts), y)
        predicted = self.predict(parts)
        if type(y) is np.ndarray and labels_need_no_change(y, len(predicted)):
            # the same number, without checks that take longer than to count
            return float(np.mean(y == predicted))
        return accuracy_score(y, predicted)

    def unwrapped(self):
        """Return the fitted estimator itself."""
        if self.fitted is None:
            return self.model
        if not isinstance(self.estimator, Pipeline):
            return self.fitted.learner
        before = self.fitted.transformer.steps if self.fitted.transformer else []
        return Pipeline([*before, (self.estimator.steps[-1][0], self.fitted.learner)])


class ProxyScorer:
    """A scorer that is told the labels of a part.

    Parameters
    ----------
    scorer : callable
        ``scorer(estimator, X, y)``. One that is no standard scorer of scikit-learn's
        gets to see the fitted estimator and its rows.
    """

    def __init__(self, scorer):
        self.scorer = scorer
        self.unwraps = not isinstance(scorer, STANDARD_SCORER)

    def __repr__(self):
        return repr(self.scorer)

    def __call__(self, proxy, parts):
        labels = proxy.record.labels(parts)
        if not self.unwraps:
            return self.scorer(proxy, parts, labels)
        return self.scorer(proxy.unwrapped(), proxy.record.rows(parts), labels)


def scoring_of_proxies(estimator, scoring):
    """Return scoring that proxies of an estimator can be scored with.

    What is no scoring stays as it is, to be refused by scikit-learn.
    """
    if isinstance(scoring, list | tuple):
        check_scoring(estimator, scoring)  # refuses names that come twice
        scoring = {name: name for name in scoring}
    if isinstance(scoring, dict):
        return {
            name: scoring_of_proxies(estimator, each) for name, each in scoring.items()
        }
    if callable(scoring) or scoring in get_scorer_names():
        return ProxyScorer(check_scoring(estimator, scoring))
    return scoring


def unwraps(scoring):
    """Return whether scoring gets to see estimators."""
    if isinstance(scoring, dict):
        return any(unwraps(scorer) for scorer in scoring.values())
    return isinstance(scoring, ProxyScorer) and scoring.unwraps


def last_step(estimator):
    """Return what a pipeline ends in."""
    while isinstance(estimator, Pipeline):
        estimator = estimator[-1]
    return estimator
