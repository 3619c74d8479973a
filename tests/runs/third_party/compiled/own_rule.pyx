# cython: cdivision=True
"""A compiled query rule, and a compiled update rule."""

from sklearn_activelearn.stream cimport Clock, QueryRule, UpdateRule


cdef class InverseSquare(QueryRule):
    """Buy with probability b² / (b² + margin²)."""

    cdef double b

    def __cinit__(self, double b):
        self.b = b

    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        return self.b * self.b / (self.b * self.b + margin * margin)


cdef class RunningMean(QueryRule):
    """Buy rows below the mean margin of the rows so far: its memory is that mean."""

    def initial_memory(self, n_dims):
        return [0.0]

    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        return 1.0 if margin <= memory[0] else 0.25

    cdef int cy_observe(
        self, double margin, double norm, const Clock *clock, double *memory
    ) except -1 nogil:
        memory[0] += (margin - memory[0]) / (clock.n_seen + 1)
        return 0


cdef class MistakesOnly(UpdateRule):
    """Step 1 on a mistake."""

    cdef double cy_step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) except? -1.0 nogil:
        return 1.0 if z <= 0 else 0.0
