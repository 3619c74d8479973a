"""COMB: boosting from scratch, also on guessed labels of the unlabelled rows."""

from collections.abc import Callable

from ...utils._docstrings import BOOSTING, documented
from ...utils._typing import Classifier, Seed, Stopping
from ._trainer import AdaBoostTrainer, BoostingClassifier


@documented(BOOSTING)
class COMBClassifier(BoostingClassifier):
    r"""Pool learner that boosts from scratch, also on guessed labels (COMB).

    The learner is query by boosting that also trains on the unlabelled rows. Each of
    them counts as `alpha` rows of the class that the last committee predicts for it.

    Parameters
    ----------
    {estimator, alpha, init, n_estimators, n_initial, batch_size, budget, stopping,
    random_state}

    Attributes
    ----------
    {estimator_, cost_curve_, attributes_of_all}

    {raises}

    See Also
    --------
    QueryByBoostingClassifier : The same with ``alpha=0``.
    FASSLBoostClassifier : Keeps its committee and adds a member for each label.

    Notes
    -----
    A row without a label has weight :math:`\alpha e^{-y^F_i F(x_i)}`. The pseudo-label
    :math:`y^F_i` is the prediction of the committee before the last purchase, or of
    `init`. Everything else is as in `QueryByBoostingClassifier`.

    Each training boosts all rows of the pool. Pass the whole pool to each `query`, and
    the unlabelled rows as `candidates`; then the pool is sorted once.

    References
    ----------
    .. [1] G. Tur, D. Hakkani-Tür, R. Schapire, "Combining Active and Semi-Supervised
       Learning for Spoken Language Understanding", Speech Communication 45(2), 2005.
    .. [2] Z. Wang, Y. Song, C. Zhang, "Efficient Active Learning with Boosting", SDM
       2009, Sections 2.2 and 4.1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn_activelearn import COMBClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> learner = COMBClassifier(budget=60, random_state=0).fit(X, y)
    >>> print(f"{learner.n_queries_} labels, accuracy {learner.score(X, y):.2f}")
    60 labels, accuracy 0.95
    """

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        alpha: float | Callable[[int], float] = 0.01,
        init: Classifier | None = None,
        n_estimators: int = 20,
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
        self.n_initial = n_initial
        self.batch_size = batch_size
        self.budget = budget
        self.stopping = stopping
        self.random_state = random_state

    def _make_trainer(self):
        return AdaBoostTrainer(self.estimator, self.n_estimators, self.alpha, self.init)
