"""Which row is which: rows are recognised by their ids, or else by their values."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from numbers import Integral
from typing import Any, ClassVar, NamedTuple
from weakref import ref

import numpy as np

from ._containers import hash_rows, n_rows

#: So many rows, spread over a pool, tell it from others.
SPREAD = 256

#: What rows are recognised by.
VALUES, NUMBERS, TEXTS = "values", "whole numbers", "texts"

#: Whole numbers to Python, but no ids.
OTHERS = bool, np.timedelta64


@dataclass(frozen=True)
class ByValue:
    """Rows that are recognised by what they hold.

    Parameters
    ----------
    X : rows
        All of them.
    derived : callable, optional
        ``derived(name, make)`` returns ``make(X)``, made once.
    """

    X: Any
    derived: Any = None
    kind: ClassVar[str] = VALUES

    def __len__(self):
        return n_rows(self.X)

    def keys(self, rows=None):
        """Return the keys of the rows with these numbers; None: of all rows."""
        if self.derived is None:
            return hash_rows(self.X, rows)
        keys = self.derived("keys", hash_rows)
        return keys if rows is None else keys[rows]

    def names(self, rows=None):
        """Return the ids of rows: none."""
        return np.empty(0, dtype=object)

    def part(self, X, rows=None):
        """Return the same for X, in memory: these rows, or all of them."""
        return ByValue(X)

    @cached_property
    def fingerprint(self):
        """What tells these rows, as a whole, from others."""
        n = len(self)
        spread = np.unique(np.linspace(0, n - 1, min(SPREAD, n)).astype(np.int64))
        dtypes = getattr(self.X, "dtypes", getattr(self.X, "dtype", None))
        kind = f"{type(self.X).__name__} of {np.atleast_1d(dtypes).tolist()}"
        return kind, n, self.keys(spread).tobytes()


@dataclass(frozen=True)
class ById:
    """Rows that are recognised by their ids, which are all different.

    Parameters
    ----------
    ids : ndarray of int64 or object of shape (n_samples,)
        Whole numbers or texts.
    hashes : ndarray of uint64 of shape (n_samples,)
        Equal for equal ids.
    kind : str
        `NUMBERS` or `TEXTS`.
    """

    ids: np.ndarray
    hashes: np.ndarray
    kind: str

    def __len__(self):
        return len(self.ids)

    def keys(self, rows=None):
        """Return the keys of the rows with these numbers; None: of all rows."""
        return self.hashes if rows is None else self.hashes[rows]

    def names(self, rows=None):
        """Return the ids of rows."""
        return self.ids if rows is None else self.ids[rows]

    def part(self, X, rows=None):
        """Return the same for these rows; None: for all of them."""
        if rows is None:
            return self
        return ById(self.ids[rows], self.hashes[rows], self.kind)

    @cached_property
    def fingerprint(self):
        """What tells these rows, as a whole, from others."""
        digest = blake2b(self.hashes.tobytes(), digest_size=16).digest()
        return self.kind, len(self), digest


class CheckedIds(NamedTuple):
    """The ids of the last call: those that come again are not checked again."""

    identity: ById
    computed_from: Any = None  # the dask object, weakly; it never changes

    @classmethod
    def of(cls, ids, n, before=None):
        """Return the ids of n rows, or raise for what is none.

        Parameters
        ----------
        ids : array-like of int or of str of shape (n_samples,)
            As the user gave them.
        n : int
            How many there should be.
        before : CheckedIds, optional
            Those of the call before.
        """
        origin = None
        if hasattr(ids, "compute"):
            if before and before.computed_from and before.computed_from() is ids:
                return check_number_of(before, n)
            origin, ids = ref(ids), ids.compute()
        ids, kind = plain_ids(ids)
        if before and len(ids) == n and same(ids, before.identity.ids):
            return before._replace(computed_from=origin)
        hashes = hashes_of_ids(ids)
        found = check_number_of(cls(ById(ids, hashes, kind), origin), n)
        check_different(ids, hashes)
        return found


def check_same_kind(identity, kind):
    """Refuse rows that are not recognised by what they were recognised by before."""
    if kind in (None, identity.kind):
        return
    if not len(identity) and VALUES not in (kind, identity.kind):
        return  # no ids are of either kind
    if identity.kind == VALUES:
        raise ValueError(
            "ids are missing: rows have had ids since the first call, and need them "
            "in every call."
        )
    if kind == VALUES:
        raise ValueError(
            "ids are given, but rows have been recognised by their values since the "
            "first call: go on without ids, or begin with a clone of the learner."
        )
    raise ValueError(
        f"ids are {identity.kind}, such as {plain_id(identity.ids[0])!r}, and have "
        f"been {kind} since the first call."
    )


def identify(learner, X, ids, *, is_pool=False):
    """Return what rows are recognised by, as in a learner's calls before.

    Parameters
    ----------
    learner : learner
        A working copy; it keeps the ids of a pool.
    X : rows
        All of them.
    ids : array-like or None
        As the user gave them.
    is_pool : bool
        Whether the rows may come again.
    """
    identity = ByValue(X)
    if ids is not None:
        checked = CheckedIds.of(ids, n_rows(X), learner._ids if is_pool else None)
        identity = checked.identity
        if is_pool:
            learner._ids = checked
    check_same_kind(identity, learner._known_by)
    return identity


def are_none(ids):
    """Whether there is no id, as for no rows."""
    return getattr(ids, "shape", None) == (0,) or (isinstance(ids, list) and not ids)


def check_number_of(checked, n):
    """Return checked ids if there are as many as rows."""
    if len(checked.identity) != n:
        raise ValueError(f"There are {len(checked.identity)} ids for {n} rows of X.")
    return checked


def plain_ids(ids):
    """Return ids as an array that is the caller's no more, and of what kind they are.

    Whole numbers are int64, if they fit; others, and texts, are objects.
    """
    if isinstance(ids, str | bytes) or not hasattr(ids, "__len__"):
        raise TypeError(f"ids must be one for each row of X, got {ids!r}.")
    if np.ma.is_masked(ids):
        raise TypeError("ids must be whole numbers or texts, got a masked one.")
    if not isinstance(ids, list | tuple | range):
        ids = np.asarray(ids)
        if ids.ndim != 1:
            raise ValueError(f"ids must be 1-D, got an array of shape {ids.shape}.")
        if ids.dtype.kind == "i" or (
            ids.dtype.kind == "u" and ids.max(initial=0) < 2**63
        ):
            return ids.astype(np.int64), NUMBERS
    values = ids if isinstance(ids, list | tuple | range) else ids.tolist()
    if ids is not values and ids.dtype.kind in "mM":
        values = [*ids]  # tolist makes whole numbers of some dates
    kinds = {kind: kind_of_id(kind) for kind in {*map(type, values)}}
    if None in kinds.values():
        wrong = next(i for i, value in enumerate(values) if not kinds[type(value)])
        raise TypeError(
            f"ids must be whole numbers or texts, got {values[wrong]!r} at position "
            f"{wrong}."
        )
    kind = kinds[type(values[0])] if len(values) else NUMBERS
    if {*kinds.values()} - {kind}:
        wrong = next(i for i, value in enumerate(values) if kinds[type(value)] != kind)
        raise ValueError(
            f"ids must be all whole numbers or all texts, got {values[0]!r} at "
            f"position 0 and {values[wrong]!r} at position {wrong}."
        )
    if kind == NUMBERS:
        try:
            return np.array(values, dtype=np.int64), kind
        except OverflowError:
            values = [*map(int, values)]
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out, kind


def kind_of_id(kind):
    """Return what ids of this type are; None for what is no id."""
    if issubclass(kind, str):
        return TEXTS
    is_number = issubclass(kind, Integral)
    return NUMBERS if is_number and not issubclass(kind, OTHERS) else None


def same(ids, others):
    """Whether two arrays hold the same ids, in the same order."""
    if ids.dtype != others.dtype:
        return False
    if ids.dtype == object:
        return ids.tolist() == others.tolist()  # compares what is not identical only
    return np.array_equal(ids, others)


def hashes_of_ids(ids):
    """Return hashes: of whole numbers of 64 bits these bits, else of the text."""
    if ids.dtype != object:
        return ids.view(np.uint64)
    return np.fromiter(map(hash_of_id, ids.tolist()), np.uint64, len(ids))


def hash_of_id(id):
    """Return the hash of a text, or of a whole number as among larger ones."""
    if isinstance(id, str):
        text = "'" + id
    elif -(2**63) <= id < 2**63:
        return id % 2**64
    else:
        text = str(id)
    digest = blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def check_different(ids, hashes):
    """Refuse ids of which one comes twice."""
    if ids.dtype != object and (ids[1:] > ids[:-1]).all():
        return
    order = np.argsort(hashes, kind="stable")
    (again,) = np.nonzero(hashes[order[1:]] == hashes[order[:-1]])
    if len(again):
        at = again[np.argmin(order[again + 1])]
        first, second = order[at : at + 2]
        raise ValueError(
            f"ids must all be different, got {plain_id(ids[first])!r} at positions "
            f"{first} and {second}."
        )


def plain_id(id):
    """Return an id without a type of NumPy's, as messages name it."""
    return id.item() if isinstance(id, np.generic) else id
