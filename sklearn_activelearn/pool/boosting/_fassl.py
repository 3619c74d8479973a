"""A committee that grows by one boosting step for each label."""

from collections.abc import Callable
from itertools import islice

from ...base._parameters import check_number
from ...utils.typing import Classifier, Seed, Stopping
from ._trainer import BoostingClassifier, BoostingTrainer


class GrowingTrainer(BoostingTrainer):
    """A step of AdaBoost for each new label, added to the last committee.

    Parameters
    ----------
    estimator, alpha, init, n_initial_estimators, shrinkage
        As for `FASSLBoostClassifier`.
    """

    grows = True

    def __init__(self, estimator, alpha, init, n_initial_estimators, shrinkage):
        super().__init__(estimator, alpha, init)
        self.n_initial_estimators = n_initial_estimators
        self.shrinkage = shrinkage

    def check(self):
        super().check()
        if (number := self.n_initial_estimators) is not None:
            check_number(number, "n_initial_estimators", 1, closed="left", integer=True)
        check_number(self.shrinkage, "shrinkage", 0, 1, closed="right")

    def boost(self, boosting, weak_learners, n_first, n_later):
        n_steps = n_later
        if n_first:
            n_steps += self.n_initial_estimators or n_first
        for weak in islice(weak_learners, n_steps):
            boosting.adaboost_step(weak, self.shrinkage)


class FASSLBoostClassifier(BoostingClassifier):
    r"""Pool learner whose committee grows with the labels (FASSL-Boost).

    Each label taught adds one member to the committee, trained on the labelled rows and
    on guessed labels of the other rows. No member is removed. The row with the smallest
    margin is bought next.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner. Its `fit` takes `sample_weight`. It is cloned, never changed.
        None: `DecisionStumpClassifier`, for which the pool is sorted once.

    alpha : float in [0, 1] or callable, default=0.01
        Weight of a row without a label. The weight of a labelled row is 1. A callable
        gets the number of labels at each training, and returns the weight.

    init : classifier, default=None
        Classifier that is trained on the first labels and predicts the first
        pseudo-labels. None: the nearest neighbour,
        ``KNeighborsClassifier(n_neighbors=1)``, which needs scaled features without
        missing values.

    n_initial_estimators : int >= 1, default=None
        Number of members of the first committee. 1 is Algorithm 1. None: one member for
        each of the first labels, which predicts better from the first query on.

    shrinkage : float in (0, 1], default=1.0
        Factor of the weights of members. 1 is Algorithm 1. Where labels are noisy, or
        many labels are bought, a smaller factor is better: early members, trained on
        few labels, are then outvoted in time.

    n_initial : int >= 1, default=10
        Number of labels that are known before the first model is trained, including
        labels that nobody asked for. Once these have two classes, all rows are bought
        with a model. While all labels are of one class, further rows are random,
        `batch_size` at a time, unless `initial` is a function or rows.

    batch_size : int >= 1, default=1
        Number of labels bought between two trainings: rows with different scores, the
        smallest margins first.

    budget : int >= 0, float in [0, 1] or None, default=100
        Largest number of labels to buy between one `fit` and the next: by default
        `query` returns an empty array after 100 labels. A float is a
        share of the rows offered, which are the rows bought and the rows that may be
        bought: the largest number in all calls; each `partial_fit` adds its own rows.
        Raise it with `set_params` to continue. None: no limit.

    stopping : str, stopping rule or list of them, default=None
        Rules that stop buying before the budget is spent; the first rule that is met
        counts. "margin_exhausted": no row has a margin below 1. "stable_predictions":
        successive committees agree. The user guide describes more rules. None: spend
        the budget.

    random_state : int, RandomState instance or None, default=None
        Seed of the first rows, of the choice among equally useful rows, and of
        estimators without a seed.

    Attributes
    ----------
    estimator_ : classifier
        The committee, with members `estimators_` and weights `estimator_weights_`.
        ``staged_decision_function(X)`` yields the decision values of the first 1, 2,
        ... members. With more than two classes, `committees_` has a committee for each.

    cost_curve_ : ndarray of shape (n_trainings,)
        The cost :math:`C_{S_n}(F_n)` after each training.

    classes_ : ndarray of shape (n_classes,)
        Classes, sorted. `teach` adds new classes unless `fit` or `classes` declared
        them all.

    n_queries_ : int
        Number of labels bought since the last `fit`, less refunds.

    queried_indices_ : ndarray of int of shape (n_bought,)
        Row numbers of the labels that the last `fit`, `partial_fit` or `learn` and each
        `query` since have bought, in order.

    n_pending_ : int
        Number of rows that were asked for and neither taught nor skipped yet.

    n_skipped_ : int
        Number of rows that were skipped and not taught later.

    n_taught_ : int
        Number of labels taught, bought or not.

    stop_reason_ : str or None
        Why the last query returned no rows: "budget", the name of the stopping rule,
        "no rows" or "limit". None if rows were bought.

    n_features_in_ : int
        Number of features, if the rows have features.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the columns of the first X have string names.

    Raises
    ------
    ValueError, TypeError
        From every method, before anything is bought or changed: if a parameter is
        out of its range, an estimator lacks a required method or argument or its
        tags refuse the rows, or a label is not one of the classes.

    See Also
    --------
    COMBClassifier : Builds the committee again for every query.
    ASSLBoostClassifier : Minimises the same cost before every query.

    Notes
    -----
    With l labelled rows, u other rows and :math:`F = \sum_t \omega_t f_t`, the cost
    is

    .. math:: C_{S_n}(F) = \frac{1}{l + u} \Bigl( \sum_{i \le l} e^{-y_i F(x_i)}
        + \alpha \sum_{i > l} e^{-|F(x_i)|} \Bigr).

    A member is trained with the terms of the cost as weights: :math:`w_i = e^{-y_i
    F(x_i)}` for a labelled row, :math:`\alpha e^{-y^F_i F(x_i)}` for any other row.
    Here :math:`y_i` is the label and :math:`y^F_i` the present pseudo-label. This is
    the update of Algorithm 1, and stays correct when labels change. The weight of a
    member is :math:`\omega_t = \frac12 \log \frac{1 - \varepsilon_t}{\varepsilon_t}`,
    and its error is at least the share of half a labelled row. The pseudo-labels come
    from `init` at the first training, and then from the committee after each purchase.

    A member no better than chance is left out; the next label brings a new member.
    Algorithm 1 ends "until error for F_t not decrease", and does not say on which rows
    or over how many steps. This end is left to `stopping` and `budget`.

    With more than two classes, each class has a committee against the others. The
    margin of a row is then the difference between its two highest scores, and the
    cost is the mean of the costs of the committees.
    When a label of a new class comes, all committees begin again.

    A step takes one pass over the pool. Pass the whole pool to each `query`, and the
    unlabelled rows as `candidates`; then the pool is sorted and scored once, not for
    every query.

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

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        alpha: float | Callable[[int], float] = 0.01,
        init: Classifier | None = None,
        n_initial_estimators: int | None = None,
        shrinkage: float = 1.0,
        n_initial: int = 10,
        batch_size: int = 1,
        budget: int | float | None = 100,
        stopping: Stopping | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.init = init
        self.n_initial_estimators = n_initial_estimators
        self.shrinkage = shrinkage
        self.n_initial = n_initial
        self.batch_size = batch_size
        self.budget = budget
        self.stopping = stopping
        self.random_state = random_state

    def make_trainer(self):
        """Return the trainer."""
        steps = self.n_initial_estimators, self.shrinkage
        return GrowingTrainer(self.estimator, self.alpha, self.init, *steps)
