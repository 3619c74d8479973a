"""Greedy online selection: buy the smallest margin of every m rows."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from ..base._validation import check_number
from ..losses import MarginLoss, make_loss
from ..utils._docstrings import GRADIENT, documented
from ..utils._typing import Floats, Seed
from ._base import StreamClassifier
from ._margin_loss import hinge_baseline, make_loss_update
from ._rules import SmallestOfGroupRule


@documented(GRADIENT)
class GreedyOnlineClassifier(StreamClassifier):
    """Selective sampler that buys the smallest margin of every m rows.

    The online form of min-margin sampling. A fixed share of the stream is bought, one
    row in `m`, and learned by gradient descent on a margin loss.

    Parameters
    ----------
    m : int >= 1, default=5
        Number of rows of a group, of which the one with the smallest margin is bought.
        1 buys every label. The rows at the end of a chunk are a smaller group if `m`
        does not divide its length, and a chunk of one row is bought: pass chunks whose
        length is a multiple of `m`.
    loss : str or MarginLoss, default="hinge"
        Loss that labels reduce: the name of a loss of `sklearn_activelearn.losses`, or
        an object such as ``RampLoss(t=2.0)`` or a custom loss.
    {eta0, learning_rate, average, fit_intercept, normalize, class_weight, budget}
    patience : int >= 1 or None, default=None
        Number of consecutive rows without a purchase after which it stops buying; it
        matters only if less than `m`.
    {shuffle, random_state}

    Attributes
    ----------
    {classes_, coef_, intercept_, attributes_of_all}

    {raises}

    See Also
    --------
    MarginLossClassifier : Decides row by row, with known probabilities.
    stream.rank_probability : Probability of buying a row, given the rank of its margin.

    Notes
    -----
    Each purchase is certain given its group, so ``return_probability=True`` reports 1;
    weighting by it is not valid. Of equal margins the first row is bought. With more
    than two classes the margin is half the gap between the two highest scores, and a
    label moves its own class and its strongest rival. With class weights, too, it buys
    one row in `m` while one class is known.

    References
    ----------
    .. [1] A. Guillory, E. Chastain, J. Bilmes, "Active Learning as Non-Convex
       Optimization", AISTATS 2009, Section 2.4.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import GreedyOnlineClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = GreedyOnlineClassifier(random_state=0).fit(X[:1500] / 16, y[:1500])
    >>> print(learner.n_queries_, "labels of 1500")
    300 labels of 1500
    >>> learner.score(X[1500:] / 16, y[1500:]) > 0.8
    True
    """

    def __init__(
        self,
        m: int = 5,
        *,
        loss: str | MarginLoss = "hinge",
        eta0: float = 0.1,
        learning_rate: Literal["constant", "invscaling", "adaptive"] = "constant",
        average: bool = True,
        fit_intercept: bool = True,
        normalize: bool = False,
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        budget: int | float | None = None,
        patience: int | None = None,
        shuffle: bool = True,
        random_state: Seed = None,
    ):
        self.m = m
        self.loss = loss
        self.eta0 = eta0
        self.learning_rate = learning_rate
        self.average = average
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.class_weight = class_weight
        self.budget = budget
        self.patience = patience
        self.shuffle = shuffle
        self.random_state = random_state

    @property
    def _group(self):
        return self.m

    @property
    def _adapts(self):
        return self.learning_rate == "adaptive"

    def _make_rules(self):
        m = check_number(self.m, "m", 1, closed="left", integer=True)
        return SmallestOfGroupRule(m), make_loss_update(self, make_loss(self.loss), 0)

    _passive_baseline = hinge_baseline


def rank_probability(n_rows: int, m: int) -> Floats:
    """Return the probability that a row has the smallest margin of m random rows.

    Parameters
    ----------
    n_rows : int >= 1
        Number of rows in the pool.
    m : int in [1, n_rows]
        Number of rows drawn without replacement, of which the one with the smallest
        margin is bought.

    Returns
    -------
    probabilities : ndarray of shape (n_samples,)
        Probabilities for the row with the smallest margin, the second smallest, and so
        on: C(n_rows - i, m - 1) / C(n_rows, m) for rank i [1]_. They sum to 1.

    Raises
    ------
    ValueError, TypeError
        If a number is not whole or out of range.

    References
    ----------
    .. [1] A. Guillory, E. Chastain, J. Bilmes, "Active Learning as Non-Convex
       Optimization", AISTATS 2009, Section 2.4.

    Examples
    --------
    >>> from sklearn_activelearn.stream import rank_probability
    >>> rank_probability(5, 2).round(2)
    array([0.4, 0.3, 0.2, 0.1, 0. ])
    """
    n_rows = check_number(n_rows, "n_rows", 1, closed="left", integer=True)
    m = check_number(m, "m", 1, n_rows, closed="both", integer=True)
    others = n_rows - np.arange(1, n_rows)  # rows with a larger margin than rank i
    larger = np.maximum(others - m + 1, 0)
    return m / n_rows * np.cumprod(np.append(1.0, larger / others))
