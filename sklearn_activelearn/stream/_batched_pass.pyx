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
from libc.stdint cimport intptr_t, uint64_t

from .._rows cimport Rows, al_rows
from ._let_pass cimport let_pass
from ._pass cimport Pass
from ._products cimport Products
from ._uniform cimport uniform


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
