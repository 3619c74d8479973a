"""Annotations of another tool: which of them are new, changed or gone.

The table ``annotations`` links each annotation that was read to the answer that stands
for it. An annotation that was read before and has other content is a correction; one
that is gone is a withdrawal. Answers that people gave elsewhere are never touched.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from ..utils.typing import Id, Label
from ._answers import RowFacts, add_answer, withdraw_answers
from ._schema import from_column, put


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
    """

    number: int
    id: Id
    label: Label | None
    who: str
    is_final: bool = False
    at: str | None = None


class Differences(NamedTuple):
    """Numbers of annotations that differ from the last time they were read."""

    new: int
    changed: int
    withdrawn: int


class Plan(NamedTuple):
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
    db, kind, annotations: Iterable[Annotation], ids: Collection[Id] | None
):
    """Compare annotations with the ones read before; return a `Plan`.

    Parameters
    ----------
    db : Connection
        Connection to the session.
    kind : str or None
        Kind of the labels.
    annotations : iterable of Annotation
        In the order in which they were made or changed.
    ids : collection of str or int, or None
        Rows of which all annotations are given. None: all rows.
    """
    known = {}
    for row in db.execute(
        "SELECT annotation, answers.* FROM annotations "
        "JOIN answers ON answers.number = annotations.answer"
    ):
        content = row["id"], from_column(row["label"], kind), row["who"]
        known[row["annotation"]] = row["number"], (*content, bool(row["is_final"]))
    added, seen = [], set()
    for each in annotations:
        answer, content = known.get(each.number, (None, None))
        seen.add(each.number)
        if content != (each.id, each.label, each.who, each.is_final):
            added.append((each, answer))
    gone = [
        (number, answer, content[0])
        for number, (answer, content) in known.items()
        if number not in seen and (ids is None or content[0] in ids)
    ]
    return Plan(added, gone)


def carry_out(db, plan, votes):
    """Store a plan; return True if the learner was taught a label that is withdrawn."""
    must_forget = False
    for each, old in plan.added:
        numbers = [] if old is None else [old]
        if each.label is None:  # first, because the learner forgets a withdrawn label
            must_forget |= withdraw(db, votes, numbers, each.id, each.who)
        facts = RowFacts.read(db, each.id)[each.id]
        add_answer(
            db, votes, facts, label=each.label, who=each.who, is_final=each.is_final,
            at=each.at,
        )  # fmt: skip
        if each.label is not None:  # afterwards: the row stays labelled meanwhile
            must_forget |= withdraw(db, votes, numbers, each.id, each.who)
        put(db, "annotations", annotation=each.number, answer=facts.next_number)
    for number, answer, id in plan.gone:
        by = db.value("SELECT who FROM answers WHERE number = ?", answer)
        must_forget |= withdraw(db, votes, [answer], id, by)
        db.execute("DELETE FROM annotations WHERE annotation = ?", (number,))
    return must_forget


def withdraw(db, votes, numbers, id, by):
    """Withdraw answers that somebody may have withdrawn in another place."""
    sql = "SELECT 1 FROM answers WHERE number = ? AND withdrawn_at IS NULL"
    left = [number for number in numbers if db.row(sql, number)]
    return bool(left) and withdraw_answers(db, votes, left, id, by)


def find_unlearnable(db, plan, kind):
    """Return the rows of a plan whose label a stream learner cannot unlearn."""
    taught = {
        id: from_column(label, kind)
        for id, label in db.execute("SELECT id, label FROM taught")
        if label is not None
    }
    found = {
        each.id
        for each, _ in plan.added
        if taught.get(each.id, each.label) != each.label
    }
    return found | {id for *_, id in plan.gone if id in taught}
