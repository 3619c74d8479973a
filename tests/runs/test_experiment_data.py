"""The data sets of the experiments where no file is: what comes of OpenML's tables."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from benchmarks import data


@pytest.fixture
def fetched(monkeypatch, tmp_path):
    """Return a function that says what OpenML will answer."""
    monkeypatch.setenv("SKLEARN_ACTIVELEARN_DATA", str(tmp_path))

    def answer(frame, labels):
        def fetch(name, *, version, return_X_y, as_frame):
            return frame, pd.Series(labels, dtype="category")

        monkeypatch.setattr(data, "fetch_openml", fetch)

    return answer


@pytest.mark.parametrize(
    ("frame", "X"),
    [
        ({"age": [70, 67, 57], "sex": [1.0, 0.0, 1.0]}, [[70, 1], [67, 0], [57, 1]]),
        ({"a": ["y", None, "n"], "b": ["n", "n", None]}, [[1, -1], [0, -1], [-1, 0]]),
        ({"a": ["x", "f", "x"], "b": ["e", "e", None]},
         [[0, 1, 1, 0], [1, 0, 1, 0], [0, 1, 0, 1]]),
    ],
)  # fmt: skip
def test_tables_become_numbers(frame, X, fetched, monkeypatch):
    kind = None if "age" in frame else "category"
    fetched(pd.DataFrame(frame, dtype=kind), ["yes", "no", "yes"])
    expected = (*np.shape(X), 2)
    monkeypatch.setitem(data.UCI, "heart", ("heart-statlog", "yes", expected))
    rows, labels = data.uci("heart")
    assert rows.tolist() == X
    assert labels.tolist() == [1, -1, 1]


def test_another_table_is_refused(fetched):
    fetched(pd.DataFrame({"age": [70, 67]}), ["present", "absent"])
    with pytest.raises(FileNotFoundError, match="OpenML has another heart-statlog"):
        data.uci("heart")


def test_sets_of_raetsch(fetched):
    fetched(pd.DataFrame({"V1": [1.5, 2.5], "V2": [0.0, 1.0]}), ["1", "2"])
    X, y, n_train = data.raetsch("banana")
    assert X.tolist() == [[1.5, 0.0], [2.5, 1.0]]
    assert y.tolist() == [-1, 1]
    assert n_train == 400
    X, y, _ = data.raetsch("twonorm")
    assert X.shape == (7400, 20)
    with pytest.raises(FileNotFoundError, match=r"image\.npz is needed"):
        data.raetsch("image")


def test_money_fx_is_only_in_its_file(fetched, tmp_path):
    fetched(None, [])
    with pytest.raises(FileNotFoundError, match="OpenML has no money-fx"):
        data.money_fx()
    rows = csr_matrix([[0.6, 0.8, 0], [0, 0, 1]], dtype=np.float32)
    parts = {name: getattr(rows, name) for name in ("data", "indices", "indptr")}
    file = tmp_path / "reuters_moneyfx_lasvm.npz"
    np.savez(file, **parts, shape=rows.shape, y=np.array([1, -1]))
    X, y = data.money_fx()
    np.testing.assert_array_equal(X.toarray(), rows.toarray())
    assert y.tolist() == [1, 0]


def test_stories_are_in_no_chronological_order():
    file = data.local_file("rcv1_subset")
    if not file.exists():
        pytest.skip(f"{file} is needed")
    with np.load(file, allow_pickle=False) as arrays:
        part = arrays["part"]
    _, topics, _ = data.rcv1_topics()
    for number in np.unique(part):
        rows = topics[: len(part)][part == number].astype(float)
        rows = rows[:, rows.sum(axis=0) > 20]
        first, second = np.array_split((rows - rows.mean(0)) / rows.std(0), 2)
        z = np.abs(first.mean(0) - second.mean(0)) * np.sqrt(len(first) / 2)
        assert 0.6 < z.mean() < 1.05  # .8 if the order is random
