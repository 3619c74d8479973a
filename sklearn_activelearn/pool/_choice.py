"""Which rows a pool learner buys next, or why none: parts of `PoolClassifier`."""

from typing import Any

import numpy as np

from .._containers import NO_ROWS
from .._requests import Purchase
from .._typing import Ints
from ._explore import explored, mixed
from ._sample import CandidateSample
from ._selection import NOTHING, drawn_at_random
from .stopping._reads import AUDIT
from .stopping._registry import n_random_wanted, why_stop


def pick(self, X, rows, limit):
    """Choose among these row numbers of X, put the choice on the bill."""
    self.stop_reason_ = None
    selection, n_left, n_rows = self._selection, self._n_left(), len(rows)
    n_first = self._n_first()
    is_cold = self._is_cold(n_first)
    n_batch = min(selection.n_wanted(n_first), n_rows)
    n_wanted = min(n_batch, n_left)
    # a seed of its own for each round: nothing to rewind after an error
    seed = self._seed, self._n_rounds
    sample = CandidateSample(X, rows)
    if self._samples and self.n_candidates is not None:
        # the random rows of a batch leave enough, also if it is cut short
        sample = sample.drawn(max(self.n_candidates, n_batch), seed)
    if n_wanted and not is_cold and self._uses_model:
        self._catch_up()  # the last training may have failed
    if n_left == 0:
        self.stop_reason_ = "budget"
    elif n_wanted and not is_cold and (rule := why_stop(self, sample, n_rows)):
        self.stop_reason_ = rule
    elif n_rows == 0:
        self.stop_reason_ = "no rows"
    elif limit == 0:
        self.stop_reason_ = "limit"
    if self.stop_reason_ is not None:
        return NOTHING
    n_wanted = min(n_wanted, limit)
    if not is_cold and (n_random := n_random_wanted(self)):
        n_random = min(n_random, n_wanted)
        bought = drawn_at_random(np.asarray(rows), n_random, seed, AUDIT)
    else:
        initial = selection.initial_for(n_first) if is_cold else None
        share = selection.random_share(initial, self.explore)
        is_random, bought = explored(share, rows, n_batch, n_wanted, seed)
        sample, own = sample.without(bought.rows), NOTHING
        if n_own := n_wanted - np.count_nonzero(is_random):
            own = chosen(self, sample, initial, n_own, seed, bought.rows)
        bought = mixed(is_random, bought, own)
    self._n_rounds += 1
    self.n_queries_ += len(bought.rows)
    return bought


def chosen(learner, sample, initial, n_wanted, seed, beside):
    """Return the rows that the rule of a learner chooses.

    Parameters
    ----------
    learner : PoolClassifier
        A working copy.
    sample : CandidateSample
        Of what.
    initial : str, callable or rows, optional
        What the rows follow; None: a model.
    n_wanted : int
        How many.
    seed : tuple of int
        Of this round.
    beside : ndarray of int
        Rows of the same purchase that were drawn.
    """
    if learner._selection.measures_distances(initial):
        sample = sample.in_memory()
        learner._points = learner._points_of(sample.X)
    learner._beside = beside if sample.numbers is None else NO_ROWS
    select, rows = learner._select if initial is None else learner._start, sample.rows
    if select.__func__ is not most_useful:  # which needs no list of them
        rows = np.asarray(rows)
    bought = select(sample.X, rows, n_wanted, seed)
    del learner._beside
    return sample.bought(bought)


def most_useful(self, X: Any, rows: Ints, n_wanted: int, seed: Any) -> Purchase:
    """Choose those of these row numbers of X that are worth most."""
    utility = self._utilities(X, rows)
    return self._selection.batch_of(X, rows, utility, n_wanted, seed, self._points)
