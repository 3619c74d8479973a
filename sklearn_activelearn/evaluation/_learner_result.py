"""Two curves compared run by run: labels saved, differences of errors, intervals."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..utils._statistics import paired_t_test
from ..utils.typing import Floats
from ._curves import LabelCurve

#: Confidence of each interval.
CONFIDENCE = 0.95
#: Fewer runs have no spread that says anything.
FEWEST_RUNS = 3
#: Shares of the labels for which the savings are tested.
N_SHARES = 300
#: Label counts, evenly spaced, at which a curve is tested.
N_COUNTS = 20
#: Errors that differ by less are equal.
ROUNDING = 1e-12


class Savings(NamedTuple):
    """Share of the labels saved, with a confidence interval; NaN if unknown.

    With a share of 0.6, 40 chosen labels have the error of 100 random labels. Below 0
    the roles change: with -0.6, 40 random labels have the error of 100 chosen labels.

    Attributes
    ----------
    share : float
        The estimate, between -1 and 1.
    low, high : float
        Ends of the interval; -1 and 1 if the test rejects no share on that side.
    """

    share: float
    low: float
    high: float

    @property
    def is_known(self) -> bool:
        """True if all runs bought labels."""
        return not np.isnan(self.share)

    @property
    def is_clear(self) -> bool:
        """True if chosen labels are better than random labels, beyond noise."""
        return self.low > 0

    @property
    def is_worse(self) -> bool:
        """True if chosen labels are worse than random labels, beyond noise."""
        return self.high < 0


class Stretch(NamedTuple):
    """Label counts between which chosen labels are worse than random labels.

    Attributes
    ----------
    first, last : float
        Label counts, means over the runs.
    most : float
        The largest difference of the mean errors between them.
    """

    first: float
    last: float
    most: float


@dataclass(frozen=True, eq=False)
class LearnerResult:
    """Runs of a learner and of random labels, on the same rows.

    Attributes
    ----------
    learner, passive : estimator
        The learner and the passive baseline, unfitted.
    curve, passive_curve : LabelCurve
        Their runs.
    notes : tuple of str
        Warnings of the learner.
    """

    learner: Any
    passive: Any
    curve: LabelCurve
    passive_curve: LabelCurve
    notes: tuple[str, ...] = ()

    @property
    def n_bought(self) -> float:
        """Labels bought, mean over runs."""
        return float(self.curve.n_bought.mean())

    @property
    def n_needed(self) -> float:
        """Chosen labels with the error of `n_bought` random ones; infinite for more."""
        share = self.savings.share
        return np.inf if share < 0 else self.n_bought * (1 - share)

    @cached_property
    def errors(self) -> Floats:
        """Error of each run with all labels that it bought."""
        return self.curve.best - self.curve.final_scores

    @cached_property
    def passive_errors(self) -> Floats:
        """Error of each run with the same number of random labels; NaN for none."""
        scores = np.diagonal(self.passive_curve.scores_at(self.curve.n_bought))
        return self.curve.best - scores

    @cached_property
    def constant_errors(self) -> Floats:
        """Error of the most frequent class as constant prediction, for each run."""
        return self.curve.best - self.curve.constant_scores

    def _interval(self, differences):
        if len(differences) < 2:
            return float(differences.mean()), -np.inf, np.inf
        mean, low, high, _ = paired_t_test(differences[:, None], CONFIDENCE)
        return float(mean[0]), float(low[0]), float(high[0])

    @cached_property
    def gain(self) -> tuple[float, float, float]:
        """Error with random labels minus error with chosen ones: mean, low, high."""
        return self._interval(self.passive_errors - self.errors)

    @cached_property
    def _runs(self):
        """Labels bought and errors of both learners in each run; None if unknown."""
        runs = [
            (
                n,
                measured_errors(self.curve, run),
                measured_errors(self.passive_curve, run),
            )
            for run, n in enumerate(self.curve.n_bought)
        ]
        if any(n == 0 or random[0][0] > n for n, _, random in runs):
            return None
        return runs

    @cached_property
    def _first_share(self):
        """Share of the labels from which on all runs have errors."""
        return max(max(own[0][0], other[0][0]) / n for n, own, other in self._runs)

    @cached_property
    def area_range(self) -> tuple[float, float]:
        """First and last label count of the areas, means over the runs."""
        return self.n_bought * self._first_share, self.n_bought

    def _errors_at(self, shares):
        """Return errors at shares of the labels bought: chosen and random ones.

        Between two label counts they are linear in the logarithm of the count.
        """
        chosen = [interpolate(shares * n, *own) for n, own, _ in self._runs]
        random = [interpolate(shares * n, *other) for n, _, other in self._runs]
        return np.array(chosen), np.array(random)

    @cached_property
    def areas(self) -> tuple[Floats, Floats]:
        """Mean error over the label counts in each run: chosen and random labels."""
        if self._runs is None:
            return (np.full(len(self.errors), np.nan),) * 2
        shares = np.linspace(self._first_share, 1, N_SHARES)
        chosen, random = self._errors_at(shares)
        return chosen.mean(axis=1), random.mean(axis=1)

    @cached_property
    def area_gain(self) -> tuple[float, float, float]:
        """Mean error with random labels minus with chosen ones: mean, low, high."""
        chosen, random = self.areas
        return self._interval(random - chosen)

    @cached_property
    def behind(self) -> list[Stretch]:
        """Label counts at which chosen labels are worse than random, beyond noise.

        A paired t-test at each of `N_COUNTS` label counts, with the intervals so wide
        that all of them hold together (Bonferroni).
        """
        if self._runs is None or len(self._runs) < FEWEST_RUNS:
            return []
        shares = np.linspace(self._first_share, 1, N_COUNTS)
        chosen, random = self._errors_at(shares)
        each = 1 - (1 - CONFIDENCE) / N_COUNTS
        mean, _, high, _ = paired_t_test(random - chosen, each)
        (worse,) = np.nonzero(high < -ROUNDING)
        stretches = np.split(worse, np.flatnonzero(np.diff(worse) > 1) + 1)
        counts = shares * self.n_bought
        return [
            Stretch(counts[part[0]], counts[part[-1]], -mean[part].min())
            for part in stretches
            if len(part)
        ]

    @cached_property
    def constant_gain(self) -> tuple[float, float, float]:
        """Error of a constant prediction minus the learner's: mean, low, high."""
        return self._interval(self.constant_errors - self.errors)

    @cached_property
    def beats_constant(self) -> bool:
        """True if the learner is better than a constant prediction, beyond noise.

        Also true if the score of a constant prediction is unknown.
        """
        return not self.constant_gain[1] <= ROUNDING

    @cached_property
    def passive_beats_constant(self) -> bool:
        """True if random labels are better than a constant prediction, beyond noise.

        By the mean alone while runs are too few for an interval.
        """
        differences = self.constant_errors - self.passive_errors
        mean, least, _ = self._interval(differences)
        return not (mean if len(differences) < FEWEST_RUNS else least) <= ROUNDING

    @property
    def _is_ahead(self):
        """True if the end or the area is better beyond noise, and the other agrees."""
        (_, _, most), (area, least_area, _) = self.gain, self.area_gain
        by_end = self.savings.is_clear and area >= -ROUNDING
        by_area = least_area > ROUNDING and most >= -ROUNDING
        return by_end or by_area

    @property
    def is_clear(self) -> bool:
        """True if the learner is better than random labels and than a constant.

        Either at the end beyond noise, and not worse by the area; or by the area beyond
        noise, and not worse at the end beyond noise.
        """
        return self._is_ahead and self.beats_constant

    @property
    def is_mixed(self) -> bool:
        """True if it is better at the end or by the area, and worse by the other."""
        is_better = self.savings.is_clear or self.area_gain[1] > ROUNDING
        return is_better and not self._is_ahead

    @property
    def is_worse(self) -> bool:
        """True if end or area are worse beyond noise, and neither is better."""
        is_behind = self.savings.is_worse or self.area_gain[2] < -ROUNDING
        return is_behind and not self.is_mixed

    @cached_property
    def savings(self) -> Savings:
        """Share of the labels saved.

        The interval holds every share that a paired t-test over the runs does not
        reject. For a share s of at least 0 the test is that the error with 1 - s times
        the chosen labels equals the error with all random labels, on average over
        further runs; below 0 that the error with all chosen labels equals the error
        with 1 + s times the random labels. Learners that change places change the sign
        of the estimate, so that its centre is 0 if there is no difference.
        """
        if self._runs is None:
            return Savings(np.nan, np.nan, np.nan)
        kept = np.geomspace(self._first_share, 1, N_SHARES)
        kept[-1] = 1.0
        chosen, random = self._errors_at(kept)
        backward = chosen[:, -1:] - random
        forward = chosen - random[:, -1:]
        shares = np.concatenate([kept - 1, 1 - kept[-2::-1]])
        differences = np.concatenate([backward, forward[:, -2::-1]], axis=1)
        middle, mean = N_SHARES - 1, differences.mean(axis=0)
        # the error must stay there, because the mean of a few runs also dips by chance
        if mean[middle] <= ROUNDING:
            stays = np.append(mean[middle:] <= ROUNDING, False)
            share = find_zero(shares, mean, middle + stays.argmin() - 1)
        else:
            stays = np.append(mean[middle::-1] >= -ROUNDING, False)
            share = find_zero(shares, mean, middle - stays.argmin())
        if len(differences) < 2:
            return Savings(share, -1.0, 1.0)
        _, low, high, _ = paired_t_test(differences, CONFIDENCE)
        (not_less,) = np.nonzero(high >= -ROUNDING)
        (not_more,) = np.nonzero(low <= ROUNDING)
        first = not_less[0] if len(not_less) else len(shares)
        last = not_more[-1] if len(not_more) else -1
        return Savings(
            share,
            -1.0 if first == 0 else find_zero(shares, high, first - 1),
            1.0 if last == len(shares) - 1 else find_zero(shares, low, last),
        )


def find_zero(shares, differences, place):
    """Return the share at which differences cross 0 after a place; or an end."""
    if place < 0:
        return float(shares[0])
    if place >= len(shares) - 1:
        return float(shares[-1])
    before, after = differences[place : place + 2]
    part = -before / (after - before) if after > before else 0.0
    left, right = shares[place : place + 2]
    return float(left + (right - left) * np.clip(part, 0, 1))


def interpolate(n_labels, counts, errors):
    """Return the errors at some label counts."""
    return np.interp(np.log(n_labels), np.log(counts), errors)


def measured_errors(curve, run):
    """Return the label counts at which a run was scored, and its errors there."""
    is_known = ~np.isnan(curve.scores[run]) & (curve.n_labels < curve.n_bought[run])
    n_labels = np.append(curve.n_labels[is_known], curve.n_bought[run])
    scores = np.append(curve.scores[run, is_known], curve.final_scores[run])
    return n_labels, curve.best - scores
