"""Numbers of texts: weights of words and of their parts, directions, vectors."""

from array import array
from collections import defaultdict
from itertools import count

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from threadpoolctl import threadpool_limits

from ._embeddings import centred, fitted_vectors, vectors_of

N_WORDS = 50_000  # the most frequent ones
N_PARTS = 20_000  # likewise

#: Lengths of the parts of words, in characters. In languages without spaces these parts
#: are the words.
PARTS = (2, 4)

#: Directions are found from at most this number of texts. More texts take time, and
#: gave no better directions.
MOST_TEXTS = 3_000

NO_WORDS = "there are no words in the texts."

#: Two blocks of this weight make rows of length 1.
HALF = np.sqrt(0.5)


class TextVectorizer(TransformerMixin, BaseEstimator):
    """Transformer of a sequence of texts to a CSR matrix of blocks of numbers.

    Parameters
    ----------
    parts : bool, default=True
        Whether there is a block with the weights of parts of words.
    n_directions : int, default=100
        Number of principal directions, 0 for none; there are none with an embedding.
    embedding : callable, transformer, str or path, default=None
        Encoder of texts, whose vectors are the last block.

    Attributes
    ----------
    words_ : TfidfVectorizer or None
    parts_ : PartsVectorizer or None
        Fitted transformers of texts to weights.
    directions_ : Pipeline or None
        Fitted transformer of weights to places.
    embedding_ : transformer or None
        Fitted clone of an embedding that is a transformer.
    mean_ : ndarray of shape (n_dimensions,) or None
        Mean of the vectors of the embedding.
    n_dense_ : int
        Number of last columns that are directions or vectors.
    """

    def __init__(self, parts=True, n_directions=100, embedding=None):
        self.parts = parts
        self.n_directions = n_directions
        self.embedding = embedding

    def fit(self, texts, y=None):
        """Learn words, parts, and directions or the mean of vectors."""
        self.fit_transform(texts)
        return self

    def fit_transform(self, texts, y=None):
        """Learn words, parts, and directions or the mean of vectors; return numbers."""
        texts = list(texts)
        words = TfidfVectorizer(sublinear_tf=True, max_features=N_WORDS)
        parts = PartsVectorizer() if self.parts else None
        fitted = [fitted_or_none(each, texts) for each in (words, parts)]
        (self.words_, _), (self.parts_, _) = fitted
        weights = joined([weights for _, weights in fitted if weights is not None])
        self.directions_ = self.embedding_ = self.mean_ = None
        if self.embedding is not None:
            vectors, self.embedding_ = fitted_vectors(self.embedding, texts, "text")
            self.mean_ = vectors.mean(axis=0)
            dense = centred(vectors, self.mean_)
        elif self.n_directions and weights.shape[1] > 1:
            self.directions_ = principal_directions(weights, self.n_directions)
            dense = places(weights, self.directions_)
        else:
            dense = np.empty((len(texts), 0))
        self.n_dense_ = dense.shape[1]
        return hstack([weights, csr_matrix(dense)]).tocsr()

    def transform(self, texts):
        """Return the numbers of texts."""
        texts = list(texts)
        blocks = [self.weights(texts)]
        if self.directions_ is not None:
            blocks.append(csr_matrix(places(blocks[0], self.directions_)))
        elif self.mean_ is not None:
            encoder = self.embedding if self.embedding_ is None else self.embedding_
            vectors = centred(vectors_of(encoder, texts, "text"), self.mean_)
            blocks.append(csr_matrix(vectors))
        return hstack(blocks).tocsr()

    def get_feature_names_out(self, input_features=None):
        """Return the names of the numbers: words, parts, and counted directions."""
        start = "" if input_features is None else f"{input_features[0]} "
        blocks = {"word": self.words_, "part": self.parts_}
        names = [
            f"{start}{what} {name}"
            for what, block in blocks.items()
            if block is not None
            for name in block.get_feature_names_out()
        ]
        what = "vector" if self.directions_ is None else "direction"
        return np.array(names + [f"{start}{what} {k}" for k in range(self.n_dense_)])

    def weights(self, texts):
        """Return the weights of words and parts of texts."""
        vectorizers = [each for each in (self.words_, self.parts_) if each is not None]
        return joined([each.transform(texts) for each in vectorizers])


class PartsVectorizer(TransformerMixin, BaseEstimator):
    """Transformer of texts to the TF-IDF weights of the most frequent parts of words.

    As ``TfidfVectorizer(analyzer="char_wb")``, but several times as fast, because each
    word is cut once, however often it occurs.

    Attributes
    ----------
    names_ : ndarray of str of shape (n_parts,)
        The parts, sorted.
    weights_ : TfidfTransformer
        Turns counts into weights.
    """

    def get_feature_names_out(self, input_features=None):
        """Return the parts."""
        return self.names_

    def fit_transform(self, texts, y=None):
        """Learn the parts, and return the weights."""
        words, of_words = count_pieces(texts, split_words)
        parts, of_parts = count_pieces(words, cut_word)
        if not parts:
            raise ValueError("empty vocabulary: the texts have no words.")
        parts = np.array(parts)
        n_times = np.asarray(of_words.sum(axis=0)).ravel() @ of_parts
        kept = np.lexsort((parts, -n_times))[:N_PARTS]
        kept = kept[np.argsort(parts[kept])]
        self.names_ = parts[kept]
        n_times = of_words @ of_parts[:, kept]
        self.weights_ = TfidfTransformer(sublinear_tf=True).fit(n_times)
        return self.weights_.transform(n_times, copy=False)

    def fit(self, texts, y=None):
        """Learn the parts."""
        self.fit_transform(texts)
        return self

    def transform(self, texts):
        """Return the weights of texts."""
        words, of_words = count_pieces(texts, split_words)
        columns = defaultdict(lambda: len(self.names_))
        columns.update(zip(self.names_.tolist(), count()))
        _, of_parts = count_pieces(words, cut_word, columns)
        n_times = of_words @ of_parts[:, : len(self.names_)]
        return self.weights_.transform(n_times, copy=False)


def split_words(text):
    """Return the words between the spaces of a text; NUL, which arrays drop, is one."""
    return text.lower().replace("\0", " ").split()


def cut_word(word):
    """Return the parts of a word, which begins and ends with a space."""
    word = f" {word} "
    return [
        word[start : start + length]
        for length in range(PARTS[0], PARTS[1] + 1)
        for start in range(len(word) - length + 1)
    ]


def count_pieces(texts, split, columns=None):
    """Return the pieces of texts, and how often each text (a row) has each of them.

    With the columns of pieces, a dictionary with a default, a piece is counted there.
    """
    if columns is None:
        columns = defaultdict(count().__next__)
    found, ends = array("i"), [0]
    for text in texts:
        found.extend(map(columns.__getitem__, split(text)))
        ends.append(len(found))
    shape = len(texts), len(columns)
    counts = csr_matrix((np.ones(len(found)), found, ends), shape)
    counts.sum_duplicates()
    return list(columns), counts


def fitted_or_none(vectorizer, texts):
    """Return a fitted vectorizer and the weights, None if there is nothing to weigh."""
    if vectorizer is None:
        return None, None
    try:
        weights = vectorizer.fit_transform(texts)
    except ValueError as error:
        if "empty vocabulary" not in str(error):
            raise
        return None, None
    return vectorizer, weights


def joined(blocks):
    """Return blocks of weights, which change, side by side, of length 1 together."""
    if not blocks:
        raise ValueError(NO_WORDS)
    if len(blocks) == 1:
        return blocks[0]
    for block in blocks:
        block.data *= HALF
    return hstack(blocks).tocsr()


def principal_directions(X, n_directions):
    """Return the principal directions of rows of weights, as a transformer.

    This is latent semantic analysis. One thread computes it, because the last digits
    depend on the number of threads.
    """
    if X.shape[0] > MOST_TEXTS:
        some = np.random.default_rng(0).permutation(X.shape[0])[:MOST_TEXTS]
        X = X[np.sort(some)]
    # More iterations or digits take several times as long, for directions that are no
    # better: docs/encoders.rst has the figures.
    svd = TruncatedSVD(min(n_directions, *X.shape), n_iter=2, random_state=0)
    # texts that are all the same have no variance to explain
    with threadpool_limits(1), np.errstate(invalid="ignore", divide="ignore"):
        return make_pipeline(svd, Normalizer()).fit(X.astype(np.float32))


def places(X, directions):
    """Return the places of rows of weights along the directions."""
    with threadpool_limits(1):
        return directions.transform(X.astype(np.float32))


#: Files of models name them by their public path.
for _vectorizer in (PartsVectorizer, TextVectorizer):
    _vectorizer.__module__ = "sklearn_activelearn.preprocessing"
