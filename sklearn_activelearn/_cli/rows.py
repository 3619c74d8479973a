"""Rows to label, and the default learners for their numbers.

The numbers are made once, from all rows, before the first label. Sessions compare them
when they are opened again, so the encoding of a column must not change.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from .. import RankAverageClassifier
from .._tables.encoding import round_numbers
from .._tables.references import READERS, drop_duplicates
from .._tables.tables import cells_of, joined_texts, read_table
from ..pool import (
    ErrorSamplingClassifier,
    RecallTarget,
    RelevanceSamplingClassifier,
)
from ..preprocessing import ImageEncoder, TableEncoder, TextEncoder
from .options import tell

#: Number of rows that the default learner scores and compares.
N_ROWS = 1_000
#: Labels between two trainings with --find, as a share of the known labels.
BATCH = 0.05
#: Number of principal directions of texts with --find.
N_DIRECTIONS = 100


@dataclass(frozen=True)
class SimilarTo:
    """Score of rows: the cosine of their TF-IDF weights with the weights of some words.

    A session stores the words, from which the row follows.

    Parameters
    ----------
    words : str
        The words that the user gave.
    row : CSR matrix of shape (1, n_features)
        Their weights.
    """

    words: str
    row: Any = field(compare=False, repr=False)

    def __call__(self, X):
        """Return the score of each row."""
        return (X @ self.row.T).toarray().ravel()


class Task(NamedTuple):
    """Rows to label.

    Attributes
    ----------
    kind : {"text", "table", "image"}
        How an item is shown.
    items : list
        A text, a dict of cells or the path of an image, for each row.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Numbers for the learner.
    ids : list or range
        The name of each row, or a range if rows are only numbered.
    known : dict
        Labels that the file has, by id.
    columns : dict of str to list of str
        All columns but the labels, for the results.
    encoder : TableEncoder, TextEncoder or ImageEncoder
        The fitted encoder of the rows.
    start : SimilarTo or None
        The score that the first rows follow, if words were given.
    machine : list of str, or None
        Labels of a machine; "" for none.
    confidence : list of float, or None
        Confidence of the machine in each label; NaN for none.
    """

    kind: str
    items: list
    X: object
    ids: list
    known: dict
    columns: dict
    encoder: object
    start: SimilarTo | None
    machine: list | None = None
    confidence: list | None = None


def read_task(
    path,
    *,
    text=(),
    image=None,
    id_column=None,
    labelled=None,
    start_with=None,
    machine=None,
    machine_confidence=None,
    n_directions=0,
    once=False,
    **kinds,
):
    """Read the rows to label.

    Parameters
    ----------
    path : Path
        A table or a folder of images (see `read_table`).
    text : sequence of str, default=()
        Columns with texts, which are joined in each row.
    image : str, default=None
        Column with the paths of images below the folder of the table. Without texts
        and images, all columns are shown, as a table.
    id_column : str, default=None
        Column with the names of the rows. None: rows are numbered from 1.
    labelled : str, default=None
        Column with the known labels; its cells may be empty.
    start_with : str, default=None
        Words to which the first rows are similar; needs `text`.
    machine, machine_confidence : str, default=None
        Columns with the labels of a machine and its confidence, which are not shown.
    n_directions : int, default=0
        Number of principal directions of the texts; needs `text`.
    once : bool, default=False
        Whether duplicates of references are left out, as in RIS and BibTeX.
    **kinds
        Parameters of `TableEncoder`, for rows that are shown as a table.

    Returns
    -------
    task : Task
        Items, numbers and ids.

    Raises
    ------
    ValueError
        If the file does not hold these rows.
    OSError
        If the file cannot be opened.
    """
    table = read_table(path)
    if path.is_dir():
        image = "file"
    if labelled:
        cells_of(table, labelled)
    if once or path.suffix.lower() in READERS:
        table, sentences = drop_duplicates(table, labelled)
        for sentence in sentences:
            tell(sentence)
    ids, known = read_ids(table, id_column), {}
    if labelled:
        labels = table.pop(labelled).str.strip()
        pairs = zip(ids, labels, strict=True)
        known = {row_id: label for row_id, label in pairs if label}
    start, hidden = None, {}
    for column in filter(None, (machine, machine_confidence)):
        hidden[column] = [cell.strip() for cell in cells_of(table, column)]
    table = table.drop(columns=[*hidden])
    confidence = hidden.get(machine_confidence)
    if confidence is not None:
        confidence = read_shares(confidence, machine_confidence)
    if text:
        kind, items = "text", joined_texts(table, text, captions=True)
        encoder = TextEncoder(list(text), n_directions)
        if n_directions:
            n = f"{len(items):,}"
            tell(f"finding up to {n_directions} principal directions of {n} texts")
        X = encoder.fit_transform(table)
        if start_with:
            start = score_similarity(start_with, encoder, X.shape[1])
    elif image:
        kind, items = "image", [name.strip() for name in cells_of(table, image)]
        encoder = ImageEncoder(image, folder=path if path.is_dir() else path.parent)
        X = encoder.fit_transform(table)
    else:
        kind, items = "table", table.to_dict("records")
        encoder = TableEncoder(**kinds)
        X = encoder.fit_transform(table.drop(columns=[id_column] * bool(id_column)))
    columns = {**table.to_dict("list"), **hidden}
    labels = hidden.get(machine), confidence
    return Task(kind, items, X, ids, known, columns, encoder, start, *labels)


def read_shares(cells, column):
    """Return the numbers of a column, NaN for empty cells."""
    shares = []
    for row, cell in enumerate(cells, start=1):
        try:
            shares.append(float(cell or "nan"))
        except ValueError:
            raise ValueError(
                f"row {row}, column {column!r}: {cell!r} is not a number."
            ) from None
    return shares


def read_ids(table, column):
    """Return the names of the rows, which must differ, or their numbers."""
    if column is None:
        return range(1, len(table) + 1)  # for sessions: numbers are no names
    ids, seen = [cell.strip() for cell in cells_of(table, column)], {}
    for row, row_id in zip(table.index, ids, strict=True):
        if not row_id:
            raise ValueError(f"row {row}, column {column!r}: the id is missing.")
        if row_id in seen:
            raise ValueError(
                f"row {row}, column {column!r}: row {seen[row_id]} has the id "
                f"{row_id!r} too."
            )
        seen[row_id] = row
    return ids


def score_similarity(words, encoder, width):
    """Return the score of the similarity of rows to words, if some texts have them.

    Parameters
    ----------
    words : str
        The words that the user gave.
    encoder : TextEncoder
        The fitted encoder of the rows.
    width : int
        Numbers in a row. Those after the weights of its words do not count.
    """
    row = round_numbers(encoder.vectorizer_.transform([words]))
    if row.nnz == 0:
        names = " and ".join(map(repr, encoder.columns))
        raise ValueError(f"the column {names} has none of the words {words!r}.")
    row.resize((1, width))
    return SimilarTo(words, row)


def finding_learner(label, recall, task):
    """Return the learner that finds the rows with a label, up to a recall.

    Parameters
    ----------
    label : str
        The label.
    recall : float
        The share of the rows with this label.
    task : Task
        If its texts have principal directions, the learner ranks by these too.
    """
    model = None
    if getattr(task.encoder, "directions_", None) is not None:
        n_words = len(task.encoder.vectorizer_.vocabulary_)
        model = model_of_words_and_directions(n_words)
    return RelevanceSamplingClassifier(
        model,
        positive=label,
        batch_size=BATCH,
        budget=None,
        stopping=RecallTarget(recall, positive=label),
    )


def checking_learner(task, target):
    """Return the learner that checks the machine labels of a task.

    Parameters
    ----------
    task : Task
        Rows with machine labels.
    target : ErrorTarget
        The error that is acceptable.
    """
    return ErrorSamplingClassifier(
        task.machine,
        machine_confidence=task.confidence,
        estimator=LogisticRegression(C=10.0, max_iter=1_000),
        stopping=target,
    )


def model_of_words_and_directions(n_words):
    """Return the average of the ranks by words and by directions.

    Parameters
    ----------
    n_words : int
        Number of columns with words; the other columns are directions.
    """
    model = LinearSVC(C=0.1, class_weight="balanced")
    parts = {"words": slice(0, n_words), "directions": slice(n_words, None)}
    return RankAverageClassifier(
        [
            (name, make_pipeline(make_column_transformer(("passthrough", part)), model))
            for name, part in parts.items()
        ]
    )
