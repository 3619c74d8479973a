"""Rows read until relevance sampling finds all relevant rows, with several models.

From one relevant row and another one, in batches of 5 % of the labels so far, until all
relevant rows are found.

default   the default estimator on TF-IDF
ranks     the average of the ranks that it gives on TF-IDF, and on its first 100
          principal directions alone (LSA), each row divided by its norm
random    rows in random order

    python -m benchmarks.screening.ranking --results FILE [--tasks kitchenham ...]
        [--methods ranks ...] [--seeds 3] [--tuning] [--quick]

The seed is the number of the start, and that of the learner. LSA is fitted once on all
rows of a task, with seed 0. `--tuning` takes topics that are no tasks.
"""

from itertools import product
from time import perf_counter

import joblib
import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.compose import make_column_transformer
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.svm import LinearSVC

from benchmarks.options import parse
from benchmarks.results import show_table
from benchmarks.runner import Runner
from benchmarks.screening import tasks
from benchmarks.screening.results import Run, run_of
from sklearn_activelearn import (
    RankAverageClassifier,
    RelevanceSamplingClassifier,
    __version__,
)

#: Principal directions.
N_LSA = 100
#: Of the labels so far: a batch.
SHARE = 0.05


def model():
    """Return the default estimator."""
    return LinearSVC(C=0.1, class_weight="balanced")


def on(columns):
    """Return the default estimator on some columns."""
    return make_pipeline(make_column_transformer(("passthrough", columns)), model())


#: Whether it needs LSA, and the estimator.
METHODS = {
    "default": (False, None),
    "ranks": (
        True,
        RankAverageClassifier(
            [("terms", on(slice(0, -N_LSA))), ("lsa", on(slice(-N_LSA, None)))]
        ),
    ),
    "random": (False, None),
}


#: Principal directions of rows, by a hash of these: several tasks share them.
DIRECTIONS = {}


def with_lsa(X):
    """Return rows with their places along principal directions."""
    key = joblib.hash(X)
    if key not in DIRECTIONS:
        lsa = make_pipeline(
            TruncatedSVD(min(N_LSA, X.shape[1] - 1), random_state=0), Normalizer()
        )
        DIRECTIONS[key] = csr_matrix(lsa.fit_transform(X))
    return hstack([X, DIRECTIONS[key]]).tocsr()


def order_of(learner, X, y, start):
    """Return rows in the order in which they are bought, until all are found."""
    order, n_found = list(start), int(y[start].sum())
    learner.teach(X[start], y[start])
    while n_found < y.sum():
        rows = learner.query(X)
        order.extend(rows.tolist())
        n_found += int(y[rows].sum())
        learner.teach(X[rows], y[rows])
    return np.array(order)


def random_order(y, start, seed):
    """Return all rows in random order, after the first ones."""
    others = np.setdiff1d(np.arange(len(y)), start)
    return np.append(start, np.random.default_rng(seed).permutation(others))


def run(key, task):
    """Return the run of a method on a task."""
    name, method, seed = key
    needs_lsa, estimator = METHODS[method]
    start, begin = task.start(seed), perf_counter()
    if method == "random":
        order = random_order(task.y, start, seed)
    else:
        learner = RelevanceSamplingClassifier(
            estimator, batch_size=SHARE, budget=None, random_state=seed
        )
        X = with_lsa(task.X) if needs_lsa else task.X
        begin = perf_counter()
        order = order_of(learner, X, task.y, start)
    seconds = perf_counter() - begin
    return run_of(name, method, __version__, seed, task.y, order, seconds)


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        quick={"seeds": 1},
        results=str,
        tasks=[str],
        methods=METHODS,
        seeds=3,
        tuning=False,
    )
    all_tasks = tasks.tuning_tasks if args.tuning else tasks.all_tasks
    all_tasks = tasks.TOY if args.quick else all_tasks()
    runner = Runner(args.results, Run, "screening.ranking", argv)
    for name in args.tasks or all_tasks:
        keys = product([name], args.methods or METHODS, range(args.seeds))
        task = all_tasks[name]()
        runs = runner.run((key, run, task) for key in keys)
        lines = [[*one.key, one.wss(0.95), one.wss(1.0)] for one in runs]
        show_table(["task", "method", "seed", "WSS@95", "WSS@100"], lines)


if __name__ == "__main__":
    main()
