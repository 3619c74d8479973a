"""Guillory, Chastain & Bilmes (2009): draws Figures 6 and 7.

Figure 6: mean test error against labels bought, as far as every run went. Figure 7:
histogram of the final test errors of the ramp. From the files that
`benchmarks.papers.margin_loss --results DIR` wrote.

    python -m benchmarks.papers.margin_loss_figures DIR [--out DIR]
"""

from functools import partial

from benchmarks.drawing import beside_published, main_of, save, subplots
from benchmarks.results import by, column

STYLE = {
    "hinge": ("0.4", "-"), "greedy": ("0.4", "--"), "ramp": ("C0", "-"),
    "R+H": ("C0", "--"), "log": ("C2", "-"), "root": ("C1", "-"),
    "sigmoid": ("C3", "-"), "S+H": ("C3", "--"),
}  # fmt: skip


def figure_6(rows, out):
    """Draw a panel for each data set, a curve for each learner."""
    sets = by(rows, "data")
    n_columns = min(len(sets), 3)
    n_lines = -(-len(sets) // n_columns)
    figure, axes = subplots(n_lines, n_columns, (3.4 * n_columns, 3 * n_lines + 0.6))
    for axis, (name, of_set) in zip(axes.flat, sets.items(), strict=False):
        for learner, points in by(of_set, "learner").items():
            color, line = STYLE[learner]
            axis.plot(
                column(points, "labels"),
                column(points, "error"),
                line,
                color=color,
                label=learner,
                lw=1,
            )
        axis.set(title=name, xlabel="labels", xscale="log", yscale="log")
        axis.grid(alpha=0.3)
    for line in axes:
        line[0].set_ylabel("test error")
    figure.legend(
        *axes[0, 0].get_legend_handles_labels(),
        loc="outside upper center",
        ncols=min(len(STYLE), 4 * n_columns),
    )
    save(figure, out)


def figure_7(rows, out):
    """Draw a histogram for each data set."""
    sets = by(rows, "data")
    figure, (axes,) = subplots(1, len(sets), figsize=(3.4 * len(sets), 3))
    for axis, (name, of_set) in zip(axes, sets.items(), strict=True):
        axis.hist(column(of_set, "final_error"), bins=30)
        axis.set(title=name, xlabel="final test error of the ramp")
    axes[0].set_ylabel("runs")
    save(figure, out)


DRAWN = {
    "margin_loss_table_2": partial(
        beside_published,
        group="data",
        name="learner",
        value="labels",
        std="std",
        title="Labels to the target: mean, and standard deviation here",
        xscale="log",
    ),
    "margin_loss_figure_6": figure_6,
    "margin_loss_figure_7": figure_7,
}
main = main_of(__doc__, DRAWN)


if __name__ == "__main__":
    main()
