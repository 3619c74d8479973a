"""The kinds of the columns of a table: numbers, dates, categories, texts.

The kind of a column follows from all of its cells, or the user gives it. No label is
used. Dates are read in one form for a whole column; whether the day or the month comes
first is never guessed.
"""

import math
import re
from collections import Counter
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from ._tables import FILE, GAPS, cells_of

N_CATEGORIES = 30  # of a column; the rare ones share one
WORDS_OF_A_TEXT = 3  # on average
WORDS_IF_ALL_DIFFER = 1.5  # on average, of a text of which no two cells are equal
HUGE = 1e150  # the squares of larger numbers would be infinite

#: Kinds of columns, in the order in which they are listed.
KINDS = ("number", "date", "category", "text", "left out")

#: Days as numbers, such as 20240131; ISO 8601 has them.
DAY = r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
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

#: Marks before the decimals of numbers, by name.
DECIMALS = {"point": ".", "comma": ","}
#: Forms of numbers: the marks before decimals and between thousands ("_" for none),
#: before the unit.
NUMBERS = ("._", ".,", ". ", ".'", ",_", ",.", ", ", ",'")
#: Names of the marks between thousands.
THOUSANDS = {
    ",": "commas between thousands",
    ".": "points between thousands",
    " ": "spaces between thousands",
    "'": "apostrophes between thousands",
}
#: What stands before or behind a number.
UNIT = (
    r"(?:%|‰|[$€£¥₹₩₽₺₴₪]|[AC]\$|US\$|R\$|kr\.?|zł|Kč|Ft|Rs\.?|EUR|USD|GBP|JPY|CHF|"
    r"CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|KRW|TRY|RUB|SGD|HKD)"
)
#: A number with its unit, which accounts put in brackets if it is negative.
NUMBER = re.compile(
    rf"(\(?)([+-]?) ?({UNIT}?) ?([+-]?)(\d[\d.,' eE+-]*|[.,]\d+) ?({UNIT}?)(\)?)"
)
#: Other spaces, minus signs and apostrophes.
PLAIN_MARKS = str.maketrans("\u00a0\u2009\u202f−’", "   -'")


class Column(NamedTuple):
    """The kind of a column.

    Attributes
    ----------
    name : str
        From the header.
    kind : str
        One of `KINDS`.
    form : str, default=""
        The form of dates: `ISO`, or a format of `datetime.strptime`. The form of
        numbers, if Python does not read them: one of `NUMBERS` and the unit.
    remark : str, default=""
        Why the column is left out, which of day and month comes first, how numbers
        are written, or which cells are no numbers.
    """

    name: str
    kind: str
    form: str = ""
    remark: str = ""


class NoColumns(ValueError):
    """All columns of a table are left out."""


def find_kinds(
    table, *, text=(), categorical=(), drop=(), dates=None, decimal=None, gaps=()
):
    """Return the kind of each column of a table.

    Parameters
    ----------
    table : DataFrame of str
        From `read_table` or `as_text_table`.
    text, categorical, drop : sequence of str
        Columns that are texts or categories, or are left out, whatever their cells are.
    dates : {"day-first", "month-first"}, default=None
        How to read dates for which both are possible.
    decimal : {"point", "comma"}, default=None
        How to read numbers for which both are possible.
    gaps : sequence of str, default=()
        Cells that stand for "not known", beside `GAPS`.

    Returns
    -------
    columns : list of Column
        At least one is not left out.

    Raises
    ------
    ValueError
        For a name that is no column or is given two kinds, for an infinite number, for
        dates and numbers that can be read in two ways, and for a table whose columns
        are all left out.
    """
    given = {}
    for kind, names in (("text", text), ("category", categorical), ("left out", drop)):
        for name in names:
            cells_of(table, name)
            if given.setdefault(name, kind) != kind:
                raise ValueError(
                    f"the column {name!r} cannot be both {given[name]} and {kind}."
                )
    cells = {name: blank_gaps(table[name], gaps) for name in table.columns}
    forms = find_number_forms(
        {name: {*cells[name]} - {""} for name in cells if name not in given}, decimal
    )
    columns = [
        give_kind(name, table[name], given[name])
        if name in given
        else find_kind(name, cells[name], dates, forms[name])
        for name in table.columns
    ]
    if all(column.kind == "left out" for column in columns):
        reasons = "; ".join(f"{each.name} ({each.remark})" for each in columns[:20])
        raise NoColumns(f"there is no column to learn from. {reasons}".strip())
    return columns


def give_kind(name, cells, kind):
    """Return a column of the kind that the user gives."""
    if kind == "left out":
        remark = "names the file" if name == FILE else "by --drop"
        return Column(name, kind, remark=remark)
    if kind == "text" and not any(re.search(r"\b\w\w+\b", cell) for cell in cells):
        raise ValueError(f"there are no words in the column {name!r}.")
    return Column(name, kind)


def find_kind(name, cells, dates, number_form):
    """Return a column of the kind that its cells, with blank gaps, have."""
    distinct, numbers = {*cells} - {""}, None
    if not distinct:
        return Column(name, "left out", remark="is empty")
    are_days = len(distinct) > 2 and all(re.fullmatch(DAY, cell) for cell in distinct)
    if are_days and read_dates(distinct, ISO):
        return Column(name, "date", ISO)
    if number_form is not None:
        if number_form:
            numbers = np.array([read_number(cell, number_form) for cell in cells])
        else:
            numbers = np.array([float(cell or "nan") for cell in cells])
    if len({*cells}) == 1 or (numbers is not None and np.all(numbers == numbers[0])):
        return Column(name, "left out", remark="has one value")
    if numbers is not None:
        if len(numbers) > 2 and np.all(np.diff(numbers) == 1):
            return Column(name, "left out", remark="counts the rows")
        remark = describe_number_form(number_form)
        return Column(name, "number", number_form, remark)
    form, order = find_date_form(name, distinct, dates)
    if form:
        return Column(name, "date", form, order.replace("-", " "))
    n_known = sum(map(bool, cells))
    n_words = sum(len(cell.split()) for cell in cells) / n_known
    is_varied = len(distinct) > min(N_CATEGORIES, n_known / 2)
    if n_words >= WORDS_OF_A_TEXT and is_varied:
        return Column(name, "text")
    remark = describe_mixed_numbers(Counter(filter(None, cells)))
    if len(distinct) == len(cells) > N_CATEGORIES:
        if n_words >= WORDS_IF_ALL_DIFFER:
            return Column(name, "text")
        remark = "; ".join(filter(None, ("has another value in each row", remark)))
        return Column(name, "left out", remark=remark)
    return Column(name, "category", remark=remark)


def describe_mixed_numbers(counts):
    """Return why cells, of which most are numbers, are not read as numbers; or "".

    Parameters
    ----------
    counts : Counter
        Number of cells with each text.
    """
    others, n_others, n_cells = [], 0, counts.total()
    for cell, n in counts.items():
        if not possible_forms([cell]):
            others.append(repr(cell[:20]))
            n_others += n
        if n_others >= n_cells / 2:
            return ""
    if not others:
        return "numbers in different forms"
    words = " and ".join(others[:3])
    return f"{n_cells - n_others} numbers but not {words}: --gaps"


def blank_gaps(cells, gaps=()):
    """Return cells without the spaces around them, and with gaps as empty cells."""
    gaps = GAPS | {f"{gap}".strip().lower() for gap in gaps}
    cells = [cell.strip() for cell in cells]
    return ["" if cell.lower() in gaps else cell for cell in cells]


def find_number_forms(columns, decimal=None):
    """Return the form of the numbers in each column, None for columns of other cells.

    A form is taken if all cells of the column have it. "1,234" is read as thousands,
    unless other columns of the table have decimal commas.

    Parameters
    ----------
    columns : dict of str to set of str
        Different cells of each column, without gaps.
    decimal : {"point", "comma"}, default=None
        What stands before decimals where both are possible.

    Raises
    ------
    ValueError
        If a column with "1,234" also has numbers beyond 999 without a comma.
    """
    forms = {name: possible_forms(cells) for name, cells in columns.items()}
    sure = {
        mark_of(each[0])
        for name, each in forms.items()
        if len({*map(mark_of, each)}) == 1
        and any({".", ","} & {*cell} for cell in columns[name])
    }
    mark = DECIMALS.get(decimal) or "".join(sure if len(sure) == 1 else ())
    found = {}
    for name, each in forms.items():
        own = [form for form in each if mark_of(form) == mark]
        is_clear = not any(re.search(r"\d{4}", cell) for cell in columns[name])
        has_commas = bool(each) and each[0][1:2] == ","
        if own and (decimal or is_clear or has_commas):
            each = own
        elif has_commas and len(each) > 1 and not is_clear:
            raise ValueError(
                f"the numbers of the column {name!r}, such as "
                f"{min(cell for cell in columns[name] if ',' in cell)}, can have "
                "thousands or decimals behind the comma: choose --decimal point or "
                "--decimal comma, or leave the column out with --drop."
            )
        found[name] = each[0] if each else None
    return found


def possible_forms(cells):
    """Return the forms that all cells have, with decimal points first."""
    if any("_" in cell for cell in cells):
        return []  # codes: only in the source of programs are they numbers
    try:
        [float(cell) for cell in cells]
    except ValueError:
        pass
    else:  # points may stand between thousands
        can_be = any("." in cell for cell in cells) and has_form(cells, ",.")
        return ["", ",."] if can_be else [""]
    split = []
    for cell in cells:
        split.append(split_number(cell))
        if split[-1] is None or split[-1][0] != split[0][0]:
            return []
    bodies = [body for _, body in split]
    marks = {*"".join(bodies)}
    return [
        form + split[0][0]
        for form in NUMBERS
        if form[1] in marks | {"_"}
        and (form[0] in marks or form[0] == "." or form[1] != "_")
        and has_form(bodies, form)
    ]


def has_form(bodies, form):
    """Return True if all numbers have the marks of a form."""
    pattern = re.compile(number_pattern(form))
    return all(map(pattern.fullmatch, bodies))


def mark_of(form):
    """Return the mark before decimals in a form of numbers."""
    return form[:1] or "."


def number_pattern(form):
    """Return the pattern of numbers with the marks of a form."""
    mark, thousands = map(re.escape, form[:2])
    whole = rf"(?:[1-9]\d{{0,2}}(?:{thousands}\d{{3}})+|\d+)"
    return rf"[+-]?(?:{whole}(?:{mark}\d*)?|{mark}\d+)(?:[eE][+-]?\d+)?"


def split_number(cell):
    """Return the unit of a number and the number with its marks, None for other cells.

    Accounts have negative numbers in brackets.
    """
    match = NUMBER.fullmatch(cell.translate(PLAIN_MARKS))
    if not match or bool(match[1]) != bool(match[7]) or (match[3] and match[6]):
        return None
    sign = "-" if match[1] else match[2] or match[4]
    return match[3] + match[6], sign + match[5].strip()


def read_number(cell, form):
    """Return the number in a cell of this form, NaN for a gap.

    Raises
    ------
    ValueError
        If the cell has another form.
    """
    if not (cell and form):
        return float(cell or "nan")
    unit, body = split_number(cell) or ("", "")
    if unit != form[2:] or not re.fullmatch(number_pattern(form), body):
        raise ValueError
    return float(body.replace(form[1], "").replace(form[0], "."))


def describe_number_form(form):
    """Return how numbers are written, "" if as in Python."""
    parts = (
        "decimal comma" * (form[:1] == ","),
        THOUSANDS.get(form[1:2], ""),
        f"in {form[2:]}" * bool(form[2:]),
    )
    return "; ".join(filter(None, parts))


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


def read_columns(table, columns, gaps=()):
    """Read the cells of a table by the kinds of its columns.

    Parameters
    ----------
    table : DataFrame of str
        It has all of the columns.
    columns : sequence of Column
        Columns that are left out are ignored.
    gaps : sequence of str, default=()
        Cells that stand for "not known", beside `GAPS`.

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
            cells = [cell.lower() for cell in blank_gaps(cells, gaps)]
        elif column.kind != "text":
            cells = read_cells(blank_gaps(cells, gaps), table.index, column)
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
            read = days_since_1970 if column.kind == "date" else read_number
            known[cell] = read(cell, column.form)
            if not abs(known[cell]) < HUGE:
                raise ValueError
        except (ValueError, OverflowError):
            what = f"number below {HUGE:g}"
            if column.kind == "date":
                what = f"date of the form {column.form}"
            elif column.form:
                what = f"number with {describe_number_form(column.form)}"
            raise ValueError(
                f"row {row}, column {column.name!r}: {cell[:40]!r} is not a {what}."
            ) from None
    return np.array([known[cell] for cell in cells])


def describe_kinds(columns):
    """Return a line for each kind of column, with the names of its columns.

    Numbers that are written in another way than Python's have a line of their own.
    """
    names = {kind: [] for kind in KINDS}
    for each in columns:
        remark = f" ({each.remark})" * bool(each.remark)
        if each.kind == "number":
            names.setdefault(f"number{remark}", []).append(each.name)
        else:
            names[each.kind].append(f"{each.name}{remark}")
    lines = []
    for kind in sorted(names, key=lambda each: KINDS.index(each.partition(" (")[0])):
        found = names[kind]
        more = f" … ({len(found)} in all)" if len(found) > 8 else ""
        lines += [f"{kind}: {', '.join(found[:8])}{more}"] if found else []
    return lines
