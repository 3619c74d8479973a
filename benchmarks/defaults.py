"""Choice of the defaults of the stream learners.

Every setting meets the seven OCR problems and the ten-class digits untuned, with
the package's other defaults; grey values are in [0, 1]. Columns, each a
geometric mean over problems, relative to passive learning with the same update
(the Perceptron for the margin losses), smaller is better:

to target   labels needed to reach the problem's target error, a run that never
            does counted as every row offered, over the same for passive learning
at the end  labels bought over the labels from which passive learning is, on
            average, as good as the learner at the end of its pass
bought      share of the labels on offer that was bought
error       at the end, over that of passive learning with all labels
failed      share of runs that never reached the target

    python -m benchmarks.defaults [--only MarginLoss] [--jobs 2] [--quick]
"""

import numpy as np

from benchmarks import data
from benchmarks.options import parse
from benchmarks.papers.ocr import PROBLEMS, problem
from benchmarks.runner import quiet_curve
from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
)

SEED = 2
COUNTS = np.r_[1:100:2, 100:500:10, 500:4_000:50]
SETTINGS = (
    [DKMClassifier(R=R) for R in (4, 8, 16, 32, 64)]
    + [DKMClassifier(R=R, eta0=0.5) for R in (8, 16, 32)]
    + [DKMClassifier(R=R, update="dkm") for R in (8, 16, 32, 64)]
    + [CBGZClassifier(b=b) for b in (0.03, 0.1, 0.2, 0.3, 0.5, 1.0, "adaptive")]
    + [CBGZClassifier(b=b, update="dkm") for b in (0.1, 0.3)]
    + [RandomSamplingClassifier(rate=rate) for rate in (0.1, 0.2, 0.3, 0.5)]
    + [
        MarginLossClassifier(loss, eta0=eta0)
        for loss in ("log_ramp", "root_ramp", "ramp", "sigmoid")
        for eta0 in (1.0, 0.1, 0.01)
    ]
    + [MarginLossClassifier(average=False)]
    + [GreedyOnlineClassifier(eta0=eta0) for eta0 in (1.0, 0.1, 0.01)]
    + [
        RLSSamplingClassifier(lam, variant=variant)
        for variant in ("current", "mistake", "next")
        for lam in (10.0, 30.0, 100.0, 300.0, 1e3, 1e4)
    ]
    + [
        SOLEClassifier(b, a=a)
        for a in (0.1, 1.0)
        for b in (0.003, 0.01, 0.03, 0.1, 0.3)
    ]
    + [SecondOrderPerceptronClassifier(a) for a in (0.1, 1.0)]
)


def measure(learner, X, y, args):
    """Return the curve of one learner on one problem."""
    how = {"cv": 5, "n_repeats": args.repeats, "at": COUNTS, "random_state": SEED}
    return quiet_curve(learner, X, y, jobs=args.jobs, **how)


def compare(curve, passive, target):
    """Return the five columns for one problem."""
    needed = curve.labels_to_target(target)
    error, bought = 1 - curve.final_scores.mean(), curve.n_bought.mean()
    offered = curve.n_offered.mean()
    return (
        needed.mean / passive.labels_to_target(target).mean,
        bought / min(passive.labels_for(error), offered),
        bought / offered,
        max(error, 1e-9) / max(1 - passive.final_scores.mean(), 1e-9),
        max(needed.n_failed / len(needed.labels), 1e-9),
    )


def main():
    args = parse(__doc__, jobs=2, repeats=1, only="")
    settings = [row for row in SETTINGS if args.only in type(row).__name__]
    n_rows, load = 4_000, None
    if args.quick:
        n_rows, load, settings = 150, data.digits, settings[::32]
    sets = {
        name: (*problem(name, n_rows, 2_000 if not args.quick else 0, load)[:2], row[3])
        for name, row in PROBLEMS.items()
    }
    X, y = data.digits()
    sets["digits"] = (X[:n_rows], y[:n_rows], 0.10)
    print(f"{n_rows} rows each or all there are, {args.repeats} x 5 folds, seed {SEED}")
    passive = {
        (name, update): measure(
            RandomSamplingClassifier(rate=1.0, update=update), X, y, args
        )
        for name, (X, y, _) in sets.items()
        for update in ("perceptron", "dkm")
    }
    print(f"{'':50} to target, at the end, bought, error, failed; to target each of:")
    print(", ".join(sets))
    for learner in settings:
        rows = np.array(
            [
                compare(
                    measure(learner, X, y, args),
                    passive[name, getattr(learner, "update", "perceptron")],
                    target,
                )
                for name, (X, y, target) in sets.items()
            ]
        )
        means = np.exp(np.log(rows).mean(axis=0))
        print(
            f"{learner!s:50} {means[0]:.2f} {means[1]:.2f} {means[2]:.0%} "
            f"{means[3]:.2f} {rows[:, 4].mean():.0%}  "
            f"[{' '.join(f'{ratio:.2f}' for ratio in rows[:, 0])}]",
            flush=True,
        )


if __name__ == "__main__":
    main()
