"""The tables of a session in SQLite, and rows with checksums.

The tables hold facts, and a person may read them with ``sqlite3``:

- ``settings``: what the session was opened with, one JSON value for each name.
- ``learners``: each learner that the session has had; the last one is used.
- ``requests``: rows that were held out for testing or asked for, in this order.
- ``answers``: labels and skips (``label`` is NULL), in the order in which they came.
  Several labels of a row are a list of JSON, sorted; an empty list is an answer, too.
- ``taught``: what the current learner was taught of each row, and in which call.
- ``annotations``: annotations of another tool, each with the answer that it became.
- ``notes``, ``models`` (predictions for the held-out rows), ``leases``, ``row_votes``.

``rows`` (the decision on each row) and ``standing`` (the answers that count) follow
from these tables. They are kept for quick and simple queries, and are compared with the
facts whenever the file is opened.
"""

import json
import sqlite3
from datetime import UTC, datetime
from math import isfinite
from zlib import crc32

import numpy as np

from ..base import is_whole

#: Version of the schema.
FORMAT = 1
#: Kind of the labels of a session in which a row may have several.
SEVERAL = "several"

#: Types of columns; SQLite checks them whenever a row is stored or a file is opened.
TYPES = {
    "NUMBER": "INTEGER PRIMARY KEY",
    "KEY": "PRIMARY KEY NOT NULL CHECK (typeof({0}) IN ('text', 'integer'))",
    "ID": "NOT NULL CHECK (typeof({0}) IN ('text', 'integer'))",
    "LABEL": "CHECK (typeof({0}) IN ('null', 'text', 'integer', 'real'))",
    "NAME": "TEXT CHECK (typeof({0}) IN ('null', 'text'))",
    "TEXT": "TEXT NOT NULL CHECK (typeof({0}) = 'text')",
    "TIME": "TEXT NOT NULL CHECK ({0} GLOB '[0-9]*-*T*:*+00:00')",
    "COUNT": "INTEGER NOT NULL CHECK (typeof({0}) = 'integer' AND {0} >= 0)",
    "PLACE": "INTEGER CHECK (typeof({0}) IN ('null', 'integer'))",
    "FLAG": "INTEGER NOT NULL CHECK ({0} IN (0, 1))",
    "LIMIT": "INTEGER CHECK ({0} IS NULL OR (typeof({0}) = 'integer' AND {0} >= 0))",
    "SHARE": "REAL CHECK ({0} IS NULL OR {0} BETWEEN 0 AND 1)",
    "SECONDS": "REAL NOT NULL CHECK (typeof({0}) = 'real')",
}
#: Tables with facts; each row has a checksum.
FACTS = {
    "settings": "name KEY, value TEXT",
    "learners": "number NUMBER, description TEXT, seeds TEXT, "
    "budget LIMIT, at TIME, queries COUNT, is_settled FLAG, stop_reason NAME, "
    "position COUNT, progress NAME",
    "requests": "number NUMBER, id ID, purpose TEXT, probability SHARE, "
    "learner COUNT, query COUNT, queue PLACE, at TIME",
    "answers": "number NUMBER, id ID, label LABEL, who NAME, at TIME, is_final FLAG, "
    "reason NAME, renamed_from LABEL, withdrawn_at NAME, withdrawn_by NAME",
    "taught": "id KEY, label LABEL, call COUNT, place COUNT, changed COUNT",
    "notes": "number NUMBER, id ID, who NAME, text TEXT, at TIME",
    "models": "number NUMBER, learner COUNT, n_labels COUNT, predicted TEXT",
    "row_votes": "id KEY, votes COUNT",
    "annotations": "annotation NUMBER, answer COUNT",
}
#: Tables that follow from the facts, and leases, which end anyway.
OTHERS = {
    "leases": "number NUMBER, id ID, who NAME, until SECONDS",
    "rows": "id KEY, kind TEXT, state TEXT, label LABEL, decided COUNT, "
    "answered COUNT, n_votes COUNT, wanted COUNT, queue PLACE, is_news FLAG",
    "standing": "number NUMBER, id ID",
}
INDEXES = {
    "requests_of_row": "requests (id)",
    "answers_of_row": "answers (id)",
    "answers_of_person": "answers (who, id, number)",
    "taught_changed": "taught (changed)",
    "taught_labels": "taught (id) WHERE label IS NOT NULL",
    "notes_of_row": "notes (id)",
    "leases_of_row": "leases (id)",
    "rows_counted": "rows (state, kind, label)",
    "rows_listed": "rows (answered, state, label, id)",
    "rows_queued": "rows (queue) WHERE queue IS NOT NULL",
    "rows_news": "rows (decided) WHERE is_news",
    "standing_of_row": "standing (id)",
}


def create_statement(name, columns):
    """Return the statement that creates a table."""
    pairs = [column.split() for column in columns.split(", ")]
    lines = [f"{column} {TYPES[kind].format(column)}" for column, kind in pairs]
    lines += ["checksum INTEGER NOT NULL"] if name in FACTS else []
    body = ",\n  ".join(lines)
    return f"CREATE TABLE {name} (\n  {body}\n)"


STATEMENTS = {
    **{name: create_statement(name, each) for name, each in (FACTS | OTHERS).items()},
    **{name: f"CREATE INDEX {name} ON {body}" for name, body in INDEXES.items()},
    "labels": """CREATE VIEW labels AS
  SELECT rows.id, rows.label, (SELECT group_concat(DISTINCT vote.who) FROM standing
    JOIN answers AS vote USING (number)
    WHERE standing.id = rows.id AND (vote.label IS rows.label OR
      (SELECT value FROM settings WHERE name = 'label_kind') = '"several"'
      AND vote.label NOT NULL)) AS who,
    answers.at, rows.kind
  FROM rows JOIN answers ON answers.number = rows.decided
  WHERE rows.state = 'labelled' ORDER BY rows.decided""",
}
#: Columns of the tables with facts, without the checksum.
COLUMNS = {
    name: [column.split()[0] for column in columns.split(", ")]
    for name, columns in FACTS.items()
}


class Connection(sqlite3.Connection):
    """A connection to a session, with short ways to read.

    Attributes
    ----------
    settings : list of tuple or None
        Content of the table ``settings`` without the pool, once it was read. The one
        writer keeps it: a change by another program is refused by `Storage.writing`.
    """

    settings = None

    def row(self, sql, *values):
        """Return the first row that a query finds, None without one."""
        return self.execute(sql, values).fetchone()

    def value(self, sql, *values):
        """Return the first value of the first row, None without a row."""
        found = self.row(sql, *values)
        return None if found is None else found[0]

    def column(self, sql, *values):
        """Return the first values of all rows."""
        return [row[0] for row in self.execute(sql, values).fetchall()]


def to_json(value):
    """Return a value as JSON in one form."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True)


def now():
    """Return the time as it is stored: ISO 8601, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def checksum(values):
    """Return a checksum of the values of a row."""
    return crc32(json.dumps([*values]).encode())


def put(db, table, **values):
    """Insert a row with its checksum, or replace the row with the same key."""
    row = [values[name] for name in COLUMNS[table]]
    row = [int(value) if isinstance(value, bool) else value for value in row]
    marks = ", ".join("?" * (len(row) + 1))
    db.execute(
        f"INSERT OR REPLACE INTO {table} VALUES ({marks})", (*row, checksum(row))
    )


def change(db, table, where, values, **changes):
    """Change columns of the rows for which a condition holds."""
    found = db.execute(f"SELECT * FROM {table} WHERE {where}", values).fetchall()
    for row in found:
        row = dict(row)
        del row["checksum"]
        put(db, table, **{**row, **changes})


def next_number(db, table):
    """Return the number of the next row of a table."""
    return db.value(f"SELECT coalesce(max(number), 0) + 1 FROM {table}")


def get_settings(db):
    """Return the settings as a dict, without the hashes of the rows (`get_pool`)."""
    found = db.settings
    if found is None:
        sql = "SELECT name, value FROM settings WHERE name != 'pool'"
        found = db.execute(sql).fetchall()
        if not db.in_transaction:  # which may be rolled back
            db.settings = found
    return {name: json.loads(value) for name, value in found}


def get_pool(db):
    """Return the fingerprint of the pool."""
    return json.loads(db.value("SELECT value FROM settings WHERE name = 'pool'"))


def put_settings(db, **settings):
    """Store settings by name."""
    for name, value in settings.items():
        put(db, "settings", name=name, value=to_json(value))
    db.settings = None


def current_learner(db):
    """Return the row of the current learner as a dict, JSON parsed."""
    found = db.row("SELECT * FROM learners ORDER BY number DESC LIMIT 1")
    row = {name: found[name] for name in COLUMNS["learners"]}
    for name in ("description", "seeds", "progress"):
        row[name] = None if row[name] is None else json.loads(row[name])
    return row


def change_learner(db, **changes):
    """Change columns of the current learner."""
    last = "number = (SELECT max(number) FROM learners)"
    change(db, "learners", last, (), **changes)


# --- labels and ids


def label_kind(label):
    """Return "text", "flag" or "number", None if this can be no label."""
    if isinstance(label, str):
        return "text"
    if isinstance(label, bool):
        return "flag"
    if is_whole(label):
        return "number" if -(2**63) <= label < 2**63 else None
    return "number" if isinstance(label, float) and isfinite(label) else None


def check_row_labels(labels, known):
    """Return the labels of a row, sorted and each once; raise ValueError for others."""
    if not isinstance(labels, list | tuple | set | frozenset | np.ndarray):
        raise ValueError(
            "A row may have several labels here: pass a list, which is empty if none "
            f"applies, got {labels!r}."
        )
    if not all(isinstance(label, str) for label in labels):
        raise ValueError(
            "The labels of a row are texts, the names of all labels that apply, got "
            f"{labels!r}. Of an indicator row, pass the names of the columns with a 1."
        )
    labels = sorted({f"{label}" for label in labels})
    for label in labels:
        if label not in known:
            raise ValueError(f"The label {label!r} is not among {known}.")
    return labels


def is_label(label, kind, classes):
    """Return True if a label is of this kind, and one of the classes if given."""
    if kind == SEVERAL:
        return isinstance(label, list) and label == sorted({*label} & {*classes})
    return label_kind(label) == kind and (classes is None or label in classes)


def from_column(label, kind):
    """Return a label as a person gave it: SQLite has neither flags nor lists."""
    if kind == SEVERAL and label is not None:
        return json.loads(label)
    return bool(label) if kind == "flag" and label in (0, 1) else label


def to_column(label):
    """Return a label as a column holds it; equal sets of labels are equal texts."""
    return to_json(sorted({*label})) if isinstance(label, list) else label


def is_id(value):
    """Return True if this can be the id of a row: a text, or a whole number."""
    return isinstance(value, str) or (is_whole(value) and -(2**63) <= value < 2**63)
