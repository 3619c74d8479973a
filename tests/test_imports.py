"""What an import brings along: nothing slow that is needed later, if ever."""

import os
import subprocess
import sys

SLOW = ["sklearn.calibration", "sklearn.cluster", "sklearn.ensemble"]
#: Statements in the order in which one process runs them, and what none before it and
#: not itself may load.
STATEMENTS = {
    "from sklearn_activelearn import CBGZClassifier": [
        *SLOW,
        "sklearn_activelearn.pool",
        "sklearn_activelearn.batch",
    ],
    "from sklearn_activelearn import pool": [
        *SLOW,
        "sklearn.decomposition",
        "sklearn.neighbors",
    ],
    "from sklearn_activelearn import MinMarginClassifier, evaluation": SLOW,
    "import sklearn_activelearn._cli.labelled_data": [*SLOW, "matplotlib"],
}


def test_nothing_slow_is_imported_that_may_never_be_needed():
    program = "import sys\n" + "\n".join(
        f"{statement}\nprint(*sys.modules)" for statement in STATEMENTS
    )
    printed = subprocess.check_output(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
    )
    for modules, (statement, absent) in zip(
        printed.splitlines(), STATEMENTS.items(), strict=True
    ):
        assert "sklearn.base" in modules.split()
        assert not {*absent} & {*modules.split()}, statement
