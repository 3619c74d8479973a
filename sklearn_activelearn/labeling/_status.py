"""Where a session stands, in numbers."""

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from .._typing import Label
from ._decisions import SKIP

if TYPE_CHECKING:
    from ..evaluation import Estimate


class Status(NamedTuple):
    """Where a session stands."""

    asked: int  # rows that the learner asked for
    answered: int  # of these and of the rows put aside, those with a label
    skipped: int  # of these, those without one for good
    pending: int  # of these, the others
    left: int | None  # labels that the budget allows yet; None: no limit
    n_test: int  # rows put aside
    n_taught: int  # labels that the learner was taught
    by_class: dict[Label, int]  # how many rows have each label
    stop_reason: str | None
    disputed: int = 0  # of those pending, or that nobody asked for: people disagree
    score: "Estimate | None" = None  # from random rows that were learned from
    test_left: int = 0  # rows put aside that are not decided
    empty: int = 0


def status_of(state):
    """Return where the session stands."""
    n_wanted = len(state.test) + len(state.asked)
    return Status(
        asked=len(state.asked),
        answered=n_wanted - state.n_skipped - state.n_pending,
        skipped=state.n_skipped,
        pending=state.n_pending,
        left=None if state.budget is None else state.budget - len(state.asked),
        n_test=len(state.test),
        n_taught=state.n_taught,
        by_class=by_class_of(state, state.by_class),
        stop_reason=state.ended,
        disputed=len(state.disputes),
        test_left=sum(state.decision(id) is None for id in state.test),
    )


def status_for(state, who):
    """Return where a session stands for one person."""
    own = state.by_person.get(who, Counter())
    pending = (
        id for id in state.open if who not in {a.who for a in state.answers.get(id, ())}
    )
    return status_of(state)._replace(
        answered=own.total() - own[SKIP],
        skipped=own[SKIP],
        pending=sum(1 for _ in pending),
        by_class=by_class_of(state, own),
    )


def by_class_of(state, counts):
    """Return how many rows have each label, those of no rows too if they are known."""
    classes = dict.fromkeys(state.begin["classes"] or (), 0)
    return classes | {label: n for label, n in (+counts).items() if label is not SKIP}
