"""A stream learner's simulation that stops at label counts, at compiled speed."""

import numpy as np

from .._transaction import begin


def checkpoints(learner, X, y, order, classes, counts):
    """Simulate a learner in place, and yield whenever so many labels are bought.

    A block of rows with a stop in it is gone through twice: to see which rows are
    bought, and again up to the stop. Cuts between groups of rows do not matter (law 3).

    Parameters
    ----------
    learner : StreamLoop
        One that has seen nothing.
    X, y, classes
        As for its `partial_fit`.
    order : ndarray of int64
        Row numbers of X.
    counts : ndarray of int
        Ascending.

    Yields
    ------
    n : int
        Each of the counts that is reached, when the learner is there.
    """
    simulate = learner._simulation(X, y, classes, len(order))
    group = learner._group
    size = group * -(-max(len(order) // 32, 1000) // group)
    place = np.empty(len(y), dtype=np.int64)
    place[order] = np.arange(len(order))
    for start in range(0, len(order), size):
        block, n_before = order[start : start + size], learner.n_queries_
        transaction = begin(learner)
        end = transaction.learner
        simulate(end, block)
        reached = counts[(counts > n_before) & (counts <= end.n_queries_)]
        done = 0
        for n in reached.tolist():
            last = place[end.queried_indices_[n - n_before - 1]] - start
            after = last - last % group + group
            simulate(learner, block[done:after])
            done = after
            yield n
        transaction.commit()
    learner._warn_after_run()
