"""Prediction with linear weights, of rows in memory or read in blocks."""

from functools import partial, wraps

import numpy as np

from ..kernels._rows import Rows, scores
from ..sources._containers import to_frame
from ..sources._conversion import as_source
from ..sources._source import ArraySource
from ..utils.typing import Floats, Labels, Method, RowsLike
from ._validation import check_can_predict, check_rows, finite_rows


def blockwise(method: Method) -> Method:
    """Make a method accept rows that are not in memory; they are read in blocks."""

    @wraps(method)
    def answer(self, X):
        source = None if type(X) is np.ndarray else as_source(X)
        if source is None or isinstance(source, ArraySource):
            return method(self, X)
        names, place_of = getattr(self, "feature_names_in_", None), source.place_of

        def prepare(rows, numbers):
            return to_frame(finite_rows(place_of, rows, numbers), names)

        source = source.prepared(prepare)
        return source.answers(partial(method, self))

    return answer


class LinearPredictor:
    """Scores and labels from `coef_` and `intercept_`, one row each for two classes."""

    #: Whether rows are scaled to unit norm first.
    _scales_rows = False

    def _check_form(self):
        """Raise if a parameter was changed that the weights depend on."""

    @blockwise
    def decision_function(self, X: RowsLike) -> Floats:
        """Return the scores of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to score.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the margin, positive for ``classes_[1]``.
        """
        check_can_predict(self)
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
            Rows to predict.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted labels.
        """
        return labels_of(self.decision_function(X), self.classes_)


def labels_of(scores, classes):
    """Return the most likely classes by the scores of a `decision_function`."""
    best = scores.argmax(axis=1) if scores.ndim > 1 else (scores > 0).astype(np.intp)
    return classes[best]
