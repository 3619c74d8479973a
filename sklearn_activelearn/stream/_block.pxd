# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# Rows that are scored together before the first of them is decided. Once the weights
# have moved, products of those left are made again: each row has the numbers that it
# would have had by itself.

from libc.float cimport DBL_MAX
from libc.math cimport NAN, fabs, sqrt

from .._rows cimport al_rows
from ._linear_state cimport ALIKE, C_DONE, Row
from ._pass cimport AHEAD, Decision, Pass, count_open
from ._rule_base cimport Clock
from ._uniform cimport uniform


cdef enum:
    AT_ONCE = 8         # rows of a block, at most
    SPARSE_AT_ONCE = 4  # rows of a block, if they are CSR
    WIDEST = 256        # features of dense rows in blocks; wider ones gain nothing


cdef struct Block:
    Py_ssize_t index[AT_ONCE]
    double product[AT_ONCE]
    double squares[AT_ONCE]
    double scale[AT_ONCE]  # NaN where the norm needs care
    double score[AT_ONCE]
    double margin[AT_ONCE]
    double coin[AT_ONCE]
    double probability[AT_ONCE]


cdef inline Py_ssize_t rows_at_once(Pass one) noexcept nogil:
    """How many rows to score before the first of them is decided.

    More than one only if the margin follows from the product with one weight vector and
    the probability from the margin, and if rows that pass leave nothing behind but counts.
    A threshold buys most CSR rows, so that scoring them ahead gains nothing.
    """
    if (
        one.state.W.shape[0] > 1 or not one.query_rule.by_margin
        or one.query_rule.group > 1 or one.observes or one.state.measures
        or one.state.classes.weighs
    ):
        return 1
    if one.rows.view.indices != NULL:
        return 1 if one.query_rule.is_threshold else SPARSE_AT_ONCE
    return AT_ONCE if one.rows.n_features <= WIDEST else 1


cdef inline bint stays_open(Pass one, Py_ssize_t n) noexcept nogil:
    """Whether the label of each of the next rows may be bought."""
    cdef const Clock *clock = &one.state.clock
    return clock.n_queries < one.budget and clock.n_idle + n <= one.patience


cdef inline Py_ssize_t advance_block(
    Pass one, Py_ssize_t start, Py_ssize_t end
) except -1 nogil:
    """Go on over a few rows; return where they end."""
    cdef const al_rows *X = &one.rows.view
    cdef Py_ssize_t i, next_one = 0, n = min(one.at_once, end - start), n_updates
    cdef Block block
    fill(one, &block, start, n)
    answer(one, &block)
    while next_one < n and one.reason == C_DONE and not one.interrupted:
        next_one = let_pass_until(one, &block, next_one, n)
        if next_one == n:
            break
        n_updates = one.state.clock.n_updates
        if one.open and is_usual(one, &block, next_one):
            buy(one, &block, next_one)
        else:
            one.state.ahead = &block.product[next_one]
            one.state.ahead_squares = &block.squares[next_one]
            i = start + next_one
            one.advance_group(i, i + 1, i)
            one.state.ahead = NULL
        next_one += 1
        if one.state.clock.n_updates != n_updates:
            for i in range(next_one, n):
                block.product[i] = X.dot(X, block.index[i], &one.state.W[0, 0])
            answer(one, &block)
        elif one.query_rule.n_memory > 0:
            answer(one, &block)
    return start + next_one


cdef inline void fill(
    Pass one, Block *block, Py_ssize_t start, Py_ssize_t n
) noexcept nogil:
    """Fill in what does not change while rows are decided, and the products.

    Numbers behind the last row are there to be computed with, and are not used.
    """
    cdef const al_rows *X = &one.rows.view
    cdef Py_ssize_t i
    for i in range(n):
        if one.jumps and start + i + AHEAD < one.n:
            X.fetch(X, one.at(start + i + AHEAD))
        block.index[i] = one.at(start + i)
        block.coin[i] = uniform(one.state.seed, one.state.clock.n_seen + i)
        if one.measured:
            block.product[i] = X.dots(
                X, block.index[i], &one.state.W[0, 0], &block.squares[i]
            )
        else:
            block.product[i] = X.dot(X, block.index[i], &one.state.W[0, 0])
    for i in range(n, AT_ONCE):
        block.product[i] = block.squares[i] = 1.0
    for i in range(AT_ONCE):
        block.scale[i] = 1.0
    if one.state.normalize:
        for i in range(AT_ONCE):
            block.scale[i] = 1 / sqrt(block.squares[i])
        for i in range(AT_ONCE):
            if not 1e-280 < block.squares[i] < 1e280:
                block.scale[i] = NAN


cdef inline void answer(Pass one, Block *block) noexcept nogil:
    """Fill in what follows from the products and the weights."""
    cdef Py_ssize_t i
    for i in range(AT_ONCE):
        block.score[i] = block.product[i] * block.scale[i] + one.state.c[0]
    for i in range(AT_ONCE):
        block.margin[i] = fabs(block.score[i])
    one.query_rule.cy_probabilities(
        block.margin, AT_ONCE, &one.state.m[0], block.probability
    )


cdef inline bint is_usual(Pass one, const Block *block, Py_ssize_t i) noexcept nogil:
    """Whether the next row has a score and is taken to be of the same class as before."""
    cdef Py_ssize_t n_alike = one.state.n_alike + 1
    return block.margin[i] <= DBL_MAX and (
        n_alike <= ALIKE
        or (block.score[i] > 0) == one.state.last_guess and n_alike % ALIKE != 0
    )


cdef inline Py_ssize_t let_pass_until(
    Pass one, const Block *block, Py_ssize_t i, Py_ssize_t n
) except -1 nogil:
    """Let rows pass from the i-th on; return the first that is bought, or not usual.

    It is the i-th if the pass may not stay open.
    """
    cdef Clock *clock = &one.state.clock
    one.open = stays_open(one, n - i)
    if not one.open:
        return i
    while i < n and block.coin[i] >= block.probability[i] and is_usual(one, block, i):
        clock.n_seen += 1
        clock.n_idle += 1
        one.state.n_alike += 1
        count_open(one, block.probability[i])
        i += 1
    return i


cdef inline int buy(Pass one, const Block *block, Py_ssize_t i) except -1 nogil:
    """Buy the label of a usual row."""
    cdef Row row
    cdef Decision decision
    row.index, row.scale, row.squared_norm = block.index[i], block.scale[i], -1.0
    if one.state.normalize:
        row.squared_norm = one.state.shrink * (1 + one.state.fit_intercept)
    one.state.scores[0], one.state.guess = block.score[i], block.score[i] > 0
    decision.margin, decision.norm, decision.coin = block.margin[i], 1.0, block.coin[i]
    decision.probability = decision.least = block.probability[i]
    decision.n_rows, decision.n_alike = 1, one.state.n_alike + 1
    decision.last_guess = one.state.last_guess
    return one.settle(&row, &decision)
