"""The tables of a session in SQLite, and rows with checksums.

The tables hold facts, and a person may read them with ``sqlite3``:

- ``settings``: what the session was opened with, one JSON value for each name.
- ``learners``: each learner that the session has had; the last one is used.
- ``requests``: rows that were held out for testing or asked for, in this order;
  ``twin`` is the row itself if another row with the same content stands for it.
- ``answers``: labels and skips (``label`` is NULL), in the order in which they came.
  Several labels of a row are a list of JSON, sorted; an empty list is an answer, too.
  ``tags`` are a list of JSON, NULL without any.
- ``taught``: what the current learner was taught of each row, in which call, and after
  which query it was taught the row first.
- ``annotations``: annotations of another tool, each with the answer that it became.
- ``notes``, ``models`` (predictions for the held-out rows), ``leases``, ``row_votes``.

What follows from the facts is in no table. `_decisions` computes it in memory, and the
view ``labels`` computes it for people.
"""

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from zlib import crc32

#: Version of the schema.
FORMAT = 1
#: Seconds for which a call waits while another program holds the file.
WRITING_WAIT, READING_WAIT = 5.0, 30.0

#: Types of columns; SQLite checks them whenever a row is stored or a file is opened.
TYPES = {
    "NUMBER": "INTEGER PRIMARY KEY",
    "KEY": "ANY PRIMARY KEY NOT NULL CHECK (typeof({0}) IN ('text', 'integer'))",
    "ID": "ANY NOT NULL CHECK (typeof({0}) IN ('text', 'integer'))",
    "LABEL": "ANY CHECK (typeof({0}) != 'blob')",
    "NAME": "TEXT",
    "TEXT": "TEXT NOT NULL",
    "TIME": "TEXT NOT NULL CHECK ({0} GLOB '[0-9]*-*T*:*+00:00')",
    "COUNT": "INTEGER NOT NULL CHECK ({0} >= 0)",
    "PLACE": "INTEGER",
    "FLAG": "INTEGER NOT NULL CHECK ({0} IN (0, 1))",
    "LIMIT": "INTEGER CHECK ({0} >= 0)",
    "SHARE": "REAL CHECK ({0} BETWEEN 0 AND 1)",
    "MOMENT": "REAL NOT NULL",
}
#: Tables with facts; each row has a checksum.
FACTS = {
    "settings": "name KEY, value TEXT",
    "learners": "number NUMBER, description TEXT, seeds TEXT, "
    "budget LIMIT, at TIME, queries COUNT, is_settled FLAG, stop_reason NAME, "
    "position COUNT, progress TEXT",
    "requests": "number NUMBER, id ID, purpose TEXT, probability SHARE, "
    "learner COUNT, query COUNT, queue PLACE, query_reason NAME, at TIME, twin LABEL",
    "answers": "number NUMBER, id ID, label LABEL, who NAME, at TIME, is_final FLAG, "
    "reason NAME, tags NAME, renamed_from LABEL, withdrawn_at NAME, withdrawn_by NAME",
    "taught": "id KEY, label LABEL, call COUNT, place COUNT, changed COUNT, "
    "query COUNT",
    "notes": "number NUMBER, id ID, who NAME, text TEXT, at TIME",
    "models": "number NUMBER, learner COUNT, n_labels COUNT, predicted TEXT",
    "row_votes": "id KEY, votes COUNT",
    "annotations": "annotation NUMBER, answer COUNT",
}
#: Leases have no checksum: they end anyway.
LEASES = "number NUMBER, id ID, who NAME, until MOMENT"


def create_statement(name, columns):
    """Return the statement that creates a table."""
    pairs = [column.split() for column in columns.split(", ")]
    lines = [f"{column} {TYPES[kind].format(column)}" for column, kind in pairs]
    lines += ["checksum INTEGER NOT NULL"] if name in FACTS else []
    options = "STRICT, WITHOUT ROWID" if pairs[0][1] == "KEY" else "STRICT"
    body = ",\n  ".join(lines)
    return f"CREATE TABLE {name} (\n  {body}\n) {options}"


#: The decisions of `_decisions.decide` in SQL: a final answer decides, else the last
#: vote, else the most frequent one, and of several labels each by its own majority.
LABELS = """CREATE VIEW labels AS
WITH
  kind AS (SELECT value = '"several"' AS is_several FROM settings
    WHERE name = 'label_kind'),
  vote AS (SELECT id, who, label, max(number) AS number FROM answers
    WHERE withdrawn_at IS NULL AND NOT is_final GROUP BY id, who),
  final AS (SELECT id, who, label, max(number) AS number FROM answers
    WHERE withdrawn_at IS NULL AND is_final GROUP BY id),
  voted AS (SELECT id, max(number) AS last, count(*) AS n, count(label) AS n_given,
      min(CAST(value AS INTEGER), coalesce(votes, value)) AS wanted
    FROM vote JOIN settings ON name = 'votes' LEFT JOIN row_votes USING (id)
    GROUP BY id),
  complete AS (SELECT * FROM voted WHERE wanted > 1 AND n >= wanted),
  tally AS (SELECT id, label, count(*) AS n,
      max(count(*)) OVER (PARTITION BY id) AS most
    FROM vote JOIN kind ON NOT is_several GROUP BY id, label),
  tally_of_each AS (SELECT vote.id, each.value AS label, 2 * count(*) - n_given AS lead
    FROM vote JOIN kind ON is_several JOIN complete USING (id)
    JOIN json_each(vote.label) AS each WHERE vote.label NOT NULL
    GROUP BY vote.id, each.value ORDER BY vote.id, each.value),
  majority AS (SELECT id, label FROM tally WHERE n = most
    GROUP BY id HAVING count(*) = 1
    UNION ALL SELECT id, '[' || coalesce(group_concat(json_quote(tally_of_each.label),
      ', ') FILTER (WHERE lead > 0), '') || ']'
    FROM complete JOIN kind ON is_several LEFT JOIN tally_of_each USING (id)
    WHERE complete.n < 2 * n_given
    GROUP BY id HAVING coalesce(sum(lead = 0), 0) = 0),
  decided AS (SELECT id, label, number FROM final
    UNION ALL SELECT id, label, number FROM vote JOIN voted USING (id)
    WHERE wanted = 1 AND number = last AND id NOT IN (SELECT id FROM final)
    UNION ALL SELECT id, label, last FROM majority JOIN complete USING (id)
    WHERE id NOT IN (SELECT id FROM final)),
  standing AS (SELECT id, who, label FROM final
    UNION ALL SELECT id, who, label FROM vote JOIN voted USING (id)
    WHERE wanted > 1 OR (number = last AND id NOT IN (SELECT id FROM final))),
  request AS (SELECT id, purpose, max(number) FROM requests GROUP BY id)
SELECT decided.id, decided.label, group_concat(DISTINCT standing.who) AS who, at,
  CASE WHEN purpose IS NULL THEN 'given' WHEN purpose = 'test' THEN 'test'
    ELSE 'query' END AS kind
FROM decided JOIN kind JOIN answers USING (number)
  LEFT JOIN request ON request.id = decided.id
  LEFT JOIN standing ON standing.id = decided.id AND standing.label NOT NULL
    AND (is_several OR standing.label = decided.label)
WHERE decided.label NOT NULL GROUP BY decided.id ORDER BY decided.number"""

STATEMENTS = {
    **{name: create_statement(name, columns) for name, columns in FACTS.items()},
    "leases": create_statement("leases", LEASES),
    "labels": LABELS,
}
#: Columns of the tables with facts, without the checksum.
COLUMNS = {
    name: [column.split()[0] for column in columns.split(", ")]
    for name, columns in FACTS.items()
}


class Connection(sqlite3.Connection):
    """A connection to a session, with short ways to read."""

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


def connect(path, mode):
    """Open a database as URI mode says; a commit is on the disk when it returns."""
    db = sqlite3.connect(
        f"{Path(path).absolute().as_uri()}?mode={mode}",
        uri=True,
        factory=Connection,
        timeout=READING_WAIT if mode == "ro" else WRITING_WAIT,
        isolation_level=None,
        check_same_thread=False,
    )
    db.row_factory = sqlite3.Row
    for pragma in ("synchronous = FULL", "fullfsync = ON", "temp_store = MEMORY"):
        db.execute(f"PRAGMA {pragma}")
    return db


def to_json(value):
    """Return a value as JSON in one form."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True)


def now():
    """Return the time as it is stored: ISO 8601, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def checksum(values):
    """Return a checksum of the values of a row."""
    return crc32(ascii(tuple(values)).encode())


def read_checked(db, table):
    """Yield the rows of a table without their checksums.

    Raises
    ------
    ValueError
        If a row is missing or does not match its checksum.
    """
    is_gapless = COLUMNS[table][0] == "number" and table != "notes"
    rows = db.cursor()
    rows.row_factory = None  # tuples are quicker than rows with names
    rows.execute(f"SELECT * FROM {table} ORDER BY 1")
    for n, row in enumerate(rows, start=1):
        values = row[:-1]
        if is_gapless and values[0] != n:
            raise ValueError(f"row {n} of {table} is missing")
        if checksum(values) != row[-1]:
            raise ValueError(f"row {n} of {table} does not match its checksum")
        yield values


def plain_value(value):
    """Return a value as SQLite gives it back; classes of texts and numbers go."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, float):
        return float(value)
    return int(value) if isinstance(value, bool) else value


def put(db, table, **values):
    """Insert a row with its checksum, or replace the row with the same key."""
    row = [plain_value(values[name]) for name in COLUMNS[table]]
    marks = ", ".join("?" * (len(row) + 1))
    db.execute(
        f"INSERT OR REPLACE INTO {table} VALUES ({marks})", (*row, checksum(row))
    )


def next_number(db, table):
    """Return the number of the next row of a table."""
    return db.value(f"SELECT coalesce(max(number), 0) + 1 FROM {table}")
