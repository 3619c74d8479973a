"""Committees that minimise the cost, for random labels and for chosen labels."""

from collections.abc import Callable
from itertools import islice

from ...base._parameters import check_number
from ...base._verbs import make_baseline
from ...utils.typing import Classifier, Seed, Stopping
from .._rule import RandomRule
from ._trainer import BoostingClassifier, BoostingRule, BoostingTrainer


class NewtonTrainer(BoostingTrainer):
    """Trainer of new committees by Newton steps, until the cost stalls.

    Parameters
    ----------
    estimator, alpha, init, n_estimators, tol
        As for the learners.
    """

    soft = True

    def __init__(self, estimator, alpha, init, n_estimators, tol):
        super().__init__(estimator, alpha, init)
        self.n_estimators, self.tol = n_estimators, tol

    def check(self):
        super().check()
        check_number(self.n_estimators, "n_estimators", 1, closed="left", integer=True)
        check_number(self.tol, "tol", 0, closed="left")

    def boost(self, boosting, weak_learners, n_first, n_later):
        after = boosting.cost(boosting.scores, boosting.targets)
        for weak in islice(weak_learners, self.n_estimators):
            before, after = after, boosting.newton_step(weak)
            if before - after <= self.tol * before:
                break


class ASSLBoostClassifier(BoostingClassifier):
    r"""Pool learner that minimises one cost before every query (ASSL-Boost).

    The learner lowers the cost of labelled and unlabelled rows until the cost stalls,
    buys the row with the smallest margin, and begins again.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner. Its `fit` takes `sample_weight`, and it has `predict_proba`.
        It is cloned, never changed. None: `DecisionStumpClassifier`, for which the pool
        is sorted once.

    alpha : float in [0, 1] or callable, default=0.01
        Weight of a row without a label. The weight of a labelled row is 1. A callable
        gets the number of labels at each training, and returns the weight.

    init : classifier, default=None
        Classifier that is trained on the first labels and predicts the first
        pseudo-labels. None: the nearest neighbour,
        ``KNeighborsClassifier(n_neighbors=1)``, which needs scaled features without
        missing values.

    n_estimators : int >= 1, default=50
        Largest number of members of the committee, which is built for every query.

    tol : float >= 0, default=0.001
        Least relative decrease of the cost. The first member that lowers the cost by
        less is the last one.

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
    FASSLBoostClassifier : One step for each label instead; several times faster.
    SSMarginBoostClassifier : The same with random labels.

    Notes
    -----
    With l labelled rows, u other rows and :math:`F = \sum_t \omega_t f_t`, the cost
    is

    .. math:: C_{S_n}(F) = \frac{1}{l + u} \Bigl( \sum_{i \le l} e^{-y_i F(x_i)}
        + \alpha \sum_{i > l} e^{-|F(x_i)|} \Bigr).

    The cost never decreases as labels are added, and reaches the cost of the fully
    labelled pool (Theorem 1). The steps are as in `SSMarginBoostClassifier`.

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

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        alpha: float | Callable[[int], float] = 0.01,
        init: Classifier | None = None,
        n_estimators: int = 50,
        tol: float = 1e-3,
        n_initial: int = 10,
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

    def make_rule(self):
        """Return the rule."""
        return BoostingRule("predict_proba")

    def make_trainer(self):
        """Return the trainer."""
        steps = self.n_estimators, self.tol
        return NewtonTrainer(self.estimator, self.alpha, self.init, *steps)

    def _passive_baseline(self):
        return make_baseline(self, SSMarginBoostClassifier(), stopping=None)


class SSMarginBoostClassifier(ASSLBoostClassifier):
    r"""Boosting on random labels and on the rows without a label (SS-MarginBoost).

    The learner buys random labels, `n_initial` of them at once, and lowers the cost of
    labelled and unlabelled rows. It is the classifier step of ASSL-Boost alone.

    Parameters
    ----------
    estimator : classifier, default=None
        The weak learner. Its `fit` takes `sample_weight`, and it has `predict_proba`.
        It is cloned, never changed. None: `DecisionStumpClassifier`, for which the pool
        is sorted once.

    alpha : float in [0, 1] or callable, default=0.01
        Weight of a row without a label. The weight of a labelled row is 1. A callable
        gets the number of labels at each training, and returns the weight.

    init : classifier, default=None
        Classifier that is trained on the first labels and predicts the first
        pseudo-labels. None: the nearest neighbour,
        ``KNeighborsClassifier(n_neighbors=1)``, which needs scaled features without
        missing values.

    n_estimators : int >= 1, default=50
        Largest number of members of the committee.

    tol : float >= 0, default=0.001
        Least relative decrease of the cost. The first member that lowers the cost by
        less is the last one.

    n_initial : int >= 1, default=100
        Labels of the first purchase: the whole default budget.

    batch_size : int >= 1, default=1
        Labels bought at a time after that.

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
    ASSLBoostClassifier : Chooses its labels, too.
    PassiveClassifier : Random labels without the other rows.

    Notes
    -----
    With l labelled rows, u other rows and :math:`F = \sum_t \omega_t f_t`, the cost
    is

    .. math:: C_{S_n}(F) = \frac{1}{l + u} \Bigl( \sum_{i \le l} e^{-y_i F(x_i)}
        + \alpha \sum_{i > l} e^{-|F(x_i)|} \Bigr).

    A Newton step adds :math:`f_t(x) = 2 P_w(y = 1 | x) - 1`, trained with the terms of
    the sum as weights (the paper prints F + C'/C''; the step that lowers C is F -
    C'/C''). The infimum lies at infinity, so `tol` and `n_estimators` end the steps.

    With more than two classes, each class has a committee against the others. The
    margin of a row is then the difference between its two highest scores, and the
    cost is the mean of the costs of the committees.

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

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        alpha: float | Callable[[int], float] = 0.01,
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

    def make_rule(self):
        """Return the rule."""
        return RandomRule("predict_proba", uses_model=True, takes_label_sets=False)
