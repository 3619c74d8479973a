"""The compiled products and the loop around them: right, repeatable, in place."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array

from sklearn_activelearn import DKMClassifier
from sklearn_activelearn.kernels import _rows
from sklearn_activelearn.stream import _pass
from tests.tools import peak_memory, with_int64_indices

FORMATS = {
    "float64": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "csr": csr_array,
    "csr-int64": lambda X: with_int64_indices(csr_array(X)),
    "csr-float32": lambda X: csr_array(X.astype(np.float32)),
    "csr-float32-int64": lambda X: with_int64_indices(csr_array(X.astype(np.float32))),
}
each_format = pytest.mark.parametrize("make", FORMATS.values(), ids=FORMATS.keys())


def scores(X, W, normalize=False):
    return _rows.scores(_rows.Rows(X), W, np.zeros(len(W)), normalize)


def dots(X, w, normalize=False):
    return scores(X, w[None], normalize)[:, 0]


def total(terms):
    """Return the sum of numbers in the order in which a dense product adds them."""
    n_blocks = len(terms) // 16
    sums, rest = np.zeros(16), terms[16 * n_blocks :]
    for block in terms[: 16 * n_blocks].reshape(n_blocks, 16):
        sums = sums + block
    while len(sums) > 1:
        half = len(sums) // 2
        sums = sums[:half] + sums[half:]
        if len(rest) >= half:
            sums, rest = sums + rest[:half], rest[half:]
    return sums[0]


def placed(X, offset):
    """Return a read-only copy that begins so many numbers after a cache line does."""
    memory = np.empty(X.nbytes + 64 + X.itemsize * offset, dtype=np.uint8)
    start = -memory.ctypes.data % 64 + X.itemsize * offset
    out = memory[start : start + X.nbytes].view(X.dtype).reshape(X.shape)
    out[:] = X
    out.setflags(write=False)
    return out


@each_format
def test_dot(make):
    for normalize, n_features in product([False, True], range(1, 41)):
        check_dot(make, normalize, n_features)


def check_dot(make, normalize, n_features):
    rng = np.random.RandomState(n_features)
    X = rng.standard_normal((9, n_features)).astype(np.float32).astype(float)
    X[rng.uniform(size=X.shape) < 0.3] = 0.0
    w = rng.standard_normal(n_features)
    norms = np.linalg.norm(X, axis=1) if normalize else np.ones(len(X))
    exact = X.astype(np.longdouble) @ w.astype(np.longdouble)
    expected = (exact / np.where(norms > 0, norms, 1)).astype(float)
    found = dots(make(X), w, normalize)
    np.testing.assert_allclose(found, expected, atol=1e-14)
    assert found.tobytes() == dots(make(X), w, normalize).tobytes()
    # where a row lies in memory makes no difference
    np.testing.assert_array_equal(dots(make(X[3:]), w, normalize), found[3:])


@pytest.mark.parametrize("widest", [2, 4, 8])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dense_products_have_the_same_bits_at_every_width(monkeypatch, widest, dtype):
    monkeypatch.setattr(_rows, "widest", widest)
    for n_features in [*range(71), 100, 784, 1003]:
        check_bits(dtype, n_features)


def check_bits(dtype, n_features):
    rng = np.random.RandomState(n_features)
    X = rng.standard_normal((3, n_features)).astype(dtype)
    W = rng.standard_normal((6, n_features))
    terms = X[:, None].astype(float) * W
    expected = np.array([[total(each) for each in of_row] for of_row in terms])
    with np.errstate(divide="ignore"):
        scale = 1 / np.sqrt([total(x * x) for x in X.astype(float)])
    scale[np.isinf(scale)] = 0.0
    for offset in (0, 1, 3):
        rows = placed(X, offset)
        np.testing.assert_array_equal(scores(rows, W).view(int), expected.view(int))
        np.testing.assert_array_equal(
            scores(rows, W, normalize=True), expected * scale[:, None]
        )


@each_format
@given(
    value=st.sampled_from([np.nan, np.inf, -np.inf]),
    place=st.tuples(st.integers(0, 6), st.integers(0, 18)),
    later=st.integers(0, 6),
)
def test_first_not_finite(make, value, place, later):
    X = np.full((7, 19), 3e38)  # the largest floats are finite
    assert _rows.first_not_finite(_rows.Rows(make(X))) == -1
    X[later, 0] = np.nan
    X[place] = value
    assert _rows.first_not_finite(_rows.Rows(make(X))) == min(later, place[0])


@each_format
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_sums_of_squares(make, wrong):
    X = np.random.RandomState(0).randint(-9, 10, (7, 37)).astype(float)
    expected = (X**2).sum(axis=1)
    X[[1, 4], [0, 36]], expected[[1, 4]] = wrong, np.nan
    found = _rows.squares(_rows.Rows(make(X)))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("verb", ["fit", "partial_fit", "learn", "predict"])
def test_dense_rows_are_not_copied(dtype, verb, tmp_path):
    n_rows, n_features = 20_000, 100
    X = np.lib.format.open_memmap(
        tmp_path / "X.npy", mode="w+", dtype=dtype, shape=(n_rows, n_features)
    )
    X[:] = np.random.RandomState(0).standard_normal(n_features)
    X[::2] *= -1
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    y = np.arange(n_rows) % 2
    learner = DKMClassifier(random_state=0).fit(X[:100], y[:100])
    call = {
        "fit": lambda: learner.fit(X, y),
        "partial_fit": lambda: learner.partial_fit(X, y),
        "learn": lambda: learner.learn(X, lambda rows: y[rows]),
        "predict": lambda: learner.predict(X),
    }[verb]
    assert peak_memory(call) < X.nbytes / 4


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
def test_sparse_rows_are_not_copied(index_type):
    X = random_array((8_000, 1000), density=0.05, rng=0, format="csr")
    X.indices, X.indptr = X.indices.astype(index_type), X.indptr.astype(index_type)
    y = np.arange(X.shape[0]) % 2
    learner = DKMClassifier(random_state=0).fit(X[:100], y[:100])
    assert peak_memory(lambda: learner.partial_fit(X, y)) < X.data.nbytes / 4


@each_format
@pytest.mark.parametrize("n_vectors", [1, 3, 4, 9])
def test_products_with_many_vectors(make, n_vectors, monkeypatch):
    rng = np.random.RandomState(n_vectors)
    X = random_array((40, 37), density=0.4, random_state=rng).toarray()
    X, W = make(X), rng.standard_normal((n_vectors, 37))
    order = rng.permutation(40)[:29]
    expected = [scores(X, W, normalize)[order] for normalize in (False, True)]
    for widest, normalize in product([2, 4, 8], [False, True]):
        monkeypatch.setattr(_rows, "widest", widest)
        products = _pass.Products(_rows.Rows(X), order, n_vectors)
        weights = products.zeros()
        by_vector = weights.T if products.sparse else weights
        by_vector[:n_vectors] = W
        found = products.scores(weights, np.zeros(n_vectors), 1, normalize)
        np.testing.assert_array_equal(np.array(found).T, expected[normalize])
