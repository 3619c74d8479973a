"""Sessions: the rows that they show, what they keep, and what they refuse."""

import copy
import json
import threading
import warnings
from concurrent.futures import Future
from itertools import chain
from time import sleep

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    ALMSClassifier,
    CBGZClassifier,
    COMBClassifier,
    DKMClassifier,
    FASSLBoostClassifier,
    GreedyOnlineClassifier,
    HybridSamplingClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByBoostingClassifier,
    QueryByCommitteeClassifier,
    RLSSamplingClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.evaluation import advice
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.pool import LabelPrice
from tests.learners import explores
from tests.reference.labeling import answer_rows, quick_folder, shown_rows
from tests.reference.session_files import asked, n_answers, select, taught

X, codes = make_classification(45, 4, n_informative=3, n_redundant=0, random_state=3)
Y = np.array(["bad", "good"])[codes]
IDS = [f"row {i}" for i in range(len(X))]
CLASSES = ["good", "bad"]

POOL = {
    "plain": UncertaintySamplingClassifier(n_initial=4, batch_size=3, budget=25),
    "margin": MinMarginClassifier(n_initial=3, batch_size=2, budget=14),
    "herding": UncertaintyHerdingClassifier(n_initial=4, batch_size=3, budget=10),
    "spread": MinMarginClassifier(
        n_initial=3, initial="herding", batch_size=4, batch="cluster", budget=15
    ),
    "committee": QueryByCommitteeClassifier(
        estimators=[("a", GaussianNB()), ("b", LogisticRegression())],
        n_initial=4, batch_size=4, cv=2, budget=12,
    ),
    "passive": PassiveClassifier(LogisticRegression(), n_initial=3, budget=0.3),
    "boosting": QueryByBoostingClassifier(n_estimators=3, n_initial=4, budget=11),
    "semi-supervised": COMBClassifier(n_estimators=3, n_initial=4, budget=11),
    "fast boosting": FASSLBoostClassifier(n_initial=4, batch_size=2, budget=12),
    "graph": ActiveLabelPropagationClassifier(n_initial=2, budget=11),
    "models": ALMSClassifier(
        LogisticRegression(), param_grid={"C": [0.1, 1.0]}, n_initial=4, budget=11
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
    return answer_rows(session, lambda id: Y[IDS.index(id)], n, who)


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


def test_labels_before_the_first_request_are_scaled_by_the_pool_as_when_reopened(path):
    learner, pool = HybridSamplingClassifier(random_state=0), X * [1, 5, 20, 100]
    with opened(learner, path, pool, ahead=0) as session:
        for id in IDS[:25]:
            answer(session, id)
        session.next()
        before = opinion(session)
    with opened(learner, path, pool, ahead=0) as session:
        assert opinion(session) == before
        assert session.learner.estimator_.scaler_.n_samples_seen_ == len(pool)


def test_a_row_that_nobody_asked_for_is_not_kept_for_who_takes_its_label_back(path):
    with opened(quick, path) as session:
        session.label(IDS[40], "good", "ann")
        assert session.undo("ann") == IDS[40]
        assert IDS[40] not in select(session, "SELECT id FROM leases")
        id = session.next("ann")
        session.label(id, "good", "ann")
        assert session.undo("ann") == id
        assert id in select(session, "SELECT id FROM leases")


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


def record_by_row(record):
    """Return what a record says of each row, and the counts; without the order."""
    was_asked = [row is not None for row in record["rows"]]
    columns = record["ids"], was_asked, record["probabilities"], record["purposes"]
    rows = zip(*columns, strict=True)
    names = "calls", "n_queries", "n_rounds", "n_offered", "has_stopped", "stopping"
    taught = [record["ids"][place] for place in record["taught"]]
    skipped = {record["ids"][place] for place in record["skipped"]}
    return sorted(rows), taught, skipped, {name: record[name] for name in names}


def test_a_thread_that_ends_late_changes_nothing(path, monkeypatch):
    set_result = Future.set_result

    def set_late(future, result):
        sleep(0.01)  # the rows are stored already, and may be shown
        set_result(future, result)

    monkeypatch.setattr(Future, "set_result", set_late)
    learner = FAMILIES["plain"]
    with opened(learner, path, ahead=1) as session:
        expected = shown_rows(clone(learner), X, Y, CLASSES, 1)
        assert label_all(session) == [IDS[row] for row in expected]


def test_which_learners_are_restored():
    assert {n for n, each in FAMILIES.items() if hasattr(each, "restore")} == RESTORED


# --- labels: late, in any order, wrong, taken back


few = settings(max_examples=settings.default.max_examples // 3)


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


#: Restored, rebuilt with a history, or with models that go on.
SOME = ["plain", "spread", "committee", "models", "warm start", "graph"]


@pytest.mark.parametrize("family", POOL if explores() else SOME)
@pytest.mark.every_learner
def test_a_learner_forgets_what_is_undone(family, path):
    learner, ahead = FAMILIES[family], 1
    with opened(learner, path, ahead=ahead) as session:
        shown = label_all(session, n=8)
        later = session.next()
        n_taught = session.status().n_taught
        for id in reversed(shown):
            assert session.undo() == id
        session.close()
        assert session.status().n_taught == 0 < n_taught
        assert not taught(session)
    with opened(learner, path, ahead=ahead) as session:
        assert [session.next(), label_all(session, n=8)] == [shown[0], shown]
        assert session.next() == later
        assert session.status().asked >= 8


def test_the_label_of_an_equal_row_answers_no_other(path):
    pool = np.vstack([X[:6], X[:6]])
    with LabelingSession(quick, pool, path, ids=["a", 7, *range(10, 20)]) as session:
        first = session.next()
        session.skip(first)
        session.label(session.ids[(session.ids.index(first) + 6) % 12], "good")
        while (id := session.next()) is not None:
            session.label(id, Y[session.ids.index(id) % 6])
        assert session.status().skipped == 1
        record = session.learner.record()
        assert (len(record["skipped"]), len(record["taught"])) == (1, 11)
        record = record_by_row(record)
    with LabelingSession(quick, pool, path, ids=["a", 7, *range(10, 20)]) as session:
        assert record_by_row(session.learner.record()) == record


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


# --- several people


def test_a_lease_ends(path):
    with opened(quick, path) as session:
        session.lease = 0
        left = session.next("ann")
        session.lease = 1000
        assert session.next("bob") == left
        assert session.next("ann") != left
        answer(session, left, "ann")  # late, and welcome
        assert session.next("bob") != left


def test_a_withdrawn_row_is_open_to_those_who_did_not_hold_it(path):
    with opened(quick, path) as session:
        row = session.next("ann")
        answer(session, row, "bob")
        session.undo("bob")
        assert session.next("bob") == row


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
    assert n_answers(path) == len(IDS)
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
    other = clone(quick).set_params(estimator=LogisticRegression(C=2.0))
    assert "learner.estimator" in refused(other, path)
    other = clone(quick).set_params(budget=24)
    assert "budget was 25 and is now 24" in refused(other, path)
    opened(quick, path, classes=None).close()
    changed = X.copy()
    changed[[3, 7]] += 1
    said = refused(quick, path, pool=changed)
    assert "2 of its 45 rows are missing and 2 are new. To accept" in said
    assert "another order" in refused(quick, path, pool=X[::-1])


def test_a_stopping_rule_with_other_parameters_is_refused(path):
    def learner(label):
        price = LabelPrice(cost=90, label=label, n_labels=5)
        return clone(quick).set_params(stopping=price)

    with opened(learner(1.0), path) as session:
        label_all(session)
        assert session.stop_reason == "LabelPrice"
    assert "stopping.label was 1.0 and is now 2.0" in refused(learner(2.0), path)


@pytest.mark.parametrize("change", [{"new": 1}, {}])
def test_another_version_may_have_other_parameters(path, monkeypatch, change):
    """One parameter more, or one less, than where the session began."""
    known = type(quick).get_params
    opened(quick, path).close()

    def get_params(self, deep=True):
        params = known(self, deep) | change
        return params if change else {k: params[k] for k in params if k != "stopping"}

    monkeypatch.setattr(type(quick), "get_params", get_params)
    monkeypatch.setattr(type(quick), "__sklearn_clone__", copy.deepcopy, raising=False)
    opened(quick, path).close()


def test_seeds_are_drawn_once(path):
    learner = UncertaintySamplingClassifier(LogisticRegression(), n_initial=3, budget=9)
    drawn = []
    for _ in range(2):
        with opened(learner, path) as session:
            label_all(session, n=6)
            params = session.learner.get_params()
            names = "random_state", "estimator__random_state"
            drawn.append([params[name] for name in names])
    assert drawn[0] == drawn[1]
    assert all(isinstance(seed, int) for seed in drawn[0])
    assert learner.random_state is None
    seeds = []
    for name in "abc":  # as everywhere, None draws from NumPy's global generator
        np.random.seed(name == "c")  # noqa: NPY002
        with opened(learner, path.with_name(name)) as session:
            seeds.append(session.learner.random_state)
    assert seeds[0] == seeds[1] != seeds[2]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"learner": LogisticRegression()}, TypeError, "needs a learner"),
        ({"learner": clone(quick).set_params(random_state=np.random.RandomState(0))},
         ValueError, "random_state must be an integer"),
        ({"learner": clone(quick).set_params(batch_size=0)}, ValueError, "batch_size"),
        ({"learner": CBGZClassifier(), "classes": None}, ValueError, "pass classes"),
        ({"classes": ["good"]}, ValueError, "one class"),
        ({"classes": ["a", "b", "a"]}, ValueError, "twice"),
        ({"test_size": 45}, ValueError, "test_size"),
        ({"test_size": 30}, ValueError, "does not pay for 30 held-out rows"),
        ({"votes": 0}, ValueError, "votes"),
        ({"ahead": 2}, ValueError, "ahead"),
        ({"ids": IDS[:-1]}, ValueError, "44 ids for 45 rows"),
        ({"ids": [*IDS[:-1], IDS[0]]}, ValueError, "'row 0' comes twice"),
        ({"ids": [1.5] * 45}, TypeError, "a text or an integer"),
        ({"ids": "name"}, ValueError, "has a column 'name'"),
        ({"items": ["a"]}, ValueError, "items has 1 rows, but pool has 45"),
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
        n_before = n_answers(path)
        for attempt, message in [
            (lambda: session.label(first, "fine"), "not among"),
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
        other = next(id for id in IDS if id not in asked(session))
        with pytest.raises(ValueError, match="not asked for"):
            session.skip(other)
        assert n_answers(path) == n_before
    with pytest.raises(ValueError, match="closed"):
        session.next()
    with opened(quick, path, classes=None) as session:
        session.close()


def test_classes_grow(path):
    with opened(quick, path, classes=None) as session:
        assert len(label_all(session)) == 25
        assert set(session.status().by_class) == {"bad", "good"}
        with pytest.raises(
            ValueError,
            match=r"3 is a number, but it must be a text, like the other labels: .good",
        ):
            session.label(IDS[0], 3)
    with opened(quick, path.with_name("numbers"), classes=[-1, 1]) as session:
        session.label(IDS[0], np.int64(1))
        assert session.status().by_class == {-1: 0, 1: 1}
        with pytest.raises(ValueError, match="'1' is a text, but it must be a number"):
            session.label(IDS[1], "1")


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
        n_before = n_answers(path)
    with opened(learner, path, ahead=ahead) as session:
        assert session.next() == shown
        assert session.status().answered == n_labels
        assert n_answers(path) >= n_before


# --- what comes out


def test_the_curve_has_the_scores_on_held_out_rows(path):
    learner = clone(quick).set_params(budget=40)
    with opened(learner, path, test_size=12) as session:
        n_more = session.status().pending
        said = f"There is no model yet. It is trained after {n_more} more labels."
        assert session.advice() == said
        assert session.status().test_left == 12
        test = label_all(session, n=12)
        assert test == session.test_ids
        label_all(session)
        curve = session.curve()
        assert [point.n_labels for point in curve][-1] == 28
        assert {point.n_test for point in curve} == {12}
        rows = [IDS.index(id) for id in test]
        assert curve[-1].accuracy == session.learner.score(X[rows], Y[rows])
        assert not set(test) & {IDS[row] for row in session.learner.queried_indices_}
        assert "<svg" in session._repr_html_()
        truth = {id: Y[IDS.index(id)] for id in test}
        assert session.test_labels() == truth
        n_most = max(map(list(truth.values()).count, CLASSES))
        assert curve[-1].constant == n_most / 12
        models = select(session, "SELECT n_labels, predicted FROM models")
        models = [(n, json.loads(labels)) for n, labels in models]
        said = advice(models, list(truth.values()), n_labels=len(X) - 40)
        assert session.advice().startswith("With 28 labels the model is right on ")
        assert session.advice().endswith(f"has ended: the budget is spent. {said}")
    with opened(clone(quick), path.with_name("other")) as session:
        assert session.curve() == []
        assert "No rows are held out" in session.advice()
        assert "<svg" not in session._repr_html_()


# --- rows and their names


def test_exports_have_what_was_shown_and_why(path):
    items = pd.DataFrame({"text": [f"text {i}" for i in range(45)], "stars": range(45)})
    csv, tasks = path.with_name("labels.csv"), path.with_name("labels.json")
    with opened(quick, path, items=items, test_size=2) as session:
        label_all(session, n=7, who="ann@example.org")
        answer(session, next(id for id in IDS if id not in asked(session)))
        session.export(csv)
        session.export(tasks)
    table = pd.read_csv(csv)
    counts = {"bought": 5, "held out": 2, "given": 1}
    assert table["origin"].value_counts().to_dict() == counts
    bought = table["origin"] == "bought"
    assert table.loc[bought, "query_probability"].between(0, 1).all()
    assert table.loc[~bought, "query_probability"].isna().all()
    task = json.loads(tasks.read_text())[0]
    row = IDS.index(task["data"]["id"])
    assert task["data"] == {"id": IDS[row], "text": f"text {row}", "stars": row}
    (annotation,) = task["annotations"]
    assert annotation["completed_by"] == {"email": "ann@example.org"}
    assert annotation["result"][0]["value"] == {"choices": [Y[row]]}


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
    texts = [f"it is {'fine' if y == 'good' else 'poor'} {i}" for i, y in enumerate(Y)]
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    learner = UncertaintySamplingClassifier(model, n_initial=4, random_state=0)
    for n in (7, 5):
        with LabelingSession(learner, texts, path, classes=CLASSES) as session:
            for _ in range(n):
                row = session.ids.index(id := session.next())
                assert session.row(id) == texts[row]
                session.label(id, Y[row])
            said = session.predictions([id])
    assert (said.ids, said.labels) == ([id], [Y[row]])
    assert session.status().answered == 12


def test_rows_without_content_are_set_aside(folder):
    texts = [f"text {i}" for i in range(45)]
    texts[3], texts[7], texts[40] = "", "  \n", "\t"
    frame = pd.DataFrame({"title": texts, "year": [None] * 45})
    for items in (texts, np.array(texts, dtype=object), frame):
        path = folder / f"{type(items).__name__}"
        learner = clone(quick).set_params(budget=None)
        with opened(learner, path, items=items, test_size=30) as session:
            empty = [IDS[3], IDS[7], IDS[40]]
            assert session.empty_ids == empty
            assert session.status().empty == 3
            shown = label_all(session)
            assert sorted({*shown, *empty}) == sorted(IDS)
            page = session.review("empty", start=1, limit=1)
            assert (page.n_rows, [row.id for row in page.rows]) == (3, [IDS[7]])
            session.label(IDS[3], "good")
            assert session.status().by_class["good"] == list(Y).count("good") + (
                1 - [*Y[[3, 7, 40]]].count("good")
            )
    with pytest.raises(ValueError, match="smaller than the number of rows, 42"):
        opened(quick, folder / "new", items=texts, test_size=42)


def test_the_row_that_was_withdrawn_last_is_shown_first_in_the_next_session(path):
    with opened(quick, path) as session:
        shown = label_all(session, 6)
        for id in shown[4:]:
            session.undo(id=id)
        assert session.next() == shown[5]
    with opened(quick, path) as session:
        assert label_all(session, 2) == shown[:3:-1]


def test_the_calls_in_which_labels_were_taught_stay_with_them(path):
    with opened(quick, path) as session:
        shown = label_all(session, 7)
        session.label(shown[1], "good" if Y[IDS.index(shown[1])] == "bad" else "bad")
        for _ in range(3):  # a batch without labels
            session.skip(session.next())
        session.label(session.next(), "good")
        before = session.learner.record()
    with opened(quick, path) as session:
        after = session.learner.record()
    assert [after[name] for name in ("calls", "taught", "ids", "skipped")] == [
        before[name] for name in ("calls", "taught", "ids", "skipped")
    ]
    assert len(before["calls"]) == 2
