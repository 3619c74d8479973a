# cython: language_level=3, cdivision=True
"""The bases of query rules and of update rules, compiled ones and those in Python.

Compiled loops call the methods whose names begin with ``cy_``. A rule in Python has
methods of the same names without that; the bases call them, with the GIL, and check
what they return.
"""

import numpy as np

from cpython.exc cimport PyErr_SetInterrupt
from cpython.object cimport Py_TPFLAGS_HEAPTYPE
from libc.float cimport DBL_MAX
from libc.math cimport NAN, isfinite
from libc.stdint cimport INTPTR_MAX

from . import _python_rules as in_python

#: What compiled loops read of a query rule in Python, and of an update rule.
QUERY_ATTRIBUTES = ("seeds", "uses_norm", "ignores_margin", "delays", "falls",
                    "is_threshold", "group")
UPDATE_ATTRIBUTES = ("seeds", "uses_norm", "scale_free")


cdef class QueryRule:
    """Base of the query rules, and of a query rule of your own.

    A query rule sees the margin of a row, never its label, and answers with the
    probability of buying the label. It holds parameters only: what changes over time
    is in the clock, which every learner keeps, and in the rule's memory, a few numbers
    that belong to the learner and are pickled with it.

    A subclass in Python has ``probability(margin, norm, clock, memory)``, and where it
    remembers something ``initial_memory(n_dims)`` with ``observe`` or ``learned``. It
    runs with the GIL: slower than a compiled one, but that is all. A subclass in
    Cython has ``cy_probability`` and so on instead (``from sklearn_activelearn.stream
    cimport QueryRule``).

    Attributes
    ----------
    uses_norm : bool
        It needs the norm of the row, which is else NaN.
    ignores_margin : bool
        Its answer is the same for all margins: it may buy many labels before the first
        one is taught. Others buy one.
    is_threshold : bool
        Its probability is 0 or 1.
    group : int >= 1
        So many rows are looked at together; the rule decides on the one with the
        smallest margin, and the others are let pass.
    seeds : bool
        The first label taught sets the weights to that row, signed by the label.
    falls : bool
        Its probability never rises with the margin; second-order learners save work.
    delays : bool
        Of second-order learners: its answer holds for the row that comes next.
    is_python : bool
        Whether it is written in Python.
    is_external : bool
        Whether its class is defined outside this package.

    See Also
    --------
    StreamClassifier : What has a query rule and an update rule.

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
        """Take over the attributes of a class in Python, before a loop asks the rule."""
        self.n_memory = n_memory
        if type(self).__flags__ & Py_TPFLAGS_HEAPTYPE:
            in_python.refuse_overridden(type(self), QueryRule)
        for name in QUERY_ATTRIBUTES if self.is_python else ():
            QueryRule.__dict__[name].__set__(self, getattr(self, name))
        return 0

    cdef Py_ssize_t cy_blind_purchases(self, const Clock *clock) noexcept nogil:
        """Most labels to ask for while no label has given the margins a meaning."""
        return INTPTR_MAX if self.ignores_margin else 1

    cdef bint cy_starting(self, const Clock *clock, const double *memory) noexcept nogil:
        """Whether labels are still bought whatever the margin."""
        return False

    cdef double cy_weigh(self, double margin) noexcept nogil:
        """What counts of a second-order margin, before the leverage divides it."""
        return margin

    cdef double cy_probability(
        self, double margin, double norm, const Clock *clock, const double *memory
    ) except? -1.0 nogil:
        """Probability of buying the label of a row with this margin >= 0."""
        with gil:
            if not self.is_python:
                in_python.refuse_abstract(self, "probability(margin, norm, clock, memory)")
            values = copied(memory, self.n_memory)
            values.flags.writeable = False
            norm = norm if self.uses_norm else NAN
            q = self.probability(margin, norm, as_tuple(clock), values)
            return in_python.checked(q, 1.0, self, f"probability({margin})", "in [0, 1]")

    cdef void cy_probabilities(
        self, const double *margins, Py_ssize_t n, const double *memory, double *out
    ) noexcept nogil:
        """Fill in the probabilities of rows with these margins; for rules `by_margin`."""

    cdef int cy_observe(
        self, double margin, double norm, const Clock *clock, double *memory
    ) except -1 nogil:
        """Note a row that has been decided."""
        if self.is_python:
            with gil:
                norm = norm if self.uses_norm else NAN
                change(self, memory, "observe", (margin, norm), clock)
        return 0

    cdef int cy_learned(
        self, bint mistake, const Clock *clock, double *memory
    ) except -1 nogil:
        """Note a bought label that is about to be learned."""
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
            Of the row: for two classes ``abs(w.x)``, for more half the gap between the two
            highest scores.
        norm : float
            Of the row; NaN unless `uses_norm`.
        clock : Clock
            Counts of the learner; None for zeros where you call it yourself.
        memory : ndarray of float
            What the rule remembers; not to be changed here.

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
        cdef double[::1] values = in_python.with_room(self, memory)
        if self.is_python:
            in_python.refuse_abstract(self, "probability(margin, norm, clock, memory)")
        return self.cy_probability(margin, norm, &counts, &values[0])

    def observe(self, margin, norm, clock, memory):
        """Note a row that has been decided, bought or not.

        Parameters
        ----------
        margin, norm, clock
            As for `probability`.
        memory : ndarray of float
            What the rule remembers, to be changed in place.

        Returns
        -------
        None
            What it returns is not used.
        """
        cdef Clock counts = as_struct(clock)
        cdef double[::1] values = in_python.with_room(self, memory)
        if not self.is_python:
            self.cy_observe(margin, norm, &counts, &values[0])
            copy_back(values, memory)

    def learned(self, mistake, clock, memory):
        """Note a label that was bought and is about to be learned.

        Parameters
        ----------
        mistake : bool
            Whether it changes the weights.
        clock : Clock
            Counts of the learner before that.
        memory : ndarray of float
            What the rule remembers, to be changed in place.

        Returns
        -------
        None
            What it returns is not used.
        """
        cdef Clock counts = as_struct(clock)
        cdef double[::1] values = in_python.with_room(self, memory)
        if not self.is_python:
            self.cy_learned(mistake, &counts, &values[0])
            copy_back(values, memory)


cdef class UpdateRule:
    """Base of the update rules, and of an update rule of your own.

    An update rule sees the signed margin of a label and answers with the length of the
    step along the row. It holds parameters only.

    A subclass in Python has ``step(z, squared_norm, probability, clock)``. It runs with
    the GIL: slower than a compiled one, but that is all. A subclass in Cython has
    ``cy_step`` instead (``from sklearn_activelearn.stream cimport UpdateRule``).

    Attributes
    ----------
    uses_norm : bool
        It needs the norm of the row, whose square is else NaN.
    seeds : bool
        The first label taught sets the weights to that row, signed by the label.
    scale_free : bool
        Only ratios of its steps count: class weights are divided by the largest one.
    is_python : bool
        Whether it is written in Python.

    See Also
    --------
    StreamClassifier : Has a query rule and an update rule.

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
        """Take over the attributes of a class in Python, before a loop asks the rule."""
        if type(self).__flags__ & Py_TPFLAGS_HEAPTYPE:
            in_python.refuse_overridden(type(self), UpdateRule)
        for name in UPDATE_ATTRIBUTES if self.is_python else ():
            UpdateRule.__dict__[name].__set__(self, getattr(self, name))
        return 0

    cdef double cy_step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) except? -1.0 nogil:
        """Step >= 0 along y x for a label with signed margin z; 0 for no update."""
        with gil:
            if not self.is_python:
                in_python.refuse_abstract(self, "step(z, squared_norm, probability, clock)")
            try:
                step = step_of(self, z, squared_norm, probability, clock)
            except KeyboardInterrupt:  # it waits until the label is learned
                step = step_of(self, z, squared_norm, probability, clock)
                PyErr_SetInterrupt()
            return step

    def step(self, z, squared_norm, probability, clock):
        """Return the length of the step along the row, towards its label.

        Parameters
        ----------
        z : float
            Signed margin of the label, below 0 for a mistake.
        squared_norm : float
            Of the row, with its constant feature; NaN unless `uses_norm`.
        probability : float in (0, 1]
            With which the label was bought; 1 if nobody asked for it.
        clock : Clock
            Counts of the learner; None for zeros where you call it yourself.

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
            in_python.refuse_abstract(self, "step(z, squared_norm, probability, clock)")
        return self.cy_step(z, squared_norm, probability, &counts)


cdef double step_of(
    UpdateRule rule, double z, double squared_norm, double probability, const Clock *clock
) except? -1.0:
    """Return the step of a rule in Python."""
    squared_norm = squared_norm if rule.uses_norm else NAN
    step = rule.step(z, squared_norm, probability, as_tuple(clock))
    return in_python.checked(step, DBL_MAX, rule, f"step({z})", "finite and >= 0")


cdef copy_back(double[::1] values, memory):
    """Change the memory that a method was given to what a compiled rule left."""
    memory[:] = values[: len(memory)]


cdef int change(
    QueryRule rule, double *memory, name, arguments, const Clock *clock
) except -1:
    """Have a method of a rule in Python change its memory; Ctrl-C waits."""
    cdef Py_ssize_t i
    cdef double value
    if getattr(type(rule), name) is getattr(QueryRule, name):
        return 0
    values, method = copied(memory, rule.n_memory), getattr(rule, name)
    try:
        method(*arguments, as_tuple(clock), values)
    except KeyboardInterrupt:
        values = copied(memory, rule.n_memory)
        method(*arguments, as_tuple(clock), values)
        PyErr_SetInterrupt()
    if len(values) != rule.n_memory:
        raise ValueError(
            f"{type(rule).__name__}.{name} left {len(values)} numbers in the memory, "
            f"which must stay {rule.n_memory}."
        )
    for value in values:
        if not isfinite(value):
            raise ValueError(
                f"{type(rule).__name__}.{name} left {value} in the memory, which must "
                "be finite."
            )
    for i in range(rule.n_memory):
        memory[i] = values[i]
    return 0


cdef copied(const double *memory, Py_ssize_t n):
    """Return the numbers of a memory as an array."""
    return np.array([memory[i] for i in range(n)], dtype=np.float64)


cdef as_tuple(const Clock *clock):
    """Return the clock as rules in Python get it."""
    return in_python.Clock(
        clock.n_seen, clock.n_queries, clock.n_taught, clock.n_updates, clock.n_idle,
        clock.n_held,
    )


cdef Clock as_struct(clock) except *:
    """Return the clock as compiled rules get it; None stands for zeros."""
    cdef Clock counts
    (counts.n_seen, counts.n_queries, counts.n_taught, counts.n_updates, counts.n_idle,
     counts.n_held) = in_python.Clock() if clock is None else clock
    return counts
