"""The command ``predict``: what a saved model says of the rows of a table."""

from ..labeling import load_model
from ..labeling._output import beside, check_table_file
from ..preprocessing import RowEncoder
from .options import UsageError
from .results import check_place
from .tables import read_table

NAMES = ("prediction", "probability")


def run_predict(args):
    """Run ``predict``: read the model and the rows, and write both together."""
    try:
        write = check_table_file(args.out)
    except ValueError as error:
        raise UsageError(f"--out: {error}") from error
    check_place("--out", args.out, args.file, args.model)
    model = load_encoded(args)
    try:
        table = read_table(args.file)
        predicted = predictions(model, table)
    except (ValueError, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{args.file}: {reason}") from error
    try:
        write(args.out, beside(table.columns, NAMES) | predicted)
    except OSError as error:
        raise UsageError(f"--out: {error}") from error
    print(f"Rows in {args.out}: {len(table.lines)} predicted.")


def load_encoded(args):
    """Return the model, which takes the rows of a table."""
    try:
        model = load_model(args.model, trust=args.trust)
    except ValueError as error:
        raise UsageError(error) from error
    except OSError as error:
        raise UsageError(f"{args.model}: {error.strerror}") from error
    encoder = getattr(model, "steps", [("", None)])[0][1]
    if not isinstance(encoder, RowEncoder):
        raise UsageError(
            f"{args.model}: this model takes no rows of a table; label --save-model "
            "writes one that does"
        )
    if "folder" in encoder.get_params():
        encoder.set_params(folder=args.file.parent)
    return model


def predictions(model, table):
    """Return what a model says of rows, by columns."""
    labels = model.predict(table).tolist()
    probabilities = [None] * len(labels)
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(table).max(axis=1).round(6).tolist()
    return dict(zip(NAMES, (labels, probabilities), strict=True))
