"""Twonorm has the distribution that its docstring says."""

import numpy as np
import pytest

from sklearn_activelearn.datasets import make_twonorm


@pytest.mark.parametrize("n_features", [1, 4, 20])
def test_classes_are_normal_clouds_around_their_means(n_features):
    X, y = make_twonorm(20_001, n_features, random_state=0)
    assert X.shape == (20_001, n_features)
    assert abs(y.sum()) == 1
    assert np.any(np.diff(y[:100]) == 0)  # shuffled
    rest = X - 2 * y[:, None] / np.sqrt(n_features)
    assert np.abs(rest.mean(axis=0)).max() < 0.03
    np.testing.assert_allclose(np.cov(rest.T), np.eye(n_features).squeeze(), atol=0.05)


def test_seeds():
    first, second = (make_twonorm(50, random_state=seed)[0] for seed in (0, 1))
    np.testing.assert_array_equal(first, make_twonorm(50, random_state=0)[0])
    assert np.any(first != second)


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"n_samples": 1}, ValueError),
        ({"n_samples": 10.0}, TypeError),
        ({"n_features": 0}, ValueError),
    ],
)
def test_refused(params, error):
    with pytest.raises(error, match=next(iter(params))):
        make_twonorm(**params)
