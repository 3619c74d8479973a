"""Harmonic functions on a sparse graph, in memory that grows with its edges.

The inverse of the Laplacian is never computed. The class probabilities solve a linear
system each, and what the label of one candidate would change solves one more. Parts of
the graph without a label are left out of these systems.
"""

from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, reverse_cuthill_mckee

from ._conjugate_gradients import LaplacianSolver, grouped
from ._risk import expected_risk

#: Residuals of the class probabilities, and of what labels would change.
EXACT, ROUGH = 1e-10, 1e-4


class Edges:
    """The edges of a graph, and what follows from them whatever the labels.

    Parameters
    ----------
    weights : {ndarray, CSR array} of shape (n_nodes, n_nodes)
        Symmetric, not negative, zeros on the diagonal.

    Attributes
    ----------
    degrees : ndarray of shape (n_nodes,)
        Sums of the weights.
    component : ndarray of int of shape (n_nodes,)
        Which connected component each node is in.
    group : ndarray of int of shape (n_nodes,)
        Which group of near nodes it is in, -1 for none.
    order : ndarray of int of shape (n_nodes,)
        The nodes such that neighbours are mostly near each other in memory.
    """

    def __init__(self, weights):
        self.weights = csr_array(weights)
        self.degrees = self.weights.sum(axis=1)
        self.component = connected_components(self.weights, directed=False)[1]
        self.group = grouped(self.weights)
        self.order = reverse_cuthill_mckee(self.weights, symmetric_mode=True)


class SparseHarmonicField:
    """Class probabilities of the free nodes of a sparse graph.

    It stands in for `HarmonicField` where candidates are few.

    Parameters
    ----------
    edges : Edges
        Of the graph.
    nodes : ndarray of int of shape (n_clamped,)
        Clamped nodes.
    distributions : ndarray of shape (n_clamped, n_classes)
        What they are clamped to: class probabilities.

    Attributes
    ----------
    free : ndarray of int of shape (n_free,)
        The other nodes, ascending.
    is_lost : ndarray of bool of shape (n_free,)
        Which of them have no way to a clamped node.
    candidates : ndarray of int of shape (n_candidates,)
        Positions in `free`, ascending, of the nodes whose influence is known.
    green : ndarray of float32 of shape (n_candidates, n_free)
        Their rows of the inverse of the Laplacian.
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
        """Probabilities that a walk ends at nodes of each class, zeros for the lost."""
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
        """Return how much the label of each free node may change, 0 if it is lost.

        That is the squared change to expect of its own probabilities, times a bound of
        the sum of its influences on all nodes: its element on the diagonal of the
        inverse, by which these are divided, is at least the inverse of its degree.

        Parameters
        ----------
        probabilities : ndarray of shape (n_free, n_classes)
            Of the free nodes.
        """
        change = 1 - np.einsum("ij,ij->i", probabilities, probabilities)
        nodes, score = self._solver.nodes, np.zeros(len(self.free))
        places = np.searchsorted(self.free, nodes)
        ones = np.ones((len(nodes), 1), np.float32)
        bound = self._solver.solve(ones, ROUGH)[:, 0] * self.edges.degrees[nodes]
        score[places] = change[places] * bound
        return score

    def considering(self, candidates):
        """Return the field that knows the influence of some free nodes.

        Parameters
        ----------
        candidates : ndarray of int of shape (n_candidates,)
            Positions in `free`, of nodes that are not lost.
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
        """Return the risk to expect once a candidate's label is known.

        Parameters
        ----------
        probabilities : ndarray of shape (n_free, n_classes)
            Of the free nodes.
        candidates : ndarray of int of shape (n_candidates,)
            Positions in `free`: of candidates, or of lost nodes, one or more.
        """
        if self.is_lost[candidates[0]]:
            return self._risk_of_lost(probabilities, candidates)
        probabilities = probabilities.astype(self.green.dtype)
        return expected_risk(self._influence_of, probabilities, candidates)

    def _risk_of_lost(self, probabilities, candidates):
        # a label decides all of its component
        wrong, component = 1 - probabilities.max(axis=1), self.edges.component
        decided = np.bincount(component[self.free], wrong, component.max() + 1)
        return wrong.sum() - decided[component[self.free[candidates]]]

    def _influence_of(self, candidates):
        green = self.green[np.searchsorted(self.candidates, candidates)]
        own = green[np.arange(len(candidates)), candidates]
        return green / own[:, None]
