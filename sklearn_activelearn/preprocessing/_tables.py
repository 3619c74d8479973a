"""Tables from files and from memory, as DataFrames of text cells.

The index of such a DataFrame numbers the rows from 1, without the header. Every error
about a file is an `OSError`, or a `ValueError` with a sentence for the owner of the
file.
"""

import stat
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.util import find_spec

import numpy as np

from ._images import IMAGE_TYPES
from ._references import READERS

#: Packages that read tables other than CSV, besides pandas.
PACKAGES = {
    ".parquet": "pyarrow",
    ".xlsx": "openpyxl",
    ".ris": "rispy",
    ".bib": "bibtexparser>=2",
}


def read_table(path):
    """Read a table.

    Parameters
    ----------
    path : Path
        The end of the name tells what the file is: Parquet, Excel, RIS, BibTeX, or
        otherwise a CSV in UTF-8 with a header line. A folder is a table of the images
        in it, with the column "file".

    Returns
    -------
    table : DataFrame of str
        At least one row and one column. Columns without a name are left out.

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
    suffix = path.suffix.lower()
    package = PACKAGES.get(suffix, "pandas")  # for CSV
    if find_spec(package.partition(">")[0]) is None:
        raise ValueError(
            f'{suffix} files need {package}: pip install "{package}"; or save the '
            "table as .csv."
        )
    if suffix in READERS:
        text = path.read_text(encoding="utf-8-sig")
        table = as_text_table(READERS[suffix](text))
    elif suffix in PACKAGES:
        table = as_text_table(read_binary(path, suffix))
    else:
        table = read_csv(path)
    if not len(table):
        raise ValueError("there is no row below the header.")
    return table


def read_csv(path):
    """Read a CSV, whose first line names the columns."""
    import pandas as pd

    try:
        rows = pd.read_csv(
            path,
            header=None,
            index_col=False,
            dtype=object,
            keep_default_na=False,
            skip_blank_lines=False,  # rows keep the numbers that they have in the file
            encoding="utf-8-sig",
        )
    except pd.errors.EmptyDataError:
        raise ValueError("the first line names no columns.") from None
    except pd.errors.ParserError as error:
        reason = f"{error}".strip().removeprefix("Error tokenizing data. C error: ")
        raise ValueError(f"the file is not a CSV with commas: {reason}.") from None
    header, rows = rows.iloc[0].tolist(), rows.iloc[1:]
    # blank lines at the end are no rows
    filled = np.flatnonzero((rows != "").any(axis=1))
    rows = rows.iloc[: filled.max(initial=-1) + 1]
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            raise ValueError(
                f"the columns are separated by {name}, not by commas: save the table "
                "with commas, or as .xlsx."
            )
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
    return name_columns(pd.DataFrame(names, dtype=object), ["file"])


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
        if len({*map(len, rows.values())}) > 1:
            raise ValueError("the columns have different numbers of cells.")
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
