# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""Logistic regressions without two rows but with a new one: the margins of the two.

Where many share the two rows and differ in the new one, x, the Hessian H of their
common part is factored once, H = L L'. With e_k = L^-1 a_k, the margins of all rows
move by inner products of the e's when x is added: first along e_x, as far as x itself
asks for, exactly; then, if the other rows' curvature changes by that, in chord steps
with H (its part of x renewed), each mixed with the one before; and if these do not
shrink, x gets Newton steps of its own. The products of some dozens of new rows are
computed at once.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport exp, fabs
from libc.string cimport memcpy
from scipy.linalg.cython_blas cimport ddot, dgemm, dgemv, dtrsm
from scipy.linalg.cython_lapack cimport dpotrs

from ._newton cimport Solver, curvature, pull

from ._newton import FAILED, NotSolved

cdef extern from "pool/alms/_pulls.h" nogil:
    const double AL_FAR
    void al_bent_pulls(
        Py_ssize_t n, const double *y, const double *odds, const double *pull,
        const double *s, const double *d, double *h
    )
    double al_moved(Py_ssize_t n, const double *new, double *old, double *far)

cdef enum:
    TOGETHER = 64  # new rows whose products are computed at once

#: Half the largest |third derivative| of log(1 + exp(-z)).
cdef double BEND = 0.0481125224324688

#: Chord steps have to shrink by this factor each time. They end when those to come, if
#: they go on to shrink as the last one did, are this part of the tolerance together.
cdef double SHRINK = 0.9, TO_COME = 0.1

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


cdef struct New:
    Py_ssize_t x  # its number
    double y, t, g, gi, gj  # its label, margin and size, and products with the pair
    double c, z, zi, zj  # pull and margins where it is now
    double last  # the step before


cdef class Adding:
    """New rows, one at a time, for a solved problem: the margins of the pair left out.

    All is expressed in the coordinates e = L^-1 a; a point is its distance from the
    solution, u = L'(w - w_0). As many as `TOGETHER` new rows are worked on at once.
    """

    cdef int n, q
    cdef Py_ssize_t i, j, n_live
    cdef Solver base
    cdef double[:, ::1] A, A_new, E, E_new, U, plain, step, P, D, d, H
    cdef double[::1] y, odds, w, z0, size, t_new, Gi, Gj, p
    cdef double bend
    cdef New[TOGETHER] live
    cdef double[:, ::1] margins
    cdef Py_ssize_t[4] n_ways

    def __init__(self, Solver base, A, A_new):
        self.base, self.A, self.A_new = base, np.array(A), np.array(A_new)
        self.n, self.q = A.shape
        self.E, self.size = np.empty((self.n, self.q)), np.empty(self.n)
        self.y, self.odds, self.z0, self.Gi, self.Gj = np.empty((5, self.n))
        self.w, self.p = np.empty((2, self.q))
        self.t_new = np.empty(TOGETHER)
        self.margins = np.empty((len(A_new), 2))
        self.E_new, self.U, self.plain, self.step, self.P = np.zeros(
            (5, TOGETHER, self.q)
        )
        self.D, self.d, self.H = np.zeros((3, TOGETHER, self.n))

    cdef void begin(self, double* w, const Py_ssize_t[::1] pair) noexcept nogil:
        """Take over a solved problem."""
        cdef int k
        cdef double bi = 0.0, bj = 0.0
        self.i, self.j = pair[0], pair[1]
        memcpy(&self.w[0], w, self.q * sizeof(double))
        self.change(&self.A[0, 0], self.n, &self.E[0, 0], &self.z0[0])
        self.times_E(&self.E[self.i, 0], 1, &self.Gi[0])
        self.times_E(&self.E[self.j, 0], 1, &self.Gj[0])
        for k in range(self.n):
            self.y[k] = self.base.y[k] * self.base.takes_part[k]
            self.odds[k] = exp(self.base.y[k] * self.z0[k])
            self.size[k] = ddot(&self.q, &self.E[k, 0], &ONE, &self.E[k, 0], &ONE)
            bi += fabs(self.Gi[k]) * self.size[k] * self.base.takes_part[k]
            bj += fabs(self.Gj[k]) * self.size[k] * self.base.takes_part[k]
        self.bend = BEND * max(bi, bj)
        self.n_ways[:] = [0, 0, 0, 0]

    cdef void change(
        self, double* rows, int n_rows, double* e, double* z
    ) noexcept nogil:
        """Find coordinates and margins of rows."""
        memcpy(e, rows, n_rows * self.q * sizeof(double))
        dgemv(TRANSPOSED, &self.q, &n_rows, &PLUS, rows, &self.q, &self.w[0], &ONE,
              &NOTHING, z, &ONE)
        dtrsm(LEFT, LOWER, AS_IT_IS, AS_IT_IS, &self.q, &n_rows, &PLUS,
              &self.base.H[0, 0], &self.q, e, &self.q)

    cdef void times_E(self, double* u, int n_rows, double* out) noexcept nogil:
        """Find the inner products of the rows of E with each of several u."""
        dgemm(TRANSPOSED, AS_IT_IS, &self.n, &n_rows, &self.q, &PLUS, &self.E[0, 0],
              &self.q, u, &self.q, &NOTHING, out, &self.n)

    cdef New first_step(self, Py_ssize_t x, double y, Py_ssize_t slot) noexcept nogil:
        """Go along e_x to where x has its own minimum, the other rows linear."""
        cdef New new
        cdef double* ex = &self.E_new[slot, 0]
        new.x, new.y, new.t, new.last = x, y, self.t_new[slot], 0.0
        new.g = ddot(&self.q, ex, &ONE, ex, &ONE)
        new.gi = ddot(&self.q, &self.E[self.i, 0], &ONE, ex, &ONE)
        new.gj = ddot(&self.q, &self.E[self.j, 0], &ONE, ex, &ONE)
        new.c = y * settled(y * new.t, new.g)
        new.z = new.t + new.g * new.c
        new.zi = self.z0[self.i] + new.gi * new.c
        new.zj = self.z0[self.j] + new.gj * new.c
        return new

    cdef void bend_at(self, Py_ssize_t slot) noexcept nogil:
        """Find by how much the pulls differ from what they would be if linear."""
        al_bent_pulls(
            self.n, &self.y[0], &self.odds[0], &self.base.pull[0], &self.base.s[0],
            &self.d[slot, 0], &self.H[slot, 0],
        )

    cdef void go_on_with(self, New new, Py_ssize_t slot) noexcept nogil:
        """Put a new row, whose coordinates are in a slot, among those worked on."""
        cdef Py_ssize_t to = self.n_live, k
        self.live[to] = new
        for k in range(self.q):
            self.E_new[to, k] = self.E_new[slot, k]
            self.U[to, k] = new.c * self.E_new[to, k]
        self.n_live += 1

    cdef void drop(self, Py_ssize_t slot) noexcept nogil:
        """Have the last one that is worked on take a slot."""
        cdef Py_ssize_t end = self.n_live - 1, wide = self.q * sizeof(double)
        self.n_live = end
        if slot == end:
            return
        self.live[slot] = self.live[end]
        memcpy(&self.E_new[slot, 0], &self.E_new[end, 0], wide)
        memcpy(&self.U[slot, 0], &self.U[end, 0], wide)
        memcpy(&self.plain[slot, 0], &self.plain[end, 0], wide)
        memcpy(&self.step[slot, 0], &self.step[end, 0], wide)
        wide = self.n * sizeof(double)
        memcpy(&self.d[slot, 0], &self.d[end, 0], wide)
        memcpy(&self.H[slot, 0], &self.H[end, 0], wide)

    cdef int correct(self, Py_ssize_t slot, double tol) noexcept nogil:
        """Correct margins by what the curvature at the first step does.

        Returns 1 if that is little, 3 if the other rows have gone too far to say, 0 if
        there is more to do.
        """
        cdef New* new = &self.live[slot]
        cdef double hi, hj, hx, s, far
        al_moved(self.n, &self.D[slot, 0], &self.d[slot, 0], &far)
        if far > AL_FAR:
            return 3
        self.bend_at(slot)
        s = curvature(new.z)
        hi = ddot(&self.n, &self.Gi[0], &ONE, &self.H[slot, 0], &ONE)
        hj = ddot(&self.n, &self.Gj[0], &ONE, &self.H[slot, 0], &ONE)
        hx = ddot(&self.n, &self.d[slot, 0], &ONE, &self.H[slot, 0], &ONE)
        hx = hx / new.c / (1 + s * new.g)
        hi -= s * hx * new.gi
        hj -= s * hx * new.gj
        new.last = max(fabs(hi), fabs(hj), fabs(hx))
        if new.last >= tol:
            return 0
        new.zi -= hi
        new.zj -= hj
        return 1

    cdef void chord_step(self, Py_ssize_t slot, bint first) noexcept nogil:
        """Move a point by a chord step, mixed with the one before (Anderson 1965)."""
        cdef New* new = &self.live[slot]
        cdef double* ex = &self.E_new[slot, 0]
        cdef double s = curvature(new.z), a = pull(new.y, new.z), mix = 0.0
        cdef double dx, now, change, top = 0.0, bottom = 0.0
        cdef int k
        # slope: E'h + u - pull(x) e_x
        dx = ddot(&self.q, ex, &ONE, &self.P[slot, 0], &ONE)
        a += s * (dx - a * new.g) / (1 + s * new.g)
        for k in range(self.q):
            now = a * ex[k] - self.P[slot, k]
            self.P[slot, k] = self.U[slot, k] + now
            if not first:
                change = now - self.step[slot, k]
                top += change * now
                bottom += change * change
            self.step[slot, k] = now
        if bottom > 0:
            mix = top / bottom
        for k in range(self.q):
            now = self.P[slot, k]
            self.U[slot, k] = now - mix * (now - self.plain[slot, k])
            self.plain[slot, k] = now
        new.z = new.t + ddot(&self.q, ex, &ONE, &self.U[slot, 0], &ONE)

    cdef int arrived(self, Py_ssize_t slot, bint first, double tol) noexcept nogil:
        """Return 2 if the last step was short enough, 3 if steps do not help, or 0."""
        cdef New* new = &self.live[slot]
        cdef double far, size, shrunk
        cdef bint is_there
        size = al_moved(self.n, &self.D[slot, 0], &self.d[slot, 0], &far)
        shrunk = size / new.last
        if first:
            is_there = size < tol
        else:
            is_there = shrunk < SHRINK and size * shrunk / (1 - shrunk) < TO_COME * tol
        if is_there:
            new.zi = self.z0[self.i] + self.d[slot, self.i]
            new.zj = self.z0[self.j] + self.d[slot, self.j]
            return 2
        if far > AL_FAR or not first and shrunk > SHRINK:
            return 3
        new.last = size
        self.bend_at(slot)
        return 0

    cdef int train(self, Solver own, const New* new, double lam) noexcept nogil:
        """Train again with a row, from the first step on."""
        cdef int info, k
        cdef double* row = &self.A_new[new.x, 0]
        memcpy(&own.A[self.n, 0], row, self.q * sizeof(double))
        own.y[self.n], own.takes_part[self.n] = new.y, 1.0
        memcpy(&self.p[0], row, self.q * sizeof(double))
        dpotrs(LOWER, &self.q, &ONE, &self.base.H[0, 0], &self.q, &self.p[0], &self.q,
               &info)
        for k in range(self.q):
            self.p[k] = self.w[k] + new.c * self.p[k]
        info = own.solve(&self.p[0], lam)
        own.takes_part[self.n] = 0.0
        return info

    cdef int finish(
        self, Solver own, Py_ssize_t slot, int way, double lam
    ) noexcept nogil:
        """Write down the margins of the pair; train if they are not known."""
        cdef New* new = &self.live[slot]
        cdef int failed = 0
        if way == 3:
            failed = self.train(own, new, lam)
            new.zi, new.zj = own.z[self.i], own.z[self.j]
        self.margins[new.x, 0], self.margins[new.x, 1] = new.zi, new.zj
        self.n_ways[way] += 1
        self.drop(slot)
        return failed

    cdef int add(
        self, Solver own, Py_ssize_t start, Py_ssize_t end, const double[::1] y,
        double lam, double tol
    ) noexcept nogil:
        """Find the margins of the pair with each new row from start to end."""
        cdef Py_ssize_t x, slot
        cdef int turn, way, count, failed = 0
        cdef New new
        self.change(
            &self.A_new[start, 0], end - start, &self.E_new[0, 0], &self.t_new[0]
        )
        self.n_live = 0
        for x in range(start, end):
            new = self.first_step(x, y[x], x - start)
            self.go_on_with(new, x - start)
            if self.bend * new.c * new.c * new.g < tol:
                failed |= self.finish(own, self.n_live - 1, 0, lam)
        for turn in range(13):
            if self.n_live == 0:
                break
            count = self.n_live
            if turn > 0:
                memcpy(&self.P[0, 0], &self.U[0, 0], count * self.q * sizeof(double))
                dgemm(AS_IT_IS, AS_IT_IS, &self.q, &count, &self.n, &PLUS,
                      &self.E[0, 0], &self.q, &self.H[0, 0], &self.n, &PLUS,
                      &self.P[0, 0], &self.q)
                for slot in range(count):
                    self.chord_step(slot, turn == 1)
            self.times_E(&self.U[0, 0], count, &self.D[0, 0])
            for slot in range(count - 1, -1, -1):
                if turn == 0:
                    way = self.correct(slot, tol)
                else:
                    way = self.arrived(slot, turn == 1, tol)
                    way = 3 if turn == 12 and way == 0 else way
                if way != 0:
                    failed |= self.finish(own, slot, way, lam)
        return failed


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
        How far the last step may move a margin if it is the first, and ten times how
        far those to come would.
    counts : ndarray of int of shape (n_lams, 4), optional
        Gets added how many trainings needed no evaluation of the other rows, one,
        chord steps, Newton steps.

    Returns
    -------
    margins : ndarray of shape (n_lams, n_new, n_pairs, 2)
    """
    cdef Solver base = Solver(A, y, free), own = Solver(A, y, free)
    cdef Py_ssize_t P = A_new.shape[0]
    out = np.empty((len(lams), P, left_out.shape[0], 2))
    counts = np.zeros((len(lams), 4), dtype=np.int64) if counts is None else counts
    cdef double[:, :, :, ::1] margins = out
    cdef const double[:, ::1] starts = start
    cdef double[::1] w = np.empty(A.shape[1])
    cdef Adding adding = Adding(base, A, A_new)
    cdef Py_ssize_t g, m, x, end
    cdef Py_ssize_t[:, ::1] n_ways = counts
    cdef int failed = 0
    with nogil:
        for g in range(left_out.shape[0]):
            with gil:
                PyErr_CheckSignals()
            base.leave_out(left_out[g], 0.0)
            own.leave_out(left_out[g], 0.0)
            for m in range(lams.shape[0]):
                w[:] = starts[m]
                failed |= base.solve(&w[0], lams[m])
                adding.begin(&w[0], left_out[g])
                x = 0
                while x < P:
                    end = min(x + TOGETHER, P)
                    failed |= adding.add(own, x, end, y_new, lams[m], tol)
                    x = end
                margins[m, :, g] = adding.margins
                for x in range(4):
                    n_ways[m, x] += adding.n_ways[x]
            base.leave_out(left_out[g], 1.0)
            own.leave_out(left_out[g], 1.0)
    if failed:
        raise NotSolved(FAILED)
    return out
