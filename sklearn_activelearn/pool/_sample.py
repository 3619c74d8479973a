"""The rows of a pool that are considered for a purchase."""

from typing import Any, NamedTuple

import numpy as np

from .._containers import AllBut, loaded, take

#: Makes the draw of a sample differ from other draws of a round.
SAMPLE = 1


class CandidateSample(NamedTuple):
    """Rows of a pool, from which some are chosen."""

    X: Any  # where they are
    rows: np.ndarray  # their numbers in it
    share: float = 1.0  # of the rows that might be bought
    numbers: np.ndarray | None = None  # in the pool, if X holds nothing but them

    def drawn(self, n, seed):
        """Return n of these rows, drawn at random; all if they are no more."""
        n_rows = len(self.rows)
        if n >= n_rows:
            return self
        rng = np.random.default_rng((*seed, SAMPLE))
        chosen = rng.choice(n_rows, n, replace=False, shuffle=False)
        return self._replace(rows=self.rows[np.sort(chosen)], share=n / n_rows)

    def without(self, some):
        """Return these rows but some."""
        if not len(some):
            return self
        if isinstance(self.rows, AllBut):
            return self._replace(rows=self.rows.without(some))
        return self._replace(rows=np.setdiff1d(self.rows, some, assume_unique=True))

    def in_memory(self):
        """Return the same rows such that X is in memory, and holds only the sample."""
        if self.share == 1:
            return self._replace(X=loaded(self.X))
        X, rows = take(self.X, self.rows), np.arange(len(self.rows))
        return self._replace(X=X, rows=rows, numbers=self.rows)

    def bought(self, purchase):
        """Return what was chosen of these rows as a purchase from the pool."""
        rows, probabilities = purchase.rows, purchase.probabilities
        if self.numbers is not None:
            rows = self.numbers[rows]
        was_drawn = np.isnan(purchase.utilities)
        probabilities = np.where(was_drawn, self.share * probabilities, probabilities)
        return purchase._replace(rows=rows, probabilities=probabilities)
