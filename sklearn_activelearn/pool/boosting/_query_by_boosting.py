"""Query by boosting: a committee that is boosted again for every query."""

from ...utils.typing import Classifier, Seed, Stopping
from ._trainer import AdaBoostTrainer, BoostingClassifier


class QueryByBoostingClassifier(BoostingClassifier):
    r"""Pool learner that boosts again for every query (query by boosting, QBB).

    The learner trains AdaBoost on the labels taught and buys the row with the smallest
    margin. It is `COMBClassifier` with ``alpha=0``: rows without a label do not count.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner. Its `fit` takes `sample_weight`. It is cloned, never changed.
        None: `DecisionStumpClassifier`, for which the pool is sorted once.

    n_estimators : int >= 1, default=20
        Number of members of the committee, which is built again for each query.

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
    COMBClassifier : Learns from the rows without a label, too.
    FASSLBoostClassifier : Keeps its committee and adds a member for each label.
    PassiveClassifier : Around ``AdaBoostClassifier(DecisionStumpClassifier())`` the
        same committee on random labels.

    Notes
    -----
    With weights :math:`w_i \propto e^{-y_i F(x_i)}`, a member :math:`f_t` of weighted
    error :math:`\varepsilon_t` gets :math:`\omega_t = \frac12 \log \frac{1 -
    \varepsilon_t}{\varepsilon_t}`, and :math:`F = \sum_t \omega_t f_t`.
    A member without error is the last one; a member no better than chance is left out
    and ends the committee. For two classes scikit-learn's `AdaBoostClassifier` makes
    the same committee of stumps, up to the weight of a member without error. Its
    weights are twice these, and it refuses rows on which no weak learner is better than
    chance.

    With more than two classes, each class has a committee against the others. The
    margin of a row is then the difference between its two highest scores, and the
    cost is the mean of the costs of the committees.

    The learner keeps a pool until the next pool comes. Pass the whole pool to each
    `query`, and the unlabelled rows as `candidates`; then the pool is sorted once.

    References
    ----------
    .. [1] N. Abe, H. Mamitsuka, "Query Learning Strategies Using Boosting and Bagging",
       ICML 1998 (query by boosting).
    .. [2] Z. Wang, Y. Song, C. Zhang, "Efficient Active Learning with Boosting", SDM
       2009, Section 4.1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn_activelearn import QueryByBoostingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> learner = QueryByBoostingClassifier(budget=60, random_state=0).fit(X, y)
    >>> print(f"{learner.n_queries_} labels, accuracy {learner.score(X, y):.2f}")
    60 labels, accuracy 0.97
    """

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        n_estimators: int = 20,
        n_initial: int = 10,
        batch_size: int = 1,
        budget: int | float | None = 100,
        stopping: Stopping | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_initial = n_initial
        self.batch_size = batch_size
        self.budget = budget
        self.stopping = stopping
        self.random_state = random_state

    def make_trainer(self):
        """Return the trainer."""
        return AdaBoostTrainer(self.estimator, self.n_estimators)
