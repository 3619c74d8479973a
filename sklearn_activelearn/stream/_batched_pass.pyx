# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""Passes of several learners over the same rows, side by side.

A row is read once for all: of dense rows a few at once, and of CSR rows one at a time
with weights that lie feature by feature. Learners whose rule has nothing to remember of
a row that they do not buy are not called for such a row, only counted. A learner that
moves its weights scores the rows left of those ahead for itself; steps along a CSR row
are made for all learners together. So each does, bit for bit, what it would have done
alone.
"""

import numpy as np

from libc.math cimport sqrt
from libc.stdint cimport int64_t, intptr_t, uint64_t

from .._rows cimport Rows, al_rows
from ._uniform cimport uniform
from ._let_pass cimport let_pass
from ._linear_state cimport LinearState, Row
from ._pass cimport Pass

from .. import _rows
from ._class_weights import ClassWeights, no_labels
from ._linear_state import Counts, Weights
from ._tally import no_rows

cdef extern from "stream/_batched_pass.h" nogil:
    const Py_ssize_t AL_LANES, AL_ROWS_AT_ONCE, AL_IN_FRONT
    ctypedef void (*al_all)(
        const al_rows *X, Py_ssize_t i, const double *w, double *out, double *squares
    ) noexcept nogil
    ctypedef void (*al_add_all)(
        const al_rows *X, Py_ssize_t i, double *w
    ) noexcept nogil
    ctypedef void (*al_many)(
        const al_rows *X, const int64_t *rows, const int64_t *later, int turn,
        int n_turns, const double *w, Py_ssize_t stride, double *out, Py_ssize_t apart
    ) noexcept nogil
    al_many al_find_many(int value_size, int widest)
    void al_keep_together(
        al_rows *X, Py_ssize_t n_together, int value_size, int index_size, int widest,
        al_all *all, al_add_all *add_all
    )

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

    cdef Rows rows
    cdef const int64_t[::1] order
    cdef al_all all
    cdef al_add_all add_all
    cdef al_many many
    cdef readonly bint sparse
    cdef readonly Py_ssize_t n_vectors, width
    cdef Py_ssize_t n, n_ahead
    cdef int64_t[::1] numbers, later
    cdef double[:, ::1] products
    cdef double[::1] squares
    cdef const double[::1] known

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

    cdef inline Py_ssize_t at(self, Py_ssize_t position) noexcept nogil:
        """Row at a position of the order."""
        return position if self.order is None else self.order[position]

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


cdef class BatchedPass:
    """Learners that have learned nothing yet, side by side over the same rows.

    Parameters
    ----------
    passes : list of Pass
        One or more, of the same `Rows`, order and group, each with a `LinearState`
        of its own, all with as many weight vectors.
    squares : array of shape (n_samples,), or None
        Of dense rows, as for `Products`.
    spare : list of ndarray, optional
        As for `Products.zeros`.
    """

    cdef readonly list passes
    cdef readonly object weights, drift, means, intercepts
    cdef double[:, ::1] weights_view, drift_view
    cdef Products products
    cdef Py_ssize_t n_each
    cdef uint64_t seed
    cdef bint normalize, simple, measured
    cdef double[::1] scales, coins

    def __init__(self, passes, squares=None, spare=()):
        cdef Pass one, lead = passes[0]
        self.passes, self.n_each = passes, len(lead.state.c)
        self.products = Products(
            lead.rows, None if lead.order is None else np.asarray(lead.order),
            self.n_each * len(passes), lead.query_rule.group, squares,
        )
        self.weights = self.products.zeros(spare)
        self.drift = self.products.zeros(spare)
        self.weights_view, self.drift_view = self.weights, self.drift
        self.seed, self.normalize = lead.state.seed, lead.state.normalize
        self.simple = self.n_each == 1 and lead.query_rule.group == 1
        for one in passes:
            self.measured |= one.measured
            self.simple &= one.state.seed == self.seed and not (
                one.observes or one.later or one.state.classes.weighs
            )
        n_ahead = self.products.n_ahead
        self.scales, self.coins = np.ones(n_ahead), np.empty(n_ahead)

    def run(self):
        """Go over all rows.

        Returns
        -------
        outcomes : list of Outcome
            How each pass ended.
        """
        cdef Products products = self.products
        cdef intptr_t[::1] members = np.array(
            [id(one) for one in self.passes], dtype=np.intp
        )
        cdef Pass one
        cdef Py_ssize_t n_each = self.n_each, start = 0, end, k
        cdef bint usual
        for k, one in enumerate(self.passes):
            one.jumps = False  # rows are fetched for all at once
            one.at_once = 1  # and scored
            one.state.W = products.part(self.weights, k * n_each, n_each)
            one.state.W_drift = products.part(self.drift, k * n_each, n_each)
        try:
            with nogil:
                while start < products.n:
                    end = products.score_ahead(self.weights_view, start, self.measured)
                    usual = self.simple and self.prepare(start, end)
                    for k in range(members.shape[0]):
                        self.advance(<Pass> <void *> members[k], k, start, end, usual)
                    if products.n_ahead == 1:
                        self.settle(products.at(start))
                    start = end
        finally:
            for one in self.passes:
                one.state.ahead = NULL
        return [one.end() for one in self.passes]

    cdef bint prepare(self, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
        """Fill in scales and coins of the rows ahead; return whether norms are usual."""
        cdef Py_ssize_t slot
        cdef double square
        for slot in range(end - start):
            self.coins[slot] = uniform(self.seed, start + slot)
            if self.normalize:
                square = self.products.squares[slot]
                if not 1e-280 < square < 1e280:
                    return False
                self.scales[slot] = 1 / sqrt(square)
        return True

    cdef int advance(
        self, Pass one, Py_ssize_t k, Py_ssize_t start, Py_ssize_t end, bint usual
    ) except -1 nogil:
        """Have the k-th learner go over the rows ahead."""
        cdef Py_ssize_t position = start, slot
        while usual and position < end:
            slot = position - start
            if not let_pass(
                one, self.products.products[slot, k] * self.scales[slot],
                self.coins[slot],
            ):
                self.products.hand_over(one.state, k, slot)
                one.advance(position, position + 1)
                usual = one.state.ahead != NULL  # else it has moved
            position += 1
        if position == start:
            self.products.hand_over(one.state, k * self.n_each, 0)
        one.advance(position, end)
        if self.products.n_ahead > 1 and one.n_bought > 0:
            self.settle(one.bought[one.n_bought - 1])
        return 0

    cdef void settle(self, Py_ssize_t row) noexcept nogil:
        """Make the steps along a row that wait with CSR weights."""
        cdef const al_rows *X = &self.products.rows.view
        if self.products.sparse:
            self.products.add_all(X, row, &self.weights_view[0, 0])
            self.products.add_all(X, row, &self.drift_view[0, 0])

    @property
    def memory(self):
        """What holds weights and drift, for others once nobody needs these."""
        return [self.weights.base, self.drift.base]

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

    def scores(self, Rows rows, order, bint normalize, squares=None):
        """Return the scores of rows, as `decision_function` of each learner does.

        Parameters
        ----------
        rows : Rows
            A matrix; for its own use.
        order : array of int64, or None
            Its rows to score; None for all.
        normalize : bool
            Whether rows are scaled to unit norm.
        squares : array of shape (n_samples,), or None
            Of dense rows, as for `Products`.

        Returns
        -------
        scores : list of ndarray of shape (n_rows,) or (n_rows, n_classes)
            Of each learner.
        """
        products = Products(rows, order, self.products.n_vectors, 1, squares)
        return products.scores(self.means, self.intercepts, self.n_each, normalize)
