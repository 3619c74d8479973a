"""Vectors of rows at the command line: ``--encoder`` and ``--features``."""

import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_activelearn.__main__ import main
from sklearn_activelearn._cli import row_vectors

pytest.importorskip("model2vec", reason="model2vec is not installed")

pytestmark = pytest.mark.usefixtures("quick_blend")

N = 60


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """Write texts of two kinds and their labels; return the table."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    kinds = np.where(np.arange(N) % 2, "film", "match")
    words = {"film": ["film", "plot", "good"], "match": ["goal", "team", "bad"]}
    table = pd.DataFrame(
        {
            "key": [f"k{i}" for i in range(N)],
            "text": [" ".join([*rng.choice(words[k], 3), f"n{i}"])
                     for i, k in enumerate(kinds)],
            "kind": kinds,
        }
    )  # fmt: skip
    table.to_csv("rows.csv", index=False)
    table.drop(columns="kind").iloc[:9].to_csv("new.csv", index=False)
    return table


@pytest.fixture
def encoded(monkeypatch):
    """Count the texts that models encode."""
    texts, load = [], row_vectors.load_encoder

    def counting(name):
        encode = load(name)
        return lambda some: texts.extend(some) or encode(some)

    monkeypatch.setattr(row_vectors, "load_encoder", counting)
    return texts


COMPARE = ["compare", "--data", "rows.csv", "--target", "kind", "--text", "text",
           "--rows", 40, "--folds", 2, "--repeats", 1, "--jobs", 1]  # fmt: skip
LABEL = ["label", "rows.csv", "--text", "text", "--id", "key", "--labelled", "kind",
         "--classes", "film,match", "--out", "labels.sqlite",
         "--predict", "out.csv"]  # fmt: skip


def run(*argv, capsys=None):
    """Run a command; return its exit code, and what it wrote to the errors."""
    code = main([str(each) for each in argv])
    return code, capsys.readouterr().err if capsys else ""


class TestEncoder:
    def test_from_labels_to_predictions(self, rows, static_model, encoded):
        assert run(*LABEL, "--encoder", static_model, "--save-model", "m.skops")[0] == 0
        assert len(pd.read_csv("out.csv")) == N
        assert sorted(encoded) == sorted(rows["text"])
        assert run("predict", "m.skops", "new.csv", "--out", "new_out.csv")[0] == 0
        found = pd.read_csv("new_out.csv")["prediction"]
        assert (found == rows["kind"][:9]).all()

    @pytest.mark.slow
    def test_a_sentence_encoder(self, rows, sentence_model):
        how = "--encoder", sentence_model, "--save-model", "m.skops"
        assert run(*LABEL, *how)[0] == 0
        assert run("predict", "m.skops", "new.csv", "--out", "new_out.csv")[0] == 0
        found = pd.read_csv("new_out.csv")["prediction"]
        assert (found == rows["kind"][:9]).all()

    def test_a_model_has_the_encoder_of_its_training(
        self, rows, static_model, tmp_path, capsys
    ):
        mine = shutil.copytree(static_model, tmp_path / "mine")
        argv = [*LABEL, "--encoder", "mine", "--save-model", "m.skops"]
        assert run(*argv)[0] == 0
        mine.rename("moved")
        predict = "predict", "m.skops", "new.csv", "--out", "new_out.csv"
        code, err = run(*predict, capsys=capsys)
        assert code == 2
        assert "'mine' is not the encoder" in err
        assert run(*predict, "--encoder", "moved")[0] == 0
        with open("moved/config.json", "a") as file:
            file.write("\n")
        assert run(*predict, "--encoder", "moved")[0] == 2

    def test_no_text_is_encoded_twice(self, rows, static_model, encoded):
        how = "--encoder", static_model
        assert run(*LABEL, *how)[0] == 0
        encoded.clear()
        assert run(*LABEL, *how)[0] == 0
        assert encoded == []
        assert b"film" not in Path("labels.sqlite.vectors").read_bytes()
        more = rows.iloc[:2].assign(
            key=["m0", "m1"], text=["bad goal", rows["text"][0]]
        )
        pd.concat([rows, more]).to_csv("rows.csv", index=False)
        change = "--change", "pool,features"
        assert run(*LABEL, *how, *change)[0] == 0
        assert encoded == ["bad goal"]

    def test_what_was_encoded_before_an_interrupt_is_kept(
        self, rows, static_model, monkeypatch
    ):
        monkeypatch.setattr("sklearn_activelearn.preprocessing._embeddings.BATCH", 20)
        path, seen = "v.sqlite", []
        encoder = row_vectors.CachedEncoder(str(static_model), path)
        texts = rows["text"].tolist()
        encoder(texts[:20])
        again = row_vectors.CachedEncoder(str(static_model), path)
        load = row_vectors.load_encoder
        monkeypatch.setattr(
            row_vectors,
            "load_encoder",
            lambda name: lambda some: seen.extend(some) or load(name)(some),
        )
        np.testing.assert_allclose(again(texts), encoder(texts))
        assert sorted(seen) == sorted(texts[20:])

    def test_another_encoder_is_refused(self, rows, static_model, tmp_path, capsys):
        assert run(*LABEL, "--encoder", static_model)[0] == 0
        other = tmp_path / "other model"
        shutil.copytree(static_model, other)
        # the same weights in another folder are the same encoder
        assert run(*LABEL, "--encoder", other)[0] == 0
        with (other / "config.json").open("a") as file:
            file.write("\n")
        for how in (["--encoder", other], []):
            capsys.readouterr()
            code, err = run(*LABEL, *how, capsys=capsys)
            assert code == 2
            assert "was made with the vectors of" in err
            assert "Repeat the options of the first call" in err
        assert run(*LABEL, "--change", "features,learner")[0] == 0

    def test_a_damaged_file_of_vectors(self, rows, static_model, capsys):
        assert run(*LABEL, "--encoder", static_model)[0] == 0
        for content in (b"no database" * 999, b""):
            Path("labels.sqlite.vectors").write_bytes(content)
            code, err = run(*LABEL, "--encoder", static_model, capsys=capsys)
            assert code == 2
            assert "delete it" in err or "was made with no --encoder" in err

    def test_vectors_that_are_refused_are_not_kept(self, rows, monkeypatch):
        path = "v.sqlite"
        nothing = np.full((1, 2), np.nan)
        monkeypatch.setattr(
            row_vectors, "load_encoder", lambda name: lambda some: nothing
        )
        encoder = row_vectors.CachedEncoder("name", path)
        assert np.isnan(encoder(["text"])).all()
        monkeypatch.setattr(
            row_vectors, "load_encoder", lambda name: lambda some: [[1, 2]]
        )
        assert encoder(["text"]).tolist() == [[1, 2]]

    def test_the_report_says_what_it_brings(self, rows, static_model, capsys):
        argv = [*COMPARE, "--drop", "key"]
        assert run(*argv)[0] == 0
        assert "What the rows are made of" not in capsys.readouterr().out
        assert run(*argv, "--encoder", static_model)[0] == 0
        out = " ".join(capsys.readouterr().out.split())
        assert re.search(r"What the rows are made of: with \d+ chosen labels, the", out)
        assert "and with the default numbers of texts one of" in out


def with_cell(vectors, value):
    """Return vectors of which one number is another value."""
    vectors[7, 2] = value
    return vectors


class TestFeatures:
    @pytest.fixture
    def features(self, rows):
        """Write vectors that tell the kinds apart; return them."""
        rng = np.random.default_rng(1)
        found = (
            rng.normal(size=(N, 5)) + 3.0 * (rows["kind"] == "film").to_numpy()[:, None]
        )
        return found.astype(np.float32)

    def write(self, features, keys, name):
        if name.endswith(".npy"):
            np.save(name, features)
        elif name.endswith("list.parquet"):
            table = pd.DataFrame({"key": keys, "v": [*features]})
            table.iloc[::-1].to_parquet(name)
        else:
            table = pd.DataFrame(features).rename(columns="v{}".format)
            table = table.assign(key=[*keys]).iloc[::-1]
            is_csv = name.endswith(".csv")
            (table.to_csv if is_csv else table.to_parquet)(name, index=False)

    @pytest.mark.parametrize("name", ["v.npy", "v.csv", "v.parquet", "list.parquet"])
    def test_files_of_vectors(self, rows, features, name):
        self.write(features, rows["key"], name)
        found = row_vectors.read_features(Path(name), "key", [*rows["key"]])
        np.testing.assert_allclose(found, features, atol=1e-6)

    def test_from_labels_to_predictions(self, rows, features, capsys):
        self.write(features, rows["key"], "v.csv")
        self.write(features[:9], rows["key"][:9], "new.parquet")
        assert run(*LABEL, "--features", "v.csv", "--save-model", "m.skops")[0] == 0
        argv = ["predict", "m.skops", "new.csv", "--out", "new_out.csv"]
        assert run(*argv, "--id", "key", "--features", "new.parquet")[0] == 0
        found = pd.read_csv("new_out.csv")["prediction"]
        assert (found == rows["kind"][:9]).all()
        code, err = run(*argv, capsys=capsys)
        assert code == 2
        assert "needs a vector for each row" in err
        code, err = run(*argv, "--encoder", "x", capsys=capsys)
        assert code == 2
        assert "was trained without an encoder" in err

    @pytest.mark.parametrize(
        ("change", "name", "words"),
        [
            (lambda v, keys: (v[:-1], keys[:-1]), "v.npy", "59 rows, and the file"),
            (lambda v, keys: (v[:-1], keys[:-1]), "v.csv", "have no vector there"),
            (lambda v, keys: (v[:, 0], keys), "v.npy", "a matrix of numbers is needed"),
            (lambda v, keys: (v, ["k1", *keys[1:]]), "v.csv", "two rows have the name"),
            *(
                (
                    lambda v, keys, value=value: (with_cell(v, value), keys),
                    name,
                    "the vector of row k7 is not finite",
                )
                for name in ("v.npy", "v.csv")
                for value in (np.nan, np.inf)
            ),
            (
                lambda v, keys: (with_cell(v.astype(object), "x"), keys),
                "v.csv",
                "'v2' has no numbers",
            ),
        ],
    )
    def test_wrong_vectors(self, rows, features, change, name, words, capsys):
        self.write(*change(features, rows["key"].tolist()), name)
        code, err = run(*LABEL, "--features", name, capsys=capsys)
        assert code == 2
        assert words in err

    def test_a_csv_with_the_index_of_pandas(self, rows, features):
        pd.DataFrame(features).assign(key=rows["key"]).to_csv("v.csv")
        found = row_vectors.read_features(Path("v.csv"), "key", [*rows["key"]])
        np.testing.assert_allclose(found, features, atol=1e-6)

    @pytest.mark.parametrize(
        ("name", "content", "words"),
        [
            (
                "v.csv",
                b"key,a\nk0,1,2\nk1,3,4\n",
                "line 2 has 3 cells, and the header 2",
            ),
            (
                "v.csv",
                b"key,a,b\nk0,1,2\nk1,3\n",
                "line 3 has 2 cells, and the header 3",
            ),
            ("v.csv", b"key,a,a\nk0,1,2\n", "the header names the column 'a' twice"),
            ("v.csv", b"key,key,a\nk0,k1,2\n", "the header names the column 'key' twi"),
            *(("v.npy", content, "") for content in (b"", b"text", b"PK\x03\x04")),
        ],
    )
    def test_files_that_are_no_vectors(self, rows, name, content, words, capsys):
        Path(name).write_bytes(content)
        code, err = run(*LABEL, "--features", name, capsys=capsys)
        assert code == 2
        assert f"--features: {name}: {words}" in err

    def test_the_file_that_needs_a_package_is_named(
        self, rows, features, capsys, monkeypatch
    ):
        self.write(features, rows["key"], "v.parquet")
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        code, err = run(*LABEL, "--features", "v.parquet", capsys=capsys)
        assert code == 2
        assert "--features: v.parquet: .parquet files need pyarrow" in err

    def test_rows_of_any_name(self, features):
        keys = ["NA", "null", "a", "007"]
        self.write(features[:4], keys, "v.csv")
        found = row_vectors.read_features(Path("v.csv"), "key", keys)
        np.testing.assert_allclose(found, features[:4], atol=1e-6)

    def test_vectors_by_the_place_of_rows(self, rows, features):
        np.save("v.npy", features[:5])
        found = row_vectors.read_features(Path("v.npy"), None, ["a", "b"], [2, 5], 5)
        np.testing.assert_array_equal(found, features[[1, 4]])

    def test_compare(self, rows, features, capsys):
        self.write(features, rows["key"], "v.csv")
        argv = [*COMPARE, "--id", "key", "--features", "v.csv"]
        assert run(*argv)[0] == 0
        out = " ".join(capsys.readouterr().out.split())
        assert "and without the vectors one of" in out
        rows[["key", "kind"]].to_csv("rows.csv", index=False)
        argv[5:7] = []
        assert run(*argv)[0] == 0
        assert "What the rows are made of" not in capsys.readouterr().out
