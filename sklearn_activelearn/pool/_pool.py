"""The pool that was offered last, for learners that learn from unlabelled rows."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._containers import joined, n_rows, row_keys, same_rows, take
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
        Where each row that was taught is in X, in that order; -1 for nowhere. No two
        are in one place.
    """

    X: Any = None
    unlabelled: np.ndarray = field(default_factory=NO_ROWS.copy)
    places: np.ndarray = field(default_factory=NO_ROWS.copy)
    _derived: dict = field(default_factory=dict, repr=False)

    def offered(self, X, rows, labelled=None):
        """Return the pool X whose rows with these numbers have no label.

        A labelled row that is offered again is one more row without a label.

        Parameters
        ----------
        X : rows
            The whole pool.
        rows : ndarray of int
            Row numbers of X.
        labelled : rows, optional
            All that were taught.
        """
        unlabelled, before = np.unique(rows), self.places
        if self.X is not None and same_rows(self.X, X):
            places = np.where(np.isin(before, unlabelled), -1, before)
            pool = Pool(self.X, unlabelled, places, self._derived)
        else:
            places = np.full_like(before, -1)
            pool = Pool(X.copy(), unlabelled, places)
        is_open = pool._is_open()
        is_open[unlabelled] = False
        (lost,) = np.nonzero(places < 0)
        if len(lost) and is_open.any():
            places[lost] = pool._find(take(labelled, lost), before[lost], is_open)
        return pool

    def without(self, X, notes):
        """Return the same pool when rows X have been taught, asked for or not."""
        places = np.full(len(notes), -1)
        if self.X is not None:
            hints = np.array([note.row if note else -1 for note in notes], dtype=int)
            places = self._find(X, hints, self._is_open())
        is_left = ~np.isin(self.unlabelled, places, kind="sort")
        places = np.append(self.places, places)
        return Pool(self.X, self.unlabelled[is_left], places, self._derived)

    def _is_open(self):
        """Which rows of X are no place yet."""
        is_open = np.ones(n_rows(self.X), dtype=bool)
        is_open[self.places[self.places >= 0]] = False
        return is_open

    def _find(self, rows, hints, is_open):
        """Return where rows are among the open rows of X, -1: nowhere.

        Parameters
        ----------
        rows : rows
            Labelled ones.
        hints : ndarray of int
            Where each was: it decides between equal rows. After that those that are
            not for sale come first.
        is_open : ndarray of bool of shape (n_rows_of_X,)
            Rows of X that may be places; those that are found are taken out.
        """
        keys, places = list(row_keys(rows)), np.full(len(hints), -1)
        (hinted,) = np.nonzero((hints >= 0) & (hints < len(is_open)))
        there = row_keys(take(self.X, hints[hinted]))
        for i, number, key in zip(hinted, hints[hinted], there, strict=True):
            if key == keys[i] and is_open[number]:
                places[i], is_open[number] = number, False
        (lost,) = np.nonzero(places < 0)
        if len(lost):
            numbers = self.derived("numbers", numbers_of)
            for_sale = np.zeros(len(is_open), dtype=bool)
            for_sale[self.unlabelled] = True
            for i in lost:
                equal = [k for k in numbers.get(keys[i], ()) if is_open[k]]
                if equal:
                    places[i] = min(equal, key=for_sale.__getitem__)
                    is_open[places[i]] = False
        return places

    def fitted(self, name, fit, labelled):
        """Return ``fit(rows)`` for X and the labelled rows that are not in it."""
        (outside,) = np.nonzero(self.places < 0)
        if self.X is None or not len(outside):
            return fit(labelled) if self.X is None else self.derived(name, fit)
        others = take(labelled, outside)
        keys, place = list(row_keys(others)), (name, "and others")
        if self._derived.get(place, [None])[0] != keys:  # those before are not kept
            self._derived[place] = keys, fit(joined(self.X, others))
        return self._derived[place][1]

    def derived(self, name, make):
        """Return ``make(X)``, made once for each pool; pickles leave it out."""
        if name not in self._derived:
            self._derived[name] = make(self.X)
        return self._derived[name]

    def __getstate__(self):
        return {**vars(self), "_derived": {}}


def numbers_of(X):
    """Return for each row key the numbers of the rows that have it."""
    numbers = {}
    for number, key in enumerate(row_keys(X)):
        numbers.setdefault(key, []).append(number)
    return numbers
