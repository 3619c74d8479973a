"""Requests, labels and skipped rows of a pool learner."""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..base._parameters import check_budget
from ..base._validation import RECOGNISED_BY_VALUES, check_all_pending, describe_row
from ..exceptions import warn_user
from ..sources._containers import (
    NO_ROWS,
    as_numbers,
    copy_rows,
    hash_rows,
    is_same_data,
    n_rows,
    stack_rows,
    take,
)
from ..sources._identity import (
    VALUES,
    ById,
    ByValue,
    plain_id,
)

#: Positions of entries without a label.
PENDING, SKIPPED = -1, -2


class TeachCall(NamedTuple):
    """State after a call that taught labels."""

    n_labels: int  # number of labels known
    declared: tuple  # classes that a caller had named


@dataclass(frozen=True)
class Labelled:
    """Labelled rows and the codes of their labels, in the order of teaching.

    Parameters
    ----------
    rows : rows, optional
        In memory.
    codes : ndarray of int32 of shape (n_labelled,)
        Codes of the labels.
    names : ndarray of str, optional
        Names of the columns.
    metadata : dict of str to ndarray of shape (n_labelled, ...)
        Values for the estimator's `fit`, such as ``sample_weight``.
    """

    rows: Any = None
    codes: np.ndarray = field(default_factory=partial(np.empty, 0, np.int32))
    names: Any = None
    metadata: dict = field(default_factory=dict)

    def __len__(self):
        return len(self.codes)

    @property
    def has_two_classes(self):
        """Return True if a classifier can be trained."""
        return len(self.codes) > 1 and self.codes.min() != self.codes.max()

    def add(self, X, codes, names=None, metadata=None):
        """Return the labelled rows and more."""
        metadata, n_before = metadata or {}, len(self.codes)
        if metadata or self.metadata:
            sides = (self.metadata, n_before), (metadata, len(codes))
            sides = sides if n_before else sides[1:]  # of any type and shape
            metadata = {
                name: np.concatenate(
                    [fill_metadata(name, side.get(name), n) for side, n in sides]
                )
                for name in {**self.metadata, **metadata}
            }
        codes = np.append(self.codes, np.asarray(codes, np.int32))
        if self.rows is None:  # the caller may change X
            return Labelled(copy_rows(X), codes, names, metadata)
        return Labelled(stack_rows(self.rows, X), codes, names, metadata)

    def has_columns_of(self, X, names):
        """Return True if rows with these column names have the same columns."""
        if getattr(X, "shape", ())[1:] != getattr(self.rows, "shape", ())[1:]:
            return False
        return self.names is None or names is None or list(self.names) == list(names)

    def replace_rows(self, positions, X, names=None):
        """Return the same labels with new rows at these positions."""
        if len(positions) == len(self):
            return replace(self, rows=X, names=names)
        order = np.arange(len(self))
        order[positions] = len(self) + np.arange(len(positions))
        rows = take(stack_rows(self.rows, X), order)
        return replace(self, rows=rows, names=names)

    def part(self, positions):
        """Return some of the labelled rows; `positions` is an array or a slice."""
        metadata = {name: values[positions] for name, values in self.metadata.items()}
        rows = take(self.rows, positions)
        return Labelled(rows, self.codes[positions], self.names, metadata)


@dataclass(frozen=True)
class Ledger:
    """Requests, labels and skipped rows; never changed in place.

    There is one entry for each row; `len` counts the pending rows alone. Entries stand
    in the order in which the rows were asked for or taught. Rows are recognised by
    their keys, which are equal for equal values, or equal ids. A label goes to the
    oldest pending entry with its key, else to a skipped one, else to a new entry.

    Parameters
    ----------
    keys : ndarray of uint64 of shape (n_entries,)
        Keys of the rows.
    ids : ndarray of shape (n_entries,)
        Ids of the rows, if they have ids.
    rows : ndarray of int64 of shape (n_entries,)
        Row numbers in the pool when the rows were asked for; -1 if nobody asked.
    probabilities : ndarray of shape (n_entries,)
        Probability with which each row was bought, or 1.
    purposes : ndarray of str of shape (n_entries,)
        Purposes of the labels, as in `Purchase`.
    positions : ndarray of int64 of shape (n_entries,)
        Position of each row in `labelled`; `PENDING` or `SKIPPED`.
    found : ndarray of int64 of shape (n_entries,)
        Row numbers in the pool that was offered last; -1 if a row is not in it.
    n_pool_rows : int
        Number of rows of that pool.
    n_searched : int
        Number of entries, the first ones, that were searched in the pool with the
        fingerprint `searched_pool`. They are not searched again in the same pool.
    labelled : Labelled
        The labelled rows.
    calls : tuple of TeachCall
        The calls that taught labels.
    n_queries : int
        Number of labels asked for, less refunds.
    n_offered : int
        Number of rows offered, for a budget that is a share.
    """

    keys: np.ndarray = field(default_factory=partial(np.empty, 0, np.uint64))
    ids: np.ndarray = field(default_factory=partial(np.empty, 0, object))
    rows: np.ndarray = field(default_factory=NO_ROWS.copy)
    probabilities: np.ndarray = field(default_factory=partial(np.empty, 0, np.float64))
    purposes: np.ndarray = field(default_factory=partial(np.empty, 0, "<U1"))
    positions: np.ndarray = field(default_factory=NO_ROWS.copy)
    found: np.ndarray = field(default_factory=NO_ROWS.copy)
    n_pool_rows: int = 0
    n_searched: int = 0
    searched_pool: Any = None
    labelled: Labelled = Labelled()
    calls: tuple = ()
    n_queries: int = 0
    n_offered: int = 0

    def __len__(self):
        """Return the number of pending rows."""
        return int(np.count_nonzero(self.positions == PENDING))

    @property
    def n_skipped(self):
        """Number of rows that were skipped and not taught later."""
        return int(np.count_nonzero(self.positions == SKIPPED))

    @property
    def n_taught(self):
        """Number of entries with a label."""
        return int(np.count_nonzero(self.positions >= 0))

    @property
    def has_unasked_labels(self):
        """Return True if a row has a label that nobody asked for."""
        return bool(np.any((self.rows < 0) & (self.positions >= 0)))

    @property
    def taught(self):
        """Entries of the labelled rows, in the order of teaching."""
        (entries,) = np.nonzero(self.positions >= 0)
        return entries[np.argsort(self.positions[entries])]

    def n_left(self, budget):
        """Return how many labels a budget still allows."""
        return max(check_budget(budget, self.n_offered) - self.n_queries, 0)

    def add_entries(
        self, keys, rows, probabilities, purposes="", positions=PENDING, ids=()
    ):
        """Return the ledger with new entries.

        All arguments but `keys` and `ids` may be one value, used for all entries.
        """
        n = len(keys)
        rows = np.full(n, rows, dtype=np.int64)
        new = {
            "keys": keys,
            "rows": rows,
            "probabilities": np.full(n, probabilities),
            "purposes": np.full(n, purposes),
            "positions": np.full(n, positions, dtype=np.int64),
            "found": rows,
        }
        if len(ids):
            new["ids"] = ids
        for name, column in new.items():
            new[name] = np.concatenate((getattr(self, name), column))
        return replace(self, **new)

    def add_requests(self, identity, purchase):
        """Return the ledger after a purchase."""
        rows, probabilities, _, purposes = purchase[:4]
        keys, ids = identity.keys(rows), identity.names(rows)
        ledger = self.add_entries(keys, rows, probabilities, purposes, ids=ids)
        return replace(ledger, n_queries=self.n_queries + len(rows))

    def add_labels(self, identity, X, codes, names, declared, metadata=None):
        """Return the ledger after a call that taught these rows.

        Parameters
        ----------
        identity : ByValue or ById
            Keys and ids of the rows.
        X : rows
            The rows, in memory.
        codes : ndarray of int
            Codes of their labels.
        names : ndarray of str or None
            Names of the columns.
        declared : tuple
            The classes that a caller has named.
        metadata : dict of str to ndarray, optional
            Values for the estimator's `fit`.
        """
        labelled = self.labelled.add(X, codes, names, metadata)
        call = TeachCall(len(labelled.codes), declared)
        ledger = self.mark_taught(identity.keys(), identity.names())
        return replace(ledger, labelled=labelled, calls=(*self.calls, call))

    def mark_taught(self, keys, ids=()):
        """Return the ledger with these rows as the next labelled ones."""
        n_taught = self.positions.max(initial=-1) + 1
        if len(ids):
            (again,) = np.nonzero(is_in(keys, self.keys[self.positions >= 0]))
            if len(again):
                id = plain_id(ids[again[0]])
                raise ValueError(
                    f"{id!r} already has a label. Call correct to replace it."
                )
        entries = self.find_entries(keys, (PENDING, SKIPPED))
        positions, is_known = self.positions.copy(), entries >= 0
        positions[entries[is_known]] = n_taught + np.flatnonzero(is_known)
        ledger = replace(self, positions=positions)
        if is_known.all():
            return ledger
        (new,) = np.nonzero(~is_known)
        ids = ids[new] if len(ids) else ids
        return ledger.add_entries(keys[new], -1, 1.0, "", n_taught + new, ids)

    def skip(self, keys=None, ids=(), refund=False):
        """Return the ledger with these pending rows skipped; None: all of them."""
        entries = np.flatnonzero(self.positions == PENDING)
        if keys is not None:
            entries = self.find_entries(keys, (PENDING,))
            check_all_pending(entries >= 0, ids)
        positions = self.positions.copy()
        positions[entries] = SKIPPED
        n_queries = self.n_queries - (len(entries) if refund else 0)
        return replace(self, positions=positions, n_queries=n_queries)

    def pending(self, identity):
        """Return the row numbers of pending rows in a pool, in the order asked."""
        found = self.locate(identity, np.zeros(len(identity), dtype=bool)).found
        found = found[self.positions == PENDING]
        return found[found >= 0]

    def locate(self, identity, is_for_sale):
        """Return the ledger with `found` for this pool; no two entries share a row.

        A row is searched where it was last, then at the number at which it was asked
        for, then among the rows that are not for sale, then among the others. Rows that
        were not in the pool are not searched again before the pool changes.

        Parameters
        ----------
        identity : ByValue or ById
            Keys of the rows of the pool.
        is_for_sale : ndarray of bool of shape (n_samples,)
            False for rows that may not be bought, whatever this ledger says.
        """
        n_pool_rows = len(is_for_sale)
        found = np.full(len(self.keys), -1)
        is_free = np.ones(n_pool_rows, dtype=bool)
        # most rows are where they were: two look-ups save hashing the whole pool
        for last in self.found, self.rows:
            (lost,) = np.nonzero((found < 0) & (last >= 0) & (last < n_pool_rows))
            if not len(lost):
                continue
            is_same = identity.keys(last[lost]) == self.keys[lost]
            entries = lost[is_same & is_free[last[lost]]]
            numbers, n_free = last[entries], np.count_nonzero(is_free)
            is_free[numbers] = False
            if n_free - np.count_nonzero(is_free) < len(numbers):  # the first takes it
                numbers, first = np.unique(numbers, return_index=True)
                entries = entries[first]
            found[entries] = numbers
        is_lost = found < 0
        if is_lost.any() and identity.fingerprint == self.searched_pool:
            is_lost[: self.n_searched] &= self.found[: self.n_searched] >= 0
        ledger = replace(self, found=found, n_pool_rows=n_pool_rows)
        if not is_lost.any():
            return ledger
        (lost,) = np.nonzero(found < 0)
        keys = identity.keys()
        equal = np.flatnonzero(is_free & is_in(keys, self.keys[lost]))
        equal = equal[np.argsort(is_for_sale[equal], kind="stable")]
        first, second = pair_equal(self.keys[lost], keys[equal])
        found[lost[first]] = equal[second]
        return replace(
            ledger, n_searched=len(found), searched_pool=identity.fingerprint
        )

    def find_entries(self, keys, states):
        """Return the entry of each key, -1 for none, in the first of these states."""
        entries = np.full(len(keys), -1)
        for state in states:
            (lost,) = np.nonzero(entries < 0)
            if not len(lost):
                break
            (own,) = np.nonzero(self.positions == state)
            if np.array_equal(keys[lost], self.keys[own]):  # in the order asked
                entries[lost] = own
                break
            own = own[is_in(self.keys[own], keys[lost])]
            first, second = pair_equal(keys[lost], self.keys[own])
            entries[lost[first]] = own[second]
        return entries

    def correct(self, identity, codes):
        """Return the ledger with corrected codes of these rows.

        Of equal rows the one that was taught last is corrected, among those whose code
        differs.
        """
        own, entries = self.labelled.codes.copy(), self.taught[::-1]
        for row, key in enumerate(identity.keys()):
            positions = self.positions[entries[self.keys[entries] == key]]
            if not len(positions):
                which = describe_row(row, identity.names())
                advice = RECOGNISED_BY_VALUES if identity.kind == VALUES else ""
                raise ValueError(f"{which} was never taught.{advice}")
            positions = positions[own[positions] != codes[row]]
            own[positions[:1]] = codes[row]
        return self.recode(own)

    def take_values(self, X, names):
        """Return the ledger with the values of labelled rows in the pool X.

        It is the same ledger if none has changed.

        Parameters
        ----------
        X : rows
            The pool, in which the ledger has been located.
        names : ndarray of str or None
            Names of its columns.
        """
        labelled, entries = self.labelled, self.taught
        if not len(labelled):
            return self
        found = self.found[entries]
        (inside,), (outside,) = np.nonzero(found >= 0), np.nonzero(found < 0)
        rows, is_new = take(X, found[inside]), np.ones(len(inside), dtype=bool)
        if labelled.has_columns_of(rows, names):
            is_new = differ(rows, take(labelled.rows, inside))
        elif len(outside):
            missing = plain_id(self.ids[entries[outside[0]]])
            raise ValueError(
                "X has other columns than before: all labelled rows must be in it, and "
                f"the row with the id {missing!r} is not."
            )
        if not is_new.any():
            return self
        if len(outside):
            warn_user(
                f"{np.count_nonzero(is_new)} labelled rows have other values than "
                f"before, and {len(outside)} are not in X: the model is trained on the "
                "last values of the latter. Pass the whole pool.",
            )
        new = take(rows, np.flatnonzero(is_new))
        labelled = labelled.replace_rows(inside[is_new], new, names)
        return replace(self, labelled=labelled)

    def recode(self, codes):
        """Return the ledger with these codes of all labelled rows."""
        return replace(self, labelled=replace(self.labelled, codes=codes))


def fill_metadata(name, values, n_rows):
    """Return the values of n rows; rows without a weight have the weight 1."""
    if values is not None:
        return values
    if name != "sample_weight" and n_rows:
        raise ValueError(
            f"{name} must be passed for all labelled rows or for none, but {n_rows} "
            "rows have no value."
        )
    return np.ones(n_rows)


def is_in(keys, wanted):
    """Return for each key whether it is wanted; `np.isin` would sort all keys."""
    if not len(wanted):
        return np.zeros(len(keys), dtype=bool)
    wanted = np.sort(wanted)
    places = np.searchsorted(wanted, keys)
    return wanted[np.minimum(places, len(wanted) - 1)] == keys


def differ(first, second):
    """Return for each pair of rows whether their values differ.

    If one side has single precision, both are rounded to it.
    """
    sides = first, second
    dtypes = [getattr(X, "dtypes", getattr(X, "dtype", None)) for X in sides]
    if any({*np.atleast_1d(kind).tolist()} == {np.dtype("f4")} for kind in dtypes):
        numbers = [as_numbers(X) for X in sides]
        if all(X is not None for X in numbers):
            with np.errstate(over="ignore"):
                sides = [X.astype(np.float32) for X in numbers]
    return np.not_equal(*map(hash_rows, sides))


def pair_equal(first, second):
    """Return the positions of pairs: the k-th of a key in both arrays."""
    order, other_order = (np.argsort(keys, kind="stable") for keys in (first, second))
    first, second = first[order], second[other_order]
    rank = np.arange(len(first)) - np.searchsorted(first, first)  # k, from 0 on
    partner = np.searchsorted(second, first) + rank  # if it has the same key
    (paired,) = np.nonzero(partner < len(second))
    paired = paired[second[partner[paired]] == first[paired]]
    return order[paired], other_order[partner[paired]]


@dataclass(frozen=True)
class KeptPool:
    """A copy of the pool for trainers that learn from unlabelled rows, too.

    Parameters
    ----------
    X : rows, optional
        The whole pool.
    number : int
        Number of the pool among the pools that were offered.
    unlabelled : ndarray of int
        Row numbers of X without a label that may be bought, ascending.
    places : ndarray of int
        Row number of each labelled row in X, in the order of teaching; -1 if it is not
        in X. No two rows share a place.
    ids : ById, optional
        Ids of the rows.
    """

    X: Any = None
    number: int = 0
    unlabelled: np.ndarray = field(default_factory=NO_ROWS.copy)
    places: np.ndarray = field(default_factory=NO_ROWS.copy)
    ids: ById | None = None
    _derived: dict = field(default_factory=dict, repr=False)

    def offer(self, identity, X, candidates, places):
        """Return the pool X; what was derived from equal rows is kept.

        Parameters
        ----------
        identity : ByValue or ById
            Keys of its rows.
        X : rows
            The whole pool.
        candidates : ndarray of int
            Row numbers of X that may be bought or are labelled, ascending.
        places : ndarray of int
            As for the class.
        """
        known = self
        if self.X is None or not is_same_data(self.X, X):
            known = KeptPool(copy_rows(X), self.number + 1)
        ids = identity if isinstance(identity, ById) else None
        unlabelled = leave_out(candidates, places)
        return replace(known, unlabelled=unlabelled, places=places, ids=ids)

    def update(self, ledger):
        """Return the same pool with all labels of a ledger."""
        if self.X is None:
            return replace(self, places=np.full(len(ledger.labelled.codes), -1))
        is_for_sale = np.zeros(n_rows(self.X), dtype=bool)
        is_for_sale[self.unlabelled] = True
        identity = self.ids or ByValue(self.X, self.derived)
        places = ledger.locate(identity, is_for_sale).found[ledger.taught]
        unlabelled = leave_out(self.unlabelled, places)
        return replace(self, unlabelled=unlabelled, places=places)

    def first(self, n_labels):
        """Return the same pool with the first labels only."""
        places, later = self.places[:n_labels], self.places[n_labels:]
        unlabelled = np.union1d(self.unlabelled, later[later >= 0])
        return replace(self, unlabelled=unlabelled, places=places)

    def fitted(self, name, fit, labelled):
        """Return ``fit(rows)`` for X and the labelled rows that are not in X."""
        (outside,) = np.nonzero(self.places < 0)
        if self.X is None or not len(outside):
            return fit(labelled) if self.X is None else self.derived(name, fit)
        others = take(labelled, outside)
        keys, place = hash_rows(others).tolist(), (name, "and others")
        known = self._derived.get(place, (None, None))
        if known[0] != keys:  # the former ones are not kept
            known = self._derived[place] = keys, fit(stack_rows(self.X, others))
        return known[1]

    def derived(self, name, make):
        """Return ``make(X)``, made once for each pool; pickles leave it out."""
        if name not in self._derived:
            self._derived[name] = make(self.X)
        return self._derived[name]

    def __getstate__(self):
        return {**vars(self), "_derived": {}}


def leave_out(rows, places):
    """Return the row numbers that are not among the places."""
    is_taken = np.zeros(max(rows.max(initial=-1), places.max(initial=-1)) + 1, bool)
    is_taken[places[places >= 0]] = True
    return rows[~is_taken[rows]]
