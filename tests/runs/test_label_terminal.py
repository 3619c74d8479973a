"""The command ``label`` in a pseudo-terminal, with keys that a person presses."""

import os
import re
import select
import shutil
import signal
import struct
import sys
import time

import pytest

from tests.test_label_lines import (
    COMMAND,
    LABELS_COMMAND,
    stored_labels,
    tmp_path,  # noqa: F401
)

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")
fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")

#: Runs the command, and fails if it imports packages of the page or of images.
PROGRAM = """
import sys
from sklearn_activelearn.__main__ import main
code = main(sys.argv[1:])
assert not {"starlette", "uvicorn", "PIL"} & set(sys.modules)
sys.exit(code)
"""
#: What moves the cursor, sets colours or switches modes.
SEQUENCE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|[=>()].?)")


class Child:
    """A program at the other end of a pseudo-terminal of 80 × 24."""

    def __init__(self, *argv):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ |= {"TERM": "xterm", "PS1": "ready$ "}
            os.execvp(argv[0], argv)
        self.set_width(80)

    def set_width(self, columns):
        """Tell the program that the window has changed: it draws everything again."""
        size = struct.pack("HHHH", 24, columns, 0, 0)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)

    def wait_for(self, text, seconds=60):
        """Read until a text is shown; return everything up to there."""
        end, seen = time.monotonic() + seconds, ""
        while text not in SEQUENCE.sub("", seen):
            assert time.monotonic() < end, seen
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    seen += os.read(self.fd, 65536).decode(errors="replace")
                except OSError:  # it has ended
                    assert text in SEQUENCE.sub("", seen), seen
        return SEQUENCE.sub("", seen)

    def wait_for_screen(self, text, seconds=60):
        """Let the program draw everything again until a text is on the screen."""
        end, columns = time.monotonic() + seconds, 80
        while True:
            columns = 159 - columns
            self.set_width(columns)
            try:
                return self.wait_for(text, seconds=1)
            except AssertionError:
                assert time.monotonic() < end

    def wait_for_labels(self, labels, seconds=60):
        """Press nothing until these labels are in the file."""
        end = time.monotonic() + seconds
        while stored_labels() != labels:
            assert time.monotonic() < end, stored_labels()
            time.sleep(0.05)

    def row(self):
        """Return the text of the row on the screen."""
        for columns in (79, 80):
            self.set_width(columns)
            shown = self.wait_for("help")
        return re.search(r"a \w+ film number \d+", shown)[0]

    def press(self, keys):
        os.write(self.fd, keys.encode())

    def end(self):
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def start(command=COMMAND):
    child = Child(sys.executable, "-c", PROGRAM, *command.split())
    child.wait_for("help")
    return child


@pytest.mark.usefixtures("ctrl_c", "tmp_path")
def test_a_person_at_a_terminal_through_a_kill_and_ctrl_c():
    """Keys are typed, then SIGKILL; the same command goes on with the same row."""
    child = start()
    child.press("x")
    child.wait_for("x: no class")
    labels = []
    for label in ("good", "bad", "bad"):
        child.press(label[0])
        labels.append(label)
        child.wait_for_labels(labels)
        row = child.row()
    os.kill(child.pid, signal.SIGKILL)
    assert child.end() == -signal.SIGKILL

    child = start()
    assert child.row() == row
    child.press("u")
    child.wait_for_labels(["good", "bad"])
    child.row()
    child.press("\x03")
    child.wait_for("Labels in labels.sqlite: 2.")
    assert child.end() == 130


@pytest.mark.usefixtures("tmp_path")
def test_a_key_chooses_a_label_and_enter_sends_them():
    child = start(LABELS_COMMAND)
    child.press("g")
    child.wait_for_screen("Enter: good")
    child.press("b")
    child.wait_for_screen("Enter: good, bad")
    child.press("g")  # taken back
    child.wait_for_screen("Enter: bad")
    assert stored_labels() == []
    child.press("\r")
    child.wait_for_labels(['["bad"]'])
    child.wait_for_screen("1 labelled (bad: 1)")
    child.press("\r")
    child.wait_for_screen("Enter again: no label applies")
    assert stored_labels() == ['["bad"]']
    child.press("\r")
    child.wait_for_labels(['["bad"]', "[]"])
    child.wait_for_screen("2 labelled (bad: 1, no label applies: 1)")
    child.press("*")
    child.wait_for_screen("Labelled rows: 2")
    child.press("2")
    child.wait_for_screen("bad ✓")  # what it has is chosen
    child.press("g\r")
    child.wait_for_labels(["[]", '["bad", "good"]'])
    child.wait_for_screen("Labelled rows: 2")
    child.press("q")
    child.wait_for_screen("2 labelled (good: 1, bad: 1, no label applies: 1)")
    child.press("q")
    child.wait_for("Labels in labels.sqlite: 2.")
    assert child.end() == 0


@pytest.mark.usefixtures("tmp_path")
@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ("unclear,quite", "Type /u to undo, /q to quit: a class begins with the key."),
        ("skip,undo", "Type /s to skip, /u to undo: a class begins with the key."),
    ],
)
def test_classes_that_begin_with_commands_are_typed_as_whole_words(classes, said):
    """By a script: at once, with and without Enter, and letter by letter."""
    child = Child(sys.executable, "-c", PROGRAM,
                  *COMMAND.replace("good,bad", classes).split())  # fmt: skip
    child.wait_for(said)  # on the first screen
    child.row()
    given = []
    for gap, end in ((0, "\r"), (0, ""), (0.1, "\r"), (0.25, "")):
        for name in classes.split(","):
            for keys in [name] if gap == 0 else name:
                child.press(keys)
                time.sleep(gap)
            child.press(end)
            given.append(name)
            child.wait_for_labels(given)
            child.row()
    child.press("quit?")  # at once, and no class
    child.wait_for_screen("quit?: no class")
    child.press("\x03")
    child.wait_for("Labels in labels.sqlite: 8.")
    assert child.end() == 130
    assert stored_labels() == given


@pytest.mark.usefixtures("tmp_path")
def test_a_window_is_closed():
    child = start()
    child.press("g")
    child.wait_for_labels(["good"])
    os.close(child.fd)
    os.waitpid(child.pid, 0)
    assert stored_labels() == ["good"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no shell here")
@pytest.mark.usefixtures("tmp_path")
def test_ctrl_z_and_fg():
    """In a shell, to which the terminal belongs until its prompt is back."""

    def reads_lines():
        return bool(termios.tcgetattr(shell.fd)[3] & termios.ICANON)

    shell = Child("bash", "--norc", "--noprofile", "--noediting", "-i")
    shell.wait_for("ready$ ")
    shell.press(f"{sys.executable} -m sklearn_activelearn {COMMAND}\n")
    shell.wait_for("help")
    assert not reads_lines()
    shell.press("g")
    shell.wait_for_labels(["good"])
    shell.row()
    shell.press("\x1a")
    shell.wait_for("ready$ ")
    assert reads_lines()
    shell.press("fg\n")
    shell.wait_for("1 labelled")
    assert not reads_lines()
    shell.row()
    shell.press("b")
    shell.wait_for_labels(["good", "bad"])
    shell.row()
    shell.press("q")
    shell.wait_for("Labels in labels.sqlite: 2.")
    assert reads_lines()
    shell.press("exit\n")
    os.waitpid(shell.pid, 0)
    os.close(shell.fd)
