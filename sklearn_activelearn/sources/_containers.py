"""Rows in the containers they come in: arrays, CSR, DataFrames, lists of anything.

Rows that need not be in memory are a `Source`.
"""

from collections import defaultdict
from hashlib import blake2b
from numbers import Real

import numpy as np
from scipy.sparse import csr_array, issparse, vstack
from sklearn.utils import gen_batches

from .._rows import Rows, hashes
from ._source import SomeRows, Source

#: What a cell holds; texts, or anything else that is no number or flag.
TEXT, NUMBER, MISSING = range(3)

#: Numbers that are compared together: they should stay in cache.
BLOCK = 2**16

#: The numbers of no rows.
NO_ROWS = np.empty(0, dtype=np.int64)


def n_rows(X):
    """Return the number of rows."""
    return X.shape[0] if hasattr(X, "shape") else len(X)


def is_frame(X):
    """Whether X is a DataFrame or a Series as pandas has them."""
    return hasattr(X, "iloc")


def take(X, rows):
    """Return the rows with these numbers, or in this slice, in memory."""
    if isinstance(X, Source):
        return X.take(rows)
    if is_frame(X):
        return X.iloc[rows]
    if hasattr(X, "shape") or isinstance(rows, slice):
        return X[rows]
    return [X[row] for row in rows]


class RowsExcept:
    """The numbers of all rows but some, which it can do without a list of.

    Parameters
    ----------
    n_rows : int
        How many rows there are.
    others : ndarray of int
        Those that are left out, ascending.
    """

    def __init__(self, n_rows, others):
        self.others, self._n = others, n_rows - len(others)
        self._until = others - np.arange(len(others))

    def __len__(self):
        return self._n

    def __getitem__(self, places):
        return places + np.searchsorted(self._until, places, side="right")

    def __array__(self, dtype=None, copy=None):
        return self[np.arange(self._n)]

    def without(self, some):
        """Return the numbers of these rows but some."""
        return RowsExcept(len(self) + len(self.others), np.union1d(self.others, some))

    def of(self, values, start):
        """Return those of the values of rows from a number on that are not left out."""
        first, last = np.searchsorted(self.others, [start, start + len(values)])
        if first == last:
            return values
        return np.delete(values, self.others[first:last] - start)


def rows_of_mask(is_meant):
    """Return the numbers of the rows that a mask means; most or few of them."""
    if 2 * np.count_nonzero(is_meant) <= len(is_meant):
        return np.flatnonzero(is_meant)
    return RowsExcept(len(is_meant), np.flatnonzero(~is_meant))


def restrict_rows(X, rows):
    """Return X and the row numbers, or only these rows if they are the smaller part.

    Taking rows copies them; working on some too many is cheaper than that.
    """
    if 2 * len(rows) >= n_rows(X):
        return X, rows
    return SomeRows(X, rows) if isinstance(X, Source) else take(X, rows), slice(None)


def to_memory(X):
    """Return all rows, in memory."""
    return take(X, slice(None)) if isinstance(X, Source) else X


def stack_rows(first, second):
    """Return the rows of both, one below the other, in the container of the first."""
    if is_frame(first):
        import pandas as pd

        if not is_frame(second):
            names = {"columns": first.columns} if first.ndim == 2 else {}
            second = type(first)(to_array(second), **names)
        return pd.concat([first, second])
    if issparse(first):
        return vstack([first, csr_array(second)], format="csr")
    if isinstance(first, list):
        return first + list(second)
    return np.concatenate([first, to_array(second)])


def is_same_data(first, second):
    """Whether both hold the same values, in containers of the same kind."""
    if type(first) is not type(second) or n_rows(first) != n_rows(second):
        return False
    if is_frame(first):
        return first.equals(second)
    if issparse(first):
        parts = [(X.data, X.indices, X.indptr) for X in (first, second)]
        return first.shape == second.shape and all(map(np.array_equal, *parts))
    if isinstance(first, list) or first.dtype.kind == "O":
        return np.array_equal(hash_rows(first), hash_rows(second))
    return first.shape == second.shape and all(
        same_numbers(first[block], second[block])
        for block in gen_batches(len(first), max(1, BLOCK // max(first[:1].size, 1)))
    )


def same_numbers(first, second):
    """Whether two arrays of one shape hold the same numbers, NaN being one."""
    if np.all(first == second):
        return True
    return first.dtype.kind in "fc" and np.array_equal(first, second, equal_nan=True)


def to_frame(X, names):
    """Return rows of numbers as a DataFrame, if columns have names."""
    if names is None or is_frame(X) or issparse(X):
        return X
    import pandas as pd

    return pd.DataFrame(X, columns=names)


def to_array(X):
    """Return the rows as an array."""
    return X.toarray() if issparse(X) else np.asarray(X)


def hash_rows(X, rows=None):
    """Return a 64-bit hash of the values of each row.

    Rows with equal values have equal hashes: as float32 and as float64, dense, sparse,
    in a list and in a DataFrame, whatever rows come with them.

    Parameters
    ----------
    X : rows
        In any container, or a source.
    rows : ndarray of int, default=None
        The numbers of the rows to hash. None: all rows.

    Returns
    -------
    hashes : ndarray of uint64 of shape (n_rows,)
    """
    if (n_rows(X) if rows is None else len(rows)) == 0:
        return np.empty(0, dtype=np.uint64)
    if isinstance(X, Source):
        X, within = (X, slice(None)) if rows is None else restrict_rows(X, rows)
        return np.concatenate([*X.map(hash_rows)])[within]
    if not can_be_read_in_place(X):
        X, rows = take(X, slice(None) if rows is None else rows), None
        numbers = as_numbers(X)
        if numbers is None:
            return hash_cells(X)
        X = numbers
    rows = None if rows is None else np.ascontiguousarray(rows, dtype=np.int64)
    return hashes(Rows(X), rows)


def can_be_read_in_place(X):
    """Whether X is what the compiled loops read."""
    if issparse(X):
        return X.format == "csr" and X.dtype.kind == "f" and X.has_canonical_format
    return (
        isinstance(X, np.ndarray)
        and X.ndim == 2
        and X.dtype in (np.float32, np.float64)
        and X.flags.c_contiguous
    )


def as_numbers(X):
    """Return rows as floats, one row each, or None if they are not all numbers."""
    if issparse(X):
        X = csr_array(X, dtype=X.dtype if X.dtype == np.float32 else np.float64)
        X.sum_duplicates()
        return X
    if is_frame(X):
        kinds = {getattr(dtype, "kind", "O") for dtype in np.atleast_1d(X.dtypes)}
        if not kinds <= set("biuf"):
            return None
        X = X.to_numpy(np.float64, na_value=np.nan)
    elif isinstance(X, list) and isinstance(X[0], str):
        return None  # not copied to an array as wide as the longest text
    try:
        numbers = np.asarray(X)
    except ValueError:  # rows of different lengths
        return None
    if numbers.dtype.kind not in "biuf":
        return None
    kind = np.float32 if numbers.dtype == np.float32 else np.float64
    return np.ascontiguousarray(numbers.reshape(len(numbers), -1), dtype=kind)


class KindOfCell(dict):
    """What a cell holds, which follows from its type."""

    def __missing__(self, kind):
        if kind.__name__ in ("NoneType", "NAType", "NaTType"):
            found = MISSING
        else:
            found = NUMBER if issubclass(kind, Real | np.bool_) else TEXT
        self[kind] = found
        return found


def cells_of(X):
    """Return the cells of each row in a list; a row that is a text as it is."""
    rows = X.to_numpy(object) if is_frame(X) else X
    if isinstance(rows, np.ndarray) and rows.ndim > 1:
        return rows.astype(object, copy=False).reshape(len(rows), -1).tolist()
    if isinstance(rows, np.ndarray) and rows.dtype.kind == "U":
        rows = rows.tolist()
    return [
        row if type(row) is str else np.asarray(row, dtype=object).ravel().tolist()
        for row in rows
    ]


def hash_cells(X):
    """Return the hash of each row of a table with texts, as `hash_rows` does."""
    rows, kind_of = cells_of(X), KindOfCell()
    out = np.empty(len(rows), dtype=np.uint64)
    rows_of_numbers = defaultdict(list)  # by their length
    for i, cells in enumerate(rows):
        if type(cells) is str:
            out[i] = hash_values([cells])
            continue
        kinds = [kind_of[type(cell)] for cell in cells]
        if TEXT in kinds:
            out[i] = hash_values([*map(plain_cell, cells, kinds)])
        else:
            rows[i] = [*map(plain_cell, cells, kinds)]
            rows_of_numbers[len(cells)].append(i)
    for places in rows_of_numbers.values():
        numbers = np.array([rows[i] for i in places], dtype=np.float64)
        out[places] = hashes(Rows(numbers), None)
    return out


def plain_cell(cell, kind):
    """Return a cell as a text or a float, with NaN if missing and 0.0 for -0.0."""
    if kind == TEXT:
        return str(cell)
    return np.nan if kind == MISSING else float(cell) + 0.0


def hash_values(values):
    """Return the hash of a row of floats and texts."""
    digest = blake2b(repr(values).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")
