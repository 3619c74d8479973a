"""Time beside the peers, whoever is installed, on the same rows in the same process.

A stream: one pass that decides row by row whether to ask for the label, over rows in
the form that each reads fastest: arrays, dicts of the features that are not 0 (river),
a binary cache (Vowpal Wabbit). Who takes long for a row reads the first 300. A pool:
one label at a time for logistic regression. The learners differ, and so do the labels
they buy: the share is printed. A time is that of the processor, of all threads, the
least over the rounds; a ratio is the time of a row (pool: of a label) over that of the
first line.

    python -m benchmarks.speed.peers [--rounds 9] [--quick]
"""

from tempfile import TemporaryDirectory
from time import process_time
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks._peers import installed, package_of
from benchmarks._peers._task import Pass, Pool
from benchmarks.speed import _results, _rows
from benchmarks.speed._interleave import interleaved, main
from benchmarks.speed._results import rounded
from sklearn_activelearn import (
    CBGZClassifier,
    MarginLossClassifier,
    RLSSamplingClassifier,
    UncertaintySamplingClassifier,
    __version__,
)

OUR_PACKAGE = f"sklearn_activelearn {__version__}"
OURS = {
    "CBGZClassifier": CBGZClassifier(random_state=0),
    "MarginLossClassifier": MarginLossClassifier(random_state=0, patience=None),
    "RLSSamplingClassifier(lam=300)": RLSSamplingClassifier(300, random_state=0),
}


class Line(NamedTuple):
    """A timed method: its rows, microseconds, and labels bought in per cent."""

    rows: str
    method: str
    package: str
    n_rows: int
    micros: float
    ratio: float
    share: float


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
        packages = dict.fromkeys(cases, OUR_PACKAGE)
        for peer in peers:
            if hasattr(peer, "passes"):
                of_peer = peer.passes(X, y, folder)
                cases |= of_peer
                packages |= dict.fromkeys(of_peer, package_of(peer))
        bought = {name: case.call() / case.n_rows for name, case in cases.items()}
        calls = {name: case.call for name, case in cases.items()}
        timings = interleaved(calls, rounds, least, process_time)
    micros = {
        name: 1e6 * timings[name].minimum / case.n_rows for name, case in cases.items()
    }
    first = next(iter(micros.values()))
    return [
        Line(
            title,
            name,
            packages[name],
            cases[name].n_rows,
            time,
            time / first,
            100 * bought[name],
        )
        for name, time in micros.items()
    ]


def pool_table(title, pool, rounds, least, peers):
    """Time loops over a pool; return a line for each."""
    print(f"\n{title}, {pool.X.shape[0]} x {pool.X.shape[1]}, {pool.n_labels} labels")
    cases = loops(pool)
    packages = dict.fromkeys(cases, OUR_PACKAGE)
    for peer in peers:
        if hasattr(peer, "loops"):
            of_peer = peer.loops(pool)
            cases |= of_peer
            packages |= dict.fromkeys(of_peer, package_of(peer))
    cases = {name: call for name, call in cases.items() if runs(name, call)}
    timings = interleaved(cases, rounds, least, process_time)
    n_bought = pool.n_labels - len(pool.first)
    micros = {name: 1e6 * timing.minimum / n_bought for name, timing in timings.items()}
    first = next(iter(micros.values()))
    share = 100 * pool.n_labels / len(pool.y)
    return [
        Line(title, name, packages[name], len(pool.y), time, time / first, share)
        for name, time in micros.items()
    ]


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
    X, y = _rows.gaussian(10_000 // shrink, 100)
    first = np.array([np.flatnonzero(y == k)[:5] for k in (0, 1)]).ravel()
    pool = Pool(X, y, first, 15 if quick else 100)
    lines += pool_table("pool", pool, rounds, 0, peers)
    write(lines, quick)


def write(lines, quick):
    """Write the table of the documentation."""
    written = []
    for title, name, package, n_rows, micros, ratio, share in lines:
        numbers = f"{n_rows:,}", rounded(micros), rounded(ratio), f"{share:.1f}"
        written.append([title, name, *numbers, package])
    header = ["rows", "method", "n", "µs", "ratio", "labels, %", "package"]
    _results.write("peers_speed.csv", header, written, quick)


if __name__ == "__main__":
    main(__doc__, benchmark)
