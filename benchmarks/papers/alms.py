"""Ali, Caruana & Kapoor (2014), Table 1: active learning with model selection.

Area under the learning curve from the first labels to the last, its mean height: test
accuracy, and test log loss. Each trial draws a pool and a test set; all methods begin
with the same number of random labels. Logistic regression with 21 penalties
(`--penalty sum`: lambda / 2 |w|^2 beside the sum of the losses; `mean`: beside their
mean), on PIMA support vector machines with a Gaussian kernel, 25 settings. Features are
scaled to mean 0 and variance 1 on the pool. What a trial found is written to a file
(`--cache`), which later runs read: more trials can be added, and the figures drawn.

    python -m benchmarks.papers.alms [--trials 20] [--cache DIR] [--quick]
"""

import argparse
import json
import os
from copy import copy
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from joblib import Parallel, delayed
from scipy import special
from scipy.stats import ttest_rel
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import log_loss
from sklearn.model_selection import ParameterGrid, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_activelearn import (
    ALMSClassifier,
    PassiveClassifier,
    QueryByCommitteeClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.pool.alms._calibration import calibrated
from sklearn_activelearn.pool.alms._gram_models import coordinates
from sklearn_activelearn.pool.alms._newton import solve

from . import data

SEED = 0
N_INITIAL = 10
N_LABELS = 100
EVERY = 5

#: Rows of the pool and of the test set, at most.
POOL, TEST = 250, 1000

#: Published areas: passive, uncertainty, QBC, ALMS, oracle.
PUBLISHED = {
    "heart": (0.62, 0.56, 0.56, 0.66, 0.59),
    "ionosphere": (0.44, 0.41, 0.42, 0.59, 0.46),
    "votes": (0.78, 0.76, 0.78, 0.83, 0.86),
    "usps": (0.69, 0.51, 0.66, 0.80, 0.83),
    "mushroom": (0.27, 0.36, 0.46, 0.60, 0.84),
    "pima": (0.67, 0.63, 0.63, 0.69, 0.73),
}

#: Candidates and pairs that ALMS looks at in a round.
SIZES = {"n_candidates": 25, "n_pairs": 30}
SVM_SIZES = {"n_candidates": 2, "n_pairs": 2}

RUNS = {"ALMS": {}, "ALMS, T=.1": {"temperature": 0.1}}

#: How the model is chosen has no influence on the purchases.
SELECTIONS = {"": "validation", ", left out": "leave_one_out", ", CV": "cv"}
VARIANTS = {run + name: (run, name) for run in RUNS for name in SELECTIONS}
METHODS = ("passive", "uncertainty", "QBC", *VARIANTS, "oracle")


class Logistic(ClassifierMixin, BaseEstimator):
    """L2 logistic regression by the package's Newton steps: no time for what is not it.

    Parameters
    ----------
    lam : float
        The penalty is lam / 2 |w|^2; the intercept is free.
    beside : {"sum", "mean"}
        Of the losses.
    """

    fit_intercept = True

    def __init__(self, lam=1.0, beside="sum"):
        self.lam = lam
        self.beside = beside

    def l2_weight(self, n_rows):
        """Return the weight of the penalty beside the sum of the losses."""
        return self.lam * (n_rows if self.beside == "mean" else 1)

    def fit(self, X, y):
        """Train."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        A, _ = coordinates(X, None, True)
        lam, none = self.l2_weight(len(y)), np.empty((1, 0), dtype=np.intp)
        sign = 2.0 * codes - 1
        w = solve(A, sign, True, none, None, np.array([lam]))[0, 0]
        self.coef_ = X.T @ (sign * special.expit(-sign * (A @ w))) / lam
        self.intercept_ = w[-1]
        return self

    def decision_function(self, X):
        """Return the margins."""
        return X @ self.coef_ + self.intercept_

    def predict(self, X):
        """Return the more probable classes."""
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def predict_proba(self, X):
        """Return the class probabilities."""
        margin = self.decision_function(X)
        return np.column_stack([special.expit(-margin), special.expit(margin)])


class PlattSVC(ClassifierMixin, BaseEstimator):
    """Support vector machine, calibrated on the rows that it was trained on."""

    def __init__(self, C=1.0, gamma=1.0):
        self.C = C
        self.gamma = gamma

    def fit(self, X, y):
        """Train and calibrate."""
        machine = SVC(C=self.C, gamma=self.gamma).fit(X, y)
        self.model_ = calibrated(machine, X, y)
        self.classes_ = machine.classes_
        return self

    def predict(self, X):
        """Return the more probable classes."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        """Return the class probabilities."""
        return self.model_.predict_proba(X)


def usps_5v8():
    X, y = data.usps()
    kept = np.isin(y, (5, 8))
    return X[kept], np.where(y[kept] == 5, 1, -1)


LOAD = {
    "heart": partial(data.uci, "heart"),
    "ionosphere": partial(data.uci, "ionosphere"),
    "votes": partial(data.uci, "votes"),
    "usps": usps_5v8,
    "mushroom": partial(data.uci, "mushroom"),
    "pima": partial(data.uci, "pima"),
}


def toy():
    X, y = data.digits()
    kept = np.isin(y, (5, 8))
    return X[kept][:120, ::4], np.where(y[kept] == 5, 1, -1)[:120]


def split(X, y, trial):
    """Return a pool and a test set, scaled."""
    rows = np.random.default_rng((SEED, trial)).permutation(len(y))[: POOL + TEST]
    half = min(POOL, len(rows) // 2)
    pool, test = train_test_split(
        rows, train_size=half, stratify=y[rows], random_state=trial
    )
    scaler = StandardScaler().fit(X[pool])
    return scaler.transform(X[pool]), y[pool], scaler.transform(X[test]), y[test]


def candidates(problem, penalty):
    """Return the estimator of the baselines, that of ALMS, and their grid."""
    if problem == "pima":
        powers = [0.01, 0.1, 1.0, 10.0, 100.0]
        return PlattSVC(), SVC(gamma=1.0), {"C": powers, "gamma": powers}
    model = Logistic(beside=penalty)
    return model, model, {"lam": [2.0**power for power in range(-10, 11)]}


def learners(problem, penalty, method):
    """Return the learners of a method: one, but for the oracle."""
    baseline, own, grid = candidates(problem, penalty)
    if method == "passive":
        return [PassiveClassifier(baseline, param_grid=grid)]
    if method == "uncertainty":
        return [UncertaintySamplingClassifier(baseline)]
    if method == "QBC":
        return [QueryByCommitteeClassifier(baseline, param_grid=grid)]
    if method == "oracle":
        return [
            UncertaintySamplingClassifier(clone(baseline).set_params(**params))
            for params in ParameterGrid(grid)
        ]
    sizes = SVM_SIZES if problem == "pima" else SIZES
    return [ALMSClassifier(own, param_grid=grid, **sizes, **RUNS[method])]


def curves(learner, rows, counts, seed, selections):
    """Return accuracies and log losses at these numbers of labels, and the learner.

    There is one curve for each way to choose the model, "" being the learner's own.
    """
    X, y, X_test, y_test = rows
    learner.set_params(n_initial=N_INITIAL, budget=counts[-1], random_state=seed)
    scores = {name: [] for name in selections}

    def score():
        for name, found in scores.items():
            model = learner
            if name:
                model = copy(learner).set_params(selection=SELECTIONS[name])
                model._train()
            p = model.predict_proba(X_test)
            accuracy = np.mean(model.predict(X_test) == y_test)
            loss = log_loss(y_test, p, labels=learner.classes_)
            found.append([float(accuracy), float(loss)])

    def oracle(asked):
        if learner.n_queries_ in counts:
            score()
        return y[asked]

    learner.learn(X, oracle, classes=np.unique(y))
    score()
    return scores, learner


def trial(problem, penalty, method, number, counts, folder, rows):
    """Run a method once, or read what it found; return that as a dict."""
    run, selection = VARIANTS.get(method, (method, ""))
    name = f"{problem}-{penalty}-{run}-{number}.json".replace(" ", "")
    file = folder and folder / name
    if file and file.exists():
        out = json.loads(file.read_text())
        return {**out, "scores": out["scores"][selection]}
    started = process_time()
    rows = split(*rows, number)
    several = run in RUNS and problem != "pima"  # where a training takes milliseconds
    found = [
        curves(learner, rows, counts, number, SELECTIONS if several else [""])
        for learner in learners(problem, penalty, run)
    ]
    out = {
        "scores": {name: [one[name] for one, _ in found] for name in found[0][0]},
        "seconds": process_time() - started,
    }
    if run in RUNS:
        ((_, learner),) = found
        out["is_validation"] = (learner.allocation_ == "validation").tolist()
        out["probabilities"] = learner.model_probabilities_.tolist()
        out["values"] = learner.voi_history_.tolist()
        out["best_index"] = learner.best_index_
    if file:
        part = file.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(out))
        part.replace(file)
    return {**out, "scores": out["scores"][selection]}


def areas(found, counts):
    """Return the mean heights of the curves, of shape (2, n_trials).

    The oracle's are those of the parameters that are best on average.
    """
    scores = np.array([one["scores"] for one in found])
    height = np.trapezoid(scores, counts, axis=2) / (counts[-1] - counts[0])
    best = (height * [1, -1]).mean(axis=0).argmax(axis=0)
    return np.array([height[:, best[k], k] for k in (0, 1)])


def report(problem, penalty, results, counts):
    """Print a line for each method, and what it is beside ALMS."""
    n_trials = len(next(iter(results.values())))
    print(f"\n{problem}, penalty beside the {penalty} of the losses, {n_trials} trials")
    print(
        f"  {'':22}  accuracy          p     log loss          p    final  seconds"
        "   published"
    )
    own = areas(results["ALMS"], counts)
    names = ("passive", "uncertainty", "QBC", "ALMS", "oracle")
    published = dict(zip(names, PUBLISHED[problem], strict=True))
    for method, found in results.items():
        cells = []
        for k, height in enumerate(areas(found, counts)):
            can_test = method != "ALMS" and n_trials > 2
            p = ttest_rel(height, own[k]).pvalue if can_test else np.nan
            cells.append(
                f"{height.mean():.3f} ± {height.std():.3f}  "
                + (f"{p:6.4f}" if p == p else "     -")
            )
        final = np.mean([one["scores"][0][-1][0] for one in found])
        seconds = np.mean([one["seconds"] for one in found])
        print(
            f"  {method:22} {cells[0]}  {cells[1]}  "
            + (f"{final:.3f}" if method != "oracle" else "     ")
            + f" {seconds:7.1f}   {published.get(method, '')}",
            flush=True,
        )
    shares = [np.mean(one["is_validation"]) for one in results["ALMS"]]
    print(
        f"  ALMS: {np.mean(shares):.2f} ± {np.std(shares):.2f} of the labels validate"
    )


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--problem", action="append", choices=LOAD)
    parser.add_argument("--method", action="append", choices=METHODS)
    parser.add_argument("--penalty", choices=("sum", "mean"), default="sum")
    parser.add_argument("--cache", metavar="DIR", type=Path)
    parser.add_argument("--quick", action="store_true", help="bundled digits, seconds")
    args = parser.parse_args(argv)
    load, n_labels = LOAD, N_LABELS
    if args.quick:
        load, n_labels = {"heart": toy}, 15
        args.trials, args.problem, args.method = 2, ["heart"], ["passive", "ALMS"]
    if args.cache:
        args.cache.mkdir(parents=True, exist_ok=True)
    counts = list(range(N_INITIAL, n_labels + 1, EVERY))
    print(__doc__.splitlines()[0])
    for problem in args.problem or LOAD:
        run = partial(
            trial, problem, args.penalty,
            counts=counts, folder=args.cache, rows=load[problem](),
        )  # fmt: skip
        names = args.method or METHODS
        if problem == "pima":
            names = [name for name in names if name == "ALMS" or name not in VARIANTS]
        tasks = [(method, number) for number in range(args.trials) for method in names]
        found = Parallel(n_jobs=args.jobs)(delayed(run)(*task) for task in tasks)
        results = {
            method: [
                one
                for (name, _), one in zip(tasks, found, strict=True)
                if name == method
            ]
            for method in names
        }
        if "ALMS" in results:
            report(problem, args.penalty, results, counts)


if __name__ == "__main__":
    main()
