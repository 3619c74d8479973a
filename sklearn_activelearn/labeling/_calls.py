"""The calls of a learner that a journal records, without what was undone."""

from itertools import count
from typing import NamedTuple


class RecordedCall(NamedTuple):
    """A call of the past, in row numbers."""

    #: "ask", "teach", "set", "change"; "forget": an undo of what it was taught
    kind: str
    body: dict
    rows: list = []  # what was asked for; what was put aside
    labels: list = []  # what was taught
    is_changed: bool = False  # whether an answer before it was undone since

    def is_same(self, other):
        """Whether it does to a learner what another call does."""
        return self[:4] == other[:4]


def recorded_calls(state, events, row_of):
    """Return the calls that events record, of the learner that there is now.

    Parameters
    ----------
    state : SessionState
        What the journal says.
    events : list of Event
        Of the journal.
    row_of : callable
        The row number of an id.
    """
    first_undone = min(state.undone, default=float("inf"))
    calls = []
    for event in events:
        if event.id < state.beginning.event:
            continue
        call = RecordedCall(event.kind, event.body, is_changed=first_undone < event.id)
        if event.kind == "ask":
            calls.append(call._replace(rows=[row_of(id) for id in event.body["rows"]]))
        elif event.kind == "teach" or is_new_beginning(event):
            labels = [(row_of(each.id), each.label) for each in state.taught_by(event)]
            calls.append(call._replace(kind="teach", labels=labels))
        elif event.kind == "change":
            rows = [row_of(id) for id in event.body["test"]]
            calls.append(call._replace(rows=rows))
        elif event.kind == "set":
            calls.append(call)
        elif event.id in state.unlearned:
            calls.append(call._replace(kind="forget"))
    return calls


def is_new_beginning(event):
    """Whether another learner began with this event."""
    return event.kind == "change" and event.body["is_beginning"]


def n_same(first, second):
    """Return how many calls two lists have in common from the beginning."""
    pairs = zip(count(), first, second, strict=False)
    return next(
        (n for n, one, other in pairs if not one.is_same(other)),
        min(len(first), len(second)),
    )
