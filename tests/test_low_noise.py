"""The low noise problem has the distribution that its docstring says."""

import numpy as np
import pytest
from scipy.stats import kstest

from sklearn_activelearn.datasets import make_low_noise

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


def test_seeds():
    first, second = (make_low_noise(50, random_state=seed)[0] for seed in (0, 1))
    np.testing.assert_array_equal(first, make_low_noise(50, random_state=0)[0])
    assert np.any(first != second)
    # without a seed every call draws again
    assert np.any(make_low_noise(50)[0] != make_low_noise(50)[0])


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"n_samples": 0}, ValueError),
        ({"n_samples": 1.5}, TypeError),
        ({"n_features": 1}, ValueError),
        ({"alpha": 0}, ValueError),
        ({"alpha": -INF}, ValueError),
        ({"alpha": float("nan")}, ValueError),
        ({"alpha": "1"}, TypeError),
        ({"margin": 0}, ValueError),
        ({"margin": 1}, ValueError),
        ({"coef": 1}, TypeError),
    ],
)
def test_refused(params, error):
    with pytest.raises(error, match=next(iter(params))):
        make_low_noise(**params)
