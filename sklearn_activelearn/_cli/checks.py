"""What can be refused before anything is read, and before long imports."""

import errno
import importlib.util
import os
import shutil
import sys
import textwrap
from pathlib import Path

from .names import class_name
from .options import UsageError

PICTURES = (".png", ".pdf", ".svg")


def tell(text):
    """Say what goes on, beside the report."""
    print(text, file=sys.stderr, flush=True)


def print_sentences(text):
    """Print sentences; at a terminal, no word is broken."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        text = "\n".join(textwrap.fill(line, width) for line in text.splitlines())
    print(text)


def require_matplotlib(what):
    """Refuse what needs pictures where none can be drawn."""
    if importlib.util.find_spec("matplotlib") is None:
        raise UsageError(f"{what} needs matplotlib: pip install matplotlib")


def check_is_there(path):
    """Refuse a file that does not exist."""
    if not os.path.lexists(path):
        raise UsageError(f"{path}: {os.strerror(errno.ENOENT)}")


def check_outputs(args):
    """Refuse files that cannot be written, before the long run."""
    if args.cache is not None:
        try:
            Path(args.cache).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--cache: {args.cache}: {error.strerror}") from error
    if args.plot:
        if args.plot.suffix.lower() not in PICTURES:
            raise UsageError(f"--plot: {args.plot} must end in {' or '.join(PICTURES)}")
        require_matplotlib("--plot")
    for option in ("--plot", "--json", "--csv"):
        path = getattr(args, option.removeprefix("--"))
        if path is None or path == "-":
            continue
        folder = Path(path).parent
        if not folder.is_dir():
            raise UsageError(f"{option}: there is no folder {folder}")
        if os.path.isdir(path):
            raise UsageError(f"{option}: {path} is a folder")
        if not os.access(path if os.path.exists(path) else folder, os.W_OK):
            raise UsageError(f"{option}: {path} cannot be written")


def check_learners(*texts):
    """Refuse names of learners that do not exist."""
    for text in texts:
        try:
            class_name(text)
        except ValueError as error:
            raise UsageError(f"--learner: {error}") from None


def check_named_once(args):
    """Refuse a column that an option names twice."""
    for option in ("text", "categorical", "drop"):
        names = getattr(args, option)
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"--{option}: {name} is named twice")


def check_input(args):
    """Refuse names of columns without a table, and a file that is not there."""
    check_named_once(args)
    if args.find is not None:
        for option in ("scoring", "target_error"):
            if getattr(args, option) is not None:
                option = option.replace("_", "-")
                raise UsageError(f"--{option} does not go with --find")
    if args.data is None:
        for option in ("target", "text", "categorical", "drop", "dates"):
            if getattr(args, option):
                raise UsageError(
                    f"--{option} is about columns of a file: --data is missing"
                )
    else:
        check_is_there(args.data)
