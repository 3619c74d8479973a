"""What labelling leaves behind: predictions for all rows, and a model for new ones."""

import csv
import json
import os
import re
import sys
import zipfile
from importlib import import_module
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sklearn_activelearn import (
    ASSLBoostClassifier,
    GreedyOnlineClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.__main__ import main
from sklearn_activelearn.labeling import LabelingSession, load_model, save_model
from sklearn_activelearn.labeling._model_files import TRUSTED
from sklearn_activelearn.preprocessing import ImageEncoder, TableEncoder, TextEncoder
from tests.reference.labeling import quick_folder

skops_io = pytest.importorskip("skops.io", exc_type=ImportError)

WORDS = {"car": "wheels doors engine seats", "bike": "pedals chain saddle fork"}


def stock(n=60):
    """Return rows with columns of every kind, of which a third has a label."""
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


def write_rows(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def contents():
    """Return what is in the files of the working directory."""
    return {path.name: path.read_bytes() for path in Path().iterdir()}


@pytest.fixture
def run(monkeypatch, capsys):
    """Run commands in an empty folder with a table; return what they print."""
    with quick_folder() as folder:
        monkeypatch.chdir(folder)
        write_rows("stock.csv", stock())

        def run_command(*argv, code=0):
            assert main([*map(str, argv)]) == code
            out, err = capsys.readouterr()
            if code:
                assert err.count("error: ") == 1
                assert err.splitlines()[-1].startswith("sklearn-activelearn: error: ")
            return err if code else out

        yield run_command


HOW = ["--classes", "car,bike", "--out", "labels.sqlite"]
TABLE = ["label", "stock.csv", "--id", "key", "--labelled", "kind", *HOW]


SAVE = [*TABLE, "--predict", "out.csv", "--save-model", "model.skops"]


@pytest.fixture(scope="module")
def files_saved():
    """Return the files that a table, its labels, predictions and model are in."""
    with quick_folder() as folder, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_rows("stock.csv", stock())
        assert main(SAVE) == 0
        return contents()


@pytest.fixture
def saved(run, files_saved):
    """Put these files into the empty folder."""
    for name, content in files_saved.items():
        Path(name).write_bytes(content)
    return run


class TestPredictions:
    def test_what_is_printed(self, saved):
        out = saved(*SAVE)
        assert "Rows in out.csv: 40 labelled, 20 predicted." in out
        assert "sklearn-activelearn predict model.skops FILE --out FILE" in out

    def test_every_row_has_its_label_or_a_prediction(self, saved):
        rows = read_rows("out.csv")
        assert [row["id"] for row in rows] == [row["key"] for row in stock()]
        for row, shown in zip(rows, stock(), strict=True):
            assert row["origin"] == ("given" if shown["kind"] else "predicted")
            assert not shown["kind"] or row["label"] == shown["kind"]
            assert 0 <= float(row["probability"]) <= 1
            assert row["note"] == shown["note"]
            assert row["input origin"] == "predicted"
            formula = shown["=formula"]
            safe = formula if formula == "plain" else f"'{formula}"
            assert row["'=formula"] == safe
            assert "kind" not in row  # what people shall answer is not shown

    def test_the_saved_model_predicts_the_same(self, saved):
        saved("predict", "model.skops", "stock.csv", "--out", "again.csv")
        before = [row for row in read_rows("out.csv") if row["origin"] == "predicted"]
        again = {row["key"]: row for row in read_rows("again.csv")}
        assert len(before) == 20
        for row in before:
            now = again[row["id"]]
            assert (now["prediction"], now["probability"]) == (
                row["label"],
                row["probability"],
            )

    def test_what_was_exported_is_read_again(self, saved):
        saved("predict", "model.skops", "out.csv", "--out", "again.csv")
        saved("predict", "model.skops", "stock.csv", "--out", "other.csv")
        (again, other) = (
            [(row["prediction"], row["probability"]) for row in read_rows(name)]
            for name in ("again.csv", "other.csv")
        )
        assert again == other
        assert read_rows("again.csv")[0].keys() >= {"'=formula"}

    def test_an_interrupt_of_predict_leaves_no_file(self, saved, capsys, monkeypatch):
        def interrupt(path, *columns):
            raise KeyboardInterrupt

        monkeypatch.setattr("sklearn_activelearn.labeling._output.os.fsync", interrupt)
        before = contents().keys()
        argv = ["predict", "model.skops", "stock.csv", "--out", "again.csv"]
        assert main(argv) == 130
        err = capsys.readouterr().err
        assert err == "sklearn-activelearn: interrupted: no file was written.\n"
        assert contents().keys() == before

    def test_apostrophes_that_are_no_mark_of_an_export_stay(self, saved):
        rows = [{**row, "=formula": "'-x"} for row in stock()]
        write_rows("new.csv", rows)
        saved("predict", "model.skops", "new.csv", "--out", "again.csv")
        assert {row["'=formula"] for row in read_rows("again.csv")} == {"''-x"}

    @pytest.mark.parametrize("option", ["--predict", "--save-model"])
    def test_without_labels_no_session_begins(self, run, option):
        file = {"--predict": "out.csv", "--save-model": "model.skops"}[option]
        err = run("label", "stock.csv", "--id", "key", *HOW, option, file, code=2)
        assert f"error: {option}: There is no model yet, as there are no labels" in err
        assert contents().keys() == {"stock.csv"}

    @pytest.mark.parametrize("option", ["--text", "--drop", "--categorical"])
    def test_a_column_is_named_once(self, run, option):
        columns = [option, "note", option, "note"]
        err = run("label", "stock.csv", *columns, *HOW, code=2)
        assert f"error: {option}: note is named twice." in err
        assert contents().keys() == {"stock.csv"}

    def test_labels_that_the_learner_has_not_been_taught_count(self, run):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(40, 2))
        y = (X[:, 0] > 0).astype(int)
        learner = UncertaintySamplingClassifier(budget=30, batch_size=8, random_state=0)
        with LabelingSession(learner, X, "a", ids=range(40), test_size=5) as session:
            with pytest.raises(ValueError, match="There is no model yet"):
                session.model()
            for _ in range(20):
                session.label(session.next(), int(y[session.next()]))
            labels = session._state.decisions
            rows = [id for id in labels if id not in session._state.test]
            assert session.status().n_taught < len(rows) == 15
            expected = LogisticRegression().fit(X[rows], y[rows])
            model = session.model()
            np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-3)
            assert session.status().n_taught < 15  # only the copy was taught
            assert session.export_predictions("out.csv") == 20
        assert list(read_rows("out.csv")[0]) == [
            *("id", "label", "probability", "who", "origin")
        ]

    def test_names_of_people(self, run):
        frame = pd.DataFrame({"x": [0.0, 1, 2, 3], "who": list("abcd")})
        learner = UncertaintySamplingClassifier(budget=4)
        how = {"items": frame, "ids": list("pqrs"), "votes": 2, "classes": [0, 1]}
        with LabelingSession(learner, frame[["x"]], "a", **how) as session:
            for id, label in zip("pqs", (0, 0, 1), strict=True):
                for who in ("ann", "b;c"):
                    session.label(id, label, who)
            session.export_predictions("out.csv")
        rows = read_rows("out.csv")
        assert [row["who"] for row in rows] == [
            "ann;b\\;c",
            "ann;b\\;c",
            "",
            "ann;b\\;c",
        ]
        assert [row["input who"] for row in rows] == list("abcd")

    def test_parquet(self, run):
        pytest.importorskip("pyarrow")
        run(*TABLE, "--predict", "out.parquet")
        frame = pd.read_parquet("out.parquet")
        assert frame["probability"].dtype == float
        assert frame["=formula"].tolist() == [row["=formula"] for row in stock()]

    @pytest.mark.parametrize(
        ("option", "name", "why"),
        [
            ("--predict", "stock.csv", "stock.csv is what is read"),
            ("--predict", "link.csv", "link.csv is what is read"),
            ("--export", "stock.csv", "stock.csv is what is read"),
            ("--export", "link.csv", "link.csv is what is read"),
            ("--export", "none/a.csv", "there is no folder none"),
            ("--predict", "a.txt", "must end in .csv or .parquet"),
            ("--predict", "none/a.csv", "there is no folder none"),
            ("--predict", "session.csv", "holds a session"),
            ("--save-model", "session.skops", "holds a session"),
            ("--save-model", "model.pkl", "must end in .skops or .joblib"),
            ("--save-model", "folder.skops", "is a folder"),
        ],
    )
    def test_places_that_are_refused(self, run, option, name, why):
        os.link("stock.csv", "link.csv")
        os.mkdir("folder.skops")
        if name.startswith("session"):
            run("label", "stock.csv", *HOW[:3], name, "--export", "labels.csv")
        before = {each: os.stat(each).st_mtime_ns for each in os.listdir()}
        assert why in run(*TABLE, option, name, code=2)
        assert {each: os.stat(each).st_mtime_ns for each in os.listdir()} == before

    def test_two_results_in_one_file(self, saved):
        before = contents()
        two = ["--export", "out.csv", "--predict", "./out.csv"]
        assert "out.csv is named twice" in saved(*TABLE, *two, code=2)
        assert contents() == before

    def test_what_goes_wrong_leaves_the_file_that_was_there(self, saved, monkeypatch):
        before = contents()

        def full(*args):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        for argv in (
            [*TABLE, "--predict", "out.csv"],
            [*TABLE, "--save-model", "model.skops"],
            ["predict", "model.skops", "stock.csv", "--out", "out.csv"],
        ):
            assert "was not written (No space" in saved(*argv, code=2)
        assert contents() == before

    def test_no_label_no_model(self, run):
        argv = ["label", "stock.csv", *HOW, "--predict", "out.csv"]
        assert "There is no model yet" in run(*argv, code=2)
        assert not os.path.exists("out.csv")


class TestExports:
    def test_what_was_shown_and_the_way_back(self, saved):
        saved(*TABLE, "--export", "labels.csv")
        rows = read_rows("labels.csv")
        assert len(rows) == 40
        shown = {row["key"]: row for row in stock()}
        assert all(row["note"] == shown[row["id"]]["note"] for row in rows)
        again = ["label", "stock.csv", "--id", "key", *HOW[:3], "again.sqlite"]
        saved(*again, "--import", "labels.csv", "--export", "second.csv")
        assert {row["id"]: row["label"] for row in read_rows("second.csv")} == {
            row["id"]: row["label"] for row in rows
        }

    def test_predictions_are_not_imported_as_labels(self, saved):
        again = ["label", "stock.csv", "--id", "key", *HOW[:3], "again.sqlite"]
        out = saved(*again, "--import", "out.csv", "--export", "second.csv")
        assert "Labels in second.csv: 40." in out

    def test_columns_with_names_of_ours(self, run):
        frame = pd.DataFrame({"kind": ["skip"] * 3, "id": list("xyz"), "x": [1, 2, 3]})
        learner = UncertaintySamplingClassifier(budget=3)
        how = {"items": frame, "ids": ["a", "b", "c"], "classes": [0, 1]}
        with LabelingSession(learner, frame[["x"]], "a", **how) as session:
            for label, id in enumerate("ab"):
                session.label(id, label)
            session.export("labels.csv")
            session.export("long.csv", form="long")
        for name in ("labels.csv", "long.csv"):
            assert [row["input kind"] for row in read_rows(name)] == ["skip"] * 2
            with LabelingSession(learner, frame[["x"]], f"to {name}", **how) as other:
                assert other.import_labels(name) == 2


class TestModels:
    def test_types_have_public_names(self, saved):
        types = skops_io.get_untrusted_types(file="model.skops")
        assert "sklearn_activelearn.preprocessing.TableEncoder" in types
        assert set(types) <= TRUSTED
        for name in TRUSTED:
            module, _, kind = name.rpartition(".")
            assert hasattr(import_module(module), kind)
            assert not re.search(r"\._", name)

    def test_nothing_of_the_rows_is_in_it(self, saved):
        with zipfile.ZipFile("model.skops") as file:
            content = b"".join(map(file.read, file.namelist()))
        assert b"k-001" not in content
        assert b"wheels" in content  # a word, and no text
        texts = [row["note"].encode() for row in stock()]
        assert not [text for text in texts if text in content]

    def test_negative_numbers_are_no_formulas(self, saved):
        cells = [row["price"] for row in stock()]
        assert any(cell.startswith("-") for cell in cells)
        saved("predict", "model.skops", "stock.csv", "--out", "scored.csv")
        for name in ("out.csv", "scored.csv"):
            rows = read_rows(name)
            assert [row["price"] for row in rows] == cells
            assert "'-x" in {row["'=formula"] for row in rows}

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

    def test_in_python(self, saved):
        model = load_model("model.skops")
        frame = pd.read_csv("stock.csv")
        saved("predict", "model.skops", "stock.csv", "--out", "again.csv")
        expected = [row["prediction"] for row in read_rows("again.csv")]
        assert model.predict(frame).tolist() == expected
        columns = {name: frame[name].tolist() for name in frame}
        assert model.predict(columns).tolist() == expected
        with pytest.raises(TypeError, match="rows need columns with names"):
            model.predict(frame.to_numpy())

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ({"price": None}, "there is no column 'price'"),
            ({"price": "lots"}, "line 2, column 'price': 'lots' is no number"),
            ({"price": "inf"}, "line 2, column 'price': 'inf' is no number"),
            ({"sold": "2024"}, "line 2, column 'sold': '2024' is no date of the form"),
        ],
    )
    def test_rows_that_are_refused(self, saved, change, why):
        rows = stock()
        rows[0] |= change
        rows = [
            {k: v for k, v in row.items() if rows[0][k] is not None} for row in rows
        ]
        write_rows("new.csv", rows)
        err = saved("predict", "model.skops", "new.csv", "--out", "s.csv", code=2)
        assert why in err
        assert not os.path.exists("s.csv")

    def test_files_that_are_no_model(self, saved):
        def refused(model, *argv):
            argv = "predict", model, "stock.csv", "--out", "s.csv", *argv
            return saved(*argv, code=2)

        for name in ("a.skops", "a.joblib"):
            os.link("stock.csv", name)
            assert f"{name} holds no model (" in refused(name, "--trust")
        assert "must end in .skops or .joblib" in refused("stock.csv")
        assert "No such file" in refused("none.skops")
        skops_io.dump({"a": 1}, "dict.skops")
        assert "holds no model, but dict" in refused("dict.skops")
        skops_io.dump(LogisticRegression(), "other.skops")
        assert "takes no rows of a table" in refused("other.skops")

    def test_a_joblib_file_needs_trust(self, saved):
        saved(*TABLE, "--save-model", "model.joblib")
        argv = ["predict", "model.joblib", "stock.csv", "--out", "s.csv"]
        assert "model.joblib can run any code" in saved(*argv, code=2)
        saved(*argv, "--trust")
        saved("predict", "model.skops", "stock.csv", "--out", "again.csv")
        assert read_rows("s.csv") == read_rows("again.csv")

    def test_types_of_others_need_trust(self, saved):
        learner = ASSLBoostClassifier(budget=20, random_state=0)
        X = np.random.default_rng(0).normal(size=(30, 2))
        learner.teach(X, X[:, 0] > 0)
        with pytest.raises(ValueError, match=r"m\.skops would hold types .*Boosted"):
            save_model(learner.estimator_, "m.skops")
        assert not os.path.exists("m.skops")
        skops_io.dump(learner.estimator_, "m.skops")
        with pytest.raises(ValueError, match=r"not trusted \(sklearn_activelearn"):
            load_model("m.skops")
        assert load_model("m.skops", trust=True).predict(X).tolist()

    def test_another_version(self, saved):
        with zipfile.ZipFile("model.skops") as file:
            parts = {name: file.read(name) for name in file.namelist()}
        schema = json.loads(parts["schema.json"])
        text = json.dumps(schema)
        import sklearn

        assert sklearn.__version__ in text
        text = text.replace(sklearn.__version__, "0.99.1")
        with zipfile.ZipFile("old.skops", "w") as file:
            for name, part in (parts | {"schema.json": text}).items():
                file.writestr(name, part)
        err = saved("predict", "old.skops", "stock.csv", "--out", "s.csv", code=2)
        assert "was saved with scikit-learn 0.99.1" in err
        assert "pip install scikit-learn==0.99.1" in err

    def test_learners_are_refused(self, run):
        learner = UncertaintySamplingClassifier().teach(np.eye(2), [0, 1])
        for each in (learner, make_pipeline(TableEncoder(), learner)):
            with pytest.raises(TypeError, match="is a learner, whose file would hold"):
                save_model(each, "model.joblib")
        argv = [*TABLE, "--learner", "GreedyOnline", "--save-model", "m.joblib"]
        assert "stream learners have none" in run(*argv, code=2)
        assert not os.path.exists("m.joblib")
        assert GreedyOnlineClassifier()._group is not None

    def test_without_skops(self, run, monkeypatch):
        monkeypatch.setitem(sys.modules, "skops", None)
        monkeypatch.setattr(
            "sklearn_activelearn.labeling._model_files.find_spec", lambda name: None
        )
        why = "need skops: pip install skops"
        assert why in run(*TABLE, "--save-model", "m.skops", code=2)
        assert os.listdir() == ["stock.csv"]

    def test_a_joblib_file_of_something_else(self, run):
        joblib.dump([1], "list.joblib")
        with pytest.raises(ValueError, match="holds no model, but list"):
            load_model("list.joblib", trust=True)


class TestTextsAndImages:
    def test_several_columns_of_texts_are_joined(self, run):
        rows = [{"title": row.pop("note"), "more": "", **row} for row in stock()]
        rows[0]["more"] = "hovercraft"
        write_rows("stock.csv", rows)
        texts = ["--text", "title", "--text", "more"]
        argv = ["label", "stock.csv", *texts, "--labelled", "kind", *HOW]
        run(*argv, "--predict", "out.csv", "--save-model", "model.skops")
        out = read_rows("out.csv")
        assert list(out[0])[-2:] == ["title", "more"]
        assert out[0]["more"] == "hovercraft"
        run("predict", "model.skops", "stock.csv", "--out", "again.csv")
        for row, again in zip(out, read_rows("again.csv"), strict=True):
            if row["origin"] == "predicted":
                assert row["probability"] == again["probability"]
        encoder = TextEncoder(["title", "more"]).fit(pd.DataFrame(rows))
        assert "hovercraft" in encoder.vectorizer_.vocabulary_
        assert encoder.transform({"title": ["hovercraft"], "more": [""]}).nnz == 1

    def test_options_of_tables_are_refused(self, run):
        for option in ("--drop", "--categorical"):
            argv = ["label", "stock.csv", "--text", "note", option, "price", *HOW]
            assert f"{option} is for tables" in run(*argv, code=2)

    def test_images(self, run):
        Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
        rng = np.random.default_rng(0)
        os.mkdir("pictures")
        rows = []
        for k in range(12):
            pixels = rng.integers(0, 100, size=(20, 30, 3), dtype=np.uint8)
            pixels[:, :, k % 2] += 150
            Image.fromarray(pixels).save(f"pictures/{k}.png")
            kind = ["red", "green"][k % 2] if k % 3 else ""
            rows.append({"file": f"{k}.png", "kind": kind})
        write_rows("pictures/list.csv", rows)
        how = ["--classes", "red,green", "--out", "labels.sqlite"]
        argv = ["label", "pictures/list.csv", "--image", "file", "--labelled", "kind"]
        run(*argv, *how, "--predict", "out.csv", "--save-model", "model.skops")
        labels = [row["label"] for row in read_rows("out.csv")]
        assert labels == ["red", "green"] * 6
        os.rename("pictures", "moved")
        run("predict", "model.skops", "moved/list.csv", "--out", "again.csv")
        assert [row["prediction"] for row in read_rows("again.csv")] == labels
        encoder = ImageEncoder("file", folder="moved").fit({"file": ["0.png", "1.png"]})
        one, other = encoder.transform({"file": ["2.png", "3.png"]})
        assert np.abs(one - other).max() > 1  # their colours
