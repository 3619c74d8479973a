"""What a durable session costs beside the training that happens anyway.

A label, the next row, and taking the session up again: once where the learner's model
follows from its labels (replayed with one training), and once where every call is
made again. The disk decides much of it, so one fsync is timed in the same minute.

    python -m benchmarks.speed.labeling
    python -m benchmarks.speed.labeling --quick  # seconds: does it run?
"""

import os
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, SGDClassifier

from benchmarks.speed._interleave import main
from sklearn_activelearn import CBGZClassifier, UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession


def timed(call, *arguments):
    """Return the milliseconds that a call takes, and what it returns."""
    started = perf_counter()
    out = call(*arguments)
    return (perf_counter() - started) * 1e3, out


def fsync(folder):
    """Return the median milliseconds of one fsync of 4 kB."""
    with open(Path(folder, "fsync"), "wb", buffering=0) as file:

        def write():
            file.write(b"x" * 4096)
            os.fsync(file.fileno())

        return np.median([timed(write)[0] for _ in range(50)])


def plain(learner, X, y, classes):
    """Run the loop without a session; return the milliseconds of each round."""
    learner, spent = clone(learner), []
    while True:
        took, rows = timed(learner.query, X)
        spent.append(took)
        if not len(rows):
            return np.array(spent)
        took, _ = timed(lambda rows=rows: learner.teach(X[rows], y[rows], classes))
        spent[-1] += took


def session(name, learner, X, y, folder):
    """Print a line for one learner."""
    path, classes = Path(folder, f"{name}.sqlite"), np.unique(y).tolist()
    arguments = {"ids": list(range(len(X))), "classes": classes}
    labels, rounds = [], []
    with LabelingSession(learner, X, path, **arguments) as work:
        while True:
            n_asked = len(work._state.asked)
            took, id = timed(work.next)
            if len(work._state.asked) > n_asked:
                rounds.append(took)
            if id is None:
                break
            labels.append(timed(work.label, id, int(y[id]))[0])
    resumed, work = timed(lambda: LabelingSession(learner, X, path, **arguments))
    work.close()
    line = f"  {name:12} {len(labels):6} {np.median(labels):9.2f} {resumed:11.0f}"
    if learner._group is None:
        once, _ = timed(
            clone(learner.estimator).fit, X[: len(labels)], y[: len(labels)]
        )
        beyond = np.median(rounds) - np.median(plain(learner, X, y, classes))
        line += f" {once:12.1f} {beyond:12.1f}"
    print(line, flush=True)


def benchmark(quick, rounds):
    n_rows, budget = (500, 60) if quick else (10_000, 1000)
    X, y = make_classification(n_rows, 50, n_informative=10, random_state=0)
    pool = {"n_initial": 10, "batch_size": 10, "budget": budget, "random_state": 0}
    learners = {
        "cold": UncertaintySamplingClassifier(LogisticRegression(), **pool),
        "in full": UncertaintySamplingClassifier(
            SGDClassifier(loss="log_loss"), incremental=True, **pool
        ),
        "stream": CBGZClassifier(b=1.0, budget=budget, random_state=0),
    }
    places = [Path(tempfile.gettempdir()), Path("/dev/shm")]
    for place in filter(Path.is_dir, places):
        with tempfile.TemporaryDirectory(dir=place) as folder:
            print(
                f"\n{place}, one fsync {fsync(folder):.2f} ms; a pool of {n_rows} x 50"
            )
            print(
                "  replayed     labels  label, ms  resume, ms  one fit, ms  next beyond"
            )
            for name, learner in learners.items():
                session(name, learner, X, y, folder)


if __name__ == "__main__":
    main(__doc__, benchmark)
