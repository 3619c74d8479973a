"""The tables of a session in SQLite, and rows with checksums.

The tables hold facts, and a person may read them with ``sqlite3``:

- ``settings``: what the session was opened with, one JSON value for each name.
- ``learners``: each learner that the session has had; the last one is used.
- ``requests``: rows that were held out for testing or asked for, in this order.
- ``answers``: labels and skips (``label`` is NULL), in the order in which they came.
- ``taught``: what the current learner was taught of each row, and in which call.
- ``notes``, ``models`` (predictions for the held-out rows), ``leases``, ``row_votes``.

``rows`` (the decision on each row) and ``standing`` (the answers that count) follow from
these tables. They are kept beside them for quick and simple queries, and are compared
with them whenever the file is opened.
"""

import json
from datetime import UTC, datetime
from math import isfinite
from zlib import crc32

from .._validation import is_whole

#: Version of the schema.
FORMAT = 1

SCHEMA = {
    "settings": "name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL",
    "learners": """number INTEGER PRIMARY KEY, description TEXT NOT NULL,
  seeds TEXT NOT NULL, versions TEXT NOT NULL, budget INTEGER, at TEXT NOT NULL,
  queries INTEGER NOT NULL, is_settled INTEGER NOT NULL, stop_reason TEXT,
  position INTEGER NOT NULL, progress TEXT, checksum INTEGER NOT NULL""",
    "requests": """number INTEGER PRIMARY KEY, id NOT NULL UNIQUE,
  purpose TEXT NOT NULL, probability REAL, learner INTEGER NOT NULL,
  query INTEGER NOT NULL, queue INTEGER NOT NULL, at TEXT NOT NULL,
  checksum INTEGER NOT NULL""",
    "answers": """number INTEGER PRIMARY KEY, id NOT NULL, label, who TEXT,
  at TEXT NOT NULL, is_final INTEGER NOT NULL, reason TEXT, renamed_from,
  withdrawn_at TEXT, withdrawn_by TEXT, checksum INTEGER NOT NULL""",
    "taught": """id PRIMARY KEY, label, call INTEGER NOT NULL,
  place INTEGER NOT NULL, changed INTEGER NOT NULL, checksum INTEGER NOT NULL""",
    "notes": """number INTEGER PRIMARY KEY, id NOT NULL, who TEXT, text TEXT NOT NULL,
  at TEXT NOT NULL, checksum INTEGER NOT NULL""",
    "models": """number INTEGER PRIMARY KEY, learner INTEGER NOT NULL,
  n_labels INTEGER NOT NULL, predicted TEXT NOT NULL, checksum INTEGER NOT NULL""",
    "row_votes": "id PRIMARY KEY, votes INTEGER NOT NULL, checksum INTEGER NOT NULL",
    "leases": "number INTEGER PRIMARY KEY, id NOT NULL, who TEXT, until REAL NOT NULL",
    "rows": """id PRIMARY KEY, kind TEXT NOT NULL, state TEXT NOT NULL, label,
  decided INTEGER NOT NULL, answered INTEGER NOT NULL, n_votes INTEGER NOT NULL,
  wanted INTEGER NOT NULL, queue INTEGER, is_news INTEGER NOT NULL""",
    "standing": "number INTEGER PRIMARY KEY, id NOT NULL",
}
INDEXES = {
    "answers_of_row": "answers (id)",
    "answers_of_person": "answers (who, id, number)",
    "taught_changed": "taught (changed)",
    "notes_of_row": "notes (id)",
    "leases_of_row": "leases (id)",
    "rows_counted": "rows (state, kind, label)",
    "rows_listed": "rows (answered, state)",
    "rows_queued": "rows (queue) WHERE queue IS NOT NULL",
    "rows_news": "rows (decided) WHERE is_news",
    "standing_of_row": "standing (id)",
}
STATEMENTS = {
    **{name: f"CREATE TABLE {name} (\n  {body}\n)" for name, body in SCHEMA.items()},
    **{name: f"CREATE INDEX {name} ON {body}" for name, body in INDEXES.items()},
    "labels": """CREATE VIEW labels AS
  SELECT rows.id, rows.label, answers.who, answers.at, rows.kind
  FROM rows JOIN answers ON answers.number = rows.decided
  WHERE rows.state = 'labelled' ORDER BY rows.decided""",
}
#: Tables whose rows carry a checksum, with their columns.
COLUMNS = {
    name: [part.split()[0] for part in body.split(", ")][:-1]
    for name, body in (
        (name, " ".join(body.split())) for name, body in SCHEMA.items()
    )
    if body.endswith("checksum INTEGER NOT NULL")
}

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
    """Change columns of the rows for which a condition holds; return how many."""
    found = db.execute(f"SELECT * FROM {table} WHERE {where}", values).fetchall()
    for row in found:
        row = dict(row)
        del row["checksum"]
        put(db, table, **{**row, **changes})
    return len(found)


def next_number(db, table):
    """Return the number of the next row of a table."""
    return db.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {table}").fetchone()[0]


def get_settings(db):
    """Return the settings as a dict, without the hashes of the rows (`get_pool`)."""
    found = db.execute("SELECT name, value FROM settings WHERE name != 'pool'")
    return {name: json.loads(value) for name, value in found}


def get_pool(db):
    """Return the fingerprint of the pool."""
    found = db.execute("SELECT value FROM settings WHERE name = 'pool'").fetchone()
    return json.loads(found[0])


def put_settings(db, **settings):
    """Store settings by name."""
    for name, value in settings.items():
        put(db, "settings", name=name, value=to_json(value))


def current_learner(db):
    """Return the row of the current learner as a dict, JSON parsed."""
    found = db.execute("SELECT * FROM learners ORDER BY number DESC LIMIT 1").fetchone()
    row = {name: found[name] for name in COLUMNS["learners"]}
    for name in ("description", "seeds", "versions", "progress"):
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


def is_label(label, kind, classes):
    """Return True if a label is of this kind and among the classes, if they are known."""
    return label_kind(label) == kind and (classes is None or label in classes)


def from_column(label, kind):
    """Return a label as a person gave it: SQLite has no flags."""
    return bool(label) if kind == "flag" and label in (0, 1) else label


def is_id(value):
    """Return True if this can be the id of a row: a text, or a whole number."""
    return isinstance(value, str) or (is_whole(value) and -(2**63) <= value < 2**63)
