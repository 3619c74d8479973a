"""Test errors of margin-loss samplers with the learning rate of least error.

Guillory, Chastain & Bilmes (2009), section 4: "tuning to minimize error" the paper
found that non-convex losses sometimes reach lower error rates, and prints no figures.
Data, learners and runs are those of `benchmarks.papers.margin_loss`. Each learner gets
the learning rate, a power of ten, with the least validation error after 10,000 labels,
or when it has stopped; with it, it is run on all training rows.

    python -m benchmarks.papers.margin_loss_errors [--data NAME] [--learner NAME]
        [--results DIR]
"""

from pathlib import Path

import numpy as np
from sklearn.base import clone

from benchmarks.options import at_least, parse
from benchmarks.results import Results, deviation, single_runs

from .margin_loss import DATA, LEARNERS, SEED, digits, least_error, runs, tuning_rows


def experiment(name, load, learners, args):
    """Yield a result for each learner on a data set, and its test errors.

    Gaps are to the hinge, in runs on the same rows.
    """
    X, y, X_test, y_test = load()
    hinge = None
    for learner_name, learner in learners.items():
        validation, rate = least_error(learner, None, tuning_rows(X, y), args)
        _, final, labels = runs(
            clone(learner).set_params(eta0=rate), (X, y, X_test, y_test),
            range(args.trials), args.jobs, every=args.limit, limit=args.limit,
        )  # fmt: skip
        hinge = final if hinge is None else hinge
        gap = np.subtract(final, hinge)
        row = {
            "data": name,
            "learner": learner_name,
            "eta0": rate,
            "validation_error": validation,
            "error": float(np.mean(final)),
            "std": deviation(final),
            "gap": float(gap.mean()),
            "gap_standard_error": float(gap.std(ddof=1) / np.sqrt(len(gap))),
            "labels": float(np.mean(labels)),
        }
        yield row, final


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        data=DATA,
        learner=LEARNERS,
        trials=at_least(2, 20),
        tuning_trials=at_least(1, 10),
        jobs=2,
        results=Path,
    )
    args.rates, args.limit = [10.0**k for k in range(-6, 3)], 10_000
    problems = {name: DATA[name] for name in args.data or DATA}
    names = dict.fromkeys(["hinge", *(args.learner or LEARNERS)])
    learners = {name: LEARNERS[name] for name in names}
    if args.quick:
        args.trials, args.tuning_trials, args.jobs, args.limit = 3, 2, 1, 300
        args.rates = [0.01, 0.1, 1.0]
        problems = {"digits-8vAll": digits}
    seeds = f"{SEED} to {SEED + args.trials - 1}"
    results = Results(args.results, "margin_loss_errors", argv, seeds)
    for name, load in problems.items():
        for row, final in experiment(name, load, learners, args):
            key = ["data", "learner"]
            each = single_runs(row, key, "error", final)
            results.write(
                "margin_loss_errors", [row], key=key, runs=args.trials, each=each
            )


if __name__ == "__main__":
    main()
