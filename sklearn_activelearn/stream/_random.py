"""Random sampling: the passive baseline of the stream learners."""

from typing import Literal

from .._baseline import baseline_of
from .._typing import Seed
from .._validation import check_number
from ._base import StreamClassifier, make_update_rule
from ._rules import ConstantRule


class RandomSamplingClassifier(StreamClassifier):
    """Sampler that asks at random: passive learning under the same protocol.

    The baseline that an active learner has to beat with the same update and the
    same number of labels. `rate=1` buys everything: the plain Perceptron.

    Parameters
    ----------
    rate : float in (0, 1], default=0.3
        Probability with which each label is bought.

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
    CBGZClassifier : Asks where it is unsure.
    DKMClassifier : Asks inside a shrinking margin.
    sklearn_activelearn.evaluation.online_score : Its error, from the labels bought.

    Notes
    -----
    With more than two classes a label moves its own class and its strongest
    rival (the multiclass Perceptron of Crammer and Singer).

    References
    ----------
    .. [1] C. Monteleoni, M. Kääriäinen, "Practical Online Active Learning for
       Classification", CVPR Workshop 2007, Section 4.1: randPerc is
       `update="perceptron"`, randDKM `update="dkm"`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import RandomSamplingClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = RandomSamplingClassifier(rate=0.5, random_state=0).fit(X, y)
    >>> print(learner.n_queries_, "labels of", len(y))
    922 labels of 1797
    """

    _search_grid = {"rate": [0.1, 1.0], "update": ["perceptron", "dkm"]}

    def __init__(
        self,
        rate: float = 0.3,
        *,
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
        self.rate = rate
        self.update = update
        self.eta0 = eta0

    def _make_rules(self):
        rate = check_number(self.rate, "rate", 0, 1, closed="right")
        return ConstantRule(rate), make_update_rule(self.update, self.eta0)

    def _passive_baseline(self):
        return perceptron_baseline(self)


def perceptron_baseline(learner):
    """Return the learning of every label with a learner's update and parameters."""
    return baseline_of(learner, RandomSamplingClassifier(), rate=1.0, patience=None)
