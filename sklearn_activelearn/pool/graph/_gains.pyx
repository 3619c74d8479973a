# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The gain of a label, summed over all nodes of a graph."""

import numpy as np

from cython cimport floating

cdef extern from "pool/graph/_gains.h" nogil:
    const Py_ssize_t AL_TOGETHER
    void al_gains_float(
        const float *influence, const float *columns, const float *top,
        const float *margin, const float *own, Py_ssize_t n_free, Py_ssize_t n_classes,
        Py_ssize_t start, Py_ssize_t end, double *sums
    )
    void al_gains_double(
        const double *influence, const double *columns, const double *top,
        const double *margin, const double *own, Py_ssize_t n_free, Py_ssize_t n_classes,
        Py_ssize_t start, Py_ssize_t end, double *sums
    )

cdef enum:
    CACHED = 1024  # nodes that stay in the cache for all candidates


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
    cdef Py_ssize_t start = 0, end, k
    cdef double[:, ::1] sums = np.zeros((n_candidates, AL_TOGETHER))
    with nogil:
        while start < n_free:
            end = min(start + CACHED, n_free)
            for k in range(n_candidates):
                if floating is float:
                    al_gains_float(
                        &influence[k, 0], &columns[0, 0], &top[0], &margin[0], &own[k, 0],
                        n_free, own.shape[1], start, end, &sums[k, 0]
                    )
                else:
                    al_gains_double(
                        &influence[k, 0], &columns[0, 0], &top[0], &margin[0], &own[k, 0],
                        n_free, own.shape[1], start, end, &sums[k, 0]
                    )
            start = end
    return np.sum(sums, axis=1)
