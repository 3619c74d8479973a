"""The picture of the guide to second order: labels against time.

One pass over images of MNIST, 0 against the rest, linear separators with default
parameters. Left: test error against labels bought, up to where each learner's own
asking ends. Right: labels until the test error is at most the target, against the
microseconds that `partial_fit` takes for a row, both means over orders of the rows
(a run that never gets there counts all it was offered).

    python -m benchmarks.second_order_picture [--out FILE] [--repeats 5] [--quick]
"""

import time

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import NullFormatter
from sklearn.base import clone

from benchmarks import data
from benchmarks.drawing import save
from benchmarks.mnist_picture import draw, finish
from benchmarks.options import parse
from sklearn_activelearn import (
    CBGZClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
)
from sklearn_activelearn.evaluation import label_curve

SEED = 0
N_TRAIN, N_TEST, TARGET = 12_000, 10_000, 0.015
COUNTS = [100, 200, 300, 500, 1_000, 2_000]

LEARNERS = {
    "CBGZClassifier": (CBGZClassifier(), "#D55E00"),
    "GreedyOnlineClassifier": (GreedyOnlineClassifier(), "#E69F00"),
    "MarginLossClassifier": (MarginLossClassifier(), "#CC79A7"),
    "SecondOrderPerceptron": (SecondOrderPerceptronClassifier(), "0.5"),
    "SOLEClassifier": (SOLEClassifier(), "#009E73"),
    "RLSSamplingClassifier": (RLSSamplingClassifier(), "#0072B2"),
    "RLS, mistakes": (RLSSamplingClassifier(3_000.0, variant="mistake"), "#56B4E9"),
}


def seconds_per_row(learner, X, y, n_rounds):
    """Return the least time of a pass, divided by its rows."""
    times = []
    for seed in range(n_rounds):
        order = np.random.default_rng(seed).permutation(len(y))
        rows, labels = X[order], y[order]
        fresh = clone(learner).set_params(random_state=seed)
        started = time.perf_counter()
        fresh.partial_fit(rows, labels, classes=[False, True])
        times.append(time.perf_counter() - started)
    return min(times) / len(y)


def main():
    args = parse(__doc__, repeats=5, out="second_order_picture.png")
    n_train, n_test, target, load = N_TRAIN, N_TEST, TARGET, data.mnist
    if args.quick:
        n_train, n_test, target, load = 600, 300, 0.03, data.digits
        args.repeats = 2
    X, y = load()
    drawn = np.random.default_rng(SEED).permutation(len(y))[: n_train + n_test]
    X, y = np.ascontiguousarray(X[drawn], dtype=np.float32), y[drawn] == 0
    split = [(np.arange(n_train), np.arange(n_train, n_train + n_test))]
    at = np.unique(np.geomspace(10, n_train, 80).astype(int))
    print(f"{args.repeats} orders of {n_train} rows, seed {SEED}; target {target:.1%}")
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    for label, (learner, color) in LEARNERS.items():
        curve = label_curve(
            learner, X, y, cv=split, at=at, n_repeats=args.repeats, random_state=SEED
        )
        draw(left, curve, label=label, color=color)
        reached = [
            n[np.argmax(run >= 1 - target)] if np.any(run >= 1 - target) else n_train
            for n, run in ((curve.n_labels, run) for run in curve.carried_scores)
        ]
        labels = np.mean(reached)
        price = 1e6 * seconds_per_row(learner, X[:n_train], y[:n_train], args.repeats)
        right.plot(price, labels, "o", color=color, ms=9)
        name = label.removesuffix("Classifier")
        right.annotate(name, (price, labels), (6, 5), textcoords="offset points")
        print(f"{'':34} {labels:6.0f} labels to the target, {price:.1f} µs a row")
    finish(left, f"one pass over {n_train:,} images, 0 or not", [1, 1.5, 2, 3, 5, 10])
    right.set(xscale="log", yscale="log", xlabel="µs a row")
    right.set(ylabel=f"labels until the error is {target:.1%}", title="labels or time")
    right.margins(x=0.3, y=0.1)
    for axis, ticks in ((right.xaxis, [0.3, 1, 3, 10]), (right.yaxis, COUNTS)):
        axis.set_ticks(ticks, [f"{tick:,}" for tick in ticks])
        axis.set_minor_formatter(NullFormatter())
    right.grid(alpha=0.25)
    save(figure, args.out)


if __name__ == "__main__":
    main()
