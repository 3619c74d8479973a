"""What the runs of `ranking` and `asreview_runs` come to, task by task.

    python -m benchmarks.screening.report FILE ... [--table FILE]

Means of WSS@95 over the seeds that all methods ran. --table writes the table as CSV.
Then, for each method: on which share of the tasks it is no worse than ASReview by more
than .01, the worst difference, and the mean one with its 95 % interval over tasks.
"""

import argparse
import csv

import numpy as np
from scipy.stats import t

from benchmarks.screening import results

PEER = "ASReview"
#: What counts as no worse.
SLACK = 0.01


def table_of(runs, methods):
    """Return a line for each task: its name, its sizes, seeds, and means of WSS@95."""
    lines = []
    for task in dict.fromkeys(run.task for run in runs):
        saved = {
            (run.method, run.seed): run.wss(0.95) for run in runs if run.task == task
        }
        seeds = {seed for _, seed in saved}
        common = [s for s in seeds if all((method, s) in saved for method in methods)]
        if common:
            sizes = next((r.rows, r.relevant) for r in runs if r.task == task)
            means = [np.mean([saved[method, s] for s in common]) for method in methods]
            lines.append([task, *sizes, len(common), *means])
    return sorted(lines, key=lambda line: line[2])


def summary(lines, methods):
    """Yield a line for each method but ASReview: its differences from that."""
    values = np.array([line[4:] for line in lines])
    peer = values[:, methods.index(PEER)]
    for method, own in zip(methods, values.T, strict=True):
        if method == PEER:
            continue
        change = own - peer
        half = np.nan
        if len(change) > 1:
            half = t.ppf(0.975, len(change) - 1) * change.std(ddof=1)
            half /= np.sqrt(len(change))
        share = np.mean(change >= -SLACK)
        yield (
            f"{method}: no worse on {share:.0%} of {len(change)} tasks, worst "
            f"{change.min():+.3f}, mean {change.mean():+.3f} ± {half:.3f}"
        )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--table")
    args = parser.parse_args()
    runs = [run for file in args.files for run in results.read(file)]
    methods = list(dict.fromkeys(run.method for run in runs))
    lines = table_of(runs, methods)
    table = [["task", "rows", "relevant", "seeds", *methods]]
    table += [[*line[:4], *(f"{value:.3f}" for value in line[4:])] for line in lines]
    for line in table:
        print(" | ".join(map(str, line)))
    for line in summary(lines, methods):
        print(line)
    if args.table:
        with open(args.table, "w", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows(table)


if __name__ == "__main__":
    main()
