"""One purchase from 3,000,000 rows: learners that measure distances, beside margins.

Each learner buys five batches of 20 rows from an array, a memory map, parquet files and
a dask array, in a process of its own with BLAS on one thread. Printed are the processor
seconds of a query (median of the last three), the greatest resident memory without the
pages of files, and a hash of the rows, which must be the same for each container.

    python -m benchmarks.speed.large_queries [--quick]
"""

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import process_time
from warnings import catch_warnings, simplefilter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.options import parse
from benchmarks.speed.big_pools import N_FEATURES, anonymous, open_dask, write_map
from sklearn_activelearn import (
    HybridSamplingClassifier,
    MinMarginClassifier,
    UncertaintyHerdingClassifier,
)
from sklearn_activelearn.sources import ParquetSource

BATCH = {"batch_size": 20, "random_state": 0}
LEARNERS = {
    "margin": MinMarginClassifier(**BATCH),
    "hybrid": HybridSamplingClassifier(**BATCH),
    "herding": UncertaintyHerdingClassifier(**BATCH),
    "margin, batch=cluster": MinMarginClassifier(batch="cluster", **BATCH),
}


def open_array(folder):
    return np.load(folder / "rows.npy")


def open_map(folder):
    return np.load(folder / "rows.npy", mmap_mode="r")


def open_parquet(folder):
    return ParquetSource(folder / "parquet")


CONTAINERS = {
    "array": open_array,
    "memory map": open_map,
    "parquet": open_parquet,
    "dask": lambda folder: open_dask(folder / "rows.npy"),
}


def write(folder, n_rows):
    """Write the same rows as a memory map and as three parquet files."""
    X = write_map(folder / "rows.npy", n_rows)
    (folder / "parquet").mkdir()
    for k, part in enumerate(np.array_split(X, 3)):
        columns = {f"x{j}": part[:, j] for j in range(N_FEATURES)}
        file, how = folder / "parquet" / f"{k}.parquet", {"compression": "zstd"}
        pq.write_table(pa.table(columns), file, row_group_size=2**16, **how)


def measure(folder, container, name):
    """Print what five purchases of one learner take."""
    learner, pool = LEARNERS[name], CONTAINERS[container](folder)
    rows_of, highest, is_over = open_map(folder), [0], Event()

    def watch():
        while not is_over.wait(0.005):
            highest[0] = max(highest[0], anonymous())

    watcher = Thread(target=watch)
    watcher.start()
    bought, seconds = [], []
    for _ in range(5):
        begun = process_time()
        rows = learner.query(pool)
        seconds.append(process_time() - begun)
        some = np.asarray(rows_of[rows])
        learner.teach(pool[rows], some[:, 0] + some[:, 1] > 0)
        bought += rows.tolist()
    is_over.set()
    watcher.join()
    same = sha256(str(bought).encode()).hexdigest()[:8]
    print(
        f"{name}, {container}: {median(seconds[2:]):.2f} s, {highest[0] / 1e6:.0f} MB, "
        f"rows {same}",
        flush=True,
    )


def main():
    """Run each learner on each container."""
    args = parse(__doc__, case=[str], folder=Path)
    if args.case:
        with catch_warnings():
            simplefilter("ignore")
            measure(args.folder, *args.case)
        return
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with TemporaryDirectory() as folder:
        write(Path(folder), 60_000 if args.quick else 3_000_000)
        module = [sys.executable, "-m", "benchmarks.speed.large_queries"]
        names = ["herding"] if args.quick else LEARNERS
        containers = ["array", "memory map", "parquet"] if args.quick else CONTAINERS
        for name in names:
            for container in containers:
                case = [*module, "--folder", folder, "--case", container, name]
                done = subprocess.run(
                    case, check=True, capture_output=True, text=True, env=environment,
                    cwd=Path(__file__).parents[2],
                )  # fmt: skip
                print(done.stdout.splitlines()[-1], flush=True)


if __name__ == "__main__":
    main()
