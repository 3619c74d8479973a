# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""What the loop works on when each feature has a step of its own."""

from typing import NamedTuple

import numpy as np

from libc.float cimport DBL_MAX
from libc.math cimport sqrt
from libc.stdint cimport int64_t

from .._rows cimport al_rows
from ._linear_state cimport C_DONE, C_OVERFLOW, LinearState, Row
from ._rule_base cimport QueryRule, UpdateRule


cdef double EARLY = 10  # labelled rows until steps are half as long as later


class Scales(NamedTuple):
    """What is known of the sizes of features and rows, from the labelled rows."""

    squares: object  # (n_features,): sum of squares
    n_present: object  # (n_features,): rows that do not have 0 there
    gain: float = 0.0  # sum over rows of what a step of 1 added to the margin
    n_rows: int = 0  # that are not all 0


cdef class AdaptiveState(LinearState):
    """A `LinearState` whose steps follow the sizes of features and rows.

    A step s at the T-th labelled row x moves weight i by s T / (T + 10) / G times
    x_i / r_i. r_i is the root mean square of feature i over the labelled rows that
    have it, G the mean over the labelled rows of the sum of x_i^2 / r_i, each as it
    was when that row came; both include x. So the margin of a row of average size
    moves by s, by less while T is small. It does not matter what all rows are
    multiplied by, which is why the weights of rows divided by sqrt(2) are the same.

    Parameters
    ----------
    weights, memory, counts, tallied, classes, seed, normalize, fit_intercept, average
        As for `LinearState`.
    scales : Scales
        Copied.
    """

    cdef double[::1] squares, n_present, values, direction
    cdef int64_t[::1] columns
    cdef object arrays
    cdef double total_gain, laid_gain, factor, laid_length
    cdef Py_ssize_t n_rows, n_laid

    def __init__(
        self, weights, memory, counts, tallied, classes, seed, normalize, fit_intercept,
        average, scales,
    ):
        super().__init__(
            weights, memory, counts, tallied, classes, seed, normalize, fit_intercept,
            average,
        )
        self.arrays = np.array(scales.squares), np.array(scales.n_present)
        self.squares, self.n_present = self.arrays
        self.total_gain, self.n_rows = scales.gain, scales.n_rows
        d = len(self.squares)
        self.values, self.direction = np.empty(d), np.empty(d)
        self.columns = np.empty(d, dtype=np.int64)

    @property
    def scales(self):
        """What is known of the sizes of features and rows."""
        return Scales(*self.arrays, self.total_gain, self.n_rows)

    cdef int prepare(
        self, const al_rows *X, Row *row, bint later
    ) except? -1 nogil:
        """Lay out the direction of a step along the row; overflow if it has none."""
        cdef Py_ssize_t j, i
        cdef double square, total, n, largest = 0
        # the constant feature has root mean square 1
        self.laid_gain = self.laid_length = self.fit_intercept
        self.n_laid = X.list(
            X, row.index, row.scale, &self.values[0], &self.columns[0]
        )
        for j in range(self.n_laid):
            i = self.columns[j]
            square = self.values[j] * self.values[j]
            self.direction[j] = 0.0
            if square > 0:  # else it has underflowed: the row does not have it
                total = self.squares[i] + square
                largest = max(largest, total)
                self.direction[j] = self.values[j] * sqrt((self.n_present[i] + 1) / total)
            self.laid_gain += self.values[j] * self.direction[j]
            self.laid_length += self.direction[j] * self.direction[j]
        self.factor = 0.0
        if self.laid_gain > 0:
            n = self.n_rows + 1
            self.factor = n / (n + EARLY) * n / (self.total_gain + self.laid_gain)
        self.laid_length = self.factor * sqrt(self.laid_length)
        return C_DONE if max(largest, self.laid_length) <= DBL_MAX else C_OVERFLOW

    cdef double length(self, const al_rows *X, Row *row) noexcept nogil:
        return self.laid_length

    cdef void move(
        self, const al_rows *X, const Row *row, Py_ssize_t k, double a
    ) noexcept nogil:
        a *= self.factor
        self.add(&self.W[k, 0], &self.c[k], a)
        if self.average and self.clock.n_taught > 0:
            self.add(&self.W_drift[k, 0], &self.c_drift[k], a * self.clock.n_taught)

    cdef void add(self, double *w, double *c, double a) noexcept nogil:
        """Add a times the direction to weights and intercept."""
        cdef Py_ssize_t j
        for j in range(self.n_laid):
            w[self.columns[j]] += a * self.direction[j]
        if self.fit_intercept:
            c[0] += a

    cdef int learn(
        self, const al_rows *X, Row *row, Py_ssize_t label,
        QueryRule query_rule, UpdateRule update_rule, double probability, bint asked,
    ) except? -1 nogil:
        cdef int reason = LinearState.learn(
            self, X, row, label, query_rule, update_rule, probability, asked
        )
        cdef Py_ssize_t j
        cdef double square
        if reason == C_DONE:
            self.total_gain += self.laid_gain
            self.n_rows += self.laid_gain > 0
            for j in range(self.n_laid):
                square = self.values[j] * self.values[j]
                if square > 0:
                    self.squares[self.columns[j]] += square
                    self.n_present[self.columns[j]] += 1
        return reason
