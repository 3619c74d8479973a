"""Labels whose noise is low near the separator, to a degree."""

import math
from typing import Literal, overload

import numpy as np
from sklearn.utils import check_random_state

from .._typing import Floats, Ints, Seed
from .._validation import check_flag, check_number


@overload
def make_low_noise(
    n_samples: int = 1000,
    n_features: int = 2,
    *,
    alpha: float = 1.0,
    margin: float = 0.5,
    coef: Literal[False] = False,
    random_state: Seed = None,
) -> tuple[Floats, Ints]: ...
@overload
def make_low_noise(
    n_samples: int = 1000,
    n_features: int = 2,
    *,
    alpha: float = 1.0,
    margin: float = 0.5,
    coef: Literal[True],
    random_state: Seed = None,
) -> tuple[Floats, Ints, Floats]: ...
def make_low_noise(
    n_samples: int = 1000,
    n_features: int = 2,
    *,
    alpha: float = 1.0,
    margin: float = 0.5,
    coef: bool = False,
    random_state: Seed = None,
) -> tuple[Floats, Ints] | tuple[Floats, Ints, Floats]:
    """Make unit rows with labels of the linear noise model and of low noise.

    A label is +1 with probability (1 + u'x) / 2, u a random unit vector, so the
    best separator is u and a row's label is a coin where u'x = 0. How many rows
    lie there is what `alpha` says, the exponent of Mammen and Tsybakov.

    Parameters
    ----------
    n_samples : int >= 1, default=1000
        Number of rows.

    n_features : int >= 2, default=2
        Number of features.

    alpha : float > 0, default=1.0
        Noise exponent: ``P(|u'x| < e) = e^alpha``. The larger, the easier. Infinite:
        no row lies within `margin` of the separator.

    margin : float in (0, 1), default=0.5
        Smallest ``|u'x|`` for infinite `alpha`; not used otherwise.

    coef : bool, default=False
        Whether to return u as well.

    random_state : int, RandomState instance or None, default=None
        Seed of u, the rows and the labels.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Rows of unit norm.
    y : ndarray of int of shape (n_samples,)
        Labels, -1 and +1.
    u : ndarray of shape (n_features,)
        The separator; only with `coef`.

    Raises
    ------
    ValueError, TypeError
        For numbers that are out of range or not whole where they should be.

    Notes
    -----
    ``|u'x|`` is U^(1/alpha) with U uniform on [0, 1], which is the low noise
    condition ``P(|u'x| < e) <= c e^alpha`` with c = 1 and equality; for infinite
    alpha it is uniform on [margin, 1], which is the hard margin c = 1 / (2
    margin). Its sign is a fair coin, and the rest of a row points anywhere at
    right angles to u.

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
    check_flag(coef, "coef")
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
