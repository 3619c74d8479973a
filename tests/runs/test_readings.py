"""Readings of the papers: the crossing, shares, and what each reading changes."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.papers import _readings as common
from benchmarks.papers import _readings_alms as bought_by
from benchmarks.papers import _readings_boosting as endings
from benchmarks.papers import _readings_rules as rules
from benchmarks.papers import alms, boosting, readings, readings_again
from benchmarks.papers._alms_purchases import Labelled
from benchmarks.papers.alms import variant
from benchmarks.results import Results, read_texts
from sklearn_activelearn import PassiveClassifier
from sklearn_activelearn.pool.alms._value_of_information import (
    model_probabilities,
    values_of_information,
)

TWO = {"a": (1, 2), "b": ("x", "y", "z")}


class TestCrossing:
    def test_every_combination_once(self):
        found = common.crossed(TWO)
        assert len({tuple(reading.items()) for reading in found}) == len(found) == 6
        assert all(reading.keys() == TWO.keys() for reading in found)

    def test_the_deciding_factor_and_what_agreeing_readings_share(self):
        found = common.crossed(TWO)
        answers = [one["b"] == "x" or (one["b"], one["a"]) == ("y", 2) for one in found]
        assert common.shares(found, answers, "a") == {1: 1 / 3, 2: 2 / 3}
        of = {"x": 1, "y": 0.5, "z": 0}
        assert common.deciding(found, answers) == ("b", of)
        assert common.common(found, answers) == {}
        assert common.common(found, [one["a"] == 2 for one in found]) == {"a": 2}
        assert common.common(found, [False] * 6) == {}
        assert common.deciding(found, [True] * 6) == (None, {})

    def test_a_line_of_the_table(self):
        found = common.crossed(TWO)
        answers = [one["b"] == "y" for one in found]
        facts = [[True] * 6, [one["a"] == 1 for one in found], [False] * 6]
        row, never = common.summary(found, {"claim": answers, "no": [False] * 6}, facts)
        assert (never["held"], never["most_facts"]) == (0, 0)
        assert row == {
            "claim": "claim",
            "readings": 6,
            "held": 2,
            "share": pytest.approx(1 / 3),
            "decided_by": "b",
            "shares": "x 0%; y 100%; z 0%",
            "all_have": "b: y",
            "most_facts": 2,
        }
        levels = common.by_level(found, {"claim": answers})
        assert [row["share"] for row in levels] == pytest.approx(
            [1 / 3, 1 / 3, 0, 1, 0]
        )


@pytest.fixture(scope="module")
def pool():
    X, y, X_test, y_test = alms.split(*alms.toy(), 0)
    return SimpleNamespace(X=X, sign=1.0 * y, X_test=X_test, sign_test=1.0 * y_test)


DEFAULT = {factor: levels[0] for factor, levels in bought_by.BOUGHT.items()}
OTHERS = [
    {**DEFAULT, factor: level}
    for factor, (_, *levels) in bought_by.BOUGHT.items()
    for level in levels
]


def worth_of(pool, seed=3, n=10):
    bought = bought_by.start_of(bought_by.order_of(pool, seed, n), n)
    models = bought_by.models_with("mean")
    rng, offered = np.random.default_rng(0), np.arange(40, 47)
    return bought_by.Worth(pool, models, bought, offered, rng)


class TestModelSelection:
    def test_values_of_the_default_reading_are_those_of_the_learner(
        self, pool, monkeypatch
    ):
        monkeypatch.setitem(bought_by.SIZES, "pairs", None)
        worth, rng = worth_of(pool), np.random.default_rng(0)
        expected = values_of_information(
            worth.models, model_probabilities, None, None, rng
        )
        np.testing.assert_allclose(worth.values(DEFAULT), expected, rtol=1e-9)

    def test_values_with_each_label_are_those_of_the_variant(self, pool, monkeypatch):
        monkeypatch.setitem(bought_by.SIZES, "pairs", None)
        worth = worth_of(pool)
        trainer = variant(alms.Logistic(), "expected")._make_trainer()
        monkeypatch.setattr(trainer, "models_on", lambda known, X: worth.models)
        expected = trainer.values_of_information(
            None, None, None, np.random.default_rng(0)
        )
        reading = {**DEFAULT, "label": "expected"}
        np.testing.assert_allclose(worth.values(reading), expected, rtol=1e-9)

    @pytest.mark.parametrize("reading", OTHERS, ids=str)
    def test_a_reading_is_not_the_default(self, pool, reading):
        differs = []
        for n in (10, 4):
            worth = worth_of(pool, n=n)
            same_values = np.allclose(
                worth.values(reading), worth.values(DEFAULT), rtol=1e-12, atol=0
            )
            same_probabilities = np.array_equal(
                *(
                    bought_by.probabilities(worth.losses, one)
                    for one in (reading, DEFAULT)
                )
            )
            differs.append(not (same_values and same_probabilities))
        assert any(differs)

    def test_readings_that_share_their_trainings_buy_the_same_without(self, pool):
        models, size = bought_by.models_with("sum"), (10, 15, 1)
        some = [DEFAULT, *OTHERS]
        together, _ = bought_by.by_alms(pool, models, some, *size)
        for reading, bought in zip(some, together, strict=True):
            ((by_itself,), (rounds,)) = bought_by.by_alms(
                pool, models, [reading], *size
            )
            assert bought.key == by_itself.key
            assert len(rounds) == 5
        assert len({bought.key for bought in together}) > 1
        assert all(len(set(bought.rows)) == 15 for bought in together)

    def test_first_labels_are_common_and_suffice(self, pool):
        for n in (2, 10):
            order = bought_by.order_of(pool, 7, n)
            bought = bought_by.start_of(order, n)
            assert len(bought.rows) == max(n, 4)
            training = np.array(bought.rows)[bought.training()]
            assert len(set(pool.sign[training])) == 2
            for method in ("passive", "QBC", bought_by.models_with("mean")[3]):
                models = bought_by.models_with("mean")
                rows = bought_by.by_baseline(method, pool, models, n, n + 2, 7)
                assert rows[:n] == order[:n].tolist()
                assert len(set(rows)) == n + 2

    def test_choices_are_those_of_cross_validation(self, pool):
        rows = bought_by.order_of(pool, 5, 10)[:20]
        models = bought_by.models_with("mean")
        found = bought_by.chosen_by_others(Labelled(pool, rows, models))
        for scoring, chosen in (("neg_log_loss", found[0]), ("accuracy", found[2])):
            learner = PassiveClassifier(
                models[0],
                param_grid={"lam": bought_by.LAMS},
                scoring=scoring,
                budget=None,
            )
            learner.teach(pool.X[rows], pool.sign[rows])
            assert learner.best_index_ == chosen

    def test_without_folds_the_middle_is_chosen(self, pool):
        known = Labelled(
            pool,
            [np.flatnonzero(pool.sign > 0)[0], np.flatnonzero(pool.sign < 0)[0]],
            bought_by.models_with("mean"),
        )
        assert bought_by.chosen_by_others(known) == [10, 0, 10, 0]


def run_of(area, others):
    """Return a run in which each way to score and to choose has its own area."""
    one = {"validation": 0.3, "likeliest": 16, "entropy": [3.0, 2.9]}
    readings_of_run = [
        {**one, "areas": [[area, area, area], [area - 0.3, area, area]]}
        for _ in bought_by.readings_bought()
    ]
    baseline = [[others, others, 0.9, others], [others, others, others, others]]
    single = [[[0.1], [0.1]]] * 20 + [[[0.6], [0.6]]]
    return {
        "passive": baseline,
        "QBC": [[others] * 4] * 2,
        "uncertainty": single,
        "ALMS": readings_of_run,
    }


def rows_with(winner, number):
    """Return rows of two trials in which one reading of one setting wins."""
    rows = []
    for problem in ("heart", "votes", "usps"):
        for first in (10.0, 2.0):
            for trial in (1000.0, 1001.0):
                of = run_of(0.4, 0.5)
                if first == winner["first labels"]:
                    areas = [[0.4] * 3, [0.4, 0.4, 0.9]]
                    of["ALMS"][number] = {**of["ALMS"][number], "areas": areas}
                row = {"problem": problem, "penalty": "mean", "first labels": first}
                row |= {"labels": 30.0, "trial": trial, "found": json.dumps(of)}
                rows.append(row)
    return rows


class TestAgain:
    WINNER = {"penalty": "mean", "first labels": 2}

    def winners(self, number=5):
        return readings_again.winners(rows_with(self.WINNER, number))

    def test_winners_are_those_of_the_fewest_labels(self):
        won, n_trials = self.winners()
        assert n_trials == 2
        bought = bought_by.readings_bought()[5]
        for one in won:
            assert readings_again.part_of(one, bought_by.BOUGHT) == bought
            assert readings_again.part_of(one, bought_by.SETTINGS) == self.WINNER
            assert type(one["first labels"]) is int
            assert one["area of"] == "exp(-log loss)"
            assert one["ALMS chooses by"] == "CV"
        assert len(won) == 4
        more = [{**row, "labels": 100.0} for row in rows_with(self.WINNER, number=7)]
        rows = rows_with(self.WINNER, number=5)
        assert readings_again.winners(rows + more) == (won, n_trials)


class TestBoosting:
    def test_the_best_committee_is_the_first_of_the_least_error(self):
        y, is_bought = np.array([1, 1, -1, -1]), np.array([True, True, False, True])
        stages = [
            np.array(scores)
            for scores in ([1, -1, 1, -1], [1, 1, 1, -1], [1, 1, -1, -1.0])
        ]
        assert endings.best_stage(stages, y, is_bought, endings.LABELS) == 1
        assert endings.best_stage(stages, y, is_bought, endings.ALL_ROWS) == 2
        assert endings.best_stage(stages[:2], -y, is_bought, endings.LABELS) == 0

    def test_an_ended_committee_grows_no_more_but_labels_are_bought(self):
        X, y, *_ = boosting.problem("twonorm", quick=True)
        for kind in (endings.EndingFASSL, endings.EndingFASSLOnAllRows):
            for n_first in (None, 1):
                learner = kind(n_initial_estimators=n_first, n_initial=10, budget=40)
                learner.set_params(random_state=0).fit(X[:100], y[:100])
                assert learner.n_queries_ == 40
                assert len(learner.estimator_.estimators_) < 30 + (n_first or 10)

    def test_members_are_added_while_the_error_decreases(self, monkeypatch):
        X, y, *_ = boosting.problem("twonorm", quick=True)
        errors = iter([5, 6, 4, 5, 4, 4])  # after and before, of three labels

        def error(self, boosting):
            return next(errors)

        monkeypatch.setattr(endings.EndingTrainer, "error", error)
        learner = endings.EndingFASSL(n_initial=10, budget=16, random_state=0)
        sizes = []

        def oracle(asked):
            if learner.n_queries_ > 10:
                sizes.append(len(learner.estimator_.estimators_))
            return y[:100][asked]

        learner.learn(X[:100], oracle, classes=[-1, 1])
        assert len(learner.estimator_.estimators_) == 12
        assert sizes == [11, 12, 12, 12, 12]
        assert next(errors, None) is None


class TestRules:
    def test_failed_runs(self):
        runs = np.array([8, 12] * 4 + [100] * 2)
        std = runs[:8].std(ddof=1)
        rows = {"labels": 10.0, "labels_std": std, "failed": 2, "runs": 10}
        row = {**rows, "labels_counting_failures": 28.0}  # 100 for a failed run
        full, left_out, ruled_out = (
            rules.costs_of_ocr(row, rule) for rule in rules.FACTORS["a failed run"]
        )
        assert (full.mean, left_out.mean) == pytest.approx((28, 10))
        assert np.isnan(ruled_out.mean)
        assert full.error == pytest.approx(runs.std(ddof=1) / np.sqrt(10))
        assert left_out.error == pytest.approx(std / np.sqrt(8))

    def test_a_file_that_counts_failed_runs_is_taken_apart(self):
        runs = np.array([80.0, 120.0] * 2 + [rules.LIMIT])
        std = runs.std(ddof=1)
        row = {"labels": runs.mean(), "std": std, "failed": 1, "runs": 5}
        full, left_out, ruled_out = (
            rules.costs_of_margin_loss(row, rule)
            for rule in rules.FACTORS["a failed run"]
        )
        assert left_out.mean == pytest.approx(100)
        assert left_out.error == pytest.approx(runs[:4].std(ddof=1) / 2, rel=1e-6)
        assert full.mean == pytest.approx(runs.mean())
        assert full.error == pytest.approx(std / np.sqrt(5))
        assert np.isnan(ruled_out.mean)

    def test_ties(self):
        one, other = (
            rules.Cost(mean, 10.0, 0, 25, np.nan, "is left out") for mean in (100.0, 97)
        )
        assert not rules.is_less(one, other, "counts against")
        assert rules.is_less(one, other, "counts for")
        assert not rules.is_less(one, other, "counts for", factor=1.25)
        assert rules.is_less(other, one, "counts against")
        costs = {"p": {"a": one, "b": other}}
        published = {"p": {"a": 1.0, "b": 2.0}}
        for tie, answer in zip(rules.FACTORS["a tie"], (False, True), strict=True):
            found = rules.same_best(costs, published, tie, ("a", "b"))
            assert found == {"p": answer}
        assert rules.fewer(costs, "counts against", "a", ("b",)) == {"p": True}


class TestCommand:
    def test_runs_that_are_stored_are_not_repeated(self, tmp_path, monkeypatch, capsys):
        argv = ["--quick", "--paper", "ali2014", "--results", str(tmp_path)]
        readings.main(argv)
        first = capsys.readouterr().out
        assert "1 of 1: heart, mean, 10, 15, 1000" in first
        monkeypatch.setattr(bought_by, "runs", None)
        readings.main(argv)
        again = capsys.readouterr().out
        assert [line for line in first.splitlines() if "heart, mean" not in line] == (
            again.splitlines()
        )

    def test_readings_that_won_are_run_again(self, tmp_path, monkeypatch, capsys):
        rows = rows_with({"penalty": "mean", "first labels": 2}, number=5)
        Results(tmp_path, "readings", [], 0).write(
            "readings_ali2014_runs",
            rows,
            key=["problem", "first labels", "trial"],
            runs=1,
        )
        monkeypatch.setattr(readings_again, "SETS", ("heart",))
        monkeypatch.setitem(alms.LOAD, "heart", alms.toy)
        readings_again.main(
            ["--trials", "2", "--labels", "15", "--results", str(tmp_path)]
        )
        capsys.readouterr()
        (seeds,) = {
            row["seed"] for row in read_texts(tmp_path / "readings_ali2014_again.csv")
        }
        assert seeds == "1002 to 1003"
        runs = read_texts(tmp_path / "readings_ali2014_again_runs.csv")
        assert [row["trial"] for row in runs] == ["1002", "1003"]
        gains = read_texts(tmp_path / "readings_ali2014_again_gains.csv")
        assert [row["against"] for row in gains] == [
            "passive", "uncertainty", "QBC", "oracle",
        ]  # fmt: skip

    def test_readings_that_won_need_a_file(self, capsys):
        with pytest.raises(SystemExit):
            readings_again.main([])
        assert "run benchmarks.papers.readings --paper" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("argv", "message"),
        [
            (["--trials", "0"], "--trials: 0 is not at least 1"),
            (["--labels", "9"], "--labels: 9 is not at least 15"),
            (["--paper", "wang2009"], "run benchmarks.papers.boosting first"),
        ],
    )
    def test_options_that_cannot_work(
        self, argv, message, capsys, tmp_path, monkeypatch
    ):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit):
            readings.main(argv)
        assert message in capsys.readouterr().err
