"""One file, one writer: whatever the file is called, and whoever else writes to it."""

import gc
import linecache
import os
import sqlite3
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession, _database, _lock, export
from sklearn_activelearn.labeling._journal import Journal, sealed, to_json
from tests.learners import explores

X, y = make_classification(40, 4, random_state=2)
LEARNER = UncertaintySamplingClassifier(
    GaussianNB(), n_initial=4, batch_size=3, budget=20, random_state=0
)
needs_ofd = pytest.mark.skipif(
    not hasattr(_lock.fcntl, "F_OFD_SETLK"), reason="needs locks of descriptions"
)


def opened(path, learner=LEARNER, **options):
    options = {"ids": list(range(40)), "classes": [0, 1], **options}
    return LabelingSession(learner, X, path, **options)


def label_some(session, n):
    for _ in range(n):
        id = session.next()
        session.label(id, int(y[id]))
    return session.status()


def other_names(path):
    """Yield names of the same file, and what was done to have them."""
    link = path.with_name("link.sqlite")
    link.symlink_to(path)
    yield link
    (path.parent / "folder").symlink_to(path.parent, target_is_directory=True)
    yield path.parent / "folder" / path.name
    hard = path.with_name("hard.sqlite")
    hard.hardlink_to(path)
    yield hard
    os.remove(f"{path}.lock")
    yield path


@needs_ofd
def test_another_name_is_the_same_file(path):
    journal = Journal(path)
    journal.append(("begin", {}))
    for name in other_names(path):
        with pytest.raises(BlockingIOError, match="open in another session"):
            Journal(name)
        assert len(Journal.read(name)) == 1
    journal.append(("label", {"id": 1}))
    journal.close()
    Journal(path.with_name("hard.sqlite")).close()
    assert len(Journal.read(path)) == 2


OPENER = """
import runpy, sys
FileLock = runpy.run_path(sys.argv[1])["FileLock"]
for name in sys.argv[2:]:
    try:
        FileLock(name).release()
        print("free")
    except BlockingIOError as error:
        print("held")
"""


def held_elsewhere(*names):
    """Return whether another process finds these files held."""
    command = [sys.executable, "-S", "-c", OPENER, _lock.__file__, *map(str, names)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line == "held" for line in run.stdout.splitlines()]


@needs_ofd
def test_another_process_is_refused_by_any_name(path):
    session = opened(path)
    names = list(other_names(path))
    assert held_elsewhere(*names) == [True] * 4
    Journal.read(path)  # its connection is closed: SQLite's locks are others
    export_refused(path, path.with_name("hard.csv"))
    assert held_elsewhere(path, names[2]) == [True] * 2
    label_some(session, 1)
    session.close()
    assert held_elsewhere(*names) == [False] * 4


def export_refused(path, link):
    """Try to export onto the file by another name."""
    link.hardlink_to(path)
    with pytest.raises(ValueError, match="holds a session"):
        export(path, link)


@needs_ofd
def test_nothing_takes_the_locks_of_a_transaction(path):
    journal = opened(path)._journal
    hard = path.with_name("hard.csv")
    hard.hardlink_to(path)
    connection = journal._connection
    connection.execute("BEGIN IMMEDIATE")
    with pytest.raises(BlockingIOError):
        Journal(path)
    with pytest.raises(ValueError, match="holds a session"):
        export(path, hard)
    Journal.read(path)
    write = (
        "import sqlite3, sys\n"
        "file = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)\n"
        "try: file.execute('BEGIN IMMEDIATE')\n"
        "except sqlite3.OperationalError as error: print(error)"
    )
    command = [sys.executable, "-S", "-c", write, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "locked" in run.stdout
    connection.execute("ROLLBACK")
    journal.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_does_not_let_go(path):
    journal = Journal(path)
    journal.append(("begin", {}))
    child = os.fork()
    if child == 0:
        journal._lock.release()
        os._exit(0)
    os.waitpid(child, 0)
    assert held_elsewhere(path) == [True]
    journal.close()
    assert held_elsewhere(path) == [False]


def add_event(path, kind, body):
    """Add an event as another program would that knows the format."""
    with sqlite3.connect(path) as database:
        last = "SELECT id, chain FROM event ORDER BY id DESC LIMIT 1"
        number, chain = database.execute(last).fetchone()
        fields = number + 1, "now", kind, to_json(body)
        row = (*fields, sealed(chain, *fields))
        database.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", row)
    database.close()


def test_events_of_somebody_else_end_a_session(path):
    with opened(path) as session:
        before = label_some(session, 5)
        id = session.next()
        add_event(path, "label", {"id": id, "label": 1, "who": None})
        n_events = len(Journal.read(path))
        for _ in range(2):
            with pytest.raises(ValueError, match=r"other events.* has ended; open"):
                session.label(id, 0)
            with pytest.raises(ValueError, match="has ended"):
                session.next()
        assert session.status() == before
        assert session.export(path.with_name("labels.csv")) == 5
        assert len(Journal.read(path)) == n_events
    with opened(path) as session:
        assert session.status().answered == 6


def test_a_file_that_is_gone_is_named(path):
    with opened(path) as session:
        label_some(session, 5)
        id = session.next()
        away = path.rename(path.with_name("away"))
        for _ in range(2):
            with pytest.raises(FileNotFoundError, match=r"labels\.sqlite was deleted"):
                session.label(id, 0)
            path.write_bytes(away.read_bytes())  # a copy is not the file
        assert session.export(path.with_name("labels.csv")) == 5
        away.replace(path)
        session.label(id, 0)
        assert session.status().answered == 6
    assert Journal.read(path)[-1].body["id"] == id


# --- the cell of a notebook that runs once more


def test_a_session_is_handed_over_within_a_process(path):
    first = opened(path, ahead=1)
    label_some(first, 9)
    shown = first.next()
    second = opened(path, ahead=1)
    assert second.status().answered == 9
    assert second.next() == shown
    for call in (
        first.next,
        first.status,
        first.curve,
        first.advice,
        first.undo,
        first.predictions,
        lambda: first.label(shown, 0),
        lambda: first.skip(shown),
        lambda: first.export(path.with_name("labels.csv")),
        lambda: first.import_labels(path.with_name("labels.csv")),
        lambda: first.stop_reason,
    ):
        with pytest.raises(ValueError, match="has given its file to one that was open"):
            call()
    first.close()
    label_some(second, 3)
    assert second.status().answered == 12
    second.close()
    with pytest.raises(ValueError, match="The session is closed"):
        second.next()
    assert second.status().answered == 12
    with opened(path) as third:
        assert third.status().answered == 12


def test_a_session_goes_on_when_the_next_one_is_refused(path):
    with opened(path) as session:
        label_some(session, 5)
        for change in {"classes": [0, 1, 2]}, {"ids": list(range(1, 41))}:
            with pytest.raises(ValueError, match=r"had other settings|is not that of"):
                opened(path, **change)
        assert label_some(session, 1).answered == 6


class Slow(GaussianNB):
    """Takes its time, and says when it has begun."""

    begun = threading.Event()

    def fit(self, X, y, sample_weight=None):
        self.begun.set()
        time.sleep(0.2)
        return super().fit(X, y, sample_weight)


def test_training_ends_before_a_session_is_handed_over(path):
    learner = UncertaintySamplingClassifier(Slow(), n_initial=4, random_state=0)
    first = opened(path, learner, ahead=1)
    while True:
        Slow.begun.clear()
        label_some(first, 1)
        first.next()
        if first._worker.under_way is not None and Slow.begun.wait(0.05):
            break
    before = first.status()
    with opened(path, learner, ahead=1) as second:
        assert second.status().asked == before.asked + 1  # what was under way
        assert label_some(second, 3).answered == before.answered + 3


def test_a_session_that_was_interrupted_while_it_opened_is_in_nobodys_way(
    path, monkeypatch
):
    def interrupted(*args):
        raise KeyboardInterrupt

    with opened(path) as session:
        label_some(session, 5)
    kept = Journal(path)  # the frame of a traceback may keep it
    with opened(path) as session:
        assert session.status().answered == 5
    kept.close()
    monkeypatch.setattr(_lock, "lock_byte", interrupted)
    with pytest.raises(KeyboardInterrupt):
        opened(path)
    monkeypatch.undo()
    gc.collect()
    assert _lock.HELD == {}
    opened(path).close()


# --- a file that somebody else holds for a while


@pytest.fixture
def holder(path):
    """Another program, which holds the file while it is asked to."""
    connections = []

    def hold():
        connection = sqlite3.connect(
            path, timeout=0, isolation_level=None, check_same_thread=False
        )
        connection.execute("BEGIN EXCLUSIVE")
        connections.append(connection)

    def let_go():
        while connections:
            connections.pop().close()

    hold.let_go = let_go
    yield hold
    let_go()


def test_a_busy_file_is_waited_for_and_then_named(path, holder, monkeypatch):
    monkeypatch.setattr(_database, "PATIENCE", 0.1)
    monkeypatch.setattr(_database, "READING_WAIT", 0.1)
    with opened(path) as session:
        label_some(session, 5)
        id = session.next()
        holder()
        before = session.status()
        for call in (
            lambda: session.label(id, 0),
            lambda: session.skip(id),
            session.undo,
            lambda: session.next("ann"),
        ):
            with pytest.raises(BlockingIOError, match=r"held by another program.* try"):
                call()
        assert session.status() == before
        assert session.next() == id
        holder.let_go()
        assert len(Journal.read(path)) == len(session._journal.events)
        assert label_some(session, 15).answered == 20
        ended = session.status()
    holder()
    with pytest.raises(BlockingIOError, match="held by another program"):
        opened(path)
    holder.let_go()
    with opened(path) as session:
        assert session.status() == ended


def test_a_busy_file_makes_nobody_else_wait(path, holder):
    with opened(path) as session:
        label_some(session, 5)
        id = session.next()
        holder()
        waiting = threading.Thread(target=session.label, args=(id, 0))
        waiting.start()
        longest = 0.0
        for _ in range(20):
            begun = time.monotonic()
            session.status()
            longest = max(longest, time.monotonic() - begun)
            time.sleep(0.01)
        assert waiting.is_alive()
        holder.let_go()
        waiting.join()
        assert longest < 1  # seconds; each attempt takes a twentieth of one
        assert session.status().answered == 6


def test_training_outlasts_a_busy_file(path, holder):
    with opened(path) as session:
        label_some(session, 4)
        holder()
        later = threading.Timer(0.3, holder.let_go)
        later.start()
        id = session.next()  # teaches, trains and asks
        later.join()
        assert id is not None
        assert label_some(session, 4).answered == 8


def fill(session, id):
    """Label a row until there is no room."""
    for _ in range(200):
        session.label(id, 0)
        session.label(id, 1)


def test_a_full_disk_is_named(path):
    with opened(path) as session:
        label_some(session, 5)
        id, pragma = session.next(), session._journal._connection.execute
        (n_pages,) = pragma("PRAGMA page_count").fetchone()
        pragma(f"PRAGMA max_page_count = {n_pages}")
        with pytest.raises(OSError, match=r"disk of .* is full, and nothing was st"):
            fill(session, id)
        stored = session.status()
        pragma("PRAGMA max_page_count = 1000000")
        session.label(id, 0)
        assert session.status().answered == stored.answered
    with opened(path) as session:
        assert session.status().answered == stored.answered


# --- Ctrl-C anywhere


def interrupted_at(line, call):
    """Carry out a call that Ctrl-C stops at so many lines; return whether it did."""
    count, entered = iter(range(line)), set()

    def trace(frame, event, arg):
        if "/labeling/" not in frame.f_code.co_filename:
            return None
        place = frame.f_code.co_filename, frame.f_lineno
        # a signal cannot come between a block and the end of its `with`
        is_end = (frame, place) in entered
        if linecache.getline(*place).strip().startswith("with "):
            entered.add((frame, place))
        if event == "line" and not is_end and next(count, None) is None:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def stored_answers(path):
    """Return the answers in the file that were not taken back."""
    answers = {}
    for event in Journal.read(path):
        if event.kind in ("label", "skip"):
            answers[event.id] = event.body["id"]
        elif event.kind == "undo":
            del answers[event.body["event"]]
    return list(answers.values())


@pytest.mark.every_learner
@pytest.mark.parametrize("verb", ["label", "skip", "undo", "next"])
def test_ctrl_c_anywhere_leaves_a_session_that_works(path, verb):
    learner = UncertaintySamplingClassifier(
        GaussianNB(), n_initial=4, batch_size=3, random_state=0
    )
    rng, n_interrupted, line = np.random.default_rng(0), 0, 0
    with opened(path, learner) as session:
        label_some(session, 4)
        while line < 400:
            id = session.next()
            call = {
                "label": lambda id=id: session.label(id, int(y[id])),
                "skip": lambda id=id: session.skip(id),
                "undo": session.undo,
                "next": lambda: session.next(f"person {line}"),  # noqa: B023
            }[verb]
            before = stored_answers(path)
            if not interrupted_at(line, call):
                break
            n_interrupted += 1
            after = session.status()  # nobody needs to call twice
            now = stored_answers(path)
            assert len(now) - len(before) in {"undo": (0, -1), "next": (0,)}.get(
                verb, (0, 1)
            )
            assert after.answered + after.skipped == len(now)
            assert len(set(now)) == len(now)
            if verb == "undo" and len(now) < 4 + rng.integers(2):
                label_some(session, 1)
            elif verb != "undo" and now != before:
                session.undo()
            line += 1 if explores() else 3
        assert n_interrupted > 10
        label_some(session, 5)
        ended = session.status()
    with opened(path, learner) as session:
        assert session.status() == ended


def test_ctrl_c_when_a_job_has_begun_asks_for_no_row_twice(path, monkeypatch):
    with opened(path) as session:
        label_some(session, 4)
        submit = session._worker._thread.submit

        def interrupted(*args):
            submit(*args)
            raise KeyboardInterrupt

        monkeypatch.setattr(session._worker._thread, "submit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.next()
        monkeypatch.undo()
        label_some(session, 3)
        assert session.status().asked == 7
        assert label_some(session, 1).asked == 10


@pytest.mark.every_learner
def test_ctrl_c_anywhere_while_a_session_opens_is_in_nobodys_way(path):
    with opened(path) as session:
        label_some(session, 6)
        shown = session.next()
    n_interrupted = 0
    for line in range(0, 10_000, 1 if explores() else 67):
        if not interrupted_at(line, lambda: opened(path).close()):
            break
        n_interrupted += 1
        with opened(path) as session:
            assert session.next() == shown
            assert session.status().answered == 6
    assert n_interrupted > 10
    assert _lock.HELD == {}
