# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""Ridge regression on the stored rows by coordinate descent in the dual.

The weights are w = sum of alpha_i z_i over the stored rows z_i of weight s_i and
target y_i. They minimise a |w|^2 + sum of s_i (y_i - w.z_i)^2 if, for each i,
a alpha_i = s_i (y_i - w.z_i). A step solves one of these equations for its alpha_i:

    alpha_i += (s_i (y_i - w.z_i) - a alpha_i) / (a + s_i |z_i|^2)

(Hsieh et al., ICML 2008; Shalev-Shwartz & Zhang, JMLR 14, 2013). It takes two
passes over the row's entries. When a row is stored, there is a step for it, and then
one for each of N_STEPS stored rows drawn at random. The coefficient of a new row is
0 until then, as `with_room` leaves it.

z'A^-1 z is estimated from the diagonal of A.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from libc.stdint cimport int64_t

from ..._rows cimport al_rows
from .._linear_state cimport Row
from .._uniform cimport uniform
from ._inverse cimport Dual, Inverse
from ._stored_rows cimport StoredRows
from ._stored_rows import with_room

cdef Py_ssize_t N_STEPS = 128  # half as many leave a higher error after thousands of labels


class Coefficients(NamedTuple):
    """What is remembered of the stored rows under coordinate descent."""

    rows: object
    alphas: object
    codes: object
    weights: object
    diagonal: object

    is_dual = True
    has_kernel = False

    def at_work(self, ridge, constant, n_features):
        """Return the inverse to work on."""
        return CoordinateDescent(ridge, constant, n_features, *self)


cdef class CoordinateDescent(Inverse):
    """The stored rows, their dual coefficients and the diagonal of A.

    Parameters
    ----------
    ridge, constant : float
        Of A.
    n_features : int
        Of rows.
    rows : ndarray or CSR array of shape (n_stored, n_features)
        Rows stored so far, scaled.
    alphas : ndarray of shape (n_stored, n_vectors)
        Coefficients of the rows, for each weight vector.
    codes : ndarray of int64 of shape (n_stored,)
        Class codes.
    weights : ndarray of shape (n_stored,)
        What the rows weigh.
    diagonal : ndarray of shape (n_features + 1,)
        Of A; copied before it changes.
    """

    def __init__(
        self, double ridge, double constant, Py_ssize_t n_features, rows, alphas,
        codes, weights, diagonal,
    ):
        self.ridge, self.constant, self.n_vectors = ridge, constant, alphas.shape[1]
        self.descends = True
        self.stored = StoredRows(n_features, rows)
        self.n_held = self.stored.n_rows
        self.alphas, self.diagonal, self.owned = alphas.ravel(), diagonal, False
        self.y = self.codes = np.require(codes, requirements="W")
        self.weights = self.weight_array = np.require(weights, requirements="W")
        self.D = np.require(diagonal, requirements="W")
        self.values = np.empty(n_features)
        self.columns = np.empty(n_features, np.int64)

    @property
    def parts(self):
        """What there is to remember."""
        n = self.stored.n_rows
        alphas = self.alphas[: n * self.n_vectors].reshape(n, self.n_vectors)
        return Coefficients(
            self.stored.rows, alphas, self.codes[:n], self.weight_array[:n],
            self.diagonal,
        )

    cdef double leverage(
        self, const al_rows *X, const Row *row, double squares
    ) noexcept nogil:
        """Estimate of z' A^-1 z, were A its diagonal."""
        cdef Py_ssize_t j
        cdef double total = self.constant * self.constant / self.D[self.D.shape[0] - 1]
        self.direct(X, row)
        for j in range(self.n_listed):
            total += self.values[j] * self.values[j] / self.D[self.columns[j]]
        return total

    cdef void direct(self, const al_rows *X, const Row *row) noexcept nogil:
        """List the entries of a row."""
        self.n_listed = X.list(
            X, row.index, row.scale, &self.values[0], &self.columns[0]
        )

    cdef int lay(self, const al_rows *X, const Row *row) except -1 nogil:
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
            self.stored.lay(X, row.index, row.scale)
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
        """Move the weights towards the optimum; begin with the row stored last."""
        cdef Py_ssize_t s, n = self.stored.n_rows
        self.step(n - 1, W, c)
        for s in range(N_STEPS):
            self.step(<Py_ssize_t> (n * uniform(0, n * N_STEPS + s)), W, c)

    cdef void step(
        self, Py_ssize_t i, double[:, ::1] W, double[::1] c
    ) noexcept nogil:
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


def share_of_nonzeros(Dual dual):
    """Return which share of the stored rows' entries is not 0."""
    rows = dual.stored.rows
    n = rows.nnz if issparse(rows) else np.count_nonzero(rows)
    return n / max(1, rows.shape[0] * rows.shape[1])


def coordinate_descent_from(Dual dual, n_vectors):
    """Return the same stored rows with their dual coefficients."""
    cdef Py_ssize_t k, n = dual.stored.n_rows
    cdef double[::1] w = np.empty(dual.stored.n_features)
    cdef double constant
    parts = dual.parts
    rows, weights = parts.rows, parts.roots**2
    alphas = np.empty((n, n_vectors))
    for k in range(n_vectors):
        dual.weigh(1 if n_vectors == 1 else k, &w[0], &constant)
        alphas[:, k] = np.asarray(dual.q)[:n]
    squares = rows.power(2) if issparse(rows) else rows**2
    diagonal = np.append(squares.T @ weights, dual.constant**2 * weights.sum())
    return CoordinateDescent(
        dual.ridge, dual.constant, dual.stored.n_features, rows, alphas, parts.codes,
        weights, dual.ridge + diagonal,
    )
