"""The site names everything public, and its pages keep what they promise."""

import pkgutil
import re
import runpy
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

import sklearn_activelearn

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def conf():
    return runpy.run_path(str(DOCS / "conf.py"))


def test_every_public_module_has_a_section(conf):
    public = {
        module.name
        for module in pkgutil.iter_modules(sklearn_activelearn.__path__)
        if not module.name.startswith("_")
    }
    assert conf["MODULES"].keys() == public


def test_every_public_name_is_in_the_api_reference_once(conf):
    listed = [name for names in conf["public_names"]().values() for name in names]
    items = []
    for name in listed:
        item = sklearn_activelearn
        for part in name.split("."):
            item = getattr(item, part)
        items.append(item)
    assert len(set(items)) == len(items)
    modules = [getattr(sklearn_activelearn, name) for name in conf["MODULES"]]
    assert set(items) == {
        getattr(module, name)
        for module in [sklearn_activelearn, *modules]
        for name in module.__all__
    }


def test_published_results_are_generated(conf, tmp_path):
    shutil.copytree(DOCS / "results", tmp_path / "results")
    conf["write_results"](SimpleNamespace(srcdir=str(tmp_path)), None)
    written = {file.suffix for file in (tmp_path / "generated" / "results").iterdir()}
    assert written == {".csv", ".png"}


@pytest.mark.parametrize("page", sorted(ROOT.glob("*.md")), ids=lambda page: page.name)
def test_links_between_files_lead_somewhere(page):
    """Sphinx checks those of its own pages: `nitpicky`, and warnings are errors."""
    targets = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    for target in targets:
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        assert (ROOT / path).exists(), target
        if anchor:
            text = (ROOT / path).read_text(encoding="utf-8")
            titles = re.findall(r"^(.+)\n[-=]+$", text, re.MULTILINE)
            assert anchor in {title.lower().replace(" ", "-") for title in titles}
