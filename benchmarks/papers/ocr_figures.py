"""Monteleoni & Kääriäinen (2007): labels against target error, learning curves.

Draws the paper's Figure 4 (mean labels to each target error, where all runs got
there) and Figure 5 (test error against labels bought) with the parameters that
`benchmarks.papers.ocr --json FILE` found.

    python -m benchmarks.papers.ocr_figures [--tuned FILE] [--out DIR] [--quick]
"""

import argparse
import json
from pathlib import Path

import matplotlib as mpl
import numpy as np

from sklearn_activelearn.evaluation import label_curve, labels_to_target

from . import data
from .ocr import LEARNERS, SEED, problem

mpl.use("Agg")
from matplotlib import pyplot as plt

FIGURE_4 = ("0v1", "4v7", "0vAll", "USPS 0vAll")
FIGURE_5 = ("0v1", "147vAll", "0vAll", "USPS 0vAll")
STYLE = {
    "DKM²": ("C0", "-"), "DKMperc": ("C0", "--"), "CBGZ_DKM": ("C1", "-"),
    "CBGZperc": ("C1", "--"), "randDKM": ("0.5", "-"), "randPerc": ("0.5", "--"),
}  # fmt: skip


def labels_per_target(curve):
    """Return target errors that every run reached, and mean labels for each."""
    results = [labels_to_target(curve, error) for error in np.linspace(0.2, 0.005, 40)]
    kept = [(r.error, r.mean) for r in results if not r.n_failed]
    return np.array(kept).reshape(-1, 2).T


def error_per_labels(curve):
    """Return label counts that runs bought on average, and the mean error there."""
    shown = np.unique(np.geomspace(1, curve.n_bought.mean(), 40).round())
    shown = np.isin(curve.n_labels, shown)
    return curve.n_labels[shown], 1 - curve.mean[shown]


def draw(panels, curves, points, axes_settings, title, out):
    figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
    for axis, name in zip(axes.flat, panels, strict=True):
        for learner, curve in curves[name].items():
            color, line = STYLE[learner]
            axis.plot(*points(curve), line, color=color, label=learner)
        axis.set(title=name, **axes_settings)
        axis.grid(alpha=0.3)
    axes[0, 0].legend()
    figure.suptitle(title)
    figure.savefig(out, dpi=110)
    print(f"wrote {out}")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--tuned", metavar="FILE", help="from papers.ocr --json")
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path())
    parser.add_argument("--quick", action="store_true", help="bundled digits, seconds")
    args = parser.parse_args(argv)
    sizes, load, most = (10_000, 2_000), None, 1_500
    if args.quick:
        args.repeats, args.folds, sizes, load, most = 1, 2, (200, 0), data.digits, 50
    tuned = {}
    if args.tuned:
        with open(args.tuned) as file:
            tuned = {(r["problem"], r["learner"]): r["params"] for r in json.load(file)}
    steps = np.unique(np.r_[1:201, 205:501:5, 510 : most + 1 : 10])
    curves = {}
    for name in dict.fromkeys(FIGURE_4 + FIGURE_5):
        X, y, _, _ = problem(name, *sizes, load)
        curves[name] = {
            learner: label_curve(
                base.set_params(budget=most, **tuned.get((name, learner), {})),
                X,
                y,
                cv=args.folds,
                n_repeats=args.repeats,
                n_jobs=args.jobs,
                at=steps[steps <= most],
                random_state=SEED + 1,
            )
            for learner, (base, _) in LEARNERS.items()
        }
        print(f"{name}: done", flush=True)
    args.out.mkdir(parents=True, exist_ok=True)
    runs = f"(mean over {args.repeats} x {args.folds} runs, seed {SEED + 1})"
    draw(
        FIGURE_4,
        curves,
        labels_per_target,
        {"xlabel": "target error", "ylabel": "labels", "yscale": "log"},
        f"Figure 4: labels to a target error, where all runs got there\n{runs}",
        args.out / "ocr_figure_4.png",
    )
    draw(
        FIGURE_5,
        curves,
        error_per_labels,
        {"xlabel": "labels", "ylabel": "test error", "xscale": "log"},
        f"Figure 5: learning curves\n{runs}",
        args.out / "ocr_figure_5.png",
    )


if __name__ == "__main__":
    main()
