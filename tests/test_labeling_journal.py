"""The file of a session: nothing is lost, and no damage goes unnoticed."""

import sqlite3
import subprocess
import sys

import numpy as np
import pytest

from sklearn_activelearn.labeling import _lock
from sklearn_activelearn.labeling._database import connect
from sklearn_activelearn.labeling._journal import Journal, events_of


def filled(path, n_events=40, length=300):
    """Make a journal of several database pages; return its events."""
    journal = Journal(path)
    journal.append(("begin", {"pool": "all of it"}))
    for number in range(2, n_events):
        journal.append(("label", {"id": number, "label": f"{number}," * (length // 4)}))
    journal.append(("skip", {"id": "é\ud800\0", "reason": None}))
    journal.close()
    return journal.events


def test_what_was_added_is_read_again(path):
    events = filled(path)
    assert [event.id for event in events] == list(range(1, 41))
    assert Journal.read(path) == events
    journal = Journal(path)
    assert journal.events == events
    journal.close()


def test_several_events_are_added_together_or_not_at_all(path):
    filled(path)
    journal = Journal(path)
    with pytest.raises((ValueError, TypeError)):
        journal.append(("label", {"id": 1}), ("label", {"id": float("nan")}))
    assert len(journal.append(("label", {"id": 1}), ("label", {"id": 2}))) == 2
    journal.close()
    assert len(Journal.read(path)) == 42


def test_an_error_on_disk_changes_nothing(path):
    journal = Journal(path)
    journal.append(("begin", {}))
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN EXCLUSIVE")
    with pytest.raises(BlockingIOError, match="held by another program"):
        journal.append(("label", {"id": 1}))
    reader.execute("ROLLBACK")
    reader.close()
    assert [event.id for event in journal.append(("label", {"id": 2}))] == [2]
    journal.close()
    assert [event.body for event in Journal.read(path)] == [{}, {"id": 2}]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM event WHERE id = 3",
        "UPDATE event SET body = '{}' WHERE id = 3",
        "REPLACE INTO event SELECT 3, at, kind, body, chain FROM event WHERE id = 4",
        "INSERT INTO event SELECT 42, at, kind, body, chain FROM event WHERE id = 4",
        "INSERT INTO event VALUES (41, 0, 'label', NULL, '')",
    ],
)
def test_events_are_only_added(path, statement):
    events = filled(path)
    journal = Journal(path)
    with pytest.raises(sqlite3.IntegrityError):
        journal._connection.execute(statement)
    journal.close()
    assert Journal.read(path) == events


def test_a_session_is_open_once(path):
    first = Journal(path)
    with pytest.raises(BlockingIOError, match=r"labels.sqlite.lock"):
        Journal(path)
    first.append(("begin", {}))
    with pytest.raises(BlockingIOError, match="open in another session"):
        Journal(path)
    assert len(Journal.read(path)) == 1
    first.close()
    Journal(path).close()


def test_another_process_is_refused(path):
    journal = Journal(path)
    journal.append(("begin", {}))
    program = (
        "import runpy, sys\n"
        "try: runpy.run_path(sys.argv[1])['FileLock'](sys.argv[2])\n"
        "except BlockingIOError as error: print(error)"
    )
    command = [sys.executable, "-S", "-c", program, _lock.__file__, str(path)]
    refused = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "close that first" in refused.stdout
    journal.close()
    free = subprocess.run(command, capture_output=True, text=True, check=True)
    assert free.stdout == ""


def break_last(path, **changes):
    """Add an event that does not follow from those before it."""
    with sqlite3.connect(path) as database:
        (n,) = database.execute("SELECT max(id) FROM event").fetchone()
        row = {
            "id": n + 1,
            "at": "now",
            "kind": "label",
            "body": "{}",
            "chain": "0" * 64,
        }
        values = tuple({**row, **changes}.values())
        database.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", values)
    database.close()


@pytest.mark.parametrize("body", ["{}", '{"id": ', ""])
def test_a_torn_end_is_dropped(path, body):
    events = filled(path)
    break_last(path, body=body)
    assert Journal.read(path) == events
    with pytest.warns(UserWarning, match="number 41, is damaged; it is dropped"):
        journal = Journal(path)
    journal.append(("label", {"id": 7}))
    journal.close()
    assert Journal.read(path)[:-1] == events
    assert Journal.read(path)[-1].body == {"id": 7}


def test_two_torn_events_are_an_error(path):
    filled(path)
    break_last(path)
    break_last(path)
    with pytest.raises(ValueError, match="damaged at event 41"):
        Journal(path)
    with pytest.raises(ValueError, match="damaged at event 41"):
        Journal.read(path)


def test_an_unfinished_commit_is_rolled_back(path):
    events = filled(path)
    connection = connect(path)
    connection.execute("PRAGMA cache_size = 1")  # pages go to the disk before commit
    connection.execute("BEGIN IMMEDIATE")
    for number in range(41, 61):
        row = (number, "now", "label", "x" * 4000, "0" * 64)
        connection.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", row)
    left = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    assert "labels.sqlite-journal" in left
    connection.close()
    for name, content in left.items():  # as a kill would leave them
        path.with_name(name).write_bytes(content)
    assert Journal.read(path) == events


def outcome(path, content):
    """Return what is read of a file with this content: events, or an error."""
    path.write_bytes(content)
    try:
        return Journal.read(path)
    except (ValueError, OSError) as error:
        return str(error)


def flipped(content, position, bit):
    """Return the bytes with one bit changed."""
    content = bytearray(content)
    content[position] ^= 1 << bit
    return bytes(content)


def test_a_flipped_bit_in_an_event_is_named(path):
    filled(path, n_events=8, length=40)
    content = path.read_bytes()
    start = content.index(b'{"id":4')
    length = len(b'{"id":4,"label":"')
    for position in range(start, start + length):
        for bit in range(8):
            said = outcome(path, flipped(content, position, bit))
            assert "damaged at event 4" in said, (position, bit)


@pytest.mark.every_learner
def test_a_flipped_bit_anywhere_is_an_error_or_changes_nothing(path, request):
    events = filled(path)
    content = path.read_bytes()
    explores = request.config.getoption("--hypothesis-profile") == "explore"
    rng = np.random.default_rng(None if explores else 0)
    n_flips, n_named, n_torn = (20_000 if explores else 700), 0, 0
    for position in rng.integers(len(content), size=n_flips):
        bit = int(rng.integers(8))
        said = outcome(path, flipped(content, position, bit))
        if isinstance(said, str):
            n_named += "damaged at event" in said
        elif said != events:
            assert said == events[:-1], (position, bit)
            n_torn += 1
    assert n_named > n_flips / 2
    assert n_torn < n_flips / 20


def test_a_missing_half_is_an_error(path):
    filled(path)
    content = path.read_bytes()
    for share in (0.2, 0.5, 0.9):
        said = outcome(path, content[: int(share * len(content))])
        assert "damaged at event" in said


def test_what_is_no_session_is_refused(path):
    with pytest.raises(FileNotFoundError, match="no labelling session"):
        Journal.read(path)
    path.write_text("id,label\n1,good\n")
    with pytest.raises(ValueError, match="is no labelling session"):
        Journal(path)
    path.unlink()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE event (id INTEGER)")
    database.close()
    with pytest.raises(ValueError, match="is no labelling session"):
        Journal(path)
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        Journal(path / "folder" / "labels.sqlite")
    with pytest.raises(ValueError, match="is a folder"):
        Journal(path.parent)


def test_a_table_without_its_guards_is_an_error(path):
    filled(path)
    with sqlite3.connect(path) as database:
        database.execute("DROP TRIGGER no_update")
    database.close()
    with pytest.raises(ValueError, match="not as it was made"):
        Journal(path)


def test_an_empty_file_is_a_new_session(path):
    path.touch()
    journal = Journal(path)
    assert journal.events == []
    journal.append(("begin", {}))
    journal.close()
    assert len(Journal.read(path)) == 1


def test_commits_reach_the_disk(path):
    journal = Journal(path)
    journal.append(("begin", {}))
    found = [
        journal._connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "fullfsync", "recursive_triggers")
    ]
    journal.close()
    assert found == ["delete", 2, 1, 1]
    with connect(path) as connection:
        assert events_of(connection, path)[1] is False
    connection.close()
