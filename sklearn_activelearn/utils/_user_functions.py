"""Functions and classes written by users for compiled loops: calls, and checks."""

import numpy as np

#: Margins at which a function is tried before anything is bought.
MARGINS = np.append(0.0, np.geomspace(1e-3, 1e3, 121))


def call(function, margins, name, answers):
    """Return the values of a function at margins, one float for each.

    Parameters
    ----------
    function : callable
        Function written by the user.
    margins : ndarray of shape (n,)
        Argument of the function.
    name : str
        Name of the function, for messages.
    answers : str
        Plural noun for its results, for messages.
    """
    try:
        values = np.asarray(function(margins)).astype(np.float64, casting="same_kind")
    except Exception as error:
        error.add_note(
            f"{name} is called with an array of margins and must return an array of "
            f"{answers} of the same shape."
        )
        raise
    if values.shape != margins.shape:
        raise ValueError(
            f"{name} must return an array of the shape of the margins, "
            f"{margins.shape}, got {values.shape}."
        )
    return values


def refuse(is_wrong, margins, values, name, demand):
    """Raise an error for the first wrong value, if there is one."""
    if is_wrong.any():
        raise ValueError(
            f"{name}({margins[is_wrong][0]}) == {values[is_wrong][0]}, {demand}."
        )


def checked_probabilities(function, margins):
    """Return the values of a `query_probability`, after checking their range."""
    q = call(function, margins, "query_probability", "probabilities")
    outside = ~((q >= 0) & (q <= 1))
    refuse(outside, margins, q, "query_probability", "must be in [0, 1]")
    return q


def losses_of(loss, z):
    """Return ``loss.value(z)``, after checking that it has no NaN."""
    name = f"{loss}.value"
    values = call(loss.value, z, name, "losses")
    refuse(np.isnan(values), z, values, name, "must be a number")
    return values


def slopes_of(loss, z):
    """Return ``loss.derivative(z)``, after checking that it is finite and <= 0."""
    name = f"{loss}.derivative"
    slopes = call(loss.derivative, z, name, "slopes")
    wrong = ~((slopes <= 0) & np.isfinite(slopes))
    refuse(wrong, z, slopes, name, "must be finite and not above 0")
    return slopes


def refuse_overridden(kind, base, methods):
    """Raise if Python replaces a method of which compiled loops call another form."""
    parents = kind.__mro__[: kind.__mro__.index(base)]
    compiled = [each for each in parents if "__pyx_vtable__" in vars(each)]
    for parent in compiled[:1]:
        for name in methods:
            if getattr(kind, name, None) is not getattr(parent, name, None):
                raise TypeError(
                    f"{kind.__name__} replaces {name} of {parent.__name__}, which is "
                    "compiled: loops would not call it. Make it a subclass of "
                    f"{base.__name__} that holds a {parent.__name__} and calls it."
                )
