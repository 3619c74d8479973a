"""The rank diagram: mean ranks with the difference that they must have."""

import matplotlib as mpl
import numpy as np

from benchmarks.statistics import critical_difference

mpl.use("Agg")
from matplotlib import pyplot as plt


def rank_diagrams(ranked, out):
    """Draw a diagram for each model, side by side.

    Parameters
    ----------
    ranked : dict of (list of str, ndarray of shape (n_sets, n_methods))
        By the name of the model: the methods and their ranks.
    out : path
        The file.
    """
    n_lines = max(len(names) for names, _ in ranked.values())
    figure, axes = plt.subplots(
        ncols=len(ranked),
        figsize=(5.5 * len(ranked), 1.4 + 0.28 * n_lines),
        layout="constrained",
        squeeze=False,
    )
    for axis, (model, (names, ranks)) in zip(axes[0], ranked.items(), strict=True):
        means = ranks.mean(axis=0)
        worst_first = np.argsort(-means, kind="stable")
        half = critical_difference(len(names), len(ranks)) / 2
        axis.errorbar(
            means[worst_first], range(len(names)), xerr=half, fmt="o", capsize=3
        )
        axis.set_yticks(range(len(names)), np.array(names)[worst_first])
        axis.set(
            title=f"{model}, {len(ranks)} data sets", xlabel="mean rank, 1 is best"
        )
        axis.grid(axis="x", alpha=0.25)
    figure.suptitle("Bars that do not overlap differ (Nemenyi, 5 %)", fontsize="medium")
    figure.savefig(out, dpi=110)
    plt.close(figure)
