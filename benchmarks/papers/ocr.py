"""Monteleoni & Kääriäinen (2007): six samplers on seven OCR problems.

Labels needed to reach a test error (the paper's Figure 3), 5 permutations of
10-fold cross-validation, one pass, separators through the origin; every
parameter tuned on a separate holdout of 2,000 rows to need as few labels as
possible. Prints measured beside published figures. A run that never reaches
the target counts as every row it was offered; the mean over the runs that did
reach it stands beside that. With --sweep nothing is tuned: every setting runs on
the problem itself, to show what the holdout's choice cost. With --reached a run that
never reaches the target does not count in tuning.

    python -m benchmarks.papers.ocr [--problem NAME] [--learner NAME] [--jobs 2]
        [--results DIR] [--sweep] [--reached] [--quick]
"""

import json
import time

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from sklearn_activelearn import CBGZClassifier, DKMClassifier, RandomSamplingClassifier
from sklearn_activelearn.evaluation import (
    label_curve,
    tune_labels_to_target,
)

from . import data
from ._results import Results, deviation, parser_of, published
from ._trials import at_least

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
    """Return rows and labels of a problem, and those of its holdout."""
    source, taken, positive, _ = PROBLEMS[name]
    X, y = (load or getattr(data, source))()
    rows = np.flatnonzero(np.isin(y, taken))
    rows = np.random.RandomState(SEED).permutation(rows)[: n_rows + n_holdout]
    X, y = X[rows], np.isin(y[rows], positive).astype(int)
    return X[n_holdout:], y[n_holdout:], X[:n_holdout], y[:n_holdout]


def settings(name, learner, X, y, args):
    """Yield the settings to run: the one tuned on the holdout, or all of them."""
    base, grid = LEARNERS[learner]
    if args.sweep:
        yield from ParameterGrid(grid)
        return
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
    if args.reached:
        means = [reached_mean(needed) for _, needed in tuning.results]
        yield tuning.results[np.argmin(np.nan_to_num(means, nan=np.inf))][0]
    else:
        yield tuning.best_params


def reached_mean(needed):
    """Return the mean labels of the runs that reached the target; NaN if none did."""
    reached = needed.labels[np.isfinite(needed.labels)]
    return reached.mean() if len(reached) else np.nan


def run(name, learner, sizes, args, load):
    """Count the labels of one learner on one problem, for each setting to run."""
    target = PROBLEMS[name][3]
    X, y, X_holdout, y_holdout = problem(name, *sizes, load)
    for params in settings(name, learner, X_holdout, y_holdout, args):
        started = time.perf_counter()
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
        yield {
            "problem": name,
            "learner": learner,
            "params": params,
            "mean": needed.mean,
            "std": needed.std,
            "reached_mean": reached_mean(needed),
            "reached_std": deviation(reached),
            "failed": needed.n_failed,
            "each": needed.labels,
            "runs": len(needed.labels),
            "published_mean": mean,
            "published_std": std,
            "within_one_std": bool(len(reached) and abs(reached.mean() - mean) <= std),
            "seconds": time.perf_counter() - started,
        }


def table_row(r):
    """Return what the results file holds of a result."""
    return {
        "problem": r["problem"],
        "target_error": PROBLEMS[r["problem"]][3],
        "learner": r["learner"],
        "parameters": json.dumps(r["params"]),
        "labels": r["reached_mean"],
        "labels_std": r["reached_std"],
        "failed": r["failed"],
        "labels_counting_failures": r["mean"],
        "published": r["published_mean"],
        "published_std": r["published_std"],
    }


def describe(r):
    """Return a result as one line."""
    reached = "     never     "
    if np.isfinite(r["reached_mean"]):
        reached = f"{r['reached_mean']:6.1f} ± {r['reached_std']:5.1f}"
    return (
        f"  {r['learner']:9}{reached}{' ' if r['within_one_std'] else '*'} published "
        f"{r['published_mean']:5.1f} ± {r['published_std']:5.1f}, failed "
        f"{r['failed']}/{r['runs']}, counted {r['mean']:.1f} ± {r['std']:.1f}, "
        f"{r['params']}, {r['seconds']:.0f} s"
    )


def main(argv=None):
    parser = parser_of(__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeats", type=at_least(1), default=5)
    parser.add_argument("--folds", type=at_least(2), default=10)
    parser.add_argument("--problem", action="append", choices=PROBLEMS)
    parser.add_argument("--learner", action="append", choices=LEARNERS)
    parser.add_argument("--sweep", action="store_true", help="run all, tune nothing")
    parser.add_argument(
        "--reached", action="store_true", help="tune on runs that reached the target"
    )
    args = parser.parse_args(argv)
    sizes, load = (10_000, 2_000), None
    if args.quick:
        args.repeats, args.folds = 1, 2
        sizes, load = (300, 100), data.digits
        args.problem = ["0v1", "147vAll"]
        for _, grid in LEARNERS.values():
            grid.update({name: values[::4] for name, values in grid.items()})
    print(__doc__.splitlines()[0])
    print(
        f"{sizes[0]} rows or all there are, {args.repeats} x {args.folds} folds; tuned "
        f"on {sizes[1]} others, 1 x {args.folds} folds; seed {SEED}.\nLabels to the "
        "target, mean ± std over the runs that reached it, runs that failed, mean with "
        "failures\ncounted as every row offered; * = outside published mean ± std."
    )
    results = Results(args.results, "ocr", argv, SEED)
    table, key = "ocr", ["problem", "learner"]
    if args.sweep:
        table, key = "ocr_sweep", [*key, "parameters"]
    elif args.reached:
        table = "ocr_reached"
    for name in args.problem or PROBLEMS:
        print(f"\n{name}, target error {PROBLEMS[name][3]}")
        for learner in args.learner or LEARNERS:
            for r in run(name, learner, sizes, args, load):
                print(describe(r), flush=True)
                row = table_row(r)
                each = [
                    {column: row[column] for column in key} | {"run": k, "labels": n}
                    for k, n in enumerate(r["each"])
                ]
                results.write(table, [row], key=key, runs=r["runs"], each=each)


if __name__ == "__main__":
    main()
