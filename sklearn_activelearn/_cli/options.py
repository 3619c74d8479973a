"""The options of the command line."""

import argparse
from pathlib import Path

from .. import __version__
from .learners import public_learners
from .papers import PAPERS

PROGRAM = "sklearn-activelearn"


class UsageError(Exception):
    """Something that the user can put right; the message is one line."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others."""

    def error(self, message):
        """Refuse the arguments."""
        raise UsageError(f"{message} (see {self.prog} --help)")


def make_parser(run_compare, run_reproduce):
    """Return the parser; ``args.run`` of what it parses is the command."""
    parser = Parser(PROGRAM, description="Active learning for scikit-learn.")
    commands = parser.add_subparsers(metavar="command", required=True)
    compare = commands.add_parser(
        "compare",
        help="see whether active learning would save labels on your data",
        description="Buy labels with active learners, and with passive learning of the "
        "same model, which buys the label of every row; report the test errors and how "
        "many labels they took. All labels of the data must be known.",
    )
    compare.set_defaults(run=run_compare)
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
    for each in (parser, compare, reproduce):
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
        help=".csv with a header line, .npz (arrays X and y, or data, indices, indptr, "
        "shape and y), or svmlight (.svm .svmlight .libsvm .txt, also .gz or .bz2); "
        "default: scikit-learn's digits",
    )
    add("--target", metavar="COLUMN", help="column of the labels in a .csv")
    add(
        "--raw",
        action="store_true",
        help="take the features as they are; default: features of dense data are "
        "standardised (without a look at labels)",
    )
    add(
        "--learner",
        metavar="NAME[:param=value,...]",
        action="append",
        help="a learner and its parameters, may be repeated; default: the quick "
        f"ones with default parameters, of all there are "
        f"({', '.join(public_learners())})",
    )
    add(
        "--target-error",
        metavar="E",
        type=number(float, 0, 1),
        help="test error to be reached, from 0 to 1; default: the mean error of "
        "passive learning with all labels",
    )


def add_runs(add):
    """Add the options that say how it is run."""
    add("--folds", type=number(int, 2), default=5, help="default: %(default)s")
    add("--repeats", type=number(int, 1), default=4, help="default: %(default)s")
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
        help="where pictures and intermediate results go, for the same command to go "
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
