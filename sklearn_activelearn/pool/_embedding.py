"""Rows as points: what the distances between them are measured in."""

from functools import cached_property

import numpy as np
from scipy.sparse import diags_array, issparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import normalize
from sklearn.utils.sparsefuncs import mean_variance_axis

from .._containers import as_array, as_numbers, framed, n_rows
from ._training import seeded

#: Rows of which fewer numbers than this share are not zero are texts.
FEW = 0.05

#: Rows are equally long if their squared lengths differ by no more than this share of
#: the sum of the variances.
SAME_LENGTH = 2e-3

#: Most distances that are kept from one query to the next, 8 bytes each.
MOST_KEPT = 2**24

#: Squared distances below this share of the largest one are rounding errors, as are
#: standard deviations below this share of the largest number.
NEGLIGIBLE = 1e-10

#: The neighbourhood of a row is one of so many parts of a pool.
NEIGHBOURS = 10

#: Squares of larger numbers are infinite.
LARGEST = 1e150

NOT_NUMBERS = (
    "These rows have no distances: they are not numbers. As embedding, pass a "
    "transformer that makes numbers of them, such as make_pipeline(TfidfVectorizer(), "
    "TruncatedSVD(100))."
)
GAPS = (
    "These rows have no distances: some of their numbers are missing. As embedding, "
    "pass a transformer that fills them, such as make_pipeline(SimpleImputer(), "
    "StandardScaler())."
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
    names : ndarray of str, optional
        Those of the columns; the embedding gets a DataFrame.

    Attributes
    ----------
    rows : {ndarray, CSR array} of float64 of shape (n_samples, n_dimensions)
        The points.
    """

    keys = None  # until it is made again

    def __init__(self, embedding, X, keys, seed, names=None):
        self.keys, self.seed = keys, seed
        self.names = None if embedding is None else names
        self.rows, self._place = embed(embedding, framed(X, self.names), seed)
        self._kept, self._radii = {}, {}

    def further(self, X):
        """Return rows that need not be in the pool as points of the same space."""
        points = self._place(framed(X, self.names))
        if points.shape[1] != self.rows.shape[1]:
            raise ValueError(
                f"embedding made points of {points.shape[1]} dimensions of rows that "
                f"are not in the pool, of {self.rows.shape[1]} of the pool; it must "
                "treat each row by itself."
            )
        return points

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

    def radii(self, rows, n_sample):
        """Return how far from each of these rows its neighbours reach.

        That is the distance to the k-th nearest of so many rows that stand for the
        pool, with k a tenth of them.
        """
        if n_sample not in self._radii:
            self._radii = {n_sample: np.full(self.rows.shape[0], np.nan)}
        radii = self._radii[n_sample]
        new = rows[np.isnan(radii[rows])]
        if len(new):
            radii[new] = self.radii_of(self.squared_distances(new, n_sample))
        return radii[rows]

    def radii_of(self, squared_distances):
        """Return the radii of rows with these distances to those that stand."""
        n_sample = squared_distances.shape[1]
        k = min(max(1, n_sample // NEIGHBOURS), n_sample - 1)  # the first: itself
        nearest = np.partition(squared_distances, k, axis=1)[:, k]
        return np.sqrt(np.maximum(nearest, NEGLIGIBLE * self.typical))

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

    def made_by(function, rows, which):
        try:
            points = function(rows.copy())  # which it may change
        except Exception as error:
            raise ValueError(
                f"embedding {embedding} failed on {which}: {type(error).__name__}: "
                f"{error}"
            ) from error
        return checked_points(points, n_rows(rows))

    if embedding is None:
        points = numbers(X)
        if np.count_nonzero(points.data if issparse(points) else points) < (
            FEW * points.shape[0] * points.shape[1]
        ):
            return normalize(points), lambda rows: normalize(numbers(rows))
        scale = scales(points)
        return points @ scale, lambda rows: numbers(rows) @ scale
    first = later = embedding
    if hasattr(embedding, "transform"):
        transformer = seeded(embedding, seed % 2**32)
        first, later = transformer.fit_transform, transformer.transform
    points = made_by(first, X, "the pool")
    return points, lambda rows: made_by(later, rows, "rows that are not in the pool")


def numbers(X):
    """Return rows of numbers in double precision, or refuse them."""
    X = as_numbers(X)
    if X is None:
        raise ValueError(NOT_NUMBERS)
    if not np.isfinite(X.data if issparse(X) else X).all():
        raise ValueError(GAPS)
    return X.astype(np.float64)


def scales(points):
    """Return the matrix that makes the columns alike, whatever their units.

    A column is divided by its standard deviation; one that is mostly zero, as those of
    symbols, by its largest absolute value. Rows that all have one length are left as
    they are. What it finds does not depend on whether they are sparse.
    """
    largest = as_array(abs(points).max(axis=0)).ravel()
    to_one = reciprocal(largest, largest > np.finfo(float).tiny)
    in_units = points @ diags_array(to_one, format="csr")
    if issparse(points):
        _, variance = mean_variance_axis(in_units, axis=0)
    else:
        variance = in_units.var(axis=0)
    deviation = np.sqrt(variance)
    varies = deviation > NEGLIGIBLE  # else a rounding error of a constant
    if not varies.any():
        return diags_array(np.zeros(len(varies)), format="csr")
    relative = (largest * varies / largest[varies].max()) ** 2
    squared_lengths = abs(in_units) ** 2 @ relative
    spread = np.ptp(squared_lengths[squared_lengths > 0])
    if spread <= SAME_LENGTH * (relative @ variance):
        return diags_array(varies.astype(float), format="csr")
    is_mostly_zero = (points != 0).mean(axis=0) < 0.5
    size = np.where(is_mostly_zero, 1.0, deviation)
    return diags_array(to_one * reciprocal(size, varies), format="csr")


def reciprocal(values, where):
    """Return 1 over these values, 0 elsewhere."""
    return np.divide(1.0, values, out=np.zeros(len(values)), where=where)


def checked_points(points, n_samples):
    """Return what an embedding made of so many rows, or refuse it."""
    try:
        if np.iscomplexobj(points):
            raise TypeError
        points = as_numbers(points) if issparse(points) else np.asarray(points)
        points = points.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError("embedding must make real numbers of rows.") from None
    shape = points.shape
    if len(shape) != 2 or 0 in shape[1:]:
        raise ValueError(
            "embedding must make an array of shape (n_samples, n_dimensions), got "
            f"{shape}."
        )
    if shape[0] != n_samples:
        raise ValueError(
            f"embedding must make one point of each row: it made {shape[0]} of "
            f"{n_samples}."
        )
    values = points.data if issparse(points) else points
    is_usual = abs(values) <= LARGEST
    if not is_usual.all():
        raise ValueError(
            f"embedding must make finite numbers up to {LARGEST:g} of rows, got "
            f"{values[~is_usual][0]}."
        )
    return points
