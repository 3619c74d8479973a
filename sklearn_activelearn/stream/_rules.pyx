# cython: language_level=3, cdivision=True
"""Query rules and update rules: their bases, and the rules of the stream learners.

A query rule sees the margin of a row, never its label, and returns the probability of
buying the label. An update rule sees the signed margin of a label and returns the length
of the step along the row. Both are stateless: what changes over time is in the clock
(counts that every learner keeps) and in the memory of the query rule, a few numbers that
belong to the learner.

Compiled loops call the methods whose names begin with ``cy_``. A rule in Python has
methods of the same names without the prefix; the bases call them, with the GIL, and
check what they return.
"""

import numpy as np

from cpython.object cimport Py_TPFLAGS_HEAPTYPE
from libc.math cimport INFINITY, NAN, log, pow, sqrt
from libc.stdint cimport INTPTR_MAX

from ..losses cimport MarginLoss

from ..base._interrupts import call_whole
from ..utils._user_functions import MARGINS, checked_probabilities, refuse
from . import _python_rules as in_python

#: Attributes of rules in Python that compiled loops read.
QUERY_ATTRIBUTES = ("seeds", "uses_norm", "ignores_margin", "delays", "falls",
                    "is_threshold", "group")
UPDATE_ATTRIBUTES = ("seeds", "uses_norm", "scale_free")


cdef class QueryRule:
    """Base of the query rules, and of custom query rules.

    A query rule sees the margin of a row, never its label, and returns the probability
    of buying the label. It holds parameters only. What changes over time is in the
    clock, which every learner keeps, and in the rule's memory, a few numbers that belong
    to the learner and are pickled with it.

    A subclass in Python has ``probability(margin, norm, clock, memory)``. If it has a
    memory, it also has ``initial_memory(n_dims)`` and ``observe`` or ``learned``. It
    runs with the GIL, which is slower than a compiled rule and otherwise the same. A
    subclass in Cython has ``cy_probability``, ``cy_observe`` and ``cy_learned`` instead
    (``from sklearn_activelearn.stream cimport QueryRule``).

    Attributes
    ----------
    uses_norm : bool
        Whether the rule needs the norm of the row, which is NaN otherwise.
    ignores_margin : bool
        Whether the probability is the same for all margins. Such a rule may buy many
        labels before the first one is taught; other rules buy one.
    is_threshold : bool
        Whether the probability is always 0 or 1.
    group : int >= 1
        Number of rows that are considered together. The rule decides the row with the
        smallest margin; the others are not bought.
    seeds : bool
        Whether the first label taught sets the weights to that row, signed by the label.
    falls : bool
        Whether the probability never rises with the margin, which saves second-order
        learners work.
    delays : bool
        For second-order learners: whether the answer is used for the next row.
    is_python : bool
        Whether the rule is written in Python.
    is_external : bool
        Whether the class is defined outside this package.

    See Also
    --------
    StreamClassifier : Base of learners with a query rule and an update rule.

    References
    ----------
    .. [1] N. Cesa-Bianchi, C. Gentile, L. Zaniboni, "Worst-Case Analysis of Selective
       Sampling for Linear Classification", JMLR 7, 2006 (rules that are a probability).

    Examples
    --------
    >>> from sklearn_activelearn.stream import QueryRule
    >>> class InverseSquareRule(QueryRule):
    ...     def __init__(self, b):
    ...         self.b = b
    ...
    ...     def probability(self, margin, norm, clock, memory):
    ...         return self.b**2 / (self.b**2 + margin**2)
    >>> InverseSquareRule(0.5).probability(0.5, norm=1.0, clock=None, memory=[])
    0.5
    """

    def __cinit__(self, *args, **kwargs):
        self.group = 1
        self.is_python = type(self).probability is not QueryRule.probability
        self.falls = not self.is_python
        self.is_external = not type(self).__module__.startswith("sklearn_activelearn.")

    cdef int cy_begin_pass(self, Py_ssize_t n_memory) except -1:
        """Copy the attributes of a class in Python, before a loop calls the rule."""
        self.n_memory = n_memory
        if type(self).__flags__ & Py_TPFLAGS_HEAPTYPE:
            in_python.prepare(self, QueryRule, QUERY_ATTRIBUTES)
        return 0

    cdef Py_ssize_t cy_blind_purchases(self, const Clock *clock) noexcept nogil:
        """Largest number of labels to ask for before the first label is learned."""
        return INTPTR_MAX if self.ignores_margin else 1

    cdef bint cy_starting(self, const Clock *clock, const double *memory) noexcept nogil:
        """Tell whether labels are still bought whatever the margin."""
        return False

    cdef double cy_weigh(self, double margin) noexcept nogil:
        """Function of a second-order margin that the leverage divides."""
        return margin

    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        """Probability of buying the label of a row with this margin >= 0."""
        with gil:
            if not self.is_python:
                in_python.raise_abstract(self, "probability(margin, norm, clock, memory)")
            norm = norm if self.uses_norm else NAN
            values = copied(memory, self.n_memory)
            return in_python.probability_of(self, margin, norm, as_tuple(clock), values)

    cdef void cy_probabilities(
        self, const double *margins, Py_ssize_t n, const double *memory, double *out
    ) noexcept nogil:
        """Compute probabilities of several margins; for rules `by_margin` only."""

    cdef int cy_observe(
        self, double margin, double norm, const Clock *clock, double *memory
    ) except -1 nogil:
        """Update the memory for a row that has been decided."""
        if self.is_python:
            with gil:
                norm = norm if self.uses_norm else NAN
                change(self, memory, "observe", (margin, norm), clock)
        return 0

    cdef int cy_learned(
        self, bint mistake, const Clock *clock, double *memory
    ) except -1 nogil:
        """Update the memory for a bought label that is about to be learned."""
        if self.is_python:
            with gil:
                change(self, memory, "learned", (mistake,), clock)
        return 0

    def initial_memory(self, n_dims):
        """Return the numbers that the rule keeps, before the first row.

        Parameters
        ----------
        n_dims : int
            Length of a weight vector, with its intercept.

        Returns
        -------
        memory : list of float
            Finite; none by default.
        """
        return []

    def probability(self, margin, norm, clock, memory):
        """Return the probability of buying the label of a row.

        Parameters
        ----------
        margin : float >= 0
            Margin of the row: ``abs(w.x)`` for two classes, half the gap between the two
            highest scores for more.
        norm : float
            Norm of the row; NaN unless `uses_norm`.
        clock : Clock
            Counts of the learner; None, in your own calls, stands for zeros.
        memory : ndarray of float
            Memory of the rule; read-only.

        Returns
        -------
        q : float in [0, 1]
            The probability.

        Raises
        ------
        NotImplementedError
            If a subclass in Python lacks it.
        """
        cdef Clock counts = as_struct(clock)
        cdef double[::1] values = in_python.pad_memory(self, memory)
        if self.is_python:
            in_python.raise_abstract(self, "probability(margin, norm, clock, memory)")
        return self.cy_probability(margin, norm, &counts, &values[0])

    def observe(self, margin, norm, clock, memory):
        """Update the memory for a row that has been decided, bought or not.

        Parameters
        ----------
        margin, norm, clock
            As for `probability`.
        memory : ndarray of float
            Memory of the rule, to be changed in place.

        Returns
        -------
        None
            Return values are ignored.
        """
        cdef Clock counts = as_struct(clock)
        cdef double[::1] values = in_python.pad_memory(self, memory)
        if not self.is_python:
            self.cy_observe(margin, norm, &counts, &values[0])
            copy_back(values, memory)

    def learned(self, mistake, clock, memory):
        """Update the memory for a bought label that is about to be learned.

        Parameters
        ----------
        mistake : bool
            Whether the label changes the weights.
        clock : Clock
            Counts of the learner before that.
        memory : ndarray of float
            Memory of the rule, to be changed in place.

        Returns
        -------
        None
            Return values are ignored.
        """
        cdef Clock counts = as_struct(clock)
        cdef double[::1] values = in_python.pad_memory(self, memory)
        if not self.is_python:
            self.cy_learned(mistake, &counts, &values[0])
            copy_back(values, memory)


cdef class UpdateRule:
    """Base of the update rules, and of custom update rules.

    An update rule sees the signed margin of a label and returns the length of the step
    along the row, which `sample_weight` multiplies; by 1 at most if the rule `seeds`, so
    that the weights keep their length. It holds parameters only.

    A subclass in Python has ``step(z, squared_norm, probability, clock)``. It runs with
    the GIL, which is slower than a compiled rule and otherwise the same. A subclass in
    Cython has ``cy_step`` instead (``from sklearn_activelearn.stream cimport
    UpdateRule``).

    Attributes
    ----------
    uses_norm : bool
        Whether the rule needs the norm of the row, whose square is NaN otherwise.
    seeds : bool
        Whether the first label taught sets the weights to that row, signed by the label.
    scale_free : bool
        Whether only ratios of steps matter. Class weights are then divided by the
        largest one.
    is_python : bool
        Whether the rule is written in Python.

    See Also
    --------
    StreamClassifier : Base of learners with a query rule and an update rule.

    References
    ----------
    .. [1] K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer, "Online
       Passive-Aggressive Algorithms", JMLR 7, 2006 (the rule of the example).

    Examples
    --------
    >>> from sklearn_activelearn.stream import UpdateRule
    >>> class PassiveAggressiveUpdate(UpdateRule):
    ...     uses_norm = True
    ...
    ...     def step(self, z, squared_norm, probability, clock):
    ...         return max(1 - z, 0) / squared_norm if squared_norm > 0 else 0.0
    >>> PassiveAggressiveUpdate().step(0.5, 2.0, probability=1.0, clock=None)
    0.25
    """

    def __cinit__(self, *args, **kwargs):
        self.is_python = type(self).step is not UpdateRule.step

    cdef int cy_begin_pass(self) except -1:
        """Copy the attributes of a class in Python, before a loop calls the rule."""
        if type(self).__flags__ & Py_TPFLAGS_HEAPTYPE:
            in_python.prepare(self, UpdateRule, UPDATE_ATTRIBUTES)
        return 0

    cdef double cy_step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) except? -1.0 nogil:
        """Step >= 0 along y x for a label with signed margin z; 0 for no update."""
        with gil:
            if not self.is_python:
                in_python.raise_abstract(self, "step(z, squared_norm, probability, clock)")
            squared_norm = squared_norm if self.uses_norm else NAN
            return call_whole(  # Ctrl-C is raised once the label is learned
                in_python.step_of, self, z, squared_norm, probability, as_tuple(clock)
            )

    def step(self, z, squared_norm, probability, clock):
        """Return the length of the step along the row, towards its label.

        Parameters
        ----------
        z : float
            Signed margin of the label, below 0 for a mistake.
        squared_norm : float
            Squared norm of the row with its constant feature; NaN unless `uses_norm`.
        probability : float in (0, 1]
            Probability at which the label was bought; 1 if it was not asked for.
        clock : Clock
            Counts of the learner; None, in your own calls, stands for zeros.

        Returns
        -------
        step : float >= 0
            0 for no update.

        Raises
        ------
        NotImplementedError
            If a subclass in Python lacks it.
        """
        cdef Clock counts = as_struct(clock)
        if self.is_python:
            in_python.raise_abstract(self, "step(z, squared_norm, probability, clock)")
        return self.cy_step(z, squared_norm, probability, &counts)


cdef copy_back(double[::1] values, memory):
    """Copy the numbers that a compiled rule left into the memory of the caller."""
    memory[:] = values[: len(memory)]


cdef int change(
    QueryRule rule, double *memory, name, arguments, const Clock *clock
) except -1:
    """Let a method of a rule in Python change the memory; Ctrl-C is raised later."""
    cdef Py_ssize_t i
    if getattr(type(rule), name) is getattr(QueryRule, name):
        return 0
    values = call_whole(
        in_python.changed_memory, rule, name, arguments, as_tuple(clock),
        copied(memory, rule.n_memory),
    )
    for i in range(rule.n_memory):
        memory[i] = values[i]
    return 0


cdef copied(const double *memory, Py_ssize_t n):
    """Return the numbers of a memory as an array."""
    return np.array([memory[i] for i in range(n)], dtype=np.float64)


cdef as_tuple(const Clock *clock):
    """Return the counts of the clock for rules in Python."""
    return (
        clock.n_seen, clock.n_queries, clock.n_taught, clock.n_updates, clock.n_idle,
        clock.n_held,
    )


cdef Clock as_struct(clock) except *:
    """Return the clock for compiled rules; None stands for zeros."""
    cdef Clock counts
    (counts.n_seen, counts.n_queries, counts.n_taught, counts.n_updates, counts.n_idle,
     counts.n_held) = in_python.Clock() if clock is None else clock
    return counts


cdef class ConstantRule(QueryRule):
    """Buy with a fixed probability, whatever the margin.

    Parameters
    ----------
    rate : float in [0, 1]
        Probability of buying a label.

    Raises
    ------
    ValueError
        If `rate` is not in [0, 1].

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
            raise ValueError(f"rate must be in [0, 1], got {rate}.")
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
        Margin at which every second label is bought.

    Raises
    ------
    ValueError
        If `b` is not positive and finite.

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
            raise ValueError(f"b must be > 0 and finite, got {b}.")
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

    t is the number of the row and N the number of rows held. With `transient` every
    label is bought and stored while N <= 16 / lam^2 max(d, ln t), and no margin counts
    as small. With `delays` a small margin buys the next row; the first row is bought.
    With `judges` it buys its own row, which is not stored, and then the next row if the
    prediction was wrong. The memory is whether to buy the next row, d, how many rows
    that shall be stored are not learned yet, and whether the margin of the last of them
    was small.
    """

    cdef double lam
    cdef bint transient

    def __cinit__(self, double lam, bint transient, bint delays, bint judges=False):
        self.lam = lam
        self.transient, self.delays, self.judges = transient, delays, judges
        self.is_threshold = True

    def initial_memory(self, n_dims):
        return [0.0 if self.judges else 1.0, n_dims, 0.0, 0.0]

    cdef int cy_learned(
        self, bint mistake, const Clock *clock, double *memory
    ) except -1 nogil:
        cdef bint was_small = True
        if self.judges:
            if memory[2] > 0:
                memory[2] -= 1
                was_small = memory[3] > 0
            if mistake and was_small:
                memory[0] = 1
        return 0

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

    b = X^2 sqrt(1 + K) with X the largest norm so far, this row included, and K the
    number of updates. The memory is X.
    """

    def __cinit__(self):
        self.uses_norm = True

    def initial_memory(self, n_dims):
        return [0.0]

    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        cdef double largest = max(norm, memory[0])
        cdef double b = largest * largest * sqrt(1.0 + clock.n_updates)
        # this form also holds when b is 0 or has overflowed
        return 1.0 / (1.0 + margin / b) if margin > 0 else 1.0

    cdef int cy_observe(
        self, double margin, double norm, const Clock *clock, double *memory
    ) except -1 nogil:
        memory[0] = max(norm, memory[0])
        return 0


cdef class HalvingThresholdRule(QueryRule):
    """Buy if the margin is at most s; halve s after R correct labels in a row.

    The memory is s and the number of consecutive correct labels.
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
        Function of an array of margins that returns a probability for each.
    loss : MarginLoss, default=None
        Loss that labels are learned with, weighted by the inverse of their probability,
        which may be 0 only where the loss is flat.
    n_warm_start : int, default=0
        Number of labels that are bought first, whatever the function returns.
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
        """Return the values of the function, after checking that they are valid."""
        q = checked_probabilities(self.function, margins)
        if self.loss is None:
            return q
        # a slope below 1e-12 counts as 0: the function may underflow first
        ignored = (q == 0) & (self.loss.query_probability(margins) > 1e-12)
        demand = f"but labels there move the weights: {self.loss} is not flat"
        refuse(ignored, margins, q, "query_probability", demand)
        return q


cdef class PerceptronUpdate(UpdateRule):
    """Step eta0 on a mistake; a margin of 0 is one.

    Parameters
    ----------
    eta0 : float > 0, default=1.0
        Length of a step.

    Raises
    ------
    ValueError
        If `eta0` is not positive and finite.

    References
    ----------
    .. [1] F. Rosenblatt, "The Perceptron: A Probabilistic Model for Information
       Storage and Organization in the Brain", Psychological Review 65, 1958.

    Examples
    --------
    >>> from sklearn_activelearn.stream import PerceptronUpdate
    >>> update = PerceptronUpdate()
    >>> [update.step(z, 1.0, probability=1.0, clock=None) for z in (-0.5, 0.5)]
    [1.0, 0.0]
    """

    cdef double eta0

    def __cinit__(self, double eta0=1.0):
        if not 0 < eta0 < INFINITY:
            raise ValueError(f"eta0 must be > 0 and finite, got {eta0}.")
        self.eta0, self.scale_free = eta0, True

    cdef double cy_step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) noexcept nogil:
        return self.eta0 if z <= 0 else 0.0


cdef class EveryLabelUpdate(UpdateRule):
    """Learn every label, whatever its margin."""

    cdef double cy_step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) noexcept nogil:
        return 1.0


cdef class ReflectionUpdate(UpdateRule):
    """Reflect the weights on the row's hyperplane on a mistake.

    For a unit row this is w - 2 (w.x) x; a margin of 0 changes nothing. The step has
    no free length: eta0 is not used.
    """

    def __cinit__(self, double eta0):
        self.seeds = self.uses_norm = self.scale_free = True

    cdef double cy_step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) noexcept nogil:
        return -2 * z / squared_norm if z < 0 else 0.0


cdef class LossUpdate(UpdateRule):
    """Gradient step on a loss, weighted by the inverse of the query probability.

    The step is eta0 / T^power_t times the slope of the loss, for label T learned. The
    first labels, if they were bought with probability 1, are learned with the hinge.

    Parameters
    ----------
    loss : MarginLoss
        A loss of `sklearn_activelearn.losses`, or a custom loss.
    eta0 : float > 0, default=0.1
        Length of the first step.
    power_t : float >= 0, default=0.0
        Exponent by which steps become shorter; 0 keeps their length.
    n_warm_start : int >= 0, default=0
        Number of labels that are learned with the hinge.

    Raises
    ------
    ValueError, TypeError
        For a number outside its range, or a `loss` that is no MarginLoss.

    References
    ----------
    .. [1] A. Guillory, E. Chastain, J. Bilmes, "Active Learning as Non-Convex
       Optimization", AISTATS 2009, Section 2.3.

    Examples
    --------
    >>> from sklearn_activelearn.losses import HingeLoss
    >>> from sklearn_activelearn.stream import LossUpdate
    >>> LossUpdate(HingeLoss(), eta0=0.1).step(0.5, 1.0, probability=0.5, clock=None)
    0.2
    """

    cdef MarginLoss loss
    cdef double eta0, power_t
    cdef Py_ssize_t n_warm_start

    def __cinit__(
        self, MarginLoss loss not None, double eta0=0.1, double power_t=0.0,
        Py_ssize_t n_warm_start=0,
    ):
        if not (0 < eta0 < INFINITY and 0 <= power_t < INFINITY and n_warm_start >= 0):
            raise ValueError(
                "eta0 must be > 0, power_t and n_warm_start must be >= 0, got "
                f"eta0={eta0}, power_t={power_t}, n_warm_start={n_warm_start}."
            )
        self.loss = loss
        self.eta0, self.power_t, self.n_warm_start = eta0, power_t, n_warm_start

    cdef double cy_step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) except? -1.0 nogil:
        cdef double eta = self.eta0
        if self.power_t != 0:
            eta *= pow(clock.n_taught + 1.0, -self.power_t)
        if clock.n_taught < self.n_warm_start and probability == 1:
            return eta if z < 1 else 0.0
        return -eta * self.loss.slope_of_label(z) / probability


#: Update rules for mistakes by name; all take eta0.
UPDATE_RULES = {"perceptron": PerceptronUpdate, "dkm": ReflectionUpdate}
