"""Active label propagation in large pools: time of a batch, beside that of the graph.

Ten labels are random, then ten are bought at a time: seconds to choose a batch, to
learn it, and of both, the median over the batches. The graph of nearest neighbours is
built once for each pool, with the first labels. `considered` are the rows whose
expected risk is computed; with all of them the inverse of the Laplacian is computed.
Last the share of the pool that is labelled right at the end. Seconds of the processor,
one thread. All but a toy run are written to docs/results/label_propagation_large.csv.

    python -m benchmarks.speed.label_propagation_large [--rows 2000 20000 60000]
        [--batches 9] [--quick]
"""

import time

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.options import parse
from benchmarks.speed import _results
from benchmarks.speed._interleave import machine
from benchmarks.speed._rows import images
from sklearn_activelearn import ActiveLabelPropagationClassifier

BATCH = 10
HEAD = [
    "rows",
    "considered",
    "graph and first labels",
    "choose",
    "learn",
    "a batch",
    "right, %",
]


def seconds(call):
    """Return what a call returns, and the seconds of the processor that it takes."""
    started = time.process_time()
    out = call()
    return out, time.process_time() - started


def measure(X, y, n_candidates, n_batches):
    """Return the seconds of the start and of a batch, and the share that is right."""
    learner = ActiveLabelPropagationClassifier(
        n_candidates=n_candidates, batch_size=BATCH, budget=None, random_state=0
    )
    times = []
    for _ in range(n_batches + 1):
        rows, choose = seconds(lambda: learner.query(X))
        labels = y[rows]
        _, learn = seconds(
            lambda rows=rows, labels=labels: learner.teach(X[rows], labels)
        )
        times.append((choose, learn, choose + learn))
    return (
        times[0][-1],
        *np.median(times[1:], axis=0),
        np.mean(learner.transduction_ == y),
    )


def main(argv=None):
    quick, rows = {"rows": [300], "batches": 2}, [2_000, 20_000, 60_000]
    args = parse(__doc__, argv, quick, rows=rows, batches=9)
    print(machine())
    lines = []
    for n in args.rows:
        X, _, y, name = images(n)
        for considered in [100] if n > 5_000 else [100, None]:
            with threadpool_limits(1):
                *times, right = measure(X, y, considered, args.batches)
            line = [f"{n:,} of {name}", considered or "all"]
            line += [f"{value:.2f}" for value in times] + [f"{100 * right:.1f}"]
            lines.append(line)
    _results.write("label_propagation_large.csv", HEAD, lines, args.quick)


if __name__ == "__main__":
    main()
