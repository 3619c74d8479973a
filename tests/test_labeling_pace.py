"""The pace of people, and the minutes that are left, against synthetic people."""

import itertools
from unittest.mock import patch

import numpy as np
import pytest

from sklearn_activelearn import HybridSamplingClassifier, RelevanceSamplingClassifier
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.labeling._progress import find_gaps, find_pace
from sklearn_activelearn.labeling.front_ends._view import describe_minutes, sentence_of
from sklearn_activelearn.labeling.storage import _facts, _schema
from sklearn_activelearn.pool import RecallTarget


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


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.1, 0.4), "1 minute"),
        ((2.2, 3.4), "2 to 3 minutes"),
        ((11.0, 14.0), "10 to 15 minutes"),
        ((24.0, 26.0), "25 minutes"),
        ((58.0, 91.0), "1 to 2 hours"),
        ((60.0, 92.0), "1 to 2 hours"),
        ((700.0, 1_300.0), "10 to 20 hours"),
    ],
)
def test_minutes_in_words(ends, words):
    assert describe_minutes(*ends) == words


X = np.random.RandomState(0).standard_normal((200, 3))
Y = ["yes" if row[0] > 0.5 else "no" for row in X]


def label_rows(session, n, seconds, who=None):
    """Label rows; a clock tells the seconds since the last answer."""
    ids = list(session.ids)
    for _, passed in zip(range(n), itertools.cycle(seconds), strict=False):
        clock.at += passed
        if (id := session.next(who)) is None:
            break
        session.label(id, Y[ids.index(id)], who)


class clock:
    """The time that a session stores."""

    at = 1_700_000_000.0

    @classmethod
    def now(cls):
        from datetime import UTC, datetime

        return datetime.fromtimestamp(cls.at, UTC).isoformat(timespec="milliseconds")


@pytest.fixture(autouse=True)
def times(quick_blend):
    with (
        patch.object(_facts, "now", clock.now),
        patch.object(_schema, "now", clock.now),
    ):
        yield


def test_a_session_says_how_long_it_takes_yet(path):
    learner = HybridSamplingClassifier(batch_size=5, budget=60, random_state=0)
    with LabelingSession(learner, X, path, classes=["yes", "no"]) as session:
        label_rows(session, 9, [6.0])
        status = session.status()
        assert (status.seconds_per_label, status.minutes_left) == (None, None)
        assert sentence_of(session).endswith("51 left.")
        label_rows(session, 11, [6.0])
        status = session.status()
        assert (status.seconds_per_label, status.to_label) == (6.0, 40)
        assert status.minutes_left == pytest.approx((4, 4))
        assert "40 left (about 4 minutes)" in sentence_of(session)
        session.undo()
        assert session.status().seconds_per_label == 6.0
    with LabelingSession(learner, X, path) as session:
        assert session.status().to_label == 41
        assert session.status().seconds_per_label == 6.0
        label_rows(session, 41, [6.0])
        assert (session.status().to_label, session.status().minutes_left) == (0, None)


def test_rows_with_several_votes_take_as_many_answers(path):
    learner = HybridSamplingClassifier(batch_size=5, budget=60, random_state=0)
    with LabelingSession(learner, X, path, classes=["yes", "no"], votes=2) as session:
        for _ in range(20):
            label_rows(session, 1, [6.0], "ann")
            label_rows(session, 1, [0.5], "bob")
        status = session.status()
        # each of them needs 6.5 seconds for each of 40 rows
        assert (status.seconds_per_label, status.to_label) == (3.25, 40)
        assert status.minutes_left == pytest.approx((40 * 6.5 / 60,) * 2)


def test_what_more_labels_are_worth_has_its_minutes(path):
    learner = HybridSamplingClassifier(batch_size=5, budget=None, random_state=0)
    session = LabelingSession(learner, X, path, classes=["yes", "no"], test_size=20)
    with session:
        label_rows(session, 70, [9.0, 15.0])
        assert session.status().minutes_left is None
        found = session.advice()
    assert "The next 45 labels" in found
    assert found.endswith("At your pace 45 labels take about 8 to 10 minutes.")


def test_a_search_says_how_long_it_takes(path):
    learner = RelevanceSamplingClassifier(
        positive="yes", batch_size=10, budget=None, stopping=RecallTarget(0.8),
        random_state=0,
    )  # fmt: skip
    with LabelingSession(learner, X, path, classes=["yes", "no"]) as session:
        label_rows(session, 40, [30.0])
        found = session.advice()
    assert "more rows (" in found
    assert "minutes)" in found
