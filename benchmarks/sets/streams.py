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

import argparse
import time

from scipy.sparse import issparse

from benchmarks.sets._results import append, read
from benchmarks.sets._stream_runs import StreamResult, missing, run
from benchmarks.sets.stream_methods import all_methods
from benchmarks.sets.stream_problems import PROBLEMS, TOY

RESULTS = "results/streams.csv"


def run_set(name, methods, done, args):
    """Run what is missing of a data set, and say how long it took."""
    runs = list(missing(name, methods, range(1, args.orders + 1), done))
    if not runs:
        return
    try:
        X, y = PROBLEMS[name].load()
    except OSError as error:  # no file, no network
        print(f"{name} is left out: {error}", flush=True)
        return
    started, here = time.perf_counter(), None
    for key, method, setting in runs:
        if here != key[1::2]:  # the method, the order
            here = key[1::2]
            split = PROBLEMS[name].split(X, y, key[-1], method.rows)
            if method.prepare:
                split = split._replace(X=method.prepare(split.X))
        result = run(key, method, setting, split, issparse(X))
        if isinstance(result, str):
            print(f"  {name}, {', '.join(map(str, key[1:]))}: {result}", flush=True)
            continue
        done[key] = result
        append(args.results, result)
    seconds = time.perf_counter() - started
    print(f"{name}: {len(runs)} runs in {seconds:.0f} s", flush=True)


def show(results):
    """Print the last point of each setting's curve, a mean over the orders."""
    cells = {}
    for result in results:
        cells.setdefault((result.set, result.method, result.setting), []).append(result)
    for (name, method, setting), runs in cells.items():
        labels = sum(run.labels[-1] for run in runs) / len(runs)
        error = sum(run.errors[-1] for run in runs) / len(runs)
        print(
            f"  {name}, {method} ({setting}): {labels:,.0f} of {runs[0].n_rows:,} "
            f"labels, error {100 * error:.2f} %, {len(runs)} orders"
        )


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="SET", choices=PROBLEMS)
    parser.add_argument("--methods", nargs="+", metavar="NAME")
    parser.add_argument("--orders", type=int, default=10)
    parser.add_argument("--results", default=RESULTS, metavar="FILE")
    parser.add_argument("--quick", action="store_true", help="toy size, seconds")
    args = parser.parse_args(argv)
    print(__doc__.splitlines()[0])
    methods = all_methods()
    if unknown := set(args.methods or ()) - set(methods):
        parser.error(f"unknown: {sorted(unknown)}; there are {', '.join(methods)}")
    methods = {name: methods[name] for name in args.methods or methods}
    sets = args.only or [name for name in PROBLEMS if name not in TOY]
    if args.quick:
        args.orders, sets = 2, TOY
    done = {result.key: result for result in read(args.results, StreamResult)}
    for name in sets:
        run_set(name, methods, done, args)
    show(r for r in done.values() if r.set in sets and r.method in methods)


if __name__ == "__main__":
    main()
