# cython: language_level=3, cdivision=True
"""Query rules of the one-pass learners, one small class each.

A query rule sees the margin of a row, never its label, and answers with the
probability of buying the label. It is stateless: what changes over time is in the
clock (counts that every learner keeps) and in the rule's memory, a few numbers that
belong to the learner.
"""

import numpy as np

from libc.math cimport INFINITY, log, sqrt
from libc.stdint cimport INTPTR_MAX

from .._margin_loss cimport MarginLoss
from ._rule_base cimport Clock, QueryRule

from .._user_functions import MARGINS, checked_probabilities, refuse


cdef class ConstantRule(QueryRule):
    """Buy with a fixed probability, whatever the margin.

    Parameters
    ----------
    rate : float in [0, 1]
        The probability.

    Raises
    ------
    ValueError
        For a rate outside [0, 1].

    References
    ----------
    .. [1] N. Cesa-Bianchi, C. Gentile, L. Zaniboni, "Worst-Case Analysis of Selective
       Sampling for Linear Classification", JMLR 7, 2006 (random sampling, Section 5).

    Examples
    --------
    >>> from sklearn_activelearn.stream import ConstantRule
    >>> ConstantRule(0.3).probability(2.0, norm=1.0, clock=None, memory=[])
    0.3
    """

    cdef double rate

    def __cinit__(self, double rate):
        if not 0 <= rate <= 1:
            raise ValueError(f"rate == {rate}, must be in [0, 1].")
        self.rate, self.ignores_margin, self.by_margin = rate, True, True

    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        return self.rate

    cdef void cy_probabilities(
        self, const double *margins, Py_ssize_t n, const double *memory, double *out
    ) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(n):
            out[i] = self.rate


cdef class InverseMarginRule(QueryRule):
    """Buy with probability b / (b + margin).

    Parameters
    ----------
    b : float > 0
        The margin at which every second label is bought.

    Raises
    ------
    ValueError
        For a number that is not above 0, or not finite.

    References
    ----------
    .. [1] N. Cesa-Bianchi, C. Gentile, L. Zaniboni, "Worst-Case Analysis of Selective
       Sampling for Linear Classification", JMLR 7, 2006, Figure 1.

    Examples
    --------
    >>> from sklearn_activelearn.stream import InverseMarginRule
    >>> InverseMarginRule(0.5).probability(1.5, norm=1.0, clock=None, memory=[])
    0.25
    """

    cdef double b

    def __cinit__(self, double b):
        if not 0 < b < INFINITY:
            raise ValueError(f"b == {b}, must be > 0 and finite.")
        self.b, self.by_margin = b, True

    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        return self.b / (self.b + margin)

    cdef void cy_probabilities(
        self, const double *margins, Py_ssize_t n, const double *memory, double *out
    ) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(n):
            out[i] = self.b / (self.b + margins[i])


cdef class PotentialRule(InverseMarginRule):
    """Buy with probability b / (b + p + p^2 (1 + r) / 2), p the margin m / (1 + r)."""

    cdef double cy_weigh(self, double margin) noexcept nogil:
        return margin + margin * margin / 2


cdef class SmallMarginRule(QueryRule):
    """Buy if the squared margin is at most 128 ln(t) / (lam N).

    t is the number of the row and N that of the rows held.
    With `transient` everything is bought while N <= 16 / lam^2 max(d, ln t). With
    `delays` a small margin buys the row that comes next; the first row is wanted.
    The memory is whether the next row is wanted, and d.
    """

    cdef double lam
    cdef bint transient

    def __cinit__(self, double lam, bint transient, bint delays):
        self.lam = lam
        self.transient, self.delays = transient, delays
        self.is_threshold = True

    def initial_memory(self, n_dims):
        return [1.0, n_dims]

    cdef bint cy_starting(self, const Clock *clock, const double *memory) noexcept nogil:
        cdef double needed
        if not self.transient:
            return False
        needed = 16 / self.lam / self.lam * max(memory[1], log(clock.n_seen + 1.0))
        return clock.n_held <= needed

    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        cdef double held = clock.n_held
        if self.cy_starting(clock, memory):
            return 1.0
        # this form also holds when nothing is held or the square overflows
        return 1.0 if (
            self.lam * held * margin * margin <= 128 * log(clock.n_seen + 1.0)
        ) else 0.0


cdef class AdaptiveInverseMarginRule(QueryRule):
    """Buy with probability b / (b + margin), b growing with the updates.

    b = beta X^2 sqrt(1 + K) with X the largest norm so far, this row included,
    and K the number of updates. The memory is X.
    """

    cdef double beta

    def __cinit__(self, double beta):
        self.uses_norm = True
        self.beta = beta

    def initial_memory(self, n_dims):
        return [0.0]

    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        cdef double largest = max(norm, memory[0])
        cdef double b = self.beta * largest * largest * sqrt(1.0 + clock.n_updates)
        # this form also holds when b is 0 or has overflowed
        return 1.0 / (1.0 + margin / b) if margin > 0 else 1.0

    cdef int cy_observe(
        self, double margin, double norm, const Clock *clock, double *memory
    ) except -1 nogil:
        memory[0] = max(norm, memory[0])
        return 0


cdef class HalvingThresholdRule(QueryRule):
    """Buy if the margin is at most s; halve s after R correct labels in a row.

    The memory is s and the length of the present run of correct labels.
    """

    cdef Py_ssize_t R
    cdef object threshold

    def __cinit__(self, Py_ssize_t R, threshold):
        self.seeds = self.is_threshold = self.by_margin = True
        self.R, self.threshold = R, threshold

    def initial_memory(self, n_dims):
        if self.threshold == "max":
            return [1.0, 0.0]
        if self.threshold == "uniform":
            return [n_dims ** -0.5, 0.0]
        return [self.threshold, 0.0]

    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        # a repeated unit row has margin 1 up to rounding, hence the slack
        return 1.0 if margin <= memory[0] * (1 + 1e-12) else 0.0

    cdef void cy_probabilities(
        self, const double *margins, Py_ssize_t n, const double *memory, double *out
    ) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(n):
            out[i] = 1.0 if margins[i] <= memory[0] * (1 + 1e-12) else 0.0

    cdef int cy_learned(
        self, bint mistake, const Clock *clock, double *memory
    ) except -1 nogil:
        memory[1] = 0 if mistake else memory[1] + 1
        if memory[1] >= self.R:
            memory[0] /= 2
            memory[1] = 0
        return 0


cdef class SmallestOfGroupRule(QueryRule):
    """Buy the row with the smallest margin of each m."""

    def __cinit__(self, Py_ssize_t m):
        self.group, self.is_threshold, self.ignores_margin = m, m > 1, m == 1

    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        return 1.0


cdef class WarmStartRule(QueryRule):
    """Buy the first labels whatever the margin."""

    cdef Py_ssize_t n_warm_start

    cdef Py_ssize_t cy_blind_purchases(self, const Clock *clock) noexcept nogil:
        return max(1, self.n_warm_start - max(clock.n_queries, clock.n_taught))

    cdef bint cy_starting(self, const Clock *clock, const double *memory) noexcept nogil:
        return max(clock.n_queries, clock.n_taught) < self.n_warm_start


cdef class LossRule(WarmStartRule):
    """Buy with the tight probability of a loss, after a warm start."""

    cdef MarginLoss loss
    cdef bint buys_all

    def __cinit__(self, MarginLoss loss, Py_ssize_t n_warm_start):
        self.loss = loss
        self.n_warm_start = n_warm_start
        self.falls = not loss.is_python
        self.buys_all = all(loss.query_probability([0.0, 1.0, INFINITY]) == 1)

    cdef Py_ssize_t cy_blind_purchases(self, const Clock *clock) noexcept nogil:
        if self.buys_all:
            return INTPTR_MAX
        return WarmStartRule.cy_blind_purchases(self, clock)

    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        return 1.0 if self.cy_starting(clock, memory) else self.loss.tight(margin)


cdef class FunctionRule(WarmStartRule):
    """Buy with the probability that a function of the margin gives.

    Parameters
    ----------
    function : callable
        Of an array of margins; returns as many probabilities.
    loss : MarginLoss, optional
        What labels are learned with, weighted by the inverse of their probability,
        which may be 0 only where the loss is flat.
    n_warm_start : int
        So many labels are bought first, whatever the function says.
    """

    cdef object function
    cdef MarginLoss loss

    def __init__(self, function, MarginLoss loss=None, Py_ssize_t n_warm_start=0):
        self.falls = False
        self.function = function
        self.loss = loss
        self.n_warm_start = n_warm_start
        self.look_up(MARGINS)

    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        if self.cy_starting(clock, memory):
            return 1.0
        with gil:
            return self.look_up(np.array([margin]))[0]

    def look_up(self, margins):
        """Return the function's values, if they are probabilities that will do."""
        q = checked_probabilities(self.function, margins)
        if self.loss is None:
            return q
        # below 1e-12 a slope may count as 0: a function may underflow first
        ignored = (q == 0) & (self.loss.query_probability(margins) > 1e-12)
        demand = f"but labels there move the weights: {self.loss} is not flat"
        refuse(ignored, margins, q, "query_probability", demand)
        return q
