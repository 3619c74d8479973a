# What compiled code asks of a margin loss.

cdef class MarginLoss:
    cdef double at(self, double z) noexcept nogil
    cdef double slope(self, double z) noexcept nogil
    cdef double tight(self, double margin) noexcept nogil
