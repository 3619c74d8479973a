"""Every benchmark runs at toy size and prints something; the numbers are not read."""

import runpy
import sys
from pathlib import Path
from time import sleep

import pytest

from benchmarks.evaluation import labels_saved
from benchmarks.papers._steps import ROWS
from sklearn_activelearn.evaluation import _comparison_run, _experiments

ROOT = Path(__file__).resolve().parents[2]
#: in so few rows a class may be rare
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_activelearn.exceptions.OneClassWarning"
)
#: What test_published_results.py runs, and reads.
PUBLISHED = {row["command"].split()[0] for rows in ROWS.values() for row in rows}
SCRIPTS = sorted(
    script
    for script in (ROOT / "benchmarks").rglob("[!_]*.py")
    if all(word in script.read_text("utf-8") for word in ("--quick", "__main__"))
    and not (script.parent.name == "papers" and script.stem in PUBLISHED)
)


def has_numbers(printed):
    """Return whether at least three lines have numbers."""
    return sum(any(map(str.isdigit, line)) for line in printed.splitlines()) >= 3


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_quick_run_prints_its_lines(script, tmp_path, monkeypatch, capsys):
    module = ".".join(script.relative_to(ROOT).with_suffix("").parts)
    monkeypatch.chdir(tmp_path)  # where pictures go
    monkeypatch.setenv("SKLEARN_ACTIVELEARN_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(script), "--quick"])
    monkeypatch.delitem(sys.modules, module, raising=False)  # others import it
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    printed = capsys.readouterr().out
    assert has_numbers(printed), printed


class TestLabelsSaved:
    """The experiment about `compare` waits for no other program."""

    def test_clock(self, monkeypatch):
        def compare(values, y, **options):
            start = _comparison_run.monotonic()
            seconds.append(_experiments.run_numbered(0, 0, "", sleep, 0.2)[3])
            seconds.append(_comparison_run.monotonic() - start)
            raise KeyboardInterrupt

        seconds = []
        monkeypatch.setattr(labels_saved, "compare", compare)
        with pytest.raises(KeyboardInterrupt):
            labels_saved.answer_example("table", 0, None, 1.0, 0)
        assert len(seconds) == 2
        assert max(seconds) < 0.1
        assert _experiments.run_numbered(0, 0, "", sleep, 0.2)[3] >= 0.2
