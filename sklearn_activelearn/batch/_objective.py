"""What `BatchMarginLossClassifier` minimises, for any number of classes."""

import numpy as np
from scipy.special import logsumexp, softmax

from .._rows import Rows
from ..stream._pass import scores

#: Entries of X that are worked on together, few enough to stay in the cache.
BLOCK = 2**17

#: How far the maximum over rivals is rounded; a margin counts as large from 1 on.
TEMPERATURE = 0.1


class Objective:
    """Mean loss and penalty as a function of the flat parameters, with gradient.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows.
    codes : ndarray of int of shape (n_samples,)
        Their classes.
    n_classes : int
        Number of classes; two share one weight vector.
    loss, alpha, fit_intercept
        As for `BatchMarginLossClassifier`; `loss` is a `MarginLoss`.
    """

    def __init__(self, X, codes, n_classes, loss, alpha, fit_intercept):
        self.X = X
        self.codes = codes
        self.n_classes = n_classes
        self.loss = loss
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.n_vectors = 1 if n_classes == 2 else n_classes
        self.n_weights = self.n_vectors * X.shape[1]
        self.n_parameters = self.n_weights + fit_intercept * self.n_vectors

    def with_loss(self, loss):
        """Return the same objective with another loss."""
        return Objective(
            self.X, self.codes, self.n_classes, loss, self.alpha, self.fit_intercept
        )

    def split(self, point):
        """Return weights and intercepts."""
        coef = point[: self.n_weights].reshape(self.n_vectors, -1)
        if self.fit_intercept:
            return coef, point[self.n_weights :]
        return coef, np.zeros(self.n_vectors)

    def join(self, coef, intercept):
        """Return weights and intercepts as flat parameters."""
        return np.concatenate([coef.ravel(), intercept])[: self.n_parameters]

    def random_point(self, rng):
        """Return weights in a random direction, of size 1 for the median row."""
        coef = rng.standard_normal((self.n_vectors, self.X.shape[1]))
        intercept = np.zeros(self.n_vectors)
        sizes = np.abs(scores(Rows(self.X), coef, intercept, False))
        return self.join(coef / (np.median(sizes) or 1.0), intercept)

    def __call__(self, point):
        """Return the objective and its gradient."""
        coef, intercept = self.split(point)
        n_rows = self.X.shape[0]
        total = 0.0
        coef_slope, intercept_slope = np.zeros_like(coef.T), np.zeros(self.n_vectors)
        size = max(1, BLOCK * n_rows // max(1, self.X.size))
        for start in range(0, n_rows, size):
            rows = slice(start, start + size)
            X = self.X[rows].astype(np.float64, copy=False)
            z, z_slope = margins(X @ coef.T + intercept, self.codes[rows])
            total += self.loss.value(z).sum()
            score_slope = self.loss.derivative(z)[:, None] * z_slope
            coef_slope += X.T @ score_slope
            intercept_slope += score_slope.sum(axis=0)
        value = total / n_rows + self.alpha / 2 * np.sum(coef**2)
        slope = self.join(
            coef_slope.T / n_rows + self.alpha * coef, intercept_slope / n_rows
        )
        return value, slope


def margins(scores, codes):
    """Return z of each row and its derivatives by the row's scores.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, 1) or (n_samples, n_classes)
        One column for two classes.
    codes : ndarray of int of shape (n_samples,)
        The rows' classes.

    Returns
    -------
    z : ndarray of shape (n_samples,)
    slope : ndarray of the shape of `scores`
    """
    if scores.shape[1] == 1:
        sign = 2.0 * codes[:, None] - 1.0
        return (sign * scores)[:, 0], sign
    own = np.arange(len(codes)), codes
    rivals = scores / TEMPERATURE
    rivals[own] = -np.inf
    z = (scores[own] - TEMPERATURE * logsumexp(rivals, axis=1)) / 2
    slope = -softmax(rivals, axis=1) / 2
    slope[own] = 0.5
    return z, slope
