"""Class weights in one pass, slow and obvious: everything is computed from a list.

Each class has a full weight vector. Nothing is shared with the package.
"""

import numpy as np


class ClassWeights:
    """What the labels of each class weigh, and where predictions change.

    Parameters
    ----------
    n_classes : int
        Classes there are.
    given : list of float, or "balanced"
        Weights by class.
    one_class_limit : int
        Labels bought, at most, while one class is known.
    """

    def __init__(self, n_classes, given="balanced", one_class_limit=np.inf):
        self.n_classes, self.given = n_classes, given
        self.one_class_limit = one_class_limit
        self.labels = []  # class, 1 / q, scores before it was learned, of both kinds

    def searches(self, n_bought):
        """While one class is known every row is bought, up to the limit."""
        known = {each[0] for each in self.labels}
        return len(known) < 2 and n_bought < self.one_class_limit

    def counts(self):
        """n_k: the sum of 1 / q over the labels of class k."""
        n = np.zeros(self.n_classes)
        for c, weight, _, _ in self.labels:
            n[c] += weight
        return n

    def add(self, c, q, scores, mean_scores):
        """Count a label that is about to be learned."""
        self.labels.append((c, 1 / q, np.array(scores), np.array(mean_scores)))

    def weight(self, c):
        """sum_j n_j / (K n_c) over the classes known, or what was given."""
        if self.given != "balanced":
            return self.given[c]
        n = self.counts()
        return n.sum() / (np.count_nonzero(n) * n[c])

    def of_mistake(self, c):
        """The same, divided by the largest weight."""
        if self.given != "balanced":
            return self.given[c] / max(self.given)
        n = self.counts()
        return n[n > 0].min() / n[c]

    def of_gradient(self, c):
        """The same, at most 10."""
        return min(self.weight(c), 10.0)

    def thresholds(self, power, averages=False):
        """What is subtracted from scores: n ** power / q weighs the n-th of a class."""
        out = np.zeros(self.n_classes)
        if self.given != "balanced":
            return out
        means = {}
        for c in range(self.n_classes):
            own = [each for each in self.labels if each[0] == c]
            if own:
                shares = [each[1] * n**power for n, each in enumerate(own, 1)]
                scores = [each[3 if averages else 2] for each in own]
                means[c] = np.average(scores, axis=0, weights=shares)
        if len(means) < 2:
            return out
        for k in means:
            for j in means:
                halfway = (means[k] + means[j]) / 2
                out[k] += (halfway[k] - halfway[j]) / len(means)
        return out
