# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# What a pass of several learners needs of the products.

cimport cython
from libc.stdint cimport int64_t

from .._rows cimport Rows, al_rows
from ._linear_state cimport LinearState

cdef extern from "stream/_batched_pass.h" nogil:
    const Py_ssize_t AL_LANES, AL_ROWS_AT_ONCE, AL_IN_FRONT
    ctypedef void (*al_all)(
        const al_rows *X, Py_ssize_t i, const double *w, double *out, double *squares
    ) noexcept nogil
    ctypedef void (*al_add_all)(
        const al_rows *X, Py_ssize_t i, double *w
    ) noexcept nogil
    ctypedef void (*al_many)(
        const al_rows *X, const int64_t *rows, const int64_t *later, int turn,
        int n_turns, const double *w, Py_ssize_t stride, double *out, Py_ssize_t apart
    ) noexcept nogil
    al_many al_find_many(int value_size, int widest)
    void al_keep_together(
        al_rows *X, Py_ssize_t n_together, int value_size, int index_size, int widest,
        al_all *all, al_add_all *add_all
    )


@cython.final
cdef class Products:
    cdef Rows rows
    cdef const int64_t[::1] order
    cdef al_all all
    cdef al_add_all add_all
    cdef al_many many
    cdef readonly bint sparse
    cdef readonly Py_ssize_t n_vectors, width
    cdef Py_ssize_t n, n_ahead
    cdef int64_t[::1] numbers, later
    cdef double[:, ::1] products
    cdef double[::1] squares
    cdef const double[::1] known

    cdef inline Py_ssize_t at(self, Py_ssize_t position) noexcept nogil:
        """Row at a position of the order."""
        return position if self.order is None else self.order[position]

    cdef Py_ssize_t score_ahead(
        self, const double[:, ::1] weights, Py_ssize_t start, bint measure
    ) noexcept nogil
    cdef void hand_over(
        self, LinearState state, Py_ssize_t k, Py_ssize_t slot
    ) noexcept nogil
