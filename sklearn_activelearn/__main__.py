"""The command line: would active learning save labels on my data.

``sklearn-activelearn compare`` runs the learners of this package, and passive
learning of the same model, over the same folds in the same order.
``sklearn-activelearn label`` shows your own rows, for you to label.
``sklearn-activelearn reproduce`` runs the experiments of a paper again.
"""

import importlib.util
import json
import os
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.datasets import load_digits

from sklearn_activelearn._cli.comparison import Plan, compare
from sklearn_activelearn._cli.data_files import read_data
from sklearn_activelearn._cli.label import run_label
from sklearn_activelearn._cli.learners import (
    name_of,
    parse_learner,
    quick_learners,
)
from sklearn_activelearn._cli.options import PROGRAM, UsageError, make_parser
from sklearn_activelearn._cli.papers import reproduce
from sklearn_activelearn._cli.report import draw, to_dict, to_text, write_csv

PICTURES = (".png", ".pdf", ".svg")


def main(argv=None):
    """Run the command line.

    Parameters
    ----------
    argv : list of str, default=None
        Arguments; None: those of the process.

    Returns
    -------
    code : int
        0, or 2 for what the user can put right, or 130 after Ctrl-C, which reports
        the learners that had ended.
    """
    try:
        args = make_parser(run_compare, run_label, run_reproduce).parse_args(argv)
        args.run(args)
    except UsageError as error:
        message = " ".join(str(error).split()).rstrip(".")
        print(f"{PROGRAM}: error: {message}.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{PROGRAM}: interrupted.", file=sys.stderr)
        return 130
    return 0


def run_compare(args):
    """Run ``compare``: check everything, then run, then report."""
    check_outputs(args)
    try:
        texts = args.learner or quick_learners()
        learners = [parse_learner(text) for text in texts]
    except ValueError as error:
        raise UsageError(f"--learner: {error}") from error
    data, X, y = load(args)
    plan = Plan(
        data=data,
        rows=X.shape[0],
        features=X.shape[1],
        classes=count_classes(y, args.folds),
        standardize=not (args.raw or issparse(X)),
        folds=args.folds,
        repeats=args.repeats,
        seed=args.seed,
        target_error=args.target_error,
    )
    passive = [learner._passive_twin() for learner in learners]
    twins = {name_of(twin): twin for twin in passive}
    for learner in [*learners, *twins.values()]:
        check_learner(learner, X)
    results = []
    try:
        with progress(len(learners) + len(twins)) as announce:
            for result in compare(
                learners, X, y, plan,
                n_jobs=args.jobs, announce=announce, memory=args.cache,
            ):  # fmt: skip
                results.append(result)
    except ValueError as error:
        raise UsageError(f"{data}: {error}") from error
    except KeyboardInterrupt:
        if results:
            write(args, plan, results)
        raise
    write(args, plan, results)


def run_reproduce(args):
    """Run ``reproduce``: check everything, then run."""
    check_matplotlib("reproduce")
    if args.data is not None:
        if not args.data.is_dir():
            raise UsageError(f"--data: there is no folder {args.data}")
        os.environ["SKLEARN_ACTIVELEARN_DATA"] = str(args.data.resolve())
    try:
        reproduce(args.paper, args.out, args.quick)
    except (OSError, ImportError) as error:  # data neither there nor to be fetched
        reason = getattr(error, "reason", error)
        raise UsageError(
            f"{args.paper}: {reason} (data sets are fetched unless --data has them)"
        ) from error


def check_matplotlib(what):
    """Refuse what needs pictures where none can be drawn."""
    if importlib.util.find_spec("matplotlib") is None:
        raise UsageError(f"{what} needs matplotlib: pip install '{PROGRAM}[plot]'")


def check_outputs(args):
    """Refuse files that cannot be written, before the long run."""
    if args.cache is not None:
        try:
            Path(args.cache).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--cache: {args.cache}: {error.strerror}") from error
    if args.plot:
        if args.plot.suffix.lower() not in PICTURES:
            raise UsageError(f"--plot: {args.plot} must end in {' or '.join(PICTURES)}")
        check_matplotlib("--plot")
    for option in ("--plot", "--json", "--csv"):
        path = getattr(args, option.removeprefix("--"))
        if path is None or path == "-":
            continue
        folder = Path(path).parent
        if not folder.is_dir():
            raise UsageError(f"{option}: there is no folder {folder}")
        if os.path.isdir(path):
            raise UsageError(f"{option}: {path} is a folder")
        if not os.access(path if os.path.exists(path) else folder, os.W_OK):
            raise UsageError(f"{option}: {path} cannot be written")


def load(args):
    """Return the name of the data, rows and labels."""
    if args.data is None:
        if args.target is not None:
            raise UsageError("--target names a column of a file: --data is missing")
        return "digits of scikit-learn", *load_digits(return_X_y=True)
    try:
        return Path(args.data).name, *read_data(args.data, args.target)
    except (ValueError, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{args.data}: {reason}") from error


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


def check_learner(learner, X):
    """Refuse parameters that the learner does not accept."""
    try:
        clone(learner).query(X[:0])
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name_of(learner)}: {error}") from error


@contextmanager
def progress(n_steps):
    """Yield a function that tells a terminal which step begins, and its runs."""
    step, shown = 0, sys.stderr.isatty()

    def announce(name):
        nonlocal step
        step += 1

        def show(done, total):
            if shown:
                text = f"\r\033[K{step} of {n_steps}: {name}, run {done} of {total}"
                print(text, end="", file=sys.stderr, flush=True)

        return show

    try:
        yield announce
    finally:
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def write(args, plan, results):
    """Write the table or JSON, and the picture."""
    try:
        if not args.json:
            print(to_text(plan, results))
        else:
            text = json.dumps(to_dict(plan, results), indent=1, allow_nan=False)
            if args.json == "-":
                print(text)
            else:
                Path(args.json).write_text(f"{text}\n", encoding="utf-8")
        if args.csv:
            write_csv(results, args.csv)
        if args.plot:
            draw(plan, results, args.plot)
    except OSError as error:
        raise UsageError(f"cannot write: {error}") from error


if __name__ == "__main__":
    sys.exit(main())
