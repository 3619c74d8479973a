# Rows that a learner puts by.

from libc.stdint cimport int64_t

from .._rows cimport Rows, al_rows


cdef class StoredRows:
    cdef readonly Py_ssize_t n_rows, n_features, n_entries
    cdef readonly bint sparse
    cdef object values, columns, starts
    cdef Rows reader
    cdef int append(self, const al_rows *X, Py_ssize_t i, double scale) except -1
    cdef int drop_first(self) except -1
