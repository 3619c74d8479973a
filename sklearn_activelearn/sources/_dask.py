"""dask arrays: each block is worked on where it lies, by the user's scheduler."""

from functools import partial
from operator import getitem
from weakref import finalize, ref

import numpy as np

from ._source import Source, answers_of_part, check_length, naming, parts_between

#: The graph of each array in use and the rows that were taken of it, by its `id`. Names
#: of arrays, and tokens, which follow from names, say nothing of what arrays hold.
KEPT = {}


class DaskSource(Source):
    """Rows of a dask array.

    Parameters
    ----------
    array : dask.array.Array of shape (n_samples, n_features)
        Of numbers, with known chunk sizes.
    """

    def __init__(self, array):
        if array.ndim != 2:
            raise ValueError(
                f"X must be a 2D array, got a dask array of {array.ndim}D."
            )
        if np.isnan(array.shape).any():
            raise ValueError(
                "X is a dask array of unknown chunk sizes: call "
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
        function = dask.delayed(function)  # sent once to each worker, not to each block
        parts = zip(self._blocks(), self._parts(), strict=True)
        yield from dask.compute(
            *(apply(function, block, part) for block, part in parts)
        )

    def answers(self, function):
        """Return a dask array of what ``function(rows)`` answers, one answer a row."""
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
        """Return the blocks that are not empty."""
        blocks = self.array.to_delayed().ravel()
        return blocks[np.array(self.array.chunks[0]) > 0].tolist()


def rows_kept_of(array):
    """Return the rows that were taken of an array, by number; they go when it goes.

    An assignment like ``array[0] = 1`` gives an array another graph: none are kept.
    """
    graph, rows = KEPT.get(id(array), (None, None))
    if graph is None:
        finalize(array, KEPT.pop, id(array), None).atexit = False
    if graph is None or graph() is not array.dask:
        rows = {}
        KEPT[id(array)] = ref(array.dask), rows
    return rows


def apply_there(function, block, part, prepare):
    """Return what a function answers for a block, on a worker."""
    with naming(part):
        check_length(block, part)
        return answers_of_part(function, np.asarray(block), part, prepare)


def answer_there(block, function, prepare, of_none, block_info=None):
    """Return what a function answers for a block whose place dask tells."""
    if len(block) == 0:
        return of_none
    part = slice(*block_info[0]["array-location"][0])
    return apply_there(function, block, part, prepare)
