"""The balanced error: the mean over classes of the share of mistakes in the class.

Nobody knows how many rows of a class there are, so each share is a ratio of two
estimates: of mistakes in the class, and of its rows.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, stdtrit

from .lure import lure_weights, step_probabilities, variance_factors
from .plan import SamplingPlan, make_plan

#: Labels of each class that the surrogate's expectation counts as.
PRIOR = 2.0

#: Bisections of the logits of the errors, from this shift.
N_BISECTIONS, FARTHEST = 30, 500.0


@dataclass(frozen=True)
class BalancedPlan(SamplingPlan):
    """The plan for the linearised balanced error, and what the surrogate says.

    Parameters
    ----------
    wrong : ndarray of shape (n_rows, n_classes)
        1 if the model is wrong should the row be of the class, else 0.
    chances : ndarray of shape (n_rows, n_classes)
        Probabilities of the labels.
    subtracted : ndarray of shape (n_rows, n_classes)
        Probabilities that are taken from what comes; 0: nothing is.
    """

    wrong: np.ndarray
    chances: np.ndarray
    subtracted: np.ndarray


def make_balanced_plan(wrong, chances, mix):
    """Return the plan for mistakes, a column for each class; others as `make_plan`."""
    shares = chances.mean(axis=0)
    errors = (chances * wrong).mean(axis=0) / shares
    plan = make_plan(linearised(wrong, errors, shares), chances, mix)
    subtracted = chances if mix < 1 else np.zeros_like(chances)
    return BalancedPlan(
        **vars(plan), wrong=wrong, chances=chances, subtracted=subtracted
    )


def linearised(wrong, errors, shares):
    """Return by how much a row of each class moves the balanced error."""
    return (wrong - errors) / (len(errors) * shares)


def balanced_value_and_ends(plan, order, codes, confidence):
    """Return the estimate and the ends of its interval.

    Of a class without a label nothing is known, so the value is NaN and the ends are 0
    and 1, unless all rows are bought.

    Parameters
    ----------
    plan, order, confidence
        As for `lure.score_t_interval`.
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
    test = ScoreTest(plan, order, codes, counts)
    ends = [test.end(sign, confidence) for sign in (-1, 1)]
    low, value, high = np.clip(sorted([*ends, test.value]), least, most)
    return value, low, high


class ScoreTest:
    """The score test of a balanced error; its variance is that of the linearised error.

    Parameters are those of `balanced_value_and_ends` and the labels of each class, at
    least one.
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
        self.outcomes = [
            Outcome(self, is_own - is_wrong, 1 - plan.wrong),
            Outcome(self, is_wrong, plan.wrong),
        ]

    def _estimate(self, seen, expected):
        rest = seen - expected[self.order]
        return expected.mean(axis=0) + (self.weights @ rest) / len(self.order)

    def errors(self, shift):
        """Return likely errors of the classes: those of few labels move the most."""
        return expit(self.logits + shift * self.counts.mean() / self.counts)

    def variance(self, errors):
        """Return the variance of the estimate if these are the errors."""
        plan = self.plan
        moves = linearised(plan.wrong, errors, self.shares)
        control = (plan.subtracted * moves).sum(axis=1)
        total = 0.0
        for is_wrong, share in ((1, errors), (0, 1 - errors)):
            move = linearised(is_wrong, errors, self.shares)
            square = self.outcomes[is_wrong].square(move, control)
            total += np.sum(self.shares * share * square)
        total += np.mean(self.spread * control**2) - self.joint * control.mean() ** 2
        return max(total, 0.0) / len(self.order)

    def end(self, sign, confidence):
        """Return the last balanced error in a direction that is not rejected."""
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


class Outcome:
    """Rows of each class of which the model is wrong, or those of which it is right.

    Parameters
    ----------
    test : ScoreTest
        That this is part of.
    seen : ndarray of shape (n_bought, n_classes)
        1 where the row turned out to be such a one.
    possible : ndarray of shape (n_rows, n_classes)
        1 where a row would be such a one.
    """

    def __init__(self, test, seen, possible):
        plan = test.plan
        # shrunk: what the surrogate finds unlikely happens more often than it says
        likely = possible * (0.7 * plan.chances + 0.3 * plan.chances.mean(axis=0))
        expected = PRIOR * likely / np.maximum(likely.sum(axis=0), 1e-300)
        factors = expected.T.copy()
        factors[:, test.order] += seen.T * test.weights
        self.factors = factors * test.spread / factors.sum(axis=1, keepdims=True)
        self.spread = self.factors.sum(axis=1)

    def square(self, moves, control):
        """Return the mean square beyond the control, less the control's, by class."""
        return moves**2 * self.spread - 2 * moves * (self.factors @ control)
