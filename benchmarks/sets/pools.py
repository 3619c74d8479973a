"""Pool learners on many data sets: the evidence for their defaults.

A run is a data set, a model, a method and the number of a random split: it buys labels,
a batch at a time, and is scored on other rows after each. All methods that start at
random buy the same first rows. There are six regimes:

low    batches of 10 up to 150 labels
high   batches of 50 up to 500 labels
one    10 labels first, then one at a time up to 100
halves batches of 10 up to 200 labels or 60 % of the pool, which is half of a set
hundred  as halves, up to 100 labels
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

from functools import partial

import numpy as np
from sklearn.base import clone

from benchmarks.options import at_least, one_of, parse
from benchmarks.problems import GROUPS, PROBLEMS
from benchmarks.results import show_table
from benchmarks.runner import Runner
from benchmarks.sets._run import Regime, Result, chosen_C, run
from benchmarks.sets._tables import in_order
from benchmarks.sets.methods import METHODS, MODELS, TUNED, all_methods, applicable
from benchmarks.sets.rare import RARE
from benchmarks.statistics import spread

RESULTS = "results/pools.csv"
PROBLEMS = PROBLEMS | RARE
GROUPS = GROUPS | {"rare": list(RARE)}
REGIMES = {
    "low": Regime(10, 150),
    "high": Regime(50, 500),
    "one": Regime(1, 100, 10),
    "halves": Regime(10, 200, share=0.6, split="halve"),
    "hundred": Regime(10, 100, share=0.6, split="halve"),
    "rare": Regime(10, 200, split="split_rare"),
    "toy": Regime(10, 30),
    "toy halves": Regime(10, 30, share=0.6, split="halve"),
}


def run_set(name, methods, runner, args):
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
    sizes = len(np.unique(first.y)), len(first.y), len(first.y_test)
    regime = regime.within(len(first.y))
    if len(first.y) < 1.5 * regime.budget:
        print(f"\n{name} is left out: {len(first.y)} rows are too few.", flush=True)
        return
    print("\n{}: {} classes, {} rows for sale, {} for testing".format(name, *sizes))
    for model in args.models:
        wanted = applicable(methods, model, X, y)
        estimator, C = MODELS[model], np.nan
        if wanted and model in TUNED:
            known = (r.C for r in runner.done.values() if r[1:3] == (name, model))
            C = next(known, None) or chosen_C(estimator, first, args.jobs)
            estimator = clone(estimator).set_params(C=C)
        print(f"  {model}{'' if np.isnan(C) else f', C = {C:g}'}", flush=True)
        head = args.regime, name, model
        arguments = estimator, regime
        orders, facts = range(1, args.orders + 1), (C, *sizes)
        runner.run(tasks_of(head, wanted, orders, runner.done, split, facts, arguments))
        show([r for r in runner.done.values() if r.key[:3] == head])


def tasks_of(head, methods, orders, done, split, facts, arguments):
    """Yield the runs of a set and model that are missing."""
    for order in orders:
        keys = [(*head, method, order) for method in methods]
        keys = [key for key in keys if key not in done]
        rows = split(order) if keys else None
        for key in keys:
            yield key, measure, facts, methods[key[3]], *arguments, rows


def measure(key, facts, *arguments):
    """Return the result of a run."""
    return Result(*key, *facts, *run(key, *arguments))


def show(results):
    """Print mean accuracies and times of each method."""
    lines = []
    for method in in_order({result.method for result in results}, METHODS):
        own = [result for result in results if result.method == method]
        areas = [100 * result.area for result in own]
        final = 100 * np.mean([result.final for result in own])
        times = np.mean([(r.query_ms, r.train_ms) for r in own], axis=0)
        lines.append([method, *spread(areas), final, *times, len(own)])
    show_table(["method", "area, %", "±", "end, %", "query ms", "train ms", "n"], lines)


def main(argv=None):
    methods = all_methods()
    args = parse(
        __doc__,
        argv,
        only=PROBLEMS,
        methods=methods,
        models=MODELS,
        regime=one_of([name for name in REGIMES if "toy" not in name], "low"),
        orders=20,
        jobs=2,
        sets=one_of(GROUPS, "first"),
        rows=at_least(1),
        results=RESULTS,
    )
    args.models, sets = args.models or TUNED, GROUPS[args.sets]
    if args.quick:
        is_halved = args.regime == "halves"
        args.regime = "toy halves" if is_halved else "toy"
        args.models = ["default", "own"] if is_halved else ["logistic"]
        args.orders, args.jobs = 2, 1
        args.methods = args.methods or ["random", "margin", "hybrid"]
        sets = ["digits", "tumours"]
    if hidden := set(args.only or ()) - set(sets):
        args.error(f"not among them: {sorted(hidden)} (--sets)")
    methods = {name: methods[name] for name in args.methods or methods}
    regime = REGIMES[args.regime]
    print(
        f"{args.orders} splits, {regime.batch_size} labels at a time up to "
        f"{regime.budget}; accuracy in % over the curve and at its end, and the "
        "milliseconds to choose a batch and to learn it"
    )
    runner = Runner(args.results, Result, "sets.pools", argv, args.jobs)
    for name in args.only or sets:
        run_set(name, methods, runner, args)


if __name__ == "__main__":
    main()
