# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Logistic regressions without two rows but with a new one: the margins of the two.

Where many share the two rows and differ in the new one, x, the Hessian H of their
common part is factored once, H = L L'. With e_k = L^-1 a_k, the margins of all rows
move by inner products of the e's when x is added: first along e_x, as far as x itself
asks for, exactly; then, if the other rows' curvature changes by that, in chord steps
with H (its part of x renewed); and if these do not shrink fast, x gets Newton steps of
its own.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport exp, fabs
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport ddot, dgemv, dtrsm
from scipy.linalg.cython_lapack cimport dpotrs

from ._newton cimport Solver, curvature, pull

from ._newton import FAILED, NotSolved

#: Half the largest |third derivative| of log(1 + exp(-z)).
cdef double BEND = 0.0481125224324688

#: Chord steps have to shrink by this factor each time.
cdef double SHRINK = 0.5

cdef int ONE = 1
cdef double PLUS = 1.0, NOTHING = 0.0
cdef char* TRANSPOSED = b"T"
cdef char* AS_IT_IS = b"N"
cdef char* LOWER = b"L"
cdef char* LEFT = b"L"


cdef inline double settled(double t, double g) noexcept nogil:
    """Return c = 1 / (1 + exp(u)) where u = t + g c."""
    cdef double low = t, high = t + g, u = t, c, gap, step, last = g
    cdef int turn
    for turn in range(200):
        c = 1 / (1 + exp(u))
        gap = u - t - g * c
        if gap > 0:
            high = u
        else:
            low = u
        step = gap / (1 + g * c * (1 - c))
        if low < u - step < high and 2 * fabs(step) < last:
            u -= step
        else:
            step = (high - low) / 2
            u = low + step
        last = fabs(step)
        if last < 1e-9:
            break
    return 1 / (1 + exp(u))


cdef class Adding:
    """One more row for a solved problem: what becomes of the margins of two rows.

    All is expressed in the coordinates e = L^-1 a; a point is its distance from the
    solution, u = L'(w - w_0).
    """

    cdef int n, q, P
    cdef Py_ssize_t i, j
    cdef Solver base
    cdef double[:, ::1] E
    cdef double[::1] z0, size, Gi, Gj, D, z, h, u, p
    cdef double bend, zi, zj, zx, t, g, gi, gj, yx, cx
    cdef double* ex

    def __init__(self, Solver base, n, q, P):
        self.base, self.n, self.q, self.P = base, n, q, P
        self.E = np.empty((n + P, q))
        self.z0, self.size = np.empty((2, n + P))
        self.Gi, self.Gj, self.D, self.z, self.h = np.empty((5, n))
        self.u, self.p = np.empty((2, q))

    cdef void begin(
        self, double* w, double[:, ::1] rows, const Py_ssize_t[::1] pair
    ) noexcept nogil:
        """Take over a solved problem."""
        cdef int k, total = self.n + self.P
        cdef double bi = 0.0, bj = 0.0
        self.i, self.j = pair[0], pair[1]
        memcpy(&self.E[0, 0], &rows[0, 0], total * self.q * sizeof(double))
        dgemv(TRANSPOSED, &self.q, &total, &PLUS, &rows[0, 0], &self.q, w, &ONE,
              &NOTHING, &self.z0[0], &ONE)
        dtrsm(LEFT, LOWER, AS_IT_IS, AS_IT_IS, &self.q, &total, &PLUS,
              &self.base.H[0, 0], &self.q, &self.E[0, 0], &self.q)
        self.times_E(&self.E[self.i, 0], &self.Gi[0])
        self.times_E(&self.E[self.j, 0], &self.Gj[0])
        for k in range(total):
            self.size[k] = ddot(&self.q, &self.E[k, 0], &ONE, &self.E[k, 0], &ONE)
        for k in range(self.n):
            bi += fabs(self.Gi[k]) * self.size[k] * self.base.takes_part[k]
            bj += fabs(self.Gj[k]) * self.size[k] * self.base.takes_part[k]
        self.bend = BEND * max(bi, bj)

    cdef void times_E(self, double* u, double* out) noexcept nogil:
        """Find the inner products of the first n rows of E with u."""
        dgemv(TRANSPOSED, &self.q, &self.n, &PLUS, &self.E[0, 0], &self.q, u, &ONE,
              &NOTHING, out, &ONE)

    cdef void first_step(self, Py_ssize_t x, double y) noexcept nogil:
        """Go along e_x to where x has its own minimum, the other rows linear."""
        self.t = self.z0[self.n + x]
        self.ex, self.yx = &self.E[self.n + x, 0], y
        self.g = self.size[self.n + x]
        self.gi = ddot(&self.q, &self.E[self.i, 0], &ONE, self.ex, &ONE)
        self.gj = ddot(&self.q, &self.E[self.j, 0], &ONE, self.ex, &ONE)
        self.cx = y * settled(y * self.t, self.g)
        self.zx = self.t + self.g * self.cx
        self.zi = self.z0[self.i] + self.gi * self.cx
        self.zj = self.z0[self.j] + self.gj * self.cx

    cdef void evaluate(self) noexcept nogil:
        """Find by how much the pulls differ from what they would be if linear."""
        cdef int k
        for k in range(self.n):
            if self.base.takes_part[k] != 0:
                self.h[k] = (
                    self.base.pull[k]
                    - pull(self.base.y[k], self.z[k])
                    - self.base.s[k] * (self.z[k] - self.z0[k])
                )
            else:
                self.h[k] = 0.0

    cdef int finish(self, double tol) noexcept nogil:
        """Correct the margins by what the other rows' curvature does.

        Returns 0 if a bound shows that it does little, 1 if an evaluation does, 2 after
        chord steps, 3 if they did not help.
        """
        cdef int k, turn
        cdef double hi, hj, hx, s, back, size, last, a, dx
        if self.bend * self.cx * self.cx * self.g < tol:
            return 0
        self.times_E(self.ex, &self.D[0])
        for k in range(self.n):
            self.z[k] = self.z0[k] + self.cx * self.D[k]
        self.evaluate()
        s = curvature(self.zx)
        hi = ddot(&self.n, &self.Gi[0], &ONE, &self.h[0], &ONE)
        hj = ddot(&self.n, &self.Gj[0], &ONE, &self.h[0], &ONE)
        hx = ddot(&self.n, &self.D[0], &ONE, &self.h[0], &ONE)
        back = s * hx / (1 + s * self.g)
        hi -= back * self.gi
        hj -= back * self.gj
        hx /= 1 + s * self.g
        size = max(fabs(hi), fabs(hj), fabs(hx))
        if size < tol:
            self.zi -= hi
            self.zj -= hj
            return 1
        for k in range(self.q):
            self.u[k] = self.cx * self.ex[k]
        last = size
        for turn in range(12):
            # slope: E'h + u - pull(x) e_x
            memcpy(&self.p[0], &self.u[0], self.q * sizeof(double))
            dgemv(AS_IT_IS, &self.q, &self.n, &PLUS, &self.E[0, 0], &self.q,
                  &self.h[0], &ONE, &PLUS, &self.p[0], &ONE)
            s = curvature(self.zx)
            dx = ddot(&self.q, self.ex, &ONE, &self.p[0], &ONE)
            a = pull(self.yx, self.zx)
            a += s * (dx - a * self.g) / (1 + s * self.g)
            for k in range(self.q):
                self.u[k] -= self.p[k] - a * self.ex[k]
            self.times_E(&self.u[0], &self.D[0])
            size = 0.0
            for k in range(self.n):
                size = max(size, fabs(self.z0[k] + self.D[k] - self.z[k]))
                self.z[k] = self.z0[k] + self.D[k]
            self.zx = self.t + ddot(&self.q, self.ex, &ONE, &self.u[0], &ONE)
            if size < tol:
                self.zi, self.zj = self.z[self.i], self.z[self.j]
                return 2
            if turn > 0 and size > SHRINK * last:
                return 3
            last = size
            self.evaluate()
        return 3

    cdef int train(self, Solver own, double* w, double* row, double lam) noexcept nogil:
        """Train again with the row, from the first step on."""
        cdef int info, k
        memcpy(&own.A[self.n, 0], row, self.q * sizeof(double))
        own.y[self.n], own.takes_part[self.n] = self.yx, 1.0
        memcpy(&self.p[0], row, self.q * sizeof(double))
        dpotrs(LOWER, &self.q, &ONE, &self.base.H[0, 0], &self.q, &self.p[0], &self.q,
               &info)
        for k in range(self.q):
            self.u[k] = w[k] + self.cx * self.p[k]
        info = own.solve(&self.u[0], lam)
        own.takes_part[self.n] = 0.0
        self.zi, self.zj = own.z[self.i], own.z[self.j]
        return info


def margins_with_each(
    A, y, bint free, const Py_ssize_t[:, ::1] left_out, start, const double[::1] lams,
    A_new, const double[::1] y_new, double tol, counts=None
):
    """Train without two rows but with a new one; return the margins of the two.

    Parameters
    ----------
    A, y, free, lams
        As for `solve`.
    left_out : ndarray of int of shape (n_pairs, 2)
        The two rows.
    start : ndarray of shape (n_lams, n_columns)
        Solutions with all rows, or near them.
    A_new : ndarray of shape (n_new, n_columns)
        New rows.
    y_new : ndarray of shape (n_new,)
        Their labels, -1 or 1.
    tol : float
        How far the last step may move a margin.
    counts : ndarray of int of shape (n_lams, 4), optional
        Gets added how many trainings needed no evaluation of the other rows, one,
        chord steps, Newton steps.

    Returns
    -------
    margins : ndarray of shape (n_lams, n_new, n_pairs, 2)
    """
    cdef Solver base = Solver(A, y, free), own = Solver(A, y, free)
    cdef int n = A.shape[0], q = A.shape[1], P = A_new.shape[0]
    out = np.empty((len(lams), P, left_out.shape[0], 2))
    counts = np.zeros((len(lams), 4), dtype=np.int64) if counts is None else counts
    cdef double[:, :, :, ::1] margins = out
    cdef const double[:, ::1] starts = start
    cdef double[::1] w = np.empty(q)
    cdef double[:, ::1] rows = np.vstack([A, A_new])
    cdef Adding adding = Adding(base, n, q, P)
    cdef Py_ssize_t g, m, x
    cdef Py_ssize_t[:, ::1] n_ways = counts
    cdef int failed = 0, way
    with nogil:
        for g in range(left_out.shape[0]):
            with gil:
                PyErr_CheckSignals()
            base.leave_out(left_out[g], 0.0)
            own.leave_out(left_out[g], 0.0)
            for m in range(lams.shape[0]):
                w[:] = starts[m]
                failed |= base.solve(&w[0], lams[m])
                adding.begin(&w[0], rows, left_out[g])
                for x in range(P):
                    adding.first_step(x, y_new[x])
                    way = adding.finish(tol)
                    if way == 3:
                        failed |= adding.train(own, &w[0], &rows[n + x, 0], lams[m])
                    n_ways[m, way] += 1
                    margins[m, x, g, 0] = adding.zi
                    margins[m, x, g, 1] = adding.zj
            base.leave_out(left_out[g], 1.0)
            own.leave_out(left_out[g], 1.0)
    if failed:
        raise NotSolved(FAILED)
    return out
