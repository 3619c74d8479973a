"""The picture of the README: labels bought against error on MNIST.

Left: learners that see each of the 60,000 training images once, in random order,
and decide at once. Linear models on grey values. Right: learners that choose from
a pool of 10,000 of them, 100 at a time. An SVC with an RBF kernel on 50 principal
components, which are found without labels. Errors on the 10,000 test images; lines
are means over orders of the rows, bands their range. Parameters are the defaults, but
for C, which was not tuned either.

    python -m benchmarks.mnist_picture [--out FILE] [--jobs 2] [--quick]
"""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import NullFormatter, StrMethodFormatter
from sklearn.decomposition import PCA
from sklearn.svm import SVC

from benchmarks import data
from benchmarks.drawing import save
from benchmarks.options import parse
from sklearn_activelearn import (
    CBGZClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    RandomSamplingClassifier,
)
from sklearn_activelearn.evaluation import label_curve

SEED = 0
N_TRAIN, N_POOL, N_COMPONENTS = 60_000, 10_000, 50
BUDGET, BATCH = 2_000, 100

STREAM = {
    "every label (Perceptron)": (RandomSamplingClassifier(rate=1.0), "0.35"),
    "every label (hinge)": (MarginLossClassifier("hinge"), "0.65"),
    "CBGZClassifier": (CBGZClassifier(), "#D55E00"),
    "GreedyOnlineClassifier": (GreedyOnlineClassifier(), "#009E73"),
    "MarginLossClassifier": (MarginLossClassifier(), "#0072B2"),
}
POOL = {
    "random labels (PassiveClassifier)": (PassiveClassifier, "0.35"),
    "MinMarginClassifier": (MinMarginClassifier, "#0072B2"),
}


def draw(axis, curve, **style):
    """Draw the mean error up to the mean number of labels, and the runs' range."""
    end = curve.n_bought.mean()
    shown = curve.n_labels < end
    n_labels = np.append(curve.n_labels[shown], end)
    scores = np.column_stack([curve.carried_scores[:, shown], curve.final_scores])
    errors = 100 * (1 - scores)
    band = errors.min(axis=0), errors.max(axis=0)
    axis.fill_between(n_labels, *band, color=style["color"], alpha=0.15, lw=0)
    axis.plot(n_labels, errors.mean(axis=0), lw=1.8, **style)
    error = errors[:, -1].mean()
    axis.plot(end, error, "o", color=style["color"], ms=5)
    print(f"{style['label']:34} {end:6.0f} labels, error {error:.2f} %", flush=True)


def finish(axis, title, ticks):
    """Name the axes; error and labels grow by ratios."""
    axis.set(xscale="log", yscale="log", title=title)
    axis.set(xlabel="labels bought", ylabel="test error in %")
    axis.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.yaxis.set_minor_formatter(NullFormatter())
    axis.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.grid(alpha=0.25)
    axis.legend(frameon=False, fontsize=9)


def main():
    args = parse(__doc__, jobs=2, repeats=3, out="mnist_picture.png")
    n_train, n_pool, budget, load = N_TRAIN, N_POOL, BUDGET, data.mnist
    if args.quick:
        n_train, n_pool, budget, load = 1_200, 400, 200, data.digits
        args.jobs, args.repeats = 1, 2
    X, y = load()
    X = X.astype(np.float32)
    rows = np.arange(len(X))
    runs = {"n_repeats": args.repeats, "n_jobs": args.jobs, "random_state": SEED}
    print(f"{args.repeats} orders of the rows, seed {SEED}")

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    at = np.unique(np.geomspace(20, n_train, 60).astype(int))
    split = [(rows[:n_train], rows[n_train:])]
    for label, (learner, color) in STREAM.items():
        curve = label_curve(learner, X, y, cv=split, at=at, **runs)
        draw(left, curve, label=label, color=color)
    finish(left, f"one pass over {n_train:,} images, linear", [10, 15, 20, 30, 50])

    components = PCA(N_COMPONENTS, random_state=SEED).fit(X[:n_train])
    X = components.transform(X).astype(np.float64)
    pool = np.random.default_rng(SEED).permutation(n_train)[:n_pool]
    at = np.arange(BATCH, budget + 1, BATCH)
    for label, (learner, color) in POOL.items():
        learner = learner(SVC(C=10.0), n_initial=BATCH, batch_size=BATCH, budget=budget)
        curve = label_curve(learner, X, y, cv=[(pool, rows[n_train:])], at=at, **runs)
        draw(right, curve, label=label, color=color)
    finish(right, f"a pool of {n_pool:,} images, SVC", [2, 3, 5, 10, 20, 30, 50])

    save(figure, args.out)


if __name__ == "__main__":
    main()
