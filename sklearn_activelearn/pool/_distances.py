"""Distances between rows: points, radii, coverage, and whether they mean something."""

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import diags_array, issparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import normalize
from sklearn.utils.sparsefuncs import mean_variance_axis

from ..base._transaction import shallow_copy
from ..base._verbs import seeded
from ..exceptions import warn_user
from ..sources._containers import (
    as_numbers,
    copy_rows,
    hash_rows,
    is_frame,
    n_rows,
    stack_rows,
    take,
    to_array,
    to_frame,
)
from ..utils._compat import cached_property
from ._ledger import PENDING, SKIPPED

#: Rows with a smaller share of numbers that are not zero are taken for texts.
FEW = 0.05

#: Rows have one length if their squared lengths differ by at most this share of the sum
#: of the variances.
SAME_LENGTH = 2e-3

#: Largest number of distances that are kept between queries, 8 bytes each.
MOST_KEPT = 2**24

#: Squared distances below this share of the largest one are rounding errors, and so are
#: standard deviations below this share of the largest number.
NEGLIGIBLE = 1e-10

#: The neighbourhood of a row is this part of the pool.
NEIGHBOURS = 10

#: Near-copies of a row are nearer than this share of the distance to other rows.
CLOSE = 1 / 3

#: Ratios of distances that differ less are equal, and the first of them counts.
SAME_GAP = 1e-6

#: Squares of larger numbers are infinite.
LARGEST = 1e150

#: Number of random rows, the reference rows, that represent a larger pool.
MOST_ROWS = 2_000

#: Number of known rows whose similarities are computed together.
KNOWN_BLOCK = 1_000

#: The check whether distances mean something is made once, with this number of labels.
N_LABELS = 50

NOT_NUMBERS = (
    "These rows have no distances: they are not numbers. As embedding, pass a "
    "transformer that makes numbers of them, such as make_pipeline(TfidfVectorizer(), "
    "TruncatedSVD(100)) for texts, or the ColumnTransformer of your pipeline."
)
GAPS = (
    "These rows have no distances: some of their numbers are missing. As embedding, "
    "pass a transformer that fills them, such as make_pipeline(SimpleImputer(), "
    "StandardScaler())."
)


class Points:
    """The rows of a pool as points, or random rows that represent a large pool.

    Pickles leave the points out: the same pool, embedding and seed give them again.

    Parameters
    ----------
    embedding : transformer, callable or None
        As for the learners.
    X : rows
        The pool, or rows that represent it, to which the embedding is fitted.
    keys : ndarray of uint64 of shape (n_samples,)
        Keys of the rows.
    seed : int
        Seed of the embedding and of the choice of reference rows.
    names : ndarray of str, optional
        Names of the columns; the embedding then gets a DataFrame.
    estimator : classifier, optional
        Without an embedding, the steps before its classifier make numbers of rows that
        have none.

    Attributes
    ----------
    rows : {ndarray, CSR array} of float64 of shape (n_samples, n_dimensions)
        The points.
    n_fitted : int
        Number of rows, the first ones, to which the embedding was fitted. Reference
        rows are among these.
    """

    keys = None  # until the points are made again

    def __init__(self, embedding, X, keys, seed, names=None, estimator=None):
        self.keys, self.seed = keys, seed
        self.names = None if embedding is None else names
        X = to_frame(X, self.names)
        self.rows, later = embed(embedding, X, seed, estimator)
        #: Function that makes points of rows; unlike `Points`, pickles keep it.
        self.to_points = partial(embed_frame, later, self.names)
        self.n_fitted = len(keys)
        self._distances, self._similarity = {}, {}
        self._lengths, self._kernel = {}, {}

    def embed(self, X):
        """Return other rows as points of the same space."""
        points = self.to_points(X)
        if points.shape[1] != self.rows.shape[1]:
            raise ValueError(
                f"embedding returned {points.shape[1]} columns for rows that are not "
                f"in the pool, and {self.rows.shape[1]} for the pool. It must "
                "embed each row independently of the other rows."
            )
        return points

    def with_others(self, X, keys):
        """Return the points with other rows of the pool below them.

        Parameters
        ----------
        X : rows
            The other rows.
        keys : ndarray of uint64 of shape (n_others,)
            Their keys.
        """
        points = shallow_copy(self)
        points.rows = stack_rows(self.rows, self.embed(X))
        points.keys = np.append(self.keys, keys)
        points._distances, points._similarity = {}, {}
        points._lengths, points._kernel = {}, {}
        for name, lengths in self._lengths.items():
            points._lengths[name] = np.append(lengths, np.full(len(keys), np.nan))
        return points

    def reference_rows(self, n):
        """Return the numbers of at most n random rows that represent the pool."""
        n_all = self.n_fitted
        if n >= n_all:
            return np.arange(n_all)
        return np.sort(np.random.default_rng(self.seed).permutation(n_all)[:n])

    @cached_property
    def typical(self):
        """The median squared distance between points that are not the same, or 1."""
        some = self.rows[self.reference_rows(500)]
        distances = euclidean_distances(some, squared=True)
        distances = distances[np.triu_indices(len(distances), 1)]
        distances = distances[distances > NEGLIGIBLE * distances.max(initial=0.0)]
        return float(np.median(distances)) if len(distances) else 1.0

    def squared_distances(self, rows, n_reference):
        """Return the squared distances of pool rows to the reference rows."""
        others, n_all = self.rows[self.reference_rows(n_reference)], self.rows.shape[0]
        if n_all * others.shape[0] > MOST_KEPT:
            return euclidean_distances(self.rows[rows], others, squared=True)
        if n_reference not in self._distances:
            everything = euclidean_distances(self.rows, others, squared=True)
            self._distances = {n_reference: everything}
        return self._distances[n_reference][rows]

    def local_similarity(self, rows, n_reference):
        """Return the similarity between pool rows and the reference rows.

        The squared distance is divided by the radii of both.
        """
        n_all = self.rows.shape[0]
        if n_all * len(self.reference_rows(n_reference)) > MOST_KEPT:
            return self._local_similarity(rows, n_reference)
        if n_reference not in self._similarity:  # exponentials take most of a round
            everything = self._local_similarity(np.arange(n_all), n_reference)
            self._similarity = {n_reference: everything}
        return self._similarity[n_reference][rows]

    def _local_similarity(self, rows, n_reference):
        distances = self.squared_distances(rows, n_reference)
        return self.with_radii(distances, self.radii(rows, n_reference), n_reference)

    def with_radii(self, distances, radii, n_reference):
        """Return similarities from squared distances to the reference rows.

        Parameters
        ----------
        distances : ndarray of shape (n_rows, n_reference)
            Overwritten.
        radii : ndarray of shape (n_rows,)
            Radii of the rows.
        n_reference : int
            Number of reference rows.
        """
        distances /= -radii[:, None]
        distances /= self.radii(self.reference_rows(n_reference), n_reference)
        return np.exp(distances, out=distances)

    def radii(self, rows, n_reference):
        """Return the distance of each pool row to its k-th nearest reference row.

        k is a tenth of the number of reference rows.
        """
        return self._keep_lengths(self.radii_of, rows, n_reference)

    def copy_radii(self, rows, n_reference):
        """Return the distance of each pool row below which others are near-copies.

        It is a third of the distance to the row that ends the widest gap: among the
        nearest tenth of the reference rows, in order, the row whose distance is the
        largest multiple of the distance before.
        """
        return self._keep_lengths(self._copy_radii_of, rows, n_reference)

    def _keep_lengths(self, length_of, rows, n_reference):
        key = length_of.__name__, n_reference
        missing = np.full(self.rows.shape[0], np.nan)
        lengths = self._lengths.setdefault(key, missing)
        new = rows[np.isnan(lengths[rows])]
        if len(new):
            lengths[new] = length_of(self.squared_distances(new, n_reference))
        return lengths[rows]

    def radii_of(self, squared_distances):
        """Return the radii of rows with these distances to the reference rows."""
        n_reference = squared_distances.shape[1]
        k = min(max(1, n_reference // NEIGHBOURS), n_reference - 1)  # first: itself
        nearest = np.partition(squared_distances, k, axis=1)[:, k]
        return np.sqrt(np.maximum(nearest, NEGLIGIBLE * self.typical))

    def _copy_radii_of(self, squared_distances):
        n_rows, n_reference = squared_distances.shape
        k = min(max(2, n_reference // NEIGHBOURS), n_reference - 1)
        if k < 2:
            return np.zeros(n_rows)
        nearest = np.partition(squared_distances, k, axis=1)[:, : k + 1]
        nearest = np.sort(nearest, axis=1)[:, 1:]  # first: itself
        nearest = np.maximum(nearest, NEGLIGIBLE * self.typical)
        gaps = nearest[:, 1:] / nearest[:, :-1]
        widest = gaps >= (1 - SAME_GAP) * gaps.max(axis=1, keepdims=True)
        ends = nearest[np.arange(n_rows), 1 + widest.argmax(axis=1)]
        return CLOSE * np.sqrt(ends)

    def kernel_features(self, n_reference):
        """Return features whose dot products approximate a Gaussian kernel (Nyström).

        The kernel of two points at the squared distance d is ``exp(-d / typical)``.
        """
        if n_reference not in self._kernel:
            some = self.rows[self.reference_rows(n_reference)]
            inner = euclidean_distances(some, squared=True)
            values, vectors = np.linalg.eigh(np.exp(-inner / self.typical))
            is_kept = values > 1e-6 * values[-1]
            to_features = vectors[:, is_kept] / np.sqrt(values[is_kept])
            outer = euclidean_distances(self.rows, some, squared=True)
            features = np.exp(-outer / self.typical) @ to_features
            self._kernel = {n_reference: features}
        return self._kernel[n_reference]

    def __getstate__(self):
        return {}


class Embedder:
    """Makes points of rows, and keeps the points of the last pool.

    Parameters
    ----------
    embedding, seed, names, estimator
        As for `Points`.
    points : Points or None
        The last points. Those of equal rows are not made again.
    """

    def __init__(self, embedding, seed, names, estimator, points=None):
        self.settings, self.points = (embedding, seed, names, estimator), points

    def embed(self, X, n_fitted=None):
        """Return rows of a pool as points.

        The embedding is fitted to the first `n_fitted` rows; None: to all of them.
        """
        keys, others = hash_rows(X), None
        if n_fitted is not None:
            X, others = take(X, slice(n_fitted)), take(X, slice(n_fitted, None))
        fitted = keys[:n_fitted]
        if self.points is None or not np.array_equal(self.points.keys, fitted):
            embedding, *settings = self.settings
            self.points = Points(embedding, X, fitted, *settings)
        if others is None or not n_rows(others):
            return self.points
        return self.points.with_others(others, keys[n_fitted:])


def embed_frame(to_points, names, X):
    """Return rows as points; their columns get names, unless these are None."""
    return to_points(to_frame(X, names))


def check_embedding(embedding):
    """Refuse an embedding that cannot make points of rows."""
    if isinstance(embedding, type) or not (
        embedding is None or hasattr(embedding, "transform") or callable(embedding)
    ):
        raise TypeError(
            f"embedding must be a transformer, a callable or None, got {embedding!r}."
        )


def embed(embedding, X, seed, estimator=None):
    """Return the rows of a pool as points, and a function that embeds other rows."""

    def apply(function, rows, which):
        try:
            points = function(copy_rows(rows))  # the function may change them
        except Exception as error:
            raise ValueError(
                f"embedding {embedding} failed on {which}: {type(error).__name__}: "
                f"{error}"
            ) from error
        return check_points(points, n_rows(rows))

    if embedding is None:
        to_numbers = numbers_of(X, estimator, seed)
        points = to_numbers(X)
        if np.count_nonzero(points.data if issparse(points) else points) < (
            FEW * points.shape[0] * points.shape[1]
        ):
            return normalize(points), lambda rows: normalize(to_numbers(rows))
        scale = scales(points)
        return points @ scale, lambda rows: to_numbers(rows) @ scale
    first = later = embedding
    if hasattr(embedding, "transform"):
        transformer = seeded(embedding, seed % 2**32)
        first, later = transformer.fit_transform, transformer.transform
    points = apply(first, X, "the pool")
    return points, lambda rows: apply(later, rows, "rows that are not in the pool")


def numbers_of(X, estimator, seed):
    """Return a function that makes finite numbers of rows like X.

    They come from the rows themselves; else from the steps before the classifier of a
    pipeline, if they need no labels; else, for a DataFrame, from a `TableEncoder`.

    Raises
    ------
    ValueError
        If nothing makes numbers of the rows.
    """
    try:
        numbers(X)
    except ValueError as error:
        no_numbers = error
    else:
        return numbers
    candidates = []
    if isinstance(estimator, Pipeline) and len(estimator.steps) > 1:
        candidates.append(estimator[:-1])
    if is_frame(X):
        from ..preprocessing import TableEncoder  # needs pandas, as the rows do

        candidates.append(TableEncoder())
    for candidate in candidates:
        transformer = seeded(candidate, seed % 2**32)
        with suppress(Exception):  # it may need labels, or refuse gaps
            numbers(transformer.fit_transform(copy_rows(X)))
            return lambda rows: numbers(transformer.transform(copy_rows(rows)))
    raise no_numbers


def numbers(X):
    """Return rows of finite numbers in double precision, or refuse them."""
    X = as_numbers(X)
    if X is None:
        raise ValueError(NOT_NUMBERS)
    if not np.isfinite(X.data if issparse(X) else X).all():
        raise ValueError(GAPS)
    return X.astype(np.float64)


def scales(points):
    """Return the matrix that gives the columns one scale, whatever their units.

    A column is divided by its standard deviation or, if it is mostly zero, by its
    largest absolute value. Rows that all have one length are left as they are. Dense
    and sparse rows have the same scales.
    """
    largest = to_array(abs(points).max(axis=0)).ravel()
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


def check_points(points, n_samples):
    """Return the points that an embedding made of rows, or refuse them."""
    try:
        if np.iscomplexobj(points):
            raise TypeError
        points = as_numbers(points) if issparse(points) else np.asarray(points)
        points = points.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError("embedding must return real numbers.") from None
    shape = points.shape
    if len(shape) != 2 or 0 in shape[1:]:
        raise ValueError(
            "embedding must return an array of shape (n_samples, n_dimensions), got "
            f"{shape}."
        )
    if shape[0] != n_samples:
        raise ValueError(
            f"embedding must return one vector for each row: it returned "
            f"{shape[0]} for {n_samples} rows."
        )
    values = points.data if issparse(points) else points
    is_usual = abs(values) <= LARGEST
    if not is_usual.all():
        raise ValueError(
            f"embedding must return finite numbers up to {LARGEST:g}, got "
            f"{values[~is_usual][0]}."
        )
    return points


class Space(NamedTuple):
    """The points of a pool, and the points that need no further label."""

    points: Points
    known: np.ndarray  # numbers of rows that were taught or are pending
    outside: Any = None  # points that were taught and are not in the pool

    @classmethod
    def of(cls, round):
        """Return the points of a round with the rows that need no further label.

        Parameters
        ----------
        round : Round
            Points of the pool, or of some of its rows, the ledger, and the rows that
            were drawn for the same batch.
        """
        points, explored, ledger = round.points, round.explored, round.ledger
        positions, found = ledger.positions, ledger.found
        if round.pool_rows is not None:  # some of these rows may not be in X
            found, explored = round.positions_of(found), round.positions_of(explored)
            explored = explored[explored >= 0]
        known = np.append(found[(positions != SKIPPED) & (found >= 0)], explored)
        outside = np.sort(positions[(positions > PENDING) & (found < 0)])
        if not len(outside):
            return cls(points, known)
        return cls(points, known, points.embed(take(ledger.labelled.rows, outside)))

    def with_known(self, rows):
        """Return the same space with further known rows."""
        return self._replace(known=np.append(self.known, rows))

    @property
    def all_known(self):
        """All points that were taught or are pending."""
        known = self.points.rows[self.known]
        return known if self.outside is None else stack_rows(known, self.outside)

    @property
    def gamma(self):
        """The reciprocal of a squared radius that shrinks as more rows are known.

        The radius is the median distance between rows or, if that is smaller, the
        median distance of known rows to the nearest other one.
        """
        squared_radius = self.points.typical
        known = self.all_known
        if known.shape[0] > 1:
            from sklearn.neighbors import NearestNeighbors  # slow to import

            some = np.random.default_rng(self.points.seed).permutation(known.shape[0])
            search = NearestNeighbors(n_neighbors=2, algorithm="brute").fit(known)
            distances, _ = search.kneighbors(known[np.sort(some[:MOST_ROWS])])
            nearest = np.median(distances[:, 1]) ** 2  # the first is the row itself
            if nearest > NEGLIGIBLE * squared_radius:
                squared_radius = min(squared_radius, float(nearest))
        return 1 / squared_radius


@dataclass(frozen=True)
class Coverage:
    r"""The mean similarity of the reference rows to the nearest known row.

    The similarity is :math:`\exp(-\gamma d^2)` of the distance.

    Parameters
    ----------
    space : Space
        The pool and its known rows.
    gamma : float or None
        None: each row has a radius, and :math:`\gamma` is the reciprocal of the product
        of both radii.
    n_reference : int
        Number of reference rows.
    """

    space: Space
    gamma: float | None
    n_reference: int = MOST_ROWS

    @property
    def reference(self):
        """The numbers of the reference rows."""
        return self.space.points.reference_rows(self.n_reference)

    def similarity(self, rows):
        """Return the similarity between pool rows and the reference rows."""
        points = self.space.points
        if self.gamma is None:
            return points.local_similarity(rows, self.n_reference)
        distances = points.squared_distances(rows, self.n_reference)
        return np.exp(-self.gamma * distances, out=distances)

    def similarity_of_points(self, others):
        """Return the similarity between other points and the reference rows."""
        points = self.space.points
        distances = euclidean_distances(
            others, points.rows[self.reference], squared=True
        )
        if self.gamma is None:
            radii = points.radii_of(distances)
            return points.with_radii(distances, radii, self.n_reference)
        return np.exp(-self.gamma * distances)

    def covered(self):
        """Return the similarity of each reference row to the nearest known row."""
        parts = [(self.space.known, self.similarity)]
        if self.space.outside is not None:
            parts.append((self.space.outside, self.similarity_of_points))
        nearest = np.zeros(len(self.reference))
        for rows, similarity in parts:
            for start in range(0, rows.shape[0], KNOWN_BLOCK):
                block = similarity(rows[start : start + KNOWN_BLOCK])
                nearest = np.maximum(nearest, block.max(axis=0))
        return nearest


def warn_if_distances_mislead(round, points, advice):
    """Warn if the nearest other label is right no more often than one class is.

    Parameters
    ----------
    round : Round
        A round of a learner that buys by distances, with labels of two classes.
    points : callable
        Returns the labelled rows as points, between which distances are measured.
    advice : str
        A sentence on what to do.
    """
    ledger = round.ledger
    (n_before,) = [call.n_labels for call in ledger.calls[-2:-1]] or [0]
    if not n_before < N_LABELS <= len(ledger.labelled):
        return  # the last labels taught did not reach the number
    from sklearn.neighbors import NearestNeighbors  # slow to import

    codes = ledger.labelled.codes
    search = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(points())
    nearest = search.kneighbors(return_distance=False)[:, 0]
    n_right, n_most = int(np.sum(codes[nearest] == codes)), np.bincount(codes).max()
    if n_right <= n_most:
        warn_user(
            f"{round.choice.name} buys by distances, and these say nothing of the "
            f"classes so far: of {len(codes)} labels the nearest other label predicts "
            f"{n_right}, the most frequent class {n_most}. {advice}"
        )
