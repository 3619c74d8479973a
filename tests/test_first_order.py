"""The first-order samplers against their numpy twin, and what the papers say."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    MarginLossClassifier,
    RandomSamplingClassifier,
)
from sklearn_activelearn.losses import MarginLoss
from sklearn_activelearn.stream import InverseMarginRule, PerceptronUpdate
from sklearn_activelearn.stream._base import StreamClassifier
from tests.learners import LINEAR_STREAM_LEARNERS, each, explores
from tests.reference import first_order as twin
from tests.tools import fresh, state

RULES = {
    "DKM": (DKMClassifier(R=2), lambda d: twin.dkm(R=2)),
    "DKM uniform": (
        DKMClassifier(R=3, threshold="uniform"),
        lambda d: twin.dkm(R=3, threshold=d**-0.5),
    ),
    "DKM 0.8": (
        DKMClassifier(R=1, threshold=0.8),
        lambda d: twin.dkm(R=1, threshold=0.8),
    ),
    "CBGZ": (CBGZClassifier(b=0.3), lambda d: twin.cbgz(b=0.3)),
    "CBGZ adaptive": (
        CBGZClassifier(b="adaptive", eta0=5.0),
        lambda d: twin.cbgz_adaptive(),
    ),
    "random": (RandomSamplingClassifier(rate=0.4), lambda d: twin.random(rate=0.4)),
}
each_rule = pytest.mark.parametrize("rule", RULES)
each_update = pytest.mark.parametrize("update", ["perceptron", "dkm"])
flags = st.booleans()


def gaussian_stream(seed, n_classes, n_rows=60, n_features=5, scale=1.0):
    """Rows whose margins lie nowhere near a threshold."""
    rng = np.random.RandomState(seed)
    X = scale * rng.standard_normal((n_rows, n_features))
    scores = X @ rng.standard_normal((n_features, n_classes))
    noise = scale * rng.standard_normal(scores.shape)
    return X, (scores + noise).argmax(axis=1)


def run_twin(learner, rule, X, codes, n_classes, classes=None):
    """Run the twin with the parameters of a learner, and with its coins."""
    n_dims = X.shape[1] + learner.fit_intercept
    return twin.run(
        X, codes, n_classes, RULES[rule][1](n_dims), update=learner.update,
        seeds=learner.update == "dkm" or isinstance(learner, DKMClassifier),
        eta=learner.eta0, normalize=learner.normalize,
        fit_intercept=learner.fit_intercept, average=learner.average,
        seed=learner._coin_seed,
        budget=np.inf if learner.budget is None else learner.budget,
        patience=np.inf if learner.patience is None else learner.patience,
        classes=classes,
    )  # fmt: skip


def weights_of(learner):
    """Return the twin's weights as the learner states them.

    A normalised row with an intercept is [x / |x|, 1] / sqrt(2); the learner
    keeps the root in its weights.
    """
    root = np.sqrt(2) if learner.normalize and learner.fit_intercept else 1.0
    W = root * learner.coef_
    if learner.fit_intercept:
        W = np.column_stack([W, root * learner.intercept_])
    else:
        assert not learner.intercept_.any()
    return W if len(W) > 1 else np.concatenate([-W, W])


@each_rule
@each_update
@given(
    seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 4),
    scale=st.sampled_from([0.1, 1.0, 30.0]), eta0=st.sampled_from([0.25, 1.0, 3.0]),
    normalize=flags, fit_intercept=flags, average=flags,
    budget=st.sampled_from([None, 9]), patience=st.sampled_from([None, 5]),
)  # fmt: skip
def test_twin(rule, update, seed, n_classes, scale, **params):
    X, codes = gaussian_stream(seed, n_classes, scale=scale)
    if not params["fit_intercept"]:
        X[seed % 7] = 0.0  # with an intercept its margin could be an exact tie
    learner = fresh(RULES[rule][0], random_state=seed, update=update, **params)
    learner.partial_fit(X, codes, classes=np.arange(n_classes))
    expected = run_twin(learner, rule, X, codes, n_classes)
    assert learner.queried_indices_.tolist() == expected["bought"]
    assert learner.n_queries_ == len(expected["bought"])
    assert learner.n_updates_ == expected["n_updates"]
    assert learner.n_seen_ == len(X)
    size = np.abs(expected["W"]).max()
    np.testing.assert_allclose(weights_of(learner), expected["W"], atol=1e-10 * size)
    if isinstance(learner, DKMClassifier):
        assert learner.threshold_ == pytest.approx(expected["memory"]["s"], rel=1e-12)


@each_update
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 4), average=flags)
def test_taught_rows_weigh_one(update, seed, n_classes, average):
    X, codes = gaussian_stream(seed, n_classes)
    learner = fresh(DKMClassifier(), update=update, average=average)
    learner.teach(X, codes, classes=np.arange(n_classes))
    all_bought = twin.run(
        X, codes, n_classes, twin.random(rate=1.0), update=update, seeds=True, eta=1.0,
        normalize=True, fit_intercept=True, average=average, seed=0,
    )  # fmt: skip
    np.testing.assert_allclose(weights_of(learner), all_bought["W"], atol=1e-10)


def test_coins_are_splitmix64():
    # the first outputs of the public reference implementation for this seed
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    coins = [twin.uniform(1234567, t) for t in range(3)]
    assert coins == [(number >> 11) / 2**53 for number in published]

    X, y = np.ones((2000, 1)), np.arange(2000) % 2
    learner = RandomSamplingClassifier(rate=0.3, random_state=0).partial_fit(
        X, y, [0, 1]
    )
    coins = np.array([twin.uniform(learner._coin_seed, t) for t in range(2000)])
    np.testing.assert_array_equal(learner.queried_indices_, np.flatnonzero(coins < 0.3))
    assert 0.27 < len(learner.queried_indices_) / 2000 < 0.33


@given(seed=st.integers(0, 2**32 - 1))
def test_reported_probabilities(seed):
    X, codes = gaussian_stream(seed, 3)
    params = {"average": False, "random_state": seed}
    learner = CBGZClassifier(b=0.7, **params).fit(X, codes)
    ranked = np.sort(learner.decision_function(X), axis=1)
    margin = (ranked[:, -1] - ranked[:, -2]) / 2
    rows, probabilities = learner.query(X, return_probability=True)
    np.testing.assert_allclose(probabilities, 0.7 / (0.7 + margin[rows]), rtol=1e-12)

    learner = DKMClassifier(**params).fit(X, codes)
    ranked = np.sort(learner.decision_function(X), axis=1)
    margin = (ranked[:, -1] - ranked[:, -2]) / 2
    rows, probabilities = learner.query(X, return_probability=True)
    assert np.all(probabilities == 1)
    assert rows.tolist() == np.flatnonzero(margin <= learner.threshold_).tolist()

    learner = RandomSamplingClassifier(rate=0.7, **params).fit(X, codes)
    assert set(learner.query(X, return_probability=True)[1]) == {0.7}


def answer(query):
    """Teach what a query buys."""

    def call(learner, X, y):
        rows = query(learner, X)
        learner.teach(X[rows], y[rows])

    return call


def assign_for_a_call(name, value):
    """Assign a parameter for one call."""

    def call(learner, X, y):
        before = getattr(learner, name)
        setattr(learner, name, value)
        try:
            learner.partial_fit(X, y)
        finally:
            setattr(learner, name, before)

    return call


def fit_all(change_rows=lambda X: X, change_labels=lambda y: y):
    """Learn rows and labels in another form."""
    return lambda learner, X, y: learner.partial_fit(change_rows(X), change_labels(y))


def with_nan(X):
    return np.vstack([X[:-1], np.full_like(X[:1], np.nan)])


#: Calls with few rows, some of them wrong, and what may happen between them.
CALLS = {
    "one row": lambda learner, X, y: learner.partial_fit(X[:1], y[:1]),
    "rows": fit_all(),
    "more rows": lambda learner, X, y: learner.partial_fit(
        np.tile(X, (70, 1)), np.tile(y, 70)
    ),
    "float32": fit_all(lambda X: X.astype(np.float32)),
    "integers": fit_all(lambda X: X.astype(int)),
    "big-endian": fit_all(lambda X: X.astype(">f8")),
    "columns": fit_all(np.asfortranarray),
    "CSR": fit_all(csr_array),
    "lists": fit_all(np.ndarray.tolist, np.ndarray.tolist),
    "list of labels": fit_all(change_labels=np.ndarray.tolist),
    "objects": fit_all(change_labels=lambda y: y.astype(object)),
    "classes": lambda learner, X, y: learner.partial_fit(X, y, learner.classes_),
    "other classes": lambda learner, X, y: learner.partial_fit(X, y, [7, 8]),
    "NaN": fit_all(with_nan),
    "overflow": fit_all(lambda X: X * 1e300),
    "no rows": fit_all(lambda X: X[:0], lambda y: y[:0]),
    "another feature": fit_all(lambda X: np.c_[X, X]),
    "too few labels": fit_all(change_labels=lambda y: y[1:]),
    "unknown label": fit_all(change_labels=lambda y: np.append(y[1:], 77)),
    "label that is no label": fit_all(change_labels=lambda y: [{}, *y[1:]]),
    "query": answer(lambda learner, X: learner.query(X)),
    "request": lambda learner, X, y: learner.query(X),
    "refund": lambda learner, X, y: learner.skip(refund=True),
    "set_params": lambda learner, X, y: learner.set_params(
        budget=learner.n_queries_ + 2
    ),
    "patience": lambda learner, X, y: setattr(learner, "patience", 9),
    "average": assign_for_a_call("average", 2),
    "budget": assign_for_a_call("budget", -1),
    "less budget": assign_for_a_call("budget", 3),
    "attribute": assign_for_a_call("_n_refunded", 2),
}
FIRST_ORDER = [
    row for row in LINEAR_STREAM_LEARNERS if isinstance(row, StreamClassifier)
]


def outcome(call, *arguments):
    """Make a call; return the error, in words."""
    try:
        call(*arguments)
    except (ValueError, TypeError) as error:
        return repr(error)
    return None


@pytest.mark.filterwarnings("ignore::sklearn_activelearn.exceptions.OneClassWarning")
@each(FIRST_ORDER if explores() else FIRST_ORDER[::3] + FIRST_ORDER[-2:])
@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 3),
    calls=st.lists(st.sampled_from(sorted(CALLS)), min_size=4, max_size=12),
)
def test_a_call_goes_on_where_the_last_one_ended(prototype, seed, n_classes, calls):
    X, y = gaussian_stream(seed, n_classes, n_rows=4 * 20 + 4)
    learner, earlier = fresh(prototype), []
    learner.partial_fit(X[-4:], y[-4:], classes=range(n_classes))
    unpickled = pickle.loads(pickle.dumps(learner))
    for k, name in enumerate(["one row", "rows", *calls, "rows", "one row"]):
        rows = slice(4 * k, 4 * k + 4)
        earlier.append((copy.copy(learner), state(learner)))
        unpickled = pickle.loads(pickle.dumps(unpickled))  # no kept state
        errors = [
            outcome(CALLS[name], each, X[rows], y[rows])
            for each in (learner, unpickled)
        ]
        assert errors[0] == errors[1]
        assert state(learner) == state(unpickled)
        np.testing.assert_array_equal(
            learner.queried_indices_, unpickled.queried_indices_
        )
    for each_one, before in earlier:
        assert state(each_one) == before


class ChangingLoss(MarginLoss):
    """A loss with a number that can change."""

    parameters = ("width",)

    def __init__(self, width=1.0):
        self.width = width

    def value(self, z):
        return np.maximum(1 - z / self.width, 0)

    def derivative(self, z):
        return np.where(z < self.width, -1 / self.width, 0.0)


class ChangingClassifier(StreamClassifier):
    """A learner whose rule follows a number that is no parameter."""

    b = 0.01

    def _make_rules(self):
        return InverseMarginRule(self.b), PerceptronUpdate()


@pytest.mark.parametrize(
    ("learner", "change"),
    [
        (
            CBGZClassifier(5.0, class_weight={0: 1.0}),
            lambda learner: learner.class_weight.update({0: 9.0}),
        ),
        (
            MarginLossClassifier(ChangingLoss()),
            lambda learner: setattr(learner.loss, "width", 9.0),
        ),
        (ChangingClassifier(), lambda learner: setattr(learner, "b", 9.0)),
    ],
)
def test_a_change_inside_a_parameter_has_an_effect(learner, change):
    X, y = gaussian_stream(1, 2)
    learner = copy.deepcopy(fresh(learner)).partial_fit(X[:1], y[:1], classes=[0, 1])
    unpickled, unchanged = (pickle.loads(pickle.dumps(learner)) for _ in range(2))
    for k in range(1, 60):
        unpickled = pickle.loads(pickle.dumps(unpickled))
        if k == 20:
            change(learner)
            change(unpickled)
        for each_one in (learner, unpickled, unchanged):
            each_one.partial_fit(X[[k]], y[[k]])
    assert state(learner) == state(unpickled)
    assert state(learner)["_learned"] != state(unchanged)["_learned"]


def test_nobody_writes_into_the_weights_of_a_learner():
    X, codes = gaussian_stream(0, 2)
    learner = CBGZClassifier(average=False, random_state=0)
    learner.partial_fit(X, codes, classes=[0, 1])
    before = learner.coef_.copy()
    learner.coef_[:] = 0
    np.testing.assert_array_equal(learner.coef_, before)
