"""The pace of people, and the minutes that are left, against synthetic people."""

import numpy as np
import pytest

from sklearn_activelearn.labeling._pace import find_gaps, find_pace


def person(random, n, seconds=6.0, spread=0.6, start=0.0, breaks=()):
    """Return the times of n answers; gaps are log-normal, with breaks after some."""
    gaps = seconds * np.exp(spread * random.standard_normal(n))
    for position in breaks:
        gaps[position] = 4_000.0
    return start + np.cumsum(gaps)


def test_the_median_of_the_gaps_without_breaks():
    times = [0, 4, 8, 13, 17, 21, 500, 504, 509, 513, 518, 522]
    assert find_gaps(times).tolist() == [4, 4, 5, 4, 4, 4, 5, 4, 5, 4]
    assert find_pace([times]).seconds_per_label == 4


@pytest.mark.parametrize(
    "times",
    [
        [],
        [3.0],
        range(9),  # nine answers
        [500.0 * k for k in range(40)],  # breaks only
        [7.0] * 40,  # imported at once
        [-5.0 * k for k in range(40)],  # a clock that runs back
    ],
)
def test_nobody_has_a_pace_with_fewer_than_ten_answers_in_sittings(times):
    assert find_pace([list(times)]) is None


def test_a_clock_that_is_set_back_makes_no_gap():
    times = np.arange(40) * 5.0
    times[20:] -= 3_600
    pace = find_pace([times])
    assert (pace.seconds_per_label, pace.mean) == (5, 5)
    low, high = pace.minutes(24, 24)
    assert (low, high) == pytest.approx((2, 2))


def test_people_side_by_side_share_the_labels():
    slow, quick = np.arange(30) * 12.0, 350.0 - np.arange(60)[::-1] * 4.0
    pace = find_pace([slow, quick])
    assert pace.mean == pytest.approx(3)  # 1 / 12 + 1 / 4 labels a second
    gone = slow - 10_000
    assert find_pace([gone, quick]).mean == 4
    assert find_pace([quick, quick[-5:]]).mean == 4  # a person without a pace


@pytest.mark.parametrize("n_known", [12, 30, 200])
@pytest.mark.parametrize("n_left", [10, 100, 400])
@pytest.mark.parametrize("n_people", [1, 2])
def test_the_minutes_hold_the_truth_in_nine_of_ten(n_known, n_left, n_people):
    random, hits, n_runs = np.random.default_rng(n_known + n_left), 0, 300
    for _ in range(n_runs):
        seconds = random.uniform(2, 15, n_people)
        known, later = [], []
        for each in seconds:
            breaks = random.choice(n_known, 2, replace=False)
            times = person(random, n_known, each, breaks=breaks)
            known.append(times - times[-1])
            later.append(person(random, n_left, each))
        pace = find_pace(known)
        if pace is None:  # two of twelve gaps were breaks
            n_runs -= 1
            continue
        truth = np.sort(np.concatenate(later))[n_left - 1] / 60
        low, high = pace.minutes(n_left, n_left)
        hits += low <= truth <= high
    assert n_runs > 200
    assert hits / n_runs >= 0.86


def test_a_range_of_labels_has_a_range_of_minutes():
    pace = find_pace([np.arange(40) * 6.0])
    assert pace.minutes(120, 210) == pytest.approx((12, 21))
