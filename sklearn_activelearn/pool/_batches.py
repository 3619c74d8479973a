"""How a batch spreads over the rows with the highest utilities. One function each.

``spread(points, rows, n_wanted, seed)`` gets numbers of pool rows in the order of their
utilities, highest first, and returns positions among them in the order to buy.
"""

from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances

from .._containers import as_array, exact_keys
from ._coverage import MOST_ROWS, greedy


def one_of_each_cluster(points, rows, n_wanted, seed):
    """Return the first row of each of so many clusters, found by k-means."""
    from sklearn.cluster import KMeans  # slow to import

    some = points.rows[rows]
    # dense: k-means centres those only, and with ties the last bits decide
    some = as_array(some[:, np.union1d(0, some.nonzero()[1])])
    n_clusters = min(n_wanted, len(np.unique(exact_keys(some))))
    number = int(np.random.SeedSequence(seed).generate_state(1)[0])
    means = KMeans(n_clusters, n_init=1, random_state=number)
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)  # fewer clusters will do
        _, first = np.unique(means.fit_predict(some), return_index=True)
    first = np.sort(first)
    others = np.delete(np.arange(len(rows)), first)
    return np.append(first, others)[:n_wanted]


def herded(points, rows, n_wanted, seed):
    """Return rows that cover the others best, one after another."""
    some = points.rows[rows]
    distances = euclidean_distances(some, some[:MOST_ROWS], squared=True)
    similarity = np.exp(-distances / points.typical)
    nothing, ones = np.zeros(distances.shape[1]), np.ones(distances.shape[1])
    return greedy(similarity, ones, nothing, points.keys[rows], n_wanted, seed)[0]


#: By the names that `batch` takes; None: the highest utilities as they are.
BATCHES = {"top": None, "cluster": one_of_each_cluster, "herding": herded}
