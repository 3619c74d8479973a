"""Calls of several threads that share a transaction."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import sleep

import numpy as np
import pytest

from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.labeling._journal import Journal
from sklearn_activelearn.labeling._verbs import verbs_of
from sklearn_activelearn.labeling._view import LabelingView

X = np.random.default_rng(0).normal(size=(40, 3))
PEOPLE = [f"person {i}" for i in range(8)]
LEARNERS_OWN = ("ask", "teach")  # events that the learner's thread records


@pytest.fixture
def session(tmp_path):
    learner = UncertaintySamplingClassifier(budget=None, batch_size=20, random_state=0)
    options = {"ids": list(range(40)), "classes": ["no", "yes"], "ahead": 1}
    with LabelingSession(learner, X, tmp_path / "a.sqlite", **options) as session:
        yield session


def together(session, calls):
    """Return what calls return or raise that all wait for the lock first."""

    def outcome(call):
        try:
            return call()
        except BaseException as error:  # an interrupt, too
            return error

    with ThreadPoolExecutor(len(calls)) as threads:
        with session._lock:
            jobs = []
            for n, call in enumerate(calls, start=1):
                jobs.append(threads.submit(outcome, call))
                while len(session._log._commands) < n:
                    sleep(0.001)
        return [job.result() for job in jobs]


def answers_in_file(session):
    """Return the ids of the labels and skips that are on the disk."""
    events = Journal.read(session._journal.path)
    return [event.body["id"] for event in events if event.kind in ("label", "skip")]


def n_done(session):
    """Return how many rows are answered, as the session knows it."""
    status = session.status()
    return status.answered + status.skipped


@pytest.fixture
def commits(session, monkeypatch):
    """The kinds of events in each commit, without those of the learner's thread."""
    found, commit = [], session._journal.commit

    def counted(new):
        if kinds := [event.kind for event in new if event.kind not in LEARNERS_OWN]:
            found.append(kinds)
        return commit(new)

    monkeypatch.setattr(session._journal, "commit", counted)
    return found


def held_rows(session):
    """Return the row that each person has, and a call that answers it.

    Half of them skip their row, because a skip that is repeated is stored again.
    """
    ids = [session.next(who) for who in PEOPLE]
    assert len(set(ids)) == len(PEOPLE)
    return ids, [
        partial(session.label, id, "yes", who)
        if k % 2
        else partial(session.skip, id, who=who)
        for k, (id, who) in enumerate(zip(ids, PEOPLE, strict=True))
    ]


def test_calls_that_wait_share_a_commit(session, commits):
    ids, calls = held_rows(session)
    commits.clear()
    assert together(session, calls) == [None] * len(calls)
    assert len(commits) == 1
    assert Counter(commits[0]) == {"label": 4, "skip": 4}
    assert sorted(answers_in_file(session)) == sorted(ids)
    assert session.status().by_class == {"no": 0, "yes": 4}


def test_people_who_wait_together_get_different_rows(session, commits):
    calls = [partial(session.next, who) for who in [*PEOPLE, *PEOPLE[:2]]]
    session.next(PEOPLE[0])  # the learner has asked
    commits.clear()
    ids = together(session, calls)
    assert len(set(ids)) == len(PEOPLE)
    assert ids[:2] == ids[-2:]
    assert commits == [["assign"] * (len(PEOPLE) - 1)]


def test_a_call_that_is_refused_is_refused_alone(session, commits):
    ids, calls = held_rows(session)
    calls[3] = partial(session.label, ids[3], "perhaps", PEOPLE[3])
    commits.clear()
    found = together(session, calls)
    assert "none of" in str(found.pop(3))
    assert found == [None] * (len(calls) - 1)
    assert len(commits) == 1
    assert Counter(commits[0]) == {"label": 3, "skip": 4}
    assert ids[3] not in answers_in_file(session)


def test_a_commit_that_fails_stores_nothing_of_anybody(session, monkeypatch):
    ids, calls = held_rows(session)
    calls.append(calls[1])  # finds the label there, and has nothing to store

    def fail(new):
        raise OSError("no room")

    with monkeypatch.context() as patch:
        patch.setattr(session._journal, "commit", fail)
        found = together(session, calls)
        assert [str(error) for error in found] == ["no room"] * len(calls)
        assert n_done(session) == 0
    assert answers_in_file(session) == []
    assert together(session, calls) == [None] * len(calls)
    assert sorted(answers_in_file(session)) == sorted(ids)
    assert n_done(session) == len(ids)


@pytest.mark.parametrize("is_stored", [False, True])
def test_an_interrupt_of_one_call_loses_none_of_the_others(
    session, monkeypatch, is_stored
):
    ids, calls = held_rows(session)
    commit, interrupted = session._journal.commit, []

    def interrupt(new):
        if interrupted or new[0].kind in LEARNERS_OWN:
            return commit(new)
        interrupted.append(True)
        if is_stored:
            commit(new)
        raise KeyboardInterrupt

    monkeypatch.setattr(session._journal, "commit", interrupt)
    found = together(session, calls)
    assert [type(each) for each in found].count(KeyboardInterrupt) == 1
    lost = {ids[k] for k, each in enumerate(found) if each is not None}
    stored = answers_in_file(session)
    assert sorted(stored) == sorted(set(ids) - (set() if is_stored else lost))
    assert n_done(session) == len(stored)


def test_an_interrupt_after_the_commit_has_nothing_stored_twice(session, monkeypatch):
    ids, calls = held_rows(session)
    commit, settle, interrupts = session._journal.commit, session._journal.settle, []

    def stored(new):
        commit(new)
        if new[0].kind not in LEARNERS_OWN:
            interrupts.append(KeyboardInterrupt)

    def interrupted():
        if interrupts:
            raise interrupts.pop()
        settle()

    monkeypatch.setattr(session._journal, "commit", stored)
    monkeypatch.setattr(session._journal, "settle", interrupted)
    found = together(session, calls)
    assert [type(each) for each in found].count(KeyboardInterrupt) == 1
    assert sorted(answers_in_file(session)) == sorted(ids)
    assert n_done(session) == len(ids)


def test_a_call_that_fails_when_it_has_recorded_stores_nothing(session, commits):
    ids, calls = held_rows(session)

    def look(id):
        raise RuntimeError("cannot be shown")

    calls[2] = partial(session._skip_then, look, ids[2], None, PEOPLE[2])
    commits.clear()
    found = together(session, calls)
    assert str(found.pop(2)) == "cannot be shown"
    assert found == [None] * (len(calls) - 1)
    assert len(commits) == 1
    assert sorted(answers_in_file(session)) == sorted({*ids} - {ids[2]})
    assert n_done(session) == len(ids) - 1
    assert session.next(PEOPLE[2]) == ids[2]
    assert session._label_then(lambda id: id, ids[2], "no", PEOPLE[2]) not in ids


def test_an_answer_is_stored_though_the_session_ends_then(session, monkeypatch):
    row = session.next("ann")

    def ended(id):
        raise ValueError("This session has ended.")

    monkeypatch.setattr(session._worker, "look_ahead", ended)
    session._label_then(lambda id: id, row, "yes", "ann")
    assert answers_in_file(session) == [row]


def test_a_call_that_was_interrupted_while_it_waited_is_not_made(session):
    ids, _ = held_rows(session)

    class Busy:
        def __enter__(self):
            raise KeyboardInterrupt

        def __exit__(self, *error):
            pass

    lock, session._log.lock = session._log.lock, Busy()
    with pytest.raises(KeyboardInterrupt):
        session.label(ids[0], "yes", PEOPLE[0])
    session._log.lock = lock
    session.label(ids[1], "yes", PEOPLE[1])
    assert answers_in_file(session) == [ids[1]]


def test_a_label_on_the_page_and_the_next_row_are_one_commit(session, commits):
    from sklearn_activelearn.labeling._view import LabelingView

    view = LabelingView(session, "table")
    id = view.next("ann").row_id
    commits.clear()
    _, shown = view.label_at_once(id, "yes", "ann")
    assert commits == [["label", "assign"]]
    assert shown.row_id == session.next("ann") != id
    assert shown.counts.startswith("1 labelled")


def test_a_skip_is_stored_once_if_looking_ahead_meets_a_held_file(session, monkeypatch):
    row = session.next("ann")

    def held(id):
        raise BlockingIOError("held by another program")

    monkeypatch.setattr(session._worker, "look_ahead", held)
    session._skip_then(lambda id: id, row, None, "ann")
    assert answers_in_file(session) == [row]


def test_who_only_reads_does_not_fail_with_the_commit_of_others(session, monkeypatch):
    row, page = session.next("ann"), verbs_of(LabelingView(session, "table"))

    def full(staged):
        raise OSError("no space left")

    monkeypatch.setattr(session._journal, "commit", full)
    with ThreadPoolExecutor(2) as threads:
        with session._lock:
            label = threads.submit(session.label, row, "yes", "ann")
            while not session._log._commands:
                sleep(0.001)
            read = threads.submit(page["start"].call, {}, "bob")
            sleep(0.05)  # both wait for the lock
        assert read.result()["counts"].startswith("0 labelled")
        with pytest.raises(OSError, match="no space"):
            label.result()
