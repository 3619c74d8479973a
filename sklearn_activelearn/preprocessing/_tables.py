"""Tables from files and from memory, as DataFrames of text cells.

The index of such a DataFrame numbers the rows from 1, without the header. Every error
about a file is an `OSError`, or a `ValueError` with a sentence for the owner of the
file.
"""

import csv
import json
import re
import stat
from collections.abc import Mapping
from datetime import datetime, time
from difflib import get_close_matches
from importlib.util import find_spec
from io import StringIO

import numpy as np

from ..sources import to_pandas
from ._image_files import IMAGE_TYPES
from ._references import NEEDS, SAME_COLUMNS, find_reader, name_lines, to_columns
from ._text_files import decode

#: Packages that read tables other than CSV, besides pandas.
PACKAGES = {".parquet": "pyarrow", ".xlsx": "openpyxl"}

#: Separators of columns, and their names.
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}

#: Cells that stand for "not known", in small letters.
GAPS = {
    "", "?", "-", "--", "–", "—", ".", "..", "...", "na", "n/a", "n.a.", "n. a.",
    "#n/a", "#na", "#nv", "<na>", "nan", "nil", "none", "null", "missing", "#div/0!",
    "#value!", "#ref!", "#name?", "#num!", "#null!",
}  # fmt: skip

#: Cells that are hardly names of columns: decimals, years, DOIs, sentences.
LIKE_DATA = (
    r"^-?\d+[.,]\d+$|^(1[89]|20)\d\d$|\b10\.\d{4,}/|(\w+\W+){7}(?<!\?)$|(\w+\W+){10}"
)

#: Cells that are written as numbers.
LIKE_NUMBER = r"\W*\d[\d., '\u00a0\u202f]*\W*"

#: Beginnings of files that are no tables, and what to do.
OTHER_FILES = {
    b"PK\3\4": "a zip archive or a spreadsheet: unpack it, or save the sheet as .xlsx",
    b"\xd0\xcf\x11\xe0": "an Excel file of the old kind: save it as .xlsx",
    b"\x1f\x8b": "compressed: unpack it",
    b"PAR1": "a Parquet file: let its name end in .parquet",
    b"%PDF": "a PDF: save its table as .csv",
}


#: Name of the column with the file of a row, if there are several files.
FILE = "source file"

#: Ends of names of files of JSON: an array of objects, or an object on each line.
JSON = (".json", ".jsonl", ".ndjson")


def read_table(path, encoding=None):
    """Read a table.

    Parameters
    ----------
    path : Path
        The end of the name tells Parquet, Excel and JSON. Of other files the content
        tells what they are: references (RIS, BibTeX, PubMed, Web of Science, EndNote),
        JSON, or otherwise a CSV with a header line. A folder is a table of the images
        in it, with the column "file".
    encoding : str, default=None
        The encoding of a file of text. None: UTF-8, or what the bytes look like.

    Returns
    -------
    table : DataFrame of str
        At least one row and one column. Columns without a name get one, except those
        that are empty or number the rows. ``table.attrs`` has "references", True for a
        file of references, and "notes", sentences on how the file was read.

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
    suffix, reader = path.suffix.lower(), None
    check_package(PACKAGES.get(suffix, "pandas"), suffix)
    if suffix in PACKAGES:
        table, notes = read_binary(path, suffix)
    else:
        data = path.read_bytes()
        for start, advice in OTHER_FILES.items():
            if data.startswith(start):
                raise ValueError(f"the file is {advice}.")
        text, notes = decode(data, encoding)
        if re.match(r"(?i)\s*<(!doctype html|html|table)\b", text):
            raise ValueError(
                "the file is a page of HTML: open it in a spreadsheet, and save it as "
                ".xlsx or .csv."
            )
        is_json = re.match(r"\s*(\[\s*)?\{\s*[\"}]", text) and suffix != ".csv"
        if suffix in JSON or is_json:
            table = as_text_table(to_columns(read_json(text)))
        elif reader := find_reader(text, suffix):
            check_package(NEEDS.get(reader, "pandas"), suffix)
            references, damages = reader(text)
            table, notes = as_text_table(to_columns(references)), notes + damages
        else:
            table, more = read_csv(text)
            notes += more
    if not len(table):
        raise ValueError("there is no row below the header.")
    table.attrs = {"references": reader is not None, "notes": notes}
    return table


def join_tables(tables):
    """Return the rows of several files as one table, with their files in a column.

    Parameters
    ----------
    tables : dict of str to DataFrame of str
        Tables of `read_table`, by the name of the file. Columns whose names differ in
        capital letters alone are one column, and so are "Article title" and "TI".
    """
    import pandas as pd

    names, parts, notes = {}, [], []
    for file, table in tables.items():
        first = parts[-1].index[-1] + 1 if parts else 1
        numbers = range(first, first + len(table))
        renamed = {}
        for name in table:
            known = names.setdefault(SAME_COLUMNS.get(name.lower(), name.lower()), name)
            renamed[name] = name if known in renamed.values() else known
        part = table.rename(columns=renamed).set_axis(numbers)
        parts.append(part.assign(**{FILE: file}))
        notes += [f"{file}: {note}" for note in table.attrs["notes"]]
        notes.append(f"{file} has the rows {numbers[0]:,} to {numbers[-1]:,}.")
    joined = pd.concat(parts).fillna("").astype(object)
    has_references = any(table.attrs["references"] for table in tables.values())
    joined.attrs = {"references": has_references, "notes": notes}
    return joined


def check_package(package, suffix):
    """Raise a ValueError if a package that reads a file is not installed."""
    if find_spec(package.partition(">")[0]) is None:
        raise ValueError(
            f'{suffix} files need {package}: pip install "{package}"; or save the '
            "table as .csv."
        )


def read_json(text):
    """Return the rows of a JSON array of objects, or of a line of JSON for each row.

    Cells are as the file has them. Nested values are refused.
    """
    options = {"parse_float": str, "parse_int": str, "object_pairs_hook": unique_names}
    try:
        rows = json.loads(text, **options)
        rows = rows if isinstance(rows, list) else [rows]
    except json.JSONDecodeError as whole:
        if text.lstrip().startswith("["):
            raise ValueError(f"the file is not JSON: {whole}.") from None
        rows = []
        for number, line in enumerate(text.split("\n"), 1):
            try:
                rows += [json.loads(line, **options)] if line.strip() else []
            except json.JSONDecodeError as error:
                raise ValueError(f"line {number} is not JSON: {error}.") from None
    if not rows:
        raise ValueError("there is no row in this file.")
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise ValueError(
                f"row {number} is no object: rows are needed as {{column: value}}."
            )
        for name, value in row.items():
            if isinstance(value, dict | list):
                raise ValueError(
                    f"row {number}: {name!r} holds several values. Rows need one text "
                    "or number for each column: write the file without nesting. Labels "
                    "of another tool are read with --import."
                )
            text = {None: "", True: "true", False: "false"}.get(value, value)
            row[name] = text
    return rows


def unique_names(pairs):
    """Return a JSON object as a dict; refuse a name that comes twice."""
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"a row has {twice!r} twice.")
    return row


def read_csv(text):
    """Return the table of a CSV, and sentences; the first line names the columns.

    The separator is the one that gives the header most columns, among those with which
    all lines have the same number of cells, or else fit; commas come first. A first
    line "sep=;" names it.
    """
    text = text.lstrip("\n")
    header, _, below = text.partition("\n")
    if given := re.fullmatch(r'"?sep=(.)"?', header.strip(" "), re.I):
        text, likely = below, [given[1]]
    else:
        counts = {
            each: len(next(csv.reader([header], delimiter=each), ()))
            for each in SEPARATORS
        }
        likely = sorted(SEPARATORS, key=lambda each: -counts[each])
        likely = [each for each in likely if counts[each] > 1] or [","]
    fitting = []
    if len(likely) > 1:
        fitting = [each for each in likely if has_equal_lines(text, each)]
    failed = None
    for separator in sorted(likely, key=lambda each: each not in fitting):
        try:
            table, notes = parse_csv(text, separator)
        except ValueError as error:
            failed = failed or error
            continue
        others = [each for each in fitting if each != separator]
        if separator != "," or others:
            name = SEPARATORS.get(separator, repr(separator))
            notes.insert(0, f"The columns are separated by {name}.")
        if others:
            notes[0] += (
                f" {SEPARATORS[others[0]].capitalize()} fit all lines, too: if they "
                f'are right, put a line "sep={others[0]}" above the header.'
            )
        return table, notes
    raise failed


def has_equal_lines(text, separator):
    """Return True if all lines have the same number of cells with a separator."""
    try:
        return len({len(row) for _, row in split_rows(text, separator) if row}) == 1
    except ValueError:
        return False


def parse_csv(text, separator):
    """Return the table of a CSV with this separator, and sentences on short lines."""
    import pandas as pd

    rows = split_rows(text, separator)
    if not rows or not rows[0][1]:
        raise ValueError("the first line names no columns.")
    header, short = rows.pop(0)[1], []
    widest = max((len(row) for _, row in rows), default=len(header))
    while len(header) > widest > 0 and not header[-1]:
        header.pop()
    if len(header) > widest > 0 and "" in header:
        raise ValueError(
            f"the header has {len(header)} cells, one of them empty, and the rows have "
            f"{widest}: name each column."
        )
    for line, row in rows:
        if len(row) > len(header):
            name = SEPARATORS.get(separator, repr(separator))
            raise ValueError(
                f"the file is not a CSV with {name}: line {line} has {len(row)} cells, "
                f"and the header {len(header)}. Delete lines above the header, if "
                f"there are any; texts with {name} in them need quotes around them."
            )
        if row and len(row) < len(header):
            short.append(line)
            row += [""] * (len(header) - len(row))
    notes = name_lines("Rows with fewer cells than the header end in empty ones", short)
    cells = [row or [""] * len(header) for _, row in rows]
    table = pd.DataFrame(cells, columns=range(len(header)), dtype=object)
    table = name_columns(drop_blank_end(table), header)
    return table, notes + describe_doubtful_header(table)


def describe_doubtful_header(table):
    """Return sentences on names that may be a row, and on rows that may be names."""
    notes, names, head = [], [*table.columns], table.head(20)
    is_line = len(names) == 1 and " " in names[0]  # perhaps of a list without a header
    if is_line or any(re.search(LIKE_DATA, name) for name in names):
        notes.append(
            "The first line is read as names of columns. If it is a row, put a line "
            f"with names above it: {', '.join(names)[:300]}"
        )
    if len(names) == 1 and (mark := re.search(r"[;\t|,]", names[0])):
        notes.append(
            f"There is one column, {names[0]!r}. If {SEPARATORS[mark[0]]} separate "
            "columns, remove the quotes around the lines."
        )
    is_number = head.map(lambda cell: bool(re.fullmatch(LIKE_NUMBER, cell.strip())))
    for n in (1, 2):
        above, below = head[:n], is_number[n:]
        is_word = above.map(lambda cell: cell.strip().lower() not in GAPS)
        suits = below.any() & (below | (head[n:] == "")).all() & is_word.all()
        if len(below) > 1 and suits.any() and not is_number[:n].any(axis=None):
            words = ", ".join(map(repr, above.loc[:, suits].iloc[0].str[:20]))
            notes.append(
                f"Row 1 has words ({words}) above numbers. If it belongs to the "
                "header, delete its line."
            )
            break
    return notes


def split_rows(text, separator):
    """Return the cells of each row, and the line with its end.

    Raises
    ------
    ValueError
        For quotes that do not fit: they would hide the rows between them.
    """
    limit = csv.field_size_limit(2**31 - 1)
    try:
        reader = csv.reader(StringIO(text), delimiter=separator, strict=True)
        try:
            return [(reader.line_num, row) for row in reader]
        except csv.Error as error:
            reason, line = error, reader.line_num
        reader = csv.reader(StringIO(text), delimiter=separator)
        rows = [(reader.line_num, row) for row in reader]
    finally:
        csv.field_size_limit(limit)
    if separator == "\t":  # many programs put no quotes around cells between tabs
        lines = [line.split("\t") for line in text.rstrip("\n").split("\n")]
        if len({*map(len, lines)}) == 1:
            return [*enumerate(lines, 1)]
    if any("\n" in cell for _, row in rows for cell in row):
        name = SEPARATORS.get(separator, repr(separator))
        raise ValueError(
            f"the file is not a CSV with {name}: line {line}: a quote is missing, or "
            f"one too many ({reason})."
        )
    return rows


def read_binary(path, suffix):
    """Read a Parquet or Excel file; return the table and sentences."""
    import pandas as pd

    try:
        if suffix == ".parquet":  # whole numbers beside gaps stay whole
            cells = pd.read_parquet(path, dtype_backend="numpy_nullable")
        else:
            with pd.ExcelFile(path, engine_kwargs={"read_only": False}) as book:
                first, *others = book.sheet_names
                # texts as they are: "001", and classes such as "None" and "NA"
                how = {"header": None, "dtype": object, "na_filter": False}
                cells = pd.read_excel(book, first, **how)
                merged = [*map(str, book.book[first].merged_cells.ranges)]
    except OSError:
        raise
    except Exception as error:  # a dozen kinds, from zipfile, XML and Arrow
        reason = f"{error}".partition("\n")[0][:200]
        raise ValueError(f"pandas cannot read this {suffix} file: {reason}") from None
    if suffix == ".parquet":
        return as_text_table(cells), []
    notes = []
    if others:
        notes.append(
            f"The sheet {first!r} is read, and not {', '.join(map(repr, others))}."
        )
    if not len(cells):
        raise ValueError(f"the sheet {first!r} is empty: put the rows on this sheet.")
    if n_formulas := count_empty_formulas(path, first):
        notes.append(
            f"Formulas without values are read as empty cells ({n_formulas:,}). To "
            "compute them, open the file in a spreadsheet and save it."
        )
    cells = as_text_table(cells).replace("_x000D_", "", regex=True)
    header = int((cells != "").any(axis=1).to_numpy().argmax())
    if fill_merged_cells(cells, merged, header):
        notes.append("The text of merged cells is read in each of their rows.")
    table, names = drop_blank_end(cells.iloc[header + 1 :]), cells.iloc[header].tolist()
    width = max(k for k, name in enumerate(names, 1) if name)
    n_beyond = (table.iloc[:, width:] != "").sum(axis=1).to_numpy()
    if n_beyond.max(initial=0) > 1:  # one more may be a remark beside the table
        row = int((n_beyond > 1).argmax())
        raise ValueError(
            f"row {header + 2 + row} of the sheet has {n_beyond[row]} cells to the "
            f"right of the last name, {names[width - 1]!r}. Name each column; delete "
            "rows above the header, if there are any; two rows may stand in one."
        )
    table = name_columns(table, names)
    return table, notes + describe_doubtful_header(table)


def fill_merged_cells(cells, merged, header):
    """Repeat the text of merged cells below the header; return True if there are some.

    Parameters
    ----------
    cells : DataFrame of str
        All cells of the sheet, which are changed.
    merged : list of str
        Areas of the sheet, such as "A2:A5".
    header : int
        Position of the row with the names.
    """
    from openpyxl.utils import range_boundaries

    n_filled = 0
    for area in merged:
        left, top, _, bottom = range_boundaries(area)
        if top - 1 > header and bottom > top:
            cells.iloc[top:bottom, left - 1] = cells.iat[top - 1, left - 1]
            n_filled += 1
    return n_filled > 0


def count_empty_formulas(path, sheet):
    """Return the number of formulas of a sheet of Excel that nobody has computed."""
    from openpyxl.reader.excel import ExcelReader

    reader = ExcelReader(path)
    with reader.archive as file:
        reader.read_manifest()
        reader.read_workbook()
        parts = reader.parser.find_sheets()
        part = next(link.target for each, link in parts if each.name == sheet)
        empty = rb"<c (?![^>]*t=)[^>]*><f\b[^>]*>[^<]*</f>(<v\s*/>|<v></v>)?</c>"
        return len(re.findall(empty, file.read(part)))


def drop_blank_end(rows):
    """Return rows without the blank ones at the end, which are no rows."""
    filled = np.flatnonzero((rows != "").any(axis=1))
    return rows.iloc[: filled.max(initial=-1) + 1]


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

    rows = as_frame(rows)
    if not len(rows.columns):
        raise ValueError("there is no column.")
    if not len(rows):
        raise ValueError("there is no row.")
    cells = {
        k: [
            "" if is_missing else cell_text(cell, name)
            for cell, is_missing in zip(column, column.isna(), strict=True)
        ]
        for k, (name, column) in enumerate(rows.items())
    }
    # pandas calls columns with an empty header cell "Unnamed: 0"
    header = ["" if f"{n}".startswith("Unnamed: ") else f"{n}" for n in rows.columns]
    return name_columns(pd.DataFrame(cells, dtype=object), header)


def as_frame(rows):
    """Return rows in memory as a DataFrame of pandas, with their own cells."""
    import pandas as pd

    rows = to_pandas(rows)
    if isinstance(rows, Mapping):
        rows = {name: pd.Series([*cells], dtype=object) for name, cells in rows.items()}
        if len({*map(len, rows.values())}) > 1:
            raise ValueError("the columns have different numbers of cells.")
    elif not (hasattr(rows, "columns") and hasattr(rows, "items")):
        raise TypeError(
            "rows need columns with names: a DataFrame, or a dict of columns, got "
            f"{type(rows).__name__}."
        )
    return pd.DataFrame(rows)


def cell_text(value, column):
    """Return the text of a cell in a CSV file."""
    if isinstance(value, complex | np.complexfloating):
        raise ValueError(
            f"the column {column!r} holds complex numbers, which are not supported: "
            "make two columns of them."
        )
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))  # pandas makes floats of whole numbers beside gaps
    if isinstance(value, datetime) and value.time() == time() and not value.tzinfo:
        return str(value.date())
    return str(value)


def name_columns(rows, header):
    """Return rows with the names of the columns and numbers from 1.

    Control characters in the names are removed: names are printed at terminals. Columns
    without a name get one, except empty ones and a first one with numbers of rows.
    """
    names = [
        "".join(filter(str.isprintable, " ".join(name.split()))) for name in header
    ]
    if not any(names):
        raise ValueError("the first line names no columns.")
    for k, name in enumerate(names):
        what = r"\S" if k else r"[^\W\d]"
        if not name and any(re.search(what, cell) for cell in rows.iloc[:, k]):
            names[k] = f"column {k + 1}"
    named = [k for k, name in enumerate(names) if name]
    rows = rows.iloc[:, named]
    rows.columns = [names[k] for k in named]
    repeated = rows.columns[rows.columns.duplicated()]
    if len(repeated):
        raise ValueError(
            f"the header names the column {repeated[0]!r} twice. Rename one of them."
        )
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
