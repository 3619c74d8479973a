"""Confidence intervals of the error on a stream, from labels that were bought."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp, stdtrit

from ._estimate import score_interval

#: What is bet on each row, in the exponent.
STAKES = 2.0 ** np.arange(2, -13, -1)
#: Of the most that may be bet against mistakes, shares that are.
SHARES = 0.5, 0.125


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
        for share in SHARES:
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
