"""The command ``label`` with answers by lines, as a script gives them."""

import os
import re
import sys
from types import SimpleNamespace

import pytest

from sklearn_activelearn.labeling.front_ends._view import describe_ending
from tests.reference.labeling import quick_folder, write_rows
from tests.reference.session_files import select

pytest.importorskip("prompt_toolkit", reason="prompt_toolkit is not installed")

WORDS = {"good": "great lovely superb fine warm", "bad": "awful dull weak broken bland"}
COMMAND = "label reviews.csv --text review --classes good,bad --out labels.sqlite"


@pytest.fixture
def tmp_path(monkeypatch):
    """A folder in memory with sixty short texts; commands run in it."""
    words = [WORDS[["good", "bad"][i * 7 % 5 % 2]].split()[i % 5] for i in range(60)]
    rows = [
        {"key": f"r{i}", "review": f"a {word} film number {i}"}
        for i, word in enumerate(words)
    ]
    with quick_folder() as folder:
        write_rows(folder / "reviews.csv", rows)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        yield folder


def stored_labels():
    """Return the labels in the order in which they were given."""
    return select("labels.sqlite", "SELECT label FROM labels")


@pytest.mark.usefixtures("tmp_path")
def test_answers_skip_undo_and_help(command):
    out, err = command(*COMMAND.split(), answers="good\n2\ng\nquit?\n", code=2)
    assert "'quit?' is not an answer" in err
    assert "Labels in labels.sqlite: 3." in out
    out, _ = command(*COMMAND.split(), answers="s\nu\n\nbad\n?\nq\ngood\n")
    assert "3 labelled" in out
    assert "undo your last answer" in out
    assert "Labels in labels.sqlite: 4." in out
    assert stored_labels() == ["good", "bad", "good", "bad"]


def test_custom_keys_a_title_and_a_guide(command, tmp_path):
    (tmp_path / "guide.md").write_text("# Good\n\nWorth seeing.\n")
    options = ["--keys", "good=y,bad=g", "--title", "Films", "--guide", "guide.md"]
    out, _ = command(*COMMAND.split(), *options, answers="y\ng\nY\n!\n")
    assert "\n── Films ──" in out
    assert "[y/1] good  [g/2/b] bad" in out
    assert "Worth seeing." in out
    assert stored_labels() == ["good", "bad", "good"]


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
def test_lines_of_several_labels(command):
    answers = "good\n2, good\n-\ngood, x\n"
    out, err = command(*LABELS_COMMAND.split(), answers=answers, code=2)
    assert "'good, x' is not an answer. Type one or more, with commas, or - if" in err
    assert "Row 3: no label applies" in re.sub(r"Row \d+: no", "Row 3: no", out)
    assert "3 labelled (good: 2, bad: 1, no label applies: 1)" in out
    assert stored_labels() == ['["good"]', '["bad", "good"]', "[]"]
