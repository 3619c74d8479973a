"""Annotations of another tool: which of them are new, changed or gone.

The table ``annotations`` links each annotation that was read to the answer that stands
for it. An annotation that was read before and has other content is a correction; one
that is gone is a withdrawal. Answers that people gave elsewhere are never touched.
"""

import json
from collections.abc import Collection, Iterable
from typing import NamedTuple

from ..utils.typing import Id, Label
from ._answers import check_label, check_person, check_tags
from ._review import stored_time
from .storage._labels import from_column
from .storage._schema import put


class Annotation(NamedTuple):
    """The answer of a person in another tool.

    Attributes
    ----------
    number : int
        Number of the annotation in the other tool; it stays the same when the
        annotation is changed.
    id : str or int
        The row.
    label : label or None
        None: the person has skipped the row.
    who : str
        The person.
    is_final : bool
        True if the label decides, whatever others say.
    at : str or None
        When the annotation was made, in UTC. None: now.
    tags : list of str
        Tags of the person.
    """

    number: int
    id: Id
    label: Label | None
    who: str
    is_final: bool = False
    at: str | None = None
    tags: Collection[str] = ()


class Differences(NamedTuple):
    """Numbers of annotations that differ from the last time they were read."""

    new: int
    changed: int
    withdrawn: int


class Changes(NamedTuple):
    """Changes of a session that follow from annotations.

    Attributes
    ----------
    added : list of (Annotation, int or None)
        Annotations to store, each with the number of the answer that it replaces.
    gone : list of (int, int, id)
        Annotations that are gone, each with the number of its answer and its row.
    """

    added: list
    gone: list

    @property
    def rows(self):
        """Rows of which an answer is withdrawn."""
        replaced = {each.id for each, old in self.added if old is not None}
        return replaced | {id for *_, id in self.gone}

    @property
    def differences(self):
        n_changed = sum(old is not None for _, old in self.added)
        return Differences(len(self.added) - n_changed, n_changed, len(self.gone))


def plan_changes(
    facts,
    annotations: Iterable[Annotation],
    ids: Collection[Id] | None,
    *,
    is_stream: bool,
):
    """Compare annotations with the ones read before; return the `Changes`.

    Parameters
    ----------
    facts : Facts
        What the file of the session says.
    annotations : iterable of Annotation
        In the order in which they were made or changed.
    ids : collection of str or int, or None
        Rows of which all annotations are given. None: all rows.
    is_stream : bool
        Whether the learner is a stream learner, which cannot unlearn a label.

    Raises
    ------
    ValueError
        For a person without a name, a label that is no class, a time that cannot be
        read, and a change of a label that a stream learner has learned.
    """
    known, kind = {}, facts.decisions.kind
    for row in facts.db.execute(
        "SELECT annotation, answers.* FROM annotations "
        "JOIN answers ON answers.number = annotations.answer"
    ):
        content = row["id"], from_column(row["label"], kind), row["who"]
        more = bool(row["is_final"]), json.loads(row["tags"] or "[]")
        known[row["annotation"]] = row["number"], (*content, *more)
    added, seen = [], set()
    for given in annotations:
        check_person(given.who, is_final=given.is_final)
        label = given.label
        label = None if label is None else check_label(facts, label)
        tags = check_tags(facts, given.tags)
        each = given._replace(label=label, at=stored_time(given.at, "at"), tags=tags)
        answer, content = known.get(each.number, (None, None))
        seen.add(each.number)
        if content != (each.id, each.label, each.who, each.is_final, tags):
            added.append((each, answer))
    gone = [
        (number, answer, content[0])
        for number, (answer, content) in known.items()
        if number not in seen and (ids is None or content[0] in ids)
    ]
    plan = Changes(added, gone)
    for id in find_unlearnable(facts.decisions, plan) if is_stream else ():
        raise ValueError(f"Row {id!r} is learned: a stream learner cannot unlearn.")
    return plan


def carry_out(facts, plan):
    """Store a plan; return True if the learner was taught a label that is withdrawn."""
    must_forget = False
    for each, old in plan.added:
        if each.label is None:  # first, because the learner forgets a withdrawn label
            must_forget |= withdraw(facts, old, each.who)
        number = facts.add_answer(
            each.id, each.label, each.who, is_final=each.is_final, at=each.at,
            tags=each.tags,
        )  # fmt: skip
        if each.label is not None:  # afterwards: the row stays labelled meanwhile
            must_forget |= withdraw(facts, old, each.who)
        put(facts.db, "annotations", annotation=each.number, answer=number)
    for number, answer, _ in plan.gone:
        must_forget |= withdraw(facts, answer)
        facts.db.execute("DELETE FROM annotations WHERE annotation = ?", (number,))
    if plan.gone:  # the learner may have rows to ask for again
        facts.change_learner(stop_reason=None)
    return must_forget


def withdraw(facts, number, by=None):
    """Withdraw an answer, unless there is none or somebody has withdrawn it.

    Parameters
    ----------
    number : int or None
        The answer.
    by : str, default=None
        Who withdraws it. None: whoever gave it.
    """
    answer = facts.decisions.answers.get(number)
    return answer is not None and facts.withdraw([answer], by or answer.who)


def find_unlearnable(decisions, plan):
    """Return the rows of a plan whose label a stream learner cannot unlearn."""
    taught = {
        id: from_column(row.taught.label, decisions.kind)
        for id, row in decisions.rows.items()
        if row.has_taught_label
    }
    found = {
        each.id
        for each, _ in plan.added
        if taught.get(each.id, each.label) != each.label
    }
    return found | {id for *_, id in plan.gone if id in taught}
