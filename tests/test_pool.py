"""The pool loop: what it buys, what it is given, how it ends."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from sklearn_activelearn import (
    CBGZClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByCommitteeClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.pool import PoolClassifier, Rule, Trained, Trainer
from tests.learners import (
    COMMITTEE,
    POOL_LEARNERS,
    each_family_of,
    each_pool_default,
    each_pool_family,
    name_of,
    seldom,
)
from tests.reference import pool as reference
from tests.tools import all_verbs, fresh, frozen, problem, responses, streams

X, y = problem(80, 4, noise=0.5)
LOGISTIC = LogisticRegression()
MEMBERS = [estimator for _, estimator in COMMITTEE]

LINEAR = SVC(kernel="linear")


def uncertain(measure):
    """Return a learner, and the utility of its twin."""
    learner = UncertaintySamplingClassifier(LOGISTIC, measure=measure)
    return learner, reference.uncertainty(LOGISTIC, measure)


#: Learners, the utility of their twin, and the number of rows in a batch.
TWINS = [
    (MinMarginClassifier(LINEAR), reference.margin(LINEAR), 3),
    (*uncertain("least_confident"), 1),
    (*uncertain("margin"), 3),
    (*uncertain("entropy"), 1),
    (
        QueryByCommitteeClassifier(estimators=COMMITTEE, cv=3),
        reference.committee(MEMBERS, 3),
        3,
    ),
    (PassiveClassifier(), None, 1),
]


@pytest.mark.parametrize(
    ("prototype", "utility", "batch_size"),
    TWINS,
    ids=[name_of(row) for row, *_ in TWINS],
)
@seldom
@given(stream=streams(min_rows=5, max_rows=14, min_features=2))
def test_purchases_are_those_of_the_slow_twin(prototype, utility, batch_size, stream):
    X, y = stream
    params = {"n_initial": 4, "batch_size": batch_size, "budget": 8}
    learner = fresh(prototype, **params).fit(X, y)
    expected = reference.purchases(utility, X, y, random_state=0, **params)
    assert learner.queried_indices_.tolist() == expected


@each_pool_family
def test_a_chunk_after_the_other(prototype):
    learner = fresh(prototype, budget=30, stopping=None)
    bought = []
    for start in (0, 20, 40, 60):
        part = slice(start, start + 20)
        learner.partial_fit(X[part], y[part], classes=["no", "yes"])
        rows = learner.queried_indices_
        assert len(np.unique(rows)) == len(rows)
        bought += (start + rows).tolist()
    assert len(bought) == len(set(bought)) == learner.n_queries_ == 30
    learner.set_params(budget=33).partial_fit(X[:20], y[:20])
    assert learner.n_queries_ == 30  # these were bought before
    learner.partial_fit(X[20:40], y[20:40])
    assert learner.n_queries_ == 33


@each_pool_family
def test_limit_and_budget_cut_the_same_choice(prototype):
    learner = fresh(prototype, budget=None, batch_size=5).partial_fit(X[:20], y[:20])
    other = pickle.loads(pickle.dumps(learner))
    rows = learner.query(X[20:])
    for limit in (0, 1, 3):
        again = pickle.loads(pickle.dumps(other))
        np.testing.assert_array_equal(again.query(X[20:], limit=limit), rows[:limit])


def test_ties_are_broken_at_random():
    pool = np.repeat([[0.0], [1.0], [2.0]], 20, axis=0)  # 1 and 2 tie
    chosen = set()
    for seed in range(40):
        learner = MinMarginClassifier(
            SVC(kernel="linear"), n_initial=3, random_state=seed
        )
        learner.teach([[0.0], [1.0], [2.0]], [0, 0, 1])
        chosen |= set(learner.query(pool).tolist())
    assert min(chosen) >= 20
    assert len(chosen) > 20


@each_pool_family
@pytest.mark.parametrize(
    ("told", "wrong"), [(["no", "yes"], "maybe"), (["no", "yes"], np.nan), (None, None)]
)
def test_of_a_batch_with_unknown_labels_the_others_are_learned(prototype, told, wrong):
    learner, asked = fresh(prototype), []

    def oracle(rows):
        second = 1 - len(asked)
        asked.extend(rows.tolist())
        labels = y[rows].astype(object).tolist()
        if 0 <= second < len(labels):
            labels[second] = wrong
        return labels

    with pytest.raises(ValueError, match=f"{wrong!r} for row"):
        learner.learn(X, oracle, classes=told)
    unknown = asked[1]
    assert learner.n_queries_ == len(asked)
    assert learner.n_taught_ == len(asked) - 1
    assert learner.pending(X).tolist() == [unknown]
    assert learner.queried_indices_.tolist() == asked
    np.testing.assert_array_equal(
        learner._ledger.labelled.rows, X[[asked[0], *asked[2:]]]
    )
    learner.teach(X[[unknown]], y[[unknown]])  # the one who knows is asked again
    assert learner.n_pending_ == 0
    assert unknown not in learner.query(X)


def test_the_oracle_sees_the_learner_before_the_round():
    seen = []
    learner = MinMarginClassifier(budget=15, random_state=0)

    def oracle(rows):
        seen.append((learner.n_queries_, learner.predict(X).tolist()))
        with pytest.raises(RuntimeError, match="is running"):
            learner.teach(X[:1], y[:1])
        return y[rows]

    learner.learn(X, oracle, classes=["no", "yes"])
    assert [n for n, _ in seen] == [0, 10, 11, 12, 13, 14]
    for n, predicted in seen[1:]:
        until = fresh(MinMarginClassifier(), budget=n).fit(X, y)
        assert until.predict(X).tolist() == predicted


@each_pool_default
def test_classes_grow(prototype):
    learner = fresh(prototype, n_initial=2).teach(X[:2], ["b", "c"])
    learner.teach(X[2:5], ["a", "b", "d"])
    assert learner.classes_.tolist() == ["a", "b", "c", "d"]
    assert set(learner.predict(X)) <= set("abcd")
    assert learner.predict(X[:1]).dtype.kind == "U"
    with pytest.raises(ValueError, match="cannot be sorted together"):
        learner.teach(X[:1], [7])
    learner.teach(X[5:6], ["a"], classes=list("abcde"))
    with pytest.raises(ValueError, match="'f' is not one of the classes"):
        learner.teach(X[5:6], ["f"])


def test_a_class_without_labels_has_a_place():
    learner = UncertaintySamplingClassifier(n_initial=2)
    learner.teach(X[:4], [0, 2, 0, 2], classes=[0, 1, 2])
    assert learner.predict_proba(X).shape == (80, 3)
    assert not learner.predict_proba(X)[:, 1].any()
    scores = learner.decision_function(X)
    np.testing.assert_array_equal(scores.argmax(axis=1), learner.predict(X))
    only = MinMarginClassifier().teach(X[:2], [1, 1], classes=[0, 1])
    assert np.all(only.decision_function(X) > 0)
    assert only.predict(X).tolist() == [1] * 80


def test_warm_starts_go_on_and_leave_the_old_model_alone():
    model = MLPClassifier((4,), warm_start=True, max_iter=5000, random_state=0)
    learner = UncertaintySamplingClassifier(model, budget=10, random_state=0).fit(X, y)
    before = learner.estimator_
    weights, n_iter = frozen(before.coefs_), before.t_
    learner.teach(X[-3:], y[-3:])
    assert learner.estimator_.t_ > n_iter
    assert frozen(before.coefs_) == weights


def test_random_estimators_follow_the_seed():
    model = make_pipeline(StandardScaler(), SGDClassifier())
    first = MinMarginClassifier(model, budget=20, random_state=3).fit(X, y)
    again = MinMarginClassifier(model, budget=20, random_state=3).fit(X, y)
    assert frozen(responses(first, X)) == frozen(responses(again, X))
    assert first.estimator_[-1].random_state is not None
    assert model[-1].random_state is None


def test_passive_learning_validates_once():
    fits = []

    class Counting(GaussianNB):
        def fit(self, X, y):
            fits.append(len(y))
            return super().fit(X, y)

    learner = PassiveClassifier(
        Counting(), param_grid={"var_smoothing": [1e-9, 1e-3]}, cv=3, budget=40
    )
    learner.fit(X, y)
    assert len(fits) == 2 * 3 + 1


@pytest.mark.parametrize(
    ("learner", "error", "words"),
    [
        (UncertaintySamplingClassifier(SVC()), TypeError, "predict_proba.*Calibrated"),
        (UncertaintySamplingClassifier(LinearSVC()), TypeError, "MinMarginClassifier"),
        (MinMarginClassifier(GaussianNB()), TypeError, "UncertaintySampling"),
        (
            MinMarginClassifier(make_pipeline(SVC(decision_function_shape="ovo"))),
            ValueError,
            'svc__decision_function_shape="ovr"',
        ),
        (
            PassiveClassifier(
                SVC(decision_function_shape="ovo"), stopping="margin_exhausted"
            ),
            ValueError,
            'decision_function_shape="ovr"',
        ),
        (MinMarginClassifier("SVC"), TypeError, "classifier"),
        (MinMarginClassifier(SVC), TypeError, "instance"),
        (PassiveClassifier(LinearRegression()), TypeError, "classifier"),
        (MinMarginClassifier(SVC(kernel="precomputed")), ValueError, "precomputed"),
        (PassiveClassifier(SVC(), param_grid={"alpha": [1]}), ValueError, "alpha"),
        (PassiveClassifier(SVC(), param_grid="C"), TypeError, "[Gg]rid"),
        (PassiveClassifier(SVC(), param_grid=[]), ValueError, "no candidate"),
        (PassiveClassifier(estimators=[]), ValueError, "estimators"),
        (PassiveClassifier(estimators=[SVC()]), ValueError, "estimators"),
        (
            PassiveClassifier(estimators=[("a", SVC()), ("a", SVC())]),
            ValueError,
            "twice",
        ),
        (
            PassiveClassifier(SVC(), param_grid={"C": [1]}, estimators=COMMITTEE),
            ValueError,
            "not both",
        ),
    ],
    ids=lambda item: str(item)[:70],
)
def test_what_cannot_work_is_refused_by_every_verb(learner, error, words):
    before = frozen(vars(learner))
    for verb in all_verbs(learner, X, y):
        with pytest.raises(error, match=words):
            verb()
    assert frozen(vars(learner)) == before


@pytest.mark.parametrize(
    "learner", [MinMarginClassifier(budget=20), CBGZClassifier(budget=20)]
)
def test_later_rows_are_checked_like_the_first_ones(learner):
    X, y = problem(400, 5)
    first, later = X[:300], X[300:]
    known, other = (fresh(learner).fit(first, y[:300]) for _ in "ab")
    found = known.query(later), other.query(np.asfortranarray(later))
    assert found[0].tolist() == found[1].tolist()
    named = fresh(learner).fit(pd.DataFrame(first).add_prefix("x"), y[:300])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        named.query(later)


class SeesUnlabelled(Trainer):
    keeps_pool = True
    estimators = (GaussianNB(),)

    def train(self, known, before):
        model = GaussianNB().fit(known.labelled.rows, known.labels)
        return Trained(model, {"unlabelled_": known.pool.unlabelled})


class AllAlike(Rule):
    def utility(self, model, X):
        return np.zeros(len(X))


class SemiSupervised(PoolClassifier):
    def make_rule(self):
        return AllAlike()

    def make_trainer(self):
        return SeesUnlabelled()


def test_a_trainer_sees_all_rows_of_the_pool_without_a_label():
    learner = fresh(SemiSupervised())
    learner.query(X, limit=0)
    learner.teach(X[:4], ["no", "yes", "no", "yes"])
    assert learner.unlabelled_.tolist() == list(range(4, 80))
    learner.teach(X[:1] + 9, ["no"])  # not in the pool
    assert learner.unlabelled_.tolist() == list(range(4, 80))
    learner.teach(X[-1:], ["yes"])
    assert learner.unlabelled_.tolist() == list(range(4, 79))


#: Stochastic gradient descent treats the intercept of sparse rows differently.
NO_SGD = [row for row in POOL_LEARNERS if "Perceptron" not in name_of(row)]


@each_family_of(NO_SGD)
def test_sparse_and_float32_rows_are_chosen_as_dense_ones(prototype):
    rows = np.round(X * 64) / 64  # the same numbers in float32
    dense = fresh(prototype, budget=12).fit(rows, y)
    for other in csr_array(rows), csr_array(rows.astype(np.float32)):
        sparse = fresh(prototype, budget=12).fit(other, y)
        np.testing.assert_array_equal(sparse.queried_indices_, dense.queried_indices_)


def test_a_loop_of_queries_fills_queried_indices():
    learner = UncertaintySamplingClassifier(
        GaussianNB(), n_initial=6, batch_size=4, budget=22, random_state=0
    )
    loop, asked = clone(learner), []
    while len(rows := loop.query(X)):
        asked += rows.tolist()
        assert loop.queried_indices_.tolist() == asked
        loop.teach(X[rows], y[rows])
    assert asked == learner.fit(X, y).queried_indices_.tolist()
    assert loop.fit(X, y).queried_indices_.tolist() == asked  # begins again
    stream = CBGZClassifier(random_state=0)
    rows = stream.query(X)
    assert stream.queried_indices_.tolist() == rows.tolist()


def test_without_a_budget_all_labels_are_bought():
    rows = np.arange(150)[:, None]
    learner = PassiveClassifier(budget=None, batch_size=50, random_state=0)
    assert learner.fit(rows, rows.ravel() % 2).n_queries_ == 150
