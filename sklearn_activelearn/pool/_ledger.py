"""Rows of a pool that were asked for, taught or skipped: none of them is sold again."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy import concatenate
from sklearn.exceptions import FitFailedWarning

from .._labels import encode
from .._transaction import shallow_copy
from .._typing import RowNumbers
from .._validation import RECOGNISED_BY_VALUES, check_all_pending, describe_row
from .._warnings import warn_user
from ..sources._containers import (
    NO_ROWS,
    hash_rows,
    is_same_data,
    n_rows,
    stack_rows,
    take,
    to_array,
)
from ..sources._identity import ById, ByValue, plain_id

#: Where a row stands if it has no label.
OUT, SKIPPED = -1, -2


@dataclass(frozen=True)
class Ledger:
    """One entry for each row, in the order in which they came; never changed itself.

    Of equal rows that are out the first one is answered first; if none is, one that
    was skipped.

    Parameters
    ----------
    keys : ndarray of uint64
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

    keys: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
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
        n = len(keys)
        rows = np.full(n, rows, dtype=np.int64)
        places = np.full(n, places, dtype=np.int64)
        return replace(
            self,
            keys=concatenate((self.keys, keys)),
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
            (again,) = np.nonzero(isin(keys, self.keys[self.places >= 0]))
            if len(again):
                first = plain_id(ids[again[0]])
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
        return out.plus(keys[others], -1, 1.0, places=n_taught + others, ids=ids)

    def skipped(self, keys=None, ids=()):
        """Return the ledger when rows will not be answered; None: all that are out."""
        places = self.places.copy()
        if keys is None:
            places[places == OUT] = SKIPPED
        else:
            entries = self.find(keys, (OUT,))
            check_all_pending(entries >= 0, ids)
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
                self._stay(found, is_open, numbers, identity)
        n_sought, pool, is_lost = self.n_sought, self.pool, found < 0
        before = slice(n_sought)
        if pool and is_lost[before].any() and identity.fingerprint == pool:
            is_lost[before] &= self.found[before] >= 0
        if is_lost.any():
            self._search(found, is_open, identity, is_for_sale)
            n_sought, pool = len(found), identity.fingerprint
        known = {"n_sought": n_sought, "n_rows": len(is_for_sale), "pool": pool}
        return replace(self, found=found, **known)

    def _stay(self, found, is_open, numbers, identity):
        """Note which rows that are not found yet are at these numbers of the pool."""
        (lost,) = np.nonzero((found < 0) & (numbers >= 0) & (numbers < len(is_open)))
        if len(lost):
            is_equal = identity.keys(numbers[lost]) == self.keys[lost]
            stays = is_equal & is_open[numbers[lost]]
            is_open[keep_in_place(found, lost[stays], numbers)] = False

    def _search(self, found, is_open, identity, is_for_sale):
        """Note where rows that are not found yet are, whatever their numbers."""
        (lost,) = np.nonzero(found < 0)
        keys = identity.keys()
        equal = np.flatnonzero(is_open & isin(keys, self.keys[lost]))
        equal = equal[np.argsort(is_for_sale[equal], kind="stable")]
        first, second = paired(self.keys[lost], keys[equal])
        found[lost[first]] = equal[second]
        is_open[equal[second]] = False

    def labelled(self, keys):
        """Return for each row the entries of equal rows with labels, latest first."""
        entries = self.taught[::-1]
        return [entries[self.keys[entries] == key] for key in keys]

    def find(self, keys, standings):
        """Return the entry of each row with these keys, -1 for none."""
        entries = np.full(len(keys), -1)
        for standing in standings:
            (lost,), (open_,) = (
                np.nonzero(entries < 0),
                np.nonzero(self.places == standing),
            )
            if np.array_equal(keys[lost], self.keys[open_]):  # in the order asked
                entries[lost] = open_
                continue
            open_ = open_[isin(self.keys[open_], keys[lost])]
            first, second = paired(keys[lost], self.keys[open_])
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


@dataclass(frozen=True)
class Labelled:
    """Rows and the codes of their labels, in the order in which they were taught.

    Parameters
    ----------
    rows : rows, optional
        In memory.
    codes : ndarray of int32
        Of their labels.
    names : ndarray of str, optional
        Of the columns.
    """

    rows: Any = None
    codes: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    names: Any = None

    #: The array that begins with the rows and has room for more; none once somebody has
    #: taken it out to append. Who did has the only reference to what follows the rows.
    _room: Any = field(default=None, repr=False, compare=False)

    def __len__(self):
        return len(self.codes)

    @property
    def has_two_classes(self):
        """Whether a classifier can be trained."""
        return len(self.codes) > 1 and self.codes.min() != self.codes.max()

    def plus(self, X, codes, names=None):
        """Return these rows and more; rows of arrays are copied only now and then."""
        codes = np.append(self.codes, np.asarray(codes, np.int32))
        if self.rows is None:
            return Labelled(X.copy(), codes, names)  # the caller may change X
        if type(self.rows) is not np.ndarray:
            return Labelled(stack_rows(self.rows, X), codes, names)
        X, known = to_array(X), self.rows
        if X.shape[1:] != known.shape[1:] or np.result_type(X, known) != known.dtype:
            return Labelled(stack_rows(known, X), codes, names)
        buffer = self._buffer_for(len(codes))
        buffer[len(known) : len(codes)] = X
        return Labelled(buffer[: len(codes)], codes, names, [buffer])

    def _buffer_for(self, n):
        """Return an array of these rows and room for n in all, to be written to."""
        with suppress(AttributeError, IndexError):
            # in one step: of two threads only one gets it
            buffer = self._room.pop()
            if n <= len(buffer):
                return buffer
        buffer = np.empty((n + n // 4, *self.rows.shape[1:]), self.rows.dtype)
        buffer[: len(self)] = self.rows
        return buffer

    def has_columns_of(self, X, names):
        """Whether rows, whose columns have these names, have the same columns."""
        if getattr(X, "shape", ())[1:] != getattr(self.rows, "shape", ())[1:]:
            return False
        return self.names is None or names is None or list(self.names) == list(names)

    def replaced(self, positions, X, names=None):
        """Return the same labels, with these rows at these positions."""
        if len(positions) == len(self):
            return Labelled(X, self.codes, names)
        order = np.arange(len(self))
        order[positions] = len(self) + np.arange(len(positions))
        return Labelled(take(stack_rows(self.rows, X), order), self.codes, names)

    def first(self, n):
        """Return the rows that were taught first."""
        return Labelled(take(self.rows, slice(n)), self.codes[:n], self.names)

    def recoded(self, positions):
        """Return the same rows with new codes for the old ones."""
        return replace(self, codes=positions[self.codes])

    def __getstate__(self):
        return {"rows": self.rows, "codes": self.codes, "names": self.names}


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
        if self.X is None or not is_same_data(self.X, X):
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
        keys, place = hash_rows(others).tolist(), (name, "and others")
        known = self._derived.get(place, (None, None))
        if known[0] != keys:  # those before are not kept
            known = self._derived[place] = keys, fit(stack_rows(self.X, others))
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


class TeachCall(NamedTuple):
    """What one call taught."""

    n_labels: int  # that were known after it
    declared: tuple  # the classes that somebody had named by then


def trained_if_possible(learner):
    """Return the learner, trained on all it knows, or as it was, with a warning."""
    trained = shallow_copy(learner)
    try:
        trained._train_if_needed()
    except Exception as error:
        warn_user(
            f"The labels are stored, but the estimator failed on them: "
            f"{type(error).__name__}: {error}",
            FitFailedWarning,
        )
        return learner
    return trained


def corrected(learner, identity, y):
    """Return the learner with these labels in place of its own, not trained on them.

    Parameters
    ----------
    learner : PoolClassifier
        A working copy.
    identity : ByValue or ById
        What the rows are recognised by; it was taught them.
    y : ndarray of shape (n_samples,)
        Their right labels.
    """
    learner._register_classes(None, y)
    codes = learner._labelled.codes.copy()
    new, positions = encode(y, learner.classes_), learner._ledger.places
    for row, entries in enumerate(learner._ledger.labelled(identity.keys())):
        if not len(entries):
            which = describe_row(row, identity.names())
            hint = "" if len(identity.names()) else RECOGNISED_BY_VALUES
            raise ValueError(f"{which} was never taught.{hint}")
        differ = positions[entries][codes[positions[entries]] != new[row]]
        codes[differ[:1]] = new[row]
    learner._labelled = replace(learner._labelled, codes=codes)
    restrict(learner, learner._declared_classes)
    learner._forget_model()
    return replay_training(learner) if learner._make_trainer().goes_on else learner


def train_on_values(learner, X):
    """Train a learner on the values that its labelled rows have in a pool.

    Parameters
    ----------
    learner : PoolClassifier
        A working copy, whose ledger has found its rows in the pool.
    X : rows
        The pool.
    """
    labelled, ledger = learner._labelled, learner._ledger
    if not len(labelled):
        return
    entries = ledger.taught
    found = ledger.found[entries]
    (inside,), (outside,) = np.nonzero(found >= 0), np.nonzero(found < 0)
    rows, is_other = take(X, found[inside]), np.ones(len(inside), dtype=bool)
    names = getattr(learner, "feature_names_in_", None)
    if labelled.has_columns_of(rows, names):
        is_other = hash_rows(rows) != hash_rows(take(labelled.rows, inside))
    elif len(outside):
        missing = plain_id(ledger.ids[entries[outside[0]]])
        raise ValueError(
            "X has other columns than before: all labelled rows must be in it, and "
            f"that with the id {missing!r} is not."
        )
    if not is_other.any():
        return
    if len(outside):
        warn_user(
            f"{np.count_nonzero(is_other)} labelled rows have other values than "
            f"before, and {len(outside)} are not in X: of those the model is trained "
            "on the values that were seen last. Pass the whole pool.",
        )
    others = take(rows, np.flatnonzero(is_other))
    learner._labelled = labelled.replaced(inside[is_other], others, names)
    learner._forget_model()
    if learner._make_trainer().goes_on:
        vars(learner).update(vars(replay_training(learner)))
    learner._train_if_needed()


def restrict(learner, declared):
    """Leave a learner the declared classes and those that have a label."""
    known, codes = learner.classes_, learner._labelled.codes
    is_kept = np.array([label in declared for label in known.tolist()])
    is_kept[codes] = True
    kept = np.flatnonzero(is_kept)
    codes = np.searchsorted(kept, codes).astype(np.int32)
    learner._labelled = replace(learner._labelled, codes=codes)
    learner.classes_ = known[kept]


def with_first_labels(learner, n_labels):
    """Return a learner that has no model, and knows the labels taught first only.

    Parameters
    ----------
    learner : PoolClassifier
        It has as many labels or more; stays as it is.
    n_labels : int
        How many.
    """
    calls = [call for call in learner._teach_calls if call.n_labels >= n_labels]
    learner = shallow_copy(learner)
    learner._labelled = learner._labelled.first(n_labels)
    learner._ledger = learner._ledger.first(n_labels)
    learner._pool, learner._n_trained = learner._pool.before(n_labels), 0
    learner._trained = None
    restrict(learner, calls[0].declared)
    return learner


def replay_training(learner):
    """Return a learner that was trained after each call that taught it, but the last.

    As then, a call on whose labels the estimator fails trains nothing.
    """
    labelled, classes, pool = learner._labelled, learner.classes_, learner._pool
    for call in learner._teach_calls[:-1]:
        n, before = call.n_labels, learner
        learner = shallow_copy(before)
        learner._labelled, learner.classes_ = labelled.first(n), classes
        learner._pool = pool.before(n)
        restrict(learner, call.declared)
        try:
            learner._train_if_needed()
        except Exception:  # whatever it is, it was a warning then
            learner = before
    learner._labelled, learner.classes_, learner._pool = labelled, classes, pool
    return learner
