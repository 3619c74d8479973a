"""The margin-loss learners against their slow references, and their step lengths."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning

from sklearn_activelearn import GreedyOnlineClassifier, MarginLossClassifier
from sklearn_activelearn.evaluation import label_curve
from sklearn_activelearn.losses import (
    LOSSES,
    LogRampLoss,
    MarginLoss,
    RampLoss,
    RootRampLoss,
    SmoothHingeLoss,
    SmoothRampLoss,
    make_loss,
)
from tests.reference import margin_loss as twin
from tests.test_first_order import gaussian_stream, weights_of
from tests.tools import frozen, state

flags = st.booleans()
losses = st.sampled_from(sorted(LOSSES))
#: Those that do not buy everything.
SELECTIVE = ["log_ramp", "ramp", "root_ramp", "sigmoid", "smooth_ramp"]
SHAPED = [
    RampLoss(t=1.7), LogRampLoss(t=1.7), RootRampLoss(t=1.7, s=0.2),
    SmoothHingeLoss(h=1.0), SmoothRampLoss(t=1.7, h=0.25),
]  # fmt: skip


def inverse_margin(margins):
    return 0.5 / (0.5 + margins)


def run_twin(learner, X, codes, n_classes, q="tight", classes=None):
    """Run the twin with the parameters of a learner, and with its coins."""
    loss = make_loss(learner.loss)
    _, slope = twin.curves(loss.name, **loss.get_params())
    adaptive = learner.learning_rate == "adaptive"
    return twin.run(
        X, codes, n_classes, slope, twin.tight(slope) if q == "tight" else q,
        eta=twin.margin_gain(slope) if adaptive else learner.eta0, adaptive=adaptive,
        power=0.5 if learner.learning_rate == "invscaling" else 0.0,
        n_warm_start=getattr(learner, "n_warm_start", 0), m=getattr(learner, "m", 1),
        normalize=learner.normalize, fit_intercept=learner.fit_intercept,
        average=learner.average, seed=learner._coin_seed,
        budget=np.inf if learner.budget is None else learner.budget,
        patience=np.inf if learner.patience is None else learner.patience,
        classes=classes,
    )  # fmt: skip


def check_twin(learner, X, codes, n_classes, **kwargs):
    learner.partial_fit(X, codes, classes=np.arange(n_classes))
    expected = run_twin(learner, X, codes, n_classes, **kwargs)
    assert learner.queried_indices_.tolist() == expected["bought"]
    size = np.abs(expected["W"]).max()
    np.testing.assert_allclose(weights_of(learner), expected["W"], atol=1e-10 * size)
    assert learner.n_updates_ == np.count_nonzero(expected["weights"])


shared = {
    "seed": st.integers(0, 2**32 - 1), "n_classes": st.integers(2, 4),
    "scale": st.sampled_from([0.1, 1.0, 10.0]),
    "loss": losses | st.sampled_from(SHAPED), "eta0": st.sampled_from([0.01, 0.3, 2.0]),
    "learning_rate": st.sampled_from(["constant", "invscaling", "adaptive"]),
    "normalize": flags, "fit_intercept": flags, "average": flags,
    "budget": st.sampled_from([None, 9]),
}  # fmt: skip


@given(
    patience=st.sampled_from([None, 5]), n_warm_start=st.sampled_from([0, 4]), **shared
)
def test_twin(seed, n_classes, scale, **params):
    X, codes = gaussian_stream(seed, n_classes, scale=scale)
    learner = MarginLossClassifier(random_state=seed, **params)
    check_twin(learner, X, codes, n_classes)


@given(m=st.integers(1, 7), **shared)
def test_greedy_twin(seed, n_classes, scale, **params):
    X, codes = gaussian_stream(seed, n_classes, scale=scale)
    learner = GreedyOnlineClassifier(random_state=seed, **params)
    check_twin(learner, X, codes, n_classes, q=None)


@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 4), loss=losses)
def test_twin_with_a_probability_of_ones_own(seed, n_classes, loss):
    X, codes = gaussian_stream(seed, n_classes)
    learner = MarginLossClassifier(
        loss, query_probability=inverse_margin, n_warm_start=3, random_state=seed
    )
    check_twin(learner, X, codes, n_classes, q=inverse_margin)


def out_of_range_near_0(margins):
    return np.where((margins > 0) & (margins < 5e-4), 1.5, 1.0)


def broken_near_0(margins):
    if len(margins) == 1 and margins[0] > 0:
        raise OSError("no such margin")
    return np.ones_like(margins)


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (out_of_range_near_0, ValueError, r"query_probability\(.*\) == 1.5"),
        (broken_near_0, OSError, "no such margin"),
    ],
)
@pytest.mark.parametrize("verb", ["fit", "query", "learn"])
def test_a_function_that_fails_where_it_was_not_tried(verb, function, error, words):
    X, codes = gaussian_stream(0, 2)
    near = X[:1] * 1e-9
    learner = MarginLossClassifier(fit_intercept=False, shuffle=False, random_state=0)
    learner.teach(X, codes, classes=[0, 1])
    learner.set_params(query_probability=function)
    before = state(learner)
    calls = {
        "fit": lambda: learner.fit(np.vstack([X, near]), [*codes, 0]),
        "query": lambda: learner.query(np.vstack([X, near])),
        "learn": lambda: learner.learn(near, lambda asked: [0]),
    }
    with pytest.raises(error, match=words):
        calls[verb]()
    assert state(learner) == before


@pytest.mark.parametrize(
    ("n_classes", "probability"), [(2, inverse_margin), (4, "tight")]
)
@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_updates_are_unbiased(loss, probability, n_classes):
    """The sum of many steps, so small that the weights stand still, is the gradient."""
    eta0 = 1e-12
    X, codes = gaussian_stream(1, n_classes, n_rows=8_000, n_features=3)
    learner = MarginLossClassifier(
        loss, eta0=eta0, query_probability=probability, fit_intercept=False,
        average=False, patience=None, random_state=0,
    )  # fmt: skip
    # each row is new to the weights, so each is learned with the slope at 0
    start = np.diag([1.0, -0.7, 0.4]) / eta0
    learner.teach(start, [1, n_classes - 2, n_classes - 1], np.arange(n_classes))
    W = weights_of(learner)
    assert W.any(axis=1).all()
    learner.partial_fit(X, codes)
    moved = (weights_of(learner) - W) / eta0 / len(X)

    scores = X @ W.T
    rows = np.arange(len(X))
    right = scores[rows, codes]
    scores[rows, codes] = -np.inf
    rivals = scores.argmax(axis=1)
    z = (right - scores[rows, rivals]) / 2
    slope = make_loss(loss).derivative(z)
    steps = np.zeros((len(X), *W.shape))
    steps[rows, codes] = -slope[:, None] * X
    steps[rows, rivals] = slope[:, None] * X
    scores[rows, codes] = right
    ranked = np.sort(scores, axis=1)
    margins = (ranked[:, -1] - ranked[:, -2]) / 2
    rule = make_loss(loss).query_probability
    q = (rule if probability == "tight" else probability)(margins)
    variance = steps**2 * (1 / np.maximum(q, 1e-300) - 1)[:, None, None]
    error = np.sqrt(variance.sum(axis=0)) / len(X)
    assert np.abs(steps.mean(axis=0)).max() > 20 * error.max()  # it can tell
    np.testing.assert_array_less(
        np.abs(moved - steps.mean(axis=0)), 4.5 * error + 1e-4 * np.abs(moved).max()
    )


@given(seed=st.integers(0, 2**32 - 1), loss=st.sampled_from(SELECTIVE))
def test_a_late_label(seed, loss):
    """It moves the weights by the present slope over the probability at purchase."""
    X, codes = gaussian_stream(seed, 2)
    learner = MarginLossClassifier(loss, average=False, random_state=seed)
    learner.teach(X, codes, classes=[0, 1])
    rows, q = learner.query(X, return_probability=True)
    assert len(rows) == len(q) == learner.n_pending_
    curve = make_loss(loss)
    margins = np.abs(learner.decision_function(X[rows]))
    np.testing.assert_allclose(q, curve.query_probability(margins), rtol=1e-9)
    learner.teach(X[::-1] + 9, codes)  # others come first
    for row, probability in zip(rows, q, strict=True):
        sign, before = 2 * codes[row] - 1, learner.coef_.copy()
        slope = curve.derivative(sign * learner.decision_function(X[[row]]))
        learner.teach(X[[row]], codes[[row]])
        expected = before - 0.1 * slope / probability * sign * X[row]
        np.testing.assert_allclose(learner.coef_, expected, rtol=1e-9, atol=1e-12)


def test_warm_start_with_labels_that_come_later():
    X, codes = gaussian_stream(0, 2, n_rows=300)
    learner = MarginLossClassifier("sigmoid", n_warm_start=50, random_state=0)
    assert len(learner.query(X[:30])) == 30
    assert len(learner.query(X[30:200])) == 20  # no margin yet to judge the others by
    assert len(learner.query(X[30:200])) <= 1
    learner.teach(X[:50], codes[:50], classes=[0, 1])
    hinge = MarginLossClassifier("hinge").teach(X[:50], codes[:50], classes=[0, 1])
    np.testing.assert_array_equal(learner.coef_, hinge.coef_)
    assert 0 < len(learner.query(X[200:])) < 50

    free = MarginLossClassifier("ramp", n_warm_start=50, random_state=0)
    free.teach(X[:50], codes[:50], classes=[0, 1])  # labels that were there already
    assert len(free.query(X[200:])) < 100


def test_no_probability_is_asked_for_once_the_budget_is_spent():
    X, codes = gaussian_stream(0, 2)
    asked = []

    def certain(margins):
        asked.append(len(margins))
        return np.ones_like(margins)

    learner = MarginLossClassifier(query_probability=certain, budget=3)
    learner.partial_fit(X, codes, classes=[0, 1])
    assert asked.count(1) == 3


def test_a_probability_of_0_where_labels_move_the_weights():
    X, codes = gaussian_stream(0, 2)
    learner = MarginLossClassifier(query_probability=lambda margins: margins < 2)
    with pytest.raises(ValueError, match=r"== 0\.0, but .* LogRamp.* is not flat"):
        learner.fit(X, codes)
    learner.set_params(loss=RampLoss(t=2.0)).fit(X, codes)


def branches(margins):
    return 1.0 if margins < 1 else 0.5


def test_an_error_of_the_function_names_the_parameter():
    X, codes = gaussian_stream(0, 2)
    learner = MarginLossClassifier(query_probability=branches)
    with pytest.raises(ValueError, match="truth value") as caught:
        learner.fit(X, codes)
    assert "query_probability is called with" in caught.value.__notes__[0]


@pytest.mark.parametrize("loss", SELECTIVE)
def test_a_learner_that_falls_silent_warns(loss):
    X, y = load_wine(return_X_y=True)
    learner = MarginLossClassifier(loss, random_state=0)
    message = "Only 1 of 178 labels .* Lower eta0, scale X or set normalize=True"
    with pytest.warns(ConvergenceWarning, match=message):
        learner.fit(X, y)
    with pytest.warns(ConvergenceWarning, match="Only"):
        learner.partial_fit(X, y)
    with pytest.warns(ConvergenceWarning, match="Only"):
        learner.learn(X, lambda rows: y[rows])
    with pytest.warns(ConvergenceWarning, match="Only"):
        label_curve(learner, X, y, at=[1], random_state=0)
    learner.set_params(budget=1).fit(X, y)  # it was told to stop


def adaptive(loss="log_ramp", **params):
    """Return a learner through the origin, with last weights."""
    given_ = {"fit_intercept": False, "average": False, "random_state": 0, **params}
    return MarginLossClassifier(loss, learning_rate="adaptive", **given_)


@pytest.mark.parametrize("loss", sorted(LOSSES))
@given(
    seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 4),
    scale=st.sampled_from([0.01, 1.0, 100.0]), n_warm_start=st.sampled_from([0, 12]),
    normalize=st.booleans(), fit_intercept=st.booleans(),
)  # fmt: skip
def test_adaptive_twin(loss, seed, n_classes, scale, **params):
    X, y = gaussian_stream(seed, n_classes, scale=scale)
    X[::3, 0] = 0
    check_twin(adaptive(loss, random_state=seed, **params), X, y, n_classes)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 4),
    power=st.integers(-40, 40),
    loss=st.sampled_from(sorted(LOSSES)),
)
def test_what_all_rows_are_multiplied_by_does_not_matter(seed, n_classes, power, loss):
    X, y = gaussian_stream(seed, n_classes)
    learner = adaptive(loss, average=True, random_state=seed)
    classes = np.arange(n_classes)
    one = clone(learner).partial_fit(X, y, classes=classes)
    other = learner.partial_fit(X * 4.0**power, y, classes=classes)
    assert one.queried_indices_.tolist() == other.queried_indices_.tolist()
    np.testing.assert_allclose(
        one.decision_function(X), other.decision_function(X * 4.0**power), rtol=1e-9
    )


def test_stored_zeros_are_zeros():
    X, y = gaussian_stream(3, 3)
    X[::2, 0] = X[1::3, 2] = 0
    stored = csr_array(np.where(X == 0, 1.0, X))
    stored.data[X.ravel() == 0] = 0
    assert stored.nnz == X.size
    learner = adaptive(random_state=0)
    dense = clone(learner).partial_fit(X, y, classes=range(3))
    sparse = learner.partial_fit(stored, y, classes=range(3))
    assert dense.queried_indices_.tolist() == sparse.queried_indices_.tolist()
    np.testing.assert_allclose(dense.coef_, sparse.coef_, rtol=1e-10)


def test_the_learning_rate_may_change_on_the_way():
    X, y = gaussian_stream(2, 2)
    learner = adaptive("hinge").partial_fit(X[:20], y[:20], classes=[0, 1])
    scales = learner._learned.details
    learner.set_params(learning_rate="constant").partial_fit(X[20:], y[20:])
    assert learner._learned.details.n_rows == scales.n_rows == 20
    learner.set_params(learning_rate="adaptive").partial_fit(X, y)
    assert learner._learned.details.n_rows == 20 + len(X)
    learner.fit(X, y)
    assert learner._learned.details.n_rows == len(X)


@pytest.mark.parametrize("value", [1e160, 1e300])
def test_rows_whose_squares_overflow_are_refused_before_they_are_paid_for(value):
    X, y = gaussian_stream(0, 2)
    learner = adaptive().partial_fit(X, y, classes=[0, 1])
    before, n_queries = learner.coef_.copy(), learner.n_queries_
    row = np.zeros((1, X.shape[1]))
    row[0, 0] = value
    with pytest.raises(ValueError, match=r"Row 0 of X: .*set normalize=True"):
        learner.teach(row, [1])
    learner = adaptive().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=r"Row 0 of X"):
        learner.set_params(query_probability=np.ones_like).partial_fit(row, [1])
    assert learner.n_queries_ == n_queries
    np.testing.assert_array_equal(learner.coef_, before)
    normalized = adaptive(normalize=True, query_probability=np.ones_like)
    normalized.partial_fit(np.vstack([row, X]), [1, *y], classes=[0, 1])
    assert np.isfinite(normalized.coef_).all()


class CliffLoss(MarginLoss):
    """A hinge whose slope is beyond all bounds on the wrong side of -1/2."""

    def value(self, z):
        return np.maximum(0.0, 1 - z) + 1e290 * np.maximum(0.0, -z - 0.5)

    def derivative(self, z):
        return np.where(z < 1, -1.0, 0.0) - 1e290 * (z < -0.5)


def test_a_row_whose_step_overflows_is_not_learned():
    X, y = np.ones((60, 1)), np.repeat([1, 0], [50, 10])
    learner = adaptive(CliffLoss(), query_probability=np.ones_like)
    with pytest.raises(ValueError, match=r"Row 50 of X: .*overflow"):
        learner.learn(X, lambda rows: y[rows], classes=[0, 1])
    assert learner._learned.details.n_rows == learner.n_taught_ == 50
    assert learner._learned.details.n_present.tolist() == [50]
    before, coef = frozen(learner._learned.details), learner.coef_.copy()
    with pytest.raises(ValueError, match=r"Row 1 of X: .*overflow"):
        learner.teach(X[:2], [1, 0])
    assert frozen(learner._learned.details) == before
    np.testing.assert_array_equal(learner.coef_, coef)


@pytest.mark.parametrize("value", [1e-200, 1e-310, 5e-324])
def test_rows_whose_squares_vanish_teach_nothing(value):
    learner = adaptive("hinge").teach([[value, 0.0]], [1], classes=[0, 1])
    assert not learner.coef_.any()
    assert np.isfinite(learner.teach([[1.0, value]], [1]).coef_).all()
    assert learner._learned.details.n_rows == 1


def test_a_run_that_stops_asking_is_told_what_helps():
    X = np.ones((200, 1))
    learner = adaptive("ramp", average=True)
    learner.teach(X[:60], [1] * 60, classes=[0, 1])
    with pytest.warns(ConvergenceWarning, match="adaptive length.* n_warm_start"):
        learner.partial_fit(X, np.zeros(200, dtype=int))
    assert learner.n_queries_ == 0
