"""The value that a query makes once for each batch and hands down to its rule."""

from typing import Any, NamedTuple, Self

import numpy as np

from ..base._requests import Purchase
from ..sources._containers import NO_ROWS, RowsExcept, take, to_memory
from ..utils.typing import Ints

#: A number that makes the draw of candidates differ from the other draws of a round.
SAMPLE = 1


class Round(NamedTuple):
    """A batch that a pool learner is about to choose: the candidates and their number.

    Attributes
    ----------
    X : rows
        The pool; some of its rows if distances are measured among these only.
    candidates : ndarray of int or RowsExcept of shape (n_candidates,)
        Row numbers of X from which the rule chooses; `rows` are the same as an array.
    n_wanted : int
        Number of rows to choose, at least 1.
    n_batch : int
        Number of rows in the whole batch. `n_wanted` is smaller if the budget or the
        limit cuts the batch short, or if some of its rows are drawn at random.
    seed : tuple of int
        Seed of the random numbers of this round.
    initial : str, callable, rows or None
        The value of the learner's `initial` by which rows are chosen while there is no
        model; None: the model chooses.
    explored : ndarray of int
        Rows of the pool that were drawn at random for the same batch.
    share : float
        Number of candidates over the number of rows that may be bought; less than 1
        for a random sample of them.
    pool_rows : ndarray of int or None
        The row numbers of the rows of X in the pool, if X is not the pool.
    points : Points or None
        The rows of X as points, if the rule measures distances.
    ranking : tuple of ndarray or None
        Rows in the order in which to read them and their scores, for a learner that
        ranks all rows before a stopping rule is asked.
    sample : CheckedSample or None
        Random sample that tests machine labels, for a learner that has them.
    """

    X: Any
    candidates: Ints | RowsExcept
    n_wanted: int
    n_batch: int
    seed: tuple[int, ...]
    initial: Any = None
    explored: Ints = NO_ROWS
    share: float = 1.0
    pool_rows: Ints | None = None
    points: Any = None
    ranking: Any = None
    sample: Any = None

    @property
    def rows(self) -> Ints:
        """The candidates as an array of row numbers."""
        return np.asarray(self.candidates)

    def sample_candidates(self, n: int) -> Self:
        """Return the round with n random candidates; all if there are no more."""
        n_all = len(self.candidates)
        if n >= n_all:
            return self
        rng = np.random.default_rng((*self.seed, SAMPLE))
        chosen = rng.choice(n_all, n, replace=False, shuffle=False)
        kept = self.candidates[np.sort(chosen)]
        return self._replace(candidates=kept, share=n / n_all)

    def with_explored(self, rows: Ints, n_wanted: int) -> Self:
        """Return the round that chooses the other rows of a batch."""
        left = self.candidates
        if len(rows) and isinstance(left, RowsExcept):
            left = left.without(rows)
        elif len(rows):
            left = np.setdiff1d(left, rows, assume_unique=True)
        return self._replace(candidates=left, explored=rows, n_wanted=n_wanted)

    def in_memory(self) -> Self:
        """Return the round with X in memory; of a sample, X holds only the sample."""
        if self.share == 1:
            return self._replace(X=to_memory(self.X))
        return self.restrict(self.rows)

    def restrict(self, rows: Ints) -> Self:
        """Return the round with X in memory that holds only these rows of the pool."""
        X, candidates = take(self.X, rows), np.flatnonzero(self.are_candidates(rows))
        return self._replace(X=X, candidates=candidates, pool_rows=rows)

    def are_candidates(self, rows: Ints) -> np.ndarray[Any, Any]:
        """Return for each of these row numbers of X whether it is a candidate."""
        if isinstance(self.candidates, RowsExcept):
            return positions_in(self.candidates.others, rows) < 0
        return positions_in(self.candidates, rows) >= 0

    def positions_of(self, pool_rows: Ints) -> Ints:
        """Return the row numbers in X of rows of the pool, -1 for rows not in X."""
        if self.pool_rows is None:
            return pool_rows
        order = np.argsort(self.pool_rows)
        found = positions_in(self.pool_rows[order], pool_rows)
        return np.where(found < 0, -1, order[found])

    def in_pool(self, purchase: Purchase) -> Purchase:
        """Return a purchase of candidates as a purchase from the pool."""
        rows, probabilities, utilities, _ = purchase
        if self.pool_rows is not None:
            rows = self.pool_rows[rows]
        was_drawn = np.isnan(utilities)
        probabilities = np.where(was_drawn, self.share, 1) * probabilities
        return purchase._replace(rows=rows, probabilities=probabilities)


def positions_in(ascending: Ints, rows: Ints) -> Ints:
    """Return the position of each row number in an ascending array, -1 for none."""
    if not len(ascending):
        return np.full(len(rows), -1)
    positions = np.searchsorted(ascending, rows)
    positions = np.minimum(positions, len(ascending) - 1)
    return np.where(ascending[positions] == rows, positions, -1)
