"""``compare --find``: how soon all rows of a class are found."""

import csv
import json

import numpy as np
import pytest

from sklearn_activelearn.__main__ import main

WORDS = [f"word{i}" for i in range(120)]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Write 90 texts, 9 of which have words of their own."""
    path = tmp_path_factory.mktemp("find") / "texts.csv"
    rng = np.random.default_rng(0)
    with open(path, "w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["title", "abstract", "label"])
        for i in range(90):
            words = WORDS[:25] if i % 10 == 0 else WORDS
            texts = [" ".join(rng.choice(words, n)) for n in (6, 20)]
            lines.writerow([*texts, "in" if i % 10 == 0 else "out"])
    return path


def find(table, *options, label="in"):
    """Run the command on the table."""
    columns = ["--target", "label", "--text", "title", "--text", "abstract"]
    return main(["compare", "--data", str(table), *columns, "--find", label, *options])


def test_texts_are_found_sooner_than_at_random(table, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "found.png"
    where = tmp_path / "found.csv"
    options = ["--repeats", "2", "--plot", str(picture), "--csv", str(where)]
    assert find(table, *options) == 0
    out, err = capsys.readouterr()
    assert out.startswith("texts.csv: 90 rows, 9 in\n")
    assert "finding up to 100 principal directions of 90 texts" in err
    assert picture.stat().st_size > 1_000
    with open(where, newline="", encoding="utf-8") as file:
        rows = {row["order"]: row for row in csv.DictReader(file)}
    assert [*rows] == ["RelevanceSampling", "random order", "order of the estimator"]
    read = {name: float(row["read_95"]) for name, row in rows.items()}
    assert read["RelevanceSampling"] < read["random order"] - 30
    saved = {name: float(row["wss_95"]) for name, row in rows.items()}
    for name, n in read.items():
        assert saved[name] == pytest.approx((90 - n) / 90 - 0.05)


def test_learners_of_ones_own_as_json(table, capsys):
    learners = ["--learner", "MinMargin", "--learner", "Passive", "--repeats", "1"]
    assert find(table, *learners, "--json", "--rows", "60") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["data"].startswith("texts.csv: 60 rows")
    assert [*found["found"]][:2] == ["MinMargin (1)", "Passive (2)"]


@pytest.mark.parametrize(
    ("label", "options", "words"),
    [
        ("maybe", [], "no row has the label 'maybe'; labels are in, out"),
        ("in", ["--learner", "CBGZ"], "pool"),
        ("in", ["--rows", "20", "--seed", "1"], "at least two"),
    ],
)
def test_what_is_refused(table, capsys, label, options, words):
    assert find(table, *options, label=label) == 2
    assert words in capsys.readouterr().err.splitlines()[-1]
