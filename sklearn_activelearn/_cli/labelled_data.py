"""Rows with labels, from a table, for ``compare``."""

from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler

from ..preprocessing import (
    NoColumns,
    TextVectorizer,
    VectorEncoder,
    cells_of,
    describe_kinds,
    find_kinds,
    list_columns,
    make_encoder,
    read_columns,
    read_table,
)
from ..sources import find_empty_rows
from .options import tell, tell_empty_rows
from .row_vectors import encode_once, read_features
from .rows_to_label import VECTORS, leave_out_duplicates, read_ids

WORDS_OF_A_TEXT = 100


class LabelledData(NamedTuple):
    """Rows and labels, and the transformer that turns the rows into numbers.

    Attributes
    ----------
    X : ndarray or DataFrame of shape (n_samples, n_columns)
        Numbers, or the columns of a table.
    y : ndarray of shape (n_samples,)
        Labels: strings from tables.
    encoder : transformer
        Unfitted. It needs no labels.
    width : int
        About how many numbers an encoded row has.
    n_columns : int
        Number of columns in the file, without the labels and the names of the rows.
    treated_as : list of str
        A line for each kind of column of a table.
    other_encoder : (str, transformer) or None
        Name and transformer that texts are also encoded with, to compare.
    """

    X: object
    y: np.ndarray
    encoder: object
    width: int
    n_columns: int
    treated_as: list
    other_encoder: tuple | None = None


def read_labelled(args):
    """Read rows and labels, as the options of the command ``compare`` say.

    Returns
    -------
    data : LabelledData
        At least one row and one column. Rows without a label, and rows without
        content, which the command ``label`` never shows, are left out.

    Raises
    ------
    ValueError
        If the file holds no rows with labels.
    OSError
        If the file cannot be opened.
    """
    if args.data is None:
        X, y = load_digits(return_X_y=True)
        return LabelledData(X, y, StandardScaler(), X.shape[1], X.shape[1], [])
    table, target = read_table(args.data, args.encoding), args.target
    if target is None:
        raise ValueError(
            f"which column (--target) holds the labels? {list_columns(table.columns)}"
        )
    cells_of(table, target)
    n_rows = len(table)
    table, _ = leave_out_duplicates(args, table, target, drop_unclear=True)
    y = table[target].str.strip()
    if not (y != "").any():
        raise ValueError(f"no row has a label in the column {target!r}.")
    if (y == "").any():
        tell(f"{(y == '').sum():,} of {len(y):,} rows have no label: they are left out")
    vectors, n_vector = None, 0
    if args.features is not None:
        ids = read_ids(table, args.id)
        where = args.features, args.id, ids, table.index, n_rows
        found = read_features(*where)
        vectors, n_vector = dict(zip(table.index, found, strict=True)), len(found[0])
    table, y = table[y != ""].drop(columns=target), y[y != ""]
    table = table.drop(columns=[args.id] * bool(args.id))
    names = "text", "categorical", "drop", "dates", "decimal", "gaps"
    options = {name: getattr(args, name) for name in names}
    try:
        columns = find_kinds(table, **options)
    except NoColumns:
        if vectors is None:
            raise
        columns = []
    used = [column for column in columns if column.kind != "left out"]
    content = table[args.text or [column.name for column in used]]
    empty = table.index[find_empty_rows(content)]  # label does not show them, either
    tell_empty_rows(len(empty), "left out")
    table, y = table.drop(index=empty), y.drop(index=empty)
    n_texts = sum(column.kind == "text" for column in used)
    values = read_columns(table, used, args.gaps)
    name, other, texts = "", TextVectorizer(), TextVectorizer()
    if args.encoder is not None:
        if not n_texts:
            raise ValueError("--encoder: there is no column of texts (--text).")
        columns_of_texts = [values[name] for name in values if name.startswith("text")]
        texts = TextVectorizer(embedding=encode_once(args, columns_of_texts))
        name = "with the default numbers of texts"
    encoder, other_encoder = make_encoder(values, texts), make_encoder(values, other)
    if vectors is not None:
        name, other_encoder = "without the vectors", make_encoder(values)
        values = values.assign(**{VECTORS: [vectors[row] for row in values.index]})
        block = "vectors", VectorEncoder(VECTORS), [VECTORS]
        encoder.set_params(transformers=[*encoder.transformers, block])
    return LabelledData(
        values,
        y.to_numpy(str),
        encoder,
        len(used) + WORDS_OF_A_TEXT * n_texts + n_vector,
        table.shape[1],
        describe_kinds(columns),
        (name, other_encoder) if args.encoder or (vectors and used) else None,
    )
