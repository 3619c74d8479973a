"""The costs of the parts of a pass: loops with parts removed, beside ``X @ w``.

The parts are the products of all rows with a weight vector; sums of squares, from which
norms follow; a pass in which no label is bought, with rows as they are (one uniform
number, a probability and counts for each row) and with rows of norm 1; a pass that
moves the weights, without their average and with it; and the whole call. Passes in
random order come last. Times are of the processor, the least of the rounds, relative to
``X @ w`` (scipy's for CSR), whose own time is in milliseconds.

    python -m benchmarks.speed.parts [--rounds 15] [--quick]
"""

from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.options import parse
from benchmarks.speed import _results, _rows
from benchmarks.speed._interleave import interleaved
from benchmarks.speed.one_pass import CBGZ, RANDOM, fresh, kernel, whole
from sklearn_activelearn.kernels._rows import Rows, first_not_finite, squares

IDLE = fresh(RANDOM, rate=1e-12)
AS_IT_IS = {"normalize": False, "average": False, "fit_intercept": False}


def parts(X, y):
    """Return loops over rows, by what they do."""
    w = np.random.default_rng(1).standard_normal(X.shape[1])
    order = np.random.default_rng(0).permutation(X.shape[0])
    rows = Rows(X)
    return {
        "X @ w": lambda: X @ w,
        "products": lambda: first_not_finite(rows),
        "and sums of squares": lambda: squares(rows),
        "pass, nothing bought, rows as they are": kernel(fresh(IDLE, **AS_IT_IS), X, y),
        "pass, nothing bought": kernel(IDLE, X, y),
        "pass, CBGZ without average": kernel(fresh(CBGZ, average=False), X, y),
        "pass, CBGZ": kernel(CBGZ, X, y),
        "partial_fit, CBGZ": whole(CBGZ, X, y),
        "random order: nothing bought, rows as they are": kernel(
            fresh(IDLE, **AS_IT_IS), X, y, order
        ),
        "random order: CBGZ": kernel(CBGZ, X, y, order),
        "random order: fit, CBGZ": lambda: fresh(CBGZ).fit(X, y),
    }


def main():
    """Write a column for each set of rows."""
    args = parse(__doc__, rounds=15)
    shrink, columns = 100 if args.quick else 1, {}
    images, even, _, what = _rows.images(30_000 // shrink)
    for title, X, y in [
        (what, images, even),
        ("Gaussian", *_rows.gaussian(200_000 // shrink, 54)),
        ("words, CSR", *_rows.words(20_000 // shrink)),
    ]:
        with threadpool_limits(1):
            rounds = 1 if args.quick else args.rounds
            found = interleaved(parts(X, y), rounds, 0.005, process_time)
        unit = found["X @ w"].minimum
        column = {
            name: _results.rounded(one.minimum / unit) for name, one in found.items()
        }
        column["X @ w"] = f"{_results.rounded(1e3 * unit)} ms"
        columns[f"{title}, {X.shape[0]:,} x {X.shape[1]:,}"] = column
    names = next(iter(columns.values()))
    lines = [[name, *(column[name] for column in columns.values())] for name in names]
    _results.write("pass_parts.csv", ["what", *columns], lines, args.quick)


if __name__ == "__main__":
    main()
