"""Randomised trees, one row at a time, with the draws of the compiled ones."""

from itertools import pairwise

import numpy as np


class Draws:
    """The generator splitmix64."""

    def __init__(self, seed):
        self.state = seed

    def bits(self):
        """Return 64 random bits."""
        everything = 2**64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & everything
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & everything
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & everything
        return z ^ (z >> 31)

    def below(self, n):
        """Return a number from 0 to n - 1."""
        return self.bits() % n

    def share(self):
        """Return a number in [0, 1)."""
        return (self.bits() >> 11) / 2**53


def squares(rows, targets, weights):
    """Return the squared weighted sums of the targets of rows over their weight."""
    sums = sum(weights[i] * targets[i] for i in rows)
    return (sums**2).sum() / sum(weights[i] for i in rows)


def thresholds_of(values, is_extra, draws):
    """Return the thresholds that are tried for a column."""
    low, high = min(values), max(values)
    if not is_extra:
        ordered = sorted({*values})
        return [(a + b) / 2 for a, b in pairwise(ordered)]
    drawn = low + draws.share() * (high - low)
    return [drawn if drawn < high else low]


def grow(X, targets, weights, n_trees, max_features, min_leaf, is_extra, seed):
    """Return trees: a split is (column, threshold, left, right), a leaf its means."""
    draws, columns = Draws(seed), list(range(X.shape[1]))

    def node(rows):
        means = sum(weights[i] * targets[i] for i in rows)
        means = means / sum(weights[i] for i in rows)
        is_pure = all((targets[i] == targets[rows[0]]).all() for i in rows)
        if is_pure or len(rows) < 2 * min_leaf:
            return means
        best, found, n_tried, n_left = -np.inf, None, 0, len(columns)
        while n_tried < max_features and n_left:
            k = draws.below(n_left)
            n_left -= 1
            columns[k], columns[n_left] = columns[n_left], columns[k]
            column = columns[n_left]
            values = [X[i, column] for i in rows]
            if min(values) == max(values):
                continue
            n_tried += 1
            for threshold in thresholds_of(values, is_extra, draws):
                left = [i for i in rows if X[i, column] <= threshold]
                right = [i for i in rows if X[i, column] > threshold]
                if min(len(left), len(right)) < min_leaf:
                    continue
                gain = sum(squares(part, targets, weights) for part in (left, right))
                if gain > best + 1e-9:
                    best, found = gain, (column, threshold, left, right)
        if found is None:
            return means
        column, threshold, left, right = found
        return column, threshold, node(left), node(right)

    n, trees = len(X), []
    for _ in range(n_trees):
        rows = [i if is_extra else draws.below(n) for i in range(n)]
        trees.append(node(rows))
    return trees


def predict(trees, row):
    """Return the mean of the leaves of a row."""
    leaves = []
    for tree in trees:
        while isinstance(tree, tuple):
            column, threshold, left, right = tree
            tree = left if row[column] <= threshold else right
        leaves.append(tree)
    return np.mean(leaves, axis=0)
