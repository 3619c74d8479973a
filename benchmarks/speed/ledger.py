"""What remembering costs: rows that are out, rows that have labels.

Streams: a query and its answer for one row, with nothing out and with many rows out.
Pools: what the ledger adds to a query, with labels bought from this very X, with rows
out, and where every row has to be looked at, beside one product of the whole pool.
Labels of one's own: a query after 100 labels that nobody asked for, in the pool or from
elsewhere, beside one after 100 that were bought; after the first query of the pool.
Texts: the hashes of all rows, beside those of the slow reference, a cell at a time.
Labels: one row more, and teaching it with ``incremental=True``, beside a copy of all
labelled rows. All but a toy run write the tables of streams and of the pool to
docs/results/ledger_speed.csv.

    python -m benchmarks.speed.ledger
    python -m benchmarks.speed.ledger --quick  # seconds: does it run?
"""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from benchmarks.speed import _results
from benchmarks.speed._interleave import Case, main, table
from sklearn_activelearn import (
    MinMarginClassifier,
    RandomSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.base._transaction import shallow_copy
from sklearn_activelearn.pool._ledger import Labelled, Ledger
from sklearn_activelearn.sources import ParquetSource
from sklearn_activelearn.sources._containers import hash_rows, stack_rows, take
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


def own_labels(title, pool, X, y, learner, rounds):
    """Print a table for queries of a pool, with 100 labels of several origins.

    Parameters
    ----------
    title : str
        Of the table.
    pool, X : rows
        The pool, and its rows in memory.
    y : ndarray of shape (n_samples,)
        Labels.
    learner : pool learner
        It has no labels.
    rounds : int
        How often each case runs.
    """
    some = np.random.default_rng(1).permutation(len(y))[:100]
    rows = take(X, some)
    elsewhere = [f"{row} x" for row in rows] if isinstance(X, list) else rows + 1e-3
    ids = np.arange(len(y))

    def begun(rows, n_asked=0, **named):
        begun = shallow_copy(learner)
        of_some = {"ids": some} if named else {}
        if n_asked:
            begun.set_params(n_initial=n_asked).query(pool, candidates=some)
        begun.teach(rows, y[some], **of_some).query(pool, **named)
        return partial(lambda begun: shallow_copy(begun).query(pool, **named), begun)

    bought = "100 labels that were bought"
    table(
        title,
        [
            Case(bought, begun(rows, n_asked=100)),
            Case("  taught unasked", begun(rows), bought),
            Case("  taught unasked, from elsewhere", begun(elsewhere), bought),
            Case("  taught unasked, with ids", begun(rows, ids=ids), bought),
        ],
        rounds,
    )


def pools_with_own_labels(quick, rounds):
    """Print tables for labels of one's own, by the kind of pool."""
    rng, shrink = np.random.default_rng(0), 100 if quick else 1

    def problem(n_rows, n_features):
        X = rng.standard_normal((n_rows // shrink, n_features))
        return X, (X[:, 0] > 0).astype(int)

    learner = MinMarginClassifier(LinearSVC(), budget=None, random_state=0)
    X, y = problem(1_000_000, 50)
    own_labels(f"queries of {len(X):,} x 50", X, X, y, learner, rounds)
    X, y = problem(500_000, 20)
    sampled = MinMarginClassifier(
        LinearSVC(), n_candidates=1000, budget=None, random_state=0
    )
    title = f"queries of {len(X):,} x 20, n_candidates=1000"
    own_labels(title, X, X, y, sampled, rounds)
    with TemporaryDirectory() as folder:
        pool = parquet(X, Path(folder) / "pool.parquet")
        title = f"queries of a parquet file of {len(X):,} x 20"
        own_labels(
            title, pool, pd.DataFrame(X, columns=pool.columns), y, learner, rounds
        )
    import dask.array as da

    pool = da.from_array(X, chunks=(len(X) // 8, 20))
    title = f"queries of a dask array of {len(X):,} x 20"
    own_labels(title, pool, X, y, learner, rounds)
    words = np.array([f"word{k}" for k in range(2_000)])
    texts = [" ".join(rng.choice(words, 60)) for _ in range(30_000 // shrink)]
    estimator = make_pipeline(HashingVectorizer(n_features=2**12), LogisticRegression())
    sampled = UncertaintySamplingClassifier(
        estimator, n_candidates=100, budget=None, random_state=0
    )
    y = np.arange(len(texts)) % 2
    title = f"queries of {len(texts):,} texts, n_candidates=100"
    own_labels(title, texts, texts, y, sampled, rounds)


def parquet(X, path):
    """Return rows as a source that reads a file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {f"x{j}": column for j, column in enumerate(X.T)}
    pq.write_table(pa.table(columns), path, row_group_size=len(X) // 8)
    return ParquetSource(path)


def texts(n_rows, rounds):
    """Print a table for the hashes of texts, and of texts beside numbers."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{k}" for k in range(2_000)])
    rows = [" ".join(rng.choice(words, 60)) for _ in range(n_rows)]
    mixed = pd.DataFrame({"text": rows, "number": rng.standard_normal(n_rows)})
    cases = [
        Case(name, partial(hash_rows, X))
        for name, X in {"texts": rows, "texts and numbers": mixed}.items()
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
        known[0] = known[0].add(row, [1])

    copied = "a copy of all rows and one more"
    table(
        f"{n_rows:,} x {n_features} rows with labels",
        [
            Case(copied, lambda: stack_rows(X, row)),
            Case("one row more", append, copied),
            Case("teach one row, incremental", lambda: learner.teach(row, [1]), copied),
        ],
        rounds,
    )


def benchmark(quick, rounds):
    shrink = 100 if quick else 1
    lines = []
    for n_out in (1000, 100_000, 200_000):
        lines += stream(n_out // shrink, 50, rounds)
    lines += pool(1_000_000 // shrink, 50, 100_000 // shrink, rounds)
    if not quick:
        header = ["rows", "what", "ms", "to the first"]
        _results.write("ledger_speed.csv", header, lines)
    pools_with_own_labels(quick, rounds)
    texts(30_000 // shrink, rounds)
    for n_rows in (1_000, 50_000):
        labels(n_rows // shrink, 200, rounds)


if __name__ == "__main__":
    main(__doc__, benchmark)
