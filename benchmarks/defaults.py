"""How the defaults of the first-order samplers were chosen.

Every setting meets the seven OCR problems and the ten-class digits untuned, with
the package's other defaults (intercept, unit rows, averaged weights). For each
problem: labels needed to reach its target, failures counted as every row
offered, relative to passive learning with the same update; then the geometric
mean over problems. Also the labels bought and the error at the end of the pass,
relative to passive learning that buys every label.

    python -m benchmarks.defaults [--jobs 2] [--quick]
"""

import argparse

import numpy as np

from benchmarks import data
from benchmarks.papers.ocr import PROBLEMS, problem
from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    RandomSamplingClassifier,
)
from sklearn_activelearn.evaluation import label_curve, labels_to_target

SEED = 2
COUNTS = np.r_[1:100:2, 100:500:10, 500:4_000:50]
SETTINGS = (
    [DKMClassifier(R=R) for R in (4, 8, 16, 32, 64)]
    + [DKMClassifier(R=R, eta0=0.5) for R in (8, 16, 32)]
    + [DKMClassifier(R=R, update="dkm") for R in (8, 16, 32, 64)]
    + [CBGZClassifier(b=b) for b in (0.03, 0.1, 0.2, 0.3, 0.5, 1.0, "adaptive")]
    + [CBGZClassifier(b=b, update="dkm") for b in (0.1, 0.3)]
    + [RandomSamplingClassifier(rate=rate) for rate in (0.1, 0.2, 0.3, 0.5)]
)


def measure(learner, X, y, target, args):
    """Return labels to the target, labels bought, final error and failures."""
    curve = label_curve(
        learner,
        X,
        y,
        cv=5,
        n_repeats=args.repeats,
        n_jobs=args.jobs,
        at=COUNTS,
        random_state=SEED,
    )
    needed = labels_to_target(curve, target)
    failed = needed.n_failed / len(needed.labels)
    bought = curve.n_bought.mean() / curve.n_offered.mean()
    return needed.mean, bought, 1 - curve.final_scores.mean(), failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="bundled digits, seconds")
    args = parser.parse_args()
    n_rows, load, settings = 4_000, None, SETTINGS
    if args.quick:
        n_rows, load, settings = 300, data.digits, SETTINGS[::6]
    sets = {
        name: (*problem(name, n_rows, 2_000 if not args.quick else 0, load)[:2], row[3])
        for name, row in PROBLEMS.items()
    }
    X, y = data.digits()
    sets["digits"] = (X[:n_rows], y[:n_rows], 0.10)
    print(__doc__.splitlines()[0])
    print(f"{n_rows} rows each or all there are, {args.repeats} x 5 folds, seed {SEED}")
    passive = {
        (name, update): measure(
            RandomSamplingClassifier(rate=1.0, update=update), *problem_, args
        )
        for name, problem_ in sets.items()
        for update in ("perceptron", "dkm")
    }
    print("labels to target / passive: " + ", ".join(sets))
    for learner in settings:
        rows = []
        for name, problem_ in sets.items():
            needed, bought, error, failed = measure(learner, *problem_, args)
            base_needed, _, base_error, _ = passive[name, learner.update]
            rows.append((needed / base_needed, bought, error / base_error, failed))
        needed, bought, error, failed = np.array(rows).T
        print(
            f"{learner!s:55} labels {np.exp(np.log(needed).mean()):.2f} "
            f"bought {bought.mean():.0%} final error {np.exp(np.log(error).mean()):.2f}"
            f" failed {failed.mean():.0%}  [{' '.join(f'{r:.2f}' for r in needed)}]",
            flush=True,
        )


if __name__ == "__main__":
    main()
