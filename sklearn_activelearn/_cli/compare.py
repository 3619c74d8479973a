"""The command ``compare``: from a file to the answer whether labels are saved."""

import json
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic

import numpy as np
from sklearn.base import clone

from ..evaluation._measures import measures_of
from .compare_find import run_find
from .comparison import RunPlan, compare
from .labelled_data import digits, read_labelled
from .learners import learner_code, parse_learner
from .measure import Measure, default_measure, most_frequent
from .options import UsageError, tell
from .report import draw, to_dict, to_text, write_results_csv


def run_compare(args):
    """Run ``compare``: check everything, then run, then report."""
    try:
        learners = [parse_learner(text) for text in args.learner or ()]
    except ValueError as error:
        raise UsageError(f"--learner: {error}") from error
    for learner in learners:
        check_learner_params(learner)
    name, data = load(args)
    if args.find is not None:
        run_find(args, name, data, learners)
        return
    plan = RunPlan(
        data=name,
        rows=data.X.shape[0],
        features=data.X.shape[1],
        classes=count_classes(data.y, args.folds),
        treated_as=data.treated_as,
        width=data.width,
        folds=args.folds,
        repeats=args.repeats,
        seed=args.seed,
        most_rows=args.rows,
        target_error=args.target_error,
        measure=default_measure(data.y),
        answer=most_frequent(data.y),
    )
    tell(plan.size)
    for line in plan.treated_as:
        tell(f"treated as {line}")
    are_unequal = bool(plan.measure.why) and args.scoring != "accuracy"
    given = learners
    learners = given or plan.default_learners(weigh_classes=are_unequal)
    if args.scoring:
        learners, plan = measured_by(args.scoring, learners, data.y, plan, given)
    if plan.measure.why:
        tell(f"{plan.measure.name}: {plan.measure.why}")
    baselines = {
        (learner_code(x._passive_baseline()), plan.rows_for(x)) for x in learners
    }
    results = []
    try:
        with progress_reporter(len(learners) + len(baselines)) as announce:
            for result in compare(
                learners, data, plan,
                n_jobs=args.jobs, announce=announce, memory=args.cache,
            ):  # fmt: skip
                results.append(result)
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from error
    except KeyboardInterrupt:
        if results:
            write(args, plan, results)
        raise
    write(args, plan, results)


def measured_by(scoring, learners, y, plan, given):
    """Return the learners that a measure suits, and the plan with its whole name.

    Of learners that the user gave it must suit all.
    """
    suited, refused = [], None
    for learner in learners:
        try:
            for each in (learner, learner._passive_baseline()):
                (name,) = measures_of(scoring, each, y).scorers
        except ValueError as error:
            refused = error
            continue
        suited.append(learner)
        plan = replace(plan, measure=Measure(name))
    if refused and (given or not suited):
        raise UsageError(f"--scoring: {refused}")
    if refused:
        tell(f"left out: {refused}")
    return suited, plan


def check_learner_params(learner):
    """Refuse parameters that the learner does not accept."""
    try:
        clone(learner).query(np.empty((0, 1)))
    except (TypeError, ValueError) as error:
        raise UsageError(f"{learner_code(learner)}: {error}") from error


def load(args):
    """Return the name of the data, and the rows with their labels."""
    if args.data is None:
        return "digits of scikit-learn", digits(standardize=not args.raw)
    options = "text", "categorical", "drop", "dates"
    kinds = {name: getattr(args, name) for name in options}
    try:
        data = read_labelled(
            args.data,
            args.target,
            standardize=not args.raw,
            once=args.find is not None,
            **kinds,
        )
    except (ValueError, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{args.data}: {reason}") from error
    return Path(args.data).name, data


def count_classes(y, folds):
    """Return the number of classes, each of which has a row for every fold."""
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise UsageError(f"all labels are {classes[0]}: two classes are needed")
    rare = counts.argmin()
    if counts[rare] < folds:
        raise UsageError(
            f"class {classes[rare]} has fewer rows ({counts[rare]}) than there are "
            f"folds ({folds}); there are {len(classes)} classes in {len(y)} rows"
        )
    return len(classes)


@contextmanager
def progress_reporter(n_steps):
    """Yield a function that tells which step begins; a terminal also sees its runs."""
    step, on_terminal = 0, sys.stderr.isatty()

    def announce(name):
        nonlocal step
        step += 1
        began, title = monotonic(), f"{step} of {n_steps}: {name}"

        def show(done, total):
            if on_terminal:
                seconds = (monotonic() - began) / done * (total - done) if done else 0
                left = f", about {seconds:.0f} s left" if seconds else ""
                print(f"\r\033[K{title}, run {done} of {total}{left}", end="",
                      file=sys.stderr, flush=True)  # fmt: skip
            elif done == 0:
                tell(f"{title}, {total} runs")
            if done == total and on_terminal:
                tell(f"\r\033[K{title}, {total} runs, {monotonic() - began:.0f} s")

        return show

    try:
        yield announce
    finally:
        if on_terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def write(args, plan, results):
    """Write the report or JSON, and the picture."""
    try:
        if not args.json:
            print(to_text(plan, results, details=args.details))
        else:
            text = json.dumps(to_dict(plan, results), indent=1, allow_nan=False)
            if args.json == "-":
                print(text)
            else:
                Path(args.json).write_text(f"{text}\n", encoding="utf-8")
        if args.csv:
            write_results_csv(results, args.csv)
        if args.plot:
            draw(plan, results, args.plot)
            tell(f"curves: {args.plot}")
    except OSError as error:
        raise UsageError(f"cannot write: {error}") from error
