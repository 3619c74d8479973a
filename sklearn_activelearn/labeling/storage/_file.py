"""The file of a session: created, locked, written in transactions, read by others."""

import os
import secrets
import sqlite3
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import RLock

from filelock import FileLock, Timeout

from ._integrity import check_header, damaged, printable, read_facts
from ._schema import FORMAT, STATEMENTS, connect, put, to_json

APPLICATION_ID = 0x5341_4C53  # "SALS" in ASCII

#: Errors of SQLite whose reason lies outside the file.
OUTSIDE = {
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_NOLFS,
    sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOMEM,
}  # fmt: skip

#: The open files of this process by device and inode, each with its session.
OPEN = {}


class SessionFile:
    """The file of a session that this process writes.

    The lock file beside the resolved path is held until `close`: no other process can
    write. The database is locked only during a transaction, so that others can read.

    Parameters
    ----------
    path : path
        The file. It is created if it does not exist.

    Attributes
    ----------
    lock : RLock
        Held while the connection or the facts are used.
    version : int
        Grows with every transaction that changed more than leases.
    identity : tuple
        Device and inode of the file.

    Raises
    ------
    BlockingIOError
        If another process has the session open.
    ValueError
        If the file is damaged or is no session.
    OSError
        If the file cannot be written.
    """

    def __init__(self, path):
        self.path, self._place = Path(path), Path(os.path.realpath(path))
        self.lock = RLock()
        self.version, self._db, self._facts = 0, None, None
        self._refusal = None
        self._file_lock = FileLock(
            f"{self._place}.lock", timeout=0, mode=0o644, thread_local=False
        )
        if self._place.exists():
            check_header(path)
        if not self._place.parent.is_dir():
            raise FileNotFoundError(
                f"There is no folder {self.path.parent}. Create it first."
            )
        if not os.access(self._place.parent, os.W_OK):
            raise PermissionError(
                f"The folder {self._place.parent} cannot be written. Name a file in "
                "another folder."
            )
        try:
            self._file_lock.acquire()
            with errors_as_sentences(path):
                if not self._place.exists():
                    create_database(self._place)
            self.identity = identity_of(self._place)
            if self._place.stat().st_nlink > 1:
                raise ValueError(
                    f"{path} has several hard links. A session needs a file with one "
                    "name: copy it, and open the copy."
                )
            with errors_as_sentences(path):
                self._db = connect(self._place, "rw")
                self._facts = read_facts(self._db, path)
                self._data_version = self._read_data_version()
        except Timeout:
            raise BlockingIOError(
                f"{path} is open in another process, which holds {self._place}.lock. "
                "Close that session first."
            ) from None
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self):
        """Hold the lock and give the facts; after `close` as the file has them."""
        with self.lock, errors_as_sentences(self.path):
            if self._db is not None:
                yield self._read_facts()
                return
            with closing(connect(self._place, "ro")) as db:
                yield read_facts(db, self.path)

    def _read_facts(self):
        """Return the facts; read them again after a transaction that failed."""
        facts = self._facts or read_facts(self._db, self.path)
        if not self._db.in_transaction:  # which may be rolled back
            self._facts = facts
        return facts

    @contextmanager
    def writing(self, *, is_change=True, is_worker=False):
        """Hold the lock and give the facts; commit at the end, or change nothing.

        With ``is_change=False`` the version stays: others need not look again. The
        worker may write until the connection is closed.
        """
        with self.lock, errors_as_sentences(self.path):
            if not is_worker:
                self.check_open()
            if identity_of(self._place) != self.identity:
                raise FileNotFoundError(
                    f"{self.path} was deleted or replaced while the session was open. "
                    "Nothing was stored. Put the file back, or open the session again."
                )
            before = self._db.total_changes
            with self._changing_facts() as facts, transaction_on(self._db):
                if self._read_data_version() != self._data_version:
                    raise ValueError(
                        f"Another program has changed {self.path} while the session "
                        "was open. Nothing was stored. Open the session again."
                    )
                yield facts
            if is_change and self._db.total_changes > before:
                self.version += 1

    @contextmanager
    def _changing_facts(self):
        """Give the facts, and keep them if the file has them at the end.

        Whatever comes between, also Ctrl-C, lets them be read again.
        """
        before = self._db.total_changes
        facts, self._facts = self._read_facts(), None
        try:
            yield facts
        except BaseException:
            if self._db.total_changes == before:  # a refusal has changed nothing
                self._facts = facts
            raise
        self._facts = facts

    def _read_data_version(self):
        return self._db.value("PRAGMA data_version")

    def refuse(self, refusal):
        """Refuse to write from now on; the first reason counts."""
        with self.lock:
            self._refusal = self._refusal or refusal

    def check_open(self):
        """Raise ValueError if nothing may be written any more."""
        if self._refusal is not None:
            raise ValueError(self._refusal)

    def close(self):
        """Close the connection and release the lock file."""
        with self.lock:
            db, self._db = self._db, None  # first: Ctrl-C may come, and another call
            if db is not None:
                db.close()
            self._file_lock.release()


def create_database(place):
    """Create a file with the tables of a session; if interrupted, there is none."""
    new = place.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with closing(connect(new, "rwc")) as db, transaction_on(db):
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            for statement in STATEMENTS.values():
                db.execute(statement)
            put(db, "settings", name="format", value=to_json(FORMAT))
        new.replace(place)
    finally:
        new.unlink(missing_ok=True)


@contextmanager
def transaction_on(db, mode="IMMEDIATE"):
    """Commit what is done inside, or nothing of it."""
    try:
        db.execute(f"BEGIN {mode}")
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")


@contextmanager
def open_to_read(path, *, is_whole=True):
    """Give the facts of a session that another process may have open.

    The file is checked, and everything is read from one moment. Without `is_whole`,
    only settings and learners are.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is damaged or is no session.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"There is no labelling session {path}.")
    check_header(path)
    with (
        errors_as_sentences(path),
        closing(connect(os.path.realpath(path), "ro")) as db,
        transaction_on(db, "DEFERRED"),
    ):
        yield read_facts(db, path, is_whole=is_whole)


def identity_of(path):
    """Return the device and inode numbers of a file; None if it does not exist."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


@contextmanager
def errors_as_sentences(path):
    """Turn errors of SQLite into a sentence that names the file and what to do."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        if code not in OUTSIDE:
            raise damaged(path, error) from error
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise BlockingIOError(
                f"{path} is held by another program. Nothing was stored. Try again "
                "when that program has ended."
            ) from error
        if code == sqlite3.SQLITE_FULL:
            raise OSError(
                f"The disk of {path} is full. Nothing was stored. Free some space and "
                "try again."
            ) from error
        raise OSError(
            f"{path} cannot be read or written ({printable(error)}). Nothing was "
            "stored."
        ) from error


def stored_settings(path):
    """Return the settings of a session, and its learner.

    Parameters
    ----------
    path : path
        The file. Another process may have it open.

    Returns
    -------
    settings : dict
        ``classes``, ``votes``, ``test_size``, ``learner`` (with ``class`` and
        ``params``), ``budget``, ``n_rows`` and others. Empty if the session was not
        begun.
    """
    if not Path(path).exists():
        return {}
    with open_to_read(path, is_whole=False) as facts:
        settings, learner = facts.settings, facts.learner
        if not facts.is_begun:
            return {}
        n_test, n_rows = settings["test_size"], facts.read_pool()["n_rows"]
    budget = None if learner["budget"] is None else learner["budget"] + n_test
    learner = learner["description"]
    return {**settings, "learner": learner, "budget": budget, "n_rows": n_rows}
