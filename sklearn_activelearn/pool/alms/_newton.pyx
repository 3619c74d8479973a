# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""L2 logistic regression by Newton's method, for parts of the same rows.

Minimises, over the rows a_k that take part, with y_k = -1 or 1::

    sum_k log(1 + exp(-y_k a_k.w)) + lam / 2 |w|^2      (the intercept is free)
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.string cimport memcpy, memset
from scipy.linalg.cython_blas cimport ddot, dgemv, dsyrk
from scipy.linalg.cython_lapack cimport dpotrf, dpotrs

from ._pulls cimport al_loss, al_probabilities, al_pulls, al_scaled

#: Newton steps stop once one is this long in the norm of the Hessian, where the
#: objective is small shorter by its root; the error that is left is about its square.
cdef double SMALL = 1e-4

cdef int ONE = 1
cdef double PLUS = 1.0, NOTHING = 0.0
cdef char* TRANSPOSED = b"T"
cdef char* AS_IT_IS = b"N"
cdef char* LOWER = b"L"


class NotSolved(FloatingPointError):
    """Newton's method did not end. A loss of the user's may raise its base class."""


FAILED = (
    "a logistic regression could not be trained to the end: scale the features, or "
    'use voi="refit".'
)


cdef class Solver:
    """Newton's method with backtracking, and what is left of it in the end.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_columns)
        Rows; copied, with a spare one below them.
    y : ndarray of shape (n_samples,)
        Their labels, -1 or 1.
    free : bool
        Whether the last column is that of an intercept.
    """

    def __init__(self, A, y, free):
        n, q = A.shape
        self.n, self.q, self.free = n + 1, q, free
        self.A = np.vstack([A, np.zeros(q)])
        self.y = np.append(y, 1.0)
        self.takes_part = np.append(np.ones(n), 0.0)
        self.scaled, self.H = np.empty((n + 1, q)), np.empty((q, q))
        self.z, self.move, self.pull, self.s, self.each = np.zeros((5, n + 1))
        self.slope, self.step = np.empty((2, q))

    cdef void leave_out(self, const Py_ssize_t[::1] rows, double weight) noexcept nogil:
        """Leave out these rows (weight 0), or take them back (1); -1 is none."""
        cdef Py_ssize_t k
        for k in range(rows.shape[0]):
            if rows[k] >= 0:
                self.takes_part[rows[k]] = weight

    cdef double objective(
        self, double* w, double* dw, double size, double lam
    ) noexcept nogil:
        """Return the objective at w + size * dw; z and move are known."""
        cdef double u, total = al_loss(
            self.n, &self.y[0], &self.takes_part[0], &self.z[0], &self.move[0], size,
            &self.each[0]
        )
        cdef int k
        for k in range(self.q - self.free):
            u = w[k] + size * dw[k]
            total += lam / 2 * u * u
        return total

    cdef void evaluate(self, double* w, double lam) noexcept nogil:
        """Find pulls, curvatures, slope and Hessian where z are the margins."""
        cdef int c
        al_pulls(self.n, &self.y[0], &self.takes_part[0], &self.z[0], &self.pull[0],
                 &self.s[0])
        al_scaled(self.n, self.q, &self.A[0, 0], &self.s[0], &self.scaled[0, 0])
        dgemv(AS_IT_IS, &self.q, &self.n, &PLUS, &self.A[0, 0], &self.q,
              &self.pull[0], &ONE, &NOTHING, &self.slope[0], &ONE)
        dsyrk(LOWER, AS_IT_IS, &self.q, &self.n, &PLUS, &self.scaled[0, 0], &self.q,
              &NOTHING, &self.H[0, 0], &self.q)
        for c in range(self.q - self.free):
            self.slope[c] -= lam * w[c]
            self.H[c, c] += lam
        if self.free:  # all margins may be far away on the way
            self.H[self.q - 1, self.q - 1] += 1e-20

    cdef int solve(self, double* w, double lam) noexcept nogil:
        """Minimise from w on, or from 0 on if that is too far away.

        H then holds the Cholesky factor of the Hessian, s its curvatures; z and
        `pull` are those of the solution. Returns 1 if it did not come to an end.
        """
        if self.descend(w, lam) == 0:
            return 0
        memset(w, 0, self.q * sizeof(double))
        return self.descend(w, lam)

    cdef int descend(self, double* w, double lam) noexcept nogil:
        """Take Newton steps from w on."""
        cdef int turn, k, info, failed = 1
        cdef double gain, size, before, enough, slack, after = 0.0
        dgemv(TRANSPOSED, &self.q, &self.n, &PLUS, &self.A[0, 0], &self.q, w, &ONE,
              &NOTHING, &self.z[0], &ONE)
        for turn in range(100):
            self.evaluate(w, lam)
            dpotrf(LOWER, &self.q, &self.H[0, 0], &self.q, &info)
            if info != 0:
                break
            memcpy(&self.step[0], &self.slope[0], self.q * sizeof(double))
            dpotrs(LOWER, &self.q, &ONE, &self.H[0, 0], &self.q, &self.step[0],
                   &self.q, &info)
            gain = ddot(&self.q, &self.slope[0], &ONE, &self.step[0], &ONE)
            dgemv(TRANSPOSED, &self.q, &self.n, &PLUS, &self.A[0, 0], &self.q,
                  &self.step[0], &ONE, &NOTHING, &self.move[0], &ONE)
            size = 1.0
            if turn == 0:
                after = self.objective(w, &self.step[0], 0.0, lam)
            before = after
            enough = SMALL * SMALL * min(1.0, before)
            if gain > enough:
                slack = 1e-14 * before
                after = self.objective(w, &self.step[0], size, lam)
                while after > before - 1e-4 * size * gain + slack and size > 1e-10:
                    size /= 2
                    after = self.objective(w, &self.step[0], size, lam)
            for k in range(self.q):
                w[k] += size * self.step[k]
            for k in range(self.n):
                self.z[k] += size * self.move[k]
            if gain <= enough:
                failed = 0
                break
        # curvatures remain those of H
        al_pulls(self.n, &self.y[0], &self.takes_part[0], &self.z[0], &self.pull[0],
                 &self.each[0])
        return failed


def solve(
    A, y, bint free, const Py_ssize_t[:, ::1] left_out, start, const double[::1] lams
):
    """Train on all rows but some, for each of several penalties.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_columns)
        Rows.
    y : ndarray of shape (n_samples,)
        Their labels, -1 or 1.
    free : bool
        Whether the last column is that of an intercept.
    left_out : ndarray of int of shape (n_groups, size)
        The rows that each training goes without; -1 for none.
    start : ndarray of shape (n_lams, n_columns) or None
        Where to begin. None: with each penalty where the one before ended.
    lams : ndarray of shape (n_lams,)
        Penalties.

    Returns
    -------
    w : ndarray of shape (n_groups, n_lams, n_columns)
        Weights.
    """
    cdef Solver solver = Solver(A, y, free)
    out = np.zeros((left_out.shape[0], len(lams), A.shape[1]))
    if start is not None:
        out[:] = start
    cdef double[:, :, ::1] w = out
    cdef Py_ssize_t g, m
    cdef bint follow = start is None
    cdef int failed = 0
    with nogil:
        for g in range(left_out.shape[0]):
            with gil:
                PyErr_CheckSignals()
            solver.leave_out(left_out[g], 0.0)
            for m in range(lams.shape[0]):
                if follow and m > 0:
                    w[g, m] = w[g, m - 1]
                failed |= solver.solve(&w[g, m, 0], lams[m])
            solver.leave_out(left_out[g], 1.0)
    if failed:
        raise NotSolved(FAILED)
    return out


def probabilities(margins):
    """Return class probabilities, in a last axis, for margins of the second class."""
    out = np.empty((*margins.shape, 2))
    cdef const double[::1] z = np.ascontiguousarray(margins).ravel()
    cdef double[::1] p = out.ravel()
    if len(z):
        with nogil:
            al_probabilities(z.shape[0], &z[0], &p[0])
    return out
