"""Numbers of texts: words, parts of words, directions, and vectors of an encoder."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

from sklearn_activelearn.labeling import load_model, save_model
from sklearn_activelearn.preprocessing import (
    ImageEncoder,
    TableEncoder,
    TextEncoder,
    VectorEncoder,
    _text_numbers,
)
from sklearn_activelearn.preprocessing._embeddings import load_encoder
from sklearn_activelearn.preprocessing._text_numbers import PartsVectorizer

TEXTS = [
    "The film was good, a very good film", "The goal of the team",
    "A bad film without a plot", "The team lost the match, no goal",
    "ein schöner Film über ein Spiel", "电影很好看", "😀 o k",
]  # fmt: skip


def encode(texts, **params):
    encoder = TextEncoder(["text"], **params)
    return encoder, encoder.fit_transform({"text": texts}).toarray()


def lengths(texts):
    """Return a vector of two numbers for each text: its length, and its spaces."""
    return np.array([[len(text), text.count(" ")] for text in texts], dtype=float)


def unit(vectors):
    """Return centred vectors of length one."""
    vectors = vectors - np.mean(vectors, axis=0)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class TestParts:
    @given(
        texts=st.lists(st.text(alphabet="aAàbcß 电影.\t\n", max_size=12), min_size=1),
        new=st.lists(st.text(alphabet="abdß 电视.", max_size=8), min_size=1),
    )
    def test_they_are_those_of_scikit_learn(self, texts, new):
        texts = [*texts, "ab"]
        how = {"analyzer": "char_wb", "ngram_range": (2, 4), "sublinear_tf": True}
        theirs, ours = TfidfVectorizer(**how), PartsVectorizer()
        expected = theirs.fit_transform(texts).toarray()
        found = ours.fit_transform(texts).toarray()
        assert ours.names_.tolist() == theirs.get_feature_names_out().tolist()
        np.testing.assert_allclose(found, expected, atol=1e-12)
        expected = theirs.transform(new).toarray()
        np.testing.assert_allclose(ours.transform(new).toarray(), expected, atol=1e-12)

    def test_the_most_frequent_ones_are_kept(self, monkeypatch):
        monkeypatch.setattr(_text_numbers, "N_PARTS", 3)
        vectorizer = PartsVectorizer().fit(["abab abab abab", "xy"])
        assert vectorizer.names_.tolist() == [" a", " ab", "ab"]


class TestBlocks:
    def test_each_block_weighs_the_same(self):
        encoder, X = encode(TEXTS)
        n_words = len(encoder.vectorizer_.words_.vocabulary_)
        n_dense = encoder.n_dense_
        assert n_dense == min(100, *X[:, :-1].shape)
        words, parts, places = np.split(X, [n_words, X.shape[1] - n_dense], axis=1)
        has_words = words.any(axis=1)
        assert not has_words.all()
        for block, length in ((words[has_words], 0.5), (parts, 0.5), (places, 1)):
            np.testing.assert_allclose((block**2).sum(axis=1), length, atol=1e-4)

    def test_directions_of_many_texts_come_from_some_of_them(self, monkeypatch):
        monkeypatch.setattr(_text_numbers, "MOST_TEXTS", 30)
        rng = np.random.default_rng(0)
        subjects = [["cat", "dog", "bird", "fish"], ["red", "green", "blue", "pink"]]
        which = rng.integers(2, size=300)
        texts = [" ".join(rng.choice(subjects[k], 3)) for k in which]
        X = encode(texts, parts=False, n_directions=2)[1]
        places = X[:, -2:]
        inside = places[which == 0] @ places[which == 0].T
        between = places[which == 0] @ places[which == 1].T
        assert inside.mean() > between.mean() + 0.5
        some = np.sort(np.random.default_rng(0).permutation(300)[:30])
        weights = csr_array(X[:, :-2])
        svd = TruncatedSVD(2, random_state=0).fit(weights[some])
        expected = normalize(svd.transform(weights))
        np.testing.assert_allclose(places, expected, atol=1e-4)

    def test_languages_without_spaces(self):
        X = encode(["电影很好看", "这部电影不好", "酒店很干净", "这家酒店不好"])[1]
        cosines = X @ X.T
        assert cosines[0, 1] > cosines[0, 3]
        assert cosines[2, 3] > cosines[1, 2]

    @pytest.mark.parametrize(
        "texts",
        [
            ["😀", "😢", "ok"],
            ["a", "b", "c"],
            ["word"] * 3,
            ["مرحبا بالعالم", "こんにちは世界", "schön"],
            ["long " * 100_000, "x", ""],
            ["good\0 film", "bad\0film", "\0"],
        ],
    )
    def test_texts_of_all_kinds(self, texts):
        encoder, X = encode(texts)
        assert X.shape[0] == 3
        assert np.isfinite(X).all()
        np.testing.assert_array_equal(encoder.transform({"text": texts}).toarray(), X)

    def test_new_texts_have_numbers_of_the_same_columns(self):
        encoder, X = encode(TEXTS)
        new = encoder.transform({"text": ["quite another text", ""]})
        assert new.shape == (2, X.shape[1])
        assert not new[1, : -encoder.n_dense_].nnz

    @pytest.mark.parametrize("embedding", [None, lengths])
    def test_text_columns_of_a_table_have_the_same_numbers(self, embedding):
        rows = {"note": TEXTS, "size": ["1", "5", "2", "9", "3", "4", "8"]}
        encoder = TableEncoder(text=["note"], embedding=embedding)
        X = encoder.fit_transform(rows)
        assert issparse(X)
        _, alone = encode(TEXTS, embedding=embedding)
        np.testing.assert_allclose(X.toarray()[:, 1:], alone, atol=1e-6)
        np.testing.assert_allclose(encoder.transform(rows).toarray(), X.toarray())

    def test_a_model_in_a_file(self, tmp_path):
        y = [0, 1, 0, 1, 0, 0, 1]
        model = make_pipeline(TextEncoder(["text"]), LogisticRegression())
        model.fit({"text": TEXTS}, y)
        save_model(model, tmp_path / "model.skops")
        loaded = load_model(tmp_path / "model.skops")
        new = {"text": ["a film", "电影", ""]}
        np.testing.assert_array_equal(
            loaded.predict_proba(new), model.predict_proba(new)
        )


class TestEmbedding:
    def test_vectors_are_centred_and_of_length_one(self):
        encoder, X = encode(TEXTS, embedding=lengths)
        assert encoder.n_dense_ == 2
        np.testing.assert_allclose(X[:, -2:], unit(lengths(TEXTS)), atol=1e-6)
        new = encoder.transform({"text": ["abc de"]}).toarray()[0, -2:]
        expected = lengths(["abc de"])[0] - lengths(TEXTS).mean(axis=0)
        np.testing.assert_allclose(new, expected / np.linalg.norm(expected), atol=1e-6)

    def test_a_transformer_is_cloned_and_fitted(self):
        transformer = make_pipeline(TfidfVectorizer(), TruncatedSVD(2, random_state=0))
        encoder, X = encode(TEXTS, embedding=transformer)
        assert not hasattr(transformer[0], "vocabulary_")
        vectors = clone(transformer).fit_transform(TEXTS)
        np.testing.assert_allclose(X[:, -2:], unit(vectors), atol=1e-6)
        again = encoder.transform({"text": TEXTS}).toarray()
        np.testing.assert_allclose(again, X, atol=1e-6)

    def test_it_gets_at_most_256_texts_at_once(self):
        sizes = []

        def count(texts):
            assert isinstance(texts, list)
            sizes.append(len(texts))
            return lengths(texts)

        encode([f"text {k}" for k in range(600)], embedding=count)
        assert sizes == [256, 256, 88]

    @pytest.mark.parametrize(
        ("embedding", "words"),
        [
            (lambda texts: ["a"] * len(texts), "must return numbers"),
            (lambda texts: [[1.0, 2.0]], "one vector for each text"),
            (lambda texts: [1.0] * len(texts), "one vector for each text"),
            (
                lambda texts: [[np.nan if "bad" in t else 1.0] for t in texts],
                "the vector of text 3 has others",
            ),
            (
                lambda texts: [[np.inf if "电" in t else 1.0] for t in texts],
                "the vector of text 6",
            ),
        ],
    )
    def test_wrong_vectors(self, embedding, words):
        with pytest.raises(ValueError, match=words):
            encode(TEXTS, embedding=embedding)

    def test_texts_on_which_an_encoder_fails_are_named(self):
        def fails(some):
            return [[1 / ("text 299" not in some)]] * len(some)

        with pytest.raises(ValueError, match="failed on texts 257 to 300: Zero"):
            encode([f"text {k}" for k in range(300)], embedding=fails)

    @pytest.mark.parametrize("embedding", [3, TfidfVectorizer, ["a"]])
    def test_what_is_no_encoder(self, embedding):
        with pytest.raises(TypeError, match="embedding must be a callable"):
            encode(TEXTS, embedding=embedding)

    def test_another_encoder_later(self):
        encoder, _ = encode(TEXTS, embedding=lengths)
        encoder._rename_embedding(lambda texts: np.ones((len(texts), 3)))
        with pytest.raises(ValueError, match="of another encoder"):
            encoder.transform({"text": TEXTS})


class TestNamedModels:
    def test_a_model_of_model2vec(self, static_model):
        X = encode(TEXTS, embedding=static_model)[1]
        vectors = load_encoder(str(static_model))(TEXTS).astype(float)
        np.testing.assert_allclose(X[:, -8:], unit(vectors), atol=1e-5)

    def test_no_model_there(self, tmp_path):
        with pytest.raises(ValueError, match=r"^the encoder '.*nothing' cannot be"):
            encode(TEXTS, embedding=tmp_path / "nothing")

    def test_no_library(self, monkeypatch):
        monkeypatch.setattr(
            "sklearn_activelearn.preprocessing._embeddings.LIBRARIES", ("no_such",) * 2
        )
        with pytest.raises(ValueError, match="pip install one of them"):
            encode(TEXTS, embedding="some name")


class TestVectors:
    ROWS = {"text": TEXTS, "v": [[k, k**2, 1.0] for k in range(7)]}

    def test_alone(self):
        X = VectorEncoder("v").fit_transform(self.ROWS)
        np.testing.assert_allclose(X, unit(self.ROWS["v"]), atol=1e-6)

    @pytest.mark.parametrize(
        "other", [TextEncoder(["text"]), TableEncoder(text=["text"])]
    )
    def test_beside_another_encoder(self, other):
        encoder = VectorEncoder("v", other)
        X = encoder.fit_transform(pd.DataFrame(self.ROWS))
        alone = clone(other).fit_transform({"text": TEXTS}).toarray()
        np.testing.assert_array_equal(X.toarray()[:, :-3], alone)
        assert encoder.n_dense_ == 3
        assert encoder.feature_names_in_.tolist() == ["text", "v"]
        new = encoder.transform({"text": ["a film"], "v": [np.array([1, 2, 3])]})
        assert new.shape == (1, X.shape[1])

    @pytest.mark.parametrize(
        ("columns", "words"),
        [
            ({"v": [[1, 2], [1]]}, "row 2, column .v.: the vector has 1 numbers"),
            ({"v": [[1, np.nan], [1, 2]]}, "the vector of row 1"),
            ({"v": [["a"], ["b"]]}, "column 'v' must return numbers"),
            ({"w": [[1]]}, "no column 'v' of vectors"),
            ({"v": [[1], [2]], "w": ["a"]}, "different numbers of cells"),
        ],
    )
    def test_wrong_vectors(self, columns, words):
        with pytest.raises(ValueError, match=words):
            VectorEncoder("v").fit(columns)

    def test_vectors_of_another_encoder(self):
        encoder = VectorEncoder("v").fit({"v": [[1, 2], [3, 4]]})
        with pytest.raises(ValueError, match="column 'v' has vectors of 3 numbers"):
            encoder.transform({"v": [[1, 2, 3]]})


@pytest.mark.parametrize(
    ("encoder", "error", "words"),
    [
        (TextEncoder("text"), TypeError, "must be a list of names, got 'text'"),
        (TableEncoder(text="text"), TypeError, "must be a list of names, got 'text'"),
        (TableEncoder(drop="text"), TypeError, "must be a list of names, got 'text'"),
        (TextEncoder([]), ValueError, "columns is empty"),
        (TextEncoder(["empty"]), ValueError, "no words in the column 'empty'"),
        (TextEncoder(["text"], parts=1), TypeError, "parts"),
        (TextEncoder(["text"], n_directions=-1), ValueError, "n_directions"),
    ],
    ids=str,
)
def test_what_is_refused(encoder, error, words):
    columns = dict.fromkeys(["text", "t", "e", "x"], TEXTS)
    with pytest.raises(error, match=words):
        encoder.fit({**columns, "empty": ["", "  "] * 3 + [""]})


class TestImages:
    def test_an_embedding_gets_images(self, tmp_path):
        Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
        names = []
        for k in range(4):
            names.append(f"{k}.png")
            Image.new("L", (6, 4), 60 * k).save(tmp_path / names[-1])

        def mean_colours(images):
            assert all(image.mode == "RGB" for image in images)
            return [np.asarray(image).mean(axis=(0, 1)) for image in images]

        encoder = ImageEncoder("file", tmp_path, embedding=mean_colours)
        X = encoder.fit_transform({"file": names})
        expected = unit([[60.0 * k] * 3 for k in range(4)])
        np.testing.assert_allclose(X, expected, atol=1e-6)
        np.testing.assert_allclose(encoder.transform({"file": names[:1]}), X[:1])
        with pytest.raises(ValueError, match=r"row 1: 'no.png': there is no such file"):
            encoder.transform({"file": ["no.png"]})
