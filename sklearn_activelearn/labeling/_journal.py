"""The file of a session: events that are only ever added, each sealed by a hash.

It is an SQLite database with a rollback journal: what was committed survives a kill and
a power cut. Each event carries the SHA-256 of itself and of the hash before it, so a
change in the middle shows when the file is opened.
"""

import json
import sqlite3
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from warnings import warn

from ._lock import FileLock

APPLICATION_ID = 0x5341_4C53  # "SALS": says whose file it is
STRICT = " STRICT" if sqlite3.sqlite_version_info >= (3, 37) else ""

SCHEMA = {
    "event": f"""CREATE TABLE event (
  id INTEGER PRIMARY KEY CHECK (id >= 1),
  at TEXT NOT NULL CHECK (typeof(at) = 'text'),
  kind TEXT NOT NULL CHECK (typeof(kind) = 'text'),
  body TEXT NOT NULL CHECK (typeof(body) = 'text'),
  chain TEXT NOT NULL CHECK (length(chain) = 64)
){STRICT}""",
    "no_gap": """CREATE TRIGGER no_gap BEFORE INSERT ON event
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM event)
BEGIN SELECT RAISE(ABORT, 'the next event has the next number'); END""",
    "no_update": """CREATE TRIGGER no_update BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END""",
    "no_delete": """CREATE TRIGGER no_delete BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END""",
}


class Event(NamedTuple):
    """One thing that happened."""

    id: int  # from 1 on, without a gap
    at: str  # ISO 8601, UTC
    kind: str
    body: dict
    chain: str  # SHA-256 of the chain before it and all of the above


class Journal:
    """The events of a file, for the one process that may add to them.

    Parameters
    ----------
    path : path
        It need not exist: the first event makes the file.

    Attributes
    ----------
    events : list of Event
        All of them, in order.

    Raises
    ------
    ValueError
        If the file is no session, or damaged; the message names the event.
    BlockingIOError
        If another process, or another session of this one, has it open.
    FileNotFoundError
        If there is no such folder.
    """

    def __init__(self, path):
        self.path = Path(path)
        check_is_ours(self.path)
        self._lock = FileLock(self.path)
        self._connection, self.events = None, []
        try:
            if has_content(self.path):
                self._connection = connect(self.path, "rw")
                self.events = self._whole_events()
        except BaseException:
            self.close()
            raise

    @staticmethod
    def read(path):
        """Return the events of a file, also while another process adds to it."""
        path = Path(path)
        if not has_content(path):
            raise FileNotFoundError(f"There is no labelling session {path}.")
        check_is_ours(path)
        with closing(connect(path, "rw")) as connection:
            connection.execute("PRAGMA query_only = ON")
            return events_of(connection, path)[0]

    def append(self, *records):
        """Add events, all of them or none; they are on disk when this returns.

        Parameters
        ----------
        *records : (str, dict)
            Kinds and bodies.

        Returns
        -------
        events : list of Event
        """
        at = datetime.now(UTC).isoformat(timespec="microseconds")
        new, before = [], self.events[-1].chain if self.events else ""
        for number, (kind, body) in enumerate(records, start=len(self.events) + 1):
            before = sealed(before, number, at, kind, to_json(body))
            # bodies come back as they will be read
            body = json.loads(to_json(body))
            new.append(Event(number, at, kind, body, before))
        if self._connection is None:
            self._connection = connect(self.path, "rwc")
        with transaction(self._connection):
            if not self.events:
                make_tables(self._connection)
            self._connection.executemany(
                "INSERT INTO event VALUES (?, ?, ?, ?, ?)",
                [event._replace(body=to_json(event.body)) for event in new],
            )
        self.events += new
        return new

    def reread(self):
        """Look again what the file has, when it is not known what became of a call."""
        if has_content(self.path):
            self.events = events_of(self._connection, self.path)[0]

    def close(self):
        """Close the file and give up the lock; twice is fine."""
        if self._connection is not None:
            self._connection.close()
        self._lock.release()

    def _whole_events(self):
        """Return the events; delete a last one that was not written completely."""
        events, is_torn = events_of(self._connection, self.path)
        if is_torn:
            warn(
                f"The last event of {self.path}, number {len(events) + 1}, is damaged; "
                "it is dropped.",
                stacklevel=4,
            )
            with transaction(self._connection):
                self._connection.execute("DROP TRIGGER no_delete")
                self._connection.execute(
                    "DELETE FROM event WHERE id > ?", [len(events)]
                )
                self._connection.execute(SCHEMA["no_delete"])
        return events


def to_json(body):
    """Return a body as the file has it."""
    return json.dumps(body, separators=(",", ":"), allow_nan=False)


def sealed(before, *fields):
    """Return the chain of an event with these fields, after the chain before it."""
    return sha256(json.dumps([before, *fields]).encode()).hexdigest()


def has_content(path):
    """Whether there is a file, and something in it; a kill may leave an empty one."""
    return path.exists() and path.stat().st_size > 0


def check_is_ours(path):
    """Raise for a file that is something else, or a place where none can be."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent} for {path.name}.")
    if path.is_dir():
        raise ValueError(f"{path} is a folder, not a labelling session.")
    if has_content(path):
        with path.open("rb") as file:
            head = file.read(72)
        if head[:16] != b"SQLite format 3\0" or head[68:72] != APPLICATION_ID.to_bytes(
            4
        ):
            raise ValueError(f"{path} is no labelling session.")


def connect(path, mode):
    """Open a database; every commit reaches the disk before it returns."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        for pragma in (
            "synchronous = FULL",
            "fullfsync = ON",
            "recursive_triggers = ON",
        ):
            connection.execute(f"PRAGMA {pragma}")
    except BaseException as error:
        connection.close()
        if is_damage(error):
            raise damaged(path, 1, error) from None
        raise
    return connection


@contextmanager
def transaction(connection):
    """Commit what is done inside, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def make_tables(connection):
    """Make the table and what protects it."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in SCHEMA.values():
        connection.execute(statement)


def events_of(connection, path):
    """Return the events that are whole, and whether the last one is not.

    Raises
    ------
    ValueError
        If anything else than the last event is not as it was written.
    """
    rows, problem = [], None
    try:
        connection.execute("BEGIN")
        check_schema(connection)
        for row in connection.execute("SELECT * FROM event ORDER BY id"):
            rows.append(row)
        problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        connection.execute("COMMIT")
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if not is_damage(error):
            raise
        problem = error
    events = chained_events(rows)
    if problem not in (None, "ok"):
        raise damaged(path, len(events) + 1, problem)
    if len(events) < len(rows) - 1:
        raise damaged(path, len(events) + 1, "it is not what was written")
    return events, len(events) < len(rows)


def chained_events(rows):
    """Return the first events, as far as each one follows from the one before."""
    events, chain = [], ""
    for number, row in enumerate(rows, start=1):
        try:
            *fields, own = row
            chain = sealed(chain, *fields)
            event = Event(*fields[:3], json.loads(fields[3]), own)
        except (TypeError, ValueError):
            break
        if own != chain or event.id != number:
            break
        events.append(event)
    return events


def check_schema(connection):
    """Raise unless the table is guarded as it was when it was made."""
    found = dict(connection.execute("SELECT name, sql FROM sqlite_master"))
    found = {name: str(sql).removesuffix(" STRICT") for name, sql in found.items()}
    made = {name: sql.removesuffix(" STRICT") for name, sql in SCHEMA.items()}
    if found != made:
        raise sqlite3.DatabaseError("its table is not as it was made")


def is_damage(error):
    """Whether an error comes from what is in the file."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    elsewhere = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)
    known = isinstance(error, sqlite3.Error | UnicodeDecodeError)
    return known and code & 0xFF not in elsewhere


def damaged(path, number, why):
    """Return the error that names the event."""
    return ValueError(
        f"{path} is damaged at event {number}: {why}. The events before it can be "
        "read; take a copy of the file that is whole."
    )
