"""Stream learners beside their peers: error against labels, on many sets.

A run is a data set, a method, a setting of its knobs, and the number of a random
order: the learner reads the rows once, in that order, and is scored on other rows,
14 times on the way. All methods read the same rows in the same orders. Slow peers get
fewer rows and orders; the table of methods says so.

Each run is a line of the results, and is not run again if it is there: repeat a command
that was interrupted, and delete the lines of a method whose code has changed.
`benchmarks.sets.streams_report` reads the file. For the peers install Vowpal Wabbit
(`vowpalwabbit`), `river` and `scikit-activeml`.

    python -m benchmarks.sets.streams [--only SET ...] [--methods NAME ...]
        [--orders 10] [--results results/streams.csv] [--quick]
"""

from itertools import product

from scipy.sparse import issparse

from benchmarks.options import parse
from benchmarks.results import show_table
from benchmarks.runner import Runner
from benchmarks.sets._stream_method import written
from benchmarks.sets._stream_runs import StreamResult, run
from benchmarks.sets.stream_methods import all_methods
from benchmarks.sets.stream_problems import PROBLEMS, TOY

RESULTS = "results/streams.csv"


def tasks_of(name, methods, orders, done):
    """Yield the runs that are missing of a set, which is loaded for the first one."""
    here = data = None
    for order, (title, method) in product(range(1, orders + 1), methods.items()):
        if method.orders is not None and order > method.orders:
            continue
        for setting in method.settings:
            key = (name, title, written(setting), order)
            if key in done:
                continue
            if data is None:
                data = PROBLEMS[name].load()
            if here != (title, order):
                here = title, order
                split = PROBLEMS[name].split(*data, order, method.rows)
                if method.prepare:
                    split = split._replace(X=method.prepare(split.X))
            yield key, run, method, setting, split, issparse(data[0])


def show(results):
    """Print the last point of each setting's curve, a mean over the orders."""
    cells = {}
    for result in results:
        cells.setdefault((result.set, result.method, result.setting), []).append(result)
    lines = []
    for key, runs in cells.items():
        labels = sum(run.labels[-1] for run in runs) / len(runs)
        error = 100 * sum(run.errors[-1] for run in runs) / len(runs)
        lines.append([*key, labels, runs[0].n_rows, error, len(runs)])
    head = ["set", "method", "setting", "labels", "rows", "error, %", "orders"]
    show_table(head, lines)


def main(argv=None):
    methods = all_methods()
    args = parse(
        __doc__,
        argv,
        quick={"orders": 2, "only": TOY},
        only=PROBLEMS,
        methods=methods,
        orders=10,
        results=RESULTS,
    )
    methods = {name: methods[name] for name in args.methods or methods}
    sets = args.only or [name for name in PROBLEMS if name not in TOY]
    runner = Runner(args.results, StreamResult, "sets.streams", argv)
    for name in sets:
        try:
            runner.run(tasks_of(name, methods, args.orders, runner.done))
        except OSError as error:  # no file, no network
            print(f"{name} is left out: {error}", flush=True)
    show(r for r in runner.done.values() if r.set in sets and r.method in methods)


if __name__ == "__main__":
    main()
