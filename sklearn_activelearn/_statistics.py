"""How many relevant rows a collection can have, given those that were read.

Rows are read one after the other, some because a model ranked them high, others drawn
at random from all unread ones. The bounds use the random ones alone, so they hold
whatever the model does.
"""

from dataclasses import dataclass
from math import ceil, floor, inf, log
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaincinv, gammaln, logsumexp, stdtrit
from scipy.stats import binom, hypergeom, poisson
from scipy.stats import t as student

from ._typing import Bools, Floats

#: Share of the stake on few relevant rows being unread; the rest is on any number.
NEAR = 0.95
#: Up to which number of relevant rows each has a stake of its own, and the quotient of
#: those that have one beyond.
EACH, FACTOR = 1_000, 1.05


class Reads(NamedTuple):
    """The rows of a collection that were read, in order.

    Attributes
    ----------
    relevant : ndarray of bool of shape (n_read,)
        Whether each is relevant.
    drawn : ndarray of bool of shape (n_read,)
        Whether it was drawn at random from all rows that were unread then.
    n_rows : int
        How many rows the collection has.
    """

    relevant: Bools
    drawn: Bools
    n_rows: int

    @property
    def found(self) -> int:
        """How many relevant rows were read."""
        return int(np.count_nonzero(self.relevant))

    @property
    def n_unread(self) -> int:
        """How many rows were not read."""
        return self.n_rows - len(self.relevant)


def least_bad_total(found: int, recall: float) -> int:
    """Return how many relevant rows there are at least if the recall is missed."""
    # recalls such as .95 are no binary fractions: 19 of 20 is .95
    return floor(found / recall + 1e-9) + 1


def prior(n_missed: int, n_most: int) -> tuple[Floats, Floats]:
    """Return numbers of relevant rows among the unread, and the stake on each.

    Of large numbers only some, with the stake on all up to the next.

    Parameters
    ----------
    n_missed : int
        So many that the recall would be missed.
    n_most : int
        The largest number.

    Returns
    -------
    numbers, weights : ndarray of shape (n_numbers,)
        The weights add up to 1 or less.
    """
    ends = np.arange(min(n_most, EACH) + 2.0)
    if n_most > EACH:
        n_steps = int(log(n_most / EACH) / log(FACTOR)) + 2
        ends = np.append(ends[:-1], np.ceil(EACH * FACTOR ** np.arange(1, n_steps)))
    mean = n_missed**1.5 / 30  # measured, too
    near = (mean / (1 + mean)) ** ends
    far = 1 / (ends + 1)
    weights = -NEAR * np.diff(near) - (1 - NEAR) * np.diff(far)
    return ends[:-1], weights


def most_bad_found(total: int, recall: float) -> int:
    """Return the largest number found with which so many in all miss the recall."""
    return ceil(recall * (total - 1e-9)) - 1


def log_evidence(reads: Reads, total: int, recall: float) -> float:
    """Return the evidence from the random rows that fewer than `total` are relevant.

    It is the logarithm of the likelihood of what was drawn if the rows that were found
    to miss the recall are all there are, by its likelihood if `total` rows are
    relevant. If so many are, the ratio is a martingale: with probability 1 - alpha its
    logarithm never reaches ``log(1 / alpha)``. Where it is positive, it grows with the
    total.

    Parameters
    ----------
    reads : Reads
        The rows that were read.
    total : int
        How many rows are relevant in all, by hypothesis.
    recall : float
        The target.
    """
    totals = np.array([most_bad_found(total, recall), total])
    logs = log_likelihoods(reads, totals)
    if not len(logs):
        return 0.0
    own, by_hypothesis = logs[-1].tolist()
    # infinite if so many there cannot be
    return inf if by_hypothesis == -inf else own - by_hypothesis


def log_likelihoods(reads: Reads, totals: Floats, start: int = 0) -> Floats:
    """Return the logarithms of the probabilities of what was drawn.

    Each random row counts with a factor that all totals share.

    Parameters
    ----------
    reads : Reads
        The rows that were read.
    totals : ndarray of shape (n_totals,)
        How many rows are relevant in all.
    start : int, default=0
        From which of the random rows on.

    Returns
    -------
    logs : ndarray of shape (n_drawn - start, n_totals)
        After each random row.
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


def log_ratios(reads: Reads, total: int, recall: float, start: int = 0) -> Floats:
    """Return the logarithm of a mixture of such ratios after each random row.

    Parameters
    ----------
    reads, total
        As for `log_evidence`.
    recall : float
        The target, for which there is most evidence.
    start : int, default=0
        From which of the random rows on; the stakes are chosen then.

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
    if logs[-1, -1] == -np.inf:  # so many there cannot be
        return np.full(len(at), np.inf)
    return logsumexp(logs[:, :-1] - logs[:, -1:], axis=1, b=weights)


def log_evidence_from(reads: Reads, total: int, recall: float) -> float:
    """Return the evidence of a mixture, a part of which is for later random rows.

    For rows that are drawn while a model ranks: few relevant ones are left when most of
    the rows are drawn, and how many there were before is no longer of interest. Half of
    the stake is on all random rows. Of the other half, a part 1 / (k (k + 1)) is on
    those after the first 2 ** (k - 1), for k = 1, 2, ...

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
    logs[-1] = log(0.5 / len(starts))  # what is kept
    return float(logsumexp(logs, axis=0).max(initial=0.0))


def most_relevant(reads: Reads, alpha: float, recall: float) -> int:
    """Return how many rows are relevant at most, at every look together.

    Parameters
    ----------
    reads : Reads
        The rows that were read.
    alpha : float
        Probability that there are ever more.
    recall : float
        As for `log_ratios`.
    """
    low, high = reads.found, reads.found + reads.n_unread
    while low < high:  # evidence grows with the total
        middle = (low + high + 1) // 2
        if log_evidence_from(reads, middle, recall) >= log(1 / alpha):
            high = middle - 1
        else:
            low = middle
    return low


def most_by_sample(n_rows: int, n_drawn: int, n_relevant: int, alpha: float) -> int:
    """Return how many of some rows are relevant at most, given a random sample.

    It is the largest number for which so few in the sample have a probability above
    `alpha`, for one look at a sample whose size was chosen before.

    Parameters
    ----------
    n_rows : int
        How many rows the sample was drawn from.
    n_drawn, n_relevant : int
        How many were drawn, and how many of these are relevant.
    alpha : float
        Probability that there are more.
    """
    low, high = n_relevant, n_rows - n_drawn + n_relevant
    while low < high:
        middle = (low + high + 1) // 2
        if hypergeom.cdf(n_relevant, n_rows, middle, n_drawn) > alpha:
            low = middle
        else:
            high = middle - 1
    return low


def hypergeometric_p(relevant: Bools, n_rows: int, recall: float) -> float:
    """Return the p-value of the recall being missed, for rows read as if at random.

    From each row on, what was read since is taken for a random sample of what was
    unread then; the smallest p-value counts.

    Parameters
    ----------
    relevant : ndarray of bool of shape (n_read,)
        Whether each row that was read is relevant, in order.
    n_rows : int
        How many rows the collection has.
    recall : float
        The target.
    """
    n_read = len(relevant)
    (hits,) = np.nonzero(relevant)
    starts = np.append(0, hits + 1)
    starts = starts[starts < n_read]
    found = np.arange(len(starts))  # before each start
    missed = least_bad_total(len(hits), recall) - found
    n_left, n_since = n_rows - starts, n_read - starts
    is_possible = missed <= n_left
    if not len(starts):
        return 1.0
    if not is_possible.any():
        return 0.0
    p = cdf(len(hits) - found, n_left, np.minimum(missed, n_left), n_since)
    return float(np.where(is_possible, p, 0.0).min())


def cdf(counts, n_rows, n_relevant, n_drawn):
    """Return the distribution functions of hypergeometric distributions."""
    k = np.arange(counts.max() + 1)[:, None]
    n_others = n_rows - n_relevant
    is_in = (k <= counts) & (k <= n_relevant) & (k <= n_drawn)
    is_in &= n_drawn - k <= n_others
    k = np.where(is_in, k, 0)
    others = np.where(is_in, n_drawn - k, 0)
    factorials = gammaln(np.arange(n_rows.max() + 1) + 1)

    def choose(n, some):
        return factorials[n] - factorials[some] - factorials[n - some]

    logs = choose(n_relevant, k) + choose(n_others, others) - choose(n_rows, n_drawn)
    return np.exp(np.where(is_in, logs, -np.inf)).sum(axis=0).clip(max=1.0)


def rank_in_sample(n_relevant: int, recall: float, alpha: float) -> int | None:
    """Return how many relevant rows of a random sample must be read; None: too few.

    The smallest j with P(Bin(n_relevant, recall) <= j - 1) >= 1 - alpha: then fewer
    than j of them lie among the first share `recall` of all relevant rows.

    Parameters
    ----------
    n_relevant : int
        How many the sample has.
    recall, alpha : float
        The target, and the probability of missing it.
    """
    j = np.arange(1, n_relevant + 1)
    is_enough = binom.cdf(j - 1, n_relevant, recall) >= 1 - alpha
    return int(j[np.argmax(is_enough)]) if is_enough.any() else None


#: An audit begins when no more than so many relevant rows are expected to be unread,
#: nor more than miss the target, and after irrelevant rows: as many in a row as this
#: share of all rows, divided by the number that misses the target. Measured on the
#: rankings of benchmarks/screening; it decides how many rows are read, no confidence.
EXPECTED, IN_A_ROW = 5, 0.2
#: Shares of the unread rows that an audit may read.
READ_SHARES = np.linspace(0, 0.99, 100)
#: A probability that does not count in a mean of shares.
RARE = 1e-6


def is_audit_due(
    found: int, expected: float, n_since: int, n_rows: int, recall: float
) -> bool:
    """Return whether to stop ranking and to draw unread rows.

    Parameters
    ----------
    found : int
        How many relevant rows were read.
    expected : float
        How many are unread, by estimate.
    n_since : int
        How many rows were read since the last relevant one.
    n_rows : int
        How many rows there are.
    recall : float
        The target.
    """
    n_missed = least_bad_total(found, recall) - found
    is_few = expected <= min(EXPECTED, n_missed)
    return is_few and n_since >= IN_A_ROW * n_rows / n_missed


def audit_share(found: int, expected: float, recall: float, alpha: float) -> float:
    """Return which share of the unread rows an audit reads, about.

    Parameters
    ----------
    found : int
        How many relevant rows were read before.
    expected : float
        How many are unread, by estimate.
    recall, alpha : float
        The target, and the probability of missing it.
    """
    x = np.arange(poisson.ppf(1 - RARE, expected) + 1)  # more are hardly unread
    missed = np.array([least_bad_total(found + n, recall) - found for n in x])
    # certain after a share of the rows, x relevant ones among them
    ways = gammaln(missed + 1) - gammaln(x + 1) - gammaln(missed - x + 1)
    most = np.exp((log(alpha) - ways) / (missed - x))
    is_certain = most[:, None] >= 1 - READ_SHARES
    shares = []
    for d in x:  # of d unread relevant rows a share has been read
        of_d = is_certain[
            np.rint(d * READ_SHARES).astype(int), np.arange(len(READ_SHARES))
        ]
        shares.append(READ_SHARES[np.argmax(of_d)] if of_d.any() else 1.0)
    chances = poisson.pmf(x, expected)
    return float(chances @ shares / chances.sum())


class Plan(NamedTuple):
    """When an audit begins, and when it ends, by estimate."""

    n_ranked: int  # rows to read before, the likeliest first
    n_rows: int  # to read in all until the recall is certain


def audit_plan(
    reads: Reads, probabilities: Floats, recall: float, alpha: float
) -> Plan:
    """Return when the audit begins, and what certainty costs.

    Parameters
    ----------
    reads : Reads
        The rows that were read.
    probabilities : ndarray of shape (n_unread,)
        Of the unread rows being relevant, in the order in which they would be read.
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
    return Plan(n_ranked, n_ranked + round(share * (n_unread - n_ranked)))


#: What is assumed of the net share, and how many changed predictions for rows with
#: labels weigh as much.
NET, WEIGHT = 0.3, 100


def net_share(n_changed=0, n_right=0, n_wrong=0):
    """Return what changed predictions gain on average, between -1 and 1.

    Parameters
    ----------
    n_changed : int
        Rows with known labels whose predictions changed.
    n_right, n_wrong : int
        How many of these became right, and how many became wrong.
    """
    return (WEIGHT * NET + n_right - n_wrong) / (WEIGHT + n_changed)


def changes(before, now, truth):
    """Return how many predictions changed, and how many became right and wrong."""
    changed = before != now
    n_right, n_wrong = ((changed & (labels == truth)).sum() for labels in (now, before))
    return int(changed.sum()), int(n_right), int(n_wrong)


#: Shares of the most that may be bet: what each pair of players puts on each purchase.
BETS = np.arange(1, 9)[:, None] / 9

N_MEANS = 400


def betting_interval(plan, order, losses, confidence):
    """Return the ends of the mean losses that no purchase has ruled out.

    As Waudby-Smith & Ramdas (2024), for unequal probabilities as Shekhar et al. (2023).
    Parameters as for `score_t_interval`.
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
    """Return the log of the most that was ever won against each mean loss.

    All players begin with 1 in sum.
    """
    n, q = len(plan), plan.probabilities
    control = plan.least + plan.control
    rest = (losses - control[order]) / n
    least = ((plan.least - control) / q).min() / n
    most = ((plan.most - control) / q).max() / n
    left = 1 - np.append(0.0, np.cumsum(q[order])[:-1])
    drawn = rest / q[order] * left  # on average what is to come, if none is known
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
class Estimate:
    """An estimate and its confidence interval.

    Attributes
    ----------
    value : float
        The estimate.
    low, high : float
        Ends of the confidence interval; -inf and inf if the labels say nothing.
    n_labels : int
        How many labels it is made from.
    confidence : float
        Nominal coverage of the interval, between 0 and 1.
    n_rows : int or None
        Number of rows of a stream that the estimate is about; None if there is none.
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


def score_interval(center, scale, constant, linear, quadratic):
    """Return the ends of the set of x with a variance that depends on x.

    That is ``(x - center)**2 <= scale * (constant + linear * x + quadratic * x**2)``,
    the inversion of a score test: with a constant variance the usual interval, with
    ``x * (1 - x)`` Wilson's.

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
    """
    a = 1 - scale * quadratic
    b = -2 * center - scale * linear
    c = center**2 - scale * constant
    if a <= 0:
        return -np.inf, np.inf
    root = np.sqrt(max(b * b - 4 * a * c, 0.0))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


#: What is bet on each row, in the exponent.
STAKES = 2.0 ** np.arange(2, -13, -1)
#: Of the most that may be bet against mistakes, shares that are.
MIXTURE_SHARES = 0.5, 0.125


def online_score_t_interval(sums, confidence):
    """Return the ends of the errors that a score test does not reject.

    Parameters
    ----------
    sums : Sums
        Over the rows; at least one label.
    confidence : float
        Nominal coverage.
    """
    value, excess = sums.mistakes / sums.weights, sums.excess / sums.n_rows
    if excess == 0:  # every label was bought
        return value, value
    if sums.n_labels < 2:
        return 0.0, 1.0
    # of a mistake, guessed from those seen and one that is like any row
    slope = (sums.squares - sums.mistakes + excess) / (sums.mistakes + 1)
    if value > 0:
        slope = min(slope, excess / value)  # what mistakes add is part of what rows do
    n_left = sums.n_rows * sums.n_labels / sums.n_asked  # others are out or skipped
    scale = stdtrit(sums.n_labels - 1, (1 + confidence) / 2) ** 2 / n_left
    return score_interval(value, scale, 0, slope, excess - 2 * slope)


def online_betting_interval(octaves, confidence):
    """Return the ends of the errors against which nobody got rich.

    The wealth of each player is the product of what was won and lost on the rows,
    which takes weights of purchases one by one. From their number and their sum in an
    octave follows what it is at least, because its logarithm is concave in a weight.

    Parameters
    ----------
    octaves : Octaves
        Counts and weights of all rows, at least one.
    confidence : float
        Coverage at all times together.
    """
    n_rows = octaves.n_rows.sum()
    least, most = octaves.n_mistakes.sum(), n_rows - octaves.n_correct.sum()
    rich = np.log(2 / (1 - confidence))

    def excess(n_mistakes, players):
        slopes, constants = np.transpose(players)
        wealth = slopes * n_mistakes + constants
        return logsumexp(wealth) - np.log(len(wealth)) - rich

    ends = []
    for players, end, other in (
        (those_who_bet_on_mistakes(octaves), least, most),
        (those_who_bet_against_mistakes(octaves), most, least),
    ):
        if excess(other, players) >= 0:  # all are ruled out
            end = other
        elif excess(end, players) > 0:
            end = brentq(excess, end, other, (players,))
        ends.append(end / n_rows)
    return ends


def those_who_bet_on_mistakes(octaves):
    """Return each player's log wealth: slope in the mistakes, and constant."""
    seen = spread(octaves.n_mistakes, octaves.mistakes)
    return [(-k, won(np.expm1(k), seen)) for k in STAKES]


def those_who_bet_against_mistakes(octaves):
    """Return the same. They bet that rare rows are correct: losses are bounded there.

    A label that is out or skipped is a mistake to them.
    """
    n_correct, correct = octaves.n_correct, octaves.correct
    right = spread(n_correct, correct)
    wrong = spread(octaves.n_asked - n_correct, octaves.asked - correct)
    players = []
    for rare in range(1, len(n_correct)):
        for share in MIXTURE_SHARES:
            loss = share / 2.0 ** (rare - 1)  # times the largest weight: the share
            k = -np.log1p(-loss)
            wealth = won(-loss, wrong[:, :rare]) + won(np.expm1(k), right[:, rare:])
            players.append((k, wealth - k * octaves.n_rows[rare:].sum()))
    return players


def spread(counts, weights):
    """Return numbers and sums of weights in each octave, and the ends of that."""
    high = 2.0 ** np.arange(len(counts))
    low = np.maximum(high / 2, 1)
    high[-1] = low[-1]  # it has none: as if all were at the other end
    return np.array([counts, weights, low, high])


def won(factor, spread):
    """Return what the sum of log(1 + factor * weight) is at least."""
    counts, weights, low, high = spread
    at_low, at_high = np.log1p(factor * low), np.log1p(factor * high)
    share = (weights - counts * low) / np.where(high > low, high - low, np.inf)
    return np.sum(counts * at_low + share * (at_high - at_low))


#: Purchase probabilities for which the variance is worked out; more lie in between.
N_SIZES = 64


def share_left(parts, order):
    """Return what part of a sum over all rows is left before each purchase."""
    return 1 - np.append(0.0, np.cumsum(parts[order])[:-1]) / parts.sum()


def step_probabilities(probabilities, order):
    """Return the probability of each purchase among the rows that were left then."""
    return np.minimum(probabilities[order] / share_left(probabilities, order), 1.0)


def lure_weights(steps, n_rows):
    """Return the weight of each purchase; their mean is 1 on average.

    Parameters
    ----------
    steps : ndarray of shape (n_bought,)
        Probability of each purchase among the rows that were left.
    n_rows : int
        In the pool.
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


def value_and_ends(plan, order, losses, confidence, interval):
    """Return an estimate and the ends of an interval, none where no mean can be."""
    low, high = plan.bounds(order, losses)
    if not len(order):
        return np.nan, low, high
    value = np.clip(estimate_mean(plan, order, losses), low, high)
    if len(order) > 1 and low < high:
        ends = *interval(plan, order, losses, confidence), value
        low, high = np.clip([min(ends), max(ends)], low, high)
    return value, low, high


def variance_factors(plan, order):
    """Return what squares of excess beyond the expected add to the variance.

    LURE is a mean, with weights a, of what each purchase alone estimates, and the
    errors of these are uncorrelated.

    Returns
    -------
    spread : ndarray of shape (n_rows,)
        Factor of each row's square: less the more likely it is bought.
    joint : float
        Factor of the square of their mean, to be taken off.
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
    """Return the interval of those mean losses that a score test does not reject.

    The variance of the estimate if the mean excess is x is ``slope * x + constant``
    less a square, divided by the number of rows bought; the slope is estimated from the
    labels and from what was expected, the latter with the weight of two labels.

    Parameters
    ----------
    plan : Plan
        What was expected.
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
    # shrunk: what the surrogate finds unlikely happens more often than it says
    shrunk = (0.7 * plan.chance + 0.3 * plan.chance.mean()) / np.where(
        plan.chance > 0, plan.chance, 1.0
    )
    expected = np.mean(spread * shrunk * (plan.square - 2 * plan.mean * control))
    prior = 2 * plan.square.mean() / plan.mean.mean()
    slope = (
        np.sum(weights * spread[order] * excess * (excess - 2 * control[order]))
        + prior * expected / np.mean(shrunk * plan.mean)
    ) / (np.sum(weights * excess) + prior)
    center = control.mean()
    low, high = score_interval(
        value,
        stdtrit(len(order) - 1, (1 + confidence) / 2) ** 2 / len(order),
        np.mean(spread * control**2) - joint * center**2,
        slope + 2 * joint * center,
        -joint,
    )
    return plan.least.mean() + low, plan.least.mean() + high


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

    Returns
    -------
    low, high : float
        Ends of the interval.

    References
    ----------
    .. [1] C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits
       illustrated in the case of the binomial", Biometrika 26, 1934.
    """
    tail, right, wrong = (1 - confidence) / 2, n * share, n * (1 - share)
    low = betaincinv(right, wrong + 1, tail) if right > 0 else 0.0
    high = betaincinv(right + 1, wrong, 1 - tail) if wrong > 0 else 1.0
    return float(low), float(high)
