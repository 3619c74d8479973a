"""The published benchmark: its splits, its measure, its runs, and what is reported."""

import csv
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from benchmarks.results import append_run, read_runs
from benchmarks.sets import lu2023, lu2023_report
from benchmarks.sets.lu2023 import METHODS, Result

CURVE = {"n_pool": 500, "n_test": 99, "n_labels": 120, "aubc": np.nan, "seconds": 1.0}


@pytest.fixture(scope="module")
def toy():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:100], y[:100]


@pytest.fixture
def args(tmp_path):
    return ["--quick", "--results", str(tmp_path / "runs.csv")]


class TestProtocol:
    def test_a_seed_shuffles_the_rows_and_the_pool(self):
        X = np.arange(101.0)[:, np.newaxis]
        split = lu2023.split(X, np.arange(101), 3)
        rows = np.arange(101)
        np.random.default_rng(3).shuffle(rows)
        order = np.arange(60)
        np.random.default_rng(3).shuffle(order)
        np.testing.assert_array_equal(split.y, rows[:60][order])
        np.testing.assert_array_equal(split.y_test, rows[60:])
        assert split.X.mean() == pytest.approx(0, abs=1e-12)
        assert split.X.std() == pytest.approx(1)
        np.testing.assert_allclose(
            split.X_test.ravel(), (rows[60:] - split.y.mean()) / split.y.std()
        )

    def test_the_published_area_leaves_out_the_first_accuracy(self):
        scores = [(0.0, 0.5), (0.4, 0.5), (0.6, 0.5), (0.8, 0.5)]
        *_, aubc = lu2023.summary([20, 21, 22, 23], scores, 23)
        assert aubc == pytest.approx(((0.4 + 0.6) / 2 + (0.6 + 0.8) / 2) / 3)
        *_, aubc = lu2023.summary([20, 21, 22, 23], scores, 24)
        assert np.isnan(aubc)

    def test_areas_end_after_a_hundred_purchases(self):
        counts = [20, 70, 120, 130]
        scores = [(0.0, 0.2), (0.5, 0.2), (1.0, 0.6), (0.1, 0.1)]
        summary = lu2023.summary(counts, scores, 300)
        np.testing.assert_allclose(summary[:4], [0.5, 0.3, 1.0, 0.6])

    def test_the_loop_without_the_package_buys_what_margin_does(self, toy):
        pool = lu2023.split(*toy, 0)
        counts, scores = lu2023.run(METHODS["margin, loop"], 0, pool, 50)
        assert (counts, scores) == lu2023.run(METHODS["margin"], 0, pool, 50)
        assert counts == [*range(20, 51)]
        _, others = lu2023.run(METHODS["random"], 0, pool, 50)
        assert scores != others

    def test_rows_bought_by_another_model_teach_the_same_svc(self, toy):
        pool = lu2023.split(*toy, 0)
        _, scores = lu2023.run(METHODS["stumps, random"], 0, pool, 40)
        assert scores["own"] != scores["svc"]
        assert scores["svc"] == lu2023.run(METHODS["random"], 0, pool, 40)[1]["svc"]

    def test_a_peer_with_the_same_rule_buys_the_same(self, toy):
        pytest.importorskip("skactiveml")
        pool, methods = lu2023.split(*toy, 0), lu2023.all_methods()
        runs = [
            lu2023.run(methods[name], 0, pool, 50)
            for name in ("skactiveml margin", "margin, loop")
        ]
        assert runs[0] == runs[1]


class TestRuns:
    def test_a_run_goes_on_until_the_pool_is_empty(self, args, monkeypatch):
        monkeypatch.setattr(lu2023, "N_BOUGHT", 10)
        lu2023.main([*args, "--methods", "margin"])
        lu2023.main([*args, "--methods", "margin", "--whole"])
        results = read_runs(args[-1], Result)
        assert [r.n_labels for r in results] == [30, 30, 34, 34]
        assert np.isnan([r.aubc for r in results]).tolist() == [True] * 2 + [False] * 2
        short, longer = (r for r in results if r.seed == 0)
        assert short[6 + 1 : 11] == longer[6 + 1 : 11]  # areas and ends
        assert lu2023_report.longest(results) == results[2:]


def made_up(name, method, level, seed, **facts):
    """Return a result near a level, with the same noise for all methods."""
    score = level + 0.01 * np.sin(9 * seed) + 0.0001 * seed
    scores = dict.fromkeys(["area", "balanced_area", "final", "balanced_final"], score)
    return Result(name, method, "svc", seed, **(CURVE | scores | facts))


def reported(folder):
    """Return what is printed about the runs in a folder."""
    printed = StringIO()
    with redirect_stdout(printed):
        lu2023_report.main(
            ["--results", str(folder / "runs.csv"), "--out", str(folder / "docs")]
        )
    return printed.getvalue()


def table(folder, name):
    with (folder / f"docs/results/lu2023_{name}.csv").open() as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with made-up runs and the tables that they make."""
    folder = tmp_path_factory.mktemp("lu2023")
    levels = {
        "sonar": (0.7, 0.8, 0.9),
        "wdbc": (0.9, 0.9, 0.9),
        "tic": (0.5, 0.6, 0.4),
    }
    for name, of_set in levels.items():
        for method, level in zip(["random", "margin", "hybrid"], of_set, strict=True):
            for seed in range(10 if method == "hybrid" else 12):
                own = np.cos(7 * seed + ord(method[0]))  # no two differences are alike
                own *= 1e-3 if name == "wdbc" else 1e-5
                result = made_up(name, method, level + own, seed)
                append_run(folder / "runs.csv", result, "a command")
    append_run(folder / "runs.csv", made_up("heart", "random", 0.3, 0), "a command")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKLEARN_ACTIVELEARN_DATA", str(folder / "none"))
        assert "without the published areas" in reported(folder)
    return folder


class TestReport:
    def test_means_are_of_seeds_that_all_have(self, folder):
        rows = {row["set"]: row for row in table(folder, "first")}
        assert [*rows] == ["sonar", "wdbc", "tic", "*mean*", "*mean rank*"]
        assert {rows[name]["seeds"] for name in ("sonar", "wdbc", "tic")} == {"10"}
        noise = np.mean([0.01 * np.sin(9 * s) + 0.0001 * s for s in range(10)])
        assert float(rows["sonar"]["margin"]) == pytest.approx(
            80 + 100 * noise, abs=0.01
        )
        places = [rows["*mean rank*"][method] for method in ("random", "margin")]
        assert float(places[0]) > float(places[1])

    def test_losses_are_beside_gains(self, folder):
        rows = {
            (row[""], row["against"]): row
            for row in table(folder, "first_against")
            if row["score"] == "mean accuracy over the curve"
        }
        hybrid = rows["hybrid", "random"]
        assert hybrid["better"] == "1 sonar +20.0"
        assert hybrid["worse"] == "1 tic -10.0"
        assert hybrid["lowest"].startswith("tic -10.00 (p 0.0")
        assert rows["margin", "random"]["worse"] == "0 "
        assert ("random", "margin") not in rows
