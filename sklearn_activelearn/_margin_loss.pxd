# What compiled code asks of a margin loss. No slope and no probability is 2: an
# exception is checked for where one is.

cdef class MarginLoss:
    cdef bint is_python
    cdef double at(self, double z) except? 2.0 nogil
    cdef double slope(self, double z) except? 2.0 nogil
    cdef double slope_of_label(self, double z) except? 2.0 nogil
    cdef double tight(self, double margin) except? 2.0 nogil
