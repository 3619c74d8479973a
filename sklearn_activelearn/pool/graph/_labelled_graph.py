"""A graph of a pool's rows, some with a label, and the harmonic function on it."""

from functools import cached_property

import numpy as np

from ..._containers import n_rows
from ._harmonic import HarmonicField
from ._sparse_harmonic import Edges, SparseHarmonicField


class LabelledGraph:
    """Rows of a pool and labelled rows from elsewhere, as nodes of one graph.

    A pickle leaves edges and harmonic function out; they are computed again in the same
    steps.

    Parameters
    ----------
    graph : GraphClassifier
        Connects the nodes: the rows of the pool, then those from elsewhere.
    is_sparse : bool
        Whether it does without the inverse of the Laplacian.
    pool : rows or None
        The rows of the pool.
    places : ndarray of int of shape (n_labelled,)
        Number of each labelled row in the pool; -1 for one from elsewhere.
    codes : ndarray of int of shape (n_labelled,)
        Their classes.
    n_classes : int
        How many classes there are.
    n_solved : int
        So many labels are clamped at once, the others one by one.
    """

    def __init__(self, graph, is_sparse, pool, places, codes, n_classes, n_solved):
        self.graph, self.is_sparse, self.pool = graph, is_sparse, pool
        self.places, self.codes = places, codes
        self.n_classes, self.n_solved = n_classes, n_solved

    @classmethod
    def of(cls, prototype, pool, labelled, n_classes, n_first, is_sparse, before=None):
        """Return the graph of a pool and of labelled rows, some of which are in it.

        The steps to its field depend on the labels only, not on when they came: the
        first ones, and all up to the last from elsewhere, are clamped at once; all of
        them in a sparse graph.

        Parameters
        ----------
        prototype : GraphClassifier
            It becomes the graph.
        pool : Pool
            Its rows, and where the labelled ones are.
        labelled : Labelled
            Rows and the codes of their labels.
        n_classes : int
            How many classes there are.
        n_first : int
            How many labels are the first ones.
        is_sparse : bool
            Whether it does without the inverse of the Laplacian.
        before : LabelledGraph, optional
            An earlier one, on which it builds if there are only more labels now.
        """
        (elsewhere,) = np.nonzero(pool.places < 0)
        n_solved = max(min(n_first, len(labelled)), *(elsewhere[-1:] + 1), 0)
        settings = tuple(prototype.get_params().values())
        graph = pool.fitted(settings, prototype.connect, labelled.rows)
        if is_sparse:
            n_solved = len(labelled)
        out = cls(
            graph, is_sparse, pool.X, pool.places, labelled.codes, n_classes, n_solved
        )
        if is_sparse:
            name = (*settings, "edges")
            out.edges = pool.fitted(name, lambda _: out.edges, labelled.rows)
        goes_on = before is not None and (
            before.graph is graph
            and before.is_sparse == is_sparse
            and before.n_classes == n_classes
            and before.n_solved == n_solved
            and np.array_equal(before.places, pool.places[: len(before.places)])
        )
        if goes_on:
            out.field = out._clamp(before.field, len(before.codes))
        return out

    @cached_property
    def edges(self):
        """The edges of a sparse graph."""
        return Edges(self.graph.weights())

    @cached_property
    def field(self):
        """The harmonic function, computed when it is asked for."""
        first = slice(self.n_solved)
        nodes, certain = self._nodes[first], self._certain[first]
        if self.is_sparse:
            return SparseHarmonicField(self.edges, nodes, certain)
        field = HarmonicField(self.graph.weights(), nodes, certain)
        return self._clamp(field, self.n_solved)

    def free_distributions(self):
        """Return the class probabilities of the nodes without a label."""
        prior = np.bincount(self.codes, minlength=self.n_classes) / len(self.codes)
        return self.field.probabilities(prior)

    def distributions(self):
        """Return the class probabilities of all nodes."""
        out = np.empty((n_rows(self.graph.X_), self.n_classes))
        out[self.field.free] = self.free_distributions()
        out[self._nodes] = self._certain
        return out

    @property
    def n_pool(self):
        """How many nodes are rows of the pool."""
        return 0 if self.pool is None else n_rows(self.pool)

    @property
    def _nodes(self):
        """The node of each label."""
        nodes, elsewhere = self.places.copy(), self.places < 0
        nodes[elsewhere] = self.n_pool + np.arange(np.count_nonzero(elsewhere))
        return nodes

    @property
    def _certain(self):
        """The class probabilities that labels are."""
        return np.eye(self.n_classes)[self.codes]

    def _clamp(self, field, start):
        """Return a field where the labels from one on are clamped, one by one."""
        later = slice(start, None)
        for node, certain in zip(self._nodes[later], self._certain[later], strict=True):
            field = field.clamped(node, certain)
        return field

    def __getstate__(self):
        derived = ("edges", "field")
        return {key: value for key, value in vars(self).items() if key not in derived}
