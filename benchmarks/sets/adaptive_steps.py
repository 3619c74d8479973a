"""Labels to a target error with adaptive steps, beside the best constant step.

Learners go through a stream once, in random orders. For each loss and each constant
eta0 of a grid, the mean error on held-out rows is followed. The target is 1.1 times
the lowest error at the end of the stream, plus 0.1 %. Labels are counted to the point
from which on the mean error stays at the target. The grid is 0.01 to 1,000 in steps of
the square root of 10, divided by the mean squared norm of the rows, and the default.

best     the constant eta0 that needs the fewest labels, and these labels
others   their labels divided by those: the default eta0, and adaptive steps; "-" where
         the target is not reached, with the last error divided by the target and the
         labels bought

    python -m benchmarks.sets.adaptive_steps [--sets news ...] [--losses ramp ...]
        [--orders 5] [--quick]

Sets of fewer than 2,500 rows have four times as many orders. Seeds are the numbers of
the orders.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.datasets import load_digits, load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from benchmarks import data, problems
from benchmarks.options import parse
from benchmarks.sets.streams import odd
from sklearn_activelearn import GreedyOnlineClassifier, MarginLossClassifier

N_STREAM, N_TEST = 10_000, 4_000
N_CHECKS = 28
LOSSES = ("log_ramp", "root_ramp", "hinge", "ramp", "sigmoid", "greedy")
GRID = 10.0 ** np.arange(-2, 3.5, 0.5)


def scaled(X, y):
    """Give all columns of some random rows mean 0 and variance 1."""
    rows = np.random.default_rng(0).permutation(len(y))[: N_STREAM + N_TEST]
    return StandardScaler().fit_transform(X[rows]), y[rows]


def two_digits():
    """Return the images of 4 and 9."""
    X, y = data.mnist()
    rows = np.flatnonzero(np.isin(y, (4, 9)))
    return X[rows], y[rows]


def census():
    """Return a table like that of a census: 8 columns of symbols, 4 of numbers.

    Three hidden numbers make the columns depend on each other; labels are drawn with
    log-odds that are linear in the columns.
    """
    rng = np.random.default_rng(5)
    n = N_STREAM + N_TEST
    hidden = rng.standard_normal((n, 3))
    columns, odds = [], np.zeros(n)
    for n_symbols in (8, 16, 7, 14, 6, 5, 2, 40):
        loads = 0.7 * hidden @ rng.standard_normal((3, n_symbols))
        loads -= np.log(np.arange(1, n_symbols + 1))
        symbols = (loads + rng.gumbel(size=loads.shape)).argmax(axis=1)
        odds += 0.6 * rng.standard_normal(n_symbols)[symbols]
        columns.append(np.eye(n_symbols)[symbols])
    numbers = rng.random((n, 4)) ** [1, 2, 4, 8] + 0.1 * np.abs(hidden[:, :1])
    odds += 3 * (numbers - numbers.mean(axis=0)) @ [1, -1, 1, 1]
    y = rng.random(n) < 1 / (1 + np.exp(-1.7 * odds))
    return np.hstack([numbers, *columns]), y.astype(int)


def noise():
    """Return two classes, one label in ten redrawn."""
    return make_classification(
        N_STREAM + N_TEST,
        20,
        n_informative=10,
        flip_y=0.1,
        class_sep=1.5,
        random_state=0,
    )


SETS = {
    "news": problems.news,
    "money-fx": data.money_fx,
    "census": census,
    "covtype 2": lambda: scaled(*problems.of_class(data.covtype, 2)()),
    "mnist 4v9": two_digits,
    "mnist odd": odd,
    "mnist": data.mnist,
    "noise": noise,
    "noise, 6": problems.noisy,
    "tumours, raw": problems.tumours,
    "digits, raw": lambda: load_digits(return_X_y=True),
    "mushroom": problems.uci("mushroom"),
    "splice": problems.raetsch("splice"),
}
#: Not looked at before the step was chosen.
HELD_OUT = {
    "usps": data.usps,
    "topics": problems.topics,
    "ionosphere": problems.uci("ionosphere"),
    "image": problems.raetsch("image"),
}
QUICK = {
    "digits, raw": lambda: load_digits(n_class=3, return_X_y=True),
    "wine": lambda: scaled(*load_wine(return_X_y=True)),
}


class Curve(NamedTuple):
    """Labels bought and error, along the stream."""

    labels: np.ndarray
    errors: np.ndarray

    def labels_to(self, target):
        """Return the labels from which on the error is at the target, or infinity."""
        above = np.flatnonzero(self.errors > target)
        i = above[-1] + 1 if len(above) else 0
        if i == len(self.errors):
            return np.inf
        if i == 0:
            return self.labels[0]
        before, after = self.errors[i - 1 : i + 1]
        share = (before - target) / (before - after)
        return self.labels[i - 1] + share * (self.labels[i] - self.labels[i - 1])


def curve_of(loss, X, y, n_orders, **params):
    """Return the mean curve of a learner over random orders."""
    n_stream = min(N_STREAM, 7 * len(y) // 10)
    checks = np.unique(np.geomspace(10, n_stream, N_CHECKS).astype(int))
    runs = []
    for order in range(n_orders):
        rows = np.random.default_rng((7, order)).permutation(len(y))
        test = np.sort(rows[n_stream : n_stream + N_TEST])
        X_test, stream = X[test], X[rows[:n_stream]]
        learner = make_learner(loss, random_state=order, **params)
        labels, errors, done = [], [], 0
        for end in checks:
            codes = y[rows[done:end]]
            learner.partial_fit(stream[done:end], codes, classes=np.unique(y))
            labels.append(learner.n_queries_)
            errors.append(1 - learner.score(X_test, y[test]))
            done = end
        runs.append((labels, errors))
    return Curve(*np.mean(runs, axis=0))


def make_learner(loss, **params):
    """Return the learner with this loss; "greedy" is the other one."""
    if loss == "greedy":
        return GreedyOnlineClassifier(**params)
    return MarginLossClassifier(loss, **params)


def told(curve, target, labels):
    """Return the labels to a target, divided by others, in words."""
    ratio = curve.labels_to(target) / labels
    if np.isfinite(ratio):
        return f"{ratio:.2f}"
    return f"- ({curve.errors[-1] / target:.2f}; {curve.labels[-1]:.0f})"


def main():
    args = parse(__doc__, sets=SETS | HELD_OUT, losses=LOSSES, orders=5)
    warnings.simplefilter("ignore", ConvergenceWarning)  # of steps that are too large
    sets = QUICK if args.quick else {**SETS, **HELD_OUT}
    losses = (args.losses or LOSSES)[: 2 if args.quick else None]
    grid = GRID[3:6] if args.quick else GRID
    print(f"{args.orders} orders (4 times as many if < 2,500 rows), {N_STREAM} rows")
    print("set | loss | target, % | best eta0 | labels | eta0=0.1 | adaptive")
    for name in args.sets or sets:
        X, y = sets[name]()
        y = np.unique(y, return_inverse=True)[1]
        n_orders = 2 if args.quick else args.orders * (4 if len(y) < 2_500 else 1)
        squares = X.multiply(X) if issparse(X) else np.square(X, dtype=float)
        etas = [*grid / (squares.sum() / len(y)), MarginLossClassifier().eta0]
        for loss in losses:
            curves = [curve_of(loss, X, y, n_orders, eta0=eta0) for eta0 in etas]
            target = 1.1 * min(curve.errors[-1] for curve in curves) + 0.001
            labels = [curve.labels_to(target) for curve in curves]
            best = int(np.argmin(labels))
            adaptive = curve_of(loss, X, y, n_orders, learning_rate="adaptive")
            line = (
                name,
                loss,
                f"{100 * target:.2f}",
                f"{etas[best]:.2g}",
                f"{labels[best]:.0f}",
                told(curves[-1], target, labels[best]),
                told(adaptive, target, labels[best]),
            )
            print(" | ".join(line), flush=True)


if __name__ == "__main__":
    main()
