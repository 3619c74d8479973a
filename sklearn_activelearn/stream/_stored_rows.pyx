# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""Rows that a learner puts by."""

import numpy as np
from scipy.sparse import csr_array, issparse

from libc.stdint cimport int64_t

from .._rows cimport Rows, al_rows


def with_room(array, n, n_used):
    """Return an array for n numbers: this one, or a longer copy of what is used."""
    if n <= len(array):
        return array
    longer = np.zeros(n + n // 2, dtype=array.dtype)
    longer[:n_used] = array[:n_used]
    return longer


cdef class StoredRows:
    """Rows with room for more, dense or CSR like the first of them.

    Parameters
    ----------
    n_features : int
        Columns.
    rows : ndarray or CSR array of float64, optional
        Rows to begin with; they are copied when they change.
    """

    def __cinit__(self, Py_ssize_t n_features, rows=None):
        self.n_features = n_features
        self.values = np.empty(0)
        self.columns, self.starts = np.empty(0, np.int64), np.zeros(1, np.int64)
        if rows is not None and rows.shape[0]:
            self.n_rows = rows.shape[0]
            self.sparse = issparse(rows)
            if self.sparse:
                self.values, self.columns = rows.data, rows.indices
                self.starts = rows.indptr
            else:
                self.values = rows.ravel()
            self.n_entries = len(self.values)
        self.reader = Rows(self.all_rows())

    def all_rows(self):
        """Return the rows and the room for more."""
        if not self.sparse:
            whole = len(self.values) // self.n_features
            return self.values[: whole * self.n_features].reshape(whole, self.n_features)
        return as_csr(self.values, self.columns, self.starts, self.n_features)

    @property
    def rows(self):
        """The rows, not copied."""
        if not self.sparse:
            return self.values[: self.n_entries].reshape(self.n_rows, self.n_features)
        return as_csr(
            self.values[: self.n_entries],
            self.columns[: self.n_entries],
            self.starts[: self.n_rows + 1],
            self.n_features,
        )

    cdef int append(self, const al_rows *X, Py_ssize_t i, double scale) except -1:
        """Put a row times its scale by."""
        cdef double[::1] values
        cdef int64_t[::1] columns
        cdef Py_ssize_t m, first = self.n_entries
        before = self.values, self.starts
        if self.n_rows == 0:
            self.sparse = X.indices != NULL
        m = X.list(X, i, scale, NULL, NULL) if self.sparse else self.n_features
        # one more than needed, so that there is an address to write nothing to
        self.values = with_room(self.values, first + m + 1, first)
        values = self.values
        if self.sparse:
            self.columns = with_room(self.columns, len(self.values), first)
            self.starts = with_room(self.starts, self.n_rows + 2, self.n_rows + 1)
            columns = self.columns
            X.list(X, i, scale, &values[first], &columns[first])
            self.starts[self.n_rows + 1] = first + m
        else:
            values[first : first + m] = 0
            X.add(X, i, 1.0, scale, &values[first])
        self.n_entries += m
        self.n_rows += 1
        if before[0] is not self.values or before[1] is not self.starts:
            self.reader = Rows(self.all_rows())
        return 0

    cdef int drop_first(self) except -1:
        """Forget the row that was put by first."""
        cdef Py_ssize_t m = self.starts[1] if self.sparse else self.n_features
        self.values = moved(self.values, m, self.n_entries)
        if self.sparse:
            self.columns = moved(self.columns, m, self.n_entries)
            self.starts = moved(self.starts, 1, self.n_rows + 1)
            self.starts[: self.n_rows] -= m
        self.n_entries -= m
        self.n_rows -= 1
        self.reader = Rows(self.all_rows())
        return 0


def moved(array, m, n_used):
    """Return a copy without the first m numbers, with room for as many."""
    copy = np.zeros_like(array)
    copy[: n_used - m] = array[m:n_used]
    return copy


def as_csr(values, columns, starts, n_features):
    """Return a CSR array of these very arrays."""
    out = csr_array((len(starts) - 1, n_features))
    out.data, out.indices, out.indptr = values, columns, starts
    return out
