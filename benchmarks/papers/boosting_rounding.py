"""Wang, Song & Zhang (2009): how much of an error the last bits of weights decide.

Where few rows are labelled many stumps are equally good, and which one is taken can
hang on the last bit of a weight: on the library of mathematics, the compiler, the
processor. Errors as in `benchmarks.papers.boosting` on twonorm, as they are and with
each weight changed by -1, 0 or 1 part in 10¹⁵, at random.

    python -m benchmarks.papers.boosting_rounding [--rounds 5] [--splits 20]
        [--results DIR] [--quick]
"""

from pathlib import Path
from unittest import mock

import numpy as np
from joblib import Parallel, delayed

from benchmarks.options import at_least, parse
from benchmarks.results import Results
from sklearn_activelearn.pool.boosting._committee import BoostingCost

from .boosting import KINDS, curve, methods_with, problem

COMPARED = ("QBB", "COMB", "FASSL")


def errors(method, rows, split, seed):
    """Return the mean errors of a split in per cent; with seed 0 weights stay."""
    rng, weights = np.random.default_rng((seed, split)), BoostingCost.weights

    def nearly(cost, *args):
        exact = weights(cost, *args)
        return exact * (1 + 1e-15 * rng.integers(-1, 2, exact.shape))

    with mock.patch.object(BoostingCost, "weights", nearly if seed else weights):
        found = curve(methods_with("error")[method], *rows, split)
    return 100 * np.mean(found, axis=1)


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        quick={"rounds": 2, "splits": 2, "jobs": 1},
        rounds=at_least(2, 5),
        splits=at_least(2, 20),
        jobs=2,
        results=Path,
    )
    results = Results(
        args.results, "boosting_rounding", argv, f"0 to {args.splits - 1}"
    )
    rows = problem("twonorm", args.quick)
    print(f"{args.splits} splits, {args.rounds} rounds with changed weights")
    for method in COMPARED:
        found = Parallel(args.jobs)(
            delayed(errors)(method, rows, split, seed)
            for seed in range(args.rounds + 1)
            for split in range(args.splits)
        )
        means = np.reshape(found, (args.rounds + 1, args.splits, -1)).mean(axis=1)
        lines = [
            {
                "method": method,
                "kind": kind,
                "as_is": of[0],
                "changed": of[1:].mean(),
                "std": of[1:].std(ddof=1),
                "least": of[1:].min(),
                "most": of[1:].max(),
            }
            for kind, of in zip(KINDS, means.T, strict=True)
        ]
        key = ("method", "kind")
        results.write("boosting_rounding", lines, key=key, runs=args.rounds)


if __name__ == "__main__":
    main()
