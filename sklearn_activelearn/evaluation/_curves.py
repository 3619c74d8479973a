"""Held-out score against labels bought, and the area under it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._typing import Floats
from .._validation import check_number
from ._results import Result, frame

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class LabelCurve(Result):
    """Scores of a learner after each purchase, over repeated runs.

    Attributes
    ----------
    n_labels : ndarray of int of shape (n_points,)
        Label counts, ascending.
    scores : ndarray of shape (n_runs, n_points)
        Held-out score of each run with that many labels bought; NaN where the
        run bought fewer (or, for a learner that buys several at a time, was
        not scored at that count).
    n_bought : ndarray of int of shape (n_runs,)
        Labels each run bought in all.
    final_scores : ndarray of shape (n_runs,)
        Held-out score at the end of each run.
    n_offered : ndarray of int of shape (n_runs,)
        Rows each run could have bought.
    n_held_out : ndarray of int of shape (n_runs,)
        Rows each run was scored on.
    runs : ndarray of str of shape (n_runs,)
        Stands for the rows of each run and their order: curves whose runs have
        the same names can be compared run by run.
    scoring : str
        What the score is called.
    best : float
        Its best value: 0 for losses, whose scores are negative, else 1. The error of
        a score is what it lacks of that.
    constant_scores : ndarray of shape (n_runs,)
        Score in each run of a constant answer: the most frequent class of the rows
        offered, with the shares of their classes as probabilities. NaN where it is
        not known.
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

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the curve that `to_dict` took apart."""
        others = values.get("others", {}).items()
        curves = {name: cls.from_dict(curve) for name, curve in others}
        return super().from_dict({**values, "others": curves})

    def by(self, scoring: str | None = None) -> "LabelCurve":
        """Return the curve of one of the measures; None: the first.

        Raises
        ------
        ValueError
            For one that was not measured.
        """
        if scoring is None or scoring == self.scoring:
            return self
        if scoring not in self.others:
            known = ", ".join([self.scoring, *self.others])
            raise ValueError(f"scoring={scoring!r} was not measured, only {known}.")
        return self.others[scoring]

    @property
    def constant_score(self) -> float:
        """Mean over runs of `constant_scores`."""
        return float(self.constant_scores.mean())

    @property
    def carried_scores(self) -> Floats:
        """Scores with gaps filled as in `scores_at`, shape (n_runs, n_points)."""
        return self.scores_at(self.n_labels)

    @property
    def mean(self) -> Floats:
        """Mean over runs of `carried_scores`, shape (n_points,)."""
        return _over_runs(np.nanmean, self.carried_scores)

    @property
    def std(self) -> Floats:
        """Standard deviation over runs of `carried_scores`, shape (n_points,)."""
        return _over_runs(np.nanstd, self.carried_scores)

    def scores_at(self, n_labels: ArrayLike) -> Floats:
        """Return what all runs score for a user who pays for that many labels.

        Parameters
        ----------
        n_labels : array-like of int of shape (n_counts,)
            Label counts. A run carries its last score on to those without one. One
            that has bought all it wants keeps its model: its final score.

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
        """Labels from which `best` - score stays at most `error`; inf for never.

        "Stays", because the mean of a few runs also dips by chance.
        """
        good = reaches(self.mean, error, self.best)
        last_bad = np.flatnonzero(~good)[-1] if not good.all() else -1
        return float(np.append(self.n_labels, np.inf)[last_bad + 1])

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


def area_under_label_curve(
    curve: LabelCurve, start: int | None = None, stop: int | None = None
) -> Floats:
    """Return the area under each run of a label curve, as a mean score.

    Parameters
    ----------
    curve : LabelCurve
        Scored after each purchase, or at many counts.
    start : int >= 1, default=None
        First label count. None: the first at which all runs have a score.
    stop : int >= start, default=None
        Last label count. None: the last one of the curve. Areas of several
        learners compare only over the same range.

    Returns
    -------
    areas : ndarray of shape (n_runs,)
        One number for each run, on the scale of the score.

    Raises
    ------
    ValueError
        For a range that is empty, or begins before all runs have a score.

    Notes
    -----
    With s(n) the score that a run has once it paid for n labels (the carried one:
    a learner that stops asking keeps its model)::

        area = (s(start) + s(start + 1) + ... + s(stop)) / (stop - start + 1)

    A learner that is right from the first label on has area 1, one whose accuracy
    is 0.8 all the way 0.8, whatever the range.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import CBGZClassifier
    >>> from sklearn_activelearn.evaluation import area_under_label_curve, label_curve
    >>> X, y = load_digits(return_X_y=True)
    >>> at = range(10, 201, 10)
    >>> curve = label_curve(CBGZClassifier(), X, y, at=at, random_state=0)
    >>> print(f"{area_under_label_curve(curve).mean():.1f}")
    0.6
    """
    start, stop = check_range(start, stop, [curve])
    return curve.scores_at(np.arange(start, stop + 1)).mean(axis=1)


def check_range(start, stop, curves):
    """Return a range of label counts in which all runs of all curves have scores.

    The default is the widest one in which every curve was measured.
    """
    known = [~np.isnan(curve.carried_scores) for curve in curves]
    if not all(k.any(axis=1).all() for k in known):
        raise ValueError("a run has no score at all: it bought no labels.")
    first = max(
        int(curve.n_labels[k.argmax(axis=1)].max())
        for curve, k in zip(curves, known, strict=True)
    )
    start = first if start is None else start
    check_number(start, "start", 1, closed="left", integer=True)
    if start < first:
        raise ValueError(f"start == {start}: not all runs have a score before {first}.")
    stop = min(int(curve.n_labels[-1]) for curve in curves) if stop is None else stop
    check_number(stop, "stop", start, closed="left", integer=True)
    return start, stop


def reaches(scores, error, best=1.0):
    """Whether best - scores is at most the error, up to rounding."""
    return best - scores <= error + 1e-12


def check_error(error, name, best):
    """Refuse an error that no score has."""
    if best == 1:
        check_number(error, name, 0, 1, closed="both")
    else:
        check_number(error, name, 0, closed="left")


def _over_runs(statistic, scores):
    out = np.full(scores.shape[1], np.nan)
    known = ~np.isnan(scores).all(axis=0)
    out[known] = statistic(scores[:, known], axis=0)
    return out
