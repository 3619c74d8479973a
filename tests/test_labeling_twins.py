"""Rows with the same content: asked for once, answered together, counted as rows."""

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path
from warnings import catch_warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import (
    CBGZClassifier,
    ErrorSamplingClassifier,
    RelevanceSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.labeling import LabelingSession, export
from sklearn_activelearn.labeling._ids import find_twins
from sklearn_activelearn.labeling.front_ends._terminal import label_by_lines
from sklearn_activelearn.labeling.front_ends._view import LabelingView
from sklearn_activelearn.pool import RecallTarget
from tests.reference.labeling import answer_rows, labels_of, quick_folder, read_rows
from tests.reference.session_files import select

#: Rows 0 to 19 are different; 20 to 29 equal 0, 2, 4, ... but for case and gaps.
TEXTS = [f"Text no. {i}" for i in range(20)] + [
    f" text  NO. {i} " for i in range(0, 20, 2)
]
GROUPS = {frozenset([i, 20 + i // 2]) for i in range(0, 20, 2)}
X = np.random.RandomState(0).standard_normal((40, 3))
PLAIN = UncertaintySamplingClassifier(
    GaussianNB(), n_initial=4, batch_size=3, random_state=0
)
FIND = RelevanceSamplingClassifier(
    GaussianNB(), positive="yes", n_initial=4, batch_size=3, random_state=0,
    stopping=RecallTarget(0.8),
)  # fmt: skip


def opened(path, learner=PLAIN, items=TEXTS, **options):
    learner = clone(learner).set_params(budget=None)
    options = {"ids": list(range(len(items))), "classes": ["no", "yes"], **options}
    pool = options.pop("pool", X)[: len(items)]
    return LabelingSession(learner, pool, path, items=items, **options)


def label_all(session, n=100, who=None):
    return answer_rows(session, lambda id: ["no", "yes"][int(X[id, 0] > 0)], n, who)


def groups_of(session):
    groups = {frozenset(session.find_twins(id)) for id in session.ids}
    return {group for group in groups if len(group) > 1}


@pytest.mark.parametrize("learner", [PLAIN, FIND, CBGZClassifier(b=9.0)], ids=type)
def test_one_row_of_a_group_is_asked_for(path, learner):
    with opened(path, learner) as session:
        assert groups_of(session) == GROUPS
        asked = label_all(session)
        assert max(asked) < 20
        assert len({*asked}) == len(asked)
        status = session.status()
        assert (status.labelled, status.twins) == (len(asked), 10)
        own = session._worker.own
        assert (max(own.taught) >= 20) == own.counts_rows
        assert export(path, path.with_suffix(".csv")) == session.export(
            path.with_suffix(".again.csv"), columns={"text": TEXTS}
        )
        predictions = path.with_suffix(".all.csv")
        session.export_predictions(predictions)
        predicted = session.predictions()
    lines = {int(line["id"]): line for line in read_rows(path.with_suffix(".csv"))}
    assert len(lines) == len(asked) + sum(id % 2 == 0 for id in asked)
    for line in read_rows(predictions):
        id = int(line["id"])
        first = 2 * (id - 20) if id >= 20 else id
        assert line["same_as"] == ("" if first == id else f"{first}")
        if first in asked:
            assert lines[id]["label"] == lines[first]["label"] == line["label"]
            assert lines[id]["same_as"] == line["same_as"]
        assert predicted.labels[id] == predicted.labels[first]
        if learner is PLAIN:
            assert [*predicted.probabilities[id]] == [*predicted.probabilities[first]]


def test_what_is_the_same():
    pd = pytest.importorskip("pandas")
    same = {"a": ["x", "X ", "x", "x"], "b": [1, 1, 2, 1]}
    records = [{"a": a, "b": b} for a, b in zip(*same.values(), strict=True)]
    names = [f"row{i}" for i in range(4)]
    found = []
    for items in (
        pd.DataFrame(same), records, pd.DataFrame({"id": names, **same}),
        pd.Series(["x", "x ", "y", "X"]), ["x", "x ", "y", "X"],
    ):  # fmt: skip
        with quick_folder() as folder:
            session = opened(folder / "s", items=items, ids=names)
            found.append(groups_of(session))
            session.close()
    assert found == [{frozenset(["row0", "row1", "row3"])}] * 5
    for items in (
        np.zeros((4, 2)), [np.zeros((3, 3))] * 4, [Path("a.png")] * 4,
        ["a", "", " ", None], [{"a": "x", "b": " "}, *[{"a": "", "b": " "}] * 3],
        pd.DataFrame({"id": names}),
    ):  # fmt: skip
        with quick_folder() as folder:
            session = opened(folder / "s", items=items, ids=names)
            assert groups_of(session) == set()
            session.close()


def test_each_row_is_asked_for_on_request(path):
    with opened(path, twins="ask") as session:
        assert groups_of(session) == set()
        assert session.status().twins == 0
        assert {*label_all(session)} == {*range(30)}
        session.export(path.with_suffix(".csv"))
        assert "same_as" not in read_rows(path.with_suffix(".csv"))[0]
    with pytest.raises(ValueError, match=r"begun with twins='ask'.* cannot change"):
        opened(path, twins="once")
    with pytest.raises(ValueError, match="twins must be"):
        opened(path, twins="never")
    with opened(path) as session:
        assert groups_of(session) == set()


def test_two_people_answer_each_group(path):
    with opened(path, votes=2) as session:
        for who in ("ann", "bob"):
            assert sorted(label_all(session, who=who)) == [*range(20)]
        session.label(25, "no", "ann")  # a twin: the same answer sheet
        session.label(25, "yes", "bob")
        assert [*session.disputed()] == [10]
        assert session.answers(25) == session.answers(10)
        session.note(25, "a note")
        assert session.review("noted").rows[0].id == 10
        assert session.review(text="25").rows[0].id == 10
        session.undo("bob", id=25)
        assert session.answers(10).state == "open"


@pytest.mark.parametrize("learner", [PLAIN, FIND], ids=type)
def test_a_group_is_held_out_as_a_whole(path, learner):
    with opened(path, learner, test_size=12) as session:
        assert max(session.test_ids) < 20
        closed = {id for each in session.test_ids for id in session.find_twins(each)}
        assert len(closed) > 12
        label_all(session)
        assert not closed & {*session._worker.own.taught}
        assert not closed & {*session._worker.own.learner.record()["ids"]}
        if learner is FIND:
            n_read = len(closed) + len(session._worker.own.taught)
            assert f" in {n_read} rows read.\n" in session.advice()
    with pytest.raises(
        ValueError, match=r"the number of rows, 20 \(equal rows count once\)"
    ):
        opened(path.with_name("b"), test_size=20)


@pytest.mark.parametrize("learner", [PLAIN, FIND], ids=type)
def test_rows_that_are_added_join_their_groups(path, learner):
    more = [*TEXTS, "text no. 0", "text no. 1", "new", "NEW", "newer"]
    with opened(path, learner, test_size=4) as session:
        session.label(0, "yes")
        session.label(1, "no")
        label_all(session, 9)
    groups = (GROUPS - {frozenset([0, 20])}) | {
        frozenset([0, 20, 30]), frozenset([1, 31]), frozenset([32, 33]),
    }  # fmt: skip
    with opened(path, learner, more, change="pool") as session:
        assert groups_of(session) == groups
        assert session.answers(31).label == "no"
        assert session.answers(30).label == "yes"
        closed = {id for each in session.test_ids for id in session.find_twins(each)}
        label_all(session, 5)
        assert not closed & {*session._worker.own.taught}
    known = "SELECT id FROM requests UNION SELECT id FROM answers"
    n_free = 22 - len({*select(path, known)})  # of 22 groups
    with pytest.raises(ValueError, match=f"but only {n_free} rows"):
        opened(path, learner, more, test_size=21, change="test_size")
    with opened(path, learner, more, test_size=6, change="test_size") as session:
        assert groups_of(session) == groups
        assert len({session.find_twins(id)[0] for id in session.test_ids}) == 6
        label_all(session)
        assert session.status().labelled == 22 or learner is FIND


def test_labels_that_contradict_each_other_are_said(path):
    known = {0: "yes", 20: "no", 2: "yes", 21: "yes", 3: "no", 1: "yes"}
    with opened(path) as session:
        with pytest.warns(UserWarning, match="1 times.* row 0: 'yes', row 20: 'no'"):
            assert session.import_labels(known) == 3
        assert labels_of(session) == {1: "yes", 2: "yes", 3: "no"}
        assert 0 in label_all(session)
        session.export(out := path.with_suffix(".csv"))
    file = path.with_name("in.csv")
    file.write_text("id,label,who\n0,yes,ann\n20,no,bob\n4,no,ann\n22,no,ann\n")
    with opened(path.with_name("b"), votes=2) as session:  # two votes
        session.import_labels(file)
        assert [*session.disputed()] == [0]
    with opened(path.with_name("c"), twins="ask") as session:
        assert session.import_labels(path) == 30  # the answer to a group is for each
        assert session.answers(20).label == session.answers(0).label
    with opened(path.with_name("d")) as session:
        assert session.import_labels(out) == 20


def test_labels_of_twins_are_put_together(path):
    people = path.with_name("in.csv")
    people.write_text("id,label,who\n0,yes,ann\n20,no,bob\n4,no,ann\n22,no,ann\n")
    with opened(path) as session:  # one vote: people contradict each other, too
        with pytest.warns(UserWarning, match="row 0: 'yes', row 20: 'no'"):
            session.import_labels(people)
        assert session.answers(4).label == "no"
    with opened(path.with_name("a"), twins="ask", tags=["s", "t"]) as session:
        session.label(0, "yes", "ann", tags=["s"])
        session.label(20, "yes", "ann", tags=["t"])
        session.label(2, "no", "ann", tags=["t"])
        session.label(21, "no", "ann")
    with opened(path.with_name("b"), tags=["s", "t"]) as session:
        assert session.import_labels(path.with_name("a")) == 2
        session.export(out := path.with_name("long.csv"), "long")
    lines = read_rows(out)
    assert [line["id"] for line in lines] == ["0", "20", "2", "21"]
    assert [line["same_as"] for line in lines] == ["", "0", "", "2"]
    assert ["s" in line["tags"] and "t" in line["tags"] for line in lines[:2]] == [
        True, True,
    ]  # fmt: skip
    with opened(path.with_name("c"), twins="ask", tags=["s", "t"]) as session:
        assert session.import_labels(out) == 4
    with opened(path.with_name("d")) as session:
        assert session.import_labels({0: "yes", 20: np.str_("yes")}) == 1
    several = {"classes": None, "labels": ["a", "b"]}
    with opened(path.with_name("e"), **several) as session:  # in any order
        assert session.import_labels({0: ["a", "b"], 20: ["b", "a"]}) == 1


def test_content_that_is_no_text_has_no_twins(path):
    images = [np.zeros((64, 64)) for _ in range(4)]
    for k, image in enumerate(images):
        image[10:50, 10:50] = k
    cells = [{"name": "scan", "image": image} for image in images]
    for items in cells, [{"file": Path("A")}, {"file": Path("a")}, {"file": Path("A")}]:
        assert find_twins(items, [*range(len(items))], []) == []
    texts = "Bier in Maßen", "Bier in Massen", "BIER  in maßen"
    assert find_twins([*texts], [0, 1, 2], []) == [[0, 2]]
    gaps = [{"a": None}, {"a": "None"}, {"a": None}]
    assert find_twins(gaps, [0, 1, 2], []) == [[0, 2]]


def test_rows_that_are_not_equal_any_more_are_refused(path):
    with opened(path, ids=[*range(30)]) as session:
        label_all(session, 5)
    other = [*TEXTS]
    other[20] = "quite different words"
    with pytest.raises(ValueError, match=r"Rows 0 and 20 were equal, .* differ now"):
        opened(path, ids=[*range(30)], items=other)


def test_what_certifies_rows_asks_for_each(path):
    machine = ErrorSamplingClassifier(["no"] * 30)
    with opened(path, machine) as session:
        assert groups_of(session) == set()
    with pytest.raises(ValueError, match=r"row by row.* twins='ask'"):
        opened(path.with_name("b"), machine, twins="once")
    with opened(path.with_name("c")) as session:
        label_all(session, 5)
    with pytest.raises(ValueError, match=r"row by row.* twins='ask'"):
        opened(path.with_name("c"), machine, change="learner")


def test_annotations_of_one_twin_withdraw_no_answer_to_another(path):
    with opened(path) as session:
        session.take_annotations([(1, 0, "yes", "ann"), (2, 20, "yes", "bob")])
        assert session.take_annotations([(2, 20, "yes", "bob")], [20]).withdrawn == 0
        assert session.take_annotations([], [0, 20]).withdrawn == 2


def test_it_is_said(path, capsys):
    with opened(path) as session:
        session.label(0, "yes")
        view = LabelingView(session, "text", show_reasons=True)
        while (shown := view.next()).row.id % 2:
            session.label(shown.row.id, "no")
        assert shown.why.startswith("2 rows have this text. Asked ")
        label_by_lines(view, None, ["q"])
        assert "2 rows have this text. Asked " in capsys.readouterr().out
        session.label(shown.row.id, "no")
        while (shown := view.next()).row.id % 2 == 0:
            session.label(shown.row.id, "no")
        assert shown.why.startswith("Asked ")
    rows = [{"a": text} for text in TEXTS]
    with opened(path.with_name("b"), items=rows) as session:
        view = LabelingView(session, None)
        assert view.describe_twins(20) == "2 rows have these cells."
        assert view.describe_twins(1) == ""
        label_all(session)
        assert view.progress()["share"] == 1


# --- a search counts rows


def search(seed, kind="plain", n_groups=120, **options):
    """Search with a third of the rows copied; return the session's end."""
    rng = np.random.default_rng(seed)
    pool = rng.normal(size=(n_groups, 3))
    is_like, is_odd = pool[:, 0] > 1.2, rng.random(n_groups) < 0.04
    # rows unlike all other relevant ones, which have most of the copies
    shares = np.where(is_odd & ~is_like & (kind == "odd"), 10.0, 1.0)
    is_relevant = is_like | (is_odd & (kind == "odd"))
    copies = rng.choice(n_groups, n_groups // 2, p=shares / shares.sum())
    of = rng.permutation(np.append(np.arange(n_groups), copies))
    learner = clone(FIND).set_params(
        batch_size=8, stopping=RecallTarget(0.9), random_state=seed
    )
    items, truth = [f"text {group}" for group in of], is_relevant[of]
    with quick_folder() as folder:
        n, asked = 0, []

        def begin():
            return opened(folder / "s", learner, items, pool=pool[of], **options)

        session = begin()
        while (id := session.next()) is not None:
            if kind == "skips" and rng.random() < 0.1:
                session.skip(id)
                truth = truth & (of != of[id])
            else:
                session.label(id, "yes" if truth[id] else "no")
            asked.append(of[id])
            if kind == "reopened" and len(asked) % 23 == 0:
                session.close()
                session = begin()
        taught, advice = session._worker.own.taught, session.advice()
        n = session.status().labelled
        session.close()
    assert len({*asked}) == len(asked)  # each text once
    assert {*taught} == {
        row for row in range(len(of)) if of[row] in {of[i] for i in taught}
    }
    found = [row for row in np.flatnonzero(truth) if row in taught]
    assert f"Found: {len(found)} in {len(taught)} rows read." in advice
    return len(found) / truth.sum(), n, advice


@pytest.mark.every_learner
@pytest.mark.parametrize("kind", ["plain", "odd", "skips", "reopened"])
def test_the_recall_is_of_rows_and_its_certificate_holds(kind):
    found = [search(seed, kind) for seed in range(20)]
    assert sum("is certain" in advice for *_, advice in found) > 15
    assert sum(recall < 0.9 for recall, *_ in found) <= 3  # one in 20 is allowed


def test_a_search_that_is_opened_again_is_where_it_was():
    assert search(3, "reopened")[1:] == search(3)[1:]


def test_labels_that_nobody_asked_for_keep_their_place(path):
    """Random rows are recognised by how many rows were unread when they were drawn."""
    items, ids = [f"row {row}" for row in range(300)], [*range(300)]
    pool = np.random.RandomState(0).standard_normal((300, 3))
    with opened(path, FIND, items, pool=pool) as session:
        for n in range(150):
            if (id := session.next()) is None:
                break
            session.label(id, ["no", "yes"][int(pool[id, 0] > 1)])
            if n % 10 == 0:
                free = next(i for i in reversed(ids) if not session.answers(i).answers)
                session.label(free, ["no", "yes"][int(pool[free, 0] > 1)])
        before, said = session.learner.record(), session.advice()
    with opened(path, FIND, items, pool=pool) as session:
        after = session.learner.record()
        assert {**after, "queried": before["queried"]} == before
        assert session.advice() == said


# --- random operations


def check_groups(session, path, groups):
    """Check that rows of a group have one answer sheet, label and prediction."""
    assert groups_of(session) == groups
    out, everything = path.with_suffix(".csv"), path.with_suffix(".all.csv")
    session.export(out)
    lines = {int(line["id"]): line for line in read_rows(out)}
    known = {row.id: row for row in session.review(limit=1000).rows}
    for group in groups:
        assert len({json.dumps(session.answers(id)) for id in group}) == 1
        assert len({id in lines and lines[id]["label"] for id in group}) == 1
        assert len({id in lines and lines[id]["tags"] for id in group}) == 1
        assert len(known.keys() & group) < 2
    with suppress(ValueError):  # no model yet
        session.export_predictions(everything)
        labels = {int(line["id"]): line["label"] for line in read_rows(everything)}
        for group in groups:
            assert len({labels[id] for id in group}) == 1
    return lines


OPERATIONS = "label label skip undo tag note open rename add reopen"
operation = st.sampled_from(OPERATIONS.split())


@pytest.mark.every_learner
@given(
    st.lists(
        st.tuples(operation, st.integers(0, 39), st.integers(0, 5)),
        min_size=5, max_size=60,
    ),
    st.sampled_from(["plain", "find"]), st.sampled_from([1, 2]), st.integers(0, 3),
)  # fmt: skip
@settings(
    max_examples=max(5, settings.default.max_examples // 5),
    suppress_health_check=[HealthCheck.too_slow], deadline=None,
)  # fmt: skip
def test_no_operation_loses_a_group_or_a_tag(operations, kind, votes, test_size):
    items, classes, tags, own = [*TEXTS], ["no", "yes"], ["a", "b"], {}
    learner = PLAIN if kind == "plain" else FIND
    with quick_folder() as folder, catch_warnings(action="ignore"):
        path = folder / "labels.sqlite"

        def begin(**change):
            names = {"classes": classes, "tags": tags, "change": change}
            options = {"votes": votes, "test_size": test_size, **names}
            return opened(path, learner, items, **options)

        session = begin()
        for what, number, choice in operations:
            who, id = ["ann", "bob"][choice % 2], number % len(items)
            if choice < 3:
                id = session.next(who) or id
            first = session.find_twins(id)[0]
            with suppress(ValueError):  # nothing to undo, or no row to skip
                if what == "label":
                    given = [None, [tags[0]], [*tags]][choice // 2]
                    session.label(id, classes[number % 2], who, tags=given)
                    own[first, who] = given or own.get((first, who), [])
                elif what == "tag":
                    label = session.answers(id).label or classes[0]
                    session.label(id, label, who, tags=[tags[-1]])
                    own[first, who] = [tags[-1]]
                elif what == "skip":
                    session.skip(id, "why", who)
                    own.setdefault((first, who), [])
                elif what == "undo":
                    session.undo(who)
                    own = {key: each for key, each in own.items() if key[1] != who}
                elif what == "reopen":
                    session.reopen()
                    own.clear()
                elif what == "note":
                    session.note(id, "a note", who)
            if what in ("open", "rename", "add"):
                change = {}
                if what == "rename" and kind == "plain":
                    (old_class, old_tag), renamed = (classes[1], tags[1]), f"b{number}"
                    classes, tags = ["no", f"yes{number}"], ["a", renamed]
                    change = {"classes": {old_class: classes[1]}}
                    change["tags"] = {old_tag: renamed}
                    for key, each in own.items():
                        own[key] = [renamed if tag == old_tag else tag for tag in each]
                if what == "add" and len(items) < 40:
                    change["pool"] = None
                    items.append(f"TEXT NO. {number % 25}")
                session.close()
                session = begin(**change)
            texts = [item.casefold().strip().replace("  ", " ") for item in items]
            groups = {
                frozenset(i for i, each in enumerate(texts) if each == text)
                for text, n in Counter(texts).items() if n > 1
            }  # fmt: skip
            check_groups(session, path, groups)
            for (first, who), given in own.items():
                answers = session.answers(first, viewer=who).answers
                if votes == 2:
                    assert given in [a.tags for a in answers if a.who == who]
        session.close()


def test_the_budget_is_counted_as_the_learner_counts_it(path):
    learner = clone(FIND).set_params(budget=25, batch_size=9)
    with LabelingSession(
        learner, X[:30], path, items=TEXTS, ids=list(range(30)), classes=["no", "yes"]
    ) as session:
        assert session.status().to_label == 20
        while session.next() is not None:
            label_all(session, 1)
            assert session.status().left == 25 - session.learner.n_queries_
        assert session.learner.n_queries_ > session.status().asked
