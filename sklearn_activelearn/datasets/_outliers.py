"""Outliers that defeat every loss without a bound."""

import numpy as np
from sklearn.utils import check_random_state

from .._typing import Floats, Ints, Seed
from .._validation import check_number


def make_outlier_line(
    n_samples: int = 300, *, distance: float = 100.0, random_state: Seed = None
) -> tuple[Floats, Ints]:
    """Make a problem on which only bounded losses find the best separator.

    In the plane, for separators through the origin, and with the behaviour of
    Figure 4 of [1]_, which shows the errors of the best w for each loss and no
    more of the data than a picture:

    ======== ===== ==== ======== ========= ======= ========
    loss     hinge ramp log-ramp root-ramp sigmoid zero-one
    error    .51   .33  .51      .51       .33     .33
    ======== ===== ==== ======== ========= ======= ========

    Parameters
    ----------
    n_samples : int >= 12, default=300
        Number of rows.

    distance : float >= 10, default=100.0
        How far away the outliers begin; they end at twice that. The inliers lie
        within 2 of the origin, but for a few.

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
        If n_samples is no whole number of at least 12, or distance no number of
        at least 10.

    Notes
    -----
    A third of the rows are inliers, which x1 alone separates: y x1 is uniform
    on [0.5, 1.5]. Their second feature misleads: y x2 takes the values E - 0.75
    at evenly spaced quantiles of an exponential E with mean 1, so its mean is
    positive, but it has the wrong sign for 53 % of them.

    Two thirds are outliers, in pairs: far out along x1, on either side, both
    labels at the same place. Every separator gets half of them wrong, and a
    loss that grows without bound pays for each wrong one by its margin. So
    w1 must be about 0; then w2 follows the mean of y x2, and the error is
    1/3 + .53/3 = .51. A bounded loss pays the same for a wrong outlier whatever
    its margin, and keeps w1.

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
    """Return +1, -1, +1, ..."""
    return 1 - 2 * (np.arange(n) % 2)
