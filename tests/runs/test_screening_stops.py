"""Rules that `RecallTarget` is compared with: they agree with the slow ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.screening import stops
from tests.reference import recall as slow

RECALLS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])


@given(st.data())
def test_the_tails_are_those_of_counted_samples(data):
    n_rows = data.draw(st.integers(1, 9))
    n_relevant, n_drawn = (data.draw(st.integers(0, n_rows)) for _ in range(2))
    counts = np.arange(n_drawn + 1)
    ones = np.ones(len(counts), dtype=int)
    now = stops.hypergeometric_cdf(
        counts, n_rows * ones, n_relevant * ones, n_drawn * ones
    )
    for count in counts.tolist():
        by_listing = slow.counted_cdf(count, n_rows, n_relevant, n_drawn)
        assert slow.cdf(count, n_rows, n_relevant, n_drawn) == by_listing
        assert now[count] == pytest.approx(float(by_listing), abs=1e-12)


@given(
    relevant=st.lists(st.booleans(), min_size=1, max_size=40),
    n_unread=st.integers(0, 40),
    recall=RECALLS,
)
def test_the_hypergeometric_test_needs_few_starts(relevant, n_unread, recall):
    n_rows = len(relevant) + n_unread
    p = stops.hypergeometric_p(np.array(relevant), n_rows, recall)
    expected = slow.hypergeometric_p(relevant, n_rows, recall)
    assert p == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("recall", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_the_rank_in_a_sample(recall, alpha):
    for n in (0, 1, 7, 28, 29, 58, 59, 100):
        rank = stops.rank_in_sample(n, recall, alpha)
        assert rank == slow.rank_in_sample(n, recall, alpha)


@pytest.fixture
def relevant():
    """Return which of 400 rows are relevant; most of them come early."""
    rng = np.random.default_rng(0)
    return rng.uniform(size=400) < np.linspace(0.8, 0, 400)


def test_the_hypergeometric_rule_stops_at_the_first_look_that_is_certain(relevant):
    n_read = stops.hypergeometric_stop(relevant, 0.95, 0.05)
    looks = [20]
    while looks[-1] < n_read:
        looks.append(looks[-1] + max(10, looks[-1] // 20))
    assert looks[-1] == n_read
    for n, is_certain in ((n_read, True), (looks[-2], False)):
        p = slow.hypergeometric_p(relevant[:n].tolist(), 400, 0.95)
        assert (p < 0.05) == is_certain


def test_the_sample_rule_reads_to_a_rank_in_the_sample(relevant):
    n_ranked, is_read = stops.sample_stop(
        relevant, 0.95, 0.05, np.random.default_rng(1)
    )
    n_sample = min(400, round(80 / relevant.mean()))
    sample = np.sort(np.random.default_rng(1).choice(400, n_sample, replace=False))
    hits = sample[relevant[sample]]
    assert n_ranked == hits[slow.rank_in_sample(len(hits), 0.95, 0.05) - 1] + 1
    assert is_read.sum() == len({*range(n_ranked), *sample})
