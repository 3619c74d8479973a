"""Rows whose columns were sorted once, for many trainings."""

import numpy as np
from scipy.sparse import csc_array

from ._columns import find_split, keep, mark_ends


class SortedColumns:
    """Rows with each column sorted by value; zeros are not stored.

    Made by `DecisionStumpClassifier.presort`. It stands in for the matrix wherever
    that classifier takes one.

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
        """Return some of the rows, each at most once.

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
            Whether the purest sides are the best split, or the smallest error.

        Returns
        -------
        column : int
            The first of equals; 0 if no split is better than none.
        threshold : float
            Half way between two values of the column, the lowest of equals; infinite
            if no split is better than none.
        sides : ndarray of int64 of shape (2, n_classes)
            Weights up to the threshold, and beyond.
        """
        ptr, middle, rows, values = self._entries
        column, at, sides = find_split(
            ptr, middle, rows, codes, weights, n_classes, gini
        )
        if column < 0:
            return 0, np.inf, sides[::-1]
        start, stop, zeros = ptr[column], ptr[column + 1], middle[column]
        is_above = at < zeros  # a negative value, which the split is above
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
        """Return whether each row has a value beyond the threshold in a column."""
        ptr, _, rows, values = self._entries
        part = slice(ptr[column], ptr[column + 1])
        out = np.full(len(self), threshold < 0)
        out[np.maximum(rows[part], ~rows[part])] = values[part] > threshold
        return out


def half_way(low, high):
    """Return a number between two others, at least the lower, below the higher.

    In double precision, also beside rows of single precision: there the middle of two
    neighbours would be one of them.
    """
    middle = np.float64(low / 2 + high / 2)
    return middle if low <= middle < high else np.float64(low)
