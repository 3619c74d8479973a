"""Cost of remembering pending rows and rows that have labels.

Streams: a query and its answer for one row, with nothing out and with many rows out.
Pools: what the ledger adds to a query, with labels bought from this very X, with rows
out, and where every row has to be looked at, beside one product of the whole pool. All
but a toy run write the tables to docs/results/ledger_speed.csv.

    python -m benchmarks.speed.ledger
    python -m benchmarks.speed.ledger --quick  # seconds: does it run?
"""

import numpy as np

from benchmarks.speed import _results
from benchmarks.speed._interleave import Case, main, table
from sklearn_activelearn import RandomSamplingClassifier
from sklearn_activelearn.pool._ledger import Ledger
from sklearn_activelearn.sources._containers import hash_rows
from sklearn_activelearn.sources._identity import ByValue


def lines_of(title, timings):
    """Return lines of the documentation: medians, and ratios to the first case."""
    first = next(iter(timings.values()))
    return [
        [
            title,
            name.strip(),
            _results.rounded(1e3 * timing.median),
            _results.rounded(timing.ratio(first)),
        ]
        for name, timing in timings.items()
    ]


def stream(n_out, n_features, rounds):
    """Print a table for a stream learner; return its lines of the documentation."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_out, n_features))
    row, label = rng.standard_normal((1, n_features)), ["a"]

    def begun(rows):
        learner = RandomSamplingClassifier(rate=1.0, random_state=0)
        learner.teach(X[:2], ["a", "b"], classes=["a", "b"])
        learner.query(rows)
        return learner

    few, many = begun(X[:0]), begun(X)

    def there_and_back(learner):
        learner.query(row)
        learner.teach(row, label)

    none = "query and teach one row, none out"
    title = f"a stream of {n_features} features"
    timings = table(
        title,
        [
            Case(none, lambda: there_and_back(few)),
            Case(f"  {n_out:,} out", lambda: there_and_back(many), none),
            Case("  how many are out", lambda: many.n_pending_, none),
        ],
        rounds,
    )
    return lines_of(title, timings)


def pool(n_rows, n_features, n_out, rounds):
    """Print a table for the ledger of a pool; return its lines of the documentation."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_features))
    weights = rng.standard_normal(n_features)
    everything = np.ones(n_rows, dtype=bool)
    some = rng.permutation(n_rows)[:n_out]
    few = some[:100]
    bought = (
        Ledger().add_entries(hash_rows(X, few), few, 1.0).mark_taught(hash_rows(X, few))
    )
    out = Ledger().add_entries(hash_rows(X, some), some, 1.0)
    unasked = Ledger().mark_taught(hash_rows(X, few))
    found = unasked.locate(ByValue(X), everything)
    absent = Ledger().mark_taught(hash_rows(X[few] + 1))
    absent = absent.locate(ByValue(X), everything)
    product = "X @ w"
    title = f"a pool of {n_rows:,} x {n_features}"
    timings = table(
        title,
        [
            Case(product, lambda: X @ weights),
            Case(
                "100 bought from this X",
                lambda: bought.locate(ByValue(X), everything),
                product,
            ),
            Case(
                f"{len(some):,} out",
                lambda: out.locate(ByValue(X), everything),
                product,
            ),
            Case(
                "100 taught unasked, first",
                lambda: unasked.locate(ByValue(X), everything),
                product,
            ),
            Case("  then", lambda: found.locate(ByValue(X), everything), product),
            Case(
                "  100 from elsewhere, then",
                lambda: absent.locate(ByValue(X), everything),
                product,
            ),
            Case("all keys", lambda: hash_rows(X), product),
        ],
        rounds,
    )
    return lines_of(title, timings)


def benchmark(quick, rounds):
    shrink = 100 if quick else 1
    lines = []
    for n_out in (1000, 100_000, 200_000):
        lines += stream(n_out // shrink, 50, rounds)
    lines += pool(1_000_000 // shrink, 50, 100_000 // shrink, rounds)
    header = ["rows", "what", "ms", "to the first"]
    _results.write("ledger_speed.csv", header, lines, quick)


if __name__ == "__main__":
    main(__doc__, benchmark)
