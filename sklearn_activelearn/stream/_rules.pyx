# cython: language_level=3, cdivision=True
"""Query rules and update rules of the one-pass learners, one small class each.

A query rule sees the margin of a row, never its label, and answers with the
probability of buying the label. An update rule sees the signed margin of a
bought label and answers with the length of the step along the row. Both are
stateless: what changes over time is in the clock (counts that every learner
keeps) and in the rule's memory, a few numbers that belong to the learner.
"""

import numpy as np

from libc.math cimport INFINITY, log, pow, sqrt
from libc.stdint cimport INTPTR_MAX

from .._margin_loss cimport MarginLoss

from .._user_functions import MARGINS, checked_probabilities, refuse


cdef class QueryRule:
    """Base of the query rules.

    Attributes
    ----------
    seeds : bool
        The first label taught sets the weights to that row, signed by the label.
    uses_norm : bool
        `observe` and `probability` need the row's norm.
    group : int
        So many rows are considered together; the rule decides on the one with
        the smallest margin, and the others are let pass.
    falls : bool
        Its probability never rises with the margin.
    delays : bool
        What it answers holds for the row that comes next; the first number of
        the memory keeps it until then.
    is_threshold : bool
        Its probability is 0 or 1.
    """

    def __cinit__(self):
        self.group = 1
        self.falls = True

    def initial_memory(self, n_dims):
        """Return the numbers the rule keeps, before the first row.

        Parameters
        ----------
        n_dims : int
            Length of a weight vector, with its intercept.
        """
        return []

    cdef Py_ssize_t blind_purchases(self, const Clock *clock) noexcept nogil:
        """Most labels to ask for while no label has given the margins a meaning."""
        return 1

    cdef bint starting(self, const Clock *clock, const double *memory) noexcept nogil:
        """Whether labels are still bought whatever the margin."""
        return False

    cdef double weigh(self, double margin) noexcept nogil:
        """What counts of a second-order margin, before the leverage divides it."""
        return margin

    cdef double probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        """Probability of buying the label of a row with this margin >= 0."""
        return 1.0

    cdef void observe(self, double norm, double *memory) noexcept nogil:
        """Note a row that has been decided (only if uses_norm)."""

    cdef void learned(self, bint mistake, double *memory) noexcept nogil:
        """Note a bought label that has been taught."""


cdef class ConstantRule(QueryRule):
    """Buy with a fixed probability, whatever the margin."""

    cdef double rate

    def __cinit__(self, double rate):
        self.rate = rate

    cdef Py_ssize_t blind_purchases(self, const Clock *clock) noexcept nogil:
        return INTPTR_MAX

    cdef double probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        return self.rate


cdef class InverseMarginRule(QueryRule):
    """Buy with probability b / (b + margin)."""

    cdef double b

    def __cinit__(self, double b):
        self.b = b

    cdef double probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        return self.b / (self.b + margin)


cdef class PotentialRule(InverseMarginRule):
    """Buy with probability b / (b + p + p^2 (1 + r) / 2), p the margin m / (1 + r)."""

    cdef double weigh(self, double margin) noexcept nogil:
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

    cdef bint starting(self, const Clock *clock, const double *memory) noexcept nogil:
        cdef double needed
        if not self.transient:
            return False
        needed = 16 / self.lam / self.lam * max(memory[1], log(clock.n_seen + 1.0))
        return clock.n_held <= needed

    cdef double probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        cdef double held = clock.n_held
        if self.starting(clock, memory):
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

    cdef double probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        cdef double largest = max(norm, memory[0])
        cdef double b = self.beta * largest * largest * sqrt(1.0 + clock.n_updates)
        # this form also holds when b is 0 or has overflowed
        return 1.0 / (1.0 + margin / b) if margin > 0 else 1.0

    cdef void observe(self, double norm, double *memory) noexcept nogil:
        memory[0] = max(norm, memory[0])


cdef class HalvingThresholdRule(QueryRule):
    """Buy if the margin is at most s; halve s after R correct labels in a row.

    The memory is s and the length of the present run of correct labels.
    """

    cdef Py_ssize_t R
    cdef object threshold

    def __cinit__(self, Py_ssize_t R, threshold):
        self.seeds = self.is_threshold = True
        self.R, self.threshold = R, threshold

    def initial_memory(self, n_dims):
        if self.threshold == "max":
            return [1.0, 0.0]
        if self.threshold == "uniform":
            return [n_dims ** -0.5, 0.0]
        return [self.threshold, 0.0]

    cdef double probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        # a repeated unit row has margin 1 up to rounding, hence the slack
        return 1.0 if margin <= memory[0] * (1 + 1e-12) else 0.0

    cdef void learned(self, bint mistake, double *memory) noexcept nogil:
        if mistake:
            memory[1] = 0
            return
        memory[1] += 1
        if memory[1] >= self.R:
            memory[0] /= 2
            memory[1] = 0


cdef class SmallestOfGroupRule(QueryRule):
    """Buy the row with the smallest margin of each m."""

    def __cinit__(self, Py_ssize_t m):
        self.group, self.is_threshold = m, m > 1

    cdef Py_ssize_t blind_purchases(self, const Clock *clock) noexcept nogil:
        return INTPTR_MAX if self.group == 1 else 1


cdef class WarmStartRule(QueryRule):
    """Buy the first labels whatever the margin."""

    cdef Py_ssize_t n_warm_start

    cdef Py_ssize_t blind_purchases(self, const Clock *clock) noexcept nogil:
        return max(1, self.n_warm_start - max(clock.n_queries, clock.n_taught))

    cdef bint starting(self, const Clock *clock, const double *memory) noexcept nogil:
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

    cdef Py_ssize_t blind_purchases(self, const Clock *clock) noexcept nogil:
        if self.buys_all:
            return INTPTR_MAX
        return WarmStartRule.blind_purchases(self, clock)

    cdef double probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        return 1.0 if self.starting(clock, memory) else self.loss.tight(margin)


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

    cdef double probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        if self.starting(clock, memory):
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


cdef class UpdateRule:
    """Base of the update rules.

    Attributes
    ----------
    seeds : bool
        The first label taught sets the weights to that row, signed by the label.
    uses_norm : bool
        `step` needs the row's norm.
    """

    cdef double step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) except? -1.0 nogil:
        """Step >= 0 along y x for a label with signed margin z; 0 for no update."""
        return 0.0


cdef class PerceptronUpdate(UpdateRule):
    """Step eta on a mistake; a margin of 0 is one."""

    cdef double eta

    def __cinit__(self, double eta):
        self.eta = eta

    cdef double step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) noexcept nogil:
        return self.eta if z <= 0 else 0.0


cdef class EveryLabelUpdate(UpdateRule):
    """Learn every label, whatever its margin."""

    cdef double step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) noexcept nogil:
        return 1.0


cdef class ReflectionUpdate(UpdateRule):
    """Reflect the weights on the row's hyperplane on a mistake.

    For a unit row this is w - 2 (w.x) x; a margin of 0 is its own mirror image.
    There is no step length to choose: eta is not used.
    """

    def __cinit__(self, double eta):
        self.seeds = self.uses_norm = True

    cdef double step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) noexcept nogil:
        return -2 * z / squared_norm if z < 0 else 0.0


cdef class LossUpdate(UpdateRule):
    """Gradient step on a loss, weighted by the inverse of the query probability.

    The step is eta0 / T^power for the T-th label learned. The first labels, if
    they were certain to be bought, are learned with the hinge.
    """

    cdef MarginLoss loss
    cdef double eta0, power
    cdef Py_ssize_t n_warm_start

    def __cinit__(
        self, MarginLoss loss, double eta0, double power, Py_ssize_t n_warm_start
    ):
        self.loss = loss
        self.eta0 = eta0
        self.power = power
        self.n_warm_start = n_warm_start

    cdef double step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) except? -1.0 nogil:
        cdef double eta = self.eta0
        if self.power != 0:
            eta *= pow(clock.n_taught + 1.0, -self.power)
        if clock.n_taught < self.n_warm_start and probability == 1:
            return eta if z < 1 else 0.0
        return -eta * self.loss.slope_of_label(z) / probability


#: Update rules of mistakes, by the name that learners give them; all take eta.
UPDATE_RULES = {"perceptron": PerceptronUpdate, "dkm": ReflectionUpdate}
