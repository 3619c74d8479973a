# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""Products of rows with the weight vectors of several learners."""

import numpy as np

from libc.stdint cimport int64_t

from .._rows cimport Rows, al_rows
from ._linear_state cimport LinearState, Row

from .. import _rows
from ._class_weights import ClassWeights, no_labels
from ._linear_state import Counts, Weights
from ._tally import no_rows

cdef enum:
    FETCHED = 8  # rows between telling the memory of a row and reading it


cdef inline Py_ssize_t multiple(Py_ssize_t n, Py_ssize_t of) noexcept nogil:
    """The least multiple that is not below n."""
    return (n + of - 1) // of * of


#: Weight vectors that CSR rows are multiplied with together.
LANES = AL_LANES


def zeros_of(size, spare):
    """Return so many zeros, if possible in an array of a list, which loses it."""
    try:
        zeros = spare.pop()  # in one step: of two threads only one gets it
    except IndexError:
        return np.zeros(size)
    if len(zeros) != size:
        return np.zeros(size)
    zeros.fill(0)
    return zeros


cdef class Products:
    """Products of the rows ahead with the weight vectors of several learners.

    For dense rows each vector lies by itself, and a few rows are multiplied at once.
    For CSR rows the vectors lie feature by feature, so that what a row needs of them
    is together; rows are multiplied one at a time.

    Parameters
    ----------
    rows : Rows
        The matrix. If it is CSR, it is for such weights from now on.
    order : array of int64, or None
        Rows in the order in which they come; None for all of them as they are.
    n_vectors : int
        Weight vectors, of all learners.
    group : int
        The number of rows scored ahead is a multiple of it.
    known : array of shape (n_samples,), or None
        Sums of the squares of dense rows, by row number, so that none is measured again.
    """

    def __init__(self, Rows rows, order, n_vectors, group=1, known=None):
        self.rows, self.order, self.known = rows, order, known
        self.n = rows.n_rows if order is None else len(order)
        self.n_vectors = n_vectors
        self.sparse = rows.view.indices != NULL
        rows.view.ahead = 0  # rows are fetched once, for all vectors
        value_size = rows.owners[0].itemsize
        if self.sparse:
            self.width, self.n_ahead = multiple(n_vectors, AL_LANES), group
            al_keep_together(
                &rows.view, self.width, value_size, rows.owners[1].itemsize,
                _rows.widest, &self.all, &self.add_all,
            )
        else:
            self.width = multiple(n_vectors, 4)
            self.n_ahead = multiple(AL_ROWS_AT_ONCE, group)
            self.many = al_find_many(value_size, _rows.widest)
        n_slots = multiple(self.n_ahead, AL_ROWS_AT_ONCE)
        self.numbers, self.later = np.empty((2, n_slots), dtype=np.int64)
        self.products = np.empty((n_slots, self.width))
        self.squares = np.empty(n_slots)

    def zeros(self, spare=()):
        """Return a 0 for each weight of all vectors.

        Parameters
        ----------
        spare : list of ndarray, optional
            Arrays that nobody needs. To be given fresh memory for the weights of CSR
            rows takes longer than to set one of these to 0.
        """
        n, n_in_front = self.rows.n_features, AL_IN_FRONT if self.sparse else 0
        size = (n_in_front + n) * self.width
        zeros = zeros_of(size + 8, spare) if spare else np.zeros(size + 8)
        skipped = -zeros.ctypes.data % 64 // 8  # to where a line of the cache begins
        zeros = zeros[skipped : skipped + size]
        if not self.sparse:
            return zeros.reshape(self.width, n)
        return zeros.reshape(n_in_front + n, self.width)[n_in_front:]

    def part(self, weights, k, n):
        """Return n vectors from the k-th on, so that a `LinearState` can use them.

        Of those that lie feature by feature that is the first feature.
        """
        return weights[0, k : k + n, None] if self.sparse else weights[k : k + n]

    def put(self, weights, k, vectors):
        """Put vectors among the weights, from the k-th on."""
        own = slice(k, k + len(vectors))
        if self.sparse:
            weights[:, own] = vectors.T
        else:
            weights[own] = vectors

    def scores(self, weights, intercepts, n_each, bint normalize):
        """Return the scores of all rows, as `decision_function` of each learner does.

        Parameters
        ----------
        weights : array as `zeros` returns
            What the learners predict with.
        intercepts : array of shape (n_vectors,)
            The same of the constant feature.
        n_each : int
            Vectors of a learner.
        normalize : bool
            Whether rows are scaled to unit norm.

        Returns
        -------
        scores : list of ndarray of shape (n_rows,) or (n_rows, n_each)
            Of each learner.
        """
        cdef const double[:, ::1] all_weights = weights
        cdef const double[::1] constants = intercepts
        cdef LinearState state = LinearState(
            Weights(weights[:, :0], intercepts, weights[:, :0], intercepts),
            [], Counts(), no_rows(), ClassWeights(no_labels(2)), 0, normalize, False, False,
        )
        cdef double[:, ::1] out = np.empty((self.n, self.n_vectors))
        cdef Py_ssize_t start = 0, end, slot, k
        cdef Row row
        state.W = self.part(weights, 0, 1)  # for the scale of a row, whatever its norm
        with nogil:
            while start < self.n:
                end = self.score_ahead(all_weights, start, normalize)
                self.hand_over(state, 0, 0)
                for slot in range(end - start):
                    row.index, row.slot = self.at(start + slot), slot
                    state.score_row(&self.rows.view, &row, normalize)
                    for k in range(self.n_vectors):
                        out[start + slot, k] = (
                            self.products[slot, k] * row.scale + constants[k]
                        )
                start = end
        if n_each == 1:
            return list(np.asarray(out).T)
        return np.split(np.asarray(out), self.n_vectors // n_each, axis=1)

    cdef Py_ssize_t score_ahead(
        self, const double[:, ::1] weights, Py_ssize_t start, bint measure
    ) noexcept nogil:
        """Multiply rows with all vectors; return where these rows end."""
        cdef const al_rows *X = &self.rows.view
        cdef Py_ssize_t slot, i, k, part, end = min(start + self.n_ahead, self.n)
        for slot in range(self.numbers.shape[0]):
            self.numbers[slot] = i = self.at(min(start + slot, end - 1))
            self.later[slot] = self.at(min(start + slot + FETCHED, self.n - 1))
            if start + slot >= end:
                continue
            if self.many == NULL and start + slot + FETCHED < self.n:
                X.fetch(X, self.at(start + slot + FETCHED))
            if self.sparse:
                self.all(
                    X, i, &weights[0, 0], &self.products[slot, 0], &self.squares[slot]
                )
            elif self.known is not None:
                self.squares[slot] = self.known[i]
            elif measure:
                X.dots(X, i, &weights[0, 0], &self.squares[slot])
        if self.sparse:
            return end
        for k in range(0, self.width, 4):
            if self.many != NULL:
                for part in range(multiple(end - start, AL_ROWS_AT_ONCE) // AL_ROWS_AT_ONCE):
                    slot = part * AL_ROWS_AT_ONCE
                    self.many(
                        X, &self.numbers[slot], &self.later[slot], k // 4,
                        self.width // 4, &weights[k, 0], weights.shape[1],
                        &self.products[slot, k], self.width,
                    )
            else:
                for slot in range(end - start):
                    X.dot4(
                        X, self.numbers[slot], &weights[k, 0], weights.shape[1],
                        &self.products[slot, k],
                    )
        return end

    cdef void hand_over(
        self, LinearState state, Py_ssize_t k, Py_ssize_t slot
    ) noexcept nogil:
        """Tell a learner, whose first vector is the k-th, of the rows from a slot on."""
        state.ahead = &self.products[slot, k]
        state.ahead_stride = self.width
        state.ahead_squares = &self.squares[slot]
