"""Active label propagation: the harmonic function, what is bought, what is a node."""

import pickle
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from sklearn_activelearn import ActiveLabelPropagationClassifier
from sklearn_activelearn.pool._ledger import KeptPool
from sklearn_activelearn.pool.graph._graph import GraphClassifier
from sklearn_activelearn.pool.graph._harmonic import CANCELLED, HarmonicField
from tests.learners import seldom
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
    X, y = (part[:300] for part in load_digits(n_class=3, return_X_y=True))
    certain = np.eye(3)[y]
    W = GraphClassifier(kernel).connect(X).weights()
    order = np.random.RandomState(0).permutation(len(y))
    field = HarmonicField(W, order[:5], certain[order[:5]])
    for node in order[5:200]:
        field = field.clamped(node, certain[node])
    expected = HarmonicField(W, order[:200], certain[order[:200]])
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


def test_categories_have_no_distances():
    frame = pd.DataFrame({"colour": pd.Categorical(["red", "blue"] * 30)})
    with pytest.raises(TypeError, match="categories"):
        ActiveLabelPropagationClassifier().query(frame)


@each_kernel
@seldom
@given(seed=st.integers(0, 99), n_classes=st.integers(2, 3))
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


def test_a_row_far_away_has_the_class_of_the_nearest():
    learner = ActiveLabelPropagationClassifier("rbf", random_state=0).fit(X, y)
    far = np.array([[1e4, 0.0, 0.0], [-1e4, 0.0, 0.0]])
    assert learner.predict(far).tolist() == ["yes", "no"]


@each_kernel
@seldom
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


def test_a_pickle_is_small_and_goes_on_to_the_bit():
    pool = np.random.RandomState(1).standard_normal((300, 2))
    labels = pool[:, 0] > 0
    learner = ActiveLabelPropagationClassifier("rbf", budget=40, random_state=0)
    learner.fit(pool, labels)
    pickled = pickle.dumps(learner)
    field = learner._state.trained.memory.field
    assert len(pickled) < 50_000 < field.green.nbytes
    again = pickle.loads(pickled)._state.trained.memory.field
    assert frozen(again.green) == frozen(field.green)
    assert frozen(again.reached) == frozen(field.reached)


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
    trained = other._state.trained._replace(memory=None)
    other._state = other._state._replace(trained=trained)
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
        assert learner._state.pool.places.tolist() == rows.tolist()
        np.testing.assert_array_equal(learner.transduction_[rows], y[rows])
        assert learner.estimator_.X_.shape == (60, 3)
    pools = [frozen(each._state.pool) for each in (unasked, left_out)]
    assert pools[0] == pools[1]


def test_labels_move_with_their_rows():
    learner = ActiveLabelPropagationClassifier(budget=15, random_state=0).fit(X, y)
    bought = learner.queried_indices_
    grown = np.vstack([OTHERS[:40], X])
    left = np.setdiff1d(np.arange(100), 40 + bought)
    learner.set_params(budget=16)
    row = learner.query(grown, candidates=left)
    learner.teach(grown[row], ["no"])
    assert learner._state.pool.places.tolist() == [*(40 + bought), *row]
    assert learner.transduction_.shape == (100,)
    np.testing.assert_array_equal(learner.transduction_[40 + bought], y[bought])


def test_a_row_taught_again_is_one_more():
    learner = ActiveLabelPropagationClassifier(random_state=0)
    rows = learner.query(X)
    learner.teach(X[rows], y[rows]).teach(X[rows[:1]], ["maybe"])
    assert learner._state.pool.places.tolist() == [*rows, -1]
    assert learner.transduction_[rows[0]] == y[rows[0]]
    learner.query(X, limit=0)  # labelled rows are not offered again
    assert learner._state.pool.places.tolist() == [*rows, -1]
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
