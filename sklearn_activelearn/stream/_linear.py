"""Prediction with weights and an intercept for each class."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._rows import Rows
from .._typing import Floats, Labels, RowsLike
from .._validation import check_rows
from ._pass import scores
from ._sources import blockwise


class LinearPredictor:
    """Scores and labels from `coef_` and `intercept_`, one row each for two classes."""

    #: Whether rows are scaled to unit norm first.
    _scales_rows = False

    def _check_form(self):
        """Raise if the weights are not those of the parameters."""

    @blockwise
    def decision_function(self, X: RowsLike) -> Floats:
        """Return the scores of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the margin, positive for ``classes_[1]``.
        """
        check_is_fitted(self)
        self._check_form()
        X = check_rows(self, X, reset=False, finite=True)
        out = scores(Rows(X), self.coef_, self.intercept_, self._scales_rows)
        return out[:, 0] if out.shape[1] == 1 else out

    @blockwise
    def predict(self, X: RowsLike) -> Labels:
        """Return the most likely class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        return labels_of(self.decision_function(X), self.classes_)


def labels_of(scores, classes):
    """Return the most likely classes by the scores of a `decision_function`."""
    best = scores.argmax(axis=1) if scores.ndim > 1 else (scores > 0).astype(np.intp)
    return classes[best]
