"""A graph of a pool's rows, some with a label, and the harmonic function on it."""

import numpy as np

from .._containers import joined, n_rows, row_keys, take
from ._harmonic import HarmonicField


class LabelledGraph:
    """Rows of a pool and labelled rows from elsewhere, as nodes of one graph.

    A pickle leaves the harmonic function out; it is computed again in the same steps.

    Parameters
    ----------
    graph : GraphClassifier
        Connects the nodes: the rows of the pool, then those from elsewhere.
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

    def __init__(self, graph, pool, places, codes, n_classes, n_solved):
        self.graph, self.pool = graph, pool
        self.places, self.codes = places, codes
        self.n_classes, self.n_solved = n_classes, n_solved
        self._field = None

    @classmethod
    def of(cls, prototype, pool, places, labelled, n_classes, n_first, before=None):
        """Return the graph of a pool and of labelled rows, some of which are in it.

        The steps to its field depend on the labels only, not on when they came: the
        first ones, and all up to the last from elsewhere, are clamped at once.

        Parameters
        ----------
        n_first : int
            How many the first ones are.
        before : LabelledGraph, optional
            An earlier one, on which it builds if there are only more labels now.
        """
        (elsewhere,) = np.nonzero(places < 0)
        n_solved = max(min(n_first, len(labelled)), *(elsewhere[-1:] + 1), 0)
        after = cls(prototype, pool, places, labelled.codes, n_classes, n_solved)
        if before is not None and before._comes_before(after):
            after.graph = before.graph
            after._field = after._clamp(before.field, len(before.codes))
        else:
            nodes = take(labelled.rows, elsewhere)
            if pool is not None:
                nodes = joined(pool, nodes) if len(elsewhere) else pool
            after.graph = prototype.connect(nodes)
        return after

    def _comes_before(self, other):
        """Whether the other graph has the same nodes and these labels, or more."""
        known = slice(len(self.codes))
        return (
            self.graph.get_params() == other.graph.get_params()
            and self.pool is other.pool
            and self.n_classes == other.n_classes
            and self.n_solved == other.n_solved
            and np.array_equal(self.places, other.places[known])
            and np.array_equal(self.codes, other.codes[known])
        )

    @property
    def field(self):
        """The harmonic function, computed if it is not there."""
        if self._field is None:
            first = slice(self.n_solved)
            field = HarmonicField(
                self.graph.weights(), self._nodes[first], self._certain[first]
            )
            self._field = self._clamp(field, self.n_solved)
        return self._field

    @property
    def distributions(self):
        """Class probabilities of the nodes without a label, free in the field."""
        prior = np.bincount(self.codes, minlength=self.n_classes) / len(self.codes)
        return self.field.probabilities(prior)

    @property
    def all_distributions(self):
        """Class probabilities of all nodes."""
        out = np.empty((n_rows(self.graph.X_), self.n_classes))
        out[self.field.free] = self.distributions
        out[self._nodes] = self._certain
        return out

    @property
    def _nodes(self):
        """The node of each label."""
        n_pool = 0 if self.pool is None else n_rows(self.pool)
        nodes, elsewhere = self.places.copy(), self.places < 0
        nodes[elsewhere] = n_pool + np.arange(np.count_nonzero(elsewhere))
        return nodes

    @property
    def _certain(self):
        """The class probabilities that labels are."""
        return np.eye(self.n_classes)[self.codes]

    def _clamp(self, field, start):
        """Clamp the labels from one on, one by one."""
        later = slice(start, None)
        for node, certain in zip(self._nodes[later], self._certain[later], strict=True):
            field = field.clamped(node, certain)
        return field

    def __getstate__(self):
        return {**vars(self), "_field": None}


def find_places(pool, rows, notes, taken):
    """Return where labelled rows are among the pool's rows with a label, -1: nowhere.

    Parameters
    ----------
    pool : Pool
        Rows, and which of them have no label.
    rows : rows
        Labelled ones.
    notes : list of Note or None
        What was remembered of each: it decides between equal rows.
    taken : ndarray of int
        Row numbers of the pool that are others' places.
    """
    places = np.full(len(notes), -1)
    if pool.X is None or not notes:
        return places
    is_open = np.ones(n_rows(pool.X), dtype=bool)
    is_open[pool.unlabelled] = is_open[taken[taken >= 0]] = False
    numbers = {}
    for number in np.flatnonzero(is_open).tolist():
        (key,) = row_keys(take(pool.X, [number]))
        numbers.setdefault(key, []).append(number)
    for i, (key, note) in enumerate(zip(row_keys(rows), notes, strict=True)):
        if equal := numbers.get(key):
            is_there = note and note.row in equal
            places[i] = equal.pop(equal.index(note.row) if is_there else 0)
    return places
