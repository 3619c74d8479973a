"""``compare --find``: how soon all rows of a class are found."""

import csv
import json

import numpy as np
import pytest
from numpy.random import default_rng as rng_of
from sklearn.base import clone

from sklearn_activelearn import CBGZClassifier, RelevanceSamplingClassifier
from sklearn_activelearn.__main__ import main
from sklearn_activelearn.evaluation import compare_recall
from sklearn_activelearn.pool import RecallTarget

WORDS = [f"word{i}" for i in range(120)]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Write 60 texts, 6 of which have words of their own."""
    path = tmp_path_factory.mktemp("find") / "texts.csv"
    rng = rng_of(0)
    with open(path, "w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["title", "abstract", "label"])
        for i in range(60):
            words = WORDS[:25] if i % 10 == 0 else WORDS
            texts = [" ".join(rng.choice(words, n)) for n in (6, 20)]
            lines.writerow([*texts, "in" if i % 10 == 0 else "out"])
    return path


@pytest.fixture(autouse=True)
def few_trainings(monkeypatch):
    monkeypatch.setattr("sklearn_activelearn._cli.default_learners.BATCH", 0.4)


def find(table, *options, label="in"):
    """Run the command on the table."""
    columns = ["--target", "label", "--text", "title", "--text", "abstract"]
    return main(["compare", "--data", str(table), *columns, "--find", label, *options])


def test_texts_are_found_sooner_than_at_random(table, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "found.png"
    assert find(table, "--repeats", "1", "--plot", str(picture)) == 0
    out, _ = capsys.readouterr()
    assert out.startswith("texts.csv: 60 rows, 6 in\n")
    assert picture.stat().st_size > 1_000
    assert find(table, "--repeats", "1", "--json") == 0
    rows = json.loads(capsys.readouterr()[0])["found"]
    assert [*rows] == ["RelevanceSampling", "random order", "order of the estimator"]
    read = {name: float(row["read_95"]) for name, row in rows.items()}
    assert read["RelevanceSampling"] < read["random order"] - 20
    for name, row in rows.items():
        assert ("stop_audit_read" in row) == (name == "RelevanceSampling")
    table = out.split("RelevanceSampling stops")[1].splitlines()
    assert table[0].split() == ["rows", "read", "recall", "runs", "below", "95", "%"]
    assert [line.split("  ")[0].strip() for line in table[1:] if line.strip()] == [
        "audit", "100 in a row",
    ]  # fmt: skip
    saved = {name: float(row["wss_95"]) for name, row in rows.items()}
    for name, n in read.items():
        assert saved[name] == pytest.approx((60 - n) / 60 - 0.05)


def test_learners_of_ones_own_as_json(table, capsys):
    learners = ["--learner", "MinMargin", "--learner", "Passive", "--repeats", "1"]
    assert find(table, *learners, "--json", "--rows", "50") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["data"].startswith("texts.csv: 50 rows")
    assert [*found["found"]][:2] == ["MinMargin", "Passive"]
    values = found["found"]["MinMargin"]
    assert values["stop_audit_recall"] >= 0.95
    assert values["stop_audit_below"] == 0


@pytest.mark.parametrize(
    ("label", "options", "words"),
    [
        ("maybe", [], "no row has the label 'maybe'; labels are in, out"),
        ("in", ["--learner", "CBGZ"], "pool"),
        ("in", ["--rows", "20", "--seed", "4"], "at least two"),
        ("in", ["--scoring", "f1_macro"], "--find and --scoring do not go together"),
        ("in", ["--target-error", "0"], "--find and --target-error do not go together"),
    ],
)
def test_what_is_refused(table, capsys, label, options, words):
    assert find(table, *options, label=label) == 2
    assert words in capsys.readouterr().err.splitlines()[-1]


@pytest.fixture(scope="module")
def searched():
    """Return rows, relevant ones, and a comparison of two runs."""
    rng = rng_of(0)
    X = rng.normal(size=(400, 4))
    y = X[:, 0] + rng.normal(size=400) > 1.2
    learner = RelevanceSamplingClassifier(batch_size=0.1)
    return X, y, learner, compare_recall(X, y, [learner], n_runs=2)


def runs_of(searched):
    """Yield for each run whether the rows are relevant, in order, and the stops."""
    _, y, _, found = searched
    for read, stops in zip(
        found.curves["RelevanceSampling"].read, found.stops["RelevanceSampling"],
        strict=True,
    ):  # fmt: skip
        relevant = np.zeros(len(y), dtype=bool)
        relevant[read.astype(int) - 1] = True
        yield relevant, stops


def test_an_audit_ends_after_it_would_have_begun(searched):
    X, y, learner, _ = searched
    for seed, (relevant, stops) in enumerate(runs_of(searched)):
        stopped = clone(learner).set_params(
            budget=None, stopping=RecallTarget(0.95, 0.95), random_state=seed
        ).fit(X, y)  # fmt: skip
        begin = stopped.record()["purposes"].index("audit")
        n_read, recall = stops["audit"]
        assert relevant[:begin].tolist() == y[stopped.queried_indices_[:begin]].tolist()
        assert begin < n_read < 400
        assert recall >= 0.95


def test_a_hundred_irrelevant_rows_in_a_row_stop(searched):
    for relevant, stops in runs_of(searched):
        n_read, _ = stops["100 in a row"]
        text = "".join("01"[int(hit)] for hit in relevant)
        assert text.index("0" * 100) + 100 == n_read


def test_other_orders(searched):
    *_, found = searched
    assert [*found.curves][1:] == ["random order", "order of the estimator"]
    assert found.curves["order of the estimator"].n_read.tolist() == [400]
    saved = {name: row["wss_95"] for name, row in found.table().items()}
    assert abs(saved["random order"]) < 0.1 < saved["order of the estimator"]
    lines = found.plot().lines_
    assert [line.get_label() for line in lines][1:] == [
        "order of the estimator", "random order",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"learners": [CBGZClassifier()]}, TypeError, "pool learners, got CBGZ"),
        ({"y": [1] + [0] * 11}, ValueError, "1 of 12 rows is relevant"),
        ({"positive": 3}, ValueError, "positive must be one of"),
        ({"n_runs": 0}, ValueError, "n_runs"),
        ({"X": np.full((12, 2), np.nan)}, ValueError, "Relevance.*NaN"),
    ],
    ids=str,
)
def test_bad_arguments(changes, error, words):
    arguments = {"X": np.eye(12, 2), "y": [1, 0] * 6, **changes}
    with pytest.raises(error, match=words):
        compare_recall(**arguments)
