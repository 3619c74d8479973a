"""The command that finds all rows with a label."""

import csv
import sys

import numpy as np
import pytest

from sklearn_activelearn.__main__ import main
from sklearn_activelearn._cli import label as label_command
from sklearn_activelearn._cli.labelled_data import read_labelled
from sklearn_activelearn._cli.tasks import read_task
from sklearn_activelearn._statistics import Reads
from sklearn_activelearn._tables.tables import read_table
from sklearn_activelearn.evaluation import recall_price
from sklearn_activelearn.evaluation._recall import price_of, read_by
from sklearn_activelearn.labeling import LabelingSession, load_model
from sklearn_activelearn.labeling._export import stored_state
from sklearn_activelearn.labeling._own_score import recall_sentence
from sklearn_activelearn.labeling._view import LabelingView
from sklearn_activelearn.pool import RecallTarget, RelevanceSamplingClassifier

WORDS = ["apple", "pear", "plum", "fig", "kiwi", "lime", "nut", "oat", "rye", "hop"]


@pytest.fixture
def refs(tmp_path):
    """A file of 120 titles, of which 20 are relevant."""
    rng = np.random.default_rng(0)
    file = tmp_path / "refs.csv"
    with file.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines)
        writer.writerow(["title", "include"])
        for i in range(120):
            relevant = i % 6 == 0
            words = [*rng.choice(WORDS, 5), "stroke" if relevant else "soil", f"n{i}"]
            writer.writerow([" ".join(words), "yes" if relevant else "not yes"])
    return file


def label(refs, *argv):
    out = refs.with_suffix(".session")
    return main(["label", str(refs), "--text", "title", "--out", str(out), *argv])


def test_it_ends_when_the_recall_is_certain(refs, capsys):
    argv = ["--find", "yes", "--recall", "0.8", "--labelled", "include"]
    assert label(refs, *argv, "--rehearse", "--test-size", "5") == 0
    out = capsys.readouterr()[0]
    assert out.count("A recall of 80% is certain, at a confidence of 95%: ") == 1


def test_the_price_is_said_when_somebody_stops(refs, capsys, tmp_path):
    answers = tmp_path / "answers"
    answers.write_text("1\n2\n" * 15)
    assert label(refs, "--find", "yes", "--answers", str(answers)) == 0
    assert "15 found of" in (out := capsys.readouterr()[0])
    assert "To a recall of 95%: about" in out


def test_at_a_terminal_the_price_breaks_no_word(refs, capsys, tmp_path, monkeypatch):
    answers = tmp_path / "answers"
    answers.write_text("1\n2\n" * 15)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert label(refs, "--find", "yes", "--answers", str(answers)) == 0
    _, _, price = capsys.readouterr()[0].partition("15 found of")
    assert price.count("\n") > 1
    assert max(map(len, price.splitlines())) <= 60


def test_nothing_is_said_of_the_recall_before_a_relevant_row(refs, capsys, tmp_path):
    answers = tmp_path / "answers"
    answers.write_text("2\n" * 3)
    assert label(refs, "--find", "yes", "--answers", str(answers)) == 0
    assert "No relevant row is known yet among" in capsys.readouterr()[0]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--recall", "0.9", "--classes", "a,b"], "which label is to be found"),
        (["--find", "a", "--classes", "a,b,c"], "--find takes two classes, got 3"),
        (["--find", "d", "--classes", "a,b"], "'d' is none of a, b"),
        (["--find", "a", "--learner", "Passive"], "leave out --learner"),
        (["--find", "a", "--recall", "2"], "2 is not between"),
        (["--find", "a", "--recall", "1"], "only reading all rows makes a recall of 1"),
    ],
)
def test_options_that_do_not_go_together(refs, capsys, argv, message):
    assert label(refs, *argv) == 2
    assert message in capsys.readouterr()[1]
    assert not refs.with_suffix(".session").exists()


def test_a_session_resumes_in_the_middle_of_an_audit(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 4))
    y = X[:, 0] > 1.2
    learner = RelevanceSamplingClassifier(
        positive="yes",
        batch_size=0.1,
        budget=None,
        stopping=RecallTarget(0.8, positive="yes"),
        random_state=0,
    )
    labels, orders = np.where(y, "yes", "no").tolist(), []
    for n_pause in (200, 12):
        path, order, done = tmp_path / f"{n_pause}.session", [], False
        while not done:
            with LabelingSession(
                learner, X, path, ids=range(150), classes=["no", "yes"], ahead=1
            ) as session:
                for _ in range(n_pause):
                    if done := (row := session.next()) is None:
                        break
                    order.append(row)
                    session.label(row, labels[row])
                record = session.learner.record()
                reason = session.stop_reason
        orders.append(order)
        assert "audit" in record["purposes"]
        assert reason == "RecallTarget"
    assert orders[0] == orders[1]


def finding(path, n_labels, n_rows=150, **settings):
    """Return a session of rows with names, with so many labels, and its rows."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n_rows, 4))
    y = np.where(X[:, 0] > 1.2, "yes", "no").tolist()
    params = {"budget": None, "random_state": 0} | settings.pop("learner", {})
    learner = RelevanceSamplingClassifier(
        positive="yes", batch_size=0.1, stopping=RecallTarget(0.8), **params
    )
    names = [f"row{i}" for i in range(n_rows)]
    session = LabelingSession(
        learner, X, path, ids=names, classes=["no", "yes"], **settings
    )
    for _ in range(n_labels):
        if (row := session.next()) is not None:
            session.label(row, y[int(row[3:])])
    session.next()
    return session, X


def test_the_price_is_advice(tmp_path):
    session, X = finding(tmp_path / "a.session", 30)
    with session:
        price = recall_price(session.learner, X, recall=0.8, ids=np.arange(150))
        assert price.found > 5
        assert session.advice() == str(price)
        assert LabelingView(session, "table").progress()["advice"] == str(price)
        assert "missed among 120 unread takes about 3 x 120 / k random" in str(price)


def test_no_more_rows_are_likely_relevant_than_there_are():
    reads = Reads(np.array([True, False]), np.zeros(2, dtype=bool), 12)
    assert price_of(reads, np.full(10, 0.9), 0.95, 0.95).likely == (1, 11)
    assert price_of(reads, np.full(10, 0.2), 0.95, 0.95).likely == (1, 8)


def test_advice_on_the_rows_put_aside_comes_after_the_price(tmp_path):
    session, _ = finding(tmp_path / "a.session", 40, test_size=10)
    with session:
        assert " found of about " in (advice := session.advice())
        assert advice.index(" found of ") < advice.index("rows put aside")


def test_a_session_says_what_is_certain(tmp_path):
    session, _ = finding(tmp_path / "a.session", 50, n_rows=50)
    with session:
        labels = session.status().by_class
        assert session.advice() == (
            "A recall of 80% is certain, at a confidence of 95%: "
            f"{labels['yes']} found in {sum(labels.values())} rows read."
        )


def test_rows_put_aside_are_read_rows_when_it_is_certain(tmp_path):
    session, _ = finding(tmp_path / "a.session", 100, n_rows=100, test_size=40)
    with session:
        assert session.stop_reason == "RecallTarget"
        labels = session.status().by_class
        in_test = [session._state.decision(id).label for id in session._state.test]
        assert "yes" in in_test
        assert session.advice().startswith(
            "A recall of 80% is certain, at a confidence of 95%: "
            f"{labels['yes']} found in {sum(labels.values())} rows read. "
        )
        session.skip(next(iter(session._state.test)))
        assert f" found in {sum(labels.values()) - 1} rows read. " in session.advice()
        recorded = session._worker.recorded
        unanswered = dict.fromkeys(recorded.test.tolist())
        sentence = recall_sentence(recorded, unanswered, "RecallTarget")
        assert " is certain" not in sentence
    settings = {"test_size": 42, "change": ["test_size"]}
    session, _ = finding(tmp_path / "a.session", 0, n_rows=100, **settings)
    with session:  # two rows have no label yet
        assert " found of about" in session.advice()


def test_rows_put_aside_count_in_the_price(tmp_path):
    session, _ = finding(tmp_path / "a.session", 70, test_size=40)
    with session:
        labels = session.status().by_class
        assert f"{labels['yes']} found of about" in session.advice()
        assert "missed among 80 unread takes" in session.advice()
        skipped = next(iter(session._state.test))
        session.skip(skipped)
        assert "in 69 of 149 read" in session.advice()


def test_rows_that_were_drawn_count_beside_rows_put_aside(tmp_path):
    rng = np.random.default_rng(2)
    X, aside = rng.normal(size=(200, 4)), {0: True, 1: False, 2: None}
    y = X[:, 0] > 0.5
    learner = RelevanceSamplingClassifier(budget=30, batch_size=10, random_state=0)
    learner.set_params(stopping=None, explore=0.2)
    for _ in range(3):
        rows = learner.query(X, exclude=[*aside, 3])
        learner.teach(X[rows], y[rows], classes=[False, True])
    rest = np.arange(4, 200)
    alone, p_alone = read_by(learner, X[rest], None, None)
    reads, p = read_by(learner, X, None, None, [3], aside)
    assert alone.drawn.any()
    assert reads.relevant.tolist() == [True, False, *alone.relevant]
    assert reads.drawn.tolist() == [False, False, *alone.drawn]
    assert reads.n_rows == 199
    assert len(p) == reads.n_unread
    np.testing.assert_allclose(p[1:], p_alone)


def test_no_bound_while_rows_are_out_that_could_not_be_drawn(tmp_path):
    session, _ = finding(tmp_path / "a.session", 110, learner={"explore": 0.5})
    with session:
        assert " At least " in session.advice()
        recorded, state = session._worker.recorded, session._state
        out = next(row for row in range(150) if f"row{row}" not in state.asked)
        for decision, has_bound in ((None, False), (state.decision("row0"), True)):
            recorded.asked_before = np.array([out])
            found = recall_sentence(recorded, {out: decision}, None)
            assert (" At least " in found) == has_bound


def test_a_budget_without_a_relevant_row(tmp_path):
    few = {"budget": 1, "random_state": 1}
    session, _ = finding(tmp_path / "a.session", 1, learner=few)
    with session:
        advice = session.advice()
        assert advice.startswith("No relevant row is known yet among 1 labels taught")
        assert advice.endswith("The budget is spent: a larger one goes on.")
    session, _ = finding(tmp_path / "b.session", 0)
    with session:
        assert session.advice() == "No row has a label yet."


def test_texts_are_ranked_by_words_and_directions(refs, capsys, tmp_path):
    pytest.importorskip("skops")
    model, predicted = tmp_path / "model.skops", tmp_path / "predicted.csv"
    argv = ["--find", "yes", "--start-with", "stroke", "--labelled", "include"]
    assert label(refs, *argv, "--save-model", str(model)) == 0
    assert "up to 100 principal directions of 120 texts" in capsys.readouterr()[1]
    begun = stored_state(refs.with_suffix(".session")).begin["learner"]["params"]
    assert begun["estimator"]["class"].endswith(".RankAverageClassifier")
    assert begun["initial"]["params"]["words"] == "stroke"
    assert main(["predict", str(model), str(refs), "--out", str(predicted)]) == 0
    scores = load_model(model).decision_function(read_table(refs))
    assert {*np.argsort(-scores)[:20] % 6} == {0}
    assert capsys.readouterr()[0].endswith("120 predicted.\n")


def test_the_words_to_start_with_are_those_of_the_texts(refs):
    task = read_task(refs, text="title", start_with="stroke", n_directions=5)
    scores = task.start(task.X)
    assert task.X.shape[1] == len(task.encoder.vectorizer_.vocabulary_) + 5
    assert {*np.argsort(-scores)[:20] % 6} == {0}
    words = read_task(refs, text="title", start_with="stroke")
    np.testing.assert_allclose(scores, words.start(words.X), atol=1e-5)


def test_a_session_that_began_without_directions_goes_on_without(
    refs, capsys, tmp_path, monkeypatch
):
    answers = tmp_path / "answers"
    answers.write_text("1\n2\n")
    argv = ["--find", "yes", "--answers", str(answers)]
    with monkeypatch.context() as patch:
        patch.setattr(label_command, "n_directions_for", lambda args, begun: 0)
        assert label(refs, *argv) == 0
    assert label(refs, *argv) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.count("The same command resumes.") == 2


RIS = """TY  - JOUR
T1  - A stroke trial
AU  - Doe, J.
AU  - Roe, R.
N2  - Walking again
DO  - https://doi.org/10.1/AB
ER  -

TY  - JOUR
TI  - A Stroke Trial.
PY  - 2001
C1  - yes
ER  -

TY  - JOUR
TI  - Something else
DO  - 10.1/ab
ER  -

TY  - JOUR
TI  - A stroke trial
DO  - 10.1/cd
ER  -
"""
BIB = r"""
@article{a1, title = {A {S}troke trial of M{\"u}ller}, abstract = {Walking}}
@article{a1, title = "Soil", doi = {10.1/ab}, note = much}
@string{much = "of {\'e}t{\'e}"}
"""


def test_references_of_ris_are_shown_once(tmp_path, capsys):
    pytest.importorskip("rispy")
    file = tmp_path / "refs.ris"
    file.write_text(RIS, encoding="utf-8-sig")
    task = read_task(file, text=("title", "abstract"), labelled="custom1")
    assert task.items == ["A stroke trial\n\nWalking again", "A stroke trial"]
    assert task.known == {1: "yes"}
    assert list(task.ids) == [1, 2]
    assert capsys.readouterr()[1].startswith("2 of 4 rows have the DOI or the title")
    table = read_table(file)
    assert table.columns["authors"][0] == "Doe, J.; Roe, R."
    assert table.columns["year"] == ["", "2001", "", ""]


def test_references_of_bibtex(tmp_path):
    pytest.importorskip("bibtexparser", "2")
    file = tmp_path / "refs.bib"
    file.write_text(BIB, encoding="utf-8")
    table = read_table(file)
    assert table.columns["title"] == ["A Stroke trial of Müller", "Soil"]
    assert table.columns["note"] == ["", "of été"]
    assert table.columns["doi"] == ["", "10.1/ab"]
    file.write_text(f"{BIB}\n@article{{a2, title = {{x}}", encoding="utf-8")
    with pytest.raises(ValueError, match="line 6: this reference cannot be read"):
        read_table(file)


@pytest.mark.parametrize("end", [".ris", ".bib"])
def test_files_without_references(tmp_path, end):
    pytest.importorskip({".ris": "rispy", ".bib": "bibtexparser"}[end])
    file = tmp_path / f"refs{end}"
    file.write_text("title,label\na,b\n", encoding="utf-8")
    with pytest.raises(ValueError, match=f"no reference in this {end} file"):
        read_table(file)
    file.write_bytes(b"TI  - \xff")
    with pytest.raises(ValueError, match="no text in UTF-8"):
        read_table(file)


@pytest.mark.parametrize("end", [".ris", ".bib"])
def test_references_without_what_reads_them(tmp_path, monkeypatch, capsys, end):
    for package in ("rispy", "bibtexparser"):
        monkeypatch.setitem(sys.modules, package, None)
    file = tmp_path / f"refs{end}"
    file.write_text(RIS, encoding="utf-8")
    assert label(file, "--find", "yes") == 2
    package = {".ris": "rispy", ".bib": "bibtexparser>=2"}[end]
    assert f'pip install "{package}"' in capsys.readouterr()[1]
    assert main(["compare", "--data", str(file), "--target", "c", "--find", "y"]) == 2
    assert f'pip install "{package}"' in capsys.readouterr()[1]


def test_rows_of_a_table_are_shown_once_where_all_are_to_be_found(tmp_path, capsys):
    file = tmp_path / "refs.csv"
    lines = ["A, b", "a b!", "Soil of hills", "Ä ö", "soil of  hills", ""]
    file.write_text(
        "Title,DOI\n" + "".join(f'"{t}",\n' for t in lines) + "Other,doi:10.1/x.\n"
        "More,10.1/X\n",
        encoding="utf-8",
    )
    kept = read_task(file, text="Title", once=True)
    assert kept.items == ["A, b", "Soil of hills", "Ä ö", "", "Other"]
    assert "3 of 8 rows" in capsys.readouterr()[1]
    assert len(read_task(file, text="Title").items) == 8
    answers = tmp_path / "answers"
    answers.write_text("1\n")
    argv = ["label", str(file), "--text", "Title", "--answers", str(answers)]
    assert main([*argv, "--out", f"{file}.a", "--find", "x"]) == 0
    assert stored_state(tmp_path / "refs.csv.a").begin["pool"]["n_rows"] == 5
    assert main([*argv, "--out", f"{file}.b", "--classes", "x,y"]) == 0
    assert stored_state(tmp_path / "refs.csv.b").begin["pool"]["n_rows"] == 8


@pytest.fixture
def doubles(tmp_path):
    """A file of references, of which one comes twice with different answers."""
    file = tmp_path / "doubles.csv"
    lines = [f"Title {i},{'yes' if i % 3 == 0 else 'no'}" for i in range(30)]
    lines += ["title 3.,no", "Title 4,no", "Title 5,", "Title 7, no "]
    file.write_text("\n".join(["title,include", *lines]))
    return file


def test_references_with_different_labels_have_none(doubles, capsys):
    task = read_task(doubles, text="title", labelled="include", once=True)
    err = capsys.readouterr()[1]
    assert "4 of 34 rows have the DOI or the title of one before" in err
    assert "1 of these have different labels: they count as unlabelled" in err
    assert len(task.ids) == 30
    assert len(task.known) == 29
    assert task.ids[3] not in task.known


def test_references_with_different_labels_are_not_compared(doubles, capsys):
    data = read_labelled(doubles, target="include", once=True)
    assert "1 of these have different labels: they are left" in capsys.readouterr()[1]
    assert len(data.y) == 29


def test_no_reference_is_left_to_compare(tmp_path, capsys):
    file = tmp_path / "all.csv"
    file.write_text("title,include\nOne,yes\nOne,no\n")
    argv = ["compare", "--data", str(file), "--target", "include", "--find", "yes"]
    assert main(argv) == 2
    assert "no row is left: each comes twice" in capsys.readouterr()[1]
