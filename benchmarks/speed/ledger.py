"""What remembering costs: rows that are out, rows that have labels.

Streams: a query and its answer for one row, with nothing out and with many rows out.
Pools: what the ledger adds to a query, with labels bought from this very X, with rows
out, and where every row has to be looked at, beside one product of the whole pool.
Texts: the hashes of all rows, beside those of the slow reference, a cell at a time.
Labels: one row more, and teaching it with ``incremental=True``, beside a copy of all
labelled rows.

    python -m benchmarks.speed.ledger
    python -m benchmarks.speed.ledger --quick  # seconds: does it run?
"""

from functools import partial

import numpy as np
import pandas as pd
from sklearn.linear_model import SGDClassifier

from benchmarks.speed._interleave import Case, main, table
from sklearn_activelearn import RandomSamplingClassifier, UncertaintySamplingClassifier
from sklearn_activelearn._containers import joined, row_keys
from sklearn_activelearn.pool._labelled import Labelled
from sklearn_activelearn.pool._ledger import Ledger
from tests.reference.cells import hashes_of_rows


def stream(n_out, n_features, rounds):
    """Print a table for a stream learner."""
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
    table(
        f"a stream of {n_features} features",
        [
            Case(none, lambda: there_and_back(few)),
            Case(f"  {n_out:,} out", lambda: there_and_back(many), none),
            Case("  n_pending_", lambda: many.n_pending_, none),
        ],
        rounds,
    )


def pool(n_rows, n_features, n_out, rounds):
    """Print a table for the ledger of a pool learner."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_features))
    weights = rng.standard_normal(n_features)
    everything = np.ones(n_rows, dtype=bool)
    some = rng.permutation(n_rows)[:n_out]
    few = some[:100]
    bought = Ledger().plus(row_keys(X, few), few, 1.0).answered(row_keys(X, few))
    out = Ledger().plus(row_keys(X, some), some, 1.0)
    unasked = Ledger().answered(row_keys(X, few))
    product = "X @ w"
    table(
        f"a pool of {n_rows:,} x {n_features}",
        [
            Case(product, lambda: X @ weights),
            Case(
                "100 bought from this X", lambda: bought.located(X, everything), product
            ),
            Case(f"{len(some):,} out", lambda: out.located(X, everything), product),
            Case("100 taught unasked", lambda: unasked.located(X, everything), product),
            Case("all keys", lambda: row_keys(X), product),
        ],
        rounds,
    )


def texts(n_rows, rounds):
    """Print a table for the hashes of texts, and of texts beside numbers."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{k}" for k in range(2_000)])
    rows = [" ".join(rng.choice(words, 60)) for _ in range(n_rows)]
    mixed = pd.DataFrame({"text": rows, "number": rng.standard_normal(n_rows)})
    cases = []
    for name, X in {"texts": rows, "texts and numbers": mixed}.items():
        slow = f"{name}, a cell at a time"
        cases += [
            Case(slow, partial(hashes_of_rows, X)),
            Case(name, partial(row_keys, X), slow),
        ]
    table(f"{n_rows:,} texts of 60 words", cases, rounds)


def labels(n_rows, n_features, rounds):
    """Print a table for one row more among those that have labels."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_features))
    y = (X[:, 0] > 0).astype(int)
    estimator = SGDClassifier(loss="log_loss")
    learner = UncertaintySamplingClassifier(
        estimator, incremental=True, budget=None, random_state=0
    )
    learner.teach(X, y)
    known, row = [Labelled(X, y)], rng.standard_normal((1, n_features))

    def append():
        known[0] = known[0].plus(row, [1])

    copied = "a copy of all rows and one more"
    table(
        f"{n_rows:,} x {n_features} rows with labels",
        [
            Case(copied, lambda: joined(X, row)),
            Case("one row more", append, copied),
            Case("teach one row, incremental", lambda: learner.teach(row, [1]), copied),
        ],
        rounds,
    )


def benchmark(quick, rounds):
    shrink = 100 if quick else 1
    for n_out in (1000, 100_000, 200_000):
        stream(n_out // shrink, 50, rounds)
    pool(1_000_000 // shrink, 50, 100_000 // shrink, rounds)
    texts(30_000 // shrink, rounds)
    for n_rows in (1_000, 50_000):
        labels(n_rows // shrink, 200, rounds)


if __name__ == "__main__":
    main(__doc__, benchmark)
