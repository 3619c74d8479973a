# Rows of a dense or CSR matrix, read in place.

from libc.float cimport DBL_MAX
from libc.math cimport sqrt
from libc.stdint cimport int64_t, uint64_t

cdef extern from "_rows.h" nogil:
    ctypedef struct al_rows:
        const void *values
        const void *indices
        const void *indptr
        Py_ssize_t n_features, ahead
        double (*dot)(const al_rows *X, Py_ssize_t i, const double *w) noexcept nogil
        double (*dots)(
            const al_rows *X, Py_ssize_t i, const double *w, double *squares
        ) noexcept nogil
        void (*dot4)(
            const al_rows *X, Py_ssize_t i, const double *w, Py_ssize_t stride,
            double *out
        ) noexcept nogil
        void (*fetch)(const al_rows *X, Py_ssize_t i) noexcept nogil
        void (*add)(
            const al_rows *X, Py_ssize_t i, double a, double scale, double *w
        ) noexcept nogil
        double (*squares)(const al_rows *X, Py_ssize_t i, double scale) noexcept nogil
        double (*largest)(const al_rows *X, Py_ssize_t i) noexcept nogil
        Py_ssize_t (*list)(
            const al_rows *X, Py_ssize_t i, double scale, double *values, int64_t *columns
        ) noexcept nogil
        uint64_t (*hash)(const al_rows *X, Py_ssize_t i) noexcept nogil


cdef class Rows:
    cdef al_rows view
    cdef tuple owners
    cdef readonly Py_ssize_t n_rows, n_features


cdef bint is_plain(X) except -1

cdef inline double multiply(
    const al_rows *X, Py_ssize_t i, const double *w, Py_ssize_t n_vectors,
    Py_ssize_t stride, bint measure, double *out
) noexcept nogil:
    """Write the products of row i with weight vectors; return the row's sum of squares.

    The sum is 0 unless it is to be measured. The vectors begin at w, w + stride, ...
    """
    cdef Py_ssize_t k = 0
    cdef double squares = 0
    if measure:
        out[0] = X.dots(X, i, w, &squares)
        k = 1
    while k + 4 <= n_vectors:
        X.dot4(X, i, w + k * stride, stride, out + k)
        k += 4
    while k < n_vectors:
        out[k] = X.dot(X, i, w + k * stride)
        k += 1
    return squares


cdef inline double norm_of(
    const al_rows *X, Py_ssize_t i, double squares
) noexcept nogil:
    """Euclidean norm of row i, given its sum of squares.

    A sum that may have lost digits is taken again relative to the largest value. A norm
    whose inverse is not finite (below 6e-309) counts as zero.
    """
    cdef double largest, norm
    if 1e-280 < squares < 1e280 or squares != squares:
        return sqrt(squares)
    largest = X.largest(X, i)
    if largest == 0 or largest > DBL_MAX:
        return largest
    norm = largest * sqrt(X.squares(X, i, largest))
    return min(norm, DBL_MAX) if norm * DBL_MAX > 1 else 0.0
