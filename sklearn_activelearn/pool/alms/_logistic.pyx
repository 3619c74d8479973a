# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""L2 logistic regressions for many parts of the same rows.

Minimises, over the rows a_k that take part, with labels y_k = -1 or 1::

    sum_k log(1 + exp(-y_k a_k.w)) + lam / 2 |w|^2      (the intercept is free)

`solve` trains by Newton's method without some of the rows. `margins_with_each` trains
without two rows but with one new row x, `weights_with_each` with a new row only. With
pairs the Hessian H of all rows and x is factored once, H = L L'; in the coordinates e_k = L^-1 a_k margins move by inner products
of the e's. The movement of the solution without rows i and j is first guessed: the
movement without x, plus the changes by x if i alone, and if j alone, is left out. The
slope at this point gives the error of the margins. A small error is corrected. Otherwise
chord steps follow with H (less i and j), each mixed with the steps before, and then, if
the error remains, Newton steps.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport exp, fabs, isfinite
from libc.string cimport memcpy, memset
from scipy.linalg.cython_blas cimport ddot, dgemm, dgemv, dsyrk, dtrmm, dtrmv, dtrsm
from scipy.linalg.cython_lapack cimport dpotrf, dpotrs

cdef extern from "pool/alms/_logistic.h" nogil:
    enum: AL_PAST
    const double AL_FAR
    void al_odds(Py_ssize_t n, const double *y, const double *z, double *odds)
    void al_slopes(
        Py_ssize_t wide, const double *y, const double *odds, const double *pull,
        const double *s, Py_ssize_t i, Py_ssize_t j, Py_ssize_t x, const double *gi,
        const double *gj, const double *gx, const double *d, double *h, double *slopes
    )
    void al_add(
        Py_ssize_t wide, const double *a, const double *b, const double *c, double *d
    )
    void al_chord_step(
        Py_ssize_t wide, int turn, const double *ei, const double *ej, double si,
        double sj, double kii, double kij, double kjj, double *p, double *past,
        double *u
    )
    void al_probabilities(Py_ssize_t n, const double *z, double *out)
    double al_entropies(Py_ssize_t n, const double *z)
    double al_loss(
        Py_ssize_t n, const double *y, const double *takes_part, const double *z,
        const double *move, double size, double *each
    )
    void al_pulls(
        Py_ssize_t n, const double *y, const double *takes_part, const double *z,
        double *pull, double *s
    )
    void al_scaled(
        Py_ssize_t n, Py_ssize_t q, const double *A, const double *s, double *scaled
    )

cdef enum:
    TOGETHER = 64  # points whose products are computed at once
    TURNS = 12  # chord steps at most

#: Largest error of corrected margins, as a share of the tolerance.
cdef double LITTLE = 0.2

#: Newton steps stop at a step of this length in the norm of the Hessian, or shorter by
#: the root of a small objective. The remaining error is about the square of the length.
cdef double SMALL = 1e-4

cdef int ONE = 1
cdef double PLUS = 1.0, NOTHING = 0.0
cdef char* TRANSPOSED = b"T"
cdef char* AS_IT_IS = b"N"
cdef char* LOWER = b"L"
cdef char* LEFT = b"L"


class NotSolved(FloatingPointError):
    """Raised if Newton's method does not converge."""


FAILED = "Newton's method did not converge. Scale the features."


cdef class Solver:
    """Newton's method with backtracking, and its state at the solution.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_columns)
        Rows; copied, with a spare row below them.
    y : ndarray of shape (n_samples,)
        Labels of the rows, -1 or 1.
    free : bool
        True if the last column belongs to an intercept.
    """

    cdef int n, q
    cdef bint free
    cdef double[:, ::1] A, scaled, H
    cdef double[::1] y, takes_part, z, move, pull, s, each, slope, step

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
        """Leave out these rows (weight 0), or restore them (1); -1 is no row."""
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
        """Compute pulls, curvatures, slope and Hessian at the margins z."""
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
        if self.free:  # all margins may be large on the way
            self.H[self.q - 1, self.q - 1] += 1e-20

    cdef int solve(self, double* w, double lam) noexcept nogil:
        """Minimise from w on, or from 0 on if w is too far away.

        Afterwards H holds the Cholesky factor of the Hessian, and s its curvatures; z
        and `pull` belong to the solution. Returns 1 if the steps did not end.
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
        # s keeps the curvatures of H
        al_pulls(self.n, &self.y[0], &self.takes_part[0], &self.z[0], &self.pull[0],
                 &self.each[0])
        return failed


cdef struct Point:
    # number of the pair or row that is left out, and the positions of its rows among the
    # rows that may be left out, the second -1 for a single row; the errors of their
    # margins; whether these errors are small, and whether steps do not help
    Py_ssize_t item, i, j
    double off_i, off_j
    bint has_arrived, is_lost


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


cdef inline int to_vectors(int n) noexcept:
    """Return the next number that 8 divides."""
    return (n + 7) // 8 * 8


cdef class Adding:
    """One new row at a time, and rows left out beside it: each alone, and pairs.

    A point is the distance u = L'(w - w_x) from the solution w_x with all rows.

    Parameters
    ----------
    A, y, free
        As for `solve`.
    rows : ndarray of int of shape (n_rows,)
        Rows that may be left out.
    pairs : ndarray of int of shape (n_pairs, 2)
        Positions among `rows` of two rows that are left out together.
    tol : float
        As for `margins_with_each`.
    """

    cdef int n, q, n_rows, n_pairs, n_wide, q_wide
    cdef double lam, tol
    cdef Solver base, own
    cdef const Py_ssize_t[::1] rows
    cdef const Py_ssize_t[:, ::1] pairs
    # solutions without a new row: with all rows, its change without each row, and the
    # further change without each pair; the factor of the Hessian with all rows
    cdef const double[::1] w_all
    cdef const double[:, ::1] w_one, w_pair
    cdef double[:, ::1] L
    # for the problem with the new row: movements of margins without one row, further
    # movements without pairs, and inner products of the rows that may be left out
    cdef double[::1] w, v, y, odds, pull, s, x_pair
    cdef double[:, ::1] E, EV, G, d_one, d_pair, u_one
    # for the points in work
    cdef Point[TOGETHER] points
    cdef double[:, ::1] U, P, past, D, H
    cdef double[::1] none

    def __init__(self, A, y, free, rows, pairs, tol):
        self.base, self.own = Solver(A, y, free), Solver(A, y, free)
        self.n, self.q = len(A) + 1, A.shape[1]
        self.n_wide, self.q_wide = to_vectors(self.n), to_vectors(self.q)
        self.rows, self.pairs, self.tol = rows, pairs, tol
        self.n_rows, self.n_pairs = len(rows), len(pairs)
        self.w, self.v = np.empty((2, self.q))
        self.L, self.E = np.empty((self.q, self.q)), np.empty((self.n, self.q))
        self.y, self.odds, self.pull, self.s = np.zeros((4, self.n_wide))
        self.x_pair = np.empty(self.n_pairs)
        # x comes after the rows that may be left out
        self.EV, self.u_one = np.zeros((2, self.n_rows + 1, self.q_wide))
        self.G, self.d_one = np.zeros((2, self.n_rows + 1, self.n_wide))
        self.d_pair = np.zeros((self.n_pairs, self.n_wide))
        self.U, self.P = np.zeros((2, TOGETHER, self.q_wide))
        self.past = np.zeros((TOGETHER, (2 + 2 * AL_PAST) * self.q_wide))
        self.D, self.H = np.zeros((2, TOGETHER, self.n_wide))
        self.none = np.zeros(max(self.n_wide, self.q_wide))

    cdef int begin(
        self, const double[::1] w_all, const double[:, ::1] w_one,
        const double[:, ::1] w_pair, double lam
    ) noexcept nogil:
        """Store the solutions without a new row."""
        cdef int n = self.n - 1
        self.w_one, self.w_pair = w_one, w_pair
        dgemm(TRANSPOSED, AS_IT_IS, &n, &self.n_pairs, &self.q, &PLUS,
              &self.base.A[0, 0], &self.q, <double*>&w_pair[0, 0], &self.q, &NOTHING,
              &self.d_pair[0, 0], &self.n_wide)
        return self.begin_alone(w_all, lam)

    cdef int begin_alone(self, const double[::1] w_all, double lam) noexcept nogil:
        """Store the solution with all rows and the factor of its Hessian."""
        cdef int failed
        self.w_all, self.lam = w_all, lam
        self.base.takes_part[self.n - 1] = 0.0
        self.w[:] = w_all
        failed = self.base.solve(&self.w[0], lam)
        self.L[:] = self.base.H
        return failed

    cdef int add_alone(self, const double[::1] x, double y) noexcept nogil:
        """Solve with a new row."""
        cdef int info, k, n = self.n, q = self.q
        cdef double c
        for k in range(q):
            self.base.A[n - 1, k] = self.own.A[n - 1, k] = self.w[k] = x[k]
        self.base.y[n - 1] = self.own.y[n - 1] = y
        self.base.takes_part[n - 1] = self.own.takes_part[n - 1] = 1.0
        # along H^-1 x to the minimum for x, with the other rows linear
        dpotrs(LOWER, &q, &ONE, &self.L[0, 0], &q, &self.w[0], &q, &info)
        c = y * settled(
            y * ddot(&q, <double*>&x[0], &ONE, <double*>&self.w_all[0], &ONE),
            ddot(&q, <double*>&x[0], &ONE, &self.w[0], &ONE),
        )
        for k in range(q):
            self.w[k] = self.w_all[k] + c * self.w[k]
        return self.base.solve(&self.w[0], self.lam)

    cdef int add(self, const double[::1] x, double y) noexcept nogil:
        """Solve with a new row, and compute all inner products."""
        cdef int failed, k, n = self.n, q = self.q, n_products = self.n_rows + 1
        cdef Py_ssize_t size = q * sizeof(double)
        failed = self.add_alone(x, y)
        memcpy(&self.E[0, 0], &self.base.A[0, 0], n * size)
        dtrsm(LEFT, LOWER, AS_IT_IS, AS_IT_IS, &q, &n, &PLUS, &self.base.H[0, 0], &q,
              &self.E[0, 0], &q)
        for k in range(self.n_rows):
            memcpy(&self.EV[k, 0], &self.E[self.rows[k], 0], size)
        memcpy(&self.EV[self.n_rows, 0], &self.E[n - 1, 0], size)
        dgemm(TRANSPOSED, AS_IT_IS, &n, &n_products, &q, &PLUS, &self.E[0, 0], &q,
              &self.EV[0, 0], &self.q_wide, &NOTHING, &self.G[0, 0], &self.n_wide)
        dgemv(TRANSPOSED, &q, &self.n_pairs, &PLUS, <double*>&self.w_pair[0, 0], &q,
              <double*>&x[0], &ONE, &NOTHING, &self.x_pair[0], &ONE)
        for k in range(self.n_pairs):
            self.d_pair[k, n - 1] = self.x_pair[k]
        for k in range(n):
            self.y[k], self.s[k] = self.base.y[k], self.base.s[k]
            self.pull[k] = self.base.pull[k]
        al_odds(n, &self.base.y[0], &self.base.z[0], &self.odds[0])
        return failed

    cdef int leave_out(self, double[:, ::1] margins) noexcept nogil:
        """Compute the margins of all pairs, each trained without the pair."""
        cdef Py_ssize_t m, i, j
        cdef int count = 0, failed = 0
        # for few pairs, better guesses cost more than they save
        cdef bint is_rough = self.n_pairs <= 2 * self.n_rows
        for i in range(self.n_rows):
            self.points[count] = Point(i, i, -1, 0.0, 0.0, False, False)
            self.take(count, &self.w_one[i, 0])
            count += 1
            if count == TOGETHER or i == self.n_rows - 1:
                self.to_points(count)
                self.move_rows(count)
                for m in range(count):
                    self.look(m)
                    if is_rough:
                        self.write(m, margins)
                if not is_rough:
                    failed |= self.work(count, margins)
                count = 0
        for m in range(self.n_pairs):
            i, j = self.pairs[m, 0], self.pairs[m, 1]
            self.points[count] = Point(m, i, j, 0.0, 0.0, False, False)
            al_add(self.n_wide, &self.d_pair[m, 0], &self.d_one[i, 0],
                   &self.d_one[j, 0], &self.D[count, 0])
            self.look(count)
            if self.points[count].has_arrived:
                self.write(count, margins)
                continue
            self.take(count, &self.w_pair[m, 0])
            count += 1
            if count == TOGETHER:
                failed |= self.work_on_pairs(count, margins)
                count = 0
        if count > 0:
            failed |= self.work_on_pairs(count, margins)
        return failed

    cdef void take(self, Py_ssize_t l, const double* w) noexcept nogil:
        """Copy weights to a place of the points in work."""
        memset(&self.U[l, 0], 0, self.q_wide * sizeof(double))
        memcpy(&self.U[l, 0], w, self.q * sizeof(double))

    cdef void to_points(self, int count) noexcept nogil:
        """Turn weights into points."""
        dtrmm(LEFT, LOWER, TRANSPOSED, AS_IT_IS, &self.q, &count, &PLUS,
              &self.base.H[0, 0], &self.q, &self.U[0, 0], &self.q_wide)

    cdef void move_rows(self, int count) noexcept nogil:
        """Compute the distance of all margins from the solution."""
        dgemm(TRANSPOSED, AS_IT_IS, &self.n, &count, &self.q, &PLUS, &self.E[0, 0],
              &self.q, &self.U[0, 0], &self.q_wide, &NOTHING, &self.D[0, 0],
              &self.n_wide)

    cdef void look(self, Py_ssize_t l) noexcept nogil:
        """Compute the errors of the margins of the rows left out, and of x."""
        cdef Point* point = &self.points[l]
        cdef Py_ssize_t i = point.i, j = point.j, ri = self.rows[i], rj = -1
        cdef double[4] slopes
        cdef double off, rest
        cdef double* gx = &self.G[self.n_rows, 0]
        cdef double* gj = &self.none[0]
        cdef double si = self.s[ri], sj = 0.0, kij = 0.0, own_j = 1.0, own_i, share
        own_i = 1 - si * self.G[i, ri]
        if j >= 0:
            rj, gj = self.rows[j], &self.G[j, 0]
            sj, kij = self.s[rj], self.G[i, rj]
            own_j = 1 - sj * self.G[j, rj]
        al_slopes(self.n_wide, &self.y[0], &self.odds[0], &self.pull[0], &self.s[0], ri,
                  rj, self.n - 1, &self.G[i, 0], gj, gx, &self.D[l, 0], &self.H[l, 0],
                  slopes)
        share = 1 / (own_i * own_j - si * sj * kij * kij)
        point.off_i = (own_j * slopes[0] + sj * kij * slopes[1]) * share
        point.off_j = (own_i * slopes[1] + si * kij * slopes[0]) * share
        slopes[2] += si * gx[ri] * point.off_i
        if j >= 0:
            slopes[2] += sj * gx[rj] * point.off_j
        off = max(fabs(point.off_i), fabs(point.off_j), fabs(slopes[2]))
        # the error of the correction: curvatures change less than margins move
        rest = off * min(slopes[3], 1.0)
        point.is_lost = slopes[3] > AL_FAR or not isfinite(slopes[0] + off)
        point.has_arrived = off < self.tol and rest < LITTLE * self.tol
        point.has_arrived = point.has_arrived and not point.is_lost

    cdef int work_on_pairs(self, int count, double[:, ::1] margins) noexcept nogil:
        """Solve without pairs, starting at the first guesses."""
        cdef Py_ssize_t l, i, j
        cdef int k
        self.to_points(count)
        for l in range(count):
            i, j = self.points[l].i, self.points[l].j
            for k in range(self.q):
                self.U[l, k] += self.u_one[i, k] + self.u_one[j, k]
        return self.work(count, margins)

    cdef int work(self, int count, double[:, ::1] margins) noexcept nogil:
        """Move points until the errors of their margins are small."""
        cdef Py_ssize_t l, size = self.q_wide * sizeof(double)
        cdef int turn, failed = 0
        for turn in range(TURNS + 1):
            for l in range(count - 1, -1, -1):
                if not self.points[l].has_arrived:
                    if turn < TURNS and not self.points[l].is_lost:
                        continue
                    failed |= self.train(l)
                self.write(l, margins)
                count -= 1
                self.drop(l, count)
            if count == 0:
                break
            memcpy(&self.P[0, 0], &self.U[0, 0], count * size)
            dgemm(AS_IT_IS, AS_IT_IS, &self.q, &count, &self.n, &PLUS, &self.E[0, 0],
                  &self.q, &self.H[0, 0], &self.n_wide, &PLUS, &self.P[0, 0],
                  &self.q_wide)
            for l in range(count):
                self.chord_step(l, turn)
            self.move_rows(count)
            for l in range(count):
                self.look(l)
        return failed

    cdef void chord_step(self, Py_ssize_t l, int turn) noexcept nogil:
        """Move a point."""
        cdef Py_ssize_t i = self.points[l].i, j = self.points[l].j, ri = self.rows[i], rj
        cdef double sj = 0.0, kij = 0.0, kjj = 0.0
        cdef double* ej = &self.none[0]
        if j >= 0:
            rj, ej = self.rows[j], &self.EV[j, 0]
            sj, kij, kjj = self.s[rj], self.G[i, rj], self.G[j, rj]
        al_chord_step(self.q_wide, turn, &self.EV[i, 0], ej, self.s[ri], sj,
                      self.G[i, ri], kij, kjj, &self.P[l, 0], &self.past[l, 0],
                      &self.U[l, 0])

    cdef int train(self, Py_ssize_t l) noexcept nogil:
        """Train without rows by Newton's method, and make the solution a point."""
        cdef Point* point = &self.points[l]
        cdef const double* own = &self.w_one[point.i, 0]
        cdef int k, failed
        if point.j >= 0:
            own = &self.w_pair[point.item, 0]
        for k in range(self.q):
            self.v[k] = self.w[k] + own[k]
            if point.j >= 0:
                self.v[k] += self.w_one[point.i, k] + self.w_one[point.j, k]
        self.weigh(point, 0.0)
        failed = self.own.solve(&self.v[0], self.lam)
        self.weigh(point, 1.0)
        for k in range(self.n):
            self.D[l, k] = self.own.z[k] - self.base.z[k]
        for k in range(self.q):
            self.U[l, k] = self.v[k] - self.w[k]
        dtrmv(LOWER, TRANSPOSED, AS_IT_IS, &self.q, &self.base.H[0, 0], &self.q,
              &self.U[l, 0], &ONE)
        point.off_i = point.off_j = 0.0
        return failed

    cdef void weigh(self, Point* point, double weight) noexcept nogil:
        """Leave out the rows of a point (weight 0), or restore them (1)."""
        self.own.takes_part[self.rows[point.i]] = weight
        if point.j >= 0:
            self.own.takes_part[self.rows[point.j]] = weight

    cdef void write(self, Py_ssize_t l, double[:, ::1] margins) noexcept nogil:
        """Store the margins of a pair, or the point without one row."""
        cdef Point* point = &self.points[l]
        cdef Py_ssize_t i = point.i, j = point.j
        if j < 0:
            memcpy(&self.d_one[i, 0], &self.D[l, 0], self.n_wide * sizeof(double))
            memcpy(&self.u_one[i, 0], &self.U[l, 0], self.q_wide * sizeof(double))
            return
        i, j = self.rows[i], self.rows[j]
        margins[point.item, 0] = self.base.z[i] + self.D[l, i] - point.off_i
        margins[point.item, 1] = self.base.z[j] + self.D[l, j] - point.off_j

    cdef void drop(self, Py_ssize_t l, Py_ssize_t end) noexcept nogil:
        """Move the last point to a place that has become free."""
        cdef Py_ssize_t size = self.q_wide * sizeof(double)
        if l == end:
            return
        self.points[l] = self.points[end]
        memcpy(&self.U[l, 0], &self.U[end, 0], size)
        memcpy(&self.past[l, 0], &self.past[end, 0], (2 + 2 * AL_PAST) * size)
        memcpy(&self.H[l, 0], &self.H[end, 0], self.n_wide * sizeof(double))


def margins_with_each(
    A, y, bint free, rows, const Py_ssize_t[:, ::1] pairs, solutions,
    const double[::1] lams, const double[:, ::1] A_new, const double[::1] y_new,
    double tol
):
    """Train without two rows but with a new one; return the margins of the two.

    Parameters
    ----------
    A, y, free, lams
        As for `solve`.
    rows : ndarray of int of shape (n_rows,)
        Rows that may be left out.
    pairs : ndarray of int of shape (n_pairs, 2)
        Positions among `rows` of two rows that are left out together.
    solutions : tuple of ndarray
        Without a new row: the weights with all rows, (n_lams, n_columns), their change
        without each of `rows`, (n_lams, n_rows, n_columns), and the further change
        without each pair, (n_lams, n_pairs, n_columns).
    A_new : ndarray of shape (n_new, n_columns)
        New rows.
    y_new : ndarray of shape (n_new,)
        Their labels, -1 or 1.
    tol : float
        Largest error of margins, to first order, before they are corrected.

    Returns
    -------
    margins : ndarray of shape (n_lams, n_new, n_pairs, 2)
    """
    out = np.empty((len(lams), len(A_new), len(pairs), 2))
    cdef double[:, :, :, ::1] margins = out
    cdef const double[:, ::1] w_all = solutions[0]
    cdef const double[:, :, ::1] w_one = solutions[1], w_pair = solutions[2]
    cdef Adding adding = Adding(A, y, free, rows, pairs, tol)
    cdef Py_ssize_t m, x
    cdef int failed = 0
    with nogil:
        for m in range(lams.shape[0]):
            failed |= adding.begin(w_all[m], w_one[m], w_pair[m], lams[m])
            for x in range(A_new.shape[0]):
                with gil:
                    PyErr_CheckSignals()
                failed |= adding.add(A_new[x], y_new[x])
                failed |= adding.leave_out(margins[m, x])
    if failed:
        raise NotSolved(FAILED)
    return out


def weights_with_each(
    A, y, bint free, const double[:, ::1] w_all, const double[::1] lams,
    const double[:, ::1] A_new, const double[::1] y_new
):
    """Train with one new row at a time; return the weights.

    Parameters
    ----------
    A, y, free, lams
        As for `solve`.
    w_all : ndarray of shape (n_lams, n_columns)
        Weights without a new row.
    A_new, y_new
        As for `margins_with_each`.

    Returns
    -------
    w : ndarray of shape (n_lams, n_new, n_columns)
    """
    nobody = np.empty(0, dtype=np.intp), np.empty((0, 2), dtype=np.intp)
    out = np.empty((len(lams), len(A_new), w_all.shape[1]))
    cdef double[:, :, ::1] w = out
    cdef Adding adding = Adding(A, y, free, *nobody, 0.0)
    cdef Py_ssize_t m, x
    cdef int failed = 0
    with nogil:
        for m in range(lams.shape[0]):
            failed |= adding.begin_alone(w_all[m], lams[m])
            for x in range(A_new.shape[0]):
                with gil:
                    PyErr_CheckSignals()
                failed |= adding.add_alone(A_new[x], y_new[x])
                w[m, x] = adding.w
    if failed:
        raise NotSolved(FAILED)
    return out


def solve(
    A, y, bint free, const Py_ssize_t[:, ::1] left_out, start, const double[::1] lams
):
    """Train without some of the rows, for each of several penalties.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_columns)
        Rows.
    y : ndarray of shape (n_samples,)
        Their labels, -1 or 1.
    free : bool
        True if the last column belongs to an intercept.
    left_out : ndarray of int of shape (n_groups, size)
        Rows that each training goes without; -1 for no row.
    start : ndarray of shape (n_lams, n_columns) or None
        Starting point. None: the solution for the penalty before.
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


def mean_entropies(margins):
    """Return the mean entropy over the last axis, in nats, of predictions with margins.

    Parameters
    ----------
    margins : ndarray of shape (..., n_rows)
        Margins of the second class.
    """
    *shape, n = margins.shape
    out = np.empty(shape)
    cdef const double[:, ::1] z = np.ascontiguousarray(margins).reshape(-1, n)
    cdef double[::1] mean = out.ravel()
    cdef Py_ssize_t k
    with nogil:
        for k in range(z.shape[0]):
            mean[k] = al_entropies(z.shape[1], &z[k, 0]) / z.shape[1]
    return out
