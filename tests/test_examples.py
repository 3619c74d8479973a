"""Every example runs without a screen, and saves its picture only if told to."""

import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.py"))


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("arguments", [[], ["picture.png"]], ids=["show", "save"])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example(example, arguments, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(example), *arguments])
    plt.switch_backend("Agg")
    plt.close("all")
    try:
        runpy.run_path(str(example), run_name="__main__")
        assert plt.get_fignums()
    finally:
        plt.close("all")
    assert [file.name for file in tmp_path.iterdir()] == arguments
    assert all(Path(name).stat().st_size > 10_000 for name in arguments)
