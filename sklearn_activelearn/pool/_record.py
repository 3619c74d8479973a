"""The record of a pool learner: its requests, labelled rows and state, as JSON."""

import re
from copy import deepcopy
from dataclasses import MISSING, dataclass, field, fields, replace
from types import UnionType
from typing import Any, Self, get_args, get_origin

import numpy as np

from ..base._labels import encode_label_sets
from ..base._target import LabelTarget
from ..base._validation import RECOGNISED_BY_VALUES, check_metadata, is_count
from ..sources._containers import take
from ..sources._identity import (
    VALUES,
    check_same_kind,
    hashes_of_ids,
    plain_id,
    plain_ids,
)
from ._ledger import PENDING, SKIPPED, Ledger, TeachCall, is_in
from .stopping._base import Remembered

#: A type of labels, as NumPy writes it.
DTYPE = r"[<>|=]?[biufUO]\d*"


def has_type(value, kind):
    """Return True if a JSON value has a type; int is for numbers of at least 0."""
    if get_origin(kind) is UnionType:
        return any(has_type(value, each) for each in get_args(kind))
    if get_origin(kind) is list:
        (kind,) = get_args(kind)
        return isinstance(value, list) and has_types(value, kind)
    return is_count(value) if kind is int else isinstance(value, kind)


def has_types(values, kind):
    """Return True if all JSON values have a type; quick, because pools are long."""
    if get_origin(kind) is list:
        return all(has_type(each, kind) for each in values)
    # one value of each type tells, and of numbers the smallest and the largest
    examples = [*{type(each): each for each in values}.values()]
    numbers = [each for each in values if type(each) is int]
    examples += [min(numbers), max(numbers)] if numbers else []
    return all(has_type(each, kind) for each in examples)


def has_different_labels(record):
    """Return True if the classes are different, and of the dtype of the record."""
    try:
        classes = np.array(record.classes, dtype=record.dtype)
        n_different = len({*record.classes})
    except (TypeError, ValueError, OverflowError):
        return False
    is_same = classes.ndim == 1 and classes.tolist() == record.classes
    return is_same and 0 < n_different == len(classes)


@dataclass(frozen=True, kw_only=True)
class Record:
    """State of a pool learner without values and labels; each field is JSON.

    `PoolClassifier.record` explains the fields that its users need. Fields with a
    default may be missing in a dict.
    """

    rows: list[int | None]
    probabilities: list[float | int]
    purposes: list[str]
    keys: list[object] | None = None
    ids: list[object] | None
    taught: list[int]
    metadata: dict = field(default_factory=dict)
    skipped: list[int]
    calls: list[list]
    n_queries: int
    n_offered: int
    seed: int | None = None
    classes: list[object] | None
    dtype: str | None = None
    several_labels: bool = False
    declared: list[object]
    may_grow: bool
    queried: list[int] = field(default_factory=list)
    n_before_pool: int | None = 0  # labels at the first pool that scales; None: no pool
    n_rounds: int
    stop_reason: str | None
    has_stopped: bool
    stopping: list[object]
    drawn_from: int | None = None  # of learners with machine labels
    reached: list[int] | None = None

    @classmethod
    def of(cls, learner: Any, rule: Any) -> Self:
        """Return the record of a pool learner with this rule."""
        ledger, classes = learner._ledger, getattr(learner, "classes_", None)
        has_ids = learner._known_by not in (None, VALUES)
        metadata = ledger.labelled.metadata
        return cls(
            rows=[row if row >= 0 else None for row in ledger.rows.tolist()],
            probabilities=ledger.probabilities.tolist(),
            purposes=ledger.purposes.tolist(),
            keys=None if has_ids else ledger.keys.tolist(),
            ids=[plain_id(id) for id in ledger.ids] if has_ids else None,
            taught=ledger.taught.tolist(),
            metadata={name: values.tolist() for name, values in metadata.items()},
            skipped=np.flatnonzero(ledger.positions == SKIPPED).tolist(),
            calls=[[call.n_labels, list(call.declared)] for call in ledger.calls],
            n_queries=ledger.n_queries,
            n_offered=int(ledger.n_offered),
            seed=learner._seed,
            classes=None if classes is None else classes.tolist(),
            dtype=None if classes is None else classes.dtype.str,
            several_labels=learner._target.has_label_sets,
            declared=list(learner._target.declared),
            may_grow=learner._target.may_grow,
            queried=learner.queried_indices_.tolist(),
            n_before_pool=learner._model.n_before_pool,
            n_rounds=learner._n_rounds,
            stop_reason=learner.stop_reason_,
            has_stopped=learner._stopping_memory.has_stopped,
            stopping=learner._stopping_memory.to_json(),
            **rule.to_record(learner._rule_memory),
        )

    def to_json(self) -> dict[str, Any]:
        """Return a dict that the learner shares nothing with."""
        out = {**vars(self)}
        if self.reached is None:
            del out["drawn_from"], out["reached"]
        return out

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Self:
        """Return the record of a dict, or raise ValueError if it is not one."""
        start = "This is not the record of a learner:"
        if not isinstance(given, dict):
            raise ValueError(f"{start} it is no dict, but {type(given).__name__}.")
        lost = [
            each.name
            for each in fields(cls)
            if each.default is each.default_factory is MISSING
            and each.name not in given
        ]
        if lost:
            raise ValueError(f"{start} it has no {', '.join(lost)}.")
        names = [each.name for each in fields(cls)]
        record = cls(**{name: given[name] for name in names if name in given})
        for name, is_right in record._checks():
            if not is_right:
                raise ValueError(f"{start} its {name!r} is wrong.")
        return record

    def _checks(self):
        """Yield the name of each field, and whether its value is possible."""
        # types first: the checks below compute with the values
        for each in fields(self):
            yield each.name, has_type(getattr(self, each.name), each.type)
        n, n_taught, keys = len(self.rows), len(self.taught), self.keys
        for name in ("probabilities", "purposes", "keys", "ids"):
            column = getattr(self, name)
            yield name, column is None or len(column) == n
        yield "rows", keys is not None or self.ids is not None or None not in self.rows
        yield "probabilities", all(0 < share <= 1 for share in self.probabilities)
        # a hash has 64 bits, twice the range of `is_count`
        is_hash = [type(key) is int and 0 <= key < 2**64 for key in keys or ()]
        yield "keys", all(is_hash) and (keys is None or self.ids is None)
        entries = [*self.taught, *self.skipped]
        yield "taught", len({*entries}) == len(entries) and max(entries, default=-1) < n
        columns = [*self.metadata.values()]
        yield "metadata", has_type([*self.metadata], list[str])
        yield "metadata", has_type(columns, list[list])
        yield "metadata", {*map(len, columns)} <= {n_taught}
        kinds = [(*map(type, call),) for call in self.calls]
        yield "calls", {*kinds} <= {(int, list)}
        totals = [n_labels for n_labels, _ in self.calls]
        yield "calls", has_type(totals, list[int]) and totals == sorted(totals)
        yield "calls", (totals[-1:] or [0]) == [n_taught]
        yield "n_queries", self.n_queries >= n - n_taught - len(self.skipped)
        # NumPy raises errors of many kinds, SyntaxError too, for other texts
        yield "dtype", self.dtype is None or re.fullmatch(DTYPE, self.dtype)
        yield "classes", self.classes is not None or not self.several_labels
        yield "classes", self.classes is None or has_different_labels(self)

    def to_state(
        self, X: Any, identity: Any, y: Any, names: Any, rules: list[Any]
    ) -> dict[str, Any]:
        """Return the attributes of the learner, without its model.

        Parameters
        ----------
        X : rows
            The pool.
        identity : ByValue or ById
            Keys of its rows.
        y : ndarray
            The labels, in the order of teaching.
        names : ndarray of str or None
            Names of the columns of X.
        rules : list of StoppingRule
            Stopping rules of the learner.
        """
        ledger, rows = self.to_ledger(X, identity)
        entries = ledger.taught
        shape = (len(entries),)
        if self.several_labels:
            shape = len(entries), len(self.classes)
            y = y if len(entries) else np.empty(shape, dtype=np.int64)
        if y.shape != shape:
            raise ValueError(
                f"y must have {len(entries)} labels, one for each row that was taught, "
                f"got shape {y.shape}; expected {shape}."
            )
        target = self.to_target(y)
        if len(y):
            codes = target.encode(y)
            metadata = {
                name: check_metadata(values, name, len(codes))
                for name, values in self.metadata.items()
            }
            taught = take(X, rows[entries])
            labelled = ledger.labelled.add(taught, codes, names, metadata)
            ledger = replace(ledger, labelled=labelled)
        memory = tuple(deepcopy(self.stopping))
        if memory and len(memory) != len(rules):
            raise ValueError(
                f"The record is of a learner with {len(memory)} stopping rules, and "
                f"this learner has {len(rules)}."
            )
        return {
            "_ledger": ledger,
            "_target": target,
            "queried_indices_": np.array(self.queried, dtype=np.int64),
            "_n_rounds": self.n_rounds,
            "stop_reason_": self.stop_reason,
            "_stopping_memory": Remembered(
                tuple(rules) if memory else (), memory, has_stopped=self.has_stopped
            ),
        }

    def to_target(self, y: Any) -> LabelTarget:
        """Return the target with these labels."""
        target = LabelTarget()
        if self.classes is None:
            target = target.register(None, y)
        else:
            target = LabelTarget(np.array(self.classes, dtype=self.dtype))
        label_sets = encode_label_sets(y)[0] if y.ndim == 2 else None
        return replace(
            target,
            declared=tuple(self.declared),
            may_grow=self.may_grow,
            label_sets=label_sets,
        )

    def to_ledger(self, X: Any, identity: Any) -> tuple[Ledger, Any]:
        """Return the ledger without labels, and the rows of its entries in a pool.

        Parameters
        ----------
        X : rows
            The pool.
        identity : ByValue or ById
            Keys of its rows.

        Raises
        ------
        ValueError
            If a labelled row is not in the pool, or a row has other values.
        """
        numbers = np.array([-1 if n is None else n for n in self.rows], np.int64)
        ids = ()
        if self.ids is None:
            check_same_kind(identity, VALUES if len(numbers) else None)
            if numbers.max(initial=-1) >= len(identity):
                raise ValueError(
                    f"X has no row {numbers.max()}: it is not the recorded pool."
                )
            (known,) = np.nonzero(numbers >= 0)
            own, keys = identity.keys(numbers[known]), self.keys
            keys = own if keys is None else np.array(keys, dtype=np.uint64)
            (others,) = np.nonzero(keys[known] != own)
            if len(others):
                raise ValueError(
                    f"Row {numbers[known[others[0]]]} of X is not the row that was "
                    f"asked for.{RECOGNISED_BY_VALUES}"
                )
        else:
            ids, kind = plain_ids(self.ids)
            if len(ids):
                check_same_kind(identity, kind)
            keys = hashes_of_ids(ids)
        positions = np.full(len(numbers), PENDING)
        positions[self.skipped] = SKIPPED
        positions[self.taught] = np.arange(len(self.taught))
        ledger = Ledger(
            n_queries=self.n_queries,
            n_offered=self.n_offered,
            calls=tuple(TeachCall(n, tuple(names)) for n, names in self.calls),
        ).add_entries(
            keys,
            numbers,
            np.array(self.probabilities, dtype=np.float64),
            np.array(self.purposes, dtype=str),
            positions,
            ids,
        )
        places = ledger.locate(identity, np.ones(len(identity), dtype=bool)).found
        lost, values = np.flatnonzero(places < 0), identity.keys()
        # a row that was taught more often than it is in the pool has one place for all
        for entry in lost[is_in(keys[lost], values)]:
            places[entry] = np.argmax(values == keys[entry])
        missing = ledger.taught[places[ledger.taught] < 0]
        if len(missing):
            first = f": {plain_id(ids[missing[0]])!r} is the first" if len(ids) else ""
            raise ValueError(
                f"{len(missing)} of the rows that were taught are not in X{first}."
            )
        return ledger, places
