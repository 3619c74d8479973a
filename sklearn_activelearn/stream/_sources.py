"""Stream learners over rows that are not in memory: the same pass, block by block."""

from functools import partial, wraps

import numpy as np
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d

from .._containers import NO_ROWS, framed, n_rows
from .._labels import present_labels
from .._protocol import ActiveClassifier
from .._typing import Method
from .._validation import validated
from ..sources._arrays import ArraySource
from ..sources._base import SomeRows, prefetched
from ..sources._kinds import source_of


def check_rows_or_source(learner, X, *y, reset, min_rows=1, finite=False):
    """Return a source, and labels if given any; check other rows as all learners do.

    Memory maps are read where they are, as arrays. Parameters are those of
    `check_rows_and_labels`.
    """
    source = source_of(X)
    if source is None or isinstance(source, ArraySource):
        how = {"reset": reset, "min_rows": min_rows, "finite": finite}
        return ActiveClassifier._check_rows(learner, X, *y, **how)
    if n_rows(source) < min_rows:
        raise ValueError(f"Found 0 sample(s), a minimum of {min_rows} is required.")
    if source.dtype.kind not in "biuf":
        raise ValueError(f"X must hold numbers, got a dask array of {source.dtype}.")
    validated(learner, source.blank(), reset=reset)
    source = source.prepared(as_rows)
    if finite:  # before the first label is paid for
        for _ in source.blocks():
            pass
    if not y:
        return source
    labels = column_or_1d(*map(present_labels, y), warn=True)
    assert_all_finite(labels, input_name="y")
    check_consistent_length(source, labels)
    return source, labels


def as_rows(rows, numbers):
    """Return rows as the compiled loop reads them, if they are finite."""
    kind = np.float32 if rows.dtype == np.float32 else np.float64
    rows = np.ascontiguousarray(rows, dtype=kind)
    if not np.isfinite(rows.sum()):
        is_bad = ~np.isfinite(rows).all(axis=1)
        for row in np.flatnonzero(is_bad)[:1]:
            assert_all_finite(rows[[row]], input_name=f"X (row {numbers[row]})")
    return rows


def in_groups(blocks, size):
    """Yield the number of the first row and the rows, cut at multiples of a size."""
    start, left = 0, None
    for _, block in blocks:
        rows = block if left is None else np.concatenate([left, block])
        n = len(rows) // size * size
        if n:
            yield start, rows[:n]
        start, left = start + n, rows[n:] if n < len(rows) else None
    if left is not None:
        yield start, left


def simulate_blocks(learner, X, codes, order, limits):
    """Simulate on an answer sheet, as `_simulate_rows` does, a block at a time."""
    if order is not None:
        raise ValueError(
            "shuffle=True needs all rows in memory: set shuffle=False, or make a "
            "memory map with as_memmap."
        )
    bought = [NO_ROWS]
    for start, rows in in_groups(prefetched(X.blocks()), learner._group):
        learner._simulate_rows(rows, codes[start : start + len(rows)], None, limits)
        bought.append(start + learner.queried_indices_)
    learner.queried_indices_ = np.concatenate(bought)


def ask_by_blocks(learner, X, answer, candidates):
    """Learn with an oracle, as `_ask` does, a block at a time."""
    numbers = np.arange(n_rows(X)) if candidates is None else candidates
    limits = learner._limits(len(numbers))
    source = X if candidates is None else SomeRows(X, candidates)
    bought = [NO_ROWS]
    for start, rows in in_groups(prefetched(source.blocks()), learner._group):
        these = numbers[start : start + len(rows)]
        try:
            learner._ask_rows(rows, answer, None, limits, these)
        finally:
            bought.append(these[learner.queried_indices_])
            learner.queried_indices_ = np.concatenate(bought)


def blockwise(method: Method) -> Method:
    """Have a method answer for rows that are not in memory, a block at a time."""

    @wraps(method)
    def answer(self, X):
        source = source_of(X)
        if source is None or isinstance(source, ArraySource):
            return method(self, X)
        names = getattr(self, "feature_names_in_", None)
        source = source.prepared(lambda rows, numbers: framed(rows, names))
        return source.answers(partial(method, self))

    return answer
