"""Read the tables of a session with `sqlite3`, as a person may do."""

import sqlite3
from contextlib import closing


def select(session, sql, values=()):
    """Return the rows of a query; single columns as values.

    Parameters
    ----------
    session : LabelingSession or path
        The session, or its file.
    """
    with closing(sqlite3.connect(getattr(session, "path", session), timeout=30)) as db:
        found = db.execute(sql, values).fetchall()
    return [row[0] if len(row) == 1 else row for row in found]


def asked(session):
    """Return the ids that learners have asked for, in order."""
    return select(
        session, "SELECT id FROM requests WHERE purpose != 'test' ORDER BY number"
    )


def waiting(session):
    """Return the ids of rows that wait for their one answer, in the order shown."""
    return select(
        session,
        "SELECT id FROM requests WHERE id NOT IN "
        "(SELECT id FROM answers WHERE withdrawn_at IS NULL) ORDER BY queue",
    )


def taught(session):
    """Return the labels that the learner was taught by id, in order of the calls."""
    found = select(session, "SELECT id, label FROM taught ORDER BY call, place")
    return {id: label for id, label in found if label is not None}


def n_answers(session):
    """Return the number of answers in the file, withdrawn ones included."""
    return select(session, "SELECT count(*) FROM answers")[0]
