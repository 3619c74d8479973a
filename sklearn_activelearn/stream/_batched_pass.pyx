# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""Passes of several learners over the same rows, side by side.

A row is read once for all: its products with the weights of all learners are made
some rows ahead. A learner that moves its weights scores the rows left of these for
itself. So each does, bit for bit, what it would have done alone.
"""

import numpy as np

from libc.stdint cimport int64_t, intptr_t

from .._rows cimport Rows, al_rows
from ._linear_state cimport LinearState, Row
from ._pass cimport Pass

from .. import _rows
from ._class_weights import ClassWeights, no_labels
from ._linear_state import Counts, Weights
from ._tally import no_rows

cdef extern from "stream/_batched_pass.h" nogil:
    ctypedef void (*al_all)(
        const al_rows *X, Py_ssize_t i, const double *w, double *out
    ) noexcept nogil
    void al_keep_together(
        al_rows *X, Py_ssize_t n_together, int value_size, int index_size, int widest,
        al_all *all
    )

cdef enum:
    FORESIGHT = 4  # rows scored ahead, at least
    LANES = 4      # AL_LANES


cdef Py_ssize_t multiple(Py_ssize_t n, Py_ssize_t of) noexcept:
    """The least multiple that is not below n."""
    return (n + of - 1) // of * of


cdef class Products:
    """Products of the rows ahead with the weight vectors of several learners.

    For dense rows each vector lies by itself. For CSR rows the vectors lie feature by
    feature, so that what a row needs of them is together.

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
    """

    cdef Rows rows
    cdef const int64_t[::1] order
    cdef al_all all
    cdef readonly bint sparse
    cdef readonly Py_ssize_t n_vectors, width
    cdef Py_ssize_t n, n_ahead
    cdef double[:, ::1] products
    cdef double[::1] squares

    def __init__(self, Rows rows, order, n_vectors, group=1):
        self.rows, self.order = rows, order
        self.n = rows.n_rows if order is None else len(order)
        self.n_vectors, self.width = n_vectors, multiple(n_vectors, LANES)
        self.n_ahead = multiple(FORESIGHT, group)
        self.sparse = rows.view.indices != NULL
        rows.view.ahead = 0  # rows are fetched once, for all vectors
        if self.sparse:
            values, indices, _ = rows.owners
            al_keep_together(
                &rows.view, self.width, values.itemsize, indices.itemsize,
                _rows.widest, &self.all,
            )
        self.products = np.empty((self.n_ahead, self.width))
        self.squares = np.empty(self.n_ahead)

    def zeros(self):
        """Return a 0 for each weight of all vectors."""
        if not self.sparse:
            return np.zeros((self.width, self.rows.n_features))
        n = self.rows.n_features * self.width
        zeros = np.zeros(n + 8)
        skipped = -zeros.ctypes.data % 64 // 8  # to where a line of the cache begins
        return zeros[skipped : skipped + n].reshape(-1, self.width)

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
        cdef LinearState state = LinearState(
            Weights(weights[:, :0], intercepts, weights[:, :0], intercepts),
            [], Counts(), no_rows(), ClassWeights(no_labels(2)), 0, normalize, False, False,
        )
        cdef double[:, ::1] out = np.empty((self.n, self.n_vectors))
        cdef Py_ssize_t start = 0, end, slot
        cdef Row row
        state.W = self.part(weights, 0, self.n_vectors)
        with nogil:
            while start < self.n:
                end = self.score_ahead(all_weights, start, normalize)
                self.hand_over(state, 0)
                for slot in range(end - start):
                    row.index, row.slot = self.at(start + slot), slot
                    state.score_row(&self.rows.view, &row, normalize)
                    out[start + slot] = state.scores
                start = end
        if n_each == 1:
            return list(np.asarray(out).T)
        return np.split(np.asarray(out), self.n_vectors // n_each, axis=1)

    cdef inline Py_ssize_t at(self, Py_ssize_t position) noexcept nogil:
        """Row at a position of the order."""
        return position if self.order is None else self.order[position]

    cdef Py_ssize_t score_ahead(
        self, const double[:, ::1] weights, Py_ssize_t start, bint measure
    ) noexcept nogil:
        """Multiply rows with all vectors; return where these rows end."""
        cdef const al_rows *X = &self.rows.view
        cdef Py_ssize_t slot, i, k, end = min(start + self.n_ahead, self.n)
        for slot in range(end - start):
            i = self.at(start + slot)
            if start + slot + self.n_ahead < self.n:
                X.fetch(X, self.at(start + slot + self.n_ahead))
            if self.sparse:
                self.all(X, i, &weights[0, 0], &self.products[slot, 0])
            if measure:
                self.products[slot, 0] = X.dots(
                    X, i, &weights[0, 0], &self.squares[slot]
                )
        if not self.sparse:
            for k in range(0, self.width, 4):
                for slot in range(end - start):
                    X.dot4(
                        X, self.at(start + slot), &weights[k, 0], weights.shape[1],
                        &self.products[slot, k],
                    )
        return end

    cdef void hand_over(self, LinearState state, Py_ssize_t k) noexcept nogil:
        """Tell a learner, whose first vector is the k-th, of the rows ahead."""
        state.ahead = &self.products[0, k]
        state.ahead_stride = self.width
        state.ahead_squares = &self.squares[0]


class BatchedPass:
    """Learners that have learned nothing yet, side by side over the same rows.

    Parameters
    ----------
    passes : list of Pass
        One or more, of the same rows, order and group, each with a `LinearState`
        of its own, all with as many weight vectors.
    """

    def __init__(self, passes):
        cdef Pass lead = passes[0]
        self.passes, self.n_each = passes, len(lead.state.c)
        self.products = Products(
            lead.rows, None if lead.order is None else np.asarray(lead.order),
            self.n_each * len(passes), lead.query_rule.group,
        )
        self.weights, self.drift = self.products.zeros(), self.products.zeros()

    def run(self):
        """Go over all rows.

        Returns
        -------
        outcomes : list of Outcome
            How each pass ended.
        """
        cdef Products products = self.products
        cdef const double[:, ::1] weights = self.weights
        cdef intptr_t[::1] members = np.array(
            [id(one) for one in self.passes], dtype=np.intp
        )
        cdef Pass one
        cdef Py_ssize_t n_each = self.n_each, start = 0, end, k
        cdef bint measure = False
        for k, one in enumerate(self.passes):
            measure |= one.measured
            one.jumps = False  # rows are fetched for all at once
            one.state.W = products.part(self.weights, k * n_each, n_each)
            one.state.W_drift = products.part(self.drift, k * n_each, n_each)
        try:
            with nogil:
                while start < products.n:
                    end = products.score_ahead(weights, start, measure)
                    for k in range(members.shape[0]):
                        products.hand_over((<Pass> <void *> members[k]).state, k * n_each)
                        (<Pass> <void *> members[k]).advance(start, end)
                    start = end
        finally:
            for one in self.passes:
                one.state.ahead = NULL
        return [one.end() for one in self.passes]

    def hand_back(self):
        """Give each learner's state its weights."""
        cdef Pass one
        sparse = self.products.sparse
        for k, one in enumerate(self.passes):
            own = slice(k * self.n_each, (k + 1) * self.n_each)
            coef, drift = (
                np.array(part[:, own].T if sparse else part[own], order="C")
                for part in (self.weights, self.drift)
            )
            one.state.weights = one.state.weights._replace(coef=coef, coef_drift=drift)

    def average(self):
        """Make of the drift, which is not needed any more, the weights that predict."""
        cdef Pass one
        taught = np.ones(self.products.width)
        intercepts = np.zeros(self.products.width)
        for k, one in enumerate(self.passes):
            own = slice(k * self.n_each, (k + 1) * self.n_each)
            taught[own] = max(one.state.clock.n_taught, 1)
            intercepts[own] = one.state.c
            intercepts[own] -= np.asarray(one.state.c_drift) / taught[own]
            if one.state.balances:
                intercepts[own] -= one.state.classes.mean_thresholds
        with np.errstate(over="ignore", invalid="ignore"):  # of who was stopped
            self.drift /= taught if self.products.sparse else taught[:, None]
            self.means = np.subtract(self.weights, self.drift, out=self.drift)
        self.intercepts = intercepts[: self.products.n_vectors]

    def scores(self, Rows rows, order, bint normalize):
        """Return the scores of rows, as `decision_function` of each learner does.

        Parameters
        ----------
        rows : Rows
            A matrix; for its own use.
        order : array of int64, or None
            Its rows to score; None for all.
        normalize : bool
            Whether rows are scaled to unit norm.

        Returns
        -------
        scores : list of ndarray of shape (n_rows,) or (n_rows, n_classes)
            Of each learner.
        """
        products = Products(rows, order, self.products.n_vectors)
        return products.scores(self.means, self.intercepts, self.n_each, normalize)
