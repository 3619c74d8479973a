"""What is made of the runs on many data sets: statistics, tables, what is printed."""

import csv

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchmarks.results import append_run
from benchmarks.sets import gains, members, report
from benchmarks.sets._run import Result
from benchmarks.sets._tables import Runs
from benchmarks.statistics import (
    critical_difference,
    friedman_p,
    half_interval,
    holm,
    paired_p,
    paired_t_p,
    ranks,
    spread,
)


class TestStatistics:
    @given(
        st.lists(st.integers(1, 999), min_size=1, max_size=12),
        st.sampled_from([0.01, 0.05, 0.3]),
    )
    def test_holm_rejects_step_by_step(self, thousandths, alpha):
        p_values = np.array(thousandths) / 1000
        m = len(p_values)
        steps = np.sort(p_values) * np.arange(m, 0, -1)
        assume(np.abs(steps - alpha).min() > 1e-9)
        rejected = set()
        for i in np.argsort(p_values, kind="stable"):
            if p_values[i] > alpha / (m - len(rejected)):
                break
            rejected.add(int(i))
        assert set(np.flatnonzero(holm(p_values) <= alpha).tolist()) == rejected

    def test_holm_leaves_out_what_was_not_tested(self):
        np.testing.assert_allclose(
            holm([0.04, np.nan, 0.01, 0.8]), [0.08, np.nan, 0.03, 0.8]
        )
        assert holm([]).size == 0

    def test_critical_difference_is_that_of_the_paper(self):
        # Demšar 2006, section 3.2.4 and table 5
        assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
        q = critical_difference(10, 30) / np.sqrt(10 * 11 / (6 * 30))
        assert q == pytest.approx(3.164, abs=0.001)

    def test_ranks_share_ties(self):
        np.testing.assert_array_equal(
            ranks([[0.9, 0.9, 0.1], [0.1, 0.2, 0.3]]), [[1.5, 1.5, 3], [3, 2, 1]]
        )

    def test_friedman(self):
        alike = np.tile([[1, 2, 3], [3, 1, 2], [2, 3, 1]], (4, 1))
        assert friedman_p(alike) == pytest.approx(1)
        assert friedman_p(np.tile([1, 2, 3], (9, 1))) < 1e-3
        assert np.isnan(friedman_p([[1, 2], [1, 2]]))

    def test_differences(self):
        assert np.isnan(paired_p(np.zeros(9)))
        assert paired_p(np.full(10, 0.1)) == pytest.approx(2 / 2**10)
        mean, error = spread([1.0, 3.0])
        assert (mean, error) == (2, 1)
        assert half_interval([1.0, 3.0]) == pytest.approx(12.706, abs=1e-3)
        assert np.isnan(paired_t_p(np.zeros(9)))
        assert np.isnan(paired_t_p([0.1]))
        assert paired_t_p(np.full(9, 0.1)) == 0
        assert paired_t_p([1.0, 3.0]) == pytest.approx(2 / np.pi * np.arctan(1 / 2))


def made_up(name, method, level, order, n_classes=3):
    """Return a result whose accuracies are near a level, alike in all methods."""
    noise = np.random.default_rng(order).normal(0, 0.02, 3)
    curve = (level + noise + 0.001 * order).tolist()
    facts = 1.0, n_classes, 100, 50, 2.0, 30.0, 40.0
    return Result(
        "low", name, "logistic", method, order, *facts, curve, curve, [1, 2, 3]
    )


@pytest.fixture
def results():
    levels = {
        "digits": {"random": 0.5, "margin": 0.6, "entropy": 0.7},
        "noisy": {"random": 0.5, "margin": 0.6, "entropy": 0.55},
        "tumours": {"random": 0.5, "margin": 0.6},
        "usps": {"random": 0.2, "margin": 0.9},
    }
    return [
        made_up(name, method, level, order, 2 if name == "tumours" else 10)
        for name, by_method in levels.items()
        for method, level in by_method.items()
        for order in range(1, 21)
    ]


class TestReport:
    def test_wins_and_losses(self, results):
        runs = Runs(results)
        duels = {(d.set, d.method): d for d in runs.against("margin", "final")}
        assert duels["digits", "entropy"].gain == pytest.approx(0.1)
        assert duels["digits", "entropy"].outcome == 1
        ours, theirs = (
            np.array([r.final for r in runs.of("digits", method)])
            for method in ("entropy", "margin")
        )
        # six duels in which anything differs
        assert duels["digits", "entropy"].p >= 5.9 * paired_p(ours - theirs)
        assert duels["noisy", "entropy"].gain == pytest.approx(-0.05)
        assert duels["noisy", "entropy"].outcome == -1
        assert ("digits", "margin") not in duels
        few = [result for result in results if result.order <= 5]
        assert {d.outcome for d in Runs(few).against("margin", "area")} == {0}

    def test_orders_are_paired(self, results):
        some = [r for r in results if r.method != "entropy" or r.order > 15]
        (duel,) = (
            d
            for d in Runs(some).against("margin", "area")
            if (d.set, d.method) == ("digits", "entropy")
        )
        assert duel.gain == pytest.approx(0.1)
        assert duel.error == pytest.approx(0, abs=1e-12)

    @pytest.fixture
    def report_of(self, tmp_path, results, capsys):
        file = tmp_path / "runs.csv"
        for result in results:
            append_run(file, result, "a command")

        def printed(*options):
            report.main(
                ["--results", str(file), "--out", str(tmp_path / "docs"), *options]
            )
            return capsys.readouterr().out

        return printed

    def test_what_is_kept_aside_is_not_shown(self, report_of, tmp_path):
        shown = report_of()
        assert "digits" in shown
        assert "usps" not in shown
        assert "usps" not in (tmp_path / "docs/results/pools_low.csv").read_text()
        shown = report_of("--sets", "held-out")
        assert "usps" in shown
        assert "digits" not in shown
        assert (tmp_path / "docs/results/pools_low_held_out.csv").exists()

    def test_losses_are_printed_beside_wins(self, report_of):
        shown = report_of()
        against = shown[shown.index("Against margin") : shown.index("Against random")]
        assert "entropy | +2.50 on 2 | 1 digits +10.0 | 1 noisy -5.0" in against

    def test_ranks(self, report_of, tmp_path):
        assert "logistic, ranks by mean accuracy over the curve over 3" in report_of()
        with (tmp_path / "docs/results/pools_low_ranks.csv").open() as stream:
            placed = {row["method"]: row["logistic"] for row in csv.DictReader(stream)}
        assert placed == {"random": "2.00", "margin": "1.00"}  # entropy lacks tumours

    def test_summary(self, report_of, tmp_path):
        report_of()
        with (tmp_path / "docs/results/pools_low.csv").open() as stream:
            lines = {(row["set"], row["method"]): row for row in csv.DictReader(stream)}
        line = lines["noisy", "entropy"]
        assert line["splits"] == "20"
        assert float(line["gain_against_margin"]) == pytest.approx(-0.05)
        assert float(line["p_against_margin"]) < 0.05
        assert float(line["area"]) == pytest.approx(0.56, abs=0.02)
        assert lines["noisy", "margin"]["p_against_margin"] == ""
        assert (tmp_path / "docs/images/pools_low.png").stat().st_size > 5_000


class TestGains:
    """Gains are .02 (development) and -.03 (reported), and .5 on a set of each half."""

    GAINS = {
        "appendicitis": 0.02,
        "balance": 0.5,
        "banana": 0.5,
        "clean1": 0.02,
        "covtype": 0.02,
        "australian": -0.03,
    }

    @pytest.fixture
    def tables(self, tmp_path, capsys):
        file, before = tmp_path / "runs.csv", tmp_path / "before.csv"
        for i, (name, gain) in enumerate(self.GAINS.items()):
            for order in range(1, 11):
                rng = np.random.default_rng((order, i))
                base = made_up(name, "random", 0.4, order)._replace(
                    regime="halves", model="default"
                )
                noise = 0.001 * rng.normal(size=3)
                if name == "clean1":
                    noise += 0.05 if order % 2 else -0.05
                curve = (np.array(base.accuracy) + gain + noise).tolist()
                append_run(file, base, "a command")
                hybrid = base._replace(method="hybrid", accuracy=curve)
                append_run(file, hybrid, "a command")
                if order > 5:
                    low = base._replace(accuracy=[0.1, 0.1, 0.1])
                    append_run(before, low, "a command")
                rare = base._replace(regime="rare", set="C15, rare")
                append_run(file, rare, "a command")
                rare = rare._replace(set="twonorm, rare", balanced=[0.9, 0.9, 0.9])
                append_run(file, rare, "a command")
        self.file, self.before = file, before

        def written(*options):
            out = tmp_path / "docs"
            arms = ["--arm", "hybrid lr", "--baseline", "random lr"]
            arms += ["--labels", "10", "20", "30", "--out", str(out)]
            gains.main(["--results", str(file), *arms, *options])
            capsys.readouterr()
            assert (out / "images/blend_gains.png").stat().st_size > 5_000
            return {
                path.stem: list(csv.DictReader(path.read_text().splitlines()))
                for path in (out / "results").iterdir()
            }

        return written

    def test_gains_of_each_half(self, tables):
        lines = tables()["blend_gains"]
        assert [line["labels"] for line in lines] == ["10", "20", "30", "end"] * 2
        one, *_, two = lines
        assert (one["half"], one["sets"]) == ("development", "4")
        assert one["runs losing more than 2, %"] == "12.5"  # half of clean1
        assert float(one["mean"]) == pytest.approx((0.02 * 3 + 0.5) / 4 * 100, abs=0.1)
        assert float(one["median"]) == pytest.approx(2, abs=0.1)
        assert float(one["without three largest"]) == pytest.approx(2, abs=0.1)
        assert (two["half"], two["sets"]) == ("reported", "2")
        assert two["worst set"] == "australian"
        assert float(two["worst"]) == pytest.approx(-3, abs=0.1)
        assert two["runs losing more than 2, %"] == "50.0"

    def test_losses_are_found(self, tables):
        written = tables()
        area, balanced, _ = written["blend_rows_all"]
        assert (area["sets"], area["better"], area["worse"]) == ("6", "4", "1")
        assert (area["on"], float(area["lowest gain"])) == (
            "australian",
            pytest.approx(-3, abs=0.1),
        )
        assert (balanced["better"], balanced["worse"]) == ("0", "0")
        lines = {line["set"]: line for line in written["blend_rows"]}
        loss = lines["australian"]
        assert float(loss["area"]) == pytest.approx(-3, abs=0.1)
        assert float(loss["area, p"]) < 1e-6
        assert loss["balanced_area"] == "+0.00"
        assert loss["balanced_area, p"] == ""

    def test_rare_rows_times_and_sets(self, tables):
        tables = tables()
        means, line = tables["blend_rare"], tables["blend_rare_sets"][0]
        assert [mean["sets"] for mean in means] == ["dense", "texts"]
        assert [mean["number"] for mean in means] == ["1", "1"]
        assert means[0]["balanced accuracy at 20"] != line["balanced accuracy at 20"]
        assert line["sets"] == "C15, rare"
        assert list(means[1].values())[1:] == list(line.values())[1:]
        assert (line["rare rows at 20"], line["rare rows at 30"]) == ("2.0", "3.0")
        assert tables["blend_times"][0]["mean s"] == "0.032"
        assert tables["blend_times"][0]["worst s"] == "0.040"
        halves = {line["set"]: line["half"] for line in tables["blend_sets"]}
        assert (halves["balance"], halves["banana"]) == ("development", "reported")

    def test_a_baseline_of_an_earlier_version(self, tables):
        assert {line["arm"] for line in tables()["blend_times"]} > {"random lr"}
        written = tables("--before", str(self.before))
        assert "random lr" not in {line["arm"] for line in written["blend_times"]}
        lines = written["blend_gains"]
        assert [line["arm"] for line in lines] == ["hybrid lr"] * 8
        # the other runs of the baseline would take part in the mean
        assert float(lines[0]["worst"]) == pytest.approx(32, abs=2)


def test_members_set_by_set():
    accuracies = {"a": [(0.5, 0.9, 0.6), (0.5, 0.9, 0.8)], "b": [(0.5, 0.9, 0.4)]}
    runs = [
        members.Result(name, order, 50, each, [1.0] * 3)
        for name, of in accuracies.items()
        for order, each in enumerate(of)
    ]
    first, second = members.lines_of_sets(runs)
    assert [*first.values()] == ["b", 1, "-10.00", "nan"]
    assert [*second.values()] == ["a", 2, "+20.00", "10.00"]
