"""Hashes of rows in which there are texts, a cell at a time."""

from collections import defaultdict
from hashlib import blake2b
from numbers import Real

import numpy as np

from sklearn_activelearn._rows import Rows, hashes
from sklearn_activelearn.sources._containers import is_frame


def cells_of(X):
    """Return the cells of each row in a list; missing ones are NaN."""
    rows = X.to_numpy(object) if is_frame(X) else X
    return [
        [
            np.nan if is_missing(cell) else cell
            for cell in np.asarray(row, dtype=object).ravel()
        ]
        for row in rows
    ]


def is_missing(cell):
    """Whether a cell is None, or missing as pandas has it."""
    return cell is None or type(cell).__name__ in ("NAType", "NaTType")


def is_number(cell):
    """Whether a cell is a number, or a flag."""
    return isinstance(cell, Real | np.bool_)


def hashes_of_cells(rows):
    """Return the hashes of lists of cells; those of numbers are as elsewhere."""
    out, of_numbers = np.empty(len(rows), dtype=np.uint64), defaultdict(list)
    for i, cells in enumerate(rows):
        if all(map(is_number, cells)):
            of_numbers[len(cells)].append(i)
        else:
            out[i] = hash_of_cells(cells)
    for places in of_numbers.values():  # of one length
        numbers = np.array([rows[i] for i in places], dtype=np.float64)
        out[places] = hashes(Rows(numbers), None)
    return out


def hash_of_cells(cells):
    """Return the hash of a row with text in it."""
    values = [
        float(cell) + 0.0 if is_number(cell) else str(cell)  # 0.0 for -0.0
        for cell in cells
    ]
    digest = blake2b(repr(values).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def hashes_of_rows(X):
    """Return the hashes of rows."""
    return hashes_of_cells(cells_of(X))
