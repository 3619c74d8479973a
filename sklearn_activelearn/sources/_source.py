"""Rows that are read a block at a time."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import copy
from functools import partial
from itertools import islice, pairwise
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from scipy.sparse import issparse, vstack
from sklearn.utils import gen_even_slices

from ..utils._compat import count_threads, run_parallel
from ..utils.typing import Labels, RowNumbers

#: Size of a block of float64, in bytes.
BLOCK_BYTES = 2**25

#: Size of a block of other numbers. Estimators convert them to float64, and both copies
#: should fit the cache.
CONVERTED_BYTES = 2**22

#: Least number of rows in a block; some estimators are slow to start.
FEWEST_ROWS = 8_192

#: The number of rows in a block, except the last, is a multiple of this number.
ROUND = 1_024

#: Estimators get a multiple of this number of rows; the last row is repeated. Products
#: of the last rows would differ in their last bits otherwise.
PADDED = 16

#: Greatest number of rows that are remembered, where reading them is slow.
MOST_KEPT = 2**16


class Source:
    """Base class of sources: rows that are not in memory.

    Pool and stream learners read a source block by block, with the same result as from
    an array. A subclass sets `shape` and `dtype` and provides

    - ``_take(rows)``: returns the rows with the given numbers, which ascend, in memory;

    and, if blocks of another size or order can be read faster,

    - ``_parts(n_jobs)``: returns the slices of row numbers that are read one at a time,
      in order, and cover all rows;
    - ``_read(part)``: returns the rows in one of these slices, in memory;
    - ``_n_readers``: number of blocks that are read at the same time, in threads. The
      default 1 reads one block after the other.

    Attributes
    ----------
    shape : tuple of int
        Shape of all rows, as of an array.
    dtype : dtype
        Type of the numbers.
    prepare : callable or None
        ``prepare(rows, numbers)`` is applied to rows that have been read, and their row
        numbers. It returns the rows in the form that is needed, or raises.
    kept : dict or None
        Rows that have been taken, by their number, if reading them is slow.
    place_of : callable or None
        ``place_of(row)`` returns the place where a row is stored, in words.

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
    place_of: Any = None
    _n_readers: int = 1

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
        """Return one row of zeros, in a container that has the column names."""
        return np.zeros((1, *self.shape[1:]), dtype=self.dtype)

    def prepared(self, prepare: Callable[[Any, Any], Any]) -> Self:
        """Return a copy of the source that applies ``prepare(rows, numbers)``."""
        source = copy(self)
        source.prepare = prepare
        return source

    def take(self, rows: ArrayLike | slice) -> Any:
        """Return the rows with the given numbers, or in a slice, in memory."""
        if isinstance(rows, slice):
            rows = np.arange(self.shape[0])[rows]
        numbers, places = np.unique(rows, return_inverse=True)
        taken = self._kept(numbers)[places]
        return taken if self.prepare is None else self.prepare(taken, rows)

    def _kept(self, numbers):
        if self.kept is None or not 0 < len(numbers) <= MOST_KEPT:
            return self._take(numbers)
        # other threads may fill and clear `kept` at the same time
        found = {n: self.kept.get(n) for n in numbers.tolist()}
        missing = np.array([n for n, row in found.items() if row is None], int)
        if len(missing):
            rows = self._take(missing)
            found |= {n: rows[i : i + 1] for i, n in enumerate(missing.tolist())}
        if len(self.kept) + len(missing) > MOST_KEPT:
            self.kept.clear()
        self.kept.update(found)
        return join_rows([*found.values()])

    def blocks(self) -> Iterator[tuple[slice, Any]]:
        """Yield each block as a slice of row numbers and its rows.

        Threads read the next blocks meanwhile.
        """
        return map_ahead(self._read_prepared, self._parts(1), self._n_readers)

    def map(
        self, function: Callable[[Any], Any], n_jobs: int | None = None
    ) -> Iterator[Any]:
        """Yield ``function(block)`` for each block of rows, in order."""
        n_jobs = count_threads(n_jobs)
        parts = self._parts(n_jobs)
        if n_jobs == 1 and self.kept is not None:
            blocks = map_ahead(self._read_named, parts, self._n_readers)
            return map(partial(apply_to_block, function, self.prepare), parts, blocks)
        if n_jobs == 1:
            return map(partial(self._apply, function), parts)
        calls = (delayed(self._apply)(function, part) for part in parts)
        how = {"require": "sharedmem", "return_as": "generator"}
        return run_parallel(Parallel, [calls], n_jobs=n_jobs, **how)

    def answers(self, function: Callable[[Any], Any]) -> Labels:
        """Return the values of ``function(rows)`` for all rows, one for each row."""
        return np.concatenate([*self.map(function)])

    def _apply(self, function, part):
        return apply_to_block(function, self.prepare, part, self._read_named(part))

    def _read_named(self, part):
        with errors_name_rows(part):
            return self._read(part)

    def _read_prepared(self, part):
        with errors_name_rows(part):
            block = self._read(part)
            if self.prepare is not None:
                block = self.prepare(block, range(part.start, part.stop))
        return part, block


class SomeRows(Source):
    """Some rows of a source, in blocks.

    Parameters
    ----------
    source : Source
        The source of the rows.
    rows : ndarray of int
        Numbers of the rows.
    """

    def __init__(self, source, rows):
        self.source, self.rows = source, rows
        self.shape, self.dtype = (len(rows), *source.shape[1:]), source.dtype

    def _parts(self, n_jobs):
        return parts_between(np.r_[0 : len(self.rows) : MOST_KEPT, len(self.rows)])

    def _read(self, part):
        return self.source.take(self.rows[part])


@contextmanager
def errors_name_rows(part):
    """Add the row numbers in a slice to errors that are raised inside."""
    try:
        yield
    except Exception as error:
        error.add_note(f"This happened in rows {part.start} to {part.stop - 1} of X.")
        raise


def map_ahead(function, items, n_threads):
    """Yield ``function(item)`` for each item, in order.

    While the caller works on one value, threads compute the next `n_threads` values.
    """
    items, threads, coming = iter(items), ThreadPoolExecutor(n_threads), deque()
    try:
        first = islice(items, n_threads)
        coming.extend(threads.submit(function, item) for item in first)
        while coming:
            value = coming.popleft().result()
            coming.extend(threads.submit(function, item) for item in islice(items, 1))
            yield value
    finally:  # may run in any thread, also in one of these: do not wait
        threads.shutdown(wait=False, cancel_futures=True)


def apply_to_block(function, prepare, part, block):
    """Return the values of a function for the rows of a block, a piece at a time.

    Parameters
    ----------
    function : callable
        ``function(rows)`` returns an array with a value for each row.
    prepare : callable or None
        As in `Source`.
    part : slice
        Row numbers of the block.
    block : rows
        The rows of the block, in memory.
    """
    with errors_name_rows(part):
        cuts = pieces(block)
        values = []
        for cut in cuts:
            rows = block[cut] if len(cuts) > 1 else block
            if prepare is not None:
                rows = prepare(rows, range(part.start, part.stop)[cut])
            values.append(function(rows))
        return values[0] if len(values) == 1 else np.concatenate(values)


def join_rows(parts):
    """Return arrays, or CSR arrays, below each other."""
    return vstack(parts, "csr") if issparse(parts[0]) else np.concatenate(parts)


def check_length(block, part):
    """Raise if a block has another number of rows than before."""
    n_rows = part.stop - part.start
    if block.shape[0] != n_rows:
        raise ValueError(
            f"X has changed: rows {part.start} to {part.stop - 1} were {n_rows} rows, "
            f"now there are {block.shape[0]}."
        )


def parts_between(ends):
    """Return slices from each row number to the next one, without empty slices."""
    return [slice(*both) for both in pairwise(ends.tolist()) if both[0] < both[1]]


def pieces(X, n_jobs=1):
    """Return slices of rows that fit the cache, at least one for each job.

    Rows that are not numbers are divided among the jobs only.
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
    if n_rows % PADDED and starts[-1] < rest:  # only a short piece is padded
        starts.append(rest)
    return [*map(slice, starts, [*starts[1:], n_rows])]


class ArraySource(Source):
    """Rows of an array, a memory map, a CSR matrix or another container.

    Parameters
    ----------
    X : rows
        Not copied.
    """

    def __init__(self, X):
        self.rows = X
        # neither is there for a list, nor a type of all columns for a DataFrame
        self.shape, self.dtype = getattr(X, "shape", None), getattr(X, "dtype", None)

    def _parts(self, n_jobs):
        return pieces(self.rows, n_jobs)

    def _read(self, part):
        return self.rows.iloc[part] if hasattr(self.rows, "iloc") else self.rows[part]

    def _take(self, rows):
        return self.rows[rows]


def is_mapped(X):
    """Return True for a memory map of rows of numbers."""
    return isinstance(X, np.memmap) and X.ndim == 2 and X.dtype.kind in "biuf"


def map_source(X):
    """Return a memory map as a source.

    Raises if the file has been cut: reading it would end the process.
    """
    whole = X
    while isinstance(whole.base, np.memmap):
        whole = whole.base
    if whole.filename is not None:
        n_bytes = os.path.getsize(whole.filename)
        needed = whole.offset + whole.nbytes
        if n_bytes < needed:
            raise ValueError(
                f"X has changed: {whole.filename} has {n_bytes} bytes, but {needed} "
                "bytes are mapped."
            )
    return ArraySource(np.asarray(X))
