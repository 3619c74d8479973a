# What the loop asks of the state that it works on.

from libc.stdint cimport uint64_t

from .._rows cimport al_rows
from ._class_weights cimport ClassWeights
from ._rule_base cimport Clock, QueryRule, UpdateRule
from ._tally cimport Tally


cdef enum:  # why a row stops the loop
    C_DONE
    C_NOT_FINITE
    C_OVERFLOW


cdef enum:
    # rows that pass before another prediction is looked for: where classes are equal
    # every second row would be one, which takes time
    ALIKE = 64


cdef struct Row:
    Py_ssize_t index
    Py_ssize_t slot      # its place among the rows scored ahead
    double scale         # what the row is multiplied by: 1 / norm, or 1
    double squared_norm  # of the scaled row with its constant feature; -1: unknown


cdef class LinearState:
    cdef readonly object weights
    cdef readonly object memory
    cdef double[:, ::1] W, W_drift
    cdef double[::1] c, c_drift, m, m_before, scores, mean_scores
    cdef Clock clock
    cdef uint64_t seed
    cdef bint normalize, fit_intercept, average, measures, reports, balances
    cdef double shrink, reach, least
    cdef Tally tally
    cdef readonly ClassWeights classes
    cdef Py_ssize_t guess, last_guess, n_alike
    cdef const double *ahead          # products of the rows scored ahead, or NULL
    cdef const double *ahead_squares
    cdef Py_ssize_t ahead_stride      # from one row to the next
    cdef double score_row(
        self, const al_rows *X, Row *row, bint measure
    ) except? -1.0 nogil
    cdef double multiply(
        self, const al_rows *X, const Row *row, bint measure
    ) noexcept nogil
    cdef double margin(self) noexcept nogil
    cdef double signed_margin(self, Py_ssize_t label, Py_ssize_t *rival) noexcept nogil
    cdef double probability(
        self, const al_rows *X, Row *row, double margin, double norm, double coin,
        QueryRule query_rule,
    ) except? -1.0 nogil
    cdef int observe(
        self, double margin, double norm, QueryRule query_rule
    ) except -1 nogil
    cdef Py_ssize_t highest(
        self, const double[::1] scores, const double[::1] thresholds
    ) noexcept nogil
    cdef void score_by_mean(self, const al_rows *X, const Row *row) noexcept nogil
    cdef Py_ssize_t prediction(
        self, const al_rows *X, const Row *row, Py_ssize_t n_alike, Py_ssize_t last_guess
    ) noexcept nogil
    cdef void move(
        self, const al_rows *X, const Row *row, Py_ssize_t k, double a
    ) noexcept nogil
    cdef void measure(self, const al_rows *X, Row *row) noexcept nogil
    cdef double length(self, const al_rows *X, Row *row) noexcept nogil
    cdef void count(
        self, const al_rows *X, const Row *row, Py_ssize_t label, double probability,
        int power
    ) noexcept nogil
    cdef int prepare(
        self, const al_rows *X, Row *row, bint later
    ) except? -1 nogil
    cdef int learn(
        self, const al_rows *X, Row *row, Py_ssize_t label,
        QueryRule query_rule, UpdateRule update_rule, double probability, bint asked,
    ) except? -1 nogil
