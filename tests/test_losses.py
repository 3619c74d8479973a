"""The margin losses: formulas, derivatives, and the probabilities they imply."""

import doctest
import pickle
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from sklearn_activelearn import losses
from tests.reference import margin_loss as twin

LOSSES = [
    losses.HingeLoss(),
    losses.RampLoss(),
    losses.RampLoss(t=2.5),
    losses.LogRampLoss(),
    losses.LogRampLoss(t=3.0),
    losses.RootRampLoss(),
    losses.RootRampLoss(t=1.5, s=0.2),
    losses.SigmoidLoss(),
    losses.SmoothHingeLoss(),
    losses.SmoothHingeLoss(h=1.0),
    losses.SmoothRampLoss(),
    losses.SmoothRampLoss(t=2.0, h=0.1),
]
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
@given(z=margins)
def test_finite_differences(loss, z):
    step = 1e-6
    before, after = loss.value([z - step, z + step])
    slopes = loss.derivative([z - step, z, z + step])
    slack = 1e-6 * (1 + abs(z)) + 1e-5
    # between the slopes on both sides, which differ where the loss has a corner
    assert slopes.min() - slack <= (after - before) / (2 * step) <= slopes.max() + slack


@each_loss
@given(a=margins, b=margins)
def test_shape_of_the_curve(loss, a, b):
    a, b = sorted([a, b])
    assert loss.value(a) >= loss.value(b) >= 0
    assert np.all(loss.derivative([a, b]) <= 0)
    if loss.convex:
        middle = loss.value((a + b) / 2)
        assert middle <= (loss.value(a) + loss.value(b)) / 2 + 1e-12


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
@given(margin=st.floats(0, 50))
def test_it_is_the_smallest_such_probability(loss, margin):
    q = loss.query_probability(margin)
    steepest = -loss.derivative([margin, -margin]).min()
    if q == 0:
        assert steepest == 0  # no label would have moved the weights
    else:
        assert steepest / (0.999 * q) > max(1, steepest)


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


def test_smooth_losses_have_no_corner():
    z = np.linspace(-4, 4, 80_001)
    for loss in (losses.SmoothHingeLoss(h=0.3), losses.SmoothRampLoss(t=2, h=0.3)):
        jumps = np.abs(np.diff(loss.derivative(z)))
        assert jumps.max() < 1.01 * 1e-4 / 0.6


def test_narrow_corners_are_the_plain_losses():
    z = np.linspace(-4, 4, 101)
    for smooth, plain in [
        (losses.SmoothHingeLoss(h=1e-6), losses.HingeLoss()),
        (losses.SmoothRampLoss(t=2, h=1e-6), losses.RampLoss(t=2)),
    ]:
        np.testing.assert_allclose(smooth.value(z), plain.value(z), atol=1e-6)


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


def test_equal_losses():
    assert losses.RampLoss() == losses.RampLoss(t=1)
    assert losses.RampLoss() != losses.RampLoss(t=2.0)
    assert losses.RampLoss() != losses.LogRampLoss()
    assert losses.RampLoss() != "ramp"


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


def test_examples():
    assert doctest.testmod(losses).failed == 0
    assert doctest.testmod(losses).attempted > 3
