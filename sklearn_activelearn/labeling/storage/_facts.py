"""Facts of a session: each is appended to the file, and to the decisions in memory.

All writing to a session goes through `Facts`, inside `SessionFile.writing`. If a
transaction fails, or Ctrl-C comes, the file rolls back, and the facts in memory are
read again from it: memory never says more or less than the file.
"""

import json
from itertools import chain

from ._decisions import (
    LABELLED,
    SKIPPED,
    Answer,
    Decisions,
    Note,
    Requested,
    Taught,
)
from ._labels import to_column
from ._schema import COLUMNS, next_number, now, put, read_checked, to_json

#: Columns of the table ``learners`` that hold JSON.
JSON_OF_LEARNER = "description", "seeds", "progress"


class Facts:
    """Content of the file of a session, and the decisions that follow from it.

    Parameters
    ----------
    db : Connection
        Connection to the session.

    Attributes
    ----------
    settings : dict
        The settings without the fingerprint of the pool (`read_pool`).
    learner : dict
        The row of the current learner, JSON parsed. Empty if the session was created
        and not begun.
    decisions : Decisions or None
        All rows, with the decisions on them; None before `read_rows`.

    Raises
    ------
    ValueError
        If a row of a table is missing or does not match its checksum.
    """

    def __init__(self, db):
        self.db = db
        self.settings = {
            name: json.loads(value)
            for name, value in read_checked(db, "settings")
            if name != "pool"
        }
        self.learner, self.decisions = {}, None
        for values in read_checked(db, "learners"):
            self.learner = dict(zip(COLUMNS["learners"], values, strict=True))
        for name in JSON_OF_LEARNER if self.learner else ():
            self.learner[name] = json.loads(self.learner[name])

    @property
    def is_begun(self):
        """False for a file that was created and not begun."""
        return len(self.settings) > 1

    def read_rows(self):
        """Read the facts on all rows, and decide each row."""
        votes, kind = (self.settings.get(name) for name in ("votes", "label_kind"))
        self.decisions = decisions = Decisions(votes, kind)
        requests, answers, notes, taught = {}, {}, {}, {}
        for request in map(Requested._make, read_checked(self.db, "requests")):
            requests[request.id] = (*requests.get(request.id, ()), request)
        for answer in map(Answer._make, read_checked(self.db, "answers")):
            if answer.withdrawn_at is None:
                decisions.answers[answer.number] = answer
                answers[answer.id] = (*answers.get(answer.id, ()), answer)
        for note in map(Note._make, read_checked(self.db, "notes")):
            notes[note.id] = (*notes.get(note.id, ()), note)
        for each in map(Taught._make, read_checked(self.db, "taught")):
            taught[each.id] = each
        fewer_votes = dict(read_checked(self.db, "row_votes"))
        for id in dict.fromkeys(chain(requests, answers, notes, taught, fewer_votes)):
            decisions.put(
                id, requests=requests.get(id, ()), fewer_votes=fewer_votes.get(id),
                taught=taught.get(id), notes=notes.get(id, ()),
                answers=answers.get(id, ()),
            )  # fmt: skip
        for _, id, who, until in self.db.execute(
            "SELECT * FROM leases ORDER BY number"
        ):
            decisions.leases.setdefault(id, {})[who] = until

    def read_pool(self):
        """Return the fingerprint of the pool."""
        sql = "SELECT value FROM settings WHERE name = 'pool'"
        return json.loads(self.db.value(sql))

    # --- settings and learners

    def put_settings(self, **settings):
        """Store settings by name."""
        for name, value in settings.items():
            put(self.db, "settings", name=name, value=to_json(value))
            if name != "pool":
                self.settings[name] = value
        self.decisions.kind = self.settings.get("label_kind")
        self.decisions.votes = self.settings.get("votes")

    def put_learner(self, description, seeds, budget):
        """Store a learner that has not asked yet as the current one."""
        self.change_learner(
            number=next_number(self.db, "learners"), description=description,
            seeds=seeds, budget=budget, at=now(), queries=0, is_settled=0,
            stop_reason=None, position=0, progress=None,
        )  # fmt: skip

    def change_learner(self, **changes):
        """Change columns of the current learner."""
        learner = {**self.learner, **changes}
        texts = {name: to_json(learner[name]) for name in JSON_OF_LEARNER}
        put(self.db, "learners", **{**learner, **texts})  # first: it can fail
        self.learner = learner

    def forget_progress(self):
        """Reset the memory of the stopping rules, as after a correction."""
        progress = self.learner["progress"]
        if progress is not None:
            progress = {**progress, "has_stopped": False, "stopping": []}
            self.change_learner(progress=progress, stop_reason=None)

    # --- rows

    def add_request(
        self, id, purpose, probability, query, queue=None, query_reason=None, twin=None
    ):
        """Store that a row is asked for, or held out; the last rows are shown last.

        `twin` is the row, if `id` stands for it. If people have skipped it, the learner
        is to be told so again.
        """
        number = next_number(self.db, "requests")
        request = Requested(
            number, id, purpose, probability, self.learner["number"], query,
            number if queue is None else queue, query_reason, now(), twin,
        )  # fmt: skip
        put(self.db, "requests", **request._asdict())
        row = self.decisions[id]
        row = self.decisions.put(id, requests=(*row.requests, request))
        if row.taught and not row.has_taught_label:
            self.forget_taught(id)

    def add_answer(
        self, id, label, who, *, is_final=False, reason=None, at=None, tags=()
    ):
        """Store an answer; ``label=None`` is a skip. Return its number."""
        number = next_number(self.db, "answers")
        answer = Answer(
            number, id, to_column(label), who, at or now(), int(is_final), reason,
            to_json([*tags]) if tags else None,
        )  # fmt: skip
        put(self.db, "answers", **answer._asdict())
        self.decisions.answers[number] = answer
        row = self.decisions[id]
        row = self.decisions.put(id, answers=(*row.answers, answer))
        self._end_leases(row, who)
        return number

    def withdraw(self, answers, by):
        """Mark answers to one row as withdrawn; the row is shown first again.

        Returns
        -------
        must_forget : bool
            True if the learner was taught a label of the row that no answer has any
            more.
        """
        id = answers[0].id
        row = self.decisions[id]
        for each in answers:
            withdrawn = each._replace(withdrawn_at=now(), withdrawn_by=by)
            put(self.db, "answers", **withdrawn._asdict())
            del self.decisions.answers[each.number]
        queue = (self.db.value("SELECT min(queue) FROM requests") or 0) - 1
        requests = tuple(each._replace(queue=queue) for each in row.requests)
        for each in requests:
            put(self.db, "requests", **each._asdict())
        left = tuple(each for each in row.answers if each not in answers)
        row = self.decisions.put(id, answers=left, requests=requests)
        self._end_leases(row)
        is_known_skip = row.state == SKIPPED and not row.has_taught_label
        if row.state == LABELLED or is_known_skip or not row.taught:
            return False
        self.forget_taught(id)
        return True

    def put_note(self, id, text, who):
        """Store a note in place of an earlier note of this person; "" deletes it."""
        self.db.execute("DELETE FROM notes WHERE id = ? AND who IS ?", (id, who))
        notes = [each for each in self.decisions[id].notes if each.who != who]
        if text:
            note = Note(next_number(self.db, "notes"), id, who, text, now())
            put(self.db, "notes", **note._asdict())
            notes.append(note)
        self.decisions.put(id, notes=tuple(notes))

    def put_taught(self, taught):
        """Store what the learner is taught of a row, and in which call."""
        put(self.db, "taught", **taught._asdict())
        self.decisions.put(taught.id, taught=taught)

    def forget_taught(self, id):
        """Store that the learner knows no answer to a row."""
        self.db.execute("DELETE FROM taught WHERE id = ?", (id,))
        self.decisions.put(id, taught=None)

    # --- leases

    def lease(self, id, who, until):
        """Keep a row for a person until a time in seconds since 1970."""
        leases = self.decisions.leases.setdefault(id, {})
        sql = "INSERT INTO leases (until, id, who) VALUES (?, ?, ?)"
        if who in leases:
            sql = "UPDATE leases SET until = ? WHERE id = ? AND who = ?"
        self.db.execute(sql, (until, id, who))
        leases[who] = until

    def _end_leases(self, row, who=None):
        """End the lease of a person, and all leases if nobody has to answer the row."""
        leases = self.decisions.leases.get(row.id, {})
        ended = [who] * (who in leases) if row.is_queued else [*leases]
        for each in ended:
            del leases[each]
            sql = "DELETE FROM leases WHERE id = ? AND who = ?"
            self.db.execute(sql, (row.id, each))
