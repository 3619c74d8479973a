"""Rows that stand for many others: greedy maximisation of what they cover."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances

from .._containers import as_array, joined, take
from .._validation import check_option
from ._embedding import NEGLIGIBLE, Points
from ._ledger import OUT, SKIPPED
from ._ranking import DistinctFirst, best, repeats

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
        return known if self.further is None else joined(known, self.further)

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
            similarity = as_array(self.kernel(others, standing))
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
