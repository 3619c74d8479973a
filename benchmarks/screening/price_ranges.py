"""Measure how often the range of `recall_price` is right at a recall of 95 %.

The searches are the reviews and all topics of the news. Every other search served to
choose the ends of the range ("chosen on"), the others did not ("held out"). The
ranking is the one of `benchmarks.screening.rankings`. The columns are, at each share of
the rows read, over the runs that have not reached 95 % yet: how often the number of
rows that were still needed is in the range, the median factor between this number and
the estimate, and how often the factor is 2 or less.

    python -m benchmarks.screening.price_ranges [--results FILE] [--orders 2] [--quick]
"""

import numpy as np

from benchmarks.options import parse
from benchmarks.results import write_table
from benchmarks.screening import rankings, tasks
from benchmarks.screening.prices import factor
from benchmarks.screening.stops import RECALL
from sklearn_activelearn.audit._recall import price_of
from sklearn_activelearn.utils._statistics import Reads

SHARES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
FIELDS = (
    "tasks",
    "share read",
    "runs below 95 %",
    "rows in the range",
    "estimate off by a factor",
    "by 2 or less",
)


def prices_of(task, seed):
    """Return (share, rows left to the recall, price) for each share of the rows."""
    y, due, prices = task.y, list(SHARES), []
    n, n_needed = len(y), np.ceil(RECALL * y.sum() - 1e-9)
    for order, left in rankings.search(task, seed):
        if not due and y[order].sum() >= n_needed:
            break
        if due and len(order) >= due[0] * n:
            while due and len(order) >= due[0] * n:
                share = due.pop(0)
            p = rankings.chances(task, order, left)
            reads = Reads(y[order], np.zeros(len(order), dtype=bool), n)
            prices.append((share, len(order), price_of(reads, p, RECALL, 0.95)))
    n_rows = int(np.searchsorted(np.cumsum(y[order]), n_needed)) + 1
    return [(share, n_rows - n_read, price) for share, n_read, price in prices]


def table(found):
    """Return the rows of the table, of runs by half and share."""
    lines = []
    for half in ("chosen on", "held out"):
        for share in (*SHARES, "all"):
            runs = [
                (rows, price)
                for which, at, rows, price in found
                if which == half and share in (at, "all") and rows > 0
            ]
            if not runs:
                continue
            held = [p.likely_rows[0] <= n <= p.likely_rows[1] for n, p in runs]
            off = np.array([factor(p.n_expected, n) for n, p in runs])
            figures = np.mean(held), np.median(off), np.mean(off <= 2)
            lines.append((half, share, len(runs), *(round(f, 2) for f in figures)))
    return lines


def main():
    args = parse(__doc__, results="price_ranges.csv", orders=2)
    loaders = tasks.TOY
    if not args.quick:
        topics = {name: tasks.topic(name) for name in tasks.topic_names()}
        loaders = tasks.REVIEWS | topics
    found = [
        (("chosen on", "held out")[i % 2], *line)
        for seed in range(args.orders)
        for i, name in enumerate(sorted(loaders))
        for line in prices_of(loaders[name](), seed)
    ]
    lines = table(found)
    write_table(args.results, FIELDS, lines)


if __name__ == "__main__":
    main()
