"""Every benchmark runs at toy size and prints something; the numbers are not read."""

import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: in so few rows a class may be rare
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_activelearn.exceptions.OneClassWarning"
)
SCRIPTS = sorted(
    script
    for script in (ROOT / "benchmarks").rglob("[!_]*.py")
    if all(word in script.read_text("utf-8") for word in ("--quick", "__main__"))
)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_quick_run_prints_its_lines(script, tmp_path, monkeypatch, capsys):
    if script.stem.startswith("alpbench"):  # no extra installs it and what it needs
        pytest.importorskip("alpbench")
    module = ".".join(script.relative_to(ROOT).with_suffix("").parts)
    monkeypatch.chdir(tmp_path)  # where pictures go
    monkeypatch.setenv("SKLEARN_ACTIVELEARN_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(script), "--quick"])
    monkeypatch.delitem(sys.modules, module, raising=False)  # others import it
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    printed = capsys.readouterr().out
    numbered = [line for line in printed.splitlines() if any(map(str.isdigit, line))]
    assert len(numbered) >= 3, printed
