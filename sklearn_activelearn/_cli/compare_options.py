"""The command ``compare``: its options, and the checks that need no long imports."""

from pathlib import Path

from .options import (
    COLUMNS,
    UsageError,
    add_command,
    add_options,
    blame,
    check_exists,
    check_names,
    check_output,
    check_together,
    interrupted_with,
    number,
    require,
    tell,
)

PICTURES = (".png", ".pdf", ".svg")
TABLE_OPTIONS = ("target", "text", "categorical", "drop", "dates")

ROWS = f"""
--data FILE
    Read rows with labels from a table (.csv with a header line, .parquet, .xlsx),
    references (.ris, .bib), arrays (.npz with X and y, or with a sparse matrix of scipy
    and y), or svmlight (.svm, .svmlight, .libsvm, .txt, also packed as .gz or .bz2).
    Default: the digits of scikit-learn.
--target COLUMN
    Take the labels from this column of a table. Rows without a label are left out.
--text COLUMN
    Treat this column as texts. May be repeated.
{COLUMNS.strip()}
--raw
    Do not standardise numbers. Sparse rows are never standardised.
--rows N
    Use at most N random rows in a run. Default: 2,500 for learners of a pool, 20,000
    for learners of a stream.
"""
LEARNING = """
--learner NAME[:param=value,...]
    Compare this learner, with these parameters; classifiers of scikit-learn may be
    among them, as in 'MinMargin:estimator=SVC(C=10)'. May be repeated. Default:
    the learner of the command label, in batches of 10, and RLSSampling (GreedyOnline
    with adaptive steps for dense rows of more than 1,000 numbers); one logistic
    regression with random labels shows what the model brings.
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
--repeats N
    Number of repeats of the cross-validation. Default: 8, or 1 for larger data.
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
--csv FILE
    Also write the table as CSV.
"""


def add_compare(commands):
    """Add the command to the parser."""
    parser = add_command(
        commands,
        start_compare,
        "compare [--data FILE [--target COLUMN]] [options]",
        "See whether active learning would save labels on your data. Learners buy "
        "labels of rows that they choose; the same models get labels of random rows. "
        "The report says how many random labels do the work of the chosen ones.",
        "sklearn-activelearn compare --data iris.csv --target species",
    )
    dates = {"choices": ["day-first", "month-first"]}
    add_options(parser, "rows", ROWS, dates=dates, rows={"type": number(int, 20)})
    share = {"type": number(float, 0, 1)}
    add_options(parser, "learning", LEARNING, target_error=share)
    add_options(
        parser,
        "runs",
        RUNS,
        folds={"type": number(int, 2), "default": 5},
        repeats={"type": number(int, 1)},
        seed={"type": number(int, 0, 2**32 - 1), "default": 0},
        jobs={"type": number(int, 1), "default": -1},
    )
    json = {"type": str, "nargs": "?", "const": "-"}
    add_options(parser, "results", RESULTS, json=json)


def start_compare(args):
    """Check the options that can be checked quickly, and run ``compare``."""
    check_names(args, args.learner)
    check_together(args, (), [("find", "scoring"), ("find", "target-error")])
    if args.data is not None:
        check_exists(args.data)
    check_together(args, [(option, "data") for option in TABLE_OPTIONS], ())
    if args.cache is not None:
        with blame(args.cache, option="cache"):
            args.cache.mkdir(parents=True, exist_ok=True)
    if args.plot:
        if args.plot.suffix.lower() not in PICTURES:
            raise UsageError(f"--plot: {args.plot} must end in {' or '.join(PICTURES)}")
        require("--plot", "matplotlib")
    for option in ("plot", "json", "csv"):
        path = getattr(args, option)
        if path not in (None, "-"):
            check_output(option, Path(path))
    tell(f"reading {args.data or 'digits of scikit-learn'}")
    kept = "no run is kept without --cache FOLDER"
    if args.cache:
        kept = f"finished runs are kept in {args.cache}, and the same command resumes"
    with interrupted_with(kept):
        from .compare import run_compare

        run_compare(args)
