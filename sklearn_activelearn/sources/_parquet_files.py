"""Parquet files: finding and opening them, and noticing that they have changed."""

import os
from glob import glob, has_magic
from os import fspath

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
    partitions : dict of str to list
        For each partition column its values, one for each file.
    options : pyarrow.dataset.ParquetFragmentScanOptions
        Options of reading: checksums of pages are verified.
    """

    def __init__(self, path):
        dataset = open_dataset(path)
        self.fragments = list(dataset.get_fragments())
        if not self.fragments:
            raise ValueError(f"{path!r} contains no parquet files.")
        self.options = dataset.format.default_fragment_scan_options
        self._states = self._file_states()
        for fragment in self.fragments:
            check_readable(fragment)
        self.partitions = partition_values(self.fragments)

    def check_unchanged(self):
        """Raise if the size or the modification time of a file has changed."""
        states = zip(self.fragments, self._file_states(), self._states, strict=True)
        for fragment, state, before in states:
            if state != before:
                raise ValueError(
                    f"X has changed: {fragment.path} was written again or removed "
                    "after it was opened. Make another ParquetSource."
                )

    def _file_states(self):
        """Return the size and the modification time of each file."""
        filesystem = self.fragments[0].filesystem
        paths = [fragment.path for fragment in self.fragments]
        return [(info.size, info.mtime_ns) for info in filesystem.get_file_info(paths)]


def open_dataset(path):
    """Return the files that a user names as a dataset that verifies checksums."""
    try:
        import pyarrow.dataset as ds
    except ImportError as error:
        raise ImportError(
            "ParquetSource needs pyarrow. Install it: pip install pyarrow"
        ) from error
    options = ds.ParquetFragmentScanOptions(page_checksum_verification=True)
    checked = ds.ParquetFileFormat(default_fragment_scan_options=options)
    if not isinstance(path, ds.Dataset):
        filesystem, files = find_files(path)
        if not files:
            raise ValueError(f"{path!r} contains no parquet files.")
        # pyarrow reads the columns of the first file
        check_readable(next(list_files(files, filesystem).get_fragments()))
        return ds.dataset(
            files, format=checked, filesystem=filesystem, partitioning="hive"
        )
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


def partition_values(fragments):
    """Return the values of partition columns, one for each file, by their names."""
    import pyarrow.dataset as ds

    files = [ds.get_partition_keys(one.partition_expression) for one in fragments]
    stored = fragments[0].physical_schema.names
    names = {name: None for values in files for name in values if name not in stored}
    return {name: [values.get(name) for values in files] for name in names}


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
        found = list_files(names)
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


def list_files(names, filesystem=None):
    """Return a dataset of files that have not been read."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    how = {"format": "parquet", "schema": pa.schema([])}
    return ds.dataset(names, filesystem=filesystem, **how)


def is_glob(name):
    """Return True for a local path with wildcards that is not the name of a file."""
    return has_magic(name) and "://" not in name and not os.path.exists(name)


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
    """Raise an error that names a file, if its metadata cannot be read."""
    import pyarrow as pa

    try:
        fragment.ensure_complete_metadata()
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"There is no file {fragment.path}. Check the path."
        ) from error
    except (pa.ArrowException, OSError) as error:
        raise ValueError(
            f"{fragment.path} cannot be read as a parquet file: {error} {AGAIN}, or "
            "leave it out: pass the parquet files as a glob, such as "
            "'folder/*.parquet'."
        ) from error
