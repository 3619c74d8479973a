"""Arrays, memory maps and sparse matrices as sources."""

import os

import numpy as np

from ._base import Source, note_rows, pieces


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


def mapped(X):
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
