"""Rows of a pool that were asked for, taught or skipped: none of them is sold again."""

from dataclasses import dataclass, field, replace

import numpy as np

from .._containers import NO_KEYS, RowKeys, exact_keys, n_rows, rounded_keys
from .._validation import check_all_out

#: Where a row stands if it has no label.
OUT, SKIPPED = -1, -2


@dataclass(frozen=True)
class Ledger:
    """One entry for each row, in the order in which they came; never changed itself.

    Rows are recognised by their exact values, those that are unmatched then by their
    values rounded to float32. Of equal rows that are out the first one is answered
    first; if none is, one that was skipped.

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
    """

    keys: RowKeys = NO_KEYS
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    probabilities: np.ndarray = field(default_factory=lambda: np.empty(0))
    purposes: np.ndarray = field(default_factory=lambda: np.empty(0, "<U1"))
    places: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))

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
    def taught(self):
        """The entries of the labelled rows, in the order in which they were taught."""
        (entries,) = np.nonzero(self.places >= 0)
        return entries[np.argsort(self.places[entries])]

    def plus(self, keys, rows, probabilities, purposes="", places=OUT):
        """Return these entries and more; what is one for all may be one number."""
        n = len(keys.exact)
        return Ledger(
            self.keys.plus(keys),
            np.append(self.rows, np.full(n, rows, dtype=np.int64)),
            np.append(self.probabilities, np.full(n, probabilities, dtype=np.float64)),
            np.append(self.purposes, np.full(n, purposes)),
            np.append(self.places, np.full(n, places, dtype=np.int64)),
        )

    def answered(self, keys):
        """Return the ledger when rows with these keys are taught."""
        n_taught = self.n_taught
        entries = self.find(keys, (OUT, SKIPPED))
        places = self.places.copy()
        known = entries >= 0
        places[entries[known]] = n_taught + np.flatnonzero(known)
        (others,) = np.nonzero(~known)
        out = replace(self, places=places)
        if not len(others):
            return out
        return out.plus(keys.at(others), -1, 1.0, places=n_taught + others)

    def skipped(self, keys=None):
        """Return the ledger when rows will not be answered; None: all that are out."""
        places = self.places.copy()
        if keys is None:
            places[places == OUT] = SKIPPED
        else:
            entries = self.find(keys, (OUT,))
            check_all_out(entries >= 0)
            places[entries] = SKIPPED
        return replace(self, places=places)

    def first(self, n_taught):
        """Return the ledger without the labels that were taught after so many."""
        return replace(self, places=np.where(self.places < n_taught, self.places, OUT))

    def pending(self, X):
        """Return where rows that are out are in X, in the order asked."""
        places = self.located(X, np.zeros(n_rows(X), dtype=bool))
        places = places[self.places == OUT]
        return places[places >= 0]

    def located(self, X, is_for_sale, keys_of=None):
        """Return where each row is in X, -1: nowhere. No two are in one place.

        A row is searched at its number, then among equal rows that are not for
        sale, then among the others.

        Parameters
        ----------
        X : rows
            A pool.
        is_for_sale : ndarray of bool of shape (n_samples,)
            Whether a row of X may be bought if it is none of these.
        keys_of : callable, optional
            ``keys_of(keys)`` returns ``keys(X)``, if that is kept somewhere.
        """
        found = np.full(len(self.places), -1)
        (numbered,) = np.nonzero((self.rows >= 0) & (self.rows < len(is_for_sale)))
        there = exact_keys(X, self.rows[numbered]) == self.keys.exact[numbered]
        keep_in_place(found, numbered[there], self.rows)
        if (found >= 0).all():
            return found
        keys_of = keys_of or (lambda keys: keys(X))
        is_open = np.ones(len(is_for_sale), dtype=bool)
        is_open[found[found >= 0]] = False
        for own, keys in zip(self.keys, (exact_keys, rounded_keys), strict=True):
            all_keys = keys_of(keys)
            numbered = numbered[found[numbered] < 0]
            numbers = self.rows[numbered]
            stays = (all_keys[numbers] == own[numbered]) & is_open[numbers]
            is_open[keep_in_place(found, numbered[stays], self.rows)] = False
            (lost,) = np.nonzero(found < 0)
            if not len(lost):
                break
            equal = np.flatnonzero(is_open & isin(all_keys, own[lost]))
            equal = equal[np.argsort(is_for_sale[equal], kind="stable")]
            first, second = paired(own[lost], all_keys[equal])
            found[lost[first]] = equal[second]
            is_open[equal[second]] = False
        return found

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
    if np.array_equal(first, second):  # answered in the order asked
        return np.arange(len(first)), np.arange(len(first))
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
