"""The recipes for engines, against real engines on this machine."""

import os
import runpy
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from sklearn_activelearn import MinMarginClassifier, UncertaintySamplingClassifier

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # engines warn of their dependencies
]
SNIPPETS = Path(__file__).resolve().parents[2] / "docs" / "snippets"
FEATURES, N_ROWS = [f"x{j}" for j in range(5)], 3_000


def recipe(engine):
    return runpy.run_path(str(SNIPPETS / f"engine_{engine}.py"))["best_rows"]


@pytest.fixture
def folder(tmp_path):
    """Return a folder of parquet files with rows of numbers and their ids."""
    pytest.importorskip("pyarrow")
    X = np.random.default_rng(0).standard_normal((N_ROWS, len(FEATURES)))
    frame = pd.DataFrame(X, columns=FEATURES)
    frame["id"] = [f"r{row}" for row in range(N_ROWS)]
    for k in range(4):
        frame[k::4].to_parquet(tmp_path / f"{k}.parquet", index=False)
    return tmp_path


def check_purchases(best_rows, rows, folder):
    """Compare four purchases with those of a query on the whole pool."""
    pool = pd.read_parquet(folder)
    X, ids = pool[FEATURES].to_numpy(), pool["id"].to_numpy()
    labels = dict(zip(ids, X[:, 0] + X[:, 1] ** 2 > 0.5, strict=True))
    whole, engine = (MinMarginClassifier(batch_size=10, random_state=0) for _ in "ab")
    found = ids[whole.query(X, ids=ids)]
    some = pool.iloc[engine.query(X, ids=ids)]  # of a sample, if the pool is large
    for _ in range(4):
        y = [labels[id] for id in found]
        whole.teach(X[pd.Index(ids).get_indexer(found)], y, ids=found)
        y = [labels[id] for id in some["id"]]
        engine.teach(some[FEATURES].to_numpy(), y, ids=some["id"])
        found = ids[whole.query(X, ids=ids)]
        best = best_rows(engine, rows, FEATURES, 20)
        bought = engine.query(best[FEATURES].to_numpy(), ids=best["id"])
        some = best.iloc[bought]
        assert some["id"].tolist() == found.tolist()
    assert engine.n_queries_ == whole.n_queries_ == 50
    check_ties(best_rows, rows, pool)


def check_ties(best_rows, rows, pool):
    """Check that equally good rows of all parts are among the best, as at random."""
    X, ids = pool[FEATURES].to_numpy(), pool["id"]
    learner = UncertaintySamplingClassifier(DecisionTreeClassifier(max_depth=1))
    y = (X[:500, 0] > 0) & (X[:500, 1] > 0.2)  # one leaf is pure, the other is not
    learner.teach(X[:500], y, ids=ids[:500])
    utility = learner.utility(X)
    assert np.unique(utility).size == 2
    best = best_rows(learner, rows, FEATURES, 200)
    assert len({*best["id"]} - {*ids[:500]}) == 200
    assert np.all(utility[pd.Index(ids).get_indexer(best["id"])] == utility.max())
    numbers = best["id"].str[1:].astype(int)
    for share in numbers < N_ROWS / 2, numbers % 4 < 2:
        assert 70 < np.count_nonzero(share) < 130


def test_spark(folder, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    builder = sql.SparkSession.builder.master("local[2]")
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    try:
        rows = session.read.parquet(str(folder))
        check_purchases(recipe("spark"), rows, folder)
    finally:
        session.stop()


def test_ray(folder, monkeypatch):
    ray = pytest.importorskip("ray")
    data = pytest.importorskip("ray.data")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.getcwd(), *sys.path]))
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=2**28)
    try:
        check_purchases(recipe("ray"), data.read_parquet(str(folder)), folder)
    finally:
        ray.shutdown()


def test_dask(folder):
    dask_frames = pytest.importorskip("dask.dataframe")
    rows = dask_frames.read_parquet(folder)
    check_purchases(recipe("dask"), rows, folder)


def test_sql(folder):
    with closing(sqlite3.connect(":memory:")) as connection:
        pd.read_parquet(folder).to_sql("pool", connection, index=False)
        check_purchases(recipe("sql"), connection, folder)
