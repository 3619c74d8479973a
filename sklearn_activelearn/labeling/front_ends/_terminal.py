"""Labelling in a terminal: a row, a key, the next row."""

import shutil
import sys
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from threading import Thread

from ._items import excerpt, shown_item
from ._keys import (
    ESCAPE,
    GUIDE,
    HELP,
    NOTE,
    QUIT,
    ROWS,
    SKIP,
    SPELL,
    TAG,
    UNDO,
    Choice,
    TypeAhead,
    parse_line,
)
from ._screen import (
    END,
    GAP,
    PAGE_DOWN,
    PAGE_UP,
    WIDEST,
    Page,
    Screen,
    Text,
    cut,
    wrap_text,
)
from ._view import (
    STATES,
    describe_answer,
    describe_label,
    describe_listed,
    describe_note,
    describe_people,
    describe_usage,
    parse_search,
)

#: Keys of the terminal alone.
USAGE = {
    "Space": "next page of a long text; PgUp: previous page",
    QUIT: "quit, as Ctrl-C does; Ctrl-Z pauses",
}
SAVED = "Each label is saved at once, and the same command resumes."

SEARCH = (
    "Words of the row, class:NAME, tag:NAME, who:NAME, date:DAY, since:DAY or "
    "until:DAY; nothing finds all rows."
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
NO_ROW = "There is no row to label."
N_LISTED = 9  #: rows of a list that are shown: one digit opens each


def label_in_terminal(view, *, who=None):
    """Show rows and take answers until no row is left or the person quits.

    If the standard input is not a terminal, each line of it is an answer.

    Parameters
    ----------
    view : LabelingView
        Session to label.
    who : str, default=None
        Name of the person.

    Raises
    ------
    ValueError
        For a line that is not an answer.
    OSError
        If the file cannot be written and answers are lines.
    """
    if sys.stdin.isatty():
        screen = Screen()
        screen.run(Labeling(view, who, screen).run)
    else:
        label_by_lines(view, who, sys.stdin)


def label_by_lines(view, who, lines):
    """Answer rows with lines that are not empty, until the lines or the rows end."""

    def print_page(page):
        print("\n".join(line for _, line in page.lines(width)), flush=True)

    lines = filter(None, map(str.strip, lines))
    width = max(8, min(WIDEST, shutil.get_terminal_size().columns))
    shown = view.next(who, view.keys.describe_prefixes())
    typing = TypeAhead(view.keys)
    while shown.row is not None:
        print_page(row_page(view, shown, typing.tags))
        if (line := next(lines, None)) is None:  # no text: a class can begin with "q"
            return
        answer, last = parse_line(line, view.keys), ""
        if answer.command == QUIT:
            return
        if answer.command == NOTE:
            last = store_note(view, shown.row.id, answer.value, who)
        elif answer.command == GUIDE:
            print_page(Page(view.title, guide_text(view)))
        elif answer.command == HELP:
            print_page(Page(view.title, help_text(view, view.session.advice())))
        elif answer.command == TAG:
            typing.toggle_tag(answer.value)
        else:
            tags = typing.tags if view.keys.tags else None
            shown = view.carry_out(answer, shown.row, who, tags)
            last, typing.tags = shown.last, []
        if last or shown.is_training:
            shown = view.next(who, last)
    print("\n".join(wrap_text(f"{shown.last}\n{shown.ending}", width)))


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
        self._help, self._advising = None, None

    def run(self):
        """Show rows until the person quits."""
        shown = self.view.next(self.who, self.view.keys.describe_prefixes())
        while shown is not None:
            page = row_page(self.view, shown, is_screen=True)
            if shown.is_training:
                self.screen.show(page)
                shown = self.view.next(self.who, shown.last)
            else:
                shown = self._answer_row(shown, page)

    def _answer_row(self, shown, page):
        """Show a row until it is answered; return the next one, None to quit."""
        self.typing.start()
        self.typing.tags = []
        for key in self.screen.show_new(page):
            self.typing.ignore(key)
        message = ""
        while True:
            answer = self.choose(page._replace(message=message or page.message))
            try:
                if answer.command == QUIT:
                    return None
                if answer.command == ROWS:
                    RowList(self).run()
                    return self.view.next(self.who)
                if answer.command == TAG:
                    self.typing.toggle_tag(answer.value)
                elif answer.command not in (None, SKIP, UNDO):
                    message = self.do_beside(answer.command, page.text, shown.row)
                elif shown.row is None and answer.command != UNDO:
                    message = NO_ROW
                else:
                    return self.view.carry_out(answer, shown.row, self.who, self.tags)
            except ValueError as error:
                message = f"{error}"
            except OSError as error:
                # nobody knows whether the answer is stored
                message = f"{error} Press a key to continue."
                self.screen.show(page._replace(message=message))
                is_over = self.screen.read() == END
                return None if is_over else self.view.next(self.who)

    @property
    def tags(self):
        """Chosen tags, None if the session has none."""
        return self.typing.tags if self.view.keys.tags else None

    def do_beside(self, command, text, row):
        """Turn the page of a text, take a note, or show a text; return what was done.

        The row stays on the screen.
        """
        if command in (PAGE_DOWN, PAGE_UP):
            text.turn(command)
        elif command == GUIDE:
            self._read(guide_text(self.view))
        elif command == HELP:
            self._read(self._help_text())
        elif row is None:
            return NO_ROW
        else:
            notes = self.view.session.answers(row.id).notes
            own = next((note.text for note in notes if note.who == self.who), "")
            new = self.screen.ask(f"Note on row {row.id} (Esc: go back): ", own)
            if new is not None:
                return store_note(self.view, row.id, new, self.who)
        return ""

    def _help_text(self):
        """Return the help, to which a thread adds the quality of the model later."""
        if self._advising is None or not self._advising.is_alive():
            self._help = help_text(self.view, "How good is the model? Please wait …")
            self._advising = Thread(target=self._advise, args=[self._help], daemon=True)
            self._advising.start()
        return self._help

    def _advise(self, text):
        try:
            advice = self.view.session.advice()
            text.replace(help_text(self.view, advice))
        except Exception as error:  # the session can be closed meanwhile
            text.replace(Text([f"{error}"]))
        self.screen.redraw()

    def _read(self, text):
        """Show a text until a key is pressed that does not turn its pages."""
        page, key = Page(self.view.title, text, commands=[f"[{QUIT}] back"]), PAGE_UP
        while key in (" ", PAGE_DOWN, PAGE_UP):
            text.turn(key)
            self.screen.show(page)
            key = self.screen.read()

    def choose(self, page, extra=""):
        """Show a page and return the answer, a command or a key that turns the page.

        Keys in `extra` are commands too.
        """
        keys = self.view.keys
        self.typing.clear()
        while True:
            typed, hint = self.typing.typed, self.typing.problem
            whole = keys.find(typed, is_whole=True).label
            if typed and not hint and whole is not None:
                hint = f"Enter: {whole}"
            if page.classes:
                classes, chosen = keys.find(typed).classes, self.typing.chosen
                classes = describe_keys(keys, classes, chosen)
                hint = hint or (not typed and self.typing.describe_enter())
                tags = list_tags(keys, self.typing.tags)
                page = page._replace(classes=classes, tags=tags)
            self.screen.show(page._replace(typed=typed, hint=hint or ""))
            answer = self._press(*self.screen.read_word(), extra)
            if answer is not None:
                return answer

    def _press(self, key, word, is_ended, extra):
        """Return what a key completes that is no letter, or a word typed at once."""
        if key in (END, PAGE_DOWN, PAGE_UP):
            return Choice(QUIT if key == END else key)
        if not word:
            return self.typing.press(key)
        answer = self.typing.type(word, is_ended=is_ended, extra=f"{extra} ")
        if answer is None or answer.command is None:
            return answer
        if answer.command == SKIP and word[-1].isupper():
            reason = self.screen.ask("Why do you skip the row? (Esc: go back) ")
            return None if reason is None else Choice(SKIP, reason or None)
        return Choice(PAGE_DOWN) if answer.command == " " else answer


def row_page(view, shown, tags=(), *, is_screen=False):
    """Return the page of a row, or of why there is none.

    A screen has lists of rows. `tags` are chosen.
    """
    page, keys = (
        Page(view.title, Text([shown.ending]), shown.last, shown.counts),
        view.keys,
    )
    names = [f"[{keys.commands[UNDO]}]ndo", f"[{keys.commands[QUIT]}]uit"]
    names += [f"[{keys.commands[ROWS]}] rows"] * is_screen
    if shown.row is None:
        return page._replace(commands=names)
    names = [f"[{keys.commands[SKIP]}]kip", *names]
    names += [f"[{keys.commands[GUIDE]}] guide"] * bool(view.guide)
    names += [f"[{keys.commands[NOTE]}] note", f"[{keys.commands[HELP]}] help"]
    return page._replace(
        text=row_text(view, shown.row.id),
        note="\n".join(filter(None, [shown.why, shown.prediction])),
        classes=describe_keys(keys, keys.shown),
        tags=list_tags(keys, tags),
        commands=names,
    )


def row_text(view, row_id, *lines):
    """Return the content of a row below some lines."""
    kind, item = view.item(row_id)
    if kind == "table":
        cells = shown_item(item, kind).items()
        return Text([*lines, *(f"{name}: {cell}" for name, cell in cells)], "    ")
    if kind == "image" and isinstance(item, str | PathLike):
        return Text([*lines, f"{Path(view.folder or '', item)}"])
    shown = shown_item(item, kind) or "An image; the page (--web) shows it."
    return Text([*lines, shown])


def help_text(view, advice):
    """Return the keys, the quality of the model and what each person has done."""
    keys = [f"{key:9}{what}" for key, what in describe_usage(view.keys, USAGE)]
    return Text([*keys, SAVED, " ", advice, *describe_people(view.session)])


def guide_text(view):
    """Return the guide."""
    return Text([view.guide or "There is no guide. Add one with --guide FILE.md."])


def store_note(view, row_id, text, who):
    """Store a note; return what was done."""
    view.session.note(row_id, text, who)
    return f"Row {row_id}: note {'saved' if text else 'removed'}"


def describe_keys(keys, labels, chosen=()):
    """Return classes with their keys in brackets, and a tick behind chosen ones."""
    return [
        (
            f"[{label}]"
            if keys.shown[label] == [f"{label}".lower()]
            else f"[{'/'.join(keys.shown[label])}] {label}"
        )
        + " ✓" * (label in chosen)
        for label in labels
    ]


def list_tags(keys, chosen):
    """Return tags with what to type for them, and a tick behind chosen ones."""
    return [
        f"[{typed}] {tag}{' ✓' * (tag in chosen)}" for tag, typed in keys.tags.items()
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
        self._n_shown = min(N_LISTED, max(2, (self._screen.size().rows - 8) // 2))
        self._words = ""

    def run(self):
        """Show a list until the person goes back to the rows to label."""
        while True:
            found = self._find(self._start, self._n_shown)
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

    def _find(self, start, limit, **options):
        return self._view.review(
            self._kind, self._words, who=self._who, start=start, limit=limit, **options
        )

    def _do(self, key, found):
        if key in LISTS:
            self._kind, self._start = LISTS[key], 0
        elif key.isdecimal() and 0 < int(key) <= len(found.rows):
            self._open(found.rows[int(key) - 1].id)
        elif key in (" ", PAGE_DOWN):
            if self._start + self._n_shown < found.n_rows:
                self._start += self._n_shown
        elif key == PAGE_UP:
            self._start = max(0, self._start - self._n_shown)
        elif key == SPELL:
            self._screen.show(self._page_of(found)._replace(message=SEARCH))
            words = self._screen.ask("Search (Esc: go back): ", self._words)
            if words is not None:
                parse_search(words, self._view.keys)  # raises before it is kept
                self._words, self._start = words, 0
        elif key == REFRESH and self._kind == "doubtful":
            self._find(0, 1, refresh=True)
        elif key == REOPEN and self._kind == "skipped" and found.n_rows:
            self._reopen(found.n_rows)
        else:
            raise ValueError(f"{key[:40]!r} is not a key of this list.")

    def _reopen(self, n_rows):
        """Show the skipped rows that were found again."""
        rows = self._find(0, n_rows).rows
        ids = [row.id for row in rows if row.state == "skipped"]
        answer = self._screen.ask(
            f"Skipped rows to show again: {len(ids)}. Do so? (y) "
        )
        if ids and (answer or "").lower() in ("y", "yes"):
            self._session.reopen(ids, self._who)
            self._message = f"Rows that are shown again: {len(ids)}."

    def _open(self, row_id):
        """Show a row of the list, and take a correction or a decision."""
        decide = DECIDE if self._view.may_decide(self._who) else ""
        is_final, message, text = False, "", None
        keys = self._view.keys
        names = ["Type a class to correct it", f"[{keys.commands[UNDO]}]ndo yours"]
        names += [f"[{keys.commands[NOTE]}] note"]
        row = self._session.answers(row_id, viewer=self._who)
        own = [each.label for each in row.answers if each.who == self._who]
        given = [row.label, *own[-1:]] if keys.several else []
        self._labeling.typing.start(next(filter(None, given), ()))
        answer = self._view.find_own_answer(row_id, self._who)
        self._labeling.typing.tags = [] if answer is None else [*answer.tags]
        while True:
            row = self._session.answers(row_id, viewer=self._who)
            text = text or row_text(self._view, row_id, *lines_about(row), " ")
            last = [f"[{key}] a class decides{' now' * is_final}" for key in decide]
            page = Page(
                f"Row {row_id}", text, message,
                classes=describe_keys(keys, keys.shown),
                commands=[*names, *last, f"[{keys.commands[QUIT]}] back"],
            )  # fmt: skip
            answer = self._labeling.choose(page, extra=decide)
            command = answer.command
            try:
                if command == QUIT:
                    return
                if command in (None, SKIP, UNDO):
                    self._correct(row_id, answer, is_final)
                    return
                if command == DECIDE:
                    is_final = not is_final
                elif command == TAG:
                    self._labeling.typing.toggle_tag(answer.value)
                    tags = self._labeling.typing.tags
                    message, text = self._view.tag(row_id, tags, self._who), None
                else:
                    message = self._labeling.do_beside(command, text, row)
                    text = None if command == NOTE else text
            except ValueError as error:
                message = f"{error}"

    def _correct(self, row_id, answer, is_final):
        session, who, tags = self._session, self._who, self._labeling.tags
        if answer.command == UNDO:
            session.undo(who, id=row_id)
            done = "answer undone"
        elif answer.command == SKIP:
            session.skip(row_id, answer.value, who, tags=tags)
            done = "skipped"
        else:
            session.label(row_id, answer.value, who, final=is_final, tags=tags)
            done = f"{describe_label(answer.value)}{', decided' * is_final}"
        self._message = f"Row {row_id}: {done}"

    def _page_of(self, found):
        title = f"{self._kind.capitalize()} rows: {found.n_rows}"
        title += f", found by {self._words}" if self._words else ""
        n_rows = len(found.rows)
        n_after = found.n_rows - self._start - n_rows
        names = [
            *[f"[1-{n_rows}] open the row with this number"] * (n_rows > 1),
            *["[1] open the row"] * (n_rows == 1),
            *[f"[Space] {n_after} more"] * (n_after > 0),
            f"[{SPELL}] search",
            *[f"[{REOPEN}] show them again"] * (self._kind == "skipped" and n_rows > 0),
            *[f"[{REFRESH}] find them again"] * (self._kind == "doubtful"),
            f"[{QUIT}] back",
        ]
        empty = found.error or "There are none."
        if found.is_computing:
            empty = "The model is searching for them. Press o in a while."
        lists = [f"[{key}] {name}" for key, name in LISTS.items() if name != self._kind]
        # a page wraps lines with wide letters a column earlier
        width = min(WIDEST, self._screen.size().columns) - 1
        lines = [
            cut(line, width)
            for number, row in enumerate(found.rows, start=1)
            for line in self._lines_of(number, row)
        ]
        return Page(
            title, Text(lines or [empty]), self._message, classes=lists, commands=names
        )

    def _lines_of(self, number, row):
        title, about = describe_listed(row)
        days = [when(row.answers[-1].at)[:10]] if row.answers else []
        kind, item = self._view.item(row.id)
        lines = GAP.join([f"[{number}] row {row.id}", title, *days, *about])
        return [lines, f"    {excerpt(item, kind)}"]


def lines_about(row):
    """Return the state, the answers and the notes of a row, one in each line."""
    lines = [] if row.state == "labelled" else [STATES[row.state].capitalize()]
    lines += [f"Votes are tied on: {', '.join(row.tied)}"] * bool(row.tied)
    lines += [f"{describe_answer(each)}, {when(each.at)}" for each in row.answers]
    return [*lines, *(f"{describe_note(each)}, {when(each.at)}" for each in row.notes)]


def when(at):
    """Return the time of an answer in the local time zone."""
    try:
        time = datetime.fromisoformat(at)
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        return f"{time.astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError):  # imported from another program
        return at[:16]
