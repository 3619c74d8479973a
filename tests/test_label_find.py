"""Finding all rows of a class: the command, its references, and what a session says."""

import re
import sys

import numpy as np
import pytest

from sklearn_activelearn.__main__ import main
from sklearn_activelearn.evaluation import recall_price
from sklearn_activelearn.labeling import LabelingSession, load_model
from sklearn_activelearn.pool import RecallTarget, RelevanceSamplingClassifier
from tests.reference.labeling import answer_rows, read_rows, write_rows

pytestmark = pytest.mark.usefixtures("quick_blend")

WORDS = ["apple", "pear", "plum", "fig", "kiwi", "lime", "nut", "oat", "rye", "hop"]
CERTAIN = "A recall of 80% is certain, at a confidence of 95%."


@pytest.fixture
def refs(folder):
    """A file of 120 titles, of which 20 are relevant."""
    rng = np.random.default_rng(0)
    file, rows = folder / "refs.csv", []
    for i in range(120):
        kind, include = ("soil", "not yes") if i % 6 else ("stroke", "yes")
        words = [*rng.choice(WORDS, 5), kind, f"n{i}"]
        rows.append({"title": " ".join(words), "include": include})
    write_rows(file, rows)
    return file


@pytest.fixture
def label(command):
    """Run the command with answers; return its output and its messages."""

    def run(file, *argv, text="title", more=(), **options):
        out = "--out", f"{file}.sqlite"
        return command("label", file, *more, "--text", text, *out, *argv, **options)

    return run


class TestCommand:
    def test_it_ends_when_the_recall_is_certain(self, refs, label):
        """The classes are the labels of the column."""
        lines = refs.read_text().replace("not yes", "no").splitlines()
        refs.write_text("\n".join(lines[:61]))
        argv = ["--find", "yes", "--recall", "0.8", "--labelled", "include"]
        out, _ = label(refs, *argv, "--rehearse", "--test-size", "5")
        assert out.count(CERTAIN) == 1
        refs.write_text(refs.read_text().replace("no\n", "perhaps\n", 2))
        _, err = label(refs, *argv, "--rehearse", "--test-size", "5", code=2)
        assert "one other class are needed, got yes, no, perhaps" in err

    def test_the_price_is_said_when_somebody_stops(self, refs, label):
        out, _ = label(refs, "--find", "yes", answers="1\n2\n" * 8)
        found, left, price, waiting = out.splitlines()[-4:]
        n_read = int(found.split(" in ")[1].split()[0])
        assert n_read < 16
        assert (
            waiting == f"Labels of an unfinished batch, not counted yet: {16 - n_read}."
        )
        assert found.startswith("Found: 8 in ")
        assert left.startswith("Estimated left: ")
        assert price.startswith("To be 95% certain of a recall of 95%: about ")

    def test_nothing_is_said_of_the_recall_before_a_relevant_row(self, refs, label):
        out, _ = label(refs, "--find", "yes", answers="2\n" * 3)
        assert "No relevant row is known yet" in out

    def test_texts_are_ranked_by_words_and_directions(
        self, refs, label, folder, command
    ):
        pytest.importorskip("skops")
        model, predicted = folder / "model.skops", folder / "predicted.csv"
        argv = ["--find", "yes", "--start-with", "stroke", "--labelled", "include"]
        label(refs, *argv, "--save-model", model)
        command("predict", model, refs, "--out", predicted)
        rows = read_rows(predicted)
        scores = load_model(model).decision_function(
            {"title": [row["title"] for row in rows]}
        )
        assert {*np.argsort(-scores)[:20] % 6} == {0}


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
C1  - no
ER  -
"""
PREDICT = ["--classes", "yes,no", "--predict"]


class TestReferences:
    def test_ris(self, folder, label):
        file, out = folder / "refs.ris", folder / "out.csv"
        file.write_text(RIS, encoding="utf-8-sig")
        how = ["--labelled", "C1", "--twins", "ask"]
        _, err = label(file, *how, *PREDICT, out)
        assert "1 of 4 rows are the same reference as an earlier row" in err
        assert "keeps them): 2 = 1" in err
        first, other, last = read_rows(out)
        assert (first["label"], last["label"]) == ("yes", "no")
        assert first["authors"] == "Doe, J.; Roe, R."
        assert first["abstract"] == "Walking again"
        assert first["year"] == "2001"  # from the second one
        assert (other["title"], last["title"]) == ("Something else", "A stroke trial")
        options = "--keep-duplicates", "--out", folder / "all.sqlite"
        label(file, *options, "--labelled", "C1", *PREDICT, out)
        assert len(read_rows(out)) == 4

    def test_several_files(self, folder, label, capsys):
        ris, table, out = (folder / n for n in ("refs.ris", "new.csv", "labels.csv"))
        ris.write_text(RIS, encoding="utf-8-sig")
        table.write_text(
            "Title,DOI\nA stroke trial,10.1/CD\nTrees,\n", encoding="utf-8"
        )
        argv = "--labelled", "C1", "--export", out
        printed, err = label(ris, *argv, more=[table])
        assert "classes: no, yes" in err  # of --labelled
        assert f"{table} has the rows 5 to 6." in err
        assert "2 of 6 rows are the same reference as an earlier row" in err
        repeated = folder / "refs.ris.sqlite.duplicates.csv"
        assert f"which are left out: 2 (they are in {repeated})" in printed
        sources = [row["source file"] for row in read_rows(repeated)]
        assert sources == [f"{ris}", f"{table}"]
        assert main(["label", f"{ris}.sqlite", "--export", f"{out}"]) == 0
        assert (
            f"which are left out: 2 (they are in {repeated})" in capsys.readouterr()[0]
        )
        for file, message in (
            (ris, "refs.ris is given twice"),
            (folder, "is a folder, which is read alone"),
            (folder / "refs.ris.sqlite", "is a labelling session"),
            (folder / "missing.csv", "missing.csv: No such file"),
        ):
            _, err = label(ris, *PREDICT, out, more=[file], code=2)
            assert message in err

    @pytest.mark.parametrize("end", [".ris", ".bib"])
    def test_files_without_references(self, folder, label, end, monkeypatch):
        file = folder / f"refs{end}"
        file.write_text("title,label\na,b\n", encoding="utf-8")
        _, err = label(file, *PREDICT[:2], code=2)
        assert "no reference in this file" in err
        file.write_bytes(b"TI  - \x81")
        _, err = label(file, *PREDICT[:2], code=2)
        assert "not in UTF-8" in err
        monkeypatch.setitem(sys.modules, "charset_normalizer", None)
        _, err = label(file, *PREDICT[:2], code=2)
        assert "or pip install charset-normalizer" in err
        monkeypatch.setitem(sys.modules, "bibtexparser", None)
        file.write_text("@article{a1, title = {Soil}}", encoding="utf-8")
        _, err = label(file, *PREDICT[:2], code=2)
        assert 'pip install "bibtexparser>=2"' in err

    @pytest.fixture
    def doubles(self, folder):
        """A file of references, of which one comes twice with different answers."""
        file = folder / "doubles.csv"
        lines = [f"Title {i},{'yes' if i % 3 == 0 else 'no'}" for i in range(30)]
        lines += ["title 3.,no", "Title 4,no", "Title 5,", "Title 7, no "]
        file.write_text("\n".join(["title,include", *lines]))
        return file

    def test_rows_of_a_table_are_shown_once_where_all_are_to_be_found(
        self, folder, label
    ):
        file, out = folder / "refs.csv", folder / "out.csv"
        lines = ["A, b", "a b!", "Soil of hills", "Ä ö", "soil of  hills", "x"]
        file.write_text(
            "Title,DOI\n" + "".join(f'"{t}",\n' for t in lines) + "Other,doi:10.1/x.\n"
            "More,10.1/X\n",
            encoding="utf-8",
        )
        argv = ["--find", "x", "--classes", "x,y"]
        _, err = label(file, *argv, answers="1\n2\n", text="Title")
        assert "keeps them): 2 = 1, 5 = 3" in err
        label(file, *argv, "--predict", out, text="Title")
        titles = [row["Title"] for row in read_rows(out)]
        assert titles == ["A, b", "Soil of hills", "Ä ö", "x", "Other", "More"]
        argv = ["--classes", "x,y", "--out", folder / "other"]
        label(file, *argv, answers="1\n2\n", text="Title")
        label(file, *argv, "--predict", out, text="Title")
        assert len(read_rows(out)) == 8

    def test_references_with_different_labels_have_none(self, doubles, label, folder):
        argv = ["--find", "yes", "--classes", "yes,no", "--labelled", "include"]
        _, err = label(doubles, *argv, "--predict", folder / "out.csv")
        assert "4 of 34 rows are the same reference as an earlier row" in err
        assert "1 of these references have different labels: they are unlabelled" in err
        rows = read_rows(folder / "out.csv")
        assert [row["origin"] for row in rows].count("given") == 29
        assert rows[3]["origin"] == "predicted"

    def test_references_with_different_labels_are_not_compared(self, doubles, command):
        argv = ["compare", "--data", doubles, "--target", "include", "--find", "yes"]
        err = command(*argv, "--repeats", "1").err
        assert "1 of these references have different labels: they are left out" in err
        assert "29 rows, 9 of them yes" in err
        doubles.write_text("title,include\nOne,yes\nOne,no\n")
        assert "no row is left: each comes twice" in command(*argv, code=2).err


def finding(path, n_labels, n_rows=150, cut=1.2, **settings):
    """Return a session of rows with names that has labels, and its rows."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n_rows, 4))
    y = np.where(X[:, 0] > cut, "yes", "no").tolist()
    params = {"budget": None, "random_state": 0, "stopping": RecallTarget(0.8)}
    params |= settings.pop("learner", {})
    learner = RelevanceSamplingClassifier(positive="yes", batch_size=0.1, **params)
    names = [f"row{i}" for i in range(n_rows)]
    session = LabelingSession(
        learner, X, path, ids=names, classes=["no", "yes"], **settings
    )
    answer_rows(session, lambda row: y[int(row[3:])], n_labels)
    session.next()
    return session, X


class TestSession:
    def test_held_out_rows_are_read_rows_when_it_is_certain(self, folder):
        session, _ = finding(folder / "a.session", 100, n_rows=100, test_size=40)
        with session:
            assert session.stop_reason == "RecallTarget"
            labels = session.status().by_class
            assert "yes" in session.test_labels().values()
            found = f"Found: {labels['yes']} in {sum(labels.values())} rows read.\n"
            assert session.advice().startswith(found + CERTAIN)
            not_found = next(
                row for row, label in session.test_labels().items() if label == "no"
            )
            session.skip(not_found)
            assert f" in {sum(labels.values()) - 1} rows read.\n" in session.advice()
        settings = {"test_size": 42, "change": ["test_size"]}
        session, _ = finding(folder / "a.session", 0, n_rows=100, **settings)
        with session:  # two rows have no label yet
            assert CERTAIN not in session.advice()

    @pytest.mark.parametrize("cut", [1.2, 9.0])
    def test_nothing_is_estimated_when_all_rows_are_read(self, folder, cut):
        """Neither the recall nor the worth of more labels; blank rows do not count."""
        settings = {"stopping": RecallTarget(0.99)}
        items = ["" if i % 3 == 0 else f"text {i}" for i in range(60)]
        session, _ = finding(
            folder / "a.session", 40, 60, cut, learner=settings, items=items,
            test_size=8,
        )  # fmt: skip
        with session:
            assert session.stop_reason == "no rows"
            n_found = session.status().by_class.get("yes", 0)
            assert (n_found > 0) == (cut < 9)
            lines = session.advice().splitlines()
        assert lines[0] == f"Found: {n_found} in 40 rows read."
        assert "no relevant row is missed" in lines[1]
        assert "The next" not in lines[2]

    def test_no_more_labels_are_valued_than_rows_are_left(self, folder):
        session, _ = finding(folder / "a.session", 38, 44, test_size=12)
        with session:
            advice = session.advice()
        n_labels, n_next = re.search(r"With (\d+) .*The next (\d+) ", advice).groups()
        assert 1 <= int(n_next) == 44 - 12 - int(n_labels) < int(n_labels)

    @pytest.mark.parametrize("n_labels", [10, 25, 60])
    def test_the_rows_to_the_recall_are_a_range(self, n_labels, folder):
        session, X = finding(folder / "a.session", n_labels)
        with session:
            told = session.advice().splitlines()[1]
            price = recall_price(session.learner, X, recall=0.8, ids=range(len(X)))
        least, most = price.likely_rows
        reach = f"Likely {least} to {most} more rows reach a recall of 80%"
        chance = f"(chance {price.p_reached:.0%})."
        assert (f"{reach}." in told) == (n_labels == 10)
        assert (f"{reach}, unless it is reached already {chance}" in told) == (
            10 < n_labels < 60
        )
        last = f"The chance that a recall of 80% is reached already is {chance[8:11]}."
        assert (last in told) == (n_labels == 60)

    def test_held_out_rows_count_in_the_price_and_blank_ones_do_not(self, folder):
        items = [*["text"] * 150, *[""] * 9]
        options = {"test_size": 40, "items": items, "twins": "ask"}
        session, _ = finding(folder / "a.session", 70, 159, **options)
        with session:
            labels = session.status().by_class
            first, *rest = session.advice().splitlines()
            assert first == f"Found: {labels['yes']} in 70 of 150 rows read."
            assert rest[0].startswith("Estimated left: ")
            session.skip(session.test_ids[0])
            assert " in 69 of 149 rows read." in session.advice()
