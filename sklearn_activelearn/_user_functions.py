"""Functions of margins that users write: calls to them, and what may come back."""

import numpy as np

#: Margins to try a function on before anything is bought.
MARGINS = np.append(0.0, np.geomspace(1e-3, 1e3, 121))


def call(function, margins, name, answers):
    """Return a function's values at margins as floats, one for each.

    Parameters
    ----------
    function : callable
        What the user wrote.
    margins : ndarray of shape (n,)
        Its argument.
    name : str
        What the user calls it.
    answers : str
        What it is to return, in the plural.
    """
    try:
        values = np.asarray(function(margins)).astype(np.float64, casting="same_kind")
    except Exception as error:
        error.add_note(
            f"{name} is called with an array of margins and must return as many "
            f"{answers}."
        )
        raise
    if values.shape != margins.shape:
        raise ValueError(
            f"{name} returned shape {values.shape} for margins of shape "
            f"{margins.shape}."
        )
    return values


def refuse(is_wrong, margins, values, name, demand):
    """Raise for the first value that is wrong, if any is."""
    if is_wrong.any():
        raise ValueError(
            f"{name}({margins[is_wrong][0]}) == {values[is_wrong][0]}, {demand}."
        )


def checked_probabilities(function, margins):
    """Return the values of a `query_probability`, which lie in [0, 1]."""
    q = call(function, margins, "query_probability", "probabilities")
    outside = ~((q >= 0) & (q <= 1))
    refuse(outside, margins, q, "query_probability", "must be in [0, 1]")
    return q


def losses_of(loss, z):
    """Return ``loss.value(z)``, which holds no NaN."""
    name = f"{loss}.value"
    values = call(loss.value, z, name, "losses")
    refuse(np.isnan(values), z, values, name, "must be a number")
    return values


def slopes_of(loss, z):
    """Return ``loss.derivative(z)``, which is finite and never positive."""
    name = f"{loss}.derivative"
    slopes = call(loss.derivative, z, name, "slopes")
    wrong = ~((slopes <= 0) & np.isfinite(slopes))
    refuse(wrong, z, slopes, name, "must be finite and not above 0")
    return slopes
