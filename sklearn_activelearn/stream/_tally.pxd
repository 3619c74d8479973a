# What a pass counts for the estimate of its own error.

from libc.stdint cimport uint64_t
from libc.string cimport memcpy


cdef enum:  # the sums, in the order of `Sums`
    ROWS
    EXCESS
    ASKED
    LABELS
    WEIGHTS
    MISTAKES
    SQUARES
    N_SUMS

cdef enum:  # the columns of an octave, in the order of `Octaves`
    OCTAVE_ROWS
    OCTAVE_ASKED
    OCTAVE_ASKED_WEIGHTS
    OCTAVE_MISTAKES
    OCTAVE_MISTAKES_WEIGHTS
    OCTAVE_CORRECT
    OCTAVE_CORRECT_WEIGHTS
    N_COLUMNS

cdef enum:
    N_OCTAVES = 20
    BLOCK = 64    # rows between marks
    N_MARKS = 17  # marks kept of each spacing


cdef inline Py_ssize_t octave_of(double chance) noexcept nogil:
    """0 for a probability of 1, j for one in [2^-j, 2^(1-j)); the last is for the rest."""
    cdef uint64_t bits
    memcpy(&bits, &chance, sizeof(bits))
    return min(1023 - <Py_ssize_t> (bits >> 52), N_OCTAVES - 1)


cdef class Tally:
    cdef double[::1] sums
    cdef double[:, ::1] octaves
    cdef double[:, :, ::1] marks
    cdef readonly object tallied
    cdef void stand(self, Py_ssize_t n_rows, double excess) noexcept nogil
    cdef int mark(self) except -1 nogil
    cdef int lengthen(self) except -1
    cdef void buy(self, double chance) noexcept nogil
    cdef void learn(self, double chance, bint mistake, double row) noexcept nogil
