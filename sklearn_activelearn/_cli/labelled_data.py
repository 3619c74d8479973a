"""Rows whose labels are all known, from a file of any kind."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler

from .._tables.columns import in_words, typed
from .._tables.encoding import encoder_of, rows_of
from .._tables.limits import check_plain_file, check_room
from .._tables.references import REFERENCES
from .._tables.tables import BINARY, columns_of, no_column, read_table
from .arrays import PACKED, READERS, read_arrays, read_svmlight
from .duplicates import each_once

TABLES = (".csv", *BINARY, *REFERENCES)
WORDS = 100  # that a text has, about


class LabelledData(NamedTuple):
    """Rows, labels, and what makes numbers of the rows.

    Attributes
    ----------
    X : {ndarray, CSR matrix} of shape (n_samples, n_columns)
        Numbers, or texts among them.
    y : ndarray of shape (n_samples,)
        Labels: strings from tables, otherwise as they are stored.
    encoder : transformer or None
        Unfitted; needs no labels. None: rows go to learners as they are.
    width : int
        Numbers in a row that the encoder made, about.
    treated_as : list of str
        A line for each kind of column; nothing for files that are no tables.
    """

    X: object
    y: np.ndarray
    encoder: object
    width: int
    treated_as: list


def read_labelled(path, target=None, *, standardize=True, once=False, **kinds):
    """Read rows and labels; the end of the file's name says what it is.

    Parameters
    ----------
    path : str or path-like
        A table (`read_table`), or arrays (`read_arrays`).
    target : str, default=None
        Column of the labels; for tables only, and needed there.
    standardize : bool, default=True
        Whether the encoder brings numbers to mean 0 and variance 1.
    once : bool, default=False
        Whether references of a table that come twice count once, as in RIS and BibTeX.
    **kinds
        For tables only: columns whose kind is given, and `dates`, as for `typed`.

    Returns
    -------
    data : LabelledData
        With at least one row and column.

    Raises
    ------
    ValueError
        For a file that does not hold that, naming the line or the row; for one that
        takes more than a quarter of the memory; for a folder, pipe or device.
    OSError
        For a file that cannot be opened.
    """
    path = Path(path)
    kind = file_kind(path)
    given = [f"--{name}" for name, columns in kinds.items() if columns]
    if kind not in TABLES and (target is not None or given):
        raise ValueError(
            f"{(['--target'] * (target is not None) + given)[0]} is about columns, but "
            f"only tables ({', '.join(TABLES)}) have columns with names."
        )
    check_plain_file(path)
    if kind not in TABLES:
        X, y = read_arrays(path, kind)
        scales = standardize and not issparse(X)
        width = -(-X.nnz // X.shape[0]) if issparse(X) else X.shape[1]
        return LabelledData(X, y, StandardScaler() if scales else None, width, [])
    table = read_table(path)
    if once or kind in REFERENCES:
        table = each_once(table, target, leave_out=True)
    y = target_labels(table, target)
    columns = typed(table, target, **kinds)
    used = [column for column in columns if column.kind != "left out"]
    n_texts = sum(column.kind == "text" for column in used)
    width = len(used) + WORDS * n_texts
    encoder = encoder_of(used, standardize)
    treated_as = in_words(columns, table.n_unnamed)
    return LabelledData(rows_of(used), y, encoder, width, treated_as)


def digits(standardize=True):
    """Return the digits of scikit-learn."""
    X, y = load_digits(return_X_y=True)
    return LabelledData(X, y, StandardScaler() if standardize else None, 64, [])


def file_kind(path):
    """Return the end of the file's name that says what it is."""
    packed = path.suffix.lower() in PACKED
    kind = Path(path.stem if packed else path).suffix.lower()
    if kind not in (*TABLES, *READERS) or (
        packed and READERS.get(kind) is not read_svmlight
    ):
        raise ValueError(
            f"what is in this file? Its name must end in "
            f"{', '.join([*TABLES, *READERS])}; the last four may be followed by "
            f"{' or '.join(PACKED)}."
        )
    return kind


def target_labels(table, target):
    """Return the labels of a table, one for each row."""
    names = list(table.columns)
    if target is None:
        raise ValueError(
            f"which column (--target) holds the labels? {columns_of(names)}"
        )
    if target not in table.columns:
        raise ValueError(no_column(target, names))
    labels = [cell.strip() for cell in table.columns[target]]
    if "" in labels:
        line = table.lines[labels.index("")]
        raise ValueError(
            f"line {line}, column {target!r}: no label. {labels.count('')} of "
            f"{len(labels)} rows have none: leave them out."
        )
    longest = max(map(len, labels))
    check_room(4 * longest * len(labels), f"labels of up to {longest} characters")
    return np.array(labels)
