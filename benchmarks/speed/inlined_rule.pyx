# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The log-ramp sampler with its rule written into the loop, for comparison only.

Same rows, coins and arithmetic as the package's loop with two classes, without
averaging and normalisation, and nothing that can be exchanged.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint64_t

from sklearn_activelearn.kernels._rows cimport Rows, al_rows


cdef inline double uniform(uint64_t seed, uint64_t t) noexcept nogil:
    cdef uint64_t z = seed + (t + 1) * <uint64_t> 0x9E3779B97F4A7C15
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
    return (z ^ (z >> 31)) / 2048 * (1.0 / 9007199254740992.0)


def run(
    Rows rows, const int32_t[::1] labels, double t, double eta, uint64_t seed,
    double[::1] w, int64_t[::1] bought, double[::1] probabilities,
):
    """Learn w and its last entry, the intercept, in place; return labels bought."""
    cdef const al_rows *X = &rows.view
    cdef Py_ssize_t i, d = rows.n_features, n_bought = 0
    cdef double p, z, q, step
    with nogil:
        for i in range(rows.n_rows):
            p = X.dot(X, i, &w[0]) + w[d]
            q = 1.0 if fabs(p) <= t else 1 / (1 - t + fabs(p))
            if uniform(seed, i) < q:
                z = p if labels[i] == 1 else -p
                bought[n_bought] = i
                probabilities[n_bought] = q
                n_bought += 1
                if z < 1:
                    step = eta / q if z >= -t else eta / (1 - t - z) / q
                    if labels[i] == 0:
                        step = -step
                    X.add(X, i, step, 1.0, &w[0])
                    w[d] += step
    return n_bought
