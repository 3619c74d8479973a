"""Warnings of pool learners that have one answer, and which line they name."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC

from sklearn_activelearn import (
    ALMSClassifier,
    BatchMarginLossClassifier,
    MarginLossClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByCommitteeClassifier,
    SOLEClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.exceptions import OneClassWarning
from sklearn_activelearn.pool import AllOf, NoNewClass
from tests.learners import POOL_DEFAULTS, each
from tests.tools import fresh, problem

X, y = problem(150, 4, noise=0.3)
RARE = np.where(np.arange(150) % 30 == 7, "yes", "no")
BLIND = LogisticRegression(C=1e-9)  # always "no"


def by_hand(learner, X, labels):
    """Run the loop; return the warnings of each query that was made."""
    caught = []
    for _ in range(200):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", OneClassWarning)
            rows = learner.query(X)
        caught.append(found)
        if not len(rows):
            return caught
        learner.teach(X[rows], labels[rows], classes=np.unique(labels))
    raise AssertionError("it does not end")


class TestOneClassIsKnown:
    @each(POOL_DEFAULTS)
    def test_when_the_budget_is_spent(self, prototype):
        learner = fresh(prototype, n_initial=9, budget=10)
        labels = np.array(["no"] * 149 + ["yes"])
        with pytest.warns(OneClassWarning, match="its 10 labels are all of") as caught:
            learner.learn(X, lambda rows: labels[:149][rows % 149], ["no", "yes"])
        assert len(caught) == 1
        name = type(learner).__name__
        assert str(caught[0].message).startswith(f"{name} predicts 'no' for every row")
        assert "pass some as initial" in str(caught[0].message)
        assert caught[0].filename == __file__
        assert learner.n_taught_ == 10

    def test_once_and_not_for_each_query(self):
        learner = MinMarginClassifier(budget=12, n_initial=10, random_state=0)
        labels = np.where(np.arange(150) == 7, "yes", "no")
        *earlier, last = by_hand(learner, X, labels)
        assert not any(earlier)
        assert [each.category for each in last] == [OneClassWarning]
        assert last[0].filename == __file__
        assert len(learner.query(X)) == 0  # another warning would be an error

    def test_not_while_answers_are_out(self):
        learner = MinMarginClassifier(budget=12, random_state=0)
        rows = learner.query(X)
        learner.teach(X[rows], ["no"] * 10, classes=["no", "yes"])
        rows = [*learner.query(X), *learner.query(X)]
        assert len(learner.query(X)) == 0
        assert learner.stop_reason_ == "budget"
        learner.teach(X[rows], ["no"] * 2)

    @pytest.mark.parametrize(("n_initial", "budget"), [(10, 0), (2, 9), (20, 19)])
    def test_not_before_the_first_rows_are_bought(self, n_initial, budget):
        learner = MinMarginClassifier(n_initial=n_initial, budget=budget)
        labels = np.where(np.arange(150) == 149, "yes", "no")
        assert by_hand(learner.set_params(random_state=0), X, labels)[-1] == []

    def test_not_where_no_row_is_left(self):
        learner = MinMarginClassifier(budget=None, n_initial=2, random_state=0)
        learner.learn(X[:12], lambda rows: ["no"] * len(rows), ["no", "yes"])
        assert learner.stop_reason_ == "no rows"

    def test_as_an_error_it_leaves_all_labels(self):
        learner = MinMarginClassifier(budget=12, random_state=0)
        with pytest.raises(OneClassWarning):
            learner.learn(X, lambda rows: ["no"] * len(rows), ["no", "yes"])
        assert learner.n_taught_ == 12


class TestOneClassIsPredicted:
    @pytest.mark.parametrize(
        "learner",
        [
            UncertaintySamplingClassifier(BLIND),
            MinMarginClassifier(BLIND, batch_size=7),
            UncertaintyHerdingClassifier(BLIND, calibrate=False),
            PassiveClassifier(BLIND),
            QueryByCommitteeClassifier(BLIND, param_grid={"C": [1e-9, 1e-8]}, cv=2),
        ],
        ids=lambda learner: type(learner).__name__,
    )
    @pytest.mark.filterwarnings("ignore:.* buys by distances, and these say nothing")
    def test_although_two_are_known(self, learner):
        learner = fresh(learner, budget=60, batch_size=10, random_state=0)
        with pytest.warns(OneClassWarning) as caught:
            learner.fit(X, RARE)
        caught = [each for each in caught if each.category is OneClassWarning]
        assert len(caught) == 1
        message = str(caught[0].message)
        words = "predicts 'no' for all labelled rows and for 150 of the pool, although"
        assert f"{words} it has been taught labels of 2 classes" in message
        assert "class_weight='balanced' in its estimator" in message
        assert caught[0].filename == __file__
        *earlier, last = by_hand(clone(learner), X, RARE)
        assert [*map(len, earlier)] == [0] * len(earlier)
        assert len(last) == 1
        assert len(learner.query(X)) == 0

    def test_not_where_the_pool_is_told_apart(self):
        class Sign(LogisticRegression):
            def predict(self, X):
                return np.where(X[:, 0] > 0, "yes", "no")

        learner = UncertaintySamplingClassifier(Sign(), budget=60, random_state=0)
        below = np.flatnonzero(X[:, 0] <= 0)
        learner.learn(X, lambda rows: RARE[rows], ["no", "yes"], candidates=below)
        assert learner.n_taught_ == 60

    def test_not_with_few_labels(self):
        learner = UncertaintySamplingClassifier(BLIND, budget=49, n_initial=40)
        learner.set_params(random_state=0).fit(X, RARE)
        assert {*learner.predict(X)} == {"no"}

    def test_with_a_stopping_rule(self):
        learner = UncertaintySamplingClassifier(
            BLIND, budget=None, n_initial=60, stopping=NoNewClass(20), random_state=0
        )
        with pytest.warns(OneClassWarning):
            learner.fit(X, RARE)
        assert learner.stop_reason_ == "no_new_class"


class TestLineOfTheUser:
    def lines_of(self, category, call):
        with pytest.warns(category) as caught:
            call()
        return [each.filename for each in caught]

    def test_of_a_step_that_is_too_large(self):
        learner = MarginLossClassifier("ramp", eta0=1e9, random_state=0)
        codes, classes = (RARE == "yes").astype(int), [0, 1]
        for call in (
            lambda: clone(learner).fit(X * 100, codes),
            lambda: clone(learner).partial_fit(X * 100, codes, classes),
            lambda: clone(learner).learn(X * 100, lambda rows: codes[rows], classes),
            lambda: make_pipeline(MaxAbsScaler(), clone(learner)).fit(X, codes),
        ):
            assert self.lines_of(ConvergenceWarning, call) == [__file__]

    def test_of_a_batch_model_inside_a_learner(self):
        model = BatchMarginLossClassifier("hinge", max_iter=1)
        learner = MinMarginClassifier(model, budget=12, random_state=0)
        calls = (lambda: model.fit(X, y), lambda: learner.fit(X, y))
        for call in calls:
            assert {*self.lines_of(ConvergenceWarning, call)} == {__file__}

    def test_of_an_estimator_that_fails(self):
        class Failing(LogisticRegression):
            def fit(self, X, y):
                raise TypeError("not today")

        learner = UncertaintySamplingClassifier(Failing(), random_state=0)

        def call():
            learner.teach(X[:9], y[:9])

        assert self.lines_of(FitFailedWarning, call) == [__file__]


class TestMarginExhausted:
    @pytest.mark.parametrize(
        "model",
        [
            GridSearchCV(make_pipeline(StandardScaler(), LogisticRegression()), {}),
            Perceptron(),
            SGDClassifier(loss="log_loss"),
            OneVsRestClassifier(LogisticRegression()),
            AdaBoostClassifier(SVC()),
            BaggingClassifier(SVC(), n_estimators=2),
            BatchMarginLossClassifier("sigmoid"),
            BatchMarginLossClassifier("smooth_hinge"),
        ],
        ids=str,
    )
    @pytest.mark.parametrize(
        "stopping",
        ["margin_exhausted", [NoNewClass(5), AllOf(["margin_exhausted", "no_error"])]],
        ids=["alone", "inside"],
    )
    def test_models_without_a_margin_of_1_are_refused(self, model, stopping):
        learner = MinMarginClassifier(model, stopping=stopping, random_state=0)
        for verb in (lambda: learner.fit(X, y), lambda: learner.query(X)):
            with pytest.raises(TypeError, match="margin_exhausted needs a model with"):
                verb()
        assert not hasattr(learner, "n_queries_")

    @pytest.mark.parametrize(
        "model",
        [
            SVC(kernel="linear"),
            NuSVC(nu=0.1),
            SGDClassifier(loss="modified_huber", random_state=0),
            GridSearchCV(make_pipeline(StandardScaler(), LinearSVC()), {}, cv=2),
            OneVsRestClassifier(LinearSVC()),
            BatchMarginLossClassifier("ramp"),
        ],
        ids=str,
    )
    def test_others_are_taken(self, model):
        learner = MinMarginClassifier(model, stopping="margin_exhausted", budget=11)
        assert learner.set_params(random_state=0).fit(X, y).n_queries_ > 5

    def test_each_candidate_counts(self):
        models = [("svm", LinearSVC()), ("logistic", LogisticRegression())]
        for row in (PassiveClassifier, QueryByCommitteeClassifier, ALMSClassifier):
            learner = row(estimators=models, stopping="margin_exhausted")
            with pytest.raises(TypeError, match="LogisticRegression"):
                learner.fit(X, y)


def test_a_stream_learner_that_ends_in_one_class_warns():
    """Although it has predicted the other class for some of the last rows."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(3000, 10))
    rare = rows[:, 0] + 0.5 * rng.normal(size=3000) > 2.5
    learner = SOLEClassifier(random_state=0)
    with pytest.warns(OneClassWarning, match="predicts 'False' for 1000 of the rows"):
        learner.fit(rows, rare)
    assert len(np.unique(learner.predict(rows))) == 1
    assert learner._learned.counts.n_alike < 200
