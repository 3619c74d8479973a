"""Estimators that cannot be trained, or say nothing, while labels are few."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.exceptions import FitFailedWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.discovery import all_estimators

from sklearn_activelearn import (
    HybridSamplingClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByCommitteeClassifier,
    RelevanceSamplingClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.exceptions import ColdStartWarning
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.testing import check_learner
from tests.sources import SOURCES
from tests.tools import NaiveBayes

X, Y = load_iris(return_X_y=True)
X -= X.mean(axis=0)
Y = np.array(["setosa", "versicolor", "virginica"])[Y]
LR = LogisticRegression(max_iter=1000)

#: Estimators inside of others, where there is no default.
INSIDE = {"estimator": LR, "estimators": [("bayes", GaussianNB()), ("linear", LR)]}

#: They take several columns of labels, or two classes only, or do not look at rows.
OTHERS = {
    "ClassifierChain",
    "DummyClassifier",
    "MultiOutputClassifier",
    "PassiveAggressiveClassifier",  # deprecated
    "TunedThresholdClassifierCV",
}


#: Their predictions fail for rows unlike all labelled ones.
REFUSES_ROWS = {"CategoricalNB", "RadiusNeighborsClassifier"}


#: What makes a training short, and changes nothing that the loop sees.
FEW = {"n_estimators": 5, "Cs": 2, "max_iter": 10}


class NeedsLabels(NaiveBayes):
    """Naive Bayes that needs a number of labels."""

    def __init__(self, n_labels=12, error=ValueError):
        super().__init__()
        self.n_labels, self.error = n_labels, error

    def fit(self, X, y, sample_weight=None):
        if len(y) < self.n_labels:
            raise self.error(f"{len(y)} labels are fewer than {self.n_labels}")
        return super().fit(X, y, sample_weight)


class NeedsHalves(NaiveBayes):
    """Naive Bayes that needs a quarter of its labels in each class."""

    def fit(self, X, y, sample_weight=None):
        least = np.unique(y, return_counts=True)[1].min()
        if least < len(y) / 4:
            raise ValueError(f"{least} labels of a class are infeasible")
        return super().fit(X, y, sample_weight)


class WantsCodes(ClassifierMixin, BaseEstimator):
    """Logistic regression with the demands of XGBoost: classes are 0, 1, …, k - 1."""

    def fit(self, X, y):
        found = np.unique(y)
        if not np.array_equal(found, np.arange(len(found))):
            raise ValueError(f"Invalid classes. Expected: 0, 1, …, got {found}.")
        self.model_ = clone(LR).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


class PredictsColumn(LogisticRegression):
    """Logistic regression that predicts a column of labels, as CatBoost does."""

    def predict(self, X):
        return super().predict(X)[:, None]


class Undecided(NaiveBayes):
    """Naive Bayes without an opinion."""

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


class FarRowsAreNaN(NaiveBayes):
    """Naive Bayes whose probabilities are NaN until it has 12 labels."""

    def predict_proba(self, X):
        enough = self.totals_.sum() >= 12
        return super().predict_proba(X) * (1.0 if enough else np.nan)


def classifiers():
    """Return scikit-learn's classifiers, and variants that need more labels."""
    out = {}
    for name, kind in all_estimators("classifier"):
        if name not in OTHERS:
            names = kind.__init__.__code__.co_varnames
            own = {k: v for k, v in INSIDE.items() if k in names[:2]}
            few = {k: v for k, v in FEW.items() if k in names}
            out[name] = kind(**own, **few)
    early = {"early_stopping": True, "max_iter": 10, "random_state": 0}
    out |= {
        "early SGD": SGDClassifier(loss="log_loss", **early),
        "early MLP": MLPClassifier(**early),
        "early boosting": HistGradientBoostingClassifier(**early),
        "search": GridSearchCV(LR, {"C": [0.1, 1.0]}),
        "search in a pipeline": make_pipeline(GridSearchCV(GaussianNB(), {})),
        "soft votes": VotingClassifier(INSIDE["estimators"], voting="soft"),
        "frozen": FrozenEstimator(clone(LR).fit(X[::3], Y[::3])),
        "codes": WantsCodes(),
        "column": PredictsColumn(max_iter=1000),
    }
    return out


CLASSIFIERS = classifiers()


def learner_around(model):
    """Return a pool learner that asks a model for what it has."""
    kind = UncertaintySamplingClassifier
    if not hasattr(model, "predict_proba") and not isinstance(
        model, StackingClassifier
    ):
        kind = MinMarginClassifier
        if not hasattr(model, "decision_function"):
            kind = PassiveClassifier
    return kind(model, n_initial=2, batch_size=8, budget=48, random_state=0)


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.filterwarnings("ignore")
def test_every_classifier_goes_through_the_loop(name):
    """Two labels of three classes, then batches of eight."""
    rows = X - X.min(axis=0)  # naive Bayes takes no negative numbers
    if name == "CategoricalNB":
        rows = rows.round().astype(int)
    learner = learner_around(CLASSIFIERS[name])
    learner.teach(rows[[0, 60]], Y[[0, 60]])
    bought = []
    while len(found := learner.query(rows)):
        bought += found.tolist()
        learner.teach(rows[found], Y[found])
    assert len(bought) == len({*bought}) == 48
    assert learner.n_taught_ == 50
    if name in REFUSES_ROWS:
        return
    predicted = learner.predict(rows)
    assert predicted.shape == (150,)
    known = {*Y.tolist()} if name == "frozen" else {*learner.classes_.tolist()}
    assert {*predicted.tolist()} <= known <= {*Y.tolist()}


def caught(call):
    """Return the messages of cold starts in a call."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in found if each.category is ColdStartWarning]


def run(learner, X, y, n_labels):
    """Buy at least `n_labels` labels; return the rows and their probabilities."""
    rows, probabilities = [], []
    while len(rows) < n_labels:
        found, p = learner.query(X, return_probability=True)
        rows, probabilities = [*rows, *found], [*probabilities, *p]
        learner.teach(X[found], y[found])
    return rows, probabilities


def test_one_warning_quotes_the_error_and_says_how_long_it_lasts():
    # with seed 0, the first four rows are of one class, on which nothing is trained
    settings = {"n_initial": 4, "random_state": 1}
    learner = UncertaintySamplingClassifier(NeedsLabels(30), **settings)
    (message,) = caught(lambda: run(learner, X, Y, 40))
    assert "NeedsLabels cannot be trained on 4 labels" in message
    assert "ValueError: 4 labels are fewer than 30" in message
    assert "From 50 labels on the error is raised." in message
    assert issubclass(ColdStartWarning, FitFailedWarning)
    assert hasattr(learner, "estimator_")


def test_rows_are_random_until_the_estimator_can_be_trained():
    settings = {"n_initial": 4, "batch_size": 4, "random_state": 0}
    learner = UncertaintySamplingClassifier(NeedsLabels(12), **settings)
    with pytest.warns(ColdStartWarning):
        _, p = run(learner, X, Y, 20)
    n_left = 150 - np.arange(0, 12, 4)
    assert np.allclose(p[:12], np.repeat(4 / n_left, 4), rtol=0.02)
    assert p[12:] == [1.0] * 8


def test_rows_that_the_user_knows_come_first_until_there_is_a_model():
    learner = UncertaintySamplingClassifier(
        NeedsLabels(12), initial=lambda X: np.arange(len(X)) % 50, n_initial=4
    )
    with pytest.warns(ColdStartWarning):
        rows, _ = run(learner, X, Y, 12)
    assert sorted(rows) == [*range(46, 50), *range(96, 100), *range(146, 150)]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_a_model_it_predicts_the_shares_of_the_labels(n_classes):
    rows = [0, 1, 2, 60, 61, *[120] * (n_classes - 2)]
    learner = UncertaintySamplingClassifier(NeedsLabels(), n_initial=2)
    learner.teach(X[rows], Y[rows])
    with pytest.warns(ColdStartWarning):
        learner.query(X)
    assert {*learner.predict(X)} == {"setosa"}
    shares = np.unique(Y[rows], return_counts=True)[1] / len(rows)
    assert np.allclose(learner.predict_proba(X), shares)
    linear = MinMarginClassifier(GridSearchCV(SVC(), {"C": [1, 2]}), n_initial=2)
    linear.teach(X[rows], Y[rows])
    with pytest.warns(ColdStartWarning):
        linear.query(X)
    scores = linear.decision_function(X)
    assert scores.shape == ((150,) if n_classes == 2 else (150, 3))
    best = scores > 0 if n_classes == 2 else scores.argmax(axis=1)
    assert not best.any()


def test_the_error_is_raised_when_labels_are_no_longer_few():
    """Half of the made-up labels are of each class, few of the real ones."""
    rows, y = X[20:100], Y[20:100]  # 30 of one class, 50 of the other one
    learner = UncertaintySamplingClassifier(NeedsHalves(), n_initial=4)
    learner.teach(rows[27:76], y[27:76])
    with pytest.warns(ColdStartWarning, match="3 labels of a class"):
        assert len(learner.query(rows)) == 1
    assert {*learner.predict(X)} == {"versicolor"}
    with pytest.warns(FitFailedWarning, match="The labels are stored"):
        learner.teach(rows[76:], y[76:])
    assert learner.n_taught_ == 53
    for call in (learner.query, learner.predict):
        with pytest.raises(ValueError, match="3 labels of a class"):
            call(rows)


@pytest.mark.parametrize(
    "model",
    [
        NeedsLabels(51),
        NeedsLabels(12, TypeError),
        NeedsLabels(12, NotImplementedError),
        LogisticRegression(C=-1),
        GaussianNB(priors=[0.3, 0.3]),
        HistGradientBoostingClassifier(categorical_features=[9]),
    ],
)
def test_an_error_that_more_labels_do_not_cure_is_raised_at_once(model):
    """Random labels cost money."""
    learner = UncertaintySamplingClassifier(model, n_initial=6, random_state=0)
    with pytest.raises(Exception) as found:  # noqa: PT011, of different types
        learner.fit(X[30:], Y[30:])
    assert not isinstance(found.value, Warning)
    assert learner.n_taught_ == learner.n_queries_ == 6  # nothing is lost


def test_ten_labels_of_each_class_are_few():
    y = np.repeat([*"abcdefgh"], 10)
    rows = np.random.default_rng(0).normal(size=(80, 3))
    for n_labels in (80, 81):
        learner = UncertaintySamplingClassifier(NeedsLabels(n_labels), n_initial=9)
        learner.teach(rows[:79], y[:79])
        if n_labels == 80:
            with pytest.warns(ColdStartWarning, match="From 80 labels on"):
                learner.query(rows)
        else:
            with pytest.raises(ValueError, match="79 labels are fewer than 81"):
                learner.query(rows)


def test_no_label_is_read_to_try_the_estimator():
    """The oracle has each label read once."""
    learner = UncertaintySamplingClassifier(
        NeedsLabels(20), n_initial=4, budget=30, random_state=0
    )
    asked = []

    def oracle(rows):
        asked.extend(rows.tolist())
        return Y[rows]

    with pytest.warns(ColdStartWarning):
        learner.learn(X, oracle)
    assert sorted(asked) == sorted(learner.queried_indices_)
    assert len({*asked}) == 30


def test_answers_that_are_not_finite_are_a_cold_start():
    settings = {"n_initial": 4, "batch_size": 4, "random_state": 0}
    learner = UncertaintySamplingClassifier(FarRowsAreNaN(), **settings)
    with pytest.warns(ColdStartWarning, match="score that is not finite") as found:
        _, p = run(learner, X, Y, 20)
    assert len(found) == 1
    assert np.all(np.array(p[:12]) < 1)
    assert p[12:] == [1.0] * 8


@pytest.mark.parametrize(
    "learner", [UncertaintySamplingClassifier, HybridSamplingClassifier]
)
def test_a_model_that_scores_all_rows_alike_does_not_choose(learner):
    learner = learner(
        HistGradientBoostingClassifier(), n_initial=15, batch_size=2, random_state=0
    )
    (message,) = caught(lambda: run(learner, X, Y, 19))
    assert "gives the same score to all 1" in message
    assert "min_samples_leaf=20 needs that many rows in each leaf" in message
    _, p = learner.query(X, return_probability=True)
    is_random = np.allclose(p, 2 / 131, rtol=0.02)
    assert is_random == isinstance(learner, UncertaintySamplingClassifier)


def test_a_model_without_an_opinion_never_ends_the_loop():
    learner = UncertaintySamplingClassifier(Undecided(), n_initial=4, random_state=0)
    (message,) = caught(lambda: learner.fit(X, Y))
    assert "min_samples_leaf" not in message
    assert learner.n_queries_ == 100


def test_few_rows_with_equal_scores_are_nothing_unusual():
    learner = UncertaintySamplingClassifier(Undecided(), n_initial=4)
    some = np.r_[45:55]
    assert not caught(lambda: learner.fit(X[some], Y[some]))


def test_all_loops_are_the_same_from_a_cold_start_on():
    with warnings.catch_warnings(action="ignore"):
        results = check_learner(UncertaintySamplingClassifier(NeedsLabels(10)))
    assert {each["status"] for each in results} <= {"passed", "skipped"}


@pytest.mark.filterwarnings("ignore")  # of the cold start, and of names
@pytest.mark.parametrize("kind", SOURCES)
def test_pools_that_are_not_in_memory(kind, tmp_path):
    """The trial takes rows of the pool wherever they are."""
    rows = SOURCES[kind](X, [40, 100], tmp_path)
    found = []
    for pool in (X, rows):
        learner = UncertaintySamplingClassifier(
            NeedsLabels(12), n_initial=4, batch_size=4, random_state=0
        )
        for _ in range(5):
            chosen = learner.query(pool)
            learner.teach(X[chosen], Y[chosen])
        found.append(learner.record()["rows"])
    assert found[0] == found[1]


@pytest.mark.filterwarnings("ignore")
def test_a_session_resumes_in_a_cold_start(tmp_path):
    def opened():
        learner = UncertaintySamplingClassifier(NeedsLabels(12), n_initial=4)
        return LabelingSession(learner, X, tmp_path / "s.sqlite", classes=[*{*Y}])

    shown = []
    for _ in range(2):
        with opened() as session:
            for _ in range(8):
                shown.append(id := session.next())
                session.label(id, Y[session.ids.index(id)])
    assert len({*shown}) == 16


# Labels and shapes that estimators want


def test_an_estimator_that_wants_codes_gets_codes_of_the_known_classes():
    """As if it took the labels; a class may still be missing."""
    settings = {"n_initial": 4, "batch_size": 3, "budget": 30, "random_state": 0}
    labels = {"texts": Y, "numbers": np.select([Y == "setosa"], [7], 3)}
    for y in labels.values():
        coded = UncertaintySamplingClassifier(WantsCodes(), **settings)
        plain = UncertaintySamplingClassifier(LR, **settings)
        for learner in (coded, plain):
            learner.teach(X[[0, 1, 149]], y[[0, 1, 149]], classes=np.unique(y))
            learner.learn(X, lambda rows, y=y: y[rows])
        assert np.array_equal(coded.queried_indices_, plain.queried_indices_)
        assert np.array_equal(coded.predict(X), plain.predict(X))
        assert np.allclose(coded.predict_proba(X), plain.predict_proba(X))
        assert coded.estimator_.classes_.tolist() == np.unique(y).tolist()
        assert isinstance(coded.estimator_.estimator_, WantsCodes)


def test_predictions_are_one_dimensional():
    settings = {"n_initial": 6, "budget": 12, "random_state": 0}
    model = PredictsColumn(max_iter=1000)
    learner = UncertaintySamplingClassifier(model, **settings).fit(X, Y)
    assert learner.predict(X).shape == (150,)
    first, second = (
        QueryByCommitteeClassifier(
            estimators=[("a", one), ("b", GaussianNB())], cv=2, **settings
        ).fit(X, Y)
        for one in (model, LR)
    )
    assert np.array_equal(first.queried_indices_, second.queried_indices_)
    assert np.allclose(first.cv_scores_, second.cv_scores_)


# Estimators that were trained before


def test_a_frozen_estimator_is_used_and_never_trained():
    model = clone(LR).fit(X, Y)
    before = model.coef_.copy()
    learner = UncertaintySamplingClassifier(
        FrozenEstimator(model), n_initial=2, budget=12, random_state=0
    ).fit(X[:100], Y[:100])
    assert np.array_equal(model.coef_, before)
    assert np.array_equal(learner.predict(X), model.predict(X))
    assert learner.classes_.tolist() == ["setosa", "versicolor"]
    # it knows a class that the learner has no label of
    assert np.array_equal(learner.predict_proba(X), model.predict_proba(X)[:, :2])


def test_stacking_without_a_final_estimator_has_probabilities():
    model = StackingClassifier([("bayes", GaussianNB()), ("linear", LR)], cv=2)
    learner = UncertaintySamplingClassifier(model, n_initial=12, budget=20)
    assert hasattr(learner, "predict_proba")
    with warnings.catch_warnings(action="ignore"):
        learner.fit(X, Y)
    assert learner.predict_proba(X).shape == (150, 3)
    herding = UncertaintyHerdingClassifier(model, n_initial=12)
    assert len(herding.query(X)) == 12
    final = StackingClassifier([("bayes", GaussianNB())], final_estimator=SVC())
    with pytest.raises(TypeError, match="needs an estimator with predict_proba"):
        UncertaintySamplingClassifier(final).query(X)


@pytest.mark.parametrize("model", [ClassifierChain(LR), MultiOutputClassifier(LR)])
def test_estimators_of_several_labels_are_refused_for_one(model):
    with pytest.raises(TypeError, match="predicts several labels at once"):
        UncertaintySamplingClassifier(model).fit(X, Y)
    with pytest.raises(TypeError, match="predicts several labels at once"):
        RelevanceSamplingClassifier(model).query(X)
