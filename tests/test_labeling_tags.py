"""Tags beside the label: stored, found, exported, imported, renamed."""

import json
from contextlib import closing

import numpy as np
import pytest

from sklearn_activelearn import CBGZClassifier, UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession, export, recover_labels
from sklearn_activelearn.labeling.front_ends._keys import ClassKeys, TypeAhead
from sklearn_activelearn.labeling.front_ends._terminal import label_by_lines
from sklearn_activelearn.labeling.front_ends._view import LabelingView
from sklearn_activelearn.labeling.storage import _schema
from sklearn_activelearn.labeling.storage._decisions import Answer
from tests.reference.labeling import read_rows, write_rows
from tests.reference.session_files import select

X = np.random.RandomState(0).standard_normal((40, 3))
TAGS = ["old", "no text", "a;b"]


def opened(path, learner=None, **settings):
    learner = learner or UncertaintySamplingClassifier(budget=None, random_state=0)
    settings = {"classes": ["no", "yes"], "tags": TAGS, **settings}
    ids, items = list(range(40)), [f"text {row}" for row in range(40)]
    return LabelingSession(learner, X, path, ids=ids, items=items, **settings)


def tags_of(session, id, who=None):
    return {each.who: each.tags for each in session.answers(id, viewer=who).answers}


def test_tags_belong_to_an_answer(path):
    with opened(path) as session:
        id = session.next()
        session.label(id, "no", tags=["a;b", "old"])
        assert tags_of(session, id) == {None: ["old", "a;b"]}  # in their order
        session.label(id, "yes")  # a correction keeps them
        assert tags_of(session, id) == {None: ["old", "a;b"]}
        n = session.version
        session.label(id, "yes", tags=["a;b", "old"])
        assert session.version == n  # nothing new
        session.label(id, "yes", tags=["no text"])
        session.undo()
        assert tags_of(session, id) == {None: ["old", "a;b"]}
        session.label(id, "yes", tags=[])
        assert tags_of(session, id) == {None: []}
        session.undo()
        other = session.next()
        session.skip(other, "empty", tags=["no text"])
    with opened(path, tags=None) as session:
        assert session.tags == TAGS
        assert tags_of(session, id) == {None: ["old", "a;b"]}
        assert tags_of(session, other) == {None: ["no text"]}
        assert session.review(tag="old").n_rows == 1
        assert session.review("skipped", tag="no text").n_rows == 1
        assert session.review(tag="no text").n_rows == 0


def test_the_learner_never_sees_tags(folder):
    shown = []
    for name, tags in (("a", ["old"]), ("b", [])):
        with opened(folder / name) as session:
            rows = [session.next()]
            while len(rows) < 20:
                session.label(
                    rows[-1], "no" if X[rows[-1], 0] < 0 else "yes", tags=tags
                )
                rows.append(session.next())
            session.label(rows[0], "no" if X[rows[0], 0] < 0 else "yes", tags=TAGS)
            rows.append(session.next())
            shown.append((rows, session.predictions().probabilities.tolist()))
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    ("tags", "why"),
    [
        ("old", "list of texts"),
        (["nothing"], "not among"),
        (5, "list of texts"),
    ],
)
def test_wrong_tags_change_nothing(path, tags, why):
    with opened(path) as session:
        id = session.next()
        for call in (session.label, session.answer_and_look):
            with pytest.raises(ValueError, match=why):
                call(id, "no", tags=tags)
        with pytest.raises(ValueError, match=why):
            session.skip(id, tags=tags)
        assert session.answers(id).answers == []
        with pytest.raises(ValueError, match="tag must be among"):
            session.review(tag="nothing")


@pytest.mark.parametrize(
    ("tags", "why"),
    [
        ("old", "must be a list"),
        (["old", "old"], "twice"),
        (["old", ""], "not empty"),
        ([" old"], "spaces at their ends"),
        (["old", 5], "must be texts"),
        (["no"], "is a class, too"),
        ([f"{n}" for n in range(36)], "35 tags"),
        (["\ud800"], "surrogate"),
    ],
)
def test_wrong_names_begin_nothing(path, tags, why):
    with pytest.raises(ValueError, match=why):
        opened(path, tags=tags)
    assert not path.exists()


def test_two_people_keep_their_own(path):
    with opened(path, votes=2) as session:
        id = session.next("ann")
        session.label(id, "no", "ann", tags=["old"])
        assert tags_of(session, id, "bob") == {}
        assert session.review(tag="old", viewer="bob").n_rows == 0
        session.label(id, "no", "bob", tags=["no text"])
        assert tags_of(session, id) == {"ann": ["old"], "bob": ["no text"]}
        assert session.review(tag="old", viewer="bob").n_rows == 1
        session.label(id, "yes", "eve", final=True, tags=["a;b"])
        assert tags_of(session, id)["eve"] == ["a;b"]


@pytest.mark.parametrize("form", ["wide", "long"])
def test_exports_are_read_again(folder, path, form):
    out = folder / "labels.csv"
    with opened(path, votes=2) as session:
        for id, tags in ((3, ["a;b", "old"]), (4, []), (5, ["no text"])):
            for who in ("ann", "bob"):
                session.label(id, "yes", who, tags=tags)
        session.label(6, "yes", "ann", tags=["old"])
        session.export(out, form)
    lines = read_rows(out)
    assert lines[0]["tags"] == "old;a\\;b"
    assert lines[-1]["tags"] == {"wide": "no text", "long": "old"}[form]
    n = export(path, out, form, tag="old")
    assert n == len(read_rows(out)) == {"wide": 1, "long": 3}[form]
    with pytest.raises(ValueError, match="tag must be among"):
        export(path, out, tag="nothing")
    export(path, out, form)
    with opened(folder / "other.sqlite", votes=2) as other:
        other.label(4, "yes", "ann", tags=["old"])  # nothing is taken away
        other.import_labels(out)
        assert tags_of(other, 3) == {"ann": ["old", "a;b"], "bob": ["old", "a;b"]}
        assert tags_of(other, 4) == {"ann": ["old"], "bob": []}
        assert other.import_labels(out) == 0
    with opened(folder / "few.sqlite", votes=2, tags=["old"]) as few:
        with pytest.warns(UserWarning, match="left out: a;b, no text"):
            few.import_labels(out)
        assert tags_of(few, 3)["ann"] == ["old"]
    with opened(folder / "none.sqlite", votes=2, tags=None) as none:
        none.import_labels(out)
        none.export(out, form)
    assert "tags" not in read_rows(out)[0]


@pytest.mark.parametrize("several", [False, True])
def test_label_studio_has_them_as_a_second_choice(folder, path, several):
    out = folder / "tasks.json"
    options = {"classes": None, "labels": ["no", "yes"]} if several else {}
    with opened(path, votes=2, **options) as session:
        for who, tags in (("ann", ["old"]), ("bob", ["no text", "a;b"])):
            session.label(3, ["yes"] if several else "yes", who, tags=tags)
            session.label(4, [] if several else "no", who, tags=tags[:1])
        session.export(out)
    (first, *_) = json.loads(out.read_text())
    results = [each["result"] for each in first["annotations"]]
    assert [[each["from_name"] for each in one] for one in results] == [
        ["label", "tags"]
    ] * 2
    with opened(folder / "other.sqlite", votes=2, **options) as other:
        other.import_labels(out)
        assert tags_of(other, 3) == {"ann": ["old"], "bob": ["no text", "a;b"]}
        assert tags_of(other, 4) == {"ann": ["old"], "bob": ["no text"]}
        assert other.answers(4).label == ([] if several else "no")


def test_annotations_with_tags(path):
    with opened(path) as session:
        given = (1, 3, "yes", "ann", False, None, ["old"])
        assert session.take_annotations([given]).new == 1
        assert tags_of(session, 3) == {"ann": ["old"]}
        assert session.take_annotations([given]) == (0, 0, 0)
        other = (*given[:-1], ["no text"])
        assert session.take_annotations([other]).changed == 1
        assert tags_of(session, 3) == {"ann": ["no text"]}


def test_another_session_is_read_with_its_tags(folder, path):
    with opened(path) as session:
        session.label(3, "yes", "ann", tags=["old", "a;b"])
    with opened(folder / "other.sqlite", tags=["old"]) as other:
        with pytest.warns(UserWarning, match="1 tags that are not here"):
            other.import_labels(path)
        assert tags_of(other, 3) == {"ann": ["old"]}


def test_damaged_files_give_the_tags_back(folder, path):
    with opened(path) as session:
        session.label(3, "yes", "ann", tags=["old", "a;b"])
    recover_labels(path, out := folder / "answers.csv")
    assert read_rows(out)[0]["tags"] == "old;a\\;b"


@pytest.mark.parametrize(
    "tags", ['["nothing"]', "[]", '"old"', "5", "old", '{"a": 1}', "[5]", "\x07"]
)
def test_crafted_tags_are_refused(path, tags):
    with opened(path) as session:
        session.label(3, "yes")
    with closing(_schema.connect(path, "rw")) as db:
        *values, _ = db.row("SELECT * FROM answers")
        _schema.put(db, "answers", **Answer(*values)._replace(tags=tags)._asdict())
    with pytest.raises(ValueError, match="damaged"):
        opened(path)


@pytest.mark.parametrize("is_stream", [False, True])
def test_tags_are_added_renamed_and_merged(path, is_stream):
    learner = CBGZClassifier(random_state=0) if is_stream else None
    with opened(path, learner) as session:
        session.label(session.next(), "no", tags=["old", "no text"])
        first = session.review().rows[0].id
        asked = session.status().asked
    for tags in ([*TAGS, "new"], ["old"]):
        with pytest.raises(ValueError, match="tags"):
            opened(path, learner, tags=tags)
    with opened(path, learner, tags=[*TAGS, "new"], change="tags") as session:
        assert session.tags == [*TAGS, "new"]
        assert session.status().asked == asked
    change = {"tags": {"no text": "old", "new": "newer"}}
    for _ in range(2):  # the same call may be repeated
        with opened(path, learner, tags=None, change=change) as session:
            assert session.tags == ["old", "a;b", "newer"]
            assert tags_of(session, first) == {None: ["old"]}
    with pytest.raises(ValueError, match="no tag 'nothing'"):
        opened(path, learner, tags=None, change={"tags": {"nothing": "old"}})
    with pytest.raises(ValueError, match="is a class, too"):
        opened(path, learner, tags=None, change={"tags": {"old": "yes"}})


def test_keys_of_tags():
    keys = ClassKeys(["spam", "ham"], tags=["old", "new"])
    typing = TypeAhead(keys, lambda: 0.0)
    assert typing.press("t") is None
    assert typing.typed == "t"
    assert typing.press("2") == ("t", "new")
    assert typing.type("T1") == ("t", "old")
    typing.press("t")
    assert typing.press("9") is None
    assert "no class" in typing.problem
    typing.press("escape")
    assert typing.press("s") == (None, "spam")
    with pytest.raises(ValueError, match="is a command"):
        ClassKeys(["spam", "ham"], {"spam": "t"}, tags=["old"])
    assert ClassKeys(["spam", "ham"], {"spam": "t"}).find("t").label == "spam"


def test_a_class_that_begins_with_t_keeps_its_key():
    keys = ClassKeys(["true", "false"], tags=["old"])
    typing = TypeAhead(keys, lambda: 0.0)
    assert typing.press("t") == (None, "true")
    assert keys.tags["old"] == "/t1"
    assert [typing.press(key) for key in "/t1"] == [None, None, ("t", "old")]
    assert [typing.press(key) for key in "/tr"][-1] == (None, "true")
    assert "/t to add a tag" in keys.describe_prefixes()


def test_lines_of_text(path, capsys):
    with opened(path) as session:
        view = LabelingView(session, "text")
        lines = ["t1", "t3", "yes", "no", "t2", "s nothing", "t1", "t1", "no"]
        label_by_lines(view, None, lines)
        rows = session.review(limit=9).rows[::-1]  # the newest is listed first
        assert [row.answers[0].tags for row in rows] == [["old", "a;b"], [], []]
        (skipped,) = session.review("skipped").rows
        assert skipped.answers[0].tags == ["no text"]
        assert view.review("labelled", 'tag:"A;B"').n_rows == 1
        with pytest.raises(ValueError, match="is not a tag"):
            view.review("labelled", "tag:nothing")
    said = capsys.readouterr().out
    assert "[t1] old ✓" in said
    assert ": yes, tags: old, a;b" in said


def test_tags_of_an_answered_row_are_stored_at_once(path):
    with opened(path, votes=2) as session:
        view = LabelingView(session, "text")
        assert "label the row" in view.tag(3, ["old"], "ann")
        session.label(3, "yes", "ann")
        assert view.tag(3, ["old"], "ann") == "Row 3, tags: old"
        assert tags_of(session, 3) == {"ann": ["old"]}
        id = session.next("ann")
        session.skip(id, "dark", "ann")
        view.tag(id, ["a;b"], "ann")
        (answer,) = session.answers(id).answers
        assert (answer.label, answer.reason, answer.tags) == (None, "dark", ["a;b"])


def test_the_command(folder, path, command):
    rows, out = folder / "rows.csv", folder / "out.csv"
    write_rows(rows, [{"text": f"a text on {n}"} for n in range(30)])
    same = ["label", rows, "--text", "text", "--out"]
    tags = ["--classes", "no,yes", "--tags", "old,no text"]
    assert "[t2] no text ✓" in command(*same, path, *tags, answers="t2\nyes\nno\n")[0]
    said, _ = command("label", path, "--export", out, "--tag", "no text")
    assert "Labels in" in said
    assert [line["tags"] for line in read_rows(out)] == ["no text"]
    renamed = ["--rename", "no text=empty", "--change", "tags"]
    assert "[t2] empty" in command(*same, path, *renamed)[0]
    assert select(path, "SELECT tags FROM answers")[0] == '["empty"]'
    one = ["--classes", "no,yes", "--tags", "old"]  # one tag is enough
    assert "[t1] old ✓" in command(*same, folder / "b", *one, answers="t1\nyes\n")[0]
    for argv, why in (
        (["--tags", "old,old"], "given twice"),
        (["--tags", "old,empty,third"], "--change tags"),
        (["--tag", "old"], "--export"),
        (["--export", out, "--tag", "nothing"], "must be among"),
    ):
        assert why in command(*same, path, *argv, code=2)[1]
