"""Comparison of active learners with random labels: what runs, and how long."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Integral
from time import monotonic
from typing import Any, NamedTuple
from warnings import catch_warnings

import joblib
import numpy as np
from joblib import effective_n_jobs, parallel_config
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.pipeline import make_pipeline
from sklearn.utils import indexable
from threadpoolctl import threadpool_limits

from ..base._parameters import check_number
from ..base._validation import first_text, labels_for
from ..base._verbs import ActiveClassifier
from ..pool import HybridSamplingClassifier
from ..pool._base import PoolClassifier
from ..sources._containers import is_frame, n_rows
from ..utils.typing import Estimator, FilePath, RowsLike, Scoring
from ._comparison_result import (
    Comparison,
    Effort,
    Gain,
    Passive,
    learner_code,
    model_name,
)
from ._design import Design, count_run_rows
from ._experiments import (
    ExperimentInterrupted,
    PlannedCurve,
    reporting,
    run_jobs,
)
from ._measures import NamedMeasure, default_measure, measures_of
from ._race import Race, plan_repeats

#: Share of the time that planned runs may fill; the rest is for what they take longer.
FILLED = 0.95
#: Seconds between two answers while the first repeat runs.
ANSWER_EVERY = 1.0


class Step(NamedTuple):
    """A curve that a comparison needs."""

    runner: Any
    preprocessor: Any


class ComparisonProgress(NamedTuple):
    """The state of a comparison that runs.

    Attributes
    ----------
    done, total : int
        Runs of the current repeat that have ended, and all of them.
    repeat : int
        Number of the current repeat, from 1.
    share : float
        Share of the time, or of the repeats, that has passed.
    seconds : float
        Seconds since the start.
    answer : str
        The answer so far; empty before there is one.
    """

    done: int
    total: int
    repeat: int
    share: float
    seconds: float
    answer: str


def compare(
    X: RowsLike,
    y: ArrayLike,
    learners: Sequence[Estimator] | None = None,
    *,
    preprocessor: Estimator | None = None,
    other_preprocessor: tuple[str, Estimator] | None = None,
    scoring: Scoring | None = None,
    cv: int = 5,
    minutes: float = 1.0,
    n_repeats: int | None = None,
    max_rows: int | None = None,
    row_size: int | None = None,
    target_error: float | None = None,
    n_jobs: int | None = None,
    memory: FilePath | joblib.Memory | None = None,
    progress: bool | Callable[[ComparisonProgress], object] = False,
    random_state: int = 0,
) -> Comparison:
    """Tell which learner to use, and how many labels it saves, where labels are known.

    Learners, and random labels for each of their models (passive baselines), run over
    the same folds in the same order, until the interval of the labels saved is narrow
    or time is up. The command ``sklearn-activelearn compare`` prints the result.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Labels of all rows. A learner sees the labels that it buys.
    learners : list of learners, default=None
        Learners of this package, unfitted; the first one is recommended unless another
        one is better beyond noise. None: in batches of 10, the learner of the command
        ``label``, a `HybridSamplingClassifier`, the same around one logistic
        regression, and `UncertaintySamplingClassifier` around one; with 50,000 rows and
        more also `RLSSamplingClassifier` (`GreedyOnlineClassifier` with adaptive steps
        for dense rows of more than 1,000 numbers).
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
    minutes : float > 0, default=1.0
        Time that the runs may take; one run of the first learner and of its baseline,
        and runs that have begun, are waited for. The runs end before if they have told
        enough. Learners without a run are left out, with a note.
    n_repeats : int >= 1 or None, default=None
        Number of times to go through the folds, however long it takes: the same number
        gives the same result. None: the number that the answer needs, within `minutes`.
    max_rows : int >= 1 or None, default=None
        Random rows that each run uses at most, held-out rows included. None: 2,500, or
        20,000 if all learners see each row of a stream once.
    row_size : int >= 1 or None, default=None
        Numbers in a row after preprocessing, which decide between the default stream
        learners. None: the number of columns of `X`, or of the values in a row of a
        sparse matrix.
    target_error : float in [0, 1], default=None
        Error for which the labels are counted, too.
    n_jobs : int, default=None
        Number of runs at the same time, each on one thread, as in joblib.
    memory : str, path or joblib.Memory, default=None
        Folder that keeps finished runs, as for `label_curve`.
    progress : bool or callable, default=False
        True shows the answer so far, by rich. A function is called after each run, as
        ``progress(state)`` with ``state.done`` of ``state.total`` runs of repeat number
        ``state.repeat``, ``state.seconds``, and ``state.answer``, a line.
    random_state : int, default=0
        Seed of folds, orders and learners.

    Returns
    -------
    comparison : Comparison
        ``recommended``, the learner to use; ``answer``, what it gives; ``results`` with
        savings, errors and curves for each learner, ``verdict``, ``gains``,
        ``table()``, ``to_frame()``, ``to_dict()`` and ``plot()``.

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
        On Ctrl-C once each learner has ended a run; ``result`` is the answer so far.

    See Also
    --------
    label_curve : Runs one learner.
    compare_recall : Compares how soon learners find all rows of a class.

    Notes
    -----
    *Labels saved.* A share of the labels belongs to the interval if a paired t-test
    over the runs does not reject that the error with the other labels, chosen, equals
    the error with all random labels. Negative shares are tested with the roles
    exchanged. The baseline is the one with the smallest error. Intervals are about the
    mean over further splits and orders of these rows, not about another table.

    *Choosing and judging.* Runs with even and with odd numbers are two halves. Each
    half judges the learner and the baseline that the other half has chosen. A half
    chooses the first learner, unless another one has a smaller mean error over the
    label counts beyond noise.

    *How long.* After the first and the fourth repeat, and when the planned repeats have
    ended with wide intervals, the number of repeats is planned at which the interval is
    at most 25 points wide, or both differences of errors are known to 5 % of the error.
    A learner that cannot be better by 5 % of the error runs no further. The intervals
    hold for this plan: `docs/compare` has a simulation.

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
    Use `--learner GreedyOnline`: averaged over 1 to 91 labels, chosen labels give an
    error of 4.3 %, and random labels one of 6.3 % (95 % interval of the difference:
    0.0–4.0 points less). At the end, 91 chosen labels give an error of 2.5 %, and 91
    random labels with the best model for random labels, GreedyOnline, one of 4.7 % (95
    % interval of the difference: 0.6–3.9 points less).
    """
    if hasattr(X, "fit"):
        raise TypeError(f"X must be rows, got {X!r}. Call compare(X, y, learners).")
    if learners is not None:
        check_compared(learners)
    other_name, other = check_other(other_preprocessor)
    y = labels_for(HybridSamplingClassifier() if learners is None else learners[0], y)
    if len(y) != n_rows(X):
        raise ValueError(
            f"y must have a label for each of the {n_rows(X)} rows of X, got {len(y)}."
        )
    X, y = indexable(X, y)
    check_number(cv, "cv", 2, closed="left", integer=True)
    check_number(random_state, "random_state", 0, closed="left", integer=True)
    check_number(minutes, "minutes", 0)
    optional = {"n_repeats": n_repeats, "max_rows": max_rows, "row_size": row_size}
    for name, value in optional.items():
        if value is not None:
            check_number(value, name, 1, closed="left", integer=True)
    n_features = np.shape(X)[1] if np.ndim(X) == 2 or issparse(X) else 1
    if row_size is None:
        row_size = -(-X.nnz // X.shape[0]) if issparse(X) else n_features
    classes = check_class_sizes(y, cv)
    size = n_rows(X), n_features, row_size
    n_run_rows = count_run_rows(learners, max_rows, n_rows(X))
    design = Design(*size, cv, random_state, n_run_rows, y.ndim == 2)
    measure = default_measure(y)
    weight = "balanced" if measure.why and scoring != "accuracy" else None
    candidates = design.default_learners(weight) if learners is None else learners
    asked = measure.scoring if scoring is None else scoring
    suited, notes, name = suited_learners(candidates, asked, y, learners is None)
    if scoring is not None:
        measure = NamedMeasure(name)
    steps, own = plan_steps(suited, target_error, preprocessor)
    if other is not None and learners is None:
        steps.append(Step(suited[0], other))
    experiment = Experiment(steps, own, X, y, design, asked, memory)
    runners = [step.runner for step in steps]
    n_least = n_repeats or 1
    limit = np.inf if n_repeats else 60 * minutes

    def answer(is_last=False, ended_by=None):
        """Return the comparison by the runs that have ended."""
        if ended_by is None:
            ended_by = "repeats" if experiment.n_repeats >= n_least else "time"
        experiment.refresh()
        race, left_out = experiment.race, []
        if is_last:
            left_out = experiment.leave_out_unrun()
        best = race.choose_learner()
        passive = race.choose_passive(best)
        found = race.judge()
        n_planned = plan_repeats(found, max(experiment.n_repeats, 1))
        return Comparison(
            answer=replace(found, learner=runners[best], passive=runners[passive]),
            results=[
                replace(
                    race.pair(key, passive),
                    learner=runners[key],
                    passive=runners[passive],
                    notes=tuple(experiment.notes(key)) if is_last else (),
                )
                for key in race.keys(experiment.learners)
            ],
            passives=[
                Passive(runners[key], race.curves[key], experiment.model_of(key))
                for key in race.keys(experiment.passives)
            ],
            design=design,
            effort=Effort(
                experiment.n_repeats,
                n_planned,
                None if n_repeats else float(minutes),
                ended_by,
            ),
            measure=measure,
            target_error=target_error,
            classes=classes,
            notes=(*notes, *left_out),
            contrasts=experiment.contrasts(best, other_name)
            if learners is None
            else (),
        )

    try:
        with (
            parallel_config("loky", inner_max_num_threads=1),
            threadpool_limits(1),
            reporting(progress, describe_progress) as show,
        ):
            report = lambda: None  # noqa: E731
            if progress is not False:
                report = Reporter(show, experiment, answer, limit, n_repeats)
            while experiment.n_repeats < n_least and (
                experiment.n_begun == 0
                or experiment.seconds + experiment.next_seconds(n_jobs)
                <= FILLED * limit
            ):
                for _ in experiment.run_repeat(n_jobs):
                    report()
                    if experiment.seconds > limit and experiment.has_answer:
                        break
                if not experiment.end_repeat():
                    break
                report()
                if n_repeats is None:
                    n_least = experiment.race.plan(experiment.n_repeats, n_least)
    except KeyboardInterrupt as stop:
        if not experiment.refresh():
            raise KeyboardInterrupt("before each learner had ended a run") from stop
        raise ExperimentInterrupted(
            f"after {experiment.n_done} runs",
            answer(is_last=True, ended_by="interrupt"),
        ) from stop
    except ValueError as error:
        text = first_text(X) if preprocessor is None and is_frame(X) else None
        if text is None:
            raise
        raise ValueError(
            f"X has columns of texts, such as {text[:40]!r}; learners take numbers. "
            "Pass preprocessor=TableEncoder(), from sklearn_activelearn.preprocessing."
        ) from error
    return answer(is_last=True)


class Experiment:
    """Curves of several learners on the same runs, repeat by repeat.

    Parameters
    ----------
    steps : list of Step
        Learners, the default first, then their passive baselines, then what runs in the
        first repeat only.
    own : list of int
        For each learner the number of the baseline with its model.
    X, y, design, scoring, memory
        Rows, labels, and how to run and to score them.

    Attributes
    ----------
    race : Race
        The runs that have ended, and who is still in the race.
    learners, passives, once : list of int
        Numbers of the steps of learners, of baselines, and of curves that run in the
        first repeat only.
    n_begun, n_repeats, n_done : int
        Repeats that have begun, and repeats and runs that have ended.
    """

    def __init__(self, steps, own, X, y, design, scoring, memory):
        self.steps, self.own, self.design = steps, own, design
        self.learners = list(range(len(own)))
        self.passives = sorted(set(own))
        self.once = list(range(self.passives[-1] + 1, len(steps)))
        self.n_begun = self.n_repeats = self.n_done = 0
        self.race = Race(self.learners, self.passives)
        self._tasks, self._repeats = [], design.draw_repeats(X, y)
        self._plans = [self._plan(step, X, y, scoring, memory) for step in steps]
        self._seconds = [[] for _ in steps]
        self._warned = [[] for _ in steps]
        self._current, self._start = [], monotonic()

    def _plan(self, step, X, y, scoring, memory):
        parts = [part for part in step[::-1] if part is not None]
        try:
            return PlannedCurve(
                make_pipeline(*parts) if len(parts) > 1 else step.runner,
                X,
                y,
                at=self.design.label_counts(step.runner),
                scoring=scoring,
                memory=memory,
                random_state=self.design.random_state,
                tasks=self._tasks,
                name=learner_code(step.runner),
            )
        except ValueError as error:
            raise ValueError(f"{learner_code(step.runner)}: {error}") from error

    @property
    def _keys(self):
        """Curves of the next repeat, the default learner and its baseline first."""
        first_only = self.once if self.n_repeats == 0 else []
        keys = [*self.race.in_race, *self.race.passives_in_race, *first_only]
        return sorted(keys, key=lambda key: key not in (0, self.own[0]))

    def run_repeat(self, n_jobs):
        """Run the next repeat; yield after each run."""
        first = len(self._tasks)
        self._tasks += next(self._repeats)
        self.n_begun += 1
        # run by run, so that all curves have the same runs if time is up
        self._current = [
            (key, number)
            for number in range(first, len(self._tasks))
            for key in self._keys
        ]
        with catch_warnings(record=True, action="always") as caught:
            for key, seconds in run_jobs(self._plans, self._current, n_jobs):
                self._seconds[key].append(seconds)
                self._warned[key] += [str(each.message) for each in caught]
                caught.clear()
                self.n_done += 1
                yield key
                caught.clear()  # warnings of the caller are no notes

    def end_repeat(self):
        """Let curves leave the race that can hardly win it; False without all runs."""
        if len(set(self.progress)) > 1:
            return False
        self.n_repeats += 1
        self.refresh()
        self.race.drop_answered()
        return True

    @property
    def seconds(self):
        """Seconds since the start."""
        return monotonic() - self._start

    @property
    def progress(self):
        """Runs of this repeat that have ended, and all of them."""
        done = sum(number in self._plans[key].runs for key, number in self._current)
        return done, len(self._current)

    @property
    def has_answer(self):
        """True in the first repeat, once the default learner has a run to compare."""
        own, first = self._plans[self.own[0]].runs, self._plans[0].runs
        return self.n_repeats == 0 and not first.keys().isdisjoint(own)

    def leave_out_unrun(self):
        """Leave curves without a run out of the race; return a note for each."""
        race, notes = self.race, []
        for key in (*race.in_race, *race.passives_in_race):
            if key not in race.curves:
                name = learner_code(self.steps[key].runner)
                notes.append(f"left out: no run of {name} has ended in time")
        race.in_race = race.keys(race.in_race)
        race.passives_in_race = race.keys(race.passives_in_race)
        return notes

    def refresh(self):
        """Tell the race of all runs; return True if each curve in it has one."""
        for key, plan in enumerate(self._plans):
            if len(plan.runs) != len(self.race.numbers.get(key, ())):
                curve = check_defined_scores(plan.curve(), plan.name)
                self.race.add(key, sorted(plan.runs), curve)
        in_race = [*self.race.in_race, *self.race.passives_in_race]
        return len(self.race.common_runs(in_race)) > 0

    def next_seconds(self, n_jobs):
        """Return the seconds of another repeat, estimated from earlier ones."""
        means = [np.mean(self._seconds[key]) for key in self._keys]
        longest, n_workers = max(means), effective_n_jobs(n_jobs)
        return sum(means) * self.design.cv / n_workers + longest * (n_workers > 1)

    def notes(self, key):
        """Return the warnings of a learner, each once."""
        with catch_warnings(record=True, action="always") as caught:
            self._plans[key].warn_of_one_class()
        own = [str(each.message) for each in caught]
        return dict.fromkeys([*self._warned[key], *own])

    def model_of(self, passive):
        """Return the name of the model of a baseline, or else of its learner."""
        runner = self.steps[passive].runner
        if "estimator" not in runner.get_params(deep=False):
            runner = self.steps[self.own.index(passive)].runner
        return model_name(runner)

    def contrasts(self, best, other_name):
        """Return what model, chosen rows and preprocessor bring."""
        found, race = [], self.race
        own = self.own[best]
        rivals = [key for key in race.keys(self.passives) if key != own]
        if own in race.curves and rivals:
            rival = next((k for k in rivals if k in race.passives_in_race), rivals[0])
            mine, other = self.model_of(own), self.model_of(rival)
            model = f"Model: with {{n}} random labels, {mine} has"
            found.append(Gain(model, other, race.pair(own, rival)))
            rows = f"Rows: with the same model, {mine}, {{n}} chosen labels give"
            found.append(Gain(rows, "{n} random labels", race.pair(best, own)))
        default = (
            "What the rows are made of: with {n} chosen labels, the default learner has"
        )
        for key in race.keys(self.once):
            found.append(Gain(default, other_name, race.pair(0, key)))
        return tuple(found)


class Reporter:
    """Shows the state of a comparison after each run.

    Parameters
    ----------
    show : callable
        Takes a `ComparisonProgress`.
    experiment : Experiment
        What runs.
    answer : callable
        Returns the comparison so far.
    limit : float
        Seconds that were allowed.
    n_repeats : int or None
        Repeats that were asked for.
    """

    def __init__(self, show, experiment, answer, limit, n_repeats):
        self.show, self.experiment, self.answer = show, experiment, answer
        self.limit, self.n_repeats = limit, n_repeats
        self.text, self.answered = "", (0, 0)

    def __call__(self):
        """Show the state; the answer at the end of a repeat, and within the first."""
        experiment, seconds = self.experiment, self.experiment.seconds
        n_repeats, when = self.answered
        is_first = experiment.n_repeats == 0 and seconds - when >= ANSWER_EVERY
        if (n_repeats < experiment.n_repeats or is_first) and experiment.refresh():
            self.text = self.answer().headline
            self.answered = experiment.n_repeats, seconds
        done, total = experiment.progress
        share = seconds / self.limit
        if self.n_repeats is not None:
            share = (experiment.n_begun - 1 + done / total) / self.n_repeats
        current = experiment.n_begun
        self.show(
            ComparisonProgress(done, total, current, min(share, 1), seconds, self.text)
        )


def plan_steps(learners, target_error, preprocessor):
    """Return the steps of learners and baselines, and the baseline of each learner.

    Learners with equal baselines share one, which is given by its number.
    """
    steps = [Step(learner, preprocessor) for learner in learners]
    known, own = {}, []
    for passive in baselines_within_budgets(learners, target_error):
        code = learner_code(passive)
        if code not in known:
            known[code] = len(steps)
            steps.append(Step(passive, preprocessor))
        own.append(known[code])
    return steps, own


def describe_progress(state):
    """Return the share of a comparison that has ended, and its state as text."""
    text = f"repeat {state.repeat}, run {state.done} of {state.total}, "
    so_far = f"\nso far: {state.answer}" if state.answer else ""
    return state.share, f"{text}{state.seconds:.0f} s{so_far}"


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
    match other_preprocessor:
        case (str(), type()):
            pass  # a class, not a transformer
        case (str(), transformer) if hasattr(transformer, "transform"):
            return other_preprocessor
    raise TypeError(
        f"other_preprocessor must be (words, transformer), got {other_preprocessor!r}."
    )


def check_compared(learners):
    """Raise unless these are active learners in a list, at least one."""
    is_list = isinstance(learners, Sequence) and len(learners) > 0
    if not (is_list and all(isinstance(each, ActiveClassifier) for each in learners)):
        raise TypeError(
            "learners must be a list of active learners, such as "
            f"[MinMarginClassifier()], got {learners!r}."
        )


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
        n_rare, n_classes = np.count_nonzero(counts < n_folds), len(classes)
        advice = "Use fewer folds, or leave such classes out."
        if n_rare > n_classes / 2:
            advice = "Are these classes? Numbers must be grouped first."
        raise ValueError(
            f"Each class needs {n_folds} rows, one for each fold, but "
            f"{classes[rare]!s} has {counts[rare]}. Classes with too few rows: "
            f"{n_rare} of {n_classes}, in {len(y)} rows. {advice}"
        )
    return [str(classes[k]) for k in np.argsort(-counts, kind="stable")]
