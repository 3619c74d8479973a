"""``compare --find``: how soon all rows of a class are found."""

import csv
import json

import numpy as np
import pytest
from numpy.random import default_rng as rng_of
from sklearn.base import clone

from sklearn_activelearn import RelevanceSamplingClassifier
from sklearn_activelearn.__main__ import main
from sklearn_activelearn._cli import stops
from sklearn_activelearn.pool import RecallTarget
from tests.reference import recall as slow

WORDS = [f"word{i}" for i in range(120)]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Write 90 texts, 9 of which have words of their own."""
    path = tmp_path_factory.mktemp("find") / "texts.csv"
    rng = rng_of(0)
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
    for name, row in rows.items():
        assert bool(row["stop_audit_read"]) == (name == "RelevanceSampling")
    table = out.split("RelevanceSampling stops")[1].splitlines()
    assert table[0].split() == ["rows", "read", "recall", "runs", "below", "95", "%"]
    assert [line.split("  ")[0].strip() for line in table[1:] if line.strip()] == [
        "audit", "hypergeometric", "100 in a row",
    ]  # fmt: skip
    saved = {name: float(row["wss_95"]) for name, row in rows.items()}
    for name, n in read.items():
        assert saved[name] == pytest.approx((90 - n) / 90 - 0.05)


def test_learners_of_ones_own_as_json(table, capsys):
    learners = ["--learner", "MinMargin", "--learner", "Passive", "--repeats", "1"]
    assert find(table, *learners, "--json", "--rows", "60") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["data"].startswith("texts.csv: 60 rows")
    assert [*found["found"]][:2] == ["MinMargin (1)", "Passive (2)"]
    values = found["found"]["MinMargin (1)"]
    assert values["stop_audit_recall"] >= 0.95
    assert values["stop_audit_below"] == 0


@pytest.mark.parametrize(
    ("label", "options", "words"),
    [
        ("maybe", [], "no row has the label 'maybe'; labels are in, out"),
        ("in", ["--learner", "CBGZ"], "pool"),
        ("in", ["--rows", "20", "--seed", "1"], "at least two"),
        ("in", ["--scoring", "f1_macro"], "--scoring does not go with --find"),
        ("in", ["--target-error", "0"], "--target-error does not go with --find"),
        ("in", ["--text", "title"], "--text: title is named twice"),
    ],
)
def test_what_is_refused(table, capsys, label, options, words):
    assert find(table, *options, label=label) == 2
    assert words in capsys.readouterr().err.splitlines()[-1]


def test_a_learner_without_stopping_rules_has_no_audit(table, capsys):
    boosting = ["--learner", "FASSLBoost", "--rows", "60"]
    assert find(table, *boosting, "--repeats", "1") == 0
    stops = capsys.readouterr().out.split("stops")[1]
    assert "hypergeometric" in stops
    assert "audit" not in stops


def test_an_audit_begins_where_it_would():
    rng = rng_of(0)
    X = rng.normal(size=(400, 4))
    y = X[:, 0] > 1.2
    learner = RelevanceSamplingClassifier(batch_size=0.1, random_state=0)
    whole = clone(learner).set_params(stopping=stops.AuditStart()).fit(X, y)
    rule = RecallTarget(stops.RECALL, 1 - stops.ALPHA)
    stopped = clone(learner).set_params(stopping=rule).fit(X, y)
    begin = stops.AuditStart.of(whole)
    assert len(whole.queried_indices_) == 400
    assert stopped.record()["purposes"].index("audit") == begin
    order = whole.queried_indices_
    assert order[:begin].tolist() == stopped.queried_indices_[:begin].tolist()
    read = stops.audited_rows(whole, X, y, order[:begin])
    assert len({*read.tolist()}) == len(read)
    assert begin < len(read) < 400
    assert y[read].sum() >= 0.95 * y.sum()
    found = stops.stops_of_run(whole, X, y, 0)
    assert found["audit"] == (len(read), y[read].sum() / y.sum())
    assert found["100 in a row"].n_read == stops.count_stop(y[order], 100)


def test_rules_stop_where_they_say():
    rng = rng_of(0)
    relevant = rng.random(600) < np.linspace(0.6, 0, 600)
    n_test = stops.hypergeometric_stop(relevant, 0.8, 0.05)
    *before, last = [n for n in stops.looks(600) if n <= n_test]
    assert last == n_test
    assert slow.hypergeometric_p(relevant[:last].tolist(), 600, 0.8) < 0.05
    assert slow.hypergeometric_p(relevant[: before[-1]].tolist(), 600, 0.8) >= 0.05
    n_count = stops.count_stop(relevant, 9)
    assert not relevant[n_count - 9 : n_count].any()
    text = "".join("01"[int(hit)] for hit in relevant)
    assert text.index("0" * 9) + 9 == n_count
    assert stops.count_stop(relevant, 600) == 600
    n_ranked, is_read = stops.sample_stop(relevant, 0.8, 0.05, rng_of(3))
    n_sample = round(stops.IN_SAMPLE / relevant.mean())
    sample = np.sort(rng_of(3).choice(600, n_sample, replace=False))
    hits = sample[relevant[sample]]
    assert n_ranked == hits[slow.rank_in_sample(len(hits), 0.8, 0.05) - 1] + 1
    assert np.flatnonzero(is_read).tolist() == sorted({*range(n_ranked), *sample})
    assert stops.sample_stop(relevant & (np.arange(600) < 40), 0.95, 0.05, rng) is None
