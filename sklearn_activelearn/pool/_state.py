"""The state of a pool learner, and its record: the state as JSON."""

import re
from contextlib import suppress
from copy import deepcopy
from dataclasses import MISSING, dataclass, field, fields, replace
from types import UnionType
from typing import Any, NamedTuple, Self, get_args, get_origin

import numpy as np

from ..base._labels import ONE_LABEL, encode_label_sets
from ..base._parameters import is_count
from ..base._target import LabelTarget
from ..base._validation import RECOGNISED_BY_VALUES, check_metadata
from ..sources._containers import n_rows, take, to_memory
from ..sources._identity import (
    VALUES,
    check_same_kind,
    hashes_of_ids,
    plain_id,
    plain_ids,
)
from ._distances import Embedder
from ._ledger import PENDING, SKIPPED, KeptPool, Ledger, TeachCall, is_in
from ._training import MOST_SCALED, Known, Trained
from .stopping._base import Remembered, check_label_sets, find_rules

#: A type of labels, as NumPy writes it.
DTYPE = r"[<>|=]?[biufUO]\d*"


class LearnerState(NamedTuple):
    """State of a pool learner between two calls, without its parameters.

    The methods return another state and never change one in place. Those that train
    take the `Parts` of the learner, which its parameters make.

    Attributes
    ----------
    seed : int
        Seed of all random numbers.
    ledger : Ledger
        Requests, labels and skipped rows.
    target : LabelTarget
        Classes, and the codes of labels.
    pool : KeptPool
        The pool, for trainers that learn from it.
    trained : Trained, optional
        Result of the last training.
    n_trained : int
        Number of labels with which the model was trained; 0 before the first training.
    scaler : StandardScaler, optional
        Scales a pool for the default blend; fitted on the last pool.
    n_before_pool : int, optional
        Number of labels that were known when the first pool came.
    points : Embedder, optional
        Points of the last pool.
    n_rounds : int
        Number of purchases, which makes the seed of the next one.
    rule_memory : object
        Memory of the query rule.
    stopping_memory : Remembered
        Memory of the stopping rules.
    warned_of : tuple of str
        Steps without a model of which the learner has warned.
    """

    seed: int
    ledger: Ledger = Ledger()
    target: LabelTarget = LabelTarget()
    pool: KeptPool = KeptPool()
    trained: Trained | None = None
    n_trained: int = 0
    scaler: Any = None
    n_before_pool: int | None = None
    points: Embedder | None = None
    n_rounds: int = 0
    rule_memory: Any = None
    stopping_memory: Remembered = Remembered()
    warned_of: tuple = ()

    @property
    def attributes(self):
        """Fitted attributes of the learner that the last training has made."""
        if self.trained is None:
            return {}
        return {"estimator_": self.trained.model, **self.trained.attributes}

    # Labels and classes

    def add_labels(self, X, identity, codes, names, metadata):
        """Return the state after a call that taught these rows, as `Ledger.add_labels`.

        X may be out of memory.
        """
        ledger = self.ledger.add_labels(
            identity, to_memory(X), codes, names, self.target.declared, metadata
        )
        return self._replace(ledger=ledger, pool=self.pool.update(ledger))

    def with_target(self, target):
        """Return the state with other classes, by which stored labels are coded."""
        before, ledger = self.target, self.ledger
        is_same_kind = before.has_label_sets == target.has_label_sets
        is_coded = before.table is not None and target.table is not before.table
        if is_same_kind and is_coded:
            codes = target.encode(before.table)[ledger.labelled.codes]
            ledger = ledger.recode(codes)
        return self._replace(target=target, ledger=ledger)

    def correct(self, identity, codes, parts):
        """Return the state with corrected codes of labelled rows.

        The model that was trained on the old codes goes, and so do classes without a
        label, unless a caller has named them.
        """
        ledger = self.ledger.correct(identity, codes)
        target, codes = self.target.restrict(
            self.target.declared, ledger.labelled.codes
        )
        state = self._replace(target=target, ledger=ledger.recode(codes))
        return state.train_in_turn(parts)

    # The pool

    def offer(self, X, identity, candidates, parts, are_more=False):
        """Return the state with the ledger located in X, and the rows for sale.

        Parameters
        ----------
        X : rows
            The pool.
        identity : ByValue or ById
            Keys and ids of its rows.
        candidates : ndarray of int, optional
            Row numbers that may be bought; None for all.
        parts : Parts
            Parts of the learner.
        are_more : bool
            True if these rows add to the rows of earlier calls, for a budget that is a
            share of them.

        Returns
        -------
        state : LearnerState
            It knows the pool.
        is_for_sale : ndarray of bool of shape (n_samples,)
            True for candidates that were neither taught nor skipped and are not
            pending.
        """
        state, is_for_sale = self, np.full(n_rows(X), candidates is None)
        if not len(is_for_sale):
            return state, is_for_sale
        if parts.needs_scaler:
            state = state.with_scaler(parts.trainer.fit_scaler(X, state.seed))
        if candidates is not None:
            is_for_sale[candidates] = True
        ledger, pool = state.ledger.locate(identity, is_for_sale), state.pool
        if parts.trainer.keeps_pool:
            rows, places = np.flatnonzero(is_for_sale), ledger.found[ledger.taught]
            pool = pool.offer(identity, X, rows, places)
        is_for_sale[ledger.found[ledger.found >= 0]] = False
        n_for_sale = np.count_nonzero(is_for_sale)
        # never less than before: a budget that is a share must not shrink
        n_offered = max(ledger.n_offered, ledger.n_queries + n_for_sale)
        if are_more:
            n_offered = ledger.n_offered + n_for_sale
            if n_for_sale and state.stopping_memory.has_stopped:  # judge again
                state = state._replace(stopping_memory=Remembered())
        if n_offered != ledger.n_offered:
            ledger = replace(ledger, n_offered=n_offered)
        return state._replace(ledger=ledger, pool=pool), is_for_sale

    def take_values(self, X, names, parts):
        """Return the state with the values of labelled rows in the pool X, offered now.

        If some are new, it has no model; else it is the same state.
        """
        ledger = self.ledger.take_values(X, names)
        if ledger is self.ledger:
            return self
        return self._replace(ledger=ledger).train_in_turn(parts)

    def with_scaler(self, scaler):
        """Return the state that knows a pool with this scaler.

        The scaler is None for a pool that cannot be scaled; the last one then stays.
        """
        n_before = self.n_before_pool
        if n_before is None:
            n_before = len(self.ledger.labelled)
        return self._replace(scaler=scaler or self.scaler, n_before_pool=n_before)

    def scaler_for(self, n_labels):
        """Return the scaler, or None if labelled rows scale themselves.

        They do while all labels were taught before the first pool: a query changes no
        predictions, and `restore` trains the same model. They also do if the last pool
        has fewer rows than there are labels, as a query on the best few rows.
        """
        is_new = n_labels > self.n_before_pool
        is_large = self.scaler.n_samples_seen_ >= min(n_labels, MOST_SCALED)
        return self.scaler if is_new and is_large else None

    def embedder(self, parts, names):
        """Return what makes points of rows; it knows the last points."""
        embedding, estimator = parts.choice.embedding, parts.trainer.estimators[0]
        # another embedding may have been set as an attribute
        is_same = self.points is not None and self.points.settings[0] is embedding
        points = self.points.points if is_same else None
        return Embedder(embedding, self.seed, names, estimator, points)

    # Queries

    def after(self, answer):
        """Return the state after the choice of rows, which are not recorded yet."""
        return self._replace(
            rule_memory=answer.memory,
            stopping_memory=answer.remembered,
            # it seeds the next round: a query that buys nothing can be repeated
            n_rounds=self.n_rounds + (answer.stop_reason is None),
        )

    # Training

    def known(self, parts):
        """Return what a trainer learns from."""
        ledger, target = self.ledger, self.target
        return Known(
            parts.prototypes,
            ledger.labelled,
            ledger.purposes[ledger.taught],
            target.table,
            self.pool,
            self.n_trained,
            self.seed,
            target.names,
            None if self.scaler is None else self.scaler_for(len(ledger.labelled)),
        )

    def known_first(self, parts, n_labels):
        """Return what a trainer learns from the first labels.

        The classes are the classes known after the call that taught the last of them.
        """
        known, calls = self.known(parts), self.ledger.calls
        declared = next(call.declared for call in calls if call.n_labels >= n_labels)
        labelled = known.labelled.part(slice(n_labels))
        target, codes = self.target.restrict(declared, labelled.codes)
        return known._replace(
            labelled=replace(labelled, codes=codes),
            purposes=known.purposes[:n_labels],
            classes=target.table,
            label_names=target.names,
            pool=known.pool.first(n_labels),
            n_before=0,
            scaler=None if self.scaler is None else self.scaler_for(n_labels),
        )

    def earlier_model(self, parts, n_labels):
        """Return a model that is trained on the first labels."""
        return parts.trainer.train(self.known_first(parts, n_labels), None).model

    @property
    def is_trained(self):
        """True if the model knows all labels, of which there is one."""
        return self.n_trained >= max(len(self.ledger.labelled), 1)

    @property
    def can_train(self):
        """True if there are labels that the model does not know, and of two classes."""
        labelled = self.ledger.labelled
        return self.n_trained < len(labelled.codes) and labelled.has_two_classes

    def train(self, parts):
        """Return the state with a model of all labels."""
        trained = parts.trainer.train(self.known(parts), self.trained)
        return self._replace(trained=trained, n_trained=len(self.ledger.labelled))

    def train_in_turn(self, parts):
        """Return the state as if the present labels had been taught in the same calls.

        The last call is not trained. Of the others only models that continue earlier
        ones are trained; as before, a call on whose labels the estimator fails trains
        nothing. The memory of the stopping rules goes.
        """
        trained, n_trained = None, 0
        for call in self.ledger.calls[:-1] if parts.trainer.goes_on else ():
            known = self.known_first(parts, call.n_labels)
            labelled = known.labelled
            if n_trained < len(labelled) and labelled.has_two_classes:
                with suppress(Exception):  # it was a warning then
                    known = known._replace(n_before=n_trained)
                    trained = parts.trainer.train(known, trained)
                    n_trained = len(labelled)
        given = {"trained": trained, "n_trained": n_trained}
        return self._replace(**given, stopping_memory=Remembered())


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
        state = learner._state
        ledger, target = state.ledger, state.target
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
            seed=state.seed,
            classes=None if target.classes is None else target.classes.tolist(),
            dtype=None if target.classes is None else target.classes.dtype.str,
            several_labels=target.has_label_sets,
            declared=list(target.declared),
            may_grow=target.may_grow,
            queried=learner.queried_indices_.tolist(),
            n_before_pool=state.n_before_pool,
            n_rounds=state.n_rounds,
            stop_reason=learner.stop_reason_,
            has_stopped=state.stopping_memory.has_stopped,
            stopping=state.stopping_memory.to_json(),
            **rule.to_record(state.rule_memory),
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
        self, X: Any, identity: Any, y: Any, names: Any, parts: Any, seed: int
    ) -> LearnerState:
        """Return the state of the learner, without its model.

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
        parts : Parts
            Parts of the learner.
        seed : int
            Seed for a record without one.
        """
        if self.several_labels and not parts.rule.takes_label_sets:
            raise ValueError(
                f"The record is of a learner of several labels. {ONE_LABEL}"
            )
        if self.several_labels:
            check_label_sets(parts.choice.stopping)
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
        scaler = None
        seed = seed if self.seed is None else self.seed
        if parts.needs_scaler and self.n_before_pool is not None:
            scaler = parts.trainer.fit_scaler(X, seed)
        memory = tuple(deepcopy(self.stopping))
        rules = find_rules(parts.choice.stopping)
        if memory and len(memory) != len(rules):
            raise ValueError(
                f"The record is of a learner with {len(memory)} stopping rules, and "
                f"this learner has {len(rules)}."
            )
        return LearnerState(
            seed,
            ledger,
            target,
            KeptPool().update(ledger),
            scaler=scaler,
            n_before_pool=self.n_before_pool,
            n_rounds=self.n_rounds,
            rule_memory=parts.rule.from_record(self),
            stopping_memory=Remembered(
                tuple(rules) if memory else (), memory, has_stopped=self.has_stopped
            ),
        )

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
