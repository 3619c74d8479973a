"""Kernels of rows, as scikit-learn names and calls them."""

import numpy as np
from sklearn.metrics.pairwise import kernel_metrics, pairwise_kernels

from ..._validation import check_number

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
