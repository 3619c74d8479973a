"""SQLite as a session uses it: connections, transactions, and errors as sentences."""

import sqlite3
from collections.abc import Callable
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from time import monotonic, sleep
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

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

#: Seconds for which a file is waited for that another program holds: when it is opened
#: or read, in each attempt to add to it, and in all attempts.
READING_WAIT, WRITING_WAIT, PATIENCE = 5.0, 0.05, 5.0
PAUSE = 0.02  # seconds between two attempts

#: Reasons that lie outside the file.
ELSEWHERE = {
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_NOLFS,
    sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOMEM,
}  # fmt: skip


def connect(path):
    """Open a database; every commit reaches the disk before it returns."""
    connection = sqlite3.connect(
        f"{Path(path).absolute().as_uri()}?mode=rw",
        timeout=READING_WAIT,
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
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection, mode="IMMEDIATE"):
    """Commit what is done inside, or nothing of it."""
    roll_back(connection)  # a second Ctrl-C may have stopped the last one
    try:
        connection.execute(f"BEGIN {mode}")
        yield
        connection.execute("COMMIT")
    finally:
        roll_back(connection)


def roll_back(connection):
    """End a transaction that is under way, if one is."""
    if connection.in_transaction:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")


def make_tables(connection):
    """Make the table and what protects it, unless they are there."""
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
        return
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in SCHEMA.values():
        connection.execute(statement)


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
    known = isinstance(error, sqlite3.Error | UnicodeDecodeError)
    return known and code & 0xFF not in ELSEWHERE


def damaged(path, number, why):
    """Return the error that names the event."""
    return ValueError(
        f"{path} is damaged at event {number}: {printable(why)}. The events before it "
        "can be read; take a copy of the file that is whole."
    )


def printable(text):
    """Return a text of a file without what a terminal would obey."""
    return "".join(filter(str.isprintable, f"{text}"))


@contextmanager
def plain_errors(path, number=1):
    """Turn errors of SQLite into a sentence about the file.

    Parameters
    ----------
    path : path
        The file.
    number : int
        The event at which it is damaged, if that is it.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise plain_error(error, path, number) from error


def plain_error(error, path, number):
    """Return what is raised instead of an error of SQLite."""
    if is_damage(error):
        return damaged(path, number, error)
    code = error.sqlite_errorcode & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return BlockingIOError(
            f"{path} is held by another program, and nothing was stored; try again "
            "when it has let go."
        )
    if code == sqlite3.SQLITE_FULL:
        return OSError(
            f"The disk of {path} is full, and nothing was stored; make room and try "
            "again."
        )
    return OSError(
        f"{path} cannot be read or written, and nothing was stored ({error}); try "
        "again when that is mended."
    )


def patient(call: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Repeat a call while another program holds the file, for some seconds.

    Each attempt waits a moment only: nobody else's call has to wait for this one.
    """

    @wraps(call)
    def patiently(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        end = monotonic() + PATIENCE
        while True:
            try:
                return call(*args, **kwargs)
            except BlockingIOError:
                if monotonic() > end:
                    raise
            sleep(PAUSE)

    return patiently
