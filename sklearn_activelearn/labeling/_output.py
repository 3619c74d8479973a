"""Files that are written whole or not at all, and tables without formulas."""

import csv
import os
import re
import secrets
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from stat import S_IMODE

import numpy as np
from scipy.sparse import issparse

from ..sources._containers import is_frame
from ._journal import is_session

#: With these a cell is a formula to a spreadsheet; ' is what stops that. Some of them
#: make one of the wide forms, too, which East Asian keyboards type.
FORMULA = (*"=+-@", *"\uff1d\uff0b\uff0d\uff20", "\t", "\r", "\n", "'")

#: What begins like a formula and is none.
NUMBER = re.compile(r"[+-]\d+(\.\d*)?([eE][+-]?\d+)?", re.ASCII)


@contextmanager
def replaced(path, *, is_text=True):
    """Give a file that takes the place of another one once it is whole.

    Parameters
    ----------
    path : path
        Its place.
    is_text : bool, default=True
        Whether it is text; bytes otherwise.

    Raises
    ------
    ValueError
        If there is something that is no file.
    OSError
        If it cannot be written: the file that was there is as it was.
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        raise ValueError(f"{path} is no file: nothing was written.")
    new = place.with_name(f".{secrets.token_hex(8)}.part")
    try:
        # half a character, in sessions of older versions, is written as an escape
        how = {"encoding": "utf-8", "errors": "backslashreplace", "newline": ""}
        with new.open("x", **how) if is_text else new.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            new.chmod(S_IMODE(place.stat().st_mode))
        new.replace(place)
    except OSError as error:
        raise type(error)(
            f"{path} was not written ({error.strerror or error}); if it was there "
            "before, it is as it was."
        ) from error
    finally:
        with suppress(OSError):
            new.unlink()


def harmless(cell):
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def harmless_value(cell):
    """Return a cell of a table as `harmless`, but a number as it is."""
    is_number = isinstance(cell, str) and NUMBER.fullmatch(cell)
    return cell if is_number else harmless(cell)


def without_apostrophe(cell):
    """Return the cell that `harmless` has made this of."""
    plain = cell[1:]
    return plain if cell == harmless(plain) else cell


def by_suffix(path, functions):
    """Return the function for files of that name."""
    if path.suffix.lower() not in functions:
        raise ValueError(f"{path.name} must end in {' or '.join(functions)}.")
    return functions[path.suffix.lower()]


def check_no_session(path):
    """Raise if a file is a session, which nothing may replace."""
    if is_session(path):
        raise ValueError(f"{path} holds a session: export its labels to another file.")


def check_table_file(path):
    """Raise unless a table can be written there; return what writes it.

    Parameters
    ----------
    path : path
        ``.csv`` or ``.parquet``.

    Raises
    ------
    ValueError
        For another end of its name, a session, or without pyarrow.
    """
    write = by_suffix(path, {".csv": write_csv, ".parquet": write_parquet})
    check_no_session(path)
    if write is write_parquet and find_spec("pyarrow") is None:
        raise ValueError(".parquet files need pyarrow: pip install pyarrow.")
    return write


def write_table(path, columns):
    """Write columns, a dict of name to sequence, to a file."""
    path = Path(path)
    check_table_file(path)(path, columns)


def write_csv(path, columns):
    """Write columns as text; None is an empty cell."""
    with replaced(path) as file:
        lines = csv.writer(file)
        lines.writerow(map(harmless, columns))
        lines.writerows(
            map(harmless_value, row) for row in zip(*columns.values(), strict=True)
        )


def write_parquet(path, columns):
    """Write columns with their types."""
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({name: [*cells] for name, cells in columns.items()})
    with replaced(path, is_text=False) as file:
        pyarrow.parquet.write_table(table, file)


def columns_shown(items):
    """Return what is shown of all rows by columns; none of nameless numbers.

    Parameters
    ----------
    items : rows
        A DataFrame, dicts, or texts.
    """
    if is_frame(items) and items.ndim == 2:
        return {
            str(name): [plain_cell(cell) for cell in cells.tolist()]
            for name, cells in items.items()
        }
    first = next(iter(items), None) if not issparse(items) else None
    if isinstance(first, str):
        return {"text": [*map(str, items)]}
    if isinstance(first, Mapping):
        return {
            str(name): [plain_cell(item.get(name)) for item in items] for name in first
        }
    return {}


def plain_cell(cell):
    """Return a cell as JSON has it."""
    cell = cell.item() if isinstance(cell, np.generic) else cell
    if isinstance(cell, float) and not isfinite(cell):
        return None
    return cell if isinstance(cell, str | int | float | None) else str(cell)


def beside(columns, taken):
    """Return columns with names that differ from those that are taken."""
    found = {}
    for name, cells in columns.items():
        while name in taken or name in found:
            name = f"input {name}"
        found[name] = cells
    return found
