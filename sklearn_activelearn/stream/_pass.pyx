# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""The one loop over rows, for every query rule, update rule and kind of matrix.

For each row: look at it (scores and margin), let the query rule say with which
probability its label is worth buying, draw one uniform number, and, if the
label is bought, let the update rule move the weights.

The loop never consumes a row it cannot finish: it stops just before a row whose
label the oracle fails to give, whose margin is not a finite number, or whose
update would overflow. The state is then that of all earlier rows.
"""

import numpy as np

from libc.float cimport DBL_MAX
from libc.math cimport fabs, isfinite, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from .._rows cimport Rows, al_rows
from ._rules cimport Clock, QueryRule, UpdateRule


cdef enum:
    C_DONE
    C_NOT_FINITE
    C_OVERFLOW
    AHEAD = 8  # rows between telling the memory of a row and reading it

DONE = C_DONE

cdef double LARGEST_WEIGHT = 1e280


cdef inline double uniform(uint64_t seed, uint64_t t) noexcept nogil:
    """The t-th number in [0, 1) of the stream's generator.

    The output function of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014) at its
    t-th state: the seed and the number of rows seen are all there is to store.
    """
    cdef uint64_t z = seed + (t + 1) * <uint64_t> 0x9E3779B97F4A7C15
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
    return (z ^ (z >> 31)) / 2048 * (1.0 / 9007199254740992.0)


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


cdef struct Row:
    Py_ssize_t index
    double scale         # what the row is multiplied by: 1 / norm, or 1
    double squared_norm  # of the scaled row with its constant feature; -1: unknown


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
    weights : tuple of 4 arrays
        coef (n_vectors, n_features), intercept (n_vectors,), their drifts; copied.
    memory : array-like of float
        What the query rule remembers; copied.
    counts : tuple of 5 ints
        The fields of `Clock`.
    seed : int
        Seed of the uniform numbers, one per row seen.
    normalize, fit_intercept, average : bool
        As for the learners.
    """

    cdef readonly tuple weights
    cdef readonly object memory
    cdef double[:, ::1] W, W_drift
    cdef double[::1] c, c_drift, m, m_before, scores
    cdef Clock clock
    cdef uint64_t seed
    cdef bint normalize, fit_intercept, average
    cdef double shrink, reach

    def __cinit__(
        self, weights, memory, counts, seed,
        bint normalize, bint fit_intercept, bint average,
    ):
        self.weights = tuple(
            np.array(part, dtype=np.float64, order="C") for part in weights
        )
        self.W, self.c, self.W_drift, self.c_drift = self.weights
        self.memory = np.array(memory, dtype=np.float64)
        self.m = self.memory if len(self.memory) else np.zeros(1)
        self.m_before = np.empty(len(self.m))
        self.scores = np.zeros(len(self.c))
        (self.clock.n_seen, self.clock.n_queries, self.clock.n_taught,
         self.clock.n_updates, self.clock.n_idle) = counts
        self.seed = seed
        self.normalize, self.fit_intercept = normalize, fit_intercept
        self.average = average
        self.shrink = 0.5 if normalize and fit_intercept else 1.0
        self.reach = max(np.abs(part).max(initial=0) for part in self.weights[:2])

    @property
    def counts(self):
        """The fields of the clock."""
        return (self.clock.n_seen, self.clock.n_queries, self.clock.n_taught,
                self.clock.n_updates, self.clock.n_idle)

    cdef double look(
        self, const al_rows *X, Row *row, bint measure
    ) noexcept nogil:
        """Fill in the scores of a row and return its margin.

        That is |score| for one weight vector, half the gap between the two
        highest scores for more; not finite if any score is not. With `measure`,
        which `normalize` implies, also fill in the row's squared norm.
        """
        cdef Py_ssize_t k, n_vectors = self.W.shape[0]
        cdef double s, norm, squares, first, second, check = 0
        if measure:
            s = X.dots(X, row.index, &self.W[0, 0], &squares)
            row.squared_norm = squares + self.fit_intercept
        else:
            s = X.dot(X, row.index, &self.W[0, 0])
            row.squared_norm = -1.0
        row.scale = 1.0
        if self.normalize:
            norm = norm_of(X, row.index, squares)
            row.scale = 1 / norm if norm > 0 else 0.0
            row.squared_norm = self.shrink * ((norm > 0) + self.fit_intercept)
        s = s * row.scale + self.c[0]
        self.scores[0] = s
        if n_vectors == 1:
            return fabs(s)
        first, second = s, -1.0 / 0.0
        for k in range(1, n_vectors):
            s = X.dot(X, row.index, &self.W[k, 0]) * row.scale + self.c[k]
            self.scores[k] = s
            check += s - s
            if s > first:
                first, second = s, first
            elif s > second:
                second = s
        return (first - second) / 2 + check

    cdef void move(
        self, const al_rows *X, const Row *row, Py_ssize_t k, double a
    ) noexcept nogil:
        """Add a times the row to weight vector k."""
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
        """Fill in the squared norm of a row that was looked at without it."""
        if row.squared_norm < 0:
            X.dots(X, row.index, &self.W[0, 0], &row.squared_norm)
            row.squared_norm += self.fit_intercept

    cdef int learn(
        self, const al_rows *X, Row *row, Py_ssize_t label,
        QueryRule query_rule, UpdateRule update_rule, double probability, bint asked,
    ) noexcept nogil:
        """Learn the label of a row that has just been looked at."""
        cdef Py_ssize_t k, n_vectors = self.W.shape[0], rival = -1
        cdef bint seeding = (
            (query_rule.seeds or update_rule.seeds) and self.clock.n_updates == 0
        )
        cdef double z, step, growth
        if n_vectors == 1:
            z = (2 * label - 1) * self.scores[0]
        else:
            for k in range(n_vectors):
                if k != label and (
                    rival < 0 or self.scores[k] > self.scores[rival]
                ):
                    rival = k
            z = (self.scores[label] - self.scores[rival]) / 2
        if seeding or update_rule.uses_norm:
            self.measure(X, row)
        if seeding:
            step = 1.0 if row.squared_norm > 0 else 0.0  # a zero row is no seed
        else:
            step = update_rule.step(z, row.squared_norm, probability, &self.clock)
        if step != 0:
            self.measure(X, row)
            growth = fabs(step) * sqrt(row.squared_norm)
            if not self.reach + growth < LARGEST_WEIGHT:
                return C_OVERFLOW
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
        if asked and not seeding:
            query_rule.learned(step != 0, &self.m[0])
        self.clock.n_taught += 1
        return C_DONE


def run(
    Rows rows, const int64_t[::1] order, int32_t[::1] labels, ask,
    QueryRule query_rule, UpdateRule update_rule, LinearState state,
    Py_ssize_t budget, Py_ssize_t patience,
    int64_t[::1] bought, double[::1] probabilities,
):
    """Offer the rows to the learner, one after the other.

    Parameters
    ----------
    rows : Rows
        The matrix.
    order : array of int64, or None
        Rows in the order in which they come; None for all of them as they are.
    labels : array of int32 of shape (n_rows,), or None
        Class codes; a negative code is a label not known yet. None: labels come
        later, so nothing is learned now.
    ask : callable
        ``ask(row) -> code`` for a bought row whose code is not known; may raise.
    query_rule, update_rule : QueryRule, UpdateRule
        What to buy and how to learn it.
    state : LinearState
        Worked on in place.
    budget, patience : int
        Most labels to buy in all; most rows to let pass without buying one.
    bought, probabilities : arrays with room for every row
        Receive the rows bought and the probabilities they were bought at.

    Returns
    -------
    reason, row : int
        Why the loop ended, and the row it stopped at (-1 for none).
    """
    cdef Py_ssize_t n = rows.n_rows if order is None else order.shape[0]
    cdef Py_ssize_t start = 0, stop, position, picked = -1, n_bought = 0
    cdef bint ordered = order is not None, later = labels is None, hit, open
    cdef bint measured = state.normalize or query_rule.uses_norm
    cdef const al_rows *X = &rows.view
    cdef Clock *clock = &state.clock
    cdef Clock before
    # dense rows in order need no help: the processor sees what comes next
    cdef bint jumps = ordered or X.indices != NULL
    cdef double *memory = &state.m[0]
    cdef size_t memory_size = state.m.nbytes
    cdef double margin, other, norm = 1.0, probability
    cdef int reason = C_DONE
    cdef Row row
    if later and clock.n_updates == 0:
        budget = clock.n_queries + min(
            budget - clock.n_queries, query_rule.blind_purchases(clock)
        )
    with nogil:
        while start < n:
            stop = min(start + query_rule.group, n)
            margin = 1.0 / 0.0
            for position in range(start, stop):
                if jumps and position + AHEAD < n:
                    X.fetch(X, order[position + AHEAD] if ordered else position + AHEAD)
                row.index = order[position] if ordered else position
                other = state.look(X, &row, measured)
                if not isfinite(other):
                    reason = C_NOT_FINITE
                    break
                if other < margin:
                    margin, picked = other, row.index
            if reason != C_DONE:
                break
            if picked != row.index:
                row.index = picked
                state.look(X, &row, measured)
            if query_rule.uses_norm:
                norm = sqrt(row.squared_norm)
            open = clock.n_queries < budget and clock.n_idle < patience
            probability = (query_rule.probability(margin, norm, clock, memory)
                           if open else 0.0)
            hit = uniform(state.seed, clock.n_seen) < probability
            if hit:
                if not later and labels[row.index] < 0:
                    with gil:
                        labels[row.index] = ask(row.index)
                before = clock[0]
                memcpy(&state.m_before[0], memory, memory_size)
            clock.n_seen += stop - start
            if query_rule.uses_norm:
                query_rule.observe(norm, memory)
            if hit:
                clock.n_queries += 1
                clock.n_idle = 0
                if not later:
                    reason = state.learn(
                        X, &row, labels[row.index], query_rule, update_rule,
                        probability, True,
                    )
                    if reason != C_DONE:
                        clock[0] = before
                        memcpy(memory, &state.m_before[0], memory_size)
                        break
                bought[n_bought] = row.index
                probabilities[n_bought] = probability
                n_bought += 1
            elif open:
                clock.n_idle += stop - start
            start = stop
    return reason, row.index if reason != C_DONE else -1


def teach(
    Rows rows, const int32_t[::1] labels, const double[::1] probabilities,
    const uint8_t[::1] asked, QueryRule query_rule, UpdateRule update_rule,
    LinearState state,
):
    """Learn the labels of all rows, in order.

    Parameters
    ----------
    rows, labels, query_rule, update_rule, state
        As for `run`.
    probabilities, asked : arrays of shape (n_rows,)
        Whether each row had been asked for and the probability at which;
        1 for rows nobody asked for.

    Returns
    -------
    reason, row : int
        As for `run`.
    """
    cdef Py_ssize_t i
    cdef int reason = C_DONE
    cdef Row row
    cdef const al_rows *X = &rows.view
    with nogil:
        for i in range(rows.n_rows):
            row.index = i
            if not isfinite(state.look(X, &row, state.normalize)):
                reason = C_NOT_FINITE
                break
            reason = state.learn(
                X, &row, labels[i], query_rule, update_rule, probabilities[i], asked[i]
            )
            if reason != C_DONE:
                break
    return reason, row.index if reason != C_DONE else -1


def scores(Rows rows, coef, intercept, bint normalize):
    """Scores of all rows, (n_rows, n_vectors), as the loop computes them."""
    cdef LinearState state = LinearState(
        (coef, intercept, coef[:, :0], intercept), [], (0,) * 5, 0,
        normalize, False, False,
    )
    out = np.empty((rows.n_rows, len(intercept)))
    cdef double[:, ::1] view = out
    cdef Py_ssize_t i
    cdef Row row
    with nogil:
        for i in range(rows.n_rows):
            row.index = i
            state.look(&rows.view, &row, normalize)
            view[i] = state.scores
    return out
