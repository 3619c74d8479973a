"""What the results of `benchmarks.sets.streams` say: tables and pictures.

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

import numpy as np

from benchmarks.options import parse
from benchmarks.results import read_runs, write_csv
from benchmarks.sets import streams
from benchmarks.sets._stream_curves import best, curves, labels_to, passive_error
from benchmarks.sets._stream_method import written
from benchmarks.sets._stream_picture import panels
from benchmarks.sets._stream_runs import StreamResult
from benchmarks.sets._tables import in_order
from benchmarks.sets.report import list_table
from benchmarks.sets.stream_methods import PASSIVE, all_methods
from benchmarks.sets.stream_problems import PROBLEMS


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
            list_table(f"Labels to {multiple:g} E, {kind} knobs", head, lines)
            write_csv(folder / f"streams_{kind}_{multiple:g}.csv", head, lines)
        picture = args.out / "images" / f"streams_{kind}.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        panels(runs, pick, [m for m in runs.methods if m not in PASSIVE], picture)
        print(f"wrote {picture}")
    for multiple in args.targets:
        write_csv(folder / f"streams_chosen_{multiple:g}.csv", *chosen(runs, multiple))


if __name__ == "__main__":
    main()
