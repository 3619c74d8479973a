"""The command ``compare``: its options, and the checks that need no long imports."""

from pathlib import Path

from .options import (
    UsageError,
    add_column_options,
    add_command,
    check_exists,
    check_learners,
    check_named_once,
    check_output,
    interrupted_with,
    number,
    require,
    tell,
)

#: Rows that a run uses at most, held-out rows included: of a learner that scores the
#: whole pool at each purchase, and of one that sees each row once.
POOL_ROWS, STREAM_ROWS = 2_500, 20_000
PICTURES = (".png", ".pdf", ".svg")


def add_compare(commands):
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "compare",
        start_compare,
        "[--data FILE [--target COLUMN]] [options]",
        "See whether active learning would save labels on your data. Learners buy "
        "labels of rows that they choose; the same models get labels of random rows. "
        "The report says how many random labels do the work of the chosen ones. All "
        "labels must be known.",
        """
        sklearn-activelearn compare --data iris.csv --target species
        """,
    )
    add = parser.add_argument_group("rows").add_argument
    add(
        "--data",
        metavar="FILE",
        help="Read rows with labels from a table (.csv with a header line, .parquet, "
        ".xlsx), references (.ris, .bib), arrays (.npz with X and y, or with the parts "
        "of a CSR matrix data, indices, indptr, shape and y), or svmlight (.svm, "
        ".svmlight, .libsvm, .txt, also packed as .gz or .bz2). Default: the digits of "
        "scikit-learn.",
    )
    add(
        "--target",
        metavar="COLUMN",
        help="Take the labels from this column of a table. Rows without a label are "
        "left out.",
    )
    add(
        "--text",
        metavar="COLUMN",
        action="append",
        default=[],
        help="Treat this column as texts. May be repeated.",
    )
    add_column_options(add)
    add(
        "--raw",
        action="store_true",
        help="Do not standardise numbers. Sparse rows are never standardised.",
    )
    add(
        "--rows",
        type=number(int, 20),
        metavar="N",
        help=f"Use at most N random rows in a run. Default: {POOL_ROWS:,} for learners "
        f"of a pool, {STREAM_ROWS:,} for learners of a stream.",
    )
    add = parser.add_argument_group("learning").add_argument
    add(
        "--learner",
        metavar="NAME[:param=value,...]",
        action="append",
        help="Compare this learner, with these parameters; classifiers of scikit-learn "
        "may be among them, as in 'MinMargin:estimator=SVC(C=10)'. May be repeated. "
        "Default: HybridSampling around LogisticRegression, in batches of 10, and "
        "GreedyOnline.",
    )
    add(
        "--scoring",
        metavar="NAME",
        help="Measure this score of scikit-learn (balanced_accuracy, f1_macro, "
        "average_precision, roc_auc, neg_log_loss, …), or NAME:CLASS for the recall, "
        "precision, f1, average_precision or roc_auc of one class. Default: the error, "
        "or the balanced error where one class has more than 70 %% of the labels.",
    )
    add(
        "--target-error",
        metavar="E",
        type=number(float, 0, 1),
        help="Also count the labels until the test error is at most E, from 0 to 1.",
    )
    add(
        "--find",
        metavar="LABEL",
        help="Instead, count the rows that must be read to find 95 %% and all of the "
        "rows with this label, if the likeliest rows are read first.",
    )
    add = parser.add_argument_group("runs").add_argument
    add(
        "--folds",
        type=number(int, 2),
        default=5,
        help="Number of folds of the cross-validation. Default: %(default)s.",
    )
    add(
        "--repeats",
        type=number(int, 1),
        help="Number of repeats of the cross-validation. Default: 1 to 4, by the size "
        "of the data.",
    )
    add(
        "--seed",
        type=number(int, 0, 2**32 - 1),
        default=0,
        help="Seed of the random numbers. Default: %(default)s.",
    )
    add(
        "--jobs",
        type=number(int, 1),
        default=-1,
        help="Number of processes. Default: one for each core.",
    )
    add(
        "--cache",
        metavar="FOLDER",
        help="Keep finished runs in this folder, so that the same command resumes "
        "after Ctrl-C. The files are pickles, which can run any code: do not use a "
        "folder from somebody else.",
    )
    add = parser.add_argument_group("results").add_argument
    add(
        "--details",
        action="store_true",
        help="Also print the settings, and the error for several numbers of labels.",
    )
    add(
        "--plot",
        metavar="FILE.png",
        type=Path,
        help="Draw the error against the number of labels, as .png, .pdf or .svg.",
    )
    add(
        "--json",
        metavar="FILE",
        nargs="?",
        const="-",
        help="Write JSON instead of the table, to FILE or the standard output.",
    )
    add("--csv", metavar="FILE", help="Also write the table as CSV.")


def start_compare(args):
    """Run ``compare``, once everything is checked that takes no time to check."""
    check_learners(*args.learner or ())
    check_outputs(args)
    check_input(args)
    tell(f"reading {args.data or 'digits of scikit-learn'}")
    kept = "no run is kept without --cache FOLDER"
    if args.cache:
        kept = f"finished runs are kept in {args.cache}, and the same command resumes"
    with interrupted_with(kept):
        from .compare import run_compare

        run_compare(args)


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
        require("--plot", "matplotlib")
    for option in ("--plot", "--json", "--csv"):
        path = getattr(args, option.removeprefix("--"))
        if path is not None and path != "-":
            check_output(option, Path(path))


def check_input(args):
    """Refuse names of columns without a table, and a file that is not there."""
    check_named_once(args)
    if args.find is not None:
        for option in ("scoring", "target_error"):
            if getattr(args, option) is not None:
                option = option.replace("_", "-")
                raise UsageError(f"--{option} does not go with --find")
    if args.data is not None:
        return check_exists(args.data)
    for option in ("target", "text", "categorical", "drop", "dates"):
        if getattr(args, option):
            raise UsageError(
                f"--{option} is about columns of a file: --data is missing"
            )
    return None
