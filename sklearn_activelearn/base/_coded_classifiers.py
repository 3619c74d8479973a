"""Classifiers that take codes of the classes only, or one label for each row."""

from contextlib import nullcontext, suppress
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags

from ..exceptions import ColdStartWarning, warn_user
from ..sources._containers import n_rows, take
from ..utils._compat import BaseEstimator, ClassifierMixin, available_if
from ..utils._threads import LARGE, limit_threads
from ..utils.typing import Classifier, Floats, Labels, RowsLike
from ._parameters import has_method
from ._scores import (
    WrongForm,
    label_probabilities,
    label_scores,
    predict_labels,
    probabilities_of_all,
    scores_of,
)

#: Decision value of a label that all rows have; minus this of one that no row has.
CERTAIN = 10.0

#: Labels are few below this number, and below this number for each known class: ten
#: classes and a held-out tenth with a row of each, as early stopping wants it, need 91.
FEW_LABELS, FEW_PER_CLASS = 50, 10

#: Errors that more labels do not cure.
INCURABLE = (
    AttributeError,
    ImportError,
    MemoryError,
    NameError,
    NotImplementedError,
    TypeError,  # wrong parameters of scikit-learn's estimators, too
    Warning,  # an error for those who want it to be one
    WrongForm,
)


def fit_on_labels(model, X, y, names=None, /, **metadata):
    """Return the model, fitted on labels, or on their codes if it refuses labels.

    XGBoost takes no other labels than codes. A random forest of scikit-learn that
    balances the classes fails on labels such as "0" and "1", which it converts.

    Parameters
    ----------
    model : classifier
        Unfitted.
    X : rows
        Rows.
    y : ndarray of shape (n_samples,) or (n_samples, n_labels)
        Labels, or an indicator matrix of several labels for a row.
    names : ndarray of shape (n_labels,), optional
        Names of several labels for a row, for warnings. None: the columns of y.
    **metadata : dict
        Values for `fit`.
    """
    if y.ndim == 2:
        # most classifiers of scikit-learn take one label for each row, which their tags
        # do not say, and fail with a label that all rows have, or that no row has
        fitted = LabelwiseClassifier(model)._fit(X, y, names, **metadata)
        has_all = fitted.is_joint_ and len(fitted.varying_) == y.shape[1]
        return fitted.estimators_[0] if has_all else fitted
    try:
        # its many small products would wait for each other's threads most of the time
        is_small = isinstance(model, LogisticRegression) and np.size(X) < LARGE
        with limit_threads() if is_small else nullcontext():
            return model.fit(X, y, **metadata)
    except ValueError:
        codes = np.unique(y, return_inverse=True)[1]
        if metadata:
            raise
        if y.dtype.kind != "i" or not np.array_equal(codes, y):
            with suppress(Exception):  # then the labels are not the reason
                return CodedClassifier(model).fit(X, y)
        raise


class LabelwiseClassifier(ClassifierMixin, BaseEstimator):
    """Classifier of several labels for each row, around any classifier.

    Labels that all rows have, or that no row has, are predicted for all rows or for
    none. An estimator that takes an indicator matrix is trained on the other labels
    together; if it takes none, a clone is trained for each of these labels. Labels that
    fewer than 10 rows have, or lack, count as constant if the estimator cannot be
    trained on them.

    Parameters
    ----------
    estimator : classifier
        The estimator. Cloned, never changed.

    Attributes
    ----------
    estimators_ : list of classifier
        The model of all labels that vary, or a model for each of them.
    varying_ : ndarray of int
        The columns of the labels that vary and are trained on.
    constants_ : ndarray of shape (n_labels,)
        The more frequent value of each label, which is predicted for the others.
    is_joint_ : bool
        True for one model of all labels that vary.
    classes_ : ndarray of shape (n_labels,)
        The columns.
    """

    def __init__(self, estimator: Classifier):
        self.estimator = estimator

    def fit(self, X: RowsLike, y: ArrayLike, **metadata: Any) -> Self:
        """Train on the labels that vary, and leave out rare ones that cannot be."""
        return self._fit(X, y, None, **metadata)

    def _fit(self, X, y, names, /, **metadata):
        """Fit; names of the labels are for warnings."""
        n_present = y.sum(axis=0)
        n_rarer = np.minimum(n_present, len(y) - n_present)
        self.classes_ = np.arange(y.shape[1])
        self.constants_ = (2 * n_present > len(y)).astype(float)
        self.varying_ = varying = np.flatnonzero(n_rarer)
        common = np.flatnonzero(n_rarer >= FEW_PER_CLASS)
        single_output = get_tags(self.estimator).target_tags.single_output
        self.is_joint_ = len(varying) > 1 or not single_output
        error = None
        if self.is_joint_:
            try:
                self._fit_jointly(X, y, **metadata)
            except Exception as failure:
                if single_output:  # the error with one label is the one that matters
                    self.is_joint_ = False
                elif isinstance(failure, INCURABLE) or len(common) == len(varying):
                    raise
                else:
                    error, self.varying_ = failure, common
                    self.is_joint_ = len(common) > 0
                    if self.is_joint_:
                        self._fit_jointly(X, y, **metadata)
        if not self.is_joint_:
            error = self._fit_one_by_one(X, y, common, **metadata) or error
        if error is not None:
            if not len(self.varying_) and len(y) < FEW_LABELS:
                raise error  # pool learners go on without a model
            rare = np.setdiff1d(varying, self.varying_)
            which = "these labels"
            if names is None:
                names, which = self.classes_, "the labels of these columns of y"
            warn_user(
                f"{type(self.estimator).__name__} cannot be trained on {which}, which "
                f"fewer than {FEW_PER_CLASS} rows have or lack: "
                f"{', '.join(map(str, names[rare]))}. {type(error).__name__}: {error} "
                "— The more frequent value is predicted while this lasts.",
                ColdStartWarning,
            )
        return self

    def _fit_jointly(self, X, y, **metadata):
        """Train one model, and see if it predicts a column for each label."""
        model = clone(self.estimator).fit(X, y[:, self.varying_], **metadata)
        self.estimators_ = [model]
        answer = model.predict(take(X, slice(1)))
        self.is_joint_ = np.shape(answer) == (1, len(self.varying_))

    def _fit_one_by_one(self, X, y, common, **metadata):
        """Train a model for each label; return the last error of a rare one, or None.

        A rare label on which the estimator fails no longer counts as varying.
        """
        models, last_error = {}, None
        for label in self.varying_:
            model = clone(self.estimator)
            try:
                models[label] = fit_on_labels(model, X, y[:, label], **metadata)
            except Exception as error:
                if isinstance(error, INCURABLE) or label in common:
                    raise
                last_error = error
        self.varying_ = np.array([*models], dtype=np.intp)
        self.estimators_ = [*models.values()]
        return last_error

    def _answer(self, X, of_joint, of_one):
        """Return an answer for each label; the values of constant labels are 0 or 1."""
        if self.is_joint_:
            values = np.reshape(of_joint(self.estimators_[0], X), (n_rows(X), -1))
        else:
            values = [of_one(model, X) for model in self.estimators_]
            values = np.reshape(values, (len(values), n_rows(X))).T
        answer = np.tile(self.constants_, (n_rows(X), 1))
        answer[:, self.varying_] = values
        return answer

    def predict(self, X: RowsLike) -> Labels:
        """Return an indicator matrix."""
        answer = self._answer(X, predict_labels, predict_labels)
        return answer.astype(np.int64)

    @available_if(lambda own: has_method(own.estimator, "predict_proba"))
    def predict_proba(self, X: RowsLike) -> Floats:
        """Return the probability that each label is present."""

        def of_one(model, X):
            return probabilities_of_all(model, X, np.arange(2))[:, 1]

        return self._answer(X, label_probabilities, of_one)

    @available_if(lambda own: has_method(own.estimator, "decision_function"))
    def decision_function(self, X: RowsLike) -> Floats:
        """Return decision values, positive if a label is present."""
        answer = self._answer(X, label_scores, scores_of)
        is_varying = np.isin(self.classes_, self.varying_)
        return np.where(is_varying, answer, CERTAIN * (2 * self.constants_ - 1))


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
