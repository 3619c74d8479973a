"""SOLE: the second-order label-efficient Perceptron."""

from ..._validation import check_number, check_option
from .._rules import FunctionRule, InverseMarginRule, PotentialRule
from .._updates import PerceptronUpdate
from ._base import SecondOrderClassifier
from ._perceptron import whitened_baseline

QUERY_RULES = {"potential": PotentialRule, "margin": InverseMarginRule}


class SOLEClassifier(SecondOrderClassifier):
    """Selective sampler that asks with probability b / (b + margin), whitened (SOLE).

    The second-order label-efficient Perceptron: `CBGZClassifier` with margins
    that are shrunk by how little is known in a row's direction, and a ridge
    regression on the rows it got wrong instead of their sum.

    Parameters
    ----------
    b : float > 0, default=0.03
        Eagerness: the larger, the more labels. Small against the usual margin
        is selective.

    a : float > 0, default=1.0
        Ridge: A = a I + the stored rows' S S'. The larger, the closer to the
        first-order learner.

    query_probability : {"potential", "margin"} or callable, default="potential"
        Probability of buying a label at margin p: b / (b + p + p² (1 + r) / 2)
        ("potential", the published rule), or b / (b + p). A callable gets an array of
        margins p and returns as many probabilities; `b` is then not used (it must
        still be in its range), and r is computed for every row.

    kernel : str or callable, default="linear"
        A kernel of `sklearn.metrics.pairwise.pairwise_kernels`: its name, or a
        function of two rows. "chi2" takes dense rows only.

    gamma : float > 0, default=None
        Parameter of the kernels that have one. None: the kernel's default.

    degree : float > 0, default=3
        Degree of the polynomial kernel.

    coef0 : float, default=1
        Constant term of the polynomial and the sigmoid kernel.

    dual : {"auto", True, False}, default="auto"
        False: keep a matrix of n_features + 1 rows and columns. True: keep the
        stored rows and a triangle of as many rows and columns, which is all that
        other kernels than the linear one allow. "auto": dual until the matrix
        is cheaper, at about .4 as many stored rows as features if they are
        dense. The form makes no difference but to time, memory and rounding. Set
        to False between calls, it moves to the matrix with the next label; there
        is no way back without `fit`.

    max_stored : int >= 1, default=None
        Most rows to hold: when there is one more, the row stored first is
        forgotten as if it had never been. The learner stays dual. None: no
        limit; the memory of the dual form grows with the stored rows.

    fit_intercept : bool, default=True
        Append a constant feature 1 to each row (to its image, with a kernel).
        False: separators through the origin, as in the paper.

    normalize : bool, default=True
        Scale each row to unit Euclidean norm on the fly, which the analysis
        assumes; zero rows stay zero. With a kernel it is the row's image that is
        scaled, k(x, z) / sqrt(k(x, x) k(z, z)). With `fit_intercept` the row is
        then divided by the square root of 2.

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
        One row for two classes: the weights of ``classes_[1]``. Only with
        ``kernel="linear"``.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant feature; only with ``kernel="linear"``.

    is_dual_ : bool
        Whether it is in dual form now.

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
        Labels that were stored.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the first rows came with string names.

    Raises
    ------
    ValueError, TypeError
        From every verb, before anything is bought or changed: a parameter out
        of its range, NaN or infinity in X, labels outside the classes; a kernel,
        its parameters, `a`, `fit_intercept` or `normalize` changed without `fit`. A
        `query_probability` whose values will not do is also an error.

    See Also
    --------
    RLSSamplingClassifier : Asks below a threshold that falls.
    SecondOrderPerceptronClassifier : The same with all labels.
    CBGZClassifier : The first-order counterpart.
    sklearn_activelearn.evaluation.online_score : Its error, from the labels bought.

    Notes
    -----
    With S the stored rows, those that were bought and predicted wrongly, y
    their labels and A = a I + S S', a row has the margin ``p = |m| / (1 + r)`` with
    m = y' S' A⁻¹ x and r = x' A⁻¹ x. Since 0 <= r <= x'x / a most rows are
    decided by m and the coin alone. A row of zeros without `fit_intercept` has
    margin 0 and is always bought, and stored.

    Every row has a chance to be bought, so weighting bought rows by the inverse
    of their probability (``query(X, return_probability=True)``) is valid, for a
    callable if it is never 0.

    With more than two classes the margin is half the gap between the two
    highest scores; all classes share A and have targets ±1.

    References
    ----------
    .. [1] N. Cesa-Bianchi, C. Gentile, L. Zaniboni, "Worst-Case Analysis of
       Selective Sampling for Linear Classification", JMLR 7, 2006 (its
       second-order algorithm).
    .. [2] G. Cavallanti, N. Cesa-Bianchi, C. Gentile, "Linear Classification and
       Selective Sampling Under Low Noise Conditions", NIPS 2008, Figure 2 (SOLE).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import SOLEClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = SOLEClassifier(random_state=0).fit(X[:1500], y[:1500])
    >>> print(learner.n_queries_, "labels of 1500")
    505 labels of 1500
    >>> learner.score(X[1500:], y[1500:]) > 0.8
    True
    """

    _remedy = "choose a larger a"

    _shaped_by = (*SecondOrderClassifier._shaped_by, "a")

    _search_grid = {"b": [0.03, 0.3], "a": [0.5, 1.0]}

    def __init__(
        self,
        b=0.03,
        *,
        a=1.0,
        query_probability="potential",
        kernel="linear",
        gamma=None,
        degree=3,
        coef0=1,
        dual="auto",
        max_stored=None,
        fit_intercept=True,
        normalize=True,
        budget=None,
        patience=None,
        shuffle=True,
        random_state=None,
    ):
        super().__init__(
            kernel=kernel,
            gamma=gamma,
            degree=degree,
            coef0=coef0,
            dual=dual,
            max_stored=max_stored,
            fit_intercept=fit_intercept,
            normalize=normalize,
            budget=budget,
            patience=patience,
            shuffle=shuffle,
            random_state=random_state,
        )
        self.b = b
        self.a = a
        self.query_probability = query_probability

    def _make_rules(self):
        b = check_number(self.b, "b", 0)
        if callable(self.query_probability):
            return FunctionRule(self.query_probability), PerceptronUpdate(1.0)
        check_option(self.query_probability, "query_probability", QUERY_RULES)
        return QUERY_RULES[self.query_probability](b), PerceptronUpdate(1.0)

    def _passive_baseline(self):
        return whitened_baseline(self)

    def _a(self):
        return check_number(self.a, "a", 0)
