"""The file of a session: events that are only ever added, each sealed by a hash.

It is an SQLite database with a rollback journal: what was committed survives a kill and
a power cut. Each event carries the SHA-256 of itself and of the hash before it, so a
change in the middle shows when the file is opened.
"""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from warnings import warn

from ._database import (
    APPLICATION_ID,
    SCHEMA,
    WRITING_WAIT,
    check_schema,
    connect,
    damaged,
    is_damage,
    make_tables,
    plain_errors,
    transaction,
)
from ._lock import FileLock, descriptors, held_lock


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
        It need not exist: an empty file is made, to which the first event is added.

    Attributes
    ----------
    events : list of Event
        All of them, in order.

    Raises
    ------
    ValueError
        If the file is no session, or damaged; the message names the event.
    BlockingIOError
        If another process, or another session of this one, has it open, or another
        program holds it.
    FileNotFoundError
        If there is no such folder.
    OSError
        If it cannot be read or written.
    """

    def __init__(self, path):
        self.path = Path(path)
        self._connection = self._lock = self._refusal = None
        self.events, self._unsure = [], []
        check_is_ours(self.path)
        try:
            self._lock = FileLock(self.path)
            self._lock.owner = self
            with plain_errors(self.path):
                self._connection = connect(self._lock.file)
                if has_content(self._lock.file):
                    self.events = self._whole_events()
                milliseconds = round(1000 * WRITING_WAIT)
                self._connection.execute(f"PRAGMA busy_timeout = {milliseconds}")
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
        with (
            descriptors,  # SQLite's locks go when others are closed
            plain_errors(path),
            closing(connect(path)) as connection,
        ):
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

        Raises
        ------
        BlockingIOError
            If another program holds the file: nothing was added, try again.
        OSError
            If it cannot be written, or is no longer there.
        ValueError
            If it has other events than these: nothing more will be added.
        """
        self.settle()
        return self.commit(self.following(records))

    def following(self, records, before=()):
        """Return new events as they will be read, after some that are not added yet."""
        at = datetime.now(UTC).isoformat(timespec="microseconds")
        events = before or self.events
        new, chain = [], events[-1].chain if events else ""
        first = len(self.events) + len(before) + 1
        for number, (kind, body) in enumerate(records, start=first):
            text = to_json(body)
            chain = sealed(chain, number, at, kind, text)
            new.append(Event(number, at, kind, json.loads(text), chain))
        return new

    def commit(self, new):
        """Add events that follow; otherwise as `append`."""
        self._check_is_there()
        self._unsure = new
        try:
            number = len(self.events) + 1
            with plain_errors(self.path, number), transaction(self._connection):
                if self._last_in_file() != self._last(self.events):
                    raise self._refused(
                        f"{self.path} has other events than this session has added: "
                        "another program has changed it. This session has ended; open "
                        "the file again."
                    )
                if not self.events:
                    make_tables(self._connection)
                self._connection.executemany(
                    "INSERT INTO event VALUES (?, ?, ?, ?, ?)",
                    [event._replace(body=to_json(event.body)) for event in new],
                )
        except BlockingIOError:
            self._unsure = []
            raise
        self.events += new
        self._unsure = []
        return new

    def settle(self):
        """Find out whether the file has what an interrupted call was adding."""
        if self._refusal is not None:
            raise ValueError(self._refusal)
        if not self._unsure:
            return
        with plain_errors(self.path), transaction(self._connection, "DEFERRED"):
            last = self._last_in_file()
        if last == self._last(self._unsure) != self._last(self.events):
            self.events += self._unsure
        self._unsure = []

    def belongs_to(self, owner):
        """Note who has to stop first if somebody in this process opens the file."""
        self._lock.owner = owner

    def close(self):
        """Close the file and give up the lock; twice is fine."""
        self._refusal = self._refusal or f"{self.path} is closed."
        if self._connection is not None:
            self._connection.close()
        if self._lock is not None:
            self._lock.release()

    def hand_over(self, may_have):
        """Give the file up: whoever has opened it was interrupted."""
        self.close()

    def _check_is_there(self):
        if not self._lock.is_in_place:
            raise FileNotFoundError(
                f"{self.path} was deleted or moved while its session was open: nothing "
                "more can be stored. Put it back, or export the labels."
            )

    def _last_in_file(self):
        """Return the number and the chain of the last event, None without a table."""
        tables = self._connection.execute("SELECT count(*) FROM sqlite_master")
        if tables.fetchone() == (0,):
            return None
        last = "SELECT id, chain FROM event ORDER BY id DESC LIMIT 1"
        return self._connection.execute(last).fetchone()

    def _last(self, events):
        """Return the number and the chain of the last of these events."""
        return (events[-1].id, events[-1].chain) if events else None

    def _refused(self, sentence):
        """Return the error of this call and of all after it."""
        self._refusal = sentence
        return ValueError(sentence)

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
    path = Path(path)
    return path.exists() and path.stat().st_size > 0


def check_is_ours(path):
    """Raise for a file that is something else, or a place where none can be."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent} for {path.name}.")
    if path.is_dir():
        raise ValueError(f"{path} is a folder, not a labelling session.")
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is no file.")
    if has_content(path) and not is_session(path):
        raise ValueError(f"{path} is no labelling session.")


def is_session(path):
    """Whether there is a session at this path."""
    with descriptors:
        if held_lock(path) is not None:
            return True
        if not Path(path).is_file():
            return False
        with open(path, "rb") as file:
            head = file.read(72)
    ours = APPLICATION_ID.to_bytes(4, "big")
    return head[:16] == b"SQLite format 3\0" and head[68:72] == ours


def events_of(connection, path):
    """Return the events that are whole, and whether the last one is not.

    Raises
    ------
    ValueError
        If anything else than the last event is not as it was written.
    """
    rows, problem = [], None
    try:
        with transaction(connection, "DEFERRED"):
            check_schema(connection)
            for row in connection.execute("SELECT * FROM event ORDER BY id"):
                rows.append(row)
            problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if not is_damage(error):
            raise
        problem = error
    events = chained_events(rows, path)
    if problem not in (None, "ok"):
        raise damaged(path, len(events) + 1, problem)
    if len(events) < len(rows) - 1:
        raise damaged(path, len(events) + 1, "it is not what was written")
    return events, len(events) < len(rows)


def chained_events(rows, path):
    """Return the first events, as far as each one follows from the one before."""
    events, chain = [], ""
    for number, row in enumerate(rows, start=1):
        try:
            *fields, own = row
            chain = sealed(chain, *fields)
        except (TypeError, ValueError):
            break
        if own != chain or fields[0] != number:
            break
        try:
            body = json.loads(fields[3], parse_constant=float_that_is_none)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise damaged(path, number, "its body is no JSON object")
        events.append(Event(*fields[:3], body, own))
    return events


def float_that_is_none(name):
    """Refuse NaN and infinity, which JSON does not have."""
    raise ValueError(f"{name} is no number of JSON.")
