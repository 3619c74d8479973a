"""The command ``label``: its options, and their checks before anything is read."""

# Modules that import scikit-learn are imported in functions: wrong arguments are
# refused, and the page answers, before that.
import argparse
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from warnings import filterwarnings

from .label_studio import label_tasks, open_project
from .options import (
    CHOICES,
    COLUMNS,
    READING,
    UsageError,
    add_command,
    add_options,
    blame,
    check_exists,
    check_output,
    check_together,
    class_name,
    number,
    require,
    tell,
)
from .session import MANY_CLASSES, label_rows, write_labels_of_file

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
        write_labels_of_file(args)
        return
    if args.FILE is None and not args.label_studio:
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
    with ExitStack() as stack:
        if args.label_studio:
            client = open_project(args, stack)
        else:
            check_files_of_rows(args)
        stored = resume_options(args)
        check_options(args)
        check_files(args)
        filterwarnings("ignore", *MANY_CLASSES)
        if args.label_studio:
            label_tasks(args, client, stored.get("n_rows"))
        else:
            label_rows(args)


def check_files_of_rows(args):
    """Refuse files of rows that do not exist, or do not go together."""
    for path in args.files:
        check_exists(path)
        if len(args.files) > 1 and path.is_dir():
            raise UsageError(f"{path} is a folder, which is read alone")
        if args.files.count(path) > 1:
            raise UsageError(f"{path} is given twice")
    tell(f"Reading {', '.join(map(str, args.files))} …")


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
