# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Second-order samplers that compute the quadratic form of every row.

For comparison only: same rows, coins and arithmetic as the package's loop in
primal form with two classes, normalised rows and an intercept.
"""

import numpy as np

from libc.math cimport fabs, log, sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t
from scipy.linalg.cython_blas cimport daxpy, ddot, dsymv, dsyr

from sklearn_activelearn.kernels._rows cimport Rows, al_rows


cdef inline double uniform(uint64_t seed, uint64_t t) noexcept nogil:
    cdef uint64_t z = seed + (t + 1) * <uint64_t> 0x9E3779B97F4A7C15
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
    return (z ^ (z >> 31)) / 2048 * (1.0 / 9007199254740992.0)


def run(
    Rows rows, const int32_t[::1] labels, double b, double lam, uint64_t seed,
    int64_t[::1] bought,
):
    """Ask with probability b / (b + potential), or by the threshold if lam > 0.

    Mistakes are stored, by the threshold all that is bought. Return labels bought.
    """
    cdef const al_rows *X = &rows.view
    cdef int d = rows.n_features, D = rows.n_features + 1, one = 1
    cdef double[:, ::1] M = np.eye(D) / 2
    cdef double[::1] w = np.zeros(D), z = np.zeros(D), u = np.zeros(D)
    cdef Py_ssize_t i, n_bought = 0, n_stored = 0
    cdef double m, r, squares, scale, factor, unit = 1, zero = 0
    cdef bint hit
    with nogil:
        for i in range(rows.n_rows):
            m = X.dots(X, i, &w[0], &squares)
            scale = 1 / sqrt(squares) if squares > 0 else 0.0
            m = m * scale + w[d]
            z[:] = 0
            X.add(X, i, 1.0, scale, &z[0])
            z[d] = 1
            dsymv("U", &D, &unit, &M[0, 0], &D, &z[0], &one, &zero, &u[0], &one)
            r = ddot(&D, &z[0], &one, &u[0], &one)
            if lam > 0:
                factor = m / (1 + r)
                hit = lam * n_stored * factor * factor <= 128 * log(i + 1.0)
            else:
                factor = (fabs(m) + m * m / 2) / (1 + r)
                hit = uniform(seed, i) < b / (b + factor)
            if not hit:
                continue
            bought[n_bought] = i
            n_bought += 1
            if lam > 0 or (2 * labels[i] - 1) * m <= 0:
                n_stored += 1
                factor = ((2 * labels[i] - 1) - m) / (1 + r)
                daxpy(&D, &factor, &u[0], &one, &w[0], &one)
                factor = -1 / (1 + r)
                dsyr("U", &D, &factor, &u[0], &one, &M[0, 0], &D)
    return n_bought
