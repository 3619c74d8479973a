"""Answers of people, the decisions that follow from them, and who gets which row."""

from collections import Counter
from typing import NamedTuple

from ._schema import change, next_number, now, put

#: What a row can be: ``rows.state``.
OPEN, LABELLED, SKIPPED, DISPUTED = "open", "labelled", "skipped", "disputed"
#: Why a row is in the file: ``rows.kind``. Nobody asked for a given one.
TEST, QUERY, GIVEN = "test", "query", "given"


MARKS = ", ".join("?" * 10)  # columns of ``rows``


class Decision(NamedTuple):
    """State of one row, as it follows from its answers."""

    state: str
    label: object  # None unless the state is "labelled"
    decided: int  # number of the answer that decided; 0 if the row is not decided
    standing: list  # numbers of the answers that count
    n_votes: int  # number of people who have voted
    wanted: int  # number of votes needed in all; 0 if the row is decided


def decide(answers, votes):
    """Return the decision on a row.

    A final answer decides. Otherwise, with one vote, the last answer decides; with
    several, that number of people have to vote, and one answer has to be more frequent
    than each other answer. In a tie one more person is asked.

    Parameters
    ----------
    answers : list of sqlite3.Row
        Answers that were not withdrawn, in order; each has ``number``, ``label``,
        ``who`` and ``is_final``.
    votes : int
        Number of people who are asked.
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
        counts = Counter(each["label"] for each in ordered).most_common(2)
        if len(counts) > 1 and counts[0][1] == counts[1][1]:
            return Decision(DISPUTED, None, 0, numbers, n_votes, n_votes + 1)
        winner, label = answers[-1], counts[0][0]
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


class RowFacts(NamedTuple):
    """Everything in the file that determines the decision on a row."""

    request: tuple | None  # purpose and place in the queue
    answers: list  # not withdrawn, in order
    has_note: bool
    fewer_votes: int | None  # votes that the row needs, if fewer than others
    taught: tuple | None  # the label that the learner knows

    @classmethod
    def read(cls, db, id):
        """Return the facts about one row."""

        def find(sql):
            return db.execute(f"SELECT {sql} WHERE id = ?", (id,)).fetchone()

        fewer = find("votes FROM row_votes")
        return cls(
            find("purpose, queue FROM requests"), answers_of(db, id),
            find("1 FROM notes") is not None, fewer and fewer[0],
            find("label FROM taught"),
        )  # fmt: skip

    @classmethod
    def read_all(cls, db):
        """Yield the id and the facts of each row in the file."""

        def find(sql):
            return {id: tuple(rest) for id, *rest in db.execute(f"SELECT id, {sql}")}

        requests, notes = find("purpose, queue FROM requests"), find("1 FROM notes")
        fewer, taught = find("votes FROM row_votes"), find("label FROM taught")
        answers = {}
        sql = "SELECT * FROM answers WHERE withdrawn_at IS NULL ORDER BY number"
        for answer in db.execute(sql):
            answers.setdefault(answer["id"], []).append(answer)
        for id in {**requests, **answers, **notes}:
            votes = fewer.get(id)
            yield (
                id,
                cls(
                    requests.get(id), answers.get(id, []), id in notes,
                    votes and votes[0], taught.get(id),
                ),
            )  # fmt: skip


def view_of_row(id, facts, votes):
    """Return the columns of ``rows`` for a row as they follow from the facts.

    Returns
    -------
    row : tuple or None
        None for a row without request, answer and note.
    standing : list of int
        Numbers of the answers that count.
    """
    request, answers = facts.request, facts.answers
    if request is None and not answers and not facts.has_note:
        return None, []
    fewer = facts.fewer_votes
    found = decide(answers, votes if fewer is None else min(votes, fewer))
    kind = GIVEN
    if request is not None:
        kind = TEST if request[0] == TEST else QUERY
    is_queued = kind != GIVEN and found.wanted > 0
    is_news = kind != TEST and found.wanted == 0
    if is_news and facts.taught is not None:
        is_news = facts.taught[0] != found.label
    row = (
        id, kind, found.state, found.label, found.decided,
        answers[-1]["number"] if answers else 0, found.n_votes, found.wanted,
        request[1] if is_queued else None, int(is_news),
    )  # fmt: skip
    return row, found.standing


def update_row(db, id, votes):
    """Store the decision on a row after one of its facts has changed."""
    row, standing = view_of_row(id, RowFacts.read(db, id), votes)
    db.execute("DELETE FROM standing WHERE id = ?", (id,))
    db.executemany("INSERT INTO standing VALUES (?, ?)", [(n, id) for n in standing])
    if row is None:
        db.execute("DELETE FROM rows WHERE id = ?", (id,))
        return
    db.execute(f"INSERT OR REPLACE INTO rows VALUES ({MARKS})", row)
    if row[-2] is None:  # nobody has to wait for an answer
        db.execute("DELETE FROM leases WHERE id = ?", (id,))


def decide_all_rows(db, votes):
    """Return ``rows`` and ``standing`` as they follow from all facts."""
    rows, standing = [], []
    for id, facts in RowFacts.read_all(db):
        row, numbers = view_of_row(id, facts, votes)
        rows.append(row)
        standing += [(number, id) for number in numbers]
    return rows, standing


def update_all_rows(db, votes):
    """Store the decisions on all rows."""
    rows, standing = decide_all_rows(db, votes)
    db.execute("DELETE FROM rows")
    db.execute("DELETE FROM standing")
    db.executemany(f"INSERT INTO rows VALUES ({MARKS})", rows)
    db.executemany("INSERT INTO standing VALUES (?, ?)", standing)
    db.execute(
        "DELETE FROM leases WHERE id IN (SELECT id FROM rows WHERE queue IS NULL)"
    )


def check_decisions(db, votes):
    """Raise ValueError unless ``rows`` and ``standing`` follow from the facts."""
    rows, standing = decide_all_rows(db, votes)
    found = {tuple(row) for row in db.execute("SELECT * FROM rows")}
    stored = {tuple(row) for row in db.execute("SELECT * FROM standing")}
    if found != {*rows} or stored != {*standing}:
        raise ValueError("the decisions in it do not follow from its answers")


# --- changes


def add_answer(db, votes, *, id, label, who, is_final=False, reason=None, at=None):
    """Store an answer; ``label=None`` is a skip."""
    put(
        db, "answers", number=next_number(db, "answers"), id=id, label=label, who=who,
        at=at or now(), is_final=int(is_final), reason=reason, renamed_from=None,
        withdrawn_at=None, withdrawn_by=None,
    )  # fmt: skip
    db.execute("DELETE FROM leases WHERE id = ? AND who IS ?", (id, who))
    update_row(db, id, votes)


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
    (first,) = db.execute("SELECT min(queue) FROM requests").fetchone()
    change(db, "requests", "id = ?", (id,), queue=(first or 0) - 1)
    update_row(db, id, votes)
    row = db.execute("SELECT state FROM rows WHERE id = ?", (id,)).fetchone()
    state = None if row is None else row[0]
    if state in (LABELLED, SKIPPED):
        taught = db.execute("SELECT label FROM taught WHERE id = ?", (id,)).fetchone()
        if state == LABELLED or taught is None or taught[0] is None:
            return False
    n_forgotten = db.execute("DELETE FROM taught WHERE id = ?", (id,)).rowcount
    if n_forgotten:
        update_row(db, id, votes)
    return n_forgotten > 0


def put_note(db, votes, id, text, who):
    """Store a note in place of an earlier note of this person; "" deletes it."""
    db.execute("DELETE FROM notes WHERE id = ? AND who IS ?", (id, who))
    if text:
        number = next_number(db, "notes")
        put(db, "notes", number=number, id=id, who=who, text=text, at=now())
    update_row(db, id, votes)


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
    values = {"who": who, "now": at}
    for condition in (HELD, ""):
        sql = FREE_ROWS.format(condition=condition)
        if (found := db.execute(sql, values).fetchone()) is not None:
            return found[0]
    return None


def lease_end(db, id, who):
    """Return when the lease of a person on a row ends; 0 if there is none."""
    found = db.execute(
        "SELECT until FROM leases WHERE id = ? AND who IS ?", (id, who)
    ).fetchone()
    return found[0] if found else 0.0


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
    sql = "SELECT * FROM answers WHERE who IS :who AND withdrawn_at IS NULL"
    sql += "" if id is None else " AND id = :id"
    values = {"who": who, "id": id}
    return db.execute(f"{sql} ORDER BY number DESC LIMIT 1", values).fetchone()


def decided_labels(db):
    """Return the labels of all labelled rows by id, in the order of the decisions."""
    return dict(
        db.execute(
            "SELECT id, label FROM rows WHERE state = 'labelled' ORDER BY decided"
        ).fetchall()
    )
