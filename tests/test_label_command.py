"""The commands label and predict: rows, options, results, and what is refused."""

import io
import json
import os
import re
import socket
import sqlite3
import sys
import zipfile
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_info, threadpool_limits

from sklearn_activelearn import ASSLBoostClassifier, UncertaintySamplingClassifier
from sklearn_activelearn.__main__ import main
from sklearn_activelearn.labeling import LabelingSession, load_model, save_model
from sklearn_activelearn.labeling._saved_models import TRUSTED
from sklearn_activelearn.labeling.storage._file import stored_settings
from sklearn_activelearn.preprocessing import TableEncoder, TextEncoder
from tests.reference.labeling import quick_folder, read_rows, write_rows

skops_io = pytest.importorskip("skops.io", exc_type=ImportError)

WORDS = {"car": "wheels doors engine seats", "bike": "pedals chain saddle fork"}
HOW = ["--classes", "car,bike", "--out", "labels.sqlite"]
TABLE = ["label", "stock.csv", "--id", "key", "--labelled", "kind", *HOW]
TEXT = ["label", "stock.csv", "--text", "note", *HOW]
SAVE = [*TABLE, "--predict", "out.csv", "--save-model", "model.skops"]


def stock(n=60):
    """Return rows with columns of every kind; two thirds of them have a label."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(n):
        kind = ["car", "bike"][rng.integers(2)]
        rows.append(
            {
                "key": f"k-{i:03}",
                "price": "" if i % 13 == 0 else f"{rng.normal(len(kind)) - 3:.3f}",
                "colour": rng.choice(["red", "blue", "NA"]),
                "sold": f"{i % 28 + 1}/{i % 12 + 1}/2024",
                "note": " ".join(rng.choice([*WORDS[kind].split(), "old", "fine"], 4)),
                "=formula": rng.choice(["=1+1", "-x", "plain"]),
                "origin": "predicted",
                "kind": kind if i % 3 else "",
            }
        )
    return rows


def contents():
    """Return the contents of the files in the working directory."""
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


@pytest.fixture
def run(monkeypatch, command):
    """Run commands in an empty folder with a table; return what they print.

    Arguments that are refused (code 2) print one error and write nothing.
    """
    with quick_folder() as folder:
        monkeypatch.chdir(folder)
        write_rows("stock.csv", stock())

        def run_command(*argv, code=0, answers=""):
            before = contents()
            out, err = command(*argv, code=code, answers=answers)
            run_command.err = err
            if not code:
                return out
            assert contents() == before
            assert err.count("error: ") == 1
            assert err.splitlines()[-1].startswith("sklearn-activelearn: error: ")
            return err.splitlines()[-1]

        yield run_command


@pytest.fixture
def exported(run):
    """Return the labels of a session by id."""

    def export(path="labels.sqlite"):
        run("label", path, "--export", "exported.csv")
        return {row["id"]: row["label"] for row in read_rows("exported.csv")}

    return export


@pytest.fixture(scope="module")
def files_saved():
    """Return the files of a table, its labels, its predictions and its model."""
    with quick_folder() as folder, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_rows("stock.csv", stock())
        with redirect_stdout(io.StringIO()) as out:
            assert main(SAVE) == 0
        return contents() | {"said": out.getvalue().encode()}


@pytest.fixture
def saved(run, files_saved):
    """Put these files into the empty folder."""
    for name, content in files_saved.items():
        Path(name).write_bytes(content)
    return run


@pytest.mark.usefixtures("quick_blend")
class TestRows:
    def test_files_of_all_kinds_hold_the_same(self, run):
        frame = pd.DataFrame(
            {"n": [2.0, np.nan, 4.0], "s": ["é", None, "b, c"], "kind": list("aba")}
        )
        frame.to_csv("a.csv", index=False)
        frame.to_csv("b.csv", encoding="utf-8-sig")  # a column without a name
        frame.to_parquet("a.parquet")
        frame.to_excel("a.xlsx", index=False)
        os.rename("a.xlsx", "a.XLSX")
        how = ["--classes", "a,b", "--labelled", "kind", "--predict"]
        for number, name in enumerate(("a.csv", "b.csv", "a.parquet", "a.XLSX")):
            out = f"{number}.csv"
            run("label", name, "--out", f"{number}.sqlite", *how, out)
            assert run.err == (
                f"Reading {name} …\ntreated as number: n\ntreated as category: s\n"
            )
        first, *others = ([*read_rows(f"{k}.csv")] for k in range(4))
        assert [row["s"] for row in first] == ["é", "", "b, c"]
        assert [float(row["n"] or 3) for row in first] == [2, 3, 4]
        for rows in others:
            assert [row["s"] for row in rows] == [row["s"] for row in first]
            assert [row["label"] for row in rows] == list("aba")

    def test_columns_that_are_hidden(self, run, exported):
        """People do not see them; the model and the results have them."""
        out = run(*TABLE, "--hide", "colour", "--hide", "note", answers="1\n2\n")
        assert "price:" in out
        assert "colour:" not in out
        assert "note:" not in out
        run(*TABLE, "--hide", "colour", "--predict", "out.csv")
        assert read_rows("out.csv")[0]["colour"]
        run(*TABLE, "--hide", "kind", "--predict", "out.csv")  # nobody sees labels
        assert "repeated" in run(*TABLE, "--hide", "colour", "note", code=2)
        err = run(*TABLE, "--hide", "colours", code=2)
        assert "no column 'colours'. Did you mean 'colour'?" in err

    def test_numbers_and_gaps_of_the_user(self, run):
        rows = [row | {"price": f"{i},{i % 7}50"} for i, row in enumerate(stock(), 1)]
        rows[3]["price"], rows[5]["price"] = "1500", "sold out"
        write_rows("stock.csv", rows)
        assert "choose --decimal" in run(*TABLE, "--gaps", "Sold out", code=2)
        options = "--gaps", "Sold out", "--decimal", "comma"
        run(*TABLE, *options, answers="1\n")
        assert "treated as number (decimal comma): price" in run.err
        run(*TABLE, *options, "--save-model", "model.skops")
        run("predict", "model.skops", "stock.csv", "--out", "out.csv")
        assert len(read_rows("out.csv")) == 60

    def test_encodings(self, run):
        write_rows(
            "stock.csv",
            [row | {"colour": "красный автомобиль старой модели"} for row in stock()],
        )
        text = Path("stock.csv").read_text(encoding="utf-8")
        Path("stock.csv").write_bytes(text.encode("cp1251"))
        out = run(*TABLE, answers="1\n")
        assert "it is read as Windows-1251 (confidence" in run.err
        assert "красный" in out
        assert "is not utf-8" in run(*TABLE, "--encoding", "utf-8", code=2)

    def test_texts_of_several_columns_have_captions(self, run):
        rows = [{"title": row.pop("note"), "more": "", **row} for row in stock()]
        rows[0]["more"] = "hovercraft"
        write_rows("stock.csv", rows)
        texts = ["--text", "title", "--text", "more"]
        argv = ["label", "stock.csv", *texts, "--labelled", "kind", *HOW]
        run(*argv, "--predict", "out.csv", "--save-model", "model.skops")
        out = read_rows("out.csv")
        columns = [name for name in rows[0] if name not in ("origin", "kind")]
        columns[columns.index("=formula")] = "'=formula"
        assert [name for name in out[0] if name in columns] == columns
        assert out[0]["more"] == "hovercraft"
        run("predict", "model.skops", "stock.csv", "--out", "again.csv")
        for row, again in zip(out, read_rows("again.csv"), strict=True):
            if row["origin"] == "predicted":
                assert row["probability"] == again["probability"]
        argv = ["label", "stock.csv", *texts, *HOW[:3], "other.sqlite"]
        # it is among the first ten, and the first one unless a random row comes before
        shown = run(*argv, "--start-with", "hovercraft", answers="1\n" * 9 + "q\n")
        assert f"title: {rows[0]['title']}\n\nmore: hovercraft\n" in shown

    def test_an_empty_line_is_a_row_without_content(self, run, exported):
        notes = [f"{words} {i}" for i, words in enumerate(WORDS.values())] * 3
        Path("stock.csv").write_text("\n".join(["note", *notes[:2], "", *notes, "\n"]))
        out = run(*TEXT, "--twins", "ask", answers="1\n" * 9)
        assert "1 row without content is not shown" in run.err
        assert "Labels in labels.sqlite: 8." in out
        assert {*exported()} == {"1", "2", "4", "5", "6", "7", "8", "9"}

    @pytest.mark.parametrize("way", ["folder", "option", "column"])
    def test_images(self, run, way):
        Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
        rng = np.random.default_rng(0)
        os.mkdir("pictures")
        for k in range(12):
            pixels = rng.integers(0, 100, size=(20, 30, 3), dtype=np.uint8)
            pixels[:, :, k % 2] += 150
            Image.fromarray(pixels).save(f"pictures/{k:02}.png")
        write_rows("pictures/list.csv", [{"file": f"{k:02}.png"} for k in range(12)])
        rows = {
            "folder": ["pictures"],
            "option": ["--image", "pictures"],
            "column": ["pictures/list.csv", "--image", "file"],
        }[way]
        how = ["--classes", "red,green", "--out", "labels.sqlite"]
        shown = run("label", *rows, *how, answers="q\n")
        assert re.search(r"\d\d\.png", shown)
        labels = ["red", "green"] * 6
        known = [{"id": k + 1, "label": labels[k]} for k in (0, 1, 4, 5, 9, 10)]
        write_rows("known.csv", known)
        more = ["--import", "known.csv", "--predict", "out.csv"]
        run("label", *rows, *how, *more, "--save-model", "m.skops")
        assert [row["label"] for row in read_rows("out.csv")] == labels
        os.rename("pictures", "moved")
        new = "moved/list.csv" if way == "column" else "moved"
        run("predict", "m.skops", new, "--out", "again.csv")
        assert [row["prediction"] for row in read_rows("again.csv")] == labels

    def test_known_labels_cost_nothing_and_are_not_asked_for(self, run, exported):
        out = run(*TABLE, "--budget", "3", answers="car\n" * 9)
        assert "3 left" in out
        assert "The budget is spent. To label more, raise it: --budget." in out
        assert "0 left" not in run(*TABLE, "--budget", "3", "--status")
        assert len(exported()) == 43

    def test_the_learner_that_compare_recommends(self, run):
        """The default by name is the default, and no learner ends after 100 labels."""
        run(*TEXT, answers="bike\n" * 2)
        run(*TEXT, "--learner", "HybridSampling", answers="car\n")
        os.remove("labels.sqlite")
        option = "HybridSampling:estimator=LogisticRegression(max_iter=1000)"
        run(*TEXT, "--learner", option, answers="bike\n" * 2)
        settings = stored_settings(Path("labels.sqlite"))
        assert settings["budget"] is None
        params = settings["learner"]["params"]
        assert params["n_coverage"] == params["n_candidates"] == 1_000
        os.remove("labels.sqlite")
        run(*TEXT, "--learner", f"{option},budget=7", answers="bike\n")
        assert stored_settings(Path("labels.sqlite"))["budget"] == 7

    def test_words_to_start_with(self, run, exported):
        learner = ["--learner", "UncertaintySampling:random_state=0"]
        words = [*learner, "--start-with", "saddle pedals zeppelin"]
        run(*TEXT, *words, answers="bike\n" * 5)
        rows = stock()
        for row_id in [*exported()]:
            assert {"saddle", "pedals"} & {*rows[int(row_id) - 1]["note"].split()}
        run(*TEXT, *words, answers="bike\ncar\n")  # resumes
        for other in ([], ["--start-with", "saddle"]):
            err = run(*TEXT, *learner, *other, code=2)
            assert "initial" in err
            assert "saddle pedals zeppelin" in err

    def test_words_of_a_language_without_spaces(self, run, exported):
        texts = [f"这家酒店很好第{i}次" for i in range(40)]
        texts[20:20] = [f"昨天看的电影不错{i}" for i in range(5)]
        write_rows("stock.csv", [{"note": text} for text in texts])
        argv = [*TEXT, "--learner", "UncertaintySampling:random_state=0"]
        run(*argv, "--start-with", "电影", answers="bike\n" * 5)
        assert {*map(int, exported())} == {*range(21, 26)}
        argv[-3] = "other.sqlite"
        missing = run(*argv, "--start-with", "火车", code=2)
        assert "has none of the words '火车'" in missing

    def test_one_thread_of_blas_is_used(self, run, monkeypatch):
        """More of them wait for each other where other programs run."""
        seen = []

        def look(*args, **kwargs):
            seen.extend(each["num_threads"] for each in threadpool_info())

        monkeypatch.setattr(
            "sklearn_activelearn.labeling.front_ends._terminal.label_in_terminal", look
        )
        with threadpool_limits(2, user_api="blas"):
            run(*TEXT)
            assert 2 in [each["num_threads"] for each in threadpool_info()]
        assert set(seen) == {1}


@pytest.mark.usefixtures("quick_blend")
class TestRehearsal:
    CURVE = r" +\d+ labels: \d+% of \d+ \(constant prediction: \d+%\)"

    def test_it_takes_answers_from_a_column(self, run):
        rows = [row for row in stock(90) if row["kind"]]
        write_rows("stock.csv", rows)
        how = ["--budget", "27", "--test-size", "15"]
        argv = ["label", "stock.csv", "--text", "note", "--labelled", "kind"]
        out = run(*argv, *how, "--rehearse")
        first, *_, note, last = out.splitlines()
        assert re.fullmatch(self.CURVE, first)
        assert note.endswith("compare shows the same for random rows.")
        assert last.startswith("With 12 labels the model ")
        assert contents().keys() == {"stock.csv"}

    def test_it_leaves_the_session_as_it_is(self, run, exported):
        learner = "UncertaintySampling:n_initial=4,budget=None"
        argv = [*TEXT, "--learner", learner, "--labelled", "kind", "--test-size", "30"]
        run(*argv, answers="car\n")
        assert len(exported()) == 41
        before = contents()
        out = run(*argv, "--rehearse")
        n_test = int(re.search(r"labels: \d+% of (\d+) ", out)[1])
        assert f"\n{30 - n_test} of the held-out rows have no known label" in out
        assert contents() == before

    def test_the_label_of_an_equal_row_is_known(self, run):
        rows = stock()
        for row in rows[1::2]:
            row["note"], row["kind"] = f"{row['key']} wheels pedals", "car"
        for row, other in zip(rows[::2], rows[1::2], strict=True):
            row["note"], row["kind"] = other["note"].upper(), ""
        for row in rows[1::4]:
            row["kind"] = "bike"
        write_rows("stock.csv", rows)  # the first row of a group has no label
        argv = [*TEXT[:4], "--labelled", "kind", "--test-size", "8", "--rehearse"]
        assert "no known label" not in run(*argv)

    def test_it_needs_labels_of_two_classes(self, run):
        write_rows("stock.csv", [row for row in stock() if row["kind"] != "bike"])
        argv = [*TEXT[:4], "--labelled", "kind", "--test-size", "5", "--rehearse"]
        assert "labels of two classes are needed" in run(*argv, code=2)


class TestPredictions:
    def test_every_row_has_its_label_or_a_prediction(self, saved):
        out = Path("said").read_text(encoding="utf-8")
        assert "Rows in out.csv: 40 labelled, 20 predicted." in out
        assert "sklearn-activelearn predict model.skops FILE --out FILE" in out
        rows = read_rows("out.csv")
        assert [row["id"] for row in rows] == [row["key"] for row in stock()]
        for row, shown in zip(rows, stock(), strict=True):
            assert row["origin"] == ("given" if shown["kind"] else "predicted")
            assert not shown["kind"] or row["label"] == shown["kind"]
            if shown["kind"]:  # a person's label has no probability of a model
                assert row["probability"] == ""
            else:
                assert 0.5 <= float(row["probability"]) <= 1
            assert row["note"] == shown["note"]
            assert row["price"] == shown["price"]  # negative numbers are no formulas
            assert row["input origin"] == "predicted"
            formula = shown["=formula"]
            safe = formula if formula == "plain" else f"'{formula}"
            assert row["'=formula"] == safe

    def test_the_saved_model_predicts_the_same(self, saved):
        saved("predict", "model.skops", "stock.csv", "--out", "again.csv")
        before = [row for row in read_rows("out.csv") if row["origin"] == "predicted"]
        again = {row["key"]: row for row in read_rows("again.csv")}
        assert len(before) == 20
        for row in before:
            now = again[row["id"]]
            assert now["prediction"] == row["label"]
            assert now["probability"] == row["probability"]

    def test_what_was_exported_is_read_again(self, saved):
        """Marks of an export are undone, and other apostrophes stay."""
        write_rows("marked.csv", [{**row, "=formula": "'-x"} for row in stock()])
        found = []
        for name in "out.csv", "stock.csv", "marked.csv":
            saved("predict", "model.skops", name, "--out", "again.csv")
            found.append(read_rows("again.csv"))
        again, other, marked = found
        for one, two in zip(again, other, strict=True):
            assert one["prediction"] == two["prediction"]
            assert one["probability"] == two["probability"]
        assert again[0].keys() >= {"'=formula"}
        assert {row["'=formula"] for row in marked} == {"''-x"}

    def test_an_interrupt_of_predict_leaves_no_file(self, saved, command, monkeypatch):
        def interrupt(path, *columns):
            raise KeyboardInterrupt

        monkeypatch.setattr(
            "sklearn_activelearn.labeling._table_files.os.fsync", interrupt
        )
        before = contents()
        argv = ["predict", "model.skops", "stock.csv", "--out", "again.csv"]
        err = command(*argv, code=130).err
        assert err.endswith("activelearn: interrupted: no file was written.\n")
        assert contents() == before

    def test_labels_that_the_learner_has_not_been_taught_count(self, run):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(40, 2))
        y = (X[:, 0] > 0).astype(int)
        learner = UncertaintySamplingClassifier(budget=30, batch_size=8, random_state=0)
        with LabelingSession(learner, X, "a", ids=range(40), test_size=5) as session:
            with pytest.raises(ValueError, match="There is no model yet"):
                session.model()
            rows = []
            for _ in range(20):
                row = session.next()
                session.label(row, int(y[row]))
                rows += [row] if row not in session.test_ids else []
            assert session.status().n_taught < len(rows) == 15
            expected = LogisticRegression().fit(X[rows], y[rows])
            np.testing.assert_allclose(session.model().coef_, expected.coef_, atol=1e-3)
            assert session.status().n_taught < 15  # only the copy was taught
            assert session.export_predictions("out.csv") == 20

    @pytest.mark.usefixtures("quick_blend")
    def test_parquet(self, run):
        run(*TABLE, "--predict", "out.parquet")
        frame = pd.read_parquet("out.parquet")
        assert frame["probability"].dtype == float
        assert frame["=formula"].tolist() == [row["=formula"] for row in stock()]

    @pytest.mark.parametrize(
        ("option", "name", "why"),
        [
            ("--predict", "stock.csv", "stock.csv is also stock.csv: name another"),
            ("--predict", "link.csv", "link.csv is also stock.csv"),
            ("--export", "stock.csv", "stock.csv is also stock.csv: name another"),
            ("--export", "none/a.csv", "there is no folder none"),
            ("--predict", "a.txt", "must end in .csv or .parquet"),
            ("--predict", "session.csv", "is a labelling session"),
            ("--save-model", "session.skops", "is a labelling session"),
            ("--save-model", "model.pkl", "must end in .skops or .joblib"),
            ("--save-model", "folder.skops", "is a folder"),
        ],
    )
    def test_places_that_are_refused(self, run, option, name, why):
        os.link("stock.csv", "link.csv")
        os.mkdir("folder.skops")
        if name.startswith("session"):
            run("label", "stock.csv", *HOW[:3], name, "--export", "labels.csv")
        assert why in run(*TABLE, option, name, code=2)

    @pytest.mark.usefixtures("quick_blend")
    def test_what_goes_wrong_leaves_the_file_that_was_there(self, saved, monkeypatch):
        two = ["--export", "out.csv", "--predict", "./out.csv"]
        assert "out.csv is also out.csv: name another file" in saved(
            *TABLE, *two, code=2
        )

        def full(*args):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        for argv in (
            [*TABLE, "--predict", "out.csv"],
            [*TABLE, "--save-model", "model.skops"],
            ["predict", "model.skops", "stock.csv", "--out", "out.csv"],
        ):
            assert "was not written (No space" in saved(*argv, code=2)

    def test_a_folder_that_cannot_be_written(self, run, monkeypatch):
        monkeypatch.setattr(os, "access", lambda path, mode: False)
        assert "cannot be written. Name a file in another" in run(*TEXT, code=2)

    @pytest.mark.parametrize(("test_size", "n_known"), [(0, 40), (10, 40), (10, 1)])
    def test_a_correction_of_a_known_label_stays(self, run, test_size, n_known):
        """Also while nobody has labelled a row that was asked for."""
        rows = stock()
        known = [row["key"] for row in rows if row["kind"]][:n_known]
        labels = {row["key"]: row["kind"] for row in rows if row["key"] in known}
        rows = [row | {"kind": labels.get(row["key"], "")} for row in rows]
        write_rows("stock.csv", rows)
        run(*TABLE, "--test-size", f"{test_size}")
        other = {"car": "bike", "bike": "car"}[labels[known[0]]]
        Path("new.csv").write_text(f"id,label\n{known[0]},{other}\n")
        run(*TABLE, "--import", "new.csv")
        run(*TABLE, "--export", "out.csv")
        found = {row["id"]: row["label"] for row in read_rows("out.csv")}
        assert found == labels | {known[0]: other}

    def test_the_status_is_printed_and_nobody_is_asked(self, run):
        run(*TABLE, "--budget", "15")
        before = Path("labels.sqlite").read_bytes()
        said = run(*TABLE, "--status", answers="1\n")
        assert "40 labelled (car: " in said
        assert "), 15 left" in said
        assert "nothing tells how good the model is" in said
        assert Path("labels.sqlite").read_bytes() == before
        assert "--rehearse" in run(*TABLE, "--status", "--rehearse", code=2)
        alone = run("label", "labels.sqlite", "--status", "--export", "a.csv", code=2)
        assert "--status needs the rows" in alone

    def test_without_labels_there_is_no_model(self, run):
        Path("labels.sqlite.lock").touch()  # stays, whoever has opened a session
        why = "There is no model yet, because there are no labels"
        outputs = ["--predict", "a.csv"], ["--save-model", "m.skops"]
        for output in (*outputs, ["--status"]):
            assert f"error: {output[0]}: {why}" in run(*TEXT, *output, code=2)
        run(*TEXT)
        for output in outputs:  # the session is there
            assert why[:21] in run(*TEXT, *output, code=2)


def blank_rows(kind, n=60, every=7):
    """Return rows of texts or tables, of which some have no content."""
    rows = [{"key": row["key"], "kind": row["kind"]} for row in stock(n)]
    for i, (row, full) in enumerate(zip(rows, stock(n), strict=True)):
        shown = {"note": full["note"], "price": full["price"] or "0"}
        names = ["note"] if kind == "text" else ["note", "price"]
        row |= {name: " " if i % every == 3 else shown[name] for name in names}
    return rows


@pytest.mark.usefixtures("quick_blend")
@pytest.mark.parametrize("kind", ["text", "table"])
class TestRowsWithoutContent:
    """They are not shown, not predicted and not counted, and each time that is said."""

    def test_predictions(self, run, kind):
        rows = blank_rows(kind)
        blank = {f"{i + 1}" for i, row in enumerate(rows) if not row["note"].strip()}
        unknown = {f"{i + 1}" for i, row in enumerate(rows) if not row["kind"]}
        table = [{k: v for k, v in row.items() if k != "key"} for row in rows]
        write_rows("rows.csv", table)
        write_rows("new.csv", [{**row, "kind": ""} for row in table])
        how = ["--text", "note"] if kind == "text" else []
        run("label", "rows.csv", *how, "--labelled", "kind", *HOW,
            "--predict", "out.csv", "--save-model", "m.skops")  # fmt: skip
        n_silent = len(blank & unknown)
        assert n_silent > 1
        assert f"{n_silent} rows without content are not predicted" in run.err
        for row in read_rows("out.csv"):
            is_silent = row["id"] in blank & unknown
            assert (row["label"] == "") == is_silent
            assert (row["probability"] == "") == (row["id"] not in unknown - blank)
            assert (row["origin"] == "") == is_silent
        out = run("predict", "m.skops", "new.csv", "--out", "again.csv")
        assert f"{len(blank)} rows without content are not predicted" in run.err
        assert f"Rows in again.csv: {60 - len(blank)} predicted." in out
        for number, row in enumerate(read_rows("again.csv"), start=1):
            for name in ("prediction", "probability"):
                assert (row[name] == "") == (f"{number}" in blank)


class TestExports:
    def test_what_was_shown_and_the_way_back(self, saved, exported):
        saved(*TABLE, "--export", "labels.csv")
        rows = read_rows("labels.csv")
        assert len(rows) == 40
        shown = {row["key"]: row for row in stock()}
        assert all(row["note"] == shown[row["id"]]["note"] for row in rows)
        again = ["label", "stock.csv", "--id", "key", *HOW[:3], "again.sqlite"]
        saved(*again, "--import", "labels.csv")
        assert exported("again.sqlite") == {row["id"]: row["label"] for row in rows}

    @pytest.mark.parametrize("named", [[], ["--id", "key"]])
    def test_a_plain_export_of_label_studio(self, run, exported, named):
        chosen = {"type": "choices", "value": {"choices": [HOW[1].split(",")[0]]}}
        tasks = [
            {"id": 800 + i, "data": row, "annotations": [{"result": [chosen]}]}
            for i, row in enumerate(stock()[5:8])
        ]
        Path("tasks.json").write_text(json.dumps(tasks))
        command = ["label", "stock.csv", *named, *HOW[:3], "plain.sqlite"]
        run(*command, "--import", "tasks.json", answers="")
        assert "warning" not in run.err
        ids = [
            row["key"] if named else f"{6 + i}" for i, row in enumerate(stock()[5:8])
        ]
        assert [*exported("plain.sqlite")] == ids

    def test_predictions_are_not_imported_as_labels(self, saved):
        again = ["label", "stock.csv", "--id", "key", *HOW[:3], "again.sqlite"]
        out = saved(*again, "--import", "out.csv", "--export", "second.csv")
        assert "Labels in second.csv: 40." in out

    def test_equal_rows_are_counted_one_by_one(self, run):
        rows = [{**row, "note": f"note {i // 2}"} for i, row in enumerate(stock(20))]
        write_rows("stock.csv", rows)
        run(*TEXT, answers="1\n2\ns\n")
        out = run("label", "labels.sqlite", "--export", "a.csv")
        assert "Labels in a.csv: 4 for 2 different rows." in out
        assert "which are left out: 2 skipped." in out

    def test_rows_without_a_label_are_counted(self, run):
        run(*TEXT, "--test-size", "3", answers="1\ns\n")
        out = run("label", "labels.sqlite", "--export", "a.csv")
        assert out.endswith(": 1 skipped.\n")


class TestModels:
    def test_types_have_public_names(self, saved):
        types = skops_io.get_untrusted_types(file="model.skops")
        assert "sklearn_activelearn.preprocessing.TableEncoder" in types
        assert set(types) <= TRUSTED
        for name in TRUSTED:
            module, _, kind = name.rpartition(".")
            assert hasattr(import_module(module), kind)
            assert not re.search(r"activelearn.*\._", name)

    def test_nothing_of_the_rows_is_in_it(self, saved):
        with zipfile.ZipFile("model.skops") as file:
            content = b"".join(map(file.read, file.namelist()))
        assert b"k-001" not in content
        assert b"wheels" in content  # a word, and no text
        texts = [row["note"].encode() for row in stock()]
        assert not [text for text in texts if text in content]

    def test_other_orders_more_columns_new_categories_and_gaps(self, saved):
        rows = [dict(reversed([*row.items(), ("more", "1")])) for row in stock()]
        write_rows("new.csv", rows)
        saved("predict", "model.skops", "new.csv", "--out", "scored.csv")
        saved("predict", "model.skops", "stock.csv", "--out", "again.csv")
        scored, again = read_rows("scored.csv"), read_rows("again.csv")
        assert scored[0]["more"] == "1"
        for one, other in zip(scored, again, strict=True):
            assert one["probability"] == other["probability"]
        for row in rows:
            row |= {"colour": "violet", "price": "?", "sold": ""}
        write_rows("new.csv", rows)
        out = saved("predict", "model.skops", "new.csv", "--out", "scored.csv")
        assert out == "Rows in scored.csv: 60 predicted.\n"

    def test_rows_that_are_refused(self, saved):
        """As `TableEncoder` refuses them."""
        write_rows("new.csv", [stock()[0] | {"price": "lots"}])
        why = "row 1, column 'price': 'lots' is not a number"
        argv = ["predict", "model.skops", "new.csv", "--out", "s.csv"]
        assert why in saved(*argv, code=2)

    def test_files_that_are_no_model(self, saved):
        def refused(model, *argv):
            return saved("predict", model, "stock.csv", "--out", "s.csv", *argv, code=2)

        for name in ("a.skops", "a.joblib"):
            os.link("stock.csv", name)
            assert f"{name} holds no model (" in refused(name, "--trust")
        assert "must end in .skops or .joblib" in refused("stock.csv")
        assert "No such file" in refused("none.skops")
        skops_io.dump({"a": 1}, "dict.skops")
        assert "contains a dict, not a model" in refused("dict.skops")
        skops_io.dump(LogisticRegression(), "other.skops")
        assert "does not take the rows of a table" in refused("other.skops")

    def test_a_joblib_file_needs_trust(self, saved):
        saved(*TABLE, "--save-model", "model.joblib")
        argv = ["predict", "model.joblib", "stock.csv", "--out", "s.csv"]
        assert "model.joblib can run any code" in saved(*argv, code=2)
        saved(*argv, "--trust")
        saved("predict", "model.skops", "stock.csv", "--out", "again.csv")
        assert read_rows("s.csv") == read_rows("again.csv")
        joblib.dump([1], "list.joblib")
        with pytest.raises(ValueError, match="contains a list, not a model"):
            load_model("list.joblib", trust=True)

    def test_types_of_others_need_trust(self, saved):
        learner = ASSLBoostClassifier(budget=20, random_state=0)
        X = np.random.default_rng(0).normal(size=(30, 2))
        learner.teach(X, X[:, 0] > 0)
        with pytest.raises(ValueError, match=r"m\.skops would contain types .*Boosted"):
            save_model(learner.estimator_, "m.skops")
        assert not os.path.exists("m.skops")
        skops_io.dump(learner.estimator_, "m.skops")
        with pytest.raises(ValueError, match=r"not trusted \(sklearn_activelearn"):
            load_model("m.skops")
        assert load_model("m.skops", trust=True).predict(X).tolist()

    def test_another_version(self, saved):
        import sklearn

        with (
            zipfile.ZipFile("model.skops") as file,
            zipfile.ZipFile("old.skops", "w") as old,
        ):
            for name in file.namelist():
                version = sklearn.__version__.encode()
                old.writestr(name, file.read(name).replace(version, b"0.99.1"))
        err = saved("predict", "old.skops", "stock.csv", "--out", "s.csv", code=2)
        assert "was saved with scikit-learn 0.99.1" in err
        assert "pip install scikit-learn==0.99.1" in err

    def test_learners_are_refused(self, run):
        learner = UncertaintySamplingClassifier().teach(np.eye(2), [0, 1])
        for each in (learner, make_pipeline(TableEncoder(), learner)):
            with pytest.raises(TypeError, match="is a learner, and its file would"):
                save_model(each, "model.joblib")
        run(*TABLE, "--learner", "GreedyOnline")
        argv = [*TABLE, "--learner", "GreedyOnline", "--save-model", "m.joblib"]
        assert "stream learners have none" in run(*argv, code=2)

    def test_without_skops(self, run, monkeypatch):
        monkeypatch.setitem(sys.modules, "skops", None)
        monkeypatch.setattr(
            "sklearn_activelearn.labeling._saved_models.find_spec", lambda name: None
        )
        why = "need skops: pip install skops"
        assert why in run(*TABLE, "--save-model", "m.skops", code=2)


@pytest.mark.usefixtures("quick_blend")
class TestChanges:
    def test_rows_that_come_later(self, run, exported):
        run(*TEXT, "--twins", "ask", answers="1\n2\n" * 8)
        write_rows("stock.csv", stock() + stock(5))
        # the weight of a word follows from all texts
        assert run(*TEXT, code=2).endswith("add --change pool,features.")
        run(*TEXT, "--change", "pool,features", answers="1\n")
        run(*TEXT, answers="1\n")
        assert len(exported()) == 18

    def test_rows_that_are_numbered_stay_what_they_show(self, run):
        run(*TEXT, answers="1\n")
        rows = stock()
        write_rows("stock.csv", [*rows[:3], *rows[4:], rows[3]])
        err = run(*TEXT, "--change", "features", code=2)
        assert "repeat the options of the first call" in err

    def test_another_column(self, run):
        """A blank text is the same in both columns."""
        rows = [{**row, "other": row["key"]} for row in stock()]
        rows[0]["note"] = rows[0]["other"] = ""
        write_rows("stock.csv", rows)
        run(*TEXT, answers="1\n")
        err = run(*TEXT[:2], "--text", "other", *TEXT[4:], code=2)
        assert "1 of its 60 rows are among the 60 rows, as if another column" in err
        assert "repeat the options of the first call" in err.lower()
        err = run(*TEXT[:2], "--id", "key", *TEXT[2:], code=2)
        assert "Repeat the options of the first call" in err

    def test_a_session_with_numbers_as_classes(self, run, exported):
        notes = [row["note"] for row in stock()]
        X = TextEncoder(["note"]).fit_transform({"note": notes})
        learner = UncertaintySamplingClassifier(budget=None, random_state=0)
        how = {"items": notes, "ids": range(1, 61), "classes": [0, 1]}
        with LabelingSession(learner, X, "labels.sqlite", **how) as session:
            session.label(session.next(), 1)
        rows = [{**row, "code": int(row["kind"] == "car")} for row in stock()]
        write_rows("stock.csv", rows)
        argv = [*TEXT[:4], "--out", "labels.sqlite", "--change", "learner"]
        run(*argv, "--labelled", "code", "--keys", "0=x")
        run(*argv, "--classes", "0,1", answers="1\n")
        assert {*exported().values()} == {"1"}

    def test_classes(self, run, exported):
        run(*TEXT, answers="1\n2\n" * 4)
        more = [*TEXT, "--classes", "car,bike,boat"]
        assert run(*more, code=2).endswith("add --change classes.")
        run(*more, "--change", "classes", answers="boat\n")
        counts = pd.Series([*exported().values()]).value_counts()
        assert counts.to_dict() == {"car": 4, "bike": 4, "boat": 1}
        merged = [*TEXT, "--classes", "auto,bike"]
        run(*merged, "--rename", "car=auto", "--rename", "boat=bike", answers="auto\n")
        counts = pd.Series([*exported().values()]).value_counts()
        assert counts.to_dict() == {"auto": 5, "bike": 5}
        run(*merged, answers="auto\n")

    def test_options_that_are_left_out_are_those_of_the_file(self, run, exported):
        begin = [*TEXT, "--test-size", "4", "--votes", "2", "--budget", "20"]
        run(*begin, "--who", "ann", answers="1\n" * 6)
        argv = [*TEXT[:4], "--out", "labels.sqlite"]
        assert "whose votes are these? (--who)" in run(*argv, code=2)
        argv += ["--who", "bob"]
        run(*argv, answers="1\n" * 4)
        run(*argv, "--export", "out.csv")
        with sqlite3.connect("labels.sqlite") as db:
            found = dict(db.execute("SELECT name, value FROM settings"))
            (budget,) = db.execute("SELECT budget FROM learners").fetchone()
        assert [found["test_size"], found["votes"], budget] == ["4", "2", 16]
        assert len(exported()) == 4
        run(*argv, "--budget", "30", "--rename", "car=auto", answers="2\n")
        assert {*exported().values()} == {"auto"}

    def test_a_search_is_continued_without_its_options(self, run):
        argv = ["label", "stock.csv", "--text", "note", "--out", "a.sqlite"]
        run(*argv, "--find", "car", "--recall", "0.8", answers="1\n2\n" * 4)
        out = run(*argv, answers="1\n")
        assert re.search(r"\nFound: \d in \d of 60 rows read\.\n", out)
        assert "\nLabels of an unfinished batch, not counted yet: 1." in out
        assert "certain of a recall of 80%" in out

    def test_a_damaged_file(self, run):
        run(*TEXT, answers="1\n2\n" * 4)
        data = bytearray(Path("labels.sqlite").read_bytes())
        place = data.rindex(b"bike")
        data[place : place + 4] = b"hike"
        Path("labels.sqlite").write_bytes(data)
        recover = ["label", "--out", "labels.sqlite", "--recover", "answers.csv"]
        for argv in TEXT, ["label", "labels.sqlite", "--export", "out.csv"]:
            assert run(*argv, code=2).endswith(f"{' '.join(recover)}.")
        for argv in recover, [*TEXT, "--recover", "answers.csv"]:
            n = int(run(*argv).split()[-1].strip("."))
            assert n in (7, 8)
            assert len(read_rows("answers.csv")) == n


class TestRefusals:
    @pytest.mark.parametrize(
        ("argv", "why"),
        [
            ("stock.csv --classes a,b", "where are the labels to be kept? (--out)"),
            ("stock.csv --out a.sqlite", "to choose from? (--classes; --labels"),
            ("", "FILE"),
            ("--out none.sqlite --recover o.csv", "none.sqlite: No such file"),
            ("--recover out.csv", "which file holds the labels? (--out)"),
            ("none.csv --classes a,b --out a.sqlite", "none.csv: No such file"),
            ("folder --classes a,b --out a.sqlite", "the folder holds no images"),
            ("b.sqlite --classes a,b --out a", "b.sqlite is a labelling session"),
            ("none.sqlite --export out.csv", "none.sqlite"),
            ("stock.csv --export out.csv", "stock.csv"),
            ("stock.csv --clases a,b", "arguments: --clases a,b; did you mean --cla"),
            ("stock.csv --exprot a,b", "arguments: --exprot a,b; did you mean --exp"),
        ],
    )
    def test_files_and_what_is_missing(self, run, argv, why):
        os.mkdir("folder")
        Path("b.sqlite").write_bytes(b"SQLite format 3\0" + b"x" * 99)
        assert why in run("label", *argv.split(), code=2)

    @pytest.mark.parametrize(
        ("options", "why"),
        [
            ("--classes good", "'good' is one class, but at least two are needed"),
            ("--classes good,good", "'good' is given twice"),
            ("--classes good,,bad", "a name of a class is empty"),
            ("--text nota", "there is no column 'nota'. Did you mean 'note'?"),
            ("--image key", "--text and --image do not go together"),
            ("--drop price", "--text and --drop do not go together"),
            ("--dates first", "invalid choice: 'first'"),
            ("--labelled key", "row 1 has the label 'k-000', which is not one of car"),
            ("--id colour", "the id 'blue' too"),
            ("--id price", "row 1, column 'price': the id is missing"),
            ("--learner Nobody", "there is no learner 'Nobody'"),
            ("--budget 0", "0 is not at least 1"),
            ("--votes 2", "whose votes are these? (--who)"),
            ("--out none/labels.sqlite", "there is no folder none"),
            ("--out stock.csv", "stock.csv"),
            ("--test-size 60", "--test-size: 60 rows cannot be held out"),
            ("--keys ugly=x", "--keys: 'ugly' is not one of the classes"),
            ("--keys car=x,bike=X", "--keys: 'x' is the key of two classes"),
            ("--keys car", "'car' is not CLASS=KEY"),
            ("--keys car=x,car=y", "'car' is given twice"),
            ("--rename car", "'car' is not OLD=NEW"),
            ("--guide none.md", "--guide: none.md: No such file"),
            ("--guide latin", "--guide: latin: the file is not text in UTF-8"),
            ("--import none.csv", "none.csv: No such file"),
            ("--import bad.csv", "bad.csv: Row 1: The label 'tram' is not"),
            ("--start-with vulture", "'note' has none of the words 'vulture'"),
            (
                "--start-with pedals --learner Passive",
                "--start-with: PassiveClassifier",
            ),
            ("--form long", "--form needs --export"),
            ("--rehearse --labelled kind", "--rehearse needs --test-size"),
            (
                "--rehearse --labelled kind --test-size 5 --export o.csv",
                "--rehearse and --export do not go together",
            ),
            ("--change colour", "change"),
            ("--rehearse --test-size 5", "--rehearse needs --labelled"),
            ("--recall 0.9", "--recall needs --find"),
            ("--find car --learner Passive", "--find and --learner do not"),
            ("--find car --recall 2", "2 is not between"),
            ("--find car --recall 1", "--recall must be below 1, for example 0.95"),
            ("--find boat", "'boat' and one other class are needed, got car, bike"),
        ],
    )
    def test_options(self, run, options, why):
        Path("latin").write_bytes(b"caf\xe9\n")
        Path("bad.csv").write_text("id,label\n1,tram\n")
        Path("labels.sqlite.lock").touch()  # stays, whoever has opened a session
        assert why in run(*TEXT, *options.split(), code=2)

    def test_a_port_that_is_taken(self, run):
        pytest.importorskip("uvicorn", reason="uvicorn is not installed")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            err = run(*TEXT, "--web", "--port", port, code=2)
        assert "--port: Address already in use" in err

    def test_without_packages(self, run, monkeypatch):
        monkeypatch.setattr(
            "importlib.util.find_spec", lambda name: name == "pandas" or None
        )
        assert "pip install starlette uvicorn" in run(*TEXT, "--web", code=2)
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        assert "label needs pandas: pip install pandas" in run(*TEXT, code=2)
