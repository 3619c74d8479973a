"""Rows with labels, from a file of any kind, for ``compare``.

Every error about a file is an `OSError`, or a `ValueError` with a sentence for the
owner of the file.
"""

import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse, load_npz
from sklearn.datasets import load_digits, load_svmlight_file
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets

from .._tables.tables import TABLES, cells_of, check_file, list_columns, read_table
from .options import tell

HUGE = np.float64(1e150)  # the squares of larger numbers would be infinite
MOST_WEIGHTS = 10**9  # features times classes
WORDS_OF_A_TEXT = 100
PACKED = (".gz", ".bz2")
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
        If the file holds no rows with labels.
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
            f"--{given[0]} needs columns with names. Only tables "
            f"({', '.join(TABLES)}) have them."
        )
    X, y = check_arrays(*(read_npz if kind == ".npz" else read_svmlight)(path))
    scales = standardize and not issparse(X)
    width = -(-X.nnz // X.shape[0]) if issparse(X) else X.shape[1]
    return LabelledData(X, y, StandardScaler() if scales else None, width, [])


def file_kind(path):
    """Return the end of the name that tells what the file is."""
    packed = path.suffix.lower() in PACKED
    kind = Path(path.stem if packed else path).suffix.lower()
    if kind not in SVMLIGHT and (packed or kind not in (*TABLES, ".npz")):
        raise ValueError(
            f"the name of the file must end in "
            f"{', '.join([*TABLES, '.npz', *SVMLIGHT])}. The last four may be followed "
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
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            names = archive.files
            if "y" in names and "X" in names:
                # a member that is no array is read as bytes
                return np.asarray(archive["X"]), np.asarray(archive["y"])
            if "y" in names and "format" in names:
                X = load_npz(path).tocsr()
                X.check_format(full_check=True)
                if X.nnz < 0:
                    raise ValueError("the index pointer ends below 0")
                return X, np.asarray(archive["y"])
    except Exception as error:  # a dozen kinds, from zipfile, zlib and NumPy
        raise ValueError(
            f"the file is not an archive of plain arrays: {shorten(error)}"
        ) from None
    shown = ", ".join(names[:20]) + (" …" if len(names) > 20 else "")
    raise ValueError(
        f"the archive holds {shown or 'nothing'}. It must hold y, and either X or the "
        "parts of a sparse matrix, as scipy.sparse.save_npz names them."
    )


def read_svmlight(path):
    """Return the rows and labels of an svmlight file."""
    try:
        return load_svmlight_file(str(path))
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"the file is not in svmlight format: {shorten(error)}"
        ) from None
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"the file cannot be read: {shorten(error)}") from None


def check_arrays(X, y):
    """Return rows of finite floats with class labels, or raise a ValueError."""
    for name, array, kinds in (("X", X, "biuf"), ("y", y, "biufUS")):
        if array.dtype.kind not in kinds:
            what = f"{array.dtype}"[:40]
            raise ValueError(f"{name} must be numbers or class labels, not {what}.")
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
    check_classification_targets(y)
    if not np.all(np.abs(X.data if issparse(X) else X) < HUGE):
        raise ValueError(f"the features hold numbers above {HUGE}.")
    n_features, n_classes = X.shape[1], len(np.unique(y))
    if n_features * n_classes > MOST_WEIGHTS:
        raise ValueError(
            f"{n_features:,} features for {n_classes} classes are too many: a linear "
            f"model would have more than {MOST_WEIGHTS:,} weights."
        )
    return X, y


def shorten(error):
    """Return the first 200 characters of the first line of a message."""
    return f"{error}".strip().partition("\n")[0][:200] or type(error).__name__
