"""Confidence intervals and tests, each a function with its formula and source.

Stopping rules, evaluation and labelling sessions use them:

- shares and paired differences;
- the number of relevant rows in a collection, some of whose rows were drawn at random;
- the cost of an audit that certifies a recall;
- the error of a stream learner on rows whose labels it bought at random;
- the mean loss of a pool, from rows drawn with unequal probabilities;
- the value of further labels, from predictions that change.
"""

from bisect import bisect_left
from dataclasses import dataclass, fields
from math import ceil, floor, inf, log
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, expit, gammaln, logit, logsumexp, stdtrit
from scipy.stats import hypergeom, poisson
from scipy.stats import t as student

from .typing import Bools, Floats


@dataclass(frozen=True)
class Estimate:
    """An estimate and its confidence interval.

    Attributes
    ----------
    value : float
        The estimate.
    low, high : float
        Ends of the confidence interval; -inf and inf if the labels say nothing.
    n_labels : int
        Number of labels from which it was made.
    confidence : float
        Nominal coverage of the interval, between 0 and 1.
    n_rows : int or None
        Number of rows of the stream; None for an estimate that is not about a stream.
    """

    value: float
    low: float
    high: float
    n_labels: int
    confidence: float = 0.95
    n_rows: int | None = None

    def __str__(self) -> str:
        rows = "" if self.n_rows is None else f" of {self.n_rows} rows"
        return (
            f"{self.value:.3g} ({100 * self.confidence:g} %: {self.low:.3g} to "
            f"{self.high:.3g}, {self.n_labels} labels{rows})"
        )


# Shares and paired differences


def score_interval(center, scale, constant, linear, quadratic):
    """Return the interval of a score test whose variance depends on the mean.

    It is the set of x with ``(x - center)**2 <= scale * (constant + linear * x +
    quadratic * x**2)``. With a constant variance it is the usual interval, with
    ``x * (1 - x)`` Wilson's [1]_.

    Parameters
    ----------
    center : float
        The estimate.
    scale : float
        Squared quantile over the number of observations.
    constant, linear, quadratic : float
        Coefficients of the variance.

    Returns
    -------
    low, high : float
        Infinite where the set has no end; both `center` if it is empty.

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical
       inference", JASA 22, 1927.
    """
    a = 1 - scale * quadratic
    b = -2 * center - scale * linear
    c = center**2 - scale * constant
    if a <= 0:  # the variance grows faster than the square: no x is refuted
        return -np.inf, np.inf
    root = np.sqrt(max(b * b - 4 * a * c, 0.0))  # rounding may make it negative
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def clopper_pearson_interval(share, n, confidence):
    """Return the exact interval of Clopper and Pearson for a binomial share [1]_.

    Its ends are quantiles of beta distributions, ``Beta(k, n - k + 1)`` and
    ``Beta(k + 1, n - k)`` with ``k = n * share``, which need not be an integer.

    Parameters
    ----------
    share : float in [0, 1]
        Share of successes.
    n : float > 0
        Number of observations, or their effective number.
    confidence : float
        Confidence of the interval.

    References
    ----------
    .. [1] C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits
       illustrated in the case of the binomial", Biometrika 26, 1934.
    """
    tail, right, wrong = (1 - confidence) / 2, n * share, n * (1 - share)
    # beta distributions have no parameter 0: without successes the end is 0 itself
    low = betaincinv(right, wrong + 1, tail) if right > 0 else 0.0
    high = betaincinv(right + 1, wrong, 1 - tail) if wrong > 0 else 1.0
    return float(low), float(high)


def lower_ends(losses):
    """Return the lower end of a 95 % interval of each mean loss, at least 0.

    The mean is taken as normal: ``mean - 1.96 * deviation / sqrt(n)``.

    Parameters
    ----------
    losses : ndarray of shape (n_models, n_samples)
        Losses of each model.
    """
    n_models, n = losses.shape
    # one loss has no deviation; the models are then compared by their losses alone
    deviation = losses.std(axis=1, ddof=1) if n > 1 else np.zeros(n_models)
    return np.maximum(losses.mean(axis=1) - 1.96 * deviation / np.sqrt(n), 0)


def paired_t_test(differences, confidence, ratio=0.0):
    """Return the paired t-test of each column, and its confidence interval.

    With differences d_1 .. d_J the statistic is ``mean(d) / sqrt((1 / J + ratio) *
    var(d))`` with J - 1 degrees of freedom. With `ratio` it is the corrected resampled
    t-test of Nadeau and Bengio [1]_.

    Parameters
    ----------
    differences : ndarray of shape (n_runs, n_columns)
        Paired differences, at least two runs.
    confidence : float
        Confidence of the intervals.
    ratio : float, default=0.0
        Held-out rows for each training row, for the correction.

    Returns
    -------
    mean, low, high, p_value : ndarray of shape (n_columns,)
        Means, ends of the intervals and two-sided p-values of "no difference".

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the Generalization Error", Machine
       Learning 52, 2003, Section 3.
    """
    n_runs = len(differences)
    mean = differences.mean(axis=0)
    error = np.sqrt((1 / n_runs + ratio) * differences.var(axis=0, ddof=1))
    half = student.ppf((1 + confidence) / 2, n_runs - 1) * error
    # without spread: 0 / 0 is no difference, anything else a certain one
    distance = np.where(mean == 0, 0.0, np.inf)
    np.divide(np.abs(mean), error, out=distance, where=~(error <= 0))
    return mean, mean - half, mean + half, 2 * student.sf(distance, n_runs - 1)


# Relevant rows of a collection
#
# Rows are read one after the other, some because a model ranked them high, others drawn
# at random from all unread rows. The bounds use the random rows alone, so they hold for
# every model.

#: Share of the prior on few unread relevant rows; the rest is on any number.
NEAR = 0.95
#: Up to EACH relevant rows each number has its own weight; beyond, one number stands
#: for all up to FACTOR times as large.
EACH, FACTOR = 1_000, 1.05


class Reads(NamedTuple):
    """The rows of a collection that were read, in order.

    Attributes
    ----------
    relevant : ndarray of bool of shape (n_read,)
        Whether each row is relevant.
    drawn : ndarray of bool of shape (n_read,)
        Whether each row was drawn at random from all rows that were unread then.
    n_rows : int
        Number of rows of the collection.
    """

    relevant: Bools
    drawn: Bools
    n_rows: int

    @property
    def found(self) -> int:
        """Number of relevant rows that were read."""
        return int(np.count_nonzero(self.relevant))

    @property
    def n_unread(self) -> int:
        """Number of unread rows."""
        return self.n_rows - len(self.relevant)


def least_bad_total(found: int, recall: float) -> int:
    """Return the least total of relevant rows for which `found` misses the recall."""
    # recalls such as .95 are not exact in binary: 19 of 20 is .95
    return floor(found / recall + 1e-9) + 1


def most_bad_found(total: int, recall: float) -> int:
    """Return the largest number found that misses the recall for this total."""
    return ceil(recall * (total - 1e-9)) - 1


def prior(n_missed: int, n_most: int) -> tuple[Floats, Floats]:
    """Return numbers of unread relevant rows, and the prior weight of each.

    Parameters
    ----------
    n_missed : int
        Least number for which the recall would be missed.
    n_most : int
        The largest number.

    Returns
    -------
    numbers, weights : ndarray of shape (n_numbers,)
        All numbers up to `EACH`, and some larger ones with the weight of all up to the
        next. The weights add up to 1 or less.
    """
    ends = np.arange(min(n_most, EACH) + 2.0)
    if n_most > EACH:
        n_steps = int(log(n_most / EACH) / log(FACTOR)) + 2
        ends = np.append(ends[:-1], np.ceil(EACH * FACTOR ** np.arange(1, n_steps)))
    mean = n_missed**1.5 / 30  # chosen by measurement, as NEAR
    near = (mean / (1 + mean)) ** ends
    far = 1 / (ends + 1)
    weights = -NEAR * np.diff(near) - (1 - NEAR) * np.diff(far)
    return ends[:-1], weights


def log_likelihoods(reads: Reads, totals: Floats, start: int = 0) -> Floats:
    """Return the log-likelihoods of the random rows, up to a factor that totals share.

    When u rows are unread and r relevant ones were read, a random row is relevant with
    probability ``(total - r) / u``.

    Parameters
    ----------
    reads : Reads
        The rows that were read.
    totals : ndarray of shape (n_totals,)
        Numbers of relevant rows in all.
    start : int, default=0
        First random row that counts.

    Returns
    -------
    logs : ndarray of shape (n_drawn - start, n_totals)
        Log-likelihoods after each random row.
    """
    (at,) = np.nonzero(reads.drawn)
    at = at[start:]
    relevant = np.asarray(reads.relevant, dtype=bool)
    found = (np.cumsum(relevant) - relevant)[at]  # before each
    n_left = (reads.n_rows - at)[:, None]
    remaining = totals - found[:, None]
    chances = np.where(relevant[at, None], remaining, n_left - remaining)
    is_possible = (remaining >= 0) & (chances > 0)
    logs = np.log(np.where(is_possible, chances, 1))
    return np.cumsum(np.where(is_possible, logs, -np.inf), axis=0)


def log_evidence(reads: Reads, total: int, recall: float) -> float:
    """Return the evidence of the random rows that fewer than `total` are relevant.

    It is the logarithm of a likelihood ratio. The denominator is the likelihood of
    `total` relevant rows, the numerator the likelihood of `most_bad_found`. If
    `total` rows are relevant, the ratio is a
    martingale [1]_: with probability 1 - alpha its logarithm never reaches
    ``log(1 / alpha)``. Where it is positive, it grows with the total.

    Parameters
    ----------
    reads : Reads
        The rows that were read.
    total : int
        Number of relevant rows in all, by hypothesis.
    recall : float
        The target.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas, "Confidence Sequences for Sampling without
       Replacement", NeurIPS 2020.
    """
    totals = np.array([most_bad_found(total, recall), total])
    logs = log_likelihoods(reads, totals)
    if not len(logs):
        return 0.0
    own, by_hypothesis = logs[-1].tolist()
    # infinite if the collection cannot hold that many
    return inf if by_hypothesis == -inf else own - by_hypothesis


def log_ratios(reads: Reads, total: int, recall: float, start: int = 0) -> Floats:
    """Return the logarithm of a mixture of likelihood ratios after each random row.

    Parameters
    ----------
    reads, total
        As for `log_evidence`.
    recall : float
        The target, for which the mixture has most evidence.
    start : int, default=0
        First random row that counts; the prior is chosen then.

    Returns
    -------
    logs : ndarray of shape (n_drawn - start,)
    """
    at = np.flatnonzero(reads.drawn)[start:]
    first = int(np.count_nonzero(reads.relevant[: at[0]])) if len(at) else 0
    if not len(at) or total <= first:
        return np.zeros(len(at))
    n_missed = least_bad_total(first, recall) - first
    numbers, weights = prior(n_missed, total - 1 - first)
    logs = log_likelihoods(reads, np.append(first + numbers, total), start)
    if logs[-1, -1] == -np.inf:  # the collection cannot hold that many
        return np.full(len(at), np.inf)
    return logsumexp(logs[:, :-1] - logs[:, -1:], axis=1, b=weights)


def log_evidence_from(reads: Reads, total: int, recall: float) -> float:
    """Return the evidence of a mixture, part of which counts only later random rows.

    It is for rows that are drawn while a model ranks: when most rows are drawn, few
    relevant ones are left, and how many there were before does not matter. Half of the
    mixture is on all random rows. Of the other half, a part 1 / (k (k + 1)) is on the
    random rows after the first 2 ** (k - 1), for k = 1, 2, ...

    Parameters
    ----------
    reads, total, recall
        As for `log_ratios`.
    """
    n_drawn = int(np.count_nonzero(reads.drawn))
    starts = [0, *(2**k for k in range(n_drawn.bit_length()) if 2**k < n_drawn)]
    logs = np.full((len(starts) + 1, n_drawn), -np.inf)
    shares = [0.5, *(0.5 / (k * (k + 1)) for k in range(1, len(starts)))]
    for line, start, share in zip(logs, starts, shares, strict=False):
        line[:start] = log(share)
        line[start:] = log(share) + log_ratios(reads, total, recall, start)
    logs[-1] = log(0.5 / len(starts))  # the part for starts to come
    return float(logsumexp(logs, axis=0).max(initial=0.0))


def most_relevant(reads: Reads, alpha: float, recall: float) -> int:
    """Return an upper bound of the number of relevant rows that holds at every look.

    Parameters
    ----------
    reads : Reads
        The rows that were read.
    alpha : float
        Probability that the bound is ever too low.
    recall : float
        As for `log_ratios`.
    """

    def is_rejected(n_more):  # evidence grows with the total
        evidence = log_evidence_from(reads, reads.found + n_more, recall)
        return evidence >= log(1 / alpha)

    numbers = range(1, reads.n_unread + 1)
    return reads.found + bisect_left(numbers, True, key=is_rejected)


def most_by_sample(n_rows: int, n_drawn: int, n_relevant: int, alpha: float) -> int:
    """Return an upper bound of the relevant rows, from one look at a random sample.

    It is the largest number for which a sample of `n_drawn` rows has at most
    `n_relevant` relevant ones with a hypergeometric probability above `alpha`. The size
    of the sample must have been chosen before.

    Parameters
    ----------
    n_rows : int
        Number of rows from which the sample was drawn.
    n_drawn, n_relevant : int
        Rows of the sample, and relevant rows of the sample.
    alpha : float
        Probability that the bound is too low.
    """

    def is_rejected(n_more):
        total = n_relevant + n_more
        return hypergeom.cdf(n_relevant, n_rows, total, n_drawn) <= alpha

    numbers = range(1, n_rows - n_drawn + 1)
    return n_relevant + bisect_left(numbers, True, key=is_rejected)


def most_wrong_unread(n_rows: int, n_allowed: int, n_drawn: int, alpha: float) -> int:
    """Return how many wrong rows of a random sample may be unread at a certificate.

    It is the largest x for which a sample has at most x wrong unread rows with a
    hypergeometric probability of at most `alpha`, if ``n_allowed + 1`` rows are wrong
    and unread. The unread rows may become fewer in any order that does not depend on
    the sample. -1: the sample is too small.

    Parameters
    ----------
    n_rows : int
        Number of rows from which the sample was drawn.
    n_allowed : int
        Number of wrong rows that may be left.
    n_drawn : int
        Size of the sample.
    alpha : float
        Probability of a certificate while more than `n_allowed` wrong rows are unread.
    """
    if n_allowed < 0:
        return -1
    if n_allowed >= n_rows:
        return n_drawn
    x = np.arange(n_drawn + 1)
    is_rare = hypergeom.cdf(x, n_rows, n_allowed + 1, n_drawn) <= alpha
    return int(np.count_nonzero(is_rare)) - 1


# The cost of an audit

#: An audit begins when at most EXPECTED relevant rows are expected to be unread, at
#: most the number that misses the target, and after consecutive irrelevant rows: a
#: share IN_A_ROW of all rows, divided by the number that misses the target. Measured on
#: the rankings of benchmarks/screening. It decides how many rows are read, not how
#: certain the recall is.
EXPECTED, IN_A_ROW = 5, 0.2
#: Shares of the unread rows that an audit may read.
READ_SHARES = np.linspace(0, 0.99, 100)
#: Probability that is left out of a mean of shares.
RARE = 1e-6


def is_audit_due(
    found: int, expected: float, n_since: int, n_rows: int, recall: float
) -> bool:
    """Return whether to stop ranking and to draw unread rows at random.

    Parameters
    ----------
    found : int
        Number of relevant rows that were read.
    expected : float
        Estimate of the number of unread relevant rows.
    n_since : int
        Number of rows read since the last relevant one.
    n_rows : int
        Number of rows.
    recall : float
        The target.
    """
    n_missed = least_bad_total(found, recall) - found
    is_few = expected <= min(EXPECTED, n_missed)
    return is_few and n_since >= IN_A_ROW * n_rows / n_missed


def n_draws_missing(reads: Reads, recall: float, confidence: float) -> int:
    """Return the least number of further random rows that make the recall certain.

    It assumes that none of these rows is relevant. `log_evidence` then proves the
    recall with the given confidence.

    Parameters
    ----------
    reads : Reads
        The rows that were read.
    recall, confidence : float
        The target, and the least probability with which it must be reached.
    """
    total = least_bad_total(reads.found, recall)

    def is_certain(n_more):
        more = np.zeros(n_more, dtype=bool)
        relevant = np.append(reads.relevant, more).astype(bool)
        drawn = np.append(reads.drawn, ~more).astype(bool)
        longer = Reads(relevant, drawn, reads.n_rows)
        return log_evidence(longer, total, recall) >= log(1 / (1 - confidence))

    return bisect_left(range(reads.n_unread), True, key=is_certain)


def audit_share(found: int, expected: float, recall: float, alpha: float) -> float:
    """Return the expected share of the unread rows that an audit reads.

    Parameters
    ----------
    found : int
        Number of relevant rows that were read before.
    expected : float
        Estimate of the number of unread relevant rows; it is taken for Poisson.
    recall, alpha : float
        The target, and the probability of missing it.
    """
    x = np.arange(poisson.ppf(1 - RARE, expected) + 1)
    missed = np.array([least_bad_total(found + n, recall) - found for n in x])
    # with x relevant rows found, the recall is certain after this share of the rows
    ways = gammaln(missed + 1) - gammaln(x + 1) - gammaln(missed - x + 1)
    most = np.exp((log(alpha) - ways) / (missed - x))
    is_certain = most[:, None] >= 1 - READ_SHARES
    shares = []
    for d in x:  # of d unread relevant rows a share has been read
        found_by_share = np.rint(d * READ_SHARES).astype(int)
        reached = is_certain[found_by_share, np.arange(len(READ_SHARES))]
        shares.append(READ_SHARES[np.argmax(reached)] if reached.any() else 1.0)
    chances = poisson.pmf(x, expected)
    return float(chances @ shares / chances.sum())


class AuditPlan(NamedTuple):
    """Estimated beginning and end of an audit."""

    n_ranked: int  # rows to read before it, the most likely ones first
    n_rows: int  # rows to read in all until the recall is certain


def audit_plan(
    reads: Reads, probabilities: Floats, recall: float, alpha: float
) -> AuditPlan:
    """Return when an audit would begin, and how many rows certainty costs.

    Parameters
    ----------
    reads : Reads
        The rows that were read.
    probabilities : ndarray of shape (n_unread,)
        Probability of each unread row to be relevant, in the order of reading.
    recall, alpha : float
        The target, and the probability of missing it.
    """
    n_unread, found = len(probabilities), reads.found
    hits = np.append(0.0, np.cumsum(probabilities))
    expected = hits[-1] - hits
    n_missed = least_bad_total(found + round(hits[-1]), recall) - found
    n_missed = max(n_missed - round(hits[-1]), 1)
    is_few = expected <= min(EXPECTED, n_missed)
    n_ranked = int(np.argmax(is_few)) if is_few.any() else n_unread
    if n_ranked:  # the last relevant row is about there
        n_ranked += round(IN_A_ROW * reads.n_rows / n_missed)
    n_ranked = min(n_ranked, n_unread)
    share = audit_share(
        found + round(hits[n_ranked]), expected[n_ranked], recall, alpha
    )
    return AuditPlan(n_ranked, n_ranked + round(share * (n_unread - n_ranked)))


# The value of further labels

#: Prior net share, and the number of changed predictions that it weighs as much as.
NET, WEIGHT = 0.3, 100


def net_share(n_changed=0, n_right=0, n_wrong=0):
    """Return the mean gain of a changed prediction, between -1 and 1.

    It is ``(30 + n_right - n_wrong) / (100 + n_changed)``, shrunk to a prior of 0.3.

    Parameters
    ----------
    n_changed : int
        Rows with known labels whose predictions changed.
    n_right, n_wrong : int
        Rows of these whose prediction became right, and wrong.
    """
    return (WEIGHT * NET + n_right - n_wrong) / (WEIGHT + n_changed)


def changes(before, now, truth):
    """Return the number of changed predictions, of new right and of new wrong ones."""
    changed = before != now
    n_right, n_wrong = ((changed & (labels == truth)).sum() for labels in (now, before))
    return int(changed.sum()), int(n_right), int(n_wrong)


# The error of a stream learner


def online_score_t_interval(sums, confidence):
    r"""Return the score-test interval of the error on the rows of a stream.

    With the estimate h, n labels of T rows, q_t the probability of buying row t,
    alpha_t = (1 - q_t) / q_t and its mean A' over all rows, it is the set of x with
    ``(x - h)**2 <= t_{n-1}**2 / T * (A x + (A' - 2 A) x**2)``; A is the mean of alpha
    over the mistakes bought and one average row.

    Parameters
    ----------
    sums : Sums
        Sums over the rows, with at least one label.
    confidence : float
        Nominal coverage.
    """
    value, excess = sums.mistakes / sums.weights, sums.excess / sums.n_rows
    if excess == 0:  # every label was bought
        return value, value
    if sums.n_labels < 2:
        return 0.0, 1.0
    slope = (sums.squares - sums.mistakes + excess) / (sums.mistakes + 1)
    if value > 0:
        slope = min(slope, excess / value)  # mistakes are some of the rows
    # rows whose labels are pending or skipped are left out
    n_left = sums.n_rows * sums.n_labels / sums.n_asked
    scale = stdtrit(sums.n_labels - 1, (1 + confidence) / 2) ** 2 / n_left
    return score_interval(value, scale, 0, slope, excess - 2 * slope)


# The mean loss of a pool, from rows drawn with unequal probabilities
#
# Rows are drawn without replacement, in an order; LURE weights make the mean unbiased.

#: Bets of each pair of players, as shares of the largest possible bet.
BETS = np.arange(1, 9)[:, None] / 9
#: Means for which the wealth is computed.
N_MEANS = 400
#: Purchase probabilities for which the variance is computed; others are interpolated.
N_SIZES = 64
#: Number of labels of each class that the surrogate's expectation counts as.
PRIOR = 2.0
#: Bisections of the logits of the errors of the classes, from this shift.
N_BISECTIONS, FARTHEST = 30, 500.0


@dataclass(frozen=True)
class SamplingPlan:
    """Purchase probabilities and expected losses of the rows of a pool.

    The excess of a loss is its difference from the least loss of the row. For the 0-1
    loss the least is 0, and the expected excess is the probability of a mistake.

    Parameters
    ----------
    probabilities : ndarray of shape (n_rows,)
        Probability of each row to be bought first, all above 0, with sum 1.
    least, most : ndarray of shape (n_rows,)
        Bounds of the loss, over the labels.
    control : ndarray of shape (n_rows,)
        Expected excess that is subtracted; 0 for none.
    mean, square : ndarray of shape (n_rows,)
        Expected excess, and its expected square.
    chance : ndarray of shape (n_rows,)
        Probability of any excess.
    """

    probabilities: np.ndarray
    least: np.ndarray
    most: np.ndarray
    control: np.ndarray
    mean: np.ndarray
    square: np.ndarray
    chance: np.ndarray

    def __len__(self):
        return len(self.least)

    def without(self, rows):
        """Return the plan for the other rows."""
        others = {
            f.name: np.delete(getattr(self, f.name), rows, 0) for f in fields(self)
        }
        others["probabilities"] /= others["probabilities"].sum()
        return type(self)(**others)

    def bounds(self, order, losses):
        """Return the least and the largest possible mean, given some losses."""
        rest = np.ones(len(self), dtype=bool)
        rest[order] = False
        known = losses.sum()
        return tuple(
            float((known + ends[rest].sum()) / len(self))
            for ends in (self.least, self.most)
        )


def make_plan(losses, chances, mix):
    """Return the plan that buys rows in proportion to the std of their loss.

    Parameters
    ----------
    losses : ndarray of shape (n_rows, n_classes)
        Loss of each row for each label.
    chances : ndarray of shape (n_rows, n_classes)
        Probabilities of the labels.
    mix : float
        Share of the uniform distribution. With 1 every row has the same probability,
        and ``control`` is 0.
    """
    most = losses.max(axis=1)
    least = losses.min(axis=1) if mix < 1 else np.full(len(losses), losses.min())
    excess = losses - least[:, None]
    mean, square, chance = (
        (chances * values).sum(axis=1) for values in (excess, excess**2, excess > 0)
    )
    n, deviation = len(losses), np.sqrt(np.maximum(square - mean**2, 0.0))
    share = deviation / deviation.sum() if deviation.any() else np.full(n, 1 / n)
    return SamplingPlan(
        probabilities=mix / n + (1 - mix) * share,
        least=least,
        most=most,
        control=mean if mix < 1 else np.zeros(n),
        mean=mean,
        square=square,
        chance=chance,
    )


def loss_sign(losses, chances):
    """Return -1 if expected losses are closer to the largest than to the least, else 1.

    Intervals are narrow where excess is rare, so they are made for losses of this sign.
    """
    middle = (losses.max(axis=1) + losses.min(axis=1)).sum()
    return -1 if 2 * (chances * losses).sum() > middle else 1


def share_left(parts, order):
    """Return the share of a sum over all rows that is left before each purchase."""
    return 1 - np.append(0.0, np.cumsum(parts[order])[:-1]) / parts.sum()


def step_probabilities(probabilities, order):
    """Return the probability of each purchase among the rows that were left then."""
    return np.minimum(probabilities[order] / share_left(probabilities, order), 1.0)


def lure_weights(steps, n_rows):
    """Return the weight of each purchase in LURE [1]_; their expected mean is 1.

    Of M purchases from N rows the m-th one, with probability q_m among the rows left,
    has the weight ``1 + (N - M) / (N - m) * (1 / ((N - m + 1) q_m) - 1)``.

    Parameters
    ----------
    steps : ndarray of shape (n_bought,)
        Probability of each purchase among the rows that were left.
    n_rows : int
        Number of rows of the pool.

    References
    ----------
    .. [1] S. Farquhar, Y. Gal, T. Rainforth, "On statistical bias in active learning:
       how and when to fix it", ICLR 2021.
    """
    n_left = n_rows - np.arange(len(steps))
    after = np.maximum(n_left - 1, 1)  # the last row of all has weight 1
    return 1 + (n_rows - len(steps)) / after * (1 / (n_left * steps) - 1)


def mean_excess(plan, order, losses):
    """Return the unbiased estimate of the mean excess, and the weights in it."""
    weights = lure_weights(step_probabilities(plan.probabilities, order), len(plan))
    rest = losses - plan.least[order] - plan.control[order]
    return plan.control.mean() + np.mean(weights * rest), weights


def estimate_mean(plan, order, losses):
    """Return the unbiased estimate of the mean loss of all rows."""
    return float(plan.least.mean() + mean_excess(plan, order, losses)[0])


def estimate_with_interval(plan, order, losses, confidence, interval):
    """Return an estimate and the ends of an interval, cut to possible means."""
    low, high = plan.bounds(order, losses)
    if not len(order):
        return np.nan, low, high
    value = np.clip(estimate_mean(plan, order, losses), low, high)
    if len(order) > 1 and low < high:
        ends = *interval(plan, order, losses, confidence), value
        low, high = np.clip([min(ends), max(ends)], low, high)
    return value, low, high


def variance_factors(plan, order):
    """Return the factors of unexpected squares of excess in the variance of LURE.

    LURE is a mean, with weights a, of estimates from each purchase alone, whose errors
    are uncorrelated.

    Returns
    -------
    spread : ndarray of shape (n_rows,)
        Factor of the square of each row: smaller for more likely purchases.
    joint : float
        Factor of the square of their mean, to be subtracted.
    """
    n, n_bought, q = len(plan), len(order), plan.probabilities
    n_left = n - np.arange(n_bought)
    a = n / n_bought * (n - n_bought) / (n_left * (n_left - 1))
    left = share_left(q, order)
    some = np.sort(q) if n <= N_SIZES else np.geomspace(q.min(), q.max(), N_SIZES)
    survival = np.maximum(1 - some[:, None] / left, 0.0).cumprod(axis=1)
    survival = np.column_stack([np.ones(len(some)), survival[:, :-1]])
    factors = n_bought / n * (survival @ (a**2 * left)) / some
    joint = n_bought * np.sum((a * share_left(plan.mean, order)) ** 2)
    return np.interp(q, some, factors), joint


def score_t_interval(plan, order, losses, confidence):
    """Return the mean losses that a score test with Student's quantile accepts.

    The variance of the estimate at a mean excess x is ``slope * x + constant`` less a
    square, divided by the number of purchases. The slope is estimated from the labels
    and from the plan, which has the weight of two labels.

    Parameters
    ----------
    plan : SamplingPlan
        Purchase probabilities and expected losses.
    order : ndarray of int of shape (n_bought,)
        Rows in the order in which they were bought.
    losses : ndarray of shape (n_bought,)
        Their losses.
    confidence : float
        Nominal coverage.
    """
    value, weights = mean_excess(plan, order, losses)
    spread, joint = variance_factors(plan, order)
    control = plan.control
    excess = losses - plan.least[order]
    # shrunk: unlikely losses are more frequent than the surrogate says
    shrunk = (0.7 * plan.chance + 0.3 * plan.chance.mean()) / np.where(
        plan.chance > 0, plan.chance, 1.0
    )
    expected = np.mean(spread * shrunk * (plan.square - 2 * plan.mean * control))
    prior_weight = 2 * plan.square.mean() / plan.mean.mean()
    slope = (
        np.sum(weights * spread[order] * excess * (excess - 2 * control[order]))
        + prior_weight * expected / np.mean(shrunk * plan.mean)
    ) / (np.sum(weights * excess) + prior_weight)
    center = control.mean()
    low, high = score_interval(
        value,
        stdtrit(len(order) - 1, (1 + confidence) / 2) ** 2 / len(order),
        np.mean(spread * control**2) - joint * center**2,
        slope + 2 * joint * center,
        -joint,
    )
    return plan.least.mean() + low, plan.least.mean() + high


def betting_interval(plan, order, losses, confidence):
    """Return the mean losses that no purchase has rejected, valid at all times.

    It is the confidence sequence of bets of Waudby-Smith and Ramdas [1]_, for unequal
    probabilities as by Shekhar et al. [2]_.

    Parameters
    ----------
    plan, order, losses, confidence
        As for `score_t_interval`.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas, "Estimating means of bounded random variables by
       betting", JRSS B 86, 2024.
    .. [2] S. Shekhar, Z. Xu, Z. Lipton, P. Liang, A. Ramdas, "Risk-limiting financial
       audits via weighted sampling without replacement", UAI 2023.
    """
    low, high = plan.bounds(order, losses)
    for _ in range(2):  # the second time nearer to the ends
        if low >= high:
            break
        means = np.linspace(low, high, N_MEANS)
        wealth = largest_wealth(plan, order, losses, means)
        left = wealth < -np.log1p(-confidence)
        left[wealth.argmin()] = True
        first, last = np.flatnonzero(left)[[0, -1]]
        low, high = means[max(first - 1, 0)], means[min(last + 1, N_MEANS - 1)]
    return float(low), float(high)


def largest_wealth(plan, order, losses, means):
    """Return the logarithm of the largest total wealth against each mean loss.

    All players together begin with a wealth of 1.
    """
    n, q = len(plan), plan.probabilities
    control = plan.least + plan.control
    rest = (losses - control[order]) / n
    least = ((plan.least - control) / q).min() / n
    most = ((plan.most - control) / q).max() / n
    left = 1 - np.append(0.0, np.cumsum(q[order])[:-1])
    drawn = rest / q[order] * left  # its mean is the sum of the rows to come
    to_come = means - control.mean()
    wealth = np.zeros((2 * len(BETS), len(means)))
    largest = np.zeros(len(means))
    for step in range(len(order)):
        gain = drawn[step] - to_come
        up = gain / np.maximum(to_come - least * left[step], 1e-12)
        down = -gain / np.maximum(most * left[step] - to_come, 1e-12)
        wealth += np.log1p(np.concatenate([BETS * up, BETS * down]))
        largest = np.maximum(largest, logsumexp(wealth, axis=0) - np.log(len(wealth)))
        to_come = to_come - rest[step]
    return largest


@dataclass(frozen=True)
class BalancedPlan(SamplingPlan):
    """The plan for the linearised balanced error, with the surrogate's probabilities.

    Parameters
    ----------
    wrong : ndarray of shape (n_rows, n_classes)
        1 if the model is wrong should the row be of the class, else 0.
    chances : ndarray of shape (n_rows, n_classes)
        Probabilities of the labels.
    subtracted : ndarray of shape (n_rows, n_classes)
        Probabilities that are subtracted; 0 for none.
    """

    wrong: np.ndarray
    chances: np.ndarray
    subtracted: np.ndarray


def make_balanced_plan(wrong, chances, mix):
    """Return the plan for mistakes, a column for each class; others as `make_plan`."""
    shares = chances.mean(axis=0)
    errors = (chances * wrong).mean(axis=0) / shares
    plan = make_plan(linearise_balanced_error(wrong, errors, shares), chances, mix)
    subtracted = chances if mix < 1 else np.zeros_like(chances)
    return BalancedPlan(
        **vars(plan), wrong=wrong, chances=chances, subtracted=subtracted
    )


def linearise_balanced_error(wrong, errors, shares):
    """Return the derivative of the balanced error by a row of each class."""
    return (wrong - errors) / (len(errors) * shares)


def balanced_estimate_with_interval(plan, order, codes, confidence):
    """Return the estimate of the balanced error and the ends of its interval.

    The estimate is the mean over classes of estimated mistakes over estimated rows. If
    a class has no label, nothing is known: the value is NaN and the ends are 0 and 1,
    unless all rows are bought.

    Parameters
    ----------
    plan : BalancedPlan
        Purchase probabilities, mistakes and expectations.
    order, confidence
        As for `score_t_interval`.
    codes : ndarray of int of shape (n_bought,)
        The classes of the rows.
    """
    n_classes = plan.wrong.shape[1]
    counts = np.bincount(codes, minlength=n_classes)
    if counts.all():
        found = np.arange(n_classes)
    elif len(order) == len(plan):
        (found,) = np.nonzero(counts)
    else:
        return np.nan, 0.0, 1.0
    mistakes = np.bincount(codes, plan.wrong[order, codes], n_classes)[found]
    at_most = counts[found] + len(plan) - len(order)  # rows of each class
    least = np.mean(mistakes / at_most)
    most = 1 - np.mean((counts[found] - mistakes) / at_most)
    if len(order) == len(plan):
        return least, least, least
    if (plan.wrong == plan.wrong[0]).all():  # the model says the same of all rows
        error = plan.wrong[0].mean()
        return error, error, error
    test = BalancedScoreTest(plan, order, codes, counts)
    ends = [test.end(sign, confidence) for sign in (-1, 1)]
    low, value, high = np.clip(sorted([*ends, test.value]), least, most)
    return value, low, high


class BalancedScoreTest:
    """Score test of a balanced error, with the variance of the linearised error.

    Parameters
    ----------
    plan, order, codes
        As for `balanced_estimate_with_interval`.
    counts : ndarray of int of shape (n_classes,)
        Labels of each class, at least one.
    """

    def __init__(self, plan, order, codes, counts):
        self.plan, self.order, self.counts = plan, order, counts
        steps = step_probabilities(plan.probabilities, order)
        self.weights = lure_weights(steps, len(plan))
        self.spread, self.joint = variance_factors(plan, order)
        is_own = np.eye(len(counts))[codes]
        is_wrong = is_own * plan.wrong[order]
        self.shares = np.maximum(
            self._estimate(is_own, plan.subtracted), counts / len(plan)
        )
        mistakes = self._estimate(is_wrong, plan.subtracted * plan.wrong)
        errors = np.clip(mistakes / self.shares, 0.0, 1.0)
        self.value = errors.mean()
        expected = (plan.chances * plan.wrong).sum(axis=0) / plan.chances.sum(axis=0)
        shrunk = (counts * errors + PRIOR * expected) / (counts + PRIOR)
        self.logits = logit(shrunk.clip(1e-4, 1 - 1e-4))
        # rows that turned out right, and wrong
        self.factors = [
            self._variance_factors(is_own - is_wrong, 1 - plan.wrong),
            self._variance_factors(is_wrong, plan.wrong),
        ]

    def _estimate(self, seen, expected):
        rest = seen - expected[self.order]
        return expected.mean(axis=0) + (self.weights @ rest) / len(self.order)

    def _variance_factors(self, seen, possible):
        """Return the share of each row in the variance of one outcome, by class."""
        chances = self.plan.chances
        # shrunk: unlikely labels are more frequent than the surrogate says
        likely = possible * (0.7 * chances + 0.3 * chances.mean(axis=0))
        expected = PRIOR * likely / np.maximum(likely.sum(axis=0), 1e-300)
        factors = expected.T.copy()
        factors[:, self.order] += seen.T * self.weights
        sums = factors.sum(axis=1, keepdims=True)
        # a class that the model never says, or always, has no row of one outcome
        return factors * self.spread / np.where(sums > 0, sums, 1)

    def errors(self, shift):
        """Return likely errors of the classes; errors with few labels change most."""
        return expit(self.logits + shift * self.counts.mean() / self.counts)

    def variance(self, errors):
        """Return the variance of the estimate if these are the errors."""
        plan = self.plan
        moves = linearise_balanced_error(plan.wrong, errors, self.shares)
        control = (plan.subtracted * moves).sum(axis=1)
        total = 0.0
        for is_wrong, share in ((1, errors), (0, 1 - errors)):
            move = linearise_balanced_error(is_wrong, errors, self.shares)
            factors = self.factors[is_wrong]
            square = move**2 * factors.sum(axis=1) - 2 * move * (factors @ control)
            total += np.sum(self.shares * share * square)
        total += np.mean(self.spread * control**2) - self.joint * control.mean() ** 2
        return max(total, 0.0) / len(self.order)

    def end(self, sign, confidence):
        """Return the last balanced error in a direction that is not rejected.

        The interval contains the mean of the errors that were shrunk towards their
        expectation, even if the test rejects it.
        """
        scale = stdtrit(len(self.order) - 1, (1 + confidence) / 2) ** 2

        def is_accepted(errors):
            away = sign * (errors.mean() - self.value)
            return away <= 0 or away**2 <= scale * self.variance(errors)

        near, far = 0.0, sign * FARTHEST
        if is_accepted(self.errors(far)):
            return (1.0 + sign) / 2
        for _ in range(N_BISECTIONS):
            middle = (near + far) / 2
            if is_accepted(self.errors(middle)):
                near = middle
            else:
                far = middle
        return self.errors(near).mean()
