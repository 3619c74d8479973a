"""Summarize the runs of `ranking` and `asreview_runs`, task by task.

    python -m benchmarks.screening.report FILE ... [--out FOLDER]

Means of WSS@95 over the seeds that all methods ran. Then, for each method: on which
share of the tasks it is worse than ASReview by no more than .01, the worst difference,
and the mean one with its 95 % interval over tasks. --out also writes both tables there,
as screening_tasks.csv and screening_summary.csv.
"""

import argparse
from pathlib import Path

import numpy as np

from benchmarks.results import read_runs, write_table
from benchmarks.screening.results import Run
from benchmarks.statistics import half_interval

PEER = "ASReview"
#: What counts as no worse.
SLACK = 0.01


def means_of(runs, methods):
    """Return for each task its name, sizes, number of seeds, and means of WSS@95."""
    lines = []
    for task in dict.fromkeys(run.task for run in runs):
        own = [run for run in runs if run.task == task]
        saved = {(run.method, run.seed): run.wss(0.95) for run in own}
        seeds = {run.seed for run in own}
        common = [s for s in seeds if all((method, s) in saved for method in methods)]
        if common:
            means = [np.mean([saved[method, s] for s in common]) for method in methods]
            lines.append([task, own[0].rows, own[0].relevant, len(common), *means])
    return sorted(lines, key=lambda line: line[2])


def tasks_table(lines, methods):
    """Return the table of the tasks, the first row its header."""
    head = ["task", "rows", "relevant", "seeds", *methods]
    return [head, *([*line[:4], *map("{:.3f}".format, line[4:])] for line in lines)]


def summary_table(lines, methods):
    """Return how each method but ASReview differs from that, the first row a header."""
    table = [["method", f"no worse than -{SLACK}", "worst", "mean", "95 % interval"]]
    values = np.array([line[4:] for line in lines])
    peer = values[:, methods.index(PEER)]
    for method, own in zip(methods, values.T, strict=True):
        if method == PEER:
            continue
        change = own - peer
        half = half_interval(change)
        ends = f"{change.mean() - half:+.3f} to {change.mean() + half:+.3f}"
        share = f"{np.mean(change >= -SLACK):.0%} of {len(change)}"
        worst, mean = f"{change.min():+.3f}", f"{change.mean():+.3f}"
        table.append([method, share, worst, mean, ends])
    return table


def tables_of(files):
    """Return both tables of these files by the names of their own."""
    runs = [run for file in files for run in read_runs(file, Run)]
    # the peer first, whichever file was named first
    methods = sorted(dict.fromkeys(run.method for run in runs), key=PEER.__ne__)
    lines = means_of(runs, methods)
    return {
        "screening_tasks.csv": tasks_table(lines, methods),
        "screening_summary.csv": summary_table(lines, methods),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    for name, table in tables_of(args.files).items():
        write_table(args.out and args.out / name, table[0], table[1:])


if __name__ == "__main__":
    main()
