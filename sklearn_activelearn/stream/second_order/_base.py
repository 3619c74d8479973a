"""Base of the second-order learners: least squares on stored rows, and kernels."""

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics.pairwise import kernel_metrics, pairwise_kernels
from sklearn.utils.validation import check_is_fitted

from ...base._linear import blockwise
from ...base._parameters import UNLIMITED, check_limit, check_number, check_option
from ...base._validation import check_can_predict, check_rows
from ...utils.typing import Floats, RowsLike
from .._base import StreamLoop
from .._learned import Weights
from ._state import Dual, KernelDual, KernelState, Primal, SecondOrderState

BLOCK = 64  # rows compared with each other to find k(x, x)
UNIT = ("rbf", "laplacian")  # kernels with k(x, x) = 1

#: The primal form takes over when the dual form holds this number of values for each of
#: its own. With 784 dense features rows are stored as quickly in both at .3, and r is
#: computed as quickly at .57. Whole passes take the same time with any value in
#: between: the change itself costs most.
SWITCH = 0.5

#: At each multiple of this number of stored rows, `solver="auto"` changes to coordinate
#: descent if at most this share of their entries differs from 0.
DESCENT = 500, 0.1

SOLVERS = ("auto", "primal", "dual", "coordinate_descent")


class Kernel:
    """A kernel of scikit-learn or a callable, with its parameter.

    Parameters
    ----------
    kernel : str or callable
        Name as for `sklearn.metrics.pairwise.pairwise_kernels`, or
        ``kernel(X, Z) -> ndarray of shape (n_rows_X, n_rows_Z)``.
    gamma : float or None
        Parameter of the named kernels that have one.
    """

    def __init__(self, kernel, gamma):
        options = sorted(kernel_metrics().keys() - {"additive_chi2"})  # has k(x, x) = 0
        if not callable(kernel) and not (isinstance(kernel, str) and kernel in options):
            raise ValueError(
                f"kernel must be one of {options} or callable, got {kernel!r}."
            )
        if gamma is not None:
            check_number(gamma, "gamma", 0)
        self.kernel, self.gamma = kernel, gamma

    def matrix(self, X, Z):
        """Return the kernel of each row of X with each row of Z."""
        with np.errstate(over="ignore", invalid="ignore"):
            if callable(self.kernel):
                values = np.asarray(self.kernel(X, Z), dtype=np.float64)
            else:
                params = {} if self.gamma is None else {"gamma": self.gamma}
                values = pairwise_kernels(
                    X, Z, metric=self.kernel, filter_params=True, **params
                )
        if values.shape != (X.shape[0], Z.shape[0]):
            raise ValueError(
                f"kernel must return an array of shape {(X.shape[0], Z.shape[0])} for "
                f"rows X and Z, got shape {values.shape}."
            )
        if not np.isfinite(values).all():
            raise ValueError(f"kernel {self.kernel} returned NaN or infinity.")
        return np.ascontiguousarray(values, dtype=np.float64)

    def squares(self, X):
        """Return k(x, x) of each row."""
        if self.kernel in UNIT:
            return np.ones(X.shape[0])
        blocks = (X[i : i + BLOCK] for i in range(0, X.shape[0], BLOCK))
        squares = [self.matrix(rows, rows).diagonal() for rows in blocks]
        return np.concatenate([*squares, np.empty(0)])


class SecondOrderClassifier(StreamLoop):
    """Regularised least squares on the rows that an update rule chooses to store.

    A subclass provides ``_make_rules()``, which checks the learner's own parameters and
    returns its query rule and its update rule, and ``_a()``, which returns the ridge.
    """

    _remedy = "set normalize=True"

    _shaped_by = ("kernel", "gamma", "solver", "max_stored", *StreamLoop._shaped_by)

    @property
    def coef_(self) -> Floats:
        """Weights of the features, for rows of unit norm if `normalize`."""
        return self._linear_weights().coef

    @property
    def intercept_(self) -> Floats:
        """Weights of the constant feature."""
        return self._linear_weights().intercept - self._thresholds(False)

    @property
    def is_dual_(self) -> bool:
        """True if the learner holds the stored rows, and not a matrix."""
        if not hasattr(self, "_learned"):
            raise AttributeError("is_dual_: the learner has not seen a row yet.")
        return self._learned.details.is_dual

    @blockwise
    def decision_function(self, X: RowsLike) -> Floats:
        check_can_predict(self)
        dual = self._learned.details
        if not dual.has_kernel:
            return super().decision_function(X)
        self._check_form()
        X = check_rows(self, X, reset=False, finite=True).astype(np.float64)
        if issparse(X) and max(X.nnz, X.shape[1]) <= np.iinfo(np.int32).max:
            # some kernels need short indices
            X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        kernel, n = Kernel(self.kernel, self.gamma), dual.n_held
        scores = np.zeros((X.shape[0], len(self._learned.weights.coef)))
        if n:
            K = kernel.matrix(X, dual.stored.rows) * dual.scale_array[:n]
            if self.normalize:
                norms = np.sqrt(kernel.squares(X).clip(min=0))[:, None]
                K = np.divide(K, norms, out=np.zeros_like(K), where=norms > 0)
            scores = (K + self.fit_intercept) @ self._learned.weights.coef.T
        scores -= self._thresholds(False)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _linear_weights(self):
        check_is_fitted(self)
        if self._learned.details.has_kernel:
            raise AttributeError("a learner with a kernel has no weights of features.")
        return self._learned.weights

    def _a(self):
        return 1.0

    @property
    def _is_linear(self):
        return isinstance(self.kernel, str) and self.kernel == "linear"

    def _check_parameters(self):
        super()._check_parameters()
        self._a()
        Kernel(self.kernel, self.gamma)
        check_limit(self.max_stored, "max_stored", low=1)
        check_option(self.solver, "solver", SOLVERS)
        if self.solver in ("primal", "coordinate_descent"):
            if not self._is_linear:
                raise ValueError(
                    f"solver={self.solver!r} needs kernel='linear', got "
                    f"kernel={self.kernel!r}. Set solver='auto'."
                )
            if self.max_stored is not None:
                raise ValueError(
                    f"solver={self.solver!r} cannot forget rows, got "
                    f"max_stored={self.max_stored}. Set max_stored=None or "
                    "solver='auto'."
                )

    def _check_rows(self, X, *y, reset, min_rows=1, finite=False):
        # the error of a kernel would not name the row
        finite = finite or not self._is_linear
        return super()._check_rows(X, *y, reset=reset, min_rows=min_rows, finite=finite)

    def _zero_weights(self, n_vectors):
        n_weights = self.n_features_in_ if self._is_linear else 0
        coef, intercept = np.zeros((n_vectors, n_weights)), np.zeros(n_vectors)
        return Weights(coef, intercept, np.empty((n_vectors, 0)), intercept)

    def _reset(self):
        super()._reset()
        d, constant = self.n_features_in_, float(self.fit_intercept)
        # for rows that are not divided by the square root of 2
        ridge = self._a() * (2 if self.normalize and self.fit_intercept else 1)
        if not self._is_linear:
            inverse = KernelDual(ridge, constant, d)
        elif self.solver == "primal":
            inverse = Primal(ridge, constant, np.eye(d + 1) / ridge)
        else:
            inverse = Dual(ridge, constant, d)
        self._learned = self._learned._replace(details=inverse)

    def _make_state(self, learned, classes, rules):
        primal_from, descent = UNLIMITED, (UNLIMITED, 0.0)
        if self.solver == "coordinate_descent":
            descent = 1, 1.0
        elif self.solver == "auto" and self._is_linear and self.max_stored is None:
            primal_from = int(SWITCH * (self.n_features_in_ + 1) ** 2)
            descent = DESCENT
        parameters = (
            learned,
            classes,
            rules,
            self._coin_seed,
            self.normalize,
            self.fit_intercept,
            primal_from,
            check_limit(self.max_stored, "max_stored", low=1),
            *descent,
        )
        if self._is_linear:
            return SecondOrderState(*parameters)
        return KernelState(*parameters, kernel=Kernel(self.kernel, self.gamma))
