"""What the learners recognise rows by, and the books they keep of them."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

from sklearn_activelearn._requests import BLOCK, Requests
from sklearn_activelearn.pool._ledger import Ledger, leave_out, pair_equal
from sklearn_activelearn.sources._containers import hash_rows, take
from sklearn_activelearn.sources._identity import ByValue
from tests.reference import cells
from tests.reference.ledger import ReferenceLedger
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
    again = frame.assign(size=frame["size"] * AGAIN + [0, -0.0, 0])
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


#: Cells of every kind, each of which may stand beside a text.
ODD = [
    *("", "a", "nan", "1.0", "None", "it's", 'a "b"', "é\n\U0001f600", "\ud800", "\\"),
    *(np.str_("a"), b"a", np.bytes_(b"\xff"), True, False, np.True_, np.bool_(False)),
    *(0, 1, -1, 2**53 + 1, 10**30, 0.0, -0.0, 0.1, 1e300, 5e-324, 16777217, np.inf),
    *(np.nan, None, pd.NA, pd.NaT, np.datetime64("NaT"), np.float32(0.1), np.uint8(3)),
    *(np.float64(-0.0), np.float16(0.1), np.longdouble("0.1"), np.int64(-(2**62))),
    *(Fraction(1, 3), Decimal("0.10"), 1 + 2j, (1, "b"), {"k": None}, frozenset("x")),
    *(date(2020, 1, 2), np.datetime64("2020-01-02"), pd.Timestamp("2020-01-02")),
    *(pd.Timedelta("1s"), pd.Interval(0, 1), int, np.float64),
]


class Text(str):
    """A text that shows itself in another way."""

    def __str__(self):
        return "shown"

    __slots__ = ()


def nested(cells):
    """Return an array of two columns of any cells."""
    table = np.empty((len(cells), 2), dtype=object)
    table[:, 0] = "x"
    for row, cell in zip(table, cells, strict=True):
        row[1] = cell
    return table


def single(cells):
    """Return an array of one dimension of any cells."""
    return nested(cells)[:, 1].copy()


def categories():
    codes = pd.Categorical(["a", None, "b"])
    return pd.DataFrame({"c": codes, "n": pd.array([1, None, 3], dtype="Int64")})


TABLES = {
    "beside a text": lambda: nested([*ODD, Text("a")]),
    "lists": lambda: nested([*ODD, Text("a")]).tolist(),
    "frame": lambda: pd.DataFrame(nested(ODD)),
    "alone": lambda: single([*ODD, Text("a"), ["a", 1.0], [None, "b"], [0.1, 0.2]]),
    "series": lambda: pd.Series(single(ODD)),
    "of different lengths": lambda: [
        ["a"],
        [1.0],
        [],
        [1.0, None],
        [pd.NA],
        ["a", 0.1],
    ],
    "nested": lambda: [[["a", 0.1], ["b", -0.0]], [["a", 0.1], ["b", 0.0]]],
    "three dimensions": lambda: np.array([[["a", 0.1]], [["b", None]]], dtype=object),
    "texts": lambda: ["a", "it's", "", "nan"],
    "wide texts": lambda: np.array([["a", "bb"], ["", "nan"]]),
    "bytes": lambda: np.array([b"a", b"\xff"]),
    "texts and lists": lambda: ["a", ["b"], ["a"], [1.0]],
    "days": lambda: np.array(["2020-01-02", "NaT"], dtype="M8[D]"),
    "nanoseconds": lambda: np.array([["2020-01-02", "NaT"]] * 2, dtype="M8[ns]"),
    "complex": lambda: np.array([[1 + 2j, 0.0], [1.0, -0.0]]),
    "categories": categories,
    "texts of pandas": lambda: pd.DataFrame({"t": ["a", None], "n": [0.1, np.nan]}),
}


@pytest.mark.parametrize("make", TABLES.values(), ids=list(TABLES))
def test_odd_cells_have_the_keys_that_they_always_had(make):
    X = make()
    keys = hash_rows(X)
    np.testing.assert_array_equal(keys, cells.hashes_of_rows(X))
    assert len(keys) == len(X)
    some = np.array([1, 0])
    np.testing.assert_array_equal(hash_rows(X, some), keys[some])


def test_keys_of_texts_are_those_in_files():
    rows = [["a", 0.1], ["a", None], ["é", "b"], [True, "x"]]
    texts = ["5b3655cadf76f6d3", "c385a6d3a0e1545a", "b6da13173bdf342"]
    assert [f"{key:x}" for key in hash_rows(rows)] == ["539691f5bcfdb100", *texts]


def test_texts_have_keys():
    texts = ["a", "b", "a", ""]
    keys = hash_rows(texts)
    assert len(set(keys.tolist())) == 3
    assert keys[0] == keys[2]
    np.testing.assert_array_equal(hash_rows(np.array(texts)), keys)
    np.testing.assert_array_equal(hash_rows(pd.Series(texts)), keys)


@given(data=st.data())
def test_requests_of_a_stream_are_those_of_the_book(data):
    requests, book = Requests(), ReferenceLedger(is_stream=True)
    probabilities = iter(np.arange(1.0, 1000.0))
    expected = {}
    for _ in range(data.draw(st.integers(1, 8))):
        X, before = data.draw(tables()), (requests, len(requests))
        if data.draw(st.booleans(), label="asks"):
            given = np.array([next(probabilities) for _ in X])
            requests = requests.add(hash_rows(X), given)
            book.ask(X, range(len(X)))
            expected |= dict(
                zip(
                    map(id, book.entries[len(book.entries) - len(X) :]),
                    given,
                    strict=True,
                )
            )
        else:
            assert requests.pending(hash_rows(X)).tolist() == book.pending(X)
            entries = book.find(X, ["out"])
            requests, found = requests.take(hash_rows(X))
            assert [each and each.probability for each in found] == [
                entry and expected[id(entry)] for entry in entries
            ]
            kept = list(book.entries)  # ids stay taken
            book.teach(X, [0] * len(X))
            expected["kept", len(expected)] = kept
        assert len(requests) == len(book.entries)
        assert len(before[0]) == before[1]  # a failing verb needs it as it was


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


@given(data=st.data())
def test_the_ledger_of_a_pool_is_that_of_the_book(data):
    ledger, book, pools = Ledger(), ReferenceLedger(), []
    for _ in range(data.draw(st.integers(1, 7))):
        X = data.draw(tables())
        what = data.draw(st.sampled_from(["ask", "ask", "teach", "skip", "look"]))
        if what == "look":
            some = st.lists(st.booleans(), min_size=len(X), max_size=len(X))
            for_sale = np.array(data.draw(some), dtype=bool)
            pools.append(X)
            X = data.draw(st.sampled_from([X, *pools[:-1]]))
            for_sale = (
                np.resize(for_sale, len(X)) if len(for_sale) else np.ones(len(X), bool)
            )
            ledger = ledger.locate(ByValue(X), for_sale)
            found = book.look(X, for_sale)
            assert ledger.found.tolist() == [-1 if n is None else n for n in found]
        elif what == "ask":
            numbers = st.lists(st.integers(0, max(len(X) - 1, 0)), unique=True)
            rows = np.array(data.draw(numbers) if len(X) else [], dtype=int)
            ledger = ledger.add_entries(hash_rows(X[rows]), rows, 0.5)
            book.ask(X, rows.tolist())
        elif what == "teach":
            ledger = ledger.mark_taught(hash_rows(X))
            book.teach(X, [0] * len(X))
        elif book.skip(X) is None:
            with pytest.raises(ValueError, match="is not pending"):
                ledger.skip(hash_rows(X))
        else:
            ledger = ledger.skip(hash_rows(X))
    standings = {-1: "out", -2: "skipped"}
    assert [standings.get(k, "taught") for k in ledger.positions.tolist()] == [
        entry.standing for entry in book.entries
    ]
    taught = [entry.turn for entry in book.entries if entry.standing == "taught"]
    assert ledger.positions[ledger.positions >= 0].tolist() == taught
    X = data.draw(tables())
    for_sale = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X))), dtype=bool
    )
    expected = [-1 if row is None else row for row in book.located(X, for_sale)]
    identity = ByValue(X)
    assert ledger.locate(identity, for_sale).found.tolist() == expected
    assert ledger.pending(identity).tolist() == book.pending(X)


def test_two_entries_of_one_number_take_two_places():
    X = np.array([[5.0, 1.0], [2.0, 1.0], [2.0, 1.0]])
    ledger = Ledger()
    for _ in range(3):
        ledger = ledger.add_entries(hash_rows(X[[1]]), 1, 1.0)
    located = ledger.locate(ByValue(X), np.ones(3, dtype=bool))
    assert located.found.tolist() == [1, 2, -1]


SOME_KEYS = st.lists(st.integers(0, 3), max_size=7).map(np.array)


@given(first=SOME_KEYS, second=SOME_KEYS, in_order=st.booleans())
def test_the_kth_of_a_key_is_paired_with_the_kth(first, second, in_order):
    second = first if in_order else second
    expected = {
        pair
        for key in {*first.tolist(), *second.tolist()}
        for pair in zip(
            np.flatnonzero(first == key).tolist(),
            np.flatnonzero(second == key).tolist(),
            strict=False,
        )
    }
    found = list(
        zip(*(part.tolist() for part in pair_equal(first, second)), strict=True)
    )
    assert set(found) == expected
    assert len(found) == len(expected)


def test_an_entry_answers_one_row():
    asked = hash_rows(np.array([[1.0, 0.0]]))
    ledger = Ledger().add_entries(asked, 0, 1.0)
    taught = hash_rows(np.array([[1.0, 0.0], [AGAIN, 0.0]]))
    assert ledger.find_entries(taught, (-1, -2)).tolist() == [0, -1]


def test_rows_answered_in_the_order_asked_have_that_order():
    asked = hash_rows(np.arange(6.0).reshape(3, 2))
    ledger = Ledger().add_entries(asked, np.arange(3), 1.0).mark_taught(asked)
    assert ledger.positions.tolist() == [0, 1, 2]
    assert ledger.taught.tolist() == [0, 1, 2]


def test_rows_that_are_nowhere_take_no_row():
    rows, none = np.array([0, 2, 5]), np.empty(0, dtype=int)
    assert leave_out(rows, np.array([-1, 2, 7, -1])).tolist() == [0, 5]
    assert leave_out(rows, none).tolist() == [0, 2, 5]
    assert leave_out(none, np.array([-1])).tolist() == []
    assert leave_out(rows, np.array([-1])).tolist() == [0, 2, 5]


def test_keys_leave_a_matrix_with_repeated_entries_as_it_is():
    parts = np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1]), np.array([0, 2, 3])
    X = csr_array(parts, shape=(2, 2))
    np.testing.assert_array_equal(hash_rows(X), hash_rows(X.toarray()))
    assert X.data.tolist() == [1, 2, 3]
    assert X.indptr.tolist() == [0, 2, 3]
