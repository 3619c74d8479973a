"""Tables from files and from memory, as DataFrames of text cells.

The index of such a DataFrame numbers the rows from 1, without the header. Every error
about a file is an `OSError`, or a `ValueError` with a sentence for the owner of the
file.
"""

import codecs
import csv
import stat
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.util import find_spec
from io import StringIO

import numpy as np

from ._images import IMAGE_TYPES
from ._references import NEEDS, find_reader

#: Packages that read tables other than CSV, besides pandas.
PACKAGES = {".parquet": "pyarrow", ".xlsx": "openpyxl"}

#: Separators of columns, and their names.
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}


def read_table(path):
    """Read a table.

    Parameters
    ----------
    path : Path
        The end of the name tells Parquet and Excel. Of other files the content tells
        what they are: references (RIS, BibTeX, PubMed, Web of Science, EndNote's XML),
        or otherwise a CSV with a header line. A folder is a table of the images in it,
        with the column "file".

    Returns
    -------
    table : DataFrame of str
        At least one row and one column. Columns without a name are left out.
        ``table.attrs`` has "references", True for a file of references, and "notes",
        sentences on how the file was read.

    Raises
    ------
    ValueError
        If the file holds no such table, or needs a package that is not installed.
    OSError
        If the file cannot be opened.
    """
    if path.is_dir():
        return read_folder(path)
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):  # to open a pipe would wait for a writer
        raise ValueError("only plain files are read, no folder, pipe or device.")
    if status.st_size == 0:
        raise ValueError("the file is empty.")
    suffix, notes, reader = path.suffix.lower(), [], None
    check_package(PACKAGES.get(suffix, "pandas"), suffix)
    if suffix in PACKAGES:
        table = as_text_table(read_binary(path, suffix))
    else:
        text, encoding = decode(path.read_bytes())
        if encoding:
            notes.append(f"The file is not in UTF-8: it is read as {encoding}.")
        if reader := find_reader(text, suffix):
            check_package(NEEDS.get(reader, "pandas"), suffix)
            table = as_text_table(reader(text))
        else:
            table, separator = read_csv(text)
            if separator != ",":
                notes.append(f"The columns are separated by {SEPARATORS[separator]}.")
    if not len(table):
        raise ValueError("there is no row below the header.")
    table.attrs = {"references": reader is not None, "notes": notes}
    return table


def check_package(package, suffix):
    """Raise a ValueError if a package that reads a file is not installed."""
    if find_spec(package.partition(">")[0]) is None:
        raise ValueError(
            f'{suffix} files need {package}: pip install "{package}"; or save the '
            "table as .csv."
        )


def decode(data):
    """Return the text of a file, and its encoding if that is not UTF-8."""
    for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        if data.startswith(mark) and not data.startswith(codecs.BOM_UTF32_LE):
            return data.decode("utf-16"), "UTF-16"
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        if b"\0" in data:
            raise ValueError("this is no text file: it has zero bytes.") from None
        try:
            return data.decode("cp1252"), "Windows-1252"
        except UnicodeDecodeError:
            raise ValueError(
                f"byte {error.start} is neither UTF-8 nor Windows-1252: save the file "
                "as UTF-8."
            ) from None


def read_csv(text):
    """Return the table of a CSV and its separator; the first line names the columns.

    The separator is the one that gives the header most columns, among those with which
    all lines fit; commas come first.
    """
    header = text.lstrip("\r\n").partition("\n")[0]
    counts = {
        each: len(next(csv.reader([header], delimiter=each), ())) for each in SEPARATORS
    }
    likely = sorted(SEPARATORS, key=lambda each: -counts[each])
    tried = [each for each in likely if counts[each] > 1] or [","]
    failed = None
    for separator in tried:
        try:
            return parse_csv(text, separator), separator
        except ValueError as error:
            failed = failed or error
    raise failed


def parse_csv(text, separator):
    """Return the table of a CSV with this separator."""
    import pandas as pd

    try:
        rows = pd.read_csv(
            StringIO(text),
            sep=separator,
            header=None,
            index_col=False,
            dtype=object,
            keep_default_na=False,
            skip_blank_lines=False,  # rows keep the numbers that they have in the file
        )
    except pd.errors.EmptyDataError:
        raise ValueError("the first line names no columns.") from None
    except pd.errors.ParserError as error:
        reason = f"{error}".strip().removeprefix("Error tokenizing data. C error: ")
        raise ValueError(
            f"the file is not a CSV with {SEPARATORS[separator]}: {reason}."
        ) from None
    header, rows = rows.iloc[0].tolist(), rows.iloc[1:]
    # blank lines at the end are no rows
    filled = np.flatnonzero((rows != "").any(axis=1))
    rows = rows.iloc[: filled.max(initial=-1) + 1]
    return name_columns(rows, header)


def read_binary(path, suffix):
    """Read a Parquet or Excel file."""
    import pandas as pd

    try:
        return (pd.read_parquet if suffix == ".parquet" else pd.read_excel)(path)
    except OSError:
        raise
    except Exception as error:  # a dozen kinds, from zipfile, XML and Arrow
        reason = f"{error}".partition("\n")[0][:200]
        raise ValueError(f"pandas cannot read this {suffix} file: {reason}") from None


def read_folder(path):
    """Return the names of the images in a folder as a table."""
    import pandas as pd

    names = sorted(
        each.name for each in path.iterdir() if each.suffix.lower() in IMAGE_TYPES
    )
    if not names:
        ends = ", ".join(IMAGE_TYPES)
        raise ValueError(f"the folder holds no images: no file ends in {ends}.")
    table = name_columns(pd.DataFrame(names, dtype=object), ["file"])
    table.attrs = {"references": False, "notes": []}
    return table


def as_text_table(rows):
    """Return rows in memory as a table of text cells.

    Parameters
    ----------
    rows : DataFrame or dict of str to sequence
        The cells of each column.

    Raises
    ------
    TypeError
        If the columns have no names.
    ValueError
        If there is no row, or the columns differ in length.
    """
    import pandas as pd

    if isinstance(rows, Mapping):
        rows = {name: pd.Series([*cells], dtype=object) for name, cells in rows.items()}
        check_lengths(rows)
        rows = pd.DataFrame(rows)
    elif not (hasattr(rows, "columns") and hasattr(rows, "items")):
        raise TypeError(
            "rows need columns with names: a DataFrame, or a dict of columns, got "
            f"{type(rows).__name__}."
        )
    rows = pd.DataFrame(rows)
    if not len(rows):
        raise ValueError("there is no row.")
    cells = {
        k: [
            "" if is_missing else cell_text(cell)
            for cell, is_missing in zip(column, column.isna(), strict=True)
        ]
        for k, (_, column) in enumerate(rows.items())
    }
    # pandas calls columns with an empty header cell "Unnamed: 0"
    header = ["" if f"{n}".startswith("Unnamed: ") else f"{n}" for n in rows.columns]
    return name_columns(pd.DataFrame(cells, dtype=object), header)


def cell_text(value):
    """Return the text of a cell in a CSV file."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))  # pandas makes floats of whole numbers beside gaps
    return str(value)


def name_columns(rows, header):
    """Return rows with the names of the columns and numbers from 1.

    Control characters in the names are removed: names are printed at terminals.
    """
    names = [
        "".join(filter(str.isprintable, " ".join(name.split()))) for name in header
    ]
    named = [k for k, name in enumerate(names) if name]
    if not named:
        raise ValueError("the first line names no columns.")
    rows = rows.iloc[:, named]
    rows.columns = [names[k] for k in named]
    repeated = rows.columns[rows.columns.duplicated()]
    if len(repeated):
        raise ValueError(f"the header names the column {repeated[0]!r} twice.")
    rows.index = range(1, len(rows) + 1)
    return rows


def cells_of(table, name):
    """Return a column of a table as a list; raise a ValueError if there is none."""
    if name not in table.columns:
        close = get_close_matches(name, table.columns, 1, 0.5)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(
            f"there is no column {name!r}.{hint} {list_columns(table.columns)}"
        )
    return table[name].tolist()


def check_lengths(columns):
    """Refuse columns, by name, that differ in length."""
    if len({*map(len, columns.values())}) > 1:
        raise ValueError("the columns have different numbers of cells.")


def list_columns(names):
    """Return a sentence with the names of the first columns."""
    shown = ", ".join(names[:20]) + (" …" if len(names) > 20 else "")
    return f"The columns (separated by commas) are: {shown}"


def joined_texts(table, names, captions=False):
    """Return the texts of several columns as one text for each row.

    Parameters
    ----------
    table : DataFrame of str
        The rows.
    names : sequence of str
        The columns. Blank cells are left out.
    captions : bool, default=False
        Whether the name of its column stands before each text, if there are several.
    """
    columns = [cells_of(table, name) for name in names]
    if len(columns) == 1:
        return columns[0]
    starts = [f"{name}: " if captions else "" for name in names]
    return [
        "\n\n".join(
            start + text
            for start, text in zip(starts, texts, strict=True)
            if text.strip()
        )
        for texts in zip(*columns, strict=True)
    ]
