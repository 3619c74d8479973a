"""Rows that experiments on published results write, from small results."""

import numpy as np
import pytest

from benchmarks.papers import boosting, boosting_costs
from benchmarks.papers._alms_rows import POOLED, heights_of, pooled, summary
from sklearn_activelearn.datasets import make_twonorm


def test_stumps_are_compared_split_by_split():
    error = np.full((3, 2, 4), 0.25)  # kinds, splits, shares
    gini = error + np.reshape([0.01, 0.03], (2, 1))
    rows = list(boosting.criteria("a", {"QBB": error}, {"QBB": gini}))
    assert [row["kind"] for row in rows] == list(boosting.KINDS)
    for row in rows:
        assert (row["error"], row["gini"]) == pytest.approx((25, 27))
        assert row["difference"] == pytest.approx(2)
        assert row["difference_error"] == pytest.approx(1)  # of 1 and 3, in %


def trials(*heights):
    """Return trials with level curves at these accuracies."""
    return [{"scores": [[[h, 1 - h]] * 2], "seconds": 1.0} for h in heights]


def test_problems_together_are_paired_trial_by_trial():
    counts, parts = [10, 20], []
    for passive, other in (((0.5, 0.6), (0.6, 0.7)), ((0.7, 0.8), (0.7, 0.8))):
        results = {"passive": trials(*passive), "QBC": trials(*other)}
        parts.append((results, heights_of(results, counts)))
    passive, other = summary(POOLED, "mean", *pooled(parts), counts)
    assert (passive["accuracy"], other["accuracy"]) == pytest.approx((0.65, 0.7))
    assert other["accuracy_gain"] == pytest.approx(0.05)
    error = np.std([0.1, 0.1, 0, 0], ddof=1) / 2
    assert other["accuracy_gain_error"] == pytest.approx(error)
    assert other["published"] is None


def test_every_fifth_step_is_written():
    X, y = make_twonorm(60, random_state=0)
    rows = boosting_costs.costs(X, y, 6, 8)
    all_steps = [row for row in rows if row["curve"] == boosting_costs.ALL_STEPS]
    positions = [row["position"] for row in all_steps]
    assert positions == list(range(5, positions[-1] + 1, 5))
