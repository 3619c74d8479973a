"""The command ``predict``: the predictions of a saved model for the rows of a table."""

from pathlib import Path

from .options import (
    UsageError,
    add_command,
    check_exists,
    check_output,
    describe,
    interrupted_with,
    tell,
)

NAMES = ("prediction", "probability")


def add_predict(commands):
    """Add the command to the parser."""
    add = add_command(
        commands,
        "predict",
        start_predict,
        "MODEL FILE --out FILE [--trust]",
        "Apply a model that label has saved to new rows. The output has the rows, "
        "their predictions and the probabilities of the predictions.",
        """
        sklearn-activelearn predict model.skops new.csv --out predicted.csv
        """,
    ).add_argument
    add("model", metavar="MODEL", type=Path, help="File that label --save-model wrote.")
    add(
        "file",
        metavar="FILE",
        type=Path,
        help="The rows, as .csv with a header line, .parquet, .xlsx, .ris or .bib, or "
        "a folder of images. They have the columns that the model was trained on, in "
        "any order.",
    )
    add(
        "--out",
        metavar="FILE",
        type=Path,
        required=True,
        help="Write the rows and their predictions to this file, .csv or .parquet.",
    )
    add(
        "--trust",
        action="store_true",
        help="Load the model whatever is in it. A .joblib file can run any code.",
    )


def start_predict(args):
    """Run ``predict``."""
    check_exists(args.model)
    check_exists(args.file)
    tell(f"Reading {args.model} and {args.file} …")
    with interrupted_with("no file was written"):
        run_predict(args)


def run_predict(args):
    """Read the model and the rows, and write the predictions."""
    from .._tables.tables import read_table
    from ..labeling._output import beside, check_table_file

    try:
        write = check_table_file(args.out)
    except ValueError as error:
        raise UsageError(f"--out: {error}") from error
    check_output("--out", args.out, args.file, args.model)
    model = read_model(args)
    try:
        table = read_table(args.file)
        table = restore_cells(table, model[0].feature_names_in_)
        predicted = predict_rows(model, table)
    except (ValueError, OSError) as error:
        raise UsageError(describe(error, args.file)) from error
    try:
        columns = table.to_dict("list")
        write(args.out, beside(columns, NAMES) | predicted)
    except OSError as error:
        raise UsageError(f"--out: {error}") from error
    print(f"Rows in {args.out}: {len(table)} predicted.")


def read_model(args):
    """Return the pipeline of an encoder and a classifier."""
    from ..labeling import load_model
    from ..preprocessing import RowEncoder

    try:
        model = load_model(args.model, trust=args.trust)
    except (ValueError, OSError) as error:
        raise UsageError(describe(error, args.model)) from error
    encoder = getattr(model, "steps", [("", None)])[0][1]
    if not isinstance(encoder, RowEncoder):
        raise UsageError(
            f"{args.model}: this model takes no rows of a table; label --save-model "
            "writes one that does"
        )
    if "folder" in encoder.get_params():
        is_folder = args.file.is_dir()
        encoder.set_params(folder=args.file if is_folder else args.file.parent)
    return model


def restore_cells(table, names):
    """Return a table without the apostrophes that an export puts before formulas.

    The apostrophes are taken for those of an export if the name of a column that the
    model needs has one.
    """
    from ..labeling._output import harmless, without_apostrophe

    quoted = {harmless(name): name for name in names if name not in table.columns}
    if not quoted.keys() & {*table.columns}:
        return table
    return table.rename(columns=quoted).map(without_apostrophe)


def predict_rows(model, table):
    """Return the predictions of a model and their probabilities, as columns."""
    labels = model.predict(table).tolist()
    probabilities = [None] * len(labels)
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(table).max(axis=1).round(6).tolist()
    return dict(zip(NAMES, (labels, probabilities), strict=True))
