# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""Rows that a learner puts by."""

import numpy as np
from scipy.sparse import csr_array, issparse

from libc.stdint cimport INT32_MAX, int64_t

from ..._rows cimport Rows, al_rows


def with_room(array, n, n_used):
    """Return an array for n numbers: this one, or a longer copy of what is used."""
    if n <= len(array):
        return array
    longer = np.zeros(n + n // 2, dtype=array.dtype)
    longer[:n_used] = array[:n_used]
    return longer


cdef class StoredRows:
    """Rows with room for more, dense or CSR like the first of them.

    A row comes in two steps: `lay` may fail, and leaves the rows as they are;
    `keep` cannot. Another row can be laid over one that is not to be kept.

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
        self.columns, self.starts = np.empty(0, np.int32), np.zeros(1, np.int32)
        if rows is not None and rows.shape[0]:
            self.n_rows = rows.shape[0]
            self.sparse = issparse(rows)
            if self.sparse:
                self.values, self.columns = rows.data, rows.indices
                self.starts = rows.indptr
            else:
                self.values = rows.ravel()
            self.n_entries = len(self.values)
        self.reader = Rows(self.all_rows(self.values, self.columns, self.starts))

    def all_rows(self, values, columns, starts):
        """Return the rows in these arrays and the room for more."""
        if not self.sparse:
            whole = len(values) // self.n_features
            return values[: whole * self.n_features].reshape(whole, self.n_features)
        return as_csr(values, columns, starts, self.n_features)

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

    cdef int lay(self, const al_rows *X, Py_ssize_t i, double scale) except -1:
        """Write a row times its scale behind the others, where it does not count yet."""
        cdef double[::1] into
        cdef int64_t[::1] into_columns
        cdef Py_ssize_t m, first = self.n_entries
        if self.n_rows == 0:
            self.sparse = X.indices != NULL
        m = X.list(X, i, scale, NULL, NULL) if self.sparse else self.n_features
        # one more than needed, so that there is an address to write nothing to
        values = with_room(self.values, first + m + 1, first)
        columns, starts = self.columns, self.starts
        into = values[first:]
        if self.sparse:
            found = into_columns = np.empty(m + 1, np.int64)
            X.list(X, i, scale, &into[0], &into_columns[0])
            # some kernels take no other indices, so they are short where they can be
            longest = max(len(values), self.n_features)
            kind = np.int32 if longest <= INT32_MAX else np.int64
            columns = with_room(columns.astype(kind, copy=False), len(values), first)
            starts = with_room(
                starts.astype(kind, copy=False), self.n_rows + 2, self.n_rows + 1
            )
            columns[first : first + m] = found[:m]
            starts[self.n_rows + 1] = first + m
        else:
            into[:m] = 0
            X.add(X, i, 1.0, scale, &into[0])
        if values is not self.values or starts is not self.starts:
            self.reader = Rows(self.all_rows(values, columns, starts))
            self.values, self.columns, self.starts = values, columns, starts
        self.n_laid = m
        return 0

    cdef void keep(self) noexcept nogil:
        """Count the row that was laid last."""
        self.n_entries += self.n_laid
        self.n_rows += 1

    cdef int drop_first(self) except -1:
        """Forget the row that was kept first, where the others lie."""
        cdef Py_ssize_t m = self.starts[1] if self.sparse else self.n_features
        move_down(self.values, m, self.n_entries)
        if self.sparse:
            move_down(self.columns, m, self.n_entries)
            move_down(self.starts, 1, self.n_rows + 1)
            self.starts[: self.n_rows] -= m
        self.n_entries -= m
        self.n_rows -= 1
        return 0


def move_down(array, m, n_used):
    """Overwrite the first m numbers with those that follow."""
    array[: n_used - m] = array[m:n_used]


def as_csr(values, columns, starts, n_features):
    """Return a CSR array of these very arrays."""
    out = csr_array((len(starts) - 1, n_features))
    out.data, out.indices, out.indptr = values, columns, starts
    return out
