"""Which rows a test is likely to buy, and what it expects of their losses."""

from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True)
class SamplingPlan:
    """One entry for each row that may be bought.

    The excess of a loss is what it is beyond the least that the row can have. So of
    the 0-1 loss the least is 0 and the expected excess the probability of a mistake.

    Parameters
    ----------
    probabilities : ndarray of shape (n_rows,)
        With which each row is the first to be bought, all above 0, of sum 1.
    least, most : ndarray of shape (n_rows,)
        Bounds of the loss, over the labels.
    control : ndarray of shape (n_rows,)
        What is expected of the excess, and taken from it; 0: nothing is.
    mean, square : ndarray of shape (n_rows,)
        Expected excess, and expected square of it.
    chance : ndarray of shape (n_rows,)
        Probability that there is any.
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
        """Return between which numbers the mean loss lies, if these are known."""
        rest = np.ones(len(self), dtype=bool)
        rest[order] = False
        known = losses.sum()
        return tuple(
            float((known + ends[rest].sum()) / len(self))
            for ends in (self.least, self.most)
        )


def direction(losses, chances):
    """Return -1 if losses are expected nearer to the most than to the least, or 1.

    The interval is good where excess is rare, so it is made for losses of that sign.
    """
    expected = (chances * losses).sum()
    return -1 if 2 * expected > (losses.max(axis=1) + losses.min(axis=1)).sum() else 1


def make_plan(losses, chances, mix):
    """Return the plan for losses, in proportion to how uncertain they are.

    Parameters
    ----------
    losses : ndarray of shape (n_rows, n_classes)
        Of each row for each label.
    chances : ndarray of shape (n_rows, n_classes)
        Probabilities of the labels.
    mix : float
        Share of the uniform distribution; with 1 nothing is expected of the losses.
    """
    most = losses.max(axis=1)
    least = losses.min(axis=1) if mix < 1 else np.full(len(losses), losses.min())
    excess = losses - least[:, None]
    mean, square, chance = (
        (chances * values).sum(axis=1) for values in (excess, excess**2, excess > 0)
    )
    n, doubt = len(losses), np.sqrt(np.maximum(square - mean**2, 0.0))
    share = doubt / doubt.sum() if doubt.any() else np.full(n, 1 / n)
    return SamplingPlan(
        probabilities=mix / n + (1 - mix) * share,
        least=least,
        most=most,
        control=mean if mix < 1 else np.zeros(n),
        mean=mean,
        square=square,
        chance=chance,
    )
