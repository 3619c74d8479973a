"""Exports: whole or not at all, never onto a session, and the same when they return."""

import csv
import json
import re
import sqlite3
from contextlib import nullcontext
from pathlib import Path
from warnings import catch_warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession, export
from tests.reference.labeling import answer_rows, labels_of
from tests.reference.session_files import n_answers, select

X, y = make_classification(30, 4, random_state=5)
LEARNER = UncertaintySamplingClassifier(
    GaussianNB(), n_initial=4, batch_size=3, budget=20, random_state=0
)


def opened(path, **options):
    return LabelingSession(LEARNER, X, path, **{"ids": list(range(30)), **options})


def label_some(session, n, who=None):
    answer_rows(session, lambda id: int(y[id]), n, who)


@pytest.mark.parametrize("link", ["", "symlink_to", "hardlink_to"])
def test_an_export_never_takes_the_place_of_a_session(folder, link):
    path, other = folder / "labels.csv", folder / "other.json"
    opened(other).close()
    with opened(path) as session:
        label_some(session, 5)
        out = folder / f"{link}.csv" if link else path
        if link:
            getattr(out, link)(path)
        before = path.read_bytes(), other.read_bytes()
        for write in session.export, lambda out: export(path, out):
            for place in out, other:
                with pytest.raises(ValueError, match="is a labelling session"):
                    write(place)
        with pytest.raises(ValueError, match="is the session that is open"):
            session.import_labels(path)
        assert (path.read_bytes(), other.read_bytes()) == before
        label_some(session, 1)
    with pytest.raises(ValueError, match="is a labelling session"):
        export(path, out)
    assert n_answers(path) == 6


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_a_full_disk_leaves_the_file_that_was_there(folder, suffix, small_files):
    out = folder / f"labels.{suffix}"
    with opened(folder / "a") as session:
        label_some(session, 10)
        assert session.export(out) == 10
        out.chmod(0o640)
        before = out.read_bytes()
        label_some(session, 5)
        small_files(200)
        with pytest.raises(
            OSError, match=r"labels\.\w+ was not written .*is unchanged"
        ):
            session.export(out)
        small_files(-1)
        assert out.read_bytes() == before
        assert {each.name for each in folder.iterdir()} == {"a", "a.lock", out.name}
        assert session.export(out) == 15
        assert out.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link_and_a_folder_is_refused(folder):
    (folder / "real.csv").touch()
    (folder / "link.csv").symlink_to("real.csv")
    (folder / "folder.csv").mkdir()
    with opened(folder / "a") as session:
        label_some(session, 5)
        assert session.export(folder / "link.csv") == 5
        assert (folder / "link.csv").is_symlink()
        assert len((folder / "real.csv").read_text().splitlines()) == 6
        with pytest.raises(ValueError, match=r"folder\.csv is not a file"):
            session.export(folder / "folder.csv")
        with pytest.raises(FileNotFoundError) as error:
            session.export(folder / "none" / "labels.csv")
        assert "labels.csv was not written (No such file" in f"{error.value}"


# --- there and back

LABELS = [[1, -3, 10**18], [2.5, 1e-7, 3], [True, False]]
TEXTS = [
    "1", "-3", "1e5", "True", " 7", "007", "nan", "good", "=1+1", "'", "''", "'=x",
    "'1", "\n=1", "\t", "＝1", "＋1", "－1", "＠x", "a;=b", "", "é", "a\r\nb", "\\",
]  # fmt: skip
NAMES = [
    "ann", "a;b", "'ann", ";", "\\", "\\;", "a\\;b", "=x", "\n=x", "＝x", "5", "a\\",
    "ann ", "'5",
]  # fmt: skip


def answers_of(path):
    """Return the labels of a session by id, with their kind, and who gave them."""
    answers, kinds = {}, {}
    (kind,) = select(path, "SELECT value FROM settings WHERE name = 'label_kind'")
    for id, label, who in select(path, "SELECT id, label, who FROM answers"):
        kinds[id] = kind
        answers.setdefault(id, []).append((repr(label), who))
    return {id: (kinds[id], sorted(each, key=repr)) for id, each in answers.items()}


def there_and_back(folder, suffix, labels, ids=None, **options):
    """Label rows, export, import into a new session; return what both have."""
    ids, out = ids or list(range(30)), folder / f"out.{suffix}"
    with opened(folder / "a", ids=ids, **options) as session:
        for id, answer in zip(ids, labels, strict=False):
            for who, label in answer:
                session.label(id, label, who)
        n_rows = session.export(out)
    with opened(folder / "b", ids=ids, **options) as session:
        assert session.import_labels(out) == sum(map(len, labels))
        assert session.export(out) == n_rows
    before, after = answers_of(folder / "a"), answers_of(folder / "b")
    for name in "a", "b":
        (folder / name).unlink()
    return before, after


@pytest.mark.parametrize("suffix", ["csv", "json"])
@pytest.mark.parametrize(
    ("labels", "are_declared"),
    [
        *((each, False) for each in (*LABELS, TEXTS)),
        *((each, True) for each in (LABELS[0], TEXTS[:2])),
    ],
)
def test_labels_come_back_as_they_were(folder, suffix, labels, are_declared):
    classes = labels if are_declared else None
    answers = [[(None, label)] for label in labels]
    before, after = there_and_back(folder, suffix, answers, classes=classes)
    assert before == after
    assert len(before) == len(labels)


awkward = st.sampled_from([*filter(None, TEXTS), *NAMES]) | st.text(
    "=+-@\t\r\n'＝＋－＠;\\1 a\x1b,\"", min_size=1, max_size=4
)


@pytest.mark.hypothesis
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    labels=st.lists(awkward, min_size=3, max_size=3),
    names=st.lists(awkward.filter(str.strip), min_size=2, max_size=3, unique=True),
    ids=st.lists(awkward, min_size=30, max_size=30, unique=True),
    suffix=st.sampled_from(["csv", "json"]),
    is_declared=st.booleans(),
)
def test_whatever_the_texts_are_they_come_back(
    folder, labels, names, ids, suffix, is_declared
):
    answers = [[(who, label) for who in names] for label in labels]
    classes = sorted({*labels, "other"}) if is_declared else None
    options = {"ids": ids, "votes": 2, "classes": classes}
    before, after = there_and_back(folder, suffix, answers, **options)
    assert before == after


def test_no_cell_is_a_formula(folder):
    with opened(
        folder / "a", ids=[*TEXTS, *(f"row {i}" for i in range(30 - len(TEXTS)))]
    ) as session:
        for id, text in zip(session.ids, TEXTS, strict=False):
            session.label(id, text, "=ann")
        session.export(folder / "out.csv")
    with open(folder / "out.csv", newline="", encoding="utf-8") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    parts = [part for cell in cells for part in re.split(r";\s*", cell)]
    assert not [part for part in parts if part.startswith(tuple("=+-@\t\r\n＝＋－＠"))]


@pytest.mark.parametrize(
    ("content", "labels"),
    [
        ("id,label\n1,1\n2,2\n", [1, 2]),
        ("id,label\n1,1\n2,two\n", ["1", "two"]),
        ("id,label\n1,'tis\n2,good\n", ["'tis", "good"]),
        ("id,label,who\n1,a,ann;\n2,b,\n", ["a", "b"]),
        ('id,label\n1,"' + "a" * 200_000 + '"\n', ["a" * 200_000]),
    ],
)
def test_a_csv_of_somebody_else(folder, content, labels):
    (folder / "in.csv").write_text(content)
    with opened(folder / "a") as session:
        assert session.import_labels(folder / "in.csv") == len(labels)
        assert list(session.status().by_class) == labels


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("in.csv", b"id,label\n1,1\n99,2\n", "no row with the id '99'"),
        ("in.csv", b"text,label\n", r"the columns id and label\. It has text, label"),
        ("in.txt", b"", r"must end in \.csv or \.json"),
        ("in.csv", b"id,label\n1\n", "in.csv, line 2: no label"),
        ("in.csv", b"id,label\n1,\xff\n", "not encoded as UTF-8"),
        (
            "in.csv",
            b'id,label\n1,"' + b"a" * 2**24 + b'a"',
            "not a valid CSV file: field",
        ),
        ("in.json", b"[" * 100_000, "not an export of Label Studio"),
        ("in.json", b"[1]", "not an export of Label Studio"),
        ("in.json", b'[{"meta": 3, "annotations": []}]', "not an export"),
        *(
            ("in.jsonl", b'{"id": 3, "label": "7"}\n' + line, message)
            for line, message in (
                (b"{", "line 2: this is no JSON object"),
                (b"[1]", "line 2: this is no JSON object"),
                (b'{"text": "x", "label": "7"}', "line 2: there is no id"),
                (b'{"id": 4, "label": ["1", "7"]}', r"it has the labels \['1', '7'\]"),
                (b'{"id": 4, "label": [[0, 3, "ORG"]]}', "line 2: it has the labels"),
                (b'{"id": 99, "label": ["1"]}', "no row with the id"),
            )
        ),
    ],
)
def test_files_that_hold_no_labels(folder, name, content, message):
    (folder / name).write_bytes(content)
    with opened(folder / "a") as session, pytest.raises(ValueError, match=message):
        session.import_labels(folder / name)
    assert n_answers(folder / "a") == 0


@pytest.mark.parametrize("tasks", ["[]", '[{"data": {"id": 1}, "annotations": []}]'])
def test_an_export_without_annotations_is_said(folder, tasks):
    (folder / "in.json").write_text(tasks)
    said = pytest.warns(UserWarning, match=r"in\.json has no annotations")
    with opened(folder / "a") as session, said:
        session.import_labels(folder / "in.json")
    assert n_answers(folder / "a") == 0


def test_an_unpaired_surrogate_is_refused(folder):
    half = "\ud800"
    with opened(folder / "a") as session:
        label_some(session, 4)
        for call in (
            lambda: session.label(0, 1, half),
            lambda: session.label(0, half),
            lambda: session.next(f"a{half}"),
        ):
            with pytest.raises(ValueError, match=r"surrogate|must be a number, like"):
                call()
        assert n_answers(folder / "a") == 4
    for change in {"ids": [*range(29), half]}, {"classes": ["a", half]}:
        with pytest.raises(ValueError, match="surrogate"):
            opened(folder / "c", **change)
    assert not (folder / "c").exists()


# --- rows that are left out


def test_a_file_that_another_program_holds_is_a_sentence(folder, monkeypatch):
    path = folder / "labels.sqlite"
    opened(path).close()
    monkeypatch.setattr(
        "sklearn_activelearn.labeling.storage._schema.READING_WAIT", 0.05
    )
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(BlockingIOError, match=r"labels\.sqlite is held by another"):
        export(path, folder / "out.csv")
    holder.close()
    assert not Path(folder / "out.csv").exists()


# --- gaps among texts


@pytest.mark.parametrize(
    ("kind", "gap"), [(list, None), (np.array, np.nan), ("Series", 3)]
)
def test_a_gap_among_texts_is_named_before_anything_is_bought(folder, gap, kind):
    pandas = pytest.importorskip("pandas")
    texts = [f"text {i}" for i in range(20)]
    texts[7] = gap
    pool = pandas.Series(texts) if kind == "Series" else kind(texts)
    if kind is np.array:
        pool = np.array(texts, dtype=object)
    names = [f"row {i}" for i in range(20)]
    with pytest.raises(ValueError, match="Row 'row 7' of the pool has") as why:
        LabelingSession(LEARNER, pool, folder / "a", ids=names, classes=["a", "b"])
    assert "1 of 20 rows" in f"{why.value}"
    assert list(folder.iterdir()) == []


def studio_task(id, *annotations):
    """Return a task of Label Studio; an annotation is (choice, person, what else)."""
    return {
        "data": {"id": id},
        "annotations": [
            {
                "completed_by": who,
                "result": [{"type": "choices", "value": {"choices": [choice]}}],
                **more,
            }
            for choice, who, more in annotations
        ],
    }


def test_label_studio_cancelled_ground_truth_and_disputes(folder):
    tasks = [
        studio_task(0, ("1", 5, {"was_cancelled": True})),
        studio_task(1, ("1", 5, {"was_cancelled": True}), ("7", 6, {})),
        studio_task(2, ("1", 5, {"ground_truth": True}), ("7", 6, {})),
        studio_task(3, ("1", 5, {}), ("7", 6, {})),
        studio_task(4, ("1", 5, {}), ("1", 6, {})),
    ]
    area = {"type": "textarea", "value": {"text": ["why"]}}
    tasks[4]["annotations"][0]["result"].append(area)
    (folder / "in.json").write_text(json.dumps(tasks))
    with opened(folder / "a") as session:
        with pytest.warns(UserWarning, match=r"in\.json") as found:
            assert session.import_labels(folder / "in.json") == 6
        said = " ".join(str(each.message) for each in found)
        assert "1 of type textarea" in said
        assert "annotations of 1 tasks disagree, for example of 3" in said
        labels = [session.answers(id).label for id in range(5)]
        assert labels[1:] == [7, 1, 7, 1]
        assert session.answers(0).state == "skipped"


def test_label_studio_with_several_choices_is_refused(folder):
    task = studio_task(3, ("1", 5, {}))
    task["annotations"][0]["result"][0]["value"]["choices"] = ["1", "7"]
    (folder / "in.json").write_text(json.dumps([task]))
    with opened(folder / "a") as session:
        with pytest.raises(ValueError, match=r"it has the labels \['1', '7'\]"):
            session.import_labels(folder / "in.json")
        assert n_answers(folder / "a") == 0


LINES = {
    "doccano": [{"id": 3, "text": "x", "label": ["7"]}, {"id": 4, "label": []}],
    "doccano, a text": [{"id": 3, "text": "x", "label": "7"}],
    "Prodigy, choices": [
        {"text": "x", "accept": ["7"], "answer": "accept", "meta": {"id": 3}},
        {"text": "y", "accept": ["1"], "answer": "reject", "meta": {"id": 4}},
        {"text": "z", "accept": [], "answer": "ignore", "meta": {"id": 5}},
    ],
    "Prodigy, one label": [{"meta": {"id": 3}, "label": "7", "answer": "accept"}],
    "spaCy": [{"id": 3, "cats": {"7": 1.0, "1": 0.0}}],
}


@pytest.mark.parametrize("kind", ["json", "jsonl"])
def test_files_of_other_tools_in_other_encodings(folder, kind):
    mark = "\u2028"  # Python splits lines at it, JSON does not
    task = {"id": 3, "text": mark, "label": "7"}
    if kind == "json":
        result = [{"type": "choices", "value": {"choices": ["7"]}}]
        task = [{"data": {"id": 3, "text": mark}, "annotations": [{"result": result}]}]
    text, path = json.dumps(task, ensure_ascii=False), folder / f"in.{kind}"
    with opened(folder / "a", classes=[1, 7, 8]) as session:
        path.write_text(text, encoding="utf-16")
        with pytest.raises(ValueError, match=rf"^in\.{kind} is not encoded as UTF-8"):
            session.import_labels(path)
        path.write_text(text, encoding="utf-8-sig")
        assert session.import_labels(path) == 1


@pytest.mark.parametrize("kind", LINES)
def test_lines_of_other_tools(folder, kind):
    text = "\n".join(json.dumps(each) for each in LINES[kind])
    (folder / "in.jsonl").write_text(f"{text}\n\n")
    with opened(folder / "a", classes=[1, 7, 8]) as session:
        with catch_warnings(record=True, action="always") as found:
            assert session.import_labels(folder / "in.jsonl") == 1
        assert session.answers(3).label == 7
    said = "in.jsonl has examples that give no label, left out: 1 with the answer "
    said += "'reject', 1 with the answer 'ignore'."
    assert [f"{each.message}" for each in found] == [said] * (
        kind == "Prodigy, choices"
    )


TEXTS = [f"mail {i} " + ["cheap pills", "the minutes"][i % 2] for i in range(20)]


def texts_opened(path, items=TEXTS, **settings):
    pool = np.random.RandomState(0).standard_normal((len(items), 3))
    settings = {"ids": range(1, len(items) + 1), "classes": ["spam", "ham"], **settings}
    return LabelingSession(LEARNER, pool, path, items=items, **settings)


def studio_export(texts, choice="spam", **fields):
    """Return tasks as Label Studio exports them: numbers of its own, no data.id."""
    result = {"type": "choices", "from_name": "label", "to_name": "text",
              "value": {"choices": [choice]}}  # fmt: skip
    return [
        {
            "id": 701 + i, "inner_id": i + 1, "project": 3, "meta": {},
            "data": {"text": text, **{name: v[i] for name, v in fields.items()}},
            "annotations": [{"id": 901 + i, "completed_by": 1, "result": [result],
                             "was_cancelled": False, "ground_truth": False}],
            "predictions": [], "drafts": [],
        }
        for i, text in enumerate(texts)
    ]  # fmt: skip


def prodigy_lines(texts, label="spam", answer="accept", **fields):
    """Return examples as Prodigy's textcat.manual and textcat.teach write them."""
    return "\n".join(
        json.dumps({"text": text, "_input_hash": -1437 + i, "_task_hash": 99 + i,
                    "label": label, "answer": answer, "_view_id": "classification",
                    "_annotator_id": "ann", **fields}) for i, text in enumerate(texts)
    )  # fmt: skip


class TestFoundByContent:
    def test_a_plain_export_of_label_studio(self, folder):
        shown = [TEXTS[4], f"  {TEXTS[9]}\n", "a mail that is gone"]
        (folder / "in.json").write_text(json.dumps(studio_export(shown)))
        with texts_opened(folder / "a") as session:
            with pytest.warns(UserWarning, match=r"in.json: 2 of 3 records") as found:
                assert session.import_labels(folder / "in.json") == 2
            assert "1 belong to no row, 0 to several" in f"{found[0].message}"
            assert "'a mail that is gone'" in f"{found[0].message}"
            assert labels_of(session) == {5: "spam", 10: "spam"}

    def test_an_annotation_without_a_choice_gives_no_label(self, folder):
        tasks = studio_export(TEXTS[:2])
        tasks[0]["annotations"][0]["result"] = []
        (folder / "in.json").write_text(json.dumps(tasks))
        with texts_opened(folder / "a") as session:
            assert session.import_labels(folder / "in.json") == 1
            assert labels_of(session) == {2: "spam"}

    @pytest.mark.parametrize("label", ["spam", "ham"])
    def test_prodigy_accepts_and_rejects(self, folder, label):
        lines = [
            prodigy_lines(TEXTS[:3], label),
            prodigy_lines(TEXTS[5:7], label, "reject"),
            prodigy_lines(TEXTS[8:9], label, "ignore"),
        ]
        (folder / "in.jsonl").write_text("\n".join(lines))
        other = {"spam": "ham", "ham": "spam"}[label]
        expected = {1: label, 2: label, 3: label, 6: other, 7: other}
        with texts_opened(folder / "a") as session:
            with pytest.warns(UserWarning, match=r"in\.jsonl") as found:
                assert session.import_labels(folder / "in.jsonl") == 5
            assert labels_of(session) == expected
        said = " ".join(f"{each.message}" for each in found)
        assert "1 with the answer 'ignore'" in said
        assert "records belong" not in said  # all of them have a row

    def test_a_rejected_class_of_three_is_said(self, folder):
        (folder / "in.jsonl").write_text(prodigy_lines(TEXTS[:2], answer="reject"))
        classes = ["spam", "ham", "news"]
        with (
            texts_opened(folder / "a", classes=classes) as session,
            pytest.warns(UserWarning, match="2 with the answer 'reject'"),
        ):
            assert session.import_labels(folder / "in.jsonl") == 0

    def test_numbers_of_another_tool_are_no_row_numbers(self, folder):
        lines = [
            {"id": 1, "text": TEXTS[4], "label": ["spam"]},
            {"id": 5, "text": TEXTS[0], "label": ["ham"]},
            {"id": 7, "text": "of another table", "label": ["ham"]},
        ]
        (folder / "in.jsonl").write_text("\n".join(map(json.dumps, lines)))
        with texts_opened(folder / "a") as session:
            with pytest.warns(UserWarning, match="2 of 3 records"):
                session.import_labels(folder / "in.jsonl")
            assert labels_of(session) == {1: "ham", 5: "spam"}

    def test_equal_texts_are_told_by_their_numbers_or_left_out(self, folder):
        items = [*TEXTS[:5], "same", "same"]
        (folder / "in.json").write_text(json.dumps(studio_export(["same", items[2]])))
        for twins, said, known in (
            ("ask", "0 belong to no row, 1 to several rows", {3: "spam"}),
            ("once", None, {3: "spam", 6: "spam"}),
        ):
            with texts_opened(folder / twins, items, twins=twins) as session:
                with pytest.warns(UserWarning, match=said) if said else nullcontext():
                    session.import_labels(folder / "in.json")
                assert labels_of(session) == known
        line = {"id": 7, "text": "same", "label": "ham"}
        (folder / "in.jsonl").write_text(json.dumps(line))
        with texts_opened(folder / "b", items, twins="ask") as session:
            session.import_labels(folder / "in.jsonl")
            assert labels_of(session) == {7: "ham"}

    @pytest.mark.parametrize("kind", ["in.json", "in.jsonl"])
    def test_a_field_that_is_named_holds_the_ids(self, folder, kind):
        names = [f"T-{i}" for i in range(20)]
        shown = [TEXTS[3], "changed since", TEXTS[5]]
        if kind == "in.json":
            text = json.dumps(studio_export(shown, ticket=[names[3], "T-8", "T-9"]))
        else:
            text = prodigy_lines(shown[:1], meta={"ticket": "T-8", "id": "T-1"})
        (folder / kind).write_text(text)
        rows = ["T-3", "T-8", "T-9"] if kind == "in.json" else ["T-8"]
        with texts_opened(folder / "a", ids=names) as session:
            assert session.import_labels(folder / kind, id_field="ticket") == len(rows)
            assert labels_of(session) == dict.fromkeys(rows, "spam")

    @pytest.mark.parametrize("kind", ["in.json", "in.jsonl", "session"])
    def test_a_file_of_other_rows_is_refused(self, folder, kind):
        others = ["of another table", "and another"]
        why = r"0 of 2 records .* 2 belong to no row.*'of another table.*'\. Name the"
        if kind == "session":
            why = "Nothing of .* belongs to this session: 1 rows that are not here"
            with texts_opened(folder / kind, others, ids=["x", "y"]) as session:
                session.label("x", "spam")
        text = json.dumps(studio_export(others))
        (folder / "in.json").write_text(text)
        (folder / "in.jsonl").write_text(prodigy_lines(others))
        with texts_opened(folder / "a", ids=[f"T-{i}" for i in range(20)]) as session:
            with pytest.raises(ValueError, match=why):
                session.import_labels(folder / kind)
            assert session.status().labelled == 0

    @pytest.mark.parametrize("form", ["dicts", "frame", "columns"])
    def test_rows_of_a_table(self, folder, form):
        table = [{"age": f"{i // 2}", "sex": "fm"[i % 2]} for i in range(20)]
        data = [
            {"age": 3, "sex": "m"},
            {"age": "4", "sex": " f "},
            {"age": 99, "sex": "m"},
        ]
        tasks = [
            {**task, "data": cells}
            for task, cells in zip(studio_export(range(3)), data, strict=True)
        ]
        (folder / "in.json").write_text(json.dumps(tasks))
        items, columns = table, None
        if form == "frame":
            items = pytest.importorskip("pandas").DataFrame(table)
        if form == "columns":
            items = [f"age: {row['age']}\n\nsex: {row['sex']}" for row in table]
            columns = {name: [row[name] for row in table] for name in table[0]}
        with texts_opened(folder / "a", items) as session:
            with pytest.warns(UserWarning, match="2 of 3 records"):
                session.import_labels(folder / "in.json", columns=columns)
            assert labels_of(session) == {8: "spam", 9: "spam"}

    def test_nothing_to_find_a_row_by(self, folder):
        (folder / "in.json").write_text(json.dumps(studio_export(["a", "b"])))
        with (
            opened(folder / "a") as session,
            pytest.raises(ValueError, match=r"in\.json, task 701: there is no id"),
        ):
            session.import_labels(folder / "in.json")
