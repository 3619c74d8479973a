"""Labelled rows: states share memory, and none sees what another one was taught."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.linear_model import SGDClassifier

from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.pool._ledger import Labelled
from sklearn_activelearn.sources._containers import is_same_data, n_rows, take, to_array
from tests.test_threads import together
from tests.tools import fresh

KINDS = {
    "float64": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "texts": lambda X: X[:, 0].astype("U5"),
    "objects": lambda X: X.astype(object),
    "three dimensions": lambda X: X.reshape(-1, 1, 2),
    "DataFrame": pd.DataFrame,
    "CSR": csr_array,
    "list": lambda X: X.tolist(),
}


def numbered(start, n):
    """Return rows no two of which are equal."""
    return np.arange(2.0 * start, 2.0 * (start + n)).reshape(n, 2)


def grown(n, n_more=1):
    """Return many rows with room for more."""
    known = Labelled().add(numbered(0, n), np.zeros(n))
    return known.add(numbered(n, n_more), np.ones(n_more))


@pytest.mark.parametrize("make", KINDS.values(), ids=list(KINDS))
@given(data=st.data())
def test_states_are_as_if_each_had_a_copy(make, data):
    """Any state may go on, several times; pickles and new codes are states, too."""
    states, n = [(Labelled(), np.empty((0, 2)), np.empty(0))], 0
    for _ in range(data.draw(st.integers(1, 20))):
        known, rows, codes = data.draw(st.sampled_from(states))
        known = data.draw(
            st.sampled_from(
                [lambda known: known, copy.copy, copy.deepcopy, pickled, recoded]
            )
        )(known)
        m = data.draw(st.integers(1, 5))
        more, n = numbered(n, m), n + m
        after = known.add(make(more), np.arange(m))
        states.append((after, np.r_[rows, more], np.r_[codes, np.arange(m)]))
    for known, rows, codes in states[1:]:
        found = known.rows
        if isinstance(found, pd.DataFrame):
            found = found.reset_index(drop=True)
        assert is_same_data(found, make(rows))
        np.testing.assert_array_equal(known.codes, codes)
        assert known.codes.dtype == np.int32
        k = len(codes) // 2
        np.testing.assert_array_equal(
            to_array(known.first(k).rows), to_array(take(make(rows), slice(k)))
        )


def pickled(known):
    return pickle.loads(pickle.dumps(known))


def recoded(known):
    return (
        replace(known, codes=np.arange(5, dtype=np.int32)[known.codes])
        if len(known)
        else known
    )


def test_few_appends_copy():
    known, n_copies = grown(100), 0
    for n in range(101, 2_000):
        after = known.add(numbered(n, 1), [1])
        n_copies += not np.shares_memory(known.rows, after.rows)
        known = recoded(after)
    np.testing.assert_array_equal(known.rows, numbered(0, 2_000))
    assert known.rows.flags.c_contiguous
    assert len(known.rows.base) <= 1.25 * 2_000
    assert n_copies <= 16


def test_the_caller_may_use_the_array_again():
    X = numbered(0, 10)
    known = Labelled().add(X, np.zeros(10))
    X[:] = -1
    known = known.add(X[:2], [0, 0])
    X[:] = -2
    np.testing.assert_array_equal(
        known.rows, np.r_[numbered(0, 10), np.full((2, 2), -1)]
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.float32, np.float64),
        (np.float64, np.float32),
        (np.int64, np.float64),
        ("U1", "U3"),
        (object, np.float64),
        (np.float64, object),
    ],
)
def test_kinds_of_numbers_are_those_of_a_concatenation(first, second):
    X = numbered(0, 3).astype(first)
    known = Labelled().add(X, np.zeros(3)).add(X, np.zeros(3))
    more = np.full((1, 2), 0.1).astype(second)
    expected = np.concatenate([X, X, more])
    found = known.add(more, [1]).rows
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_rows_of_another_width_are_refused():
    with pytest.raises(ValueError, match="dimension"):
        grown(10).add(np.zeros((1, 3)), [1])


def test_pickles_hold_the_rows_only():
    known = grown(1_000)
    assert len(known.rows.base) > 1_200
    assert len(pickle.dumps(known)) < 8 * 2 * 1_001 + 4 * 1_001 + 1_000
    assert pickled(known)._room is None


def test_of_threads_that_append_to_one_state_none_sees_the_other():
    known, found = grown(1_000), {}

    def append(who):
        after = known
        for k in range(50):
            after = after.add(np.full((1, 2), who * 1_000 + k), [who])
        found[who] = after

    together(append, 1, 2, 3, 4)
    for who, after in found.items():
        own = np.repeat(who * 1_000 + np.arange(50), 2).reshape(-1, 2)
        np.testing.assert_array_equal(after.rows, np.r_[numbered(0, 1_001), own])
        np.testing.assert_array_equal(after.codes[-50:], who)


class Interrupted(SGDClassifier):
    """Is interrupted in training when there is a negative number."""

    def partial_fit(self, X, y, classes=None):
        if X.min() < 0:
            raise KeyboardInterrupt
        return super().partial_fit(X, y, classes=classes)


def learner_of(X, y):
    learner = fresh(
        UncertaintySamplingClassifier(
            Interrupted(loss="log_loss"), incremental=True, n_initial=2
        )
    )
    return learner.teach(X, y).teach(X[:1], y[:1])


def test_what_was_interrupted_leaves_nothing():
    X, y = numbered(0, 20), np.arange(20) % 2
    learner, expected = learner_of(X, y), learner_of(X, y)
    more = numbered(20, 3)
    with pytest.raises(KeyboardInterrupt):
        learner.teach(-more, [0, 1, 0])
    for one in (learner, expected):
        one.teach(more, [1, 1, 0]).teach(more + 100, [0, 1, 0])
    np.testing.assert_array_equal(
        learner._ledger.labelled.rows, expected._ledger.labelled.rows
    )
    np.testing.assert_array_equal(learner.estimator_.coef_, expected.estimator_.coef_)


def test_copies_of_a_learner_go_on_by_themselves():
    X, y = numbered(0, 20), np.arange(20) % 2
    learners = [learner_of(X, y)]
    learners += [copy.copy(learners[0]), copy.deepcopy(learners[0])]
    for k, learner in enumerate(learners):
        learner.teach(np.full((1, 2), 100.0 + k), [1])
    for k, learner in enumerate(learners):
        expected = np.r_[X, X[:1], np.full((1, 2), 100.0 + k)]
        np.testing.assert_array_equal(learner._ledger.labelled.rows, expected)
        assert n_rows(learner._ledger.labelled.rows) == learner.n_taught_ == 22
        learner.correct(np.full((1, 2), 100.0 + k), [0]).teach([[1.0, k]], [1])
        assert learner._ledger.labelled.rows[-1].tolist() == [1.0, k]
