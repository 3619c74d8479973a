"""The session of the command ``label``: from its rows to the screen, or to results."""

# Modules that import scikit-learn are imported in functions: wrong arguments are
# refused, and the page answers, before that.
import csv
import sys
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from warnings import catch_warnings, filterwarnings

from .options import (
    PROGRAM,
    UsageError,
    blame,
    check_exists,
    check_output,
    duplicates_beside,
    print_sentences,
    tell,
    tell_empty_rows,
)

#: A warning of scikit-learn that appears as long as many classes have few labels.
MANY_CLASSES = "The number of unique classes", UserWarning


def label_rows(args):
    """Open the session of files with rows; show its screen, or write results."""
    with ExitStack() as stack:
        page = None
        if args.web and is_labelling(args):
            page = stack.enter_context(open_page(args))
        task, learner = read_rows(args)
        from threadpoolctl import threadpool_limits  # numpy and scipy are loaded

        # more threads of BLAS gain little, and wait for each other
        stack.enter_context(threadpool_limits(1))
        path = args.out
        if args.rehearse:
            path = Path(stack.enter_context(TemporaryDirectory()), "session.sqlite")
        is_new = not path.exists()
        session = stack.enter_context(open_session(args, task, learner, path))
        stack.enter_context(blame(path))
        if args.rehearse:
            rehearse(session, task.known)
            return
        try:
            add_known_labels(args, session, task)
        except UsageError:
            if is_new:
                session.close()
                remove_session(path.resolve())
            raise
        if is_labelling(args):
            show_session(args, session, task, page)
        else:
            write_results(args, session, task)


def is_labelling(args):
    """Return True if people label; False if results are wanted."""
    return not (args.status or args.export or args.predict or args.save_model)


def make_keys(args):
    """Return the key of each class."""
    from ..labeling.front_ends._keys import ClassKeys

    try:
        return ClassKeys(args.classes, args.keys, args.several, args.tags or ())
    except ValueError as error:
        raise UsageError(f"--keys: {error}") from error


@contextmanager
def open_page(args):
    """Yield the server of the page, which answers before anything is read."""
    from ..labeling.front_ends._page import PageServer

    with blame(args.port, option="port"):
        page = PageServer(args.port)
    try:
        print(f"Open {page.address}")
        print(
            "It works on this machine only. Several people: add ?who=NAME before the #."
        )
        print("Ctrl-C ends it; labels are saved as they are given.", flush=True)
        yield page
    finally:
        page.close()


def read_rows(args, table=None, folder=None):
    """Return the rows to label, and the learner that chooses among them.

    Parameters
    ----------
    args : Namespace
        The parsed arguments.
    table, folder : DataFrame of str and Path, default=None
        The rows and the folder of their images, if they come from elsewhere than FILE.
    """
    with blame(args.FILE or args.label_studio):
        from .default_learners import make_learner
        from .rows_to_label import read_task

        task = read_task(args, table, folder)
    make_keys(args)
    if (args.test_size or 0) >= len(task.ids):
        raise UsageError(
            f"--test-size: {args.test_size} rows cannot be held out of {len(task.ids)}"
        )
    has_labels = task.known or args.imported or (args.out and args.out.exists())
    for option in "status", "predict", "save_model":
        if getattr(args, option) and not has_labels:
            name = option.replace("_", "-")
            raise UsageError(
                f"--{name}: There is no model yet, because there are no labels. Run "
                f"the command without --{name} first, and label some rows"
            )
    return task, make_learner(args, task)


def open_session(args, task, learner, path):
    """Begin the session, or resume it."""
    from ..labeling import LabelingSession
    from .row_vectors import keep_encoder

    change = dict.fromkeys(args.change)
    if args.rename:
        change["classes"] = dict(args.rename)
    if args.rename_tags:
        change["tags"] = dict(args.rename_tags)
    each_is_shown = args.label_studio or (task.kind == "image" and not path.exists())
    with blame(path), printed_warnings():
        session = LabelingSession(
            learner,
            task.X,
            path,
            items=task.items,
            ids=task.ids,
            **{"labels" if args.several else "classes": args.classes},
            test_size=args.test_size,
            votes=args.votes,
            ahead=1,
            change=change,
            tags=args.tags,
            twins=args.twins or ("ask" if each_is_shown else None),
        )
    keep_encoder(args)
    return session


@contextmanager
def printed_warnings():
    """Print warnings as lines of their own, unless an error is raised."""
    with catch_warnings(record=True, action="always") as notes:
        filterwarnings("ignore", *MANY_CLASSES)
        yield
    for note in notes:
        print(f"{PROGRAM}: warning: {note.message}", file=sys.stderr)


def rehearse(session, known):
    """Answer with the known labels, and print how good the model was on the way."""
    while (row_id := session.next()) is not None:
        twins = [each for each in session.find_twins(row_id) if each in known]
        if twins:
            session.label(row_id, known[twins[0]])
        else:
            session.skip(row_id)
    points = session.curve()
    for point in points[:: max(1, len(points) // 10)]:
        print(
            f"{point.n_labels:6} labels: {point.score:.0%} of {point.n_test} "
            f"(constant prediction: {point.constant:.0%})"
        )
    if points:
        print_sentences(
            f"The table shows the {points[0].measure} on the held-out rows, whose "
            f"labels are not counted. {PROGRAM} compare shows the same for random rows."
        )
    tests = map(session.find_twins, session.test_ids)
    if n_unknown := sum(known.keys().isdisjoint(twins) for twins in tests):
        print_sentences(
            f"{n_unknown} of the held-out rows have no known label, and do not count."
        )
    print_sentences(session.advice())


def add_known_labels(args, session, task):
    """Give a session the labels that the rows or the file --import have."""
    with blame(args.imported or args.out), printed_warnings():
        if session.status().labelled == 0:  # later, people may have corrected them
            session.import_labels(task.known)
        if args.imported:
            session.import_labels(args.imported, id_field=args.id, columns=task.columns)


def remove_session(path):
    """Remove a session in which nobody has labelled, unless somebody has opened it."""
    from filelock import FileLock, Timeout

    with suppress(Timeout), FileLock(f"{path}.lock", timeout=0):
        path.unlink()


def print_end(args, n_labels):
    """Print how many labels the session has, and how to go on."""
    print(f"Labels in {args.out}: {n_labels}. The same command resumes.")


def show_session(args, session, task, page):
    """Show the session in the terminal or on the page, until the person ends it."""
    from ..labeling.front_ends._view import LabelingView

    status = session.status()
    tell_empty_rows(status.empty, "not shown")
    if status.twins:
        tell(
            f"{status.twins:,} rows equal other rows: each content is asked for once "
            "(--twins)"
        )
    folder = args.FILE if args.FILE.is_dir() else args.FILE.parent
    view = LabelingView(
        session,
        task.kind,
        folder=folder.resolve(),
        show_prediction=args.show_prediction,
        show_reasons=args.reasons,
        keys=make_keys(args),
        title=args.title,
        guide=args.guide or "",
    )
    try:
        if page:
            page.show(view)
            try:
                page.wait()
            except KeyboardInterrupt:
                print()  # after ^C
        else:
            from ..labeling.front_ends._terminal import label_in_terminal

            label_in_terminal(view, who=args.who)
    except ValueError as error:
        raise UsageError(error) from error
    finally:
        print_end(args, session.status().labelled)
    if args.find is not None or args.machine is not None:
        print_sentences(session.advice())


def write_results(args, session, task):
    """Print the status; write the labels, the predictions and the model."""
    from sklearn.pipeline import make_pipeline

    from ..labeling import save_model
    from ..labeling.front_ends._view import describe_counts

    if args.status:
        status = session.status()
        print_sentences(f"{describe_counts(status, status)}.")
        print_sentences(session.advice())

    if args.export:
        write_export(args, partial(session.export, columns=task.columns), args.out)
    with blame(args.out, args.predict, args.save_model), printed_warnings():
        if args.predict:
            n_predicted = session.export_predictions(args.predict, task.columns)
            n_empty = sum(
                session.answers(row_id).state != "labelled"
                for row_id in session.empty_ids
            )
            n_labels = len(session.ids) - n_predicted - n_empty
            how = "with the machine's label" if args.machine else "predicted"
            print(f"Rows in {args.predict}: {n_labels} labelled, {n_predicted} {how}.")
            tell_empty_rows(n_empty, "not predicted")
        if args.save_model:
            encoder = portable(task.encoder, args.encoder)
            model = make_pipeline(encoder, session.model())
            if session.labels is not None and session.learner.positive is None:
                model.label_names_ = session.labels  # of the columns that it predicts
            save_model(model, args.save_model)
            print(
                f"Model in {args.save_model}. For new rows: {PROGRAM} predict "
                f"{args.save_model} FILE --out FILE"
            )


def portable(encoder, name):
    """Return an encoder without what belongs to this session."""
    params = encoder.get_params()
    if "folder" in params:
        encoder.set_params(folder=None)  # a path of this machine
    if name is not None:  # instead of the one with a file of vectors
        from .row_vectors import fingerprint_of

        encoder._rename_embedding(name, fingerprint_of(name))
    return encoder


def write_labels_of_file(args):
    """Write the labels of a session, which may be open in another process."""
    from .. import labeling

    if (path := (args.recover and args.out) or args.FILE or args.out) is None:
        raise UsageError("which file holds the labels? (--out)")
    check_exists(path)
    if args.recover is None:
        check_output("export", args.export, path)
        write_export(args, partial(labeling.export, path), path)
        return
    check_output("recover", args.recover, path)
    with blame(path, args.recover):
        n_answers = labeling.recover_labels(path, args.recover)
    print(f"Intact answers in {args.recover}: {n_answers}.")


def write_export(args, write, path):
    """Write the labels of a session, and print how many rows have none."""
    from ..labeling._export import count_rows

    with blame(path, args.export):
        with catch_warnings(action="ignore"):  # the omitted rows are printed below
            n_labels = write(args.export, args.form or "wide", tag=args.tag)
        *omitted, n_copies = count_rows(path)
    if args.form == "long":
        print(f"Answers in {args.export}: {n_labels}.")
        return
    equal = f" for {n_labels - n_copies} different rows" * bool(n_copies)
    print(f"Labels in {args.export}: {n_labels}{equal * (args.tag is None)}.")
    words = ("skipped", "disputed", "with too few votes")
    each = [f"{n} {what}" for n, what in zip(omitted, words, strict=True) if n]
    if each:
        print(f"Rows without a label, which are left out: {', '.join(each)}.")
    if (repeated := duplicates_beside(path)).exists():
        with blame(repeated), repeated.open(newline="", encoding="utf-8") as file:
            n_repeated = sum(1 for _ in csv.reader(file)) - 1
        print(
            f"Duplicates of other rows, which are left out: {n_repeated} (they are "
            f"in {repeated})."
        )
