"""Labelling in a terminal: a row, a key, the next row."""

import re
import shutil
import sys
from textwrap import fill

from ._keyboard import END, REDRAW, Keyboard, LineReader, can_read_keys
from ._keys import COMMANDS, HELP, QUIT, SKIP, UNDO

WIDEST = 100  # longer lines are hard to read
#: What a terminal would obey: control characters, and those that turn lines around.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
USAGE = (
    "The keys in brackets label the row. s skips it: it does not come back. u takes "
    "back your last answer and shows that row again. q ends it, and so do Ctrl-C and "
    "Ctrl-D. A label is saved as soon as you give it: the same command resumes."
)


def label_in_terminal(view, *, who=None, answers=None):
    """Show rows and take answers until none is left, or until the person ends it.

    Parameters
    ----------
    view : LabelingView
        What is shown, and where answers go.
    who : str, default=None
        Who answers.
    answers : iterable of str, default=None
        Answers, one a line. None: the keys of the terminal, or the lines of the
        standard input where keys cannot be read.

    Raises
    ------
    ValueError
        For a line that is no answer, where nobody can put it right.
    OSError
        If the file cannot be written, there or before the first row.
    """
    by_keys = (
        answers is None and can_read_keys(sys.stdin) and all(view.keys.shown.values())
    )
    lines = sys.stdin if answers is None else answers
    with Keyboard(sys.stdin) if by_keys else LineReader(lines) as source:
        row = view.next(who)
        while row is not None and row.row_id is not None:
            source.forget()
            show(row, view)
            row = next_view(view, row, who, source)
        if row is not None:
            say(row.reason)


def next_view(view, row, who, source):
    """Wait for an answer to a row, and return the row after it; None: the end."""
    labels, is_known = meanings(view.keys.shown), True
    while True:
        answer = source.read()
        try:
            if answer in (END, QUIT):
                return None
            if not is_known:
                after = view.next(who)
            elif answer == UNDO:
                after = view.undo(who)
            elif answer == SKIP:
                after = view.skip(row.row_id, who)
            elif answer in labels:
                after = view.label(row.row_id, labels[answer], who)
            else:
                after = None
        except (ValueError, OSError) as error:  # nothing to take back; a full disk
            if not source.is_live:
                raise
            say(str(error))
            if isinstance(error, OSError):  # the answer may have been stored
                say("Press a key to go on.")
                is_known = False
            continue
        if after is not None:
            say(after.last)
            return after
        if answer == REDRAW:
            show(row, view)
        elif answer == HELP or source.is_live:
            say(f"{USAGE}\n{view.session.advice()}")
        else:
            raise ValueError(no_answer(answer, labels))


def meanings(keys):
    """Return the label that each key and each name of a class stands for."""
    names = {f"{label}": label for label in keys}
    return names | {key: label for label, ks in keys.items() for key in ks}


def check_answers(answers, keys):
    """Refuse lines that are no answers, with the first of them."""
    labels = meanings(keys)
    for answer in filter(None, map(str.strip, answers)):
        if answer not in labels and answer not in COMMANDS:
            raise ValueError(no_answer(answer, labels))


def no_answer(answer, labels):
    """Return a sentence for what is no answer."""
    return (
        f"{answer[:40]!r} is no answer; answers are {', '.join(labels)}, "
        f"{SKIP} (skip), {UNDO} (undo) and {QUIT} (quit)."
    )


def show(row, view):
    """Print a row and what can be answered."""
    width = min(WIDEST, shutil.get_terminal_size().columns)
    print(f"\n{'─' * width}")
    say(row.counts)
    print()
    if isinstance(row.item, dict):
        for name, cell in row.item.items():
            say(f"{name}: {cell}", hanging="    ")
    elif view.kind == "image":
        say(f"{view.folder / row.item}")
    else:
        say(row.item)
    print()
    if row.prediction:
        say(row.prediction)
    classes = [f"[{'/'.join(ks)}] {label}" for label, ks in view.keys.shown.items()]
    say("  ".join([*classes, "", "[s]kip", "[u]ndo", "[q]uit", "[?]"]))


def say(text, hanging=""):
    """Print a text within the width of the terminal."""
    width = min(WIDEST, shutil.get_terminal_size().columns)
    for line in CONTROL.sub("", text).expandtabs().splitlines():
        print(fill(line, width, subsequent_indent=hanging))
    sys.stdout.flush()
