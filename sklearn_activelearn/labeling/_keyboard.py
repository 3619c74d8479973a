"""Where the answers of the terminal come from: single keys, or lines."""

import codecs
import os
import re
import select
import shutil
import signal
import sys
import threading
from contextlib import suppress

try:
    import termios
    import tty
except ImportError:  # Windows: answers end with Enter there
    termios = None

END = "\x04"  #: nothing more will come: Ctrl-D, the end of a file, a closed window
REDRAW = "\x0c"  #: the row has to be shown again: Ctrl-L, another width, after a stop
ENTER, BACKSPACE, ESCAPE = "\n", "\x7f", "\x1b"
PAGE_DOWN, PAGE_UP = "\x1b[6~", "\x1b[5~"

#: What terminals send for these.
SAME_KEYS = {
    "\r": ENTER,
    "\x08": BACKSPACE,
    "\x1b[B": PAGE_DOWN,
    "\x1bOB": PAGE_DOWN,
    "\x1b[A": PAGE_UP,
    "\x1bOA": PAGE_UP,
}
PASTE_BEGINS = "\x1b[200~"
#: What is not one letter: a paste, arrows and function keys, Alt with a key, Esc
#: before another sequence.
SEQUENCE = re.compile(
    r"\x1b\[200~(?P<paste>.*?)\x1b\[201~"
    r"|\x1b\[(?!200~)[0-?]*[ -/]*[@-~]"
    r"|\x1bO."
    r"|\x1b[^\[O\x1b]"
    r"|\x1b(?=\x1b)",
    re.DOTALL,
)
TICK = 0.2  # seconds between two checks of the width


def can_read_keys(stream):
    """Whether single keys can be read from a stream."""
    return termios is not None and stream.isatty()


class LineReader:
    """Answers from a file, a pipe or a list, one a line; an empty line is none."""

    by_key = False

    def __init__(self, lines):
        self._lines = iter(lines)
        self.is_live = hasattr(lines, "isatty") and lines.isatty()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def read(self):
        """Return the next answer, or END; a person's Enter alone turns the page."""
        lines = map(str.strip, self._lines)
        if self.is_live:
            return next(lines, END) or PAGE_DOWN
        return next(filter(None, lines), END)

    def read_text(self, show, text=""):
        """Return the next line, or None at the end."""
        line = next(self._lines, None)
        return None if line is None else line.strip()

    def forget(self):
        """Return no keys: lines do not come before their row by mistake."""
        return []


class Keyboard:
    """Single keys of a terminal; what is pasted there is no answer."""

    is_live = True  # somebody is there who can put a mistake right
    by_key = True

    def __init__(self, stream):
        self._fd = stream.fileno()
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._typed, self._pasted = "", ""
        self._size = shutil.get_terminal_size()
        self._was_stopped = False
        self._handlers = {}

    def __enter__(self):
        self._saved = termios.tcgetattr(self._fd)
        self._take_keys()
        if threading.current_thread() is threading.main_thread():
            for name, handler in (
                (signal.SIGTSTP, self._stop),
                (signal.SIGCONT, self._go_on),
            ):
                self._handlers[name] = signal.signal(name, handler)
        return self

    def __exit__(self, *_):
        for name, handler in self._handlers.items():
            signal.signal(name, handler)
        self._give_back()

    def read(self):
        """Wait for a key; return it, or END or REDRAW."""
        while (key := self._read_key()) == PASTE_BEGINS:
            pass
        return key

    def _read_key(self):
        while True:
            if self._was_stopped:
                self._was_stopped = False
                return REDRAW
            if key := self._next_key():
                return key
            if self._wait(TICK):
                if not self._receive():
                    return END
            elif self._size != (size := shutil.get_terminal_size()):
                self._size = size
                return REDRAW
            elif self._typed == ESCAPE:
                self._typed = ""
                return ESCAPE
            elif not self._typed.startswith(PASTE_BEGINS):
                self._typed = ""  # a sequence without an end

    def read_text(self, show, text=""):
        """Return a line that may be edited and pasted, or None after Esc or the end.

        Parameters
        ----------
        show : callable
            Called with the text as it changes.
        text : str, default=""
            What is there to begin with.
        """
        while True:
            show(text)
            key = self._read_key()
            if key in (ESCAPE, END):
                return None
            if key == ENTER:
                return text.strip()
            if key == BACKSPACE:
                text = text[:-1]
            elif key == PASTE_BEGINS:
                text += self._pasted
            elif len(key) == 1 and key.isprintable():
                text += key

    def forget(self):
        """Take the keys pressed until now: they were for no row that was shown."""
        while self._wait(0) and self._receive():
            pass
        return list(iter(self._next_key, ""))

    def _next_key(self):
        """Take the first key of what was typed, or nothing if there is none."""
        while match := SEQUENCE.match(self._typed):
            self._typed = self._typed[match.end() :]
            key = SAME_KEYS.get(match[0], match[0])
            if key in (PAGE_DOWN, PAGE_UP):
                return key
            if match["paste"] is not None:
                self._pasted = " ".join(match["paste"].split())
                return PASTE_BEGINS
        if self._typed.startswith("\x1b"):  # the rest is on its way
            return ""
        key, self._typed = self._typed[:1], self._typed[1:]
        return SAME_KEYS.get(key, key)

    def _receive(self):
        try:
            data = os.read(self._fd, 4096)
        except OSError:  # the window was closed
            data = b""
        self._typed += self._decode(data)
        return bool(data)

    def _wait(self, seconds):
        return bool(select.select([self._fd], [], [], seconds)[0])

    def _take_keys(self):
        tty.setcbreak(self._fd)
        self._send("\x1b[?2004h")  # the terminal marks what is pasted

    def _give_back(self):
        self._send("\x1b[?2004l")
        termios.tcsetattr(self._fd, termios.TCSADRAIN, self._saved)

    def _stop(self, *_):
        """Give the terminal back, and stop as any program does on Ctrl-Z."""
        self._give_back()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._stop)
        self._go_on()

    def _go_on(self, *_):
        """Take the terminal again: the shell has used it meanwhile."""
        self._was_stopped = True
        with suppress(termios.error):  # in the background: it stops once more
            self._take_keys()

    def _send(self, sequence):
        with suppress(RuntimeError):  # a signal came while something was printed
            sys.stdout.write(sequence)
            sys.stdout.flush()
