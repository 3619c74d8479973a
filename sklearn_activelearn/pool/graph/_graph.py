"""A graph on rows: which of them are alike, and what that says about other rows."""

from copy import copy

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import pairwise_distances_chunked
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from ..._containers import as_array, is_frame, n_rows
from ..._validation import check_number, check_option

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
        return X if self.center_ is None else as_array(X) - self.center_

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
    return (X if issparse(X) else as_array(X)).astype(np.float64, copy=False)
