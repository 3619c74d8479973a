# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Randomised trees, grown and asked without a call of Python for each tree.

A tree is a part of the arrays of all trees. Its nodes stand in preorder, so that the
left child of a node is the next node; only the number of the right child is stored.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t

#: Stands for the column of a leaf, and for no parent.
cdef enum:
    LEAF = -1

#: Up to this number of rows, sorting by insertion is quicker.
cdef enum:
    FEW = 24


cdef inline uint64_t draw(uint64_t* state) noexcept nogil:
    """Return 64 random bits (splitmix64, the same on all machines)."""
    state[0] += <uint64_t>0x9E3779B97F4A7C15ULL
    cdef uint64_t z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EBULL
    return z ^ (z >> 31)


cdef inline Py_ssize_t draw_below(uint64_t* state, Py_ssize_t n) noexcept nogil:
    """Return a random number below n, which is small: the bias is negligible."""
    return <Py_ssize_t>(draw(state) % <uint64_t>n)


cdef inline double draw_share(uint64_t* state) noexcept nogil:
    """Return a random number in [0, 1)."""
    return <double>(draw(state) >> 11) / 9007199254740992.0


cdef void sort_pairs(double* keys, int32_t* rows, Py_ssize_t n) noexcept nogil:
    """Sort keys and their rows, by insertion if there are few, else in a heap."""
    cdef Py_ssize_t start = n // 2, end = n, root, child
    cdef double key
    cdef int32_t row
    if n <= FEW:
        for end in range(1, n):
            key, row, root = keys[end], rows[end], end
            while root and keys[root - 1] > key:
                keys[root], rows[root] = keys[root - 1], rows[root - 1]
                root -= 1
            keys[root], rows[root] = key, row
        return
    while end > 1:
        if start > 0:
            start -= 1
        else:
            end -= 1
            key, row = keys[end], rows[end]
            keys[end], rows[end] = keys[0], rows[0]
            keys[0], rows[0] = key, row
        root = start
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and keys[child + 1] > keys[child]:
                child += 1
            if keys[root] >= keys[child]:
                break
            key, row = keys[root], rows[root]
            keys[root], rows[root] = keys[child], rows[child]
            keys[child], rows[child] = key, row
            root = child


def grow_trees(
    const double[:, ::1] X,
    const double[:, ::1] targets,
    const double[::1] weights,
    Py_ssize_t n_trees,
    Py_ssize_t max_features,
    Py_ssize_t min_leaf,
    bint is_extra,
    uint64_t seed,
):
    """Grow trees whose splits reduce the weighted variance of the targets most.

    With a column of 0 and 1 for each class as targets this is Gini impurity.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Rows, without missing values.
    targets : ndarray of shape (n_samples, n_targets)
        Numbers that the leaves average.
    weights : ndarray of shape (n_samples,)
        Weights of the rows, positive.
    n_trees, max_features, min_leaf : int
        Number of trees, of columns tried for a split that are not constant, and of rows
        in a leaf at least.
    is_extra : bool
        True: one random threshold for each column tried, and all rows in each tree.
        False: the best threshold, and as many rows as there are, drawn with repetition.
    seed : int
        Seed of the draws.

    Returns
    -------
    roots : ndarray of int32 of shape (n_trees,)
        Number of the first node of each tree.
    columns : ndarray of int32 of shape (n_nodes,)
        Column of each split, -1 for a leaf.
    thresholds : ndarray of shape (n_nodes,)
        Rows with values up to the threshold go to the next node.
    others : ndarray of int32 of shape (n_nodes,)
        Number of the node to which the other rows go; of a leaf, its row of `means`.
    means : ndarray of shape (n_leaves, n_targets)
        Weighted mean of the targets in each leaf.
    """
    cdef Py_ssize_t n = X.shape[0], n_columns = X.shape[1], n_targets = targets.shape[1]
    cdef Py_ssize_t most = n_trees * (2 * n - 1)
    found = (
        np.empty(n_trees, dtype=np.int32),
        np.empty(most, dtype=np.int32),
        np.empty(most),
        np.empty(most, dtype=np.int32),
        np.empty((n_trees * n, n_targets)),
    )
    cdef int32_t[::1] roots = found[0], columns = found[1], others = found[3]
    cdef double[::1] thresholds = found[2], keys = np.empty(n)
    cdef double[:, ::1] means = found[4]
    cdef int32_t[::1] rows = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] ordered = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] shuffled = np.arange(n_columns, dtype=np.int32)
    cdef double[::1] total = np.empty(n_targets), left = np.empty(n_targets)
    #: First and last row of nodes to do, and the parent of those to the right.
    cdef int64_t[:, ::1] stack = np.empty((n + 1, 3), dtype=np.int64)
    cdef Py_ssize_t tree, i, k, start, end, size, parent, n_tried, n_left, column, best
    cdef Py_ssize_t depth, n_untried, n_nodes = 0, n_leaves = 0
    cdef double low, high, threshold, best_threshold, gain, best_gain, w_total, w_left
    cdef int32_t row
    cdef bint is_pure
    cdef uint64_t state = seed
    with nogil:
        for tree in range(n_trees):
            roots[tree] = <int32_t>n_nodes
            for i in range(n):
                rows[i] = <int32_t>(i if is_extra else draw_below(&state, n))
            stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, LEAF
            depth = 1
            while depth:
                depth -= 1
                start, end, parent = stack[depth, 0], stack[depth, 1], stack[depth, 2]
                if parent != LEAF:
                    others[parent] = <int32_t>n_nodes
                size, w_total, is_pure = end - start, 0, True
                total[:] = 0
                for i in range(start, end):
                    row = rows[i]
                    w_total += weights[row]
                    for k in range(n_targets):
                        total[k] += weights[row] * targets[row, k]
                        is_pure &= targets[row, k] == targets[rows[start], k]
                best, best_gain, best_threshold = LEAF, -INFINITY, 0
                n_tried, n_untried = 0, n_columns
                if is_pure or size < 2 * min_leaf:
                    n_untried = 0
                while n_tried < max_features and n_untried:
                    i = draw_below(&state, n_untried)
                    n_untried -= 1
                    column = shuffled[i]
                    shuffled[i] = shuffled[n_untried]
                    shuffled[n_untried] = <int32_t>column
                    low, high = INFINITY, -INFINITY
                    for i in range(start, end):
                        low = min(low, X[rows[i], column])
                        high = max(high, X[rows[i], column])
                    if low == high:
                        continue
                    n_tried += 1
                    w_left = 0
                    left[:] = 0
                    if is_extra:
                        threshold = low + draw_share(&state) * (high - low)
                        if not threshold < high:  # rounded, or the difference overflows
                            threshold = low
                        n_left = 0
                        for i in range(start, end):
                            row = rows[i]
                            if X[row, column] <= threshold:
                                n_left += 1
                                add(row, weights, targets, &w_left, left)
                        if min(n_left, size - n_left) >= min_leaf:
                            gain = gain_of(total, left, w_total, w_left)
                            if gain > best_gain:
                                best, best_gain = column, gain
                                best_threshold = threshold
                        continue
                    for i in range(start, end):
                        keys[i], ordered[i] = X[rows[i], column], rows[i]
                    sort_pairs(&keys[start], &ordered[start], size)
                    for i in range(start, end - min_leaf):
                        add(ordered[i], weights, targets, &w_left, left)
                        if keys[i] == keys[i + 1] or i + 1 - start < min_leaf:
                            continue
                        gain = gain_of(total, left, w_total, w_left)
                        if gain > best_gain:
                            best, best_gain = column, gain
                            best_threshold = keys[i] / 2 + keys[i + 1] / 2
                            if not keys[i] <= best_threshold < keys[i + 1]:
                                best_threshold = keys[i]
                columns[n_nodes], thresholds[n_nodes] = <int32_t>best, best_threshold
                if best == LEAF:
                    others[n_nodes] = <int32_t>n_leaves
                    for k in range(n_targets):
                        means[n_leaves, k] = total[k] / w_total
                    n_leaves += 1
                else:
                    i, n_left = start, end
                    while i < n_left:
                        row = rows[i]
                        if X[row, best] <= best_threshold:
                            i += 1
                        else:
                            n_left -= 1
                            rows[i], rows[n_left] = rows[n_left], row
                    stack[depth, 0], stack[depth, 1], stack[depth, 2] = i, end, n_nodes
                    depth += 1
                    stack[depth, 0], stack[depth, 1], stack[depth, 2] = start, i, LEAF
                    depth += 1
                n_nodes += 1
    nodes = [part[:n_nodes].copy() for part in found[1:4]]
    return found[0], *nodes, found[4][:n_leaves].copy()


cdef inline void add(
    Py_ssize_t row,
    const double[::1] weights,
    const double[:, ::1] targets,
    double* weight,
    double[::1] sums,
) noexcept nogil:
    """Add the weight of a row, and its weighted targets."""
    cdef Py_ssize_t k
    weight[0] += weights[row]
    for k in range(sums.shape[0]):
        sums[k] += weights[row] * targets[row, k]


cdef inline double gain_of(
    double[::1] total, double[::1] left, double w_total, double w_left
) noexcept nogil:
    """Return the reduction of the variance by a split, up to a constant."""
    cdef double gain = 0, right
    cdef Py_ssize_t k
    for k in range(total.shape[0]):
        right = total[k] - left[k]
        gain += left[k] * left[k] / w_left + right * right / (w_total - w_left)
    return gain


def mean_of_leaves(
    const double[:, ::1] X,
    const int32_t[::1] roots,
    const int32_t[::1] columns,
    const double[::1] thresholds,
    const int32_t[::1] others,
    const double[:, ::1] means,
):
    """Return the mean over the trees of the leaf of each row.

    The arrays come from `grow_trees`; they are not checked here.
    """
    cdef Py_ssize_t n_targets = means.shape[1], n_trees = roots.shape[0]
    cdef Py_ssize_t i, k, tree, node
    answer = np.zeros((X.shape[0], n_targets))
    cdef double[:, ::1] sums = answer
    with nogil:
        for tree in range(n_trees):
            for i in range(X.shape[0]):
                node = roots[tree]
                while columns[node] != LEAF:
                    node = node + 1 if X[i, columns[node]] <= thresholds[node] else others[node]
                for k in range(n_targets):
                    sums[i, k] += means[others[node], k]
    return answer / n_trees
