"""Labelling in a terminal: a row, a key, the next row."""

import sys

from . import _screen as screen
from ._keyboard import (
    END,
    ENTER,
    ESCAPE,
    PAGE_DOWN,
    PAGE_UP,
    REDRAW,
    Keyboard,
    LineReader,
    can_read_keys,
)
from ._keys import GUIDE, HELP, NOTE, QUIT, ROWS, SKIP, SPELL, UNDO
from ._terminal_rows import RowList
from ._typeahead import Choice, TypeAhead, parse_line
from ._view import people_of

MORE_CLASSES = "… and {} more: type letters"
#: By how many pages keys turn.
TURNS = {PAGE_DOWN: 1, PAGE_UP: -1}
LOW = 20  #: lines of a screen on which nothing is left empty
LEGEND_SHARE = 3  #: classes take no larger part of a screen, unless it stays empty

#: Keys, and what they do, in lines of 40 columns.
USAGE = (
    ("letters", "of a class, or its key"),
    ("Enter", "ends a name; Esc clears it"),
    (SPELL, f"before a class with {SKIP}, {UNDO} or {QUIT}"),
    (SKIP, f"skip the row; {SKIP.upper()}: and say why"),
    (UNDO, "take back your last answer"),
    (ROWS, "rows you have seen, and search"),
    (NOTE, "a note on this row"),
    (GUIDE, "the guide"),
    ("Space", "more of a text; PgUp: back"),
    (QUIT, "quit, as Ctrl-C; Ctrl-Z: pause"),
)
SAVED = (
    "A label is saved as soon as you give it: the same command resumes. Skipped "
    f"rows wait in the list of rows ({ROWS}), where any answer can be corrected."
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
    by_keys = answers is None and can_read_keys(sys.stdin)
    lines = sys.stdin if answers is None else answers
    with Keyboard(sys.stdin) if by_keys else LineReader(lines) as source:
        Terminal(view, who, source).run()


def check_answers(answers, keys):
    """Refuse lines that are no answers, with the first of them."""
    for line in filter(None, map(str.strip, answers)):
        if parse_line(line, keys) in (Choice(ROWS), Choice(NOTE)):
            raise ValueError(f"{line!r} is for people; a file may have '{NOTE} TEXT'.")


class Terminal:
    """Rows on a terminal, and what somebody types.

    Parameters
    ----------
    view : LabelingView
        What is shown, and where answers go.
    who : str or None
        Who answers.
    source : Keyboard or LineReader
        Where answers come from.
    """

    def __init__(self, view, who, source):
        self.view, self.who, self.source = view, who, source
        self._typing = TypeAhead(view.keys)
        self._pages, self._paged = screen.Pages([]), None  # of which row and width
        self._legend, self._n_below = (
            None,
            0,
        )  # its lines on the screen, and those below

    def run(self):
        """Show rows until none is left, or until the person ends it."""
        row = self.view.next(self.who)
        try:
            while row is not None and (row.row_id is not None or self.source.is_live):
                self._typing.forget(self.source.forget())
                row = self._next(row)
        finally:
            if self.source.by_key:
                screen.show_in_line("")  # Ctrl-C comes while somebody types
        if row is not None:
            screen.say(row.last)
            screen.say(row.reason)

    def _next(self, row):
        """Show a row, and return the one after it; None: the end."""
        is_known = True
        self._show(row)
        while True:
            answer = self.choose()
            if answer.command == QUIT:
                return None
            try:
                after = self._carry_out(answer, row) if is_known else self._again("")
            except (ValueError, OSError) as error:  # nothing to take back; a full disk
                if not self.source.is_live:
                    raise
                self._legend = None
                screen.say(str(error))
                if isinstance(error, OSError):  # the answer may have been stored
                    screen.say("Press a key to go on.")
                    is_known = False
                continue
            if after is not None:
                return after
            if answer.command == REDRAW or (
                answer.command in TURNS and self._pages.turn(TURNS[answer.command])
            ):
                self._show(row)

    def _carry_out(self, answer, row):
        """Do what somebody wants; return the next row, None to stay with this one."""
        view, who, command = self.view, self.who, answer.command
        if row.row_id is None:
            if command == REDRAW:  # other people may have given a row back
                return self._again("")
            if command in (None, SKIP, NOTE):
                raise ValueError("There is no row to label.")
        if command is None:
            return view.label(row.row_id, answer.value, who)
        if command == UNDO:
            return view.undo(who)
        if command == SKIP:
            return view.skip(row.row_id, who, answer.value)
        if command == ROWS:
            RowList(self).run()
            return self._again("")
        if command == REDRAW or command in TURNS:
            return None
        return self._looked_up(answer, row)

    def _looked_up(self, answer, row):
        said = self.look_up(answer, row.row_id)
        return row._replace(last=said) if said or self.source.by_key else None

    def look_up(self, answer, row_id):
        """Note something, or show the help or the guide; say what was done."""
        if answer.command == NOTE:
            return self.note(row_id, answer.value)
        if answer.command == GUIDE and not self.view.guide:
            return "There is no guide: --guide FILE.md."
        if answer.command == GUIDE:
            self.read_through(screen.lines_of(self.view.guide))
        elif answer.command == HELP:
            self.read_through(self._help())
        return ""

    def _again(self, last):
        return self.view.next(self.who, last)

    def choose(self, extra=""):
        """Return what somebody answers, or a key that turns or draws the page.

        Parameters
        ----------
        extra : str, default=""
            Signs that are commands here, too.
        """
        self._typing.clear()
        while True:
            if not self.source.by_key:
                answer = self._read_line(extra)
            else:
                self._prompt()
                answer = self._press(self.source.read(), extra)
                if answer is not None:
                    screen.show_in_line("")
            if answer is not None:
                return answer

    def _read_line(self, extra):
        line = self.source.read()
        if line in (END, REDRAW, PAGE_DOWN, *extra):
            return Choice(QUIT if line == END else line)
        try:
            return parse_line(line, self.view.keys)
        except ValueError as error:
            if not self.source.is_live:
                raise
            screen.say(str(error))
            return None

    def _press(self, key, extra):
        typed = self._typing.typed
        if key in (END, REDRAW, PAGE_DOWN, PAGE_UP):
            return Choice(QUIT if key == END else key)
        if self.is_rest(key):  # before Space and S, which names have, too
            return None
        if not typed and key in extra:
            return Choice(key)
        if not typed and key == " ":
            return Choice(PAGE_DOWN)
        if not typed and key == SKIP.upper():
            reason = self.ask("Why is it skipped? ")
            return None if reason is None else Choice(SKIP, reason or None)
        return self._typing.press(key)

    def is_rest(self, key):
        """Whether a key goes on with the name of the class that was answered last."""
        return len(key) == 1 and self._typing.is_rest(key.lower())

    def _prompt(self):
        typed, hint = self._typing.typed, self._typing.problem
        items = self._items_of(self._typing.classes)
        if self._legend is not None:
            n_lines = len(self._legend)
            lines = screen.packed(items, n_lines, MORE_CLASSES)
            lines += [""] * (n_lines - len(lines))
            if lines != self._legend:
                screen.rewrite_above(lines, self._n_below)
                self._legend = lines
            found = self.view.keys.find(typed, is_whole=True)
            if found.is_answer:
                hint = hint or f"Enter: {found.label}"
        elif typed:
            hint = hint or screen.packed(items, 1)[0]
        screen.type_in_line(typed, hint)

    def ask(self, prompt, text="", hint=""):
        """Return a line that somebody types, None if they think better of it."""
        if not self.source.by_key:
            return self.source.read_text(lambda _: None)
        found = self.source.read_text(
            lambda typed: screen.type_in_line(typed, "" if typed else hint, prompt),
            text,
        )
        screen.show_in_line("")
        return found

    def note(self, row_id, text=None):
        """Store a note on a row, asked for unless it is given; say what was done."""
        session = self.view.session
        if text is None:
            notes = session.answers(row_id).notes
            own = next((note.text for note in notes if note.who == self.who), "")
            text = self.ask(f"Note on row {row_id}: ", own)
        if text is None:
            return ""
        session.note(row_id, text, self.who)
        return f"Row {row_id}: noted" if text else f"Row {row_id}: no note"

    def read_through(self, lines):
        """Show lines, of which there may be more than the screen has, one by one."""
        if not self.source.by_key:
            screen.print_lines(lines)
            return
        pages = screen.Pages(lines)
        while True:
            room = screen.screen_height() - 1
            screen.print_lines(pages.shown(room))
            is_more = not pages.is_last
            screen.type_in_line("", "q: back" if is_more else "any key: back")
            key = self.source.read()
            screen.show_in_line("")
            if key == PAGE_UP:
                pages.turn(-1)
            elif key in (PAGE_DOWN, " ", ENTER) and is_more:
                pages.turn(1)
            elif key != REDRAW and (not is_more or key in (QUIT, ESCAPE, END)):
                return

    def _help(self):
        """Say which keys there are, how good the model is, and who did what."""
        indent = max(len(key) for key, _ in USAGE) + 2
        lines = []
        for key, what in USAGE:
            if key != GUIDE or self.view.guide:
                text = f"{key:{indent}}{what}"
                lines += screen.lines_of(text, " " * indent)
        lines += [*screen.lines_of(SAVED), ""]
        for text in (self.view.session.advice(), *people_of(self.view.session)):
            lines += screen.lines_of(text)
        return lines

    def content(self, item):
        """Return what is in a row, in lines."""
        if isinstance(item, dict):
            return [
                line
                for name, cell in item.items()
                for line in screen.lines_of(f"{name}: {cell}", hanging="    ")
            ]
        if self.view.kind == "image":
            return screen.lines_of(f"{self.view.folder / item}")
        return screen.lines_of(item)

    def _show(self, row):
        """Print a row, or a page of it, and the keys; or why there is none."""
        if row.row_id is None:
            screen.print_lines(["", screen.rule_with(self.view.title)])
            for text in (row.last, row.counts, row.reason):
                screen.say(text)
            screen.print_lines(screen.packed(["[u]ndo", "[q]uit", f"[{ROWS}] rows"]))
            self._legend = None
            return
        if self._paged != (paged := (row.row_id, screen.line_width())):
            self._pages, self._paged = screen.Pages(self.content(row.item)), paged
        is_low = self.source.is_live and screen.screen_height() < LOW
        counts = screen.lines_of(row.counts)
        if is_low:
            counts = [screen.cut(row.counts, screen.line_width())]
        last, gap = screen.lines_of(row.last), [""] * (not is_low)
        head = [*last, *gap, screen.rule_with(self.view.title), *counts, *gap]
        foot = [*gap, *screen.lines_of(row.prediction)]
        self.print_page(head, self._pages, foot, self._commands())

    def print_page(self, head, pages, foot, commands):
        """Print a text, or as much as there is room for, and the keys below it."""
        items = self._items_of(self.view.keys.shown)
        room, legend = None, screen.packed(items)
        if self.source.is_live:
            height = screen.screen_height()
            room = height - len([*head, *foot, *commands]) - 1
            left = room - len(pages.lines)
            if len(legend) > max(left, height // LEGEND_SHARE):
                left = max(2, min(left, height // LEGEND_SHARE))
                legend = screen.packed(items, left, MORE_CLASSES)
            room = max(3, room - len(legend))
        screen.print_lines([*head, *pages.shown(room), *foot, *legend, *commands])
        self._legend, self._n_below = legend, len(commands)

    def _items_of(self, labels):
        keys = self.view.keys.shown
        return [
            f"[{label}]"
            if keys[label] == [f"{label}".lower()]
            else f"[{'/'.join(keys[label])}] {label}"
            for label in labels
        ]

    def _commands(self):
        names = ["[s]kip", "[u]ndo", "[q]uit", f"[{ROWS}] rows"]
        names += [f"[{GUIDE}] guide"] if self.view.guide else []
        names += [f"[{NOTE}] note", f"[{HELP}] help"]
        return screen.packed(names, 1, f"[{HELP}]")
