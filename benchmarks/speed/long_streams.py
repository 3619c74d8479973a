"""RLS on long sparse streams by solver: time, labels, error and size.

20,000 rows with ``lam=30`` in one pass: news, business or not, and the noisy rows of
`benchmarks.speed._rows.words`. Solvers take turns; the time is the least of the rounds.
The error is that on 3,000 other rows, the size that of the pickled learner.

    python -m benchmarks.speed.long_streams [--rounds 3] [--out docs/results] [--quick]
"""

import pickle
from pathlib import Path
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import data
from benchmarks.options import parse
from benchmarks.results import write_table
from benchmarks.sets.solvers import SOLVERS
from benchmarks.speed import _rows
from benchmarks.speed._interleave import machine
from sklearn_activelearn import RLSSamplingClassifier

HEAD = (
    "rows",
    "solver",
    "stored",
    "error, %",
    "µs a row",
    "of exact",
    "MB",
    "processor",
)


def streams(n_rows, n_test):
    """Yield a name, the rows that stream by and those to test on, with labels."""
    for name in ("news", "noisy"):
        if name == "noisy":
            X, y = _rows.words(n_rows + n_test)
        elif data.local_file("rcv1_subset").exists():
            X, y, _ = data.rcv1()
        else:
            continue
        order = np.random.default_rng(0).permutation(len(y))
        stream, test = order[:n_rows], order[n_rows : n_rows + n_test]
        yield name, X[stream], y[stream], X[test], y[test]


def measure(name, X, y, X_test, y_test, rounds):
    """Return a line for each solver."""
    seconds, learners = {}, {}
    for _ in range(rounds):
        for solver, params in SOLVERS.items():
            learner = RLSSamplingClassifier(random_state=0, **params)
            started = perf_counter()
            learner.partial_fit(X, y, classes=[0, 1])
            took = perf_counter() - started
            seconds[solver] = min(took, seconds.get(solver, np.inf))
            learners[solver] = learner
    return [
        [
            name,
            solver,
            f"{learner.n_updates_:,}",
            f"{100 * np.mean(learner.predict(X_test) != y_test):.2f}",
            f"{1e6 * seconds[solver] / len(y):.1f}",
            f"{seconds[solver] / seconds['exact']:.3f}",
            f"{len(pickle.dumps(learner)) / 1e6:.1f}",
            machine().partition(",")[0],
        ]
        for solver, learner in learners.items()
    ]


def main(argv=None):
    args = parse(__doc__, argv, rounds=3, out=Path)
    sizes = (800, 200) if args.quick else (20_000, 3_000)
    lines = []
    with threadpool_limits(1):
        for stream in streams(*sizes):
            lines += measure(*stream, args.rounds)
    write_table(args.out and args.out / "second_order_long_streams.csv", HEAD, lines)


if __name__ == "__main__":
    main()
