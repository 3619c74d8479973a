"""Import time beyond the import of `sklearn.linear_model`, which all learners need.

Each statement runs in a separate process, after `sklearn.linear_model`; in turn, so
that all meet the same weather. Seconds are those of the processor, median over the
rounds. The last line is different: what passes until `compare` prints its first line.

    python -m benchmarks.speed.imports [--rounds 9] [--quick]
"""

import subprocess
import sys
from time import perf_counter

import numpy as np

from benchmarks.speed._interleave import main, write_lines
from benchmarks.speed._results import FOLDER

NEEDED = "import sklearn.linear_model"
STATEMENTS = {
    "a stream learner": "from sklearn_activelearn import CBGZClassifier",
    "a pool learner": "from sklearn_activelearn import UncertaintySamplingClassifier",
    "the evaluation": "from sklearn_activelearn import evaluation",
}
FIRST_LINE = "compare, until its first line"
GOALS = {"a stream learner": 0.2, "a pool learner": 0.2, FIRST_LINE: 1.5}


def imported(statement):
    """Return how long scikit-learn's import and a further one take in a new process."""
    program = (
        "from time import process_time as now; start = now(); "
        f"{NEEDED}; needed = now(); {statement}; print(needed - start, now() - needed)"
    )
    out = subprocess.check_output([sys.executable, "-c", program], text=True)
    return [*map(float, out.split())]


def first_line():
    """Return after how many seconds `compare` says something."""
    command = [sys.executable, "-m", "sklearn_activelearn", "compare"]
    started = perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        process.stderr.readline()
        seconds = perf_counter() - started
        process.kill()
    return seconds


def benchmark(quick, rounds):
    needed, beyond, lines = [], {name: [] for name in STATEMENTS}, []
    for _ in range(rounds):
        for name, statement in STATEMENTS.items():
            before, further = imported(statement)
            needed.append(before)
            beyond[name].append(further)
        lines.append(first_line())
    table = {
        NEEDED.removeprefix("import "): (needed, ""),
        **{name: (seconds, GOALS.get(name, "")) for name, seconds in beyond.items()},
        FIRST_LINE: (lines, GOALS[FIRST_LINE]),
    }
    rows = []
    for name, (seconds, goal) in table.items():
        rows.append([name, f"{np.median(seconds):.2f}", f"{min(seconds):.2f}", goal])
    names = "import", "seconds", "least", "goal"
    lines = [dict(zip(names, row, strict=True)) for row in rows]
    write_lines(FOLDER / "imports_speed.csv", lines, rounds, quick)


if __name__ == "__main__":
    main(__doc__, benchmark)
