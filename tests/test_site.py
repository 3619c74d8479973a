"""The site names everything public, and its pages keep what they promise."""

import pkgutil
import re
import runpy
from importlib import import_module
from pathlib import Path

import pytest

import sklearn_activelearn

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def conf():
    return runpy.run_path(str(DOCS / "conf.py"))


def test_every_public_module_has_a_section(conf):
    names = [each.name for each in pkgutil.iter_modules(sklearn_activelearn.__path__)]
    modules = {
        name: import_module(f"sklearn_activelearn.{name}")
        for name in names
        if not name.startswith("_")
    }
    public = {name for name, module in modules.items() if hasattr(module, "__all__")}
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


@pytest.mark.parametrize("page", sorted(ROOT.glob("*.md")), ids=lambda page: page.name)
def test_links_between_files_lead_somewhere(page):
    """Sphinx checks those of its own pages: `nitpicky`, and warnings are errors."""
    targets = re.findall(
        r"\]\(([^)\s]+)\)|<img src=\"(.+?)\"", page.read_text(encoding="utf-8")
    )
    for target in map("".join, targets):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = ROOT / path if path else page
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file.read_text(encoding="utf-8")), target


def anchors(text):
    """Return those that code hosts give the titles of a page."""
    titles = re.findall(r"^(.+)\n[-=]+$|^#+ (.+)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w -]", "", "".join(title)).lower().replace(" ", "-")
        for title in titles
    }


def test_what_screening_says_to_open_is_on_the_page():
    text = " ".join((DOCS / "screening.rst").read_text(encoding="utf-8").split())
    (name,) = re.findall(r"open \*([^*]+)\* in the browser", text)
    page = (
        Path(sklearn_activelearn.__file__).parent
        / "labeling/front_ends/page/index.html"
    )
    assert f"<summary>{name}</summary>" in page.read_text(encoding="utf-8")


def test_each_page_is_in_one_menu():
    pages = [*DOCS.glob("*.rst"), *DOCS.glob("reproduced/*.rst")]
    listed = [
        entry
        for page in pages
        for menu in re.findall(
            r"^\.\. toctree::\n((?:   .*\n|\n)+)",
            page.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
        for entry in re.findall(r"^   ([\w/]+)$", menu, re.MULTILINE)
        if not entry.startswith("generated/")
    ]
    names = [page.relative_to(DOCS).with_suffix("").as_posix() for page in pages]
    assert sorted([*listed, "index"]) == sorted(names)


#: What people search for, and the section that answers it.
SEARCHES = {
    "rare class": ("unequal_classes", "Unequal classes"),
    "imbalanced": ("unequal_classes", "Unequal classes"),
    "inter-annotator agreement": (
        "labeling",
        "Several people, inter-annotator agreement",
    ),
    "rename class": ("labeling", "What changes later: rename a class, add rows"),
    "GPU": ("labeling", "Features from a GPU"),
    "Prodigy": (
        "labelling_tools",
        "Beside Prodigy, Label Studio, doccano and ASReview",
    ),
    "stop": ("stopping", "When to stop"),
    "duplicate": ("pool", "Duplicate rows"),
    "embedding": ("pool", "Embeddings"),
}


def main_entries():
    """Return the main entries of the index, each with the section that it precedes."""
    section = r"^\.\. index:: (.+)\n(?:\n|\.\. _.+:\n)*(.+)\n(?:=+|-+|~+)$"
    return [
        (entry.strip().removeprefix("!").strip(), (page.stem, title))
        for page in DOCS.glob("*.rst")
        for entries, title in re.findall(
            section, page.read_text(encoding="utf-8"), re.MULTILINE
        )
        for entry in entries.split(",")
        if entry.strip().startswith("!")
    ]


@pytest.mark.parametrize(("query", "section"), SEARCHES.items(), ids=SEARCHES)
def test_a_search_finds_the_section_that_answers_it_first(query, section):
    """Sphinx ranks a main entry that equals the query above all titles and texts.

    One that contains it ranks high, too, unless it is more than twice as long.
    """
    entries = main_entries()
    assert (query, section) in entries
    rivals = {
        where
        for entry, where in entries
        if query in entry and len(entry) <= 2 * len(query)
    }
    assert rivals == {section}
