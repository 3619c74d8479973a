"""Summarize the results of `benchmarks.sets.streams`: tables and pictures.

Two questions, the same rule for every method. Best knobs: at each number of labels, the
lowest mean error over all settings and all points of their curves; labels to a target
are the fewest over the settings. Both choose in hindsight. Default knobs: one setting.

A target is a multiple of E, the lowest mean error, at the end of the stream, among all
settings that bought every label, ours or a peer's. Where the mean curve is first at the
target, a straight line between two scores, the labels are counted.

    python -m benchmarks.sets.streams_report [--results results/streams.csv]
        [--orders 10] [--out docs] [--targets 1.1 1.5] [--quick]
"""

from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

from benchmarks.drawing import save
from benchmarks.options import parse
from benchmarks.results import read_runs, write_csv, write_table
from benchmarks.sets import streams
from benchmarks.sets._tables import in_order
from benchmarks.sets.streams import (
    PASSIVE,
    PROBLEMS,
    StreamResult,
    all_methods,
    written,
)


class Curve(NamedTuple):
    """The runs of one setting on one set, means over the orders."""

    set: str
    method: str
    setting: str
    orders: int
    n_rows: int
    n_test: int
    labels: np.ndarray
    errors: np.ndarray
    spread: np.ndarray

    @property
    def is_passive(self):
        """Return whether every label was bought."""
        return self.labels[-1] >= 0.999 * self.n_rows


def curves(results):
    """Return a `Curve` for each setting, in the order of the results.

    A setting is left out if it failed in some orders that its method has results of.
    """
    runs, orders = defaultdict(list), defaultdict(set)
    for run in results:
        runs[run.set, run.method, run.setting].append(run)
        orders[run.set, run.method].add(run.order)
    means = []
    for key, cell in runs.items():
        if len(cell) == len(orders[key[:2]]):
            n = len(cell)
            labels, errors = (
                np.array([getattr(run, part) for run in cell])
                for part in ("labels", "errors")
            )
            spread = errors.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else errors[0] * 0
            sizes = cell[0].n_rows, cell[0].n_test
            points = labels.mean(axis=0), errors.mean(axis=0), spread
            means.append(Curve(*key, n, *sizes, *points))
    return means


def labels_to(curve, target):
    """Return after how many labels a mean curve is first at a target, inf if never.

    Between two scores the curve is a straight line.
    """
    hits = np.flatnonzero(curve.errors <= target)
    if not hits.size:
        return np.inf
    at = hits[0]
    if at == 0:
        return curve.labels[0]
    before, after = curve.errors[at - 1], curve.errors[at]
    share = (before - target) / (before - after)
    return curve.labels[at - 1] + share * (curve.labels[at] - curve.labels[at - 1])


def best(of_method, target):
    """Return the fewest labels to a target over the settings of a method, and which."""
    if not of_method:
        return np.inf, None
    fewest = min(of_method, key=lambda curve: labels_to(curve, target))
    return labels_to(fewest, target), fewest


def envelope(of_method):
    """Return numbers of labels, and the lowest error of a setting up to each number."""
    labels = np.concatenate([curve.labels for curve in of_method])
    errors = np.concatenate([curve.errors for curve in of_method])
    order = np.argsort(labels, kind="stable")
    labels, errors = labels[order], np.minimum.accumulate(errors[order])
    kept = np.flatnonzero(np.diff(errors, prepend=np.inf) < 0)
    # the last point says how far the labels go
    kept = np.append(kept, len(errors) - 1)
    return labels[kept], errors[kept]


def passive_error(of_set):
    """Return the lowest final error of the curves with every label."""
    return min(curve.errors[-1] for curve in of_set if curve.is_passive)


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
    save(figure, out, dpi=100)


class Streams:
    """The curves, by set and method; a set counts once every label was bought.

    Parameters
    ----------
    results : list of StreamResult
    methods : dict of Method
        Says what the default setting of a method is.
    """

    def __init__(self, results, methods):
        self.cells = defaultdict(list)
        for curve in curves(results):
            self.cells[curve.set, curve.method].append(curve)
        passive = {c.set for cell in self.cells.values() for c in cell if c.is_passive}
        self.sets = in_order(passive, PROBLEMS)
        self.methods = in_order({method for _, method in self.cells}, methods)
        self.defaults = {name: written(row.default) for name, row in methods.items()}

    def target(self, name, multiple):
        """Return a multiple of the lowest error with every label."""
        of_set = [c for (at, _), cell in self.cells.items() if at == name for c in cell]
        return multiple * passive_error(of_set)

    def default(self, name, method):
        """Return a list of the curve of the default setting, or an empty one."""
        wanted = self.defaults[method]
        return [c for c in self.cells[name, method] if c.setting == wanted]


def shown(labels):
    """Return a number of labels as text."""
    return f"{labels:,.0f}" if np.isfinite(labels) else "–"


def target_table(runs, multiple, pick):
    """Return the head and the lines of a table: labels to a target, by method and set.

    Parameters
    ----------
    pick : callable
        Returns the curves of a method on a set that count.
    """
    targets = {name: runs.target(name, multiple) for name in runs.sets}
    head = ["", *(f"{name}: {100 * targets[name]:.1f} %" for name in runs.sets)]
    lines = []
    for method in runs.methods:
        fewest = [best(pick(name, method), targets[name])[0] for name in runs.sets]
        lines.append([method, *map(shown, fewest)])
    return head, lines


def summary(runs):
    """Return the head and a line for each setting: its whole curve."""
    head = ["set", "method", "setting", "orders", "rows", "test rows"]
    lines = [
        [
            *curve[:6],
            " ".join(f"{n:.0f}" for n in curve.labels),
            " ".join(f"{100 * e:.2f}" for e in curve.errors),
            " ".join(f"{100 * e:.2f}" for e in curve.spread),
        ]
        for cell in runs.cells.values()
        for curve in cell
    ]
    return [*head, "labels", "error %", "standard error %"], lines


def chosen(runs, multiple):
    """Return the head and lines: which setting needs the fewest labels to a target."""
    lines = []
    for name in runs.sets:
        target = runs.target(name, multiple)
        for method in runs.methods:
            fewest, curve = best(runs.cells[name, method], target)
            usual = runs.default(name, method)
            needed = labels_to(usual[0], target) if usual else np.inf
            setting = curve.setting if np.isfinite(fewest) else "–"
            lines.append([name, method, shown(fewest), setting, shown(needed)])
    return ["set", "method", "fewest labels", "with", "labels, default"], lines


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        quick={"results": "toy.csv"},
        results=streams.RESULTS,
        orders=10,
        out=Path("docs"),
        targets=[1.1, 1.5],
    )
    if args.quick:
        streams.main(["--quick", "--results", args.results])
    results = read_runs(args.results, StreamResult)
    results = [result for result in results if result.order <= args.orders]
    runs = Streams(results, all_methods())
    if not runs.sets:
        args.error(f"{args.results} has no results.")
    folder = args.out / "results"
    write_csv(folder / "streams.csv", *summary(runs))
    kinds = {"best": lambda *cell: runs.cells[cell], "default": runs.default}
    for kind, pick in kinds.items():
        for multiple in args.targets:
            head, lines = target_table(runs, multiple, pick)
            write_table(folder / f"streams_{kind}_{multiple:g}.csv", head, lines)
        picture = args.out / "images" / f"streams_{kind}.png"
        panels(runs, pick, [m for m in runs.methods if m not in PASSIVE], picture)
    for multiple in args.targets:
        write_csv(folder / f"streams_chosen_{multiple:g}.csv", *chosen(runs, multiple))


if __name__ == "__main__":
    main()
