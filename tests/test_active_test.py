"""A test that chooses its rows: the numbers, and the books it keeps."""

import pickle
from functools import partial
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from sklearn_activelearn import MinMarginClassifier
from sklearn_activelearn.audit._active_test import default_surrogate
from sklearn_activelearn.evaluation import ActiveTest
from sklearn_activelearn.utils._statistics import (
    BETS,
    betting_interval,
    estimate_mean,
    estimate_with_interval,
    largest_wealth,
    lure_weights,
    make_plan,
    score_interval,
    score_t_interval,
    step_probabilities,
    variance_factors,
)
from tests.reference import active_test as reference

X, Y = make_classification(
    260, 5, n_informative=3, n_redundant=0, flip_y=0.15, random_state=0
)
NAMES = np.where(Y, "yes", "no")
MODEL = LogisticRegression().fit(X[:60], NAMES[:60])
POOL, ANSWERS = X[60:], NAMES[60:]
ERROR = np.mean(MODEL.predict(POOL) != ANSWERS)


@st.composite
def purchases(draw, min_bought=2):
    """Draw losses of rows and labels, a surrogate, and rows bought in some order."""
    rng = np.random.RandomState(draw(st.integers(0, 10**6)))
    n, n_classes = draw(st.integers(4, 30)), draw(st.integers(2, 4))
    table = rng.gamma(1.0, size=(n, n_classes))
    if draw(st.booleans()):
        table = (rng.randint(n_classes, size=(n, 1)) != range(n_classes)).astype(float)
    chances = rng.dirichlet(np.full(n_classes, 0.5), n) + 0.01
    chances /= chances.sum(axis=1, keepdims=True)
    mix = draw(st.sampled_from([0.05, 0.25, 0.9]))
    order = rng.permutation(n)[: draw(st.integers(min_bought, n - 1))]
    losses = table[order, rng.randint(n_classes, size=len(order))]
    return table, chances, mix, order, losses


def twin_of(table, chances, mix):
    rows = [reference.expected(*row) for row in zip(table, chances, strict=True)]
    return reference.purchase_probabilities(table, chances, mix), rows


@given(purchases())
def test_plan_is_its_twin(drawn):
    table, chances, mix, _, _ = drawn
    plan, (q, rows) = make_plan(table, chances, mix), twin_of(table, chances, mix)
    np.testing.assert_allclose(plan.probabilities, q)
    mine = np.transpose([plan.least, plan.mean, plan.square, plan.chance])
    np.testing.assert_allclose(mine, rows)
    np.testing.assert_allclose(plan.control, plan.mean)
    np.testing.assert_array_equal(plan.most, table.max(axis=1))


@given(purchases(min_bought=1))
def test_estimate_is_its_twin(drawn):
    table, chances, mix, order, losses = drawn
    plan, (q, rows) = make_plan(table, chances, mix), twin_of(table, chances, mix)
    center = np.array([least + mean for least, mean, _, _ in rows])
    rest = reference.lure(order, q, losses - center[order], len(q))
    np.testing.assert_allclose(
        estimate_mean(plan, order, losses), center.mean() + rest, atol=1e-9
    )


@given(purchases(), st.sampled_from([0.8, 0.95, 0.99]))
def test_ends_are_where_the_score_test_begins_to_reject(drawn, confidence):
    table, chances, mix, order, losses = drawn
    plan, (q, rows) = make_plan(table, chances, mix), twin_of(table, chances, mix)
    low, high = score_t_interval(plan, order, losses, confidence)
    if high == low:  # nothing is accepted
        return

    def is_accepted(x):
        return reference.score_test(x, order, q, losses, rows, confidence)

    step = 1e-6 * (high - low)
    assert is_accepted(low + step)
    assert is_accepted(high - step)
    assert not is_accepted(low - step)
    assert not is_accepted(high + step)


@given(purchases())
def test_wealth_is_its_twin(drawn):
    table, chances, mix, order, losses = drawn
    plan, (q, rows) = make_plan(table, chances, mix), twin_of(table, chances, mix)
    low, high = plan.bounds(order, losses)
    means = np.linspace(low, high, 7)[1:-1]
    mine = largest_wealth(plan, order, losses, means)
    theirs = [
        reference.capital(x, order, q, losses, rows, table.max(axis=1), len(BETS))
        for x in means
    ]
    np.testing.assert_allclose(np.exp(mine), theirs, rtol=1e-6)


@given(purchases(), st.sampled_from([score_t_interval, betting_interval]))
def test_the_value_is_in_the_interval(drawn, interval):
    table, chances, mix, order, _ = drawn
    plan = make_plan(table, chances, mix)
    for losses in (plan.least[order], plan.most[order]):
        value, low, high = estimate_with_interval(plan, order, losses, 0.95, interval)
        ends = plan.bounds(order, losses)
        assert ends[0] <= low <= value <= high <= ends[1]


def small_plan(mix=0.25):
    """Return a plan for five rows by a bad surrogate, and their losses."""
    losses = np.array([0.0, 1.0, 0.0, 1.0, 1.0])
    chances = np.array([0.9, 0.2, 0.4, 0.05, 0.7])
    table = np.tile([0.0, 1.0], (5, 1))
    return make_plan(table, np.column_stack([1 - chances, chances]), mix), losses


@pytest.mark.parametrize("n_bought", [1, 3, 5])
@pytest.mark.parametrize("mix", [0.25, 1])
def test_unbiased_over_all_orders(n_bought, mix):
    plan, losses = small_plan(mix)
    mean = in_all = weight = 0.0
    for order in map(list, permutations(range(5), n_bought)):
        p = reference.probability_of(order, plan.probabilities)
        mean += p * estimate_mean(plan, np.array(order), losses[order])
        steps = step_probabilities(plan.probabilities, order)
        weight += p * lure_weights(steps, 5).mean()
        in_all += p
        np.testing.assert_allclose(np.prod(steps), p)
    np.testing.assert_allclose([in_all, mean, weight], [1, losses.mean(), 1])


def drawn_orders(plan, n_bought, n):
    rng = np.random.RandomState(0)
    clocks = rng.standard_exponential((n, len(plan))) / plan.probabilities
    return clocks.argsort(axis=1)[:, :n_bought]


@pytest.mark.parametrize(
    ("interval", "n", "is_reversed", "least"),
    [
        (score_t_interval, 500, False, 0.94),
        (score_t_interval, 300, True, 0.9),
        (betting_interval, 6, False, 0.95),
        (betting_interval, 6, True, 0.95),
    ],
)
def test_intervals_cover(interval, n, is_reversed, least):
    rng = np.random.RandomState(1)
    chances = rng.beta(0.4, 2.0, size=400).clip(0.01, 0.99)
    losses = (rng.uniform(size=400) < chances).astype(float)
    if is_reversed:
        chances = 1 - chances
    table = np.tile([0.0, 1.0], (400, 1))
    plan = make_plan(table, np.column_stack([1 - chances, chances]), 0.25)
    ends = [interval(plan, o, losses[o], 0.95) for o in drawn_orders(plan, 60, n)]
    low, high = np.transpose(ends)
    assert np.mean((low <= losses.mean()) & (losses.mean() <= high)) >= least
    assert np.mean(high - low) < (0.6 if is_reversed else 0.4)


def begun(n=20, model=MODEL, **params):
    """Return a test, and rows that it asked for."""
    test = ActiveTest(model, **{"random_state": 0, **params})
    return test, test.query(POOL, limit=n)


def test_order_and_company_do_not_matter():
    whole, rows = begun()
    whole.teach(POOL[rows], ANSWERS[rows])
    test, first = begun(3)
    test = pickle.loads(pickle.dumps(test))
    again = np.append(first, [test.query(POOL)[0] for _ in range(17)])
    np.testing.assert_array_equal(again, rows)
    for part in (rows[:4:-1], rows[4::-1]):
        test = pickle.loads(pickle.dumps(test.teach(POOL[part], ANSWERS[part])))
    assert test.estimate() == whole.estimate()
    assert test.estimate(always_valid=True) == whole.estimate(always_valid=True)
    np.testing.assert_array_equal(clone(whole).query(POOL, limit=20), rows)
    assert begun(random_state=1)[1].tolist() != rows.tolist()


@pytest.mark.parametrize(
    "params",
    [{}, {"mix": 1}, {"loss": "log_loss"}, {"labelled": (X[:60], NAMES[:60])}],
    ids=str,
)
def test_all_rows_give_the_mean(params):
    test, bought = begun(10, surrogate=GaussianNB(), **params)
    test.teach(POOL[bought], ANSWERS[bought])
    while len(rows := test.query(POOL, limit=90)):
        test.teach(POOL[rows], ANSWERS[rows])
        bought = np.append(bought, rows)
    np.testing.assert_array_equal(np.sort(bought), np.arange(len(POOL)))
    losses = MODEL.predict(POOL) != ANSWERS
    if "loss" in params:
        losses = -MODEL.predict_log_proba(POOL)[range(200), (ANSWERS == "yes") * 1]
    for always_valid in (False, True):
        found = test.estimate(always_valid=always_valid)
        np.testing.assert_allclose(
            [found.value, found.low, found.high], np.mean(losses), rtol=1e-12
        )
        assert found.n_labels == 200


def test_ledger():
    test, rows = begun(6)
    np.testing.assert_array_equal(test.pending(POOL), rows)
    test.teach(POOL[rows[[4, 1]]], ANSWERS[rows[[4, 1]]]).skip(POOL[rows[[2]]])
    np.testing.assert_array_equal(test.pending(POOL), rows[[0, 3, 5]])
    assert (test.n_queries_, test.n_pending_) == (6, 3)
    assert (test.n_taught_, test.n_skipped_) == (2, 1)
    assert not set(test.query(POOL, limit=None)) & set(rows)
    test.skip()
    assert (test.n_queries_, test.n_pending_, test.n_skipped_) == (200, 0, 198)
    assert not len(test.query(POOL))
    test.teach(POOL[rows[:1]], ANSWERS[rows[:1]])  # skipped, and found after all
    assert (test.n_taught_, test.n_skipped_) == (3, 197)


def test_labels_wait_for_those_of_earlier_rows():
    test, rows = begun(12)
    late = 5
    on_time = np.delete(rows, late)
    test.teach(POOL[on_time], ANSWERS[on_time])
    begins, _ = begun(late)
    begins.teach(POOL[rows[:late]], ANSWERS[rows[:late]])
    assert test.estimate() == begins.estimate()
    test.teach(POOL[rows[[late]]], ANSWERS[rows[[late]]])
    assert test.estimate().n_labels == 12


def test_skipped_rows_were_never_in_the_pool():
    test, rows = begun(12)
    test.skip(POOL[rows[[3, 7]]])
    answered = np.delete(rows, [3, 7])
    test.teach(POOL[answered], ANSWERS[answered])
    others = np.delete(np.arange(200), rows[[3, 7]])
    wrong = MODEL.predict(POOL) != ANSWERS
    table = (MODEL.predict(POOL)[:, None] != MODEL.classes_).astype(float)
    chances = MODEL.predict_proba(POOL).clip(0.01)
    q, expected = twin_of(table, chances / chances.sum(axis=1, keepdims=True), 0.25)
    q, mean = np.array(q)[others], np.array(expected)[others, 1]
    q /= q.sum()
    order = np.searchsorted(others, answered)
    rest = reference.lure(order, q, wrong[answered] - mean[order], 198)
    np.testing.assert_allclose(test.estimate().value, mean.mean() + rest)
    assert test.estimate().n_labels == 10


def test_uniform_test_has_wilsons_interval():
    test, rows = begun(50, mix=1)
    test.teach(POOL[rows], ANSWERS[rows])
    found, share = (
        test.estimate(0.9),
        np.mean(MODEL.predict(POOL[rows]) != ANSWERS[rows]),
    )
    scale = 0.75 * t.ppf(0.95, 49) ** 2 / 50  # a quarter of the pool is known
    low, high = score_interval(share, scale, 0, 1, -1)
    assert found.value == pytest.approx(share, rel=1e-12)
    np.testing.assert_allclose([found.low, found.high], [low, high], rtol=0.005)
    test, rows = begun(50, mix=1, loss="log_loss")
    test.teach(POOL[rows], ANSWERS[rows])
    chances = MODEL.predict_proba(POOL)[rows, (ANSWERS[rows] == "yes") * 1]
    assert test.estimate().value == pytest.approx(-np.log(chances).mean())


def test_variance_of_many_rows_is_that_of_its_twin():
    q = np.random.RandomState(0).uniform(0.2, 3.0, 300)
    table = np.tile([0.0, 1.0], (300, 1))
    chances = np.column_stack([1 - q / 4, q / 4])
    plan = make_plan(table, chances, 0.25)
    order = drawn_orders(plan, 150, 1)[0]
    spread, _ = variance_factors(plan, order)
    survival, expected = np.ones(300), np.zeros(300)
    for m in range(1, 151):
        left = 1 - plan.probabilities[order[: m - 1]].sum()
        weight = 2 * 150 / ((300 - m) * (301 - m))
        expected += weight**2 * survival * left / plan.probabilities / 2
        survival *= 1 - plan.probabilities / left
    np.testing.assert_allclose(spread, expected, rtol=1e-3)


def test_before_there_are_two_labels_anything_possible_is_possible():
    test, rows = begun(1)
    assert (test.estimate().low, test.estimate().high) == (0, 1)
    assert np.isnan(test.estimate().value)
    test.teach(POOL[rows], ANSWERS[rows])
    found = test.estimate()
    assert found.n_labels == 1
    assert 0.99 < found.high - found.low < 1


def test_two_models_are_compared():
    other = GaussianNB().fit(X[:60, 1:2], NAMES[:60])
    other = make_pipeline(Column(), other)
    test, rows = begun(90, (MODEL, other))
    found = test.teach(POOL[rows], ANSWERS[rows]).estimate()
    difference = ERROR - np.mean(other.predict(POOL) != ANSWERS)
    assert found.low <= difference <= found.high < 0
    differ = MODEL.predict(POOL) != other.predict(POOL)
    assert np.mean(differ[rows]) > 1.5 * np.mean(differ)
    same, rows = begun(5, (MODEL, MODEL))
    found = same.teach(POOL[rows], ANSWERS[rows]).estimate()
    assert (found.value, found.low, found.high) == (0, 0, 0)


class Column(TfidfVectorizer):
    """Keeps the second column."""

    def transform(self, X):
        return np.asarray(X)[:, 1:2]

    def __sklearn_is_fitted__(self):
        return True


def is_right(y_true, y_pred):
    return (y_true == y_pred).astype(float)


@pytest.mark.parametrize("always_valid", [False, True])
def test_accuracy_is_one_less_the_error(always_valid):
    (error, rows), (accuracy, same) = begun(40), begun(40, loss=is_right)
    np.testing.assert_array_equal(same, rows)
    for test in (error, accuracy):
        test.teach(POOL[rows], ANSWERS[rows])
    mine, other = (
        test.estimate(always_valid=always_valid) for test in (error, accuracy)
    )
    np.testing.assert_allclose(
        [1 - other.value, 1 - other.high, 1 - other.low],
        [mine.value, mine.low, mine.high],
    )


def cost(y_true, y_pred):
    return 3.0 * ((y_true == "yes") & (y_pred == "no"))


def test_own_loss():
    test, rows = begun(100, loss=cost)
    test = pickle.loads(pickle.dumps(test)).teach(POOL[rows], ANSWERS[rows])
    truth = np.mean(cost(ANSWERS, MODEL.predict(POOL)))
    found = test.estimate()
    assert found.low < truth < found.high < found.low + 0.5
    test.teach(POOL[rest := test.query(POOL, limit=None)], ANSWERS[rest])
    assert test.estimate().value == pytest.approx(truth)


@pytest.fixture
def few_trees(monkeypatch):
    """Have the default surrogate be trained quickly."""
    for kind in (ExtraTreesClassifier, RandomForestClassifier):
        monkeypatch.setattr(f"sklearn.ensemble.{kind.__name__}", partial(kind, 9))


@pytest.mark.usefixtures("few_trees")
def test_texts_go_to_the_surrogate_as_the_last_step_sees_them():
    texts = [f"{'good' if y else 'bad'} {i % 7} film {i}" for i, y in enumerate(Y)]
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    model.fit(texts[:20], NAMES[:20])
    test = ActiveTest(model, labelled=(texts[:20], NAMES[:20]), random_state=0)
    rows = test.query(texts[20:], limit=30)
    test.teach([texts[20 + row] for row in rows], NAMES[20 + rows])
    found = test.estimate()
    assert found.n_labels == 30
    assert found.low <= np.mean(model.predict(texts[20:]) != NAMES[20:]) <= found.high


def test_a_learner_brings_its_labelled_rows():
    learner = MinMarginClassifier(budget=40, random_state=0)
    learner.fit(X[:60], NAMES[:60])
    rows = learner.queried_indices_
    chosen = {"surrogate": GaussianNB(), "random_state": 0}
    test = ActiveTest(learner, **chosen)
    bought = test.query(POOL, limit=30)
    told = ActiveTest(learner.estimator_, labelled=(X[rows], NAMES[rows]), **chosen)
    np.testing.assert_array_equal(told.query(POOL, limit=30), bought)
    learner.teach(X[:60], np.where(Y[:60], "no", "yes"))  # the test is of what was
    for each in (test, told):
        each.teach(POOL[bought], ANSWERS[bought])
    assert test.estimate() == told.estimate()


@pytest.mark.usefixtures("few_trees")
def test_a_class_with_one_labelled_row_is_left_to_chance():
    labels = NAMES[:60].copy()
    labels[0] = "rare"
    test, rows = begun(10, labelled=(X[:60], labels))
    answers = ANSWERS[rows]
    answers[0] = "never seen"  # a mistake, whatever it is
    test.teach(POOL[rows], answers)
    assert test.estimate().value > 0
    names = [name for name, _ in default_surrogate(3, False).estimators]
    assert names == ["logistic", "forest", "trees", "svm"]


UNSURE = DummyClassifier(strategy="most_frequent").fit(X[:60], NAMES[:60])


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"mix": 0}, ValueError, "mix == 0, must be > 0"),
        ({"mix": 1.5}, ValueError, "mix == 1.5, must be <= 1"),
        ({"loss": "hinge"}, ValueError, "loss must be one of"),
        ({"loss": lambda y, p: 1.0}, ValueError, "returned an array of shape"),
        ({"loss": lambda y, p: np.log(y == p)}, ValueError, "-inf for row 0"),
        ({"model": "x"}, TypeError, "model must be a classifier"),
        ({"model": LogisticRegression()}, NotFittedError, "not fitted"),
        ({"model": (MODEL,) * 3}, ValueError, "one classifier or two, got 3"),
        ({"model": UNSURE, "loss": "log_loss"}, ValueError, "inf for row 0. The log"),
        (
            {"model": LinearSVC().fit(X, Y)},
            TypeError,
            "needs an estimator with predict_proba, .* Pass labelled rows",
        ),
        (
            {"model": LinearSVC().fit(X, Y), "loss": "log_loss"},
            TypeError,
            "this loss needs an estimator with predict_proba",
        ),
        ({"labelled": (X[:9], Y[:9])}, ValueError, "labelled contains labels of types"),
        ({"labelled": (X[:9], NAMES[:8])}, ValueError, "inconsistent numbers"),
        ({"labelled": (X[:2], ["no", "yes"])}, ValueError, "two rows of each of two"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_bad_parameters(params, error, message):
    test = ActiveTest(**{"model": MODEL, **params})
    with pytest.raises(error, match=message):
        test.query(POOL)
    assert test.n_queries_ == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda test: test.query(POOL, limit=-1), "limit == -1"),
        (lambda test: test.query(POOL[::-1]), "X is not the pool"),
        (lambda test: test.query(POOL[:-1]), "X is not the pool"),
        (lambda test: test.teach(X[:1], ["no"]), "Row 0 of X is not pending"),
        (lambda test: test.teach(POOL[rows_of(test)[[0, 0]]], ["no"] * 2), "Row 1 of"),
        (lambda test: test.teach(POOL[rows_of(test)], ["no"]), "inconsistent numbers"),
        (lambda test: test.teach(POOL[rows_of(test)[:1]], [1]), "labels of types"),
        (lambda test: test.teach(POOL[rows_of(test)[:1]], [None]), "y"),
        (lambda test: test.skip(X[:1]), "Row 0 of X is not pending"),
        (lambda test: test.estimate(1.0), "confidence == 1.0"),
    ],
)
def test_bad_calls_change_nothing(call, message):
    test, _ = begun()
    before = dict(vars(test))
    with pytest.raises(ValueError, match=message):
        call(test)
    assert vars(test) == before


def rows_of(test):
    return test.pending(POOL)


def test_refusals_elsewhere():
    with pytest.raises(ValueError, match="call `query` first"):
        ActiveTest(MODEL).estimate()
    with pytest.raises(ValueError, match="0 sample"):
        ActiveTest(MODEL).query(POOL[:0])
    with pytest.raises(TypeError, match="always_valid must be True or False"):
        begun()[0].estimate(always_valid=1)
    test, rows = begun(2, loss="log_loss")
    with pytest.raises(ValueError, match=r"y\[1\] = 'new' is not one of the classes"):
        test.teach(POOL[rows], ["no", "new"])
    test, rows = begun(1, loss=lambda y, p: np.where(y == "new", 9.0, y != p))
    with pytest.raises(
        ValueError, match=r"The loss of row 0 for its label .new. is outside"
    ):
        test.teach(POOL[rows], ["new"])
    one = DummyClassifier().fit(X[:5], ["no"] * 5)
    with pytest.raises(ValueError, match="Only one class is known, 'no'"):
        ActiveTest(one).query(POOL)
