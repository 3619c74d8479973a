"""Wang, Song & Zhang (2009): the cost while labels come in, and learning curves.

Draws Figure 1: the cost C_{S_n} of ASSL-Boost, which begins again for each label, over
all its steps and at the end of each, and that of FASSL-Boost, which goes on; twonorm, a
pool of 400 rows, 20 to 120 labels. From the files that
`benchmarks.papers.boosting --results DIR` wrote, also Figures 3 and 4 (benchmarks) and
6 and 7 (digits), and Figure 2 if it was run with --alphas.

    python -m benchmarks.papers.boosting_figures [DIR] [--out DIR] [--quick]
"""

import argparse
from pathlib import Path

import numpy as np

from sklearn_activelearn import ASSLBoostClassifier, FASSLBoostClassifier
from sklearn_activelearn.datasets import make_twonorm
from sklearn_activelearn.pool.boosting._cost import UNLABELLED, BoostingCost

from ._drawing import save, subplots
from ._results import by, column, read
from .boosting import BENCHMARKS, KINDS, PAIRS

STYLE = {
    "RBoost": "0.5", "QBB": "C0", "COMB": "C1", "FASSL": "C3", "FASSL from 1": "C2",
    "shrunk FASSL": "C4",
}  # fmt: skip


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
    figure, axes = subplots(1, 3, figsize=(12, 3.5))
    for axis, (title, costs) in zip(axes.flat, curves, strict=True):
        axis.plot(costs)
        axis.set(title=title, xlabel="steps" if "steps" in title else "queries")
        axis.set_yscale("log")
        print(f"{title}: {len(costs)} costs, last {costs[-1]:.2g}")
    axes[0, 0].set_ylabel("cost")
    save(figure, out)


def draw_curves(axis, rows, colors):
    """Draw a line for each method; labels and errors in %."""
    for method, points in by(rows, "method").items():
        if method in colors:
            share = 100 * np.array(column(points, "labels"))
            label = f"{method} ({points[0]['runs']:.0f})"
            axis.plot(share, column(points, "error"), colors[method], label=label)
    axis.set(xlabel="% labelled", ylabel="error in %")
    axis.grid(alpha=0.3)
    axis.legend(fontsize=7)


def learning_curves(rows, names, kind, out):
    """Draw a panel for each set."""
    sets = by([row for row in rows if row["kind"] == kind], "data")
    if not any(name in sets for name in names):
        return
    figure, axes = subplots(2, 3, figsize=(12, 7))
    for axis, name in zip(axes.flat, names, strict=True):
        if name in sets:
            draw_curves(axis, sets[name], STYLE)
        axis.set(title=name)
    figure.suptitle(kind)
    save(figure, out)


def figure_2(rows, out):
    """Draw FASSL-Boost with several alphas, from both starts."""
    figure, axes = subplots(2, 2, figsize=(10, 8))
    for line, start in zip(axes, ("", " from 1"), strict=True):
        for axis, kind in zip(line, ("transductive, own", "inductive"), strict=True):
            shown = [
                row
                for row in rows
                if row["kind"] == kind
                and row["method"].endswith("from 1") == bool(start)
            ]
            methods = list(by(shown, "method"))
            draw_curves(axis, shown, {name: f"C{k}" for k, name in enumerate(methods)})
            axis.set(title=kind + (start or " from as many members as labels"))
    save(figure, out)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="?", type=Path, default=Path())
    parser.add_argument("--out", default=".", type=Path)
    parser.add_argument("--quick", action="store_true", help="toy size, seconds")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    print(__doc__.splitlines()[0])
    size = (100, 10, 20) if args.quick else (400, 20, 120)
    figure_1(*size, args.out / "boosting_cost.png")
    alphas = read(args.results, "boosting_figure_2_errors")
    if alphas:
        figure_2(alphas, args.out / "boosting_figure_2.png")
    rows = read(args.results, "boosting_errors")
    for what, names in (("benchmarks", BENCHMARKS), ("digits", PAIRS)):
        for kind in KINDS:
            out = args.out / f"boosting_{what}_{kind.replace(', ', '_')}.png"
            learning_curves(rows, names, kind, out)


if __name__ == "__main__":
    main()
