"""Ali, Caruana & Kapoor (2014): draws Figures 2 and 3.

Figure 2: learning curves, the labels of each set over time, the final probabilities
of the models. Figure 3: entropy of the models' probabilities over time, in nats. From
the files that `benchmarks.papers.alms --results DIR` wrote; of several penalties and
numbers of labels the primary ones are drawn, which claims are judged by.

    python -m benchmarks.papers.alms_figures DIR [--out DIR]
"""

import numpy as np

from benchmarks.drawing import beside_published, main_of, save, subplots
from benchmarks.results import by, column

from ._alms_rows import FIGURE_SETTING, rank
from .alms_scales import SCALES

SHOWN = {
    "passive": "0.6",
    "uncertainty": "C2",
    "uncertainty, CV": "C4",
    "QBC": "C1",
    "ALMS": "C0",
    "ALMS, expected": "C3",
}


def of_primary_setting(rows):
    """Return the rows for each set, of the primary penalty and numbers of labels.

    Without PIMA, whose machines make it no reproduction.
    """
    rows = [row for row in rows if row["problem"] != "pima"]

    def setting(row):
        return tuple(row[name] for name in FIGURE_SETTING)

    primary = min(map(setting, rows), key=rank)
    return by([row for row in rows if setting(row) == primary], "problem")


def figure_2(rows, out):
    """Draw a line of panels for each set; the last ones are Figure 3."""
    groups = of_primary_setting(rows)
    figure, axes = subplots(len(groups), 3, (11, 2.9 * len(groups)))
    for line, (problem, group) in zip(axes, groups.items(), strict=True):
        curves, sets, entropies = line
        for method, points in by(group, "method").items():
            if method not in SHOWN:
                continue
            color, labels = SHOWN[method], np.array(column(points, "labels"))
            label = f"{method} ({points[0]['runs']:.0f})"
            curves.plot(labels, column(points, "accuracy"), color=color, label=label)
            validation = np.array(column(points, "validation"))
            if np.isfinite(validation).all():
                sets.plot(labels, validation, color=color, label="validation")
                sets.plot(labels, labels - validation, "--", color=color, label="train")
                entropies.plot(labels, column(points, "entropy"), color=color)
        title = f"{problem}, beside the {group[0]['penalty']}"
        curves.set(title=title, xlabel="labels", ylabel="test accuracy")
        sets.set(xlabel="labels", ylabel="labels of each set")
        entropies.set(xlabel="labels", ylabel="entropy of the models")
        entropies.ticklabel_format(useOffset=False)
        curves.legend(fontsize=7)
        sets.legend(fontsize=7)
    save(figure, out)


def figure_2_models(rows, out):
    """Draw how probable the models are in the end, a panel for each set."""
    groups = of_primary_setting(rows)
    figure, axes = subplots(len(groups), 1, (5, 2.5 * len(groups)))
    for axis, (problem, group) in zip(axes.flat, groups.items(), strict=True):
        for method, models in by(group, "method").items():
            if method in SHOWN:
                axis.plot(column(models, "probability"), ".-", color=SHOWN[method])
        axis.set(title=f"{problem}, beside the {group[0]['penalty']}", xlabel="model")
    save(figure, out)


def table_1(rows, out):
    """Draw areas of 1 - log loss beside the published ones, for each scaling."""
    shown = [
        {**row, "name": f"{row['method']}, {row['features']}"}
        for row in rows
        if (row["score"], row["pool"]) == ("1 - log loss", "250 rows")
    ]
    beside_published(
        sorted(shown, key=lambda row: list(SCALES).index(row["features"])),
        out,
        group="problem",
        name="name",
        value="area",
        std="std",
        title="Table 1 as areas under 1 - log loss",
    )


DRAWN = {
    "alms_scales": table_1,
    "alms_figure_2": figure_2,
    "alms_figure_2_models": figure_2_models,
}
main = main_of(__doc__, DRAWN)


if __name__ == "__main__":
    main()
