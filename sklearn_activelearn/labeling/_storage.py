"""The file of a session: opened, locked, checked, read by others, and recovered.

`_answers.add_answer` stores a label, inside `Storage.writing`; `_schema.put` inserts
the row of a table.
"""

import json
import os
import secrets
import sqlite3
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import RLock

from filelock import FileLock, Timeout

from ..base import is_count
from ._answers import check_decisions
from ._schema import (
    COLUMNS,
    FORMAT,
    SEVERAL,
    STATEMENTS,
    Connection,
    checksum,
    current_learner,
    from_column,
    get_pool,
    get_settings,
    is_id,
    is_label,
    label_kind,
    put_settings,
    to_column,
)

APPLICATION_ID = 0x5341_4C53  # "SALS" in ASCII
HEADER = b"SQLite format 3\0"

#: Seconds for which a call waits while another program holds the file.
WRITING_WAIT, READING_WAIT = 5.0, 30.0

#: Errors of SQLite whose reason lies outside the file.
OUTSIDE = {
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_NOLFS,
    sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOMEM,
}  # fmt: skip

#: Errors that values of a crafted file lead to.
WRONG_VALUES = (
    ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError,
)  # fmt: skip
#: The open files of this process by device and inode, each with its session.
OPEN = {}


class Storage:
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
        Held while the connection is used.
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
        self.version, self._db = 0, None
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
        except Timeout:
            raise BlockingIOError(
                f"{path} is open in another process, which holds {self._place}.lock. "
                "Close that session first."
            ) from None
        try:
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
                check_session_file(self._db, path)
                self._data_version = self._read_data_version()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self):
        """Hold the lock and give the connection; after `close` a temporary one."""
        with self.lock, errors_as_sentences(self.path):
            if self._db is not None:
                yield self._db
                return
            with closing(connect(self._place, "ro")) as db:
                yield db

    @contextmanager
    def writing(self, *, is_change=True, is_worker=False):
        """Hold the lock and give the connection; commit at the end, or change nothing.

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
            with transaction_on(self._db):
                if self._read_data_version() != self._data_version:
                    raise ValueError(
                        f"Another program has changed {self.path} while the session "
                        "was open. Nothing was stored. Open the session again."
                    )
                yield self._db
            if is_change and self._db.total_changes > before:
                self.version += 1

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
            if self._db is not None:
                self._db.close()
                self._db = None
            self._file_lock.release()


def create_database(place):
    """Create a file with the tables of a session; if interrupted, there is none."""
    new = place.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with closing(connect(new, "rwc")) as db, transaction_on(db):
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            for statement in STATEMENTS.values():
                db.execute(statement)
            put_settings(db, format=FORMAT)
        new.replace(place)
    finally:
        new.unlink(missing_ok=True)


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
    """Give a connection to a session that another process may have open.

    The file is checked; without `is_whole`, only its settings and learners are.
    Everything is read from one moment.

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
        check_session_file(db, path, is_whole=is_whole)
        yield db


def is_session(path):
    """Return True if a file begins like a database of SQLite."""
    try:
        with open(path, "rb") as file:
            return file.read(len(HEADER)) == HEADER
    except OSError:
        return False


def check_header(path):
    """Raise ValueError if a file is no database."""
    if Path(path).is_dir():
        raise ValueError(f"{path} is a folder. Name a file in it.")
    with open(path, "rb") as file:
        header = file.read(len(HEADER))
    if not header:
        raise ValueError(
            f"{path} is empty. If it held labels, restore it from a copy; otherwise "
            "delete it, or name another file."
        )
    if header != HEADER:
        raise ValueError(
            f"{path} is not a labelling session: it is not an SQLite database. Name "
            "another file, or restore this one from a copy."
        )


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


def damaged(path, why):
    """Return the error for a damaged file, with the number of intact answers."""
    n_intact = len(intact_answers(path))
    return refusal(
        f"{path} is damaged: {printable(why)}. {n_intact} answers in it are intact. "
        "Restore the file from a copy, or save these answers:",
        f"labeling.recover_labels({str(path)!r}, 'answers.csv').",
        f"label --out {path} --recover answers.csv",
    )


def refusal(what, advice, command):
    """Return an error with advice, and with other advice for users of the command."""
    error = ValueError(f"{what} {advice}")
    error.command = f"{what} {command}"
    return error


def printable(text):
    """Return a text without control characters, which a terminal would obey."""
    return "".join(filter(str.isprintable, f"{text}"))


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
    with open_to_read(path, is_whole=False) as db:
        settings = get_settings(db)
        if not is_begun(settings):
            return {}
        learner, n_test = current_learner(db), settings["test_size"]
        budget = None if learner["budget"] is None else learner["budget"] + n_test
        n_rows = get_pool(db)["n_rows"]
        learner = learner["description"]
        return {**settings, "learner": learner, "budget": budget, "n_rows": n_rows}


# --- checks


def check_session_file(db, path, *, is_whole=True):
    """Raise ValueError unless the file is an intact session.

    Without `is_whole`, only its tables, settings and learners are checked.
    """
    found = dict(db.execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL"))
    if not found.keys() & STATEMENTS.keys():
        raise ValueError(
            f"{path} is a database, but not a labelling session. Name another file."
        )
    if found != STATEMENTS:
        raise damaged(path, "its tables are not as they were created")
    if is_whole and (result := db.value("PRAGMA integrity_check(1)")) != "ok":
        raise damaged(path, result)
    try:
        for table in COLUMNS if is_whole else ("settings", "learners"):
            check_stored_rows(db, table)
        settings = get_settings(db)
        if settings["format"] != FORMAT:
            raise ValueError("it was written by another version of this package")
        if is_begun(settings):
            check_settings(settings)
            check_learners(db)
            if is_whole:
                check_relations(db, settings)
        elif db.row("SELECT 1 FROM answers") is not None:
            raise ValueError("its settings are missing")
    except WRONG_VALUES as error:
        raise damaged(path, error) from error


def check_stored_rows(db, table):
    """Raise ValueError unless each row of a table matches its checksum."""
    columns = COLUMNS[table]
    is_gapless = columns[0] == "number" and table != "notes"
    for n, row in enumerate(db.execute(f"SELECT * FROM {table} ORDER BY 1"), start=1):
        *values, stored = row
        if is_gapless and values[0] != n:
            raise ValueError(f"row {n} of {table} is missing")
        if checksum(values) != stored:
            raise ValueError(f"row {n} of {table} does not match its checksum")


def check_relations(db, settings):
    """Raise ValueError unless settings, requests and answers fit together."""
    if not takes_pool(get_pool(db)):
        raise ValueError("the hashes of its rows are invalid")
    classes, kind = settings["classes"], settings["label_kind"]
    kind_of_one = "text" if kind == SEVERAL else kind
    if (kind == SEVERAL or classes) and label_kind(classes[0]) != kind_of_one:
        raise ValueError("the classes are of another kind than the labels")
    for table in ("answers", "taught"):
        for column in db.column(f"SELECT DISTINCT label FROM {table}"):
            label = from_column(column, kind)
            is_stored = label is None or is_label(label, kind, classes)
            if not is_stored or (kind == SEVERAL and to_column(label) != column):
                raise ValueError(f"{table} has the label {label!r}, which is no class")
    n_test = db.value("SELECT count(*) FROM requests WHERE purpose = 'test'")
    if n_test != settings["test_size"]:
        raise ValueError("the number of held-out rows differs from test_size")
    check_decisions(db, settings["votes"])
    sql = "SELECT 1 FROM annotations WHERE answer NOT IN (SELECT number FROM answers)"
    if db.row(sql) is not None:
        raise ValueError("an annotation has no answer")
    for predicted in db.column("SELECT predicted FROM models"):
        labels = json.loads(predicted)
        is_fine = isinstance(labels, list) and all(
            is_label(label, kind, classes) if kind == SEVERAL else label_kind(label)
            for label in labels
        )
        if not is_fine or len(labels) > n_test:
            raise ValueError("a model has predictions that are not labels")


def check_settings(settings):
    """Raise ValueError unless all settings have values that a session can have."""
    for name, is_valid in SETTINGS.items():
        if not is_valid(settings[name]):
            raise ValueError(f"the setting {name!r} is invalid")


def check_learners(db):
    """Raise ValueError unless all learners are described as a session does."""
    if db.row("SELECT 1 FROM learners") is None:
        raise ValueError("it has no learner")
    for row in db.execute("SELECT * FROM learners"):
        seeds, description = json.loads(row["seeds"]), json.loads(row["description"])
        are_seeds = all(is_count(seed) and seed < 2**32 for seed in seeds.values())
        is_plain = f"{row['stop_reason']}".isprintable()
        if not (are_seeds and is_plain and isinstance(description["params"], dict)):
            raise ValueError("the description of a learner is invalid")
        if row["progress"] is not None:
            json.loads(row["progress"])["stopping"]


def is_begun(settings):
    """Return False for a file that was created, but not begun."""
    return len(settings) > 1


def is_classes(value):
    if value is None:
        return True
    kinds = {label_kind(label) for label in value}
    return len(kinds) == 1 and None not in kinds and len({*value}) == len(value) > 1


def takes_pool(value):
    is_shaped = is_count(value["n_rows"]) and isinstance(value["ids"], str)
    columns = value["columns"]
    return (
        is_shaped
        and (columns is None or all(isinstance(name, str) for name in columns))
        and isinstance(value["rows"], str)
        and all(
            len(value[name]) == 16 * value["n_rows"]
            and int(value[name] or "0", 16) >= 0
            for name in ("rows", "items")
            if value[name] is not None
        )
    )


SETTINGS = {
    "classes": is_classes,
    "votes": lambda value: is_count(value) and value >= 1,
    "test_size": is_count,
    "label_kind": lambda value: value in (None, "text", "flag", "number", SEVERAL),
    "renamed": lambda value: isinstance(value, list),
    "sampled": lambda value: len(value) == 2 and all(map(is_count, value)),
}


# --- damaged files


def intact_answers(path):
    """Return the answers of a damaged file that match their checksums.

    Returns
    -------
    answers : list of dict
        The columns of ``answers``, in order of ``number``.
    """
    found, columns = {}, COLUMNS["answers"]
    unreadable = sqlite3.Error, UnicodeDecodeError, OverflowError
    with suppress(*unreadable), closing(connect(os.path.realpath(path), "ro")) as db:
        db.text_factory = bytes  # a damaged text may be no UTF-8
        # pages are read one after the other: rows behind a damaged page are reached
        # from the other end
        for order in ("ASC", "DESC"):
            with suppress(*unreadable):
                rows = db.execute(f"SELECT * FROM answers ORDER BY number {order}")
                for *values, stored in rows:
                    with suppress(UnicodeDecodeError, ValueError, TypeError):
                        values = [
                            value.decode() if isinstance(value, bytes) else value
                            for value in values
                        ]
                        if checksum(values) == stored and is_id(values[1]):
                            found[values[0]] = dict(zip(columns, values, strict=True))
    return [found[number] for number in sorted(found)]
