"""A learner, and the calls that a journal records: made first, or made again."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple
from warnings import warn

import numpy as np

from .._containers import n_rows, take
from .._transaction import shallow
from ._decisions import SKIP

#: Rows of a stream that are offered in one call, at most.
LONGEST_CHUNK = 1000


class AskOutcome(NamedTuple):
    """What a learner asked for, and what it is after that."""

    learner: Any
    rows: list  # row numbers of the pool
    probabilities: list
    chunk: list | None  # the rows of the stream that it was given: first, end
    stop: str | None  # why there are none


@dataclass
class RecordedLearner:
    """A learner between two calls.

    Calls are made on a copy of the learner that takes its place when all went well.

    Parameters
    ----------
    learner : learner
        Unfitted; nobody else uses it.
    pool : rows
        All rows.
    test : ndarray of int64
        Rows that are never asked for.
    classes : list or None
        All labels, if they are known.
    """

    learner: Any
    pool: Any
    test: np.ndarray
    classes: list | None

    def __post_init__(self):
        self.taught, self._out, self._place = {}, set(), 0

    @property
    def has_model(self):
        """Whether the learner can predict; a pool learner needs two classes."""
        return len(set(self.taught.values())) >= (1 if self.is_stream else 2)

    @property
    def follows_from_labels(self):
        """Whether its next row and its predictions follow from its labels alone."""
        return self.learner._follows_from_labels()

    @property
    def is_stream(self):
        """Whether the rows are a stream to the learner."""
        return self.learner._group is not None

    def ask(self):
        """Return what the learner asks for next; it is not out before `accept`."""
        learner = shallow(self.learner)
        if self.is_stream:
            return self._ask_stream(learner)
        rows, probabilities = learner.query(
            self.pool, exclude=self.test, return_probability=True
        )
        return self._outcome(learner, rows, probabilities)

    def repeat_ask(self, call):
        """Make a call of the past: what was asked then is out, whatever it says now."""
        rows, chunk = call.rows, call.body["chunk"]
        outcome = (
            self._query_chunk(shallow(self.learner), *chunk) if chunk else self.ask()
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

    def ask_for(self, rows):
        """Let the learner ask for these rows; return whether it did."""
        if not rows:
            return True
        learner = shallow(self.learner)
        asked = learner.query(self.pool, candidates=rows)
        self.accept(self._outcome(learner, asked, np.ones(len(asked))))
        return sorted(asked.tolist()) == sorted(rows)

    def accept(self, outcome):
        """Keep what the learner is after it asked."""
        self.learner = outcome.learner
        self._out |= set(outcome.rows)
        if outcome.chunk:
            self._place = outcome.chunk[1]

    def teach(self, labels):
        """Tell the learner labels, new and other ones, and which will not come.

        Parameters
        ----------
        labels : list of (int, label)
            Row numbers and labels, `SKIP` for none.
        """
        learner, corrected, new = shallow(self.learner), [], []
        skipped = [row for row, label in labels if label is SKIP and row in self._out]
        for row, label in labels:
            if label is SKIP:
                continue
            if row in self.taught and row not in self._out:
                if self.taught[row] != label:
                    corrected.append((row, label))
            else:
                new.append((row, label))
        for row in skipped:
            with suppress(ValueError):  # the label of an equal row has answered it
                learner.skip(take(self.pool, [row]))
        if corrected:
            learner.correct(*self._rows_and_labels(corrected))
        if new:
            learner.teach(*self._rows_and_labels(new), classes=self.classes)
        self.learner = learner
        self.taught = {**self.taught, **dict(new + corrected)}
        self._out -= {row for row, _ in labels}

    def set_budget(self, budget):
        """Let the learner buy so many labels."""
        self.learner = shallow(self.learner).set_params(budget=budget)

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
        outcome = self._query_chunk(shallow(learner), self._place, rows[-1] + 1)
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
        learner, asked = shallow(self.learner), []
        while left := [row for row in rows if row not in asked]:
            more = learner.query(self.pool, candidates=left).tolist()
            if not more:
                break
            asked += more
        return instead._replace(learner=learner, rows=asked)

    def _rows_and_labels(self, pairs):
        rows, labels = zip(*pairs, strict=True)
        return take(self.pool, list(rows)), np.array(labels)


class RecordedCall(NamedTuple):
    """A call of the past, in row numbers."""

    kind: str  # "ask", "teach" or "set"
    body: dict
    rows: list = []  # what was asked for
    labels: list = []  # what was taught
    is_changed: bool = False  # whether an answer before it was undone since


def recorded_calls(state, events, row_of):
    """Return the calls that events record, without what was undone.

    Parameters
    ----------
    state : SessionState
        What the journal says.
    events : list of Event
        Of the journal.
    row_of : callable
        The row number of an id.
    """
    first_undone = min(state.undone, default=len(events))
    calls = []
    for event in events:
        call = RecordedCall(event.kind, event.body, is_changed=first_undone < event.id)
        if event.kind == "ask":
            call = call._replace(rows=[row_of(id) for id in event.body["rows"]])
        elif event.kind == "teach":
            labels = [(row_of(each.id), each.label) for each in state.taught_by(event)]
            call = call._replace(labels=labels)
        calls.append(call)
    return [call for call in calls if call.kind in ("ask", "teach", "set")]


def replay(make, calls):
    """Return a recorded learner after these calls.

    Parameters
    ----------
    make : callable
        Makes a recorded learner that has seen nothing.
    calls : list of Call
        All calls of the past.
    """
    recorded = make()
    if recorded.follows_from_labels and replay_without_training(recorded, calls):
        return recorded
    recorded = make()
    for call in calls:
        if call.kind == "ask":
            recorded.repeat_ask(call)
        elif call.kind == "teach":
            recorded.teach(call.labels)
        else:
            recorded.set_budget(call.body["budget"])
    return recorded


def replay_without_training(recorded, calls):
    """Make the calls without training in between; return whether that can be done."""
    labels = {}
    for call in calls:
        if call.kind == "ask":
            if labels.keys() & set(call.rows) or not recorded.ask_for(call.rows):
                return False
        elif call.kind == "teach":
            skipped = [each for each in call.labels if each[1] is SKIP]
            recorded.teach(skipped)
            labels |= {row: label for row, label in call.labels if label is not SKIP}
        else:
            recorded.set_budget(call.body["budget"])
    recorded.teach(list(labels.items()))
    return True
