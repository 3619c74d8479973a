"""Rows of numbers with labels from a file: NumPy archives, svmlight.

Every error is a `ValueError` whose message is one sentence for the owner of the
file, or an `OSError`.
"""

import bz2
import gzip
import math
import zipfile
import zlib
from warnings import catch_warnings

import numpy as np
from numpy.lib import format as npy
from scipy.sparse import coo_array, csr_array, issparse
from sklearn.datasets import load_svmlight_file

from .._tables.limits import BoundedLines, TooLarge, check_room

NPY_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
CSR_PARTS = ("data", "indices", "indptr", "shape")
HUGE = np.float64(1e150)  # the square is still a number
PACKED = {".gz": gzip.open, ".bz2": bz2.open}


def read_arrays(path, kind):
    """Read rows and labels.

    Parameters
    ----------
    path : Path
        A plain file.
    kind : str
        A key of `READERS`: ".npz" with arrays X and y, or data, indices, indptr,
        shape (the parts of a CSR matrix) and y; the others for svmlight, which may be
        packed as `PACKED` says.

    Returns
    -------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Finite numbers.
    y : ndarray of shape (n_samples,)
        Labels as they are stored.

    Raises
    ------
    ValueError
        For a file that does not hold that, naming the line or the row; for one that
        takes more than a quarter of the memory.
    OSError
        For a file that cannot be opened.
    """
    X, y = READERS[kind](path)
    check_target(y)
    check_features(X, len(y))
    check_weight_count(X.shape[1], len(np.unique(y)))
    return X if X.dtype.kind == "f" else X.astype(np.float64), y


def brief(message):
    """Return as much of a message, or of something else, as belongs in a sentence."""
    text = f"{getattr(message, 'strerror', None) or message}".strip()
    return text.partition("\n")[0][:200] or type(message).__name__


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
        lines = BoundedLines(file, b":", 16)  # a number with its column
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


def check_weight_count(n_features, n_classes):
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
    ".npz": read_npz,
    ".svm": read_svmlight,
    ".svmlight": read_svmlight,
    ".libsvm": read_svmlight,
    ".txt": read_svmlight,
}
