"""Wang, Song & Zhang (2009): draws Figures 1 to 7.

From the files that `benchmarks.papers.boosting --results DIR` wrote, with --alphas for
Figure 2, and `benchmarks.papers.boosting_costs` for Figures 1 and 5.

    python -m benchmarks.papers.boosting_figures DIR [--out DIR]
"""

import numpy as np

from benchmarks.drawing import band, main_of, save, subplots
from benchmarks.results import by, column

STYLE = {
    "RBoost": "0.5",
    "QBB": "C0",
    "COMB": "C1",
    "FASSL": "C3",
    "FASSL from 1": "C2",
    "shrunk FASSL": "C4",
}
KINDS = {
    "transductive, own": "own error on the pool",
    "transductive": "pool, bought labels right",
    "inductive": "new rows",
}


def figure_1(rows, out):
    """Draw the cost while labels come in."""
    curves = by(rows, "curve")
    figure, axes = subplots(1, len(curves), (11, 3.3))
    for axis, (name, points) in zip(axes.flat, curves.items(), strict=True):
        axis.plot(column(points, "position"), column(points, "cost"))
        axis.set(title=name, xlabel="steps" if "steps" in name else "trainings")
        axis.set_yscale("log")
    axes[0, 0].set_ylabel("cost")
    save(figure, out)


def figure_5(rows, out):
    """Draw the time until each number of labels."""
    figure, ((axis,),) = subplots(1, 1, (5, 3.5))
    for name, points in by(rows, "method").items():
        seconds = column(points, "seconds")
        axis.plot(column(points, "labels"), seconds, STYLE[name], label=name)
    axis.set(xlabel="labels", ylabel="processor seconds")
    axis.legend()
    save(figure, out)


def draw_curves(axis, rows, colors):
    """Draw a line for each method; labels and errors in %.

    Bands are two standard errors wide to each side, where deviations are known.
    """
    for method, points in by(rows, "method").items():
        if method in colors:
            share = 100 * np.array(column(points, "labels"))
            label = f"{method} ({points[0]['runs']:.0f})"
            error, half = column(points, "error"), 2 * np.array(column(points, "std"))
            axis.plot(share, error, colors[method], label=label)
            half /= np.sqrt(column(points, "runs"))
            band(axis, share, error, half, colors[method])
    axis.grid(alpha=0.3)


def learning_curves(rows, out):
    """Draw a line of panels for each set."""
    sets = by(rows, "data")
    figure, axes = subplots(len(sets), len(KINDS), (10, 2.4 * len(sets)))
    for line, (name, of_set) in zip(axes, sets.items(), strict=True):
        kinds = by(of_set, "kind")
        for axis, (kind, what) in zip(line, KINDS.items(), strict=True):
            draw_curves(axis, kinds.get(kind, []), STYLE)
            axis.set_title(f"{name}, {what}", fontsize=9)
        line[0].set_ylabel("error in %")
        line[-1].legend(fontsize=6)
    for axis in axes[-1]:
        axis.set_xlabel("% labelled")
    save(figure, out)


def figure_2(rows, out):
    """Draw FASSL-Boost with several alphas, from both starts."""
    kinds = ("transductive, own", "inductive")
    figure, axes = subplots(2, 2, (10, 7))
    for is_one, line in zip((False, True), axes, strict=True):
        start = "one member first" if is_one else "as many members as labels first"
        for axis, kind in zip(line, kinds, strict=True):
            shown = [
                row
                for row in rows
                if row["kind"] == kind and row["method"].endswith("from 1") == is_one
            ]
            names = list(by(shown, "method"))
            draw_curves(axis, shown, {name: f"C{k}" for k, name in enumerate(names)})
            axis.set(title=f"{KINDS[kind]}, {start}")
            axis.legend(fontsize=7)
        line[0].set_ylabel("error in %")
    for axis in axes[-1]:
        axis.set_xlabel("% labelled")
    save(figure, out)


DRAWN = {
    "boosting_figure_1": figure_1,
    "boosting_figure_2_errors": figure_2,
    "boosting_errors": learning_curves,
    "boosting_figure_5": figure_5,
}


main = main_of(__doc__, DRAWN)


if __name__ == "__main__":
    main()
