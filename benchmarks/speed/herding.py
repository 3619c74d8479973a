"""Covering a large pool: what samples of it cost in coverage, and save in time.

Rows are bought that cover the pool, ten at a time, with more and more rows that stand
for it and among which they are chosen. Printed: seconds of the processor for the first
purchase, which makes the points, and for each later one, and the coverage of what was
bought, measured on 5,000 rows of the pool, as a share of that of the largest samples.
All but a toy run are written to docs/results/herding_speed.csv.

    python -m benchmarks.speed.herding
    python -m benchmarks.speed.herding --quick  # seconds: does it run?
"""

import time

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from threadpoolctl import threadpool_limits

from benchmarks.options import parse
from benchmarks.speed import _results
from benchmarks.speed._rows import images
from sklearn_activelearn import UncertaintyHerdingClassifier

N_BOUGHT, N_JUDGED = 50, 5_000
HEAD = ["pool", "sample", "first, s", "later, s", "coverage"]


def measure(X, n_rows):
    """Return the seconds of purchases with samples of `n_rows` rows, and the rows."""
    learner = UncertaintyHerdingClassifier(
        n_coverage=n_rows, n_candidates=n_rows, batch_size=10, random_state=0
    )
    seconds, bought = [], []
    while len(bought) < N_BOUGHT:
        started = time.process_time()
        bought += learner.query(X).tolist()
        seconds.append(time.process_time() - started)
    return seconds, bought


def coverage(X, bought):
    """Return the mean similarity of judged rows to the nearest one of these."""
    rng = np.random.default_rng(1)
    judged = X[rng.permutation(len(X))[:N_JUDGED]]
    gamma = 1 / np.median(euclidean_distances(judged[:500], squared=True))
    distances = euclidean_distances(judged, X[bought], squared=True)
    return np.exp(-gamma * distances.min(axis=1)).mean()


def main(argv=None):
    quick = parse(__doc__, argv).quick
    pools = [600] if quick else [10_000, 60_000]
    sizes = [50, 100, 300] if quick else [250, 500, 1_000, 2_000, 4_000, 8_000]
    lines = []
    for n in pools:
        X, _, _, name = images(n)
        random = np.random.default_rng(2).permutation(n)[:N_BOUGHT]
        with threadpool_limits(1):
            runs = [(size, *measure(X, size)) for size in sizes]
        best = coverage(X, runs[-1][2])
        for size, seconds, bought in runs:
            share = coverage(X, bought) / best
            later = np.median(seconds[1:])
            numbers = f"{seconds[0]:.2f}", f"{later:.3f}", f"{share:.3f}"
            lines.append([f"{n:,} of {name}", f"{size:,}", *numbers])
        share = f"{coverage(X, random) / best:.3f}"
        lines.append([f"{n:,} of {name}", "random rows", "", "", share])
    _results.write("herding_speed.csv", HEAD, lines, quick)


if __name__ == "__main__":
    main()
