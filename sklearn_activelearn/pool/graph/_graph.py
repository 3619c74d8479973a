"""A graph on rows: which of them are alike, and what that says about other rows."""

from copy import copy
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import pairwise_distances_chunked
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from ..._validation import check_number, check_option
from ...sources._containers import is_frame, n_rows, to_array
from ._harmonic import Edges, HarmonicField, SparseHarmonicField

#: Weights below this are none: sums and products of them would underflow.
TINY = 1e-100

#: The largest number.
HUGE = np.finfo(np.float64).max


def check_has_distances(X):
    """Refuse rows without finite distances, and what is no number."""
    if is_frame(X):
        raise TypeError("X has categories, which have no distances; encode them.")
    norms = row_norms(_float64(X), squared=True)
    # without the medians a row is at most 1 + sqrt(2) times as long, and for a squared
    # distance four numbers of that size are added
    if not np.all(norms <= HUGE / 32):
        raise ValueError("X has rows whose distances overflow; scale the features.")


class GraphClassifier(ClassifierMixin, BaseEstimator):
    """Classifier that knows the class probabilities of the nodes of a graph.

    A row gets the mean of the nodes around it, weighted as edges of the graph are.

    Parameters
    ----------
    kernel, gamma, n_neighbors
        As for `ActiveLabelPropagationClassifier`.

    Attributes
    ----------
    center_ : ndarray of shape (n_features,) or None
        What is taken off all rows, so that distances between them keep their digits:
        the medians of dense nodes.
    X_ : {ndarray, sparse matrix} of shape (n_nodes, n_features)
        The nodes, less that.
    gamma_ : float or None
        The kernel's, None without one.
    label_distributions_ : ndarray of shape (n_nodes, n_classes)
        Class probabilities of the nodes.
    classes_ : ndarray of shape (n_classes,)
        Labels.
    """

    def __init__(self, kernel="knn", gamma=None, n_neighbors=7):
        self.kernel = kernel
        self.gamma = gamma
        self.n_neighbors = n_neighbors

    def check(self):
        """Raise if a parameter is out of its range."""
        check_option(self.kernel, "kernel", ("knn", "rbf"))
        if self.gamma is not None:
            check_number(self.gamma, "gamma", 0)
        check_number(self.n_neighbors, "n_neighbors", 1, closed="left", integer=True)

    def connect(self, X):
        """Make these rows the nodes."""
        # unlike means, medians of whole numbers leave distances exact
        self.center_ = None if issparse(X) else np.median(_float64(X), axis=0)
        self.X_ = self._centered(X)
        self.gamma_ = self._width() if self.kernel == "rbf" else None
        return self

    def knowing(self, distributions, classes):
        """Return a copy that knows the class probabilities of the nodes."""
        out = copy(self)
        out.label_distributions_, out.classes_ = distributions, classes
        return out

    def fit(self, X, y):
        """Make these rows the nodes; all labels are known."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.label_distributions_ = np.eye(len(self.classes_))[codes]
        return self.connect(X)

    def weights(self):
        """Return the symmetric weights of the edges: an array, or CSR for "knn"."""
        if self.kernel == "knn":
            if n_rows(self.X_) == 1:
                return np.zeros((1, 1))
            from sklearn.neighbors import kneighbors_graph  # slow to import

            # an edge where one of the two is among the nearest of the other
            nearest = kneighbors_graph(self.X_, self._n_nearest(others=True))
            return csr_array(nearest.maximum(nearest.T))
        weights = self._kernel_of(euclidean_distances(self.X_, squared=True))
        np.fill_diagonal(weights, 0)
        weights[weights < TINY] = 0
        return weights

    def predict_proba(self, X):
        """Return the mean class probabilities of the nodes around each row."""
        X = self._centered(X)
        if self.kernel == "knn":
            from sklearn.neighbors import NearestNeighbors  # slow to import

            search = NearestNeighbors(n_neighbors=self._n_nearest()).fit(self.X_)
            around = search.kneighbors(X, return_distance=False)
            return self.label_distributions_[around].mean(axis=1)
        if n_rows(X) == 0:
            return np.empty((0, len(self.classes_)))
        blocks = pairwise_distances_chunked(
            X, self.X_, reduce_func=self._kernel_mean, squared=True
        )
        return np.concatenate(list(blocks))

    def predict(self, X):
        """Return the most likely class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _centered(self, X):
        X = _float64(X)
        return X if self.center_ is None else to_array(X) - self.center_

    def _kernel_of(self, distances):
        """Return the weights for squared distances, in their memory."""
        with np.errstate(over="ignore"):  # a large gamma: no weight
            distances *= -self.gamma_
        return np.exp(distances, out=distances)

    def _kernel_mean(self, distances, start):
        # relative to the nearest node, so that the weights of a far row do not vanish
        distances -= distances.min(axis=1, keepdims=True)
        weights = self._kernel_of(distances)
        return weights @ self.label_distributions_ / weights.sum(axis=1, keepdims=True)

    def _n_nearest(self, others=False):
        return min(self.n_neighbors, n_rows(self.X_) - others)

    def _width(self):
        """Return the kernel's gamma, by default from the distances of neighbours."""
        if self.gamma is not None or n_rows(self.X_) == 1:
            return 1.0 if self.gamma is None else self.gamma
        from sklearn.neighbors import NearestNeighbors  # slow to import

        search = NearestNeighbors(n_neighbors=self._n_nearest(others=True))
        distances = search.fit(self.X_).kneighbors()[0][:, -1]
        apart = distances[distances > 0]
        # the squares of tiny distances vanish
        return 8 / max(np.median(apart) ** 2, 8 / HUGE) if len(apart) else 1.0

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _float64(X):
    """Return rows of numbers in double precision."""
    return (X if issparse(X) else to_array(X)).astype(np.float64, copy=False)


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
