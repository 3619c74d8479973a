"""Cavallanti, Cesa-Bianchi & Gentile (2008): draws Figures 2 and 3.

From the files that `benchmarks.papers.second_order --results DIR` wrote.

    python -m benchmarks.papers.second_order_figures DIR [--out DIR]
"""

import numpy as np

from benchmarks.drawing import band, main_of, save, subplots
from benchmarks.results import by, column

#: Left and right plot of Figure 2, in the paper's choice.
PLOTS = (("SSMD", "SSNL", "SS"), ("SSMD", "DKMperc", "SOLE", "SOP", "PERC", "SS"))


def figure_2(rows, out):
    """Draw F against labels, means over the frequent topics and over all.

    Bars are deviations between orders of the news, where several orders were run.
    """
    algorithms, groups = list(by(rows, "algorithm")), by(rows, "topics")
    size = (9, 3.5 * len(groups))
    figure, axes = subplots(len(groups), 2, figsize=size, sharex=True, sharey="row")
    for line, (topics, of_topics) in zip(axes, groups.items(), strict=True):
        curves = by(of_topics, "algorithm")
        for axis, names in zip(line, PLOTS, strict=True):
            for name in names:
                points = sorted(curves.get(name, []), key=lambda point: point["labels"])
                axis.errorbar(
                    column(points, "labels"),
                    column(points, "F"),
                    yerr=column(points, "F_std"),
                    fmt=".-",
                    color=f"C{algorithms.index(name)}" if points else "none",
                    label=name,
                    lw=1,
                )
            axis.set(xlim=(0, 0.1))
            axis.grid(alpha=0.3)
            axis.legend()
        line[0].set_ylabel(f"F-measure, {topics} topics")
    for axis in axes[-1]:
        axis.set_xlabel("labels bought, share")
    save(figure, out)


def figure_3(rows, out):
    """Draw what is stored, the norm of an SVM, F and labels, topic by topic.

    Bands are deviations between the orders of the news.
    """
    figure, ((left, right),) = subplots(1, 2, figsize=(9, 3.4))
    for name, label in (
        ("stored", "stored rows, of the most"),
        ("svm_norm", "norm of the SVM's weights, of the largest"),
    ):
        values = np.array(column(rows, name))
        left.plot(values / values.max(), label=label)
    for name in ("F", "positive", "labels"):
        values = column(rows, name)
        (line,) = right.plot(values, label=name)
        half = column(rows, f"{name}_std") if name != "positive" else 0.0
        band(right, range(len(rows)), values, half, line.get_color())
    for axis in (left, right):
        axis.set(xlabel="topics, by frequency")
        axis.grid(alpha=0.3)
        axis.legend()
    save(figure, out)


DRAWN = {"second_order_figure_2": figure_2, "second_order_figure_3": figure_3}
main = main_of(__doc__, DRAWN)


if __name__ == "__main__":
    main()
