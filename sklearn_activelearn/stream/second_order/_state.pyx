# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""What the loop works on: a second-order learner, with weights or with a kernel.

The weights are A^-1 v, v the sum of y z over the stored rows. The margin that
query rules see is divided by 1 + r, r = x' A^-1 x, as if the row were stored
without its label. r lies in [0, x'x / a], and that often decides: r itself is
computed only if the two ends would have the rule answer differently and the
coin lies between the answers, or if the rule's answers do not fall with the margin.
"""

import numpy as np

from libc.math cimport fabs

from ..._rows cimport al_rows
from ._descent cimport CoordinateDescent
from ._inverse cimport Dual, Inverse, KernelDual
from .._linear_state cimport C_DONE, C_OVERFLOW, LinearState, Row
from .._rule_base cimport QueryRule, UpdateRule
from ._stored_rows cimport StoredRows
from ._descent import coordinate_descent_from, share_of_nonzeros

cdef double LARGEST_RATIO = 1e10  # of x'x and a: beyond, rounding decides
cdef double ROUNDING = 1e-12  # of the same, what a margin of 0 may be; targets are +-1


cdef class SecondOrderState(LinearState):
    """A `LinearState` whose weights are least squares, and A^-1.

    Parameters
    ----------
    weights, memory, counts, tallied, classes, seed, normalize, fit_intercept, average
        As for `LinearState`; nothing is averaged.
    inverse : Inverse
        A^-1; worked on in place.
    primal_from : int
        Numbers in the dual form from which on the primal one is used.
    max_stored : int
        Most rows to hold in dual form.
    descent : (int, float)
        The dual form gives way to coordinate descent at a multiple of so many stored
        rows, if no larger share of their entries differs from 0.
    """

    cdef readonly Inverse inverse
    cdef Inverse next_inverse
    cdef Py_ssize_t primal_from, max_stored, descent_every
    cdef double descent_share
    cdef double r, wish

    def __init__(
        self, weights, memory, counts, tallied, classes, seed, normalize, fit_intercept,
        average, Inverse inverse, primal_from, max_stored, descent,
    ):
        super().__init__(
            weights, memory, counts, tallied, classes, seed, normalize, fit_intercept,
            average,
        )
        self.measures = True
        self.inverse = inverse
        self.clock.n_held = inverse.n_held
        self.primal_from, self.max_stored = primal_from, max_stored
        self.descent_every, self.descent_share = descent
        self.wish = -1

    cdef double score_row(
        self, const al_rows *X, Row *row, bint measure
    ) except? -1.0 nogil:
        self.r = -1
        return self.rounded(LinearState.score_row(self, X, row, measure), row)

    cdef double rounded(self, double margin, const Row *row) noexcept nogil:
        """A margin, or 0 if it is that up to rounding, as of rows that disagree."""
        cdef double slack = ROUNDING * min(self.ratio(row), LARGEST_RATIO)
        return 0.0 if fabs(margin) <= slack else margin

    cdef double ratio(self, const Row *row) noexcept nogil:
        """x'x / a, the most that r can be."""
        return row.squared_norm / self.shrink / self.inverse.ridge

    cdef double leverage(self, const al_rows *X, Row *row) noexcept nogil:
        """r of the row that was scored last."""
        if self.r < 0:
            self.r = self.inverse.leverage(X, row, row.squared_norm / self.shrink)
            self.r = min(max(self.r, 0.0), self.ratio(row))
        return self.r

    cdef double probability(
        self, const al_rows *X, Row *row, double margin, double norm, double coin,
        QueryRule query_rule,
    ) except? -1.0 nogil:
        cdef double size = query_rule.cy_weigh(margin), most = 1 + self.ratio(row), q, least
        cdef bint undecided = not query_rule.falls
        if query_rule.falls:
            q = query_rule.cy_probability(size / most, norm, &self.clock, &self.m[0])
            least = query_rule.cy_probability(size, norm, &self.clock, &self.m[0])
            undecided = coin < q != least and (coin >= least or self.reports)
        if undecided:
            size /= 1 + self.leverage(X, row)
            q = query_rule.cy_probability(size, norm, &self.clock, &self.m[0])
        self.least = least if query_rule.falls else q
        if not query_rule.delays:
            return q
        if query_rule.cy_starting(&self.clock, &self.m[0]):
            self.wish = 0
            return 1.0
        self.wish = q
        return self.m[0]

    cdef int observe(
        self, double margin, double norm, QueryRule query_rule
    ) except -1 nogil:
        LinearState.observe(self, margin, norm, query_rule)
        if self.wish >= 0:
            self.m[0] = self.wish
            self.wish = -1
        return 0

    cdef int prepare(
        self, const al_rows *X, Row *row, bint later
    ) except? -1 nogil:
        if not self.ratio(row) < LARGEST_RATIO:
            return C_OVERFLOW
        if later:
            return C_DONE
        self.inverse.lay(X, row)
        if self.inverse.may_move:
            with gil:
                self.choose_form(X, row)
        return C_DONE

    cdef int choose_form(self, const al_rows *X, const Row *row) except -1:
        """Have another form ready if it is time when the row that is laid is stored."""
        cdef Dual dual = self.inverse
        cdef Py_ssize_t n = dual.stored.n_rows + 1
        cdef Py_ssize_t n_entries = dual.stored.n_entries + dual.stored.n_laid
        if n * (n + 1) // 2 + n_entries >= self.primal_from:
            self.next_inverse = dual.primal()
        elif n % self.descent_every == 0 and (
            share_of_nonzeros(dual) <= self.descent_share
        ):
            self.next_inverse = coordinate_descent_from(dual, self.W.shape[0])
            self.next_inverse.lay(X, row)
        return 0

    cdef int learn(
        self, const al_rows *X, Row *row, Py_ssize_t label,
        QueryRule query_rule, UpdateRule update_rule, double probability, bint asked,
    ) except? -1 nogil:
        cdef Py_ssize_t rival
        if self.next_inverse is not None:
            with gil:
                self.inverse, self.next_inverse = self.next_inverse, None
            self.r = -1
        cdef double z = self.rounded(self.signed_margin(label, &rival), row)
        cdef bint stored = 0 != update_rule.cy_step(
            z, row.squared_norm, probability, &self.clock
        )
        cdef double weight = self.classes.weight(label, probability)
        if asked:
            query_rule.cy_learned(stored, &self.clock, &self.m[0])
        self.count(X, row, label, probability, 0)
        if stored:
            self.leverage(X, row)
            self.inverse.direct(X, row)
            self.inverse.store(label, self.r, weight)
            self.shift(label, weight)
            self.clock.n_updates += 1
            self.clock.n_held = self.inverse.n_held
        self.clock.n_taught += 1
        return C_DONE

    cdef double error(
        self, Py_ssize_t k, Py_ssize_t label, double weight
    ) noexcept nogil:
        """How far the score of class k is from its target, with the row stored."""
        cdef Py_ssize_t positive = 1 if self.scores.shape[0] == 1 else k
        cdef double target = 1 if label == positive else -1
        return weight * (target - self.scores[k]) / (1 + weight * self.r)

    cdef int shift(self, Py_ssize_t label, double weight) except -1 nogil:
        """Move the weights for a row that has just been stored; forget others."""
        if self.inverse.descends:
            (<CoordinateDescent> self.inverse).descend(self.W, self.c)
        elif self.inverse.n_held > self.max_stored:
            with gil:
                while self.inverse.n_held > self.max_stored:
                    (<Dual> self.inverse).drop_first()
            self.fit_weights()
        else:
            self.add_direction(label, weight)
        return 0

    cdef void add_direction(self, Py_ssize_t label, double weight) noexcept nogil:
        """Move the weights along A^-1 z."""
        cdef Py_ssize_t j, k, d = self.W.shape[1]
        cdef double step
        for k in range(self.W.shape[0]):
            step = self.error(k, label, weight)
            for j in range(d):
                self.W[k, j] += step * self.inverse.u[j]
            self.c[k] += step * self.inverse.u[d]

    cdef void fit_weights(self) noexcept nogil:
        """Compute the weights again from the rows that are held."""
        cdef Py_ssize_t k, n_vectors = self.W.shape[0]
        for k in range(n_vectors):
            (<Dual> self.inverse).weigh(
                1 if n_vectors == 1 else k, &self.W[k, 0], &self.c[k]
            )


cdef class KernelState(SecondOrderState):
    """The same with a kernel: the weights are those of the stored rows' images.

    Parameters
    ----------
    kernel : Kernel
        What to compare rows with.
    """

    cdef object kernel
    cdef double[:, ::1] next_W
    cdef object next_weights

    def __init__(
        self, weights, memory, counts, tallied, classes, seed, normalize, fit_intercept,
        average, Inverse inverse, primal_from, max_stored, descent, kernel,
    ):
        super().__init__(
            weights, memory, counts, tallied, classes, seed, normalize, fit_intercept,
            average, inverse, primal_from, max_stored, descent,
        )
        self.kernel = kernel

    cdef double score_row(
        self, const al_rows *X, Row *row, bint measure
    ) except? -1.0 nogil:
        self.r = -1
        with gil:
            self.compare(X, row)
        return self.rounded(self.margin(), row)

    cdef int compare(self, const al_rows *X, Row *row) except -1:
        """Fill in the row's scale and norm, its products and the scores."""
        cdef KernelDual dual = self.inverse
        cdef StoredRows one = StoredRows(dual.stored.n_features)
        cdef Py_ssize_t i, k, n = dual.stored.n_rows
        cdef double[::1] products
        cdef double square
        one.lay(X, row.index, 1.0)
        one.keep()
        square = self.kernel.squares(one.rows)[0]
        if square < 0:
            raise ValueError(f"kernel(x, x) is {square} for a row, must not be negative.")
        row.scale = 1.0
        if self.normalize:
            row.scale = 1 / square ** 0.5 if square > 0 else 0.0
            square = square > 0
        row.squared_norm = self.shrink * (square + dual.constant)
        self.scores[:] = 0
        if n == 0:
            return 0
        products = self.kernel(one.rows, dual.stored.rows)
        for i in range(n):
            dual.k[i] = products[i] * dual.scales[i] * row.scale + dual.constant
        for k in range(self.W.shape[0]):
            for i in range(n):
                self.scores[k] += self.W[k, i] * dual.k[i]
        return 0

    cdef int prepare(
        self, const al_rows *X, Row *row, bint later
    ) except? -1 nogil:
        cdef int reason = SecondOrderState.prepare(self, X, row, later)
        if reason == C_DONE and not later:
            with gil:
                self.lengthen()
        return reason

    cdef int lengthen(self) except -1:
        """Make weights for one row more, or for as many as may be held."""
        cdef Py_ssize_t n = self.W.shape[1], n_next = min(n + 1, self.max_stored)
        W = np.zeros((self.W.shape[0], n_next))
        W[:, : min(n, n_next)] = self.weights.coef[:, :n_next]
        self.next_W, self.next_weights = W, self.weights._replace(coef=W)
        return 0

    cdef int shift(self, Py_ssize_t label, double weight) except -1 nogil:
        with gil:
            self.W, self.weights = self.next_W, self.next_weights
        return SecondOrderState.shift(self, label, weight)

    cdef void add_direction(self, Py_ssize_t label, double weight) noexcept nogil:
        cdef Py_ssize_t j, k
        cdef double step
        for k in range(self.W.shape[0]):
            step = self.error(k, label, weight)
            for j in range(self.W.shape[1]):
                self.W[k, j] += step * self.inverse.u[j]
