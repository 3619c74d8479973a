"""Tests of differences: paired over splits, ranked over data sets.

After J. Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR
7, 2006.
"""

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
