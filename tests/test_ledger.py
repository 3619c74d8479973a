"""What the learners recognise rows by, and the books they keep of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

from sklearn_activelearn.base._requests import BLOCK, Requests
from sklearn_activelearn.pool._ledger import pair_equal
from sklearn_activelearn.sources._containers import hash_rows, take
from tests.tools import with_int64_indices

AGAIN = 1 + 2.0**-50  # a number that was computed again differs in its last bits


@st.composite
def tables(draw, max_rows=12):
    """Draw rows of few values, some of them computed again in the last bit."""
    n_rows = draw(st.integers(0, max_rows))
    cells = st.sampled_from([0.0, -0.0, 1.0, AGAIN, -2.0, 1 / 3, 1e39, 1e-50])
    row = st.lists(cells, min_size=2, max_size=2)
    return np.array(draw(st.lists(row, min_size=n_rows, max_size=n_rows))).reshape(
        -1, 2
    )


CONTAINERS = {
    "fortran": np.asfortranarray,
    "part": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "csr": csr_array,
    "csr64": lambda X: with_int64_indices(csr_array(X)),
    "coo": coo_array,
    "frame": pd.DataFrame,
    "list": lambda X: X.tolist(),
    "object": lambda X: X.astype(object),
}


@pytest.mark.parametrize("container", CONTAINERS)
@given(X=tables())
def test_keys_are_the_same_in_every_container(container, X):
    rows = CONTAINERS[container](X)
    keys = hash_rows(rows)
    assert keys.dtype == np.uint64
    np.testing.assert_array_equal(keys, hash_rows(X))
    some = np.arange(0, len(X), 2)[::-1]
    np.testing.assert_array_equal(hash_rows(rows, some), hash_rows(X[some]))


@given(X=tables())
def test_keys_tell_rows_apart(X):
    keys = hash_rows(X)
    same = (X[:, None] == X).all(axis=2)
    np.testing.assert_array_equal(keys[:, None] == keys, same)
    with np.errstate(over="ignore"):
        single = X.astype(np.float32)
    as_double = single.astype(np.float64)
    np.testing.assert_array_equal(hash_rows(single), hash_rows(as_double))


def test_whole_numbers_flags_and_images_have_the_keys_of_floats():
    X = np.random.RandomState(0).randint(3, size=(50, 4))
    for kind in (np.int8, np.uint64, np.float16):
        np.testing.assert_array_equal(
            hash_rows(X.astype(kind)), hash_rows(X.astype(float))
        )
    np.testing.assert_array_equal(hash_rows(X > 1), hash_rows((X > 1).astype(float)))
    np.testing.assert_array_equal(hash_rows(X.reshape(50, 2, 2)), hash_rows(X))
    distinct = np.unique(X, axis=0)
    assert len(np.unique(hash_rows(X))) == len(distinct)


def test_missing_values_are_equal():
    X = np.array([[np.nan, 1.0], [-np.nan, 1.0], [np.nan, 2.0]])
    first, second, other = hash_rows(X)
    assert first == second != other


def test_numbers_of_mixed_rows_are_compared_exactly():
    frame = pd.DataFrame({"town": ["Ulm", "Ulm", "Bonn"], "size": [1 / 3, 0.0, np.nan]})
    again = frame.assign(size=frame["size"] * AGAIN)
    again.loc[1, "size"] = -0.0
    assert (hash_rows(frame) == hash_rows(again)).tolist() == [0, 1, 1]
    assert len(set(hash_rows(frame).tolist())) == 3


def with_missing(X):
    return pd.DataFrame(X).astype("Int64").mask(X == 2)


MIXED = {
    "whole numbers that may be missing": with_missing,
    "flags that may be missing": lambda X: pd.DataFrame(X == 1).astype("boolean"),
    "one text in a table": lambda X: np.append(X.astype(object), [["a", 1]], axis=0),
    "one text in a list": lambda X: [*X.tolist(), ["a", 1]],
    "one long row": lambda X: [*X.tolist(), [1, 2, 3]],
    "a column of texts": lambda X: pd.DataFrame(X).assign(text=X[:, 0].astype(str)),
    "a column of anything": lambda X: pd.DataFrame(X).assign(
        cell=[None, "a", np.nan, 1, True] * 8
    ),
    "categories": lambda X: pd.DataFrame(X).astype({0: "category"}),
    "a series": lambda X: with_missing(X)[0],
    "dicts": lambda X: [{"a": i, "b": j} for i, j in X.tolist()],
}


@pytest.mark.parametrize("kind", MIXED)
def test_a_key_does_not_depend_on_the_rows_beside_it(kind):
    X = MIXED[kind](np.random.RandomState(0).randint(3, size=(40, 2)))
    n = len(X)
    keys = hash_rows(X)
    assert len(np.unique(keys)) > 1
    for part in ([7], [3, 30], [n - 1], list(range(n))[::-1]):
        rows = np.array(part)
        np.testing.assert_array_equal(hash_rows(take(X, rows)), keys[rows])
        np.testing.assert_array_equal(hash_rows(X, rows), keys[rows])


def test_keys_of_texts_are_those_in_files():
    rows = [["a", 0.1], ["a", None], ["é", "b"], [True, "x"]]
    texts = ["5b3655cadf76f6d3", "c385a6d3a0e1545a", "b6da13173bdf342"]
    assert [f"{key:x}" for key in hash_rows(rows)] == ["539691f5bcfdb100", *texts]


@pytest.mark.parametrize("at_once", [1, 7, 3 * BLOCK])
def test_many_requests_for_one_row_are_answered_first_in_first_out(at_once):
    X, n = np.ones((3 * BLOCK, 1)), 3 * BLOCK
    requests = Requests()
    for start in range(0, n, at_once):
        part = np.arange(start, min(start + at_once, n))
        requests = requests.add(hash_rows(X[part]), part.astype(float))
    assert len(requests) == n
    answers = []
    for start in range(0, n, at_once):
        part = X[start : start + at_once]
        requests, found = requests.take(hash_rows(part))
        answers += [each.probability for each in found]
    assert answers == list(range(n))
    assert vars(requests) == vars(Requests())  # as if nothing had been asked


def test_keys_leave_a_matrix_with_repeated_entries_as_it_is():
    parts = np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1]), np.array([0, 2, 3])
    X = csr_array(parts, shape=(2, 2))
    np.testing.assert_array_equal(hash_rows(X), hash_rows(X.toarray()))
    assert X.data.tolist() == [1, 2, 3]
    assert X.indptr.tolist() == [0, 2, 3]


def test_the_kth_of_a_key_meets_the_kth():
    first = np.array([3, 1, 3, 2, 3, 9], dtype=np.uint64)
    second = np.array([3, 5, 3, 1, 1], dtype=np.uint64)
    pairs = zip(*(each.tolist() for each in pair_equal(first, second)), strict=True)
    assert sorted(pairs) == [(0, 0), (1, 3), (2, 2)]
    assert [len(each) for each in pair_equal(first, second[:0])] == [0, 0]
    assert [len(each) for each in pair_equal(first[:0], second)] == [0, 0]
