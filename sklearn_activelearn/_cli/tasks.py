"""Rows to label: what is shown, and the numbers that a learner gets.

The numbers are made once, from all rows, before the first label: none is needed for
them, and no training has to read the texts again. Sessions compare them when they are
opened again, so that what is made of a column must not change.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from ..labeling._images import image_path
from ..pool import UncertaintySamplingClassifier
from .columns import N_CATEGORIES, fill, parsed_numbers
from .encoding import one_hot, scaled_numbers, word_weights
from .limits import check_room
from .tables import read_table

THUMBNAIL = (16, 16)  # grey pixels of an image


@dataclass(frozen=True)
class SimilarTo:
    """Scores rows by the similarity of their words to some: the cosine of TF-IDF.

    A session stores the words, from which the rest follows.

    Parameters
    ----------
    words : str
        What the user gave.
    row : CSR matrix of shape (1, n_features)
        Their weights.
    """

    words: str
    row: Any = field(compare=False, repr=False)

    def __call__(self, X):
        """Return the score of each row, all of which have length 1."""
        return (X @ self.row.T).toarray().ravel()


class Task(NamedTuple):
    """What there is to label.

    Attributes
    ----------
    kind : {"text", "table", "image"}
        How an item is shown.
    items : list
        A text, a dict of cells or the path of an image, for each row.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The numbers that a learner gets.
    ids : list or range
        The name of each row; a range if they are only numbered.
    known : dict
        Labels that the file has already, by id.
    start : SimilarTo or None
        What the first rows follow, if words were given.
    """

    kind: str
    items: list
    X: object
    ids: list
    known: dict
    start: SimilarTo | None = None


def read_task(
    path, *, text=None, image=None, id_column=None, labelled=None, start_with=None
):
    """Read what there is to label.

    Parameters
    ----------
    path : str or path-like
        A table, as for `read_table`.
    text, image : str, default=None
        The column with the texts, or with the paths of images below the folder of
        the table. None: all columns are shown, as a table.
    id_column : str, default=None
        The column that names the rows. None: they are numbered from 1.
    labelled : str, default=None
        A column with the labels that are known; empty where none is.
    start_with : str, default=None
        Words to which the first rows are similar; with `text`.

    Returns
    -------
    task : Task
        Items, numbers and ids.

    Raises
    ------
    ValueError
        For a file that does not hold that, in a sentence for its owner.
    OSError
        For a file that cannot be opened.
    """
    table = read_table(Path(path))
    ids = row_ids(table, id_column)
    labels = table.cells(labelled) if labelled else []
    known = {
        row_id: label.strip()
        for row_id, label in zip(ids, labels, strict=False)
        if label.strip()
    }
    if text:
        items = table.cells(text)
        X, start = text_features(items, text, start_with)
        return Task("text", items, X, ids, known, start)
    if image:
        items = [name.strip() for name in table.cells(image)]
        return Task("image", items, image_features(table, items), ids, known)
    shown = {n: cells for n, cells in table.columns.items() if n != labelled}
    items = [
        dict(zip(shown, row, strict=True)) for row in zip(*shown.values(), strict=True)
    ]
    features = {n: cells for n, cells in shown.items() if n != id_column}
    return Task("table", items, table_features(features), ids, known)


def default_learner():
    """Return the learner for rows whose numbers have about unit scale."""
    # C above 1: the rows of texts are short, and few labels would move nothing
    model = LogisticRegression(C=10.0, max_iter=1_000)
    return UncertaintySamplingClassifier(model, budget=None)


def row_ids(table, column):
    """Return the names of the rows, once each, or their numbers from 1."""
    if column is None:
        return range(1, len(table.lines) + 1)
    ids, seen = [cell.strip() for cell in table.cells(column)], {}
    for row_id, line in zip(ids, table.lines, strict=True):
        if not row_id:
            raise ValueError(f"line {line}, column {column!r}: the id is missing.")
        if row_id in seen:
            raise ValueError(
                f"line {line}, column {column!r}: line {seen[row_id]} has the id "
                f"{row_id!r} too."
            )
        seen[row_id] = line
    return ids


def text_features(texts, column, start_with=None):
    """Return how often each word is in each text, weighted by its rarity.

    And the same of words that the first rows shall be similar to, if there are any.
    """
    weights = word_weights()
    try:
        X = portable(weights.fit_transform(texts))
    except ValueError:  # "empty vocabulary"
        raise ValueError(f"there are no words in the column {column!r}.") from None
    if start_with is None:
        return X, None
    row = portable(weights.transform([start_with]))
    if row.nnz == 0:
        raise ValueError(f"the column {column!r} has none of the words {start_with!r}.")
    return X, SimilarTo(start_with, row)


def table_features(columns):
    """Return columns of numbers scaled, of categories one-hot, and gaps filled."""
    numbers = {name: parsed_numbers(cells) for name, cells in columns.items()}
    scaled = {name: cells for name, cells in numbers.items() if cells is not None}
    categories = [c for name, c in columns.items() if name not in scaled]
    n_rows = len(next(iter(columns.values()), ()))
    check_room(8 * N_CATEGORIES * n_rows * len(columns), "the features")
    parts = []
    if scaled:
        table = np.column_stack(list(scaled.values()))
        parts.append(scaled_numbers().fit_transform(table))
    if categories:
        cells = np.array(
            [[fill(cell) for cell in column] for column in categories], dtype=object
        )
        parts.append(one_hot().fit_transform(cells.T).toarray())
    if not parts:
        raise ValueError("there is no column to learn from.")
    return portable(np.hstack(parts))


def image_features(table, names):
    """Return the pixels of small grey copies: enough for shapes, not for photos."""
    try:
        from PIL import Image
    except ImportError:
        raise ValueError("--image needs Pillow: pip install pillow.") from None
    folder, rows = table.path.parent.resolve(), []
    for name, line in zip(names, table.lines, strict=True):
        try:
            with Image.open(image_path(folder, name)) as image:
                small = image.convert("L").resize(THUMBNAIL)
        except (OSError, ValueError, Image.DecompressionBombError) as error:
            raise ValueError(f"line {line}: {name!r}: {reason(error)}.") from None
        rows.append(np.asarray(small, dtype=float).ravel() / 255)
    return portable(StandardScaler(with_std=False).fit_transform(rows))


def reason(error):
    """Return why an image cannot be read, without its path again."""
    text = getattr(error, "strerror", None) or str(error)
    if "cannot identify" in text:
        text = "it is no image"
    return text.rstrip(".")


def portable(X):
    """Return numbers without the last digits, which depend on the machine."""
    if issparse(X):
        X.data = X.data.round(6)
        return X
    return np.ascontiguousarray(X.round(6))
