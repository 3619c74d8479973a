"""What a run leaves: when which share of the relevant rows was found; the CSV of it."""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np


class Run(NamedTuple):
    """One method on one task from one start."""

    task: str
    method: str
    version: str  # of the program that ranked
    seed: int
    rows: int
    relevant: int
    read_95: int  # rows read when 95 % of the relevant ones were found
    read_100: int | None  # not known of runs that ended before
    seconds: float

    def wss(self, recall):
        """Return the work saved over sampling; None if the run ended before."""
        read = {0.95: self.read_95, 1.0: self.read_100}[recall]
        return read and (self.rows - read) / self.rows - (1 - recall)


def run_of(task, method, version, seed, y, order, seconds):
    """Return what an order of rows comes to; 95 % of the relevant ones are in it."""
    found, n = np.cumsum(y[order]), int(y.sum())
    read = [int(np.searchsorted(found, np.ceil(t * n))) + 1 for t in (0.95, 1.0)]
    if read[1] > len(order):
        read[1] = None
    return Run(task, method, version, seed, len(y), n, *read, round(seconds, 1))


def write(file, run):
    """Add a run to a CSV file."""
    is_new = not Path(file).exists()
    with open(file, "a", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        if is_new:
            writer.writerow(run._fields)
        writer.writerow(run)


def write_table(file, fields, rows):
    """Write a table to a CSV file, and print its rows."""
    with open(file, "w", newline="", encoding="utf-8") as out:
        csv.writer(out, lineterminator="\n").writerows([fields, *rows])
    for row in rows:
        print(*row)


def read(file):
    """Return the runs of a CSV file; none if it is not there."""
    if not Path(file).exists():
        return []
    with open(file, newline="", encoding="utf-8") as lines:
        return [run_from(row) for row in csv.DictReader(lines)]


def run_from(row):
    """Return the run of a line."""
    whole = ("seed", "rows", "relevant", "read_95", "read_100")
    numbers = {name: int(row[name]) if row[name] else None for name in whole}
    return Run(**row | numbers | {"seconds": float(row["seconds"])})
