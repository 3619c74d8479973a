"""Dask arrays as sources: the user's scheduler works on the blocks where they are."""

from functools import partial
from operator import getitem
from weakref import finalize, ref

import numpy as np
from scipy.sparse import csr_array, issparse

from ._source import Source, apply_to_block, check_length, join_rows, parts_between

#: The graph of each array in use, and the rows that were taken from it, by the `id` of
#: the array. The name or token of an array does not identify its values.
KEPT = {}


class DaskSource(Source):
    """Rows of a dask array.

    Parameters
    ----------
    array : dask.array.Array of shape (n_samples, n_features)
        Numbers, with known chunk sizes. Blocks are arrays of NumPy, or sparse arrays or
        matrices of SciPy.
    """

    def __init__(self, array):
        if array.ndim != 2:
            raise ValueError(f"X must be a 2D array, got a {array.ndim}D dask array.")
        if np.isnan(array.shape).any():
            raise ValueError(
                "X is a dask array with unknown chunk sizes. Call "
                "X.compute_chunk_sizes() first."
            )
        blank = array._meta
        if not (issparse(blank) or isinstance(blank, np.ndarray)):
            kind = f"{type(blank).__module__}.{type(blank).__name__}"
            raise TypeError(
                "X must be a dask array with blocks of NumPy or scipy.sparse, got "
                f"blocks of {kind}. Convert them, with "
                "X.map_blocks(scipy.sparse.csr_array) or X.map_blocks(numpy.asarray)."
            )
        self.is_sparse = issparse(blank)
        self.array = array.rechunk({1: -1})
        self.shape, self.dtype = array.shape, array.dtype
        self.kept = rows_kept_of(array)

    def _parts(self, n_jobs=1):
        return parts_between(np.cumsum([0, *self.array.chunks[0]]))

    def _read(self, part):
        block = as_rows(self.array[part].compute(), self.is_sparse)
        check_length(block, part)
        return block

    def blank(self):
        blank = super().blank()
        return csr_array(blank) if self.is_sparse else blank

    def _take(self, rows):
        import dask

        blocks, taken = self._blocks(), [self.blank()[:0]]
        for part, block in zip(self._parts(), blocks, strict=True):
            inside = rows[(rows >= part.start) & (rows < part.stop)] - part.start
            if len(inside):
                block = dask.delayed(as_rows)(block, self.is_sparse)
                taken.append(dask.delayed(getitem)(block, inside))
        return join_rows(dask.compute(*taken))

    def map(self, function, n_jobs=None):
        import dask

        how = {"prepare": self.prepare, "is_sparse": self.is_sparse}
        apply = dask.delayed(partial(apply_there, **how))
        function = dask.delayed(function)  # sent once to each worker
        parts = zip(self._blocks(), self._parts(), strict=True)
        yield from dask.compute(
            *(apply(function, block, part) for block, part in parts)
        )

    def answers(self, function):
        """Return the values of ``function(rows)`` as a dask array."""
        blank = function(self.blank())
        return self.array.map_blocks(
            answer_there,
            function,
            self.prepare,
            blank[:0],
            self.is_sparse,
            chunks=(self.array.chunks[0], *((n,) for n in blank.shape[1:])),
            drop_axis=[] if blank.ndim == 2 else 1,
            meta=blank[:0],
        )

    def _blocks(self):
        """Return the delayed blocks that are not empty."""
        blocks = self.array.to_delayed().ravel()
        return blocks[np.array(self.array.chunks[0]) > 0].tolist()


def rows_kept_of(array):
    """Return the rows that were taken from an array, by number.

    They are deleted with the array. An assignment such as ``array[0] = 1`` gives the
    array another graph: then no rows are kept.
    """
    graph, rows = KEPT.get(id(array), (None, None))
    if graph is None:
        finalize(array, KEPT.pop, id(array), None).atexit = False
    if graph is None or graph() is not array.dask:
        rows = {}
        KEPT[id(array)] = ref(array.dask), rows
    return rows


def as_rows(block, is_sparse):
    """Return a block as CSR rows without repeated entries, or as an array."""
    if not is_sparse:
        if issparse(block):
            raise ValueError(
                "X is a dask array with sparse blocks that dask takes for dense ones. "
                "Pass X.map_blocks(scipy.sparse.csr_array) instead."
            )
        return np.asarray(block)
    rows = csr_array(block)
    if not rows.has_canonical_format:
        rows = rows.copy()  # the arrays of a block may belong to the user
        rows.sum_duplicates()
    return rows


def apply_there(function, block, part, prepare, is_sparse):
    """Return the values of a function for the rows of a block, on a worker."""
    check_length(block, part)
    return apply_to_block(function, prepare, part, as_rows(block, is_sparse))


def answer_there(block, function, prepare, none, is_sparse, block_info=None):
    """Return the values of a function for a block; dask passes its position."""
    if block.shape[0] == 0:
        return none
    part = slice(*block_info[0]["array-location"][0])
    return apply_there(function, block, part, prepare, is_sparse)
