"""dask arrays on a cluster; joblib's work on it, too."""

import os

import joblib
import numpy as np
import pytest
from sklearn.svm import LinearSVC

from sklearn_activelearn import (
    ALMSClassifier,
    MinMarginClassifier,
    QueryByCommitteeClassifier,
    UncertaintySamplingClassifier,
)
from tests.tools import fresh

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")


@pytest.fixture(scope="module")
def client():
    """Another process, which takes seconds to start, and this one."""
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=2,
            dashboard_address="127.0.0.1:0",  # any port: another process has tests, too
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def problem():
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(200, 4)).astype(np.float64)
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


def bought(learner, X, source, y):
    rows = [learner.query(source)]
    for _ in range(2):
        learner.teach(X[rows[-1]], y[rows[-1]])
        rows.append(learner.query(source))
    return np.concatenate(rows).tolist()


def test_the_workers_score_their_blocks(client):
    X, y = problem()
    prototype = MinMarginClassifier(n_initial=4, batch_size=3)
    expected = bought(fresh(prototype), X, X, y)
    source = client.persist(da.from_array(X, chunks=(70, 4)))
    learner = fresh(prototype)
    assert bought(learner, X, source, y) == expected
    np.testing.assert_array_equal(learner.predict(source).compute(), learner.predict(X))


def test_a_worker_that_dies_is_replaced(client, tmp_path):
    X, y = problem()
    prototype = UncertaintySamplingClassifier(n_initial=4, batch_size=3)
    expected = bought(fresh(prototype), X, X, y)
    has_died = tmp_path / "died"

    def read(start):
        if start == 100 and not has_died.exists():
            has_died.touch()
            os._exit(1)
        return X[start : start + 50]

    blocks = [
        da.from_delayed(client_delayed(read)(start), shape=(50, 4), dtype=X.dtype)
        for start in range(0, 200, 50)
    ]
    assert bought(fresh(prototype), X, da.concatenate(blocks), y) == expected
    assert has_died.exists()


def client_delayed(function):
    import dask

    return dask.delayed(function)


def test_a_block_that_fails_bills_nothing(client):
    X, y = problem()
    learner = fresh(MinMarginClassifier(n_initial=4)).teach(X[:10], y[:10])

    def broken(block, block_info=None):
        if block_info[0]["array-location"][0][0] == 100:
            raise OSError("disk")
        return block

    source = da.from_array(X, chunks=(50, 4)).map_blocks(broken, dtype=X.dtype)
    with pytest.raises(OSError, match="disk"):
        learner.query(source)
    assert (learner.n_queries_, learner.n_pending_) == (0, 0)


@pytest.mark.parametrize(
    "learner",
    [
        QueryByCommitteeClassifier(
            LinearSVC(), param_grid={"C": [0.1, 1]}, cv=2, n_initial=6, budget=7
        ),
        ALMSClassifier(n_candidates=2, n_pairs=2, n_initial=8, budget=10),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_joblib_spreads_the_rest(client, learner):
    X, y = problem()
    expected = fresh(learner).fit(X, y)
    with joblib.parallel_config(backend="dask"):
        found = fresh(learner).fit(X, y)
    assert found.queried_indices_.tolist() == expected.queried_indices_.tolist()
