# The base classes of query rules and update rules, as the loop calls them.

cdef struct Clock:
    Py_ssize_t n_seen     # rows decided
    Py_ssize_t n_queries  # labels bought
    Py_ssize_t n_taught   # labels learned, bought or not
    Py_ssize_t n_updates  # labels that changed the weights
    Py_ssize_t n_idle     # rows since the last purchase
    Py_ssize_t n_held     # second order: rows stored and not forgotten
    Py_ssize_t n_alike    # consecutive rows for which the same class was predicted
    Py_ssize_t last_guess  # this class


cdef class QueryRule:
    cdef public bint seeds, uses_norm, ignores_margin, delays, falls, is_threshold
    cdef public Py_ssize_t group
    cdef readonly bint is_python, is_external
    # second order: a label is only compared with the prediction, unless memory[2] > 0
    cdef bint judges
    # its answer depends on the margin and the memory alone, and it has cy_probabilities
    cdef bint by_margin
    cdef Py_ssize_t n_memory
    cdef int cy_begin_pass(self, Py_ssize_t n_memory) except -1
    cdef Py_ssize_t cy_blind_purchases(self, const Clock *clock) noexcept nogil
    cdef bint cy_starting(self, const Clock *clock, const double *memory) noexcept nogil
    cdef double cy_weigh(self, double margin) noexcept nogil
    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil
    cdef void cy_probabilities(
        self, const double *margins, Py_ssize_t n, const double *memory, double *out
    ) noexcept nogil
    cdef int cy_observe(
        self, double margin, double norm, const Clock *clock, double *memory
    ) except -1 nogil
    cdef int cy_learned(
        self, bint mistake, const Clock *clock, double *memory
    ) except -1 nogil


cdef class UpdateRule:
    cdef public bint seeds, uses_norm, scale_free
    cdef readonly bint is_python
    cdef int cy_begin_pass(self) except -1
    cdef double cy_step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) except? -1.0 nogil
