"""Trials of the papers' experiments: how many, and where they are stored."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.papers import (
    alms,
    boosting,
    boosting_costs,
    label_propagation,
    margin_loss,
    ocr,
    ocr_curves,
    second_order,
)
from benchmarks.provenance import checksum, recorded
from benchmarks.results import Results, read_texts, stored


@pytest.mark.parametrize(
    ("experiment", "options", "named"),
    [
        (alms, ["--trials", "0"], "--trials: 0 is not at least 1"),
        (alms, ["--labels", "14"], "--labels: 14 is not at least 15"),
        (alms, ["--labels", "20", "--initial", "20"], "--initial is 20"),
        (alms, ["--labels", "52"], "--labels is 52"),
        (alms, ["--labels", "150"], "heart has 135 to buy"),
        (alms, ["--problem", "pima"], "pima needs --penalty sum"),
        (alms, ["--problem", "pima", "--method", "ALMS, CV"], "not there for pima"),
        (boosting, ["--splits", "1"], "--splits: 1 is not at least 2"),
        (boosting, ["--alphas", "--problem", "banana"], "--alphas is for"),
        (boosting, ["--alphas", "--method", "QBB"], "--alphas is for"),
        (boosting_costs, ["--rounds", "0"], "--rounds: 0 is not at least 1"),
        (label_propagation, ["--splits", "1"], "--splits: 1 is not at least 2"),
        (margin_loss, ["--trials", "10"], "--curves is 20, but --trials is 10"),
        (ocr, ["--folds", "1"], "--folds: 1 is not at least 2"),
        (ocr_curves, ["--repeats", "0"], "--repeats: 0 is not at least 1"),
        (second_order, ["--topics", "0"], "--topics: 0 is not at least 1"),
    ],
)
def test_options_that_give_nothing(experiment, options, named, capsys, monkeypatch):
    monkeypatch.setattr(experiment, "Results", None)  # nothing is measured
    with pytest.raises(SystemExit):
        experiment.main(options)
    assert named in capsys.readouterr().err


def test_a_trial_is_stored_under_all_that_it_depends_on(tmp_path):
    found = [
        stored(tmp_path, ("a/b", 10, name), lambda name=name: [name]) for name in "cdc"
    ]
    assert found == [["c"], ["d"], ["c"]]
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "a_b-10-c.json",
        "a_b-10-d.json",
    ]
    assert stored(tmp_path, ("a/b", 10, "c"), lambda: ["another"]) == ["c"]
    assert stored(None, ("a/b", 10, "c"), lambda: ["another"]) == ["another"]


def test_other_budgets_are_measured_and_written_beside(tmp_path, capsys, monkeypatch):
    def main(labels, *more):
        monkeypatch.setattr(alms, "LOAD", {"heart": alms.toy})
        options = [
            *("--problem", "heart", "--labels", labels, "--trials", "2"),
            *("--method", "passive", "--method", "ALMS", "--method", "oracle", *more),
            *("--results", str(tmp_path), "--cache", str(tmp_path / "trials")),
        ]
        alms.main(options)

    main("15")
    first = {name: read_texts(tmp_path / f"{name}.csv") for name in alms.FILES}
    main("20")
    capsys.readouterr()
    for name, rows in first.items():
        both = read_texts(tmp_path / f"{name}.csv")
        assert both[: len(rows)] == rows
        assert len(both) > len(rows)
    assert len(list((tmp_path / "trials").iterdir())) == 12
    means = read_texts(tmp_path / "alms_table_1.csv")
    runs = read_texts(tmp_path / "alms_table_1_runs.csv")
    assert len(runs) == 2 * len(means) == 12
    for mean in means:
        of_it = [
            float(run["accuracy"])
            for run in runs
            if all(run[name] == mean[name] for name in ("labels", "method"))
        ]
        assert np.mean(of_it) == pytest.approx(float(mean["accuracy"]), rel=1e-5)


def test_sets_together_name_the_data_of_all(tmp_path, monkeypatch, capsys):
    X, y = alms.toy()
    heart, votes = (X, y), (X[::-1], y[::-1])
    load = {"heart": recorded(lambda: heart), "votes": recorded(lambda: votes)}
    monkeypatch.setattr(alms, "LOAD", load)
    options = ["--labels", "15", "--trials", "2", "--method", "passive"]
    alms.main([*options, "--results", str(tmp_path)])
    capsys.readouterr()
    rows = read_texts(tmp_path / "alms_table_1.csv")
    one, two = (checksum(*pair) for pair in (heart, votes))
    found = {row["problem"]: row["data_sha256"] for row in rows}
    assert found == {"heart": one, "votes": two, "all": f"{one} {two}"}


def test_single_runs_are_replaced_together(tmp_path):
    results = Results(tmp_path, "ocr", [], 0)
    for n_runs in (3, 2):
        for learner in "ab":
            row = {"learner": learner, "labels": n_runs}
            each = [{**row, "run": run} for run in range(n_runs)]
            results.write("t", [row], key=["learner"], runs=n_runs, each=each)
    found = [
        (row["learner"], row["run"]) for row in read_texts(tmp_path / "t_runs.csv")
    ]
    assert found == [("a", "0"), ("a", "1"), ("b", "0"), ("b", "1")]


class TestMarginLoss:
    def test_all_runs_may_go_on_or_none(self):
        assert margin_loss.runs(None, None, range(3, 3), 1) == [[], [], []]

    def test_the_rate_of_least_error_is_by_the_last_weights(self, monkeypatch):
        ends = {0.1: [([], 0.4), ([0.2], 0.9)], 1.0: [([0.5], 0.1), ([0.4], 0.1)]}

        def runs(learner, rows, seeds, jobs, **kwargs):
            found = [(*end, 7) for end in ends[learner.eta0]]
            return [list(part) for part in zip(*found, strict=True)]

        monkeypatch.setattr(margin_loss, "runs", runs)
        args = SimpleNamespace(rates=[1.0, 0.1], tuning_trials=2, jobs=1, limit=10)
        learner = margin_loss.LEARNERS["ramp"]
        found = margin_loss.least_error(learner, "rows", args)
        assert found == (pytest.approx(0.3), 0.1)


def test_first_labels_of_one_class():
    X, y = alms.toy()
    kept = np.r_[np.flatnonzero(y < 0)[:40], np.flatnonzero(y > 0)[:2]]
    rows = X[kept], y[kept], X, y
    (learner,) = alms.learners("heart", "mean", "ALMS")
    scores, _ = alms.curves(learner, rows, [4, 8], 0, alms.SELECTIONS)
    for found in scores.values():
        assert len(found) == 2
        assert found[0][0] == np.mean(y < 0)  # it knows one class


def test_orders_of_the_news_are_means_and_single_runs():
    X, topics = second_order.toy()
    args = SimpleNamespace(lam=1e4, jobs=1, repeats=2)
    rows, each = second_order.figure_3(X, topics, args)
    numbers = [*range(1, 7)]
    assert [row["topic"] for row in rows] == numbers
    assert [one["topic"] for one in each] == 2 * numbers
    assert [one["run"] for one in each] == 6 * [0] + 6 * [1]
    of_first = [one for one in each if one["topic"] == 1]
    assert of_first[0]["F"] != of_first[1]["F"]
    for name in ("F", "labels", "stored"):
        mean = np.mean([one[name] for one in of_first])
        assert rows[0][name] == pytest.approx(mean)
    for name in ("F", "labels"):
        std = np.std([one[name] for one in of_first], ddof=1)
        assert rows[0][f"{name}_std"] == pytest.approx(std)


def test_topics_of_other_runs_are_replaced(tmp_path):
    columns = [
        "topic",
        "positive",
        "labels",
        "labels_std",
        "stored",
        "F",
        "F_std",
        "svm_norm",
    ]
    old = dict.fromkeys(columns, 0) | {"topic": 99}
    results = Results(tmp_path, "second_order", [], 0)
    results.write("second_order_figure_3", [old], key=["topic"], runs=1)
    second_order.main(["--quick", "--only", "figure-3", "--results", str(tmp_path)])
    rows = read_texts(tmp_path / "second_order_figure_3.csv")
    assert [row["topic"] for row in rows] == ["1", "2", "3", "4", "5", "6"]
