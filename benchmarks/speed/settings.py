"""Many settings side by side, before and after a change, in one interleaved run.

Each source tree has a separate process, compiled in place, and the two take turns.
The times are of the processor, so that what else runs counts for little; the least of
the rounds is taken. The settings are values of b, from .003 to 1, or whole searches
over 20 of them on 3 folds; "bare" does without averaging, scaling and intercept.
"images" are MNIST, "news" are RCV1, where they are at hand; "ten classes" has a weight
vector for each class.

    python -m benchmarks.speed.settings --before TREE [--rounds 3] [--quick]
        [--sets "news" ...] [--out docs/results/settings_speed.csv]
"""

import csv
import os
import subprocess
import sys
from pathlib import Path
from time import process_time

import numpy as np
from scipy.sparse import issparse
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_limits

from benchmarks import data
from benchmarks.options import parse
from benchmarks.speed import _interleave, _rows
from benchmarks.speed.one_pass import fresh
from sklearn_activelearn import CBGZClassifier, OnePassSearchCV
from sklearn_activelearn.kernels._rows import Rows
from sklearn_activelearn.stream import _pass, _search

ROOT = Path(__file__).parents[2]
DEFAULT = CBGZClassifier(random_state=0)
BARE = fresh(DEFAULT, average=False, normalize=False, fit_intercept=False)
SETS = ("images", "images, ten classes", "news", "news, ten classes")


def values_of_b(n_settings):
    """Return the values of the settings."""
    return np.geomspace(0.003, 1, n_settings).tolist()


def news(quick):
    """Return CSR rows of news with 0/1 labels."""
    if quick or not data.local_file("rcv1_subset").exists():
        return _rows.words(200 if quick else 24_000)
    X, y, _ = data.rcv1()
    return X.astype(np.float64), (y > 0).astype(int)


def rows_of(name, shrink):
    """Return rows and class codes of that name."""
    if name.startswith("images"):
        X, y, digits, _ = _rows.images((6_000 if "ten" in name else 60_000) // shrink)
        return np.ascontiguousarray(X, dtype=float), digits if "ten" in name else y
    X, y = news(shrink > 1)
    return X, np.arange(len(y)) // 7 % 10 if "ten" in name else y


class Work:
    """Settings of a learner on rows of one set, which a process times."""

    def __init__(self, name, shrink):
        self.X, self.y = rows_of(name, shrink)
        self.codes = self.y.astype(np.int32)
        self.orders = {
            "in order": None,
            "shuffled": np.random.default_rng(0).permutation(len(self.y)),
        }

    def passes(self, n_settings, kind, order, make_pass):
        """Return passes that have not begun."""
        rows, passes = Rows(self.X), []
        prototype = {"bare": BARE, "default": DEFAULT}[kind]
        for b in values_of_b(n_settings):
            learner = fresh(prototype, b=b)
            learner.n_features_in_ = self.X.shape[1]
            learner._reset()
            learner._set_classes(np.unique(self.codes))
            limits = learner._limits(len(self.codes))
            order_of = self.orders[order]
            passes.append(make_pass(learner, rows, self.codes, order_of, limits))
        return passes

    def one_by_one(self, n_settings, kind, order):
        """Lead the settings over the rows, one after the other."""
        make_pass = CBGZClassifier._make_pass
        for one in self.passes(n_settings, kind, order, make_pass):
            one.run()

    def side_by_side(self, n_settings, kind, order):
        """Lead them together; in groups, if rows are sparse."""
        join = CBGZClassifier._join_batched_pass
        passes = self.passes(n_settings, kind, order, join)
        groups = [passes]
        if issparse(self.X):
            n_classes = len(np.unique(self.codes))
            n_vectors = 1 if n_classes == 2 else n_classes
            groups = _search.split_evenly(passes, max(_pass.LANES // n_vectors, 1))
        for group in groups:
            _pass.BatchedPass(group).run()

    def search(self, kind, *_):
        """Search 20 settings."""
        searcher = {"one pass": OnePassSearchCV, "grid": GridSearchCV}[kind]
        grid = {"b": values_of_b(20)}
        searcher(DEFAULT, grid, cv=3).fit(self.X, self.y)


def work():
    """Time what the lines of the input name; answer each with seconds."""
    with threadpool_limits(1):
        for line in sys.stdin:
            name, *arguments = line.rstrip("\n").split("\t")
            if name in SETS:
                current = Work(name, int(arguments[0]))
                print(len(current.y), flush=True)
                continue
            arguments = [int(each) if each.isdigit() else each for each in arguments]
            started = process_time()
            getattr(current, name)(*arguments)
            print(process_time() - started, flush=True)


class Build:
    """A source tree with its own process, which runs a benchmark with ``--worker``."""

    def __init__(self, tree, script=__file__):
        self.process = subprocess.Popen(
            [sys.executable, "-P", script, "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree)},
        )

    def ask(self, *line):
        """Return the number that the process answers."""
        return float(self.ask_text(*line))

    def ask_text(self, *line):
        """Return the line that the process answers."""
        print(*line, sep="\t", file=self.process.stdin, flush=True)
        return self.process.stdout.readline().rstrip("\n")

    def close(self):
        """End the process."""
        self.process.communicate()


def lines_of(name):
    """Return what is timed on a set: settings, kind and order, None for searches."""
    if "ten" in name:
        return [(20, "default", "shuffled")]
    orders = ("in order", "shuffled")
    if name == "news":
        kinds = ("bare", "default")
        lines = [(n, kind, how) for n in (20, 100) for kind in kinds for how in orders]
    else:
        lines = [(20, "bare", "shuffled"), (20, "default", "shuffled")]
        lines += [(100, "bare", "in order"), (100, "default", "in order")]
    return [*lines, None]


def timed(builds, name, line, rounds):
    """Return the least seconds of each build, one by one and side by side."""
    if line is None:
        calls = {
            "one_by_one": ("search", "grid"),
            "side_by_side": ("search", "one pass"),
        }
    else:
        calls = {how: (how, *line) for how in ("one_by_one", "side_by_side")}
    least = {}
    for _ in range(rounds):
        for how, call in calls.items():
            for build, one in builds.items():
                seconds = one.ask(*call)
                least[build, how] = min(seconds, least.get((build, how), seconds))
    return least


def main():
    """Time both trees and write a row for each case."""
    if "--worker" in sys.argv:
        work()
        return
    args = parse(__doc__, before=Path, rounds=3, sets=SETS, out=Path)
    args.sets = args.sets or SETS
    trees = {"before": args.before, "after": ROOT} if args.before else {"after": ROOT}
    builds, rows = {build: Build(tree) for build, tree in trees.items()}, []
    if args.out and args.out.exists():
        with args.out.open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["rows"] not in args.sets]
    for name in args.sets:
        n = max(one.ask(name, 100 if args.quick else 1) for one in builds.values())
        for line in lines_of(name):
            least = timed(builds, name, line, 1 if args.quick else args.rounds)
            n_settings, kind, order = line or (20, "search", "3 folds")
            row = {"rows": name, "n_rows": int(n), "settings": n_settings,
                   "learner": kind, "order": order}  # fmt: skip
            for (build, how), seconds in sorted(least.items()):
                row[f"{how}_{build}_ms"] = round(seconds * 1e3, 1)
            first = next(iter(builds))
            now = least["after", "side_by_side"]
            row["times_faster"] = round(least[first, "one_by_one"] / now, 2)
            row["times_faster_than_new"] = round(least["after", "one_by_one"] / now, 2)
            row |= _interleave.about(args.rounds)
            rows.append(row)
            print(*row.values(), sep=", ", flush=True)
            if args.out:
                with args.out.open("w", newline="") as file:
                    writer = csv.DictWriter(file, row, lineterminator="\n")
                    writer.writeheader()
                    writer.writerows(rows)
    for one in builds.values():
        one.close()


if __name__ == "__main__":
    main()
