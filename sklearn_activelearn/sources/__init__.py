"""Rows that do not fit in memory."""

# ruff: noqa: F401
# for front ends: rows in any container
from ._containers import (
    find_empty_rows,
    hash_rows,
    is_frame,
    is_polars,
    n_rows,
    take,
    to_pandas,
)
from ._conversion import as_memmap
from ._parquet import ParquetSource
from ._source import Source

__all__ = ["ParquetSource", "Source", "as_memmap"]
