"""Second-order Perceptron: buy every label, store the mistakes."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from ...base._parameters import check_number
from ...base._verbs import make_baseline
from ...utils.typing import Seed
from .._rules import ConstantRule, PerceptronUpdate
from ._base import SecondOrderClassifier


class SecondOrderPerceptronClassifier(SecondOrderClassifier):
    """Passive learner: the Perceptron with whitened rows (SOP).

    It buys every label and stores the rows that it predicted wrongly. It is the
    baseline of the second-order samplers: the model that they would learn from all
    labels.

    Parameters
    ----------
    a : float > 0, default=1.0
        Ridge of A = a I + S S', S the stored rows. The larger, the closer to the
        Perceptron.

    kernel : str or callable, default="linear"
        Name of a kernel of `sklearn.metrics.pairwise.pairwise_kernels`, or a callable
        ``kernel(X, Z) -> ndarray of shape (n_rows_X, n_rows_Z)``, such as
        ``partial(polynomial_kernel, degree=2)``. "chi2" takes dense rows only.

    gamma : float > 0 or None, default=None
        Parameter of the named kernels that have one. None: the default of the kernel.

    solver : {"auto", "primal", "dual", "coordinate_descent"}, default="auto"
        Algorithm that updates the weights when a row is stored.

        - "primal" keeps a matrix of n_features + 1 rows and columns;
        - "dual" keeps the stored rows and a triangular matrix with a row for each;
        - "coordinate_descent" keeps the stored rows and a coefficient of each. It makes
          129 steps of dual coordinate descent towards the optimum, and computes r as if
          A were its diagonal. The cost of a stored row does not depend on their number;
        - "auto" starts with "dual". It changes to "primal" when that is cheaper: at
          about .4 times as many stored rows as features for dense rows. It changes to
          "coordinate_descent" at 500 stored rows, or a later multiple of 500, if at
          most a tenth of the stored entries differ from 0.

        "primal" and "dual" give the optimum and differ in time, memory and rounding
        only. With a kernel or `max_stored`, "auto" is "dual".

    max_stored : int >= 1 or None, default=None
        Largest number of rows to hold. When one more is stored, the oldest row is
        forgotten as if it had never been stored. None: no limit; time and memory of
        "dual" grow with the number of stored rows.

    fit_intercept : bool, default=True
        Whether to append a constant feature 1 to each row (with a kernel, to its
        image). False: separators through the origin, as in the paper.

    normalize : bool, default=True
        Whether to scale each row to unit Euclidean norm, as the analysis assumes. Rows
        of zeros stay zero. With a kernel the image of the row is scaled: k(x, z) /
        sqrt(k(x, x) k(z, z)). With `fit_intercept` the scaled row is divided by the
        square root of 2.

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
        classes there is one row, the weights of ``classes_[1]``. Only with
        ``kernel="linear"``.

    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant feature. Only with ``kernel="linear"``.

    is_dual_ : bool
        Whether the learner holds the stored rows, and not a matrix.

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
        Number of labels that were stored.

    n_features_in_ : int
        Number of features.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the columns of the first X have string names.

    Raises
    ------
    ValueError, TypeError
        From every method, before anything is bought or changed, for a parameter out of
        its range, NaN or infinity in X, labels outside the classes, and for `kernel`,
        `gamma`, `solver`, `max_stored`, `a`, `fit_intercept`, `normalize` or
        `class_weight` changed without `fit`.

    See Also
    --------
    SOLEClassifier : Learns the same model from labels that it chooses.
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

    def __init__(
        self,
        a: float = 1.0,
        *,
        kernel: str | Callable[..., Any] = "linear",
        gamma: float | None = None,
        solver: Literal["auto", "primal", "dual", "coordinate_descent"] = "auto",
        max_stored: int | None = None,
        fit_intercept: bool = True,
        normalize: bool = True,
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        budget: int | float | None = None,
        patience: int | None = None,
        shuffle: bool = True,
        random_state: Seed = None,
    ):
        self.a = a
        self.kernel = kernel
        self.gamma = gamma
        self.solver = solver
        self.max_stored = max_stored
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.class_weight = class_weight
        self.budget = budget
        self.patience = patience
        self.shuffle = shuffle
        self.random_state = random_state

    def _make_rules(self):
        return ConstantRule(1.0), PerceptronUpdate(1.0)

    def _passive_baseline(self):
        return whitened_baseline(self)

    def _a(self):
        return check_number(self.a, "a", 0)


def whitened_baseline(learner):
    """Return a learner that buys every label, with the same ridge and parameters."""
    return make_baseline(learner, SecondOrderPerceptronClassifier(), patience=None)
