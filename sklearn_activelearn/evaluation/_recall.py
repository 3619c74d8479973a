"""How much of what is relevant has been found."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import nbinom
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_consistent_length

from .._labels import check_not_missing, find_classes
from .._statistics import (
    Estimate,
    Plan,
    Reads,
    audit_plan,
    least_bad_total,
    most_by_sample,
    most_relevant,
)
from .._typing import Floats, Label, Labels, RowsLike
from .._validation import check_flag, check_number, check_row_numbers
from ..pool import PoolClassifier
from ..pool._selection import explored_share, map_blocks
from ..pool.stopping._base import AUDIT, AskedRows
from ..pool.stopping._recall import relevance_probabilities
from ..sources._containers import n_rows, restrict_rows
from ..sources._identity import identify
from ._curves import Result, frame

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class RecallEstimate(Estimate):
    """An estimate of the recall, with its lower bound.

    Attributes
    ----------
    value : float
        The estimate; NaN if nothing was found.
    low, high : float
        The lower bound, and 1.
    n_labels : int
        How many rows were read.
    confidence : float
        With which the recall is no lower than the bound.
    found : int
        How many relevant rows were read.
    n_relevant : float
        How many there are, by estimate.
    most_relevant : int
        How many there are at most, with the same confidence.
    n_drawn : int
        How many of the rows that were read had been drawn at random.
    always_valid : bool
        Whether the bound holds at every look, or at one that was chosen before.
    """

    found: int = 0
    n_relevant: float = 0.0
    most_relevant: int = 0
    n_drawn: int = 0
    always_valid: bool = False

    def __str__(self) -> str:
        looks = "at every look" if self.always_valid else "at one look"
        return (
            f"recall {self.value:.3g}, at least {self.low:.3g} "
            f"({100 * self.confidence:g} %, {looks}): {self.found} found of about "
            f"{self.n_relevant:.0f}, at most {self.most_relevant}"
        )


def recall_estimate(
    relevant: ArrayLike,
    drawn: ArrayLike,
    n_rows: int,
    *,
    confidence: float = 0.95,
    always_valid: bool = False,
    probabilities: ArrayLike | None = None,
) -> RecallEstimate:
    r"""Estimate which share of the relevant rows has been found.

    Rows are read one after the other, most of them because a model ranked them high,
    some drawn at random from all unread ones: a sample read at the start, rows bought
    to explore, an audit of what is left. The bound uses the random ones alone, so it
    holds whatever the model does.

    Parameters
    ----------
    relevant : array-like of bool of shape (n_read,)
        Whether each row that was read is relevant, in the order of reading.
    drawn : array-like of bool of shape (n_read,)
        Whether each was drawn at random from all rows that were unread then.
    n_rows : int
        How many rows there are, read and unread.
    confidence : float in (0, 1), default=0.95
        With which the recall is no lower than the bound.
    always_valid : bool, default=False
        Return a bound that holds at all times together, to stop as soon as it is high
        enough. The other one holds for a number of random rows that was chosen in
        advance; if other rows were read between the random ones, the bound is that for
        all times anyway.
    probabilities : array-like of shape (n_unread,), default=None
        For each unread row, the probability that it is relevant. Only the estimate uses
        them. None: it follows from the random rows.

    Returns
    -------
    estimate : RecallEstimate
        Without random rows the bound is the trivial one.

    Raises
    ------
    ValueError
        For arrays of different lengths, more rows read than there are, or a parameter
        out of its range.

    See Also
    --------
    sklearn_activelearn.pool.RecallTarget : Stops at a recall.

    Notes
    -----
    With r rows found, U unread and R relevant in all, a random row is relevant with
    probability (R - r) / U. Without `probabilities` the estimate is the R for which as
    many random rows were to be expected relevant as were. It is never more than the
    bound allows. The bound for one look is
    that of the hypergeometric distribution: the largest number of relevant rows among
    those from which n were drawn, for which x or fewer of the n have a probability
    above 1 - confidence. The bound for all looks is the largest R against which a
    mixture of likelihood ratios never reached 1 / (1 - confidence). In half of the
    mixture are all random rows; in 1 / (2 k (k + 1)) of it those after the first
    2\ :sup:`k - 1`, k = 1, 2, ...: of rows that are drawn while a model ranks, the
    later ones say how many are left.

    A row that is drawn when U rows are unread tells of these U rows only. If n rows in
    a row were drawn from about U unread ones and none of them was relevant, the bound
    leaves about 6 U / n of them, twice as many as an audit of n rows.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas, "Confidence Sequences for Sampling without
       Replacement", NeurIPS 2020.
    .. [2] D. D. Lewis, E. Yang, O. Frieder, "Certifying One-Phase Technology-Assisted
       Reviews", CIKM 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_activelearn.evaluation import recall_estimate
    >>> ranked = [True] * 60 + [False] * 140
    >>> audit = [False] * 200
    >>> drawn = np.arange(400) >= 200
    >>> print(recall_estimate(ranked + audit, drawn, 1_000))
    recall 1, at least 0.857 (95 %, at one look): 60 found of about 60, at most 70
    """
    check_number(confidence, "confidence", 0, 1)
    check_flag(always_valid, "always_valid")
    relevant, drawn = np.asarray(relevant), np.asarray(drawn)
    check_consistent_length(relevant, drawn)
    for name, flags in (("relevant", relevant), ("drawn", drawn)):
        if flags.ndim != 1 or (flags.dtype != bool and len(flags)):
            raise ValueError(f"{name} must be a list of True and False.")
    check_number(n_rows, "n_rows", len(relevant), closed="left", integer=True)
    reads = Reads(relevant.astype(bool), drawn.astype(bool), n_rows)
    if probabilities is not None:
        probabilities = np.asarray(probabilities, dtype=float)
        if probabilities.shape != (reads.n_unread,):
            raise ValueError(
                f"probabilities must have shape ({reads.n_unread},), one for each "
                f"unread row, got {probabilities.shape}."
            )
        if not ((probabilities >= 0) & (probabilities <= 1)).all():
            raise ValueError("probabilities must lie in [0, 1].")
    return estimate_of(reads, confidence, always_valid, probabilities)


def estimate_of(
    reads: Reads, confidence: float, always_valid: bool, p: Floats | None
) -> RecallEstimate:
    """Return the estimate for rows that were read; parameters as above."""
    found, alpha = reads.found, 1 - confidence
    (at,) = np.nonzero(reads.drawn)
    n_relevant = float(found) if p is None else found + float(np.sum(p))
    if p is None and len(at):
        before = np.cumsum(reads.relevant) - reads.relevant
        weights = 1 / (reads.n_rows - at)
        hits = np.count_nonzero(reads.relevant[at])
        n_relevant = max((hits + weights @ before[at]) / weights.sum(), n_relevant)
    most = found + reads.n_unread
    is_block = len(at) > 0 and at[-1] - at[0] + 1 == len(at)
    if is_block and not always_valid:
        n_before = int(np.count_nonzero(reads.relevant[: at[0]]))
        hits = int(np.count_nonzero(reads.relevant[at]))
        bound = most_by_sample(reads.n_rows - int(at[0]), len(at), hits, alpha)
        most = min(most, max(n_before + bound, found))
    elif len(at):
        most = most_relevant(reads, alpha, 0.95)
    n_relevant = min(n_relevant, float(most))
    value, low = (found / n if n else np.nan for n in (n_relevant, most))
    return RecallEstimate(
        float(value), float(np.nan_to_num(low)), 1.0, len(reads.relevant),
        float(confidence), found, n_relevant, most, len(at),
        bool(always_valid or not is_block),
    )  # fmt: skip


def recall_so_far(
    learner: PoolClassifier,
    X: RowsLike,
    *,
    positive: Label | None = None,
    confidence: float = 0.95,
    always_valid: bool = False,
    ids: ArrayLike | None = None,
    exclude: ArrayLike | None = None,
) -> RecallEstimate:
    """Estimate which share of the relevant rows of a pool a learner has been taught.

    The random rows are those of an audit, if one has begun, else those that are known
    to be drawn from all unread rows: random first rows, and those of `explore` after
    the last purchase among some of the rows only, by `candidates`.

    Parameters
    ----------
    learner : pool learner
        With labels of both kinds.
    X : array-like of shape (n_samples, n_features)
        The pool.
    positive : str, int, float, bool or None, default=None
        The label of relevant rows. None: that of the learner, else the last class.
    confidence, always_valid
        As for `recall_estimate`.
    ids : array-like of shape (n_samples,), default=None
        The ids of the rows, if the learner got ids.
    exclude : array-like of int, or of bool of shape (n_samples,), default=None
        Row numbers, or a mask: pass those that `query` got. Unless they were taught,
        they are left out, as if they were not in the pool.

    Returns
    -------
    estimate : RecallEstimate
        Rows that were skipped are left out, as if they were not in the pool.

    Raises
    ------
    NotFittedError
        If the learner has not been taught.
    TypeError
        For something else than a pool learner.
    ValueError
        If no relevant row, or no other one, is known, or for a parameter out of its
        range.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import RelevanceSamplingClassifier
    >>> from sklearn_activelearn.evaluation import recall_so_far
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = RelevanceSamplingClassifier(
    ...     batch_size=0.1, budget=400, random_state=0
    ... ).fit(X / 16, y == 8)
    >>> estimate = recall_so_far(learner, X / 16)
    >>> print(estimate.found, "found, at least", round(estimate.low, 2))
    163 found, at least 0.19
    """
    check_number(confidence, "confidence", 0, 1)
    check_flag(always_valid, "always_valid")
    reads, p = read_by(learner, X, positive, ids, exclude)
    return estimate_of(reads, confidence, always_valid, p)


def read_by(learner, X, positive, ids, exclude=None, aside=None):
    """Return the rows that were read, and the probabilities of the others.

    Parameters
    ----------
    learner, X, positive, ids, exclude
        As for `recall_so_far`.
    aside : dict of int to bool or None, default=None
        Rows that the learner was kept from: whether each is relevant, None if it is
        unread. They count as read before the others, but not as drawn.

    Returns
    -------
    reads : Reads
        The rows that were read.
    probabilities : ndarray of shape (n_unread,)
        Those of the others.
    """
    if not isinstance(learner, PoolClassifier):
        raise TypeError(f"learner must be a pool learner, got {learner!r}.")
    if not (hasattr(learner, "_ledger") and learner.n_taught_):
        raise NotFittedError(f"This {type(learner).__name__} has not been taught.")
    labels = learner.classes_[learner._ledger.labelled.codes]
    if positive is None:
        positive = learner.positive
    if positive is None:
        positive = learner.classes_[-1]
    is_relevant = labels == positive
    if is_relevant.all() or not is_relevant.any():
        which = "other" if is_relevant.any() else "relevant"
        raise ValueError(
            f"No {which} row is known yet among {len(labels)} labels taught: nothing "
            f"can be said of the recall for {positive!r}."
        )
    X = learner._check_rows(X, reset=False)
    exclude = check_row_numbers(exclude, "exclude", n_rows(X))
    identity = identify(learner, X, ids)
    ledger = learner._ledger.locate(identity, np.zeros(n_rows(X), dtype=bool))
    is_left = np.ones(n_rows(X), dtype=bool)
    is_left[ledger.found[ledger.found >= 0]] = False
    if exclude is not None:
        is_left[exclude] = False
    aside = {row: y for row, y in (aside or {}).items() if is_left[row]}
    asked = AskedRows.of(ledger, int(is_left.sum()) - len(aside))
    # an audit was begun because of what was drawn before
    only = AUDIT if (asked.purposes == AUDIT).any() else None
    reads = asked.reads(is_relevant, only, shares_explored(learner))
    read_aside = {row: y for row, y in aside.items() if y is not None}
    is_left[[*read_aside]] = False
    reads = Reads(
        np.append([*map(bool, read_aside.values())], reads.relevant).astype(bool),
        np.append(np.zeros(len(read_aside)), reads.drawn).astype(bool),
        reads.n_rows + len(aside),
    )
    known = (
        getattr(learner, "estimator_", None),
        learner._ledger.labelled.rows,
        is_relevant,
    )
    if not is_left.any():
        return reads, np.zeros(0)
    X, within = restrict_rows(X, np.flatnonzero(is_left))

    def of_left(function):
        return map_blocks(function, X)[within]

    return reads, relevance_probabilities(*known, of_left)


def shares_explored(learner):
    """Return which shares of a purchase a learner may have drawn at random."""
    explore = learner.get_params(deep=False).get("explore", 0.0)
    initial = None, getattr(learner, "initial", None)
    return {explored_share(explore, each) for each in initial} - {0}


@dataclass(frozen=True)
class RecallCurve(Result):
    """Which share of the relevant rows was found after how many rows.

    Attributes
    ----------
    n_rows : int
        Rows that there are.
    read : ndarray of shape (n_runs, n_relevant)
        Rows read when one, two, ... relevant ones were found; infinity for those that
        a run did not find.
    n_read : ndarray of int of shape (n_runs,)
        Rows that each run has read.
    """

    n_rows: int
    read: np.ndarray
    n_read: np.ndarray

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the curve that `to_dict` took apart."""
        read = [[np.inf if n is None else n for n in run] for run in values["read"]]
        n_read = np.array(values["n_read"], dtype=int)
        return cls(values["n_rows"], np.array(read, dtype=float), n_read)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the curve from the text of `to_json`."""
        return cls.from_dict(json.loads(text))

    @property
    def n_relevant(self) -> int:
        """Relevant rows that there are."""
        return self.read.shape[1]

    def recall(self, n_read: ArrayLike) -> Floats:
        """Return the share of the relevant rows found after so many rows.

        Parameters
        ----------
        n_read : int or array-like of int of shape (n_points,)
            Rows read.

        Returns
        -------
        recall : ndarray of shape (n_runs,) or (n_runs, n_points)
            Of each run; that at its end from there on.
        """
        found = [np.searchsorted(run, n_read, side="right") for run in self.read]
        return np.array(found) / self.n_relevant

    def rows_read(self, recall: float = 0.95) -> Floats:
        """Return how many rows were read when this recall was reached.

        Parameters
        ----------
        recall : float in (0, 1], default=0.95
            Share of the relevant rows.

        Returns
        -------
        n_read : ndarray of shape (n_runs,)
            Infinity for a run that did not reach it.
        """
        check_number(recall, "recall", 0, 1, closed="right")
        # the product may be just above a whole number
        needed = max(int(np.ceil(round(recall * self.n_relevant, 9))), 1)
        return self.read[:, needed - 1]

    def wss(self, recall: float = 0.95) -> Floats:
        """Return the work saved over sampling (WSS).

        Parameters
        ----------
        recall : float in (0, 1], default=0.95
            Share of the relevant rows to be found.

        Returns
        -------
        saved : ndarray of shape (n_runs,)
            Share of the rows not read when it was reached, less that which reading at
            random would have left, ``1 - recall``; NaN for a run that did not reach it.
        """
        read = self.rows_read(recall)
        saved = (self.n_rows - read) / self.n_rows - (1 - recall)
        return np.where(np.isfinite(read), saved, np.nan)

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame: run, rows read, recall, a line for each found."""
        n_runs, n = self.read.shape
        return frame(
            {
                "run": np.repeat(np.arange(n_runs), n),
                "read": self.read.ravel(),
                "recall": np.tile(np.arange(1, n + 1) / n, n_runs),
            }
        )


def recall_curve(
    y: ArrayLike,
    orders: ArrayLike | Sequence[ArrayLike],
    *,
    positive: Label | None = None,
) -> RecallCurve:
    """Return which share of the relevant rows was found after how many rows.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of all rows.
    orders : array-like of int of shape (n_read,), or list of these
        Row numbers in the order in which they were read, such as
        ``learner.queried_indices_``; a list of runs, or one.
    positive : label or None, default=None
        That of the relevant rows. None: the last of the sorted labels.

    Returns
    -------
    curve : RecallCurve
        With ``recall(n_read)``, ``rows_read(recall)`` and ``wss(recall)``.

    Raises
    ------
    ValueError
        For labels of one class, a label that no row has, or numbers that are no rows or
        come twice.

    References
    ----------
    .. [1] A. M. Cohen, W. R. Hersh, K. Peterson, P.-Y. Yen, "Reducing Workload in
       Systematic Review Preparation Using Automated Citation Classification", JAMIA
       13(2), 2006 (work saved over sampling).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import RelevanceSamplingClassifier
    >>> from sklearn_activelearn.evaluation import recall_curve
    >>> X, y = load_digits(return_X_y=True)
    >>> learner = RelevanceSamplingClassifier(
    ...     positive=True, batch_size=0.1, budget=1_000, random_state=0
    ... ).fit(X / 16, y == 8)
    >>> curve = recall_curve(y == 8, learner.queried_indices_)
    >>> print(curve.rows_read(0.95), curve.wss(0.95).round(2), curve.wss(1.0).round(2))
    [422.] [0.72] [0.45]
    """
    y = np.asarray(check_not_missing(y))
    is_relevant = y == relevant_label(y, positive)
    one_run = np.ndim(next(iter(orders), 0)) == 0
    runs = [
        check_row_numbers(run, "orders", len(y))
        for run in ([orders] if one_run else orders)
    ]
    read = np.full((len(runs), np.count_nonzero(is_relevant)), np.inf)
    for line, run in zip(read, runs, strict=True):
        found = np.flatnonzero(is_relevant[run])
        line[: len(found)] = found + 1
    return RecallCurve(len(y), read, np.array([len(run) for run in runs]))


def relevant_label(y: Labels, positive: Label | None) -> Label:
    """Return the label of the relevant rows; None: the last."""
    classes = find_classes(y).tolist()
    if positive is None:
        return classes[-1]
    if positive not in classes:
        raise ValueError(
            f"positive must be one of the labels, {classes}, got {positive!r}."
        )
    return positive


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
