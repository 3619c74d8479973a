"""Rows in the containers that users have: arrays, CSR, DataFrames, lists, sources."""

import sys
from collections import defaultdict
from collections.abc import Mapping
from hashlib import blake2b
from numbers import Real

import numpy as np
from scipy.sparse import csr_array, issparse, vstack
from sklearn.utils import gen_batches

from ..kernels._rows import Rows, hashes
from ._source import SomeRows, Source

#: Kinds of cells in a table that does not consist of numbers only.
TEXT, NUMBER, MISSING = range(3)

#: Number of values that are compared at a time, so that they stay in the cache.
BLOCK = 2**16

#: An empty array of row numbers.
NO_ROWS = np.empty(0, dtype=np.int64)


def n_rows(X):
    """Return the number of rows."""
    return X.shape[0] if hasattr(X, "shape") else len(X)


def is_frame(X):
    """Return True for a DataFrame or a Series of pandas."""
    return hasattr(X, "iloc")


def is_instance_of(X, module, name):
    """Return True for an instance of a class, without importing its module."""
    return module in sys.modules and isinstance(X, getattr(sys.modules[module], name))


def is_polars(X):
    """Return True for a DataFrame of polars."""
    return is_instance_of(X, "polars", "DataFrame")


def to_pandas(X):
    """Return a DataFrame of polars as one of pandas, and other rows as they are."""
    if not is_polars(X):
        return X
    import pandas as pd

    return pd.DataFrame(X.to_dict(as_series=False), columns=X.columns)


def has_categories(X):
    """Return True for a DataFrame, of pandas or polars, with categorical columns."""
    if not (is_frame(X) or is_polars(X)):
        return False
    kinds = X.dtypes if is_polars(X) else np.atleast_1d(X.dtypes)
    return any(str(kind).startswith(("categor", "Categor", "Enum")) for kind in kinds)


def copy_rows(X):
    """Return a copy of rows in memory."""
    return X.clone() if is_polars(X) else X.copy()


def take(X, rows):
    """Return the rows with the given numbers, or in a slice, in memory."""
    if isinstance(X, Source):
        return X.take(rows)
    if is_frame(X):
        return X.iloc[rows]
    if is_polars(X) and not isinstance(rows, slice):
        return X[np.asarray(rows, dtype=np.int64)]
    if hasattr(X, "shape") or isinstance(rows, slice):
        return X[rows]
    return [X[row] for row in rows]


class RowsExcept:
    """The numbers of all rows except a few, without a list of all of them.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    others : ndarray of int
        Numbers of the rows that are left out, ascending.
    """

    def __init__(self, n_rows, others):
        self.others, self._n = others, n_rows - len(others)
        self._until = others - np.arange(len(others))

    def __len__(self):
        return self._n

    def __getitem__(self, positions):
        return positions + np.searchsorted(self._until, positions, side="right")

    def __array__(self, dtype=None, copy=None):
        return self[np.arange(self._n)]

    def without(self, rows):
        """Return the same row numbers, except the given ones."""
        return RowsExcept(self._n + len(self.others), np.union1d(self.others, rows))

    def of_blocks(self, blocks):
        """Return the values of the rows that are not left out.

        Parameters
        ----------
        blocks : iterable of ndarray
            One value for each row, block by block.
        """
        out, start, n = np.empty(self._n), 0, 0
        for values in blocks:
            stop = start + len(values)
            first, last = np.searchsorted(self.others, [start, stop])
            if first < last:
                values = np.delete(values, self.others[first:last] - start)
            out[n : n + len(values)] = values
            start, n = stop, n + len(values)
        return out


def rows_of_mask(mask):
    """Return the row numbers that a mask selects: an array or `RowsExcept`."""
    if 2 * np.count_nonzero(mask) <= len(mask):
        return np.flatnonzero(mask)
    return RowsExcept(len(mask), np.flatnonzero(~mask))


def restrict_rows(X, rows):
    """Return rows that include the given ones, and where these are among them.

    Taking rows copies them. If more than half are wanted, working on all is cheaper.
    """
    if 2 * len(rows) >= n_rows(X):
        return X, rows
    return SomeRows(X, rows) if isinstance(X, Source) else take(X, rows), slice(None)


def to_memory(X):
    """Return all rows in memory."""
    return take(X, slice(None)) if isinstance(X, Source) else X


def stack_rows(first, second):
    """Return the rows of both, one below the other, in the container of the first."""
    if isinstance(first, np.ndarray):
        return np.concatenate([first, to_array(second)])
    if is_frame(first):
        import pandas as pd

        if not is_frame(second):
            names = {"columns": first.columns} if first.ndim == 2 else {}
            second = type(first)(to_array(second), **names)
        return pd.concat([first, second])
    if is_polars(first):
        if not is_polars(second):
            second = type(first)(to_array(second), schema=first.columns)
        concat = sys.modules["polars"].concat
        return concat([first, second], how="vertical_relaxed")
    if issparse(first):
        return vstack([first, csr_array(second)], format="csr")
    return first + list(second)


def is_same_data(first, second):
    """Return True if both hold the same values in containers of the same type."""
    if type(first) is not type(second) or n_rows(first) != n_rows(second):
        return False
    if is_frame(first) or is_polars(first):
        return first.equals(second)
    if issparse(first):
        parts = [(X.data, X.indices, X.indptr) for X in (first, second)]
        return first.shape == second.shape and all(map(np.array_equal, *parts))
    if isinstance(first, list) or first.dtype.kind == "O":
        return np.array_equal(hash_rows(first), hash_rows(second))
    may_hold_nan = first.dtype.kind in "fc"
    return first.shape == second.shape and all(
        np.all(first[block] == second[block])
        or np.array_equal(first[block], second[block], equal_nan=may_hold_nan)
        for block in gen_batches(len(first), max(1, BLOCK // max(first[:1].size, 1)))
    )


def to_frame(X, names):
    """Return rows of numbers as a DataFrame, if the columns have names."""
    if names is None or is_frame(X) or is_polars(X) or issparse(X):
        return X
    import pandas as pd

    return pd.DataFrame(X, columns=names)


def to_array(X):
    """Return the rows as a dense array."""
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
        Numbers of the rows to hash. None: all rows.

    Returns
    -------
    hashes : ndarray of uint64 of shape (n_rows,)
    """
    if isinstance(X, Source):
        X, within = (X, slice(None)) if rows is None else restrict_rows(X, rows)
        none = np.empty(0, dtype=np.uint64)
        return np.concatenate([none, *X.map(hash_rows)])[within]
    if issparse(X):
        is_readable = X.format == "csr" and X.has_canonical_format
    else:
        is_readable = isinstance(X, np.ndarray) and X.ndim == 2 and X.flags.c_contiguous
    if not is_readable or X.dtype not in (np.float32, np.float64):
        if rows is not None:
            X, rows = take(X, rows), None
        numbers = as_numbers(X)
        if numbers is None:
            return hash_cells(X)
        X = numbers
    rows = None if rows is None else np.ascontiguousarray(rows, dtype=np.int64)
    return hashes(Rows(X), rows)


def as_numbers(X):
    """Return rows as floats, one row each, or None if they are not all numbers."""
    if issparse(X):
        X = csr_array(X, dtype=X.dtype if X.dtype == np.float32 else np.float64)
        if not X.has_canonical_format:
            X = X.copy()  # it may share index arrays with the matrix of the user
            X.sum_duplicates()
        return X
    if is_frame(X):
        kinds = {getattr(dtype, "kind", "O") for dtype in np.atleast_1d(X.dtypes)}
        if not kinds <= set("biuf"):
            return None
        X = X.to_numpy(np.float64, na_value=np.nan)
    elif isinstance(X, list) and X and isinstance(X[0], str):
        return None  # an array would be as wide as the longest text
    try:
        numbers = np.asarray(X)
    except ValueError:  # rows of different lengths
        return None
    if numbers.dtype.kind not in "biuf":
        return None
    kind = np.float32 if numbers.dtype == np.float32 else np.float64
    width = int(np.prod(numbers.shape[1:]))
    return np.ascontiguousarray(numbers.reshape(len(numbers), width), dtype=kind)


def hash_cells(X):
    """Return the hash of each row of a table that contains texts or objects."""
    rows = X.to_numpy(object) if is_frame(X) else X
    rows = X.rows() if is_polars(X) else rows
    if isinstance(rows, np.ndarray) and rows.ndim == 1 and rows.dtype.kind == "U":
        rows = rows.tolist()
    out, kind_of = np.empty(len(rows), dtype=np.uint64), KindOfCell()
    rows_of_numbers = defaultdict(list)  # by their length
    for i, row in enumerate(rows):
        if type(row) is str:
            out[i] = hash_values([row])
            continue
        cells = np.asarray(row, dtype=object).ravel().tolist()
        kinds = [kind_of[type(cell)] for cell in cells]
        values = [*map(plain_cell, cells, kinds)]
        if TEXT in kinds:
            out[i] = hash_values(values)
        else:
            rows_of_numbers[len(values)].append((i, values))
    for numbered in rows_of_numbers.values():
        places, values = zip(*numbered, strict=True)
        out[[*places]] = hashes(Rows(np.array(values, dtype=np.float64)), None)
    return out


class KindOfCell(dict):
    """Kinds of cells by their types; texts are neither numbers nor missing."""

    def __missing__(self, cell_type):
        if cell_type.__name__ in ("NoneType", "NAType", "NaTType"):
            kind = MISSING
        else:
            kind = NUMBER if issubclass(cell_type, Real | np.bool_) else TEXT
        self[cell_type] = kind
        return kind


def plain_cell(cell, kind):
    """Return a cell as a text or a float: NaN if missing, and 0.0 for -0.0."""
    if kind == TEXT:
        return str(cell)
    return np.nan if kind == MISSING else float(cell) + 0.0


def hash_values(values):
    """Return the hash of a row of floats and texts."""
    digest = blake2b(repr(values).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def find_empty_rows(items):
    """Return the numbers of rows without content: blank texts, rows of blank cells."""
    if is_frame(items):
        rows = np.arange(len(items))
        columns = [items] if items.ndim == 1 else [cells for _, cells in items.items()]
        for cells in columns:  # most often the first one leaves no row
            cells = cells.iloc[rows]
            is_blank = cells.isna() | (cells.astype(str).str.strip() == "")
            rows = rows[is_blank.to_numpy(dtype=bool)]
        return rows.tolist() if columns else []
    is_array = isinstance(items, np.ndarray)
    if is_array and (items.ndim != 1 or items.dtype.kind not in "OUT"):
        return []
    if not isinstance(items, list | tuple) and not is_array:
        return []
    return [row for row, item in enumerate(items) if is_empty(item)]


def is_empty(item):
    """Return True for None, a blank text, and a mapping of nothing else."""
    if isinstance(item, Mapping):
        return all(map(is_empty, item.values()))
    return item is None or (isinstance(item, str) and not item.strip())
