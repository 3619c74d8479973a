"""The command line: what it prints, what it refuses, what it leaves alone."""

import importlib.util
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_info, threadpool_limits

import sklearn_activelearn
from sklearn_activelearn import CBGZClassifier
from sklearn_activelearn.__main__ import main
from sklearn_activelearn._cli import compare as _compare_command
from sklearn_activelearn._cli.compare import make_progress
from sklearn_activelearn._cli.learners import parse_learner
from sklearn_activelearn._cli.options import LEARNERS
from sklearn_activelearn.evaluation import label_curve
from sklearn_activelearn.evaluation._comparison_run import ComparisonProgress
from sklearn_activelearn.evaluation._experiments import run_once
from tests.reference.labeling import run_python

ROOT = Path(__file__).resolve().parents[1]
#: Used by `compare` for each run.
RUN = "sklearn_activelearn.evaluation._experiments.run_once"
SMALL = ["--folds", "2", "--repeats", "1", "--jobs", "1"]


@pytest.fixture
def iris_csv(tmp_path):
    iris, path = load_iris(as_frame=True), tmp_path / "iris.csv"
    frame = iris.frame[::2].assign(kind=iris.target_names[iris.target[::2]])
    frame.drop(columns="target").to_csv(path, index=False)
    return f"{path}"


@pytest.fixture
def refused(command):
    """Run arguments that must be refused in one line; return that line."""

    def run(*argv):
        out, err = command("compare", *argv, code=2)
        assert out == ""
        *told, last = err.splitlines()
        assert last.startswith("sklearn-activelearn: error: ")
        assert not any("error" in line for line in told)
        return last

    return run


def report_of(command, *argv):
    out, err = command("compare", *SMALL, "--json", *argv)
    assert err.startswith("reading ")
    return json.loads(out)


class TestReport:
    @pytest.mark.usefixtures("quick_blend")
    def test_digits_a_pool_and_a_stream_learner_by_default(self, command):
        out, err = command("compare", *SMALL, "--rows", "300")
        lines = out.splitlines()
        assert lines[0].startswith(("Use `--learner ", "It cannot be told with 1 repe"))
        table = lines[lines.index("") + 3 :][:6]
        names = ["HybridSampling", "HybridSampling,", "UncertaintySampling,"]
        names += ["random,", "random,", "always"]
        assert [row.split()[0] for row in table] == names
        first_words = [line.split()[0] for line in lines[: lines.index("")]]
        assert {"Model:", "Rows:"} < {*first_words}
        assert "data  digits of scikit-learn: 1,797 rows, 64 columns, 10 classes" in out
        assert "2 runs of 300 random rows, 150 to choose from, 150 held out" in out
        assert max(map(len, lines)) <= 110
        assert err.splitlines()[:2] == [
            "reading digits of scikit-learn",
            "1,797 rows, 64 columns, 10 classes",
        ]

    def test_learners_are_the_public_ones(self):
        for name in sklearn_activelearn.__all__:
            learns = hasattr(getattr(sklearn_activelearn, name), "learn")
            assert (name in LEARNERS) == learns

    def test_numbers_are_those_of_label_curve(self, command):
        argv = ["--learner", "CBGZClassifier:b=0.5", "--seed", "3"]
        report = report_of(command, *argv)
        (result,) = report["results"]
        X, y = load_digits(return_X_y=True)
        learner = make_pipeline(StandardScaler(), CBGZClassifier(b=0.5))
        how = {"cv": 2, "n_repeats": 1, "random_state": 3}
        curve = label_curve(learner, X, y, at=[5, 88], **how)
        assert result["runs"]["labels_bought"] == curve.n_bought.tolist()
        np.testing.assert_allclose(
            result["runs"]["errors"], 1 - curve.final_scores, atol=1e-6
        )
        means = dict(
            zip(result["curve"]["labels"], result["curve"]["error_mean"], strict=True)
        )
        np.testing.assert_allclose(
            [means[5], means[88]], 1 - curve.mean, atol=1e-6, rtol=0
        )
        assert all(len(f"{mean}") <= 8 for mean in means.values())  # rounded
        assert report["target_error"] is None

    def test_csv_with_strings_as_labels(self, iris_csv, command):
        argv = ["--data", iris_csv, "--target", "kind", "--target-error", "0.3"]
        report = report_of(command, *argv, "--learner", "DKM")
        assert (report["n_rows"], report["n_features"]) == (75, 4)
        assert len(report["classes"]) == 3
        assert report["results"][0]["learner"] == "DKMClassifier"
        assert report["target_error"] == 0.3
        assert report["results"][0]["passive_curve"]["labels_to_target"] < 38

    @pytest.mark.parametrize("error", [[], ["--target-error", "0.0001"]])
    def test_a_file_of_each_kind(self, iris_csv, tmp_path, command, error):
        plot, path = tmp_path / "curves.png", tmp_path / "report.json"
        argv = ["--data", iris_csv, "--target", "kind"]
        argv += ["--plot", str(plot), "--json", str(path), *error]
        argv += ["--learner", "CBGZ:update=dkm", "--learner", "DKM:budget=0"]
        out, err = command("compare", *SMALL, *argv)
        assert out == ""
        assert err.endswith(f"curves: {plot}\n")
        assert plot.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        results = json.loads(path.read_text(encoding="utf-8"))["results"]
        assert results[0]["error"] == round(results[0]["error"], 6)
        assert results[1]["saved"] is None
        assert results[1]["runs"]["passive_errors"] == [None, None]

    def test_a_run_has_one_thread(self, iris_csv, monkeypatch):
        seen = []

        def look(*args, **kwargs):
            seen.extend(pool["num_threads"] for pool in threadpool_info())
            return run_once(*args, **kwargs)

        monkeypatch.setattr(RUN, look)
        argv = ["--data", iris_csv, "--target", "kind", "--learner", "DKM"]
        with threadpool_limits(2):
            assert main(["compare", *SMALL, *argv]) == 0
        assert set(seen) == {1}

    def test_cached_runs_are_not_run_again(
        self, iris_csv, tmp_path, command, monkeypatch
    ):
        argv = ["--data", iris_csv, "--target", "kind", "--learner", "CBGZ"]
        argv += ["--cache", tmp_path / "runs"]
        report = report_of(command, *argv)

        def refuse(*args, **kwargs):
            raise AssertionError("this was run before")

        monkeypatch.setattr(CBGZClassifier, "predict", refuse)
        assert report_of(command, *argv) == report


class TestLearner:
    def test_parameters(self):
        learner = parse_learner("CBGZ:b=adaptive,eta0=0.5,average=False,budget=None")
        assert repr(learner) == "CBGZClassifier(average=False, b='adaptive', eta0=0.5)"
        learner = parse_learner("MarginLoss:loss=RampLoss(t=2.0),eta0=0.5")
        assert repr(learner) == "MarginLossClassifier(eta0=0.5, loss=RampLoss(t=2.0))"

    def test_classifiers_of_scikit_learn(self):
        learner = parse_learner("MinMargin:estimator=SVC(C=10,gamma=auto)")
        assert repr(learner.estimator) == "SVC(C=10, gamma='auto')"
        text = "MinMargin:estimator=BaggingClassifier(estimator=SVC(),n_estimators=3)"
        assert repr(parse_learner(text).estimator.estimator) == "SVC()"

    @pytest.mark.parametrize(
        "text",
        [
            "estimator=make_pipeline(StandardScaler(), SVC(C=10))",
            "estimator=make_pipeline(StandardScaler(), SVC()),estimator__svc__C=10",
            'estimator=Pipeline([("standardscaler", StandardScaler()), '
            '("svc", SVC())]),estimator__svc__C=10',
        ],
    )
    def test_pipelines_and_parameters_inside(self, text):
        learner = parse_learner(f"MinMargin:{text}")
        assert repr(learner.estimator) == repr(
            make_pipeline(StandardScaler(), SVC(C=10))
        )

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("CBGSClassifier", "did you mean 'CBGZ'"),
            ("greedy", "did you mean 'GreedyOnline'"),
            ("", "there are ALMS, ASSLBoost"),
            ("DKM:eta=1", "did you mean 'eta0'"),
            ("MarginLoss:loss=RampLoss(t=0.5)", "t == 0.5, must be >= 1"),
            ("MarginLoss:loss=RampLoss(2, 3)", "positional argument"),
            ("MarginLoss:loss=RampLoss(q=2)", "unexpected keyword argument 'q'"),
            ("MarginLoss:loss=RampLoss(t=two)", "RampLoss: t must be"),
            ("MarginLoss:loss=MarginLoss()", "no estimator of scikit-learn"),
            ("MinMargin:estimator=open(file=2)", "no estimator of scikit-learn"),
            ("MinMargin:estimator=SVR()", "did you mean 'SVC'"),
            ("MinMargin:estimator=SVC(c=1)", "SVC: "),
            ("MinMargin:estimator=SVC(1)", "positional argument"),
            ("MinMargin:SVC()", "not of the form"),
            ("MinMargin:estimator__C=1", "needs estimator=NAME()"),
            ("MinMargin:estimator=SVC(),estimator__c=1", "Invalid parameter 'c'"),
            ("MinMargin:estimator=make_pipeline(PCA())", "must be a classifier"),
            ("MinMargin:estimator=Pipeline([1])", "must be a classifier"),
            ("MinMargin:estimator=svm.SVC()", "not of the form"),
            ("MinMargin:estimator=SVC()()", "not of the form"),
            ("MinMargin:estimator=(lambda: 1)()", "not of the form"),
            ("MinMargin:estimator=[SVC()]", "must be a classifier"),
            ("MinMargin:n_initial=" + "(" * 300, "not of the form"),
            ("DKM:R", "not of the form"),
            ("DKM:R=", "not of the form"),
            ("DKM:R=f(1)", "no estimator of scikit-learn"),
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
            class Announced(Exception):
                pass
            class Errors:
                def write(self, text):
                    if "Reading LICENSE" in text:
                        assert not {heavy} & set(sys.modules)
                        raise Announced
                def flush(self):
                    pass
            sys.stderr = Errors()
            try:
                main(["label", "LICENSE", "--classes", "a,b", "--out", "x.sqlite"])
            except Announced:
                sys.exit(3)
        """
        done = run_python("-c", code, cwd=ROOT)
        assert done.returncode == 3  # a file is announced before anything is imported

    def test_plot_without_matplotlib(self, refused, monkeypatch):
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
        assert "pip install matplotlib" in refused("--plot", "a.png")

    def test_folder_without_permission(self, tmp_path, refused, monkeypatch):
        monkeypatch.setattr(os, "access", lambda path, mode: False)
        assert "cannot be written" in refused("--json", tmp_path / "a.json")

    def test_learner_that_fails_on_the_data(self, iris_csv, refused):
        argv = ["--learner", "CBGZ:normalize=False,eta0=1e300"]
        data = ["--data", iris_csv, "--target", "kind"]
        assert "overflow" in refused(*SMALL, *argv, *data)

    def test_an_unknown_option_points_to_the_help_of_its_command(self, refused):
        last = refused("--wrong", "3")
        assert last.endswith(": --wrong 3 (see sklearn-activelearn compare --help).")


class TestTerminal:
    STATE = ComparisonProgress(3, 10, 2, 0.5, 12.3, "DKM: 40 % of the labels saved")

    def test_there_is_a_line_every_ten_seconds(self, capsys, monkeypatch):
        show = make_progress()
        for _ in range(3):
            show(self.STATE)
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(_compare_command, "TELL_EVERY", 0)
        show(self.STATE)
        assert capsys.readouterr().err == (
            "repeat 2, run 3 of 10, 12 s, so far: DKM: 40 % of the labels saved\n"
        )

    def test_a_terminal_sees_the_answer_so_far(self, monkeypatch):
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        assert make_progress() is True  # by rich
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
        assert callable(make_progress())

    def test_interrupt_reports_the_answer_so_far(self, iris_csv, command, monkeypatch):
        ended = []

        def interrupted(*args):
            if len(ended) == 4:
                raise KeyboardInterrupt
            ended.append(run_once(*args))
            return ended[-1]

        monkeypatch.setattr(RUN, interrupted)
        argv = ["--data", iris_csv, "--target", "kind"]
        argv += ["--learner", "CBGZ", "--learner", "DKM"]
        out, err = command("compare", *SMALL, *argv, code=130)
        assert "CBGZ " in out
        assert "1 of 2 folds, not a whole repeat" in out
        last = "interrupted: no run is kept without --cache FOLDER."
        assert err.endswith(f"\nsklearn-activelearn: {last}\n")

    def test_minutes_are_those_of_the_command(self, iris_csv, monkeypatch):
        given = []

        def compare(*args, **how):
            given.append(how["minutes"])
            raise ValueError("enough")

        monkeypatch.setattr("sklearn_activelearn.evaluation.compare", compare)
        argv = ["--data", iris_csv, "--target", "kind", "--minutes", "1"]
        assert main(["compare", *argv]) == 2
        assert 0 < given[0] < 1

    def test_the_report_names_the_minutes_that_were_asked_for(self, iris_csv, capsys):
        argv = ["--data", iris_csv, "--target", "kind", "--minutes", "0.02"]
        argv += ["--learner", "DKM", "--folds", "4", "--jobs", "1", "--json"]
        assert main(["compare", *argv]) == 0
        assert json.loads(capsys.readouterr().out)["minutes"] == 0.02

    def test_rows_without_content_are_left_out(self, tmp_path, command):
        """As in the command label."""
        rows = [f"{k},,{'aaaab'[k % 5]}" for k in range(40)]
        rows[3:5] = [" ,,a", ",,b"]
        path = tmp_path / "rows.csv"
        path.write_text("\n".join(["x,never,kind", *rows]))
        argv = ["--data", f"{path}", "--target", "kind", "--learner", "CBGZ"]
        out, err = command("compare", *SMALL, *argv)
        assert "2 rows without content are left out" in err
        assert "balanced error: the mean over classes, because 82 %" in err
        assert "38 rows, 2 columns, 2 classes" in out

    def test_interrupt(self, command, monkeypatch, tmp_path):
        def interrupt(*args, **kwargs):
            raise KeyboardInterrupt

        together = "sklearn_activelearn.evaluation._comparison_run.run_jobs"
        monkeypatch.setattr(together, interrupt)
        out, err = command("compare", "--cache", f"{tmp_path}", code=130)
        assert out == ""
        kept = f"finished runs are kept in {tmp_path}, and the same command resumes"
        assert err.endswith(f"\nsklearn-activelearn: interrupted: {kept}.\n")

    def test_module_in_a_pipe(self, iris_csv):
        argv = ["compare", *SMALL, "--data", iris_csv, "--target", "kind"]
        argv += ["--learner", "CBGZ"]
        module = ["-W", "error", "-X", "utf8", "-m", "sklearn_activelearn"]
        done = run_python(*module, *argv, check=True)
        assert f"reading {iris_csv}\n75 rows, 4 columns, 3 classes\n" in done.stderr
        assert "\ntreated as number: sepal length (cm), sepal width" in done.stderr
        assert "\033" not in done.stdout + done.stderr
