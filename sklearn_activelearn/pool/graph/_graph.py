"""The graph that joins similar rows, and its prediction for other rows."""

from copy import copy

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import pairwise_distances_chunked
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from ...base._parameters import check_number, check_option
from ...sources._containers import has_categories, n_rows, to_array
from ...utils._compat import cached_property
from ._harmonic import Edges, HarmonicField, SparseHarmonicField

#: Smaller weights are set to 0: their sums and products would underflow.
TINY = 1e-100

#: The largest finite number.
HUGE = np.finfo(np.float64).max


def check_has_distances(X):
    """Raise an error for rows without finite distances between them."""
    if has_categories(X):
        raise TypeError("X has categories, which have no distances. Encode them.")
    norms = row_norms(_float64(X), squared=True)
    # centred by medians, a row is at most 1 + sqrt(2) times longer; a squared distance
    # is the sum of four numbers of this size
    if not np.all(norms <= HUGE / 32):
        raise ValueError("X has rows whose distances overflow. Scale the features.")


class GraphClassifier(ClassifierMixin, BaseEstimator):
    """Classifier that predicts from the class probabilities of the nodes of a graph.

    A row gets the weighted mean of the nodes around it; the weights are the weights of
    its edges to the nodes.

    Parameters
    ----------
    kernel, gamma, n_neighbors
        As for `ActiveLabelPropagationClassifier`.

    Attributes
    ----------
    center_ : ndarray of shape (n_features,) or None
        Medians of dense nodes. They are subtracted from all rows, to keep the digits of
        distances.
    X_ : {ndarray, sparse matrix} of shape (n_nodes, n_features)
        The nodes, less the medians.
    gamma_ : float or None
        Parameter of the kernel; None for "knn".
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
        """Raise an error for a parameter outside its range."""
        check_option(self.kernel, "kernel", ("knn", "rbf"))
        if self.gamma is not None:
            check_number(self.gamma, "gamma", 0)
        check_number(self.n_neighbors, "n_neighbors", 1, closed="left", integer=True)

    def connect(self, X):
        """Make these rows the nodes."""
        # medians of whole numbers keep distances exact; means do not
        self.center_ = None if issparse(X) else np.median(_float64(X), axis=0)
        self.X_ = self._centered(X)
        self.gamma_ = self._width() if self.kernel == "rbf" else None
        return self

    def with_distributions(self, distributions, classes):
        """Return a copy with these class probabilities of the nodes."""
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

            # nodes are joined if one is among the nearest neighbours of the other
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
        """Replace squared distances by weights, and return them."""
        with np.errstate(over="ignore"):  # a large gamma: weight 0
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
    """A graph of the pool rows and of labelled rows that are not in the pool.

    A pickle leaves out the edges and the harmonic function. They are computed again by
    the same steps.

    Parameters
    ----------
    graph : GraphClassifier
        The graph: its nodes are the pool rows, then the other labelled rows.
    is_sparse : bool
        Solve sparse systems instead of inverting the Laplacian.
    n_pool : int
        Number of pool rows.
    places : ndarray of int of shape (n_labelled,)
        Row number of each labelled row in the pool; -1 if it is not in the pool.
    codes : ndarray of int of shape (n_labelled,)
        Classes of the labelled rows.
    n_classes : int
        Number of classes.
    n_solved : int
        Number of labels that are clamped at once; the others are clamped one by one.
    """

    def __init__(self, graph, is_sparse, n_pool, places, codes, n_classes, n_solved):
        self.graph, self.is_sparse, self.n_pool = graph, is_sparse, n_pool
        self.places, self.codes = places, codes
        self.n_classes, self.n_solved = n_classes, n_solved

    def continue_from(self, before):
        """Take over the field of an earlier graph that has only fewer labels."""
        sizes = before.is_sparse, before.n_classes, before.n_solved
        if (
            before.graph is self.graph
            and sizes == (self.is_sparse, self.n_classes, self.n_solved)
            and np.array_equal(before.places, self.places[: len(before.places)])
        ):
            self.field = self._clamp(before.field, len(before.codes))

    @cached_property
    def edges(self):
        """The edges of a sparse graph."""
        return Edges(self.graph.weights())

    @cached_property
    def field(self):
        """The harmonic function, computed on first use."""
        first = slice(self.n_solved)
        nodes, certain = self._nodes[first], self._certain[first]
        if self.is_sparse:
            return SparseHarmonicField(self.edges, nodes, certain)
        field = HarmonicField(self.graph.weights(), nodes, certain)
        return self._clamp(field, self.n_solved)

    def free_distributions(self):
        """Return the class probabilities of the unlabelled nodes."""
        prior = np.bincount(self.codes, minlength=self.n_classes) / len(self.codes)
        return self.field.probabilities(prior)

    def distributions(self):
        """Return the class probabilities of all nodes."""
        out = np.empty((n_rows(self.graph.X_), self.n_classes))
        out[self.field.free] = self.free_distributions()
        out[self._nodes] = self._certain
        return out

    @property
    def _nodes(self):
        """The node of each label."""
        nodes, outside = self.places.copy(), self.places < 0
        nodes[outside] = self.n_pool + np.arange(np.count_nonzero(outside))
        return nodes

    @property
    def _certain(self):
        """The class probabilities of the labelled nodes."""
        return np.eye(self.n_classes)[self.codes]

    def _clamp(self, field, start):
        """Return a field with the labels from position `start` on added one by one."""
        later = slice(start, None)
        for node, certain in zip(self._nodes[later], self._certain[later], strict=True):
            field = field.clamped(node, certain)
        return field

    def __getstate__(self):
        derived = ("edges", "field")
        return {key: value for key, value in vars(self).items() if key not in derived}
