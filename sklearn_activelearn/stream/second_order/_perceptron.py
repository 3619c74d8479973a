"""The second-order Perceptron: all labels bought, mistakes stored."""

from ..._baseline import baseline_of
from ..._validation import check_number
from .._rules import ConstantRule
from .._updates import PerceptronUpdate
from ._base import SecondOrderClassifier


class SecondOrderPerceptronClassifier(SecondOrderClassifier):
    """Passive learner: the Perceptron with whitened rows (SOP).

    It buys every label and stores the rows it got wrong. The yardstick for the
    second-order samplers, as `RandomSamplingClassifier` is for the first-order
    ones: what the same model learns when labels cost nothing.

    Parameters
    ----------
    a : float > 0, default=1.0
        Ridge: A = a I + the stored rows' S S'. The larger, the closer to the
        Perceptron.

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
        its parameters, `a`, `fit_intercept` or `normalize` changed without `fit`.

    See Also
    --------
    SOLEClassifier : The same, with the labels that it chooses.
    RandomSamplingClassifier : `rate=1` is the first-order Perceptron.

    Notes
    -----
    The score of a row is y' S' A⁻¹ x. With more than two classes all classes
    share A and have targets ±1, and a mistake is a wrong class.

    References
    ----------
    .. [1] N. Cesa-Bianchi, A. Conconi, C. Gentile, "A Second-Order Perceptron
       Algorithm", SIAM Journal on Computing 34(3), 2005.
    .. [2] G. Cavallanti, N. Cesa-Bianchi, C. Gentile, "Linear Classification and
       Selective Sampling Under Low Noise Conditions", NIPS 2008, Figure 2 (SOP).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import SecondOrderPerceptronClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = SecondOrderPerceptronClassifier(random_state=0)
    >>> learner = learner.fit(X[:1500], y[:1500])
    >>> print(learner.n_queries_, "labels,", learner.n_updates_, "mistakes")
    1500 labels, 134 mistakes
    >>> learner.score(X[1500:], y[1500:]) > 0.8
    True
    """

    _remedy = "choose a larger a"

    _shaped_by = (*SecondOrderClassifier._shaped_by, "a")

    _search_grid = {"a": [0.1, 1.0], "kernel": ["linear", "rbf"], "gamma": [None, 0.3]}

    def __init__(
        self,
        a=1.0,
        *,
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
        self.a = a

    def _make_rules(self):
        return ConstantRule(1.0), PerceptronUpdate(1.0)

    def _passive_baseline(self):
        return whitened_baseline(self)

    def _a(self):
        return check_number(self.a, "a", 0)


def whitened_baseline(learner):
    """Return the learning of every label with a learner's ridge and parameters."""
    return baseline_of(learner, SecondOrderPerceptronClassifier(), patience=None)
