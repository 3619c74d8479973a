"""Recall: the share of the relevant rows that was found, with bounds and costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import nbinom
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_consistent_length

from ..base._labels import check_not_missing, find_classes
from ..base._parameters import check_flags, check_number
from ..base._validation import check_row_numbers
from ..pool import PoolClassifier
from ..pool._selection import explored_share, map_blocks
from ..pool.stopping._base import AUDIT, AskedRows
from ..pool.stopping._recall_target import relevance_probabilities
from ..sources._containers import n_rows, restrict_rows
from ..sources._identity import identify
from ..utils._statistics import (
    Estimate,
    Reads,
    audit_plan,
    least_bad_total,
    most_by_sample,
    most_relevant,
)
from ..utils.typing import Floats, Label, Labels, RowsLike


@dataclass(frozen=True)
class RecallEstimate(Estimate):
    """An estimate of the recall, with its lower bound.

    Attributes
    ----------
    value : float
        Estimate of the recall; NaN if nothing was found.
    low, high : float
        The lower bound, and 1.
    n_labels : int
        Number of rows that were read.
    confidence : float
        Confidence of the lower bound.
    n_rows : int
        Number of rows, read and unread.
    found : int
        Number of relevant rows that were read.
    n_relevant : float
        Estimate of the number of relevant rows.
    most_relevant : int
        Upper bound of the number of relevant rows, with the same confidence.
    n_drawn : int
        Number of rows read that had been drawn at random.
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
) -> RecallEstimate:
    r"""Estimate the share of the relevant rows that has been found.

    Rows are read one after the other, most of them because a model ranked them high,
    some drawn at random from all unread rows: a sample read at the start, rows bought
    to explore, an audit of the rest. The bound uses the random rows alone, so it holds
    for every model.

    Parameters
    ----------
    relevant : array-like of bool of shape (n_read,)
        Whether each row that was read is relevant, in the order of reading.
    drawn : array-like of bool of shape (n_read,)
        Whether each row was drawn at random from all rows that were unread then.
    n_rows : int
        Number of rows, read and unread.
    confidence : float in (0, 1), default=0.95
        Confidence of the lower bound.
    always_valid : bool, default=False
        Return a bound that stays valid if it is computed repeatedly, so that you may
        stop as soon as it is high enough. The other bound holds for a number of random
        rows that was chosen in advance; if other rows were read between the random
        rows, the bound for all times is returned anyway.

    Returns
    -------
    estimate : RecallEstimate
        ``value``, ``low``, ``found``, ``n_relevant`` and others. Without random rows
        the bound is trivial: all unread rows may be relevant.

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
    probability (R - r) / U. The estimate is the R for which the expected number of
    relevant random rows equals the observed number. It never exceeds the bound. The
    bound for one look is hypergeometric: the largest number of relevant rows among the
    rows from which n were drawn, for which x or fewer relevant ones of the n have a
    probability above 1 - confidence. The bound for all looks is the largest R against
    which a mixture of likelihood ratios never reached 1 / (1 - confidence) [1]_. Half
    of the mixture has all random rows; a part 1 / (2 k (k + 1)) has the random rows
    after the first 2\ :sup:`k - 1`, k = 1, 2, ...: among rows drawn while a model
    ranks, the later ones tell how many are left.

    A row that is drawn when U rows are unread tells of these U rows only. If n
    consecutive rows were drawn from about U unread rows and none was relevant, the
    bound leaves about 6 U / n relevant rows, twice the number after an audit of n rows.
    [2]_ discusses such certificates.

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
    check_flags(always_valid=always_valid)
    relevant, drawn = np.asarray(relevant), np.asarray(drawn)
    check_consistent_length(relevant, drawn)
    for name, flags in (("relevant", relevant), ("drawn", drawn)):
        if flags.ndim != 1 or (flags.dtype != bool and len(flags)):
            raise ValueError(
                f"{name} must be a 1-D array of True and False, got an array of "
                f"{flags.dtype} and shape {flags.shape}."
            )
    check_number(n_rows, "n_rows", len(relevant), closed="left", integer=True)
    reads = Reads(relevant.astype(bool), drawn.astype(bool), n_rows)
    return estimate_of(reads, confidence, always_valid)


def estimate_of(
    reads: Reads, confidence: float, always_valid: bool, p: Floats | None = None
) -> RecallEstimate:
    """Return the estimate for rows that were read; p: probabilities of the others."""
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
        value=float(value),
        low=float(np.nan_to_num(low)),
        high=1.0,
        n_labels=len(reads.relevant),
        confidence=float(confidence),
        n_rows=reads.n_rows,
        found=found,
        n_relevant=n_relevant,
        most_relevant=most,
        n_drawn=len(at),
        always_valid=bool(always_valid or not is_block),
    )


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
    """Estimate the share of the relevant rows of a pool that a learner has labels of.

    The random rows are the rows of an audit, if one has begun. Otherwise they are the
    rows that are known to be drawn from all unread rows: random first rows, and rows of
    `explore` that were bought after the last purchase with `candidates`.

    Parameters
    ----------
    learner : pool learner
        Has labels of relevant and of other rows.
    X : array-like of shape (n_samples, n_features)
        The pool.
    positive : str, int, float, bool or None, default=None
        Label of the relevant rows. None: `positive` of the learner, else the last
        class.
    confidence, always_valid
        As for `recall_estimate`.
    ids : array-like of shape (n_samples,), default=None
        The ids of the rows, if the learner got ids.
    exclude : array-like of int, or of bool of shape (n_samples,), default=None
        Row numbers or a mask, as passed to `query`. Unless they were taught, these rows
        are left out, as if they were not in the pool.

    Returns
    -------
    estimate : RecallEstimate
        As for `recall_estimate`. Skipped rows are left out, as if they were not in the
        pool.

    Raises
    ------
    NotFittedError
        If the learner has not been taught.
    TypeError
        For an object that is not a pool learner.
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
    check_flags(always_valid=always_valid)
    reads, p = read_by(learner, X, positive, ids, exclude)
    return estimate_of(reads, confidence, always_valid, p)


def read_by(learner, X, positive, ids, exclude=None, aside=None):
    """Return the rows that were read, and the probabilities of the unread rows.

    Parameters
    ----------
    learner, X, positive, ids, exclude
        As for `recall_so_far`.
    aside : dict of int to bool or None, default=None
        Held-out rows, which the learner never gets: whether each is relevant, None if
        it is unread. They count as read before the others, but not as drawn.

    Returns
    -------
    reads : Reads
        The rows that were read.
    probabilities : ndarray of shape (n_unread,)
        Probabilities of the unread rows to be relevant.
    """
    if not isinstance(learner, PoolClassifier):
        raise TypeError(f"learner must be a pool learner, got {learner!r}.")
    if not (hasattr(learner, "_ledger") and learner.n_taught_):
        raise NotFittedError(
            f"This {type(learner).__name__} has no labels: call `teach` first."
        )
    labels = learner.classes_[learner._ledger.labelled.codes]
    if positive is None:
        positive = learner.positive
    if positive is None:
        positive = learner.classes_[-1]
    is_relevant = labels == positive
    if is_relevant.all() or not is_relevant.any():
        which = "other" if is_relevant.any() else "relevant"
        raise ValueError(
            f"No {which} row is known yet among {len(labels)} labels taught: the "
            f"recall of {positive!r} cannot be estimated."
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
    # an audit begins because of earlier random rows, which must not count twice
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
    """Return the shares of a purchase that a learner may have drawn at random."""
    explore = learner.get_params(deep=False).get("explore", 0.0)
    initial = None, getattr(learner, "initial", None)
    return {explored_share(explore, each) for each in initial} - {0}


@dataclass(frozen=True)
class RecallCurve:
    """Recall against the number of rows read, over repeated runs.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    read : ndarray of shape (n_runs, n_relevant)
        Rows read when one, two, ... relevant rows were found; infinity for relevant
        rows that a run did not find.
    n_read : ndarray of int of shape (n_runs,)
        Rows that each run has read.
    """

    n_rows: int
    read: np.ndarray
    n_read: np.ndarray

    @property
    def n_relevant(self) -> int:
        """Number of relevant rows."""
        return self.read.shape[1]

    def recall(self, n_read: ArrayLike) -> Floats:
        """Return the share of the relevant rows found after a number of rows.

        Parameters
        ----------
        n_read : int or array-like of int of shape (n_points,)
            Rows read.

        Returns
        -------
        recall : ndarray of shape (n_runs,) or (n_runs, n_points)
            Recall of each run; after its end, the recall at its end.
        """
        found = [np.searchsorted(run, n_read, side="right") for run in self.read]
        return np.array(found) / self.n_relevant

    def rows_read(self, recall: float = 0.95) -> Floats:
        """Return the number of rows read when a recall was reached.

        Parameters
        ----------
        recall : float in (0, 1], default=0.95
            Share of the relevant rows to be found.

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
            Share of unread rows when the recall was reached, minus ``1 - recall``, the
            share that random order would leave; NaN for a run that did not reach it.
        """
        read = self.rows_read(recall)
        saved = (self.n_rows - read) / self.n_rows - (1 - recall)
        return np.where(np.isfinite(read), saved, np.nan)


def recall_curve(
    y: ArrayLike,
    orders: ArrayLike | Sequence[ArrayLike],
    *,
    positive: Label | None = None,
) -> RecallCurve:
    """Return the recall against the number of rows read, for given orders of reading.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of all rows.
    orders : array-like of int of shape (n_read,), or list of these
        Row numbers in the order of reading, such as ``learner.queried_indices_``, of
        one run or of several.
    positive : label or None, default=None
        Label of the relevant rows. None: the last of the sorted labels.

    Returns
    -------
    curve : RecallCurve
        Has the methods ``recall(n_read)``, ``rows_read(recall)`` and ``wss(recall)``,
        the work saved over sampling [1]_.

    Raises
    ------
    ValueError
        For labels of one class, a label that no row has, and numbers that are not row
        numbers or occur twice.

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
    """Return the label of the relevant rows; None means the last class."""
    classes = find_classes(y).tolist()
    if positive is None:
        return classes[-1]
    if positive not in classes:
        raise ValueError(
            f"positive must be one of the labels, {classes}, got {positive!r}."
        )
    return positive


#: Share of the rows read below which the rows to a recall are overestimated, because
#: the model still learns to rank.
STILL_LEARNING = 0.2
#: The rows to a recall are likely to lie between the estimate, divided by the first
#: number, and the estimate times the second: before that share and after it.
EARLY_FACTORS, LATE_FACTORS = (30, 2), (6, 5)
#: Shape of the negative binomial distribution of the unread relevant rows: its standard
#: deviation is at least .58 of its mean.
SHAPE = 3


@dataclass(frozen=True)
class RecallPrice:
    """Estimated rows to read to reach a recall, and to be certain of it.

    Attributes
    ----------
    recall, confidence : float
        The target.
    n_rows, n_read, found : int
        Rows of the pool, rows read, and relevant rows found.
    n_relevant : float
        Estimated number of relevant rows.
    likely : tuple of int
        Likely range of this number.
    n_expected : int
        Estimated rows to read until the recall is reached, if it is not yet. A rough
        figure: off by a factor of 2 to 3 in the median, and before a fifth of the rows
        are read several times too large.
    likely_rows : tuple of int
        Likely range of this number. It held the truth in nine of ten runs.
    n_certain : int
        Estimated rows to read until the recall is certain.
    p_reached : float
        Estimated probability that the recall is already reached.

    Notes
    -----
    Let r rows be found, and S be the sum of the probabilities of the unread rows. The
    number D of unread relevant rows is taken for negative binomial, with mean S and
    shape 3. A recall of t is missed if D ≥ K = ⌊r / t⌋ + 1 - r: `p_reached` is
    P(D < K). For each D ≥ K, the most likely rows are to be read until the sum of their
    probabilities is (⌈t (r + D)⌉ - r - 1/2) / D of S; `n_expected` is the geometric
    mean of their numbers over D ≥ K. `likely_rows` ends at 1/6 and 5 times `n_expected`
    (1/30 and 2 times before a fifth of the rows are read), measured on searches in
    texts. To exclude k missed rows among U unread rows takes
    about -log(1 - confidence) U / k random rows: therefore certainty is expensive.
    """

    recall: float
    confidence: float
    n_rows: int
    n_read: int
    found: int
    n_relevant: float
    likely: tuple[int, int]
    n_expected: int
    likely_rows: tuple[int, int]
    n_certain: int
    p_reached: float


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
    """Estimate how many more rows to read to reach a recall, and to be certain of it.

    Parameters
    ----------
    learner : pool learner
        Has labels of relevant and of other rows.
    X : array-like of shape (n_samples, n_features)
        The pool.
    recall : float in (0, 1], default=0.95
        The target.
    confidence : float in (0, 1), default=0.95
        Confidence of the certificate, by the audit of `RecallTarget`.
    positive, ids, exclude
        As for `recall_so_far`.

    Returns
    -------
    price : RecallPrice
        ``n_relevant``, ``n_expected``, ``n_certain`` and others.

    Raises
    ------
    NotFittedError
        If the learner has not been taught.
    TypeError
        For an object that is not a pool learner.
    ValueError
        If no relevant row, or no other one, is known, or for a parameter out of its
        range.

    See Also
    --------
    sklearn_activelearn.pool.RecallTarget : Reads until the recall is certain.

    References
    ----------
    .. [1] D. D. Lewis, E. Yang, O. Frieder, "Certifying One-Phase Technology-Assisted
       Reviews", CIKM 2021 (the cost of a certificate).

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
    """Return the price for rows that were read; p: probabilities of the others."""
    p, found = np.sort(p)[::-1], reads.found
    n_expected, p_reached = rows_to_recall(found, p, recall)
    n_certain = audit_plan(reads, p, recall, 1 - confidence).n_rows
    most = min(round(2 * float(p.sum())) + 3, len(p))
    is_early = len(reads.relevant) < STILL_LEARNING * reads.n_rows
    fewer, more = EARLY_FACTORS if is_early else LATE_FACTORS
    likely_rows = ceil(n_expected / fewer), min(more * n_expected, len(p))
    return RecallPrice(
        float(recall), float(confidence), reads.n_rows, len(reads.relevant), found,
        float(found + p.sum()), (found, found + most), n_expected,
        likely_rows, n_certain, p_reached,
    )  # fmt: skip


def rows_to_recall(found: int, p: Floats, recall: float) -> tuple[int, float]:
    """Return the rows to read to a recall, and the probability that it is reached.

    Parameters
    ----------
    found : int
        Number of relevant rows that were read.
    p : ndarray of shape (n_unread,)
        Probabilities of the unread rows, the largest first.
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
