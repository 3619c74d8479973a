"""The command ``predict``: what a saved model says of the rows of a table."""

from .._tables.tables import read_table
from ..labeling import load_model
from ..labeling._output import beside, check_table_file, harmless, without_apostrophe
from ..preprocessing import RowEncoder
from .options import UsageError
from .results import check_place

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
        table = as_shown(table, model[0].feature_names_in_)
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


def as_shown(table, names):
    """Return a table without the apostrophes that an export puts before formulas.

    They are taken for those of an export where a column that is needed has one.
    """
    quoted = {harmless(name): name for name in names if name not in table.columns}
    if not quoted.keys() & table.columns.keys():
        return table
    columns = {
        quoted.get(name, name): [*map(without_apostrophe, cells)]
        for name, cells in table.columns.items()
    }
    return table._replace(columns=columns)


def predictions(model, table):
    """Return what a model says of rows, by columns."""
    labels = model.predict(table).tolist()
    probabilities = [None] * len(labels)
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(table).max(axis=1).round(6).tolist()
    return dict(zip(NAMES, (labels, probabilities), strict=True))
