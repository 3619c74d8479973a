"""Learners and passive learning of the same model, run over the same rows."""

from dataclasses import dataclass
from functools import cached_property
from warnings import catch_warnings

import numpy as np
from joblib import parallel_config
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from .. import GreedyOnlineClassifier, HybridSamplingClassifier, pool
from ..evaluation import LabelCurve, label_curve
from ..evaluation._comparison import paired_t
from .compare_options import POOL_ROWS, STREAM_ROWS
from .learners import learner_code
from .measure import Measure
from .savings import ROUNDING, Savings, savings

#: How often to go through all folds while a run has at most so many numbers, else once.
REPEATS = ((40_000, 8), (500_000, 2))

MOST_LABELS = 200  # that the default pool learner buys
CONFIDENCE = 0.95


@dataclass(frozen=True)
class RunPlan:
    """What is run.

    Attributes
    ----------
    data : str
        Name for the reader.
    rows, features, classes : int
        Size of the data; columns of a table, before they are made numbers.
    treated_as, width
        As for `LabelledData`.
    folds, seed : int
        As for `label_curve`.
    repeats : int or None
        None: chosen by the size of the data.
    most_rows : int or None
        Random rows that each run uses, at most. None: chosen by the kind of learner.
    target_error : float or None
        Error whose labels are counted, too.
    measure : Measure
        What is compared.
    answer : str
        The most frequent class.
    """

    data: str
    rows: int
    features: int
    classes: int
    treated_as: list
    width: int
    folds: int
    repeats: int | None
    seed: int
    most_rows: int | None
    target_error: float | None
    measure: Measure
    answer: str

    @property
    def size(self):
        """Rows, columns and classes, in words."""
        columns = "column" if self.features == 1 else "columns"
        return (
            f"{self.rows:,} rows, {self.features:,} {columns}, {self.classes} classes"
        )

    def rows_for(self, learner):
        """Return how many rows a run of a learner uses."""
        needs_pool = type(learner).__name__ in pool.__all__
        most = POOL_ROWS if needs_pool else STREAM_ROWS
        return min(self.most_rows or most, self.rows)

    def offered(self, learner):
        """Return the fewest and the most rows that a run offers to a learner."""
        rows = self.rows_for(learner)
        return rows - -(-rows // self.folds), rows - rows // self.folds

    def runs_for(self, learner):
        """Return how many runs of a learner there are."""
        size = self.rows_for(learner) * self.width
        by_size = next((n for most, n in REPEATS if size <= most), 1)
        return self.folds * (self.repeats or by_size)

    def shares_rows(self, learner):
        """Whether runs have rows in common, for lack of others."""
        return self.rows_for(learner) * self.runs_for(learner) > self.rows

    def splits_for(self, learner):
        """Return the arguments of `label_curve` that say which rows runs use."""
        rows, n_runs = self.rows_for(learner), self.runs_for(learner)
        held_out = rows // self.folds
        if rows == self.rows:
            return {"cv": self.folds, "n_repeats": n_runs // self.folds}
        if self.shares_rows(learner):
            splitter = StratifiedShuffleSplit(
                n_runs,
                train_size=rows - held_out,
                test_size=held_out,
                random_state=self.seed,
            )
            return {"cv": splitter}
        order = np.random.RandomState(self.seed).permutation(self.rows)
        parts = order[: n_runs * rows].reshape(n_runs, rows)
        return {"cv": [(part[held_out:], part[:held_out]) for part in parts]}

    def label_counts(self, learner):
        """Return after how many labels to score: steps of 10 %, and all of them."""
        params = learner.get_params(deep=False)
        # whole batches: between two trainings the model is that of the first
        first, batch = params.get("n_initial", 1), params.get("batch_size", 1)
        batch = batch if isinstance(batch, int) else 1  # those that grow
        fewest, most = self.offered(learner)
        counts = 1.1 ** np.arange(np.log(most) / np.log(1.1))
        n_batches = np.round(np.maximum(counts - first, 0) / batch).astype(int)
        counts = np.union1d(first + batch * n_batches, [fewest, most])
        return counts[counts <= most]

    def default_learners(self, *, weigh_classes=False):
        """Return a learner for a pool and one for a stream."""
        hybrid = HybridSamplingClassifier(
            LogisticRegression(max_iter=1_000), batch_size=10
        )
        _, most = self.offered(hybrid)
        budget = min(MOST_LABELS, max(20, most // 40 * 10))
        weights = {"class_weight": "balanced"} if weigh_classes else {}
        hybrid.set_params(budget=budget).estimator.set_params(**weights)
        return [hybrid, GreedyOnlineClassifier(**weights)]


@dataclass(frozen=True)
class Comparison:
    """A learner and its passive baseline, run by run on the same rows.

    Attributes
    ----------
    learner, passive : estimator
        Unfitted.
    curve, passive_curve : LabelCurve
        Their runs.
    confidence : float
        Of the intervals.
    notes : tuple of str
        What the learner warned of.
    """

    learner: object
    passive: object
    curve: LabelCurve
    passive_curve: LabelCurve
    confidence: float
    notes: tuple = ()

    @cached_property
    def errors(self):
        """Error of each run with all the labels it bought."""
        return self.curve.best - self.curve.final_scores

    @cached_property
    def passive_errors(self):
        """Error with as many random labels in that run, NaN for none."""
        scores = np.diagonal(self.passive_curve.scores_at(self.curve.n_bought))
        return self.curve.best - scores

    @cached_property
    def constant_errors(self):
        """Error of a constant answer in each run."""
        return self.curve.best - self.curve.constant_scores

    @cached_property
    def gain(self):
        """How much smaller the error with chosen labels is: mean and interval."""
        return self.interval(self.passive_errors - self.errors)

    @cached_property
    def chosen_are_of_use(self):
        """Whether chosen labels are better than a constant answer, beyond noise."""
        return self.is_positive(self.constant_errors - self.errors)

    @cached_property
    def random_are_of_use(self):
        """Whether as many random labels are, by the same test."""
        return self.is_positive(self.constant_errors - self.passive_errors)

    def interval(self, differences):
        """Return the mean of the differences of runs, and the ends of its interval."""
        found = paired_t(differences[:, None], self.confidence)
        return [float(value[0]) for value in found[:3]]

    def is_positive(self, differences):
        """Whether differences are above 0 beyond noise, or not known."""
        return not self.interval(differences)[1] <= ROUNDING

    @cached_property
    def savings(self) -> Savings:
        """Which share of as many random labels the chosen ones need."""
        return savings(self.curve, self.passive_curve, self.confidence)

    @property
    def is_clear(self):
        """Whether chosen labels are better than random ones and a constant answer."""
        return self.savings.is_clear and self.chosen_are_of_use

    @property
    def n_bought(self):
        """Labels bought, mean over runs."""
        return float(self.curve.n_bought.mean())

    @property
    def n_needed(self):
        """Chosen labels that do the work of as many random ones; inf for more."""
        return self.n_bought * self.savings.needed


def compare(learners, data, plan, *, n_jobs, announce, memory=None):
    """Run learners and their passive baselines, one after the other.

    Parameters
    ----------
    learners : list of learners
        Not changed.
    data : LabelledData
        Rows and labels.
    plan : Plan
        How to run them.
    n_jobs : int
        Runs in parallel, as in joblib, each on one thread.
    announce : callable
        Gets the name of each learner before it runs; returns a function that gets
        (runs done, runs in all).
    memory : str, default=None
        Where to keep runs, as for `label_curve`.

    Yields
    ------
    result : Comparison
        One for each learner. The intervals of all learners hold together
        (Bonferroni).

    Raises
    ------
    ValueError
        For data that a learner refuses; it names the learner.
    """

    def run(learner, like):
        progress = announce(learner_code(learner))
        steps = [step for step in (data.encoder, learner) if step is not None]
        one_thread = parallel_config("loky", inner_max_num_threads=1)
        try:
            with (
                one_thread,
                threadpool_limits(1),
                catch_warnings(record=True, action="always") as notes,
            ):
                curve = label_curve(
                    make_pipeline(*steps) if len(steps) > 1 else learner,
                    data.X,
                    data.y,
                    **plan.splits_for(like),
                    n_jobs=n_jobs,
                    scoring=plan.measure.scoring,
                    at=plan.label_counts(like),
                    memory=memory,
                    progress=progress,
                    random_state=plan.seed,
                )
        except ValueError as error:
            raise ValueError(f"{learner_code(learner)}: {error}") from error
        return curve, tuple(dict.fromkeys(str(note.message) for note in notes))

    passive_curves = {}
    for learner in learners:
        passive = learner._passive_baseline()
        key = learner_code(passive), plan.rows_for(learner)
        if key not in passive_curves:
            passive_curves[key], _ = run(passive, learner)
        curve, notes = run(learner, learner)
        confidence = 1 - (1 - CONFIDENCE) / len(learners)
        yield Comparison(
            learner, passive, curve, passive_curves[key], confidence, notes
        )
