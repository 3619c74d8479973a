"""Committees that minimise the cost, for random labels and for chosen labels."""

from collections.abc import Callable
from itertools import islice

from ...base._validation import check_number
from ...base._verbs import make_baseline
from ...utils._docstrings import NEWTON_BOOSTING, documented
from ...utils._typing import Classifier, Seed, Stopping
from .._selection import draw_rows
from ._trainer import BoostingClassifier, BoostingTrainer


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


@documented(NEWTON_BOOSTING)
class ASSLBoostClassifier(BoostingClassifier):
    r"""Pool learner that minimises one cost before every query (ASSL-Boost).

    The learner lowers the cost of labelled and unlabelled rows until the cost stalls,
    buys the row with the smallest margin, and begins again.

    Parameters
    ----------
    {estimator, alpha, init}
    n_estimators : int >= 1, default=50
        Largest number of members of the committee, which is built for every query.
    {tol, n_initial, batch_size, budget, stopping, random_state}

    Attributes
    ----------
    {estimator_, cost_curve_, attributes_of_all}

    {raises}

    See Also
    --------
    FASSLBoostClassifier : One step for each label instead; several times faster.
    SSMarginBoostClassifier : The same with random labels.

    Notes
    -----
    {cost}

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

    _needs = "predict_proba"

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

    def _make_trainer(self):
        steps = self.n_estimators, self.tol
        return NewtonTrainer(self.estimator, self.alpha, self.init, *steps)

    def _passive_baseline(self):
        return make_baseline(self, SSMarginBoostClassifier(), stopping=None)


@documented(NEWTON_BOOSTING)
class SSMarginBoostClassifier(ASSLBoostClassifier):
    r"""Boosting on random labels and on the rows without a label (SS-MarginBoost).

    The learner buys random labels, `n_initial` of them at once, and lowers the cost of
    labelled and unlabelled rows. It is the classifier step of ASSL-Boost alone.

    Parameters
    ----------
    {estimator, alpha, init}
    n_estimators : int >= 1, default=50
        Largest number of members of the committee.
    {tol}
    n_initial : int >= 1, default=100
        Labels of the first purchase: the whole default budget.
    batch_size : int >= 1, default=1
        Labels bought at a time after that.
    {budget, stopping, random_state}

    Attributes
    ----------
    {estimator_, cost_curve_, attributes_of_all}

    {raises}

    See Also
    --------
    ASSLBoostClassifier : Chooses its labels, too.
    PassiveClassifier : Random labels without the other rows.

    Notes
    -----
    {cost}

    A Newton step adds :math:`f_t(x) = 2 P_w(y = 1 | x) - 1`, trained with the terms of
    the sum as weights (the paper prints F + C'/C''; the step that lowers C is F -
    C'/C''). The infimum lies at infinity, so `tol` and `n_estimators` end the steps.

    {multiclass}

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

    def _select(self, X, rows, n_wanted, seed):
        return draw_rows(rows, n_wanted, seed)

    _select_without_model = _select
