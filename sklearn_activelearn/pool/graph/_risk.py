"""The risk of a harmonic function to expect once one more label is known."""

import numpy as np
from sklearn.utils import gen_batches

from ._gains import gains

#: Numbers in a block of candidates: it should stay in the cache.
BLOCK = 2**17


def expected_risk(influence_of, probabilities, candidates):
    """Return the risk to expect once a candidate's label is known.

    The risk is the number of wrong labels to expect when each free node gets its most
    probable class. A label changes it only at nodes that may get another class, where
    the influence is more than half of the margin between the two likeliest classes.

    Parameters
    ----------
    influence_of : callable
        Returns for candidates, given by number, what part of a change at each the free
        nodes take over: an array of shape (n, n_free).
    probabilities : ndarray of shape (n_free, n_classes)
        Of the free nodes: two classes or more.
    candidates : ndarray of int of shape (n_candidates,)
        Numbers of free nodes.
    """
    columns, n_free = probabilities.T.copy(), len(probabilities)
    second, top = np.partition(columns, -2, axis=0)[-2:]
    margin, risk = top - second, np.full(len(candidates), n_free - top.sum(dtype=float))
    for block in gen_batches(len(candidates), max(1, BLOCK // n_free)):
        k = candidates[block]
        risk[block] -= gains(influence_of(k), columns, top, margin, probabilities[k])
    return risk
