"""Sessions in which a row may have several labels, or none."""

import csv
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import (
    CBGZClassifier,
    RelevanceSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.labeling import LabelingSession
from tests.reference.labeling import labels_of, quick_folder, read_rows
from tests.reference.people import nominal_alpha
from tests.reference.session_files import select

X, Y = make_multilabel_classification(40, 5, n_classes=3, n_labels=1, random_state=2)
LABELS = ["late", "rude", "broken"]
SETS = [sorted(name for name, has in zip(LABELS, row, strict=True) if has) for row in Y]
FINDER = RelevanceSamplingClassifier(
    GaussianNB(), positive="late", n_initial=4, batch_size=3, budget=30, random_state=0
)

LEARNER = UncertaintySamplingClassifier(
    LogisticRegression(), n_initial=4, batch_size=3, budget=30, random_state=0
)
each_learner = pytest.mark.parametrize("learner", [LEARNER, FINDER])


def opened(path, learner=LEARNER, **options):
    options = {"ids": list(range(40)), "labels": LABELS, **options}
    return LabelingSession(learner, X, path, **options)


def label_some(session, n, who=None):
    for _ in range(n):
        id = session.next(who)
        session.label(id, SETS[id], who)


@each_learner
def test_answers_are_lists_and_an_empty_one_is_an_answer(path, learner):
    with opened(path, learner, test_size=3) as session:
        label_some(session, 12)
        given = labels_of(session)
        assert given == {id: SETS[id] for id in given}
        assert [] in given.values()
        assert session.labels == session.classes == LABELS
        first = session.next()
        session.label(first, ("rude", "late", "rude"))
        assert session.answers(first).label == ["late", "rude"]
        session.label(first, [])  # a correction
        assert session.answers(first).label == []
        assert session.status().no_label == [*labels_of(session).values()].count([])
        assert session.undo() == first
        assert session.answers(first).label == ["late", "rude"]
        session.label(first, SETS[first])
        for label in LABELS:
            found = {row.id for row in session.review(label=label).rows}
            assert found == {id for id in labels_of(session) if label in SETS[id]}
            assert session.status().by_class[label] == len(found)
        found = {row.id for row in session.review(label=[]).rows}
        assert found == {id for id in labels_of(session) if not SETS[id]}
        for label in ["late"], "lost":
            with pytest.raises(ValueError, match="label must be one of"):
                session.review(label=label)
        following, before = session.next(), session.status()
        predicted = session.predictions()
    with opened(path, learner, test_size=3) as session:
        assert session.next() == following
        assert session.status() == before
        again = session.predictions()
        assert again.labels == predicted.labels
        assert np.array_equal(again.probabilities, predicted.probabilities)


def test_other_answers_are_refused(path):
    with opened(path) as session:
        for label, why in (
            ("late", "pass a list"), (3, "pass a list"), (None, "got None"),
            (["lost"], "'lost' is not among"),
            (Y[0], "are texts"),  # an indicator row, whatever the names of the labels
        ):  # fmt: skip
            with pytest.raises(ValueError, match=why):
                session.label(session.next(), label)
        assert session.status().labelled == 0


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"classes": LABELS}, "not both"),
        ({"labels": [1, 2]}, "labels must be texts"),
        ({"labels": ["late"]}, "labels must name at least two"),
        ({"labels": ["late", "late"]}, "labels has a name twice"),
        ({"labels": "late"}, "labels must be a list"),
        ({"labels": {"late", "rude"}}, "labels must be a list"),
        ({"labels": ["late", " "]}, "labels must be texts that are not empty"),
        ({"learner": CBGZClassifier()}, "are taken by HybridSamplingClassifier"),
        ({"learner": clone(FINDER).set_params(positive=None)}, "are taken by Hybrid"),
        ({"labels": ["rude", "broken"], "learner": FINDER}, "positive must be one of"),
    ],
)
def test_what_cannot_begin_is_refused_before_a_file_is_there(path, options, why):
    with pytest.raises(ValueError, match=why):
        opened(path, **options)
    assert not path.exists()


def test_rows_keep_the_number_of_their_labels(path):
    other = path.with_name("other")
    with opened(path) as session:
        label_some(session, 8)
        given = labels_of(session)
    learner = UncertaintySamplingClassifier(GaussianNB(), random_state=0)
    options = {"labels": None, "classes": LABELS}
    with pytest.raises(ValueError, match="has several labels, not one"):
        opened(path, learner, change=("classes", "learner"), **options)
    with opened(other, learner, **options) as session:
        session.label(session.next(), "rude")
        with pytest.raises(ValueError, match="must be a text or a number"):
            session.label(session.next(), ["rude"])
        n = [min(len(each), 2) for each in given.values()]
        assert {*n} == {0, 1, 2}
        left_out = {
            f"{n.count(2)} answers with several",
            f"{n.count(0)} answers with no",
        }
        with pytest.warns(UserWarning, match="Left out of") as warned:
            assert session.import_labels(path) == n.count(1)
        assert all(each in f"{warned[0].message}" for each in left_out)
        before = session.status().labelled
    with pytest.raises(ValueError, match="has one label, not several"):
        opened(other)
    with opened(path) as session:  # one label is a list of one
        assert session.import_labels(other) == before - n.count(1)
        assert ["rude"] in labels_of(session).values()


def test_labels_are_added_renamed_and_merged(path):
    with opened(path, votes=2) as session:
        for who in "ann", "bob":
            label_some(session, 8, who)
        before = labels_of(session)
    with pytest.raises(ValueError, match="pass change='classes'"):
        opened(path, labels=[*LABELS, "lost"])
    with opened(path, labels=[*LABELS, "lost"], change="classes") as session:
        assert labels_of(session) == before
        session.label(session.next("ann"), ["lost"], "ann")
    merged = {"classes": {"rude": "bad", "broken": "bad"}}
    with opened(path, labels=["late", "lost", "bad"], change=merged) as session:
        bad = {"rude": "bad", "broken": "bad"}
        after = {id: {bad.get(each, each) for each in s} for id, s in before.items()}
        found = labels_of(session)
        assert {id: found[id] for id in before} == {
            id: sorted(each) for id, each in after.items()
        }
    olds = select(path, "SELECT renamed_from FROM answers WHERE renamed_from NOT NULL")
    assert olds
    assert all({*json.loads(old)} & {"rude", "broken"} for old in olds)


def test_votes_are_tied_on_labels_and_people_agree_by_label(path):
    votes = {0: ["late", "rude"], 1: ["late"], 2: [], 3: ["rude", "broken"]}
    with opened(path, votes=2) as session:
        for id, labels in votes.items():
            session.label(id, labels, "ann")
            session.label(id, sorted({*labels} ^ {"rude"}) if id < 2 else labels, "bob")
        assert session.disputed().keys() == {0, 1}
        assert session.answers(0).tied == session.answers(1).tied == ["rude"]
        session.label(0, ["late"], "cat")
        assert session.answers(0).label == ["late"]
        session.label(1, ["broken"], "eve", final=True)
        assert session.answers(1).label == ["broken"]
        found = session.agreement()
        for label in LABELS:
            rows = [
                {
                    "ann": label in labels,
                    "bob": (label in labels) ^ (label == "rude" and id < 2),
                }
                for id, labels in votes.items()
            ]
            assert found.by_label[label] == pytest.approx(nominal_alpha(rows))
        assert found.value == pytest.approx(sum(found.by_label.values()) / 3)
        assert found.share == 0.5  # of the sets
        page = session.review("disputed")
        assert page.rows == []
    names = dict(select(path, "SELECT id, who FROM labels"))
    assert {*names[0].split(",")} == {"ann", "bob", "cat"}


names = st.sampled_from(
    ["late", "=rude", "a;b", "id", "label", "label id", 'so "so"', "[]", "-", "é,\n"]
)


@given(
    labels=st.lists(names, min_size=2, max_size=5, unique=True),
    answers=st.lists(
        st.tuples(st.integers(0, 39), st.sets(names), st.sampled_from(["ann", "bob"])),
        max_size=12,
    ),
    suffix=st.sampled_from([".csv", ".json", "long", "session"]),
)
def test_exports_are_imported_again(labels, answers, suffix):
    options = {"labels": labels}
    with quick_folder() as folder:
        out = folder / f"out{suffix.replace('long', '.csv')}"
        form = "long" if suffix == "long" else "wide"
        with opened(folder / "a", **options) as session:
            for id, chosen, who in answers:
                session.label(id, [*chosen & {*labels}], who)
            given = labels_of(session)
            if suffix == "session":
                out = folder / "a"
            else:
                assert session.export(out, form) == len(given) or suffix == "long"
        with opened(folder / "b", **options) as session:
            session.import_labels(out)
            assert labels_of(session) == given
            assert session.import_labels(out) == 0
        if suffix == ".csv" and given:
            with out.open(newline="", encoding="utf-8") as file:
                lines = list(csv.reader(file))
            width = lines[0].index("who") - 1
            assert width == len(labels)
            assert {cell for line in lines[1:] for cell in line[1 : 1 + width]} <= {
                "0",
                "1",
            }


def test_files_of_other_tools(path):
    folder = path.parent
    (folder / "names.csv").write_text(
        'id,label\n0,late;rude\n1,"[""broken""]"\n2,[]\n3,\n'
    )
    (folder / "ones.csv").write_text("id,late,rude\n4,1,1\n5,0,0\n6,,\n")
    chosen = {"result": [{"value": {"choices": ["late", "broken"]}}]}
    cancelled = {"result": [], "was_cancelled": True}
    given = {7: chosen, 8: {"result": []}, 9: cancelled}
    tasks = [{"data": {"id": id}, "annotations": [a]} for id, a in given.items()]
    (folder / "tasks.json").write_text(json.dumps(tasks))
    lines = [
        {"id": 10, "accept": ["rude", "late"], "answer": "accept"},
        {"id": 11, "accept": [], "answer": "accept"},
        {"id": 12, "accept": ["rude"], "answer": "ignore"},
        {"id": 13, "label": ["broken"]},
        {"id": 14, "label": []},  # of doccano: nobody has labelled it
        {"id": 15, "cats": {"late": 0.9, "rude": 0.8, "broken": 0.1}},
        {"id": 16, "cats": {"late": 0.1, "rude": 0.2, "broken": 0.1}},
    ]
    (folder / "lines.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with opened(path) as session:
        assert session.import_labels(folder / "names.csv") == 3
        with pytest.warns(UserWarning, match="no columns for the labels broken"):
            assert session.import_labels(folder / "ones.csv") == 2
        assert session.import_labels(folder / "tasks.json") == 2
        with pytest.warns(UserWarning, match="1 with the answer 'ignore'"):
            assert session.import_labels(folder / "lines.jsonl") == 5
        assert labels_of(session) == {
            0: ["late", "rude"], 1: ["broken"], 2: [], 4: ["late", "rude"], 5: [],
            7: ["broken", "late"], 8: [], 10: ["late", "rude"], 11: [], 13: ["broken"],
            15: ["late", "rude"], 16: [],
        }  # fmt: skip
        for text, why in (
            ("id,late,rude,broken\n20,1,0,0\n21,1,2,0\n", "line 3: .*must be 1 or 0"),
            ("id,late,lost,rude,broken\n20,1,0,0,0\n21,0,1,0,0\n", "column 'lost'"),
            ("id,label\n20,late\n21,late;lost\n", "Row 21: The label 'lost'"),
        ):
            (folder / "wrong.csv").write_text(text)
            with pytest.raises(ValueError, match=why):
                session.import_labels(folder / "wrong.csv")
        assert 20 not in labels_of(session)


def test_columns_that_pandas_wrote_and_a_name_with_a_semicolon(path):
    ones, names = path.with_name("ones.csv"), path.with_name("names.csv")
    ones.write_text("id,late,a;b,urgent\n0,1.0,0.0,3\n1,,,\n2,0.0,True,1\n")
    names.write_text("id,label\n3,a;b\n4,late;a\\;b\n")
    with opened(path, labels=["late", "a;b"]) as session:
        assert session.import_labels(ones) == 2
        assert session.import_labels(names) == 2
        assert labels_of(session) == {
            0: ["late"], 2: ["a;b"], 3: ["a;b"], 4: ["a;b", "late"],
        }  # fmt: skip


def test_a_session_that_searches_for_one_label(path):
    out = path.with_name("out.csv")
    with opened(path, FINDER, test_size=4) as session:
        label_some(session, 20)
        known = labels_of(session)
        assert session.predictions().classes == ["late"]
        assert session.predictions().probabilities.shape == (40, 1)
        assert all(each in ([], ["late"]) for each in session.predictions().labels)
        assert session.curve()[-1].n_test == 4
        assert session.export_predictions(out) == 20
    for line in read_rows(out):
        cells = [line[label] for label in LABELS]
        if (id := int(line["id"])) in known:
            assert cells == [str(int(label in known[id])) for label in LABELS]
        else:  # nothing is said of labels that the model does not know
            assert cells[0] in "01"
            assert cells[1:] == ["", ""]


def test_the_f1_of_held_out_rows(path):
    with opened(path, test_size=12) as session:
        while (id := session.next()) is not None:
            session.label(id, SETS[id])
        rows, point = session.test_ids, session.curve()[-1]
        predicted = session.predictions(rows).labels
        z = np.array([[name in labels for name in LABELS] for labels in predicted])
        assert point.measure == "micro F1"
        assert point.score == pytest.approx(f1_score(Y[rows], z, average="micro"))
        right = np.mean([p == SETS[id] for p, id in zip(predicted, rows, strict=True)])
        assert point.accuracy == pytest.approx(right)
        constants = [
            f1_score(Y[rows], np.tile(c, (12, 1)), average="micro")
            for c in np.ndindex(2, 2, 2)
            if any(c)
        ]
        assert point.constant == pytest.approx(max(constants))
        words = session.advice()
        often = Y[rows].sum(axis=0) >= 5
        assert 0 < often.sum() < 3
        for average, kept in ("micro", slice(None)), ("macro", often):
            value = f1_score(Y[rows][:, kept], z[:, kept], average=average)
            what = {"micro": "has a micro F1 of", "macro": "The macro F1 is"}[average]
            low, high = re.search(
                rf"{what} {value:.2f} \(95 %: (.*?)–(.*?)\)", words
            ).groups()
            assert 0 <= float(low) <= value <= float(high) <= 1
        assert f"over the {often.sum()} labels that at least 5 rows have" in words
        assert f"All labels are right on {right:.0%} of the rows" in words
        words = session.advice("accuracy")
        assert f"the model has all labels right on {right:.0%} of 12" in words
        by_name = session.curve("f1_macro")[-1]
        assert by_name.score == pytest.approx(f1_score(Y[rows], z, average="macro"))
        with pytest.raises(ValueError, match="need rows with one label each"):
            session.doubtful()


WORDS = {"late": "delivery waited", "rude": "agent shouted", "broken": "screen crack"}


@pytest.mark.usefixtures("quick_blend")
def test_the_command_from_a_table_to_a_saved_model(path, monkeypatch, command):
    def run(*argv, **options):
        argv = ["label", "mails.csv", "--text", "body", *argv]
        return "".join(command(*argv, **options))

    monkeypatch.chdir(path.parent)
    with open("mails.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["body", "tags", "late"])
        for row, labels in enumerate(SETS):
            words = " ".join(WORDS[label] for label in labels)
            tags = "" if row >= 25 else ";".join(labels) or "[]"
            table.writerow([f"mail {row} {words}", tags, "a column of the user"])
    known = ["--labelled", "tags", "--out", "s.sqlite"]
    first = next(row for row, labels in enumerate(SETS) if "broken" in labels) + 1
    for argv, why in (
        (["--labels", "a,b", "--classes", "a,b"], "do not go together"),
        (["--labels", "late"], "'late' is one label, but"),
        ([*known, "--rename", "rude=late,bad"], "has a comma"),
        ([*known, "--labels", "late,rude"], f"row {first}: 'broken' is not one of"),
    ):
        assert why in run(*argv, code=2)
    said = run(*known, "--labels", ",".join(LABELS), answers="late, rude\n-\n")
    assert "Labels in s.sqlite: 27." in said
    run(*known, "--predict", "p.csv", "--save-model", "m.skops")  # --labels is known
    lines = read_rows("p.csv")
    for line, labels in zip(lines, SETS[:25], strict=False):
        assert [line[each] for each in LABELS] == [
            f"{each in labels:d}" for each in LABELS
        ]
    assert lines[0]["input late"] == "a column of the user"
    command("predict", "m.skops", "mails.csv", "--out", "n.csv")
    names = [*LABELS, *(f"probability of {each}" for each in LABELS)]
    for line, before in zip(read_rows("n.csv"), lines, strict=True):
        if before["origin"] == "predicted":
            assert [line[each] for each in names] == [before[each] for each in names]


def test_an_annotation_that_moves_to_another_row_takes_its_answer_along(path):
    options = {"labels": None, "classes": ["no", "yes"]}
    with opened(path, **options) as session:
        session.take_annotations([(1, 3, "yes", "ann")])
        assert session.take_annotations([(1, 5, "no", "ann")]) == (0, 1, 0)
        before = session.answers(3), session.answers(5), session.status()
        assert (before[0].state, before[1].label) == ("open", "no")
    with opened(path, **options) as session:
        assert (session.answers(3), session.answers(5), session.status()) == before


def test_the_time_of_an_annotation_is_checked(path):
    with opened(path, labels=None, classes=["no", "yes"]) as session:
        with pytest.raises(ValueError, match=r"^at must be a date such as .*'now'"):
            session.take_annotations([(1, 3, "yes", "ann", False, "now")])
        time = "2026-01-31T13:00:00+02:00"
        session.take_annotations([(1, 3, "yes", "ann", False, time)])
        (answer,) = session.answers(3).answers
        assert answer.at == "2026-01-31T11:00:00.000+00:00"
