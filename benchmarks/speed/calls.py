"""Cost of calls beside their loops, before and after a change, in one run.

Each source tree has a separate process, compiled in place, and they take turns. The
times are of the processor, so that what else runs counts for little; the least of the
rounds is taken. A ratio is to the call named in the column "to", of the same tree.
Streams of 2,000 rows that come one a call are also given to scikit-learn, river and
Vowpal Wabbit, each in the form that it reads fastest. Peers are run if they can be
imported (extra `benchmark`).

    python -m benchmarks.speed.calls [--before TREE] [--rounds 7] [--quick]
        [--out docs/results/calls_speed.csv]
"""

import os
import subprocess
import sys
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression, SGDClassifier
from threadpoolctl import threadpool_limits

from benchmarks._peers import installed
from benchmarks.options import parse
from benchmarks.speed import _rows, pool
from benchmarks.speed._interleave import write_lines
from benchmarks.speed.one_pass import CBGZ, DKM, ONE_EPOCH, fresh, whole
from sklearn_activelearn import MarginLossClassifier, UncertaintySamplingClassifier

ROOT = Path(__file__).parents[2]
N_LABELS = 60
LEARNER = UncertaintySamplingClassifier(LogisticRegression())


def passes(name, X, y):
    """Return calls on a stream: simulated, with an oracle, and scikit-learn's epoch."""
    classes = np.unique(y)
    return {
        f"partial_fit, {name}": whole(CBGZ, X, y),
        f"learn, {name}": lambda: fresh(CBGZ).learn(X, lambda i: y[i], classes=classes),
        f"fit, {name}": lambda: fresh(CBGZ, shuffle=False).fit(X, y),
        f"SGD epoch, {name}": lambda: SGDClassifier(**ONE_EPOCH).fit(X, y),
    }


def first_calls(X, y):
    """Return first calls with few rows, a hundred of each."""
    texts = np.array(["no", "yes"])[y]

    def repeated(call):
        return lambda: [call() for _ in range(100)]

    return {
        "100 first calls, whole numbers": repeated(whole(CBGZ, X, y)),
        "100 first calls, texts": repeated(whole(CBGZ, X, texts)),
    }


def one_row_a_call(shrink):
    """Return calls that learn 2,000 rows of 50 features, one row a call."""
    X, y = _rows.gaussian(2_000 // shrink, 50)
    ours = {
        "CBGZ": CBGZ,
        "DKM": DKM,
        "margin loss": MarginLossClassifier(random_state=0),
        "margin loss, adaptive steps": MarginLossClassifier(
            learning_rate="adaptive", random_state=0
        ),
        "SGD": SGDClassifier(),
    }
    others = {
        peer.PACKAGE: method
        for peer in installed()
        for method in getattr(peer, "METHODS", {}).values()
        if method.prepare and peer.PACKAGE in ("river", "vowpalwabbit")
    }

    def stream(make, rows):
        rows = [(rows[k : k + 1], y[k : k + 1]) for k in range(len(y))]

        def call():
            learner = make()
            for row, label in rows:
                learner.partial_fit(row, label, classes=[0, 1])

        return call

    calls = {name: stream(partial(fresh, each), X) for name, each in ours.items()}
    for name, each in others.items():
        calls[name] = stream(each.make, each.prepare(X))
    return {f"one row a call, {name}": call for name, call in calls.items()}


def pools(shrink):
    """Return loops that buy labels from a pool one by one."""
    X, y = pool.gaussian(10_000 // shrink)
    grey, digits = load_digits(return_X_y=True)
    grey /= 16
    first = np.arange(pool.N_INITIAL)
    run, peer = pool.by_hand(LEARNER), pool.activeml(LEARNER.estimator)
    calls = {
        "query and teach": lambda: run(X, y, first, N_LABELS, 0),
        "query and teach, ten classes": lambda: run(grey, digits, first, N_LABELS, 0),
    }
    if peer:
        calls["scikit-activeml"] = lambda: peer(X, y, first, N_LABELS, 0)
    return calls


class Build:
    """A source tree with a process that runs this script with ``--worker``."""

    def __init__(self, tree):
        self.process = subprocess.Popen(
            [sys.executable, "-P", __file__, "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree)},
        )

    def ask(self, line):
        """Return the line that the process answers."""
        print(line, file=self.process.stdin, flush=True)
        return self.process.stdout.readline().rstrip("\n")

    def close(self):
        """End the process."""
        self.process.communicate()


#: What a line is compared with, and the goal: at most, or if negative at least.
GOALS = {
    "learn, MNIST": ("partial_fit, MNIST", 2),
    "learn, 54 features": ("partial_fit, 54 features", 2),
    "SGD epoch, MNIST": ("fit, MNIST", -3),
    "SGD epoch, 54 features": ("fit, 54 features", -3),
    "scikit-activeml": ("query and teach", -2.5),
}


def work():
    """Time the calls that the lines of the input name; answer each with seconds."""
    shrink = int(sys.stdin.readline())
    images, even, _, _ = _rows.images(30_000 // shrink)
    with redirect_stdout(sys.stderr):  # standard output is for the answers
        calls = {
            **passes("MNIST", images, even),
            **passes("54 features", *_rows.gaussian(200_000 // shrink, 54)),
            **first_calls(*_rows.gaussian(100, 100)),
            **one_row_a_call(shrink),
            **pools(shrink),
        }
    print(*calls, sep="\t", flush=True)
    with threadpool_limits(1):
        for line in sys.stdin:
            started = process_time()
            calls[line.rstrip("\n")]()
            print(process_time() - started, flush=True)


def judged(name, ratio):
    """Return the goal of a line, and whether the ratio meets it, in words."""
    goal = GOALS[name][1]
    met = ratio <= goal if goal > 0 else ratio >= -goal
    sign = "at most" if goal > 0 else "at least"
    return f"{sign} {abs(goal):g}, {'met' if met else 'missed'}"


def lines_of(seconds):
    """Return a row of the table for each call, from the seconds of each tree."""
    lines = []
    for name in next(iter(seconds.values())):
        to = GOALS.get(name, ("", 0))[0]
        line = {"call": name, "to": to}
        for tree, least in seconds.items():
            line[f"{tree}_ms"] = f"{least[name] * 1e3:.1f}"
            ratio = least[name] / least[to] if to else ""
            line[f"{tree}_ratio"] = f"{ratio:.2f}" if to else ""
        line["goal"] = judged(name, ratio) if to else ""
        lines.append(line)
    return lines


def main():
    """Time both trees and write a row for each call."""
    if "--worker" in sys.argv:
        work()
        return
    args = parse(__doc__, before=Path, rounds=7, out=Path)
    trees = {"before": args.before, "after": ROOT} if args.before else {"after": ROOT}
    builds = {name: Build(tree) for name, tree in trees.items()}
    for one in builds.values():
        names = one.ask(100 if args.quick else 1).split("\t")
    seconds = {tree: dict.fromkeys(names, np.inf) for tree in builds}
    for _ in range(1 if args.quick else args.rounds):
        for name in names:
            for tree, one in builds.items():
                seconds[tree][name] = min(seconds[tree][name], float(one.ask(name)))
    for one in builds.values():
        one.close()
    if args.quick:
        print("Toy size: the ratios and the verdicts say nothing.")
    write_lines(args.out, lines_of(seconds), args.rounds, args.quick)


if __name__ == "__main__":
    main()
