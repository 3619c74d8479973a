"""Learners and passive learning of the same model, run over the same folds."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..evaluation import (
    LabelCurve,
    LabelCurveComparison,
    LabelsToTarget,
    compare_label_curves,
    label_curve,
    labels_to_target,
)
from ..evaluation._comparison import corrected_t
from ..evaluation._curves import check_range
from .learners import name_of


@dataclass(frozen=True)
class Plan:
    """What is run.

    Attributes
    ----------
    data : str
        Name for the reader.
    rows, features, classes : int
        Size of the data.
    standardize : bool
        Whether to bring features to mean 0 and variance 1, which takes no labels.
    folds, repeats, seed : int
        As for `label_curve`.
    target_error : float or None
        Error to be reached; None: the mean final error of passive learning.
    """

    data: str
    rows: int
    features: int
    classes: int
    standardize: bool
    folds: int
    repeats: int
    seed: int
    target_error: float | None

    @property
    def n_runs(self):
        """Runs of each learner."""
        return self.folds * self.repeats

    @property
    def label_counts(self):
        """Labels after which to score: 1 to 100, then steps of 1 %, and all."""
        fewest = self.rows - -(-self.rows // self.folds)
        most = self.rows - self.rows // self.folds
        steps = 100 * 1.01 ** np.arange(101 * np.log(max(most / 100, 1)))
        counts = np.union1d(np.arange(1, 101), [*steps.astype(int), fewest, most])
        return counts[counts <= most]


@dataclass(frozen=True)
class Comparison:
    """A learner and its passive twin, run by run on the same rows.

    Attributes
    ----------
    learner, passive : estimator
        Unfitted.
    curve, passive_curve : LabelCurve
        Their runs.
    target : float
        Error to be reached.
    """

    learner: object
    passive: object
    curve: LabelCurve
    passive_curve: LabelCurve
    target: float

    @cached_property
    def needed(self) -> LabelsToTarget:
        """Labels until the target."""
        return labels_to_target(self.curve, self.target)

    @cached_property
    def passive_needed(self) -> LabelsToTarget:
        """Labels until the target, of passive learning."""
        return labels_to_target(self.passive_curve, self.target)

    @cached_property
    def errors(self):
        """Error of each run with all the labels it bought."""
        return 1 - self.curve.final_scores

    @cached_property
    def passive_errors(self):
        """Error of passive learning with as many labels in that run, NaN for none."""
        return 1 - np.diagonal(self.passive_curve.scores_at(self.curve.n_bought))

    @cached_property
    def passive_needs(self):
        """Labels passive learning needs for the same mean error; inf: never."""
        return self.passive_curve.labels_for(self.errors.mean())

    @cached_property
    def saved(self):
        """Share of these labels that was saved; at least that share if it is inf."""
        passive = min(self.passive_needs, self.passive_curve.n_offered.mean())
        return float(1 - self.curve.n_bought.mean() / passive)

    @cached_property
    def p_value(self):
        """Of no difference in error with as many labels: corrected resampled t-test."""
        gain = (self.passive_errors - self.errors)[:, None]
        ratio = np.mean(self.curve.n_held_out / self.curve.n_offered)
        return float(corrected_t(gain, ratio, 0.95)[-1][0])

    @property
    def is_clear(self):
        """Whether that difference is beyond noise."""
        return self.p_value < 0.05

    @cached_property
    def paired(self) -> LabelCurveComparison | None:
        """Test of the areas up to the labels bought; None if they are too few."""
        most = int(self.curve.n_bought.max())
        first, _ = check_range(None, None, [self.curve, self.passive_curve])
        if self.curve.n_bought.min() == 0 or most < first:
            return None
        return compare_label_curves(self.curve, self.passive_curve, stop=most)


def compare(learners, X, y, plan, *, n_jobs, announce, memory=None):
    """Run learners and their passive twins, one after the other.

    Parameters
    ----------
    learners : list of learners
        Not changed.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Labels.
    plan : Plan
        How to run them.
    n_jobs : int
        Runs in parallel, as in joblib.
    announce : callable
        Gets the name of each learner before it runs; returns a function that gets
        (runs done, runs in all).
    memory : str, default=None
        Where to keep runs, as for `label_curve`.

    Yields
    ------
    result : Comparison
        One for each learner.

    Raises
    ------
    ValueError
        For data that a learner refuses; it names the learner.
    """

    def run(learner):
        progress = announce(name_of(learner))
        try:
            return label_curve(
                make_pipeline(StandardScaler(), learner)
                if plan.standardize
                else learner,
                X,
                y,
                cv=plan.folds,
                n_repeats=plan.repeats,
                n_jobs=n_jobs,
                at=plan.label_counts,
                memory=memory,
                progress=progress,
                random_state=plan.seed,
            )
        except ValueError as error:
            raise ValueError(f"{name_of(learner)}: {error}") from error

    passive_curves = {}
    for learner in learners:
        passive = learner._passive_twin()
        name = name_of(passive)
        if name not in passive_curves:
            passive_curves[name] = run(passive)
        target = plan.target_error
        if target is None:
            target = float(1 - passive_curves[name].final_scores.mean())
        yield Comparison(learner, passive, run(learner), passive_curves[name], target)
