# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False, initializedcheck=False
"""The one loop over rows, for every query rule, update rule and kind of matrix.

For each row: look at it (scores and margin), let the query rule say with which
probability its label is worth buying, draw one uniform number, and, if the
label is bought, let the update rule move the weights.

The loop never consumes a row it cannot finish: it stops just before a row whose
label the oracle fails to give, whose margin is not a finite number, or whose
update would overflow or raises. The state is then that of all earlier rows.
"""

from typing import NamedTuple

import numpy as np

from libc.math cimport isfinite, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from .._rows cimport Rows, al_rows
from ._linear_state cimport C_DONE, C_NOT_FINITE, LinearState, Row
from ._rules cimport Clock, QueryRule, UpdateRule
from ._tally cimport BLOCK, EXCESS, N_COLUMNS, OCTAVE_ROWS, ROWS, Tally, octave_of

from ._linear_state import Counts, Weights
from ._tally import no_rows


cdef enum:
    AHEAD = 8  # rows between telling the memory of a row and reading it

DONE = C_DONE


class Outcome(NamedTuple):
    """How a loop over rows ended."""

    reason: int  # `DONE`, or why it stopped early
    row: int  # at which it did; -1 for none
    closed: bool  # whether nothing could be bought at the end: budget, patience


cdef inline double uniform(uint64_t seed, uint64_t t) noexcept nogil:
    """The t-th number in [0, 1) of the stream's generator.

    The output function of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014) at its
    t-th state: the seed and the number of rows seen are all there is to store.
    """
    cdef uint64_t z = seed + (t + 1) * <uint64_t> 0x9E3779B97F4A7C15
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
    return (z ^ (z >> 31)) / 2048 * (1.0 / 9007199254740992.0)


def run(
    Rows rows, const int64_t[::1] order, int32_t[::1] labels, ask,
    QueryRule query_rule, UpdateRule update_rule, LinearState state,
    Py_ssize_t budget, Py_ssize_t patience,
    int64_t[::1] bought, double[::1] probabilities, double[:, ::1] forecasts=None,
):
    """Offer the rows to the learner, one after the other.

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
        code came before, it is learned before the loop ends with the exception.
    query_rule, update_rule : QueryRule, UpdateRule
        What to buy and how to learn it.
    state : LinearState
        Worked on in place.
    budget, patience : int
        Most labels to buy in all; most rows to let pass without buying one.
    bought, probabilities : arrays with room for every row
        Receive the rows bought and the probabilities they were bought at.
    forecasts : array of shape (n_samples, 3), or None
        Receives, if labels come later, what the tally is to be told with them: the
        least that the probability can have been, 0 if the coin was not below it, the
        class predicted, and the number of the row among those counted.

    Returns
    -------
    outcome : Outcome
        How it ended.
    """
    cdef Py_ssize_t n = rows.n_rows if order is None else order.shape[0]
    cdef Py_ssize_t start = 0, stop, position, picked = -1, n_bought = 0
    cdef bint ordered = order is not None, later = labels is None, hit, open
    cdef bint measured = state.normalize or state.measures or query_rule.uses_norm
    cdef const al_rows *X = &rows.view
    cdef Clock *clock = &state.clock
    cdef Clock before
    cdef Tally tally = state.tally
    cdef (double[N_COLUMNS]) *octaves = <double[N_COLUMNS] *> &tally.octaves[0, 0]
    cdef Py_ssize_t n_open = <Py_ssize_t> tally.sums[ROWS]
    cdef double excess = tally.sums[EXCESS]
    # dense rows in order need no help: the processor sees what comes next
    cdef bint jumps = ordered or X.indices != NULL
    cdef double *memory = &state.m[0]
    cdef size_t memory_size = state.m.nbytes
    cdef double margin, other, norm = 1.0, coin, probability, least
    cdef int reason = C_DONE
    cdef Row row
    cdef bint interrupted = False, unfinished = False, counts, wrong
    interrupt = None
    state.reports = later
    if later and clock.n_updates == 0:
        budget = clock.n_queries + min(
            budget - clock.n_queries, query_rule.blind_purchases(clock)
        )
    open = clock.n_queries < budget and clock.n_idle < patience
    try:
        with nogil:
            while start < n and not interrupted:
                stop = min(start + query_rule.group, n)
                margin = 1.0 / 0.0
                for position in range(start, stop):
                    if jumps and position + AHEAD < n:
                        X.fetch(
                            X, order[position + AHEAD] if ordered else position + AHEAD
                        )
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
                coin = uniform(state.seed, clock.n_seen)
                probability = 0.0
                if open:
                    probability = state.probability(
                        X, &row, margin, norm, coin, query_rule
                    )
                    least = min(state.least, probability)
                hit = coin < probability
                if hit:
                    tally.stand(n_open, excess)
                    reason = state.prepare(X, &row, later)
                    if reason != C_DONE:
                        break
                    if not later and labels[row.index] < 0:
                        with gil:
                            try:
                                ask(row.index)
                            except BaseException as error:
                                if labels[row.index] < 0:
                                    raise
                                interrupt, interrupted = error, True
                    before = clock[0]
                    memcpy(&state.m_before[0], memory, memory_size)
                    unfinished = True
                clock.n_seen += stop - start
                state.observe(norm, query_rule)
                if hit:
                    clock.n_queries += 1
                    clock.n_idle = 0
                    if not later:
                        reason = state.learn(
                            X, &row, labels[row.index], query_rule, update_rule,
                            probability, True,
                        )
                        if reason != C_DONE:
                            break
                    unfinished = False
                    bought[n_bought] = row.index
                    probabilities[n_bought] = probability
                    counts = coin < least
                    if counts:
                        tally.buy(least)
                        if not later:
                            wrong = state.guess() != labels[row.index]
                            tally.learn(least, wrong, n_open + 1)
                    if later:
                        forecasts[n_bought, 0] = least if counts else 0.0
                        forecasts[n_bought, 1] = state.guess()
                        forecasts[n_bought, 2] = n_open + 1
                    n_bought += 1
                elif open:
                    clock.n_idle += stop - start
                if open:
                    n_open += 1
                    excess += (1 - least) / least
                    octaves[octave_of(least)][OCTAVE_ROWS] += 1
                    if n_open % BLOCK == 0:
                        tally.stand(n_open, excess)
                        tally.mark()
                start = stop
    finally:
        tally.stand(n_open, excess)
        if unfinished:
            clock[0] = before
            memcpy(memory, &state.m_before[0], memory_size)
    if interrupted:
        raise interrupt
    return Outcome(reason, row.index if reason != C_DONE else -1, not open)


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
        What `run` told of each row; 0 for rows nobody asked for.

    Returns
    -------
    outcome : Outcome
        How it ended.
    """
    cdef Py_ssize_t i
    cdef int reason = C_DONE
    cdef Row row
    cdef const al_rows *X = &rows.view
    with nogil:
        for i in range(rows.n_rows):
            row.index = i
            if not isfinite(state.look(X, &row, state.normalize or state.measures)):
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
        Weights(coef, intercept, coef[:, :0], intercept), [], Counts(), no_rows(), 0,
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
