# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""The loop over rows, of one learner (`Pass`) or of several at once (`BatchedPass`).

For each row: compute scores and margin, ask the query rule for the probability of buying
the label, draw one uniform number, and, if the label is bought, let the update rule move
the weights.

The loop never consumes a row that it cannot finish. It stops just before a row whose
label the oracle fails to give, whose margin is not a finite number, or whose update
would overflow or raises. The state is then the one after all earlier rows.

Three shortcuts give the same bits. A pass scores a few rows at once before the first of
them is decided. A batched pass reads a row once for all learners: a few dense rows at
once, CSR rows one at a time with weights stored feature by feature. A row that is not
bought, and of which nobody remembers anything, is only counted. Learners that move their
weights compute the products with the remaining rows again.
"""

import numpy as np

cimport cython
from libc.float cimport DBL_MAX
from libc.math cimport NAN, fabs, isfinite, sqrt
from libc.stdint cimport int32_t, int64_t, intptr_t, uint8_t, uint64_t
from libc.string cimport memcpy

from ..kernels._rows cimport Rows, al_rows, is_plain, norm_of
from ._rules cimport Clock, QueryRule
from ._state cimport (
    ALIKE, ASKED, C_DONE, C_NOT_FINITE, EXCESS, MARK_EVERY, ROWS, LinearState, Row,
    Tally, uniform,
)

from ..kernels import _rows

cdef extern from "stream/_batched_pass.h" nogil:
    const Py_ssize_t AL_LANES, AL_ROWS_AT_ONCE, AL_IN_FRONT
    ctypedef void (*al_all)(
        const al_rows *X, Py_ssize_t i, const double *w, double *out, double *squares
    ) noexcept nogil
    ctypedef void (*al_add_all)(
        const al_rows *X, Py_ssize_t i, double *w
    ) noexcept nogil
    ctypedef void (*al_many)(
        const al_rows *X, const int64_t *rows, const int64_t *later, int turn,
        int n_turns, const double *w, Py_ssize_t stride, double *out, Py_ssize_t apart
    ) noexcept nogil
    al_many al_find_many(int value_size, int widest)
    void al_keep_together(
        al_rows *X, Py_ssize_t n_together, int value_size, int index_size, int widest,
        al_all *all, al_add_all *add_all
    )

cdef enum:
    AHEAD = 8           # rows between prefetching a row and reading it
    AT_ONCE = 8         # rows of a block, at most
    SPARSE_AT_ONCE = 4  # rows of a block of CSR rows
    WIDEST = 256        # features of dense rows in blocks; wider rows gain nothing
    FEW = 256           # rows of a call for which `NextRows` keeps the state, at most

#: Types of labels that are the same class exactly if they are equal.
cdef frozenset PLAIN_LABELS = frozenset((bool, int, float, str))

#: Most rows of a call for which `NextRows` keeps the state.
MOST_NEXT = FEW

#: Weight vectors that CSR rows are multiplied with together.
LANES = AL_LANES


cdef struct Decision:  # on a row, or on the row that is picked from a group
    double margin, norm, coin, probability
    double least  # lower bound of the probability, whatever the coin
    Py_ssize_t n_rows, n_alike, last_guess


cdef struct Block:  # rows that are scored before the first of them is decided
    Py_ssize_t index[AT_ONCE]
    double product[AT_ONCE]
    double squares[AT_ONCE]
    double scale[AT_ONCE]  # NaN where the norm needs care
    double score[AT_ONCE]
    double margin[AT_ONCE]
    double coin[AT_ONCE]
    double probability[AT_ONCE]


@cython.final
cdef class Pass:
    """The pass of one learner over the rows of a matrix.

    Parameters
    ----------
    rows : Rows
        The matrix.
    order : array of int64, or None
        Row numbers in the order of the pass; None for all rows in their order.
    labels : array of int32 of shape (n_samples,), or None
        Class codes; a negative code is a label not known yet. None: labels come
        later, so nothing is learned now.
    ask : callable or None
        ``ask(row)`` writes the code of a bought row into `labels`; it may raise. If it
        raises after writing, the label is learned before the pass ends with the
        exception.
    state : LinearState
        State of the learner, changed in place.
    budget, patience : int
        Largest total number of labels to buy; largest number of consecutive rows
        without a purchase.
    weights : array of shape (n_samples,), default=None
        Weight > 0 of each row's label; None: 1.

    Attributes
    ----------
    stopped_at : int
        Row before which the pass stopped early; -1 if it did not.
    """

    cdef Rows rows
    cdef const int64_t[::1] order
    cdef int32_t[::1] labels
    cdef const double[::1] weights
    cdef object ask, interrupt
    cdef QueryRule query_rule
    cdef readonly LinearState state
    cdef Tally tally
    cdef object all_bought
    cdef int64_t[::1] bought
    cdef double[::1] chances
    cdef double[:, ::1] guesses
    cdef readonly Py_ssize_t stopped_at
    cdef Py_ssize_t n, n_bought, n_open, budget, patience, row_bytes
    cdef Py_ssize_t at_once  # rows that are scored before the first of them is decided
    cdef double excess
    cdef Clock before
    cdef bint ordered, later, measured, observes, jumps, open, interrupted, unfinished
    cdef bint searches, weighted
    cdef int reason

    def __init__(
        self, Rows rows, const int64_t[::1] order, int32_t[::1] labels, ask,
        LinearState state, Py_ssize_t budget, Py_ssize_t patience,
        const double[::1] weights=None,
    ):
        cdef QueryRule query_rule = state.query_rule
        cdef Clock *clock = &state.clock
        cdef Py_ssize_t n
        self.order, self.ordered = order, order is not None
        n = order.shape[0] if self.ordered else rows.n_rows
        self.labels, self.later, self.ask = labels, labels is None, ask
        self.weights, self.weighted = weights, weights is not None
        self.query_rule, self.state = query_rule, state
        self.observes = (
            query_rule.uses_norm or query_rule.delays or query_rule.is_python
            or query_rule.is_external
        )
        self.make_room(n)
        self.measured = state.normalize or state.measures or query_rule.uses_norm
        # products with dense rows prefetch by themselves, while rows come in order
        self.jumps = self.ordered or rows.view.indices != NULL
        self.row_bytes = rows.n_features * rows.owners[0].itemsize
        self.tally = state.tally
        state.reports = self.later or state.classes.weighs
        # one row of a group is bought, whatever is known
        self.searches = state.classes.weighs and query_rule.group == 1
        if self.later and clock.n_updates == 0:
            budget = clock.n_queries + min(
                budget - clock.n_queries, query_rule.cy_blind_purchases(clock)
            )
        self.budget, self.patience = budget, patience
        self.begin(rows, n)
        self.at_once = self.block_size()

    cdef make_room(self, Py_ssize_t n):
        """Get arrays for n purchases."""
        self.all_bought = np.empty(n, np.int64)
        self.bought, self.chances = self.all_bought, np.empty(n)
        if self.later:
            self.guesses = np.empty((n, 3))

    cdef void begin(self, Rows rows, Py_ssize_t n) noexcept:
        """Get ready for n rows, from the state as it is."""
        cdef Clock *clock = &self.state.clock
        self.rows, self.n, self.n_bought = rows, n, 0
        self.n_open = <Py_ssize_t> self.tally.sums[ROWS]
        self.excess = self.tally.sums[EXCESS]
        self.open = clock.n_queries < self.budget and clock.n_idle < self.patience
        self.reason, self.stopped_at = C_DONE, -1

    def run(self):
        """Offer all rows to the learner, one after the other."""
        try:
            with nogil:
                self.advance(0, self.n)
        finally:
            self.end()
        if self.interrupted:
            raise self.interrupt

    @property
    def rows_bought(self):
        """Rows that were bought, in order."""
        return self.all_bought[: self.n_bought].copy()

    @property
    def probabilities(self):
        """Probabilities at which these rows were bought."""
        return np.array(self.chances[: self.n_bought])

    @property
    def forecasts(self):
        """Numbers that the tally needs once the labels are taught, for each row bought.

        The least that the probability can have been, 0 if the coin was not below it;
        the class predicted; the number of the row among those counted.
        """
        return np.array(self.guesses[: self.n_bought])

    def why_closed(self, Py_ssize_t budget):
        """Return "budget" or "patience" if nothing could be bought at the end, or None.

        Parameters
        ----------
        budget : int
            The budget; the pass may have a smaller one.
        """
        if self.open:
            return None
        if self.state.clock.n_queries >= budget:
            return "budget"
        return "patience" if self.state.clock.n_idle >= self.patience else None

    cdef end(self):
        """Leave the state as it is after the last row that could be finished."""
        self.state.ahead = NULL  # an error may leave a pointer to freed numbers
        self.tally.set_rows(self.n_open, self.excess)
        if self.unfinished:
            self.state.clock = self.before
            self.state.m[:] = self.state.m_before

    cdef inline Py_ssize_t at(self, Py_ssize_t position) noexcept nogil:
        """Row at a position of the order."""
        return self.order[position] if self.ordered else position

    cdef inline void look_ahead(self, Py_ssize_t position) noexcept nogil:
        """Prefetch a later row: sparse rows now, dense rows along with the products."""
        cdef al_rows *X = &self.rows.view
        if not self.jumps or position + AHEAD >= self.n:
            return
        if X.indices != NULL:
            X.fetch(X, self.at(position + AHEAD))
        else:
            X.ahead = self.row_bytes * (self.at(position + AHEAD) - self.at(position))

    cdef int stop(self, int reason, Py_ssize_t row) noexcept nogil:
        """Stop before a row."""
        self.reason, self.stopped_at = reason, row
        return 0

    cdef int advance(self, Py_ssize_t start, Py_ssize_t end) except -1 nogil:
        """Go over rows `start` to `end` of the order, both multiples of the group."""
        cdef Py_ssize_t first = start
        while start < end and self.reason == C_DONE and not self.interrupted:
            if self.at_once > 1 and self.stays_open(self.at_once):
                start = self.advance_block(start, end)
            else:
                start = self.advance_group(
                    start, min(start + self.query_rule.group, end), first
                )
        return 0

    cdef Py_ssize_t advance_group(
        self, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t first
    ) except -1 nogil:
        """Decide a group of rows, scored ahead from `first` on; return its end."""
        cdef const al_rows *X = &self.rows.view
        cdef Clock *clock = &self.state.clock
        cdef Py_ssize_t position, picked = start, guess
        cdef double other
        cdef Row row
        cdef Decision decision
        decision.margin, decision.norm = 1.0 / 0.0, 1.0
        decision.probability, decision.least = 0.0, 1.0
        decision.n_rows = stop - start
        decision.n_alike, decision.last_guess = clock.n_alike, clock.last_guess
        row.X = X
        for position in range(start, stop):
            self.look_ahead(position)
            row.index, row.slot = self.at(position), position - first
            other = self.state.score_row(&row, self.measured)
            if not isfinite(other):
                self.stop(C_NOT_FINITE, row.index)
                return stop
            if other < decision.margin:
                decision.margin, picked = other, position
            decision.n_alike += 1
            if decision.n_alike > ALIKE:
                guess = self.state.prediction(
                    &row, decision.n_alike, decision.last_guess
                )
                if guess != decision.last_guess:
                    decision.n_alike, decision.last_guess = 1, guess
        if picked != stop - 1:
            row.index, row.slot = self.at(picked), picked - first
            self.state.score_row(&row, self.measured)
        if self.query_rule.uses_norm:
            decision.norm = sqrt(row.squared_norm)
        self.open = clock.n_queries < self.budget and clock.n_idle < self.patience
        decision.coin = uniform(self.state.seed, clock.n_seen)
        if self.open:
            decision.probability = self.state.probability(
                &row, decision.margin, decision.norm, decision.coin
            )
            decision.least = min(self.state.least, decision.probability)
            if self.searches and self.state.classes.searches(clock):
                decision.probability = decision.least = 1.0
        self.settle(&row, &decision)
        return stop

    cdef inline int settle(self, Row *row, const Decision *decision) except -1 nogil:
        """Carry out the decision on the row scored last."""
        cdef Clock *clock = &self.state.clock
        cdef bint hit = decision.coin < decision.probability
        cdef int reason
        if hit:
            row.weight = self.weights[row.index] if self.weighted else 1.0
            self.tally.set_rows(self.n_open, self.excess)
            reason = self.state.prepare(row, self.later)
            if reason != C_DONE:
                return self.stop(reason, row.index)
            if not self.later and self.labels[row.index] < 0:
                self.ask_for(row.index)
            self.before = clock[0]
            memcpy(
                &self.state.m_before[0], &self.state.m[0],
                self.state.m.shape[0] * sizeof(double),
            )
            self.unfinished = True
        if self.observes:
            self.state.observe(decision.margin, decision.norm)
        clock.n_seen += decision.n_rows
        clock.n_alike, clock.last_guess = decision.n_alike, decision.last_guess
        if hit:
            clock.n_queries += 1
            clock.n_idle = 0
            if not self.later:
                reason = self.state.learn(
                    row, self.labels[row.index], decision.probability, True
                )
                if reason != C_DONE:
                    return self.stop(reason, row.index)
            self.unfinished = False
            self.record(row.index, decision)
        elif self.open:
            clock.n_idle += decision.n_rows
        if self.open:
            self.count_open(decision.least)
        return 0

    cdef int ask_for(self, Py_ssize_t row) except -1 nogil:
        """Ask for the label of a row; an exception that follows the label waits."""
        with gil:
            try:
                self.ask(row)
            except BaseException as error:
                if self.labels[row] < 0:
                    raise
                self.interrupt, self.interrupted = error, True
        return 0

    cdef void record(self, Py_ssize_t row, const Decision *decision) noexcept nogil:
        """Record a purchase; the tally counts it if the coin was below the least."""
        cdef Py_ssize_t guess = self.state.guess
        cdef bint counts = decision.coin < decision.least
        self.bought[self.n_bought] = row
        self.chances[self.n_bought] = decision.probability
        if counts:
            self.tally.sums[ASKED] += 1
            if not self.later:
                self.tally.learn(
                    decision.least, guess != self.labels[row], self.n_open + 1
                )
        if self.later:
            self.guesses[self.n_bought, 0] = decision.least if counts else 0.0
            self.guesses[self.n_bought, 1] = guess
            self.guesses[self.n_bought, 2] = self.n_open + 1
        self.n_bought += 1

    cdef inline int count_open(self, double least) except -1 nogil:
        """Count a row that could be bought with a probability of `least` or more."""
        self.n_open += 1
        self.excess += (1 - least) / least
        if self.n_open % MARK_EVERY == 0:
            self.tally.set_rows(self.n_open, self.excess)
            self.tally.mark()
        return 0

    cdef inline bint is_usual(self, double score, double margin) noexcept nogil:
        """Tell whether the next row is finite and taken to be of the same class."""
        cdef Py_ssize_t n_alike = self.state.clock.n_alike + 1
        return margin <= DBL_MAX and (
            n_alike <= ALIKE
            or (score > 0) == self.state.clock.last_guess and n_alike % ALIKE != 0
        )

    cdef inline int let_pass(self, double product, double coin) except -1 nogil:
        """Count a row that is not bought; return 0, with no change, if more is to do.

        More is to do if the label is bought, or if another class may be predicted than
        before. For learners with one weight vector whose rule sees only margins.

        Parameters
        ----------
        product : double
            Product of the scaled row and the weights.
        coin : double
            Uniform number of the row.
        """
        cdef Clock *clock = &self.state.clock
        cdef double score = product + self.state.c[0], probability
        if self.reason != C_DONE or not self.is_usual(score, fabs(score)):
            return 0
        self.open = clock.n_queries < self.budget and clock.n_idle < self.patience
        if self.open:
            probability = self.query_rule.cy_probability(
                fabs(score), 1.0, clock, &self.state.m[0]
            )
            if coin < probability:
                return 0
            clock.n_idle += 1
            self.count_open(probability)
        clock.n_seen += 1
        clock.n_alike += 1
        return 1

    cdef Py_ssize_t block_size(self) noexcept nogil:
        """Number of rows to score before the first of them is decided.

        More than one only if the margin follows from the product with one weight vector
        and the probability from the margin, and if rows that pass are only counted. A
        threshold buys most CSR rows, so that blocks gain nothing.
        """
        if (
            self.state.W.shape[0] > 1 or not self.query_rule.by_margin
            or self.query_rule.group > 1 or self.observes or self.state.measures
            or self.state.classes.weighs
        ):
            return 1
        if self.rows.view.indices != NULL:
            return 1 if self.query_rule.is_threshold else SPARSE_AT_ONCE
        return AT_ONCE if self.rows.n_features <= WIDEST else 1

    cdef inline bint stays_open(self, Py_ssize_t n) noexcept nogil:
        """Tell whether each of the next n rows may be bought."""
        cdef const Clock *clock = &self.state.clock
        return clock.n_queries < self.budget and clock.n_idle + n <= self.patience

    cdef inline Py_ssize_t advance_block(
        self, Py_ssize_t start, Py_ssize_t end
    ) except -1 nogil:
        """Decide a few rows that are scored together; return where they end."""
        cdef const al_rows *X = &self.rows.view
        cdef Py_ssize_t i, position = 0, n = min(self.at_once, end - start), n_updates
        cdef Block block
        self.fill(&block, start, n)
        self.score_block(&block)
        while position < n and self.reason == C_DONE and not self.interrupted:
            position = self.let_block_pass(&block, position, n)
            if position == n:
                break
            n_updates = self.state.clock.n_updates
            if self.open and self.is_usual(
                block.score[position], block.margin[position]
            ):
                self.buy(&block, position)
            else:
                self.state.ahead = &block.product[position]
                self.state.ahead_squares = &block.squares[position]
                i = start + position
                self.advance_group(i, i + 1, i)
                self.state.ahead = NULL
            position += 1
            if self.state.clock.n_updates != n_updates:
                for i in range(position, n):
                    block.product[i] = X.dot(X, block.index[i], &self.state.W[0, 0])
                self.score_block(&block)
            elif self.query_rule.n_memory > 0:
                self.score_block(&block)
        return start + position

    cdef inline void fill(
        self, Block *block, Py_ssize_t start, Py_ssize_t n
    ) noexcept nogil:
        """Compute products, scales and coins of a block.

        Numbers after the last row are there to be computed with, and are not used.
        """
        cdef const al_rows *X = &self.rows.view
        cdef Py_ssize_t i
        for i in range(n):
            self.look_ahead(start + i)
            block.index[i] = self.at(start + i)
            block.coin[i] = uniform(self.state.seed, self.state.clock.n_seen + i)
            if self.measured:
                block.product[i] = X.dots(
                    X, block.index[i], &self.state.W[0, 0], &block.squares[i]
                )
            else:
                block.product[i] = X.dot(X, block.index[i], &self.state.W[0, 0])
        for i in range(n, AT_ONCE):
            block.product[i] = block.squares[i] = 1.0
        for i in range(AT_ONCE):
            block.scale[i] = 1.0
        if self.state.normalize:
            for i in range(AT_ONCE):
                block.scale[i] = 1 / sqrt(block.squares[i])
            for i in range(AT_ONCE):
                if not 1e-280 < block.squares[i] < 1e280:
                    block.scale[i] = NAN

    cdef inline void score_block(self, Block *block) noexcept nogil:
        """Compute scores, margins and probabilities from the products."""
        cdef Py_ssize_t i
        for i in range(AT_ONCE):
            block.score[i] = block.product[i] * block.scale[i] + self.state.c[0]
        for i in range(AT_ONCE):
            block.margin[i] = fabs(block.score[i])
        self.query_rule.cy_probabilities(
            block.margin, AT_ONCE, &self.state.m[0], block.probability
        )

    cdef inline Py_ssize_t let_block_pass(
        self, const Block *block, Py_ssize_t i, Py_ssize_t n
    ) except -1 nogil:
        """Count rows from number i on that are not bought.

        Returns the first row that is bought or not usual; i if the pass may close.
        """
        cdef Clock *clock = &self.state.clock
        self.open = self.stays_open(n - i)
        if not self.open:
            return i
        while (
            i < n and block.coin[i] >= block.probability[i]
            and self.is_usual(block.score[i], block.margin[i])
        ):
            clock.n_seen += 1
            clock.n_idle += 1
            clock.n_alike += 1
            self.count_open(block.probability[i])
            i += 1
        return i

    cdef inline int buy(self, const Block *block, Py_ssize_t i) except -1 nogil:
        """Buy the label of a usual row."""
        cdef Row row
        cdef Decision decision
        row.X, row.index, row.scale = &self.rows.view, block.index[i], block.scale[i]
        row.squared_norm = -1.0
        if self.state.normalize:
            row.squared_norm = self.state.shrink * (1 + self.state.fit_intercept)
        self.state.scores[0], self.state.guess = block.score[i], block.score[i] > 0
        decision.margin, decision.norm = block.margin[i], 1.0
        decision.coin = block.coin[i]
        decision.probability = decision.least = block.probability[i]
        decision.n_rows, decision.n_alike = 1, self.state.clock.n_alike + 1
        decision.last_guess = self.state.clock.last_guess
        return self.settle(&row, &decision)


cdef type ARRAY = np.ndarray


@cython.final
cdef class NextRows:
    """State of a pass, which a call of `partial_fit` leaves to the next call.

    Checking the same parameters again and copying the state of the learner take ten
    times as long as one row. So the state stays here, as long as the learner's
    attributes are the objects that were checked. Each call copies the arrays that have
    changed, for the learner. A call that finds anything unusual learns nothing here,
    and goes the general way.

    Parameters
    ----------
    attributes : dict
        Attributes of the learner.
    names : list of str
        Attributes on which a pass depends, besides what has been learned.
    state : LinearState
        State made from what has been learned. It shares no array that it changes.
    budget, patience : int
        Limits of the passes.
    """

    cdef Pass one
    cdef Rows no_rows  # not the last rows, which may be a view of many
    cdef object learned  # what the state holds; None while a pass changes it
    cdef list names, values, labels
    cdef dict known
    cdef int32_t[::1] codes

    def __init__(
        self, dict attributes, list names, LinearState state, Py_ssize_t budget,
        Py_ssize_t patience,
    ):
        self.learned, self.names = attributes["_learned"], names
        self.values = [attributes.get(name) for name in names]
        self.labels = attributes["classes_"].tolist()
        self.known = {label: code for code, label in enumerate(self.labels)}
        self.codes = np.empty(FEW, dtype=np.int32)
        self.no_rows = Rows(np.empty((0, state.W.shape[1])))
        self.one = Pass(self.no_rows, None, self.codes, None, state, budget, patience)
        self.one.make_room(FEW)

    def __reduce__(self):
        return type(None), ()  # copies begin the general way

    def learn(self, dict attributes, X, y, classes=None):
        """Learn the rows and return True, or leave everything and return False.

        Parameters
        ----------
        attributes : dict
            Attributes of a working copy of the learner; some are replaced.
        X, y, classes
            Rows, labels and classes as the user gave them.
        """
        cdef Pass one = self.one
        cdef LinearState state = one.state
        cdef Rows rows
        cdef Py_ssize_t i
        learned = self.learned
        if learned is None or attributes["_learned"] is not learned:
            return False
        for i in range(len(self.names)):
            if attributes.get(self.names[i]) is not self.values[i]:
                return False
        if not is_plain(X):
            return False
        rows = Rows(X)
        if not 0 < rows.n_rows <= FEW or rows.n_features != state.W.shape[1]:
            return False
        if classes is not None and plain_list(classes) != self.labels:
            return False
        if not self.encode(plain_list(y), rows.n_rows):
            return False
        self.learned = None
        one.begin(rows, rows.n_rows)
        one.run()
        one.rows = self.no_rows
        if one.stopped_at >= 0:
            return False
        learned = state.learned_since(learned)
        attributes["_learned"] = self.learned = learned
        attributes["queried_indices_"] = one.rows_bought
        attributes["stop_reason_"] = one.why_closed(one.budget)
        return True

    cdef bint encode(self, list labels, Py_ssize_t n) except -1:
        """Have the codes of labels; tell whether they are as many, and known."""
        cdef Py_ssize_t i
        if labels is None or len(labels) != n:
            return False
        for i in range(n):
            code = self.known.get(labels[i])
            if code is None:
                return False
            self.codes[i] = code
        return True


cdef list plain_list(labels):
    """Return labels as a list, or None if their container or one of them is unusual."""
    if type(labels) is ARRAY:
        if labels.ndim != 1:
            return None
        labels = labels.tolist()
    elif type(labels) in (list, tuple, range):
        labels = list(labels)
    else:
        return None
    for label in labels:
        if type(label) not in PLAIN_LABELS:
            return None
    return labels


def teach(
    Rows rows, const int32_t[::1] labels, const double[::1] probabilities,
    const uint8_t[::1] asked, const double[:, ::1] forecasts, LinearState state,
    const double[::1] weights,
):
    """Learn the labels of all rows, in order.

    Parameters
    ----------
    rows, labels, state
        Parameters of `Pass`.
    probabilities, asked : arrays of shape (n_samples,)
        Probability at which each row was bought, and whether it was; 1 for rows that
        were not asked for.
    forecasts : array of shape (n_samples, 3)
        `Pass.forecasts` of each row; 0 for rows that were not asked for.
    weights : array of shape (n_samples,)
        Weight of each label; of weight 0, it is not learned.

    Returns
    -------
    stopped_at : int
        Row before which it stopped early; -1 if it did not.
    """
    cdef Py_ssize_t i, stopped_at = -1
    cdef bint measure = state.normalize or state.measures
    cdef Row row
    row.X = &rows.view
    with nogil:
        for i in range(rows.n_rows):
            if weights[i] == 0:
                continue
            row.index, row.weight = i, weights[i]
            if (
                not isfinite(state.score_row(&row, measure))
                or state.prepare(&row, False) != C_DONE
                or state.learn(&row, labels[i], probabilities[i], asked[i]) != C_DONE
            ):
                stopped_at = i
                break
            if forecasts[i, 0] > 0:
                state.tally.learn(
                    forecasts[i, 0], forecasts[i, 1] != labels[i], forecasts[i, 2]
                )
    return stopped_at


cdef inline Py_ssize_t multiple(Py_ssize_t n, Py_ssize_t of) noexcept nogil:
    """The least multiple that is not below n."""
    return (n + of - 1) // of * of


@cython.final
cdef class Products:
    """Products of rows with the weight vectors of several learners.

    For dense rows each vector is stored by itself, and a few rows are multiplied at
    once. For CSR rows the vectors are stored feature by feature, so that the weights a
    row needs are together; rows are multiplied one at a time.

    Parameters
    ----------
    rows : Rows
        The matrix. If it is CSR, it serves such weights only from now on.
    order : array of int64, or None
        Row numbers in order; None for all rows in their order.
    n_vectors : int
        Number of weight vectors, of all learners.
    group : int, default=1
        The number of rows scored ahead is a multiple of it.
    known : array of shape (n_samples,), default=None
        Sums of the squares of dense rows, by row number, to avoid computing them.
    """

    cdef Rows rows
    cdef const int64_t[::1] order
    cdef al_all all
    cdef al_add_all add_all
    cdef al_many many
    cdef readonly bint sparse
    cdef readonly Py_ssize_t n_vectors, width
    cdef Py_ssize_t n, n_ahead
    cdef int64_t[::1] numbers, later
    cdef double[:, ::1] products
    cdef double[::1] squares
    cdef const double[::1] known

    def __init__(self, Rows rows, order, n_vectors, group=1, known=None):
        self.rows, self.order, self.known = rows, order, known
        self.n = rows.n_rows if order is None else len(order)
        self.n_vectors = n_vectors
        self.sparse = rows.view.indices != NULL
        rows.view.ahead = 0  # rows are prefetched once, for all vectors
        value_size = rows.owners[0].itemsize
        if self.sparse:
            self.width, self.n_ahead = multiple(n_vectors, AL_LANES), group
            al_keep_together(
                &rows.view, self.width, value_size, rows.owners[1].itemsize,
                _rows.widest, &self.all, &self.add_all,
            )
        else:
            self.width = multiple(n_vectors, 4)
            self.n_ahead = multiple(AL_ROWS_AT_ONCE, group)
            self.many = al_find_many(value_size, _rows.widest)
        n_slots = multiple(self.n_ahead, AL_ROWS_AT_ONCE)
        self.numbers, self.later = np.empty((2, n_slots), dtype=np.int64)
        self.products = np.empty((n_slots, self.width))
        self.squares = np.empty(n_slots)

    def zeros(self, spare=()):
        """Return a 0 for each weight of all vectors.

        Parameters
        ----------
        spare : list of ndarray, default=()
            Arrays that are not needed any more, which loses one if it fits. Fresh memory
            for the weights of CSR rows takes longer than setting an array to 0.
        """
        n, n_in_front = self.rows.n_features, AL_IN_FRONT if self.sparse else 0
        size = (n_in_front + n) * self.width
        try:
            zeros = spare.pop() if spare else None  # only one of two threads gets it
        except IndexError:
            zeros = None
        if zeros is None or len(zeros) != size + 8:
            zeros = np.zeros(size + 8)
        else:
            zeros.fill(0)
        skipped = -zeros.ctypes.data % 64 // 8  # up to the start of a cache line
        zeros = zeros[skipped : skipped + size]
        if not self.sparse:
            return zeros.reshape(self.width, n)
        return zeros.reshape(n_in_front + n, self.width)[n_in_front:]

    def part(self, weights, k, n):
        """Return n vectors from number k on, so that a `LinearState` can use them.

        Of vectors stored feature by feature it is the first feature.
        """
        return weights[0, k : k + n, None] if self.sparse else weights[k : k + n]

    def scores(self, weights, intercepts, n_each, bint normalize):
        """Return the scores of all rows, as `decision_function` of each learner does.

        Parameters
        ----------
        weights : ndarray
            Weights that predict, in an array made by `zeros`.
        intercepts : array of shape (n_vectors,)
            Weights of the constant feature.
        n_each : int
            Vectors of a learner.
        normalize : bool
            Whether rows are scaled to unit norm.

        Returns
        -------
        scores : list of ndarray of shape (n_rows,) or (n_rows, n_each)
            Scores by each learner.
        """
        cdef const double[:, ::1] all_weights = weights
        cdef const double[::1] constants = intercepts
        cdef const al_rows *X = &self.rows.view
        cdef double norm, scale = 1.0
        cdef double[:, ::1] out = np.empty((self.n, self.n_vectors))
        cdef Py_ssize_t start = 0, end, slot, k
        with nogil:
            while start < self.n:
                end = self.score_ahead(all_weights, start, normalize)
                for slot in range(end - start):
                    if normalize:
                        norm = norm_of(X, self.at(start + slot), self.squares[slot])
                        scale = 1 / norm if norm > 0 else 0.0
                    for k in range(self.n_vectors):
                        out[start + slot, k] = (
                            self.products[slot, k] * scale + constants[k]
                        )
                start = end
        if n_each == 1:
            return list(np.asarray(out).T)
        return np.split(np.asarray(out), self.n_vectors // n_each, axis=1)

    cdef inline Py_ssize_t at(self, Py_ssize_t position) noexcept nogil:
        """Row at a position of the order."""
        return position if self.order is None else self.order[position]

    cdef Py_ssize_t score_ahead(
        self, const double[:, ::1] weights, Py_ssize_t start, bint measure
    ) noexcept nogil:
        """Multiply the next rows with all vectors; return where these rows end."""
        cdef const al_rows *X = &self.rows.view
        cdef Py_ssize_t slot, i, k, end = min(start + self.n_ahead, self.n)
        for slot in range(self.numbers.shape[0]):
            self.numbers[slot] = i = self.at(min(start + slot, end - 1))
            self.later[slot] = self.at(min(start + slot + AHEAD, self.n - 1))
            if start + slot >= end:
                continue
            if self.many == NULL and start + slot + AHEAD < self.n:
                X.fetch(X, self.at(start + slot + AHEAD))
            if self.sparse:
                self.all(
                    X, i, &weights[0, 0], &self.products[slot, 0], &self.squares[slot]
                )
            elif self.known is not None:
                self.squares[slot] = self.known[i]
            elif measure:
                X.dots(X, i, &weights[0, 0], &self.squares[slot])
        if self.sparse:
            return end
        for k in range(0, self.width, 4):
            if self.many != NULL:
                slot = 0
                while slot < end - start:
                    self.many(
                        X, &self.numbers[slot], &self.later[slot], k // 4,
                        self.width // 4, &weights[k, 0], weights.shape[1],
                        &self.products[slot, k], self.width,
                    )
                    slot += AL_ROWS_AT_ONCE
            else:
                for slot in range(end - start):
                    X.dot4(
                        X, self.numbers[slot], &weights[k, 0], weights.shape[1],
                        &self.products[slot, k],
                    )
        return end

    cdef void hand_over(
        self, LinearState state, Py_ssize_t k, Py_ssize_t slot
    ) noexcept nogil:
        """Give a learner, whose first vector is number k, the products from a slot on."""
        state.ahead = &self.products[slot, k]
        state.ahead_stride = self.width
        state.ahead_squares = &self.squares[slot]


cdef class BatchedPass:
    """Passes of learners that have learned nothing yet, all over the same rows at once.

    Parameters
    ----------
    passes : list of Pass
        One or more passes over the same `Rows`, order and group, each with its own
        `LinearState`, all with the same number of weight vectors.
    squares : array of shape (n_samples,), default=None
        Sums of squares of dense rows, as for `Products`.
    spare : list of ndarray, default=()
        Arrays as for `Products.zeros`.
    """

    cdef readonly list passes
    cdef readonly object weights, drift, means, intercepts
    cdef double[:, ::1] weights_view, drift_view
    cdef Products products
    cdef Py_ssize_t n_each
    cdef uint64_t seed
    cdef bint normalize, simple, measured
    cdef double[::1] scales, coins

    def __init__(self, passes, squares=None, spare=()):
        cdef Pass one, lead = passes[0]
        self.passes, self.n_each = passes, len(lead.state.c)
        self.products = Products(
            lead.rows, None if lead.order is None else np.asarray(lead.order),
            self.n_each * len(passes), lead.query_rule.group, squares,
        )
        self.weights = self.products.zeros(spare)
        self.drift = self.products.zeros(spare)
        self.weights_view, self.drift_view = self.weights, self.drift
        self.seed, self.normalize = lead.state.seed, lead.state.normalize
        self.simple = self.n_each == 1 and lead.query_rule.group == 1
        for one in passes:
            self.measured |= one.measured
            self.simple &= one.state.seed == self.seed and not (
                one.observes or one.later or one.state.classes.weighs
            )
        n_ahead = self.products.n_ahead
        self.scales, self.coins = np.ones(n_ahead), np.empty(n_ahead)

    def run(self):
        """Go over all rows."""
        cdef Products products = self.products
        cdef intptr_t[::1] members = np.array(
            [id(one) for one in self.passes], dtype=np.intp
        )
        cdef Pass one
        cdef Py_ssize_t n_each = self.n_each, start = 0, end, k
        cdef bint usual
        for k, one in enumerate(self.passes):
            one.jumps = False  # rows are prefetched for all passes at once
            one.at_once = 1  # and scored
            one.state.W = products.part(self.weights, k * n_each, n_each)
            one.state.W_drift = products.part(self.drift, k * n_each, n_each)
        try:
            with nogil:
                while start < products.n:
                    end = products.score_ahead(self.weights_view, start, self.measured)
                    usual = self.simple and self.prepare(start, end)
                    for k in range(members.shape[0]):
                        self.advance(<Pass> <void *> members[k], k, start, end, usual)
                    if products.n_ahead == 1:
                        self.add_steps(products.at(start))
                    start = end
        finally:
            for one in self.passes:
                one.end()

    cdef bint prepare(self, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
        """Compute scales and coins of the next rows; return whether norms are usual."""
        cdef Py_ssize_t slot
        cdef double square
        for slot in range(end - start):
            self.coins[slot] = uniform(self.seed, start + slot)
            if self.normalize:
                square = self.products.squares[slot]
                if not 1e-280 < square < 1e280:
                    return False
                self.scales[slot] = 1 / sqrt(square)
        return True

    cdef int advance(
        self, Pass one, Py_ssize_t k, Py_ssize_t start, Py_ssize_t end, bint usual
    ) except -1 nogil:
        """Take learner k over the next rows."""
        cdef Py_ssize_t position = start, slot
        while usual and position < end:
            slot = position - start
            if not one.let_pass(
                self.products.products[slot, k] * self.scales[slot], self.coins[slot]
            ):
                self.products.hand_over(one.state, k, slot)
                one.advance(position, position + 1)
                usual = one.state.ahead != NULL  # else its weights have moved
            position += 1
        if position == start:
            self.products.hand_over(one.state, k * self.n_each, 0)
        one.advance(position, end)
        if self.products.n_ahead > 1 and one.n_bought > 0:
            self.add_steps(one.bought[one.n_bought - 1])
        return 0

    cdef void add_steps(self, Py_ssize_t row) noexcept nogil:
        """Make the steps along a CSR row that wait in front of the weights."""
        cdef const al_rows *X = &self.products.rows.view
        if self.products.sparse:
            self.products.add_all(X, row, &self.weights_view[0, 0])
            self.products.add_all(X, row, &self.drift_view[0, 0])

    @property
    def memory(self):
        """Arrays of weights and drift, to be reused once they are not needed."""
        return [self.weights.base, self.drift.base]

    def hand_back(self):
        """Copy the weights of each learner into its state."""
        cdef Pass one
        sparse = self.products.sparse
        for k, one in enumerate(self.passes):
            own = slice(k * self.n_each, (k + 1) * self.n_each)
            coef, drift = (
                np.array(part[:, own].T if sparse else part[own], order="C")
                for part in (self.weights, self.drift)
            )
            one.state.weights = one.state.weights._replace(coef=coef, coef_drift=drift)

    def average(self):
        """Replace the drift, which is not needed any more, by weights that predict."""
        cdef Pass one
        taught = np.ones(self.products.width)
        intercepts = np.zeros(self.products.width)
        for k, one in enumerate(self.passes):
            own = slice(k * self.n_each, (k + 1) * self.n_each)
            taught[own] = max(one.state.clock.n_taught, 1)
            intercepts[own] = one.state.c
            intercepts[own] -= np.asarray(one.state.c_drift) / taught[own]
            if one.state.classes.balances:
                intercepts[own] -= one.state.classes.mean_thresholds
        with np.errstate(over="ignore", invalid="ignore"):  # learners that were stopped
            self.drift /= taught if self.products.sparse else taught[:, None]
            self.means = np.subtract(self.weights, self.drift, out=self.drift)
        self.intercepts = intercepts[: self.products.n_vectors]

    def scores(self, Rows rows, order, bint normalize, squares=None):
        """Return the scores of rows, as `decision_function` of each learner does.

        Parameters
        ----------
        rows : Rows
            A matrix that nothing else uses.
        order : array of int64, or None
            Row numbers to score; None for all rows.
        normalize : bool
            Whether rows are scaled to unit norm.
        squares : array of shape (n_samples,), default=None
            Sums of squares of dense rows, as for `Products`.

        Returns
        -------
        scores : list of ndarray of shape (n_rows,) or (n_rows, n_classes)
            Scores by each learner.
        """
        products = Products(rows, order, self.products.n_vectors, 1, squares)
        return products.scores(self.means, self.intercepts, self.n_each, normalize)
