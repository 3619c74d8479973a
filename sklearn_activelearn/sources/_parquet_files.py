"""Parquet files: finding and opening them, and noticing that they have changed."""

import os
import re
import time
from copy import copy
from glob import glob, has_magic
from os import fspath
from urllib.parse import unquote

from ..exceptions import warn_user

#: Resolution of the times of some file systems, in nanoseconds. A file that was written
#: shortly before it was opened may be written again with the same time.
COARSEST_TIME = 2 * 10**9

#: The first and the last bytes of a parquet file.
MAGIC = b"PAR1"

#: Name of the folder of rows whose value of a partition column is missing.
MISSING_PARTITION = "__HIVE_DEFAULT_PARTITION__"

#: Advice for a file that is broken.
AGAIN = "Copy or download it again, or write it again"


class ParquetFiles:
    """The files of a `ParquetSource`, opened.

    Parameters
    ----------
    path : str, path, list of them or pyarrow.dataset.Dataset
        As of `ParquetSource`.

    Attributes
    ----------
    fragments : list of pyarrow.dataset.ParquetFileFragment
        The files, in their order.
    schema : pyarrow.Schema
        Columns of the files, and partition columns of a dataset.
    filter : pyarrow.dataset.Expression or None
        Condition that rows must meet.
    partitions : list of dict
        Values of the partition columns, for each file.
    options : pyarrow.dataset.ParquetFragmentScanOptions
        How files are read: checksums of pages are verified.
    """

    def __init__(self, path):
        self.path = path
        self.fragments, schema, self.options, self.filter = open_fragments(path)
        if not self.fragments:
            raise ValueError(f"{path!r} contains no parquet files.")
        self._known = {fragment.path for fragment in self.fragments}
        self._opened, self._states = time.time_ns(), self._file_states()
        for fragment in self.fragments:
            check_readable(fragment)
        self.schema = self.fragments[0].physical_schema if schema is None else schema
        self.partitions = [partition_values(fragment) for fragment in self.fragments]

    def partition_columns(self):
        """Return the values of each partition column, for each file, by its name."""
        names = {name: None for values in self.partitions for name in values}
        stored = self.fragments[0].physical_schema.names
        return {
            name: plain_values([values.get(name) for values in self.partitions])
            for name in names
            if name not in stored
        }

    def check_unchanged(self):
        """Raise if a file has changed since it was opened; warn of new files."""
        again = "Make another ParquetSource."
        states = zip(self.fragments, self._file_states(), self._states, strict=True)
        for fragment, state, before in states:
            if state[0] is None and before[0] is not None:
                raise ValueError(
                    f"X has changed: {fragment.path} is not there any more. Put it "
                    "back, or make another ParquetSource."
                )
            if state[0] != before[0]:
                raise ValueError(
                    f"X has changed: {fragment.path} had {before[0]} bytes when it was "
                    f"opened, now it has {state[0]}. {again}"
                )
            if state != before or not self._has_old_footer(fragment, *before[1:]):
                raise ValueError(
                    f"X has changed: {fragment.path} was written, or its status "
                    f"changed, after it was opened. {again}"
                )
        if not may_grow(self.path):
            return
        kinds = {os.path.splitext(name)[1] for name in self._known}
        found = {*find_files(self.path)[1]} - self._known
        new = sorted(name for name in found if os.path.splitext(name)[1] in kinds)
        if new:
            self._known |= {*new}  # said once
            names = f"{new[0]} and {len(new) - 1} more" if new[1:] else new[0]
            warn_user(
                f"There are new files since X was opened: {names}. Their rows are not "
                "in the pool. Make another ParquetSource to read them, and pass ids, "
                "because rows may have other numbers then."
            )

    def _file_states(self):
        """Return the size of each file and the times of its last changes."""
        filesystem = self.fragments[0].filesystem
        paths = [fragment.path for fragment in self.fragments]
        return [
            (info.size, info.mtime_ns, status_time(filesystem, info))
            for info in filesystem.get_file_info(paths)
        ]

    def _has_old_footer(self, fragment, written, changed):
        """Return True if a file is unchanged by its times or else by its metadata."""
        import pyarrow.parquet as pq

        newest = max(written or self._opened, changed or 0)
        if newest < self._opened - COARSEST_TIME:
            return True
        footer = pq.read_metadata(fragment.path, filesystem=fragment.filesystem)
        return footer.equals(fragment.metadata)


def open_fragments(path):
    """Return the files that a user names, their schema if given, options and filter."""
    try:
        import pyarrow.dataset as ds
    except ImportError as error:
        raise ImportError(
            "ParquetSource needs pyarrow. Install it: pip install pyarrow"
        ) from error
    if not isinstance(path, ds.Dataset):
        filesystem, files = find_files(path)
        options = ds.ParquetFragmentScanOptions(page_checksum_verification=True)
        return fragments_of(files, filesystem), None, options, None
    is_files = isinstance(path, ds.FileSystemDataset)
    if not is_files or path.format.default_extname != "parquet":
        raise TypeError(f"X must be a dataset of parquet files, got {path!r}.")
    options = path.format.default_fragment_scan_options
    keys = "decryption_properties", "parquet_decryption_config"
    if not any(getattr(options, name, None) for name in keys):  # a copy has no keys
        options = copy(options)  # the dataset is the user's
        options.page_checksum_verification = True
    condition = filter_of(path)
    if condition is None:
        return list(path.get_fragments()), path.schema, options, None
    for fragment in fragments_of(path.files, path.filesystem):
        check_readable(fragment)
    # a filtered dataset does not give its files, but its batches do
    batches = path.scanner(columns=[], fragment_scan_options=options).scan_batches()
    found = {batch.fragment.path: batch.fragment for batch in batches}
    fragments = [found[name] for name in path.files if name in found]
    return fragments, path.schema, options, condition


def filter_of(dataset):
    """Return the condition that the rows of a dataset must meet, or None."""
    try:
        dataset.get_fragments()
    except ValueError as error:
        # no public name of pyarrow returns the condition
        options = getattr(dataset, "_scanner_options", dict)({})
        if "filter" in options:
            return options["filter"]
        raise ValueError(
            "This version of pyarrow does not tell the filter of X. Write the rows to "
            'files with pyarrow.dataset.write_dataset(X, folder, format="parquet").'
        ) from error
    return None


def partition_values(fragment):
    """Return the values of partition columns that the path of a file has, by name."""
    import pyarrow.dataset as ds

    values = ds.get_partition_keys(fragment.partition_expression)
    if values:
        return values
    found = re.findall(r"(?:^|/)([^/=]+)=([^/]*)(?=/)", fragment.path)
    return {
        unquote(name): None if value == MISSING_PARTITION else unquote(value)
        for name, value in found
    }


def plain_values(values):
    """Return texts as integers if all of them are integers, and others as they are."""
    if all(re.fullmatch(r"0|-?[1-9]\d{0,17}", str(value)) for value in values):
        return [*map(int, values)]
    return values


def find_files(path):
    """Return the file system, and the files that a path or a list names.

    Files of a folder or a glob are sorted by their paths. Nothing is read.
    """
    if not isinstance(path, list | tuple):
        path = fspath(path)
        names = expand_glob(path) if is_glob(path) else path
    else:
        names = [name for one in path for name in expand_glob(fspath(one))]
    if not names:
        return None, []
    try:
        found = dataset_without_schema(names, None)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"There is no file or folder {error}. Check the path of the parquet files; "
            f"relative paths begin at {os.getcwd()}."
        ) from error
    except IsADirectoryError as error:
        raise IsADirectoryError(
            "A list of parquet files contains a folder. Pass the folder alone, or its "
            f"files as a glob, such as 'folder/*.parquet'. {error}"
        ) from error
    except OSError as error:
        raise OSError(f"{path!r} cannot be opened: {error}") from error
    return found.filesystem, found.files if names is not path else sorted(found.files)


def fragments_of(files, filesystem):
    """Return files as fragments of a dataset, in their order."""
    if not files:
        return []
    return list(dataset_without_schema(files, filesystem).get_fragments())


def dataset_without_schema(names, filesystem):
    """Return a dataset of files that have not been read."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    how = {"format": "parquet", "schema": pa.schema([])}
    return ds.dataset(names, filesystem=filesystem, **how)


def is_glob(name):
    """Return True for a local path with wildcards that is not the name of a file."""
    return has_magic(name) and "://" not in name and not os.path.exists(name)


def may_grow(path):
    """Return True if the files of a path, list or dataset may become more."""
    if isinstance(path, list | tuple):
        return any(is_glob(fspath(one)) for one in path)
    return isinstance(path, str | os.PathLike)


def expand_glob(name):
    """Return the sorted names of the files that match a glob; other names in a list."""
    if not is_glob(name):
        return [name]
    names = sorted(filter(os.path.isfile, glob(name, recursive=True)))
    if not names:
        raise FileNotFoundError(
            f"No file matches {name!r}. A glob must match files, such as "
            f"'folder/*/*.parquet'; relative paths begin at {os.getcwd()}."
        )
    return names


def check_readable(fragment):
    """Raise an error that says what is wrong with a file, if it cannot be opened."""
    import pyarrow as pa

    try:
        fragment.ensure_complete_metadata()
    except (pa.ArrowException, OSError) as error:
        raise why_not_opened(fragment, error) from error


def why_not_opened(fragment, error):
    """Return an error that says why a file is not a parquet file."""
    name, filesystem = fragment.path, fragment.filesystem
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(f"There is no file {name}. Check the path.")
    try:
        with filesystem.open_input_file(name) as file:
            size, first = file.size(), file.read(4)
            file.seek(max(size - 4, 0))
            last = file.read(4)
    except OSError as error:
        return OSError(f"{name} cannot be read: {error}")
    if size == 0:
        return ValueError(f"{name} is empty. {AGAIN}, or leave it out.")
    if first != MAGIC:
        return ValueError(
            f"{name} is not a parquet file: it begins with {first!r}. Remove it from "
            "the folder, or pass the parquet files as a glob, such as "
            "'folder/*.parquet'."
        )
    if last != MAGIC:
        return ValueError(
            f"{name} is cut: it begins as a parquet file, but its end is missing after "
            f"{size} bytes. {AGAIN}."
        )
    return ValueError(f"{name} has a broken footer: {error} {AGAIN}.")


def status_time(filesystem, info):
    """Return the time at which the status of a local file changed last, or None.

    Programs can set the modification time of a file, but not this time.
    """
    from pyarrow.fs import LocalFileSystem

    is_local = isinstance(filesystem, LocalFileSystem) and os.name == "posix"
    return os.stat(info.path).st_ctime_ns if is_local and info.is_file else None
