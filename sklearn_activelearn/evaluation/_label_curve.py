"""Held-out score against labels bought, and the area under it."""

import inspect
import json
import os
from collections.abc import Callable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache, partial
from hashlib import blake2b
from numbers import Integral
from tokenize import TokenError
from typing import TYPE_CHECKING, Any, Self
from warnings import catch_warnings, simplefilter, warn_explicit

import joblib
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn import __version__ as sklearn_version
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import ParameterGrid, StratifiedKFold, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_memory

from .. import __version__
from .._labels import check_not_missing
from .._rows import Rows
from .._transaction import begin_transaction
from .._typing import CV, Estimator, FilePath, Floats, RowsLike, Scorings, Seed
from .._validation import check_number, check_rows, check_sparse_rows
from .._warnings import warn_user
from ..exceptions import OneClassWarning
from ..sources._containers import take
from ..stream._base import StreamClassifier, StreamLoop, labels_of
from ..stream._pass import Products
from ._measures import learner_of, measures_of

if TYPE_CHECKING:
    from pandas import DataFrame

    from ._labels_to_target import Tuning


def checkpoints(learner, X, y, order, classes, counts):
    """Simulate a learner in place, and yield whenever so many labels are bought.

    A block of rows with a stop in it is gone through twice: to see which rows are
    bought, and again up to the stop. Cuts between groups of rows do not matter (law 3).

    Parameters
    ----------
    learner : StreamLoop
        One that has seen nothing.
    X, y, classes
        As for its `partial_fit`.
    order : ndarray of int64
        Row numbers of X.
    counts : ndarray of int
        Ascending.

    Yields
    ------
    n : int
        Each of the counts that is reached, when the learner is there.
    """
    simulate = learner._simulation(X, y, classes, len(order))
    group = learner._group
    size = group * -(-max(len(order) // 32, 1000) // group)
    place = np.empty(len(y), dtype=np.int64)
    place[order] = np.arange(len(order))
    for start in range(0, len(order), size):
        block, n_before = order[start : start + size], learner.n_queries_
        transaction = begin_transaction(learner)
        end = transaction.learner
        simulate(end, block)
        reached = counts[(counts > n_before) & (counts <= end.n_queries_)]
        done = 0
        for n in reached.tolist():
            last = place[end.queried_indices_[n - n_before - 1]] - start
            after = last - last % group + group
            simulate(learner, block[done:after])
            done = after
            yield n
        transaction.commit()
    learner._warn_after_run()


class ExperimentInterrupted(KeyboardInterrupt):
    """Ctrl-C ended an experiment; what was measured until then is here.

    It stops a script as any Ctrl-C does. In a notebook, where nobody caught it,
    ``sys.last_value.result`` is the result.

    Attributes
    ----------
    result : LabelCurve or Tuning
        The runs, or the settings, that had come to an end.
    """

    def __init__(self, message: str, result: "LabelCurve | Tuning[Any]"):
        super().__init__(message)
        self.result = result


@contextmanager
def reporting(progress, what):
    """Yield a function of (done, total) that shows how far an experiment is.

    Parameters
    ----------
    progress : bool or callable
        False shows nothing, True a bar; a function is called itself.
    what : str
        Stands beside the bar.
    """
    if callable(progress):
        yield progress
        return
    if not isinstance(progress, bool):
        raise TypeError(f"progress must be True, False or callable, got {progress!r}.")
    if not progress:
        yield lambda done, total: None
        return
    try:
        from rich.progress import MofNCompleteColumn, Progress
    except ImportError as error:
        raise ImportError("progress=True needs rich: pip install rich") from error
    with Progress(*Progress.get_default_columns(), MofNCompleteColumn()) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class Result:
    """A frozen dataclass of numbers, strings and arrays that can be written down.

    JSON knows neither NaN nor infinity: they become null, and come back as what the
    metadata of the field calls "null", NaN unless it says so.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as lists and numbers, None for NaN and infinity."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}

    def to_json(self) -> str:
        """Return the fields as JSON, which `from_json` reads again."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the result that `to_dict` took apart."""
        known = [f for f in fields(cls) if f.name in values]
        return cls(**{f.name: restored(values[f.name], f) for f in known})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the result that `to_json` wrote."""
        return cls.from_dict(json.loads(text))


def plain(value):
    """Return arrays as lists, and None for what JSON does not know."""
    if isinstance(value, Result):
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


def restored(value, field):
    """Return a value of that field as it was before `plain`."""
    null = field.metadata.get("null", np.nan)
    if field.type is np.ndarray:
        return np.array(with_nulls(value, null))
    return null if value is None and field.type is float else value


def with_nulls(value, null):
    """Return nested lists with None replaced."""
    if isinstance(value, list):
        return [with_nulls(item, null) for item in value]
    return null if value is None else value


def frame(columns):
    """Return a pandas DataFrame, or say how to get pandas."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("to_frame needs pandas: pip install pandas") from error
    return pd.DataFrame(columns)


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


#: Models that are scored together.
TOGETHER = 16


class TargetReached(Exception):
    """Ends `learn` from within the oracle."""


class Scorekeeper:
    """Scores a learner at given numbers of labels.

    Parameters
    ----------
    learner : learner
        Whose scores are kept.
    scorer : Measures
        ``scorer(estimator, X, y)``.
    X, y : rows and labels
        Held out.
    until : float or None
        Raise `TargetReached` at the first error of at most this; of one measure.

    Attributes
    ----------
    points : dict
        Scores by label count, each an array of shape (n_measures,).
    """

    def __init__(self, learner, scorer, X, y, until):
        self.learner, self.scorer = learner, scorer
        self.X, self.y, self.until = X, y, until
        self.points = {}

    def score_at(self, n):
        """Score the learner, which has n labels."""
        self.keep(n, self.scorer(self.learner, self.X, self.y))

    def keep(self, n, score):
        """Note the scores."""
        self.points[n] = score
        if self.until is not None and self.is_there(score):
            raise TargetReached

    def is_there(self, scores):
        """Whether the error is at most the one to be reached."""
        return reaches(scores[0], self.until, self.scorer.best[0])

    def finish(self):
        """Score what has not been scored yet."""

    def end(self):
        """Return scores by label count, labels bought, and the last score."""
        learner = self.learner
        return self.points, learner.n_queries_, self.scorer(learner, self.X, self.y)


class LinearScorekeeper(Scorekeeper):
    """Looks at held-out rows once for several models of a learner with weights."""

    def __init__(self, *args):
        super().__init__(*args)
        self.models = []

    def score_at(self, n):
        """Keep the model of n labels."""
        learner = self.learner
        self.models.append((n, learner.coef_.copy(), learner.intercept_.copy()))
        if len(self.models) == TOGETHER:
            self.finish()

    def finish(self):
        """Score the models that are waiting."""
        models, self.models = self.models, []
        if not models:
            return
        X = check_rows(self.learner, self.X, reset=False, finite=True)
        n_each = len(models[0][2])
        products = Products(Rows(X), None, n_each * len(models))
        weights = products.zeros()
        for k, (_, coef, _) in enumerate(models):
            products.put(weights, k * n_each, coef)
        intercepts = np.concatenate([intercept for _, _, intercept in models])
        scores = products.scores(weights, intercepts, n_each, self.learner.normalize)
        for (n, _, _), table in zip(models, scores, strict=True):
            model = Scored(self.learner.classes_, table)
            self.keep(n, self.scorer(model, self.X, self.y))

    def end(self):
        """Return what the run was when it came to its end, or to the target."""
        last = max(self.points, default=None)
        if self.until is None or last is None:
            return super().end()
        if not self.is_there(self.points[last]):
            return super().end()
        return self.points, last, self.points[last]


class Scored(ClassifierMixin, BaseEstimator):
    """A model whose scores of the held-out rows are known."""

    def __init__(self, classes, scores):
        self.classes_, self.scores = classes, scores

    def decision_function(self, X):
        """Return the scores."""
        return self.scores

    def predict(self, X):
        """Return the most likely classes."""
        return labels_of(self.scores, self.classes_)


def scorekeeper(learner, scorer, X, y, until):
    """Return who keeps the scores of a learner."""
    is_linear = isinstance(learner, StreamClassifier) and learner._may_share_passes()
    together = is_linear and scorer.of_predictions
    keeper = LinearScorekeeper if together else Scorekeeper
    return keeper(learner, scorer, X, y, until)


def label_curve(
    estimator: Estimator,
    X: RowsLike,
    y: ArrayLike,
    *,
    cv: CV | None = None,
    scoring: Scorings | None = None,
    n_repeats: int = 1,
    n_jobs: int | None = None,
    at: ArrayLike | None = None,
    until: float | None = None,
    memory: FilePath | joblib.Memory | None = None,
    progress: bool | Callable[[int, int], object] = False,
    random_state: Seed = None,
) -> LabelCurve:
    """Measure the held-out score of a learner against the labels it has bought.

    Each run holds out one fold, offers the others to a clone of the learner in
    random order through `learn`, and scores it after each purchase.

    Parameters
    ----------
    estimator : learner, or Pipeline that ends in one
        Not changed. Every `random_state` in it is set again for each run. The
        transformers of a pipeline are fitted on the run's unlabelled rows.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Data.
    y : array-like of shape (n_samples,)
        All labels; a learner sees those it buys.
    cv : int, splitter or iterable, default=None
        Folds: an int (None is 5) for stratified folds, shuffled again for each
        repeat; otherwise anything that scikit-learn takes.
    scoring : str, callable, list, tuple or dict of them, default=None
        Scorers as in scikit-learn, or ``"NAME:CLASS"`` for the f1, precision, recall,
        jaccard, average_precision or roc_auc of one class. None: the learner's
        `score` (accuracy). Of two classes, none of which is 1, the rarer one counts;
        the name then says which. Learners without probabilities are ranked by their
        decision values.
    n_repeats : int >= 1, default=1
        How often to go through all folds.
    n_jobs : int, default=None
        Runs in parallel, as in joblib.
    at : array-like of int >= 1, default=None
        Score at these label counts only. None: after each purchase.
    until : float, default=None
        End a run as soon as its error, 1 - score, is at most this (of a loss, whose
        name begins with ``neg_``: the loss). For one measure.
    memory : str, path or joblib.Memory, default=None
        Keep each run on disk once it has ended, and take from there what is known
        already: an experiment that was interrupted resumes. Runs are found again if
        learner, data, arguments, the source of a scorer of your own and the versions
        of this package and of scikit-learn are the same, so `random_state` must be an
        int, and `scoring` no lambda. The source of a learner of your own, and of what
        a scorer calls, is not compared. The folder holds pickles, which are code: use
        none that you do not trust.
    progress : bool or callable, default=False
        True shows a bar, by rich. A function is called as ``progress(done, total)``,
        in runs.
    random_state : int, RandomState or None, default=None
        Folds, order of the rows and the learners' coins. An int gives the same
        ones for every learner, which makes curves comparable run by run.

    Returns
    -------
    curve : LabelCurve
        With ``n_repeats * n_folds`` runs; by the first of several measures, with
        the others in ``others``.

    Raises
    ------
    TypeError
        For an estimator without `learn`.
    ValueError
        For label counts below 1, unknown measures, those that ask for probabilities
        where there are none, or data that the learner refuses.
    ExperimentInterrupted
        On Ctrl-C, once a run has ended. It is a KeyboardInterrupt whose ``result``
        is the curve of the runs that have.

    Warns
    -----
    OneClassWarning
        If the learner knew or predicted one class only: once, with the number of runs.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import CBGZClassifier
    >>> from sklearn_activelearn.evaluation import label_curve
    >>> X, y = load_digits(return_X_y=True)
    >>> curve = label_curve(CBGZClassifier(), X, y, at=[50, 200], random_state=0)
    >>> print((1 - curve.mean).round(1))
    [0.6 0.2]
    """
    check_sparse_rows(X)
    X, y = indexable(X, y)
    y = np.asarray(check_not_missing(y))
    check_classification_targets(y)
    check_number(n_repeats, "n_repeats", 1, closed="left", integer=True)
    if at is not None:
        at = np.unique(np.asarray(at))
        if at.size == 0 or at.dtype.kind not in "iu" or at[0] < 1:
            raise ValueError("at must hold label counts, whole numbers from 1.")
    estimator = clone(estimator)  # fitted or not, its runs are found again
    learner = learner_of(estimator)
    if not hasattr(learner, "learn"):
        raise TypeError(f"{learner!r} is no active learner: it has no method `learn`.")
    scorer = measures_of(scoring, learner, y)
    if until is not None:
        if len(scorer.best) > 1:
            raise ValueError(f"until goes with one measure, got {scoring!r}.")
        check_error(until, "until", scorer.best[0])
    tasks = plan_runs(X, y, cv, n_repeats, check_random_state(random_state))
    data_key = None if memory is None else cache_key(X, y, scorer)
    memory = os.fspath(memory) if isinstance(memory, os.PathLike) else memory
    run = check_memory(memory).cache(run_once, ignore=["X", "y", "classes"])
    shared = estimator, X, y, np.unique(y), scorer, at, until, data_key
    runs = {}
    try:
        with reporting(progress, type(learner).__name__) as report:
            report(0, len(tasks))
            parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
            for i, result in parallel(
                delayed(numbered)(i, run, *task, *shared)
                for i, task in enumerate(tasks)
            ):
                runs[i] = result
                report(len(runs), len(tasks))
    except KeyboardInterrupt as stop:
        if not runs:
            raise
        raise ExperimentInterrupted(
            f"after {len(runs)} of {len(tasks)} runs of {type(learner).__name__}",
            collect(runs, at, tasks, scorer),
        ) from stop
    warn_of_one_class_runs(learner, [*runs.values()])
    return collect(runs, at, tasks, scorer)


def warn_of_one_class_runs(learner, runs):
    """Warn if a learner has warned of one class, once for all runs."""
    n_alike = sum(run[-1] for run in runs)
    if not n_alike:
        return
    params = learner.get_params()
    weights = [name for name in params if name.split("__")[-1] == "class_weight"]
    cures = [f"set {name}='balanced'" for name in weights if params[name] is None]
    cures = [*cures[:1], "judge it by balanced accuracy"]
    warn_user(
        f"{type(learner).__name__} knew or predicted one class only in {n_alike} of "
        f"{len(runs)} runs. Where other classes are rare, {', and '.join(cures)}.",
        OneClassWarning,
    )


def cache_key(X, y, scorer):
    """Return what a kept run depends on, apart from the arguments of `run_once`."""
    sources = source_texts(*scorer.scorers.values())
    return joblib.hash((X, y)), __version__, sklearn_version, sources


def source_texts(*scorers):
    """Return the source texts of scorers and of the callables that they hold."""
    texts, seen, parts = [], set(), [*scorers]
    for part in parts:  # grows
        if not callable(part) or id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, partial):
            parts += [part.func, *part.args, *part.keywords.values()]
        elif inspect.isroutine(part) or inspect.isclass(part):
            texts.append(source(part))
        else:
            parts += [type(part), *getattr(part, "__dict__", {}).values()]
    return texts


@lru_cache  # a file that is edited later is not what runs until it is loaded again
def source(part):
    """Return the source text of a function or class, empty where there is none."""
    try:
        return inspect.getsource(part)
    except (OSError, TypeError, SyntaxError, TokenError):
        return ""


def check_grid(param_grid):
    """Return the settings of a grid, which must have some."""
    settings = list(ParameterGrid(param_grid))
    if not settings:
        raise ValueError(f"param_grid has no setting: {param_grid!r}.")
    return settings


def plan_runs(X, y, cv, n_repeats, rng):
    """Return (train, test, seed) of every run, the training rows in random order."""
    tasks = []
    for _ in range(n_repeats):
        seed = rng.randint(2**31)
        folds = (
            StratifiedKFold(5 if cv is None else cv, shuffle=True, random_state=seed)
            if cv is None or isinstance(cv, Integral)
            else check_cv(cv, y, classifier=True)
        )
        for train, test in folds.split(X, y):
            run_rng = np.random.RandomState(rng.randint(2**31))
            tasks.append((run_rng.permutation(train), test, run_rng.randint(2**31)))
    return tasks


def run_name(train, test, seed):
    """Return a name that only the same rows in the same order have."""
    key = blake2b(digest_size=6)
    for part in (train, test, seed):
        key.update(np.asarray(part, dtype=np.int64).tobytes())
    return key.hexdigest()


def collect(runs, at, tasks, measures):
    """Lay the scores of the runs that have ended on one axis of label counts."""
    done = sorted(runs)
    points, n_bought, final, constant, _ = zip(*(runs[i] for i in done), strict=True)
    if at is None:
        at = np.array(sorted({n for run in points for n in run}), dtype=int)
    missing = np.full(len(measures.best), np.nan)
    scores = [[run.get(n, missing) for n in at.tolist()] for run in points]
    scores = np.array(scores).reshape(len(done), len(at), len(missing))
    how = {
        "n_labels": at,
        "n_bought": np.array(n_bought),
        "n_offered": np.array([len(tasks[i][0]) for i in done]),
        "n_held_out": np.array([len(tasks[i][1]) for i in done]),
        "runs": np.array([run_name(*tasks[i]) for i in done]),
    }
    first, *others = (
        LabelCurve(
            scores=scores[:, :, k],
            final_scores=np.array(final)[:, k],
            scoring=name,
            best=measures.best[k],
            constant_scores=np.array(constant)[:, k],
            **how,
        )
        for k, name in enumerate(measures.scorers)
    )
    return replace(first, others={curve.scoring: curve for curve in others})


def numbered(i, run, *args):
    """Return the number of a run, and its outcome."""
    return i, run(*args)


def run_once(train, test, seed, estimator, X, y, classes, scorer, at, until, data_key):
    """Score one run.

    Returns {labels bought: scores}, labels bought, last scores, those of a constant
    answer, whether the learner warned of one class. `data_key` stands for X, y and all
    code where runs are kept on disk.
    """
    estimator = clone(estimator)
    estimator.set_params(
        **{
            name: seed
            for name in estimator.get_params()
            if name == "random_state" or name.endswith("__random_state")
        }
    )
    learner, X_test, y_test = learner_of(estimator), take(X, test), y[test]
    if isinstance(estimator, StreamLoop):
        offer = X, y, train  # in place: a copy takes longer than the pass
    else:
        offer = take(X, train), y[train], None
    while isinstance(estimator, Pipeline):
        if len(estimator) > 1:
            offer = estimator[:-1].fit_transform(offer[0]), *offer[1:]
            X_test = estimator[:-1].transform(X_test)
        estimator = estimator[-1]
    keeper = scorekeeper(learner, scorer, X_test, y_test, until)
    jumps = at is not None and isinstance(learner, StreamLoop)
    go = jump if jumps else step
    with warnings_of_one_class() as noted, suppress(TargetReached):
        go(learner, *offer, classes, at, keeper.score_at)
        keeper.finish()
    constant = scorer.constant(y[train], X_test, y_test, classes)
    return *keeper.end(), constant, bool(noted)


@contextmanager
def warnings_of_one_class():
    """Give a list of the warnings of one class, which are not shown; others are."""
    noted = []
    with catch_warnings(record=True) as notes:
        simplefilter("always", OneClassWarning)
        yield noted
    for note in notes:
        if issubclass(note.category, OneClassWarning):
            noted.append(note)
        else:
            warn_explicit(note.message, note.category, note.filename, note.lineno)


def step(learner, X, y, order, classes, at, score_at):
    """Buy labels one by one (or batch by batch), and score between them."""
    n_bought = 0

    def oracle(rows):
        # the learner now has n_bought labels, and would have until it gets more
        nonlocal n_bought
        if at is None:
            wanted = [n_bought]
        else:
            after = n_bought + len(rows)
            wanted = at[np.searchsorted(at, n_bought) : np.searchsorted(at, after)]
        for n in wanted if n_bought else ():
            score_at(int(n))
        n_bought += len(rows)
        return y[rows]

    in_order = {} if order is None else {"candidates": order}
    learner.learn(X, oracle, classes=classes, **in_order)
    if n_bought and (at is None or n_bought in at):
        score_at(n_bought)


def jump(learner, X, y, order, classes, at, score_at):
    """Let the compiled loop run up to each count; a call for each label takes longer.

    By the laws of the protocol the purchases and the models are those of `step`.
    """
    order = np.arange(len(y)) if order is None else order
    for n in checkpoints(learner, X, y, order.astype(np.int64), classes, at):
        score_at(n)
