# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""A^-1 of the second-order learners, in primal and in dual form.

A = ridge I + sum of z z' over the stored rows z = [scaled row, constant], the
constant being 1 or, without an intercept, 0. The primal form is the matrix
A^-1 itself. The dual form is the stored rows S and the Cholesky factor L of
ridge I + S S': it grows with the stored rows, and all it asks of rows is their
products, for which a kernel can stand in.

Rows that are [x / |x|, 1] / sqrt(2) and a ridge a are the same as rows
[x / |x|, 1] and a ridge 2 a, which is how they come here.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from libc.math cimport hypot, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memmove
from scipy.linalg.cython_blas cimport ddot, dsymv, dsyr, dtpsv

from ..._rows cimport al_rows
from .._linear_state cimport Row
from ._stored_rows cimport StoredRows
from ._stored_rows import with_room


class Matrix(NamedTuple):
    """What is remembered of the primal form."""

    matrix: object
    n_held: int

    is_dual = False
    has_kernel = False

    def at_work(self, ridge, constant, n_features):
        """Return the inverse to work on."""
        return Primal(ridge, constant, *self)


class Factor(NamedTuple):
    """What is remembered of the dual form."""

    rows: object
    factor: object
    codes: object
    roots: object = None  # ones

    is_dual = True
    has_kernel = False

    def at_work(self, ridge, constant, n_features):
        """Return the inverse to work on."""
        return Dual(ridge, constant, n_features, *self)


class Images(NamedTuple):
    """What is remembered of the dual form with a kernel."""

    rows: object
    factor: object
    codes: object
    scales: object
    roots: object = None  # ones

    is_dual = True
    has_kernel = True

    def at_work(self, ridge, constant, n_features):
        """Return the inverse to work on."""
        return KernelDual(ridge, constant, n_features, *self)


cdef class Inverse:
    """A^-1 and what a row is to it.

    For a row that is to be stored the calls are `lay`, `leverage`, `direct`, `store`.
    After `direct`, ``u`` is A^-1 z in the coordinates of the learner's weights.
    Only `lay` may fail; the matrix is then what it was.

    Attributes
    ----------
    may_move, descends : bool
        It can give way to another form; it is a `CoordinateDescent`.
    parts : Matrix, Factor, Images or Coefficients
        What there is to remember between calls.
    n_held : int
        Rows stored and not forgotten.
    """

    cdef double leverage(
        self, const al_rows *X, const Row *row, double squares
    ) noexcept nogil:
        """z' A^-1 z of a row, given z' z."""
        return 0.0

    cdef void direct(self, const al_rows *X, const Row *row) noexcept nogil:
        """Fill in u for the row whose leverage was asked for last."""

    cdef int lay(self, const al_rows *X, const Row *row) except -1 nogil:
        """See to it that this row can be stored; it need not be."""
        return 0

    cdef void store(
        self, Py_ssize_t label, double leverage, double weight
    ) noexcept nogil:
        """Add z z' times the weight to A, for the row of `lay` and `direct`."""


cdef class Primal(Inverse):
    """The matrix, one triangle of it, of as many rows as weights.

    Parameters
    ----------
    ridge, constant : float
        Of A.
    matrix : ndarray of shape (n_features + 1, n_features + 1)
        A^-1; copied before it changes. Only the lower triangle is kept up to date.
    n_held : int
        Rows in it.
    """

    def __init__(self, double ridge, double constant, matrix, n_held):
        self.ridge, self.constant, self.n_held = ridge, constant, n_held
        self.matrix = np.require(matrix, np.float64, "CA")
        self.owned = False
        self.M = self.matrix
        self.u, self.z = np.zeros(len(matrix)), np.zeros(len(matrix))

    @property
    def parts(self):
        """What there is to remember."""
        return Matrix(self.matrix, self.n_held)

    cdef double leverage(
        self, const al_rows *X, const Row *row, double squares
    ) noexcept nogil:
        cdef int n = self.M.shape[0], step = 1
        cdef double one = 1, zero = 0
        self.z[:] = 0
        X.add(X, row.index, 1.0, row.scale, &self.z[0])
        self.z[n - 1] = self.constant
        dsymv("U", &n, &one, <double *> &self.M[0, 0], &n, &self.z[0], &step, &zero,
              &self.u[0], &step)
        return ddot(&n, &self.z[0], &step, &self.u[0], &step)

    cdef int lay(self, const al_rows *X, const Row *row) except -1 nogil:
        if not self.owned:
            with gil:
                self.M = self.matrix = self.matrix.copy()
            self.owned = True
        return 0

    cdef void store(
        self, Py_ssize_t label, double leverage, double weight
    ) noexcept nogil:
        cdef int n = self.M.shape[0], step = 1
        cdef double factor = -weight / (1 + weight * leverage)
        # copied by `lay`, so it may be written to
        dsyr("U", &n, &factor, &self.u[0], &step, <double *> &self.M[0, 0], &n)
        self.n_held += 1


cdef class Dual(Inverse):
    """The stored rows and the Cholesky factor of their products.

    Parameters
    ----------
    ridge, constant : float
        Of A.
    n_features : int
        Of rows.
    rows : ndarray or CSR array of shape (n_stored, n_features)
        Rows stored so far, scaled.
    factor : ndarray of shape (n_stored * (n_stored + 1) / 2,)
        Rows of L up to the diagonal, one after the other.
    codes : ndarray of int64 of shape (n_stored,)
        Class codes.
    roots : ndarray of shape (n_stored,), or None
        Square roots of the rows' weights, by which they and their labels are
        multiplied; None for ones.
    """

    def __init__(
        self, double ridge, double constant, Py_ssize_t n_features, rows, factor, codes,
        roots=None,
    ):
        self.ridge, self.constant = ridge, constant
        self.may_move = True
        self.stored = StoredRows(n_features, rows)
        self.n_held = self.stored.n_rows
        self.L = self.factor = factor
        self.y = self.codes = np.require(codes, requirements="W")
        roots = np.ones(len(codes)) if roots is None else roots
        self.roots = self.root_array = np.require(roots, requirements="W")
        self.z, self.u = np.zeros(n_features), np.zeros(n_features + 1)
        self.k, self.q = np.zeros(len(codes) + 1), np.zeros(len(codes) + 1)

    @property
    def parts(self):
        """What there is to remember."""
        n = self.stored.n_rows
        factor = self.factor[: n * (n + 1) // 2]
        return Factor(self.stored.rows, factor, self.codes[:n], self.root_array[:n])

    def primal(self):
        """Return the same matrix in primal form."""
        rows = self.stored.rows
        rows = rows if isinstance(rows, np.ndarray) else rows.toarray()
        rows = np.column_stack([rows, np.full(len(rows), self.constant)])
        rows *= self.root_array[: len(rows), None]
        A = rows.T @ rows
        A.flat[:: len(A) + 1] += self.ridge
        matrix = cho_solve(cho_factor(A), np.eye(len(A)))
        matrix = np.ascontiguousarray(matrix)
        return Primal(self.ridge, self.constant, matrix, self.n_held)

    cdef void products(self, const al_rows *X, const Row *row) noexcept nogil:
        """Fill in k, the products of a row with the stored ones."""
        cdef const al_rows *S = &self.stored.reader.view
        cdef Py_ssize_t i
        X.add(X, row.index, 1.0, row.scale, &self.z[0])
        for i in range(self.stored.n_rows):
            self.k[i] = S.dot(S, i, &self.z[0]) + self.constant
        X.add(X, row.index, -1.0, row.scale, &self.z[0])  # z is 0 again

    cdef void solve(self, char *transposed, double *b) noexcept nogil:
        """Replace b by L^-1 b ("T": L is stored by rows) or by L^-T b ("N")."""
        cdef int n = self.stored.n_rows, step = 1
        if n > 0:
            dtpsv("U", transposed, "N", &n, <double *> &self.L[0], b, &step)

    cdef double leverage(
        self, const al_rows *X, const Row *row, double squares
    ) noexcept nogil:
        cdef int i, n = self.stored.n_rows, step = 1
        self.products(X, row)
        for i in range(n):
            self.q[i] = self.roots[i] * self.k[i]
        self.solve("T", &self.q[0])
        return (squares - ddot(&n, &self.q[0], &step, &self.q[0], &step)) / self.ridge

    cdef void direct(self, const al_rows *X, const Row *row) noexcept nogil:
        cdef const al_rows *S = &self.stored.reader.view
        cdef Py_ssize_t i, d = self.stored.n_features
        cdef double alpha, total = 0
        memcpy(&self.k[0], &self.q[0], self.stored.n_rows * sizeof(double))
        self.solve("N", &self.k[0])
        self.u[:] = 0
        X.add(X, row.index, 1 / self.ridge, row.scale, &self.u[0])
        for i in range(self.stored.n_rows):
            alpha = self.roots[i] * self.k[i] / self.ridge
            S.add(S, i, -alpha, 1.0, &self.u[0])
            total += alpha
        self.u[d] = self.constant * (1 / self.ridge - total)

    cdef int lay(self, const al_rows *X, const Row *row) except -1 nogil:
        with gil:
            self.make_room()
            self.stored.lay(X, row.index, row.scale)
        return 0

    cdef int make_room(self) except -1:
        """See to it that one more row can be stored."""
        n = self.stored.n_rows
        self.L = self.factor = with_room(
            self.factor, (n + 1) * (n + 2) // 2, n * (n + 1) // 2
        )
        self.y = self.codes = with_room(self.codes, n + 1, n)
        self.roots = self.root_array = with_room(self.root_array, n + 1, n)
        self.k = with_room(np.asarray(self.k), n + 2, n)
        self.q = with_room(np.asarray(self.q), n + 2, n)
        return 0

    cdef void store(
        self, Py_ssize_t label, double leverage, double weight
    ) noexcept nogil:
        cdef Py_ssize_t i, n = self.stored.n_rows
        cdef double root = sqrt(weight)
        # there was no room in the factor that came in, so this one may be written to
        cdef double *new = <double *> &self.L[0] + n * (n + 1) // 2
        for i in range(n):
            new[i] = root * self.q[i]
        new[n] = sqrt(self.ridge * (1 + weight * leverage))
        self.y[n], self.roots[n] = label, root
        self.stored.keep()
        self.n_held += 1

    cdef int drop_first(self) except -1:
        """Forget the row stored first; weights have to be computed again.

        The rest of L gains the outer product of its first column, by rotations.
        """
        cdef Py_ssize_t i, j, n = self.stored.n_rows
        cdef double *old
        cdef double *new
        cdef double x, diagonal
        cdef double *L = <double *> &self.L[0]
        for i in range(1, n):
            old, new = L + i * (i + 1) // 2, L + i * (i - 1) // 2
            x = old[0]
            for j in range(1, i):  # k, q: cosines, sines
                diagonal = old[j]
                new[j - 1] = self.k[j] * diagonal + self.q[j] * x
                x = self.k[j] * x - self.q[j] * diagonal
            diagonal = hypot(old[i], x)
            self.k[i], self.q[i] = old[i] / diagonal, x / diagonal
            new[i - 1] = diagonal
            self.y[i - 1], self.roots[i - 1] = self.y[i], self.roots[i]
        self.stored.drop_first()
        self.n_held -= 1
        return 0

    cdef void weigh(self, Py_ssize_t label, double *w, double *constant) noexcept nogil:
        """Compute the weights of a class from the stored rows and their labels."""
        cdef const al_rows *S = &self.stored.reader.view
        cdef Py_ssize_t i
        constant[0] = 0
        for i in range(self.stored.n_rows):
            self.q[i] = self.roots[i] if self.y[i] == label else -self.roots[i]
        self.solve("T", &self.q[0])
        self.solve("N", &self.q[0])
        for i in range(self.stored.n_features):
            w[i] = 0
        for i in range(self.stored.n_rows):
            self.q[i] *= self.roots[i]
            S.add(S, i, self.q[i], 1.0, w)
            constant[0] += self.constant * self.q[i]


cdef class KernelDual(Dual):
    """The same with a kernel for products; weights are those of stored rows.

    Rows are stored as they come. Who scores a row fills in its products k.

    Parameters
    ----------
    scales : ndarray of shape (n_stored,)
        What the stored rows' images are multiplied by for their norms.
    """

    def __init__(
        self, double ridge, double constant, Py_ssize_t n_features, rows, factor, codes,
        scales, roots=None,
    ):
        super().__init__(ridge, constant, n_features, rows, factor, codes, roots)
        self.scales = self.scale_array = np.require(scales, requirements="W")
        self.u = np.zeros(len(codes) + 1)

    @property
    def parts(self):
        """What there is to remember."""
        rows, factor, codes, roots = super().parts
        return Images(rows, factor, codes, self.scale_array[: len(codes)], roots)

    cdef void products(self, const al_rows *X, const Row *row) noexcept nogil:
        pass

    cdef void direct(self, const al_rows *X, const Row *row) noexcept nogil:
        cdef Py_ssize_t i, n = self.stored.n_rows
        memcpy(&self.u[0], &self.q[0], n * sizeof(double))
        self.solve("N", &self.u[0])
        for i in range(n):
            self.u[i] *= self.roots[i]
            self.u[i] /= -self.ridge
        self.u[n] = 1 / self.ridge

    cdef int make_room(self) except -1:
        Dual.make_room(self)
        n = self.stored.n_rows
        self.scales = self.scale_array = with_room(self.scale_array, n + 1, n)
        self.u = with_room(np.asarray(self.u), n + 1, n)
        return 0

    cdef int lay(self, const al_rows *X, const Row *row) except -1 nogil:
        cdef Row plain = row[0]
        plain.scale = 1.0
        Dual.lay(self, X, &plain)
        self.scales[self.stored.n_rows] = row.scale
        return 0

    cdef int drop_first(self) except -1:
        Dual.drop_first(self)
        memmove(
            &self.scales[0], &self.scales[1], self.stored.n_rows * sizeof(double)
        )
        return 0

    cdef void weigh(self, Py_ssize_t label, double *w, double *constant) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(self.stored.n_rows):
            w[i] = self.roots[i] if self.y[i] == label else -self.roots[i]
        self.solve("T", w)
        self.solve("N", w)
        for i in range(self.stored.n_rows):
            w[i] *= self.roots[i]
