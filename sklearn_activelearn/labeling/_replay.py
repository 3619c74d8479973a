"""A learner, and the calls that a journal records: made first, or made again."""

from contextlib import nullcontext, suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple
from warnings import warn

import numpy as np

from .._transaction import shallow_copy
from ..sources._containers import n_rows, take
from ._display import reported
from ._learner_record import NOTHING_ASKED, LearnerRecord, sorted_answers

#: Rows of a stream that are offered in one call, at most.
LONGEST_CHUNK = 1000


class AskOutcome(NamedTuple):
    """What a learner asked for, and what it is after that."""

    learner: Any
    rows: list  # row numbers of the pool
    probabilities: list
    chunk: list | None  # the rows of the stream that it was given: first, end
    stop: str | None  # why there are none

    @property
    def progress(self):
        """What the query changed in the record of the learner; None without one."""
        if not hasattr(self.learner, "record"):
            return None
        try:
            record = self.learner.record()
            progress = {name: record[name] for name in NOTHING_ASKED}
        except TypeError:  # a rule of the user's remembers an object
            return None
        purposes = self.learner._ledger.purposes
        purposes = purposes[len(purposes) - len(self.rows) :].tolist()
        return {**progress, "purposes": purposes} if any(purposes) else progress


@dataclass
class RecordedLearner:
    """A learner between two calls.

    Calls are made on a copy of the learner that takes its place when all went well.

    Parameters
    ----------
    learner : learner
        Unfitted; nobody else uses it.
    all_rows : rows
        Those of the pool, and after them those that came later.
    n_rows : int
        How many there were when it began.
    test : ndarray of int64
        Rows put aside, which are never asked for.
    asked_before : ndarray of int64
        Rows that another learner of the session has asked for: neither are these.
    classes : list or None
        All labels, if they are known.
    by_number : bool
        Whether the learner recognises rows by their numbers; by their values in older
        files.
    """

    learner: Any
    all_rows: Any
    n_rows: int
    test: np.ndarray
    asked_before: np.ndarray
    classes: list | None
    by_number: bool

    def __post_init__(self):
        self.taught, self.out, self._place = {}, set(), 0
        self._offer(self.n_rows)

    @property
    def has_model(self):
        """Whether the learner can predict; a pool learner needs two classes."""
        return len(set(self.taught.values())) >= (1 if self.is_stream else 2)

    def can_be_restored(self, calls):
        """Whether it can become what it was after these calls without making them.

        Older files do not tell what stopping rules remember.
        """
        if not hasattr(self.learner, "restore"):
            return False
        asks = (call.body for call in reversed(calls) if call.kind == "ask")
        last = next(asks, None)
        is_noted = last is None or last.get("learner") is not None
        return is_noted or not self.learner.stopping

    @property
    def is_stream(self):
        """Whether the rows are a stream to the learner."""
        return self.learner._group is not None

    def ask(self):
        """Return what the learner asks for next; it is not out before `accept`."""
        learner = shallow_copy(self.learner)
        if self.is_stream:
            return self._ask_stream(learner)
        rows, probabilities = learner.query(
            self.pool,
            exclude=np.concatenate([self.test, self.asked_before]),
            return_probability=True,
            ids=self.ids,
        )
        return self._outcome(learner, rows, probabilities)

    def repeat_ask(self, call):
        """Make a call of the past: what was asked then is out, whatever it says now."""
        rows, chunk = call.rows, call.body["chunk"]
        outcome = (
            self._query_chunk(shallow_copy(self.learner), *chunk)
            if chunk
            else self.ask()
        )
        if outcome.rows != rows:
            if not call.is_changed:
                warn(
                    f"The learner would ask for rows {outcome.rows} now, not {rows} as "
                    "it did; the session goes on with those.",
                    stacklevel=2,
                )
            outcome = self._asked_for(rows, outcome)
        self.accept(outcome)

    def accept(self, outcome):
        """Keep what the learner is after it asked."""
        self.learner = outcome.learner
        self.out = self.out | set(outcome.rows)
        if outcome.chunk:
            self._place = outcome.chunk[1]

    def teach(self, labels):
        """Tell the learner labels, new and other ones, and which will not come.

        Parameters
        ----------
        labels : list of (int, label)
            Row numbers and labels, `SKIP` for none.
        """
        learner = shallow_copy(self.learner)
        skipped, corrected, new = sorted_answers(labels, self.taught, self.out)
        # without ids, the label of an equal row may have answered one
        tolerance = suppress(ValueError) if self.ids is None else nullcontext()
        for row in skipped:
            with tolerance:
                learner.skip(take(self.pool, [row]), ids=self._ids_at([row]))
        if corrected:
            learner.correct(**self._rows_and_labels(corrected))
        if new:
            learner.teach(**self._rows_and_labels(new), classes=self.classes)
        self.learner = learner
        self.taught = {**self.taught, **dict(new + corrected)}
        self.out = self.out - {row for row, _ in labels}

    def restore(self, record):
        """Become what a `LearnerRecord` says."""
        if record.is_begun:
            self.learner.restore(
                self.pool, record.to_json(), record.labels, ids=self.ids
            )
        self.taught, self.out = record.taught, record.out

    def change(self, call):
        """Note a larger budget, rows that have come, and rows that are put aside."""
        budget = call.body["budget"]
        if budget is not None:
            budget -= len(self.asked_before)
        self.learner = shallow_copy(self.learner).set_params(budget=budget)
        if call.kind == "change":
            self.test = np.concatenate([self.test, np.array(call.rows, dtype=np.int64)])
            if "pool" in call.body:
                self._offer(call.body["pool"]["n_rows"])

    def predict(self, X):
        """Return labels and, if the learner has them, probabilities."""
        learner = self.learner
        labels = learner.predict(X).tolist()
        if not hasattr(learner, "predict_proba"):
            return labels, None
        return labels, learner.predict_proba(X)

    def _ask_stream(self, learner):
        # up to the first row that is bought: the sequential algorithm, as `learn` is
        rows, group = self._next_rows(), learner._group
        if not rows:
            return AskOutcome(learner, [], [], None, "no rows")
        outcome = self._query_chunk(shallow_copy(learner), self._place, rows[-1] + 1)
        if outcome.stop:  # the rows may be wanted when the budget is raised
            return outcome._replace(learner=learner, chunk=None)
        if not outcome.rows:
            return outcome
        n_seen = rows.index(outcome.rows[0]) + 1
        n_seen += -n_seen % group
        return self._query_chunk(learner, self._place, rows[:n_seen][-1] + 1)

    def _next_rows(self):
        """Return rows of the stream that may be bought, in whole groups if possible."""
        closed = self._closed()
        left = range(self._place, n_rows(self.pool))
        n_wanted = LONGEST_CHUNK + -LONGEST_CHUNK % self.learner._group
        return list(islice((row for row in left if row not in closed), n_wanted))

    def _offer(self, n):
        """Let the learner see so many rows."""
        is_all = n == n_rows(self.all_rows)
        self.pool = self.all_rows if is_all else take(self.all_rows, slice(0, n))
        self.ids = row_numbers(n) if self.by_number else None

    def _closed(self):
        return {*self.test.tolist(), *self.taught}

    def _query_chunk(self, learner, start, end):
        """Return what a stream learner asks for of these rows."""
        closed = self._closed()
        exclude = [row - start for row in range(start, end) if row in closed]
        rows, probabilities = learner.query(
            take(self.pool, slice(start, end)),
            exclude=np.array(exclude, dtype=np.int64),
            return_probability=True,
            ids=self._ids_at(slice(start, end)),
        )
        outcome = self._outcome(learner, rows + start, probabilities)
        return outcome._replace(chunk=[start, end])

    def _outcome(self, learner, rows, probabilities):
        stop = None if len(rows) else learner.stop_reason_
        return AskOutcome(learner, rows.tolist(), probabilities.tolist(), None, stop)

    def _asked_for(self, rows, instead):
        """Return what the learner is when it was made to ask for these rows.

        A stream learner cannot be made to. What it did not ask for is taught all the
        same, as if nobody had asked.
        """
        if instead.chunk:
            return instead
        learner, asked = shallow_copy(self.learner), []
        while left := [row for row in rows if row not in asked]:
            more = learner.query(self.pool, candidates=left, ids=self.ids).tolist()
            if not more:
                break
            asked += more
        return instead._replace(learner=learner, rows=asked)

    def _rows_and_labels(self, pairs):
        rows, labels = map(list, zip(*pairs, strict=True))
        X, ids = take(self.pool, rows), self._ids_at(rows)
        return {"X": X, "y": np.array(labels), "ids": ids}

    def _ids_at(self, rows):
        return None if self.ids is None else self.ids[rows]


def row_numbers(n):
    """Return the ids of n rows for a learner: the user's need not be of one kind."""
    return np.arange(n, dtype=np.int64)


def replay(recorded, calls, n_done, before_teaching):
    """Make calls of the past.

    Parameters
    ----------
    recorded : RecordedLearner
        As it was when it had made some of them.
    calls : list of RecordedCall
        All of them, in their order.
    n_done : int
        How many it had made.
    before_teaching : callable
        ``before_teaching(n)`` is called before a call that teaches and that n others
        come before.
    """
    for n, call in enumerate(reported(calls[n_done:]), start=n_done):
        if call.kind == "ask":
            recorded.repeat_ask(call)
        elif call.kind == "teach":
            before_teaching(n)
            recorded.teach(call.labels)
        elif call.kind in ("set", "change"):
            recorded.change(call)


def restored_from(recorded, calls):
    """Let a learner become what it was after these calls; return whether it can.

    Parameters
    ----------
    recorded : RecordedLearner
        It has seen nothing.
    calls : list of RecordedCall
        All calls of the past.
    """
    if not recorded.can_be_restored(calls):
        return False
    for call in calls:
        if call.kind in ("set", "change"):
            recorded.change(call)
    rows = [row for call in calls for row in call.rows]
    rows += [row for call in calls for row, _ in call.labels]
    record = LearnerRecord(
        recorded.pool, rows, recorded.classes, have_ids=recorded.by_number
    )
    for call in calls:
        if call.kind == "ask":
            record.ask(call)
        elif call.kind == "teach":
            record.teach(call.labels)
        elif call.kind == "forget":
            record.forget()
    recorded.restore(record)
    return True
