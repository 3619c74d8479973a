"""Comparison of active learners with random labels: what runs, and in which order."""

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from itertools import count
from numbers import Integral
from typing import Any, Literal, NamedTuple
from warnings import catch_warnings

import joblib
import numpy as np
from joblib import parallel_config
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import indexable
from threadpoolctl import threadpool_limits

from ..base._validation import check_number, labels_for
from ..pool import HybridSamplingClassifier
from ..pool._base import PoolClassifier
from ..sources._containers import n_rows
from ..utils.typing import Estimator, FilePath, RowsLike, Scoring
from ._comparison import CONFIDENCE, Comparison, LearnerResult, learner_code
from ._design import Design
from ._label_curve import (
    ExperimentInterrupted,
    PlannedCurve,
    reporting,
    run_together,
)
from ._measures import NamedMeasure, default_measure, measures_of


class Step(NamedTuple):
    """A curve that a comparison needs."""

    code: str  # as it is named while it runs
    runner: Any  # the learner that runs
    learner: Any  # the learner whose rows and label counts it uses
    preprocessor: Any


class Contrast(NamedTuple):
    """Two steps that are compared, by their numbers."""

    kind: Literal["rows", "model", "representation"]
    learner: Any
    passive: Any
    chosen: int
    rival: int


def compare(
    X: RowsLike,
    y: ArrayLike,
    learners: Sequence[Estimator] | None = None,
    *,
    preprocessor: Estimator | None = None,
    other_preprocessor: tuple[str, Estimator] | None = None,
    scoring: Scoring | None = None,
    cv: int = 5,
    n_repeats: int | None = None,
    max_rows: int | None = None,
    row_size: int | None = None,
    target_error: float | None = None,
    n_jobs: int | None = None,
    memory: FilePath | joblib.Memory | None = None,
    progress: bool | Callable[[str, int, int], object] = False,
    random_state: int = 0,
) -> Comparison:
    """Measure how many labels active learners save on data whose labels are known.

    Each learner, and random labels for the same model (its passive baseline), run over
    the same folds in the same order. The command ``sklearn-activelearn compare`` prints
    the result.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Labels of all rows. A learner sees the labels that it buys.
    learners : list of learners, default=None
        Learners of this package, unfitted. None: the learner of the command ``label``,
        a `HybridSamplingClassifier`, in batches of 10 for a pool, and
        `RLSSamplingClassifier` for a stream (`GreedyOnlineClassifier` with adaptive
        steps for dense rows of more than 1,000 numbers). One logistic regression with
        random labels is then run, too, to tell what the model brings.
    preprocessor : transformer, default=None
        Fitted in each run on the rows to choose from, without labels, such as
        ``StandardScaler()``.
    other_preprocessor : (str, transformer), default=None
        Words for the report, such as "with words alone", and the transformer of another
        way to turn rows into numbers. The default pool learner is then run with both,
        to tell what the first one brings. Not used for learners that are given.
    scoring : str or callable, default=None
        Measure, as for `label_curve`. None: the error, or the balanced error if one
        class has more than 70 % of the labels.
    cv : int >= 2, default=5
        Number of folds.
    n_repeats : int >= 1 or None, default=None
        Number of times to go through the folds. None: 8, or 1 for
        larger data.
    max_rows : int >= 1 or None, default=None
        Random rows that each run uses at most, held-out rows included. None: 2,500 for
        pool learners, 20,000 for stream learners.
    row_size : int >= 1 or None, default=None
        Numbers in a row after preprocessing, from which `n_repeats` follows. None: the
        number of columns of `X`, or of the values in a row of a sparse matrix.
    target_error : float in [0, 1], default=None
        Error for which the labels are counted, too.
    n_jobs : int, default=None
        Number of runs at the same time, each on one thread, as in joblib.
    memory : str, path or joblib.Memory, default=None
        Folder that keeps finished runs, as for `label_curve`.
    progress : bool or callable, default=False
        True shows a bar, by rich. A function is called as ``progress(step, done,
        total)``, with the step in words and runs. With several jobs, a step may begin
        before the last one has ended.
    random_state : int, default=0
        Seed of folds, orders and learners.

    Returns
    -------
    comparison : Comparison
        ``results`` with savings, errors and curves for each learner, ``model``,
        ``verdict``, ``gains``, ``table()``, ``to_frame()``, ``to_dict()`` and
        ``plot()``.

    Raises
    ------
    TypeError
        For a learner that is not an active learner of this package, a class in place
        of a learner, and a learner in place of a list or of `X`.
    ValueError
        If `learners` is empty, or `y` has another length than `X`. For labels of one
        class, a class with fewer rows than folds, a measure that a given learner does
        not support or that is NaN in a run, and data that a learner refuses.
    ExperimentInterrupted
        On Ctrl-C once a learner has ended; ``result`` is the comparison of the
        learners that have.

    See Also
    --------
    label_curve : Runs one learner.
    compare_recall : Compares how soon learners find all rows of a class.

    Notes
    -----
    Labels are saved if chosen labels reach the error of the random labels sooner. A
    share of the labels belongs to the interval if a paired t-test over the runs does
    not reject that the error with this share of chosen labels equals the error with
    all random labels. The same test judges the mean error over the label counts, the
    area below the curve. The intervals are so wide (Bonferroni) that all of them hold
    with a confidence of 95 %: at the end and for the area, of each learner and of the
    model. They are about the mean over further splits and orders of these rows, not
    about another table.

    Random labels for a pool learner are bought up to its budget, or, with
    `target_error`, up to all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn_activelearn import GreedyOnlineClassifier
    >>> from sklearn_activelearn.evaluation import compare
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = compare(
    ...     X, y, [GreedyOnlineClassifier()], preprocessor=StandardScaler(), n_repeats=1
    ... )
    >>> print(found.verdict.text)
    On these data, 91 labels chosen by GreedyOnline give an error of 2.5 %, and 91
    random labels one of 4.7 % (95 % interval of the difference: 0.2–4.4 points less).
    Averaged over 1 to 91 labels, chosen labels give an error of 4.3 %, and random
    labels one of 6.3 % (95 % interval of the difference: 0.5 points more to 4.5 points
    less).
    """
    if hasattr(X, "fit"):
        raise TypeError(f"X must be rows, got {X!r}. Call compare(X, y, learners).")
    if learners is not None:
        check_compared(learners)
    y = labels_for(HybridSamplingClassifier() if learners is None else learners[0], y)
    if len(y) != n_rows(X):
        raise ValueError(
            f"y must have a label for each of the {n_rows(X)} rows of X, got {len(y)}."
        )
    check_number(cv, "cv", 2, closed="left", integer=True)
    check_number(random_state, "random_state", 0, closed="left", integer=True)
    optional = {"n_repeats": n_repeats, "max_rows": max_rows, "row_size": row_size}
    for name, value in optional.items():
        if value is not None:
            check_number(value, name, 1, closed="left", integer=True)
    n_features = np.shape(X)[1] if np.ndim(X) == 2 or issparse(X) else 1
    if row_size is None:
        row_size = -(-X.nnz // X.shape[0]) if issparse(X) else n_features
    classes = check_class_sizes(y, cv)
    size = n_rows(X), n_features, row_size
    design = Design(*size, cv, n_repeats, max_rows, random_state, y.ndim == 2)
    measure = default_measure(y)
    weight = "balanced" if measure.why and scoring != "accuracy" else None
    candidates = design.default_learners(weight) if learners is None else learners
    if learners is None and y.ndim == 2:
        candidates = candidates[:1]  # stream learners take one label for each row
    asked = measure.scoring if scoring is None else scoring
    suited, notes, name = suited_learners(candidates, asked, y, learners is None)
    if scoring is not None:
        measure = NamedMeasure(name)
    baselines = baselines_within_budgets(suited, target_error)
    fixed = None
    if learners is None and isinstance(suited[0], PoolClassifier):
        fixed = clone(baselines[0]).set_params(
            estimator=LogisticRegression(max_iter=1_000, class_weight=weight)
        )
    other_name, other = check_other(other_preprocessor)
    steps, contrasts = plan_contrasts(
        design, suited, baselines, fixed, preprocessor, other, other_name
    )
    X, y = indexable(X, y)
    plans = []
    for step in steps:
        parts = [part for part in (step.preprocessor, step.runner) if part is not None]
        try:
            plan = PlannedCurve(
                make_pipeline(*parts) if len(parts) > 1 else step.runner,
                X,
                y,
                **design.splits_for(step.learner),
                at=design.label_counts(step.learner),
                scoring=asked,
                memory=memory,
                random_state=random_state,
            )
        except ValueError as error:
            raise ValueError(f"{learner_code(step.runner)}: {error}") from error
        plans.append(plan)
    # all intervals hold together, at the end and of the area (Bonferroni)
    confidence = 1 - (1 - CONFIDENCE) / (2 * len(contrasts))
    curves, warned, codes = {}, [[] for _ in steps], [step.code for step in steps]

    def result():
        """Return the comparison of the learners that have ended."""
        found = {"rows": [], "model": [], "representation": []}
        for kind, learner, passive, chosen, rival in contrasts:
            if chosen in curves and rival in curves:
                said = warned[chosen] if kind == "rows" else ()
                found[kind].append(
                    LearnerResult(
                        learner, passive, curves[chosen], curves[rival], confidence,
                        tuple(dict.fromkeys(said)),
                    )
                )  # fmt: skip
        about = design, measure, target_error, classes, tuple(notes)
        model, representation = (
            next(iter(found[kind]), None) for kind in ("model", "representation")
        )
        return Comparison(found["rows"], *about, model, representation, other_name)

    try:
        with (
            parallel_config("loky", inner_max_num_threads=1),
            threadpool_limits(1),
            catch_warnings(record=True, action="always") as caught,
            reporting_steps(progress, codes, plans) as report,
        ):
            for k, runs in run_together(plans, n_jobs, codes):
                if len(runs) == len(plans[k].tasks):
                    curves[k] = check_defined_scores(plans[k].curve(runs), codes[k])
                warned[k] += [str(each.message) for each in caught]
                report(k, len(runs))
                caught.clear()
    except KeyboardInterrupt as stop:
        comparison = result()
        if not comparison.results:
            raise KeyboardInterrupt("before the first learner had ended") from stop
        raise ExperimentInterrupted(
            f"after {len(comparison.results)} of {len(suited)} learners", comparison
        ) from stop
    return result()


def check_defined_scores(curve, name):
    """Return a curve whose scores are all defined; otherwise raise ValueError."""
    if n_undefined := np.count_nonzero(np.isnan(curve.final_scores)):
        raise ValueError(
            f"{name}: the score is not a number (NaN) in {n_undefined} of "
            f"{len(curve.final_scores)} runs, so nothing can be compared. Use another "
            "score."
        )
    return curve


def suited_learners(candidates, scoring, y, may_omit):
    """Return the learners that a score is defined for.

    Parameters
    ----------
    candidates : list of learner
        Learners.
    scoring : str or callable
        The score.
    y : ndarray
        Labels.
    may_omit : bool
        Whether some of the learners may be left out.

    Returns
    -------
    suited : list of learner
        The learners.
    notes : list of str
        Why others are left out.
    name : str
        Name of the score.
    """
    suited, notes = [], []
    for learner in candidates:
        try:
            for each in (learner, learner._passive_baseline()):
                (name,) = measures_of(scoring, each, y, single=True).scorers
        except ValueError as error:
            notes.append(f"left out: {error}")
            if not may_omit or len(notes) == len(candidates):
                raise
        else:
            suited.append(learner)
    return suited, notes, name


def plan_contrasts(design, suited, baselines, fixed, first, other, other_name):
    """Return the steps of a comparison in their order, and what is compared.

    Learners with equal baselines share the step of random labels.

    Parameters
    ----------
    design : Design
        Sizes of the runs.
    suited, baselines : list of learner
        Learners, and for each the learner with random labels.
    fixed : learner or None
        Buys random labels for one fixed model, which shows what the model of the first
        learner brings.
    first, other : transformer or None
        The preprocessor, and another one that shows what the first one brings.
    other_name : str
        Words for the other one.
    """
    steps, contrasts, randoms = [], [], {}

    def add(runner, learner, preprocessor, more=""):
        steps.append(Step(learner_code(runner) + more, runner, learner, preprocessor))
        return len(steps) - 1

    for learner, passive in zip(suited, baselines, strict=True):
        key = learner_code(passive), design.rows_for(learner)
        if key not in randoms:
            randoms[key] = add(passive, learner, first)
        chosen, random = add(learner, learner, first), randoms[key]
        contrasts.append(Contrast("rows", learner, passive, chosen, random))
        if fixed is None or len(contrasts) > 1:
            continue
        rival = add(fixed, learner, first)
        contrasts.append(Contrast("model", passive, fixed, random, rival))
        if other is not None:
            rival = add(learner, learner, other, f" {other_name}")
            contrasts.append(
                Contrast("representation", learner, learner, chosen, rival)
            )
    return steps, contrasts


@contextmanager
def reporting_steps(progress, codes, plans):
    """Yield a function of (step, runs that have ended), which shows the progress."""
    totals = [len(plan.tasks) for plan in plans]
    titles = [f"{k} of {len(codes)}: {code}" for k, code in enumerate(codes, 1)]
    begun = set()

    def report(k, done):
        if k not in begun and done:  # the first run of a later step may end early
            report(k, 0)
        begun.add(k)
        progress(titles[k], done, totals[k])
        if done == totals[k] and k + 1 < len(titles) and k + 1 not in begun:
            report(k + 1, 0)

    if callable(progress):
        report(0, 0)
        yield report
        return
    with reporting(progress, "runs of all learners") as bar:
        n_done = count()
        bar(next(n_done), sum(totals))
        yield lambda *_: bar(next(n_done), sum(totals))


def baselines_within_budgets(learners, target_error):
    """Return the passive baseline of each learner.

    Random labels beyond the budgets of pool learners are bought for a target only, as
    each purchase trains a model. Learners with the same model share a baseline.
    """
    baselines = [learner._passive_baseline() for learner in learners]
    if target_error is not None:
        return baselines
    codes, budgets = [learner_code(baseline) for baseline in baselines], {}
    for code, learner in zip(codes, learners, strict=True):
        has_budget = isinstance(learner, PoolClassifier) and isinstance(
            learner.budget, Integral
        )
        budgets.setdefault(code, []).append(learner.budget if has_budget else None)
    for code, baseline in zip(codes, baselines, strict=True):
        if None not in budgets[code]:
            baseline.set_params(budget=max(budgets[code]))
    return baselines


def check_other(other_preprocessor):
    """Return words and transformer, or two times nothing; raise for something else."""
    if other_preprocessor is None:
        return "", None
    pair = other_preprocessor
    if (
        isinstance(pair, tuple | list)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and hasattr(pair[1], "transform")
        and not isinstance(pair[1], type)
    ):
        return pair
    raise TypeError(f"other_preprocessor must be (words, transformer), got {pair!r}.")


def check_compared(learners):
    """Raise unless these are instances of learners in a list, at least one."""
    if hasattr(learners, "fit"):
        raise TypeError(f"learners must be a list: pass [{learners!r}].")
    if not len(learners):
        raise ValueError("learners is empty: pass one learner at least, or None.")
    for learner in learners:
        if isinstance(learner, type):
            name = learner.__name__
            raise TypeError(f"{name} is a class: pass a learner, such as {name}().")
        if not hasattr(learner, "_passive_baseline"):
            raise TypeError(f"{learner!r} is not an active learner of this package.")


def check_class_sizes(y, n_folds):
    """Return the classes as text, the most frequent one first.

    Raises ValueError for one class, or a class with fewer rows than folds.
    """
    if y.ndim == 2:
        order = np.argsort(-y.sum(axis=0), kind="stable")
        return [str(label) for label in order.tolist()]
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise ValueError(f"All labels are {classes[0]!s}: two classes are needed.")
    rare = counts.argmin()
    if counts[rare] < n_folds:
        raise ValueError(
            f"Class {classes[rare]!s} has {counts[rare]} rows, fewer than the "
            f"{n_folds} folds; there are {len(classes)} classes in {len(y)} rows. Use "
            "fewer folds, or leave the class out."
        )
    return [str(classes[k]) for k in np.argsort(-counts, kind="stable")]
