"""What an import brings along: nothing slow that is needed later, if ever."""

import os
import subprocess
import sys

import pytest

SLOW = ["sklearn.calibration", "sklearn.cluster", "sklearn.ensemble"]


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        (
            "from sklearn_activelearn import CBGZClassifier",
            ["sklearn_activelearn.pool", "sklearn_activelearn.batch"],
        ),
        ("from sklearn_activelearn import MinMarginClassifier, evaluation", SLOW),
        (
            "from sklearn_activelearn import pool",
            [*SLOW, "sklearn.decomposition", "sklearn.neighbors"],
        ),
        ("import sklearn_activelearn._cli.labelled_data", [*SLOW, "matplotlib"]),
    ],
)
def test_nothing_slow_is_imported_that_may_never_be_needed(statement, absent):
    program = f"import sys; {statement}; print(*sys.modules)"
    modules = subprocess.check_output(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
    ).split()
    assert "sklearn.base" in modules
    assert not {*absent} & {*modules}
