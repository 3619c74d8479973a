"""Buy rows near the boundary that are no outliers."""

from sklearn.svm import LinearSVC
from sklearn.utils.extmath import row_norms

from ..base._scores import scores_of, smallest_margin
from ._base import PoolClassifier
from ._passive import passive_baseline
from ._rule import Rule
from ._training import OneModel


class CentralMarginRule(Rule):
    """Rows near the boundary, outliers last."""

    needs = "decision_function"

    def utility(self, model, X):
        """Return the negative distance to the boundary, less a part of the norm."""
        return smallest_margin(scores_of(model, X)) - row_norms(X) / 10


class CentralMarginClassifier(PoolClassifier):
    """Pool learner that leaves outliers near the boundary for later.

    Parameters
    ----------
    n_initial : int >= 1, default=10
        Labels bought at random before the first model.
    batch_size : int >= 1, default=1
        Labels bought between two trainings.
    budget : int >= 0, float in [0, 1] or None, default=100
        Labels it may buy.
    stopping : str, stopping rule or list of them, default=None
        When to stop before that.
    n_jobs : int, default=None
        Threads that score the pool.
    random_state : int, RandomState instance or None, default=None
        Seed.
    """

    def __init__(
        self,
        n_initial=10,
        *,
        batch_size=1,
        budget=100,
        stopping=None,
        n_jobs=None,
        random_state=None,
    ):
        self.n_initial = n_initial
        self.batch_size = batch_size
        self.budget = budget
        self.stopping = stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    def make_rule(self):
        """Return the rule."""
        return CentralMarginRule()

    def make_trainer(self):
        """Return the trainer of the model."""
        return OneModel(LinearSVC())

    _passive_baseline = passive_baseline
