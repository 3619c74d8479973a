# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""The state of a second-order learner while a loop works on it.

The weights are A^-1 v, where v is the sum of y z over the stored rows z = [scaled row,
constant] and A = ridge I + sum of z z'. The constant is 1 or, without an intercept, 0.
`Inverse` represents A^-1 in one of several forms:

- `Primal` is the matrix itself;
- `Dual` is the stored rows S and the Cholesky factor L of ridge I + S S'. It grows with
  the stored rows, and needs only products of rows, which a kernel can replace
  (`KernelDual`);
- `CoordinateDescent` is the stored rows and their dual coefficients.

Rows [x / |x|, 1] / sqrt(2) with a ridge a are equivalent to rows [x / |x|, 1] with a
ridge 2 a, which is the form used here.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array, issparse

from libc.math cimport fabs, hypot, sqrt
from libc.stdint cimport INT32_MAX, int64_t
from libc.string cimport memcpy, memmove
from scipy.linalg.cython_blas cimport ddot, dsymv, dsyr, dtpsv

from ...kernels._rows cimport Rows, al_rows
from .._rules cimport QueryRule, UpdateRule
from .._state cimport C_DONE, C_OVERFLOW, LinearState, Row, uniform

cdef double LARGEST_RATIO = 1e10  # x'x / a: beyond it rounding decides
cdef double ROUNDING = 1e-12  # rounding error of a margin of 0, relative to x'x / a
cdef double TRANSIENT = 2  # a wish: the row is stored, whatever its margin
cdef Py_ssize_t N_STEPS = 128  # half as many leave a higher error after thousands of labels

NOTHING, NO_CODES = np.empty(0), np.empty(0, dtype=np.int64)


def with_room(array, n, n_used):
    """Return an array for n numbers: this one, or a longer copy of the used part."""
    if n <= len(array):
        return array
    longer = np.zeros(n + n // 2, dtype=array.dtype)
    longer[:n_used] = array[:n_used]
    return longer


cdef class StoredRows:
    """Rows with room for more, dense or CSR like the first of them.

    A row is stored in two steps: `write` may fail, and leaves the rows as they are;
    `keep` cannot. Another row can be written over one that is not kept.

    Parameters
    ----------
    n_features : int
        Number of columns.
    rows : ndarray or CSR array of float64, default=None
        Rows to start with; they are copied when they change.
    """

    cdef readonly Py_ssize_t n_rows, n_features, n_entries, n_written
    cdef readonly bint sparse
    cdef object values, columns, starts
    cdef Rows reader

    def __cinit__(self, Py_ssize_t n_features, rows=None):
        self.n_features = n_features
        self.values = np.empty(0)
        self.columns, self.starts = np.empty(0, np.int32), np.zeros(1, np.int32)
        if rows is not None and rows.shape[0]:
            self.n_rows = rows.shape[0]
            self.sparse = issparse(rows)
            if self.sparse:
                self.values, self.columns = rows.data, rows.indices
                self.starts = rows.indptr
            else:
                self.values = rows.ravel()
            self.n_entries = len(self.values)
        self.reader = Rows(self.with_free_rows(self.values, self.columns, self.starts))

    def with_free_rows(self, values, columns, starts):
        """Return the rows in these arrays, those not used yet included."""
        if not self.sparse:
            whole = len(values) // self.n_features
            return values[: whole * self.n_features].reshape(whole, self.n_features)
        out = csr_array((len(starts) - 1, self.n_features))
        out.data, out.indices, out.indptr = values, columns, starts  # no copies
        return out

    @property
    def rows(self):
        """The rows, without a copy."""
        n = self.n_entries
        return self.with_free_rows(
            self.values[:n], self.columns[:n], self.starts[: self.n_rows + 1]
        )

    cdef int write(self, const Row *row, double scale) except -1:
        """Write a row times its scale after the others, where it does not count yet."""
        cdef const al_rows *X = row.X
        cdef double[::1] into
        cdef int64_t[::1] into_columns
        cdef Py_ssize_t m, first = self.n_entries
        if self.n_rows == 0:
            self.sparse = X.indices != NULL
        m = X.list(X, row.index, scale, NULL, NULL) if self.sparse else self.n_features
        # one more than needed, so that there is an address if nothing is written
        values = with_room(self.values, first + m + 1, first)
        columns, starts = self.columns, self.starts
        into = values[first:]
        if self.sparse:
            found = into_columns = np.empty(m + 1, np.int64)
            X.list(X, row.index, scale, &into[0], &into_columns[0])
            # some kernels need short indices, so they are short where possible
            longest = max(len(values), self.n_features)
            kind = np.int32 if longest <= INT32_MAX else np.int64
            columns = with_room(columns.astype(kind, copy=False), len(values), first)
            starts = with_room(
                starts.astype(kind, copy=False), self.n_rows + 2, self.n_rows + 1
            )
            columns[first : first + m] = found[:m]
            starts[self.n_rows + 1] = first + m
        else:
            into[:m] = 0
            X.add(X, row.index, 1.0, scale, &into[0])
        if values is not self.values or starts is not self.starts:
            self.reader = Rows(self.with_free_rows(values, columns, starts))
            self.values, self.columns, self.starts = values, columns, starts
        self.n_written = m
        return 0

    cdef void keep(self) noexcept nogil:
        """Count the row written last."""
        self.n_entries += self.n_written
        self.n_rows += 1

    cdef int drop_first(self) except -1:
        """Forget the row stored first; the others move."""
        cdef Py_ssize_t m = self.starts[1] if self.sparse else self.n_features
        self.values[: self.n_entries - m] = self.values[m : self.n_entries]
        if self.sparse:
            self.columns[: self.n_entries - m] = self.columns[m : self.n_entries]
            self.starts[: self.n_rows] = self.starts[1 : self.n_rows + 1] - m
        self.n_entries -= m
        self.n_rows -= 1
        return 0

    def share_of_nonzeros(self):
        """Return the share of entries that differ from 0."""
        rows = self.rows
        n = rows.nnz if issparse(rows) else np.count_nonzero(rows)
        return n / max(1, rows.shape[0] * rows.shape[1])


cdef class Inverse:
    """A^-1, and the products that a row needs of it.

    To store a row call `write`, `leverage`, `direct` and `store`, in this order. After
    `direct`, ``u`` is A^-1 z in the coordinates of the learner's weights. Only `write`
    may fail; the matrix is then unchanged.

    Attributes
    ----------
    is_dual : bool
        It holds the stored rows.
    has_kernel : bool
        Each weight belongs to a stored row, not to a feature.
    may_move, descends : bool
        It can be replaced by another form; it is a `CoordinateDescent`.
    n_held : int
        Rows stored and not forgotten.
    """

    cdef readonly double ridge, constant
    cdef readonly bint is_dual, has_kernel
    cdef bint may_move, descends
    cdef readonly Py_ssize_t n_held
    cdef double[::1] u

    def copy(self):
        """Return a copy that shares arrays; they are copied before they change."""
        kind, parts = self.__reduce__()
        return kind(*parts)

    cdef double leverage(self, const Row *row, double squares) noexcept nogil:
        """z' A^-1 z of a row, given z' z."""
        return 0.0

    cdef void direct(self, const Row *row) noexcept nogil:
        """Compute u for the row of the last `leverage`."""

    cdef int write(self, const Row *row) except -1 nogil:
        """Prepare to store this row; it need not be stored."""
        return 0

    cdef void store(
        self, Py_ssize_t label, double leverage, double weight
    ) noexcept nogil:
        """Add z z' times the weight to A, for the row of `write` and `direct`."""


cdef class Primal(Inverse):
    """The matrix A^-1, with as many rows as a learner has weights.

    Parameters
    ----------
    ridge, constant : float
        Numbers that define A.
    matrix : ndarray of shape (n_features + 1, n_features + 1)
        A^-1; copied before it changes. Only the lower triangle is kept up to date.
    n_held : int, default=0
        Rows in it.
    """

    cdef readonly object matrix
    cdef const double[:, ::1] M
    cdef double[::1] z
    cdef bint owned

    def __init__(self, double ridge, double constant, matrix, n_held=0):
        self.ridge, self.constant, self.n_held = ridge, constant, n_held
        self.M = self.matrix = np.require(matrix, np.float64, "CA")
        self.u, self.z = np.zeros(len(matrix)), np.zeros(len(matrix))

    def __reduce__(self):
        return Primal, (self.ridge, self.constant, self.matrix, self.n_held)

    cdef double leverage(self, const Row *row, double squares) noexcept nogil:
        cdef int n = self.M.shape[0], step = 1
        cdef double one = 1, zero = 0
        self.z[:] = 0
        row.X.add(row.X, row.index, 1.0, row.scale, &self.z[0])
        self.z[n - 1] = self.constant
        dsymv("U", &n, &one, <double *> &self.M[0, 0], &n, &self.z[0], &step, &zero,
              &self.u[0], &step)
        return ddot(&n, &self.z[0], &step, &self.u[0], &step)

    cdef int write(self, const Row *row) except -1 nogil:
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
        # copied by `write`, so that it may change
        dsyr("U", &n, &factor, &self.u[0], &step, <double *> &self.M[0, 0], &n)
        self.n_held += 1


cdef class Dual(Inverse):
    """The stored rows and the Cholesky factor of their products.

    Parameters
    ----------
    ridge, constant : float
        Numbers that define A.
    n_features : int
        Number of features of a row.
    rows : ndarray or CSR array of shape (n_stored, n_features), default=None
        Rows stored so far, scaled.
    factor : ndarray of shape (n_stored * (n_stored + 1) / 2,)
        Rows of L up to the diagonal, one after the other.
    codes : ndarray of int64 of shape (n_stored,)
        Class codes.
    roots : ndarray of shape (n_stored,)
        Square roots of the rows' weights, the factors of rows and labels.
    """

    cdef readonly StoredRows stored
    cdef readonly object factor, codes, root_array
    cdef const double[::1] L
    cdef double[::1] k, q, z, roots
    cdef int64_t[::1] y

    def __init__(
        self, double ridge, double constant, Py_ssize_t n_features, rows=None,
        factor=NOTHING, codes=NO_CODES, roots=NOTHING,
    ):
        self.ridge, self.constant = ridge, constant
        self.is_dual = self.may_move = True
        self.stored = StoredRows(n_features, rows)
        self.n_held = self.stored.n_rows
        self.L = self.factor = factor
        self.y = self.codes = np.require(codes, requirements="W")
        self.roots = self.root_array = np.require(roots, requirements="W")
        self.z, self.u = np.zeros(n_features), np.zeros(n_features + 1)
        self.k, self.q = np.zeros(len(codes) + 1), np.zeros(len(codes) + 1)

    def __reduce__(self):
        n = self.stored.n_rows
        return type(self), (
            self.ridge, self.constant, self.stored.n_features, self.stored.rows,
            self.factor[: n * (n + 1) // 2], self.codes[:n], self.root_array[:n],
        )

    def primal(self):
        """Return the same matrix in primal form."""
        rows = self.stored.rows
        rows = rows.toarray() if issparse(rows) else rows
        rows = np.column_stack([rows, np.full(len(rows), self.constant)])
        rows *= self.root_array[: len(rows), None]
        A = rows.T @ rows
        A.flat[:: len(A) + 1] += self.ridge
        matrix = cho_solve(cho_factor(A), np.eye(len(A)))
        return Primal(
            self.ridge, self.constant, np.ascontiguousarray(matrix), self.n_held
        )

    def descent(self, n_vectors):
        """Return the stored rows with the dual coefficients of `n_vectors` weights."""
        cdef Py_ssize_t k, n = self.stored.n_rows
        cdef double[::1] w = np.empty(self.stored.n_features)
        cdef double constant
        rows, weights = self.stored.rows, self.root_array[:n] ** 2
        alphas = np.empty((n, n_vectors))
        for k in range(n_vectors):
            self.weigh(1 if n_vectors == 1 else k, &w[0], &constant)
            alphas[:, k] = np.asarray(self.q)[:n]
        squares = rows.power(2) if issparse(rows) else rows**2
        diagonal = np.append(squares.T @ weights, self.constant**2 * weights.sum())
        return CoordinateDescent(
            self.ridge, self.constant, self.stored.n_features, rows, alphas,
            self.codes[:n], weights, self.ridge + diagonal,
        )

    cdef void products(self, const Row *row) noexcept nogil:
        """Compute k, the products of a row and the stored rows."""
        cdef const al_rows *S = &self.stored.reader.view
        cdef Py_ssize_t i
        row.X.add(row.X, row.index, 1.0, row.scale, &self.z[0])
        for i in range(self.stored.n_rows):
            self.k[i] = S.dot(S, i, &self.z[0]) + self.constant
        row.X.add(row.X, row.index, -1.0, row.scale, &self.z[0])  # z is 0 again

    cdef void solve(self, char *transposed, double *b) noexcept nogil:
        """Replace b by L^-1 b ("T": L is stored by rows) or by L^-T b ("N")."""
        cdef int n = self.stored.n_rows, step = 1
        if n > 0:
            dtpsv("U", transposed, "N", &n, <double *> &self.L[0], b, &step)

    cdef double leverage(self, const Row *row, double squares) noexcept nogil:
        cdef int i, n = self.stored.n_rows, step = 1
        self.products(row)
        for i in range(n):
            self.q[i] = self.roots[i] * self.k[i]
        self.solve("T", &self.q[0])
        return (squares - ddot(&n, &self.q[0], &step, &self.q[0], &step)) / self.ridge

    cdef void direct(self, const Row *row) noexcept nogil:
        cdef const al_rows *S = &self.stored.reader.view
        cdef Py_ssize_t i, d = self.stored.n_features
        cdef double alpha, total = 0
        memcpy(&self.k[0], &self.q[0], self.stored.n_rows * sizeof(double))
        self.solve("N", &self.k[0])
        self.u[:] = 0
        row.X.add(row.X, row.index, 1 / self.ridge, row.scale, &self.u[0])
        for i in range(self.stored.n_rows):
            alpha = self.roots[i] * self.k[i] / self.ridge
            S.add(S, i, -alpha, 1.0, &self.u[0])
            total += alpha
        self.u[d] = self.constant * (1 / self.ridge - total)

    cdef int write(self, const Row *row) except -1 nogil:
        with gil:
            self.make_room()
            self.stored.write(row, row.scale)
        return 0

    cdef int make_room(self) except -1:
        """Make room for one more row."""
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
        # the factor had no room at first, so that this one is a copy and may change
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
    """A `Dual` with a kernel for products, and a weight for each stored row.

    Rows are stored unscaled. The caller fills in the products k of a row.

    Parameters
    ----------
    ridge, constant, n_features, rows, factor, codes, roots
        Parameters of `Dual`.
    scales : ndarray of shape (n_stored,)
        Factors that give the images of the stored rows their norms.
    """

    cdef readonly object scale_array
    cdef double[::1] scales

    def __init__(
        self, double ridge, double constant, Py_ssize_t n_features, rows=None,
        factor=NOTHING, codes=NO_CODES, roots=NOTHING, scales=NOTHING,
    ):
        super().__init__(ridge, constant, n_features, rows, factor, codes, roots)
        self.has_kernel, self.may_move = True, False
        self.scales = self.scale_array = np.require(scales, requirements="W")
        self.u = np.zeros(len(codes) + 1)

    def __reduce__(self):
        kind, parts = super().__reduce__()
        return kind, (*parts, self.scale_array[: self.stored.n_rows])

    cdef void products(self, const Row *row) noexcept nogil:
        pass

    cdef void direct(self, const Row *row) noexcept nogil:
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

    cdef int write(self, const Row *row) except -1 nogil:
        cdef Row plain = row[0]
        plain.scale = 1.0
        Dual.write(self, &plain)
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


cdef class CoordinateDescent(Inverse):
    """Stored rows with their dual coefficients, and the diagonal of A.

    The weights w = sum of alpha_i z_i over the stored rows z_i, of weight s_i and target
    y_i, minimise a |w|^2 + sum of s_i (y_i - w.z_i)^2 if a alpha_i = s_i (y_i - w.z_i)
    for each i. A step solves one of these equations for its alpha_i [1]_, [2]_::

        alpha_i += (s_i (y_i - w.z_i) - a alpha_i) / (a + s_i |z_i|^2)

    It takes two passes over the entries of the row. A stored row gets one step, followed
    by N_STEPS steps on stored rows drawn at random. Its coefficient is 0 until then, as
    `with_room` leaves it. z'A^-1 z is estimated from the diagonal of A.

    Parameters
    ----------
    ridge, constant : float
        Numbers that define A.
    n_features : int
        Number of features of a row.
    rows : ndarray or CSR array of shape (n_stored, n_features)
        Rows stored so far, scaled.
    alphas : ndarray of shape (n_stored, n_vectors)
        Coefficients of the rows, for each weight vector.
    codes : ndarray of int64 of shape (n_stored,)
        Class codes.
    weights : ndarray of shape (n_stored,)
        Weights of the rows.
    diagonal : ndarray of shape (n_features + 1,)
        Diagonal of A; copied before it changes.

    References
    ----------
    .. [1] C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan, "A Dual
       Coordinate Descent Method for Large-scale Linear SVM", ICML 2008.
    .. [2] S. Shalev-Shwartz, T. Zhang, "Stochastic Dual Coordinate Ascent Methods for
       Regularized Loss Minimization", JMLR 14, 2013.
    """

    cdef readonly StoredRows stored
    cdef Py_ssize_t n_vectors, n_listed
    cdef bint owned
    cdef readonly object alphas, codes, weight_array, diagonal
    cdef double[::1] alpha, weights, D, values
    cdef int64_t[::1] y, columns

    def __init__(
        self, double ridge, double constant, Py_ssize_t n_features, rows, alphas,
        codes, weights, diagonal,
    ):
        self.ridge, self.constant, self.n_vectors = ridge, constant, alphas.shape[1]
        self.is_dual = self.descends = True
        self.stored = StoredRows(n_features, rows)
        self.n_held = self.stored.n_rows
        self.alphas, self.diagonal = alphas.ravel(), diagonal
        self.y = self.codes = np.require(codes, requirements="W")
        self.weights = self.weight_array = np.require(weights, requirements="W")
        self.D = np.require(diagonal, requirements="W")
        self.values = np.empty(n_features)
        self.columns = np.empty(n_features, np.int64)

    def __reduce__(self):
        n = self.stored.n_rows
        alphas = self.alphas[: n * self.n_vectors].reshape(n, self.n_vectors)
        return CoordinateDescent, (
            self.ridge, self.constant, self.stored.n_features, self.stored.rows, alphas,
            self.codes[:n], self.weight_array[:n], self.diagonal,
        )

    cdef double leverage(self, const Row *row, double squares) noexcept nogil:
        cdef Py_ssize_t j
        cdef double total = self.constant * self.constant / self.D[self.D.shape[0] - 1]
        self.direct(row)
        for j in range(self.n_listed):
            total += self.values[j] * self.values[j] / self.D[self.columns[j]]
        return total

    cdef void direct(self, const Row *row) noexcept nogil:
        """List the entries of a row."""
        self.n_listed = row.X.list(row.X, row.index, row.scale, &self.values[0], &self.columns[0]
        )

    cdef int write(self, const Row *row) except -1 nogil:
        with gil:
            n, n_alphas = self.stored.n_rows, self.stored.n_rows * self.n_vectors
            if not self.owned:
                self.D = self.diagonal = self.diagonal.copy()
                self.owned = True
            self.alpha = self.alphas = with_room(
                self.alphas, n_alphas + self.n_vectors, n_alphas
            )
            self.y = self.codes = with_room(self.codes, n + 1, n)
            self.weights = self.weight_array = with_room(self.weight_array, n + 1, n)
            self.stored.write(row, row.scale)
        return 0

    cdef void store(
        self, Py_ssize_t label, double leverage, double weight
    ) noexcept nogil:
        cdef Py_ssize_t j, n = self.stored.n_rows
        for j in range(self.n_listed):
            self.D[self.columns[j]] += weight * self.values[j] * self.values[j]
        self.D[self.D.shape[0] - 1] += weight * self.constant * self.constant
        self.y[n], self.weights[n] = label, weight
        self.stored.keep()
        self.n_held += 1

    cdef void descend(self, double[:, ::1] W, double[::1] c) noexcept nogil:
        """Move the weights towards the optimum; start with the row stored last."""
        cdef Py_ssize_t s, n = self.stored.n_rows
        self.step(n - 1, W, c)
        for s in range(N_STEPS):
            self.step(<Py_ssize_t> (n * uniform(0, n * N_STEPS + s)), W, c)

    cdef void step(self, Py_ssize_t i, double[:, ::1] W, double[::1] c) noexcept nogil:
        """Solve the equation of one stored row, for each weight vector."""
        cdef const al_rows *S = &self.stored.reader.view
        cdef Py_ssize_t k
        cdef double target, squares, change
        cdef double *alpha
        for k in range(self.n_vectors):
            alpha = &self.alpha[i * self.n_vectors + k]
            target = 1 if self.y[i] == (1 if self.n_vectors == 1 else k) else -1
            change = target - S.dots(S, i, &W[k, 0], &squares) - self.constant * c[k]
            squares += self.constant * self.constant
            change = self.weights[i] * change - self.ridge * alpha[0]
            change /= self.ridge + self.weights[i] * squares
            alpha[0] += change
            S.add(S, i, change, 1.0, &W[k, 0])
            c[k] += self.constant * change


cdef class SecondOrderState(LinearState):
    """A `LinearState` whose weights are least squares, with A^-1.

    The margin that query rules see is divided by 1 + r, r = x' A^-1 x, as if the row
    were stored without its label. r lies in [0, x'x / a], which often decides: r itself
    is computed only if the rule answers differently at the two ends and the coin lies
    between the answers, or if the answers do not fall with the margin.

    Parameters
    ----------
    learned, classes, rules, seed, normalize, fit_intercept
        Parameters of `LinearState`; details of `learned` are an `Inverse`. Nothing is
        averaged.
    primal_from : int
        Numbers in the dual form from which on the primal form is used.
    max_stored : int
        Largest number of rows to hold in dual form.
    descend_every, descend_share : int, float
        The dual form is replaced by coordinate descent at a multiple of `descend_every`
        stored rows, if at most this share of their entries differs from 0.
    """

    cdef Inverse inverse, next_inverse
    cdef Py_ssize_t primal_from, max_stored, descend_every
    cdef double descend_share
    cdef double r, wish

    def __init__(
        self, learned, classes, rules, seed, normalize, fit_intercept, primal_from,
        max_stored, descend_every, descend_share,
    ):
        super().__init__(learned, classes, rules, seed, normalize, fit_intercept, False)
        self.measures = True
        self.inverse = learned.details.copy()
        self.clock.n_held = self.inverse.n_held
        self.primal_from, self.max_stored = primal_from, max_stored
        self.descend_every, self.descend_share = descend_every, descend_share
        self.wish = -1

    cdef object current_details(self):
        return self.inverse

    cdef double score_row(self, Row *row, bint measure) except? -1.0 nogil:
        self.r = -1
        return self.rounded(LinearState.score_row(self, row, measure), row)

    cdef double rounded(self, double margin, const Row *row) noexcept nogil:
        """A margin, or 0 if it is 0 up to rounding, as for rows that contradict."""
        cdef double slack = ROUNDING * min(self.ratio(row), LARGEST_RATIO)
        return 0.0 if fabs(margin) <= slack else margin

    cdef double ratio(self, const Row *row) noexcept nogil:
        """x'x / a, the upper bound of r."""
        return row.squared_norm / self.shrink / self.inverse.ridge

    cdef double leverage(self, Row *row) noexcept nogil:
        """r of the row scored last."""
        if self.r < 0:
            self.r = self.inverse.leverage(row, row.squared_norm / self.shrink)
            self.r = min(max(self.r, 0.0), self.ratio(row))
        return self.r

    cdef double probability(
        self, Row *row, double margin, double norm, double coin
    ) except? -1.0 nogil:
        cdef double size = self.query_rule.cy_weigh(margin), most = 1 + self.ratio(row), q, least
        cdef bint undecided = not self.query_rule.falls
        if self.query_rule.falls:
            q = self.query_rule.cy_probability(size / most, norm, &self.clock, &self.m[0])
            least = self.query_rule.cy_probability(size, norm, &self.clock, &self.m[0])
            undecided = coin < q != least and (coin >= least or self.reports)
        if undecided:
            size /= 1 + self.leverage(row)
            q = self.query_rule.cy_probability(size, norm, &self.clock, &self.m[0])
        self.least = least if self.query_rule.falls else q
        if not self.query_rule.delays:
            return q
        cdef bint starting = self.query_rule.cy_starting(&self.clock, &self.m[0])
        # while the transient lasts, no margin counts as small
        self.wish = 0 if starting else q
        if starting and self.query_rule.judges:
            self.wish = TRANSIENT
        if starting:
            return 1.0
        return max(q, self.m[0]) if self.query_rule.judges else self.m[0]

    cdef int observe(self, double margin, double norm) except -1 nogil:
        LinearState.observe(self, margin, norm)
        if self.wish < 0:
            return 0
        if self.query_rule.judges:
            if self.m[0] > 0 or self.wish == TRANSIENT:
                self.m[2] += 1
                self.m[3] = self.wish == 1
            self.m[0] = 0
        else:
            self.m[0] = self.wish
        self.wish = -1
        return 0

    cdef int prepare(self, Row *row, bint later) except? -1 nogil:
        if not self.ratio(row) < LARGEST_RATIO:
            return C_OVERFLOW
        if later:
            return C_DONE
        self.inverse.write(row)
        if self.inverse.may_move:
            with gil:
                self.choose_form(row)
        return C_DONE

    cdef int choose_form(self, const Row *row) except -1:
        """Prepare another form if it is due when the row just written is stored."""
        cdef Dual dual = self.inverse
        cdef Py_ssize_t n = dual.stored.n_rows + 1
        cdef Py_ssize_t n_entries = dual.stored.n_entries + dual.stored.n_written
        if n * (n + 1) // 2 + n_entries >= self.primal_from:
            self.next_inverse = dual.primal()
        elif n % self.descend_every == 0 and (
            dual.stored.share_of_nonzeros() <= self.descend_share
        ):
            self.next_inverse = dual.descent(self.W.shape[0])
            self.next_inverse.write(row)
        return 0

    cdef int learn(
        self, Row *row, Py_ssize_t label, double probability, bint asked
    ) except? -1 nogil:
        cdef Py_ssize_t rival
        if self.next_inverse is not None:
            with gil:
                self.inverse, self.next_inverse = self.next_inverse, None
            self.r = -1
        cdef double z = self.rounded(self.signed_margin(label, &rival), row)
        cdef bint stored = 0 != self.update_rule.cy_step(
            z, row.squared_norm, probability, &self.clock
        )
        cdef double weight = self.classes.weight(label, probability / row.weight)
        cdef bint is_wrong = stored
        weight *= row.weight
        if asked and self.query_rule.judges:
            stored = self.m[2] > 0
            # a tie predicts the first of the classes
            is_wrong = z < 0 or z == 0 and label > (rival if self.W.shape[0] > 1 else 0)
        if asked:
            self.query_rule.cy_learned(is_wrong, &self.clock, &self.m[0])
        self.count(row, label, probability / row.weight, 0)
        if stored:
            self.leverage(row)
            self.inverse.direct(row)
            self.inverse.store(label, self.r, weight)
            self.shift(label, weight)
            self.clock.n_updates += 1
            self.clock.n_held = self.inverse.n_held
        self.clock.n_taught += 1
        return C_DONE

    cdef int shift(self, Py_ssize_t label, double weight) except -1 nogil:
        """Move the weights for a row that has just been stored; forget others."""
        cdef Py_ssize_t k, n_vectors = self.W.shape[0]
        if self.inverse.descends:
            (<CoordinateDescent> self.inverse).descend(self.W, self.c)
        elif self.inverse.n_held > self.max_stored:
            with gil:
                while self.inverse.n_held > self.max_stored:
                    (<Dual> self.inverse).drop_first()
            for k in range(n_vectors):
                (<Dual> self.inverse).weigh(
                    1 if n_vectors == 1 else k, &self.W[k, 0], &self.c[k]
                )
        else:
            self.add_direction(label, weight)
        return 0

    cdef void add_direction(self, Py_ssize_t label, double weight) noexcept nogil:
        """Move the weights along A^-1 z by their errors."""
        cdef Py_ssize_t j, k, positive, n = self.W.shape[1]
        cdef double target, step
        for k in range(self.W.shape[0]):
            positive = 1 if self.W.shape[0] == 1 else k
            target = 1 if label == positive else -1
            step = weight * (target - self.scores[k]) / (1 + weight * self.r)
            for j in range(n):
                self.W[k, j] += step * self.inverse.u[j]
            if not self.inverse.has_kernel:
                self.c[k] += step * self.inverse.u[n]


cdef class KernelState(SecondOrderState):
    """A `SecondOrderState` with a kernel, and a weight for each stored row.

    Parameters
    ----------
    *parameters
        Parameters of `SecondOrderState`.
    kernel : Kernel
        Compares rows.
    """

    cdef object kernel
    cdef double[:, ::1] next_W
    cdef object next_weights

    def __init__(self, *parameters, kernel):
        super().__init__(*parameters)
        self.kernel = kernel

    cdef double score_row(self, Row *row, bint measure) except? -1.0 nogil:
        self.r = -1
        with gil:
            self.compare(row)
        return self.rounded(self.margin(), row)

    cdef int compare(self, Row *row) except -1:
        """Compute scale, norm, products and scores of a row."""
        cdef KernelDual dual = self.inverse
        cdef StoredRows one = StoredRows(dual.stored.n_features)
        cdef Py_ssize_t i, k, n = dual.stored.n_rows
        cdef double[::1] products
        cdef double square
        one.write(row, 1.0)
        one.keep()
        square = self.kernel.squares(one.rows)[0]
        if square < 0:
            raise ValueError(f"kernel(x, x) is {square} for a row, must not be negative.")
        row.scale = 1.0
        if self.normalize:
            row.scale = 1 / square ** 0.5 if square > 0 else 0.0
            square = square > 0
        row.squared_norm = self.shrink * (square + dual.constant)
        self.scores[:] = 0
        if n == 0:
            return 0
        products = self.kernel.matrix(one.rows, dual.stored.rows)[0]
        for i in range(n):
            dual.k[i] = products[i] * dual.scales[i] * row.scale + dual.constant
        for k in range(self.W.shape[0]):
            for i in range(n):
                self.scores[k] += self.W[k, i] * dual.k[i]
        return 0

    cdef int prepare(self, Row *row, bint later) except? -1 nogil:
        cdef int reason = SecondOrderState.prepare(self, row, later)
        if reason == C_DONE and not later:
            with gil:
                self.lengthen()
        return reason

    cdef int lengthen(self) except -1:
        """Prepare weights for one row more, as far as rows may be held."""
        cdef Py_ssize_t n = self.W.shape[1], n_next = min(n + 1, self.max_stored)
        W = np.zeros((self.W.shape[0], n_next))
        W[:, : min(n, n_next)] = self.weights.coef[:, :n_next]
        self.next_W, self.next_weights = W, self.weights._replace(coef=W)
        return 0

    cdef int shift(self, Py_ssize_t label, double weight) except -1 nogil:
        with gil:
            self.W, self.weights = self.next_W, self.next_weights
        return SecondOrderState.shift(self, label, weight)
