"""Harmonic functions on a graph, and the expected risk after one more label.

A random walk from a free node ends at the first clamped node it meets. The
probabilities of the classes it finds there are the harmonic function: at each free
node the mean over its neighbours. With very small probability a step leads nowhere
and ends the walk, so that free nodes without a way to a clamped one need no care: the
matrix stays regular, and their walks end nowhere.
"""

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.sparse import csr_array, diags_array, issparse
from scipy.sparse.csgraph import connected_components, dijkstra, reverse_cuthill_mckee
from sklearn.utils import gen_batches

from ...utils._compat import cached_property
from ._gains import gains


def inverse(matrix):
    """Replace a symmetric positive definite matrix by its inverse, and return it."""
    if len(matrix) == 0:
        return matrix
    factor, failed = dpotrf(matrix.T, lower=True, overwrite_a=True)
    out, _ = dpotri(factor, lower=True, overwrite_c=True)
    if failed:
        raise np.linalg.LinAlgError(
            "The weights of the graph overflow. Scale the features."
        )
    for k in range(1, len(out)):  # the other triangle is undefined
        out[:k, k] = out[k, :k]
    return out.T


def without_row(green, k):
    """Return the inverse of a matrix without its k-th row and column."""
    column = green[k] / np.sqrt(green[k, k])
    column = np.delete(column, k)
    out = np.multiply.outer(-column, column)
    for rows in (slice(k), slice(k, None)):
        for columns in (slice(k), slice(k, None)):
            out[rows, columns] += green[shifted(rows, k), shifted(columns, k)]
    return out


def shifted(part, k):
    """Return the positions of a part before number k was removed."""
    return part if part.start is None else slice(k + 1, None)


#: Size of a block of candidates, which should stay in the cache.
BLOCK = 2**17


def expected_risk(influence_of, probabilities, candidates):
    """Return the expected risk once the label of a candidate is known.

    The risk is the expected number of wrong labels if each free node gets its most
    probable class. A label changes the risk only at nodes that may get another class,
    where the influence exceeds half of the margin between the two most probable
    classes.

    Parameters
    ----------
    influence_of : callable
        ``influence_of(candidates)`` returns the part of a change at each candidate that
        the free nodes take over, an array of shape (n, n_free).
    probabilities : ndarray of shape (n_free, n_classes)
        Class probabilities of the free nodes, for two or more classes.
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


#: Probability that a step of the walk leads nowhere.
LOST = 1e-10

#: Smallest remaining share of a node's variance; below it cancellation loses digits.
CANCELLED = 1e-6


class HarmonicField:
    """Class probabilities of the free nodes of a graph, and their change by labels.

    Parameters
    ----------
    weights : {ndarray, CSR array} of shape (n_nodes, n_nodes)
        Weights of the edges: symmetric, not negative, zeros on the diagonal.
    nodes : ndarray of int of shape (n_clamped,)
        Clamped nodes.
    distributions : ndarray of shape (n_clamped, n_classes)
        Class probabilities of the clamped nodes.

    Attributes
    ----------
    free : ndarray of int of shape (n_free,)
        The other nodes, ascending.
    green : ndarray of shape (n_free, n_free)
        Inverse of the Laplacian between them.
    reached : ndarray of shape (n_free, n_classes)
        Probabilities that a walk ends at a node of each class, or else nowhere.
    """

    def __init__(self, weights, nodes, distributions):
        self.weights, self.nodes, self.distributions = weights, nodes, distributions
        is_free = np.ones(weights.shape[0], dtype=bool)
        is_free[nodes] = False
        self.free = np.flatnonzero(is_free)
        degrees = weights.sum(axis=1)[self.free]
        degrees[degrees == 0] = 1  # an isolated node: any number
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
        """True for nodes whose walks end nowhere with a probability above 0.5."""
        return self.reached.sum(axis=1) < 0.5

    def probabilities(self, prior):
        """Return the class probabilities of the free nodes.

        Parameters
        ----------
        prior : ndarray of shape (n_classes,)
            Class probabilities of walks that end nowhere.
        """
        nowhere = np.maximum(1 - self.reached.sum(axis=1), 0)
        return self.reached + np.outer(nowhere, prior)

    def expected_risk(self, probabilities, candidates):
        """Return the expected risk once the label of a candidate is known.

        Parameters
        ----------
        probabilities : ndarray of shape (n_free, n_classes)
            Class probabilities of the free nodes.
        candidates : ndarray of int of shape (n_candidates,)
            Positions in `free`, one or more.
        """
        return expected_risk(self._influence_of, probabilities, candidates)

    def _influence_of(self, candidates):
        green = self.green[candidates]
        return green / green[np.arange(len(candidates)), candidates][:, None]


#: Mean number of nodes in a group, and the largest number of groups.
GROUP, MOST_GROUPS = 32, 1_000

#: Largest number of iterations. Fewer are needed, except for very long chains: for
#: 200,000 nodes in a row, the errors of probabilities are 1e-3. Rounding errors may
#: also keep a residual above its goal.
MOST_ITERATIONS = 1_000


def group_nodes(weights):
    """Return the group of each node, -1 for a node without a path to a group.

    A group consists of the nodes nearest to a random node, in numbers of edges.
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
        Weights of the edges: symmetric, not negative, zeros on the diagonal.
    group : ndarray of int of shape (n_nodes,)
        Group of each node, -1 for no group.
    nodes : ndarray of int of shape (n,)
        Nodes of the Laplacian, in any order. All have edges.
    """

    def __init__(self, weights, group, nodes):
        self.nodes = nodes
        degrees = weights.sum(axis=1)[nodes]
        # the scaled Laplacian is the identity minus these weights
        self._scale = 1 / np.sqrt(degrees)
        scale = diags_array(self._scale)
        self._weights = csr_array(scale @ weights[nodes][:, nodes] @ scale)
        is_grouped = group[nodes] >= 0
        used, column = np.unique(group[nodes[is_grouped]], return_inverse=True)
        # the first level converges slowly where the unscaled solution is constant
        values, shape = np.sqrt(degrees[is_grouped]), (len(nodes), len(used))
        self._groups = csr_array(
            (values, (np.flatnonzero(is_grouped), column)), shape=shape
        )
        coarse = self._groups.T @ (self._groups - self._weights @ self._groups)
        self._coarse_inverse = inverse(coarse.toarray())

    def solve(self, right, tolerance):
        """Return the solutions for right-hand sides, in the same precision.

        Parameters
        ----------
        right : ndarray of shape (n, n_systems)
            Right-hand sides. Columns of zeros have solutions of zeros.
        tolerance : float
            Largest residual, as a share of the right-hand side.
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
            step = quotients(slope, dots(direction, change))
            solution += step * direction
            change *= step
            residual -= change
            if np.all(dots(residual) <= goal):
                break
            better, before = improved(residual), slope
            slope = dots(residual, better)
            direction *= quotients(slope, before)
            direction += better
        return scale * solution


def dots(X, Y=None):
    """Return the dot products of the columns."""
    return np.einsum("ij,ij->j", X, X if Y is None else Y)


def quotients(part, whole):
    """Return quotients, with 0 for 0 / 0 of solved systems."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


#: Residuals of the class probabilities, and of the influence of labels.
EXACT, ROUGH = 1e-10, 1e-4


class Edges:
    """The edges of a graph, and properties of the graph without labels.

    Parameters
    ----------
    weights : {ndarray, CSR array} of shape (n_nodes, n_nodes)
        Symmetric, not negative, zeros on the diagonal.

    Attributes
    ----------
    degrees : ndarray of shape (n_nodes,)
        Sums of the weights.
    component : ndarray of int of shape (n_nodes,)
        Connected component of each node.
    group : ndarray of int of shape (n_nodes,)
        Group of near nodes of each node, -1 for no group.
    order : ndarray of int of shape (n_nodes,)
        An order of the nodes that keeps neighbours close in memory.
    """

    def __init__(self, weights):
        self.weights = csr_array(weights)
        self.degrees = self.weights.sum(axis=1)
        self.component = connected_components(self.weights, directed=False)[1]
        self.group = group_nodes(self.weights)
        self.order = reverse_cuthill_mckee(self.weights, symmetric_mode=True)


class SparseHarmonicField:
    """Class probabilities of the free nodes of a sparse graph.

    It replaces `HarmonicField` where candidates are few.

    Parameters
    ----------
    edges : Edges
        Edges of the graph.
    nodes : ndarray of int of shape (n_clamped,)
        Clamped nodes.
    distributions : ndarray of shape (n_clamped, n_classes)
        Class probabilities of the clamped nodes.

    Attributes
    ----------
    free : ndarray of int of shape (n_free,)
        The other nodes, ascending.
    is_lost : ndarray of bool of shape (n_free,)
        True for free nodes without a path to a clamped node.
    candidates : ndarray of int of shape (n_candidates,)
        Positions in `free`, ascending, of the nodes whose influence is known.
    green : ndarray of float32 of shape (n_candidates, n_free)
        Rows of the inverse of the Laplacian for the candidates.
    """

    def __init__(self, edges, nodes, distributions):
        self.edges, self.nodes, self.distributions = edges, nodes, distributions
        is_free = np.ones(len(edges.component), dtype=bool)
        is_free[nodes] = False
        self.free = np.flatnonzero(is_free)
        is_lost = ~np.isin(edges.component, edges.component[nodes])
        self.is_lost = is_lost[self.free]
        self.candidates = np.empty(0, dtype=int)
        self.green = np.empty((0, len(self.free)), np.float32)

    @cached_property
    def _solver(self):
        is_wanted = np.zeros(len(self.edges.component), dtype=bool)
        is_wanted[self.free[~self.is_lost]] = True
        nodes = self.edges.order[is_wanted[self.edges.order]]
        return LaplacianSolver(self.edges.weights, self.edges.group, nodes)

    @cached_property
    def reached(self):
        """Probabilities that a walk ends at nodes of each class; 0 for lost nodes."""
        weights, solver = self.edges.weights, self._solver
        pull = weights[solver.nodes][:, self.nodes] @ self.distributions
        solution = solver.solve(pull, EXACT).clip(0)
        reached = np.zeros((len(self.free), solution.shape[1]))
        places = np.searchsorted(self.free, solver.nodes)
        reached[places] = solution / solution.sum(axis=1, keepdims=True)
        return reached

    def probabilities(self, prior):
        """Return the class probabilities of the free nodes, `prior` for lost ones."""
        return np.where(self.is_lost[:, None], prior, self.reached)

    def screened(self, probabilities):
        """Return a score of the change by the label of each free node; 0 if it is lost.

        The score is the expected squared change of the node's own probabilities, times
        a bound of the sum of its influences on all nodes. The influences are divided by
        the node's diagonal element of the inverse, which is at least the inverse of its
        degree.

        Parameters
        ----------
        probabilities : ndarray of shape (n_free, n_classes)
            Class probabilities of the free nodes.
        """
        change = 1 - np.einsum("ij,ij->i", probabilities, probabilities)
        nodes, score = self._solver.nodes, np.zeros(len(self.free))
        places = np.searchsorted(self.free, nodes)
        ones = np.ones((len(nodes), 1), np.float32)
        bound = self._solver.solve(ones, ROUGH)[:, 0] * self.edges.degrees[nodes]
        score[places] = change[places] * bound
        return score

    def considering(self, candidates):
        """Return the field with the influence of some free nodes.

        Parameters
        ----------
        candidates : ndarray of int of shape (n_candidates,)
            Positions in `free` of nodes that are not lost.
        """
        field = SparseHarmonicField(self.edges, self.nodes, self.distributions)
        field.candidates = np.sort(candidates)
        places = np.searchsorted(self.free, self._solver.nodes)
        units = places[:, None] == field.candidates
        field.green = np.zeros((len(candidates), len(self.free)), np.float32)
        solution = self._solver.solve(units.astype(np.float32), ROUGH)
        field.green[:, places] = solution.T
        return field

    def clamped(self, node, distribution):
        """Return the field with one more node clamped, a candidate if there are any."""
        nodes = np.append(self.nodes, node)
        distributions = np.vstack([self.distributions, distribution])
        field = SparseHarmonicField(self.edges, nodes, distributions)
        if len(self.candidates):
            k = np.searchsorted(self.free, node)
            (own,) = np.flatnonzero(self.candidates == k)
            others = np.delete(self.candidates, own)
            row = self.green[own]
            green = np.delete(self.green, own, axis=0)
            green -= np.outer(green[:, k] / row[k], row)
            field.green = np.delete(green, k, axis=1)
            field.candidates = others - (others > k)
        return field

    def expected_risk(self, probabilities, candidates):
        """Return the expected risk once the label of a candidate is known.

        Parameters
        ----------
        probabilities : ndarray of shape (n_free, n_classes)
            Class probabilities of the free nodes.
        candidates : ndarray of int of shape (n_candidates,)
            Positions in `free` of one or more candidates, or of lost nodes.
        """
        if self.is_lost[candidates[0]]:
            return self._risk_of_lost(probabilities, candidates)
        probabilities = probabilities.astype(self.green.dtype)
        return expected_risk(self._influence_of, probabilities, candidates)

    def _risk_of_lost(self, probabilities, candidates):
        # a label decides its whole component
        wrong, component = 1 - probabilities.max(axis=1), self.edges.component
        decided = np.bincount(component[self.free], wrong, component.max() + 1)
        return wrong.sum() - decided[component[self.free[candidates]]]

    def _influence_of(self, candidates):
        green = self.green[np.searchsorted(self.candidates, candidates)]
        own = green[np.arange(len(candidates)), candidates]
        return green / own[:, None]
