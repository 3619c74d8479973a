"""The kinds of the columns of a table: numbers, dates, categories, texts.

The kind of a column follows from all of its cells, or the user gives it. No label is
used. Dates are read in one form for a whole column; whether the day or the month comes
first is never guessed.
"""

import math
import re
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from ._tables import cells_of

#: Cells that stand for "not known".
GAPS = {"", "?", "na", "n/a", "nan", "none", "null"}

N_CATEGORIES = 30  # of a column; the rare ones share one
WORDS_OF_A_TEXT = 3  # on average
WORDS_IF_ALL_DIFFER = 1.5  # on average, of a text of which no two cells are equal
HUGE = 1e150  # the squares of larger numbers would be infinite

#: Kinds of columns, in the order in which they are listed.
KINDS = ("number", "date", "category", "text", "left out")

#: Ways to read dates that can begin with the day or with the month.
ORDERS = ("day-first", "month-first")
ISO = "ISO 8601"
#: Forms of dates, each with its order; with dots, the day comes first everywhere.
FORMS = {ISO: ""} | {
    form + time: order
    for form, order in (
        ("%Y/%m/%d", ""),
        ("%d.%m.%Y", ""),
        ("%d.%m.%y", ""),
        ("%d/%m/%Y", "day-first"),
        ("%m/%d/%Y", "month-first"),
        ("%d-%m-%Y", "day-first"),
        ("%m-%d-%Y", "month-first"),
        ("%d/%m/%y", "day-first"),
        ("%m/%d/%y", "month-first"),
    )
    for time in ("", " %H:%M", " %H:%M:%S")
}
PERIODS = (365.2425, 7, 1)  # days of a year, a week and a day


class Column(NamedTuple):
    """The kind of a column.

    Attributes
    ----------
    name : str
        From the header.
    kind : str
        One of `KINDS`.
    form : str, default=""
        The form of dates: `ISO`, or a format of `datetime.strptime`.
    remark : str, default=""
        Why the column is left out, or which of day and month comes first.
    """

    name: str
    kind: str
    form: str = ""
    remark: str = ""


class NoColumns(ValueError):
    """All columns of a table are left out."""


def find_kinds(table, *, text=(), categorical=(), drop=(), dates=None):
    """Return the kind of each column of a table.

    Parameters
    ----------
    table : DataFrame of str
        From `read_table` or `as_text_table`.
    text, categorical, drop : sequence of str
        Columns that are texts or categories, or are left out, whatever their cells are.
    dates : {"day-first", "month-first"}, default=None
        How to read dates for which both are possible.

    Returns
    -------
    columns : list of Column
        At least one is not left out.

    Raises
    ------
    ValueError
        For a name that is no column or is given two kinds, for an infinite number, for
        dates that can be read in two ways, and for a table whose columns are all left
        out.
    """
    given = {}
    for kind, names in (("text", text), ("category", categorical), ("left out", drop)):
        for name in names:
            cells_of(table, name)
            if given.setdefault(name, kind) != kind:
                raise ValueError(
                    f"the column {name!r} cannot be both {given[name]} and {kind}."
                )
    columns = [
        give_kind(name, cells_of(table, name), given[name])
        if name in given
        else find_kind(name, cells_of(table, name), dates)
        for name in table.columns
    ]
    if all(column.kind == "left out" for column in columns):
        reasons = "; ".join(f"{each.name} ({each.remark})" for each in columns[:20])
        raise NoColumns(f"there is no column to learn from. {reasons}".strip())
    return columns


def give_kind(name, cells, kind):
    """Return a column of the kind that the user gives."""
    if kind == "left out":
        return Column(name, kind, remark="by --drop")
    if kind == "text" and not any(re.search(r"\b\w\w+\b", cell) for cell in cells):
        raise ValueError(f"there are no words in the column {name!r}.")
    return Column(name, kind)


def find_kind(name, cells, dates):
    """Return a column of the kind that its cells have."""
    cells = blank_gaps(cells)
    distinct = {*cells} - {""}
    try:
        numbers = np.array([float(cell or "nan") for cell in cells])
    except ValueError:
        numbers = None
    if len({*cells}) == 1 or (numbers is not None and np.all(numbers == numbers[0])):
        return Column(name, "left out", remark="has one value")
    if numbers is not None:
        if len(numbers) > 2 and np.all(np.diff(numbers) == 1):
            return Column(name, "left out", remark="counts the rows")
        return Column(name, "number")
    form, order = find_date_form(name, distinct, dates)
    if form:
        return Column(name, "date", form, order.replace("-", " "))
    n_known = sum(map(bool, cells))
    n_words = sum(len(cell.split()) for cell in cells) / n_known
    is_varied = len(distinct) > min(N_CATEGORIES, n_known / 2)
    if n_words >= WORDS_OF_A_TEXT and is_varied:
        return Column(name, "text")
    if len(distinct) == len(cells) > N_CATEGORIES:
        if n_words >= WORDS_IF_ALL_DIFFER:
            return Column(name, "text")
        return Column(name, "left out", remark="has another value in each row")
    return Column(name, "category")


def blank_gaps(cells):
    """Return cells without the spaces around them, and with gaps as empty cells."""
    cells = [cell.strip() for cell in cells]
    return ["" if cell.lower() in GAPS else cell for cell in cells]


def find_date_form(name, cells, order):
    """Return the form of dates.

    Parameters
    ----------
    name : str
        The column, for the error.
    cells : set of str
        None of them is empty.
    order : {"day-first", "month-first"} or None
        The order to take if both are possible.

    Returns
    -------
    form : str
        `ISO`, or a format of `datetime.strptime`; empty if the cells are no dates.
    order : str
        Which of day and month comes first; empty for forms that can be read in one way.

    Raises
    ------
    ValueError
        If both orders are possible, give different dates, and no order is given.
    """
    found = {form: days for form in FORMS if (days := read_dates(cells, form))}
    if not found:
        return "", ""
    first, *others = found.values()
    if order is None and any(days != first for days in others):
        raise ValueError(
            f"the dates of the column {name!r}, such as {min(cells)}, can begin with "
            "the day or with the month: choose --dates day-first or --dates "
            "month-first, or leave the column out with --drop."
        )
    forms = [form for form in found if FORMS[form] == order] or [*found]
    return forms[0], FORMS[forms[0]]


def read_dates(cells, form):
    """Return the days since 1970 of dates, or None if a cell has another form."""
    try:
        return [days_since_1970(cell, form) for cell in cells]
    except (ValueError, OverflowError):
        return None


def days_since_1970(cell, form):
    """Return the days since 1970 of a date, which is in UTC unless it has a zone."""
    is_iso = form == ISO
    date = datetime.fromisoformat(cell) if is_iso else datetime.strptime(cell, form)
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return date.timestamp() / 86_400


def read_columns(table, columns):
    """Read the cells of a table by the kinds of its columns.

    Parameters
    ----------
    table : DataFrame of str
        It has all of the columns.
    columns : sequence of Column
        Columns that are left out are ignored.

    Returns
    -------
    values : DataFrame
        Numbers and dates as floats with NaN for gaps, dates as days since 1970; for
        each date the places of the day in the year, the week and the day (0 for gaps);
        categories in small letters, with empty cells for gaps; texts as they are.

    Raises
    ------
    ValueError
        For a column that is missing, and for a cell that is no number or date where the
        column holds them.
    """
    import pandas as pd

    values = {}
    for column in columns:
        cells = cells_of(table, column.name)
        if column.kind == "left out":
            continue
        if column.kind == "category":
            cells = [cell.lower() for cell in blank_gaps(cells)]
        elif column.kind != "text":
            cells = read_cells(blank_gaps(cells), table.index, column)
        values[f"{column.kind}: {column.name}"] = cells
        for period in PERIODS * (column.kind == "date"):
            for f in (np.sin, np.cos):
                place = np.nan_to_num(f(2 * math.pi / period * cells))
                values[f"circle: {column.name} {period} {f.__name__}"] = place
    return pd.DataFrame(values, index=table.index)


def read_cells(cells, rows, column):
    """Return numbers, or dates as days since 1970, as floats with NaN for gaps."""
    known = {"": math.nan}
    for row, cell in zip(rows, cells, strict=True):
        if cell in known:
            continue
        try:
            is_date = column.kind == "date"
            known[cell] = days_since_1970(cell, column.form) if is_date else float(cell)
            if not abs(known[cell]) < HUGE:
                raise ValueError
        except (ValueError, OverflowError):
            what = f"number below {HUGE:g}"
            if column.form:
                what = f"date of the form {column.form}"
            raise ValueError(
                f"row {row}, column {column.name!r}: {cell[:40]!r} is not a {what}."
            ) from None
    return np.array([known[cell] for cell in cells])


def describe_kinds(columns):
    """Return a line for each kind of column, with the names of its columns."""
    lines = []
    for kind in KINDS:
        names = [
            each.name + f" ({each.remark})" * bool(each.remark)
            for each in columns
            if each.kind == kind
        ]
        if names:
            more = f" … ({len(names)} in all)" if len(names) > 8 else ""
            lines.append(f"{kind}: {', '.join(names[:8])}{more}")
    return lines
