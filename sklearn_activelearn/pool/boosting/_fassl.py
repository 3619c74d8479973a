"""The committee that grows: one boosting step for each label."""

from typing import Literal

from ..._docstrings import BOOSTING, documented
from ..._labels import encode
from ..._typing import Classifier, Embedding, Floats, Initial, Seed, Stopping
from .._base import PoolClassifier
from .._distances import warn_if_worse_than_constant
from ._trainer import BoostingTrainer, RoundsPerLabel, boosted_baseline, closest_vote


@documented(BOOSTING)
class FASSLBoostClassifier(PoolClassifier):
    r"""Pool learner whose committee grows with the labels (FASSL-Boost).

    One boosting step for each label taught, on labelled rows and on guessed labels of
    the others; nothing is thrown away. Then the row with the smallest margin is bought.

    Parameters
    ----------
    {estimator, alpha, init}
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
    {n_initial, initial, batch_size, batch, embedding, explore, budget,
    stopping, random_state}

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

    A member is trained with its terms as weights: :math:`w_i = e^{-y_i F(x_i)}` with a
    label, :math:`\alpha e^{-y^F_i F(x_i)}` without, where :math:`y_i` is the label and
    :math:`y^F_i` the pseudo-label as of now. That is the update of Algorithm 1, kept
    right when labels change. Its weight is :math:`\omega_t = \frac12 \log \frac{1 -
    \varepsilon_t}{\varepsilon_t}`; an error smaller than the share of half a labelled
    row counts as that. Pseudo-labels are those of `init` for the first training and
    then, after each purchase, of the committee.

    A member no better than chance is left out; the next label brings a new one.

    {multiclass}
    When a label of a new class comes, all committees begin again.

    A step takes one pass over the pool. Give the whole pool to each `query` and name
    the rows that are left in `candidates`: then it is sorted and scored once, not for
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
        initial: Initial = "random",
        batch_size: int = 1,
        batch: Literal["top", "cluster", "herding"] = "top",
        embedding: Embedding | None = None,
        explore: float = 0.0,
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
        self.explore = explore
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

    def _select(self, X, rows, n_wanted, seed):
        def predicted():
            return encode(
                self.estimator_.predict(self._ledger.labelled.rows), self.classes_
            )

        warn_if_worse_than_constant(
            self,
            predicted,
            "Take another weak learner, or HybridSamplingClassifier around another "
            "model.",
        )
        return closest_vote(self, X, rows, n_wanted, seed)

    def _passive_baseline(self):
        return boosted_baseline(self)
