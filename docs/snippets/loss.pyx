cdef class ArctanLoss(MarginLoss):
    """Arctangent: 1/2 - arctan(z) / pi, bounded and never flat."""

    name = "arctan"

    cdef double at(self, double z) noexcept nogil:
        return 0.5 - atan(z) / 3.141592653589793

    cdef double slope(self, double z) noexcept nogil:
        return -1 / (3.141592653589793 * (1 + z * z))
