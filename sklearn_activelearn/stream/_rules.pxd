# What the pass asks of a query rule and of an update rule.

cdef struct Clock:
    Py_ssize_t n_seen     # rows decided
    Py_ssize_t n_queries  # labels bought
    Py_ssize_t n_taught   # labels learned, bought or not
    Py_ssize_t n_updates  # labels that changed the weights
    Py_ssize_t n_idle     # rows since the last purchase
    Py_ssize_t n_held     # second order: rows stored and not forgotten


cdef class QueryRule:
    cdef readonly bint seeds, uses_norm, delays, falls, is_threshold
    cdef readonly Py_ssize_t group
    cdef Py_ssize_t blind_purchases(self, const Clock *clock) noexcept nogil
    cdef bint starting(self, const Clock *clock, const double *memory) noexcept nogil
    cdef double weigh(self, double margin) noexcept nogil
    cdef double probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil
    cdef void observe(self, double norm, double *memory) noexcept nogil
    cdef void learned(self, bint mistake, double *memory) noexcept nogil


cdef class UpdateRule:
    cdef readonly bint seeds, uses_norm
    cdef double step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) except? -1.0 nogil
