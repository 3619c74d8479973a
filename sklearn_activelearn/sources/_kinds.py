"""Which source a user's object is."""

import sys

import numpy as np

from ._arrays import is_mapped, mapped
from ._base import Source
from ._dask import DaskSource
from ._parquet import ParquetSource


def source_of(X):
    """Return X as a source, None if it is in memory.

    Libraries that were never imported made no X, and are not imported here.
    """
    if type(X) is np.ndarray:
        return None
    if isinstance(X, ParquetSource):
        X.check_unchanged()
    if isinstance(X, Source):
        return X
    if is_mapped(X):
        return mapped(X)
    if is_of(X, "dask.array", "Array"):
        return DaskSource(X)
    if is_of(X, "dask.dataframe", "DataFrame"):
        raise TypeError("X is a dask DataFrame: pass X.to_dask_array(lengths=True).")
    if is_of(X, "pyarrow.dataset", "Dataset"):
        return ParquetSource(X)
    return None


def is_of(X, module, name):
    """Whether X is of a class of that name, if its module was imported."""
    return module in sys.modules and isinstance(X, getattr(sys.modules[module], name))
