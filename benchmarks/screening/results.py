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
    read_100: int
    seconds: float

    def wss(self, recall):
        """Return the work saved over sampling."""
        read = {0.95: self.read_95, 1.0: self.read_100}[recall]
        return (self.rows - read) / self.rows - (1 - recall)


def run_of(task, method, version, seed, y, order, seconds):
    """Return what an order of rows comes to, of which all relevant ones are part."""
    found, n = np.cumsum(y[order]), int(y.sum())
    read = [int(np.searchsorted(found, np.ceil(t * n))) + 1 for t in (0.95, 1.0)]
    return Run(task, method, version, seed, len(y), n, *read, round(seconds, 1))


def write(file, run):
    """Add a run to a CSV file."""
    is_new = not Path(file).exists()
    with open(file, "a", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        if is_new:
            writer.writerow(run._fields)
        writer.writerow(run)


def read(file):
    """Return the runs of a CSV file; none if it is not there."""
    if not Path(file).exists():
        return []
    with open(file, newline="", encoding="utf-8") as lines:
        return [
            Run(*(kind(row[name]) for name, kind in Run.__annotations__.items()))
            for row in csv.DictReader(lines)
        ]
