"""Bounds on the recall, term by term, in whole numbers where that can be."""

from fractions import Fraction
from itertools import combinations
from math import comb


def least_bad_total(found, recall):
    """Return the smallest total of which so many are less than the target."""
    recall = Fraction(str(recall))
    total = found
    while Fraction(found) >= recall * total:
        total += 1
    return total


def cdf(count, n_rows, n_relevant, n_drawn):
    """Return the probability of so many relevant rows or fewer in a sample."""
    ways = sum(
        comb(n_relevant, k) * comb(n_rows - n_relevant, n_drawn - k)
        for k in range(min(count, n_drawn) + 1)
    )
    return Fraction(ways, comb(n_rows, n_drawn))


def counted_cdf(count, n_rows, n_relevant, n_drawn):
    """Return the same by listing all samples."""
    samples = list(combinations(range(n_rows), n_drawn))
    few = [s for s in samples if sum(row < n_relevant for row in s) <= count]
    return Fraction(len(few), len(samples))


def hypergeometric_p(relevant, n_rows, recall):
    """Return the smallest p-value over all rows from which on it is at random."""
    n_read, found = len(relevant), sum(relevant)
    values = [Fraction(1)]
    for j in range(n_read):
        before = sum(relevant[:j])
        missed = least_bad_total(found, recall) - before
        if missed > n_rows - j:
            values.append(Fraction(0))
        else:
            values.append(cdf(found - before, n_rows - j, missed, n_read - j))
    return float(min(values))


def most_by_sample(n_rows, n_drawn, n_relevant, alpha):
    """Return the largest number that is not rejected."""
    most = n_rows - n_drawn + n_relevant
    totals = range(n_relevant, most + 1)
    return max(k for k in totals if cdf(n_relevant, n_rows, k, n_drawn) > alpha)


def rank_in_sample(n_relevant, recall, alpha):
    """Return the smallest j with P(Bin <= j - 1) >= 1 - alpha."""
    recall, alpha = Fraction(str(recall)), Fraction(str(alpha))
    at_most = Fraction(0)
    for j in range(1, n_relevant + 1):
        k = j - 1
        at_most += comb(n_relevant, k) * recall**k * (1 - recall) ** (n_relevant - k)
        if at_most >= 1 - alpha:
            return j
    return None


def likelihood(relevant, drawn, n_rows, total, n_read):
    """Return the probability of what was drawn, with so many relevant rows in all."""
    product, found = Fraction(1), 0
    for i in range(n_read):
        if drawn[i]:
            left, remaining = n_rows - i, total - found
            if remaining < 0 or remaining > left:
                return Fraction(0)
            product *= Fraction(remaining if relevant[i] else left - remaining, left)
        found += relevant[i]
    return product


def odds(relevant, drawn, n_rows, total, recall):
    """Return a ratio of likelihoods.

    That of all rows being relevant that were found to miss the recall, by that of
    `total` rows.
    """
    found = max(f for f in range(total) if least_bad_total(f, recall) <= total)
    own, null = (
        likelihood(relevant, drawn, n_rows, n, len(relevant)) for n in (found, total)
    )
    return float(own / null) if null else float("inf")


def odds_from(relevant, drawn, n_rows, total, stakes_from):
    """Return the largest sum of mixtures of ratios, each from some random row on.

    `stakes_from(start)`: pairs of a number of relevant rows among the unread and its
    weight, of the mixture that begins with this random row.
    """
    at = [i for i, is_drawn in enumerate(drawn) if is_drawn]
    starts = [(0, 0.5)]
    k = 1
    while 2 ** (k - 1) < len(at):
        starts.append((2 ** (k - 1), 0.5 / (k * (k + 1))))
        k += 1
    largest = 1.0
    for n_read in range(1, len(relevant) + 1):
        value = 1 - sum(share for _, share in starts)
        for start, share in starts:
            late = [i in at[start:] for i in range(n_read)]
            if True not in late:
                value += share
                continue
            found = sum(relevant[: at[start]])
            null = likelihood(relevant, late, n_rows, total, n_read)
            if total <= found:
                value += share
                continue
            all_late = [i in at[start:] for i in range(len(drawn))]
            if likelihood(relevant, all_late, n_rows, total, len(relevant)) == 0:
                return float("inf")
            mixture = sum(
                weight * float(likelihood(relevant, late, n_rows, found + d, n_read))
                for d, weight in stakes_from(start)
                if found + d < total
            )
            value += share * mixture / float(null)
        largest = max(largest, value)
    return largest
