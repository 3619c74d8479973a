# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# A row whose label a learner does not buy.

from libc.math cimport fabs, isfinite

from ._linear_state cimport ALIKE, C_DONE
from ._pass cimport Pass, count_open
from ._rule_base cimport Clock


cdef inline int let_pass(Pass one, double product, double coin) except -1 nogil:
    """Have a learner let a row pass; return 0, and do nothing, if there is more to do.

    That is if the label is bought, or if another class may be predicted for the row than
    for those before.

    Parameters
    ----------
    one : Pass
        Of a learner with one weight vector, whose rule sees nothing of rows but
        margins of those it is asked for.
    product : double
        Of the scaled row with its weights.
    coin : double
        The learner's number for the row.
    """
    cdef Clock *clock = &one.state.clock
    cdef double score = product + one.state.c[0], probability
    cdef Py_ssize_t n_alike = one.state.n_alike + 1
    if one.reason != C_DONE or not isfinite(score):
        return 0
    if n_alike > ALIKE and (
        (score > 0) != one.state.last_guess or n_alike % ALIKE == 0
    ):
        return 0
    one.open = clock.n_queries < one.budget and clock.n_idle < one.patience
    if one.open:
        probability = one.query_rule.cy_probability(
            fabs(score), 1.0, clock, &one.state.m[0]
        )
        if coin < probability:
            return 0
        clock.n_idle += 1
        count_open(one, probability)
    clock.n_seen += 1
    one.state.n_alike = n_alike
    return 1
