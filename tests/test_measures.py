"""Measures other than the error: in curves, targets, displays, sessions, `compare`."""

import json
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import (
    average_precision_score,
    f1_score,
    log_loss,
    recall_score,
    roc_auc_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from sklearn_activelearn import (
    MinMarginClassifier,
    RandomSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.__main__ import main
from sklearn_activelearn._cli.measure import Measure, default_measure
from sklearn_activelearn.evaluation import (
    LabelCurve,
    LabelCurveDisplay,
    LabelsToTargetDisplay,
    compare_label_curves,
    label_curve,
    labels_to_target,
    tune_labels_to_target,
)
from sklearn_activelearn.evaluation._measures import measures_of
from sklearn_activelearn.labeling import LabelingSession

mpl.use("Agg")
from matplotlib import pyplot as plt

X, codes = make_classification(
    150, 4, n_informative=3, n_redundant=0, weights=[0.75], random_state=0
)
Y = np.array(["no", "yes"])[codes]
Y3 = np.array(["a", "b", "c"])[(X[:, 0] > 0.5).astype(int) + (X[:, 1] > 0)]
RARE = np.where(X[:, 0] > np.quantile(X[:, 0], 0.85), "yes", "no")
EVERY = RandomSamplingClassifier(rate=1.0)
BAYES = UncertaintySamplingClassifier(GaussianNB(), n_initial=5, budget=15)
SEVERAL = ["f1", "accuracy", "average_precision:no", "roc_auc", "f1_macro", "recall:no"]
HOW = {"cv": 2, "at": [5, 10], "random_state": 0}


def fitted(learner, y):
    return learner.set_params(random_state=0).fit(X, y)


class TestScorers:
    @pytest.mark.parametrize("learner", [EVERY, BAYES], ids=["stream", "pool"])
    def test_several_are_what_each_is(self, learner):
        scoring = SEVERAL + ["neg_log_loss"] * (learner is BAYES)
        together = label_curve(learner, X, Y, scoring=scoring, **HOW)
        assert together.scoring == "f1:yes"
        assert [together.scoring, *together.others] == ["f1:yes", *scoring[1:]]
        for name in scoring:
            alone = label_curve(learner, X, Y, scoring=name, **HOW)
            one = together.by(alone.scoring)
            np.testing.assert_array_equal(one.scores, alone.scores)
            np.testing.assert_array_equal(one.final_scores, alone.final_scores)
            np.testing.assert_array_equal(one.constant_scores, alone.constant_scores)
            assert (one.best, one.runs.tolist()) == (alone.best, alone.runs.tolist())
        with pytest.raises(ValueError, match=r"'beauty' was not measured, only f1:yes"):
            together.by("beauty")

    def test_names_of_ones_own(self):
        scoring = {"rank": "roc_auc", "loss": "neg_log_loss", "mine": lambda *_: 0.25}
        curve = label_curve(BAYES, X, Y, scoring=scoring, **HOW)
        assert [curve.scoring, *curve.others] == ["rank", "loss", "mine"]
        assert [curve.by(name).best for name in scoring] == [1.0, 0.0, 1.0]
        assert (curve.by("mine").scores == 0.25).all()

    def test_two_classes(self):
        for learner, values in (
            (EVERY, lambda m: m.decision_function(X)),
            (
                UncertaintySamplingClassifier(KNeighborsClassifier(), budget=40),
                lambda m: m.predict_proba(X)[:, 1],
            ),
        ):
            model = fitted(learner, Y)
            predicted, ranks = model.predict(X), values(model)
            expected = {
                "f1": f1_score(Y, predicted, pos_label="yes"),  # the rarer class
                "recall:no": recall_score(Y, predicted, pos_label="no"),
                "average_precision": average_precision_score(Y == "yes", ranks),
                "average_precision:no": average_precision_score(Y == "no", -ranks),
                "roc_auc": roc_auc_score(Y, ranks),
            }
            found = measures_of(list(expected), learner, Y)(model, X, Y)
            assert found == pytest.approx(list(expected.values()))

    def test_the_class_1_is_the_positive_one(self):
        y = np.where(Y == "no", 1, 0)  # the frequent one
        model = fitted(EVERY, y)
        expected = recall_score(y, model.predict(X))
        measures = measures_of("recall", EVERY, y)
        assert list(measures.scorers) == ["recall"]
        assert measures(model, X, y) == pytest.approx([expected])

    @pytest.mark.parametrize("scoring", ["roc_auc", "roc_auc_ovr"])
    def test_several_classes_are_ranked_by_decision_values(self, scoring):
        model = fitted(EVERY, Y3)
        values = model.decision_function(X)
        areas = [roc_auc_score(c == Y3, values[:, k]) for k, c in enumerate("abc")]
        measures = measures_of(scoring, EVERY, Y3)
        assert list(measures.scorers) == ["roc_auc_ovr"]
        assert measures(model, X, Y3) == pytest.approx([np.mean(areas)])
        of_b = measures_of("roc_auc:b", EVERY, Y3)(model, X, Y3)
        assert of_b == pytest.approx([areas[1]])

    def test_log_loss_where_a_class_is_not_held_out(self):
        model = fitted(BAYES, Y3)
        rows = np.flatnonzero(Y3 != "b")
        measures = measures_of("neg_log_loss", BAYES, Y3)
        expected = log_loss(Y3[rows], model.predict_proba(X[rows]), labels=[*"abc"])
        assert measures(model, X[rows], Y3[rows]) == pytest.approx([-expected])

    def test_refused_before_a_label_is_bought(self):
        def scoring(learner, X, y):
            raise AssertionError("nothing is scored")

        learner = MinMarginClassifier(LinearSVC())
        for names in ("neg_log_loss", [scoring, "neg_log_loss"]):
            with pytest.raises(
                ValueError, match="'neg_log_loss' needs predict_proba, which MinMargin"
            ):
                label_curve(learner, X, Y, scoring=names, **HOW)


class TestConstantAnswer:
    def test_levels(self):
        scoring = ["accuracy", "balanced_accuracy", "average_precision", "roc_auc"]
        scoring += ["recall:yes", "recall:no", "f1:no", "neg_log_loss"]
        folds = [(np.arange(100), np.arange(100, 150))]
        how = {**HOW, "cv": folds, "scoring": scoring}
        curve = label_curve(BAYES, X, Y, **how)
        p, of_train = (np.mean(y == "yes") for y in (Y[100:], Y[:100]))
        surprise = p * np.log(of_train) + (1 - p) * np.log(1 - of_train)
        expected = [1 - p, 0.5, p, 0.5, 0, 1, 2 * (1 - p) / (2 - p), surprise]
        found = [curve.constant_score]
        found += [other.constant_score for other in curve.others.values()]
        assert found == pytest.approx(expected)

    def test_it_answers_what_is_frequent_in_the_rows_offered(self):
        order = np.argsort(Y == "no", kind="stable")  # rare ones first
        train, test = order[:60], order[60:]
        curve = label_curve(EVERY, X, Y, cv=[(train, test)], at=[5], random_state=0)
        most = "yes" if np.mean(Y[train] == "yes") > 0.5 else "no"
        assert curve.constant_scores == pytest.approx([np.mean(Y[test] == most)])

    def test_functions(self):
        def of_predictions(model, X, y):
            return np.mean(model.predict(X) == y)

        def of_weights(model, X, y):
            return float(model.coef_.sum())

        scoring = [of_predictions, of_weights]
        curve = label_curve(EVERY, X, Y, scoring=scoring, **HOW)
        expected = label_curve(EVERY, X, Y, scoring="accuracy", **HOW)
        np.testing.assert_array_equal(curve.constant_scores, expected.constant_scores)
        assert curve.scoring == "of_predictions"
        assert np.isnan(curve.by("of_weights").constant_scores).all()
        assert np.isfinite(curve.by("of_weights").scores).all()


class TestCurves:
    def test_there_and_back(self):
        curve = label_curve(EVERY, X, Y, scoring=SEVERAL, **HOW)
        back = LabelCurve.from_json(curve.to_json())
        for name in [curve.scoring, *curve.others]:
            one, other = curve.by(name), back.by(name)
            np.testing.assert_array_equal(one.scores, other.scores)
            np.testing.assert_array_equal(one.constant_scores, other.constant_scores)
        known = {k: v for k, v in curve.to_dict().items() if k in OLD_FIELDS}
        old = LabelCurve.from_dict(known)
        assert np.isnan(old.constant_scores).all()
        assert old.scores.tolist() == curve.scores.tolist()

    def test_comparison_and_target_of_a_measure(self):
        scoring = ["accuracy", "neg_log_loss"]
        one, other = (
            label_curve(learner, X, Y, scoring=scoring, **HOW)
            for learner in (BAYES, BAYES._passive_baseline().set_params(budget=15))
        )
        found = compare_label_curves(one, other, scoring="neg_log_loss", at=[10])
        alone = compare_label_curves(
            one.by("neg_log_loss"), other.by("neg_log_loss"), at=[10]
        )
        assert found.mean == alone.mean
        assert found.mean != compare_label_curves(one, other, at=[10]).mean
        with pytest.raises(ValueError, match="accuracy, the other neg_log"):
            compare_label_curves(one, other.by("neg_log_loss"))
        loss = -one.by("neg_log_loss").scores[:, -1].max()
        needed = labels_to_target(one, loss, scoring="neg_log_loss")
        assert needed.labels.min() <= 10
        with pytest.raises(ValueError, match="error"):
            labels_to_target(one, 1.5)
        assert labels_to_target(one, 99, scoring="neg_log_loss").mean == 5

    def test_labels_to_a_loss(self):
        one = np.array([9])
        curve = LabelCurve(
            np.array([5, 9]), np.array([[-2.0, -0.4]]), one, np.array([-0.4]), one,
            one, one.astype(str), "neg_log_loss", 0.0,
        )  # fmt: skip
        assert curve.labels_for(0.5) == 9
        at_the_end = replace(curve, scores=curve.scores[:, :1], n_labels=np.array([5]))
        assert labels_to_target(at_the_end, 0.5).labels.tolist() == [9]

    def test_until_a_loss(self):
        how = {"cv": 2, "scoring": "neg_log_loss", "random_state": 0}
        curve = label_curve(BAYES, X, Y, until=50, **how)
        assert curve.n_bought.tolist() == [5, 5]
        at_once = -label_curve(BAYES, X, Y, **how).scores[:, 0]
        curve = label_curve(BAYES, X, Y, until=at_once.max(), **how)
        assert curve.n_bought.tolist() == [5, 5]
        never = label_curve(BAYES, X, Y, until=0, **how)
        assert never.n_bought.tolist() == [15, 15]
        with pytest.raises(ValueError, match="until"):
            label_curve(BAYES, X, Y, until=-0.1, **how)

    def test_tuning(self):
        grid = {"eta0": [1e-3, 1.0]}
        how = {"cv": 2, "random_state": 0}
        tuning = tune_labels_to_target(
            EVERY, grid, X, Y, error=0.3, scoring="average_precision", **how
        )
        for (_, found), eta0 in zip(tuning.results, grid["eta0"], strict=True):
            learner = EVERY.__class__(rate=1.0, eta0=eta0)
            seed = np.random.RandomState(0).randint(2**31)
            curve = label_curve(
                learner, X, Y, cv=2, until=0.3, scoring="average_precision",
                random_state=seed,
            )  # fmt: skip
            expected = labels_to_target(curve, 0.3)
            assert found.labels.tolist() == expected.labels.tolist()
        for scoring, error, words in (
            (["accuracy", "roc_auc"], 0.1, "one measure"),
            ("neg_log_loss", 0.1, "needs predict_proba"),
            ("accuracy", 2, "error"),
        ):
            with pytest.raises(ValueError, match=words):
                tune_labels_to_target(
                    EVERY, grid, X, Y, error=error, scoring=scoring, **how
                )


OLD_FIELDS = {
    "n_labels", "scores", "n_bought", "final_scores", "n_offered", "n_held_out", "runs"
}  # fmt: skip


@pytest.fixture(scope="module")
def measured():
    scoring = ["accuracy", "average_precision", "neg_log_loss"]
    return label_curve(BAYES, X, Y, cv=2, scoring=scoring, random_state=0)


class TestDisplays:
    @pytest.fixture(autouse=True)
    def no_figures_left(self):
        yield
        plt.close("all")

    @pytest.mark.parametrize(
        ("scoring", "label", "scale", "value"),
        [
            (None, "test error", "log", lambda curve: 1 - curve),
            ("neg_log_loss", "test log loss", "log", lambda curve: -curve),
            (
                "average_precision:yes",
                "average precision of 'yes'",
                "linear",
                lambda curve: curve,
            ),
        ],
    )
    def test_curves(self, measured, scoring, label, scale, value):
        display = LabelCurveDisplay.from_curves(measured, scoring=scoring, target=0.25)
        display.figure_.canvas.draw()
        ax, curve = display.ax_, measured.by(scoring)
        assert (ax.get_ylabel(), ax.get_yscale()) == (label, scale)
        end = value(curve.final_scores).mean()
        assert display.lines_[0].get_ydata()[-1] == pytest.approx(end)
        lines = {line.get_label(): line for line in ax.get_lines()}
        level = lines["constant answer"].get_ydata()[0]
        assert level == pytest.approx(value(curve.constant_score))
        low, high = ax.get_ylim()
        assert low < level < high
        assert "constant answer" in [t.get_text() for t in ax.get_legend().get_texts()]

    def test_from_estimator_draws_the_first(self):
        scoring = ["balanced_accuracy", "accuracy"]
        display = LabelCurveDisplay.from_estimator(
            EVERY, X, Y, cv=2, at=[5], scoring=scoring, passive=EVERY
        )
        assert display.ax_.get_ylabel() == "test balanced error"

    def test_labels_to_a_target(self, measured):
        display = LabelsToTargetDisplay.from_curves(measured, scoring="neg_log_loss")
        display.figure_.canvas.draw()
        assert display.ax_.get_xlabel() == "target log loss"
        assert display.errors.max() > -measured.by("neg_log_loss").mean.max()
        display = LabelsToTargetDisplay.from_curves(measured)
        lines = {line.get_label(): line for line in display.ax_.get_lines()}
        level = lines["constant answer"].get_xdata()[0]
        assert level == pytest.approx(1 - measured.constant_score)

    def test_refused(self, measured):
        with pytest.raises(ValueError, match="was not measured"):
            LabelCurveDisplay(measured, scoring="f1")
        both = {"a": measured, "b": measured.by("neg_log_loss")}
        with pytest.raises(ValueError, match="several measures"):
            LabelCurveDisplay.from_curves(both)
        with pytest.raises(ValueError, match="none to draw"):
            LabelsToTargetDisplay({})


class TestSession:
    @pytest.fixture
    def session(self, tmp_path):
        learner = UncertaintySamplingClassifier(
            GaussianNB(), n_initial=10, batch_size=10, budget=60, random_state=0
        )
        with LabelingSession(
            learner, X, tmp_path / "s", classes=["no", "yes"], test_size=30,
            ids=list(range(150)),
        ) as session:  # fmt: skip
            while (row := session.next()) is not None:
                session.label(row, str(RARE[row]))
            yield session

    def test_a_rare_class(self, session):
        aside = list(session._state.test)
        truth = RARE[aside]
        share = np.mean(truth == "no")
        assert 0.7 < share < 1
        model = session.learner
        recalls = [
            np.mean(model.predict(X[aside])[truth == c] == c) for c in ("no", "yes")
        ]
        last = session.curve()[-1]
        assert last.score == pytest.approx(np.mean(recalls))
        assert last.constant == pytest.approx(0.5)
        assert last.accuracy == pytest.approx(np.mean(model.predict(X[aside]) == truth))
        said = session.advice()
        assert f"a balanced accuracy of {np.mean(recalls):.0%} on 30 rows" in said
        variance = [r * (1 - r) for r in recalls]
        counts = [np.sum(truth == c) for c in ("no", "yes")]
        error = np.sqrt(
            sum(max(v, 1 / n) / n for v, n in zip(variance, counts, strict=True))
        )
        assert f"(give or take {error:.0%}; always 'no': 50%)" in said
        assert f"because {share:.0%} of these are 'no'" in said

    def test_any_measure_of_labels(self, session):
        aside = list(session._state.test)
        truth, predicted = RARE[aside], session.learner.predict(X[aside])
        for scoring, score in (
            ("accuracy", np.mean(truth == predicted)),
            ("recall:yes", np.mean(predicted[truth == "yes"] == "yes")),
            (lambda model, X, y: np.mean(model.predict(X) == "yes"), None),
        ):
            score = np.mean(predicted == "yes") if score is None else score
            assert session.curve(scoring)[-1].score == pytest.approx(score)
        share = np.mean(truth == "no")
        right = np.mean(predicted == truth)
        error = 2 * np.sqrt(max(right * (1 - right), 1 / 30) / 30)
        assert f"(give or take {error:.0%}; " in session.advice("accuracy")
        assert f"always 'no': {share:.0%})" in session.advice("accuracy")
        assert "a recall:yes of " in session.advice("recall:yes")
        for scoring, words in (
            ("roc_auc", "'roc_auc' needs decision_function or predict_proba"),
            ("beauty", "no scorer"),
            (["accuracy", "f1"], "one measure"),
        ):
            with pytest.raises(ValueError, match=words):
                session.advice(scoring)


class TestCommand:
    SMALL = ("--folds", "2", "--repeats", "2", "--jobs", "1")

    @pytest.fixture
    def run(self, tmp_path, capsys):
        path = tmp_path / "rows.npz"
        np.savez(path, X=X, y=Y)

        def run(*argv):
            code = main(["compare", *self.SMALL, "--data", str(path), *argv])
            return code, *capsys.readouterr()

        return run

    def test_default(self, run):
        seventy = np.repeat(["a", "b"], [7, 3])
        assert default_measure(seventy) == Measure("accuracy")
        assert default_measure(seventy[:-1]).scoring == "balanced_accuracy"
        code, out, err = run("--learner", "CBGZ")
        assert code == 0
        share = f"{100 * np.mean(Y == 'no'):.0f} %"
        why = f"balanced error: the mean over classes, because {share} of the labels"
        assert f"{why} are 'no'" in err
        assert f"{why} are 'no'" in out
        assert "balanced error, %:" in out
        assert "always 'no'       0                50.0     50.0" in out
        assert "95 %  for the mean over further splits and orders of this table" in out

    def test_measure_of_a_class(self, run):
        argv = ["--learner", "CBGZ", "--scoring", "average_precision", "--json"]
        _, out, _ = run(*argv)
        found = json.loads(out)
        assert found["measure"]["scoring"] == "average_precision:yes"
        (result,) = found["results"]
        level = 1 - np.mean(result["constant_errors"])
        assert level == pytest.approx(np.mean(Y == "yes"), abs=0.01)
        _, out, _ = run(*argv[:-1], "--details", "--target-error", "0.5")
        assert "average precision of 'yes':" in out
        row = next(line for line in out.splitlines() if line.startswith("always"))
        assert row.split() == ["always", "'no'", "0", *[f"{level:.3f}"] * 2]
        assert "until 0.500:" in out
        assert "chosen, average precision of 'yes'" in out

    def test_probabilities_where_there_are_none(self, run, monkeypatch):
        code, out, err = run("--scoring", "neg_log_loss", "--learner", "CBGZ")
        assert (code, out) == (2, "")
        assert "1 of" not in err
        assert err.count("\n") == 3
        two = ["--learner", "UncertaintySampling", "--learner", "CBGZ"]
        assert run("--scoring", "neg_log_loss", *two)[:2] == (2, "")
        assert "'neg_log_loss' needs predict_proba, which CBGZClassifier does" in err

    def test_default_learners_weigh_unequal_classes(self, run):
        _, _, err = run()
        assert "LogisticRegression(class_weight='balanced', max_iter=1000))" in err
        assert "GreedyOnlineClassifier(class_weight='balanced')" in err
        _, _, err = run("--scoring", "accuracy")
        assert "class_weight" not in err

    def test_what_learners_warn_of_is_noted_once(self, tmp_path, capsys):
        path = tmp_path / "rare.npz"
        rng = np.random.default_rng(0)
        y = (rng.uniform(size=2_600) < 0.02).astype(int)
        np.savez(path, X=rng.standard_normal((2_600, 2)) + y[:, None], y=y)
        code = main(["compare", *self.SMALL, "--data", str(path), "--learner", "CBGZ"])
        out, err = capsys.readouterr()
        assert code == 0
        assert "Warning" not in err
        note = "note  CBGZClassifier knew or predicted one class only in "
        assert out.count(note) == 1
        assert "set class_weight='balanced', and judge" in " ".join(out.split())

    def test_default_learners_that_a_measure_does_not_suit(self, run):
        code, out, err = run("--scoring", "neg_log_loss", "--rows", "60")
        assert code == 0
        assert "left out: scoring='neg_log_loss' needs predict_proba" in err
        assert "HybridSampling" in out
        assert "GreedyOnline" not in out
        assert "log loss:" in out

    @pytest.mark.parametrize("name", ["beauty", "recall:maybe", "f1:", "r2"])
    def test_unknown_measures(self, run, name):
        code, out, err = run("--scoring", name, "--learner", "CBGZ")
        assert (code, out) == (2, "")
        assert name in err
        assert "Traceback" not in err
