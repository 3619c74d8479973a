"""A number that was estimated from labels, with its confidence interval."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Estimate:
    """An estimate and its confidence interval.

    Attributes
    ----------
    value : float
        The estimate.
    low, high : float
        Ends of the confidence interval; -inf and inf if the labels say nothing.
    n_labels : int
        How many labels it is made from.
    confidence : float
        Nominal coverage of the interval, between 0 and 1.
    """

    value: float
    low: float
    high: float
    n_labels: int
    confidence: float = 0.95

    def __str__(self) -> str:
        return (
            f"{self.value:.3g} ({100 * self.confidence:g} %: {self.low:.3g} to "
            f"{self.high:.3g}, {self.n_labels} labels)"
        )


def score_interval(center, scale, constant, linear, quadratic):
    """Return the ends of the set of x with a variance that depends on x.

    That is ``(x - center)**2 <= scale * (constant + linear * x + quadratic * x**2)``,
    the inversion of a score test: with a constant variance the usual interval, with
    ``x * (1 - x)`` Wilson's.

    Parameters
    ----------
    center : float
        The estimate.
    scale : float
        Squared quantile over the number of observations.
    constant, linear, quadratic : float
        Coefficients of the variance.

    Returns
    -------
    low, high : float
        Infinite where the set has no end; both `center` if it is empty.
    """
    a = 1 - scale * quadratic
    b = -2 * center - scale * linear
    c = center**2 - scale * constant
    if a <= 0:
        return -np.inf, np.inf
    root = np.sqrt(max(b * b - 4 * a * c, 0.0))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)
