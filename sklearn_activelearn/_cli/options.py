"""Options, checks and messages that several commands share.

Nothing here imports NumPy or scikit-learn: arguments are checked before that.
"""

import argparse
import errno
import importlib.util
import os
import re
import shutil
import sys
import textwrap
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

from .. import __all__ as PUBLIC

PROGRAM = "sklearn-activelearn"
#: Public classes that choose no rows.
MODELS = {
    "BatchMarginLossClassifier",
    "BlendClassifier",
    "DecisionStumpClassifier",
    "OnePassSearchCV",
    "RankAverageClassifier",
}
LEARNERS = [name for name in PUBLIC if name not in MODELS]

COLUMNS = """
--categorical COLUMN
    Treat this column as categories, even if they are numbers. May be repeated.
--drop COLUMN
    Do not learn from this column. May be repeated.
--dates ORDER
    Read dates such as 3/2/2024 in this order: day-first or month-first. Default: the
    order that the dates of the column require.
--decimal MARK
    Read numbers such as 1,234 with this mark before the decimals: point or comma.
    Default: thousands, unless other columns have decimal commas.
--gaps TEXT
    Treat cells with this text as empty, as are "-", ".", "?", "NA", "n.a.", "#N/A" and
    their kind. May be repeated.
"""
#: Options that say how a file is read.
READING = """
--encoding NAME
    Read a file that is not in UTF-8 in this encoding, as in windows-1252 or gb18030.
    Default: what it looks like.
--keep-duplicates
    Use all rows. Default: in references, and with --find, rows that are the same
    reference as an earlier row are listed and left out.
"""

#: Values of options of `COLUMNS`.
CHOICES = {
    "dates": {"choices": ["day-first", "month-first"]},
    "decimal": {"choices": ["point", "comma"]},
}


class UsageError(Exception):
    """An error that the user can mend; the message is one sentence."""


class Parser(argparse.ArgumentParser):
    """Parser whose errors are one line, and whose help keeps its line breaks."""

    def __init__(self, *args, **kwargs):
        kwargs["formatter_class"] = argparse.RawDescriptionHelpFormatter
        super().__init__(*args, **kwargs)

    def error(self, message):
        """Refuse the arguments; name the most similar option to a misspelt one."""
        found = re.search(r"unrecognized arguments: .*?(--[\w-]+)", message)
        options = re.findall(r"(--[\w-]+)", self.format_help())
        close = get_close_matches(found[1], options, 1, 0.75) if found else []
        hint = f"; did you mean {close[0]}?" if close else ""
        if not found and message.startswith("unrecognized"):
            hint = "; options are repeated for several values: --text A --text B"
        raise UsageError(f"{message}{hint} (see {self.prog} --help)")


def add_command(commands, run, usage, summary, example):
    """Add a command to the parser, and return the parser of the command.

    Parameters
    ----------
    commands : object
        From `ArgumentParser.add_subparsers`.
    run : callable
        It takes the parsed arguments.
    usage : str
        The name of the command and its arguments, for the first line of the help.
    summary : str
        Its first sentence is shown in the list of commands.
    example : str
        Command lines that end the help.
    """
    first = summary.partition(".")[0]
    parser = commands.add_parser(
        usage.partition(" ")[0],
        usage=f"{PROGRAM} {usage}",
        help=f"{first[0].lower()}{first[1:]}",
        description=textwrap.fill(summary, 79),
        epilog=f"example:\n{textwrap.indent(example.strip(), '  ')}",
    )
    parser.set_defaults(run=run, parser=parser)
    return parser


def add_options(parser, title, text, /, **settings):
    """Add a group of options to the parser of a command.

    Parameters
    ----------
    parser : Parser
        From `add_command`.
    title : str
        Title of the group.
    text : str
        For each option a line with its name and the name of its value, and indented
        lines with its help. Options without a value are switches. A value FILE or
        FOLDER becomes a path. If the help says that an option may be repeated, its
        values are collected in a list.
    **settings : dict
        Further arguments of `add_argument`, by the name of the option.
    """
    add = parser.add_argument_group(title).add_argument
    for option in re.split(r"\n(?=\S)", text.strip()):
        head, *help_lines = option.splitlines()
        name, _, metavar = head.partition(" ")
        how = {"help": " ".join(line.strip() for line in help_lines)}
        if metavar or not name.startswith("-"):
            how["metavar"] = metavar or name
        else:
            how["action"] = "store_true"
        if "May be repeated" in how["help"]:
            how |= {"action": "append", "default": []}
        if (metavar or name).startswith(("FILE", "FOLDER")):
            how["type"] = Path
        add(name, **how | settings.get(name.strip("-").replace("-", "_"), {}))


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


def class_name(text):
    """Return the name of the class that NAME[:param=value,...] describes.

    "Classifier" may be left out.

    Raises
    ------
    UsageError
        For a name that does not exist, with a list of the names.
    """
    name = text.partition(":")[0].removesuffix("Classifier")
    if f"{name}Classifier" in LEARNERS:
        return f"{name}Classifier"
    short = [learner.removesuffix("Classifier") for learner in LEARNERS]
    raise UsageError(f"--learner: there is no learner {name!r}; {choices(name, short)}")


def choices(name, names):
    """Return the most similar name to a misspelt one, and all names."""
    longer = [n for n in names if name and n.lower().startswith(name.lower())]
    close = longer or get_close_matches(name, names, 1)
    hint = f"did you mean {close[0]!r}, of " if close else "there are "
    return f"{hint}{', '.join(names)}"


def check_together(args, needs, conflicts):
    """Refuse options that do not go together.

    Parameters
    ----------
    args : Namespace
        The parsed arguments.
    needs, conflicts : iterable of pairs of str
        An option, and another option that it needs or does not go with.
    """
    for option, other in needs:
        if is_given(args, option) and not is_given(args, other):
            raise UsageError(f"--{option} needs --{other}")
    for option, other in conflicts:
        if is_given(args, option) and is_given(args, other):
            named = "a file" if other == "FILE" else f"--{other}"
            raise UsageError(f"--{option} and {named} do not go together")


def is_given(args, option):
    """Return True if an option is given."""
    value = getattr(args, option.replace("-", "_"))
    return value is not None and value is not False and value != []


def check_exists(path):
    """Refuse a file that does not exist."""
    if not os.path.lexists(path):
        raise UsageError(f"{path}: {os.strerror(errno.ENOENT)}")


def check_output(option, path, *others):
    """Refuse an output file without a folder, and one that has another use, too."""
    if not path.parent.is_dir():
        raise UsageError(f"--{option}: there is no folder {path.parent}")
    if path.is_dir():
        raise UsageError(f"--{option}: {path} is a folder")
    for each in filter(None, others):
        is_same = path.exists() and each.exists() and path.samefile(each)
        if is_same or path.absolute() == each.absolute():
            raise UsageError(f"--{option}: {path} is also {each}: name another file")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"--{option}: {path} cannot be written")


def require(what, *packages):
    """Refuse an option whose packages are not installed."""
    missing = [each for each in packages if importlib.util.find_spec(each) is None]
    if missing:
        names = " ".join(missing)
        raise UsageError(f"{what} needs {' and '.join(missing)}: pip install {names}")


def duplicates_beside(path):
    """Return the path of the file with the duplicates that a session leaves out."""
    return path.with_name(f"{path.name}.duplicates.csv")


@contextmanager
def blame(path, *others, option=None):
    """Turn an error into a sentence about a file, or about another that it names."""
    try:
        yield
    except (ValueError, TypeError, OSError, ImportError) as error:
        cause = getattr(error, "strerror", None) or f"{error}"
        cause = getattr(error, "command", cause)  # the same for this command
        if isinstance(error, UnicodeError):
            cause = "the file is not text in UTF-8: save it in UTF-8"
        if not any(f"{each}" in cause for each in (path, *others)):
            cause = f"{path}: {cause}"
        raise UsageError(f"--{option}: {cause}" if option else cause) from error


@contextmanager
def interrupted_with(sentence):
    """Make Ctrl-C print which results are kept, and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(sentence) from None


def tell(text):
    """Print progress to the standard error."""
    print(text, file=sys.stderr, flush=True)


def tell_empty_rows(n_rows, what):
    """Print what becomes of rows without content, if there are any."""
    if n_rows:
        are = "row without content is" if n_rows == 1 else "rows without content are"
        tell(f"{n_rows:,} {are} {what}")


def print_sentences(text):
    """Print sentences; at a terminal, lines break between words."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        text = "\n".join(textwrap.fill(line, width) for line in text.splitlines())
    print(text)
