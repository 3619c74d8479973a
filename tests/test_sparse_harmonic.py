"""Label propagation in large pools: sparse systems, and few candidates."""

import pickle
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, make_moons

from sklearn_activelearn import ActiveLabelPropagationClassifier
from sklearn_activelearn.pool.graph import _label_propagation
from sklearn_activelearn.pool.graph import _label_propagation as _trainer
from sklearn_activelearn.pool.graph._gains import gains
from sklearn_activelearn.pool.graph._graph import GraphClassifier
from sklearn_activelearn.pool.graph._harmonic import (
    Edges,
    HarmonicField,
    SparseHarmonicField,
)
from tests.learners import seldom
from tests.reference import label_propagation as reference
from tests.test_label_propagation import graphs
from tests.tools import frozen, problem, state

X, y = problem(60, 3, noise=0.3)


def edges_of(rows, n_neighbors):
    return Edges(GraphClassifier(n_neighbors=n_neighbors).connect(rows).weights())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gains_have_the_same_bits_whatever_the_processor(dtype):
    n, rng = 1_505, np.random.default_rng(0)  # several blocks, the last incomplete
    columns = rng.dirichlet(np.full(4, 0.3), n).astype(dtype).T.copy()
    second, top = np.partition(columns, -2, axis=0)[-2:]
    shares = rng.random((3, n)).astype(dtype) ** 4
    own, sums = columns.T[:3].copy(), np.zeros((3, 16))
    for k, share in enumerate(shares):
        rest, gain = columns - share * own[k][:, None], -top
        for c in range(4):
            gain += own[k, c] * np.maximum(rest[c] + share, rest.max(axis=0))
        gain[2 * share <= top - second] = 0
        np.add.at(sums[k], np.arange(n) % 16, gain)
    found = gains(shares, columns, top.copy(), top - second, own)
    np.testing.assert_array_equal(found, sums.sum(axis=1))


@given(drawn=graphs())
def test_a_sparse_field_is_that_of_the_dense_reference(drawn):
    rows, known, prior = drawn
    W, n_classes = reference.knn_weights(rows, 2), len(prior)
    nodes, certain = np.array(list(known)), np.eye(n_classes)[list(known.values())]
    field = SparseHarmonicField(edges_of(rows, 2), nodes, certain)
    assert field.free.tolist() == [i for i in range(len(rows)) if i not in known]
    lost = reference.is_lost(W, known)[field.free]
    np.testing.assert_array_equal(field.is_lost, lost)
    f = field.probabilities(prior)
    expected = reference.harmonic(W, known, prior)[field.free]
    np.testing.assert_allclose(f, expected, atol=1e-8)
    bounds = [reference.change_bound(W, known, prior, k) for k in field.free]
    np.testing.assert_allclose(field.screened(f), bounds, rtol=1e-3, atol=1e-6)
    risks = np.array([reference.expected_risk(W, known, prior, k) for k in field.free])
    if lost.any():
        risk = field.expected_risk(f, np.flatnonzero(lost))
        np.testing.assert_allclose(risk, risks[lost], atol=1e-7)
    if not lost.all():
        candidates = np.flatnonzero(~lost)
        risk = field.considering(candidates).expected_risk(f, candidates)
        np.testing.assert_allclose(risk, risks[~lost], atol=1e-3)


@given(drawn=graphs(), data=st.data())
def test_a_sparse_field_with_a_node_more(drawn, data):
    rows, known, prior = drawn
    nodes, certain = np.array(list(known)), np.eye(len(prior))[list(known.values())]
    field = SparseHarmonicField(edges_of(rows, 2), nodes, certain)
    f, is_lost = field.probabilities(prior), field.is_lost
    assume(len(f) > 2)
    k = data.draw(st.integers(0, len(f) - 1), label="k")
    if not is_lost[k]:
        field = field.considering(np.flatnonzero(~is_lost))
    after, others = field.clamped(field.free[k], f[k]), np.delete(f, k, axis=0)
    W = reference.knn_weights(rows, 2)
    expected = {**known, int(field.free[k]): f[k]}
    lost = reference.is_lost(W, expected)[after.free]
    np.testing.assert_array_equal(after.is_lost, lost)
    candidates = np.flatnonzero(lost if is_lost[k] else ~lost)
    assume(len(candidates))
    risk = after.expected_risk(others, candidates)
    risks = [reference.expected_risk(W, expected, prior, i) for i in after.free]
    risks = np.array(risks)[candidates] - (1 - f[k].max())  # k is no free node
    np.testing.assert_allclose(risk, risks, atol=2e-3)


@pytest.mark.parametrize("shape", ["chain", "clusters"])
def test_a_field_of_hundreds_of_nodes_is_that_of_the_inverse(shape):
    rows, _ = make_moons(900, noise=0.03, random_state=0)
    if shape == "clusters":
        rows = load_digits().data[:900]
    edges, nodes = edges_of(rows, 7), np.arange(0, 900, 100)
    certain = np.eye(3)[nodes % 3]
    field = SparseHarmonicField(edges, nodes, certain)
    inverse = HarmonicField(edges.weights, nodes, certain)
    # of the walks of the inverse a few get lost
    f = inverse.reached / inverse.reached.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(field.reached, f, atol=1e-8)
    some = np.arange(5, 800, 9)
    for _ in range(3):
        field = field if len(field.candidates) else field.considering(some)
        risk = inverse.expected_risk(f, some)
        assert np.ptp(risk) > 1
        np.testing.assert_allclose(field.expected_risk(f, some), risk, atol=0.05)
        k = some[20]
        node, distribution = field.free[k], f[k]
        field = field.clamped(node, distribution)
        inverse = inverse.clamped(node, distribution)
        f, some = np.delete(f, k, axis=0), field.candidates
        np.testing.assert_array_equal(field.free, inverse.free)


@seldom
@given(seed=st.integers(0, 99))
def test_batches_are_those_of_the_dense_reference(seed):
    rng = np.random.RandomState(seed)
    rows = rng.standard_normal((14, 2)) + 40 * rng.randint(2, size=(14, 1))
    learner = ActiveLabelPropagationClassifier(
        n_neighbors=2, n_candidates=4, n_initial=4, batch_size=3, random_state=seed
    )
    first = learner.query(rows)
    learner.teach(rows[first], [0, 1, 2, 1])
    W, prior = reference.knn_weights(rows, 2), np.array([1, 2, 1]) / 4
    known = dict(zip(first.tolist(), [0, 1, 2, 1], strict=True))
    left, considered = [i for i in range(14) if i not in known], None
    for row in learner.query(rows, candidates=left).tolist():
        if considered is None and not reference.is_lost(W, known)[left].any():
            bounds = [reference.change_bound(W, known, prior, i) for i in left]
            order = np.argsort(bounds)[::-1]
            assume(bounds[order[3]] > bounds[order[4]] + 1e-2)
            considered = [left[i] for i in order[:4]]
        among = left if considered is None else considered
        assert row in reference.best_candidates(W, known, prior, among, 2e-3)
        known[row] = reference.harmonic(W, known, prior)[row]
        left.remove(row)
        if considered is not None:
            considered.remove(row)


def bought(n_candidates):
    """Return which rows are bought, and the trained graph."""
    learner = ActiveLabelPropagationClassifier(
        n_candidates=n_candidates, budget=20, random_state=0
    )
    learner.fit(X, y)
    return learner.queried_indices_.tolist(), frozen(learner._state.trained)


@pytest.mark.parametrize("n", [60, 1000])
def test_a_number_that_covers_the_pool_stands_for_all(n):
    with mock.patch.object(_label_propagation, "most_influential", None):
        assert bought(n) == bought(None)
    assert bought(59)[1] != bought(None)[1]


def test_large_pools_have_few_candidates_by_default():
    with mock.patch.multiple(_trainer, MOST_ROWS=59, N_CANDIDATES=6):
        assert bought("auto") == bought(6) != bought(None)
    with mock.patch.multiple(_trainer, MOST_ROWS=60, N_CANDIDATES=6):
        assert bought("auto") == bought(None)


def test_the_kernel_considers_all_rows():
    expected, learner = (
        ActiveLabelPropagationClassifier(
            "rbf", n_candidates=n, budget=20, random_state=0
        ).fit(X, y)
        for n in (None, 3)
    )
    np.testing.assert_array_equal(learner.queried_indices_, expected.queried_indices_)


def test_a_pickle_has_neither_edges_nor_solutions():
    learner = ActiveLabelPropagationClassifier(n_candidates=5, budget=20)
    pool = np.random.RandomState(1).standard_normal((900, 2))
    learner.set_params(random_state=0).fit(pool, pool[:, 0] > 0)
    pickled = pickle.dumps(learner)
    assert len(pickled) < 6 * pool.nbytes
    again = pickle.loads(pickled).set_params(budget=22)
    learner.set_params(budget=22)
    for one in (learner, again):
        rows = one.query(pool)
        one.teach(pool[rows], pool[rows, 0] > 0)
    assert state(learner) == state(again)


def test_components_without_a_label_come_first_the_largest_before():
    rng = np.random.RandomState(0)
    sizes = [5, 9, 6, 20]
    pool = rng.standard_normal((40, 2)) + 100 * np.repeat(np.arange(4), sizes)[:, None]
    part = np.repeat(np.arange(4), sizes)
    learner = ActiveLabelPropagationClassifier(
        n_neighbors=4, n_candidates=3, n_initial=2, batch_size=5, random_state=0
    )
    learner.query(pool, limit=0)
    learner.teach(pool[20:22], ["a", "b"])
    rows = learner.query(pool)
    assert part[rows[:3]].tolist() == [1, 2, 0]
    learner.teach(pool[rows], np.where(part[rows] % 2, "a", "b"))
    np.testing.assert_array_equal(learner.transduction_[part == 1], "a")
    np.testing.assert_array_equal(learner.transduction_[part == 2], "b")


def test_equal_rows_are_no_candidates_while_others_are_left():
    pool = np.repeat(X[:20], 3, axis=0)
    learner = ActiveLabelPropagationClassifier(
        n_neighbors=5, n_candidates=6, n_initial=4, batch_size=6, random_state=0
    )
    learner.query(pool, limit=0)
    learner.teach(pool[:12], np.tile(["a", "b"], 6))
    rows = learner.query(pool)
    assert len(np.unique(pool[rows], axis=0)) == 6
    rows = learner.set_params(batch_size=48, n_candidates=1).query(pool)
    assert len(rows) == 42
