"""What it costs to find what is relevant, and to be sure of it."""

from dataclasses import dataclass
from math import floor, log

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import nbinom

from .._recall_audit import Plan, audit_plan
from .._recall_bounds import Reads, least_bad_total
from .._typing import Floats, Label, RowsLike
from .._validation import check_number
from ..pool import PoolClassifier
from ._recall import read_by

#: Before so large a share of the rows is read, the number of relevant ones is a range.
EARLY = 0.1
#: Before this one, the rows to a recall are rather too many: the model still learns to
#: put relevant rows first.
STILL_LEARNING = 0.2
#: Shape of the negative binomial distribution of the relevant rows that are unread: its
#: standard deviation is .58 of its mean, or more.
SHAPE = 3


@dataclass(frozen=True)
class RecallPrice:
    """How many rows are to be read yet, to reach a recall and to be certain of it.

    Attributes
    ----------
    recall, confidence : float
        The target.
    n_rows, n_read, found : int
        Rows of the pool, those that were read, relevant ones among these.
    n_relevant : float
        Relevant rows in all, by estimate.
    likely : tuple of int
        Where their number is likely to be.
    n_expected : int
        Rows to read until the recall is reached, by estimate, if it is not yet.
    n_certain : int
        Rows to read until it is certain, by estimate.
    certain_for_a_tenth : float
        The recall that a tenth of `n_certain` makes certain, by estimate; 0 for none.
    p_reached : float
        The probability that the recall is reached already, by estimate.

    Notes
    -----
    Let r rows be found, and S be the sum of the probabilities of the unread rows. The
    number D of relevant rows among these is given a negative binomial distribution of
    mean S and shape 3. A recall of t is missed if D ≥ K = ⌊r / t⌋ + 1 - r: `p_reached`
    is P(D < K). For each D ≥ K, the likeliest rows are to be read until their sum is
    (⌈t (r + D)⌉ - r - 1/2) / D of S; the geometric mean of their numbers over D ≥ K is
    `n_expected`.
    """

    recall: float
    confidence: float
    n_rows: int
    n_read: int
    found: int
    n_relevant: float
    likely: tuple[int, int]
    n_expected: int
    n_certain: int
    certain_for_a_tenth: float
    p_reached: float

    def __str__(self) -> str:
        number = f"about {self.n_relevant:.0f}"
        if self.n_read < EARLY * self.n_rows:
            number = f"{self.likely[0]} to {self.likely[1]}"
        tenth = "nothing"
        if self.certain_for_a_tenth:
            tenth = f"a recall of {self.certain_for_a_tenth:.0%}"
        about = "about"
        if self.n_read < STILL_LEARNING * self.n_rows:
            about = "at most about"
        unless = ""
        if self.p_reached >= 0.01:
            chance = f"{min(self.p_reached, 0.99):.0%}"
            unless = f" unless it is reached already, of which the chance is {chance}"
        return (
            f"{self.found} found of {number} relevant rows, in {self.n_read} of "
            f"{self.n_rows} read. To a recall of {self.recall:.0%}: {about} "
            f"{self.n_expected} rows{unless}; to be {self.confidence:.0%} sure of it, "
            f"about {self.n_certain}, because {self._why_so_many()}. A tenth of that "
            f"makes {tenth} certain."
        )

    def _why_so_many(self):
        """Return what excluding the missed rows costs, in words."""
        n_missed = floor(self.n_relevant * (1 - self.recall) + 1e-9) + 1
        n_unread = self.n_rows - self.n_read
        factor = -log(1 - self.confidence)
        are = "is" if n_missed == 1 else "are"
        return (
            f"{n_missed} missed {are} too many, and to exclude k missed among "
            f"{n_unread} unread takes about {factor:.2g} x {n_unread} / k random rows"
        )


def recall_price(
    learner: PoolClassifier,
    X: RowsLike,
    *,
    recall: float = 0.95,
    confidence: float = 0.95,
    positive: Label | None = None,
    ids: ArrayLike | None = None,
    exclude: ArrayLike | None = None,
) -> RecallPrice:
    """Say how many rows are to be read yet to reach a recall, before they are read.

    Parameters
    ----------
    learner : pool learner
        With labels of both kinds.
    X : array-like of shape (n_samples, n_features)
        The pool.
    recall : float in (0, 1], default=0.95
        The target.
    confidence : float in (0, 1), default=0.95
        How sure to be of it, by the audit of `RecallTarget`.
    positive, ids, exclude
        As for `recall_so_far`.

    Returns
    -------
    price : RecallPrice
        What it is, as a sentence: ``print`` it.

    Raises
    ------
    NotFittedError
        If the learner has not been taught.
    TypeError
        For something else than a pool learner.
    ValueError
        If no relevant row, or no other one, is known, or for a parameter out of its
        range.

    See Also
    --------
    sklearn_activelearn.pool.RecallTarget : Reads until the recall is certain.

    References
    ----------
    .. [1] D. D. Lewis, E. Yang, O. Frieder, "Certifying One-Phase Technology-Assisted
       Reviews", CIKM 2021 (what a certificate costs).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import RelevanceSamplingClassifier
    >>> from sklearn_activelearn.evaluation import recall_price
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = RelevanceSamplingClassifier(
    ...     batch_size=0.1, budget=400, random_state=0
    ... ).fit(X / 16, y == 8)
    >>> price = recall_price(learner, X / 16)
    >>> print(price.found, "found of about", round(price.n_relevant))
    163 found of about 169
    """
    check_number(recall, "recall", 0, 1, closed="right")
    check_number(confidence, "confidence", 0, 1)
    reads, p = read_by(learner, X, positive, ids, exclude)
    return price_of(reads, p, recall, confidence)


def price_of(reads: Reads, p: Floats, recall: float, confidence: float) -> RecallPrice:
    """Return the price for rows that were read, and the others' probabilities."""
    p, found = np.sort(p)[::-1], reads.found
    n_expected, p_reached = rows_to_recall(found, p, recall)

    def plan(target: float) -> Plan:
        return audit_plan(reads, p, target, 1 - confidence)

    n_certain = plan(recall).n_rows
    targets = np.round(np.arange(0.99, 0.04, -0.05) * recall, 2)
    affordable = (t for t in targets if plan(t).n_rows <= n_certain / 10)
    most = min(round(2 * float(p.sum())) + 3, len(p))
    return RecallPrice(
        float(recall), float(confidence), reads.n_rows, len(reads.relevant), found,
        float(found + p.sum()), (found, found + most), n_expected, n_certain,
        float(next(affordable, 0.0)), p_reached,
    )  # fmt: skip


def rows_to_recall(found: int, p: Floats, recall: float) -> tuple[int, float]:
    """Return how many rows are to be read, and the probability of none.

    Parameters
    ----------
    found : int
        How many relevant rows were read.
    p : ndarray of shape (n_unread,)
        Probabilities of the others, the largest first.
    recall : float
        The target.
    """
    expected, n_missed = p.sum(), least_bad_total(found, recall) - found
    n_left = np.arange(n_missed, len(p) + 1)
    chances = nbinom.pmf(n_left, SHAPE, SHAPE / (SHAPE + expected))
    if not chances.sum():
        return 0, 1.0
    n_needed = np.ceil(recall * (found + n_left) - 1e-9) - found
    shares = np.cumsum(p) / expected
    n_rows = 1 + np.searchsorted(shares, (n_needed - 0.5) / n_left)
    n_expected = np.exp(np.average(np.log(n_rows), weights=chances))
    below = nbinom.cdf(n_missed - 1, SHAPE, SHAPE / (SHAPE + expected))
    return round(float(n_expected)), float(below / (below + chances.sum()))
