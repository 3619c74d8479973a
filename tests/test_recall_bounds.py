"""Bounds on the recall: they agree with the slow ones, and their levels hold."""

import tracemalloc
from math import log

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sklearn_activelearn.utils import _statistics as audit
from sklearn_activelearn.utils import _statistics as bounds
from tests.reference import recall as slow

RECALLS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])


@st.composite
def reads_of_rows(draw, n_most=14):
    """Some rows that were read, in order, and which of them were drawn."""
    n_rows = draw(st.integers(2, n_most))
    n_read = draw(st.integers(1, n_rows))
    flags = st.lists(st.booleans(), min_size=n_read, max_size=n_read)
    relevant, drawn = np.array(draw(flags)), np.array(draw(flags))
    return bounds.Reads(relevant, drawn, n_rows)


@given(found=st.integers(0, 500), recall=RECALLS)
def test_the_least_total_that_misses_the_target(found, recall):
    expected = slow.least_bad_total(found, recall)
    assert bounds.least_bad_total(found, recall) == expected


@given(st.data())
def test_the_bound_of_a_sample(data):
    n_rows = data.draw(st.integers(1, 30))
    n_drawn = data.draw(st.integers(1, n_rows))
    n_relevant = data.draw(st.integers(0, n_drawn))
    args = n_rows, n_drawn, n_relevant, data.draw(st.sampled_from([0.01, 0.05, 0.3]))
    assert bounds.most_by_sample(*args) == slow.most_by_sample(*args)


@pytest.mark.parametrize("recall", [0.07, 0.5, 0.55, 0.95, 1])
def test_the_most_that_can_be_found_when_so_many_miss_the_target(recall):
    for total in range(1, 101):
        found = bounds.most_bad_found(total, recall)
        assert slow.least_bad_total(found, recall) <= total
        assert slow.least_bad_total(found + 1, recall) > total


@given(found=st.integers(0, 500), recall=RECALLS)
def test_what_was_found_is_the_most_for_the_least_total(found, recall):
    total = bounds.least_bad_total(found, recall)
    assert bounds.most_bad_found(total, recall) == found


@given(reads=reads_of_rows(), recall=RECALLS, more=st.integers(1, 5))
def test_the_odds_are_a_ratio_of_likelihoods(reads, recall, more):
    total = reads.found + more
    assume(more <= reads.n_unread)
    args = reads.relevant.tolist(), reads.drawn.tolist(), reads.n_rows, total
    expected = slow.odds(*args, recall)
    with np.errstate(divide="ignore"):
        expected = np.log(expected)
    assert bounds.log_evidence(reads, total, recall) == pytest.approx(expected)


def test_more_relevant_rows_than_there_can_be_are_ruled_out():
    reads = bounds.Reads(np.array([True, True, False]), np.ones(3, dtype=bool), 3)
    assert bounds.log_evidence(reads, 4, 0.5) == np.inf


@given(reads=reads_of_rows(), recall=RECALLS, more=st.integers(1, 5))
def test_a_part_of_the_stakes_waits_for_later_rows(reads, recall, more):
    total = reads.found + more
    assume(more <= reads.n_unread)
    relevant, drawn = reads.relevant.tolist(), reads.drawn.tolist()
    (at,) = np.nonzero(reads.drawn)

    def stakes_from(start):
        first = sum(relevant[: at[start]])
        n_missed = slow.least_bad_total(first, recall) - first
        numbers, weights = bounds.prior(n_missed, total)
        return list(zip(map(int, numbers), weights, strict=True))

    expected = slow.odds_from(relevant, drawn, reads.n_rows, total, stakes_from)
    now = bounds.log_evidence_from(reads, total, recall)
    assert now == pytest.approx(log(expected) if expected < np.inf else np.inf)


@pytest.mark.parametrize("evidence", [bounds.log_evidence, bounds.log_evidence_from])
@given(reads=reads_of_rows(25), recall=RECALLS)
def test_evidence_grows_with_the_total(evidence, reads, recall):
    totals = range(reads.found + 1, reads.found + reads.n_unread + 1)
    odds = np.array([evidence(reads, total, recall) for total in totals])
    is_more = odds > 1e-9
    assert (np.diff(odds[is_more]) >= -1e-9).all()
    assert (np.diff(is_more.astype(int)) >= 0).all()


@given(reads=reads_of_rows(25), recall=RECALLS, alpha=st.sampled_from([0.05, 0.4]))
def test_the_most_relevant_rows_are_the_largest_total_not_ruled_out(
    reads, recall, alpha
):
    totals = range(reads.found + 1, reads.found + reads.n_unread + 1)
    left = [reads.found] + [
        total
        for total in totals
        if bounds.log_evidence_from(reads, total, recall) < log(1 / alpha)
    ]
    assert bounds.most_relevant(reads, alpha, recall) == max(left)


def test_of_large_numbers_some_have_the_stakes_of_those_up_to_the_next():
    numbers, weights = bounds.prior(30, 50_000)
    assert len(numbers) < 1_200
    assert numbers[bounds.EACH] == bounds.EACH
    far = 1 / (np.append(numbers, 50_001) + 1)
    expected = (1 - bounds.NEAR) * (far[1_010] - far[1_011])
    assert weights[1_010] == pytest.approx(expected)


@given(n_missed=st.integers(1, 400), n_most=st.integers(0, 5_000))
def test_no_more_than_everything_is_staked(n_missed, n_most):
    _, weights = bounds.prior(n_missed, n_most)
    assert (weights > 0).all()
    assert weights.sum() <= 1 + 1e-9


def audited(reads, total, recall):
    """Return the largest evidence of all moments."""
    ends = range(1, len(reads.relevant) + 1)
    parts = (
        reads._replace(relevant=reads.relevant[:n], drawn=reads.drawn[:n]) for n in ends
    )
    return max(bounds.log_evidence(part, total, recall) for part in parts)


def share_that_is_wrong(choose_random, evidence, n_runs=400, n_rows=120, total=24):
    """Return how often the true total is ever ruled out at a level of .2."""
    n_wrong, rng = 0, np.random.default_rng(0)
    for _ in range(n_runs):
        y = np.zeros(n_rows, dtype=bool)
        y[rng.permutation(n_rows)[:total]] = True
        # as a ranking that is good at first, and then finds nothing for long
        score = y * (rng.random(n_rows) < 0.8) + 0.01 * rng.random(n_rows)
        left, relevant, drawn = list(np.argsort(-score)), [], []
        while left:
            is_random = choose_random(len(drawn), rng)
            drawn.append(is_random)
            row = left.pop(rng.integers(len(left)) if is_random else 0)
            relevant.append(y[row])
        reads = bounds.Reads(np.array(relevant), np.array(drawn), n_rows)
        n_wrong += evidence(reads, total, 0.9) >= log(1 / 0.2)
    return n_wrong / n_runs


@pytest.mark.parametrize(
    ("choose_random", "evidence"),
    [
        (lambda t, rng: t >= 30, audited),
        (lambda t, rng: rng.random() < 0.3, audited),
        (lambda t, rng: rng.random() < 0.3, bounds.log_evidence_from),
        (lambda t, rng: True, audited),
    ],
    ids=["audit", "explored", "explored later", "all"],
)
def test_the_level_holds_at_every_look(choose_random, evidence):
    assert share_that_is_wrong(choose_random, evidence) <= 0.2 + 0.04


@pytest.mark.parametrize(
    ("found", "expected", "n_since", "is_due"),
    [  # of 400 found, 22 would miss the target; of 45, three
        (400, 5.0, 46, True),
        (400, 5.1, 46, False),
        (400, 5.0, 45, False),
        (45, 3.0, 334, True),
        (45, 3.1, 334, False),
        (45, 3.0, 333, False),
    ],
)
def test_an_audit_begins_when_few_are_left(found, expected, n_since, is_due):
    assert audit.is_audit_due(found, expected, n_since, 5_000, 0.95) == is_due


def test_what_a_certificate_costs():
    # three unread must be ruled out: the share is 1 - .05 ** (1 / 3) if none is seen
    share = audit.audit_share(45, 0.0, 0.95, 0.05)
    assert share == pytest.approx(1 - 0.05 ** (1 / 3), abs=0.01)
    of_many = audit.audit_share(400, 0.0, 0.95, 0.05)
    assert of_many == pytest.approx(1 - 0.05 ** (1 / 22), abs=0.01)
    assert audit.audit_share(45, 2.0, 0.95, 0.05) > share


def test_a_low_recall_costs_no_memory():
    tracemalloc.start()
    try:
        audit.audit_share(300, 5.0, 0.05, 0.05)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 50e6


def test_a_plan_ranks_until_few_are_left_and_then_draws():
    relevant = np.append(np.ones(40, dtype=bool), np.zeros(160, dtype=bool))
    reads = bounds.Reads(relevant, np.zeros(200, dtype=bool), 1_000)
    p = np.zeros(800)
    p[:20] = 0.5
    plan = audit.audit_plan(reads, p, 0.95, 0.05)
    assert 15 <= plan.n_ranked <= 160
    assert 450 < plan.n_rows < 700
    now = audit.audit_plan(reads, np.zeros(800), 0.95, 0.05)
    assert now.n_ranked == 0
    assert now.n_rows < plan.n_rows
