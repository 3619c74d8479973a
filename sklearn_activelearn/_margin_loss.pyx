# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The base of the margin losses, of the compiled ones and of those in Python."""

import inspect

import numpy as np

from cpython.exc cimport PyErr_SetInterrupt
from cpython.object cimport Py_TPFLAGS_HEAPTYPE
from libc.math cimport fabs

from ._user_functions import MARGINS, losses_of, slopes_of
from ._validation import check_option


cdef class MarginLoss:
    """Base of the margin losses, and of a loss of your own.

    A subclass in Python has ``value(z)`` and ``derivative(z)``, functions of an array
    that compiled loops call for one margin at a time: slower, but that is all. The
    arguments of its ``__init__`` are its `parameters`, and attributes of that name. A
    subclass in Cython names them itself, and has ``at`` and ``slope`` instead (``from
    sklearn_activelearn.losses cimport MarginLoss``).

    Attributes
    ----------
    name : str
        What the learners call it; only those of this module are known by name.
    parameters : tuple of str
        The names of the parameters of a compiled loss, which are attributes.
    convex : bool
        Whether the loss is convex.
    corner : float in (0, 1]
        The `h` of the smooth hinge, from whose minimum a fit in batch may begin.

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
        """A loss without parameters."""

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
        """l'(z) for a label that is paid for: Ctrl-C waits until that is learned."""
        cdef double slope
        if not self.is_python:
            return self.slope(z)
        with gil:
            try:
                slope = self.slope(z)
            except KeyboardInterrupt:
                slope = self.slope(z)
                PyErr_SetInterrupt()
            return slope

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
            Of the shape of `z`.
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
            Of the shape of `z`, never positive.
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
            Of that shape, in [0, 1]; 0 only where no label moves the weights.
        """
        return elementwise(tight_at, self, margin)

    def get_params(self, deep=True):
        """Return the parameters.

        Parameters
        ----------
        deep : bool, default=True
            Without effect: there is nothing nested.

        Returns
        -------
        params : dict
            By name.
        """
        return {name: getattr(self, name) for name in parameters_of(type(self))}

    def set_params(self, **params):
        """Set parameters, all of them or, on an error, none.

        Parameters
        ----------
        **params : dict
            By name.

        Returns
        -------
        self : MarginLoss
            The loss.

        Raises
        ------
        ValueError, TypeError
            For a parameter that it does not have, or one out of its range.
        """
        for name in params:
            check_option(name, f"parameter of {self}", parameters_of(type(self)))
        params = {**self.get_params(), **params}
        made(type(self), params)  # so an error comes first
        self.__init__(**params)
        return self

    def __sklearn_clone__(self):
        return made(type(self), self.get_params())

    def __reduce__(self):
        return made, (type(self), self.get_params())

    def __eq__(self, other):
        return type(self) is type(other) and self.get_params() == other.get_params()

    def __repr__(self):
        params = ", ".join(f"{k}={value}" for k, value in self.get_params().items())
        return f"{type(self).__name__}({params})"


cdef bint is_in_python(kind):
    """Whether a class is not compiled."""
    return bool(kind.__flags__ & Py_TPFLAGS_HEAPTYPE)


def parameters_of(kind):
    """Return the names of a loss's parameters: as declared, or what Python takes."""
    for each in kind.__mro__:
        if not is_in_python(each):
            break
        if "__init__" in vars(each):
            _, *names = inspect.signature(each.__init__).parameters
            return tuple(names)
    return kind.parameters


def made(kind, params):
    """Return a loss of that class."""
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
    """Return the curve's values at all z."""
    out = np.array(z, dtype=np.float64, order="C")
    cdef double[::1] flat = out.reshape(-1)
    cdef Py_ssize_t i
    for i in range(flat.shape[0]):
        if flat[i] == flat[i]:
            flat[i] = curve(loss, flat[i])
    return out


cdef int refuse_overridden(kind) except -1:
    """Raise if Python replaces a method of which compiled loops call another form."""
    kinds = kind.__mro__[: kind.__mro__.index(MarginLoss)]
    if all([is_in_python(each) for each in kinds]):
        return 0
    for each in kinds:
        if is_in_python(each) and {"value", "derivative"} & vars(each).keys():
            raise TypeError(
                f"loss {kind.__name__} replaces a method of a compiled loss, which "
                "compiled loops do not see; make it a subclass of MarginLoss itself."
            )
    return 0


def probe(MarginLoss loss):
    """Raise if a loss does not answer as it must."""
    refuse_overridden(type(loss))
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
                f"{loss}.{method} of many margins is not that of each alone, as "
                "compiled loops see it. A loss of your own is a subclass of "
                "MarginLoss itself."
            )
