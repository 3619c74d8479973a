# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# The pass of one learner over rows, for whoever leads several at once.

cimport cython
from libc.stdint cimport int32_t, int64_t

from .._rows cimport Rows
from ._linear_state cimport LinearState, Row
from ._rule_base cimport Clock, QueryRule, UpdateRule
from ._tally cimport BLOCK, OCTAVE_ROWS, Tally, octave_of


cdef enum:
    AHEAD = 8  # rows between telling the memory of a row and reading it


cdef struct Decision:  # on a row, or on the one that is picked of a group
    double margin, norm, coin, probability
    double least  # that the probability can be, whatever the coin
    Py_ssize_t n_rows, n_alike, last_guess


@cython.final
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
    cdef Py_ssize_t at_once  # rows that are scored before the first of them is decided
    cdef Py_ssize_t n_alike_before, last_guess_before
    cdef double excess
    cdef Clock before
    cdef bint ordered, later, measured, observes, jumps, open, interrupted, unfinished, searches
    cdef int reason
    cdef int advance(self, Py_ssize_t start, Py_ssize_t end) except -1 nogil
    cdef Py_ssize_t advance_group(
        self, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t first
    ) except -1 nogil
    cdef inline int settle(self, Row *row, const Decision *decision) except -1 nogil
    cdef inline Py_ssize_t at(self, Py_ssize_t position) noexcept nogil
    cdef int stopped(self, int reason, Py_ssize_t row) noexcept nogil
    cdef int ask_for(self, Py_ssize_t row) except -1 nogil
    cdef void note(self, Py_ssize_t row, const Decision *decision) noexcept nogil


cdef inline int count_open(Pass one, double least) except -1 nogil:
    """Count a row that could be bought with a probability of `least` or more."""
    one.n_open += 1
    one.excess += (1 - least) / least
    one.tally.octaves[octave_of(least), OCTAVE_ROWS] += 1
    if one.n_open % BLOCK == 0:
        one.tally.stand(one.n_open, one.excess)
        one.tally.mark()
    return 0
