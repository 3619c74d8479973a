# Coordinate descent, for more stored rows than can be factorised.

from libc.stdint cimport int64_t

from ._inverse cimport Inverse
from ._stored_rows cimport StoredRows


cdef class CoordinateDescent(Inverse):
    cdef readonly StoredRows stored
    cdef Py_ssize_t n_vectors, n_listed
    cdef bint owned
    cdef object alphas, codes, weight_array, diagonal
    cdef double[::1] alpha, weights, D, values
    cdef int64_t[::1] y, columns
    cdef void descend(self, double[:, ::1] W, double[::1] c) noexcept nogil
    cdef void step(
        self, Py_ssize_t i, double[:, ::1] W, double[::1] c
    ) noexcept nogil
