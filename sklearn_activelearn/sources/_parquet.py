"""Parquet files as a source, read one row group at a time."""

import os
from collections import Counter
from collections.abc import Sequence
from glob import glob, has_magic
from os import fspath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..utils.typing import FilePath
from ._source import Source, check_length, parts_between

if TYPE_CHECKING:
    from pyarrow import ChunkedArray, Table

#: Advice for a file that is broken.
AGAIN = "Copy or download it again, or write it again"

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
        folders), several files in the given order, or a dataset of parquet files
        without a filter.
    columns : list of str, default=None
        Names of the columns that are features, in this order. None: all columns of the
        files. A column of numbers is a feature. A column of lists of numbers, which
        have the same length (an embedding), is as many features. Partition columns,
        whose values are in the paths, are not read.

    Attributes
    ----------
    columns : list of str
        Names of the features. Lists of the column ``"v"`` have the features ``"v_0"``,
        ``"v_1"`` and so on.
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
        damaged. Checksums of pages are verified where a file has them; a dataset is
        read with its own options.
    TypeError, ValueError
        If a file is not a parquet file, files have different columns, a column is
        missing, named twice or not numeric, or a dataset is filtered; and when rows are
        read, if the size or the modification time of a file has changed since it was
        opened, or lists have different lengths.

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
        dataset = open_dataset(path)
        import pyarrow as pa

        fragments = list(dataset.get_fragments())
        if not fragments:
            raise ValueError(f"{path!r} contains no parquet files.")
        if isinstance(path, str | os.PathLike):
            fragments.sort(key=lambda fragment: fragment.path)
        self._fragments = fragments
        self._options = dataset.format.default_fragment_scan_options
        self._states = self._file_states()
        for fragment in fragments:
            check_readable(fragment)
        if columns is None:
            columns = fragments[0].physical_schema.names
        names = list(columns)
        check_unique_names(names)
        types = [numeric_types(fragment, names) for fragment in fragments]
        for fragment, other in zip(fragments, types, strict=True):
            if other != types[0]:
                raise ValueError(
                    f"{fragment.path} and {fragments[0].path} have different "
                    f"types of columns: {other} and {types[0]}."
                )
        kinds = [number_type(kind).to_pandas_dtype() for kind in types[0].values()]
        needs_double = np.result_type(*kinds, np.float32) != np.float32
        self.dtype = np.dtype(np.float64 if needs_double else np.float32)
        #: Row groups, and the numbers of their first rows in the files.
        self.groups, self._first = [], []
        sizes = []
        for fragment in fragments:
            n_before = 0
            for group in fragment.split_by_row_group():
                if n_rows := group.row_groups[0].num_rows:
                    sizes.append(n_rows)
                    self.groups.append(group)
                    self._first.append(n_before)
                n_before += n_rows
        #: The columns that are read; for columns of lists, the length of the lists.
        self._widths = {
            name: list_length(kind, self.groups, name) if is_list(kind) else None
            for name, kind in types[0].items()
        }
        self.columns = [
            feature
            for name, width in self._widths.items()
            for feature in (
                [name] if width is None else [f"{name}_{j}" for j in range(width)]
            )
        ]
        check_unique_names(self.columns)
        self._ends = np.cumsum([0, *sizes])
        self.shape = int(self._ends[-1]), len(self.columns)
        self.kept = {}
        block_bytes = max(sizes, default=1) * len(self.columns) * self.dtype.itemsize
        n_readers = min(pa.cpu_count(), len(sizes), AHEAD_BYTES // max(block_bytes, 1))
        self._n_readers = max(n_readers, 1)

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
            The rows in the given order, a column for each feature.
        """
        import pyarrow as pa

        self.check_unchanged()
        numbers = np.atleast_1d(np.arange(len(self))[rows])
        tables, places = [], np.empty(len(numbers), dtype=np.int64)
        n_taken = 0
        for part, k in self._touched(numbers):
            (inside,) = np.nonzero((numbers >= part.start) & (numbers < part.stop))
            table = self._table(k).take(numbers[inside] - part.start)
            tables.append(self._as_features(table, numbers[inside]))
            places[inside] = n_taken + np.arange(len(inside))
            n_taken += len(inside)
        if not tables:
            return self.blank().slice(0, 0)
        return pa.concat_tables(tables).take(places)

    def blank(self) -> "Table":
        import pyarrow as pa

        return pa.table({name: np.zeros(1, self.dtype) for name in self.columns})

    def check_unchanged(self) -> None:
        """Raise if a file has changed since it was opened."""
        states = zip(self._fragments, self._file_states(), self._states, strict=True)
        for fragment, state, before in states:
            if state != before:
                raise ValueError(
                    f"X has changed: {fragment.path} was written again or removed "
                    "after it was opened. Make another ParquetSource."
                )

    def _file_states(self):
        """Return the size and the modification time of each file."""
        filesystem = self._fragments[0].filesystem
        paths = [fragment.path for fragment in self._fragments]
        return [(info.size, info.mtime_ns) for info in filesystem.get_file_info(paths)]

    def place_of(self, row: int) -> str:
        """Return the file of a row, and the number of the row in this file, in words.

        Parameters
        ----------
        row : int
            Row number.

        Returns
        -------
        place : str
            For example ``"row 3 of folder/1.parquet"``.
        """
        k = int(np.searchsorted(self._ends, row, side="right")) - 1
        position = self._first[k] + int(row) - int(self._ends[k])
        return f"row {position} of {self.groups[k].path}"

    def read_column(self, name: str) -> "ChunkedArray":
        """Return a column of all rows, such as their ids.

        Parameters
        ----------
        name : str
            Name of the column.

        Returns
        -------
        values : pyarrow.ChunkedArray of length n_samples
            The values, in the order of the rows.

        Raises
        ------
        ValueError
            If a file has no column of this name.
        """
        import pyarrow as pa

        self.check_unchanged()
        for fragment in self._fragments:
            check_has_column(fragment, name)
        none = self._fragments[0].head(0, columns=[name])
        tables = [self._table(k, names=[name]) for k in range(len(self.groups))]
        return pa.concat_tables([none, *tables]).column(0)

    def _parts(self, n_jobs=1):
        return parts_between(self._ends)

    def _touched(self, rows):
        """Return the slices and numbers of the row groups that contain the rows."""
        touched = np.unique(np.searchsorted(self._ends, rows, side="right") - 1)
        parts = self._parts()
        return [(parts[k], k) for k in touched.tolist()]

    def _table(self, k, names=None):
        """Return a row group: the columns with these names, or all features."""
        import pyarrow as pa

        names = [*self._widths] if names is None else names
        group = self.groups[k]
        try:
            table = group.to_table(columns=names, fragment_scan_options=self._options)
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
        table = self._table(k)
        return self._as_rows(table, range(part.start, part.stop))

    def _take(self, rows):
        taken = [np.empty((0, self.shape[1]), self.dtype)]
        for part, k in self._touched(rows):
            inside = rows[(rows >= part.start) & (rows < part.stop)]
            table = self._table(k).take(inside - part.start)
            taken.append(self._as_rows(table, inside))
        return np.concatenate(taken)

    def _as_rows(self, table, numbers):
        """Return the rows of a table, which have these numbers, as an array."""
        columns = [
            column.to_numpy() if width is None else self._vectors(column, name, numbers)
            for column, (name, width) in zip(
                table.columns, self._widths.items(), strict=True
            )
        ]
        if len(columns) == 1 and columns[0].ndim == 2:
            return columns[0].astype(self.dtype, copy=False)
        rows = np.empty((table.num_rows, self.shape[1]), dtype=self.dtype)
        for start in range(0, len(rows), ASSEMBLED):
            some, j = slice(start, start + ASSEMBLED), 0
            block = rows[some]
            for column in columns:
                if column.ndim == 1:
                    block[:, j] = column[some]
                    j += 1
                else:
                    block[:, j : j + column.shape[1]] = column[some]
                    j += column.shape[1]
        return rows

    def _as_features(self, table, numbers):
        """Return a table with a column for each feature instead of columns of lists."""
        import pyarrow as pa

        columns = []
        for column, name in zip(table.columns, self._widths, strict=True):
            if self._widths[name] is None:
                columns.append(column)
            else:
                vectors = self._vectors(column, name, numbers)
                columns += [pa.array(values) for values in vectors.T]
        return pa.table(columns, names=self.columns)

    def _vectors(self, lists, name, numbers):
        """Return a column of lists as rows of numbers; missing numbers are NaN."""
        import pyarrow.compute as pc

        width = self._widths[name]
        lengths = pc.list_value_length(lists).fill_null(width).to_numpy()
        for wrong in np.flatnonzero(lengths != width)[:1]:
            raise ValueError(
                f"The lists of the column {name!r} must have {width} numbers each, as "
                f"the first list, got {lengths[wrong]} numbers in "
                f"{self.place_of(numbers[wrong])}."
            )
        if lists.num_chunks == 1:
            return vectors_of_lists(lists.chunk(0), width)  # not copied
        vectors = [vectors_of_lists(chunk, width) for chunk in lists.chunks]
        return np.concatenate([np.empty((0, width), self.dtype), *vectors])


def open_dataset(path):
    """Return the files that a user names as a dataset that verifies checksums."""
    try:
        import pyarrow as pa
        import pyarrow.dataset as ds
    except ImportError as error:
        raise ImportError(
            "ParquetSource needs pyarrow. Install it: pip install pyarrow"
        ) from error
    if not isinstance(path, ds.Dataset):
        options = ds.ParquetFragmentScanOptions(page_checksum_verification=True)
        checked = ds.ParquetFileFormat(default_fragment_scan_options=options)
        # with a schema nothing is read yet
        try:
            return ds.dataset(find_files(path), format=checked, schema=pa.schema([]))
        except FileNotFoundError as error:
            raise FileNotFoundError(
                f"There are no parquet files there ({error}). Relative paths begin at "
                f"{os.getcwd()}."
            ) from None
        except IsADirectoryError as error:
            raise IsADirectoryError(
                "A list of parquet files contains a folder. Pass the folder alone, or "
                f"its files as a glob, such as 'folder/*.parquet'. {error}"
            ) from error
    is_files = isinstance(path, ds.FileSystemDataset)
    if not is_files or path.format.default_extname != "parquet":
        raise TypeError(f"X must be a dataset of parquet files, got {path!r}.")
    try:
        path.get_fragments()
    except ValueError as error:
        raise ValueError(
            "X is a filtered dataset, which does not tell its files. Pass the files, "
            "or write the rows with pyarrow.dataset.write_dataset(X, folder, "
            'format="parquet"), and pass the folder.'
        ) from error
    return path


def find_files(path):
    """Return a list of files or a path as it is, or the files that match a glob."""
    if isinstance(path, list | tuple):
        return [name for one in path for name in expand_glob(fspath(one))]
    names = expand_glob(fspath(path))
    return names[0] if names == [fspath(path)] else names


def expand_glob(name):
    """Return the files that match a glob, sorted; another name as it is."""
    if not has_magic(name) or "://" in name or os.path.exists(name):
        return [name]
    names = sorted(filter(os.path.isfile, glob(name, recursive=True)))
    if not names:
        raise FileNotFoundError(
            f"no file matches {name!r}. A glob must match files, such as "
            "'folder/*/*.parquet'."
        )
    return names


def check_readable(fragment):
    """Raise an error that names a file, if its metadata cannot be read."""
    import pyarrow as pa

    try:
        fragment.ensure_complete_metadata()
    except (pa.ArrowException, OSError) as error:
        raise ValueError(
            f"{fragment.path} cannot be read as a parquet file: {error} {AGAIN}, or "
            "leave it out: pass the parquet files as a glob, such as "
            "'folder/*.parquet'."
        ) from error


def check_unique_names(names):
    """Raise if a name occurs twice."""
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"columns must be unique, got {name!r} {count} times.")


def check_has_column(fragment, name):
    """Raise if a file has no column of a name."""
    names = fragment.physical_schema.names
    if name not in names:
        raise ValueError(
            f"{fragment.path} has no column {name!r}. Its columns are {names}."
        )


def is_list(kind):
    """Return True for an Arrow type of lists."""
    from pyarrow import types

    kinds = types.is_list, types.is_large_list, types.is_fixed_size_list
    return any(is_kind(kind) for is_kind in kinds)


def number_type(kind):
    """Return the Arrow type of the numbers in a column of numbers or of lists."""
    return kind.value_type if is_list(kind) else kind


def numeric_types(fragment, names):
    """Return the types of columns of a file by name; all must be numbers, or lists."""
    from pyarrow import types

    found = {field.name: field.type for field in fragment.physical_schema}
    kinds = types.is_integer, types.is_floating, types.is_boolean
    for name in names:
        check_has_column(fragment, name)
        if not any(is_kind(number_type(found[name])) for is_kind in kinds):
            raise ValueError(
                f"The column {name!r} of {fragment.path} has the type {found[name]}, "
                "not numbers. Pass the names of the features as columns."
            )
    return {name: found[name] for name in names}


def list_length(kind, groups, name):
    """Return the length of the lists in a column: of the first list that is there."""
    from pyarrow import types

    if types.is_fixed_size_list(kind):
        return kind.list_size
    for group in groups:
        lists = group.head(1, columns=[name]).column(name).drop_null()
        if not len(lists):
            lists = group.to_table(columns=[name]).column(name).drop_null()
        if len(lists):
            return len(lists[0])
    if groups:
        raise ValueError(
            f"The lists of the column {name!r} are all missing, so their length is "
            "not known. Leave the column out of columns."
        )
    return 0


def vectors_of_lists(lists, width):
    """Return lists of one length as rows; missing lists are rows of NaN."""
    # without the numbers of missing lists
    vectors = lists.flatten().to_numpy(zero_copy_only=False).reshape(-1, width)
    if not lists.null_count:
        return vectors
    rows = np.full((len(lists), width), np.nan)
    rows[lists.is_valid().to_numpy(zero_copy_only=False)] = vectors
    return rows
