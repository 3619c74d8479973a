# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""The state of a first-order learner while a loop works on it.

`LinearState` holds weights, counts and the memory of the query rule; `AdaptiveState`
has a step length for each feature. `ClassWeights` knows the weight of a label of each
class, and `Tally` the sums from which the error on the stream is estimated.
"""

import numpy as np

from libc.float cimport DBL_MAX
from libc.math cimport fabs, isfinite, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from ..kernels._rows cimport multiply, norm_of
from ._rules cimport Clock, QueryRule, UpdateRule

from ._learned import ClassSums, Counts, Learned, Scales, Tallied, Weights

cdef double LARGEST_WEIGHT = 1e280
cdef double HEAVIEST = 10  # largest class weight in a gradient step
cdef double EARLY = 10     # labelled rows until adaptive steps have half their length


def nothing_learned(weights, memory, n_classes=2, details=None):
    """Return the `Learned` of a learner that has seen no row.

    Parameters
    ----------
    weights : Weights
        Weights to start from.
    memory : list of float
        Memory of the query rule.
    n_classes : int, default=2
        Number of classes.
    details : object, default=None
        Details of the `Learned`.
    """
    n_classes = max(n_classes, 2)
    counts = np.zeros(n_classes)
    scores = np.zeros((1 if n_classes == 2 else n_classes, n_classes))
    tallied = Tallied(
        np.zeros(N_SUMS), np.zeros((0, N_MARKS, N_SUMS))
    )
    sums = ClassSums(counts, counts, counts, scores, scores)
    return Learned(weights, memory, Counts(), tallied, sums, details)


cdef class Tally:
    """Sums over the rows of a stream, from which its learner's error is estimated.

    They count rows that could be bought, and weigh the labels bought by the inverse of
    their probabilities. For each spacing (64 rows, 128, 256 and so on) the last 17 marks
    are kept: copies of the sums at earlier rows. So the error on recent rows is known,
    and memory stays small however long the stream is.

    Parameters
    ----------
    tallied : Tallied
        Sums so far; copied.
    """

    def __init__(self, tallied):
        self.tallied = Tallied(*(part.copy() for part in tallied))
        self.sums, self.marks = self.tallied

    cdef void set_rows(self, Py_ssize_t n_rows, double excess) noexcept nogil:
        """Store the sums over rows, which a loop keeps in its own variables."""
        self.sums[ROWS] = n_rows
        self.sums[EXCESS] = excess

    cdef int mark(self) except -1 nogil:
        """Keep a copy of the sums, after a multiple of MARK_EVERY rows."""
        cdef Py_ssize_t n_blocks = <Py_ssize_t> self.sums[ROWS] // MARK_EVERY, level = 0
        if n_blocks == 1 << self.marks.shape[0]:
            with gil:
                more = np.zeros((1, N_MARKS, N_SUMS))
                marks = np.concatenate([self.tallied.marks, more])
                self.tallied, self.marks = self.tallied._replace(marks=marks), marks
        while True:
            memcpy(
                &self.marks[level, n_blocks % N_MARKS, 0], &self.sums[0],
                N_SUMS * sizeof(double),
            )
            if n_blocks % 2:
                return 0
            n_blocks //= 2
            level += 1

    cdef void learn(self, double chance, bint mistake, double row) noexcept nogil:
        """Count the label of a row that was bought; `row` is its number among all."""
        cdef double weight = 1 / chance
        cdef Py_ssize_t level, i
        add_label(&self.sums[0], weight, mistake)
        if row > self.sums[ROWS] - <Py_ssize_t> self.sums[ROWS] % MARK_EVERY:
            return
        for level in range(self.marks.shape[0]):
            for i in range(N_MARKS):
                if self.marks[level, i, ROWS] >= row:
                    add_label(&self.marks[level, i, 0], weight, mistake)


cdef inline void add_label(double *sums, double weight, bint mistake) noexcept nogil:
    sums[LABELS] += 1
    sums[WEIGHTS] += weight
    if mistake:
        sums[MISTAKES] += weight
        sums[SQUARES] += weight * weight


cdef class ClassWeights:
    """Weights of the labels of each class, and thresholds of the scores.

    Both follow from sums over the labels taught, in which a label counts 1 / q, the
    inverse of the probability of its purchase.

    Parameters
    ----------
    sums : ClassSums
        Sums so far; copied.
    given : array-like of float of shape (n_classes,), or None
        Weights given by the user.
    balances : bool
        Whether weights balance the classes, and scores have thresholds.
    one_class_limit : int
        Every row is bought while one class is known and fewer labels than this
        have been bought.

    Attributes
    ----------
    weighs : bool
        Whether weights differ from 1.
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
            self.place_thresholds()
        elif given is not None:
            self.given = np.array(given, dtype=np.float64)
        self.n = self.sums.n_labels

    cdef object copied_sums(self):
        """Sums so far, in arrays of their own where labels change them."""
        n_labels, n_taught, shares, means, mean_means = self.sums
        if self.balances:
            n_taught, shares = n_taught.copy(), shares.copy()
            means, mean_means = means.copy(), mean_means.copy()
        return tuple.__new__(
            ClassSums, (n_labels.copy(), n_taught, shares, means, mean_means)
        )

    cdef bint searches(self, const Clock *clock) noexcept nogil:
        """Tell whether every row is bought, to find a second class."""
        return (
            self.weighs and self.n_known < 2
            and clock.n_queries < self.one_class_limit
        )

    cdef double weight(self, Py_ssize_t label, double probability) noexcept nogil:
        """Weight of a label that is about to be learned and counts already."""
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
        """Factor of a step; at most 1 if only ratios of steps matter."""
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
        """Count a label that is about to be learned."""
        self.n_known += self.n[label] == 0
        self.n[label] += 1 / probability if self.weighs else 1.0

    cdef double share(
        self, Py_ssize_t label, double probability, int power
    ) noexcept nogil:
        """Weight of a new score in the mean of its class, relative to all scores.

        It is proportional to n ** power / q for label n of the class.
        """
        cdef double share = 1 / probability
        cdef int i
        self.n_taught[label] += 1
        for i in range(power):
            share *= self.n_taught[label]
        self.shares[label] += share
        return share / self.shares[label]

    cdef void place_thresholds(self) noexcept nogil:
        """Compute the thresholds from the mean scores."""
        fill_thresholds(self.means, self.n_taught, self.thresholds)
        fill_thresholds(self.mean_means, self.n_taught, self.mean_thresholds)


cdef void average_in(double *mean, double score, double share) noexcept nogil:
    """Move a mean by the share of a new score, unless it overflows."""
    cdef double changed = mean[0] + share * (score - mean[0])
    if isfinite(changed):
        mean[0] = changed


cdef void fill_thresholds(
    const double[:, ::1] means, const double[::1] n, double[::1] thresholds
) noexcept nogil:
    """Compute thresholds half way between the mean scores of the classes.

    With two classes the threshold is half the sum of the two means. With more, the
    scores of classes k and j should be equal half way between their two means, which
    fixes the difference of their thresholds. The threshold of k is the mean over j of
    these differences, their least squares solution. An unknown class has none.
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


def prediction_thresholds(sums, averages):
    """Return the numbers that are subtracted from scores before predicting.

    Parameters
    ----------
    sums : ClassSums
        Sums over the labels taught.
    averages : bool
        Whether the mean of the weights predicts.

    Returns
    -------
    thresholds : ndarray of shape (n_vectors,)
        0 while one class is known.
    """
    means = sums.mean_means if averages else sums.means
    out = np.zeros(len(means))
    fill_thresholds(means, sums.n_taught, out)
    return out


cdef class LinearState:
    """Weights, counts and rule memory of a learner while a loop works on them.

    One weight vector for two classes (the score of the second), K for K > 2. With
    `normalize` and `fit_intercept` a row is [x / |x|, 1] / sqrt(2), and weights are kept
    divided by sqrt(2). No root is needed then: a score is coef.x / |x| + intercept, and
    a step moves the weights by half its length.

    The mean of the weights after each label taught, w_1 .. w_T, needs no sum over
    labels. A change by label m is missing in the first m - 1 of them only, so the mean
    is w_T - drift / T, where drift is the sum of (m - 1) times the changes.

    Parameters
    ----------
    learned : Learned
        Weights, counts and sums so far; copied.
    classes : ClassWeights
        Weights of the classes, for the sums of `learned`.
    rules : (QueryRule, UpdateRule)
        Rules of the learner.
    seed : int
        Seed of the uniform numbers, one for each row seen.
    normalize, fit_intercept, average : bool
        Parameters of the learner.

    Attributes
    ----------
    measures : bool
        Rows have to be scored together with their norms.
    reports : bool
        The probability of a purchase is reported, or used as a weight.
    guess : int
        Class that is predicted for the row scored last.
    least : float
        Lower bound of the probability of buying the row scored last. The error is
        estimated from labels that were bought with a coin below it.
    """

    def __init__(
        self, learned, ClassWeights classes, rules, seed, bint normalize,
        bint fit_intercept, bint average,
    ):
        self.weights = Weights(
            *(np.array(part, dtype=np.float64, order="C") for part in learned.weights)
        )
        self.W, self.c, self.W_drift, self.c_drift = self.weights
        self.memory = np.array(learned.memory, dtype=np.float64)
        self.m = self.memory if len(self.memory) else np.zeros(1)
        self.m_before = np.empty(len(self.m))
        self.scores, self.mean_scores = np.zeros(len(self.c)), np.zeros(len(self.c))
        (self.clock.n_seen, self.clock.n_queries, self.clock.n_taught,
         self.clock.n_updates, self.clock.n_idle, self.clock.n_alike,
         self.clock.last_guess) = learned.counts
        self.tally, self.classes = Tally(learned.tallied), classes
        self.query_rule, self.update_rule = rules
        self.query_rule.cy_begin_pass(len(self.memory))
        self.update_rule.cy_begin_pass()
        self.details = learned.details
        self.seed = seed
        self.normalize, self.fit_intercept = normalize, fit_intercept
        self.average = average
        self.shrink = 0.5 if normalize and fit_intercept else 1.0
        self.reach = max(np.abs(part).max(initial=0) for part in self.weights[:2])

    @property
    def learned(self):
        """The present weights, counts and sums."""
        return tuple.__new__(Learned, (
            self.weights, self.memory, self.counts(), self.tally.tallied,
            self.classes.sums, self.current_details(),
        ))

    cdef object counts(self):
        """The present counts."""
        # as the class does, in half the time: `learn` needs this for each label
        return tuple.__new__(Counts, (
            self.clock.n_seen, self.clock.n_queries, self.clock.n_taught,
            self.clock.n_updates, self.clock.n_idle, self.clock.n_alike,
            self.clock.last_guess,
        ))

    cdef object current_details(self):
        """Details of the present `Learned`."""
        return self.details

    cdef object copied_details(self):
        """Details that this state does not change any more."""
        return self.details

    cdef object learned_since(self, before):
        """Return `learned` in arrays that this state does not change any more.

        An array that has not changed since `before`, an earlier `Learned`, is not
        copied: most rows change none of the larger arrays.
        """
        cdef double n_open
        weights, memory, counts, tallied, class_sums, details = before
        if self.clock.n_updates != counts[3]:
            W, c, W_drift, c_drift = self.weights
            weights = tuple.__new__(
                Weights, (W.copy(), c.copy(), W_drift.copy(), c_drift.copy())
            )
        if self.query_rule.n_memory:
            memory = self.memory.copy()
        if self.clock.n_taught != counts[2]:
            class_sums = self.classes.copied_sums()
            details = self.copied_details()
        n_open, marks = tallied[0].item(ROWS), tallied[1]
        if <Py_ssize_t> self.tally.sums[ROWS] // MARK_EVERY != <Py_ssize_t> n_open // MARK_EVERY:
            marks = self.tally.tallied[1].copy()
        tallied = tuple.__new__(Tallied, (self.tally.tallied[0].copy(), marks))
        return tuple.__new__(
            Learned, (weights, memory, self.counts(), tallied, class_sums, details)
        )

    cdef double score_row(self, Row *row, bint measure) except? -1.0 nogil:
        """Fill in the scores of a row and return its margin.

        The margin is |score| for one weight vector, half the gap between the two highest
        scores for more; not finite if any score is not. `measure`, which `normalize`
        implies, also fills in the squared norm of the row.
        """
        cdef Py_ssize_t k
        cdef double norm, squares = self.multiply(row, measure)
        row.squared_norm = squares + self.fit_intercept if measure else -1.0
        row.scale = 1.0
        if self.normalize:
            norm = norm_of(row.X, row.index, squares)
            row.scale = 1 / norm if norm > 0 else 0.0
            row.squared_norm = self.shrink * ((norm > 0) + self.fit_intercept)
        for k in range(self.W.shape[0]):
            self.scores[k] = self.scores[k] * row.scale + self.c[k]
        return self.margin()

    cdef double multiply(self, const Row *row, bint measure) noexcept nogil:
        """Fill `scores` with the products of a row and the weights.

        Returns the sum of the squares of the row, if it is to be measured.
        """
        cdef Py_ssize_t k, n_vectors = self.W.shape[0]
        if self.ahead != NULL:
            for k in range(n_vectors):
                self.scores[k] = self.ahead[row.slot * self.ahead_stride + k]
            return self.ahead_squares[row.slot]
        return multiply(
            row.X, row.index, &self.W[0, 0], n_vectors, self.W.shape[1], measure,
            &self.scores[0],
        )

    cdef double margin(self) noexcept nogil:
        """Margin of the row whose scores are filled in; fills in its `guess`."""
        cdef Py_ssize_t k
        cdef double s = self.scores[0], first = s, second = -1.0 / 0.0, check = 0
        if self.scores.shape[0] == 1:
            self.guess = s > 0
            if self.classes.balances:
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
        if self.classes.balances:
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

    cdef void score_by_mean(self, const Row *row) noexcept nogil:
        """Fill `mean_scores`: scores of the last row by the mean of the weights."""
        cdef Py_ssize_t k
        cdef double lag
        for k in range(self.W.shape[0]):
            self.mean_scores[k] = self.scores[k]
            if self.average and self.clock.n_taught > 0:
                lag = row.X.dot(row.X, row.index, &self.W_drift[k, 0]) * row.scale
                self.mean_scores[k] -= (lag + self.c_drift[k]) / self.clock.n_taught

    cdef Py_ssize_t prediction(
        self, const Row *row, Py_ssize_t n_alike, Py_ssize_t last_guess
    ) noexcept nogil:
        """Class that is predicted for the row scored last.

        The mean of the weights needs another product with the row. It is computed for
        one row in ALIKE, and where the present weights predict another class than
        before; other rows are assumed to be of the same class as the last.
        """
        if not self.average:
            return self.guess
        if self.guess == last_guess and n_alike % ALIKE:
            return last_guess
        self.score_by_mean(row)
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
        self, Row *row, double margin, double norm, double coin
    ) except? -1.0 nogil:
        """Probability of buying the label of the row scored last; fills in `least`.

        The row is bought if the coin, uniform on [0, 1), is below it. Another number on
        the same side of the coin may be returned for a row that is not bought, or if
        probabilities are not reported.
        """
        self.least = self.query_rule.cy_probability(margin, norm, &self.clock, &self.m[0])
        return self.least

    cdef int observe(self, double margin, double norm) except -1 nogil:
        """Tell the rule about a row that has been decided."""
        return self.query_rule.cy_observe(margin, norm, &self.clock, &self.m[0])

    cdef void move(self, const Row *row, Py_ssize_t k, double a) noexcept nogil:
        """Add a times the row to weight vector k."""
        self.ahead = NULL  # products made ahead are outdated
        a *= self.shrink
        row.X.add(row.X, row.index, a, row.scale, &self.W[k, 0])
        if self.fit_intercept:
            self.c[k] += a
        if self.average and self.clock.n_taught > 0:
            a *= self.clock.n_taught
            row.X.add(row.X, row.index, a, row.scale, &self.W_drift[k, 0])
            if self.fit_intercept:
                self.c_drift[k] += a

    cdef void measure(self, Row *row) noexcept nogil:
        """Fill in the squared norm of a row that was scored without it."""
        if row.squared_norm < 0:
            row.X.dots(row.X, row.index, &self.W[0, 0], &row.squared_norm)
            row.squared_norm += self.fit_intercept

    cdef double length(self, Row *row) noexcept nogil:
        """Upper bound of the change of a weight by a step of 1 along the row."""
        self.measure(row)
        return sqrt(row.squared_norm)

    cdef void count(
        self, const Row *row, Py_ssize_t label, double probability,
        int power,
    ) noexcept nogil:
        """Count a label that is about to be learned, and the scores of its row."""
        cdef Py_ssize_t k
        cdef double share
        self.classes.count(label, probability)
        if not self.classes.balances:
            return
        self.score_by_mean(row)
        share = self.classes.share(label, probability, power)
        for k in range(self.scores.shape[0]):
            average_in(&self.classes.means[k, label], self.scores[k], share)
            average_in(&self.classes.mean_means[k, label], self.mean_scores[k], share)
        self.classes.place_thresholds()

    cdef int prepare(self, Row *row, bint later) except? -1 nogil:
        """Do everything in learning the row scored last that may fail.

        It is called before the label is paid for. `later`: only tell whether the label
        can be learned. Otherwise the label follows; it need not change anything.
        """
        return C_DONE

    cdef int learn(
        self, Row *row, Py_ssize_t label, double probability, bint asked
    ) except? -1 nogil:
        """Learn the label of the row scored last."""
        cdef Py_ssize_t k, n_vectors = self.W.shape[0], rival
        cdef bint seeding = (
            (self.query_rule.seeds or self.update_rule.seeds) and self.clock.n_updates == 0
        )
        cdef double z = self.signed_margin(label, &rival), step, growth
        if seeding or self.update_rule.uses_norm:
            self.measure(row)
        if seeding:
            step = 1.0 if row.squared_norm > 0 else 0.0  # a zero row is no seed
        else:
            step = self.update_rule.cy_step(z, row.squared_norm, probability, &self.clock)
            step *= self.classes.step_weight(
                label, probability / row.weight, self.update_rule.scale_free
            )
            # a rule that seeds keeps the length of the weights: its steps do not grow
            step *= min(row.weight, 1.0) if self.update_rule.seeds else row.weight
        if step != 0:
            growth = fabs(step) * self.length(row)
            if not self.reach + growth < LARGEST_WEIGHT:
                return C_OVERFLOW
        if asked and not seeding:  # a rule in Python may raise: nothing is changed yet
            self.query_rule.cy_learned(step != 0, &self.clock, &self.m[0])
        # scores grow with the number of mistakes; with gradient steps they settle
        self.count(row, label, probability / row.weight,
                   3 if self.update_rule.scale_free else 1)
        if step != 0:
            self.reach += growth
            self.clock.n_updates += 1
            if n_vectors == 1:
                self.move(row, 0, step if label == 1 else -step)
            elif seeding:
                for k in range(n_vectors):
                    self.move(row, k, step if k == label else -step)
            else:
                self.move(row, label, step)
                self.move(row, rival, -step)
        self.clock.n_taught += 1
        return C_DONE


cdef class AdaptiveState(LinearState):
    """A `LinearState` whose steps follow the sizes of features and rows.

    A step s at labelled row x, number T, moves weight i by s T / (T + 10) / G times
    x_i / r_i. r_i is the root mean square of feature i over the labelled rows where it
    is not 0, G the mean over the labelled rows of the sum of x_i^2 / r_i, each at the
    time of the row; both include x. So the margin of a row of average size moves by s,
    by less while T is small. A common factor of all rows changes nothing, which is why
    rows divided by sqrt(2) need no care.

    Parameters
    ----------
    learned, classes, rules, seed, normalize, fit_intercept, average
        Parameters of `LinearState`; details of `learned` are `Scales`, or None.
    """

    cdef double[::1] squares, n_present, values, direction
    cdef int64_t[::1] columns
    cdef double total_gain, gain, factor, step_length
    cdef Py_ssize_t n_rows, n_values

    def __init__(self, learned, *parameters):
        super().__init__(learned, *parameters)
        d = self.W.shape[1]
        scales = learned.details or Scales(*np.zeros((2, d)))
        self.details = scales._replace(
            squares=scales.squares.copy(), n_present=scales.n_present.copy()
        )
        self.squares, self.n_present, self.total_gain, self.n_rows = self.details
        self.values, self.direction = np.empty(d), np.empty(d)
        self.columns = np.empty(d, dtype=np.int64)

    cdef object current_details(self):
        return self.details._replace(gain=self.total_gain, n_rows=self.n_rows)

    cdef object copied_details(self):
        squares, n_present, _, _ = self.details
        return tuple.__new__(
            Scales, (squares.copy(), n_present.copy(), self.total_gain, self.n_rows)
        )

    cdef int prepare(self, Row *row, bint later) except? -1 nogil:
        """Compute the direction of a step along the row; overflow if it has none."""
        cdef Py_ssize_t j, i
        cdef double square, total, n, largest = 0
        # the constant feature has root mean square 1
        self.gain = self.step_length = self.fit_intercept
        self.n_values = row.X.list(row.X, row.index, row.scale, &self.values[0], &self.columns[0]
        )
        for j in range(self.n_values):
            i = self.columns[j]
            square = self.values[j] * self.values[j]
            self.direction[j] = 0.0
            if square > 0:  # else it has underflowed and counts as 0
                total = self.squares[i] + square
                largest = max(largest, total)
                self.direction[j] = self.values[j] * sqrt((self.n_present[i] + 1) / total)
            self.gain += self.values[j] * self.direction[j]
            self.step_length += self.direction[j] * self.direction[j]
        self.factor = 0.0
        if self.gain > 0:
            n = self.n_rows + 1
            self.factor = n / (n + EARLY) * n / (self.total_gain + self.gain)
        self.step_length = self.factor * sqrt(self.step_length)
        return C_DONE if max(largest, self.step_length) <= DBL_MAX else C_OVERFLOW

    cdef double length(self, Row *row) noexcept nogil:
        return self.step_length

    cdef void move(self, const Row *row, Py_ssize_t k, double a) noexcept nogil:
        a *= self.factor
        self.add(&self.W[k, 0], &self.c[k], a)
        if self.average and self.clock.n_taught > 0:
            self.add(&self.W_drift[k, 0], &self.c_drift[k], a * self.clock.n_taught)

    cdef void add(self, double *w, double *c, double a) noexcept nogil:
        """Add a times the direction to weights and intercept."""
        cdef Py_ssize_t j
        for j in range(self.n_values):
            w[self.columns[j]] += a * self.direction[j]
        if self.fit_intercept:
            c[0] += a

    cdef int learn(
        self, Row *row, Py_ssize_t label, double probability, bint asked
    ) except? -1 nogil:
        cdef int reason = LinearState.learn(self, row, label, probability, asked)
        cdef Py_ssize_t j
        cdef double square
        if reason == C_DONE:
            self.total_gain += self.gain
            self.n_rows += self.gain > 0
            for j in range(self.n_values):
                square = self.values[j] * self.values[j]
                if square > 0:
                    self.squares[self.columns[j]] += square
                    self.n_present[self.columns[j]] += 1
        return reason
