"""Weights of rows reach the estimator, and stay with their labels."""

import json
import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    ALMSClassifier,
    FASSLBoostClassifier,
    HybridSamplingClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByCommitteeClassifier,
    RelevanceSamplingClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.pool import StoppingRule, Trained, Trainer
from tests.learners import each

X, y = make_classification(150, n_informative=3, flip_y=0.2, random_state=0)
WEIGHTS = np.random.default_rng(0).choice([0.1, 1.0, 30.0], len(y))
IDS = np.arange(len(y)) + 7


pytestmark = pytest.mark.usefixtures("routing")


def weighted(**params):
    with config_context(enable_metadata_routing=True):
        return LogisticRegression(**params).set_fit_request(sample_weight=True)


TAKERS = [
    MinMarginClassifier(weighted()),
    UncertaintySamplingClassifier(weighted()),
    UncertaintySamplingClassifier(weighted(warm_start=True)),
    HybridSamplingClassifier(weighted()),
    UncertaintyHerdingClassifier(weighted()),
    RelevanceSamplingClassifier(weighted(), positive=1),
    PassiveClassifier(weighted(), param_grid={"C": [0.01, 1.0]}, n_jobs=2),
    QueryByCommitteeClassifier(estimators=[("a", weighted()), ("b", weighted(C=0.1))]),
]
REFUSERS = [
    ActiveLabelPropagationClassifier(),
    ALMSClassifier(),
    FASSLBoostClassifier(),
]


def start(prototype):
    params = {"n_initial": 8, "batch_size": 4, "budget": 20}
    return clone(prototype).set_params(**params, random_state=0)


def final_model(learner):
    """Return the coefficients of its estimator trained once more on weighted labels."""
    rows = learner.queried_indices_
    model = clone(learner.estimator_)
    return model.fit(X[rows], y[rows], sample_weight=WEIGHTS[rows]).coef_


@each(TAKERS)
def test_fit_is_the_loop_and_trains_on_the_weights_of_the_rows_bought(prototype):
    learner = start(prototype).fit(X, y, sample_weight=WEIGHTS)
    if not getattr(learner.estimator, "warm_start", False):
        np.testing.assert_array_equal(learner.estimator_.coef_, final_model(learner))
    by_hand = start(prototype)
    while len(rows := by_hand.query(X)):
        by_hand.teach(X[rows], y[rows], [0, 1], sample_weight=WEIGHTS[rows])
        by_hand = pickle.loads(pickle.dumps(by_hand))
    np.testing.assert_array_equal(learner.predict(X), by_hand.predict(X))
    np.testing.assert_array_equal(learner.estimator_.coef_, by_hand.estimator_.coef_)


def taught(**ids):
    """Return a learner that was taught weighted labels, and its rows."""
    learner, bought = start(TAKERS[0]), []
    for _ in range(6):
        rows = learner.query(X, **{name: of[:] for name, of in ids.items()})
        named = {name: of[rows] for name, of in ids.items()}
        learner.teach(X[rows], y[rows], [0, 1], sample_weight=WEIGHTS[rows], **named)
        bought += rows.tolist()
    return learner, np.array(bought)


@pytest.mark.parametrize("ids", [{}, {"ids": IDS}], ids=["values", "ids"])
def test_weights_survive_a_correction_a_pickle_and_a_record(ids):
    learner, rows = taught(**ids)
    labels, wrong = y.copy(), rows[3]
    labels[wrong] = 1 - y[wrong]
    named = {name: of[[wrong]] for name, of in ids.items()}
    learner.correct(X[[wrong]], labels[[wrong]], **named)
    expected = weighted().fit(X[rows], labels[rows], sample_weight=WEIGHTS[rows])
    record = json.loads(json.dumps(learner.record()))
    restored = start(TAKERS[0]).restore(X, record, labels[rows], **ids)
    for same in learner, pickle.loads(pickle.dumps(learner)), restored:
        np.testing.assert_allclose(
            same.decision_function(X), expected.decision_function(X)
        )
    again = [learner.query(X, **ids), restored.query(X, **ids)]
    np.testing.assert_array_equal(*again)


def test_weights_stay_with_their_ids_when_values_change():
    learner, rows = taught(ids=IDS)
    learner.query(2 * X, ids=IDS, limit=0)
    expected = weighted().fit(2 * X[rows], y[rows], sample_weight=WEIGHTS[rows])
    np.testing.assert_array_equal(learner.estimator_.coef_, expected.coef_)


def test_labels_without_a_weight_have_the_weight_one():
    learner = start(TAKERS[0]).teach(X[:9], y[:9])
    learner.teach(X[9:30], y[9:30], sample_weight=WEIGHTS[9:30])
    weights = np.append(np.ones(9), WEIGHTS[9:30])
    expected = weighted().fit(X[:30], y[:30], sample_weight=weights)
    np.testing.assert_array_equal(learner.estimator_.coef_, expected.coef_)


class GroupedClassifier(LogisticRegression):
    def fit(self, X, y, groups=None):
        self.groups_ = groups
        return super().fit(X, y)


GROUPS = [
    np.arange(len(y)),
    np.arange(len(y)).astype(str),
    np.arange(len(y)).astype("datetime64[D]"),
    np.column_stack([WEIGHTS, y]),
]


def grouped():
    model = GroupedClassifier().set_fit_request(groups=True)
    return UncertaintySamplingClassifier(model, n_initial=8, random_state=0)


@pytest.mark.parametrize("groups", GROUPS, ids=["int", "str", "date", "columns"])
def test_values_of_any_type_and_shape_reach_the_estimator(groups):
    learner = grouped()
    for rows in np.split(np.arange(60), 3):
        learner.teach(X[rows], y[rows], groups=groups[rows])
    np.testing.assert_array_equal(learner.estimator_.groups_, groups[:60])


def test_learn_asks_for_no_label_that_it_cannot_store():
    learner = grouped().teach(X[:20], y[:20], groups=GROUPS[0][:20])
    state, asked = vars(learner), []
    with pytest.raises(ValueError, match="groups must be passed for all"):
        learner.learn(X, lambda rows: asked.append(rows))
    assert asked == []
    assert vars(learner) is state
    assert learner.n_queries_ == 0


WRONG_WEIGHTS = {
    "text": ["a"] * 9,
    "columns": np.ones((9, 1)),
    "ragged": [[1.0]] * 8 + [[1.0, 2.0]],
    "no numbers": [{}] * 9,
    "too large": [10**400] * 9,
}


@pytest.mark.parametrize("weights", WRONG_WEIGHTS.values(), ids=WRONG_WEIGHTS)
def test_wrong_weights_are_not_stored(weights):
    learner = start(TAKERS[0]).teach(X[:20], y[:20])
    with pytest.raises(ValueError, match="sample_weight must have"):
        learner.teach(X[20:29], y[20:29], sample_weight=weights)
    assert learner.n_taught_ == 20


@pytest.mark.parametrize(
    "metadata",
    [
        {"sample_weight": 1.0},
        {"sample_weight": None},
        {"sample_weight": "a" * 20},
        {"sample_weight": ["a"] * 20},
        {"sample_weight": [1.0] * 19},
        {1: [1.0] * 20},
    ],
)
def test_a_record_with_damaged_weights_is_refused(metadata):
    learner = start(TAKERS[0]).teach(X[:20], y[:20])
    restored = clone(learner)
    with pytest.raises(ValueError, match=r"its 'metadata' is wrong|must have a number"):
        restored.restore(X, learner.record() | {"metadata": metadata}, y[:20])
    assert not hasattr(restored, "classes_")


def test_the_estimator_decides_what_it_takes():
    for model in (
        LogisticRegression(),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ):
        learner = MinMarginClassifier(model)
        for verb in learner.fit, learner.teach:
            with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
                verb(X, y, sample_weight=WEIGHTS)
        assert not hasattr(learner, "classes_")
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    learner = start(MinMarginClassifier(make_pipeline(scaler, weighted())))
    learner.fit(X, y, sample_weight=WEIGHTS)
    rows = learner.queried_indices_
    expected = clone(learner.estimator).fit(
        X[rows], y[rows], sample_weight=WEIGHTS[rows]
    )
    np.testing.assert_array_equal(learner.predict(X), expected.predict(X))


@each(REFUSERS)
def test_learners_with_weights_of_their_own_refuse_them(prototype):
    for verb in clone(prototype).fit, clone(prototype).teach:
        with pytest.raises(TypeError, match=r"sample_weight.*class_weight"):
            verb(X, y, sample_weight=WEIGHTS)
    clone(prototype).teach(X[:4], [0, 1, 0, 1], sample_weight=None)


class Deaf(Trainer):
    def __init__(self):
        self.estimators = [LogisticRegression()]

    def train(self, known, before):
        return Trained(self.estimators[0].fit(known.labelled.rows, known.labels))


class DeafClassifier(MinMarginClassifier):
    def make_trainer(self):
        return Deaf()


def test_trainers_that_do_not_pass_weights_refuse_them():
    with pytest.raises(TypeError, match="sample_weight"):
        DeafClassifier().fit(X, y, sample_weight=WEIGHTS)


def test_wrong_weights_change_nothing():
    learner = start(TAKERS[0])
    state = vars(learner)
    with pytest.raises(ValueError, match=r"one weight .*\(3,\) for 150 rows"):
        learner.teach(X, y, sample_weight=WEIGHTS[:3])
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        learner.fit(X, y, sample_weight=np.where(WEIGHTS > 9, np.nan, 1))
    with pytest.raises(TypeError, match="unexpected argument"):
        learner.teach(X, y, idz=IDS)
    with (
        config_context(enable_metadata_routing=False),
        pytest.raises(ValueError, match="enable_metadata_routing=True"),
    ):
        learner.fit(X, y, sample_weight=WEIGHTS)
    assert vars(learner) is state


def test_models_on_fewer_labels_have_the_weights_of_these_labels():
    class Remembers(StoppingRule):
        def judge(self, progress, memory):
            coefs.append(progress.model_after(30).coef_)
            return False, memory

    coefs = []
    learner = UncertaintySamplingClassifier(weighted(), stopping=Remembers())
    learner.teach(X[:60], y[:60], sample_weight=WEIGHTS[:60]).query(X)
    alone = LogisticRegression().fit(X[:30], y[:30], sample_weight=WEIGHTS[:30])
    np.testing.assert_allclose(coefs[0], alone.coef_, rtol=1e-10)
