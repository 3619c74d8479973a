# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The gain of a label, summed over all nodes of a graph."""

import numpy as np

from cython cimport floating

# nodes taken together, and how many of them stay in the cache for all candidates
cdef enum:
    TOGETHER = 16
    CACHED = 1024


def gains(
    const floating[:, ::1] influence,
    const floating[:, ::1] columns,
    const floating[::1] top,
    const floating[::1] margin,
    const floating[:, ::1] own,
):
    """Return the expected number of further correct nodes once a label is known.

    Parameters
    ----------
    influence : ndarray of shape (n_candidates, n_free)
        Part of a change at each candidate that the free nodes take over.
    columns : ndarray of shape (n_classes, n_free)
        Class probabilities of the free nodes.
    top, margin : ndarray of shape (n_free,)
        Largest class probability, and its difference from the second largest.
    own : ndarray of shape (n_candidates, n_classes)
        Class probabilities of the candidates.
    """
    cdef Py_ssize_t n_free = top.shape[0], n_candidates = own.shape[0]
    cdef Py_ssize_t start = 0, end, i, k
    cdef int n_classes = own.shape[1]
    cdef double[:, ::1] sums = np.zeros((n_candidates, TOGETHER))
    with nogil:
        while start < n_free:
            end = min(start + CACHED, n_free)
            for k in range(n_candidates):
                i = start
                while i + TOGETHER <= end:
                    add_gains(
                        &influence[k, i], &columns[0, i], n_free, &top[i], &margin[i],
                        &own[k, 0], n_classes, TOGETHER, &sums[k, 0]
                    )
                    i += TOGETHER
                if i < end:
                    add_gains(
                        &influence[k, i], &columns[0, i], n_free, &top[i], &margin[i],
                        &own[k, 0], n_classes, end - i, &sums[k, 0]
                    )
            start = end
    return np.sum(sums, axis=1)


cdef inline void add_gains(
    const floating* share,
    const floating* columns,
    Py_ssize_t n_free,
    const floating* top,
    const floating* margin,
    const floating* own,
    int n_classes,
    Py_ssize_t n,
    double* sums,
) noexcept nogil:
    """Add the gain at n nodes to as many sums; it is 0 where no label changes the class."""
    cdef floating best[TOGETHER]
    cdef floating gain[TOGETHER]
    cdef floating rest, given
    cdef int c, is_any = 0
    cdef Py_ssize_t i
    for i in range(n):
        is_any |= 2 * share[i] > margin[i]
    if not is_any:
        return
    for i in range(n):
        best[i] = -1  # no rest is less
        gain[i] = -top[i]
    # each class without the candidate's share in it; its label gets that all
    for c in range(n_classes):
        for i in range(n):
            rest = columns[c * n_free + i] - share[i] * own[c]
            best[i] = rest if rest > best[i] else best[i]
    for c in range(n_classes):
        for i in range(n):
            rest = columns[c * n_free + i] - share[i] * own[c]
            given = rest + share[i]
            gain[i] += own[c] * (given if given > best[i] else best[i])
    for i in range(n):
        sums[i] += gain[i] if 2 * share[i] > margin[i] else 0
