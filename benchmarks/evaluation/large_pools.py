"""Learners that measure distances, on a large pool beside a random part of it.

Hybrid sampling on all rows, which looks at 10,000 random rows and at the least certain
rows; the same learner on 20,000 random rows; margins on all rows. The mean accuracy on
5,000 other rows up to 200 labels (the area under the curve), batches of 20, for each
order of the rows. "blend" is the default model, "logistic" a logistic regression of
standardised features. Rows of fewer than 50,000 news are looked at one and all.

    python -m benchmarks.evaluation.large_pools [--runs FILE] [--orders 5] [--quick]
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks import data
from benchmarks.options import parse
from benchmarks.runner import Runner
from benchmarks.statistics import half_interval
from sklearn_activelearn import HybridSamplingClassifier, UncertaintySamplingClassifier

N_PART, N_TEST, BATCH = 20_000, 5_000, 20
HYBRID, PART, MARGIN = "hybrid", "hybrid, 20,000 rows", "margin"

SETS = ["covtype", "mnist", "rcv1"]

#: Rows and labels that were loaded last, by name.
LOADED = {}


class Run(NamedTuple):
    """The mean accuracy of one learner on one order of a set."""

    name: str
    model: str
    method: str
    order: int
    area: float

    @property
    def key(self):
        """The first fields, which are different in each run."""
        return self[:4]


def load(name):
    """Return rows and labels."""
    if name == "covtype":
        X, y = data.covtype()
        return X.astype(np.float32), y
    if name == "mnist":
        X, y = data.mnist()
        return X.astype(np.float32), y
    if name == "rcv1":
        X, y, _ = data.rcv1()
        return X, y
    rng = np.random.default_rng(len(name))
    X = rng.standard_normal((57_000, 3), dtype=np.float32)
    return X, (X[:, 0] > X[:, 1] ** 2).astype(int)


def run(key, budget):
    """Return the mean accuracy of one learner."""
    name, model, method, order = key
    if name not in LOADED:
        LOADED.clear()
        LOADED[name] = load(name)
    X, y = LOADED[name]
    rng = np.random.default_rng(order)
    rows = rng.permutation(len(y))
    test, pool = rows[:N_TEST], rows[N_TEST:]
    if method == PART:
        pool = pool[:N_PART]
    pool = np.sort(pool)
    X_pool, y_pool = X[pool], y[pool]
    estimator = None
    if model == "logistic":
        scaler = StandardScaler(with_mean=not issparse(X))
        estimator = make_pipeline(scaler, LogisticRegression(max_iter=500))
    how = {"batch_size": BATCH, "budget": budget, "random_state": order}
    if method == MARGIN:
        learner = UncertaintySamplingClassifier(estimator, **how)
    else:
        learner = HybridSamplingClassifier(estimator, **how)
    at, scores = [], []
    while len(bought := learner.query(X_pool)):
        learner.teach(X_pool[bought], y_pool[bought])
        at.append(learner.n_taught_)
        scores.append(learner.score(X[test], y[test]))
    area = np.trapezoid(scores, at) / (at[-1] - at[0])
    return Run(name, model, method, order, float(area))


def main(argv=None):
    """Print a line for each set and model."""
    args = parse(__doc__, argv, runs=Path, orders=5, sets=SETS, jobs=1)
    names, budget = args.sets or SETS, 200
    models = {"logistic": (HYBRID, PART, MARGIN), "blend": (HYBRID, PART)}
    if args.quick:
        names, args.orders, budget = ["toy"], 1, 30
        models = {"logistic": (HYBRID, PART, MARGIN)}
    runner = Runner(args.runs, Run, "evaluation.large_pools", argv, args.jobs)
    tasks = [
        ((name, model, method, order), run, budget)
        for model, methods in models.items()
        for name in names
        for order in range(args.orders)
        for method in methods
    ]
    runner.run(tasks)
    for name in names:
        for model, methods in models.items():
            for method in methods:
                report(runner.done, name, model, method)


def report(done, name, model, method):
    """Print the mean area of one learner beside hybrid sampling on all rows."""
    pairs = [
        (run.area, done[name, model, HYBRID, run.order].area)
        for run in done.values()
        if run.key[:3] == (name, model, method)
        and (name, model, HYBRID, run.order) in done
    ]
    if pairs:
        own, hybrid = 100 * np.transpose(pairs)
        gain = hybrid - own
        print(
            f"{name}, {model}, {method}: {own.mean():.2f} %; {HYBRID} gains "
            f"{gain.mean():+.2f} ± {half_interval(gain):.2f} points "
            f"({len(pairs)} orders)"
        )


if __name__ == "__main__":
    main()
