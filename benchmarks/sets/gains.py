"""Gains of a blend of models over logistic regression, on many sets.

Reads the runs of the regimes "halves" and "rare" of `benchmarks.sets.pools`, and writes

blend_gains.csv   gains of accuracy over the baseline after 50, 100 and 200 labels and
                  at the end of the curve, by half of the sets: means over the splits of
                  a set, then their mean, median, mean without the three largest, and
                  lowest; and the share of the runs that lose more than 2 points
blend_rows.csv    chosen rows against random rows for the same blend, set by set: points
                  of the mean accuracy over the curve, plain and balanced, and of the
                  accuracy at its end; p-values of Student's paired test, corrected by
                  Holm's method over the sets of a group
blend_rows_all.csv
                  how often chosen rows are significantly better and worse (5 %)
blend_rare.csv    pools with a rare class: balanced accuracy, accuracy and rare rows
                  found after 100 and 200 labels, means of the sets
blend_rare_sets.csv
                  the same for each set
blend_times.csv   seconds for a batch: mean, and worst of all runs, without the runs
                  of an earlier version
blend_sets.csv    accuracy by set
blend_gains.png   gain after 100 labels by set, with 95 % intervals over the splits

A set has a figure for as many labels as its pools allow. `--before` names a file with
the runs of the baseline, if it is that of an earlier version of the package.

    python -m benchmarks.sets.gains [--results results/halves.csv] [--before FILE]
        [--arm "hybrid blend"] [--baseline "hybrid lr"] [--labels 50 100 200]
        [--out docs] [--quick]
"""

from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from benchmarks.drawing import save
from benchmarks.options import one_of, parse
from benchmarks.problems import GROUPS
from benchmarks.results import read_runs, write_table
from benchmarks.sets import pools
from benchmarks.sets._run import Result
from benchmarks.sets._tables import Runs
from benchmarks.statistics import half_interval, paired_t_p

#: By name: a model and a method of `pools`.
ARMS = {
    "hybrid lr": ("default", "hybrid"),
    "margin lr": ("default", "margin"),
    "random lr": ("default", "random"),
    "hybrid blend": ("own", "blend"),
    "random blend": ("own", "blend, random"),
}
HALVES = ["development", "reported"]
#: A run that loses more than this, in points, is counted.
LOSS = 2.0
#: Sets of sparse rows, also those with a rare class.
TEXTS = ("money-fx", "topics", "news", "C15")


def arms_of(results, arms):
    """Return the results of these arms, with the name of the arm as their method."""
    names = {ARMS[arm]: arm for arm in arms}
    return [
        result._replace(method=names[result.model, result.method])
        for result in results
        if (result.model, result.method) in names
    ]


def is_text(name):
    """Return whether a set has sparse rows."""
    return name.startswith(TEXTS)


def gains_at(runs, arm, baseline, n_labels, score="accuracy"):
    """Return by set the gains in points of the splits that both arms have."""
    gains = {}
    for name in runs.sets:
        theirs = runs.cells.get((name, baseline), {})
        own = runs.cells.get((name, arm), {})
        both = [
            (own[order].after(n_labels, score), theirs[order].after(n_labels, score))
            for order in sorted(own.keys() & theirs.keys())
        ]
        values = [100 * (a - b) for a, b in both if a is not None and b is not None]
        if values:
            gains[name] = np.array(values)
    return gains


def gain_lines(runs, baseline, labels):
    """Yield a line for each arm, half of the sets and number of labels."""
    for arm in runs.methods:
        for half in HALVES if arm != baseline else []:
            for n_labels in [*labels, "end"]:
                gains = gains_at(runs, arm, baseline, n_labels)
                gains = {name: of for name, of in gains.items() if name in GROUPS[half]}
                if not gains:
                    continue
                means = {name: of.mean() for name, of in gains.items()}
                worst = min(means, key=means.get)
                values, splits = np.sort(list(means.values())), [*gains.values()]
                yield {
                    "arm": arm,
                    "half": half,
                    "labels": n_labels,
                    "sets": len(values),
                    "mean": f"{values.mean():+.2f}",
                    "median": f"{np.median(values):+.2f}",
                    "without three largest": f"{values[:-3].mean():+.2f}"
                    if len(values) > 3
                    else "",
                    "worst": f"{values[0]:+.2f}",
                    "worst set": worst,
                    f"runs losing more than {LOSS:g}, %": (
                        f"{100 * np.mean(np.concatenate(splits) < -LOSS):.1f}"
                    ),
                }


def duels_by_score(runs, arm, rival, group):
    """Return for each score how an arm compares with a rival on the sets of a group."""
    both = [
        result
        for name in runs.sets
        for method in (arm, rival)
        for result in runs.of(name, method)
        if name in GROUPS[group]
    ]
    return {
        score: [
            duel
            for duel in Runs(both, GROUPS[group]).against(rival, score, paired_t_p)
            if duel.method == arm
        ]
        for score in ("area", "balanced_area", "final")
    }


def row_lines(runs, arm, rival):
    """Yield a line for each set of a group: three scores of an arm against a rival."""
    for group in ("many", "dense"):
        duels = duels_by_score(runs, arm, rival, group)
        for of_set in zip(*duels.values(), strict=True):
            line = {"group": group, "set": of_set[0].set}
            line["splits"] = len(runs.of(of_set[0].set, arm))
            for score, duel in zip(duels, of_set, strict=True):
                line[score] = f"{100 * duel.gain:+.2f}"
                line[f"{score}, p"] = "" if np.isnan(duel.p) else f"{duel.p:.2g}"
            yield line


def row_summaries(runs, arm, rival):
    """Yield a line for each group of sets and score."""
    for group in ("many", "dense"):
        for score, duels in duels_by_score(runs, arm, rival, group).items():
            if duels:
                worst = min(duels, key=lambda duel: duel.gain)
                outcomes = [duel.outcome for duel in duels]
                yield {
                    "group": group,
                    "score": score.replace("_", " "),
                    "sets": len(duels),
                    "mean gain": f"{100 * np.mean([d.gain for d in duels]):+.2f}",
                    "better": outcomes.count(1),
                    "worse": outcomes.count(-1),
                    "lowest gain": f"{100 * worst.gain:+.2f}",
                    "on": worst.set,
                }


def rare_lines(runs, labels, groups):
    """Yield a line for each group of sets, given by name, and arm."""
    scores = {"balanced accuracy": "balanced", "accuracy": "accuracy"}
    for title, names in groups.items():
        for arm in runs.methods:
            of_sets = [runs.of(name, arm) for name in names if runs.of(name, arm)]
            if not of_sets:
                continue
            line = {"sets": title, "number": len(of_sets), "arm": arm}
            for n_labels in labels[1:]:
                for words, score in {**scores, "rare rows": "rare"}.items():
                    mean = np.mean(
                        [
                            np.mean([r.after(n_labels, score) for r in own])
                            for own in of_sets
                        ]
                    )
                    mean *= 100 if words in scores else 1
                    line[f"{words} at {n_labels}"] = f"{mean:.1f}"
            yield line


def time_lines(runs, arms):
    """Yield a line for each of these arms and kind of rows."""
    for arm in arms:
        for kind in ("dense", "text"):
            own = [
                result
                for name in runs.sets
                if is_text(name) == (kind == "text")
                for result in runs.of(name, arm)
            ]
            if own:
                means = [(r.query_ms + r.train_ms) / 1e3 for r in own]
                worst = max(own, key=lambda result: result.worst_ms)
                yield {
                    "arm": arm,
                    "rows": kind,
                    "runs": len(own),
                    "mean s": f"{np.mean(means):.3f}",
                    "slowest mean s": f"{np.max(means):.3f}",
                    "worst s": f"{worst.worst_ms / 1e3:.3f}",
                    "worst set": worst.set,
                }


def set_lines(runs, labels):
    """Yield a line for each set: mean accuracies of all arms."""
    for name in runs.sets:
        half = next((half for half in HALVES if name in GROUPS[half]), "")
        line = {"set": name, "half": half}
        for n_labels in labels:
            for arm in runs.methods:
                values = [result.after(n_labels) for result in runs.of(name, arm)]
                values = [value for value in values if value is not None]
                cell = f"{100 * np.mean(values):.1f}" if values else ""
                line[f"{arm}, {n_labels}"] = cell
        yield line


def write(folder, name, lines):
    """Write lines as a table, and print it."""
    lines = list(lines)
    if not lines:
        return
    rows = [line.values() for line in lines]
    write_table(folder / "results" / name, lines[0].keys(), rows)


def draw(runs, pairs, out, n_labels=100):
    """Draw the gains of pairs of arms by set, sorted by the gains of the first pair."""
    gains = {pair: gains_at(runs, *pair, n_labels) for pair in pairs}
    gains = {pair: of_set for pair, of_set in gains.items() if of_set}
    if not gains:
        return
    first = next(iter(gains.values()))
    names = sorted(first, key=lambda name: first[name].mean())
    figure, axis = plt.subplots(
        figsize=(8, 1.2 + 0.19 * len(names)), layout="constrained"
    )
    for (arm, baseline), of_set in gains.items():
        known = [i for i, name in enumerate(names) if name in of_set]
        axis.errorbar(
            [of_set[names[i]].mean() for i in known],
            known,
            xerr=[half_interval(of_set[names[i]]) for i in known],
            fmt="o",
            markersize=4,
            label=f"{arm} over {baseline}",
        )
    axis.set_yticks(range(len(names)), names)
    axis.axvline(0, color="0.6", zorder=0)
    axis.set_xlabel(f"points of accuracy after {n_labels} labels")
    axis.grid(axis="x", alpha=0.25)
    axis.legend()
    save(figure, out)


def main(argv=None):
    quick = {"results": "toy.csv", "out": Path("toy"), "labels": [10, 20, 30]}
    args = parse(
        __doc__,
        argv,
        quick | {"arm": "hybrid lr", "baseline": "random lr"},
        results="results/halves.csv",
        before=str,
        arm=one_of(ARMS, "hybrid blend"),
        baseline=one_of(ARMS, "hybrid lr"),
        labels=[50, 100, 200],
        out=Path("docs"),
    )
    if args.quick:
        options = ["--only", "tumours", "--results", args.results]
        options += ["--methods", "hybrid", "random"]
        pools.main(["--quick", "--regime", "halves", *options])
    rival = args.arm.replace("hybrid", "random")
    results = arms_of(read_runs(args.results, Result), ARMS)
    if args.before:
        results = [r for r in results if r.method != args.baseline]
        results += arms_of(read_runs(args.before, Result), [args.baseline])
    if not results:
        args.error(f"{args.results} has no such results.")
    known = [*GROUPS["many"], *GROUPS["dense"]]
    halves, rare, many = (
        Runs(chosen, sets=known, methods=ARMS)
        for chosen in (
            [r for r in results if r.regime != "rare"],
            [r for r in results if r.regime == "rare"],
            [r for r in results if r.set not in GROUPS["dense"] and r.regime != "rare"],
        )
    )
    write(args.out, "blend_gains.csv", gain_lines(many, args.baseline, args.labels))
    write(args.out, "blend_rows.csv", row_lines(halves, args.arm, rival))
    write(args.out, "blend_rows_all.csv", row_summaries(halves, args.arm, rival))
    kinds = {
        "dense": [name for name in rare.sets if not is_text(name)],
        "texts": [name for name in rare.sets if is_text(name)],
    }
    single = {name: [name] for name in rare.sets}
    write(args.out, "blend_rare.csv", rare_lines(rare, args.labels, kinds))
    write(args.out, "blend_rare_sets.csv", rare_lines(rare, args.labels, single))
    timed = [arm for arm in ARMS if not (args.before and arm == args.baseline)]
    write(args.out, "blend_times.csv", time_lines(halves, timed))
    write(args.out, "blend_sets.csv", set_lines(many, args.labels))
    pairs = [(args.arm, args.baseline), (args.arm, rival)]
    picture = args.out / "images/blend_gains.png"
    draw(many, dict.fromkeys(pairs), picture, args.labels[len(args.labels) // 2])


if __name__ == "__main__":
    main()
