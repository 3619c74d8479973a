"""Labelled rows from a file: CSV, NumPy archives, svmlight.

Every error is a `ValueError` whose message is one sentence for the owner of the
file, or an `OSError`.
"""

import bz2
import csv
import gzip
import math
import os
import stat
import zipfile
import zlib
from array import array
from collections import Counter
from difflib import get_close_matches
from io import UnsupportedOperation
from pathlib import Path
from warnings import catch_warnings

import numpy as np
from numpy.lib import format as npy
from scipy.sparse import coo_array, csr_array, issparse
from sklearn.datasets import load_svmlight_file

NPY_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
CSR_PARTS = ("data", "indices", "indptr", "shape")
HUGE = np.float64(1e150)  # the square is still a number
PACKED = {".gz": gzip.open, ".bz2": bz2.open}
LONGEST_LINE = 2**26  # bytes or characters; cells and numbers take ten times as much


def physical_memory():
    """Return the bytes of this machine, or 16 GiB where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2**34


#: Bytes that a file and what is read from it may take: copies are made of both.
ROOM = physical_memory() // 4


class TooLarge(ValueError):
    """What a file holds, or says that it holds, does not fit in the memory."""


def check_room(n_bytes, what):
    """Refuse what would take more than its share of the memory."""
    if n_bytes > ROOM:
        raise TooLarge(
            f"{what} would take {n_bytes / 1e9:,.1f} GB, more than a quarter of the "
            "memory of this machine."
        )


class Lines:
    """The lines of a file, counted; refused as soon as they take too much memory.

    Parameters
    ----------
    file : file
        Of bytes or text.
    separator : bytes or str
        What stands between numbers, or within each.
    """

    def __init__(self, file, separator):
        self.file, self.separator = file, separator
        self.number = self.size = 0

    def __iter__(self):
        while line := self.file.readline(LONGEST_LINE):
            self.number += 1
            if len(line) == LONGEST_LINE:
                raise TooLarge(
                    f"line {self.number} is longer than {LONGEST_LINE - 1} characters."
                )
            # a number with its column takes 16 bytes, the objects of a row some 64
            self.size += max(len(line), 64 + 16 * line.count(self.separator))
            check_room(self.size, f"what stands up to line {self.number}")
            yield line

    def read(self, size=-1):
        """Refuse; for scikit-learn, what has this method is a file."""
        raise UnsupportedOperation("this file is read by lines")


def brief(message):
    """Return as much of a message, or of something else, as belongs in a sentence."""
    text = f"{getattr(message, 'strerror', None) or message}".strip()
    return text.partition("\n")[0][:200] or type(message).__name__


def read_data(path, target=None):
    """Read rows and labels; the end of the file's name says what it is.

    Parameters
    ----------
    path : str or path-like
        `.csv` with a header line; `.npz` with arrays X and y, or data, indices,
        indptr, shape (the parts of a CSR matrix) and y; `.svm`, `.svmlight`,
        `.libsvm` or `.txt` for svmlight, which may be packed as `.gz` or `.bz2`.
    target : str, default=None
        Column of the labels; for CSV only, and needed there.

    Returns
    -------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Finite numbers.
    y : ndarray of shape (n_samples,)
        Labels: strings from CSV, otherwise as they are stored.

    Raises
    ------
    ValueError
        For a file that does not hold that, naming the line or the row; for one that
        takes more than a quarter of the memory; for a folder, pipe or device.
    OSError
        For a file that cannot be opened.
    """
    path = Path(path)
    packed = path.suffix.lower() in PACKED
    kind = Path(path.stem if packed else path).suffix.lower()
    if kind not in READERS or (packed and READERS[kind] is not read_svmlight):
        raise ValueError(
            f"what is in this file? Its name must end in {', '.join(READERS)}; the "
            f"last four may be followed by {' or '.join(PACKED)}."
        )
    if target is not None and kind != ".csv":
        raise ValueError("a target column can be chosen in .csv files only.")
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):  # to open a pipe would wait for a writer
        raise ValueError("only plain files are read, no folder, pipe or device.")
    if status.st_size == 0:
        raise ValueError("the file is empty.")
    check_room(status.st_size, "the file")
    X, y = READERS[kind](path) if target is None else read_csv(path, target)
    check_target(y)
    check_features(X, len(y))
    check_weights(X.shape[1], len(np.unique(y)))
    return X if X.dtype.kind == "f" else X.astype(np.float64), y


def read_csv(path, target=None):
    """Return the numbers and the labels of a CSV file."""
    numbers, labels = array("d"), []
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = csv.reader(Lines(file, ","))
        try:
            header = [name.strip() for name in next(lines, [])]
            column = find_column(header, target)
            names = header[:column] + header[column + 1 :]
            for cells in filter(None, lines):
                line = f"line {lines.line_num}"
                if len(cells) != len(header):
                    raise ValueError(
                        f"{line} has {len(cells)} cells, but the header has "
                        f"{len(header)}."
                    )
                label = cells.pop(column).strip()
                if not label:
                    raise ValueError(f"{line}, column {target!r}: no label.")
                labels.append(label)
                numbers.extend(parse_cells(cells, names, line))
        except UnicodeDecodeError:
            raise ValueError("this is no text in UTF-8.") from None
        except csv.Error as error:
            raise ValueError(f"line {lines.line_num}: {error}") from None
    longest = max(map(len, labels), default=0)
    check_room(4 * longest * len(labels), f"labels of up to {longest} characters")
    return np.array(numbers).reshape(len(labels), len(names)), np.array(labels)


def find_column(header, target):
    """Return the position of the target column, or say which ones there are."""
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            raise ValueError(f"its columns are separated by {name}, not by commas.")
    if target is None:
        raise ValueError(
            f"which column (--target) holds the labels? {columns_of(header)}"
        )
    if "" in header:
        raise ValueError(
            f"column {header.index('') + 1} of the header has no name; if it only "
            "counts the rows, remove it: it could give the labels away."
        )
    repeated = [name for name, count in Counter(header).items() if count > 1]
    if repeated:
        raise ValueError(f"the header names the column {repeated[0]!r} twice.")
    if target not in header:
        raise ValueError(no_column(target, header))
    return header.index(target)


def no_column(name, header):
    """Return a sentence for a column that is not there, with those that are."""
    close = get_close_matches(name, header, 1, 0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"there is no column {name!r}.{hint} {columns_of(header)}"


def columns_of(header):
    """Return a sentence with the names of the first columns."""
    shown = ", ".join(header[:20]) + (" …" if len(header) > 20 else "")
    return f"The columns (separated by commas) are: {shown}"


def parse_cells(cells, names, line):
    """Return the numbers of a line, or name the cell that is none."""
    try:
        numbers = [float(cell) for cell in cells]
    except ValueError:
        numbers = [math.nan]
    if all(map(math.isfinite, numbers)):
        return numbers
    for name, cell in zip(names, cells, strict=True):
        if not cell.strip():
            raise ValueError(f"{line}, column {name!r}: the cell is empty.")
        try:
            finite = math.isfinite(float(cell))
        except ValueError:
            raise ValueError(
                f"{line}, column {name!r}: {cell[:40]!r} is not a number."
            ) from None
        if not finite:
            raise ValueError(f"{line}, column {name!r}: {cell!r} is not finite.")
    raise AssertionError("unreachable")


def read_npz(path):
    """Return the arrays of a NumPy archive; nothing in it is executed."""
    # NumPy warns of headers that Python 2 wrote, and reads them
    with path.open("rb") as file, catch_warnings(action="ignore"):
        if not zipfile.is_zipfile(file):
            raise ValueError("this is no NumPy archive, or only the beginning of one.")
        try:
            with zipfile.ZipFile(file) as archive:
                names = {name.removesuffix(".npy"): name for name in archive.namelist()}
                wanted = names.keys() & {"X", "y", "format", *CSR_PARTS}
                arrays = read_members(
                    archive, {name: names[name] for name in sorted(wanted)}
                )
        except TooLarge:
            raise
        except Exception as error:  # a dozen kinds, from zipfile, zlib and NumPy
            raise ValueError(
                f"this is no archive of plain arrays: {brief(error)}"
            ) from None
    if {"X", "y"} <= wanted:
        return arrays["X"], arrays["y"]
    if {"y", *CSR_PARTS} <= wanted:
        if arrays.get("format", np.array("csr")).tolist() not in ("csr", b"csr"):
            raise ValueError(
                f"the sparse format is {brief(arrays['format'])}, not csr."
            )
        return join_csr(*(arrays[name] for name in CSR_PARTS)), arrays["y"]
    shown = ", ".join([*names][:20]) + (" …" if len(names) > 20 else "")
    raise ValueError(
        f"the archive holds {shown or 'nothing'}; needed are X and y, or "
        f"{', '.join(CSR_PARTS)} and y."
    )


def read_members(archive, names):
    """Return these members of a zip file as arrays, once all are known to fit."""
    members = [archive.getinfo(name) for name in names.values()]
    check_room(sum(member.file_size for member in members), "the unpacked arrays")
    sizes = [check_member(archive, member) for member in members]
    check_room(sum(sizes), "the arrays, as numbers of 8 bytes,")
    arrays = {}
    for key, name in names.items():
        with archive.open(name) as file:
            arrays[key] = npy.read_array(file, allow_pickle=False)
    return arrays


def check_member(archive, member):
    """Return the bytes of an array as float64; refuse a header that promises more."""
    name = member.filename
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # zipfile would unpack bzip2 and LZMA without a limit
        raise ValueError(f"{name} is packed by a method that NumPy does not use")
    with archive.open(name) as file:
        version = npy.read_magic(file)
        if version not in NPY_HEADERS:
            raise ValueError(f"{name} is in version {version} of NumPy's format")
        shape, _, dtype = NPY_HEADERS[version](file)
        n_bytes = member.file_size - file.tell()
    if any(type(length) is not int or length < 0 for length in shape):
        raise ValueError(f"{name} has the impossible shape {shape}")
    if dtype.hasobject:
        raise ValueError(f"{name} holds Python objects")
    count = math.prod(shape)
    if count * dtype.itemsize != n_bytes:
        raise ValueError(
            f"{name} has {n_bytes} bytes, not those of the shape {shape} of {dtype}"
        )
    return count * max(dtype.itemsize, 8)


def join_csr(data, indices, indptr, shape):
    """Return a CSR matrix whose every index has been checked."""
    try:
        if any(
            part.dtype.kind not in "iu" or np.any(part.astype(np.int64) < 0)
            for part in (indices, indptr, shape)
        ):
            raise ValueError("indices, indptr and shape must be integers from 0")
        X = csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
        X.check_format(full_check=True)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise ValueError(f"this is no CSR matrix: {brief(error)}") from None
    return X


def read_svmlight(path):
    """Return the rows and labels of an svmlight file."""
    with PACKED.get(path.suffix.lower(), open)(path, "rb") as file:
        lines = Lines(file, b":")
        try:
            return load_svmlight_file(lines)
        except TooLarge:
            raise
        except (ValueError, OverflowError) as error:
            raise ValueError(
                f"line {lines.number} is not in svmlight format: {brief(error)}"
            ) from None
        except (EOFError, OSError, zlib.error) as error:
            raise ValueError(f"the file cannot be unpacked: {error}") from None


def check_features(X, n_labels):
    """Refuse what is not a table of finite numbers with a label for each row."""
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ValueError(
            f"the features must be a table of numbers, not {X.ndim}-D of "
            f"{brief(X.dtype)}."
        )
    if X.shape[0] != n_labels:
        raise ValueError(f"there are {X.shape[0]} rows, but {n_labels} labels.")
    if 0 in X.shape:
        raise ValueError(f"there are {X.shape[0]} rows of {X.shape[1]} features.")
    if not np.all(np.abs(X.data if issparse(X) else X) < HUGE):
        entries = X.tocoo() if issparse(X) else coo_array(X)
        first = np.argmin(np.abs(entries.data) < HUGE)
        raise ValueError(
            f"row {entries.row[first]}, column {entries.col[first]} of the features, "
            f"counted from 0, is {entries.data[first]}, not a number below {HUGE}."
        )


def check_weights(n_features, n_classes):
    """Refuse features, of sparse rows, for which there could be no weights.

    A learner has some vectors of float64 for each class, in each of the processes.
    """
    check_room(
        64 * n_features * n_classes,
        f"the weights of {n_features} features for {n_classes} classes",
    )


def check_target(y):
    """Refuse labels that are no classes."""
    if y.ndim != 1:
        raise ValueError(
            f"y has the shape {y.shape}; one label for each row is needed."
        )
    if y.dtype.kind not in "biufUS":
        raise ValueError(f"labels of the type {brief(y.dtype)} are no class labels.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError(f"label {np.argmin(np.isfinite(y))}, from 0, is not finite.")
    if y.dtype.kind == "f" and (y != np.rint(y)).any():
        raise ValueError("the labels have fractions; class labels are needed.")


READERS = {
    ".csv": read_csv,
    ".npz": read_npz,
    ".svm": read_svmlight,
    ".svmlight": read_svmlight,
    ".libsvm": read_svmlight,
    ".txt": read_svmlight,
}
