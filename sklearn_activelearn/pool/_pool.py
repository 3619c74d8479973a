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
    places : ndarray of int
        Where each row that was taught is in X, in that order; -1 for one that was
        not asked for of this pool.
    """

    X: Any = None
    unlabelled: np.ndarray = field(default_factory=NO_ROWS.copy)
    places: np.ndarray = field(default_factory=NO_ROWS.copy)
    _derived: dict = field(default_factory=dict, repr=False)

    def offered(self, X, rows):
        """Return the pool X whose rows with these numbers have no label."""
        if self.X is not None and same_rows(self.X, X):
            # a labelled row that is offered again is one more row without a label
            places = np.where(np.isin(self.places, rows), -1, self.places)
            return Pool(self.X, np.unique(rows), places, self._derived)
        return Pool(X.copy(), np.unique(rows), np.full_like(self.places, -1))

    def without(self, X, notes):
        """Return the same pool when rows X that were asked for have been taught."""
        numbers = [note.row if note else None for note in notes]
        places = [
            number if number is not None and self._has(number, key) else -1
            for number, key in zip(numbers, row_keys(X), strict=True)
        ]
        is_left = ~np.isin(self.unlabelled, places, kind="sort")
        places = np.append(self.places, places)
        return Pool(self.X, self.unlabelled[is_left], places, self._derived)

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
