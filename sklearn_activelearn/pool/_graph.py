"""A graph on rows: which of them are alike, and what that says about other rows."""

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import pairwise_distances_chunked
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors, kneighbors_graph
from sklearn.utils.extmath import row_norms

from .._containers import as_array, is_frame, n_rows
from .._validation import check_number, check_option

#: Weights below this are none: sums and products of them would underflow.
TINY = 1e-100


def check_distances(X):
    """Refuse rows without finite distances."""
    if is_frame(X):
        raise TypeError("X has categories, which have no distances; encode them.")
    if n_rows(X) and not np.isfinite(row_norms(X, squared=True).max()):
        raise ValueError("X has rows whose distances overflow; scale the features.")


class GraphClassifier(ClassifierMixin, BaseEstimator):
    """Classifier that knows the class probabilities of the nodes of a graph.

    A row gets the mean of the nodes around it, weighted as edges of the graph are.

    Parameters
    ----------
    kernel : {"knn", "rbf"}
        Edges between nearest neighbours, or between all nodes.
    gamma : float or None
        Of the kernel ``exp(-gamma * distance**2)``; None: from the nodes.
    n_neighbors : int
        How many neighbours count.

    Attributes
    ----------
    X_ : {ndarray, sparse matrix} of shape (n_nodes, n_features)
        The nodes.
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
        self.X_ = (X if issparse(X) else as_array(X)).astype(np.float64, copy=False)
        self.gamma_ = self._width() if self.kernel == "rbf" else None
        return self

    def learn(self, distributions, classes):
        """Learn the class probabilities of the nodes."""
        self.label_distributions_, self.classes_ = distributions, classes
        return self

    def fit(self, X, y):
        """Make these rows the nodes; all labels are known."""
        classes, codes = np.unique(y, return_inverse=True)
        return self.connect(X).learn(np.eye(len(classes))[codes], classes)

    def weights(self):
        """Return the symmetric weights of the edges: an array, or CSR for "knn"."""
        if self.kernel == "knn":
            if n_rows(self.X_) == 1:
                return np.zeros((1, 1))
            # an edge where one of the two is among the nearest of the other
            nearest = kneighbors_graph(self.X_, self._n_nearest(others=True))
            return csr_array(nearest.maximum(nearest.T))
        weights = np.exp(-self.gamma_ * euclidean_distances(self.X_, squared=True))
        np.fill_diagonal(weights, 0)
        weights[weights < TINY] = 0
        return weights

    def predict_proba(self, X):
        """Return the mean class probabilities of the nodes around each row."""
        X = X.astype(np.float64, copy=False)
        if self.kernel == "knn":
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

    def _kernel_mean(self, distances, start):
        # relative to the nearest node, so that the weights of a far row do not vanish
        distances -= distances.min(axis=1, keepdims=True)
        weights = np.exp(-self.gamma_ * distances)
        return weights @ self.label_distributions_ / weights.sum(axis=1, keepdims=True)

    def _n_nearest(self, others=False):
        return min(self.n_neighbors, n_rows(self.X_) - others)

    def _width(self):
        """Return the kernel's gamma, by default from the distances of neighbours."""
        if self.gamma is not None or n_rows(self.X_) == 1:
            return 1.0 if self.gamma is None else self.gamma
        search = NearestNeighbors(n_neighbors=self._n_nearest(others=True))
        distances = search.fit(self.X_).kneighbors()[0][:, -1]
        apart = distances[distances > 0]
        return 8 / np.median(apart) ** 2 if len(apart) else 1.0

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
