"""What every kind of source has: rows that are read a block at a time."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import partial
from itertools import pairwise
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.utils import gen_even_slices

from .._typing import Labels, RowNumbers

#: About so many bytes are a block of float64.
BLOCK_BYTES = 2**25

#: And of other numbers, of which estimators make float64: both shall fit the cache.
CONVERTED_BYTES = 2**22

#: But at least so many rows: some estimators take a while to begin.
FEWEST_ROWS = 8_192

#: Blocks have a multiple of so many rows, but for the last one.
ROUND = 1_024

#: Estimators get a multiple of so many rows, the last of them several times: products
#: differ in the last bits at the end.
PADDED = 16

#: Rows that were taken are kept, if they are few, where it takes long to read them.
MOST_KEPT = 2**16


class Source:
    """Base of the sources, and of a source of your own: rows not in memory.

    Pool and stream learners read it block by block, with the same result as from an
    array. A subclass sets `shape` and `dtype` and provides

    - ``_take(rows)``: the rows with these numbers, which ascend, in memory;

    and, where blocks of another size or order are read more quickly,

    - ``_parts(n_jobs)``: the slices of row numbers that are read one at a time, in
      order, all of them;
    - ``_read(part)``: the rows in such a slice, in memory.

    Attributes
    ----------
    shape : tuple of int
        Of all rows, as an array would have it.
    dtype : dtype
        Of their numbers.
    prepare : callable or None
        ``prepare(rows, numbers)`` returns rows that were read as they are wanted, or
        raises; `numbers` are theirs.
    kept : dict or None
        Rows that were taken, by number, if it takes long to read them.

    References
    ----------
    .. [1] https://numpy.org/doc/stable/reference/generated/numpy.memmap.html

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> from sklearn_activelearn.sources import Source
    >>> class Grid(Source):
    ...     def __init__(self, n):
    ...         self.n, self.shape, self.dtype = n, (n * n, 2), np.dtype(float)
    ...
    ...     def _take(self, rows):
    ...         return np.column_stack(divmod(rows, self.n)) / self.n
    >>> pool = Grid(100)
    >>> learner = MinMarginClassifier(budget=20, random_state=0)
    >>> learner = learner.learn(pool, lambda rows: pool.take(rows)[:, 0] > 0.5)
    >>> print(learner.n_queries_, "labels of", len(pool))
    20 labels of 10000
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    prepare: Callable[[Any, Any], Any] | None = None
    kept: dict[int, Any] | None = None

    def __len__(self) -> int:
        return self.shape[0]

    def _take(self, rows: RowNumbers) -> Any:
        raise NotImplementedError(f"{type(self).__name__} needs _take(rows).")

    def _parts(self, n_jobs: int) -> Sequence[slice]:
        n_bytes = np.dtype(self.dtype).itemsize * max(int(np.prod(self.shape[1:])), 1)
        size = max(BLOCK_BYTES // n_bytes // ROUND, 1) * ROUND
        return parts_between(np.r_[0 : self.shape[0] : size, self.shape[0]])

    def _read(self, part: slice) -> Any:
        return self._take(np.arange(part.start, part.stop))

    def blank(self) -> Any:
        """Return one row of zeros, in a container that names the columns."""
        return np.zeros((1, *self.shape[1:]), dtype=self.dtype)

    def prepared(self, prepare: Callable[[Any, Any], Any]) -> Self:
        """Return the same source, whose rows go through ``prepare(rows, numbers)``."""
        source = copy(self)
        source.prepare = prepare
        return source

    def take(self, rows: ArrayLike | slice) -> Any:
        """Return the rows with these numbers, or in this slice, in memory."""
        if isinstance(rows, slice):
            rows = np.arange(self.shape[0])[rows]
        numbers, places = np.unique(rows, return_inverse=True)
        taken = self._kept(numbers)[places]
        return taken if self.prepare is None else self.prepare(taken, rows)

    def _kept(self, numbers):
        if self.kept is None or not 0 < len(numbers) <= MOST_KEPT:
            return self._take(numbers)
        # other threads may fill and clear it meanwhile
        known = {n: self.kept.get(n) for n in numbers.tolist()}
        found = {n: row for n, row in known.items() if row is not None}
        missing = np.array([n for n in known if n not in found], int)
        if len(missing):
            found |= zip(missing.tolist(), self._take(missing), strict=True)
        if len(self.kept) + len(missing) > MOST_KEPT:
            self.kept.clear()
        self.kept.update(found)
        return np.stack([found[n] for n in numbers.tolist()])

    def blocks(self) -> Iterator[tuple[slice, Any]]:
        """Yield the slice of the row numbers of each block, and its rows."""
        for part in self._parts(1):
            with naming(part):
                block = self._read(part)
                if self.prepare is not None:
                    block = self.prepare(block, range(part.start, part.stop))
            yield part, block

    def map(
        self, function: Callable[[Any], Any], n_jobs: int | None = None
    ) -> Iterator[Any]:
        """Yield what ``function(block)`` answers for each block of rows, in order."""
        n_jobs = effective_n_jobs(n_jobs)
        parts = self._parts(n_jobs)
        if n_jobs == 1 and self.kept is not None:
            read = prefetched(map(self._with_rows, parts))
            return (self._applied(function, *both) for both in read)
        if n_jobs == 1:
            return map(partial(self._apply, function), parts)
        parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
        return parallel(delayed(self._apply)(function, part) for part in parts)

    def answers(self, function: Callable[[Any], Any]) -> Labels:
        """Return what ``function(rows)`` answers for all rows, one answer a row."""
        return np.concatenate([*self.map(function)])

    def _apply(self, function, part):
        return self._applied(function, *self._with_rows(part))

    def _with_rows(self, part):
        with naming(part):
            return part, self._read(part)

    def _applied(self, function, part, block):
        with naming(part):
            return answers_of_part(function, block, part, self.prepare)


class SomeRows(Source):
    """Some rows of a source, in blocks.

    Parameters
    ----------
    source : Source
        Has them.
    rows : ndarray of int
        Their numbers.
    """

    def __init__(self, source, rows):
        self.source, self.rows = source, rows
        self.shape, self.dtype = (len(rows), *source.shape[1:]), source.dtype

    def _parts(self, n_jobs):
        return parts_between(np.r_[0 : len(self.rows) : MOST_KEPT, len(self.rows)])

    def _read(self, part):
        return self.source.take(self.rows[part])


class naming:
    """Has an error name the rows of which it tells."""

    def __init__(self, part):
        self.part = part

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, Exception):
            note_rows(error, self.part)


def note_rows(error, part):
    """Add the rows that an error is about to it."""
    error.add_note(f"This happened in rows {part.start} to {part.stop - 1} of X.")


def prefetched(blocks):
    """Yield blocks; the next one is read while this one is worked on."""
    blocks, reader = iter(blocks), ThreadPoolExecutor(1)
    try:
        coming = reader.submit(next, blocks, None)
        while (block := coming.result()) is not None:
            coming = reader.submit(next, blocks, None)
            yield block
    finally:  # which may run in any thread, the reader's too: nothing is waited for
        reader.shutdown(wait=False, cancel_futures=True)


def answers_of_part(function, block, part, prepare):
    """Return what a function answers for the rows in a part, a piece at a time."""
    cuts = pieces(block)
    answers = []
    for cut in cuts:
        rows = block[cut] if len(cuts) > 1 else block
        if prepare is not None:
            rows = prepare(rows, range(part.start, part.stop)[cut])
        answers.append(function(rows))
    return answers[0] if len(answers) == 1 else np.concatenate(answers)


def check_length(block, part):
    """Refuse a block that has not as many rows as it had."""
    if block.shape[0] != part.stop - part.start:
        raise ValueError(
            f"X has changed: rows {part.start} to {part.stop - 1} are "
            f"{block.shape[0]} rows now."
        )


def parts_between(ends):
    """Return slices from each of these row numbers to the next, if not empty."""
    return [slice(*both) for both in pairwise(ends.tolist()) if both[0] < both[1]]


def pieces(X, n_jobs=1):
    """Return slices of rows that fit the cache, at least one for each job.

    What is no numbers is cut for the jobs only.
    """
    if not (issparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind in "biuf")):
        return [*gen_even_slices(len(X), min(n_jobs, len(X)))] or [slice(0, 0)]
    n_rows = X.shape[0]
    n_bytes = X.data.nbytes + X.indices.nbytes if issparse(X) else X.nbytes
    wanted = BLOCK_BYTES if X.dtype == np.float64 else CONVERTED_BYTES
    most = max(wanted // max(n_bytes // max(n_rows, 1), 1), FEWEST_ROWS)
    size = min(most, -(-n_rows // n_jobs))
    size = max(-(-size // ROUND), 1) * ROUND
    starts = [*range(0, n_rows, size)] or [0]
    rest = n_rows // ROUND * ROUND
    if n_rows % PADDED and starts[-1] < rest:  # what is padded shall be little
        starts.append(rest)
    return [*map(slice, starts, [*starts[1:], n_rows])]


class ArraySource(Source):
    """Rows of an array, a memory map or a CSR matrix, or whatever rows are in.

    Parameters
    ----------
    X : rows
        Not copied.
    """

    def __init__(self, X):
        self.rows = X

    @property
    def shape(self):
        """Of the array."""
        return self.rows.shape

    @property
    def dtype(self):
        """That of the array."""
        return self.rows.dtype

    def _parts(self, n_jobs):
        return pieces(self.rows, n_jobs)

    def _read(self, part):
        return self.rows.iloc[part] if hasattr(self.rows, "iloc") else self.rows[part]

    def _apply(self, function, part):
        try:  # a part is one piece
            rows = self._read(part)
            if self.prepare is not None:
                rows = self.prepare(rows, range(part.start, part.stop))
            return function(rows)
        except Exception as error:
            note_rows(error, part)
            raise

    def _take(self, rows):
        return self.rows[rows]


def is_mapped(X):
    """Whether X is rows of numbers that lie in a file."""
    return isinstance(X, np.memmap) and X.ndim == 2 and X.dtype.kind in "biuf"


def map_source(X):
    """Return a memory map as a source; reading one whose file is cut ends Python."""
    whole = X
    while isinstance(whole.base, np.memmap):
        whole = whole.base
    if whole.filename is not None:
        n_bytes = os.path.getsize(whole.filename)
        needed = whole.offset + whole.nbytes
        if n_bytes < needed:
            raise ValueError(
                f"X has changed: {whole.filename} has {n_bytes} bytes, and {needed} "
                "are mapped."
            )
    return ArraySource(np.asarray(X))
