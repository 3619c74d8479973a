# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""How much the labels of each class weigh, and between which scores classes change.

Both follow from sums over the labels taught, in which a label counts 1 / q, the inverse
of the probability of its purchase.
"""

from typing import NamedTuple

import numpy as np

from libc.math cimport isfinite

from ._rule_base cimport Clock

cdef double HEAVIEST = 10  # most that a label weighs in a gradient step


class ClassSums(NamedTuple):
    """What is known of the labels taught, of each class.

    A score is the one that the row had just before its label was learned: after that
    it says more of the label than of rows like it.
    """

    n_labels: object  # (n_classes,): sum of 1 / q; of 1 without class weights
    n_taught: object  # (n_classes,): labels
    shares: object  # (n_classes,): sum of the shares of the mean scores
    means: object  # (n_vectors, n_classes): mean scores
    mean_means: object  # the same with the mean of the weights


def no_labels(n_classes):
    """Return what is known of a learner that has been taught nothing."""
    n_vectors = 1 if n_classes <= 2 else n_classes
    counts, scores = np.zeros(max(n_classes, 2)), np.zeros((n_vectors, max(n_classes, 2)))
    return ClassSums(counts, counts, counts, scores, scores)  # copied before use


cdef class ClassWeights:
    """The weights of classes while a loop works on a learner.

    Parameters
    ----------
    sums : ClassSums
        Copied.
    given : array-like of float of shape (n_classes,), or None
        Weights of the user's.
    balances : bool
        Whether weights balance the classes, and scores have thresholds.
    one_class_limit : int
        Every row is bought while one class is known and fewer labels than this
        have been bought.

    Attributes
    ----------
    weighs : bool
        Whether labels do not all weigh 1.
    """

    def __init__(self, sums, given=None, bint balances=False, one_class_limit=0):
        self.balances, self.weighs = balances, balances or given is not None
        self.n_known = np.count_nonzero(sums.n_labels)
        self.one_class_limit = one_class_limit
        self.thresholds = self.mean_thresholds = np.zeros(len(sums.means))
        self.sums = sums._replace(n_labels=sums.n_labels.copy())
        if balances:
            self.sums = ClassSums(*(part.copy() for part in sums))
            _, self.n_taught, self.shares, self.means, self.mean_means = self.sums
            self.mean_thresholds = np.zeros(len(sums.means))
            self.place()
        elif given is not None:
            self.given = np.array(given, dtype=np.float64)
        self.n = self.sums.n_labels

    cdef bint searches(self, const Clock *clock) noexcept nogil:
        """Whether every row is bought, to find a second class."""
        return (
            self.weighs and self.n_known < 2
            and clock.n_queries < self.one_class_limit
        )

    cdef double weight(self, Py_ssize_t label, double probability) noexcept nogil:
        """Weight of a label that is about to be learned; it counts already."""
        cdef Py_ssize_t k, n_known = 0
        cdef double n, total = 0
        if not self.weighs:
            return 1.0
        if not self.balances:
            return self.given[label]
        for k in range(self.n.shape[0]):
            n = self.n[k] + (1 / probability if k == label else 0.0)
            n_known += n > 0
            total += n
        return total / (n_known * (self.n[label] + 1 / probability))

    cdef double step_weight(
        self, Py_ssize_t label, double probability, bint scale_free
    ) noexcept nogil:
        """What a step is multiplied by: at most 1 if its length means nothing."""
        cdef Py_ssize_t k
        cdef double n, least = 1.0 / 0.0, heaviest = 0
        if not (self.weighs and scale_free):
            return min(self.weight(label, probability), HEAVIEST)
        if not self.balances:
            for k in range(self.given.shape[0]):
                heaviest = max(heaviest, self.given[k])
            return self.given[label] / heaviest
        for k in range(self.n.shape[0]):
            n = self.n[k] + (1 / probability if k == label else 0.0)
            if n > 0:
                least = min(least, n)
        return least / (self.n[label] + 1 / probability)

    cdef void count(self, Py_ssize_t label, double probability) noexcept nogil:
        """Add a label that is about to be learned."""
        self.n_known += self.n[label] == 0
        self.n[label] += 1 / probability if self.weighs else 1.0

    cdef double share(
        self, Py_ssize_t label, double probability, int power
    ) noexcept nogil:
        """Share of the score of such a label in the mean of its class.

        It is proportional to n ** power / q for the n-th label of the class.
        """
        cdef double share = 1 / probability
        cdef int i
        self.n_taught[label] += 1
        for i in range(power):
            share *= self.n_taught[label]
        self.shares[label] += share
        return share / self.shares[label]

    cdef void place(self) noexcept nogil:
        """Place the thresholds for these means."""
        place_thresholds(self.means, self.n_taught, self.thresholds)
        place_thresholds(self.mean_means, self.n_taught, self.mean_thresholds)


cdef void average_in(double *mean, double score, double share) noexcept nogil:
    """Add a score to a mean, of which it is this share; none that overflows."""
    cdef double changed = mean[0] + share * (score - mean[0])
    if isfinite(changed):
        mean[0] = changed


cdef void place_thresholds(
    const double[:, ::1] means, const double[::1] n, double[::1] thresholds
) noexcept nogil:
    """Fill in what to subtract from the scores: half way between the classes' means.

    For two classes it is half the sum of their mean scores. For more, the scores of
    classes k and j would be as high as each other half way between the two means if
    the difference of their thresholds were that of the scores there. Thresholds come
    closest to these differences, by least squares, if each is the mean of its own.
    A class that is not known has none.
    """
    cdef Py_ssize_t k, j, n_known = 0, n_vectors = means.shape[0]
    cdef double total
    for j in range(n.shape[0]):
        n_known += n[j] > 0
    for k in range(n_vectors):
        thresholds[k] = 0
        if n_known < 2:
            continue
        if n_vectors == 1:
            thresholds[0] = (means[0, 0] + means[0, 1]) / 2
        elif n[k] > 0:
            total = 0
            for j in range(n.shape[0]):
                if n[j] > 0:
                    total += means[k, k] + means[k, j] - means[j, j] - means[j, k]
            thresholds[k] = total / (2 * n_known)


def thresholds(sums, averages):
    """Return what is subtracted from scores where they predict.

    Parameters
    ----------
    sums : ClassSums
        Over the labels taught.
    averages : bool
        Whether the mean of the weights predicts.

    Returns
    -------
    thresholds : ndarray of shape (n_vectors,)
        0 while one class is known.
    """
    means = sums.mean_means if averages else sums.means
    out = np.zeros(len(means))
    place_thresholds(means, sums.n_taught, out)
    return out
