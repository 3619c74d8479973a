"""Rows with labels, from a file of any kind, for ``compare``.

Every error about a file is an `OSError`, or a `ValueError` with a sentence for the
owner of the file.
"""

import bz2
import gzip
import zipfile
import zlib
from io import UnsupportedOperation
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array, issparse
from sklearn.datasets import load_digits, load_svmlight_file
from sklearn.preprocessing import StandardScaler

from .._tables.tables import (
    TABLES,
    TooLarge,
    cells_of,
    check_file,
    check_room,
    list_columns,
    read_table,
)
from .options import tell

CSR_PARTS = ("data", "indices", "indptr", "shape")
HUGE = np.float64(1e150)  # the squares of larger numbers would be infinite
LONGEST_LINE = 2**26  # bytes; the numbers of a line take ten times as much
WORDS_OF_A_TEXT = 100
PACKED = {".gz": gzip.open, ".bz2": bz2.open}
SVMLIGHT = (".svm", ".svmlight", ".libsvm", ".txt")


class LabelledData(NamedTuple):
    """Rows and labels, and the transformer that turns the rows into numbers.

    Attributes
    ----------
    X : {ndarray, CSR matrix, DataFrame} of shape (n_samples, n_columns)
        Numbers, or the columns of a table.
    y : ndarray of shape (n_samples,)
        Labels: strings from tables, otherwise as they are stored.
    encoder : transformer or None
        Unfitted. It needs no labels. None: the learners take the rows as they are.
    width : int
        About how many numbers an encoded row has.
    treated_as : list of str
        A line for each kind of column. Empty for files that are no tables.
    """

    X: object
    y: np.ndarray
    encoder: object
    width: int
    treated_as: list


def digits(standardize=True):
    """Return the digits of scikit-learn."""
    X, y = load_digits(return_X_y=True)
    return LabelledData(X, y, StandardScaler() if standardize else None, 64, [])


def read_labelled(path, target=None, *, standardize=True, once=False, **kinds):
    """Read rows and labels from a file.

    Parameters
    ----------
    path : str or path-like
        A table (see `read_table`), an archive of arrays, or svmlight. The end of the
        name tells which.
    target : str, default=None
        Column of the labels; required for tables. Rows without a label are left out.
    standardize : bool, default=True
        Whether the encoder brings numbers to mean 0 and variance 1.
    once : bool, default=False
        Whether duplicates of references are left out, as in RIS and BibTeX.
    **kinds
        For tables only: parameters of `find_kinds`.

    Returns
    -------
    data : LabelledData
        At least one row and one column.

    Raises
    ------
    ValueError
        If the file holds no rows with labels, or needs more than a quarter of the
        memory.
    OSError
        If the file cannot be opened.
    """
    path = Path(path)
    kind = file_kind(path)
    check_file(path)
    if kind in TABLES:
        return read_labelled_table(path, target, standardize, once, kinds)
    given = [name for name, columns in {"target": target, **kinds}.items() if columns]
    if given:
        raise ValueError(
            f"--{given[0]} is about columns, but only tables ({', '.join(TABLES)}) "
            "have columns with names."
        )
    X, y = read_npz(path) if kind == ".npz" else read_svmlight(path)
    check_labels(y)
    check_features(X, y)
    scales = standardize and not issparse(X)
    width = -(-X.nnz // X.shape[0]) if issparse(X) else X.shape[1]
    X = X if X.dtype.kind == "f" else X.astype(np.float64)
    return LabelledData(X, y, StandardScaler() if scales else None, width, [])


def file_kind(path):
    """Return the end of the name that tells what the file is."""
    packed = path.suffix.lower() in PACKED
    kind = Path(path.stem if packed else path).suffix.lower()
    if kind not in SVMLIGHT and (packed or kind not in (*TABLES, ".npz")):
        raise ValueError(
            f"what is in this file? Its name must end in "
            f"{', '.join([*TABLES, '.npz', *SVMLIGHT])}; the last four may be followed "
            f"by {' or '.join(PACKED)}."
        )
    return kind


def read_labelled_table(path, target, standardize, once, kinds):
    """Read a table with a column of labels."""
    from .._tables.columns import describe_kinds, find_kinds, read_columns
    from .._tables.encoding import make_encoder
    from .._tables.references import READERS, drop_duplicates

    table = read_table(path)
    if target is None:
        raise ValueError(
            f"which column (--target) holds the labels? {list_columns(table.columns)}"
        )
    cells_of(table, target)
    if once or path.suffix.lower() in READERS:
        table, sentences = drop_duplicates(table, target, drop_unclear=True)
        for sentence in sentences:
            tell(sentence)
    y = table[target].str.strip()
    if not (y != "").any():
        raise ValueError(f"no row has a label in the column {target!r}.")
    if (y == "").any():
        tell(f"{(y == '').sum():,} of {len(y):,} rows have no label: they are left out")
    table, y = table[y != ""].drop(columns=target), y[y != ""]
    check_room(4 * y.str.len().max() * len(y), "the labels")
    columns = find_kinds(table, **kinds)
    used = [column for column in columns if column.kind != "left out"]
    n_texts = sum(column.kind == "text" for column in used)
    return LabelledData(
        read_columns(table, used),
        y.to_numpy(str),
        make_encoder(used, standardize),
        len(used) + WORDS_OF_A_TEXT * n_texts,
        describe_kinds(columns),
    )


def read_npz(path):
    """Return rows and labels from an archive of arrays; nothing in it is executed."""
    if not zipfile.is_zipfile(path):
        raise ValueError("the file is no NumPy archive, or only its beginning.")
    try:
        with zipfile.ZipFile(path) as archive:
            check_room(sum(m.file_size for m in archive.infolist()), "the arrays")
            names = [name.removesuffix(".npy") for name in archive.namelist()]
        with np.load(path, allow_pickle=False) as archive:
            wanted = {"X", "y", "format", *CSR_PARTS} & {*names}
            # a member that is no array is read as bytes
            arrays = {name: np.asarray(archive[name]) for name in wanted}
    except TooLarge:
        raise
    except Exception as error:  # a dozen kinds, from zipfile, zlib and NumPy
        raise ValueError(
            f"the file is no archive of plain arrays: {shorten(error)}"
        ) from None
    if {"X", "y"} <= wanted:
        return arrays["X"], arrays["y"]
    if not {"y", *CSR_PARTS} <= wanted:
        shown = ", ".join(names[:20]) + (" …" if len(names) > 20 else "")
        raise ValueError(
            f"the archive holds {shown or 'nothing'}; needed are X and y, or "
            f"{', '.join(CSR_PARTS)} and y."
        )
    kind = arrays.get("format", np.asarray("csr"))
    if kind.tolist() not in ("csr", b"csr"):
        raise ValueError(f"the sparse format is {shorten(kind)}, not csr.")
    return join_csr(*(arrays[name] for name in CSR_PARTS)), arrays["y"]


def join_csr(data, indices, indptr, shape):
    """Return a CSR matrix, all of whose indices are checked."""
    try:
        if any(
            part.dtype.kind not in "iu" or np.any(part.astype(np.int64) < 0)
            for part in (indices, indptr, shape)
        ):
            raise ValueError("indices, indptr and shape must be integers from 0")
        X = csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
        X.check_format(full_check=True)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise ValueError(f"the parts make no CSR matrix: {shorten(error)}") from None
    return X


def read_svmlight(path):
    """Return the rows and labels of an svmlight file."""
    with PACKED.get(path.suffix.lower(), open)(path, "rb") as file:
        lines = CountedLines(file)
        try:
            return load_svmlight_file(lines)
        except TooLarge:
            raise
        except (ValueError, OverflowError) as error:
            raise ValueError(
                f"line {lines.number} is not in svmlight format: {shorten(error)}"
            ) from None
        except (EOFError, OSError, zlib.error) as error:
            raise ValueError(f"the file cannot be unpacked: {error}") from None


class CountedLines:
    """Lines of a file of bytes; too many, or too long ones, are refused."""

    def __init__(self, file):
        self.file = file
        self.number = self.size = 0

    def __iter__(self):
        while line := self.file.readline(LONGEST_LINE):
            self.number += 1
            # the objects of a row take some 64 bytes, a number with its column 16
            self.size += max(len(line), 64 + 16 * line.count(b":"))
            check_room(self.size, f"the content up to line {self.number}")
            if len(line) == LONGEST_LINE:
                raise TooLarge(f"line {self.number} is too long.")
            yield line

    def read(self, size=-1):
        """Refuse: scikit-learn takes an object with this method for a file."""
        raise UnsupportedOperation("this file is read by lines")


def check_features(X, y):
    """Refuse features that are no table of finite numbers with a label for each row."""
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ValueError(
            f"the features must be a table of numbers, not {X.ndim}-D of "
            f"{shorten(X.dtype)}."
        )
    if X.shape[0] != len(y):
        raise ValueError(f"there are {X.shape[0]} rows, but {len(y)} labels.")
    if 0 in X.shape:
        raise ValueError(f"there are {X.shape[0]} rows of {X.shape[1]} features.")
    # a learner has some vectors of float64 for each class, in each of the processes
    n_features, n_classes = X.shape[1], len(np.unique(y))
    check_room(
        64 * n_features * n_classes,
        f"the weights of {n_features} features for {n_classes} classes",
    )
    if not np.all(np.abs(X.data if issparse(X) else X) < HUGE):
        entries = X.tocoo() if issparse(X) else coo_array(X)
        first = np.argmin(np.abs(entries.data) < HUGE)
        raise ValueError(
            f"row {entries.row[first]}, column {entries.col[first]} of the features, "
            f"counted from 0, is {entries.data[first]}, not a number below {HUGE}."
        )


def check_labels(y):
    """Refuse labels that are no classes."""
    if y.ndim != 1:
        raise ValueError(
            f"y has the shape {y.shape}; one label for each row is needed."
        )
    if y.dtype.kind not in "biufUS":
        raise ValueError(f"labels of the type {shorten(y.dtype)} are no class labels.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError(f"label {np.argmin(np.isfinite(y))}, from 0, is not finite.")
    if y.dtype.kind == "f" and (y != np.rint(y)).any():
        raise ValueError("the labels have fractions; class labels are needed.")


def shorten(message):
    """Return the first 200 characters of the first line of a message."""
    text = f"{getattr(message, 'strerror', None) or message}".strip()
    return text.partition("\n")[0][:200] or type(message).__name__
