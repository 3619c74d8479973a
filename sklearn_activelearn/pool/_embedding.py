"""Rows as points: what the distances between them are measured in."""

from functools import cached_property

import numpy as np
from scipy.sparse import csr_array, diags_array, issparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import normalize
from sklearn.utils import check_array

from .._containers import as_array, as_numbers, n_rows
from ._training import seeded

#: Rows of which fewer numbers than this share are not zero are texts.
FEW = 0.05

#: Rows whose lengths differ by no more than this share count as equally long.
SAME_LENGTH = 1e-3

#: Most distances that are kept from one query to the next, 8 bytes each.
MOST_KEPT = 2**24

#: Squared distances below this share of the largest one are rounding errors.
NEGLIGIBLE = 1e-10

NOT_NUMBERS = (
    "These rows have no distances: they are not numbers, or some are missing. As "
    "embedding, pass a transformer that makes numbers of them, such as "
    "make_pipeline(TfidfVectorizer(), TruncatedSVD(100))."
)


class Points:
    """The rows of a pool as points.

    Pickles hold nothing of it: the same pool, embedding and seed give the same points.

    Parameters
    ----------
    embedding : transformer, callable or None
        As learners take it.
    X : rows
        The pool.
    keys : ndarray of uint64 of shape (n_samples,)
        What its rows are recognised by.
    seed : int
        Of the embedding's random numbers, and of the rows that stand for the pool.

    Attributes
    ----------
    rows : {ndarray, CSR array} of float64 of shape (n_samples, n_dimensions)
        The points.
    """

    keys = None  # until it is made anew

    def __init__(self, embedding, X, keys, seed):
        self.keys, self.seed = keys, seed
        self.rows, self._place = embed(embedding, X, seed)
        self._kept = {}

    def further(self, X):
        """Return rows that need not be in the pool as points of the same space."""
        return checked(self._place(X), n_rows(X))

    def sample(self, n):
        """Return the numbers of n rows that stand for the pool, ascending."""
        n_all = self.rows.shape[0]
        if n >= n_all:
            return np.arange(n_all)
        return np.sort(np.random.default_rng(self.seed).permutation(n_all)[:n])

    @cached_property
    def typical(self):
        """The median squared distance between points that are not the same."""
        some = self.rows[self.sample(500)]
        return float(np.median(apart(some)))

    def squared_distances(self, rows, n_sample):
        """Return those between these rows of the pool and so many that stand for it.

        Returns
        -------
        squared_distances : ndarray of shape (n_rows, n_sample)
        """
        others, n_all = self.rows[self.sample(n_sample)], self.rows.shape[0]
        if n_all * others.shape[0] > MOST_KEPT:
            return euclidean_distances(self.rows[rows], others, squared=True)
        if n_sample not in self._kept:
            everything = euclidean_distances(self.rows, others, squared=True)
            self._kept = {n_sample: everything}
        return self._kept[n_sample][rows]

    def __getstate__(self):
        return {}


def apart(points):
    """Return the squared distances between points that are not the same, or 1."""
    distances = euclidean_distances(points, squared=True)
    distances = distances[np.triu_indices(len(distances), 1)]
    distances = distances[distances > NEGLIGIBLE * distances.max(initial=0.0)]
    return distances if len(distances) else np.ones(1)


def check_embedding(embedding):
    """Refuse what makes no points of rows."""
    if isinstance(embedding, type) or not (
        embedding is None or hasattr(embedding, "transform") or callable(embedding)
    ):
        raise TypeError(
            f"embedding must be a transformer, a callable or None, got {embedding!r}."
        )


def embed(embedding, X, seed):
    """Return the rows of a pool as points, and what makes points of other rows."""
    if embedding is None:
        points = numbers(X)
        if np.count_nonzero(points.data if issparse(points) else points) < (
            FEW * points.shape[0] * points.shape[1]
        ):
            return normalize(points), lambda rows: normalize(numbers(rows))
        scale = scales(points)
        return points @ scale, lambda rows: numbers(rows) @ scale
    transformer = embedding
    try:
        if hasattr(embedding, "transform"):
            transformer = seeded(embedding, seed % 2**32)
            points = transformer.fit_transform(X)
        else:
            points = embedding(X)
    except Exception as error:
        raise ValueError(
            f"embedding {embedding} failed on the pool: {type(error).__name__}: {error}"
        ) from error
    return checked(points, n_rows(X)), getattr(transformer, "transform", transformer)


def numbers(X):
    """Return rows of numbers in double precision, or refuse them."""
    X = as_numbers(X)
    if X is None or not np.isfinite(X.data if issparse(X) else X).all():
        raise ValueError(NOT_NUMBERS)
    return X.astype(np.float64)


def scales(points):
    """Return the matrix that makes the columns alike, whatever their units.

    A column is divided by its standard deviation; one that is mostly zero, as those of
    symbols, by its largest absolute value. Rows that all have one length are left as
    they are. What it finds does not depend on whether they are sparse.
    """
    squares = points.multiply(points) if issparse(points) else points * points
    mean = points.mean(axis=0)
    variance = np.maximum(squares.mean(axis=0) - mean**2, 0.0)
    # what is left of that of a constant column is a rounding error
    varies = variance > NEGLIGIBLE * mean**2
    lengths = np.sqrt(squares @ varies)
    if (lengths[lengths > 0] >= (1 - SAME_LENGTH) * lengths.max()).all():
        return diags_array(varies.astype(float), format="csr")
    is_mostly_zero = (squares > 0).mean(axis=0) < 0.5
    largest = as_array(squares.max(axis=0)).ravel()
    size = np.sqrt(np.where(is_mostly_zero, largest, variance))
    scale = np.divide(1.0, size, out=np.zeros(len(size)), where=varies)
    return diags_array(scale, format="csr")


def checked(points, n_samples):
    """Return what an embedding made of so many rows, or refuse it."""
    try:
        points = check_array(points, accept_sparse="csr", dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"embedding must make finite numbers of rows: {error}"
        ) from None
    if points.shape[0] != n_samples:
        raise ValueError(
            f"embedding must make one point of each row: it made {points.shape[0]} of "
            f"{n_samples}."
        )
    return csr_array(points) if issparse(points) else points
