"""Committees that minimise the cost, for chosen labels and for random ones."""

from typing import Literal

from ..._baseline import baseline_of
from ..._typing import Classifier, Embedding, Floats, Seed, Stopping
from .._base import PoolClassifier
from ._rounds import NewtonRounds
from ._trainer import BoostingTrainer, closest_vote


class SSMarginBoostClassifier(PoolClassifier):
    r"""Boosting on random labels and on the rows without a label (SS-MarginBoost).

    Buys labels at random, `n_initial` of them at once, and lowers the cost of labelled
    and unlabelled rows: the classifier step of ASSL-Boost alone.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner; its `fit` takes `sample_weight`, and it has `predict_proba`.
        Cloned, never changed. None: `DecisionStumpClassifier`, for which the pool is
        sorted once.

    alpha : float in [0, 1], default=0.01
        What a row without a label counts beside a labelled one.

    init : classifier, default=None
        Trained on the first labels, it guesses the first pseudo-labels. None: the
        nearest neighbour, ``KNeighborsClassifier(n_neighbors=1)``, which wants scaled
        features and no missing values.

    n_estimators : int >= 1, default=50
        Most members of the committee.

    tol : float >= 0, default=0.001
        No more members once one lowers the cost by a smaller share than that.

    n_initial : int >= 1, default=100
        Labels of the first purchase: the whole default budget.

    batch_size : int >= 1, default=1
        Labels bought at a time after that.

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
        range, an estimator whose `fit` takes no `sample_weight` or that has no
        `predict_proba`, rows that its tags refuse, labels outside the classes.

    See Also
    --------
    ASSLBoostClassifier : Chooses its labels, too.
    PassiveClassifier : Random labels without the other rows.

    Notes
    -----
    With l labelled and u other rows and :math:`F = \sum_t \omega_t f_t`, the cost is

    .. math:: C_{S_n}(F) = \frac{1}{l + u} \Bigl( \sum_{i \le l} e^{-y_i F(x_i)}
        + \alpha \sum_{i > l} e^{-|F(x_i)|} \Bigr).

    A Newton step adds :math:`f_t(x) = 2 P_w(y = 1 | x) - 1`, trained with the terms of
    the sum as weights (the paper prints F + C'/C''; the step that lowers C is F -
    C'/C''). The infimum lies at infinity:
    `tol` and `n_estimators` end it.

    More classes than two have a committee each, against the others. The margin of a row
    is the gap between its two highest scores then, and the cost the mean of theirs.

    References
    ----------
    .. [1] F. d'Alché-Buc, Y. Grandvalet, C. Ambroise, "Semi-Supervised MarginBoost",
       NIPS 2001.
    .. [2] Z. Wang, Y. Song, C. Zhang, "Efficient Active Learning with Boosting", SDM
       2009, Section 2.2, equations 2.3 and 2.8.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn_activelearn import SSMarginBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> learner = SSMarginBoostClassifier(budget=60, random_state=0).fit(X, y)
    >>> print(f"{learner.n_queries_} labels, accuracy {learner.score(X, y):.2f}")
    60 labels, accuracy 0.94
    """

    _needs = "predict_proba"

    _search_grid = {"alpha": [0.01, 0.1]}

    cost_curve_: Floats

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        alpha: float = 0.01,
        init: Classifier | None = None,
        n_estimators: int = 50,
        tol: float = 1e-3,
        n_initial: int = 100,
        batch_size: int = 1,
        budget: int | float | None = 100,
        stopping: Stopping | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.alpha = alpha
        self.init = init
        self.n_estimators = n_estimators
        self.tol = tol
        self.n_initial = n_initial
        self.batch_size = batch_size
        self.budget = budget
        self.stopping = stopping
        self.random_state = random_state

    def _make_trainer(self):
        rounds = NewtonRounds(self.n_estimators, self.tol)
        return BoostingTrainer(self.estimator, rounds, self.alpha, self.init)

    _start = _select = PoolClassifier._at_random

    def _passive_baseline(self):
        return baseline_of(self, SSMarginBoostClassifier(), stopping=None)


class ASSLBoostClassifier(PoolClassifier):
    r"""Pool learner that minimises one cost before every query (ASSL-Boost).

    Lowers the cost of labelled and unlabelled rows until it stalls, buys the row with
    the smallest margin, and begins again.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner; its `fit` takes `sample_weight`, and it has `predict_proba`.
        Cloned, never changed. None: `DecisionStumpClassifier`, for which the pool is
        sorted once.

    alpha : float in [0, 1], default=0.01
        What a row without a label counts beside a labelled one.

    init : classifier, default=None
        Trained on the first labels, it guesses the first pseudo-labels. None: the
        nearest neighbour, ``KNeighborsClassifier(n_neighbors=1)``, which wants scaled
        features and no missing values.

    n_estimators : int >= 1, default=50
        Most members of the committee, built anew for every query.

    tol : float >= 0, default=0.001
        No more members once one lowers the cost by a smaller share than that.

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
        range, an estimator whose `fit` takes no `sample_weight` or that has no
        `predict_proba`, rows that its tags refuse, labels outside the classes.

    See Also
    --------
    FASSLBoostClassifier : One step for each label instead; many times as fast.
    SSMarginBoostClassifier : The same with random labels.

    Notes
    -----
    With l labelled and u other rows and :math:`F = \sum_t \omega_t f_t`, the cost is

    .. math:: C_{S_n}(F) = \frac{1}{l + u} \Bigl( \sum_{i \le l} e^{-y_i F(x_i)}
        + \alpha \sum_{i > l} e^{-|F(x_i)|} \Bigr).

    It never decreases as labels are added and reaches the cost of the fully labelled
    pool (Theorem 1). The steps are those of `SSMarginBoostClassifier`.

    References
    ----------
    .. [1] Z. Wang, Y. Song, C. Zhang, "Efficient Active Learning with Boosting", SDM
       2009, Section 2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn_activelearn import ASSLBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> learner = ASSLBoostClassifier(budget=40, random_state=0).fit(X, y)
    >>> print(f"{learner.n_queries_} labels, accuracy {learner.score(X, y):.2f}")
    40 labels, accuracy 0.87
    """

    _needs = "predict_proba"

    _search_grid = {"alpha": [0.01, 0.1]}

    cost_curve_: Floats

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        alpha: float = 0.01,
        init: Classifier | None = None,
        n_estimators: int = 50,
        tol: float = 1e-3,
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
        self.n_estimators = n_estimators
        self.tol = tol
        self.n_initial = n_initial
        self.initial = initial
        self.batch_size = batch_size
        self.batch = batch
        self.embedding = embedding
        self.budget = budget
        self.stopping = stopping
        self.random_state = random_state

    def _make_trainer(self):
        rounds = NewtonRounds(self.n_estimators, self.tol)
        return BoostingTrainer(self.estimator, rounds, self.alpha, self.init)

    _select = closest_vote

    _passive_baseline = SSMarginBoostClassifier._passive_baseline
