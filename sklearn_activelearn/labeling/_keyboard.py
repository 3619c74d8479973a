"""Where the answers of the terminal come from: single keys, or lines."""

import codecs
import os
import re
import select
import shutil
import sys

try:
    import termios
    import tty
except ImportError:  # Windows: answers end with Enter there
    termios = None

END = "\x04"  #: nothing more will come: Ctrl-D, the end of a file, a closed window
REDRAW = "\x0c"  #: the row has to be shown again: Ctrl-L, another width

PASTE_BEGINS = "\x1b[200~"
#: What a terminal sends and nobody typed as an answer: all of a paste, arrows and
#: function keys, Alt with a key, Esc before another sequence.
IGNORED = re.compile(
    r"\x1b\[200~.*?\x1b\[201~"
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

    def __init__(self, lines):
        self._lines = iter(lines)
        self.is_live = hasattr(lines, "isatty") and lines.isatty()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def read(self):
        """Return the next answer, or END."""
        return next(filter(None, map(str.strip, self._lines)), END)

    def forget(self):
        """Do nothing: lines do not come before their row by mistake."""


class Keyboard:
    """Single keys of a terminal; what is pasted there is no answer."""

    is_live = True  # somebody is there who can put a mistake right

    def __init__(self, stream):
        self._fd = stream.fileno()
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._typed = ""
        self._size = shutil.get_terminal_size()

    def __enter__(self):
        self._saved = termios.tcgetattr(self._fd)
        tty.setcbreak(self._fd)
        self._say("\x1b[?2004h")  # the terminal marks what is pasted
        return self

    def __exit__(self, *_):
        self._say("\x1b[?2004l")
        termios.tcsetattr(self._fd, termios.TCSADRAIN, self._saved)

    def read(self):
        """Wait for a key; return it, or END or REDRAW."""
        while True:
            if key := self._next_key():
                return key.lower()
            if self._wait(TICK):
                if not self._receive():
                    return END
            elif self._size != (size := shutil.get_terminal_size()):
                self._size = size
                return REDRAW
            elif not self._typed.startswith(PASTE_BEGINS):
                self._typed = ""  # the key Esc

    def forget(self):
        """Drop the keys pressed until now: they were for no row that was shown."""
        while self._wait(0) and self._receive():
            pass
        while self._next_key():
            pass

    def _next_key(self):
        """Take the first key of what was typed, or nothing if there is none."""
        while match := IGNORED.match(self._typed):
            self._typed = self._typed[match.end() :]
        if self._typed.startswith("\x1b"):  # the rest is on its way
            return ""
        key, self._typed = self._typed[:1], self._typed[1:]
        return key

    def _receive(self):
        try:
            data = os.read(self._fd, 4096)
        except OSError:  # the window was closed
            data = b""
        self._typed += self._decode(data)
        return bool(data)

    def _wait(self, seconds):
        return bool(select.select([self._fd], [], [], seconds)[0])

    def _say(self, sequence):
        sys.stdout.write(sequence)
        sys.stdout.flush()
