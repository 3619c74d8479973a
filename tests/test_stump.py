"""The decision stump and the sorted columns it is trained on."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_activelearn import DecisionStumpClassifier
from tests.learners import seldom
from tests.reference.stump import stump as exhaustive
from tests.tools import frozen, streams, with_int64_indices

#: Weights with many ties, and without.
WEIGHTS = st.sampled_from(["none", "equal", "some zero", "fractions", "far apart"])
CONTAINERS = {
    "presorted": lambda X: DecisionStumpClassifier().presort(X),
    "presorted csr": lambda X: DecisionStumpClassifier().presort(csr_array(X)),
    "csr": csr_array, "csr matrix": csr_matrix,
    "csr64": lambda X: with_int64_indices(csr_array(X)), "csc": csc_array,
    "coo": coo_array, "fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "csr float32": lambda X: csr_array(X.astype(np.float32)),
    "integers": lambda X: X.astype(int), "list": np.ndarray.tolist,
    "frame": pd.DataFrame,
}  # fmt: skip


def weights_of(kind, n_rows, seed):
    """Return as many weights of that kind."""
    rng = np.random.RandomState(seed)
    return {
        "none": None,
        "equal": np.full(n_rows, 0.1),
        "some zero": np.append(1.0, rng.randint(0, 3, n_rows - 1)),
        "fractions": rng.uniform(size=n_rows),
        "far apart": np.exp(rng.uniform(-30, 30, n_rows)),
    }[kind]


def known(stump):
    """Return all that a stump has learned, comparable bit for bit."""
    return frozen({k: v for k, v in vars(stump).items() if k != "feature_names_in_"})


def impurity(stump, X, y, w):
    """Return the mean Gini impurity of a stump's two sides."""
    out = 0
    beyond = X[:, stump.feature_] > stump.threshold_
    for side in (beyond, ~beyond):
        sums = np.array([w[side & (y == label)].sum() for label in np.unique(y)])
        out += sums.sum() - (sums**2).sum() / sums.sum() if sums.any() else 0
    return out / w.sum()


@pytest.mark.parametrize("values", [1, 3, 9999])
@given(stream=streams(zeros=0.3), kind=WEIGHTS, seed=st.integers(0, 99))
def test_it_is_the_best_of_all_splits(values, stream, kind, seed):
    X, y = stream
    X = X * values / 3
    weights = weights_of(kind, len(y), seed)
    w = np.ones(len(y)) if weights is None else weights
    stump = DecisionStumpClassifier().fit(X, y, weights)
    pure = DecisionStumpClassifier("gini").fit(X, y, weights)
    feature, threshold, sides, error = exhaustive(X, y, w)
    assert stump.error_ == pytest.approx(error, abs=1e-12)
    for each in (stump, pure):
        missed = w[each.predict(X) != y].sum() / w.sum()
        assert each.error_ == pytest.approx(missed, abs=1e-9)
    if kind in ("none", "equal", "some zero"):  # no rounding: also among equals
        assert (stump.feature_, stump.threshold_) == (feature, threshold)
        on_sides = stump.classes_[stump.side_probabilities_.argmax(axis=1)]
        assert on_sides.tolist() == list(sides)
    *_, least = exhaustive(X, y, w, "gini")
    assert impurity(pure, X, y, w) == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("criterion", ["error", "gini"])
@pytest.mark.parametrize("convert", CONTAINERS.values(), ids=CONTAINERS)
@seldom
@given(stream=streams(zeros=0.5), kind=WEIGHTS)
def test_the_container_and_the_order_decide_nothing(convert, criterion, stream, kind):
    X, y = stream
    weights = weights_of(kind, len(y), 0)
    stump = DecisionStumpClassifier(criterion).fit(X, y, weights)
    other = DecisionStumpClassifier(criterion).fit(convert(X), y, weights)
    assert known(other) == known(stump)
    np.testing.assert_array_equal(other.predict(convert(X)), stump.predict(X))
    np.testing.assert_array_equal(stump.predict(convert(X)), stump.predict(X))

    order = np.random.RandomState(0).permutation(len(y))
    shuffled = None if weights is None else weights[order]
    again = DecisionStumpClassifier(criterion)
    again.fit(convert(X[order]), y[order], shuffled)
    assert known(again) == known(stump)


@given(stream=streams(zeros=0.5), kind=WEIGHTS, seed=st.integers(0, 99))
def test_some_of_the_presorted_rows(stream, kind, seed):
    X, y = stream
    rng = np.random.RandomState(seed)
    rows = rng.permutation(len(y))[: rng.randint(1, len(y) + 1)]
    weights = weights_of(kind, len(rows), seed)
    some = DecisionStumpClassifier().presort(X)[rows]
    assert some.shape == X[rows].shape
    expected = DecisionStumpClassifier().fit(X[rows], y[rows], weights)
    stump = DecisionStumpClassifier().fit(some, y[rows], weights)
    assert known(stump) == known(expected)
    probabilities = expected.predict_proba(X[rows])
    np.testing.assert_array_equal(stump.predict_proba(some), probabilities)
    fewer = some[: len(rows) // 2 + 1]
    np.testing.assert_array_equal(
        stump.predict(fewer), expected.predict(X[rows])[: len(rows) // 2 + 1]
    )


@pytest.mark.parametrize("criterion", ["error", "gini"])
@given(stream=streams(zeros=0.3), seed=st.integers(0, 99))
def test_a_weight_is_a_number_of_rows(criterion, stream, seed):
    X, y = stream
    n_times = np.append([1, 1], np.random.RandomState(seed).randint(0, 4, len(y) - 2))
    rows = np.repeat(np.arange(len(y)), n_times)
    weighted = DecisionStumpClassifier(criterion).fit(X, y, n_times)
    repeated = DecisionStumpClassifier(criterion).fit(X[rows], y[rows])
    assert weighted.feature_ == repeated.feature_
    assert weighted.threshold_ == repeated.threshold_
    assert weighted.error_ == repeated.error_


@pytest.mark.parametrize("criterion", ["error", "gini"])
@pytest.mark.parametrize(
    ("values", "threshold"),
    [([-1, 0, 2], 0.5), ([1, 2, 4], 2.5), ([-4, -2, -1], -2.5), ([0, 1, 2], 1)],
)
def test_a_row_without_weight_moves_no_threshold(values, threshold, criterion):
    stump, X = DecisionStumpClassifier(criterion), np.array(values, dtype=float)
    X = X.reshape(3, 1)
    for rows in (X, stump.presort(X)):
        for y in ([0, 1, 1], [0, 0, 1], [1, 1, 0]):
            assert stump.fit(rows, y, [1, 0, 1]).threshold_ == threshold


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 3.0, 1e300])
def test_the_scale_of_the_weights_does_not_matter(scale):
    rng = np.random.RandomState(0)
    X, y, weights = rng.randn(50, 3), rng.randint(0, 3, 50), rng.uniform(size=50)
    stump = DecisionStumpClassifier().fit(X, y, weights)
    scaled = DecisionStumpClassifier().fit(X, y, weights * scale)
    assert scaled.threshold_ == stump.threshold_
    assert scaled.error_ == pytest.approx(stump.error_, abs=1e-12)


@pytest.mark.parametrize("criterion", ["error", "gini"])
def test_no_split_where_none_is_better(criterion):
    X, y = np.array([[0.0], [1.0], [0.0], [1.0]]), np.array(["a", "a", "b", "b"])
    stump = DecisionStumpClassifier(criterion).fit(X, y)
    assert stump.threshold_ == np.inf
    assert stump.error_ == 0.5
    assert stump.predict(X).tolist() == ["a"] * 4
    np.testing.assert_array_equal(stump.predict_proba(X), np.full((4, 2), 0.5))
    one_class = DecisionStumpClassifier().fit(X, ["a"] * 4)
    assert one_class.predict(X).tolist() == ["a"] * 4


def test_a_threshold_lies_between_neighbours():
    low = 1.0
    high = np.nextafter(low, 2)
    X = np.array([[low], [high], [-low], [-high]])
    y = np.array([0, 1, 1, 0])
    for rows in ([0, 1], [2, 3]):
        stump = DecisionStumpClassifier().fit(X[rows], y[rows])
        assert stump.error_ == 0
        assert stump.predict(X[rows]).tolist() == y[rows].tolist()
    huge = np.array([[-1.7e308], [1.7e308]])
    assert DecisionStumpClassifier().fit(huge, [0, 1]).threshold_ == 0


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0, 1.0], "shape"),
        ([1.0, -1.0, 1.0], r"sample_weight\[1\] is -1.0"),
        ([0.0, 0.0, 0.0], "sums to 0.0"),
        ([1e308, 1e308, 1e308], "sums to inf"),
        ([1.0, np.nan, 1.0], "NaN"),
        ([1.0, np.inf, 1.0], "infinity"),
    ],
)
@pytest.mark.parametrize("presorted", [False, True])
@pytest.mark.filterwarnings("ignore:overflow")
def test_bad_weights(weights, words, presorted):
    X = np.eye(3)
    rows = DecisionStumpClassifier().presort(X) if presorted else X
    with pytest.raises(ValueError, match=words):
        DecisionStumpClassifier().fit(rows, [0, 1, 1], weights)


@parametrize_with_checks([DecisionStumpClassifier()])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("is_sorted", [False, True], ids=["raw", "presorted"])
def test_a_threshold_divides_neighbours_of_single_precision(is_sorted):
    X = np.array([[16777218], [16777220], [16777222]], dtype=np.float32)
    stump = DecisionStumpClassifier()
    rows = stump.presort(X) if is_sorted else X
    assert stump.fit(rows, [0, 1, 1]).predict(rows).tolist() == [0, 1, 1]
    assert stump.predict(X.astype(float)).tolist() == [0, 1, 1]


def test_presorted_rows_are_checked_like_others():
    stump = DecisionStumpClassifier()
    rows = stump.presort(np.arange(12.0).reshape(4, 3))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        stump.fit(rows, [0, 1, 1])
    with pytest.raises(TypeError, match=r"Singleton array|at least 1 dimension"):
        stump.fit(rows, np.array(1))
    with pytest.raises(ValueError, match="1d array"):
        stump.fit(rows, np.eye(4))
    with pytest.raises(ValueError, match="minimum of 1"):
        stump.fit(rows[[]], [])
    stump.fit(rows, [0, 1, 1, 1])
    with pytest.raises(ValueError, match="2 features"):
        stump.predict(stump.presort(np.ones((4, 2))))
