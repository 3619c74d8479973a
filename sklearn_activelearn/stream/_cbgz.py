"""CBGZ: buy with probability b / (b + margin), which `_rules.pyx` computes."""

from collections.abc import Mapping
from typing import Any, Literal

from ..base._parameters import check_number, check_option
from ..utils.typing import Seed
from ._base import StreamClassifier, make_update_rule
from ._random import perceptron_baseline
from ._rules import AdaptiveInverseMarginRule, InverseMarginRule


class CBGZClassifier(StreamClassifier):
    """Selective sampler that buys with probability b / (b + margin) (CBGZ).

    The label-efficient Perceptron. Labels of rows near the separator are almost always
    bought, others now and then, so that it never stops buying and copes with
    inseparable data.

    Parameters
    ----------
    b : float > 0 or "adaptive", default=0.1
        Eagerness: the larger, the more labels are bought. A value much smaller than the
        usual margin is selective. "adaptive": b = X² sqrt(1 + K), with X the largest
        norm of a row so far and K the number of updates so far.

    update : {"perceptron", "dkm"}, default="perceptron"
        Change of the weights after a mistake: ``w + eta0 y x`` (Perceptron), or the
        reflection ``w - 2 (w.x) x / |x|^2``, which keeps the norm of w.

    eta0 : float > 0, default=1.0
        Step of the Perceptron update. The reflection has no step.

    average : bool, default=True
        Whether to predict with the mean of the weights after each label taught, instead
        of the last weights. Queries and updates always use the last weights. False is
        the algorithm of the paper.

    fit_intercept : bool, default=True
        Whether to append a constant feature 1 to each row. False: separators through
        the origin, as in the paper.

    normalize : bool, default=True
        Whether to scale each row to unit Euclidean norm, as the analysis assumes. Rows
        of zeros stay zero. With `fit_intercept` the scaled row is divided by the square
        root of 2.

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

    patience : int >= 1, default=None
        Number of consecutive rows without a purchase after which the learner buys no
        more labels. None: never stop.

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
    DKMClassifier : Needs fewer labels on separable data.
    RandomSamplingClassifier : Passive learning with the same updates.
    sklearn_activelearn.evaluation.online_score : Estimates the error from the labels
        bought.

    Notes
    -----
    Every row can be bought, so weighting bought rows by the inverse of their
    probability (``query(X, return_probability=True)``) is valid. With
    ``update="perceptron"`` only b / eta0 matters; a larger `eta0` makes the adaptive b
    more selective.

    With more than two classes, the margin is half the difference between the two
    highest scores, and a label changes the weights of its class and of the
    strongest other class.

    References
    ----------
    .. [1] N. Cesa-Bianchi, C. Gentile, L. Zaniboni, "Worst-Case Analysis of
       Selective Sampling for Linear Classification", JMLR 7, 2006 (the adaptive
       b is its adaptive version).
    .. [2] C. Monteleoni, M. Kääriäinen, "Practical Online Active Learning for
       Classification", CVPR Workshop 2007, Figure 2. CBGZperc is
       `update="perceptron"`, CBGZ_DKM `update="dkm"`.

    Examples
    --------
    A stream that arrives in chunks, labelled by a person:

    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import CBGZClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = CBGZClassifier(random_state=0)
    >>> for start in range(0, 1500, 50):
    ...     chunk = X[start : start + 50]
    ...     rows = learner.query(chunk)
    ...     labels = y[start + rows]  # these labels are paid for
    ...     learner = learner.teach(chunk[rows], labels, classes=range(10))
    >>> print(learner.n_queries_, "labels of 1500")
    548 labels of 1500
    >>> learner.score(X[1500:], y[1500:]) > 0.8
    True
    """

    def __init__(
        self,
        b: float | Literal["adaptive"] = 0.1,
        *,
        update: Literal["perceptron", "dkm"] = "perceptron",
        eta0: float = 1.0,
        average: bool = True,
        fit_intercept: bool = True,
        normalize: bool = True,
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        budget: int | float | None = None,
        patience: int | None = None,
        shuffle: bool = True,
        random_state: Seed = None,
    ):
        self.b = b
        self.update = update
        self.eta0 = eta0
        self.average = average
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.class_weight = class_weight
        self.budget = budget
        self.patience = patience
        self.shuffle = shuffle
        self.random_state = random_state

    def _make_rules(self):
        if isinstance(self.b, str):
            check_option(self.b, "b", ("adaptive",))
            rule = AdaptiveInverseMarginRule()
        else:
            rule = InverseMarginRule(check_number(self.b, "b", 0))
        return rule, make_update_rule(self.update, self.eta0)

    _passive_baseline = perceptron_baseline
