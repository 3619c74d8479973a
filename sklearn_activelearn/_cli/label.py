"""The command ``label``: from a table to a session, and to the screen that shows it."""

# Modules that import scikit-learn are imported in functions: wrong arguments are
# refused, and the page answers, before that.
import argparse
import sys
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from warnings import catch_warnings, filterwarnings

from .options import (
    COLUMNS,
    PROGRAM,
    UsageError,
    add_command,
    add_options,
    blame,
    check_exists,
    check_names,
    check_output,
    check_together,
    number,
    print_sentences,
    require,
    tell,
)

#: Options that do not go with --machine: its sample tests the labels.
NOT_WITH_MACHINE = "find", "learner", "rehearse", "test-size", "show-prediction"
#: A warning of scikit-learn that appears as long as many classes have few labels.
MANY_CLASSES = "The number of unique classes", UserWarning
SQLITE = b"SQLite format 3\0"

ROWS = f"""
FILE
    The rows, as .csv with a header line, .parquet, .xlsx, .ris or .bib, or a folder of
    images. With --export or --recover, it may be left out, or be a file that --out has
    written.
--text COLUMN
    Show the texts of this column, and learn from their words. May be repeated: the
    texts of a row are joined. Default: all columns, as a table.
--image COLUMN
    Show the images whose paths are in this column, relative to the folder of FILE.
    Without FILE, --image takes a folder of images. Needs Pillow.
--id COLUMN
    Take the names of the rows from this column. Default: rows are numbered from 1.
{COLUMNS.strip()}
"""
CLASSES = """
--classes A,B,...
    The labels to choose from, separated by commas.
--rename OLD=NEW
    Rename a class of the session, or merge it with another class. No label is lost.
    --classes names the classes from now on. May be repeated.
--labelled COLUMN
    Start with the labels in this column, which may have empty cells.
--import FILE
    Start with the labels of an export (.csv, or .json of Label Studio), or of another
    file that --out has written.
--keys CLASS=KEY,...
    Choose the keys of classes, one character each, as in spam=x,ham=h.
--guide FILE.md
    Show this text, which explains the classes, when the key ! is pressed.
"""
LEARNING = """
--learner NAME[:param=value,...]
    Let this learner choose the rows, with these parameters, as in compare. Default:
    HybridSampling with a blend of models.
--find LABEL
    Find all rows with this label: ask for the likeliest rows, and then for random ones
    until the recall is certain.
--recall SHARE
    With --find, the share of the rows to find, with a confidence of 95%%. Default:
    0.95.
--machine COLUMN
    Check the labels in this column, which a language model, a rule or an older model
    has given. Nobody sees them before the own answer. In the end every row has a label,
    a person's or the machine's (--predict). Without --classes, the labels of the column
    are the classes.
--machine-confidence COLUMN
    With --machine, the machine's confidence in its labels, between 0 and 1.
--max-error SHARE
    With --machine, the share of the labels that may be wrong in the end, as in 0.02,
    with a confidence of 95%%.
--start-with WORDS
    Begin with the texts that are most similar to these words, until two classes have
    labels. This helps if random texts seldom show a class.
--budget N
    Stop after N labels; a larger budget continues. Default: no limit.
--batch-size N
    Train again after N labels. Default: the batch size of the learner.
--test-size N
    Ask for N random rows first and hold them out of training: they tell how good the
    model is. Default: as in --out, or none.
--change WORD[,WORD...]
    Allow these differences from the session in --out: pool (more rows at the end),
    features (other columns or values), classes, learner, test_size, votes.
--rehearse
    Ask nobody: take the answers from --labelled, and print how good the model was on
    the way. Needs --test-size; --out is not needed, nor written.
"""
PEOPLE = """
--who NAME
    Your name, if several people label.
--votes N
    Ask N people for the label of each row. Default: as in --out, or 1.
--web
    Label in the browser instead of the terminal, on this machine only.
--port N
    With --web, the port of the page. Default: a free one.
--title TEXT
    Show this name of the project above the rows.
--show-prediction
    Show the prediction of the model before the label is given, not only afterwards.
    People tend to agree with it.
--answers FILE
    Take answers from a file, one a line, as they would be typed; - is the standard
    input.
"""
RESULTS = """
--out FILE
    Keep the labels in this file. If it exists, --classes, --find, --recall, --budget,
    --test-size and --votes may be left out: the file has them.
--export FILE
    Write the labels and end: .csv, or .json for Label Studio. If the rows are given
    too, their columns are added to the CSV. The names of people are in it.
--form FORM
    With --export, write a line for each row that has a label (wide), or for each answer
    of a person (long). Default: wide.
--predict FILE
    Write all rows and end, as .csv or .parquet: the label of each row or the prediction
    of the model, its probability, who gave the label, and the columns of the table.
    With --machine, the machine's label in place of the prediction.
--save-model FILE
    Write the model and end, for the command predict: .skops (needs skops), or .joblib
    for people who trust you.
--recover FILE
    Write the intact answers of the damaged file in --out to a CSV, and end.
"""
EXAMPLE = r"""
sklearn-activelearn label mails.csv --text body --classes spam,ham \
    --out mails.sqlite
sklearn-activelearn label mails.sqlite --export labels.csv
"""


def add_label(commands):
    """Add the command to the parser."""
    parser = add_command(
        commands,
        start_label,
        "label FILE --classes A,B,... --out FILE [options]",
        "Label your own rows, in the terminal or in the browser. The most useful rows "
        "come first, and each label is stored at once. The same command resumes, "
        "whatever ended it.",
        EXAMPLE,
    )
    count = {"type": number(int, 1)}
    dates = {"choices": ["day-first", "month-first"]}
    add_options(parser, "rows", ROWS, FILE={"nargs": "?"}, dates=dates)
    add_options(
        parser,
        "classes",
        CLASSES,
        classes={"type": parse_classes},
        rename={"type": parse_rename},
        keys={"type": parse_keys, "default": {}},
    )
    words = {"type": lambda text: text.replace(" ", "").split(","), "default": []}
    add_options(
        parser,
        "learning",
        LEARNING,
        recall={"type": number(float, 0.01, 1)},
        max_error={"type": number(float, 0.0001, 0.5)},
        budget=count,
        batch_size=count,
        test_size={"type": number(int, 0)},
        change=words,
    )
    add_options(
        parser,
        "people and screen",
        PEOPLE,
        votes=count,
        port={"type": number(int, 0, 65_535), "default": 0},
        title={"default": ""},
        answers={"type": str},
    )
    add_options(parser, "results", RESULTS, form={"choices": ["wide", "long"]})


def parse_classes(text):
    """Return the classes of a list with commas."""
    names = [name.strip() for name in text.split(",")]
    if "" in names:
        raise argparse.ArgumentTypeError(f"{text!r} contains an empty class name")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise argparse.ArgumentTypeError(f"{repeated[0]!r} is given twice")
    if len(names) < 2:
        raise argparse.ArgumentTypeError(
            f"{text!r} is one class, but at least two are needed"
        )
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
            raise argparse.ArgumentTypeError(f"{name!r} is given twice")
        keys[name] = key
    return keys


def start_label(args):
    """Run ``label``: check everything, open the session, show its screen."""
    if args.recover or (args.export and None in (args.FILE, args.out)):
        if (path := (args.recover and args.out) or args.FILE or args.out) is None:
            raise UsageError("which file holds the labels? (--out)")
        check_exists(path)
        write_labels_of_file(args, path)
        return
    if args.FILE is None:
        if args.image is None or not Path(args.image).is_dir():
            raise UsageError("which rows are to be labelled? (FILE, or --image FOLDER)")
        args.FILE, args.image = Path(args.image), None
    check_names(args, [args.learner] if args.learner else [])
    check_exists(args.FILE)
    require("label", "pandas")
    check_row_options(args)
    tell(f"Reading {args.FILE} …")
    if args.out is not None and args.out.is_file() and not args.rehearse:
        resume_options(args)
    if (args.votes or 1) > 1 and not args.who and not args.web:
        raise UsageError("--votes: whose votes are these? (--who)")
    check_class_options(args)
    check_files(args)
    answers = read_answer_lines(args)
    filterwarnings("ignore", *MANY_CLASSES)
    with open_page(args) as page:
        task = read_rows(args)
        learner = make_learner(args, task)
        with (
            one_thread(),
            session_file(args) as path,
            open_session(args, task, learner, path) as session,
            blame(path),
        ):
            work_on_session(args, session, task, page, answers)


def check_row_options(args):
    """Refuse options for rows that are missing, or do not go together."""
    if args.FILE.is_file():
        with blame(args.FILE), args.FILE.open("rb") as file:
            start = file.read(len(SQLITE))
        if start == SQLITE:
            raise UsageError(
                f"{args.FILE} is a labelling session, not a file of rows. To save its "
                "labels, pass --export FILE without --out. To continue it, repeat the "
                "command that began it"
            )
    tables = ("categorical", "drop", "dates")
    outputs = ("predict", "save-model", "export", "web", "answers")
    check_together(
        args,
        [
            ("start-with", "text"),
            ("recall", "find"),
            ("max-error", "machine"),
            ("machine-confidence", "machine"),
            ("form", "export"),
            ("rehearse", "labelled"),
            ("rehearse", "test-size"),
        ],
        [
            ("text", "image"),
            ("web", "answers"),
            ("find", "learner"),
            *(("machine", option) for option in NOT_WITH_MACHINE),
            *((option, shown) for option in tables for shown in ("text", "image")),
            *(("rehearse", option) for option in outputs),
        ],
    )


def resume_options(args):
    """Set options that are not given as the session in --out has them."""
    from ..labeling._storage import stored_settings

    with blame(args.out):
        stored = stored_settings(args.out)
    if not stored:
        return
    renamed = dict(args.rename)
    classes = [renamed.get(each, each) for each in stored["classes"] or ()]
    known = {name: stored[name] for name in ("votes", "test_size")}
    if classes and all(isinstance(each, str) for each in classes):
        known["classes"] = list(dict.fromkeys(classes))
    if args.learner is None:
        params = stored["learner"]["params"]
        known["budget"] = stored["budget"]
        with suppress(KeyError, TypeError):  # of another learner
            positive = params["positive"]
            known["recall"] = params["stopping"]["params"]["recall"]
            known["find"] = renamed.get(positive, positive)
        with suppress(KeyError, TypeError):
            known["max_error"] = params["stopping"]["params"]["error"]
    for option, value in known.items():
        if getattr(args, option) is None:
            setattr(args, option, value)


def check_class_options(args):
    """Refuse classes that are missing, or do not fit --find and --keys."""
    if args.machine is not None:
        if args.max_error is None:
            raise UsageError("which share of the labels may be wrong? (--max-error)")
        if args.classes is None:
            args.classes = read_machine_classes(args)
    if args.find is not None:
        if args.recall == 1:
            raise UsageError("--recall must be below 1, for example 0.95")
        args.classes = args.classes or [args.find, f"not {args.find}"]
        if args.find not in args.classes or len(args.classes) != 2:
            raise UsageError(
                f"--find: {args.find!r} and one other class are needed, got "
                f"{', '.join(args.classes)}; --classes can be left out"
            )
    if args.classes is not None:
        make_keys(args)
    elif not args.rehearse:
        raise UsageError("which labels are there to choose from? (--classes)")


def read_machine_classes(args):
    """Return the labels of the column --machine."""
    from .._tables.tables import cells_of, read_table

    with blame(args.FILE):
        cells = cells_of(read_table(args.FILE), args.machine)
    classes = sorted({cell.strip() for cell in cells} - {""})
    if len(classes) < 2:
        raise UsageError(
            f"--machine: labels of two classes are needed, got {classes}; name all "
            "classes (--classes)"
        )
    return classes


def check_files(args):
    """Refuse files that cannot be read or written, before anything is done."""
    if args.out is None and not args.rehearse:
        raise UsageError("where are the labels to be kept? (--out)")
    if args.out is not None and not args.out.parent.is_dir():
        raise UsageError(f"--out: there is no folder {args.out.parent}")
    if args.web:
        require("--web", "starlette", "uvicorn")
    if getattr(args, "import") is not None:
        check_exists(getattr(args, "import"))
    if args.guide is not None:
        with blame(args.guide, option="guide"):
            args.guide = args.guide.read_text(encoding="utf-8-sig")
    for option in ("predict", "save-model"):
        path = getattr(args, option.replace("-", "_"))
        if path is None:
            continue
        from ..labeling._model_files import check_model_file
        from ..labeling._output import check_table_file

        with blame(path, option=option):
            (check_table_file if option == "predict" else check_model_file)(path)
        check_output(option, path, args.FILE, args.out)
    if args.export:
        check_output("export", args.export, args.FILE)
        if args.predict and args.predict.resolve() == args.export.resolve():
            raise UsageError(f"--predict: {args.predict} is named twice")


def make_keys(args):
    """Return the key of each class."""
    from ..labeling._keys import ClassKeys

    try:
        return ClassKeys(args.classes, args.keys)
    except ValueError as error:
        raise UsageError(f"--keys: {error}") from error


def read_answer_lines(args):
    """Return the checked lines of the file --answers; None without that option."""
    if args.answers is None:
        return None
    from ..labeling._keys import check_answers

    with blame(args.answers, option="answers"):
        if args.answers == "-":
            lines = sys.stdin.read().splitlines()
        else:
            lines = Path(args.answers).read_text(encoding="utf-8-sig").splitlines()
        check_answers(lines, make_keys(args))
    return lines


@contextmanager
def open_page(args):
    """Yield the server of the page, which answers before anything is read, or None."""
    if not args.web or args.export or args.predict or args.save_model:
        yield None
        return
    from ..labeling._page import PageServer

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


def read_rows(args):
    """Return the rows to label."""
    kinds = {name: getattr(args, name) for name in ("categorical", "drop", "dates")}
    with blame(args.FILE):
        from .rows import N_DIRECTIONS, read_task

        task = read_task(
            args.FILE,
            text=args.text,
            image=args.image,
            id_column=args.id,
            labelled=args.labelled,
            start_with=args.start_with,
            machine=args.machine,
            machine_confidence=args.machine_confidence,
            n_directions=N_DIRECTIONS if args.find and args.text else 0,
            once=args.find is not None,
            **kinds,
        )
    if args.classes is None:  # a rehearsal
        args.classes = sorted({*task.known.values()})
        if len(args.classes) < 2:
            raise UsageError(
                f"--labelled: labels of two classes are needed, got {args.classes}"
            )
    for row_id, label in task.known.items():
        if label not in args.classes:
            raise UsageError(
                f"--labelled: row {row_id} has the label {label!r}, which is not one "
                f"of {', '.join(args.classes)}: --classes must name all labels"
            )
    for row_id, label in zip(task.ids, task.machine or (), strict=False):
        if label and label not in args.classes:
            raise UsageError(
                f"--machine: row {row_id} has the label {label!r}, which is not one of "
                f"{', '.join(args.classes)}: --classes must name all labels"
            )
    if task.kind == "table":
        for line in task.encoder.treated_as_:
            tell(f"treated as {line}")
    if (args.test_size or 0) >= len(task.ids):
        raise UsageError(
            f"--test-size: {args.test_size} rows cannot be held out of {len(task.ids)}"
        )
    for option in ("predict", "save-model"):
        wanted = getattr(args, option.replace("-", "_"))
        if wanted and not (task.known or args.out.exists() or getattr(args, "import")):
            raise UsageError(
                f"--{option}: There is no model yet, because there are no labels. Run "
                f"the command without --{option} first, and label some rows"
            )
    return task


def make_learner(args, task):
    """Return the learner, with the parameters that have options."""
    from ..evaluation._compare import learner_code
    from ..pool import HybridSamplingClassifier
    from .learners import parse_learner
    from .rows import N_ROWS, checking_learner, finding_learner

    try:
        if args.learner:
            learner = parse_learner(args.learner)
        elif args.machine is not None:
            learner = checking_learner(task, plan_check(args, task))
        elif args.find is not None:
            learner = finding_learner(args.find, args.recall or 0.95, task)
        else:
            # the next row is to be there soon
            few = {"n_coverage": N_ROWS, "n_candidates": N_ROWS}
            learner = HybridSamplingClassifier(**few, budget=None)
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


def plan_check(args, task):
    """Return the `ErrorTarget`; print what it needs, or refuse it."""
    from ..pool import ErrorTarget

    target = ErrorTarget(args.max_error)
    plan = target.plan(len(task.ids))
    if plan.n_allowed == 0:
        raise UsageError(
            f"--max-error: {args.max_error:g} of {plan.n_rows} rows is less than one "
            "row, so that nothing can be certified: label all rows, without --machine"
        )
    if args.budget is not None and args.budget < plan.n_sample:
        raise UsageError(
            f"--budget: {args.budget} labels do not pay for the random sample of "
            f"{plan.n_sample} rows that the certificate needs"
        )
    tell(str(plan))
    return target


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
    with blame(path), printed_warnings():
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
    imported = getattr(args, "import")
    with blame(imported or args.out), printed_warnings():
        if session.status().n_taught == 0:
            for row_id, label in task.known.items():
                session.label(row_id, label)
        if imported:
            session.import_labels(imported)
    if args.export:
        write = partial(session.export, columns=task.columns)
        write_exports(args, write, args.out)
    if args.predict or args.save_model:
        write_results(args, session, task)
    if args.export or args.predict or args.save_model:
        return
    if n_empty := session.status().empty:
        are = "row without content is" if n_empty == 1 else "rows without content are"
        tell(f"{n_empty:,} {are} not shown")
    show_session(args, session, task, page, answers)
    if args.find is not None or args.machine is not None:
        print_sentences(session.advice())


def write_results(args, session, task):
    """Write the predictions and the model."""
    from sklearn.pipeline import make_pipeline

    from ..labeling import save_model

    with blame(args.out, args.predict, args.save_model), printed_warnings():
        if args.predict:
            n_predicted = session.export_predictions(args.predict, task.columns)
            n_labels = len(session.ids) - n_predicted
            how = "with the machine's label" if args.machine else "predicted"
            print(f"Rows in {args.predict}: {n_labels} labelled, {n_predicted} {how}.")
        if args.save_model:
            encoder = task.encoder
            if "folder" in encoder.get_params():
                encoder.set_params(folder=None)  # a path of this machine
            save_model(make_pipeline(encoder, session.model()), args.save_model)
            print(
                f"Model in {args.save_model}. For new rows: {PROGRAM} predict "
                f"{args.save_model} FILE --out FILE"
            )


def show_session(args, session, task, page, answers):
    """Show the session in the terminal or on the page, until the person ends it."""
    from ..labeling._view import LabelingView

    folder = args.FILE if args.FILE.is_dir() else args.FILE.parent
    view = LabelingView(
        session,
        task.kind,
        folder=folder.resolve(),
        show_prediction=args.show_prediction,
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
            from ..labeling._terminal import label_in_terminal

            label_in_terminal(view, who=args.who, answers=answers)
    except ValueError as error:
        raise UsageError(error) from error
    finally:
        n_labels = sum(session.status().by_class.values())
        print(f"Labels in {args.out}: {n_labels}. The same command resumes.")


def write_labels_of_file(args, path):
    """Write the labels of a session, which may be open in another process."""
    from .. import labeling

    if args.recover is None:
        write_exports(args, partial(labeling.export, path), path)
        return
    check_output("recover", args.recover, path)
    with blame(path, args.recover):
        n_answers = labeling.recover_labels(path, args.recover)
    print(f"Intact answers in {args.recover}: {n_answers}.")


def write_exports(args, write, path):
    """Write the labels of a session, and print how many rows have none."""
    from ..labeling._export import omitted_rows

    with blame(path, args.export):
        with catch_warnings(action="ignore"):  # the omitted rows are printed below
            n_labels = write(args.export, args.form or "wide")
        omitted = omitted_rows(path)
    if args.form == "long":
        print(f"Answers in {args.export}: {n_labels}.")
        return
    print(f"Labels in {args.export}: {n_labels}.")
    words = ("skipped", "disputed", "with too few votes", "asked for and not answered")
    each = [f"{n} {what}" for n, what in zip(omitted, words, strict=True) if n]
    if each:
        print(f"Rows without a label, which are left out: {', '.join(each)}.")
