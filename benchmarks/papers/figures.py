"""The figures of the papers, drawn from the files of results.

Each picture has the name of its file of results; `DRAWN` has the pictures of each
paper. ``python -m benchmarks.papers PAPER`` draws them after its experiments.
"""

from functools import partial

import numpy as np

from benchmarks.drawing import band, beside_published, panels, save, subplots
from benchmarks.results import by, column

from ._alms_rows import FIGURE_SETTING, rank

OCR = {
    "DKM²": ("C0", "-"), "DKMperc": ("C0", "--"), "CBGZ_DKM": ("C1", "-"),
    "CBGZperc": ("C1", "--"), "randDKM": ("0.5", "-"), "randPerc": ("0.5", "--"),
}  # fmt: skip
MARGIN_LOSSES = {
    "hinge": ("0.4", "-"), "greedy": ("0.4", "--"), "ramp": ("C0", "-"),
    "R+H": ("C0", "--"), "log": ("C2", "-"), "root": ("C1", "-"),
    "sigmoid": ("C3", "-"), "S+H": ("C3", "--"),
}  # fmt: skip
BOOSTING = {
    "RBoost": ("0.5", "-"), "QBB": ("C0", "-"), "COMB": ("C1", "-"),
    "FASSL": ("C3", "-"), "FASSL from 1": ("C2", "-"), "shrunk FASSL": ("C4", "-"),
}  # fmt: skip
KINDS = {
    "transductive, own": "own error on the pool",
    "transductive": "pool, bought labels right",
    "inductive": "new rows",
}
ALMS = {
    "passive": "0.6",
    "uncertainty": "C2",
    "uncertainty, CV": "C4",
    "QBC": "C1",
    "ALMS": "C0",
    "ALMS, expected": "C3",
}
#: Left and right plot of Figure 2 on second-order learners, in the paper's choice.
PLOTS = (("SSMD", "SSNL", "SS"), ("SSMD", "DKMperc", "SOLE", "SOP", "PERC", "SS"))


def final_errors(rows, out):
    """Draw a histogram of the final errors for each data set."""
    sets = by(rows, "data")
    figure, (axes,) = subplots(1, len(sets), figsize=(3.4 * len(sets), 3))
    for axis, (name, of_set) in zip(axes, sets.items(), strict=True):
        axis.hist(column(of_set, "final_error"), bins=30)
        axis.set(title=name, xlabel="final test error of the ramp", ylabel="runs")
    save(figure, out)


def f_measure(rows, out):
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
            axis.set(xlim=(0, 0.1), xlabel="labels bought, share")
            axis.grid(alpha=0.3)
            axis.legend()
        line[0].set_ylabel(f"F-measure, {topics} topics")
    save(figure, out)


def topics(rows, out):
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
    axis.set(xlabel="% labelled", ylabel="error in %")
    axis.grid(alpha=0.3)
    axis.legend(fontsize=6)


def boosting_errors(rows, out):
    """Draw a line of panels for each set, a panel for each kind of error."""
    sets, colors = (
        by(rows, "data"),
        {name: color for name, (color, _) in BOOSTING.items()},
    )
    figure, axes = subplots(len(sets), len(KINDS), (10, 2.6 * len(sets)))
    for line, (name, of_set) in zip(axes, sets.items(), strict=True):
        kinds = by(of_set, "kind")
        for axis, (kind, what) in zip(line, KINDS.items(), strict=True):
            draw_curves(axis, kinds.get(kind, []), colors)
            axis.set_title(f"{name}, {what}", fontsize=9)
    save(figure, out)


def alphas(rows, out):
    """Draw FASSL-Boost with several alphas, from both starts."""
    figure, axes = subplots(2, 2, (10, 7))
    for is_one, line in zip((False, True), axes, strict=True):
        start = "one member first" if is_one else "as many members as labels first"
        for axis, kind in zip(line, ("transductive, own", "inductive"), strict=True):
            shown = [
                row
                for row in rows
                if row["kind"] == kind and row["method"].endswith("from 1") == is_one
            ]
            names = by(shown, "method")
            draw_curves(axis, shown, {name: f"C{k}" for k, name in enumerate(names)})
            axis.set(title=f"{KINDS[kind]}, {start}")
    save(figure, out)


def of_primary_setting(rows):
    """Return the rows for each set, of the primary penalty and numbers of labels.

    Without PIMA, whose machines make it no reproduction.
    """
    rows = [row for row in rows if row["problem"] != "pima"]

    def setting(row):
        return tuple(row[name] for name in FIGURE_SETTING)

    primary = min(map(setting, rows), key=rank)
    return by([row for row in rows if setting(row) == primary], "problem")


def alms_curves(rows, out):
    """Draw accuracy, labels of each set and entropy, a line of panels for each set."""
    groups = of_primary_setting(rows)
    figure, axes = subplots(len(groups), 3, (11, 2.9 * len(groups)))
    for line, (problem, group) in zip(axes, groups.items(), strict=True):
        curves, sets, entropies = line
        for method, points in by(group, "method").items():
            if method not in ALMS:
                continue
            color, labels = ALMS[method], np.array(column(points, "labels"))
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


def alms_models(rows, out):
    """Draw how probable the models are in the end, a panel for each set."""
    groups = of_primary_setting(rows)
    figure, axes = subplots(len(groups), 1, (5, 2.5 * len(groups)))
    for axis, (problem, group) in zip(axes.flat, groups.items(), strict=True):
        for method, models in by(group, "method").items():
            if method in ALMS:
                axis.plot(column(models, "probability"), ".-", color=ALMS[method])
        axis.set(title=f"{problem}, beside the {group[0]['penalty']}", xlabel="model")
    save(figure, out)


LABELS = "Labels to the target: mean and standard deviation"
DRAWN = {
    "monteleoni2007": {
        "ocr": partial(
            beside_published, group="problem", name="learner", value="labels",
            std="labels_std", title=LABELS,
        ),
        "ocr_figure_4": partial(
            panels, group="problem", line="learner", x="target_error", y="labels",
            styles=OCR, n_columns=2, yscale="log",
        ),
        "ocr_figure_5": partial(
            panels, group="problem", line="learner", x="labels", y="error",
            styles=OCR, n_columns=2, xscale="log",
        ),
    },
    "guillory2009": {
        "margin_loss_table_2": partial(
            beside_published, group="data", name="learner", value="labels", std="std",
            title=LABELS, xscale="log",
        ),
        "margin_loss_figure_6": partial(
            panels, group="data", line="learner", x="labels", y="error",
            styles=MARGIN_LOSSES, xscale="log", yscale="log",
        ),
        "margin_loss_figure_7": final_errors,
    },
    "cavallanti2008": {
        "second_order_figure_2": f_measure,
        "second_order_figure_3": topics,
    },
    "wang2009": {
        "boosting_figure_1": partial(
            panels, group="curve", line="curve", x="position", y="cost", yscale="log"
        ),
        "boosting_figure_2_errors": alphas,
        "boosting_errors": boosting_errors,
        "boosting_figure_5": partial(
            panels, group="command", line="method", x="labels", y="seconds",
            styles=BOOSTING, title="processor seconds until each label",
        ),
    },
    "ali2014": {
        "alms_figure_2": alms_curves,
        "alms_figure_2_models": alms_models,
    },
}  # fmt: skip
