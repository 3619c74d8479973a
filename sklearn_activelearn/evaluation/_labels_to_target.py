"""Labels needed to reach a target error, and tuning for as few as possible."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
from joblib import Memory
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state

from .._labels import plain_labels
from .._typing import (
    CV,
    Estimator,
    EstimatorT,
    FilePath,
    Floats,
    ParamGrid,
    RowsLike,
    Scoring,
    Seed,
)
from ._label_curve import (
    ExperimentInterrupted,
    LabelCurve,
    Result,
    area_under_label_curve,
    check_error,
    check_grid,
    check_range,
    frame,
    label_curve,
    plain,
    reaches,
    reporting,
)
from ._measures import learner_of, measures_of

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class LabelsToTarget(Result):
    """Labels each run needed to reach an error for the first time.

    Attributes
    ----------
    error : float
        The target.
    labels : ndarray of shape (n_runs,)
        Labels bought when the held-out error was first at most `error`;
        infinity for a run that never got there.
    n_offered : ndarray of int of shape (n_runs,)
        Rows each run could have bought.
    """

    error: float
    labels: np.ndarray = field(metadata={"null": np.inf})
    n_offered: np.ndarray

    @property
    def n_failed(self) -> int:
        """Runs that never reached the target."""
        return int(np.isinf(self.labels).sum())

    @property
    def counted(self) -> Floats:
        """Labels with a failure counted as every row the run was offered."""
        return np.where(np.isinf(self.labels), self.n_offered, self.labels)

    @property
    def mean(self) -> float:
        """Mean over runs, failures counted as every row offered."""
        return float(self.counted.mean())

    @property
    def std(self) -> float:
        """Standard deviation over runs, failures counted as every row offered."""
        return float(self.counted.std())

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame with a row for each run."""
        return frame(
            {
                "error": self.error,
                "labels": self.labels,
                "counted": self.counted,
                "n_offered": self.n_offered,
            }
        )


def labels_to_target(
    curve: LabelCurve, error: float, *, scoring: str | None = None
) -> LabelsToTarget:
    """Return how many labels each run of a curve needed to reach an error.

    Parameters
    ----------
    curve : LabelCurve
        Scored after each purchase, or at the counts that matter; the end of
        each run counts too.
    error : float in [0, 1]
        Target for 1 - score; of a loss, whose name begins with ``neg_``, the loss.
    scoring : str, default=None
        Which measure of the curve; None: its first.

    Returns
    -------
    result : LabelsToTarget
        Runs that never reach the target are counted, not dropped: at all rows
        they were offered.

    Raises
    ------
    ValueError
        For an error outside [0, 1], or a measure that the curve does not have.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import RandomSamplingClassifier
    >>> from sklearn_activelearn.evaluation import label_curve, labels_to_target
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = RandomSamplingClassifier(rate=1.0)
    >>> curve = label_curve(learner, X, y, at=range(50, 1000, 50), random_state=0)
    >>> labels_to_target(curve, 0.2).n_failed
    0
    """
    curve = curve.by(scoring)
    check_error(error, "error", curve.best)
    reached = reaches(curve.scores, error, curve.best)
    first = reached.argmax(axis=1) if reached.shape[1] else np.zeros(len(reached), int)
    at_the_end = reaches(curve.final_scores, error, curve.best)
    at_the_end = np.where(at_the_end, curve.n_bought, np.inf)
    labels = np.where(
        reached.any(axis=1), np.append(curve.n_labels, 0)[first], at_the_end
    )
    return LabelsToTarget(float(error), labels, curve.n_offered)


@dataclass(frozen=True, eq=False)
class Tuning(Generic[EstimatorT]):
    """Outcome of `tune_labels_to_target`.

    Attributes
    ----------
    best_params : dict
        Setting with the fewest labels on average.
    best_estimator : estimator
        Unfitted clone with that setting.
    results : list of (dict, LabelsToTarget)
        Every setting, in the order of the grid.
    """

    best_params: dict[str, Any]
    best_estimator: EstimatorT
    results: list[tuple[dict[str, Any], LabelsToTarget]]

    def to_dict(self) -> dict[str, Any]:
        """Return settings and results as plain values; objects as their repr."""
        return {
            "best_params": plain(self.best_params),
            "results": [
                {"params": plain(params), **needed.to_dict()}
                for params, needed in self.results
            ],
        }

    def to_json(self) -> str:
        """Return settings and results as JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame with a row for each setting, like `cv_results_`."""
        return frame(
            [
                {
                    **{f"param_{name}": value for name, value in params.items()},
                    "mean_labels": needed.mean,
                    "std_labels": needed.std,
                    "n_failed": needed.n_failed,
                }
                for params, needed in self.results
            ]
        )


def tune_labels_to_target(
    estimator: EstimatorT,
    param_grid: ParamGrid,
    X: RowsLike,
    y: ArrayLike,
    *,
    error: float,
    cv: CV | None = None,
    scoring: Scoring | None = None,
    n_repeats: int = 1,
    n_jobs: int | None = None,
    memory: FilePath | Memory | None = None,
    progress: bool | Callable[[int, int], object] = False,
    random_state: Seed = None,
) -> Tuning[EstimatorT]:
    """Find the parameters that reach a target error with the fewest labels.

    This is how the papers tune, on a holdout whose labels are all known. All
    settings see the same folds, order of rows and coins.

    Parameters
    ----------
    estimator : learner, or Pipeline that ends in one
        Not changed.
    param_grid : dict or list of dicts
        As for `GridSearchCV`.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The holdout.
    y : array-like of shape (n_samples,)
        Its labels.
    error : float in [0, 1]
        Target for 1 - score; of a loss, whose name begins with ``neg_``, the loss.
    cv, scoring, n_repeats, n_jobs, memory, progress, random_state
        As for `label_curve`, with one measure; progress is in runs of all settings.

    Returns
    -------
    tuning : Tuning
        With failures counted as every row offered; the first of equal settings
        wins.

    Raises
    ------
    ValueError
        As for `label_curve` and `labels_to_target`, and for a grid with no setting.
    ExperimentInterrupted
        On Ctrl-C, once a setting has ended; ``result`` is the tuning among those
        that have.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import CBGZClassifier
    >>> from sklearn_activelearn.evaluation import tune_labels_to_target
    >>> X, y = load_digits(return_X_y=True)
    >>> tuning = tune_labels_to_target(
    ...     CBGZClassifier(), {"b": [0.3, 3.0]}, X, y == 0, error=0.02, random_state=0
    ... )
    >>> tuning.best_params
    {'b': 0.3}
    """
    scorer = measures_of(scoring, learner_of(estimator), plain_labels(y))
    if len(scorer.best) > 1:
        raise ValueError(f"scoring must be one measure, got {scoring!r}.")
    check_error(error, "error", scorer.best[0])
    seed = check_random_state(random_state).randint(2**31)
    settings, results = check_grid(param_grid), []

    def tuning():
        best, _ = min(results, key=lambda result: result[1].mean)
        return Tuning(best, clone(estimator).set_params(**best), results)

    try:
        with reporting(progress, type(learner_of(estimator)).__name__) as report:
            for k, params in enumerate(settings):
                curve = label_curve(
                    clone(estimator).set_params(**params),
                    X,
                    y,
                    cv=cv,
                    scoring=scoring,
                    n_repeats=n_repeats,
                    n_jobs=n_jobs,
                    until=error,
                    memory=memory,
                    progress=lambda done, total, k=k: report(
                        k * total + done, len(settings) * total
                    ),
                    random_state=seed,
                )
                results.append((params, labels_to_target(curve, error)))
    except KeyboardInterrupt as stop:
        if not results:
            raise KeyboardInterrupt("before the first setting had ended") from stop
        raise ExperimentInterrupted(
            f"after {len(results)} of {len(settings)} settings", tuning()
        ) from stop
    return tuning()


def best_in_hindsight(
    estimator: Estimator,
    param_grid: ParamGrid,
    X: RowsLike,
    y: ArrayLike,
    **options: Any,
) -> tuple[dict[str, Any], LabelCurve]:
    """Run a learner with each setting and return the one with the best label curve.

    The oracle that active learning with model selection is compared with: it knows the
    parameters in advance that others have to find with the labels they buy.

    Parameters
    ----------
    estimator : active learner
        Cloned for each setting.
    param_grid : dict or list of dict
        Its parameters to try, as for `GridSearchCV`.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Data.
    y : array-like of shape (n_samples,)
        All labels.
    **options : dict
        Of `label_curve`. With an int as `random_state` all settings meet the same
        folds and rows.

    Returns
    -------
    params : dict
        The setting whose curve has the largest area, over the label counts at which
        some setting still buys; the first of equals.
    curve : LabelCurve
        Its curve.

    Raises
    ------
    TypeError, ValueError
        As `label_curve`, and for a grid with no setting.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_activelearn import UncertaintySamplingClassifier
    >>> from sklearn_activelearn.evaluation import best_in_hindsight
    >>> X, y = load_iris(return_X_y=True)
    >>> params, curve = best_in_hindsight(
    ...     UncertaintySamplingClassifier(GaussianNB(), budget=20),
    ...     {"estimator__var_smoothing": [1e-9, 1.0]}, X, y, random_state=0,
    ... )
    >>> params
    {'estimator__var_smoothing': 1e-09}
    """
    settings = check_grid(param_grid)
    curves = [
        label_curve(clone(estimator).set_params(**params), X, y, **options)
        for params in settings
    ]
    start = max(check_range(None, None, [curve])[0] for curve in curves)
    stop = max(int(curve.n_labels[-1]) for curve in curves)
    areas = [area_under_label_curve(curve, start, stop).mean() for curve in curves]
    best = int(np.argmax(areas))
    return settings[best], curves[best]
