"""Settings of a session as JSON, checks of names, and how settings differ."""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import fields, is_dataclass
from hashlib import sha256
from inspect import isclass, isroutine
from numbers import Integral, Real

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..base import check_classes
from ..sources import hash_rows, is_frame, is_polars
from ._ids import check_text
from .front_ends._keys import TAG_KEYS
from .storage._labels import label_kind
from .storage._schema import to_json

#: Longer values of parameters are not printed.
LONGEST = 500


def describe(value):
    """Return a parameter as JSON; an object by its class and its parameters.

    Raises
    ------
    ValueError
        For a RandomState or Generator, whose state differs each time.
    """
    if isinstance(value, np.random.RandomState | np.random.Generator):
        raise ValueError(
            f"random_state must be an integer or None, got {value!r}: a session "
            "rebuilds its learner from the seeds."
        )
    if hasattr(value, "get_params") and not isclass(value):
        params = value.get_params(deep=False)
        own = {name: describe(param) for name, param in params.items()}
        return {"class": qualified_name(type(value)), "params": own}
    if is_dataclass(value) and not isclass(value):  # a stopping rule
        own = {f.name: getattr(value, f.name) for f in fields(value) if f.compare}
        return {"class": qualified_name(type(value)), "params": describe(own)}
    if isinstance(value, dict):
        return {str(key): describe(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [describe(item) for item in value]
    if isinstance(value, np.ndarray):
        return describe(value.tolist())
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if np.isfinite(value) else repr(float(value))
    return qualified_name(value if isclass(value) or isroutine(value) else type(value))


def qualified_name(item):
    """Return the name of a class or function with its module."""
    return f"{item.__module__}.{item.__qualname__}"


def draw_seed():
    """Return a random seed, from NumPy's global generator like every learner's."""
    return int(check_random_state(None).randint(2**31 - 1))


def draw_learner_seeds(learner):
    """Return a random seed for each ``random_state`` that is None, also nested ones."""
    names = sorted(
        name
        for name, value in learner.get_params().items()
        if name.split("__")[-1] == "random_state" and value is None
    )
    return {name: draw_seed() for name in names}


def describe_learner(learner):
    """Return a learner as JSON, without its budget, which is stored as a number."""
    description = describe(learner)
    del description["params"]["budget"]
    return description


def seeded_clone(learner, seeds, budget):
    """Return a clone with these seeds and this budget."""
    return clone(learner).set_params(**seeds).set_params(budget=budget)


def plain_classes(classes):
    """Return classes as a list of plain values in the given order, None for None."""
    if classes is None:
        return None
    check_classes(classes)
    if len({label_kind(each) for each in np.asarray(classes, dtype=object)}) > 1:
        raise ValueError(
            f"classes must all be texts or all be numbers, got {classes!r}."
        )
    classes = np.asarray(classes).tolist()
    if len(set(classes)) < len(classes):
        raise ValueError(f"classes has a label twice: {classes}. Remove one of them.")
    return classes


def check_label_names(labels):
    """Return the names of the labels of which a row may have several as a list."""
    if not isinstance(labels, Iterable) or isinstance(labels, str | Set | Mapping):
        raise ValueError(
            "labels must be a list of texts, as in labels=['late', 'rude'], got "
            f"{labels!r}."
        )
    labels = list(labels)
    if not all(isinstance(each, str) and each.strip() for each in labels):
        raise ValueError(f"labels must be texts that are not empty, got {labels}.")
    if len({*labels}) < len(labels):
        raise ValueError(f"labels has a name twice: {labels}. Remove one of them.")
    if len(labels) < 2:
        raise ValueError(
            f"labels must name at least two labels, got {labels}. If there is only one "
            "question about a row, pass its answers: classes=['yes', 'no']."
        )
    return labels


def read_renamed(change, word):
    """Return a dict of old to new names from `change`; raise an error for others."""
    renamed = change.get(word) or {}
    if not isinstance(renamed, Mapping):
        raise TypeError(
            f"change[{word!r}] must be a dict of old to new names, got {renamed!r}."
        )
    renamed = {
        old: new.item() if isinstance(new, np.generic) else new
        for old, new in renamed.items()
    }
    for new in renamed.values():
        if not isinstance(new, str | Real):
            raise TypeError(
                f"change[{word!r}] must have texts or numbers as new names, got "
                f"{new!r}."
            )
        if isinstance(new, str):
            check_text(new)
    if word == "tags":
        check_tag_names(dict.fromkeys(renamed.values()))
    return renamed


def check_tag_names(tags):
    """Return the names of tags as a list, None for None."""
    if tags is None:
        return None
    if isinstance(tags, str) or not isinstance(tags, Iterable):
        raise ValueError(f"tags must be a list of texts, got {tags!r}.")
    tags = list(tags)
    if not all(isinstance(tag, str) and tag == tag.strip() != "" for tag in tags):
        raise ValueError(
            "tags must be texts that are not empty, without spaces at their ends, got "
            f"{tags}."
        )
    if len({*tags}) < len(tags):
        raise ValueError(f"tags has a name twice: {tags}. Remove one of them.")
    if len(tags) > len(TAG_KEYS):
        raise ValueError(f"There are keys for {len(TAG_KEYS)} tags, got {len(tags)}.")
    return tags


# --- pools


def fingerprint(pool, items, ids):
    """Return hashes of the rows, the items and the ids of a pool."""
    has_columns = is_polars(pool) or (is_frame(pool) and pool.ndim == 2)
    return {
        "n_rows": len(ids),
        "rows": encode_hashes(pool),
        "items": None if items is None else encode_hashes(items),
        "columns": [str(name) for name in pool.columns] if has_columns else None,
        "ids": hash_ids(ids),
    }


def hash_ids(ids):
    """Return a hash of ids in their order."""
    return sha256(to_json(ids).encode()).hexdigest()


def encode_hashes(rows):
    """Return the hashes of rows as text, 16 digits for each row."""
    return hash_rows(rows).astype(">u8").tobytes().hex()


def hashes_of_rows(pool, other):
    """Return the hashes of what is shown of the rows of two pools, as two lists."""
    name = "items" if pool["items"] and other["items"] else "rows"
    return [
        [each[name][start : start + 16] for start in range(0, len(each[name]), 16)]
        for each in (pool, other)
    ]


def hold_in_other_order(before, now):
    """Return True if a pool has the items of an earlier one in another order."""
    if not (before["items"] and now["items"]):
        return False
    shown, shown_now = hashes_of_rows(before, now)
    shown_now = shown_now[: len(shown)]
    return shown != shown_now and sorted(shown) == sorted(shown_now)


def first_number(pool):
    """Return the first id if the ids of a pool are the row numbers, else None."""
    n_rows = pool["n_rows"]
    for start in (0, 1):
        if pool["ids"] == hash_ids([*range(start, start + n_rows)]):
            return start
    return None


def find_pool_changes(before, now, ids):
    """Return in which ways a pool differs from an earlier one.

    Parameters
    ----------
    before, now : dict
        Fingerprints.
    ids : list
        Ids of the rows now.

    Returns
    -------
    words : set of str or None
        "pool" if rows were added at the end, "features" if the earlier rows have other
        values; None if the difference is of another kind.
    """
    n = before["n_rows"]
    if all(before[name] == now[name] for name in ("rows", "columns", "ids")):
        return set()
    first_ids = now["ids"] if now["n_rows"] == n else hash_ids(ids[:n])
    if first_ids != before["ids"]:
        return None
    is_same = (before["columns"], before["rows"]) == (
        now["columns"],
        now["rows"][: 16 * n],
    )
    words = {"pool"} if now["n_rows"] > n else set()
    return words if is_same else words | {"features"}


def describe_pool_change(before, now):
    """Return in a few words how a pool differs from an earlier one."""
    old, new = hashes_of_rows(before, now)
    n_missing = (Counter(old) - Counter(new)).total()
    n_new = (Counter(new) - Counter(old)).total()
    if n_missing > len(old) / 2:  # rows without content are alike in all columns
        return (
            f"{len(old) - n_missing or 'none'} of its {len(old)} rows are among the "
            f"{len(new)} rows, as if another column or another file were shown"
        )
    if n_missing or n_new:
        return f"{n_missing} of its {len(old)} rows are missing and {n_new} are new"
    if old != new:
        return "its rows are in another order"
    if before["rows"] != now["rows"]:
        return "its rows have other features"
    return f"its rows have other {'ids' if before['ids'] != now['ids'] else 'columns'}"


def find_differences(before, now, name=""):
    """Yield a few words for each difference between two descriptions.

    A parameter that only one of them has is no difference: another version of a package
    may have other parameters.
    """
    if isinstance(before, dict) and isinstance(now, dict):
        was, is_now = before.get("class"), now.get("class")
        params = before.get("params"), now.get("params")
        if was != is_now:  # the parameters of another class mean something else
            yield f"{name} was {was!r} and is now {is_now!r}"
        elif was is not None and all(isinstance(each, dict) for each in params):
            for key in sorted(params[0].keys() & params[1].keys()):
                pair = params[0][key], params[1][key]
                yield from find_differences(*pair, f"{name}.{key}")
        else:
            for key in sorted(before.keys() | now.keys()):
                pair = before.get(key), now.get(key)
                yield from find_differences(*pair, f"{name}.{key}".strip("."))
    elif before != now:
        texts = repr(before), repr(now)
        if max(map(len, texts)) > LONGEST:  # such as a label for each row
            yield f"{name} has other values"
        else:
            yield f"{name} was {texts[0]} and is now {texts[1]}"
