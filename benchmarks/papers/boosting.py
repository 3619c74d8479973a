"""Wang, Song & Zhang (2009): boosting with few labels, Figures 1 to 4, 6 and 7.

Error against the share of the pool that is labelled, for random labels (RBoost), QBB,
COMB and FASSL-Boost with decision stumps, T = 20 and alpha = .01, and for FASSL-Boost
with shrinkage .2, which is not in the paper. `transductive` is the error on the pool,
where labels that were bought count as right; `inductive` that on rows held out. The
first labels are random and the same for all methods of a split. One line for each
method: the error at some shares, and the area under the whole curve (mean error over
the shares) with its standard deviation over the splits; then the mean difference of
FASSL-Boost to that method and the p-value of a paired t-test.

    python -m benchmarks.papers.boosting [--problem twonorm] [--splits 20] [--jobs 2]
        [--cache DIR] [--alphas] [--quick]

Splits are drawn at random, of the sizes of the benchmark's own. Digits: the images of a
pair are halved into pool and rows held out. With --cache, curves are stored and not
computed again. --alphas runs Figure 2, FASSL-Boost on twonorm, instead.
"""

import argparse
import json
import os
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import ttest_rel
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier

from sklearn_activelearn import (
    COMBClassifier,
    DecisionStumpClassifier,
    FASSLBoostClassifier,
    PassiveClassifier,
    QueryByBoostingClassifier,
)

from . import data

BENCHMARKS = list(data.N_TRAIN)
PAIRS = ["2v3", "3v5", "3v8", "6v8", "8v9", "0v8"]
SHARES = np.linspace(0.05, 0.8, 16)
DIGIT_SHARES = np.array([0.001, *np.linspace(0.005, 0.1, 20)])
CRITERIA = ("error", "gini")


def methods_with(criterion):
    """Return the learners by name, with stumps of that criterion."""
    stump = DecisionStumpClassifier(criterion)
    return {
        "RBoost": PassiveClassifier(AdaBoostClassifier(stump, n_estimators=20)),
        "QBB": QueryByBoostingClassifier(stump),
        "COMB": COMBClassifier(stump),
        "FASSL": FASSLBoostClassifier(stump),
        "FASSL from 1": FASSLBoostClassifier(stump, n_initial_estimators=1),
        "shrunk FASSL": FASSLBoostClassifier(stump, shrinkage=0.2),
        "stopped FASSL": FASSLBoostClassifier(
            stump, n_initial_estimators=1, early_stopping=True
        ),
    }


ALPHAS = [0.0, 0.001, 0.01, 0.1, 0.5, 1.0]


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
        return X[:200], y[:200], [], 100, shares
    return X, y, partitions(name), n_pool, shares


def partitions(name):
    """Return the rows of pool and test set of a file's own partitions, if it has any."""
    file = data.local_file(f"raetsch_{name}")
    if not file.exists():
        return []
    with np.load(file, allow_pickle=False) as arrays:
        rows = [np.atleast_2d(arrays[part]) for part in ("train", "test")]
    return list(zip(*rows, strict=True))


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
    if split < len(partitions):
        pool, test = partitions[split]
    else:
        pool, test = np.split(np.random.RandomState(split).permutation(len(y)), [n_pool])
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


def cached(file, learner, rows, split):
    """Return a curve, from the file that holds it if there is one."""
    if file and file.exists():
        return json.loads(file.read_text())
    result = curve(learner, *rows, split)
    if file:
        part = file.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(result))
        part.replace(file)
    return result


def run(methods, name, rows, args):
    """Return the curves as arrays (2, n_splits, n_shares), by method."""
    tasks = [(method, split) for split in range(args.splits) for method in methods]
    curves = Parallel(n_jobs=args.jobs)(
        delayed(cached)(
            args.cache and args.cache / f"{name}-{method}-{split}.json",
            methods[method],
            rows,
            split,
        )
        for method, split in tasks
    )
    results = {
        method: [c for (m, _), c in zip(tasks, curves, strict=True) if m == method]
        for method in methods
    }
    return {method: np.array(c).transpose(1, 0, 2) for method, c in results.items()}


def report(name, results, shares, reference="FASSL"):
    """Print the errors at some shares and the areas, with a paired test."""
    shown = np.linspace(0, len(shares) - 1, 6).round().astype(int)
    for kind, which in (("transductive", 0), ("inductive", 1)):
        heads = "".join(f"{100 * shares[k]:7.3g}%" for k in shown)
        print(
            f"\n{name}, {kind} error in % at     {heads}   area ± std   {reference} -"
        )
        best = results[reference][which].mean(axis=1)
        for method, curves in results.items():
            area = curves[which].mean(axis=1)
            cells = "".join(
                f"{100 * e:8.2f}" for e in curves[which].mean(axis=0)[shown]
            )
            line = f"  {method:{len(name) + len(kind) + 16}}{cells}"
            line += f"   {100 * area.mean():5.2f} ± {100 * area.std():.2f}"
            if method != reference and len(area) > 1:
                line += f"  {100 * (best - area).mean():+.2f}"
                line += f" (p = {ttest_rel(best, area).pvalue:.2g})"
            print(line, flush=True)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--problem", action="append", choices=BENCHMARKS + PAIRS)
    parser.add_argument("--cache", metavar="DIR", type=Path)
    parser.add_argument("--alphas", action="store_true")
    parser.add_argument("--quick", action="store_true", help="toy size, seconds")
    args = parser.parse_args(argv)
    problems = args.problem or BENCHMARKS
    methods, reference = METHODS, "FASSL"
    if args.quick:
        problems, args.splits = ["twonorm", "3v8"], 2
    if args.alphas:
        problems, reference = ["twonorm"], "alpha=0.01"
        methods = {
            f"alpha={alpha}": FASSLBoostClassifier(alpha=alpha) for alpha in ALPHAS
        }
    if args.cache:
        args.cache.mkdir(parents=True, exist_ok=True)
    print(__doc__.splitlines()[0])
    print(f"{args.splits} splits, seeds 0 to {args.splits - 1}.")
    for name in problems:
        try:
            rows = problem(name, args.quick)
        except FileNotFoundError as error:
            print(f"\n{name} is left out: {error}")
            continue
        report(name, run(methods, name, rows, args), rows[-1], reference)


if __name__ == "__main__":
    main()
