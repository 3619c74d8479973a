"""The bound on the recall by explored rows: how often it holds, and how high it is.

Rows are read in the orders of `benchmarks.screening.stops`, but a share of each
purchase of 5 % of the rows read, 10 at least, is drawn at random from all unread ones.
After a share of the rows is read: the share of runs in which the bound was above the
recall then, or at an earlier one of these moments; the mean number of random rows; and
the medians of the recall and of the bound, of all runs and of those with 200 relevant
rows or more.

    python -m benchmarks.screening.explored --rankings FOLDER --results FILE
        [--orders 2] [--explore 0.1 ...]

The bound is that for every look, at a confidence of .95.
"""

from collections import defaultdict
from pathlib import Path

import numpy as np

from benchmarks.options import parse
from benchmarks.results import write_table
from benchmarks.screening import rankings
from benchmarks.screening.stops import KINDS, order_of
from sklearn_activelearn.evaluation import recall_estimate

SHARES = (0.1, 0.2, 0.3, 0.5, 0.7)
FIELDS = (
    "ranking",
    "explored",
    "share read",
    "runs",
    "above the recall",
    "random rows",
    "recall",
    "bound",
    "recall, 200 or more",
    "bound, 200 or more",
)


def reads_of(y, explore, rng):
    """Return which rows are relevant and drawn, in the order in which they are read."""
    left, relevant, drawn = np.arange(len(y)), [], []
    while len(left):
        n = min(max(10, len(relevant) // 20), len(left))
        n_random = int(rng.random() + explore * n)
        random = rng.choice(left, n_random, replace=False)
        others = np.setdiff1d(left, random)[: n - n_random]
        relevant += [*y[random], *y[others]]
        drawn += [True] * n_random + [False] * len(others)
        left = np.setdiff1d(left, [*random, *others])
    return np.array(relevant), np.array(drawn)


def summary(runs):
    """Return the figures of a cell."""
    runs = np.array(runs)
    many = runs[runs[:, 4] >= 200]
    return (
        f"{runs[:, 0].mean():.3f}",
        f"{runs[:, 1].mean():.0f}",
        *(f"{np.median(each[:, k]):.3f}" for each in (runs, many) for k in (2, 3)),
    )


def table(folder, explore, n_orders):
    """Return a row for each kind of ranking and share of the rows read."""
    cells = defaultdict(list)
    for file in sorted(folder.glob("*.npz")):
        number = int(file.stem.rsplit("_", 1)[1])
        if number >= n_orders:
            continue
        ranking = rankings.read(file)
        for k, kind in enumerate(KINDS):
            rng = np.random.default_rng((number, k))
            y = order_of(ranking, kind, rng).y
            relevant, drawn = reads_of(y, explore, rng)
            is_above = False
            for share in SHARES:
                n = round(share * len(y))
                recall = relevant[:n].sum() / y.sum()
                low = recall_estimate(relevant[:n], drawn[:n], len(y)).low
                is_above |= low > recall + 1e-9
                n_drawn = int(drawn[:n].sum())
                cells[kind, share].append((is_above, n_drawn, recall, low, y.sum()))
    return [
        (kind, explore, share, len(runs), *summary(runs))
        for (kind, share), runs in cells.items()
    ]


def main():
    rankings, results = Path("rankings"), Path("screening_explored.csv")
    args = parse(__doc__, rankings=rankings, results=results, orders=2, explore=[0.1])
    rows = [
        row
        for share in args.explore
        for row in table(args.rankings, share, args.orders)
    ]
    write_table(args.results, FIELDS, rows)


if __name__ == "__main__":
    main()
