"""How many rows are bought at a time, and which: the first ones, and each batch."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn import config_context

from .._containers import NO_ROWS, AllBut, exact_keys, n_rows, view
from .._requests import Purchase
from .._validation import check_number, check_option
from ..sources._arrays import ArraySource
from ..sources._base import Source
from ._batches import BATCHES
from ._coverage import MOST_ROWS, Coverage
from ._embedding import Points, check_embedding
from ._first_rows import are_rows, check_initial, initial_scores, nearest_cosine
from ._input_checks import were_checked
from ._ranking import best_of_different, repeats

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
        keys = exact_keys(X)
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
        keys = [lambda some: exact_keys(X, rows[some])]
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
        traits = [lambda some: exact_keys(X, rows[some])]
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
    if not isinstance(rows, AllBut):
        X, within = view(X, rows)
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
