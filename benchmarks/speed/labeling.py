"""What a durable session costs beside the training that happens anyway.

A label, the next row, and opening the session again: a learner that is restored with
one training, and learners that are taught the recorded labels again. The disk decides
much of it, so one fsync is timed in the same minute.

The next row of 20,000 texts with the learner of the command `label`: in all, and of it
training and choosing, which the same loop without a session does, too.

Then large sessions, whose labels are imported: 1,500 labels with each stopping rule,
20,000 labels, and a pool of a million rows; pages of 20 of 50,000 labelled rows.

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
from sklearn_activelearn import (
    CBGZClassifier,
    HybridSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn._cli.rows import N_ROWS
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.pool import LabelPrice
from sklearn_activelearn.pool.stopping._base import STOPPING_RULES
from sklearn_activelearn.preprocessing import TextEncoder


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
            n_asked = work.status().asked
            took, id = timed(work.next)
            if work.status().asked > n_asked:
                rounds.append(took)
            if id is None:
                break
            labels.append(timed(work.label, id, int(y[id]))[0])
    resumed, work = timed(lambda: LabelingSession(learner, X, path, **arguments))
    work.close()
    line = f"  {name:12} {len(labels):6} {np.median(labels):9.2f} {resumed:11.0f}"
    if hasattr(learner, "correct"):
        once, _ = timed(
            clone(learner.estimator).fit, X[: len(labels)], y[: len(labels)]
        )
        beyond = np.median(rounds) - np.median(plain(learner, X, y, classes))
        line += f" {once:12.1f} {beyond:12.1f}"
    print(line, flush=True)


def texts(n_rows, n_labels, folder):
    """Print the milliseconds until the next row of texts, with and without training."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n_rows)
    shares = rng.dirichlet(np.full(5_000, 0.1), size=2)
    items = [" ".join(f"w{word}" for word in rng.choice(5_000, 40, p=shares[c]))
             for c in y]  # fmt: skip
    X = TextEncoder(["text"]).fit_transform({"text": items})
    few = {"n_coverage": N_ROWS, "n_candidates": N_ROWS, "batch_size": 10}
    learner = HybridSamplingClassifier(**few, budget=n_labels, random_state=0)
    path, rounds = Path(folder, "texts.sqlite"), []
    how = {"items": items, "ids": list(range(n_rows)), "classes": [0, 1]}
    with LabelingSession(learner, X, path, **how) as session:
        id = -1
        while id is not None:
            n_asked = session.status().asked
            took, id = timed(session.next)
            if id is None or session.status().asked > n_asked:
                rounds.append(took)
            if id is not None:
                session.label(id, int(y[id]))
    alone = plain(learner, X, y, [0, 1])
    whole, part = np.sum(rounds) / len(alone), np.mean(alone)
    print(
        f"\n  next row of {n_rows:,} texts, ms a round: {whole:.0f}, of which "
        f"{part:.0f} are training and choosing; beyond {whole - part:.0f}",
        flush=True,
    )


def import_labels(session, rows, y, folder):
    """Give a session the labels of rows."""
    path = Path(folder, "labels.csv")
    lines = "\n".join(f"{row},{y[row]},person {row % 20}" for row in rows)
    path.write_text(f"id,label,who\n{lines}\n")
    session.import_labels(path)


def time_page(session, search):
    """Return the milliseconds of one page."""
    return timed(lambda: session.review(limit=20, **search))[0]


def pages(n_labels, folder):
    """Print the milliseconds of pages of a long list."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n_labels, 5)), rng.integers(2, size=n_labels)
    texts = [f"text {row}" for row in range(n_labels)]
    learner = UncertaintySamplingClassifier(LogisticRegression(), random_state=0)
    path, how = Path(folder, "pages.sqlite"), {"classes": [0, 1], "items": texts}
    with LabelingSession(learner, X, path, ids=list(range(n_labels)), **how) as session:
        import_labels(session, range(n_labels), y, folder)
        print(f"\n  20 of {n_labels:,} labelled rows, ms")
        for name, search in {
            "first page": {}, "last page": {"start": n_labels - 20},
            "one label": {"label": 1}, "one person": {"who": "person 3"},
            "a word": {"text": "text 7"}, "a date": {"since": "2020-01-01"},
        }.items():  # fmt: skip
            session.review(limit=20, **search)
            took = [time_page(session, search) for _ in range(5)]
            print(f"  {name:12} {np.median(took):9.1f}", flush=True)


def large_session(n_rows, n_labels, stopping, folder):
    """Print a line for a session with so many labels."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, 20))
    y = (X[:, 0] + rng.standard_normal(n_rows) > 0).astype(int)
    rows = rng.permutation(n_rows)[:n_labels].tolist()
    rule = stopping if stopping is None or isinstance(stopping, str) else "LabelPrice"
    learner = UncertaintySamplingClassifier(
        LogisticRegression(), budget=None, stopping=stopping, random_state=0
    )
    path = Path(folder, f"{n_rows} {n_labels} {rule}.sqlite")
    arguments = {"ids": list(range(n_rows)), "classes": [0, 1]}
    begun, work = timed(lambda: LabelingSession(learner, X, path, **arguments))
    if rows:
        import_labels(work, rows, y, folder)
    work.close()
    once = 0.0
    if rows:
        once, _ = timed(clone(learner.estimator).fit, X[rows], y[rows])
    opened, work = timed(lambda: LabelingSession(learner, X, path, **arguments))
    status, _ = timed(work.status)
    shown, id = timed(work.next)
    label = undone = 0.0
    if id is not None:
        label, _ = timed(work.label, id, int(y[id]))
        work.undo()
    if rows:
        undone, _ = timed(work.undo, f"person {rows[-1] % 20}")
    work.close()
    numbers = begun, opened, once, status, shown, label, undone
    numbers = " ".join(f"{number:9.2f}" for number in numbers)
    print(f"  {n_rows:9,} {n_labels:7,} {rule or '-':21} {numbers}", flush=True)


def benchmark(quick, rounds):
    n_rows, budget = (500, 60) if quick else (10_000, 1000)
    X, y = make_classification(n_rows, 50, n_informative=10, random_state=0)
    pool = {"n_initial": 10, "batch_size": 10, "budget": budget, "random_state": 0}
    learners = {
        "restored": UncertaintySamplingClassifier(LogisticRegression(), **pool),
        "taught": UncertaintySamplingClassifier(
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
                "  learner      labels  label, ms  resume, ms  one fit, ms  next beyond"
            )
            for name, learner in learners.items():
                session(name, learner, X, y, folder)
    scale = 100 if quick else 1
    price = LabelPrice(cost=1e9, label=1e-9)
    named = ["stable_predictions"] if quick else [*STOPPING_RULES]
    suited = [rule for rule in named if rule != "margin_exhausted"]  # of SVMs only
    rules = [*suited, price]
    sizes = [(20_000, 1500, rule) for rule in rules]
    sizes += [(30_000, 20_000, None), (1_000_000, 0, None)]
    with tempfile.TemporaryDirectory(dir=places[-1]) as folder:
        names = "begin, ms", "opening", "training", "status", "next", "label", "undo"
        names = " ".join(f"{name:>9}" for name in names)
        print(f"\n  {'rows':>9} {'labels':>7} {'stopping':21} {names}")
        for n_rows, n_labels, rule in sizes:
            large_session(n_rows // scale, n_labels // scale, rule, folder)
        texts(20_000 // scale, 40 if quick else 200, folder)
        pages(50_000 // scale, folder)


if __name__ == "__main__":
    main(__doc__, benchmark)
