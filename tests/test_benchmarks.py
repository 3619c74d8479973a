"""Every benchmark runs at toy size and prints something; the numbers are not read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = sorted(
    script
    for script in (ROOT / "benchmarks").rglob("[!_]*.py")
    if "--quick" in script.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_quick_run_prints_its_lines(script, tmp_path):
    module = ".".join(script.relative_to(ROOT).with_suffix("").parts)
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", module, "--quick"],
        cwd=tmp_path,  # where pictures go
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PYTHONIOENCODING": "utf-8",
            "SKLEARN_ACTIVELEARN_DATA": str(tmp_path),
        },
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    numbered = [
        line for line in done.stdout.splitlines() if any(map(str.isdigit, line))
    ]
    assert len(numbered) >= 3, done.stdout
