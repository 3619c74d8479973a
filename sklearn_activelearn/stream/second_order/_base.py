"""What the second-order learners share: A^-1 in two forms, kernels, prediction."""

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics.pairwise import kernel_metrics, pairwise_kernels
from sklearn.utils.validation import check_is_fitted

from ..._base import ActiveClassifier
from ..._typing import Floats, RowsLike
from ..._validation import (
    UNLIMITED,
    check_limit,
    check_number,
    check_option,
    check_rows,
)
from .._base import (
    LinearPredictor,
    StreamLoop,
    blockwise,
    class_weights,
    prediction_thresholds,
)
from .._linear_state import Weights
from ._descent import Coefficients
from ._inverse import Factor, Images, Matrix
from ._state import KernelState, SecondOrderState

BLOCK = 64  # rows compared with each other to find k(x, x)
UNIT = ("rbf", "laplacian")  # k(x, x) = 1


class Kernel:
    """A kernel of scikit-learn with its parameters.

    Parameters
    ----------
    name : str or callable
        As for `sklearn.metrics.pairwise.pairwise_kernels`.
    params : dict
        Those of its parameters that are set.
    """

    def __init__(self, name, params):
        self.name, self.params = name, params

    @property
    def is_linear(self):
        """Whether weights of features do as well."""
        return isinstance(self.name, str) and self.name == "linear"

    def __call__(self, X, Y):
        """Return the kernel of the first row of X with each of Y."""
        return self.matrix(X, Y)[0]

    def matrix(self, X, Y):
        """Return the kernel of each row of X with each of Y."""
        params = {} if callable(self.name) else self.params
        with np.errstate(over="ignore", invalid="ignore"):
            values = pairwise_kernels(
                X, Y, metric=self.name, filter_params=True, **params
            )
        if not np.isfinite(values).all():
            raise ValueError(f"kernel {self.name} returned NaN or infinity.")
        return np.ascontiguousarray(values, dtype=np.float64)

    def squares(self, X):
        """Return k(x, x) of each row."""
        if self.name in UNIT:
            return np.ones(X.shape[0])
        # a function is called for each pair of a block
        size = 1 if callable(self.name) else BLOCK
        blocks = (X[i : i + size] for i in range(0, X.shape[0], size))
        squares = [self.matrix(rows, rows).diagonal() for rows in blocks]
        return np.concatenate([*squares, np.empty(0)])

    def norms(self, X):
        """Return the norms of the rows' images."""
        return np.sqrt(self.squares(X).clip(min=0))


def make_kernel(learner):
    """Return the kernel that a learner's parameters describe."""
    name = learner.kernel
    options = sorted(kernel_metrics().keys() - {"additive_chi2"})  # has k(x, x) = 0
    if not callable(name) and not (isinstance(name, str) and name in options):
        raise ValueError(f"kernel must be one of {options} or callable, got {name!r}.")
    params = {
        "degree": check_number(learner.degree, "degree", 0),
        "coef0": check_number(learner.coef0, "coef0", -np.inf),
    }
    if learner.gamma is not None:
        params["gamma"] = check_number(learner.gamma, "gamma", 0)
    return Kernel(name, params)


#: The dual form gives way when it holds so many numbers for each of the primal one.
#: With 784 dense features rows are stored as quickly in both at .3, and asked for r at
#: .57. Whole passes take as long with anything between: the move itself costs most.
SWITCH = 0.5

#: At each multiple of so many stored rows, `solver="auto"` goes over to coordinate
#: descent if at most such a share of their entries differs from 0.
DESCENT = 500, 0.1
NEVER = UNLIMITED, 0.0

SOLVERS = ("auto", "exact", "coordinate_descent")


class SecondOrderClassifier(StreamLoop, LinearPredictor, ActiveClassifier):
    """Regularised least squares on the rows that an update rule chooses to store.

    A subclass provides ``_make_rules()``, which checks the learner's own
    parameters and returns its query rule and its update rule; ``_a()`` is the
    ridge.
    """

    _remedy = "set normalize=True"

    _shaped_by = ("kernel", "gamma", "degree", "coef0", *StreamLoop._shaped_by)

    def __init__(
        self,
        *,
        kernel,
        gamma,
        degree,
        coef0,
        dual,
        max_stored,
        solver,
        fit_intercept,
        normalize,
        class_weight,
        one_class_limit,
        budget,
        patience,
        shuffle,
        random_state,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.dual = dual
        self.max_stored = max_stored
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.normalize = normalize
        self.class_weight = class_weight
        self.one_class_limit = one_class_limit
        self.budget = budget
        self.patience = patience
        self.shuffle = shuffle
        self.random_state = random_state

    def __setstate__(self, state):
        super().__setstate__({"solver": "exact"} | state)  # version 0.1.0 had no other

    @property
    def coef_(self) -> Floats:
        """Weights of the features, for rows of unit norm if `normalize`."""
        return self._linear_weights().coef

    @property
    def intercept_(self) -> Floats:
        """Weights of the constant feature."""
        return self._linear_weights().intercept - prediction_thresholds(self, False)

    @property
    def is_dual_(self) -> bool:
        """Whether it is in dual form now."""
        if not hasattr(self, "_inverse"):
            raise AttributeError("is_dual_: the learner has not seen a row yet.")
        return self._inverse.is_dual

    @blockwise
    def decision_function(self, X: RowsLike) -> Floats:
        check_is_fitted(self)
        if not self._inverse.has_kernel:
            return super().decision_function(X)
        self._check_form()
        X = check_rows(self, X, reset=False, finite=True).astype(np.float64)
        if issparse(X) and max(X.nnz, X.shape[1]) <= np.iinfo(np.int32).max:
            # some kernels take no longer indices
            X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        kernel, rows = make_kernel(self), self._inverse.rows
        scores = np.zeros((X.shape[0], len(self._weights.coef)))
        if rows.shape[0]:
            K = kernel.matrix(X, rows) * self._inverse.scales
            if self.normalize:
                norms = kernel.norms(X)[:, None]
                K = np.divide(K, norms, out=np.zeros_like(K), where=norms > 0)
            scores = (K + self.fit_intercept) @ self._weights.coef.T
        scores -= prediction_thresholds(self, False)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _linear_weights(self):
        check_is_fitted(self)
        if self._inverse.has_kernel:
            raise AttributeError("a learner with a kernel has no weights of features.")
        return self._weights

    def _a(self):
        return 1.0

    def _check_parameters(self):
        super()._check_parameters()
        self._a()
        is_linear = make_kernel(self).is_linear
        check_limit(self.max_stored, "max_stored", low=1)
        if not isinstance(self.dual, bool | np.bool_ | str):
            raise TypeError(f"dual must be 'auto', True or False, got {self.dual!r}.")
        if isinstance(self.dual, str) and self.dual != "auto":
            raise ValueError(f"dual must be 'auto', True or False, got {self.dual!r}.")
        if not self.dual:
            if not is_linear:
                raise ValueError(
                    f"dual=False is not possible with kernel={self.kernel!r}."
                )
            if self.max_stored is not None:
                raise ValueError("dual=False has no stored rows for max_stored to cap.")
        check_option(self.solver, "solver", SOLVERS)
        if self.solver == "coordinate_descent" and not self._may_descend():
            raise ValueError(
                "solver='coordinate_descent' needs kernel='linear', no max_stored, and "
                "dual='auto' or True."
            )

    def _check_rows(self, X, *y, reset, min_rows=1, finite=False):
        # a kernel would not say which row is not finite
        finite = finite or not make_kernel(self).is_linear
        return super()._check_rows(X, *y, reset=reset, min_rows=min_rows, finite=finite)

    def _reset(self):
        nothing = np.empty(0)
        dual = np.empty((0, self.n_features_in_)), nothing, nothing.astype(np.int64)
        if not make_kernel(self).is_linear:
            self._inverse = Images(*dual, scales=nothing)
        elif self.dual:
            self._inverse = Factor(*dual)
        else:
            matrix = np.eye(self.n_features_in_ + 1) / self._row_ridge()
            self._inverse = Matrix(matrix, n_held=0)
        super()._reset()

    def _may_descend(self):
        return self.dual and self.max_stored is None and make_kernel(self).is_linear

    def _descent(self):
        """Return when to go over to coordinate descent, as the state takes it."""
        if self.solver == "coordinate_descent":
            return 1, 1.0
        if self.solver == "auto" and self.dual == "auto" and self._may_descend():
            return DESCENT
        return NEVER

    def _row_ridge(self):
        """Return the ridge for rows that are not divided by the square root of 2."""
        return self._a() * (2 if self.normalize and self.fit_intercept else 1)

    def _zero_weights(self, n_vectors):
        n_weights = 0 if self._inverse.has_kernel else self.n_features_in_
        coef, intercept = np.zeros((n_vectors, n_weights)), np.zeros(n_vectors)
        return Weights(coef, intercept, np.empty((n_vectors, 0)), intercept)

    def _working_state(self):
        parts, descent = self._inverse, self._descent()
        wants_rows = {
            "max_stored": self.max_stored is not None,
            "dual": self.dual not in ("auto", False),
            "solver": self.solver == "coordinate_descent",
        }
        for name in wants_rows:
            if wants_rows[name] and not parts.is_dual:
                raise ValueError(
                    f"{name}={getattr(self, name)} comes too late: the learner holds a "
                    "matrix by now, and no rows. Call fit to start over."
                )
        if isinstance(parts, Coefficients) and descent == NEVER:
            raise ValueError(
                "This solver, dual or max_stored comes too late: the learner is under "
                "coordinate descent by now. Call fit to start over."
            )
        primal_from = UNLIMITED
        if not (any(wants_rows.values()) or parts.has_kernel):
            share = SWITCH if self.dual else 0
            primal_from = int(share * (self.n_features_in_ + 1) ** 2)
        state = (
            self._weights,
            self._memory,
            self._counts,
            self._tallied,
            class_weights(self),
            self._coin_seed,
            self.normalize,
            self.fit_intercept,
            False,
            parts.at_work(
                self._row_ridge(), float(self.fit_intercept), self.n_features_in_
            ),
            primal_from,
            check_limit(self.max_stored, "max_stored", low=1),
            descent,
        )
        if parts.has_kernel:
            return KernelState(*state, make_kernel(self))
        return SecondOrderState(*state)

    def _commit(self, state):
        super()._commit(state)
        self._inverse = state.inverse.parts
