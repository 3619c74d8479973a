"""Identity of rows: rows are recognised by their ids, or by their exact values."""

from dataclasses import dataclass
from hashlib import blake2b
from numbers import Integral
from typing import Any, ClassVar
from weakref import ref

import numpy as np

from ..utils._compat import cached_property
from ._containers import hash_rows, n_rows

#: Number of rows, spread over a pool, whose values distinguish it from other pools.
SPREAD = 256

#: Kinds of identity.
VALUES, NUMBERS, TEXTS = "values", "whole numbers", "texts"

#: Types that Python counts as whole numbers, but that are not ids.
NO_IDS = bool, np.timedelta64


@dataclass(frozen=True)
class ByValue:
    """Rows that are recognised by their exact values.

    Parameters
    ----------
    X : rows
        All rows.
    derived : callable, optional
        ``derived(name, make)`` returns ``make(X)`` and remembers it.
    """

    X: Any
    derived: Any = None
    kind: ClassVar[str] = VALUES

    def __len__(self):
        return n_rows(self.X)

    def keys(self, rows=None):
        """Return the keys of the rows with the given numbers; None: of all rows.

        Rows are recognised by their keys, which are integers of 64 bits.
        """
        if self.derived is None:
            return hash_rows(self.X, rows)
        keys = self.derived("keys", hash_rows)
        return keys if rows is None else keys[rows]

    def names(self, rows=None):
        """Return the ids of the rows: an empty array."""
        return np.empty(0, dtype=object)

    def part(self, X, rows=None):
        """Return the identity of the given rows, whose values are in X."""
        return ByValue(X)

    @cached_property
    def fingerprint(self):
        """Return values that are equal for equal pools, and rarely for others."""
        n = len(self)
        spread = np.unique(np.linspace(0, n - 1, min(SPREAD, n)).astype(np.int64))
        dtypes = getattr(self.X, "dtypes", getattr(self.X, "dtype", None))
        kind = f"{type(self.X).__name__} of {np.atleast_1d(dtypes).tolist()}"
        return kind, n, self.keys(spread).tobytes()


@dataclass(frozen=True)
class ById:
    """Rows that are recognised by their ids, which are unique.

    Parameters
    ----------
    ids : ndarray of int64 or object of shape (n_samples,)
        Whole numbers or texts.
    hashes : ndarray of uint64 of shape (n_samples,)
        Hashes of the ids.
    kind : str
        `NUMBERS` or `TEXTS`.
    computed_from : weakref, optional
        The dask object that the ids come from; such an object never changes.
    """

    ids: np.ndarray
    hashes: np.ndarray
    kind: str
    computed_from: Any = None

    @classmethod
    def of(cls, ids, n_rows, before=None):
        """Return the identity of rows with the given ids, or raise if they are wrong.

        Parameters
        ----------
        ids : array-like of int or of str of shape (n_samples,)
            Ids as the user passed them.
        n_rows : int
            Number of rows.
        before : ById, optional
            Ids of the previous call. If they are the same, they are not checked again.
        """
        origin = None
        if hasattr(ids, "compute"):
            if before and before.computed_from and before.computed_from() is ids:
                before.check_number(n_rows)
                return before
            origin, ids = ref(ids), ids.compute()
        ids, kind = plain_ids(ids)
        if before and len(ids) == n_rows and are_same_ids(ids, before.ids):
            return cls(before.ids, before.hashes, before.kind, origin)
        found = cls(ids, hashes_of_ids(ids), kind, origin)
        found.check_number(n_rows)
        check_unique(ids, found.hashes)
        return found

    def __len__(self):
        return len(self.ids)

    def keys(self, rows=None):
        """Return the keys of the rows with the given numbers; None: of all rows."""
        return self.hashes if rows is None else self.hashes[rows]

    def names(self, rows=None):
        """Return the ids of the rows with the given numbers; None: of all rows."""
        return self.ids if rows is None else self.ids[rows]

    def part(self, X, rows=None):
        """Return the identity of the given rows; None: of all rows."""
        if rows is None:
            return self
        return ById(self.ids[rows], self.hashes[rows], self.kind)

    @cached_property
    def fingerprint(self):
        """Return values that are equal for equal pools, and rarely for others."""
        digest = blake2b(self.hashes.tobytes(), digest_size=16).digest()
        return self.kind, len(self), digest

    def check_number(self, n_rows):
        """Raise unless there is one id for each row."""
        if len(self) != n_rows:
            raise ValueError(
                f"ids must have one id for each row of X: got {len(self)} ids for "
                f"{n_rows} rows."
            )


def identify(learner, X, ids, *, is_pool=False):
    """Return the identity of rows, of the kind that the learner has used before.

    Parameters
    ----------
    learner : learner
        A working copy. It remembers the ids of a pool.
    X : rows
        All rows.
    ids : array-like or None
        Ids as the user passed them.
    is_pool : bool
        Whether the same rows may come again in the next call.
    """
    identity = ByValue(X)
    if ids is not None:
        identity = ById.of(ids, n_rows(X), learner._ids if is_pool else None)
        if is_pool:
            learner._ids = identity
    check_same_kind(identity, learner._known_by)
    return identity


def check_same_kind(identity, kind):
    """Raise if rows were recognised in another way in earlier calls."""
    if kind in (None, identity.kind):
        return
    if not len(identity) and VALUES not in (kind, identity.kind):
        return  # an empty list of ids has no kind
    if identity.kind == VALUES:
        raise ValueError(
            "ids are missing: the first call had ids, so every call needs them."
        )
    if kind == VALUES:
        raise ValueError(
            "ids are given, but the first call had none, and rows are recognised by "
            "their values. Omit the ids, or start with a clone of the learner."
        )
    raise ValueError(
        f"ids must be {kind}, as in the first call, got {identity.kind}, for example "
        f"{plain_id(identity.ids[0])!r}."
    )


def plain_ids(ids):
    """Return a copy of the ids as an array, and their kind.

    Whole numbers become int64 if they fit; larger numbers and texts become objects.
    """
    if isinstance(ids, str | bytes) or not hasattr(ids, "__len__"):
        raise TypeError(f"ids must be a list with an id for each row, got {ids!r}.")
    if np.ma.is_masked(ids):
        raise TypeError("ids must be whole numbers or texts, got a masked id.")
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
        values = [*ids]  # tolist turns some dates into whole numbers
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
    """Return the kind of ids of a type, or None if it is not a type of ids."""
    if issubclass(kind, str):
        return TEXTS
    is_number = issubclass(kind, Integral)
    return NUMBERS if is_number and not issubclass(kind, NO_IDS) else None


def are_same_ids(ids, others):
    """Return True if two arrays hold the same ids in the same order."""
    if ids.dtype != others.dtype:
        return False
    if ids.dtype == object:
        return ids.tolist() == others.tolist()  # does not compare identical objects
    return np.array_equal(ids, others)


def hashes_of_ids(ids):
    """Return the hashes of ids; the hash of an int64 is its bits."""
    if ids.dtype != object:
        return ids.view(np.uint64)
    return np.fromiter(map(hash_of_id, ids.tolist()), np.uint64, len(ids))


def hash_of_id(id):
    """Return the hash of a text, or of a whole number of any size."""
    if isinstance(id, str):
        text = "'" + id
    elif -(2**63) <= id < 2**63:
        return id % 2**64
    else:
        text = str(id)
    digest = blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def check_unique(ids, hashes):
    """Raise if an id occurs twice."""
    if ids.dtype != object and (ids[1:] > ids[:-1]).all():
        return
    order = np.argsort(hashes, kind="stable")
    (again,) = np.nonzero(hashes[order[1:]] == hashes[order[:-1]])
    if len(again):
        at = again[np.argmin(order[again + 1])]
        first, second = order[at : at + 2]
        raise ValueError(
            f"ids must be unique, got {plain_id(ids[first])!r} at positions {first} "
            f"and {second}."
        )


def plain_id(id):
    """Return an id as a Python object, as messages show it."""
    return id.item() if isinstance(id, np.generic) else id
