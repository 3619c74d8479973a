"""Rows in the containers they come in: arrays, CSR, DataFrames, lists of anything."""

from hashlib import blake2b
from numbers import Real

import numpy as np
from scipy.sparse import csr_array, issparse, vstack


def n_rows(X):
    """Return the number of rows."""
    return X.shape[0] if hasattr(X, "shape") else len(X)


def is_frame(X):
    """Whether X is a DataFrame or a Series as pandas has them."""
    return hasattr(X, "iloc")


def take(X, rows):
    """Return the rows with these numbers, or in this slice."""
    if is_frame(X):
        return X.iloc[rows]
    if hasattr(X, "shape") or isinstance(rows, slice):
        return X[rows]
    return [X[row] for row in rows]


def joined(first, second):
    """Return the rows of both, one below the other, in the container of the first."""
    if is_frame(first):
        import pandas as pd

        if not is_frame(second):
            names = {"columns": first.columns} if first.ndim == 2 else {}
            second = type(first)(as_array(second), **names)
        return pd.concat([first, second])
    if issparse(first):
        return vstack([first, csr_array(second)], format="csr")
    if isinstance(first, list):
        return first + list(second)
    return np.concatenate([first, as_array(second)])


def same_rows(first, second):
    """Whether both hold the same values, in containers of the same kind."""
    if type(first) is not type(second) or n_rows(first) != n_rows(second):
        return False
    if is_frame(first):
        return first.equals(second)
    if issparse(first):
        parts = [(X.data, X.indices, X.indptr) for X in (first, second)]
        return first.shape == second.shape and all(map(np.array_equal, *parts))
    if isinstance(first, list):
        return list(row_keys(first)) == list(row_keys(second))
    if first.dtype.kind == "O":
        return list(row_keys(first)) == list(row_keys(second))
    return np.array_equal(first, second, equal_nan=first.dtype.kind in "fc")


def as_array(X):
    """Return the rows as an array."""
    return X.toarray() if issparse(X) else np.asarray(X)


def row_keys(X):
    """Yield a short key for each row that depends on its values only.

    A row has the same key as float32 and as float64 (if it fits), dense, sparse,
    in a list and in a DataFrame.
    """
    if is_frame(X):
        X = X.to_numpy()
    for i in range(n_rows(X)):
        if issparse(X):
            entries = slice(X.indptr[i], X.indptr[i + 1])
            yield key_of_numbers(X.data[entries], X.indices[entries])
            continue
        row = np.asarray(X[i])
        if row.dtype.kind in "OUS" and not all(
            isinstance(cell, Real) for cell in row.flat
        ):
            yield key_of_cells(row.ravel().tolist())
        else:
            yield key_of_numbers(row.ravel())


def key_of_numbers(values, columns=None):
    """Return the key of a row of numbers, zeros left out."""
    kept = np.flatnonzero(values)
    columns = kept if columns is None else columns[kept]
    key = blake2b(columns.astype(np.int64).tobytes(), digest_size=16)
    key.update(values[kept].astype(np.float64).tobytes())
    return key.digest()


def key_of_cells(cells):
    """Return the key of a row with text or missing values in it."""
    plain = [float(cell) if isinstance(cell, Real) else str(cell) for cell in cells]
    return blake2b(repr(plain).encode(), digest_size=16).digest()
