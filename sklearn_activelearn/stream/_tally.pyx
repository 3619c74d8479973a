# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""Sums over the rows of a stream that tell a learner's error on it.

They are of rows that could be bought, and of their labels weighted by the inverse
of the probability of buying them. A few of them as they stood at earlier rows are
kept, so that the error of the last rows is known: what is counted of a stream
takes little memory, however long it is.
"""

from typing import NamedTuple

import numpy as np

from libc.string cimport memcpy


class Sums(NamedTuple):
    """Sums over the rows of a stream; q is the probability of buying a row's label."""

    n_rows: float = 0.0  # rows that could be bought
    excess: float = 0.0  # of (1 - q) / q over these; infinite if a q was 0
    n_asked: float = 0.0  # rows of these that were bought
    n_labels: float = 0.0  # labels of these that were learned
    weights: float = 0.0  # of 1 / q over these labels
    mistakes: float = 0.0  # of 1 / q over the mistakes
    squares: float = 0.0  # of 1 / q^2 over the mistakes


class Octaves(NamedTuple):
    """Counts of rows, and sums of their 1 / q, by the octave of q."""

    n_rows: object
    n_asked: object
    asked: object
    n_mistakes: object
    mistakes: object
    n_correct: object
    correct: object


class Tallied(NamedTuple):
    """What is kept of a stream."""

    sums: object  # as in `Sums`
    octaves: object  # (n_octaves, 7), columns as in `Octaves`
    marks: object  # (n_spacings, 17, 7), sums as they stood at earlier rows


def no_rows():
    """Return what is kept of a stream that has not begun."""
    return Tallied(
        np.zeros(N_SUMS), np.zeros((N_OCTAVES, N_COLUMNS)), np.zeros((0, N_MARKS, N_SUMS))
    )


cdef class Tally:
    """What is kept of a stream, while a loop works on it.

    Of each spacing, 64 rows, 128, 256 and so on, the last 17 marks are kept: sums as
    they stood when that many rows had passed.

    Parameters
    ----------
    tallied : Tallied
        Copied.
    """

    def __init__(self, tallied):
        self.tallied = Tallied(*(part.copy() for part in tallied))
        self.sums, self.octaves, self.marks = self.tallied

    cdef void stand(self, Py_ssize_t n_rows, double excess) noexcept nogil:
        """Note the sums over rows, which a loop keeps at hand."""
        self.sums[ROWS] = n_rows
        self.sums[EXCESS] = excess

    cdef int mark(self) except -1 nogil:
        """Keep the sums as they stand after a multiple of BLOCK rows."""
        cdef Py_ssize_t n_blocks = <Py_ssize_t> self.sums[ROWS] // BLOCK, level = 0
        if n_blocks == 1 << self.marks.shape[0]:
            with gil:
                self.lengthen()
        while True:
            memcpy(
                &self.marks[level, n_blocks % N_MARKS, 0], &self.sums[0],
                N_SUMS * sizeof(double),
            )
            if n_blocks % 2:
                return 0
            n_blocks //= 2
            level += 1

    cdef int lengthen(self) except -1:
        """Make room for marks of the next spacing."""
        more = np.zeros((1, N_MARKS, N_SUMS))
        marks = np.concatenate([self.tallied.marks, more])
        self.tallied, self.marks = self.tallied._replace(marks=marks), marks
        return 0

    cdef void buy(self, double chance) noexcept nogil:
        """Note that the label of the last row that was counted was bought."""
        cdef double *octave = &self.octaves[octave_of(chance), 0]
        self.sums[ASKED] += 1
        octave[OCTAVE_ASKED] += 1
        octave[OCTAVE_ASKED_WEIGHTS] += 1 / chance

    cdef void learn(self, double chance, bint mistake, double row) noexcept nogil:
        """Note the label of a row that was bought, as the so-many-th that was counted."""
        cdef double *octave = &self.octaves[octave_of(chance), 0]
        cdef double weight = 1 / chance
        cdef Py_ssize_t level, i
        octave[OCTAVE_MISTAKES if mistake else OCTAVE_CORRECT] += 1
        octave[
            OCTAVE_MISTAKES_WEIGHTS if mistake else OCTAVE_CORRECT_WEIGHTS
        ] += weight
        add(&self.sums[0], weight, mistake)
        if row > self.sums[ROWS] - <Py_ssize_t> self.sums[ROWS] % BLOCK:
            return
        for level in range(self.marks.shape[0]):
            for i in range(N_MARKS):
                if self.marks[level, i, ROWS] >= row:
                    add(&self.marks[level, i, 0], weight, mistake)


cdef inline void add(double *sums, double weight, bint mistake) noexcept nogil:
    """Add a label to sums."""
    sums[LABELS] += 1
    sums[WEIGHTS] += weight
    if mistake:
        sums[MISTAKES] += weight
        sums[SQUARES] += weight * weight


def sums_since(tallied, window):
    """Return the sums over the last rows.

    Parameters
    ----------
    tallied : Tallied
        What is kept.
    window : int or None
        At least so many rows, if there are as many, and as few more as marks allow.
        None: all.
    """
    now = tallied.sums
    if window is None:
        return Sums(*now.tolist())
    marks = tallied.marks.reshape(-1, N_SUMS)
    marks = np.concatenate([np.zeros((1, N_SUMS)), marks])
    marks = marks[marks[:, ROWS] <= max(now[ROWS] - window, 0)]
    return Sums(*(now - marks[marks[:, ROWS].argmax()]).tolist())
