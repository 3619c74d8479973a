# Rows of a dense or CSR matrix, read in place.

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
