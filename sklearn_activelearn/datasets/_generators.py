"""Generators of data sets on which active learning has been analysed."""

import math
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..base._parameters import check_flags, check_number
from ..utils.typing import Floats, Ints, Seed


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
        If a number is not whole or too small.

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


def make_low_noise(
    n_samples: int = 1000,
    n_features: int = 2,
    *,
    alpha: float = 1.0,
    margin: float = 0.5,
    coef: bool = False,
    random_state: Seed = None,
) -> tuple[Any, ...]:
    """Make rows of unit norm with labels of the linear noise model and of low noise.

    A label is +1 with probability (1 + u'x) / 2 for a random unit vector u. The best
    separator is u, and the label of a row with u'x = 0 is random. `alpha`, the exponent
    of Mammen and Tsybakov, determines the number of such rows.

    Parameters
    ----------
    n_samples : int >= 1, default=1000
        Number of rows.

    n_features : int >= 2, default=2
        Number of features.

    alpha : float > 0, default=1.0
        Noise exponent: ``P(|u'x| < e) = e^alpha``. The larger, the easier. If it is
        infinite, no row lies within `margin` of the separator.

    margin : float in (0, 1), default=0.5
        Smallest ``|u'x|`` if `alpha` is infinite. Otherwise it is not used.

    coef : bool, default=False
        Whether to return u, too.

    random_state : int, RandomState instance or None, default=None
        Seed of u, the rows and the labels.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows of unit norm.
    y : ndarray of int of shape (n_samples,)
        Labels, -1 and +1.
    u : ndarray of shape (n_features,)
        The separator. Only with `coef`.

    Raises
    ------
    ValueError, TypeError
        If a number is not in its range, or not whole.

    Notes
    -----
    ``|u'x|`` is U^(1/alpha) with U uniform on [0, 1]. This is the low noise condition
    ``P(|u'x| < e) <= c e^alpha`` with c = 1 and equality. For infinite alpha it is
    uniform on [margin, 1], a hard margin. The sign of u'x is random with equal
    probabilities, and the rest of a row has a random direction orthogonal to u.

    References
    ----------
    .. [1] G. Cavallanti, N. Cesa-Bianchi, C. Gentile, "Linear Classification and
       Selective Sampling Under Low Noise Conditions", NIPS 2008, Section 2.

    Examples
    --------
    >>> from sklearn_activelearn.datasets import make_low_noise
    >>> for alpha in (0.5, 1, 3, float("inf")):
    ...     X, y, u = make_low_noise(10_000, alpha=alpha, coef=True, random_state=0)
    ...     print(f"{alpha:3}: best error {(y * (X @ u) < 0).mean():.2f}")
    0.5: best error 0.34
      1: best error 0.25
      3: best error 0.12
    inf: best error 0.12
    """
    n_samples = check_number(n_samples, "n_samples", 1, closed="left", integer=True)
    n_features = check_number(n_features, "n_features", 2, closed="left", integer=True)
    if alpha != math.inf:
        check_number(alpha, "alpha", 0)
    check_number(margin, "margin", 0, 1)
    check_flags(coef=coef)
    rng = check_random_state(random_state)
    u = unit_rows(rng.standard_normal((1, n_features)))[0]
    size = rng.uniform(size=n_samples)
    size = margin + (1 - margin) * size if alpha == math.inf else size ** (1 / alpha)
    projection = size * rng.choice([-1.0, 1.0], n_samples)
    aside = rng.standard_normal((n_samples, n_features))
    aside = unit_rows(aside - np.outer(aside @ u, u))
    X = np.outer(projection, u) + np.sqrt(1 - projection**2)[:, None] * aside
    y = np.where(rng.uniform(size=n_samples) < (1 + projection) / 2, 1, -1)
    return (X, y, u) if coef else (X, y)


def unit_rows(X):
    """Return rows scaled to unit norm."""
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def make_outlier_line(
    n_samples: int = 300, *, distance: float = 100.0, random_state: Seed = None
) -> tuple[Floats, Ints]:
    """Make a problem on which only bounded losses find the best separator.

    The rows lie in the plane, and separators go through the origin. The problem behaves
    as in Figure 4 of [1]_, which shows a picture of its data and the error of the best
    w for each loss:

    ======== ===== ==== ======== ========= ======= ========
    loss     hinge ramp log-ramp root-ramp sigmoid zero-one
    error    .51   .33  .51      .51       .33     .33
    ======== ===== ==== ======== ========= ======= ========

    Parameters
    ----------
    n_samples : int >= 12, default=300
        Number of rows.

    distance : float >= 10, default=100.0
        Least distance of the outliers from the origin. Their largest distance is twice
        this number. Nearly all inliers lie within a distance of 2.

    random_state : int, RandomState instance or None, default=None
        Seed of the positions and of the order of the rows.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Rows, shuffled.
    y : ndarray of int of shape (n_samples,)
        Labels, -1 and +1.

    Raises
    ------
    ValueError, TypeError
        If `n_samples` is not a whole number of at least 12, or `distance` is not a
        number of at least 10.

    Notes
    -----
    A third of the rows are inliers, which x1 alone separates: y x1 is uniform on
    [0.5, 1.5]. Their second feature misleads: y x2 takes the values E - 0.75 at evenly
    spaced quantiles of an exponential E with mean 1. Its mean is positive, but it has
    the wrong sign for 53 % of the inliers.

    Two thirds of the rows are outliers in pairs: both labels at one point, far out
    along x1 on either side. Every separator classifies half of them wrongly. An
    unbounded loss of a wrong outlier grows with its margin, so w1 must be about 0. Then
    w2 follows the mean of y x2, and the error is 1/3 + .53/3 = .51. A bounded loss of a
    wrong outlier does not depend on its margin, so w1 stays.

    References
    ----------
    .. [1] A. Guillory, E. Chastain, J. Bilmes, "Active Learning as Non-Convex
       Optimization", AISTATS 2009, Figures 4 and 5.

    Examples
    --------
    >>> from sklearn_activelearn.datasets import make_outlier_line
    >>> X, y = make_outlier_line(random_state=0)
    >>> for name, w in (("x1", [1, 0]), ("x2", [0, 1])):
    ...     print(name, ((X @ w > 0) != (y > 0)).mean().round(2))
    x1 0.33
    x2 0.51
    """
    n_samples = check_number(n_samples, "n_samples", 12, closed="left", integer=True)
    distance = check_number(distance, "distance", 10, closed="left")
    rng = check_random_state(random_state)
    n_pairs = n_samples // 3
    n_inliers = n_samples - 2 * n_pairs
    exponential = -np.log((np.arange(n_inliers) + 0.5) / n_inliers)
    inliers = np.column_stack(
        [rng.uniform(0.5, 1.5, n_inliers), rng.permutation(exponential) - 0.75]
    )
    side = alternate(n_pairs)
    outliers = np.column_stack(
        [
            side * distance * rng.uniform(1, 2, n_pairs),
            0.01 * rng.standard_normal(n_pairs),
        ]
    )
    y = np.concatenate([alternate(n_inliers), np.ones(n_pairs), -np.ones(n_pairs)])
    X = np.concatenate([inliers * y[:n_inliers, None], outliers, outliers])
    order = rng.permutation(n_samples)
    return X[order], y[order].astype(int)


def alternate(n):
    """Return n numbers +1, -1, +1, ..."""
    return 1 - 2 * (np.arange(n) % 2)
