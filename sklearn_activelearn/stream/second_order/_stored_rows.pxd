# Rows that a learner puts by.

from libc.stdint cimport int64_t

from ..._rows cimport Rows, al_rows


cdef class StoredRows:
    cdef readonly Py_ssize_t n_rows, n_features, n_entries, n_laid
    cdef readonly bint sparse
    cdef object values, columns, starts
    cdef Rows reader
    cdef int lay(self, const al_rows *X, Py_ssize_t i, double scale) except -1
    cdef void keep(self) noexcept nogil
    cdef int drop_first(self) except -1
