"""The list of rows in a terminal: found again, opened and corrected."""

import shlex
from datetime import UTC, date, datetime, timedelta

from . import _screen as screen
from ._keyboard import END, ESCAPE, PAGE_DOWN, PAGE_UP, REDRAW
from ._keys import QUIT, SKIP, SPELL, UNDO

#: Letters of the lists, and what they are called.
LISTS = {
    "l": "labelled",
    "s": "skipped",
    "d": "disputed",
    "o": "doubtful",
    "n": "noted",
}
REOPEN, REFRESH, DECIDE = "r", "f", "="
MOST = 9  # rows of a page: one digit opens each
HIGH = 24  #: lines of a screen on which a row of the list has two
#: What may come before a value in a search.
FIELDS = ("class", "who", "date", "since", "until")


class RowList:
    """A list of rows that somebody has seen, page by page.

    Parameters
    ----------
    terminal : Terminal
        Where it is shown, and where keys come from.
    """

    def __init__(self, terminal):
        self._terminal, self._source = terminal, terminal.source
        self._session, self._who = terminal.view.session, terminal.who
        self._kind, self._start, self._message = "labelled", 0, ""
        self._words, self._search = "", {}

    def run(self):
        """Show the list until somebody goes back to the rows to label."""
        while True:
            page = self._find()
            self._show(page)
            key = self._read()
            if key in (QUIT, ESCAPE, END):
                return
            self._message = ""
            try:
                self._do(key, page)
            except ValueError as error:
                if not self._source.is_live:
                    raise
                self._message = str(error)

    def _find(self, *, refresh=False):
        return self._session.review(
            self._kind,
            start=self._start,
            limit=MOST,
            viewer=self._who,
            refresh=refresh,
            **self._search,
        )

    def _read(self):
        if not self._source.by_key:
            return self._source.read()
        screen.type_in_line("", "")
        key = self._source.read()
        while self._terminal.is_rest(key):  # of the class that was the correction
            key = self._source.read()
        screen.show_in_line("")
        return key.lower() if len(key) == 1 else key

    def _do(self, key, page):
        if key in LISTS:
            self._kind, self._start = LISTS[key], 0
        elif key.isdecimal() and 0 < int(key) <= len(page.rows):
            self._open(page.rows[int(key) - 1])
        elif key in (" ", PAGE_DOWN, "+"):
            if self._start + MOST < page.n_rows:
                self._start += MOST
        elif key in (PAGE_UP, "-"):
            self._start = max(0, self._start - MOST)
        elif key.startswith(SPELL):
            self._look_for(key)
        elif key == REFRESH and self._kind == "doubtful":
            self._find(refresh=True)
        elif key == REOPEN and self._kind == "skipped":
            self._reopen(page)
        elif key != REDRAW:
            raise ValueError(f"{key[:40]!r} is no key of this list.")

    def _look_for(self, key):
        words = key.removeprefix(SPELL)
        if not words:
            hint = "words class:NAME who:NAME date:DAY since:DAY until:DAY"
            words = self._terminal.ask("Search: ", self._words, hint)
        if words is not None:
            self._search = search_of(words, self._terminal.view.keys)
            self._words, self._start = words, 0

    def _reopen(self, page):
        """Show skipped rows again: those that the search has found."""
        rows = page.rows
        if page.n_rows > len(rows):
            rows = self._session.review(
                "skipped", limit=page.n_rows, viewer=self._who, **self._search
            ).rows
        ids = [row.id for row in rows if row.state == "skipped"]
        answer = self._terminal.ask(f"Show {len(ids)} skipped rows again? (y) ")
        if ids and (answer or "").lower() in ("y", "yes"):
            self._session.reopen(ids, self._who)
            self._message = f"{len(ids)} rows come first again."

    def _open(self, found):
        """Show a row of the list, and take a correction."""
        terminal, is_final, message = self._terminal, False, ""
        pages = screen.Pages(terminal.content(self._session.row(found.id)))
        while True:
            found = self._session.answers(found.id, viewer=self._who)
            head = [*screen.lines_of(message), screen.rule_with(f"Row {found.id}")]
            for line in lines_about(found):
                head += screen.lines_of(line)
            terminal.print_page(
                [*head, ""], pages, [""], self._commands_of(found, is_final)
            )
            extra = DECIDE if self._may_decide(found) else ""
            answer, message = terminal.choose(extra=extra), ""
            command = answer.command
            try:
                if command == QUIT:
                    return
                if command in (PAGE_DOWN, PAGE_UP):
                    pages.turn(1 if command == PAGE_DOWN else -1)
                elif command == DECIDE:
                    is_final = not is_final
                elif command is None or command in (SKIP, UNDO):
                    self._correct(found.id, answer, is_final)
                    return
                else:
                    message = terminal.look_up(answer, found.id)
            except ValueError as error:
                if not self._source.is_live:
                    raise
                message = str(error)

    def _correct(self, row_id, answer, is_final):
        session, who = self._session, self._who
        if answer.command == UNDO:
            session.undo(who, id=row_id)
            what = "taken back"
        elif answer.command == SKIP:
            session.skip(row_id, answer.value, who)
            what = "skipped"
        else:
            session.label(row_id, answer.value, who, final=is_final)
            what = f"{answer.value}{', decided' * is_final}"
        self._message = f"Row {row_id}: {what}"

    def _commands_of(self, found, is_final):
        names = ["A class corrects it", "[u]ndo yours", "[#] note", "[q] back"]
        if self._may_decide(found):
            names += [f"[{DECIDE}] a class decides" + " now" * is_final]
        return screen.packed(names)

    def _may_decide(self, found):
        return self._who is not None and found.state == "disputed"

    def _show(self, page):
        lists = [f"[{key}] {name}" for key, name in LISTS.items() if name != self._kind]
        title = f"{self._kind.capitalize()} rows: {page.n_rows}"
        title += f", found by {self._words}" if self._words else ""
        head = [*screen.lines_of(self._message), screen.rule_with(title)]
        foot = [*screen.packed(lists), *screen.packed(self._keys_of(page))]
        height = screen.screen_height() if self._source.is_live else HIGH
        is_high = height >= HIGH
        body = []
        for number, row in enumerate(page.rows, start=1):
            body += self._lines_of(number, row, is_high)
        body = body or screen.lines_of(self._why_empty(page))
        screen.print_lines([*head, *body, *foot])

    def _lines_of(self, number, row, is_high):
        width = screen.line_width()
        people = " ".join(
            f"{answer.who or ''}: {answer.label}" for answer in row.answers[:3]
        )
        label = row.label if row.state == "labelled" else row.state
        at = when(row.answers[-1].at)[:10] if row.answers else ""
        about = [f"{number}", f"row {row.id}", f"{label}"]
        if row.predicted is not None:
            about += [f"the model: {row.predicted}"]
        if self._who is not None:
            about += [people]
        text = " ".join(self._terminal.content(self._session.row(row.id)))
        text = " ".join(text.split())
        first = screen.cut(screen.GAP.join([*about, at]), width)
        if is_high:
            return [first, screen.cut(f"   {text}", width)]
        first = screen.cut(screen.GAP.join(about), width * 2 // 3)
        return [screen.cut(f"{first}{screen.GAP}{text}", width)]

    def _keys_of(self, page):
        names = ["[1-9] open"] if page.rows else []
        if page.n_rows > self._start + MOST:
            names += [f"[Space] {page.n_rows - self._start - MOST} more"]
        names += [f"[{SPELL}] search"]
        if self._kind == "skipped" and page.n_rows:
            names += [f"[{REOPEN}] show them again"]
        if self._kind == "doubtful" and not page.is_computing:
            names += [f"[{REFRESH}] find them again"]
        return [*names, f"[{QUIT}] back"]

    def _why_empty(self, page):
        if page.error:
            return page.error
        if page.is_computing:
            return "They are being looked for. Press o in a while."
        return "There are none."


def lines_about(found):
    """Return what was answered to a row and noted, a line each."""
    lines = [found.state.capitalize()] if found.state != "labelled" else []
    for answer in found.answers:
        what = "skipped" if answer.label is None else f"{answer.label}"
        reason = f" ({answer.reason})" if answer.reason else ""
        final = ", decided" if answer.is_final else ""
        who = f"{answer.who}: " if answer.who else ""
        lines.append(f"{who}{what}{reason}{final}, {when(answer.at)}")
    return lines + [f"Note{by(note.who)}: {note.text}" for note in found.notes]


def by(who):
    """Return whose something is, in words."""
    return f" of {who}" if who else ""


def local_midnight(day):
    """Return when a day begins here."""
    return datetime(day.year, day.month, day.day).astimezone()


def local_time(text):
    """Return a time of which the text says no other zone as one here."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        return text  # the session says what it is not


def when(at):
    """Return the time of an answer as it is here."""
    try:
        time = datetime.fromisoformat(at)
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        return f"{time.astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError):  # imported from a file of other hands
        return at[:16]


def search_of(words, keys):
    """Return what is looked for, as the session takes it; days are those here.

    Parameters
    ----------
    words : str
        Words of the text, and class:NAME, who:NAME, date:DAY, since:DAY, until:DAY;
        quotes around what has spaces.
    keys : ClassKeys
        Of the classes.

    Raises
    ------
    ValueError
        For a class that is not there, and what is no day.
    """
    try:
        parts = shlex.split(words)
    except ValueError:  # an apostrophe
        parts = words.split()
    text, search = [], {}
    for part in parts:
        field, colon, value = part.partition(":")
        if not colon or field not in FIELDS:
            text.append(part)
        elif field == "class":
            found = keys.find(value, is_whole=True)
            if not found.is_answer:
                raise ValueError(f"class: {value!r} is no class.")
            search["label"] = found.label
        elif field == "date":
            try:
                day = date.fromisoformat(value)
                search["since"] = local_midnight(day)
                search["until"] = local_midnight(day + timedelta(days=1))
            except (ValueError, OverflowError):
                raise ValueError(f"date: {value!r} is no day, as 2026-01-31.") from None
        elif field in ("since", "until"):
            search[field] = local_time(value)
        else:
            search[field] = value
    return {**search, "text": " ".join(text)}
