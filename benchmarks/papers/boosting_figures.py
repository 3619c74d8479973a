"""Wang, Song & Zhang (2009): the cost while labels come in, and learning curves.

Draws Figure 1: the cost C_{S_n} of ASSL-Boost, which begins again for each label, over
all its steps and at the end of each, and that of FASSL-Boost, which goes on; twonorm, a
pool of 400 rows, 20 to 120 labels. With the folder that
`benchmarks.papers.boosting --cache DIR` filled, also Figures 3 and 4 (benchmarks) and 6
and 7 (digits), and Figure 2 if it was run with --alphas.

    python -m benchmarks.papers.boosting_figures [--cache DIR] [--out DIR] [--quick]
"""

import argparse
import json
from pathlib import Path

import matplotlib as mpl
import numpy as np

from sklearn_activelearn import ASSLBoostClassifier, FASSLBoostClassifier
from sklearn_activelearn.datasets import make_twonorm
from sklearn_activelearn.pool.boosting._cost import UNLABELLED, BoostingCost

from .boosting import (
    ALPHAS,
    BENCHMARKS,
    DIGIT_SHARES,
    METHODS,
    PAIRS,
    SHARES,
)

mpl.use("Agg")
from matplotlib import pyplot as plt

STYLE = {
    "RBoost": "0.5", "QBB": "C0", "COMB": "C1", "FASSL": "C3", "shrunk FASSL": "C4",
}  # fmt: skip


def save(figure, out):
    figure.savefig(out, dpi=110)
    plt.close(figure)
    print(f"wrote {out}")


def costs_in_steps(learner, X, y):
    """Return the cost after each step of all committees that ASSL-Boost makes."""
    labels, costs = np.full(len(y), UNLABELLED), []

    def look():
        cost = BoostingCost(labels, learner.alpha)
        stages = learner.estimator_.staged_decision_function(X)
        costs.extend(cost(scores) for scores in stages)

    def oracle(rows):
        if np.any(labels != UNLABELLED):
            look()
        labels[rows] = y[rows]
        return y[rows]

    learner.learn(X, oracle, classes=[-1, 1])
    look()
    return costs


def figure_1(n_rows, first, last, out):
    X, y = make_twonorm(n_rows, random_state=0)
    params = {"n_initial": first, "budget": last, "random_state": 0}
    anew = ASSLBoostClassifier(**params)
    steps = costs_in_steps(anew, X, y)
    grown = FASSLBoostClassifier(**params).fit(X, y)
    curves = [
        ("(a) ASSL-Boost, all steps", steps),
        ("(b) ASSL-Boost, last step before each query", anew.cost_curve_),
        ("(c) FASSL-Boost", grown.cost_curve_),
    ]
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.5), layout="constrained")
    for axis, (title, costs) in zip(axes, curves, strict=True):
        axis.plot(costs)
        axis.set(title=title, xlabel="steps" if "steps" in title else "queries")
        axis.set_yscale("log")
        print(f"{title}: {len(costs)} costs, last {costs[-1]:.2g}")
    axes[0].set_ylabel("cost")
    save(figure, out)


def stored(folder, name, method):
    """Return the curves in the folder, an array (n_splits, 2, n_shares), or None."""
    files = sorted(Path(folder).glob(f"{name}-{method}-*.json"))
    return np.array([json.loads(f.read_text()) for f in files]) if files else None


def learning_curves(folder, names, shares, which, title, out):
    figure, axes = plt.subplots(2, 3, figsize=(12, 7), layout="constrained")
    for axis, name in zip(axes.flat, names, strict=True):
        for method in METHODS:
            curves = stored(folder, name, method)
            if curves is not None:
                label = f"{method} ({len(curves)})"
                mean = curves[:, which].mean(axis=0)
                axis.plot(100 * shares, 100 * mean, STYLE[method], label=label)
        axis.set(title=name, xlabel="% labelled", ylabel="error in %")
        axis.grid(alpha=0.3)
        if axis.lines:
            axis.legend()
    figure.suptitle(title)
    save(figure, out)


def figure_2(folder, out):
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for k, alpha in enumerate(ALPHAS):
        curves = stored(folder, "twonorm", f"alpha={alpha}")
        if curves is None:
            return
        for axis, which in zip(axes, (0, 1), strict=True):
            mean = curves[:, which].mean(axis=0)
            axis.plot(100 * SHARES, 100 * mean, color=f"C{k}", label=f"α = {alpha}")
    for axis, title in zip(axes, ("transductive", "inductive"), strict=True):
        axis.set(title=title, xlabel="% labelled", ylabel="error in %")
        axis.legend()
    save(figure, out)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", metavar="DIR")
    parser.add_argument("--out", default=".", type=Path)
    parser.add_argument("--quick", action="store_true", help="toy size, seconds")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    print(__doc__.splitlines()[0])
    size = (100, 10, 20) if args.quick else (400, 20, 120)
    figure_1(*size, args.out / "boosting_cost.png")
    if not args.cache:
        return
    figure_2(args.cache, args.out / "boosting_alpha.png")
    panels = [("benchmarks", BENCHMARKS, SHARES), ("digits", PAIRS, DIGIT_SHARES)]
    for what, names, shares in panels:
        for which, kind in enumerate(("transductive", "inductive")):
            out = args.out / f"boosting_{what}_{kind}.png"
            learning_curves(args.cache, names, shares, which, kind, out)


if __name__ == "__main__":
    main()
