# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""Passes of several learners over the same rows, side by side.

A row is read once for all: its products with the weights of all learners are made
some rows ahead. A learner that moves its weights looks at the rows left of these for
itself. So each does, bit for bit, what it would have done alone.
"""

import numpy as np

from libc.stdint cimport intptr_t

from .._rows cimport al_rows
from ._pass cimport Pass

cdef extern from "stream/_fleet.h" nogil:
    ctypedef struct al_across:
        void (*products)(
            const al_rows *X, Py_ssize_t i, const double *w, Py_ssize_t stride, double *out
        ) noexcept nogil
        void (*copy)(
            const al_rows *X, Py_ssize_t i, const double *w, double *to, Py_ssize_t stride
        ) noexcept nogil
    void al_across_init(al_across *kernels, int value_size, int index_size)

cdef enum:
    FORESIGHT = 16  # rows looked at ahead, at least
    LANES = 8       # vectors whose products with a CSR row are made side by side


cdef class Fleet:
    """Learners with weights, on their way over the same rows.

    Parameters
    ----------
    passes : list of Pass
        One or more, of the same rows, order and group, each with a `LinearState`
        of its own with as many weight vectors.
    """

    cdef list passes
    cdef intptr_t[::1] members
    cdef Pass lead
    cdef al_across across
    cdef bint measured
    cdef Py_ssize_t n_each, n_vectors, n_ahead
    cdef double[:, ::1] weights  # one row a vector
    cdef double[:, ::1] across_weights  # for CSR rows: one row a feature
    cdef double[:, ::1] products  # of the rows ahead with all vectors
    cdef double[::1] squares  # of the rows ahead

    def __init__(self, passes):
        cdef Pass one
        self.passes, self.lead = passes, passes[0]
        self.members = np.array([id(one) for one in passes], dtype=np.intp)
        self.measured = any([one.measured for one in passes])
        self.n_each = self.lead.state.W.shape[0]
        self.n_vectors = self.n_each * len(passes)
        self.n_ahead = multiple(FORESIGHT, self.lead.query_rule.group)
        self.weights = np.concatenate([one.state.weights.coef for one in passes])
        n_features = self.weights.shape[1]
        stride = multiple(self.n_vectors, LANES)
        self.products = aligned(self.n_ahead, stride)
        self.squares = np.empty(self.n_ahead)
        if self.lead.rows.view.indices != NULL:
            values, indices, _ = self.lead.rows.owners
            al_across_init(&self.across, values.itemsize, indices.itemsize)
            across_weights = aligned(n_features, stride)
            across_weights[:, : self.n_vectors] = np.asarray(self.weights).T
            self.across_weights = across_weights
        for k, one in enumerate(passes):
            vectors = slice(k * self.n_each, (k + 1) * self.n_each)
            one.state.keep_weights_in(np.asarray(self.weights)[vectors])
            one.jumps = False  # the fleet does that for all

    def run(self):
        """Go over all rows.

        Returns
        -------
        outcomes : list of Outcome
            How each pass ended.
        """
        cdef Py_ssize_t start = 0, end, n = self.lead.n, k
        try:
            with nogil:
                while start < n:
                    end = min(start + self.n_ahead, n)
                    self.look_ahead(start, end)
                    for k in range(self.members.shape[0]):
                        self.advance(k, <Pass> <void *> self.members[k], start, end)
                    start = end
        finally:
            for one in self.passes:
                (<Pass> one).state.ahead = NULL
        return [(<Pass> one).end() for one in self.passes]

    cdef void look_ahead(self, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
        """Multiply rows with all vectors."""
        cdef const al_rows *X = &self.lead.view
        cdef Py_ssize_t slot, i, k, d = self.weights.shape[1], n_done = 0
        for slot in range(end - start):
            i = self.lead.at(start + slot)
            if start + slot + self.n_ahead < self.lead.n:
                X.fetch(X, self.lead.at(start + slot + self.n_ahead))
            if self.measured:
                self.products[slot, 0] = X.dots(
                    X, i, &self.weights[0, 0], &self.squares[slot]
                )
            if self.across_weights.shape[0]:
                self.across.products(
                    X, i, &self.across_weights[0, 0], self.products.shape[1],
                    &self.products[slot, 0],
                )
        if self.across_weights.shape[0]:
            return
        for k in range(self.measured, self.n_vectors - 3, 4):
            for slot in range(end - start):
                X.dot4(
                    X, self.lead.at(start + slot), &self.weights[k, 0], d,
                    &self.products[slot, k],
                )
            n_done = k + 4
        for k in range(n_done, self.n_vectors):
            for slot in range(end - start):
                self.products[slot, k] = X.dot(
                    X, self.lead.at(start + slot), &self.weights[k, 0]
                )

    cdef int advance(
        self, Py_ssize_t k, Pass one, Py_ssize_t start, Py_ssize_t end
    ) except -1 nogil:
        """Have a learner go over rows that were looked at ahead."""
        cdef Py_ssize_t bought, j, first = k * self.n_each
        cdef Py_ssize_t n_before = one.n_bought, n_updates = one.state.clock.n_updates
        cdef const al_rows *X = &self.lead.view
        one.state.ahead = &self.products[0, first]
        one.state.ahead_stride = self.products.shape[1]
        one.state.ahead_squares = &self.squares[0]
        one.advance(start, end)
        if self.across_weights.shape[0] and one.state.clock.n_updates != n_updates:
            for bought in range(n_before, one.n_bought):
                for j in range(first, first + self.n_each):
                    self.across.copy(
                        X, one.bought[bought], &self.weights[j, 0],
                        &self.across_weights[0, j], self.across_weights.shape[1],
                    )
        return 0


cdef Py_ssize_t multiple(Py_ssize_t n, Py_ssize_t of) noexcept:
    """The least multiple that is not below n."""
    return (n + of - 1) // of * of


def aligned(n_rows, n_columns):
    """Return zeros whose rows begin where a line of the cache does.

    The number of columns is a multiple of `LANES`.
    """
    zeros = np.zeros((n_rows + 1) * n_columns)
    skipped = -zeros.ctypes.data % 64 // 8
    return zeros[skipped : skipped + n_rows * n_columns].reshape(n_rows, n_columns)
