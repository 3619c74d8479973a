"""Labelling in a terminal: a row, a key, the next row."""

import re
import shutil
import sys
from asyncio import wrap_future
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from queue import SimpleQueue
from textwrap import wrap
from threading import Event
from typing import NamedTuple

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Dimension,
    FormattedTextControl,
    HSplit,
    Layout,
    UIContent,
    UIControl,
    Window,
)
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_cwidth

from ._items import excerpt, shown_item
from ._keys import (
    BACKSPACE,
    ENTER,
    ESCAPE,
    GUIDE,
    HELP,
    NOTE,
    QUIT,
    ROWS,
    SKIP,
    SPELL,
    UNDO,
    Choice,
    TypeAhead,
    parse_line,
)
from ._view import describe_people, parse_search

END, PAGE_DOWN, PAGE_UP = "end", "page down", "page up"
#: Keys of prompt_toolkit; all other keys that are no letters are ignored.
KEY_NAMES = {
    Keys.ControlM: ENTER,
    Keys.ControlJ: ENTER,
    Keys.ControlH: BACKSPACE,
    Keys.Escape: ESCAPE,
    Keys.ControlD: END,
    Keys.PageDown: PAGE_DOWN,
    Keys.Down: PAGE_DOWN,
    Keys.PageUp: PAGE_UP,
    Keys.Up: PAGE_UP,
}
TURNS = {PAGE_DOWN: 1, PAGE_UP: -1}
STYLE = Style.from_dict(
    {"title": "bold", "message": "fg:ansimagenta", "hint": "fg:ansiblue", "key": "bold"}
)
WIDEST = 100  #: columns; longer lines are hard to read
MORE_CLASSES = "… and {} more: type letters"
GAP = "  "  #: between items in a line
#: Control characters, and characters that change the direction of writing.
CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
FILLER = "\x00"  #: stands for the second column of a wide letter while lines are broken

USAGE = (
    ("letters", "of a class, or its key or number"),
    ("Enter", "ends a name; Esc clears it"),
    (SPELL, f"before a class that begins with {SKIP}, {UNDO} or {QUIT}"),
    (SKIP, f"skip the row; {SKIP.upper()}: skip and say why"),
    (UNDO, "undo your last answer"),
    (ROWS, "rows you have answered, and search"),
    (NOTE, "write a note on this row"),
    (GUIDE, "the guide"),
    ("Space", "next page of a text; PgUp: previous"),
    (QUIT, "quit, as Ctrl-C; Ctrl-Z: pause"),
)
SAVED = (
    "Each label is saved at once: the same command resumes. Skipped rows are in the "
    f"list of rows ({ROWS}), where you can correct every answer."
)

#: Keys of the lists of rows.
LISTS = {
    "l": "labelled",
    "s": "skipped",
    "d": "disputed",
    "o": "doubtful",
    "n": "noted",
    "e": "empty",
}
REOPEN, REFRESH, DECIDE = "r", "f", "="
N_LISTED = 9  #: rows of a list that are shown: one digit opens each


def label_in_terminal(view, *, who=None, answers=None):
    """Show rows and take answers until no row is left or the person quits.

    Parameters
    ----------
    view : LabelingView
        Session to label.
    who : str, default=None
        Name of the person.
    answers : iterable of str, default=None
        Answers, one a line. None reads keys if the standard input is a terminal, else
        its lines.

    Raises
    ------
    ValueError
        For a line that is not an answer.
    OSError
        If the file cannot be written and answers are lines.
    """
    if answers is None and sys.stdin.isatty():
        screen = Screen()
        screen.run(Labeling(view, who, screen).run)
    else:
        label_by_lines(view, who, sys.stdin if answers is None else answers)


def label_by_lines(view, who, lines):
    """Answer rows with lines that are not empty, until the lines or the rows end."""
    lines = filter(None, map(str.strip, lines))
    width = max(8, min(WIDEST, shutil.get_terminal_size().columns))
    shown = view.next(who)
    while shown.row is not None:
        print_page(row_page(view, shown, row_text(view, shown.row.id)), width)
        answer, last = parse_line(next(lines, QUIT), view.keys), ""
        if answer.command == QUIT:
            return
        if answer.command == NOTE:
            last = store_note(view, shown.row.id, answer.value, who)
        elif answer.command in (GUIDE, HELP):
            print_page(Page(view.title, TEXTS[answer.command](view)), width)
        else:
            shown = view.carry_out(answer, shown.row, who)
            last = shown.last
        if last or shown.is_training:
            shown = view.next(who, last)
    print("\n".join(wrap_text(f"{shown.last}\n{shown.reason}", width)))


class Labeling:
    """The conversation about the rows to label.

    Parameters
    ----------
    view : LabelingView
        Session to label.
    who : str or None
        Name of the person.
    screen : Screen
        Shows pages and reads keys.
    """

    def __init__(self, view, who, screen):
        self.view, self.who, self.screen = view, who, screen
        self.typing = TypeAhead(view.keys)
        self._text, self._text_row = None, None

    def run(self):
        """Show rows until the person quits."""
        shown = self.view.next(self.who)
        while shown is not None:
            shown = self._answer_row(shown)
            if shown is not None and shown.is_training:
                self._show(shown)
                shown = self.view.next(self.who, shown.last)

    def _answer_row(self, shown):
        """Show a row until it is answered; return the next one, None to quit."""
        page, message, is_stored = self._show(shown), "", None
        for key in self.screen.unseen_keys():
            self.typing.ignore(key)
        while True:
            answer = self.choose(page._replace(message=message or page.message))
            if answer.command == QUIT:
                return None
            try:
                # after an OSError the answer may be stored or not
                done = (
                    self.view.next(self.who) if is_stored else self._do(answer, shown)
                )
            except (ValueError, OSError) as error:
                message, is_stored = f"{error}", isinstance(error, OSError)
                if is_stored:
                    message += " Press a key to continue."
                continue
            if done is not None:
                return done

    def _do(self, answer, shown):
        """Carry out an answer; return the next row, None to stay with this one."""
        view, command, row = self.view, answer.command, shown.row
        if row is None and command in (None, SKIP, NOTE):
            raise ValueError("There is no row to label.")
        if command in (None, SKIP, UNDO):
            return view.carry_out(answer, row, self.who)
        if command == ROWS:
            RowList(self).run()
            return view.next(self.who)
        if command in TURNS:
            self._text.turn(TURNS[command])
            return None
        return shown._replace(last=self.show_or_note(command, row and row.id))

    def show_or_note(self, command, row_id):
        """Ask for a note, or show the help or the guide; return what was done."""
        if command == NOTE:
            notes = self.view.session.answers(row_id).notes
            own = next((note.text for note in notes if note.who == self.who), "")
            text = self.screen.ask(f"Note on row {row_id}: ", own)
            return "" if text is None else store_note(self.view, row_id, text, self.who)
        text = TEXTS[command](self.view)
        page = Page(self.view.title, text, commands=["[q] back"])
        while True:
            self.screen.show(page)
            key = self.screen.read()
            if key == PAGE_UP:
                text.turn(-1)
            elif key not in (PAGE_DOWN, " ", ENTER) or not text.turn(1):
                return ""

    def choose(self, page, extra=""):
        """Show a page and return the answer, a command or a key that turns the page.

        Keys in `extra` are commands too.
        """
        self.typing.clear()
        while True:
            typed, hint = self.typing.typed, self.typing.problem
            found = self.view.keys.find(typed, is_whole=True)
            if not hint and typed and found.label is not None:
                hint = f"Enter: {found.label}"
            if page.classes:
                classes = describe_keys(self.view, self.view.keys.find(typed).classes)
                page = page._replace(classes=classes)
            self.screen.show(page._replace(typed=typed, hint=hint))
            answer = self._press(self.screen.read(), extra)
            if answer is not None:
                return answer

    def _press(self, key, extra):
        if key in (END, PAGE_DOWN, PAGE_UP):
            return Choice(QUIT if key == END else key)
        if self.typing.typed or len(key) > 1:
            return self.typing.press(key)
        if self.typing.continues_name(key):  # names can contain a space or an S
            return None
        if key in extra:
            return Choice(key)
        if key == " ":
            return Choice(PAGE_DOWN)
        if key == SKIP.upper():
            reason = self.screen.ask("Why do you skip the row? ")
            return None if reason is None else Choice(SKIP, reason or None)
        return self.typing.press(key)

    def _show(self, shown):
        """Show a row, or why there is none; return the page."""
        if shown.row is not None and self._text_row != shown.row.id:
            self._text_row = shown.row.id
            self._text = row_text(self.view, shown.row.id)
        page = row_page(self.view, shown, self._text)
        self.screen.show(page, is_new=True)
        return page


def row_page(view, shown, text):
    """Return the page of a row, or of the reason why there is none."""
    names = ["[u]ndo", "[q]uit", f"[{ROWS}] rows"]
    if shown.row is None:
        reason = Text([shown.reason])
        return Page(view.title, reason, shown.last, shown.counts, commands=names)
    names += [f"[{GUIDE}] guide"] if view.guide else []
    return Page(
        view.title, text, shown.last, shown.counts, shown.prediction,
        describe_keys(view, view.keys.shown),
        ["[s]kip", *names, f"[{NOTE}] note", f"[{HELP}] help"],
    )  # fmt: skip


def row_text(view, row_id):
    """Return what a row contains."""
    kind, item = view.item(row_id)
    if kind == "table":
        cells = shown_item(item, kind).items()
        return Text([(f"{name}: {cell}", "    ") for name, cell in cells])
    if kind == "image" and isinstance(item, str | PathLike):
        return Text([f"{Path(view.folder or '', item)}"])
    return Text([shown_item(item, kind) or "An image; the page (--web) shows it."])


def help_text(view):
    """Return the keys, the quality of the model and what each person has done."""
    indent = max(len(key) for key, _ in USAGE) + 2
    usage = [(f"{key:{indent}}{what}", " " * indent) for key, what in USAGE]
    return Text(
        [*usage, SAVED, " ", view.session.advice(), *describe_people(view.session)]
    )


def guide_text(view):
    """Return the guide."""
    return Text([view.guide or "There is no guide. Add one with --guide FILE.md."])


TEXTS = {HELP: help_text, GUIDE: guide_text}


def store_note(view, row_id, text, who):
    """Store a note; return what was done."""
    view.session.note(row_id, text, who)
    return f"Row {row_id}: note {'saved' if text else 'removed'}"


def describe_keys(view, labels):
    """Return classes with their keys in brackets."""
    keys = view.keys.shown
    return [
        f"[{label}]"
        if keys[label] == [f"{label}".lower()]
        else f"[{'/'.join(keys[label])}] {label}"
        for label in labels
    ]


class RowList:
    """Lists of rows that people have answered, to search, open and correct.

    Parameters
    ----------
    labeling : Labeling
        The conversation from which the lists are opened.
    """

    def __init__(self, labeling):
        self._labeling, self._screen = labeling, labeling.screen
        self._view, self._who = labeling.view, labeling.who
        self._session = labeling.view.session
        self._kind, self._start, self._message = "labelled", 0, ""
        self._n_shown = min(N_LISTED, max(2, (self._screen.height() - 7) // 2))
        self._words = ""

    def run(self):
        """Show a list until the person goes back to the rows to label."""
        while True:
            found = self._find()
            self._screen.show(self._page_of(found))
            key = self._screen.read()
            if key in (QUIT, ESCAPE, END):
                return
            if self._labeling.typing.continues_name(key):
                continue  # the name of the class that was the correction
            self._message = ""
            try:
                self._do(key.lower() if len(key) == 1 else key, found)
            except ValueError as error:
                self._message = f"{error}"

    def _find(self, *, start=None, limit=None, refresh=False):
        start = self._start if start is None else start
        return self._view.review(
            self._kind, self._words, who=self._who, start=start,
            limit=limit or self._n_shown, refresh=refresh,
        )  # fmt: skip

    def _do(self, key, found):
        if key in LISTS:
            self._kind, self._start = LISTS[key], 0
        elif key.isdecimal() and 0 < int(key) <= len(found.rows):
            self._open(found.rows[int(key) - 1].id)
        elif key in (" ", PAGE_DOWN, "+"):
            if self._start + self._n_shown < found.n_rows:
                self._start += self._n_shown
        elif key in (PAGE_UP, "-"):
            self._start = max(0, self._start - self._n_shown)
        elif key == SPELL:
            hint = "words class:NAME who:NAME date:DAY since:DAY until:DAY"
            self._screen.show(self._page_of(found)._replace(message=hint))
            words = self._screen.ask("Search: ", self._words)
            if words is not None:
                parse_search(words, self._view.keys)  # raises before it is kept
                self._words, self._start = words, 0
        elif key == REFRESH and self._kind == "doubtful":
            self._find(refresh=True)
        elif key == REOPEN and self._kind == "skipped":
            self._reopen(found.n_rows)
        else:
            raise ValueError(f"{key[:40]!r} is not a key of this list.")

    def _reopen(self, n_rows):
        """Show the skipped rows that were found again."""
        rows = self._find(start=0, limit=max(1, n_rows)).rows
        ids = [row.id for row in rows if row.state == "skipped"]
        answer = self._screen.ask(f"Show {len(ids)} skipped rows again? (y) ")
        if ids and (answer or "").lower() in ("y", "yes"):
            self._session.reopen(ids, self._who)
            self._message = f"{len(ids)} rows come first again."

    def _open(self, row_id):
        """Show a row of the list, and take a correction or a decision."""
        text, is_final, message = row_text(self._view, row_id), False, ""
        may_decide = self._view.may_decide(self._who)
        while True:
            row = self._session.answers(row_id, viewer=self._who)
            names = ["A class corrects it", "[u]ndo yours", f"[{NOTE}] note"]
            if may_decide:
                names += [f"[{DECIDE}] a class decides{' now' * is_final}"]
            classes = describe_keys(self._view, self._view.keys.shown)
            page = Page(
                f"Row {row_id}", text, message, "\n".join(lines_about(row)), "",
                classes, [*names, "[q] back"],
            )  # fmt: skip
            answer = self._labeling.choose(page, extra=DECIDE)
            command, message = answer.command, ""
            try:
                if command == QUIT:
                    return
                if command in TURNS:
                    text.turn(TURNS[command])
                elif command == DECIDE and may_decide:
                    is_final = not is_final
                elif command == DECIDE:
                    message = (
                        "A final decision needs rows with several votes and the name "
                        "of a person (--votes, --who)."
                    )
                elif command is None or command in (SKIP, UNDO):
                    self._correct(row_id, answer, is_final)
                    return
                else:
                    message = self._labeling.show_or_note(command, row_id)
            except ValueError as error:
                message = f"{error}"

    def _correct(self, row_id, answer, is_final):
        session, who = self._session, self._who
        if answer.command == UNDO:
            session.undo(who, id=row_id)
            done = "answer undone"
        elif answer.command == SKIP:
            session.skip(row_id, answer.value, who)
            done = "skipped"
        else:
            session.label(row_id, answer.value, who, final=is_final)
            done = f"{answer.value}{', decided' * is_final}"
        self._message = f"Row {row_id}: {done}"

    def _page_of(self, found):
        title = f"{self._kind.capitalize()} rows: {found.n_rows}"
        title += f", found by {self._words}" if self._words else ""
        lines = [
            line
            for number, row in enumerate(found.rows, start=1)
            for line in self._lines_of(number, row)
        ]
        n_after = found.n_rows - self._start - len(found.rows)
        names = [
            *["[1-9] open"] * bool(found.rows),
            *[f"[Space] {n_after} more"] * (n_after > 0),
            f"[{SPELL}] search",
            *[f"[{REOPEN}] show them again"] * (self._kind == "skipped"),
            *[f"[{REFRESH}] find them again"] * (self._kind == "doubtful"),
            f"[{QUIT}] back",
        ]
        empty = found.error or "There are none."
        if found.is_computing:
            empty = "The model is searching for them. Press o in a while."
        lists = [f"[{key}] {name}" for key, name in LISTS.items() if name != self._kind]
        text = Text(lines, is_cut=True) if lines else Text([empty])
        return Page(title, text, self._message, classes=lists, commands=names)

    def _lines_of(self, number, row):
        label = row.label if row.state == "labelled" else row.state
        about = [f"{number}", f"row {row.id}", f"{label}"]
        if row.predicted is not None:
            about += [f"the model: {row.predicted}"]
        if self._who is not None:
            votes = [f"{answer.who or ''}: {answer.label}" for answer in row.answers]
            about += [" ".join(votes[:3])]
        about += [when(row.answers[-1].at)[:10]] if row.answers else []
        kind, item = self._view.item(row.id)
        return [GAP.join(about), f"   {excerpt(item, kind)}"]


def lines_about(row):
    """Return the state, the answers and the notes of a row, one in each line."""
    lines = [row.state.capitalize()] if row.state != "labelled" else []
    for answer in row.answers:
        what = "skipped" if answer.label is None else f"{answer.label}"
        reason = f" ({answer.reason})" if answer.reason else ""
        final = ", decided" if answer.is_final else ""
        who = f"{answer.who}: " if answer.who else ""
        lines.append(f"{who}{what}{reason}{final}, {when(answer.at)}")
    for note in row.notes:
        lines.append(f"Note{f' of {note.who}' if note.who else ''}: {note.text}")
    return lines


def when(at):
    """Return the time of an answer in the local time zone."""
    try:
        time = datetime.fromisoformat(at)
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        return f"{time.astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError):  # imported from another program
        return at[:16]


class Page(NamedTuple):
    """Contents of the screen, from top to bottom."""

    title: str
    text: "Text"
    message: str = ""  # what has just been done, or what is wrong; above the title
    counts: str = ""
    note: str = ""  # below the text
    classes: list = []
    commands: list = []
    typed: str = ""
    hint: str = ""  # behind what is typed


class Text:
    """A text that is shown page by page.

    Parameters
    ----------
    paragraphs : list of str or (str, str)
        Paragraphs; the second text indents all lines but the first.
    is_cut : bool, default=False
        Whether a paragraph that is too long is cut instead of wrapped.
    """

    def __init__(self, paragraphs, *, is_cut=False):
        self._paragraphs = [(p, "") if isinstance(p, str) else p for p in paragraphs]
        self._is_cut, self._width, self._lines = is_cut, None, []
        self._start = self._size = 0

    def lines(self, width, height=None):
        """Return the lines of the present page, at most `height`."""
        if width != self._width:
            self._width, self._start = width, 0
            self._lines = [
                line
                for text, hanging in self._paragraphs
                for line in (
                    [cut(text, width)]
                    if self._is_cut
                    else wrap_text(text, width, hanging)
                )
            ]
        n_lines = len(self._lines)
        if height is None:
            return self._lines
        if n_lines <= height:
            self._start, self._size = 0, n_lines
            return self._lines
        self._size = max(1, height - 1)
        end = min(self._start + self._size, n_lines)
        words = [f"lines {self._start + 1}–{end} of {n_lines}"]
        words += ["Space: more"] * (end < n_lines) + ["PgUp: back"] * (self._start > 0)
        return [*self._lines[self._start : end], f"── {', '.join(words)} ──"]

    def turn(self, by):
        """Go to the next (1) or previous (-1) page; return False if there is none."""
        start = max(0, self._start + by * self._size)
        if start == self._start or start >= len(self._lines):
            return False
        self._start = start
        return True


def clean(text):
    """Return a text without characters that control a terminal."""
    return CONTROL.sub("", text).expandtabs()


def wrap_text(text, width, hanging=""):
    """Return a text in lines of at most `width` columns."""
    found = []
    for line in clean(text).splitlines():
        # a wide letter counts as two; a word cut before the filler is a column longer
        wide = "".join(f"{c}{FILLER}" if get_cwidth(c) > 1 else c for c in line)
        lines = wrap(wide, width - (wide != line), subsequent_indent=hanging) or [""]
        found += [each.replace(FILLER, "") for each in lines]
    return found


def cut(text, width):
    """Return the beginning of a text that fits into one line."""
    text = clean(text).replace("\n", " ")
    if get_cwidth(text) <= width:
        return text
    while get_cwidth(text) > width - 1:
        text = text[: max(0, min(len(text) - 1, width - 1))]
    return f"{text}…"


def pack(items, width, n_lines=None, rest="… and {} more"):
    """Arrange items in lines, and say how many were left out."""
    lines, items = [""], [cut(item, width) for item in items]
    for i, item in enumerate(items):
        line = f"{lines[-1]}{GAP}{item}" if lines[-1] else item
        if get_cwidth(line) <= width:
            lines[-1] = line
        elif n_lines is None or len(lines) < n_lines:
            lines.append(item)
        else:
            *before, last = lines
            n_left = len(items) - i
            while last and get_cwidth(f"{last}{GAP}{rest.format(n_left)}") > width:
                last, n_left = last.rpartition(GAP)[0].rstrip(), n_left + 1
            return [*before, cut(f"{last}{GAP}{rest.format(n_left)}".strip(), width)]
    return lines


def rule(title, width):
    """Return a line across the screen, with a title."""
    title = f"── {cut(title, width - 6)} " if title else ""
    return title + "─" * (width - get_cwidth(title))


def print_page(page, width):
    """Print all of a page."""
    lines = [*wrap_text(page.message, width), rule(page.title, width)]
    lines += [*wrap_text(page.counts, width), "", *page.text.lines(width), ""]
    lines += wrap_text(page.note, width)
    lines += pack(page.classes, width) if page.classes else []
    lines += pack(page.commands, width, 1, f"[{HELP}]") if page.commands else []
    print("\n".join(lines), flush=True)


class Lines(UIControl):
    """Lines that depend on the size of their window.

    Parameters
    ----------
    make_lines : callable
        ``make_lines(width, height)`` returns a list of str; a height of None is not
        limited.
    has_keys : bool
        Whether parts in brackets are keys.
    """

    def __init__(self, make_lines, has_keys):
        self._make_lines, self._has_keys = make_lines, has_keys

    def preferred_height(self, width, *_):
        """Return the number of lines."""
        return len(self._make_lines(min(width, WIDEST), None))

    def create_content(self, width, height):
        """Return the lines for the window."""
        lines = self._make_lines(min(width, WIDEST), height)

        def fragments(i):
            parts = (
                re.split(r"(\[[^] ]+\])", lines[i])
                if self._has_keys
                else lines[i : i + 1]
            )
            return [("class:key" if k % 2 else "", p) for k, p in enumerate(parts)]

        return UIContent(fragments, line_count=len(lines), show_cursor=False)


class Screen:
    """A full screen of prompt_toolkit, on which a conversation shows pages.

    The conversation runs in a separate thread: it shows a page and waits for a key.
    """

    def __init__(self):
        # the conversation can show another page while one is drawn
        self._page = self._drawing = Page("", Text([]))
        self._keys, self._drawn, self._is_over = SimpleQueue(), Event(), False
        self._unseen = []
        self._prompt = ""
        self._answer = Buffer(multiline=False, accept_handler=self._accept)
        self._is_asking = Condition(lambda: bool(self._prompt))
        self._question = Window(
            BufferControl(self._answer, [BeforeInput(lambda: self._prompt)]), height=1
        )
        self._typed = Window(
            FormattedTextControl(self._typed_fragments, focusable=True), height=1
        )
        self._app = Application(
            Layout(self._layout(), focused_element=self._typed), style=STYLE,
            key_bindings=self._bindings(), full_screen=True,
            before_render=self._begin_drawing, after_render=self._end_drawing,
        )  # fmt: skip
        # seconds after Esc in which further characters make another key of it
        self._app.timeoutlen = self._app.ttimeoutlen = 0.1

    def run(self, converse):
        """Show the pages of a conversation until `converse` returns."""
        with ThreadPoolExecutor(1) as thread:
            conversation = None

            async def follow():
                with suppress(Exception):
                    await wrap_future(conversation)
                self._app.exit()

            def begin():
                nonlocal conversation
                conversation = thread.submit(converse)
                self._app.create_background_task(follow())

            try:
                with suppress(EOFError):  # the terminal was closed
                    self._app.run(pre_run=begin)
            finally:
                self._is_over = True
                self._keys.put(END)
            conversation.result()

    def height(self):
        """Return the number of lines of the terminal."""
        return self._app.output.get_size().rows

    def width(self):
        """Return the number of columns that lines may have."""
        return min(WIDEST, self._app.output.get_size().columns)

    def show(self, page, *, is_new=False):
        """Draw a page as soon as possible; keys pressed before a new one are unseen."""
        self._page = page
        if is_new:
            self._drawn.clear()
        self._app.invalidate()

    def read(self):
        """Return the next key, or END."""
        key = self._keys.get()
        if key == END:
            self._keys.put(END)  # for whoever reads after this
        return key

    def ask(self, prompt, text=""):
        """Return a line that the person edits, None if they cancel with Esc."""
        self._answer.text, self._answer.cursor_position = text, len(text)
        self._prompt = prompt
        self._app.layout.focus(self._question)
        self._app.invalidate()
        answer = self.read()
        self._prompt = ""
        self._app.layout.focus(self._typed)
        return answer[1] if isinstance(answer, tuple) else None

    def unseen_keys(self):
        """Return the keys pressed before the last new page was drawn."""
        while not self._drawn.wait(0.1) and not self._is_over:
            pass
        unseen, self._unseen = self._unseen, []
        return unseen

    def _layout(self):
        def make(lines, weight=50, style="", has_keys=False, **options):
            height = Dimension(weight=weight, **options)
            return Window(
                Lines(lines, has_keys),
                height=height,
                style=style,
                dont_extend_height=True,
            )

        def classes(width, height):
            return pack(self._drawing.classes, width, height, MORE_CLASSES)

        def commands(width, _):
            return pack(self._drawing.commands, width, 1, f"[{HELP}]")

        return HSplit(
            [
                make(
                    lambda w, _: wrap_text(self._drawing.message, w),
                    style="class:message",
                ),
                make(lambda w, _: [rule(self._drawing.title, w)], style="class:title"),
                make(lambda w, _: [*wrap_text(self._drawing.counts, w), ""]),
                make(lambda w, h: self._drawing.text.lines(w, h), weight=2, min=1),
                make(lambda w, _: ["", *wrap_text(self._drawing.note, w)]),
                make(classes, weight=1, has_keys=True),
                make(commands, has_keys=True),
                ConditionalContainer(self._question, self._is_asking),
                ConditionalContainer(self._typed, ~self._is_asking),
                Window(),
            ]
        )

    def _typed_fragments(self):
        page = self._drawing
        return [
            ("", f"> {clean(page.typed)}"),
            ("[SetCursorPosition]", ""),
            ("class:hint", f"{GAP}{cut(page.hint, self.width() // 2)}"),
        ]

    def _bindings(self):
        bindings, has_text = KeyBindings(), Condition(lambda: bool(self._answer.text))

        @bindings.add(Keys.Any, filter=~self._is_asking)
        def press(event):
            key = event.key_sequence[0].key
            if not isinstance(key, Keys) or key in KEY_NAMES:
                self._keys.put(KEY_NAMES.get(key, key))

        @bindings.add("escape", Keys.Any, filter=~self._is_asking)
        def ignore(event):
            """Ignore a letter that is pressed together with Alt."""

        @bindings.add("escape", filter=self._is_asking, eager=True)
        @bindings.add("c-d", filter=self._is_asking & ~has_text)
        def cancel(event):
            self._keys.put(KEY_NAMES[event.key_sequence[0].key])

        @bindings.add(Keys.BracketedPaste, filter=self._is_asking)
        def paste(event):
            self._answer.insert_text(" ".join(event.data.split()))

        @bindings.add("c-c")
        @bindings.add("<sigint>")
        def interrupt(event):
            event.app.exit(exception=KeyboardInterrupt)

        @bindings.add("c-z")
        def pause(event):
            event.app.suspend_to_background()

        return bindings

    def _accept(self, buffer):
        self._keys.put(("answer", buffer.text.strip()))
        return True  # the text stays until the next question

    def _begin_drawing(self, _):
        self._drawing = self._page

    def _end_drawing(self, _):
        if self._drawing is self._page and not self._drawn.is_set():
            while not self._keys.empty() and (key := self.read()) != END:
                self._unseen.append(key)
            self._drawn.set()
