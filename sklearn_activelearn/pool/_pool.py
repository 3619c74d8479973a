"""The pool that was offered last, for learners that learn from unlabelled rows."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._containers import NO_ROWS, exact_keys, joined, n_rows, same_rows, take
from .._identity import ById, ByValue
from .._typing import RowNumbers


@dataclass(frozen=True)
class Pool:
    """Rows, copied, and which of them have labels.

    Parameters
    ----------
    X : rows, optional
        The whole pool.
    number : int
        Which of the pools offered it is.
    unlabelled : ndarray of int
        Row numbers of X without a label, ascending; others without one are left out.
    places : ndarray of int
        Where each row that was taught is in X, in that order; -1 for nowhere. No two
        are in one place.
    ids : ById, optional
        Those of the rows.
    """

    X: Any = None
    number: int = 0
    unlabelled: RowNumbers = field(default_factory=NO_ROWS.copy)
    places: RowNumbers = field(default_factory=NO_ROWS.copy)
    ids: ById | None = None
    _derived: dict = field(default_factory=dict, repr=False)

    def offered(self, identity, X, candidates, places):
        """Return the pool X; what was derived from equal rows is kept.

        Parameters
        ----------
        identity : ByValue or ById
            What its rows are recognised by.
        X : rows
            The whole pool.
        candidates : ndarray of int
            Row numbers of X that might be bought or are labelled, ascending.
        places : ndarray of int
            As in the pool.
        """
        known = self
        if self.X is None or not same_rows(self.X, X):
            known = Pool(X.copy(), self.number + 1)
        return replace(
            known,
            unlabelled=not_in(candidates, places),
            places=places,
            ids=identity if isinstance(identity, ById) else None,
        )

    def taught(self, ledger):
        """Return the same pool with labels for all rows that the ledger has taught."""
        if self.X is None:
            return replace(self, places=np.full(ledger.n_taught, -1))
        is_for_sale = np.zeros(n_rows(self.X), dtype=bool)
        is_for_sale[self.unlabelled] = True
        identity = self.ids or ByValue(self.X, self.derived)
        places = ledger.located(identity, is_for_sale).found[ledger.taught]
        return replace(self, unlabelled=not_in(self.unlabelled, places), places=places)

    def before(self, n_labels):
        """Return the same pool when only so many rows had been taught."""
        places, later = self.places[:n_labels], self.places[n_labels:]
        unlabelled = np.union1d(self.unlabelled, later[later >= 0])
        return replace(self, unlabelled=unlabelled, places=places)

    def fitted(self, name, fit, labelled):
        """Return ``fit(rows)`` for X and the labelled rows that are not in it."""
        (outside,) = np.nonzero(self.places < 0)
        if self.X is None or not len(outside):
            return fit(labelled) if self.X is None else self.derived(name, fit)
        others = take(labelled, outside)
        keys, place = exact_keys(others).tolist(), (name, "and others")
        known = self._derived.get(place, (None, None))
        if known[0] != keys:  # those before are not kept
            known = self._derived[place] = keys, fit(joined(self.X, others))
        return known[1]

    def derived(self, name, make):
        """Return ``make(X)``, made once for each pool; pickles leave it out."""
        if name not in self._derived:
            self._derived[name] = make(self.X)
        return self._derived[name]

    def __getstate__(self):
        return {**vars(self), "_derived": {}}


def not_in(rows, places):
    """Return the row numbers that are no places."""
    is_taken = np.zeros(max(rows.max(initial=-1), places.max(initial=-1)) + 1, bool)
    is_taken[places[places >= 0]] = True
    return rows[~is_taken[rows]]
