# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""The one loop over rows, for every query rule, update rule and kind of matrix.

For each row: score it (scores and margin), let the query rule say with which
probability its label is worth buying, draw one uniform number, and, if the
label is bought, let the update rule move the weights.

The loop never consumes a row it cannot finish: it stops just before a row whose
label the oracle fails to give, whose margin is not a finite number, or whose
update would overflow or raises. The state is then that of all earlier rows.
"""

from typing import NamedTuple

import numpy as np

from libc.math cimport isfinite, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from .._rows cimport Rows, al_rows
from ._block cimport advance_block, rows_at_once, stays_open
from ._linear_state cimport ALIKE, C_DONE, C_NOT_FINITE, LinearState, Row
from ._rule_base cimport Clock, QueryRule, UpdateRule
from ._tally cimport EXCESS, ROWS
from ._uniform cimport uniform

from .._validation import check_finite_row
from ._class_weights import ClassWeights, no_labels
from ._linear_state import Counts, Weights
from ._tally import no_rows


DONE = C_DONE


class Outcome(NamedTuple):
    """How a loop over rows ended."""

    reason: int  # `DONE`, or why it stopped early
    row: int  # at which it did; -1 for none
    closed: bool  # whether nothing could be bought at the end: budget, patience


def raise_unless_done(outcome, X, cure):
    """Turn the reason why the loop stopped early into an error that names the row."""
    if outcome.reason == DONE:
        return
    check_finite_row(X, outcome.row)
    raise ValueError(
        f"Row {outcome.row} of X: the margin or the weights overflow or lose their "
        f"digits; scale the rows, or {cure}."
    )


cdef class Pass:
    """The pass of a learner over the rows of a matrix.

    Parameters
    ----------
    rows : Rows
        The matrix.
    order : array of int64, or None
        Rows in the order in which they come; None for all of them as they are.
    labels : array of int32 of shape (n_samples,), or None
        Class codes; a negative code is a label not known yet. None: labels come
        later, so nothing is learned now.
    ask : callable
        ``ask(row)`` puts the code of a bought row into `labels`; may raise. If the
        code came before, it is learned before the pass ends with the exception.
    query_rule, update_rule : QueryRule, UpdateRule
        What to buy and how to learn it.
    state : LinearState
        Worked on in place.
    budget, patience : int
        Most labels to buy in all; most rows to let pass without buying one.
    bought, probabilities : arrays with room for every row
        Receive the rows bought and the probabilities they were bought at.
    forecasts : array of shape (n_samples, 3), or None
        Receives, if labels come later, what the tally needs with them: the
        least that the probability can have been, 0 if the coin was not below it, the
        class predicted, and the number of the row among those counted.
    """

    def __init__(
        self, Rows rows, const int64_t[::1] order, int32_t[::1] labels, ask,
        QueryRule query_rule, UpdateRule update_rule, LinearState state,
        Py_ssize_t budget, Py_ssize_t patience,
        int64_t[::1] bought, double[::1] probabilities, double[:, ::1] forecasts=None,
    ):
        cdef Clock *clock = &state.clock
        self.rows, self.order, self.ordered = rows, order, order is not None
        self.n = order.shape[0] if self.ordered else rows.n_rows
        self.labels, self.later, self.ask = labels, labels is None, ask
        self.query_rule, self.update_rule, self.state = query_rule, update_rule, state
        query_rule.cy_begin_pass(len(state.memory))
        update_rule.cy_begin_pass()
        self.observes = (
            query_rule.uses_norm or query_rule.delays or query_rule.is_python
            or query_rule.is_external
        )
        self.bought, self.probabilities = bought, probabilities
        self.forecasts = forecasts
        self.measured = state.normalize or state.measures or query_rule.uses_norm
        # products with dense rows fetch ahead themselves, while rows come in order
        self.jumps = self.ordered or rows.view.indices != NULL
        if self.ordered:
            rows.view.ahead = 0
        self.tally = state.tally
        self.n_open = <Py_ssize_t> self.tally.sums[ROWS]
        self.excess = self.tally.sums[EXCESS]
        state.reports = self.later or state.classes.weighs
        # of a group one row is bought, whatever is known
        self.searches = state.classes.weighs and query_rule.group == 1
        if self.later and clock.n_updates == 0:
            budget = clock.n_queries + min(
                budget - clock.n_queries, query_rule.cy_blind_purchases(clock)
            )
        self.budget, self.patience = budget, patience
        self.open = clock.n_queries < budget and clock.n_idle < patience
        self.at_once = rows_at_once(self)
        self.reason, self.stopped_at = C_DONE, -1

    cdef int advance(self, Py_ssize_t start, Py_ssize_t end) except -1 nogil:
        """Go on over rows `start` to `end` of the order, both multiples of the group."""
        cdef Py_ssize_t first = start
        while start < end and self.reason == C_DONE and not self.interrupted:
            if self.at_once > 1 and stays_open(self, self.at_once):
                start = advance_block(self, start, end)
            else:
                start = self.advance_group(
                    start, min(start + self.query_rule.group, end), first
                )
        return 0

    cdef Py_ssize_t advance_group(
        self, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t first
    ) except -1 nogil:
        """Decide on a group of rows, scored ahead from `first` on; return its end."""
        cdef const al_rows *X = &self.rows.view
        cdef Clock *clock = &self.state.clock
        cdef Py_ssize_t position, picked = start, guess
        cdef double other
        cdef Row row
        cdef Decision decision
        decision.margin, decision.norm = 1.0 / 0.0, 1.0
        decision.probability, decision.least = 0.0, 1.0
        decision.n_rows = stop - start
        decision.n_alike = self.state.n_alike
        decision.last_guess = self.state.last_guess
        for position in range(start, stop):
            if self.jumps and position + AHEAD < self.n:
                X.fetch(X, self.at(position + AHEAD))
            row.index, row.slot = self.at(position), position - first
            other = self.state.score_row(X, &row, self.measured)
            if not isfinite(other):
                self.stopped(C_NOT_FINITE, row.index)
                return stop
            if other < decision.margin:
                decision.margin, picked = other, position
            decision.n_alike += 1
            if decision.n_alike > ALIKE:
                guess = self.state.prediction(
                    X, &row, decision.n_alike, decision.last_guess
                )
                if guess != decision.last_guess:
                    decision.n_alike, decision.last_guess = 1, guess
        if picked != stop - 1:
            row.index, row.slot = self.at(picked), picked - first
            self.state.score_row(X, &row, self.measured)
        if self.query_rule.uses_norm:
            decision.norm = sqrt(row.squared_norm)
        self.open = clock.n_queries < self.budget and clock.n_idle < self.patience
        decision.coin = uniform(self.state.seed, clock.n_seen)
        if self.open:
            decision.probability = self.state.probability(
                X, &row, decision.margin, decision.norm, decision.coin, self.query_rule
            )
            decision.least = min(self.state.least, decision.probability)
            if self.searches and self.state.classes.searches(clock):
                decision.probability = decision.least = 1.0
        self.settle(&row, &decision)
        return stop

    cdef inline int settle(self, Row *row, const Decision *decision) except -1 nogil:
        """Carry out what was decided on the row that was scored last."""
        cdef const al_rows *X = &self.rows.view
        cdef Clock *clock = &self.state.clock
        cdef bint hit = decision.coin < decision.probability
        cdef int reason
        if hit:
            self.tally.stand(self.n_open, self.excess)
            reason = self.state.prepare(X, row, self.later)
            if reason != C_DONE:
                return self.stopped(reason, row.index)
            if not self.later and self.labels[row.index] < 0:
                self.ask_for(row.index)
            self.before = clock[0]
            self.n_alike_before = self.state.n_alike
            self.last_guess_before = self.state.last_guess
            memcpy(
                &self.state.m_before[0], &self.state.m[0],
                self.state.m.shape[0] * sizeof(double),
            )
            self.unfinished = True
        if self.observes:
            self.state.observe(decision.margin, decision.norm, self.query_rule)
        clock.n_seen += decision.n_rows
        self.state.n_alike = decision.n_alike
        self.state.last_guess = decision.last_guess
        if hit:
            clock.n_queries += 1
            clock.n_idle = 0
            if not self.later:
                reason = self.state.learn(
                    X, row, self.labels[row.index], self.query_rule,
                    self.update_rule, decision.probability, True,
                )
                if reason != C_DONE:
                    return self.stopped(reason, row.index)
            self.unfinished = False
            self.note(row.index, decision)
        elif self.open:
            clock.n_idle += decision.n_rows
        if self.open:
            count_open(self, decision.least)
        return 0

    cdef inline Py_ssize_t at(self, Py_ssize_t position) noexcept nogil:
        """Row at a position of the order."""
        return self.order[position] if self.ordered else position

    cdef int stopped(self, int reason, Py_ssize_t row) noexcept nogil:
        """Note why and where the pass stops early."""
        self.reason, self.stopped_at = reason, row
        return 0

    cdef int ask_for(self, Py_ssize_t row) except -1 nogil:
        """Have the label of a row; an exception that comes with it waits."""
        with gil:
            try:
                self.ask(row)
            except BaseException as error:
                if self.labels[row] < 0:
                    raise
                self.interrupt, self.interrupted = error, True
        return 0

    cdef void note(self, Py_ssize_t row, const Decision *decision) noexcept nogil:
        """Write down a purchase; it counts if the coin was below the least."""
        cdef Py_ssize_t guess = self.state.guess
        cdef bint counts = decision.coin < decision.least
        self.bought[self.n_bought] = row
        self.probabilities[self.n_bought] = decision.probability
        if counts:
            self.tally.buy(decision.least)
            if not self.later:
                self.tally.learn(
                    decision.least, guess != self.labels[row], self.n_open + 1
                )
        if self.later:
            self.forecasts[self.n_bought, 0] = decision.least if counts else 0.0
            self.forecasts[self.n_bought, 1] = guess
            self.forecasts[self.n_bought, 2] = self.n_open + 1
        self.n_bought += 1

    @property
    def rows_bought(self):
        """Rows that were bought, in order."""
        return np.array(self.bought[: self.n_bought])

    def end(self):
        """Leave the state as it is after the last row that could be finished.

        Returns
        -------
        outcome : Outcome
            How the pass ended.
        """
        self.state.ahead = NULL  # an error may leave it at numbers that are gone
        self.tally.stand(self.n_open, self.excess)
        if self.unfinished:
            self.state.clock = self.before
            self.state.n_alike = self.n_alike_before
            self.state.last_guess = self.last_guess_before
            self.state.m[:] = self.state.m_before
        return Outcome(self.reason, self.stopped_at, not self.open)


def run(Pass prepared):
    """Offer all rows to the learner, one after the other.

    Returns
    -------
    outcome : Outcome
        How it ended.
    """
    try:
        with nogil:
            prepared.advance(0, prepared.n)
    finally:
        outcome = prepared.end()
    if prepared.interrupted:
        raise prepared.interrupt
    return outcome


def teach(
    Rows rows, const int32_t[::1] labels, const double[::1] probabilities,
    const uint8_t[::1] asked, const double[:, ::1] forecasts, QueryRule query_rule, UpdateRule update_rule,
    LinearState state,
):
    """Learn the labels of all rows, in order.

    Parameters
    ----------
    rows, labels, query_rule, update_rule, state
        As for `run`.
    probabilities, asked : arrays of shape (n_samples,)
        Whether each row had been asked for and the probability at which;
        1 for rows nobody asked for.
    forecasts : array of shape (n_samples, 3)
        What `run` reported of each row; 0 for rows nobody asked for.

    Returns
    -------
    outcome : Outcome
        How it ended.
    """
    cdef Py_ssize_t i
    cdef int reason = C_DONE
    cdef Row row
    cdef const al_rows *X = &rows.view
    query_rule.cy_begin_pass(len(state.memory))
    update_rule.cy_begin_pass()
    with nogil:
        for i in range(rows.n_rows):
            row.index = i
            if not isfinite(state.score_row(X, &row, state.normalize or state.measures)):
                reason = C_NOT_FINITE
                break
            reason = state.prepare(X, &row, False)
            if reason != C_DONE:
                break
            reason = state.learn(
                X, &row, labels[i], query_rule, update_rule, probabilities[i], asked[i]
            )
            if reason != C_DONE:
                break
            if forecasts[i, 0] > 0:
                state.tally.learn(
                    forecasts[i, 0], forecasts[i, 1] != labels[i], forecasts[i, 2]
                )
    return Outcome(reason, row.index if reason != C_DONE else -1, False)


def scores(Rows rows, coef, intercept, bint normalize):
    """Scores of all rows, (n_samples, n_vectors), as the loop computes them."""
    cdef LinearState state = LinearState(
        Weights(coef, intercept, coef[:, :0], intercept), [], Counts(), no_rows(),
        ClassWeights(no_labels(2)), 0, normalize, False, False,
    )
    out = np.empty((rows.n_rows, len(intercept)))
    cdef double[:, ::1] view = out
    cdef Py_ssize_t i
    cdef Row row
    with nogil:
        for i in range(rows.n_rows):
            row.index = i
            state.score_row(&rows.view, &row, normalize)
            view[i] = state.scores
    return out
