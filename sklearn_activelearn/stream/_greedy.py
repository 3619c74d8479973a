"""Greedy online selection: buy the smallest margin of every m rows."""

from collections.abc import Mapping
from typing import Any, Literal

from ..base._parameters import check_number
from ..losses import MarginLoss, make_loss
from ..utils.typing import Seed
from ._base import StreamClassifier
from ._margin_loss import hinge_baseline, make_loss_update
from ._rules import SmallestOfGroupRule


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

    eta0 : float > 0, default=0.1
        Learning rate, which "adaptive" does not use. It must be small compared with
        ``1 / |x|²``. After a large step all margins are so large that (almost) no label
        is bought again; a `ConvergenceWarning` says so.

    learning_rate : {"constant", "invscaling", "adaptive"}, default="constant"
        Step of label number T: `eta0` ("constant") or ``eta0 / sqrt(T)``
        ("invscaling") times the weighted gradient. "adaptive": steps follow the sizes
        of features and rows, and there is no parameter to tune.

    average : bool, default=True
        Whether to predict with the mean of the weights after each label taught, instead
        of the last weights. Queries and updates always use the last weights. False is
        the algorithm of the paper.

    fit_intercept : bool, default=True
        Whether to append a constant feature 1 to each row. False: separators through
        the origin, as in the paper.

    normalize : bool, default=False
        Whether to scale each row to unit Euclidean norm. Rows of zeros stay zero. With
        `fit_intercept` the scaled row is divided by the square root of 2.

    class_weight : {"balanced"}, dict or None, default=None
        Weight of a label of each class. "balanced": the more labels a class has, the
        less each counts, and predictions change half way between the mean scores of the
        classes. If one class is rare, the learner finds more of its rows, and often
        buys more labels. A dict has weights > 0 by class; the weight of other classes
        is 1. None: all labels have the same weight. The formulas are in the user guide,
        on the page "Unequal classes".

    budget : int >= 0, float in [0, 1] or None, default=None
        Largest number of labels to buy between one `fit` and the next. Raise it with
        `set_params` to continue. A float is a share of the rows seen before and in the
        call; only `fit` and `learn` take a float. None: no limit.

    patience : int >= 1 or None, default=None
        Number of consecutive rows without a purchase after which it stops buying; it
        matters only if less than `m`.

    shuffle : bool, default=True
        Whether `fit` visits the rows in random order. `partial_fit` and `learn` do not.

    random_state : int, RandomState instance or None, default=None
        Seed of the random decisions, with one random number for each row seen, and of
        the order of the rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes, sorted.

    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights that predict. They apply to rows of unit norm if `normalize`. For two
        classes there is one row, the weights of ``classes_[1]``.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant feature. With ``class_weight="balanced"`` the thresholds
        of predictions are subtracted; queries have no thresholds.

    n_queries_ : int
        Number of labels bought since the last `fit`, less refunds.

    queried_indices_ : ndarray of int of shape (n_bought,)
        Row numbers of the labels that the last `fit`, `partial_fit` or `learn` and each
        `query` since have bought, in order.

    n_pending_ : int
        Number of rows that were asked for and neither taught nor skipped yet.

    n_skipped_ : int
        Number of rows that were asked for and skipped.

    n_taught_ : int
        Number of labels taught, bought or not.

    stop_reason_ : str or None
        Why no more labels can be bought: "budget" or "patience". After a `query` that
        returned no rows also "no rows" or "limit". Otherwise None.

    n_seen_ : int
        Number of rows seen, bought or not.

    n_updates_ : int
        Number of labels that changed the weights.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the columns of the first X have string names.

    Raises
    ------
    ValueError, TypeError
        From every method, before anything is bought or changed: if a parameter is
        out of its range, X contains NaN or infinity, a label is not one of the
        classes, or `average`, `fit_intercept`, `normalize` or `class_weight` has
        changed without `fit`.

    See Also
    --------
    MarginLossClassifier : Decides row by row, with known probabilities.

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
