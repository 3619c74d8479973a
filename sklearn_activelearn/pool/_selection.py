"""How many rows are bought at a time, and which: the first ones, and each batch."""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances

from .._requests import Purchase
from .._validation import check_number, check_option
from ..sources._containers import (
    NO_ROWS,
    RowsExcept,
    as_numbers,
    hash_rows,
    n_rows,
    restrict_rows,
    take,
    to_array,
    to_memory,
)
from ..sources._source import ArraySource, Source
from ._distances import MOST_ROWS, Coverage, Points, check_embedding, greedy, numbers
from ._input_checks import were_checked
from ._ranking import best_of_different, repeats
from ._utilities import of_padded, own_utility

#: Makes the draw of a sample differ from other draws of a round.
SAMPLE = 1


class CandidateSample(NamedTuple):
    """Rows of a pool, from which some are chosen."""

    X: Any  # where they are
    rows: np.ndarray  # their numbers in it
    share: float = 1.0  # of the rows that might be bought
    numbers: np.ndarray | None = None  # in the pool, if X holds nothing but them

    def drawn(self, n, seed):
        """Return n of these rows, drawn at random; all if they are no more."""
        n_rows = len(self.rows)
        if n >= n_rows:
            return self
        rng = np.random.default_rng((*seed, SAMPLE))
        chosen = rng.choice(n_rows, n, replace=False, shuffle=False)
        return self._replace(rows=self.rows[np.sort(chosen)], share=n / n_rows)

    def without(self, some):
        """Return these rows but some."""
        if not len(some):
            return self
        if isinstance(self.rows, RowsExcept):
            return self._replace(rows=self.rows.without(some))
        return self._replace(rows=np.setdiff1d(self.rows, some, assume_unique=True))

    def in_memory(self):
        """Return the same rows such that X is in memory, and holds only the sample."""
        if self.share == 1:
            return self._replace(X=to_memory(self.X))
        X, rows = take(self.X, self.rows), np.arange(len(self.rows))
        return self._replace(X=X, rows=rows, numbers=self.rows)

    def bought(self, purchase):
        """Return what was chosen of these rows as a purchase from the pool."""
        rows, probabilities = purchase.rows, purchase.probabilities
        if self.numbers is not None:
            rows = self.numbers[rows]
        was_drawn = np.isnan(purchase.utilities)
        probabilities = np.where(was_drawn, self.share * probabilities, probabilities)
        return purchase._replace(rows=rows, probabilities=probabilities)


#: By the names that `initial` takes.
STARTS = ("random", "herding", "mixed")


def are_rows(initial):
    """Whether it is rows, in a container that a pool may come in."""
    return not isinstance(initial, type) and (
        hasattr(initial, "shape") or isinstance(initial, list | tuple)
    )


def check_initial(initial, embedding):
    """Refuse what is neither a name, nor a function, nor rows."""
    if isinstance(initial, str):
        check_option(initial, "initial", STARTS)
    elif are_rows(initial):
        if n_rows(initial) == 0:
            raise ValueError("initial has no rows: at least one is needed.")
        if embedding is None:
            numbers_of_initial(initial)
    elif isinstance(initial, type) or not callable(initial):
        raise TypeError(
            f"initial must be one of {sorted(STARTS)}, a function of rows, or rows to "
            f"be similar to, got {initial!r}."
        )


def numbers_of_initial(initial):
    """Return rows to be similar to as numbers, or refuse them."""
    found = as_numbers(initial)
    if found is not None and len(getattr(initial, "shape", np.shape(initial))) < 2:
        raise ValueError("initial must be rows; a single one, x, is passed as [x].")
    if found is None or not np.isfinite(found.data if issparse(found) else found).all():
        raise ValueError(
            "initial must be rows of finite numbers, unless an embedding makes such of "
            "them."
        )
    if not (found != 0).sum(axis=1).all():
        raise ValueError("initial has a row of zeros, which is similar to no other.")
    return found.astype(np.float64)


def check_columns_of(initial, embedding, X, names):
    """Refuse rows to be similar to that have not the columns, or names, of a pool."""
    if embedding is not None or not are_rows(initial):
        return
    width, shape = numbers_of_initial(initial).shape[1], getattr(X, "shape", ())
    if len(shape) > 1 and np.prod(shape[1:]) != width:
        raise ValueError(
            f"initial has rows of {width} numbers, X of {np.prod(shape[1:])}."
        )
    own = getattr(initial, "columns", None)
    if own is not None and names is not None and [*own] != [*names]:
        raise ValueError("initial has other columns than X, or in another order.")


def initial_scores(initial, X):
    """Return how early each of these rows shall be bought.

    Parameters
    ----------
    initial : callable or rows
        What gives rows their scores, or what they shall be similar to.
    X : rows
        A block of the pool.
    """
    if not are_rows(initial):
        return own_utility("initial", initial(X), n_rows(X))
    anchors = numbers_of_initial(initial)
    return of_padded(lambda rows: nearest_cosine(numbers(rows), anchors), X)


def nearest_cosine(points, anchors):
    """Return the cosine between each point and the most similar one of others."""
    return cosine_similarity(points, anchors).max(axis=1)


def one_of_each_cluster(points, rows, n_wanted, seed):
    """Return the first row of each of so many clusters, found by k-means."""
    from sklearn.cluster import KMeans  # slow to import

    some = points.rows[rows]
    # dense: k-means centres those only, and with ties the last bits decide
    some = to_array(some[:, np.union1d(0, some.nonzero()[1])])
    n_clusters = min(n_wanted, len(np.unique(hash_rows(some))))
    number = int(np.random.SeedSequence(seed).generate_state(1)[0])
    means = KMeans(n_clusters, n_init=1, random_state=number)
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)  # fewer clusters will do
        _, first = np.unique(means.fit_predict(some), return_index=True)
    first = np.sort(first)
    others = np.delete(np.arange(len(rows)), first)
    return np.append(first, others)[:n_wanted]


def herded(points, rows, n_wanted, seed):
    """Return rows that cover the others best, one after another."""
    some = points.rows[rows]
    distances = euclidean_distances(some, some[:MOST_ROWS], squared=True)
    similarity = np.exp(-distances / points.typical)
    nothing, ones = np.zeros(distances.shape[1]), np.ones(distances.shape[1])
    return greedy(similarity, ones, nothing, points.keys[rows], n_wanted, seed)[0]


#: By the names that `batch` takes; None: the highest utilities as they are.
BATCHES = {"top": None, "cluster": one_of_each_cluster, "herding": herded}


NOTHING = Purchase(NO_ROWS, np.empty(0), np.empty(0))

#: The share of a mixed start that is random.
MIXED = 0.4

#: A batch is spread over so many times as many rows of the highest utilities.
SPREAD = 10


@dataclass(frozen=True)
class Selection:
    """The first rows, and batches of those that are worth most.

    Parameters
    ----------
    n_initial, batch_size, initial, batch, embedding
        As for the learners.
    """

    n_initial: int
    batch_size: int
    initial: Any
    batch: str
    embedding: Any

    def check(self):
        """Raise if a parameter is out of its range."""
        check_number(self.n_initial, "n_initial", 1, closed="left", integer=True)
        check_number(self.batch_size, "batch_size", 1, closed="left", integer=True)
        check_option(self.batch, "batch", BATCHES)
        if self.embedding is not None:
            check_embedding(self.embedding)
        check_initial(self.initial, self.embedding)

    def initial_for(self, n_first):
        """Return what rows that are bought without a model follow.

        Parameters
        ----------
        n_first : int
            How many of the first rows are missing. If none is, all labels are of one
            class: what covers the pool has not shown the others, chance may.
        """
        is_followed = n_first or not isinstance(self.initial, str)
        return self.initial if is_followed else "random"

    def measures_distances(self, initial=None):
        """Whether it needs the points of the pool.

        Parameters
        ----------
        initial : str, callable or rows, optional
            What the rows follow that are bought next; None: a model.
        """
        if self.batch != "top":
            return True
        if isinstance(initial, str):
            return initial != "random"
        return self.embedding is not None and are_rows(initial)

    def random_share(self, initial, explore):
        """Return what share of a purchase is drawn before the others are chosen.

        Parameters
        ----------
        initial : str, callable or rows, optional
            What the others follow; None: a model.
        explore : float
            The share that the user wants.
        """
        if not isinstance(initial, str):
            return explore
        shares = {"random": 0.0, "mixed": max(explore, MIXED)}  # random anyway: none
        return shares.get(initial, explore)

    def points(self, X, before, seed, names=None):
        """Return the rows of a pool as points; `before` if they are of this pool."""
        keys = hash_rows(X)
        if before is not None and np.array_equal(before.keys, keys):
            return before
        return Points(self.embedding, X, keys, seed, names)

    def n_wanted(self, n_first):
        """Return how many to buy next, with so many of the first rows missing."""
        return n_first or self.batch_size

    def n_rounds(self, n_first, n_left):
        """Return in how many rounds so many labels that are left are bought."""
        n_first = min(n_first, n_left)
        return (n_first > 0) + -(-(n_left - n_first) // self.batch_size)

    def covering(self, rows, n_wanted, seed, space):
        """Choose rows that cover the pool; parameters are those of `following`."""
        coverage = Coverage(space, gamma=1 / space.points.typical)
        n_candidates = max(MOST_ROWS, self.n_initial, self.batch_size)
        return ranked(*coverage.herd(rows, n_wanted, seed, n_candidates=n_candidates))

    def following(self, X, rows, n_wanted, seed, space, n_jobs, estimators):
        """Choose the rows that `initial`, no name, gives the highest scores.

        Parameters
        ----------
        X : rows
            The pool.
        rows : ndarray of int of shape (n_rows,)
            Its row numbers that may be bought.
        n_wanted : int
            How many.
        seed : tuple of int
            Of this round.
        space : Space or None
            The pool as points, if distances are measured.
        n_jobs, estimators
            As for `scored`.
        """
        if self.embedding is not None and are_rows(self.initial):
            points = space.points
            utility = nearest_cosine(points.rows[rows], points.further(self.initial))
        else:
            score = partial(initial_scores, self.initial)
            utility = scored(score, X, rows, n_jobs, estimators)
        keys = [lambda some: hash_rows(X, rows[some])]
        chosen = best_of_different(utility, n_wanted, seed, keys)
        return ranked(rows[chosen], utility[chosen])

    def batch_of(self, X, rows, utility, n_wanted, seed, points=None, like=None):
        """Choose of these rows some that have high utilities.

        Equal rows come after all others.

        Parameters
        ----------
        X, rows, n_wanted, seed
            As in `start`.
        utility : ndarray of shape (n_rows,)
            Higher is better.
        points : Points or None
            The pool as points, if distances are measured.
        like : ndarray of shape (n_rows, n), optional
            What the learner knows of the rows: of rows that are alike in that, one
            comes first and the others after all different ones.
        """
        traits = [lambda some: hash_rows(X, rows[some])]
        if like is not None:
            traits.append(like.__getitem__)
        n_batch = min(self.batch_size, len(rows))
        spread = BATCHES[self.batch] if n_batch > 1 else None
        n_best = min(SPREAD * n_batch, len(rows)) if spread else n_wanted
        chosen = best_of_different(utility, n_best, seed, traits)
        if spread:  # a batch that is cut short begins as the whole one does
            order = spread(points, rows[chosen], n_batch, seed)
            chosen = chosen[order[:n_wanted]]
        return ranked(rows[chosen], utility[chosen])


def drawn_apart(keys, rows, n_wanted, seed):
    """Return the purchase of rows that were drawn at random, equal ones last.

    Parameters
    ----------
    keys : ndarray of shape (n_rows,)
        Equal for equal rows.
    rows : ndarray of int of shape (n_rows,)
        Row numbers.
    n_wanted : int
        How many.
    seed : tuple of int
        Of the draws.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(rows))
    values, value = np.unique(keys, return_inverse=True)
    n_values, n_all = len(values), len(rows)
    if n_values == n_all:
        return drawn(rows[order[:n_wanted]], n_wanted / n_all)
    is_again = repeats(value[order])
    # one of each value, the values in an order that knows nothing of their numbers
    firsts = order[~is_again][rng.permutation(n_values)]
    chosen = np.append(firsts, order[is_again])[:n_wanted]
    n_equal = np.bincount(value)[value[chosen]]
    of_firsts = min(n_wanted / n_values, 1.0)
    of_others = max(n_wanted - n_values, 0) / (n_all - n_values)
    share = of_firsts / n_equal + (1 - 1 / n_equal) * of_others
    return drawn(rows[chosen], share)


def drawn_at_random(rows, n_wanted, seed, purposes=""):
    """Return the purchase of some of these rows, all equally likely."""
    chosen = np.random.default_rng(seed).permutation(rows)[:n_wanted]
    return drawn(chosen, n_wanted / len(rows), purposes)


def drawn(rows, share, purposes=""):
    """Return the purchase of rows that were drawn at random."""
    n = len(rows)
    return Purchase(rows, np.full(n, share), np.full(n, np.nan), purposes)


def ranked(rows, utilities, purposes=""):
    """Return the purchase of the rows that are worth most."""
    return Purchase(rows, np.ones(len(rows)), utilities, purposes)


def finite_scores(utility, rows, model):
    """Return the utilities of these rows in double precision, if all are finite."""
    utility = np.asarray(utility, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        is_finite = np.isfinite(utility.sum())
    if not is_finite and not np.isfinite(utility).all():
        row = rows[np.argmin(np.isfinite(utility))]
        raise ValueError(f"{model} gives row {row} a score that is not finite.")
    return utility


def map_blocks(function, X, n_jobs=None):
    """Return ``function(X)``, one answer a row, computed block by block.

    In threads, or where the blocks of a source are worked on.
    """
    return np.concatenate([*blocks_of(X).map(function, n_jobs)])


def blocks_of(X):
    """Return rows as a source, if they are none."""
    return X if isinstance(X, Source) else ArraySource(X)


def scored(utility, X, rows, n_jobs, estimators):
    """Return ``utility(X)`` of these rows of a pool.

    What was checked when it came in is not checked again by the estimators.
    """
    utility = partial(one_for_each_row, utility)
    if were_checked(X, estimators):
        utility = partial(without_checks, utility)
    if not isinstance(rows, RowsExcept):
        X, within = restrict_rows(X, rows)
        return map_blocks(utility, X, n_jobs)[within]
    out, start, n = np.empty(len(rows)), 0, 0
    for values in blocks_of(X).map(utility, n_jobs):
        some = rows.of(values, start)
        out[n : n + len(some)] = some
        start, n = start + len(values), n + len(some)
    return out


def one_for_each_row(utility, X):
    """Return ``utility(X)``, if that is one number for each row."""
    values, n = np.asarray(utility(X)), n_rows(X)
    if values.shape != (n,):
        raise ValueError(
            f"{utility.__qualname__} must return one number for each of {n} rows, got "
            f"an array of shape {values.shape}."
        )
    return values


def without_checks(function, X):
    """Return ``function(X)``; scikit-learn does not check for NaN meanwhile."""
    with config_context(assume_finite=True):
        return function(X)


#: What the labels of rows that were drawn whatever the rule are for.
EXPLORED = "explored"

#: Makes their draw differ from other draws of a round.
EXPLORE = 2


def places_of(share, n, rng):
    """Draw the places in a purchase that a share of it has, evenly spread.

    Those among the first k places are ⌊share · k⌋, or one more, for every k.

    Parameters
    ----------
    share : float in [0, 1]
        Of the n places.
    n : int
        How many there are.
    rng : Generator
        Draws one number.

    Returns
    -------
    is_its : ndarray of bool of shape (n,)
    """
    return np.diff(np.floor(share * np.arange(n + 1) + rng.random())) > 0


def explored(share, rows, n_batch, n_wanted, seed):
    """Draw the random part of a batch.

    Parameters
    ----------
    share : float in [0, 1]
        Of the batch.
    rows : ndarray of int of shape (n_rows,)
        Row numbers that may be bought.
    n_batch : int
        How many rows the whole batch has.
    n_wanted : int
        How many of these, the first ones, are bought.
    seed : tuple of int
        Of this round.

    Returns
    -------
    is_random : ndarray of bool of shape (n_wanted,)
        Its places among those that are bought.
    bought : Purchase
        The part of the whole batch. Each row is bought with the same probability.
    """
    if not share:
        return np.zeros(n_wanted, dtype=bool), NOTHING
    rng = np.random.default_rng((*seed, EXPLORE))
    is_random = places_of(share, n_batch, rng)
    chosen = rng.choice(len(rows), np.count_nonzero(is_random), replace=False)
    bought = drawn(rows[chosen], share * n_wanted / len(rows), EXPLORED)
    return is_random[:n_wanted], bought


def mixed(is_first, first, second):
    """Return a purchase of the rows of two others.

    Parameters
    ----------
    is_first : ndarray of bool of shape (n_rows,)
        Which places those of the first have, in their order; there may be more of them.
    first, second : Purchase
        The parts.
    """
    n_first = np.count_nonzero(is_first)
    if not n_first:
        return second
    columns = []
    for one, other in zip(first, second, strict=True):
        one = np.broadcast_to(one, len(first.rows))[:n_first]
        other = np.broadcast_to(other, len(second.rows))
        column = np.empty(len(is_first), np.result_type(one, other))
        column[is_first], column[~is_first] = one, other
        columns.append(column)
    return Purchase(*columns)
