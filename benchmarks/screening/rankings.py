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

#: Labels are so many times as many from one plan to the next.
STEP = 1.1


class Ranking(NamedTuple):
    """One order of the rows of a task."""

    order: np.ndarray  # row numbers
    y: np.ndarray  # relevant, in this order
    n_read: np.ndarray  # of each plan
    probabilities: list  # for each plan, of the rows from there on in this order


def ranking_of(task, seed):
    """Return the order of one run, and the probabilities on the way."""
    X, y = task.X, task.y
    order, n = list(task.start(seed)), len(task.y)
    is_left = np.ones(n, dtype=bool)
    is_left[order] = False
    plans, due = [], 20
    while len(order) < n:
        known = np.array(order)
        rows, labels = X[known], y[known]
        n_relevant = int(labels.sum())
        ratio = 9.8 * (len(labels) - n_relevant) / n_relevant
        model = LinearSVC(C=0.11, class_weight={True: ratio, False: 1}, random_state=0)
        (left,) = np.nonzero(is_left)
        scores = model.fit(rows, labels).decision_function(X[left])
        if len(order) >= due:
            due = len(order) * STEP
            p = np.zeros(n)
            logistic = LogisticRegression(C=100, solver="liblinear").fit(rows, labels)
            p[left] = logistic.predict_proba(X[left])[:, 1]
            plans.append((len(order), p))
        best = np.argsort(-scores, kind="stable")[: max(10, len(order) // 20)]
        order += left[best].tolist()
        is_left[left[best]] = False
    order = np.array(order)
    n_read = np.array([read for read, _ in plans])
    return Ranking(order, y[order], n_read, [p[order[read:]] for read, p in plans])


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
