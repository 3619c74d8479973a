"""The same rows in every kind of source, cut in every way."""

from itertools import pairwise

import numpy as np
import pytest

from sklearn_activelearn.sources import ParquetSource
from tests.learners import explores, name_of


def names(X):
    """Return names for the columns."""
    return [f"x{j}" for j in range(X.shape[1])]


def as_mapped(X, cuts, folder):
    np.save(folder / "rows.npy", X)
    return np.load(folder / "rows.npy", mmap_mode="r")


def as_dask(X, cuts, folder):
    da = pytest.importorskip("dask.array")
    width = max(X.shape[1] // 2, 1)
    chunks = tuple(np.diff([0, *cuts, len(X)]).tolist())
    return da.from_array(X, chunks=(chunks, width))


def as_parquet(X, cuts, folder):
    """One file for each cut, row groups of seven rows."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    folder = folder / "parquet"
    folder.mkdir()
    for k, (start, stop) in enumerate(pairwise([0, *cuts, len(X)])):
        part = pa.table(dict(zip(names(X), X[start:stop].T, strict=True)))
        pq.write_table(part, folder / f"{k}.parquet", row_group_size=7)
    return ParquetSource(folder)


SOURCES = {"memmap": as_mapped, "dask": as_dask, "parquet": as_parquet}


def in_some_source(learners):
    """Pair each learner with a source, in turn; `explore` pairs all with all."""
    kinds = list(SOURCES.items())
    return pytest.mark.parametrize(
        ("prototype", "make"),
        [
            pytest.param(learner, make, id=f"{name_of(learner)}-{name}")
            for k, learner in enumerate(learners)
            for name, make in (kinds if explores() else [kinds[k % len(kinds)]])
        ],
    )
