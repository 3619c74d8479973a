"""The decision stump by exhaustive search, in fractions."""

from fractions import Fraction
from itertools import pairwise


def stump(X, y, weights, criterion="error"):
    """Return feature, threshold, the two labels and the weighted error (or impurity).

    Every feature and every gap between two of its values is tried, in this order;
    only a better one replaces what was found. It starts with no split at all.
    """
    rows = [i for i in range(len(y)) if weights[i] > 0]
    labels = sorted({y[i] for i in rows})
    total = sum(Fraction(float(weights[i])) for i in rows)

    def worth(side):
        sums = {label: Fraction(0) for label in labels}
        for i in side:
            sums[y[i]] += Fraction(float(weights[i]))
        label = max(labels, key=lambda label: sums[label])  # the first of equals
        if criterion == "gini":
            return label, sum(w**2 for w in sums.values()) / sum(sums.values())
        return label, sums[label]

    label, right = worth(rows)
    best = 0, float("inf"), (label, label), right
    for feature in range(X.shape[1]):
        values = sorted({float(X[i, feature]) for i in rows})
        for low, high in pairwise(values):
            here, worth_here = worth([i for i in rows if X[i, feature] <= low])
            there, worth_there = worth([i for i in rows if X[i, feature] >= high])
            if worth_here + worth_there > best[-1]:
                threshold = low / 2 + high / 2
                best = feature, threshold, (here, there), worth_here + worth_there
    *split, right = best
    return *split, float((total - right) / total)
