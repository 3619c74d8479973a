"""Error against labels, a panel for each set."""

import matplotlib as mpl

from benchmarks.sets._stream_curves import envelope

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

#: Peers are drawn with broken lines.
PEERS = ("Vowpal Wabbit", "river", "scikit-activeml")


def panels(runs, pick, methods, out, n_columns=4):
    """Draw the lower envelope of the curves of each method.

    Parameters
    ----------
    runs : Streams
    pick : callable
        Returns the curves of a method on a set that count.
    methods : list of str
    out : path
        The file.
    """
    n_columns = min(n_columns, len(runs.sets))
    n_lines = -(-len(runs.sets) // n_columns)
    figure, axes = plt.subplots(
        n_lines,
        n_columns,
        figsize=(3.6 * n_columns, 3.1 * n_lines + 0.7),
        layout="constrained",
        squeeze=False,
    )
    colours = plt.get_cmap("tab20").colors
    for axis in axes.flat[len(runs.sets) :]:
        axis.set_axis_off()
    for axis, name in zip(axes.flat, runs.sets, strict=False):
        for i, method in enumerate(methods):
            if cell := pick(name, method):
                labels, errors = envelope(cell)
                peer = method.startswith(PEERS)
                style = {"ls": "--", "lw": 1.8} if peer else {"lw": 1.2}
                colour = colours[2 * i % 20 + 2 * i // 20]
                axis.plot(labels, 100 * errors, color=colour, label=method, **style)
        passive = 100 * runs.target(name, 1)
        axis.axhline(passive, color="0.6", lw=0.8, zorder=0)
        axis.set(xscale="log", yscale="log", title=name, xlim=(10, None))
        axis.set_ylim(0.8 * passive, min(5 * passive, 55))
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5)))
        axis.yaxis.set_major_formatter(FormatStrFormatter("%g"))
        axis.yaxis.set_minor_formatter(NullFormatter())
        axis.grid(alpha=0.25)
    for axis in axes[-1]:
        axis.set_xlabel("labels")
    for axis in axes[:, 0]:
        axis.set_ylabel("test error, %")
    handles = {}
    for axis in axes.flat:
        handles |= dict(zip(*axis.get_legend_handles_labels()[::-1], strict=True))
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="outside lower center",
        ncols=6,
        fontsize=8,
    )
    figure.savefig(out, dpi=100)
    plt.close(figure)
