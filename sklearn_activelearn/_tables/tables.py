"""Tables as text: CSV, references, and what pandas reads (Parquet, Excel).

Every error is a `ValueError` whose message is one sentence for the owner of the file,
or an `OSError`.
"""

import csv
from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from . import limits
from .limits import BoundedLines, TooLarge, check_plain_file, check_room
from .references import REFERENCES, read_references

CELL = 64  # bytes that a short text takes
EXCEL = (".xlsx", ".xls")

#: What tables other than CSV are read with, besides pandas.
BINARY = {".parquet": "pyarrow", ".xlsx": "openpyxl", ".xls": "xlrd"}


class Table(NamedTuple):
    """The cells of a table, as text.

    Attributes
    ----------
    path : Path
        The file.
    columns : dict of str to list of str
        The cells of each column that has a name.
    lines : sequence of int
        The line of the file on which each row ends; of a reference, its number; for
        other files, the number of the row, the header being the first.
    n_unnamed : int
        Columns without a name, which are not among `columns`.
    """

    path: Path
    columns: dict
    lines: list
    n_unnamed: int

    def cells(self, name):
        """Return a column, or say which ones there are."""
        if name not in self.columns:
            raise ValueError(no_column(name, list(self.columns)))
        return self.columns[name]


def read_table(path):
    """Return the cells of a table; columns without a name (row counters) are left out.

    Parameters
    ----------
    path : Path
        Parquet, Excel, RIS or BibTeX by the end of its name, anything else is a CSV in
        UTF-8, which has a header line.

    Returns
    -------
    table : Table
        At least one column and one row.

    Raises
    ------
    ValueError
        For a file that holds no such table, or takes more than a quarter of the
        memory; for one that needs a package which is not installed.
    OSError
        For a file that cannot be opened.
    """
    check_plain_file(path)
    suffix = path.suffix.lower()
    read = read_binary if suffix in BINARY else read_csv
    if suffix in REFERENCES:
        read = read_references
    header, columns, lines = read(path)
    if not lines:
        raise ValueError("there is no row below the header.")
    named = {name: cells for name, cells in zip(header, columns, strict=True) if name}
    return Table(path, named, lines, header.count(""))


def table_of(rows):
    """Return rows that are in memory as a table of texts.

    Parameters
    ----------
    rows : Table, DataFrame or dict of str to sequence
        The cells of each column.

    Raises
    ------
    TypeError
        For anything else: columns need names.
    ValueError
        For no row, and for columns of different lengths.
    """
    if isinstance(rows, Table):
        return rows
    if hasattr(rows, "columns") and hasattr(rows, "items"):
        columns = cells_of_frame(rows)
    elif isinstance(rows, Mapping):
        columns = [[as_text(value) for value in cells] for cells in rows.values()]
    else:
        raise TypeError(
            "rows need columns with names: a DataFrame, or a dict of columns, got "
            f"{type(rows).__name__}."
        )
    names = [f"{name}" for name in rows]
    check_header(names)
    if len({*map(len, columns)}) > 1:
        raise ValueError("the columns have different numbers of cells.")
    if not columns[0]:
        raise ValueError("there is no row.")
    lines = range(2, len(columns[0]) + 2)
    return Table(Path(), dict(zip(names, columns, strict=True)), lines, 0)


def table_with(rows, names):
    """Return rows as a table that has these columns, or say which one it has not."""
    table = table_of(rows)
    for name in names:
        table.cells(name)
    return table


def joined_texts(table, names):
    """Return the texts of several columns as one for each row."""
    columns = [table.cells(name) for name in names]
    if len(columns) == 1:
        return columns[0]
    rows = zip(*columns, strict=True)
    return ["\n\n".join(filter(str.strip, texts)) for texts in rows]


def read_csv(path):
    """Return the header, the cells of each column and the line of each row."""
    with path.open(newline="", encoding="utf-8-sig") as file, long_cells():
        reader = csv.reader(BoundedLines(file, ",", CELL))
        try:
            header = [name.strip() for name in next(reader, [])]
            check_header(header)
            rows, lines = [], []
            for cells in filter(None, reader):
                if len(cells) != len(header):
                    raise ValueError(
                        f"line {reader.line_num} has {len(cells)} cells, but the "
                        f"header has {len(header)}."
                    )
                rows.append(cells)
                lines.append(reader.line_num)
        except UnicodeDecodeError:
            raise ValueError(
                "this is no text in UTF-8: save it as CSV in UTF-8, or as .xlsx."
            ) from None
        except csv.Error as error:
            raise ValueError(f"line {reader.line_num}: {error}") from None
    return header, [list(cells) for cells in zip(*rows, strict=True)] or header, lines


@contextmanager
def long_cells():
    """Let a cell be as long as a line may be, and not 128 KiB."""
    limit = csv.field_size_limit(limits.LONGEST_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def read_binary(path):
    """Return the same of a file that pandas reads."""
    suffix = path.suffix.lower()
    try:
        import pandas as pd

        if suffix not in EXCEL:
            check_parquet_room(path)
        frame = pd.read_excel(path) if suffix in EXCEL else pd.read_parquet(path)
    except ImportError:
        raise ValueError(
            f"{suffix} files need pandas and {BINARY[suffix]}: pip install pandas "
            f"{BINARY[suffix]}; or save the table as .csv."
        ) from None
    except (OSError, TooLarge):
        raise
    except Exception as error:  # a dozen kinds, from zipfile, XML and Arrow
        reason = f"{error}".partition("\n")[0][:200]
        raise ValueError(f"pandas cannot read this {suffix} file: {reason}") from None
    check_room(CELL * frame.size, "its cells")
    header = [
        # what pandas calls cells of the header line that are empty
        "" if f"{name}".startswith("Unnamed: ") else f"{name}".strip()
        for name in frame.columns
    ]
    check_header(header)
    return header, cells_of_frame(frame), range(2, len(frame) + 2)


def cells_of_frame(frame):
    """Return the cells of each column of a DataFrame as text."""
    return [
        [as_text(value) for value in column.astype(object).where(column.notna(), None)]
        for _, column in frame.items()
    ]


def check_parquet_room(path):
    """Refuse a file by what its metadata says, before it is decoded.

    Equal cells take next to nothing in the file.
    """
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(path)
    check_room(CELL * metadata.num_rows * metadata.num_columns, "its cells")


def as_text(value):
    """Return a cell as it would stand in a CSV."""
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))  # whole numbers beside gaps
    return str(value)


def check_header(header):
    """Refuse a header that names no columns, or one twice."""
    named = list(filter(None, header))
    if not named:
        raise ValueError("the first line names no columns.")
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            raise ValueError(
                f"its columns are separated by {name}, not by commas: save it with "
                "commas, or as .xlsx."
            )
    repeated = [name for name, count in Counter(named).items() if count > 1]
    if repeated:
        raise ValueError(f"the header names the column {repeated[0]!r} twice.")


def no_column(name, header):
    """Return a sentence for a column that is not there, with those that are."""
    close = get_close_matches(name, header, 1, 0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"there is no column {name!r}.{hint} {columns_of(header)}"


def columns_of(header):
    """Return a sentence with the names of the first columns."""
    shown = ", ".join(header[:20]) + (" …" if len(header) > 20 else "")
    return f"The columns (separated by commas) are: {shown}"
