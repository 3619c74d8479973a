# cython: language_level=3, cdivision=True
"""Update rules of the one-pass learners, one small class each.

An update rule sees the signed margin of a label and answers with the length of the step
along the row. It is stateless.
"""

from libc.math cimport INFINITY, pow

from .._margin_loss cimport MarginLoss
from ._rule_base cimport Clock, UpdateRule


cdef class PerceptronUpdate(UpdateRule):
    """Step eta0 on a mistake; a margin of 0 is one.

    Parameters
    ----------
    eta0 : float > 0, default=1.0
        The step.

    Raises
    ------
    ValueError
        For a step that is not above 0, or not finite.

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
            raise ValueError(f"eta0 == {eta0}, must be > 0 and finite.")
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

    For a unit row this is w - 2 (w.x) x; a margin of 0 is its own mirror image.
    There is no step length to choose: eta0 is not used.
    """

    def __cinit__(self, double eta0):
        self.seeds = self.uses_norm = self.scale_free = True

    cdef double cy_step(
        self, double z, double squared_norm, double probability, const Clock *clock
    ) noexcept nogil:
        return -2 * z / squared_norm if z < 0 else 0.0


cdef class LossUpdate(UpdateRule):
    """Gradient step on a loss, weighted by the inverse of the query probability.

    The step is eta0 / T^power_t times the slope of the loss, for the T-th label learned.
    The first labels, if they were certain to be bought, are learned with the hinge.

    Parameters
    ----------
    loss : MarginLoss
        One of `sklearn_activelearn.losses`, or your own.
    eta0 : float > 0, default=0.1
        Length of the first step.
    power_t : float >= 0, default=0.0
        How quickly steps become shorter.
    n_warm_start : int >= 0, default=0
        How many labels are learned with the hinge.

    Raises
    ------
    ValueError, TypeError
        For a number outside its range, or what is no loss.

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
                f"eta0 == {eta0} must be > 0, power_t == {power_t} and "
                f"n_warm_start == {n_warm_start} >= 0."
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


#: Update rules of mistakes, by the name that learners give them; all take eta0.
UPDATE_RULES = {"perceptron": PerceptronUpdate, "dkm": ReflectionUpdate}
