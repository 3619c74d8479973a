"""The list of rows in a terminal, the guide and notes, and what a screen shows."""

import contextlib
import os
import re
import select
import shutil
import sys
import time
from datetime import datetime

import numpy as np
import pytest

from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.labeling._keyboard import END, LineReader
from sklearn_activelearn.labeling._keys import ClassKeys
from sklearn_activelearn.labeling._terminal import Terminal, check_answers
from sklearn_activelearn.labeling._terminal_rows import search_of, when
from sklearn_activelearn.labeling._view import LabelingView

CLASSES = ["good", "bad", "so-so"]
#: What a terminal obeys, of which no text of a row may have any.
SEQUENCE = re.compile(r"\x1b\[(\d*)([A-Za-z])|\x1b\[\?2004[hl]")


class Keys:
    """Keys that are pressed, as a terminal would give them."""

    is_live = by_key = True

    def __init__(self, *keys, before=lambda: None):
        self._before = before
        self.keys = [
            key for each in keys for key in (each if len(each) > 1 else [each])
        ]

    def read(self):
        self._before()
        return self.keys.pop(0) if self.keys else END

    def read_text(self, show, text=""):
        show(text)
        self._before()
        return self.keys.pop(0) if self.keys else None

    def forget(self):
        return []


@pytest.fixture
def in_auckland(monkeypatch):
    """Let the time be that of a place east of all others: 13 hours before UTC."""
    monkeypatch.setenv("TZ", "NZST-12NZDT,M9.5.0,M4.1.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def opened(folder, monkeypatch):
    """Open a session of twenty texts in a terminal with so many columns and lines."""
    with contextlib.ExitStack() as stack:

        def run(*keys, classes=CLASSES, who=None, size=(80, 24), texts=None, **options):
            monkeypatch.setenv("COLUMNS", f"{size[0]}")
            monkeypatch.setenv("LINES", f"{size[1]}")
            rng = np.random.RandomState(0)
            texts = texts or [f"text {i} of words" for i in range(20)]
            settings = {"votes": options.pop("votes", 1)}
            session = LabelingSession(
                UncertaintySamplingClassifier(random_state=0, batch_size=5),
                rng.randn(20, 2), folder / "a.sqlite", items=texts,
                ids=[f"r{i}" for i in range(20)], classes=classes, ahead=1, **settings,
            )  # fmt: skip
            stack.enter_context(session)
            view = LabelingView(session, "text", **options)
            source = LineReader(keys) if isinstance(keys[0], str) else keys[0]
            Terminal(view, who, source).run()
            return session

        yield run


def labels_of(session):
    return [row.label for row in session.review("labelled").rows]


class TestCorrections:
    def test_a_name_is_typed_to_its_end(self, opened):
        session = opened(Keys("g", "*", "1", "bad", "1", "g", "q", "q"))
        assert labels_of(session) == ["good"]

    def test_so_is_a_name_of_several_words(self, opened):
        """Space turns pages and S asks for a reason, but not within a name."""
        classes = ["general praise", "Customer Service", "privacy", "fraud"]
        names = ["general praise", "Customer Service", "fraud"]
        session = opened(Keys(*names, "*", "1", *names[:1], "q", "q"), classes=classes)
        assert sorted(labels_of(session)) == [
            "Customer Service", "general praise", "general praise",
        ]  # fmt: skip
        assert session.status().skipped == 0

    def test_only_disputes_are_decided(self, opened):
        session = opened(Keys("g", "*", "1", "=", "b", "q", "q"), who="ann")
        assert labels_of(session) == ["bad"]
        assert not session.review().rows[0].answers[-1].is_final


class TestLines:
    def test_a_row_is_opened_and_corrected(self, opened, capsys):
        session = opened("good", "good", "s", "*", "2", "bad", "q", "so-so")
        out = capsys.readouterr().out
        assert "── Labelled rows: 2 ─" in out
        assert re.search(r"Row r\d+: bad\n── Labelled rows: 2", out)
        assert sorted(labels_of(session)) == ["bad", "good", "so-so"]

    def test_skipped_rows_are_shown_again(self, opened, capsys):
        session = opened("s too dark", "s", "*", "s", "r", "y", "q", "good", "bad")
        out = capsys.readouterr().out
        assert "2 rows come first again." in out
        assert session.status().skipped == 0
        assert session.status().answered == 2
        assert len(session.review("skipped").rows) == 0

    def test_skipped_rows_that_were_found_are_shown_again(self, opened, capsys):
        session = opened(*["s"] * 18, "*", "s", "/1", "r", "y", "q")
        out = capsys.readouterr().out
        n_found = int(re.search(r"Skipped rows: (\d+), found by 1", out)[1])
        assert 9 <= n_found < 18
        assert f"{n_found} rows come first again." in out
        assert session.status().skipped == 18 - n_found

    def test_skips_that_are_left(self, opened):
        session = opened("s too dark", "*", "s", "r", "n", "q", "good")
        (row,) = session.review("skipped").rows
        assert row.answers[0].reason == "too dark"

    def test_a_search(self, opened, capsys):
        opened(*["good"] * 3, "bad", "*", "/class:ba", "/text class:bad", "/nowhere",
               "/", "class:'so-so'", "q")  # fmt: skip
        out = capsys.readouterr().out
        counts = re.findall(r"Labelled rows: (\d+)(?:, found by (.*?) ─)?", out)
        assert counts[:4] == [("4", ""), ("1", "class:ba"), ("1", "text class:bad"),
                              ("0", "nowhere")]  # fmt: skip
        assert counts[4] == ("0", "class:'so-so'")

    def test_what_is_searched(self, in_auckland):
        keys = ClassKeys(CLASSES)
        found = search_of("dull who:ann class:go since:2026-01-31 a:b don't", keys)
        assert found == {
            "text": "dull a:b don't", "who": "ann", "label": "good",
            "since": datetime.fromisoformat("2026-01-31T00:00+13:00"),
        }  # fmt: skip
        day = search_of("date:2026-01-31", keys)
        assert [f"{day[name]}" for name in ("since", "until")] == [
            "2026-01-31 00:00:00+13:00", "2026-02-01 00:00:00+13:00",
        ]  # fmt: skip
        winter = search_of("since:2026-07-01 until:2026-07-01T12:00Z", keys)
        assert [f"{winter[name]}" for name in ("since", "until")] == [
            "2026-07-01 00:00:00+12:00", "2026-07-02 00:00:00+12:00",
        ]  # fmt: skip
        assert search_of("until:soon", keys)["until"] == "soon"
        for words, why in (
            ("class:x", "'x' is no class"),
            ("date:soon", "is no day"),
            ("date:9999-12-31", "is no day"),
        ):
            with pytest.raises(ValueError, match=why):
                search_of(words, keys)

    def test_times_are_those_here(self, in_auckland):
        assert when("2026-01-31T12:34:56.000001+00:00") == "2026-02-01 01:34"
        assert when("2026-01-31T12:34:56") == "2026-02-01 01:34"
        assert when("last summer") == "last summer"

    def test_doubtful_rows_come_when_they_are_found(self, opened, capsys):
        session = opened(*["good", "bad"] * 6, "*", "o", "q")
        assert "Doubtful rows: " in capsys.readouterr().out
        session._doubts.wait()

    def test_notes_and_the_guide(self, opened, capsys):
        session = opened("# first", "#", "second", "!", "good", "*", "n", "1", "q", "q",
                         guide="# Which is which\n\nGood is good.")  # fmt: skip
        out = capsys.readouterr().out
        assert "Good is good." in out
        assert "Note: second" in out
        (row,) = session.review("noted").rows
        assert [note.text for note in row.notes] == ["second"]

    def test_without_a_guide(self, opened, capsys):
        opened("!", "q")
        assert "There is no guide: --guide FILE.md." in capsys.readouterr().out

    def test_the_end_of_the_lines_ends_it_in_the_list_too(self, opened):
        assert opened("good", "*", "1").status().answered == 1

    def test_a_wrong_line_in_the_list_is_an_error(self, opened):
        with pytest.raises(ValueError, match="'x' is no key of this list"):
            opened("good", "*", "x")

    def test_disputed_rows_are_decided(self, opened, capsys):
        opened(*["good"] * 5, "q", who="ann", votes=2).close()
        session = opened(*["bad"] * 3, "?", "*", "d", "1", "=", "so-so", "q", who="bob",
                         votes=2)  # fmt: skip
        out = capsys.readouterr().out
        assert "Disputed rows: 3" in out
        assert "ann: good" in out
        assert "[=] a class decides now" in out
        assert "2 people agree on 0% of 3 rows (Cohen's kappa 0.00)." in out
        assert session.status().disputed == 2
        (row,) = session.review("labelled", label="so-so").rows
        assert row.answers[-1].is_final

    def test_an_answer_in_the_list_is_taken_back(self, opened, capsys):
        session = opened("good", "bad", "*", "2", "u", "q", "q")
        assert ": taken back\n── Labelled rows: 1" in capsys.readouterr().out
        assert labels_of(session) == ["bad"]

    def test_a_file_of_answers_has_no_conversation(self):
        check_answers(["good", "s", "s dark", "# a note", "1", "?"], ClassKeys(CLASSES))
        for line in "*", "#":
            with pytest.raises(ValueError, match="is for people"):
                check_answers([line], ClassKeys(CLASSES))


MANY = [f"{kind} {i:03}" for kind in ("animal", "plant", "spam", "upper", "quartz")
        for i in range(100)]  # fmt: skip
TWELVE = [
    "privacy", "pricing", "delivery", "refund", "quality", "support", "shipping",
    "usability", "bug", "praise", "other", "spam",
]  # fmt: skip


class Glass:
    """What a terminal shows of what is printed."""

    def __init__(self, columns, lines):
        self.columns, self.lines = columns, lines
        self.rows, self.row, self.column = [[]], 0, 0
        self.n_scrolled = 0

    def feed(self, text):
        while text:
            if match := SEQUENCE.match(text):
                self.obey(match[2], int(match[1] or 1))
                text = text[match.end() :]
                continue
            letter, text = text[0], text[1:]
            assert letter.isprintable() or letter in "\n\r", letter
            if letter == "\r":
                self.column = 0
            elif letter == "\n":
                self.row, self.column = self.row + 1, 0
                self.rows += [[]] * (self.row == len(self.rows))
            else:
                self.put(letter)

    def put(self, letter):
        line = self.rows[self.row]
        line += " " * (self.column + 1 - len(line))
        line[self.column] = letter
        self.column += 1
        assert self.column <= self.columns, "".join(line)

    def obey(self, what, n):
        if what == "K":
            del self.rows[self.row][self.column :]
        elif what == "C":
            self.column += n
        elif what == "A":
            self.row -= n
            assert self.row >= max(0, len(self.rows) - self.lines)  # what is on it

    @property
    def screen(self):
        return ["".join(row) for row in self.rows[-self.lines :]]


@pytest.fixture
def screens(opened, capsys):
    """Return what is printed between two keys, which must be on the screen at once."""

    def run(size, *keys, **options):
        capsys.readouterr()
        glass, shown = Glass(*size), []

        def before_key():
            text = capsys.readouterr().out
            glass.feed(text)
            shown.append(SEQUENCE.sub("", text).rpartition("\r")[0].replace("\r", ""))
            assert text.count("\n") < size[1]

        opened(Keys(*keys, before=before_key), size=size, **options).close()
        return shown

    return run


class TestScreens:
    @pytest.mark.parametrize("size", [(80, 24), (40, 15), (40, 24)])
    @pytest.mark.parametrize("classes", [TWELVE, MANY], ids=len)
    def test_a_row_is_whole_on_the_screen(self, opened, capsys, size, classes):
        letters = ["", "p", "pr", "z"] if classes is TWELVE else ["", "1", "pla", "z"]
        for typed in letters:
            glass = Glass(*size)
            opened(Keys(*typed), classes=classes, size=size, title="T" * 99).close()
            glass.feed(capsys.readouterr().out)
            shown = "\n".join(glass.screen)
            assert "text " in shown
            assert "[s]kip" in shown
            assert shown.startswith("── TTT") or "\n── TTT" in shown
            found = ClassKeys(classes).find(typed).classes if typed != "z" else classes
            first = f"[{'/'.join(ClassKeys(classes).shown[found[0]])}] {found[0]}"
            assert first in shown
            if classes is TWELVE and not typed:
                assert all(f"] {label}" in shown for label in classes)
            if typed == "p":
                assert "refund" not in shown

    @pytest.mark.parametrize("size", [(80, 24), (40, 15)])
    @pytest.mark.parametrize("classes", [TWELVE, MANY], ids=len)
    def test_a_long_text_has_pages(self, opened, screens, size, classes):
        words = [f"w{i:04}" for i in range(26_000 // 6)]
        texts = [" ".join(words)] * 20
        shown = screens(size, *[" "] * 400, classes=classes, texts=texts)
        seen = [word for text in shown for word in re.findall(r"w\d{4}", text)]
        assert seen == words
        assert shown[-2:] == ["> ", "> "]  # there is no page after the last

    @pytest.mark.parametrize("size", [(80, 24), (40, 15)])
    def test_the_help_the_guide_and_the_list_fit(self, opened, screens, size):
        opened(*["good"] * 12, "q", who="ann").close()
        for keys, what in (
            ("?", "take back your last answer"), ("? ", "ann: 12 labelled"),
            ("*", "Labelled rows: 12"), ("* ", "4  row"), ("*1", "Row r"),
            ("!", "word word"), ("! ", "word word"), ("# ", "Note on row"),
        ):  # fmt: skip
            shown = screens(size, *keys, who="ann", guide="word " * 900)
            assert any(what in text for text in shown)

    def test_when_no_row_is_left_the_list_is_there(self, opened, screens):
        for who in ("ann", "bob"):
            opened(*[["good", "bad"][who == "bob"]] * 20, who=who, votes=2).close()
        keys = ["g", "s", "#", "*", "d", "1", "=", "b", "q", "u"]
        shown = screens((80, 24), *keys, who="ann", votes=2)
        assert "rows are left on which people disagree: 20." in " ".join(
            shown[0].split()
        )
        assert all("There is no row to label." in text for text in shown[1:4])
        assert any("Disputed rows: 19" in text for text in shown)
        assert ": taken back" in shown[-1]

    def test_nothing_of_a_row_is_obeyed(self, opened, capsys):
        texts = [f"\x1b[2J\x9b31m\x1b]0;t\x07 text\u202e {i}" for i in range(20)]
        glass = Glass(80, 24)
        opened(Keys("#", "a\x1b[2Jb", "1", "*", "1"), texts=texts).close()
        glass.feed(capsys.readouterr().out)  # it raises for what is not printable


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no shell here")
def test_ctrl_z_and_fg(tmp_path, monkeypatch):
    """In a shell, to which the terminal belongs until the prompt is back."""
    pty = pytest.importorskip("pty")
    termios = pytest.importorskip("termios")
    (tmp_path / "t.csv").write_text(
        "text\n" + "".join(f"text {i}\n" for i in range(30))
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.environ |= {"PS1": "ready$ ", "TERM": "dumb"}
        os.execvp("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"])
    seen = b""

    def wait_for(text):
        nonlocal seen
        end = time.monotonic() + 60
        while text not in seen:
            assert time.monotonic() < end, seen
            if select.select([fd], [], [], 0.1)[0]:
                seen += os.read(fd, 4096)
        seen = seen.partition(text)[2]

    def press(keys):
        os.write(fd, keys)

    def by_lines():
        return bool(termios.tcgetattr(fd)[3] & termios.ICANON)

    wait_for(b"ready$ ")
    command = "-m sklearn_activelearn label t.csv --text text --classes good,bad"
    press(f"{sys.executable} {command} --out a.sqlite\n".encode())
    wait_for(b"> \r\x1b[2C")
    assert not by_lines()
    press(b"g")
    wait_for(b": good")
    wait_for(b"> \r\x1b[2C")
    press(b"\x1a")
    wait_for(b"Stopped")
    wait_for(b"ready$ ")
    assert by_lines()
    press(b"fg\n")
    wait_for(b"1 labelled")
    wait_for(b"> \r\x1b[2C")
    assert not by_lines()
    press(b"b")
    wait_for(b": bad")
    wait_for(b"> \r\x1b[2C")
    press(b"q")
    wait_for(b"Labels in a.sqlite: 2.")
    wait_for(b"ready$ ")
    assert by_lines()
    press(b"exit\n")
    os.waitpid(pid, 0)
    os.close(fd)
