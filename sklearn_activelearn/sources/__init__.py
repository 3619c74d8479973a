"""Rows that do not fit in memory."""

from ._base import Source
from ._copying import as_memmap
from ._parquet import ParquetSource

__all__ = ["ParquetSource", "Source", "as_memmap"]
