"""The decision stump by exhaustive search, in fractions."""

from fractions import Fraction
from itertools import pairwise


def stump(X, y, weights):
    """Return feature, threshold, the two labels and the weighted error.

    Every feature and every gap between two of its values is tried, in this order;
    only a smaller error replaces what was found. It starts with no split at all.
    """
    rows = [i for i in range(len(y)) if weights[i] > 0]
    labels = sorted({y[i] for i in rows})
    total = sum(Fraction(float(weights[i])) for i in rows)

    def heaviest(side):
        sums = {label: Fraction(0) for label in labels}
        for i in side:
            sums[y[i]] += Fraction(float(weights[i]))
        label = max(labels, key=lambda label: sums[label])  # the first of equals
        return label, sums[label]

    label, right = heaviest(rows)
    best = 0, float("inf"), (label, label), right
    for feature in range(X.shape[1]):
        values = sorted({float(X[i, feature]) for i in rows})
        for low, high in pairwise(values):
            here, right_here = heaviest([i for i in rows if X[i, feature] <= low])
            there, right_there = heaviest([i for i in rows if X[i, feature] >= high])
            if right_here + right_there > best[-1]:
                threshold = low / 2 + high / 2
                best = feature, threshold, (here, there), right_here + right_there
    *split, right = best
    return *split, float((total - right) / total)
