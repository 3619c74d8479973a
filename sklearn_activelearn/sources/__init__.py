"""Rows that do not fit in memory."""

from ._conversion import as_memmap
from ._parquet import ParquetSource
from ._source import Source

__all__ = ["ParquetSource", "Source", "as_memmap"]
