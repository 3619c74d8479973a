"""Sessions: the rows they show, what they keep, and what they refuse."""

import json
import re
import threading
import warnings
from contextlib import suppress
from itertools import chain
from time import sleep

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import sklearn_activelearn
from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    ALMSClassifier,
    CBGZClassifier,
    COMBClassifier,
    DKMClassifier,
    FASSLBoostClassifier,
    GreedyOnlineClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByBoostingClassifier,
    QueryByCommitteeClassifier,
    RLSSamplingClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.evaluation import advice
from sklearn_activelearn.labeling import LabelingSession, export
from sklearn_activelearn.labeling._display import HEIGHT
from sklearn_activelearn.labeling._ids import find_ids
from sklearn_activelearn.labeling._journal import Journal
from sklearn_activelearn.labeling._replay import RecordedLearner
from sklearn_activelearn.labeling._resume import check_resume
from sklearn_activelearn.labeling._settings import described, differences
from sklearn_activelearn.labeling._state import SessionState
from sklearn_activelearn.labeling._worker import Worker
from sklearn_activelearn.pool import LabelPrice
from tests.learners import explores
from tests.reference.labeling import quick_folder, shown_rows

X, codes = make_classification(45, 4, n_informative=3, n_redundant=0, random_state=3)
Y = np.array(["bad", "good"])[codes]
IDS = [f"row {i}" for i in range(len(X))]
CLASSES = ["good", "bad"]

POOL = {
    "plain": UncertaintySamplingClassifier(n_initial=4, batch_size=3, budget=25),
    "margin": MinMarginClassifier(n_initial=3, batch_size=2, budget=14),
    "herding": UncertaintyHerdingClassifier(n_initial=4, batch_size=3, budget=16),
    "spread": MinMarginClassifier(
        n_initial=3, initial="herding", batch_size=4, batch="cluster", budget=15
    ),
    "committee": QueryByCommitteeClassifier(
        estimators=[("a", GaussianNB()), ("b", LogisticRegression())],
        n_initial=4, batch_size=4, cv=2, budget=14,
    ),
    "passive": PassiveClassifier(LogisticRegression(), n_initial=3, budget=0.3),
    "boosting": QueryByBoostingClassifier(n_estimators=3, n_initial=4, budget=11),
    "semi-supervised": COMBClassifier(n_estimators=3, n_initial=4, budget=11),
    "fast boosting": FASSLBoostClassifier(n_initial=4, batch_size=2, budget=12),
    "graph": ActiveLabelPropagationClassifier(n_initial=2, budget=11),
    "models": ALMSClassifier(
        LogisticRegression(), param_grid={"C": [0.1, 1.0]}, n_initial=4, budget=11
    ),
    "incremental": MinMarginClassifier(
        Perceptron(), incremental=True, n_initial=3, batch_size=2, budget=12
    ),
    "warm start": UncertaintySamplingClassifier(
        LogisticRegression(warm_start=True), n_initial=4, budget=11
    ),
    "stopping": UncertaintySamplingClassifier(
        GaussianNB(), n_initial=4, batch_size=3, stopping="stable_predictions"
    ),
}  # fmt: skip
STREAM = {
    "coins": CBGZClassifier(b=0.5),
    "threshold": DKMClassifier(budget=15),
    "groups": GreedyOnlineClassifier(m=4),
    "second order": RLSSamplingClassifier(60.0, variant="next", budget=12),
}
#: Taken up again with one training.
RESTORED = {"plain", "margin", "herding", "spread", "committee", "passive", "stopping"}
FAMILIES = {
    name: clone(learner).set_params(random_state=0)
    for name, learner in {**POOL, **STREAM}.items()
}
each_family = pytest.mark.parametrize("family", FAMILIES)


def each_family_ahead(first):
    """Run over families, one with and the next without training ahead, or both."""
    rows = [
        (family, ahead)
        for k, family in enumerate(FAMILIES, first)
        for ahead in ((0, 1) if explores() else (k % 2,))
    ]
    rows = pytest.mark.parametrize(("family", "ahead"), rows)
    return lambda test: pytest.mark.every_learner(rows(test))


quick = FAMILIES["plain"]


def opened(learner, path, pool=X, **options):
    """Open a session on the rows of this module."""
    options = {"ids": IDS, "classes": CLASSES, **options}
    return LabelingSession(learner, pool, path, **options)


def answer(session, id, who=None):
    session.label(id, Y[IDS.index(id)], who)


def label_all(session, n=None, who=None):
    """Answer rows as long as there are any; return their ids."""
    shown = []
    while len(shown) != n and (id := session.next(who)) is not None:
        answer(session, id, who)
        shown.append(id)
    return shown


def opinion(session):
    """Return what the model says of all rows, bit for bit."""
    predictions = session.predictions()
    probabilities = predictions.probabilities
    return (
        predictions.labels,
        None if probabilities is None else probabilities.tobytes(),
    )


# --- the rows that are shown


@each_family_ahead(0)
def test_a_session_shows_what_the_plain_loop_shows(family, ahead, path):
    learner = clone(FAMILIES[family])
    if family == "passive":
        learner.set_params(budget=18)
    with opened(learner, path, ahead=ahead) as session:
        shown = label_all(session)
        loop = clone(learner)
        expected = shown_rows(loop, X, Y, CLASSES, ahead)
        assert shown == [IDS[row] for row in expected]
        if not ahead:
            np.testing.assert_array_equal(session.learner.predict(X), loop.predict(X))


def test_a_row_that_nobody_asked_for_is_not_kept_for_who_takes_its_label_back(path):
    with opened(quick, path) as session:
        session.label(IDS[40], "good", "ann")
        assert session.undo("ann") == IDS[40]
        assert not session._log.state.is_held(IDS[40], "ann", 0)
        id = session.next("ann")
        session.label(id, "good", "ann")
        assert session.undo("ann") == id
        assert session._log.state.is_held(id, "ann", 0)


def test_rows_do_not_depend_on_when_the_thread_that_found_them_ends(
    folder, monkeypatch
):
    def teach_events(name):
        with opened(FAMILIES["plain"], folder / name, ahead=1) as session:
            for _ in range(10):
                answer(session, session.next())
                sleep(0.02)  # the learner has asked
        events = Journal.read(folder / name)
        return [
            [events[number - 1].body["id"] for number in event.body["events"]]
            for event in events
            if event.kind == "teach"
        ]

    def slow(self, last_ask):
        ask(self, last_ask)
        sleep(0.1)  # its rows are noted already

    expected, ask = teach_events("quick"), Worker._ask
    monkeypatch.setattr(Worker, "_ask", slow)
    assert teach_events("slow") == expected


@pytest.mark.parametrize("family", STREAM)
def test_rows_put_aside_are_no_part_of_the_stream(family, path):
    learner = FAMILIES[family]
    with opened(learner, path, test_size=6) as session:
        aside = {IDS.index(id) for id in label_all(session, n=6)}
        rest = [row for row in range(len(X)) if row not in aside]
        n_left = None if learner.budget is None else learner.budget - 6
        loop = clone(learner).set_params(budget=n_left)
        expected = shown_rows(loop, X[rest], Y[rest], CLASSES, 0)
        assert label_all(session) == [IDS[rest[row]] for row in expected]


@each_family_ahead(1)
def test_a_session_that_is_interrupted_shows_the_same_rows(family, ahead, folder):
    learner, options = FAMILIES[family], {"test_size": 3, "ahead": ahead}
    with opened(learner, folder / "whole", **options) as session:
        expected, said = label_all(session), opinion(session)
        curve, status = session.curve(), session.status()
    shown, more = [], [...]
    while more:
        with opened(learner, folder / "parts", **options) as session:
            more = label_all(session, n=13)
            shown += more
            if len(more) < 13:
                assert opinion(session) == said
                assert session.curve() == curve
                assert session.status() == status
    assert shown == expected


few = settings(max_examples=settings.default.max_examples // 3)
steps = st.lists(
    st.sampled_from(["label", "wrong", "skip", "undo", "again", "unasked", "open"]),
    min_size=5,
    max_size=25,
)


def go(learner, path, steps, opens, **options):
    """Take steps; return what was seen on the way, and the session's end."""
    session, seen = opened(learner, path, **options), []
    for i, step in enumerate(steps):
        if step == "open" and opens:
            session.close()
            session = opened(learner, path, **options)
        elif step == "undo":
            try:
                seen.append(session.undo())
            except ValueError as error:
                seen.append(str(error))
        elif step in ("again", "unasked"):
            id = IDS[i] if step == "unasked" else (seen or IDS)[-1]
            if id in IDS:
                with suppress(ValueError):  # a stream cannot unlearn
                    session.label(id, CLASSES[i % 2])
        elif step != "open":
            seen.append(id := session.next())
            if id is not None and step == "skip":
                session.skip(id, reason="cannot tell")
            elif id is not None:
                session.label(
                    id, Y[IDS.index(id)] if step == "label" else CLASSES[i % 2]
                )
    seen.append(session.next())
    session.close()  # when what is under way has ended
    said = opinion(session) if session._worker.recorded.has_model else None
    learner, record = session.learner, None
    if hasattr(learner, "record") and hasattr(learner, "n_queries_"):
        record = learner.record()
    return seen, said, record, session.status(), session.curve()


@each_family
@few
@given(steps=steps, ahead=st.integers(0, 1))
def test_whatever_happens_a_replay_is_exact(family, steps, ahead):
    learner = FAMILIES[family]
    with quick_folder() as folder, warnings.catch_warnings():
        # wrong labels may be such that an estimator fails on them
        options = {"test_size": 2, "ahead": ahead}
        live = go(learner, folder / "live", steps, opens=False, **options)
        replayed = go(learner, folder / "replayed", steps, opens=True, **options)
    assert replayed == live


@few
@given(steps=steps, n=st.integers(2, 20), shift=st.floats(0, 1e-12))
def test_a_replay_is_exact_where_rows_are_equal(steps, n, shift):
    # where they differ in the last bits only, too
    pool = np.vstack([X[:n] + (i % 3) * shift for i in range(-(-len(X) // n))])
    learner = FAMILIES["stopping"]
    with quick_folder() as folder, warnings.catch_warnings():
        options = {"test_size": 2, "pool": pool[: len(X)]}
        live = go(learner, folder / "live", steps, opens=False, **options)
        replayed = go(learner, folder / "replayed", steps, opens=True, **options)
    assert replayed == live


def three_queries(learner):
    return [learner.query(X, ids=range(len(X))).tolist() for _ in range(3)]


@pytest.mark.parametrize("family", sorted(RESTORED - {"stopping"}))
def test_a_learner_is_restored_to_what_a_replay_gives(family, path, monkeypatch):
    learner = FAMILIES[family]
    with opened(learner, path) as session:
        label_all(session, n=10)
        session.skip(session.next())
    with opened(learner, path) as session:
        cold, record = opinion(session), session.learner.record()
        rows = three_queries(session.learner)
    monkeypatch.setattr(RecordedLearner, "can_be_restored", lambda self, calls: False)
    with opened(learner, path) as session:
        assert opinion(session) == cold
        assert session.learner.record() == record
        assert three_queries(session.learner) == rows


def test_which_learners_are_restored():
    assert {n for n, each in FAMILIES.items() if hasattr(each, "restore")} == RESTORED


# --- labels: late, in any order, wrong, taken back


@few
@given(order=st.permutations(range(4)))
def test_the_order_of_labels_is_the_order_in_which_they_are_taught(order):
    with quick_folder() as folder, opened(quick, folder / "labels") as session:
        first = [session.next(f"person {i}") for i in range(4)]
        for i in order:
            answer(session, first[i], f"person {i}")
        shown = session.next()
        loop = clone(quick)
        rows = loop.query(X)
        assert first == [IDS[row] for row in rows]
        taught = rows[list(order)]
        loop.teach(X[taught], Y[taught], classes=CLASSES)
        assert shown == IDS[loop.query(X)[0]]
        assert opinion(session)[1] == loop.predict_proba(X).tobytes()


def test_an_undone_label_that_was_not_taught_is_asked_again(path):
    with opened(quick, path) as session:
        first, second = session.next(), None
        answer(session, first)
        second = session.next()
        assert session.undo() == first
        assert session.next() == first
        session.label(first, "good")
        assert session.next() == second
        session.skip(second)
        assert session.undo() == second
        assert session.next() == second
        assert session.undo() == first
        with pytest.raises(ValueError, match="nothing to undo"):
            session.undo()


@pytest.mark.parametrize("family", POOL)
def test_a_learner_forgets_what_is_undone(family, path):
    learner, ahead = FAMILIES[family], 1
    with opened(learner, path, ahead=ahead) as session:
        asked = label_all(session, n=8)
        later = session.next()
        taught = session.status().n_taught
        for id in reversed(asked):
            assert session.undo() == id
        session.close()
        assert session.status().n_taught == 0 < taught
        assert not session._worker.recorded.taught
    with opened(learner, path, ahead=ahead) as session:
        assert [session.next(), label_all(session, n=8)] == [asked[0], asked]
        assert session.next() == later
        assert session.status().asked >= 8


def test_a_learner_without_an_undone_label_asked_for_the_same_rows(path):
    learner = FAMILIES["stopping"]
    with opened(learner, path) as session:
        for id in label_all(session, n=3):
            session.label(id, "bad")
        session.label(session.next(), "good")
        session.next()
        session.undo()  # of one class only, it would ask for fewer rows at once
        session.label(session.next(), "bad")
        session.skip(session.next())
        shown = label_all(session, n=2)
        said = [session.next(), session.status()]
    with opened(learner, path) as session:
        assert [session.next(), session.status()] == said
        assert len(set(shown)) == 2


def test_a_skipped_row_may_be_equal_to_one_that_is_labelled(path):
    pool = np.vstack([X[:6], X[:6]])
    with LabelingSession(quick, pool, path, ids=list(range(12))) as session:
        first = session.next()
        session.skip(first)
        session.label((first + 6) % 12, "good")
        while (id := session.next()) is not None:
            session.label(id, Y[id % 6])
        assert session.status().skipped == 1


def test_the_label_of_an_equal_row_answers_no_other(path):
    pool = np.vstack([X[:6], X[:6]])
    with LabelingSession(quick, pool, path, ids=["a", 7, *range(10, 20)]) as session:
        first = session.next()
        session.skip(first)
        session.label(session.ids[(session.ids.index(first) + 6) % 12], "good")
        while (id := session.next()) is not None:
            session.label(id, Y[session.ids.index(id) % 6])
        record = session.learner.record()
        assert (len(record["skipped"]), len(record["taught"])) == (1, 11)
    with LabelingSession(quick, pool, path, ids=["a", 7, *range(10, 20)]) as session:
        assert session.learner.record() == record


def test_another_label_keeps_the_place_of_the_first_one(path):
    with opened(quick, path) as session:
        second = label_all(session, n=7)[1]
        row, right = IDS.index(second), Y[IDS.index(second)]
        (wrong,) = set(CLASSES) - {right}
        session.label(second, wrong)
        shown = session.next()
        loop = clone(quick)
        rows = loop.query(X)
        loop.teach(X[rows], Y[rows], classes=CLASSES)
        rows = loop.query(X)
        loop.correct(X[[row]], [wrong]).teach(X[rows], Y[rows])
        assert shown == IDS[loop.query(X)[0]]
        assert opinion(session)[1] == loop.predict_proba(X).tobytes()
        assert session.undo() == second
        assert session.next() == shown
        assert session.learner.correct(X[[row]], [wrong], ids=[row])


def test_a_label_that_is_the_same_again_is_no_event(path):
    with opened(quick, path) as session:
        id = session.next()
        answer(session, id)
        n_events = len(Journal.read(path))
        answer(session, id)
        assert len(Journal.read(path)) == n_events


def test_a_stream_cannot_unlearn(path):
    with opened(FAMILIES["coins"], path) as session:
        first, _ = label_all(session, n=2)
        session.next()
        others = [label for label in CLASSES if label != Y[IDS.index(first)]]
        for attempt in (session.undo, lambda: session.label(first, *others)):
            with pytest.raises(ValueError, match="cannot unlearn"):
                attempt()
        answer(session, session.next())
        session.undo()


def test_rows_that_nobody_asked_for_may_be_labelled(path):
    with opened(quick, path) as session:
        for row in range(5):
            answer(session, IDS[row])
        shown = label_all(session)
        assert not set(shown) & set(IDS[:5])
        assert len(shown) == quick.budget
        assert session.status().n_taught == 30


# --- several people


def test_two_people_never_hold_the_same_row(path):
    with opened(quick, path) as session:
        given = [
            session.next(who) for who in ("ann", "bob", "cid", "dan", "eve", "eve")
        ]
        assert len(set(given)) == 5
        assert given[4] == given[5]
        answer(session, given[0], "ann")
        assert session.next("bob") == given[1]
        assert session.next("ann") not in given


def test_a_lease_ends(path):
    with opened(quick, path) as session:
        session.lease = 0
        left = session.next("ann")
        session.lease = 1000
        assert session.next("bob") == left
        assert session.next("ann") != left
        answer(session, left, "ann")  # late, and welcome
        assert session.next("bob") != left


def test_the_majority_of_votes_is_taught(path):
    with opened(quick, path, votes=2) as session:
        first = session.next("ann")
        assert session.next("bob") == first
        assert session.next("cid") != first
        session.label(first, "good", "ann")
        assert session.next("ann") != first
        session.label(first, "bad", "bob")
        assert session.next("dan") == first
        assert session.next("eve") != first
        session.label(first, "good", "dan")
        assert session.status().by_class == {"good": 1, "bad": 0}
        assert session.undo("dan") == first
        assert session.next("dan") == first
        assert session.status().by_class == {"good": 0, "bad": 0}
        session.label(first, "bad", "ann")
        assert session.status().by_class == {"good": 0, "bad": 1}
        with pytest.raises(ValueError, match="2 votes: say whose"):
            session.next()


def test_people_who_cannot_tell_agree_to_skip(path):
    with opened(quick, path, votes=2) as session:
        first = session.next("ann")
        session.skip(first, who="ann")
        session.skip(first, "too dark", who="bob")
        assert session.status().skipped == 1
        assert session.next("cid") != first


@pytest.mark.parametrize("ahead", [0, 1])
def test_many_people_at_once_lose_nothing(path, ahead):
    learner = clone(quick).set_params(budget=None)
    seen, options = {f"person {i}": [] for i in range(6)}, {"test_size": 5}
    with opened(learner, path, ahead=ahead, **options) as session:

        def work(who):
            while (id := session.next(who)) is not None:
                answer(session, id, who)
                seen[who].append(id)

        people = [threading.Thread(target=work, args=[who]) for who in seen]
        for person in people:
            person.start()
        for person in people:
            person.join()
        assert sorted(chain(*seen.values())) == sorted(IDS)
        assert session.next() is None
        said = opinion(session)
    labels = [event for event in Journal.read(path) if event.kind == "label"]
    assert len(labels) == len(IDS)
    with opened(learner, path, ahead=ahead, **options) as session:
        assert opinion(session) == said


# --- a session goes on only with what it was begun with


def refused(learner, path, pool=X, **options):
    """Return why a session cannot go on; nothing is written."""
    before = path.read_bytes()
    options = {"ids": IDS, "classes": CLASSES, **options}
    with pytest.raises((ValueError, TypeError)) as error:
        LabelingSession(learner, pool, path, **options)
    assert path.read_bytes() == before
    return str(error.value)


def test_other_parameters_are_refused(path):
    with opened(quick, path) as session:
        label_all(session, n=5)
    other = clone(quick).set_params(batch_size=4)
    assert "learner.batch_size was 3 and is now 4" in refused(other, path)
    assert "learner was" in refused(clone(POOL["margin"]), path)
    estimator = LogisticRegression(C=2.0)
    other = clone(quick).set_params(estimator=estimator)
    assert "learner.estimator" in refused(other, path)
    assert "budget was 25 and is now 24" in refused(
        clone(quick).set_params(budget=24), path
    )
    assert "test_size was 0 and is now 3" in refused(quick, path, test_size=3)
    assert "votes was 1 and is now 2" in refused(quick, path, votes=2)
    assert "classes was" in refused(quick, path, classes=["good", "poor"])
    opened(quick, path, classes=None).close()


def test_a_stopping_rule_with_other_parameters_is_refused(path):
    def learner(label):
        price = LabelPrice(cost=90, label=label, n_labels=5)
        return clone(quick).set_params(stopping=price)

    with opened(learner(1.0), path) as session:
        label_all(session)
        said = [session.stop_reason, session.status()]
    with opened(learner(1.0), path) as session:
        assert [session.stop_reason, session.status()] == said
    assert said[0] == "LabelPrice"
    assert "stopping.label was 1.0 and is now 2.0" in refused(learner(2.0), path)


def test_a_larger_budget_is_noted(path):
    small = clone(quick).set_params(budget=6)
    large = clone(quick).set_params(budget=9)
    with opened(small, path) as session:
        assert len(label_all(session)) == 6
        assert (session.stop_reason, session.status().left) == ("budget", 0)
    with opened(large, path) as session:
        assert session.status().left == 3
        assert len(label_all(session)) == 3
        said = opinion(session)
    with opened(large, path) as session:
        assert session.next() is None
        assert opinion(session) == said
    assert "budget was 9 and is now 6" in refused(small, path)
    assert [e.body["given"] for e in Journal.read(path) if e.kind == "set"] == [9]
    with opened(clone(quick).set_params(budget=None), path) as session:
        assert session.status().left is None
        assert len(label_all(session)) == len(X) - 9


def test_another_pool_is_refused(path):
    opened(quick, path).close()
    changed = X.copy()
    changed[[3, 7]] += 1
    said = refused(quick, path, pool=changed)
    assert "2 of its 45 rows are missing and 2 are new. To go on" in said
    assert "other order" in refused(quick, path, pool=X[::-1]).replace(
        "another", "other"
    )
    assert "5 of its 45 rows are missing and 0 are new" in refused(
        quick, path, pool=X[5:], ids=IDS[5:]
    )
    assert "rows have other ids" in refused(quick, path, ids=IDS[::-1])


def test_other_versions_are_a_warning(path, monkeypatch):
    opened(quick, path).close()
    monkeypatch.setattr(sklearn_activelearn, "__version__", "99")
    with pytest.warns(UserWarning, match="sklearn_activelearn was .* and is now '99'"):
        opened(quick, path).close()


def test_another_version_may_know_more_parameters(path, monkeypatch):
    opened(quick, path).close()
    monkeypatch.setattr(sklearn_activelearn, "__version__", "99")
    known = type(quick).get_params

    def get_params(self, deep=True):
        return {**known(self, deep), "new": 1}

    monkeypatch.setattr(type(quick), "get_params", get_params)
    journal = Journal(path)
    state = SessionState(journal.events)
    ids = find_ids(IDS, X, None)
    settings = {"classes": CLASSES, "test_size": 0, "votes": 1}
    with pytest.warns(UserWarning, match="other versions"):
        assert check_resume(state, path, quick, X, None, ids, settings, 0) == []
    journal.close()


def test_other_answers_of_the_learner_are_a_warning(path, monkeypatch):
    learner = FAMILIES["incremental"]
    with opened(learner, path) as session:
        shown = label_all(session, n=8)
    monkeypatch.setattr(
        type(learner), "_utility", lambda self, rows: np.arange(len(rows), dtype=float)
    )
    with pytest.warns(UserWarning, match="the session goes on with those"):
        session = opened(learner, path)
    with session:
        assert session.status().asked == 9
        assert session.next() not in shown
        assert session.status().n_taught == 7


def test_seeds_are_drawn_once(folder):
    learner = UncertaintySamplingClassifier(
        LogisticRegression(), n_initial=3, budget=12, stopping=None
    )
    with opened(learner, folder / "a", test_size=3) as session:
        first = label_all(session, n=6)
        parameters = session.learner.get_params()
        assert isinstance(parameters["random_state"], int)
        assert isinstance(parameters["estimator__random_state"], int)
    with opened(learner, folder / "a", test_size=3) as session:
        more = label_all(session)
        assert (
            session.learner.get_params()["random_state"] == parameters["random_state"]
        )
    assert learner.random_state is None
    assert len({*first, *more}) == 12
    begin = Journal.read(folder / "a")[0].body
    assert set(begin["seeds"]) == {"random_state", "estimator__random_state"}


def test_a_share_as_budget_counts_the_pool(path):
    learner = clone(quick).set_params(budget=0.4)
    with opened(learner, path, test_size=5) as session:
        assert session.status().left == 18 - 5
        assert len(label_all(session)) == 18


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"learner": LogisticRegression()}, TypeError, "needs a learner"),
        ({"learner": clone(quick).set_params(random_state=np.random.RandomState(0))},
         ValueError, "random_state must be a whole number"),
        ({"learner": clone(quick).set_params(batch_size=0)}, ValueError, "batch_size"),
        ({"learner": CBGZClassifier(), "classes": None}, ValueError, "pass classes"),
        ({"classes": ["good"]}, ValueError, "1 class"),
        ({"classes": ["a", "b", "a"]}, ValueError, "twice"),
        ({"test_size": 45}, ValueError, "test_size"),
        ({"test_size": 30}, ValueError, "more than the budget"),
        ({"votes": 0}, ValueError, "votes"),
        ({"ahead": 2}, ValueError, "ahead"),
        ({"ids": IDS[:-1]}, ValueError, "44 ids for 45 rows"),
        ({"ids": [*IDS[:-1], IDS[0]]}, ValueError, "'row 0' comes twice"),
        ({"ids": [1.5] * 45}, TypeError, "text or a whole number"),
        ({"ids": "name"}, ValueError, "no column 'name'"),
        ({"items": ["a"]}, ValueError, "1 items for 45 rows"),
        ({"pool": np.where(X > 2, np.nan, X)}, ValueError, "NaN"),
    ],
)  # fmt: skip
def test_bad_arguments_write_nothing(folder, change, error, message):
    arguments = {"learner": quick, "pool": X, "ids": IDS, "classes": CLASSES, **change}
    with pytest.raises(error, match=message):
        LabelingSession(path=folder / "labels.sqlite", **arguments)
    assert list(folder.iterdir()) == []


def test_bad_answers_write_nothing(path):
    with opened(quick, path) as session:
        first = session.next()
        n_events = len(Journal.read(path))
        for attempt, message in [
            (lambda: session.label(first, "fine"), "none of"),
            (lambda: session.label(first, None), "text or a number"),
            (lambda: session.label("row x", "good"), "no row with the id 'row x'"),
            (lambda: session.label([], "good"), "no row with the id"),
            (lambda: session.label(first, "good", who=7), "who must be a name"),
            (lambda: session.skip("row x"), "no row with the id"),
            (lambda: session.row(3), "no row with the id 3"),
            (session.undo, "nothing to undo"),
            (session.predictions, "no model yet"),
        ]:
            with pytest.raises(ValueError, match=message):
                attempt()
        other = next(id for id in IDS if id not in session._state.asked)
        with pytest.raises(ValueError, match="not asked for"):
            session.skip(other)
        assert len(Journal.read(path)) == n_events
    with pytest.raises(ValueError, match="closed"):
        session.next()
    with opened(quick, path, classes=None) as session:
        session.close()


@pytest.mark.parametrize("call", ["commit", "apply"])
def test_an_interrupt_while_a_label_is_stored_leaves_a_session_that_works(
    path, call, monkeypatch
):
    with opened(quick, path) as session:
        first = session.next()
        owner = session._log.journal if call == "commit" else session._state
        original = getattr(owner, call)

        def interrupted(*args):
            original(*args)
            raise KeyboardInterrupt

        monkeypatch.setattr(owner, call, interrupted)
        with pytest.raises(KeyboardInterrupt):
            answer(session, first)
        monkeypatch.setattr(owner, call, original)
        is_stored = call == "commit"
        assert session.status().answered == is_stored
        rest = label_all(session)
        assert (first in rest) != is_stored
        assert len({first, *rest}) == 25
        said = opinion(session)
    with opened(quick, path) as session:
        assert opinion(session) == said


def test_classes_grow(path):
    with opened(quick, path, classes=None) as session:
        assert len(label_all(session)) == 25
        assert set(session.status().by_class) == {"bad", "good"}
        with pytest.raises(ValueError, match="not of the kind"):
            session.label(IDS[0], 3)


class Fragile(GaussianNB):
    """Cannot be trained while it is broken."""

    is_broken = False

    def fit(self, X, y):
        if self.is_broken:
            raise ValueError("it is broken")
        return super().fit(X, y)


@pytest.mark.parametrize("ahead", [0, 1])
def test_a_learner_that_fails_keeps_the_labels(path, ahead, monkeypatch):
    learner = UncertaintySamplingClassifier(Fragile(), n_initial=4, random_state=0)
    with opened(learner, path, ahead=ahead) as session:
        label_all(session, n=4 + ahead)
        monkeypatch.setattr(Fragile, "is_broken", True)
        for _ in range(2):
            with (
                warnings.catch_warnings(action="ignore", category=FitFailedWarning),
                pytest.raises(ValueError, match="it is broken"),
            ):
                label_all(session)
        n_labels = session.status().answered
        monkeypatch.setattr(Fragile, "is_broken", False)
        shown = session.next()
        assert session.status().n_taught >= n_labels - ahead
        n_events = len(Journal.read(path))
    with opened(learner, path, ahead=ahead) as session:
        assert session.next() == shown
        assert session.status().answered == n_labels
        assert len(Journal.read(path)) >= n_events


# --- what comes out


def test_the_curve_counts_the_rows_put_aside(path):
    learner = clone(quick).set_params(budget=40)
    with opened(learner, path, test_size=12) as session:
        assert session.advice() == "There is no model yet: go on labelling."
        test = label_all(session, n=12)
        label_all(session)
        curve = session.curve()
        assert [point.n_labels for point in curve][-1] == 28
        assert {point.n_test for point in curve} == {12}
        rows = [IDS.index(id) for id in test]
        assert curve[-1].accuracy == session.learner.score(X[rows], Y[rows])
        assert not set(test) & {IDS[row] for row in session.learner.queried_indices_}
        html = session._repr_html_()
        assert "<svg" in html
        assert "Accuracy on 12 rows put aside" in html
        (level,) = re.findall(r"<path d='M0 ([\d.]+)H", html)
        assert 1 - float(level) / HEIGHT == pytest.approx(curve[-1].constant, abs=0.001)
        test = Y[[IDS.index(id) for id in session._state.test]]
        models = session._state.models
        said = advice([(m["n_taught"], m["test"]) for m in models], test, n_labels=28)
        assert session.advice().startswith("With 28 labels the model is right on ")
        assert session.advice().endswith(f"has ended (budget). {said}")
        session._state.models = models[-1:]
        assert session.advice().endswith(
            "Whether more labels help can be told from 56 labels on: the first model "
            "that these rows have judged had 28."
        )
    with opened(clone(quick), path.with_name("other")) as session:
        assert session.curve() == []
        assert "No rows were put aside" in session.advice()
        assert "<svg" not in session._repr_html_()


def test_advice_where_many_labels_were_there_first(path):
    aside = 10
    learner = clone(quick).set_params(n_initial=4, batch_size=1)
    pool, codes = make_classification(140, 4, random_state=4)
    options = {"ids": None, "classes": [0, 1], "test_size": aside}
    with opened(learner, path, pool, **options) as session:
        truth = dict(zip(session.ids, codes.tolist(), strict=True))
        test = list(session._state.test)
        given = [id for id in session.ids if id not in test][:80]
        for id in given:
            session.label(id, truth[id])
        for _ in range(aside + 3):
            id = session.next()
            session.label(id, truth[id])
        session.next()
        models = session._state.models
        n = models[-1]["n_taught"]
        assert models[0]["n_taught"] >= 80 > n / 2
        said = session.advice()
        assert f"since {n // 2} labels" in said
        assert said.endswith(f"The model of {n // 2} labels was trained to tell that.")
        assert len(session.curve()) == len(models)
        session._state.models = [{"n_taught": 49, "test": models[0]["test"]}]
        assert "can be told from 98 labels on" in session.advice()


def test_advice_does_without_a_model_that_cannot_be_trained(path):
    learner, options = FAMILIES["coins"], {"test_size": 5}
    with opened(learner, path, **options) as session:
        label_all(session, n=12)
        models = session._state.models
        models[:] = [{"n_taught": 60, "test": models[-1]["test"]}]
        assert "can be told from 120 labels on" in session.advice()


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_labels_go_out_and_come_back(folder, suffix):
    learner = clone(quick).set_params(budget=12)
    out = folder / f"labels.{suffix}"
    with opened(learner, folder / "a", test_size=3, items=["=1+1"] * 45) as session:
        label_all(session, n=11)
        session.skip(session.next())
        answer(session, next(id for id in IDS if id not in session._state.asked))
        assert session.export(out) == 12
        expected = session.status().by_class
        assert export(folder / "a", folder / f"b.{suffix}") == 12
    with opened(learner, folder / "b") as session:
        assert session.import_labels(out) == 12
        assert session.import_labels(folder / f"b.{suffix}") == 0
        assert session.status().by_class == expected


def test_the_columns_of_the_csv(path):
    with opened(quick, path, test_size=2) as session:
        label_all(session, n=7, who="=ann")
        answer(session, next(id for id in IDS if id not in session._state.asked))
        session.export(path.with_name("labels.csv"))
    table = pd.read_csv(path.with_name("labels.csv"))
    assert list(table) == ["id", "label", "who", "when", "probability", "origin"]
    assert table["origin"].value_counts().to_dict() == {
        "bought": 5, "put aside": 2, "given": 1,
    }  # fmt: skip
    assert table["who"].dropna().unique().tolist() == ["'=ann"]
    bought = table["origin"] == "bought"
    assert table.loc[bought, "probability"].between(0, 1).all()
    assert table.loc[~bought, "probability"].isna().all()
    assert pd.to_datetime(table["when"]).is_monotonic_increasing


def test_numbers_stay_numbers(folder):
    y = np.where(Y == "good", 1, -1)
    learner = clone(quick).set_params(budget=9)
    options = {"ids": np.arange(45), "classes": [-1, 1]}
    with LabelingSession(learner, X, folder / "a", **options) as session:
        while (id := session.next()) is not None:
            session.label(np.int64(id), y[id])
        session.export(folder / "labels.csv")
    assert set(pd.read_csv(folder / "labels.csv")["label"]) == {-1, 1}
    with LabelingSession(learner, X, folder / "b", **options) as session:
        assert session.import_labels(folder / "labels.csv") == 9
        assert set(session.status().by_class) == {-1, 1}
        with pytest.raises(ValueError, match="'1' is none of"):
            session.label(0, "1")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "id,label\nrow 1,good\nrow 99,bad\n", "no row with the id 'row 99'"),
        ("a.csv", "id,label\nrow 1,good\nrow 2,fine\n", "'fine' is none of"),
        ("a.csv", "text,label\n", "no columns id and label"),
        ("a.json", "{}", "not what Label Studio exports"),
        ("a.json", "[1", "not what Label Studio exports"),
        ("a.txt", "", "must end in .csv or .json"),
    ],
)
def test_bad_files_bring_nothing(path, name, content, message):
    source = path.with_name(name)
    source.write_text(content)
    with opened(quick, path) as session:
        n_events = len(Journal.read(path))
        with pytest.raises(ValueError, match=message):
            session.import_labels(source)
        assert len(Journal.read(path)) == n_events
        with pytest.raises(ValueError, match="must end in"):
            session.export(path.with_name("labels.xlsx"))


def test_label_studio_has_what_was_shown(path):
    items = pd.DataFrame({"text": [f"text {i}" for i in range(45)], "stars": range(45)})
    with opened(quick, path, items=items, ids=IDS) as session:
        label_all(session, n=2, who="ann@example.org")
        session.export(path.with_name("labels.json"))
    task, _ = json.loads(path.with_name("labels.json").read_text())
    row = IDS.index(task["data"]["id"])
    assert task["data"] == {"id": IDS[row], "text": f"text {row}", "stars": row}
    (annotation,) = task["annotations"]
    assert annotation["completed_by"] == {"email": "ann@example.org"}
    assert annotation["result"][0]["value"] == {"choices": [Y[row]]}


# --- rows and their names


def test_ids_are_the_index_the_column_or_made_of_the_rows(folder):
    frame = pd.DataFrame(X, index=IDS)
    with LabelingSession(quick, frame, folder / "a") as session:
        assert session.ids == IDS
        assert session.row(IDS[3]).tolist() == X[3].tolist()
    items = pd.DataFrame({"name": IDS, "text": "t"})
    with LabelingSession(quick, X, folder / "b", items=items, ids="name") as session:
        assert session.ids == IDS
        assert session.row(IDS[3])["text"] == "t"
    twice = np.vstack([X, X[:2]])
    with LabelingSession(quick, twice, folder / "c") as session:
        assert len(set(session.ids)) == 47
        assert session.ids[45:] == [f"{id}-2" for id in session.ids[:2]]
        assert session.row(session.ids[3]).tolist() == X[3].tolist()


def test_rows_may_be_texts(path):
    texts = [
        f"it is {'good fine' if y == 'good' else 'bad poor'} {i}"
        for i, y in enumerate(Y)
    ]
    learner = UncertaintySamplingClassifier(
        make_pipeline(TfidfVectorizer(), LogisticRegression()),
        n_initial=4,
        budget=12,
        random_state=0,
    )
    shown = []
    for n in (7, None):
        with LabelingSession(learner, texts, path, classes=CLASSES) as session:
            while len(shown) != n and (id := session.next()) is not None:
                row = session.ids.index(id)
                assert session.row(id) == texts[row]
                session.label(id, Y[row])
                shown.append(id)
            said = session.predictions([shown[0]])
    assert len(set(shown)) == 12
    assert said.ids == shown[:1]
    assert said.labels == [Y[session.ids.index(shown[0])]]


def test_rows_may_be_sparse(path):
    with LabelingSession(
        quick, csr_array(X), path, classes=CLASSES, ids=IDS
    ) as session:
        assert len(label_all(session)) == 25
        assert session.row(IDS[2]).toarray().tolist() == X[2].tolist()


def test_equal_rows_are_shown_each(path):
    pool, y = np.repeat(X[:8], 2, axis=0), np.repeat(Y[:8], 2)
    learner = clone(quick).set_params(budget=None)
    shown = []
    for _ in range(4):
        with LabelingSession(learner, pool, path, classes=CLASSES) as session:
            while len(shown) % 5 < 4 and (id := session.next()) is not None:
                session.label(id, y[session.ids.index(id)])
                shown.append(id)
            shown += [None]
    assert sorted(filter(None, shown)) == sorted(session.ids)


@pytest.mark.parametrize(
    ("learner", "later"),
    [
        (UncertaintyHerdingClassifier(), ("explore", "initial", "radius")),
        (CBGZClassifier(), ("class_weight",)),
    ],
)
def test_parameters_that_an_older_file_lacks_have_their_old_defaults(learner, later):
    now = described(learner)
    before = {**now, "params": dict(now["params"])}
    for name in later:
        del before["params"][name]
    assert list(differences(before, now)) == []
    changed = described(clone(learner).set_params(**{later[0]: 0.5}))
    (words,) = differences(before, changed)
    assert words.startswith(later[0])
