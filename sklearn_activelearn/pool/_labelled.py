"""Labelled rows."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._containers import joined, take


@dataclass(frozen=True)
class Labelled:
    """Rows and the codes of their labels, in the order in which they were taught."""

    rows: Any = None
    codes: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int32))

    def __len__(self):
        return len(self.codes)

    @property
    def has_two_classes(self):
        """Whether a classifier can be trained."""
        return len(self.codes) > 1 and self.codes.min() != self.codes.max()

    def plus(self, X, codes):
        """Return these rows and more."""
        # copied: the caller may use the array again
        rows = X.copy() if self.rows is None else joined(self.rows, X)
        return Labelled(rows, np.append(self.codes, np.asarray(codes, np.int32)))

    def first(self, n):
        """Return the rows that were taught first."""
        return Labelled(take(self.rows, slice(n)), self.codes[:n])

    def recoded(self, positions):
        """Return the same rows with new codes for the old ones."""
        return Labelled(self.rows, positions[self.codes])
