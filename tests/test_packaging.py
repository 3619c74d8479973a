"""What is published says the same of itself everywhere."""

import re
import tomllib
from pathlib import Path

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
