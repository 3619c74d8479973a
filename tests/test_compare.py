"""Comparisons with random labels: savings, verdict, the runs, and the command."""

import dataclasses
import json
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
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
from sklearn_activelearn.evaluation import (
    ExperimentInterrupted,
    LabelCurveDisplay,
    _compare,
    _comparison,
    _design,
    compare,
)
from sklearn_activelearn.evaluation._compare import reporting_steps
from sklearn_activelearn.losses import RampLoss
from tests.learners import each_default, explores
from tests.tools import curve_of

RNG = np.random.RandomState(0)
X = RNG.standard_normal((120, 3))
Y = np.where(X[:, 0] + 0.2 * RNG.standard_normal(120) > 0, "yes", "no")
COUNTS = np.arange(10, 101, 10)
QUICK = {"cv": 2, "n_repeats": 1}


@pytest.fixture(scope="module")
def base():
    """Return a comparison, for tests that put their own curves into it."""
    return compare(X, Y, [DKMClassifier()], **QUICK)


@pytest.fixture(scope="module")
def result_of(base):
    """Return the result of a learner with these curves."""

    def result_of(curve, passive, confidence=0.95):
        return dataclasses.replace(
            base.results[0], curve=curve, passive_curve=passive, confidence=confidence
        )

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


def rejected(chosen, passive, share, confidence=0.95):
    """Return -1 if a share is rejected as too few labels, 1 as too many, else 0."""
    d = np.array(
        [
            np.interp(share * 100, COUNTS, 1 - own) - (1 - other[-1])
            for own, other in zip(chosen.scores, passive.scores, strict=True)
        ]
    )
    error = d.std(ddof=1) * np.sqrt(1 / len(d))
    limit = student.ppf((1 + confidence) / 2, len(d) - 1) * error
    return -1 if d.mean() > limit else 1 if d.mean() < -limit else 0


class TestSavings:
    @pytest.mark.parametrize("confidence", [0.95, 0.99])
    def test_the_interval_holds_what_the_test_does_not_reject(
        self, confidence, result_of
    ):
        curves = square_root_curves(2.0, noise=0.01)
        found = result_of(*curves, confidence).savings
        assert 0.1 < found.low < found.needed < found.high < 1
        for share, expected in (
            (found.low * 0.97, -1),
            (found.low * 1.03, 0),
            (found.high * 0.97, 0),
            (found.high * 1.03, 1),
        ):
            assert rejected(*curves, share, confidence) == expected

    @pytest.mark.parametrize("noise", [0.005, 0.02, 0.03, 0.04, 0.06, 0.1])
    def test_at_all_labels_it_is_the_test_of_the_curves(self, noise, result_of):
        chosen, passive = square_root_curves(1.5, noise=noise, seed=3)
        test = chosen.compare(passive, at=[100])
        assert result_of(chosen, passive).savings.is_clear == (test.low[0] > 0)
        worse = result_of(passive, chosen).savings
        assert worse.is_worse == (test.low[0] > 0)
        assert worse.is_worse <= np.isinf(worse.needed)

    def test_a_dip_that_does_not_stay_is_no_saving(self, result_of):
        chosen, passive = square_root_curves(1.5)
        chosen.scores[:, 2] = 0.99
        found = result_of(chosen, passive).savings
        assert found.needed == pytest.approx(1 / 1.5, abs=0.02)
        assert found.high == pytest.approx(1 / 1.5, abs=0.02)
        assert found.low < 0.3  # shares that the test does not reject there

    def test_equal_and_worse_curves(self, result_of):
        curve, _ = square_root_curves(1.0)
        found = result_of(curve, curve).savings
        assert found.needed == pytest.approx(1)
        assert not found.is_clear
        assert not found.is_worse
        never = result_of(*square_root_curves(0.5)).savings
        assert np.isinf(never).all()
        assert never.is_worse

    def test_each_run_is_compared_at_its_own_number_of_labels(self, result_of):
        _, passive = square_root_curves(1.0, counts=np.arange(10, 401, 10))
        short = square_root_curves(2.0, counts=np.arange(10, 201, 10))[0]
        n_bought = np.array([100, 200] * 5)
        ends = short.scores_at(n_bought).diagonal()
        known = np.where(short.n_labels > n_bought[:, None], np.nan, short.scores)
        short = curve_of(short.n_labels, known, n_bought, ends)
        found = result_of(short, passive).savings
        assert found.needed == pytest.approx(0.5, abs=0.01)


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
        found = result_of(chosen, passive, 0.9)
        # linear between the counts: ends count half
        weights = np.array([0.5, *[1] * 8, 0.5]) / 9
        differences = (chosen.scores - passive.scores) @ weights
        mean, error = differences.mean(), differences.std(ddof=1) / np.sqrt(10)
        half = student.ppf(0.95, 9) * error
        expected = mean, mean - half, mean + half
        assert found.area_gain == pytest.approx(expected, rel=2e-2, abs=5e-5)
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
        monkeypatch.setattr(_comparison, "FEWEST_RUNS", 2)

    @pytest.fixture
    def against(self, result_of):
        """Return the result of a learner against `RANDOM`."""

        def against(n_bought, final_scores, scores=((0.5,), (0.5,)), constant=None):
            curve = curve_of([1], scores, n_bought, final_scores, constant=constant)
            return result_of(curve, RANDOM)

        return against

    @pytest.fixture
    def text(self, base):
        """Return the report of some results on one line."""

        def text(*results, target=None):
            comparison = dataclasses.replace(
                base, results=list(results), target_error=target, classes=["no", "yes"]
            )
            text.outcome = comparison.verdict.outcome
            return " ".join(comparison.to_text().split())

        return text

    def test_a_smaller_error(self, against, text):
        result = against([3, 3], [0.9, 0.9])
        np.testing.assert_allclose(result.passive_errors, [0.3, 0.3])
        assert result.n_needed == pytest.approx(2, rel=0.01)  # 0.5 and 0.9: 0.7 between
        said = text(result)
        assert said.startswith(
            "On these data, 3 labels chosen by DKM give an error of 10.0 %, and 3 "
            "random labels one of 30.0 % (95 % interval of the difference: 20.0–20.0 "
            "points less)."
        )
        assert text.outcome == "smaller error"
        assert "33 % (33)" in said

    def test_the_clearer_of_two_sentences(self, against, text):
        result = against([3, 3], [0.76, 0.76], [[0.7], [0.7]])
        assert 1 - result.savings.high == pytest.approx(2 / 3, abs=0.01)
        assert result.gain == pytest.approx([0.06] * 3)
        assert text(result).startswith(
            "On these data, 1 label chosen by DKM reaches the error of 3 random labels "
            "(30.0 %): 67 % of the labels saved (95 % interval: 67–100)."
        )
        assert text.outcome == "labels saved"

    @pytest.mark.parametrize(
        ("constant", "words"),
        [
            (0.6, "On these data, 3 labels chosen by DKM give"),
            (0.8, "Random labels are not clearly better than always predicting 'no'"),
            (
                0.95,
                "with 3 labels, neither chosen nor random labels are clearly better",
            ),
        ],
    )
    def test_no_saving_at_the_level_of_a_constant(self, constant, words, against, text):
        result = against([3, 3], [0.9, 0.9], constant=constant)
        said = text(result)
        assert words in said
        level = f"{100 * (1 - constant):.1f}"
        assert f"always 'no' 0 {' '.join([level] * 4)} runs" in said
        assert ("33 % (33)" in said) == (constant == 0.6)
        assert ("random ≤ constant" in said) == (constant > 0.6)
        found = result.row()
        assert found["saved_is_clear"] == (constant == 0.6)
        assert np.isnan(found["saved"]) == (constant > 0.6)
        assert found["passive_beats_constant"] == (constant == 0.6)
        assert found["beats_constant"] == (constant < 0.9)

    @pytest.mark.parametrize("final", [0.5, 0.72])
    def test_no_clear_difference_at_the_level_of_a_constant(self, final, against, text):
        said = text(against([3, 3], [0.9, final], constant=0.8))
        assert said.startswith("No savings on these data: with 3 labels")
        assert text.outcome == "useless"
        assert "labels saved (95 %: " not in said

    def test_within_noise(self, against, text):
        said = text(against([3, 3], [0.9, 0.72]))
        assert said.startswith(
            "No savings beyond noise on these data. The estimate: 2 labels chosen by "
            "DKM reach the error of 3 random labels (30.0 %): 24 % of the labels saved "
            "(95 % interval: none–57)."
        )
        assert text.outcome == "unclear"

    def test_better_at_the_end_only(self, result_of, text):
        said = text(result_of(*curves_of_errors(LATE, FALLING, 1e-4)))
        assert said.startswith(
            "On these data, chosen labels are better for some numbers of labels and "
            "worse for others: 100 labels chosen by DKM give an error of 16.0 %, and "
            "100 random labels one of 20.0 % (95 % interval of the difference: "
        )
        assert (
            "Averaged over 10 to 100 labels, chosen labels give an error of 31.0"
            in said
        )
        assert "behind random labels between 24 and 62 labels (by up to 7.5 p" in said
        assert text.outcome == "mixed"

    def test_better_on_average_only(self, result_of, text):
        early = FALLING - np.array([*[0.04] * 9, -0.002])
        said = text(result_of(*curves_of_errors(early, FALLING, [1e-4] * 9 + [0.05])))
        assert said.startswith(
            "On these data, averaged over 10 to 100 labels, chosen labels give an "
            "error of 26.2 %, and random labels one of 30.0 % (95 % interval of the "
            "difference: 3.6–3.9 points less). At the end, 100 labels chosen by DKM "
        )
        assert (
            "interval of the difference: 3.3 points more to 2.9 points less)." in said
        )
        assert text.outcome == "smaller error"
        assert "behind" not in said

    def test_never_as_good(self, against, text):
        said = text(against([3, 3], [0.6, 0.6]))
        assert said.startswith(
            "No savings on these data: 3 random labels are better than 3 labels chosen "
            "by DKM."
        )
        assert "not within 3 none (none)" in said
        assert "3 random labels are as good as" in text(against([3, 3], [0.7, 0.6]))
        assert text.outcome == "nothing saved"

    def test_the_best_of_several_has_the_smallest_error(self, against, text):
        good, better = (against([3, 3], [s, s]) for s in (0.8, 0.9))
        few, many = against([2, 2], [0.85, 0.85]), against([4, 4], [0.84, 0.84])
        passive = dataclasses.replace(
            RANDOM, scores=RANDOM.scores / 2, final_scores=RANDOM.final_scores / 2
        )
        bad = dataclasses.replace(better, passive_curve=passive)
        assert bad.savings.needed < better.savings.needed  # much saved of little
        for results, best in (
            ([good, better], 2),
            ([few, many], 1),
            ([better, bad], 1),
        ):
            assert f"chosen by DKM ({best}) give" in text(*results)

    def test_a_run_without_labels(self, against, text):
        result = against([0, 0], [0.5, 0.5])
        assert np.isnan(result.passive_errors).all()
        said = text(result)
        assert said.startswith("Nothing to compare")
        assert text.outcome == "unknown"
        assert "– unknown" in said

    def test_labels_to_a_target(self, against, text):
        said = text(against([1, 1], [0.6, 0.6]), target=0.3)
        assert " until 30.0 %: " in said
        assert " DKM 1 40.0 50.0 40.0 50.0 1 not within 1 3 " in said


class TestComparison:
    def test_forms(self, base):
        (result,) = base.results
        assert str(base) == base.to_text()
        (row,) = base.to_frame().to_dict("records")
        assert row["learner"] == "DKMClassifier"
        assert row["error"] == pytest.approx(result.errors.mean())
        assert row["saved"] == 1 - result.savings.needed
        found = json.loads(json.dumps(base.to_dict(), allow_nan=False))
        assert found["verdict"]["text"] == base.verdict.text
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

    def test_learners_share_a_baseline_and_all_intervals_hold_together(self):
        steps = []
        found = compare(
            X, Y, [CBGZClassifier(), DKMClassifier(), DKMClassifier(R=2)], **QUICK,
            progress=lambda step, done, total: steps.append((step, done, total)),
        )  # fmt: skip
        assert [r.confidence for r in found.results] == pytest.approx(
            [1 - 0.05 / 6] * 3
        )
        titles = list(dict.fromkeys(step for step, _, _ in steps))
        assert len(titles) == 4  # the passive baseline of all three runs once
        assert titles[1].startswith("2 of 4: CBGZClassifier")
        assert [step[1:] for step in steps] == [(0, 2), (1, 2), (2, 2)] * 4

    def test_a_bar_shows_the_runs_of_all(self, capsys):
        compare(X, Y, [CBGZClassifier(), DKMClassifier()], **QUICK, progress=True)
        assert "runs of all learners" in (out := capsys.readouterr().out)
        assert "6/6" in out

    @pytest.mark.every_learner
    def test_runs_side_by_side_are_the_same(self, monkeypatch):
        """In threads, and with the profile `explore` in processes."""
        if not explores():
            threads = lambda *_, **__: parallel_config("threading")  # noqa: E731
            monkeypatch.setattr(_compare, "parallel_config", threads)
        learners, told = [CBGZClassifier(), DKMClassifier()], []
        one_by_one = compare(X, Y, learners, **QUICK)
        together = compare(
            X, Y, learners, **QUICK, n_jobs=2, progress=lambda *step: told.append(step)
        )
        assert together.to_dict() == one_by_one.to_dict()
        for title, *_ in told:  # steps that overlap are announced once
            counts = [done for other, done, _ in told if other == title]
            assert counts == sorted(counts)
            assert (counts.count(0), counts[-1]) == (1, 2)
        learners[1].set_params(R=-1)  # an error elsewhere names the learner
        with pytest.raises(ValueError, match=r"^DKMClassifier\(R=-1\): R == -1"):
            compare(X, Y, learners, **QUICK, n_jobs=2)
        with pytest.raises(ZeroDivisionError) as stop:
            compare(X, Y, learners[:1], **QUICK, scoring=lambda *_: 1 / 0, n_jobs=2)
        (note,) = stop.value.__notes__
        assert note.startswith("This happened in a run of RandomSamplingClassifier(")

    def test_a_step_that_ends_out_of_turn_is_announced_first(self):
        told, plans = [], [SimpleNamespace(tasks=range(2))] * 2
        with reporting_steps(lambda *step: told.append(step), "ab", plans) as report:
            for k, done in [(1, 1), (0, 1), (0, 2), (1, 2)]:
                report(k, done)
        assert [step[1] for step in told if step[0] == "1 of 2: a"] == [0, 1, 2]
        assert [step[1] for step in told if step[0] == "2 of 2: b"] == [0, 1, 2]

    def test_a_learner_has_the_notes_of_its_own_runs_once(self):
        class Noisy(CBGZClassifier):
            def learn(self, *args, **kwargs):
                warnings.warn("so it is", UserWarning, stacklevel=2)
                return super().learn(*args, **kwargs)

        learners = [DKMClassifier(), Noisy(), DKMClassifier(R=2)]

        def progress(step, done, total):
            warnings.warn("the caller's own", UserWarning, stacklevel=2)

        found = compare(X, Y, learners, **QUICK, progress=progress)
        assert [result.notes for result in found.results] == [(), ("so it is",), ()]

    def test_model_and_rows(self, monkeypatch):
        """By default one logistic regression shows what the model brings."""
        monkeypatch.setattr(
            "sklearn_activelearn.evaluation._design.HybridSamplingClassifier",
            lambda **params: MinMarginClassifier(SVC(C=10), n_initial=10, **params),
        )
        y = np.where((X[:, :2] ** 2).sum(axis=1) > 1.3, "out", "in")
        found = compare(X[:90], y[:90], cv=3, n_repeats=2)
        rows, model = found.results[0], found.model
        assert [r.confidence for r in (*found.results, model)] == pytest.approx(
            [1 - 0.05 / 6] * 3
        )
        assert model.curve is rows.passive_curve
        assert model.passive_curve.runs.tolist() == model.curve.runs.tolist()
        assert model.gain[0] > 0.1  # no line separates a circle
        first, second = found.gains
        assert first.startswith("Model: with 20 random labels, the default model has")
        numbers = [
            f"{100 * e.mean():.1f} %" for e in (model.errors, model.passive_errors)
        ]
        assert all(number in first for number in numbers)
        assert second.startswith("Rows: with the default model, 20 chosen labels give")
        assert f"{100 * rows.errors.mean():.1f} %" in second
        said = " ".join(found.to_text().split())
        assert f"{first} {second}" in said
        cells = f"{100 * model.passive_errors.mean():.1f} – "
        assert f" LogisticRegression 20 – {cells}" in said
        told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert told["gains"] == found.gains
        assert len(told["results"]) == 2
        errors = told["model"]["runs"]["passive_errors"]
        assert errors == pytest.approx(model.passive_errors.tolist())
        names = [line.get_label() for line in found.plot().lines_]
        assert names[-1] == "random, LogisticRegression"

    def test_two_runs_have_no_interval(self, base, monkeypatch):
        errors = np.full(2, 0.5)
        said = base._contrast("a", "b", errors, errors, (0.0, -3.8, 3.2))
        assert "(no interval: there are only 2 runs)" in said
        monkeypatch.setattr(_comparison, "FEWEST_RUNS", 2)
        said = base._contrast("a", "b", errors, errors, (0.0, -3.8, 3.2))
        assert "100.0 points more to 100.0 points less" in said  # at most

    def test_learners_that_are_given_have_no_model_beside_them(self, base):
        assert (base.model, base.gains, base.to_dict()["model"]) == (None, [], None)

    def test_interrupted(self, monkeypatch):
        def interrupt(*args, **kwargs):
            raise KeyboardInterrupt

        monkeypatch.setattr(DKMClassifier, "learn", interrupt)
        with pytest.raises(ExperimentInterrupted, match="1 of 2 learners") as stop:
            compare(X, Y, [CBGZClassifier(), DKMClassifier()], **QUICK)
        assert [type(r.learner) for r in stop.value.result.results] == [CBGZClassifier]
        with pytest.raises(KeyboardInterrupt, match="first learner") as stop:
            compare(X, Y, [DKMClassifier()], **QUICK)
        assert not isinstance(stop.value, ExperimentInterrupted)

    @pytest.mark.parametrize(
        ("changes", "error", "words"),
        [
            ({"learners": [SVC()]}, TypeError, "not an active learner"),
            ({"learners": [DKMClassifier]}, TypeError, r"such as DKMClassifier\(\)"),
            ({"learners": DKMClassifier()}, TypeError, "must be a list"),
            ({"learners": []}, ValueError, "learners is empty"),
            ({"X": DKMClassifier(), "y": X}, TypeError, "X must be rows"),
            ({"y": Y[:5]}, ValueError, "each of the 120 rows of X, got 5"),
            ({"y": np.c_[Y, Y]}, ValueError, "y has 2 columns"),
            ({"y": ["a"] * 120}, ValueError, "All labels are a: two classes"),
            ({"y": ["a"] * 119 + ["b"]}, ValueError, "Class b has 1 rows, fewer than"),
            ({"scoring": ["accuracy", "f1"]}, ValueError, "one measure"),
            ({"scoring": "neg_log_loss"}, ValueError, "needs predict_proba, which DKM"),
            ({"scoring": lambda *_: np.nan}, ValueError, "^Random.*NaN.* 40 of 40"),
            ({"scoring": lambda *_: "good"}, ValueError, "numbers, got {.*: 'good'"),
            ({"n_repeats": 0}, ValueError, "n_repeats"),
            ({"random_state": None}, TypeError, "random_state"),
            ({"X": np.full((120, 3), np.nan)}, ValueError, "RandomSampling.*NaN"),
        ],
    )
    def test_bad_arguments(self, changes, error, words):
        arguments = {"X": X, "y": Y, "learners": [DKMClassifier()], **changes}
        with pytest.raises(error, match=words):
            compare(**arguments)


class TestDesign:
    POOL = UncertaintySamplingClassifier(GaussianNB())

    @pytest.fixture
    def planned(self, monkeypatch):
        """Return the arguments of the runs of a learner, which do not run."""

        def planned(n_rows, learner=None, n_per_rare=2, **options):
            calls = []

            class PlannedCurve:
                tasks = range(1)

                def __init__(self, estimator, X, y, **how):
                    calls.append((estimator, how))

                def curve(self, runs):
                    return RANDOM

            def run_together(plans, n_jobs, names):
                yield from ((k, {0: None}) for k in range(len(plans)))

            path = "sklearn_activelearn.evaluation._compare"
            monkeypatch.setattr(f"{path}.PlannedCurve", PlannedCurve)
            monkeypatch.setattr(f"{path}.run_together", run_together)
            rows, y = np.zeros((n_rows, 10)), np.arange(n_rows) % n_per_rare > 0
            is_list = learner is None or isinstance(learner, list)
            compare(rows, y, learner if is_list else [learner], **options)
            return calls if is_list else calls[-1]

        return planned

    def test_small_tables_are_used_as_they_are(self, planned):
        def runs(**options):
            how = planned(1_000, self.POOL, **options)[1]
            assert how["cv"] == 5
            return how["n_repeats"]

        assert runs() == 8
        assert runs(row_size=40) == 8
        assert runs(row_size=41) == 1
        assert runs(n_repeats=3) == 3

    def test_runs_on_a_large_table_share_no_rows(self, planned):
        _, how = planned(100_000, self.POOL, row_size=20)
        rows = np.concatenate([part for split in how["cv"] for part in split])
        assert len(rows) == len(np.unique(rows)) == 5 * 2_500
        sizes = {(len(train), len(test)) for train, test in how["cv"]}
        assert sizes == {(2_000, 500)}
        _, how = planned(100_000, DKMClassifier(), row_size=20, n_repeats=1)
        assert {len(train) + len(test) for train, test in how["cv"]} == {20_000}

    def test_runs_on_a_larger_table_draw_rows(self, planned):
        _, how = planned(3_000, self.POOL)
        train, test = next(how["cv"].split(np.empty(3_000), [0, 1] * 1_500))
        assert (len(train), len(test)) == (2_000, 500)
        _, how = planned(3_000, DKMClassifier(), max_rows=100)
        train, test = next(how["cv"].split(np.empty(3_000), [0, 1] * 1_500))
        assert len(train) + len(test) == 100

    def test_default_learners(self, planned):
        for n_rows, budget in ((50, 20), (569, 110), (100_000, 200)):
            calls = planned(n_rows)
            random, hybrid, fixed, all_rows, stream = (learner for learner, _ in calls)
            budgets = [each.budget for each in (random, hybrid, fixed)]
            assert budgets == [budget] * 3
            assert (all_rows.variant, stream.budget) == ("all", None)
            default = HybridSamplingClassifier(batch_size=10, budget=budget)
            assert repr(hybrid) == repr(default)
            assert repr(random.estimator) == "BlendClassifier()"
            assert repr(fixed.estimator) == "LogisticRegression(max_iter=1000)"
            assert (fixed.batch_size, fixed.n_initial) == (10, hybrid.n_initial)

    def test_default_learners_weigh_unequal_classes(self, planned):
        """The blend of the first two judges its models by the measure."""
        for options, are_weighed in ({}, True), ({"scoring": "accuracy"}, False):
            calls = planned(100, n_per_rare=5, **options)
            texts = [repr(learner) for learner, _ in calls[2:]]
            assert ["class_weight='balanced'" in each for each in texts] == [
                are_weighed
            ] * 3

    @pytest.mark.parametrize(
        ("row_size", "code"),
        [
            (1_000, "RLSSamplingClassifier()"),
            (1_001, "GreedyOnlineClassifier(learning_rate='adaptive')"),
        ],
    )
    def test_the_default_stream_learner_follows_the_size_of_a_row(
        self, row_size, code, planned
    ):
        assert repr(planned(100, row_size=row_size)[-1][0]) == code

    def test_random_labels_end_with_the_largest_budget_of_their_model(self, planned):
        learners = [clone(self.POOL).set_params(budget=b) for b in (30, 60)]
        other = UncertaintySamplingClassifier(GaussianNB(), n_initial=3, budget=0.5)
        calls = planned(1_000, [*learners, other, DKMClassifier(budget=5)])
        bought = [each.budget for each, _ in calls if "Passive" in repr(each)]
        assert bought == [60, None]
        assert next(each for each, _ in calls if "Random" in repr(each)).budget is None
        calls = planned(1_000, learners, target_error=0.1)
        assert [each.budget for each, _ in calls] == [None, 30, 60]

    @pytest.mark.parametrize("n_rows", [4, 99, 150, 1797])
    def test_label_counts_include_all_of_every_run(self, n_rows, planned):
        counts = planned(n_rows, DKMClassifier(), cv=2)[1]["at"]
        most = n_rows - n_rows // 2
        assert {1, n_rows // 2, most} <= set(counts.tolist())
        assert counts[-1] == most
        assert (np.diff(counts) <= 0.1 * counts[1:] + 1).all()

    def test_label_counts_are_those_after_a_training(self, planned):
        learner = UncertaintySamplingClassifier(
            GaussianNB(), n_initial=7, batch_size=20
        )
        counts = planned(1_000, learner)[1]["at"]
        assert counts[0] == 7
        assert set((counts[:-1] - 7) % 20) == {0}


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
        assert "always 'no'       0" in out
        (row,) = (line for line in out.splitlines() if line.startswith("always"))
        assert row.split() == ["always", "'no'", "0", *["50.0"] * 4]

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
        assert row.split() == ["always", "'no'", "0", *[f"{level:.3f}"] * 4]
        assert "until 0.500:" in out

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
        code, out, _ = run("--scoring", "neg_log_loss", "--rows", "60")
        assert code == 0
        assert "note  left out: scoring='neg_log_loss' needs predict_proba" in out
        assert "HybridSampling" in out
        assert "GreedyOnline " not in out
        assert "log loss" in out

    @pytest.mark.parametrize("name", ["beauty", "recall:maybe", "f1:", "r2"])
    def test_unknown_measures(self, run, name):
        code, out, err = run("--scoring", name, "--learner", "CBGZ")
        assert (code, out) == (2, "")
        assert name in err
        assert "Traceback" not in err
