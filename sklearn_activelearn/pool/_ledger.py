"""Rows of a pool that were asked for, taught or skipped: none of them is sold again."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy import concatenate

from .._containers import NO_KEYS, NO_ROWS, RowKeys
from .._identity import native
from .._validation import check_all_out

#: Where a row stands if it has no label.
OUT, SKIPPED = -1, -2


@dataclass(frozen=True)
class Ledger:
    """One entry for each row, in the order in which they came; never changed itself.

    Rows are recognised by their exact keys, those that are unmatched then by their
    rounded ones. Of equal rows that are out the first one is answered first; if none
    is, one that was skipped.

    Parameters
    ----------
    keys : RowKeys
        What the rows are recognised by.
    rows : ndarray of int64
        Their numbers in the pool when they were asked for; -1 for rows that nobody
        asked for.
    probabilities : ndarray of float64
        With which they were bought, or 1.
    purposes : ndarray of str
        What their labels are for, as in `Purchase`.
    places : ndarray of int64
        Positions among the labelled rows; `OUT` or `SKIPPED`.
    ids : ndarray
        Their ids, if they have any.
    found : ndarray of int64
        Their numbers in the pool that was offered last, or when they were asked for;
        -1 for none.
    n_rows : int
        How many rows that pool has.
    n_sought : int
        How many entries, the first ones, there were when some were searched,
    pool : tuple, optional
        in a pool with this fingerprint.
    """

    keys: RowKeys = NO_KEYS
    rows: np.ndarray = field(default_factory=NO_ROWS.copy)
    probabilities: np.ndarray = field(default_factory=lambda: np.empty(0))
    purposes: np.ndarray = field(default_factory=lambda: np.empty(0, "<U1"))
    places: np.ndarray = field(default_factory=NO_ROWS.copy)
    ids: np.ndarray = field(default_factory=lambda: np.empty(0, object))
    found: np.ndarray = field(default_factory=NO_ROWS.copy)
    n_rows: int = 0
    n_sought: int = 0
    pool: Any = None

    def __len__(self):
        """How many rows are out."""
        return int(np.count_nonzero(self.places == OUT))

    @property
    def n_skipped(self):
        """How many rows were skipped, and not taught later."""
        return int(np.count_nonzero(self.places == SKIPPED))

    @property
    def n_taught(self):
        """How many rows have labels."""
        return int(np.count_nonzero(self.places >= 0))

    @property
    def has_unasked(self):
        """Whether a row has a label that nobody asked for."""
        return bool(np.any((self.rows < 0) & (self.places >= 0)))

    @property
    def taught(self):
        """The entries of the labelled rows, in the order in which they were taught."""
        (entries,) = np.nonzero(self.places >= 0)
        return entries[np.argsort(self.places[entries])]

    def plus(self, keys, rows, probabilities, purposes="", places=OUT, ids=()):
        """Return these entries and more; what is one for all may be one number."""
        n = len(keys.exact)
        rows = np.full(n, rows, dtype=np.int64)
        places = np.full(n, places, dtype=np.int64)
        return replace(
            self,
            keys=self.keys.plus(keys),
            rows=concatenate((self.rows, rows)),
            probabilities=concatenate((self.probabilities, np.full(n, probabilities))),
            purposes=concatenate((self.purposes, np.full(n, purposes))),
            places=concatenate((self.places, places)),
            ids=concatenate((self.ids, ids)) if len(ids) else self.ids,
            found=concatenate((self.found, rows)),
        )

    def answered(self, keys, ids=()):
        """Return the ledger when rows with these keys, or ids, are taught."""
        n_taught = self.n_taught
        if len(ids):
            (again,) = np.nonzero(isin(keys.exact, self.keys.exact[self.places >= 0]))
            if len(again):
                first = native(ids[again[0]])
                raise ValueError(f"{first!r} has a label: use correct.")
        entries = self.find(keys, (OUT, SKIPPED))
        places = self.places.copy()
        known = entries >= 0
        places[entries[known]] = n_taught + np.flatnonzero(known)
        (others,) = np.nonzero(~known)
        out = replace(self, places=places)
        if not len(others):
            return out
        ids = ids[others] if len(ids) else ids
        return out.plus(keys.at(others), -1, 1.0, places=n_taught + others, ids=ids)

    def skipped(self, keys=None, ids=()):
        """Return the ledger when rows will not be answered; None: all that are out."""
        places = self.places.copy()
        if keys is None:
            places[places == OUT] = SKIPPED
        else:
            entries = self.find(keys, (OUT,))
            check_all_out(entries >= 0, ids)
            places[entries] = SKIPPED
        return replace(self, places=places)

    def first(self, n_taught):
        """Return the ledger without the labels that were taught after so many."""
        return replace(self, places=np.where(self.places < n_taught, self.places, OUT))

    def pending(self, identity):
        """Return where rows that are out are in a pool, in the order asked."""
        found = self.located(identity, np.zeros(len(identity), dtype=bool)).found
        found = found[self.places == OUT]
        return found[found >= 0]

    def located(self, identity, is_for_sale):
        """Return the ledger with `found` for this pool. No two rows are in one place.

        A row is searched where it was last, then at the number at which it was asked
        for, then among equal rows that are not for sale, then among the others. Rows
        that were not in the pool are not searched again before the pool changes.

        Parameters
        ----------
        identity : ByValue or ById
            What the rows of the pool are recognised by.
        is_for_sale : ndarray of bool of shape (n_samples,)
            Whether a row may be bought if it is none of these.
        """
        found = np.full(len(self.places), -1)
        is_open = np.ones(len(is_for_sale), dtype=bool)
        for numbers in (self.found, self.rows):
            if (found < 0).any():
                self._stay(found, is_open, numbers, identity.exact, self.keys.exact)
        n_sought, pool, is_lost = self.n_sought, self.pool, found < 0
        before = slice(n_sought)
        if pool and is_lost[before].any() and identity.fingerprint == pool:
            now = found[before], is_open, self.found[before]
            self._stay(*now, identity.rounded, self.keys.rounded)
            is_lost = found < 0
            is_lost[before] &= self.found[before] >= 0
        if is_lost.any():
            self._search(found, is_open, identity, is_for_sale)
            n_sought, pool = len(found), identity.fingerprint
        known = {"n_sought": n_sought, "n_rows": len(is_for_sale), "pool": pool}
        return replace(self, found=found, **known)

    def _stay(self, found, is_open, numbers, keys_of, own):
        """Note which rows that are not found yet are at these numbers of the pool."""
        (lost,) = np.nonzero((found < 0) & (numbers >= 0) & (numbers < len(is_open)))
        if len(lost):
            stays = (keys_of(numbers[lost]) == own[lost]) & is_open[numbers[lost]]
            is_open[keep_in_place(found, lost[stays], numbers)] = False

    def _search(self, found, is_open, identity, is_for_sale):
        """Note where rows that are not found yet are, whatever their numbers."""
        kinds = identity.exact, identity.rounded
        for own, keys_of in zip(self.keys, kinds, strict=True):
            all_keys = keys_of()
            for numbers in (self.found, self.rows):
                self._stay(found, is_open, numbers, all_keys.__getitem__, own)
            (lost,) = np.nonzero(found < 0)
            if not len(lost):
                break
            equal = np.flatnonzero(is_open & isin(all_keys, own[lost]))
            equal = equal[np.argsort(is_for_sale[equal], kind="stable")]
            first, second = paired(own[lost], all_keys[equal])
            found[lost[first]] = equal[second]
            is_open[equal[second]] = False

    def __setstate__(self, state):
        began = {**vars(Ledger()), "found": state["rows"]}  # of version 0.1.0
        vars(self).update(began | state)

    def labelled(self, keys):
        """Return for each row the entries of equal rows with labels, latest first."""
        entries = self.taught[::-1]
        for i in range(len(keys.exact)):
            for own, other in zip(self.keys, keys, strict=True):
                equal = entries[own[entries] == other[i]]
                if len(equal):
                    break
            yield equal

    def find(self, keys, standings):
        """Return the entry of each row with these keys, -1 for none."""
        entries = np.full(len(keys.exact), -1)
        for own, other in zip(self.keys, keys, strict=True):
            for standing in standings:
                (lost,) = np.nonzero(entries < 0)
                if not len(lost):
                    return entries
                is_open = self.places == standing
                is_open[entries[entries >= 0]] = False
                (open_,) = np.nonzero(is_open)
                if np.array_equal(other[lost], own[open_]):  # in the order asked
                    entries[lost] = open_
                    continue
                open_ = open_[isin(own[open_], other[lost])]
                first, second = paired(other[lost], own[open_])
                entries[lost[first]] = open_[second]
        return entries


def keep_in_place(found, entries, rows):
    """Note that entries are where they were, the first of several at one number.

    Returns
    -------
    numbers : ndarray of int64
        Of the rows that they take.
    """
    numbers = rows[entries]
    is_taken = np.zeros(numbers.max(initial=-1) + 1, dtype=bool)
    is_taken[numbers] = True
    if np.count_nonzero(is_taken) < len(numbers):
        numbers, first = np.unique(numbers, return_index=True)
        entries = entries[first]
    found[entries] = numbers
    return numbers


def isin(keys, wanted):
    """Whether each key is wanted; `np.isin` sorts all keys for that."""
    wanted = np.sort(wanted)
    if not len(wanted):
        return np.zeros(len(keys), dtype=bool)
    places = np.searchsorted(wanted, keys)
    return wanted[np.minimum(places, len(wanted) - 1)] == keys


def paired(first, second):
    """Return pairs of positions: the k-th of a key here with the k-th there."""
    keys = np.concatenate([first, second])
    order = np.argsort(keys, kind="stable")  # of equal keys the first ones first
    in_second = order >= len(first)
    is_new = np.append(True, keys[order[1:]] != keys[order[:-1]])[: len(keys)]
    group = np.cumsum(is_new) - 1
    n_first, n_second = (
        np.bincount(group[part], minlength=is_new.sum())
        for part in (~in_second, in_second)
    )
    rank = np.arange(len(keys)) - np.flatnonzero(is_new)[group]
    rank[in_second] -= n_first[group[in_second]]
    is_paired = rank < np.where(in_second, n_first[group], n_second[group])
    return order[is_paired & ~in_second], order[is_paired & in_second] - len(first)
