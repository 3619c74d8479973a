"""Why a row was asked: stored with the request, shown on request, exported."""

import json

import numpy as np
import pytest

from sklearn_activelearn import (
    HybridSamplingClassifier,
    RelevanceSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.labeling import LabelingSession, export
from sklearn_activelearn.labeling.front_ends._terminal import row_page
from sklearn_activelearn.labeling.front_ends._view import WHY, LabelingView
from sklearn_activelearn.pool import RecallTarget
from sklearn_activelearn.stream import CBGZClassifier, RandomSamplingClassifier
from tests.reference.labeling import read_rows
from tests.reference.session_files import select

pytestmark = pytest.mark.usefixtures("quick_blend")

X = np.random.RandomState(0).standard_normal((120, 4))
Y = ["yes" if row[0] > 0.4 else "no" for row in X]
CLASSES = ["no", "yes"]


def opened(path, learner, **settings):
    return LabelingSession(
        learner, X, path, ids=list(range(len(X))), classes=CLASSES, **settings
    )


def label_all(session):
    """Label each row; return its reason when it was shown."""
    shown = {}
    while (id := session.next()) is not None:
        shown[id] = session.answers(id).query_reason
        session.label(id, Y[id])
    return shown


def pool_reasons(learner):
    """Return the reasons of the same purchases without a session."""
    ids, found = np.arange(len(X)), {}
    while True:
        rows, reasons = learner.query(X, ids=ids, return_reason=True)
        if not len(rows):
            return found
        found.update(zip(rows.tolist(), reasons.tolist(), strict=True))
        labels = [Y[row] for row in rows]
        learner.teach(X[rows], labels, classes=CLASSES, ids=ids[rows])


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (
            HybridSamplingClassifier(budget=60, random_state=0),
            {"first", "random", "representative", "uncertain"},
        ),
        (
            RelevanceSamplingClassifier(
                positive="yes", budget=None, random_state=0, stopping=RecallTarget(0.8)
            ),
            {"first", "wanted", "random"},
        ),
    ],
    ids=["hybrid", "relevance"],
)
def test_a_session_stores_the_reasons_of_its_learner(path, learner, words):
    with opened(path, learner) as session:
        shown = label_all(session)
        sql = "SELECT id, query_reason FROM requests ORDER BY number"
        assert select(session, sql) == [*shown.items()]
    assert shown == pool_reasons(learner)
    assert {*shown.values()} <= words
    assert len({*shown.values()}) >= 2
    with opened(path, learner) as session:  # opened again
        assert {id: session.answers(id).query_reason for id in shown} == shown
        assert {row.query_reason for row in session.review().rows} <= words


@pytest.mark.parametrize(
    ("learner", "word"),
    [
        (CBGZClassifier(budget=20, random_state=0), "uncertain"),
        (RandomSamplingClassifier(budget=20, random_state=0), "random"),
    ],
)
def test_reasons_of_a_stream(path, learner, word):
    with opened(path, learner) as session:
        shown = label_all(session)
    assert {*shown.values()} == {word}


def test_exports_have_the_reason_and_imports_leave_it(folder, path):
    out = folder / "labels.csv"
    learner = UncertaintySamplingClassifier(budget=20, random_state=0)
    with opened(path, learner, test_size=5) as session:
        shown = label_all(session)
        given = next(id for id in session.ids if id not in shown)
        session.label(given, "no")
    assert [*shown.values()][:5] == [None] * 5  # held-out rows
    export(path, out)
    lines = {int(each["id"]): each["query_reason"] or None for each in read_rows(out)}
    assert lines == {**shown, given: None}
    export(path, folder / "tasks.json")
    tasks = json.loads((folder / "tasks.json").read_text())
    found = {task["data"]["id"]: task["meta"]["query_reason"] for task in tasks}
    assert found == {**shown, given: None}
    with opened(folder / "other.sqlite", learner) as other:
        assert other.import_labels(out) == 21


def test_nothing_is_shown_unless_it_is_wanted(path):
    learner = UncertaintySamplingClassifier(budget=20, random_state=0)
    with opened(path, learner, test_size=1) as session:
        assert LabelingView(session, None).next().why == ""
        view = LabelingView(session, None, show_reasons=True)
        shown = view.next()
        assert shown.why == WHY[None]
        lines = [line for _, line in row_page(view, shown).lines(80)]
        assert WHY[None] in lines
        shown = view.label(shown.row.id, "no")
        shown = view.next() if shown.is_training else shown
        assert shown.why == WHY["first"]
        session.label(shown.row.id, "no")
        while (shown := view.next()).row:
            last = shown.why
            session.label(shown.row.id, Y[shown.row.id])
        assert last == WHY["uncertain"]
        assert shown.why == ""


def test_no_sentence_tells_what_the_model_expects():
    assert all(len(line) <= 80 for line in WHY.values())
    assert not any("likely" in line or "class" in line for line in WHY.values())
    reasons = {"first", "random", "uncertain", "representative", "wanted", "doubtful"}
    assert {*WHY} == {None, "informative", "useful"} | reasons
