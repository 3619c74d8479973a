# cython: language_level=3, cdivision=True
"""Query rules and update rules of the one-pass learners, one small class each.

A query rule sees the margin of a row, never its label, and answers with the
probability of buying the label. An update rule sees the signed margin of a
bought label and answers with the length of the step along the row. Both are
stateless: what changes over time is in the clock (counts that every learner
keeps) and in the rule's memory, a few numbers that belong to the learner.

To add a rule, add a class here and a learner that names it.
"""

from libc.math cimport sqrt


cdef class QueryRule:
    """Base of the query rules.

    Attributes
    ----------
    seeds : bool
        The first label taught sets the weights to that row, signed by the label.
    uses_margin : bool
        Before the first update there is no margin to go by, so a chunk whose
        labels come later is asked for one row at most.
    uses_norm : bool
        `observe` and `probability` need the row's norm.
    """

    def __cinit__(self):
        self.uses_margin = True

    def initial_memory(self, n_dims):
        """Return the numbers the rule keeps, before the first row.

        Parameters
        ----------
        n_dims : int
            Length of a weight vector, with its intercept.
        """
        return []

    cdef double probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) noexcept nogil:
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
        self.uses_margin = False
        self.rate = rate

    cdef double probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) noexcept nogil:
        return self.rate


cdef class InverseMarginRule(QueryRule):
    """Buy with probability b / (b + margin)."""

    cdef double b

    def __cinit__(self, double b):
        self.b = b

    cdef double probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) noexcept nogil:
        return self.b / (self.b + margin)


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
    ) noexcept nogil:
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
        self.seeds = True
        self.R = R
        self.threshold = threshold

    def initial_memory(self, n_dims):
        if self.threshold == "max":
            return [1.0, 0.0]
        if self.threshold == "uniform":
            return [n_dims ** -0.5, 0.0]
        return [self.threshold, 0.0]

    cdef double probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) noexcept nogil:
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


cdef class UpdateRule:
    """Base of the update rules.

    Attributes
    ----------
    seeds : bool
        The first label taught sets the weights to that row, signed by the label.
    """

    cdef double step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) noexcept nogil:
        """Step along y x for a label with signed margin z; 0 for no update."""
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


cdef class ReflectionUpdate(UpdateRule):
    """Reflect the weights on the row's hyperplane on a mistake.

    For a unit row this is w - 2 (w.x) x; a margin of 0 is its own mirror image.
    There is no step length to choose: eta is not used.
    """

    def __cinit__(self, double eta):
        self.seeds = True

    cdef double step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) noexcept nogil:
        return -2 * z / squared_norm if z < 0 else 0.0


#: Update rules by the name that learners give them; all take eta.
UPDATE_RULES = {"perceptron": PerceptronUpdate, "dkm": ReflectionUpdate}
