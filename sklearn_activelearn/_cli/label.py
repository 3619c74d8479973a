"""The command ``label``: from a table to a session, and to the screen that shows it."""

# Modules that import scikit-learn are imported in functions: wrong arguments are
# refused, and the page answers, before that.
import argparse
import os
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from warnings import catch_warnings, filterwarnings

from .options import (
    PROGRAM,
    UsageError,
    add_column_options,
    add_command,
    check_exists,
    check_learners,
    check_named_once,
    check_output,
    describe,
    number,
    print_sentences,
    read_text,
    require,
    tell,
)

#: A warning of scikit-learn that appears as long as many classes have few labels.
MANY_CLASSES = "The number of unique classes", UserWarning


def add_label(commands):
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "label",
        start_label,
        "FILE --classes A,B,... --out FILE [options]",
        "Label your own rows, in the terminal or in the browser. The most useful rows "
        "come first, and each label is stored at once. The same command resumes, "
        "whatever ended it.",
        """
        sklearn-activelearn label mails.csv --text body --classes spam,ham \\
            --out mails.sqlite
        sklearn-activelearn label mails.sqlite --export labels.csv
        """,
    )
    add_row_options(parser.add_argument_group("rows").add_argument)
    add_class_options(parser.add_argument_group("classes").add_argument)
    add_learning_options(parser.add_argument_group("learning").add_argument)
    add_people_options(parser.add_argument_group("people and screen").add_argument)
    add_result_options(parser.add_argument_group("results").add_argument)


def add_row_options(add):
    """Add the options that say what is labelled."""
    add(
        "file",
        metavar="FILE",
        type=Path,
        nargs="?",
        help="The rows, as .csv with a header line, .parquet, .xlsx, .ris or .bib, or "
        "a folder of images. With --export or --recover alone, a file of labels that "
        "--out has written.",
    )
    add(
        "--text",
        metavar="COLUMN",
        action="append",
        default=[],
        help="Show the texts of this column, and learn from their words. May be "
        "repeated: the texts of a row are joined. Default: all columns, as a table.",
    )
    add(
        "--image",
        metavar="COLUMN",
        help="Show the images whose paths are in this column, relative to the folder "
        "of FILE. Without FILE, --image takes a folder of images. Needs Pillow.",
    )
    add(
        "--id",
        metavar="COLUMN",
        help="Take the names of the rows from this column. Default: rows are numbered "
        "from 1.",
    )
    add_column_options(add)


def add_class_options(add):
    """Add the options for the labels that there are."""
    add(
        "--classes",
        metavar="A,B,...",
        type=parse_classes,
        help="The labels to choose from, separated by commas.",
    )
    add(
        "--rename",
        metavar="OLD=NEW",
        type=parse_rename,
        action="append",
        default=[],
        help="Rename a class of the session, or merge it with another class. No label "
        "is lost. --classes names the classes from now on. May be repeated.",
    )
    add(
        "--labelled",
        metavar="COLUMN",
        help="Start with the labels in this column, which may have empty cells.",
    )
    add(
        "--import",
        dest="labels",
        metavar="FILE",
        type=Path,
        help="Start with the labels of an export (.csv, or .json of Label Studio), or "
        "of another file that --out has written.",
    )
    add(
        "--keys",
        metavar="CLASS=KEY,...",
        type=parse_keys,
        default={},
        help="Choose the keys of classes, one character each, as in spam=x,ham=h.",
    )
    add(
        "--guide",
        metavar="FILE.md",
        type=Path,
        help="Show this text, which explains the classes, when the key ! is pressed.",
    )


def add_learning_options(add):
    """Add the options that say which rows are asked for."""
    add(
        "--learner",
        metavar="NAME[:param=value,...]",
        help="Let this learner choose the rows, with these parameters, as in compare. "
        "Default: HybridSampling with logistic regression.",
    )
    add(
        "--find",
        metavar="LABEL",
        help="Find all rows with this label: ask for the likeliest rows, and then for "
        "random ones until the recall is certain.",
    )
    add(
        "--recall",
        metavar="SHARE",
        type=number(float, 0.01, 1),
        help="With --find, the share of the rows to find, with a confidence of 95%%. "
        "Default: 0.95.",
    )
    add(
        "--start-with",
        metavar="WORDS",
        help="Begin with the texts that are most similar to these words, until two "
        "classes have labels. This helps if random texts seldom show a class.",
    )
    add(
        "--budget",
        metavar="N",
        type=number(int, 1),
        help="Stop after N labels; a larger budget continues. Default: no limit.",
    )
    add(
        "--batch-size",
        metavar="N",
        type=number(int, 1),
        help="Train again after N labels. Default: the batch size of the learner.",
    )
    add(
        "--test-size",
        metavar="N",
        type=number(int, 0),
        default=0,
        help="Ask for N random rows first and hold them out of training: they tell how "
        "good the model is. Default: none.",
    )
    add(
        "--change",
        metavar="WORD[,WORD...]",
        type=lambda text: [word.strip() for word in text.split(",")],
        default=[],
        help="Allow these differences from the session in --out: pool (more rows at "
        "the end), features (other columns or values), classes, learner, test_size, "
        "votes.",
    )
    add(
        "--rehearse",
        action="store_true",
        help="Ask nobody: take the answers from --labelled, and print how good the "
        "model was on the way. Needs --test-size; --out is not needed, nor written.",
    )


def add_people_options(add):
    """Add the options for the people who label, and for their screens."""
    add("--who", metavar="NAME", help="Your name, if several people label.")
    add(
        "--votes",
        metavar="N",
        type=number(int, 1),
        default=1,
        help="Ask N people for the label of each row. Default: %(default)s.",
    )
    add(
        "--web",
        action="store_true",
        help="Label in the browser instead of the terminal, on this machine only.",
    )
    add(
        "--port",
        metavar="N",
        type=number(int, 0, 65_535),
        default=0,
        help="With --web, the port of the page. Default: a free one.",
    )
    add(
        "--title",
        metavar="TEXT",
        default="",
        help="Show this name of the project above the rows.",
    )
    add(
        "--show-prediction",
        action="store_true",
        help="Show the prediction of the model before the label is given, not only "
        "afterwards. People tend to agree with it.",
    )
    add(
        "--answers",
        metavar="FILE",
        help="Take answers from a file, one a line, as they would be typed; - is the "
        "standard input.",
    )


def add_result_options(add):
    """Add the options for the files that are written."""
    add("--out", metavar="FILE", type=Path, help="Keep the labels in this file.")
    add(
        "--export",
        metavar="FILE",
        type=Path,
        help="Write the labels and end: .csv, or .json for Label Studio. If the "
        "rows are given too, their columns are added to the CSV. The names of people "
        "are in it.",
    )
    add(
        "--form",
        choices=["wide", "long"],
        help="With --export, write a line for each row that has a label (wide), or for "
        "each answer of a person (long). Default: wide.",
    )
    add(
        "--predict",
        metavar="FILE",
        type=Path,
        help="Write all rows and end, as .csv or .parquet: the label of each row or "
        "the prediction of the model, its probability, who gave the label, and the "
        "columns of the table.",
    )
    add(
        "--save-model",
        metavar="FILE",
        type=Path,
        help="Write the model and end, for the command predict: .skops (needs skops), "
        "or .joblib for people who trust you.",
    )
    add(
        "--recover",
        metavar="FILE",
        type=Path,
        help="Write the intact answers of a damaged file of labels to a CSV, and end.",
    )


def parse_classes(text):
    """Return the classes of a list with commas."""
    names = [name.strip() for name in text.split(",")]
    if "" in names:
        raise argparse.ArgumentTypeError(f"a class of {text!r} has no name")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise argparse.ArgumentTypeError(f"{repeated[0]!r} is there twice")
    if len(names) < 2:
        raise argparse.ArgumentTypeError(f"{text!r} is one class; two are needed")
    return names


def parse_rename(text):
    """Return the old and the new name of a class."""
    old, is_there, new = (part.strip() for part in text.partition("="))
    if not (old and is_there and new):
        raise argparse.ArgumentTypeError(f"{text!r} is not OLD=NEW")
    return old, new


def parse_keys(text):
    """Return the key of each class in a list with commas."""
    keys = {}
    for part in text.split(","):
        name, is_there, key = (each.strip() for each in part.rpartition("="))
        if not is_there or not name:
            raise argparse.ArgumentTypeError(f"{part!r} is not CLASS=KEY")
        if name in keys:
            raise argparse.ArgumentTypeError(f"{name!r} is there twice")
        keys[name] = key
    return keys


def start_label(args):
    """Run ``label``: check everything, open the session, show its screen."""
    if args.learner:
        check_learners(args.learner)
    if args.file is None:
        if args.image is None or not Path(args.image).is_dir():
            raise UsageError("which rows are to be labelled? (FILE, or --image FOLDER)")
        args.file, args.image = Path(args.image), None
    check_exists(args.file)
    if args.recover or (args.export and args.out is None):
        return write_labels_of_file(args)
    check_options(args)
    answers = read_answers(args)
    filterwarnings("ignore", *MANY_CLASSES)
    tell(f"Reading {args.file} …")
    with open_page(args) as page:
        task = read_rows(args)
        learner = make_learner(args, task)
        with (
            one_thread(),
            session_file(args) as path,
            open_session(args, task, learner, path) as session,
        ):
            try:
                work_on_session(args, session, task, page, answers)
            except OSError as error:
                raise UsageError(describe(error, args.out)) from error
    return None


def check_options(args):
    """Refuse options that are missing, or do not go together."""
    from ..labeling._storage import is_session

    if args.file.is_file() and is_session(args.file):
        raise UsageError(
            f"{args.file} holds labels, not rows: --export writes them to a file; to "
            "continue, repeat the command that began it"
        )
    check_find(args)
    if args.rehearse:
        for name in ("predict", "save_model", "export", "web", "answers"):
            if getattr(args, name):
                option = name.replace("_", "-")
                raise UsageError(f"--{option} does not go with --rehearse")
        if not (args.labelled and args.test_size):
            raise UsageError("--rehearse needs --labelled and --test-size")
    elif args.out is None:
        raise UsageError("where are the labels to be kept? (--out)")
    if args.classes is None:
        raise UsageError("which labels are there to choose from? (--classes)")
    check_results(args)
    is_table = not (args.text or args.image or args.file.is_dir())
    for option in ("categorical", "drop", "dates"):
        if getattr(args, option) and not is_table:
            raise UsageError(f"--{option} is for tables, not for texts and images")
    check_named_once(args)
    if args.text and args.image:
        raise UsageError("--text and --image do not go together")
    if args.start_with is not None and not args.text:
        raise UsageError("--start-with needs --text: words are compared with texts")
    if not args.rehearse and not args.out.parent.is_dir():
        raise UsageError(f"--out: there is no folder {args.out.parent}")
    if args.votes > 1 and not args.who and not args.web:
        raise UsageError("--votes: whose votes are these? (--who)")
    if args.web and args.answers:
        raise UsageError("--answers is for the terminal, --web for people")
    if args.web:
        require("--web", "starlette", "uvicorn")
    if args.labels is not None:
        check_exists(args.labels)
    make_keys(args)
    args.guide = read_text("--guide", args.guide) if args.guide else ""


def check_find(args):
    """Refuse options that do not go with --find, and complete the classes."""
    if args.find is None:
        if args.recall is not None:
            raise UsageError("--recall: which label is to be found? (--find)")
        return
    if args.learner:
        raise UsageError("--find chooses the learner: leave out --learner")
    if args.recall == 1:
        raise UsageError(
            "--recall: only reading all rows makes a recall of 1 certain; less, as "
            "0.95, can be certain before"
        )
    if args.classes is None:
        args.classes = [args.find, f"not {args.find}"]
    if args.find not in args.classes:
        raise UsageError(f"--find: {args.find!r} is none of {', '.join(args.classes)}")
    if len(args.classes) != 2:
        raise UsageError(
            f"--find takes two classes, got {len(args.classes)}: "
            f"{', '.join(args.classes)}; --classes can be left out"
        )


def check_results(args):
    """Refuse files that cannot be written, before anything is read."""
    from ..labeling._model_files import check_model_file
    from ..labeling._output import check_table_file

    if args.form and not args.export:
        raise UsageError("--form is for --export")
    checks = {"predict": check_table_file, "save_model": check_model_file}
    for name, check in checks.items():
        path = getattr(args, name)
        if path is None:
            continue
        option = f"--{name.replace('_', '-')}"
        try:
            check(path)
        except ValueError as error:
            raise UsageError(f"{option}: {error}") from error
        check_output(option, path, args.file, args.out)
    if args.export:
        check_output("--export", args.export, args.file)
        if args.predict and args.predict.resolve() == args.export.resolve():
            raise UsageError(f"--predict: {args.predict} is named twice")


def make_keys(args):
    """Return the key of each class."""
    from ..labeling._keys import ClassKeys

    try:
        return ClassKeys(args.classes, args.keys)
    except ValueError as error:
        raise UsageError(f"--keys: {error}") from error


def read_answers(args):
    """Return the lines of --answers, all of which are answers; None without it."""
    if args.answers is None:
        return None
    from ..labeling._terminal import check_answers

    if args.answers == "-":
        lines = sys.stdin.read().splitlines()
    else:
        lines = read_text("--answers", args.answers).splitlines()
    try:
        check_answers(lines, make_keys(args))
    except ValueError as error:
        raise UsageError(f"--answers: {describe(error, args.answers)}") from error
    return lines


@contextmanager
def open_page(args):
    """Yield the server of the page, which answers before anything is read, or None."""
    if not args.web or args.export or args.predict or args.save_model:
        yield None
        return
    from ..labeling._page import PageServer

    try:
        page = PageServer(args.port)
    except OSError as error:
        reason = os.strerror(error.errno)
        raise UsageError(f"--port: {args.port}: {reason}") from error
    try:
        print(f"Open {page.address}")
        print(
            "It works on this machine only. Several people: add ?who=NAME before the #."
        )
        print("Ctrl-C ends it; labels are saved as they are given.", flush=True)
        yield page
    finally:
        page.close()


def read_rows(args):
    """Return the rows to label."""
    from .rows import N_DIRECTIONS, read_task

    kinds = {name: getattr(args, name) for name in ("categorical", "drop", "dates")}
    try:
        task = read_task(
            args.file,
            text=args.text,
            image=args.image,
            id_column=args.id,
            labelled=args.labelled,
            start_with=args.start_with,
            n_directions=N_DIRECTIONS if args.find is not None else 0,
            once=args.find is not None,
            **kinds,
        )
    except (ValueError, OSError) as error:
        raise UsageError(describe(error, args.file)) from error
    for row_id, label in task.known.items():
        if label not in args.classes:
            raise UsageError(
                f"--labelled: row {row_id} has the label {label!r}, which is none of "
                f"{', '.join(args.classes)}: --classes names all labels"
            )
    if task.kind == "table":
        for line in task.encoder.treated_as_:
            tell(f"treated as {line}")
    if args.test_size >= len(task.ids):
        raise UsageError(
            f"--test-size: {args.test_size} rows cannot be held out, since there are "
            f"{len(task.ids)}"
        )
    for option in ("predict", "save_model"):
        has_labels = args.out.exists() or task.known or args.labels
        if getattr(args, option) and not has_labels:
            option = option.replace("_", "-")
            raise UsageError(
                f"--{option}: There is no model yet, as there are no labels: the same "
                f"command without --{option} asks for some"
            )
    return task


def make_learner(args, task):
    """Return the learner, with the parameters that have options."""
    from .learners import learner_code, parse_learner
    from .rows import default_learner, finding_learner

    try:
        if args.learner:
            learner = parse_learner(args.learner)
        elif args.find is not None:
            learner = finding_learner(args.find, args.recall or 0.95, task)
        else:
            learner = default_learner()
    except ValueError as error:
        raise UsageError(f"--learner: {error}") from error
    for option, name, value in (
        ("budget", "budget", args.budget),
        ("batch-size", "batch_size", args.batch_size),
        ("start-with", "initial", task.start),
    ):
        if value is None:
            continue
        if name not in learner.get_params():
            raise UsageError(
                f"--{option}: {learner_code(learner)} has no parameter {name}"
            )
        learner.set_params(**{name: value})
    return learner


def one_thread():
    """Let BLAS use one thread: more threads gain little, and wait for each other."""
    from threadpoolctl import threadpool_limits  # which numpy and scipy are loaded for

    return threadpool_limits(1)


@contextmanager
def session_file(args):
    """Yield the file of the session; a rehearsal has a temporary one."""
    if not args.rehearse:
        yield args.out
        return
    with TemporaryDirectory() as folder:
        yield Path(folder) / "rehearsal.sqlite"


def open_session(args, task, learner, path):
    """Begin the session, or resume it."""
    from ..labeling import LabelingSession

    change = dict.fromkeys(args.change)
    if args.rename:
        change["classes"] = dict(args.rename)
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
                change=change,
            )
    except (ValueError, TypeError, OSError) as error:
        message = getattr(error, "command", None) or describe(error, args.out)
        raise UsageError(message) from error


@contextmanager
def printed_warnings():
    """Print warnings as lines of their own, unless an error is raised."""
    with catch_warnings(record=True, action="always") as notes:
        filterwarnings("ignore", *MANY_CLASSES)
        yield
    for note in notes:
        print(f"{PROGRAM}: warning: {note.message}", file=sys.stderr)


def work_on_session(args, session, task, page, answers):
    """Do what the options say with an open session."""
    if args.rehearse:
        from .rehearsal import rehearse

        rehearse(session, task.X, task.known)
        return
    take_known_labels(args, session, task.known)
    if args.export:
        columns = partial(session.export, columns=task.columns)
        export_labels(args, columns, session.omitted_rows)
    if args.predict or args.save_model:
        write_results(args, session, task)
    if args.export or args.predict or args.save_model:
        return
    if n_empty := session.status().empty:
        tell(f"{n_empty:,} rows are empty: they are not asked for")
    show_session(args, session, task, page, answers)
    if args.find is not None:
        print_sentences(session.advice())


def take_known_labels(args, session, known):
    """Take the labels that the table or another file has."""
    try:
        if session.status().n_taught == 0:
            for row_id, label in known.items():
                session.label(row_id, label)
        if args.labels:
            with printed_warnings():
                session.import_labels(args.labels)
    except (ValueError, OSError) as error:
        raise UsageError(describe(error, args.labels or args.out)) from error


def write_results(args, session, task):
    """Write the predictions and the model."""
    from sklearn.pipeline import make_pipeline

    from ..labeling import save_model

    try:
        if args.predict:
            n_predicted = session.export_predictions(args.predict, task.columns)
            n_labels = len(session.ids) - n_predicted
            print(
                f"Rows in {args.predict}: {n_labels} labelled, {n_predicted} predicted."
            )
        if args.save_model:
            encoder = task.encoder
            if "folder" in encoder.get_params():
                encoder.set_params(folder=None)  # a path of this machine
            save_model(make_pipeline(encoder, session.model()), args.save_model)
            print(
                f"Model in {args.save_model}. For new rows: sklearn-activelearn "
                f"predict {args.save_model} FILE --out FILE"
            )
    except (ValueError, TypeError, OSError) as error:
        files = args.predict, args.save_model
        raise UsageError(describe(error, args.out, *files)) from error


def show_session(args, session, task, page, answers):
    """Show the session in the terminal or on the page, until the person ends it."""
    from ..labeling._terminal import label_in_terminal
    from ..labeling._verbs import verbs_of
    from ..labeling._view import LabelingView

    folder = args.file if args.file.is_dir() else args.file.parent
    view = LabelingView(
        session,
        task.kind,
        folder=folder.resolve(),
        show_prediction=args.show_prediction,
        keys=make_keys(args),
        title=args.title,
        guide=args.guide,
    )
    try:
        if page:
            page.show(session, verbs_of(view))
            try:
                page.wait()
            except KeyboardInterrupt:
                print()  # after ^C
        else:
            label_in_terminal(view, who=args.who, answers=answers)
    except ValueError as error:
        raise UsageError(error) from error
    finally:
        n_labels = sum(session.status().by_class.values())
        print(f"Labels in {args.out}: {n_labels}. The same command resumes.")


def write_labels_of_file(args):
    """Write the labels of a file, which may be open in another process."""
    from .. import labeling
    from ..labeling._export import omitted_rows

    if args.recover is None:
        write = partial(labeling.export, args.file)
        return export_labels(args, write, partial(omitted_rows, args.file))
    check_output("--recover", args.recover, args.file)
    try:
        n_answers = labeling.recover_labels(args.file, args.recover)
    except (ValueError, OSError) as error:
        raise UsageError(describe(error, args.file, args.recover)) from error
    return print(f"Intact answers in {args.recover}: {n_answers}.")


def export_labels(args, write, count_omitted):
    """Write the labels of a session, and print how many rows have none."""
    try:
        with catch_warnings(action="ignore"):  # the omitted rows are printed below
            n_labels = write(args.export, args.form or "wide")
        omitted = count_omitted()._asdict()
    except (ValueError, OSError) as error:
        raise UsageError(describe(error, args.file, args.export)) from error
    if args.form == "long":
        print(f"Answers in {args.export}: {n_labels}.")
        return
    print(f"Labels in {args.export}: {n_labels}.")
    if sum(omitted.values()):
        each = ", ".join(f"{n} {what}" for what, n in omitted.items() if n)
        print(f"Rows without a label, which are left out: {each}.")
