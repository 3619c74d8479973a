"""Measures other than the error: in curves, targets, displays, sessions, `compare`."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import make_classification
from sklearn.metrics import (
    accuracy_score,
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
from sklearn_activelearn.evaluation import (
    LabelCurve,
    LabelCurveDisplay,
    label_curve,
)
from sklearn_activelearn.evaluation._measures import measures_of
from sklearn_activelearn.labeling import LabelingSession, _report

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


def wilson(is_right):
    """Return Wilson's interval for a share."""
    n, p, z = len(is_right), np.mean(is_right), norm.ppf(0.975)
    middle = (p + z**2 / 2 / n) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / 4 / n**2)
    return middle - half, middle + half


def recall_of_classes(truth, predicted):
    truth, predicted = np.array(truth), np.array(predicted)
    return np.mean([np.mean(predicted[truth == c] == c) for c in {*truth.tolist()}])


class TestScorers:
    @pytest.mark.parametrize("learner", [EVERY, BAYES], ids=["stream", "pool"])
    def test_several_are_what_each_is(self, learner):
        scoring = SEVERAL + ["neg_log_loss"] * (learner is BAYES)
        together = label_curve(learner, X, Y, scoring=scoring, **HOW)
        assert together.scoring == "f1:yes"
        assert [together.scoring, *together.others] == ["f1:yes", *scoring[1:]]
        for name in scoring[learner is EVERY :: 2]:
            alone = label_curve(learner, X, Y, scoring=name, **HOW)
            one = together.by(alone.scoring)
            np.testing.assert_array_equal(one.scores, alone.scores)
            np.testing.assert_array_equal(one.final_scores, alone.final_scores)
            np.testing.assert_array_equal(one.constant_scores, alone.constant_scores)
            assert (one.best, one.runs.tolist()) == (alone.best, alone.runs.tolist())
        with pytest.raises(ValueError, match=r"'beauty' was not measured; .* f1:yes"):
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


class TestConstantPrediction:
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
    def test_comparison_and_target_of_a_measure(self):
        scoring = ["accuracy", "neg_log_loss"]
        one, other = (
            label_curve(learner, X, Y, scoring=scoring, **HOW)
            for learner in (BAYES, BAYES._passive_baseline().set_params(budget=15))
        )
        losses = one.by("neg_log_loss"), other.by("neg_log_loss")
        found = losses[0].compare(losses[1], at=[10])
        assert (found.mean != one.compare(other, at=[10]).mean).all()
        with pytest.raises(ValueError, match="accuracy and neg_log_loss: choose"):
            one.compare(losses[1])
        loss = -losses[0].scores[:, -1].max()
        needed = losses[0].labels_to_target(loss)
        assert needed.labels.min() <= 10
        with pytest.raises(ValueError, match="error"):
            one.labels_to_target(1.5)
        assert losses[0].labels_to_target(99).mean == 5

    def test_labels_to_a_loss(self):
        one = np.array([9])
        curve = LabelCurve(
            np.array([5, 9]), np.array([[-2.0, -0.4]]), one, np.array([-0.4]), one,
            one, one.astype(str), "neg_log_loss", 0.0,
        )  # fmt: skip
        assert curve.labels_for(0.5) == 9
        at_the_end = replace(curve, scores=curve.scores[:, :1], n_labels=np.array([5]))
        assert at_the_end.labels_to_target(0.5).labels.tolist() == [9]

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


@pytest.fixture(scope="module")
def measured():
    scoring = ["accuracy", "average_precision", "neg_log_loss"]
    return label_curve(BAYES, X, Y, cv=2, scoring=scoring, random_state=0)


@pytest.mark.usefixtures("no_figures_left")
class TestDisplays:
    @pytest.mark.parametrize(
        ("scoring", "label", "scale", "value"),
        [
            (None, "test error", "linear", lambda curve: 1 - curve),
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
        curve = measured.by(scoring)
        display = LabelCurveDisplay(curve, target=0.25).plot()
        display.figure_.canvas.draw()
        ax = display.ax_
        assert (ax.get_ylabel(), ax.get_yscale()) == (label, scale)
        end = value(curve.final_scores).mean()
        assert display.lines_[0].get_ydata()[-1] == pytest.approx(end)
        lines = {line.get_label(): line for line in ax.get_lines()}
        level = lines["constant prediction"].get_ydata()[0]
        assert level == pytest.approx(value(curve.constant_score))
        low, high = ax.get_ylim()
        assert low < level < high
        texts = [text.get_text() for text in ax.get_legend().get_texts()]
        assert "constant prediction" in texts


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
        aside = list(session.test_ids)
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
        assert f"a balanced accuracy of {np.mean(recalls):.0%} on 30 held-out" in said
        ends = [wilson(model.predict(X[aside])[truth == c] == c) for c in ("no", "yes")]
        low, high = (
            np.mean(recalls) + sign * np.hypot(*(np.array(recalls) - end)) / 2
            for sign, end in zip((-1, 1), np.transpose(ends), strict=True)
        )
        assert f"(95 %: {low:.0%}–{high:.0%}; always 'no': 50%)" in said
        assert f"because {share:.0%} of these are 'no'" in said

    @pytest.mark.parametrize("name", ["accuracy", "balanced accuracy"])
    @pytest.mark.parametrize("n", [10, 30, 400])
    @pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
    def test_intervals_end_at_0_and_100_per_cent(self, name, n, share):
        truth = ["a"] * (n - 1) + ["b"]  # a class of one row
        predicted = [t if i < share * n else "c" for i, t in enumerate(truth)]
        said = _report.describe_interval(name, predicted, truth)
        low, high = map(int, re.search(r"(-?\d+)%–(\d+)%; $", said).groups())
        score = {"accuracy": accuracy_score, "balanced accuracy": recall_of_classes}
        value = 100 * score[name](truth, predicted)
        assert 0 <= low <= round(value) <= high <= 100
        assert low < high

    def test_any_measure_of_labels(self, session):
        aside = list(session.test_ids)
        truth, predicted = RARE[aside], session.learner.predict(X[aside])
        for scoring, score in (
            ("accuracy", np.mean(truth == predicted)),
            ("recall:yes", np.mean(predicted[truth == "yes"] == "yes")),
            (lambda model, X, y: np.mean(model.predict(X) == "yes"), None),
        ):
            score = np.mean(predicted == "yes") if score is None else score
            assert session.curve(scoring)[-1].score == pytest.approx(score)
        share = np.mean(truth == "no")
        low, high = wilson(predicted == truth)
        assert f"(95 %: {low:.0%}–{high:.0%}; " in session.advice("accuracy")
        assert f"always 'no': {share:.0%})" in session.advice("accuracy")
        assert "a recall:yes of " in session.advice("recall:yes")
        for scoring, words in (
            ("roc_auc", "'roc_auc' needs decision_function or predict_proba"),
            ("beauty", "not a scorer"),
            (["accuracy", "f1"], "one measure"),
        ):
            with pytest.raises(ValueError, match=words):
                session.advice(scoring)
