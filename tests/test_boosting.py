"""Boosting learners: the cost, its theorem, the committees and what they buy."""

import pickle
from functools import partial
from pathlib import Path
from unittest import mock

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_activelearn import (
    ASSLBoostClassifier,
    COMBClassifier,
    DecisionStumpClassifier,
    FASSLBoostClassifier,
    QueryByBoostingClassifier,
    SSMarginBoostClassifier,
)
from sklearn_activelearn.datasets import make_twonorm
from sklearn_activelearn.pool.boosting._committee import (
    LEFT_OUT,
    UNLABELLED,
    BoostingCost,
)
from tests.learners import each, seldom
from tests.reference import boosting as reference
from tests.tools import RecordingOracle, fresh, frozen, responses, streams

X, y = make_twonorm(80, 4, random_state=0)
X = X.astype(np.float32).astype(float)
QUERYING = [
    QueryByBoostingClassifier(n_estimators=6), COMBClassifier(n_estimators=6),
    ASSLBoostClassifier(n_estimators=6), FASSLBoostClassifier(),
]  # fmt: skip
each_boosting = each([*QUERYING, SSMarginBoostClassifier(n_estimators=6)])


@st.composite
def labelled_scores(draw):
    """Draw scores of rows, all their labels, and an order to label them in."""
    n_rows = draw(st.integers(1, 30), label="n_rows")
    rng = np.random.RandomState(draw(st.integers(0, 2**32 - 1), label="seed"))
    size = draw(st.sampled_from([0.0, 1.0, 30.0]), label="size")
    labels = rng.choice([-1, 1], size=n_rows)
    return size * rng.standard_normal(n_rows), labels, rng.permutation(n_rows)


ALPHAS = st.sampled_from([0.0, 0.01, 0.5, 1.0]) | st.floats(0, 1)


@given(problem=labelled_scores(), alpha=ALPHAS)
def test_theorem_1(problem, alpha):
    scores, y, order = problem
    labels = np.full(len(y), UNLABELLED)
    costs = [BoostingCost(labels, alpha)(scores)]
    for row in order:
        labels = labels.copy()
        labels[row] = y[row]
        costs.append(BoostingCost(labels, alpha)(scores))
    genuine = np.mean(np.exp(-y * scores))
    assert np.all(np.diff(costs) >= -1e-12 * genuine)
    assert costs[-1] == pytest.approx(genuine)


@given(problem=labelled_scores(), alpha=ALPHAS)
def test_the_cost_is_that_of_the_paper(problem, alpha):
    scores, y, order = problem
    bought = order[: len(order) // 2].tolist()
    labels = np.full(len(y), UNLABELLED)
    labels[bought] = y[bought]
    expected = reference.cost(scores, y, bought, alpha)
    assert BoostingCost(labels, alpha)(scores) == pytest.approx(expected)
    labels, scores = np.append(labels, LEFT_OUT), np.append(scores, 5.0)
    assert BoostingCost(labels, alpha)(scores) == pytest.approx(expected)


@given(problem=labelled_scores(), alpha=ALPHAS)
def test_weights_are_the_slopes_of_the_cost(problem, alpha):
    scores, y, order = problem
    scores, step = scores.clip(-3, 3), 1e-6
    labels = np.where(order % 2, y, UNLABELLED)
    cost = BoostingCost(labels, alpha)
    targets = cost.targets(scores)
    slopes = np.empty(len(y))
    for row, target in enumerate(targets):
        changed = scores.copy()
        changed[row] += step * target  # away from 0: a pseudo-label stays what it is
        slopes[row] = (cost(scores) - cost(changed)) / step
    weights = cost.weights(scores, targets)
    np.testing.assert_allclose(
        slopes / max(slopes.max(), 1e-12),
        weights / max(weights.max(), 1e-12),
        atol=1e-3,
    )


def falling(n_labels):
    """Return a weight of unlabelled rows that falls with the labels."""
    return 1 / n_labels**2


def boosted(n_estimators):
    return lambda *args: reference.boosted(*args[:-1], n_estimators=n_estimators)


def minimised(*args):
    return reference.minimised(*args[:-1], n_estimators=4, tol=1e-3)


def grown(alpha, **params):
    build = partial(reference.grown, **params)
    return FASSLBoostClassifier(alpha=alpha, **params), build, alpha


#: Learners, the step of their twin, and the weight of unlabelled rows.
TWINS = [
    (QueryByBoostingClassifier(n_estimators=5), boosted(5), 0.0),
    (COMBClassifier(alpha=0.1, n_estimators=5), boosted(5), 0.1),
    (COMBClassifier(alpha=falling, n_estimators=3), boosted(3), falling),
    (ASSLBoostClassifier(n_estimators=4), minimised, 0.01), grown(0.05), grown(falling),
    grown(0.01, shrinkage=0.2), grown(0.01, n_initial_estimators=1),
    grown(0.0, n_initial_estimators=6),
]  # fmt: skip


def is_decided_by_rounding(outcome):
    """Whether weights that differ in their last bits lead somewhere else."""
    weights_of, rng = reference.weights_of, np.random.default_rng(0)

    def nearly(*args):
        weights = weights_of(*args)
        return weights * (1 + 1e-15 * rng.integers(-1, 2, len(weights)))

    before = outcome()
    with mock.patch.object(reference, "weights_of", nearly):
        return not all(are_same(outcome(), before) for _ in range(5))


def are_same(outcome, other):
    """Whether the same rows were bought, and the scores are equal up to rounding."""
    (bought, F), (others, G) = outcome, other
    return bought == others and np.allclose(F, G, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("prototype", "build", "alpha"), TWINS)
@seldom
@given(seed=st.integers(0, 999))
def test_purchases_are_those_of_the_slow_twin(prototype, build, alpha, seed):
    X, y = make_twonorm(16, 3, random_state=seed)
    params = {"n_initial": 4, "budget": 10}
    learner = fresh(prototype, **params).fit(X, y)

    def outcome():
        bought, committee = reference.purchases(
            build, X, y, alpha, random_state=0, **params
        )
        return bought, reference.score(committee, X)

    bought, F = outcome()
    found = learner.queried_indices_.tolist(), learner.decision_function(X)
    if not are_same(found, (bought, F)):
        assume(not is_decided_by_rounding(outcome))
    assert found[0] == bought
    np.testing.assert_allclose(found[1], F, rtol=1e-7, atol=1e-9)
    alpha = alpha(len(bought)) if callable(alpha) else alpha
    cost = reference.cost(F, y, bought, alpha)
    assert learner.cost_curve_[-1] == pytest.approx(cost)


def test_a_schedule_of_alpha_is_checked_when_it_is_called():
    X, y = make_twonorm(40, 3, random_state=0)
    learner = FASSLBoostClassifier(alpha=lambda n_labels: 2 / n_labels, n_initial=4)
    learner.fit(X, y)
    learner.set_params(alpha=lambda n_labels: n_labels)
    with pytest.raises(ValueError, match=r"alpha\(4\) == 4, must be <= 1"):
        fresh(learner).fit(X, y)


def test_its_committee_is_that_of_scikit_learn():
    learner = QueryByBoostingClassifier(n_estimators=10).teach(X, y)
    boosted = AdaBoostClassifier(DecisionStumpClassifier(), n_estimators=10).fit(X, y)
    weights = np.array(learner.estimator_.estimator_weights_)
    np.testing.assert_allclose(2 * weights, boosted.estimator_weights_)
    np.testing.assert_array_equal(learner.predict(X), boosted.predict(X))
    twice = boosted.decision_function(X) * weights.sum()
    np.testing.assert_allclose(2 * learner.decision_function(X), twice)


@each_boosting
def test_more_classes_have_a_committee_each(prototype):
    names = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + X[:, 1], [-1, 1])]
    settings = {"alpha": 0.0} if "alpha" in prototype.get_params() else {}
    learner, costs = fresh(prototype, **settings).teach(X, names), []
    for code, name in enumerate("abc"):
        one = fresh(prototype, **settings).teach(X, names == name)
        np.testing.assert_array_equal(
            learner.decision_function(X)[:, code], one.decision_function(X)
        )
        costs.append(one.cost_curve_)
    np.testing.assert_allclose(learner.cost_curve_, np.mean(costs, axis=0))
    *_, last = learner.estimator_.staged_decision_function(X)
    np.testing.assert_array_equal(last, learner.decision_function(X))
    probabilities = learner.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


@each_boosting
@pytest.mark.parametrize("names", ["bca", "cba"])
def test_the_names_of_classes_decide_nothing(prototype, names):
    codes = np.digitize(X[:, 0] + X[:, 1], [-1, 1])
    learner, other = (fresh(prototype, n_initial=15, budget=22) for _ in range(2))
    if "alpha" in prototype.get_params():
        learner.set_params(alpha=0.3), other.set_params(alpha=0.3)
    learner.fit(X, np.array(list("abc"))[codes])
    other.fit(X, np.array(list(names))[codes])
    np.testing.assert_array_equal(learner.queried_indices_, other.queried_indices_)
    places = [names.index(name) for name in "abc"]
    np.testing.assert_array_equal(
        learner.decision_function(X)[:, places], other.decision_function(X)
    )


@pytest.mark.parametrize("seed", range(2))
def test_a_grown_committee_reaches_the_cost_of_full_labels(seed):
    # Section 3.2: at the end it does what AdaBoost does that had all labels from the
    # first member on
    X, y = make_twonorm(120, random_state=seed)
    learner = FASSLBoostClassifier(budget=None, random_state=0).fit(X, y)
    costs = learner.cost_curve_
    assert len(costs) == 111
    boosted = QueryByBoostingClassifier(n_estimators=committee_size(learner))
    least = boosted.teach(X, y).cost_curve_[-1]
    assert costs[-1] < least < costs[0]
    genuine = np.mean(np.exp(-y * learner.decision_function(X)))
    assert costs[-1] == pytest.approx(genuine)


def test_newton_steps_lower_the_cost():
    learner = SSMarginBoostClassifier(alpha=0.0, budget=None, tol=0.0, n_estimators=40)
    learner.fit(X, y)
    costs = [
        np.mean(np.exp(-y * scores))
        for scores in learner.estimator_.staged_decision_function(X)
    ]
    assert np.all(np.diff(costs[:-1]) < 0)
    assert costs[-1] < 0.1


def committee_size(learner):
    return len(learner.estimator_.estimators_)


@pytest.mark.parametrize("batch_size", [1, 5, 10])
def test_the_committee_grows_with_the_labels(batch_size):
    learner = FASSLBoostClassifier(
        n_initial=10, budget=30, batch_size=batch_size, random_state=0
    ).fit(X, y)
    assert committee_size(learner) == 30
    assert len(learner.cost_curve_) == 1 + 20 // batch_size
    learner.teach(X[:4], y[:4])
    assert committee_size(learner) == 34
    weights = np.array(learner.estimator_.estimator_weights_)
    assert np.all(weights > 0)


def test_query_by_boosting_does_not_care_when_labels_come():
    first = QueryByBoostingClassifier().teach(X[:20], y[:20]).teach(X[20:40], y[20:40])
    last = QueryByBoostingClassifier().teach(X[20:40], y[20:40]).teach(X[:20], y[:20])
    assert frozen(responses(first, X)) == frozen(responses(last, X))


@each(QUERYING)
def test_a_batch_is_of_different_scores(prototype):
    doubled = np.repeat(X, 4, axis=0)
    learner = fresh(prototype, batch_size=6).teach(X[:40], y[:40])
    rows = learner.query(doubled)
    scores = learner.decision_function(doubled[rows])
    assert len(set(scores)) == 6
    assert np.all(np.diff(np.abs(scores)) > -1e-9)
    equal = X[rows[:1] // 4].repeat(8, axis=0) + 0.0
    assert len(set(learner.query(equal).tolist())) == 6  # if there are no others


class Counting(DecisionTreeClassifier):
    """A tree that notes how many rows it is given."""

    sizes = ()

    def fit(self, X, y, sample_weight):
        assert np.all(sample_weight > 0)
        assert 0.5 < np.mean(sample_weight) < 2
        Counting.sizes = (*Counting.sizes, len(X))
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(
    ("prototype", "sizes"),
    [
        (QueryByBoostingClassifier(), {10, 11, 12}),
        (COMBClassifier(), {80}),
        (FASSLBoostClassifier(alpha=0.0), {10, 11, 12}),
    ],
)
def test_only_rows_that_count_are_trained_on(prototype, sizes, monkeypatch):
    monkeypatch.setattr(Counting, "sizes", ())
    tree = Counting(max_depth=1)
    fresh(prototype, estimator=tree, n_initial=10, budget=12).fit(X, y)
    assert set(Counting.sizes) == sizes


class Contrary(DecisionStumpClassifier):
    """A stump that says the opposite."""

    def predict(self, X):
        return -super().predict(X)


@pytest.mark.parametrize(
    "learner", [QueryByBoostingClassifier, COMBClassifier, FASSLBoostClassifier]
)
def test_a_member_worse_than_chance_is_left_out(learner):
    fitted = learner(Contrary(), budget=12, random_state=0).fit(X, y)
    assert committee_size(fitted) == 0
    assert not fitted.decision_function(X).any()


@each_boosting
def test_any_classifier_with_weights(prototype):
    for weak in DecisionTreeClassifier(max_depth=2), LogisticRegression():
        learner = fresh(prototype, estimator=weak, budget=15, batch_size=5).fit(X, y)
        assert learner.score(X, y) > 0.8
        assert len(learner.cost_curve_) > 0


@each_boosting
def test_a_classifier_without_weights_is_refused(prototype):
    learner = fresh(prototype, estimator=KNeighborsClassifier())
    with pytest.raises(TypeError, match=r"sample_weight; the fit of KNeigh"):
        learner.fit(X, y)
    assert not hasattr(learner, "n_queries_")


@pytest.mark.parametrize("learner", [ASSLBoostClassifier, SSMarginBoostClassifier])
def test_newton_steps_need_probabilities(learner):
    with pytest.raises(TypeError, match="predict_proba, which LinearSVC"):
        learner(LinearSVC()).fit(X, y)


@each_boosting
@seldom
@given(stream=streams(), data=st.data())
def test_candidates_make_the_same_sample(prototype, stream, data):
    X, y = stream
    X = np.column_stack([X, np.arange(len(X)) % 7 / 10])  # equal rows would be one
    X = X[np.unique(X, axis=0, return_index=True)[1]]
    y = np.append(np.unique(y), y)[: len(X)]
    row_numbers = st.lists(st.integers(0, len(X) - 1), unique=True)
    candidates = np.array(sorted(data.draw(row_numbers, label="candidates")), dtype=int)
    params = {} if prototype not in QUERYING else {"n_initial": 3}
    learner = fresh(prototype, budget=12, **params)
    learner.partial_fit(X, y, classes=np.unique(y)).set_params(budget=15)
    other = pickle.loads(pickle.dumps(learner))
    rows = learner.query(X, candidates=candidates)
    np.testing.assert_array_equal(rows, candidates[other.query(X[candidates])])
    for one in (learner, other):
        one.teach(X[rows], y[rows])
    for scores, expected in zip(
        responses(learner, X)[1:], responses(other, X)[1:], strict=True
    ):
        np.testing.assert_allclose(scores, expected, atol=1e-9)


def test_a_random_start_buys_everything_at_once():
    learner = SSMarginBoostClassifier(budget=15, random_state=0)
    rows, probability = learner.query(X, return_probability=True)
    assert len(rows) == 15
    np.testing.assert_allclose(probability, 15 / 80)
    learner.teach(X[rows], y[rows])
    assert len(learner.query(X)) == 0
    assert learner.score(X, y) > 0.8
    oracle = RecordingOracle(y)
    learner.set_params(budget=20).learn(X, oracle)
    assert len(oracle.asked) == 5


@each_boosting
def test_a_class_that_comes_late_starts_all_committees_again(prototype):
    codes = np.digitize(X[:, 0] + X[:, 1], [-1, 1])
    two, third = np.flatnonzero(codes != 1), np.flatnonzero(codes == 1)
    settings = {"alpha": 0.0} if "alpha" in prototype.get_params() else {}
    learner, once = fresh(prototype, **settings), fresh(prototype, **settings)
    for rows in (two, third):
        learner.teach(X[rows], codes[rows])
    rows = np.append(two, third)
    once.teach(X[rows], codes[rows])
    assert frozen(responses(learner, X)) == frozen(responses(once, X))


def test_rows_that_do_not_count_make_no_weight_vanish():
    cost = BoostingCost(np.array([-1, 1, UNLABELLED]), alpha=0.0)
    weights = cost.weights(np.array([-1.0, 1.0, 800.0]), np.array([-1, 1, -1]))
    assert weights.tolist() == [1, 1, 0]


@each([row for row in QUERYING if "init" in row.get_params()])
def test_the_first_guess_is_named_if_it_refuses_the_rows(prototype):
    tree = DecisionTreeClassifier(max_depth=1)
    missing = X.copy()
    missing[7, 1] = np.nan
    learner = fresh(prototype, estimator=tree, budget=12)
    with pytest.raises(ValueError, match=r"NaN[\s\S]*init needs these rows, too: KN"):
        learner.fit(missing, y)
    learner.set_params(init=DecisionTreeClassifier()).fit(missing, y)
    with pytest.raises(ValueError, match="infinity") as refused:
        learner.fit(np.where(np.isnan(missing), np.inf, missing), y)
    assert not hasattr(refused.value, "__notes__")
    text = pd.DataFrame({"a": pd.Categorical(["x", "z"] * 40)})
    learner = FASSLBoostClassifier(HistGradientBoostingClassifier(), random_state=0)
    with pytest.raises(ValueError, match=r"convert string[\s\S]*init, KNeighbors"):
        learner.fit(text, y)


def test_joblib_keeps_the_pool_once(tmp_path):
    rows = np.random.default_rng(0).standard_normal((2000, 20))
    learner = COMBClassifier(n_estimators=2, budget=12, random_state=0)
    learner.fit(rows, rows[:, 0] > 0)
    (file,) = joblib.dump(learner, tmp_path / "learner")
    assert Path(file).stat().st_size < 1.5 * rows.nbytes
    again = joblib.load(file).set_params(budget=15)
    learner.set_params(budget=15)
    assert again.query(rows, return_utility=True)[1].tolist() == (
        learner.query(rows, return_utility=True)[1].tolist()
    )
