"""What is published says the same of itself everywhere."""

import os
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import sklearn_activelearn

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "sklearn_activelearn"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOWS = ROOT / ".github" / "workflows"

#: Folders that Python makes.
GENERATED = {"__pycache__/"}

in_repository = pytest.mark.skipif(
    (ROOT / "PKG-INFO").exists(), reason="an sdist has no files that begin with a dot"
)


def parsed(path):
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    return yaml.safe_load(path.read_text("utf-8"))


def mapped(title):
    """Return what a table of CONTRIBUTING.md says of where things live.

    Returns
    -------
    named : list of str
        The paths in the first column.
    details : list of (str, str)
        The paths in the second one, each with that of the row.
    """
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = text.split(f"\n{title}\n\n")[1].split("\n\n")[0]
    named, details = [], []
    for row in table.splitlines()[2:]:
        where, what = (re.findall("`(.+?)`", cell) for cell in row.split("|")[1:3])
        named += where
        details += [(where[0], path) for path in what if re.search(r"/|\.", path)]
    return named, details


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


def test_the_map_of_the_package_is_complete():
    named, details = mapped("In `sklearn_activelearn/`:")
    assert len(set(named)) == len(named)
    assert not [path for path in named if not (PACKAGE / path).exists()]
    assert not [path for path in details if not PACKAGE.joinpath(*path).exists()]
    folders = {f"{path.name}/" for path in PACKAGE.iterdir() if path.is_dir()}
    assert folders - GENERATED == {path for path in named if path.endswith("/")}
    modules = {
        path.stem
        for path in PACKAGE.iterdir()
        if path.suffix in {".py", ".pyx", ".pxd", ".h"}
    }
    assert modules == {Path(path).stem for path in named if not path.endswith("/")}


def test_only_the_package_is_installed(monkeypatch):
    pytest.importorskip("Cython", reason="setup.py imports Cython")
    run_setup = pytest.importorskip("setuptools.dist").distutils.core.run_setup
    monkeypatch.chdir(ROOT)
    built = run_setup("setup.py", stop_after="init")
    folders = {name.replace(".", "/") for name in built.packages}
    assert {"sklearn_activelearn", "sklearn_activelearn/pool/alms"} <= folders
    assert not built.package_dir
    assert {name.partition("/")[0] for name in folders} == {"sklearn_activelearn"}


@in_repository
def test_the_map_names_what_exists():
    named, details = mapped("Beside it:")
    paths = [*named, *(path for _, path in details)]
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_the_page_on_internals_names_what_exists():
    page = (ROOT / "docs" / "internals.rst").read_text("utf-8")
    files = re.findall(r"``([\w/]+\.(?:py|pyx|md))``", page)
    folders = ROOT, PACKAGE, PACKAGE / "labeling"
    assert len(files) > 10
    assert not [
        file for file in files if not any((path / file).exists() for path in folders)
    ]
    for module, name in re.findall(r"``(_[a-z]+)\.([A-Z]\w+)``", page):
        assert hasattr(import_module(f"{PACKAGE.name}.labeling.{module}"), name)


@in_repository
def test_workflows_run_what_is_in_the_tree():
    commands = {
        path.name: [
            step["run"]
            for job in parsed(path)["jobs"].values()
            for step in job["steps"]
            if "run" in step
        ]
        for path in WORKFLOWS.iterdir()
    }
    assert commands == {"ci.yml": [".ci/run"], "wheels.yml": ["pipx run build --sdist"]}
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


@in_repository
def test_ci_has_the_python_that_the_oldest_dependencies_need():
    (job,) = parsed(WORKFLOWS / "ci.yml")["jobs"].values()
    versions = [
        step["with"]["python-version"]
        for step in job["steps"]
        if "setup-python" in step.get("uses", "")
    ]
    assert versions == [PROJECT["requires-python"].removeprefix(">=")]


@in_repository
def test_bug_reports_ask_for_the_versions(capsys):
    form = parsed(ROOT / ".github" / "ISSUE_TEMPLATE" / "bug_report.yml")
    fields = {field.get("id"): field["attributes"] for field in form["body"]}
    (command,) = re.findall(r'python -c "(.*)"', fields["versions"]["description"])
    exec(command, {})
    out = capsys.readouterr().out
    assert out.splitlines()[0] == sklearn_activelearn.__version__
    assert "numpy" in out


@in_repository
def test_commits_are_checked_with_a_supported_ruff():
    (repository,) = parsed(ROOT / ".pre-commit-config.yaml")["repos"]
    assert [hook["id"] for hook in repository["hooks"]] == ["ruff-check", "ruff-format"]
    (ruff,) = (
        requirement
        for requirement in map(Requirement, PROJECT["optional-dependencies"]["test"])
        if requirement.name == "ruff"
    )
    assert ruff.specifier.contains(repository["rev"].removeprefix("v"))


#: Commands that install from an index, and names that only an index resolves.
BY_NAME = re.compile(
    r"\binstall\b(?:\s+-\S+)*\s+[\"'`]*sklearn[-_]activelearn|sklearn[-_]activelearn\["
)


def published_texts():
    yield from ROOT.glob("*.md")
    for folder in ("benchmarks", "docs", "examples", "sklearn_activelearn"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".pyx", ".rst") and "generated" not in path.parts:
                yield path


def test_no_text_installs_by_name_while_no_index_has_the_package():
    installing = (ROOT / "docs" / "installing.rst").read_text("utf-8")
    assert "No release has been published yet" in " ".join(installing.split())
    texts = {path: path.read_text("utf-8") for path in published_texts()}
    assert {ROOT / "README.md", ROOT / "docs" / "labeling.rst"} <= texts.keys()
    assert [path.name for path, text in texts.items() if BY_NAME.search(text)] == []


def test_only_public_names_are_listed():
    names = [name for name in dir(sklearn_activelearn) if not name.startswith("__")]
    modules = {
        path.stem if path.suffix else path.name
        for path in Path(sklearn_activelearn.__file__).parent.iterdir()
        if not path.name.startswith("_") and path.suffix in ("", ".py", ".pyx")
    } - {"base", "kernels", "utils"}  # rooms that export nothing
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
