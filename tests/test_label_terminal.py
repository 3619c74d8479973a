"""Labelling in a terminal: keys of a pseudo-terminal, lines, and what is refused."""

import csv
import io
import json
import os
import re
import select
import signal
import socket
import sqlite3
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info, threadpool_limits

from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.__main__ import main
from sklearn_activelearn._cli import tasks
from sklearn_activelearn._cli.rehearsal import N_ORDERS, random_scores, rehearse
from sklearn_activelearn.labeling import LabelingSession, _database, _keyboard
from sklearn_activelearn.labeling._export import stored_state
from sklearn_activelearn.labeling._keyboard import (
    END,
    ENTER,
    ESCAPE,
    PAGE_DOWN,
    PAGE_UP,
    REDRAW,
    Keyboard,
    LineReader,
)
from sklearn_activelearn.labeling._lock import FileLock
from sklearn_activelearn.labeling._screen import say
from sklearn_activelearn.labeling._status import Status
from sklearn_activelearn.labeling._view import LabelingView, counts, share_done
from tests.reference.labeling import quick_folder

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")
termios = pytest.importorskip("termios")

TSTP = getattr(signal, "SIGTSTP", None)
WORDS = {"good": "great lovely superb fine warm", "bad": "awful dull weak broken bland"}


@pytest.fixture
def tmp_path():
    with quick_folder() as folder:
        yield folder


@pytest.fixture
def reviews(tmp_path):
    """Sixty short texts, and the label of each."""
    path = tmp_path / "reviews.csv"
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["key", "review", "truth"])
        for i in range(60):
            kind = ["good", "bad"][i * 7 % 5 % 2]
            word = WORDS[kind].split()[i % 5]
            table.writerow([f"r{i}", f"a {word} film number {i}", kind])
    return path


@pytest.fixture
def label(reviews, tmp_path, monkeypatch, capsys):
    """Run the command in an empty folder; return its code, output and errors."""
    monkeypatch.chdir(tmp_path)
    common = ["--classes", "good,bad", "--out", "labels.sqlite"]

    def run(*argv, answers="", columns=("--text", "review")):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
        code = main(["label", str(reviews), *columns, *common, *argv])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys, reviews):
    """Run arguments that must be refused in one line and write nothing."""
    monkeypatch.chdir(tmp_path)

    def run(*argv):
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        assert main(["label", *map(str, argv)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("sklearn-activelearn: error: ")
        assert err.count("\n") == 1
        assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before
        return err

    return run


def test_a_session_of_the_former_default_learner_goes_on(label, reviews, monkeypatch):
    before = UncertaintySamplingClassifier(
        LogisticRegression(C=10.0, max_iter=1_000), budget=None
    )
    with monkeypatch.context() as patch:
        patch.setattr(tasks, "default_learner", lambda _: before)
        assert label(answers="good\nbad\ngood\n")[0] == 0
    code, _, err = label(answers="bad\n")
    assert (code, err) == (0, "")
    state = stored_state(Path("labels.sqlite"))
    assert state.begin["learner"]["class"].endswith(".UncertaintySamplingClassifier")
    assert len(state.decisions) == 4


def test_a_rehearsal_takes_its_answers_from_a_column(label):
    rehearsal = ["--labelled", "truth", "--rehearse", "--budget", "40"]
    code, out, err = label(*rehearsal, "--test-size", "15")
    assert (code, err) == (0, "")
    first, *_, note, last = out.splitlines()
    curve = r" +\d+ labels: \d+% of 15 \(random rows: \d+%; always '(good|bad)': \d+%\)"
    assert re.fullmatch(curve, first)
    assert note.endswith("Random rows: the mean of 5 orders.")
    says = "is right on|has a balanced accuracy of"  # 11 of 15 may be of one class
    assert re.match(f"With 25 labels the model ({says}) ", last)


def test_a_rehearsal_leaves_the_session_as_it_is(label, reviews, tmp_path):
    """The rows without a known label are asked for by the command without it."""
    lines = reviews.read_text().splitlines()
    lines[31:] = [line.rpartition(",")[0] + "," for line in lines[31:]]
    reviews.write_text("\n".join([*lines, ""]))
    known = ["--labelled", "truth", "--test-size", "20"]
    code, out, err = label(*known, "--rehearse")
    assert (code, err) == (0, "")
    n_test = int(re.search(r"labels: \d+% of (\d+) ", out)[1])
    assert f"\n{20 - n_test} of the rows put aside have no known label" in out
    assert list(tmp_path.iterdir()) == [reviews]
    assert label(*known, answers="good\n")[0] == 0
    before = Path("labels.sqlite").read_bytes()
    assert len(exported()) == 31
    assert label(*known, "--rehearse")[0] == 0
    assert Path("labels.sqlite").read_bytes() == before


def test_one_thread_of_blas_is_used(label, monkeypatch):
    """More of them wait for each other where other programs run."""
    seen = []

    def look(*args, **kwargs):
        seen.extend(each["num_threads"] for each in threadpool_info())

    monkeypatch.setattr("sklearn_activelearn._cli.label.label_in_terminal", look)
    with threadpool_limits(2, user_api="blas"):
        assert label()[0] == 0
        assert 2 in [each["num_threads"] for each in threadpool_info()]
    assert set(seen) == {1}


def test_the_help_names_the_default_learner(capsys):
    with pytest.raises(SystemExit):
        main(["label", "--help"])
    name = type(tasks.default_learner("")).__name__.removesuffix("Classifier")
    assert f"default: {name} with" in " ".join(capsys.readouterr().out.split())


def test_random_rows_of_a_rehearsal(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, "yes", "no")
    known = {id: y[id].item() for id in range(50)}  # nobody knows the others
    learner = UncertaintySamplingClassifier(budget=None, random_state=1)
    how = {"ids": range(60), "classes": ["no", "yes"], "test_size": 20}
    with LabelingSession(learner, X, tmp_path / "a", **how) as session:
        rehearse(session, X, known)
        test = [id for id in session._state.test if id in known]
        sizes = [1, 10, 50 - len(test)]
        scores = random_scores(session, X, known, sizes)
    rows = np.array([id for id in known if id not in test])
    orders = [np.random.default_rng(k).permutation(rows) for k in range(N_ORDERS)]
    for n, score in zip(sizes, scores, strict=True):
        expected = []
        for order in orders:
            predicted = np.full(len(test), y[order[0]])
            if len({*y[order[:n]]}) > 1:
                model = LogisticRegression().fit(X[order[:n]], y[order[:n]])
                predicted = model.predict(X[test])
            expected.append(np.mean(predicted == y[test]))
        assert score == pytest.approx(np.mean(expected))
    assert len({*scores}) == 3


def test_a_rehearsal_needs_answers_and_rows_put_aside(refused, reviews):
    rest = [reviews, "--classes", "good,bad", "--out", "x.sqlite", "--rehearse"]
    refused(*rest, "--test-size", "5")
    refused(*rest, "--labelled", "truth")


@pytest.mark.parametrize(
    "option",
    [
        ["--predict", "all.csv"],
        ["--save-model", "model.skops"],
        ["--export", "out.csv"],
        ["--web"],
        ["--answers", "-"],
    ],
)
def test_a_rehearsal_does_nothing_else(refused, reviews, option):
    rest = [reviews, "--text", "review", "--classes", "good,bad", "--rehearse", *option]
    known = ["--labelled", "truth", "--test-size", "5"]
    for place in ([], ["--out", "x.sqlite"]):
        err = refused(*rest, *known, *place)
        assert f"{option[0]} does not go with --rehearse" in err


def exported(path="labels.sqlite", out="labelled.csv"):
    assert main(["label", path, "--export", out]) == 0
    with open(out, newline="") as file:
        return {row["id"]: row["label"] for row in csv.DictReader(file)}


class TestLines:
    def test_the_three_commands(self, label, capsys):
        code, out, err = label(answers="good\n2\ng\nquit?\n")
        assert code == 2
        assert "'quit?' is no answer" in err
        assert "Labels in labels.sqlite: 3." in out
        code, out, _ = label(answers="s\nu\n\nbad\n?\nq\ngood\n")
        assert code == 0
        assert "3 labelled" in out
        assert "Labels in labels.sqlite: 4." in out
        assert "take back your last answer" in out
        assert sorted(exported().values()) == ["bad", "bad", "good", "good"]

    def test_answers_of_a_file(self, label, tmp_path):
        (tmp_path / "answers.txt").write_text("1\n2\n" * 8 + "q\n")
        code, out, _ = label("--answers", "answers.txt")
        assert code == 0
        assert "Labels in labels.sqlite: 16." in out
        assert re.search(r"Row \d+: \w+\. The model: \w+ \d+ %, \w+ \d+ %", out)

    def test_a_file_with_a_line_that_is_no_answer_begins_nothing(self, label, tmp_path):
        (tmp_path / "answers.txt").write_text("good\nugly\n")
        code, _, err = label("--answers", "answers.txt")
        assert code == 2
        assert "'ugly' is no answer; answers are good, bad, s (skip)" in err
        assert not (tmp_path / "labels.sqlite").exists()

    def test_own_keys_a_title_and_a_guide(self, label, tmp_path):
        (tmp_path / "guide.md").write_text("# Good\n\nWorth seeing.\n")
        options = ["--keys", "good=y,bad=g", "--title", "Films", "--guide", "guide.md"]
        code, out, _ = label(*options, answers="y\ng\nY\n!\n")
        assert code == 0
        assert "\n── Films ──" in out
        assert "[y/1] good  [g/2/b] bad" in out
        assert "Worth seeing." in out
        assert sorted(exported().values()) == ["bad", "good", "good"]

    def test_an_empty_file_of_answers(self, label, tmp_path):
        (tmp_path / "answers.txt").write_text("\n")
        out = label("--answers", "answers.txt", answers="good\n")[1]
        assert "Labels in labels.sqlite: 0." in out

    def test_the_standard_input_as_the_file(self, label):
        assert label("--answers", "-", answers="good\nbad\n")[0] == 0
        assert len(exported()) == 2

    def test_the_budget_ends_it_and_more_goes_on(self, label):
        code, out, _ = label("--budget", "3", answers="good\n" * 9)
        assert code == 0
        assert "3 left" in out
        assert "The budget is spent. To go on, raise it: --budget." in out
        assert "Labels in labels.sqlite: 3." in out
        assert (
            "Labels in labels.sqlite: 5."
            in label("--budget", "5", answers="2\n" * 9)[1]
        )

    def test_known_labels_cost_nothing_and_are_not_asked_for(self, label, reviews):
        lines = reviews.read_text().splitlines()
        reviews.write_text(
            "\n".join([*lines[:31], *(f"new{i},film {i}," for i in range(5))])
        )
        options = ["--labelled", "truth", "--budget", "3", "--id", "key"]
        code, out, _ = label(*options, answers="good\n" * 9)
        assert code == 0
        assert "3 left" in out
        assert len(exported()) == 33

    def test_a_table_and_other_learners(self, label):
        options = ["--learner", "QueryByCommittee:n_initial=4", "--batch-size", "2"]
        code, out, _ = label(
            *options, "--test-size", "2", answers="good\nbad\n" * 5, columns=()
        )
        assert code == 0
        assert "  key: r" not in out
        assert re.search(r"^key: r\d+$", out, re.MULTILINE)
        assert len(exported()) == 10

    def test_labels_of_an_export_can_be_taken(self, label, tmp_path):
        label(answers="good\nbad\n")
        before = exported()
        (tmp_path / "labels.sqlite").unlink()
        assert label("--import", "labelled.csv")[0] == 0
        assert exported() == before

    def test_the_model_may_speak_before(self, label):
        out = label("--show-prediction", answers="1\n2\n" * 8)[1]
        assert re.search(r"^The model: \w+ \d+ %, \w+ \d+ %$", out, re.MULTILINE)

    def test_other_versions_are_told_in_a_line(self, label, monkeypatch):
        label(answers="good\n")
        module = "sklearn_activelearn.labeling._resume"
        monkeypatch.setattr(f"{module}.versions", lambda: {"numpy": "0.1"})
        code, out, err = label(answers="good\n")
        assert code == 0
        assert "Labels in labels.sqlite: 2." in out
        assert re.fullmatch(
            "sklearn-activelearn: warning: .*numpy was .* and is now '0.1'.*\n", err
        )

    def test_what_was_shown_is_exported_by_the_command_that_labels(self, label):
        label(answers="good\n")
        code, out, _ = label("--export", "labelled.json")
        assert code == 0
        assert out == (
            "Labels in labelled.json: 1.\n"
            "Rows without a label, which are left out: 10 unanswered.\n"
        )
        (task,) = json.loads(Path("labelled.json").read_text())
        assert " film number " in task["data"]["text"]

    def test_several_people_vote(self, label):
        options = ["--votes", "2", "--budget", "2"]
        for who in ("ann", "bob"):
            assert label(*options, "--who", who, answers="good\n" * 3)[0] == 0
        assert list(exported().values()) == ["good", "good"]

    def test_people_who_disagree_are_told_so(self, label):
        options = ["--votes", "2", "--budget", "2", "--who"]
        assert label(*options, "ann", answers="good\n" * 3)[0] == 0
        code, out, _ = label(*options, "bob", answers="bad\n" * 3)
        said = " ".join(out.split())
        assert code == 0
        assert "0 labelled, 1 by you, 1 disputed, 2 left" in said
        assert "rows are left on which people disagree: 2. Somebody who has" in said
        assert exported() == {}


def live(source):
    """Have somebody there who can put a mistake right."""
    source.is_live = True
    return source


class TestStartWith:
    WORDS = ("--start-with", "lovely bland plot")

    def asked(self, label, *pieces):
        """Return the ids in the order in which they were labelled, and the answers."""
        Path("labels.sqlite").unlink(missing_ok=True)
        for answers in pieces:
            learner = "--learner", "UncertaintySampling:random_state=0"
            common = "--id", "key", *self.WORDS, *learner
            code, _, err = label(*common, answers=answers)
            assert (code, err) == (0, "")
        return [*exported()]

    def test_the_texts_with_these_words_come_first(self, label, reviews):
        first = self.asked(label, "bad\n" * 10)
        texts = dict(row.split(",")[:2] for row in reviews.read_text().splitlines())
        assert all({*texts[key].split()} & {"lovely", "bland"} for key in first[:9])

    def test_until_two_classes_are_known(self, label):
        answers = ["bad\n"] * 14
        one = self.asked(label, "".join(answers))
        answers[9] = "good\n"
        two = self.asked(label, "".join(answers))
        assert one[:10] == two[:10]
        assert one[10:] != two[10:]

    def test_a_session_that_was_interrupted_goes_on_exactly(self, label):
        whole = self.asked(label, "bad\n" * 9 + "good\nbad\nbad\ngood\n")
        parts = "bad\n" * 3, "bad\n" * 6 + "good\n", "bad\n", "bad\ngood\n"
        assert self.asked(label, *parts) == whole

    def test_other_words_are_refused(self, label, refused, reviews):
        label("--id", "key", *self.WORDS, answers="bad\n")
        common = ["--text", "review", "--classes", "good,bad", "--out", "labels.sqlite"]
        command = reviews, *common, "--id", "key"
        for words in ([], ["--start-with", "lovely"]):
            err = refused(*command, *words)
            assert "initial" in err
            assert "lovely bland plot" in err

    def test_words_are_compared_with_texts(self, refused, reviews):
        common = ["--classes", "good,bad", "--out", "a.sqlite", *self.WORDS]
        assert "--start-with needs --text" in refused(reviews, *common)


class TestRefusals:
    def test_what_is_missing(self, refused, reviews):
        assert "where are the labels to be kept? (--out)" in refused(reviews)
        assert "to choose from? (--classes)" in refused(reviews, "--out", "a.sqlite")
        assert "FILE" in refused()

    @pytest.mark.parametrize(
        ("options", "why"),
        [
            (["--classes", "good"], "'good' is one class; two are needed"),
            (["--classes", "good,good"], "'good' is there twice"),
            (["--classes", "good,,bad"], "has no name"),
            (["--text", "revue"], "there is no column 'revue'. Did you mean 'review'?"),
            (["--image", "review"], "one of them"),
            (
                ["--labelled", "key"],
                "row 1 has the label 'r0', which is none of good, bad: --classes names",
            ),
            (["--id", "truth"], "the id 'good' too"),
            (["--learner", "Nobody"], "there is no learner 'Nobody'"),
            (
                ["--learner", "DKM", "--batch-size", "3"],
                "--batch-size: DKMClassifier has",
            ),
            (["--budget", "0"], "0 is not at least 1"),
            (["--votes", "2"], "whose votes are these? (--who)"),
            (["--answers", "none.txt"], "none.txt: No such file"),
            (["--answers", "-", "--web"], "--answers is for the terminal"),
            (["--out", "none/labels.sqlite"], "there is no folder none"),
            (["--out", "reviews.csv"], "reviews.csv"),
            (["--test-size", "61"], "61"),
            (["--keys", "ugly=x"], "--keys: 'ugly' is none of the classes"),
            (["--keys", "good=x,bad=X"], "--keys: 'x' is the key of two classes"),
            (["--keys", "good=q"], "--keys: 'q', the key of 'good', is a command"),
            (["--keys", "good=xy"], "is not one character"),
            (["--keys", "good"], "'good' is not CLASS=KEY"),
            (["--keys", "good=x,good=y"], "'good' is there twice"),
            (["--guide", "none.md"], "--guide: none.md: No such file"),
            (["--import", "none.csv"], "none.csv: No such file"),
            (["--start-with", "vulture"], "'review' has none of the words 'vulture'"),
            (
                ["--start-with", "lovely", "--learner", "Passive"],
                "--start-with: PassiveClassifier",
            ),
        ],
    )
    def test_options(self, refused, reviews, options, why):
        common = ["--text", "review", "--classes", "good,bad", "--out", "a.sqlite"]
        assert why in refused(reviews, *common, *options)

    def test_files(self, refused, reviews, tmp_path):
        common = ["--text", "review", "--classes", "good,bad", "--out", "a.sqlite"]
        assert "none.csv: No such file" in refused("none.csv", *common)
        assert "none.sqlite" in refused("none.sqlite", "--export", "out.csv")
        assert "reviews.csv" in refused(reviews, "--export", "out.csv")
        (tmp_path / "b.sqlite").write_bytes(b"SQLite format 3\0" + b"x" * 99)
        assert "b.sqlite holds labels" in refused("b.sqlite", *common)

    def test_a_session_is_no_table_and_has_one_writer(self, label, refused, reviews):
        label(answers="good\n")
        common = ["--text", "review", "--classes", "good,bad", "--out", "labels.sqlite"]
        lock = FileLock("labels.sqlite")
        assert "labels.sqlite is open in another" in refused(reviews, *common)
        lock.release()

    def test_a_file_that_is_held_by_another_program(self, label, monkeypatch):
        monkeypatch.setattr(_database, "PATIENCE", 0.1)
        monkeypatch.setattr(_database, "READING_WAIT", 0.1)
        held, answers = [], iter("gbg")

        def hold(self):
            if not held:
                held.append(sqlite3.connect("labels.sqlite", isolation_level=None))
                held[0].execute("BEGIN EXCLUSIVE")
            return next(answers, END)

        with monkeypatch.context() as patch:
            patch.setattr(LineReader, "read", hold)
            code, out, err = label()
        assert code == 2
        assert "labels.sqlite is held by another program, and nothing was st" in err
        assert "Labels in labels.sqlite: 0. The same command resumes." in out
        code, _, err = label(answers="good\n")
        assert (code, err.count("\n")) == (2, 1)
        assert "labels.sqlite is held by another program" in err
        held[0].close()
        assert label(answers="good\n")[0] == 0
        assert list(exported().values()) == ["good"]

    def test_a_person_goes_on_when_a_file_is_free_again(self, label, monkeypatch):
        def fail(self, *args):
            calls.append(args)
            if len(calls) == 1:
                raise OSError("The disk is full.")
            return label_row(self, *args)

        calls, label_row, keys = [], LabelingView.label, iter("gbgq")
        monkeypatch.setattr(LabelingView, "label", fail)
        monkeypatch.setattr(LineReader, "read", lambda self: next(keys))
        monkeypatch.setattr(LineReader, "__enter__", live)
        code, out, _ = label()
        assert code == 0
        assert "The disk is full.\nPress a key to go on.\n" in out
        assert [label for _, label, _ in calls] == ["good", "good"]  # b went on
        assert list(exported().values()) == ["good"]

    def test_another_command_for_the_same_session(self, label, refused, reviews):
        label(answers="good\n")
        common = ["--text", "review", "--out", "labels.sqlite"]
        assert "labels.sqlite" in refused(
            reviews, *common, "--classes", "good,bad,so-so"
        )

    def test_a_changed_file_is_refused_with_what_differs(self, label, refused, reviews):
        label(answers="good\n")
        common = ["--text", "review", "--classes", "good,bad", "--out", "labels.sqlite"]
        lines = reviews.read_text().splitlines()
        reviews.write_text("\n".join([*lines[:-2], "r58,other words,", lines[-1]]))
        assert "1 of its 60 rows are missing and 1 are new" in refused(reviews, *common)

    def test_a_port_that_is_taken(self, refused, reviews):
        pytest.importorskip("uvicorn", reason="uvicorn is not installed")
        common = ["--text", "review", "--classes", "good,bad", "--out", "a.sqlite"]
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            err = refused(reviews, *common, "--web", "--port", port)
        assert f"--port: {port}: " in err

    def test_without_the_packages_of_the_page(self, refused, reviews, monkeypatch):
        monkeypatch.setitem(sys.modules, "uvicorn", None)
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        common = ["--text", "review", "--classes", "good,bad", "--out", "a.sqlite"]
        err = refused(reviews, *common, "--web")
        assert "pip install starlette uvicorn" in err


@pytest.fixture
def terminal(monkeypatch):
    """A pseudo-terminal as the standard input; the test has its other end."""
    ours, theirs = pty.openpty()
    stream = os.fdopen(theirs, "r")
    monkeypatch.setattr(sys, "stdin", stream)
    yield ours
    stream.close()
    os.close(ours)


def press(ours, *keys):
    for key in keys:
        os.write(ours, key.encode())


class TestKeyboard:
    @pytest.mark.parametrize(
        ("typed", "keys"),
        [
            ("1", "1"),
            ("é", "é"),
            ("\x1b[C\x1bOP\x1b[15~\x1bx1", "1"),  # arrow, F1, F5, Alt
            ("\x1b[200~good\n12\x1b[201~2", "2"),  # a paste
            ("\x1b[200~1\x1b[200~2\x1b[201~3", "3"),
            ("\x1b\x1b[C1", "1"),
            ("1B", "1B"),
            ("\r\n", [ENTER, ENTER]),
            ("\x1b[6~\x1b[B\x1bOB", [PAGE_DOWN] * 3),
            ("\x1b[5~\x1b[A\x1bOA", [PAGE_UP] * 3),
            ("\x04", [END]),
        ],
    )
    def test_what_is_typed(self, terminal, typed, keys):
        with Keyboard(sys.stdin) as keyboard:
            press(terminal, typed)
            assert [keyboard.read() for _ in keys] == list(keys)

    def test_a_sequence_in_two_halves(self, terminal):
        with Keyboard(sys.stdin) as keyboard:
            timer = threading.Timer(0.05, press, [terminal, "[C", "1"])
            press(terminal, "\x1b")
            timer.start()
            assert keyboard.read() == "1"

    def test_escape_alone(self, terminal, monkeypatch):
        monkeypatch.setattr(_keyboard, "TICK", 0.01)
        with Keyboard(sys.stdin) as keyboard:
            threading.Timer(0.1, press, [terminal, "1"]).start()
            press(terminal, "\x1b")
            assert keyboard.read() == ESCAPE
            assert keyboard.read() == "1"

    def test_a_line_is_edited_and_may_be_pasted(self, terminal):
        with Keyboard(sys.stdin) as keyboard:
            press(terminal, "ab\x7f \x1b[200~two\nlines\x1b[201~ Ü\n")
            shown = []
            assert keyboard.read_text(shown.append, "x") == "xa two lines Ü"
            assert shown[:3] == ["x", "xa", "xab"]

    @pytest.mark.parametrize("key", ["\x1b", "\x04"])
    def test_a_line_that_is_given_up(self, terminal, key, monkeypatch):
        monkeypatch.setattr(_keyboard, "TICK", 0.01)
        with Keyboard(sys.stdin) as keyboard:
            press(terminal, f"ab{key}")
            assert keyboard.read_text(lambda _: None) is None

    def test_keys_for_a_row_that_nobody_has_seen_are_forgotten(self, terminal):
        with Keyboard(sys.stdin) as keyboard:
            press(terminal, "111\x1b[200~22")
            time.sleep(0.05)
            keyboard.forget()
            press(terminal, "33\x1b[201~4")
            assert keyboard.read() == "4"

    def test_another_width_is_reported(self, terminal, monkeypatch):
        with Keyboard(sys.stdin) as keyboard:
            monkeypatch.setenv("COLUMNS", "47")
            assert keyboard.read() == REDRAW

    def test_ctrl_z_gives_the_terminal_back(self, terminal, monkeypatch, capsys):
        def stop(number):
            seen.append((number, termios.tcgetattr(sys.stdin)))

        seen, before = [], termios.tcgetattr(sys.stdin)
        monkeypatch.setattr(signal, "raise_signal", stop)
        with Keyboard(sys.stdin) as keyboard:
            inside, handler = termios.tcgetattr(sys.stdin), signal.getsignal(TSTP)
            handler(TSTP, None)
            assert seen == [(TSTP, before)]
            assert termios.tcgetattr(sys.stdin) == inside
            assert signal.getsignal(TSTP) == handler
            assert keyboard.read() == REDRAW
            termios.tcsetattr(sys.stdin, termios.TCSANOW, before)  # by a shell
            signal.getsignal(signal.SIGCONT)(signal.SIGCONT, None)
            assert termios.tcgetattr(sys.stdin) == inside
            assert keyboard.read() == REDRAW
        assert signal.getsignal(TSTP) == signal.SIG_DFL

    def test_a_closed_window_is_the_end(self, capsys):
        ours, theirs = pty.openpty()
        with os.fdopen(theirs, "r") as stream:
            keyboard = Keyboard(stream)
            os.close(ours)
            assert keyboard.read() == END

    def test_the_terminal_is_as_it_was(self, terminal, capsys):
        before = termios.tcgetattr(sys.stdin)
        with Keyboard(sys.stdin):
            assert termios.tcgetattr(sys.stdin) != before
        assert termios.tcgetattr(sys.stdin) == before
        assert capsys.readouterr().out == "\x1b[?2004h\x1b[?2004l"


def test_lines():
    lines = LineReader(["", " a b ", "\n", "c"])
    assert [lines.read() for _ in range(3)] == ["a b", "c", END]
    assert not lines.is_live


class TestWords:
    def test_control_characters_do_not_reach_the_terminal(self, capsys, monkeypatch):
        monkeypatch.setenv("COLUMNS", "10")
        say("\x1b]0;title\x07\x9b31mred\u202e\r\none\ttwo three\x00")
        out = capsys.readouterr().out
        assert out == "]0;title31\nmred\none\ntwo three\n"

    def test_counts(self):
        status = Status(9, 3, 1, 5, 7, 0, 3, {"good": 3, "bad": 0}, None)
        assert counts(status, status, 100) == "3 labelled (good: 3), 1 skipped, 12 left"
        status = status._replace(disputed=2)
        own = status._replace(by_class={"good": 4, "bad": 1})
        assert counts(status, own, 100) == (
            "3 labelled (good: 3), 5 by you, 2 disputed, 1 skipped, 12 left"
        )
        assert share_done(status, 100) == pytest.approx(4 / 16)
        assert share_done(status, 10) == pytest.approx(4 / 10)  # fewer than the budget
        assert counts(status, status, 10).endswith(", 1 skipped, 6 left")
        unlimited = status._replace(skipped=0, left=None, by_class={}, disputed=0)
        assert counts(unlimited, unlimited, 60) == "0 labelled"
        assert share_done(unlimited, 60) == 0.05


#: The command, which does without the packages of the page and of images.
PROGRAM = """
import sys
from sklearn_activelearn.__main__ import main
code = main(sys.argv[1:])
assert not {"starlette", "uvicorn", "PIL"} & set(sys.modules)
sys.exit(code)
"""


class Child:
    """The command at the other end of a pseudo-terminal."""

    def __init__(self, folder, *argv):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            command = [sys.executable, "-c", PROGRAM, "label", *argv]
            os.execv(sys.executable, command)
        self.seen = ""

    def wait_for(self, text, seconds=30):
        """Read until a text is shown; forget what came up to it."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < end, self.seen
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 4096).decode()
                except OSError:
                    assert text in self.seen, self.seen
        before, _, self.seen = self.seen.partition(text)
        return before

    def press(self, key):
        os.write(self.fd, key.encode())

    def end(self):
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


@pytest.mark.usefixtures("ctrl_c")
def test_a_person_at_a_terminal_through_a_kill_and_ctrl_c(reviews, monkeypatch):
    """Keys are typed, then SIGKILL; the same command goes on with the same row."""
    monkeypatch.chdir(reviews.parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    argv = [reviews.name, "--text", "review", "--classes", "good,bad"]
    argv += ["--out", "labels.sqlite"]
    ready = "> \r\x1b[2C"  # the prompt, with nothing typed

    child = Child(reviews.parent, *argv)
    child.wait_for(ready)
    child.press("x")  # no answer
    child.wait_for("x: no class")
    for label in ("good", "bad", "bad"):
        child.press(label[0])
        child.wait_for(f": {label}")
        left = child.wait_for(ready)
    os.kill(child.pid, signal.SIGKILL)
    assert child.end() == -signal.SIGKILL

    child = Child(reviews.parent, *argv)
    again = child.wait_for(ready)
    assert again.splitlines()[-3:] == left.splitlines()[-3:]  # the row that was left
    child.press("u")
    child.wait_for("taken back")
    child.wait_for(ready)
    child.press("\x03")
    child.wait_for("Labels in labels.sqlite: 2.")
    assert child.end() == 130
    assert sorted(exported().values()) == ["bad", "good"]


class TestChanges:
    @pytest.fixture
    def go_on(self, label, reviews):
        """Add lines to the rows, and run the command with options on top."""

        def run(*argv, n_more=0, answers="good\n", **options):
            lines = [f"r{i},a fine dull film number {i},good" for i in range(n_more)]
            with reviews.open("a", newline="") as file:
                file.writelines(f"{line}\n" for line in lines)
            code, _, err = label(*argv, answers=answers, **options)
            return code, err

        return run

    def test_rows_that_come_later(self, go_on):
        assert go_on(answers="good\nbad\n" * 8) == (0, "")
        code, err = go_on(n_more=5)
        assert code == 2
        # the weight of a word follows from all texts
        assert err.endswith("To go on with that, add --change pool,features.\n")
        assert err.count("\n") == 1
        assert go_on("--change", "pool,features") == (0, "")
        assert go_on() == (0, "")
        assert len(exported()) == 18

    def test_rows_that_are_numbered_stay_what_they_show(self, go_on, reviews):
        assert go_on() == (0, "")
        lines = reviews.read_text().splitlines()
        del lines[3]
        lines.append("r60,a new film,good")
        reviews.write_text("\n".join(lines))
        code, err = go_on("--change", "features")
        assert code == 2
        assert err.endswith("which row is which: name a column that does (--id).\n")

    def test_rows_with_names_may_read_otherwise(self, go_on, reviews):
        assert go_on("--id", "key") == (0, "")
        reviews.write_text(reviews.read_text().replace("film", "movie"))
        _, err = go_on("--id", "key")
        assert err.endswith("To go on with that, add --change features.\n")
        assert go_on("--id", "key", "--change", "features") == (0, "")

    def test_a_class_more_and_other_words(self, go_on):
        assert go_on(answers="good\nbad\n" * 8) == (0, "")
        more = ["--classes", "good,bad,so-so"]
        _, err = go_on(*more)
        assert err.endswith("add --change classes.\n")
        assert go_on(*more, "--change", "classes", answers="so-so\n") == (0, "")
        more += ["--test-size", "4", "--votes", "2", "--who", "ann"]
        assert go_on(*more)[1].endswith("add --change test_size,votes.\n")
        assert go_on(*more, "--change", "test_size,votes") == (0, "")
        more += ["--learner", "MinMargin"]
        assert go_on(*more)[1].endswith("add --change learner.\n")
        assert go_on(*more, "--change", "learner") == (0, "")
        code, err = go_on(*more, "--change", "colour")
        assert (code, "change must be among pool" in err) == (2, True)

    def test_what_cannot_change_names_a_command_that_works(self, go_on, reviews):
        assert go_on(answers="good\nbad\n" * 8) == (0, "")
        lines = reviews.read_text().splitlines()
        reviews.write_text("\n".join(lines[:40]))
        code, err = go_on("--change", "pool")
        assert code == 2
        way = "begin one in a new file (--out), and take over the labels with --import"
        assert err.endswith(f"{way} labels.sqlite.\n")
        code, err = go_on("--out", "new.sqlite", "--import", "labels.sqlite")
        assert code == 0
        before, now = exported(), exported("new.sqlite", "new.csv")
        there = {id: label for id, label in before.items() if int(id) < 40}
        assert f"Left out of labels.sqlite: {16 - len(there)} rows that are no" in err
        assert there.items() <= now.items()
        assert len(now) == len(there) + 1
