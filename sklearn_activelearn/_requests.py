"""What was asked for and has not been taught yet."""

from typing import NamedTuple

import numpy as np

from ._containers import n_rows, row_keys, take


class Note(NamedTuple):
    """What is remembered of a row that was asked for, until it is taught."""

    probability: float  # with which it was bought
    row: int | None = None  # its number in the pool; a stream has none
    purpose: str | None = None  # what its label is for, if the learner tells apart


class Requests:
    """Rows that were asked for and not taught yet, first in, first out per value.

    Parameters
    ----------
    waiting : dict, optional
        For each row key the notes that wait.
    """

    def __init__(self, waiting=None):
        self._waiting = {} if waiting is None else waiting

    def __len__(self):
        return sum(map(len, self._waiting.values()))

    def others(self, X, rows):
        """Return those of the row numbers of X that are not asked for already.

        A row is looked for where it was when it was asked for; if X is another
        pool by now, the first row of the same values is left out.
        """
        asked, moved = [], {}
        for key, notes in self._waiting.items():
            numbers = [note.row for note in notes if note.row < n_rows(X)]
            there = [
                row
                for row, found in zip(numbers, row_keys(take(X, numbers)), strict=True)
                if found == key
            ]
            asked += there
            if len(there) < len(notes):
                moved[key] = len(notes) - len(there)
        rows = rows[~np.isin(rows, asked)]
        if not moved:
            return rows
        others = []
        for row, key in zip(rows.tolist(), row_keys(take(X, rows)), strict=True):
            if moved.get(key):
                moved[key] -= 1
            else:
                others.append(row)
        return np.array(others, dtype=np.int64)

    def add(self, X, notes):
        """Return these requests and one more for each row of X."""
        waiting = dict(self._waiting)
        for key, note in zip(row_keys(X), notes, strict=True):
            waiting[key] = (*waiting.get(key, ()), note)
        return Requests(waiting)

    def take(self, X):
        """Return what still waits once X is taught, and each row's note or None."""
        if not self._waiting:
            return self, [None] * n_rows(X)
        waiting, notes = dict(self._waiting), []
        for key in row_keys(X):
            note, *later = waiting.pop(key, (None,))
            if later:
                waiting[key] = tuple(later)
            notes.append(note)
        return Requests(waiting), notes
