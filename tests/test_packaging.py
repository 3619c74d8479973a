"""What is published says the same of itself everywhere."""

import re
import subprocess
import sys
import tomllib
from importlib import import_module
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


def test_types_are_published(tmp_path):
    """The marker and the stubs are in the files of a wheel and of an sdist."""
    folder = tmp_path / "wheel"
    steps = ["build_py", f"--build-lib={folder}", "egg_info", f"--egg-base={tmp_path}"]
    command = [sys.executable, "setup.py", "-q", *steps]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    package = ROOT / "sklearn_activelearn"
    typed = {str(p.relative_to(ROOT)) for p in package.rglob("*.pyi")}
    typed.add("sklearn_activelearn/py.typed")
    assert len(typed) > 1
    wheel = {str(p.relative_to(folder)) for p in folder.rglob("*")}
    assert not typed - wheel
    (sources,) = tmp_path.glob("*.egg-info/SOURCES.txt")
    assert not typed - {*sources.read_text("utf-8").splitlines()}


def test_only_public_names_are_listed():
    names = [name for name in dir(sklearn_activelearn) if not name.startswith("__")]
    modules = {
        path.stem if path.suffix else path.name
        for path in Path(sklearn_activelearn.__file__).parent.iterdir()
        if not path.name.startswith("_") and path.suffix in ("", ".pyi")
    }
    assert {*names} == {*sklearn_activelearn.__all__} | modules
    assert all(hasattr(sklearn_activelearn, name) for name in names)


def test_the_docs_import_public_names_from_public_modules():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.rst")]
    pages += (ROOT / "examples").glob("*.py")
    found = []
    for page in pages:
        code = re.sub(r"^ *(>>>|\.\.\.) ?", "", page.read_text("utf-8"), flags=re.M)
        pattern = r"from (sklearn_activelearn[\w.]*) import (\([^)]*\)|.*)"
        for module, names in re.findall(pattern, code):
            found += [(module, name) for name in re.findall(r"\w+", names)]
    assert len(found) > 20
    for module, name in found:
        assert name in import_module(module).__all__, f"{name} of {module}"
