"""Checks of a session's file, and the intact answers of a damaged one."""

import json
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from ...base import is_count
from ._facts import Facts
from ._labels import SEVERAL, from_column, is_id, is_label, label_kind, to_column
from ._schema import (
    COLUMNS,
    FORMAT,
    STATEMENTS,
    checksum,
    connect,
    read_checked,
    to_json,
)

HEADER = b"SQLite format 3\0"
ANOTHER_VERSION = "it was written by another version of this package"

#: Errors that values of a crafted file lead to.
WRONG_VALUES = (
    ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError,
)  # fmt: skip


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


def read_facts(db, path, *, is_whole=True):
    """Return the `Facts` of a session; raise ValueError unless the file is intact.

    SQLite checks the pages and the types of all columns, and each row has a checksum.
    The values themselves are checked, too: somebody may have made the file.
    """
    found = dict(db.execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL"))
    if not found.keys() & STATEMENTS.keys():
        raise ValueError(
            f"{path} is a database, but not a labelling session. Name another file."
        )
    if found != STATEMENTS:
        written = None
        with suppress(sqlite3.Error):  # no such table, or a damaged one
            written = db.value("SELECT value FROM settings WHERE name = 'format'")
        if written not in (None, to_json(FORMAT)):
            raise damaged(path, ANOTHER_VERSION)
        raise damaged(path, "its tables are not as they were created")
    if is_whole and (result := db.value("PRAGMA quick_check(1)")) != "ok":
        raise damaged(path, result)
    try:
        facts = Facts(db)
        if facts.settings["format"] != FORMAT:
            raise ValueError(ANOTHER_VERSION)
        if facts.is_begun:
            check_settings(facts.settings)
            if not facts.learner:
                raise ValueError("it has no learner")
            check_description(facts.learner)
        if is_whole:
            facts.read_rows()
        if is_whole and facts.is_begun:
            check_relations(facts)
        elif db.row("SELECT 1 FROM answers") and not facts.is_begun:
            raise ValueError("its settings are missing")
    except WRONG_VALUES as error:
        raise damaged(path, error) from error
    return facts


def check_relations(facts):
    """Raise ValueError unless settings, requests and answers fit together."""
    db, settings = facts.db, facts.settings
    if not takes_pool(facts.read_pool()):
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
    for column in db.column("SELECT DISTINCT tags FROM answers WHERE tags NOT NULL"):
        if not (tags := json.loads(column)) or not {*tags} <= {*settings["tags"]}:
            raise ValueError("an answer has tags that are not among the tags")
    n_test = db.value("SELECT count(*) FROM requests WHERE purpose = 'test'")
    if n_test != settings["test_size"]:
        raise ValueError("the number of held-out rows differs from test_size")
    n_answers = db.value("SELECT count(*) FROM answers")
    for _, answer in read_checked(db, "annotations"):
        if not 1 <= answer <= n_answers:
            raise ValueError("an annotation has no answer")
    for *_, predicted in read_checked(db, "models"):
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


def check_description(learner):
    """Raise an error unless the current learner is described as a session does."""
    seeds, params = learner["seeds"].values(), learner["description"]["params"]
    are_seeds = all(is_count(seed) and seed < 2**32 for seed in seeds)
    is_plain = f"{learner['stop_reason']}".isprintable()
    if not (are_seeds and is_plain and isinstance(params, dict)):
        raise ValueError("the description of the learner is invalid")
    if learner["progress"] is not None:
        learner["progress"]["stopping"]


def takes_twins(value):
    ids = [id for group in value or () for id in group]
    is_found = all(isinstance(group, list) and len(group) > 1 for group in value or ())
    return is_found and all(map(is_id, ids)) and len({*ids}) == len(ids)


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
    "tags": lambda value: (
        isinstance(value, list) and all(isinstance(each, str) for each in value)
    ),
    "twins": takes_twins,
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
