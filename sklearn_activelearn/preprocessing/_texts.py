"""Numbers of texts: weights of words and of their parts, directions, vectors."""

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import (
    CountVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from threadpoolctl import threadpool_limits

from ._embeddings import centred, fitted_vectors, vectors_of

N_WORDS = 50_000  # the most frequent ones
N_PARTS = 20_000  # likewise

#: Lengths of the parts of words, in characters. In languages without spaces these parts
#: are the words.
PARTS = (2, 4)

HOW_TO_CUT = {"analyzer": "char_wb", "ngram_range": PARTS}

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
        vectorizers = [make_vectorizer(), PartsVectorizer() if self.parts else None]
        fitted = [fitted_or_none(each, texts) for each in vectorizers]
        (self.words_, _), (self.parts_, _) = fitted
        weights = joined([weights for _, weights in fitted if weights is not None])
        self.directions_ = self.embedding_ = self.mean_ = None
        if self.embedding is not None:
            vectors, self.embedding_ = fitted_vectors(self.embedding, texts, "text")
            self.mean_ = vectors.mean(axis=0)
            dense = centred(vectors, self.mean_)
        elif self.n_directions:
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
        words, of_words = count_words(texts)
        cutter = CountVectorizer(**HOW_TO_CUT)
        of_parts = cutter.fit_transform(words)
        n_times = np.asarray(of_words.sum(axis=0)).ravel() @ of_parts
        kept = np.sort(np.argsort(-n_times, kind="stable")[:N_PARTS])
        self.names_ = cutter.get_feature_names_out()[kept].astype(str)
        self.weights_ = TfidfTransformer(sublinear_tf=True)
        return self.weights_.fit_transform(of_words @ of_parts[:, kept])

    def fit(self, texts, y=None):
        """Learn the parts."""
        self.fit_transform(texts)
        return self

    def transform(self, texts):
        """Return the weights of texts."""
        if not any(map(split_words, texts)):
            return csr_matrix((len(texts), len(self.names_)))
        words, of_words = count_words(texts)
        # made for each call: a file of a model holds an array in less space than a dict
        cutter = CountVectorizer(**HOW_TO_CUT, vocabulary=self.names_.tolist())
        return self.weights_.transform(of_words @ cutter.transform(words))


def split_words(text):
    """Return the words between the spaces of a text; NUL, which arrays drop, is one."""
    return text.replace("\0", " ").split()


def count_words(texts):
    """Return the words between the spaces of texts, and their counts in each text."""
    counter = CountVectorizer(tokenizer=split_words, token_pattern=None)
    counts = counter.fit_transform(texts)
    return counter.get_feature_names_out(), counts


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
    """Return blocks of weights side by side, of length 1 together."""
    if not blocks:
        raise ValueError(NO_WORDS)
    if len(blocks) == 1:
        return blocks[0]
    return hstack([HALF * block for block in blocks]).tocsr()


def make_vectorizer():
    """Return a transformer of texts to the TF-IDF weights of their words."""
    return TfidfVectorizer(sublinear_tf=True, max_features=N_WORDS)


def principal_directions(X, n_directions):
    """Return the principal directions of rows of weights, as a transformer.

    This is latent semantic analysis. One thread computes it, because the last digits
    depend on the number of threads.
    """
    if X.shape[0] > MOST_TEXTS:
        some = np.random.default_rng(0).permutation(X.shape[0])[:MOST_TEXTS]
        X = X[np.sort(some)]
    svd = TruncatedSVD(min(n_directions, *X.shape), random_state=0)
    # texts that are all the same have no variance to explain
    with threadpool_limits(1), np.errstate(invalid="ignore", divide="ignore"):
        return make_pipeline(svd, Normalizer()).fit(X)


def places(X, directions):
    """Return the places of rows of weights along the directions."""
    with threadpool_limits(1):
        return directions.transform(X)


#: Files of models name them by their public path.
for _vectorizer in (PartsVectorizer, TextVectorizer):
    _vectorizer.__module__ = "sklearn_activelearn.preprocessing"
