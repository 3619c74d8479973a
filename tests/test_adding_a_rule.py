"""The steps of docs/adding_a_rule.rst, taken in a copy of the source tree."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SNIPPETS = ROOT / "docs" / "snippets"
SOURCE = "sklearn_activelearn"

#: What to write, where, and the text that it goes in front of.
INSERTIONS = [
    ("rule.pyx", f"{SOURCE}/stream/_rules.pyx", "#: Update rules of mistakes"),
    ("rule_twin.py", "tests/reference/first_order.py", "def random("),
    ("loss.pyx", f"{SOURCE}/losses.pyx", "#: Losses by the name"),
    ("loss_twin.py", "tests/reference/margin_loss.py", "#: value, derivative"),
    ("utility.py", f"{SOURCE}/pool/_utility.py", "#: By the names that `Uncert"),
]

IMPORT = f"from {SOURCE}.stream import InverseSquareClassifier"
#: The lines that make them known, likewise.
LINES = [
    (
        "from ._inverse_square import InverseSquareClassifier",
        f"{SOURCE}/stream/__init__.py",
        "from ._random import",
    ),
    ("from libc.math cimport atan", f"{SOURCE}/losses.pyx", "from libc.math"),
    ('    "ArctanLoss",', f"{SOURCE}/losses.pyx", '    "HingeLoss"'),
    (
        '    "runner_up": runner_up,',
        f"{SOURCE}/pool/_utility.py",
        '    "entropy": entropy',
    ),
    (IMPORT, "tests/learners.py", "from tests.tools"),
    (
        "    InverseSquareClassifier(),",
        "tests/learners.py",
        "    RandomSamplingClassifier(),",
    ),
    (
        '    UncertaintySamplingClassifier(BernoulliNB(), measure="runner_up"),',
        "tests/learners.py",
        "    PassiveClassifier(),",
    ),
    (IMPORT, "tests/test_first_order.py", "from tests.reference"),
    (
        '    "inverse square": (InverseSquareClassifier(b=0.3), '
        "lambda d: twin.inverse_square(b=0.3)),",
        "tests/test_first_order.py",
        '    "random": (',
    ),
    ("    losses.ArctanLoss(),", "tests/test_losses.py", "    losses.SigmoidLoss(),"),
    (
        '    "arctan": (arctan, arctan_slope, ()),',
        "tests/reference/margin_loss.py",
        '    "sigmoid": (',
    ),
]


def insert(file, anchor, text):
    """Put text in front of the first line that begins with the anchor."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    places = [k for k, line in enumerate(lines) if line.startswith(anchor)]
    assert places, f"{file.name} has no line {anchor!r}"
    lines.insert(places[0], text)
    file.write_text("".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Return a source tree with the rule, the loss and the utility in it."""
    tree = tmp_path_factory.mktemp("tree")
    for part in (SOURCE, "tests"):
        ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
        shutil.copytree(ROOT / part, tree / part, ignore=ignored)
    for file in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(ROOT / file, tree / file)
    for snippet, file, anchor in INSERTIONS:
        text = (SNIPPETS / snippet).read_text(encoding="utf-8")
        insert(tree / file, anchor, f"{text}\n\n")
    for line, file, anchor in LINES:
        insert(tree / file, anchor, f"{line}\n")
    shutil.copy2(
        SNIPPETS / "learner.py", tree / SOURCE / "stream" / "_inverse_square.py"
    )
    # in place, but what the copy brought along compiled is not compiled again
    run(tree, "setup.py", "-q", "build_ext", "--build-lib", ".")
    return tree


def run(tree, *arguments):
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("InverseSquare or inverse", ("test_laws.py", "test_first_order.py")),
        ("Arctan", ("test_losses.py",)),
        ("runner_up", ("test_laws.py",)),
    ],
    ids=["rule", "loss", "utility"],
)
def test_what_was_added_passes_the_tests(copy, name, files):
    files = [f"tests/{file}" for file in files]
    printed = run(copy, "-m", "pytest", "-q", "-p", "no:xdist", *files, "-k", name)
    assert int(printed.split(" passed")[0].split()[-1]) > 5
