"""Members of the default model: what was tried, on random rows of many sets.

A run is a set, a split and a number of labels: each variant of the candidates is
weighed and trained on the same random rows of the pool, and its accuracy on other rows
is kept, and the seconds of one processor that its training takes.

    python -m benchmarks.sets.members [--only SET ...] [--sets many] [--orders 2]
        [--labels 20 30 50 100] [--results results/members.csv] [--out docs] [--quick]

Writes blend_members.csv for the sets "many", blend_members_tables.csv for "tables":
gains over the candidates before, in points of accuracy, means of the sets. With --only
it writes blend_members_sets.csv: gains of today's candidates, scaled by the pool as in
pool learners, with their standard errors over the splits.
"""

from functools import partial
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.options import one_of, parse
from benchmarks.problems import GROUPS, PROBLEMS
from benchmarks.results import write_table
from benchmarks.runner import Runner
from benchmarks.sets._run import dense_halves
from sklearn_activelearn import BlendClassifier
from sklearn_activelearn.batch._blend import default_candidates, fit_scaler, is_unequal

BALANCED = {"class_weight": "balanced"}


def before(X, y, forest=RandomForestClassifier, name="forest"):
    """Return four penalties, two kernel machines and a forest of scikit-learn."""
    found = [(f"C={C}", LogisticRegression(C=C, max_iter=1_000)) for C in (1, 0.1)]
    found += [(f"C={C}", LogisticRegression(C=C, max_iter=1_000)) for C in (10, 100)]
    found += [(f"SVC C={C}", SVC(C=C)) for C in (1, 10)]
    found.append((name, forest()))
    if is_unequal(y):
        logistic = LogisticRegression(max_iter=1_000, **BALANCED)
        found += [("balanced", logistic), ("balanced SVC", SVC(C=10, **BALANCED))]
        trees = forest(min_samples_leaf=3, **BALANCED)
        found.append((f"balanced {name}", trees))
    return found


def without(*names):
    """Return the function that leaves out some of today's candidates."""

    def candidates(X, y):
        return [pair for pair in default_candidates(X, y) if pair[0] not in names]

    return candidates


VARIANTS = {
    "before": before,
    "30 extremely randomised trees of scikit-learn": partial(
        before, forest=partial(ExtraTreesClassifier, 30), name="extra trees"
    ),
    "today": without(),
    "today, no extra trees": without("extra trees"),
    "today, no forest": without("forest"),
    "today, no trees": without("forest", "extra trees", "balanced forest"),
    "today, no SVC C=1": without("SVC C=1"),
    "today, no SVC C=10": without("SVC C=10"),
    "today, no logistic C=100": without("logistic C=100"),
}

#: Columns of 0 and 1 are scaled above, and left alone in the last two.
NAMES = [*VARIANTS, "today, scaled by labelled rows", "today, scaled by the pool"]


class Result(NamedTuple):
    """Accuracies and seconds of `NAMES` on a split."""

    set: str
    order: int
    n_labels: int
    accuracy: list
    seconds: list

    @property
    def key(self):
        """The set, the split and the number of labels: unique to a run."""
        return self[:3]


def measure(key, split):
    """Return the accuracies of all variants after some random labels."""
    _, order, n_labels = key
    rows = np.random.default_rng((7, order)).permutation(len(split.y))[:n_labels]
    X, y, lines = split.X[rows], split.y[rows], []
    blends = [
        BlendClassifier(
            [
                (name, make_pipeline(StandardScaler(), model))
                for name, model in candidates(X, y)
            ],
            random_state=0,
        )
        for candidates in VARIANTS.values()
    ]
    scalers = [None] * (len(blends) + 1) + [fit_scaler(split.X)]
    blends += [BlendClassifier(random_state=0)] * 2
    for blend, scaler in zip(blends, scalers, strict=True):
        started = process_time()
        model = clone(blend).fit_in_order(X, y, scaler=scaler)
        seconds = process_time() - started
        lines.append((model.score(split.X_test, split.y_test), seconds))
    return Result(*key, *map(list, zip(*lines, strict=True)))


def tasks(names, orders, labels):
    """Yield the runs."""
    for key, split in dense_halves(names, orders, labels):
        yield key, measure, split


def lines(results, labels):
    """Yield a line for each variant: gains over the first one."""
    cost = np.mean([result.seconds for result in results], axis=0)
    for k, variant in enumerate(NAMES):
        gains = {}
        for result in results:
            gain = 100 * (result.accuracy[k] - result.accuracy[0])
            gains.setdefault(result.set, []).append((result.n_labels, gain))
        means = {name: np.mean([g for _, g in of]) for name, of in gains.items()}
        values, worst = np.array([*means.values()]), min(means, key=means.get)
        line = {"candidates": variant, "sets": len(means)}
        for n_labels in labels if len(labels) > 1 else []:
            found = [[g for n, g in of if n == n_labels] for of in gains.values()]
            found = [np.mean(of) for of in found if of]
            line[f"{n_labels} labels"] = f"{np.mean(found):+.2f}" if found else ""
        line["mean"] = f"{values.mean():+.2f}"
        line["±"] = f"{values.std(ddof=1) / len(values) ** 0.5:.2f}"
        line["lowest"], line["on"] = f"{means[worst]:+.2f}", worst
        line["time, before = 1"] = f"{cost[k] / cost[0]:.2f}"
        yield line


def lines_of_sets(results):
    """Yield a line for each set: the gain of the last variant over the first one."""
    gains = {}
    for result in results:
        gain = 100 * (result.accuracy[-1] - result.accuracy[0])
        gains.setdefault(result.set, []).append(gain)
    for name in sorted(gains, key=lambda name: np.mean(gains[name])):
        runs = np.array(gains[name])
        error = runs.std(ddof=1) / len(runs) ** 0.5 if len(runs) > 1 else np.nan
        yield {
            "set": name, "splits": len(runs),
            "gain": f"{runs.mean():+.2f}", "±": f"{error:.2f}",
        }  # fmt: skip


def main(argv=None):
    quick = {"results": "toy.csv", "out": Path("toy"), "labels": [20]}
    args = parse(
        __doc__,
        argv,
        quick | {"orders": 1},
        only=PROBLEMS,
        sets=one_of(GROUPS, "many"),
        orders=2,
        jobs=1,
        labels=[20, 30, 50, 100],
        results="results/members.csv",
        out=Path("docs"),
    )
    names = args.only or (["iris", "wine"] if args.quick else GROUPS[args.sets])
    runner = Runner(args.results, Result, "sets.members", argv, args.jobs)
    runner.run(tasks(names, args.orders, args.labels))
    results = [run for run in runner.done.values() if run.set in names]
    if args.only:
        table, name = [*lines_of_sets(results)], "blend_members_sets"
    else:
        table = [*lines(results, args.labels)]
        name = "blend_members" + ("" if args.sets == "many" else f"_{args.sets}")
    path = args.out / "results" / f"{name}.csv"
    write_table(path, table[0].keys(), [line.values() for line in table])


if __name__ == "__main__":
    main()
