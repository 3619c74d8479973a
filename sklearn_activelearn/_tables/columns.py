"""What the columns of a table are: numbers, dates, texts, categories.

A column is typed once, from all of its cells; no label is used.
"""

import math
import re
from typing import NamedTuple

import numpy as np

from .dates import TwoWays, day_of, form_of
from .tables import no_column

#: What stands in a cell for "not known".
GAPS = {"", "?", "na", "n/a", "nan", "none", "null"}

#: What stands for yes and no.
BOOLEANS = ({"true", "false"}, {"yes", "no"}, {"t", "f"}, {"y", "n"})
YES = {"true", "yes", "t", "y"}

N_CATEGORIES = 30  # of a column; the rare ones share one
WORDS_OF_A_TEXT = 3  # on average
HUGE = 1e150  # the squares of larger numbers would be infinite

#: Kinds of columns, in the order in which they are named; the last one is not used.
KINDS = ("number", "boolean", "date", "category", "text", "left out")


class Column(NamedTuple):
    """A column, and what it is taken for.

    Attributes
    ----------
    name : str
        From the header.
    kind : str
        One of `KINDS`.
    values : ndarray of float of shape (n_rows,), list of str or None
        Numbers, dates as days since 1970 and booleans as 1 and 0, with NaN for gaps;
        texts; the cells of categories; nothing of a column that is left out.
    why : str
        Why it is left out, or which of day and month comes first, in brackets.
    read_by : str or list of str
        What more cells are read by: the form of dates, the categories in their order.
    """

    name: str
    kind: str
    values: object = None
    why: str = ""
    read_by: str | list = ""


def typed(table, target, *, text=(), categorical=(), drop=(), dates=None):
    """Return the columns of a table other than the labels, with their kinds.

    Parameters
    ----------
    table : Table
        Read from a file.
    target : str
        Column of the labels.
    text, categorical, drop : sequence of str
        Columns that are texts or categories, or are to be left out, whatever they look
        like.
    dates : {"day-first", "month-first"}, default=None
        How to read dates for which both are possible.

    Returns
    -------
    columns : list of Column
        At least one is not left out.

    Raises
    ------
    ValueError
        For names that are no columns, or stand for two kinds; for numbers that are not
        finite; for dates that can be read in two ways; for a table with nothing to
        learn from.
    """
    given = {}
    for kind, names in (("text", text), ("category", categorical), ("left out", drop)):
        for name in names:
            if name not in table.columns:
                raise ValueError(no_column(name, list(table.columns)))
            if name == target:
                raise ValueError(f"the column {name!r} holds the labels (--target).")
            if given.setdefault(name, kind) != kind:
                raise ValueError(
                    f"the column {name!r} cannot be {given[name]} and {kind}."
                )
    columns = [
        column_of(name, cells, table, given.get(name), dates)
        for name, cells in table.columns.items()
        if name != target
    ]
    if all(column.kind == "left out" for column in columns):
        reasons = "; ".join(f"{column.name}{column.why}" for column in columns[:20])
        raise ValueError(f"there is no column to learn from. {reasons}".strip())
    return columns


def column_of(name, cells, table, given, dates):
    """Return a column of the kind that was given, or else of that of its cells."""
    if given == "left out":
        return Column(name, "left out", why=" (by --drop)")
    if given == "text":
        if not any(re.search(r"\b\w\w+\b", cell) for cell in cells):
            raise ValueError(f"there are no words in the column {name!r}.")
        return Column(name, "text", cells)
    numbers = None if given == "category" else parsed_numbers(cells)
    if numbers is not None:
        return column_of_numbers(name, numbers)
    filled = [fill(cell) for cell in cells]
    if given == "category":
        return column_of_categories(name, filled)
    distinct = set(filled) - {""}
    if len(set(filled)) == 1:
        return Column(name, "left out", why=" (has one value)")
    check_finite(name, filled, table)
    if {value.lower() for value in distinct} in BOOLEANS:
        return Column(name, "boolean", read_cells(name, "boolean", "", cells, table))
    try:
        form, order = form_of(distinct, dates)
    except TwoWays:
        raise ValueError(
            f"the dates of the column {name!r}, such as {min(distinct)}, have the day "
            "or the month first, and none of them tells which: --dates day-first or "
            "--dates month-first does; --drop leaves the column out."
        ) from None
    if form is not None:
        days = read_cells(name, "date", form, cells, table)
        why = f" ({order.replace('-', ' ')})" if order else ""
        return Column(name, "date", days, why, form)
    n_known = sum(map(bool, filled))
    n_words = sum(len(cell.split()) for cell in filled) / n_known
    is_varied = len(distinct) > min(N_CATEGORIES, n_known / 2)
    if n_words >= WORDS_OF_A_TEXT and is_varied:
        return Column(name, "text", cells)
    if len(distinct) == len(cells) > N_CATEGORIES:
        return Column(name, "left out", why=" (has another value in each row)")
    return column_of_categories(name, filled)


def column_of_categories(name, filled):
    """Return a column of categories, of which a gap is one."""
    return Column(name, "category", filled, read_by=sorted(set(filled)))


def column_of_numbers(name, numbers):
    """Return a column of numbers, unless they tell nothing of a row."""
    if np.all(numbers == numbers[0]):
        return Column(name, "left out", why=" (has one value)")
    if len(numbers) > 2 and np.all(np.diff(numbers) == 1):
        return Column(name, "left out", why=" (counts the rows)")
    return Column(name, "number", numbers)


def fill(cell):
    """Return what is in a cell, nothing for a gap."""
    cell = cell.strip()
    return "" if cell.lower() in GAPS else cell


def parsed_numbers(cells):
    """Return a column of numbers with NaN for gaps, or None if it is something else."""
    try:
        numbers = np.array([*map(float, cells)])
    except ValueError:  # a gap, perhaps
        try:
            numbers = np.array([float(fill(cell) or "nan") for cell in cells])
        except ValueError:
            return None
    known = numbers[~np.isnan(numbers)]
    return numbers if len(known) and np.all(np.abs(known) < HUGE) else None


def check_finite(name, filled, table):
    """Refuse a column that would be numbers, were it not for one of them."""
    try:
        numbers = [float(cell or "nan") for cell in filled]
    except ValueError:
        return
    for number, cell, line in zip(numbers, filled, table.lines, strict=True):
        if abs(number) >= HUGE:
            raise ValueError(
                f"line {line}, column {name!r}: {cell[:40]!r} is not a number below "
                f"{HUGE:g}; --drop leaves a column out."
            )


def column_like(name, kind, read_by, table):
    """Return a column of a table, to be read as one of another table was.

    Parameters
    ----------
    name, kind, read_by
        Of the other column, which is not left out.
    table : Table
        That has a column of this name.

    Raises
    ------
    ValueError
        For a cell that is no number, boolean or date where the others were.
    """
    cells = table.columns[name]
    if kind == "category":
        cells = [fill(cell) for cell in cells]
    elif kind != "text":
        cells = read_cells(name, kind, read_by, cells, table)
    return Column(name, kind, cells, read_by=read_by)


def read_cells(name, kind, form, cells, table):
    """Return the cells of a number, boolean or date as numbers, with NaN for gaps."""
    values, known = np.empty(len(cells)), {"": math.nan}
    for k, cell in enumerate(map(fill, cells)):
        try:
            if cell not in known:
                known[cell] = read_cell(cell, kind, form)
        except (ValueError, OverflowError):
            what = f"date of the form {form}" if form else kind
            raise ValueError(
                f"line {table.lines[k]}, column {name!r}: {cell[:40]!r} is no {what}."
            ) from None
        values[k] = known[cell]
    return values


def read_cell(cell, kind, form):
    """Return the number of a cell that is no gap."""
    if kind == "date":
        return day_of(cell, form)
    if kind == "boolean":
        if cell.lower() not in set.union(*BOOLEANS):
            raise ValueError
        return float(cell.lower() in YES)
    number = float(cell)
    if abs(number) >= HUGE:
        raise ValueError
    return number


def in_words(columns, n_unnamed):
    """Return which columns are taken for what, in a line for each kind."""
    lines = []
    for kind in KINDS:
        names = [c.name + c.why for c in columns if c.kind == kind]
        if names:
            more = f" … ({len(names)} in all)" if len(names) > 8 else ""
            lines.append(f"{kind}: {', '.join(names[:8])}{more}")
    if n_unnamed:
        lines.append(f"left out: columns without a name ({n_unnamed})")
    return lines
