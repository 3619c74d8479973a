# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Margin losses l(z): value, derivative and the query probability they imply.

z = y w.x is the signed margin of a labelled row. A learner that buys the label of a row
with margin ``|w.x| = a`` with probability q(a) and then steps by -l'(z) / q(a) along
y x does stochastic gradient descent on E[l(z)]. The smallest q that keeps the weight
-l'(z) / q(a) within max(1, -l'(z)) is the tight one [1]_::

    q(a) = min(max(|l'(a)|, |l'(-a)|), 1)

All losses are non-increasing functions of any real z (infinite ones included) with
values >= 0. Where the derivative jumps, a row exactly at the jump counts as outside the
part with slope -1.

The compiled learners call the same functions. To add a loss, add a class here and a row
in its test. A custom loss is a subclass of `MarginLoss` anywhere.

References
----------
.. [1] A. Guillory, E. Chastain, J. Bilmes, "Active Learning as Non-Convex
   Optimization", AISTATS 2009, Section 2.3.
"""

import inspect

import numpy as np

from cpython.object cimport Py_TPFLAGS_HEAPTYPE
from libc.math cimport exp, expm1, fabs, log, pow

from .base._interrupts import call_whole
from .base._parameters import check_number, check_option
from .utils._user_functions import MARGINS, losses_of, refuse_overridden, slopes_of

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


cdef class MarginLoss:
    """Base of the margin losses, and of custom losses.

    A subclass in Python has ``value(z)`` and ``derivative(z)``, functions of an array.
    Compiled loops call them for one margin at a time, which is slower than a compiled
    loss and otherwise the same. The arguments of its ``__init__`` are its `parameters`,
    stored in attributes of the same names. A subclass in Cython declares `parameters`,
    and has ``at`` and ``slope`` instead (``from sklearn_activelearn.losses cimport
    MarginLoss``).

    Attributes
    ----------
    name : str
        Name that learners accept for the loss; None for custom losses.
    parameters : tuple of str
        Names of the parameters of a compiled loss, which are attributes.
    convex : bool
        Whether the loss is convex.
    corner : float in (0, 1]
        The `h` of the smooth hinge at whose minimum a fit in batch may start.

    Examples
    --------
    >>> from sklearn_activelearn.losses import LogRampLoss
    >>> loss = LogRampLoss(t=1.0)
    >>> loss.derivative([-4.0, 0.0, 2.0])
    array([-0.25, -1.  ,  0.  ])
    >>> loss.query_probability([0.5, 2.0, 4.0])
    array([1.  , 0.5 , 0.25])
    """

    name = None
    parameters = ()
    convex = False
    corner = 0.5

    def __cinit__(self, *args, **kwargs):
        self.is_python = type(self).derivative is not MarginLoss.derivative

    def __init__(self):
        """Make a loss without parameters."""

    cdef double at(self, double z) except? 2.0 nogil:
        """l(z)."""
        with gil:
            refuse_recursion(self, "value", "at")
            return losses_of(self, np.array([z]))[0]

    cdef double slope(self, double z) except? 2.0 nogil:
        """l'(z)."""
        with gil:
            refuse_recursion(self, "derivative", "slope")
            return slopes_of(self, np.array([z]))[0]

    cdef double slope_of_label(self, double z) except? 2.0 nogil:
        """l'(z) for a label that is paid for; Ctrl-C is raised after it is learned."""
        if not self.is_python:
            return self.slope(z)
        with gil:
            return call_whole(slopes_of, self, np.array([z]))[0]

    cdef double tight(self, double margin) except? 2.0 nogil:
        """q(margin), margin >= 0."""
        return min(max(fabs(self.slope(margin)), fabs(self.slope(-margin))), 1.0)

    def value(self, z):
        """Return l(z).

        Parameters
        ----------
        z : array-like
            Signed margins, of any shape. NaN stays NaN.

        Returns
        -------
        loss : ndarray
            Values, in the shape of `z`.
        """
        return elementwise(value_at, self, z)

    def derivative(self, z):
        """Return l'(z).

        Parameters
        ----------
        z : array-like
            Signed margins, of any shape. NaN stays NaN.

        Returns
        -------
        slope : ndarray
            Derivatives, in the shape of `z`; never positive.
        """
        return elementwise(slope_at, self, z)

    def query_probability(self, margin):
        """Return the tight query probability ``q(|margin|)``.

        Parameters
        ----------
        margin : array-like
            Margins of any shape; the sign is ignored. NaN stays NaN.

        Returns
        -------
        q : ndarray
            Probabilities in [0, 1], in the shape of `margin`; 0 only where no label
            moves the weights.
        """
        return elementwise(tight_at, self, margin)

    def get_params(self, deep=True):
        """Return the parameters.

        Parameters
        ----------
        deep : bool, default=True
            Without effect: there are no nested parameters.

        Returns
        -------
        params : dict
            Parameters by name.
        """
        return {name: getattr(self, name) for name in parameters_of(type(self))}

    def set_params(self, **params):
        """Set parameters; an error changes nothing.

        Parameters
        ----------
        **params : dict
            Parameters by name.

        Returns
        -------
        self : MarginLoss
            The loss.

        Raises
        ------
        ValueError, TypeError
            For an unknown parameter, or one out of its range.
        """
        for name in params:
            check_option(name, f"parameter of {self}", parameters_of(type(self)))
        params = {**self.get_params(), **params}
        make(type(self), params)  # so an error comes first
        self.__init__(**params)
        return self

    def __sklearn_clone__(self):
        return make(type(self), self.get_params())

    def __reduce__(self):
        return make, (type(self), self.get_params())

    def __eq__(self, other):
        return type(self) is type(other) and self.get_params() == other.get_params()

    def __repr__(self):
        params = ", ".join(f"{k}={value}" for k, value in self.get_params().items())
        return f"{type(self).__name__}({params})"


def parameters_of(kind):
    """Return the parameter names of a loss: declared, or arguments in Python."""
    for each in kind.__mro__:
        if not each.__flags__ & Py_TPFLAGS_HEAPTYPE:  # compiled
            break
        if "__init__" in vars(each):
            _, *names = inspect.signature(each.__init__).parameters
            return tuple(names)
    return kind.parameters


def make(kind, params):
    """Return a loss of a class; to unpickle it."""
    return kind(**params)


cdef int refuse_recursion(MarginLoss loss, method, compiled) except -1:
    """Raise if a method and its compiled form would call each other forever."""
    if getattr(type(loss), method) is getattr(MarginLoss, method):
        raise NotImplementedError(
            f"{type(loss).__name__} needs {method}(z), or {compiled} in Cython."
        )
    return 0


ctypedef double (*Curve)(MarginLoss, double) except? 2.0 nogil


cdef double value_at(MarginLoss loss, double z) except? 2.0 nogil:
    return loss.at(z)


cdef double slope_at(MarginLoss loss, double z) except? 2.0 nogil:
    return loss.slope(z)


cdef double tight_at(MarginLoss loss, double margin) except? 2.0 nogil:
    return loss.tight(fabs(margin))


cdef elementwise(Curve curve, MarginLoss loss, z):
    """Return the values of a curve at all z."""
    out = np.array(z, dtype=np.float64, order="C")
    cdef double[::1] flat = out.reshape(-1)
    cdef Py_ssize_t i
    for i in range(flat.shape[0]):
        if flat[i] == flat[i]:
            flat[i] = curve(loss, flat[i])
    return out


def probe(MarginLoss loss):
    """Raise if a custom loss returns invalid values."""
    refuse_overridden(type(loss), MarginLoss, ("value", "derivative"))
    z = np.concatenate([-MARGINS[::-1], MARGINS])
    values, slopes = losses_of(loss, z), slopes_of(loss, z)
    slopes_of(loss, np.array([-np.inf, np.inf]))
    some = slice(None, None, 60)
    for method, compiled, all_at_once in (
        ("value", elementwise(value_at, loss, z[some]), values[some]),
        ("derivative", elementwise(slope_at, loss, z[some]), slopes[some]),
    ):
        if not np.allclose(compiled, all_at_once):
            raise ValueError(
                f"{loss}.{method} returns other values for many margins than for one "
                "margin at a time, as compiled loops call it. A custom loss must be a "
                "subclass of MarginLoss."
            )


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
    """Ramp: min(max(1 - z, 0), t + 1). Labels are bought at margins below t.

    Parameters
    ----------
    t : float >= 1, default=1.0
        End of the ramp: the loss is flat for z <= -t.
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

    Labels are bought with probability 1 / (margin - t + 1) beyond t, and always within.

    Parameters
    ----------
    t : float >= 1, default=1.0
        Margin at which the logarithm starts.
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

    Labels are bought with probability (margin - t + 1)^(s - 1) beyond t, and always
    within. The closer s is to 1, the more it resembles the hinge.

    Parameters
    ----------
    t : float >= 1, default=1.0
        Margin at which the root starts.
    s : float in (0, 1), default=0.5
        Exponent of the root.
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
        # (u^s - 1) / s, whose difference would lose digits where u is near 1
        return self.t + 1 + expm1(self.s * log(1 - self.t - z)) / self.s

    cdef double slope(self, double z) noexcept nogil:
        if z >= 1:
            return 0.0
        return -1.0 if z >= -self.t else -pow(1 - self.t - z, self.s - 1)


cdef class SigmoidLoss(MarginLoss):
    """Sigmoid: 1 / (1 + exp(z)). Query probabilities are at most 1/4.
    """

    name = "sigmoid"

    cdef double at(self, double z) noexcept nogil:
        cdef double e = exp(-fabs(z))  # of no positive number, which could overflow
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

    The smooth hinge with its corner at 1, minus the smooth hinge with its corner at -t.
    Labels are bought at margins below t + h.

    Parameters
    ----------
    t : float >= 1, default=1.0
        End of the ramp; the loss is t + 1 for z <= -t - h.
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
        """The h of the smooth hinge at whose minimum a fit in batch may start."""
        return self.h


#: Losses by name.
LOSSES = {loss.name: loss for loss in MarginLoss.__subclasses__()}

#: Ranges of the parameters, as arguments of `check_number`.
RANGES = {"t": (1, None, "left"), "s": (0, 1, "neither"), "h": (0, 1, "right")}


def check_parameter(name, value):
    """Return a parameter of a loss, after checking its range."""
    low, high, closed = RANGES[name]
    return check_number(value, name, low, high, closed=closed)


def make_loss(loss):
    """Return the loss that a learner's parameter `loss` stands for.

    Parameters
    ----------
    loss : str or MarginLoss
        Name of a loss, which gets its default parameters, or an object. A custom loss
        is tried at margins from -1000 to 1000 and at infinite ones.

    Returns
    -------
    loss : MarginLoss
        The same object, or a new one.

    Raises
    ------
    ValueError, TypeError
        For an unknown name, another object, or a custom loss that returns invalid
        values.

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
