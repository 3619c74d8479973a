"""A committee that grows by one boosting step for each label."""

from collections.abc import Callable
from itertools import islice

from ...base._validation import check_number
from ...utils._docstrings import BOOSTING, documented
from ...utils._typing import Classifier, Seed, Stopping
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


@documented(BOOSTING)
class FASSLBoostClassifier(BoostingClassifier):
    r"""Pool learner whose committee grows with the labels (FASSL-Boost).

    Each label taught adds one member to the committee, trained on the labelled rows and
    on guessed labels of the other rows. No member is removed. The row with the smallest
    margin is bought next.

    Parameters
    ----------
    {estimator, alpha, init}
    n_initial_estimators : int >= 1, default=None
        Number of members of the first committee. 1 is Algorithm 1. None: one member for
        each of the first labels, which predicts better from the first query on.
    shrinkage : float in (0, 1], default=1.0
        Factor of the weights of members. 1 is Algorithm 1. Where labels are noisy, or
        many labels are bought, a smaller factor is better: early members, trained on
        few labels, are then outvoted in time.
    {n_initial, batch_size, budget, stopping, random_state}

    Attributes
    ----------
    {estimator_, cost_curve_, attributes_of_all}

    {raises}

    See Also
    --------
    COMBClassifier : Builds the committee again for every query.
    ASSLBoostClassifier : Minimises the same cost before every query.

    Notes
    -----
    {cost}

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

    {multiclass}
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

    def _make_trainer(self):
        steps = self.n_initial_estimators, self.shrinkage
        return GrowingTrainer(self.estimator, self.alpha, self.init, *steps)
