"""Dask arrays as sources: the user's scheduler works on the blocks where they are."""

from functools import partial
from operator import getitem
from weakref import finalize, ref

import numpy as np

from ._source import Source, apply_to_block, check_length, parts_between

#: The graph of each array in use, and the rows that were taken from it, by the `id` of
#: the array. The name or token of an array does not identify its values.
KEPT = {}


class DaskSource(Source):
    """Rows of a dask array.

    Parameters
    ----------
    array : dask.array.Array of shape (n_samples, n_features)
        Numbers, with known chunk sizes.
    """

    def __init__(self, array):
        if array.ndim != 2:
            raise ValueError(f"X must be a 2D array, got a {array.ndim}D dask array.")
        if np.isnan(array.shape).any():
            raise ValueError(
                "X is a dask array with unknown chunk sizes. Call "
                "X.compute_chunk_sizes() first."
            )
        self.array = array.rechunk({1: -1})
        self.shape, self.dtype = array.shape, array.dtype
        self.kept = rows_kept_of(array)

    def _parts(self, n_jobs=1):
        return parts_between(np.cumsum([0, *self.array.chunks[0]]))

    def _read(self, part):
        block = self.array[part].compute()
        check_length(block, part)
        return block

    def _take(self, rows):
        import dask

        blocks, taken = self._blocks(), [np.empty((0, self.shape[1]), self.dtype)]
        for part, block in zip(self._parts(), blocks, strict=True):
            inside = rows[(rows >= part.start) & (rows < part.stop)] - part.start
            if len(inside):
                taken.append(dask.delayed(getitem)(block, inside))
        return np.concatenate(dask.compute(*taken))

    def map(self, function, n_jobs=None):
        import dask

        apply = dask.delayed(partial(apply_there, prepare=self.prepare))
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


def apply_there(function, block, part, prepare):
    """Return the values of a function for the rows of a block, on a worker."""
    check_length(block, part)
    return apply_to_block(function, prepare, part, np.asarray(block))


def answer_there(block, function, prepare, none, block_info=None):
    """Return the values of a function for a block; dask passes its position."""
    if len(block) == 0:
        return none
    part = slice(*block_info[0]["array-location"][0])
    return apply_there(function, block, part, prepare)
