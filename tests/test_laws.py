"""The laws that every learner keeps, whatever the stream."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone

from sklearn_activelearn.stream.second_order._base import SecondOrderClassifier
from tests.learners import (
    LEARNERS,
    each,
    each_learner,
    each_learner_by_hand,
    each_pool_learner,
    each_stream_learner,
)
from tests.tools import (
    AnswerSheet,
    by_pool,
    fresh,
    frozen,
    group_of,
    responses,
    state,
    streams,
    with_int64_indices,
)


@each_learner
@given(stream=streams(), seed=st.integers(0, 99))
def test_unbought_labels_have_no_influence(prototype, stream, seed):
    X, y = stream
    rng, classes = np.random.RandomState(seed), np.unique(y)
    learner = fresh(prototype).partial_fit(X, y, classes=classes)
    lies = rng.choice(classes, size=len(y))
    lies[learner.queried_indices_] = y[learner.queried_indices_]
    misled = fresh(prototype).partial_fit(X, lies, classes=classes)
    assert state(misled) == state(learner)

    learner = fresh(prototype).fit(X, y)
    unbought = np.setdiff1d(np.arange(len(y)), learner.queried_indices_)
    lies = y.copy()  # the same labels on other rows: fit reads the set of classes
    lies[unbought] = rng.permutation(y[unbought])
    misled = fresh(prototype).fit(X, lies)
    assert state(misled) == state(learner)
    np.testing.assert_array_equal(misled.queried_indices_, learner.queried_indices_)


@each_learner_by_hand
@given(stream=streams())
def test_simulation_is_the_protocol(prototype, by_hand, stream):
    X, y = stream
    classes = np.unique(y)
    in_order = {"shuffle": False} if "shuffle" in prototype.get_params() else {}
    fitted = fresh(prototype, **in_order).fit(X, y)
    bought = fitted.queried_indices_.tolist()

    streamed = fresh(prototype).partial_fit(X, y, classes=classes)
    assert streamed.queried_indices_.tolist() == bought
    assert state(streamed) == state(fitted)

    oracle = AnswerSheet(y)
    asked = fresh(prototype).learn(X, oracle, classes=classes)
    assert oracle.asked == asked.queried_indices_.tolist() == bought
    assert state(asked) == state(fitted)

    learner, purchases = by_hand(fresh(prototype), X, y, classes)
    assert purchases == bought
    assert state(learner) == state(fitted)


@each_stream_learner
@given(stream=streams(), data=st.data())
def test_candidates_of_a_stream_are_its_order(prototype, stream, data):
    X, y = stream
    order = np.array(data.draw(st.permutations(range(len(X)))))[: max(len(X) - 3, 1)]
    oracle, classes = AnswerSheet(y), np.unique(y)
    learner = fresh(prototype).learn(X, oracle, classes, candidates=order)
    taken = fresh(prototype).learn(X[order], AnswerSheet(y[order]), classes)
    assert oracle.asked == order[taken.queried_indices_].tolist()
    assert learner.queried_indices_.tolist() == oracle.asked
    assert state(learner) == state(taken)


@each_pool_learner
@given(stream=streams(), data=st.data())
def test_candidates_of_a_pool_may_be_bought(prototype, stream, data):
    X, y = stream
    order = np.array(data.draw(st.permutations(range(len(X)))))[: max(len(X) - 3, 1)]
    oracle, classes = AnswerSheet(y), np.unique(y)
    learner = fresh(prototype).learn(X, oracle, classes, candidates=order)
    looped, purchases = by_pool(fresh(prototype), X, y, classes, np.sort(order))
    assert set(purchases) <= set(order.tolist())
    assert learner.queried_indices_.tolist() == oracle.asked == purchases
    if purchases:  # a share of few rows is none
        assert frozen(responses(learner, X)) == frozen(responses(looped, X))


@each_stream_learner
@given(stream=streams(), data=st.data())
def test_chunks_do_not_matter(prototype, stream, data):
    X, y = stream
    whole = fresh(prototype).partial_fit(X, y, classes=np.unique(y))
    n_groups = -(-len(X) // group_of(prototype))
    cuts = sorted(data.draw(st.sets(st.integers(1, n_groups), max_size=6)))
    cuts = [cut * group_of(prototype) for cut in cuts if cut < n_groups]
    learner, purchases = fresh(prototype), []
    for start, stop in zip([0, *cuts], [*cuts, len(X)], strict=True):
        learner.partial_fit(X[start:stop], y[start:stop], classes=np.unique(y))
        purchases += (start + learner.queried_indices_).tolist()
    assert purchases == whole.queried_indices_.tolist()
    assert state(learner) == state(whole)


@each_learner
@given(stream=streams())
def test_prediction_is_pure(prototype, stream):
    X, y = stream
    learner = fresh(prototype).fit(X, y)
    before = state(learner)
    predicted = frozen(responses(learner, X))
    learner.score(X, y)
    assert frozen(responses(learner, X)) == predicted
    assert state(learner) == before

    learner.query(X)
    assert frozen(responses(learner, X)) == predicted


def draws(prototype):
    """Whether the first rows are drawn: those that cover the pool are not."""
    return prototype._group or prototype._selection.initial == "random"


@each_learner
@given(stream=streams(), seed=st.integers(0, 2**32 - 1))
def test_same_seed_same_result(prototype, stream, seed):
    X, y = stream
    learner = fresh(prototype, random_state=seed).fit(X, y)
    again = clone(learner).fit(X, y)
    np.testing.assert_array_equal(again.queried_indices_, learner.queried_indices_)
    assert state(again) == state(learner)
    assert state(learner.fit(X, y)) == state(again)  # fit forgets everything


@each([row for row in LEARNERS if draws(row)])
def test_the_seed_is_used(prototype):
    X = np.random.RandomState(0).standard_normal((40, 3))
    y = X[:, 0] > 0
    runs = {
        tuple(fresh(prototype, random_state=seed).fit(X, y).queried_indices_)
        for seed in range(5)
    }
    assert len(runs) > 2


@each_stream_learner
@given(stream=streams(min_features=2, values=9999, zeros=0.4))
@pytest.mark.parametrize(
    "convert",
    [
        csr_array,
        lambda X: with_int64_indices(csr_array(X)),
        lambda X: X.astype(np.float32),
        lambda X: csr_array(X.astype(np.float32)),
        lambda X: with_int64_indices(csr_array(X.astype(np.float32))),
        np.asfortranarray,
    ],
    ids=["csr", "csr64", "float32", "csr-float32", "csr64-float32", "fortran"],
)
def test_the_container_does_not_matter(prototype, convert, stream):
    X, y = stream
    learner = fresh(prototype).fit(X, y)
    other = fresh(prototype).fit(convert(X), y)
    np.testing.assert_array_equal(other.queried_indices_, learner.queried_indices_)
    scores = learner.decision_function(X)
    slack = 1e-9 * np.abs(scores).max()
    if isinstance(prototype, SecondOrderClassifier):  # least squares on 1 and -1
        slack = 1e-9 if learner.normalize else 1e-6
    np.testing.assert_allclose(other.decision_function(X), scores, atol=slack)
    np.testing.assert_allclose(
        learner.decision_function(convert(X)), scores, atol=slack
    )


@each_learner
@given(stream=streams(), budget=st.integers(0, 20))
def test_the_bill(prototype, stream, budget):
    X, y = stream
    unlimited = fresh(prototype, budget=None).partial_fit(X, y, classes=np.unique(y))
    oracle = AnswerSheet(y)
    learner = fresh(prototype, budget=budget).learn(X, oracle, classes=np.unique(y))
    assert learner.n_queries_ == len(oracle.asked) <= budget
    assert getattr(learner, "n_seen_", len(X)) == len(X)
    assert oracle.asked == unlimited.queried_indices_[:budget].tolist()
    assert oracle.asked == learner.queried_indices_.tolist()

    learner.learn(X, oracle)  # the same budget goes on
    assert learner.n_queries_ == len(oracle.asked) <= budget

    chunked = fresh(prototype, budget=budget)
    n_asked = len(chunked.query(X))
    assert chunked.n_queries_ == n_asked <= budget
    assert n_asked + len(chunked.query(X)) == chunked.n_queries_ <= budget
