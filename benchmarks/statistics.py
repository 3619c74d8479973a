"""Tests of differences: paired over splits, ranked over data sets.

After J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR
7, 2006.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats


def spread(values):
    """Return the mean of some values and its standard error, NaN of a single one."""
    n = len(values)
    error = np.std(values, ddof=1) / np.sqrt(n) if n > 1 else np.nan
    return np.mean(values), error


def paired_p(differences):
    """Return the p-value of Wilcoxon's signed ranks, NaN if all is equal."""
    if not np.any(differences):
        return np.nan
    return stats.wilcoxon(differences).pvalue


def paired_t_p(differences):
    """Return the p-value of Student's paired test, NaN without differences or for one.

    With ten splits, signed ranks cannot reject any of more than 25 hypotheses.
    """
    if len(differences) < 2 or not np.any(differences):
        return np.nan
    if np.ptp(differences) == 0:
        return 0.0
    return stats.ttest_1samp(differences, 0).pvalue


def half_interval(values):
    """Return half the length of the 95 % interval of a mean, NaN for one value."""
    _, error = spread(values)
    return stats.t.ppf(0.975, max(len(values) - 1, 1)) * error


def holm(p_values):
    """Return the p-values of a family, corrected by the method of Holm.

    The i-th smallest of m becomes the largest of ``(m + 1 - j) p_j``, j <= i. NaN is no
    member of the family.
    """
    p_values = np.asarray(p_values, dtype=float)
    corrected = np.full(len(p_values), np.nan)
    (tested,) = np.nonzero(~np.isnan(p_values))
    order = tested[np.argsort(p_values[tested])]
    steps = p_values[order] * np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected


def ranks(scores):
    """Return the rank of each column in each row, 1 for the highest, ties shared."""
    return stats.rankdata(-np.asarray(scores), axis=1)


def friedman_p(scores):
    """Return the p-value of "all columns rank alike", NaN for fewer than three."""
    n_sets, n_methods = np.shape(scores)
    if n_methods < 3 or n_sets < 2:
        return np.nan
    return stats.friedmanchisquare(*np.transpose(scores)).pvalue


def critical_difference(n_methods, n_sets, alpha=0.05):
    """Return by how much two mean ranks must differ (Nemenyi)."""
    q = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets))


@dataclass(frozen=True)
class Estimate:
    """A figure with its standard error over runs.

    Parameters
    ----------
    value, error : float
        The figure, and its standard error: 0 if it is exact, NaN if it is not known.
    n_runs : float
        Number of runs that count.
    parts : ndarray of shape (n_runs,) or None
        Pseudo-values of the jackknife: two figures of the same runs are paired by them.
    """

    value: float
    error: float
    n_runs: float = np.inf
    parts: np.ndarray = None

    @classmethod
    def of_runs(cls, values, statistic=np.nanmean):
        """Return a statistic of runs; NaN are runs that do not count."""
        values, n = np.asarray(values, dtype=float), len(values)
        n_counting = np.count_nonzero(~np.isnan(values))
        if n_counting < 2:
            value = statistic(values) if n_counting else np.nan
            return cls(value, np.nan, n_counting)
        whole = statistic(values)
        without = np.array([statistic(np.delete(values, k)) for k in range(n)])
        return cls.of_parts(whole, n * whole - (n - 1) * without, n_counting)

    @classmethod
    def of_parts(cls, value, parts, n_runs):
        """Return a figure with the standard error of its pseudo-values."""
        return cls(value, np.std(parts, ddof=1) / len(parts) ** 0.5, n_runs, parts)

    def combine(self, other, value, slopes):
        """Return a function of two figures, by its slopes; common runs are paired."""
        n_runs = min(self.n_runs, other.n_runs)
        if self.parts is not None and np.shape(self.parts) == np.shape(other.parts):
            moved = slopes[0] * (self.parts - self.value)
            moved += slopes[1] * (other.parts - other.value)
            return Estimate.of_parts(value, value + moved, n_runs)
        error = np.hypot(slopes[0] * self.error, slopes[1] * other.error)
        return Estimate(value, error, n_runs)

    def minus(self, other):
        """Return the difference."""
        return self.combine(other, self.value - other.value, (1, -1))

    def over(self, other):
        """Return the ratio."""
        value = self.value / other.value
        return self.combine(other, value, (1 / other.value, -value / other.value))


def plus_minus(value, error):
    """Return a figure with two digits of its standard error, "?" for the unknown."""
    if np.isnan(value):
        return "?"
    if np.isnan(error) or error <= 1e-9 * abs(value):  # exact but for rounding
        return f"{value:.3g}{' ± ?' * bool(np.isnan(error))}"
    digits = max(0, 1 - int(np.floor(np.log10(error))))
    return f"{value:,.{digits}f} ± {error:,.{digits}f}"
