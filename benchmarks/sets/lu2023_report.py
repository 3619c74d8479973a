"""Summarize the results of `benchmarks.sets.lu2023`: the tables of its page.

The published areas beside those here, seed by seed. Then each table compares some
methods: means by set and mean ranks over the sets (Friedman); the others
against the first ones, paired over the seeds of a set (Wilcoxon's signed ranks, the
p-values of a method's sets corrected by Holm's method, 5 %) and over the means of the
sets. A table has the sets and seeds that all its methods have.

    python -m benchmarks.sets.lu2023_report [--results results/lu2023.csv]
        [--out docs] [--quick]
"""

import csv
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.data import local_file
from benchmarks.options import parse
from benchmarks.results import read_runs, write_csv, write_table
from benchmarks.sets import lu2023
from benchmarks.sets._tables import Runs
from benchmarks.sets.lu2023 import OTHER_INPUT, SETS, Result
from benchmarks.sets.report import SCORES, listed
from benchmarks.statistics import friedman_p, paired_p, ranks

AUBC = {"aubc": "area, pool emptied"}
HERDING = ["Uncertainty Herding", "Uncertainty Herding, local"]


class Table(NamedTuple):
    """A comparison.

    Attributes
    ----------
    baselines, others : list of str
        Methods.
    scores : dict of str
        What is compared, by attribute of a result; the first one also set by set.
    """

    baselines: list
    others: list
    scores: dict = SCORES


TABLES = {
    "first": Table(["random", "margin"], ["hybrid"]),
    "herding": Table(["random", "margin", "hybrid"], HERDING),
    "committee": Table(["random", "margin"], ["committee", "committee (own)"]),
    "own": Table(
        ["stumps, random (own)"], ["FASSL-Boost (own)", "query by boosting (own)"]
    ),
    "whole": Table(["margin"], ["hybrid"], AUBC),
}


def longest(results):
    """Return the longest run of each key, its method named with a model of its own."""
    kept = {}
    for result in results:
        if result.model == "own":
            result = result._replace(method=f"{result.method} (own)")
        before = kept.get(result.key, result)
        kept[result.key] = max(before, result, key=attrgetter("n_labels"))
    return list(kept.values())


def compared(results, table):
    """Return the results of a table: sets and seeds that all its methods have."""
    score = next(iter(table.scores))
    methods = [*table.baselines, *table.others]
    results = [
        r for r in results if r.method in methods and not np.isnan(getattr(r, score))
    ]
    n_methods = len({r.method for r in results})
    keys = [(r.set, r.seed) for r in results]
    return [r for r in results if keys.count((r.set, r.seed)) == n_methods]


def by_set(runs, score):
    """Return the head and lines of means by set, with the mean ranks."""
    table = runs.table(runs.methods, score)
    lines = [
        [name, len(runs.of(name, runs.methods[0])), *(f"{100 * x:.2f}" for x in row)]
        for name, row in zip(runs.sets, table, strict=True)
    ]
    placed = ranks(table).mean(axis=0)
    means = ["*mean*", "", *(f"{100 * x:.2f}" for x in table.mean(axis=0))]
    places = ["*mean rank*", "", *(f"{x:.2f}" for x in placed)]
    return ["set", "seeds", *runs.methods], [*lines, means, places]


def against(results, table):
    """Return the head and a line for each method, baseline and score."""
    lines = []
    known = {r.method for r in results}
    for method in [*table.baselines[1:], *table.others]:
        for baseline in table.baselines:
            if method == baseline or not {method, baseline} <= known:
                continue
            both = Runs([r for r in results if r.method in (method, baseline)], SETS)
            for score, title in table.scores.items():
                duels = both.against(baseline, score)
                duels.sort(key=attrgetter("gain"))
                gains = [duel.gain for duel in duels]
                worst = duels[0]
                lines.append(
                    [
                        method,
                        baseline,
                        title,
                        f"{100 * np.mean(gains):+.2f}",
                        f"{paired_p(gains):.2g}",
                        listed([d for d in reversed(duels) if d.outcome == 1]),
                        listed([d for d in duels if d.outcome == -1]),
                        f"{worst.set} {100 * worst.gain:+.2f} (p {worst.p:.2g})",
                    ]
                )
    head = ["", "against", "score", "gain", "p over sets", "better", "worse", "lowest"]
    return head, lines


def calibration(results):
    """Return the head and lines: published areas of seeds, and how far others are."""
    file = local_file("lu2023/us_c_by_seed").with_suffix(".csv")
    with file.open(encoding="utf-8") as stream:
        published = {
            (row["data"], int(row["seed"])): float(row["aubc"])
            for row in csv.DictReader(stream)
        }
    lines = []
    for name in SETS:
        if name in OTHER_INPUT:
            continue
        own = [
            r
            for r in results
            if (name, r.seed) in published and r.set == name and not np.isnan(r.aubc)
        ]
        cells = [
            cell
            for method in ("margin, loop", "margin")
            for cell in distance([r for r in own if r.method == method], published)
        ]
        if any(cells):
            lines.append([name, *cells])
    parts = "seeds", "published", "mean difference", "largest"
    titles = [f"{method}: {part}" for method in ("loop", "margin") for part in parts]
    return ["set", *titles], lines


def distance(results, published):
    """Return how far areas are from published ones of the same seeds, as texts."""
    if not results:
        return [""] * 4
    figures = [published[r.set, r.seed] for r in results]
    apart = np.subtract([r.aubc for r in results], figures)
    means = f"{np.mean(figures):.5f}", f"{apart.mean():+.5f}"
    return [str(len(results)), *means, f"{abs(apart).max():.5f}"]


def main(argv=None):
    quick, out = {"results": "toy.csv"}, Path("docs")
    args = parse(__doc__, argv, quick, results=lu2023.RESULTS, out=out)
    if args.quick:
        few = ["--methods", "margin, loop", "random", "margin", *HERDING]
        lu2023.main(["--quick", "--results", args.results, *few])
    lines = sorted(read_runs(args.results, Result))
    if not lines:
        args.error(f"{args.results} has no results.")
    folder = args.out / "results"
    write_csv(folder / "lu2023.csv", Result._fields, lines)
    results = longest(lines)
    for name, table in TABLES.items():
        own = compared(results, table)
        if not {r.method for r in own}.issuperset(table.others):
            continue
        runs = Runs(own, SETS, [*table.baselines, *table.others])
        score = next(iter(table.scores))
        write_table(folder / f"lu2023_{name}.csv", *by_set(runs, score))
        p = friedman_p(runs.table(runs.methods, score))
        print(f"\nFriedman p = {p:.2g}")
        file = folder / f"lu2023_{name}_against.csv"
        write_table(file if name == "first" else None, *against(own, table))
    try:
        head, lines = calibration(results)
    except OSError as error:
        print(f"\nwithout the published areas of seeds: {error}")
    else:
        write_table(folder / "lu2023_calibration.csv", head, lines)


if __name__ == "__main__":
    main()
