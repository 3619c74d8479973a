"""Label curves: held-out score against labels bought, areas, targets and tests."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from ..base._parameters import check_number, check_option
from ..utils._statistics import paired_t_test
from ..utils.typing import Floats

if TYPE_CHECKING:
    from pandas import DataFrame

#: Fields of a curve with a value, or a row, for each run.
PER_RUN = (
    "scores",
    "n_bought",
    "final_scores",
    "n_offered",
    "n_held_out",
    "runs",
    "constant_scores",
)
#: Names of the tests of `LabelCurve.compare`.
TESTS = {"t": "paired t-test", "corrected_t": "corrected resampled t-test"}


def plain(value):
    """Return arrays as lists, and None for NaN and infinity."""
    if isinstance(value, LabelCurve):
        return value.to_dict()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray | np.generic | float):
        array = np.asarray(value)
        if array.dtype.kind == "f":
            array = np.where(np.isfinite(array), array.astype(object), None)
        return array.tolist()
    return value if isinstance(value, str | int | None) else repr(value)


def frame(columns):
    """Return a pandas DataFrame, or raise with how to get pandas."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("to_frame needs pandas: pip install pandas") from error
    return pd.DataFrame(columns)


@dataclass(frozen=True, eq=False)
class LabelsToTarget:
    """Labels that each run needed to reach an error for the first time.

    Attributes
    ----------
    error : float
        Target error.
    labels : ndarray of shape (n_runs,)
        Labels bought when the held-out error was first at most `error`; infinity for a
        run that never reached it.
    n_offered : ndarray of int of shape (n_runs,)
        Rows that each run could have bought.
    """

    error: float
    labels: np.ndarray
    n_offered: np.ndarray

    @property
    def n_failed(self) -> int:
        """Runs that never reached the target."""
        return int(np.isinf(self.labels).sum())

    @property
    def counted(self) -> Floats:
        """Labels of each run; a failed run counts as all rows it was offered."""
        return np.where(np.isinf(self.labels), self.n_offered, self.labels)

    @property
    def mean(self) -> float:
        """Mean of `counted` over the runs."""
        return float(self.counted.mean())

    @property
    def std(self) -> float:
        """Standard deviation of `counted` over the runs."""
        return float(self.counted.std())


@dataclass(frozen=True, eq=False)
class LabelCurveComparison:
    """Paired differences of two label curves, with intervals and p-values.

    Positive differences speak for the first curve. Each label count is a separate test:
    among many counts some p-values are small by chance. The area is a single test.

    Attributes
    ----------
    test : str
        Name of the test.
    confidence : float
        Confidence of the intervals.
    n_runs : int
        Number of pairs of runs.
    n_labels : ndarray of int of shape (n_counts,)
        Label counts at which the scores were compared.
    area_range : ndarray of int of shape (2,)
        First and last label count of the areas.
    differences : ndarray of shape (n_runs, n_counts + 1)
        Score of the first curve minus score of the second at each label count; last,
        the difference of the areas.
    mean, low, high, p_value : ndarray of shape (n_counts + 1,)
        Mean difference, its interval, and the two-sided p-value of "no difference".
    """

    test: str
    confidence: float
    n_runs: int
    n_labels: np.ndarray
    area_range: np.ndarray
    differences: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_value: np.ndarray

    def __str__(self) -> str:
        area = "area, {} to {} labels".format(*self.area_range)
        names = [*(f"{n} labels" for n in self.n_labels), area]
        values = zip(names, self.mean, self.low, self.high, self.p_value, strict=True)
        lines = [f"difference in score, {self.n_runs} paired runs, {self.test}:"]
        lines += [
            f"  {name}: {mean:+.2g} [{low:+.2g}, {high:+.2g}], p = {p:.1g}"
            for name, mean, low, high, p in values
        ]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class LabelCurve:
    """Scores of a learner after each purchase, over repeated runs.

    Attributes
    ----------
    n_labels : ndarray of int of shape (n_points,)
        Label counts, ascending.
    scores : ndarray of shape (n_runs, n_points)
        Held-out score of each run with that number of labels; NaN if the run bought
        fewer labels, or was not scored at that count.
    n_bought : ndarray of int of shape (n_runs,)
        Labels that each run bought in total.
    final_scores : ndarray of shape (n_runs,)
        Held-out score at the end of each run.
    n_offered : ndarray of int of shape (n_runs,)
        Rows that each run could have bought.
    n_held_out : ndarray of int of shape (n_runs,)
        Rows on which each run was scored.
    runs : ndarray of str of shape (n_runs,)
        Names that follow from the rows of a run and their order: curves whose runs have
        the same names can be compared run by run.
    scoring : str
        Name of the score.
    best : float
        Best value of the score: 0 for losses, whose scores are negative, else 1. The
        error is `best` - score.
    constant_scores : ndarray of shape (n_runs,)
        Score of a constant prediction in each run: the most frequent class of the
        offered rows, and the shares of their classes as probabilities. NaN if unknown.
    others : dict of LabelCurve
        The same runs by the other measures, if there were several.
    """

    n_labels: np.ndarray
    scores: np.ndarray
    n_bought: np.ndarray
    final_scores: np.ndarray
    n_offered: np.ndarray
    n_held_out: np.ndarray
    runs: np.ndarray
    scoring: str = "score"
    best: float = 1.0
    constant_scores: np.ndarray = field(default_factory=lambda: np.array([]))
    others: "dict[str, LabelCurve]" = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not len(self.constant_scores):
            unknown = np.full(len(self.scores), np.nan)
            object.__setattr__(self, "constant_scores", unknown)

    def take(self, runs: ArrayLike) -> "LabelCurve":
        """Return the curve of some of the runs.

        Parameters
        ----------
        runs : array-like of int or bool
            Numbers of the runs in this curve, or a mask.

        Returns
        -------
        curve : LabelCurve
            The runs in the order of `runs`, by all measures.
        """
        runs = np.asarray(runs)
        parts = {name: getattr(self, name)[runs] for name in PER_RUN}
        others = {name: curve.take(runs) for name, curve in self.others.items()}
        return replace(self, **parts, others=others)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as lists and numbers, None for NaN and infinity."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}

    def to_json(self) -> str:
        """Return the fields as JSON, null for NaN and infinity."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the curve from the values of `to_dict`."""
        others = {name: cls.from_dict(of) for name, of in values["others"].items()}
        arrays = {
            name: np.array(value, dtype=float if name.endswith("scores") else None)
            for name, value in values.items()
            if isinstance(value, list)
        }
        return cls(**{**values, **arrays, "others": others})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the curve from the text of `to_json`."""
        return cls.from_dict(json.loads(text))

    def by(self, scoring: str | None = None) -> "LabelCurve":
        """Return the curve of one of the measures; None: the first.

        Raises
        ------
        ValueError
            For a measure that the curve does not have.
        """
        if scoring is None or scoring == self.scoring:
            return self
        if scoring not in self.others:
            known = ", ".join([self.scoring, *self.others])
            raise ValueError(
                f"scoring={scoring!r} was not measured; the measures of the curve are "
                f"{known}."
            )
        return self.others[scoring]

    @property
    def constant_score(self) -> float:
        """Mean of `constant_scores` over the runs."""
        return float(self.constant_scores.mean())

    @property
    def carried_scores(self) -> Floats:
        """Scores with gaps filled as in `scores_at`, shape (n_runs, n_points)."""
        return self.scores_at(self.n_labels)

    @property
    def mean(self) -> Floats:
        """Mean over runs of `carried_scores`, shape (n_points,)."""
        return self._over_runs(np.nanmean)

    @property
    def std(self) -> Floats:
        """Standard deviation over runs of `carried_scores`, shape (n_points,)."""
        return self._over_runs(np.nanstd)

    def _over_runs(self, statistic):
        scores = self.carried_scores
        out = np.full(scores.shape[1], np.nan)
        known = ~np.isnan(scores).all(axis=0)
        out[known] = statistic(scores[:, known], axis=0)
        return out

    def scores_at(self, n_labels: ArrayLike) -> Floats:
        """Return the scores of all runs after a number of purchased labels.

        Parameters
        ----------
        n_labels : array-like of int of shape (n_counts,)
            Label counts. Between two scores a run keeps the earlier one. A run that
            has ended keeps its final score.

        Returns
        -------
        scores : ndarray of shape (n_runs, n_counts)
            NaN before the first score of a run.
        """
        scores = np.insert(self.scores, 0, np.nan, axis=1)
        last = np.where(np.isnan(scores), 0, np.arange(scores.shape[1]))
        last = np.maximum.accumulate(last, axis=1)
        points = np.searchsorted(self.n_labels, n_labels, side="right")
        carried = np.take_along_axis(scores, last[:, points], axis=1)
        ended = np.asarray(n_labels) >= self.n_bought[:, None]
        return np.where(ended, self.final_scores[:, None], carried)

    def labels_for(self, error: float) -> float:
        """Return the labels from which the mean error stays at most `error`.

        Infinity if it never does. It must stay there, because the mean of a few runs
        also dips by chance.
        """
        is_reached = reaches(self.mean, error, self.best)
        last_above = -1 if is_reached.all() else np.flatnonzero(~is_reached)[-1]
        return float(np.append(self.n_labels, np.inf)[last_above + 1])

    def labels_to_target(self, error: float) -> LabelsToTarget:
        """Return the labels that each run needed to reach an error.

        The curve must have been scored after each purchase, or at the counts that
        matter; the end of each run counts, too.

        Parameters
        ----------
        error : float in [0, 1]
            Target for 1 - score. For a loss, whose name begins with ``neg_``: target
            for the loss.

        Returns
        -------
        result : LabelsToTarget
            ``labels`` of each run, ``mean``, ``std``, ``n_failed``. In the mean a run
            that never reaches the target counts as all rows it was offered.

        Raises
        ------
        ValueError
            For an error outside [0, 1].

        Examples
        --------
        >>> from sklearn.datasets import load_digits
        >>> from sklearn_activelearn import RandomSamplingClassifier
        >>> from sklearn_activelearn.evaluation import label_curve
        >>> X, y = load_digits(return_X_y=True)
        >>> learner = RandomSamplingClassifier(rate=1.0)
        >>> curve = label_curve(learner, X, y, at=range(50, 1000, 50), random_state=0)
        >>> curve.labels_to_target(0.2).n_failed
        0
        """
        check_error(error, "error", self.best)
        # the end of a run is a last column of its scores
        scores = np.column_stack([self.scores, self.final_scores])
        is_reached = reaches(scores, error, self.best)
        counts = np.tile(np.append(self.n_labels, 0), (len(scores), 1))
        counts[:, -1] = self.n_bought
        first = counts[np.arange(len(scores)), is_reached.argmax(axis=1)]
        labels = np.where(is_reached.any(axis=1), first, np.inf)
        return LabelsToTarget(float(error), labels, self.n_offered)

    def area(self, start: int | None = None, stop: int | None = None) -> Floats:
        """Return the area under each run, as a mean score.

        Parameters
        ----------
        start : int >= 1, default=None
            First label count. None: the first count at which all runs have a score.
        stop : int >= start, default=None
            Last label count. None: the last count of the curve. Areas of several
            learners can only be compared over the same range.

        Returns
        -------
        areas : ndarray of shape (n_runs,)
            One number for each run, on the scale of the score.

        Raises
        ------
        ValueError
            For an empty range, and a range that begins before all runs have a score.

        Notes
        -----
        With s(n) the score of `scores_at` (a learner that stops asking keeps its
        model)::

            area = (s(start) + s(start + 1) + ... + s(stop)) / (stop - start + 1)

        A learner whose accuracy is always 0.8 has the area 0.8, whatever the range.

        Examples
        --------
        >>> from sklearn.datasets import load_digits
        >>> from sklearn_activelearn import CBGZClassifier
        >>> from sklearn_activelearn.evaluation import label_curve
        >>> X, y = load_digits(return_X_y=True)
        >>> at = range(10, 201, 10)
        >>> curve = label_curve(CBGZClassifier(), X, y, at=at, random_state=0)
        >>> print(f"{curve.area().mean():.1f}")
        0.6
        """
        start, stop = check_range(start, stop, [self])
        return self.scores_at(np.arange(start, stop + 1)).mean(axis=1)

    def compare(
        self,
        other: "LabelCurve",
        *,
        at: ArrayLike = (),
        start: int | None = None,
        stop: int | None = None,
        test: Literal["t", "corrected_t"] = "t",
        confidence: float = 0.95,
    ) -> LabelCurveComparison:
        """Test whether two learners differ, run by run on the same folds.

        Parameters
        ----------
        other : LabelCurve
            Curve of the other learner, measured on the same runs: `label_curve` with
            the same data, folds, repeats and an int as `random_state`. Of two
            interrupted curves, the runs that both have are compared.
        at : int or array-like of int, default=()
            Label counts at which to compare the scores.
        start, stop : int, default=None
            Range of label counts of the areas, as for `area`. None: the widest range in
            which both curves have scores.
        test : {"t", "corrected_t"}, default="t"
            Paired t-test over the runs, or the corrected resampled t-test [1]_.
        confidence : float in (0, 1), default=0.95
            Confidence of the intervals.

        Returns
        -------
        comparison : LabelCurveComparison
            ``mean``, ``low``, ``high`` and ``p_value`` at each count, the same for the
            area. Printed, it has a line for each.

        Raises
        ------
        ValueError
            For curves that do not share two runs, curves of different measures, and
            label counts at which a run has no score.

        Notes
        -----
        The intervals and p-values of ``"t"`` are about the mean difference over further
        splits and orders of these rows, of which the runs are a sample. With
        differences d_1 .. d_J::

            t = mean(d) / sqrt(var(d) / J),  J - 1 degrees of freedom

        Other rows of the same population differ more. The corrected test allows for
        that: it replaces 1 / J by 1 / J + n_test / n_train, with n_train the rows
        offered to a run. The correction was derived for learners that use all training
        rows. Active learners use few of them, which overlap less, so the corrected test
        is conservative here, and more runs never make its interval much narrower.

        References
        ----------
        .. [1] C. Nadeau, Y. Bengio, "Inference for the Generalization Error", Machine
           Learning 52, 2003, Section 3 (the corrected resampled t-test).

        Examples
        --------
        >>> from sklearn.datasets import load_digits
        >>> from sklearn_activelearn import (
        ...     GreedyOnlineClassifier, RandomSamplingClassifier
        ... )
        >>> from sklearn_activelearn.evaluation import label_curve
        >>> X, y = load_digits(return_X_y=True)
        >>> active, passive = (
        ...     label_curve(learner, X, y == 0, at=range(5, 201, 5), random_state=0)
        ...     for learner in (GreedyOnlineClassifier(), RandomSamplingClassifier(1.0))
        ... )
        >>> print(active.compare(passive, at=[150]))
        difference in score, 5 paired runs, paired t-test:
          150 labels: +0.086 [+0.068, +0.1], p = 0.0002
          area, 5 to 200 labels: +0.066 [+0.048, +0.083], p = 0.0005
        """
        check_option(test, "test", TESTS)
        check_number(confidence, "confidence", 0, 1)
        if self.scoring != other.scoring:
            raise ValueError(
                f"The curves are of different measures, {self.scoring} and "
                f"{other.scoring}: choose one with `by`."
            )
        _, *pairs = np.intersect1d(self.runs, other.runs, return_indices=True)
        if len(pairs[0]) < 2:
            raise ValueError(
                f"The curves share {len(pairs[0])} runs, but two are needed: measure "
                "both with the same data, cv, n_repeats and an int as random_state."
            )
        start, stop = check_range(start, stop, [self, other])
        at = np.atleast_1d(np.asarray(at, dtype=None if np.size(at) else np.int64))
        if at.ndim != 1 or at.dtype.kind not in "iu":
            raise ValueError(f"at must hold label counts, integers from 1, got {at}.")
        ours, theirs = (
            np.column_stack([curve.scores_at(at), curve.area(start, stop)])[runs]
            for curve, runs in zip((self, other), pairs, strict=True)
        )
        differences = ours - theirs
        is_missing = np.isnan(differences[:, :-1]).any(axis=0)
        if is_missing.any():
            raise ValueError(
                f"at: not all runs have a score at {at[is_missing].max()} labels."
            )
        ratio = 0.0
        if test == "corrected_t":
            ratio = np.mean(self.n_held_out[pairs[0]] / self.n_offered[pairs[0]])
        return LabelCurveComparison(
            TESTS[test],
            float(confidence),
            len(differences),
            at,
            np.array([start, stop]),
            differences,
            *paired_t_test(differences, confidence, ratio),
        )

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame with a row for each run and label count."""
        n_runs, n_points = self.scores.shape
        return frame(
            {
                "run": np.repeat(np.arange(n_runs), n_points),
                "n_labels": np.tile(self.n_labels, n_runs),
                "score": self.scores.ravel(),
                "carried_score": self.carried_scores.ravel(),
            }
        )


def join_curves(first, second):
    """Return a curve with the runs of two curves of one measure."""
    n_labels = np.union1d(first.n_labels, second.n_labels)
    parts = {
        name: np.concatenate([getattr(first, name), getattr(second, name)])
        for name in PER_RUN
        if name != "scores"
    }
    scores = np.full((len(parts["runs"]), len(n_labels)), np.nan)
    for curve, rows in (
        (first, slice(len(first.runs))),
        (second, slice(len(first.runs), None)),
    ):
        scores[rows, np.searchsorted(n_labels, curve.n_labels)] = curve.scores
    return replace(first, n_labels=n_labels, scores=scores, **parts, others={})


def check_range(start, stop, curves):
    """Return a range of label counts in which all runs of all curves have scores.

    The default is the widest range in which every curve was measured.
    """
    known = [~np.isnan(curve.carried_scores) for curve in curves]
    if not all(k.any(axis=1).all() for k in known):
        raise ValueError("A run has no score at all, because it bought no labels.")
    first = max(
        int(curve.n_labels[k.argmax(axis=1)].max())
        for curve, k in zip(curves, known, strict=True)
    )
    start = first if start is None else start
    check_number(start, "start", 1, closed="left", integer=True)
    if start < first:
        raise ValueError(
            f"start == {start}, but not all runs have a score before {first} labels."
        )
    stop = min(int(curve.n_labels[-1]) for curve in curves) if stop is None else stop
    check_number(stop, "stop", start, closed="left", integer=True)
    return start, stop


def reaches(scores, error, best=1.0):
    """Return whether ``best - scores`` is at most the error, up to rounding."""
    return best - scores <= error + 1e-12


def check_error(error, name, best):
    """Raise for an error that no score has."""
    if best == 1:
        check_number(error, name, 0, 1, closed="both")
    else:
        check_number(error, name, 0, closed="left")
