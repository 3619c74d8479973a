"""A stream learner's own error from the labels it bought, beside as many random ones.

Each run is one pass over a stream in a random order; what is to be covered is the share
of rows of that pass whose class was predicted wrongly before their label was learned.

bought  labels bought, in %, and error: the online error, in %, means over runs
covers  how often, in %, the 95 % interval holds the online error of its run
width   mean width, over that of Wilson's interval from as many random rows
random  the same over that of as many random rows with this interval, which knows how
        long the stream is

    python -m benchmarks.evaluation.online_error [--runs 500] [--quick]
"""

import time
from functools import partial

import numpy as np
from scipy.special import ndtri
from sklearn.base import clone
from sklearn.datasets import load_wine, make_classification
from sklearn.preprocessing import StandardScaler, normalize
from threadpoolctl import threadpool_limits

from benchmarks import data, problems
from benchmarks.options import parse
from sklearn_activelearn import CBGZClassifier
from sklearn_activelearn.evaluation import online_score
from sklearn_activelearn.stream._learned import Sums
from sklearn_activelearn.utils._statistics import (
    online_score_t_interval,
    score_interval,
)

MOST_ROWS = 4_000
RATES = (0.03, 0.1, 0.5)
WINDOW = 500


def scaled(X, y):
    """Return at most `MOST_ROWS` random rows, with columns of one scale."""
    rows = np.random.RandomState(0).permutation(X.shape[0])[:MOST_ROWS]
    return StandardScaler().fit_transform(X[rows]), y[rows]


def news():
    X, y = problems.news()
    rows = np.random.RandomState(0).permutation(X.shape[0])[:MOST_ROWS]
    return X[rows].astype(float), y[rows]


def usps():
    X, y = data.usps()
    return X[:MOST_ROWS], y[:MOST_ROWS]


def changing():
    """Return a stream whose classes change places after its first half."""
    X, y = make_classification(
        4_000, 20, n_informative=8, flip_y=0.05, class_sep=1.5, random_state=1
    )
    return X, np.where(np.arange(len(y)) < len(y) // 2, y, 1 - y)


EIGHTS = problems.of_class(data.digits, 8)
SETS = {
    "noise": partial(problems.noise, 4_000),
    "eights": EIGHTS,
    "twonorm": lambda: scaled(*problems.raetsch("twonorm")()),
    "covtype, 2": lambda: scaled(*problems.of_class(data.covtype, 2)()),
    "rcv1": news,
    "usps, 10": usps,
    "changing": changing,
}
QUICK = {"eights": EIGHTS, "wine": lambda: scaled(*load_wine(return_X_y=True))}
NOT_STATIONARY = ("changing",)


class Pass:
    """A pass of a learner over a stream in random order, that knows its mistakes.

    Parameters
    ----------
    learner : learner
        Predicts with its last weights.
    X, y : rows of length 1 and labels
        The stream.
    n_parts : int
        Parts that keep their places in the order.
    seed : int
        Of the order and of the coins.
    """

    def __init__(self, learner, X, y, n_parts, seed):
        rng = np.random.RandomState(seed)
        parts = np.array_split(np.arange(len(y)), n_parts)
        order = np.concatenate([rng.permutation(part) for part in parts])
        self.X, self.y, self.classes = X[order], y[order], np.unique(y)
        self.learner = clone(learner).set_params(random_state=seed)
        self.mistakes = np.empty(0, bool)

    def go_on(self, stop):
        """Learn the rows up to this one."""
        start, models = len(self.mistakes), []
        X, y = self.X[start:stop], self.y[start:stop]
        first, n_updates = 0, None  # the row from which on the present weights predict

        def note():
            nonlocal n_updates
            if self.learner.n_updates_ != n_updates:
                n_updates = self.learner.n_updates_
                # learn goes on with the same arrays
                weights = self.learner.coef_.copy(), self.learner.intercept_.copy()
                models.append((first, *weights))

        def answer(rows):
            nonlocal first
            note()
            first = rows[0] + 1
            return y[rows]

        self.learner.learn(X, answer, classes=self.classes)
        note()
        ends = [*(row for row, *_ in models[1:]), len(y)]
        for (row, coef, intercept), end in zip(models, ends, strict=True):
            scores = X[row:end] @ coef.T + intercept
            codes = scores[:, 0] > 0 if len(coef) == 1 else scores.argmax(axis=1)
            mistakes = self.classes[codes.astype(int)] != y[row:end]
            self.mistakes = np.append(self.mistakes, mistakes)
        return self


def wilson_width(n_wrong, n):
    """Return the width of Wilson's interval."""
    return np.diff(score_interval(n_wrong / n, ndtri(0.975) ** 2 / n, 0, 1, -1))[0]


def random_width(n_wrong, n, n_rows):
    """Return the width of this interval if all rows are bought equally often."""
    q = n / n_rows
    sums = n_rows, n_rows * (1 - q) / q, n, n, n / q, n_wrong / q, n_wrong / q**2
    low, high = np.clip(online_score_t_interval(Sums(*sums), 0.95), 0, 1)
    return high - low


def holds(estimate, truth):
    """Return whether an interval holds the truth, up to rounding."""
    return estimate.low - 1e-9 <= truth <= estimate.high + 1e-9


def cell(learner, stream, runs, window=None, n_parts=1):
    """Return means over runs: bought, error, coverage and the two relative widths."""
    results = []
    for seed in range(runs):
        one = Pass(learner, *stream, n_parts, seed).go_on(len(stream[1]))
        found = online_score(one.learner, window=window)
        mistakes, n = one.mistakes[-found.n_rows :], found.n_labels
        rng = np.random.RandomState(seed)
        n_wrong = mistakes[rng.permutation(found.n_rows)[:n]].sum()
        results.append(
            [
                one.learner.n_queries_ / len(one.y),
                mistakes.mean(),
                holds(found, mistakes.mean()),
                found.high - found.low,
                wilson_width(n_wrong, n) if n else 1.0,
                random_width(n_wrong, n, found.n_rows) if n > 1 else 1.0,
            ]
        )
    *shares, width, usual, same = np.mean(results, axis=0)
    return [*(100 * np.array(shares)), width / usual, width / max(same, 1e-9)]


def table(streams, title, learners, runs, window=None):
    """Print the table of some learners."""
    print(f"\n{title}, {runs} runs, seeds 0 to {runs - 1}")
    print(f"  {'':12}{'':26}bought  error  covers  width  random")
    results = {}
    for name, stream in streams.items():
        n_parts = 2 if name in NOT_STATIONARY else 1
        for label, learner in learners.items():
            found = cell(learner, stream, runs, window, n_parts)
            results[name, label] = found
            line = "{:6.1f} {:6.1f} {:7.1f} {:6.2f} {:7.2f}".format(*found)
            print(f"  {name:12}{label:26}{line}", flush=True)
    for label in learners:
        of_it = {name: row for (name, each), row in results.items() if each == label}
        covers, width = np.array(list(of_it.values()))[:, 2:4].T
        still = [row[3] for name, row in of_it.items() if name not in NOT_STATIONARY]
        print(
            f"  {label}: covers {covers.mean():.1f}, at worst {covers.min():.1f}; "
            f"width {np.exp(np.log(width).mean()):.2f} (geometric), at most "
            f"{width.max():.2f}, of stationary streams {max(still):.2f}"
        )


def main():
    args = parse(__doc__, quick={"runs": 2}, runs=500)
    sets = QUICK if args.quick else SETS
    print(f"\nNot stationary: {', '.join(NOT_STATIONARY)}. Rows have length 1.")
    begun = time.perf_counter()
    cbgz = {f"b={b}": CBGZClassifier(b, average=False) for b in RATES}
    fewer = -(-args.runs // 5)
    with threadpool_limits(1):
        streams = {}
        for name, load in sets.items():
            X, y = load()
            streams[name] = normalize(X), y
        table(streams, "CBGZClassifier, whole stream", cbgz, args.runs)
        title = f"CBGZClassifier, the last {WINDOW} rows"
        table(streams, title, cbgz, fewer, WINDOW)
    print(f"\n{time.perf_counter() - begun:.0f} s in all")


if __name__ == "__main__":
    main()
