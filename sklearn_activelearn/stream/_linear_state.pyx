# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""What the loop works on: weights, counts and rule memory of a linear learner."""

from typing import NamedTuple

import numpy as np

from libc.float cimport DBL_MAX
from libc.math cimport fabs, sqrt
from libc.stdint cimport uint64_t

from .._rows cimport al_rows
from ._class_weights cimport ClassWeights, average_in
from ._rule_base cimport Clock, QueryRule, UpdateRule
from ._tally cimport Tally

cdef double LARGEST_WEIGHT = 1e280


class Weights(NamedTuple):
    """Weights of every class, and what their mean over the labels taught lags behind."""

    coef: object  # (n_vectors, n_features)
    intercept: object  # (n_vectors,)
    coef_drift: object
    intercept_drift: object


class Counts(NamedTuple):
    """What a learner counts."""

    n_seen: int = 0  # rows decided
    n_queries: int = 0  # labels bought
    n_taught: int = 0  # labels learned, bought or not
    n_updates: int = 0  # labels that changed the weights
    n_idle: int = 0  # rows since the last purchase
    n_alike: int = 0  # rows in a row for which one class was predicted
    last_guess: int = -1  # that class


cdef inline double norm_of(
    const al_rows *X, Py_ssize_t i, double squares
) noexcept nogil:
    """Euclidean norm of a row from its sum of squares.

    A sum outside the comfortable range is taken again relative to the largest
    value. A norm whose inverse is not finite (below 6e-309) counts as zero.
    """
    cdef double largest, norm
    if 1e-280 < squares < 1e280 or squares != squares:
        return sqrt(squares)
    largest = X.largest(X, i)
    if largest == 0 or largest > DBL_MAX:
        return largest
    norm = largest * sqrt(X.squares(X, i, largest))
    return min(norm, DBL_MAX) if norm * DBL_MAX > 1 else 0.0


cdef class LinearState:
    """Weights, counts and rule memory of a learner while a loop works on them.

    One weight vector for two classes (the score of the second), K for K > 2.
    With `normalize` and `fit_intercept` a row is [x / |x|, 1] / sqrt(2) and
    the weights are kept divided by sqrt(2), which leaves no root anywhere:
    scores are coef.x / |x| + intercept and a step moves the weights by half
    its length.

    The mean of the weights after each label taught, w_1 .. w_T, needs no sum
    over labels: a change made by label m is in all but the first m - 1 of them,
    so the mean is w_T - drift / T, drift the sum of (m - 1) times the changes.

    Parameters
    ----------
    weights : Weights
        Copied.
    memory : array-like of float
        What the query rule remembers; copied.
    counts : Counts
        Where the clock stands.
    tallied : Tallied
        What is known of its error on the stream; copied.
    classes : ClassWeights
        What the labels of each class weigh; worked on in place.
    seed : int
        Seed of the uniform numbers, one per row seen.
    normalize, fit_intercept, average : bool
        As for the learners.

    Attributes
    ----------
    measures : bool
        Rows have to be scored together with their norms.
    reports : bool
        The probability of a purchase is reported, or weighs it.
    guess : int
        Class that is predicted for the row scored last.
    least : float
        A bound of the probability of buying the label of the row scored last: the
        error is estimated from labels that were bought with a coin below it.
    """

    def __init__(
        self, weights, memory, counts, tallied, ClassWeights classes, seed,
        bint normalize, bint fit_intercept, bint average,
    ):
        self.weights = Weights(
            *(np.array(part, dtype=np.float64, order="C") for part in weights)
        )
        self.W, self.c, self.W_drift, self.c_drift = self.weights
        self.memory = np.array(memory, dtype=np.float64)
        self.m = self.memory if len(self.memory) else np.zeros(1)
        self.m_before = np.empty(len(self.m))
        self.scores, self.mean_scores = np.zeros(len(self.c)), np.zeros(len(self.c))
        (self.clock.n_seen, self.clock.n_queries, self.clock.n_taught,
         self.clock.n_updates, self.clock.n_idle, self.n_alike, self.last_guess) = counts
        self.tally, self.classes = Tally(tallied), classes
        self.balances = classes.balances
        self.seed = seed
        self.normalize, self.fit_intercept = normalize, fit_intercept
        self.average = average
        self.shrink = 0.5 if normalize and fit_intercept else 1.0
        self.reach = max(np.abs(part).max(initial=0) for part in self.weights[:2])

    @property
    def counts(self):
        """Where the clock stands."""
        # as the class does, in half of the time: `learn` wants them for each label
        return tuple.__new__(Counts, (
            self.clock.n_seen, self.clock.n_queries, self.clock.n_taught,
            self.clock.n_updates, self.clock.n_idle, self.n_alike, self.last_guess,
        ))

    @property
    def tallied(self):
        """What is known of its error on the stream."""
        return self.tally.tallied

    cdef double score_row(
        self, const al_rows *X, Row *row, bint measure
    ) except? -1.0 nogil:
        """Fill in the scores of a row and return its margin.

        That is |score| for one weight vector, half the gap between the two
        highest scores for more; not finite if any score is not. With `measure`,
        which `normalize` implies, also fill in the row's squared norm.
        """
        cdef Py_ssize_t k
        cdef double norm, squares = self.multiply(X, row, measure)
        row.squared_norm = squares + self.fit_intercept if measure else -1.0
        row.scale = 1.0
        if self.normalize:
            norm = norm_of(X, row.index, squares)
            row.scale = 1 / norm if norm > 0 else 0.0
            row.squared_norm = self.shrink * ((norm > 0) + self.fit_intercept)
        for k in range(self.W.shape[0]):
            self.scores[k] = self.scores[k] * row.scale + self.c[k]
        return self.margin()

    cdef double multiply(
        self, const al_rows *X, const Row *row, bint measure
    ) noexcept nogil:
        """Put the products of a row with the weights in `scores`.

        Returns the sum of its squares, if it is to be measured.
        """
        cdef Py_ssize_t k, n_features = self.W.shape[1], n_vectors = self.W.shape[0]
        cdef Py_ssize_t n_done = 0
        cdef double squares = 0
        if self.ahead != NULL:
            for k in range(n_vectors):
                self.scores[k] = self.ahead[row.slot * self.ahead_stride + k]
            return self.ahead_squares[row.slot]
        if measure:
            self.scores[0] = X.dots(X, row.index, &self.W[0, 0], &squares)
            n_done = 1
        while n_done + 4 <= n_vectors:
            X.dot4(X, row.index, &self.W[n_done, 0], n_features, &self.scores[n_done])
            n_done += 4
        for k in range(n_done, n_vectors):
            self.scores[k] = X.dot(X, row.index, &self.W[k, 0])
        return squares

    cdef double margin(self) noexcept nogil:
        """Margin of the row whose scores are filled in; fills in its `guess`."""
        cdef Py_ssize_t k
        cdef double s = self.scores[0], first = s, second = -1.0 / 0.0, check = 0
        if self.scores.shape[0] == 1:
            self.guess = s > 0
            if self.balances:
                self.guess = s > self.classes.thresholds[0]
            return fabs(s)
        self.guess = 0
        for k in range(1, self.scores.shape[0]):
            s = self.scores[k]
            check += s - s
            if s > first:
                first, second, self.guess = s, first, k
            elif s > second:
                second = s
        if self.balances:
            self.guess = self.highest(self.scores, self.classes.thresholds)
        return (first - second) / 2 + check

    cdef Py_ssize_t highest(
        self, const double[::1] scores, const double[::1] thresholds
    ) noexcept nogil:
        """Class whose score is highest above its threshold."""
        cdef Py_ssize_t k, best = 0
        if scores.shape[0] == 1:
            return scores[0] > thresholds[0]
        for k in range(1, scores.shape[0]):
            if scores[k] - thresholds[k] > scores[best] - thresholds[best]:
                best = k
        return best

    cdef void score_by_mean(self, const al_rows *X, const Row *row) noexcept nogil:
        """Fill in the scores of the row that was scored last with the mean weights."""
        cdef Py_ssize_t k
        cdef double lag
        for k in range(self.W.shape[0]):
            self.mean_scores[k] = self.scores[k]
            if self.average and self.clock.n_taught > 0:
                lag = X.dot(X, row.index, &self.W_drift[k, 0]) * row.scale
                self.mean_scores[k] -= (lag + self.c_drift[k]) / self.clock.n_taught

    cdef Py_ssize_t prediction(
        self, const al_rows *X, const Row *row, Py_ssize_t n_alike, Py_ssize_t last_guess
    ) noexcept nogil:
        """Class that the row that was scored last is predicted to be of.

        Where the mean of the weights predicts, a row has to be read again for that.
        So it is done for one row in ALIKE, and for those that the last weights take
        for another class; others are taken to be of the same class as before.
        """
        if not self.average:
            return self.guess
        if self.guess == last_guess and n_alike % ALIKE:
            return last_guess
        self.score_by_mean(X, row)
        return self.highest(self.mean_scores, self.classes.mean_thresholds)

    cdef double signed_margin(self, Py_ssize_t label, Py_ssize_t *rival) noexcept nogil:
        """Margin of the label against its strongest rival, which is filled in."""
        cdef Py_ssize_t k
        rival[0] = -1
        if self.scores.shape[0] == 1:
            return (2 * label - 1) * self.scores[0]
        for k in range(self.scores.shape[0]):
            if k != label and (
                rival[0] < 0 or self.scores[k] > self.scores[rival[0]]
            ):
                rival[0] = k
        return (self.scores[label] - self.scores[rival[0]]) / 2

    cdef double probability(
        self, const al_rows *X, Row *row, double margin, double norm, double coin,
        QueryRule query_rule,
    ) except? -1.0 nogil:
        """Probability of buying the label of a row that has just been scored.

        The coin, uniform on [0, 1), says if it is bought. Another number on the
        same side of the coin will do, if it is not bought or nobody `reports` it.
        Also fill in the `least` that it can be, whatever the coin.
        """
        self.least = query_rule.cy_probability(margin, norm, &self.clock, &self.m[0])
        return self.least

    cdef int observe(
        self, double margin, double norm, QueryRule query_rule
    ) except -1 nogil:
        """Note a row that has been decided."""
        return query_rule.cy_observe(margin, norm, &self.clock, &self.m[0])

    cdef void move(
        self, const al_rows *X, const Row *row, Py_ssize_t k, double a
    ) noexcept nogil:
        """Add a times the row to weight vector k."""
        self.ahead = NULL  # these products are not true any more
        a *= self.shrink
        X.add(X, row.index, a, row.scale, &self.W[k, 0])
        if self.fit_intercept:
            self.c[k] += a
        if self.average and self.clock.n_taught > 0:
            a *= self.clock.n_taught
            X.add(X, row.index, a, row.scale, &self.W_drift[k, 0])
            if self.fit_intercept:
                self.c_drift[k] += a

    cdef void measure(self, const al_rows *X, Row *row) noexcept nogil:
        """Fill in the squared norm of a row that was scored without it."""
        if row.squared_norm < 0:
            X.dots(X, row.index, &self.W[0, 0], &row.squared_norm)
            row.squared_norm += self.fit_intercept

    cdef double length(self, const al_rows *X, Row *row) noexcept nogil:
        """A bound of how much a step of 1 along the row changes a weight."""
        self.measure(X, row)
        return sqrt(row.squared_norm)

    cdef void count(
        self, const al_rows *X, const Row *row, Py_ssize_t label, double probability,
        int power,
    ) noexcept nogil:
        """Count a label that is about to be learned, and the scores of its row."""
        cdef Py_ssize_t k
        cdef double share
        self.classes.count(label, probability)
        if not self.classes.balances:
            return
        self.score_by_mean(X, row)
        share = self.classes.share(label, probability, power)
        for k in range(self.scores.shape[0]):
            average_in(&self.classes.means[k, label], self.scores[k], share)
            average_in(&self.classes.mean_means[k, label], self.mean_scores[k], share)
        self.classes.place()

    cdef int prepare(
        self, const al_rows *X, Row *row, bint later
    ) except? -1 nogil:
        """Do what may fail in learning a row's label, before it is paid for.

        Called for the row that was scored last. `later`: only say if its label
        can be learned. Otherwise the label is next; it need not change anything.
        """
        return C_DONE

    cdef int learn(
        self, const al_rows *X, Row *row, Py_ssize_t label,
        QueryRule query_rule, UpdateRule update_rule, double probability, bint asked,
    ) except? -1 nogil:
        """Learn the label of a row that has just been scored."""
        cdef Py_ssize_t k, n_vectors = self.W.shape[0], rival
        cdef bint seeding = (
            (query_rule.seeds or update_rule.seeds) and self.clock.n_updates == 0
        )
        cdef double z = self.signed_margin(label, &rival), step, growth
        if seeding or update_rule.uses_norm:
            self.measure(X, row)
        if seeding:
            step = 1.0 if row.squared_norm > 0 else 0.0  # a zero row is no seed
        else:
            step = update_rule.cy_step(z, row.squared_norm, probability, &self.clock)
            step *= self.classes.step_weight(
                label, probability, update_rule.scale_free
            )
        if step != 0:
            growth = fabs(step) * self.length(X, row)
            if not self.reach + growth < LARGEST_WEIGHT:
                return C_OVERFLOW
        if asked and not seeding:  # a rule in Python may raise: nothing is changed yet
            query_rule.cy_learned(step != 0, &self.clock, &self.m[0])
        # scores of mistakes grow with their number, those of gradient steps settle
        self.count(X, row, label, probability, 3 if update_rule.scale_free else 1)
        if step != 0:
            self.reach += growth
            self.clock.n_updates += 1
            if n_vectors == 1:
                self.move(X, row, 0, step if label == 1 else -step)
            elif seeding:
                for k in range(n_vectors):
                    self.move(X, row, k, step if k == label else -step)
            else:
                self.move(X, row, label, step)
                self.move(X, row, rival, -step)
        self.clock.n_taught += 1
        return C_DONE
