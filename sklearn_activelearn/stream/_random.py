"""Random sampling: the passive baseline of the stream learners."""

from collections.abc import Mapping
from typing import Any, Literal

from ..base._parameters import check_number
from ..base._verbs import make_baseline
from ..utils.typing import Seed
from ._base import StreamClassifier, make_update_rule
from ._rules import ConstantRule


class RandomSamplingClassifier(StreamClassifier):
    """Sampler that buys at random: passive learning under the same protocol.

    The baseline that an active learner has to beat with the same update and the
    same number of labels. With `rate=1` it is the plain Perceptron.

    Parameters
    ----------
    rate : float in (0, 1], default=0.3
        Probability of buying each label.

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
    CBGZClassifier : Buys where the margin is small.
    DKMClassifier : Buys inside a shrinking margin.
    sklearn_activelearn.evaluation.online_score : Estimates the error from the labels
        bought.

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

    def __init__(
        self,
        rate: float = 0.3,
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
        self.rate = rate
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
        rate = check_number(self.rate, "rate", 0, 1, closed="right")
        return ConstantRule(rate), make_update_rule(self.update, self.eta0)

    def _passive_baseline(self):
        return perceptron_baseline(self)


def perceptron_baseline(learner):
    """Return a learner that buys every label, with the same updates and parameters."""
    return make_baseline(learner, RandomSamplingClassifier(), rate=1.0, patience=None)
