"""The pool that was offered last, for learners that learn from unlabelled rows."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._containers import n_rows, row_keys, same_rows, take
from ._choice import NO_ROWS


@dataclass(frozen=True)
class Pool:
    """Rows, copied, and which of them have no label.

    Parameters
    ----------
    X : rows, optional
        The whole pool.
    unlabelled : ndarray of int
        Row numbers of X, ascending.
    """

    X: Any = None
    unlabelled: np.ndarray = field(default_factory=NO_ROWS.copy)
    _derived: dict = field(default_factory=dict, repr=False)

    def offered(self, X, rows):
        """Return the pool X whose rows with these numbers have no label."""
        if self.X is not None and same_rows(self.X, X):
            return Pool(self.X, np.unique(rows), self._derived)
        return Pool(X.copy(), np.unique(rows))

    def without(self, X, notes):
        """Return the same pool when rows X that were asked for have been taught."""
        numbers = [note.row if note else None for note in notes]
        taught = [
            number
            for number, key in zip(numbers, row_keys(X), strict=True)
            if number is not None and self._has(number, key)
        ]
        return Pool(self.X, np.setdiff1d(self.unlabelled, taught), self._derived)

    def _has(self, number, key):
        """Whether the row with that number is still the one that was asked for."""
        if self.X is None or number >= n_rows(self.X):
            return False
        return next(row_keys(take(self.X, [number]))) == key

    def derived(self, name, make):
        """Return ``make(X)``, made once for each pool; pickles leave it out."""
        if name not in self._derived:
            self._derived[name] = make(self.X)
        return self._derived[name]

    def __getstate__(self):
        return {**vars(self), "_derived": {}}
