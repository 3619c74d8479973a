"""Comparisons with random labels: savings, verdict, the runs, and the command."""

import dataclasses
import json
import shlex
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy.stats import chi2
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC

from sklearn_activelearn import (
    ASSLBoostClassifier,
    CBGZClassifier,
    COMBClassifier,
    DKMClassifier,
    GreedyOnlineClassifier,
    HybridSamplingClassifier,
    MarginLossClassifier,
    MinMarginClassifier,
    QueryByCommitteeClassifier,
    RandomSamplingClassifier,
    SSMarginBoostClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.__main__ import main
from sklearn_activelearn._cli.learners import parse_learner
from sklearn_activelearn.evaluation import (
    ExperimentInterrupted,
    LabelCurveDisplay,
    _comparison_result,
    _comparison_run,
    _design,
    _experiments,
    _learner_result,
    _race,
    compare,
)
from sklearn_activelearn.evaluation._learner_result import FEWEST_RUNS, LearnerResult
from sklearn_activelearn.evaluation._race import (
    Race,
    excess_width,
    is_known,
    plan_repeats,
)
from sklearn_activelearn.losses import RampLoss
from tests.learners import each_default, explores
from tests.tools import curve_of

RNG = np.random.RandomState(0)
X = RNG.standard_normal((120, 3))
Y = np.where(X[:, 0] + 0.2 * RNG.standard_normal(120) > 0, "yes", "no")
COUNTS = np.arange(10, 101, 10)
QUICK = {"cv": 2, "n_repeats": 1}


def first_column(X):
    return X[:, :1]


@pytest.fixture(scope="module")
def base():
    """Return a comparison, for tests that put their own curves into it."""
    return compare(X, Y, [DKMClassifier()], **QUICK)


@pytest.fixture(scope="module")
def result_of(base):
    """Return the result of a learner with these curves."""

    def result_of(curve, passive):
        return dataclasses.replace(base.results[0], curve=curve, passive_curve=passive)

    return result_of


def square_root_curves(
    rate, other_rate=1.0, noise=0.0, n_runs=10, counts=COUNTS, seed=0
):
    """Return curves of which the first needs 1 / rate times the labels."""
    rng = np.random.RandomState(seed)
    out = []
    for speed in (rate, other_rate):
        error = 0.5 * (speed * counts / 10.0) ** -0.5
        scores = 1 - error + noise * rng.normal(size=(n_runs, 1))
        out.append(curve_of(counts, scores))
    return out


def rejected(chosen, passive, share):
    """Return -1 if a share is rejected as too small, 1 as too large, else 0."""
    own, other = (1 - curve.scores for curve in (chosen, passive))

    def at_share(errors, kept):
        logs = np.log(COUNTS)
        return np.array([np.interp(np.log(kept * 100), logs, run) for run in errors])

    if share >= 0:
        d = at_share(own, 1 - share) - other[:, -1]
    else:
        d = own[:, -1] - at_share(other, 1 + share)
    error = d.std(ddof=1) * np.sqrt(1 / len(d))
    limit = student.ppf(0.975, len(d) - 1) * error
    return 1 if d.mean() > limit else -1 if d.mean() < -limit else 0


class TestSavings:
    @pytest.mark.parametrize("rate", [2.0, 0.5])
    def test_the_interval_holds_what_the_test_does_not_reject(self, rate, result_of):
        curves = square_root_curves(rate, noise=0.01)
        found = result_of(*curves).savings
        assert -0.9 < found.low < found.share < found.high < 0.9
        for share, expected in (
            (found.low - 0.02, -1),
            (found.low + 0.02, 0),
            (found.high - 0.02, 0),
            (found.high + 0.02, 1),
        ):
            assert rejected(*curves, share) == expected

    @pytest.mark.parametrize("noise", [0.005, 0.02, 0.03, 0.04, 0.06, 0.1])
    def test_at_no_savings_it_is_the_test_of_the_curves(self, noise, result_of):
        chosen, passive = square_root_curves(1.5, noise=noise, seed=3)
        test = chosen.compare(passive, at=[100])
        assert result_of(chosen, passive).savings.is_clear == (test.low[0] > 0)
        assert result_of(passive, chosen).savings.is_worse == (test.low[0] > 0)

    @pytest.mark.parametrize("noise", [0.0, 0.01, 0.05])
    def test_learners_that_change_places_change_the_sign(self, noise, result_of):
        """So the centre of the estimate is 0 if there is no difference."""
        for seed in range(10):
            curves = square_root_curves(1.3, noise=noise, seed=seed)
            found = result_of(*curves).savings
            swapped = result_of(*curves[::-1]).savings
            expected = -swapped.share, -swapped.high, -swapped.low
            assert tuple(found) == pytest.approx(expected)

    def test_a_dip_that_does_not_stay_is_no_saving(self, result_of):
        chosen, passive = square_root_curves(1.5)
        chosen.scores[:, 2] = 0.99
        found = result_of(chosen, passive).savings
        assert found.share == pytest.approx(1 / 3, abs=0.02)
        assert found.low == pytest.approx(1 / 3, abs=0.02)
        assert found.high > 0.7  # shares that the test does not reject there

    def test_equal_and_worse_curves(self, result_of):
        curve, _ = square_root_curves(1.0)
        found = result_of(curve, curve).savings
        assert found.share == pytest.approx(0)
        assert not found.is_clear
        assert not found.is_worse
        worse = result_of(*square_root_curves(0.5))
        assert worse.savings == pytest.approx([-0.5] * 3, abs=0.02)
        assert np.isinf(worse.n_needed)
        assert worse.savings.is_worse

    def test_each_run_is_compared_at_its_own_number_of_labels(self, result_of):
        _, passive = square_root_curves(1.0, counts=np.arange(10, 401, 10))
        short = square_root_curves(2.0, counts=np.arange(10, 201, 10))[0]
        n_bought = np.array([100, 200] * 5)
        ends = short.scores_at(n_bought).diagonal()
        known = np.where(short.n_labels > n_bought[:, None], np.nan, short.scores)
        short = curve_of(short.n_labels, known, n_bought, ends)
        found = result_of(short, passive).savings
        assert found.share == pytest.approx(0.5, abs=0.01)

    def test_a_run_alone_has_no_interval(self, result_of):
        curves = [curve.take([0]) for curve in square_root_curves(2.0)]
        assert result_of(*curves).savings == pytest.approx((0.5, -1, 1), abs=0.01)


def curves_of_errors(chosen, passive, noise=0.001, n_runs=10):
    """Return curves whose mean errors at `COUNTS` are these."""
    rng = np.random.RandomState(0)
    curves = []
    for errors in (chosen, passive):
        scores = noise * rng.normal(size=(n_runs, len(COUNTS)))
        scores += 1 - np.asarray(errors) - scores.mean(axis=0)
        curves.append(curve_of(COUNTS, scores))
    return curves


#: Random labels, and chosen ones that are worse from 30 to 60 labels and better later.
FALLING = np.linspace(0.4, 0.2, 10)
LATE = FALLING + np.array([0, 0, 0.05, 0.08, 0.06, 0.02, -0.02, -0.04, -0.04, -0.04])


class TestArea:
    @pytest.mark.parametrize("noise", [0.001, 0.02, 0.05])
    def test_it_is_the_test_of_the_areas(self, noise, result_of):
        chosen, passive = curves_of_errors(LATE, FALLING, noise)
        found = result_of(chosen, passive)
        # the mean over the counts from 10 to 100, linear in their logarithm between
        counts, logs = np.log(np.linspace(10, 100, 2_000)), np.log(COUNTS)
        weights = [np.interp(counts, logs, unit).mean() for unit in np.eye(10)]
        differences = (chosen.scores - passive.scores) @ weights
        mean, error = differences.mean(), differences.std(ddof=1) / np.sqrt(10)
        half = student.ppf(0.975, 9) * error
        expected = mean, mean - half, mean + half
        assert found.area_gain == pytest.approx(expected, rel=2e-2, abs=6e-5)
        assert found.area_range == (10, 100)
        assert found.areas[1].mean() == pytest.approx(0.3, abs=0.02)

    def test_where_chosen_labels_are_behind(self, result_of):
        found = result_of(*curves_of_errors(LATE, FALLING))
        (stretch,) = found.behind
        assert stretch.first == pytest.approx(25, abs=5)
        assert stretch.last == pytest.approx(62, abs=5)
        assert stretch.most == pytest.approx(0.08, abs=0.005)
        twice = FALLING + np.array([0.05, 0, -0.05, 0, 0, 0, -0.05, 0, 0.03, 0.05])
        first, second = result_of(*curves_of_errors(twice, FALLING)).behind
        assert (first.first, second.last) == (10, 100)
        assert first.last < 25 < 75 < second.first
        assert second.most == pytest.approx(0.05, abs=0.005)

    def test_behind_holds_for_all_counts_together(self, result_of):
        """At each count alone 5 % of equal curves differ; at any of them, at most."""
        n_behind = 0
        for seed in range(200):
            rng = np.random.RandomState(seed)
            curves = []
            for _ in range(2):
                scores = 0.7 + 0.05 * rng.normal(size=(20, 10))
                curves.append(curve_of(COUNTS, scores))
            n_behind += bool(result_of(*curves).behind)
        assert n_behind <= 11  # 5 expected at most: one side

    @pytest.mark.parametrize(
        ("chosen", "passive", "is_clear", "is_mixed"),
        [
            (LATE, FALLING, False, True),
            (FALLING, LATE, False, True),
            (FALLING - 0.02, FALLING, True, False),
            (FALLING + 0.02, FALLING, False, False),
            ([*FALLING[:-1] - 0.03, FALLING[-1] - 0.005], FALLING, True, False),
            ([*FALLING[:-1] - 0.03, FALLING[-1] + 0.005], FALLING, True, False),
            ([*FALLING[:-1] + 0.03, FALLING[-1] - 0.005], FALLING, False, False),
            ([*FALLING[:-1] + 2e-4, FALLING[-1] - 0.05], FALLING, True, False),
            ([*FALLING[:-1] + 4e-3, FALLING[-1] - 0.05], FALLING, False, True),
            (FALLING, FALLING, False, False),
        ],
    )
    def test_area_and_end_are_judged(
        self, chosen, passive, is_clear, is_mixed, result_of
    ):
        noise = [0.001] * 9 + [0.01]  # the last: no clear difference at the end
        found = result_of(*curves_of_errors(chosen, passive, noise))
        assert (found.is_clear, found.is_mixed) == (is_clear, is_mixed)


RANDOM = curve_of([1, 2, 3, 4], [[0.5, 0.6, 0.7, 0.8]] * 2, [4, 4], [0.8, 0.8])


class TestVerdict:
    @pytest.fixture(autouse=True)
    def two_runs_are_enough(self, monkeypatch):
        for module in (_comparison_result, _learner_result):
            monkeypatch.setattr(module, "FEWEST_RUNS", 2)
        monkeypatch.setattr("sklearn_activelearn.evaluation._race.FEWEST_RUNS", 2)

    @pytest.fixture
    def against(self, result_of):
        """Return the result of a learner against `RANDOM`."""

        def against(n_bought, final_scores, scores=((0.5,), (0.5,)), constant=None):
            curve = curve_of([1], scores, n_bought, final_scores, constant=constant)
            return result_of(curve, RANDOM)

        return against

    @pytest.fixture
    def text(self, base):
        """Return the report of a result on one line."""

        def text(result, target=None, effort=None):
            comparison = dataclasses.replace(
                base,
                answer=result,
                results=[result],
                target_error=target,
                classes=["no", "yes"],
                effort=effort or base.effort,
            )
            text.outcome, text.found = comparison.verdict.outcome, comparison
            return " ".join(comparison.to_text().split())

        return text

    def test_labels_saved(self, against, text):
        result = against([3, 3], [0.9, 0.9])
        np.testing.assert_allclose(result.passive_errors, [0.3, 0.3])
        assert result.n_needed == pytest.approx(np.sqrt(3), rel=0.01)  # .5, .9: .7
        said = text(result)
        assert said.startswith(
            "Use `--learner DKM`: 2 labels do what 3 random ones do with the best "
            "model for random labels, DKM (error 30.0 %), 42 % of the "
            "labels saved (95 % interval: 42). Averaged over 1 to 3 labels, chosen "
        )
        assert text.outcome == "labels saved"
        assert " 2 42 % (42) random, DKM " in said
        assert text.found.option == "DKM"
        assert repr(text.found.recommended) == "DKMClassifier()"

    @pytest.mark.parametrize(
        ("constant", "words"),
        [
            (0.6, "Use `--learner DKM`: 2 labels do what 3 random ones do"),
            (0.8, "Random labels are not clearly better than always predicting 'no'"),
            (0.95, "with 3 labels, neither chosen nor random ones are clearly better"),
        ],
    )
    def test_no_saving_at_the_level_of_a_constant(self, constant, words, against, text):
        result = against([3, 3], [0.9, 0.9], constant=constant)
        said = text(result)
        assert words in said
        level = f"{100 * (1 - constant):.1f}"
        assert f"always 'no' 0 {level} {level} data" in said.replace("runs", "data")
        assert ("42 % (42)" in said) == (constant == 0.6)
        assert ("random ≤ constant" in said) == (constant > 0.6)
        (found,) = text.found.table()
        assert found["saved_is_clear"] == (constant == 0.6)
        assert np.isnan(found["saved"]) == (constant > 0.6)
        assert found["passive_beats_constant"] == (constant == 0.6)
        assert found["beats_constant"] == (constant < 0.9)

    def test_little_above_a_constant_is_useless_and_much_is_unclear(
        self, against, text
    ):
        said = text(against([3, 3], [0.75, 0.75 + 1e-3], constant=0.8))
        assert said.startswith("No savings on these data: with 3 labels, neither")
        assert "See whether people agree on the same rows. More labels, other" in said
        assert text.outcome == "useless"
        said = text(against([3, 3], [0.95, 0.55], constant=0.8))
        assert said.startswith("It cannot")
        assert text.outcome == "unclear"
        assert "random labels are not clearly better than always predicting" in said
        assert "labels saved (" not in said.partition("labels bought")[0]
        assert "no share of labels saved yet" in text.found.headline

    def test_random_labels_must_beat_a_constant_beyond_noise(self, result_of):
        scores = np.array([[0.6], [0.4], [0.7], [0.5], [0.6]])
        curve = curve_of([10], scores, constant=0.55)
        assert not result_of(curve, curve).passive_beats_constant
        assert result_of(curve.take([0]), curve.take([0])).passive_beats_constant

    @pytest.mark.parametrize("n_held_out", [6, 60])
    def test_few_equal_errors_tell_nothing(self, n_held_out, result_of, text):
        curve, _ = square_root_curves(1.0, n_runs=5)
        rows = np.full(5, n_held_out)
        result = result_of(*[dataclasses.replace(curve, n_held_out=rows)] * 2)
        said = text(result)
        if n_held_out == 6:
            assert text.outcome == "unclear"
            assert "It cannot be told" in said
            assert "few rows are held out: errors are equal in all runs" in said
        else:
            assert text.outcome == "nothing saved"

    @pytest.mark.parametrize("constant", [0.3, 0.95])
    def test_one_run_and_a_constant(self, constant, result_of, text):
        result = result_of(*square_root_curves(2.0, n_runs=1))
        curves = [result.curve, result.passive_curve]
        result = result_of(
            *(
                dataclasses.replace(c, constant_scores=np.full(1, constant))
                for c in curves
            )
        )
        said = text(result)
        assert "It cannot be told" in said
        is_useful = constant < 0.5
        assert (
            "50 % of the labels saved (no interval: only 1 run)" in said
        ) is is_useful
        assert ("random ≤ constant" in said) is not is_useful

    @pytest.mark.parametrize(
        ("effort", "limit", "advice"),
        [
            ((2, 9, 1.0, "time"), "in a minute", "`--minutes 5`"),
            ((2, 9, 0.94, "time"), "in a minute", "`--minutes 5`"),
            ((0, 200, 1.0, "time"), "in a minute", "`--minutes 5`"),
            ((1, 200, 1.0, "time"), "in a minute", "`--minutes 10`"),
            ((4, 200, 1.0, "time"), "in a minute", "`--minutes 60`"),
            ((2, 9, 60.0, "time"), "in 60 minutes", "`--minutes 120`"),
            ((2, 9, 5.0, "time"), "in 5 minutes", "`--minutes 30`"),
            ((2, 9, 0.25, "time"), "in 15 seconds", "`--minutes 5`"),
            ((2, 9, None, "repeats"), "with 2 repeats", "`--repeats 9`"),
            ((1, 1, None, "repeats"), "with 1 repeat", "`--repeats 2`"),
            ((200, 200, None, "repeats"), "with 200 repeats", "`--repeats 400`"),
            ((6, 7, 1.0, "repeats"), "with 6 repeats", "`--repeats 12`"),
            ((0, 9, 1.0, "interrupt"), "yet", "the runs were interrupted"),
        ],
    )
    def test_too_little_time_is_no_verdict(self, effort, limit, advice, against, text):
        said = text(
            against([3, 3], [0.9, 0.72]), effort=_comparison_result.Effort(*effort)
        )
        assert said.startswith(
            f"It cannot be told {limit} whether chosen rows save labels: {advice}."
        )
        assert (
            "So far, `--learner DKM` has no clear lead over the best model for random "
            "labels, DKM, 32 % of the labels saved (95 % interval: −100 to "
        ) in said
        assert "No savings" not in said
        assert text.outcome == "unclear"

    def test_better_at_the_end_only(self, result_of, text):
        said = text(result_of(*curves_of_errors(LATE, FALLING, 1e-4)))
        assert said.startswith(
            "Use `--learner DKM` only for some numbers of labels: chosen labels are "
            "better for some and worse for others. 100 chosen labels give an error of "
            "16.0 %, and 100 random labels with the best model for random labels, "
            "DKM, one of 20.0 % (95 % interval of the difference: "
        )
        assert (
            "Averaged over 10 to 100 labels, chosen labels give an error of 31.0"
            in said
        )
        assert "behind random labels between 24 and 62 labels (by up to 7.6 p" in said
        assert text.outcome == "mixed"

    def test_better_on_average_only(self, result_of, text):
        early = FALLING - np.array([*[0.04] * 9, -0.002])
        said = text(result_of(*curves_of_errors(early, FALLING, [1e-4] * 9 + [0.05])))
        assert said.startswith(
            "Use `--learner DKM`: averaged over 10 to 100 labels, chosen labels give "
            "an error of 26.2 %, and random labels one of 30.0 % (95 % interval of the "
            "difference: 3.6–3.9 points less). At the end, 100 chosen labels "
        )
        assert (
            "interval of the difference: 3.3 points more to 2.9 points less)." in said
        )
        assert text.outcome == "smaller error"
        assert "behind" not in said

    def test_random_rows_are_better(self, against, text):
        said = text(against([3, 3], [0.6, 0.6]))
        assert said.startswith(
            "No savings on these data. Use `--learner RandomSampling:rate=1.0`, which "
            "takes random rows: 3 chosen labels give an error of 40.0 %"
        )
        assert "not within 3 −33 % (−33)" in said
        assert text.outcome == "nothing saved"
        assert repr(text.found.recommended) == "RandomSamplingClassifier(rate=1.0)"
        assert not text.found.table()[0]["is_recommended"]

    def test_random_rows_are_not_advised_if_a_constant_is_as_good(self, against, text):
        said = text(against([3, 3], [0.6, 0.6], constant=0.8))
        assert said.startswith("No savings on these data: with 3 labels, neither")
        assert text.outcome == "useless"

    def test_no_difference_and_narrow(self, result_of, text):
        curve, _ = square_root_curves(1.0)
        said = text(result_of(curve, curve))
        assert said.startswith(
            "No savings on these data: `--learner DKM` needs about as many labels as "
            "random rows with the best model for random labels, DKM, 0 % of the "
        )
        assert text.outcome == "nothing saved"

    def test_a_run_without_labels(self, against, text):
        result = against([0, 0], [0.5, 0.5])
        assert np.isnan(result.passive_errors).all()
        said = text(result)
        assert said.startswith("Nothing to compare")
        assert text.outcome == "unknown"
        assert "– unknown" in said

    def test_labels_to_a_target(self, against, text):
        said = text(against([1, 1], [0.6, 0.6]), target=0.3)
        assert " until 30.0 % " in said
        assert " DKM 1 40.0 40.0 not within 1 2 " in said


class TestRecommendation:
    @pytest.mark.parametrize(
        ("learner", "option"),
        [
            (HybridSamplingClassifier(batch_size=10, budget=200), "HybridSampling"),
            (
                MinMarginClassifier(SVC(C=10), n_initial=4, random_state=1),
                "'MinMargin:estimator=SVC(C=10),n_initial=4'",
            ),
            (
                HybridSamplingClassifier(
                    LogisticRegression(class_weight="balanced", max_iter=1_000)
                ),
                "'HybridSampling:estimator=LogisticRegression("
                'class_weight="balanced", max_iter=1000)\'',
            ),
            (
                MinMarginClassifier(make_pipeline(StandardScaler(), SVC(C=10))),
                "'MinMargin:estimator=Pipeline(steps=[("
                '"standardscaler", StandardScaler()), ("svc", SVC(C=10))])\'',
            ),
            (
                HybridSamplingClassifier()._passive_baseline(),
                "'Passive:estimator=BlendClassifier()'",
            ),
        ],
    )
    def test_the_command_label_takes_it(self, learner, option):
        text = _comparison_result.learner_option(learner)
        assert text == option
        (value,) = shlex.split(text)
        same = clone(learner).set_params(budget=100, batch_size=1, random_state=None)
        assert repr(parse_learner(value)) == repr(same)

    def test_names_tell_learners_apart(self):
        learners = [
            HybridSamplingClassifier(), HybridSamplingClassifier(SVC()),
            DKMClassifier(), DKMClassifier(R=2),
        ]  # fmt: skip
        assert _comparison_result.short_names(learners) == [
            "HybridSampling", "HybridSampling, SVC", "DKM (1)", "DKM (2)"
        ]  # fmt: skip


def noisy_curves(errors, n_runs, rng, noise=0.01, n_bought=200):
    """Return a curve for each mean error, with runs in common."""
    counts, shared = np.array([10, 50, 100, 150, 200]), rng.normal(size=(n_runs, 1))
    curves = {}
    for key, error in enumerate(errors):
        mean = 1 - error * (counts / 200) ** -0.3
        own = rng.normal(size=(n_runs, len(counts)))
        curves[key] = curve_of(counts, mean + 0.02 * shared + noise * own)
    return curves


def race_of(errors, n_learners, n_runs=20, seed=0, **how):
    race = Race(range(n_learners), range(n_learners, len(errors)))
    curves = noisy_curves(errors, n_runs, np.random.RandomState(seed), **how)
    for key, curve in curves.items():
        race.add(key, range(n_runs), curve)
    return race


class TestRace:
    def test_the_first_one_unless_another_is_better_beyond_noise(self):
        assert race_of([0.2, 0.2, 0.2, 0.3], 3).choose_learner() == 0
        assert race_of([0.2, 0.198, 0.199, 0.3], 3).choose_learner() == 0
        assert race_of([0.2, 0.15, 0.2, 0.3], 3).choose_learner() == 1
        assert race_of([0.2, 0.15, 0.1, 0.3], 3).choose_learner() == 2

    def test_the_best_model_for_random_labels(self):
        assert race_of([0.2, 0.3, 0.25, 0.4], 1).choose_passive(0) == 2

    def test_a_baseline_with_fewer_labels_does_not_count(self):
        race = race_of([0.2, 0.3, 0.25], 1)
        short = race.curves[2]
        curve = curve_of(
            short.n_labels[:2], short.scores[:, :2], [50] * 20, short.scores[:, 1] + 0.5
        )
        race.add(2, range(20), curve)
        assert race.choose_passive(0) == 1

    def test_each_half_is_judged_by_the_choice_of_the_other(self):
        """The even runs choose the second learner, which is better there only."""
        race = race_of([0.2, 0.2, 0.3], 2, noise=1e-4)
        even = np.arange(20) % 2 == 0
        race.curves[1].scores[even] += 0.05
        race.curves[1].final_scores[even] += 0.05
        race.curves[1].scores[~even] -= 0.05
        race.curves[1].final_scores[~even] -= 0.05
        assert (race.choose_learner(0), race.choose_learner(1)) == (1, 0)
        found = race.judge()
        own = np.concatenate(
            [race.curves[0].final_scores[even], race.curves[1].final_scores[~even]]
        )
        np.testing.assert_array_equal(found.curve.final_scores, own)
        both = np.concatenate(
            [race.curves[2].final_scores[even], race.curves[2].final_scores[~even]]
        )
        np.testing.assert_array_equal(found.passive_curve.final_scores, both)

    def test_who_cannot_win_runs_no_further(self):
        race = race_of([0.2, 0.2, 0.4, 0.3, 0.5], 3, n_runs=5)
        ups_and_downs = np.array([[0.05], [-0.05], [0.05], [-0.05], [0.0]])
        race.curves[1].scores[:] = race.curves[0].scores + ups_and_downs
        race.drop_answered()
        assert race.in_race == [0, 1]
        assert race.passives_in_race == [3]
        race = race_of([0.2, 0.2, 0.4, 0.3, 0.5], 3, n_runs=400, noise=0.05)
        race.drop_answered()
        assert race.in_race == [0]  # the second one is as good, but not better

    def test_runs_that_all_have(self):
        race = race_of([0.2, 0.3, 0.4], 1)
        race.add(2, range(3, 9), race.curves[2].take(range(3, 9)))
        assert race.common_runs([0, 2]).tolist() == [3, 4, 5, 6, 7, 8]
        assert race.common_runs([0, 2], half=1).tolist() == [3, 5, 7]
        pair = race.pair(0, 2)
        assert pair.curve.runs.tolist() == pair.passive_curve.runs.tolist()

    @pytest.mark.parametrize("sign", [1, -1])
    def test_width_alone_ends_it(self, sign):
        errors = [0.2, 0.25][::sign]
        for noise, narrow in (1e-3, True), (0.05, False):
            found = race_of(errors, 1, n_runs=10, noise=noise).judge()
            assert is_known(found) == narrow
            assert (excess_width(found) <= 1) == narrow
            assert (plan_repeats(found, 2) == 2) == narrow

    def test_the_plan_is_what_narrow_intervals_need(self):
        found = race_of([0.2, 0.3], 1, n_runs=10, noise=0.03).judge()
        n = plan_repeats(found, 2)
        excess = excess_width(found)

        spread = np.sqrt(9 / chi2.ppf(0.2, 9))  # the upper end at 80 %, of ten runs

        def width(repeats):
            return student.ppf(0.975, 5 * repeats - 1) / np.sqrt(5 * repeats)

        assert width(n) * excess * spread <= width(2)
        assert width(n - 1) * excess * spread > width(2)

    def test_few_runs_that_agree_by_chance_do_not_end_it(self):
        """The interval is narrow, but it would be too wide with a likely spread."""
        scale = next(
            noise
            for noise in np.geomspace(1e-4, 0.1, 200)
            if excess_width(race_of([0.2, 0.25], 1, n_runs=5, noise=noise).judge())
            > 0.8
        )
        found = race_of([0.2, 0.25], 1, n_runs=5, noise=scale).judge()
        assert is_known(found)
        assert plan_repeats(found, 1) == 2
        fewer = race_of([0.2, 0.25], 1, n_runs=FEWEST_RUNS - 1, noise=1e-4).judge()
        assert not is_known(fewer)

    def test_it_is_planned_at_set_times_and_again_if_intervals_stay_wide(self):
        wide = race_of([0.2, 0.25], 1, n_runs=10, noise=0.05)
        narrow = race_of([0.2, 0.25], 1, n_runs=10, noise=1e-3)
        n_needed = {n: plan_repeats(wide.judge(), n) for n in (1, 2, 4, 7)}
        assert [wide.plan(n, 7) for n in (1, 4)] == [n_needed[1], n_needed[4]]
        assert [narrow.plan(n, 7) for n in (1, 4)] == [1, 4]
        assert wide.plan(2, 7) == 7  # not yet
        assert wide.plan(7, 7) == n_needed[7] > 7
        assert narrow.plan(7, 7) == 7

    def test_equal_errors_are_known_where_no_share_is(self):
        """A flat curve: any number of labels does as well."""
        counts, rng = np.array([10, 100, 200]), np.random.RandomState(0)
        curves = [curve_of(counts, 0.8 + 1e-3 * rng.normal(size=(20, 3))) for _ in "ab"]
        found = LearnerResult(None, None, *curves)
        assert found.savings.high - found.savings.low > 0.5
        assert is_known(found)

    def test_a_share_is_known_where_errors_are_not(self):
        """A steep curve: few labels make much difference."""
        counts, rng = np.array([10, 50, 100, 150, 200]), np.random.RandomState(0)
        errors = np.array([0.8, 0.4, 0.2, 0.1, 0.05])
        curves = [
            curve_of(counts, 1 - errors + 0.004 * rng.normal(size=(10, 5)))
            for _ in "ab"
        ]
        found = LearnerResult(None, None, *curves)
        assert found.gain[2] - found.gain[1] > 0.05 * found.passive_errors.mean()
        assert is_known(found)

    def test_a_run_without_labels_ends_it(self):
        curve = curve_of([1], [[0.5]] * 5, [0] * 5, [0.5] * 5)
        found = LearnerResult(None, None, curve, curve)
        assert np.isnan(excess_width(found))
        assert is_known(found)
        assert plan_repeats(found, 1) == 1


class TestComparison:
    def test_forms(self, base):
        (result,) = base.results
        assert str(base) == base.to_text()
        (row,) = base.to_frame().to_dict("records")
        assert (row["learner"], row["option"]) == ("DKMClassifier", "DKM")
        assert row["error"] == pytest.approx(result.errors.mean())
        assert row["saved"] == base.answer.savings.share
        found = json.loads(json.dumps(base.to_dict(), allow_nan=False))
        assert found["verdict"]["text"] == base.verdict.text
        assert (found["option"], found["n_repeats"]) == ("DKM", 1)
        assert (
            found["results"][0]["runs"]["labels_bought"]
            == result.curve.n_bought.tolist()
        )
        display = base.plot()
        assert isinstance(display, LabelCurveDisplay)
        names = [line.get_label() for line in display.lines_]
        assert names == ["DKM", "random, DKM"]

    def test_preprocessing_is_part_of_each_run(self):
        class Counted(StandardScaler):
            fitted = 0

            def fit(self, X, y=None):
                type(self).fitted += 1
                assert y is None
                return super().fit(X)

        found = compare(X, Y, [DKMClassifier()], preprocessor=Counted(), **QUICK)
        assert Counted.fitted == 4
        assert found.results[0].learner.__class__ is DKMClassifier

    def test_learners_share_a_baseline(self):
        states = []
        found = compare(
            X, Y, [CBGZClassifier(), DKMClassifier(), DKMClassifier(R=2)], **QUICK,
            progress=states.append,
        )  # fmt: skip
        assert [each.learner.rate for each in found.passives] == [1.0]
        # the baseline of all three runs once
        assert [(each.done, each.total) for each in states[:8]] == [
            (n, 8) for n in range(1, 9)
        ]
        assert all(each.repeat == 1 for each in states)
        assert states[-1].share == 1
        assert "labels saved" in states[-1].answer or "lost" in states[-1].answer

    def test_a_bar_shows_the_answer_so_far(self, capsys, monkeypatch):
        monkeypatch.setenv("FORCE_COLOR", "1")
        compare(X, Y, [CBGZClassifier(), DKMClassifier()], **QUICK, progress=True)
        assert "repeat 1, run 6 of 6" in (out := capsys.readouterr().out)
        assert "so far: CBGZ: " in out

    def test_the_same_number_of_repeats_gives_the_same(self, monkeypatch):
        """Also if some learners have left the race."""
        monkeypatch.setattr(_race, "PLANNED_AFTER", (1, 3))
        monkeypatch.setattr(_race, "plan_repeats", lambda *_: 3)
        learners = [DKMClassifier(), CBGZClassifier(b=1e-9), DKMClassifier(R=2)]
        planned = compare(X, Y, learners, cv=3, minutes=5)
        assert planned.effort.n_repeats == 3
        fixed = compare(X, Y, learners, cv=3, n_repeats=3)
        assert "--repeats 3" in planned.to_text()
        one, two = planned.to_dict(), fixed.to_dict()
        assert (one.pop("minutes"), two.pop("minutes")) == (5.0, None)
        assert one["ended_by"] == "repeats"  # more minutes would change nothing
        assert one == two

    def test_time_ends_the_repeats(self, monkeypatch):
        now = 0.0

        class Slow(DKMClassifier):
            def learn(self, *args, **kwargs):
                nonlocal now
                now += 0.2  # whatever else the machine does
                return super().learn(*args, **kwargs)

        for module in _comparison_run, _experiments:
            monkeypatch.setattr(module, "monotonic", lambda: now)
        monkeypatch.setattr(_race, "plan_repeats", lambda *_: 100)
        found = compare(X, Y, [Slow()], cv=2, minutes=5 / 60)
        assert found.effort.n_repeats == 11  # of .4 s, and a part to spare
        assert found.effort.ended_by == "time"
        found = compare(X, Y, [Slow()], cv=4, minutes=0.5 / 60)
        assert found.effort.n_repeats == 0  # within the first one
        n_runs = len(found.answer.errors)
        assert 1 <= n_runs < 4
        assert f"{n_runs} of 4 folds, not a whole repeat" in found.to_text()
        assert "--repeats" not in found.to_text()

    def test_a_learner_without_a_run_in_time_is_left_out(self):
        class Slow(DKMClassifier):
            def learn(self, *args, **kwargs):
                time.sleep(0.1)
                return super().learn(*args, **kwargs)

        learners = [Slow(), CBGZClassifier(), MinMarginClassifier(budget=15)]
        found = compare(X, Y, learners, cv=3, minutes=1e-4)
        assert [result.learner for result in found.results] == learners[:1]
        assert len(found.answer.errors) == 1
        text = found.to_text()
        assert "`--learner Slow`" in found.verdict.text
        assert "(no interval: only 1 run)" in found.verdict.text
        assert "note  left out: no run of CBGZClassifier has ended in time" in text
        assert "left out: no run of MinMarginClassifier(budget=15) has" in text
        assert "left out: no run of PassiveClassifier" in text

    def test_narrow_intervals_end_the_repeats(self):
        easy = np.where(X[:, 0] > 0, "yes", "no")
        found = compare(X, easy, [RandomSamplingClassifier(rate=1.0)], cv=4)
        assert found.effort.n_repeats == 1  # random labels against the same

    @pytest.mark.every_learner
    def test_runs_side_by_side_are_the_same(self, monkeypatch):
        """In threads, and with the profile `explore` in processes."""
        if not explores():
            threads = lambda *_, **__: parallel_config("threading")  # noqa: E731
            monkeypatch.setattr(_comparison_run, "parallel_config", threads)
        learners, told = [CBGZClassifier(), DKMClassifier()], []
        one_by_one = compare(X, Y, learners, **QUICK)
        together = compare(X, Y, learners, **QUICK, n_jobs=2, progress=told.append)
        assert together.to_dict() == one_by_one.to_dict()
        assert [state.done for state in told[:6]] == [1, 2, 3, 4, 5, 6]
        learners[1].set_params(R=-1)  # an error elsewhere names the learner
        with pytest.raises(ValueError, match=r"^DKMClassifier\(R=-1\): R == -1"):
            compare(X, Y, learners, **QUICK, n_jobs=2)
        with pytest.raises(ZeroDivisionError) as stop:
            compare(X, Y, learners[:1], **QUICK, scoring=lambda *_: 1 / 0, n_jobs=2)
        (note,) = stop.value.__notes__
        first = "CBGZClassifier", "RandomSamplingClassifier(rate=1.0)"
        assert note in [f"This happened in a run of {name}." for name in first]

    def test_a_learner_has_the_notes_of_its_own_runs_once(self):
        class Noisy(CBGZClassifier):
            def learn(self, *args, **kwargs):
                warnings.warn("so it is", UserWarning, stacklevel=2)
                return super().learn(*args, **kwargs)

        learners = [DKMClassifier(), Noisy(), DKMClassifier(R=2)]

        def progress(state):
            warnings.warn("the caller's own", UserWarning, stacklevel=2)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = compare(X, Y, learners, **QUICK, progress=progress)
        assert [result.notes for result in found.results] == [(), ("so it is",), ()]

    def test_sentences_and_table_have_the_same_errors(self, base):
        """Also if the halves of the runs have chosen different models."""
        race = race_of([0.2, 0.3, 0.3], 1, n_runs=10, noise=1e-4)
        even = np.arange(10) % 2 == 0
        for key, runs, gain in (1, even, 0.05), (2, ~even, 0.04):
            race.curves[key].scores[runs] += gain
            race.curves[key].final_scores[runs] += gain
        chosen = [race.choose_passive(0, half) for half in range(2)]
        assert sorted(chosen) == [1, 2]
        runners = [DKMClassifier(), LinearSVC(), SVC()]
        key, found = race.choose_passive(0), race.judge()
        pair = race.pair(0, key)
        comparison = dataclasses.replace(
            base,
            answer=dataclasses.replace(found, learner=runners[0], passive=runners[key]),
            results=[
                dataclasses.replace(pair, learner=runners[0], passive=runners[key])
            ],
            passives=[
                _comparison_result.Passive(runners[k], race.curves[k], f"model {k}")
                for k in (1, 2)
            ],
        )
        level = comparison.measure.text(pair.passive_errors.mean())
        assert level != comparison.measure.text(found.passive_errors.mean())
        assert f"model {key} (error {level})" in comparison.verdict.text
        assert f"random labels {level}" in comparison.headline
        (line,) = (
            line.split()
            for line in str(comparison).splitlines()
            if line.startswith(f"random, model {key}")
        )
        assert line[4] == level.removesuffix(" %")

    def test_a_difference_over_fewer_runs_says_how_many(self, base, result_of):
        result = result_of(*square_root_curves(2.0, n_runs=8, noise=0.01))
        fewer = result_of(*square_root_curves(2.0, n_runs=5, noise=0.01))
        for each, says in (result, False), (fewer, True):
            gain = _comparison_result.Gain("{n} rows", "{n} others", each)
            found = dataclasses.replace(base, answer=result, contrasts=(gain,))
            assert ("of the difference, 5 runs: " in found.gains[0]) == says

    def test_model_and_rows(self, monkeypatch):
        """By default one logistic regression shows what the model brings."""
        monkeypatch.setattr(
            "sklearn_activelearn.evaluation._design.HybridSamplingClassifier",
            lambda **params: MinMarginClassifier(SVC(C=10), n_initial=10, **params),
        )
        y = np.where((X[:, :2] ** 2).sum(axis=1) > 1.3, "out", "in")
        found = compare(X[:90], y[:90], cv=3, n_repeats=2)
        model, rows = (gain.result for gain in found.contrasts)
        assert model.passive_curve.runs.tolist() == model.curve.runs.tolist()
        assert model.gain[0] > 0.1  # no line separates a circle
        assert repr(found.recommended.estimator) == "SVC(C=10)"
        assert repr(found.answer.passive.estimator) == "SVC(C=10)"
        first, second = found.gains
        assert first.startswith("Model: with 20 random labels, SVC has an error of")
        numbers = [
            f"{100 * e.mean():.1f} %" for e in (model.errors, model.passive_errors)
        ]
        assert all(number in first for number in numbers)
        assert "and LogisticRegression one of" in first
        assert second.startswith(
            "Rows: with the same model, SVC, 20 chosen labels give"
        )
        assert f"{100 * rows.errors.mean():.1f} %" in second
        said = " ".join(found.to_text().split())
        assert f"{first} {second}" in said
        told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert told["gains"] == found.gains
        assert (len(told["results"]), len(told["passives"])) == (3, 2)
        display = found.plot()
        names = [line.get_label() for line in display.lines_]
        assert names == [
            "MinMargin, SVC", "random, SVC", "MinMargin, LogisticRegression",
            "UncertaintySampling, LogisticRegression", "random, LogisticRegression",
        ]  # fmt: skip
        bands = [each for each in display.ax_.collections if len(each.get_paths())]
        assert len(bands) == 2

    def test_what_rows_are_made_of(self, monkeypatch):
        monkeypatch.setattr(
            "sklearn_activelearn.evaluation._design.HybridSamplingClassifier",
            lambda **params: MinMarginClassifier(n_initial=10, **params),
        )
        other = "with one column", FunctionTransformer(first_column)
        found = compare(X, Y, cv=2, n_repeats=2, other_preprocessor=other)
        *_, third = found.gains
        assert third.startswith("What the rows are made of: with 20 chosen labels, the")
        assert "and with one column one of" in third
        assert len(found.contrasts[-1].result.errors) == 2  # the first repeat only

    def test_two_runs_have_no_interval(self, base, monkeypatch):
        errors = np.full(2, 0.5)
        said = base._contrast("a", "b", errors, errors, (0.0, -3.8, 3.2))
        assert "(no interval: only 2 runs)" in said
        said = base._contrast("a", "b", errors[:1], errors[:1], (0.0, -3.8, 3.2))
        assert "(no interval: only 1 run)" in said
        monkeypatch.setattr(_comparison_result, "FEWEST_RUNS", 2)
        said = base._contrast("a", "b", errors, errors, (0.0, -3.8, 3.2))
        assert "100.0 points more to 100.0 points less" in said  # at most

    def test_two_runs_decide_nothing(self, base, result_of):
        answer = result_of(*square_root_curves(2.0, n_runs=2))
        assert answer.is_clear
        assert dataclasses.replace(base, answer=answer).verdict.outcome == "unclear"

    def test_learners_that_are_given_have_no_model_beside_them(self, base):
        assert (base.contrasts, base.gains) == ((), [])

    def test_interrupted(self):
        def interrupt(state):
            if state.repeat == 2 and state.done == 3:
                raise KeyboardInterrupt

        learners = [CBGZClassifier(), DKMClassifier()]
        with pytest.raises(ExperimentInterrupted, match="after 15 runs") as stop:
            compare(X, Y, learners, cv=4, n_repeats=5, progress=interrupt)
        found = stop.value.result
        assert found.effort.ended_by == "interrupt"
        assert found.effort.n_repeats == 1
        assert len(found.answer.errors) == 5
        assert "4 folds × 1 repeat and 1 more run, 90 to" in found.to_text()

        def at_once(state):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt, match="each learner") as stop:
            compare(X, Y, learners, cv=4, n_repeats=5, progress=at_once)
        assert not isinstance(stop.value, ExperimentInterrupted)

    @pytest.mark.parametrize(
        ("changes", "error", "words"),
        [
            ({"learners": [SVC()]}, TypeError, "must be a list of active learners"),
            ({"learners": [DKMClassifier]}, TypeError, r"such as \[MinMargin"),
            ({"learners": DKMClassifier()}, TypeError, "must be a list"),
            ({"learners": []}, TypeError, "must be a list"),
            ({"X": DKMClassifier(), "y": X}, TypeError, "X must be rows"),
            ({"y": Y[:5]}, ValueError, "each of the 120 rows of X, got 5"),
            ({"other_preprocessor": ("words", StandardScaler)}, TypeError, "words, tr"),
            ({"other_preprocessor": 3}, TypeError, r"\(words, transformer\), got 3"),
            ({"y": np.c_[Y, Y]}, ValueError, "y has 2 columns"),
            ({"y": ["a"] * 120}, ValueError, "All labels are a: two classes"),
            (
                {"y": ["a"] * 119 + ["b"]},
                ValueError,
                "5 rows, .* b has 1. Classes with too few rows: 1 of 2, .* Use fewer",
            ),
            (
                {"y": np.arange(120)},
                ValueError,
                "but 0 has 1. .*: 120 of 120, .* Are these classes. Numbers",
            ),
            ({"scoring": ["accuracy", "f1"]}, ValueError, "one measure"),
            ({"scoring": "neg_log_loss"}, ValueError, "needs predict_proba, which DKM"),
            ({"scoring": lambda *_: np.nan}, ValueError, "^DKM.*NaN.* 5 of 5"),
            ({"scoring": lambda *_: "good"}, ValueError, "numbers, got {.*: 'good'"),
            ({"n_repeats": 0}, ValueError, "n_repeats"),
            ({"random_state": None}, TypeError, "random_state"),
            ({"X": np.full((120, 3), np.nan)}, ValueError, "DKM.*NaN"),
            ({"minutes": 0}, ValueError, "minutes"),
        ],
    )
    def test_bad_arguments(self, changes, error, words):
        arguments = {"X": X, "y": Y, "learners": [DKMClassifier()], **changes}
        with pytest.raises(error, match=words):
            compare(**arguments)

    def test_a_class_with_a_row_for_each_fold(self):
        y = ["a"] * 10 + ["b"] * 5
        assert _comparison_run.check_class_sizes(np.array(y), 5) == ["a", "b"]


class TestDesign:
    POOL = UncertaintySamplingClassifier(GaussianNB())

    @staticmethod
    def design(n_rows, learners=None, max_rows=None, cv=5, row_size=10):
        n = _design.count_run_rows(learners, max_rows, n_rows)
        return _design.Design(n_rows, 10, row_size, cv, 0, n)

    def test_small_tables_are_used_as_they_are(self):
        design, y = self.design(1_000, [self.POOL]), np.arange(1_000) % 2
        repeats = design.draw_repeats(np.empty((1_000, 1)), y)
        for _ in range(2):
            tasks = next(repeats)
            assert [len(test) for _, test, _ in tasks] == [200] * 5
            assert len({*np.concatenate([test for _, test, _ in tasks])}) == 1_000

    def test_runs_on_a_larger_table_draw_rows(self):
        for learners, n in ([self.POOL], 2_500), (None, 2_500), ([DKMClassifier()], 0):
            design, y = self.design(3_000, learners), np.arange(3_000) % 2
            tasks = next(design.draw_repeats(np.empty((3_000, 1)), y))
            sizes = {len(train) + len(test) for train, test, _ in tasks}
            assert sizes == {n or 3_000}
        design = self.design(3_000, [DKMClassifier()], max_rows=100)
        repeats = design.draw_repeats(np.empty((3_000, 1)), y)
        first, second = next(repeats), next(repeats)
        assert len(first[0][0]) == 80
        assert {*first[0][0]} != {*second[0][0]}

    def test_more_repeats_begin_with_the_same_runs(self):
        for max_rows in None, 100:
            design, y = self.design(300, None, max_rows), np.arange(300) % 2
            one, other = (design.draw_repeats(np.empty((300, 1)), y) for _ in "ab")
            next(one), next(other)
            for mine, same in zip(next(one), next(other), strict=True):
                np.testing.assert_array_equal(mine[0], same[0])
                assert mine[2] == same[2]

    def test_default_learners(self):
        for n_rows, budget in ((50, 20), (569, 110), (49_999, 200)):
            hybrid, fixed, uncertain = self.design(n_rows).default_learners(None)
            default = HybridSamplingClassifier(batch_size=10, budget=budget)
            assert repr(hybrid) == repr(default)
            for learner in fixed, uncertain:
                assert repr(learner.estimator) == "LogisticRegression(max_iter=1000)"
                assert (learner.batch_size, learner.budget) == (10, budget)

    def test_default_learners_weigh_unequal_classes(self):
        """The blend of the first one judges its models by the measure."""
        learners = self.design(50_000).default_learners("balanced")
        are_weighed = ["class_weight='balanced'" in repr(each) for each in learners]
        assert are_weighed == [False, True, True, True]

    @pytest.mark.parametrize(
        ("n_rows", "row_size", "code"),
        [
            (50_000, 1_000, "RLSSamplingClassifier(budget=200)"),
            (50_000, 1_001, "GreedyOnlineClassifier(budget=200, learning_rate='adapt"),
            (49_999, 10, "UncertaintySamplingClassifier("),
        ],
    )
    def test_a_stream_learner_where_it_is_meant_for_the_data(
        self, n_rows, row_size, code
    ):
        learners = self.design(n_rows, row_size=row_size).default_learners(None)
        assert repr(learners[-1]).startswith(code)

    def test_random_labels_end_with_the_largest_budget_of_their_model(self):
        learners = [clone(self.POOL).set_params(budget=b) for b in (30, 60)]
        other = UncertaintySamplingClassifier(GaussianNB(), n_initial=3, budget=0.5)
        learners = [*learners, other, DKMClassifier(budget=5)]
        steps, own = _comparison_run.plan_steps(learners, None, None)
        assert own == [4, 4, 5, 6]
        assert [step.runner.get_params().get("budget") for step in steps[4:]] == [
            60, None, None
        ]  # fmt: skip
        steps, _ = _comparison_run.plan_steps(learners[:2], 0.1, None)
        assert [step.runner.budget for step in steps] == [30, 60, None]

    @pytest.mark.parametrize("n_rows", [4, 99, 150, 1797])
    def test_label_counts_include_all_of_every_run(self, n_rows):
        learner = DKMClassifier()
        counts = self.design(n_rows, [learner], cv=2).label_counts(learner)
        most = n_rows - n_rows // 2
        assert {1, n_rows // 2, most} <= set(counts.tolist())
        assert counts[-1] == most
        assert (np.diff(counts) <= 0.1 * counts[1:] + 1).all()

    def test_label_counts_of_a_budget_are_those_after_a_training(self):
        learner = UncertaintySamplingClassifier(
            GaussianNB(), n_initial=7, batch_size=20, budget=187
        )
        counts = self.design(1_000).label_counts(learner)
        assert counts.tolist() == [7, 27, 47, 67, 87, 127, 147, 187]

    @pytest.mark.parametrize("n_rows", [23, 100])
    def test_a_budget_beyond_the_rows(self, n_rows):
        counts = self.design(n_rows).label_counts(self.POOL)
        assert {n_rows - -(-n_rows // 5), n_rows - n_rows // 5} <= {*counts.tolist()}


class TestPassiveBaseline:
    def test_of_a_stream_learner_keeps_the_model_and_buys_everything(self):
        learner = DKMClassifier(R=2, update="dkm", average=False, budget=3, patience=2)
        assert repr(learner._passive_baseline()) == repr(
            RandomSamplingClassifier(rate=1.0, update="dkm", average=False)
        )
        learner = MarginLossClassifier(RampLoss(t=2.0), eta0=0.2, n_warm_start=9)
        for sampler in (learner, GreedyOnlineClassifier(loss="ramp", eta0=0.2)):
            twin = sampler._passive_baseline()
            assert twin.fit([[0.0], [1.0]] * 9, [0, 1] * 9).n_queries_ == 18
            assert (twin.loss, twin.eta0) == ("hinge", 0.2)

    def test_of_a_pool_learner(self):
        learner = MinMarginClassifier(
            budget=3, batch_size=2, stopping="margin_exhausted"
        )
        passive = learner._passive_baseline()
        assert repr(passive.estimator) == repr(LinearSVC())
        assert (passive.budget, passive.batch_size, passive.stopping) == (None, 2, None)
        grid = {"C": [1.0, 2.0]}
        committee = QueryByCommitteeClassifier(SVC(), param_grid=grid)
        assert committee._passive_baseline().param_grid == grid
        boosted = (
            COMBClassifier(GaussianNB(), n_estimators=7)._passive_baseline().estimator
        )
        assert (repr(boosted.estimator), boosted.n_estimators) == ("GaussianNB()", 7)
        passive = ASSLBoostClassifier(alpha=0.5, budget=3)._passive_baseline()
        assert isinstance(passive, SSMarginBoostClassifier)
        assert (passive.alpha, passive.budget) == (0.5, None)

    @each_default
    def test_it_buys_every_label(self, prototype):
        X, y = load_iris(return_X_y=True)
        X = StandardScaler().fit_transform(X)
        passive = (
            prototype._passive_baseline().set_params(random_state=0).fit(X[::5], y[::5])
        )
        assert passive.n_queries_ == 30


def write_table(path, X, y):
    names = [f"x{k}" for k in range(X.shape[1])]
    pd.DataFrame(X, columns=names).assign(kind=y).to_csv(path, index=False)


class TestCommand:
    SMALL = ("--folds", "2", "--repeats", "2", "--jobs", "1")
    Y = np.where(X[:, 0] > np.quantile(X[:, 0], 0.75), "yes", "no")

    @pytest.fixture
    def run(self, tmp_path, capsys):
        path = tmp_path / "rows.csv"
        write_table(path, X, self.Y)
        data = ["--data", str(path), "--target", "kind"]

        def run(*argv):
            code = main(["compare", *self.SMALL, *data, *argv])
            return code, *capsys.readouterr()

        run.path = path
        return run

    def test_the_default_measure_of_unequal_classes(self, run):
        code, out, err = run("--learner", "CBGZ")
        assert code == 0
        share = f"{100 * np.mean(self.Y == 'no'):.0f} %"
        why = f"balanced error: the mean over classes, because {share} of the labels"
        assert f"{why} are 'no'" in err
        assert f"{why} are 'no'" in out
        assert "balanced error (%)" in out
        (row,) = (line for line in out.splitlines() if line.startswith("always"))
        assert row.split() == ["always", "'no'", "0", "50.0", "50.0"]

    def test_seventy_percent_of_the_labels_are_not_most(self):
        for n_a, measure in (35, "error"), (36, "balanced error"):
            y = np.repeat(["a", "b"], [n_a, 50 - n_a])
            found = compare(X[:50], y, [DKMClassifier()], **QUICK)
            assert found.measure.name == measure

    def test_a_measure_of_one_class(self, run):
        argv = ["--learner", "CBGZ", "--scoring", "average_precision", "--json"]
        _, out, _ = run(*argv)
        found = json.loads(out)
        assert found["measure"]["scoring"] == "average_precision:yes"
        (result,) = found["results"]
        level = 1 - result["constant_error"]
        assert level == pytest.approx(np.mean(self.Y == "yes"), abs=0.01)
        _, out, _ = run(*argv[:-1], "--target-error", "0.5")
        assert "average precision of 'yes'" in out
        (row,) = (line for line in out.splitlines() if line.startswith("always"))
        assert row.split() == ["always", "'no'", "0", *[f"{level:.3f}"] * 2, "–"]
        assert "until 0.500" in out

    def test_probabilities_where_there_are_none(self, run):
        code, out, err = run("--scoring", "neg_log_loss", "--learner", "CBGZ")
        assert (code, out) == (2, "")
        assert "1 of" not in err
        assert err.count("\n") == 4
        two = ["--learner", "UncertaintySampling", "--learner", "CBGZ"]
        assert run("--scoring", "neg_log_loss", *two)[:2] == (2, "")
        assert "'neg_log_loss' needs predict_proba, which CBGZClassifier does" in err

    @pytest.mark.usefixtures("quick_blend")
    def test_default_learners_that_do_not_support_a_measure(self, run, monkeypatch):
        monkeypatch.setattr(_design, "LEAST_SQUARES_SIZE", 2)
        monkeypatch.setattr(_design, "MANY_ROWS", 100)
        code, out, _ = run("--scoring", "neg_log_loss", "--rows", "60")
        assert code == 0
        assert "note  left out: scoring='neg_log_loss' needs predict_proba" in out
        assert "HybridSampling" in out
        assert "GreedyOnline " not in out
        assert "log loss" in out


def test_a_table_with_texts_names_the_encoder():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"review": ["good film", "bad film"] * 40, "n": range(80)})
    y = np.array(["a", "b"] * 40)
    with pytest.raises(ValueError, match=r"'good film'.*preprocessor=TableEncoder\(\)"):
        compare(X, y, n_repeats=1)
