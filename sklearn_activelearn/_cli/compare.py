"""The command ``compare``: run a comparison, and print or write its report.

`evaluation.Comparison` makes the verdict and the text of the report.
"""

import csv
import json
import sys
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import numpy as np
from scipy.sparse import issparse

from .. import RelevanceSamplingClassifier, __version__
from .._tables.encoding import principal_directions, with_directions
from ..evaluation import ExperimentInterrupted, compare, compare_recall
from ..evaluation._measures import default_measure
from .labelled_data import digits, read_labelled
from .learners import parse_learner
from .options import UsageError, blame, tell
from .rows import BATCH, N_DIRECTIONS, model_of_words_and_directions


def run_compare(args):
    """Run ``compare``: check everything, then run, then report."""
    try:
        learners = [parse_learner(text) for text in args.learner or ()] or None
    except ValueError as error:
        raise UsageError(f"--learner: {error}") from error
    name, data = load_data(args)
    if args.find is not None:
        run_find(args, name, data, learners)
        return
    n_rows, n_columns = data.X.shape
    size = (
        f"{n_rows:,} rows, {n_columns:,} column{'s' * (n_columns != 1)}, "
        f"{len(np.unique(data.y))} classes"
    )
    tell(size)
    for line in data.treated_as:
        tell(f"treated as {line}")
    if not args.scoring and (measure := default_measure(data.y)).why:
        tell(f"{measure.name}: {measure.why}")
    interrupt = None
    try:
        with progress_line() as show:
            comparison = compare(
                data.X, data.y, learners,
                preprocessor=data.encoder, scoring=args.scoring, cv=args.folds,
                n_repeats=args.repeats, max_rows=args.rows, row_size=data.width,
                target_error=args.target_error, n_jobs=args.jobs, memory=args.cache,
                progress=show, random_state=args.seed,
            )  # fmt: skip
    except ValueError as error:
        about = "--scoring" if str(error).startswith("scoring") else name
        raise UsageError(f"{about}: {error}") from error
    except ExperimentInterrupted as stop:
        comparison, interrupt = stop.result, stop
    report = {
        "version": __version__, "data": name, "treated_as": data.treated_as
    } | comparison.to_dict()  # fmt: skip
    text = comparison.to_text(data=f"{name}: {size}")
    write_report(args, text, report, comparison.table(), comparison.plot, name)
    if interrupt:
        raise interrupt


def run_find(args, name, data, learners):
    """Run ``compare --find``: how soon all rows of a class are found, and report."""
    known = np.unique(data.y).tolist()
    wanted = [label for label in known if str(label) == args.find]
    if not wanted:
        raise UsageError(
            f"--find: no row has the label {args.find!r}; labels are "
            f"{', '.join(map(str, known[:10]))}"
        )
    X = data.X if data.encoder is None else data.encoder.fit_transform(data.X)
    is_relevant = data.y == wanted[0]
    if args.rows is not None and args.rows < len(is_relevant):
        rng = np.random.default_rng(args.seed)
        rows = np.sort(rng.permutation(len(is_relevant))[: args.rows])
        X, is_relevant = X[rows], is_relevant[rows]
    n, n_relevant = len(is_relevant), int(is_relevant.sum())
    if n_relevant < 2 or n_relevant == n:
        raise UsageError(
            f"--find: {n_relevant} of {n:,} rows are {args.find}; at least two, and "
            "rows of another class, are needed"
        )
    tell(f"{n:,} rows, {n_relevant:,} of them {args.find}")
    if learners is None and issparse(X):
        model = model_of_words_and_directions(X.shape[1])
        tell(f"finding up to {N_DIRECTIONS} principal directions of {n:,} texts")
        X = with_directions(X, principal_directions(X, N_DIRECTIONS))
        learners = [RelevanceSamplingClassifier(model, batch_size=BATCH, budget=None)]
    try:
        found = compare_recall(
            X, is_relevant, learners, n_runs=args.repeats or 3, cv=args.folds,
            progress=tell, random_state=args.seed,
        )  # fmt: skip
    except (TypeError, ValueError) as error:
        raise UsageError(f"--find: {error}") from error
    title = f"{name}: {n:,} rows, {n_relevant:,} {args.find}"
    table = [{"order": order} | row for order, row in found.table().items()]
    report = {"data": title, "found": found.to_dict()}
    write_report(args, f"{title}\n\n{found}", report, table, found.plot, title)


def load_data(args):
    """Return the name of the data, and the rows with their labels."""
    if args.data is None:
        return "digits of scikit-learn", digits(standardize=not args.raw)
    options = "text", "categorical", "drop", "dates"
    kinds = {name: getattr(args, name) for name in options}
    with blame(args.data):
        data = read_labelled(
            args.data,
            args.target,
            standardize=not args.raw,
            once=args.find is not None,
            **kinds,
        )
    return Path(args.data).name, data


@contextmanager
def progress_line():
    """Yield a function that shows the progress of steps; a terminal also sees runs."""
    began, on_terminal = {}, sys.stderr.isatty()

    def show(step, done, total):
        start = began.setdefault(step, monotonic())
        if on_terminal:
            seconds = (monotonic() - start) / done * (total - done) if done else 0
            left = f", about {seconds:.0f} s left" if seconds else ""
            print(f"\r\033[K{step}, run {done} of {total}{left}", end="",
                  file=sys.stderr, flush=True)  # fmt: skip
        elif done == 0:
            tell(f"{step}, {total} runs")
        if done == total and on_terminal:
            tell(f"\r\033[K{step}, {total} runs, {monotonic() - start:.0f} s")

    try:
        yield show
    finally:
        if on_terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def write_report(args, text, report, table, plot, title):
    """Write the text or JSON, the table as CSV, and the picture."""
    try:
        if not args.json:
            print(text)
        else:
            text = json.dumps(rounded(report), indent=1, allow_nan=False)
            if args.json == "-":
                print(text)
            else:
                Path(args.json).write_text(f"{text}\n", encoding="utf-8")
        if args.csv:
            names = dict.fromkeys(name for row in table for name in row)
            with open(args.csv, "w", newline="", encoding="utf-8") as file:
                lines = csv.DictWriter(file, names)
                lines.writeheader()
                lines.writerows(table)
        if args.plot:
            from matplotlib.figure import Figure

            figure = Figure(figsize=(7, 4.8), dpi=150, layout="constrained")
            ax = plot(figure.add_subplot()).ax_
            ax.get_legend().remove()
            figure.legend(loc="outside lower center", frameon=False, ncols=2)
            ax.set_title(f"{title}: means of the runs")
            figure.savefig(args.plot)
            tell(f"curves: {args.plot}")
    except OSError as error:
        raise UsageError(f"cannot write: {error}") from error


def rounded(value):
    """Return plain values with six decimals."""
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return round(value, 6) if isinstance(value, float) else value
