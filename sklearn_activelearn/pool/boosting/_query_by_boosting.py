"""Query by boosting: a committee that is boosted again for every query."""

from ...utils._docstrings import BOOSTING, documented
from ...utils._typing import Classifier, Seed, Stopping
from ._trainer import AdaBoostTrainer, BoostingClassifier


@documented(BOOSTING)
class QueryByBoostingClassifier(BoostingClassifier):
    r"""Pool learner that boosts again for every query (query by boosting, QBB).

    The learner trains AdaBoost on the labels taught and buys the row with the smallest
    margin. It is `COMBClassifier` with ``alpha=0``: rows without a label do not count.

    Parameters
    ----------
    {estimator, n_estimators, n_initial, batch_size, budget, stopping, random_state}

    Attributes
    ----------
    {estimator_, cost_curve_, attributes_of_all}

    {raises}

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

    {multiclass}

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

    def _make_trainer(self):
        return AdaBoostTrainer(self.estimator, self.n_estimators)
