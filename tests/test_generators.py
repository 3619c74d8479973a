"""Made-up data have the distributions that their docstrings say."""

import numpy as np
import pytest
from scipy.stats import kstest

from sklearn_activelearn.datasets import make_low_noise, make_outlier_line, make_twonorm
from sklearn_activelearn.losses import LOSSES, make_loss


@pytest.mark.parametrize("make", [make_twonorm, make_low_noise, make_outlier_line])
def test_seeds(make):
    first, again, other = (make(60, random_state=seed) for seed in (0, 0, 1))
    for one, same in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, same)
    assert np.any(first[0] != other[0])
    assert np.any(make(60)[0] != make(60)[0])  # without a seed every call draws again
    assert 4 < (first[1][:20] > 0).sum() < 16  # shuffled


@pytest.mark.parametrize("n_features", [1, 4, 20])
def test_classes_are_normal_clouds_around_their_means(n_features):
    X, y = make_twonorm(20_001, n_features, random_state=0)
    assert X.shape == (20_001, n_features)
    assert abs(y.sum()) == 1
    rest = X - 2 * y[:, None] / np.sqrt(n_features)
    assert np.abs(rest.mean(axis=0)).max() < 0.03
    np.testing.assert_allclose(np.cov(rest.T), np.eye(n_features).squeeze(), atol=0.05)


INF = float("inf")


@pytest.mark.parametrize("n_features", [2, 3, 20])
@pytest.mark.parametrize("alpha", [0.5, 1, 3, INF])
def test_margins(alpha, n_features):
    X, y, u = make_low_noise(
        20_000, n_features, alpha=alpha, margin=0.3, coef=True, random_state=0
    )
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1)
    assert np.linalg.norm(u) == pytest.approx(1)
    margins = X @ u
    size = np.abs(margins).clip(max=1)

    def share_below(e):
        if alpha == INF:
            return np.clip((e - 0.3) / 0.7, 0, 1)
        return np.clip(e, 0, 1) ** alpha

    assert kstest(size, share_below).pvalue > 0.01
    assert abs((margins > 0).mean() - 0.5) < 0.015
    # labels: the mean of y given the margin is the margin
    for low in np.arange(-1, 1, 0.25):
        here = (low <= margins) & (margins < low + 0.25)
        if here.sum() > 200:
            slack = 4 / np.sqrt(here.sum())
            assert abs(y[here].mean() - margins[here].mean()) < slack
    assert set(y) == {-1, 1}


@pytest.mark.parametrize("alpha", [0.5, 3])
def test_the_rest_of_a_row_points_anywhere(alpha):
    X, _, u = make_low_noise(20_000, 4, alpha=alpha, coef=True, random_state=1)
    rest = X - np.outer(X @ u, u)
    rest /= np.linalg.norm(rest, axis=1, keepdims=True)
    covariance = rest.T @ rest / len(rest)
    np.testing.assert_allclose(covariance, (np.eye(4) - np.outer(u, u)) / 3, atol=0.02)
    assert np.abs(rest.mean(axis=0)).max() < 0.02


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
    [(300, 100.0, 0), (60, 100.0, 2), (450, 30.0, 3), (151, 1e3, 4)],
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
