"""What a session, or a learner in it, began with, and what a change makes of that."""

from typing import Any, NamedTuple


class Beginning(NamedTuple):
    """What a learner began with; a change may make one begin later than the session."""

    event: int
    n_rows: int  # of the pool, then
    test: tuple  # ids of the rows put aside until then
    asked: tuple  # ids that another learner had asked for
    classes: list | None
    budget: Any  # labels that the learner may buy


class Sampled(NamedTuple):
    """What the rows put aside stand for."""

    n_rows: int  # the first ones of the pool: those there were when they were drawn
    n_later: int  # of the rows put aside, drawn among those that nobody had asked for


#: What a change event may have of what a begin event has.
CHANGEABLE = (
    "versions", "learner", "seeds", "classes", "test_size", "votes", "pool",
    "recognised_by",
)  # fmt: skip


def changed_settings(begin, change):
    """Return what a begin event would say, had it said what a change event says."""
    new = {name: change[name] for name in CHANGEABLE if name in change}
    return {**begin, **new, "test": [*begin["test"], *change["test"]]}
