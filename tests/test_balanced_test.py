"""The balanced error, estimated from rows that were chosen."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from sklearn_activelearn.evaluation import ActiveTest
from sklearn_activelearn.utils._statistics import (
    balanced_estimate_with_interval,
    make_balanced_plan,
)
from tests.reference import active_test as reference

X, Y = make_classification(
    460, 5, n_informative=3, n_redundant=0, weights=[0.8], flip_y=0.1, random_state=0
)
NAMES = np.where(Y, "rare", "usual")
MODEL = LogisticRegression().fit(X[:60], NAMES[:60])
POOL, ANSWERS = X[60:], NAMES[60:]
ERROR = 1 - balanced_accuracy_score(ANSWERS, MODEL.predict(POOL))


@st.composite
def purchases(draw):
    """Draw a plan, and rows bought in some order with labels of all classes."""
    rng = np.random.RandomState(draw(st.integers(0, 10**6)))
    n, n_classes = draw(st.integers(8, 30)), draw(st.integers(2, 4))
    chances = rng.dirichlet(np.full(n_classes, 0.5), n) + 0.01
    chances /= chances.sum(axis=1, keepdims=True)
    wrong = (rng.randint(n_classes, size=(n, 1)) != range(n_classes)).astype(float)
    order = rng.permutation(n)[: draw(st.integers(n_classes, n - 1))]
    codes = rng.randint(n_classes, size=len(order))
    codes[:n_classes] = range(n_classes)
    mix = draw(st.sampled_from([0.05, 0.25, 0.9]))
    return make_balanced_plan(wrong, chances, mix), mix, order, codes


@given(purchases())
def test_plan_is_its_twin(drawn):
    plan, mix, _, _ = drawn
    shares = plan.chances.mean(axis=0)
    errors = [
        np.average(plan.wrong[:, k], weights=p) for k, p in enumerate(plan.chances.T)
    ]
    table = (plan.wrong - errors) / (len(shares) * shares)
    q = reference.purchase_probabilities(table, plan.chances, mix)
    np.testing.assert_allclose(plan.probabilities, q)


@given(purchases(), st.sampled_from([0.8, 0.95]))
def test_interval_is_its_twin(drawn, confidence):
    plan, _, order, codes = drawn
    q = plan.probabilities
    value, low, high = balanced_estimate_with_interval(plan, order, codes, confidence)
    assert 0 <= low <= value <= high <= 1
    said = order, q, codes, plan.wrong, plan.chances
    bounds = reference.balanced_bounds(*said[:-1])
    estimate = reference.balanced_error(*said)[0].mean()
    np.testing.assert_allclose(value, np.clip(estimate, *bounds))
    assert bounds[0] - 1e-9 <= low <= value <= high <= bounds[1] + 1e-9

    def is_accepted(x):
        told = order, q, plan.mean, codes, plan.wrong, plan.chances
        return reference.balanced_score_test(x, *told, confidence)

    step = 1e-4 * (high - low)
    assume(step > 1e-7)
    for end, outwards in ((low, -step), (high, step)):
        if min(abs(end - np.array([*bounds, value]))) > 1e-3:
            assert is_accepted(end - outwards)
            assert not is_accepted(end + outwards)


def begun(n=20, model=MODEL, **params):
    """Return a test of the balanced error, and rows that it asked for."""
    test = ActiveTest(model, loss="balanced_zero_one", random_state=0, **params)
    return test, test.query(POOL, limit=n)


@pytest.mark.parametrize(
    "params", [{}, {"mix": 1}, {"labelled": (X[:60], NAMES[:60])}], ids=str
)
def test_all_rows_give_the_balanced_error(params):
    test, rows = begun(None, surrogate=GaussianNB(), **params)
    found = test.teach(POOL[rows], ANSWERS[rows]).estimate()
    ends = [found.value, found.low, found.high]
    np.testing.assert_allclose(ends, ERROR, rtol=1e-12)


def test_all_rows_without_a_known_class_give_the_balanced_error():
    pool = POOL[ANSWERS == "usual"]
    test = ActiveTest(MODEL, loss="balanced_zero_one", random_state=0)
    rows = test.query(pool, limit=len(pool) - 1)
    test.teach(pool[rows], ["usual"] * len(rows))
    assert np.isnan(test.estimate().value)
    test.teach(pool[test.query(pool)], ["usual"])
    assert test.estimate().value == pytest.approx(
        np.mean(MODEL.predict(pool) == "rare")
    )


def test_of_a_class_without_a_label_nothing_is_known():
    test, rows = begun(40)
    usual = rows[ANSWERS[rows] == "usual"]
    test.teach(POOL[usual], ANSWERS[usual]).skip()
    found = test.estimate()
    assert np.isnan(found.value)
    assert (found.low, found.high, found.n_labels) == (0, 1, len(usual))


def test_of_a_model_that_says_one_class_all_is_known():
    test, rows = begun(40, DummyClassifier().fit(X[:60], NAMES[:60]))
    found = test.teach(POOL[rows], ANSWERS[rows]).estimate()
    assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)


def test_names_of_the_classes_do_not_matter():
    test, rows = begun(60)
    test.teach(POOL[rows], ANSWERS[rows])
    other, same = begun(60, LogisticRegression().fit(X[:60], 1 - Y[:60]))
    np.testing.assert_array_equal(same, rows)
    mine, theirs = test.estimate(), other.teach(POOL[rows], 1 - Y[60 + rows]).estimate()
    np.testing.assert_allclose(
        [mine.value, mine.low, mine.high], [theirs.value, theirs.low, theirs.high]
    )


def test_uniform_test_has_the_balanced_error_of_its_rows():
    machine = LinearSVC().fit(X[:60], NAMES[:60])  # has no probabilities
    test, rows = begun(60, machine, mix=1)
    found = test.teach(POOL[rows], ANSWERS[rows]).estimate()
    accuracy = balanced_accuracy_score(ANSWERS[rows], machine.predict(POOL[rows]))
    assert found.value == pytest.approx(1 - accuracy)
    assert 0 < found.low < found.value < found.high < 1


def test_skipped_rows_were_never_in_the_pool():
    test, rows = begun(40)
    test.skip(POOL[rows[[3, 7]]])
    answered = np.delete(rows, [3, 7])
    test.teach(POOL[answered], ANSWERS[answered])
    plan, others = test._begun.plan, np.delete(np.arange(400), rows[[3, 7]])
    q = plan.probabilities[others] / plan.probabilities[others].sum()
    errors, _ = reference.balanced_error(
        np.searchsorted(others, answered),
        q,
        (ANSWERS[answered] == "usual").astype(int),
        plan.wrong[others],
        plan.chances[others],
    )
    assert test.estimate().value == pytest.approx(errors.mean())


@pytest.mark.parametrize("mix", [0.25, 1])
def test_intervals_cover(mix):
    rng = np.random.RandomState(1)
    chances = rng.beta(0.3, 1.5, size=800).clip(0.01, 0.99)
    codes = (rng.uniform(size=800) < chances).astype(int)
    table = (chances > 0.4)[:, None] != np.array([False, True])
    wrong, n = table.astype(float), 60
    plan = make_balanced_plan(wrong, np.column_stack([1 - chances, chances]), mix)
    errors = [wrong[codes == k, k].mean() for k in (0, 1)]
    clocks = rng.standard_exponential((n, 800)) / plan.probabilities
    ends = [
        balanced_estimate_with_interval(plan, o, codes[o], 0.95)
        for o in clocks.argsort(axis=1)[:, :80]
    ]
    values, low, high = np.transpose(ends)
    assert np.mean((low <= np.mean(errors)) & (np.mean(errors) <= high)) >= 0.93
    assert np.mean(high - low) < (0.25 if mix < 1 else 0.3)
    assert abs(values.mean() - np.mean(errors)) < 0.02


def test_refusals():
    with pytest.raises(ValueError, match="'balanced_zero_one' takes one model, got 2"):
        begun(1, (MODEL, MODEL))
    test, rows = begun(2)
    with pytest.raises(ValueError, match=r"y\[1\] = 'new' is not one of the classes"):
        test.teach(POOL[rows], ["usual", "new"])
    assert test.n_taught_ == 0
    test.teach(POOL[rows], ANSWERS[rows])
    with pytest.raises(ValueError, match="always_valid=True has no interval for loss="):
        test.estimate(always_valid=True)


def test_a_class_that_the_model_never_says():
    rng = np.random.default_rng(0)
    y = rng.choice(3, 400, p=[0.47, 0.47, 0.06])
    rows = rng.normal(size=(400, 2)) + np.outer(2 * (y == 1), [1, 0])
    model = LogisticRegression(C=0.01).fit(rows, y)
    assert {*model.predict(rows)} == {0, 1}
    error, n_inside = 1 - balanced_accuracy_score(y, model.predict(rows)), 0
    for seed in range(20):
        test = ActiveTest(model, loss="balanced_zero_one", random_state=seed)
        chosen = test.query(rows, limit=80)
        found = test.teach(rows[chosen], y[chosen]).estimate()
        n_inside += found.low <= error <= found.high
    assert n_inside >= 18
