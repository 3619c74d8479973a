"""Errors of a price: the number of relevant rows, and the rows to 95 % of them.

Of the rankings of `benchmarks.screening.rankings`, after a share of the rows is read:
the median over runs of |estimate / truth - 1| for the number of relevant rows, and how
often it is in the range that is given instead before 10 %; of the runs that have not
reached 95 % yet, and so many tasks, the median factor by which the rows to it are off,
how often it is 2 or less, and how often they are not too few; and the median factor
between the rows that the audit was said to read in all and those it read.

    python -m benchmarks.screening.prices --rankings FOLDER --stops FILE
        --results FILE [--orders 10]

--stops is the file of `benchmarks.screening.stops`; --results gets the table.
"""

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np

from benchmarks.options import parse
from benchmarks.results import write_table
from benchmarks.screening import rankings
from benchmarks.screening.stops import RECALL
from sklearn_activelearn.audit._recall import price_of
from sklearn_activelearn.utils._statistics import Reads

SHARES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
FIELDS = (
    "share read",
    "runs",
    "number off by",
    "number in the range",
    "runs below 95 %",
    "tasks",
    "rows to it off by a factor",
    "by 2 or less",
    "not too few",
    "runs before the end of the audit",
    "rows to certainty off by a factor",
)


def factor(estimate, truth):
    """Return how many times too large or too small an estimate is."""
    return float(np.exp(abs(np.log((estimate + 1) / (truth + 1)))))


def audits(file):
    """Return the mean rows read by the audits of each model ranking."""
    found = defaultdict(list)
    with open(file, newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["kind"] == "model" and row["method"] == "audit":
                found[f"{row['task']}_{row['order']}"].append(int(row["read"]))
    return {name: np.mean(read) for name, read in found.items()}


def table(folder, stops, n_orders):
    """Return a row for each share of the rows read."""
    certain, cells = audits(stops), defaultdict(lambda: defaultdict(list))
    for file in sorted(folder.glob("*.npz")):
        if int(file.stem.rsplit("_", 1)[1]) >= n_orders:
            continue
        ranking = rankings.read(file)
        y, n = ranking.y, len(ranking.y)
        target = int(np.searchsorted(np.cumsum(y), np.ceil(RECALL * y.sum() - 1e-9)))
        for share in SHARES:
            k = int(np.searchsorted(ranking.n_read, share * n))
            n_read = int(ranking.n_read[k])
            reads = Reads(y[:n_read], np.zeros(n_read, dtype=bool), n)
            price = price_of(reads, ranking.probabilities[k], RECALL, 0.95)
            cell = cells[share]
            cell["number"].append(abs(price.n_relevant / y.sum() - 1))
            cell["range"].append(price.likely[0] <= y.sum() <= price.likely[1])
            if n_read <= target:
                rows = target + 1 - n_read
                cell["tasks"].append(file.stem.rsplit("_", 1)[0])
                cell["rows"].append(factor(price.n_expected, rows))
                cell["enough"].append(price.n_expected >= rows)
            if n_read < certain.get(file.stem, 0):
                truth = certain[file.stem] - n_read
                cell["certain"].append(factor(price.n_certain, truth))
    return [line_of(share, cell) for share, cell in cells.items()]


def line_of(share, cell):
    """Return the row of the table for a share of the rows read; "" for no runs."""
    off = np.array(cell["rows"])
    of_rows = "", "", ""
    if len(off):
        of_rows = np.median(off), np.mean(off <= 2), np.mean(cell["enough"])
        of_rows = (round(value, 2) for value in of_rows)
    certain = cell["certain"]
    return (
        share,
        len(cell["number"]),
        round(np.median(cell["number"]), 3),
        round(np.mean(cell["range"]), 3),
        len(off),
        len({*cell["tasks"]}),
        *of_rows,
        len(certain),
        round(np.median(certain), 2) if certain else "",
    )


def main():
    rankings, stops = Path("rankings"), Path("stops.csv")
    results = Path("screening_prices.csv")
    args = parse(__doc__, rankings=rankings, stops=stops, results=results, orders=10)
    lines = table(args.rankings, args.stops, args.orders)
    write_table(args.results, FIELDS, lines)


if __name__ == "__main__":
    main()
