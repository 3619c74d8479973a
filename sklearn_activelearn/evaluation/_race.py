"""A race of learners: which one to use, what it gives, and when that is known.

Nothing here trains a model. `compare` and the simulation of its intervals
(`benchmarks.evaluation.labels_saved`) hand it curves.
"""

import numpy as np
from scipy.stats import chi2
from scipy.stats import t as student

from ._curves import join_curves
from ._learner_result import CONFIDENCE, FEWEST_RUNS, ROUNDING, LearnerResult

#: Width of the interval of the share of labels saved at which it is known.
NARROW_SHARE = 0.25
#: Widths of the intervals of both differences, as a share of the error of random
#: labels, at which it is known that errors are equal or how much they differ.
NARROW_ERROR = 0.05
#: A learner that cannot be better by this share of the error runs no further.
EQUAL = 0.05
#: Repeats after which the number of repeats is planned. Looking at the interval after
#: each repeat, and stopping at the first narrow one, would make it hold less often.
PLANNED_AFTER = (1, 4)
#: A plan takes the spread of the runs at the upper end of a one-sided interval with
#: this confidence: few runs that agree by chance would end the race too soon.
PLAN_CONFIDENCE = 0.8
#: The largest number of repeats that is planned.
MOST_REPEATS = 200


class Race:
    """Learners and passive baselines that run on the same splits.

    Runs with even and odd numbers are two halves. Each half judges the learner and the
    baseline that the other half has chosen, so that no run judges a choice in which it
    took part, and every run counts.

    Parameters
    ----------
    learners, passives : list of int
        Numbers of the curves of learners, the default first, and of passive baselines.

    Attributes
    ----------
    curves : dict of int to LabelCurve
        The runs so far of each curve that has some.
    numbers : dict of int to ndarray of int
        Number of each run of a curve.
    in_race, passives_in_race : list of int
        Curves that may still be the best.
    """

    def __init__(self, learners, passives):
        self.in_race, self.passives_in_race = list(learners), list(passives)
        self.curves, self.numbers = {}, {}

    def add(self, key, numbers, curve):
        """Set the runs of a curve, numbered in ascending order."""
        self.numbers[key], self.curves[key] = np.asarray(numbers), curve

    def keys(self, keys):
        """Return the keys of the curves that have runs."""
        return [key for key in keys if key in self.curves]

    def common_runs(self, keys, half=None):
        """Return the numbers of the runs that all of some curves have."""
        known = [self.numbers.get(key, np.array([], dtype=int)) for key in keys]
        shared = known[0]
        for other in known[1:]:
            shared = np.intersect1d(shared, other)
        return shared if half is None else shared[shared % 2 == half]

    def pair(self, key, rival, numbers=None):
        """Return the comparison of two curves on the runs that both have."""
        if numbers is None:
            numbers = self.common_runs([key, rival])
        curves = (
            self.curves[each].take(np.searchsorted(self.numbers[each], numbers))
            for each in (key, rival)
        )
        return LearnerResult(None, None, *curves)

    def choose_learner(self, half=None):
        """Return the learner to use, by all runs or by a half of them.

        It is the first one, unless another one has a smaller mean error over the label
        counts, beyond noise.
        """
        numbers, (best, *others) = self.common_runs(self.in_race, half), self.in_race
        if len(numbers) < FEWEST_RUNS:
            return best
        for key in others:
            if self.pair(key, best, numbers).area_gain[1] > ROUNDING:
                best = key
        return best

    def choose_passive(self, learner, half=None):
        """Return the baseline with the smallest error at the labels of a learner.

        A baseline with fewer labels than the learner in some run does not count.
        """
        rivals = [
            key
            for key in self.passives_in_race
            if len(self.common_runs([learner, key], half))
        ]
        numbers, found = self.common_runs([learner, *rivals], half), {}
        for key in rivals:
            pair = self.pair(learner, key, numbers)
            if (pair.passive_curve.n_bought >= pair.curve.n_bought).all():
                found[key] = pair.passive_errors.mean() if len(numbers) else np.inf
        return min(found or self.passives_in_race, key=lambda key: found.get(key, 0))

    def judge(self):
        """Return the comparison of the chosen learner with the chosen baseline.

        None while a half has no runs.
        """
        if len(self.in_race) == len(self.passives_in_race) == 1:
            return self.pair(self.in_race[0], self.passives_in_race[0])
        parts = []
        for half in range(2):
            learner = self.choose_learner(1 - half)
            passive = self.choose_passive(learner, 1 - half)
            numbers = self.common_runs([learner, passive], half)
            parts.append(self.pair(learner, passive, numbers))
        return LearnerResult(
            None,
            None,
            join_curves(parts[0].curve, parts[1].curve),
            join_curves(parts[0].passive_curve, parts[1].passive_curve),
        )

    def plan(self, n_repeats, n_planned):
        """Return the number of repeats to run, once some have ended.

        It is planned after `PLANNED_AFTER` repeats, and again when all planned repeats
        have ended and the intervals are wide.
        """
        if n_repeats not in PLANNED_AFTER and n_repeats < n_planned:
            return n_planned
        found = self.judge()
        if n_repeats in PLANNED_AFTER or not is_known(found):
            return plan_repeats(found, n_repeats)
        return n_planned

    def drop_answered(self):
        """End the race for curves that can hardly be better than the best one."""
        best = self.choose_learner()
        passive = self.choose_passive(best)

        def may_win(key, rival, name):
            if key == rival:
                return True
            pair = self.pair(key, rival)
            level = pair.areas[1] if name == "area_gain" else pair.passive_errors
            return not getattr(pair, name)[2] < EQUAL * level.mean()

        self.in_race = [k for k in self.in_race if may_win(k, best, "area_gain")]
        self.passives_in_race = [
            k for k in self.passives_in_race if may_win(k, passive, "gain")
        ]


def excess_width(result):
    """Return how many times too wide the intervals are; at most 1: it is known.

    Either the share of labels saved is known, or both differences of errors. What the
    intervals hold makes no difference. NaN if a run bought no labels.
    """
    savings = result.savings
    if not savings.is_known:
        return np.nan
    widths = [
        (high - low) / (NARROW_ERROR * level.mean() or ROUNDING)
        for (_, low, high), level in (
            (result.gain, result.passive_errors),
            (result.area_gain, result.areas[1]),
        )
    ]
    excess = max(widths)
    if result.passive_beats_constant:
        excess = min(excess, (savings.high - savings.low) / NARROW_SHARE)
    return float(excess)


def is_known(result):
    """Return True if the intervals of a comparison are narrow, whatever they hold."""
    return len(result.errors) >= FEWEST_RUNS and not excess_width(result) > 1


def plan_repeats(result, n_repeats):
    """Return the number of repeats after which the intervals are narrow.

    Parameters
    ----------
    result : LearnerResult
        The answer so far.
    n_repeats : int
        The number of repeats that it has. Widths fall as the quantile of Student's
        distribution over the root of the number of runs. The spread of the runs may be
        larger than found (`PLAN_CONFIDENCE`).
    """
    n_runs = len(result.errors)
    if n_runs < FEWEST_RUNS:
        return MOST_REPEATS
    repeats = np.arange(n_repeats, MOST_REPEATS + 1)
    runs = n_runs / n_repeats * repeats
    widths = student.ppf((1 + CONFIDENCE) / 2, runs - 1) / np.sqrt(runs)
    spread = np.sqrt((n_runs - 1) / chi2.ppf(1 - PLAN_CONFIDENCE, n_runs - 1))
    enough = ~(excess_width(result) * spread * widths > widths[0])
    return int(repeats[enough.argmax()]) if enough.any() else MOST_REPEATS
