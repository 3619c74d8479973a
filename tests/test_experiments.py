"""Long experiments: progress, Ctrl-C, runs kept on disk, results written down."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_activelearn import (
    CBGZClassifier,
    RandomSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.evaluation import (
    ExperimentInterrupted,
    LabelCurve,
    label_curve,
    make_priced_scorer,
    n_queries_scorer,
    tune_labels_to_target,
)
from tests.tools import hide_package, problem

X, y = problem(60, 4)
EVERYTHING = RandomSamplingClassifier(rate=1.0)


class CountingScorer:
    """Accuracy; counts its calls in a file, and may press Ctrl-C at one of them."""

    def __init__(self, folder, stop_at=None):
        self.folder, self.stop_at = str(folder), stop_at

    def __getstate__(self):  # what a cached run depends on
        return {"folder": self.folder}

    def __call__(self, learner, X, y):
        if self.n_calls() == getattr(self, "stop_at", None):
            raise KeyboardInterrupt
        with open(f"{self.folder}/calls", "a") as file:
            file.write(".")
        return float(np.mean(learner.predict(X) == y))

    def n_calls(self):
        try:
            with open(f"{self.folder}/calls") as file:
                return len(file.read())
        except FileNotFoundError:
            return 0


def same(curve, other):
    for name, value in vars(curve).items():
        np.testing.assert_array_equal(value, getattr(other, name))


class TestMemory:
    def test_known_runs_are_not_run_again(self, tmp_path):
        scorer = CountingScorer(tmp_path)
        arguments = {"at": [5, 10], "scoring": scorer, "random_state": 0}
        arguments |= {"memory": str(tmp_path / "cache")}
        first = label_curve(EVERYTHING, X, y, **arguments)
        assert scorer.n_calls() == 20
        fitted = RandomSamplingClassifier(rate=1.0).fit(X, y)
        again = label_curve(fitted, X, y, **arguments)
        assert scorer.n_calls() == 20
        same(first, again)
        more = label_curve(EVERYTHING, X, y, **arguments, n_repeats=2)
        assert scorer.n_calls() == 40  # the new repeat only
        np.testing.assert_array_equal(more.scores[:5], first.scores)
        with parallel_config("threading"):
            label_curve(EVERYTHING, X, y, **arguments, n_jobs=2)
        assert scorer.n_calls() == 40
        plain = label_curve(EVERYTHING, X, y, **{**arguments, "memory": None})
        same(plain, first)

    @pytest.mark.parametrize(
        "changes",
        [
            {"X": X + 1e-9},
            {"y": np.where(y == "yes", "no", "yes")},
            {"at": [5]},
            {"random_state": 1},
            {"estimator": RandomSamplingClassifier(rate=1.0, eta0=0.5)},
            {"until": 0.1},
        ],
        ids=lambda changes: next(iter(changes)),
    )
    def test_what_changes_a_run(self, changes, tmp_path):
        scorer = CountingScorer(tmp_path)
        arguments = {"estimator": EVERYTHING, "X": X, "y": y, "at": [5, 10]}
        arguments |= {"scoring": scorer, "memory": tmp_path / "c", "random_state": 0}
        label_curve(**arguments)
        n_calls = scorer.n_calls()
        label_curve(**{**arguments, **changes})
        assert scorer.n_calls() > n_calls

    @pytest.mark.parametrize("name", ["__version__", "sklearn_version"])
    def test_another_version_runs_anew(self, name, tmp_path, monkeypatch):
        scorer = CountingScorer(tmp_path)
        arguments = {"cv": 2, "at": [5], "scoring": scorer, "random_state": 0}
        label_curve(EVERYTHING, X, y, memory=tmp_path / "cache", **arguments)
        module = "sklearn_activelearn.evaluation._experiments"
        monkeypatch.setattr(f"{module}.{name}", "9")
        label_curve(EVERYTHING, X, y, memory=tmp_path / "cache", **arguments)
        assert scorer.n_calls() == 12

    def test_an_interrupted_experiment_resumes(self, tmp_path):
        arguments = {"at": [5, 10], "random_state": 0, "memory": tmp_path / "cache"}
        scorer = CountingScorer(tmp_path, stop_at=9)  # in the third run
        with pytest.raises(ExperimentInterrupted, match="2 of 5 runs") as stop:
            label_curve(EVERYTHING, X, y, scoring=scorer, **arguments)
        partial = stop.value.result
        assert len(partial.runs) == 2
        scorer.stop_at = None
        whole = label_curve(EVERYTHING, X, y, scoring=scorer, **arguments)
        assert scorer.n_calls() == 9 + 12  # one score is lost, of the run that broke
        np.testing.assert_array_equal(partial.scores, whole.scores[:2])
        np.testing.assert_array_equal(partial.runs, whole.runs[:2])

    def test_an_interrupted_tuning_resumes(self, tmp_path):
        scorer = CountingScorer(tmp_path, stop_at=12)
        arguments = {"error": 0.5, "scoring": scorer, "random_state": 0, "cv": 2}
        arguments |= {"memory": tmp_path / "cache"}
        grid = {"eta0": [1.0, 2.0, 3.0]}
        scorer.stop_at = 5  # two scores a run, if the first label is enough
        with pytest.raises(KeyboardInterrupt):
            tune_labels_to_target(EVERYTHING, grid, X, y, **arguments)
        scorer.stop_at, before = None, scorer.n_calls()
        tuning = tune_labels_to_target(EVERYTHING, grid, X, y, **arguments)
        resumed = scorer.n_calls() - before
        fresh = CountingScorer(tmp_path / "cache")
        whole = tune_labels_to_target(
            EVERYTHING, grid, X, y, **{**arguments, "scoring": fresh, "memory": None}
        )
        assert resumed < fresh.n_calls()
        assert tuning.best_params == whole.best_params


class TestInterrupt:
    def test_folds_of_the_runs_that_have_ended(self, tmp_path):
        scorer = CountingScorer(tmp_path, stop_at=6)
        folds = [(np.arange(n), np.arange(n, 60)) for n in (30, 35, 40)]
        with pytest.raises(ExperimentInterrupted) as stop:
            label_curve(EVERYTHING, X, y, cv=folds, at=[5], scoring=scorer)
        assert stop.value.result.n_offered.tolist() == [30, 35]
        assert stop.value.result.n_held_out.tolist() == [30, 25]

    def test_before_the_first_run_ends(self, tmp_path):
        with pytest.raises(KeyboardInterrupt) as stop:
            label_curve(EVERYTHING, X, y, scoring=CountingScorer(tmp_path, stop_at=1))
        assert not isinstance(stop.value, ExperimentInterrupted)

    def test_a_tuning_keeps_its_settings(self, tmp_path):
        scorer = CountingScorer(tmp_path, stop_at=40)

        def count(learner, X, y):
            scorer(learner, X, y)
            return float(learner.n_queries_ >= 4)

        with pytest.raises(ExperimentInterrupted, match="of 3 settings") as stop:
            tune_labels_to_target(
                EVERYTHING, {"eta0": [1.0, 2.0, 3.0]}, X, y, error=0.0, scoring=count
            )
        assert len(stop.value.result.results) == 1
        assert stop.value.result.best_params == {"eta0": 1.0}


class TestProgress:
    def test_a_function_is_told(self):
        told = []
        label_curve(
            EVERYTHING, X, y, cv=3, at=[5],
            progress=lambda done, total: told.append((done, total)),
        )  # fmt: skip
        assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]

    def test_a_tuning_counts_all_its_runs(self):
        told = []
        tune_labels_to_target(
            EVERYTHING, {"eta0": [1.0, 2.0]}, X, y, error=0.5, cv=2,
            progress=lambda done, total: told.append((done, total)),
        )  # fmt: skip
        assert told == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]

    def test_a_bar(self, capsys, monkeypatch):
        monkeypatch.setenv("FORCE_COLOR", "1")
        label_curve(EVERYTHING, X, y, at=[5], progress=True)
        out, _ = capsys.readouterr()
        assert "RandomSamplingClassifier" in out
        assert "5/5" in out
        tune_labels_to_target(
            EVERYTHING, {"eta0": [1.0, 2.0]}, X, y, error=0.5, cv=2, progress=True
        )
        assert "4/4" in capsys.readouterr().out

    def test_without_rich(self, monkeypatch):
        hide_package(monkeypatch, "rich")
        with pytest.raises(ImportError, match="pip install rich"):
            label_curve(EVERYTHING, X, y, progress=True)

    def test_neither(self):
        with pytest.raises(TypeError, match="progress"):
            label_curve(EVERYTHING, X, y, progress=1)


@pytest.fixture(scope="module")
def curves():
    arguments = {"cv": 3, "at": [1, 5, 200], "random_state": 0}
    return [
        label_curve(learner, X, y, **arguments)
        for learner in (CBGZClassifier(budget=20), EVERYTHING)
    ]


class TestResults:
    def test_a_curve_comes_back_from_json(self, curves):
        for curve in curves:
            again = LabelCurve.from_json(curve.to_json())
            same(curve, again)
            assert again.n_labels.dtype.kind == "i"
            assert json.loads(curve.to_json())["n_labels"] == [1, 5, 200]

    def test_a_frame(self, curves):
        table = curves[1].to_frame()
        assert isinstance(table, pd.DataFrame)
        assert table.shape == (9, 4)
        means = table.groupby("n_labels")["carried_score"].mean()
        np.testing.assert_allclose(means, curves[1].mean)

    def test_without_pandas(self, curves, monkeypatch):
        hide_package(monkeypatch, "pandas")
        with pytest.raises(ImportError, match="pip install pandas"):
            curves[0].to_frame()


SCORING = {
    "accuracy": "accuracy",
    "labels": n_queries_scorer,
    "net": make_priced_scorer(0.002),
}


class TestScorers:
    def test_a_search_with_several(self):
        search = GridSearchCV(
            make_pipeline(StandardScaler(), RandomSamplingClassifier(rate=1.0)),
            {"randomsamplingclassifier__budget": [1, 10, 30]},
            scoring=pickle.loads(pickle.dumps(SCORING)), refit="net",
        ).fit(X, y)  # fmt: skip
        results = {name: search.cv_results_[f"mean_test_{name}"] for name in SCORING}
        assert results["labels"].tolist() == [1, 10, 30]
        np.testing.assert_allclose(
            results["net"], results["accuracy"] - 0.002 * results["labels"]
        )
        assert search.best_index_ == results["net"].argmax()

    def test_refused(self):
        with pytest.raises(ValueError, match="price"):
            make_priced_scorer(-1)
        with pytest.raises(ValueError, match="beauty"):
            make_priced_scorer(1, "beauty")
        with pytest.raises(ValueError, match="one score"):
            make_priced_scorer(1, ["accuracy", "f1"])
        with pytest.raises(AttributeError, match="n_queries_"):
            n_queries_scorer(Perceptron().fit(X, y), X, y)
        for learner in (CBGZClassifier(), UncertaintySamplingClassifier()):
            with pytest.raises(NotFittedError, match="not fitted"):
                n_queries_scorer(learner, X, y)
