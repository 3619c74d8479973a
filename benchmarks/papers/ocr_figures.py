"""Monteleoni & Kääriäinen (2007): draws Figures 4 and 5.

From the files that `benchmarks.papers.ocr_curves --results DIR` wrote.

    python -m benchmarks.papers.ocr_figures DIR [--out DIR]
"""

from functools import partial

from benchmarks.drawing import beside_published, main_of, save, subplots
from benchmarks.results import by, column

STYLE = {
    "DKM²": ("C0", "-"), "DKMperc": ("C0", "--"), "CBGZ_DKM": ("C1", "-"),
    "CBGZperc": ("C1", "--"), "randDKM": ("0.5", "-"), "randPerc": ("0.5", "--"),
}  # fmt: skip


def panels(rows, out, *, x, y, title, **settings):
    """Draw a panel for each problem, a line for each learner."""
    problems = by(rows, "problem")
    figure, axes = subplots(2, 2, figsize=(9, 7))
    for axis, (name, rows_of_problem) in zip(axes.flat, problems.items(), strict=False):
        for learner, points in by(rows_of_problem, "learner").items():
            color, line = STYLE[learner]
            axis.plot(
                column(points, x), column(points, y), line, color=color, label=learner
            )
        axis.set(title=name, **settings)
        axis.grid(alpha=0.3)
    axes[0, 0].legend()
    figure.suptitle(f"{title}\n(mean over {rows[0]['runs']:.0f} runs)")
    save(figure, out)


DRAWN = {
    "ocr": partial(
        beside_published,
        group="problem",
        name="learner",
        value="labels",
        std="labels_std",
        title="Labels to the target: mean and standard deviation",
    ),
    "ocr_figure_4": partial(
        panels,
        x="target_error",
        y="labels",
        title="Labels to a target error, where all runs got there",
        xlabel="target error",
        ylabel="labels",
        yscale="log",
    ),
    "ocr_figure_5": partial(
        panels,
        x="labels",
        y="error",
        title="Learning curves",
        xlabel="labels",
        ylabel="test error",
        xscale="log",
    ),
}
main = main_of(__doc__, DRAWN)


if __name__ == "__main__":
    main()
