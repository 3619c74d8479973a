"""The experiment behind a label curve: runs over folds, in parallel, resumable."""

import inspect
import os
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import lru_cache, partial
from hashlib import blake2b
from numbers import Integral
from tokenize import TokenError
from warnings import catch_warnings, simplefilter, warn_explicit

import joblib
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn import __version__ as sklearn_version
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, StratifiedKFold, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_memory

from .. import __version__
from .._containers import take
from .._labels import present_labels
from .._sparse_rows import check_sparse_rows
from .._typing import CV, Estimator, FilePath, RowsLike, Scorings, Seed
from .._validation import check_number
from .._warnings import warn_user
from ..exceptions import OneClassWarning
from ..stream._loop import StreamLoop
from ._checkpoints import checkpoints
from ._curves import LabelCurve, check_error
from ._measures import measures_of
from ._progress import ExperimentInterrupted, reporting
from ._scorekeeping import TargetReached, scorekeeper
from ._scorers import learner_of


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
    y = np.asarray(present_labels(y))
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
