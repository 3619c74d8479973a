"""What a session was begun with, as JSON, and what differs when it is opened again."""

import base64
from collections import Counter
from dataclasses import fields, is_dataclass
from hashlib import sha256
from inspect import isclass, isroutine
from numbers import Integral, Real

import numpy as np
import scipy
import sklearn
from sklearn.base import clone

import sklearn_activelearn

from ..sources._containers import hash_rows, is_frame
from ._journal import to_json


def versions():
    """Return the versions on which the numbers of a learner depend."""
    modules = (sklearn_activelearn, sklearn, np, scipy)
    return {module.__name__: module.__version__ for module in modules}


def described(value):
    """Return a parameter as JSON: an object by its class, and parameters if it has any.

    Raises
    ------
    ValueError
        For a RandomState or Generator, which is in another state each time.
    """
    if isinstance(value, np.random.RandomState | np.random.Generator):
        raise ValueError(
            f"random_state must be a whole number or None, got {value!r}: a session "
            "is replayed from its seeds."
        )
    if hasattr(value, "get_params") and not isclass(value):
        params = value.get_params(deep=False)
        own = {name: described(param) for name, param in params.items()}
        return {"class": qualified_name(type(value)), "params": own}
    if is_dataclass(value) and not isclass(value):  # a stopping rule
        own = {f.name: getattr(value, f.name) for f in fields(value) if f.compare}
        return {"class": qualified_name(type(value)), "params": described(own)}
    if isinstance(value, dict):
        return {str(key): described(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [described(item) for item in value]
    if isinstance(value, np.ndarray):
        return described(value.tolist())
    if value is None or isinstance(value, str | bool | np.bool_):
        return value if not isinstance(value, np.bool_) else bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if np.isfinite(value) else repr(float(value))
    return qualified_name(value if isclass(value) or isroutine(value) else type(value))


def qualified_name(item):
    """Return the qualified name of a class or function."""
    return f"{item.__module__}.{item.__qualname__}"


def drawn_seed():
    """Return a seed for a learner that has none."""
    return int(np.random.default_rng().integers(2**31))


def drawn_seeds(learner):
    """Return a number for each seed of a learner that is None, nested ones too."""
    names = sorted(
        name
        for name, value in learner.get_params().items()
        if name.split("__")[-1] == "random_state" and value is None
    )
    seeds = np.random.default_rng().integers(2**31, size=len(names)).tolist()
    return dict(zip(names, seeds, strict=True))


def seeded_clone(learner, seeds, budget):
    """Return a clone to work with."""
    learner = clone(learner).set_params(**seeds)
    return learner.set_params(budget=budget)


def fingerprint(pool, items, ids):
    """Return what tells a pool from another one: hashes of its rows and of its ids.

    Those of the items count what differs: where numbers are made of all items, one more
    item changes the numbers of all rows.
    """
    return {
        "n_rows": len(ids),
        "rows": encoded_hashes(pool),
        "items": None if items is None else encoded_hashes(items),
        "columns": [str(name) for name in pool.columns] if has_columns(pool) else None,
        "ids": ids_hash(ids),
    }


def ids_hash(ids):
    """Return a hash of ids in their order."""
    return sha256(to_json(ids).encode()).hexdigest()


def numbered_from(pool):
    """Return the first id of a pool whose ids are the numbers of its rows, or None.

    Parameters
    ----------
    pool : dict
        Its fingerprint.
    """
    n_rows = pool["n_rows"]
    starts = (0, 1)
    same = (s for s in starts if pool["ids"] == ids_hash([*range(s, s + n_rows)]))
    return next(same, None)


def shown_hashes(pool, other):
    """Return the hashes of what is shown of the rows of two pools."""
    name = "items" if pool["items"] and other["items"] else "rows"
    return [
        np.frombuffer(base64.b64decode(each[name]), "<u8").tolist()
        for each in (pool, other)
    ]


def encoded_hashes(rows):
    """Return the hashes of rows as text."""
    return base64.b64encode(hash_rows(rows).astype("<u8").tobytes()).decode()


def has_columns(pool):
    """Whether the columns of a pool have names."""
    return is_frame(pool) and pool.ndim == 2


def first_hashes(text, n):
    """Return the hashes of the first rows, of those that `encoded_hashes` returned."""
    return base64.b64decode(text)[: 8 * n]


def pool_changes(before, now, ids):
    """Return what has happened to a pool.

    Parameters
    ----------
    before, now : dict
        Fingerprints.
    ids : list
        Of the rows now.

    Returns
    -------
    words : set of str or None
        "pool" if rows have come after the others, "features" if the numbers of the
        others are new; None for anything else.
    """
    n = before["n_rows"]
    if all(before[name] == now[name] for name in ("rows", "columns", "ids")):
        return set()
    first_ids = now["ids"] if now["n_rows"] == n else ids_hash(ids[:n])
    if first_ids != before["ids"]:
        return None
    is_same = before["columns"] == now["columns"] and (
        first_hashes(before["rows"], n) == first_hashes(now["rows"], n)
    )
    words = {"pool"} if now["n_rows"] > n else set()
    return words if is_same else words | {"features"}


def pool_difference(before, now):
    """Return in a few words how a pool differs from what it was."""
    seen = "items" if before["items"] and now["items"] else "rows"
    old, new = (
        Counter(np.frombuffer(base64.b64decode(each[seen]), "<u8").tolist())
        for each in (before, now)
    )
    n_missing, n_new = (old - new).total(), (new - old).total()
    if n_missing or n_new:
        differs = f"{n_missing} of its {before['n_rows']} rows are missing"
        return f"{differs} and {n_new} are new"
    if before[seen] != now[seen]:
        return "its rows are in another order"
    if before["rows"] != now["rows"]:
        return "the numbers made of its rows are others"
    what = "ids" if before["ids"] != now["ids"] else "columns"
    return f"its rows have other {what}"


#: What parameters did, without a name, in version 0.1.0, whose files lack them.
OLD_DEFAULTS = {
    "explore": 0.0,
    "initial": "herding",
    "one_class_limit": 1_000,
    "radius": "global",
    "solver": "exact",
}


def differences(before, now, name="", shared=False):
    """Yield a few words for each thing that differs between two descriptions.

    With `shared`, what only one of them has is no difference: another version of a
    package may know more parameters.
    """
    if isinstance(before, dict) and isinstance(now, dict):
        was, is_now = before.get("class"), now.get("class")
        if was != is_now:  # whose parameters are others anyway
            yield f"{name} was {was!r} and is now {is_now!r}"
            return
        keys = before.keys() & now.keys() if shared else before.keys() | now.keys()
        for key in sorted(keys):
            inner = name if key in ("class", "params") else f"{name}.{key}".strip(".")
            was = before.get(key, OLD_DEFAULTS.get(key))
            yield from differences(was, now.get(key), inner, shared)
    elif before != now:
        yield f"{name} was {before!r} and is now {now!r}"
