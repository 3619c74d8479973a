"""The options of the command line."""

import argparse
from pathlib import Path

from .. import __version__
from .key_options import add_keys
from .names import class_names
from .papers import PAPERS
from .result_options import add_columns, add_dates, add_prediction, add_results

PROGRAM = "sklearn-activelearn"

#: Rows, held out ones included, that a run of ``compare`` uses at most: of a learner
#: that scores the whole pool at each purchase, and of one that sees each row once.
POOL_ROWS, STREAM_ROWS = 2_500, 20_000


class UsageError(Exception):
    """Something that the user can put right; the message is one line."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others."""

    def error(self, message):
        """Refuse the arguments."""
        raise UsageError(f"{message} (see {self.prog} --help)")


def make_parser(run_compare, run_label, run_predict, run_reproduce):
    """Return the parser; ``args.run`` of what it parses is the command."""
    parser = Parser(PROGRAM, description="Active learning for scikit-learn.")
    commands = parser.add_subparsers(metavar="command", required=True)
    compare = commands.add_parser(
        "compare",
        help="see whether active learning would save labels on your data",
        description="Buy labels with active learners, and at random for the same "
        "models; say how many random labels do the work of the chosen ones. All labels "
        "of the data must be known.",
    )
    compare.set_defaults(run=run_compare)
    label = commands.add_parser(
        "label",
        help="label your own rows, in the terminal or in the browser",
        description="Show the rows of a CSV, the most useful ones first, and keep the "
        "labels in a file. The same command resumes where it was left, whatever ended "
        "it.",
    )
    label.set_defaults(run=run_label)
    add_rows(label.add_argument)
    add_session(label.add_argument)
    add_columns(label.add_argument)
    add_front_end(label.add_argument)
    add_keys(label.add_argument)
    add_results(label.add_argument)
    predict = commands.add_parser(
        "predict",
        help="apply a model that label has saved to new rows",
        description="Write the rows of a table with the predictions of a model and "
        "their probabilities.",
    )
    predict.set_defaults(run=run_predict)
    add_prediction(predict.add_argument)
    papers = "\n".join(f"  {name:16}{p.title}" for name, p in PAPERS.items())
    reproduce = commands.add_parser(
        "reproduce",
        help="run the tables and figures of a paper again",
        description="Run the experiments of a paper: measured figures beside published "
        "ones to the standard output, pictures to a folder. Minutes to hours.\n\n"
        f"papers:\n{papers}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    reproduce.set_defaults(run=run_reproduce)
    add_reproduction(reproduce.add_argument)
    for each in (parser, compare, label, predict, reproduce):
        version = f"{PROGRAM} {__version__}"
        each.add_argument("--version", action="version", version=version)
    add_input(compare.add_argument)
    add_runs(compare.add_argument)
    add_output(compare.add_argument)
    return parser


def add_input(add):
    """Add the options that say what is compared."""
    add(
        "--data",
        metavar="FILE",
        help="a table (.csv with a header line, .parquet, .xlsx), references (.ris, "
        ".bib), .npz (arrays X and "
        "y, or data, indices, indptr, shape and y), or svmlight (.svm .svmlight "
        ".libsvm .txt, also .gz or .bz2); default: scikit-learn's digits",
    )
    add("--target", metavar="COLUMN", help="column of the labels in a table")
    for option, what in (
        ("--text", "texts, to be learned from by their words"),
        ("--categorical", "categories, perhaps written as numbers"),
        ("--drop", "what is not to be learned from"),
    ):
        add(
            option,
            metavar="COLUMN",
            action="append",
            default=[],
            help=f"a column of a table that holds {what}; may be repeated",
        )
    add_dates(add)
    add(
        "--raw",
        action="store_true",
        help="take numbers as they are; default: numbers are standardised (without a "
        "look at labels), unless the data are sparse",
    )
    add(
        "--learner",
        metavar="NAME[:param=value,...]",
        action="append",
        help="a learner and its parameters, classifiers of scikit-learn among them, as "
        "in 'MinMargin:estimator=SVC(C=10)'; may be repeated; default: "
        "HybridSampling around LogisticRegression, in batches of 10, for a pool, "
        "and GreedyOnline for a stream",
    )
    add(
        "--scoring",
        metavar="NAME",
        help="the measure: a scorer of scikit-learn (balanced_accuracy, f1_macro, "
        "average_precision, roc_auc, neg_log_loss, …), or NAME:CLASS for the recall, "
        "precision, f1, average_precision or roc_auc of one class; default: the error, "
        "or the balanced error where one class has more than 70 %% of the labels",
    )
    add(
        "--find",
        metavar="LABEL",
        help="tell instead how soon all rows with this label are found, if the "
        "likeliest are read first: rows read for 95 %% of them and for all, and the "
        "work saved over random order",
    )
    add(
        "--target-error",
        metavar="E",
        type=number(float, 0, 1),
        help="also count the labels until this test error, from 0 to 1",
    )


def add_runs(add):
    """Add the options that say how it is run."""
    add("--folds", type=number(int, 2), default=5, help="default: %(default)s")
    add(
        "--repeats",
        type=number(int, 1),
        help="how often to go through the folds; default: 1 to 4, by the size of the "
        "data",
    )
    add(
        "--rows",
        type=number(int, 20),
        metavar="N",
        help="random rows that each run uses at most; default: "
        f"{POOL_ROWS:,} for learners of a pool, {STREAM_ROWS:,} for those of a stream",
    )
    seeds = number(int, 0, 2**32 - 1)
    add("--seed", type=seeds, default=0, help="default: %(default)s")
    add(
        "--cache",
        metavar="FOLDER",
        help="keep finished runs there: the same command resumes after Ctrl-C; it "
        "holds pickles, which are code: do not take one from somebody else",
    )
    add("--jobs", type=number(int, 1), default=-1, help="processes; default: all cores")


def add_output(add):
    """Add the options that say where results go."""
    add(
        "--details",
        action="store_true",
        help="also print how it was run, and the error after so many labels",
    )
    add(
        "--plot",
        metavar="FILE.png",
        type=Path,
        help="draw error against labels (also .pdf or .svg)",
    )
    add(
        "--json",
        metavar="FILE",
        nargs="?",
        const="-",
        help="write JSON, to FILE or the standard output, and no table",
    )
    add("--csv", metavar="FILE", help="write the table as CSV too")


def add_rows(add):
    """Add the options that say what is labelled."""
    add(
        "file",
        metavar="FILE",
        type=Path,
        help="the rows, as .csv with a header line, .parquet, .xlsx, .ris or .bib; "
        "with --export: the labels",
    )
    add("--out", metavar="FILE", type=Path, help="where the labels are kept")
    add(
        "--classes",
        metavar="A,B,...",
        type=class_names,
        help="the labels to choose from",
    )
    add(
        "--text",
        metavar="COLUMN",
        action="append",
        default=[],
        help="show the texts of this column, and learn from their words; may be "
        "repeated: the texts of a row are joined; default: all columns, as a table",
    )
    add(
        "--image",
        metavar="COLUMN",
        help="show the images whose paths, below the folder of FILE, are in this "
        "column; needs Pillow",
    )
    add(
        "--id",
        metavar="COLUMN",
        help="the column that names the rows; default: they are numbered from 1",
    )
    add(
        "--labelled",
        metavar="COLUMN",
        help="a column with the labels that are known; they are taught, and not asked "
        "for",
    )
    add(
        "--rehearse",
        action="store_true",
        help="ask nobody: take the answers from --labelled, and tell how it would have "
        "gone; with --test-size",
    )


def add_session(add):
    """Add the options that say who is asked, and what."""
    add(
        "--learner",
        metavar="NAME[:param=value,...]",
        help="what chooses the rows, as for compare; default: HybridSampling with "
        "logistic regression",
    )
    add(
        "--find",
        metavar="LABEL",
        help="find all rows with this label: asks for the likeliest, and then for "
        "random ones, until the recall is certain",
    )
    add(
        "--recall",
        metavar="SHARE",
        type=number(float, 0.01, 1),
        help="with --find: the share to find, with a confidence of 95%%; default: 0.95",
    )
    add(
        "--start-with",
        metavar="WORDS",
        help="begin with the texts that are most similar to these words, until labels "
        "of two classes are known; for classes that random texts seldom show",
    )
    add(
        "--budget",
        metavar="N",
        type=number(int, 1),
        help="labels to buy; raise it to go on; default: as many as you like",
    )
    add(
        "--batch-size",
        metavar="N",
        type=number(int, 1),
        help="labels between two trainings; default: that of the learner",
    )
    add(
        "--test-size",
        metavar="N",
        type=number(int, 0),
        default=0,
        help="random rows to label first and never to teach: they tell how good the "
        "model is; default: none",
    )
    add(
        "--votes",
        metavar="N",
        type=number(int, 1),
        default=1,
        help="people who label each row; default: %(default)s",
    )
    add("--who", metavar="NAME", help="your name, if several people label")
    add(
        "--change",
        metavar="WORD[,WORD...]",
        type=lambda text: tuple(word.strip() for word in text.split(",")),
        default=(),
        help="what may differ from before, such as pool (rows at the end) or classes: "
        "the error without it has the words",
    )


def add_front_end(add):
    """Add the options that say how labels come and go."""
    add("--web", action="store_true", help="label in the browser, on this machine only")
    add(
        "--port",
        metavar="N",
        type=number(int, 0, 65_535),
        default=0,
        help="of the page; default: a free one",
    )
    add(
        "--show-prediction",
        action="store_true",
        help="show what the model believes before the label, and not after it only: "
        "people tend to agree with it",
    )
    add(
        "--answers",
        metavar="FILE",
        help="take answers from a file, one a line, as they would be typed; - for the "
        "standard input",
    )
    add(
        "--import",
        dest="labels",
        metavar="FILE",
        type=Path,
        help="first take the labels of an export (.csv, or .json of Label Studio), or "
        "of another file of this command",
    )
    add(
        "--export",
        metavar="FILE",
        type=Path,
        help="write the labels and end: as .csv with the columns id, label, who, when, "
        "probability and origin, or as .json for Label Studio; the command that labels "
        "adds what was shown; with the names of people",
    )
    add(
        "--form",
        choices=["wide", "long"],
        help="of --export: a line for each row that has a label, or long, for each "
        "answer of a person, with the columns id, label, who, when and kind; default: "
        "wide",
    )


def add_reproduction(add):
    """Add the options of ``reproduce``."""
    add("paper", metavar="PAPER", choices=PAPERS, help=", ".join(PAPERS))
    add("--quick", action="store_true", help="toy data and sizes, less than a minute")
    add(
        "--data",
        metavar="FOLDER",
        type=Path,
        help="local data sets, as .npz; those that it lacks are fetched with "
        "scikit-learn",
    )
    add(
        "--out",
        metavar="FOLDER",
        type=Path,
        default=Path(),
        help="where results, as CSV, and pictures go, for the same command to go "
        "on with; default: here",
    )


def number(kind, low, high=float("inf")):
    """Return a parser of numbers in a range."""

    def parse(text):
        value = kind(text)
        if not low <= value <= high:
            limit = f"between {low} and {high}" if value > low else f"at least {low}"
            raise argparse.ArgumentTypeError(f"{text} is not {limit}")
        return value

    parse.__name__ = kind.__name__  # for argparse's "invalid int value"
    return parse
