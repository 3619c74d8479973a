"""Time beside the peers, whoever is installed, on the same rows in the same process.

A stream: one pass that decides row by row whether to ask for the label, over rows in
the form that each reads fastest: arrays, dicts of the features that are not 0 (river),
a binary cache (Vowpal Wabbit). Who takes long for a row reads the first 300. A pool:
one label at a time for logistic regression. The learners differ, and so do the labels
they buy: the share is printed. A time is the least over the rounds; a ratio is the time
of a row (pool: of a label) over that of the first line.

    python -m benchmarks.speed.peers [--rounds 9] [--quick]
"""

import csv
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks._peers import installed
from benchmarks._peers._task import Pass, Pool
from benchmarks.speed import _rows
from benchmarks.speed._interleave import interleaved, main
from sklearn_activelearn import (
    CBGZClassifier,
    MarginLossClassifier,
    RLSSamplingClassifier,
    UncertaintySamplingClassifier,
)

OURS = {
    "CBGZClassifier": CBGZClassifier(random_state=0),
    "MarginLossClassifier": MarginLossClassifier(random_state=0, patience=None),
    "RLSSamplingClassifier(lam=300)": RLSSamplingClassifier(300, random_state=0),
}
RESULTS = Path("docs/results/peers_speed.csv")


def passes(X, y):
    """Return passes of our learners, by name."""

    def timed(learner):
        def call():
            fresh = type(learner)(**learner.get_params())
            return fresh.partial_fit(X, y, classes=[0, 1]).n_queries_

        return Pass(call, len(y))

    return {name: timed(learner) for name, learner in OURS.items()}


def loops(pool):
    """Return the ways of our learners to buy labels from a pool, by name."""
    X, y, first, n_labels = pool
    rest = np.setdiff1d(np.arange(len(y)), first)

    def start():
        learner = UncertaintySamplingClassifier(
            LogisticRegression(), budget=n_labels - len(first), random_state=0
        )
        return learner.teach(X[first], y[first])

    def loop():
        learner = start()
        while len(rows := learner.query(X)):
            learner.teach(X[rows], y[rows])
        return learner

    return {
        "UncertaintySamplingClassifier.partial_fit": lambda: start().partial_fit(
            X[rest], y[rest]
        ),
        "UncertaintySamplingClassifier, query and teach": loop,
    }


def runs(name, call):
    """Return whether a competitor runs with the versions that are installed."""
    try:
        call()
    except Exception as error:
        print(f"  {name} fails: {type(error).__name__}: {error}")
        return False
    return True


def stream_table(title, X, y, rounds, least, peers):
    """Time passes over a stream; return a line for each."""
    print(f"\n{title}, {X.shape[0]} x {X.shape[1]}")
    with TemporaryDirectory() as folder:
        cases = passes(X, y)
        for peer in peers:
            if hasattr(peer, "passes"):
                cases |= peer.passes(X, y, folder)
        bought = {name: case.call() / case.n_rows for name, case in cases.items()}
        calls = {name: case.call for name, case in cases.items()}
        timings = interleaved(calls, rounds, least)
    micros = {
        name: 1e6 * timings[name].minimum / case.n_rows for name, case in cases.items()
    }
    first = next(iter(micros.values()))
    return [
        (title, name, cases[name].n_rows, time, time / first, 100 * bought[name])
        for name, time in micros.items()
    ]


def pool_table(title, pool, rounds, least, peers):
    """Time loops over a pool; return a line for each."""
    print(f"\n{title}, {pool.X.shape[0]} x {pool.X.shape[1]}, {pool.n_labels} labels")
    cases = loops(pool)
    for peer in peers:
        if hasattr(peer, "loops"):
            cases |= peer.loops(pool)
    cases = {name: call for name, call in cases.items() if runs(name, call)}
    timings = interleaved(cases, rounds, least)
    n_bought = pool.n_labels - len(pool.first)
    micros = {name: 1e6 * timing.minimum / n_bought for name, timing in timings.items()}
    first = next(iter(micros.values()))
    share = 100 * pool.n_labels / len(pool.y)
    return [
        (title, name, len(pool.y), time, time / first, share)
        for name, time in micros.items()
    ]


def show(lines):
    """Print the lines of a table."""
    width = max(len(line[1]) for line in lines)
    unit = "microseconds a row (pools: a label), ratio, labels bought, rows"
    print(f"  {unit}")
    for _, name, n_rows, micros, ratio, share in lines:
        print(
            f"  {name:{width}} {micros:12.3f} {ratio:10.1f} {share:6.1f} % {n_rows:8,}",
            flush=True,
        )


def benchmark(quick, rounds):
    peers = installed()
    shrink, least = (50, 0) if quick else (1, 0.02)
    n_rows = 20_000 // shrink
    X, y, _, what = _rows.images(n_rows)
    tables = [(what, X, y)]
    tables.append(("Gaussian", *_rows.gaussian(n_rows, 54)))
    tables.append(("words, CSR", *_rows.words(n_rows)))
    lines = []
    for title, X, y in tables:
        lines += stream_table(title, X, y, rounds, least, peers)
        show([line for line in lines if line[0] == title])
    X, y = _rows.gaussian(10_000 // shrink, 100)
    first = np.array([np.flatnonzero(y == k)[:5] for k in (0, 1)]).ravel()
    pool = Pool(X, y, first, 15 if quick else 100)
    lines += pool_table("pool", pool, rounds, 0, peers)
    show([line for line in lines if line[0] == "pool"])
    if not quick:
        write(lines)


def rounded(number):
    """Return a number with three digits, as text."""
    return f"{float(f'{number:.3g}'):,.10g}"


def write(lines):
    """Write the table of the documentation."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with RESULTS.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["rows", "method", "n", "µs", "ratio", "labels, %"])
        for title, name, n_rows, micros, ratio, share in lines:
            numbers = f"{n_rows:,}", rounded(micros), rounded(ratio), f"{share:.1f}"
            writer.writerow([title, name, *numbers])
    print(f"\nwrote {RESULTS}")


if __name__ == "__main__":
    main(__doc__, benchmark)
