"""Labelled rows from a file: CSV, NumPy archives, svmlight.

Every error is a `ValueError` whose message is one sentence for the owner of the
file, or an `OSError`.
"""

import bz2
import csv
import gzip
import math
import zipfile
import zlib
from array import array
from bisect import bisect
from difflib import get_close_matches
from io import BytesIO
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array, issparse
from sklearn.datasets import load_svmlight_file

CSR_PARTS = ("data", "indices", "indptr", "shape")
HUGE = np.float64(1e150)  # the square is still a number
PACKED = {".gz": gzip.open, ".bz2": bz2.open}


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
    X : ndarray or CSR matrix of shape (n_rows, n_features)
        Finite numbers.
    y : ndarray of shape (n_rows,)
        Labels: strings from CSV, otherwise as they are stored.

    Raises
    ------
    ValueError
        For a file that does not hold that, naming the line or the row.
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
    with path.open("rb") as file:
        if not file.read(1):
            raise ValueError("the file is empty.")
    X, y = READERS[kind](path) if target is None else read_csv(path, target)
    check_target(y)
    check_features(X, len(y))
    return X if X.dtype.kind == "f" else X.astype(np.float64), y


def read_csv(path, target=None):
    """Return the numbers and the labels of a CSV file."""
    numbers, labels = array("d"), []
    with path.open(newline="", encoding="utf-8-sig") as file:
        lines = csv.reader(file)
        try:
            header = [name.strip() for name in next(lines)]
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
    return np.array(numbers).reshape(len(labels), len(names)), np.array(labels)


def find_column(header, target):
    """Return the position of the target column, or say which ones there are."""
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            raise ValueError(f"its columns are separated by {name}, not by commas.")
    shown = ", ".join(header[:20]) + (" …" if len(header) > 20 else "")
    columns = f"The columns (separated by commas) are: {shown}"
    if target is None:
        raise ValueError(f"which column (--target) holds the labels? {columns}")
    if "" in header:
        raise ValueError(
            f"column {header.index('') + 1} of the header has no name; if it only "
            "counts the rows, remove it: it could give the labels away."
        )
    repeated = [name for name in header if header.count(name) > 1]
    if repeated:
        raise ValueError(f"the header names the column {repeated[0]!r} twice.")
    if target not in header:
        close = get_close_matches(target, header, 1, 0.5)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"there is no column {target!r}.{hint} {columns}")
    return header.index(target)


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
    if not zipfile.is_zipfile(path):
        raise ValueError("this is no NumPy archive.")
    try:
        with np.load(path, allow_pickle=False) as archive:
            names = archive.files
            wanted = {"X", "y", "format", *CSR_PARTS}.intersection(names)
            arrays = {name: archive[name] for name in wanted}
            if any(not isinstance(part, np.ndarray) for part in arrays.values()):
                raise ValueError("a member is not in NumPy's format")
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"this is no archive of plain arrays: {error}") from None
    if {"X", "y"} <= wanted:
        return arrays["X"], arrays["y"]
    if {"y", *CSR_PARTS} <= wanted:
        if arrays.get("format", np.array("csr")).tolist() not in ("csr", b"csr"):
            raise ValueError(f"the sparse format is {arrays['format']}, not csr.")
        return join_csr(*(arrays[name] for name in CSR_PARTS)), arrays["y"]
    raise ValueError(
        f"the archive holds {', '.join(names) or 'nothing'}; needed are X and y, or "
        f"{', '.join(CSR_PARTS)} and y."
    )


def join_csr(data, indices, indptr, shape):
    """Return a CSR matrix whose every index has been checked."""
    try:
        if any(part.dtype.kind not in "iu" for part in (indices, indptr, shape)):
            raise ValueError("indices, indptr and shape must be integers")
        X = csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
        X.check_format(full_check=True)
    except (ValueError, TypeError, IndexError) as error:
        raise ValueError(f"this is no CSR matrix: {error}") from None
    return X


def read_svmlight(path):
    """Return the rows and labels of an svmlight file."""
    try:
        return load_svmlight_file(str(path))
    except (ValueError, OverflowError) as error:
        bad = bad_line(path)
        raise ValueError(f"line {bad} is not in svmlight format: {error}") from None
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"the file cannot be unpacked: {error}") from None


def bad_line(path):
    """Return the number of the first line that is not in svmlight format."""
    with PACKED.get(path.suffix.lower(), open)(path, "rb") as file:
        lines = file.readlines()

    def fails(n_lines):
        try:
            load_svmlight_file(BytesIO(b"".join(lines[:n_lines])), n_features=2**31)
        except (ValueError, OverflowError):
            return True
        return False

    return 1 + bisect(range(1, len(lines)), False, key=fails)


def check_features(X, n_labels):
    """Refuse what is not a table of finite numbers with a label for each row."""
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ValueError(
            f"the features must be a table of numbers, not {X.ndim}-D of {X.dtype}."
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


def check_target(y):
    """Refuse labels that are no classes."""
    if y.ndim != 1:
        raise ValueError(
            f"y has the shape {y.shape}; one label for each row is needed."
        )
    if y.dtype.kind not in "biufUS":
        raise ValueError(f"labels of the type {y.dtype} are no class labels.")
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
