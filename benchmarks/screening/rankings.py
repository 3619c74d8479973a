"""The order in which a model asks for the rows of a task, computed once and stored.

A linear SVM, trained again after each 5 % more labels (10 at least), asks for the rows
that score highest. Probabilities, after each 10 % more labels, are those that
`RecallTarget` plans with.

    python -m benchmarks.screening.rankings [--out rankings] [--orders 10] [--quick]
"""

from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from benchmarks.options import parse
from benchmarks.screening import tasks

#: Ratio of the numbers of labels at a plan and at the plan before it.
STEP = 1.1


class Ranking(NamedTuple):
    """One order of the rows of a task."""

    order: np.ndarray  # row numbers
    y: np.ndarray  # relevant, in this order
    n_read: np.ndarray  # of each plan
    probabilities: list  # for each plan, of the rows from there on in this order


def search(task, seed):
    """Yield the rows read, in order, and the rows left: before each batch, and last.

    The next rows are the ones that score highest, by a model of the rows read.
    """
    X, y = task.X, task.y
    order, is_left = task.start(seed), np.ones(len(y), dtype=bool)
    is_left[order] = False
    while is_left.any():
        (left,), labels = np.nonzero(is_left), y[order]
        yield order, left
        ratio = 9.8 * (len(labels) - labels.sum()) / labels.sum()
        model = LinearSVC(C=0.11, class_weight={True: ratio, False: 1}, random_state=0)
        scores = model.fit(X[order], labels).decision_function(X[left])
        best = left[np.argsort(-scores, kind="stable")[: max(10, len(order) // 20)]]
        order = np.append(order, best)
        is_left[best] = False
    yield order, np.flatnonzero(is_left)


def chances(task, read, left):
    """Return the probabilities that rows are relevant, by a model of the rows read."""
    logistic = LogisticRegression(C=100, solver="liblinear")
    return logistic.fit(task.X[read], task.y[read]).predict_proba(task.X[left])[:, 1]


def ranking_of(task, seed):
    """Return the order of one run, and the probabilities on the way."""
    plans, due = [], 20
    for order, left in search(task, seed):
        if len(order) >= due and len(left):
            due = len(order) * STEP
            p = np.zeros(len(task.y))
            p[left] = chances(task, order, left)
            plans.append((len(order), p))
    n_read = np.array([read for read, _ in plans])
    chances_left = [p[order[read:]] for read, p in plans]
    return Ranking(order, task.y[order], n_read, chances_left)


def write(file, ranking):
    """Store a ranking."""
    sizes = [len(p) for p in ranking.probabilities]
    np.savez_compressed(
        file,
        order=ranking.order,
        y=ranking.y,
        n_read=ranking.n_read,
        probabilities=np.concatenate(ranking.probabilities).astype(np.float32),
        sizes=sizes,
    )


def read(file):
    """Return a ranking that was stored."""
    with np.load(file) as z:
        p = np.split(z["probabilities"].astype(float), np.cumsum(z["sizes"])[:-1])
        return Ranking(z["order"], z["y"], z["n_read"], p)


def main():
    out = Path("rankings")
    args = parse(__doc__, quick={"orders": 3}, out=out, orders=10, tasks=[str])
    all_tasks = tasks.TOY if args.quick else tasks.all_tasks()
    args.out.mkdir(parents=True, exist_ok=True)
    for seed in range(args.orders):
        for name in args.tasks or all_tasks:
            file = args.out / f"{name}_{seed}.npz"
            if file.exists():
                continue
            start = perf_counter()
            write(file, ranking_of(all_tasks[name](), seed))
            print(name, seed, f"{perf_counter() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
