"""Labelled rows."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._containers import as_array, joined, take


@dataclass(frozen=True)
class Labelled:
    """Rows and the codes of their labels, in the order in which they were taught.

    Parameters
    ----------
    rows : rows, optional
        In memory.
    codes : ndarray of int32
        Of their labels.
    names : ndarray of str, optional
        Of the columns.
    """

    rows: Any = None
    codes: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    names: Any = None

    #: The array that begins with the rows and has room for more; none once somebody has
    #: taken it out to append. Who did has the only reference to what follows the rows.
    _room: Any = field(default=None, repr=False, compare=False)

    def __len__(self):
        return len(self.codes)

    @property
    def has_two_classes(self):
        """Whether a classifier can be trained."""
        return len(self.codes) > 1 and self.codes.min() != self.codes.max()

    def plus(self, X, codes, names=None):
        """Return these rows and more; rows of arrays are copied only now and then."""
        codes = np.append(self.codes, np.asarray(codes, np.int32))
        if self.rows is None:
            return Labelled(X.copy(), codes, names)  # the caller may change X
        if type(self.rows) is not np.ndarray:
            return Labelled(joined(self.rows, X), codes, names)
        X, known = as_array(X), self.rows
        if X.shape[1:] != known.shape[1:] or np.result_type(X, known) != known.dtype:
            return Labelled(joined(known, X), codes, names)
        buffer = self._buffer_for(len(codes))
        buffer[len(known) : len(codes)] = X
        return Labelled(buffer[: len(codes)], codes, names, [buffer])

    def _buffer_for(self, n):
        """Return an array of these rows and room for n in all, to be written to."""
        with suppress(AttributeError, IndexError):
            # in one step: of two threads only one gets it
            buffer = self._room.pop()
            if n <= len(buffer):
                return buffer
        buffer = np.empty((n + n // 4, *self.rows.shape[1:]), self.rows.dtype)
        buffer[: len(self)] = self.rows
        return buffer

    def has_columns_of(self, X, names):
        """Whether rows, whose columns have these names, have the same columns."""
        if getattr(X, "shape", ())[1:] != getattr(self.rows, "shape", ())[1:]:
            return False
        return self.names is None or names is None or list(self.names) == list(names)

    def replaced(self, positions, X, names=None):
        """Return the same labels, with these rows at these positions."""
        if len(positions) == len(self):
            return Labelled(X, self.codes, names)
        order = np.arange(len(self))
        order[positions] = len(self) + np.arange(len(positions))
        return Labelled(take(joined(self.rows, X), order), self.codes, names)

    def first(self, n):
        """Return the rows that were taught first."""
        return Labelled(take(self.rows, slice(n)), self.codes[:n], self.names)

    def recoded(self, positions):
        """Return the same rows with new codes for the old ones."""
        return replace(self, codes=positions[self.codes])

    def __getstate__(self):
        return {"rows": self.rows, "codes": self.codes, "names": self.names}
