"""Test errors of margin-loss samplers with the learning rate of least error.

Guillory, Chastain & Bilmes (2009), section 4: "tuning to minimize error" the paper
found that non-convex losses sometimes reach lower error rates, and prints no figures.
Data, learners and runs are those of `benchmarks.papers.margin_loss`. Each learner gets
the learning rate, a power of ten, with the least validation error after 10,000 labels,
or when it has stopped; with it, it is run on all training rows. Gaps are to the hinge,
in runs on the same rows.

    python -m benchmarks.papers.margin_loss_errors [--data NAME] [--learner NAME]
        [--results DIR]
"""

from pathlib import Path

import numpy as np
from sklearn.base import clone

from benchmarks.options import at_least, parse
from benchmarks.results import Results, deviation, single_runs

from .margin_loss import DATA, LEARNERS, SEED, digits, least_error, runs, tuning_rows


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        {"trials": 3, "tuning_trials": 2, "jobs": 1},
        data=DATA,
        learner=LEARNERS,
        trials=at_least(2, 20),
        tuning_trials=at_least(1, 10),
        jobs=2,
        results=Path,
    )
    args.rates, args.limit = [10.0**k for k in range(-6, 3)], 10_000
    problems = {name: DATA[name] for name in args.data or DATA}
    if args.quick:
        args.rates, args.limit = [0.01, 0.1, 1.0], 300
        problems = {"digits-8vAll": digits}
    seeds = f"{SEED} to {SEED + args.trials - 1}"
    results = Results(args.results, "margin_loss_errors", argv, seeds)
    for name, load in problems.items():
        X, y, X_test, y_test = load()
        hinge = None
        for learner in dict.fromkeys(["hinge", *(args.learner or LEARNERS)]):
            validation, rate = least_error(LEARNERS[learner], tuning_rows(X, y), args)
            _, final, labels = runs(
                clone(LEARNERS[learner]).set_params(eta0=rate), (X, y, X_test, y_test),
                range(args.trials), args.jobs, every=args.limit, limit=args.limit,
            )  # fmt: skip
            hinge = final if hinge is None else hinge
            gap = np.subtract(final, hinge)
            row = {
                "data": name,
                "learner": learner,
                "eta0": rate,
                "validation_error": validation,
                "error": np.mean(final),
                "std": deviation(final),
                "gap": gap.mean(),
                "gap_standard_error": deviation(gap) / np.sqrt(len(gap)),
                "labels": np.mean(labels),
            }
            key = ["data", "learner"]
            each = single_runs(row, key, "error", final)
            results.write(
                "margin_loss_errors", [row], key=key, runs=args.trials, each=each
            )


if __name__ == "__main__":
    main()
