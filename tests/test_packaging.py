"""What is published says the same of itself everywhere."""

import re
import tomllib
from pathlib import Path

import pytest

import sklearn_activelearn

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {sklearn_activelearn.__version__}\n" in citation
    assert f"\nlicense: {PROJECT['license']}\n" in citation


def test_the_docs_name_the_lowest_versions():
    page = " ".join((ROOT / "docs" / "installing.rst").read_text("utf-8").split())
    python = PROJECT["requires-python"].removeprefix(">=")
    assert f"Python {python} or later" in page
    for dependency in PROJECT["dependencies"]:
        name, version = dependency.split(">=")
        assert f"{name} {version}" in page


def test_the_docs_name_every_extra():
    page = (ROOT / "docs" / "installing.rst").read_text("utf-8")
    rows = re.findall(r"^   \* - (``.*)$", page, re.MULTILINE)
    listed = [name for row in rows for name in re.findall("``(.*?)``", row)]
    assert sorted(listed) == sorted(PROJECT["optional-dependencies"])


#: Commands that install from an index, and names that only an index resolves.
BY_NAME = re.compile(
    r"\binstall\b(?:\s+-\S+)*\s+[\"'`]*sklearn[-_]activelearn|sklearn[-_]activelearn\[",
)


def published_texts():
    yield from ROOT.glob("*.md")
    for folder in ("benchmarks", "docs", "examples", "sklearn_activelearn"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".pyx", ".rst") and "generated" not in path.parts:
                yield path


@pytest.mark.parametrize(
    "text",
    [
        "pip install sklearn-activelearn",
        "$ pip install -U 'sklearn-activelearn'",
        'needs matplotlib: pip install "\n "sklearn-activelearn[plot]"',
        "uv pip install sklearn_activelearn",
    ],
)
def test_commands_that_need_an_index_are_recognised(text):
    assert BY_NAME.search(text)


def test_no_text_installs_by_name_while_no_index_has_the_package():
    installing = (ROOT / "docs" / "installing.rst").read_text("utf-8")
    assert "no package index has it yet" in " ".join(installing.split())
    texts = {path: path.read_text("utf-8") for path in published_texts()}
    assert {ROOT / "README.md", ROOT / "docs" / "labeling.rst"} <= texts.keys()
    assert [path.name for path, text in texts.items() if BY_NAME.search(text)] == []
