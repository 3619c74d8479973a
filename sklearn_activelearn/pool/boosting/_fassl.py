"""The committee that grows: one boosting step for each label."""

from typing import Literal

from sklearn.ensemble import AdaBoostClassifier

from ..._typing import Classifier, Embedding, Floats, Seed, Stopping
from .._base import PoolClassifier
from .._passive import passive_baseline
from ._rounds import RoundsPerLabel
from ._trainer import BoostingTrainer, closest_vote


class FASSLBoostClassifier(PoolClassifier):
    r"""Pool learner whose committee grows with the labels (FASSL-Boost).

    One boosting step for each label taught, on labelled rows and on guessed labels of
    the others; nothing is thrown away. Then the row with the smallest margin is bought.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner; its `fit` takes `sample_weight`. Cloned, never changed. None:
        `DecisionStumpClassifier`, for which the pool is sorted once.

    alpha : float in [0, 1], default=0.01
        What a row without a label counts beside a labelled one.

    init : classifier, default=None
        Trained on the first labels, it guesses the first pseudo-labels. None: the
        nearest neighbour, ``KNeighborsClassifier(n_neighbors=1)``, which wants scaled
        features and no missing values.

    n_estimators_per_label : int >= 1, default=1
        Boosting steps for each label taught.

    n_initial_estimators : int >= 1, default=None
        Boosting steps for all labels of the first committee together. 1 is Algorithm
        1. None: `n_estimators_per_label` for each of them, which predicts better from
        the first query on.

    shrinkage : float in (0, 1], default=1.0
        By what the weights of members are multiplied. 1 is Algorithm 1. Where labels
        are noisy, or many are bought, a smaller one is better: early members, trained
        on few labels, are then outvoted in time.

    early_stopping : bool, default=False
        Whether to buy no more when a new member is no better than chance, or when the
        error on the labelled rows does not decrease, which Algorithm 1 does. That is
        soon: at the latest when there is no such error.

    n_initial : int >= 1, default=10
        Labels bought before the first committee; then further ones, chosen likewise,
        `batch_size` at a time, while all are of one class.

    initial : {"random", "herding"}, default="random"
        Which rows are the first ones: random ones, no two of them equal, or such that
        cover the pool, each chosen to be similar to as many rows as possible that no
        earlier one is similar to (MaxHerding).

    batch_size : int >= 1, default=1
        Labels bought between two trainings: rows of different scores, the smallest
        margins first.

    batch : {"top", "cluster", "herding"}, default="top"
        Which rows are a batch: those that are worth most; or, among ten times as many
        of these, the first of each of `batch_size` clusters (k-means), or those that
        cover the others best. Equal rows are bought together only if no others are
        left.

    embedding : transformer, callable or None, default=None
        What distances between rows are measured in, fitted once on each pool, without
        labels. None, for numbers: texts (of which fewer than 1 number in 20 is not
        zero) are divided by their lengths; other rows are left as they are if all have
        one length; else each column is divided by its standard deviation or, if it is
        mostly zero, by its largest absolute value.

    budget : int >= 0, float in [0, 1] or None, default=100
        Labels it may buy between one `fit` and the next, or their share of the rows
        offered: those bought and those for sale, at the call where they were most
        numerous; each `partial_fit` adds its own. Raise it with `set_params` to go on.
        None: no limit.

    stopping : str, stopping rule or list of them, default=None
        "margin_exhausted": stop when no row has a margin below 1.
        "stable_predictions": stop when successive committees agree. Others: see the
        guide. The first rule of a list that is met ends it. None: the budget is spent.

    random_state : int, RandomState instance or None, default=None
        Seed of the first rows, of the choice among ties, and of the estimators if they
        have none of their own.

    Attributes
    ----------
    estimator_ : classifier
        The committee. Its members are `estimators_`, their weights
        `estimator_weights_`; ``staged_decision_function(X)`` yields the decision
        values of 1, 2, ... members. With more classes than two, the committees of
        all classes are `committees_`.

    cost_curve_ : ndarray of shape (n_trainings,)
        The cost :math:`C_{S_n}(F_n)` after each training.

    classes_ : ndarray of shape (n_classes,)
        Labels, sorted. They grow with `teach` unless `fit` or `classes` told them.

    n_queries_ : int
        Labels bought since the last `fit`.

    queried_indices_ : ndarray of int of shape (n_bought,)
        Rows of the last `fit`, `partial_fit` or `learn` X whose labels were
        bought, in order.

    n_pending_ : int
        Rows asked for and neither taught nor skipped yet.

    n_skipped_ : int
        Rows skipped, and not taught later.

    n_taught_ : int
        Labels taught, bought or not.

    stop_reason_ : str or None
        Why the last purchase was none: "budget", the name of the stopping rule, "no
        rows" or "limit". None if rows were bought.

    n_features_in_ : int
        Number of features, if the rows have any.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the first rows came with string names.

    Raises
    ------
    ValueError, TypeError
        From every verb, before anything is bought or changed: a parameter out of its
        range, an estimator whose `fit` takes no `sample_weight`, rows that its tags
        refuse, labels outside the classes.

    See Also
    --------
    COMBClassifier : Builds the committee anew for every query.
    ASSLBoostClassifier : Minimises the same cost before every query.

    Notes
    -----
    With l labelled and u other rows and :math:`F = \sum_t \omega_t f_t`, the cost is

    .. math:: C_{S_n}(F) = \frac{1}{l + u} \Bigl( \sum_{i \le l} e^{-y_i F(x_i)}
        + \alpha \sum_{i > l} e^{-|F(x_i)|} \Bigr).

    A member is trained with its terms as weights: :math:`w_i = e^{-y_i F(x_i)}` with a
    label, :math:`\alpha e^{-y^F_i F(x_i)}` without, where :math:`y_i` is the label and
    :math:`y^F_i` the pseudo-label as of now. That is the update of Algorithm 1, kept
    right when labels change. Its weight is :math:`\omega_t = \frac12 \log \frac{1 -
    \varepsilon_t}{\varepsilon_t}`; an error smaller than the share of half a labelled
    row counts as that. Pseudo-labels are those of `init` for the first training and
    then, after each purchase, of the committee.

    A member no better than chance is left out; the next label brings a new one.

    More classes than two have a committee each, against the others. The margin of a row
    is the gap between its two highest scores then, and the cost the mean of theirs.
    When a label of a new class comes, all committees begin again.

    A step takes one look at the pool. Give the whole pool to each `query` and name the
    rows that are left in `candidates`: then it is sorted and scored once, not for every
    query.

    References
    ----------
    .. [1] Z. Wang, Y. Song, C. Zhang, "Efficient Active Learning with Boosting", SDM
       2009, Algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn_activelearn import FASSLBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> learner = FASSLBoostClassifier(budget=60, random_state=0).fit(X, y)
    >>> print(f"{learner.n_queries_} labels, accuracy {learner.score(X, y):.2f}")
    60 labels, accuracy 0.97
    """

    _search_grid = {"alpha": [0.01, 0.1], "n_estimators_per_label": [1, 2]}

    cost_curve_: Floats

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        alpha: float = 0.01,
        init: Classifier | None = None,
        n_estimators_per_label: int = 1,
        n_initial_estimators: int | None = None,
        shrinkage: float = 1.0,
        early_stopping: bool = False,
        n_initial: int = 10,
        initial: Literal["random", "herding"] = "random",
        batch_size: int = 1,
        batch: Literal["top", "cluster", "herding"] = "top",
        embedding: Embedding | None = None,
        budget: int | float | None = 100,
        stopping: Stopping | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.init = init
        self.n_estimators_per_label = n_estimators_per_label
        self.n_initial_estimators = n_initial_estimators
        self.shrinkage = shrinkage
        self.early_stopping = early_stopping
        self.n_initial = n_initial
        self.initial = initial
        self.batch_size = batch_size
        self.batch = batch
        self.embedding = embedding
        self.budget = budget
        self.stopping = stopping
        self.random_state = random_state

    def _make_trainer(self):
        rounds = RoundsPerLabel(
            self.n_estimators_per_label,
            self.n_initial_estimators,
            self.shrinkage,
            self.early_stopping,
        )
        return BoostingTrainer(self.estimator, rounds, self.alpha, self.init)

    _select = closest_vote

    def _passive_baseline(self):
        weak = self._make_trainer().estimators[0]
        return passive_baseline(self, AdaBoostClassifier(weak))
