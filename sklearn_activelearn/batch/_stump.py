"""The decision stump: a split of one feature, a weak learner for boosting."""

from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csc_array, issparse
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from ..base._labels import distinct_labels, encode, find_two_numbers
from ..base._parameters import check_option
from ..base._validation import check_rows, check_weights
from ..utils._compat import (
    BaseEstimator,
    ClassifierMixin,
    linked_to_documentation,
)
from ..utils.typing import Floats, Labels, RowsLike
from ._columns import find_split, keep, mark_ends, whole_weights


class SortedColumns:
    """Rows with each column sorted by value; zeros are not stored.

    `DecisionStumpClassifier.presort` makes them, and the methods of the classifier take
    them instead of a matrix.

    Parameters
    ----------
    X : validated ndarray or sparse matrix of float32 or float64
        Rows.
    """

    def __init__(self, X):
        X = csc_array(X)
        X.eliminate_zeros()
        self.shape = X.shape
        rows = np.empty(X.nnz, dtype=np.int32)
        values = np.empty(X.nnz, dtype=X.dtype)
        middle = np.empty(X.shape[1], dtype=np.int64)
        for column, start in enumerate(X.indptr[:-1]):
            part = slice(start, X.indptr[column + 1])
            order = X.data[part].argsort()
            rows[part], values[part] = X.indices[part][order], X.data[part][order]
            middle[column] = start + values[part].searchsorted(0)
        self._entries = X.indptr.astype(np.int64), middle, rows, values
        mark_ends(*self._entries)

    def __getitem__(self, rows):
        """Return some of the rows, without repetition.

        Parameters
        ----------
        rows : ndarray of int or slice
            Row numbers.
        """
        rows = np.arange(len(self))[rows]
        number = np.full(len(self), -1, dtype=np.int32)
        number[rows] = np.arange(len(rows))
        some = object.__new__(SortedColumns)
        some.shape = len(rows), self.shape[1]
        some._entries = keep(*self._entries, number)
        return some

    def __len__(self):
        return self.shape[0]

    def find_split(self, codes, weights, n_classes, gini=False):
        """Return the best split and the weights of the classes on its two sides.

        Parameters
        ----------
        codes : ndarray of int32 of shape (n_samples,)
            Class of each row.
        weights : ndarray of int64 of shape (n_samples,)
            Whole weights. A threshold lies between two rows with weights above 0.
        n_classes : int
            Number of classes.
        gini : bool
            True: the best split has the purest sides. False: the smallest error.

        Returns
        -------
        column : int
            The first of equal columns; 0 if no split is an improvement.
        threshold : float
            Midpoint of two values of the column, the lowest of equal ones; infinite if
            no split is an improvement.
        sides : ndarray of int64 of shape (2, n_classes)
            Weights of the classes up to the threshold, and above it.
        """
        ptr, middle, rows, values = self._entries
        column, at, sides = find_split(
            ptr, middle, rows, codes, weights, n_classes, gini
        )
        if column < 0:
            return 0, np.inf, sides[::-1]
        start, stop, zeros = ptr[column], ptr[column + 1], middle[column]
        is_above = at < zeros  # the split lies above a negative value
        n_kept = np.count_nonzero(weights)
        if n_kept < len(self):
            own = rows[start:stop]
            kept = start + np.flatnonzero(weights[np.maximum(own, ~own)])
            zeros, at = np.searchsorted(kept, (zeros, at + is_above))
            at -= is_above
            values, start, stop = values[kept], 0, len(kept)
        has_zeros = stop - start < n_kept
        if is_above:
            inner = has_zeros and at + 1 == zeros
            low, high = values[at], 0.0 if inner else values[at + 1]
        else:
            inner = has_zeros and at == zeros
            low, high = 0.0 if inner else values[at - 1], values[at]
            sides = sides[::-1]
        return column, half_way(float(low), float(high)), sides

    def exceeds(self, column, threshold):
        """Return True for the rows with a value above the threshold in a column."""
        ptr, _, rows, values = self._entries
        part = slice(ptr[column], ptr[column + 1])
        out = np.full(len(self), threshold < 0)
        out[np.maximum(rows[part], ~rows[part])] = values[part] > threshold
        return out


def half_way(low, high):
    """Return the midpoint in double precision: at least `low`, and below `high`.

    In single precision, the midpoint of two neighbouring numbers is one of them.
    """
    middle = np.float64(low / 2 + high / 2)
    return middle if low <= middle < high else np.float64(low)


@linked_to_documentation
class DecisionStumpClassifier(ClassifierMixin, BaseEstimator):
    r"""Classifier that splits one feature at one threshold, for boosting.

    Each side of the split predicts its heaviest class. `presort` sorts rows once for
    the training of many stumps.

    Parameters
    ----------
    criterion : {"error", "gini"}, default="error"
        "error": the split with the smallest weighted error. "gini": the split with the
        smallest mean Gini impurity of both sides, as in `DecisionTreeClassifier`.

    Attributes
    ----------
    feature_ : int
        Number of the feature that is split.

    threshold_ : float
        Rows with a value up to the threshold are on the first side. Infinite if no
        split is an improvement.

    side_probabilities_ : ndarray of shape (2, n_classes)
        Share of each class in the weight of the first side, and of the second side.

    error_ : float
        Weighted training error, between 0 and 1.

    classes_ : ndarray of shape (n_classes,)
        Classes, sorted.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the columns of X have string names.

    Raises
    ------
    ValueError
        From `fit`: an unknown `criterion`, NaN or infinity in X, continuous labels, a
        negative weight, a wrong number of weights, or only weights of zero.

    See Also
    --------
    sklearn.tree.DecisionTreeClassifier : With ``max_depth=1`` a stump with the smallest
        impurity.

    Notes
    -----
    With weights :math:`w_i` and sides :math:`A, B` the error is

    .. math:: \varepsilon = 1 - \frac{
        \max_k \sum_{i \in A, y_i = k} w_i + \max_k \sum_{i \in B, y_i = k} w_i
        }{\sum_i w_i}

    and the mean Gini impurity is :math:`1 - (\sum_k A_k^2 / \sum_k A_k + \sum_k B_k^2 /
    \sum_k B_k) / \sum_i w_i`, with :math:`A_k` the weight of class k in A.

    The threshold is the midpoint of two values of rows with weights above 0. Of equal
    splits, no split comes first, then the first feature, then the lowest threshold. A
    side with two equally heavy classes predicts the first of them. Weights are summed
    as whole multiples of a tiny unit, without rounding errors, so that the order of the
    rows and their container have no influence.

    Training takes one pass over the non-zero entries. Sorting takes longer than the
    pass, so that `presort` saves time from the second training on.

    References
    ----------
    .. [1] W. Iba, P. Langley, "Induction of One-Level Decision Trees", ICML 1992.
    .. [2] Z. Wang, Y. Song, C. Zhang, "Efficient Active Learning with Boosting",
       SDM 2009, Section 4.1 (the weak learner of its experiments).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import AdaBoostClassifier
    >>> from sklearn_activelearn import DecisionStumpClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> stump = DecisionStumpClassifier().fit(X, y)
    >>> print(f"feature {stump.feature_} at {stump.threshold_:.1f}: "
    ...       f"error {stump.error_:.3f}")
    feature 20 at 16.8: error 0.077
    >>> boosted = AdaBoostClassifier(DecisionStumpClassifier(), n_estimators=20)
    >>> print(f"accuracy {boosted.fit(X, y).score(X, y):.3f}")
    accuracy 0.991
    """

    def __init__(self, criterion: Literal["error", "gini"] = "error"):
        self.criterion = criterion

    def presort(self, X: RowsLike) -> SortedColumns:
        """Sort the columns of rows for the training of many stumps.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        X : SortedColumns
            Rows that `fit`, `predict` and `predict_proba` take instead of X. They have
            a `shape`, and ``X[rows]`` selects some of them.
        """
        return SortedColumns(
            check_rows(DecisionStumpClassifier(), X, reset=True, finite=True)
        )

    def fit(
        self, X: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Find the split with the smallest weighted error.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows, as they are or presorted.
        y : array-like of shape (n_samples,)
            Labels of the rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, not negative, at least one above 0. None: equal
            weights.

        Returns
        -------
        self : object
            The classifier.

        Raises
        ------
        ValueError
            For NaN or infinity, continuous labels, or wrong weights.
        """
        check_option(self.criterion, "criterion", ("error", "gini"))
        if isinstance(X, SortedColumns):
            if not isinstance(y, np.ndarray) or y.ndim > 1:  # the check is slow
                y = column_or_1d(y)
            if y.ndim == 0 or len(X) != len(y):
                check_consistent_length(X, y)
            if len(X) == 0:
                raise ValueError("Found 0 sample(s), a minimum of 1 is required.")
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)
        else:
            X, y = check_rows(self, X, y, reset=True, finite=True)
        self.classes_, codes = encode_labels(y)
        if sample_weight is None:
            weights = np.ones(len(codes), dtype=np.int64)
        else:
            weights = whole_weights(check_weights(sample_weight, len(codes)))
        columns = X if isinstance(X, SortedColumns) else SortedColumns(X)
        self.feature_, self.threshold_, sides = columns.find_split(
            codes, weights, len(self.classes_), self.criterion == "gini"
        )
        total = weights.sum()
        self.error_ = float((total - sides.max(axis=1).sum()) / total)
        if np.isinf(self.threshold_):  # the second side is empty
            sides = np.repeat(sides[:1], 2, axis=0)
        self.side_probabilities_ = sides / sides.sum(axis=1, keepdims=True)
        return self

    def predict(self, X: RowsLike) -> Labels:
        """Return the heaviest class of each row's side.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows, as they are or presorted.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        side = self._side(X)
        return self.classes_[self.side_probabilities_.argmax(axis=1)][side]

    def predict_proba(self, X: RowsLike) -> Floats:
        """Return the class probabilities on the side of the threshold of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows, as they are or presorted.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Share of each class in the weight of the training rows on the same side.
        """
        side = self._side(X)
        return self.side_probabilities_[side]

    def _side(self, X):
        """Return 0 for rows on the first side, 1 for rows on the second side."""
        if not hasattr(self, "threshold_"):
            check_is_fitted(self)
        if isinstance(X, SortedColumns):
            if X.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {X.shape[1]} features, but DecisionStumpClassifier is "
                    f"expecting {self.n_features_in_} features as input."
                )
            return X.exceeds(self.feature_, self.threshold_).astype(np.intp)
        X = check_rows(self, X, reset=False, finite=True)
        values = X[:, [self.feature_]]
        values = values.toarray() if issparse(values) else values
        return (values[:, 0] > self.threshold_).astype(np.intp)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True
        return tags


def encode_labels(y):
    """Return the sorted distinct labels and their codes."""
    if y.dtype.kind in "biuUS" and y.ndim == 1:  # these labels need no check
        classes = find_two_numbers(y)
        if classes is not None:
            return classes, (y == classes[1]).astype(np.int32)
        classes, codes = np.unique(y, return_inverse=True)
        return classes, codes.astype(np.int32)
    classes = distinct_labels(y, "y")
    return classes, encode(y, classes)
