"""Pool learners on many data sets: the evidence for their defaults.

A run is a data set, a model, a method and the number of a random split: it buys labels,
a batch at a time, and is scored on other rows after each. All methods that start at
random buy the same first rows. There are five regimes:

low    batches of 10 up to 150 labels
high   batches of 50 up to 500 labels
one    10 labels first, then one at a time up to 100
halves batches of 10 up to 200 labels or 60 % of the pool, which is half of a set
rare   batches of 10 up to 200 labels of pools of which 3 % are positive

C of the models "logistic" and "svc" is chosen once for each data set, by
cross-validation on all labels of split 0, which is not run. Each run is a line of the
results, and is not run again if it is there: repeat a command that was interrupted, and
delete the lines of a method whose code has changed. `benchmarks.sets.report` reads the
file; of the regimes "halves" and "rare", `benchmarks.sets.gains` does.

    python -m benchmarks.sets.pools [--only SET ...] [--methods NAME ...]
        [--models logistic svc forest own] [--regime low] [--orders 20] [--jobs 2]
        [--sets first] [--rows 1500] [--results results/pools.csv] [--quick]

`--sets` names a group of `problems.GROUPS`, or "rare". The baselines of the blend:

    python -m benchmarks.sets.pools --regime halves --sets many --orders 10
        --models default --methods hybrid random margin --results results/halves.csv

Larger pools belong in a file of results of their own.
"""

import argparse
import time
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from benchmarks.sets._results import Result, append, read
from benchmarks.sets._run import Regime, chosen_C, run
from benchmarks.sets._statistics import spread
from benchmarks.sets._tables import in_order
from benchmarks.sets.methods import METHODS, MODELS, TUNED, all_methods, applicable
from benchmarks.sets.problems import GROUPS, PROBLEMS
from benchmarks.sets.rare import RARE

RESULTS = "results/pools.csv"
PROBLEMS = PROBLEMS | RARE
GROUPS = GROUPS | {"rare": list(RARE)}
REGIMES = {
    "low": Regime(10, 150),
    "high": Regime(50, 500),
    "one": Regime(1, 100, 10),
    "halves": Regime(10, 200, share=0.6, split="halve"),
    "rare": Regime(10, 200, split="split_rare"),
    "toy": Regime(10, 30),
    "toy halves": Regime(10, 30, share=0.6, split="halve"),
}


def run_set(name, methods, done, args):
    """Run what is missing of a data set, and print what each method came to."""
    try:
        X, y = PROBLEMS[name].load()
    except OSError as error:  # no file, no network
        print(f"\n{name} is left out: {error}", flush=True)
        return
    regime = REGIMES[args.regime]
    split = partial(getattr(PROBLEMS[name], regime.split), X, y)
    if args.rows:
        split = partial(split, n_pool=args.rows)
    first = split(0)
    n_classes, n_pool = len(np.unique(first.y)), len(first.y)
    n_test = len(first.y_test)
    regime = regime.within(n_pool)
    if n_pool < 1.5 * regime.budget:
        print(f"\n{name} is left out: {n_pool} rows are too few.", flush=True)
        return
    print(
        f"\n{name}: {n_classes} classes, {n_pool} rows for sale, {n_test} for testing"
    )
    for model in args.models:
        wanted = applicable(methods, model, X, y)
        estimator, C = MODELS[model], np.nan
        if wanted and model in TUNED:
            known = (r.C for r in done.values() if (r.set, r.model) == (name, model))
            C = next(known, None) or chosen_C(estimator, first, args.jobs)
            estimator = clone(estimator).set_params(C=C)
        print(f"  {model}{'' if np.isnan(C) else f', C = {C:g}'}", flush=True)
        started, n_done = time.perf_counter(), len(done)
        tasks = missing(name, model, wanted, regime, estimator, split, done, args)
        parallel = Parallel(args.jobs, return_as="generator_unordered", max_nbytes=None)
        for key, outcome in parallel(tasks):
            if outcome.error:
                print(f"    {key[3]}, order {key[4]}: {outcome.error}", flush=True)
                continue
            scores = outcome[:-1]
            done[key] = Result(*key, C, n_classes, n_pool, n_test, *scores)
            append(args.results, done[key])
        show([r for r in done.values() if r.key[:3] == (args.regime, name, model)])
        seconds = time.perf_counter() - started
        print(f"    {len(done) - n_done} runs in {seconds:.0f} s", flush=True)


def missing(name, model, methods, regime, estimator, split, done, args):
    """Yield a call for each run that has no result yet."""
    for order in range(1, args.orders + 1):
        keys = [(args.regime, name, model, method, order) for method in methods]
        keys = [key for key in keys if key not in done]
        if keys:
            rows = split(order)
        for key in keys:
            method = methods[key[3]]
            yield delayed(run)(key, method, estimator, regime, rows)


def show(results):
    """Print mean accuracy over the curve and at its end, and the times of a batch."""
    for method in in_order({result.method for result in results}, METHODS):
        own = [result for result in results if result.method == method]
        area, error = spread([100 * result.area for result in own])
        final, _ = spread([100 * result.final for result in own])
        query, train = np.mean([(r.query_ms, r.train_ms) for r in own], axis=0)
        print(
            f"    {method:24} {area:5.1f} ± {error:3.1f}  {final:5.1f}  "
            f"{query:6.1f} + {train:5.1f} ms  {len(own)} splits"
        )


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="SET", choices=PROBLEMS)
    parser.add_argument("--methods", nargs="+", metavar="NAME")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=TUNED)
    parser.add_argument("--regime", choices=REGIMES, default="low")
    parser.add_argument("--orders", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sets", choices=GROUPS, default="first")
    parser.add_argument("--rows", type=int, help="for sale, at most")
    parser.add_argument("--results", default=RESULTS, metavar="FILE")
    parser.add_argument("--quick", action="store_true", help="toy size, seconds")
    args = parser.parse_args(argv)
    sets = GROUPS[args.sets]
    if args.quick:
        is_halved = args.regime == "halves"
        args.regime = "toy halves" if is_halved else "toy"
        args.models = ["default", "own"] if is_halved else ["logistic"]
        args.orders, args.jobs = 2, 1
        sets = ["digits", "tumours"]
    if hidden := set(args.only or ()) - set(sets):
        parser.error(f"not among them: {sorted(hidden)} (--sets)")
    methods = all_methods()
    if unknown := set(args.methods or ()) - set(methods):
        parser.error(f"unknown: {sorted(unknown)}; there are {', '.join(methods)}")
    methods = {name: methods[name] for name in args.methods or methods}
    regime = REGIMES[args.regime]
    print(__doc__.splitlines()[0])
    print(
        f"{args.orders} splits, {regime.batch_size} labels at a time up to "
        f"{regime.budget}; mean accuracy in % over the curve ± standard error and at "
        "its end, ms to choose a batch and to learn it"
    )
    done = {result.key: result for result in read(args.results)}
    for name in args.only or sets:
        run_set(name, methods, done, args)


if __name__ == "__main__":
    main()
