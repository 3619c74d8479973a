"""Two normal distributions, side by side."""

import numpy as np
from sklearn.utils import check_random_state

from .._typing import Floats, Ints, Seed
from .._validation import check_number


def make_twonorm(
    n_samples: int = 400, n_features: int = 20, *, random_state: Seed = None
) -> tuple[Floats, Ints]:
    r"""Make Breiman's twonorm: two normal classes, a benchmark of boosting.

    Parameters
    ----------
    n_samples : int >= 2, default=400
        Number of rows.

    n_features : int >= 1, default=20
        Number of features.

    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows.
    y : ndarray of int of shape (n_samples,)
        Labels, -1 and +1, half of each, shuffled.

    Raises
    ------
    ValueError, TypeError
        If a number is not whole, or too small.

    Notes
    -----
    Rows of class :math:`y` are normal with unit covariance and mean
    :math:`(ya, \dots, ya)`, :math:`a = 2 / \sqrt{d}` in d dimensions. The best
    separator is :math:`\sum_j x_j = 0`, and its error :math:`\Phi(-2) = .023`. Each
    feature alone is wrong for a third of the rows.

    References
    ----------
    .. [1] L. Breiman, "Bias, Variance, and Arcing Classifiers", TR 460, Statistics
       Department, University of California, Berkeley, 1996.

    Examples
    --------
    >>> from sklearn_activelearn.datasets import make_twonorm
    >>> X, y = make_twonorm(100_000, random_state=0)
    >>> print(((X.sum(axis=1) > 0) != (y > 0)).mean().round(3))
    0.023
    """
    n_samples = check_number(n_samples, "n_samples", 2, closed="left", integer=True)
    n_features = check_number(n_features, "n_features", 1, closed="left", integer=True)
    rng = check_random_state(random_state)
    y = rng.permutation(np.where(np.arange(n_samples) % 2, 1, -1))
    mean = 2 * y[:, None] / np.sqrt(n_features)
    return mean + rng.standard_normal((n_samples, n_features)), y
