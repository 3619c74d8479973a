"""Files that somebody has made up: each opens, or is refused in one sentence."""

import json
import sqlite3
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import CBGZClassifier, UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession, export
from sklearn_activelearn.labeling._database import connect, make_tables, transaction
from sklearn_activelearn.labeling._journal import Journal, sealed, to_json
from sklearn_activelearn.labeling._settings import qualified_name
from tests.reference.labeling import quick_folder

#: Made by version 0.1.0, with the pool and the learner below.
STORED = Path(__file__).parent / "data" / "session_0_1_0.sqlite"
POOL = np.array([[i % 5, i * i % 7] for i in range(20)], dtype=float)
LEARNER = UncertaintySamplingClassifier(
    GaussianNB(), n_initial=4, batch_size=2, budget=14, random_state=0
)
STREAM = CBGZClassifier(b=1.0, random_state=0)
CHANGED = UncertaintySamplingClassifier(
    GaussianNB(), n_initial=3, batch_size=2, budget=16, random_state=0
)


def opened(path, learner=LEARNER):
    options = {"ids": list(range(20)), "classes": ["no", "yes"], "test_size": 3}
    options["votes"] = 2 if learner is CHANGED else 1
    with warnings.catch_warnings(record=True, action="always") as notes:
        session = LabelingSession(learner, POOL, path, **options)
    assert all(f"{note.message}".isprintable() for note in notes)
    return session


def forge(path, events):
    """Write events with a chain that is right."""
    path.unlink(missing_ok=True)
    path.touch()
    connection, chain = connect(path), ""
    with transaction(connection):
        make_tables(connection)
        for number, (kind, body) in enumerate(events, start=1):
            text = body if isinstance(body, str) else to_json(body)
            chain = sealed(chain, number, "now", kind, text)
            row = number, "now", kind, text, chain
            connection.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", row)
    connection.close()


def stored_events(path):
    return [[event.kind, event.body] for event in Journal.read(path)]


def changed_events(path):
    """Return events of a session with changes of all kinds, as `opened` opens it."""
    options = {"pool": POOL[:17], "ids": list(range(17)), "classes": ["no", "yes"]}
    with LabelingSession(LEARNER, path=path, **options) as session:
        for _ in range(7):
            session.label(id := session.next(), "yes" if POOL[id, 0] > 2 else "no")
    more = {"classes": ["no", "yes", "maybe"], "change": ("classes", "learner")}
    with LabelingSession(CHANGED, path=path, **{**options, **more}) as session:
        session.label(session.next(), "no")
    more = {"pool": POOL, "ids": list(range(20)), "test_size": 3, "votes": 2}
    options |= more | {"classes": ["no", "yes"]}
    change = ("pool", "test_size", "votes", "classes")
    with LabelingSession(CHANGED, path=path, change=change, **options) as session:
        for who in "ann", "bob":
            session.label(session.next(who), "no", who)
    return stored_events(path)


def test_a_session_of_version_0_1_0_goes_on(path):
    path.write_bytes(STORED.read_bytes())
    with opened(path) as session:
        status = session.status()
        assert status[:6] == (9, 10, 1, 1, 2, 3)
        assert status.by_class == {"no": 5, "yes": 5}
        assert session.next() == 9
        assert [point.n_labels for point in session.curve()] == [4, 5, 7]
        assert session.predictions([0]).labels == ["no"]
        assert session.export(path.with_name("labels.csv")) == 10
        assert session.undo("bob") == session.next("bob")
        while (id := session.next("bob")) is not None:
            session.label(id, "yes" if POOL[id, 0] > 2 else "no", "bob")
        assert session.stop_reason == "budget"
    assert export(path, path.with_name("again.csv")) > 10


def outcome(path, learner=LEARNER):
    """Open a file and use it; return why that is refused, nothing if it is not."""
    why = ""
    try:
        with opened(path, learner) as session:
            session.status()
            session.curve()
            with suppress(ValueError):  # of the learner, whose labels are odd
                session.next("ann")
    except ValueError as error:
        why = f"{error}"
    with suppress(ValueError):
        export(path, path.with_name("labels.csv"))
    assert why.isprintable()
    return why


BEGIN, ASK, TEACH, LABEL, UNDO = "begin", "ask", "teach", "label", "undo"


SAME = qualified_name(UncertaintySamplingClassifier)
OTHER = {"class": SAME, "params": {"\x1b[31m": 1, "budget": 14}}


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        (BEGIN, {"votes": "2"}, "event 1 has 'votes' of a kind that cannot be"),
        (BEGIN, {"learner": []}, "event 1 has 'learner'"),
        (BEGIN, {"learner": {"class": "a"}}, "event 1 lacks 'params'"),
        (BEGIN, {"budget": True}, "event 1 has 'budget'"),
        (BEGIN, {"classes": ["no", 1]}, "event 1 has 'classes'"),
        (BEGIN, {"seeds": {"\x1b[31m": 1}}, "has seeds that the learner has not"),
        (BEGIN, {"versions": {"\x1b[31m": "1"}}, None),
        (BEGIN, {"learner": OTHER}, r"had other settings: .*learner\.\[31m was 1"),
        (BEGIN, {"test": [0, [1], 2]}, "event 1 has 'test'"),
        (BEGIN, {"test": [0, 1, 99]}, "no row with the id 99"),
        (BEGIN, {"pool": {"n_rows": 20}}, "event 1 lacks 'ids'"),
        (BEGIN, {"ahead": None}, "event 1 has 'ahead'"),
        (ASK, {"rows": [{}]}, "has 'rows' of a kind that cannot be"),
        (ASK, {"rows": [0, 0]}, "has 'rows'"),
        (ASK, {"probabilities": []}, "not one probability for each row"),
        (ASK, {"probabilities": ["1"] * 4}, "has 'probabilities'"),
        (ASK, {"chunk": [0]}, "has 'chunk'"),
        (ASK, {"model": 7}, "has 'model'"),
        (ASK, {"model": {"n_taught": 1, "test": []}}, "not one prediction for each"),
        (ASK, {"stop": "\x1b[2J"}, "has 'stop'"),
        (TEACH, {"events": [10**9]}, "teaches event 1000000000, which is no answer"),
        (TEACH, {"events": None}, "has 'events'"),
        (LABEL, {"id": [0]}, "has 'id'"),
        (LABEL, {"label": "maybe"}, "has the label 'maybe', which is none of the cl"),
        (LABEL, {"label": "\x1b[31m"}, r"has the label '\\x1b\[31m', which is none"),
        (LABEL, {"label": True}, "which is none of the classes"),
        (LABEL, {"who": 3}, "has 'who'"),
        (LABEL, {"id": "99"}, "no row with the id '99'"),
        (LABEL, {"final": 1, "who": "eve"}, "has 'final' of a kind that cannot be"),
        (LABEL, {"final": None, "who": "eve"}, "has 'final' of a kind that cannot be"),
        (LABEL, {"final": True, "who": None}, "has 'who' of a kind that cannot be"),
        (LABEL, {"final": False, "who": None}, None),
        (UNDO, {"event": 1}, "takes back what is no answer"),
        (UNDO, {"id": 0}, "takes back what is no answer"),
    ],
)
def test_an_event_that_cannot_be_is_named(path, kind, change, message):
    events = stored_events(STORED)
    next(event for event in events if event[0] == kind)[1].update(change)
    forge(path, events)
    if message is None:
        assert outcome(path) == ""
    else:
        with pytest.raises(ValueError, match=message) as error:
            opened(path)
        assert f"{error.value}".isprintable()


FEW = {"n_rows": 2, "rows": "AAAAAAAAAAAAAAAAAAAAAA==", "ids": ""}
FEW |= {"items": None, "columns": None}


@pytest.mark.parametrize(
    ("number", "change", "message"),
    [
        (0, {"budget": "2"}, "has 'budget' of a kind that cannot be"),
        (0, {"given": None, "budget": -1}, "has 'budget'"),
        (0, {"words": [1]}, "has 'words'"),
        (0, {"is_beginning": 1}, "has 'is_beginning'"),
        (0, {"events": [1]}, "teaches event 1, which is no answer"),
        (0, {"classes": ["no", "maybe"]}, "has the label 'yes', which is none of"),
        (0, {"classes": ["no"]}, "has 'classes'"),
        (0, {"seeds": {"a": -1}}, "has 'seeds'"),
        (0, {"learner": {"class": "a"}}, "lacks 'params'"),
        (0, {"versions": [1]}, "has 'versions'"),
        (1, {"test": [0, 0, 1]}, "has 'test'"),
        (1, {"test": [0]}, "has other rows put aside than it says"),
        (1, {"test": [97, 98, 99]}, "no row with the id 97"),
        (1, {"votes": 0}, "has 'votes'"),
        (1, {"pool": FEW}, "takes rows away"),
        (1, {"pool": {"n_rows": 20}}, "lacks 'ids'"),
    ],
)
def test_a_change_that_cannot_be_is_named(path, number, change, message):
    events = changed_events(path)
    assert outcome(path, CHANGED) == ""
    [body for kind, body in events if kind == "change"][number].update(change)
    forge(path, events)
    assert message in outcome(path, CHANGED)


def test_a_change_does_not_take_votes_away_or_put_rows_aside_twice(path):
    events = changed_events(path)
    last = {**next(body for kind, body in events[::-1] if kind == "change")}
    put_aside = last.pop("test")
    del last["test_size"]
    for more, message in (
        ({"votes": 1, "test": []}, "takes votes away"),
        ({"test": [0], "test_size": 4}, "has 'test' of a kind that cannot be"),
    ):
        aside = {"test": put_aside[: len(more["test"])]}
        forge(path, [*events, ["change", {**last, **more, **aside}]])
        assert message in outcome(path, CHANGED)


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        ("label", "[" * 100_000, "event 3: its body is no JSON object"),
        ("label", "[1]", "event 3: its body is no JSON object"),
        ("label", '{"id": NaN}', "event 3: its body is no JSON object"),
        ("label", "{", "event 3: its body is no JSON object"),
        ("\x1b[31m", "{}", r"Event 3 is of a kind .* not know, '\\x1b\[31m'"),
        ("begin", "{}", "event 3 begins a session that has begun"),
        ("__init__", "{}", "Event 3 is of a kind that this version does not know"),
    ],
)
def test_an_event_that_is_none_is_named(path, kind, body, message):
    events = stored_events(STORED)[:2]
    for rest in [], [["skip", {"id": 0, "who": None, "reason": None}]]:
        forge(path, [*events, [kind, body], *rest])
        for read in opened, lambda path: export(path, path.with_name("a.csv")):
            with pytest.raises(ValueError, match=message):
                read(path)


def test_parameters_without_end_are_refused(path):
    events = stored_events(STORED)
    nested = {}
    for _ in range(400):
        nested = {"a": nested}
    events[0][1]["learner"]["params"]["estimator"] = nested
    forge(path, events)
    with pytest.raises(ValueError, match="parameters within parameters without end"):
        opened(path)


def test_a_table_without_events_is_no_session_yet(path):
    forge(path, [])
    with pytest.raises(ValueError, match="holds no session: it has no events"):
        export(path, path.with_name("labels.csv"))
    with opened(path) as session:
        session.label(0, "no")
    assert export(path, path.with_name("labels.csv")) == 1


def test_a_schema_with_control_characters_is_told_without_them(path):
    path.write_bytes(STORED.read_bytes())
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute(
            "UPDATE sqlite_master SET name = '\x1b[31m', sql = 'CREATE TRIGGER x' "
            "WHERE name = 'no_gap'"
        )
    database.close()
    with pytest.raises(ValueError, match="is damaged at event 1") as error:
        Journal.read(path)
    assert f"{error.value}".isprintable()


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 25)
    | st.sampled_from([2**31, 2**63, 10**400, -(2**64)])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["no", "yes", "ann", "", "\ud800", "\x1b[2J", "budget", "AAAA"])
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value, place=()):
    """Return where in nested dicts and lists something is."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inner:
        yield (*place, key)
        if isinstance(item, dict | list):
            yield from places(item, (*place, key))


@st.composite
def changed(draw, events):
    """Draw events of which some are others, are gone or come twice."""
    events = json.loads(json.dumps(events))
    for _ in range(draw(st.integers(1, 3))):
        number = draw(st.integers(0, len(events) - 1))
        how = draw(st.sampled_from(["value"] * 6 + ["key", "gone", "twice", "swap"]))
        body = events[number][1]
        if how in ("value", "key") and (found := list(places(body))):
            *outer, last = draw(st.sampled_from(found))
            for key in outer:
                body = body[key]
            if how == "value":
                body[last] = draw(json_values)
            else:
                del body[last]
        elif how == "gone" and len(events) > 1:
            del events[number]
        elif how == "twice":
            events.insert(number, json.loads(json.dumps(events[number])))
        elif how == "swap":
            other = draw(st.integers(0, len(events) - 1))
            events[number], events[other] = events[other], events[number]
    return events


@pytest.fixture(scope="module")
def shared_folder():
    with quick_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def originals(shared_folder):
    """Events of a pool learner, of a stream learner, and of a changed session."""
    path = shared_folder / "stream"
    with opened(path, STREAM) as session:
        for _ in range(9):
            session.label(id := session.next(), "yes" if POOL[id, 0] > 2 else "no")
    return [
        (LEARNER, stored_events(STORED)),
        (STREAM, stored_events(path)),
        (CHANGED, changed_events(shared_folder / "changed")),
    ]


@pytest.mark.hypothesis
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data())
def test_whatever_is_in_the_bodies_is_a_session_or_a_sentence(
    data, shared_folder, originals
):
    path = shared_folder / "forged"
    for learner, events in originals:
        forge(path, data.draw(changed(events)))
        outcome(path, learner)
