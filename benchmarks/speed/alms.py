"""ALMS: processor seconds per round, models trained together beside models refitted.

A round looks at all rows of the pool and leaves out all pairs of validation rows, for
21 penalties of logistic regression. One third of the labels validate. `together` is
timed in full; `refit` is scikit-learn's `LogisticRegression` on some of the same
trainings, and its seconds per round are their mean times the number of trainings. The
errors are the mean and the largest difference of the losses from those of
`LogisticRegression(solver="newton-cholesky", tol=1e-10)` on the same trainings, with
guesses that are wrong half of the time. A second table has one penalty in each line, a
third what whole runs take: heart with these penalties, and 2,000 rows with the default
parameters, all but the labels. All but a toy run write them to
docs/results/alms_speed.csv, alms_speed_by_penalty.csv and alms_speed_whole_run.csv.

    python -m benchmarks.speed.alms [--quick]
"""

from functools import partial
from math import log2
from time import process_time

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from benchmarks import data
from benchmarks.speed import _results
from benchmarks.speed._interleave import main
from sklearn_activelearn import ALMSClassifier
from sklearn_activelearn.pool._ledger import Labelled
from sklearn_activelearn.pool.alms._models import JointModels, RefittedModels
from sklearn_activelearn.pool.alms._value_of_information import (
    model_probabilities,
    values_of_information,
)

LAMS = [2.0**power for power in range(-10, 11)]
ERRORS = ["mean error", "largest error"]
HEAD = [
    "rows",
    "labels",
    "pool",
    "trainings",
    "together, s",
    "refit, s",
    "ratio",
    *ERRORS,
]
PENALTY_HEAD = ["rows", "lambda", "together, us", "refit, us", "ratio", *ERRORS, "goal"]
WHOLE_HEAD = [
    "rows",
    "pool",
    "features",
    "penalties",
    "labels",
    "trainings",
    "processor, s",
    "us for a training",
]
#: how many times as fast as refitting, at lambda = 1
GOAL = 100


def gaussian():
    """Return rows of 60 normal features and labels with noise."""
    rng = np.random.RandomState(0)
    X, w = rng.standard_normal((600, 60)), rng.standard_normal(60)
    return X, np.where(X @ w + 4 * rng.standard_normal(600) > 0, 1, -1)


def start(X, y, n_labels, n_pool, seed):
    """Return labelled rows, which of them validate, and a pool."""
    rows = np.random.RandomState(seed).permutation(len(y))[: n_labels + n_pool]
    X, codes = StandardScaler().fit_transform(X[rows]), (y[rows] > 0).astype(np.int32)
    is_validation = np.arange(n_labels) % 3 == 2
    return Labelled(X[:n_labels], codes[:n_labels]), is_validation, X[n_labels:]


def engine(kind, lams, labelled, is_validation, pool, **solver):
    models = [LogisticRegression(C=1 / lam, max_iter=5000, **solver) for lam in lams]
    if kind is JointModels:
        return JointModels(models, labelled, is_validation, pool)
    return RefittedModels(models, labelled, is_validation, np.arange(2), pool)


def seconds(function, *args):
    started = process_time()
    out = function(*args)
    return process_time() - started, out


def whole_round(known):
    models, rng = engine(JointModels, LAMS, *known), np.random.default_rng(0)
    return values_of_information(models, model_probabilities, None, None, rng)


def some_trainings(lams, known, n_pairs, n_pool=2):
    """Return seconds for each training again, and errors of those done together."""
    labelled, is_validation, pool = known
    rng = np.random.default_rng(0)
    pairs = rng.permutation(all_pairs(is_validation))[:n_pairs]
    some = labelled, is_validation, rng.permutation(pool)[:n_pool]
    guesses = rng.integers(2, size=n_pool)
    again = engine(RefittedModels, lams, *some)
    with_each = np.arange(n_pool), pairs, guesses
    time, _ = seconds(again.without_but_with, *with_each)
    exact = {"solver": "newton-cholesky", "tol": 1e-10}
    losses = engine(RefittedModels, lams, *some, **exact).without_but_with(*with_each)
    together = engine(JointModels, lams, *some).without_but_with(*with_each)
    error = np.abs(losses - together)
    return time / (len(lams) * n_pairs * n_pool), error.mean(), error.max()


def all_pairs(is_validation):
    return np.transpose(np.triu_indices(np.count_nonzero(is_validation), 1))


def rounds_of(name, known, n_labels):
    """Return the line of one round."""
    v, n_pool = np.count_nonzero(known[1]), len(known[2])
    n_pairs = v * (v - 1) // 2
    n_trainings = len(LAMS) * (n_pool * n_pairs + n_pairs + v + 1)
    own, _ = seconds(whole_round, known)
    each, mean, most = some_trainings(LAMS, known, 3)
    times = map(_results.rounded, (own, each * n_trainings, each * n_trainings / own))
    errors = f"{mean:.0e}", f"{most:.0e}"
    return [name, n_labels, n_pool, f"{n_trainings:,}", *times, *errors]


def by_penalty(name, known, lam):
    """Return the line of one penalty."""
    models, pairs = engine(JointModels, [lam], *known), all_pairs(known[1])
    guesses = models.trained()[1][0].argmax(axis=1)
    own, losses = seconds(
        models.without_but_with, np.arange(len(known[2])), pairs, guesses
    )
    own /= losses[..., 0].size
    each, mean, most = some_trainings([lam], known, 15)
    goal = f">= {GOAL}" if lam == 1 else ""
    times = map(_results.rounded, (1e6 * own, 1e6 * each, each / own))
    errors = f"{mean:.0e}", f"{most:.0e}"
    return [name, f"2^{log2(lam):.0f}", *times, *errors, goal]


def whole_run(name, X, y, budget, **params):
    """Return the line of a whole run."""
    learner = ALMSClassifier(budget=budget, random_state=0, **params)
    time, _ = seconds(learner.fit, StandardScaler().fit_transform(X), y)
    n_models = len(learner.model_names_)
    n_first = budget - len(learner.voi_history_)
    v = np.cumsum(learner.allocation_ == "validation")[n_first - 1 : -1]
    left = len(y) - np.arange(n_first, budget)
    n_trainings = n_models * int((left * v * (v - 1) // 2).sum())
    sizes = [f"{number:,}" for number in (len(y), X.shape[1], n_models, budget)]
    times = map(_results.rounded, (time, 1e6 * time / n_trainings))
    return [name, *sizes, f"{n_trainings:,}", *times]


def whole_runs(quick):
    """Write the table of whole runs."""
    n_rows, budget = (60, 14) if quick else (2000, 100)
    made = make_classification(n_rows, 20, random_state=0)
    lines = [whole_run("make_classification", *made, budget)]
    if quick:
        _results.write("alms_speed_whole_run.csv", WHOLE_HEAD, lines, quick)
        return
    grid = {"C": [1 / lam for lam in LAMS]}
    model = LogisticRegression(max_iter=5000)
    heart = data.uci("heart")
    lines.append(whole_run("heart", *heart, budget, estimator=model, param_grid=grid))
    _results.write("alms_speed_whole_run.csv", WHOLE_HEAD, lines)


def benchmark(quick, rounds):
    n_pool, sizes = 250, (30, 60, 100)
    load = {name: partial(data.uci, name) for name in ("heart", "ionosphere")}
    load = {"Gaussian": gaussian, **load}
    if quick:
        n_pool, sizes, load = 8, (12,), {"Gaussian": gaussian}
    problems = {
        (name, n_labels): start(*make(), n_labels, n_pool, 0)
        for name, make in load.items()
        for n_labels in sizes
    }
    lines = [
        rounds_of(name, known, n_labels) for (name, n_labels), known in problems.items()
    ]
    _results.write("alms_speed.csv", HEAD, lines, quick)
    middle = sizes[len(sizes) // 2]
    lines = [
        by_penalty(name, problems[name, middle], lam)
        for name in load
        for lam in LAMS[::5]
    ]
    _results.write("alms_speed_by_penalty.csv", PENALTY_HEAD, lines, quick)
    whole_runs(quick)


if __name__ == "__main__":
    main(__doc__, benchmark)
