"""What ``label`` leaves behind: predictions for all rows, and a model for new ones."""

from sklearn.pipeline import make_pipeline

from ..labeling import save_model
from ..labeling._model_files import check_model_file
from ..labeling._output import check_table_file
from .options import UsageError


def check_results(args):
    """Refuse files that cannot be written, before anything is read."""
    for option, check in (
        ("predict", check_table_file),
        ("save_model", check_model_file),
    ):
        path = getattr(args, option)
        if path is None:
            continue
        option = f"--{option.replace('_', '-')}"
        try:
            check(path)
        except ValueError as error:
            raise UsageError(f"{option}: {error}") from error
        check_place(option, path, args.file, args.out)
    if args.export:
        check_place("--export", args.export, args.file)
        if args.predict and args.predict.resolve() == args.export.resolve():
            raise UsageError(f"--predict: {args.predict} is named twice")


def check_place(option, path, *inputs):
    """Refuse a place without a folder, and one where an input lies."""
    if not path.parent.is_dir():
        raise UsageError(f"{option}: there is no folder {path.parent}")
    if path.is_dir():
        raise UsageError(f"{option}: {path} is a folder")
    for each in inputs:
        if path.exists() and each.exists() and path.samefile(each):
            raise UsageError(f"{option}: {path} is what is read: name another file")
    if path.absolute() in [each.absolute() for each in inputs]:
        raise UsageError(f"{option}: {path} is named twice")


def write_results(args, session, task):
    """Write what the options ask for."""
    if args.predict:
        n_predicted = session.export_predictions(args.predict, task.shown)
        n_labels = len(session.ids) - n_predicted
        print(f"Rows in {args.predict}: {n_labels} labelled, {n_predicted} predicted.")
    if args.save_model:
        save_model(whole_model(task, session), args.save_model)
        print(
            f"Model in {args.save_model}. For new rows: sklearn-activelearn predict "
            f"{args.save_model} FILE --out FILE"
        )


def whole_model(task, session):
    """Return the model of a session with what makes numbers of rows in front of it."""
    encoder = task.encoder
    if "folder" in encoder.get_params():
        encoder.set_params(folder=None)  # that of the rows, which is not everybody's
    return make_pipeline(encoder, session.model())
