"""DKM: ask inside a margin that shrinks."""

from typing import Literal

from .._typing import Seed
from .._validation import UNLIMITED, check_number, check_option
from ._base import StreamClassifier, make_update_rule
from ._random import perceptron_baseline
from ._rules import HalvingThresholdRule


class DKMClassifier(StreamClassifier):
    """Selective sampler that asks inside a shrinking margin (DKM).

    A label is bought if the margin of the row is at most s. After R bought
    labels in a row without a mistake, s is halved: the learner then looks
    closer to its separator, where it still errs. On separable data it needs
    the fewest labels, and it stops asking early.

    Parameters
    ----------
    R : int >= 1, default=32
        Correct answers in a row before the threshold is halved: the waiting time.
        Small values buy fewer labels and stop sooner, sometimes too soon.

    threshold : {"max", "uniform"} or float > 0, default="max"
        First threshold s. "max": 1, the largest margin of a unit row and a unit
        w; "uniform": 1 / sqrt(d), for rows spread evenly over the sphere in d
        dimensions, the constant feature included.

    update : {"perceptron", "dkm"}, default="perceptron"
        What a mistake does to the weights: ``w + eta0 y x`` (Perceptron), or
        the reflection ``w - 2 (w.x) x / |x|^2``, which keeps the norm of w.

    eta0 : float > 0, default=1.0
        Step of the Perceptron update; the reflection has none.

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
    threshold_ : float
        Present threshold s.

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
    CBGZClassifier : Goes on asking, at random; better on inseparable data.
    RandomSamplingClassifier : The passive counterpart.

    Notes
    -----
    The first label is always bought and seeds the weights, w = y x. The paper's
    Figure 1 halves s when the run exceeds R, its text when it reaches R: this
    follows the text. A row counts as inside with a relative slack of 1e-12, so
    that a repeated row at s = 1 is.

    With more than two classes the margin is half the gap between the two
    highest scores, and a label moves its own class and its strongest rival.

    References
    ----------
    .. [1] S. Dasgupta, A. T. Kalai, C. Monteleoni, "Analysis of
       Perceptron-Based Active Learning", COLT 2005.
    .. [2] C. Monteleoni, M. Kääriäinen, "Practical Online Active Learning for
       Classification", CVPR Workshop 2007, Figure 1. DKM² is `update="dkm"`,
       DKMperc `update="perceptron"`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn_activelearn import DKMClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), DKMClassifier(random_state=0))
    >>> model.fit(X, y).score(X, y) > 0.9
    True
    >>> print(model[-1].n_queries_, "labels of", len(y))
    190 labels of 569
    """

    _search_grid = {"R": [1, 8], "threshold": ["max", "uniform", 0.5]}

    def __init__(
        self,
        R: int = 32,
        *,
        threshold: Literal["max", "uniform"] | float = "max",
        update: Literal["perceptron", "dkm"] = "perceptron",
        eta0: float = 1.0,
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
        self.R = R
        self.threshold = threshold
        self.update = update
        self.eta0 = eta0

    @property
    def threshold_(self) -> float:
        """Present threshold s."""
        return float(self._memory[0])

    def _make_rules(self):
        R = min(check_number(self.R, "R", 1, closed="left", integer=True), UNLIMITED)
        threshold = self.threshold
        if isinstance(threshold, str):
            check_option(threshold, "threshold", ("max", "uniform"))
        else:
            check_number(threshold, "threshold", 0)
        return HalvingThresholdRule(R, threshold), make_update_rule(
            self.update, self.eta0
        )

    def _passive_baseline(self):
        return perceptron_baseline(self)
