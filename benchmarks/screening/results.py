"""The result of a run: rows read until a share of the relevant rows was found."""

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

    @property
    def key(self):
        """The task, the method and the seed: unique to a run."""
        return self.task, self.method, self.seed

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
