"""Examples that save a picture do so; the build of the site runs all examples."""

import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))


def saves(example):
    return "sys.argv" in example.read_text(encoding="utf-8")


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize(
    ("example", "arguments"),
    [(example, ["picture.png"]) for example in EXAMPLES if saves(example)],
    ids=lambda item: "-".join(item) if isinstance(item, list) else item.stem,
)
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
