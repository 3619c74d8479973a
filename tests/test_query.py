"""The arguments of `query`, late labels, free rows, budget and patience."""

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from sklearn_activelearn import DKMClassifier, RandomSamplingClassifier
from tests.learners import (
    MARGIN_FREE,
    TIMELESS,
    each_family,
    each_family_of,
    each_stream_family,
    each_stream_learner,
)
from tests.tools import RecordingOracle, fresh, group_of, state, streams


def begun(prototype, X, y, **params):
    """Return a learner that has been through the stream once."""
    return fresh(prototype, **params).partial_fit(X, y, classes=np.unique(y))


@each_stream_family
@given(stream=streams(), data=st.data())
def test_candidates(prototype, stream, data):
    X, y = stream
    row_numbers = st.lists(st.integers(0, len(X) - 1), unique=True)
    candidates = np.array(data.draw(row_numbers, label="candidates"), dtype=int)
    learner, other = begun(prototype, X, y), begun(prototype, X, y)
    rows = learner.query(X, candidates=candidates)
    np.testing.assert_array_equal(rows, candidates[other.query(X[candidates])])
    for one in (learner, other):  # a pool's row numbers are forgotten with that
        one.teach(X[rows], y[rows])
    known, same = state(learner), state(other)
    if not len(rows):  # in a slice equal rows are not told apart: another reason
        del known["stop_reason_"], same["stop_reason_"]
    assert known == same


@each_family
@given(stream=streams(), limit=st.integers(0, 10))
def test_limit_and_probability(prototype, stream, limit):
    X, y = stream
    learner = begun(prototype, X, y)
    other, limited = deepcopy(learner), deepcopy(learner)
    rows, probabilities = learner.query(X, return_probability=True)
    np.testing.assert_array_equal(rows, other.query(X))
    assert probabilities.shape == rows.shape
    assert np.all((probabilities > 0) & (probabilities <= 1))
    assert state(learner) == state(other)
    if hasattr(learner, "patience"):
        np.testing.assert_array_equal(limited.query(X, limit=limit), rows[:limit])
        assert limited.n_seen_ == learner.n_seen_ == 2 * len(X)


@each_family
@pytest.mark.parametrize("convert", [np.asarray, csr_array])
def test_no_rows(prototype, convert):
    X, y = np.eye(4), np.array(["no", "yes", "no", "yes"])
    nothing = convert(X[:0])
    learner = begun(prototype, X, y)
    before = state(learner)
    rows, probabilities = learner.query(nothing, return_probability=True)
    assert rows.dtype == np.int64
    assert rows.shape == probabilities.shape == (0,)
    oracle = RecordingOracle(y)
    learner.teach(nothing, []).learn(nothing, oracle)
    assert not oracle.asked
    assert state(learner) == before
    assert fresh(prototype).query(nothing).size == 0


@each_stream_learner
@given(stream=streams())
def test_a_margin_learner_asks_for_one_row_until_it_is_taught(prototype, stream):
    X, y = stream
    learner = fresh(prototype)
    if prototype in MARGIN_FREE:
        np.testing.assert_array_equal(
            learner.query(X), begun(prototype, X, y).queried_indices_
        )
    else:
        n_warm_start = getattr(prototype, "n_warm_start", 0)
        blind = min(max(1, n_warm_start), len(X))
        assert learner.query(X).tolist() == list(range(blind))
        if n_warm_start == 0:
            assert len(learner.query(X)) == 1


def test_a_taught_learner_asks_for_all_it_wants():
    X = np.tile([[1.0, 0.0]], (5, 1))
    learner = DKMClassifier(R=2)
    assert learner.query(X).tolist() == [0]
    learner.teach(X[[0]], ["a"], classes=["a", "b"])
    assert learner.query(X).tolist() == [0, 1, 2, 3, 4]


@each_family_of(TIMELESS)
@given(stream=streams(), data=st.data())
def test_late_labels_in_any_order(prototype, stream, data):
    X, y = stream
    learner, other = begun(prototype, X, y), begun(prototype, X, y)
    rows = data.draw(st.permutations(learner.query(X).tolist()), label="order")
    rows = np.array(rows, dtype=int)
    n_queries = learner.n_queries_
    assert len(learner._ledger) == len(rows)
    for row in rows:
        learner.teach(X[[row]], y[[row]])
    assert len(learner._ledger) == 0
    assert learner.n_queries_ == n_queries  # paid for when asked

    other.query(X)
    other.teach(X[rows], y[rows])
    assert state(learner) == state(other)


def test_rows_nobody_asked_for_leave_the_threshold_alone():
    X, y = np.ones((10, 1)), ["a"] * 10
    learner = DKMClassifier(R=1).teach(X, y, classes=["a", "b"])
    assert learner.threshold_ == 1
    learner.query(X)
    assert learner.teach(X[:4], y[:4]).threshold_ == 2.0**-4


@each_stream_family
@given(stream=streams(), patience=st.integers(1, 6))
def test_patience(prototype, stream, patience):
    X, y = stream
    patient = begun(prototype, X, y, patience=None, budget=None).queried_indices_
    waits = np.diff(patient, prepend=-1) - 1
    if group_of(prototype) > 1:
        waits[:] = 0  # it buys from every group
    lost = np.flatnonzero(waits >= patience)
    expected = patient[: lost[0]] if lost.size else patient
    learner = begun(prototype, X, y, patience=patience, budget=None)
    np.testing.assert_array_equal(learner.queried_indices_, expected)


def test_patience_counts_no_row_of_a_spent_budget():
    X, y = np.ones((9, 1)), np.array([0, 1] * 4 + [0])
    learner = RandomSamplingClassifier(rate=1.0, budget=2, patience=3)
    learner.partial_fit(X, y, classes=[0, 1])
    assert learner.set_params(budget=4).partial_fit(X, y).n_queries_ == 4
