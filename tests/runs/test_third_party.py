"""A package outside: built, installed by itself, and checked without private names."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(__file__).parent / "third_party"
SOURCES = sorted((PACKAGE / "own_learners").glob("*.py"))


def run(folder, *arguments):
    folder.mkdir(exist_ok=True)
    paths = [str(folder), str(ROOT)]
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        encoding="utf-8",
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_it_uses_public_names_only():
    assert len(SOURCES) == 7
    for file in [*SOURCES, PACKAGE / "check.py"]:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"sklearn_activelearn\S*\._|import _", text), file.name


def test_it_is_installed_and_keeps_its_promises(tmp_path):
    source, site = tmp_path / "source", tmp_path / "site"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__"))
    pip = "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"
    run(site, *pip, "--target", str(site), str(source))
    shutil.copy2(PACKAGE / "check.py", site)
    printed = run(site, "check.py")
    assert printed.count(" passes ") == 8
    assert "error on the stream:" in printed


#: Buys what the compiled rule says, and what the same rule in Python says.
BOTH = """
import numpy as np
from own_learners.stream import InverseSquareRule
from own_rule import InverseSquare, MistakesOnly, RunningMean
from sklearn_activelearn.stream import PerceptronUpdate, QueryRule, StreamClassifier

class Compiled(StreamClassifier):
    def _make_rules(self):
        return InverseSquare(0.1), MistakesOnly()

class InPython(StreamClassifier):
    def _make_rules(self):
        return InverseSquareRule(0.1), PerceptronUpdate()

X = np.random.default_rng(0).standard_normal((500, 5))
fitted = [kind(random_state=0).fit(X, X[:, 0] > 0) for kind in (Compiled, InPython)]
assert fitted[0].queried_indices_.tolist() == fitted[1].queried_indices_.tolist()
assert (fitted[0].coef_ == fitted[1].coef_).all()
assert 0 < fitted[0].n_queries_ < 500

class RunningMeanInPython(QueryRule):
    def initial_memory(self, n_dims):
        return [0.0]

    def probability(self, margin, norm, clock, memory):
        return 1.0 if margin <= memory[0] else 0.25

    def observe(self, margin, norm, clock, memory):
        memory[0] += (margin - memory[0]) / (clock.n_seen + 1)

def learner_of(rule):
    class Learner(StreamClassifier):
        def _make_rules(self):
            return rule(), PerceptronUpdate()
    return Learner(random_state=0).fit(X, X[:, 0] > 0)

fitted = [learner_of(rule) for rule in (RunningMean, RunningMeanInPython)]
assert fitted[0].queried_indices_.tolist() == fitted[1].queried_indices_.tolist()
assert [*fitted[0]._learned.memory] == [*fitted[1]._learned.memory] != [0.0]
"""


def test_compiled_rules_are_built_against_the_installed_declarations(tmp_path):
    folder = tmp_path / "rules"
    shutil.copytree(PACKAGE / "compiled", folder)
    shutil.copytree(PACKAGE / "own_learners", folder / "own_learners")
    run(folder, "setup.py", "-q", "build_ext", "--inplace")
    run(folder, "-c", BOTH)
