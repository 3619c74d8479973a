"""Objects of users as sources, and copies of sources in files."""

import os
from os import fspath
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from scipy.sparse import issparse

from ..utils.typing import FilePath, RowsLike
from ._containers import is_instance_of
from ._dask import DaskSource
from ._parquet import ParquetSource
from ._source import ArraySource, Source, is_mapped, map_source


def as_source(X):
    """Return X as a source, or None if its rows are in memory."""
    if type(X) is np.ndarray:
        return None
    if isinstance(X, ParquetSource):
        X.check_unchanged()
    if isinstance(X, Source):
        return X
    if is_mapped(X):
        return map_source(X)
    if is_instance_of(X, "dask.array", "Array"):
        return DaskSource(X)
    if is_instance_of(X, "dask.dataframe", "DataFrame"):
        raise TypeError(
            "X is a dask DataFrame, whose rows cannot be taken by their number. Pass "
            "X.to_dask_array(lengths=True) instead, the same array to each call."
        )
    if is_instance_of(X, "polars", "LazyFrame"):
        raise TypeError(
            "X is a polars LazyFrame, whose rows cannot be taken by their number. Pass "
            "X.collect() if the rows fit in memory; else write them with "
            'X.sink_parquet("rows.parquet"), and pass ParquetSource("rows.parquet").'
        )
    if is_instance_of(X, "pyarrow.dataset", "Dataset"):
        return ParquetSource(X)
    return None


def as_memmap(
    X: RowsLike, path: FilePath, dtype: DTypeLike | None = None
) -> np.memmap[Any, Any]:
    """Copy rows to a file that can be read in place, and map it.

    Parquet files are decoded, and dask arrays are computed, each time they are read. A
    copy is read many times faster.

    Parameters
    ----------
    X : ParquetSource, dask array, pyarrow dataset or ndarray
        Rows of numbers, of shape (n_samples, n_features).
    path : str or path
        Name of the ``.npy`` file to write. An existing file of this name is replaced
        once the copy is complete.
    dtype : dtype, default=None
        Type of the numbers in the copy. None: the type in X.

    Returns
    -------
    mapped : memmap of shape (n_samples, n_features)
        The copy. Open it again with ``numpy.load(path, mmap_mode="r")``.

    Raises
    ------
    TypeError, ValueError
        If X does not contain rows of numbers.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from sklearn_activelearn.sources import as_memmap
    >>> path = tempfile.mkdtemp() + "/rows.npy"
    >>> as_memmap(np.eye(3), path, dtype="float32").shape
    (3, 3)
    >>> np.load(path, mmap_mode="r").dtype
    dtype('float32')
    """
    source = as_source(X)
    if source is None:
        if issparse(X) or getattr(X, "ndim", 0) != 2:
            raise TypeError(
                "X must be a source or an array with dense rows of numbers, got "
                f"{type(X).__name__}."
            )
        source = ArraySource(X)
    if issparse(source.blank()):
        raise TypeError("X must have dense rows, got a dask array with sparse blocks.")
    dtype = np.dtype(source.dtype if dtype is None else dtype)
    if dtype.kind not in "biuf":
        raise ValueError(f"X must hold numbers, got {dtype}.")
    path = fspath(path)
    partial = f"{path}.part"
    try:
        copy = np.lib.format.open_memmap(partial, "w+", dtype, source.shape)
        for part, block in source.blocks():
            copy[part] = block
        copy.flush()
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)
    return np.load(path, mmap_mode="r")
