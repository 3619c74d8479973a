"""Harmonic functions on a graph, and the risk that one more label would leave.

A random walk from a free node ends at the first clamped node it meets. The
probabilities of the classes it finds there are the harmonic function: at each free
node the mean over its neighbours. With very small probability a step leads nowhere
and ends the walk, so that free nodes without a way to a clamped one need no care: the
matrix stays regular, and their walks end nowhere.
"""

from functools import reduce

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.sparse import issparse
from sklearn.utils import gen_batches

#: Probability that a step of the walk leads nowhere.
LOST = 1e-10

#: Share of a node's variance; with less of it left, cancellation has eaten digits.
CANCELLED = 1e-6

#: Numbers in a block of candidates: it should stay in cache.
BLOCK = 2**15


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

        The risk is the number of wrong labels to expect when each free node gets its
        most probable class. It takes O(n_free n_classes) for each candidate.

        Parameters
        ----------
        probabilities : ndarray of shape (n_free, n_classes)
            Of the free nodes.
        candidates : ndarray of int of shape (n_candidates,)
            Positions in `free`, one or more.
        """
        risk = np.empty(len(candidates))
        columns, n_free = probabilities.T.copy(), len(self.free)
        for block in gen_batches(len(candidates), max(1, BLOCK // n_free)):
            k = candidates[block]
            influence = self.green[k] / self.green[k, k][:, None]
            # each class without the candidate's share in it; its label gets that all
            rest = [p - influence * p[k][:, None] for p in columns]
            top = reduce(np.maximum, rest)
            certain = sum(
                p[k] * np.maximum(top, r + influence).sum(axis=1)
                for p, r in zip(columns, rest, strict=True)
            )
            risk[block] = n_free - certain
        return risk


def inverse(matrix):
    """Return the inverse of a symmetric positive definite matrix, in its memory."""
    if len(matrix) == 0:
        return matrix
    factor, failed = dpotrf(matrix.T, lower=True, overwrite_a=True)
    out, _ = dpotri(factor, lower=True, overwrite_c=True)
    if failed:
        raise np.linalg.LinAlgError("the weights of the graph overflow.")
    for k in range(1, len(out)):  # the other triangle holds anything
        out[:k, k] = out[k, :k]
    return out.T


def without_row(green, k):
    """Return the inverse of a matrix that has lost its k-th row and column."""
    column = green[k] / np.sqrt(green[k, k])
    column = np.delete(column, k)
    out = np.multiply.outer(-column, column)
    for rows in (slice(k), slice(k, None)):
        for columns in (slice(k), slice(k, None)):
            out[rows, columns] += green[shifted(rows, k), shifted(columns, k)]
    return out


def shifted(part, k):
    """Return where the numbers of a part were before number k was taken out."""
    return part if part.start is None else slice(k + 1, None)
