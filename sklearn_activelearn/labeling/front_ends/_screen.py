"""A screen of the terminal: pages that fit into it, and the keys that are pressed."""

import re
from asyncio import wrap_future
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from textwrap import wrap
from threading import Event
from time import monotonic
from typing import NamedTuple

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_cwidth

from ._keys import BACKSPACE, ENTER, ESCAPE, HELP, LINE_SECONDS

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
#: Styles of lines; parts in brackets of a line of keys are keys.
MESSAGE, TITLE, HINT, KEYS, KEY = (
    f"class:{name}" for name in ("message", "title", "hint", "keys", "key")
)
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


class Text:
    """A text that is shown page by page.

    Parameters
    ----------
    paragraphs : list of str
        Paragraphs of the text.
    indent : str, default=""
        Begins each line of a paragraph but the first.
    """

    def __init__(self, paragraphs, indent=""):
        self._paragraphs, self._indent = paragraphs, indent
        self._width, self._lines = None, []
        self._start = self._size = 0

    def replace(self, other):
        """Take the paragraphs of another text."""
        self._paragraphs, self._width = other._paragraphs, None

    def lines(self, width, height=None):
        """Return the lines of the present page, at most `height`."""
        if width != self._width:
            self._width, self._start = width, 0
            self._lines = [
                line
                for text in self._paragraphs
                for line in wrap_text(text, width, self._indent)
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

    def turn(self, key):
        """Go to the next page, or to the previous one if the key is PAGE_UP."""
        size = -self._size if key == PAGE_UP else self._size
        start = max(0, self._start + size)
        if start < len(self._lines):
            self._start = start


class Page(NamedTuple):
    """Contents of the screen, from top to bottom."""

    title: str
    text: Text
    message: str = ""  # what has just been done, or what is wrong; above the title
    counts: str = ""
    note: str = ""  # below the text
    classes: list = []
    tags: list = []
    commands: list = []
    typed: str = ""
    hint: str = ""  # behind what is typed

    def lines(self, width, height=None):
        """Return the lines as pairs of a style and a text.

        With a `height`, a long text shows one page, and some classes are left out. The
        classes get at least a third of the lines that both share. Empty lines are left
        out if the text would get fewer than two lines.
        """
        above = [(MESSAGE, line) for line in wrap_text(self.message, width)]
        above += [(TITLE, rule(self.title, width))]
        above += [("", line) for line in wrap_text(self.counts, width)]
        note = [("", line) for line in wrap_text(self.note, width)]
        commands = pack(self.commands, width, 1, f"[{HELP}]")
        classes, n_text, gap = pack(self.classes, width), None, [("", "")]
        tags = pack(self.tags, width, None if height is None else 2)
        if height is not None:
            n_free = height - len(above) - len(note) - len(tags) - len(commands)
            gap *= n_free >= 5  # with both empty lines: a class, and two lines of text
            n_free -= 2 * len(gap)
            n_classes = max(1, n_free // 3, n_free - len(self.text.lines(width)))
            classes = pack(self.classes, width, n_classes, MORE_CLASSES)
            n_text = max(1, n_free - len(classes))
        text = [("", line) for line in self.text.lines(width, n_text)]
        keys = [(KEYS, line) for line in [*classes, *tags, *commands]]
        return [*above, *gap, *text, *gap, *note, *keys]


def wrap_text(text, width, indent=""):
    """Return a text in lines of at most `width` columns, without control characters."""
    found = []
    for line in CONTROL.sub("", text).expandtabs().splitlines():
        # a wide letter counts as two; a word cut before the filler is a column longer
        wide = "".join(f"{c}{FILLER}" if get_cwidth(c) > 1 else c for c in line)
        lines = wrap(wide, width - (wide != line), subsequent_indent=indent) or [""]
        found += [each.replace(FILLER, "") for each in lines]
    return found


def cut(text, width):
    """Return the beginning of a text that fits into one line."""
    text = CONTROL.sub("", text).expandtabs().replace("\n", " ")
    if get_cwidth(text) <= width:
        return text
    text = text[: width - 1]
    while get_cwidth(text) > width - 1:
        text = text[:-1]
    return f"{text}…"


def pack(items, width, n_lines=None, rest="… and {} more"):
    """Arrange items in lines, and say how many were left out."""
    lines, items = [], [cut(item, width) for item in items]
    for i, item in enumerate(items):
        line = GAP.join([*lines[-1:], item])
        if lines and get_cwidth(line) <= width:
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


class Screen:
    """A full screen of prompt_toolkit, on which a conversation shows pages.

    The conversation runs in a separate thread: it shows a page and waits for a key.
    """

    def __init__(self):
        # the conversation can show another page while one is drawn
        self._page = self._drawing = Page("", Text([]))
        self._keys, self._drawn, self._is_over = SimpleQueue(), Event(), False
        self._unseen, self._ahead = [], []
        self._prompt = ""
        self._answer = Buffer(multiline=False, accept_handler=self._accept)
        self._is_asking = Condition(lambda: bool(self._prompt))
        self._question = Window(
            BufferControl(self._answer, [BeforeInput(lambda: self._prompt)]), height=1
        )
        self._shown = Window(
            FormattedTextControl(self._fragments, focusable=True),
            dont_extend_height=True,
        )
        question = ConditionalContainer(self._question, self._is_asking)
        self._app = Application(
            Layout(HSplit([self._shown, question, Window()]), self._shown),
            style=STYLE, key_bindings=self._bindings(), full_screen=True,
            after_render=self._end_drawing,
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
                self._put(END)
            conversation.result()

    def size(self):
        """Return the number of rows and columns of the terminal."""
        return self._app.output.get_size()

    def show(self, page):
        """Draw a page as soon as possible."""
        self._page = page
        self.redraw()

    def redraw(self):
        """Draw the page again, whose text has changed."""
        self._app.invalidate()

    def show_new(self, page):
        """Draw a page, and return the keys that were pressed before it was drawn."""
        self._drawn.clear()
        self.show(page)
        while not self._drawn.wait(0.1) and not self._is_over:
            pass
        unseen, self._unseen = self._unseen, []
        return unseen

    def _put(self, key):
        self._keys.put((monotonic(), key))

    def _take(self, until=None):
        """Return a key and its time; None if nothing is pressed `until` then."""
        if not self._ahead:
            wait = None if until is None else max(0, until - monotonic())
            try:
                self._ahead.append(self._keys.get(timeout=wait))
            except Empty:
                return None
        if until is not None and self._ahead[0][0] > until:
            return None
        return self._ahead.pop()

    def read(self):
        """Return the next key, or END."""
        _, key = self._take()
        if key == END:
            self._put(END)  # for whoever reads after this
        return key

    def read_word(self):
        """Return the next key, or else letters that follow each other at once.

        Returns
        -------
        key : str
            A key that is no letter, or END; empty if letters were typed.
        word : str
            Letters with at most `LINE_SECONDS` between them.
        is_ended : bool
            True if Enter followed as quickly.
        """
        at, key = self._take()
        if len(key) > 1:
            self._ahead.append((at, key))
            return self.read(), "", False
        word = key
        while (found := self._take(at + LINE_SECONDS)) is not None:
            at, key = found
            if len(key) > 1:
                if key == ENTER:
                    return "", word, True
                self._ahead.append(found)
                break
            word += key
        return "", word, False

    def ask(self, prompt, text=""):
        """Return a line that the person edits, None if they cancel with Esc."""
        self._answer.text, self._answer.cursor_position = text, len(text)
        self._prompt = prompt
        self._app.layout.focus(self._question)
        self._app.invalidate()
        answer = self.read()
        self._prompt = ""
        self._app.layout.focus(self._shown)
        return answer[1] if isinstance(answer, tuple) else None

    def _fragments(self):
        """Return the page to draw, and what is typed unless a question is asked."""
        self._drawing = page = self._page
        size = self.size()
        width = min(WIDEST, size.columns)
        fragments = []
        for style, line in page.lines(width, size.rows - 1):
            parts = re.split(r"(\[[^] ]+\])", line) if style == KEYS else [line]
            styles = [style, KEY] * len(parts)
            fragments += [*zip(styles, parts, strict=False), ("", "\n")]
        if self._prompt:
            return fragments[:-1]
        return [
            *fragments,
            ("", f"> {CONTROL.sub('', page.typed)}"),
            ("[SetCursorPosition]", ""),
            (HINT, f"{GAP}{cut(page.hint, width // 2)}"),
        ]

    def _bindings(self):
        bindings, has_text = KeyBindings(), Condition(lambda: bool(self._answer.text))

        @bindings.add(Keys.Any, filter=~self._is_asking)
        def press(event):
            key = event.key_sequence[0].key
            if not isinstance(key, Keys) or key in KEY_NAMES:
                self._put(KEY_NAMES.get(key, key))

        @bindings.add("escape", Keys.Any, filter=~self._is_asking)
        def ignore(event):
            """Ignore a letter that is pressed together with Alt."""

        @bindings.add("escape", filter=self._is_asking, eager=True)
        @bindings.add("c-d", filter=self._is_asking & ~has_text)
        def cancel(event):
            self._put(KEY_NAMES[event.key_sequence[0].key])

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
        self._put(("answer", buffer.text.strip()))
        return True  # the text stays until the next question

    def _end_drawing(self, _):
        if self._drawing is self._page and not self._drawn.is_set():
            while (self._ahead or not self._keys.empty()) and (
                key := self.read()
            ) != END:
                self._unseen.append(key)
            self._drawn.set()
