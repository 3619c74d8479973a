# cython: cdivision=True
# The state of a learner while a loop works on it.

from libc.stdint cimport uint64_t

from ..kernels._rows cimport al_rows
from ._rules cimport Clock, QueryRule, UpdateRule


cdef enum:  # reasons for a loop to stop at a row
    C_DONE
    C_NOT_FINITE
    C_OVERFLOW

cdef enum:
    # rows that pass before another prediction is looked for: with balanced classes every
    # second row would need one, which takes time
    ALIKE = 64

cdef enum:  # fields of `Sums`
    ROWS
    EXCESS
    ASKED
    LABELS
    WEIGHTS
    MISTAKES
    SQUARES
    N_SUMS

cdef enum:
    MARK_EVERY = 64  # rows
    N_MARKS = 17     # marks kept for each spacing


cdef inline double uniform(uint64_t seed, uint64_t t) noexcept nogil:
    """Number t in [0, 1) of a generator without state: only seed and t are stored.

    The output function of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014) at its state t.
    """
    cdef uint64_t z = seed + (t + 1) * <uint64_t> 0x9E3779B97F4A7C15
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
    return (z ^ (z >> 31)) / 2048 * (1.0 / 9007199254740992.0)


cdef class Tally:
    cdef double[::1] sums
    cdef double[:, :, ::1] marks
    cdef readonly object tallied
    cdef void set_rows(self, Py_ssize_t n_rows, double excess) noexcept nogil
    cdef int mark(self) except -1 nogil
    cdef void learn(self, double chance, bint mistake, double row) noexcept nogil


cdef class ClassWeights:
    cdef readonly object sums
    cdef readonly bint weighs, balances
    cdef double[::1] n, n_taught, shares, given, thresholds, mean_thresholds
    cdef double[:, ::1] means, mean_means
    cdef Py_ssize_t n_known, one_class_limit
    cdef object copied_sums(self)
    cdef bint searches(self, const Clock *clock) noexcept nogil
    cdef double weight(self, Py_ssize_t label, double probability) noexcept nogil
    cdef double step_weight(
        self, Py_ssize_t label, double probability, bint scale_free
    ) noexcept nogil
    cdef void count(self, Py_ssize_t label, double probability) noexcept nogil
    cdef double share(
        self, Py_ssize_t label, double probability, int power
    ) noexcept nogil
    cdef void place_thresholds(self) noexcept nogil


cdef struct Row:
    const al_rows *X     # the matrix
    Py_ssize_t index
    Py_ssize_t slot      # position among the rows scored ahead
    double scale         # factor of the row: 1 / norm, or 1
    double squared_norm  # of the scaled row with its constant feature; -1: unknown
    double weight        # of the row's label, > 0


cdef class LinearState:
    cdef readonly object weights
    cdef readonly object memory
    cdef object details
    cdef double[:, ::1] W, W_drift
    cdef double[::1] c, c_drift, m, m_before, scores, mean_scores
    cdef QueryRule query_rule
    cdef UpdateRule update_rule
    cdef Clock clock
    cdef uint64_t seed
    cdef bint normalize, fit_intercept, average, measures, reports
    cdef double shrink, reach, least
    cdef Tally tally
    cdef readonly ClassWeights classes
    cdef Py_ssize_t guess
    cdef const double *ahead          # products of the rows scored ahead, or NULL
    cdef const double *ahead_squares
    cdef Py_ssize_t ahead_stride      # from one row to the next
    cdef object counts(self)
    cdef object current_details(self)
    cdef object copied_details(self)
    cdef object learned_since(self, before)
    cdef double score_row(self, Row *row, bint measure) except? -1.0 nogil
    cdef double multiply(self, const Row *row, bint measure) noexcept nogil
    cdef double margin(self) noexcept nogil
    cdef double signed_margin(self, Py_ssize_t label, Py_ssize_t *rival) noexcept nogil
    cdef double probability(
        self, Row *row, double margin, double norm, double coin
    ) except? -1.0 nogil
    cdef int observe(self, double margin, double norm) except -1 nogil
    cdef Py_ssize_t highest(
        self, const double[::1] scores, const double[::1] thresholds
    ) noexcept nogil
    cdef void score_by_mean(self, const Row *row) noexcept nogil
    cdef Py_ssize_t prediction(
        self, const Row *row, Py_ssize_t n_alike, Py_ssize_t last_guess
    ) noexcept nogil
    cdef void move(self, const Row *row, Py_ssize_t k, double a) noexcept nogil
    cdef void measure(self, Row *row) noexcept nogil
    cdef double length(self, Row *row) noexcept nogil
    cdef void count(
        self, const Row *row, Py_ssize_t label, double probability,
        int power
    ) noexcept nogil
    cdef int prepare(self, Row *row, bint later) except? -1 nogil
    cdef int learn(
        self, Row *row, Py_ssize_t label, double probability, bint asked
    ) except? -1 nogil
