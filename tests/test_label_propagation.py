"""Active label propagation: the harmonic function, what is bought, what is a node."""

import pickle
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import load_digits, make_moons
from sklearn.semi_supervised import LabelPropagation

from sklearn_activelearn import ActiveLabelPropagationClassifier
from sklearn_activelearn.pool._ledger import KeptPool
from sklearn_activelearn.pool.graph._graph import GraphClassifier
from sklearn_activelearn.pool.graph._harmonic import CANCELLED, HarmonicField
from tests.reference import label_propagation as reference
from tests.tools import frozen, problem, state

X, y = problem(60, 3, noise=0.3)
OTHERS = np.random.RandomState(1).standard_normal((60, 3))

KERNELS = [
    ("rbf", {"gamma": 0.1}, lambda X: reference.rbf_weights(X, 0.1)),
    ("knn", {"n_neighbors": 2}, lambda X: reference.knn_weights(X, 2)),
]
each_kernel = pytest.mark.parametrize(
    ("kernel", "params", "weights_of"), KERNELS, ids=["rbf", "knn"]
)


@st.composite
def graphs(draw, max_nodes=14):
    """Draw rows, the codes of some of them, and the number of classes."""
    n_nodes = draw(st.integers(3, max_nodes), label="n_nodes")
    n_classes = draw(st.integers(2, 4), label="n_classes")
    n_known = draw(st.integers(1, n_nodes - 1), label="n_known")
    rng = np.random.RandomState(draw(st.integers(0, 2**32 - 1), label="seed"))
    groups = rng.randint(3, size=(n_nodes, 1))
    rows = rng.standard_normal((n_nodes, 2)).clip(-2, 2) + 100 * groups
    nodes = rng.permutation(n_nodes)[:n_known]
    known = {int(i): int(rng.randint(n_classes)) for i in nodes}
    return rows, known, rng.dirichlet(np.ones(n_classes))


def field_of(weights, known, n_classes):
    return HarmonicField(
        weights, np.array(list(known)), np.eye(n_classes)[list(known.values())]
    )


@each_kernel
@given(drawn=graphs())
def test_harmonic_functions_and_risks_are_those_of_the_slow_twin(
    kernel, params, weights_of, drawn
):
    rows, known, prior = drawn
    W = weights_of(rows)
    weights = GraphClassifier(kernel, **params).connect(rows).weights()
    np.testing.assert_allclose(
        weights.toarray() if kernel == "knn" else weights, W, rtol=1e-9, atol=1e-99
    )
    field = field_of(weights, known, len(prior))
    assert field.free.tolist() == [i for i in range(len(rows)) if i not in known]
    expected = reference.harmonic(W, known, prior)
    f = field.probabilities(prior)
    np.testing.assert_allclose(f, expected[field.free], atol=1e-7)
    np.testing.assert_array_equal(
        field.is_lost, reference.is_lost(W, known)[field.free]
    )
    risk = field.expected_risk(f, np.arange(len(field.free)))
    twin = [reference.expected_risk(W, known, prior, k) for k in field.free]
    np.testing.assert_allclose(risk, twin, atol=1e-6)


@given(drawn=graphs())
def test_the_risk_of_two_classes_is_that_of_the_paper(drawn):
    rows, known, _ = drawn
    known = {i: code % 2 for i, code in known.items()}
    W = reference.rbf_weights(rows, 0.1)
    field = field_of(W, known, 2)
    f = field.probabilities([0.5, 0.5])[:, 1]
    for k, risk in enumerate(
        field.expected_risk(np.column_stack([1 - f, f]), np.arange(len(f)))
    ):
        share = field.green[:, k] / field.green[k, k]
        zero, one = f - f[k] * share, f + (1 - f[k]) * share
        expected = (1 - f[k]) * np.minimum(zero, 1 - zero).sum()
        expected += f[k] * np.minimum(one, 1 - one).sum()
        np.testing.assert_allclose(risk, expected, atol=1e-9)


@each_kernel
@given(drawn=graphs(max_nodes=30), data=st.data())
def test_clamping_one_by_one_is_clamping_at_once(
    kernel, params, weights_of, drawn, data
):
    rows, known, prior = drawn
    W = GraphClassifier(kernel, **params).connect(rows).weights()
    n_first = data.draw(st.integers(1, len(known)))
    first = dict(list(known.items())[:n_first])
    field = field_of(W, first, len(prior))
    for node, code in list(known.items())[n_first:]:
        field = field.clamped(node, np.eye(len(prior))[code])
    at_once = field_of(W, known, len(prior))
    np.testing.assert_array_equal(field.free, at_once.free)
    np.testing.assert_allclose(
        field.probabilities(prior), at_once.probabilities(prior), atol=1e-7
    )
    scale = np.sqrt(np.outer(*2 * [np.diag(at_once.green)]))
    np.testing.assert_allclose(field.green / scale, at_once.green / scale, atol=1e-6)


@pytest.mark.parametrize("kernel", ["knn", "rbf"])
def test_hundreds_of_labels_do_not_drift(kernel):
    X, y = load_digits(n_class=3, return_X_y=True)
    certain = np.eye(3)[y]
    W = GraphClassifier(kernel).connect(X).weights()
    order = np.random.RandomState(0).permutation(len(y))
    field = HarmonicField(W, order[:5], certain[order[:5]])
    for node in order[5:400]:
        field = field.clamped(node, certain[node])
    expected = HarmonicField(W, order[:400], certain[order[:400]])
    np.testing.assert_allclose(field.reached, expected.reached, atol=1e-11)
    scale = np.sqrt(np.outer(*2 * [np.diag(expected.green)]))
    # what a label may cancel before all is solved again
    atol = 10 * np.finfo(float).eps / CANCELLED
    np.testing.assert_allclose(field.green / scale, expected.green / scale, atol=atol)


def test_a_label_where_there_was_none_is_as_exact_as_any():
    groups = np.repeat([0.0, 1e3, 2e3], 20)[:, None] + OTHERS[:60, :1]
    W = GraphClassifier("rbf", gamma=0.5).connect(groups).weights()
    field = HarmonicField(W, np.array([0]), np.array([[1.0, 0.0]]))
    assert np.count_nonzero(field.is_lost) == 40
    for node in (25, 50):
        field = field.clamped(node, [0.0, 1.0])
        at_once = HarmonicField(W, field.nodes, field.distributions)
        hot = ~field.is_lost
        size = np.diag(at_once.green)[hot]
        error = (field.green - at_once.green)[np.ix_(hot, hot)]
        assert np.all(np.abs(error) < 1e-9 * np.sqrt(np.outer(size, size)))
    assert not field.is_lost.any()
    np.testing.assert_allclose(field.reached.sum(axis=1), 1, atol=1e-7)


@pytest.mark.parametrize("bridge", [1e-3, 1e-8, 1e-14, 1e-60, 1e-99, 0.0])
@pytest.mark.parametrize("scale", [1e-90, 1.0, 1e90])
def test_weights_of_all_sizes(bridge, scale):
    ring = np.roll(np.eye(8), 1, axis=0) + np.roll(np.eye(8), -1, axis=0)
    W = np.zeros((17, 17))  # two rings with a bridge, and a node by itself
    W[:8, :8] = ring
    W[8:16, 8:16] = ring * 1e-6
    W[0, 8] = W[8, 0] = bridge * 1e-6
    field = HarmonicField(W * scale, np.array([4]), np.array([[1.0, 0.0]]))
    f = field.probabilities([0.3, 0.7])
    np.testing.assert_allclose(f.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(f[:7, 0], 1, atol=1e-6)
    behind = 1.0 if bridge >= 1e-8 else 0.3
    np.testing.assert_allclose(f[7:15, 0], behind, atol=0.1)
    np.testing.assert_allclose(f[15], [0.3, 0.7])
    assert np.isfinite(field.expected_risk(f, np.arange(16))).all()
    both = field.clamped(12, [0.0, 1.0])
    expected = HarmonicField(W * scale, np.array([4, 12]), np.eye(2))
    np.testing.assert_allclose(both.reached, expected.reached, atol=1e-6)


@pytest.mark.parametrize("scale", [1e200, 1e154 / np.abs(X).max()])
def test_distances_that_overflow_are_an_error(scale):
    for kernel in ("knn", "rbf"):
        learner = ActiveLabelPropagationClassifier(kernel)
        with pytest.raises(ValueError, match=r"overflow\. Scale the features"):
            learner.query(scale * X)
        assert vars(learner) == learner.get_params()


@pytest.mark.parametrize("kernel", ["knn", "rbf"])
@pytest.mark.parametrize("n_features", [3, 30])
def test_distances_that_just_do_not_overflow(kernel, n_features):
    rows = np.sign(np.random.RandomState(1).standard_normal((60, n_features)))
    rows[:, 1] *= np.arange(60)
    learner, large = (
        ActiveLabelPropagationClassifier(kernel, budget=15, random_state=0).fit(
            rows * scale, y
        )
        for scale in (1, 2.0**503)
    )
    assert learner.queried_indices_.tolist() == large.queried_indices_.tolist()
    np.testing.assert_array_equal(learner.transduction_, large.transduction_)


@pytest.mark.parametrize("kernel", ["knn", "rbf"])
@pytest.mark.parametrize("n_features", [3, 30])
def test_an_offset_costs_no_digits(kernel, n_features):
    rows = np.random.RandomState(1).standard_normal((60, n_features)).round(3)
    learner, far = (
        ActiveLabelPropagationClassifier(kernel, budget=20, random_state=0).fit(
            rows + offset, y
        )
        for offset in (0, 2.0**30)
    )
    assert learner.queried_indices_.tolist() == far.queried_indices_.tolist()
    for one, other in (
        (learner.label_distributions_, far.label_distributions_),
        (learner.predict_proba(rows), far.predict_proba(rows + 2.0**30)),
    ):
        np.testing.assert_allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("scale", [1e-155, 1e-160, 1e-170, 1.0])
@pytest.mark.parametrize("gamma", [None, 1e-300, 1e308])
def test_probabilities_are_finite_for_all_widths(scale, gamma):
    learner = ActiveLabelPropagationClassifier("rbf", gamma=gamma, random_state=0)
    learner.set_params(budget=12).fit(scale * X, y)
    assert np.isfinite(learner.estimator_.gamma_)
    for probabilities in (
        learner.label_distributions_,
        learner.predict_proba(1e3 * scale * X),
    ):
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_the_model_alone_is_a_classifier():
    graph = GraphClassifier(n_neighbors=1).fit(X, y)
    assert graph.score(X, y) == 1


def test_categories_have_no_distances():
    frame = pd.DataFrame({"colour": pd.Categorical(["red", "blue"] * 30)})
    with pytest.raises(TypeError, match="categories"):
        ActiveLabelPropagationClassifier().query(frame)


@each_kernel
@pytest.mark.parametrize("n_classes", [2, 3])
@given(seed=st.integers(0, 99))
def test_purchases_are_those_of_the_slow_twin(
    kernel, params, weights_of, n_classes, seed
):
    rng = np.random.RandomState(seed)
    rows = rng.standard_normal((10, 2)) + 4 * rng.randint(2, size=(10, 1))
    codes = (np.arange(10) + rng.randint(2, size=10)) % n_classes
    learner = ActiveLabelPropagationClassifier(
        kernel, **params, n_initial=4, budget=7, random_state=seed
    ).fit(rows, codes)
    W, bought = weights_of(rows), learner.queried_indices_.tolist()
    for n in range(4, 7):
        known = {i: codes[i] for i in bought[:n]}
        if len(set(known.values())) == 1:
            continue
        prior = np.bincount(codes[bought[:n]], minlength=n_classes) / n
        left = [i for i in range(10) if i not in known]
        assert bought[n] in reference.best_candidates(W, known, prior, left, 1e-5)


@each_kernel
def test_probabilities_of_all_rows_are_those_of_the_slow_twin(
    kernel, params, weights_of
):
    learner = ActiveLabelPropagationClassifier(
        kernel, **params, budget=15, random_state=0
    ).fit(X, y)
    codes = np.searchsorted(learner.classes_, y)
    known = {i: codes[i] for i in learner.queried_indices_}
    prior = np.bincount(list(known.values())) / 15
    expected = reference.harmonic(weights_of(X), known, prior)
    np.testing.assert_allclose(learner.label_distributions_, expected, atol=1e-7)
    bought = learner.queried_indices_
    np.testing.assert_array_equal(learner.transduction_[bought], y[bought])

    new = OTHERS[:9]
    distances = ((new[:, None] - X) ** 2).sum(axis=2)
    around = np.exp(-0.1 * distances)
    if kernel == "knn":
        around = distances <= np.sort(distances, axis=1)[:, [1]]
    average = [reference.average(weights, expected) for weights in around]
    np.testing.assert_allclose(learner.predict_proba(new), average, atol=1e-7)


def test_predictions_are_made_as_scikit_learn_makes_them():
    learner = ActiveLabelPropagationClassifier(
        "rbf", gamma=0.7, budget=20, random_state=0
    ).fit(X, y)
    codes = np.full(60, -1)
    codes[learner.queried_indices_] = y[learner.queried_indices_] == "yes"
    peer = LabelPropagation("rbf", gamma=0.7, tol=1e-12, max_iter=100_000)
    peer.fit(X, codes)
    np.testing.assert_allclose(
        learner.label_distributions_, peer.label_distributions_, atol=1e-6
    )
    new = OTHERS[:9]
    np.testing.assert_allclose(
        learner.predict_proba(new), peer.predict_proba(new), atol=1e-6
    )


def test_a_row_far_away_has_the_class_of_the_nearest():
    learner = ActiveLabelPropagationClassifier("rbf", random_state=0).fit(X, y)
    far = np.array([[1e4, 0.0, 0.0], [-1e4, 0.0, 0.0]])
    assert learner.predict(far).tolist() == ["yes", "no"]


def test_parts_without_a_label_come_first():
    groups = 100.0 * np.arange(12)[:, None] + OTHERS[:20].reshape(12, 5)
    pool, labels = groups.reshape(-1, 1), np.repeat(np.arange(12) % 2, 5)
    learner = ActiveLabelPropagationClassifier(
        n_neighbors=3, n_initial=3, budget=12, random_state=0
    ).fit(pool, labels)
    assert len(set(learner.queried_indices_[3:] // 5)) == 9
    labelled = learner.queried_indices_ // 5
    seen = np.isin(np.arange(60) // 5, labelled)
    np.testing.assert_array_equal(learner.transduction_[seen], labels[seen])
    shares = np.bincount(labels[learner.queried_indices_]) / 12
    for distribution in learner.label_distributions_[~seen]:
        np.testing.assert_allclose(distribution, shares, atol=1e-7)


def test_a_batch_does_not_ask_the_same_thing_twice():
    pool, labels = make_moons(200, noise=0.05, random_state=0)
    pool = np.vstack([pool + np.array([shift, 0]) for shift in (0, 10, 20, 30)])
    learner = ActiveLabelPropagationClassifier(
        n_initial=5, batch_size=6, random_state=0
    )
    learner.teach(pool[:5], labels[:5])
    rows = learner.query(pool, candidates=np.arange(5, 800))
    assert {1, 2, 3} <= set(rows // 200)


@each_kernel
@given(seed=st.integers(0, 99))
def test_batches_are_those_of_the_slow_twin(kernel, params, weights_of, seed):
    rng = np.random.RandomState(seed)
    rows = rng.standard_normal((10, 2)) + 4 * rng.randint(2, size=(10, 1))
    learner = ActiveLabelPropagationClassifier(
        kernel, **params, n_initial=4, batch_size=3, random_state=seed
    )
    first = learner.query(rows)
    learner.teach(rows[first], [0, 1, 2, 1])
    W, prior = weights_of(rows), np.array([1, 2, 1]) / 4
    known = dict(zip(first.tolist(), [0, 1, 2, 1], strict=True))
    left = [i for i in range(10) if i not in known]
    for row in learner.query(rows, candidates=left).tolist():
        assert row in reference.best_candidates(W, known, prior, left, 1e-5)
        known[row] = reference.harmonic(W, known, prior)[row]
        left.remove(row)


@pytest.mark.parametrize("batch_size", [1, 3])
def test_a_query_clamps_no_row_in_vain(batch_size):
    learner = ActiveLabelPropagationClassifier(batch_size=batch_size, random_state=0)
    learner.teach(X[:10], y[:10])
    learner.query(X, candidates=np.arange(10, 60), limit=1)
    with mock.patch.object(
        HarmonicField, "clamped", autospec=True, side_effect=HarmonicField.clamped
    ) as clamped:
        assert len(learner.query(X, candidates=np.arange(10, 60))) == batch_size
    assert clamped.call_count == batch_size - 1


def test_rows_from_elsewhere_are_nodes():
    half = np.arange(30)
    other = ActiveLabelPropagationClassifier(n_neighbors=4, random_state=0)
    other.teach(X[half], y[half])
    assert other.label_distributions_.shape == (0, 2)
    row = other.query(X[30:], limit=1)
    whole = ActiveLabelPropagationClassifier(n_neighbors=4, random_state=0)
    whole.teach(X[half], y[half])
    assert whole.query(X, candidates=np.arange(30, 60), limit=1) == 30 + row
    for learner, pool in ((other, X[30:]), (whole, X)):
        learner.teach(X[30 + row], y[30 + row])
        assert learner.label_distributions_.shape == (len(pool), 2)
    np.testing.assert_allclose(
        whole.label_distributions_[30:], other.label_distributions_, atol=1e-9
    )
    np.testing.assert_array_equal(whole.transduction_[half], y[half])
    np.testing.assert_allclose(
        whole.predict_proba(X), other.predict_proba(X), atol=1e-9
    )


def test_rows_that_may_not_be_bought_are_nodes_too():
    learner = ActiveLabelPropagationClassifier(random_state=0)
    learner.teach(X[:10], y[:10])
    rows = learner.query(X, candidates=[50, 51, 52], limit=2)
    assert set(rows) < {50, 51, 52}
    learner.teach(X[rows], y[rows])
    assert learner.label_distributions_.shape == (60, 2)
    np.testing.assert_array_equal(learner.transduction_[:10], y[:10])


def test_equal_rows_may_have_different_labels():
    pool = np.repeat(X[:10], 2, axis=0)
    labels = np.tile(["a", "b"], 10)
    learner = ActiveLabelPropagationClassifier(
        n_neighbors=3, budget=None, random_state=0
    ).fit(pool, labels)
    np.testing.assert_array_equal(learner.transduction_, labels)
    assert learner._pool.places.tolist() == learner.queried_indices_.tolist()


def test_a_pickle_is_small_and_goes_on_to_the_bit():
    pool = np.random.RandomState(1).standard_normal((300, 2))
    labels = pool[:, 0] > 0
    learner = ActiveLabelPropagationClassifier("rbf", budget=40, random_state=0)
    learner.fit(pool, labels)
    pickled = pickle.dumps(learner)
    field = learner._trained.memory.field
    assert len(pickled) < 50_000 < field.green.nbytes
    again = pickle.loads(pickled)._trained.memory.field
    assert frozen(again.green) == frozen(field.green)
    assert frozen(again.reached) == frozen(field.reached)


def test_another_kernel_is_taken_over():
    learner = ActiveLabelPropagationClassifier(budget=12, random_state=0).fit(X, y)
    learner.set_params(kernel="rbf", gamma=0.5, budget=13)
    left = np.setdiff1d(np.arange(60), learner.queried_indices_)
    row = learner.query(X, candidates=left)
    learner.teach(X[row], y[row])
    expected = ActiveLabelPropagationClassifier("rbf", gamma=0.5)
    bought = np.append(learner.queried_indices_, row)
    expected.query(X, limit=0)
    expected.teach(X[bought], y[bought])
    np.testing.assert_allclose(
        learner.label_distributions_, expected.label_distributions_, atol=1e-9
    )
    np.testing.assert_allclose(
        learner.predict_proba(X + 0.1), expected.predict_proba(X + 0.1), atol=1e-9
    )


def test_classes_may_grow_late():
    learner = ActiveLabelPropagationClassifier(n_initial=4, random_state=0)
    rows = learner.query(X)
    learner.teach(X[rows], np.array(["b", "d", "b", "d"]))
    for label in ("c", "a", "b"):
        left = np.setdiff1d(np.arange(60), learner._pool.places)
        row = learner.query(X, candidates=left)
        learner.teach(X[row], [label])
    assert learner.label_distributions_.shape == (60, 4)
    np.testing.assert_allclose(learner.label_distributions_.sum(axis=1), 1)
    assert learner.transduction_[learner._pool.places].tolist() == list("bdbdcab")


def test_a_pool_of_which_no_row_was_bought_has_the_classes_it_was_told():
    learner = ActiveLabelPropagationClassifier(n_initial=4, budget=4, random_state=0)
    rows = learner.query(X)
    learner.teach(X[rows], np.array(["b", "d", "b", "d"]))
    before = learner.label_distributions_
    learner.teach(X[:0], np.array([], dtype="<U1"), classes=["a", "b", "c", "d"])
    assert learner.transduction_[rows].tolist() == ["b", "d", "b", "d"]
    np.testing.assert_array_equal(learner.label_distributions_[:, [1, 3]], before)
    np.testing.assert_array_equal(learner.label_distributions_[:, [0, 2]], 0)


def test_labels_of_one_class():
    learner = ActiveLabelPropagationClassifier(n_initial=4, random_state=0)
    assert not hasattr(learner, "transduction_")
    rows = learner.query(X)
    learner.teach(X[rows], ["b"] * 4)
    assert learner.transduction_.tolist() == learner.predict(X).tolist() == ["b"] * 60
    labels = np.array(["a"] + ["b"] * 59)
    learner.set_params(budget=3).fit(X, labels)
    np.testing.assert_array_equal(learner.label_distributions_, [[0, 1]] * 60)


@pytest.fixture
def taught():
    """Return a learner with six labels of two classes, four short of its first ones."""
    learner = ActiveLabelPropagationClassifier(random_state=0)
    learner.query(X, limit=0)
    return learner.teach(X[:6], ["a", "b", "a", "b", "a", "b"])


CHANGES = {
    "rows without a label": lambda learner: learner.query(
        np.vstack([X[:6], X[6:50] + 0.5, X[50:]]),
        candidates=np.delete(np.arange(60), [0, 1, 2, 3, 4, 5, 50]),
        limit=0,
    ),
    "last class": lambda learner: learner.teach(X[6:10], ["z"] * 4),
    "kernel": lambda learner: learner.set_params(kernel="rbf"),
    "one more first label": lambda learner: learner.teach(X[6:7], ["a"]),
    "offered again": lambda learner: learner.query(X, limit=0),
    "fewer first labels": lambda learner: learner.set_params(n_initial=3),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("n_initial", [1, 10])
def test_what_it_builds_on_makes_no_difference(taught, change, n_initial):
    taught.set_params(n_initial=n_initial).teach(X[50:51], ["a"])
    other = pickle.loads(pickle.dumps(taught))
    other._trained = other._trained._replace(memory=None)
    for learner in (taught, other):
        change(learner)
        learner.teach(X[52:54], ["b", "a"])
    assert state(taught) == state(other)


@pytest.mark.parametrize("kernel", ["knn", "rbf"])
def test_rows_taught_unasked_take_their_places(kernel):
    unasked, left_out = (
        ActiveLabelPropagationClassifier(kernel, random_state=0) for _ in range(2)
    )
    rows = np.arange(30, 50)
    unasked.query(X, limit=0)
    left_out.query(X, candidates=np.delete(np.arange(60), rows), limit=0)
    for learner in (unasked, left_out):
        learner.teach(X[rows], y[rows])
        assert learner._pool.places.tolist() == rows.tolist()
        np.testing.assert_array_equal(learner.transduction_[rows], y[rows])
        assert learner.estimator_.X_.shape == (60, 3)
    assert state(unasked)["_pool"] == state(left_out)["_pool"]


def test_of_equal_rows_those_that_may_not_be_bought_take_the_first_labels():
    pool = np.repeat(X[:20], 2, axis=0)
    learner = ActiveLabelPropagationClassifier(n_neighbors=3, random_state=0)
    learner.query(pool, candidates=np.arange(0, 40, 2), limit=0)
    learner.teach(pool[[6, 6]], ["a", "b"])
    assert learner.transduction_[[7, 6]].tolist() == ["a", "b"]


def test_late_labels_of_a_pool_that_has_shrunk():
    learner = ActiveLabelPropagationClassifier(random_state=0)
    rows = learner.query(X)
    learner.teach(X[rows[:6]], y[rows[:6]])
    left = np.setdiff1d(np.arange(60), rows[:6])
    learner.query(X[left])
    learner.teach(X[rows[6:]], y[rows[6:]])
    places = np.searchsorted(left, rows[6:])
    assert learner._pool.places.tolist() == [-1] * 6 + places.tolist()
    np.testing.assert_array_equal(learner.transduction_[places], y[rows[6:]])


def test_labels_move_with_their_rows():
    learner = ActiveLabelPropagationClassifier(budget=15, random_state=0).fit(X, y)
    bought = learner.queried_indices_
    grown = np.vstack([OTHERS[:40], X])
    left = np.setdiff1d(np.arange(100), 40 + bought)
    learner.set_params(budget=16)
    row = learner.query(grown, candidates=left)
    learner.teach(grown[row], ["no"])
    assert learner._pool.places.tolist() == [*(40 + bought), *row]
    assert learner.transduction_.shape == (100,)
    np.testing.assert_array_equal(learner.transduction_[40 + bought], y[bought])


def test_a_row_taught_again_is_one_more():
    learner = ActiveLabelPropagationClassifier(random_state=0)
    rows = learner.query(X)
    learner.teach(X[rows], y[rows]).teach(X[rows[:1]], ["maybe"])
    assert learner._pool.places.tolist() == [*rows, -1]
    assert learner.transduction_[rows[0]] == y[rows[0]]
    learner.query(X, limit=0)  # labelled rows are not offered again
    assert learner._pool.places.tolist() == [*rows, -1]
    learner.teach(X[rows[1:2]], ["maybe"])
    assert learner.estimator_.X_.shape == (62, 3)
    assert learner.transduction_[rows[1]] == y[rows[1]]


@pytest.mark.parametrize("verb", ["learn", "partial_fit"])
def test_an_interrupt_in_a_new_pool_changes_nothing(verb):
    learner = ActiveLabelPropagationClassifier(budget=15, random_state=0).fit(X, y)
    grown = np.vstack([OTHERS[:40], X])
    answers = np.append(np.resize(["no", "yes"], 40), y)
    argument = answers if verb == "partial_fit" else answers.__getitem__
    other = pickle.loads(pickle.dumps(learner.set_params(budget=20)))
    before = state(learner)
    with (
        mock.patch.object(KeptPool, "offer", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        getattr(learner, verb)(grown, argument)
    assert state(learner) == before
    for one in (learner, other):
        getattr(one, verb)(grown, argument)
    assert state(learner) == state(other)


@pytest.mark.parametrize("kernel", ["knn", "rbf"])
def test_threads_and_containers_make_no_difference(kernel):
    params = {"kernel": kernel, "budget": 25, "random_state": 0}
    learner = ActiveLabelPropagationClassifier(**params).fit(X, y)
    for rows, n_jobs in ((X, 2), (csr_array(X), None)):
        other = ActiveLabelPropagationClassifier(n_jobs=n_jobs, **params).fit(rows, y)
        np.testing.assert_array_equal(other.queried_indices_, learner.queried_indices_)
