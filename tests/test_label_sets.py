"""Several labels for a row: the protocol, the guarantees, and what is refused."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import hamming_loss, make_scorer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags

from sklearn_activelearn import (
    BlendClassifier,
    HybridSamplingClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.evaluation import compare, explored_score, label_curve
from sklearn_activelearn.exceptions import ColdStartWarning
from sklearn_activelearn.testing import _guarantees as guarantees
from tests.learners import (
    DEFAULTS,
    LABEL_SET_LEARNERS,
    checks_of,
    each,
    each_class_and_family_of,
    explores,
)
from tests.reference import blend as reference
from tests.tools import fresh, frozen, loop_over_pool, responses, state

NAMES = ["work", "home", "family", "money"]

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_activelearn.exceptions.ColdStartWarning",
    "ignore::sklearn_activelearn.exceptions.OneClassWarning",
)

each_learner = each(LABEL_SET_LEARNERS)


def label_set_problem(n_rows=40, n_labels=4, seed=0):
    """Return rows, and labels that each follow a direction, two of them mostly."""
    rng = np.random.RandomState(seed)
    X = rng.randint(-99, 100, size=(n_rows, 5)) / 16
    scores = X @ rng.standard_normal((5, n_labels)) + rng.standard_normal(n_labels)
    return X, (scores > 0).astype(int)


@st.composite
def label_set_streams(draw):
    """Draw rows and label sets; labels that all rows have, or none, are among them."""
    seed, n_labels = draw(st.integers(0, 2**32 - 1)), draw(st.integers(2, 5))
    n_rows = draw(st.integers(2, 24))
    rng = np.random.RandomState(seed)
    X = rng.randint(-3, 4, size=(n_rows, draw(st.integers(1, 5)))).astype(float)
    scores = X @ rng.standard_normal((X.shape[1], n_labels))
    y = scores + rng.standard_normal(scores.shape) > rng.choice([-9, 0, 1, 9], n_labels)
    y[0, 0], y[1, 0] = 0, 1  # not all rows have the same labels
    return X, y.astype(int)


X, Y = label_set_problem()
[*_, FOR_CHECKS] = guarantees.make_problems(get_tags(LABEL_SET_LEARNERS[0]))


@each_class_and_family_of(LABEL_SET_LEARNERS)
def test_the_guarantees(prototype):
    learner = guarantees.with_small_budget(prototype, len(FOR_CHECKS[0]))
    for check in checks_of(prototype):
        check(learner, *FOR_CHECKS)


@pytest.mark.every_learner
@each(LABEL_SET_LEARNERS if explores() else LABEL_SET_LEARNERS[::4])
@settings(max_examples=200 if explores() else 4)
@given(stream=label_set_streams(), seed=st.integers(0, 99))
def test_the_guarantees_on_random_rows(prototype, stream, seed):
    guarantees.check_unbought_labels(prototype, *stream, seed)
    guarantees.check_simulation(prototype, *stream, uses_model=False)
    guarantees.check_purity(prototype, *stream)
    guarantees.check_budget_is_kept(prototype, *stream, budget=seed % 9)


@each_learner
def test_a_record_restores_the_learner(prototype):
    learner, rows = loop_over_pool(fresh(prototype), X, Y, NAMES)
    stored = json.loads(json.dumps([learner.record(), Y[rows].tolist()]))
    restored = fresh(prototype).restore(X, *stored)
    assert restored.classes_.tolist() == NAMES
    with pytest.raises(ValueError, match="its 'classes' is wrong"):
        fresh(prototype).restore(X, {**stored[0], "classes": None}, stored[1])
    assert frozen(responses(restored, X)) == frozen(responses(learner, X))
    restored.set_params(budget=20)
    learner.set_params(budget=20)
    assert restored.query(X).tolist() == learner.query(X).tolist()
    with pytest.raises(ValueError, match=r"expected \(\d+, 4\)"):
        restored.restore(X, stored[0], np.array(stored[1])[:, :3])


@pytest.mark.parametrize(
    "estimator",
    [
        RidgeClassifier(),
        GaussianNB(),
        OneVsRestClassifier(LogisticRegression()),
        ClassifierChain(LogisticRegression()),
        MultiOutputClassifier(GaussianNB()),
        RandomForestClassifier(3),
        KNeighborsClassifier(3),
        MLPClassifier((4,), max_iter=20),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_any_classifier_is_a_model_of_several_labels(estimator):
    """Labels that all rows have, or none, are predicted so; the others as alone."""
    y = np.column_stack([Y, np.ones(len(Y), int), np.zeros(len(Y), int)])
    learner = HybridSamplingClassifier(estimator, batch_size=20, budget=25)
    learner.set_params(random_state=0).fit(X, y)
    learner.teach(X, y)
    predicted = learner.predict(X)
    assert np.array_equal(predicted[:, 4:], y[:, 4:])
    assert np.mean(predicted == y) > 0.7
    if hasattr(estimator, "predict_proba"):
        p = learner.predict_proba(X)
        assert np.array_equal(p[:, 4:], np.tile([1.0, 0.0], (len(X), 1)))
        assert np.array_equal(p[:, :4] > 0.5, predicted[:, :4] > 0)
    if type(estimator) in (RidgeClassifier, GaussianNB):
        rows = [*learner.queried_indices_, *range(len(X))]
        alone = [clone(estimator).fit(X[rows], y[rows, label]) for label in range(4)]
        expected = [model.predict(X) for model in alone]
        assert np.array_equal(predicted[:, :4], np.transpose(expected))


def test_one_label_that_varies_is_enough():
    y = np.tile([1, 0, 0], (len(X), 1))
    y[:, 1] = Y[:, 0]
    for estimator in LogisticRegression(), MultiOutputClassifier(LogisticRegression()):
        learner = UncertaintySamplingClassifier(estimator, budget=15).fit(X, y)
        alone = LogisticRegression().fit(
            X[learner.queried_indices_], y[learner.queried_indices_, 1]
        )
        assert np.array_equal(learner.predict(X)[:, 1], alone.predict(X))
    with pytest.raises(ValueError, match="same labels in all 40 rows"):
        learner.fit(X, y[:, [0, 2]])


@pytest.mark.parametrize(
    "convert",
    [
        csr_array,
        csr_matrix,
        lambda y: y.tolist(),
        list,
        lambda y: y.astype(bool),
        np.float32,
    ],
)
def test_kinds_of_indicator_matrices(convert):
    learner = HybridSamplingClassifier(GaussianNB(), budget=15, random_state=0)
    expected = state(fresh(learner).fit(X, Y))
    assert state(fresh(learner).fit(X, convert(Y))) == expected
    asked = fresh(learner).learn(X, lambda rows: convert(Y[rows]), classes=[0, 1, 2, 3])
    assert state(asked) == expected


WRONG = {
    "minus one": (-Y[:5], "is -1.*No entry may be missing"),
    "NaN": (np.where(Y[:5], np.nan, 0.0), "is nan.*No entry may be missing"),
    "None": (np.where(Y[:5], None, 0), "is None.*No entry may be missing"),
    "counts": (2 * Y[:5], r"is 2\. Several labels"),
    "other columns": (Y[:5, :2], "a column for each of the labels"),
    "one label": (Y[:5, 0], "a column for each of the 4 labels"),
    "names": ([("a", "b"), ("c",), (), ("a",), ("b",)], "MultiLabelBinarizer"),
    "rows": (Y[:4], "inconsistent numbers of samples"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_labels_change_nothing(name):
    y, message = WRONG[name]
    learner = PassiveClassifier(GaussianNB(), random_state=0).teach(X[10:20], Y[10:20])
    before = state(learner)
    for verb in learner.teach, learner.correct, learner.partial_fit:
        with pytest.raises(ValueError, match=message):
            verb(X[10:15] if verb == learner.correct else X[:5], y)
        assert state(learner) == before


def test_an_oracle_with_a_missing_entry_loses_no_other_label():
    learner = UncertaintySamplingClassifier(GaussianNB(), n_initial=8, random_state=0)
    asked = []

    def oracle(rows):
        asked.extend(rows.tolist())
        y = Y[rows].astype(float)
        y[2, 1] = np.nan
        return y

    with pytest.raises(ValueError, match=r"got \[.*nan.*\] for row"):
        learner.learn(X, oracle, classes=NAMES)
    assert learner.n_taught_ == 7
    assert learner.pending(X).tolist() == [asked[2]]
    with pytest.raises(ValueError, match="a column for each"):
        learner.learn(X, lambda rows: Y[rows][:, :2])
    with pytest.raises(ValueError, match="a column for each"):
        learner.learn(X, lambda rows: Y[rows][:, 0])
    assert learner.n_taught_ == 7


def test_one_label_and_several_do_not_mix():
    learner = PassiveClassifier(GaussianNB()).teach(X[:4], Y[:4, 0])
    with pytest.raises(ValueError, match="earlier calls taught one label"):
        learner.teach(X[4:8], Y[4:8])
    with pytest.raises(ValueError, match="Stopping rules judge one label"):
        PassiveClassifier(stopping="stable_predictions").fit(X, Y)
    learner = PassiveClassifier().teach(X[:8], Y[:8])
    record = learner.record()
    learner.set_params(stopping="stable_predictions")
    for call in (
        lambda: learner.query(X),
        lambda: fresh(learner).restore(X, record, Y[:8]),
    ):
        with pytest.raises(ValueError, match="Stopping rules judge one label"):
            call()
    with pytest.raises(TypeError, match="predicts several labels at once"):
        PassiveClassifier(MultiOutputClassifier(GaussianNB())).fit(X, Y[:, 0])


@each(DEFAULTS)
def test_the_others_name_those_that_take_several_labels(prototype):
    takes = type(prototype) in {type(row) for row in LABEL_SET_LEARNERS}
    if takes:
        return
    for y in Y, csr_array(Y):
        with pytest.raises(ValueError, match="labels for a row") as caught:
            fresh(prototype).fit(X, y)
        named = str(caught.value)
    assert all(type(row).__name__ in named for row in LABEL_SET_LEARNERS)
    assert BlendClassifier.__name__ in named
    with pytest.raises(ValueError, match="labels for a row"):
        fresh(prototype).learn(X, lambda rows: Y[rows], classes=[0, 1])


class GivenProbabilities(ClassifierMixin, BaseEstimator):
    """A model whose probabilities are the numbers of the rows."""

    def fit(self, X, y):
        self.classes_ = np.arange(y.shape[1])
        return self

    def predict_proba(self, X):
        return X

    def predict(self, X):
        return (X >= 0.5).astype(int)


@given(seed=st.integers(0, 2**32 - 1), n_labels=st.integers(2, 4))
def test_thresholds_agree_with_the_reference(seed, n_labels):
    rng = np.random.RandomState(seed)
    p = np.sort(rng.uniform(0.02, 0.7, (30, n_labels)), axis=0)
    y = (p + rng.normal(0, 0.1, p.shape) > 0.55).astype(int)
    y[rng.permutation(30)[:8]] = 1  # each label varies in each fold
    y[rng.permutation(30)[:8]] = 0
    assume(np.all((y.sum(axis=0) > 6) & (y.sum(axis=0) < 24)))
    blend = BlendClassifier([("given", GivenProbabilities())]).fit(p, y)
    (temperature,) = blend.temperatures_
    expected = expit(logit(p) / temperature)
    assert blend.predict_proba(p) == pytest.approx(expected)
    assert blend.thresholds_ == pytest.approx(reference.thresholds(expected, y))
    assert np.array_equal(blend.predict(p), expected >= blend.thresholds_)


def test_a_label_with_a_single_positive_is_learned_from():
    rare = np.array([4 * np.eye(5)[k % 4] for k in range(40)])
    y = np.array([np.eye(5, dtype=int)[k % 4] for k in range(40)])
    rare[7], y[7] = [0, 0, 0, 0, 4], [0, 0, 0, 0, 1]
    blend = BlendClassifier([("logistic", LogisticRegression(C=10))]).fit(rare, y)
    assert np.array_equal(blend.predict(rare[[7, 8]]), y[[7, 8]])
    assert np.all(blend.thresholds_ <= 0.5)


@pytest.mark.parametrize("width", [0, 4, 400])  # dense; sparse, narrow and wide
def test_few_rows_train_a_logistic_regression_for_each_label(width):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, width or 4)) * (rng.random((60, width or 4)) < 0.5)
    y = (rows[:, :3] > 0.1).astype(int)
    X = csr_array(rows) if width else rows
    model = OneVsRestClassifier(
        LogisticRegression(C=10 if width else 1, max_iter=1_000)
    )
    if not width:
        model = make_pipeline(StandardScaler(), model)
    found = BlendClassifier(random_state=0).fit(X[:18], y[:18]).predict_proba(X)
    expected = model.fit(X[:18], y[:18]).predict_proba(X)
    np.testing.assert_allclose(found, expected, atol=0.02)


def test_large_numbers_in_sparse_rows_are_scaled():
    rows, y = make_multilabel_classification(300, 10, n_classes=3, random_state=0)
    models = [
        BlendClassifier(random_state=0).fit(csr_array(rows[:150] * scale), y[:150])
        for scale in (1e4, 1e6)
    ]
    found = [
        model.predict_proba(csr_array(rows[150:] * scale))
        for model, scale in zip(models, (1e4, 1e6), strict=True)
    ]
    np.testing.assert_allclose(*found, atol=1e-3)
    scaled = csr_array(rows[150:] * 1e4)
    assert np.mean(models[0].predict(scaled) == y[150:]) > 0.75


@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
@pytest.mark.parametrize("wrap", [lambda model: model, OneVsRestClassifier])
def test_a_label_too_rare_to_train_on_is_constant(wrap):
    estimator = wrap(CalibratedClassifierCV(LinearSVC(), cv=3))
    X, y = label_set_problem(n_rows=120)
    y[:, 0], y[:, 2] = 0, 1
    y[7, 0] = 1
    learner = HybridSamplingClassifier(estimator, budget=None, random_state=0)
    with pytest.warns(ColdStartWarning, match=r"these labels.* lack: work\. ValueE"):
        learner.teach(X[:100], y[:100], classes=NAMES)
    with pytest.warns(ColdStartWarning, match=r"columns of y.* lack: 0\. ValueError"):
        BlendClassifier([("svc", estimator)]).fit(X[:100], y[:100])
    # a blend inside the estimator knows no names: it gets the columns that vary
    inside = make_pipeline(StandardScaler(), BlendClassifier([("svc", estimator)]))
    order = [2, 0, 1, 3]
    names = [NAMES[k] for k in order]
    with pytest.warns(ColdStartWarning, match=r"columns of y.* lack: 0\. ValueError"):
        PassiveClassifier(inside).teach(X[:100], y[:100, order], classes=names)
    assert len(learner.query(X)) == learner.batch_size
    assert np.array_equal(learner.predict(X)[:, [0, 2]], np.tile([0, 1], (120, 1)))
    assert np.mean(learner.predict(X) == y) > 0.8
    all_rare = fresh(learner).teach(X[:100], np.eye(4, dtype=int)[[0, 1] + 98 * [3]])
    assert len(all_rare.query(X)) == learner.batch_size
    assert np.array_equal(all_rare.predict(X), np.tile([0, 0, 0, 1], (120, 1)))
    y[:40, 0] = 1  # a common label, although the only fold has no row without it
    folds = [([*range(40)], [*range(40, 100)])]
    failing = wrap(CalibratedClassifierCV(LinearSVC(), cv=folds))
    learner = fresh(learner).set_params(estimator=failing)
    with pytest.warns(FitFailedWarning, match="labels are stored.*at least 2 classes"):
        learner.teach(X[:100], y[:100])
    with pytest.raises(ValueError, match="at least 2 classes"):
        learner.query(X)


def test_a_label_that_all_rows_have_or_none_is_certain():
    y = Y.copy()
    y[:, 0], y[:, 2] = 0, 1
    learner = MinMarginClassifier(LinearSVC(), random_state=0).teach(X[:30], y[:30])
    never, _, always, _ = learner.decision_function(X).T
    assert (never < -5).all()  # a score of 0 would be the least certain
    assert (always > 5).all()


def test_scoring_chooses_the_thresholds():
    X, y = label_set_problem(n_rows=80)
    y[:, 0] &= X[:, 1] > 4
    candidates = [("logistic", LogisticRegression(max_iter=1000))]
    micro = BlendClassifier(candidates).fit(X, y).thresholds_
    exact = BlendClassifier(candidates, scoring="accuracy").fit(X, y).thresholds_
    assert not np.array_equal(micro, exact)
    hamming = BlendClassifier(candidates, scoring="neg_hamming_loss").fit(X, y)
    own = make_scorer(hamming_loss, greater_is_better=False)
    expected = BlendClassifier(candidates, scoring=own).fit(X, y).thresholds_
    assert np.array_equal(hamming.thresholds_, expected)
    assert not np.array_equal(hamming.thresholds_, exact)
    with pytest.raises(ValueError, match="scoring"):
        BlendClassifier(candidates, scoring="no scorer").fit(X, y)

    def on_half(model, X, y):
        return float(np.mean(model.predict(X[::2]) == y[::2]))

    with pytest.raises(ValueError, match=r"predict all 80 rows at once.* 40 rows"):
        BlendClassifier(candidates, scoring=on_half).fit(X, y)


@pytest.mark.parametrize(
    "scoring", ["roc_auc", "f1", "balanced_accuracy", "neg_log_loss"]
)
def test_no_label_is_bought_for_a_wrong_scoring(scoring):
    blend, asked = BlendClassifier(scoring=scoring), []
    for learner in HybridSamplingClassifier(blend), PassiveClassifier(blend):
        with pytest.raises(ValueError, match=f"'{scoring}' is not .*Use f1_micro"):
            learner.learn(X, asked.append, classes=NAMES)
    assert not asked


def test_measures_of_several_labels():
    learner = HybridSamplingClassifier(
        GaussianNB(), batch_size=5, budget=20, explore=0.4, random_state=0
    )
    names = ["f1_micro", "f1_macro", "accuracy", "neg_hamming_loss"]
    curve = label_curve(learner, X, Y, cv=2, at=[10, 20], scoring=names, random_state=0)
    curves = [curve, *curve.others.values()]
    assert [each.scoring for each in curves] == names
    assert all(each.mean[-1] > each.constant_scores.mean() - 0.2 for each in curves)
    # to predict every label for every row is the best constant for micro F1 here
    assert curve.constant_scores.mean() > 0.5
    for scoring in "recall", "neg_log_loss":
        with pytest.raises(ValueError, match=f"'{scoring}' is .* use f1_micro"):
            label_curve(learner, X, Y, scoring=scoring)
    ruled = PassiveClassifier(stopping="stable_predictions")
    with pytest.raises(ValueError, match=r"^Stopping rules judge one label"):
        label_curve(ruled, X, Y, cv=2)
    with pytest.raises(ValueError, match=r"one column.*y\.toarray\(\)\.ravel"):
        learner.fit(X, csr_matrix(Y[:, :1]))
    learner.fit(X, Y)
    estimate = explored_score(learner)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    with pytest.raises(ValueError, match="no classes to balance"):
        explored_score(learner, scoring="balanced_accuracy")
    found = compare(X, Y, [learner], n_repeats=1, cv=2)
    assert "f1 micro" in found.verdict.text
