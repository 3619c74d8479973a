"""Margin losses: values, slopes, and custom losses in Python."""

import pickle
import signal
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from sklearn_activelearn import (
    BatchMarginLossClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    losses,
)
from sklearn_activelearn.losses import (
    HingeLoss,
    LogRampLoss,
    MarginLoss,
    RampLoss,
    make_loss,
)
from tests.reference import margin_loss as twin
from tests.test_first_order import gaussian_stream
from tests.tools import RecordingOracle, state

LOSSES = [
    losses.HingeLoss(), losses.RampLoss(), losses.RampLoss(t=2.5), losses.LogRampLoss(),
    losses.LogRampLoss(t=3.0), losses.RootRampLoss(), losses.RootRampLoss(t=1.5, s=0.2),
    losses.SigmoidLoss(), losses.SmoothHingeLoss(), losses.SmoothHingeLoss(h=1.0),
    losses.SmoothRampLoss(), losses.SmoothRampLoss(t=2.0, h=0.1),
]  # fmt: skip
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
margins = st.floats(-50, 50)


def twin_of(loss):
    return twin.curves(loss.name, **loss.get_params())


def test_every_loss_is_in_the_list():
    public = {
        item
        for item in (getattr(losses, name) for name in losses.__all__)
        if isinstance(item, type)
    }
    public -= {losses.MarginLoss}
    assert {type(loss) for loss in LOSSES} == public == set(losses.LOSSES.values())
    assert sorted(losses.__all__) == losses.__all__


@each_loss
@given(z=margins)
def test_twin(loss, z):
    value, slope = twin_of(loss)
    assert loss.value(z) == pytest.approx(value(z), rel=1e-12, abs=1e-14)
    assert loss.derivative(z) == pytest.approx(slope(z), rel=1e-12, abs=1e-14)
    q = twin.tight(slope)(abs(z))
    assert loss.query_probability(z) == pytest.approx(q, rel=1e-12, abs=1e-14)


@each_loss
@given(margin=st.floats(0, 50), z=margins)
def test_the_tight_probability_bounds_the_weight(loss, margin, z):
    q = loss.query_probability(margin)
    assert 0 <= q <= 1
    assert q == loss.query_probability(-margin)
    if abs(z) >= margin and loss.derivative(z) < 0:
        assert q > 0
        weight = -loss.derivative(z) / q
        assert weight <= max(1, -loss.derivative(z)) + 1e-12


@each_loss
def test_shapes_and_extremes(loss):
    grid = np.linspace(-5, 5, 12).reshape(3, 4)
    for curve in (loss.value, loss.derivative, loss.query_probability):
        values = curve(grid)
        assert values.shape == (3, 4)
        assert values.dtype == np.float64
        assert curve(1.5).shape == ()
        assert curve([]).shape == (0,)
        np.testing.assert_array_equal(curve(grid.T), values.T)
        np.testing.assert_array_equal(curve(grid[::2, 1::2]), values[::2, 1::2])
        assert np.isnan(curve([0.0, np.nan])).tolist() == [False, True]
    assert np.isfinite(loss.value([-1e300, 1e300])).all()
    assert loss.value(np.inf) == loss.derivative(np.inf) == 0
    assert np.isfinite(loss.derivative([-np.inf, -1e300, 1e300])).all()
    assert grid[0, 0] == -5  # the argument is left alone


def test_root_ramp_with_a_small_power_is_a_log_ramp():
    z = np.linspace(-100, 0, 51)
    for s in (1e-9, 1e-14, 1e-300):
        expected = losses.LogRampLoss().value(z)
        np.testing.assert_allclose(losses.RootRampLoss(s=s).value(z), expected, 1e-6)


@each_loss
def test_copies(loss):
    by_name = losses.make_loss(loss.name)
    for copy in (
        pickle.loads(pickle.dumps(loss)),
        deepcopy(loss),
        clone(loss),
        by_name.set_params(**loss.get_params()),
        type(loss)(**loss.get_params()),
    ):
        assert copy is not loss
        assert type(copy) is type(loss)
        assert copy == loss
        assert repr(copy) == repr(loss)
    assert losses.make_loss(loss) is loss


@pytest.mark.parametrize(
    ("loss", "params", "error"),
    [
        (losses.RampLoss, {"t": 0.99}, ValueError),
        (losses.RampLoss, {"t": "1"}, TypeError),
        (losses.RootRampLoss, {"t": 3.0, "s": 1.0}, ValueError),
        (losses.RootRampLoss, {"s": 0.0}, ValueError),
        (losses.SmoothHingeLoss, {"h": 0.0}, ValueError),
        (losses.SmoothRampLoss, {"h": np.nan}, ValueError),
        (losses.HingeLoss, {"t": 1.0}, ValueError),
    ],
)
def test_bad_parameters(loss, params, error):
    made = loss()
    with pytest.raises(error, match=list(params)[-1]):
        made.set_params(**params)
    assert made == loss()  # nothing was set
    with pytest.raises((error, TypeError)):
        loss(**params)


@pytest.mark.parametrize(
    ("loss", "error"),
    [
        ("log", ValueError),
        (None, TypeError),
        (losses.RampLoss, TypeError),
        (np.tanh, TypeError),
    ],
)
def test_what_is_no_loss(loss, error):
    with pytest.raises(error, match="loss must be one of"):
        losses.make_loss(loss)


LEARNERS = [MarginLossClassifier, GreedyOnlineClassifier, BatchMarginLossClassifier]
each_learner = pytest.mark.parametrize("learner", LEARNERS)


class OwnLogRamp(MarginLoss):
    """The log-ramp, in Python."""

    def __init__(self, t=1.0):
        self.t = t

    def value(self, z):
        tail = self.t + 1 + np.log1p(np.maximum(-self.t - z, 0))
        return np.where(z >= -self.t, np.maximum(1 - z, 0), tail)

    def derivative(self, z):
        tail = -1 / (1 + np.maximum(-self.t - z, 0))
        return np.where(z >= 1, 0, np.where(z >= -self.t, -1, tail))


class Interrupted(OwnLogRamp):
    """Gets Ctrl-C when its derivative is called for the k-th time."""

    def __init__(self, t=1.0, k=0):
        super().__init__(t)
        self.k = k

    def derivative(self, z):
        self.k -= 1
        if self.k == 0:
            signal.raise_signal(signal.SIGINT)
        return super().derivative(z)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("k", range(1, 31))
def test_ctrl_c_in_the_derivative_loses_no_label(k):
    X, codes = gaussian_stream(0, 2, n_rows=60)
    loss, oracle = Interrupted(), RecordingOracle(codes)
    learner = MarginLossClassifier(loss, random_state=0).partial_fit(X[:1], [0], [0, 1])
    learner.loss.k = k
    with pytest.raises(KeyboardInterrupt):
        learner.learn(X, oracle)
    assert learner.n_taught_ == 1 + len(oracle.asked)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("make", [MarginLossClassifier, GreedyOnlineClassifier])
def test_it_learns_as_the_compiled_one_does(make, n_classes):
    X, codes = gaussian_stream(0, n_classes, n_rows=200)
    ours, theirs = (
        make(loss=loss, random_state=0).fit(X, codes)
        for loss in (OwnLogRamp(t=1.5), LogRampLoss(t=1.5))
    )
    np.testing.assert_array_equal(ours.queried_indices_, theirs.queried_indices_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12)
    rows, q = ours.query(X, return_probability=True)
    same, same_q = theirs.query(X, return_probability=True)
    np.testing.assert_array_equal(rows, same)
    np.testing.assert_allclose(q, same_q, rtol=1e-12)


def test_it_is_fitted_in_batch_as_the_compiled_one_is():
    X, codes = gaussian_stream(0, 3, n_rows=30)
    ours, theirs = (
        BatchMarginLossClassifier(loss, n_restarts=1, random_state=0).fit(X, codes)
        for loss in (OwnLogRamp(), LogRampLoss())
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)


class Answers(MarginLoss):
    """Slopes that some function gives."""

    def __init__(self, slopes, values=np.zeros_like):
        self.slopes, self.values = slopes, values

    def value(self, z):
        return self.values(z)

    def derivative(self, z):
        return self.slopes(z)

    def __repr__(self):
        return "Answers()"


class NoDerivative(MarginLoss):
    def value(self, z):
        return 1 - z


class Overridden(RampLoss):
    def derivative(self, z):
        return -np.ones_like(z)


def fails(z):
    raise OSError("no such margin")


BAD = [
    (Answers(np.ones_like), ValueError, r"Answers\(\)\.derivative\(.*\) == 1.0"),
    (Answers(lambda z: z * np.nan), ValueError, r"derivative\(.*\) == nan"),
    (Answers(lambda z: np.minimum(z, 0)), ValueError, r"derivative\(-inf\) == -inf"),
    (Answers(lambda z: -1.0), ValueError, r"Answers.* array of the shape .* got \(\)"),
    (Answers(lambda z: -np.ones(len(z) + 1)), ValueError, "array of the shape of"),
    (Answers(lambda z: -1 / len(z) + 0 * z.clip(0, 1)), ValueError, "other values for"),
    (Answers(lambda z: z.astype(str)), (TypeError, ValueError), "cast|convert|flat"),
    (Answers(fails), OSError, "no such margin"),
    (Answers(np.zeros_like, lambda z: z * np.nan), ValueError, r"value\(.*\) == nan"),
    (NoDerivative(), NotImplementedError, r"NoDerivative needs derivative\(z\)"),
    (Overridden(), TypeError, "Overridden replaces derivative of RampLoss"),
]


@each_learner
@pytest.mark.parametrize(("loss", "error", "words"), BAD)
def test_a_loss_that_will_not_do(learner, loss, error, words):
    X, codes = gaussian_stream(0, 2)
    learner, asked = learner(loss=loss), []
    with pytest.raises(error, match=words):
        learner.fit(X, codes)
    if hasattr(learner, "learn"):
        with pytest.raises(error, match=words):
            learner.learn(X, asked.append, classes=[0, 1])
    assert not asked
    assert vars(learner) == learner.get_params(deep=False)


def test_what_was_asked_is_in_the_note():
    with pytest.raises(OSError, match="no such") as caught:
        make_loss(Answers(fails))
    assert "Answers().derivative is called with an array" in caught.value.__notes__[0]


def test_a_loss_that_changes_between_calls():
    X, codes = gaussian_stream(0, 2, n_rows=80)
    one, other = (
        MarginLossClassifier(RampLoss(), random_state=0).partial_fit(
            X[:40], codes[:40], classes=[0, 1]
        )
        for _ in range(2)
    )
    one.set_params(loss__t=4.0).partial_fit(X[40:], codes[40:])
    other.set_params(loss=RampLoss(t=4.0)).partial_fit(X[40:], codes[40:])
    assert state(one) == state(other)
    one.set_params(loss=HingeLoss())
    assert len(one.query(X)) == len(X)
    before = state(one)
    with pytest.raises(ValueError, match="t"):
        one.set_params(loss=RampLoss(), loss__t=0.5)
    assert state(one) == before
