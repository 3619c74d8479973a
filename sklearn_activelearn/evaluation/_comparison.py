"""Tests of whether one learner is better than another, beyond the luck of folds."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student
from sklearn.utils import check_random_state

from .._typing import Seed
from .._validation import check_number, check_option
from ._label_curve import LabelCurve, Result, area_under_label_curve, check_range, frame

if TYPE_CHECKING:
    from pandas import DataFrame

#: What a test is called, by the name that the user gives it.
TESTS = {
    "t": "paired t-test",
    "corrected_t": "corrected resampled t-test",
    "bootstrap": "bootstrap over runs (percentiles)",
}


@dataclass(frozen=True, eq=False)
class LabelCurveComparison(Result):
    """Paired differences of two label curves, with intervals and p-values.

    Positive differences speak for the first curve. Each count is tested on its own:
    with many of them some p-values are small by chance. The area is one test.

    Attributes
    ----------
    test : str
        Which test it was, in words.
    confidence : float
        Of the intervals.
    n_runs : int
        Pairs of runs.
    n_labels : ndarray of int of shape (n_points,)
        The label counts compared.
    differences : ndarray of shape (n_runs, n_points)
        Carried score of the first curve minus that of the second.
    mean, low, high, p_value : ndarray of shape (n_points,)
        Mean difference, its interval, and the two-sided p-value of "no difference".
    area_range : ndarray of int of shape (2,)
        First and last label count of the areas.
    area_differences : ndarray of shape (n_runs,)
        Area of the first curve minus that of the second.
    area_mean, area_low, area_high, area_p_value : float
        The same for the areas.
    """

    test: str
    confidence: float
    n_runs: int
    n_labels: np.ndarray
    differences: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_value: np.ndarray
    area_range: np.ndarray
    area_differences: np.ndarray
    area_mean: float
    area_low: float
    area_high: float
    area_p_value: float

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame with a row for each label count and the area."""
        return frame(
            {
                "what": [*(f"{n} labels" for n in self.n_labels), self._area],
                **{
                    name: [*getattr(self, name), getattr(self, f"area_{name}")]
                    for name in ("mean", "low", "high", "p_value")
                },
            }
        )

    @property
    def _area(self):
        return "area, {} to {} labels".format(*self.area_range)

    def __str__(self) -> str:
        rows = zip(
            [*(f"{n} labels" for n in self.n_labels), self._area],
            [*self.mean, self.area_mean],
            [*self.low, self.area_low],
            [*self.high, self.area_high],
            [*self.p_value, self.area_p_value],
            strict=True,
        )
        return "\n".join(
            [
                f"difference in score, {self.n_runs} paired runs, {self.test}:",
                *(
                    f"  {what}: {mean:+.2g} [{low:+.2g}, {high:+.2g}], p = {p:.1g}"
                    for what, mean, low, high, p in rows
                ),
            ]
        )


def compare_label_curves(
    curve: LabelCurve,
    other: LabelCurve,
    *,
    scoring: str | None = None,
    at: ArrayLike = (),
    start: int | None = None,
    stop: int | None = None,
    test: Literal["t", "corrected_t", "bootstrap"] = "t",
    confidence: float = 0.95,
    n_resamples: int = 9999,
    random_state: Seed = None,
) -> LabelCurveComparison:
    """Test whether two learners differ, run by run on the same folds.

    Parameters
    ----------
    curve, other : LabelCurve
        Measured on the same runs: `label_curve` with the same data, folds, repeats
        and an int as `random_state`. Of two that were interrupted, the runs that
        both have are compared.
    scoring : str, default=None
        The measure to compare, by its name in the curves; None: their first.
    at : int or array-like of int, default=()
        Label counts at which to compare the scores.
    start, stop : int, default=None
        Range of label counts for the area, as for `area_under_label_curve`. None:
        the widest one in which both curves have scores.
    test : {"t", "corrected_t", "bootstrap"}, default="t"
        Paired t-test over the runs; the corrected resampled t-test [1]_; or the
        percentiles of means over runs drawn with replacement.
    confidence : float in (0, 1), default=0.95
        Of the intervals.
    n_resamples : int >= 1, default=9999
        For the bootstrap.
    random_state : int, RandomState or None, default=None
        For the bootstrap.

    Returns
    -------
    comparison : LabelCurveComparison
        Printed, it says all in one line for each count and one for the area.

    Raises
    ------
    ValueError
        For curves that do not share two runs, of two measures, or label counts at
        which a run has no score yet.

    Notes
    -----
    What the intervals and p-values of ``"t"`` and ``"bootstrap"`` are about is the
    mean difference over further splits and orders of these rows. For that the runs
    are a sample, and with differences d_1 .. d_J::

        t = mean(d) / sqrt(var(d) / J),  J - 1 degrees

    Other rows of the same population differ more. The corrected test allows for it: it
    has 1 / J + n_test / n_train in place of 1 / J, with n_train the rows offered to a
    run. That was argued for learners that use all training rows; active learners use
    few of them, which overlap less, so it is on the careful side here, and more runs
    never make its interval much narrower.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the Generalization Error", Machine
       Learning 52, 2003, Section 3 (the corrected resampled t-test).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import GreedyOnlineClassifier, RandomSamplingClassifier
    >>> from sklearn_activelearn.evaluation import compare_label_curves, label_curve
    >>> X, y = load_digits(return_X_y=True)
    >>> active, passive = (
    ...     label_curve(learner, X, y == 0, at=range(5, 201, 5), random_state=0)
    ...     for learner in (GreedyOnlineClassifier(), RandomSamplingClassifier(1.0))
    ... )
    >>> print(compare_label_curves(active, passive, at=[150]))
    difference in score, 5 paired runs, paired t-test:
      150 labels: +0.086 [+0.068, +0.1], p = 0.0002
      area, 5 to 200 labels: +0.066 [+0.048, +0.083], p = 0.0005
    """
    check_option(test, "test", TESTS)
    check_number(confidence, "confidence", 0, 1)
    check_number(n_resamples, "n_resamples", 1, closed="left", integer=True)
    curve, other = curve.by(scoring), other.by(scoring)
    if curve.scoring != other.scoring:
        raise ValueError(f"one curve is {curve.scoring}, the other {other.scoring}.")
    rows = shared_runs(curve, other)
    start, stop = check_range(start, stop, [curve, other])
    at = np.atleast_1d(np.asarray(at, dtype=None if np.size(at) else np.int64))
    if at.ndim != 1 or at.dtype.kind not in "iu":
        raise ValueError("at must hold label counts, whole numbers from 1.")
    scores = [c.scores_at(at)[r] for c, r in zip((curve, other), rows, strict=True)]
    areas = [
        area_under_label_curve(c, start, stop)[r]
        for c, r in zip((curve, other), rows, strict=True)
    ]
    differences = np.column_stack([scores[0] - scores[1], areas[0] - areas[1]])
    if np.isnan(differences).any():
        count = at[np.isnan(differences).any(axis=0)[:-1]].max()
        raise ValueError(f"at: not all runs have a score at {count} labels.")
    if test == "t":
        outcome = paired_t(differences, confidence)
    elif test == "corrected_t":
        held_out, offered = curve.n_held_out[rows[0]], curve.n_offered[rows[0]]
        outcome = paired_t(differences, confidence, np.mean(held_out / offered))
    else:
        rng = check_random_state(random_state)
        outcome = bootstrap(differences, n_resamples, confidence, rng)
    (*at_counts, area) = zip(*(v.tolist() for v in outcome), strict=True)
    mean, low, high, p_value = np.array(at_counts).reshape(-1, 4).T
    return LabelCurveComparison(
        TESTS[test], float(confidence), len(differences), at,
        differences[:, :-1], mean, low, high, p_value,
        np.array([start, stop]), differences[:, -1], *area,
    )  # fmt: skip


def shared_runs(curve, other):
    """Return the positions in both curves of the runs that they share."""
    shared = np.intersect1d(curve.runs, other.runs, return_indices=True)[1:]
    if len(shared[0]) < 2:
        raise ValueError(
            f"the curves share {len(shared[0])} runs, two are needed: measure both "
            "with the same data, cv, n_repeats and an int as random_state."
        )
    return shared


def paired_t(differences, confidence, ratio=0.0):
    """Return means, interval ends and p-values of columns.

    Parameters
    ----------
    differences : ndarray of shape (n_runs, n_columns)
        Paired.
    confidence : float
        Of the intervals.
    ratio : float, default=0.0
        Rows held out for each training row, for the correction of Nadeau and Bengio.
    """
    n_runs = len(differences)
    mean = differences.mean(axis=0)
    error = np.sqrt((1 / n_runs + ratio) * differences.var(axis=0, ddof=1))
    half = student.ppf((1 + confidence) / 2, n_runs - 1) * error
    # no spread: 0 / 0 is no difference, anything else a certain one
    distance = np.where(mean == 0, 0.0, np.inf)
    np.divide(np.abs(mean), error, out=distance, where=~(error <= 0))
    return mean, mean - half, mean + half, 2 * student.sf(distance, n_runs - 1)


def bootstrap(differences, n_resamples, confidence, rng):
    """Return means, interval ends and p-values of columns, from resampled runs."""
    n_runs = len(differences)
    drawn = rng.multinomial(n_runs, np.full(n_runs, 1 / n_runs), size=n_resamples)
    means = drawn @ differences / n_runs
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    below, above = (means <= 0).sum(axis=0), (means >= 0).sum(axis=0)
    p_value = 2 * (np.minimum(below, above) + 1) / (n_resamples + 1)
    return differences.mean(axis=0), low, high, np.minimum(p_value, 1)
