"""The command ``label`` with answers by lines, as a script gives them."""

import csv
import io
import os
import re
import sqlite3
import sys
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
