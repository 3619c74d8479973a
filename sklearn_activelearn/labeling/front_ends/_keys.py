"""Keys and letters that people type for each class, in the terminal and on the page."""

from collections import Counter
from itertools import count
from time import monotonic
from typing import Any, NamedTuple

#: Commands and their keys, as long as no class begins with the key.
SKIP, UNDO, QUIT, HELP, ROWS, GUIDE, NOTE = "s", "u", "q", "?", "*", "!", "#"
WORDS = {
    SKIP: "skip",
    UNDO: "undo",
    QUIT: "quit",
    HELP: "get help",
    ROWS: "list rows",
    GUIDE: "read the guide",
    NOTE: "write a note",
}
#: Key before the key of a tag, and the keys of the tags. A session has no more tags;
#: they are here because the page shows keys before scikit-learn is imported.
TAG, TAG_KEYS = "t", "123456789abcdefghijklmnopqrstuvwxyz"
#: Typed before a command whose key begins a class, and before the name of a class that
#: begins with a custom key.
SPELL = "/"
COMMANDS = {*WORDS, SPELL}
ENTER, BACKSPACE, ESCAPE = "enter", "backspace", "escape"

NO_LABEL = "-"  #: a line of text that says that no label applies
LONGEST = 3  #: letters of the longest abbreviation that is shown as a key
#: Seconds after an answer in which letters that continue its name are ignored.
NAME_SECONDS = 1.0
#: Seconds between two letters of a line: a script or a paste is quicker than fingers.
LINE_SECONDS = 0.05


class Match(NamedTuple):
    """Classes that match typed letters.

    Attributes
    ----------
    label : object
        The answer; None while the letters do not determine one.
    classes : list
        Classes that can still be meant.
    """

    label: Any
    classes: list


class Choice(NamedTuple):
    """An answer to a row, or a command."""

    command: str | None  # key of the command; None for a label
    value: Any = None  # the label, the text of a note, or the reason of a skip


class ClassKeys:
    """Keys of the classes: custom keys, numbers, and the first letters of the names.

    Parameters
    ----------
    classes : list
        All classes.
    own : dict of label to str, default=None
        Custom keys, one character for each of some classes.
    several : bool, default=False
        Whether a row may have several of the classes.
    tags : list of str, default=()
        All tags.

    Attributes
    ----------
    several : bool
        As given.
    shown : dict of label to list of str
        For each class the keys that label a row: its custom key, its number, and the
        shortest abbreviation of at most three letters that no other class begins with.
        A name that begins with a digit gets no number, and no number equals the
        beginning of such a name.
    commands : dict of str to str
        What to type for each command: its key, behind as many prefixes as it takes
        until no class begins with it.
    tags : dict of str to str
        What to type for each tag: the keys of `TAG` and a further key.
    choices : dict of str to Choice
        The command or tag of all that can be typed for one. A prefix more does no harm.

    Raises
    ------
    ValueError
        If a custom key is for an unknown class, is not one character, is used twice or
        is a command.
    """

    def __init__(self, classes, own=None, several=False, tags=()):
        self.several = several
        self._words = {**WORDS, TAG: "add a tag"} if tags else WORDS
        own = check_custom_keys(classes, own or {}, {*self._words, SPELL})
        self._names = {label: f"{label}".lower() for label in classes}
        self._by_key = {key: label for label, key in own.items()}
        self._numbers = number_classes(self._names, self._by_key)
        letters = shortest_prefixes(self._names, {SPELL, *self._by_key})
        kinds = (own, self._numbers, letters)
        self.shown = {
            label: [keys[label] for keys in kinds if label in keys] or [name]
            for label, name in self._names.items()
        }
        self.commands = {each: self._type_command(each) for each in self._words}
        pairs = zip(tags, TAG_KEYS, strict=False)
        self.tags = {tag: f"{self.commands[TAG]}{key}" for tag, key in pairs}
        typed = {keys: Choice(each) for each, keys in self.commands.items()}
        typed.pop(self.commands.get(TAG), None)  # the key of a tag follows
        typed |= {keys: Choice(TAG, tag) for tag, keys in self.tags.items()}
        spelt = {SPELL + keys: choice for keys, choice in typed.items()}
        self.choices = typed | {
            keys: choice
            for keys, choice in spelt.items()
            if not self._begins_class(keys)
        }

    def _type_command(self, command):
        while self._begins_class(command):
            command = SPELL + command
        return command

    def _begins_class(self, typed):
        return any(name.startswith(typed) for name in self._names.values())

    def find_command(self, typed):
        """Return the `Choice` of the command that was typed, or None."""
        return self.choices.get(typed.lower())

    def begins_tag(self, typed):
        """Return True if only the key of a tag is missing."""
        return any(
            choice.command == TAG and keys[:-1] == typed.lower()
            for keys, choice in self.choices.items()
        )

    def describe_prefixes(self, *, but=()):
        """Return which commands need a prefix, in a sentence; empty if none does."""
        needed = [
            f"{keys} to {self._words[command]}"
            for command, keys in self.commands.items()
            if keys != command and command not in but
        ]
        return f"Type {', '.join(needed)}: a class begins with the key." * bool(needed)

    def find(self, typed, *, is_whole=False):
        """Return the classes that match what was typed since the last answer.

        With `is_whole` nothing follows, so that "good" means the class "good" and not
        the beginning of "good enough".
        """
        if (key := typed.lower()) in self._by_key:
            label = self._by_key[key]
            return Match(label, [label])
        exact = {f"{label}": label for label in self._names} if is_whole else {}
        for name in (typed, typed.removeprefix(SPELL)):
            if name in exact:
                return Match(exact[name], [exact[name]])
        is_spelt, letters = typed.startswith(SPELL), key.removeprefix(SPELL)
        codes = {
            label: [name] if is_spelt else [name, self._numbers.get(label, "")]
            for label, name in self._names.items()
        }
        found = [
            label
            for label, each in codes.items()
            if any(code.startswith(letters) for code in each) or each[0].startswith(key)
        ]
        whole = [
            label
            for label in found
            if is_whole and {letters, key}.intersection(codes[label])
        ]
        for answers in (whole, found):
            if letters and len(answers) == 1:
                return Match(answers[0], answers)
        return Match(None, found)

    def as_json(self):
        """Return what the page needs to know of classes, tags and commands."""
        own = {label: key for key, label in self._by_key.items()}
        return {
            "classes": [
                {
                    "label": f"{label}",
                    "keys": keys,
                    "own": own.get(label, ""),
                    "number": self._numbers.get(label, ""),
                }
                for label, keys in self.shown.items()
            ],
            "several": self.several,
            "tags": [*self.tags.items()],  # in their order
            "commands": self.commands,
            "choices": {
                keys: {"command": command} if tag is None else {"tag": tag}
                for keys, (command, tag) in self.choices.items()
            },
        }

    def rest_of_name(self, label, typed):
        """Return the letters of a name that follow the typed ones."""
        name, typed = self._names[label], typed.lower()
        for letters in (typed, typed.removeprefix(SPELL)):
            if name.startswith(letters):
                return name.removeprefix(letters)
        return ""


class TypeAhead:
    """Letters typed one by one; the first that leaves a single class answers.

    Letters that follow each other within `LINE_SECONDS` are one word: a class, or else
    nothing. If a row may have several labels, a class is chosen or the choice is taken
    back, and Enter on its own answers with all chosen labels. Enter has to be pressed
    twice if no label is chosen, or if a letter was ignored that another class begins
    with.

    Parameters
    ----------
    keys : ClassKeys
        Keys of the classes.
    clock : callable, default=monotonic
        Returns the time in seconds.

    Attributes
    ----------
    typed : str
        Letters typed since the last answer.
    problem : str
        Why the last key had no effect; empty if it had one.
    chosen : list
        Labels that are chosen for the row, if it may have several.
    tags : list of str
        Tags that are chosen for the row.
    """

    def __init__(self, keys, clock=monotonic):
        self._keys, self._clock = keys, clock
        self._rest, self._until = "", 0.0
        self.typed = self.problem = ""
        self.tags = []
        self.start()

    def start(self, chosen=()):
        """Begin with a row for which these labels are chosen."""
        self.chosen, self._is_warned, self._is_doubtful = [*chosen], False, False

    def toggle(self, label):
        """Choose a label, or take the choice back; labels keep the order of classes."""
        chosen = {*self.chosen} ^ {label}
        self.start(each for each in self._keys.shown if each in chosen)

    def toggle_tag(self, tag):
        """Choose a tag, or take the choice back; tags keep their order."""
        chosen = {*self.tags} ^ {tag}
        self.tags = [each for each in self._keys.tags if each in chosen]

    def describe_enter(self):
        """Return what Enter sends while nothing is typed."""
        if not self._keys.several:
            return ""
        again = " again" * self._is_warned
        return f"Enter{again}: {', '.join(map(str, self.chosen)) or 'no label applies'}"

    def clear(self):
        """Forget the typed letters."""
        self.typed = self.problem = ""

    def press(self, key):
        """Return the answer or command that a key completes, None if there is none."""
        self.problem = ""
        if key == ESCAPE:
            self.typed = ""
        elif key == BACKSPACE:
            self.typed = self.typed[:-1]
        elif key == ENTER and self.typed:
            return self._answer(self.typed, is_whole=True)
        elif key == ENTER:
            return self._send() if self._keys.several else None
        else:
            return self.type(key)
        return None

    def type(self, letters, *, is_ended=False, extra=""):
        """Return what letters complete that were typed together, as `press` does.

        Parameters
        ----------
        letters : str
            One letter, or letters that followed each other within `LINE_SECONDS`.
        is_ended : bool, default=False
            True if Enter followed them at once.
        extra : str, default=""
            Further letters that are commands while nothing is typed.
        """
        self.problem, answer, rest = "", None, letters
        while rest and self.continues_name(rest[0]):
            rest = rest[1:]
        if rest:
            if choice := self._keys.find_command(self.typed + rest):
                self.typed = ""
                return choice
            if self._keys.begins_tag(self.typed + rest):
                self.typed += rest
                return None
            if not self.typed and len({*rest}) == 1 and rest[0] in extra:
                return Choice(rest[0])
            answer = self._answer(self.typed + rest)
        elif len(letters) == 1 and self._keys.find(letters).classes:
            self._is_doubtful = True
            self.problem = f"{letters} belongs to the name before; press it again"
        if is_ended and answer is None and not self.problem:
            return self.press(ENTER)
        return answer

    def ignore(self, key):
        """Handle a key that was pressed before the next row was shown."""
        self._rest = self._rest[1:] if self._rest[:1] == key.lower() else ""
        self._until = self._clock() + NAME_SECONDS

    def continues_name(self, key):
        """Return True if a key only continues the name of the last answer.

        A person who types "refund" has answered with "r"; the letters that follow are
        no answers to the next row, which nobody has read yet.
        """
        key = key.lower()
        is_next = self._rest[:1] == key and self._clock() <= self._until
        if self.typed or not is_next:
            self._rest = ""
            return False
        self.ignore(key)
        return True

    def _send(self):
        """Return the chosen labels; if that can be a mistake, only the second time."""
        if self._is_warned or (self.chosen and not self._is_doubtful):
            return Choice(None, self.chosen)
        self._is_warned = True
        return None

    def _answer(self, typed, *, is_whole=False):
        found = self._keys.find(typed, is_whole=is_whole)
        if found.label is not None:
            self._rest = "" if is_whole else self._keys.rest_of_name(found.label, typed)
            self._until = self._clock() + NAME_SECONDS
            self.typed = ""
            if self._keys.several:
                return self.toggle(found.label)
            return Choice(None, found.label)
        if not found.classes:
            help = self._keys.commands[HELP]
            self.problem = f"{typed}: no class; {help} for help"
        else:
            self.typed = typed
            if is_whole:
                self.problem = f"{typed}: {len(found.classes)} classes; type more"
        return None


def check_custom_keys(classes, own, commands=COMMANDS):
    """Return custom keys in lower case, after checking them."""
    found = {}
    for label, key in own.items():
        if label not in classes:
            raise ValueError(f"{label!r} is not one of the classes")
        if len(key) != 1 or not key.isprintable() or key.isspace():
            raise ValueError(f"{key!r}, the key of {label!r}, is not one character")
        key = key.lower()
        if key in commands:
            raise ValueError(f"{key!r}, the key of {label!r}, is a command")
        if key in found.values():
            raise ValueError(f"{key!r} is the key of two classes")
        found[label] = key
    return found


def number_classes(names, own):
    """Return a number for each class whose name does not begin with a digit.

    Numbers count from 1 and skip each number that could be confused with a name that
    begins with a digit or with a custom key.
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
    """Return the first letters that identify each name, where three are enough.

    Names that begin with one of the reserved letters are left out.
    """
    counts = Counter(
        name[:n]
        for name in names.values()
        for n in range(1, min(LONGEST, len(name)) + 1)
    )
    found = {}
    for label, name in names.items():
        unique = [
            n
            for n in range(1, LONGEST + 1)
            if counts[name[:n]] == 1 and not name[:n].endswith(" ")
        ]
        if unique and name[0] not in reserved:
            found[label] = name[: unique[0]]
    return found


def parse_line(line, keys):
    """Return the answer that a line of text gives.

    Raises
    ------
    ValueError
        If the line is not an answer.
    """
    line = line.strip()
    choice = keys.find_command(line)
    if choice in (Choice(ROWS), Choice(NOTE)):
        raise ValueError(
            f"{line!r} works only at the keyboard; '{keys.commands[NOTE]} TEXT' is a "
            "note."
        )
    if choice is not None:
        return choice
    found = keys.find(line, is_whole=True)
    if found.label is not None:
        return Choice(None, [found.label] if keys.several else found.label)
    if keys.several and line == NO_LABEL:
        return Choice(None, [])
    parts = [keys.find(part.strip(), is_whole=True).label for part in line.split(",")]
    if keys.several and None not in parts:
        return Choice(None, parts)
    first, _, value = line.partition(" ")
    choice = keys.find_command(first)
    if choice in (Choice(SKIP), Choice(NOTE)) and value:
        return choice._replace(value=value.strip())
    is_ambiguous = bool(found.classes and line)
    classes = found.classes if is_ambiguous else list(keys.shown)
    names = [*(f"{label}" for label in classes[:12]), *["…"][: len(classes) > 12]]
    problem = "matches several classes" if is_ambiguous else "is not an answer"
    several = f"one or more, with commas, or {NO_LABEL} if none applies,"
    typed, meant = keys.commands, first.lower()
    if value and meant in (SKIP, NOTE):
        spelt = f"{typed[meant]} {value.strip()}"[:40]
        problem += f"; type {spelt!r} to {WORDS[meant]}: a class begins with {first!r}"
    raise ValueError(
        f"{line[:40]!r} {problem}. Type {several if keys.several else 'one'} of: "
        f"{', '.join(names)}, {typed[SKIP]} (skip), {typed[UNDO]} (undo), "
        f"{typed[GUIDE]} (guide), {typed[NOTE]} TEXT (note), {typed[HELP]} (help), "
        f"{typed[QUIT]} (quit)."
    )
