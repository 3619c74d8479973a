"""The file of a session: one writer, readers at any time, nothing lost, damage seen."""

import csv
import json
import linecache
import os
import sqlite3
import sys
import threading
import time
import warnings
from contextlib import closing, suppress
from itertools import cycle
from multiprocessing import get_context
from unittest.mock import patch

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession, export, recover_labels
from sklearn_activelearn.labeling.storage import _facts
from tests.learners import explores
from tests.reference import session_harness as harness
from tests.reference.labeling import answer_rows, labels_of, quick_folder
from tests.reference.session_files import asked, n_answers, select
from tests.reference.session_harness import X, y

LEARNER = UncertaintySamplingClassifier(
    GaussianNB(), n_initial=4, batch_size=3, budget=20, random_state=0
)


def opened(path, learner=LEARNER, **options):
    options = {"ids": list(range(30)), "classes": [0, 1], **options}
    return LabelingSession(learner, X, path, **options)


def model_of(session):
    """Return what the model has learned, from the labels that the file has now."""
    return session.model().theta_.tolist()


def label_some(session, n):
    answer_rows(session, lambda id: int(y[id]), n)
    return session.status()


# --- one writer, many readers

FORKS = "ignore:This process:DeprecationWarning"


def needs_fork(test):
    has_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill")
    return pytest.mark.filterwarnings(FORKS)(has_fork(test))


def error_of_opening(path):
    try:
        opened(path).close()
    except BlockingIOError as error:
        return f"{error}"


@needs_fork
def test_another_process_is_refused_by_any_name(path):
    link, folder = path.with_name("link.sqlite"), path.with_name("folder")
    link.symlink_to(path)
    folder.symlink_to(path.parent, target_is_directory=True)
    with get_context("fork").Pool(1) as other:
        with opened(path) as session:
            label_some(session, 2)
            for name in path, link, folder / path.name:
                why = other.apply(error_of_opening, [name])
                assert f"is open in another process, which holds {path}.lock" in why
            assert export(path, path.with_name("labels.csv")) == 2
            label_some(session, 1)
        assert other.map(error_of_opening, [path, link]) == [None, None]


def test_a_file_with_several_hard_links_is_refused(path):
    opened(path).close()
    hard = path.with_name("hard.sqlite")
    hard.hardlink_to(path)
    for name in path, hard:
        with pytest.raises(ValueError, match="several hard links"):
            opened(name)
    hard.unlink()
    opened(path).close()


def test_who_reads_need_not_wait_for_a_session_that_is_open(path):
    out, n_read = path.with_name("labels.csv"), []
    with opened(path) as session:
        label_some(session, 1)
        is_over = threading.Event()

        def read():
            while not is_over.is_set():
                n_read.append(export(path, out))

        reader = threading.Thread(target=read)
        reader.start()
        label_some(session, 15)
        is_over.set()
        reader.join()
    assert n_read == sorted(n_read)
    assert len(n_read) > 1


def test_another_program_that_writes_ends_the_session(path):
    with opened(path) as session:
        label_some(session, 3)
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("UPDATE leases SET until = 0")
            other.execute("INSERT INTO leases VALUES (99, 1, 'eve', 0)")
        with pytest.raises(ValueError, match="Another program has changed"):
            session.label(0, 1)
    with opened(path) as session:
        assert session.status().answered == 3


def test_a_file_that_is_gone_is_named(path):
    with opened(path) as session:
        id = session.next()
        kept = path.rename(path.with_name("elsewhere"))
        with pytest.raises(FileNotFoundError, match="was deleted or replaced"):
            session.label(id, 1)
        kept.rename(path)
        session.label(id, 1)
    assert n_answers(path) == 1


def test_a_full_disk_loses_nothing(path, small_files):
    with opened(path) as session:
        label_some(session, 5)
        id = session.next()
        small_files(path.stat().st_size)

        def fill():
            for n in range(200):
                session.note(n % 30, "a long note " * 200)

        with pytest.raises(OSError, match="Nothing was stored"):
            fill()
        small_files(-1)
        before = session.status()
        session.label(id, int(y[id]))
        assert session.status().answered == before.answered + 1 == 6
    with opened(path) as session:
        assert session.status().answered == 6


def tags_in_file(path):
    """Return the tags of the last answer to each row that is not withdrawn."""
    sql = "SELECT id, tags FROM answers WHERE withdrawn_at IS NULL ORDER BY number"
    return {id: json.loads(tags or "[]") for id, tags in select(path, sql)}


def tags_in_memory(session):
    return {id: session.answers(id).answers[-1].tags for id in labels_of(session)}


def test_a_full_disk_loses_no_tag(path, small_files):
    names = [f"tag {n} {'of a long name ' * 20}".strip() for n in range(20)]
    with opened(path, tags=names) as session:
        label_some(session, 5)
        small_files(path.stat().st_size)
        kept = tags_in_memory(session)

        def fill():
            for n in range(200):
                tags = names[n % 7 :]
                session.label(n % 30, int(y[n % 30]), tags=tags)
                kept[n % 30] = tags

        with pytest.raises(OSError, match="Nothing was stored"):
            fill()
        assert tags_in_memory(session) == tags_in_file(path) == kept
        small_files(-1)
        session.label(29, 1, tags=names)
        kept[29] = names
    with opened(path) as session:
        assert tags_in_memory(session) == kept


def test_a_transaction_that_fails_is_not_remembered(path):
    with opened(path) as session:
        file = session._file
        with (
            patch.object(_facts, "put", side_effect=OSError("full")),
            pytest.raises(OSError, match="full"),
            file.writing() as facts,
        ):
            facts.change_learner(queries=99)
        with suppress(KeyError), file.writing() as facts:
            facts.put_settings(votes=3)
            assert facts.settings["votes"] == 3
            raise KeyError
        with file.writing() as facts:
            facts.change_learner(position=1)
            assert facts.learner["queries"] == 0
            assert facts.settings["votes"] == session.votes == 1


# --- one session of a process


def test_a_session_is_handed_over_within_a_process(path):
    first = opened(path)
    label_some(first, 3)
    shown = first.next()
    with pytest.raises(ValueError, match="other settings"):
        opened(path, votes=2)
    assert first.next() == shown  # it goes on
    with opened(path) as second:
        assert second.next() == shown
        assert first.status() == second.status()
        for call in first.next, lambda: first.label(shown, 1):
            with pytest.raises(ValueError, match="has handed its file to"):
                call()
        first.close()
        assert label_some(second, 2).answered == 5
    assert second.status().answered == 5  # a closed session can be read
    with pytest.raises(ValueError, match="The session is closed"):
        second.next()


class Slow(GaussianNB):
    """Takes its time, and says when it has begun."""

    begun = threading.Event()

    def fit(self, X, y, sample_weight=None):
        self.begun.set()
        time.sleep(0.05)
        return super().fit(X, y, sample_weight)


def test_training_ends_before_a_session_is_handed_over(path):
    learner = UncertaintySamplingClassifier(Slow(), n_initial=4, random_state=0)
    first = opened(path, learner, ahead=1)
    label_some(first, 5)
    first.next()
    assert Slow.begun.wait(30)
    n_asked = len(asked(path))
    with opened(path, learner, ahead=1) as second:
        assert second.status().asked >= n_asked
        assert label_some(second, 3).answered == 8


# --- kills and interrupts

ALL = [(False, True), (True, False), (False, False), (True, True)]


@needs_fork
@pytest.mark.parametrize(("changes", "several"), ALL if explores() else ALL[:2])
@pytest.mark.every_learner
def test_nothing_is_lost_when_a_session_is_killed(changes, several):
    harness.check_kills(1000 if explores() else 8, changes, several=several)


@needs_fork
@pytest.mark.every_learner
def test_nothing_is_lost_when_people_label_together():
    assert harness.check_kills_of_people(300 if explores() else 6) > 0


@needs_fork
@pytest.mark.every_learner
@pytest.mark.parametrize(
    "name", ["ONE", "SEVERAL", "FINDING", "TWINS", "FINDING_TWINS"]
)
def test_nothing_is_lost_of_operations_that_are_killed(name):
    n_operations = 2000 if explores() else 40
    harness.check_kills_of_operations(n_operations, getattr(harness, name))


def interrupted_at(line, call):
    """Carry out a call that Ctrl-C stops after a number of lines; True if it did."""
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


@pytest.mark.every_learner
@pytest.mark.parametrize("verb", ["label", "skip", "undo", "next"])
def test_ctrl_c_anywhere_leaves_a_session_that_works(path, verb):
    learner = UncertaintySamplingClassifier(
        GaussianNB(), n_initial=4, batch_size=3, random_state=0
    )
    sql = "SELECT id FROM answers WHERE withdrawn_at IS NULL"
    # a row that somebody holds goes to nobody else: there are more rows than people
    n_interrupted, line = 0, 0
    with opened(path, learner) as session:
        label_some(session, 4)
        while line < 1000:
            id = session.next()
            call = {
                "label": lambda id=id: session.label(id, int(y[id])),
                "skip": lambda id=id: session.skip(id),
                "undo": session.undo,
                "next": lambda: session.next(f"person {line % 15}"),  # noqa: B023
            }[verb]
            before = select(path, sql)
            if not interrupted_at(line, call):
                break
            n_interrupted += 1
            after, now = session.status(), select(path, sql)
            difference = len(now) - len(before)
            assert difference in {"undo": (0, -1), "next": (0,)}.get(verb, (0, 1))
            assert after.answered + after.skipped == len(now) == len({*now})
            if verb == "undo" and len(now) < 4:
                label_some(session, 1)
            elif verb != "undo" and now != before:
                session.undo()
            line += 1 if explores() else 5
        assert n_interrupted > 5
        label_some(session, 5)
        ended = session.status()
    with opened(path, learner) as session:
        assert session.status() == ended


@pytest.mark.every_learner
def test_ctrl_c_anywhere_keeps_tags_with_their_answers(path):
    line, sets = 0, cycle([["a"], ["a", "b"], [], ["b"]])
    with opened(path, tags=["a", "b"]) as session:
        session.label(3, 1, tags=["a", "b"])
        while line < 1000:
            before, tags = tags_in_file(path), next(sets)
            if not interrupted_at(line, lambda: session.label(3, 1, tags=tags)):  # noqa: B023
                break
            assert tags_in_memory(session) == tags_in_file(path)
            assert tags_in_file(path)[3] in (before[3], tags)
            line += 1 if explores() else 3
        assert line > 15
        ended = tags_in_memory(session)
        assert ended[3] == tags
    with opened(path) as session:
        assert tags_in_memory(session) == ended


@pytest.mark.every_learner
def test_ctrl_c_during_an_undo_leaves_no_model_with_the_withdrawn_label(path):
    n_withdrawn, line = 0, 0
    with opened(path) as session:
        label_some(session, 7)
        while line < 1000:
            session.next()  # the learner is taught all labels
            known = model_of(session)
            assert known
            if not interrupted_at(line, session.undo):
                break
            labels = select(path, "SELECT id FROM labels")
            if len(labels) == 6:
                n_withdrawn += 1
                assert model_of(session) != known
            label_some(session, 7 - len(labels))
            line += 1 if explores() else 5
            assert session.next() is not None
    assert n_withdrawn > 0


def each_interrupted_opening(path, step):
    """Interrupt the opening of a session later and later; yield after each time."""
    n_interrupted = 0
    for line in range(0, 10_000, step):
        if not interrupted_at(line, lambda: opened(path).close()):
            break
        n_interrupted += 1
        yield
    assert n_interrupted > 3


@pytest.mark.every_learner
def test_ctrl_c_anywhere_while_a_session_opens_blocks_nobody(path):
    with opened(path) as session:
        label_some(session, 6)
        shown = session.next()
    for _ in each_interrupted_opening(path, 7 if explores() else 367):
        with opened(path) as session:
            assert session.next() == shown
            assert session.status().answered == 6


@pytest.mark.every_learner
def test_ctrl_c_anywhere_while_a_session_closes_blocks_nobody(path):
    for line in range(1000):
        session = opened(path)
        if not interrupted_at(line, session.close):
            break
        del session
        opened(path).close()
    assert line > 10


@pytest.mark.every_learner
def test_ctrl_c_anywhere_while_a_session_begins_leaves_no_broken_file(path):
    for _ in each_interrupted_opening(path, 3 if explores() else 97):
        with opened(path) as session:
            assert label_some(session, 1).answered == 1
        for file in path.parent.iterdir():
            assert file.name in (path.name, f"{path.name}.lock")
            file.unlink()


# --- files that are no sessions, cut, damaged or crafted


def test_a_file_that_is_no_session_is_refused(path):
    with pytest.raises(FileNotFoundError, match="There is no labelling session"):
        export(path, path.with_name("labels.csv"))
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        opened(path / "no folder" / "labels.sqlite")
    with pytest.raises(ValueError, match="is a folder"):
        opened(path.parent)
    why = r"not a labelling session|is damaged"
    for content, message in (
        (b"id,label\n1,good\n", why), (b"\xff\xfe\x00", why),
        (b"SQLite format 3\0" + b"x" * 99, why),
        (b"", "is empty. If it held labels, restore"),
    ):  # fmt: skip
        path.write_bytes(content)
        for call in opened, lambda path: export(path, path.with_suffix(".csv")):
            with pytest.raises(ValueError, match=message):
                call(path)
        assert path.read_bytes() == content
    path.unlink()
    for table in "event", "other":  # an earlier state, and another program
        with closing(sqlite3.connect(path)) as db, db:
            db.execute(f"CREATE TABLE {table} (id INTEGER)")
        with pytest.raises(ValueError, match="is a database, but not a labelling"):
            opened(path)


def test_without_intact_answers_nothing_is_recovered(path):
    opened(path).close()
    for name, why in ("a.csv", "no intact answers. Nothing"), ("a.json", "end in .csv"):
        with pytest.raises(ValueError, match=why):
            recover_labels(path, path.with_name(name))
        assert not path.with_name(name).exists()


def test_a_commit_that_was_cut_off_is_rolled_back(path):
    with opened(path) as session:
        label_some(session, 5)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA cache_size = 1")  # pages reach the disk before the commit
        db.execute("BEGIN IMMEDIATE")
        for number in range(200):
            row = (number + 1000, 1, "eve", 0.0)
            db.execute("INSERT INTO leases VALUES (?, ?, ?, ?)", row)
            db.execute("UPDATE answers SET reason = ?", ("x" * 4000,))
        left = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    assert f"{path.name}-journal" in left
    for name, content in left.items():  # as a kill would leave them
        path.with_name(name).write_bytes(content)
    with opened(path) as session:
        assert session.status().answered == 5


def test_a_cut_file_is_refused():
    n = 2000 if explores() else 20
    assert harness.check_truncations(n)["refused"] == n


@pytest.mark.every_learner
def test_a_damaged_file_is_refused_or_loses_nothing():
    found = harness.check_damages(5000 if explores() else 24)
    assert found["refused"] > 5
    assert found["answers recovered"] > 0


@pytest.mark.every_learner
@pytest.mark.parametrize("several", [None, harness.SEVERAL], ids=["one", "several"])
def test_a_crafted_file_works_or_is_refused_with_a_sentence(several):
    found = harness.check_crafted(5000 if explores() else 30, several=several)
    assert min(found["refused"], found["opened"]) > 5


def test_the_intact_answers_of_a_damaged_file_are_recovered(path):
    with opened(path, votes=2) as session:
        for n, who in enumerate(["ann", "bob", "cat"]):
            session.label(0, 1, who)
            session.label(n + 1, 0, who)
        session.skip(session.next("ann"), "dark", "ann")
        session.undo("cat")
    damaged = path.read_bytes().replace(b"bob", b"bop", 1)
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match=r"is damaged: row.* 6 answers in it are inta"):
        opened(path, votes=2)
    out = path.with_name("answers.csv")
    assert recover_labels(path, out) == 5  # without the answer that was withdrawn
    assert path.read_bytes() == damaged
    assert "\n0,1,ann," in out.read_text().replace("\r", "")
    with opened(path.with_name("new"), votes=2) as session:
        assert session.import_labels(out) == 4  # skips are no labels


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("DELETE FROM answers WHERE number = 3", "row 3 of answers is missing"),
        ("UPDATE answers SET who = 'eve' WHERE number = 2", "row 2 of answers does n"),
        ("UPDATE taught SET label = 1 - label", "row 1 of taught does not match"),
    ],
)
def test_what_somebody_changed_is_seen(path, sql, why):
    with opened(path) as session:
        label_some(session, 6)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(sql)
    with pytest.raises(ValueError, match=why):
        opened(path)


@pytest.mark.parametrize(
    ("format", "why"), [("0", "another version"), (None, "as they were created")]
)
def test_a_file_with_other_tables_says_why(path, format, why):
    opened(path).close()
    with closing(sqlite3.connect(path)) as db, db:
        if format is not None:
            db.execute("UPDATE settings SET value = ? WHERE name = 'format'", (format,))
        db.execute("ALTER TABLE notes ADD COLUMN seconds REAL")
    with pytest.raises(ValueError, match=why):
        opened(path)


def test_commits_reach_the_disk(path):
    with opened(path) as session:
        with session._file.reading() as facts:
            assert facts.db.value("PRAGMA synchronous") == 2
            assert facts.db.value("PRAGMA journal_mode") == "delete"
        id = session.next()
        calls = []
        with session._file.reading() as facts:
            facts.db.set_trace_callback(calls.append)
        for label in (1, 0):  # a label, and a correction
            calls.clear()
            session.label(id, label)
            assert calls[0].startswith("BEGIN IMMEDIATE")
            assert "COMMIT" in calls
            assert len(calls) <= 8
    opened(path).close()  # what was written follows from the answers


# --- queries that a person may run


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("votes", [1, 2, 3])
def test_the_view_of_labels_decides_as_the_session_does(votes, several):
    rng = np.random.default_rng([votes, several])
    sets = [[], ["yes"], ["maybe"], ["maybe", "yes"]]
    options = {"classes": ["no", "yes", 'may "be']}
    if several:
        options = {"labels": ["no", "yes", "maybe"], "classes": None}
    with quick_folder() as folder:
        for _ in range(30 if explores() else 4):
            path = folder / f"{rng.integers(2**31)}"
            with opened(path, votes=votes, test_size=3, **options) as session:
                first = session.next("a")  # one label and one skip: a tie
                session.label(first, sets[1] if several else "yes", "a")
                session.skip(first, who="b")
                for _ in range(60):
                    who, id = "abcd"[rng.integers(4)], int(rng.integers(9))
                    code = rng.integers(len(sets) if several else 3)
                    label = sets[code] if several else options["classes"][code]
                    with suppress(ValueError):  # nothing to undo, or nobody asked
                        what = rng.random()
                        if what < 0.7:
                            session.label(id, label, who, final=bool(what < 0.05))
                        elif what < 0.85:
                            session.skip(session.next(who), who=who)
                        else:
                            session.undo(who)
                rows = session.review(limit=99, since="2000-01-01").rows
                rows = {row.id: row.label for row in rows if row.state == "labelled"}
                kinds = dict.fromkeys(session.test_ids, "test")
                lines = folder / "labels.csv"
                with warnings.catch_warnings(action="ignore"):  # of disputed rows
                    session.export(lines)
            found = select(path, "SELECT id, label, who, kind FROM labels")
            assert rows == {
                id: json.loads(label) if several else label for id, label, *_ in found
            }
            exported = list(csv.DictReader(lines.read_text("utf-8").splitlines()))
            assert [str(id) for id, *_ in found] == [line["id"] for line in exported]
            for (id, _, who, kind), line in zip(found, exported, strict=True):
                assert {*(who or "").split(",")} == {*line["who"].split(";")}
                assert (kind == "test") == (id in kinds)
                assert (kind == "given") == (line["origin"] == "given")
