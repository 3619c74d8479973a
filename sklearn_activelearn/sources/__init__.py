"""Rows that do not fit in memory."""

from ._copying import as_memmap
from ._parquet import ParquetSource

__all__ = ["ParquetSource", "as_memmap"]
