"""What a pool learner has asked for and was taught, as JSON, and the way back."""

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError

from .._compat import available_if
from .._labels import check_not_missing, encode
from .._transaction import begin_transaction, forget_fitted
from .._typing import LearnerT, RowsLike
from .._validation import is_count, is_whole
from ..sources._containers import (
    hash_rows,
    n_rows,
    take,
)
from ..sources._identity import (
    VALUES,
    ById,
    check_same_kind,
    hashes_of_ids,
    identify,
    plain_id,
    plain_ids,
)
from ._ledger import OUT, SKIPPED, Ledger, Pool, TeachCall, with_first_labels
from .stopping._base import Remembered, find_rules, rule_name

if TYPE_CHECKING:
    from ._base import PoolClassifier

#: What a record has for each row.
COLUMNS = ("rows", "asked", "probabilities", "purposes")


def follows_from_labels(learner):
    """Whether what a learner asks for and predicts follows from its labels alone.

    That is, from the rows that were asked for and the labels that came, in their order,
    whenever it was trained in between.
    """
    return learner._follows_from_labels()


@available_if(follows_from_labels)
def record(self: "PoolClassifier") -> dict[str, Any]:
    """Return what it has asked for and was taught, without values and labels.

    It is JSON: keep it beside the rows, their ids if they have any, and the labels, and
    `restore` a learner with the same parameters from them. Learners whose models depend
    on the models before them or on rows without labels have no record.

    Returns
    -------
    record : dict
        ``rows``, ``asked``, ``probabilities``, ``purposes``, ``keys`` and ``ids`` have
        an item for each row that was asked for or taught, in this order: its number in
        the pool (None if nobody asked for it), whether it was asked for, with which
        probability, for what, and hashes of its values or, where rows have ids, its id
        (the other one of the two is None). ``taught`` are the positions of those that
        have labels, in the order in which they were taught, ``skipped`` of those that
        were skipped. The others are counts, classes, and what the stopping rules
        remember.

    Raises
    ------
    NotFittedError
        If it has not seen a pool.
    TypeError
        If a stopping rule remembers something that JSON does not have.
    """
    if not hasattr(self, "_ledger"):
        raise NotFittedError(f"This {type(self).__name__} has seen no rows yet.")
    have_ids = self._known_by not in (None, VALUES)
    ledger, classes = self._ledger, getattr(self, "classes_", None)
    asked = (ledger.rows >= 0).tolist()
    return {
        "seed": self._seed,
        "rows": [row if row >= 0 else None for row in ledger.rows.tolist()],
        "asked": asked,
        "probabilities": ledger.probabilities.tolist(),
        "purposes": ledger.purposes.tolist(),
        "keys": None if have_ids else ledger.keys.tolist(),
        "ids": [plain_id(id) for id in ledger.ids] if have_ids else None,
        "taught": ledger.taught.tolist(),
        "skipped": np.flatnonzero(ledger.places == SKIPPED).tolist(),
        "calls": [[call.n_labels, list(call.declared)] for call in self._teach_calls],
        "classes": None if classes is None else classes.tolist(),
        "dtype": None if classes is None else classes.dtype.str,
        "declared": list(self._declared_classes),
        "may_grow": self._may_grow,
        "queried": self.queried_indices_.tolist(),
        "n_queries": self.n_queries_,
        "n_trained": self._n_trained,
        **progress_record(self),
    }


def progress_record(learner):
    """Return the part of a record that a query changes, but for the rows."""
    remembered = learner._stopping_memory or Remembered()
    for rule, memory in zip(remembered.rules, remembered.memory, strict=True):
        try:
            check_json(memory)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"The stopping rule {rule_name(rule)} remembers what JSON does not "
                f"have: {error}."
            ) from None
    return {
        "n_rounds": learner._n_rounds,
        "n_offered": int(learner._n_offered),
        "stop_reason": learner.stop_reason_,
        "has_stopped": learner._has_stopped,
        "stopping": list(remembered.memory),
    }


def check_json(value):
    """Raise for what JSON does not have, or has in another form: keys but texts."""
    json.dumps(value, allow_nan=False)
    parts = [value]
    for part in parts:  # grows
        if isinstance(part, dict):
            if others := [key for key in part if not isinstance(key, str)]:
                raise TypeError(f"the key {others[0]!r}, which is no text")
            parts += part.values()
        elif isinstance(part, list | tuple):
            parts += part


@available_if(follows_from_labels)
def restore(
    self: LearnerT, X: RowsLike, record: dict[str, Any], y: ArrayLike, *,
    ids: ArrayLike | None = None,
) -> LearnerT:  # fmt: skip
    """Become what a learner with the same parameters was when it was recorded.

    It is trained once, whatever happened before. What it knew is forgotten.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or what the estimator takes
        The pool. Rows that were taught though nobody asked for them must be in it, too,
        anywhere.
    record : dict
        What `record` returned.
    y : array-like of shape (n_taught,)
        The labels, in the order in which they were taught.
    ids : array-like of int or of str of shape (n_samples,), default=None
        The ids of the rows of X, if the learner that was recorded got ids. The pool may
        then be in another order, and have other values.

    Returns
    -------
    self : object
        The learner.

    Raises
    ------
    ValueError
        For rows that are not those of the record, ids that are missing or that the
        record does not have, another number of labels, a label outside the classes,
        what is no record; as `query`.
    RuntimeError
        As for `teach`.

    Warns
    -----
    FitFailedWarning
        If the estimator cannot be trained on the labels; as for `teach`.

    Examples
    --------
    >>> import json
    >>> from sklearn.base import clone
    >>> from sklearn.datasets import load_iris
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> learner, labels = MinMarginClassifier(budget=30, random_state=0), []
    >>> while len(rows := learner.query(X)):
    ...     labels += y[rows].tolist()
    ...     learner = learner.teach(X[rows], y[rows])
    >>> stored = json.dumps([learner.record(), labels])
    >>> record, labels = json.loads(stored)
    >>> restored = clone(learner).restore(X, record, labels)
    >>> print((restored.predict(X) == learner.predict(X)).all(), restored.n_queries_)
    True 30
    """
    transaction = begin_transaction(self)
    learner = transaction.learner
    learner._check_parameters()
    forget_fitted(learner)
    X = learner._check_rows(X, reset=True, min_rows=0, finite=True)
    learner._reset()
    learner._known_by = None
    identity = identify(learner, X, ids)
    check_record(record)
    restore_state(learner, X, identity, record, y)
    transaction.learner = trained_as_then(learner, record.get("n_trained"))
    return transaction.commit()


def check_record(record):
    """Raise ValueError for what is no record of a learner."""
    try:
        wrong = [name for name, is_right in parts_of_record(record) if not is_right]
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise ValueError(f"This is no record of a learner: {error!r}.") from error
    if wrong:
        raise ValueError(f"This is no record of a learner: its {wrong[0]!r} is wrong.")


def parts_of_record(record):
    """Yield the parts of a record, and whether they can be what they are."""
    n, taught = len(record["rows"]), record["taught"]
    ids, keys = record["ids"], record.get("keys")
    for name, is_item in ITEMS.items():
        yield name, len(record[name]) == n and all(map(is_item, record[name]))
    yield "ids", ids is None or len(ids) == n
    yield (
        "keys",
        keys is None or (ids is None and len(keys) == n and all(map(is_key, keys))),
    )
    entries = [*taught, *record["skipped"]]
    are_entries = all(is_count(entry) and entry < n for entry in entries)
    yield "taught", are_entries and len({*entries}) == len(entries)
    totals = [n_labels for n_labels, _ in record["calls"]]
    are_totals = all(map(is_count, totals)) and totals == sorted(totals)
    yield "calls", are_totals and (totals[-1:] or [0]) == [len(taught)]
    for name in ("n_queries", "n_rounds", "n_offered"):
        yield name, is_count(record[name])
    n_trained = record.get("n_trained", len(taught))
    yield "n_trained", n_trained is None or n_trained in range(len(taught) + 1)
    yield "seed", is_count(record.get("seed", 0))
    yield "queried", all(map(is_count, record.get("queried", ())))
    yield "stop_reason", isinstance(record["stop_reason"], str | None)
    yield "has_stopped", isinstance(record["has_stopped"], bool)
    yield "may_grow", isinstance(record["may_grow"], bool)
    yield "declared", isinstance(record["declared"], list)
    yield "stopping", isinstance(record["stopping"], list)
    yield "dtype", record.get("dtype") is None or np.dtype(record["dtype"])


def is_key(value):
    """Return True for a whole number of 64 bits."""
    return is_whole(value) and 0 <= value < 2**64


#: What the items of a record are that it has for each row.
ITEMS = {
    "rows": lambda row: row is None or is_count(row),
    "asked": lambda asked: isinstance(asked, bool),
    "probabilities": lambda share: isinstance(share, float | int) and 0 < share <= 1,
    "purposes": lambda purpose: isinstance(purpose, str),
}


def restore_state(learner, X, identity, record, y):
    """Set what follows from a record, but for the model."""
    if record["ids"] is None:
        check_same_kind(identity, VALUES if record["rows"] else None)
        ledger, places = ledger_of(X, record)
    else:
        ledger, places = ledger_of_ids(identity, record)
    y = np.asarray(check_not_missing(y))
    if y.shape != (ledger.n_taught,):
        raise ValueError(
            f"y must have {ledger.n_taught} labels, one for each row that was taught, "
            f"got shape {y.shape}."
        )
    if record["classes"] is None:
        learner._register_classes(None, y)
    else:
        learner.classes_ = np.array(record["classes"], dtype=record.get("dtype"))
    learner._may_grow = record["may_grow"]
    learner._declared_classes = tuple(record["declared"])
    if len(y):
        rows, codes = take(X, places[ledger.taught]), encode(y, learner.classes_)
        names = getattr(learner, "feature_names_in_", None)
        learner._labelled = learner._labelled.plus(rows, codes, names)
    learner._ledger, learner._pool = ledger, Pool().taught(ledger)
    learner._known_by = identity.kind if len(places) else None
    learner._teach_calls = tuple(
        TeachCall(n_labels, tuple(declared)) for n_labels, declared in record["calls"]
    )
    learner._seed = record.get("seed", learner._seed)
    learner.queried_indices_ = np.array(record.get("queried", []), dtype=np.int64)
    learner.n_queries_ = record["n_queries"]
    learner._n_rounds, learner._n_offered = record["n_rounds"], record["n_offered"]
    learner.stop_reason_ = record["stop_reason"]
    learner._has_stopped = record["has_stopped"]
    memory, rules = record["stopping"], find_rules(learner.stopping)
    if memory and len(memory) != len(rules):
        raise ValueError(
            f"The record is of a learner with {len(memory)} stopping rules, not of one "
            f"with {len(rules)}."
        )
    if memory:
        learner._stopping_memory = Remembered(tuple(rules), tuple(memory))


def ledger_of(X, record):
    """Return the ledger that a record describes, and where each row is in X.

    Raises
    ------
    ValueError
        For a row that is not there, or has other values.
    """
    numbers = np.array([-1 if row is None else row for row in record["rows"]], np.int64)
    (known,), keys = np.nonzero(numbers >= 0), record.get("keys")
    if numbers.max(initial=-1) >= n_rows(X):
        raise ValueError(f"X has no row {numbers.max()}: it is not the pool.")
    there = hash_rows(X, numbers[known])
    if keys is None:
        keys = there
    else:
        keys = np.array(keys, dtype=np.uint64)
        (others,) = np.nonzero(keys[known] != there)
        if len(others):
            row = numbers[known[others[0]]]
            raise ValueError(f"Row {row} of X is not the row that was asked for.")
    (unknown,) = np.nonzero(numbers < 0)
    ledger = filled_ledger(keys, record)
    numbers[unknown] = equal_rows(X, keys[unknown])
    if n_missing := np.count_nonzero(numbers < 0):
        raise ValueError(f"{n_missing} of the rows that were taught are not in X.")
    return ledger, numbers


def ledger_of_ids(identity, record):
    """Return the ledger that a record of rows with ids describes, and where they are.

    Raises
    ------
    ValueError
        For an id that was taught and is not there, and if there are none.
    """
    ids, kind = plain_ids(record["ids"])
    if len(ids):
        check_same_kind(identity, kind)
    ledger = filled_ledger(ById(ids, hashes_of_ids(ids), kind).keys(), record, ids)
    ledger = ledger.located(identity, np.ones(len(identity), dtype=bool))
    missing = ledger.taught[ledger.found[ledger.taught] < 0]
    if len(missing):
        raise ValueError(
            f"{len(missing)} of the rows that were taught are not in X, "
            f"{plain_id(ids[missing[0]])!r} first."
        )
    return ledger, ledger.found


def filled_ledger(keys, record, ids=()):
    """Return the ledger that a record describes, of rows with these keys."""
    positions = np.full(len(record["rows"]), OUT)
    positions[record["skipped"]] = SKIPPED
    positions[record["taught"]] = np.arange(len(record["taught"]))
    rows = [
        row if is_asked and row is not None else -1
        for row, is_asked in zip(record["rows"], record["asked"], strict=True)
    ]
    probabilities = np.array(record["probabilities"], dtype=np.float64)
    purposes = np.array(record["purposes"], dtype=str)
    return Ledger().plus(keys, rows, probabilities, purposes, positions, ids)


def equal_rows(X, keys):
    """Return for each of these keys the number of a row of X that has it, -1: none."""
    if not len(keys) or not n_rows(X):
        return np.full(len(keys), -1)
    values, first = np.unique(hash_rows(X), return_index=True)
    places = np.searchsorted(values, keys).clip(max=len(values) - 1)
    return np.where(values[places] == keys, first[places], -1)


def trained_as_then(learner, n_labels):
    """Return the learner with the model on so many labels; None: on all."""
    if n_labels is None or n_labels == len(learner._labelled):
        return learner._after_teach()
    if n_labels:
        part = with_first_labels(learner, n_labels)
        part._train()
        for name in ("_labelled", "_ledger", "_pool", "classes_"):
            setattr(part, name, getattr(learner, name))
        return part
    return learner
