# The pass of one learner over rows, for whoever leads several at once.

from libc.stdint cimport int32_t, int64_t

from .._rows cimport Rows
from ._linear_state cimport LinearState
from ._rule_base cimport Clock, QueryRule, UpdateRule
from ._tally cimport Tally


cdef class Pass:
    cdef Rows rows
    cdef const int64_t[::1] order
    cdef int32_t[::1] labels
    cdef object ask, interrupt
    cdef QueryRule query_rule
    cdef UpdateRule update_rule
    cdef readonly LinearState state
    cdef Tally tally
    cdef int64_t[::1] bought
    cdef double[::1] probabilities
    cdef double[:, ::1] forecasts
    cdef Py_ssize_t n, n_bought, n_open, budget, patience, stopped_at
    cdef Py_ssize_t n_alike_before, last_guess_before
    cdef double excess
    cdef Clock before
    cdef bint ordered, later, measured, observes, jumps, open, interrupted, unfinished, searches
    cdef int reason
    cdef int advance(self, Py_ssize_t start, Py_ssize_t end) except -1 nogil
    cdef inline Py_ssize_t at(self, Py_ssize_t position) noexcept nogil
    cdef int stopped(self, int reason, Py_ssize_t row) noexcept nogil
    cdef int ask_for(self, Py_ssize_t row) except -1 nogil
    cdef void note(
        self, Py_ssize_t row, double probability, double least, bint counts
    ) noexcept nogil
