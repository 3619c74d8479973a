"""The error on a stream from bought labels, slow and obvious, row by row.

`Row` is all that there is to know of one row that could be bought; rows after a budget
or a patience has run out are not among them.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import t as student


@dataclass
class Row:
    """A row that could be bought, with probability q; no label came: None."""

    q: float
    bought: bool
    guess: object
    label: object = None

    @property
    def answered(self):
        return self.bought and self.label is not None

    @property
    def mistake(self):
        return float(self.guess != self.label)


def estimate(rows, confidence):
    """Return value and ends: a ratio of two weighted sums, and a score test."""
    n = sum(row.answered for row in rows)
    if n == 0:
        return np.nan, 0.0, 1.0
    weights = sum(1 / row.q for row in rows if row.answered)
    mistakes = sum(row.mistake / row.q for row in rows if row.answered)
    h = mistakes / weights
    alphas = [(1 - row.q) / row.q for row in rows]
    mean_alpha = np.mean(alphas)
    if mean_alpha == 0:
        return h, h, h
    if n == 1:
        return h, 0.0, 1.0
    A = mean_alpha
    for row, alpha in zip(rows, alphas, strict=True):
        if row.answered:
            A += row.mistake * alpha / row.q
    A /= mistakes + 1
    if h > 0:
        A = min(A, mean_alpha / h)
    T = len(rows) * n / sum(row.bought for row in rows)
    quantile = student.ppf((1 + confidence) / 2, n - 1)

    def rejected(x):
        return (x - h) ** 2 - quantile**2 / T * (A * x + (mean_alpha - 2 * A) * x**2)

    low, high = 0.0, 1.0
    if quantile**2 / T * (mean_alpha - 2 * A) >= 1:  # no end above: says nothing
        return h, low, high
    inside = min(max(h, 1e-12), 1 - 1e-9)
    if rejected(0.0) > 0:
        low = brentq(rejected, 0.0, inside, xtol=1e-15)
    if rejected(1.0) > 0:
        high = brentq(rejected, inside, 1.0, xtol=1e-15)
    return h, low, high


def marks(n_rows):
    """Rows after which sums are kept: of 64, 128, 256, ... the last 17 multiples."""
    kept, spacing = {0}, 64
    while spacing <= n_rows:
        kept |= {spacing * k for k in range(1, n_rows // spacing + 1)[-17:]}
        spacing *= 2
    return kept


def last(rows, window):
    """Return the last rows, from the last mark that leaves as many as asked for."""
    n = len(rows)
    return rows[max(mark for mark in marks(n) if mark <= max(n - window, 0)) :]
