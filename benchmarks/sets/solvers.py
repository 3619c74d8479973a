"""Labels of RLS by solver: exact, coordinate descent, or the last 500 rows.

The sets, orders and rows are those of `benchmarks.sets.streams`. E, the lowest error
with every label, is read from the table of that experiment; for a set that is not in
it, E is the lowest error at the end of a run here. A row of the table is a mean over
the orders. `benchmarks.speed.long_streams` has their time.

    python -m benchmarks.sets.solvers [--only SET ...] [--orders 10]
        [--lam 30 100] [--out docs/results] [--quick]
"""

import csv
from pathlib import Path

from benchmarks.options import parse
from benchmarks.results import show_table, write_table
from benchmarks.runner import attempt
from benchmarks.sets.streams import PROBLEMS, TOY, method, run, written
from benchmarks.sets.streams_report import curves, labels_to, shown
from sklearn_activelearn import RLSSamplingClassifier

SOLVERS = {
    "exact": {"solver": "dual"},
    "auto": {"solver": "auto"},
    "coordinate_descent": {"solver": "coordinate_descent"},
    "the last 500": {"max_stored": 500},
}
PUBLISHED = Path(__file__).parents[2] / "docs" / "results" / "streams.csv"
HEAD = "set", "lam", "solver", "orders", "to 1.1 E", "to 1.5 E", "labels", "error %"


def published_errors():
    """Return E of each set of the stream experiment."""
    lowest = {}
    with PUBLISHED.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            labels, errors = row["labels"].split(), row["error %"].split()
            if float(labels[-1]) >= 0.999 * float(row["rows"]):
                error = float(errors[-1]) / 100
                lowest[row["set"]] = min(error, lowest.get(row["set"], 1.0))
    return lowest


def measure(name, lams, orders):
    """Return the runs on a set, by order, lam and solver in turn."""
    X, y = PROBLEMS[name].load()
    results = []
    for order in range(1, orders + 1):
        split = PROBLEMS[name].split(X, y, order)
        for lam in lams:
            for solver, params in SOLVERS.items():
                setting = {"lam": lam} | params
                row = method(RLSSamplingClassifier, {"lam": lam}, lam=[lam])
                key = name, solver, written({"lam": lam}), order
                arguments = row, setting, split, False
                results.append(attempt(key, run, arguments)[1])
    return results


def summary(name, results, errors):
    """Yield a line for each lam and solver."""
    E = errors.get(name) or min(result.errors[-1] for result in results)
    for curve in curves(results):
        yield [
            name,
            curve.setting.removeprefix("lam="),
            curve.method,
            curve.orders,
            shown(labels_to(curve, 1.1 * E)),
            shown(labels_to(curve, 1.5 * E)),
            shown(curve.labels[-1]),
            f"{100 * curve.errors[-1]:.2f}",
        ]


def by_solver(lines):
    """Return the head and a line for each set and lam: labels to 1.1 E by solver."""
    table = {}
    for name, lam, solver, _, labels, *_ in lines:
        table.setdefault((name, lam), {})[solver] = labels
    rows = [
        [*key, *(cells[solver] for solver in SOLVERS)] for key, cells in table.items()
    ]
    return ["set", "lam", *SOLVERS], rows


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        quick={"orders": 2, "only": TOY},
        only=PROBLEMS,
        orders=10,
        lam=[30.0, 100.0],
        out=Path,
    )
    names = args.only or [name for name in PROBLEMS if name not in TOY]
    errors, lines = published_errors(), []
    for name in names:
        lines += summary(name, measure(name, args.lam, args.orders), errors)
    show_table(HEAD, lines)
    write_table(
        args.out and args.out / "second_order_solvers_1.1.csv", *by_solver(lines)
    )


if __name__ == "__main__":
    main()
