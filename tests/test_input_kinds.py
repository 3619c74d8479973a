"""Rows and labels in every shape they come in, and numbers at the edge of double."""

from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csc_matrix, csr_array, csr_matrix

from sklearn_activelearn import CBGZClassifier, RandomSamplingClassifier
from tests.learners import (
    STREAM_DEFAULTS,
    each,
    each_linear_stream_learner,
    each_stream_default,
    ways_in,
)
from tests.tools import RecordingOracle, fresh, frozen, state

X = np.random.RandomState(0).randint(-9, 10, size=(80, 4)).astype(float)
noise = np.random.RandomState(1).standard_normal(80)
y = (X @ [1.0, -1.0, 2.0, 0.5] + noise > 0).astype(int)


def each_stream_way_in(test):
    """Run over one stream learner for each way in which rows are checked."""
    return pytest.mark.every_learner(each(ways_in(STREAM_DEFAULTS))(test))


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def memory_map(X, folder):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


def unsorted(X):
    """Return a CSR matrix with columns in reverse and each entry in two halves."""
    flipped = csr_array(X[:, ::-1])
    columns = X.shape[1] - 1 - flipped.indices
    halves = np.repeat(flipped.data / 2, 2)
    return csr_array((halves, np.repeat(columns, 2), 2 * flipped.indptr), X.shape)


CONTAINERS = {
    "list": lambda X, folder: X.tolist(),
    "int": lambda X, folder: X.astype(int),
    "object": lambda X, folder: X.astype(object),
    "Fortran order": lambda X, folder: np.asfortranarray(X),
    "strided": lambda X, folder: np.repeat(X, 2, axis=1)[:, ::2],
    "big-endian": lambda X, folder: X.astype(">f8"),
    "read-only": lambda X, folder: read_only(X),
    "memory map": memory_map,
    "float16": lambda X, folder: X.astype(np.float16),
    "DataFrame": lambda X, folder: pd.DataFrame(X),
    "mixed DataFrame": lambda X, folder: pd.DataFrame(X).astype({0: int, 1: "f4"}),
}
SPARSE = {
    "csr_matrix": csr_matrix,
    "csc_matrix": csc_matrix,
    "coo_array": coo_array,
    "unsorted": unsorted,
}


def take(rows_or_labels, chosen):
    if hasattr(rows_or_labels, "iloc"):
        return rows_or_labels.iloc[chosen]
    return [rows_or_labels[i] for i in chosen]


def run_all_verbs(prototype, X, y):
    learner = fresh(prototype).fit(X, y).partial_fit(X, y)
    rows = [0, *learner.query(X)]  # one more, should nothing be bought
    learner.teach(take(X, rows), take(y, rows))
    assert len(learner._ledger) == 0
    learner.learn(X, RecordingOracle(y))
    return learner, learner.decision_function(X)


@each_stream_way_in
@pytest.mark.parametrize("container", CONTAINERS)
def test_dense_rows(prototype, container, tmp_path):
    rows = CONTAINERS[container](X, tmp_path)
    learner, scores = run_all_verbs(prototype, rows, y)
    expected, same = run_all_verbs(prototype, X, y)
    assert state(learner) == state(expected)
    np.testing.assert_array_equal(scores, same)


@each_stream_way_in
@pytest.mark.parametrize("container", SPARSE)
def test_sparse_rows(prototype, container):
    rows = SPARSE[container](X)
    before = frozen([rows.data])
    learner = fresh(prototype).fit(rows, y)
    expected = fresh(prototype).fit(csr_array(X), y)
    assert state(learner) == state(expected)
    assert frozen([rows.data]) == before
    np.testing.assert_array_equal(learner.predict(rows), expected.predict(X))


@each_stream_way_in
@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"]),
        np.array(["no", "yes"], dtype=object),
        np.array([False, True]),
        np.array([-1, 1], dtype=np.int8),
        np.array([0.0, 3.0]),
        np.array([2**40, 2**41]),
    ],
    ids=lambda labels: f"{labels.dtype}-{labels[1]}",
)
@pytest.mark.parametrize("container", [np.asarray, list, pd.Series])
def test_labels(prototype, labels, container):
    named = container(labels[y])
    learner, scores = run_all_verbs(prototype, X, named)
    expected, same = run_all_verbs(prototype, X, y)
    np.testing.assert_array_equal(learner.classes_, labels)
    np.testing.assert_array_equal(scores, same)
    np.testing.assert_array_equal(learner.predict(X), labels[expected.predict(X)])
    assert learner.predict(X).dtype == learner.classes_.dtype


@each_stream_default
def test_text_labels_of_pandas(prototype):
    named = pd.Series(np.where(y, "yes", "no"), dtype="str")
    learner = fresh(prototype).fit(X, named)
    assert set(learner.predict(X)) == {"no", "yes"}
    categories = fresh(prototype).fit(X, named.astype("category"))
    np.testing.assert_array_equal(learner.predict(X), categories.predict(X))


@each_linear_stream_learner
def test_the_scale_of_normalised_rows_does_not_matter(prototype):
    learner = fresh(prototype, normalize=True).fit(X, y)
    for exponent in (996, -996):
        X_scaled = X * 2.0**exponent  # exact
        scaled = fresh(prototype, normalize=True).fit(X_scaled, y)
        np.testing.assert_array_equal(scaled.queried_indices_, learner.queried_indices_)
        np.testing.assert_allclose(scaled.coef_, learner.coef_, rtol=1e-9)
        np.testing.assert_allclose(scaled.intercept_, learner.intercept_, rtol=1e-9)
        np.testing.assert_array_equal(scaled.predict(X_scaled), learner.predict(X))


@each_linear_stream_learner
def test_rows_of_zeros(prototype):
    zeros = np.zeros_like(X)
    mixed = np.where(np.arange(len(X))[:, None] % 2, X, 0.0)
    for fit_intercept in (False, True):
        learner = fresh(prototype, fit_intercept=fit_intercept, patience=None)
        learner.fit(zeros, y)
        assert learner.n_queries_ > 0
        assert not learner.coef_.any()
        learner = fresh(prototype, fit_intercept=fit_intercept).fit(mixed, y)
        assert np.isfinite(learner.coef_).all()


@each_linear_stream_learner
def test_weights_that_overflow_are_an_error(prototype):
    last = {"average": False} if "average" in prototype.get_params() else {}
    learner = fresh(prototype, normalize=False, budget=None, **last)
    huge = 1e200 * X
    oracle = RecordingOracle(y)
    for call in (
        lambda: learner.fit(huge, y),
        lambda: learner.partial_fit(huge, y, [0, 1]),
        lambda: learner.teach(huge, y, [0, 1]),
    ):
        with pytest.raises(ValueError, match=r"Row \d+ of X: .*overflow"):
            call()
        assert vars(learner) == learner.get_params(deep=False)
    with pytest.raises(ValueError, match=r"Row \d+ of X: .*overflow"):
        learner.learn(huge, oracle, [0, 1])
    # the last answer may be the one that could not be learned
    assert len(oracle.asked) - learner.n_queries_ in (0, 1)
    assert np.isfinite(learner.coef_).all()


def test_a_step_that_overflows_is_an_error():
    learner = RandomSamplingClassifier(rate=1.0, eta0=1e279, random_state=0)
    with pytest.raises(ValueError, match="smaller step"):
        learner.fit(np.tile(X, (20, 1)), np.tile(1 - y, 20))


@pytest.mark.parametrize("exponent", [-1010, -1021])
def test_rows_near_the_smallest_number(exponent):
    many, labels = np.tile(X, (20, 1)), np.random.RandomState(2).randint(2, size=1600)
    learner = RandomSamplingClassifier(rate=1.0, eta0=8.0, random_state=0)
    coef = learner.fit(many, labels).coef_
    with suppress(ValueError):  # to refuse is fine
        learner.fit(many * 2.0**exponent, labels)
    np.testing.assert_allclose(learner.coef_, coef, rtol=1e-9)


def test_a_huge_row_does_not_silence_a_learner():
    learner = CBGZClassifier(b="adaptive", normalize=False, random_state=0).fit(X, y)
    with suppress(ValueError):  # to refuse is fine
        learner.partial_fit(np.full((1, 4), 1e200), [1])
    assert len(learner.query(X)) > 0
