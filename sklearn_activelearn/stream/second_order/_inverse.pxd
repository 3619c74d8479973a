# The inverse matrix of the second-order learners, in its forms.

from libc.stdint cimport int64_t

from ..._rows cimport al_rows
from .._linear_state cimport Row
from ._stored_rows cimport StoredRows


cdef class Inverse:
    cdef readonly double ridge
    cdef readonly double constant
    cdef bint may_move
    cdef bint descends
    cdef readonly Py_ssize_t n_held
    cdef double[::1] u
    cdef double leverage(
        self, const al_rows *X, const Row *row, double squares
    ) noexcept nogil
    cdef void direct(self, const al_rows *X, const Row *row) noexcept nogil
    cdef int lay(self, const al_rows *X, const Row *row) except -1 nogil
    cdef void store(
        self, Py_ssize_t label, double leverage, double weight
    ) noexcept nogil


cdef class Primal(Inverse):
    cdef object matrix
    cdef const double[:, ::1] M
    cdef double[::1] z
    cdef bint owned


cdef class Dual(Inverse):
    cdef readonly StoredRows stored
    cdef object factor, codes, root_array
    cdef const double[::1] L
    cdef double[::1] k, q, z, roots
    cdef int64_t[::1] y
    cdef int make_room(self) except -1
    cdef void products(self, const al_rows *X, const Row *row) noexcept nogil
    cdef void solve(self, char *transposed, double *b) noexcept nogil
    cdef int drop_first(self) except -1
    cdef void weigh(
        self, Py_ssize_t label, double *w, double *constant
    ) noexcept nogil


cdef class KernelDual(Dual):
    cdef object scale_array
    cdef double[::1] scales
