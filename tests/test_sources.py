"""Pools that are not in memory: the picks are those of the array, to the last row."""

import gc
import os
import pickle
import re
import sys
import time
import weakref
from decimal import Decimal
from functools import partial
from pathlib import Path
from threading import Barrier

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_matrix, csc_array, csr_array, csr_matrix
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_activelearn import (
    ALMSClassifier,
    CBGZClassifier,
    COMBClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByCommitteeClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.sources import (
    ParquetSource,
    _dask,
    _parquet,
    as_memmap,
)
from sklearn_activelearn.sources import _source as _base
from sklearn_activelearn.sources._containers import hash_rows
from tests.learners import each
from tests.sources import SOURCES, as_dask, as_mapped, as_parquet, in_some_source
from tests.tools import RecordingOracle, fresh, peak_memory

da = pytest.importorskip("dask.array")
delayed = pytest.importorskip("dask").delayed
pa = pytest.importorskip("pyarrow")
ds = pytest.importorskip("pyarrow.dataset")
pq = pytest.importorskip("pyarrow.parquet")

each_source = pytest.mark.parametrize("make", SOURCES.values(), ids=list(SOURCES))


#: Linear models agree on any rows.
LINEAR = [
    MinMarginClassifier(n_initial=4, stopping=["margin_exhausted"]),
    MinMarginClassifier(n_initial=4, batch_size=3, n_candidates=20),
    MinMarginClassifier(
        n_initial=4, batch_size=3, n_candidates=20, batch="cluster", initial="herding"
    ),
    UncertaintySamplingClassifier(n_initial=4, measure="entropy", batch_size=2),
    UncertaintySamplingClassifier(n_initial=4, n_jobs=2, batch_size=2),
    UncertaintySamplingClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()),
        n_initial=4,
        stopping="stable_predictions",
    ),
    QueryByCommitteeClassifier(n_initial=4, cv=2, estimator=LogisticRegression()),
    PassiveClassifier(n_initial=4, batch_size=3),
]

#: Others agree on rows of small whole numbers.
OTHERS = [
    MinMarginClassifier(SVC(), n_initial=4, batch_size=3),
    UncertaintySamplingClassifier(DecisionTreeClassifier(), n_initial=4),
    UncertaintySamplingClassifier(KNeighborsClassifier(3), n_initial=4),
    ALMSClassifier(
        param_grid={"C": [0.1, 10.0]}, n_candidates=3, n_pairs=2, n_initial=8
    ),
]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Have 150 rows be several blocks."""
    monkeypatch.setattr(_base, "BLOCK_BYTES", 1)
    monkeypatch.setattr(_base, "CONVERTED_BYTES", 1)
    monkeypatch.setattr(_base, "FEWEST_ROWS", 48)
    monkeypatch.setattr(_base, "ROUND", 16)


def problem(kind="whole numbers"):
    """Return rows with ties and equal rows among them, and labels."""
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(150, 4)).astype(np.float64)
    if kind == "any numbers":
        X = rng.standard_normal((150, 37))
    X[50:70] = X[20:40]
    X[149] = X[0]
    return X, np.array(["a", "b", "c"])[
        (X[:, :1] > 0).sum(axis=1) + (X[:, 1] + X[:, 2] > 1)
    ]


def purchases(learner, X, y):
    """Return what a learner buys, with what it says of it."""
    said = []
    for _ in range(4):
        bought = learner.query(X, return_probability=True, return_utility=True)
        said.append([part.tolist() for part in bought])
        learner.teach(X[bought[0]], y[bought[0]])
    return said


def rows_of(learner, X, y):
    return [rows for rows, *_ in purchases(learner, X, y)]


def check_picks(prototype, make, cuts, folder, kind):
    X, y = problem(kind)
    source = make(X, cuts, folder)
    learner, expected = fresh(prototype), fresh(prototype)
    found, wanted = purchases(learner, source, y), purchases(expected, X, y)
    assert [each[:2] for each in found] == [each[:2] for each in wanted]
    for (*_, utilities), (*_, others) in zip(found, wanted, strict=True):
        np.testing.assert_allclose(utilities, others, rtol=1e-9, atol=1e-12)
    X = X if not isinstance(source, ParquetSource) else framed(X, source)
    np.testing.assert_array_equal(learner.predict(source), learner.predict(X))


def framed(X, source):
    return pd.DataFrame(X, columns=source.columns)


@pytest.mark.every_learner
@in_some_source(LINEAR)
def test_picks_are_those_in_memory(prototype, make, tmp_path):
    check_picks(prototype, make, [1, 75, 75], tmp_path, "any numbers")


@pytest.mark.every_learner
@in_some_source([*OTHERS, *LINEAR])
def test_picks_among_ties_are_those_in_memory(prototype, make, tmp_path):
    """Some chunks and files are empty."""
    check_picks(prototype, make, [1, 50, 50, 149], tmp_path, "whole numbers")


@pytest.mark.parametrize(
    ("make", "verb"),
    [(as_mapped, "fit"), (as_dask, "partial_fit"), (as_parquet, "learn")],
)
def test_loops_buy_what_they_buy_in_memory(make, verb, tmp_path):
    X, y = problem()
    prototype = UncertaintySamplingClassifier(n_initial=5, batch_size=3, budget=12)
    learners = fresh(prototype), fresh(prototype)
    for learner, rows in zip(learners, (X, make(X, [60], tmp_path)), strict=True):
        call = getattr(learner, verb)
        call(rows, RecordingOracle(y) if verb == "learn" else y)
    first, second = (learner.queried_indices_.tolist() for learner in learners)
    assert first == second
    assert len(first) == 12


def test_a_share_of_the_whole_is_the_same_to_the_last_bit(tmp_path):
    X, y = problem("any numbers")
    learner = fresh(MinMarginClassifier(budget=20)).fit(X, y)
    utility = partial(learner.make_rule().utility, learner.estimator_)
    whole = np.concatenate([utility(X[i : i + 13]) for i in range(0, 150, 13)])
    np.testing.assert_array_equal(utility(X), whole)


@each_source
def test_the_ledger_knows_rows_of_a_source(make, tmp_path):
    X, y = problem("any numbers")
    source = make(X, [70], tmp_path)
    learner = fresh(MinMarginClassifier(n_initial=4, batch_size=50, budget=None))
    rows = learner.query(source)
    assert learner.pending(source).tolist() == rows.tolist()
    learner.teach(source[rows[1:3]], y[rows[1:3]])
    learner.skip(source[rows[:1]], refund=True)
    assert learner.pending(source).tolist() == rows[3:].tolist()
    assert (learner.n_pending_, learner.n_skipped_, learner.n_queries_) == (1, 1, 3)
    learner.correct(source[rows[1:2]], ["b"])
    learner = pickle.loads(pickle.dumps(learner))
    learner.teach(source[rows[3:]], y[rows[3:]])
    sold = rows.tolist()
    while len(rows := learner.query(source, exclude=[1, 2])):
        learner.teach(source[rows], y[rows])
        sold += rows.tolist()
    assert sorted(sold) == sorted({*range(150)} - ({1, 2} - set(sold[:4])))


# what is looked at


def test_a_sample_is_drawn_anew_for_each_purchase():
    X, y = problem("any numbers")
    X, y, seen = X[70:140], y[70:140], []

    def keep(probabilities):
        seen.append(set(probabilities[:, 0]))
        return np.zeros(len(probabilities))

    learner = fresh(
        UncertaintySamplingClassifier(measure=keep, n_initial=4, n_candidates=20)
    )
    learner.teach(X[:10], y[:10])
    learner.query(X)
    first = set().union(*seen)
    seen.clear()
    learner.query(X)
    second = set().union(*seen)
    assert len(first) == len(second) == 20
    assert len(first & second) < 15


def test_what_a_transformer_makes_is_checked():
    X, y = problem()
    X = abs(X) + 1
    logarithm = FunctionTransformer(np.log)
    learner = fresh(MinMarginClassifier(make_pipeline(logarithm, LinearSVC())))
    learner.teach(X, y)
    with np.errstate(divide="ignore"), pytest.raises(ValueError, match="contains inf"):
        learner.query(np.append(X, np.zeros((1, 4)), axis=0))


# what is refused


def refused(learner, X, words, verb="query", **more):
    before = pickle.dumps(learner)
    with pytest.raises((TypeError, ValueError), match=words) as caught:
        getattr(learner, verb)(X, **more)
    assert pickle.dumps(learner) == before
    return caught.value


@each_source
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_the_row_that_is_not_finite_is_named(make, value, tmp_path):
    X, y = problem()
    X[100, 2] = value
    source = make(X, [99], tmp_path)
    learner = fresh(MinMarginClassifier(n_initial=4))
    error = refused(learner, source, r"row 100")
    assert any("of X" in note for note in error.__notes__)
    learner.teach(source[np.arange(10)], y[:10])
    refused(learner, source, r"row 100")


@pytest.mark.parametrize(
    ("cuts", "row"), [([99], 103), ([99], 99), ([7, 60, 99], 103)], ids=str
)
def test_what_is_not_finite_is_named_by_its_file_and_row(cuts, row, tmp_path):
    X, y = problem()
    X[row, 2] = np.nan
    file = f"{len(cuts)}.parquet"
    words = rf"\(row {row}, row {row - 99} of .*{re.escape(file)}\) contains NaN"
    source = as_parquet(X, cuts, tmp_path)
    learner = fresh(MinMarginClassifier(n_initial=4))
    refused(learner, source, words)
    learner.teach(source[:20], y[:20])
    refused(learner, source, words, candidates=range(90, 110))
    refused(learner, source, words, "predict")
    stream = fresh(CBGZClassifier())
    classes = ["a", "b", "c"]
    refused(stream, source, words, "partial_fit", y=y, classes=classes)
    stream.partial_fit(source[:90], y[:90], classes)
    refused(stream, source, words, "predict")
    refused(stream, source, words, "learn", oracle=RecordingOracle(y))


def made(folder):
    (folder / "again").mkdir()
    return folder / "again"


@each_source
def test_what_the_estimator_understands_passes(make, tmp_path):
    X, _ = problem()
    learner = fresh(MinMarginClassifier(make_pipeline(SimpleImputer(), LinearSVC())))
    X[100, 2] = np.nan
    assert len(learner.query(make(X, [99], tmp_path))) == 10
    counts = fresh(UncertaintySamplingClassifier(MultinomialNB()))
    refused(counts, make(X * 0 - 1, [], made(tmp_path)), "Negative|NaN")


@each_source
@each([COMBClassifier(), ALMSClassifier()])
def test_learners_that_need_all_rows_say_so(prototype, make, tmp_path):
    X, y = problem()
    source = make(X, [60], tmp_path)
    learner = fresh(prototype, n_initial=10)
    if make is as_mapped:
        assert len(learner.query(source)) == 10
        return
    for verb, more in [("query", {}), ("fit", {"y": y}), ("partial_fit", {"y": y})]:
        error = refused(
            learner, source, "needs all rows of the pool in memory", verb, **more
        )
        assert "set n_candidates" in str(error) or "pass a sample" in str(error)


# what it takes


def test_a_query_keeps_two_numbers_a_row(monkeypatch, tmp_path):
    monkeypatch.undo()
    X = np.random.default_rng(0).standard_normal((2_000_000, 2), dtype=np.float32)
    mapped = as_mapped(X, [], tmp_path)
    learner = fresh(MinMarginClassifier(n_initial=10))
    rows = learner.query(mapped, candidates=np.arange(10))
    learner.teach(X[rows], X[rows, 0] > 0)
    learner.query(mapped)
    peak = peak_memory(lambda: learner.query(mapped))
    assert peak < 16 * len(X) + 30 * 2**20


def test_row_groups_are_read_ahead_at_the_same_time_and_in_order(monkeypatch, tmp_path):
    X, _ = problem()
    monkeypatch.setattr(pa, "cpu_count", lambda: 2)
    source = as_parquet(X, [70], tmp_path)
    both, read = Barrier(2, timeout=20), source._read
    n_read = []

    def read_with_another(part):
        n_read.append(part.start)
        if len(n_read) <= 2:
            both.wait()  # for ever, if one block is read after the other
        return read(part)

    source._read = read_with_another
    values = source.map(lambda rows: rows[:, 0].copy())
    first = next(values)
    deadline = time.monotonic() + 20
    while len(n_read) < 3 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert len(n_read) == 3  # the caller has one block, and two are coming
    np.testing.assert_array_equal(np.concatenate([first, *values]), X[:, 0])
    np.testing.assert_array_equal(
        np.concatenate([rows for _, rows in source.blocks()]), X
    )


def test_large_row_groups_are_read_one_at_a_time(monkeypatch, tmp_path):
    monkeypatch.setattr(pa, "cpu_count", lambda: 4)
    source = as_parquet(problem()[0], [70], tmp_path)
    assert source._n_readers == 4
    monkeypatch.setattr(_parquet, "AHEAD_BYTES", 3 * 7 * 4 * 8)  # of three groups
    assert ParquetSource(tmp_path / "parquet")._n_readers == 3
    monkeypatch.setattr(_parquet, "AHEAD_BYTES", 1)
    assert ParquetSource(tmp_path / "parquet")._n_readers == 1


# what changes, and what is wrong


def test_a_file_that_was_cut_is_refused(tmp_path):
    X, _ = problem()
    mapped = as_mapped(X, [], tmp_path)
    os.truncate(tmp_path / "rows.npy", 1_000)
    refused(fresh(MinMarginClassifier()), mapped, "X has changed: .* has 1000 bytes")


def written(file, values, **options):
    """Write a column of whole numbers as they are; return the times of the file."""
    how = {"compression": "none", "use_dictionary": False, **options}
    pq.write_table(pa.table({"a": np.asarray(values, dtype=np.int64)}), file, **how)
    return file.stat()


@pytest.mark.parametrize("how", ["time", "size"])
def test_files_that_changed_are_refused(how, tmp_path):
    file = tmp_path / "a.parquet"
    before = written(file, range(100), write_statistics=False)
    source = ParquetSource(tmp_path)
    learner = fresh(MinMarginClassifier(n_initial=4))
    rows = learner.query(source)
    learner.query(source)
    n_rows = 100 if how == "time" else 101
    after = written(file, range(100, 100 + n_rows), write_statistics=False)
    assert (after.st_size == before.st_size) == (how == "time")
    os.utime(file, ns=(0, before.st_mtime_ns + (how == "time")))
    refused(learner, source, r"X has changed: .*a\.parquet was written")
    with pytest.raises(ValueError, match="X has changed"):
        source[rows]
    assert len(learner.query(ParquetSource(tmp_path)))


def test_files_that_are_only_read_have_not_changed(tmp_path):
    status = written(tmp_path / "a.parquet", range(100))
    source = ParquetSource(tmp_path)
    for _ in range(2):
        (tmp_path / "a.parquet").read_bytes()
        pq.read_table(tmp_path / "a.parquet")
        assert len(source[[5, 3]]) == 2
    assert (tmp_path / "a.parquet").stat().st_mtime_ns == status.st_mtime_ns


def test_a_dask_block_of_another_length_is_refused():
    X, y = problem()
    source = da.from_array(X, chunks=(50, 4)).map_blocks(lambda X: X[:40], dtype=float)
    learner = fresh(MinMarginClassifier(n_initial=4)).teach(X[:10], y[:10])
    refused(learner, source, "X has changed: rows .* now there are 40")


def test_two_dask_arrays_of_one_name_are_two_pools():
    X, y = problem("any numbers")
    other = X[::-1] + 1
    first, second = (da.from_array(Z, name="pool", chunks=(50, -1)) for Z in (X, other))
    assert first.name == second.name
    learners = [fresh(MinMarginClassifier(n_initial=4)) for _ in range(4)]
    pools = [first, second, X, other]
    asked = [rows_of(*both, y) for both in zip(learners, pools, strict=True)]
    assert asked[:2] == asked[2:]
    bought = hash_rows(other, np.concatenate(asked[1]))
    np.testing.assert_array_equal(learners[1]._ledger.keys, bought)


def test_a_dask_array_that_was_assigned_to_is_read_again():
    X, _ = problem("any numbers")
    pool, learner = da.from_array(X, chunks=(50, -1)), fresh(MinMarginClassifier())
    learner.query(pool)
    pool[:] = pool + 100
    assert len(learner.pending(pool)) == 0


def test_nothing_of_a_dask_array_stays_when_it_is_gone():
    X, y = problem()
    pool, learner = da.from_array(X, chunks=(50, 4)), fresh(MinMarginClassifier())
    rows = learner.query(pool)
    learner.teach(pool[rows], y[rows])
    learner.query(pool)
    key, array = id(pool), weakref.ref(pool)
    _, kept = _dask.KEPT[key]
    assert set(rows.tolist()) <= kept.keys()
    del pool  # the learner does not hold it
    gc.collect()
    assert array() is None
    assert key not in _dask.KEPT


def test_rows_that_are_kept_may_be_cleared_by_another_thread():
    class Cleared(dict):
        def __contains__(self, number):
            return self.get(number) is not None

        def get(self, number):
            row = super().get(number)
            self.clear()
            return row

    source = _dask.DaskSource(da.from_array(problem()[0], chunks=(50, 4)))
    expected = source.take([3, 5, 3])
    source.kept = Cleared(source.kept)
    np.testing.assert_array_equal(source.take([3, 5, 3]), expected)


WRONG_DASK = [
    (lambda D: D[D[:, 0] > 0], r"unknown chunk sizes\. Call X.compute_chunk_sizes"),
    (lambda D: D[0], "2D array"),
    (lambda D: D.astype("U3"), "numbers"),
    (lambda D: D[:, :0], r"0 feature"),
]


@pytest.mark.parametrize(("make", "words"), WRONG_DASK, ids=["sizes", "1D", "U3", "0"])
def test_dask_arrays_that_will_not_do(make, words):
    source = make(da.from_array(problem()[0], chunks=(50, 4)))
    refused(fresh(MinMarginClassifier()), source, words)


SPARSE_LEARNERS = [
    MinMarginClassifier(n_initial=4, batch_size=3),
    MinMarginClassifier(n_initial=4, batch_size=3, n_candidates=20),
    UncertaintySamplingClassifier(
        make_pipeline(MaxAbsScaler(), LogisticRegression()),
        n_initial=4,
        stopping="stable_predictions",
    ),
    QueryByCommitteeClassifier(n_initial=4, cv=2, estimator=LogisticRegression()),
]


def sparse_problem():
    """Return sparse rows, as CSR and in dask blocks of another kind, and labels."""
    X, y = problem("any numbers")
    X[np.random.default_rng(1).random(X.shape) < 0.7] = 0
    return csr_array(X), da.from_array(X, chunks=((1, 49, 0, 100), (20, 17))), y


@pytest.mark.parametrize(
    ("prototype", "kind"),
    [
        *((prototype, csr_array) for prototype in SPARSE_LEARNERS),
        *((SPARSE_LEARNERS[0], kind) for kind in (csr_matrix, csc_array)),
    ],
)
def test_dask_arrays_of_sparse_blocks(prototype, kind):
    X, pool, y = sparse_problem()
    pool = pool.rechunk({1: -1}).map_blocks(kind)
    asked = []
    learners = fresh(prototype), fresh(prototype)
    for learner, rows in zip(learners, (X, pool), strict=True):
        asked.append([])
        for _ in range(3):
            asked[-1].append(learner.query(rows).tolist())
            learner.teach(X[asked[-1][-1]], y[asked[-1][-1]])
    assert asked[0] == asked[1]
    predicted = learners[1].predict(pool)
    assert isinstance(predicted, da.Array)
    np.testing.assert_array_equal(predicted, learners[0].predict(X))
    assert learners[1].score(pool, y) == learners[0].score(X, y)


def test_rows_of_a_sparse_dask_array_are_taught():
    X, pool, y = sparse_problem()
    pool = pool.map_blocks(csr_array)  # several blocks of columns
    learner = fresh(MinMarginClassifier(n_initial=4, batch_size=5))
    rows = learner.query(pool)
    learner.teach(pool[rows], y[rows])
    assert learner.pending(pool).tolist() == []
    rows = learner.query(pool)
    learner.teach(X[rows], y[rows])
    assert learner.pending(pool).tolist() == []
    assert len(learner.query(pool, exclude=[5])) == 5


def test_streams_take_sparse_dask_arrays():
    X, pool, y = sparse_problem()
    pool = pool.map_blocks(csr_matrix)
    learners = [fresh(CBGZClassifier()) for _ in "ab"]
    for learner, rows in zip(learners, (X, pool), strict=True):
        learner.partial_fit(rows, y, ["a", "b", "c"])
        learner.learn(rows, RecordingOracle(y))
    bought = [learner.queried_indices_.tolist() for learner in learners]
    assert bought[0] == bought[1]
    np.testing.assert_array_equal(learners[0].coef_, learners[1].coef_)
    scores = learners[1].decision_function(pool).compute()
    np.testing.assert_array_equal(scores, learners[0].decision_function(X))


def test_sparse_blocks_are_checked(tmp_path):
    X, pool, _ = sparse_problem()
    again = csr_array(([1.0, 2.0], [3, 3], [0, 2]), shape=(1, 37))
    twice = da.map_blocks(lambda _: again, da.zeros((1, 37)), meta=csr_array((0, 0)))
    source = _dask.DaskSource(twice)
    assert source.take([0]).toarray()[0, 3] == 3.0
    assert len(again.data) == 2  # the block itself is as it was
    dense = da.from_delayed(delayed(lambda: X)(), X.shape, X.dtype)
    learner = fresh(MinMarginClassifier())
    refused(learner, dense, r"takes for dense ones\. Pass X\.map_blocks\(scipy")
    assert len(learner.query(dense.map_blocks(csr_array))) == 10
    learner, coo = fresh(MinMarginClassifier()), pool.map_blocks(coo_matrix)
    refused(learner, coo, "takes for dense ones")  # dask does not know how to cut it
    assert len(learner.query(coo.map_blocks(csr_array))) == 10
    learner = fresh(UncertaintySamplingClassifier(GaussianNB()))
    refused(learner, pool.map_blocks(csr_array), "dense data is required")
    X.data[X.indptr[103]] = np.nan
    wrong = da.from_array(X, chunks=(50, -1), asarray=False)
    refused(fresh(MinMarginClassifier()), wrong, r"row 103\) contains NaN")
    refused(fresh(CBGZClassifier()), wrong, r"row 103\) contains NaN", "learn",
            oracle=len, classes=[0, 1])  # fmt: skip
    learner = fresh(UncertaintySamplingClassifier(MultinomialNB()))
    refused(learner, pool.map_blocks(csr_array), "Negative")
    with pytest.raises(TypeError, match="dense rows, got a dask array with sparse"):
        as_memmap(pool.map_blocks(csr_array), tmp_path / "rows.npy")


def test_other_blocks_of_dask_arrays_are_refused():
    pool = da.from_array(problem()[0])
    pool._meta = pd.DataFrame()  # as of a package that is not installed
    refused(fresh(MinMarginClassifier()), pool, r"got blocks of pandas\..*DataFrame")


@pytest.mark.parametrize("verb", ["query", "partial_fit", "predict"])
@each([MinMarginClassifier(), CBGZClassifier()])
def test_lazy_frames_say_what_to_pass(prototype, verb):
    pl = pytest.importorskip("polars")
    dd = pytest.importorskip("dask.dataframe")
    X, y = problem()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    more = {"y": y, "classes": ["a", "b", "c"]} if verb == "partial_fit" else {}
    learner = fresh(prototype).teach(frame[:90], y[:90], ["a", "b", "c"])
    if verb == "query" and isinstance(learner, CBGZClassifier):
        more = {"limit": 3}
    words = r"LazyFrame, .* X\.collect\(\) if .* X\.sink_parquet"
    refused(learner, pl.from_pandas(frame).lazy(), words, verb, **more)
    words = r"dask DataFrame, .* X\.to_dask_array\(lengths=True\)"
    refused(learner, dd.from_pandas(frame, npartitions=2), words, verb, **more)


#: The columns of each file, the columns that are read, and the error.
WRONG_FILES = [
    ([{"a": ["x"], "b": [1.0]}], None, "'a' of .* has the type string, not numbers"),
    ([{"a": [1.0]}], ["a", "c"], "has no column 'c'"),
    ([{"a": [1.0], "b": [1.0]}, {"a": [1.0]}], None, "has no column 'b'"),
    ([{"a": [1.0]}, {"a": [1]}], None, "have different types"),
    ([{"a": [1.0], "b": [2.0]}], ["a", "b", "a"], "must be unique, got 'a' 2 times"),
    ([{"a": [Decimal("1.25")]}], None, r"'a' of .* has the type decimal128\(3, 2\)"),
    ([{"v": [["x"]]}], None, "column 'v' of .* has the type list<.*string>, not"),
    ([{"v": [[[1.0]]]}], None, "has the type list<.*list<.*not numbers"),
    ([{"v": [[1.0]], "v_0": [1.0]}], None, "must be unique, got 'v_0' 2 times"),
    ([], None, "contains no parquet files"),
]


@pytest.mark.parametrize(("tables", "columns", "words"), WRONG_FILES)
def test_files_that_will_not_do(tables, columns, words, tmp_path):
    for k, columns_of_file in enumerate(tables):
        pq.write_table(pa.table(columns_of_file), tmp_path / f"{k}.parquet")
    with pytest.raises(ValueError, match=words):
        ParquetSource(tmp_path, columns)


def test_columns_are_picked_by_name(tmp_path):
    X, _ = problem()
    as_parquet(X, [60], tmp_path)
    source = ParquetSource(tmp_path / "parquet", columns=["x2", "x0"])
    np.testing.assert_array_equal(
        np.asarray(source[[149, 0, 149]]), X[[149, 0, 149]][:, [2, 0]]
    )
    assert source.shape == (150, 2)
    learner = fresh(MinMarginClassifier(n_initial=4))
    learner.query(source)
    assert learner.feature_names_in_.tolist() == ["x2", "x0"]
    whole = ParquetSource(tmp_path / "parquet", columns=["x0", "x2"])
    refused(learner, whole, "feature names")


FEW_LISTS = [[1.0, 2.0], [3.0, 4.0], None, [5.0, 6.0]]

LIST_TYPES = {
    "fixed": pa.list_(pa.float32(), 5),
    "list": pa.list_(pa.float32()),
    "large": pa.large_list(pa.float64()),
    "whole": pa.list_(pa.int8()),
}


def as_lists(X, kind, folder, **more):
    """Return two files with a column of lists, `v`, and others."""
    for k, rows in enumerate([slice(0, 60), slice(60, len(X))]):
        lists = pa.array(X[rows].tolist(), pa.list_(pa.float64())).cast(kind)
        columns = {"v": lists, **{name: more[name][rows] for name in more}}
        pq.write_table(pa.table(columns), folder / f"{k}.parquet", row_group_size=7)
    return folder


@pytest.mark.parametrize("kind", LIST_TYPES.values(), ids=list(LIST_TYPES))
def test_a_column_of_lists_becomes_features(kind, tmp_path):
    X, y = problem()
    X = np.column_stack([X, X[:, 0] - X[:, 3]])
    source = ParquetSource(as_lists(X, kind, tmp_path))
    is_double = kind.value_type == pa.float64()
    assert source.dtype == (np.float64 if is_double else np.float32)
    assert source.columns == ["v_0", "v_1", "v_2", "v_3", "v_4"]
    learners = [fresh(MinMarginClassifier(n_initial=4, batch_size=3)) for _ in "ab"]
    asked = [rows_of(*each, y) for each in zip(learners, (X, source), strict=True)]
    assert asked[0] == asked[1]
    assert learners[1].feature_names_in_.tolist() == source.columns
    np.testing.assert_array_equal(source.take([149, 0, 70]), X[[149, 0, 70]])
    np.testing.assert_array_equal(as_memmap(source, tmp_path / "rows.npy"), X)
    assert source[[]].column_names == source.columns


def test_lists_stand_beside_numbers_in_the_order_of_the_columns(tmp_path):
    X, _ = problem()
    more = {"a": np.arange(150), "text": np.array(["x"] * 150)}
    folder = as_lists(X, pa.list_(pa.float32(), 4), tmp_path, **more)
    source = ParquetSource(folder, columns=["a", "v"])
    expected = np.column_stack([more["a"], X])
    assert source.columns == ["a", "v_0", "v_1", "v_2", "v_3"]
    rows = np.array([149, 3, 60, 3])
    np.testing.assert_array_equal(np.asarray(source[rows]), expected[rows])
    np.testing.assert_array_equal(source.take(rows), expected[rows])
    np.testing.assert_array_equal(
        np.concatenate([block for _, block in source.blocks()]), expected
    )


def test_lists_of_embeddings_are_not_copied(tmp_path):
    folder = as_lists(problem()[0], pa.list_(pa.float32(), 4), tmp_path)
    _, block = next(ParquetSource(folder).blocks())
    assert block.base is not None
    assert not block.flags.writeable  # it is the memory of Arrow


@pytest.mark.parametrize("kind", [pa.list_(pa.float32(), 2), pa.list_(pa.float32())])
def test_missing_lists_are_rows_of_nan(kind, tmp_path):
    file = tmp_path / "a.parquet"
    lists = [*FEW_LISTS, [7.0, None]]
    pq.write_table(pa.table({"v": pa.array(lists, kind)}), file)
    source, nan = ParquetSource(file), np.nan
    expected = [[1, 2], [3, 4], [nan, nan], [5, 6], [7, nan]]
    np.testing.assert_array_equal(source.take(slice(None)), expected)
    np.testing.assert_array_equal(np.asarray(source[[2, 3, 4]]), expected[2:])
    refused(fresh(MinMarginClassifier()), source, r"\(row 2, row 2 of .*a\.parquet\)")


def test_the_length_of_lists_is_that_of_the_first_list(tmp_path):
    lists = [None, None, None, [1.0], [2.0], None, [1.0, 2.0]]
    kind, file = pa.list_(pa.float64()), tmp_path / "a.parquet"
    pq.write_table(pa.table({"v": pa.array(lists, kind)}), file, row_group_size=3)
    source = ParquetSource(file)
    assert source.shape == (7, 1)
    words = r"column 'v' must have 1 numbers .* got 2 numbers in row 6 of .*a\.parquet"
    learner = fresh(MinMarginClassifier(make_pipeline(SimpleImputer(), LinearSVC())))
    refused(learner, source, words)
    with pytest.raises(ValueError, match=words):
        source[[6]]
    pq.write_table(pa.table({"v": pa.array(lists[:3], kind)}), file)
    with pytest.raises(ValueError, match="lists of the column 'v' are all missing"):
        ParquetSource(file)


def as_partitions(X, folder):
    """Write rows in folders of years and kinds; return the rows in their order."""
    years = np.where(np.arange(len(X)) % 3 == 0, 2024, 2023)
    for year in (2023, 2024):
        inside = folder / f"year={year}" / f"kind={'a%20b' if year == 2023 else 'c'}"
        inside.mkdir(parents=True)
        (rows,) = np.nonzero(years == year)
        columns = dict(zip(["x0", "x1", "x2", "x3"], X[rows].T, strict=True))
        file = inside / "rows.parquet"
        part = pa.table({**columns, "id": [f"r{row}" for row in rows]})
        pq.write_table(part, file, row_group_size=20)
    return np.r_[np.flatnonzero(years == 2023), np.flatnonzero(years == 2024)]


FEATURES = ["x0", "x1", "x2", "x3"]


@pytest.mark.parametrize("way", ["folder", "glob", "dataset"])
def test_partition_columns_are_not_read_and_columns_can_be_ids(way, tmp_path):
    X, y = problem("any numbers")
    X = X[:, :4]
    order = as_partitions(X, tmp_path)
    path = {"folder": tmp_path, "glob": tmp_path / "**" / "*.parquet"}.get(way)
    path = path or ds.dataset(tmp_path, partitioning="hive")
    with pytest.raises(ValueError, match=r"column 'id' .* string"):
        ParquetSource(path)
    source = ParquetSource(path, columns=FEATURES)
    np.testing.assert_array_equal(source.take(slice(None)), X[order])
    ids = source.read_column("id")
    assert ids.to_pylist() == [f"r{row}" for row in order]
    learner = fresh(MinMarginClassifier(n_initial=4))
    rows = learner.query(source, ids=ids)
    learner.teach(source[rows], y[order][rows], ids=ids.take(rows))
    assert len(learner.query(source, ids=ids)) == 1
    for ask in (source.read_column, lambda name: ParquetSource(path, ["x0", name])):
        with pytest.raises(ValueError, match="has no column 'year'"):
            ask("year")


def test_a_filtered_dataset_is_refused(tmp_path):
    written(tmp_path / "a.parquet", range(3))
    filtered = ds.dataset(tmp_path).filter(ds.field("a") > 1)
    refused(fresh(MinMarginClassifier()), filtered, "filtered dataset.*write_dataset")


@each_source
def test_as_memmap(make, tmp_path):
    X, _ = problem("any numbers")
    copy = as_memmap(make(X, [60, 60], tmp_path), tmp_path / "copy.npy")
    np.testing.assert_array_equal(copy, X)
    assert isinstance(copy, np.memmap)
    single = as_memmap(X, str(tmp_path / "copy.npy"), dtype="f4")
    assert single.dtype == np.float32
    assert sorted(file.name for file in tmp_path.glob("copy*")) == ["copy.npy"]


def test_what_cannot_be_mapped(tmp_path):
    with pytest.raises(TypeError, match="X must be a source or an array"):
        as_memmap([[1.0]], tmp_path / "x.npy")
    with pytest.raises(ValueError, match="must hold numbers"):
        as_memmap(np.array([["a"]]), tmp_path / "x.npy")
    assert not [*tmp_path.iterdir()]


@each_source
def test_a_measure_that_fails_bills_nothing(make, tmp_path):
    X, y = problem()

    def fails(probabilities):
        raise ZeroDivisionError("oops")

    learner = fresh(UncertaintySamplingClassifier(measure=fails, n_initial=4))
    source = make(X, [60], tmp_path)
    learner.teach(source[np.arange(20)], y[:20])
    before = vars(learner).copy()
    with pytest.raises(ZeroDivisionError, match="oops") as caught:
        learner.query(source)
    assert vars(learner) == before
    assert re.match(r"This happened in rows \d+ to \d+ of X", caught.value.__notes__[0])


@each_source
def test_score(make, tmp_path):
    X, y = problem()
    source = make(X, [60], tmp_path)
    learner = fresh(UncertaintySamplingClassifier(n_initial=20))
    rows = learner.query(source)
    learner.teach(source[rows], y[rows])
    predicted = np.asarray(learner.predict(source))
    assert learner.score(source, y) == np.mean(predicted == y)
    assert learner.predict_proba(source).shape == (150, 3)
    assert learner.decision_function(source).shape == (150, 3)
    if make is as_dask:
        assert isinstance(learner.predict_proba(source), da.Array)


BROKEN = {
    "empty": lambda data: b"",
    "cut": lambda data: data[:-40],
    "foreign": lambda data: b"a,b\n1,2\n",
    "footer": lambda data: data[:-60] + bytes(40) + data[-20:],
}


@pytest.mark.parametrize("harm", BROKEN.values(), ids=list(BROKEN))
@pytest.mark.parametrize("name", ["0", "1"])
def test_files_that_cannot_be_opened_are_named(name, harm, tmp_path):
    as_parquet(problem()[0], [60], tmp_path)
    file = tmp_path / "parquet" / f"{name}.parquet"
    file.write_bytes(harm(file.read_bytes()))
    words = rf"{re.escape(str(file))} cannot be read as a parquet file: .*glob"
    for path in (tmp_path / "parquet", [file]):
        with pytest.raises(ValueError, match=words) as caught:
            ParquetSource(path)
        assert type(caught.value) is ValueError  # not an error of pyarrow


@pytest.mark.parametrize("names", ["no.parquet", ["no.parquet"], "no/*.parquet"])
def test_files_that_are_missing_are_named(names, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError, match=r"no/?\*?\.parquet.* begin at ") as caught:
        ParquetSource(names)
    assert type(caught.value) is FileNotFoundError
    with pytest.raises(IsADirectoryError, match=r"contains a folder\. Pass"):
        ParquetSource([tmp_path])
    with pytest.raises(ValueError, match="contains no parquet files"):
        ParquetSource([])


def test_a_file_that_is_gone_is_named(tmp_path):
    source = as_parquet(problem()[0], [60], tmp_path)
    (tmp_path / "parquet" / "1.parquet").unlink()
    with pytest.raises(ValueError, match=r"1\.parquet was written again or removed"):
        source[[3]]


def zero_data(file):
    """Set 100 bytes in the first page of a file to zero; keep the times of the file."""
    column = pq.read_metadata(file).row_group(0).column(0)
    data, status = bytearray(file.read_bytes()), file.stat()
    at = column.data_page_offset + column.total_compressed_size // 2
    assert any(data[at : at + 100])
    data[at : at + 100] = bytes(100)
    file.write_bytes(data)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("way", ["path", "take"])
def test_checksums_of_pages_are_verified(way, tmp_path):
    file = tmp_path / "a.parquet"
    written(file, range(1_000), write_page_checksum=True)
    assert len(ParquetSource(file)[:]) == 1_000
    zero_data(file)
    source = ParquetSource(tmp_path)
    words = r"Row group 0 of .*a\.parquet cannot be read: .* The file is damaged"
    with pytest.raises(OSError, match=words):
        source[:] if way == "take" else fresh(MinMarginClassifier()).query(source)


def test_globs_are_files_sorted_by_their_paths(monkeypatch, tmp_path):
    X, _ = problem()
    as_parquet(X, [60], tmp_path)
    (tmp_path / "parquet" / "notes.txt").write_text("not parquet")
    monkeypatch.chdir(tmp_path)
    for name in ["parquet/*.parquet", "**/[01].parquet", tmp_path / "*" / "?.parquet"]:
        np.testing.assert_array_equal(np.asarray(ParquetSource(name)[:]), X)
    np.testing.assert_array_equal(
        np.asarray(ParquetSource(["parquet/*.parquet"])[:]), X
    )
    turned = ParquetSource(["parquet/1.parquet", Path("parquet", "0.parquet")])
    np.testing.assert_array_equal(np.asarray(turned[:]), np.r_[X[60:], X[:60]])
    (tmp_path / "odd[1]").mkdir()  # the name of a folder, not a glob
    written(tmp_path / "odd[1]" / "a.parquet", range(10))
    assert len(ParquetSource("odd[1]")) == 10


def test_parquet_without_pyarrow_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        ParquetSource(tmp_path)
