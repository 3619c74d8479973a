"""Monteleoni & Kääriäinen (2007): six samplers on seven OCR problems.

Labels needed to reach a test error (the paper's Figure 3), 5 permutations of
10-fold cross-validation, one pass, separators through the origin; every
parameter tuned on a separate holdout of 2,000 rows to need as few labels as
possible. Prints measured beside published figures. A run that never reaches
the target counts as every row it was offered; the mean over the runs that did
reach it stands beside that. With --reached a run that never
reaches the target does not count in tuning.

    python -m benchmarks.papers.ocr [--problem NAME] [--learner NAME] [--jobs 2]
        [--results DIR] [--reached] [--quick]
"""

import json
from pathlib import Path

import numpy as np
from sklearn.base import clone

from benchmarks import data
from benchmarks.options import at_least, parse
from benchmarks.results import Results, deviation, published, single_runs
from sklearn_activelearn import CBGZClassifier, DKMClassifier, RandomSamplingClassifier
from sklearn_activelearn.evaluation import label_curve, tune_labels_to_target

SEED = 0
PAPER = {"average": False, "fit_intercept": False, "shuffle": False}
RS = [1, 2, 4, 8, 16, 32]
BS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0]
ETAS = [0.3, 1.0, 3.0]

#: name: (learner, grid). eta0 matters for DKMperc only: a Perceptron that
#: starts at zero is the same at any scale, so "eta first, on the Perceptron"
#: decides nothing and eta0 is tuned together with R.
LEARNERS = {
    "DKM²": (DKMClassifier(update="dkm", **PAPER), {"R": RS}),
    "DKMperc": (DKMClassifier(**PAPER), {"R": RS, "eta0": ETAS}),
    "CBGZ_DKM": (CBGZClassifier(update="dkm", **PAPER), {"b": BS}),
    "CBGZperc": (CBGZClassifier(**PAPER), {"b": BS}),
    "randDKM": (RandomSamplingClassifier(1.0, update="dkm", **PAPER), {}),
    "randPerc": (RandomSamplingClassifier(1.0, **PAPER), {}),
}

#: name: (data set, digits taken, digits that are positive, target error)
ALL = tuple(range(10))
PROBLEMS = {
    "0v1": ("mnist", (0, 1), (0,), 0.01),
    "0vAll": ("mnist", ALL, (0,), 0.05),
    "4v7": ("mnist", (4, 7), (4,), 0.05),
    "6v9": ("mnist", (6, 9), (6,), 0.025),
    "147vAll": ("mnist", ALL, (1, 4, 7), 0.15),
    "USPS 0vAll": ("usps", ALL, (0,), 0.05),
    "USPS 147vAll": ("usps", ALL, (1, 4, 7), 0.10),
}

#: Mean and standard deviation.
PUBLISHED = published("figure_3")


def problem(name, n_rows, n_holdout, load=None):
    """Return rows and labels of a problem, and rows and labels of its holdout."""
    source, taken, positive, _ = PROBLEMS[name]
    X, y = (load or getattr(data, source))()
    rows = np.flatnonzero(np.isin(y, taken))
    rows = np.random.RandomState(SEED).permutation(rows)[: n_rows + n_holdout]
    X, y = X[rows], np.isin(y[rows], positive).astype(int)
    return X[n_holdout:], y[n_holdout:], X[:n_holdout], y[:n_holdout]


def tuned(name, learner, X, y, args):
    """Return the parameters that are best on the holdout."""
    base, grid = LEARNERS[learner]
    if args.quick:
        grid = {parameter: values[::4] for parameter, values in grid.items()}
    tuning = tune_labels_to_target(
        base,
        grid,
        X,
        y,
        error=PROBLEMS[name][3],
        cv=args.folds,
        n_jobs=args.jobs,
        random_state=SEED,
    )
    if not args.reached:
        return tuning.best_params
    means = [reached_mean(needed) for _, needed in tuning.results]
    return tuning.results[np.argmin(np.nan_to_num(means, nan=np.inf))][0]


def reached_mean(needed):
    """Return the mean labels of the runs that reached the target; NaN if none did."""
    reached = needed.labels[np.isfinite(needed.labels)]
    return reached.mean() if len(reached) else np.nan


def run(name, learner, sizes, args, load):
    """Return the row of a learner on a problem, and the labels of each run."""
    target = PROBLEMS[name][3]
    X, y, X_holdout, y_holdout = problem(name, *sizes, load)
    params = tuned(name, learner, X_holdout, y_holdout, args)
    curve = label_curve(
        clone(LEARNERS[learner][0]).set_params(**params),
        X,
        y,
        cv=args.folds,
        n_repeats=args.repeats,
        n_jobs=args.jobs,
        until=target,
        random_state=SEED + 1,
    )
    needed = curve.labels_to_target(target)
    mean, std = PUBLISHED[name, learner]
    reached = needed.labels[np.isfinite(needed.labels)]
    row = {"problem": name, "target_error": target, "learner": learner}
    row |= {"parameters": json.dumps(params), "labels": reached_mean(needed)}
    row |= {"labels_std": deviation(reached), "failed": needed.n_failed}
    row |= {"labels_counting_failures": needed.mean}
    return row | {"published": mean, "published_std": std}, needed.labels


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        quick={"repeats": 1, "folds": 2, "problem": ["0v1"]},
        jobs=2,
        repeats=at_least(1, 5),
        folds=at_least(2, 10),
        problem=PROBLEMS,
        learner=LEARNERS,
        reached=False,
        results=Path,
    )
    sizes, load = (10_000, 2_000), None
    if args.quick:
        sizes, load = (300, 100), data.digits
    results = Results(args.results, "ocr", argv, SEED)
    table, key = "ocr_reached" if args.reached else "ocr", ["problem", "learner"]
    for name in args.problem or PROBLEMS:
        for learner in args.learner or LEARNERS:
            row, labels = run(name, learner, sizes, args, load)
            each = single_runs(row, key, "labels", labels)
            results.write(table, [row], key=key, runs=len(labels), each=each)


if __name__ == "__main__":
    main()
