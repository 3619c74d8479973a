"""All verbs in any order, beside a slow book of what is out, taught and billed.

Each family of learners goes through random histories: over two pools that share rows,
in several containers, with ids and changed values or with neither. More of them, and
longer ones: ``pytest tests/test_ledger_machine.py --hypothesis-profile=explore``.
"""

import os
import pickle
import warnings
from copy import deepcopy
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from sklearn.base import clone

from sklearn_activelearn.sources import ParquetSource, _identity
from tests.learners import explores, ways
from tests.reference.ledger import ReferenceLedger
from tests.tools import frozen, responses, state

LABELS = ["a", "b"]

FAMILIES = {
    **ways("first order, margin loss, greedy, second order, matrix, kernel"),
    **ways("passive, uncertainty, graph, COMB, FASSL", n_initial=3, batch_size=2),
    **ways("warm start", n_initial=2, stopping="stable_predictions"),
    **ways("ALMS", n_initial=4, batch_size=2),
}
FAMILIES["first order"].set_params(budget=30)
FAMILIES["uncertainty"].set_params(budget=0.8)


def is_settled(machine):
    """Tell whether a learner knows the classes."""
    return hasattr(machine.learner, "classes_")


class Rows(NamedTuple):
    """Rows that are passed to a verb."""

    numbers: np.ndarray  # among all rows that there are
    values: np.ndarray
    X: Any  # the values in their container
    ids: list | None
    keys: np.ndarray  # what the book recognises them by

    @property
    def named(self):
        """How to pass the ids."""
        return {} if self.ids is None else {"ids": self.ids}

    def at(self, places):
        """Return some of the rows, in an array."""
        ids = None if self.ids is None else [self.ids[i] for i in places]
        some = self.values[places]
        return Rows(self.numbers[places], some, some, ids, self.keys[places])


def as_dask(X, machine):
    return pytest.importorskip("dask.array").from_array(X, name="pool", chunks=(5, 2))


def as_mapped(X, machine):
    path = machine.new_file()
    X.tofile(path)
    return np.memmap(path, dtype=X.dtype, shape=X.shape, mode="r")


def as_parquet(X, machine):
    """Write the same file again and again."""
    pa, pq = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet"))
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})
    pq.write_table(table, machine.folder + "/pool.parquet", compression="none")
    os.utime(machine.folder + "/pool.parquet", (0, 0))
    return ParquetSource(machine.folder + "/pool.parquet")


SOURCES = {"dask": as_dask, "memmap": as_mapped, "parquet": as_parquet}


class Ledger(RuleBasedStateMachine):
    """A learner and the book of somebody who watches it."""

    prototype = None

    def __init__(self):
        super().__init__()
        self.folder, self.n_files = mkdtemp(), 0

    def teardown(self):
        rmtree(self.folder)

    def new_file(self):
        self.n_files += 1
        return f"{self.folder}/{self.n_files}"

    @initialize(
        seed=st.integers(0, 2**16),
        n_values=st.integers(1, 9),
        has_ids=st.booleans(),
        container=st.sampled_from([None, None, *SOURCES]),
    )
    def begin(self, seed, n_values, has_ids, container):
        rng = np.random.RandomState(seed)
        self.everything = rng.randint(-n_values, n_values + 1, size=(20, 2)) / 3
        self.learner = clone(self.prototype).set_params(random_state=seed % 97)
        is_stream = hasattr(self.learner, "patience")
        self.book = ReferenceLedger(is_stream=is_stream)
        self.n_billed, self.has_ids, self.values_of = 0, has_ids, {}
        keeps = not is_stream and self.learner.make_trainer().keeps_pool
        self.container = SOURCES.get(None if keeps else container)
        self.last = None  # the pool of the last query

    def rows(self, numbers, factor=1.0, container=None):
        numbers = np.asarray(numbers, dtype=int)
        values = self.everything[numbers] * factor
        X = values if container is None else container(values, self)
        ids = [f"row {i}" for i in numbers] if self.has_ids else None
        keys = numbers[:, None].astype(float) if self.has_ids else values
        return Rows(numbers, values, X, ids, keys)

    @property
    def all(self):
        """The pool, as an array."""
        return self.rows(range(14))

    def rows_of(self, data, name="rows", min_size=0):
        numbers = st.integers(0, 13)
        rows = st.lists(numbers, unique=True, min_size=min_size, max_size=4)
        return self.rows(data.draw(rows, label=name), self.factor(data))

    def labels_for(self, data, n):
        labels = st.lists(st.sampled_from(LABELS), min_size=n, max_size=n)
        return np.array(data.draw(labels, label="labels"), dtype="<U1")

    def factor(self, data):
        """Return what values are multiplied by: others, if rows have names."""
        factors = [1.0, 1.0, 1 + 1e-15, *([-1.0, 1.5] if self.has_ids else ())]
        return data.draw(st.sampled_from(factors), label="factor")

    def pool(self, data):
        """Return rows as they are, in another order, a part of them, or others."""
        pools = {
            "same": range(14),
            "reversed": range(14)[::-1],
            "slice": range(3, 11),
            "other": range(8, 20),
        }
        how = data.draw(st.sampled_from(["same"] * 4 + [*pools]), label="pool")
        is_array = data.draw(st.booleans(), label="is an array")
        container = None if is_array else self.container
        return self.rows(pools[how], self.factor(data), container)

    def note_values(self, rows, is_pool=False):
        """Note the values on which rows are trained: those seen last."""
        for number, values in zip(rows.numbers.tolist(), rows.values, strict=True):
            if not is_pool or number in self.values_of:
                self.values_of[number] = values

    def refused(self, error, call):
        before = state(self.learner)
        with pytest.raises(error):
            call()
        assert state(self.learner) == before

    @rule(data=st.data(), limit=st.sampled_from([None, None, 0, 1, 3]))
    def query(self, data, limit):
        pool = self.pool(data)
        X, n = pool.X, len(pool.numbers)
        exclude = data.draw(st.sampled_from([None, [0, 2], np.arange(n) % 2 == 0]))
        left = np.setdiff1d(
            np.arange(n), [] if exclude is None else np.arange(n)[exclude]
        )
        rows = self.learner.query(X, exclude=exclude, limit=limit, **pool.named)
        assert len(set(rows.tolist())) == len(rows) <= (n if limit is None else limit)
        assert set(rows.tolist()) <= set(left.tolist())
        if not self.book.is_stream:
            for_sale = self.book.for_sale(pool.keys, left.tolist())
            assert set(rows.tolist()) <= set(for_sale)
            if self.learner.stop_reason_ == "no rows":
                assert not for_sale
        if len(rows):
            assert self.learner.stop_reason_ is None
        elif not self.book.is_stream:
            assert self.learner.stop_reason_ is not None
        self.book.ask(pool.keys, rows.tolist())
        self.n_billed += len(rows)
        self.note_values(pool, is_pool=True)
        self.last = pool

    @precondition(lambda self: self.last and not self.book.is_stream)
    @rule()
    def query_again(self):
        """Where rows are was found: the whole pool is not searched once more."""
        if self.container is as_parquet and isinstance(self.last.X, ParquetSource):
            return
        whole = []

        def spied(keys):
            return lambda X, rows=None: whole.append(rows is None) or keys(X, rows)

        with mock.patch.object(_identity, "hash_rows", spied(_identity.hash_rows)):
            self.learner.query(self.last.X, limit=0, **self.last.named)
        assert not any(whole)
        self.book.for_sale(self.last.keys, range(len(self.last.keys)))
        self.note_values(self.last, is_pool=True)

    @precondition(lambda self: self.container is as_parquet)
    @rule(data=st.data())
    def query_a_file_that_was_written_again(self, data):
        before = self.rows(range(14), container=as_parquet)
        as_parquet(self.everything[:14][::-1], self)
        os.utime(self.folder + "/pool.parquet", (0, 1))
        self.refused(ValueError, lambda: self.learner.query(before.X, **before.named))

    @rule(data=st.data())
    def teach_what_is_out(self, data):
        out = self.book.out
        if out:
            some = data.draw(st.lists(st.sampled_from(range(len(out))), unique=True))
            width = 1 if self.has_ids else 2
            keys = np.array([out[i].values for i in some]).reshape(-1, width)
            if self.has_ids:
                numbers = list(dict.fromkeys(keys[:, 0].astype(int).tolist()))
                self.teach(data, self.rows(numbers, self.factor(data)))
            else:
                values = keys * self.factor(data)
                self.teach(data, Rows(keys[:, 0], values, values, None, values))

    @rule(data=st.data())
    def teach_anything(self, data):
        self.teach(data, self.rows_of(data))

    def teach(self, data, rows):
        labels = self.labels_for(data, len(rows.keys))
        taught = {e.values for e in self.book.entries if e.standing == "taught"}
        if self.has_ids and taught & {*map(tuple, rows.keys.tolist())}:
            again = lambda: self.learner.teach(rows.X, labels, LABELS, **rows.named)  # noqa: E731
            self.refused(ValueError, again)
            return
        self.learner.teach(rows.X, labels, classes=LABELS, **rows.named)
        self.book.teach(rows.keys.tolist(), labels.tolist())
        if self.has_ids:
            self.note_values(rows)
        if len(labels):
            self.last = None

    @rule(data=st.data(), refund=st.booleans(), everything=st.booleans())
    def skip(self, data, refund, everything):
        if everything:
            self.n_billed -= refund * self.book.skip()
            self.learner.skip(refund=refund)
            return
        rows = self.rows_of(data)
        n_skipped = self.book.skip(rows.keys.tolist())
        skip = lambda: self.learner.skip(rows.X, refund=refund, **rows.named)  # noqa: E731
        if n_skipped is None:
            self.refused(ValueError, skip)
        else:
            skip()
            self.n_billed -= refund * n_skipped

    @precondition(lambda self: hasattr(self.learner, "correct") and is_settled(self))
    @rule(data=st.data())
    def correct(self, data):
        rows = self.rows_of(data, min_size=1)
        labels = self.labels_for(data, len(rows.keys))
        correct = lambda: self.learner.correct(rows.X, labels, **rows.named)  # noqa: E731
        if self.book.correct(rows.keys.tolist(), labels.tolist()):
            correct()
        else:
            self.refused(ValueError, correct)

    @precondition(lambda self: hasattr(self.learner, "budget") and is_settled(self))
    @rule(data=st.data(), fault=st.sampled_from([None, KeyError, "label", "number"]))
    def learn(self, data, fault):
        self.learner.set_params(budget=max(self.n_billed, 0) + 3)
        answers, fails_at = [], data.draw(st.integers(0, 3), label="fails at")

        def oracle(rows):
            n = len(answers)
            answers.append(
                (rows.copy(), np.array(LABELS)[(rows + n) % 2].astype("<U9"))
            )
            if n == fails_at and fault is KeyError:
                raise KeyError(answers.pop())
            rows += 1  # the oracle's own array
            if n == fails_at and fault == "number":
                answers.pop()
                return []
            if n == fails_at and fault == "label":
                answers[-1][1][-1] = "typo"
            return answers[-1][1]

        pool = self.all
        if not self.book.is_stream:
            self.book.for_sale(pool.keys, range(14))
        self.note_values(pool, is_pool=True)
        self.last = None
        try:
            self.learner.learn(pool.X, oracle, LABELS, **pool.named)
        except (KeyError, ValueError):
            assert fault is not None
        for rows, labels in answers:
            known = labels != "typo"
            if self.book.is_stream and not known.all():
                continue  # the state is that just before the row
            self.n_billed += len(rows)
            if self.book.is_stream:  # each answer is that to its own request
                self.book.n_taught += len(rows)
                continue
            self.book.ask(pool.keys, rows.tolist())
            taught = pool.at(rows[known])
            self.book.teach(taught.keys.tolist(), labels[known].tolist())
            self.note_values(taught)
        self.learner.set_params(budget=None if self.book.is_stream else 50)

    @rule()
    def come_back_from_a_file(self):
        self.learner = pickle.loads(pickle.dumps(self.learner))

    @rule()
    def be_copied(self):
        before = state(self.learner)
        twin, self.learner = self.learner, deepcopy(self.learner)
        twin.query(self.all.X, **self.all.named)
        assert state(self.learner) == before

    @rule()
    def be_asked_wrongly(self):
        rows, learner = self.all, self.learner
        X, some = rows.X.copy(), rows.at([0, 1])
        wrong = [
            lambda: learner.query(X, candidates=[0, 99], **rows.named),
            lambda: learner.query(X, exclude=[True], **rows.named),
            lambda: learner.teach(X[:2], ["a"], **some.named),
        ]
        if hasattr(learner, "classes_"):
            named = {"ids": ["nobody"]} if self.has_ids else {}
            wrong += [
                lambda: learner.teach(X[:2], ["a", "z"], **some.named),
                lambda: learner.skip(X[:1] + 9, **named),
            ]
        if learner._known_by is not None:
            ids = None if self.has_ids else list(range(14))
            wrong.append(lambda: learner.query(X, ids=ids))
        if self.has_ids:
            wrong.append(lambda: learner.query(X, ids=["row 1"] * 14))
        for call in wrong:
            self.refused(ValueError, call)
        self.refused(TypeError, lambda: learner.skip(X[:0], refund="yes"))
        X[1, 1] = np.nan
        self.refused(ValueError, lambda: learner.teach(X, ["a"] * len(X), **rows.named))

    @rule()
    def predict(self):
        if hasattr(self.learner, "classes_"):
            before = state(self.learner)
            X = self.all.X
            assert frozen(responses(self.learner, X)) == frozen(
                responses(self.learner, X)
            )
            assert state(self.learner) == before

    @invariant()
    def the_books_agree(self):
        learner, book = self.learner, self.book
        pending = learner.pending(self.all.X, **self.all.named)
        assert pending.tolist() == book.pending(self.all.keys.tolist())
        if not hasattr(learner, "_ledger"):
            return
        assert learner.n_pending_ == len(book.out)
        assert learner.n_taught_ == book.n_taught
        assert learner.n_queries_ == self.n_billed
        if book.is_stream:
            assert learner.n_skipped_ == book.n_skipped
        else:
            skipped = [e for e in book.entries if e.standing == "skipped"]
            assert learner.n_skipped_ == len(skipped)
            if book.n_taught:
                known = learner.classes_[learner._ledger.labelled.codes]
                assert known.tolist() == book.labels
            if book.n_taught and self.has_ids:
                taught = [e for e in book.entries if e.standing == "taught"]
                taught = sorted(taught, key=lambda entry: entry.turn)
                rows = [self.values_of[int(entry.values[0])] for entry in taught]
                np.testing.assert_array_equal(learner._ledger.labelled.rows, rows)


def machine_of(name):
    """Return a machine for one family, as a test case of its own."""
    machine = type(name, (Ledger,), {"prototype": FAMILIES[name]})
    case = machine.TestCase
    n_examples, n_steps = (150, 40) if explores() else (4, 25)
    case.settings = settings(
        max_examples=n_examples, stateful_step_count=n_steps, deadline=None
    )
    return case


@pytest.mark.every_learner
@pytest.mark.parametrize("family", FAMILIES)
def test_the_ledger(family):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # few rows, few neighbours
        machine_of(family)("runTest").runTest()
