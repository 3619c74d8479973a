"""Progress of a session and of each person, in numbers of rows."""

from typing import NamedTuple

from ..utils.typing import Label
from ._pace import read_pace
from .storage._decisions import DISPUTED, GIVEN, LABELLED, SKIPPED, TEST
from .storage._labels import SEVERAL, from_column, to_column


class Status(NamedTuple):
    """Progress of a session, or of one person, as numbers of rows."""

    asked: int  # rows that the learner asked for
    answered: int  # of these and of the held-out rows, rows with a label
    skipped: int  # of these, rows that get no label
    pending: int  # of these, rows that are not decided
    left: int | None  # labels that the budget still allows; None: no limit
    n_test: int  # held-out rows
    n_taught: int  # labels that the learner was taught
    by_class: dict[Label, int]  # rows with each label
    stop_reason: str | None
    disputed: int = 0  # rows on which people disagree
    test_left: int = 0  # held-out rows that are not decided
    empty: int = 0  # rows without content, which are not asked for
    labelled: int = 0  # rows with a label, asked for or not
    no_label: int = 0  # of these, rows whose answer is that no label applies
    to_label: int | None = None  # rows that the budget still allows to be labelled
    seconds_per_label: float | None = None  # of the people who label now, together
    minutes_left: tuple[float, float] | None = None  # for these rows; nine in ten


def read_status(facts, n_rows, n_empty):
    """Return the progress of a session of `n_rows` rows, some without content."""
    decisions, budget = facts.decisions, facts.learner["budget"]
    states, labels = decisions.count_states(), decisions.count_labels()

    def count(state=None, *, of_test=False):
        return sum(
            n
            for (kind, each), n in states.items()
            if state in (None, each) and (kind == TEST if of_test else kind != GIVEN)
        )

    n_test, n_asked = count(of_test=True), count() - count(of_test=True)
    n_labelled, n_skipped = count(LABELLED), count(SKIPPED)
    n_test_decided = count(LABELLED, of_test=True) + count(SKIPPED, of_test=True)
    left = None if budget is None else budget - n_asked
    n_pending, n_known = count() - n_labelled - n_skipped, sum(labels.values())
    to_label = None
    if left is not None:
        n_open = n_rows - n_known - n_skipped - n_empty
        to_label = min(left + n_pending, n_open)
    pace = read_pace(decisions)
    return Status(
        asked=n_asked,
        answered=n_labelled,
        skipped=n_skipped,
        pending=n_pending,
        left=left,
        n_test=n_test,
        n_taught=decisions.n_taught,
        by_class=count_classes(facts, labels),
        stop_reason=find_stop_reason(facts),
        disputed=count(DISPUTED) + states[GIVEN, DISPUTED],
        test_left=n_test - n_test_decided,
        empty=n_empty,
        labelled=n_known,
        no_label=labels.get(to_column([]), 0),
        to_label=to_label,
        seconds_per_label=pace and pace.seconds_per_label,
        minutes_left=pace and to_label and pace.minutes(to_label, to_label),
    )


def read_status_of(facts, who, status):
    """Return the progress of a person; `status` is the progress of the session."""
    counts = facts.decisions.count_answers(who)
    n_skipped = counts.pop(None, 0)
    return status._replace(
        answered=sum(counts.values()),
        skipped=n_skipped,
        pending=sum(not row.has_answer_of(who) for row in facts.decisions.queue),
        by_class=count_classes(facts, counts),
        labelled=sum(counts.values()),
        no_label=counts.get(to_column([]), 0),
    )


def count_classes(facts, counts):
    """Return the number of rows with each label; classes without rows as 0."""
    kind, found = (
        facts.decisions.kind,
        dict.fromkeys(facts.settings["classes"] or (), 0),
    )
    for column, n in counts.items():
        label = from_column(column, kind)
        for each in label if kind == SEVERAL else [label]:
            found[each] = found.get(each, 0) + n
    return found


def find_stop_reason(facts):
    """Return why no more rows are asked for; None while there are some."""
    states = {row.state for row in facts.decisions.queue}
    if states - {DISPUTED} or facts.decisions.has_news:
        return None
    reason = facts.learner["stop_reason"]
    return DISPUTED if states and reason is not None else reason
