"""Answers that are typed: letters narrow the classes until one is left."""

from time import monotonic
from typing import Any, NamedTuple

from ._keyboard import BACKSPACE, ENTER, ESCAPE
from ._keys import COMMANDS, GUIDE, HELP, NOTE, QUIT, ROWS, SKIP, SPELL, UNDO

#: Seconds after a letter in which the next one of the same name is no answer; after one
#: that was enough alone nobody can have read the next row in less.
AFTERWARDS, BRIEFLY = 1.0, 0.5


class Choice(NamedTuple):
    """What somebody wants to be done with a row."""

    command: str | None  # one of the keys that are no class, or None for a label
    value: Any = None  # the label, or the text of a note or of a reason


class TypeAhead:
    """Keys are pressed one by one; the last one that is needed answers.

    Parameters
    ----------
    keys : ClassKeys
        What is typed for each class.
    clock : callable, default=monotonic
        Seconds.

    Attributes
    ----------
    typed : str
        What has been typed of an answer.
    problem : str
        Why the last key did nothing; empty if it did something.
    """

    def __init__(self, keys, clock=monotonic):
        self._keys, self._clock = keys, clock
        self._rest, self._until = "", 0.0
        self.typed = self.problem = ""

    @property
    def classes(self):
        """The classes that what is typed may become."""
        return self._keys.find(self.typed).classes

    def clear(self):
        """Forget what was typed, but not that a name may be typed to its end."""
        self.typed = self.problem = ""

    def forget(self, keys):
        """Take keys that are no answer; they may go on with the name before them."""
        for key in keys:
            is_rest = self._rest[:1] == key.lower()
            self._rest = self._rest[1:] if is_rest else ""
        self._until = self._clock() + AFTERWARDS

    def press(self, key):
        """Take a key; return the answer that it completes, None if it does not."""
        self.problem = ""
        if key == ESCAPE:
            self.typed = ""
        elif key == BACKSPACE:
            self.typed = self.typed[:-1]
        elif key == ENTER:
            return self._answer(self.typed, is_whole=True) if self.typed else None
        elif not self.is_rest(key.lower()):
            if not self.typed and key.lower() in COMMANDS - {SPELL}:
                return Choice(key.lower())
            return self._answer(self.typed + key)
        return None

    def _answer(self, typed, *, is_whole=False):
        found = self._keys.find(typed, is_whole=is_whole)
        if found.is_answer:
            self._rest = "" if is_whole else self._keys.rest(found.label, typed)
            self._until = self._clock() + (AFTERWARDS if self.typed else BRIEFLY)
            self.typed = ""
            return Choice(None, found.label)
        if not found.classes:
            self.problem = f"{typed}: no class; {HELP} for help"
        else:
            self.typed = typed
            if is_whole:
                self.problem = f"{typed}: {len(found.classes)} classes; go on typing"
        return None

    def is_rest(self, key):
        """Whether a key goes on with the name that was enough already."""
        if self.typed or self._clock() > self._until or self._rest[:1] != key:
            self._rest = ""
            return False
        self._rest, self._until = self._rest[1:], self._clock() + AFTERWARDS
        return True


def parse_line(line, keys):
    """Return the answer that a line is.

    Raises
    ------
    ValueError
        If it is none.
    """
    line = line.strip()
    if line in COMMANDS - {SPELL}:
        return Choice(line)
    found = keys.find(line, is_whole=True)
    if found.is_answer:
        return Choice(None, found.label)
    command, _, value = line.partition(" ")
    if command in (SKIP, NOTE) and value:
        return Choice(command, value.strip())
    classes = found.classes if found.classes and line else list(keys.shown)
    names = [*(f"{label}" for label in classes[:12]), *["…"][: len(classes) > 12]]
    begin = "begins several answers" if found.classes and line else "is no answer"
    raise ValueError(
        f"{line[:40]!r} {begin}; answers are {', '.join(names)}, {SKIP} (skip), "
        f"{UNDO} (undo), {ROWS} (rows), {GUIDE} (guide), {NOTE} (note), {HELP} (help) "
        f"and {QUIT} (quit)."
    )
