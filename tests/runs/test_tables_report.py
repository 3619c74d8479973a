"""What is made of the runs on tables and on sets with flipped labels."""

import csv

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.linear_model import LogisticRegression

from benchmarks.results import append_run
from benchmarks.sets import chance, hundred, spent
from benchmarks.sets._run import Result

RANDOM = hundred.RANDOM


def result(name, method, order, accuracy, balanced=0.5):
    """Return a run whose accuracy ends a point higher than it begins."""
    curve = [accuracy - 0.01, accuracy + 0.01]
    sizes = 2, 100, 100, 1.0, 2.0, 3.0
    balance, rare = [balanced] * 2, [1, 2]
    key = "hundred", name, "own", method, order, np.nan
    return Result(*key, *sizes, curve, balance, rare)


@pytest.fixture
def tables(tmp_path):
    """Return the tables of runs: star gains four points on ten splits, mroz nothing."""
    file, rng = tmp_path / "runs.csv", np.random.default_rng(0)
    for name, gain in (("star", 0.04), ("mroz", 0.0), ("iris, 20% flipped", -0.02)):
        for order in range(1, 11):
            noise = rng.normal(scale=0.004)
            runs = [result(name, "blend", order, 0.7 + gain + noise, 0.52)]
            shares = 0.67, 0.70, 0.73
            runs += [
                result(name, method, order, share)
                for method, share in zip(RANDOM, shares, strict=True)
            ]
            for run in runs:
                append_run(file, run, "")
    # a split that other sets of the group lack, and one without all random orders
    for method in ("blend", *RANDOM):
        append_run(file, result("star", method, 11, 0.1), "")
    for method in ("blend", *RANDOM[:2]):
        append_run(file, result("iris, 20% flipped", method, 12, 0.1), "")
    hundred.main(["--results", str(file), "--out", str(tmp_path)])
    assert (tmp_path / "images/hundred.png").stat().st_size > 1_000
    found = {}
    for each in (tmp_path / "results").iterdir():
        with each.open(newline="") as stream:
            found[each.stem] = list(csv.DictReader(stream))
    return found


class TestHundred:
    def test_gains_over_three_random_orders(self, tables):
        star, mroz, iris = tables["hundred_sets"]
        assert (star["set"], star["splits"], star["random rows, %"]) == (
            "star", "10", "70.0",
        )  # fmt: skip
        assert star["gain"].startswith("4.0")
        assert star["gain, mean recall"] == "2"
        assert star["gain at the end"] == star["gain"]
        assert float(star["p, Holm"]) < 1e-6
        assert float(mroz["p, Holm"]) > 0.05
        assert iris["group"] == "20% of the labels flipped"
        assert len(tables["hundred_gains"]) == 30

    def test_groups_count_what_is_significant(self, tables):
        own, flipped = tables["hundred"]
        assert (own["sets"], own["number"], own["splits"]) == ("tables", "2", "10")
        assert (own["better"], own["worse"], own["on"]) == ("1", "0", "mroz")
        assert (flipped["better"], flipped["worse"]) == ("0", "1")
        assert flipped["lowest"] == "-2.0"


class Fixed:
    """A model with the same probabilities for all rows."""

    def __init__(self, classes, p):
        self.classes_, self.p = np.array(classes), p

    def predict_proba(self, X):
        return np.tile(self.p, (len(X), 1))


class TestChance:
    def test_skill_is_the_share_of_the_uncertainty(self):
        y = np.array([0, 0, 1, 1])
        half, good = Fixed([0, 1], [0.5, 0.5]), LogisticRegression(C=1e6)
        X = np.array([[-1.0], [-1], [1], [1]])
        assert chance.skill_on(half, X, y) == pytest.approx(0)
        assert chance.skill_on(good.fit(X, y), X, y) > 0.99
        p = np.log([0.9, 0.9, 0.1, 0.1]).mean()
        skill = chance.skill_on(Fixed([0, 1], [0.9, 0.1]), X, y)
        assert skill == pytest.approx(1 + p / np.log(2))

    def test_classes_weigh_the_same_if_one_is_rare(self):
        y = np.repeat([0, 1], [8, 2])
        skill = chance.skill_on(Fixed([0, 1], [0.8, 0.2]), y[:, None], y)
        p = (np.log(0.8) + np.log(0.2)) / 2
        assert skill == pytest.approx(1 + p / np.log(2))

    def test_a_class_that_the_model_does_not_know(self):
        y = np.array([0, 0, 1, 1, 2, 2])
        skill = chance.skill_on(Fixed([0, 2], [0.5, 0.5]), y[:, None], y)
        log = (4 * np.log(0.5) + 2 * np.log(chance.SMALLEST)) / 6
        assert skill == pytest.approx(1 + log / entropy([1, 1, 1]))

    def test_alarms_are_held_against_the_rest_of_the_pool(self):
        told, rest = [1, 1, 0, 0, 0], [0.01, 0.2, 0.01, 0.05, 0.4]
        skill = [0.0, 0.01, 0.05, 0.02, 0.3]
        runs = [
            chance.Run("star", "chosen", i, [100], [s], [t], [r], [0.0])
            for i, (s, t, r) in enumerate(zip(skill, told, rest, strict=True))
        ]
        (line,) = chance.summary(runs)
        assert line["runs"] == 5
        assert (line["near chance"], line["alarms"], line["false alarms"]) == (2, 2, 1)
        assert line["without alarm"] == 1
        assert (line["low skill"], line["low skill, false"]) == (3, 1)
        (of_set,) = chance.set_lines(runs)
        assert (of_set["alarms"], of_set["on the rest"]) == (2, "0.134")


class TestSpent:
    def test_outliers_and_rare_categories(self):
        rng = np.random.default_rng(0)
        X = np.column_stack([rng.normal(size=100), np.arange(100) < 3])
        X[50, 0] = 20
        y = np.repeat([0, 1], [70, 30])
        clean = np.where(np.arange(100) == 7, 1, y)
        outlier, rare, flipped, most = spent.facts_of_pool(X, y, clean)
        assert outlier.argmax() == 50
        assert outlier.mean() == pytest.approx(0.5, abs=0.01)
        assert np.flatnonzero(rare).tolist() == [0, 1, 2]
        assert np.flatnonzero(flipped).tolist() == [7]
        assert most.sum() == 70

    def test_means_count_rows_not_runs(self):
        runs = [
            spent.Run(
                "star", "chosen", i, [n, 0, 0, 0], [value, 0, 0, 0], *[[0.0] * 4] * 3,
                0.1, 0.2, 0.3, 0.5, 0.5,
            )
            for i, (n, value) in enumerate([(1, 0.1), (3, 0.5)])
        ]  # fmt: skip
        assert spent.mean_of(runs, "outlier", "first") == pytest.approx(0.4)
        assert np.isnan(spent.mean_of(runs, "outlier", "uncertain"))
        assert spent.mean_of(runs, "outlier", "pool") == 0.5
        assert spent.mean_of(runs, "flipped", "pool") == pytest.approx(0.2)
