"""CBGZ: ask with probability b / (b + margin)."""

from typing import Literal

from .._typing import Seed
from .._validation import check_number, check_option
from ._base import StreamClassifier, make_update_rule
from ._random import perceptron_baseline
from ._rules import AdaptiveInverseMarginRule, InverseMarginRule


class CBGZClassifier(StreamClassifier):
    """Selective sampler that asks with probability b / (b + margin) (CBGZ).

    The label-efficient Perceptron: rows near the separator are almost always
    bought, others now and then, so it never stops asking and copes with
    inseparable data.

    Parameters
    ----------
    b : float > 0 or "adaptive", default=0.1
        Eagerness: the larger, the more labels. Small against the usual margin
        is selective. "adaptive": b grows as beta X² sqrt(1 + K), with X the
        largest norm of a row so far and K the updates so far.

    update : {"perceptron", "dkm"}, default="perceptron"
        What a mistake does to the weights: ``w + eta0 y x`` (Perceptron), or
        the reflection ``w - 2 (w.x) x / |x|^2``, which keeps the norm of w.

    eta0 : float > 0, default=1.0
        Step of the Perceptron update; the reflection has none.

    beta : float > 0, default=1.0
        Scale of the adaptive b; not used otherwise.

    average : bool, default=True
        Predict with the mean of the weights after each label taught, instead
        of the last ones. Queries and updates always use the last. False is the
        paper's algorithm.

    fit_intercept : bool, default=True
        Append a constant feature 1 to each row. False: separators through the
        origin, as in the paper.

    normalize : bool, default=True
        Scale each row to unit Euclidean norm on the fly, which the analysis
        assumes; zero rows stay zero. With `fit_intercept` the row is then
        divided by the square root of 2.

    budget : int >= 0, float in [0, 1] or None, default=None
        Labels it may buy between one `fit` and the next. Raise it with
        `set_params` to go on. A float is a share of the rows seen and those of the
        call, for `fit` and `learn` only. None: no limit.

    patience : int >= 1, default=None
        Stop asking for good after this many rows in a row without a purchase.
        None: never.

    shuffle : bool, default=True
        Whether `fit` visits the rows in random order. `partial_fit` and `learn`
        never do.

    random_state : int, RandomState instance or None, default=None
        Seed of the coins (one number for each row seen, needed or not) and of
        the shuffling.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.

    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights that predict; they apply to rows of unit norm if `normalize`.
        One row for two classes: the weights of ``classes_[1]``.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant feature.

    n_queries_ : int
        Labels bought since the last `fit`.

    queried_indices_ : ndarray of int of shape (n_bought,)
        Rows of the last `fit`, `partial_fit` or `learn` X whose labels were
        bought, in order.

    n_pending_ : int
        Rows asked for and neither taught nor skipped yet.

    n_skipped_ : int
        Rows asked for and skipped.

    n_taught_ : int
        Labels taught, bought or not.

    stop_reason_ : str or None
        Why nothing can be bought any more: "budget" or "patience". After a `query`
        that returned no row also "no rows" or "limit". Else None.

    n_seen_ : int
        Rows decided.

    n_updates_ : int
        Labels that changed the weights.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the first rows came with string names.

    Raises
    ------
    ValueError, TypeError
        From every verb, before anything is bought or changed: a parameter out
        of its range, NaN or infinity in X, labels outside the classes; `average`,
        `fit_intercept` or `normalize` changed without `fit`.

    See Also
    --------
    DKMClassifier : Fewer labels on separable data.
    RandomSamplingClassifier : The passive counterpart.
    sklearn_activelearn.evaluation.online_score : Its error, from the labels bought.

    Notes
    -----
    Every row has a chance to be bought, so weighting bought rows by the inverse
    of their probability (``query(X, return_probability=True)``) is valid. With
    ``update="perceptron"`` only b / eta0 matters.

    With more than two classes the margin is half the gap between the two
    highest scores, and a label moves its own class and its strongest rival.

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
    A stream that arrives in chunks, labelled by someone who is paid for it:

    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import CBGZClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = CBGZClassifier(random_state=0)
    >>> for start in range(0, 1500, 50):
    ...     chunk = X[start : start + 50]
    ...     rows = learner.query(chunk)
    ...     labels = y[start + rows]  # ask for these, however long it takes
    ...     learner = learner.teach(chunk[rows], labels, classes=range(10))
    >>> print(learner.n_queries_, "labels of 1500")
    548 labels of 1500
    >>> learner.score(X[1500:], y[1500:]) > 0.8
    True
    """

    _search_grid = {"b": [0.03, "adaptive"], "eta0": [1.0, 2.0]}

    def __init__(
        self,
        b: float | Literal["adaptive"] = 0.1,
        *,
        update: Literal["perceptron", "dkm"] = "perceptron",
        eta0: float = 1.0,
        beta: float = 1.0,
        average: bool = True,
        fit_intercept: bool = True,
        normalize: bool = True,
        budget: int | float | None = None,
        patience: int | None = None,
        shuffle: bool = True,
        random_state: Seed = None,
    ):
        super().__init__(
            average=average,
            fit_intercept=fit_intercept,
            normalize=normalize,
            budget=budget,
            patience=patience,
            shuffle=shuffle,
            random_state=random_state,
        )
        self.b = b
        self.update = update
        self.eta0 = eta0
        self.beta = beta

    def _make_rules(self):
        beta = check_number(self.beta, "beta", 0)
        if isinstance(self.b, str):
            check_option(self.b, "b", ("adaptive",))
            rule = AdaptiveInverseMarginRule(beta)
        else:
            rule = InverseMarginRule(check_number(self.b, "b", 0))
        return rule, make_update_rule(self.update, self.eta0)

    def _passive_baseline(self):
        return perceptron_baseline(self)
