"""Rows to label, as the command label reads them from files.

The numbers are made once, from all rows, before the first label. Sessions compare them
when they are opened again, so the encoding of a column must not change.
"""

from typing import NamedTuple

from ..preprocessing import (
    FILE,
    Column,
    ImageEncoder,
    TableEncoder,
    TextEncoder,
    VectorEncoder,
    blank_gaps,
    cells_of,
    drop_duplicates,
    join_tables,
    joined_texts,
    read_cells,
    read_table,
)
from .default_learners import SimilarTo, score_similarity
from .options import UsageError, blame, duplicates_beside, tell
from .row_vectors import open_encoder, read_features

#: From this number of texts on, a line says that they are encoded.
MANY_TEXTS = 5_000
#: Name of the column with the vectors of --features.
VECTORS = "vectors of --features"


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
    encoder : RowEncoder
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


def read_task(args, table=None, folder=None):
    """Read the rows to label, as the options of the command ``label`` say.

    Parameters
    ----------
    args : Namespace
        The parsed arguments.
    table, folder : DataFrame of str and Path, default=None
        The rows and the folder of their images, if they come from elsewhere than FILE.

    Raises
    ------
    ValueError
        If the file does not hold these rows.
    OSError
        If the file cannot be opened.
    """
    path = args.FILE
    table = read_files(args) if table is None else table
    n_rows = len(table)
    if args.labelled:
        cells_of(table, args.labelled)
    table, repeated = leave_out_duplicates(args, table, args.labelled)
    if len(repeated) and args.out and not args.rehearse:
        from ..labeling._table_files import write_table  # compare has no filelock

        write_table(duplicates_beside(args.out), repeated.to_dict("list"))
        tell(f"They are in {duplicates_beside(args.out)}")
    ids, known = read_ids(table, args.id), {}
    if args.labelled:
        labels = table.pop(args.labelled).str.strip()
        pairs = zip(ids, labels, strict=True)
        known = {row_id: label for row_id, label in pairs if label}
    hidden = {
        column: [cell.strip() for cell in cells_of(table, column)]
        for column in (args.machine, args.machine_confidence)
        if column
    }
    table = table.drop(columns=[*hidden])
    machine, confidence = hidden.get(args.machine), None
    if args.machine_confidence:
        column = Column(args.machine_confidence, "number")
        cells = blank_gaps(hidden[column.name])
        confidence = read_cells(cells, table.index, column).tolist()
    known = settle_classes(args, known, dict(zip(ids, machine or (), strict=False)))
    start, embedding = None, open_encoder(args)
    if args.text:
        kind, items = "text", joined_texts(table, args.text, captions=True)
        encoder = TextEncoder(args.text, embedding=embedding)
        if len(items) >= MANY_TEXTS:
            tell(f"finding words and directions of {len(items):,} texts")
    elif args.image or (path is not None and path.is_dir()):
        column = args.image or "file"
        folder = folder or (path.parent if args.image else path)
        kind, items = "image", [name.strip() for name in cells_of(table, column)]
        encoder = ImageEncoder(column, folder=folder)
    else:
        # columns with labels have left the table already
        to_hide = [name for name in args.hide if name not in (args.labelled, *hidden)]
        for name in to_hide:
            cells_of(table, name)
        kind, items = "table", table.drop(columns=to_hide).to_dict("records")
        names = "categorical", "drop", "dates", "decimal", "gaps"
        options = {name: getattr(args, name) for name in names}
        options["drop"] = [*args.drop, *table.columns.intersection([FILE])]
        encoder = TableEncoder(**options, embedding=embedding)
    rows = table.drop(columns=[args.id] * (kind == "table" and bool(args.id)))
    if args.features is not None:
        where = args.features, args.id, ids, table.index, n_rows
        has_others = kind == "text" or (kind == "table" and rows.shape[1])
        rows = rows.assign(**{VECTORS: read_features(*where)})
        encoder = VectorEncoder(VECTORS, encoder if has_others else None)
    X = encoder.fit_transform(rows)
    if embedding is not None:
        embedding.end()
    own = encoder
    if args.features is not None and encoder.encoder_ is not None:
        own = encoder.encoder_  # of all but the vectors
    for line in getattr(own, "treated_as_", ()):
        tell(f"treated as {line}")
    if args.encoder and kind == "table" and not own.has_texts():
        raise UsageError("--encoder: there is no column of texts; name one with --text")
    if args.start_with:
        start = score_similarity(args.start_with, own, X, items)
    columns = {**table.to_dict("list"), **hidden}
    return Task(
        kind, items, X, ids, known, columns, encoder, start, machine, confidence
    )


def read_files(args):
    """Return the table of FILE, or of several of them."""
    if len(args.files) < 2:
        return read_table(args.FILE, args.encoding)
    tables = {}
    for path in args.files:
        with blame(path):
            tables[f"{path}"] = read_table(path, args.encoding)
    return join_tables(tables)


def leave_out_duplicates(args, table, labels, **options):
    """Return the rows that are no duplicates, and the others; print what was found."""
    repeated, sentences = [], []
    is_list = args.find is not None or table.attrs["references"]
    notes = table.attrs["notes"]
    if is_list and not args.keep_duplicates:
        table, repeated, sentences = drop_duplicates(
            table, labels, texts=args.text, **options
        )
    for sentence in [*notes, *sentences]:
        tell(sentence)
    return table, repeated


def settle_classes(args, known, machine):
    """Set the classes if they are not given; refuse labels in the file that are others.

    Return the known labels as members of the classes, which can be numbers.
    """
    given = {"labelled": known, "machine": machine}
    if args.classes is None:
        option = "machine" if args.machine else "labelled"
        args.classes = sorted({*given[option].values()} - {"", args.find})
        if args.find is not None:
            others = args.classes or [f"not {args.find}"]
            args.classes = [args.find, *others]
        elif len(args.classes) < 2:
            raise UsageError(
                f"--{option}: labels of two classes are needed, got {args.classes}; "
                "name all classes (--classes)"
            )
        tell(f"classes: {', '.join(args.classes)}")
    names = {f"{label}": label for label in args.classes}
    if args.several:
        from ..labeling._import import parse_row_labels  # compare has no filelock

        known = {
            row_id: parse_row_labels(cell, names) for row_id, cell in known.items()
        }
        named = [] if args.find is None else [("--find", args.find)]
        for row_id, labels in known.items():
            named += [(f"--labelled: row {row_id}", label) for label in labels]
        for where, label in named:
            if label not in names:
                raise UsageError(
                    f"{where}: {label!r} is not one of {', '.join(names)}: --labels "
                    "must name all labels"
                )
        return known
    if args.find is not None and (args.find not in args.classes or len(names) != 2):
        raise UsageError(
            f"--find: {args.find!r} and one other class are needed, got "
            f"{', '.join(names)}"
        )
    for option, labels in given.items():
        for row_id, label in labels.items():
            if label and label not in names:
                raise UsageError(
                    f"--{option}: row {row_id} has the label {label!r}, which is not "
                    f"one of {', '.join(names)}: --classes must name all labels"
                )
    return {row_id: names[label] for row_id, label in known.items()}


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
