"""Class weights of stream learners against their reference, and what they are for."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_activelearn import (
    CBGZClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
)
from sklearn_activelearn.exceptions import OneClassWarning
from sklearn_activelearn.stream import ConstantRule, StreamClassifier, UpdateRule
from tests import test_first_order, test_margin_loss, test_second_order
from tests.learners import STREAM_DEFAULTS, each
from tests.reference.class_weights import ClassWeights
from tests.reference.second_order import gram
from tests.test_first_order import gaussian_stream
from tests.tools import all_verbs, fresh, group_of

flags = st.booleans()
seeds = st.integers(0, 2**32 - 1)
#: Weights of the first and of the second half of four classes.
weightings = st.sampled_from(["balanced", (1.0, 1.0), (0.5, 4.0), (30.0, 0.2)])
#: A seed, a number of classes, their weights, and the limit of a search.
draws = st.tuples(seeds, st.integers(2, 4), weightings, st.sampled_from([0, 5, 1000]))


def rare_stream(seed, n_classes, n_rows=60):
    """Return rows, and labels of which most are of the first class."""
    X, codes = gaussian_stream(seed, n_classes, n_rows=3 * n_rows)
    kept = np.flatnonzero((codes == 0) | (np.arange(3 * n_rows) % 4 == 0))[:n_rows]
    return X[kept], codes[kept]


def weighted(prototype, seed, n_classes, weighting, limit, **params):
    """Return a learner with class weights, and the reference of these."""
    class_weight, given_weights = weighting, weighting
    if weighting != "balanced":
        given_weights = [*(weighting[0],) * 2, *(weighting[1],) * 2][4 - n_classes :]
        class_weight = dict(enumerate(given_weights))
    learner = fresh(prototype, random_state=seed, class_weight=class_weight, **params)
    learner._one_class_limit = limit
    return learner, ClassWeights(n_classes, given_weights, limit)


def check_purchases(learner, expected):
    assert learner.queried_indices_.tolist() == expected["bought"]


def check_predictions(learner, X, scores, thresholds):
    """Compare decision values with scores by one vector a class, less thresholds."""
    expected = scores - thresholds
    found = learner.decision_function(X)
    if found.ndim == 1:
        expected = (expected[:, 1] - expected[:, 0]) / 2
    size = max(1, np.abs(expected).max())
    np.testing.assert_allclose(found, expected, atol=1e-9 * size)


def check_linear(learner, X, expected, thresholds):
    """Compare a learner with weights of its twin."""
    check_purchases(learner, expected)
    rows = [
        test_first_order.twin.build_row(x, learner.normalize, learner.fit_intercept)
        for x in X
    ]
    check_predictions(learner, X, rows @ expected["W"].T, thresholds)


@test_first_order.each_rule
@test_first_order.each_update
@given(drawn=draws, normalize=flags, fit_intercept=flags, average=flags)
def test_rules_of_mistakes(rule, update, drawn, **params):
    X, codes, n = *rare_stream(*drawn[:2]), drawn[1]
    learner, classes = weighted(
        test_first_order.RULES[rule][0], *drawn, update=update, **params
    )
    learner.partial_fit(X, codes, classes=np.arange(n))
    expected = test_first_order.run_twin(learner, rule, X, codes, n, classes)
    check_linear(learner, X, expected, classes.thresholds(3, params["average"]))


@given(
    drawn=draws,
    loss=test_margin_loss.losses,
    learning_rate=st.sampled_from(["constant", "invscaling", "adaptive"]),
    n_warm_start=st.sampled_from([0, 4]),
    m=st.sampled_from([0, 0, 1, 3]),
    normalize=flags,
    fit_intercept=flags,
    average=flags,
)
def test_margin_losses(drawn, n_warm_start, m, **params):
    X, codes, n = *rare_stream(*drawn[:2]), drawn[1]
    prototype = MarginLossClassifier(n_warm_start=n_warm_start)
    learner, classes = weighted(
        GreedyOnlineClassifier(m=m) if m else prototype, *drawn, **params
    )
    learner.partial_fit(X, codes, classes=np.arange(n))
    q = {"q": None} if m else {}
    expected = test_margin_loss.run_twin(learner, X, codes, n, classes=classes, **q)
    check_linear(learner, X, expected, classes.thresholds(1, params["average"]))


@test_second_order.each_rule
@given(
    drawn=draws,
    kernel=st.sampled_from(["linear", "linear", "rbf"]),
    solver=st.sampled_from(["auto", "dual", "primal", "coordinate_descent"]),
    max_stored=st.sampled_from([None, None, 6]),
    normalize=flags,
    fit_intercept=flags,
)
def test_second_order_rules(rule, drawn, kernel, solver, max_stored, **params):
    X, codes, n = *rare_stream(*drawn[:2], n_rows=40), drawn[1]
    K, model, forms = X @ X.T, None, {"kernel": kernel, "gamma": 0.2}
    if kernel == "rbf":
        squares, solver = K.diagonal(), "auto"
        K = np.exp(-0.2 * (squares[:, None] + squares - 2 * K))
    if solver in ("auto", "dual"):
        forms["max_stored"] = max_stored
    prototype = test_second_order.RULES[rule][0]
    learner, classes = weighted(prototype, *drawn, solver=solver, **forms, **params)
    learner.partial_fit(X, codes, classes=np.arange(n))
    if solver == "coordinate_descent":
        model = test_second_order.descent_model(learner, X, codes, n, every=1)
    expected = test_second_order.run_twin(
        learner, rule, K, codes, n, X.shape[1], classes, model
    )
    check_purchases(learner, expected)
    G = model.G if model else gram(K, params["normalize"], params["fit_intercept"])
    scores = G[:, expected["held"]] @ expected["alpha"]
    check_predictions(learner, X, scores, classes.thresholds(0))


def test_probabilities_follow_the_predictions():
    X, codes = rare_stream(3, 2, n_rows=120)
    learner = RLSSamplingClassifier(class_weight="balanced", random_state=0)
    learner.fit(X, codes)
    likely = learner.predict_proba(X)[:, 1] > 0.5
    np.testing.assert_array_equal(likely, learner.predict(X) == 1)


@each([row for row in STREAM_DEFAULTS if group_of(row) == 1])
def test_every_row_is_bought_until_a_second_class_is_known(prototype):
    X, _ = gaussian_stream(0, 2, n_rows=40)
    codes = (np.arange(40) >= 20).astype(int)
    for limit in (7, 30):
        learner = fresh(prototype, shuffle=False, class_weight="balanced")
        learner._one_class_limit = limit
        learner.fit(X, codes)
        n = min(limit, 21)
        assert learner.queried_indices_[:n].tolist() == list(range(n))


def test_chunks_are_bought_whole_until_a_second_class_is_known():
    X, _ = gaussian_stream(0, 2, n_rows=40)
    learner = CBGZClassifier(1e-9, class_weight="balanced")
    learner._one_class_limit = 9
    assert learner.query(X).tolist() == [0]  # nothing is known yet
    learner.teach(X[:1], [0], classes=[0, 1])
    assert learner.query(X[1:]).tolist() == list(range(8))


class HalfUpdate(UpdateRule):
    """A rule of one's own."""

    def step(self, z, squared_norm, probability, clock):
        return 0.5


class FreeUpdate(HalfUpdate):
    """The same, if only ratios of steps count."""

    scale_free = True


@pytest.mark.parametrize(
    ("update", "step"), [(HalfUpdate(), 0.5 * 10), (FreeUpdate(), 0.5 * 20 / 40)]
)
def test_rules_of_ones_own_are_weighed(update, step):
    class OwnClassifier(StreamClassifier):
        def _make_rules(self):
            return ConstantRule(1.0), update

    learner = OwnClassifier(class_weight={0: 20.0, 1: 40.0}, normalize=False)
    learner.partial_fit(np.array([[2.0]]), [0], classes=[0, 1])
    assert learner.coef_.tolist() == [[-2.0 * step]]


BAD_WEIGHTS = [
    ("equal", ValueError, "must be None, 'balanced' or a dict .* got 'equal'"),
    (3.0, TypeError, "class_weight must be None, 'balanced' or a dict"),
    ({0: 1.0, 1: 0.0}, ValueError, r"class_weight\[1\] == 0.0, must be > 0"),
    ({0: -2}, ValueError, r"class_weight\[0\] == -2, must be > 0"),
    ({1: np.nan}, ValueError, r"class_weight\[1\] must be finite, got nan"),
    ({0: 1, "x": 2}, ValueError, "class_weight has 'x', which is not one of"),
    ({0: "a"}, TypeError, r"class_weight\[0\]"),
    ({0: True}, TypeError, r"class_weight\[0\]"),
]


@pytest.mark.parametrize(("class_weight", "error", "words"), BAD_WEIGHTS)
def test_bad_weights(class_weight, error, words):
    X, codes = gaussian_stream(0, 2)
    for prototype in STREAM_DEFAULTS:
        learner = fresh(prototype, class_weight=class_weight)
        fit, partial_fit, _, *others = all_verbs(learner, X, codes, [0, 1])
        for call in (fit, partial_fit, *others):
            with pytest.raises(error, match=words):
                call()
        assert not hasattr(learner, "classes_")


def rare_problem(share, n_rows, seed=0):
    """Return rows in which a share is positive, and which these are."""
    rng = np.random.default_rng(seed)
    y = (rng.uniform(size=n_rows) < share).astype(int)
    X = rng.standard_normal((n_rows, 8))
    X[:, :3] += 1.7 * y[:, None]
    return X, y


class TestWarning:
    def one_class(self):
        return CBGZClassifier(random_state=0), *rare_problem(0.01, 2_000)

    def test_once_a_call(self):
        learner, X, y = self.one_class()
        with pytest.warns(OneClassWarning) as caught:
            learner.fit(X, y)
        assert len(caught) == 1
        assert "predicted '0' for each of the last" in str(caught[0].message)
        assert "class_weight='balanced'" in str(caught[0].message)
        assert caught[0].filename == __file__
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for row, label in zip(X[:9], y[:9], strict=True):
                learner.partial_fit([row], [label])
        # Python shows a text once
        assert len(caught) == 9
        assert len({str(each.message) for each in caught}) == 1

    @pytest.mark.parametrize(
        "call",
        [
            lambda learner, X, y: learner.partial_fit(X, y),
            lambda learner, X, y: learner.learn(X, lambda rows: y[rows]),
            lambda learner, X, y: learner.query(X),
        ],
        ids=["partial_fit", "learn", "query"],
    )
    def test_from_every_verb_that_goes_on(self, call):
        learner, X, y = self.one_class()
        with pytest.warns(OneClassWarning):
            learner.fit(X, y)
        with pytest.warns(OneClassWarning) as caught:
            call(learner, X[:9], y[:9])
        assert len(caught) == 1

    def check_after(self, n_alike, n_labels, n_seen):
        """Return the warnings of a learner that has predicted 0 for this many rows."""
        learner = CBGZClassifier(random_state=0).fit([[0.0], [1.0]], [0, 1])
        counts = learner._learned.counts._replace(
            n_alike=n_alike, n_seen=n_seen, last_guess=0
        )
        sums = learner._learned.class_sums
        sums = sums._replace(n_labels=np.array(n_labels, sums.n_labels.dtype))
        learner._learned = learner._learned._replace(counts=counts, class_sums=sums)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            learner.query(np.empty((0, 1)))
        return len(caught)

    @pytest.mark.parametrize(
        ("n_alike", "n_labels", "n_seen", "n_warnings"),
        [
            (1_000, (50, 1), 4_000, 1),
            (999, (50, 1), 3_000, 0),
            (1_000, (50, 1), 4_001, 0),
            (200, (50, 1), 266, 1),
            (200, (50, 1), 267, 0),
            (199, (50, 1), 199, 0),
            (200, (50, 30), 2_000, 1),
            (200, (50, 29), 2_000, 0),
            (199, (50, 40), 1_990, 0),
            (200, (50, 50), 2_001, 0),
            (300, (50, 0), 300, 0),
        ],
    )
    def test_limits(self, n_alike, n_labels, n_seen, n_warnings):
        assert self.check_after(n_alike, n_labels, n_seen) == n_warnings

    def test_rls_that_stops_with_one_class(self):
        X, _ = rare_problem(0.5, 3_000)
        learner = RLSSamplingClassifier(1_000.0, random_state=0)
        words = "stopped asking before it was taught a label of another"
        with pytest.warns(OneClassWarning, match=words):
            learner.partial_fit(X, np.arange(3_000) >= 2_990, classes=[False, True])

    def test_not_while_one_class_is_asked_for(self):
        X, _ = rare_problem(0.5, 3_000)
        y = np.zeros(3_000, dtype=int)
        RandomSamplingClassifier(random_state=0).partial_fit(X, y, classes=[0, 1])
