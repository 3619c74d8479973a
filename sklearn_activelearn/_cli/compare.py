"""The command ``compare``: run a comparison, and print or write its report.

`evaluation.Comparison` makes the verdict and the text of the report.
"""

# Modules that import scikit-learn are imported in functions: wrong arguments are
# refused before that.
import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path
from time import monotonic

from .. import __version__
from .options import (
    CHOICES,
    COLUMNS,
    READING,
    UsageError,
    add_command,
    add_options,
    blame,
    check_exists,
    check_output,
    check_together,
    class_name,
    interrupted_with,
    number,
    require,
    tell,
)

DIGITS = "digits of scikit-learn"
PICTURES = (".png", ".pdf", ".svg")
#: Seconds between two lines of progress in a pipe or a file.
TELL_EVERY = 10
TABLE_OPTIONS = (
    "target",
    "text",
    "categorical",
    "drop",
    "dates",
    "decimal",
    "gaps",
    "encoding",
    "keep-duplicates",
    "encoder",
    "features",
    "id",
)

ROWS = f"""
--data FILE
    Read rows with labels from a table (.csv with a header line, .parquet, .xlsx,
    .jsonl) or from references (.ris, .bib, .nbib, …). Default: the digits of
    scikit-learn.
--target COLUMN
    Take the labels from this column of a table. Rows without a label are left out.
--text COLUMN
    Treat this column as texts. May be repeated.
{COLUMNS.strip()}
{READING.strip()}
--encoder NAME
    Encode texts with this model of sentence-transformers or model2vec, a name or a
    folder. The report says what it brings.
--features FILE
    Take a vector for each row from this file: .npy, in the order of the rows, or
    .parquet or .csv with the column of --id.
--id COLUMN
    The column with the names of the rows, for --features.
--rows N
    Use at most N random rows in a run. Default: 2,500, or 20,000 if all learners are
    learners of a stream.
"""
LEARNING = """
--learner NAME[:param=value,...]
    Compare this learner, with these parameters; classifiers and pipelines of
    scikit-learn may be among them, as in 'MinMargin:estimator=SVC(C=10)'. May be
    repeated. Default, in batches of 10: the learner of the command label, the same
    around one logistic regression, and UncertaintySampling around one; with 50,000 rows
    and more also a learner of streams.
--scoring NAME
    Measure this score of scikit-learn (balanced_accuracy, f1_macro, average_precision,
    roc_auc, neg_log_loss, …), or NAME:CLASS for the recall, precision, f1,
    average_precision or roc_auc of one class. Default: the error, or the balanced error
    where one class has more than 70 %% of the labels.
--target-error E
    Also count the labels until the test error is at most E, from 0 to 1.
--find LABEL
    Instead, count the rows that must be read to find 95 %% and all of the rows with
    this label, if the likeliest rows are read first.
"""
RUNS = """
--folds N
    Number of folds of the cross-validation. Default: %(default)s.
--minutes M
    Answer within M minutes; runs that have begun are waited for. Repeats of the
    cross-validation end before if the answer is certain. Default: %(default)g.
--repeats N
    Run N repeats of the cross-validation, however long they take. The report names the
    number that gives the same result again.
--seed N
    Seed of the random numbers. Default: %(default)s.
--jobs N
    Number of processes. Default: one for each core.
--cache FOLDER
    Keep finished runs in this folder, so that the same command resumes after Ctrl-C.
    The files are pickles, which can run any code: do not use a folder from somebody
    else.
"""
RESULTS = """
--plot FILE.png
    Draw the error against the number of labels, as .png, .pdf or .svg.
--json FILE
    Write JSON instead of the table, to FILE or, without FILE, to the standard output.
"""


def add_compare(commands):
    """Add the command to the parser."""
    parser = add_command(
        commands,
        start_compare,
        "compare [--data FILE [--target COLUMN]] [options]",
        "See whether active learning would save labels on your data, and with which "
        "learner. Learners buy labels of rows that they choose; models get labels of "
        "random rows. The report says how many chosen labels do the work of the random "
        "ones with the best model.",
        "sklearn-activelearn compare --data iris.csv --target species",
    )
    add_options(parser, "rows", ROWS, **CHOICES, rows={"type": number(int, 20)})
    share = {"type": number(float, 0, 1)}
    add_options(parser, "learning", LEARNING, target_error=share)
    add_options(
        parser,
        "runs",
        RUNS,
        folds={"type": number(int, 2), "default": 5},
        minutes={"type": number(float, 0.01), "default": 1.0},
        repeats={"type": number(int, 1)},
        seed={"type": number(int, 0, 2**32 - 1), "default": 0},
        jobs={"type": number(int, 1), "default": -1},
    )
    json = {"type": str, "nargs": "?", "const": "-"}
    add_options(parser, "results", RESULTS, json=json)


def start_compare(args):
    """Run ``compare``: check everything, then run, then report."""
    args.began = monotonic()
    for text in args.learner:
        class_name(text)
    if args.data is not None:
        check_exists(args.data)
        require("--data", "pandas")
    check_together(
        args,
        [(option, "data") for option in TABLE_OPTIONS],
        [("find", "scoring"), ("find", "target-error"), ("encoder", "features")],
    )
    if args.cache is not None:
        with blame(args.cache, option="cache"):
            args.cache.mkdir(parents=True, exist_ok=True)
    if args.plot:
        if args.plot.suffix.lower() not in PICTURES:
            raise UsageError(f"--plot: {args.plot} must end in {' or '.join(PICTURES)}")
        require("--plot", "matplotlib")
    for option in ("plot", "json"):
        path = getattr(args, option)
        if path not in (None, "-"):
            check_output(option, Path(path))
    tell(f"reading {args.data or DIGITS}")
    kept = "no run is kept without --cache FOLDER"
    if args.cache:
        kept = f"finished runs are kept in {args.cache}, and the same command resumes"
    with interrupted_with(kept):
        from .labelled_data import read_labelled
        from .learners import parse_learner

        learners = [parse_learner(text) for text in args.learner] or None
        with blame(args.data):
            data = read_labelled(args)
        name = args.data.name if args.data else DIGITS
        run = run_compare if args.find is None else run_find
        run(args, name, data, learners)


def run_compare(args, name, data, learners):
    """Compare learners with random labels, and report."""
    import numpy as np

    from ..evaluation import ExperimentInterrupted, compare
    from ..evaluation._measures import default_measure

    n_columns = data.n_columns
    size = (
        f"{len(data.y):,} rows, {n_columns:,} column{'s' * (n_columns != 1)}, "
        f"{len(np.unique(data.y))} classes"
    )
    tell(size)
    for line in data.treated_as:
        tell(f"treated as {line}")
    if not args.scoring and (measure := default_measure(data.y)).why:
        tell(f"{measure.name}: {measure.why}")
    interrupt = None
    # reading and importing have taken some of the command's minutes
    minutes = max(args.minutes - (monotonic() - args.began) / 60, 0.1 * args.minutes)
    try:
        comparison = compare(
            data.X, data.y, learners,
            preprocessor=data.encoder, other_preprocessor=data.other_encoder,
            scoring=args.scoring, cv=args.folds, minutes=minutes,
            n_repeats=args.repeats, max_rows=args.rows, row_size=data.width,
            target_error=args.target_error, n_jobs=args.jobs, memory=args.cache,
            progress=make_progress(), random_state=args.seed,
        )  # fmt: skip
    except ValueError as error:
        about = "--scoring" if str(error).startswith("scoring") else name
        raise UsageError(f"{about}: {error}") from error
    except ExperimentInterrupted as stop:
        comparison, interrupt = stop.result, stop
    if args.repeats is None:
        effort = comparison.effort._replace(minutes=args.minutes)
        comparison = replace(comparison, effort=effort)
    report = {
        "version": __version__, "data": name, "treated_as": data.treated_as
    } | comparison.to_dict()  # fmt: skip
    text = comparison.to_text(data=f"{name}: {size}")
    write_report(args, text, report, comparison.plot, name)
    if interrupt:
        raise interrupt


def run_find(args, name, data, learners):
    """Run ``compare --find``: how soon all rows of a class are found, and report."""
    import numpy as np
    from scipy.sparse import issparse

    from .. import RelevanceSamplingClassifier
    from ..evaluation import compare_recall
    from .default_learners import BATCH, model_of_words_and_directions

    known = np.unique(data.y).tolist()
    wanted = [label for label in known if str(label) == args.find]
    if not wanted:
        raise UsageError(
            f"--find: no row has the label {args.find!r}; labels are "
            f"{', '.join(map(str, known[:10]))}"
        )
    X = data.encoder.fit_transform(data.X)
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
        # the last columns are the directions of the last column of texts
        n_dense = getattr(data.encoder.transformers_[-1][1], "n_dense_", 0)
        model = model_of_words_and_directions(X.shape[1] - n_dense)
        learners = [RelevanceSamplingClassifier(model, batch_size=BATCH, budget=None)]
    try:
        found = compare_recall(
            X, is_relevant, learners, n_runs=args.repeats or 3, cv=args.folds,
            progress=tell, random_state=args.seed,
        )  # fmt: skip
    except (TypeError, ValueError) as error:
        raise UsageError(f"--find: {error}") from error
    title = f"{name}: {n:,} rows, {n_relevant:,} {args.find}"
    report = {"data": title, "found": found.to_dict()}
    write_report(args, f"{title}\n\n{found}", report, found.plot, title)


def make_progress():
    """Return what shows the progress of a comparison.

    A terminal sees the answer so far, if rich is installed. Otherwise there is a line
    every ten seconds.
    """
    if sys.stderr.isatty() and importlib.util.find_spec("rich"):
        return True
    told = monotonic()

    def show(state):
        nonlocal told
        if monotonic() - told >= TELL_EVERY:
            told = monotonic()
            so_far = f", so far: {state.answer}" if state.answer else ""
            tell(
                f"repeat {state.repeat}, run {state.done} of {state.total}, "
                f"{state.seconds:.0f} s{so_far}"
            )

    return show


def write_report(args, text, report, plot, title):
    """Write the text or JSON, and the picture."""
    try:
        if not args.json:
            print(text)
        else:
            plain = json.dumps(report, allow_nan=False)
            report = json.loads(plain, parse_float=lambda text: round(float(text), 6))
            text = json.dumps(report, indent=1)
            if args.json == "-":
                print(text)
            else:
                Path(args.json).write_text(f"{text}\n", encoding="utf-8")
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
