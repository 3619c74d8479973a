"""The command ``label``: from a CSV to a session, and to the screen that shows it."""

# What imports scikit-learn is imported in the functions that need it: the page answers
# before that.
import importlib.util
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from warnings import catch_warnings, filterwarnings

from ..labeling._keys import ClassKeys, check_answers
from ..labeling._view import LabelingView
from .checks import check_is_there, check_named_once, print_sentences, tell
from .label_find import check_find, finding_learner, n_directions_for
from .options import PROGRAM, UsageError
from .page import label_in_browser, open_page

#: What scikit-learn warns of as long as many classes have few labels.
MANY_CLASSES = "The number of unique classes", UserWarning
SQLITE = b"SQLite format 3\0"


def run_label(args):
    """Run ``label``: check everything, then open the session and its screen."""
    filterwarnings("ignore", *MANY_CLASSES)
    if args.rehearse:
        check_rehearsal(args)
    if args.export and args.out is None:
        return export_file(args)
    if args.form and not args.export:
        raise UsageError("--form is for --export")
    refuse_session_file(args)
    check_options(args)
    answers = read_answers(args)
    with open_page(args) as page:
        task = read_rows(args)
        if task.kind == "table":
            for line in task.encoder.treated_as_:
                tell(f"treated as {line}")
        learner = make_learner(args, task)
        check_any_label(args, task)
        with (
            one_thread(),
            place_of(args) as path,
            open_session(args, task, learner, path) as session,
        ):
            try:
                work_on_session(args, session, task, page, answers)
                if args.find is not None and not (args.export or args.rehearse):
                    print_sentences(session.advice())
            except OSError as error:
                raise UsageError(describe(error, args.out)) from error


def one_thread():
    """Let BLAS use one thread: more gain little, and wait if others work, too."""
    from threadpoolctl import threadpool_limits  # which numpy and scipy are loaded for

    return threadpool_limits(1)


@contextmanager
def place_of(args):
    """Give the file of the session: a rehearsal leaves the person's as it is."""
    if not args.rehearse:
        yield args.out
        return
    with TemporaryDirectory() as folder:
        yield Path(folder) / args.out.name


def work_on_session(args, session, task, page, answers):
    """Do with an open session what the options say."""
    if args.rehearse:
        from .rehearsal import rehearse

        return rehearse(session, task.X, task.known)
    teach_known(args, session, task.known)
    if args.export:
        export_labels(args, args.out, partial(session.export, columns=task.shown))
    if args.predict or args.save_model:
        from .results import write_results

        try:
            write_results(args, session, task)
        except (ValueError, TypeError, OSError) as error:
            files = args.predict, args.save_model
            raise UsageError(describe(error, args.out, *files)) from error
    if args.export or args.predict or args.save_model:
        return None
    session_view = LabelingView(
        session,
        task.kind,
        folder=args.file.parent.resolve(),
        show_prediction=args.show_prediction,
        keys=class_keys(args),
        title=args.title,
        guide=read_guide(args.guide),
    )
    try:
        if page:
            label_in_browser(session_view, page)
        else:
            from ..labeling._terminal import label_in_terminal

            label_in_terminal(session_view, who=args.who, answers=answers)
    except ValueError as error:
        raise UsageError(error) from error
    finally:
        n_labels = sum(session.status().by_class.values())
        print(f"Labels in {args.out}: {n_labels}. The same command resumes.")


def export_file(args):
    """Write the labels of a file, which may be open elsewhere."""
    from ..labeling import export

    export_labels(args, args.file, partial(export, args.file))


def export_labels(args, path, write):
    """Write the labels of a session to a file, and tell which rows have none."""
    from ..labeling._export import omitted_rows, stored_state

    try:
        with catch_warnings(action="ignore"):  # what it warns of is printed below
            n_labels = write(args.export, args.form or "wide")
        omitted = omitted_rows(stored_state(path))._asdict()
    except (ValueError, OSError) as error:
        raise UsageError(describe(error, args.file, args.export)) from error
    if args.form == "long":
        print(f"Answers in {args.export}: {n_labels}.")
        return
    print(f"Labels in {args.export}: {n_labels}.")
    if sum(omitted.values()):
        each = ", ".join(f"{n} {what}" for what, n in omitted.items() if n)
        print(f"Rows without a label, which are left out: {each}.")


def refuse_session_file(args):
    """Refuse a session where rows are needed."""
    try:
        with args.file.open("rb") as file:
            is_session = file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise UsageError(describe(error, args.file)) from error
    if is_session:
        raise UsageError(
            f"{args.file} holds labels: --export writes them to a file; to go on, or "
            "for its model, repeat the command that has begun it"
        )


def check_options(args):
    """Refuse what is missing, or does not go together."""
    check_find(args)
    for option, what in (
        ("out", "where are the labels to be kept"),
        ("classes", "which labels are there to choose from"),
    ):
        if getattr(args, option) is None:
            raise UsageError(f"{what}? (--{option})")
    if args.export or args.predict or args.save_model:
        from .results import check_results

        check_results(args)
    for option in ("categorical", "drop", "dates"):
        if getattr(args, option) and (args.text or args.image):
            raise UsageError(f"--{option} is for tables, not for --text and --image")
    check_named_once(args)
    if args.text and args.image:
        raise UsageError("--text or --image: one of them")
    if args.start_with is not None and not args.text:
        raise UsageError("--start-with needs --text: words are compared with texts")
    if not args.out.parent.is_dir():
        raise UsageError(f"--out: there is no folder {args.out.parent}")
    if args.votes > 1 and not args.who and not args.web:
        raise UsageError("--votes: whose votes are these? (--who)")
    if args.web and args.answers:
        raise UsageError("--answers is for the terminal, --web for people")
    if args.web and not all(map(importlib.util.find_spec, ("starlette", "uvicorn"))):
        raise UsageError(
            "--web needs starlette and uvicorn: pip install starlette uvicorn"
        )
    if args.labels is not None:
        check_is_there(args.labels)
    class_keys(args)
    read_guide(args.guide)


def check_rehearsal(args):
    """Refuse a rehearsal without what it needs, or with what it does not do."""
    for name in ("predict", "save_model", "export", "web", "answers"):
        if getattr(args, name):
            option = name.replace("_", "-")
            raise UsageError(f"--{option} does not go with --rehearse")
    if not (args.labelled and args.test_size):
        raise UsageError("--rehearse needs --labelled and --test-size")


def class_keys(args):
    """Return what is typed for each class."""
    try:
        return ClassKeys(args.classes, args.keys)
    except ValueError as error:
        raise UsageError(f"--keys: {error}") from error


def read_guide(path):
    """Return what is in a file of --guide, nothing without one."""
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (ValueError, OSError) as error:
        raise UsageError(f"--guide: {describe(error, path)}") from error


def read_answers(args):
    """Return the lines of --answers, all of which are answers; None without it."""
    if args.answers is None:
        return None
    try:
        if args.answers == "-":
            lines = sys.stdin.read().splitlines()
        else:
            lines = Path(args.answers).read_text(encoding="utf-8-sig").splitlines()
        check_answers(lines, class_keys(args))
    except (ValueError, OSError) as error:
        raise UsageError(f"--answers: {describe(error, args.answers)}") from error
    return lines


def check_any_label(args, task):
    """Refuse to take home what needs labels where there are none; begin no session."""
    wanted = [name for name in ("predict", "save_model") if getattr(args, name)]
    if wanted and not (args.out.exists() or task.known or args.labels):
        option = wanted[0].replace("_", "-")
        raise UsageError(
            f"--{option}: There is no model yet, as there are no labels: the same "
            f"command without --{option} asks for some"
        )


def read_rows(args):
    """Return what there is to label."""
    from .tasks import read_task

    tables = {name: getattr(args, name) for name in ("categorical", "drop", "dates")}
    n_directions = n_directions_for(args, begun_with(args.out))
    try:
        task = read_task(
            args.file,
            text=args.text,
            image=args.image,
            id_column=args.id,
            labelled=args.labelled,
            start_with=args.start_with,
            n_directions=n_directions,
            once=n_directions > 0,
            **tables,
        )
    except (ValueError, OSError) as error:
        raise UsageError(describe(error, args.file)) from error
    for row_id, label in task.known.items():
        if label not in args.classes:
            raise UsageError(
                f"--labelled: row {row_id} has the label {label!r}, which is none of "
                f"{', '.join(args.classes)}: --classes names all labels"
            )
    return task


def make_learner(args, task):
    """Return the learner with the parameters that have options of their own."""
    from .learners import learner_code, parse_learner
    from .tasks import default_learner

    try:
        if args.learner:
            learner = parse_learner(args.learner)
        elif args.find is not None:
            n_words = None
            if getattr(task.encoder, "directions_", None) is not None:
                n_words = len(task.encoder.vectorizer_.vocabulary_)
            learner = finding_learner(args, n_words)
        else:
            begun = begun_with(args.out)
            learner = default_learner(begun["class"] if begun else "")
    except ValueError as error:
        raise UsageError(f"--learner: {error}") from error
    settings = {
        "budget": args.budget,
        "batch-size": args.batch_size,
        "start-with": task.start,
    }
    for option, value in settings.items():
        if value is None:
            continue
        name = "initial" if option == "start-with" else option.replace("-", "_")
        if name not in learner.get_params():
            raise UsageError(
                f"--{option}: {learner_code(learner)} has no parameter {name}"
            )
        learner.set_params(**{name: value})
    return learner


def begun_with(path):
    """Return the learner of a session, as it is stored; None without one to go on."""
    from ..labeling._export import stored_state

    try:
        return stored_state(path).begin["learner"] if path.exists() else None
    except (ValueError, OSError):  # which opening it tells
        return None


def open_session(args, task, learner, path):
    """Begin the session, or go on with it."""
    from ..labeling import LabelingSession

    try:
        with printed_warnings():
            return LabelingSession(
                learner,
                task.X,
                path,
                items=task.items,
                ids=task.ids,
                classes=args.classes,
                test_size=args.test_size,
                votes=args.votes,
                ahead=1,
                change=args.change,
            )
    except (ValueError, TypeError, OSError) as error:
        message = getattr(error, "command", None) or describe(error, args.out)
        raise UsageError(message) from error


@contextmanager
def printed_warnings():
    """Print warnings as lines of their own, if all goes well."""
    with catch_warnings(record=True, action="always") as notes:
        filterwarnings("ignore", *MANY_CLASSES)
        yield
    for note in notes:
        print(f"{PROGRAM}: warning: {note.message}", file=sys.stderr)


def teach_known(args, session, known):
    """Take the labels that are there already, unless the session has some."""
    try:
        if session.status().n_taught == 0:
            for row_id, label in known.items():
                session.label(row_id, label)
        if args.labels:
            with printed_warnings():
                session.import_labels(args.labels)
    except (ValueError, OSError) as error:
        raise UsageError(describe(error, args.labels or args.out)) from error


def describe(error, path, *others):
    """Return a sentence about a file, or about one of others that it names."""
    reason = getattr(error, "strerror", None) or f"{error}"
    is_named = any(f"{each}" in reason for each in (path, *others))
    return reason if is_named else f"{path}: {reason}"
