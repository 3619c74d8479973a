"""Classifiers that take codes of the classes only."""

from contextlib import suppress
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from ..utils._compat import BaseEstimator, ClassifierMixin, available_if
from ..utils._typing import Classifier, Floats, Labels, RowsLike
from ._scores import predict_labels
from ._validation import has_method


def fit_on_labels(model, X, y):
    """Return the model, fitted on labels, or on their codes if it refuses labels.

    XGBoost takes no other labels than codes. A random forest of scikit-learn that
    balances the classes fails on labels such as "0" and "1", which it converts.

    Parameters
    ----------
    model : classifier
        Unfitted.
    X : rows
        Rows.
    y : ndarray of shape (n_samples,)
        Labels.
    """
    try:
        return model.fit(X, y)
    except ValueError:
        codes = np.unique(y, return_inverse=True)[1]
        if y.dtype.kind != "i" or not np.array_equal(codes, y):
            with suppress(Exception):  # then the labels are not the reason
                return CodedClassifier(model).fit(X, y)
        raise


class CodedClassifier(ClassifierMixin, BaseEstimator):
    """Classifier whose estimator is trained on the codes 0, 1, 2, … of the classes.

    Some estimators, such as XGBoost's, take no other labels.

    Parameters
    ----------
    estimator : classifier
        The estimator. Cloned, never changed.

    Attributes
    ----------
    estimator_ : classifier
        The trained estimator; its classes are codes.
    classes_ : ndarray of shape (n_classes,)
        The classes, in the order of their codes.
    """

    def __init__(self, estimator: Classifier):
        self.estimator = estimator

    def fit(self, X: RowsLike, y: ArrayLike) -> Self:
        """Train on codes of the labels; weights of classes follow them."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        positions = {label: code for code, label in enumerate(self.classes_.tolist())}
        weights = {
            name: {positions.get(label, label): w for label, w in value.items()}
            for name, value in self.estimator.get_params().items()
            if name.split("__")[-1] == "class_weight" and isinstance(value, dict)
        }
        self.estimator_ = clone(self.estimator).set_params(**weights).fit(X, codes)
        return self

    def predict(self, X: RowsLike) -> Labels:
        """Return the labels."""
        return self.classes_[predict_labels(self.estimator_, X).astype(np.int64)]

    @available_if(lambda own: has_method(own.estimator, "predict_proba"))
    def predict_proba(self, X: RowsLike) -> Floats:
        """Return the probabilities of the classes."""
        return self.estimator_.predict_proba(X)

    @available_if(lambda own: has_method(own.estimator, "decision_function"))
    def decision_function(self, X: RowsLike) -> Floats:
        """Return the decision values of the classes."""
        return self.estimator_.decision_function(X)
