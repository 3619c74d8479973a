"""Rows, folds, repeats and default learners of a comparison."""

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from ..pool import HybridSamplingClassifier
from ..pool._base import PoolClassifier
from ..stream import GreedyOnlineClassifier, RLSSamplingClassifier

#: Rows that each run uses at most, held-out rows included: of a learner that scores the
#: whole pool for each purchase, and of a learner that sees each row once.
POOL_ROWS, STREAM_ROWS = 2_500, 20_000
#: Repeats of the folds for runs of at most this many numbers; above the last one: 1.
REPEATS = ((40_000, 8),)
#: Budget of the default pool learner.
DEFAULT_BUDGET = 200
#: Numbers in a dense row beyond which least squares take too long.
LEAST_SQUARES_SIZE = 1_000


@dataclass(frozen=True)
class Design:
    """Rows, folds and repeats of a comparison.

    Attributes
    ----------
    n_rows, n_features : int
        Size of the data.
    row_size : int
        Numbers in a row.
    cv, random_state : int
        As for `label_curve`.
    n_repeats : int or None
        None: chosen by the size of the data.
    max_rows : int or None
        Random rows that each run uses at most. None: chosen by the kind of learner.
    has_label_sets : bool
        True if rows have several labels: the splits are not stratified.
    """

    n_rows: int
    n_features: int
    row_size: int
    cv: int
    n_repeats: int | None
    max_rows: int | None
    random_state: int
    has_label_sets: bool = False

    def rows_for(self, learner):
        """Return the number of rows that a run of a learner uses."""
        most = POOL_ROWS if isinstance(learner, PoolClassifier) else STREAM_ROWS
        return min(self.max_rows or most, self.n_rows)

    def runs_for(self, learner):
        """Return the number of runs of a learner."""
        size = self.rows_for(learner) * self.row_size
        by_size = next((n for most, n in REPEATS if size <= most), 1)
        return self.cv * (self.n_repeats or by_size)

    def shares_rows(self, learner):
        """Return True if runs have rows in common, because there are too few."""
        return self.rows_for(learner) * self.runs_for(learner) > self.n_rows

    def splits_for(self, learner):
        """Return the arguments of `label_curve` that choose the rows of each run."""
        rows, n_runs = self.rows_for(learner), self.runs_for(learner)
        held_out = rows // self.cv
        if rows == self.n_rows:
            return {"cv": self.cv, "n_repeats": n_runs // self.cv}
        if self.shares_rows(learner):
            kind = ShuffleSplit if self.has_label_sets else StratifiedShuffleSplit
            splitter = kind(
                n_runs,
                train_size=rows - held_out,
                test_size=held_out,
                random_state=self.random_state,
            )
            return {"cv": splitter}
        order = np.random.RandomState(self.random_state).permutation(self.n_rows)
        parts = order[: n_runs * rows].reshape(n_runs, rows)
        return {"cv": [(part[held_out:], part[:held_out]) for part in parts]}

    def label_counts(self, learner):
        """Return the label counts at which to score: steps of 10 %, and all rows."""
        params = learner.get_params(deep=False)
        # whole batches: between two trainings the model does not change
        first, batch = params.get("n_initial", 1), params.get("batch_size", 1)
        batch = batch if isinstance(batch, int) else 1  # a share: batches grow
        rows = self.rows_for(learner)
        fewest, most = rows - -(-rows // self.cv), rows - rows // self.cv
        counts = 1.1 ** np.arange(np.log(most) / np.log(1.1))
        n_batches = np.round(np.maximum(counts - first, 0) / batch).astype(int)
        counts = np.union1d(first + batch * n_batches, [fewest, most])
        return counts[counts <= most]

    def default_learners(self, class_weight):
        """Return a pool learner and a stream learner."""
        hybrid = HybridSamplingClassifier(batch_size=10)
        rows = self.rows_for(hybrid)
        offered = rows - rows // self.cv
        hybrid.set_params(budget=min(DEFAULT_BUDGET, max(20, offered // 40 * 10)))
        if self.row_size > LEAST_SQUARES_SIZE:
            stream = GreedyOnlineClassifier(
                learning_rate="adaptive", class_weight=class_weight
            )
        else:
            stream = RLSSamplingClassifier(class_weight=class_weight)
        return [hybrid, stream]
