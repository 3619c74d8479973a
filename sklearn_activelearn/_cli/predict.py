"""The command ``predict``: the predictions of a saved model for the rows of a table."""

from pathlib import Path

from .options import (
    UsageError,
    add_command,
    add_options,
    blame,
    check_exists,
    check_output,
    interrupted_with,
    require,
    tell,
    tell_empty_rows,
)

NAMES = ("prediction", "probability")
OPTIONS = """
MODEL
    File that label --save-model wrote.
FILE
    The rows, as .csv with a header line, .parquet, .xlsx, .jsonl, .ris or .bib, or a
    folder of images. They have the columns that the model was trained on, in any order.
--encoding NAME
    Read a file that is not in UTF-8 in this encoding, as in windows-1252 or gb18030.
    Default: what it looks like.
--encoder NAME
    The encoder of texts of the training, if it is in another folder now.
--features FILE
    Take a vector for each row from this file, if the model was trained with --features:
    .npy, in the order of the rows, or .parquet or .csv with the column of --id.
--id COLUMN
    The column with the names of the rows, for --features.
--out FILE
    Write the rows and their predictions to this file, .csv or .parquet.
--trust
    Load the model whatever is in it. A .joblib file can run any code.
"""


def add_predict(commands):
    """Add the command to the parser."""
    parser = add_command(
        commands,
        start_predict,
        "predict MODEL FILE --out FILE [--trust]",
        "Apply a model that label has saved to new rows. The output has the rows, "
        "their predictions and the probabilities of the predictions.",
        "sklearn-activelearn predict model.skops new.csv --out predicted.csv",
    )
    path = {"type": Path}
    add_options(parser, "arguments", OPTIONS, MODEL=path, out={"required": True})


def start_predict(args):
    """Run ``predict``."""
    check_exists(args.MODEL)
    check_exists(args.FILE)
    require("predict", "pandas")
    tell(f"Reading {args.MODEL} and {args.FILE} …")
    with interrupted_with("no file was written"):
        run_predict(args)


def run_predict(args):
    """Read the model and the rows, and write the predictions."""
    from ..labeling._table_files import add_columns, check_table_file
    from ..preprocessing import read_table
    from ..sources import find_empty_rows

    with blame(args.out, option="out"):
        write = check_table_file(args.out)
    check_output("out", args.out, args.FILE, args.MODEL)
    model = read_model(args)
    with blame(args.FILE):
        table = read_table(args.FILE, args.encoding)
        for note in table.attrs["notes"]:
            tell(note)
        table = restore_cells(table, model[0].feature_names_in_)
        predicted = predict_rows(model, with_features(args, model, table))
        names = [name for name in model[0].feature_names_in_ if name in table.columns]
        empty = find_empty_rows(table[names])
        for cells in predicted.values():
            for row in empty:
                cells[row] = None
    with blame(args.out, option="out"):
        write(args.out, add_columns(table.to_dict("list"), predicted) | predicted)
    print(f"Rows in {args.out}: {len(table) - len(empty)} predicted.")
    tell_empty_rows(len(empty), "not predicted")


def read_model(args):
    """Return the pipeline of an encoder and a classifier."""
    with blame(args.MODEL):
        from ..labeling import load_model
        from ..preprocessing import RowEncoder

        model = load_model(args.MODEL, trust=args.trust)
    encoder = getattr(model, "steps", [("", None)])[0][1]
    if not isinstance(encoder, RowEncoder):
        raise UsageError(
            f"{args.MODEL}: this model does not take the rows of a table. Write "
            "one that does with label --save-model"
        )
    check_encoder_of(args, encoder)
    if "folder" in encoder.get_params():
        is_folder = args.FILE.is_dir()
        encoder.set_params(folder=args.FILE if is_folder else args.FILE.parent)
    return model


def check_encoder_of(args, encoder):
    """Refuse an encoder of texts that is not the encoder of the training."""
    from .row_vectors import fingerprint_of

    fingerprint = getattr(encoder, "fingerprint_", None)
    if fingerprint is None:
        if args.encoder is not None:
            raise UsageError(f"--encoder: {args.MODEL} was trained without an encoder")
        return
    name = args.encoder or encoder.embedding
    if fingerprint_of(name) != fingerprint:
        raise UsageError(
            f"--encoder: {name!r} is not the encoder that {args.MODEL} was trained "
            f"with, which was {encoder.embedding!r}: pass --encoder FOLDER"
        )
    encoder._rename_embedding(name, fingerprint)


def with_features(args, model, table):
    """Return a table with the column of vectors, if the model needs one."""
    from ..preprocessing import VectorEncoder
    from .row_vectors import read_features
    from .rows_to_label import read_ids

    if not isinstance(model[0], VectorEncoder):
        if args.features is not None:
            raise UsageError(
                f"--features: {args.MODEL} was trained without vectors from a file"
            )
        return table
    if args.features is None:
        raise UsageError(
            f"--features: {args.MODEL} needs a vector for each row, from the encoder "
            "that made the vectors of its training"
        )
    ids = read_ids(table, args.id)
    vectors = read_features(args.features, args.id, ids)
    return table.assign(**{model[0].column: vectors})


def restore_cells(table, names):
    """Return a table without the apostrophes that an export puts before formulas.

    The table is an export if the name of a needed column begins with an apostrophe.
    """
    from ..labeling._table_files import neutralise, restore_cell

    quoted = {neutralise(name): name for name in names if name not in table.columns}
    if not quoted.keys() & {*table.columns}:
        return table
    return table.rename(columns=quoted).map(restore_cell)


def predict_rows(model, table):
    """Return the predictions of a model and their probabilities, as columns."""
    if (names := getattr(model, "label_names_", None)) is not None:
        found = dict(zip(names, model.predict(table).T.tolist(), strict=True))
        if hasattr(model, "predict_proba"):
            shares = model.predict_proba(table)
            # some models return an array of two columns for each label
            shares = [s[:, 1] for s in shares] if isinstance(shares, list) else shares.T
            for name, share in zip(names, shares, strict=True):
                found[f"probability of {name}"] = share.round(6).tolist()
        return found
    labels = model.predict(table).tolist()
    probabilities = [None] * len(labels)
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(table).max(axis=1).round(6).tolist()
    return dict(zip(NAMES, (labels, probabilities), strict=True))
