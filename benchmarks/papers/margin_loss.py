"""Labels that margin-loss samplers need to reach a target error.

Table 2 of Guillory, Chastain & Bilmes (2009), "Active Learning as Non-Convex
Optimization", by the paper's procedure:

1. The target of a data set is the validation error of hinge SGD after 10,000
   steps (66/33 split), with the learning rate, a power of ten, that is best.
2. Each learner gets the learning rate with which it reaches that target on
   the validation rows with the fewest labels, looked at every 100 labels; a
   run that fails counts 10,000. A learner that never does gets the hinge's.
3. With it each learner is run on all training rows; counted are the labels
   until the test error, looked at every 10 labels, is at most the target.

Rows are drawn with replacement; separators go through the origin; the learning
rate is constant; a learner that buys nothing for 1,000 rows has stopped.

    python -m benchmarks.papers.margin_loss [--data NAME] [--learner NAME]
        [--results DIR]
"""

from contextlib import suppress
from pathlib import Path
from warnings import catch_warnings, simplefilter

import numpy as np
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from benchmarks import data
from benchmarks.options import at_least, parse
from benchmarks.results import Results, deviation, published, single_runs
from sklearn_activelearn import GreedyOnlineClassifier, MarginLossClassifier
from sklearn_activelearn.exceptions import OneClassWarning

BLOCK = 1000  # rows drawn at a time


class Finished(Exception):
    """Ends `learn` from within the oracle."""


class Watcher:
    """An oracle that looks at the learner's error every `every` labels.

    Weights are stored and scored together, 50 at a time: one product of matrices.

    Parameters
    ----------
    learner : learner
        Who asks.
    X, y : arrays
        Held-out rows and labels.
    every, limit : int
        Labels between two looks, and labels in all.
    stop_at : float or None
        End the run when the error is at most this.
    """

    def __init__(self, learner, X, y, *, every, limit, stop_at=None):
        self.learner, self.X, self.positive = learner, X, (y == 1)[:, None]
        self.every, self.limit, self.stop_at = every, limit, stop_at
        self.labels, self.weights, self.errors = None, [], []

    def __call__(self, rows):
        """Answer, but first look at the learner before that label."""
        self.look()
        if len(self.weights) == 50:
            self.score()
        if self.learner.n_queries_ >= self.limit:
            raise Finished
        return self.labels[rows]

    def look(self):
        """Store the weights if it is time."""
        n_queries = self.learner.n_queries_
        if n_queries and n_queries % self.every == 0:
            self.weights.append(self.learner.coef_[0].astype(np.float32))

    def score(self):
        """Turn the stored weights into errors."""
        if self.weights:
            predicted = self.X @ np.stack(self.weights, axis=1) > 0
            self.errors += (predicted != self.positive).mean(axis=0).tolist()
            self.weights = []
        if self.stop_at is not None and min(self.errors, default=1) <= self.stop_at:
            raise Finished


def run(learner, rows, *, seed, **watching):
    """Train a fresh learner on rows drawn with replacement; return its errors.

    Parameters
    ----------
    learner : learner
        With its parameters.
    rows : tuple of arrays
        Training rows and labels, held-out rows and labels.
    seed : int
        Of the draws and the coins.
    **watching
        For `Watcher`.

    Returns
    -------
    errors : list of float
        After every `every` labels.
    final : float
        Error at the end.
    n_labels : int
        Labels bought.
    """
    X, y, X_held, y_held = rows
    rng = np.random.RandomState(seed)
    learner = clone(learner).set_params(random_state=seed)
    watcher = Watcher(learner, X_held, y_held, **watching)
    n_idle = 0
    with suppress(Finished), config_context(assume_finite=True), catch_warnings():
        simplefilter("ignore", ConvergenceWarning)  # to fall silent is a result here
        simplefilter("ignore", OneClassWarning)  # and so is to predict one class
        while learner.patience is None or n_idle < learner.patience:
            drawn = rng.randint(X.shape[0], size=BLOCK)
            watcher.labels = y[drawn]
            learner.learn(X[drawn], watcher, classes=[0, 1])
            bought = learner.queried_indices_
            n_idle = BLOCK - 1 - bought[-1] if len(bought) else n_idle + BLOCK
        watcher.look()
    with suppress(Finished):
        watcher.score()
    final = 1 - learner.score(X_held, y_held)
    return watcher.errors, final, learner.n_queries_


def runs(learner, rows, seeds, jobs, **kwargs):
    """Return the errors, the final errors and the labels of a run for each seed."""
    done = Parallel(jobs)(
        delayed(run)(learner, rows, seed=seed, **kwargs) for seed in seeds
    )
    return [[found[k] for found in done] for k in range(3)]


def labels_needed(errors, target, every, limit):
    """Return the labels until the target; the limit if it was not reached."""
    reached = np.flatnonzero(np.array(errors) <= target)
    return every * (int(reached[0]) + 1) if reached.size else limit


SEED = 0
PLAIN = {"fit_intercept": False, "average": False}


def loss(name, **params):
    return MarginLossClassifier(name, **PLAIN, **params)


LEARNERS = {
    "hinge": loss("hinge"),
    "ramp": loss("ramp"),
    "log": loss("log_ramp"),
    "root": loss("root_ramp"),
    "sigmoid": loss("sigmoid"),
    "greedy": GreedyOnlineClassifier(**PLAIN),
    "R+H": loss("ramp", n_warm_start=1000),
    "S+H": loss("sigmoid", n_warm_start=1000),
}
#: Targets and label counts. The extended USPS is not to be had and its problem is not
#: named: two problems of USPS stand in.
PUBLISHED = published("table_2")


def split(X, y, n_train):
    """Return training and test rows, float32, and labels 0 and 1."""
    X, y = X.astype(np.float32), np.asarray(y, dtype=int)
    return X[:n_train], y[:n_train], X[n_train:], y[n_train:]


def covtype():
    X, y = data.covtype()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    order = np.random.RandomState(SEED).permutation(len(y))
    return split(X[order], (y == 2)[order], 522_911)


def mnist(positive, *others):
    X, y = data.mnist()
    kept = np.isin(y, [positive, *others]) | (not others)
    n_train = np.count_nonzero(kept[:60_000])
    return split(X[kept], y[kept] == positive, n_train)


def rcv1():
    X, y, part = data.rcv1()
    order = np.argsort(part == part.max(), kind="stable")
    return split(X[order], y[order], np.count_nonzero(part < part.max()))


def usps(positive):
    # a random split: the official test images are harder than the training images
    X, y = data.usps()
    order = np.random.RandomState(SEED).permutation(len(y))
    return split(X[order], (y == positive)[order], 7291)


def digits():
    X, y = data.digits()
    return split(X, y == 8, 1200)


DATA = {
    "covtype": covtype,
    "mnist-0v1": lambda: mnist(1, 0),
    "mnist-8vAll": lambda: mnist(8),
    "rcv1": rcv1,
    "usps-0vAll": lambda: usps(0),
    "usps-8vAll": lambda: usps(8),
}


def least_error(learner, rows, args):
    """Return the least validation error at the end, and its learning rate."""
    mean = {}
    for rate in args.rates:
        found = runs(
            clone(learner).set_params(eta0=rate), rows,
            range(args.tuning_trials), args.jobs, every=args.limit, limit=args.limit,
        )  # fmt: skip
        ends = [
            (errors or [final])[-1] for errors, final, _ in zip(*found, strict=True)
        ]
        mean[rate] = float(np.mean(ends))
    best = min(mean, key=mean.get)
    return mean[best], best


def tune(learner, rows, target, hinge_rate, args):
    """Return the learning rate that needs the fewest labels, and how many.

    A rate is given up as soon as its labels so far exceed those of the best.
    """
    best, fewest, step = hinge_rate, args.limit * args.tuning_trials, 2 * args.jobs
    for rate in sorted(args.rates, key=lambda rate: abs(np.log(rate / hinge_rate))):
        total = 0
        for first in range(0, args.tuning_trials, step):
            errors, *_ = runs(
                clone(learner).set_params(eta0=rate), rows,
                range(first, min(first + step, args.tuning_trials)), args.jobs,
                every=args.tuning_every, limit=args.limit, stop_at=target,
            )  # fmt: skip
            total += sum(
                labels_needed(e, target, args.tuning_every, args.limit) for e in errors
            )
            if total >= fewest:
                break
        else:
            best, fewest = rate, total
    return best, fewest / args.tuning_trials


def measure(learner, rows, target, args):
    """Return labels needed, error curves and final errors of the last stage."""
    common = {"every": args.every, "limit": args.limit}
    whole, final, _ = runs(learner, rows, range(args.curves), args.jobs, **common)
    stopped, *_ = runs(
        learner, rows, range(args.curves, args.trials), args.jobs, stop_at=target,
        **common,
    )  # fmt: skip
    needed = [
        labels_needed(errors, target, args.every, args.limit)
        for errors in whole + stopped
    ]
    return needed, whole, final


def tuning_rows(X, y):
    """Return two thirds of the training rows, and the others to validate."""
    order = np.random.RandomState(SEED).permutation(len(y))
    train, held = np.split(order, [round(len(y) * 0.66)])
    return X[train], y[train], X[held], y[held]


def experiment(name, load, learners, args):
    """Yield a result for each learner on a data set."""
    X, y, X_test, y_test = load()
    tuning = tuning_rows(X, y)
    target, hinge_rate = least_error(LEARNERS["hinge"], tuning, args)
    published_target, _ = PUBLISHED.get((name, "target"), (None, None))
    for learner_name, learner in learners.items():
        rate, _ = tune(learner, tuning, target, hinge_rate, args)
        learner = clone(learner).set_params(eta0=rate)
        rows = X, y, X_test, y_test
        needed, whole, final = measure(learner, rows, target, args)
        row = {
            "data": name,
            "target_error": target,
            "published_target_error": published_target,
            "learner": learner_name,
            "eta0": rate,
            "labels": float(np.mean(needed)),
            "std": deviation(needed),
            "failed": int(np.sum(np.array(needed) >= args.limit)),
            "published": PUBLISHED.get((name, learner_name), (None,))[0],
        }
        yield row, needed, whole, final


def write(results, row, needed, curves, final, args):
    """Write a result: to Table 2, the mean curve to Figure 6, final errors to 7."""
    identity = {name: row[name] for name in ("data", "learner")}
    each = single_runs(identity, identity, "labels", needed)
    name = "margin_loss_table_2"
    results.write(name, [row], key=[*identity], runs=args.trials, each=each)
    shortest = min(map(len, curves))
    shown = np.unique(np.geomspace(1, max(shortest, 1), 60).astype(int))[:shortest]
    points = [
        {
            **identity,
            "labels": args.every * int(k),
            "error": float(np.mean([errors[k - 1] for errors in curves])),
        }
        for k in shown
    ]
    results.write("margin_loss_figure_6", points, key=[*identity], runs=args.curves)
    if row["learner"] == "ramp":
        rows = [
            {"data": row["data"], "trial": trial, "final_error": error}
            for trial, error in enumerate(final)
        ]
        results.write("margin_loss_figure_7", rows, key=["data", "trial"], runs=1)


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        data=DATA,
        learner=LEARNERS,
        trials=at_least(1, 100),
        tuning_trials=at_least(1, 50),
        curves=at_least(1, 20),
        jobs=2,
        results=Path,
    )
    if args.curves > args.trials:
        args.error(f"--curves is {args.curves}, but --trials is {args.trials}.")
    args.rates = [10.0**k for k in range(-6, 3)]
    args.limit, args.tuning_every, args.every = 10_000, 100, 10
    problems = {name: DATA[name] for name in args.data or DATA}
    learners = {name: LEARNERS[name] for name in args.learner or LEARNERS}
    if args.quick:
        args.trials, args.tuning_trials, args.curves, args.jobs = 3, 3, 2, 1
        args.limit, args.tuning_every = 300, 50
        args.rates = [0.01, 0.1, 1.0]
        problems = {"digits-8vAll": digits}
    seeds = f"{SEED} to {SEED + args.trials - 1}"
    results = Results(args.results, "margin_loss", argv, seeds)
    for name, load in problems.items():
        for row, *found in experiment(name, load, learners, args):
            write(results, row, *found, args)


if __name__ == "__main__":
    main()
