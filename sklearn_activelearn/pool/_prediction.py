"""Prediction: the fitted estimator's own, with a place for every class."""

from contextlib import suppress
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._compat import available_if
from .._containers import n_rows
from .._labels import encode
from .._typing import Floats, Labels, RowsLike
from ..sources._base import Source
from ._utility import scores_of


def _model_has(method):
    """Whether the model will have a method, whichever estimator it is."""
    return lambda learner: all(
        hasattr(model, method) for model in learner._make_trainer().models()
    )


class Constant:
    """Stands in for a classifier that cannot be trained yet: always one class.

    Parameters
    ----------
    label : object
        That class.
    """

    def __init__(self, label):
        self.classes_ = np.array([label])

    def predict(self, X):
        """Return the class for each row."""
        return np.repeat(self.classes_, n_rows(X))

    def decision_function(self, X):
        """Return 0 for each row."""
        return np.zeros((n_rows(X), 1))

    def predict_proba(self, X):
        """Return probability 1 for each row."""
        return np.ones((n_rows(X), 1))


def answers(function, X):
    """Return ``function(X)``; rows of a source are answered for block by block."""
    return X.answers(function) if isinstance(X, Source) else function(X)


class DelegatedPrediction:
    """What a learner with ``_make_trainer``, ``_train`` and ``estimator_`` predicts."""

    estimator_: Any

    @available_if(_model_has("decision_function"))
    def decision_function(self, X: RowsLike) -> Floats:
        """Return the decision values of the estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes positive for ``classes_[1]``. A class without a
            labelled row yet is 1 below the lowest of the others.
        """
        model, X = self._model(), self._rows(X)
        return answers(partial(self._decision_values, model), X)

    def _decision_values(self, model, X):
        scores = scores_of(model, X)
        if np.array_equal(model.classes_, self.classes_):
            return scores
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        unseen = scores.min(axis=1) - 1
        scores = self._for_all_classes(model, scores, unseen)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @available_if(_model_has("predict_proba"))
    def predict_proba(self, X: RowsLike) -> Floats:
        """Return the class probabilities of the estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            0 for a class without a labelled row yet.
        """
        return self._probabilities(self._model(), self._rows(X))

    def _probabilities(self, model, X):
        return answers(partial(self._all_probabilities, model), X)

    def _all_probabilities(self, model, X):
        probabilities = model.predict_proba(X)
        if np.array_equal(model.classes_, self.classes_):
            return probabilities
        return self._for_all_classes(model, probabilities, np.zeros(n_rows(X)))

    def predict(self, X: RowsLike) -> Labels:
        """Return the most likely class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels. As long as all labels bought are of one class, that class.
        """
        model = self._model()
        return answers(model.predict, self._rows(X))

    def _rows(self, X):
        """Return rows to predict for, in memory or not."""
        return self._make_trainer().check_rows(self, X, reset=False, min_rows=1)

    def _for_all_classes(self, model, values, unseen):
        """Give the columns of a model their places among all classes."""
        out = np.repeat(unseen[:, None], len(self.classes_), axis=1)
        out[:, encode(model.classes_, self.classes_)] = values
        return out

    def _model(self):
        """Return what predicts now; trained for the occasion if it has to be."""
        check_is_fitted(self)
        if self._labelled.has_two_classes and self._n_trained == len(self._labelled):
            return self.estimator_
        if not self._labelled.has_two_classes:
            seen = self._labelled.codes
            return Constant(self.classes_[seen[0] if len(seen) else 0])
        learner = copy(self)  # prediction changes nothing
        learner._train()
        return learner.estimator_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        with suppress(AttributeError, TypeError, ValueError):
            # a wrong parameter: the verbs refuse it, repr must not
            self._make_trainer().adapt_tags(tags)
        return tags
