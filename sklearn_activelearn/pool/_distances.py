"""Rows as points: what the distances between them are measured in."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import diags_array, issparse
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances
from sklearn.preprocessing import normalize
from sklearn.utils.sparsefuncs import mean_variance_axis

from .._validation import check_option
from .._warnings import warn_user
from ..sources._containers import (
    as_numbers,
    n_rows,
    stack_rows,
    take,
    to_array,
    to_frame,
)
from ._ledger import OUT, SKIPPED
from ._ranking import DistinctFirst, best, repeats
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
        self.rows, self._place = embed(embedding, to_frame(X, self.names), seed)
        self._kept, self._radii = {}, {}

    def further(self, X):
        """Return rows that need not be in the pool as points of the same space."""
        points = self._place(to_frame(X, self.names))
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


#: How many rows stand for a larger pool, and of how many the best are taken.
MOST_ROWS = 4_000

#: How many gains are computed first, and how many at a time.
FIRST_LOOK, BLOCK = 32, 256

#: Of how many rows that are known the similarities are computed at a time.
KNOWN_BLOCK = 1_000

#: Rows are close if their distance is less than this share of the radius of one.
CLOSE = 1 / 3

#: A gain that is lower than the highest by this share is not the highest.
SLACK = 1e-6


class Space(NamedTuple):
    """The points of a pool, and those among them that need no further label."""

    points: Points
    known: np.ndarray  # numbers of rows that were taught or are out
    further: Any = None  # points that were taught and are not in the pool

    def beside(self, rows):
        """Return the same space, with further rows that need no label."""
        return self._replace(known=np.append(self.known, rows))

    @property
    def all_known(self):
        """All points that were taught or are out."""
        known = self.points.rows[self.known]
        return known if self.further is None else stack_rows(known, self.further)

    @property
    def gamma(self):
        """The reciprocal of a squared radius that shrinks as more is known.

        It is the median distance between rows, or, if that is less, the median
        distance of rows that are known to the nearest other one.
        """
        radius = self.points.typical
        known = self.all_known
        if known.shape[0] > 1:
            from sklearn.neighbors import NearestNeighbors  # slow to import

            some = np.random.default_rng(self.points.seed).permutation(known.shape[0])
            search = NearestNeighbors(n_neighbors=2, algorithm="brute").fit(known)
            distances, _ = search.kneighbors(known[np.sort(some[:MOST_ROWS])])
            nearest = np.median(distances[:, 1]) ** 2  # the first is the row itself
            if nearest > NEGLIGIBLE * radius:
                radius = min(radius, float(nearest))
        return 1 / radius


def space_of(points, ledger, labelled):
    """Return the points of a pool with what is known of them.

    Parameters
    ----------
    points : Points
        Those of the pool, or of a sample of rows that may be bought.
    ledger : Ledger
        What was asked for and taught, and where in the pool it was found.
    labelled : Labelled
        What was taught.
    """
    places, found = ledger.places, ledger.found
    if len(points.keys) < ledger.n_rows:
        found = np.full(len(found), -1)
    known = found[(places != SKIPPED) & (found >= 0)]
    outside = np.sort(places[(places > OUT) & (found < 0)])
    if not len(outside):
        return Space(points, known)
    return Space(points, known, points.further(take(labelled.rows, outside)))


def check_kernel(kernel):
    """Refuse what is no kernel."""
    if isinstance(kernel, type):
        raise TypeError(f"kernel must be a function, not the class {kernel.__name__}.")
    if not callable(kernel):
        check_option(kernel, "kernel", ("rbf", "cosine"))


@dataclass(frozen=True)
class Coverage:
    r"""What rows cover: the mean over the pool of the similarity to the nearest one.

    Parameters
    ----------
    space : Space
        The pool, and the rows that cover it already.
    kernel
        As for `UncertaintyHerdingClassifier`.
    gamma : float or None
        Of the kernel "rbf"; None: each row has a radius of its own.
    n_coverage : int
        How many rows stand for the pool.
    """

    space: Space
    kernel: Any = "rbf"
    gamma: float | None = 1.0
    n_coverage: int = MOST_ROWS

    @property
    def standing(self):
        """The numbers of the rows that stand for the pool."""
        return self.space.points.sample(self.n_coverage)

    def similarity(self, rows):
        """Return that of rows of the pool to those that stand for it."""
        points = self.space.points
        if self.kernel != "rbf":
            return self._similarity(points.rows[rows])
        distances = points.squared_distances(rows, self.n_coverage)
        if self.gamma is None:
            return self._with_radii(distances, points.radii(rows, self.n_coverage))
        return np.exp(-self.gamma * distances, out=distances)

    def _with_radii(self, distances, radii):
        """Return the similarity of rows with these radii to those that stand."""
        standing = self.space.points.radii(self.standing, self.n_coverage)
        distances /= -radii[:, None]
        distances /= standing
        return np.exp(distances, out=distances)

    def _similarity(self, others):
        standing = self.space.points.rows[self.standing]
        if self.kernel == "rbf":
            distances = euclidean_distances(others, standing, squared=True)
            if self.gamma is None:
                radii = self.space.points.radii_of(distances)
                return self._with_radii(distances, radii)
            return np.exp(-self.gamma * distances)
        if self.kernel == "cosine":
            return cosine_similarity(others, standing, dense_output=True)
        try:
            similarity = to_array(self.kernel(others, standing))
        except Exception as error:
            raise ValueError(
                f"kernel {self.kernel} failed on rows of type {type(others).__name__}: "
                f"{type(error).__name__}: {error}"
            ) from error
        shape = others.shape[0], standing.shape[0]
        if similarity.shape != shape:
            raise ValueError(
                f"kernel must return an array of shape {shape}, got {similarity.shape}."
            )
        if similarity.dtype.kind not in "biuf" or not np.isfinite(similarity).all():
            raise ValueError("kernel must return finite numbers.")
        return similarity

    def covered(self):
        """Return the similarity to the nearest row that is known, 0 if none is."""
        parts = [(self.space.known, self.similarity)]
        if self.space.further is not None:
            parts.append((self.space.further, self._similarity))
        nearest = np.zeros(len(self.standing))
        for rows, similarity in parts:
            for start in range(0, rows.shape[0], KNOWN_BLOCK):
                block = similarity(rows[start : start + KNOWN_BLOCK])
                nearest = np.maximum(nearest, block.max(axis=0))
        return nearest

    def herd(self, rows, n_wanted, seed, weights=None, n_candidates=MOST_ROWS):
        """Choose rows, one after another, that raise the coverage most.

        Parameters
        ----------
        rows : ndarray of int
            Numbers of the rows that may be chosen.
        n_wanted : int
            How many.
        seed : tuple of int
            Breaks ties, draws the candidates.
        weights : ndarray of shape (n_coverage,), optional
            How much each row that stands for the pool counts; None: all the same.
        n_candidates : int
            Choose among so many of the rows, more than are wanted; all different
            ones first.

        Returns
        -------
        rows : ndarray of int of shape (n_wanted,)
            In the order in which they were chosen.
        gains : ndarray of shape (n_wanted,)
            By how much each raised the coverage.
        """
        if len(rows) > n_candidates:
            drawn = np.random.default_rng(seed).permutation(rows)
            is_again = repeats(self.space.points.keys[drawn])
            drawn = drawn[np.argsort(is_again, kind="stable")]
            rows = np.sort(drawn[:n_candidates])
        similarity, covered = self.similarity(rows), self.covered()
        weights = np.ones(len(covered)) if weights is None else weights
        keys = self.space.points.keys[rows]
        chosen, gains = greedy(similarity, weights, covered, keys, n_wanted, seed)
        return rows[chosen], gains


def far_apart(space, rows, n_wanted, n_coverage):
    """Choose rows in their order, those that are close to another one last.

    Parameters
    ----------
    space : Space
        The pool, and rows that are known.
    rows : ndarray of int of shape (n_rows,)
        Numbers of rows of the pool, those to prefer first.
    n_wanted : int
        How many.
    n_coverage : int
        How many rows stand for the pool.

    Returns
    -------
    chosen : ndarray of int of shape (n_wanted,)
        Positions.
    """
    points, known = space.points.rows[rows], space.all_known
    close = (CLOSE * space.points.radii(rows, n_coverage)) ** 2
    is_out = np.zeros(len(rows), dtype=bool)
    if known.shape[0]:
        nearest = euclidean_distances(points, known, squared=True).min(axis=1)
        is_out = nearest < close
    is_close = euclidean_distances(points, squared=True) < close[:, None]
    chosen = []
    for k in range(len(rows)):
        if len(chosen) < n_wanted and not is_out[k]:
            chosen.append(k)
            is_out |= is_close[:, k]
    others = np.delete(np.arange(len(rows)), chosen)
    return np.append(chosen, others)[:n_wanted].astype(int)


def greedy(similarity, weights, covered, keys, n_wanted, seed):
    """Choose rows, one after another, by the gain in weighted mean coverage.

    Gains never grow, so those of a step before are bounds, and few are computed again.

    Parameters
    ----------
    similarity : ndarray of shape (n_rows, n_coverage)
        Of the rows to those that are to be covered.
    weights : ndarray of shape (n_coverage,)
        How much each of these counts.
    covered : ndarray of shape (n_coverage,)
        How well each is covered already.
    keys : ndarray of uint64 of shape (n_rows,)
        Rows with equal keys come after all others.
    n_wanted, seed
        As for `Coverage.herd`.

    Returns
    -------
    chosen : ndarray of int of shape (n_wanted,)
        Positions.
    gains : ndarray of shape (n_wanted,)
        What each added.
    """
    weights = weights / len(covered)
    bounds = np.full(len(keys), np.inf)
    apart, chosen, gains = DistinctFirst(keys), [], []
    for step in range(n_wanted):
        open_ = apart.open
        bounds[open_] = tightened(bounds[open_], similarity, open_, weights, covered)
        (first,) = best(bounds[open_], 1, (*seed, step))
        k = open_[first]
        chosen.append(k)
        gains.append(bounds[k])
        covered = np.maximum(covered, similarity[k])
        apart.choose(k)
    return np.array(chosen), np.array(gains)


def tightened(bounds, similarity, rows, weights, covered):
    """Return upper bounds of gains, of which the highest are the gains themselves."""
    bounds, is_loose = bounds.copy(), np.ones(len(rows), dtype=bool)
    due = np.argsort(-bounds, kind="stable")[:FIRST_LOOK]
    while len(due):
        for part in np.array_split(due, -(-len(due) // BLOCK)):
            gain = np.maximum(similarity[rows[part]] - covered, 0)
            bounds[part] = gain @ weights
        is_loose[due] = False
        highest = bounds[~is_loose].max()
        (due,) = np.nonzero(is_loose & (bounds > (1 - SLACK) * highest))
    return bounds


#: With so many labels it is looked at, once.
N_LABELS = 50


def is_due(learner):
    """Whether the last call that taught labels brought so many together."""
    before = [call.n_labels for call in learner._teach_calls[-2:-1]] or [0]
    return before[0] < N_LABELS <= len(learner._labelled)


def n_most_frequent(codes):
    """Return how many labels are of the most frequent class."""
    return int(np.bincount(codes).max())


def warn_if_distances_mislead(learner, points, cure):
    """Warn if the nearest other label is right no more often than one class is.

    Parameters
    ----------
    learner : PoolClassifier
        It buys by distances, and has been taught labels of two classes.
    points : callable
        Returns its labelled rows as points, between which distances are measured.
    cure : str
        What to do.
    """
    if not is_due(learner):
        return
    from sklearn.neighbors import NearestNeighbors  # slow to import

    codes = learner._labelled.codes
    search = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(points())
    nearest = search.kneighbors(return_distance=False)[:, 0]
    n_right, n_most = int(np.sum(codes[nearest] == codes)), n_most_frequent(codes)
    if n_right <= n_most:
        warn_user(
            f"{type(learner).__name__} buys by distances, and these say nothing of the "
            f"classes so far: of {len(codes)} labels the nearest other one predicts "
            f"{n_right}, the most frequent class {n_most}. {cure}"
        )


def warn_if_worse_than_constant(learner, predicted, cure):
    """Warn if a model is right on its own labels less often than one class is.

    Parameters
    ----------
    learner : PoolClassifier
        It buys by what the model predicts.
    predicted : callable
        Returns the codes that the model predicts for the labelled rows.
    cure : str
        What to do.
    """
    if not is_due(learner):
        return
    codes = learner._labelled.codes
    n_right, n_most = int(np.sum(predicted() == codes)), n_most_frequent(codes)
    if n_right < n_most:
        warn_user(
            f"{type(learner).__name__} is worse than a constant so far: of "
            f"{len(codes)} labels it predicts {n_right}, the most frequent class "
            f"{n_most}. {cure}"
        )
