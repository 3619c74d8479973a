"""What was asked for and has not been taught yet."""

import numpy as np

from ._containers import n_rows, row_keys, take


class Requests:
    """Rows that were asked for and not taught yet, first in, first out per value.

    Parameters
    ----------
    waiting : dict, optional
        For each row key the waiting requests: a note, and the row's number in the
        pool it came from (None in a stream).
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
        for key, requests in self._waiting.items():
            numbers = [row for _, row in requests if row < n_rows(X)]
            there = [
                row
                for row, found in zip(numbers, row_keys(take(X, numbers)), strict=True)
                if found == key
            ]
            asked += there
            if len(there) < len(requests):
                moved[key] = len(requests) - len(there)
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

    def add(self, X, notes, rows=None):
        """Return these requests and one more for each row of X.

        Parameters
        ----------
        X : rows
            What is asked for.
        notes : list
            What to remember with each.
        rows : list of int, optional
            Their numbers in the pool.
        """
        waiting = dict(self._waiting)
        rows = [None] * len(notes) if rows is None else rows
        for key, *request in zip(row_keys(X), notes, rows, strict=True):
            waiting[key] = (*waiting.get(key, ()), tuple(request))
        return Requests(waiting)

    def take(self, X):
        """Return what still waits once X is taught, and each row's note or None."""
        if not self._waiting:
            return self, [None] * n_rows(X)
        waiting, notes = dict(self._waiting), []
        for key in row_keys(X):
            (note, _), *later = waiting.pop(key, ((None, None),))
            if later:
                waiting[key] = tuple(later)
            notes.append(note)
        return Requests(waiting), notes
