"""Rows to label: what is shown, and the numbers that a learner gets.

The numbers are made once, from all rows, before the first label: none is needed for
them, and no training has to read the texts again. Sessions compare them when they are
opened again, so that what is made of a column must not change.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.linear_model import LogisticRegression

from .._tables.encoding import portable
from .._tables.references import REFERENCES
from .._tables.tables import joined_texts, read_table
from ..pool import HybridSamplingClassifier, UncertaintySamplingClassifier
from ..preprocessing import ImageEncoder, TableEncoder, TextEncoder
from .duplicates import each_once
from .label_find import tell_directions

#: Of how many rows the default learner measures distances.
N_STANDING = 1_000


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
        """Return the score of each row, the words of which have length 1."""
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
    shown : dict of str to list of str
        The columns that the items are made of.
    encoder : TableEncoder, TextEncoder or ImageEncoder
        What has made the numbers of the rows.
    start : SimilarTo or None
        What the first rows follow, if words were given.
    """

    kind: str
    items: list
    X: object
    ids: list
    known: dict
    shown: dict
    encoder: object
    start: SimilarTo | None = None


def read_task(
    path,
    *,
    text=(),
    image=None,
    id_column=None,
    labelled=None,
    start_with=None,
    n_directions=0,
    once=False,
    **kinds,
):
    """Read what there is to label.

    Parameters
    ----------
    path : str or path-like
        A table, as for `read_table`.
    text : str or sequence of str, default=()
        The columns with the texts, joined in each row.
    image : str, default=None
        The column with the paths of images below the folder of the table. Without
        this and texts, all columns are shown, as a table.
    id_column : str, default=None
        The column that names the rows. None: they are numbered from 1.
    labelled : str, default=None
        A column with the labels that are known; empty where none is.
    start_with : str, default=None
        Words to which the first rows are similar; with `text`.
    n_directions : int, default=0
        How many principal directions of the texts to find; with `text`.
    once : bool, default=False
        Whether references that come twice are shown once, as those of RIS and BibTeX.
    **kinds
        Other parameters of `TableEncoder`, for rows that are shown as a table.

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
    table = read_table(path := Path(path))
    if once or path.suffix.lower() in REFERENCES:
        table = each_once(table, labelled)
    ids = row_ids(table, id_column)
    labels = table.cells(labelled) if labelled else []
    known = {
        row_id: label.strip()
        for row_id, label in zip(ids, labels, strict=False)
        if label.strip()
    }
    if text:
        names = [text] if isinstance(text, str) else text
        shown = {name: table.cells(name) for name in names}
        items, encoder = joined_texts(table, names), TextEncoder(names, n_directions)
        if n_directions:
            tell_directions(len(items))
        X = encoder.fit_transform(table)
        start = similar_to(start_with, encoder, X.shape[1]) if start_with else None
        return Task("text", items, X, ids, known, shown, encoder, start)
    if image:
        items = [name.strip() for name in table.cells(image)]
        encoder = ImageEncoder(image, folder=table.path.parent)
        X = encoder.fit_transform(table)
        return Task("image", items, X, ids, known, {image: items}, encoder)
    shown = {n: cells for n, cells in table.columns.items() if n != labelled}
    items = [
        dict(zip(shown, row, strict=True)) for row in zip(*shown.values(), strict=True)
    ]
    features = {n: cells for n, cells in shown.items() if n != id_column}
    encoder = TableEncoder(**kinds)
    X = encoder.fit_transform(table._replace(columns=features))
    return Task("table", items, X, ids, known, shown, encoder)


def default_learner(before=""):
    """Return the learner for rows whose numbers have about unit scale.

    Parameters
    ----------
    before : str, default=""
        The class of the learner that a session has begun with: it goes on with that if
        it was the default once.
    """
    # C above 1: the rows of texts are short, and few labels would move nothing
    model = LogisticRegression(C=10.0, max_iter=1_000)
    if before.endswith(f".{UncertaintySamplingClassifier.__name__}"):
        return UncertaintySamplingClassifier(model, budget=None)
    # so many rows stand for all that the next one is there at once
    few = {"n_coverage": N_STANDING, "n_candidates": N_STANDING}
    return HybridSamplingClassifier(model, **few, budget=None)


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


def similar_to(words, encoder, width):
    """Return what scores rows by their similarity to words, if some texts have them.

    Parameters
    ----------
    words : str
        What the user gave.
    encoder : TextEncoder
        What has made the numbers of the rows.
    width : int
        How many numbers a row has; those after its words do not count.
    """
    row = portable(encoder.vectorizer_.transform([words]))
    if row.nnz == 0:
        names = " and ".join(map(repr, encoder.columns))
        raise ValueError(f"the column {names} has none of the words {words!r}.")
    row.resize((1, width))
    return SimilarTo(words, row)
