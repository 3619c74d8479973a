"""Dates as text: of which form they are, and whether the day or the month comes first.

A column is read in one form. Which of day and month comes first is decided by all of
its cells, or by the user, and never guessed.
"""

import math
from datetime import UTC, datetime
from itertools import product

import numpy as np

from . import DAY_FIRST, MONTH_FIRST

ORDERS = {DAY_FIRST: "%d{0}%m{0}", MONTH_FIRST: "%m{0}%d{0}"}

#: A date of ISO 8601, with or without a time.
ISO = "ISO 8601"
TIMES = ("", " %H:%M", " %H:%M:%S")

#: Forms that can be read in one way: with dots the day comes first everywhere.
PLAIN = ("%Y/%m/%d", "%d.%m.%Y", "%d.%m.%y")
#: Separators and years of those that can be read in two.
TWO_WAYS = (("/", "%Y"), ("-", "%Y"), ("/", "%y"))

PERIODS = (365.2425, 7, 1)  # days of a year, a week and a day


class TwoWays(ValueError):
    """Dates that have the day or the month first, and nothing tells which."""


def form_of(cells, order=None):
    """Return the form of dates.

    Parameters
    ----------
    cells : collection of str
        All different, none of them empty.
    order : {"day-first", "month-first"}, default=None
        Which form to take if both are possible.

    Returns
    -------
    form : str or None
        `ISO`, or a format of `datetime.strptime`; None if they are no dates.
    order : str
        The one that the form has; empty for forms that can be read in one way.

    Raises
    ------
    TwoWays
        If both are possible, with different dates, and no order is given.
    """
    for form in (ISO, *map("".join, product(PLAIN, TIMES))):
        if readable(cells, form) is not None:
            return form, ""
    for (separator, year), time in product(TWO_WAYS, TIMES):
        forms = {
            name: parts.format(separator) + year + time
            for name, parts in ORDERS.items()
        }
        found = {name: readable(cells, form) for name, form in forms.items()}
        fitting = [name for name, days in found.items() if days is not None]
        if len(fitting) == 2:
            if order is None and found[DAY_FIRST] != found[MONTH_FIRST]:
                raise TwoWays
            fitting = [order or DAY_FIRST]
        if fitting:
            return forms[fitting[0]], fitting[0]
    return None, ""


def readable(cells, form):
    """Return the days of dates, None if one of them is not of this form."""
    try:
        return [day_of(cell, form) for cell in cells]
    except (ValueError, OverflowError):
        return None


def day_of(cell, form):
    """Return the days since 1970 of a date; one without a time zone is in UTC."""
    is_iso = form == ISO
    date = datetime.fromisoformat(cell) if is_iso else datetime.strptime(cell, form)
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return date.timestamp() / 86_400


def circles(days):
    """Return days since 1970 as points on circles, one for each period.

    A gap is in the middle of them.

    Parameters
    ----------
    days : ndarray of shape (n_rows,)
        With NaN for gaps.

    Returns
    -------
    points : ndarray of shape (n_rows, 2 * n_periods)
        Sine and cosine.
    """
    angles = [2 * math.pi / period * days for period in PERIODS]
    points = [turn(angle) for angle in angles for turn in (np.sin, np.cos)]
    return np.nan_to_num(np.column_stack(points))
