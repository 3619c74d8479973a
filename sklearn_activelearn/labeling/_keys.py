"""What people type for each class, in the terminal and on the page."""

from itertools import count
from typing import Any, NamedTuple

#: Keys that are no class, as long as nothing is typed.
SKIP, UNDO, QUIT, HELP, ROWS, GUIDE, NOTE = "s", "u", "q", "?", "*", "!", "#"
#: Before a name that begins with one of these, or with a key of somebody's own.
SPELL = "/"
COMMANDS = {SKIP, UNDO, QUIT, HELP, ROWS, GUIDE, NOTE, SPELL}

LONGEST = 3  # letters of a name that are shown as its key


class Typed(NamedTuple):
    """What typed letters stand for.

    Attributes
    ----------
    is_answer : bool
        Whether they are the label of a row.
    label : object
        That label.
    classes : list
        Those that they may become.
    """

    is_answer: bool
    label: Any
    classes: list


class ClassKeys:
    """The keys of classes: one's own, numbers, and the letters of their names.

    Parameters
    ----------
    classes : list
        All classes.
    own : dict of label to str, default=None
        One letter or sign for some of them.

    Attributes
    ----------
    shown : dict of label to list of str
        For each class what labels a row with it: its own key, its number, and as many
        letters as no other class begins with, if these are few. A name that begins with
        a digit needs no number, and numbers keep clear of it.

    Raises
    ------
    ValueError
        For a class that is not there, a key of several characters, one that is there
        twice, and one that is a command.
    """

    def __init__(self, classes, own=None):
        own = check_own_keys(classes, own or {})
        self._names = {label: f"{label}".lower() for label in classes}
        self._by_key = {key: label for label, key in own.items()}
        self._numbers = class_numbers(self._names, self._by_key)
        shortest = shortest_prefixes(self._names, {*COMMANDS, *self._by_key})
        kinds = (own, self._numbers, shortest)
        self.shown = {
            label: [keys[label] for keys in kinds if label in keys] or [name]
            for label, name in self._names.items()
        }

    def find(self, typed, *, is_whole=False):
        """Return what typed letters stand for.

        Parameters
        ----------
        typed : str
            Since the last answer.
        is_whole : bool, default=False
            Whether nothing follows, so that "good" is not the beginning of "good
            enough".

        Returns
        -------
        found : Typed
        """
        if (key := typed.lower()) in self._by_key:
            label = self._by_key[key]
            return Typed(True, label, [label])
        for label in self._names:
            if is_whole and typed.removeprefix(SPELL) == f"{label}":
                return Typed(True, label, [label])
        is_spelt, letters = typed.startswith(SPELL), key.removeprefix(SPELL)
        codes = {
            label: [name] if is_spelt else [name, self._numbers.get(label, "")]
            for label, name in self._names.items()
        }
        found = [
            label
            for label, each in codes.items()
            if any(code.startswith(letters) for code in each)
        ]
        whole = [label for label in found if is_whole and letters in codes[label]]
        for answers in (whole, found):
            if letters and len(answers) == 1:
                return Typed(True, answers[0], answers)
        return Typed(False, None, found)

    def as_json(self):
        """Return what the page needs to know of the keys of each class."""
        own = {label: key for key, label in self._by_key.items()}
        return {
            label: {
                "label": f"{label}",
                "keys": keys,
                "own": own.get(label, ""),
                "number": self._numbers.get(label, ""),
            }
            for label, keys in self.shown.items()
        }

    def rest(self, label, typed):
        """Return the letters of a name that follow what was typed of it."""
        name, letters = self._names[label], typed.lower().removeprefix(SPELL)
        return name.removeprefix(letters) if name.startswith(letters) else ""


def check_own_keys(classes, own):
    """Return the keys that somebody chose, as letters are typed."""
    found = {}
    for label, key in own.items():
        if label not in classes:
            raise ValueError(f"{label!r} is none of the classes")
        if len(key) != 1 or not key.isprintable() or key.isspace():
            raise ValueError(f"{key!r}, the key of {label!r}, is not one character")
        key = key.lower()
        if key in COMMANDS:
            raise ValueError(f"{key!r}, the key of {label!r}, is a command")
        if key in found.values():
            raise ValueError(f"{key!r} is the key of two classes")
        found[label] = key
    return found


def class_numbers(names, own):
    """Return the number of each class whose name does not begin with a digit.

    They count from 1, without those that a name or a key of somebody's own begins with.
    """
    taken = [name for name in names.values() if name[:1].isdecimal()]
    free = (
        number
        for number in map(str, count(1))
        if not any(number.startswith(key) for key in own)
        and not any(name.startswith(number) for name in taken)
        and not any(number.startswith(name) for name in taken)
    )
    return {label: next(free) for label, name in names.items() if name not in taken}


def shortest_prefixes(names, reserved):
    """Return the letters that each name alone begins with, where these are few."""
    ordered = sorted(names.values())
    neighbours = zip(["", *ordered], ordered, [*ordered[1:], ""], strict=False)
    found = {}
    for before, name, after in neighbours:
        shared = max(n_shared(name, other) for other in (before, after))
        found[name] = max(found.get(name, 1), shared + 1)
    return {
        label: name[: found[name]]
        for label, name in names.items()
        if found[name] <= min(LONGEST, len(name)) and name[0] not in reserved
    }


def n_shared(first, second):
    """Return how many letters two names begin with alike."""
    pairs = enumerate(zip(first, second, strict=False))
    shorter = min(len(first), len(second))
    return next((i for i, (one, other) in pairs if one != other), shorter)
