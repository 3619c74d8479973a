"""Files that are written completely or not at all, and tables without formulas."""

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

from ..sources import is_frame
from .storage._integrity import is_session

#: A cell that begins with one of these may be a formula to a spreadsheet, which reads
#: wide forms of them, too. An apostrophe in front marks a text.
FORMULA = (*"=+-@", *"\uff1d\uff0b\uff0d\uff20", "\t", "\r", "\n", "'")
#: A spreadsheet that separates cells by semicolons finds formulas behind them.
BEHIND_SEMICOLON = re.compile(rf"(;\s*)(?=[{re.escape(''.join(FORMULA))}])")
MARKED = re.compile(rf"(;\s*)'(?=[{re.escape(''.join(FORMULA))}])")
#: A number that begins like a formula.
NUMBER = re.compile(r"[+-]\d+(\.\d*)?([eE][+-]?\d+)?", re.ASCII)


@contextmanager
def replace_file(path, *, is_text=True):
    """Give a file that takes the place of another file once it is complete.

    Parameters
    ----------
    path : path
        The place.
    is_text : bool, default=True
        Whether the file holds text; otherwise bytes.

    Raises
    ------
    ValueError
        If there is something that is no file.
    OSError
        If the file cannot be written; a file that existed is unchanged.
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        raise ValueError(f"{path} is not a file. Nothing was written. Name a file.")
    new = place.with_name(f".{secrets.token_hex(8)}.part")
    try:
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
            f"{path} was not written ({error.strerror or error}). If the file existed "
            "before, it is unchanged."
        ) from error
    finally:
        with suppress(OSError):
            new.unlink()


def neutralise(cell):
    """Return a cell that no spreadsheet reads as a formula."""
    if not isinstance(cell, str):
        return cell
    cell = BEHIND_SEMICOLON.sub(r"\1'", cell)
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def neutralise_cell(cell):
    """Return a cell of a table as `neutralise` does, but a number unchanged."""
    is_number = isinstance(cell, str) and NUMBER.fullmatch(cell)
    return cell if is_number else neutralise(cell)


def restore_cell(cell):
    """Undo `neutralise` for a cell."""
    plain = cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell
    return MARKED.sub(r"\1", plain)


def function_for_suffix(path, functions):
    """Return the function for files with the suffix of this path."""
    if path.suffix.lower() not in functions:
        raise ValueError(f"{path.name} must end in {' or '.join(functions)}.")
    return functions[path.suffix.lower()]


def check_no_session(path):
    """Raise ValueError if a file is a session, which must not be replaced."""
    if is_session(path):
        raise ValueError(f"{path} is a labelling session. Name another file.")


def check_table_file(path):
    """Return the function that writes a table to a path: ``.csv`` or ``.parquet``.

    Raises
    ------
    ValueError
        For another suffix, for a session, or if pyarrow is missing.
    """
    write = function_for_suffix(path, {".csv": write_csv, ".parquet": write_parquet})
    check_no_session(path)
    if write is write_parquet and find_spec("pyarrow") is None:
        raise ValueError("A .parquet file needs pyarrow: pip install pyarrow.")
    return write


def write_table(path, columns):
    """Write columns, a dict of name to sequence, to a file."""
    path = Path(path)
    check_table_file(path)(path, columns)


def write_csv(path, columns):
    """Write columns as text; None is an empty cell."""
    with replace_file(path) as file:
        lines = csv.writer(file)
        lines.writerow(map(neutralise, columns))
        lines.writerows(
            map(neutralise_cell, row) for row in zip(*columns.values(), strict=True)
        )


def write_parquet(path, columns):
    """Write columns with their types."""
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({name: [*cells] for name, cells in columns.items()})
    with replace_file(path, is_text=False) as file:
        pyarrow.parquet.write_table(table, file)


def columns_shown(items):
    """Return the items as columns; no columns for rows of numbers without names.

    Parameters
    ----------
    items : rows
        A DataFrame, dicts, or texts.
    """
    if is_frame(items) and items.ndim == 2:
        return {
            str(name): [to_cell_value(cell) for cell in cells.tolist()]
            for name, cells in items.items()
        }
    first = next(iter(items), None) if not issparse(items) else None
    if isinstance(first, str):
        return {"text": [*map(str, items)]}
    if isinstance(first, Mapping):
        return {
            str(name): [to_cell_value(item.get(name)) for item in items]
            for name in first
        }
    return {}


def to_cell_value(cell):
    """Return a cell as a value of JSON."""
    cell = cell.item() if isinstance(cell, np.generic) else cell
    if isinstance(cell, float) and not isfinite(cell):
        return None
    return cell if isinstance(cell, str | int | float | None) else str(cell)


def add_columns(columns, taken, prefix="input"):
    """Return columns under names that are not taken, if need be with a prefix."""
    found = {}
    for name, cells in columns.items():
        while name in taken or name in found:
            name = f"{prefix} {name}"
        found[name] = cells
    return found
