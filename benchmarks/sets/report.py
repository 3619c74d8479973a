"""Summarize the results of `benchmarks.sets.pools`: tables, wins, losses, mean ranks.

Every method is compared with the baselines, paired over the splits (Wilcoxon's signed
ranks, p-values corrected over all sets and methods by Holm's method, 5 %). Mean ranks
are of the methods that ran on all sets. `--score` chooses what the comparisons and
ranks are by; the gains in the file are always areas. Splits of a set share rows, so its
p-values speak of this set.

    python -m benchmarks.sets.report [--regime low] [--score area] [--only SET ...]
        [--methods NAME ...] [--sets first] [--results results/pools.csv] [--out docs]
        [--name WORD] [--quick]
"""

from operator import attrgetter
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from benchmarks.drawing import save
from benchmarks.options import one_of, parse
from benchmarks.problems import GROUPS, PROBLEMS
from benchmarks.results import read_runs, show_table, write_csv, write_table
from benchmarks.sets import pools
from benchmarks.sets._run import Result
from benchmarks.sets._tables import Runs
from benchmarks.sets.methods import BASELINES, METHODS, MODELS
from benchmarks.statistics import (
    critical_difference,
    friedman_p,
    ranks,
    spread,
)


def rank_diagrams(ranked, out):
    """Draw a diagram for each model, side by side.

    Parameters
    ----------
    ranked : dict of (list of str, ndarray of shape (n_sets, n_methods))
        By the name of the model: the methods and their ranks.
    out : path
        The file.
    """
    n_lines = max(len(names) for names, _ in ranked.values())
    figure, axes = plt.subplots(
        ncols=len(ranked),
        figsize=(5.5 * len(ranked), 1.4 + 0.28 * n_lines),
        layout="constrained",
        squeeze=False,
    )
    for axis, (model, (names, placed)) in zip(axes[0], ranked.items(), strict=True):
        means = placed.mean(axis=0)
        worst_first = np.argsort(-means, kind="stable")
        half = critical_difference(len(names), len(placed)) / 2
        axis.errorbar(
            means[worst_first], range(len(names)), xerr=half, fmt="o", capsize=3
        )
        axis.set_yticks(range(len(names)), np.array(names)[worst_first])
        axis.set(
            title=f"{model}, {len(placed)} data sets", xlabel="mean rank, 1 is best"
        )
        axis.grid(axis="x", alpha=0.25)
    figure.suptitle("Bars that do not overlap differ (Nemenyi, 5 %)", fontsize="medium")
    save(figure, out)


SCORES = {
    "area": "mean accuracy over the curve",
    "final": "accuracy with all labels",
    "balanced_area": "mean balanced accuracy over the curve",
    "balanced_final": "balanced accuracy with all labels",
}
#: What a line of the summary says of a data set, and what it measures.
FACTS = ["C", "n_classes", "n_pool", "n_test"]
MEASURES = [*SCORES, "query_ms", "train_ms"]


def show_duels(runs, baseline, score):
    """Print where each method wins and loses against one."""
    duels = sorted(runs.against(baseline, score), key=attrgetter("gain"))
    rows = []
    for method in runs.methods:
        own = [duel for duel in duels if duel.method == method]
        if own:
            gain = f"{100 * np.mean([duel.gain for duel in own]):+.2f} on {len(own)}"
            won = [duel for duel in reversed(own) if duel.outcome == 1]
            lost = [duel for duel in own if duel.outcome == -1]
            rows.append([method, gain, listed(won), listed(lost)])
    if rows:
        head = ["", "mean gain, on sets", "wins", "losses"]
        print(f"\nAgainst {baseline}, points of {SCORES[score]}")
        show_table(head, rows)


def listed(duels):
    """Return how many there are, on which sets, and by how much."""
    return f"{len(duels)} " + ", ".join(f"{d.set} {100 * d.gain:+.1f}" for d in duels)


def write_summary(file, by_model):
    """Write a line for each model, set and method; gains are areas."""
    lines = []
    for model, runs in by_model.items():
        duels = {
            baseline: {
                (duel.set, duel.method): duel for duel in runs.against(baseline, "area")
            }
            for baseline in BASELINES
        }
        for (name, method), cell in runs.cells.items():
            first, *_ = own = list(cell.values())
            line = {"model": model, "set": name, "method": method, "splits": len(own)}
            line |= {key: getattr(first, key) for key in FACTS}
            for key in MEASURES:
                mean, error = spread([getattr(result, key) for result in own])
                line |= {key: f"{mean:.5g}", f"{key}_error": f"{error:.2g}"}
            for baseline, of_cell in duels.items():
                duel = of_cell.get((name, method))
                for key in ("gain", "error", "p"):
                    value = f"{getattr(duel, key):.3g}" if duel else ""
                    line[f"{key}_against_{baseline}"] = value
            lines.append(line)
    write_csv(file, lines[0].keys(), [line.values() for line in lines])


def ranks_of(by_model, score):
    """Return for each model the methods that ran on all sets, and their ranks."""
    ranked = {}
    for model, runs in by_model.items():
        methods = runs.complete()
        if len(methods) > 1:
            table = runs.table(methods, score)
            ranked[model] = methods, ranks(table)
            difference = critical_difference(len(methods), len(runs.sets))
            print(
                f"\n{model}, ranks by {SCORES[score]} over {len(runs.sets)} sets: "
                f"Friedman p = {friedman_p(table):.2g}, critical difference of Nemenyi "
                f"{difference:.2f}"
            )
    return ranked


def write_pages(stem, by_model, ranked):
    """Write tables for a page: areas of all sets, and mean ranks.

    Of the models that methods share.
    """
    by_model, ranked = (
        {model: of[model] for model in MODELS if model in of and model != "own"}
        for of in (by_model, ranked)
    )
    complete = [set(runs.complete()) for runs in by_model.values()]
    methods = [name for name in METHODS if all(name in few for few in complete)]
    areas = [
        [name, model, *(f"{100 * area:.1f}" for area in row)]
        for model, runs in by_model.items()
        for name, row in zip(runs.sets, runs.table(methods, "area"), strict=True)
    ]
    write_table(f"{stem}_areas.csv", ["set", "model", *methods], areas)
    places = [
        dict(zip(names, placed.mean(axis=0), strict=True))
        for names, placed in ranked.values()
    ]
    lines = [[name, *(f"{of[name]:.2f}" for of in places)] for name in methods]
    write_table(f"{stem}_ranks.csv", ["method", *ranked], lines)


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        quick={"regime": "toy", "results": "toy.csv"},
        regime=one_of(pools.REGIMES, "low"),
        only=PROBLEMS,
        methods=[str],
        score=one_of(SCORES, "area"),
        sets=one_of(GROUPS, "first"),
        results=pools.RESULTS,
        out=Path("docs"),
        name=str,
    )
    if args.quick:
        pools.main(["--quick", "--results", args.results])
    sets = GROUPS[args.sets]
    results = [
        result
        for result in read_runs(args.results, Result)
        if result.regime == args.regime
        and result.set in (args.only or sets)
        and (not args.methods or result.method in args.methods)
    ]
    if not results:
        args.error(f"{args.results} has no such results.")
    by_model = {
        model: Runs([result for result in results if result.model == model])
        for model in MODELS
        if any(result.model == model for result in results)
    }
    for model, runs in by_model.items():
        print(f"\n{model}")
        for baseline in BASELINES:
            show_duels(runs, baseline, args.score)
    ranked = ranks_of(by_model, args.score)
    group = [] if args.sets == "first" else [args.sets.replace("-", "_")]
    words = [args.regime, *group, *([args.name] if args.name else [])]
    name = "_".join(["pools", *words])
    write_summary(args.out / "results" / f"{name}.csv", by_model)
    if ranked:
        write_pages(args.out / "results" / name, by_model, ranked)
    if ranked and not args.name:
        rank_diagrams(ranked, args.out / "images" / f"{name}.png")


if __name__ == "__main__":
    main()
