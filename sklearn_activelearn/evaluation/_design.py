"""Rows, splits, label counts and default learners of a comparison."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from ..pool import HybridSamplingClassifier, UncertaintySamplingClassifier
from ..pool._base import PoolClassifier
from ..stream import GreedyOnlineClassifier, RLSSamplingClassifier
from ._experiments import plan_repeat

#: Rows that each run uses at most, held-out rows included: if a learner scores the
#: whole pool for each purchase, and if all learners see each row once.
POOL_ROWS, STREAM_ROWS = 2_500, 20_000
#: Budget of the default learners.
DEFAULT_BUDGET = 200
#: Rows from which on a stream learner is a candidate: a pool learner looks at a sample.
MANY_ROWS = 50_000
#: Numbers in a dense row beyond which least squares take too long.
LEAST_SQUARES_SIZE = 1_000
#: Factors between the label counts at which learners are scored. A baseline of a pool
#: learner is trained at each of them.
POOL_STEP, STREAM_STEP = 1.25, 1.1


@dataclass(frozen=True)
class Design:
    """Rows and splits of a comparison, the same for all of its learners.

    Attributes
    ----------
    n_rows, n_features : int
        Size of the data.
    row_size : int
        Numbers in a row.
    cv, random_state : int
        As for `label_curve`.
    n_run_rows : int
        Rows that each run uses, held-out rows included.
    has_label_sets : bool
        True if rows have several labels: the splits are not stratified.
    """

    n_rows: int
    n_features: int
    row_size: int
    cv: int
    random_state: int
    n_run_rows: int
    has_label_sets: bool = False

    def draw_repeats(self, X, y):
        """Yield the tasks of one repeat after the other, without end."""
        rng = np.random.RandomState(self.random_state)
        while True:
            cv = self.cv
            if self.n_run_rows < self.n_rows:
                kind = ShuffleSplit if self.has_label_sets else StratifiedShuffleSplit
                held_out = self.n_run_rows // self.cv
                cv = kind(
                    self.cv,
                    train_size=self.n_run_rows - held_out,
                    test_size=held_out,
                    random_state=rng.randint(2**31),
                )
            yield plan_repeat(X, y, cv, rng)

    def label_counts(self, learner):
        """Return the label counts at which to score a learner."""
        params = learner.get_params(deep=False)
        rows, budget = self.n_run_rows, params.get("budget")
        fewest, most = rows - -(-rows // self.cv), rows - rows // self.cv
        if isinstance(learner, PoolClassifier) and isinstance(budget, int):
            # steps that end at the budget, where another score would be near
            ends, step = {min(budget, fewest), min(budget, most)}, POOL_STEP
            counts = min(budget, most) / step ** np.arange(200)
        else:
            ends, step = {fewest, most}, STREAM_STEP
            counts = step ** np.arange(np.log(most) / np.log(step))
        # whole batches: between two trainings the model does not change
        first, batch = params.get("n_initial", 1), params.get("batch_size", 1)
        batch = batch if isinstance(batch, int) else 1  # a share: batches grow
        n_batches = np.round(np.maximum(counts - first, 0) / batch).astype(int)
        counts = np.union1d(first + batch * n_batches, [*ends])
        return counts[counts <= most]

    def default_learners(self, class_weight):
        """Return the candidates, the default learner first."""
        hybrid = HybridSamplingClassifier(batch_size=10)
        offered = self.n_run_rows - self.n_run_rows // self.cv
        budget = min(DEFAULT_BUDGET, max(20, offered // 40 * 10))
        hybrid.set_params(budget=budget)
        model = LogisticRegression(max_iter=1_000, class_weight=class_weight)
        learners = [
            hybrid,
            clone(hybrid).set_params(estimator=model),
            UncertaintySamplingClassifier(model, batch_size=10, budget=budget),
        ]
        if self.n_rows < MANY_ROWS or self.has_label_sets:
            return learners
        if self.row_size > LEAST_SQUARES_SIZE:
            stream = GreedyOnlineClassifier(
                learning_rate="adaptive", class_weight=class_weight, budget=budget
            )
        else:
            stream = RLSSamplingClassifier(class_weight=class_weight, budget=budget)
        return [*learners, stream]


def count_run_rows(learners, max_rows, n_rows):
    """Return the number of rows that each run uses; None: the default learners."""
    scores_pool = learners is None or any(
        isinstance(each, PoolClassifier) for each in learners
    )
    return min(max_rows or (POOL_ROWS if scores_pool else STREAM_ROWS), n_rows)
