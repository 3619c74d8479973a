"""Kinds of rows that the default learner buys, on tables and with flipped labels.

A learner buys 100 labels as in the regime "hundred" of `benchmarks.sets.pools`, chosen
rows or random ones. Rows bought are described beside the whole pool:

outlier       percentile of the distance to the tenth nearest row of the pool, in the
              model's scale: 0.5 in the pool
rare          share of rows with a category (a column of 0 and 1) that fewer than one
              row in twenty has
flipped       share of rows whose label is flipped
most          share of the rows of the pool's most frequent class

by the reason for which they were bought. The class shares of rows bought differ from
the pool's. What this costs is the gain in accuracy, at the end, of probabilities that
are corrected towards the class shares of the pool, which only an experiment knows.
Writes

spent.csv         by group of sets and reason: means over the sets
spent_sets.csv    the same by set
spent_shares.csv  by group: points of accuracy that the correction gains, means over the
                  sets with standard errors

    python -m benchmarks.sets.spent [--orders 4] [--only SET ...] [--jobs 1]
        [--runs results/spent.csv] [--out docs/results] [--quick]
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.options import parse
from benchmarks.problems import GROUPS, PROBLEMS
from benchmarks.results import write_table
from benchmarks.runner import Runner
from benchmarks.sets.chance import KINDS
from benchmarks.sets.methods import METHODS
from benchmarks.sets.pools import REGIMES
from benchmarks.statistics import plus_minus, spread

REASONS = ("first", "random", "uncertain", "representative")
#: A category is rare if a smaller share of the pool has it.
RARE = 0.05
FIELDS = ("outlier", "rare", "flipped", "most")
N_NEAREST = 10


class Run(NamedTuple):
    """A set, a kind of rows and a split; each list has a figure for each reason."""

    set: str
    rows: str
    order: int
    n: list
    outlier: list
    rare: list
    flipped: list
    most: list
    rare_pool: float
    flipped_pool: float
    most_pool: float
    accuracy: float
    corrected: float  # with the class shares of the pool

    @property
    def key(self):
        """The set, the kind of rows and the split: unique to a run."""
        return self[:3]


def facts_of_pool(X, y, y_clean):
    """Return for each row of a pool its outlyingness, and what it has."""
    X = np.asarray(X)
    is_binary = ((X == 0) | (X == 1)).all(axis=0)
    deviation = np.where(is_binary, 1, X.std(axis=0))
    Z = X / np.where(deviation > 0, deviation, 1)
    nearest = NearestNeighbors(n_neighbors=N_NEAREST + 1).fit(Z).kneighbors(Z)[0]
    outlier = nearest[:, -1].argsort().argsort() / len(X)
    rare = is_binary & (X.mean(axis=0) < RARE)
    has_rare = (X[:, rare] > 0).any(axis=1)
    codes = np.unique(y, return_inverse=True)[1]
    return outlier, has_rare, y != y_clean, codes == np.bincount(codes).argmax()


def measure(key, problem, X, y, regime):
    """Return the kinds of rows that a learner buys."""
    _, rows, order = key
    split = problem.halve(X, y, order)
    clean = problem._replace(flipped=0.0).halve(X, y, order)
    regime = regime.within(len(split.y))
    learner = METHODS[KINDS[rows]].make(
        None,
        n_initial=regime.n_initial,
        batch_size=regime.batch_size,
        budget=regime.budget,
        random_state=order,
    )
    bought, reasons = [], []
    for _ in range(regime.n_rounds):
        found, why = learner.query(split.X, return_reason=True)
        learner.teach(split.X[found], split.y[found])
        bought += found.tolist()
        reasons += list(why)
    facts = np.array(facts_of_pool(split.X, split.y, clean.y), dtype=float)
    bought, reasons = np.array(bought), np.array(reasons)
    of = [bought[reasons == reason] for reason in REASONS]
    means = [[float(np.mean(f[r])) if len(r) else np.nan for r in of] for f in facts]
    p = learner.predict_proba(split.X_test)
    classes = learner.classes_
    shares = [np.mean(split.y == c) / np.mean(split.y[bought] == c) for c in classes]
    right, corrected = (
        float(np.mean(classes[q.argmax(axis=1)] == split.y_test))
        for q in (p, p * np.array(shares))
    )
    pool = facts[1:].mean(axis=1).tolist()
    return Run(*key, [len(r) for r in of], *means, *pool, right, corrected)


def set_lines(runs):
    """Yield a line with numbers for each set and reason, and for its pool."""
    for name in dict.fromkeys(run.set for run in runs):
        own = [r for r in runs if (r.set, r.rows) == (name, "chosen")]
        for reason in ("pool", *REASONS):
            line = {"group": group_of(name), "set": name, "rows": reason}
            yield line | {field: mean_of(own, field, reason) for field in FIELDS}


def mean_of(runs, field, reason):
    """Return the mean of a field over rows; NaN if there is none."""
    if reason == "pool":
        return np.mean([getattr(r, f"{field}_pool", 0.5) for r in runs])
    i = REASONS.index(reason)
    sizes = np.array([r.n[i] for r in runs], dtype=float)
    values = np.array([getattr(r, field)[i] for r in runs])
    known = sizes > 0
    return np.average(values[known], weights=sizes[known]) if known.any() else np.nan


def group_lines(lines):
    """Yield a line for each group of sets and reason: means over sets."""
    for group in dict.fromkeys(line["group"] for line in lines):
        for reason in ("pool", *REASONS):
            own = [r for r in lines if (r["group"], r["rows"]) == (group, reason)]
            values = np.array([[line[field] for field in FIELDS] for line in own])
            is_known = ~np.isnan(values).all(axis=1)
            means = values[is_known].mean(axis=0) if is_known.any() else [np.nan] * 4
            line = {"group": group, "rows": reason, "sets": np.count_nonzero(is_known)}
            yield line | dict(zip(FIELDS, means, strict=True))


def share_lines(runs):
    """Yield a line for each group and kind of rows: points of a correction."""
    for group in dict.fromkeys(group_of(run.set) for run in runs):
        line = {"group": group}
        for kind in KINDS:
            of = [r for r in runs if group_of(r.set) == group and r.rows == kind]
            names = dict.fromkeys(r.set for r in of)
            gains = [
                np.mean([100 * (r.corrected - r.accuracy) for r in of if r.set == name])
                for name in names
            ]
            line |= {"sets": len(names), f"{kind} rows": plus_minus(*spread(gains))}
        yield line


def two_digits(value):
    """Return a cell; nothing for NaN."""
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.2f}"
    return value


def group_of(name):
    """Return the group of a set."""
    return "labels flipped" if "flipped" in name else "tables"


def main(argv=None):
    quick = {"runs": "toy.csv", "out": Path("toy"), "orders": 2}
    twenty = [name for name in GROUPS["flipped"] if "20%" in name]
    args = parse(
        __doc__,
        argv,
        quick | {"only": ["iris, 30% flipped"]},
        only=PROBLEMS,
        orders=4,
        jobs=1,
        runs="results/spent.csv",
        out=Path("docs/results"),
    )
    runner = Runner(args.runs, Run, "sets.spent", argv, args.jobs)
    for order in range(1, args.orders + 1):
        for name in args.only or [*GROUPS["tables"], *twenty]:
            tasks = [(name, kind, order) for kind in KINDS]
            if all(key in runner.done for key in tasks):
                continue
            try:
                X, y = PROBLEMS[name].load()
            except OSError as error:  # no file, no network
                print(f"{name} is left out: {error}", flush=True)
                continue
            arguments = measure, PROBLEMS[name], X, y, REGIMES["hundred"]
            runner.run((key, *arguments) for key in tasks)
    runs = list(runner.done.values())
    each = list(set_lines(runs))
    tables = {
        "spent_sets": each,
        "spent": list(group_lines(each)),
        "spent_shares": list(share_lines(runs)),
    }
    for name, lines in tables.items():
        if lines:
            rows = [[two_digits(v) for v in line.values()] for line in lines]
            write_table(args.out / f"{name}.csv", lines[0].keys(), rows)


if __name__ == "__main__":
    main()
