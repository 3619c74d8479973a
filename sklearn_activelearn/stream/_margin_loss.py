"""Margin-loss samplers: active learning as gradient descent on a margin loss."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..base._parameters import check_number, check_option
from ..base._verbs import make_baseline
from ..exceptions import warn_user
from ..losses import MarginLoss, make_loss
from ..utils.typing import Seed
from ._base import StreamClassifier
from ._rules import FunctionRule, LossRule, LossUpdate

#: Exponent of each `learning_rate`.
POWERS = {"constant": 0.0, "invscaling": 0.5, "adaptive": 0.0}

#: Largest change of the margin of a row of average size by an adaptive step. Steps that
#: move margins to where the loss is flat would end the purchases.
GAIN = 2.0


class MarginLossClassifier(StreamClassifier):
    """Selective sampler that minimises a margin loss, often a non-convex one.

    It buys with probability q(margin) and steps along the gradient of the loss divided
    by q, which is stochastic gradient descent on the expected loss over all rows,
    bought or not. Losses that flatten out far from the separator need few labels. The
    bounded losses (ramps and sigmoid) ignore outliers.

    Parameters
    ----------
    loss : str or MarginLoss, default="log_ramp"
        Loss to minimise: the name of a loss of `sklearn_activelearn.losses`, such as
        "ramp", "root_ramp" or "sigmoid", or an object such as ``RampLoss(t=2.0)`` or a
        custom loss. "hinge" buys every label, which is passive learning.

    eta0 : float > 0, default=0.1
        Learning rate, which "adaptive" does not use. It must be small compared with
        ``1 / |x|²``. After a large step all margins are so large that (almost) no label
        is bought again; a `ConvergenceWarning` says so.

    learning_rate : {"constant", "invscaling", "adaptive"}, default="constant"
        Step of label number T: `eta0` ("constant") or ``eta0 / sqrt(T)``
        ("invscaling") times the weighted gradient. "adaptive": steps follow the sizes
        of features and rows, and there is no parameter to tune.

    query_probability : "tight" or callable, default="tight"
        Probability of buying a label. "tight": ``min(max(|l'(a)|, |l'(-a)|), 1)`` at
        margin a. A callable gets an array of margins and returns a probability for
        each; 0 is allowed only where the loss is flat on both sides. The weights l' / q
        can then be large.

    n_warm_start : int >= 0, default=0
        Number of labels that are bought first, whatever the margin, and learned with
        the hinge, which avoids some local minima. Labels taught without a request
        count.

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

    patience : int >= 1 or None, default=1000
        Stop buying for good after this number of consecutive rows without a purchase.
        None: never.

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
        From every method, before anything is bought or changed, for a parameter out of
        its range, NaN or infinity in X, labels outside the classes, and for `average`,
        `fit_intercept`, `normalize` or `class_weight` changed without `fit`; also for
        weights that overflow, and for a `query_probability` or a custom loss that
        returns invalid values.

    See Also
    --------
    GreedyOnlineClassifier : Buys the smallest margin of every few rows.
    BatchMarginLossClassifier : Minimises the same losses on labelled rows.
    sklearn_activelearn.losses : The losses and their query probabilities.

    Notes
    -----
    A label y of a row x bought with probability q is learned by::

        w <- w - eta l'(y w.x) / q  y x

    The paper's Figure 3 prints a plus sign. Descent needs a minus, since l' <= 0.

    With the tight q the weight -l' / q is at most max(1, -l'). A label that comes late
    is learned with the slope at the current weights and the probability at its
    purchase, so its weight can be as large as 1 / q: prefer small chunks. A row that
    was not asked for has q = 1.

    With more than two classes the margin is half the gap between the two highest
    scores, and z is half the gap between the score of the label and the score of its
    strongest rival; these two weight vectors move.

    With "adaptive", labelled row x, number T, moves weight i by ``T / (T + 10)`` times
    ``s / G  x_i / r_i``, times -l' / q. r_i is the root mean square of feature i over
    the labelled rows where it is not 0, and G the mean over the labelled rows of
    ``sum_i x_i² / r_i``, so that an average step moves the margin of its row by s. s is
    2, or the largest margin at which the loss has q > 0 if that is smaller: 0.99 for
    the ramp. The first steps are shorter, while little is known about the features. q
    is the same as for the other learning rates.

    Weighting bought rows by the inverse of their probability is valid for "log_ramp",
    "root_ramp" and "sigmoid", whose q is never 0 as long as budget and patience last.
    It is not valid for the ramps.

    References
    ----------
    .. [1] A. Guillory, E. Chastain, J. Bilmes, "Active Learning as Non-Convex
       Optimization", AISTATS 2009, Figure 3 (left); the ramps and the sigmoid
       are in Sections 2.1 to 2.3.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import MarginLossClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = MarginLossClassifier(random_state=0).fit(X[:1500] / 16, y[:1500])
    >>> print(learner.n_queries_, "labels of 1500")
    1155 labels of 1500
    >>> learner.score(X[1500:] / 16, y[1500:]) > 0.8
    True
    """

    def __init__(
        self,
        loss: str | MarginLoss = "log_ramp",
        *,
        eta0: float = 0.1,
        learning_rate: Literal["constant", "invscaling", "adaptive"] = "constant",
        query_probability: Literal["tight"] | Callable[..., Any] = "tight",
        n_warm_start: int = 0,
        average: bool = True,
        fit_intercept: bool = True,
        normalize: bool = False,
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        budget: int | float | None = None,
        patience: int | None = 1000,
        shuffle: bool = True,
        random_state: Seed = None,
    ):
        self.loss = loss
        self.eta0 = eta0
        self.learning_rate = learning_rate
        self.query_probability = query_probability
        self.n_warm_start = n_warm_start
        self.average = average
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.class_weight = class_weight
        self.budget = budget
        self.patience = patience
        self.shuffle = shuffle
        self.random_state = random_state

    @property
    def _adapts(self):
        return self.learning_rate == "adaptive"

    def _make_rules(self):
        loss = make_loss(self.loss)
        n_warm_start = check_number(
            self.n_warm_start, "n_warm_start", 0, closed="left", integer=True
        )
        if callable(self.query_probability):
            query_rule = FunctionRule(self.query_probability, loss, n_warm_start)
        else:
            check_option(self.query_probability, "query_probability", ("tight",))
            query_rule = LossRule(loss, n_warm_start)
        return query_rule, make_loss_update(self, loss, n_warm_start)

    def _passive_baseline(self):
        return hinge_baseline(self)

    def _warn_after_run(self, X=None):
        """Warn about a step so large that nothing is bought after it."""
        super()._warn_after_run(X)
        few = min(2 * len(self.classes_), self._limits(0)[0] - 1)
        if self.n_seen_ > 100 and self.n_queries_ <= few:
            step = f"eta0={self.eta0}"
            cure = "Lower eta0, scale X or set normalize=True"
            if self._adapts:
                step, cure = "adaptive length", "Scale X or set n_warm_start"
            warn_user(
                f"Only {self.n_queries_} of {self.n_seen_} labels bought: a step of "
                f"{step} moves rows of this size so far from the separator that the "
                f"loss is flat there. {cure}.",
                ConvergenceWarning,
            )


def make_loss_update(learner, loss, n_warm_start):
    """Return the gradient step on a loss with the learner's learning rate."""
    eta0 = check_number(learner.eta0, "eta0", 0)
    check_option(learner.learning_rate, "learning_rate", POWERS)
    if learner.learning_rate == "adaptive":
        eta0 = margin_gain(loss)
    return LossUpdate(loss, eta0, POWERS[learner.learning_rate], n_warm_start)


def margin_gain(loss):
    """Return the change of the margin of a row of average size by an adaptive step.

    It is smaller than `GAIN` if the loss has query probability 0 there: rows that start
    at the separator could never be bought again.
    """
    if loss.query_probability(GAIN) > 0:
        return GAIN
    margins = np.linspace(0, GAIN, 201)[1:]
    return margins[loss.query_probability(margins) > 0].max(initial=margins[0])


def hinge_baseline(learner):
    """Return a learner of every label by the hinge, with the same parameters."""
    return make_baseline(
        learner,
        MarginLossClassifier(),
        loss="hinge",
        query_probability="tight",
        patience=None,
    )
