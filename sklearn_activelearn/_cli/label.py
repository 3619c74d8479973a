"""The command ``label``: from a table to a session, and to the screen that shows it."""

# Modules that import scikit-learn are imported in functions: wrong arguments are
# refused, and the page answers, before that.
import argparse
import csv
import sys
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from warnings import catch_warnings, filterwarnings

from .label_studio import (
    accept_more_rows,
    make_loop,
    open_project,
    read_tasks,
    table_of,
)
from .options import (
    CHOICES,
    COLUMNS,
    PROGRAM,
    READING,
    UsageError,
    add_command,
    add_options,
    blame,
    check_exists,
    check_output,
    check_together,
    class_name,
    duplicates_beside,
    number,
    print_sentences,
    require,
    tell,
    tell_empty_rows,
)

#: Options that another option needs.
NEEDS = [
    ("start-with", "text"),
    ("recall", "find"),
    ("max-error", "machine"),
    ("machine-confidence", "machine"),
    ("form", "export"),
    ("tag", "export"),
    ("rehearse", "labelled"),
    ("rehearse", "test-size"),
    ("label-studio", "project"),
    ("project", "label-studio"),
    ("label-studio-control", "label-studio"),
    ("token-file", "label-studio"),
    ("keep-order", "label-studio"),
]
#: Options, and others that do not go together with them.
CONFLICTS = {
    "text": ("image", "categorical", "drop", "hide", "dates", "decimal", "gaps"),
    "image": ("categorical", "drop", "hide", "dates", "decimal", "gaps", "encoder"),
    "encoder": ("features",),
    "find": ("learner",),
    "labels": ("classes", "machine"),
    "machine": ("find", "learner", "rehearse", "test-size", "show-prediction"),
    "rehearse": ("status", "predict", "save-model", "export", "web"),
    "label-studio": (
        "FILE", "web", "reasons", "who", "guide", "id", "classes", "labels", "labelled",
        "machine", "rehearse", "twins",
    ),
}  # fmt: skip
#: A warning of scikit-learn that appears as long as many classes have few labels.
MANY_CLASSES = "The number of unique classes", UserWarning
SQLITE = b"SQLite format 3\0"  # the first bytes of a session

ROWS = f"""
FILE
    The rows to label: .csv with a header line, .parquet, .xlsx, .json or .jsonl with
    an object for each row, references (.ris, .bib, .nbib, .ciw, .enw, .xml of EndNote
    or PubMed), or a folder of images. Several files, such as exports of several
    databases, are read as one. For --export and --recover, a file that --out has
    written.
--text COLUMN
    Show the texts of this column, and learn from their words. May be repeated: the
    texts of a row are joined. Without --text and --image, each row is shown as a table
    of all columns.
--image COLUMN
    Show the images whose paths are in this column, relative to the folder of FILE.
    Without FILE, --image FOLDER shows the images of a folder. Needs Pillow.
--id COLUMN
    Take the names of the rows from this column. Default: rows are numbered from 1.
--encoder NAME
    Encode texts with this model of sentence-transformers or model2vec, a name or a
    folder. Vectors are kept in a file beside --out.
--features FILE
    Take a vector for each row from this file: .npy, in the order of the rows, or
    .parquet or .csv with the column of --id.
--hide COLUMN
    Do not show this column to people. The model learns from it, unless --drop names it,
    too. May be repeated.
{COLUMNS.strip()}
{READING.strip()}
"""
CLASSES = """
--classes A,B,...
    The classes to choose from, separated by commas.
--labels A,B,...
    The labels to choose from, if a row may have several of them, or none.
--tags A,B,...
    Tags that an answer may have beside its label, any number of them. The key t and the
    key of a tag choose it. The model does not learn tags.
--rename OLD=NEW
    Give the class or tag OLD of the session in --out the name NEW, or merge it with
    NEW. All labels are kept. --classes and --tags, if they are given, have the new
    names. May be repeated.
--labelled COLUMN
    Start with the labels in this column. Rows with an empty cell have no label yet.
    Without --classes, the labels of the column are the classes.
    With --labels, semicolons separate the labels of a row; [] says that none applies.
--import FILE
    Start with the labels in this file: .csv of --export, .json of Label Studio,
    .jsonl of Prodigy or doccano, or another session of --out. Rows are found by the
    column of --id, or by their content.
--keys CLASS=KEY,...
    Label with these keys, one character for each of some classes, as in spam=x,ham=h.
--guide FILE.md
    Show the text of this file, which explains the classes, when ! is pressed.
"""
LEARNING = """
--learner NAME[:param=value,...]
    Let this learner, with these parameters, choose the rows, as in MinMargin or
    'MinMargin:estimator=SVC(C=10)'. Default: HybridSampling with a blend of models.
--find LABEL
    Find all rows of this class: ask for the rows that are likely to be of it, and then
    for random rows, until the recall is certain. With --labels, one of the labels; the
    model tells only this label.
--recall SHARE
    Stop --find when this share of the rows is found, with a confidence of 95%%.
    Default: 0.95.
--twins ask|once
    Ask for each of several rows with the same text, or the same cells of a table. By
    default they are asked for once, and the answer counts for all of them; case and
    spaces do not count. With --machine and --label-studio, and for images, each row is
    asked for. The choice is for the whole session.
--machine COLUMN
    Check the labels of a language model, a rule or an older model, which are in this
    column. They are shown only after the person's answer. --predict then writes a label
    for each row, by a person or by the machine. Without --classes, the labels of the
    column are the classes.
--machine-confidence COLUMN
    Read the machine's confidence in the labels of --machine, from 0 to 1, from this
    column.
--max-error SHARE
    Stop --machine when at most this share of all labels is wrong, with a confidence of
    95%%, as in 0.02.
--start-with WORDS
    Begin with the texts that are most similar to these words, until two classes have
    labels. This helps if a class is rare.
--budget N
    Stop after N labels. The same command with a larger budget continues. Default: no
    limit.
--test-size N
    Ask for the labels of N random rows first, and do not train on them: they measure
    how good the model is. Default: as in --out, or none.
--change WORD[,WORD...]
    Accept that FILE or options differ from the session in --out: pool (more rows at the
    end), features (other columns or values), classes, tags, learner, test_size,
    votes.
--rehearse
    Ask nobody: take the answers from --labelled, and print how good the model was on
    the rows of --test-size. No file is written.
"""
PEOPLE = """
--who NAME
    Give the answers the name of this person, if several people label.
--votes N
    Ask N people for the label of each row. Default: as in --out, or 1.
--web
    Label in the browser instead of the terminal, on this machine only.
--port N
    Serve the page of --web on this port. Default: a free one.
--title TEXT
    Show this title above the rows.
--show-prediction
    Show the prediction of the model before the answer, not only after it. People tend
    to agree with it.
--reasons
    Show below each row why it is asked for, as in "Asked at random.". The line does not
    tell what the model expects.
"""
LABEL_STUDIO = """
--label-studio URL
    Let people label in the Label Studio at this address, in the order that the learner
    chooses. The rows are the tasks of --project, the classes the choices of its
    labelling interface. The token is in the environment variable LABEL_STUDIO_API_KEY,
    or in --token-file. Needs httpx.
--project N
    Use the project with this number, which is in the address of its page.
--label-studio-control NAME
    Take the classes from the <Choices> with this name, if there are several.
--token-file FILE
    Read the personal access token, or the legacy token, from this file.
--keep-order
    Leave the order in the project at the end. Default: the project gets its settings
    back, and the predictions that hold the order are deleted.
"""
RESULTS = """
--out FILE
    Keep the labels and the settings in this file, the session. If it exists, --classes,
    --find, --recall, --max-error, --budget, --test-size and --votes may be left out.
--status
    Print how many labels there are, how long the rest may take and what more labels
    may bring, and end.
--export FILE
    Write the labels and end: .csv, or .json for Label Studio. If FILE has the rows,
    their columns are in the CSV. The names of people are in it.
--form FORM
    Let --export write a line for each row that has a label (wide), or for each answer
    of a person (long). Default: wide.
--tag TAG
    Let --export write only rows, or answers, with this tag.
--predict FILE
    Write all rows and end, as .csv or .parquet: the label of each row, or else the
    prediction of the model (with --machine, the machine's label) and its probability,
    who gave the label, and the columns of the table.
--save-model FILE
    Write the model for the command predict, and end: .skops (needs skops), or .joblib
    for people who trust you.
--recover FILE
    Write the intact answers of a damaged session to a .csv, and end.
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
        "label FILE... (--classes | --labels) A,B,... --out FILE [options]",
        "Label your own rows, in the terminal or in the browser. The most useful rows "
        "come first, and each label is stored at once. The same command resumes, "
        "whatever ended it.",
        EXAMPLE,
    )
    count = {"type": number(int, 1)}
    add_options(parser, "rows", ROWS, FILE={"nargs": "*"}, **CHOICES)
    add_options(
        parser, "classes", CLASSES,
        classes={"type": parse_classes},
        labels={"type": partial(parse_classes, what="label")},
        tags={"type": partial(parse_classes, what="tag", n_least=1)},
        rename={"type": parse_renaming},
        keys={"type": parse_keys, "default": {}},
        **{"import": {"dest": "imported"}},
    )  # fmt: skip
    words = {"type": lambda text: text.replace(" ", "").split(","), "default": []}
    add_options(
        parser, "learning", LEARNING,
        recall={"type": number(float, 0.01, 1)},
        max_error={"type": number(float, 0.0001, 0.5)},
        budget=count, test_size={"type": number(int, 0)},
        change=words, twins={"choices": ["ask", "once"]},
    )  # fmt: skip
    port = {"type": number(int, 0, 65_535), "default": 0}
    add_options(
        parser,
        "people and screen",
        PEOPLE,
        votes=count,
        port=port,
        title={"default": ""},
    )
    add_options(parser, "Label Studio", LABEL_STUDIO, project={"type": number(int, 1)})
    add_options(parser, "results", RESULTS, form={"choices": ["wide", "long"]})


def parse_classes(text, what="class", n_least=2):
    """Return the classes, labels or tags of a list with commas."""
    names = [name.strip() for name in text.split(",")]
    check_different(names, what)
    if len(names) < n_least:
        raise argparse.ArgumentTypeError(
            f"{text!r} is one {what}, but at least two are needed"
        )
    return names


def parse_pair(text, form="OLD=NEW"):
    """Return the two texts around the last equals sign."""
    first, _, second = (part.strip() for part in text.rpartition("="))
    if not (first and second):
        raise argparse.ArgumentTypeError(f"{text!r} is not {form}")
    return first, second


def parse_renaming(text):
    """Return the old and the new name of a class."""
    old, new = parse_pair(text)
    if "," in new:
        raise argparse.ArgumentTypeError(
            f"the new name {new!r} has a comma, which separates names: one name is "
            "needed for each --rename"
        )
    return old, new


def parse_keys(text):
    """Return the key of each class in a list with commas."""
    pairs = [parse_pair(part, "CLASS=KEY") for part in text.split(",")]
    check_different([name for name, _ in pairs])
    return dict(pairs)


def check_different(names, what="class"):
    """Refuse a name that is empty or given twice."""
    for name in names:
        if not name:
            raise argparse.ArgumentTypeError(f"a name of a {what} is empty")
        if names.count(name) > 1:
            raise argparse.ArgumentTypeError(f"{name!r} is given twice")


def start_label(args):
    """Run ``label``: check everything, open the session, show its screen."""
    args.files, args.rename_tags = args.FILE, []
    args.FILE = args.files[0] if args.files else None
    if args.status and None in (args.FILE, args.out):
        raise UsageError(
            "--status needs the rows and the session (FILE, --out): repeat the command "
            "that began it, with --status"
        )
    if args.recover or (args.export and None in (args.FILE, args.out)):
        if (path := (args.recover and args.out) or args.FILE or args.out) is None:
            raise UsageError("which file holds the labels? (--out)")
        check_exists(path)
        write_labels_of_file(args, path)
        return
    if args.label_studio:
        pass
    elif args.FILE is None:
        if args.image is None or not Path(args.image).is_dir():
            raise UsageError("which rows are to be labelled? (FILE, or --image FOLDER)")
        args.FILE, args.image = Path(args.image), None
        args.files = [args.FILE]
    if args.learner:
        class_name(args.learner)
    require("label", "pandas")
    pairs = [(one, other) for one, others in CONFLICTS.items() for other in others]
    check_together(args, NEEDS, pairs)
    args.several = args.labels is not None
    args.classes = args.labels if args.several else args.classes
    if args.label_studio:
        label_in_label_studio(args)
        return
    for path in args.files:
        check_exists(path)
        if len(args.files) > 1 and path.is_dir():
            raise UsageError(f"{path} is a folder, which is read alone")
        if args.files.count(path) > 1:
            raise UsageError(f"{path} is given twice")
    tell(f"Reading {', '.join(map(str, args.files))} …")
    resume_options(args)
    check_options(args)
    check_files(args)
    filterwarnings("ignore", *MANY_CLASSES)
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


def resume_options(args):
    """Set options that are not given as the session in --out has them.

    Return the settings of the session; nothing if it does not exist.
    """
    for path in filter(Path.is_file, args.files):
        with blame(path), path.open("rb") as file:
            start = file.read(len(SQLITE))
        if start == SQLITE:
            raise UsageError(
                f"{path} is a labelling session, not a file of rows. To save its "
                "labels, pass --export FILE without --out. To continue it, repeat the "
                "command that began it"
            )
    if args.out is None or not args.out.is_file() or args.rehearse:
        return {}
    from ..labeling.storage._file import stored_settings

    with blame(args.out):
        stored = stored_settings(args.out)
    if not stored:
        return {}
    # the classes of a session made in Python can be numbers
    label_of = {f"{each}": each for each in stored["classes"] or ()}
    args.keys = {label_of.get(name, name): key for name, key in args.keys.items()}
    args.find = label_of.get(args.find, args.find)
    if args.classes is not None:
        args.classes = [label_of.get(name, name) for name in args.classes]
    if args.classes is None:
        args.several = stored["label_kind"] == "several"
    args.rename_tags = [pair for pair in args.rename if pair[0] in stored["tags"]]
    args.rename = [pair for pair in args.rename if pair not in args.rename_tags]
    renamed, renamed_tags = dict(args.rename), dict(args.rename_tags)
    classes = dict.fromkeys(renamed.get(each, each) for each in label_of.values())
    tags = dict.fromkeys(renamed_tags.get(each, each) for each in stored["tags"])
    known = {"votes": stored["votes"], "classes": [*classes] or None, "tags": [*tags]}
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
    return stored


def check_options(args):
    """Refuse options that are missing, or do not fit the classes."""
    if args.out is None and not args.rehearse:
        raise UsageError("where are the labels to be kept? (--out)")
    has_names = args.who or args.web or args.label_studio
    if (args.votes or 1) > 1 and not has_names:
        raise UsageError("--votes: whose votes are these? (--who)")
    if args.machine is not None and args.max_error is None:
        raise UsageError("which share of the labels may be wrong? (--max-error)")
    if args.recall == 1:
        raise UsageError("--recall must be below 1, for example 0.95")
    sources = args.classes, args.find, args.machine, args.labelled
    if all(each is None for each in sources):
        raise UsageError(
            "which labels are there to choose from? (--classes; --labels, if a row may "
            "have several)"
        )


def make_keys(args):
    """Return the key of each class."""
    from ..labeling.front_ends._keys import ClassKeys

    try:
        return ClassKeys(args.classes, args.keys, args.several, args.tags or ())
    except ValueError as error:
        raise UsageError(f"--keys: {error}") from error


def check_files(args):
    """Refuse files that cannot be read or written, before anything is done."""
    if args.out is not None and not args.out.parent.is_dir():
        raise UsageError(f"--out: there is no folder {args.out.parent}")
    if args.web:
        require("--web", "starlette", "uvicorn")
    if args.imported is not None:
        check_exists(args.imported)
    if args.guide is not None:
        with blame(args.guide, option="guide"):
            args.guide = args.guide.read_text(encoding="utf-8-sig")
    if args.export:
        check_output("export", args.export, *args.files)
    if args.predict:
        from ..labeling._table_files import check_table_file

        with blame(args.predict, option="predict"):
            check_table_file(args.predict)
        check_output("predict", args.predict, *args.files, args.out, args.export)
    if args.save_model:
        from ..labeling._saved_models import check_model_file

        with blame(args.save_model, option="save-model"):
            check_model_file(args.save_model)
        check_output("save-model", args.save_model, *args.files, args.out)


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
        n_labels = session.status().labelled
        print(f"Labels in {args.out}: {n_labels}. The same command resumes.")
    if args.find is not None or args.machine is not None:
        print_sentences(session.advice())


def label_in_label_studio(args):
    """Let a project of Label Studio hand out its tasks in the order of a session.

    If tasks are added, a session with more rows takes over.
    """
    with ExitStack() as stack:
        client = open_project(args, stack)
        stored = resume_options(args)
        check_options(args)
        check_files(args)
        tell(f"Reading the tasks of project {args.project} …")
        tasks = new = read_tasks(args, client)
        if len(tasks) > stored.get("n_rows", len(tasks)):
            accept_more_rows(args)
        filterwarnings("ignore", *MANY_CLASSES)
        folder, loop = Path(stack.enter_context(TemporaryDirectory())), None
        while loop is None or loop.has_new_tasks:
            task, learner = read_rows(
                args, table_of(args, client, tasks, folder), folder
            )
            from threadpoolctl import threadpool_limits  # numpy and scipy are loaded

            with (
                threadpool_limits(1),
                open_session(args, task, learner, args.out) as session,
                blame(args.out),
            ):
                add_known_labels(args, session, task)
                if not is_labelling(args):
                    write_results(args, session, task)
                    return
                if loop is None:
                    loop = make_loop(args, client, session, tasks)
                    stack.callback(loop.restore)  # Ctrl-C while rows are added
                else:
                    loop.continue_with(session, new)
                run_loop(loop)
                n_labels = session.status().labelled
            if loop.has_new_tasks:
                new = read_tasks(args, client, id=tasks[-1]["id"])
                tasks += new
                accept_more_rows(args)
    print(f"Labels in {args.out}: {n_labels}. The same command resumes.")


def run_loop(loop):
    """Run the loop until it ends or Ctrl-C ends it."""
    try:
        loop.run()
    except KeyboardInterrupt:
        print()  # after ^C


def is_labelling(args):
    """Return True if people label; False if results are wanted."""
    return not (args.status or args.export or args.predict or args.save_model)


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


def write_labels_of_file(args, path):
    """Write the labels of a session, which may be open in another process."""
    from .. import labeling

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
