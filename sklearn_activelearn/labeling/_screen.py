"""What is printed in a terminal: lines that fit, pages, and one line to type in."""

import re
import shutil
import sys
from textwrap import wrap
from unicodedata import combining, east_asian_width

WIDEST = 100  # longer lines are hard to read
#: What a terminal would obey: control characters, and those that turn lines around.
CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
FILLER = "\x00"  #: the second column of a wide letter: no text to show has it
GAP = "  "  # between items in a line
ERASE = "\r\x1b[K"  # the line in which the cursor is


def line_width():
    """Return how long lines may be."""
    return max(8, min(WIDEST, shutil.get_terminal_size().columns))


def screen_height():
    """Return how many lines a screen has."""
    return max(8, shutil.get_terminal_size().lines)


def n_columns(text):
    """Return how many columns a text takes in a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(map(bool, map(combining, text)))


def stripped(text):
    """Return a text without what a terminal would obey."""
    return CONTROL.sub("", text).expandtabs()


def with_fillers(text):
    """Return a text in which a wide letter counts as two."""
    return "".join(f"{c}{FILLER}" if n_columns(c) > 1 else c for c in text)


def lines_of(text, hanging=""):
    """Return a text in lines that fit, those of a paragraph but the first indented."""
    found, width = [], line_width()
    for line in stripped(text).splitlines():
        filled = line if line.isascii() else with_fillers(line)
        # a word that is cut before the filler is a column longer
        room = width - (filled != line)
        lines = wrap(filled, room, subsequent_indent=hanging) or [""]
        found += [each.replace(FILLER, "") for each in lines]
    return found


def cut(text, width):
    """Return as much of a text as fits in one line, with a mark if it goes on."""
    text = stripped(text).replace("\n", " ")
    if n_columns(text) <= width:
        return text
    while n_columns(text) > width - 1:
        text = text[: max(0, min(len(text) - 1, width - 1))]
    return f"{text}…"


def packed(items, n_lines=None, rest="… and {} more"):
    """Return items side by side in lines, which break between two of them.

    Parameters
    ----------
    items : list of str
        Short texts.
    n_lines : int, default=None
        How many lines there may be; None: as many as it takes.
    rest : str
        What the last line ends with if not all fit.
    """
    width, lines = line_width(), [""]
    for i, item in enumerate(cut(item, width) for item in items):
        line = f"{lines[-1]}{GAP}{item}" if lines[-1] else item
        if n_columns(line) <= width:
            lines[-1] = line
        elif n_lines is None or len(lines) < n_lines:
            lines.append(item)
        else:
            return without_last(lines, len(items) - i, rest, width)
    return lines


def without_last(lines, n_left, rest, width):
    """Return lines of items with a last word on those that are left."""
    *before, last = lines
    rest = cut(rest, width)
    while last and n_columns(f"{last}{GAP}{rest.format(n_left)}") > width:
        last, n_left = last.rpartition(GAP)[0].rstrip(), n_left + 1
    return [*before, f"{last}{GAP}{rest.format(n_left)}".strip()]


def say(text, hanging=""):
    """Print a text within the width of the terminal."""
    print_lines(lines_of(text, hanging))


def print_lines(lines):
    """Print lines."""
    for line in lines:
        print(line)
    sys.stdout.flush()


def show_in_line(text):
    """Write over the line in which somebody types; the cursor stays at its end."""
    sys.stdout.write(f"{ERASE}{text}")
    sys.stdout.flush()


def rewrite_above(lines, n_below):
    """Write lines over others, below which there are some more and the one to type in.

    Parameters
    ----------
    lines : list of str
        As many as there were.
    n_below : int
        How many lines come between them and the last one.
    """
    over = "".join(f"{ERASE}{line}\n" for line in lines)
    sys.stdout.write(f"\x1b[{len(lines) + n_below}A{over}" + "\n" * n_below)


def type_in_line(text, hint="", prompt="> "):
    """Show what somebody types, and behind the cursor what it may become."""
    width = line_width() - 1
    text = f"{prompt}{stripped(text)}"
    while n_columns(text) > width:  # the end is where letters come
        text = text[1:]
    hint = cut(hint, width - n_columns(text) - len(GAP)) if hint else ""
    column = f"\r\x1b[{n_columns(text)}C" if text else "\r"
    show_in_line(f"{text}{hint and GAP + hint}{column}")


def rule_with(title=""):
    """Return a line across the screen, with a title if there is one."""
    width = line_width()
    title = f"── {cut(title, width - 6)} " if title else ""
    return title + "─" * (width - n_columns(title))


class Pages:
    """A text in pages of a terminal.

    Parameters
    ----------
    lines : list of str
        All of it.
    """

    def __init__(self, lines):
        self.lines = lines
        self._start, self._size = 0, len(lines)

    @property
    def is_last(self):
        """Whether nothing follows."""
        return self._start + self._size >= len(self.lines)

    def turn(self, by):
        """Go on by one page (1), or back (-1); return whether there is one."""
        if self.is_last if by > 0 else self._start == 0:
            return False
        self._start = max(0, self._start + by * self._size)
        return True

    def shown(self, room=None):
        """Return the lines of this page, and where it is if there are others.

        Parameters
        ----------
        room : int, default=None
            How many lines there may be; None: as many as it takes.
        """
        if room is None or len(self.lines) <= room:
            self._start, self._size = 0, len(self.lines)
            return self.lines
        self._size = max(1, room - 1)
        end = min(self._start + self._size, len(self.lines))
        page = self.lines[self._start : end]
        where = f"lines {self._start + 1}–{end} of {len(self.lines)}"
        keys = ["Space: more"] * (not self.is_last) + ["PgUp: back"] * (self._start > 0)
        return [*page, rule_with(", ".join([where, *keys]))]
