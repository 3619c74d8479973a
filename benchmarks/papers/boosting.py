"""Wang, Song & Zhang (2009): boosting with few labels, Figures 2 to 4, 6 and 7.

Error against the share of the pool that is labelled, for random labels (RBoost), QBB,
COMB and FASSL-Boost with decision stumps, T = 20 and alpha = .01. FASSL-Boost begins
with as many members as there are first labels, "from 1" with one, as in Algorithm 1;
"stopped" also ends as Algorithm 1 does; "shrunk" has shrinkage .2, which is not in the
paper.

`transductive` is the error on the pool, where labels that were bought count as right,
`transductive, own` the committee's own error on all rows of the pool, `inductive` that
on rows held out. The first labels are random and the same for all methods of a split.
One line for each method: the error at some shares, and the area under the whole curve
(mean error over the shares) with its standard deviation over the splits; then the mean
difference of FASSL-Boost to that method, its standard error and the p-value of a paired
t-test.

    python -m benchmarks.papers.boosting [--problem twonorm] [--method QBB]
        [--splits 20] [--jobs 2] [--cache DIR] [--results DIR] [--alphas]
        [--gini] [--batches] [--quick]

The first splits are the partitions that a file names (banana, german and image have
10, the others 1), the rest are drawn at random, of the same sizes. Digits: the images
of a pair are halved into pool and rows held out. With --cache, curves are stored and
not computed again. --alphas runs Figure 2, FASSL-Boost on twonorm, instead; --gini
stumps of the least Gini impurity in place of the least weighted error; --batches
FASSL-Boost with ten labels at a time on twonorm and banana: the smallest margins, or
the smallest margin of each of ten clusters of the fifty smallest (section 5).
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import ttest_rel
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.ensemble import AdaBoostClassifier

from benchmarks import data
from benchmarks.options import at_least, parse
from benchmarks.results import Results, deviation, stored
from sklearn_activelearn import (
    COMBClassifier,
    DecisionStumpClassifier,
    FASSLBoostClassifier,
    PassiveClassifier,
    QueryByBoostingClassifier,
)
from sklearn_activelearn.pool import StoppingRule
from sklearn_activelearn.pool._selection import ranked_purchase
from sklearn_activelearn.pool.boosting._trainer import BoostingRule

BENCHMARKS = list(data.N_TRAIN)
PAIRS = ["2v3", "3v5", "3v8", "6v8", "8v9", "0v8"]
SHARES = np.linspace(0.05, 0.8, 16)
DIGIT_SHARES = np.array([0.001, *np.linspace(0.005, 0.1, 20)])


@dataclass(frozen=True)
class NoDecrease(StoppingRule):
    """Stop as Algorithm 1: a member was refused, or the error does not decrease."""

    def judge(self, progress, memory):
        """Compare the error on the labelled rows with the error at the last query."""
        n_labels, n_members = len(progress.labels), len(progress.model.estimators_)
        wrong = progress.model.predict(progress.rows) != progress.labels
        error = float(np.mean(wrong))
        stop = n_members == 0
        if memory:
            n_before, members_before, error_before = memory
            n_wanted = members_before + n_labels - n_before
            stop = error >= error_before or n_members < n_wanted
        # floats, because whole numbers would stand for models
        return stop, [float(n_labels), float(n_members), error]


class ClusterRule(BoostingRule):
    """The smallest margin of each margin cluster."""

    def select(self, round):
        """Cluster the rows of five batches."""
        n_wanted = round.n_wanted
        near = super().select(round._replace(n_wanted=5 * n_wanted))
        means = KMeans(min(n_wanted, len(near.rows)), n_init=1, random_state=0)
        first = np.unique(means.fit_predict(round.X[near.rows]), return_index=True)[1]
        return ranked_purchase(near.rows[first], near.utilities[first])


class ClusteredFASSL(FASSLBoostClassifier):
    """FASSL-Boost with batches from margin clusters."""

    def make_rule(self):
        """Return the rule."""
        return ClusterRule()


def methods_with(stump):
    """Return the learners by name."""
    return {
        "FASSL": FASSLBoostClassifier(stump),
        "RBoost": PassiveClassifier(AdaBoostClassifier(stump, n_estimators=20)),
        "QBB": QueryByBoostingClassifier(stump),
        "COMB": COMBClassifier(stump),
        "FASSL from 1": FASSLBoostClassifier(stump, n_initial_estimators=1),
        "shrunk FASSL": FASSLBoostClassifier(stump, shrinkage=0.2),
        "stopped FASSL": FASSLBoostClassifier(
            stump, n_initial_estimators=1, stopping=NoDecrease()
        ),
    }


METHODS = methods_with(DecisionStumpClassifier())
BATCHES = {
    "FASSL": METHODS["FASSL"],
    "FASSL, batches": FASSLBoostClassifier(batch_size=10),
    "FASSL, clusters": ClusteredFASSL(batch_size=10),
}


def one_label(n_labels):
    """Return the weight with which each label weighs as much as one unlabelled row."""
    return 1 / n_labels


def rising(n_labels):
    """Return a weight that grows from 0 to .1 with 400 labels."""
    return min(n_labels / 4000, 0.1)


#: The last two change with the number n of labels (section 4.1.1).
ALPHAS = {str(alpha): alpha for alpha in (0.0, 0.001, 0.01, 0.1, 0.5, 1.0)}
ALPHAS |= {"1/n": one_label, "n/4000": rising}
STARTS = {"": None, " from 1": 1}
ALPHA_METHODS = {
    f"alpha={alpha}{name}": FASSLBoostClassifier(alpha=of, n_initial_estimators=n)
    for name, n in STARTS.items()
    for alpha, of in ALPHAS.items()
}
KINDS = ("transductive", "transductive, own", "inductive")


def problem(name, quick=False):
    """Return rows, labels, the size of the pool, and the shares to look at."""
    if name in PAIRS:
        X, y = data.digits() if quick else data.mnist()
        first, second = map(int, name.split("v"))
        rows = np.flatnonzero((y == first) | (y == second))
        X, y, shares = X[rows], np.where(y[rows] == first, -1, 1), DIGIT_SHARES
        n_pool = len(y) // 2
    else:
        (X, y, n_pool), shares = data.raetsch(name), SHARES
    if quick:
        return X[:120], y[:120], [], 60, shares[::4]
    return X, y, partitions(name), n_pool, shares


def partitions(name):
    """Return the rows of pool and test set in the partitions that a file names."""
    file = data.local_file(f"raetsch_{name}")
    if not file.exists():
        return []
    with np.load(file, allow_pickle=False) as arrays:
        rows = [np.atleast_2d(arrays[part]) for part in ("train", "test")]
    return list(zip(*rows, strict=True))


def parts_of(n_rows, partitions, n_pool, split):
    """Return the rows of the pool and of the test set of a split."""
    if split < len(partitions):
        return partitions[split]
    order = np.random.RandomState(split).permutation(n_rows)
    return order[:n_pool], order[n_pool:]


def model_of(learner, X, y):
    """Return what a learner that bought these rows predicts presorted rows with."""
    if len(np.unique(y)) == 1:
        return lambda rows: np.full(rows.shape[0], y[0])
    if not isinstance(learner, PassiveClassifier):
        return learner.estimator_.predict
    model = learner.estimator.fit(X, y)

    def predict(rows):
        votes = zip(model.estimators_, model.estimator_weights_, strict=False)
        score = sum(weight * member.predict(rows) for member, weight in votes)
        return np.where(score > 0, 1, -1)

    return predict


def curve(learner, X, y, partitions, n_pool, shares, split):
    """Return the two transductive errors and the inductive one at the shares."""
    pool, test = parts_of(len(y), partitions, n_pool, split)
    X_pool, y_pool, y_test = X[pool], y[pool], y[test]
    counts = np.maximum(np.round(shares * n_pool), 5).astype(int)
    sort = DecisionStumpClassifier().presort
    rows, test_rows = sort(X_pool), sort(X[test])
    bought, errors = [], {}

    def look():
        predict = model_of(learner, X_pool[bought], y_pool[bought])
        own, new = predict(rows) != y_pool, predict(test_rows) != y_test
        left = own.copy()
        left[bought] = False
        errors[len(bought)] = [float(missed.mean()) for missed in (left, own, new)]

    def oracle(asked):
        if len(bought) in counts:
            look()
        bought.extend(asked.tolist())
        return y_pool[asked]

    learner = clone(learner)
    learner.set_params(n_initial=counts[0], budget=counts[-1], random_state=split)
    learner.learn(X_pool, oracle, classes=[-1, 1])
    look()
    # the random start may have had to go on until it had two classes
    # and early stopping leaves the last committee
    known = sorted(errors)
    errors = [
        errors[next((n for n in known if n >= count), known[-1])] for count in counts
    ]
    return np.transpose(errors).tolist()


def run(methods, name, rows, args):
    """Return the curves as an array (3, n_splits, n_shares), by method."""
    tasks = [(method, split) for split in range(args.splits) for method in methods]
    curves = Parallel(n_jobs=args.jobs)(
        delayed(stored)(
            args.cache,
            (name, method + args.suffix, split),
            partial(curve, methods[method], *rows, split),
        )
        for method, split in tasks
    )
    results = {
        method: [c for (m, _), c in zip(tasks, curves, strict=True) if m == method]
        for method in methods
    }
    return {method: np.array(c).transpose(1, 0, 2) for method, c in results.items()}


def summary(name, results, reference):
    """Yield means in % by method and kind of error, and differences to a method."""
    for method, curves in results.items():
        for kind, errors, best in zip(KINDS, curves, results[reference], strict=True):
            area = 100 * errors.mean(axis=1)
            row = {"data": name, "kind": kind, "method": method}
            row |= {"mean_error": area.mean(), "std": deviation(area)}
            row |= dict.fromkeys(("difference", "difference_error", "p"), np.nan)
            gain = 100 * best.mean(axis=1) - area
            if np.ptp(gain) > 1e-9:
                row["difference"] = gain.mean()
                row["difference_error"] = gain.std(ddof=1) / np.sqrt(len(gain))
                row["p"] = ttest_rel(area, area + gain).pvalue
            yield row


def of_splits(name, results):
    """Yield the mean error in % of each split."""
    for method, curves in results.items():
        for kind, errors in zip(KINDS, curves, strict=True):
            for split, area in enumerate(100 * errors.mean(axis=1)):
                row = {"data": name, "kind": kind, "method": method}
                yield row | {"run": split, "mean_error": area}


def points(name, results, shares):
    """Yield a row for each point of the mean curves."""
    for method, curves in results.items():
        for kind, errors in zip(KINDS, curves, strict=True):
            columns = shares, 100 * errors.mean(axis=0), 100 * deviation(errors)
            for share, error, std in zip(*columns, strict=True):
                row = {"data": name, "kind": kind, "method": method}
                yield row | {"labels": float(share), "error": error, "std": std}


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        jobs=2,
        splits=at_least(2, 20),
        problem=BENCHMARKS + PAIRS,
        method=METHODS,
        cache=Path,
        alphas=False,
        gini=False,
        batches=False,
        results=Path,
    )
    if args.alphas and (args.method or args.problem not in (None, ["twonorm"])):
        args.error("--alphas is for FASSL-Boost on twonorm.")
    problems, reference = args.problem or BENCHMARKS, "FASSL"
    names = ("boosting_errors", "boosting_means")
    known, args.suffix = METHODS, ""
    if args.gini:
        known, args.suffix = methods_with(DecisionStumpClassifier("gini")), ", gini"
        names = ("boosting_gini_errors", "boosting_gini_means")
    methods = {name: known[name] for name in ("FASSL", *(args.method or known))}
    if args.batches:
        problems, methods = ["twonorm", "banana"], BATCHES
        names = ("boosting_batches_errors", "boosting_batches_means")
    if args.quick:
        problems, args.splits = ["twonorm", "3v8"], 2
    if args.alphas:
        problems, methods, reference = ["twonorm"], ALPHA_METHODS, "alpha=0.01"
        names = ("boosting_figure_2_errors", "boosting_figure_2")
    last = args.splits - 1
    results_to = Results(args.results, "boosting", argv, f"0 to {last}")
    for name in problems:
        try:
            rows = problem(name, args.quick)
        except FileNotFoundError as error:
            print(f"\n{name} is left out: {error}")
            continue
        results, shares = run(methods, name, rows, args), rows[-1]
        means = list(summary(name, results, reference))
        if args.alphas:
            means = [
                row
                | {
                    "alpha": row["method"].split()[0].removeprefix("alpha="),
                    "first_members": methods[row["method"]].n_initial_estimators,
                }
                for row in means
            ]
        curves, key = list(points(name, results, shares)), ("data", "kind", "method")
        results_to.write(names[0], curves, key=(*key, "labels"), runs=args.splits)
        each = list(of_splits(name, results))
        results_to.write(names[1], means, key=key, runs=args.splits, each=each)


if __name__ == "__main__":
    main()
