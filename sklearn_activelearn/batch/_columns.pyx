# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The search for the best split of sorted columns.

A column lists the rows with non-zero values by ascending value: negative values from
``ptr[j]`` to ``middle[j]``, positive values from there to ``ptr[j + 1]``. The search
walks from both ends to the zeros in the middle, and never reads the rows with zeros. A
row number is stored inverted, ``~row``, at the end of each run of equal values on this
walk: only there a column may be split.

Weights are whole numbers. Their sums are exact, so that neither the order of the rows
nor their container decides between two equally good splits.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

ctypedef fused real:
    float
    double

#: Value of a split: the weight of correct rows, or the purity of its sides.
ctypedef fused worth:
    int64_t
    double

#: Sums of whole weights stay below this power of two.
EXPONENT = 61


def whole_weights(weights):
    """Return the weights as whole numbers, in units of 2**-61 of their sum or less.

    The unit is a power of two, so that larger weights are not rounded at all.
    """
    total = float(weights.sum())
    return np.rint(np.ldexp(weights, EXPONENT - np.frexp(total)[1])).astype(np.int64)


def mark_ends(int64_t[::1] ptr, int64_t[::1] middle, int32_t[::1] rows, real[::1] values):
    """Invert the row numbers at the end of each run of equal values."""
    cdef Py_ssize_t j, k
    for j in range(middle.shape[0]):
        for k in range(ptr[j], middle[j]):
            if k + 1 == middle[j] or values[k] != values[k + 1]:
                rows[k] = ~rows[k]
        for k in range(middle[j], ptr[j + 1]):
            if k == middle[j] or values[k] != values[k - 1]:
                rows[k] = ~rows[k]


def keep(
    int64_t[::1] ptr,
    int64_t[::1] middle,
    int32_t[::1] rows,
    real[::1] values,
    int32_t[::1] number,
):
    """Return sorted columns of some of the rows.

    Parameters
    ----------
    ptr, middle, rows, values
        Sorted columns.
    number : ndarray of int32 of shape (n_samples,)
        New number of each row, -1 for a row that is left out.
    """
    cdef Py_ssize_t j, k, n = 0, n_columns = middle.shape[0]
    cdef int32_t row
    dtype = np.float32 if real is float else np.float64
    new = (
        np.empty(n_columns + 1, dtype=np.int64),
        np.empty(n_columns, dtype=np.int64),
        np.empty(rows.shape[0], dtype=np.int32),
        np.empty(rows.shape[0], dtype=dtype),
    )
    cdef int64_t[::1] new_ptr = new[0], new_middle = new[1]
    cdef int32_t[::1] new_rows = new[2]
    cdef real[::1] new_values = new[3]
    for j in range(n_columns):
        new_ptr[j] = n
        for k in range(ptr[j], ptr[j + 1]):
            if k == middle[j]:
                new_middle[j] = n
            row = rows[k]
            row = number[row ^ (row >> 31)]
            new_rows[n] = row
            new_values[n] = values[k]
            n += row >= 0
        if middle[j] == ptr[j + 1]:
            new_middle[j] = n
    new_ptr[n_columns] = n
    new = (new[0], new[1], new[2][:n].copy(), new[3][:n].copy())
    mark_ends(*new)
    return new


cdef int64_t largest_edge(
    const int32_t *rows, Py_ssize_t middle, Py_ssize_t end, const int64_t *signed,
    int64_t total,
) noexcept nogil:
    """Return the largest |right - left| of a column, for weights signed by class."""
    cdef int64_t side = 0, best = 0, edge, is_end
    cdef int32_t row
    cdef Py_ssize_t k
    for k in range(middle):
        row = rows[k]
        is_end = row >> 31
        side += signed[row ^ (row >> 31)]
        edge = total - 2 * side
        edge = (edge if edge > 0 else -edge) & is_end
        best = edge if edge > best else best
    side = 0
    for k in range(end - 1, middle - 1, -1):
        row = rows[k]
        is_end = row >> 31
        side += signed[row ^ (row >> 31)]
        edge = total - 2 * side
        edge = (edge if edge > 0 else -edge) & is_end
        best = edge if edge > best else best
    return best


cdef int64_t heaviest(
    const int64_t *side, const int64_t *totals, int n_classes
) noexcept nogil:
    """Return the sum of the weights of the heaviest class on each side."""
    cdef int64_t here = 0, there = 0
    cdef int c
    for c in range(n_classes):
        here = max(here, side[c])
        there = max(there, totals[c] - side[c])
    return here + there


cdef double purity(
    const int64_t *side, const int64_t *totals, int n_classes
) noexcept nogil:
    """Return the weight less the Gini impurities, each times the weight of its side."""
    cdef double here = 0, there = 0, squares_here = 0, squares_there = 0, weight
    cdef int c
    for c in range(n_classes):
        weight = <double>side[c]
        here += weight
        squares_here += weight * weight
        weight = <double>(totals[c] - side[c])
        there += weight
        squares_there += weight * weight
    return (
        (squares_here / here if here > 0 else 0)
        + (squares_there / there if there > 0 else 0)
    )


cdef Py_ssize_t best_split(
    const int32_t *rows, Py_ssize_t middle, Py_ssize_t end, const int32_t *codes,
    const int64_t *weights, const int64_t *totals, int n_classes, int64_t *side,
    int64_t *best_side, worth *best,
) noexcept nogil:
    """Find the best split of a column, the lowest of equal ones.

    Returns the entry next to the split on the way to the zeros, -1 for no split.
    """
    cdef worth found
    cdef int32_t row
    cdef Py_ssize_t k, at = -1, n_bytes = n_classes * sizeof(int64_t)
    best[0] = 0
    memset(side, 0, n_bytes)
    for k in range(end - 1, middle - 1, -1):
        row = rows[k] ^ (rows[k] >> 31)
        side[codes[row]] += weights[row]
        if rows[k] < 0:
            if worth is double:
                found = purity(side, totals, n_classes)
            else:
                found = heaviest(side, totals, n_classes)
            if found >= best[0]:
                best[0], at = found, k
                memcpy(best_side, side, n_bytes)
    memset(side, 0, n_bytes)
    for k in range(middle):
        row = rows[k] ^ (rows[k] >> 31)
        side[codes[row]] += weights[row]
        if rows[k] < 0:
            if worth is double:
                found = purity(side, totals, n_classes)
            else:
                found = heaviest(side, totals, n_classes)
            if found > best[0] or (found == best[0] and at >= middle):
                best[0], at = found, k
                memcpy(best_side, side, n_bytes)
    return at


cdef (Py_ssize_t, Py_ssize_t) best_of_columns(
    const int64_t[::1] ptr, const int64_t[::1] middle, const int32_t[::1] rows,
    const int32_t *codes, const int64_t *weights, const int64_t *totals,
    int n_classes, int64_t *side, int64_t *column_side, int64_t *best_side,
    worth least,
) noexcept nogil:
    """Return column and entry of the first best split with a value above `least`."""
    cdef Py_ssize_t j, at, best_at = -1, column = -1
    cdef worth found
    for j in range(middle.shape[0]):
        if ptr[j] == ptr[j + 1]:
            continue
        at = best_split(
            &rows[ptr[j]], middle[j] - ptr[j], ptr[j + 1] - ptr[j], codes, weights,
            totals, n_classes, side, column_side, &found,
        )
        if found > least:
            least, column, best_at = found, j, at
            memcpy(best_side, column_side, n_classes * sizeof(int64_t))
    return column, best_at


def find_split(
    int64_t[::1] ptr,
    int64_t[::1] middle,
    int32_t[::1] rows,
    int32_t[::1] codes,
    int64_t[::1] weights,
    int n_classes,
    bint gini,
):
    """Return the best split.

    The best split has the largest weight of correct rows when each side predicts one
    class, or the purest sides.

    Parameters
    ----------
    ptr, middle, rows
        Sorted columns.
    codes : ndarray of int32 of shape (n_samples,)
        Class of each row.
    weights : ndarray of int64 of shape (n_samples,)
        Whole weights, not negative.
    n_classes : int
        Number of classes.
    gini : bool
        True: the purest sides are the best split.

    Returns
    -------
    column, at : int
        Column, and entry next to the split on the way to the zeros; the first
        column and the lowest split of equal ones. -1 if no split is an improvement.
    sides : ndarray of int64 of shape (2, n_classes)
        Weight of each class on the side of this entry, and on the other side.
    """
    cdef Py_ssize_t i, j, at = -1, column = -1
    cdef int64_t total = 0, most = 0, edge
    sums = np.zeros(n_classes, dtype=np.int64)
    sides = np.zeros((2, n_classes), dtype=np.int64)
    scratch = np.zeros((2, n_classes), dtype=np.int64)
    cdef int64_t[::1] totals = sums
    cdef int64_t[:, ::1] out = sides, work = scratch
    signed = np.empty(0 if gini or n_classes > 2 else weights.shape[0], dtype=np.int64)
    cdef int64_t[::1] signs = signed
    with nogil:
        for i in range(weights.shape[0]):
            totals[codes[i]] += weights[i]
        if gini:  # beyond rounding
            column, at = best_of_columns(
                ptr, middle, rows, &codes[0], &weights[0], &totals[0], n_classes,
                &work[0, 0], &work[1, 0], &out[0, 0],
                purity(&out[0, 0], &totals[0], n_classes) * (1 + 1e-12),
            )
        elif n_classes == 2:
            for i in range(weights.shape[0]):
                signs[i] = weights[i] if codes[i] else -weights[i]
            total = totals[1] - totals[0]
            most = total if total > 0 else -total
            for j in range(middle.shape[0]):
                if ptr[j] == ptr[j + 1]:
                    continue
                edge = largest_edge(
                    &rows[ptr[j]], middle[j] - ptr[j], ptr[j + 1] - ptr[j], &signs[0],
                    total,
                )
                if edge > most:
                    most, column = edge, j
            if column >= 0:
                at = best_split(
                    &rows[ptr[column]], middle[column] - ptr[column],
                    ptr[column + 1] - ptr[column], &codes[0], &weights[0], &totals[0],
                    n_classes, &work[0, 0], &out[0, 0], &most,
                )
        else:
            for i in range(n_classes):
                most = max(most, totals[i])
            column, at = best_of_columns(
                ptr, middle, rows, &codes[0], &weights[0], &totals[0], n_classes,
                &work[0, 0], &work[1, 0], &out[0, 0], most,
            )
    sides[1] = sums - sides[0]
    return column, (ptr[column] + at if column >= 0 else -1), sides
