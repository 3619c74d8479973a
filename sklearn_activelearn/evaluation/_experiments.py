"""Experiments: label curves over repeated runs, and tuning for few labels."""

import os
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from numbers import Integral
from time import monotonic
from typing import Any
from warnings import catch_warnings, simplefilter, warn_explicit

import joblib
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn import __version__ as sklearn_version
from sklearn.base import clone
from sklearn.model_selection import KFold, ParameterGrid, StratifiedKFold, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_memory

from ..base._labels import classes_of
from ..base._parameters import check_number
from ..base._validation import check_sparse_rows, labels_for
from ..exceptions import OneClassWarning, advice_for_rare_classes, warn_user
from ..pool._base import PoolClassifier
from ..sources._containers import take
from ..stream._base import StreamLoop
from ..stream._search import last_step
from ..utils._compat import run_parallel
from ..utils._version import __version__
from ..utils.typing import (
    CV,
    Estimator,
    FilePath,
    ParamGrid,
    RowsLike,
    Scoring,
    Scorings,
    Seed,
)
from ._curves import LabelCurve, LabelsToTarget, check_error, reaches
from ._measures import measures_of


class ExperimentInterrupted(KeyboardInterrupt):
    """Ctrl-C ended an experiment; ``result`` holds what was measured until then.

    It stops a script as any Ctrl-C does. In a notebook, where nobody caught it,
    ``sys.last_value.result`` is the result.

    Attributes
    ----------
    result : LabelCurve, Tuning or Comparison
        The runs, settings or learners that had ended.
    """

    def __init__(self, message: str, result: Any):
        super().__init__(message)
        self.result = result


@contextmanager
def reporting(progress, describe):
    """Yield a function that shows the progress of an experiment.

    Parameters
    ----------
    progress : bool or callable
        False shows nothing, True a bar; a function is called itself.
    describe : callable
        Takes what `progress` takes; returns the share that has ended, and a text.
    """
    if callable(progress):
        yield progress
        return
    if not isinstance(progress, bool):
        raise TypeError(f"progress must be True, False or callable, got {progress!r}.")
    if not progress:
        yield lambda *state: None
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
        from rich.table import Column
    except ImportError as error:
        raise ImportError("progress=True needs rich: pip install rich") from error

    text = TextColumn("{task.description}", markup=False, table_column=Column())
    columns = BarColumn(), TimeRemainingColumn(), text
    # another console, because a display may be live on the common one
    with Progress(*columns, console=Console(), transient=True) as bar:
        task = bar.add_task("", total=1)

        def show(*state):
            share, description = describe(*state)
            bar.update(task, completed=share, description=description)

        yield show


def describe_runs(name, done, total):
    """Return the share of the runs that have ended, and their number as text."""
    return done / total, f"{name} {done}/{total}"


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

    Each run holds out one fold, offers the other rows to a clone of the learner in
    random order through `learn`, and scores it after each purchase.

    Parameters
    ----------
    estimator : learner, or Pipeline that ends in one
        Not changed. Every `random_state` in it is set again for each run. The
        transformers of a pipeline are fitted on the unlabelled rows of the run.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Labels of all rows. A learner sees the labels that it buys.
    cv : int, splitter or iterable, default=None
        Folds: an int (None is 5) for stratified folds, shuffled again for each
        repeat; otherwise anything that scikit-learn takes.
    scoring : str, callable, list, tuple or dict of them, default=None
        Scorers as in scikit-learn, or ``"NAME:CLASS"`` for the f1, precision, recall,
        jaccard, average_precision or roc_auc of one class. None: the learner's
        `score` (accuracy). For two classes other than 1 these names mean the rarer
        class, and the name in the curve says which. Learners without probabilities are
        ranked by their decision values.
    n_repeats : int >= 1, default=1
        Number of times to go through all folds.
    n_jobs : int, default=None
        Number of runs at the same time, as in joblib.
    at : array-like of int >= 1, default=None
        Label counts at which to score. None: after each purchase.
    until : float, default=None
        End a run as soon as its error, 1 - score, is at most this (for a loss, whose
        name begins with ``neg_``: the loss). Needs a single measure.
    memory : str, path or joblib.Memory, default=None
        Folder that keeps each finished run and from which known runs are read: an
        interrupted experiment resumes. A run is recognised by its learner, data,
        arguments, the source of a custom scorer, and the versions of this package and
        of scikit-learn, so `random_state` must be an int, and `scoring` no lambda. The
        source of a custom learner, and of functions that a scorer calls, is not
        compared. The folder holds pickles, which are code: use only folders that you
        trust.
    progress : bool or callable, default=False
        True shows a bar, by rich. A function is called as ``progress(done, total)``,
        in runs.
    random_state : int, RandomState or None, default=None
        Seed of folds, order of the rows and learners. An int gives the same folds and
        orders for every learner, which makes curves comparable run by run.

    Returns
    -------
    curve : LabelCurve
        Curve of ``n_repeats * n_folds`` runs by the first measure; further measures are
        in ``others``. Its methods: ``by``, ``scores_at``, ``labels_for``,
        ``labels_to_target``, ``area``, ``compare``, ``to_frame``, ``to_json``.

    Raises
    ------
    TypeError
        For an estimator without `learn`.
    ValueError
        For label counts below 1, unknown measures, measures that need probabilities
        which the learner does not have, and data that the learner refuses.
    ExperimentInterrupted
        On Ctrl-C, once a run has ended. It is a KeyboardInterrupt whose ``result``
        is the curve of the finished runs.

    Warns
    -----
    OneClassWarning
        If the learner knew or predicted only one class: once, with the number of runs.

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
    plan = PlannedCurve(
        estimator,
        X,
        y,
        cv=cv,
        scoring=scoring,
        n_repeats=n_repeats,
        at=at,
        until=until,
        memory=memory,
        random_state=random_state,
    )
    name, n_runs = type(plan.learner).__name__, len(plan.tasks)
    try:
        with reporting(progress, partial(describe_runs, name)) as report:
            report(0, n_runs)
            for _ in run_jobs([plan], [(0, i) for i in range(n_runs)], n_jobs):
                report(len(plan.runs), n_runs)
    except KeyboardInterrupt as stop:
        if not plan.runs:
            raise
        raise ExperimentInterrupted(
            f"after {len(plan.runs)} of {n_runs} runs of {name}", plan.curve()
        ) from stop
    plan.warn_of_one_class()
    return plan.curve()


class PlannedCurve:
    """The checked arguments of `label_curve`, and its runs, which have not begun.

    Parameters
    ----------
    estimator, X, y, cv, scoring, n_repeats, at, until, memory, random_state
        As for `label_curve`.
    tasks : list of tuple, default=None
        The tasks of another curve on the same rows. None: drawn from `cv`.
    name : str, default=""
        Prefix of the message of a ValueError in a run.

    Attributes
    ----------
    learner : learner
        The learner, without the pipeline around it.
    tasks : list of (ndarray, ndarray, int)
        For each run the rows to choose from, the rows held out, and a seed.
    runs : dict of int to tuple
        Outcomes of the runs that have ended, by number.
    run : callable
        Carries out a task, unless its outcome is kept on disk.
    shared : tuple
        Further arguments of `run`, the same for each task.
    """

    def __init__(
        self,
        estimator,
        X,
        y,
        *,
        cv=None,
        scoring=None,
        n_repeats=1,
        at=None,
        until=None,
        memory=None,
        random_state=None,
        tasks=None,
        name="",
    ):
        check_sparse_rows(X)
        X, y = indexable(X, y)
        y = labels_for(last_step(estimator), y)
        check_classification_targets(y)
        check_number(n_repeats, "n_repeats", 1, closed="left", integer=True)
        if at is not None:
            at = np.unique(np.asarray(at))
            if at.size == 0 or at.dtype.kind not in "iu" or at[0] < 1:
                raise ValueError(
                    f"at must hold label counts, integers from 1, got {at}."
                )
        # runs on disk are recognised whether the estimator was fitted or not
        estimator = clone(estimator)
        learner = last_step(estimator)
        if not hasattr(learner, "learn"):
            raise TypeError(
                "estimator must be an active learner with a method `learn`, got "
                f"{learner!r}."
            )
        measures = measures_of(scoring, learner, y, single=until is not None)
        if until is not None:
            check_error(until, "until", measures.best[0])
        data_key = None
        if memory is not None:
            data_key = joblib.hash((X, y)), __version__, sklearn_version
        memory = os.fspath(memory) if isinstance(memory, os.PathLike) else memory
        self.learner, self.at, self.measures = learner, at, measures
        if tasks is None:
            rng = check_random_state(random_state)
            repeats = [plan_repeat(X, y, cv, rng) for _ in range(n_repeats)]
            tasks = [task for runs in repeats for task in runs]
        self.tasks, self.runs, self.name = tasks, {}, name
        self.run = check_memory(memory).cache(run_once, ignore=["X", "y", "classes"])
        self.shared = estimator, X, y, classes_of(y), measures, at, until, data_key

    def curve(self):
        """Return the label curve of the finished runs."""
        runs, tasks, measures, at = self.runs, self.tasks, self.measures, self.at
        done = sorted(runs)
        points, n_bought, final, constant, _ = zip(
            *(runs[i] for i in done), strict=True
        )
        if at is None:
            at = np.array(sorted({n for run in points for n in run}), dtype=int)
        missing = np.full(len(measures.best), np.nan)
        scores = [[run.get(n, missing) for n in at.tolist()] for run in points]
        scores = np.array(scores).reshape(len(done), len(at), len(missing))
        names = []
        for i in done:  # only the same rows in the same order have the same name
            key = blake2b(digest_size=6)
            for part in tasks[i]:
                key.update(np.asarray(part, dtype=np.int64).tobytes())
            names.append(key.hexdigest())
        shared = {
            "n_labels": at,
            "n_bought": np.array(n_bought),
            "n_offered": np.array([len(tasks[i][0]) for i in done]),
            "n_held_out": np.array([len(tasks[i][1]) for i in done]),
            "runs": np.array(names),
        }
        first, *others = (
            LabelCurve(
                scores=scores[:, :, k],
                final_scores=np.array(final)[:, k],
                scoring=name,
                best=measures.best[k],
                constant_scores=np.array(constant)[:, k],
                **shared,
            )
            for k, name in enumerate(measures.scorers)
        )
        return replace(first, others={curve.scoring: curve for curve in others})

    def warn_of_one_class(self):
        """Warn of finished runs that knew only one class, if there are some."""
        n_warned = sum(run[-1] for run in self.runs.values())
        if not n_warned:
            return
        advice = advice_for_rare_classes(
            "set class_weight='balanced' where it can be set"
        )
        warn_user(
            f"{type(self.learner).__name__} knew or predicted only one class in "
            f"{n_warned} of {len(self.runs)} runs. {advice}",
            OneClassWarning,
        )


def run_jobs(plans, jobs, n_jobs):
    """Carry out some runs of some curves, which store their outcomes.

    Parameters
    ----------
    plans : list of PlannedCurve
        The curves.
    jobs : iterable of (int, int)
        Number of a curve, and number of one of its runs.
    n_jobs : int or None
        Number of runs at the same time.

    Yields
    ------
    curve : int
        Number of a curve of which a run has ended.
    seconds : float
        Time that the run took.
    """
    calls = (
        delayed(run_numbered)(
            k, i, plans[k].name, plans[k].run, *plans[k].tasks[i], *plans[k].shared
        )
        for k, i in jobs
    )
    # quick runs before slow ones would make joblib send many slow ones to one process
    how = {"n_jobs": n_jobs, "batch_size": 1, "return_as": "generator_unordered"}
    for k, i, outcome, seconds in run_parallel(Parallel, [calls], **how):
        plans[k].runs[i] = outcome
        yield k, seconds


def shuffled_folds(cv, y, seed):
    """Return what splits rows into folds; an int means shuffled, stratified folds."""
    if not isinstance(cv, Integral):
        return check_cv(cv, y, classifier=True)
    kind = StratifiedKFold if y.ndim == 1 else KFold
    return kind(cv, shuffle=True, random_state=seed)


def plan_repeat(X, y, cv, rng):
    """Return (train, test, seed) of the runs of one repeat.

    The training rows are in random order.
    """
    folds, tasks = shuffled_folds(5 if cv is None else cv, y, rng.randint(2**31)), []
    for train, test in folds.split(X, y):
        run_rng = np.random.RandomState(rng.randint(2**31))
        tasks.append((run_rng.permutation(train), test, run_rng.randint(2**31)))
    return tasks


def run_numbered(curve, number, name, run, *args):
    """Return the numbers of a curve and a run, its outcome and the seconds it took."""
    began = monotonic()
    try:
        return curve, number, run(*args), monotonic() - began
    except Exception as error:
        if not name:
            raise
        if isinstance(error, ValueError):
            raise ValueError(f"{name}: {error}") from error
        error.add_note(f"This happened in a run of {name}.")
        raise


def run_once(
    train, test, seed, estimator, X, y, classes, measures, at, until, data_key
):
    """Score one run.

    Returns scores by label count, the labels bought, the last scores, the scores of a
    constant prediction, and whether the learner warned of one class. `data_key`
    represents X, y and the versions of the code where runs are kept on disk.
    """
    estimator = clone(estimator)
    estimator.set_params(
        **{
            name: seed
            for name in estimator.get_params()
            if name == "random_state" or name.endswith("__random_state")
        }
    )
    learner, X_test, y_test = last_step(estimator), take(X, test), y[test]
    if isinstance(estimator, StreamLoop):
        offer = X, y, train  # in place: a copy takes longer than the pass
    else:
        offer = take(X, train), y[train], None
    while isinstance(estimator, Pipeline):
        if len(estimator) > 1:
            offer = estimator[:-1].fit_transform(offer[0]), *offer[1:]
            X_test = estimator[:-1].transform(X_test)
        estimator = estimator[-1]
    points, trained = {}, None

    def score_at(n):
        nonlocal trained
        trained = trained_copy(learner, trained)
        points[n] = measures(trained, X_test, y_test)
        if until is not None and reaches(points[n][0], until, measures.best[0]):
            raise TargetReached

    with recorded_one_class_warnings() as warned, suppress(TargetReached):
        learn(learner, *offer, classes, at, score_at)
    final = measures(trained_copy(learner, trained), X_test, y_test)
    constant = measures.constant(y[train], X_test, y_test, classes)
    return points, learner.n_queries_, final, constant, bool(warned)


def trained_copy(learner, previous):
    """Return a pool learner's copy with a trained model, or another learner itself.

    A pool learner that needs no model to choose rows would train one for each
    prediction.
    """
    if not isinstance(learner, PoolClassifier):
        return learner
    if previous is not None and previous.n_taught_ == learner.n_taught_:
        return previous
    return learner._predicting_copy(previous)


@contextmanager
def recorded_one_class_warnings():
    """Yield a list that gets the warnings of one class; others are shown."""
    one_class = []
    with catch_warnings(record=True) as caught:
        simplefilter("always", OneClassWarning)
        yield one_class
    for each in caught:
        if issubclass(each.category, OneClassWarning):
            one_class.append(each)
        else:
            warn_explicit(each.message, each.category, each.filename, each.lineno)


def learn(learner, X, y, order, classes, at, score_at):
    """Let a learner buy labels through `learn`, and score it between purchases."""
    n_bought = 0

    def oracle(rows):
        # the learner now has n_bought labels, and keeps them until it gets more
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


class TargetReached(Exception):
    """Ends `learn` from within the oracle."""


@dataclass(frozen=True, eq=False)
class Tuning:
    """Result of `tune_labels_to_target`.

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
    best_estimator: Estimator
    results: list[tuple[dict[str, Any], LabelsToTarget]]


def tune_labels_to_target(
    estimator: Estimator,
    param_grid: ParamGrid,
    X: RowsLike,
    y: ArrayLike,
    *,
    error: float,
    cv: CV | None = None,
    scoring: Scoring | None = None,
    n_repeats: int = 1,
    n_jobs: int | None = None,
    memory: FilePath | joblib.Memory | None = None,
    progress: bool | Callable[[int, int], object] = False,
    random_state: Seed = None,
) -> Tuning:
    """Find the parameters that reach a target error with the fewest labels.

    The papers tune in this way, on held-out rows whose labels are all known. All
    settings see the same folds, orders and random numbers.

    Parameters
    ----------
    estimator : learner, or Pipeline that ends in one
        Not changed.
    param_grid : dict or list of dicts
        Settings, as for `GridSearchCV`.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Labels of all rows.
    error : float in [0, 1]
        Target for 1 - score. For a loss, whose name begins with ``neg_``: target for
        the loss.
    cv, scoring, n_repeats, n_jobs, memory, progress, random_state
        As for `label_curve`, with one measure; progress counts the runs of all
        settings.

    Returns
    -------
    tuning : Tuning
        ``best_params``, ``best_estimator`` and ``results`` of every setting. A run that
        fails counts as all rows it was offered; the first of equal settings wins.

    Raises
    ------
    ValueError
        As for `label_curve`; for an error outside [0, 1] and a grid without a setting.
    ExperimentInterrupted
        On Ctrl-C, once a setting has ended; ``result`` is the tuning among the
        finished settings.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import CBGZClassifier
    >>> from sklearn_activelearn.evaluation import tune_labels_to_target
    >>> X, y = load_digits(n_class=2, return_X_y=True)
    >>> tuning = tune_labels_to_target(
    ...     CBGZClassifier(), {"b": [0.3, 3.0]}, X, y, error=0.02, random_state=0
    ... )
    >>> tuning.best_params
    {'b': 0.3}
    """
    learner = last_step(estimator)
    measures = measures_of(scoring, learner, labels_for(learner, y), single=True)
    check_error(error, "error", measures.best[0])
    seed = check_random_state(random_state).randint(2**31)
    settings, needed = list(ParameterGrid(param_grid)), {}
    if not settings:
        raise ValueError(f"param_grid has no setting, got {param_grid!r}.")
    X, y = indexable(X, y)
    plans = []
    for params in settings:
        plan = PlannedCurve(
            clone(estimator).set_params(**params),
            X,
            y,
            cv=cv,
            scoring=scoring,
            n_repeats=n_repeats,
            until=error,
            memory=memory,
            random_state=seed,
            tasks=plans[0].tasks if plans else None,
            name=str(params),
        )
        plans.append(plan)
    jobs = [(k, i) for k, plan in enumerate(plans) for i in range(len(plan.tasks))]
    n_runs = len(jobs)

    def tuning():
        results = [(settings[k], needed[k]) for k in sorted(needed)]
        best, _ = min(results, key=lambda result: result[1].mean)
        return Tuning(best, clone(estimator).set_params(**best), results)

    try:
        describe = partial(describe_runs, type(learner).__name__)
        with reporting(progress, describe) as report:
            report(0, n_runs)
            for done, (k, _) in enumerate(run_jobs(plans, jobs, n_jobs), 1):
                plan = plans[k]
                if len(plan.runs) == len(plan.tasks):
                    plan.warn_of_one_class()
                    needed[k] = plan.curve().labels_to_target(error)
                report(done, n_runs)
    except KeyboardInterrupt as stop:
        if not needed:
            raise KeyboardInterrupt("before the first setting had ended") from stop
        raise ExperimentInterrupted(
            f"after {len(needed)} of {len(settings)} settings", tuning()
        ) from stop
    return tuning()
