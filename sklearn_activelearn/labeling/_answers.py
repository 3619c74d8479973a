"""Answers of people, the decisions that follow from them, and who gets which row."""

import json
from collections import Counter
from itertools import chain
from typing import NamedTuple

from ._schema import (
    SEVERAL,
    change,
    get_settings,
    next_number,
    now,
    put,
    to_column,
)

#: What a row can be: ``rows.state``.
OPEN, LABELLED, SKIPPED, DISPUTED = "open", "labelled", "skipped", "disputed"
#: Why a row is in the file: ``rows.kind``. Nobody asked for a given one.
TEST, QUERY, GIVEN = "test", "query", "given"


MARKS = ", ".join("?" * 10)  # columns of ``rows``
QUEUE = 8  # place of the column ``queue``


class Decision(NamedTuple):
    """State of one row, as it follows from its answers."""

    state: str
    label: object  # None unless the state is "labelled"
    decided: int  # number of the answer that decided; 0 if the row is not decided
    standing: list  # numbers of the answers that count
    n_votes: int  # number of people who have voted
    wanted: int  # number of votes needed in all; 0 if the row is decided


def count_votes(votes, kind):
    """Return the label that most people gave, and the labels on which votes are tied.

    Parameters
    ----------
    votes : list
        The vote of each person as a column holds it; None is a skip.
    kind : str or None
        Kind of the labels. Several labels of a row are decided one by one: a row gets
        each label that more than half of those who did not skip it have chosen.

    Returns
    -------
    label : object
        As a column holds it; None: the row is skipped.
    tied : list or None
        Labels on which votes are tied, all answers if rows have one label or half of
        the people have skipped the row; None: the label is decided.
    """
    if kind != SEVERAL:
        counts = Counter(votes).most_common()
        tied = [label for label, n in counts if n == counts[0][1]]
        return counts[0][0], tied if len(tied) > 1 else None
    given = [json.loads(vote) for vote in votes if vote is not None]
    counts, n_skips = Counter(chain(*given)), len(votes) - len(given)
    if n_skips >= len(given):
        return None, [*counts] if n_skips == len(given) else None
    tied = sorted(label for label, n in counts.items() if 2 * n == len(given))
    chosen = [label for label, n in counts.items() if 2 * n > len(given)]
    return to_column(chosen), tied or None


def decide(answers, votes, kind=None):
    """Return the decision on a row.

    A final answer decides. Otherwise, with one vote, the last answer decides; with
    several, that number of people have to vote, and one answer has to be more frequent
    than each other answer (of several labels, each is decided). In a tie one more
    person is asked.

    Parameters
    ----------
    answers : list of sqlite3.Row
        Answers that were not withdrawn, in order; each has ``number``, ``label``,
        ``who`` and ``is_final``.
    votes : int
        Number of people who are asked.
    kind : str, default=None
        Kind of the labels.
    """
    last_votes = {each["who"]: each for each in answers if not each["is_final"]}
    final = next((each for each in reversed(answers) if each["is_final"]), None)
    ordered = sorted(last_votes.values(), key=lambda each: each["number"])
    standing = ordered[-1:] if votes == 1 else ordered
    if final is not None:
        standing = [final] if votes == 1 else [*standing, final]
    numbers, n_votes = [each["number"] for each in standing], len(last_votes)
    label, winner = None, final
    if final is not None:
        label = final["label"]
    elif votes == 1 and standing:
        winner, label = standing[0], standing[0]["label"]
    elif n_votes >= votes:
        label, tied = count_votes([each["label"] for each in ordered], kind)
        if tied is not None:
            return Decision(DISPUTED, None, 0, numbers, n_votes, n_votes + 1)
        winner = answers[-1]
    if winner is None:
        return Decision(OPEN, None, 0, numbers, n_votes, votes)
    state = SKIPPED if label is None else LABELLED
    return Decision(state, label, winner["number"], numbers, n_votes, 0)


def answers_of(db, id):
    """Return the answers to a row that were not withdrawn, in order."""
    return db.execute(
        "SELECT * FROM answers WHERE id = ? AND withdrawn_at IS NULL ORDER BY number",
        (id,),
    ).fetchall()


#: All facts on rows; a row of the result for each answer that was not withdrawn. The
#: last request counts: an earlier learner may have asked for the row, too.
FACTS_OF_ROWS = """SELECT asked.id AS row, purpose, queue, votes,
  taught.id NOT NULL AS is_taught, taught.label AS taught,
  EXISTS (SELECT 1 FROM notes WHERE notes.id = asked.id) AS has_notes,
  (SELECT coalesce(max(number), 0) + 1 FROM answers) AS next_number, answers.*
FROM ({ids}) AS asked
LEFT JOIN requests ON requests.number =
  (SELECT max(number) FROM requests WHERE requests.id = asked.id)
LEFT JOIN row_votes ON row_votes.id = asked.id
LEFT JOIN taught ON taught.id = asked.id
LEFT JOIN answers ON answers.id = asked.id AND withdrawn_at IS NULL
ORDER BY answers.number"""
ALL_IDS = (
    "SELECT id FROM requests UNION SELECT id FROM answers UNION SELECT id FROM notes"
)


class RowFacts(NamedTuple):
    """Facts from which the decision on a row follows."""

    id: object
    purpose: str | None  # None: nobody asked for it
    queue: int | None
    votes: int | None  # number of people who are asked; None: as in the settings
    taught: tuple  # the label that the learner was taught; empty without one
    has_notes: bool
    next_number: int  # of an answer to any row
    answers: list  # answers that were not withdrawn, in order

    @classmethod
    def read(cls, db, id=None):
        """Return the facts on a row by its id, or on all rows in the file."""
        ids, values = (ALL_IDS, ()) if id is None else ("SELECT ? AS id", (id,))
        found = {}
        for each in db.execute(FACTS_OF_ROWS.format(ids=ids), values):
            if each["row"] not in found:
                taught = (each["taught"],) if each["is_taught"] else ()
                found[each["row"]] = cls(
                    each["row"], each["purpose"], each["queue"], each["votes"], taught,
                    bool(each["has_notes"]), each["next_number"], [],
                )  # fmt: skip
            if each["number"] is not None:
                found[each["row"]].answers.append(each)
        return found

    def entry(self, votes, label_kind):
        """Return the entry in ``rows``, None without one, and the standing answers."""
        if self.purpose is None and not self.answers and not self.has_notes:
            return None, []
        votes = votes if self.votes is None else min(votes, self.votes)
        found = decide(self.answers, votes, label_kind)
        kind = {None: GIVEN, TEST: TEST}.get(self.purpose, QUERY)
        is_open, is_known = found.wanted > 0, self.taught == (found.label,)
        row = (
            self.id, kind, found.state, found.label, found.decided,
            self.answers[-1]["number"] if self.answers else 0,
            found.n_votes, found.wanted, self.queue if is_open else None,
            int(kind != TEST and not is_open and not is_known),
        )  # fmt: skip
        return row, found.standing


def decide_rows(db, votes, id=None):
    """Return ``rows`` and ``standing`` as they follow from the facts.

    Parameters
    ----------
    votes : int
        Number of people who are asked.
    id : str or int, default=None
        A row; None: all rows.
    """
    rows, standing, label_kind = [], [], get_settings(db).get("label_kind")
    for key, facts in RowFacts.read(db, id).items():
        row, numbers = facts.entry(votes, label_kind)
        rows += [] if row is None else [row]
        standing += [(number, key) for number in numbers]
    return rows, standing


def update_rows(db, votes, id=None):
    """Store the decision on a row after one of its facts has changed, or on all."""
    where, values = ("TRUE", ()) if id is None else ("id = ?", (id,))
    rows, standing = decide_rows(db, votes, id)
    for table in "rows", "standing":
        db.execute(f"DELETE FROM {table} WHERE {where}", values)
    db.executemany(f"INSERT INTO rows VALUES ({MARKS})", rows)
    db.executemany("INSERT INTO standing VALUES (?, ?)", standing)
    db.execute(  # nobody has to wait for an answer to a row that is decided
        f"""DELETE FROM leases WHERE {where}
        AND id IN (SELECT id FROM rows WHERE {where} AND queue IS NULL)""",
        (*values, *values),
    )


def check_decisions(db, votes):
    """Raise ValueError unless ``rows`` and ``standing`` follow from the facts."""
    for table, rows in zip(("rows", "standing"), decide_rows(db, votes), strict=True):
        if {tuple(row) for row in db.execute(f"SELECT * FROM {table}")} != {*rows}:
            raise ValueError("the decisions in it do not follow from its answers")


# --- changes


def add_answer(db, votes, facts, *, label, who, is_final=False, reason=None, at=None):
    """Store an answer to the row of these facts; ``label=None`` is a skip."""
    answer = {
        "number": facts.next_number, "id": facts.id, "label": to_column(label),
        "who": who, "at": at or now(), "is_final": int(is_final), "reason": reason,
        "renamed_from": None, "withdrawn_at": None, "withdrawn_by": None,
    }  # fmt: skip
    put(db, "answers", **answer)
    # as `update_rows`, without reading again, and without writing what stays
    label_kind = get_settings(db).get("label_kind")
    before = facts.entry(votes, label_kind)[1]
    facts = facts._replace(answers=[*facts.answers, answer])
    row, standing = facts.entry(votes, label_kind)
    db.execute(f"INSERT OR REPLACE INTO rows VALUES ({MARKS})", row)
    old, new = ({*numbers} for numbers in (before, standing))
    if len(old - new) == len(new - old) == 1:  # a correction
        numbers = *(new - old), *(old - new)
        db.execute("UPDATE standing SET number = ? WHERE number = ?", numbers)
    else:
        db.executemany("DELETE FROM standing WHERE number = ?", [*zip(old - new)])
        entries = [(number, facts.id) for number in sorted(new - old)]
        db.executemany("INSERT INTO standing VALUES (?, ?)", entries)
    is_decided = row[QUEUE] is None
    db.execute(
        "DELETE FROM leases WHERE id = ? AND (? OR who IS ?)",
        (facts.id, is_decided, who),
    )


def withdraw_answers(db, votes, numbers, id, by):
    """Mark answers to a row as withdrawn; the row is shown first again.

    Returns
    -------
    must_forget : bool
        True if the learner was taught a label of the row that no answer has any more.
    """
    for number in numbers:
        change(
            db, "answers", "number = ?", (number,), withdrawn_at=now(), withdrawn_by=by
        )
    first = db.value("SELECT min(queue) FROM requests") or 0
    change(db, "requests", "id = ?", (id,), queue=first - 1)
    update_rows(db, votes, id)
    state = db.value("SELECT state FROM rows WHERE id = ?", id)
    taught = db.value("SELECT label FROM taught WHERE id = ?", id)
    if state == LABELLED or (state == SKIPPED and taught is None):
        return False
    n_forgotten = db.execute("DELETE FROM taught WHERE id = ?", (id,)).rowcount
    if n_forgotten:
        update_rows(db, votes, id)
    return n_forgotten > 0


def put_note(db, votes, id, text, who):
    """Store a note in place of an earlier note of this person; "" deletes it."""
    db.execute("DELETE FROM notes WHERE id = ? AND who IS ?", (id, who))
    if text:
        number = next_number(db, "notes")
        put(db, "notes", number=number, id=id, who=who, text=text, at=now())
    update_rows(db, votes, id)


def lease_row(db, id, who, until):
    """Keep a row for a person until a time in seconds since 1970."""
    held = db.execute(
        "UPDATE leases SET until = ? WHERE id = ? AND who IS ?", (until, id, who)
    )
    if not held.rowcount:
        number = next_number(db, "leases")
        db.execute("INSERT INTO leases VALUES (?, ?, ?, ?)", (number, id, who, until))


# --- queries

#: Rows that a person may label now: they have not voted on it, and those who hold it
#: leave a vote open. Somebody who holds a row waits only for those who held it before.
FREE_ROWS = """SELECT rows.id FROM rows
LEFT JOIN leases AS own
  ON own.id = rows.id AND own.who IS :who AND own.until > :now
WHERE rows.queue IS NOT NULL {condition}
AND NOT EXISTS (SELECT 1 FROM answers WHERE answers.id = rows.id
  AND answers.who IS :who AND NOT is_final AND withdrawn_at IS NULL)
AND rows.n_votes + (SELECT count(*) FROM leases
  WHERE leases.id = rows.id AND leases.until > :now AND leases.who IS NOT :who
  AND (own.number IS NULL OR leases.number < own.number)
  AND NOT EXISTS (SELECT 1 FROM answers WHERE answers.id = rows.id
    AND answers.who IS leases.who AND NOT is_final AND withdrawn_at IS NULL)
) < rows.wanted
ORDER BY rows.queue LIMIT 1"""
HELD = "AND rows.id IN (SELECT id FROM leases WHERE who IS :who)"


def find_free_row(db, who, at):
    """Return the id of the row that a person is to label, None if there is none.

    Parameters
    ----------
    who : str or None
        The person.
    at : float
        The time in seconds since 1970.
    """
    for condition in (HELD, ""):
        sql = FREE_ROWS.format(condition=condition)
        if found := db.execute(sql, {"who": who, "now": at}).fetchone():
            return found[0]
    return None


def count_rows(db):
    """Return the number of rows with each (kind, state), and with each label."""
    states, labels = Counter(), Counter()
    sql = "SELECT kind, state, label, count(*) FROM rows GROUP BY state, kind, label"
    for kind, state, label, n in db.execute(sql):
        states[kind, state] += n
        if state == LABELLED:
            labels[label] += n
    return states, labels


def count_answers(db, who=None, *, everybody=False):
    """Return the number of rows with each last answer (None: skip), by person."""
    sql = f"""SELECT who, label, count(*) FROM (
      SELECT who, label, max(number) FROM answers
      WHERE withdrawn_at IS NULL {"" if everybody else "AND who IS ?"} GROUP BY who, id
    ) GROUP BY who, label"""
    found = {}
    for name, label, n in db.execute(sql, () if everybody else (who,)):
        found.setdefault(name, Counter())[label] = n
    return found


def last_answer(db, who, id=None):
    """Return the last answer of a person to any row or to one; None without one."""
    return db.execute(
        f"""SELECT * FROM answers WHERE who IS :who AND withdrawn_at IS NULL
        {"" if id is None else "AND id = :id"} ORDER BY number DESC LIMIT 1""",
        {"who": who, "id": id},
    ).fetchone()
