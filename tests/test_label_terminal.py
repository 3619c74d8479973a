"""The command ``label`` in a terminal: answers by lines, and a pseudo-terminal."""

import csv
import io
import os
import re
import select
import shutil
import signal
import sqlite3
import struct
import sys
import time
from contextlib import closing
from types import SimpleNamespace

import pytest

from sklearn_activelearn.__main__ import main
from sklearn_activelearn.labeling.front_ends._view import describe_ending
from tests.reference.labeling import quick_folder

pytest.importorskip("prompt_toolkit", reason="prompt_toolkit is not installed")

WORDS = {"good": "great lovely superb fine warm", "bad": "awful dull weak broken bland"}
COMMAND = "label reviews.csv --text review --classes good,bad --out labels.sqlite"


@pytest.fixture
def tmp_path(monkeypatch):
    """A folder in memory with sixty short texts; commands run in it."""
    with quick_folder() as folder:
        with (folder / "reviews.csv").open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["key", "review"])
            for i in range(60):
                word = WORDS[["good", "bad"][i * 7 % 5 % 2]].split()[i % 5]
                table.writerow([f"r{i}", f"a {word} film number {i}"])
        monkeypatch.chdir(folder)
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        yield folder


@pytest.fixture
def label(tmp_path, monkeypatch, capsys):
    """Run the command with lines as answers; return its output."""

    def run(*argv, answers="", code=0):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
        assert main([*COMMAND.split(), *argv]) == code
        out, run.err = capsys.readouterr()
        return out

    return run


def stored_labels():
    """Return the labels in the order in which they were given."""
    with closing(sqlite3.connect("file:labels.sqlite?mode=ro", uri=True)) as db:
        return [row[0] for row in db.execute(LABELS)]


LABELS = "SELECT label FROM labels"


class TestLines:
    def test_answers_skip_undo_and_help(self, label):
        out = label(answers="good\n2\ng\nquit?\n", code=2)
        assert "'quit?' is not an answer" in label.err
        assert "Labels in labels.sqlite: 3." in out
        out = label(answers="s\nu\n\nbad\n?\nq\ngood\n")
        assert "3 labelled" in out
        assert "undo your last answer" in out
        assert "Labels in labels.sqlite: 4." in out
        assert stored_labels() == ["good", "bad", "good", "bad"]

    def test_custom_keys_a_title_and_a_guide(self, label, tmp_path):
        (tmp_path / "guide.md").write_text("# Good\n\nWorth seeing.\n")
        options = ["--keys", "good=y,bad=g", "--title", "Films", "--guide", "guide.md"]
        out = label(*options, answers="y\ng\nY\n!\n")
        assert "\n── Films ──" in out
        assert "[y/1] good  [g/2/b] bad" in out
        assert "Worth seeing." in out
        assert stored_labels() == ["good", "bad", "good"]

    def test_the_budget_ends_it_and_more_goes_on(self, label):
        out = label("--budget", "3", answers="good\n" * 9)
        assert "3 left" in out
        assert "The budget is spent. To label more, raise it: --budget." in out
        assert "Labels in labels.sqlite: 3." in out
        out = label("--budget", "5", answers="2\n" * 9)
        assert "Labels in labels.sqlite: 5." in out


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("RecallTarget", "You can stop: the recall is certain."),
        ("ErrorTarget", "You can stop: the share of wrong labels is certain."),
        ("StablePredictions", "You can stop: stable predictions."),
        ("no rows", "All rows are labelled or skipped."),
        ("disputed", "Only rows on which people disagree are left: 3. Somebody"),
    ],
)
def test_why_there_is_no_row_is_said_in_words(reason, said):
    status = SimpleNamespace(stop_reason=reason, disputed=3)
    assert describe_ending(status).startswith(said)


LABELS_COMMAND = COMMAND.replace("--classes", "--find good --labels")


@pytest.mark.usefixtures("tmp_path")
def test_lines_of_several_labels(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("good\n2, good\n-\ngood, x\n"))
    assert main(LABELS_COMMAND.split()) == 2
    out, err = capsys.readouterr()
    assert "'good, x' is not an answer. Type one or more, with commas, or - if" in err
    assert "Row 3: no label applies" in re.sub(r"Row \d+: no", "Row 3: no", out)
    assert "3 labelled (good: 2, bad: 1, no label applies: 1)" in out
    assert stored_labels() == ['["good"]', '["bad", "good"]', "[]"]


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
        ("spam,ham", "Type /s to skip: a class begins with the key."),
        ("square,circle", "Type /s to skip: a class begins with the key."),
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
def test_commands_with_a_prefix():
    child = start(COMMAND.replace("good,bad", "spam,quite,unclear"))
    child.wait_for_screen("[/s]kip  [/u]ndo  [/q]uit")
    child.press("spam\r")
    child.wait_for_labels(["spam"])
    child.wait_for_screen("(spam: 1)")
    child.press("/s")
    child.wait_for_screen("1 skipped")
    child.press("/u")
    child.wait_for_screen("answer undone")
    child.press("/")
    time.sleep(0.3)
    child.press("S")
    child.wait_for_screen("Why do you skip the row?")
    child.press("too short\r")
    child.wait_for_screen("skipped, too short")
    child.press("/q")
    child.wait_for("Labels in labels.sqlite: 1.")
    assert child.end() == 0


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
