# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Rows of a dense or CSR matrix, read in place."""

import numpy as np
from scipy.sparse import issparse

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.math cimport NAN
from libc.stdint cimport int64_t, uint64_t

cdef extern from "_kernels.h" nogil:
    void al_rows_init(
        al_rows *X, int sparse, int value_size, int index_size, int widest
    )

#: Most numbers in a vector: 8 (AVX-512), 4 (AVX2) or 2, as far as the processor goes.
#: Products are the same bit for bit; tests and benchmarks set less.
widest = 8


cdef type ARRAY = np.ndarray
cdef tuple FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


cdef const void *address(array) except? NULL:
    """Address of the values of a C-contiguous array."""
    cdef Py_buffer buffer
    PyObject_GetBuffer(array, &buffer, PyBUF_SIMPLE)
    PyBuffer_Release(&buffer)
    return buffer.buf


cdef bint is_plain(X) except -1:
    """Tell whether the loops can read an array as it is."""
    if type(X) is not ARRAY or not (X.dtype is FLOATS[0] or X.dtype is FLOATS[1]):
        return False
    flags = X.flags
    return X.ndim == 2 and flags.c_contiguous and flags.aligned


cdef class Rows:
    """A validated matrix, ready for the compiled loops.

    Parameters
    ----------
    X : C-contiguous ndarray or CSR matrix of float32 or float64
        Not copied; read-only arrays and memory maps are fine.
    """

    def __cinit__(self, X):
        sparse = type(X) is not ARRAY and issparse(X)
        index_size = 0
        self.n_rows, self.n_features = X.shape
        self.view.n_features = self.n_features
        if sparse:
            # scipy stores both index arrays in one type; a user may not
            both_int32 = X.indices.dtype == X.indptr.dtype == np.int32
            index_type = np.dtype(np.int32 if both_int32 else np.int64)
            indices = np.require(X.indices, index_type, "CA")
            indptr = np.require(X.indptr, index_type, "CA")
            values = np.require(X.data, requirements="CA")
            self.owners = (values, indices, indptr)
            self.view.indices = address(indices)
            self.view.indptr = address(indptr)
            index_size = index_type.itemsize
        else:
            values = X if is_plain(X) else np.require(X, requirements="CA")
            self.owners = (values,)
        if values.dtype not in FLOATS:
            raise TypeError(f"rows of {values.dtype}, not float32 or float64")
        self.view.values = address(values)
        al_rows_init(&self.view, sparse, values.dtype.itemsize, index_size, widest)


def first_not_finite(Rows rows):
    """Return the first row that holds NaN or infinity, or -1."""
    cdef Py_ssize_t i, found = -1
    cdef const al_rows *X = &rows.view
    cdef double[::1] zeros = np.zeros(rows.n_features)
    cdef double product
    with nogil:
        for i in range(rows.n_rows):
            product = X.dot(X, i, &zeros[0])
            if product != 0:  # 0 * infinity and 0 * NaN are NaN
                found = i
                break
    return found


def squares(Rows rows):
    """Return the sum of the squares of each row; NaN where it holds NaN or infinity."""
    cdef Py_ssize_t i
    cdef const al_rows *X = &rows.view
    cdef double[::1] zeros = np.zeros(rows.n_features)
    out = np.empty(rows.n_rows)
    cdef double[::1] view = out
    with nogil:
        for i in range(rows.n_rows):
            if X.dots(X, i, &zeros[0], &view[i]) != 0:
                view[i] = NAN
    return out


def scores(Rows rows, coef, intercept, bint normalize):
    """Return the scores of all rows, with the bits of the loops of stream learners.

    Parameters
    ----------
    rows : Rows
        The matrix.
    coef : ndarray of float64 of shape (n_vectors, n_features)
        Weights of the features.
    intercept : ndarray of float64 of shape (n_vectors,)
        Weights of the constant feature.
    normalize : bool
        Whether rows are scaled to unit norm.

    Returns
    -------
    scores : ndarray of shape (n_samples, n_vectors)
    """
    cdef const double[:, ::1] W = np.ascontiguousarray(coef)
    cdef const double[::1] c = np.ascontiguousarray(intercept)
    cdef const al_rows *X = &rows.view
    cdef Py_ssize_t i, k, n_vectors = W.shape[0]
    cdef double squares, norm, scale = 1.0
    out = np.empty((rows.n_rows, n_vectors))
    cdef double[:, ::1] view = out
    with nogil:
        for i in range(rows.n_rows):
            squares = multiply(
                X, i, &W[0, 0], n_vectors, W.shape[1], normalize, &view[i, 0]
            )
            if normalize:
                norm = norm_of(X, i, squares)
                scale = 1 / norm if norm > 0 else 0.0
            for k in range(n_vectors):
                view[i, k] = view[i, k] * scale + c[k]
    return out


cdef enum:
    AHEAD = 8  # rows between telling the memory of a row and reading it


def hashes(Rows rows, const int64_t[::1] numbers):
    """A 64-bit hash of the values of each row; zeros do not count.

    Parameters
    ----------
    rows : Rows
        The matrix.
    numbers : array of int64, or None
        Rows to hash; None for all.

    Returns
    -------
    out : ndarray of uint64 of shape (n_samples,)
    """
    cdef bint all_rows = numbers is None
    cdef Py_ssize_t k, row, n = rows.n_rows if all_rows else numbers.shape[0]
    cdef const al_rows *X = &rows.view
    out = np.empty(n, dtype=np.uint64)
    cdef uint64_t[::1] view = out
    with nogil:
        for k in range(n):
            if not all_rows and k + AHEAD < n:
                X.fetch(X, numbers[k + AHEAD])
            row = k if all_rows else numbers[k]
            view[k] = X.hash(X, row)
    return out
