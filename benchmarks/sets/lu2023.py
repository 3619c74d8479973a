"""Pool learners on a published benchmark, one label at a time, seed by seed.

P.-Y. Lu, C.-L. Li, H.-T. Lin, "Re-benchmarking Pool-Based Active Learning for Binary
Classification", 2023 (arXiv 2306.08954): twenty of its 26 sets, with its splits. A seed
shuffles the rows; the first 60 % are the pool, standardised, the others the test set.
The same seed shuffles the pool, and its first 20 rows are taught, unasked. The model is
an SVC with an RBF kernel, C = 1 and gamma = 1 / number of columns; the others of the
pool are bought one at a time, and accuracy is measured after each.

aubc   the published measure: the area under all accuracies but the first one (that of
       the 20 labels), trapezoids, divided by how many there are; once a pool is empty
area   the mean height of the curve from 20 to 120 labels, or to the end of a pool

`margin, loop` is the published rule without this package, with which the published
figures come out to the last digit. A method with a model of its own is scored by that
("own") and by the SVC on the rows that it bought ("svc"). Each run is a line of the
results, and is not run again if it is there; `benchmarks.sets.lu2023_report` reads
them.

    python -m benchmarks.sets.lu2023 [--methods NAME ...] [--only SET ...] [--seeds 20]
        [--whole] [--results results/lu2023.csv] [--quick]

`--whole` empties the pools. The sets are read from the folder `lu2023` beside the other
local data sets, `NAME.npz` with arrays X and y.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from time import perf_counter
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks import data
from benchmarks.options import parse
from benchmarks.problems import Split
from benchmarks.results import read_runs, show_table
from benchmarks.runner import Runner
from benchmarks.sets.methods import STUMPS
from sklearn_activelearn import (
    FASSLBoostClassifier,
    HybridSamplingClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByBoostingClassifier,
    QueryByCommitteeClassifier,
    UncertaintyHerdingClassifier,
)

RESULTS = "results/lu2023.csv"
MODEL = SVC(C=1.0, gamma="auto")
#: Labels that are taught before the first purchase, and bought unless `--whole`.
N_TAUGHT, N_BOUGHT = 20, 100

#: Two sets whose published input is not in the local files, and sets whose pools take
#: minutes to empty.
OTHER_INPUT, LARGE = ["tic", "breast"], ["spambase", "banana", "twonorm"]
SETS = [
    *["appendicitis", "ex8b", "sonar", "haberman", "heart", "ionosphere", "wdbc"],
    *["clean1", "ex8a", "diabetes", "australian", "gcloudb", "german", "splice"],
    *["checkerboard", *OTHER_INPUT, *LARGE],
]


class Method(NamedTuple):
    """A way to buy labels.

    Attributes
    ----------
    make : callable
        Returns a learner, given `random_state` and `budget`.
    has_own_model : bool
        Whether it predicts by another model than `MODEL`.
    """

    make: Callable
    has_own_model: bool = False


class MarginLoop:
    """The published rule: the first row in the pool of the smallest decision value."""

    def __init__(self, *, random_state, budget):
        self.rows = np.empty(0, dtype=int)

    def query(self, X, *, ids):
        """Return the next row of the pool."""
        left = np.setdiff1d(ids, self.rows)
        self.pool, values = X, np.abs(self.model.decision_function(X[left]))
        return left[[np.argmin(values)]]

    def teach(self, X, y, *, ids):
        """Train the model, on its rows in the order of the pool."""
        at = np.searchsorted(self.rows, ids)
        X, y = (
            (X, y)
            if not len(self.rows)
            else (np.insert(self.X, at, X, axis=0), np.insert(self.y, at, y))
        )
        self.X, self.y, self.rows = X, y, np.insert(self.rows, at, ids)
        self.model = clone(MODEL).fit(X, y)

    def predict(self, X):
        """Return the classes that the model predicts."""
        return self.model.predict(X)


def around(learner, **settings):
    """Return the row of a learner around the benchmark's model."""
    return Method(partial(learner, MODEL, **settings))


COMMITTEE = {"C": [0.1, 1.0, 10.0]}

METHODS = {
    "margin, loop": Method(MarginLoop),
    "random": around(PassiveClassifier),
    "margin": around(MinMarginClassifier),
    "hybrid": around(HybridSamplingClassifier),
    "Uncertainty Herding": around(UncertaintyHerdingClassifier),
    "Uncertainty Herding, local": around(UncertaintyHerdingClassifier, radius="local"),
    "committee": Method(
        partial(QueryByCommitteeClassifier, MODEL, param_grid=COMMITTEE, cv=3), True
    ),
    "stumps, random": Method(partial(PassiveClassifier, STUMPS), True),
    "FASSL-Boost": Method(FASSLBoostClassifier, True),
    "query by boosting": Method(QueryByBoostingClassifier, True),
}


class ProbabilisticSVC(SVC):
    """An SVC with probabilities, which many peers need, in the order of its values."""

    def predict_proba(self, X):
        """Return a sigmoid of the decision values."""
        second = expit(self.decision_function(X))
        return np.column_stack([1 - second, second])


def all_methods():
    """Return the methods by name, with strategies of scikit-activeml if installed."""
    try:
        peers = import_module("benchmarks.sets._peers_skactiveml").METHODS
    except ModuleNotFoundError:
        return METHODS
    model = ProbabilisticSVC(**MODEL.get_params())
    settings = {"n_initial": N_TAUGHT, "batch_size": 1}
    return METHODS | {
        name: Method(partial(method.make, model, **settings))
        for name, method in peers.items()
    }


class Result(NamedTuple):
    """A run: what was run, and what it came to.

    `n_labels` is how many there were at the end; the scores are means over the curve
    and at its end, of at most `N_BOUGHT` purchases, accuracy plain and balanced. `aubc`
    is NaN unless the pool is empty.
    """

    set: str
    method: str
    model: str
    seed: int
    n_pool: int
    n_test: int
    n_labels: int
    area: float
    balanced_area: float
    final: float
    balanced_final: float
    aubc: float
    seconds: float

    @property
    def key(self):
        """The set, the method and the seed: unique, but for a run that went on."""
        return self.set, self.method, self.seed

    @property
    def order(self):
        """The seed, which pairs runs of several methods."""
        return self.seed


def toy():
    """Return some rows of two classes."""
    X, y = load_breast_cancer(return_X_y=True)
    return X[::10], y[::10]


def split(X, y, seed):
    """Return the split of a seed, as published."""
    rows, n_pool = np.arange(len(y)), int(0.6 * len(y))
    np.random.default_rng(seed).shuffle(rows)
    pool, test = rows[:n_pool], rows[n_pool:]
    np.random.default_rng(seed).shuffle(pool)
    scaler = StandardScaler().fit(X[pool])
    return Split(scaler.transform(X[pool]), y[pool], scaler.transform(X[test]), y[test])


def run(method, seed, pool, n_labels):
    """Return label counts and, by model, accuracies (plain, balanced) at each."""
    learner, ids = method.make(random_state=seed, budget=None), np.arange(len(pool.y))
    rows = taught = ids[:N_TAUGHT]
    counts, scores = [], {"own": [], "svc": []} if method.has_own_model else {"svc": []}
    while True:
        learner.teach(pool.X[rows], pool.y[rows], ids=rows)
        counts.append(len(taught))
        for name, of_model in scores.items():
            model = learner
            if method.has_own_model and name == "svc":
                model = clone(MODEL).fit(pool.X[taught], pool.y[taught])
            of_model.append(accuracies(model.predict(pool.X_test), pool.y_test))
        if len(taught) >= n_labels:
            return counts, scores
        rows = learner.query(pool.X, ids=ids)
        taught = np.append(taught, rows)


def accuracies(predicted, y):
    """Return the share of right answers, and its mean over the classes."""
    is_right = predicted == y
    return is_right.mean(), np.mean([is_right[y == k].mean() for k in np.unique(y)])


def summary(counts, scores, n_pool):
    """Return the areas and ends of a curve, and the published measure."""
    n = np.searchsorted(counts, N_TAUGHT + N_BOUGHT, side="right")
    early, heights = np.array(counts[:n]), np.array(scores)
    area = np.trapezoid(heights[:n].T, early) / (early[-1] - early[0])
    aubc = np.nan
    if counts[-1] == n_pool and len(counts) == n_pool - N_TAUGHT + 1:
        aubc = np.trapezoid(heights[1:, 0]) / (len(counts) - 1)
    plain, balanced = heights[n - 1]
    return [*area, plain, balanced, aubc]


def tasks_of(name, X, y, methods, args, done):
    """Yield what is missing of a set, seed by seed."""
    for seed in range(args.seeds):
        pool = split(X, y, seed)
        n_pool = len(pool.y)
        n_labels = n_pool if args.whole else min(n_pool, N_TAUGHT + N_BOUGHT)
        for title, method in methods.items():
            known = [run.n_labels for run in done if run.key == (name, title, seed)]
            if max(known, default=0) < n_labels:
                yield (name, title, seed, n_labels), measure, method, pool


def measure(key, method, pool):
    """Return the results of a run, one for each model that is scored."""
    name, title, seed, n_labels = key
    started, n_pool = perf_counter(), len(pool.y)
    counts, scores = run(method, seed, pool, n_labels)
    seconds = round(perf_counter() - started, 2)
    sizes = n_pool, len(pool.y_test), counts[-1]
    return [
        Result(
            *(name, title, model, seed, *sizes),
            *np.round(summary(counts, of_model, n_pool), 6).tolist(),
            seconds,
        )
        for model, of_model in scores.items()
    ]


def main(argv=None):
    known = all_methods()
    args = parse(
        __doc__,
        argv,
        quick={"seeds": 2, "only": ["toy"]},
        methods=known,
        only=SETS,
        seeds=20,
        whole=False,
        results=RESULTS,
    )
    methods = {name: known[name] for name in args.methods or METHODS}
    runner = Runner(args.results, Result, "sets.lu2023", argv)
    done = read_runs(args.results, Result)
    for name in args.only or SETS:
        try:
            X, y = toy() if name == "toy" else data.lu2023(name)
        except OSError as error:
            print(f"{name} is left out: {error}", flush=True)
            continue
        runs = runner.run(tasks_of(name, X, y, methods, args, done))
        show_table(Result._fields, runs)


if __name__ == "__main__":
    main()
