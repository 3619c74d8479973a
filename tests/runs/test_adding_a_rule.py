"""The steps of docs/write_your_own.rst, taken in a copy of the source tree."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SNIPPETS = ROOT / "docs" / "snippets"
SOURCE = "sklearn_activelearn"

#: What to write, where, and the text that it goes in front of.
INSERTIONS = [
    ("rule.pyx", f"{SOURCE}/stream/_rules.pyx", "cdef class SmallMarginRule"),
    ("rule_twin.py", "tests/reference/first_order.py", "def random("),
    ("loss.pyx", f"{SOURCE}/losses.pyx", "#: Losses by name"),
    ("loss_twin.py", "tests/reference/margin_loss.py", "#: value, derivative"),
    ("utility.py", f"{SOURCE}/base/_scores.py", "def entropy("),
]

#: The lines that make them known, likewise: each with the line below it.
LINES = {
    f"{SOURCE}/stream/__init__.py": {
        "from ._inverse_square import InverseSquareClassifier": "from ._random import",
    },
    f"{SOURCE}/losses.pyx": {
        "from libc.math cimport atan": "from libc.math",
        '    "ArctanLoss",': '    "HingeLoss"',
    },
    f"{SOURCE}/pool/_uncertainty.py": {
        "    runner_up,": "    smallest_margin,",
        '    "runner_up": runner_up,': '    "entropy": entropy',
    },
    f"{SOURCE}/pool/__init__.py": {
        "from ._central_margin import CentralMarginClassifier": "from ._margin import",
    },
    "tests/learners.py": {
        f"from {SOURCE}.stream import InverseSquareClassifier": "from tests.tools",
        f"from {SOURCE}.pool import CentralMarginClassifier": "from tests.tools",
        "    InverseSquareClassifier(),": "    RandomSamplingClassifier(),",
        '    MarginLossClassifier("arctan"),': "    RandomSamplingClassifier(),",
        '    UncertaintySamplingClassifier(NaiveBayes(), measure="runner_up"),': (
            "    PassiveClassifier(),"
        ),
        "    CentralMarginClassifier(n_initial=5),": "    PassiveClassifier(),",
    },
    "tests/test_first_order.py": {
        f"from {SOURCE}.stream import InverseSquareClassifier": "from tests.reference",
        '    "inverse square": (InverseSquareClassifier(b=0.3), '
        "lambda d: twin.inverse_square(b=0.3)),": '    "random": (',
    },
    "tests/test_losses.py": {"    losses.ArctanLoss(),": "    losses.SigmoidLoss(),"},
    "tests/reference/margin_loss.py": {
        '    "arctan": (arctan, arctan_slope, ()),': '    "sigmoid": (',
    },
}


def insert(file, anchor, text):
    """Put text in front of the first line that begins with the anchor."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    places = [k for k, line in enumerate(lines) if line.startswith(anchor)]
    assert places, f"{file.name} has no line {anchor!r}"
    lines.insert(places[0], text)
    file.write_text("".join(lines), encoding="utf-8")


#: New files, and where they go.
FILES = [
    ("learner.py", f"{SOURCE}/stream/_inverse_square.py"),
    ("pool_learner.py", f"{SOURCE}/pool/_central_margin.py"),
]

#: What the tests call each addition, the least number that run on it, and those that
#: must be among them. Settings of a class that has the guarantees already have them in
#: the profile explore, of which a few run here.
ADDED = {
    "rule": (
        "InverseSquare",
        10,
        ["guarantees", "estimator_checks", "bad_input", "query"],
    ),
    "twin of the rule": ("inverse square", 2, ["first_order"]),
    "loss": ("(?i)arctan", 5, ["losses", "paid_labels"]),
    "utility": ("runner_up", 1, ["paid_labels"]),
    "pool learner": (
        "CentralMargin",
        6,
        ["guarantees", "estimator_checks", "bad_input"],
    ),
}

#: Tests that run over the lists of learners, losses and rules.
COMMON = [
    "bad_input",
    "paid_labels",
    "estimator_checks",
    "first_order",
    "guarantees",
    "losses",
    "query",
]


def passed(tree):
    """Return the tests that pass in a tree with all that was added."""
    for part in (SOURCE, "tests"):
        ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
        shutil.copytree(ROOT / part, tree / part, ignore=ignored)
    for file in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(ROOT / file, tree / file)
    for snippet, file, anchor in INSERTIONS:
        text = (SNIPPETS / snippet).read_text(encoding="utf-8")
        insert(tree / file, anchor, f"{text}\n\n")
    for file, lines in LINES.items():
        for line, anchor in lines.items():
            insert(tree / file, anchor, f"{line}\n")
    for snippet, file in FILES:
        shutil.copy2(SNIPPETS / snippet, tree / file)
    in_haste(tree / "setup.py")
    run(tree, "setup.py", "-q", "build_ext", "--inplace")
    names = "InverseSquare or inverse or arctan or runner_up or CentralMargin"
    files = [f"tests/test_{name}.py" for name in COMMON]
    pytest = "-m", "pytest", "-rp", "-p", "no:xdist"
    printed = run(tree, *pytest, *files, "-k", names)
    explore = "--hypothesis-profile=explore", "--hypothesis-seed=1", "--minutes=0.5"
    files, names = ["tests/test_paid_labels.py"], "arctan or runner_up"
    printed += run(tree, *pytest, *explore, *files, "-k", names)
    return [line for line in printed.splitlines() if line.startswith("PASSED ")]


def in_haste(setup):
    """Have changed modules compiled without optimisation, and all others kept."""
    times = os.stat(setup)
    text = setup.read_text(encoding="utf-8")
    text, n_levels = re.subn(r'"-O[123]"', '"-O0"', text)
    assert n_levels > 0
    setup.write_text(text, encoding="utf-8")
    os.utime(setup, ns=(times.st_atime_ns, times.st_mtime_ns))


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
    said = [line for line in done.stdout.splitlines() if line[:6] != "PASSED"]
    assert done.returncode == 0, "\n".join(said)[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_what_was_added_passes_the_tests(tmp_path):
    lines = passed(tmp_path)
    for added, (name, least, files) in ADDED.items():
        mine = [line for line in lines if re.search(name, line)]
        assert len(mine) >= least, added
        for file in files:
            assert any(f"test_{file}.py" in line for line in mine), (added, file)
