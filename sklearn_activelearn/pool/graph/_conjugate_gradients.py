"""Linear systems with the Laplacian of a sparse graph, solved by conjugate gradients.

Residuals that change little from node to node are slow to go. A second level takes
them out: the same system on groups of near nodes, which is small enough for an inverse.
"""

import numpy as np
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import dijkstra

from ._inverse import inverse

#: Nodes in a group, in the mean, and the largest number of groups.
GROUP, MOST_GROUPS = 32, 1_000

#: More iterations than are needed, but for very long chains: with 200,000 nodes one
#: after the other, probabilities are off by 1e-3. Rounding errors may keep a residual
#: above its goal, too.
MOST_ITERATIONS = 1_000


def grouped(weights):
    """Return the group of each node, -1 for one that has no way to any of them.

    The groups are the nodes nearest to random ones, counted in edges.
    """
    n = weights.shape[0]
    n_groups = min(-(-n // GROUP), MOST_GROUPS)
    centers = np.random.default_rng(0).choice(n, n_groups, replace=False)
    nearest = dijkstra(
        weights,
        directed=False,
        indices=centers,
        unweighted=True,
        min_only=True,
        return_predecessors=True,
    )[2]
    group, has_way = np.full(n, -1), nearest >= 0
    group[centers] = np.arange(n_groups)
    group[has_way] = group[nearest[has_way]]
    return group


class LaplacianSolver:
    """Solves systems with the Laplacian between some nodes of a graph.

    Parameters
    ----------
    weights : CSR array of shape (n_nodes, n_nodes)
        Of the edges: symmetric, not negative, zeros on the diagonal.
    group : ndarray of int of shape (n_nodes,)
        Which group each node is in, -1 for none.
    nodes : ndarray of int of shape (n,)
        Between which the Laplacian is taken, in any order. All have edges.
    """

    def __init__(self, weights, group, nodes):
        self.nodes = nodes
        degrees = weights.sum(axis=1)[nodes]
        # scaled, the Laplacian is one minus these weights
        self._scale = 1 / np.sqrt(degrees)
        scale = diags_array(self._scale)
        self._weights = csr_array(scale @ weights[nodes][:, nodes] @ scale)
        is_grouped = group[nodes] >= 0
        used, column = np.unique(group[nodes[is_grouped]], return_inverse=True)
        # the first level is slow where the solution is constant before it is scaled
        values, shape = np.sqrt(degrees[is_grouped]), (len(nodes), len(used))
        self._groups = csr_array(
            (values, (np.flatnonzero(is_grouped), column)), shape=shape
        )
        coarse = self._groups.T @ (self._groups - self._weights @ self._groups)
        self._coarse_inverse = inverse(coarse.toarray())

    def solve(self, right, tolerance):
        """Return the solutions for these right-hand sides, in their precision.

        Parameters
        ----------
        right : ndarray of shape (n, n_systems)
            Columns of zeros have solutions of zeros.
        tolerance : float
            Of residuals, as a share of the right-hand sides.
        """
        dtype = right.dtype
        weights, groups = self._weights.astype(dtype), self._groups.astype(dtype)
        groups_T, inverse_ = csr_array(groups.T), self._coarse_inverse.astype(dtype)
        scale = self._scale.astype(dtype)[:, None]

        def improved(residual):
            return residual + groups @ (inverse_ @ (groups_T @ residual))

        residual = scale * right
        solution, goal = np.zeros_like(residual), tolerance**2 * dots(residual)
        direction = improved(residual)
        slope = dots(residual, direction)
        for _ in range(MOST_ITERATIONS):
            change = direction - weights @ direction
            step = shares(slope, dots(direction, change))
            solution += step * direction
            change *= step
            residual -= change
            if np.all(dots(residual) <= goal):
                break
            better, before = improved(residual), slope
            slope = dots(residual, better)
            direction *= shares(slope, before)
            direction += better
        return scale * solution


def dots(X, Y=None):
    """Return the dot products of the columns."""
    return np.einsum("ij,ij->j", X, X if Y is None else Y)


def shares(part, whole):
    """Return quotients; 0 for 0 / 0, of systems that are solved."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
