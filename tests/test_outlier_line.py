"""The outlier problem does to each loss what its docstring says: all w are searched."""

import numpy as np
import pytest

from sklearn_activelearn.datasets import make_outlier_line
from sklearn_activelearn.losses import LOSSES, make_loss

BOUNDED = {"ramp", "smooth_ramp", "sigmoid"}

#: Directions, the finer the nearer to the x2 axis, and sizes of w.
NEAR = np.logspace(-6, -1.1, 50)
TURNS = np.pi / 2 + np.concatenate([-NEAR, [0], NEAR, np.linspace(0.1, 3.04, 60)])
DIRECTIONS = np.concatenate([TURNS, TURNS + np.pi])
SIZES = np.logspace(-2, 2, 33)
W = np.array([np.cos(DIRECTIONS), np.sin(DIRECTIONS)]).T
GRID = (SIZES[:, None, None] * W).reshape(-1, 2)


def errors(X, y, w):
    """Return the share of rows that each w gets wrong; the origin is wrong."""
    return (w @ (X * y[:, None]).T <= 0).mean(axis=1)


def minimiser(X, y, loss):
    """Return the w of the grid with the lowest mean loss."""
    means = [
        loss.value(w @ (X * y[:, None]).T).mean(axis=1) for w in np.split(GRID, 33)
    ]
    return GRID[np.concatenate(means).argmin()]


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize(
    ("n_samples", "distance", "seed"),
    [(300, 100.0, 0), (300, 100.0, 1), (60, 100.0, 2), (900, 30.0, 3), (301, 1e3, 4)],
)
def test_error_of_the_minimiser(name, n_samples, distance, seed):
    X, y = make_outlier_line(n_samples, distance=distance, random_state=seed)
    w = minimiser(X, y, make_loss(name))
    expected = 0.33 if name in BOUNDED else 0.51
    assert errors(X, y, w[None])[0] == pytest.approx(expected, abs=0.015)
    assert SIZES[0] < np.linalg.norm(w) < SIZES[-1]  # the search went far enough


@pytest.mark.parametrize("n_samples", [12, 59, 60, 61, 300, 900])
def test_no_separator_beats_a_third(n_samples):
    X, y = make_outlier_line(n_samples, random_state=0)
    best = n_samples // 3 / n_samples
    assert errors(X, y, W).min() == best
    assert errors(X, y, np.array([[1.0, 0.0]]))[0] == best


@pytest.mark.parametrize("n_samples", [12, 61, 300])
@pytest.mark.parametrize("distance", [10, 100.0])
def test_what_the_docstring_says_of_the_rows(n_samples, distance):
    X, y = make_outlier_line(n_samples, distance=distance, random_state=0)
    assert (X.shape, y.shape) == ((n_samples, 2), (n_samples,))
    assert y.dtype.kind == "i"
    far = np.abs(X[:, 0]) >= distance
    assert far.sum() == 2 * (n_samples // 3)
    assert np.abs(X[far, 0]).max() <= 2 * distance
    places, counts = np.unique(X[far], axis=0, return_counts=True)
    assert set(counts) == {2}
    assert all(y[(place == X).all(axis=1)].sum() == 0 for place in places)
    assert abs((places[:, 0] > 0).mean() - 0.5) <= 0.5 / len(places)
    x1, x2 = (y[~far, None] * X[~far]).T
    assert x1.min() >= 0.5
    assert x1.max() <= 1.5
    assert x2.mean() > 0.1
    assert abs(y[~far].sum()) <= 1
    assert (x2 < 0).mean() == pytest.approx(0.53, abs=0.5 / len(x2) + 0.005)


def test_rows_are_shuffled_and_repeatable():
    X, y = make_outlier_line(random_state=0)
    again = make_outlier_line(random_state=np.random.RandomState(0))
    np.testing.assert_array_equal(again[0], X)
    np.testing.assert_array_equal(again[1], y)
    assert (make_outlier_line(random_state=1)[0] != X).all()
    far = np.abs(X[:, 0]) > 10
    assert 40 < far[:100].sum() < 90
    assert 30 < (y[:100] > 0).sum() < 70


@pytest.mark.parametrize(
    ("params", "name", "error"),
    [
        ({"n_samples": 11}, "n_samples", ValueError),
        ({"n_samples": 100.0}, "n_samples", TypeError),
        ({"distance": 9.9}, "distance", ValueError),
        ({"distance": np.inf}, "distance", ValueError),
        ({"distance": "far"}, "distance", TypeError),
    ],
)
def test_bad_arguments(params, name, error):
    with pytest.raises(error, match=f"^{name}"):
        make_outlier_line(**params)
