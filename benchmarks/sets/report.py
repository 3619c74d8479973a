"""What the results of `benchmarks.sets.pools` say, as reStructuredText.

For each model: accuracy, plain and balanced, the mean over the curve and with all
labels, data set by data set; every method against the baselines, paired over the
splits (Wilcoxon's signed ranks, p-values corrected over all sets and methods by
Holm's method, 5 %), losses beside wins; mean ranks over the sets (Friedman, Nemenyi)
of the methods that ran on all of them; milliseconds for a batch. `--score` is what
the comparisons and ranks are by; the summary's gains are always areas. Splits of a
set share rows, so its p-values speak of this set. Sets that are kept aside are left
out, or alone.

    python -m benchmarks.sets.report [--regime low] [--score area] [--only SET ...]
        [--methods NAME ...] [--sets first] [--results results/pools.csv] [--out docs]
        [--name WORD] [--quick]
"""

from operator import attrgetter
from pathlib import Path

import numpy as np

from benchmarks.options import one_of, parse
from benchmarks.problems import GROUPS, N_POOL, N_TEST, PROBLEMS, SEED
from benchmarks.results import read_runs, write_csv
from benchmarks.sets import pools
from benchmarks.sets._picture import rank_diagrams
from benchmarks.sets._run import Result
from benchmarks.sets._tables import Runs, with_twins
from benchmarks.sets.methods import BASELINES, METHODS, MODELS
from benchmarks.statistics import (
    critical_difference,
    friedman_p,
    holm,
    paired_p,
    ranks,
    spread,
)

SCORES = {
    "area": "mean accuracy over the curve",
    "final": "accuracy with all labels",
    "balanced_area": "mean balanced accuracy over the curve",
    "balanced_final": "balanced accuracy with all labels",
}
#: What a line of the summary says of a data set, and what it measures.
FACTS = ["C", "n_classes", "n_pool", "n_test"]
MEASURES = [*SCORES, "query_ms", "train_ms"]


def list_table(title, head, rows):
    """Print a table."""
    print(f"\n.. list-table:: {title}\n   :header-rows: 1\n")
    for row in [head, *rows]:
        for i, cell in enumerate(row):
            print(f"   {'*' if i == 0 else ' '} - {cell}".rstrip())


def show_setting(runs, regime):
    """Print what was run: sizes and repetitions."""
    counts = {cell: len(by_order) for cell, by_order in runs.cells.items()}
    most = max(counts.values())
    fewer = [f"{name}, {m}: {n}" for (name, m), n in counts.items() if n < most]
    print(
        f"\n{regime.batch_size} labels at a time up to {regime.budget}, from pools of "
        f"at most {N_POOL:,} rows, tested on at most {N_TEST:,} others; {most} splits, "
        f"seed {SEED}{'; fewer of: ' * bool(fewer)}{'; '.join(fewer)}."
    )


def show_scores(runs, score):
    """Print the means, their standard errors in brackets, a column for each set."""
    rows = []
    for method in runs.methods:
        row = [method]
        for name in runs.sets:
            values = [100 * getattr(r, score) for r in runs.of(name, method)]
            row.append("{:.1f} ({:.1f})".format(*spread(values)) if values else "")
        rows.append(row)
    title = f"{SCORES[score].capitalize()}, in % (standard error)"
    list_table(title, ["", *runs.sets], rows)


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
        list_table(f"Against {baseline}, points of {SCORES[score]}", head, rows)


def listed(duels):
    """Return how many there are, on which sets, and by how much."""
    return f"{len(duels)} " + ", ".join(f"{d.set} {100 * d.gain:+.1f}" for d in duels)


def show_ranks(runs, score):
    """Print mean ranks over the sets; return the methods and the ranks."""
    methods = runs.complete()
    table = runs.table(methods, score)
    placed = ranks(table)
    n_sets, n_methods = table.shape
    difference = critical_difference(n_methods, n_sets)
    print(
        f"\nMean ranks by {SCORES[score]}, over {n_sets} sets, of the {n_methods} "
        f"methods that ran on all; Friedman p = {friedman_p(table):.2g}, critical "
        f"difference of Nemenyi {difference:.2f}; p against a baseline is that of "
        "signed ranks over the sets, corrected over the methods."
    )
    columns = {}
    for baseline in BASELINES:
        if baseline in methods:
            gains = (table - table[:, [methods.index(baseline)]]).T
            columns[baseline] = holm([paired_p(gain) for gain in gains])
    rows = [
        [
            methods[i],
            f"{placed[:, i].mean():.2f}",
            *(f"{p[i]:.2g}".replace("nan", "") for p in columns.values()),
            *(f"{ms:.1f}" for ms in times(runs, methods[i])),
        ]
        for i in np.argsort(placed.mean(axis=0), kind="stable")
    ]
    head = ["", "mean rank", *(f"p, {b}" for b in columns), "query ms", "train ms"]
    list_table("Mean ranks; median time of a batch over the sets", head, rows)
    return methods, placed


def times(runs, method):
    """Return medians over sets of the milliseconds to choose and to learn a batch."""
    cells = [runs.of(name, method) for name in runs.sets]
    return np.median(
        [np.mean([(r.query_ms, r.train_ms) for r in cell], axis=0) for cell in cells],
        axis=0,
    )


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
    write_csv(Path(f"{stem}_areas.csv"), ["set", "model", *methods], areas)
    places = [
        dict(zip(names, placed.mean(axis=0), strict=True))
        for names, placed in ranked.values()
    ]
    lines = [[name, *(f"{of[name]:.2f}" for of in places)] for name in methods]
    write_csv(Path(f"{stem}_ranks.csv"), ["method", *ranked], lines)


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
        for result in with_twins(read_runs(args.results, Result))
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
    ranked = {}
    for model, runs in by_model.items():
        print(f"\n{model}\n{'-' * len(model)}")
        show_setting(runs, pools.REGIMES[args.regime])
        for score in SCORES:
            show_scores(runs, score)
        for baseline in BASELINES:
            show_duels(runs, baseline, args.score)
        if len(runs.complete()) > 1:
            ranked[model] = show_ranks(runs, args.score)
    group = [] if args.sets == "first" else [args.sets.replace("-", "_")]
    words = [args.regime, *group, *([args.name] if args.name else [])]
    name = "_".join(["pools", *words])
    write_summary(args.out / "results" / f"{name}.csv", by_model)
    if ranked:
        write_pages(args.out / "results" / name, by_model, ranked)
    if ranked and not args.name:
        picture = args.out / "images" / f"{name}.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        rank_diagrams(ranked, picture)
        print(f"wrote {picture}")


if __name__ == "__main__":
    main()
