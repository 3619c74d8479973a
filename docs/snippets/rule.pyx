cdef class InverseSquareRule(QueryRule):
    """Buy with probability b² / (b² + margin²)."""

    cdef double b

    def __cinit__(self, double b):
        self.b = b

    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        return self.b * self.b / (self.b * self.b + margin * margin)
