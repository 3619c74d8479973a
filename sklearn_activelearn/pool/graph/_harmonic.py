"""Harmonic functions on a graph, and the risk that one more label would leave.

A random walk from a free node ends at the first clamped node it meets. The
probabilities of the classes it finds there are the harmonic function: at each free
node the mean over its neighbours. With very small probability a step leads nowhere
and ends the walk, so that free nodes without a way to a clamped one need no care: the
matrix stays regular, and their walks end nowhere.
"""

import numpy as np
from scipy.sparse import issparse

from ._inverse import inverse, without_row
from ._risk import expected_risk

#: Probability that a step of the walk leads nowhere.
LOST = 1e-10

#: Share of a node's variance; with less of it left, cancellation has eaten digits.
CANCELLED = 1e-6


class HarmonicField:
    """Class probabilities of the free nodes of a graph, and how labels change them.

    Parameters
    ----------
    weights : {ndarray, CSR array} of shape (n_nodes, n_nodes)
        Of the edges: symmetric, not negative, zeros on the diagonal.
    nodes : ndarray of int of shape (n_clamped,)
        Clamped nodes.
    distributions : ndarray of shape (n_clamped, n_classes)
        What they are clamped to: class probabilities.

    Attributes
    ----------
    free : ndarray of int of shape (n_free,)
        The other nodes, ascending.
    green : ndarray of shape (n_free, n_free)
        Inverse of the Laplacian between them.
    reached : ndarray of shape (n_free, n_classes)
        Probabilities that a walk ends at a node of each class; the rest ends nowhere.
    """

    def __init__(self, weights, nodes, distributions):
        self.weights, self.nodes, self.distributions = weights, nodes, distributions
        is_free = np.ones(weights.shape[0], dtype=bool)
        is_free[nodes] = False
        self.free = np.flatnonzero(is_free)
        degrees = weights.sum(axis=1)[self.free]
        degrees[degrees == 0] = 1  # of a node alone: any number
        laplacian = weights[np.ix_(self.free, self.free)]
        laplacian = laplacian.toarray() if issparse(laplacian) else laplacian
        np.negative(laplacian, out=laplacian)
        np.fill_diagonal(laplacian, (1 + LOST) * degrees)
        self.green = inverse(laplacian)
        pull = weights[np.ix_(self.free, nodes)] @ distributions
        self.reached = self.green @ pull
        self._solved_variance = np.diag(self.green)

    def clamped(self, node, distribution):
        """Return the field with one more node clamped, in O(n_free²)."""
        nodes = np.append(self.nodes, node)
        distributions = np.vstack([self.distributions, distribution])
        k = np.searchsorted(self.free, node)
        others = np.arange(len(self.free)) != k
        solved = self._solved_variance[others]
        variance = np.diag(self.green)[others]
        left = variance - self.green[k, others] ** 2 / self.green[k, k]
        if np.any(left < CANCELLED * solved):
            return HarmonicField(self.weights, nodes, distributions)
        field = object.__new__(HarmonicField)
        field.weights, field.nodes = self.weights, nodes
        field.distributions = distributions
        field.free, field._solved_variance = self.free[others], solved
        influence = self.green[k, others] / self.green[k, k]
        field.reached = self.reached[others] + np.outer(
            influence, distribution - self.reached[k]
        )
        field.green = without_row(self.green, k)
        return field

    @property
    def is_lost(self):
        """Which walks are more likely to end nowhere than at a clamped node."""
        return self.reached.sum(axis=1) < 0.5

    def probabilities(self, prior):
        """Return the class probabilities of the free nodes.

        Parameters
        ----------
        prior : ndarray of shape (n_classes,)
            Where a walk ends nowhere, these count.
        """
        nowhere = np.maximum(1 - self.reached.sum(axis=1), 0)
        return self.reached + np.outer(nowhere, prior)

    def expected_risk(self, probabilities, candidates):
        """Return the risk to expect once a candidate's label is known.

        Parameters
        ----------
        probabilities : ndarray of shape (n_free, n_classes)
            Of the free nodes.
        candidates : ndarray of int of shape (n_candidates,)
            Positions in `free`, one or more.
        """
        return expected_risk(self._influence_of, probabilities, candidates)

    def _influence_of(self, candidates):
        green = self.green[candidates]
        return green / green[np.arange(len(candidates)), candidates][:, None]
