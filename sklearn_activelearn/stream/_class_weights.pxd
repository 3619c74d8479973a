# The weights of classes while a loop works on a learner.

from ._rule_base cimport Clock


cdef class ClassWeights:
    cdef readonly object sums
    cdef readonly bint weighs, balances
    cdef double[::1] n, n_taught, shares, given, thresholds, mean_thresholds
    cdef double[:, ::1] means, mean_means
    cdef Py_ssize_t n_known, one_class_limit
    cdef bint searches(self, const Clock *clock) noexcept nogil
    cdef double weight(self, Py_ssize_t label, double probability) noexcept nogil
    cdef double step_weight(
        self, Py_ssize_t label, double probability, bint scale_free
    ) noexcept nogil
    cdef void count(self, Py_ssize_t label, double probability) noexcept nogil
    cdef double share(
        self, Py_ssize_t label, double probability, int power
    ) noexcept nogil
    cdef void place(self) noexcept nogil


cdef void average_in(double *mean, double score, double share) noexcept nogil
