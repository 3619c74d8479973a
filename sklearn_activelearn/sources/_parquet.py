"""Parquet files as a source, read one row group at a time."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..utils._typing import FilePath
from ._parquet_files import AGAIN, ParquetFiles
from ._source import Source, check_length, parts_between

if TYPE_CHECKING:
    from pyarrow import Table

#: Number of rows that are assembled from columns at a time, to stay in the cache.
ASSEMBLED = 4_096

#: Most bytes of blocks that are read ahead, at the same time, of small row groups.
AHEAD_BYTES = 2**27


class ParquetSource(Source):
    """Rows of parquet files, read when they are needed.

    Each row group is a block. Files are sorted by their paths.

    Parameters
    ----------
    path : str, path, list of them or pyarrow.dataset.Dataset
        A file, a folder, a glob such as ``"folder/*.parquet"`` (``**`` stands for any
        folders), several files in the given order, or a dataset of parquet files.
    columns : list of str, default=None
        Names of the columns that are features, in this order. None: all columns.

    Attributes
    ----------
    columns : list of str
        Names of the features.
    shape : tuple (n_samples, n_features)
        Number of rows and features.
    dtype : dtype
        float32 if it can represent all columns, else float64.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    OSError
        If a file is missing or cannot be read; and when rows are read, if a file is
        damaged. Checksums of pages are verified where a file has them.
    TypeError, ValueError
        If a file is empty, cut or not a parquet file, files have different columns, a
        column is missing, named twice or not numeric; and when rows are read, if a file
        has been written again since it was opened.

    Warns
    -----
    UserWarning
        When rows are read, if the folder or the glob has new files since it was opened.

    References
    ----------
    .. [1] https://parquet.apache.org/docs/file-format

    Examples
    --------
    >>> import tempfile, numpy as np, pyarrow as pa, pyarrow.parquet as pq
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> from sklearn_activelearn.sources import ParquetSource
    >>> X = np.random.default_rng(0).standard_normal((1000, 2))
    >>> file = tempfile.mkdtemp() + "/rows.parquet"
    >>> pq.write_table(pa.table({"height": X[:, 0], "weight": X[:, 1]}), file)
    >>> pool = ParquetSource(file, columns=["weight", "height"])
    >>> pool.shape
    (1000, 2)
    >>> learner = MinMarginClassifier(random_state=0)
    >>> rows = learner.query(pool)
    >>> learner = learner.teach(pool[rows], X[rows, 0] > 0)
    >>> len(learner.query(pool))
    1
    """

    columns: list[str]
    shape: tuple[int, int]

    def __init__(
        self,
        path: FilePath | Sequence[FilePath] | Any,
        columns: Sequence[str] | None = None,
    ):
        self.files = ParquetFiles(path)
        import pyarrow as pa

        self.columns = list(self.files.schema.names if columns is None else columns)
        for name, count in Counter(self.columns).items():
            if count > 1:
                raise ValueError(f"columns must be unique, got {name!r} {count} times.")
        fragments = self.files.fragments
        types = [self._types(fragment) for fragment in fragments]
        for fragment, other in zip(fragments, types, strict=True):
            if other != types[0]:
                raise ValueError(
                    f"{fragment.path} and {fragments[0].path} have different "
                    f"types of columns: {other} and {types[0]}."
                )
        kinds = [kind.to_pandas_dtype() for kind in types[0].values()]
        needs_double = np.result_type(*kinds, np.float32) != np.float32
        self.dtype = np.dtype(np.float64 if needs_double else np.float32)
        self.groups = [
            group
            for fragment in fragments
            for group in fragment.split_by_row_group()
            if group.row_groups[0].num_rows
        ]
        sizes = [group.row_groups[0].num_rows for group in self.groups]
        self._ends = np.cumsum([0, *sizes])
        self.shape = int(self._ends[-1]), len(self.columns)
        self.kept = {}
        block_bytes = max(sizes, default=1) * len(self.columns) * self.dtype.itemsize
        n_readers = min(pa.cpu_count(), len(sizes), AHEAD_BYTES // max(block_bytes, 1))
        self._n_readers = max(n_readers, 1)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: ArrayLike | slice) -> "Table":
        """Return the rows with the given numbers, or in a slice.

        Only the row groups of these rows are read.

        Parameters
        ----------
        rows : array-like of int, slice or int
            Row numbers.

        Returns
        -------
        table : pyarrow.Table
            The rows in the given order.
        """
        import pyarrow as pa

        self.check_unchanged()
        numbers = np.atleast_1d(np.arange(len(self))[rows])
        tables, places = [], np.empty(len(numbers), dtype=np.int64)
        n_taken = 0
        for part, k in self._touched(numbers):
            (inside,) = np.nonzero((numbers >= part.start) & (numbers < part.stop))
            tables.append(self._table(k).take(numbers[inside] - part.start))
            places[inside] = n_taken + np.arange(len(inside))
            n_taken += len(inside)
        if not tables:
            return self.blank().slice(0, 0)
        return pa.concat_tables(tables).take(places)

    def blank(self) -> "Table":
        import pyarrow as pa

        return pa.table({name: np.zeros(1, self.dtype) for name in self.columns})

    def check_unchanged(self) -> None:
        """Raise if a file has changed since it was opened; warn of new files."""
        self.files.check_unchanged()

    def _types(self, fragment):
        """Return the types of the columns of a file by name; all must be numbers."""
        import pyarrow as pa

        found = {field.name: field.type for field in fragment.physical_schema}
        for name in self.columns:
            if name not in found:
                raise ValueError(
                    f"{fragment.path} has no column {name!r}. Its columns are "
                    f"{list(found)}."
                )
            kind = found[name]
            types = pa.types
            kinds = types.is_integer, types.is_floating, types.is_boolean
            if not any(is_kind(kind) for is_kind in kinds):
                raise ValueError(
                    f"The column {name!r} of {fragment.path} has the type {kind}, not "
                    "numbers. Pass the names of the features as columns."
                )
        return {name: found[name] for name in self.columns}

    def _parts(self, n_jobs=1):
        return parts_between(self._ends)

    def _touched(self, rows):
        """Return the slices and numbers of the row groups that contain the rows."""
        touched = np.unique(np.searchsorted(self._ends, rows, side="right") - 1)
        parts = self._parts()
        return [(parts[k], k) for k in touched.tolist()]

    def _table(self, k, use_threads=True):
        """Return a row group; threads decode its columns at the same time."""
        import pyarrow as pa

        group = self.groups[k]
        how = {"fragment_scan_options": self.files.options, "use_threads": use_threads}
        try:
            table = group.to_table(columns=self.columns, **how)
        except (pa.ArrowInvalid, OSError) as error:
            self.check_unchanged()
            raise OSError(
                f"Row group {group.row_groups[0].id} of {group.path} cannot be read: "
                f"{error} The file is damaged. {AGAIN}, and make another ParquetSource."
            ) from error
        check_length(table, self._parts()[k])
        return table

    def _read(self, part):
        k = np.searchsorted(self._ends, part.start)
        # several groups are read at the same time, or several columns of one group
        return self._as_rows(self._table(k, use_threads=self._n_readers == 1))

    def _take(self, rows):
        taken = [np.empty((0, self.shape[1]), self.dtype)]
        for part, k in self._touched(rows):
            inside = rows[(rows >= part.start) & (rows < part.stop)] - part.start
            taken.append(self._as_rows(self._table(k).take(inside)))
        return np.concatenate(taken)

    def _as_rows(self, table):
        """Return the rows of a table as an array."""
        columns = [column.to_numpy() for column in table.columns]
        rows = np.empty((table.num_rows, len(columns)), dtype=self.dtype)
        for start in range(0, len(rows), ASSEMBLED):
            some = slice(start, start + ASSEMBLED)
            block = rows[some]
            for j, column in enumerate(columns):
                block[:, j] = column[some]
        return rows
