"""Pools that do not fit: a query over memory maps, parquet files and dask arrays.

In memory: a query beside the estimator's own scoring, in float64 and float32. Memory
map: beside one blockwise `decision_function`, and what a query takes of memory
(resident size of a child process, without the pages of the file). Parquet: beside its
own decoding. dask: beside the memory map. Stream: one pass over a sparse file beside
summing it.

    python -m benchmarks.speed.big_pools [--rounds 7] [--quick]
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

import dask
import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from sklearn.svm import LinearSVC

from benchmarks.speed._interleave import Case, main, table
from sklearn_activelearn import CBGZClassifier, MinMarginClassifier
from sklearn_activelearn.sources import ParquetSource

N_FEATURES, N_TAUGHT, BLOCK = 50, 100, 65_536


def learner_of(X, **params):
    """Return a learner that was taught rows that it asked for."""
    learner = MinMarginClassifier(
        LinearSVC(), n_initial=N_TAUGHT, budget=None, random_state=0, **params
    )
    rows = np.sort(learner.query(X, candidates=np.arange(N_TAUGHT)))
    some = np.asarray(X[rows])
    return learner.teach(X[rows], some[:, 0] + some[:, 1] > 0)


def in_memory(n_rows, rounds):
    """Print the table for arrays."""
    X = np.random.default_rng(0).standard_normal((n_rows, N_FEATURES))
    single = X.astype(np.float32)
    learner, other = learner_of(X), learner_of(single)
    own, query = "decision_function, float64", "query, float64"
    sampled = learner_of(X, n_candidates=10_000)
    table(
        f"an array of {n_rows:,} x {N_FEATURES}",
        [
            Case(own, lambda: learner.estimator_.decision_function(X)),
            Case(query, lambda: learner.query(X), own, at_most=1.2),
            Case("query, float32", lambda: other.query(single), query, at_most=1.1),
            Case("query, n_candidates=10,000", lambda: sampled.query(X), own),
        ],
        rounds,
    )


def blockwise(model, X):
    """Return the decision values of all rows."""
    starts = range(0, len(X), BLOCK)
    return np.concatenate(
        [model.decision_function(X[start : start + BLOCK]) for start in starts]
    )


def write_map(path, n_rows):
    """Write a memory map of float32; return it."""
    X = np.lib.format.open_memmap(path, "w+", np.float32, (n_rows, N_FEATURES))
    rng = np.random.default_rng(0)
    for start in range(0, n_rows, 2**18):
        block = X[start : start + 2**18]
        block[:] = rng.standard_normal(block.shape, dtype=np.float32)
    X.flush()
    return np.load(path, mmap_mode="r")


def open_dask(path):
    """Return a dask array whose blocks are read from a memory map.

    `dask.array.from_array` would copy the whole map into memory.
    """
    shape, dtype = np.load(path, mmap_mode="r").shape, np.float32

    def read(block_info):
        start, stop = block_info[None]["array-location"][0]
        return np.load(path, mmap_mode="r")[start:stop]

    chunks = da.core.normalize_chunks((2**18, N_FEATURES), shape)
    meta = np.empty((0, N_FEATURES), dtype)
    return da.map_blocks(read, chunks=chunks, dtype=dtype, meta=meta)


def mapped(path, n_rows, rounds):
    """Print the tables for a memory map, and dask over it."""
    X = write_map(path, n_rows)
    Z = open_dask(path)
    learner, other = learner_of(X), learner_of(X)
    own, query = "blockwise decision_function", "query, memory map"

    def on_one_thread():
        with dask.config.set(scheduler="synchronous"):
            other.query(Z)

    table(
        f"a memory map of {n_rows:,} x {N_FEATURES} in float32",
        [
            Case(own, lambda: blockwise(learner.estimator_, X)),
            Case(query, lambda: learner.query(X), own, at_most=1.5),
            Case("query, dask, one thread", on_one_thread, query, at_most=1.3),
            Case(
                "query, dask, its threads", lambda: other.query(Z), query, at_most=1.3
            ),
        ],
        rounds,
    )
    run = [sys.executable, "-m", "benchmarks.speed.big_pools", "--resident", str(path)]
    # memory that is freed goes back at once
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "1000000"}
    root = Path(__file__).parents[2]
    done = subprocess.run(
        run, check=True, capture_output=True, env=environment, cwd=root
    )
    n_bytes = int(done.stdout)
    beyond = n_bytes / 1e6 - 8 * n_rows / 1e6
    print(
        f"  memory of a query: {n_bytes / 1e6:.0f} MB, that is 8 bytes a row and "
        f"{beyond:.0f} MB (target: 8 bytes a row and blocks)"
    )


def anonymous():
    """Return the bytes of this process that are no pages of files."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) * 1024
    raise OSError("no RssAnon")


def resident(path):
    """Print by how much a query raises the resident size, at most."""
    X = np.load(path, mmap_mode="r")
    learner = learner_of(X)
    learner.query(X, candidates=np.arange(10))
    before, highest, is_over = anonymous(), [0], Event()

    def watch():
        while not is_over.wait(0.002):
            highest[0] = max(highest[0], anonymous())

    watcher = Thread(target=watch)
    watcher.start()
    learner.query(X)
    is_over.set()
    watcher.join()
    print(highest[0] - before)


def parquet(folder, n_rows, rounds):
    """Print the table for parquet files."""
    folder.mkdir()
    rng, names = np.random.default_rng(0), [f"x{j}" for j in range(N_FEATURES)]
    for k in range(2):
        X = rng.standard_normal((N_FEATURES, n_rows // 2), dtype=np.float32)
        part = pa.table(dict(zip(names, X, strict=True)))
        file = folder / f"{k}.parquet"
        pq.write_table(part, file, compression="zstd", row_group_size=2**16)
    source = ParquetSource(folder)
    learner, dataset = learner_of(source), ds.dataset(folder)
    own = "decoding: pyarrow.dataset.to_table"
    table(
        f"two parquet files of {n_rows:,} x {N_FEATURES} in float32, zstd",
        [
            Case(own, dataset.to_table),
            Case("query", lambda: learner.query(source), own, at_most=1.1),
        ],
        rounds,
    )


def stream(path, n_rows, n_features, rounds):
    """Print the table for one pass over a file, the same rows again and again."""
    X = np.memmap(path, np.float32, "w+", shape=(n_rows, n_features))
    rng = np.random.default_rng(0)
    some = rng.standard_normal((8_192, n_features), dtype=np.float32)
    blocks = range(0, n_rows, len(some))
    for k in blocks:
        X[k : k + len(some)] = some[: n_rows - k]
    y = np.resize((some @ rng.standard_normal(n_features) > 0).astype(np.int8), n_rows)
    read = "reading: blockwise sum"
    table(
        f"a memory map of {X.nbytes / 1e9:.3g} GB, a stream of {n_features} features",
        [
            Case(read, lambda: [X[k : k + 8_192].sum() for k in blocks]),
            Case(
                "partial_fit, CBGZ, 1,000 labels",
                lambda: CBGZClassifier(budget=1_000, random_state=0).partial_fit(
                    X, y, [0, 1]
                ),
                read,
                at_most=1 / 0.8,
            ),
        ],
        rounds,
    )


def benchmark(quick, rounds):
    n = 5_000 if quick else 10**6
    in_memory(n, rounds)
    with TemporaryDirectory() as folder:
        folder = Path(folder)
        parquet(folder / "parquet", n, rounds)
        mapped(folder / "rows.npy", 2 * n if quick else 10 * n, min(rounds, 3))
        (folder / "rows.npy").unlink()
        stream(folder / "stream", n // 100 if quick else 10 * n, 500, min(rounds, 2))


if __name__ == "__main__":
    if "--resident" in sys.argv:
        resident(sys.argv[-1])
    else:
        main(__doc__, benchmark)
