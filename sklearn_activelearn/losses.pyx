# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Margin losses l(z): value, derivative and the query probability they imply.

z = y w.x is the signed margin of a labelled row. A learner that buys the label
of a row with margin ``|w.x| = a`` with probability q(a) and then steps by
-l'(z) / q(a) along y x does stochastic gradient descent on E[l(z)]. The smallest
q that keeps that weight within max(1, -l'(z)) is the tight one [1]_::

    q(a) = min(max(|l'(a)|, |l'(-a)|), 1)

All losses are non-increasing functions of any real z (infinite ones included)
with values >= 0. Where a derivative jumps it is given so that a row right at the
jump counts as outside the part with slope -1.

The compiled learners call these very functions. To add a loss, add a class here
and a row in its test; a loss of your own is a subclass of `MarginLoss` anywhere.

References
----------
.. [1] A. Guillory, E. Chastain, J. Bilmes, "Active Learning as Non-Convex
   Optimization", AISTATS 2009, Section 2.3.
"""

from libc.math cimport exp, expm1, fabs, log, pow

from ._margin_loss cimport MarginLoss

from ._margin_loss import probe
from ._validation import check_number, check_option

__all__ = [
    "HingeLoss",
    "LogRampLoss",
    "MarginLoss",
    "RampLoss",
    "RootRampLoss",
    "SigmoidLoss",
    "SmoothHingeLoss",
    "SmoothRampLoss",
    "make_loss",
]

globals()["MarginLoss"] = MarginLoss  # Python code wants it too


cdef class HingeLoss(MarginLoss):
    """Hinge: max(0, 1 - z), the loss of passive learning (q is 1 everywhere).
    """

    name = "hinge"
    convex = True

    cdef double at(self, double z) noexcept nogil:
        return 0.0 if z >= 1 else 1 - z

    cdef double slope(self, double z) noexcept nogil:
        return 0.0 if z >= 1 else -1.0


cdef class RampLoss(MarginLoss):
    """Ramp: min(max(1 - z, 0), t + 1). It asks while the margin is below t.

    Parameters
    ----------
    t : float >= 1, default=1.0
        Where the ramp ends: the loss is flat for z <= -t.
    """

    name = "ramp"
    parameters = ("t",)
    cdef readonly double t

    def __init__(self, t=1.0):
        self.t = check_parameter("t", t)

    cdef double at(self, double z) noexcept nogil:
        if z >= 1:
            return 0.0
        return 1 - z if z > -self.t else self.t + 1

    cdef double slope(self, double z) noexcept nogil:
        return -1.0 if -self.t < z < 1 else 0.0


cdef class LogRampLoss(MarginLoss):
    """Log-ramp: the hinge up to -t, then t + 1 + log(1 - t - z).

    It asks with probability 1 / (margin - t + 1) beyond t, and always within.

    Parameters
    ----------
    t : float >= 1, default=1.0
        Where the logarithm begins.
    """

    name = "log_ramp"
    parameters = ("t",)
    cdef readonly double t

    def __init__(self, t=1.0):
        self.t = check_parameter("t", t)

    cdef double at(self, double z) noexcept nogil:
        if z >= 1:
            return 0.0
        return 1 - z if z >= -self.t else self.t + 1 + log(1 - self.t - z)

    cdef double slope(self, double z) noexcept nogil:
        if z >= 1:
            return 0.0
        return -1.0 if z >= -self.t else -1 / (1 - self.t - z)


cdef class RootRampLoss(MarginLoss):
    """Root-ramp: the hinge up to -t, then t + 1 - 1/s + (1 - t - z)^s / s.

    It asks with probability (margin - t + 1)^(s - 1) beyond t, and always
    within. The nearer s is to 1, the more it is like the hinge.

    Parameters
    ----------
    t : float >= 1, default=1.0
        Where the root begins.
    s : float in (0, 1), default=0.5
        Its power.
    """

    name = "root_ramp"
    parameters = ("t", "s")
    cdef readonly double t, s

    def __init__(self, t=1.0, s=0.5):
        self.t = check_parameter("t", t)
        self.s = check_parameter("s", s)

    cdef double at(self, double z) noexcept nogil:
        if z >= 1:
            return 0.0
        if z >= -self.t:
            return 1 - z
        return self.t + 1 + expm1(self.s * log(1 - self.t - z)) / self.s

    cdef double slope(self, double z) noexcept nogil:
        if z >= 1:
            return 0.0
        return -1.0 if z >= -self.t else -pow(1 - self.t - z, self.s - 1)


cdef class SigmoidLoss(MarginLoss):
    """Sigmoid: 1 / (1 + exp(z)). It asks with a probability of at most 1/4.
    """

    name = "sigmoid"

    cdef double at(self, double z) noexcept nogil:
        cdef double e = exp(-fabs(z))
        return e / (1 + e) if z > 0 else 1 / (1 + e)

    cdef double slope(self, double z) noexcept nogil:
        cdef double e = exp(-fabs(z))
        return -e / ((1 + e) * (1 + e))


cdef inline double rounded_corner(double z, double h) noexcept nogil:
    """max(-z, 0) with the corner replaced by a parabola on [-h, h]."""
    if z >= h:
        return 0.0
    return -z if z <= -h else (h - z) * (h - z) / (4 * h)


cdef inline double rounded_corner_slope(double z, double h) noexcept nogil:
    if z >= h:
        return 0.0
    return -1.0 if z <= -h else (z - h) / (2 * h)


cdef class SmoothHingeLoss(MarginLoss):
    """Smooth hinge: the hinge with its corner rounded, for batch fitting [1]_.

    0 for z >= 1 + h, (1 + h - z)^2 / (4 h) for ``|1 - z| < h``, and 1 - z below, with
    a continuous derivative. As for the hinge, q is 1 everywhere.

    Parameters
    ----------
    h : float in (0, 1], default=0.5
        Half the width of the rounded corner.

    References
    ----------
    .. [1] O. Chapelle, "Training a Support Vector Machine in the Primal", Neural
       Computation 19(5), 2007 (the Huber loss).
    """

    name = "smooth_hinge"
    parameters = ("h",)
    convex = True
    cdef readonly double h

    def __init__(self, h=0.5):
        self.h = check_parameter("h", h)

    cdef double at(self, double z) noexcept nogil:
        return rounded_corner(z - 1, self.h)

    cdef double slope(self, double z) noexcept nogil:
        return rounded_corner_slope(z - 1, self.h)


cdef class SmoothRampLoss(MarginLoss):
    """Smooth ramp: the ramp with both corners rounded, for batch fitting.

    The smooth hinge with its corner at 1, minus the one with its corner at -t. It
    asks while the margin is below t + h.

    Parameters
    ----------
    t : float >= 1, default=1.0
        Where the ramp ends; the loss is t + 1 for z <= -t - h.
    h : float in (0, 1], default=0.5
        Half the width of the rounded corners.
    """

    name = "smooth_ramp"
    parameters = ("t", "h")
    cdef readonly double t, h

    def __init__(self, t=1.0, h=0.5):
        self.t = check_parameter("t", t)
        self.h = check_parameter("h", h)

    cdef double at(self, double z) noexcept nogil:
        if z <= -self.t - self.h:
            return self.t + 1  # not the difference of two large numbers
        return rounded_corner(z - 1, self.h) - rounded_corner(z + self.t, self.h)

    cdef double slope(self, double z) noexcept nogil:
        return rounded_corner_slope(z - 1, self.h) - rounded_corner_slope(
            z + self.t, self.h
        )

    @property
    def corner(self):
        """The h of the smooth hinge, from whose minimum a fit in batch may begin."""
        return self.h


#: Losses by the name that learners give them.
LOSSES = {loss.name: loss for loss in MarginLoss.__subclasses__()}

#: Ranges of the losses' parameters, as `check_number` takes them.
RANGES = {"t": (1, None, "left"), "s": (0, 1, "neither"), "h": (0, 1, "right")}


def check_parameter(name, value):
    """Return a parameter of a loss if it lies in its range."""
    low, high, closed = RANGES[name]
    return check_number(value, name, low, high, closed=closed)


def make_loss(loss):
    """Return the loss that a learner's parameter `loss` stands for.

    Parameters
    ----------
    loss : str or MarginLoss
        The `name` of one of the classes here, for one with its default parameters;
        or an object. One of your own is tried at margins from -1000 to 1000 and at
        infinite ones.

    Returns
    -------
    loss : MarginLoss
        The object itself, or a new one.

    Raises
    ------
    ValueError, TypeError
        For an unknown name, another object, or a loss of your own that returns what
        is no loss or slope.

    Examples
    --------
    >>> from sklearn_activelearn.losses import make_loss
    >>> make_loss("root_ramp")
    RootRampLoss(t=1.0, s=0.5)
    """
    if isinstance(loss, str):
        return LOSSES[check_option(loss, "loss", LOSSES)]()
    if not isinstance(loss, MarginLoss):
        raise TypeError(
            f"loss must be one of {sorted(LOSSES)} or an object such as "
            f"RampLoss(t=2.0), got {loss!r}."
        )
    if type(loss) not in LOSSES.values():
        probe(loss)
    return loss
