"""Rows to label from a CSV: what is shown, and the numbers that a learner gets.

The numbers are made once, from all rows, before the first label: none is needed for
them, and no training has to read the texts again.
"""

import csv
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ..labeling._images import image_path
from ..pool import UncertaintySamplingClassifier
from .data_files import LONGEST_LINE, Lines, check_room, no_column

#: What stands in a cell for "not known".
GAPS = {"", "?", "na", "n/a", "nan", "none", "null"}

THUMBNAIL = (16, 16)  # grey pixels of an image
N_WORDS = 50_000  # the most frequent ones
N_CATEGORIES = 30  # of a column; the rare ones share one


class Table(NamedTuple):
    """A CSV as text.

    Attributes
    ----------
    path : Path
        The file.

    columns : dict of str to list of str
        The cells of each column that has a name.

    lines : list of int
        The line of the file on which each row ends.
    """

    path: Path
    columns: dict
    lines: list

    def cells(self, name):
        """Return a column, or say which ones there are."""
        if name not in self.columns:
            raise ValueError(no_column(name, list(self.columns)))
        return self.columns[name]


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

    ids : list
        The name of each row.

    known : dict
        Labels that the file has already, by id.
    """

    kind: str
    items: list
    X: object
    ids: list
    known: dict


def read_task(path, *, text=None, image=None, id_column=None, labelled=None):
    """Read what there is to label.

    Parameters
    ----------
    path : str or path-like
        A CSV with a header line, in UTF-8.
    text, image : str, default=None
        The column with the texts, or with the paths of images below the folder of
        the CSV. None: all columns are shown, as a table.
    id_column : str, default=None
        The column that names the rows. None: they are numbered from 1.
    labelled : str, default=None
        A column with the labels that are known; empty where none is.

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
        return Task("text", items, text_features(items, text), ids, known)
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


def read_table(path):
    """Return the cells of a CSV; columns without a name (row counters) are left out."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError("only plain files are read, no folder, pipe or device.")
    with path.open(newline="", encoding="utf-8-sig") as file, long_cells():
        reader = csv.reader(Lines(file, ","))
        try:
            header = [name.strip() for name in next(reader, [])]
            check_header(header)
            rows, lines = [], []
            for cells in filter(None, reader):
                if len(cells) != len(header):
                    raise ValueError(
                        f"line {reader.line_num} has {len(cells)} cells, but the "
                        f"header has {len(header)}."
                    )
                rows.append(cells)
                lines.append(reader.line_num)
        except UnicodeDecodeError:
            raise ValueError("this is no text in UTF-8.") from None
        except csv.Error as error:
            raise ValueError(f"line {reader.line_num}: {error}") from None
    if not rows:
        raise ValueError("there is no row below the header.")
    columns = {
        name: list(cells)
        for name, cells in zip(header, zip(*rows, strict=True), strict=True)
        if name
    }
    return Table(path, columns, lines)


@contextmanager
def long_cells():
    """Let a cell be as long as a line may be, and not 128 KiB."""
    limit = csv.field_size_limit(LONGEST_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def check_header(header):
    """Refuse a header that names no columns, or one twice."""
    named = list(filter(None, header))
    if not named:
        raise ValueError("the first line names no columns.")
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and separator in header[0]:
            raise ValueError(f"its columns are separated by {name}, not by commas.")
    repeated = [name for name in named if named.count(name) > 1]
    if repeated:
        raise ValueError(f"the header names the column {repeated[0]!r} twice.")


def row_ids(table, column):
    """Return the names of the rows, once each, or their numbers from 1."""
    if column is None:
        return list(range(1, len(table.lines) + 1))
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


def text_features(texts, column):
    """Return how often each word is in each text, weighted by its rarity."""
    vectorizer = TfidfVectorizer(sublinear_tf=True, max_features=N_WORDS)
    try:
        return portable(vectorizer.fit_transform(texts))
    except ValueError:  # "empty vocabulary"
        raise ValueError(f"there are no words in the column {column!r}.") from None


def table_features(columns):
    """Return columns of numbers scaled, of categories one-hot, and gaps filled."""
    numbers = {name: as_numbers(cells) for name, cells in columns.items()}
    scaled = {name: cells for name, cells in numbers.items() if cells is not None}
    categories = [c for name, c in columns.items() if name not in scaled]
    n_rows = len(next(iter(columns.values()), ()))
    check_room(8 * N_CATEGORIES * n_rows * len(columns), "the features")
    parts = []
    if scaled:
        scale = make_pipeline(
            SimpleImputer(strategy="median", add_indicator=True), StandardScaler()
        )
        parts.append(scale.fit_transform(np.column_stack(list(scaled.values()))))
    if categories:
        cells = np.array(
            [[fill(cell) for cell in column] for column in categories], dtype=object
        )
        encoder = OneHotEncoder(max_categories=N_CATEGORIES, sparse_output=False)
        parts.append(encoder.fit_transform(cells.T))
    if not parts:
        raise ValueError("there is no column to learn from.")
    return portable(np.hstack(parts))


def as_numbers(cells):
    """Return a column of numbers with NaN for gaps, or None if it is something else."""
    try:
        numbers = np.array([float(fill(cell) or "nan") for cell in cells])
    except ValueError:
        return None
    known = numbers[~np.isnan(numbers)]
    # the squares of larger ones would be infinite
    return numbers if len(known) and np.all(np.abs(known) < 1e150) else None


def fill(cell):
    """Return what is in a cell, nothing for a gap."""
    cell = cell.strip()
    return "" if cell.lower() in GAPS else cell


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
