"""The command line: what it prints, what it refuses, what it leaves alone."""

import dataclasses
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_info, threadpool_limits

import sklearn_activelearn
from sklearn_activelearn import (
    ASSLBoostClassifier,
    CBGZClassifier,
    COMBClassifier,
    DKMClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    MinMarginClassifier,
    QueryByCommitteeClassifier,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
    SSMarginBoostClassifier,
)
from sklearn_activelearn.__main__ import main
from sklearn_activelearn._cli import comparison
from sklearn_activelearn._cli.compare import progress_reporter
from sklearn_activelearn._cli.learners import parse_learner
from sklearn_activelearn._cli.measure import Measure
from sklearn_activelearn._cli.options import LEARNERS
from sklearn_activelearn._cli.report import result_to_dict, to_text
from sklearn_activelearn.evaluation import LabelCurve, label_curve
from sklearn_activelearn.losses import RampLoss
from tests.learners import each_default

ROOT = Path(__file__).resolve().parents[1]
SMALL = ["--folds", "2", "--repeats", "1", "--jobs", "1"]


def write_csv(path, X, labels, names, target="kind"):
    lines = [",".join([target, *names])]
    lines += [
        f"{y},{','.join(map(repr, x))}" for x, y in zip(X.tolist(), labels, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def iris_csv(tmp_path):
    iris = load_iris()
    labels = iris.target_names[iris.target]
    return write_csv(tmp_path / "iris.csv", iris.data, labels, iris.feature_names)


@pytest.fixture
def refused(capsys):
    """Run arguments that must be refused in one line; return that line."""

    def run(*argv):
        assert main(["compare", *map(str, argv)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        *told, last = err.splitlines()
        assert last.startswith("sklearn-activelearn: error: ")
        assert not any("error" in line for line in told)
        return last

    return run


def report_of(capsys, *argv):
    assert main(["compare", *SMALL, "--json", *map(str, argv)]) == 0
    out, err = capsys.readouterr()
    assert err.startswith("reading ")
    return json.loads(out)


class TestReport:
    def test_digits_a_pool_and_a_stream_learner_by_default(self, capsys):
        assert main(["compare", *SMALL]) == 0
        out, err = capsys.readouterr()
        lines = out.splitlines()
        assert "labels chosen by " in lines[0]
        table = lines[lines.index("") + 3 :][:2]
        assert [row.split()[0] for row in table] == [
            "HybridSampling",
            "GreedyOnline",
        ]
        assert "data  digits of scikit-learn: 1,797 rows, 64 columns, 10 classes" in out
        assert "2 folds × 1: 899 to choose from, 899 held out" in out
        assert max(map(len, lines)) <= 110
        assert err.splitlines()[:2] == [
            "reading digits of scikit-learn",
            "1,797 rows, 64 columns, 10 classes",
        ]
        steps = [line.split(":")[0] for line in err.splitlines()[2:]]
        assert steps == [f"{k} of 4" for k in range(1, 5)]

    def test_learners_are_the_public_ones(self):
        for name in sklearn_activelearn.__all__:
            learns = hasattr(getattr(sklearn_activelearn, name), "learn")
            assert (name in LEARNERS) == learns

    def test_numbers_are_those_of_label_curve(self, capsys):
        argv = ["--learner", "CBGZClassifier:b=0.5", "--raw", "--seed", "3"]
        argv += ["--repeats", "2"]
        report = report_of(capsys, *argv)
        (result,) = report["results"]
        X, y = load_digits(return_X_y=True)
        curve = label_curve(
            CBGZClassifier(b=0.5), X, y, cv=2, n_repeats=2, at=[5, 88], random_state=3
        )
        assert result["labels_bought"] == curve.n_bought.tolist()
        np.testing.assert_allclose(result["errors"], 1 - curve.final_scores, atol=1e-6)
        means = dict(
            zip(result["curve"]["labels"], result["curve"]["error_mean"], strict=True)
        )
        np.testing.assert_allclose(
            [means[5], means[88]], 1 - curve.mean, atol=1e-6, rtol=0
        )
        assert all(len(f"{mean}") <= 8 for mean in means.values())  # rounded
        assert report["target_error"] is None

    def test_csv_with_strings_as_labels(self, iris_csv, capsys):
        argv = ["--data", iris_csv, "--target", "kind", "--target-error", "0.3"]
        report = report_of(capsys, *argv, "--learner", "DKM")
        assert (report["rows"], report["features"], report["classes"]) == (150, 4, 3)
        assert report["results"][0]["learner"] == "DKMClassifier"
        assert report["target_error"] == 0.3
        assert report["results"][0]["passive_labels_to_target"] < 75

    def test_same_seed_same_report_and_other_seed_another(self, iris_csv, capsys):
        argv = ["--data", iris_csv, "--target", "kind"]
        first, again = report_of(capsys, *argv), report_of(capsys, *argv)
        assert first == again
        other = report_of(capsys, *argv, "--seed", "1")
        assert other["results"] != first["results"]

    def test_json_file_and_nothing_else(self, iris_csv, tmp_path, capsys):
        path = tmp_path / "report.json"
        argv = ["--data", iris_csv, "--target", "kind", "--json", str(path)]
        assert main(["compare", *SMALL, *argv]) == 0
        assert capsys.readouterr().out == ""
        report = json.loads(path.read_text(encoding="utf-8"))
        assert len(report["results"]) == 2

    def test_plot(self, iris_csv, tmp_path, capsys):
        path = tmp_path / "curves.png"
        argv = ["--data", iris_csv, "--target", "kind", "--plot", str(path)]
        argv += ["--learner", "CBGZ:update=dkm", "--learner", "DKM:budget=0"]
        for error in ([], ["--target-error", "0"], ["--target-error", "0.0001"]):
            assert main(["compare", *SMALL, *argv, *error]) == 0
            assert capsys.readouterr().err.endswith(f"curves: {path}\n")
            assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
            path.unlink()

    def test_csv_of_the_table(self, iris_csv, tmp_path, capsys):
        path = tmp_path / "table.csv"
        argv = ["--data", iris_csv, "--target", "kind", "--csv", path]
        argv += ["--learner", "GreedyOnline", "--learner", "DKM:budget=0"]
        results = report_of(capsys, *argv)["results"]
        table = pd.read_csv(path)
        assert table["learner"].tolist() == [r["learner"] for r in results]
        errors = [np.mean(r["errors"]) for r in results]
        np.testing.assert_allclose(table["error"], errors, atol=1e-6)
        assert table["saved"][0] == pytest.approx(results[0]["saved"], abs=1e-6)
        assert (results[1]["saved"], results[1]["passive_errors_with_as_many"]) == (
            None,
            [None, None],
        )

    def test_all_intervals_hold_together(self, iris_csv, capsys):
        argv = ["--data", iris_csv, "--target", "kind"]
        argv += ["--learner", "CBGZ", "--learner", "DKM", "--learner", "DKM:R=2"]
        results = report_of(capsys, *argv)["results"]
        levels = [result["confidence"] for result in results]
        assert levels == pytest.approx([1 - 0.05 / 3] * 3, abs=1e-6)

    def test_a_run_has_one_thread(self, iris_csv, monkeypatch):
        seen = []

        def look(*args, **kwargs):
            seen.extend(pool["num_threads"] for pool in threadpool_info())
            return label_curve(*args, **kwargs)

        monkeypatch.setattr(comparison, "label_curve", look)
        argv = ["--data", iris_csv, "--target", "kind", "--learner", "DKM"]
        with threadpool_limits(2):
            assert main(["compare", *SMALL, *argv]) == 0
        assert set(seen) == {1}

    def test_cached_runs_are_not_run_again(
        self, iris_csv, tmp_path, capsys, monkeypatch
    ):
        argv = ["--data", iris_csv, "--target", "kind", "--learner", "CBGZ"]
        argv += ["--cache", tmp_path / "runs"]
        report = report_of(capsys, *argv)

        def refuse(*args, **kwargs):
            raise AssertionError("this was run before")

        monkeypatch.setattr(CBGZClassifier, "predict", refuse)
        assert report_of(capsys, *argv) == report

    def test_features_are_standardised_unless_raw(self, tmp_path, capsys):
        X, y = load_breast_cancer(return_X_y=True)
        np.savez(tmp_path / "X.npz", X=X, y=y)
        np.savez(tmp_path / "Z.npz", X=StandardScaler().fit_transform(X), y=y)
        error = {}
        for options in (["X.npz"], ["X.npz", "--raw"], ["Z.npz", "--raw"]):
            argv = ["--learner", "DKM", "--data", tmp_path / options[0], *options[1:]]
            (result,) = report_of(capsys, *argv)["results"]
            error[" ".join(options)] = result["passive_curve"]["error_mean"][-1]
        assert error["X.npz"] < 0.1 < error["X.npz --raw"]
        assert error["X.npz"] == pytest.approx(error["Z.npz --raw"], abs=0.02)

    @pytest.mark.parametrize("argv", [["--version"], ["compare", "--version"]])
    def test_version(self, argv, capsys):
        with pytest.raises(SystemExit) as exit_:
            main(argv)
        assert exit_.value.code == 0
        version = f"sklearn-activelearn {sklearn_activelearn.__version__}\n"
        assert capsys.readouterr().out == version


def curve_with(n_labels, scores, n_bought, final_scores):
    scores = np.array(scores, dtype=float)
    return LabelCurve(
        np.array(n_labels), scores, np.array(n_bought), np.array(final_scores),
        np.full(len(scores), 4), np.full(len(scores), 2), np.array(["a", "b"]),
    )  # fmt: skip


def with_constant(curve, score):
    return dataclasses.replace(curve, constant_scores=np.full(2, score))


def against_passive(n_bought, final_scores, scores=((0.5,), (0.5,)), constant=np.nan):
    curve = with_constant(curve_with([1], scores, n_bought, final_scores), constant)
    return comparison.Comparison(
        DKMClassifier(), RandomSamplingClassifier(1.0), curve, PASSIVE, 0.95
    )


PASSIVE = curve_with(
    [1, 2, 3, 4], [[0.5, 0.6, 0.7, 0.8], [0.5, 0.6, 0.7, 0.8]], [4, 4], [0.8, 0.8]
)
PLAN = comparison.RunPlan(
    "toy", 6, 1, 2, [], 1, 2, 1, 0, None, None, Measure("accuracy"), "no"
)


class TestVerdict:
    def text(self, *results, target=None, details=False):
        plan = dataclasses.replace(PLAN, target_error=target)
        return to_text(plan, list(results), details=details)

    def test_savings(self):
        result = against_passive([3, 3], [0.9, 0.9])
        np.testing.assert_allclose(result.passive_errors, [0.3, 0.3])
        assert result.n_needed == pytest.approx(2, rel=0.01)  # 0.5 and 0.9: 0.7 between
        text = self.text(result)
        assert text.startswith(
            "On these data 3 labels chosen by DKM give an error of 10.0 % instead of "
            "30.0 % with as many random\nones (95 %: 20.0–20.0 points less)."
        )
        assert "33 % (33)" in text

    def test_the_clearer_of_two_sentences(self):
        result = against_passive([3, 3], [0.76, 0.76], [[0.7], [0.7]])
        assert result.savings.least == pytest.approx(2 / 3, abs=0.01)
        assert result.gain == pytest.approx([0.06] * 3)
        text = self.text(result)
        assert text.startswith(
            "On these data 1 labels chosen by DKM do the work of 3 random ones, "
            "an error of 30.0 %: 67 % saved\n(95 %: 67–100)."
        )

    @pytest.mark.parametrize(
        ("constant", "words"),
        [
            (0.6, "On these data 3 labels chosen by DKM give"),
            (0.8, "Random ones are no better than always answering 'no' (an error of"),
            (0.95, "with 3 labels neither chosen nor random labels are better than"),
        ],
    )
    def test_no_saving_at_the_level_of_a_constant_answer(self, constant, words):
        result = against_passive([3, 3], [0.9, 0.9], constant=constant)
        text = " ".join(self.text(result).split())
        assert words in text
        level = f"{100 * (1 - constant):.1f}"
        assert f"always 'no' 0 {level} {level} data" in text
        assert ("33 % (33)" in text) == (constant == 0.6)
        assert ("random: as a constant" in text) == (constant > 0.6)
        found = result_to_dict(PLAN, result)
        assert found["saved_is_clear"] == (constant == 0.6)
        assert np.isnan(found["saved"]) == (constant > 0.6)
        assert found["passive_better_than_constant"] == (constant == 0.6)
        assert found["better_than_constant"] == (constant < 0.9)

    def test_better_than_a_constant_by_the_same_test(self):
        # 71 and 75 % of the answers are right with random labels
        passive = curve_with([1, 3], [[0.5, 0.71], [0.5, 0.75]], [3, 3], [0.71, 0.75])
        result = against_passive([3, 3], [0.9, 0.94], constant=0.5)
        near, far = (
            dataclasses.replace(
                result, passive_curve=passive, curve=with_constant(result.curve, level)
            )
            for level in (0.69, 0.4)
        )
        assert not near.random_are_of_use
        assert far.random_are_of_use

    def test_few_labels_that_do_the_work_of_none(self):
        scores, end = [[0.7], [0.7]], [0.76, 0.76]
        text = self.text(against_passive([3, 3], end, scores, constant=0.72))
        assert "3 labels chosen by DKM give" in text
        assert "do the work" not in text

    @pytest.mark.parametrize("final", [0.5, 0.72])
    def test_no_clear_difference_at_the_level_of_a_constant_answer(self, final):
        result = against_passive([3, 3], [0.9, final], constant=0.8)
        text = " ".join(self.text(result).split())
        assert text.startswith("No savings to speak of on these data: with 3 labels")
        assert "saved (" not in text.replace("saved (95 %)", "")

    def test_within_noise(self):
        text = self.text(against_passive([3, 3], [0.9, 0.72]))
        assert text.startswith("No savings beyond noise on these data: perhaps 2 ")
        assert "an error of 30.0 %: 24 % saved (95 %: none–57)." in " ".join(
            text.split()
        )

    def test_never_as_good(self):
        text = self.text(against_passive([3, 3], [0.6, 0.6]))
        assert text.startswith("No savings on these data: as many random labels")
        assert "not within 3  none (none)" in text
        assert "as many random labels are better." in text
        text = self.text(against_passive([3, 3], [0.7, 0.6]))
        assert "as many random labels are as good." in text

    def test_the_best_of_several(self):
        good, better = (against_passive([3, 3], [s, s]) for s in (0.8, 0.9))
        text = self.text(good, better)
        assert text.startswith("On these data 3 labels chosen by DKM (2) give")
        assert "DKM (1)" in text

    def test_much_saved_of_little_is_not_the_best(self):
        good = against_passive([3, 3], [0.9, 0.9])
        passive = dataclasses.replace(
            PASSIVE, scores=PASSIVE.scores / 2, final_scores=PASSIVE.final_scores / 2
        )
        bad = dataclasses.replace(good, passive_curve=passive)
        assert bad.savings.needed < good.savings.needed
        assert "chosen by DKM (1) give" in self.text(good, bad)

    def test_one_that_saves_is_named_before_one_that_may(self):
        sure = against_passive([3, 3], [0.75, 0.75])
        unsure = against_passive([3, 3], [0.9, 0.8], [[0.5], [0.9]])
        assert unsure.savings.needed < sure.savings.needed
        assert not unsure.savings.is_clear
        assert self.text(unsure, sure).startswith("On these data 3 labels chosen by ")

    def test_run_without_labels(self):
        result = against_passive([0, 0], [0.5, 0.5])
        assert np.isnan(result.passive_errors).all()
        text = self.text(result, details=True)
        assert text.startswith("Nothing to compare")
        assert "not known" in text

    def test_labels_to_a_target(self):
        text = self.text(against_passive([1, 1], [0.6, 0.6]), target=0.3)
        row = text[text.index("\nDKM ") :].splitlines()[1]
        assert row.split()[5:9] == ["not", "within", "1", "3"]

    def test_details(self):
        text = self.text(against_passive([3, 3], [0.9, 0.9]), details=True)
        assert "random: RandomSamplingClassifier(rate=1.0)" in text
        assert "at 0.95 for each of 1" in text

    def test_fewer_labels_than_the_first_batch_of_the_twin(self, iris_csv, capsys):
        argv = ["--data", iris_csv, "--target", "kind"]
        argv += ["--learner", "MinMargin:budget=5"]
        assert main(["compare", *SMALL, *argv]) == 0
        assert capsys.readouterr().out.startswith("Nothing to compare")


class TestPlan:
    def plan(self, rows, width=10, **options):
        plan = comparison.RunPlan(
            "toy", rows, width, 2, [], width, 5, None, 0, None, None,
            Measure("accuracy"), "no",
        )  # fmt: skip
        return dataclasses.replace(plan, **options)

    POOL, STREAM = MinMarginClassifier(), DKMClassifier()

    def test_small_tables_are_used_as_they_are(self):
        plan = self.plan(1_000)
        assert plan.splits_for(self.POOL) == {"cv": 5, "n_repeats": 8}
        assert self.plan(1_000, 100).runs_for(self.POOL) == 10
        assert self.plan(1_000, 1_000).runs_for(self.POOL) == 5
        assert self.plan(1_000, repeats=3).runs_for(self.POOL) == 15

    def test_runs_on_a_large_table_share_no_rows(self):
        plan = self.plan(100_000, 20)
        assert plan.rows_for(self.POOL) == 2_500 < plan.rows_for(self.STREAM)
        assert not plan.shares_rows(self.POOL)
        splits = plan.splits_for(self.POOL)["cv"]
        rows = np.concatenate([part for split in splits for part in split])
        assert len(rows) == len(np.unique(rows)) == 10 * 2_500
        assert {(len(train), len(test)) for train, test in splits} == {(2_000, 500)}

    def test_runs_on_a_larger_table_draw_rows(self):
        plan = self.plan(3_000)
        assert plan.shares_rows(self.POOL)
        splitter = plan.splits_for(self.POOL)["cv"]
        train, test = next(splitter.split(np.empty(3_000), [0, 1] * 1_500))
        assert (len(train), len(test)) == (2_000, 500)
        assert self.plan(3_000, most_rows=100).rows_for(self.STREAM) == 100

    def test_default_budget_leaves_most_of_the_pool(self):
        for rows, budget in ((50, 20), (569, 110), (100_000, 200)):
            herding, greedy = self.plan(rows).default_learners()
            assert herding.budget == budget
            assert greedy.budget is None

    @pytest.mark.parametrize("rows", [4, 99, 150, 1797])
    def test_label_counts_include_all_of_every_run(self, rows):
        plan = self.plan(rows, folds=2)
        counts = plan.label_counts(self.STREAM)
        most = rows - rows // 2
        assert {1, rows // 2, most} <= set(counts.tolist())
        assert counts[-1] == most
        assert (np.diff(counts) <= 0.1 * counts[1:] + 1).all()

    def test_label_counts_are_those_after_a_training(self):
        learner = MinMarginClassifier(n_initial=7, batch_size=20)
        counts = self.plan(1_000).label_counts(learner)
        assert counts[0] == 7
        assert set((counts[:-1] - 7) % 20) == {0}


class TestTwins:
    def test_passive_twin_keeps_the_model_and_buys_everything(self):
        learner = DKMClassifier(R=2, update="dkm", average=False, budget=3, patience=2)
        assert repr(learner._passive_baseline()) == repr(
            RandomSamplingClassifier(rate=1.0, update="dkm", average=False)
        )
        learner = MarginLossClassifier(RampLoss(t=2.0), eta0=0.2, n_warm_start=9)
        for sampler in (learner, GreedyOnlineClassifier(loss="ramp", eta0=0.2)):
            twin = sampler._passive_baseline()
            assert twin.fit([[0.0], [1.0]] * 9, [0, 1] * 9).n_queries_ == 18
            assert (twin.loss, twin.eta0) == ("hinge", 0.2)

    def test_passive_twin_of_a_second_order_learner(self):
        twin = RLSSamplingClassifier(5.0, kernel="rbf", budget=3)._passive_baseline()
        assert (twin.variant, twin.kernel, twin.budget) == ("all", "rbf", None)
        twin = SOLEClassifier(0.2, a=3.0, solver="dual", patience=5)._passive_baseline()
        assert isinstance(twin, SecondOrderPerceptronClassifier)
        assert (twin.a, twin.dual, twin.patience) == (3.0, True, None)

    def test_passive_twin_of_a_pool_learner(self):
        learner = MinMarginClassifier(
            budget=3, batch_size=2, stopping="margin_exhausted"
        )
        twin = learner._passive_baseline()
        assert repr(twin.estimator) == repr(LinearSVC())
        assert (twin.budget, twin.batch_size, twin.stopping) == (None, 2, None)
        committee = QueryByCommitteeClassifier(cv=3)._passive_baseline()
        assert (len(committee.estimators), committee.cv) == (5, 3)
        grid = {"C": [1.0, 2.0]}
        committee = QueryByCommitteeClassifier(SVC(), param_grid=grid)
        assert committee._passive_baseline().param_grid == grid
        boosted = (
            COMBClassifier(GaussianNB(), n_estimators=7)._passive_baseline().estimator
        )
        assert (repr(boosted.estimator), boosted.n_estimators) == ("GaussianNB()", 7)
        twin = ASSLBoostClassifier(alpha=0.5, budget=3)._passive_baseline()
        assert isinstance(twin, SSMarginBoostClassifier)
        assert (twin.alpha, twin.budget) == (0.5, None)

    @each_default
    def test_a_passive_twin_buys_every_label(self, prototype):
        X, y = load_iris(return_X_y=True)
        X = StandardScaler().fit_transform(X)
        twin = (
            prototype._passive_baseline().set_params(random_state=0).fit(X[::5], y[::5])
        )
        assert twin.n_queries_ == 30

    def test_a_pool_learner(self, capsys):
        (result,) = report_of(capsys, "--learner", "Passive:budget=20")["results"]
        assert result["learner"] == "PassiveClassifier(budget=20)"


class TestLearner:
    def test_parameters(self):
        learner = parse_learner("CBGZ:b=adaptive,eta0=0.5,average=False,budget=None")
        assert repr(learner) == "CBGZClassifier(average=False, b='adaptive', eta0=0.5)"
        learner = parse_learner("MarginLoss:loss=RampLoss(t=2.0),eta0=0.5")
        assert repr(learner) == "MarginLossClassifier(eta0=0.5, loss=RampLoss(t=2.0))"

    def test_classifiers_of_scikit_learn(self):
        learner = parse_learner("UncertaintySampling:estimator=SVC(C=10,gamma=auto)")
        assert repr(learner.estimator) == "SVC(C=10, gamma='auto')"
        text = "MinMargin:estimator=BaggingClassifier(estimator=SVC(),n_estimators=3)"
        assert repr(parse_learner(text).estimator.estimator) == "SVC()"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("CBGSClassifier", "did you mean 'CBGZ'"),
            ("greedy", "did you mean 'GreedyOnline'"),
            ("", "there are ALMS, ASSLBoost"),
            ("DKM:eta=1", "did you mean 'eta0'"),
            ("MarginLoss:loss=RampLoss(t=0.5)", "t == 0.5, must be >= 1"),
            ("MarginLoss:loss=RampLoss(2)", "not of the form"),
            ("MarginLoss:loss=RampLoss(q=2)", "unexpected keyword argument 'q'"),
            ("MarginLoss:loss=RampLoss(t=two)", "RampLoss: t must be"),
            ("MarginLoss:loss=MarginLoss()", "no classifier of scikit-learn"),
            ("MinMargin:estimator=open(file=2)", "no classifier of scikit-learn"),
            ("MinMargin:estimator=SVR()", "did you mean 'SVC'"),
            ("MinMargin:estimator=SVC(c=1)", "SVC: "),
            ("MinMargin:estimator=SVC(1)", "not of the form"),
            ("MinMargin:estimator=svm.SVC()", "not of the form"),
            ("MinMargin:estimator=SVC()()", "not of the form"),
            ("MinMargin:estimator=(lambda: 1)()", "not of the form"),
            ("MinMargin:estimator=[SVC()]", "not of the form"),
            ("MinMargin:n_initial=" + "(" * 300, "not of the form"),
            ("DKM:R", "not of the form"),
            ("DKM:R=", "not of the form"),
            ("DKM:R=f(1)", "not of the form"),
            ("DKM:**{}", "not of the form"),
            ("DKM:R=0", "R == 0"),
            ("DKM:R=two", "R must be"),
            ("CBGZ:update=sgd", "update must be one of"),
        ],
    )
    def test_refused(self, text, message, refused):
        assert message in refused("--learner", text)


class TestRefused:
    @pytest.mark.parametrize(
        "argv",
        [
            ["--folds", "1"],
            ["--folds", "x"],
            ["--repeats", "0"],
            ["--seed", "-1"],
            ["--jobs", "0"],
            ["--target-error", "1.5"],
            ["--target-error", "nan"],
            ["--no-such-option"],
            ["--folds", "175"],
            ["--plot", "curves.txt"],
            ["--plot", "no/such/folder/curves.png"],
            ["--json", "no/such/folder/report.json"],
            ["--json", "."],
            ["--csv", "no/such/folder/table.csv"],
        ],
    )
    def test_argument(self, argv, refused):
        refused(*argv)

    def test_cache_that_is_no_folder(self, iris_csv, refused):
        assert "exists" in refused("--cache", iris_csv)
        assert "--cache" in refused("--cache", f"{iris_csv}/runs")

    def test_no_command(self, capsys):
        assert main([]) == 2
        assert capsys.readouterr().err.count("\n") == 1

    def test_a_typo_costs_no_imports(self):
        heavy = {"numpy", "scipy", "sklearn", "pandas", "joblib"}
        code = f"""if True:
            import sys
            from sklearn_activelearn.__main__ import main
            assert main(["compare", "--targett", "a"]) == 2
            assert main(["compare", "--data", "gone.csv"]) == 2
            assert main(["compare", "--learner", "MinMargn"]) == 2
            assert main(["label", "gone.csv"]) == 2
            assert main(["label", "gone.csv", "--learner", "Nobody"]) == 2
            assert not {heavy} & set(sys.modules)
        """
        subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)

    def test_plot_without_matplotlib(self, refused, monkeypatch):
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
        assert "pip install matplotlib" in refused("--plot", "a.png")

    def test_folder_without_permission(self, tmp_path, refused, monkeypatch):
        monkeypatch.setattr(os, "access", lambda path, mode: False)
        assert "cannot be written" in refused("--json", tmp_path / "a.json")

    def test_learner_that_fails_on_the_data(self, tmp_path, refused):
        np.savez(tmp_path / "a.npz", X=np.full((8, 2), 1e149), y=[0, 1] * 4)
        argv = ["--raw", "--learner", "CBGZ:normalize=False,eta0=1e100"]
        assert "overflow" in refused(*SMALL, *argv, "--data", tmp_path / "a.npz")


class TestTerminal:
    def test_a_line_a_learner_and_runs_on_a_terminal(self, capsys, monkeypatch):
        def two_runs():
            with progress_reporter(2) as announce:
                show = announce("DKM")
                for done in range(3):
                    show(done, 2)
            return capsys.readouterr().err

        assert two_runs() == "1 of 2: DKM, 2 runs\n"
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        err = two_runs()
        assert "1 of 2: DKM, run 1 of 2" in err
        assert "\r\033[K1 of 2: DKM, 2 runs, 0 s\n" in err
        assert err.endswith("\r\033[K")

    def test_interrupt_reports_what_has_ended(self, iris_csv, capsys, monkeypatch):
        def interrupted(estimator, *args, **kwargs):
            if isinstance(estimator[-1], DKMClassifier):
                raise KeyboardInterrupt
            return label_curve(estimator, *args, **kwargs)

        monkeypatch.setattr(comparison, "label_curve", interrupted)
        argv = ["--data", iris_csv, "--target", "kind"]
        argv += ["--learner", "CBGZ", "--learner", "DKM"]
        assert main(["compare", *SMALL, *argv]) == 130
        out, err = capsys.readouterr()
        assert "CBGZ " in out
        assert "DKM" not in out
        last = "interrupted: no run is kept without --cache FOLDER."
        assert err.endswith(f"\nsklearn-activelearn: {last}\n")

    def test_interrupt(self, capsys, monkeypatch, tmp_path):
        def interrupt(*args, **kwargs):
            raise KeyboardInterrupt

        monkeypatch.setattr(comparison, "label_curve", interrupt)
        assert main(["compare", "--cache", f"{tmp_path}"]) == 130
        out, err = capsys.readouterr()
        assert out == ""
        kept = f"finished runs are kept in {tmp_path}, and the same command resumes"
        assert err.endswith(f"\nsklearn-activelearn: interrupted: {kept}.\n")

    def test_module_in_a_pipe(self, iris_csv):
        argv = ["compare", *SMALL, "--data", iris_csv, "--target", "kind"]
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "sklearn_activelearn", *argv],
            capture_output=True,
            check=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )
        assert f"reading {iris_csv}\n150 rows, 4 columns, 3 classes\n" in done.stderr
        assert "\ntreated as number: sepal length (cm), sepal width" in done.stderr
        assert "\033" not in done.stdout + done.stderr
