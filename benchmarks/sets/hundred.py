"""Chosen rows against random ones for the default model, on tables and flipped labels.

Reads the runs of the regime "hundred" of `benchmarks.sets.pools`. The mean accuracy
over the curve, from 10 to 100 labels, of rows that the default learner chooses, less
the mean of three random orders of the same split, with the same model; and the same if
half of each purchase is random (`explore=0.5`), where that was run. Writes

hundred_gains.csv  by set and split: points of the mean accuracy, of the mean recall of
                   the classes, and of the accuracy at the end
hundred_sets.csv   by set: means with standard errors over the splits; p-values of
                   Student's paired test of the mean accuracy, corrected by Holm's
                   method over all sets of a kind of rows
hundred.csv        by group of sets: means of the sets with standard errors over them,
                   and how many sets are significantly better and worse (5 %, Holm)
hundred.png        gains by set, with 95 % intervals over the splits

    python -m benchmarks.sets.pools --regime hundred --models own --orders 30
        --sets tables --results results/hundred.csv
        --methods blend "blend, random" "blend, random 2" "blend, random 3"
    python -m benchmarks.sets.pools --regime hundred --sets flipped ...
    python -m benchmarks.sets.hundred [--results results/hundred.csv] [--out docs]
        [--quick]

Splits that a set lacks, because a long run was cut, are left out for all sets of a
group.
"""

from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from benchmarks.drawing import save
from benchmarks.options import parse
from benchmarks.problems import FLIPS, GROUPS
from benchmarks.results import read_runs, write_csv, write_table
from benchmarks.sets import pools
from benchmarks.sets._run import Result
from benchmarks.statistics import half_interval, holm, paired_t_p, plus_minus, spread

#: Methods by what a table calls them.
CHOSEN = {"default": "blend", "half of them random": "blend, half random"}
RANDOM = ("blend, random", "blend, random 2", "blend, random 3")
SCORES = ("area", "balanced_area", "final")
SIGNIFICANT = 0.05


def group_of(name):
    """Return the group of a set."""
    for share in FLIPS:
        if name.endswith(f", {share:.0%} flipped"):
            return f"{share:.0%} of the labels flipped"
    return "tables" if name in GROUPS["tables"] else "others"


def gains_of(results, chosen):
    """Return the gains in points by set, split and score, of the splits of a group."""
    cells = {}
    for result in results:
        cells.setdefault((result.set, result.order), {})[result.method] = result
    cells = {k: c for k, c in cells.items() if {chosen, *RANDOM} <= c.keys()}
    names = dict.fromkeys(name for name, _ in cells)
    orders = {name: {order for each, order in cells if each == name} for name in names}
    gains = {}
    for name in names:
        group = [each for each in names if group_of(each) == group_of(name)]
        common = sorted(set.intersection(*(orders[each] for each in group)))
        gains[name] = {n: gain_of(cells[name, n], chosen) for n in common}
    return {name: of_set for name, of_set in gains.items() if of_set}


def gain_of(cell, chosen):
    """Return the gain by each score, in points, of the runs of a split."""
    return [
        100
        * (
            getattr(cell[chosen], score)
            - np.mean([getattr(cell[method], score) for method in RANDOM])
        )
        for score in SCORES
    ]


def set_lines(gains, rows, results):
    """Yield a line for each set."""
    p_values = [paired_t_p(columns(of_set)[0]) for of_set in gains.values()]
    corrected = holm(p_values)
    for (name, of_set), p in zip(gains.items(), corrected, strict=True):
        random = [
            100 * r.area
            for r in results
            if r.set == name and r.method in RANDOM and r.order in of_set
        ]
        area, balanced, final = (plus_minus(*spread(c)) for c in columns(of_set))
        yield {
            "group": group_of(name),
            "set": name,
            "rows": rows,
            "splits": len(of_set),
            "random rows, %": f"{np.mean(random):.1f}",
            "gain": area,
            "p, Holm": f"{p:.2g}",
            "gain, mean recall": balanced,
            "gain at the end": final,
        }


def columns(of_set):
    """Return the gains of a set, an array for each score."""
    return np.array(list(of_set.values())).T


def group_lines(gains, lines):
    """Yield a line for each group of sets."""
    for group in dict.fromkeys(map(group_of, gains)):
        names = [name for name in gains if group_of(name) == group]
        means = np.array([columns(gains[name]).mean(axis=1) for name in names])
        own = [line for line in lines if line["group"] == group]
        is_sure = [float(line["p, Holm"]) < SIGNIFICANT for line in own]
        signs = np.sign(means[:, 0]) * is_sure
        worst = int(np.argmin(means[:, 0]))
        yield {
            "sets": group,
            "rows": own[0]["rows"],
            "number": len(names),
            "splits": len(gains[names[0]]),
            "gain": plus_minus(*spread(means[:, 0])),
            "better": int(np.sum(signs > 0)),
            "worse": int(np.sum(signs < 0)),
            "lowest": f"{means[worst, 0]:+.1f}",
            "on": names[worst],
            "gain, mean recall": plus_minus(*spread(means[:, 1])),
            "gain at the end": plus_minus(*spread(means[:, 2])),
        }


def draw(gains, file):
    """Draw the gains by set, sorted, with 95 % intervals."""
    names = sorted(gains, key=lambda name: columns(gains[name])[0].mean())
    size = (8, 1.2 + 0.19 * len(names))
    figure, axis = plt.subplots(figsize=size, layout="constrained")
    for group in dict.fromkeys(map(group_of, gains)):
        own = [i for i, name in enumerate(names) if group_of(name) == group]
        areas = [columns(gains[names[i]])[0] for i in own]
        axis.errorbar(
            [area.mean() for area in areas],
            own,
            xerr=[half_interval(area) for area in areas],
            fmt="o",
            markersize=4,
            label=group,
        )
    axis.set_yticks(range(len(names)), names)
    axis.axvline(0, color="0.6", zorder=0)
    axis.set_xlabel("points of accuracy over random rows, mean of 10 to 100 labels")
    axis.grid(axis="x", alpha=0.25)
    axis.legend(loc="lower right")
    save(figure, file)


def main(argv=None):
    quick = {"results": "toy.csv", "out": Path("toy")}
    args = parse(__doc__, argv, quick, results="results/hundred.csv", out=Path("docs"))
    if args.quick:
        options = ["--quick", "--regime", "halves", "--only", "tumours"]
        options += ["--methods", *CHOSEN.values(), *RANDOM]
        options += ["--results", args.results]
        pools.main(options)
    results = read_runs(args.results, Result)
    each, lines, groups = [], [], []
    for rows, chosen in CHOSEN.items():
        gains = gains_of(results, chosen)
        each += [
            [name, rows, order, *(f"{value:.2f}" for value in values)]
            for name, of_set in gains.items()
            for order, values in of_set.items()
        ]
        own = list(set_lines(gains, rows, results))
        lines += own
        groups += group_lines(gains, own)
        if chosen == "blend" and gains:
            draw(gains, args.out / "images/hundred.png")
    if not lines:
        args.error(f"{args.results} has no such results.")
    folder = args.out / "results"
    head = ["set", "rows", "split", "gain", "gain, mean recall", "gain at the end"]
    write_csv(folder / "hundred_gains.csv", head, each)
    for name, found in (("hundred_sets", lines), ("hundred", groups)):
        values = [line.values() for line in found]
        write_table(folder / f"{name}.csv", found[0].keys(), values)


if __name__ == "__main__":
    main()
