# The base of margin losses, for compiled code and custom compiled losses. No slope and
# no probability is 2: Cython checks for an exception where a function returns 2.

cdef class MarginLoss:
    cdef bint is_python
    cdef double at(self, double z) except? 2.0 nogil
    cdef double slope(self, double z) except? 2.0 nogil
    cdef double slope_of_label(self, double z) except? 2.0 nogil
    cdef double tight(self, double margin) except? 2.0 nogil
