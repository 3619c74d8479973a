"""The compiled loop before and after a change, in one interleaved run.

Each source tree has a separate process, compiled in place, and the two take turns.
The times are of the processor, so that what else runs counts for little; the least of
the rounds is taken, also of the product `X @ w` that they are divided by. Both trees
must buy the same labels and learn the same weights, which is checked.

    python -m benchmarks.speed.kernels --before TREE [--rounds 9] [--quick]
        [--sets "500,000 x 54" ...] [--out kernel_speed.csv]
"""

import sys
from hashlib import sha256
from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.options import parse
from benchmarks.speed import _results, _rows, one_pass
from benchmarks.speed.settings import ROOT, Build
from sklearn_activelearn.kernels import _rows as products

#: Sets of rows, and how wide vectors may be.
SETS = {
    "500,000 x 54": (8, 4),
    "60,000 x 784": (8, 4),
    "CSR, 20,000 x 47,000": (8,),
    "CSR, 200,000 x 47,000": (8,),
}
LEARNERS = {
    "CBGZ": one_pass.CBGZ,
    "CBGZ, b = 0.5": one_pass.fresh(one_pass.CBGZ, b=0.5),
    "CBGZ, rows as they are": one_pass.fresh(one_pass.CBGZ, normalize=False),
    "DKM": one_pass.DKM,
    "random": one_pass.RANDOM,
    "nothing bought": one_pass.fresh(one_pass.RANDOM, rate=1e-12),
}
HEADER = ("rows", "vectors", "loop", "bought", "moved", "before_ms", "after_ms",
          "product_ms", "before_ratio", "after_ratio", "before_by_after")  # fmt: skip


def rows_of(name, shrink):
    """Return rows and 0/1 labels of that name."""
    if name.startswith("CSR"):
        return _rows.words((200_000 if "200" in name else 20_000) // shrink)
    if name.endswith("54"):
        return _rows.gaussian(500_000 // shrink, 54)
    X, y, *_ = _rows.images(60_000 // shrink)
    return np.ascontiguousarray(X, dtype=float), y


def work():
    """Time what the lines of the input name; answer each with seconds or a number."""
    with threadpool_limits(1):
        for line in sys.stdin:
            what, *arguments = line.rstrip("\n").split("\t")
            if what == "rows":
                name, shrink, products.widest = arguments[0], *map(int, arguments[1:])
                X, y = rows_of(name, shrink)
                w = np.random.default_rng(1).standard_normal(X.shape[1])
                calls = {"X @ w": lambda X=X, w=w: X @ w}
                for key, learner in LEARNERS.items():
                    calls[key] = one_pass.kernel(learner, X, y)
                calls["partial_fit CBGZ"] = one_pass.whole(one_pass.CBGZ, X, y)
                print(len(y), flush=True)
            elif what == "learned":
                learner = one_pass.fresh(LEARNERS[arguments[0]])
                learner.partial_fit(X, y, classes=np.unique(y))
                bits = learner.coef_.tobytes() + learner.queried_indices_.tobytes()
                checked = int(sha256(bits).hexdigest()[:12], 16)
                part = {"bits": checked, "bought": learner.n_queries_ / len(y),
                        "moved": learner.n_updates_ / len(y)}  # fmt: skip
                print(part[arguments[1]], flush=True)
            else:
                started = process_time()
                calls[what]()
                print(process_time() - started, flush=True)


def lines_of(builds, name, widest, shrink, rounds):
    """Return the lines of a table: each loop of a set."""
    for one in builds.values():
        one.ask("rows", name, shrink, widest)
    names = ["X @ w", *LEARNERS, "partial_fit CBGZ"]
    least = {}
    for _ in range(rounds):
        for key in names:
            for build, one in builds.items():
                seconds = one.ask(key)
                least[build, key] = min(seconds, least.get((build, key), seconds))
    product = min(least[build, "X @ w"] for build in builds)
    lines = []
    for key in names[1:]:
        learner = key.removeprefix("partial_fit ")
        bits = {one.ask("learned", learner, "bits") for one in builds.values()}
        if len(bits) > 1:
            raise RuntimeError(f"{name}, {key}: other labels or weights than before.")
        shares = [
            f"{builds['after'].ask('learned', learner, what):.1%}"
            for what in ("bought", "moved")
        ]
        before, after = (least[build, key] for build in builds)
        ratios = [before / product, after / product, before / after]
        times = [1e3 * seconds for seconds in (before, after, product)]
        lines.append([name, widest, key, *shares, *(f"{t:.2f}" for t in times),
                      *(f"{ratio:.2f}" for ratio in ratios)])  # fmt: skip
    return lines


def main():
    """Time both trees and write a row for each loop."""
    if "--worker" in sys.argv:
        work()
        return
    args = parse(__doc__, before=ROOT, rounds=9, sets=SETS, out=str)
    trees = {"before": args.before, "after": ROOT}
    builds = {build: Build(tree, __file__) for build, tree in trees.items()}
    shrink, rounds = (100, 1) if args.quick else (1, args.rounds)
    lines = []
    for name in args.sets or SETS:
        for widest in SETS[name]:
            lines += lines_of(builds, name, widest, shrink, rounds)
    for one in builds.values():
        one.close()
    _results.write(args.out, HEADER, lines, quick=not args.out)


if __name__ == "__main__":
    main()
